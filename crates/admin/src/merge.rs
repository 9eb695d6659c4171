//! REPRO MERGECAT: entries move from one catalog to another; their data stay where they are.
//!
//! 1. All entries that are meant move, or none: see `cica_catalog::moves`, also for what a crash leaves.
//! 2. What goes together moves together: a cluster with its alternate indexes, paths and aliases, a group with its
//!    generations. User catalogs and their aliases stay: they are the master's.

use super::failure::{not_found, refused, Failure};
use super::named::Named;
use super::outcome::Outcome;
use super::report::Report;
use super::Services;
use cica_catalog::generation::Generation;
use cica_catalog::{Catalog, Contents, Entry, Level, Mask, Name};
use cica_messages::{CICA0956I, IDC0005I};
use std::collections::BTreeSet;
use std::sync::Arc;

/// REPRO MERGECAT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeCatalogs {
    /// The catalog that entries leave.
    pub from: Named,
    /// The one they come into.
    pub to: Named,
    /// ENTRIES: names and masks of those that move. All move where neither these nor levels are named.
    pub entries: Vec<String>,
    /// LEVEL: all below these qualifiers move.
    pub levels: Vec<String>,
    /// MESSAGELEVEL(SHORT): what moved is counted and not told one by one.
    pub short: bool,
}

impl Services {
    /// Moves entries from one catalog to another; the result names them.
    pub fn merge_catalogs(&mut self, request: &MergeCatalogs) -> Outcome<Vec<Name>> {
        Outcome::with(|out| {
            let names = merged(self, request, out).map_err(|failure| failure.with_cc(12))?;
            out.say(&IDC0005I, &[("count", &names.len())]);
            Ok((0, names))
        })
    }
}

fn merged(services: &Services, request: &MergeCatalogs, out: &mut Report) -> Result<Vec<Name>, Failure> {
    let source = catalog(services, &request.from)?;
    let target = catalog(services, &request.to)?;
    if source.directory() == target.directory() {
        return Err(refused(
            &"both names mean one catalog; name another to move entries to",
            140,
            0,
        ));
    }
    let contents = source.contents()?;
    let names: Vec<Name> = whole(&contents, chosen(&contents, request)?).into_iter().collect();
    source.move_entries(&target, &names)?;
    if !request.short {
        let place = target.directory().display();
        for name in &names {
            out.say(&CICA0956I, &[("name", name), ("directory", &place)]);
        }
    }
    Ok(names)
}

/// The catalog that a DD or a name means.
fn catalog(services: &Services, named: &Named) -> Result<Arc<Catalog>, Failure> {
    let name = services.name_of(named)?;
    Ok(services.catalog.called(&name)?)
}

/// Names that masks, levels or neither choose.
fn chosen(contents: &Contents, request: &MergeCatalogs) -> Result<BTreeSet<Name>, Failure> {
    let mut chosen = BTreeSet::new();
    let mut take = |text: &str, taken: Vec<&Entry>| {
        chosen.extend(taken.iter().map(|entry| entry.name().clone()));
        if taken.is_empty() {
            Err(not_found(&text))
        } else {
            Ok(())
        }
    };
    for text in &request.entries {
        let mask = Mask::parse(text).map_err(|error| refused(&error, 8, 42))?;
        take(text, contents.list(&mask).filter(|e| moves(contents, e)).collect())?;
    }
    for text in &request.levels {
        let level = Level::parse(text).map_err(|error| refused(&error, 8, 42))?;
        take(text, contents.level(&level).filter(|e| moves(contents, e)).collect())?;
    }
    if request.entries.is_empty() && request.levels.is_empty() {
        let all = contents.entries().filter(|entry| moves(contents, entry));
        chosen.extend(all.map(|entry| entry.name().clone()));
    }
    Ok(chosen)
}

/// User catalogs and their aliases do not (2).
fn moves(contents: &Contents, entry: &Entry) -> bool {
    match entry {
        Entry::UserCatalog(_) => false,
        Entry::Alias(alias) => {
            let name = contents.stands_for(alias).ok();
            !name.is_some_and(|name| matches!(contents.get(&name), Ok(Entry::UserCatalog(_))))
        }
        _ => true,
    }
}

/// With all that goes together with the names (2).
fn whole(contents: &Contents, mut names: BTreeSet<Name>) -> BTreeSet<Name> {
    let mut next: Vec<Name> = names.iter().cloned().collect();
    while let Some(name) = next.pop() {
        let mut with: Vec<Name> = contents.related(&name).map(|entry| entry.name().clone()).collect();
        match contents.get(&name) {
            Ok(Entry::Aix(aix)) => with.push(aix.relate.clone()),
            Ok(Entry::Path(path)) => with.push(path.target.clone()),
            Ok(Entry::Alias(alias)) => with.extend(alias.entry().cloned()),
            Ok(Entry::Gdg(gdg)) => {
                let generations = contents.generations(&gdg.name);
                with.extend(generations.iter().map(|(_, entry)| entry.name().clone()));
            }
            _ => {}
        }
        if let Some((base, _)) = Generation::of(&name) {
            with.extend(contents.gdg(&base).map(|gdg| gdg.name.clone()));
        }
        next.extend(with.into_iter().filter(|name| names.insert(name.clone())));
    }
    names
}
