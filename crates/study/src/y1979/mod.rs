//! VSAM in 1979, on a 3330-1: one option at a time.

mod file;
mod isam;
mod isam_time;
mod many;
mod splits;
mod splits_today;
mod steps;
mod today;

use crate::device_time::{follow, DiskTimes, OnDisk, Processor};
use crate::figures::{Figures, Printed};
use crate::measure::{timed, Took};
use crate::plot::{self, ByBuffers};
use crate::{contest, while_doing, Cell, Report, Setting, StudyError, Table};
use cica::Store;
use cica_engine::{Buffering, DataSet};
use file::{Shape, BASE, RECORDS};
use steps::Step;

/// What a run of the study changed of its base case.
struct Run {
    name: &'static str,
    shape: Shape,
    /// BUFND of the sequential steps and BUFNI of the others.
    bufnd: u16,
    bufni: u16,
    steps: &'static [Step],
}

const ALL: &[Step] = &[Step::Load, Step::Scan, Step::Read, Step::Update, Step::Insert];

const RUNS: [Run; 7] = [
    Run {
        name: "VSAM1",
        shape: BASE,
        bufnd: 2,
        bufni: 1,
        steps: ALL,
    },
    Run {
        name: "VSAMB",
        shape: BASE,
        bufnd: 109,
        bufni: 1,
        steps: &[Step::Load, Step::Scan],
    },
    Run {
        name: "VSAMC",
        shape: BASE,
        bufnd: 2,
        bufni: 4,
        steps: ALL,
    },
    Run {
        name: "VSAMT",
        shape: Shape {
            ci_size: 12_288,
            ..BASE
        },
        bufnd: 2,
        bufni: 1,
        steps: ALL,
    },
    Run {
        name: "VSAMW",
        shape: Shape {
            write_check: true,
            ..BASE
        },
        bufnd: 2,
        bufni: 1,
        steps: &[Step::Load, Step::Update, Step::Insert],
    },
    Run {
        name: "VSAMRC",
        shape: Shape { recovery: true, ..BASE },
        bufnd: 2,
        bufni: 1,
        steps: &[Step::Load],
    },
    Run {
        name: "VSAMO",
        shape: Shape { ci_size: 4096, ..BASE },
        // How many the study took, it does not say; its index has more records than three buffers hold.
        bufnd: 24,
        bufni: 8,
        steps: ALL,
    },
];

/// Makes all of it.
pub fn run(setting: &Setting) -> Result<Report, StudyError> {
    let store = file::store(setting)?;
    let (runs, (buffers, found)) = (runs(&store)?, buffers(&store)?);
    let (splits, bars) = splits::table(&store)?;
    let mut tables = vec![runs, isam::table(&setting.directory)?, buffers, splits];
    drop(store);
    let many = many::Many::measured(setting)?;
    tables.push(many.table());
    let (split, split_words) = splits_today::measured(setting)?;
    tables.push(split);
    let contests = today::contests(setting)?;
    tables.extend(contest::tables(&contests));
    let notes = NOTES.iter().map(|note| (*note).into());
    Ok(Report {
        title: "VSAM on a 3330-1 and a System/370 158, 1979 (GG22-9022-00), and here".into(),
        tables,
        notes: notes
            .chain(many.words())
            .chain(split_words)
            .chain(contest::words(&contests, Some(today::HAD)))
            .collect(),
        plots: plot::plots("buffers", &found).into_iter().chain(many.plots()).collect(),
        bars,
    })
}

const NOTES: [&str; 10] = [
    "then: as printed in 1979, in EXCPs and seconds. now: requests to the files that this run made, each of one or many CIs.",
    "modelled: the time that these requests would have taken on a 3330-1 and a 158, arm and rotation followed from one to the next.",
    "Loads: VSAM made one or two requests more for each control area, which the source does not name.",
    "VSAM1 random read: the source has the figure of the update; three requests for each of 4,520 reads are 13,560.",
    "VSAMO: how many buffers it had the source does not say.",
    "CA splits: one takes more requests than then; the source does not say which it made.",
    "CA split + extent: 51 requests more then, for the catalog. Here the file system gives the extent.",
    "ISAM: programs are channel programs that were made; those that an appendage starts are no EXCPs, as SMF did not see them.",
    "ISAM inserts: modelled are the programs whose EXCPs were counted; the printed times leave room for turns that were not.",
    "The steps are made natively; in 1979 COBOL programs made them through the ISAM interface program.",
];

const COLUMNS: [&str; 9] = [
    "requests",
    "then",
    "now",
    "differs",
    "s then",
    "s modelled",
    "s differ",
    "CPU ms",
    "ms",
];

