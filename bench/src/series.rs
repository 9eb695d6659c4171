//! The rounds of a phase: what is kept of them, and the figure that counts.

use crate::clock::Measurement;
use crate::json::Json;
use crate::report::Table;

/// The rounds of one phase of one engine.
#[derive(Clone)]
pub struct Series {
    /// What was done.
    pub phase: String,
    /// By whom.
    pub engine: &'static str,
    /// How each round went.
    pub rounds: Vec<Measurement>,
}

impl Series {
    /// The least of a figure.
    pub fn least(&self, field: impl Fn(&Measurement) -> f64) -> f64 {
        self.rounds.iter().map(field).fold(f64::INFINITY, f64::min)
    }

    /// The mean of a figure.
    pub fn mean(&self, field: impl Fn(&Measurement) -> f64) -> f64 {
        self.rounds.iter().map(field).sum::<f64>() / self.rounds.len().max(1) as f64
    }

    /// The figure to compare by. Rounds of a phase repeat the same work, and the least is the least disturbed; only
    /// inserts meet another file in each round (the first splits most), and all of them count.
    pub fn typical(&self, field: impl Fn(&Measurement) -> f64) -> f64 {
        match self.phase.as_str() {
            "insert" => self.mean(field),
            _ => self.least(field),
        }
    }

    /// Operations a second of the best round, on the wall.
    pub fn best_rate(&self) -> f64 {
        self.rounds.iter().map(Measurement::per_second).fold(0.0, f64::max)
    }

    /// The figures of all rounds.
    pub fn to_json(&self) -> Json {
        let rounds =
            |field: fn(&Measurement) -> f64| Json::List(self.rounds.iter().map(field).map(Json::tenth).collect());
        Json::map([
            ("phase", Json::text(&self.phase)),
            ("engine", Json::text(self.engine)),
            ("ops", Json::whole(self.rounds.first().map_or(0, |round| round.ops))),
            ("thread_ns", Json::tenth(self.typical(Measurement::thread_per_op))),
            ("process_ns", Json::tenth(self.typical(Measurement::process_per_op))),
            ("wall_ns", Json::tenth(self.typical(Measurement::wall_per_op))),
            ("thread_ns_rounds", rounds(Measurement::thread_per_op)),
            ("process_ns_rounds", rounds(Measurement::process_per_op)),
            ("wall_ns_rounds", rounds(Measurement::wall_per_op)),
        ])
    }
}

/// One phase of all engines.
pub fn rounds_table(title: &str, all: &[Series]) -> Table {
    let head = [
        "engine",
        "thread CPU min",
        "mean",
        "process CPU min",
        "mean",
        "wall min",
        "mean",
        "best rate/s",
    ];
    let mut table = Table::new(title, &head);
    for series in all {
        let mut cells = vec![series.engine.to_string()];
        for field in [
            Measurement::thread_per_op,
            Measurement::process_per_op,
            Measurement::wall_per_op,
        ] {
            cells.push(format!("{:.0}", series.least(field)));
            cells.push(format!("{:.0}", series.mean(field)));
        }
        cells.push(format!("{:.0}", series.best_rate()));
        table.row(cells);
    }
    table
}
