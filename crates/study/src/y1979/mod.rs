//! VSAM in 1979, on a 3330-1: one option at a time.

mod cobol;
mod file;
mod isam;
mod isam_time;
mod many;
mod runs;
mod splits;
mod splits_today;
mod steps;
mod today;

use crate::closes::{requests_of_last, watch};
use crate::device_time::{follow, DiskTimes, OnDisk, Processor};
use crate::figures::{Figures, Printed};
use crate::measure::{timed, Took};
use crate::near::{self, Near};
use crate::plot::{self, ByBuffers};
use crate::{contest, while_doing, Cell, Report, Setting, Steps, StudyError, Table};
use cica::Store;
use cica_engine::{Buffering, DataSet};
use cobol::Cobol;
use file::{Shape, BASE};
use runs::RUNS;
use steps::Step;

/// Makes all of it.
pub fn run(setting: &Setting) -> Result<Report, StudyError> {
    let (makers, why_not) = Makers::ready(setting)?;
    let ((runs, replicate), (buffers, found)) = (runs(&makers)?, buffers(&makers)?);
    let (splits, bars) = splits::table(&makers.store)?;
    let isam = isam::table(&setting.directory)?;
    let vsam = Near::of("VSAM", &[&runs, &buffers], SECONDS_DIFFER);
    let near = near::words(&[vsam, Near::of("ISAM", &[&isam], SECONDS_DIFFER)]);
    let by_cobol = cobol_words(why_not, &[&runs, &buffers]);
    let mut tables = vec![runs, isam, buffers, splits];
    drop(makers);
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
            .chain(by_cobol)
            .chain(near)
            .chain(replicate)
            .chain(many.words())
            .chain(split_words)
            .chain(contest::words(&contests, Some(today::HAD)))
            .collect(),
        plots: plot::plots("buffers", &found).into_iter().chain(many.plots()).collect(),
        bars,
    })
}

/// The runs of VSAM and its table of buffers alone, and words about who made them.
pub fn counted(setting: &Setting) -> Result<([Table; 2], Vec<String>), StudyError> {
    let (makers, why_not) = Makers::ready(setting)?;
    let tables = [runs(&makers)?.0, buffers(&makers)?.0];
    let words = cobol_words(why_not, &tables.each_ref());
    Ok((tables, words))
}

const NOTES: [&str; 15] = [
    "then: as printed in 1979, in EXCPs and seconds. now: requests to the files that this run made, each of one or many CIs.",
    "modelled: the time that these requests would have taken on a 3330-1 and a 158, arm and rotation followed from one to the next.",
    "Loads: VSAM made one or two requests more for each control area, which the source does not name.",
    "VSAM1 random read: the source has the figure of the update; three requests for each of 4,520 reads are 13,560.",
    "VSAMO: how many buffers it had the source does not say.",
    "Every row that was printed is here. The source's A and I of VSAM are the rows of CA and CI splits, and its A of ISAM is ISAMA.",
    "D (no file), R (real storage) and VSAMR are named there without a figure, but for ISAMOR.",
    "CA splits: one takes more requests than then; the source does not say which it made.",
    "CA split + extent: 51 requests more then, for the catalog. Here the file system gives the extent.",
    "ISAM: programs are channel programs that were made; those that an appendage starts are no EXCPs, as SMF did not see them.",
    "ISAM inserts: modelled are the programs that were counted, and a second look into a cylinder index on the disk: what it cost",
    "not to have it in storage was 29 ms of a read and 73 of an insert. The printed times leave room for more turns.",
    "SMF 64: all requests to both files from open to close, by the records of the close: those of now, and for what only Cica has",
    "(a directory of each control area, and roots). COBOL: the same of the step that a COBOL program made, with the same buffers;",
    "in 1979 the programs were COBOL, through the ISAM interface program.",
];

/// Its columns.
const SECONDS_DIFFER: &str = "s differ";
const FILES: &str = "SMF 64";
const BY_COBOL: &str = "COBOL";
const COLUMNS: [&str; 11] = [
    "requests",
    "then",
    "now",
    "differs",
    "s then",
    "s modelled",
    SECONDS_DIFFER,
    "CPU ms",
    "ms",
    FILES,
    BY_COBOL,
];

