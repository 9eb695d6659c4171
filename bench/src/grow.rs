//! `cica-bench grow`: what a data set is like after it has grown, and what its end costs.
//!
//! Every engine lives through the same phases, each phase by all engines before the next one: load, scan, reads at
//! random and by Zipf's law, updates, inserts until there are 12 % and 50 % more records, a scan after each, updates
//! and inserts in units (transactions) of `--batch`, without and with waiting for the device, CLOSE, and the open after
//! a kill in the middle of updates. The space is watched all the time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Measurement;
use crate::driver::Worker;
use crate::files::bytes_under;
use crate::flags::Flags;
use crate::json::Json;
use crate::latency::Latency;
use crate::machine;
use crate::peer::Result;
use crate::plan::{is_peer, not_zero, Plan};
use crate::report::{save, Table};
use crate::workload::OPS;

/// How often the space of an engine at work is looked at.
const WATCH: Duration = Duration::from_millis(50);
/// Units of a synced phase, so that a slow device does not hold up the run.
const SYNCED_UNITS: u64 = 50;

struct Grow {
    plan: Plan,
    ops: u64,
    kill_after: Duration,
}

impl Grow {
    fn from_flags(mut flags: Flags) -> Result<Grow> {
        let grow = Grow {
            plan: Plan::take(&mut flags, 1_000_000, |engine| engine.units)?,
            ops: flags.take("ops", 200_000)?,
            kill_after: Duration::from_millis(flags.take("kill-after-ms", 2000u64)?),
        };
        flags.finish()?;
        not_zero(&[("ops", grow.ops)])?;
        if grow.plan.records < 100 {
            return Err("--records must be 100 at least".into());
        }
        match grow.plan.engines.iter().find(|engine| !engine.units) {
            Some(engine) => Err(format!(
                "{} has no transactions: it cannot take part in grow",
                engine.name
            )),
            None => Ok(grow),
        }
    }
}

/// What one engine did in one phase.
struct Row {
    phase: &'static str,
    engine: &'static str,
    measured: Measurement,
    latency: Option<Latency>,
}

/// Bytes on the device of one engine.
#[derive(Clone, Copy, Default)]
struct Space {
    loaded: u64,
    peak: u64,
    closed: u64,
    /// Records then.
    records: u64,
}

struct Run<'g> {
    grow: &'g Grow,
    workers: Vec<Worker>,
    rows: Vec<Row>,
    spaces: BTreeMap<&'static str, Space>,
}

/// `cica-bench grow`.
pub fn main(flags: Flags) -> Result<()> {
    let grow = Grow::from_flags(flags)?;
    let plan = &grow.plan;
    let (workers, versions) = plan.start_all()?;
    let how = format!("{} operations, units of {}", grow.ops, plan.batch);
    plan.print_head("grow", &how, &versions);
    let mut run = Run {
        grow: &grow,
        workers,
        rows: Vec::new(),
        spaces: BTreeMap::new(),
    };
    run.live()?;
    run.die()?;
    let space = run.space_table();
    print!("\n{space}");
    println!("\nload average at the end: {}", machine::load());
    save(plan.json.as_deref(), &run.to_json(&versions))
}

