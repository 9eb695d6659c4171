//! ALTER: changes entries of the catalog, and what the files of a cluster carry of them.
//!
//! 1. Either both the catalog and the files have the change, or neither: the files are changed under the catalog's
//!    lock before the catalog is written, and changed back if it cannot be.
//! 2. A generic name means each entry and each component it matches, each altered or refused by itself.
//! 3. Alternate indexes name their base in their files too, and get its new name with it.
//! 4. NEWNAME leaves files where they are: what a file is called on its volume says nothing to anybody.

mod alternate;
mod change;
mod cluster;
mod rename;
mod request;
mod rollin;
mod volumes;

use super::failure::{not_found, refused, Failure};
use super::file_change::FileChange;
use super::generations::rolled_off;
use super::outcome::Outcome;
use super::pattern::renamed;
use super::report::Report;
use super::stated::NewLayout;
use super::{member, reorganize, Services};
use cica_catalog::entry::EntryKind;
use cica_catalog::generation::Rolled;
use cica_catalog::related::leads_to_catalog;
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Mask, Name};
use cica_messages::{IDC0531I, IDC0532I};
pub use request::{Alter, Nullified};
pub use rollin::RollIn;
use std::sync::Arc;

/// Least condition code when an entry was not altered.
const NOT_ALTERED: u8 = 8;

impl Services {
    /// Changes entries, and what the files of a cluster carry of them; or copies a loaded data set into another layout.
    pub fn alter(&mut self, request: &Alter) -> Outcome {
        Outcome::of(|out| {
            Ok(match &request.reorganize {
                Some(layout) => reorganized(self, request, layout, out),
                None => alter(self, request, out),
            })
        })
    }

    /// Makes a generation that rolled off, or never came in, one of its group again.
    pub fn roll_in(&mut self, request: &RollIn) -> Outcome {
        Outcome::of(|out| {
            let done = rollin::roll_in(self, request, out).map(|()| 0);
            Ok(done.unwrap_or_else(|failure| not_altered(&request.generation, failure, out)))
        })
    }
}

fn reorganized(services: &mut Services, request: &Alter, layout: &NewLayout, out: &mut Report) -> u8 {
    let name = request.entry.as_str();
    let done = match request.keywords().first() {
        Some(other) => {
            let words = format!("{other} and REORGANIZE cannot stand together; ALTER twice");
            Err(refused(&words, 140, 0))
        }
        None => reorganize::reorganize(services, name, request.catalog.as_deref(), layout, out),
    };
    match done {
        Ok(()) => {
            out.say(&IDC0531I, &[("name", &name)]);
            0
        }
        Err(failure) => {
            let cc = failure.tell(out);
            out.say(&IDC0532I, &[("name", &name)]);
            cc.max(NOT_ALTERED)
        }
    }
}

fn alter(services: &Services, request: &Alter, out: &mut Report) -> u8 {
    match targets(services, request) {
        Err(failure) => not_altered(&request.entry, failure, out),
        Ok(targets) => targets.iter().fold(0, |cc, target| {
            cc.max(match one(services, target, request) {
                Ok((catalog, rolled)) => {
                    rolled_off(services, &catalog, rolled, out);
                    out.say(&IDC0531I, &[("name", &target.name)]);
                    0
                }
                Err(failure) => not_altered(target.name.as_str(), failure, out),
            })
        }),
    }
}

fn not_altered(name: &str, failure: Failure, out: &mut Report) -> u8 {
    let cc = failure.tell(out);
    out.say(&IDC0532I, &[("name", &name)]);
    cc.clamp(NOT_ALTERED, 12)
}

/// An entry or component to be altered.
struct AlterTarget {
    catalog: Arc<Catalog>,
    name: Name,
    new_name: Option<Name>,
}

