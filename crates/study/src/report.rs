//! What a study found: tables of figures, as text for people, as CSV for spreadsheets, and as JSON.

use crate::bars::Bars;
use crate::plot::Plot;
use serde_json::{json, Value};
use std::fmt::Write;

/// What stands in a place of a table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cell {
    /// Nothing: nobody measured it.
    None,
    /// A word.
    Text(String),
    /// A number, with so many places behind the point.
    Number(f64, usize),
    /// So many percent more or less.
    Percent(f64),
}

/// A table: each row has a name and a cell for each column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What it is about.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<(String, Vec<Cell>)>,
}

/// All that a study found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The study, and what was run.
    pub title: String,
    /// Its tables.
    pub tables: Vec<Table>,
    /// What one must know to read them.
    pub notes: Vec<String>,
    /// Plots of them, for a page.
    pub plots: Vec<Plot>,
    /// Bars of them, for a page.
    pub bars: Vec<Bars>,
}

impl Cell {
    pub(crate) fn shown(&self) -> String {
        match self {
            Cell::None => "-".into(),
            Cell::Text(text) => text.clone(),
            Cell::Number(number, places) => format!("{number:.places$}"),
            // Nothing is not less than nothing.
            Cell::Percent(percent) if percent.abs() < 0.5 => "0 %".into(),
            Cell::Percent(percent) => format!("{percent:+.0} %"),
        }
    }

    fn value(&self) -> Value {
        match self {
            Cell::None => Value::Null,
            Cell::Text(text) => json!(text),
            Cell::Number(number, _) | Cell::Percent(number) => json!(number),
        }
    }
}

impl Table {
    /// One without rows.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Table {
        Table {
            title: title.into(),
            columns: columns.iter().map(|column| (*column).into()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, name: impl Into<String>, cells: Vec<Cell>) {
        self.rows.push((name.into(), cells));
    }

    fn text(&self, out: &mut String) {
        let name = self.rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let width = |n: usize| {
            let cells = self
                .rows
                .iter()
                .filter_map(|(_, cells)| Some(cells.get(n)?.shown().len()));
            cells.chain(self.columns.get(n).map(String::len)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut line = |name_of: &str, cells: &mut dyn Iterator<Item = String>| {
            let mut text = format!("{name_of:<name$}");
            for (cell, width) in cells.zip(&widths) {
                // To a String it cannot fail.
                let _ = write!(text, "  {cell:>width$}");
            }
            out.push_str(text.trim_end());
            out.push('\n');
        };
        line(&self.title, &mut std::iter::empty());
        line("", &mut self.columns.iter().cloned());
        for (row, cells) in &self.rows {
            line(row, &mut cells.iter().map(Cell::shown));
        }
    }

    fn json(&self) -> Value {
        let row = |(name, cells): &(String, Vec<Cell>)| {
            let mut row = serde_json::Map::new();
            row.insert("row".into(), json!(name));
            row.extend(self.columns.iter().cloned().zip(cells.iter().map(Cell::value)));
            Value::Object(row)
        };
        json!({"title": self.title, "rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }
}

impl Report {
    /// For people.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.title);
        for table in &self.tables {
            out.push('\n');
            table.text(&mut out);
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            // To a String it cannot fail.
            let _ = writeln!(out, "{note}");
        }
        out
    }

    /// A line for each cell: table, row, column, figure.
    pub fn csv(&self) -> String {
        let mut out = String::from("table,row,column,value\n");
        for table in &self.tables {
            for (row, cells) in &table.rows {
                for (column, cell) in table.columns.iter().zip(cells) {
                    let value = match cell {
                        Cell::None => String::new(),
                        Cell::Text(text) => quoted(text),
                        Cell::Number(number, _) | Cell::Percent(number) => number.to_string(),
                    };
                    // To a String it cannot fail.
                    let _ = writeln!(
                        out,
                        "{},{},{},{value}",
                        quoted(&table.title),
                        quoted(row),
                        quoted(column)
                    );
                }
            }
        }
        out
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let tables: Vec<Value> = self.tables.iter().map(Table::json).collect();
        json!({"title": self.title, "tables": tables, "notes": self.notes})
    }
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
