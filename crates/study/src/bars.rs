//! Bars of what was printed and what was found, case by case, as SVG.

use crate::plot::{escaped, shown, Scale};
use std::fmt::Write;

/// A picture of bars: a pair for each case.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// What the first of a pair is, and the second.
    pub names: [String; 2],
    /// Cases, with the figures as far as there are some.
    pub cases: Vec<(String, [Option<f64>; 2])>,
}

const WIDTH: f64 = 460.0;
/// Of a bar, of a case with two of them, and beside the field: left, right, above, below.
const BAR: f64 = 14.0;
const CASE: f64 = 42.0;
const MARGIN: [f64; 4] = [120.0, 46.0, 6.0, 24.0];
/// The line that says what the colors are.
const LEGEND: f64 = 22.0;

impl Bars {
    /// As an element of a page.
    pub fn svg(&self) -> String {
        let [left, right, above, below] = MARGIN;
        let most = self.cases.iter().flat_map(|(_, pair)| pair).flatten();
        let scale = Scale::to(most.copied().fold(0.0, f64::max));
        let long = |figure: f64| (WIDTH - left - right) * figure / scale.end;
        let foot = above + CASE * self.cases.len() as f64;
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n",
            foot + below + LEGEND,
            escaped(&self.title)
        );
        // To a String none of these can fail.
        for tick in scale.ticks() {
            let x = left + long(tick);
            let _ = writeln!(out, "<path class=\"grid\" d=\"M{x:.1} {above}V{foot}\"/>");
            let at = foot + 15.0;
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{at}\" class=\"along\">{}</text>",
                shown(tick)
            );
        }
        for (n, (case, pair)) in self.cases.iter().enumerate() {
            let top = above + CASE * n as f64 + (CASE - 2.0 * BAR) / 2.0;
            let (end, middle) = (left - 8.0, top + BAR + 4.0);
            let case = escaped(case);
            let _ = writeln!(out, "<text x=\"{end}\" y=\"{middle}\" class=\"up\">{case}</text>");
            for (at, figure) in pair.iter().enumerate() {
                let Some(figure) = figure else { continue };
                let y = top + BAR * at as f64;
                let (wide, high) = (long(*figure), BAR - 2.0);
                let name = escaped(&self.names[at]);
                let told = format!("<title>{case}, {name}: {}</title>", shown(*figure));
                let _ = writeln!(
                    out,
                    "<rect class=\"b{at}\" x=\"{left}\" y=\"{y}\" width=\"{wide:.1}\" height=\"{high}\">{told}</rect>"
                );
                let (x, y) = (left + wide + 4.0, y + high - 1.0);
                let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y}\">{}</text>", shown(*figure));
            }
        }
        for (at, name) in self.names.iter().enumerate() {
            let (x, y) = (left + 120.0 * at as f64, foot + below + 2.0);
            let _ = writeln!(
                out,
                "<rect class=\"b{at}\" x=\"{x}\" y=\"{y}\" width=\"14\" height=\"12\"/>"
            );
            let (x, y) = (x + 20.0, y + 11.0);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(name));
        }
        out.push_str("</svg>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_case_has_a_bar_for_each_figure_there_is() {
        let bars = Bars {
            title: "of tests".into(),
            names: ["then".into(), "now".into()],
            cases: vec![
                ("a<b".into(), [Some(50.0), Some(100.0)]),
                ("c".into(), [None, Some(25.0)]),
            ],
        };
        let svg = bars.svg();
        // Three bars, and two in the legend.
        assert_eq!(svg.matches("<rect").count(), 3 + 2);
        let field = WIDTH - MARGIN[0] - MARGIN[1];
        assert!(svg.contains(&format!("width=\"{:.1}\"", field / 4.0)) && svg.contains("c, now: 25"));
        assert!(svg.contains("a&lt;b, then: 50") && !svg.contains("a<b"));
    }
}
