//! EXPORT: a data set with its definition into a portable copy, and then away, or marked as copied.
//!
//! 1. The original goes (PERMANENT) only when the copy is complete and durable, and nobody changed it, or what leads to
//!    it, meanwhile.
//! 2. A key-sequenced cluster is copied record by record, so that it can be imported with another layout; CIMODE and
//!    all other data sets are copied as they are stored, so that RBAs and record numbers stay what they are.
//! 3. A data set that is open for output is copied as of one moment, as it is stored, when it stays (TEMPORARY).
//! 4. Paths and aliases over the object are in its copy. Alternate indexes are not: who wants them elsewhere exports
//!    them by themselves, before the base; PERMANENT takes them away with it, for without it they mean nothing.

use super::super::delete::{expired, tell};
use super::super::failure::{not_found, refused, Failure};
use super::super::making::{Making, Replaced};
use super::super::removal::with_related;
use super::super::trouble::{not_opened, Trouble};
use super::super::{decided, Services};
use super::copied_sphere::CopiedSphere;
use super::doubt::tell_doubt;
use super::stored::files;
use super::{complete, head, moment, rank, sphere, unwritten, NewCopy};
use crate::named::Named;
use crate::outcome::Outcome;
use crate::report::Report;
use cica_catalog::entry::{Attributes, Organization};
use cica_catalog::{Catalog, Entry, Name, Resolved};
use cica_disk::NewFile;
use cica_engine::{Intent, OpenOptions, RequestError};
use cica_format::portable::{Member, Mode, Totals};
use cica_messages::{CICA0908E, CICA0968I, IDC0005I, IDC0550I, IDC0594I};
use cica_portable::Writer;
use std::sync::Arc;

/// How hard an EXPORT compresses.
const LEVEL: i32 = 3;

/// EXPORT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The cluster or alternate index.
    pub name: String,
    /// The file of the copy.
    pub onto: Named,
    /// How contents are copied; as (2) says where nothing is said.
    pub mode: Option<ExportMode>,
    /// TEMPORARY: the original stays, marked as copied; otherwise it goes.
    pub temporary: bool,
    /// PURGE: it goes before its expiration date too.
    pub purge: bool,
    /// ERASE or NOERASE: is it overwritten before it goes? As its entry says where nothing is said.
    pub erase: Option<bool>,
    /// INHIBITSOURCE: an original that stays may only be read from now on.
    pub inhibit_source: bool,
    /// INHIBITTARGET: what is imported from the copy may only be read.
    pub inhibit_target: bool,
    /// The catalog it is in; the one that the search order finds where none is said.
    pub catalog: Option<String>,
}

/// How EXPORT copies contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportMode {
    /// CIMODE: control intervals as they are stored.
    ControlIntervals,
    /// RECORDMODE: record by record.
    Records,
}

/// What EXPORT copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    /// Records that were copied one by one.
    pub records: u64,
    /// Control intervals that were copied as they are stored.
    pub control_intervals: u64,
}

impl Services {
    /// Copies a data set with its definition into a portable copy, and then takes it away or marks it.
    pub fn export(&mut self, request: &Export) -> Outcome<Exported> {
        Outcome::with(|out| {
            let done = export(self, request, out);
            done.map_err(|failure| failure.with_cc(12))
        })
    }
}

