//! Which entries a name of DELETE means.
//!
//! 1. A name with one `*` in the place of a whole qualifier after the first means all entries it matches, as it always
//!    did. A name with any other wild characters needs MASK, whatever it matches on the day.
//! 2. With MASK, and no type said, only what holds data is meant: clusters and non-VSAM data sets, those of generations
//!    among them. Groups, alternate indexes, paths and aliases go with what they lead to, or by their type.
//! 3. When a type is said, only entries of it are meant; one that is named in full and is of another type is refused.

use super::super::failure::{not_found, refused, Failure};
use super::super::member;
use super::Delete;
use cica_catalog::entry::EntryKind;
use cica_catalog::{Contents, Mask, Name, Resolved};

/// Names of the entries that `text` means, in order.
pub fn select(
    contents: &Contents,
    text: &str,
    kind: Option<EntryKind>,
    request: &Delete,
) -> Result<Vec<Name>, Failure> {
    member::check_entry(contents, text)?;
    let mask = Mask::parse(text).map_err(|error| refused(&error, 8, 42))?;
    if !mask.is_generic() {
        return named(contents, text, kind).map(|name| vec![name]);
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
    let found: Vec<Name> = contents
        .list(&mask)
        .filter(|entry| match kind {
            Some(kind) => kind == entry.kind(),
            None => !request.mask || matches!(entry.kind(), EntryKind::Cluster | EntryKind::NonVsam),
        })
        .filter(|entry| !excluded.iter().any(|mask| mask.matches(entry.name())))
        .map(|entry| entry.name().clone())
        .collect();
    match found.len() {
        0 => Err(not_found(&text)),
        _ => Ok(found),
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
