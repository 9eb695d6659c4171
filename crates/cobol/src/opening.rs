//! What an OPEN asks for, what may become of it, and what is told.

use crate::amp::BufferBias;
use crate::code_set::WantedCodeSet;
use crate::fd::Fd;
use crate::libcob::layout::{open, organization};
use crate::name::{BadName, Wrong};
use crate::open_file::{OpenFile, ReasonSink};
use crate::status::{note, Outcome};
use crate::tell::*;
use cica_catalog::entry::NonVsam;
use cica_catalog::{Catalog, Entry, Name};
use cica_copybook::RecordLayout;
use cica_engine::{Buffering, ReadIntegrity};
use cica_session::Session;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What became of an OPEN.
pub enum OpenOutcome {
    /// It is libcob's.
    Libcobs,
    /// It is Cica's, and open.
    Cicas(Box<OpenFile>, Outcome),
    /// Refused.
    Refused(Outcome),
}

/// What an OPEN asks for.
pub struct Request<'a> {
    /// Name in SELECT.
    pub file: &'a str,
    /// ASSIGN's text.
    pub assign: &'a str,
    /// Open mode.
    pub mode: u8,
    /// OPTIONAL.
    pub optional: bool,
    /// COLLATING SEQUENCE was given, or CODE-SET of a sequential file, which libcob 3.2 keeps in the same place.
    pub collating: bool,
    /// FD, or what of it cannot be a VSAM data set.
    pub fd: Result<Fd, String>,
    /// ORGANIZATION.
    pub organization: u8,
    /// Bits of LOCK MODE and SHARING.
    pub locks: u8,
    /// The request came through EXTFH: libcob cannot be told where the file lies.
    pub described: bool,
    /// Records are read from the last to the first.
    pub reversed: bool,
    /// The data set is, or will be, in another code than the program's records.
    pub translated: Option<Translated>,
    /// The program gets the bytes as they are, whatever the catalog says.
    pub as_is: bool,
    /// What the DD text says of RLS.
    pub rls: Option<ReadIntegrity>,
    /// Buffers that it says, in AMP.
    pub buffers: Option<Buffering>,
    /// What AMP says of system-managed buffering.
    pub bias: Option<BufferBias>,
}

/// What the copybook and the DD text say of it.
pub struct Translated {
    pub(crate) wanted: WantedCodeSet,
    pub(crate) layout: RecordLayout,
}

/// A variable of the environment.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl<'a> Request<'a> {
    /// What is asked of a data set by its name alone.
    pub(crate) fn named(file: &'a str, assign: &'a str) -> Request<'a> {
        Request {
            file,
            assign,
            mode: open::CLOSED,
            optional: false,
            collating: false,
            fd: Err("no FD".into()),
            organization: organization::INDEXED,
            locks: 0,
            described: false,
            reversed: false,
            translated: None,
            as_is: false,
            rls: None,
            buffers: None,
            bias: None,
        }
    }
}

impl Request<'_> {
    /// The DD that statistics are told of: ASSIGN's text if it can be one, else the name in SELECT.
    pub(crate) fn ddname(&self) -> &str {
        let is_dd = (1..=8).contains(&self.assign.len()) && self.assign.bytes().all(|b| b.is_ascii_alphanumeric());
        if is_dd {
            self.assign
        } else {
            self.file
        }
    }

    /// What ASSIGN leads to says nothing; told, and what comes of it.
    pub(crate) fn bad_name(&self, bad: &BadName) -> Outcome {
        let inserts: [(&str, &dyn std::fmt::Display); 3] =
            [("file", &self.file), ("value", &bad.value), ("reason", &bad.reason)];
        match bad.wrong {
            Wrong::Name => tell(&CICA1210E, &inserts),
            Wrong::Amp | Wrong::Operand => tell(&CICA1233E, &inserts),
        }
        match bad.wrong {
            Wrong::Name | Wrong::Operand => Outcome::NotUnderstood,
            Wrong::Amp => {
                // As of buffers that the data set itself cannot have.
                note(8, 0, 132);
                Outcome::NoResource
            }
        }
    }

    /// A copybook that cannot be read.
    pub(crate) fn bad_copybook(&self, path: &str, reason: &dyn std::fmt::Display) -> OpenOutcome {
        tell(&CICA1216E, &[("file", &self.file), ("path", &path), ("reason", reason)]);
        OpenOutcome::Refused(Outcome::Conflict)
    }
}

/// The entry of a data set that is not VSAM's, under its own name or an alias.
pub(crate) fn non_vsam_entry(session: &Session, name: &Name) -> Option<(Arc<Catalog>, Box<NonVsam>)> {
    let catalog = session.catalog.home(name).ok()?;
    let contents = catalog.contents().ok()?;
    let entry = match contents.get(name).ok()? {
        Entry::Alias(alias) => contents.get(&contents.stands_for(alias).ok()?).ok()?,
        entry => entry,
    };
    match entry {
        Entry::NonVsam(data_set) => Some((catalog.clone(), Box::new(data_set.clone()))),
        _ => None,
    }
}

/// Tells why requests for the data set fail.
pub(crate) fn report_of(name: String) -> ReasonSink {
    let reported = Mutex::new(BTreeSet::new());
    Box::new(move |error: &dyn std::fmt::Display| {
        // Once for each code, which stands at the end: a full data set refuses every WRITE.
        let words = error.to_string();
        let code = words.rsplit('[').next().unwrap_or_default().to_string();
        if reported.lock().insert(code) {
            tell(&CICA1208E, &[("name", &name), ("reason", &words)]);
        }
    })
}
