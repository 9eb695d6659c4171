//! ISAM, the comparator: the same steps through indexed sequential files, one option at a time.

use super::file::{digits, record, GAP, KEY, RECORDS};
use super::isam_time::{follow, IsamProcessor};
use super::steps::{random, spread, Step};
use super::Found;
use crate::figures::{Figures, Printed};
use crate::measure::timed;
use crate::{while_doing, Cell, StudyError, Table};
use cica_disk::{Disk, LinuxDisk};
use cica_indexed::{Access, ChannelProgram, Indexed, IsamError, Load, LoadOptions, Organization, Start};
use std::path::Path;

/// What a run of the study changed of its base case.
struct IsamRun {
    name: &'static str,
    /// Records of a block.
    blocking: u16,
    load: LoadOptions,
    /// Of the steps after the load.
    access: Access,
    /// Those that are printed; what is before them is made all the same.
    steps: &'static [Step],
    /// Reads in order once more after the inserts.
    reads_twice: bool,
}

const LOAD: LoadOptions = LoadOptions {
    buffers: 5,
    full_track_index: false,
    write_check: false,
};
const ACCESS: Access = Access {
    output: false,
    core_index: false,
    track_area: false,
    real: false,
    write_check: false,
};
const BASE: IsamRun = IsamRun {
    name: "ISAM1",
    blocking: 12,
    load: LOAD,
    access: ACCESS,
    steps: ALL,
    reads_twice: false,
};
const ALL: &[Step] = &[Step::Load, Step::Scan, Step::Read, Step::Update, Step::Insert];
/// Twice R + 1 buffers, with R of five blocks: what a scan uses.
const OPTIMAL: u32 = 12;

const RUNS: [IsamRun; 9] = [
    BASE,
    IsamRun {
        name: "ISAMB",
        load: LoadOptions { buffers: 85, ..LOAD },
        steps: &[Step::Load, Step::Scan],
        ..BASE
    },
    IsamRun {
        name: "ISAMT",
        blocking: 64,
        ..BASE
    },
    IsamRun {
        name: "ISAMC",
        access: Access {
            core_index: true,
            ..ACCESS
        },
        steps: &[Step::Read, Step::Update, Step::Insert],
        ..BASE
    },
    IsamRun {
        name: "ISAMU",
        load: LoadOptions {
            full_track_index: true,
            ..LOAD
        },
        steps: &[Step::Load],
        ..BASE
    },
    IsamRun {
        name: "ISAMA",
        access: Access {
            track_area: true,
            ..ACCESS
        },
        steps: &[Step::Insert],
        ..BASE
    },
    IsamRun {
        name: "ISAMW",
        load: LoadOptions {
            write_check: true,
            ..LOAD
        },
        access: Access {
            write_check: true,
            ..ACCESS
        },
        steps: &[Step::Load, Step::Update, Step::Insert],
        ..BASE
    },
    IsamRun {
        name: "ISAMO",
        load: LoadOptions {
            buffers: OPTIMAL,
            full_track_index: true,
            ..LOAD
        },
        access: Access {
            core_index: true,
            track_area: true,
            ..ACCESS
        },
        reads_twice: true,
        ..BASE
    },
    IsamRun {
        name: "ISAMOR",
        load: LoadOptions {
            buffers: OPTIMAL,
            ..LOAD
        },
        access: Access {
            core_index: true,
            track_area: true,
            real: true,
            ..ACCESS
        },
        reads_twice: true,
        ..BASE
    },
];

const COLUMNS: [&str; 10] = [
    "requests",
    "then",
    "now",
    "differs",
    "s then",
    "s modelled",
    "s differ",
    "CPU ms",
    "ms",
    "programs",
];

/// All of them, beside what was printed.
pub fn table(directory: &Path) -> Result<Table, StudyError> {
    let printed = Figures::of(include_str!("runs.csv"));
    let mut table = Table::new("ISAM, the comparator: one option at a time", &COLUMNS);
    let disk = LinuxDisk::new();
    for run in &RUNS {
        let path = directory.join(format!("{}.isam", run.name));
        let again = run.reads_twice.then_some((Step::Scan, "2"));
        for (step, pass) in ALL.iter().map(|step| (*step, "1")).chain(again) {
            let (found, programs) = one(&disk, &path, run, step, pass)?;
            if !run.steps.contains(&step) {
                continue;
            }
            let then = printed.find(&[("run", run.name), ("step", step.letters()), ("pass", pass)]);
            let number = |column| then.as_ref().and_then(|row: &Printed<'_>| row.number(column));
            let title = format!("{} {}", run.name, step.title_of(pass == "2"));
            let mut cells = found.cells(number("excps"), number("elapsed"));
            cells.push(Cell::Number(programs as f64, 0));
            table.row(title, cells);
        }
        disk.remove(&path).map_err(while_doing(run.name))?;
    }
    Ok(table)
}

/// One step, as a program makes it; and how many channel programs it made.
fn one(disk: &LinuxDisk, path: &Path, run: &IsamRun, step: Step, pass: &str) -> Result<(Found, usize), StudyError> {
    let doing = format!("{}, {}", run.name, step.title());
    let (programs, took) = timed(|| made(disk, path, run, step, pass)).map_err(while_doing(&doing))?;
    let processor = IsamProcessor::of(step, run.access.real);
    let found = Found {
        requests: step.requests(),
        excps: programs.iter().filter(|program| program.is_excp).count() as u64,
        modelled: Some(follow(processor, &programs, step.requests(), step == Step::Insert)),
        replicated: None,
        took,
        files: None,
        by_cobol: None,
    };
    Ok((found, programs.len()))
}

/// Makes the requests of a step.
fn made(
    disk: &LinuxDisk,
    path: &Path,
    run: &IsamRun,
    step: Step,
    pass: &str,
) -> Result<Vec<ChannelProgram>, IsamError> {
    if step == Step::Load {
        let organization = Organization {
            lrecl: 200,
            blocking: run.blocking,
            key_at: KEY.start as u16,
            key_len: KEY.len() as u8,
            overflow_tracks: 2,
            prime_cylinders: 103,
            independent_cylinders: 0,
        };
        let mut load = Load::create(disk, path, organization, run.load)?;
        for number in 1..=RECORDS {
            load.put(&record(number * GAP))?;
        }
        return load.close();
    }
    // A sequential read has no use for what only helps random requests.
    let random_access = Access {
        output: step.writes(),
        ..run.access
    };
    let access = if step == Step::Scan { ACCESS } else { random_access };
    let mut set = Indexed::open(disk, path, access)?;
    match step {
        Step::Load => {}
        Step::Scan => {
            let mut scan = set.scan(Start::First, run.load.buffers)?;
            let mut found = 0;
            while scan.get()?.is_some() {
                found += 1;
            }
            let added = if pass == "2" { Step::Insert.requests() } else { 0 };
            // What a scan must give is known (T3).
            if found != RECORDS + added {
                return Err(IsamError::NotFound);
            }
        }
        Step::Read => {
            for number in random(RECORDS).take(step.requests() as usize) {
                set.read(&digits(number * GAP))?;
            }
        }
        Step::Update => {
            for number in random(RECORDS).take(step.requests() as usize) {
                let mut area = set.read_for_update(&digits(number * GAP))?;
                area[0] = b'U';
                set.rewrite(&area)?;
            }
        }
        Step::Insert => {
            for number in spread(step.requests(), RECORDS) {
                let mut new = record(number * GAP + GAP / 2);
                new[0] = b'N';
                set.insert(&new)?;
            }
        }
    }
    set.close()
}
