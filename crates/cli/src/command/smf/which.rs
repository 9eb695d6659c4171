//! Which records are wanted, and where they are read.

use super::text::refused;
use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::moment;
use crate::session::Session;
use cica_catalog::{Mask, Name};
use cica_disk::{Clock, FileReader, SystemClock};
use cica_messages as messages;
use cica_smf::{Record, Records};
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Which records
#[derive(Debug, Args)]
pub struct Which {
    /// SMF files; without one those of the catalog
    files: Vec<PathBuf>,
    /// Records of this type
    #[arg(long = "type", value_name = "NUMBER")]
    kind: Option<u8>,
    /// Records of this subtype
    #[arg(long, value_name = "NUMBER")]
    subtype: Option<u16>,
    /// Records of this cluster or component, or of those that a mask means (PAY.**)
    #[arg(long, value_name = "DSN")]
    dsn: Option<String>,
    /// Records of this job; a record has the first 8 characters of its name
    #[arg(long)]
    job: Option<String>,
    /// Records written from the beginning of this second (or minute) on, UTC: HH:MM[:SS] of today or
    /// YYYY-MM-DDTHH:MM[:SS]. Other systems may write their local time
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Records written up to the end of this second (or minute)
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
}

/// Ends of the names of fields that a cluster or component stands in.
const OF_DATA_SETS: [&str; 5] = ["CLU", "DNM", "INM", "S42DSN", "SMF42GBB"];
/// The same of jobs.
const OF_JOBS: [&str; 1] = ["JBN"];

/// Characters of a job's name that a record has.
const JOB: usize = 8;

/// A name of a job as a record has it.
fn in_record(job: &str) -> String {
    let text: String = job.chars().take(JOB).collect();
    text.trim_end_matches(' ').to_owned()
}

/// What files had.
#[derive(Debug, Default)]
struct Found {
    records: Vec<Record>,
    /// Something could not be read, which was told.
    missed: bool,
}

impl Found {
    /// Reads a file up to its end, or to what is no record.
    fn take(&mut self, path: &Path, mut records: Records<impl Read>) {
        loop {
            let at = records.offset();
            let Some(record) = records.next() else { return };
            match record {
                // Zeros and blanks in the place of what it lacks would be wrong.
                Ok(record) if record.is_short() => self.miss(&format!(
                    "{}: offset {at}: the record of type {} has {} bytes, and that is too short for it",
                    path.display(),
                    record.kind(),
                    record.bytes().len()
                )),
                Ok(record) => self.records.push(record),
                Err(error) => self.miss(&format!("{}: {error}", path.display())),
            }
        }
    }

    /// Keeps those that were written in that time.
    fn keep(&mut self, from: u64, to: u64) {
        let before = self.records.len();
        self.records.retain(|record| record.written().is_some());
        match before - self.records.len() {
            0 => {}
            1 => self.miss("a record has no day and time at which it can have been written, and is left out"),
            more => self.miss(&format!(
                "{more} records have no day and time at which they can have been written, and are left out"
            )),
        }
        let is_of_it = |written| (from..=to).contains(&written);
        self.records.retain(|record| record.written().is_some_and(is_of_it));
    }

    fn miss(&mut self, words: &str) {
        refused(words).tell();
        self.missed = true;
    }
}

impl Which {
    /// The records that are wanted, and whether all could be read: a file is read as far as that can be done.
    pub fn records(&self, global: &Global) -> Result<(Vec<Record>, Status), Failure> {
        // What is wrong with the question is told before files are read.
        let (names, moments) = (self.names()?, self.moments()?);
        let mut found = Found::default();
        if self.files.is_empty() {
            let session = Session::open(global)?;
            let files = cica_smf::files(&*session.disk, session.catalog.directory());
            for file in files.map_err(|error| refused(&error.to_string()))? {
                match file.records() {
                    Ok(records) => found.take(&file.path, records),
                    Err(error) => found.miss(&error.to_string()),
                }
            }
        }
        for path in &self.files {
            match FileReader::open(&*cica_session::outside(), path) {
                Ok(file) => found.take(path, Records::new(file)),
                Err(error) => found.miss(&format!("{}: {error}", path.display())),
            }
        }
        let is_empty = found.records.is_empty();
        found.records.retain(|record| self.wants(record, names.as_ref()));
        if let Some((from, to)) = moments {
            found.keep(from, to);
        }
        let status = match (found.missed, is_empty) {
            (false, _) => Status::DONE,
            (true, false) => Status::INCOMPLETE,
            (true, true) => Status::REFUSED,
        };
        Ok((found.records, status))
    }

    /// The names that are asked for.
    fn names(&self) -> Result<Option<Names>, Failure> {
        let names = |dsn: &String| {
            if dsn.contains(['*', '%']) {
                Mask::parse(dsn).map(Names::Some)
            } else {
                Ok(Names::One(dsn.to_ascii_uppercase()))
            }
        };
        Ok(self.dsn.as_ref().map(names).transpose()?)
    }

    /// The first and the last nanosecond that are asked for.
    fn moments(&self) -> Result<Option<(u64, u64)>, Failure> {
        if self.from.is_none() && self.to.is_none() {
            return Ok(None);
        }
        let now = SystemClock.now();
        let from = self.from.as_deref().map(|from| moment::beginning_of(from, now));
        let to = self.to.as_deref().map(|to| moment::end_of(to, now));
        let (from, to) = (from.transpose()?.unwrap_or(0), to.transpose()?.unwrap_or(u64::MAX));
        if from > to {
            let words = format!(
                "--from {} is later than --to {}: no record is of that time",
                moment::shown(from),
                moment::shown(to)
            );
            return Err(Failure::new(Status::REFUSED, &messages::CICA1015E, words));
        }
        Ok(Some((from, to)))
    }

    fn wants(&self, record: &Record, names: Option<&Names>) -> bool {
        let has = |fields: &[&str], is_wanted: &dyn Fn(&str) -> bool| {
            let mut all = record.fields();
            all.any(|(field, value)| {
                fields.iter().any(|end| field.name.ends_with(end)) && is_wanted(&value.to_string())
            })
        };
        let job = self.job.as_deref().map(|job| in_record(job).to_ascii_uppercase());
        self.kind.is_none_or(|kind| record.kind() == kind)
            && self.subtype.is_none_or(|subtype| record.subtype() == subtype)
            && names.is_none_or(|names| has(&OF_DATA_SETS, &|name| names.mean(name)))
            && job.is_none_or(|job| has(&OF_JOBS, &|name| name == job))
    }
}

/// Names that are asked for.
enum Names {
    One(String),
    Some(Mask),
}

impl Names {
    fn mean(&self, name: &str) -> bool {
        match self {
            Names::One(one) => name == one,
            Names::Some(mask) => Name::parse(name).is_ok_and(|name| mask.matches(&name)),
        }
    }
}
