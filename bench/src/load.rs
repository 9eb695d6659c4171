//! `cica-bench load`: loads of any size, and requests behind them, for a disk that holds one engine's files at a time.
//!
//! Each round is done by every engine, each in a new process and an empty directory, which goes when it is done. Each
//! round begins with another engine.

use crate::clock::Measurement;
use crate::engines::Engine;
use crate::files::{bytes_under, make_empty};
use crate::flags::Flags;
use crate::json::Json;
use crate::machine;
use crate::peer::Result;
use crate::plan::{is_peer, not_zero, Plan};
use crate::report::{save, Table};
use crate::series::{rounds_table, Series};

/// What follows each load where `--ops` says how many: what it is called, its title, and the order.
const BEHIND: [(&str, &str, &str); 6] = [
    ("scan", "full scan, after the load", "scan"),
    ("get", "random get", "get OPS ROUND"),
    ("zipf", "get by Zipf's law", "zipf OPS ROUND"),
    ("update", "random update, not synced", "update OPS ROUND"),
    ("insert", "random insert, not synced", "insert OPS"),
    ("rescan", "full scan, after the inserts", "scan"),
];

struct Load {
    plan: Plan,
    rounds: u64,
    /// Requests of each kind behind a load.
    ops: u64,
}

impl Load {
    fn from_flags(mut flags: Flags) -> Result<Load> {
        let load = Load {
            plan: Plan::take(&mut flags, 5_000_000, |_| true)?,
            rounds: flags.take("rounds", 3)?,
            ops: flags.take("ops", 0)?,
        };
        flags.finish()?;
        not_zero(&[("rounds", load.rounds)])?;
        if load.ops > load.plan.records {
            return Err("--ops must not be more than --records".into());
        }
        Ok(load)
    }

    /// Name, title and order of each phase of a round.
    fn phases(&self, round: u64) -> Vec<(&'static str, &'static str, String)> {
        let mut phases = vec![("load", "sequential load", "load".to_string())];
        let behind = BEHIND.iter().filter(|_| self.ops > 0);
        phases.extend(behind.map(|&(name, title, order)| {
            let order = order.replace("OPS", &self.ops.to_string());
            (name, title, order.replace("ROUND", &round.to_string()))
        }));
        phases
    }
}

/// One engine's rounds of every phase, and the bytes that its last load took.
struct Loaded {
    engine: &'static str,
    phases: Vec<Series>,
    bytes: u64,
}

/// `cica-bench load`.
pub fn main(flags: Flags) -> Result<()> {
    let load = Load::from_flags(flags)?;
    let plan = &load.plan;
    let mut how = format!("{} rounds, commit every {}", load.rounds, plan.batch);
    if load.ops > 0 {
        how = format!("{} operations, {how}", load.ops);
    }
    let versions = plan.versions()?;
    plan.print_head("load", &how, &versions);
    let mut all: Vec<Loaded> = plan.engines.iter().map(|engine| load.none_yet(engine)).collect();
    for round in 0..load.rounds {
        for turn in 0..all.len() {
            let at = (turn + round as usize) % all.len();
            load.round(plan.engines[at], round, &mut all[at])?;
        }
    }
    for (place, (_, title, _)) in load.phases(0).iter().enumerate() {
        let of = |loaded: &Loaded| loaded.phases[place].clone();
        let series: Vec<Series> = all.iter().map(of).collect();
        print!(
            "\n{}",
            rounds_table(&format!("{title} (nanoseconds per record)"), &series)
        );
        print!("\n{}", compared(&series));
    }
    print!("\n{}", space_table(plan, &all));
    println!("\nload average at the end: {}", machine::load());
    save(plan.json.as_deref(), &to_json(plan, &versions, &all))
}

impl Load {
    fn none_yet(&self, engine: &Engine) -> Loaded {
        let series = |(name, ..): (&str, _, _)| Series {
            phase: name.into(),
            engine: engine.name,
            rounds: Vec::new(),
        };
        Loaded {
            engine: engine.name,
            phases: self.phases(0).into_iter().map(series).collect(),
            bytes: 0,
        }
    }

