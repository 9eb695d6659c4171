//! A batch step is a fresh process: it opens the data set, does its few thousand requests, closes and ends.
//!
//! The sizes are those of the 1979 comparison of VSAM with ISAM. Every run starts from the same loaded data set, whose
//! files are in the page cache and clean; what a step changed is durable when it ends. The driver times the process
//! from outside, from before the fork to the exit, engines taking turns in an order drawn anew for each round.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::time::Instant;

use crate::engines::{choose, Engine};
use crate::files::{copy_synced, make_empty};
use crate::flags::Flags;
use crate::json::Json;
use crate::machine;
use crate::peer::{Durability, Opening, Peer, Result};
use crate::phases::Work;
use crate::report::{median, save, Table};
use crate::strace::{self, Calls};
use crate::workload::{Random, STEP};

const RECORDS: u64 = 86_763;
const SEED: u64 = 1979;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Makes the data set.
    Load,
    /// Random reads.
    Read,
    /// Random reads, each written back.
    Update,
    /// Random inserts.
    Insert,
}

impl FromStr for Step {
    type Err = String;

    fn from_str(name: &str) -> Result<Step> {
        let known = [Step::Load, Step::Read, Step::Update, Step::Insert];
        known
            .into_iter()
            .find(|step| step.name() == name)
            .ok_or_else(|| format!("no step is called '{name}'"))
    }
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Step::Load => "load",
            Step::Read => "read",
            Step::Update => "update",
            Step::Insert => "insert",
        }
    }

    fn requests(self) -> u64 {
        match self {
            Step::Load => RECORDS,
            Step::Read => 4_520,
            Step::Update => 3_180,
            Step::Insert => 2_710,
        }
    }

    /// The step itself, in the engine's own process.
    pub fn run<P: Peer>(self, engine: &str, dir: &Path) -> Result<()> {
        let mut peer = P::open(&Opening {
            engine,
            dir,
            layout: STEP,
            create: self == Step::Load,
            read_only: self == Step::Read,
            durability: Durability::AtClose,
            cache_bytes: None,
        })?;
        // One commit, at the end.
        let work = Work {
            layout: STEP,
            loaded: RECORDS,
            batch: u64::MAX,
        };
        match self {
            Step::Load => work.load(&mut peer)?,
            Step::Read => work.get(&mut peer, self.requests(), SEED)?,
            Step::Update => work.rewrite(&mut peer, self.requests(), SEED)?,
            Step::Insert => work.insert(&mut peer, 0, self.requests())?,
        };
        peer.close()
    }
}

/// One timed process.
#[derive(Clone, Copy, Debug)]
struct Run {
    wall_us: f64,
    cpu_us: f64,
}

/// All runs of one step of one engine.
struct Series {
    engine: Engine,
    step: Step,
    runs: Vec<Run>,
    calls: Option<Calls>,
}

/// `cica-bench step`.
pub fn main(mut flags: Flags) -> Result<()> {
    let runs: u64 = flags.take("runs", 15)?;
    let dir = PathBuf::from(flags.take_text("dir").ok_or("--dir names the directory to work in")?);
    let mut engines = choose(
        &flags
            .take_text("engines")
            .unwrap_or_else(|| "none,lmdb,bdb,rocksdb,wiredtiger,sqlite,cica".into()),
    )?;
    engines.retain(|engine| engine.steps);
    let json = flags.take_text("json");
    flags.finish()?;
    if runs == 0 {
        return Err("--runs must not be 0".into());
    }

    println!("step: {RECORDS} records of 200 bytes; a new process per run, {runs} runs, engines taking turns");
    machine::describe()
        .iter()
        .for_each(|(name, value)| println!("  {name}: {value}"));
    for engine in &engines {
        let place = Place::new(&dir, engine);
        place.clear()?;
        time(engine, &place.loaded, Step::Load)?;
    }
    let mut all = Vec::new();
    for step in [Step::Read, Step::Update, Step::Insert] {
        let series = measure(&dir, &engines, step, runs)?;
        print!("\n{}", table(step, &series));
        all.extend(series);
    }
    println!("\nload average at the end: {}", machine::load());
    save(json.as_deref(), &to_json(&all))
}

fn measure(dir: &Path, engines: &[Engine], step: Step, runs: u64) -> Result<Vec<Series>> {
    let mut all: Vec<Series> = engines
        .iter()
        .map(|&engine| Series {
            engine,
            step,
            runs: Vec::new(),
            calls: None,
        })
        .collect();
    // Nobody always follows the one that leaves the caches as it wants them.
    let mut order: Vec<usize> = (0..engines.len()).collect();
    let mut random = Random::new(SEED);
    for _ in 0..runs {
        for left in (1..order.len()).rev() {
            order.swap(left, random.below(left as u64 + 1) as usize);
        }
        for &next in &order {
            let series = &mut all[next];
            let at = Place::new(dir, &series.engine).ready_for(step)?;
            series.runs.push(time(&series.engine, &at, step)?);
        }
    }
    for series in &mut all {
        let at = Place::new(dir, &series.engine).ready_for(step)?;
        let report = dir.join("strace.out");
        series.calls = strace::count(&report, &mut command(&series.engine, &at, step)?)?;
    }
    Ok(all)
}

