//! The steps made by COBOL programs, as in 1979: those of `examples/study-1979`, compiled by GnuCOBOL and started with
//! their file on a data set of a catalog of their own.
//!
//! * C1. What a step took is what its close wrote to SMF: records of type 64, of data and index. It is read from the
//!   same place of a step that this program makes.
//! * C2. A program says how many records it met. Who met another number is told, and has no row.

use super::file::{self, Shape, GAP, RECORDS};
use super::steps::{stride, Step};
use crate::closes::requests_of_last;
use crate::{while_doing, Launch, Setting, StudyError};
use cica_disk::{Disk, LinuxDisk, NewFile};
use cica_engine::Buffering;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

/// A source, by its name.
macro_rules! source {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../examples/study-1979/cobol/", $name)),
        )
    };
}

const COPYBOOKS: [(&str, &str); 5] = [
    source!("STUDYARG.cpy"),
    source!("STUDYEND.cpy"),
    source!("STUDYREC.cpy"),
    source!("STUDYRND.cpy"),
    source!("STUDYWS.cpy"),
];
const PROGRAMS: [(&str, &str); 5] = [
    source!("IIPSW.cob"),
    source!("IIPSR.cob"),
    source!("IIPRR.cob"),
    source!("IIPRU.cob"),
    source!("IIPRWS.cob"),
];
const COMPILER: &str = "cobc";
/// The directory of their catalog.
const CATALOG: &str = "cobol";

/// The programs, ready to be started.
pub struct Cobol<'s> {
    setting: &'s Setting,
    launch: &'s Launch,
}

fn program(step: Step) -> &'static str {
    match step {
        Step::Load => "IIPSW",
        Step::Scan => "IIPSR",
        Step::Read => "IIPRR",
        Step::Update => "IIPRU",
        Step::Insert => "IIPRWS",
    }
}

impl<'s> Cobol<'s> {
    /// Compiles them, and tries one on a data set.
    ///
    /// # Errors
    /// Why they cannot be had.
    pub fn ready(setting: &'s Setting, launch: &'s Launch) -> Result<Cobol<'s>, StudyError> {
        let cobol = Cobol { setting, launch };
        for (name, text) in COPYBOOKS.into_iter().chain(PROGRAMS) {
            cobol.write(name, text).map_err(while_doing(name))?;
        }
        for (source, _) in PROGRAMS {
            cobol.compile(source)?;
        }
        let store = file::store_in(setting, CATALOG)?;
        file::volume(&store, file::VOLUME)?;
        drop(store);
        let name = "STUDY.TRIAL";
        cobol.define(name, file::BASE)?;
        cobol.records(name, Step::Load, 1, None, 1)?;
        // A program whose file is no data set closes none.
        requests_of_last(name, &cobol.path(CATALOG))?;
        Ok(cobol)
    }

    fn write(&self, name: &str, text: &str) -> std::io::Result<()> {
        let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
        let mut file = NewFile::begin(&disk, &self.path(name))?;
        file.write_all(text.as_bytes())?;
        file.finish().map(drop)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.setting.directory.join(name)
    }

    fn compile(&self, source: &str) -> Result<(), StudyError> {
        let mut compiler = Command::new(COMPILER);
        compiler
            .args(["-x", "-O2", source])
            .current_dir(&self.setting.directory);
        said(&mut compiler, COMPILER).map(drop)
    }

    /// Defines the data set of a run.
    pub fn define(&self, name: &str, shape: Shape) -> Result<(), StudyError> {
        file::define(&file::store_in(self.setting, CATALOG)?, name, shape)
    }

    /// Makes a step, and says how many requests to the files it took (C1).
    pub fn made(&self, name: &str, step: Step, met: u64, buffers: Buffering) -> Result<u64, StudyError> {
        self.records(name, step, RECORDS, Some(buffers), met)?;
        requests_of_last(name, &self.path(CATALOG))
    }

    /// Starts the program of a step for a file of so many records.
    fn records(
        &self,
        name: &str,
        step: Step,
        records: u64,
        buffers: Option<Buffering>,
        met: u64,
    ) -> Result<(), StudyError> {
        let (program, requests) = (program(step), step.requests_of(records));
        let (first, others) = match &self.launch.words[..] {
            [first, others @ ..] => (
                Path::new(first).to_path_buf(),
                [others, &[self.path(program).into()]].concat(),
            ),
            [] => (self.path(program), Vec::new()),
        };
        let mut command = Command::new(first);
        command.args(others);
        command.args([records, requests, GAP, stride(requests)].map(|number| number.to_string()));
        // What the user has set is of his programs.
        let set = std::env::vars_os().map(|(name, _)| name);
        for name in set.filter(|name| name.as_encoded_bytes().starts_with(b"CICA_")) {
            command.env_remove(name);
        }
        command
            .env_remove("COB_FILE_PATH")
            .current_dir(&self.setting.directory)
            .env("CICA_CATALOG", self.path(CATALOG))
            .env("CICA_SMF", "on")
            .env("DD_STUDY", dd(name, buffers))
            .envs(self.launch.environment.iter().map(|(name, value)| (name, value)));
        let doing = format!("{name}, {program}");
        let said = said(&mut command, &doing)?;
        let number = said
            .split(|c: char| !c.is_ascii_digit())
            .find(|digits| !digits.is_empty());
        if number.and_then(|number| number.parse().ok()) == Some(met) {
            return Ok(());
        }
        Err(StudyError::Wrong(format!(
            "{doing}: it met other records than {met}: {said}"
        )))
    }
}

/// The data set, with the buffers of its open.
fn dd(name: &str, buffers: Option<Buffering>) -> String {
    let buffers = buffers.unwrap_or_default();
    let number = |keyword: &str, number: Option<u16>| number.map(|number| format!("{keyword}={number}"));
    let said = [number("BUFND", buffers.data), number("BUFNI", buffers.index)];
    let said: Vec<String> = said.into_iter().flatten().collect();
    match &said[..] {
        [] => format!("DSN={name}"),
        said => format!("DSN={name},AMP=('{}')", said.join(",")),
    }
}

/// What it says, where it ends well.
fn said(command: &mut Command, doing: &str) -> Result<String, StudyError> {
    let Output { status, stdout, stderr } = command.output().map_err(while_doing(doing))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if status.success() {
        Ok(text(&stdout))
    } else {
        let words = format!("{doing}: {status} {} {}", text(&stdout), text(&stderr));
        Err(StudyError::Wrong(words))
    }
}
