//! A field of LISTCAT: its label, its value, and what it means. Listing, JSON and reference are made from the same
//! fields.
//!
//! ```text
//! label     DATASET-OWNER            in the listing, filled with dashes up to its value
//! key       dataset_owner            in JSON: the label in small letters, what is no letter as an underscore
//! ```

use serde_json::{json, Map, Value};
use std::fmt::Write;

/// Characters of a field in the listing, if it does not say another width.
pub const WIDTH: usize = 24;

/// From the beginning of a field to that of the next.
const STEP: usize = WIDTH + 5;

/// A field of entries, components or volumes that are described as `T`.
pub struct Field<T: 'static> {
    label: &'static str,
    width: usize,
    place: Place,
    get: fn(&T) -> Shown,
    help: &'static str,
}

/// Where a field is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
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
            width: WIDTH,
            place: Place::Everywhere,
            get,
            help,
        }
    }

    /// The same with another width.
    pub const fn wide(self, width: usize) -> Field<T> {
        Field { width, ..self }
    }

    /// The same in the listing alone.
    pub const fn listed(self) -> Field<T> {
        Field {
            place: Place::Listing,
            ..self
        }
    }

    /// The same in JSON alone.
    pub const fn told(self) -> Field<T> {
        Field {
            place: Place::Json,
            ..self
        }
    }

    /// Label, dashes, value; `None` where the listing leaves it out.
    pub fn text(&self, of: &T) -> Option<String> {
        let value = match (self.get)(of) {
            _ if self.place == Place::Json => return None,
            Shown::Absent | Shown::Quiet(_) => return None,
            Shown::Number(number) => number.to_string(),
            Shown::Text(text) => text,
            Shown::Code(code) => format!("X'{code:08X}'"),
            Shown::Is(true) => "(YES)".to_owned(),
            Shown::Is(false) => "(NO)".to_owned(),
            Shown::Null => "(NULL)".to_owned(),
        };
        Some(filled(self.width, self.label, &value))
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

    fn json(&self, of: &T) -> Option<(String, Value)> {
        let value = match (self.get)(of) {
            _ if self.place == Place::Listing => return None,
            Shown::Number(number) | Shown::Quiet(number) => json!(number),
            Shown::Text(text) => json!(text),
            Shown::Code(code) => json!(format!("{code:08X}")),
            Shown::Is(is) => json!(is),
            Shown::Null | Shown::Absent => Value::Null,
        };
        Some((self.key(), value))
    }
}

/// The lines of a section: a row is left out when all its fields are.
pub fn lines<T>(rows: &[Row<T>], of: &T) -> Vec<String> {
    let texts = rows.iter().map(|row| row.iter().filter_map(|field| field.text(of)));
    let lines = texts.map(|row| columns(&row.collect::<Vec<_>>()));
    lines.filter(|line| !line.is_empty()).collect()
}

/// Fields one beside the other, each where its column begins.
pub fn columns(fields: &[String]) -> String {
    let line = fields
        .iter()
        .fold(String::new(), |line, field| format!("{line}{field:STEP$}"));
    line.trim_end().to_owned()
}

/// The same fields as JSON.
pub fn object<T>(rows: &[Row<T>], of: &T) -> Map<String, Value> {
    rows.iter()
        .flat_map(|row| row.iter())
        .filter_map(|field| field.json(of))
        .collect()
}

/// Label, dashes and value, `width` characters, or more when they do not suffice for one dash.
pub fn filled(width: usize, label: &str, value: &str) -> String {
    let dashes = width.saturating_sub(label.len() + value.len()).max(1);
    format!("{label}{}{value}", "-".repeat(dashes))
}

/// The rows of a table in the reference.
pub fn reference<T>(rows: &[Row<T>]) -> String {
    let mut page = String::new();
    for field in rows.iter().flat_map(|row| row.iter()) {
        let key = format!("`{}`", field.key());
        let label = format!("`{}`", field.label.trim());
        let (label, key) = match field.place {
            Place::Everywhere => (label, key),
            Place::Listing => (label, String::new()),
            Place::Json => (String::new(), key),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| {label} | {key} | {} |", field.help);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_24_wide_and_keeps_a_dash() {
        let text = |label, value| {
            Field::<u64>::new(label, |n| Shown::Number(*n), "")
                .text(&value)
                .unwrap_or_default()
        };
        assert_eq!(text("KEYLEN", 11), "KEYLEN----------------11");
        assert_eq!(text("HI-A-RBA", 829_440), "HI-A-RBA----------829440");
        assert_eq!(text("REC-RETRIEVED", u64::MAX), "REC-RETRIEVED-18446744073709551615");
    }

    #[test]
    fn keys_are_labels_in_small_letters() {
        let key = |label| Field::<()>::new(label, |()| Shown::Null, "").key();
        assert_eq!(key("FREESPACE-%CI"), "freespace_ci");
        assert_eq!(key("CI/CA"), "ci_ca");
        assert_eq!(key("VSAM QUIESCED "), "vsam_quiesced");
    }

    #[test]
    fn what_is_absent_or_says_nothing_new_is_not_listed_and_told_all_the_same() {
        const ROWS: &[Row<u64>] = &[
            &[Field::new("AXRKP", |_| Shown::Absent, "")],
            &[
                Field::new("A", |n| Shown::Number(*n), ""),
                Field::new("CCSID", |n| Shown::Quiet(*n), ""),
                Field::new("B", |n| Shown::Is(*n > 0), "").listed(),
                Field::new("C", |_| Shown::Code(16), "").told(),
            ],
        ];
        let line = "A----------------------7     B------------------(YES)";
        assert_eq!(lines(ROWS, &7), [line]);
        let told = json!({"axrkp": null, "a": 7, "ccsid": 7, "c": "00000010"});
        assert_eq!(Value::Object(object(ROWS, &7)), told);
    }
}
