//! Which entries a name of DELETE means.
//!
//! 1. A name with one `*` in the place of a whole qualifier after the first means all entries it matches, as it always
//!    did. A name with any other wild characters needs MASK, whatever it matches on the day.
//! 2. With MASK, and no type said, only what holds data is meant: clusters and non-VSAM data sets, those of generations
//!    among them. Groups, alternate indexes, paths and aliases go with what they lead to, or by their type.
//! 3. What a generic name means is looked for in the catalogs of all aliases related to it, and in the master; with
//!    MASK in the master alone. A catalog, or an alias of one, is meant by a generic name when its type is said.
//! 4. Where no catalog is said an entry is meant in the catalog alone in which its own name is looked for: one that
//!    lies hidden behind an alias of another catalog is reached with CATALOG.
//! 5. When a type is said, only entries of it are meant; one that is named in full and is of another type is refused.

use super::super::failure::{not_found, refused, Failure};
use super::super::member;
use super::super::Services;
use super::Delete;
use cica_catalog::entry::EntryKind;
use cica_catalog::related::{leads_to_catalog, related_names};
use cica_catalog::{Catalog, Contents, Mask, Name, Resolved};
use cica_messages::CICA1084I;
use std::sync::Arc;

/// The entries that a text means, catalog by catalog, in order.
pub type Selected = Vec<(Arc<Catalog>, Vec<Name>)>;

/// The entries that `text` means.
pub fn select(services: &Services, text: &str, kind: Option<EntryKind>, request: &Delete) -> Result<Selected, Failure> {
    let stated = request.catalog.as_deref();
    if text.contains('(') {
        member::check_entry(&*services.catalog_of(stated, text)?.contents()?, text)?;
    }
    let mask = Mask::parse(text).map_err(|error| refused(&error, 8, 42))?;
    if !mask.is_generic() {
        let catalog = services.catalog_of(stated, text)?;
        let name = named(&*catalog.contents()?, text, kind)?;
        return Ok(vec![(catalog, vec![name])]);
    }
    if !request.mask && !is_plain(text) {
        let words = format!(
            "{text} is generic; name an entry in full, or say MASK to delete all that it matches (with TEST, to see them)"
        );
        return Err(refused(&words, 140, 0));
    }
    let excluded = request.exclude.iter().map(|text| Mask::parse(text));
    let excluded = excluded
        .collect::<Result<Vec<Mask>, _>>()
        .map_err(|error| refused(&error, 140, 0))?;
    let catalogs = match (stated, request.mask) {
        (None, true) => vec![Ok(services.catalog.clone())],
        _ => services.catalogs_of(stated, &mask)?,
    };
    let (mut selected, mut lead_on) = (Selected::new(), false);
    for catalog in catalogs {
        // What one of them has would stay, and nothing would say so.
        let catalog = catalog?;
        let contents = catalog.contents()?;
        let meant = contents.list(&mask).filter(|entry| match kind {
            Some(kind) => kind == entry.kind(),
            None if request.mask => matches!(entry.kind(), EntryKind::Cluster | EntryKind::NonVsam),
            None => {
                let leads_on = leads_to_catalog(&contents, entry);
                lead_on |= leads_on;
                !leads_on
            }
        });
        let meant = meant.filter(|entry| !excluded.iter().any(|mask| mask.matches(entry.name())));
        let mut names: Vec<Name> = meant.map(|entry| entry.name().clone()).collect();
        if stated.is_none() {
            services.retain_reached(&catalog, &mut names)?;
        }
        if !names.is_empty() {
            selected.push((catalog, names));
        }
    }
    match selected.len() {
        0 if stated.is_none() && request.mask => Err(not_in_the_master(services, text, &mask)),
        0 if lead_on => {
            let words = format!("{text} means catalogs and aliases of catalogs alone; say their type to delete them");
            Err(refused(&words, 48, 0))
        }
        0 => Err(not_found(&text)),
        _ => Ok(selected),
    }
}

/// Nothing in the master; user catalogs may have what is meant.
fn not_in_the_master(services: &Services, text: &str, mask: &Mask) -> Failure {
    let contents = services.catalog.contents();
    let related = contents
        .map(|contents| related_names(&contents, mask))
        .unwrap_or_default();
    match related.first() {
        Some(first) => not_found(&text).and(&CICA1084I, &[("name", &text), ("catalog", first)]),
        None => not_found(&text),
    }
}

fn named(contents: &Contents, text: &str, kind: Option<EntryKind>) -> Result<Name, Failure> {
    let name = Name::parse(text).map_err(|error| refused(&error, 8, 42))?;
    match contents.find(&name) {
        None => Err(not_found(&text)),
        Some(Resolved::Component(part, _, entry)) => Err(refused(
            &format!(
                "{name} is the {} component of {}; delete that",
                part.word(),
                entry.name()
            ),
            48,
            0,
        )),
        Some(Resolved::Entry(entry)) => match kind.filter(|kind| *kind != entry.kind()) {
            Some(_) => Err(refused(
                &format!("{name} is of type {}; name that, or no type", entry.kind().word()),
                48,
                0,
            )),
            None => Ok(name),
        },
    }
}

/// One `*` for one whole qualifier that is not the first.
fn is_plain(text: &str) -> bool {
    let stars = text.bytes().filter(|b| *b == b'*').count();
    stars == 1 && !text.contains('%') && text.split('.').skip(1).any(|qualifier| qualifier == "*")
}
