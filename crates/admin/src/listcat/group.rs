//! Fields of LISTCAT that stand together: under a title in the listing, under a key in JSON, in a table of the
//! reference.

use super::field::Row;
use serde_json::{Map, Value};

/// Fields of what is described as `T`. Several groups may have one title and key.
pub struct Group<T: 'static> {
    /// What stands above them in the listing, or above those they follow there.
    pub title: &'static str,
    /// What they are of, where the title does not say it.
    pub of: &'static str,
    /// What they stand under in JSON; empty: beside the groups.
    pub key: &'static str,
    /// The fields, in the rows of the listing.
    pub rows: &'static [Row<T>],
}

impl<T> Group<T> {
    /// The fields as JSON.
    pub fn json(&self, of: &T) -> Value {
        Value::Object(self.object(of))
    }

    /// Puts the fields into an object where they stand, behind those of the same key.
    pub fn put(&self, of: &T, all: &mut Map<String, Value>) {
        let fields = self.object(of);
        if self.key.is_empty() {
            return all.extend(fields);
        }
        match all.get_mut(self.key) {
            Some(Value::Object(group)) => group.extend(fields),
            _ => all.extend([(self.key.to_owned(), Value::Object(fields))]),
        }
    }

    fn object(&self, of: &T) -> Map<String, Value> {
        let fields = self.rows.iter().flat_map(|row| row.iter());
        fields.filter_map(|field| field.json(of)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::{Field, Shown};
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_absent_or_says_nothing_new_is_told_all_the_same() {
        static GROUP: Group<u64> = Group {
            title: "",
            of: "",
            key: "",
            rows: &[
                &[Field::new("AXRKP", |_| Shown::Absent, "")],
                &[
                    Field::new("A", |n| Shown::Number(*n), ""),
                    Field::new("CCSID", |n| Shown::Quiet(*n), ""),
                    Field::new("B", |n| Shown::Is(*n > 0), "").listed(),
                    Field::new("C", |_| Shown::Code(16), "").always_shown(),
                ],
            ],
        };
        let always_shown = json!({"axrkp": null, "a": 7, "ccsid": 7, "c": "00000010"});
        assert_eq!(GROUP.json(&7), always_shown);
    }
}
