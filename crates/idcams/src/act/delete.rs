//! DELETE: takes entries out of the catalog, and their files off the volumes.
//!
//! 1. An entry goes out of the catalog before its files go, and these are listed until they are gone: what a crash
//!    leaves of them goes with the next open of the catalog (`removal`). When the data component cannot be removed, the entry
//!    is put back.
//! 2. Each entry of a list is deleted or refused by itself; the condition code is the highest.

mod select;
mod uncataloged;

use super::failure::{refused, Failure};
use super::removal::Removal;
use super::report::Report;
use super::{member, usercatalog, volume, Services};
use crate::params::{Command, Params};
use cica_catalog::entry::Kind;
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name};
use cica_messages::{Entry as Message, IDC0548I, IDC0550I, IDC0551I, IDC0556I};
use std::collections::BTreeSet;

/// Condition code when an entry was not deleted.
const NOT_DELETED: u8 = 8;

/// Entries that a mask has deleted so far, or would have.
type Gone = BTreeSet<Name>;

/// Carries out DELETE.
pub fn delete(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
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
        cc = cc.max(done.unwrap_or_else(|failure| not_deleted(&word.text, failure, out)));
    }
    cc
}

/// Deletes what one name of the list means.
fn named(services: &Services, text: &str, params: &Params, out: &mut Report) -> Result<u8, Failure> {
    let catalog = services.catalog(params, text)?;
    let mut cc = 0;
    // What a name before it took along is not asked for again.
    let mut gone = Gone::new();
    let mut removal = Removal::begin(services, &catalog);
    for name in select::select(&*catalog.contents()?, text, params)? {
        if gone.contains(&name) {
            continue;
        }
        let done = one(services, &catalog, &name, params, &mut removal, &mut gone, out);
        cc = cc.max(done.unwrap_or_else(|failure| not_deleted(name.as_str(), failure, out)));
    }
    let left = removal.end();
    Ok(left.into_iter().fold(cc, |cc, left| cc.max(left.tell(out))))
}

fn not_deleted(name: &str, failure: Failure, out: &mut Report) -> u8 {
    let cc = failure.tell(out);
    let message = match member::is_member(name) {
        true => &IDC0548I,
        false => &IDC0551I,
    };
    out.say(message, &[("name", &name)]);
    cc.clamp(NOT_DELETED, 12)
}

/// Deletes one entry, and before it those over it: alternate indexes, paths, aliases. Returns the condition code.
fn one(
    services: &Services,
    catalog: &Catalog,
    name: &Name,
    params: &Params,
    removal: &mut Removal<'_>,
    gone: &mut Gone,
    out: &mut Report,
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
        remove(removal, entry, params)?;
        tell(&IDC0550I, entry, out);
        gone.insert(entry.name().clone());
        if let (Entry::UserCatalog(below), false) = (entry, params.flag("NOSCRATCH")) {
            cc = cc.max(usercatalog::remove(services, catalog, below).map_or(0, |left| left.tell(out)));
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
        Some(day) if day.keeps_on(services.today()) => {
            let name = entry.name();
            let words = match day.is_never() {
                true => format!("{name} is kept for ever ({day}); say PURGE to delete it"),
                false => format!("{name} is kept until {day}; say PURGE to delete it before"),
            };
            Err(refused(&words, 84, 6))
        }
        _ => Ok(()),
    }
}

/// Takes an entry out of the catalog, and its files off their volumes.
fn remove(removal: &mut Removal<'_>, entry: &Entry, params: &Params) -> Result<(), Failure> {
    if params.flag("NOSCRATCH") || params.flag("RECOVERY") {
        return removal.forget(entry);
    }
    let said = entry.attributes().is_some_and(|a| a.erase);
    removal.scratch(entry, params.switch("ERASE", "NOERASE").unwrap_or(said))
}

/// One line for each component and for the entry, set apart as z/OS does.
pub fn tell(message: &'static Message, entry: &Entry, out: &mut Report) {
    let components = entry.components().map(|(kind, component)| (kind, &component.name));
    let all: Vec<(Kind, &Name)> = components.chain([(entry.kind(), entry.name())]).collect();
    for (kind, name) in all {
        out.say_apart(message, &[("kind", &kind.letter()), ("name", name)]);
    }
}
