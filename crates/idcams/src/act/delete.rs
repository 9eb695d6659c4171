//! DELETE: takes entries out of the catalog, and their files off the volumes.
//!
//! 1. An entry goes out of the catalog before its files go: a crash in between leaves files without a name, never a
//!    name without files. When the data component cannot be removed, the entry is put back.
//! 2. Each entry of a list is deleted or refused by itself; the condition code is the highest.

mod select;
mod uncataloged;

use super::failure::{left_behind, refused, Failure};
use super::{usercatalog, volume, Services};
use crate::messages::{Entry as Message, IDC0550I, IDC0551I, IDC0556I};
use crate::params::{Command, Params};
use crate::sysprint::Sysprint;
use cica_catalog::entry::{Kind, NonVsam};
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name};
use cica_disk::{Lock, Open};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Condition code when an entry was not deleted.
const NOT_DELETED: u8 = 8;

/// Entries that a mask has deleted so far, or would have.
type Gone = BTreeSet<Name>;

/// Carries out DELETE.
pub fn delete(services: &mut Services, command: &Command, out: &mut Sysprint) -> u8 {
    let params = &command.params;
    let mut cc = 0;
    for word in params.list("entryname") {
        let done = if params.flag("VOLUME") {
            volume::delete(services, &word.text, params, out).map(|()| 0)
        } else if uncataloged::TYPES.iter().any(|of| params.flag(of)) {
            uncataloged::delete(services, &word.text, params, out).map(|()| 0)
        } else {
            named(services, &word.text, params, out)
        };
        cc = cc.max(done.unwrap_or_else(|failure| not_deleted(&word.text, &failure, out)));
    }
    cc
}

/// Deletes what one name of the list means.
fn named(services: &Services, text: &str, params: &Params, out: &mut Sysprint) -> Result<u8, Failure> {
    let catalog = services.catalog(params, text)?;
    let mut cc = 0;
    // What a name before it took along is not asked for again.
    let mut gone = Gone::new();
    for name in select::select(&*catalog.contents()?, text, params)? {
        if gone.contains(&name) {
            continue;
        }
        let done = one(services, &catalog, &name, params, &mut gone, out);
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
    gone: &mut Gone,
    out: &mut Sysprint,
) -> Result<u8, Failure> {
    let doomed = doomed(services, catalog, &*catalog.contents()?, name, params)?;
    if !params.flag("PURGE") {
        doomed.iter().try_for_each(|entry| expired(services, entry))?;
    }
    let mut cc = 0;
    for entry in &doomed {
        if params.flag("TEST") {
            if gone.insert(entry.name().clone()) {
                tell(&IDC0556I, entry, out);
            }
            continue;
        }
        let left = remove(services, catalog, entry, params)?;
        tell(&IDC0550I, entry, out);
        gone.insert(entry.name().clone());
        if let Some(left) = left {
            cc = cc.max(left.tell(out));
        }
    }
    Ok(cc)
}

/// What goes with an entry: all that name it, and with FORCE or RECOVERY the generations of a group.
///
/// # Errors
/// A group or a catalog that is not empty, without these.
fn doomed(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    name: &Name,
    params: &Params,
) -> Result<Vec<Entry>, Failure> {
    let anyway = params.flag("FORCE") || params.flag("RECOVERY");
    let mut doomed = with_related(contents, name)?;
    match contents.get(name)? {
        Entry::UserCatalog(entry) => usercatalog::check_deletable(services, catalog, entry, anyway)?,
        Entry::Gdg(_) => {
            let generations = contents.generations(name);
            if let (Some((_, newest)), false) = (generations.last(), anyway) {
                let words = format!(
                    "{name} has generations, {} in all and {} the newest; delete them first, or say FORCE to delete them too or \
                     RECOVERY to leave their data where they are",
                    generations.len(),
                    newest.name()
                );
                return Err(refused(&words, 140, 0));
            }
            let generations = generations.into_iter().map(|(_, entry)| entry.clone());
            doomed.splice(0..0, generations);
        }
        _ => {}
    }
    Ok(doomed)
}

/// The entry and all that name it, directly or by others, each before the one it names.
pub(super) fn with_related(contents: &Contents, name: &Name) -> Result<Vec<Entry>, CatalogError> {
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

pub(super) fn expired(services: &Services, entry: &Entry) -> Result<(), Failure> {
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
    let scratch = !params.flag("NOSCRATCH") && !params.flag("RECOVERY");
    let files = if scratch { Files::of(catalog, entry)? } else { None };
    if let Some(files) = &files {
        files.check_free(services)?;
    }
    catalog.transact(|contents| contents.remove(entry.name()))?;
    let Some(files) = files else {
        return match entry {
            Entry::UserCatalog(below) if !params.flag("NOSCRATCH") => Ok(usercatalog::remove(services, catalog, below)),
            Entry::NonVsam(data_set) if scratch => remove_file(services, catalog, data_set),
            _ => Ok(None),
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
                let directory = catalog.check_volume(catalog.contents()?.volume(serial)?)?;
                paths.push(directory.join(&component.file));
            }
        }
        let mut paths = paths.into_iter();
        Ok(paths.next().map(|data| Files {
            index: paths.next().unwrap_or_default(),
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

/// Removes the file of a data set that is not VSAM's, where it lies on a volume of this system.
fn remove_file(services: &Services, catalog: &Catalog, data_set: &NonVsam) -> Result<Option<Failure>, Failure> {
    let Some(path) = catalog.file_path(data_set)? else {
        return Ok(None);
    };
    match services.disk.remove(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Ok(Some(left_behind(&path, &error))),
        _ => Ok(None),
    }
}

/// One line for each component and for the entry, set apart as z/OS does.
pub fn tell(message: &Message, entry: &Entry, out: &mut Sysprint) {
    let components = entry.components().map(|(kind, component)| (kind, &component.name));
    let all: Vec<(Kind, &Name)> = components.chain([(entry.kind(), entry.name())]).collect();
    for (kind, name) in all {
        out.double(&message.line(&[("kind", &kind.letter()), ("name", name)]));
    }
}
