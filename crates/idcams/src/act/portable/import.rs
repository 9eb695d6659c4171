//! IMPORT: a data set out of a portable copy that EXPORT made, with the definition in it.
//!
//! | the name in the catalog is | then |
//! |---|---|
//! | not there | the data set is made |
//! | a data set that EXPORT TEMPORARY copied | it is replaced |
//! | an empty data set, and INTOEMPTY is said | it is filled, with its own definition |
//! | anything else | refused |
//!
//! 1. Until the copy was read to its end the catalog is as before; then everything is put into it by one change.

use super::super::delete::expired;
use super::super::failure::{refused, Failure};
use super::super::making::Replaced;
use super::super::Services;
use super::place::place;
use super::receive::Received;
use super::{moment, Copy};
use crate::act::report::Report;
use crate::params::{Command, Params};
use cica_catalog::entry::Relate;
use cica_catalog::{Catalog, Entry, Name};
use cica_format::portable::Mode;
use cica_messages::{CICA0967E, IDC0005I, IDC0604I, IDC3013I};

/// Carries out IMPORT.
pub fn import(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match run(services, &command.params, out) {
        Ok(()) => 0,
        Err(failure) => failure.with_cc(12).tell(out),
    }
}

fn run(services: &mut Services, params: &Params, out: &mut Report) -> Result<(), Failure> {
    let mut copy = Copy::open(services, params)?;
    let (date, time) = moment(copy.created());
    out.say(&IDC0604I, &[("date", &date), ("time", &time)]);
    let mut received = Received::default();
    let mut records = None;
    let mut members = 0;
    // The name of the object in the copy, and here.
    let mut renamed: Option<(Name, Name)> = None;
    while let Some((mode, mut entry)) = copy.member()? {
        members += 1;
        if mode == Mode::Definition && matches!(entry, Entry::Alias(_)) && !params.flag("ALIAS") {
            copy.skip()?;
            continue;
        }
        let old = entry.name().clone();
        let wanted = Wanted::of(params, &entry, renamed.is_none())?;
        wanted.apply(&mut entry, renamed.as_ref())?;
        renamed.get_or_insert((old, entry.name().clone()));
        let count = one(services, params, &mut copy, &mut received, mode, &mut entry, &wanted)?;
        records = records.or(count);
    }
    if members == 0 {
        return Err(Failure::new(&CICA0967E, &[("name", &"IMPORT: THE COPY IS EMPTY")]));
    }
    // One object, in one catalog.
    received.switch().1?;
    if let Some(count) = records {
        out.say(&IDC0005I, &[("count", &count)]);
    }
    Ok(())
}

/// Makes one member; tells how many records were imported one by one.
fn one(
    services: &mut Services,
    params: &Params,
    copy: &mut Copy,
    received: &mut Received,
    mode: Mode,
    entry: &mut Entry,
    wanted: &Wanted<'_>,
) -> Result<Option<u64>, Failure> {
    let catalog = services.catalog(params, entry.name().as_str())?;
    let contents = catalog.contents()?;
    for component in entry.components_mut() {
        place(&contents, wanted.volumes(), component)?;
    }
    let within = received.within(services, &catalog)?;
    if let Some(old) = there(services, params, &catalog, entry)? {
        let erase = old.attributes().is_some_and(|a| a.erase);
        let erase = params.switch("ERASE", "NOERASE").unwrap_or(erase);
        let lock = Replaced::lock(services, &catalog, old.clone(), erase)?;
        within.replaced.push((old, lock));
    }
    let count = match mode {
        Mode::Definition => copy.skip().map(|_| None)?,
        Mode::ControlIntervals => {
            let paths = within.making.list(entry)?;
            copy.rebuild(services, entry, paths).map(|_| None)?
        }
        Mode::Records => {
            let paths = within.making.list(entry)?;
            copy.load(services, entry, paths).map(Some)?
        }
    };
    received.within(services, &catalog)?.entries.push(entry.clone());
    Ok(count)
}

