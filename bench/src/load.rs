//! `cica-bench load`: loads of any size, for a disk that holds one engine's files at a time.
//!
//! Each round is done by every engine, each in a new process and an empty directory, which goes when it is done. Each
//! round begins with another engine.

use std::path::PathBuf;

use crate::clock::Measurement;
use crate::driver::Worker;
use crate::engines::{choose, Engine, ENGINES};
use crate::files::{bytes_under, make_empty};
use crate::flags::Flags;
use crate::json::Json;
use crate::machine;
use crate::peer::Result;
use crate::report::{save, Table};
use crate::series::{rounds_table, Series};

struct Plan {
    dir: PathBuf,
    records: u64,
    rounds: u64,
    batch: u64,
    cache_bytes: u64,
    engines: Vec<Engine>,
    json: Option<String>,
}

impl Plan {
    fn from_flags(mut flags: Flags) -> Result<Plan> {
        let all: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        let plan = Plan {
            dir: flags
                .take_text("dir")
                .ok_or("--dir names the directory to work in")?
                .into(),
            records: flags.take("records", 5_000_000)?,
            rounds: flags.take("rounds", 3)?,
            batch: flags.take("batch", 1000)?,
            cache_bytes: flags.take("cache-mib", 2048u64)? << 20,
            engines: choose(&flags.take_text("engines").unwrap_or_else(|| all.join(",")))?,
            json: flags.take_text("json"),
        };
        flags.finish()?;
        if plan.records == 0 || plan.rounds == 0 || plan.batch == 0 {
            return Err("--records, --rounds and --batch must not be 0".into());
        }
        Ok(plan)
    }
}

/// `cica-bench load`.
pub fn main(flags: Flags) -> Result<()> {
    let plan = Plan::from_flags(flags)?;
    println!(
        "load: {} records (16-byte key, 200-byte value), {} rounds, commit every {}, cache {} MiB",
        plan.records,
        plan.rounds,
        plan.batch,
        plan.cache_bytes >> 20
    );
    machine::describe()
        .iter()
        .for_each(|(name, value)| println!("  {name}: {value}"));
    let series = |engine: &Engine| Series {
        phase: "load".into(),
        engine: engine.name,
        rounds: Vec::new(),
    };
    let mut all: Vec<Series> = plan.engines.iter().map(series).collect();
    let mut bytes = vec![0; all.len()];
    for round in 0..plan.rounds as usize {
        for turn in 0..all.len() {
            let at = (turn + round) % all.len();
            let (measured, stored) = load(&plan, plan.engines[at])?;
            all[at].rounds.push(measured);
            bytes[at] = stored;
        }
    }
    print!("\n{}", rounds_table("sequential load (nanoseconds per record)", &all));
    print!("\n{}", summary(&plan, &all, &bytes));
    println!("\nload average at the end: {}", machine::load());
    save(plan.json.as_deref(), &to_json(&plan, &all, &bytes))
}

/// One load, and the bytes that it takes on the device.
fn load(plan: &Plan, engine: Engine) -> Result<(Measurement, u64)> {
    let mut worker = Worker::start(engine, &plan.dir, plan.records, plan.batch, plan.cache_bytes)?;
    let dir = worker.dir().to_path_buf();
    let measured = worker.measure("load")?;
    let stored = bytes_under(&dir)?;
    worker.finish()?;
    make_empty(&dir)?;
    Ok((measured, stored))
}

/// Is it an engine to be compared with?
fn is_peer(series: &&Series) -> bool {
    !series.engine.starts_with("cica") && series.engine != "none"
}

/// Each engine's least beside the best peer's.
fn summary(plan: &Plan, all: &[Series], bytes: &[u64]) -> Table {
    type Figure = fn(&Measurement) -> f64;
    let figures: [Figure; 3] = [
        Measurement::thread_per_op,
        Measurement::process_per_op,
        Measurement::wall_per_op,
    ];
    let best = |figure: Figure| {
        all.iter()
            .filter(is_peer)
            .map(|series| series.least(figure))
            .reduce(f64::min)
    };
    let head = [
        "engine",
        "by thread CPU",
        "by process CPU",
        "by the wall",
        "bytes a record",
    ];
    let mut table = Table::new("rate of the best peer's (more is better), and space", &head);
    for (series, bytes) in all.iter().zip(bytes) {
        let mut cells = vec![series.engine.to_string()];
        cells.extend(figures.map(|figure| match best(figure) {
            Some(best) => format!("{:.2}", best / series.least(figure).max(0.1)),
            None => "-".into(),
        }));
        cells.push(format!("{:.0}", *bytes as f64 / plan.records as f64));
        table.row(cells);
    }
    table
}

fn to_json(plan: &Plan, all: &[Series], bytes: &[u64]) -> Json {
    let sizes = all.iter().zip(bytes).map(|(series, &bytes)| {
        Json::map([
            ("engine", Json::text(series.engine)),
            ("bytes_after_load", Json::whole(bytes)),
        ])
    });
    Json::map([
        ("program", Json::text("load")),
        ("records", Json::whole(plan.records)),
        ("batch", Json::whole(plan.batch)),
        ("cache_bytes", Json::whole(plan.cache_bytes)),
        ("machine", machine::describe_json()),
        ("results", Json::List(all.iter().map(Series::to_json).collect())),
        ("space", Json::List(sizes.collect())),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_compared_with_the_best_peer_by_its_least() {
        let plan = Plan::from_flags(Flags::parse(&["--dir", "/x"].map(str::to_string)).unwrap()).unwrap();
        let round = |wall_ns| Measurement {
            ops: 10,
            thread_ns: wall_ns,
            process_ns: wall_ns,
            wall_ns,
        };
        let series = |engine, rounds: &[u64]| Series {
            phase: "load".into(),
            engine,
            rounds: rounds.iter().copied().map(round).collect(),
        };
        let all = [
            series("none", &[1]),
            series("lmdb", &[4000, 1000]),
            series("redb", &[2000]),
            series("cica", &[500, 800]),
        ];
        let table = summary(&plan, &all, &[0; 4]).to_string();
        let wall = table.lines().skip(2).filter_map(|line| line.split_whitespace().nth(3));
        assert_eq!(wall.skip(1).collect::<Vec<_>>(), ["1.00", "0.50", "2.00"]);
    }
}
