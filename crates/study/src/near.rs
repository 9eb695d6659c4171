//! How many modelled times are near those that were printed.

use crate::{Cell, Table};
use std::fmt::Write;

/// What is near, in percent.
const NEAR: f64 = 15.0;

/// Of tables with a column that says by how much the modelled times differ.
pub struct Near {
    what: String,
    /// Rows, and by how much each differs.
    rows: Vec<(String, f64)>,
}

impl Near {
    /// The rows of these tables that have both times.
    pub fn of(what: &str, tables: &[&Table], column: &str) -> Near {
        let mut rows = Vec::new();
        for table in tables {
            let at = table.columns.iter().position(|name| name == column);
            for (row, cells) in &table.rows {
                if let Some(Cell::Percent(percent)) = at.and_then(|at| cells.get(at)) {
                    rows.push((row.trim().to_owned(), *percent));
                }
            }
        }
        Near {
            what: what.into(),
            rows,
        }
    }

    fn outside(&self) -> impl Iterator<Item = &(String, f64)> {
        self.rows.iter().filter(|(_, percent)| percent.abs() > NEAR)
    }

    fn near(&self) -> usize {
        self.rows.len() - self.outside().count()
    }
}

/// How many of each kind and of all are near, and a line of those of each kind that are not. Nothing where no row has
/// both times.
pub fn words(kinds: &[Near]) -> Vec<String> {
    let mut first = format!("modelled seconds within {NEAR:.0} % of the printed ones:");
    for kind in kinds {
        // To a String it cannot fail.
        let _ = write!(first, " {} {} of {} rows,", kind.what, kind.near(), kind.rows.len());
    }
    let near: usize = kinds.iter().map(Near::near).sum();
    let all: usize = kinds.iter().map(|kind| kind.rows.len()).sum();
    if all == 0 {
        return Vec::new();
    }
    let _ = write!(first, " all together {near} of {all}.");
    let far = |kind: &Near| {
        let rows: Vec<String> = kind
            .outside()
            .map(|(row, percent)| format!("{row} {percent:+.0} %"))
            .collect();
        (!rows.is_empty()).then(|| format!("  not of {}: {}", kind.what, rows.join(", ")))
    };
    std::iter::once(first).chain(kinds.iter().filter_map(far)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_not_near_are_named() {
        let mut table = Table::new("runs", &["s", "differs"]);
        for (name, percent) in [("one", 15.0), ("two", -15.4), ("three", 0.0)] {
            table.row(name, vec![Cell::None, Cell::Percent(percent)]);
        }
        table.row("four", vec![Cell::None, Cell::None]);
        let kinds = [
            Near::of("this", &[&table], "differs"),
            Near::of("that", &[&table, &table], "differs"),
            Near::of("none", &[&table], "s"),
        ];
        assert_eq!(
            words(&kinds),
            [
                "modelled seconds within 15 % of the printed ones: this 2 of 3 rows, that 4 of 6 rows, none 0 of 0 rows, all \
                 together 6 of 9.",
                "  not of this: two -15 %",
                "  not of that: two -15 %, two -15 %",
            ]
        );
        assert!(words(&kinds[2..]).is_empty());
    }
}
