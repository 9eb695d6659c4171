//! REPRO: copies records between sequential files and data sets of every organization.
//!
//! 1. A record the target refuses is told, counted, and left out; the copy goes on. When as many are counted as
//!    ERRORLIMIT says (4 when it is not given), the copy ends with 12.
//! 2. Whatever was copied stays: the target is closed, and so made durable, in every case. But a file that is to be
//!    whole is as it was when the copy gives up.
//! 3. An empty target is loaded, one with records is inserted into. A load that ends early leaves what it had loaded.
//! 4. The target is touched (REUSE empties it) only when the input is open and the range has a beginning.

use super::bounds::{Bounds, Selection};
use super::bytes::{hexadecimal, shown};
use super::failure::Failure;
use super::found::FoundRecord;
use super::named::Named;
use super::open::ClusterOrFile;
use super::outcome::Outcome;
use super::output::{Output, Refusal};
use super::range::{From, Range};
use super::report::Report;
use super::trouble::{action_error, Trouble, GAVE_UP};
use super::Services;
use cica_engine::CopyError;
use cica_format::attributes::Organization;
use cica_messages::{CICA0908E, CICA0931E, CICA0946E, CICA1022I, IDC0005I, IDC31467I, IDC3308I, IDC3314I};

/// ERRORLIMIT when it is not given.
const ERROR_LIMIT: u64 = 4;

/// REPRO of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repro {
    /// Where records are read.
    pub from: Named,
    /// Where they are written.
    pub to: Named,
    /// Which of them.
    pub range: Range,
    /// The target is emptied first.
    pub reuse: bool,
    /// A record whose key is there already replaces that one.
    pub replace: bool,
    /// CIMODE: control intervals as they are, instead of records.
    pub by_intervals: bool,
    /// ERRORLIMIT: the copy ends when so many records were refused (1); 4 when nothing is said.
    pub error_limit: Option<u64>,
    /// A file that is written is named only when all records came; else what has its name stays as it is. Whoever reads
    /// the output and goes has what he wants, and nothing is said of it.
    pub whole: bool,
}

impl Repro {
    /// All records of one into the other, behind those that are there.
    pub fn all(from: Named, to: Named) -> Repro {
        Repro {
            from,
            to,
            range: Range::default(),
            reuse: false,
            replace: false,
            by_intervals: false,
            error_limit: None,
            whole: false,
        }
    }
}

/// What a copy came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopyCounts {
    /// Records written.
    pub records: u64,
    /// Records that the target refused.
    pub refused: u64,
    /// Those of them that it has already, by their key or number.
    pub duplicates: u64,
}

impl CopyCounts {
    fn refuse(&mut self, refusal: &Refusal) {
        self.refused += 1;
        // One that a unique alternate index refuses is not there.
        self.duplicates += u64::from(matches!(refusal, Refusal::Duplicate(Some(_))));
    }
}

impl Services {
    /// Copies records.
    pub fn repro(&mut self, request: &Repro) -> Outcome<CopyCounts> {
        Outcome::with(|out| repro(self, request, out))
    }
}

