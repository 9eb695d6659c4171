//! Plots of what a study found by the number of buffers, as SVG that needs nothing beside it.

use std::fmt::Write;

/// A plot: lines over a number of buffers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// Lines.
    pub lines: Vec<PlotLine>,
    /// Ten times as many buffers are as far from each other wherever they are.
    pub by_tens: bool,
    /// What the numbers across are; where it does not say so data buffers.
    pub across: String,
}

/// A line of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotLine {
    /// Its name.
    pub name: String,
    /// Which of the things that are compared: they have a color each.
    pub color: usize,
    /// It is drawn in dashes: what was printed, and the processor where elapsed time is beside it.
    pub dashed: bool,
    /// Buffers and what was found with them.
    pub points: Vec<(f64, f64)>,
}

/// What a study found with a number of buffers.
#[derive(Debug, Clone)]
pub struct ByBuffers {
    /// Of what.
    pub of: String,
    /// Data buffers.
    pub buffers: f64,
    /// As printed, and counted here.
    pub excps: [Option<f64>; 2],
    /// Seconds, as printed, and modelled of the requests made here.
    pub elapsed: [Option<f64>; 2],
    /// Seconds of the processor, as printed, and modelled.
    pub cpu: [Option<f64>; 2],
    /// Milliseconds here: elapsed, and of the processor.
    pub here: [f64; 2],
}

/// A plot of each of the figures.
pub fn plots(title: &str, found: &[ByBuffers]) -> Vec<Plot> {
    type Of = fn(&ByBuffers) -> [Option<f64>; 2];
    let all: [(&str, [&str; 2], Of); 4] = [
        ("EXCPs", ["then", "now"], |by| by.excps),
        ("elapsed then, s", ["printed", "modelled"], |by| by.elapsed),
        ("CPU then, s", ["printed", "fitted"], |by| by.cpu),
        ("here, ms", ["CPU", "elapsed"], |by| {
            [Some(by.here[1]), Some(by.here[0])]
        }),
    ];
    all.into_iter()
        .map(|(what, names, of)| Plot {
            title: format!("{title}: {what}"),
            lines: lines(found, names, of),
            ..Plot::default()
        })
        .collect()
}

/// Two lines for each thing that is compared, as far as it has points.
fn lines(found: &[ByBuffers], names: [&str; 2], of: impl Fn(&ByBuffers) -> [Option<f64>; 2]) -> Vec<PlotLine> {
    let mut things: Vec<&str> = Vec::new();
    for by in found {
        if !things.contains(&&by.of[..]) {
            things.push(&by.of);
        }
    }
    let mut lines = Vec::new();
    for (color, thing) in things.into_iter().enumerate() {
        for (at, name) in names.into_iter().enumerate() {
            let own = found.iter().filter(|by| by.of == thing);
            let points: Vec<(f64, f64)> = own.filter_map(|by| Some((by.buffers, of(by)[at]?))).collect();
            if !points.is_empty() {
                lines.push(PlotLine {
                    name: format!("{thing}, {name}"),
                    color,
                    dashed: at == 0,
                    points,
                });
            }
        }
    }
    lines
}

/// Colors that the page has.
const COLORS: usize = 3;
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
/// Beside the field: left, right, above, below.
const MARGIN: [f64; 4] = [62.0, 24.0, 10.0, 36.0];
/// A line of the legend.
const LEGEND: f64 = 18.0;

