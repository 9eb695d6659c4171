//! `cica put`: records from stdin into a data set, each durable when it is said to be.
//!
//! 1. A key is acknowledged only after its record is durable: at once with `--durability request`, at the commit that
//!    covers it with `--durability commit`, after the close with `--durability close`.
//! 2. A data set that was never loaded is ended as a load after its first record. A load is not logged, so no record of
//!    it could be acknowledged before the close; and records may come in any order this way.
//! 3. At an error the records before it stay, are committed, and are acknowledged.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::progress::{grouped, Progress};
use crate::records::Input;
use crate::session::{OpenedSession, Session};
use cica_admin::{hexadecimal, shown};
use cica_engine::{Access, Argument, DataSet, Durability, Insert, Intent, RequestError, Search, Str};
use cica_format::attributes::Organization;
use cica_messages as messages;
use cica_qsam::CodePage;
use clap::{Args, ValueEnum};
use std::io::{self, Write};

/// Insert records from standard input, one line each
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  printf '00001000SMITH\\n' | cica put PAYROLL.MASTER
  cica put PAYROLL.MASTER --format RECFM=FB,LRECL=80,CODEPAGE=1047 < cards.bin
  cica put PAYROLL.MASTER --durability commit --commit-every 100 --ack < lines.txt
  cica put PAYROLL.SLOTS --rrn 17 < line.txt")]
pub struct Options {
    /// Data set name
    dsn: String,
    /// Each line is a record in hexadecimal
    #[arg(long, conflicts_with = "format")]
    hex: bool,
    /// The input is no text but in this format, as behind the file name of a DD
    #[arg(long, value_name = "RECFM=..")]
    format: Option<String>,
    /// A record whose key is there already replaces the one there
    #[arg(long)]
    replace: bool,
    /// When a record survives a power failure
    #[arg(long, value_enum, default_value = "close")]
    durability: When,
    /// With --durability commit, commit after so many records
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    commit_every: u64,
    /// Put the first record into the slot with this relative record number, the others into those behind it
    #[arg(long, value_name = "N")]
    rrn: Option<u32>,
    /// Print each key (RBA, relative record number) once its record is durable
    #[arg(long)]
    ack: bool,
}

/// When a record is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// When its insert is done
    Request,
    /// At each commit
    Commit,
    /// When the data set is closed, and at most a second later than it was put
    Close,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let session = Session::open(global)?;
    let durability = match options.durability {
        When::Request => Durability::Request,
        When::Commit => Durability::Commit,
        When::Close => Durability::Close,
    };
    if options.replace {
        takes_replacements(&session, &options.dsn)?;
    }
    let mut opened = session.data_set(&options.dsn, Access::Output, durability)?;
    let mut input = Input::new(
        crate::terminal::stdin(),
        opened.page,
        options.hex,
        options.format.as_deref(),
    )?;
    let mut put = Put {
        options: &options,
        waiting: Vec::new(),
        acks: options.ack,
        records: 0,
    };
    if opened.data_set.loading() {
        opened = put.end_load(opened, &session, durability, &mut input)?;
    }
    let done = put.all(&opened, &mut input, &mut Progress::new(global));
    let closed = opened.close();
    let told = if closed.is_ok() { put.acknowledge() } else { Ok(()) };
    done.and(closed).and(told)?;
    if !global.quiet && !options.ack {
        let (records, name) = (grouped(put.records), options.dsn.to_ascii_uppercase());
        crate::terminal::tell(&format!("{records} records put into {name}"));
    }
    Ok(Status::DONE)
}

struct Put<'o> {
    options: &'o Options,
    /// Keys to acknowledge, a line each.
    waiting: Vec<u8>,
    acks: bool,
    records: u64,
}

