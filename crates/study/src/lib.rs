//! Measurements of VSAM that others published, made again on this machine with the same data, and told beside theirs.
//!
//! | module | holds |
//! |---|---|
//! | `y1979` | VSAM and ISAM on a 3330-1, one option at a time: buffers, control intervals, index in storage |
//! | `y1988` | QSAM and VSAM on 3380s: block sizes and buffers of copies |
//! | `y2001` | VSE/ESA, 2001: what compressed records cost a REPRO and an online mix |
//! | `y2007` | RLS on z/OS, 2007: SMF 64 of ten GETs, the first time and the second |
//! | `closes` | what closes wrote to SMF |
//! | `contest` | the defaults beside each option of a study, cold and warm |
//! | `device_time` | how long transfers would have taken on a disk of their time |
//! | `figures` | what was printed, from tables that ship with the program |
//! | `records` | records of several kinds, made from a seed |
//! | `report` | tables of figures as text, CSV and JSON |
//! | `html`, `plot`, `bars` | the same as a page, with plots of them |
//! | `near` | how many modelled times are near the printed ones |
//! | `measure` | what a piece of work takes: elapsed, CPU, I/O |
//!
//! * T1. A figure of a study stands in the data that it ships with, and nowhere else. A figure of this machine is
//!   measured in the run that prints it.
//! * T2. What is compared takes turns in one run: a ratio is of neighbours, and the median of the rounds is told.
//! * T3. Each run first looks whether what it measures is what it says: the records come back as they were.

#![forbid(unsafe_code)]

mod bars;
mod closes;
mod contest;
mod device_time;
mod figures;
mod html;
mod measure;
mod near;
mod plot;
pub mod records;
mod report;
mod y1979;
mod y1988;
mod y2001;
mod y2007;

pub use bars::Bars;
pub use plot::{Plot, PlotLine};
pub use report::{Cell, Report, Table};

use cica_engine::{CopyError, Io, OpenError, RequestError};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// How a study is run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Setting {
    /// An empty directory, for data sets and the log.
    pub directory: PathBuf,
    /// Records; none: as many as the study had.
    pub records: Option<u64>,
    /// Each figure is the median of so many.
    pub rounds: usize,
    /// Whether data CIs go through the page cache.
    pub io: Io,
    /// Who makes the steps of 1979.
    pub steps: Steps,
}

/// Who makes steps that were COBOL programs.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Steps {
    /// This program.
    #[default]
    Native,
    /// This program, and COBOL programs where they can be had.
    Auto(Launch),
    /// This program, and COBOL programs; where they cannot be had there is no report.
    Cobol(Launch),
}

/// How a compiled COBOL program is started with its files on data sets.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The command before its name, and that command's words.
    pub words: Vec<OsString>,
    /// What is in its environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl Setting {
    /// The study's own size, in three rounds.
    pub fn new(directory: PathBuf) -> Setting {
        Setting {
            directory,
            records: None,
            rounds: 3,
            io: Io::default(),
            steps: Steps::default(),
        }
    }
}

/// A study.
#[derive(Debug)]
pub struct Study {
    /// The year it is called by.
    pub name: &'static str,
    /// What it measured.
    pub about: &'static str,
    /// Measures it anew.
    pub run: fn(&Setting) -> Result<Report, StudyError>,
}

/// All of them.
pub const STUDIES: [Study; 4] = [
    Study {
        name: "1979",
        about: "A 3330-1: transfers by buffers and control intervals",
        run: y1979::run,
    },
    Study {
        name: "1988",
        about: "3380s: copies of sequential files and ESDSs by block size and buffers",
        run: y1988::run,
    },
    Study {
        name: "2001",
        about: "VSE/ESA: REPRO and an online mix of compressed records",
        run: y2001::run,
    },
    Study {
        name: "2007",
        about: "RLS on z/OS: SMF 64 of ten direct GETs, the first time and the second",
        run: y2007::run,
    },
];

/// The runs of 1979 and its table of buffers alone, and words about who made them.
///
/// # Errors
/// As of the study.
pub fn counted_1979(setting: &Setting) -> Result<([Table; 2], Vec<String>), StudyError> {
    y1979::counted(setting)
}

/// Why there is no report.
#[derive(Debug)]
#[non_exhaustive]
pub enum StudyError {
    /// The engine cannot be had.
    Memory(std::io::Error),
    /// A data set cannot be created or opened.
    Open(OpenError),
    /// A request failed.
    Request(RequestError),
    /// What was measured is not what the study is about (T3).
    Wrong(String),
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StudyError::Memory(error) => write!(f, "no memory for the buffer pool: {error}"),
            StudyError::Open(error) => error.fmt(f),
            StudyError::Request(error) => error.fmt(f),
            StudyError::Wrong(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for StudyError {}

impl From<OpenError> for StudyError {
    fn from(error: OpenError) -> StudyError {
        StudyError::Open(error)
    }
}

impl From<CopyError> for StudyError {
    fn from(error: CopyError) -> StudyError {
        match error {
            CopyError::Read(error) | CopyError::Write(error) => error.into(),
        }
    }
}

impl From<RequestError> for StudyError {
    fn from(error: RequestError) -> StudyError {
        StudyError::Request(error)
    }
}

/// An error of a step, with what was being done.
fn while_doing<E: fmt::Display>(doing: &str) -> impl FnOnce(E) -> StudyError + '_ {
    move |why| StudyError::Wrong(format!("{doing}: {why}"))
}