impl Plot {
    /// As an element of a page.
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let right = Across::to(points().map(|point| point.0).fold(0.0, f64::max), self.by_tens);
        let up = Scale::to(points().map(|point| point.1).fold(0.0, f64::max));
        let [left, beside, above, below] = MARGIN;
        let (wide, high) = (WIDTH - left - beside, HEIGHT - above - below);
        let place = |&(x, y): &(f64, f64)| (left + wide * right.part(x), above + high * (1.0 - y / up.end));
        let all = HEIGHT + LEGEND * self.lines.len().div_ceil(2) as f64;
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {all}\" role=\"img\" aria-label=\"{}\">\n",
            escaped(&self.title)
        );
        // To a String none of these can fail.
        for tick in up.ticks() {
            let (_, y) = place(&(0.0, tick));
            let (end, text) = (WIDTH - beside, left - 6.0);
            let _ = writeln!(out, "<path class=\"grid\" d=\"M{left} {y:.1}H{end}\"/>");
            let _ = writeln!(
                out,
                "<text x=\"{text}\" y=\"{:.1}\" class=\"up\">{}</text>",
                y + 4.0,
                shown(tick)
            );
        }
        for tick in right.ticks() {
            let (x, y) = place(&(tick, 0.0));
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" class=\"along\">{}</text>",
                y + 15.0,
                shown(tick)
            );
        }
        let across = match &self.across[..] {
            "" => "data buffers",
            said => said,
        };
        let (middle, foot) = (left + wide / 2.0, HEIGHT - 6.0);
        let _ = writeln!(
            out,
            "<text x=\"{middle}\" y=\"{foot}\" class=\"along\">{}</text>",
            escaped(across)
        );
        for line in &self.lines {
            let way: Vec<String> = line
                .points
                .iter()
                .map(place)
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            let class = line.class();
            let _ = writeln!(out, "<polyline class=\"{class}\" points=\"{}\"/>", way.join(" "));
            for point in &line.points {
                let (x, y) = place(point);
                let told = format!("{}: {} at {} {across}", line.name, shown(point.1), point.0);
                let _ = writeln!(
                    out,
                    "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>",
                    escaped(&told)
                );
            }
        }
        for (at, line) in self.lines.iter().enumerate() {
            let (x, y) = (
                left + (at % 2) as f64 * wide / 2.0,
                HEIGHT + LEGEND * (at / 2) as f64 + 8.0,
            );
            let class = line.class();
            let _ = writeln!(out, "<path class=\"{class}\" d=\"M{x} {y}h24\"/>");
            let (beside, middle) = (x + 30.0, y + 4.0);
            let _ = writeln!(
                out,
                "<text x=\"{beside}\" y=\"{middle}\">{}</text>",
                escaped(&line.name)
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

impl PlotLine {
    fn class(&self) -> String {
        let way = if self.dashed { "dashed" } else { "whole" };
        format!("c{} {way}", self.color % COLORS)
    }
}

/// The numbers of buffers.
enum Across {
    Even(Scale),
    /// From 1 on, to so many.
    Tens(f64),
}

impl Across {
    fn to(most: f64, by_tens: bool) -> Across {
        if by_tens {
            Across::Tens(10f64.powf(most.max(10.0).log10().ceil()))
        } else {
            Across::Even(Scale::to(most))
        }
    }

    /// How far a number is to the right, from 0 to 1.
    fn part(&self, x: f64) -> f64 {
        match self {
            Across::Even(scale) => x / scale.end,
            Across::Tens(end) => x.max(1.0).log10() / end.log10(),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        match self {
            Across::Even(scale) => scale.ticks().collect(),
            Across::Tens(end) => (0..=end.log10().round() as i32).map(|at| 10f64.powi(at)).collect(),
        }
    }
}

/// From 0 to a round number.
pub struct Scale {
    /// That number.
    pub end: f64,
    step: f64,
}

impl Scale {
    /// One that reaches to `most`, with six steps at most.
    pub fn to(most: f64) -> Scale {
        let most = if most > 0.0 { most } else { 1.0 };
        let ten = 10f64.powf((most / 6.0).log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * ten);
        let step = round.into_iter().find(|step| most / step <= 6.0).unwrap_or(10.0 * ten);
        let end = step * (most / step).ceil();
        Scale { end, step }
    }

    /// Where a line stands.
    pub fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        (0..=(self.end / self.step).round() as usize).map(|at| at as f64 * self.step)
    }
}

/// A number with a comma for each thousand, and places where it is small.
pub fn shown(number: f64) -> String {
    if number.abs() < 10.0 && number.fract() != 0.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Text as a page has it.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_a_round_number_above_all() {
        let of = |most| (Scale::to(most).end, Scale::to(most).ticks().count());
        assert_eq!(
            [of(108.0), of(11_713.0), of(32.0), of(0.0)].map(|(end, _)| end),
            [120.0, 12_000.0, 40.0, 1.0]
        );
        for most in [0.3, 1.0, 7.0, 49.0, 51.0, 999.0, 25_630.0] {
            let (end, ticks) = of(most);
            assert!(end >= most && (2..=7).contains(&ticks), "{most}: {end} {ticks}");
        }
        assert_eq!(
            [1_234_567.0, 999.0, 0.25, 3.0].map(shown),
            ["1,234,567", "999", "0.2", "3"]
        );
    }

    #[test]
    fn by_tens_each_ten_times_is_as_wide() {
        let across = Across::to(1000.0, true);
        assert_eq!(across.ticks(), [1.0, 10.0, 100.0, 1000.0]);
        let parts = [1.0, 10.0, 100.0, 1000.0].map(|x| (3.0 * across.part(x)).round());
        assert_eq!(parts, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(Across::to(108.0, false).part(60.0), 0.5);
    }

    #[test]
    fn a_plot_has_a_line_for_what_was_printed_and_what_was_found() {
        let by = |of: &str, buffers, then, now| ByBuffers {
            of: of.into(),
            buffers,
            excps: [then, Some(now)],
            elapsed: [None; 2],
            cpu: [None; 2],
            here: [1.0, 2.0],
        };
        let found = [
            by("a<b", 2.0, Some(10.0), 9.0),
            by("a<b", 4.0, None, 5.0),
            by("c", 2.0, None, 1.0),
        ];
        let plots = plots("of tests", &found);
        let excps = &plots[0];
        let names: Vec<&str> = excps.lines.iter().map(|line| &line.name[..]).collect();
        assert_eq!(names, ["a<b, then", "a<b, now", "c, now"]);
        assert_eq!(excps.lines[1].points, [(2.0, 9.0), (4.0, 5.0)]);
        let svg = excps.svg();
        assert_eq!(svg.matches("<polyline").count(), 3);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("a&lt;b, now: 5 at 4 data buffers") && !svg.contains("a<b"));
        assert!(plots[1].lines.is_empty() && plots[3].lines.len() == 4);
    }
}
