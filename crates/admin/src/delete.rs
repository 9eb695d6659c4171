//! DELETE: takes entries out of the catalog, and their files off the volumes.
//!
//! 1. An entry goes out of the catalog before its files go, and these are listed until they are gone: what a crash
//!    leaves of them goes with the next open of the catalog (`removal`). When the data component cannot be removed, the entry
//!    is put back.
//! 2. Each entry of a list is deleted or refused by itself; the condition code is the highest.

mod select;
mod uncataloged;

use super::failure::{refused, Failure};
use super::outcome::Outcome;
use super::removal::{with_related, Removal};
use super::report::Report;
use super::{member, usercatalog, volume, Services};
use cica_catalog::entry::EntryKind;
use cica_catalog::{Catalog, Contents, Entry, Name, Unmaking};
use cica_messages::{MessageEntry as Message, IDC0548I, IDC0550I, IDC0551I, IDC0556I, IDC2900I};
use std::collections::BTreeSet;
use std::sync::Arc;
pub use uncataloged::Uncataloged;

/// Condition code when an entry was not deleted.
const NOT_DELETED: u8 = 8;

/// Entries that a mask has deleted so far, or would have.
type Gone = BTreeSet<Name>;

/// DELETE.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delete {
    /// Names and masks; each is deleted or refused by itself.
    pub names: Vec<String>,
    /// What they name.
    pub what: What,
    /// The catalog they are in; what the search order finds where none is said.
    pub catalog: Option<String>,
    /// MASK: a mask may mean many entries.
    pub mask: bool,
    /// EXCLUDE: names and masks of entries that a mask leaves alone.
    pub exclude: Vec<String>,
    /// PURGE: before the expiration date too.
    pub purge: bool,
    /// ERASE or NOERASE: are files overwritten before they go? As the entry says where nothing is said.
    pub erase: Option<bool>,
    /// NOSCRATCH: files stay on their volumes.
    pub keep_files: bool,
    /// FORCE: a catalog that is not empty goes too, and a group with its generations.
    pub force: bool,
    /// RECOVERY: the same, and data stay on their volumes.
    pub recovery: bool,
    /// TEST: tells what would go, and deletes nothing.
    pub test: bool,
}

/// What a name of DELETE names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum What {
    /// An entry of any kind.
    #[default]
    Entry,
    /// An entry of this kind.
    Kind(EntryKind),
    /// A volume, by its serial.
    Volume,
    /// What no catalog names, or an entry that leads to nothing.
    Uncataloged(Uncataloged),
}

impl Services {
    /// Deletes entries and their files; the result names what went, or with TEST would go.
    pub fn delete(&mut self, request: &Delete) -> Outcome<Vec<String>> {
        Outcome::with(|out| Ok(delete(self, request, out)))
    }
}

fn delete(services: &Services, request: &Delete, out: &mut Report) -> (u8, Vec<String>) {
    let (mut cc, mut all_gone) = (0, Vec::new());
    if request.mask && request.names.len() > 1 {
        return (Failure::new(&IDC2900I, &[]).tell(out).max(NOT_DELETED), all_gone);
    }
    for text in &request.names {
        let done = match request.what {
            What::Volume => {
                let done = volume::delete(services, text, request.catalog.as_deref(), request.test, out);
                done.map(|()| (0, vec![text.clone()]))
            }
            What::Uncataloged(of) => {
                let done = uncataloged::delete(services, text, of, request, out);
                done.map(|()| (0, vec![text.clone()]))
            }
            What::Entry => named(services, text, None, request, out),
            What::Kind(kind) => named(services, text, Some(kind), request, out),
        };
        match done {
            Ok((condition, gone)) => {
                cc = cc.max(condition);
                all_gone.extend(gone);
            }
            Err(failure) => cc = cc.max(not_deleted(text, failure, out)),
        }
    }
    (cc, all_gone)
}

/// Deletes what one name of the list means, entries of `kind` only if one is said; tells what went.
fn named(
    services: &Services,
    text: &str,
    kind: Option<EntryKind>,
    request: &Delete,
    out: &mut Report,
) -> Result<(u8, Vec<String>), Failure> {
    let (mut cc, mut all_gone) = (0, Vec::new());
    for (catalog, names) in select::select(services, text, kind, request)? {
        // What a name before it took along is not asked for again.
        let mut gone = Gone::new();
        let mut removal = Removal::begin(services, &catalog);
        for name in names {
            if gone.contains(&name) {
                continue;
            }
            let done = one(services, &catalog, &name, request, &mut removal, &mut gone, out);
            cc = cc.max(done.unwrap_or_else(|failure| not_deleted(name.as_str(), failure, out)));
        }
        let left = removal.end();
        cc = left.into_iter().fold(cc, |cc, left| cc.max(left.tell(out)));
        all_gone.extend(gone.iter().map(Name::to_string));
    }
    Ok((cc, all_gone))
}