/// Where an engine's data set lies: as loaded, and a copy to be changed.
struct Place {
    loaded: PathBuf,
    copy: PathBuf,
}

impl Place {
    fn new(dir: &Path, engine: &Engine) -> Place {
        Place {
            loaded: dir.join(format!("{}-loaded", engine.name)),
            copy: dir.join(format!("{}-copy", engine.name)),
        }
    }

    fn clear(&self) -> Result<()> {
        for dir in [&self.loaded, &self.copy] {
            make_empty(dir)?;
        }
        Ok(())
    }

    /// The directory for the next run. A writing step gets a fresh copy.
    fn ready_for(&self, step: Step) -> Result<PathBuf> {
        if step == Step::Read {
            return Ok(self.loaded.clone());
        }
        copy_synced(&self.loaded, &self.copy)?;
        Ok(self.copy.clone())
    }
}

fn command(engine: &Engine, dir: &Path, step: Step) -> Result<Command> {
    let mut command = Command::new(engine.path()?);
    command
        .args(["step", engine.name])
        .arg(dir)
        .arg(step.name())
        .stdin(Stdio::null());
    Ok(command)
}

fn time(engine: &Engine, dir: &Path, step: Step) -> Result<Run> {
    let mut command = command(engine, dir, step)?;
    let start = Instant::now();
    let child = command
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", engine.program))?;
    let (status, cpu_us) = wait(child)?;
    let wall_us = start.elapsed().as_nanos() as f64 / 1e3;
    match status {
        0 => Ok(Run { wall_us, cpu_us }),
        _ => Err(format!("{} failed in step {}", engine.name, step.name())),
    }
}

/// Waits for the child; its wait status and CPU time in microseconds, user and system.
fn wait(child: Child) -> Result<(i32, f64)> {
    let mut status = 0;
    // SAFETY: all zeros is a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child is ours and nobody else waits for it; both places are valid for the answer.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, &mut usage) };
    if waited < 0 {
        return Err(format!("cannot wait for a step: {}", std::io::Error::last_os_error()));
    }
    let micros = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    Ok((status, micros(usage.ru_utime) + micros(usage.ru_stime)))
}

impl Series {
    fn least(&self, field: impl Fn(&Run) -> f64) -> f64 {
        self.runs.iter().map(field).fold(f64::INFINITY, f64::min)
    }

    fn median(&self, field: impl Fn(&Run) -> f64) -> f64 {
        median(self.runs.iter().map(field).collect())
    }
}

fn table(step: Step, all: &[Series]) -> Table {
    let title = format!(
        "{} of {} records (milliseconds for the whole process)",
        step.name(),
        step.requests()
    );
    let mut table = Table::with_remarks(
        &title,
        &[
            "engine",
            "wall min",
            "wall median",
            "CPU min",
            "CPU median",
            "syscalls",
            "most frequent",
        ],
    );
    for series in all {
        let ms = |us: f64| format!("{:.2}", us / 1e3);
        let (total, most) = series
            .calls
            .as_ref()
            .map_or(("-".into(), String::new()), Calls::summary);
        table.row(vec![
            series.engine.name.into(),
            ms(series.least(|run| run.wall_us)),
            ms(series.median(|run| run.wall_us)),
            ms(series.least(|run| run.cpu_us)),
            ms(series.median(|run| run.cpu_us)),
            total,
            most,
        ]);
    }
    table
}

fn to_json(all: &[Series]) -> Json {
    let rows = all.iter().map(|series| {
        Json::map([
            ("step", Json::text(series.step.name())),
            ("requests", Json::whole(series.step.requests())),
            ("engine", Json::text(series.engine.name)),
            ("wall_us_min", Json::tenth(series.least(|run| run.wall_us))),
            ("wall_us_median", Json::tenth(series.median(|run| run.wall_us))),
            ("cpu_us_min", Json::tenth(series.least(|run| run.cpu_us))),
            ("cpu_us_median", Json::tenth(series.median(|run| run.cpu_us))),
            ("runs", Json::whole(series.runs.len() as u64)),
            (
                "syscalls",
                series.calls.as_ref().map_or(Json::Map(vec![]), Calls::to_json),
            ),
        ])
    });
    Json::map([
        ("program", Json::text("step")),
        ("records", Json::whole(RECORDS)),
        ("machine", machine::describe_json()),
        ("results", Json::List(rows.collect())),
    ])
}
