//! What was printed: tables that are part of the program.

/// A table with named columns.
#[derive(Debug, Clone)]
pub struct Figures {
    columns: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// A row of it.
#[derive(Debug, Clone, Copy)]
pub struct Printed<'f> {
    of: &'f Figures,
    cells: &'f [&'static str],
}

impl Figures {
    /// From lines with commas; those that begin with `#` are words about them, and the first of the others names the
    /// columns.
    pub fn of(text: &'static str) -> Figures {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let columns = lines.next().map(|line| line.split(',').collect()).unwrap_or_default();
        Figures {
            columns,
            rows: lines.map(|line| line.split(',').collect()).collect(),
        }
    }

    /// Its rows.
    pub fn rows(&self) -> impl Iterator<Item = Printed<'_>> {
        self.rows.iter().map(|cells| Printed { of: self, cells })
    }

    /// The row of which these columns have these values.
    pub fn find(&self, wanted: &[(&str, &str)]) -> Option<Printed<'_>> {
        self.rows()
            .find(|row| wanted.iter().all(|(column, value)| row.text(column) == *value))
    }
}

impl Printed<'_> {
    /// What stands in a column; nothing where the source is not legible, or has no such column.
    pub fn text(&self, column: &str) -> &'static str {
        let at = self.of.columns.iter().position(|known| *known == column);
        at.and_then(|at| self.cells.get(at)).copied().unwrap_or_default()
    }

    /// The same as a number.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }
}