fn export(services: &mut Services, request: &Export, out: &mut Report) -> Result<(u8, Exported), Failure> {
    let source = Source::of(services, request)?;
    if source.permanent && !request.purge {
        source.doomed.iter().try_for_each(|entry| expired(services, entry))?;
    }
    if source.permanent {
        let mut goes = source.doomed.iter();
        goes.try_for_each(|entry| decided::check(services, &source.catalog, entry))?;
    }
    let copy = NewCopy::create(services, &request.onto)?;
    let name = copy.name.clone();
    let output = |error: std::io::Error| unwritten(&name, &error);
    if source.permanent && copy.file.is_stream() {
        let words =
            "it is no file that keeps what is written to it, and the original would be deleted; write to a file, \
                     or say TEMPORARY";
        return Err(output(std::io::Error::other(words)));
    }
    let head = head(services, source.entry.name(), source.members.len());
    let mut writer = Writer::new(copy.file, head, LEVEL).map_err(output)?;
    let version = if source.permanent {
        Some(source.version(services)?)
    } else {
        None
    };
    let condition = tell_doubt(services, sphere(&source.entry), out)?;
    let mut exported = Exported::default();
    let mode = source.mode(request.mode)?;
    let opened = source.opened(services, request, out)?;
    let by_record = mode == Mode::Records && !opened.is_in_use();
    for copied in opened.entries() {
        let written = if by_record && rank(copied.entry.kind()) < 2 {
            by_records(services, &source.catalog, copied.entry.clone(), &mut writer, &name)?
        } else {
            copied.write(services, &mut writer, &name, &mut 0)?
        };
        exported.records += written.records;
        exported.control_intervals += written.control_intervals;
    }
    opened.check(sphere(&source.entry))?;
    let (file, _) = writer.finish().map_err(output)?;
    // From here on it is there whatever happens, and the source may go.
    file.finish().map_err(output)?;
    complete(services, &copy.place, out)?;
    if exported.records > 0 {
        out.say(&IDC0005I, &[("count", &exported.records)]);
    }
    let (date, time) = moment(head.created);
    out.say(&IDC0594I, &[("date", &date), ("time", &time)]);
    match version {
        Some(version) => source.take_away(services, request.erase, version, out)?,
        None => source.mark(request.inhibit_source)?,
    }
    Ok((condition, exported))
}

/// What is exported.
struct Source {
    catalog: Arc<Catalog>,
    entry: Entry,
    /// The entry, and the paths and aliases that lead to it.
    members: Vec<Entry>,
    permanent: bool,
    /// What goes with it when it goes, each before the one it names.
    doomed: Vec<Entry>,
}

impl Source {
    fn of(services: &Services, request: &Export) -> Result<Source, Failure> {
        let text = request.name.as_str();
        let name = Name::parse(text).map_err(|_| not_found(&text))?;
        let catalog = services.catalog_of(request.catalog.as_deref(), text)?;
        let contents = catalog.contents()?;
        let entry = match contents.find(&name) {
            Some(Resolved::Entry(entry)) => entry.clone(),
            Some(Resolved::Component(part, _, of)) => {
                let words = format!("{name} is the {} component of {}; export that", part.word(), of.name());
                return Err(refused(&words, 140, 0));
            }
            None => return Err(not_found(&name)),
        };
        if entry.components().next().is_none() {
            let words = format!("{name} is a {} and has no contents to export", entry.kind().word());
            return Err(refused(&words, 140, 0));
        }
        let leading = contents.related(&name).filter(|e| rank(e.kind()) > 1);
        let mut members: Vec<Entry> = std::iter::once(entry.clone()).chain(leading.cloned()).collect();
        members.sort_by_key(|e| rank(e.kind()));
        let permanent = !request.temporary;
        let doomed = with_related(&contents, &name)?;
        Ok(Source {
            catalog,
            entry,
            members,
            permanent,
            doomed,
        })
    }

    /// How the contents are copied.
    fn mode(&self, stated: Option<ExportMode>) -> Result<Mode, Failure> {
        let keyed = matches!(&self.entry, Entry::Cluster(c) if c.organization == Organization::Ksds);
        match (keyed, stated) {
            (true, None | Some(ExportMode::Records)) => Ok(Mode::Records),
            (false, Some(ExportMode::Records)) => {
                let item = format!("RECORDMODE OF {}", self.entry.name());
                let reason = "only key-sequenced clusters are copied record by record; leave it out";
                Err(Failure::new(&CICA0908E, &[("item", &item), ("reason", &reason)]))
            }
            _ => Ok(Mode::ControlIntervals),
        }
    }

    /// What is copied, open. One that goes is nobody else's, and records are read by who has them for himself.
    fn opened(&self, services: &Services, request: &Export, out: &mut Report) -> Result<CopiedSphere, Failure> {
        let inhibit = request.inhibit_target;
        let copied = |entry: &Entry| marked(entry, |a| (a.inhibit, a.exported) = (inhibit, false));
        let copied: Vec<Entry> = self.members.iter().map(copied).collect();
        let entries = copied.iter().map(|entry| (&*self.catalog, entry));
        if self.permanent || request.mode == Some(ExportMode::Records) {
            return CopiedSphere::of_nobody_else(services, entries);
        }
        CopiedSphere::open(services, sphere(&self.entry), entries, out)
    }