    /// One load, and what follows it.
    fn round(&self, engine: Engine, round: u64, loaded: &mut Loaded) -> Result<()> {
        let mut worker = self.plan.start(engine)?;
        let dir = worker.dir().to_path_buf();
        for ((name, _, order), series) in self.phases(round).into_iter().zip(&mut loaded.phases) {
            let measured = worker.measure(&order)?;
            // A run takes long, and a phase that fails ends it: what is known by then is said.
            eprintln!(
                "round {} of {}, {}: {name} {:.0} ns",
                round + 1,
                self.rounds,
                engine.name,
                measured.wall_per_op()
            );
            series.rounds.push(measured);
            if name == "load" {
                loaded.bytes = bytes_under(&dir)?;
            }
        }
        worker.finish()?;
        make_empty(&dir)
    }
}

/// Each engine beside the best peer.
fn compared(all: &[Series]) -> Table {
    type Figure = fn(&Measurement) -> f64;
    let figures: [Figure; 3] = [
        Measurement::thread_per_op,
        Measurement::process_per_op,
        Measurement::wall_per_op,
    ];
    let best = |figure: Figure| {
        all.iter()
            .filter(|series| is_peer(series.engine))
            .map(|series| series.typical(figure))
            .reduce(f64::min)
    };
    let head = ["engine", "by thread CPU", "by process CPU", "by the wall"];
    let mut table = Table::new("rate of the best peer's (more is better)", &head);
    for series in all {
        let mut cells = vec![series.engine.to_string()];
        cells.extend(figures.map(|figure| match best(figure) {
            Some(best) => format!("{:.2}", best / series.typical(figure).max(0.1)),
            None => "-".into(),
        }));
        table.row(cells);
    }
    table
}

fn space_table(plan: &Plan, all: &[Loaded]) -> Table {
    let title = "bytes on the device per record after the load; the record has 216";
    let mut table = Table::new(title, &["engine", "bytes"]);
    for loaded in all {
        let each = loaded.bytes as f64 / plan.records as f64;
        table.row(vec![loaded.engine.to_string(), format!("{each:.0}")]);
    }
    table
}

fn to_json(plan: &Plan, versions: &[String], all: &[Loaded]) -> Json {
    let results = all.iter().flat_map(|loaded| &loaded.phases).map(Series::to_json);
    let sizes = all.iter().map(|loaded| {
        Json::map([
            ("engine", Json::text(loaded.engine)),
            ("bytes_after_load", Json::whole(loaded.bytes)),
        ])
    });
    let mut fields = plan.json_head("load", versions);
    fields.push(("results".into(), Json::List(results.collect())));
    fields.push(("space".into(), Json::List(sizes.collect())));
    Json::Map(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_compared_with_the_best_peer() {
        let series = |engine, wall_ns| Series {
            phase: "load".into(),
            engine,
            rounds: vec![Measurement {
                ops: 10,
                wall_ns,
                ..Measurement::default()
            }],
        };
        let all = [
            series("none", 10),
            series("lmdb", 2000),
            series("rocksdb", 3000),
            series("cica", 1000),
        ];
        let last: Vec<String> = compared(&all)
            .to_string()
            .lines()
            .filter_map(|line| line.split_whitespace().last().map(str::to_string))
            .collect();
        assert_eq!(last[3..], ["1.00", "0.67", "2.00"]);
    }

    #[test]
    fn requests_follow_a_load_where_they_are_asked_for() {
        let load = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
            Load::from_flags(Flags::parse(&words).unwrap())
        };
        assert_eq!(load("--dir /x").unwrap().phases(0).len(), 1);
        let phases = load("--dir /x --ops 50").unwrap().phases(2);
        assert!(phases.iter().any(|(.., order)| order == "get 50 2"));
        assert!(load("--dir /x --records 10 --ops 11").is_err());
        assert!(load("--dir /x --rounds 0").err().unwrap().contains("--rounds"));
    }
}
