//! DELETE: takes entries out of the catalog, and their files off the volumes.
//!
//! 1. An entry goes out of the catalog before its files go: a crash in between leaves files without a name, never a
//!    name without files. When the data component cannot be removed, the entry is put back.
//! 2. Each entry of a list is deleted or refused by itself; the condition code is the highest.

mod select;

use super::failure::{refused, Failure};
use super::{volume, Services};
use crate::messages::{Entry as Message, CICA0937W, IDC0550I, IDC0551I, IDC0556I};
use crate::params::{Command, Params};
use crate::sysprint::Sysprint;
use cica_catalog::entry::Kind;
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name};
use cica_disk::{Lock, Open};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Condition code when an entry was not deleted.
const NOT_DELETED: u8 = 8;

/// Carries out DELETE.
pub fn delete(services: &mut Services, command: &Command, out: &mut Sysprint) -> u8 {
    let params = &command.params;
    let mut cc = 0;
    for word in params.list("entryname") {
        let done = match params.flag("VOLUME") {
            true => volume::delete(services, &word.text, params, out).map(|()| 0),
            false => named(services, &word.text, params, out),
        };
        cc = cc.max(done.unwrap_or_else(|failure| not_deleted(&word.text, &failure, out)));
    }
    cc
}

/// Deletes what one name of the list means.
fn named(services: &Services, text: &str, params: &Params, out: &mut Sysprint) -> Result<u8, Failure> {
    let catalog = services.catalog(params, text)?;
    let mut cc = 0;
    for name in select::select(&*catalog.contents()?, text, params)? {
        let done = one(services, &catalog, &name, params, out);
        cc = cc.max(done.unwrap_or_else(|failure| not_deleted(name.as_str(), &failure, out)));
    }
    Ok(cc)
}

fn not_deleted(name: &str, failure: &Failure, out: &mut Sysprint) -> u8 {
    let cc = failure.tell(out);
    out.say(&IDC0551I, &[("name", &name)]);
    cc.clamp(NOT_DELETED, 12)
}

/// Deletes one entry, and before it those over it: alternate indexes, paths, aliases. Returns the condition code.
fn one(
    services: &Services,
    catalog: &Catalog,
    name: &Name,
    params: &Params,
    out: &mut Sysprint,
) -> Result<u8, Failure> {
    let doomed = with_related(&*catalog.contents()?, name)?;
    if !params.flag("PURGE") {
        doomed.iter().try_for_each(|entry| expired(services, entry))?;
    }
    let mut cc = 0;
    for entry in &doomed {
        if params.flag("TEST") {
            tell(&IDC0556I, entry, out);
            continue;
        }
        let left = remove(services, catalog, entry, params)?;
        tell(&IDC0550I, entry, out);
        if let Some(left) = left {
            cc = cc.max(left.tell(out));
        }
    }
    Ok(cc)
}

/// The entry and all that name it, directly or by others, each before the one it names.
fn with_related(contents: &Contents, name: &Name) -> Result<Vec<Entry>, CatalogError> {
    let mut found = vec![contents.get(name)?.clone()];
    let mut next = 0;
    while let Some(entry) = found.get(next).cloned() {
        for related in contents.related(entry.name()) {
            if !found.iter().any(|known| known.name() == related.name()) {
                found.push(related.clone());
            }
        }
        next += 1;
    }
    found.reverse();
    Ok(found)
}

fn expired(services: &Services, entry: &Entry) -> Result<(), Failure> {
    match entry.history().and_then(|history| history.expires) {
        Some(day) if day > services.today() => Err(refused(
            &format!("{} is kept until {day}; say PURGE to delete it before", entry.name()),
            84,
            6,
        )),
        _ => Ok(()),
    }
}

/// Takes an entry out of the catalog and removes its files; what is returned tells of a file that could not be.
fn remove(services: &Services, catalog: &Catalog, entry: &Entry, params: &Params) -> Result<Option<Failure>, Failure> {
    let files = if params.flag("NOSCRATCH") {
        None
    } else {
        Files::of(catalog, entry)?
    };
    if let Some(files) = &files {
        files.check_free(services)?;
    }
    catalog.transact(|contents| contents.remove(entry.name()))?;
    let Some(files) = files else {
        return if params.flag("NOSCRATCH") {
            Ok(None)
        } else {
            remove_file(services, catalog, entry)
        };
    };
    let said = entry.attributes().is_some_and(|a| a.erase);
    let erase = params.switch("ERASE", "NOERASE").unwrap_or(said);
    let Err(error) = services.engine.destroy(&files.data, &files.index, erase) else {
        return Ok(None);
    };
    if services.disk.open(&files.data, Open::default()).is_ok() {
        // The records are still there: so is the entry.
        catalog.transact(|contents| contents.insert(entry.clone()))?;
        return Err(error.into());
    }
    Ok(Some(left_behind(&files.index, &error)))
}

/// Files of a cluster's components.
struct Files {
    data: PathBuf,
    index: PathBuf,
}

impl Files {
    /// Those of an entry; none for one without components.
    ///
    /// # Errors
    /// A volume is not there: its files would stay, and come back with it.
    fn of(catalog: &Catalog, entry: &Entry) -> Result<Option<Files>, CatalogError> {
        let mut paths = Vec::new();
        for (_, component) in entry.components() {
            if let Some(serial) = component.volumes.first() {
                paths.push(catalog.volume_path(serial)?.join(&component.file));
            }
        }
        let mut paths = paths.into_iter();
        Ok(paths.next().map(|data| Files {
            index: paths.next().unwrap_or_else(|| data.clone()),
            data,
        }))
    }

    /// Nobody has it open. Somebody may open it before it is removed; then the entry is put back.
    fn check_free(&self, services: &Services) -> Result<(), Failure> {
        let how = Open {
            write: true,
            lock: Lock::Exclusive,
            ..Open::default()
        };
        match services.disk.open(&self.data, how) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Err(refused(
                &format!("{} is in use; close it and try again", self.data.display()),
                184,
                6,
            )),
            // What else there is to say, removing it will say.
            _ => Ok(()),
        }
    }
}

/// Removes the file of a data set that is not VSAM's; other entries have none.
fn remove_file(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<Option<Failure>, Failure> {
    let Entry::NonVsam(data_set) = entry else {
        return Ok(None);
    };
    let path = match (data_set.file.as_str(), data_set.volumes.first()) {
        ("", Some(serial)) => catalog.volume_path(serial)?.join(data_set.name.as_str()),
        ("", None) => return Ok(None),
        (file, _) => PathBuf::from(file),
    };
    match services.disk.remove(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Ok(Some(left_behind(&path, &error))),
        _ => Ok(None),
    }
}

fn left_behind(path: &Path, reason: &dyn std::fmt::Display) -> Failure {
    Failure::new(&CICA0937W, &[("path", &path.display()), ("reason", reason)])
}

/// One line for each component and for the entry, set apart as z/OS does.
fn tell(message: &Message, entry: &Entry, out: &mut Sysprint) {
    let components = entry.components().map(|(kind, component)| (kind, &component.name));
    let all: Vec<(Kind, &Name)> = components.chain([(entry.kind(), entry.name())]).collect();
    for (kind, name) in all {
        out.double(&message.line(&[("kind", &kind.letter()), ("name", name)]));
    }
}
