//! `cica-bench ops`: CPU per operation of all engines, in one run.
//!
//! Phases are interleaved: each round of a phase is done by every engine before the next round starts, and each round
//! starts with another engine. Workers wait between their turns, background work settled.

use crate::clock::Measurement;
use crate::driver::Worker;
use crate::flags::Flags;
use crate::json::Json;
use crate::machine;
use crate::peer::Result;
use crate::plan::{not_zero, Plan};
use crate::report::{save, Table};
use crate::series::{rounds_table, Series};
use crate::targets::{Figure, TARGETS};

const COMMIT_THREADS: [u64; 3] = [1, 8, 32];

struct Ops {
    plan: Plan,
    ops: u64,
    rounds: u64,
    commit_seconds: u64,
}

impl Ops {
    fn from_flags(mut flags: Flags) -> Result<Ops> {
        let ops = Ops {
            plan: Plan::take(&mut flags, 5_000_000, |_| true)?,
            ops: flags.take("ops", 1_000_000)?,
            rounds: flags.take("rounds", 3)?,
            commit_seconds: flags.take("commit-seconds", 3)?,
        };
        flags.finish()?;
        not_zero(&[("ops", ops.ops), ("rounds", ops.rounds)])?;
        Ok(ops)
    }

    /// Inserts of one round: no more than fit between the loaded records over all rounds.
    fn inserts(&self) -> u64 {
        self.ops.min(self.plan.records / self.rounds)
    }
}

/// Bytes on the device, after the load and after the inserts.
struct Space {
    engine: &'static str,
    loaded: u64,
    inserted: u64,
}

/// `cica-bench ops`.
pub fn main(flags: Flags) -> Result<()> {
    let ops = Ops::from_flags(flags)?;
    let plan = &ops.plan;
    let (mut workers, versions) = plan.start_all()?;
    let how = format!(
        "{} operations, {} rounds, commit every {}",
        ops.ops, ops.rounds, plan.batch
    );
    plan.print_head("ops", &how, &versions);

    let mut results = Vec::new();
    let loaded = run_phases(&ops, &mut workers, &mut results)?;
    // Reopened for durable commits; closing also brings to the files what an engine still held in memory. The scan
    // checks that it did, and fills the caches again.
    for worker in &mut workers {
        worker.ask("reopen")?;
        worker.ask("scan")?;
    }
    let inserted = space(&mut workers)?;
    let spaces: Vec<Space> = (plan.engines.iter().zip(loaded).zip(inserted))
        .map(|((engine, loaded), inserted)| Space {
            engine: engine.name,
            loaded,
            inserted,
        })
        .collect();
    print!("\n{}", space_table(&ops, &spaces));

    if ops.commit_seconds > 0 {
        run_commits(&ops, &mut workers, &mut results)?;
    }
    for worker in workers {
        worker.finish()?;
    }
    if let Some(table) = target_table(&results) {
        print!("\n{table}");
    }
    println!("\nload average at the end: {}", machine::load());
    save(plan.json.as_deref(), &to_json(plan, &versions, &results, &spaces))
}

/// All phases without waiting for the device; returns the space after the load.
fn run_phases(run: &Ops, workers: &mut [Worker], results: &mut Vec<Series>) -> Result<Vec<u64>> {
    let ops = run.ops;
    phase(workers, results, "load", run.rounds, |_| "load".into())?;
    let loaded = space(workers)?;
    phase(workers, results, "scan", run.rounds, |_| "scan".into())?;
    phase(workers, results, "get", run.rounds, |round| {
        format!("get {ops} {round}")
    })?;
    phase(workers, results, "update", run.rounds, |round| {
        format!("update {ops} {round}")
    })?;
    phase(workers, results, "insert", run.rounds, |_| {
        format!("insert {}", run.inserts())
    })?;
    phase(workers, results, "rescan", run.rounds, |_| "scan".into())?;
    Ok(loaded)
}

fn run_commits(ops: &Ops, workers: &mut [Worker], results: &mut Vec<Series>) -> Result<()> {
    let mut able: Vec<&mut Worker> = workers.iter_mut().filter(|worker| worker.engine.commits).collect();
    for threads in COMMIT_THREADS {
        println!(
            "\na 4 KiB write and sync takes {:.0} us now",
            machine::flush_us(&ops.plan.dir)?
        );
        let name = format!("commit-{threads}");
        let mut all = Vec::new();
        for worker in &mut able {
            let measured = worker.measure(&format!("commit {threads} {} {threads}", ops.commit_seconds))?;
            all.push(Series {
                phase: name.clone(),
                engine: worker.engine.name,
                rounds: vec![measured],
            });
        }
        print!("{}", commit_table(threads, &all));
        results.extend(all);
    }
    Ok(())
}

