//! Fields in columns: label, dashes and value, one beside the other.

use cica_admin::listcat::field::{Field, Shown};
use cica_admin::listcat::group::Group;

/// Characters of a field, if it does not say another width.
pub const WIDTH: usize = 24;

/// From the beginning of a field to that of the next.
const STEP: usize = WIDTH + 5;

/// Label, dashes, value; `None` where the listing leaves it out.
pub fn text<T>(field: &Field<T>, of: &T) -> Option<String> {
    let value = match field.listed_value(of)? {
        Shown::Absent | Shown::Quiet(_) => return None,
        Shown::Number(number) => number.to_string(),
        Shown::Text(text) => text,
        Shown::Code(code) => format!("X'{code:08X}'"),
        Shown::Is(true) => "(YES)".to_owned(),
        Shown::Is(false) => "(NO)".to_owned(),
        Shown::Null => "(NULL)".to_owned(),
    };
    Some(filled(field.width().unwrap_or(WIDTH), field.label(), &value))
}

/// The lines of a group: a row is left out when all its fields are.
pub fn lines<T>(group: &Group<T>, of: &T) -> Vec<String> {
    let texts = group
        .rows
        .iter()
        .map(|row| row.iter().filter_map(|field| text(field, of)));
    let lines = texts.map(|row| columns(&row.collect::<Vec<_>>()));
    lines.filter(|line| !line.is_empty()).collect()
}

/// Fields one beside the other, each where a column begins: a long field takes two columns.
pub fn columns(fields: &[String]) -> String {
    let line = fields.iter().fold(String::new(), |line, field| {
        let columns = field.len().div_ceil(STEP) * STEP;
        format!("{line}{field:columns$}")
    });
    line.trim_end().to_owned()
}

/// Label, dashes and value, `width` characters, or more when they do not suffice for one dash.
pub fn filled(width: usize, label: &str, value: &str) -> String {
    let dashes = width.saturating_sub(label.len() + value.len()).max(1);
    format!("{label}{}{value}", "-".repeat(dashes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_24_wide_and_keeps_a_dash() {
        let text = |label, value| {
            let field = Field::<u64>::new(label, |n| Shown::Number(*n), "");
            text(&field, &value).unwrap_or_default()
        };
        assert_eq!(text("KEYLEN", 11), "KEYLEN----------------11");
        assert_eq!(text("HI-A-RBA", 829_440), "HI-A-RBA----------829440");
        assert_eq!(text("REC-RETRIEVED", u64::MAX), "REC-RETRIEVED-18446744073709551615");
    }

    #[test]
    fn what_is_absent_or_says_nothing_new_is_not_listed() {
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
        assert_eq!(
            lines(&GROUP, &7),
            ["A----------------------7     B------------------(YES)"]
        );
    }
}