fn repro(services: &mut Services, request: &Repro, out: &mut Report) -> Result<(u8, CopyCounts), Failure> {
    let from = ClusterOrFile::named(services, &request.from)?;
    let mut to = ClusterOrFile::named(services, &request.to)?;
    if from.is_same(services, &to) {
        let name = match &to {
            ClusterOrFile::Cluster(_) if from.name() != to.name() => format!("{}, READ AS {}", to.name(), from.name()),
            _ => from.name(),
        };
        return Err(Failure::new(&CICA0946E, &[("name", &name)]));
    }
    let mut input = from.open_input(services)?;
    if request.by_intervals {
        takes_intervals(&to)?;
        input = input.by_intervals();
    }
    input = input.read_as(&request.range);
    if let ClusterOrFile::Cluster(cluster) = &to {
        input = input.translated_to(cica_qsam::CodePage::from_ccsid(cluster.attributes.ccsid));
    }
    let bounds = Bounds::of(&request.range, &input)?;
    let mut selection = match bounds.begin(&mut input) {
        Ok(selection) => selection,
        Err(trouble) => return Ok((nothing_copied(&trouble, &from.name(), out), CopyCounts::default())),
    };
    let mut output = to.open_output(services, selection.input, request.reuse, request.replace)?;
    let source = selection.input.name.clone();
    let limit = request.error_limit.unwrap_or(ERROR_LIMIT).max(1);
    let (mut cc, copied) = match records(services, &mut selection, &mut output, limit, out) {
        Copying::Done(cc, copied) => (cc, copied),
        Copying::OutputFailed(cc, copied, trouble) if request.whole && trouble.is_reader_gone() => {
            return Ok((cc, copied));
        }
        Copying::OutputFailed(cc, copied, trouble) => (cc.max(trouble.of(&output.name).tell(out)), copied),
    };
    let read = selection.input.records();
    // An input without records that is copied whole is copied.
    let selects = request.range.from != From::Start || request.range.met_its_end(read);
    if selects && cc == 0 && copied == CopyCounts::default() {
        cc = request.range.say_nothing(&source, read, out);
    }
    let is_untouched = request.whole && output.is_whole_or_not();
    if request.whole && (copied.refused > 0 || cc >= GAVE_UP) && output.is_file() {
        drop(output);
        // Its error would say less than what was told.
        let _ = input.close();
        if is_untouched {
            out.say(&CICA1022I, &[("name", &to.name())]);
        }
        return Ok((cc, CopyCounts::default()));
    }
    let written = match output.close() {
        Err(trouble) if request.whole && trouble.is_reader_gone() => return Ok((cc, copied)),
        written => written,
    };
    // What has its name has its new format too, whatever the records came to.
    let is_changed = written.is_ok() && to.is_there();
    let closed = [
        written.map_err(|trouble| trouble.of(&to.name())),
        input.close().map_err(|trouble| trouble.of(&from.name())),
    ];
    let is_written = closed[0].is_ok();
    for failure in closed.into_iter().filter_map(Result::err) {
        cc = cc.max(failure.tell(out));
    }
    if !is_written && is_untouched {
        out.say(&CICA1022I, &[("name", &to.name())]);
        return Ok((cc, CopyCounts::default()));
    }
    if cc < GAVE_UP || is_changed {
        if let Err(failure) = to.complete(services, out) {
            cc = cc.max(failure.tell(out));
        }
    }
    out.say(&IDC0005I, &[("count", &copied.records)]);
    Ok((cc, copied))
}

/// CIMODE: images of control intervals are records of a file, or of a linear data set; what has records of its own has
/// a structure around them.
fn takes_intervals(to: &ClusterOrFile) -> Result<(), Failure> {
    match to {
        ClusterOrFile::Cluster(cluster) if cluster.organization != Organization::Lds => {
            let item = format!("CIMODE INTO {}", cluster.name);
            let reason =
                "it has records, and an index or addresses that would not be theirs; EXPORT CIMODE and IMPORT \
                          copy a data set as it is stored";
            Err(Failure::new(&CICA0908E, &[("item", &item), ("reason", &reason)]))
        }
        _ => Ok(()),
    }
}

fn nothing_copied(trouble: &Trouble, name: &str, out: &mut Report) -> u8 {
    let cc = trouble.of(name).tell(out);
    out.say(&IDC0005I, &[("count", &0)]);
    cc
}

/// How the copying of records ended.
enum Copying {
    /// All was told that there is to tell.
    Done(u8, CopyCounts),
    /// Nothing more can be written, which is to be told.
    OutputFailed(u8, CopyCounts, Trouble),
}

