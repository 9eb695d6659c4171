//! A field of LISTCAT: its label, its value, and what it means. Listing, JSON and reference are made from the same
//! fields; the listing lays them out.
//!
//! ```text
//! label     DATASET-OWNER            in the listing, filled with dashes up to its value
//! key       dataset_owner            in JSON: the label in small letters, what is no letter as an underscore
//! ```

use serde_json::{json, Value};

/// A field of entries, components or volumes that are described as `T`.
pub struct Field<T: 'static> {
    label: &'static str,
    width: Option<usize>,
    place: ShownIn,
    get: fn(&T) -> Shown,
    help: &'static str,
}

/// Where a field is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShownIn {
    Everywhere,
    /// There is no such thing here; or JSON has it in another form.
    Listing,
    /// z/OS lists no such thing; or the listing has it in another form.
    Json,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Digits.
    Number(u64),
    /// As it is.
    Text(String),
    /// X'..' of eight digits; in JSON the digits.
    Code(u32),
    /// (YES) or (NO).
    Is(bool),
    /// (NULL): nothing was said.
    Null,
    /// The listing leaves the field out.
    Absent,
    /// The listing leaves the field out, for it says nothing new.
    Quiet(u64),
}

/// Fields in one line of the listing.
pub type Row<T> = &'static [Field<T>];

impl<T> Field<T> {
    /// A field of the listing and of JSON.
    pub const fn new(label: &'static str, get: fn(&T) -> Shown, help: &'static str) -> Field<T> {
        Field {
            label,
            width: None,
            place: ShownIn::Everywhere,
            get,
            help,
        }
    }

    /// The same, so many characters wide in the listing.
    pub const fn wide(self, width: usize) -> Field<T> {
        Field {
            width: Some(width),
            ..self
        }
    }

    /// The same in the listing alone.
    pub const fn listed(self) -> Field<T> {
        Field {
            place: ShownIn::Listing,
            ..self
        }
    }

    /// The same in JSON alone.
    pub const fn always_shown(self) -> Field<T> {
        Field {
            place: ShownIn::Json,
            ..self
        }
    }

    /// What stands before its value.
    pub fn label(&self) -> &'static str {
        self.label
    }

    /// Its characters in the listing, if they are others than those of most fields.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// Its value for the listing, if the listing has it.
    pub fn listed_value(&self, of: &T) -> Option<Shown> {
        (self.place != ShownIn::Json).then(|| (self.get)(of))
    }

    /// Its row in the reference: label, key, and what it means.
    pub fn reference(&self) -> String {
        let key = format!("`{}`", self.key());
        let label = format!("`{}`", self.label.trim());
        let (label, key) = match self.place {
            ShownIn::Everywhere => (label, key),
            ShownIn::Listing => (label, String::new()),
            ShownIn::Json => (String::new(), key),
        };
        format!("| {label} | {key} | {} |\n", self.help)
    }

    /// Its name in JSON.
    pub fn key(&self) -> String {
        let mut key = String::new();
        for c in self.label.trim().chars() {
            match c {
                c if c.is_ascii_alphanumeric() => key.push(c.to_ascii_lowercase()),
                _ if key.ends_with('_') => {}
                _ => key.push('_'),
            }
        }
        key
    }

    /// Key and value in JSON, if JSON has it.
    pub fn json(&self, of: &T) -> Option<(String, Value)> {
        let value = match (self.get)(of) {
            _ if self.place == ShownIn::Listing => return None,
            Shown::Number(number) | Shown::Quiet(number) => json!(number),
            Shown::Text(text) => json!(text),
            Shown::Code(code) => json!(format!("{code:08X}")),
            Shown::Is(is) => json!(is),
            Shown::Null | Shown::Absent => Value::Null,
        };
        Some((self.key(), value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_labels_in_small_letters() {
        let key = |label| Field::<()>::new(label, |()| Shown::Null, "").key();
        assert_eq!(key("FREESPACE-%CI"), "freespace_ci");
        assert_eq!(key("CI/CA"), "ci_ca");
        assert_eq!(key("VSAM QUIESCED "), "vsam_quiesced");
    }
}
