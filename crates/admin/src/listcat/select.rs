//! Which entries LISTCAT lists.
//!
//! 1. ENTRIES means the entries it names or matches with their components, and components by themselves; LEVEL means
//!    the entries and components whose own names lie below its qualifiers; neither means the whole catalog. The order
//!    is that of names, components behind their entry.
//! 2. Types choose among these. CREATION and EXPIRATION choose by the dates of the entry.

use super::super::failure::{refused, Failure};
use super::model::{Describer, ListcatEntry};
use super::sphere;
use super::{Listcat, Listed};
use cica_catalog::entry::EntryKind;
use cica_catalog::{Date, Entry, Level, Mask, Name, Resolved};

/// Which entries are meant, besides their names.
pub struct EntrySelection {
    kinds: Vec<EntryKind>,
    today: Date,
    creation: Option<u32>,
    expiration: Option<u32>,
}

const KINDS: [EntryKind; 9] = [
    EntryKind::Aix,
    EntryKind::Alias,
    EntryKind::Cluster,
    EntryKind::Data,
    EntryKind::Gdg,
    EntryKind::Index,
    EntryKind::NonVsam,
    EntryKind::Path,
    EntryKind::UserCatalog,
];

impl EntrySelection {
    /// Kinds and dates of a request.
    pub fn of(request: &Listcat, today: Date) -> EntrySelection {
        EntrySelection {
            kinds: request.kinds.clone().unwrap_or_else(|| KINDS.to_vec()),
            today,
            creation: request.creation,
            expiration: request.expiration,
        }
    }

    fn takes(&self, entry: &Entry) -> bool {
        let history = entry.history();
        let old = |days: u32| history.is_some_and(|h| h.created.plus_days(days) <= self.today);
        let ends = |days: u32| {
            history
                .and_then(|h| h.expires)
                .is_some_and(|day| !day.is_never() && day <= self.today.plus_days(days))
        };
        let kinds = entry.components().map(|(kind, _)| kind).chain([entry.kind()]);
        self.creation.is_none_or(old)
            && self.expiration.is_none_or(ends)
            && kinds.into_iter().any(|kind| self.kinds.contains(&kind))
    }

    /// An entry and its components, as far as they are wanted.
    fn whole(&self, describer: &Describer, entry: &Entry, under: bool, each: &mut dyn FnMut(Listed)) {
        if !self.takes(entry) {
            return;
        }
        let all = describer.describe(entry).into_iter();
        for (place, entry) in all.filter(|e| self.kinds.contains(&e.kind)).enumerate() {
            each(Listed::Entry {
                entry: Box::new(entry),
                nested: under && place > 0,
            });
        }
    }

    /// One component by itself.
    fn component(&self, describer: &Describer, entry: &Entry, name: &Name, each: &mut dyn FnMut(Listed)) {
        if !self.takes(entry) {
            return;
        }
        let wanted = |e: &ListcatEntry| e.name == name.as_str() && self.kinds.contains(&e.kind);
        for entry in describer.describe(entry).into_iter().filter(wanted) {
            each(Listed::Entry {
                entry: Box::new(entry),
                nested: false,
            });
        }
    }

    /// The whole catalog, entry by entry.
    pub fn everything(&self, describer: &Describer, each: &mut dyn FnMut(Listed)) {
        for entry in sphere::in_order(describer.contents.entries()) {
            self.whole(describer, entry, false, each);
        }
    }

    /// What lies below a level; is there anything?
    pub fn level(&self, describer: &Describer, level: &Level, each: &mut dyn FnMut(Listed)) -> bool {
        let is_below = |entry: &Entry| {
            let mut components = entry.components();
            level.matches(entry.name()) || components.any(|(_, component)| level.matches(&component.name))
        };
        let below = sphere::in_order(describer.contents.entries().filter(|entry| is_below(entry)));
        let found = !below.is_empty();
        for entry in below.into_iter().filter(|entry| self.takes(entry)) {
            let all = describer.describe(entry).into_iter();
            let is_meant = |e: &ListcatEntry| Name::parse(&e.name).is_ok_and(|name| level.matches(&name));
            for entry in all.filter(|e| self.kinds.contains(&e.kind) && is_meant(e)) {
                each(Listed::Entry {
                    entry: Box::new(entry),
                    nested: false,
                });
            }
        }
        found
    }

    /// What a name of ENTRIES means; is there anything?
    pub fn entries(&self, describer: &Describer, mask: &Mask, each: &mut dyn FnMut(Listed)) -> Result<bool, Failure> {
        if !mask.is_generic() {
            let name = Name::parse(mask.as_str()).map_err(|error| refused(&error, 8, 42))?;
            match describer.contents.find(&name) {
                None => return Ok(false),
                Some(Resolved::Entry(entry)) => self.whole(describer, entry, true, each),
                Some(Resolved::Component(_, component, entry)) => {
                    self.component(describer, entry, &component.name, each)
                }
            }
            return Ok(true);
        }
        let mut found = false;
        for entry in describer.contents.entries() {
            if mask.matches(entry.name()) {
                found = true;
                self.whole(describer, entry, true, each);
                continue;
            }
            for (_, component) in entry
                .components()
                .filter(|(_, component)| mask.matches(&component.name))
            {
                found = true;
                self.component(describer, entry, &component.name, each);
            }
        }
        Ok(found)
    }
}
