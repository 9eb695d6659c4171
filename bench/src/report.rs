//! Tables for people and files for programs.

use std::fmt;
use std::path::Path;

use crate::json::Json;
use crate::peer::Result;

/// A table of text; the first column is set left, the others right.
pub struct Table {
    title: String,
    /// The last column is prose, set left.
    remarks: bool,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(title: &str, head: &[&str]) -> Table {
        Table {
            title: title.into(),
            remarks: false,
            rows: vec![head.iter().map(|text| text.to_string()).collect()],
        }
    }

    /// An empty table whose last column is prose.
    pub fn with_remarks(title: &str, head: &[&str]) -> Table {
        Table {
            remarks: true,
            ..Table::new(title, head)
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(String::len)
                .max()
        };
        writeln!(out, "{}", self.title)?;
        for row in &self.rows {
            let mut line = String::new();
            for column in 0..columns {
                let cell = row.get(column).map_or("", String::as_str);
                let width = width(column).unwrap_or(0);
                match column {
                    0 => line += &format!("  {cell:<width$}"),
                    _ if self.remarks && column + 1 == columns => line += &format!("  {cell}"),
                    _ => line += &format!("  {cell:>width$}"),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The middle value (the upper one of two); infinite for none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// Writes results to a file, if one was asked for.
pub fn save(file: Option<&str>, results: &Json) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    std::fs::write(Path::new(file), format!("{results}\n")).map_err(|error| format!("cannot write {file}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new("t", &["engine", "ns"]);
        table.row(vec!["lmdb".into(), "1141".into()]);
        table.row(vec!["x".into(), "7".into()]);
        assert_eq!(table.to_string(), "t\n  engine    ns\n  lmdb    1141\n  x          7\n");
    }

    #[test]
    fn median_is_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![]), f64::INFINITY);
    }
}