/// The table at the head of the file: what is in the way and goes, and what `entry` becomes then.
fn there(services: &Services, params: &Params, catalog: &Catalog, entry: &mut Entry) -> Result<Option<Entry>, Failure> {
    let contents = catalog.contents()?;
    let Some(found) = contents.find(entry.name()) else {
        return Ok(None);
    };
    let old = found.entry().clone();
    let exported = old.attributes().is_some_and(|a| a.exported);
    let duplicate = || Failure::new(&IDC3013I, &[("name", entry.name())]);
    if old.name() != entry.name() || old.kind() != entry.kind() {
        return Err(duplicate());
    }
    let definition = old.components().next().is_none();
    if params.flag("INTOEMPTY") && !definition {
        if !is_empty(services, catalog, &old)? {
            return Err(refused(
                &format!("{} is not empty; INTOEMPTY does not replace it", old.name()),
                140,
                0,
            ));
        }
        *entry = old.clone();
        return Ok(Some(old));
    }
    if !exported && !definition {
        return Err(duplicate());
    }
    if !params.flag("PURGE") {
        expired(services, &old)?;
    }
    Ok(Some(old))
}

fn is_empty(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<bool, Failure> {
    match super::stored::files(catalog, entry)? {
        Some((data, index)) => Ok(services.engine.stored(&data, &index)?.data.areas() == 0),
        None => Ok(false),
    }
}

/// What OBJECTS and OUTDATASET say of an entry.
struct Wanted<'p> {
    /// Its list in OBJECTS.
    object: Option<&'p Params>,
    params: &'p Params,
    new_name: Option<Name>,
}

impl<'p> Wanted<'p> {
    /// What is said of `entry`, which is the object itself or something that leads to it.
    fn of(params: &'p Params, entry: &Entry, is_object: bool) -> Result<Wanted<'p>, Failure> {
        let object = of_name(params, entry.name());
        let said = object.and_then(|list| list.name("NEWNAME"));
        let target = params.name("OUTDATASET").filter(|_| is_object);
        let new_name = said.or(target).map(Name::parse).transpose();
        Ok(Wanted {
            object,
            params,
            new_name: new_name.map_err(|error| refused(&error, 140, 0))?,
        })
    }

    fn volumes(&self) -> &[crate::params::Word] {
        self.object.map_or(&[], |list| list.list("VOLUMES"))
    }

    /// Gives `entry` its name here, its components theirs, and lets it lead to the object by that one's new name.
    fn apply(&self, entry: &mut Entry, object: Option<&(Name, Name)>) -> Result<(), Failure> {
        let old = entry.name().clone();
        for component in entry.components_mut() {
            let said = of_name(self.params, &component.name).and_then(|list| list.name("NEWNAME"));
            let rest = component.name.as_str().strip_prefix(old.as_str());
            let text = match (said, &self.new_name, rest.filter(|rest| rest.starts_with('.'))) {
                (Some(said), _, _) => said.to_owned(),
                (None, Some(new), Some(rest)) => format!("{new}{rest}"),
                _ => continue,
            };
            component.name = Name::parse(&text).map_err(|error| refused(&error, 140, 0))?;
        }
        if let Some((was, is)) = object {
            match entry {
                Entry::Path(path) if path.target == *was => path.target = is.clone(),
                Entry::Alias(alias) if alias.entry() == Some(was) => alias.relate = Relate::Entry(is.clone()),
                _ => {}
            }
        }
        if let Some(new) = &self.new_name {
            entry.rename(new.clone());
        }
        Ok(())
    }
}

/// The list in OBJECTS about an entry or component of this name.
fn of_name<'p>(params: &'p Params, name: &Name) -> Option<&'p Params> {
    let mut lists = params.groups("OBJECTS").iter();
    lists.find(|list| list.name("entryname") == Some(name.as_str()))
}