fn targets(services: &Services, request: &Alter) -> Result<Vec<AlterTarget>, Failure> {
    let text = request.entry.as_str();
    let stated = request.catalog.as_deref();
    if text.contains('(') {
        member::check_entry(&*services.catalog_of(stated, text)?.contents()?, text)?;
    }
    let mask = Mask::parse(text).map_err(|error| refused(&error, 8, 42))?;
    let new_name = request.new_name.as_deref();
    let mut names = Vec::new();
    for catalog in services.catalogs_of(stated, &mask)? {
        // What one of them has would stay as it is, and nothing would say so.
        let catalog = catalog?;
        let found = if mask.is_generic() {
            let mut found = matching(&*catalog.contents()?, &mask);
            if stated.is_none() {
                services.retain_reached(&catalog, &mut found)?;
            }
            found
        } else {
            vec![Name::parse(text).map_err(|error| refused(&error, 8, 42))?]
        };
        names.extend(found.into_iter().map(|name| (catalog.clone(), name)));
    }
    if names.is_empty() {
        return Err(not_found(&text));
    }
    names
        .into_iter()
        .map(|(catalog, name)| {
            let new_name = new_name.map(|new| renamed(&mask, new, &name)).transpose()?;
            Ok(AlterTarget {
                catalog,
                name,
                new_name,
            })
        })
        .collect()
}

/// Names of entries and components that the mask means; catalogs and their aliases it does not mean.
fn matching(contents: &Contents, mask: &Mask) -> Vec<Name> {
    let entries = contents.entries().filter(|entry| !leads_to_catalog(contents, entry));
    let all = entries.flat_map(|entry| {
        let components = entry.components().map(|(_, component)| component.name.clone());
        std::iter::once(entry.name().clone()).chain(components)
    });
    all.filter(|name| mask.matches(name)).collect()
}

/// Alters one; returns its catalog and the generations that left a group whose limit is lower now.
fn one(services: &Services, target: &AlterTarget, request: &Alter) -> Result<(Arc<Catalog>, Vec<Rolled>), Failure> {
    let catalog = target.catalog.clone();
    if let Some(name) = target.new_name.as_ref().filter(|_| request.catalog.is_none()) {
        // Under its new name the entry must be found again.
        let remedy = "REPRO MERGECAT moves entries between catalogs";
        services.check_home(&catalog, &target.name, name, remedy)?;
    }
    let mut written: Vec<FileChange> = Vec::new();
    let mut altered: Option<Entry> = None;
    let done = catalog.transact(|contents| -> Result<_, Failure> {
        let found = contents.find(&target.name).ok_or_else(|| not_found(&target.name))?;
        let (kind, old) = (found.kind(), found.entry().clone());
        let mut new = old.clone();
        change::change(contents, &mut new, kind, request, services.today())?;
        if let Some(name) = &target.new_name {
            if matches!(new, Entry::Gdg(_)) && !contents.generations(old.name()).is_empty() {
                let words = format!("{} has generations, whose names begin with its own", old.name());
                return Err(refused(&words, 140, 0));
            }
            rename::rename(&mut new, kind, name);
        }
        change::check(services, &catalog, contents, &old, &new)?;
        contents.replace(old.name(), new.clone())?;
        let followed = rename::follow(contents, old.name(), new.name())?;
        let rolled = contents.roll_off(new.name(), services.today())?;
        let share = request.stated.share.filter(|_| kind != EntryKind::Data);
        let mut changes = Vec::from_iter(FileChange::between(services, &catalog, &old, &new, share)?);
        for (before, after) in &followed {
            changes.extend(FileChange::between(services, &catalog, before, after, None)?);
        }
        let new = altered.insert(new);
        written = changes;
        written.iter().try_for_each(|change| change.make(services))?;
        // The lock that this returns would be in the way of these changes.
        let kept = volumes::check_held(services, &catalog, &old, new)?;
        Ok((rolled, kept))
    });
    if let (Err(_), Some(new)) = (&done, &altered) {
        // The catalog may have the change although its writing was not confirmed.
        let lacks_it = match catalog.get(new.name()) {
            Ok(there) => there != *new,
            Err(CatalogError::NotFound { .. }) => true,
            // It cannot be found out. What cannot be confirmed is there most likely.
            Err(_) => false,
        };
        if lacks_it {
            // The first error is the one to tell.
            written.iter().for_each(|change| drop(change.undo(services)));
        }
    }
    let (rolled, _) = done?;
    if let Some(name) = &target.new_name {
        services.dd.note_made(name);
    }
    Ok((catalog, rolled))
}
