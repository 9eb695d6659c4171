//! Just enough JSON to write results down.

use std::fmt;

/// A JSON value.
pub enum Json {
    /// A number; not finite is written as null.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, in the order given.
    Map(Vec<(String, Json)>),
}

impl Json {
    /// An object of literal names.
    pub fn map<const N: usize>(fields: [(&str, Json); N]) -> Json {
        Json::Map(
            fields
                .into_iter()
                .map(|(name, value)| (name.to_string(), value))
                .collect(),
        )
    }

    /// A whole number (exact below 2^53).
    pub fn whole(number: u64) -> Json {
        Json::Number(number as f64)
    }

    /// A number with one decimal.
    pub fn tenth(number: f64) -> Json {
        Json::Number((number * 10.0).round() / 10.0)
    }

    /// A string.
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    fn write(&self, out: &mut fmt::Formatter, indent: usize) -> fmt::Result {
        match self {
            Json::Number(number) if number.is_finite() => write!(out, "{number}"),
            Json::Number(_) => write!(out, "null"),
            Json::Text(text) => write_string(out, text),
            Json::List(items) => write_lines(out, '[', ']', items.iter(), indent, |out, item| {
                item.write(out, indent + 1)
            }),
            Json::Map(fields) => write_lines(out, '{', '}', fields.iter(), indent, |out, (name, value)| {
                write_string(out, name)?;
                write!(out, ": ")?;
                value.write(out, indent + 1)
            }),
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        self.write(out, 0)
    }
}

fn write_lines<T>(
    out: &mut fmt::Formatter,
    open: char,
    close: char,
    items: impl Iterator<Item = T>,
    indent: usize,
    each: impl Fn(&mut fmt::Formatter, T) -> fmt::Result,
) -> fmt::Result {
    write!(out, "{open}")?;
    let mut any = false;
    for item in items {
        write!(
            out,
            "{}\n{:width$}",
            if any { "," } else { "" },
            "",
            width = indent * 2 + 2
        )?;
        each(out, item)?;
        any = true;
    }
    if any {
        write!(out, "\n{:width$}", "", width = indent * 2)?;
    }
    write!(out, "{close}")
}

fn write_string(out: &mut fmt::Formatter, text: &str) -> fmt::Result {
    write!(out, "\"")?;
    for c in text.chars() {
        match c {
            '"' => write!(out, "\\\"")?,
            '\\' => write!(out, "\\\\")?,
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32)?,
            c => write!(out, "{c}")?,
        }
    }
    write!(out, "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_a_parser_reads() {
        let value = Json::map([
            ("name", Json::text("a \"b\"\\\n")),
            (
                "runs",
                Json::List(vec![Json::whole(5_000_000), Json::tenth(1.26), Json::Number(f64::NAN)]),
            ),
            ("empty", Json::List(vec![])),
        ]);
        let flat: String = value.to_string().split('\n').map(str::trim).collect();
        assert_eq!(
            flat,
            r#"{"name": "a \"b\"\\\u000a","runs": [5000000,1.3,null],"empty": []}"#
        );
    }
}
