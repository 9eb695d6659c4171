//! Which entries LISTCAT lists.
//!
//! 1. ENTRIES means the entries it names or matches with their components, and components by themselves; LEVEL means
//!    what lies below its qualifiers; neither means the whole catalog. The order is that of names, components behind
//!    their entry.
//! 2. Types choose among these. CREATION and EXPIRATION choose by the dates of the entry.

use super::super::failure::{not_found, refused, Failure};
use super::super::member;
use super::model::{Describer, ListcatEntry};
use super::sphere;
use crate::params::Params;
use cica_catalog::entry::Kind;
use cica_catalog::{Date, Entry, Found, Level, Mask, Name};

/// An entry or component to be listed.
pub struct Listed {
    /// What is known of it.
    pub entry: ListcatEntry,
    /// Does it stand under the entry it belongs to?
    pub nested: bool,
}

/// Which entries are meant, besides their names.
pub struct Choice {
    kinds: Vec<Kind>,
    today: Date,
    creation: Option<u32>,
    expiration: Option<u32>,
}

const TYPES: [(&str, Option<Kind>); 14] = [
    ("ALIAS", Some(Kind::Alias)),
    ("ALTERNATEINDEX", Some(Kind::Aix)),
    ("CLUSTER", Some(Kind::Cluster)),
    ("DATA", Some(Kind::Data)),
    ("GENERATIONDATAGROUP", Some(Kind::Gdg)),
    ("INDEX", Some(Kind::Index)),
    ("NONVSAM", Some(Kind::NonVsam)),
    ("PATH", Some(Kind::Path)),
    ("USERCATALOG", Some(Kind::UserCatalog)),
    // Page spaces and tape libraries there are none; volumes are listed by themselves.
    ("LIBRARYENTRIES", None),
    ("VOLUMEENTRIES", None),
    ("LIBRARY", None),
    ("PAGESPACE", None),
    ("SPACE", None),
];
const KINDS: [Kind; 9] = [
    Kind::Aix,
    Kind::Alias,
    Kind::Cluster,
    Kind::Data,
    Kind::Gdg,
    Kind::Index,
    Kind::NonVsam,
    Kind::Path,
    Kind::UserCatalog,
];

impl Choice {
    /// Types and dates of a command.
    pub fn of(params: &Params, today: Date) -> Choice {
        let said: Vec<Option<Kind>> = TYPES
            .iter()
            .filter(|(word, _)| params.has(word))
            .map(|(_, kind)| *kind)
            .collect();
        Choice {
            kinds: if said.is_empty() {
                KINDS.to_vec()
            } else {
                said.into_iter().flatten().collect()
            },
            today,
            // The table bounds both.
            creation: params.number("CREATION").map(|days| days as u32),
            expiration: params.number("EXPIRATION").map(|days| days as u32),
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
    fn whole(&self, describer: &Describer, entry: &Entry, under: bool) -> Vec<Listed> {
        if !self.takes(entry) {
            return Vec::new();
        }
        let all = describer
            .describe(entry)
            .into_iter()
            .filter(|e| self.kinds.contains(&e.kind));
        all.enumerate()
            .map(|(place, entry)| Listed {
                entry,
                nested: under && place > 0,
            })
            .collect()
    }

    /// One component by itself.
    fn component(&self, describer: &Describer, entry: &Entry, name: &Name) -> Vec<Listed> {
        if !self.takes(entry) {
            return Vec::new();
        }
        let wanted = |e: &ListcatEntry| e.name == name.as_str() && self.kinds.contains(&e.kind);
        let all = describer.describe(entry).into_iter().filter(wanted);
        all.map(|entry| Listed { entry, nested: false }).collect()
    }

    /// The whole catalog, entry by entry.
    pub fn everything(&self, describer: &Describer, each: &mut dyn FnMut(Vec<Listed>)) {
        for entry in sphere::in_order(describer.contents.entries()) {
            each(self.whole(describer, entry, false));
        }
    }

    /// What lies below a level.
    pub fn level(&self, describer: &Describer, text: &str, each: &mut dyn FnMut(Vec<Listed>)) -> Result<(), Failure> {
        let level = Level::parse(text).map_err(|error| refused(&error, 8, 42))?;
        let mut found = false;
        for entry in sphere::in_order(describer.contents.level(&level)) {
            found = true;
            each(self.whole(describer, entry, false));
        }
        if found {
            Ok(())
        } else {
            Err(not_found(&text))
        }
    }

    /// What a name of ENTRIES means.
    pub fn entries(&self, describer: &Describer, text: &str, each: &mut dyn FnMut(Vec<Listed>)) -> Result<(), Failure> {
        member::check_entry(describer.contents, text)?;
        let mask = Mask::parse(text).map_err(|error| refused(&error, 8, 42))?;
        if !mask.is_generic() {
            let name = Name::parse(text).map_err(|error| refused(&error, 8, 42))?;
            let listed = match describer.contents.find(&name) {
                None => return Err(not_found(&text)),
                Some(Found::Entry(entry)) => self.whole(describer, entry, true),
                Some(Found::Component(_, component, entry)) => self.component(describer, entry, &component.name),
            };
            each(listed);
            return Ok(());
        }
        let mut found = false;
        for entry in describer.contents.entries() {
            if mask.matches(entry.name()) {
                found = true;
                each(self.whole(describer, entry, true));
                continue;
            }
            for (_, component) in entry
                .components()
                .filter(|(_, component)| mask.matches(&component.name))
            {
                found = true;
                each(self.component(describer, entry, &component.name));
            }
        }
        if found {
            Ok(())
        } else {
            Err(not_found(&text))
        }
    }
}
