//! Tables of text that lose their less important columns where the screen is narrow.

use crate::terminal::in_a_line;

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

/// So much of a name is shown, whatever figures it costs.
const NAMED: usize = 16;

impl Table {
    /// One without rows. Columns of rank 1 stay longest.
    pub fn new(title: impl Into<String>, columns: &[(&'static str, u8)]) -> Table {
        Table {
            title: title.into(),
            columns: columns.iter().map(|&(head, rank)| Column { head, rank }).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row. What a cell says is shown in one line, whoever wrote it.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| in_a_line(cell)).collect());
    }

    /// As lines of at most so many columns. Where that is too narrow, names longer than half of the line are cut before
    /// figures are left out.
    pub fn lines(&self, columns: usize) -> Vec<String> {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let over = self.width(&shown, self.widest(0)).saturating_sub(columns);
        let mut first = self.widest(0) - over.min(self.widest(0).saturating_sub((columns / 2).max(NAMED)));
        while self.width(&shown, first) > columns && shown.len() > 1 {
            let least = shown[1..].iter().copied().max_by_key(|&at| (self.columns[at].rank, at));
            shown.retain(|&at| Some(at) != least);
        }
        // The room of a column that went is that of the names again.
        let spare = columns.saturating_sub(self.width(&shown, first));
        first = (first + spare).min(self.widest(0)).min(columns);
        let line = |cell: &dyn Fn(usize) -> String| {
            let cells = shown.iter().map(|&at| match at {
                0 => format!("{:<first$}", short(&cell(0), first)),
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

    /// Columns of a line with these of its parts, the first of them as wide as said.
    fn width(&self, shown: &[usize], first: usize) -> usize {
        let others = shown.iter().filter(|&&at| at != 0);
        first + others.map(|&at| self.widest(at) + 1).sum::<usize>()
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
    fn a_long_name_leaves_room_for_figures() {
        let mut table = Table::new("DATA SETS", &[("NAME", 0), ("RATE", 1), ("HITS", 2)]);
        table.row(vec!["A".repeat(44), "123".into(), "99".into()]);
        let lines = table.lines(40);
        assert!(lines[3].ends_with(" 123   99") && lines[3].len() == 40, "{lines:?}");
        assert_eq!(table.lines(80)[3].len(), 44 + 10);
    }

    #[test]
    fn a_name_does_not_steer_the_terminal() {
        let mut table = Table::new("JOBS", &[("JOB", 1), ("PID", 1)]);
        table.row(vec!["A\nB\x1b[2J".into(), "7".into()]);
        assert_eq!(table.lines(80)[3], "A.B.[2J   7");
    }

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