fn phase(
    workers: &mut [Worker],
    results: &mut Vec<Series>,
    name: &str,
    rounds: u64,
    order: impl Fn(u64) -> String,
) -> Result<()> {
    let mut all: Vec<Series> = workers
        .iter()
        .map(|worker| Series {
            phase: name.into(),
            engine: worker.engine.name,
            rounds: Vec::new(),
        })
        .collect();
    for round in 0..rounds {
        for turn in 0..workers.len() {
            let at = (turn + round as usize) % workers.len();
            all[at].rounds.push(workers[at].measure(&order(round))?);
        }
    }
    print!("\n{}", rounds_table(&title(name), &all));
    results.extend(all);
    Ok(())
}

fn space(workers: &mut [Worker]) -> Result<Vec<u64>> {
    workers
        .iter_mut()
        .map(|worker| {
            worker
                .ask("space")?
                .parse()
                .map_err(|_| format!("{}: no size", worker.engine.name))
        })
        .collect()
}

fn title(phase: &str) -> String {
    let what = match phase {
        "load" => "sequential load",
        "scan" => "full scan, after the load",
        "get" => "random get",
        "update" => "random update, not synced",
        "insert" => "random insert, not synced",
        "rescan" => "full scan, after the inserts",
        other => other,
    };
    format!("{what} (nanoseconds per record)")
}

fn commit_table(threads: u64, all: &[Series]) -> Table {
    let title = format!("durable commits of one updated record, {threads} threads");
    let head = ["engine", "commits/s", "thread CPU us/commit", "process CPU us/commit"];
    let mut table = Table::new(&title, &head);
    for series in all {
        table.row(vec![
            series.engine.to_string(),
            format!("{:.0}", series.best_rate()),
            format!("{:.1}", series.least(Measurement::thread_per_op) / 1e3),
            format!("{:.1}", series.least(Measurement::process_per_op) / 1e3),
        ]);
    }
    table
}

fn space_table(ops: &Ops, spaces: &[Space]) -> Table {
    let inserted = ops.inserts() * ops.rounds;
    let title = format!("bytes on the device per record (logs included); {inserted} inserts; the record has 216");
    let mut table = Table::new(&title, &["engine", "after load", "after inserts"]);
    for space in spaces {
        table.row(vec![
            space.engine.to_string(),
            format!("{:.0}", space.loaded as f64 / ops.plan.records as f64),
            format!("{:.0}", space.inserted as f64 / (ops.plan.records + inserted) as f64),
        ]);
    }
    table
}

/// Cica beside its promises, where it was measured.
fn target_table(results: &[Series]) -> Option<Table> {
    let find = |phase: &str, engine: &str| {
        results
            .iter()
            .find(|series| series.phase == phase && series.engine == engine)
    };
    let mut table = Table::new(
        "Cica against its targets",
        &["phase", "figure", "peer", "target", "measured", "met"],
    );
    let mut any = false;
    for target in TARGETS {
        let (Some(ours), Some(theirs)) = (find(target.phase, "cica"), find(target.phase, target.peer)) else {
            continue;
        };
        let (figure, measured) = match target.figure {
            Figure::ThreadCpu => (
                "thread CPU <=",
                ours.typical(Measurement::thread_per_op) / theirs.typical(Measurement::thread_per_op),
            ),
            Figure::Rate => ("rate >=", ours.best_rate() / theirs.best_rate()),
        };
        let met = if target.is_met(measured) { "yes" } else { "NO" };
        let cells = [target.phase, figure, target.peer].map(str::to_string).into_iter();
        let figures = [
            format!("{:.2}", target.ratio),
            format!("{measured:.2}"),
            met.to_string(),
        ];
        table.row(cells.chain(figures).collect());
        any = true;
    }
    any.then_some(table)
}

fn to_json(plan: &Plan, versions: &[String], results: &[Series], spaces: &[Space]) -> Json {
    let rows = results.iter().map(Series::to_json);
    let sizes = spaces.iter().map(|space| {
        Json::map([
            ("engine", Json::text(space.engine)),
            ("bytes_after_load", Json::whole(space.loaded)),
            ("bytes_after_inserts", Json::whole(space.inserted)),
        ])
    });
    let mut fields = plan.json_head("ops", versions);
    fields.push(("results".into(), Json::List(rows.collect())));
    fields.push(("space".into(), Json::List(sizes.collect())));
    Json::Map(fields)
}