    /// The version of its committed root: another one says that somebody changed it.
    fn version(&self, services: &Services) -> Result<u32, Failure> {
        let name = self.entry.name().as_str();
        match files(&self.catalog, &self.entry)? {
            Some((data, index)) => {
                let stored = services.engine.stored(&data, &index);
                Ok(stored.map_err(|e| not_opened(name, &e))?.data.root().version)
            }
            None => Ok(0),
        }
    }

    /// PERMANENT: takes the object out of the catalog with all that leads to it and is built over it.
    fn take_away(
        self,
        services: &Services,
        erase: Option<bool>,
        version: u32,
        out: &mut Report,
    ) -> Result<(), Failure> {
        let making = Making::begin(services, &self.catalog)?;
        let mut locked = Vec::new();
        for entry in self.doomed.iter().filter(|entry| entry.attributes().is_some()) {
            let stated = entry.attributes().is_some_and(|a| a.erase);
            let erase = erase.unwrap_or(stated);
            locked.push(Replaced::lock(services, &self.catalog, entry.clone(), erase)?);
        }
        if let Some((data, _)) = files(&self.catalog, &self.entry)? {
            if services.engine.peek(&data)?.version != version {
                let words = format!(
                    "{} was changed while it was exported; it stays, and the copy is of before: export it again",
                    self.entry.name()
                );
                return Err(refused(&words, 184, 6));
            }
        }
        let doomed = self.doomed;
        making.switch(locked, |contents| {
            if with_related(contents, self.entry.name())? != doomed {
                let words = format!(
                    "what leads to {} was changed while it was exported; all of it stays: export it again",
                    self.entry.name()
                );
                return Err(refused(&words, 184, 6));
            }
            for entry in &doomed {
                contents.remove(entry.name())?;
            }
            Ok(())
        })?;
        for entry in &doomed {
            tell(&IDC0550I, entry, out);
        }
        let left_out = |entry: &&Entry| matches!(entry, Entry::Aix(_)) && entry.name() != self.entry.name();
        for aix in doomed.iter().filter(left_out) {
            out.say(&CICA0968I, &[("name", aix.name()), ("base", self.entry.name())]);
        }
        Ok(())
    }

    /// TEMPORARY: notes that there is a copy, by which IMPORT may replace the data set.
    fn mark(self, inhibit: bool) -> Result<(), Failure> {
        let name = self.entry.name().clone();
        self.catalog.transact(|contents| {
            let entry = contents.get(&name)?;
            let marked = marked(entry, |a| {
                a.exported = true;
                a.inhibit |= inhibit;
            });
            Ok(contents.replace(&name, marked)?)
        })
    }
}

/// An entry with other attributes, where it has any.
fn marked(entry: &Entry, change: impl FnOnce(&mut Attributes)) -> Entry {
    let mut entry = entry.clone();
    match &mut entry {
        Entry::Cluster(e) => change(&mut e.attributes),
        Entry::Aix(e) => change(&mut e.attributes),
        _ => {}
    }
    entry
}

/// Copies a cluster record by record.
fn by_records(
    services: &mut Services,
    catalog: &Catalog,
    entry: Entry,
    writer: &mut Writer<NewFile>,
    copy: &str,
) -> Result<Totals, Failure> {
    let output = |error: std::io::Error| unwritten(copy, &error);
    let name = entry.name().to_string();
    let (kind, fields) = cica_catalog::wire::encode_entry(&entry);
    let member = Member {
        mode: Mode::Records,
        entry: kind,
        fields,
    };
    writer.member(&member).map_err(output)?;
    let Some((data, index)) = files(catalog, &entry)? else {
        return writer.end_member().map_err(output);
    };
    // One that was never loaded cannot be opened for input, and has no records.
    let opened = |error| not_opened(&name, &error);
    if services
        .engine
        .stored(&data, &index)
        .map_err(opened)?
        .data
        .root()
        .levels
        == 0
    {
        return writer.end_member().map_err(output);
    }
    let data_set = services
        .engine
        .open(&data, &index, OpenOptions::default())
        .map_err(opened)?;
    let mut string = data_set.string();
    let mut count = 0;
    loop {
        match string.next(Intent::Read) {
            Ok(record) => writer.record(0, record.bytes).map_err(output)?,
            Err(RequestError::EndOfData) => break,
            Err(error) => return Err(Trouble::from(error).of(&name)),
        }
        count += 1;
        services.progress(count);
    }
    drop(string);
    data_set.close().map_err(|error| Trouble::Close(error).of(&name))?;
    writer.end_member().map_err(output)
}