impl Put<'_> {
    /// Loads the first record and opens the data set again (2).
    fn end_load<R: io::Read>(
        &mut self,
        opened: OpenedSession,
        session: &Session,
        durability: Durability,
        input: &mut Input<R>,
    ) -> Result<OpenedSession, Failure> {
        if let Some(record) = input.next()? {
            let mut string = opened.data_set.string();
            let place = self.one(&mut string, record).map_err(|e| refused(e, &opened, 1))?;
            self.note(record, place, &opened);
        }
        opened.close()?;
        self.acknowledge()?;
        session.data_set(&self.options.dsn, Access::Output, durability)
    }

    fn all<R: io::Read>(
        &mut self,
        opened: &OpenedSession,
        input: &mut Input<R>,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let mut string = opened.data_set.string();
        while let Some(record) = input.next()? {
            let place = self
                .one(&mut string, record)
                .map_err(|e| refused(e, opened, self.records + 1))?;
            self.note(record, place, opened);
            let durable = match self.options.durability {
                When::Request => true,
                When::Commit if self.records % self.options.commit_every == 0 => {
                    opened
                        .data_set
                        .commit()
                        .map_err(|e| Failure::from(e).at(&opened.name))?;
                    true
                }
                _ => false,
            };
            if durable {
                self.acknowledge()?;
            }
            progress.at(self.records);
        }
        Ok(())
    }

    /// Puts a record; returns its RBA, of a relative data set its number.
    fn one(&self, string: &mut Str, record: &[u8]) -> Result<u64, RequestError> {
        if let Some(first) = self.options.rrn {
            return self.put_in_slot(string, u64::from(first) + self.records, record);
        }
        let inserted = match string.insert(record, Insert::Sequential) {
            // Not above the record before it: then it goes wherever it belongs.
            Err(RequestError::Sequence { .. }) => string.insert(record, Insert::Direct),
            inserted => inserted,
        };
        match inserted {
            Err(RequestError::Duplicate { key }) if self.options.replace => {
                string.get(&key, Search::Equal, Intent::Update)?;
                string.update(record)
            }
            inserted => inserted,
        }
    }

    fn put_in_slot(&self, string: &mut Str, rrn: u64, record: &[u8]) -> Result<u64, RequestError> {
        let slot = u32::try_from(rrn).map_err(|_| RequestError::BadRrn { rrn })?;
        match string.insert_at(slot, record, Insert::Skip) {
            Err(RequestError::Duplicate { .. }) if self.options.replace => {
                string.get(Argument::Rrn(slot), Search::Equal, Intent::Update)?;
                string.update(record)
            }
            inserted => inserted.map(|()| rrn),
        }
    }

    fn note(&mut self, record: &[u8], place: u64, opened: &OpenedSession) {
        self.records += 1;
        if self.acks {
            let key = key_of(record, &opened.data_set);
            let text = match opened.data_set.attributes().organization {
                Organization::Ksds if self.options.hex => hexadecimal(key),
                Organization::Ksds => as_asked_for(key, opened.page),
                _ => place.to_string(),
            };
            self.waiting.extend_from_slice(text.as_bytes());
            self.waiting.push(b'\n');
        }
    }

    /// Prints the keys that are durable now. When nobody reads them any more the records still go in.
    fn acknowledge(&mut self) -> Result<(), Failure> {
        let mut out = crate::terminal::stdout();
        match out
            .write_all(&self.waiting)
            .and_then(|()| out.flush())
            .map_err(Failure::from)
        {
            Err(Failure::OutputClosed) => self.acks = false,
            written => written?,
        }
        self.waiting.clear();
        Ok(())
    }
}

/// A key as `get` takes it.
fn as_asked_for(key: &[u8], page: Option<CodePage>) -> String {
    let is_text = |text: &&str| !text.trim().is_empty() && !text.chars().any(char::is_control);
    match (
        page.filter(|page| page.is_ebcdic()),
        std::str::from_utf8(key).ok().filter(is_text),
    ) {
        (Some(_), _) => shown(key, page),
        (None, Some(text)) => text.to_owned(),
        (None, None) => format!("X'{}'", hexadecimal(key)),
    }
}

fn key_of<'r>(record: &'r [u8], data_set: &DataSet) -> &'r [u8] {
    let attributes = data_set.attributes();
    let offset = attributes.key_offset as usize;
    record
        .get(offset..offset + usize::from(attributes.key_length))
        .unwrap_or(record)
}

/// Through an alternate index the record with a prime key is not to be found.
fn takes_replacements(session: &Session, dsn: &str) -> Result<(), Failure> {
    let cluster = session.cluster(dsn)?;
    match &cluster.way {
        Some(way) => {
            let words = format!(
                "it leads through alternate index {}; --replace needs {}",
                way.name, cluster.name
            );
            Err(Failure::new(Status::REFUSED, &messages::CICA0949E, words).at(cluster.asked_name()))
        }
        None => Ok(()),
    }
}

fn refused(error: RequestError, opened: &OpenedSession, record: u64) -> Failure {
    Failure::from(error).at(format!("{}, record {record}", opened.name))
}
