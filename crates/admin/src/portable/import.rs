//! IMPORT: a data set out of a portable copy that EXPORT made, with the definition in it.
//!
//! | the name in the catalog is | then |
//! |---|---|
//! | not there | the data set is made |
//! | a data set that EXPORT TEMPORARY copied | it is replaced |
//! | a path or an alias that leads to what the one in the copy leads to | it is replaced |
//! | an empty data set, and INTOEMPTY is said | it is filled, with its own definition, which must fit (`alike`) |
//! | anything else | refused |
//!
//! 1. Until the copy was read to its end the catalog is as before; then everything is put into it by one change.
//! 2. An alternate index comes in only over a base that is there, and that it agrees with (`tie`).
//! 3. The alternate indexes of a base that is replaced are built anew behind the change: they are not in its copy.

use super::super::define::check_homes;
use super::super::delete::expired;
use super::super::failure::Failure;
use super::super::file_change::FileChange;
use super::super::making::Replaced;
use super::super::open::no_dd;
use super::super::Services;
use super::import_names::{ImportNames, ImportObject};
use super::place::place;
use super::receive::Received;
use super::standing::{check_empty, leads_nowhere, leads_to, not_empty, not_over};
use super::tie::tie;
use super::{alike, indexes, moment, sphere, Copy};
use crate::named::Named;
use crate::outcome::Outcome;
use crate::report::Report;
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name};
use cica_engine::Files;
use cica_format::portable::Mode;
use cica_messages::{CICA0967E, CICA1000E, IDC0005I, IDC0604I};
use std::sync::Arc;

/// IMPORT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The file of the copy.
    pub from: Named,
    /// The name that the object gets here, or the DD statement that has it; that of the copy where nothing is said.
    pub to: Option<Named>,
    /// OBJECTS: other names and volumes than in the copy.
    pub objects: Vec<ImportObject>,
    /// ALIAS: aliases are imported too.
    pub aliases: bool,
    /// INTOEMPTY: into a data set that is there and empty.
    pub into_empty: bool,
    /// PURGE: what has the name is replaced before its expiration date too.
    pub purge: bool,
    /// ERASE or NOERASE: is what is replaced overwritten? As its entry says where nothing is said.
    pub erase: Option<bool>,
    /// The catalog it comes into; the one that the search order finds where none is said.
    pub catalog: Option<String>,
}

/// What IMPORT made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// The name of the object here; none when nothing was imported.
    pub name: Option<Name>,
    /// Records, where the copy has them one by one.
    pub records: Option<u64>,
}

impl Services {
    /// Makes a data set out of a copy that EXPORT made.
    pub fn import(&mut self, request: &Import) -> Outcome<Imported> {
        Outcome::with(|out| {
            let done = import(self, request, out);
            done.map_err(|failure| failure.with_cc(12))
        })
    }
}

fn import(services: &mut Services, request: &Import, out: &mut Report) -> Result<(u8, Imported), Failure> {
    let mut copy = Copy::open(services, &request.from)?;
    let (date, time) = moment(copy.created());
    out.say(&IDC0604I, &[("date", &date), ("time", &time)]);
    let new_name = request.to.as_ref().map(|to| named(services, to)).transpose()?;
    let mut importing = Importing {
        request,
        received: Received::default(),
        to_build: None,
        cc: 0,
    };
    let mut records = None;
    let mut members = 0;
    let mut unmet: Vec<&ImportObject> = request.objects.iter().collect();
    // The name of the object in the copy, and here.
    let mut renamed: Option<(Name, Name)> = None;
    while let Some((mode, mut entry)) = copy.member()? {
        members += 1;
        let is_of =
            |name: &Name| entry.name() == name || entry.components().any(|(_, component)| component.name == *name);
        unmet.retain(|object| !Name::parse(&object.name).is_ok_and(|name| is_of(&name)));
        if mode == Mode::Definition && matches!(entry, Entry::Alias(_)) && !request.aliases {
            copy.skip()?;
            continue;
        }
        let old = entry.name().clone();
        let before = sphere(&entry).clone();
        let target = new_name.as_deref().filter(|_| renamed.is_none());
        let wanted = ImportNames::of(&request.objects, &entry, target)?;
        wanted.apply(&mut entry, renamed.as_ref())?;
        renamed.get_or_insert((old, entry.name().clone()));
        let member = ImportMember { mode, entry, before };
        let count = importing.one(services, &mut copy, member, wanted.volumes(), out)?;
        records = records.or(count);
    }
    if members == 0 {
        return Err(Failure::new(&CICA0967E, &[("name", &"IMPORT: THE COPY IS EMPTY")]));
    }
    // It would come in under its old name, or on its old volumes.
    if let Some(object) = unmet.first() {
        return Err(Failure::new(&CICA0967E, &[("name", &object.name)]));
    }
    // One object, in one catalog.
    let switched = importing
        .received
        .switch(|contents, coming, _| over_something(contents, coming));
    switched.1?;
    if let Some(count) = records {
        out.say(&IDC0005I, &[("count", &count)]);
    }
    let mut cc = importing.cc;
    if let Some((catalog, base, names)) = importing.to_build {
        // The base is imported whatever becomes of them.
        cc = cc.max(match indexes::build(services, &catalog, &base, &names, out) {
            Ok((cc, _)) => cc,
            Err(failure) => failure.tell(out),
        });
    }
    if let Some((_, name)) = &renamed {
        services.dd.note_made(name);
    }
    let imported = Imported {
        name: renamed.map(|(_, name)| name),
        records,
    };
    Ok((cc, imported))
}