/// The runs.
fn runs(store: &Store) -> Result<Table, StudyError> {
    let printed = Figures::of(include_str!("runs.csv"));
    let mut table = Table::new("the runs: one option at a time", &COLUMNS);
    for run in &RUNS {
        let name = format!("STUDY.{}", run.name);
        file::define(store, &name, run.shape)?;
        for &step in run.steps {
            let buffers = Buffering {
                data: Some(run.bufnd),
                index: Some(run.bufni),
                traced: true,
                ..Buffering::default()
            };
            let found = one(store, &name, step, run.shape, Some(buffers))?;
            let then = printed.find(&[("run", run.name), ("step", step.letters()), ("pass", "1")]);
            let number = |column| then.as_ref().and_then(|row: &Printed<'_>| row.number(column));
            let title = format!("{} {}", run.name, step.title());
            table.row(title, found.cells(number("excps"), number("elapsed")));
        }
        store.delete(&name).map_err(while_doing(&name))?;
    }
    Ok(table)
}

/// The table of buffers, and what is in it.
fn buffers(store: &Store) -> Result<(Table, Vec<ByBuffers>), StudyError> {
    let printed = Figures::of(include_str!("buffers.csv"));
    let name = "STUDY.BUFFERS";
    let mut table = Table::new("sequential processing by the number of data buffers", &COLUMNS);
    let mut all = Vec::new();
    for row in printed.rows() {
        let asked = Buffering {
            data: row.number("bufnd").map(|n| n as u16),
            traced: true,
            ..Buffering::default()
        };
        file::define(store, name, BASE)?;
        for (step, what) in [(Step::Load, "write"), (Step::Scan, "read")] {
            let found = one(store, name, step, BASE, Some(asked))?;
            let number = |column: &str| row.number(&format!("{what}_{column}"));
            let title = format!("BUFND {:3} {}", row.text("bufnd"), step.title());
            table.row(title, found.cells(number("excps"), number("elapsed")));
            all.push(ByBuffers {
                of: what.into(),
                buffers: row.number("bufnd").unwrap_or_default(),
                excps: [number("excps"), Some(found.excps as f64)],
                elapsed: [number("elapsed"), found.modelled],
                cpu: [number("cpu"), None],
                here: [found.took.elapsed / 1e6, found.took.cpu / 1e6],
            });
        }
        store.delete(name).map_err(while_doing(name))?;
    }
    Ok((table, all))
}

/// What a step came to.
struct Found {
    requests: u64,
    excps: u64,
    modelled: Option<f64>,
    took: Took,
}

impl Found {
    /// Beside what was printed.
    fn cells(&self, then: Option<f64>, elapsed: Option<f64>) -> Vec<Cell> {
        let whole = |number: Option<f64>| number.map_or(Cell::None, |number| Cell::Number(number, 0));
        let seconds = |number: Option<f64>| number.map_or(Cell::None, |number| Cell::Number(number, 2));
        let differs = |now: Option<f64>, then: Option<f64>| match (now, then) {
            (Some(now), Some(then)) if then > 0.0 => Cell::Percent(100.0 * (now / then - 1.0)),
            _ => Cell::None,
        };
        vec![
            whole(Some(self.requests as f64)),
            whole(then),
            whole(Some(self.excps as f64)),
            differs(Some(self.excps as f64), then),
            seconds(elapsed),
            seconds(self.modelled),
            differs(self.modelled, elapsed),
            Cell::Number(self.took.cpu / 1e6, 1),
            Cell::Number(self.took.elapsed / 1e6, 1),
        ]
    }
}

/// One step, as a program makes it: open, requests, close.
fn one(store: &Store, name: &str, step: Step, shape: Shape, buffers: Option<Buffering>) -> Result<Found, StudyError> {
    let doing = format!("{name}, {}", step.title());
    let ((excps, modelled), took) = timed(|| {
        let data_set = file::open(store, name, step.writes(), buffers)?;
        let before = data_set.statistics();
        let made = step.run(&data_set, RECORDS).map_err(while_doing(&doing))?;
        if made != step.requests() {
            return Err(StudyError::Wrong(format!("{doing}: {made} records were found")));
        }
        if step == Step::Load {
            data_set.end_load().map_err(while_doing(&doing))?;
        }
        let after = data_set.statistics();
        let all = after.0.excps + after.1.excps - before.0.excps - before.1.excps;
        let counted = data_set.buffers().map_or(all, |(_, counts)| counts.excps());
        let modelled = modelled(&data_set, step, shape);
        data_set.close().map_err(while_doing(&doing))?;
        Ok::<_, StudyError>((counted, modelled))
    })?;
    Ok(Found {
        requests: step.requests(),
        excps,
        modelled,
        took,
    })
}

/// The seconds that the transfers of an open with buffers would have taken then.
fn modelled(data_set: &DataSet, step: Step, shape: Shape) -> Option<f64> {
    let (quota, _) = data_set.buffers()?;
    let layout = OnDisk {
        cis_per_track: quota.track.max(1) as f64,
        cis_per_ca: data_set.attributes().ci_per_ca.into(),
        index_cylinder: 117.0,
        // RECOVERY has formatted the control area before.
        formats: step == Step::Load && !shape.recovery,
        write_check: shape.write_check,
    };
    let transfers = data_set.transfers();
    let asked = (step.requests(), quota.data.saturating_sub(1));
    let disk = DiskTimes::named("3330-1")?;
    Some(follow(disk, layout, processor(step), &transfers, asked))
}

/// What the 158 took, in milliseconds: fitted to the processor times that the study printed.
fn processor(step: Step) -> Processor {
    let request = match step {
        Step::Load => 0.51,
        Step::Scan => 0.32,
        Step::Read => 2.4,
        Step::Update => 2.44,
        Step::Insert => 5.25,
    };
    Processor {
        request,
        ci: 0.832,
        transfer: 2.99,
        buffer: 0.0062,
    }
}