fn records(
    services: &mut Services,
    selection: &mut Selection,
    output: &mut Output,
    limit: u64,
    out: &mut Report,
) -> Copying {
    let (mut cc, mut copied) = (0, CopyCounts::default());
    let as_stored = if selection.is_all_that_follows() {
        output.takes_as_stored(selection.input)
    } else {
        Ok(false)
    };
    let as_stored = match as_stored {
        Ok(as_stored) => as_stored,
        Err(Refusal::Fatal(trouble)) => return Copying::OutputFailed(cc, copied, trouble),
        // The records say more of it.
        Err(_) => false,
    };
    loop {
        let number = selection.input.records() + 1;
        if as_stored {
            let refusal = match output.copy_next(selection.input) {
                Ok(true) => {
                    copied.records += 1;
                    services.progress(copied.records);
                    continue;
                }
                Ok(false) => return Copying::Done(cc, copied),
                Err(CopyError::Read(error)) => {
                    let failure = Trouble::from(error).of(&selection.input.name);
                    return Copying::Done(cc.max(failure.tell(out)), copied);
                }
                Err(CopyError::Write(error)) => Refusal::from(error),
            };
            match refusal {
                Refusal::Fatal(trouble) => return Copying::OutputFailed(cc, copied, trouble),
                refusal => {
                    cc = cc.max(refused(&refusal, selection.input.last(), number, output).tell(out));
                    copied.refuse(&refusal);
                }
            }
            if copied.refused == limit {
                out.say(&IDC31467I, &[]);
                return Copying::Done(GAVE_UP, copied);
            }
            continue;
        }
        let found = match selection.next() {
            Ok(Some(found)) => found,
            Ok(None) => return Copying::Done(cc, copied),
            Err(trouble) => {
                let failure = trouble.of(&selection.input.name);
                return Copying::Done(cc.max(failure.tell(out)), copied);
            }
        };
        match output.put(found) {
            Ok(()) => {
                copied.records += 1;
                services.progress(copied.records);
                continue;
            }
            Err(Refusal::Fatal(trouble)) => return Copying::OutputFailed(cc, copied, trouble),
            Err(refusal) => {
                cc = cc.max(refused(&refusal, found, number, output).tell(out));
                copied.refuse(&refusal);
            }
        }
        if copied.refused == limit {
            out.say(&IDC31467I, &[]);
            return Copying::Done(GAVE_UP, copied);
        }
    }
}

/// The message about a record that was not written; `number` counts in the input, what was skipped included.
fn refused(refusal: &Refusal, found: FoundRecord<'_>, number: u64, output: &Output) -> Failure {
    let record = found.bytes;
    let key = output.key_field().map(|field| field.in_record(record));
    let named = match key {
        Some(key) => named(key, output),
        None if found.rrn == 0 => format!("NUMBER {number} OF THE INPUT"),
        None => format!("RELATIVE RECORD NUMBER {}", found.rrn),
    };
    let length = record.len();
    match refusal {
        Refusal::OutOfSequence => Failure::new(&IDC3314I, &[("key", &named)]),
        Refusal::Length(error) => {
            let words = format!("RECORD {number} OF THE INPUT: {error}");
            action_error(&output.name, "I/O", error.feedback(), &words)
        }
        Refusal::Improper(reason) => Failure::new(
            &CICA0931E,
            &[("number", &number), ("length", &length), ("reason", reason)],
        ),
        // The key of a relative data set is its number.
        Refusal::Duplicate(Some(duplicate)) if key.is_some() => {
            Failure::new(&IDC3308I, &[("key", &self::named(duplicate, output))])
        }
        Refusal::Duplicate(None) => {
            let words = format!("{named}: ANOTHER HAS ITS ALTERNATE KEY");
            Failure::new(&IDC3308I, &[("key", &words)])
        }
        _ => Failure::new(&IDC3308I, &[("key", &named)]),
    }
}

/// A key as IBM's messages have it, its first five bytes in hexadecimal, and all of it in characters.
fn named(key: &[u8], output: &Output) -> String {
    let first = format!("X'{}'", hexadecimal(&key[..key.len().min(5)]));
    let whole = shown(key, output.page);
    if whole == first {
        first
    } else {
        format!("{first} ({whole})")
    }
}
