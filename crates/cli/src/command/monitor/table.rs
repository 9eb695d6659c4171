//! Tables of text that lose their less important columns where the screen is narrow.

/// A column: its head, and how important it is. The first column is always there.
pub struct Column {
    head: &'static str,
    rank: u8,
}

/// A table; all cells but those of the first column stand to the right.
pub struct Table {
    title: String,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// One without rows. Columns of rank 1 stay longest.
    pub fn new(title: impl Into<String>, columns: &[(&'static str, u8)]) -> Table {
        Table {
            title: title.into(),
            columns: columns.iter().map(|&(head, rank)| Column { head, rank }).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// As lines of at most so many columns; what is too long all the same is cut off.
    pub fn lines(&self, columns: usize) -> Vec<String> {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        while self.width(&shown) > columns && shown.len() > 1 {
            let least = shown[1..].iter().copied().max_by_key(|&at| (self.columns[at].rank, at));
            shown.retain(|&at| Some(at) != least);
        }
        // Where the first column alone leaves no room, its end goes.
        let over = self.width(&shown).saturating_sub(columns);
        let line = |cell: &dyn Fn(usize) -> String| {
            let cells = shown.iter().map(|&at| match at {
                0 => format!(
                    "{:<width$}",
                    short(&cell(0), self.widest(0) - over.min(self.widest(0))),
                    width = self.widest(0) - over.min(self.widest(0))
                ),
                _ => format!("{:>width$}", cell(at), width = self.widest(at)),
            });
            let line: String = cells.collect::<Vec<String>>().join(" ");
            short(line.trim_end_matches(' '), columns)
        };
        let mut lines = vec![String::new(), short(&self.title, columns)];
        if self.rows.is_empty() {
            lines.push(short("(none)", columns));
            return lines;
        }
        lines.push(line(&|at| self.columns[at].head.to_owned()));
        let rows = self.rows.iter();
        lines.extend(rows.map(|row| line(&|at| row.get(at).cloned().unwrap_or_default())));
        lines
    }

    fn widest(&self, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(at));
        let widths = cells.map(|cell| cell.chars().count());
        widths.max().unwrap_or(0).max(self.columns[at].head.len())
    }

    fn width(&self, shown: &[usize]) -> usize {
        shown.iter().map(|&at| self.widest(at) + 1).sum::<usize>() - 1
    }
}

/// What fits of a text.
pub fn short(text: &str, columns: usize) -> String {
    text.chars().take(columns).collect()
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn a_narrow_screen_has_the_columns_that_matter_most() {
        let mut table = Table::new("DATA SETS", &[("NAME", 1), ("MINOR", 3), ("GETS", 1), ("HITS", 2)]);
        table.row(["PAYROLL.MASTER", "x", "123", "99"].map(String::from).to_vec());
        let row = |columns| table.lines(columns)[3].clone();
        assert_eq!(row(80), "PAYROLL.MASTER     x  123   99");
        assert_eq!(row(26), "PAYROLL.MASTER  123   99");
        assert_eq!(row(20), "PAYROLL.MASTER  123");
        assert_eq!(row(10), "PAYROLL.MA");
        for columns in 1..60 {
            assert!(table.lines(columns).iter().all(|line| line.chars().count() <= columns));
            let empty = Table::new("DATA SETS", &[("NAME", 1)]).lines(columns);
            assert!(empty.iter().all(|line| line.chars().count() <= columns));
        }
        assert_eq!(Table::new("X", &[("A", 1)]).lines(80), ["", "X", "(none)"]);
    }
}
