//! `cica-bench kill`: the open after a kill in the middle of updates or inserts, several times, each on a data set that was
//! just loaded.

use std::time::Duration;

use crate::files::{bytes_under, make_empty};
use crate::flags::Flags;
use crate::json::Json;
use crate::peer::Result;
use crate::plan::{not_zero, Plan};
use crate::report::{median, save, Table};

struct Kill {
    plan: Plan,
    rounds: u64,
    after: Duration,
    /// What is done meanwhile.
    order: String,
}

impl Kill {
    fn from_flags(mut flags: Flags) -> Result<Kill> {
        let plan = Plan::take(&mut flags, 1_000_000, |engine| engine.units)?;
        let order = match flags.take_text("work").as_deref() {
            None | Some("updates") => format!("raw-update {} 7", u64::MAX),
            Some("inserts") => format!("insert {}", plan.records),
            Some(other) => return Err(format!("--work cannot be '{other}'; it is updates or inserts")),
        };
        let kill = Kill {
            plan,
            rounds: flags.take("rounds", 3)?,
            after: Duration::from_millis(flags.take("kill-after-ms", 2000u64)?),
            order,
        };
        flags.finish()?;
        not_zero(&[("rounds", kill.rounds)])?;
        Ok(kill)
    }
}

/// One open, in milliseconds: by the clock, and of CPU.
type Open = (f64, f64);

/// `cica-bench kill`.
pub fn main(flags: Flags) -> Result<()> {
    let kill = Kill::from_flags(flags)?;
    let versions = kill.plan.versions()?;
    let how = format!(
        "{} rounds of '{}' for {} ms",
        kill.rounds,
        kill.order,
        kill.after.as_millis()
    );
    kill.plan.print_head("kill", &how, &versions);
    let mut all: Vec<(Vec<Open>, u64)> = vec![Default::default(); kill.plan.engines.len()];
    for _ in 0..kill.rounds {
        for (engine, (opens, bytes)) in all.iter_mut().enumerate() {
            let (open, left) = kill.round(engine)?;
            opens.push(open);
            *bytes = left;
        }
    }
    let head = ["engine", "median", "least", "most", "CPU of all threads", "MB left by the kill"];
    let mut table = Table::new("open after a kill, and the first record (milliseconds)", &head);
    let mut rows = Vec::new();
    for (engine, (opens, bytes)) in kill.plan.engines.iter().zip(&all) {
        let by_clock: Vec<f64> = opens.iter().map(|open| open.0).collect();
        let figures = [
            median(by_clock.clone()),
            by_clock.iter().copied().fold(f64::INFINITY, f64::min),
            by_clock.iter().copied().fold(0.0, f64::max),
            median(opens.iter().map(|open| open.1).collect()),
            *bytes as f64 / 1e6,
        ];
        let mut cells = vec![engine.name.to_string()];
        cells.extend(figures.map(|figure| format!("{figure:.0}")));
        table.row(cells);
        rows.push(Json::map([
            ("engine", Json::text(engine.name)),
            ("wall_ms", Json::List(by_clock.into_iter().map(Json::tenth).collect())),
            ("bytes_left", Json::whole(*bytes)),
        ]));
    }
    print!("\n{table}");
    let mut fields = kill.plan.json_head("kill", &versions);
    fields.push(("results".into(), Json::List(rows)));
    save(kill.plan.json.as_deref(), &Json::Map(fields))
}

impl Kill {
    fn round(&self, engine: usize) -> Result<(Open, u64)> {
        let mut worker = self.plan.start(self.plan.engines[engine])?;
        let dir = worker.dir().to_path_buf();
        worker.ask("load")?;
        worker.ask("open unsynced")?;
        worker.kill_during(&self.order, self.after)?;
        let left = bytes_under(&dir)?;
        let mut worker = worker.again()?;
        let measured = worker.measure("first-get unsynced")?;
        worker.finish()?;
        make_empty(&dir)?;
        let open = (measured.wall_per_op() / 1e6, measured.process_per_op() / 1e6);
        Ok((open, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_meanwhile_is_one_of_two() {
        let kill = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
            Kill::from_flags(Flags::parse(&words).unwrap())
        };
        assert!(kill("--dir /x").unwrap().order.starts_with("raw-update"));
        assert!(kill("--dir /x --work inserts").unwrap().order.starts_with("insert"));
        assert!(kill("--dir /x --work erases").err().unwrap().contains("erases"));
    }
}