fn not_deleted(name: &str, failure: Failure, out: &mut Report) -> u8 {
    let cc = failure.tell(out);
    let message = if member::is_member(name) { &IDC0548I } else { &IDC0551I };
    out.say(message, &[("name", &name)]);
    cc.clamp(NOT_DELETED, 12)
}

/// Deletes one entry, and before it those over it: alternate indexes, paths, aliases. Returns the condition code.
fn one(
    services: &Services,
    catalog: &Arc<Catalog>,
    name: &Name,
    request: &Delete,
    removal: &mut Removal<'_>,
    gone: &mut Gone,
    out: &mut Report,
) -> Result<u8, Failure> {
    let (doomed, mut going) = doomed(services, catalog, &*catalog.contents()?, name, request)?;
    if !request.purge {
        doomed.iter().try_for_each(|entry| expired(services, entry))?;
    }
    if !request.test {
        // One that is open, or that a unit in doubt has changed, keeps what hangs on it.
        let mut clusters = doomed
            .iter()
            .filter(|entry| matches!(entry, Entry::Cluster(_) | Entry::Aix(_)));
        let leaves_files = request.keep_files || request.recovery;
        clusters.try_for_each(|entry| {
            if leaves_files {
                removal.check(entry)
            } else {
                removal.condemn(entry).map(drop)
            }
        })?;
    }
    let mut cc = 0;
    for entry in &doomed {
        if request.test {
            if gone.insert(entry.name().clone()) {
                tell(&IDC0556I, entry, out);
            }
            continue;
        }
        match &going {
            // Entries before it may go without it; its list goes with it alone.
            Some(going) if entry.kind() == EntryKind::UserCatalog => {
                let (inherited, left) = usercatalog::inherited(services, catalog, going)?;
                removal.forget_for(entry, &inherited)?;
                cc = left.into_iter().fold(cc, |cc, left| cc.max(left.tell(out)));
            }
            _ => remove(removal, entry, request)?,
        }
        tell(&IDC0550I, entry, out);
        gone.insert(entry.name().clone());
        if let (Entry::UserCatalog(below), false) = (entry, request.keep_files) {
            let left = usercatalog::remove(services, catalog, below, going.take());
            cc = cc.max(left.map_or(0, |left| left.tell(out)));
        }
    }
    Ok(cc)
}

/// What goes with an entry: all that name it, and with FORCE or RECOVERY the generations of a group; and the user
/// catalog that the entry is of, which nobody changes meanwhile.
///
/// # Errors
/// A group or a catalog that is not empty, without these.
fn doomed(
    services: &Services,
    catalog: &Arc<Catalog>,
    contents: &Contents,
    name: &Name,
    request: &Delete,
) -> Result<(Vec<Entry>, Option<Unmaking>), Failure> {
    let mut going = None;
    let anyway = request.force || request.recovery;
    let mut doomed = with_related(contents, name)?;
    match contents.get(name)? {
        Entry::UserCatalog(entry) => {
            let stays = request.test || request.keep_files;
            going = usercatalog::check_deletable(services, catalog, entry, usercatalog::Asked { anyway, stays })?;
        }
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
            let mut with_theirs: Vec<Entry> = Vec::new();
            for (_, generation) in generations {
                with_theirs.extend(with_related(contents, generation.name())?);
            }
            with_theirs.retain(|entry| !doomed.iter().any(|known| known.name() == entry.name()));
            doomed.splice(0..0, with_theirs);
        }
        _ => {}
    }
    Ok((doomed, going))
}

pub(super) fn expired(services: &Services, entry: &Entry) -> Result<(), Failure> {
    match entry.history().and_then(|history| history.expires) {
        Some(day) if day.keeps_on(services.today()) => {
            let name = entry.name();
            let words = if day.is_never() {
                format!("{name} is kept for ever ({day}); say PURGE to delete it")
            } else {
                format!("{name} is kept until {day}; say PURGE to delete it before")
            };
            Err(refused(&words, 84, 6))
        }
        _ => Ok(()),
    }
}

/// Takes an entry out of the catalog, and its files off their volumes.
fn remove(removal: &mut Removal<'_>, entry: &Entry, request: &Delete) -> Result<(), Failure> {
    if request.keep_files || request.recovery {
        return removal.forget(entry);
    }
    let stated = entry.attributes().is_some_and(|a| a.erase);
    removal.scratch(entry, request.erase.unwrap_or(stated))
}

/// One line for each component and for the entry, set apart as z/OS does.
pub fn tell(message: &'static Message, entry: &Entry, out: &mut Report) {
    let components = entry.components().map(|(kind, component)| (kind, &component.name));
    let all: Vec<(EntryKind, &Name)> = components.chain([(entry.kind(), entry.name())]).collect();
    for (kind, name) in all {
        out.say_apart(message, &[("kind", &kind.letter()), ("name", name)]);
    }
}
