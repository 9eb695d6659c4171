//! REPRO: copies records between sequential files and data sets of every organization.
//!
//! 1. A record the target refuses is told, counted, and left out; the copy goes on. When as many are counted as
//!    ERRORLIMIT says (4 when it is not given), the copy ends with 12.
//! 2. Whatever was copied stays: the target is closed, and so made durable, in every case.
//! 3. An empty target is loaded, one with records is inserted into. A load that ends early leaves what it had loaded.
//! 4. The target is touched (REUSE empties it) only when the input is open and the range has a beginning.

use super::failure::Failure;
use super::input::Found;
use super::open::Target;
use super::output::{Output, Refusal};
use super::print::rows::{hexadecimal, shown};
use super::range::{Range, Selection};
use super::report::Report;
use super::trouble::{action_error, Trouble, GAVE_UP};
use super::Services;
use crate::params::Command;
use cica_format::attributes::Organization;
use cica_messages::{CICA0908E, CICA0931E, CICA0946E, IDC0005I, IDC31467I, IDC3225I, IDC3308I, IDC3314I};

/// ERRORLIMIT when it is not given.
const ERROR_LIMIT: u64 = 4;

/// Carries out REPRO.
pub fn repro(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    run(services, command, out).unwrap_or_else(|failure| failure.tell(out))
}

fn run(services: &mut Services, command: &Command, out: &mut Report) -> Result<u8, Failure> {
    let params = &command.params;
    if params.has("ENTRIES") || params.has("LEVEL") {
        return Err(Failure::new(&IDC3225I, &[("item", &"MERGECAT")]));
    }
    let from = Target::of(services, params, "INFILE", "INDATASET")?;
    let to = Target::of(services, params, "OUTFILE", "OUTDATASET")?;
    if from.is_same(&to) {
        return Err(Failure::new(&CICA0946E, &[("name", &from.name())]));
    }
    let mut input = from.open_input(services)?;
    if params.flag("CIMODE") {
        takes_intervals(&to)?;
        input = input.by_intervals();
    }
    input = input.read_as(params);
    if let Target::Cluster(cluster) = &to {
        input = input.translated_to(cica_qsam::CodePage::from_ccsid(cluster.attributes.ccsid));
    }
    let range = Range::of(params, &input)?;
    let mut selection = match range.begin(&mut input) {
        Ok(selection) => selection,
        Err(trouble) => return Ok(nothing_copied(&trouble, &from.name(), out)),
    };
    let (reuse, replace) = (params.flag("REUSE"), params.flag("REPLACE"));
    let mut output = to.open_output(services, selection.input, reuse, replace)?;
    let limit = params.number("ERRORLIMIT").unwrap_or(ERROR_LIMIT).max(1);
    let longest = selection.input.longest();
    let mut copied = records(services, &mut selection, &mut output, limit, out);
    let closed = [
        output.close().map_err(|trouble| trouble.of(&to.name())),
        input.close().map_err(|trouble| trouble.of(&from.name())),
    ];
    for failure in closed.into_iter().filter_map(Result::err) {
        copied.cc = copied.cc.max(failure.tell(out));
    }
    if copied.cc < GAVE_UP {
        if let Err(failure) = to.complete(services, longest, out) {
            copied.cc = copied.cc.max(failure.tell(out));
        }
    }
    out.say(&IDC0005I, &[("count", &copied.count)]);
    Ok(copied.cc)
}

/// CIMODE: images of control intervals are records of a file, or of a linear data set; what has records of its own has
/// a structure around them.
fn takes_intervals(to: &Target) -> Result<(), Failure> {
    match to {
        Target::Cluster(cluster) if cluster.organization != Organization::Lds => {
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

/// What a copy came to.
struct Copied {
    cc: u8,
    /// Records written.
    count: u64,
}

fn records(
    services: &mut Services,
    selection: &mut Selection,
    output: &mut Output,
    limit: u64,
    out: &mut Report,
) -> Copied {
    let mut copied = Copied { cc: 0, count: 0 };
    let mut errors = 0;
    loop {
        let number = selection.input.records() + 1;
        let found = match selection.next() {
            Ok(Some(found)) => found,
            Ok(None) => return copied,
            Err(trouble) => {
                let failure = trouble.of(&selection.input.name);
                copied.cc = copied.cc.max(failure.tell(out));
                return copied;
            }
        };
        match output.put(found) {
            Ok(()) => {
                copied.count += 1;
                services.progress(copied.count);
                continue;
            }
            Err(Refusal::Fatal(trouble)) => {
                copied.cc = copied.cc.max(trouble.of(&output.name).tell(out));
                return copied;
            }
            Err(refusal) => copied.cc = copied.cc.max(refused(&refusal, found, number, output).tell(out)),
        }
        errors += 1;
        if errors == limit {
            out.say(&IDC31467I, &[]);
            copied.cc = GAVE_UP;
            return copied;
        }
    }
}

/// The message about a record that was not written; `number` counts in the input, what was skipped included.
fn refused(refusal: &Refusal, found: Found<'_>, number: u64, output: &Output) -> Failure {
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
        _ => Failure::new(&IDC3308I, &[("key", &named)]),
    }
}

/// A key as IBM's messages have it, its first five bytes in hexadecimal, and all of it in characters.
fn named(key: &[u8], output: &Output) -> String {
    let first = format!("X'{}'", hexadecimal(&key[..key.len().min(5)]));
    let whole = shown(key, output.page);
    match whole == first {
        true => first,
        false => format!("{first} ({whole})"),
    }
}