/// Whether COBOL's counts are those of the steps that are made natively, and which are not.
fn cobol_words(why_not: Option<String>, tables: &[&Table]) -> Vec<String> {
    if let Some(why) = why_not {
        return vec![format!("COBOL: the steps are made natively alone: {why}")];
    }
    let at = |name: &str| COLUMNS.iter().position(|column| *column == name);
    let (mut all, mut differ) = (0, Vec::new());
    for (row, cells) in tables.iter().flat_map(|table| &table.rows) {
        let number = |name: &str| match at(name).and_then(|at| cells.get(at)) {
            Some(Cell::Number(number, _)) => Some(*number),
            _ => None,
        };
        let (Some(files), Some(cobol)) = (number(FILES), number(BY_COBOL)) else {
            continue;
        };
        all += 1;
        if files != cobol {
            differ.push(format!("{row} {:+.1} %", 100.0 * (cobol / files - 1.0)));
        }
    }
    let same = all - differ.len();
    match (all, &differ[..]) {
        (0, _) => vec!["COBOL: the steps are made natively alone, as was asked for.".into()],
        (_, []) => vec![format!("COBOL: all {all} rows take as many requests as natively.")],
        (_, rows) => vec![
            format!("COBOL: {same} of {all} rows take as many requests as natively."),
            format!("  not {}", rows.join(", ")),
        ],
    }
}

/// Who makes a step.
struct Makers<'s> {
    store: Store,
    cobol: Option<Cobol<'s>>,
}

impl Makers<'_> {
    /// With COBOL programs where they are to be and can be had; else with why not.
    fn ready(setting: &Setting) -> Result<(Makers<'_>, Option<String>), StudyError> {
        // Before the steps, which take a while: who asks for COBOL and has none is told at once.
        let (cobol, why_not) = match &setting.steps {
            Steps::Native => (None, None),
            Steps::Cobol(launch) => (Some(Cobol::ready(setting, launch)?), None),
            Steps::Auto(launch) => match Cobol::ready(setting, launch) {
                Ok(cobol) => (Some(cobol), None),
                Err(why) => (None, Some(why.to_string())),
            },
        };
        let store = file::store(setting)?;
        watch(&store);
        Ok((Makers { store, cobol }, why_not))
    }

    fn define(&self, name: &str, shape: Shape) -> Result<(), StudyError> {
        file::define(&self.store, name, shape)?;
        self.cobol.as_ref().map_or(Ok(()), |cobol| cobol.define(name, shape))
    }

    /// A step of each, the second time where it is made `again`.
    fn make(
        &self,
        name: &str,
        (step, again): (Step, bool),
        shape: Shape,
        asked: Buffering,
    ) -> Result<Found, StudyError> {
        let met = step.requests() + if again { Step::Insert.requests() } else { 0 };
        let traced = Buffering { traced: true, ..asked };
        let mut found = one(&self.store, name, step, met, shape, Some(traced))?;
        if let Some(cobol) = &self.cobol {
            found.by_cobol = Some(cobol.made(name, step, met, asked)?);
        }
        Ok(found)
    }
}

/// The runs, and what REPLICATE would have been worth in those where it would have.
fn runs(makers: &Makers<'_>) -> Result<(Table, Vec<String>), StudyError> {
    let printed = Figures::of(include_str!("runs.csv"));
    let mut table = Table::new("the runs: one option at a time", &COLUMNS);
    let mut replicated = Vec::new();
    for run in &RUNS {
        let name = format!("STUDY.{}", run.name);
        makers.define(&name, run.shape)?;
        let twice = run.reads_twice.then_some((Step::Scan, true));
        for (step, again) in run.steps.iter().map(|step| (*step, false)).chain(twice) {
            let asked = Buffering {
                data: Some(run.bufnd),
                index: Some(run.bufni),
                ..Buffering::default()
            };
            let found = makers.make(&name, (step, again), run.shape, asked)?;
            let pass = if again { "2" } else { "1" };
            let then = printed.find(&[("run", run.name), ("step", step.letters()), ("pass", pass)]);
            let number = |column| then.as_ref().and_then(|row: &Printed<'_>| row.number(column));
            let title = format!("{} {}", run.name, step.title_of(again));
            if let (Some(once), Some(often)) = (found.modelled, found.replicated) {
                if often < 0.98 * once {
                    replicated.push(format!("{title} {often:.2} (without {once:.2})"));
                }
            }
            table.row(title, found.row(number("excps"), number("elapsed")));
        }
        makers.store.delete(&name).map_err(while_doing(&name))?;
    }
    Ok((table, replicate_words(&replicated)))
}

/// No run has REPLICATE. IMBED has the sequence set on its tracks as often as it fits anyhow.
fn replicate_words(rows: &[String]) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    vec![
        "REPLICATE, which no run had, shortens reads of index records above the sequence set. Seconds modelled with it:".into(),
        format!("  {}", rows.join(", ")),
    ]
}