/// The name that is said, in the request or in the DD statement that it names.
fn named(services: &Services, to: &Named) -> Result<String, Failure> {
    let ddname = match to {
        Named::DataSet(name) => return Ok(name.clone()),
        Named::Dd(ddname) => ddname,
    };
    let text = services.dd.get(ddname).map_err(|missing| no_dd(ddname, missing))?;
    match Name::parse(&text.target) {
        Ok(name) if !text.attributes_stated => Ok(name.to_string()),
        _ => Err(Failure::new(&CICA1000E, &[("ddname", ddname), ("text", &text.target)])),
    }
}

/// A member of the copy, with the names it has here.
struct ImportMember {
    mode: Mode,
    entry: Entry,
    /// The name that its sphere had in the copy.
    before: Name,
}

/// What an IMPORT has made so far.
struct Importing<'r> {
    request: &'r Import,
    received: Received,
    /// Alternate indexes that are built anew at the end, and their base.
    to_build: Option<(Arc<Catalog>, Name, Vec<Name>)>,
    cc: u8,
}

impl Importing<'_> {
    /// Makes one member, on these volumes; tells how many records were imported one by one.
    fn one(
        &mut self,
        services: &mut Services,
        copy: &mut Copy,
        member: ImportMember,
        volumes: &[String],
        out: &mut Report,
    ) -> Result<Option<u64>, Failure> {
        let request = self.request;
        let (mode, mut entry) = (member.mode, member.entry);
        let catalog = services.catalog_of(request.catalog.as_deref(), entry.name().as_str())?;
        let contents = catalog.contents()?;
        if request.catalog.is_none() {
            let said = |name: &Name| {
                let mut names = request.objects.iter().filter_map(|object| object.new_name.as_deref());
                names.any(|said| said.eq_ignore_ascii_case(name.as_str()))
            };
            let components = entry.components().map(|(_, component)| component);
            check_homes(services, &catalog, entry.name(), components.filter(|c| said(&c.name)))?;
        }
        for component in entry.components_mut() {
            place(&contents, volumes, component)?;
        }
        let within = self.received.within(services, &catalog)?;
        let there = there(services, request, &catalog, &mut entry, mode)?;
        let filled = request.into_empty && there.as_ref().is_some_and(|old| old.components().next().is_some());
        if let Some(old) = there {
            let erase = old.attributes().is_some_and(|a| a.erase);
            let erase = request.erase.unwrap_or(erase);
            let lock = Replaced::lock(services, &catalog, old.clone(), erase)?;
            if request.into_empty {
                check_empty(services, &catalog, &old)?;
            }
            if let (Entry::Cluster(old), Entry::Cluster(new)) = (&old, &entry) {
                let names = indexes::to_build(services, &catalog, old, new)?;
                if !names.is_empty() {
                    self.to_build = Some((catalog.clone(), old.name.clone(), names));
                }
            }
            within.replaced.push((old, lock));
        }
        let count = match mode {
            Mode::Definition => copy.skip().map(|_| None)?,
            Mode::ControlIntervals => {
                let (data, index) = within.making.list(&mut entry)?;
                let descent = copy.descent(services, &catalog, &member.before, &entry)?;
                copy.rebuild(services, &entry, (data.clone(), index.clone()), descent)?;
                if filled {
                    let own = FileChange::to_be(services, &catalog, &entry)?;
                    own.map_or(Ok(()), |own| own.make(services))?;
                }
                if let Entry::Aix(aix) = &entry {
                    let (base, cc) = tie(services, &catalog, aix, &Files { data, index }, out)?;
                    self.received.within(services, &catalog)?.held.extend(base);
                    self.cc = self.cc.max(cc);
                }
                None
            }
            Mode::Records => {
                let paths = within.making.list(&mut entry)?;
                copy.load(services, &entry, paths).map(Some)?
            }
        };
        self.received.within(services, &catalog)?.entries.push(entry);
        Ok(count)
    }
}

/// The table at the head of the file: what is in the way and goes, and what `entry` becomes then.
fn there(
    services: &Services,
    request: &Import,
    catalog: &Catalog,
    entry: &mut Entry,
    mode: Mode,
) -> Result<Option<Entry>, Failure> {
    let contents = catalog.contents()?;
    let Some(found) = contents.find(entry.name()) else {
        return Ok(None);
    };
    let old = found.entry().clone();
    let exported = old.attributes().is_some_and(|a| a.exported);
    let duplicate = || {
        Failure::from(CatalogError::Duplicate {
            name: entry.name().clone(),
        })
    };
    if old.name() != entry.name() || old.kind() != entry.kind() {
        return Err(duplicate());
    }
    let definition = old.components().next().is_none();
    if definition && leads_to(&old).is_none_or(|target| leads_to(entry) != Some(target)) {
        return Err(duplicate());
    }
    if request.into_empty && !definition {
        if !is_empty(services, catalog, &old)? {
            return Err(not_empty(old.name()));
        }
        if mode == Mode::ControlIntervals {
            alike::check(entry, &old)?;
        }
        *entry = old.clone();
        return Ok(Some(old));
    }
    if !exported && !definition {
        return Err(duplicate());
    }
    if !request.purge {
        expired(services, &old)?;
    }
    Ok(Some(old))
}

/// What each of them leads to is there, or comes with it (2).
fn over_something(contents: &Contents, coming: &[Entry]) -> Result<(), Failure> {
    let lost = coming
        .iter()
        .find_map(|entry| leads_nowhere(contents, coming, entry).map(|target| (entry.name(), target)));
    match lost {
        None => Ok(()),
        Some((name, target)) => Err(not_over(name, target)),
    }
}

fn is_empty(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<bool, Failure> {
    match super::stored::files(catalog, entry)? {
        Some((data, index)) => Ok(services.engine.stored(&data, &index)?.data.areas() == 0),
        None => Ok(false),
    }
}