impl Run<'_> {
    fn live(&mut self) -> Result<()> {
        let (ops, &Plan { records, batch, .. }) = (self.grow.ops, &self.grow.plan);
        let (twelfth, half) = (records * 12 / 100, records / 2);
        let (in_units, synced) = (
            (ops / batch).max(1) * batch,
            SYNCED_UNITS.min((ops / batch).max(1)) * batch,
        );
        self.phase("load", "load")?;
        for worker in &mut self.workers {
            let space = self.spaces.entry(worker.engine.name).or_default();
            space.loaded = bytes_under(worker.dir())?;
        }
        self.phase("scan", "scan")?;
        self.phase("scan again", "scan")?;
        self.phase("random read", &format!("get {ops} 1"))?;
        self.phase("zipf read", &format!("zipf {ops} 2"))?;
        self.phase("update", &format!("update {ops} 3"))?;
        self.phase("insert 12 %", &format!("timed-insert {twelfth}"))?;
        self.phase("scan at 12 %", "scan")?;
        self.phase("insert 50 %", &format!("timed-insert {}", half - twelfth))?;
        self.phase("scan at 50 %", "scan")?;
        self.order("units on")?;
        self.phase("update in units", &format!("update {in_units} 4"))?;
        let left = records - half;
        let some = in_units.min(left / 2 / batch * batch).max(1);
        self.phase("insert in units", &format!("insert {some}"))?;
        self.order("open synced")?;
        self.order("scan")?;
        self.order("units on")?;
        self.phase("update in synced units", &format!("update {synced} 5"))?;
        let few = synced.min((left - some) / batch * batch).max(1);
        self.phase("insert in synced units", &format!("insert {few}"))?;
        self.order("units off")?;
        self.order("open unsynced")?;
        self.order("scan")?;
        // CLOSE with the changes of one phase in memory. The phase must not settle: a checkpoint would be the close.
        self.order(&format!("raw-update {ops} 6"))?;
        for space in self.spaces.values_mut() {
            space.records = records + half + some + few;
        }
        self.phase("close", "shut")?;
        for worker in &mut self.workers {
            let space = self.spaces.entry(worker.engine.name).or_default();
            space.closed = bytes_under(worker.dir())?;
        }
        Ok(())
    }

    /// Kills each engine in the middle of updates and times its next open, first read included.
    fn die(&mut self) -> Result<()> {
        let mut all = Vec::new();
        for mut worker in std::mem::take(&mut self.workers) {
            let engine = worker.engine.name;
            worker.ask("open unsynced")?;
            worker.kill_during(&format!("raw-update {} 7", u64::MAX), self.grow.kill_after)?;
            let mut worker = worker.again()?;
            let measured = worker.measure("first-get unsynced")?;
            worker.finish()?;
            all.push(Row {
                phase: "open after kill",
                engine,
                measured,
                latency: None,
            });
        }
        print!("\n{}", phase_table("open after kill", &all));
        self.rows.extend(all);
        Ok(())
    }

    fn order(&mut self, order: &str) -> Result<()> {
        self.workers
            .iter_mut()
            .try_for_each(|worker| worker.ask(order).map(drop))
    }

    fn phase(&mut self, phase: &'static str, order: &str) -> Result<()> {
        let mut all = Vec::new();
        for worker in &mut self.workers {
            let engine = worker.engine.name;
            let dir = worker.dir().to_path_buf();
            let (answer, peak) = watched(&dir, || worker.ask(order))?;
            let space = self.spaces.entry(engine).or_default();
            space.peak = space.peak.max(peak);
            let (measured, latency) = match answer.split_once('|') {
                Some((measured, latency)) => (measured.parse()?, Some(latency.parse()?)),
                None => (answer.parse()?, None),
            };
            all.push(Row {
                phase,
                engine,
                measured,
                latency,
            });
        }
        print!("\n{}", phase_table(phase, &all));
        self.rows.extend(all);
        Ok(())
    }

    fn space_table(&self) -> Table {
        let title = "bytes on the device over raw bytes (logs included)";
        let mut table = Table::new(title, &["engine", "after load", "peak while open", "after CLOSE"]);
        for engine in &self.grow.plan.engines {
            let space = self.spaces.get(engine.name).copied().unwrap_or_default();
            let over =
                |bytes: u64, records: u64| format!("{:.2}", bytes as f64 / (records * OPS.record as u64).max(1) as f64);
            table.row(vec![
                engine.name.into(),
                over(space.loaded, self.grow.plan.records),
                over(space.peak, space.records),
                over(space.closed, space.records),
            ]);
        }
        table
    }

    fn to_json(&self, versions: &[String]) -> Json {
        let rows = self.rows.iter().map(|row| {
            let mut fields = vec![
                ("phase".to_string(), Json::text(row.phase)),
                ("engine".to_string(), Json::text(row.engine)),
                ("ops".to_string(), Json::whole(row.measured.ops)),
                ("thread_ns".to_string(), Json::tenth(row.measured.thread_per_op())),
                ("process_ns".to_string(), Json::tenth(row.measured.process_per_op())),
                ("wall_ns".to_string(), Json::tenth(row.measured.wall_per_op())),
            ];
            if let Some(latency) = row.latency {
                let Latency {
                    p50,
                    p99,
                    p999,
                    longest,
                } = latency;
                for (name, value) in [("p50", p50), ("p99", p99), ("p999", p999), ("longest", longest)] {
                    fields.push((format!("{name}_ns"), Json::whole(value)));
                }
            }
            Json::Map(fields)
        });
        let sizes = self.spaces.iter().map(|(engine, space)| {
            Json::map([
                ("engine", Json::text(*engine)),
                ("records_at_close", Json::whole(space.records)),
                ("bytes_after_load", Json::whole(space.loaded)),
                ("bytes_at_peak", Json::whole(space.peak)),
                ("bytes_after_close", Json::whole(space.closed)),
            ])
        });
        let mut fields = self.grow.plan.json_head("grow", versions);
        let load = Json::text(machine::load());
        fields.push(("load_average_at_the_end".into(), load));
        fields.push(("results".into(), Json::List(rows.collect())));
        fields.push(("space".into(), Json::List(sizes.collect())));
        Json::Map(fields)
    }
}

