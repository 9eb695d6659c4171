//! `cica study`: what others measured and published, measured again on this machine and told beside their figures.

use crate::failure::{Failure, Status};
use crate::terminal::stdout;
use cica_disk::{clean_before_signals_end, Disk, LinuxDisk, NewFile};
use cica_engine::Io;
use cica_messages as messages;
use cica_study::{Launch, Setting, Steps, Study, STUDIES};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A study holds its records in memory.
const MOST_RECORDS: u64 = 50_000_000;

/// Measure again what a study of VSAM measured
#[derive(Debug, Args)]
#[command(after_help = "\
The data sets are made in a directory of their own below DIR, cica-study-YEAR-PID, and removed at
the end, also where Ctrl-C, TERM or a hangup is the end. What kill -9 or a power cut leaves is
yours to remove. No catalog is needed.

Example:
  cica study 2001
  cica study 2001 --records 20000 --rounds 1 --csv
  cica study 1988 --html buffers.html")]
pub struct Options {
    /// Which one
    #[arg(value_name = "YEAR", value_parser = names())]
    name: String,
    /// Records, where it shall not be as many as the study had; of 1979 for what is measured of today alone
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..=MOST_RECORDS))]
    records: Option<u64>,
    /// Rounds, of which the median is told; of 1979 for what is measured of today alone
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Directory that is there, below which the data sets stand; without it that for temporary files
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// How data CIs are read and written: auto, buffered, or direct, which is around the page cache
    #[arg(long, value_name = "WAY", default_value = "auto")]
    io: Io,
    /// Who makes the steps of 1979: native, which is this program; cobol, which is COBOL programs too, compiled by GnuCOBOL's
    /// cobc; auto, which is cobol where that can be
    #[arg(long, value_name = "WHO", default_value = "auto", hide_possible_values = true)]
    steps: Maker,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a page too: the tables, and plots by the number of buffers (1979, 1988) or the size of a pool (2007)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Maker {
    Auto,
    Native,
    Cobol,
}

impl Maker {
    /// COBOL programs are started as everybody starts them: by `cica run`.
    fn steps(self) -> Result<Steps, Failure> {
        let launch = || -> Result<Launch, Failure> {
            Ok(Launch {
                words: vec![std::env::current_exe()?.into(), "run".into()],
                ..Launch::default()
            })
        };
        Ok(match self {
            Maker::Native => Steps::Native,
            Maker::Auto => Steps::Auto(launch()?),
            Maker::Cobol => Steps::Cobol(launch()?),
        })
    }
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        STUDIES
            .iter()
            .map(|study| PossibleValue::new(study.name).help(study.about)),
    )
}

/// See the module.
pub fn run(options: Options) -> Result<Status, Failure> {
    let study = STUDIES.iter().find(|study| study.name == options.name);
    let study = study.ok_or_else(|| Failure::usage("name a study"))?;
    let parent = options.directory.clone().unwrap_or_else(std::env::temp_dir);
    let directory = parent.join(format!("cica-study-{}-{}", study.name, std::process::id()));
    // DIR is the user's: one that is not there is neither made nor left behind.
    match std::fs::create_dir(&directory) {
        // Of a process that was killed and had this number.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        made => made.map_err(|error| unusable(&parent, &error))?,
    }
    static ENDED: AtomicBool = AtomicBool::new(false);
    let left = directory.clone();
    let clean = move || {
        ENDED.store(true, Ordering::SeqCst);
        remove(&left);
    };
    clean_before_signals_end(clean).map_err(|error| unusable(&directory, &error))?;
    let done = measure(study, &options, &directory);
    while ENDED.load(Ordering::SeqCst) {
        // The signal ends it, and not that files are gone.
        std::thread::park();
    }
    let removed = std::fs::remove_dir_all(&directory).map_err(|error| unusable(&directory, &error));
    let status = done?;
    removed?;
    Ok(status)
}

/// Times that a directory is removed in which files are still made.
const TIMES: usize = 100;

/// Removes what a study has made so far, while it goes on.
fn remove(directory: &Path) {
    for _ in 0..TIMES {
        match std::fs::remove_dir_all(directory) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {}
            _ => return,
        }
    }
    crate::terminal::tell(&format!("cica: {} could not be removed", directory.display()));
}

fn measure(study: &Study, options: &Options, directory: &Path) -> Result<Status, Failure> {
    let mut setting = Setting::new(directory.to_path_buf());
    setting.records = options.records;
    setting.rounds = options.rounds.into();
    setting.io = options.io;
    setting.steps = options.steps.steps()?;
    // Before the steps, which take a while: a page that has no place is told at once.
    let page = options.html.as_deref().map(begin_page).transpose()?;
    let report = (study.run)(&setting).map_err(|error| unusable(directory, &error))?;
    if let (Some(page), Some(path)) = (page, &options.html) {
        end_page(page, &report.html()).map_err(|error| unusable(path, &error))?;
    }
    let mut out = stdout();
    match (options.json, options.csv) {
        (true, _) => writeln!(out, "{:#}", report.json())?,
        (_, true) => write!(out, "{}", report.csv())?,
        _ => write!(out, "{}", report.text())?,
    }
    Ok(Status::DONE)
}

fn begin_page(path: &Path) -> Result<NewFile, Failure> {
    let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
    NewFile::begin(&disk, path).map_err(|error| {
        unusable(
            path,
            &format!("{error}; name a file in a directory that is there, and yours"),
        )
    })
}

/// Whole or not at all.
fn end_page(mut file: NewFile, page: &str) -> std::io::Result<()> {
    file.write_all(page.as_bytes())?;
    file.finish().map(drop)
}

fn unusable(directory: &Path, why: &dyn std::fmt::Display) -> Failure {
    let words = format!("{}: {why}", directory.display());
    Failure::new(Status::UNUSABLE, &messages::CICA0941E, words)
}