/// The table of buffers, and what is in it.
fn buffers(makers: &Makers<'_>) -> Result<(Table, Vec<ByBuffers>), StudyError> {
    let printed = Figures::of(include_str!("buffers.csv"));
    let mut table = Table::new("sequential processing by the number of data buffers", &COLUMNS);
    let mut all = Vec::new();
    for row in printed.rows() {
        let asked = Buffering {
            data: row.number("bufnd").map(|n| n as u16),
            ..Buffering::default()
        };
        let name = format!("STUDY.BUFND{}", row.text("bufnd"));
        makers.define(&name, BASE)?;
        for (step, what) in [(Step::Load, "write"), (Step::Scan, "read")] {
            let found = makers.make(&name, (step, false), BASE, asked)?;
            let number = |column: &str| row.number(&format!("{what}_{column}"));
            let title = format!("BUFND {:3} {}", row.text("bufnd"), step.title());
            table.row(title, found.row(number("excps"), number("elapsed")));
            all.push(ByBuffers {
                of: what.into(),
                buffers: row.number("bufnd").unwrap_or_default(),
                excps: [number("excps"), Some(found.excps as f64)],
                elapsed: [number("elapsed"), found.modelled],
                cpu: [number("cpu"), None],
                here: [found.took.elapsed / 1e6, found.took.cpu / 1e6],
            });
        }
        makers.store.delete(&name).map_err(while_doing(&name))?;
    }
    Ok((table, all))
}

/// What a step came to.
struct Found {
    requests: u64,
    excps: u64,
    modelled: Option<f64>,
    /// The same, had the index been defined with REPLICATE.
    replicated: Option<f64>,
    took: Took,
    /// Requests to the files by the close, and those of the COBOL program.
    files: Option<u64>,
    by_cobol: Option<u64>,
}

impl Found {
    /// Beside what was printed, with who else counted it.
    fn row(&self, then: Option<f64>, elapsed: Option<f64>) -> Vec<Cell> {
        let whole = |number: Option<u64>| number.map_or(Cell::None, |number| Cell::Number(number as f64, 0));
        let more = [whole(self.files), whole(self.by_cobol)];
        self.cells(then, elapsed).into_iter().chain(more).collect()
    }

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

/// One step, as a program makes it: open, requests, close; of so many records.
fn one(
    store: &Store,
    name: &str,
    step: Step,
    met: u64,
    shape: Shape,
    buffers: Option<Buffering>,
) -> Result<Found, StudyError> {
    let doing = format!("{name}, {}", step.title());
    let ((excps, modelled), took) = timed(|| {
        let data_set = file::open(store, name, step.writes(), buffers)?;
        let before = data_set.statistics();
        let made = step.run(&data_set, file::RECORDS).map_err(while_doing(&doing))?;
        if made != met {
            return Err(StudyError::Wrong(format!("{doing}: {made} records were found")));
        }
        if step == Step::Load {
            data_set.end_load().map_err(while_doing(&doing))?;
        }
        let after = data_set.statistics();
        let all = after.0.excps + after.1.excps - before.0.excps - before.1.excps;
        let counted = data_set.buffers().map_or(all, |(_, counts)| counts.excps());
        let modelled = modelled(&data_set, step, met, shape);
        data_set.close().map_err(while_doing(&doing))?;
        Ok::<_, StudyError>((counted, modelled))
    })?;
    Ok(Found {
        requests: met,
        excps,
        modelled: modelled.map(|[seconds, _]| seconds),
        replicated: modelled.map(|[_, seconds]| seconds),
        took,
        files: Some(requests_of_last(name, store.session().catalog.directory())?),
        by_cobol: None,
    })
}

/// The seconds that the transfers of an open with buffers would have taken then, and with REPLICATE.
fn modelled(data_set: &DataSet, step: Step, requests: u64, shape: Shape) -> Option<[f64; 2]> {
    let (quota, _) = data_set.buffers()?;
    let layout = OnDisk {
        cis_per_track: quota.track.max(1) as f64,
        cis_per_ca: data_set.attributes().ci_per_ca.into(),
        index_cylinder: 117.0,
        replicated: false,
        // RECOVERY has formatted the control area before.
        formats: step == Step::Load && !shape.recovery,
        write_check: shape.write_check,
    };
    let transfers = data_set.transfers();
    let asked = (requests, quota.data.saturating_sub(1));
    let disk = DiskTimes::named("3330-1")?;
    Some([false, true].map(|replicated| {
        let layout = OnDisk { replicated, ..layout };
        follow(disk, layout, processor(step), &transfers, asked)
    }))
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