/// Does something while the space of a directory is watched; the answer and the most there was.
fn watched<T>(dir: &Path, work: impl FnOnce() -> Result<T>) -> Result<(T, u64)> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| -> Result<u64> {
            let mut peak = 0;
            loop {
                let last = over.load(Ordering::Relaxed);
                peak = peak.max(bytes_under(dir)?);
                if last {
                    return Ok(peak);
                }
                std::thread::park_timeout(WATCH);
            }
        });
        let answer = work();
        over.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        let peak = watcher
            .join()
            .unwrap_or_else(|_| Err("the watcher of the space panicked".into()));
        Ok((answer?, peak?))
    })
}

/// One phase; a last column compares rates on the wall with the best engine that is not a Cica (more is better).
fn phase_table(phase: &str, all: &[Row]) -> Table {
    let whole = matches!(phase, "close" | "open after kill");
    let (unit, scale) = if whole {
        ("milliseconds", 1e6)
    } else {
        ("nanoseconds per record", 1.0)
    };
    let timed = all.iter().any(|row| row.latency.is_some());
    let mut head = vec!["engine", "thread CPU", "process CPU", "wall", "of the best peer"];
    if timed {
        head.extend(["p50 us", "p99 us", "p99.9 us", "longest ms"]);
    }
    let best = all
        .iter()
        .filter(|row| is_peer(row.engine))
        .map(|row| row.measured.wall_per_op())
        .fold(f64::INFINITY, f64::min);
    let mut table = Table::new(&format!("{phase} ({unit})"), &head);
    for row in all {
        let measured = &row.measured;
        let number = |nanoseconds: f64| match whole {
            true => format!("{:.1}", nanoseconds / scale),
            false => format!("{nanoseconds:.0}"),
        };
        let mut cells = vec![
            row.engine.to_string(),
            number(measured.thread_per_op()),
            number(measured.process_per_op()),
            number(measured.wall_per_op()),
            match best.is_finite() {
                true => format!("{:.2}", best / measured.wall_per_op().max(0.1)),
                false => "-".into(),
            },
        ];
        if let Some(latency) = row.latency {
            cells.extend([latency.p50, latency.p99, latency.p999].map(|ns| format!("{:.1}", ns as f64 / 1e3)));
            cells.push(format!("{:.1}", latency.longest as f64 / 1e6));
        }
        table.row(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_compared_with_the_best_that_is_no_cica() {
        let row = |engine, wall_ns| Row {
            phase: "scan",
            engine,
            measured: Measurement {
                ops: 10,
                wall_ns,
                ..Measurement::default()
            },
            latency: None,
        };
        let table = phase_table(
            "scan",
            &[row("none", 1), row("lmdb", 1000), row("redb", 2000), row("cica", 500)],
        );
        let last: Vec<String> = table
            .to_string()
            .lines()
            .skip(2)
            .filter_map(|line| line.split_whitespace().last().map(str::to_string))
            .collect();
        assert_eq!(last[1..], ["1.00", "0.50", "2.00"]);
    }

    #[test]
    fn who_has_no_transactions_is_refused() {
        let flags = Flags::parse(&["--dir", "/x", "--engines", "bdb"].map(str::to_string)).unwrap();
        assert!(Grow::from_flags(flags).err().unwrap().contains("bdb"));
    }
}
