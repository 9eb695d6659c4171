//! A report as one page that needs nothing beside it: no script, no file, no net.

use crate::plot::escaped;
use crate::report::{Cell, Report, Table};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

impl Report {
    /// The page.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        let drawn = self.plots.iter().filter(|plot| !plot.lines.is_empty());
        let drawn = drawn.map(|plot| (&plot.title, plot.svg()));
        let bars = self.bars.iter().map(|bars| (&bars.title, bars.svg()));
        out.push_str("<div class=\"plots\">\n");
        for (title, svg) in drawn.chain(bars) {
            // To a String none of these can fail.
            let _ = writeln!(out, "<figure><figcaption>{}</figcaption>", escaped(title));
            out.push_str(&svg);
            out.push_str("</figure>\n");
        }
        out.push_str("</div>\n");
        for table in &self.tables {
            table.html(&mut out);
        }
        if !self.notes.is_empty() {
            let _ = writeln!(out, "<p>{}</p>", escaped(&self.notes.join("\n")));
        }
        out.push_str("</body>\n</html>\n");
        out
    }
}

impl Table {
    fn html(&self, out: &mut String) {
        // To a String none of these can fail.
        let _ = writeln!(
            out,
            "<div class=\"table\"><table>\n<caption>{}</caption>",
            escaped(&self.title)
        );
        out.push_str("<tr><td></td>");
        for column in &self.columns {
            let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(column));
        }
        out.push_str("</tr>\n");
        for (row, cells) in &self.rows {
            let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escaped(row));
            for cell in cells {
                let class = if matches!(cell, Cell::Text(_)) {
                    " class=\"text\""
                } else {
                    ""
                };
                let _ = write!(out, "<td{class}>{}</td>", escaped(&cell.shown()));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</table></div>\n");
    }
}
