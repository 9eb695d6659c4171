//! REPRO MERGECAT: entries move from one catalog to another; their data stay where they are.
//!
//! 1. All entries that are meant move, or none: see `cica_catalog::moves`, also for what a crash leaves.
//! 2. What goes together moves together: a cluster with its alternate indexes, paths and aliases, a group with its
//!    generations. User catalogs and their aliases stay: they are the master's.

use super::failure::{not_found, refused, Failure};
use super::report::Report;
use super::Services;
use crate::params::Params;
use cica_catalog::generation::Generation;
use cica_catalog::{Catalog, Contents, Entry, Level, Mask, Name};
use cica_messages::{CICA0956I, IDC0005I};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Carries out REPRO MERGECAT.
pub fn merge(services: &Services, params: &Params, out: &mut Report) -> u8 {
    match merged(services, params, out) {
        Ok(count) => {
            out.say(&IDC0005I, &[("count", &count)]);
            0
        }
        Err(failure) => failure.with_cc(12).tell(out),
    }
}

fn merged(services: &Services, params: &Params, out: &mut Report) -> Result<usize, Failure> {
    let source = catalog(services, params, "INFILE", "INDATASET")?;
    let target = catalog(services, params, "OUTFILE", "OUTDATASET")?;
    if source.directory() == target.directory() {
        return Err(refused(
            &"both names mean one catalog; name another to move entries to",
            140,
            0,
        ));
    }
    let contents = source.contents()?;
    let names: Vec<Name> = whole(&contents, chosen(&contents, params)?).into_iter().collect();
    source.move_entries(&target, &names)?;
    if params.name("MESSAGELEVEL") != Some("SHORT") {
        let place = target.directory().display();
        for name in &names {
            out.say(&CICA0956I, &[("name", name), ("directory", &place)]);
        }
    }
    Ok(names.len())
}

/// The catalog that a DD or a name means.
fn catalog(services: &Services, params: &Params, file: &str, data_set: &str) -> Result<Arc<Catalog>, Failure> {
    let name = services.named(params, file, data_set)?;
    Ok(services.catalog.called(&name)?)
}

/// Names that ENTRIES, LEVEL or neither choose.
fn chosen(contents: &Contents, params: &Params) -> Result<BTreeSet<Name>, Failure> {
    let mut chosen = BTreeSet::new();
    let mut take = |text: &str, taken: Vec<&Entry>| {
        chosen.extend(taken.iter().map(|entry| entry.name().clone()));
        if taken.is_empty() {
            Err(not_found(&text))
        } else {
            Ok(())
        }
    };
    for word in params.list("ENTRIES") {
        let mask = Mask::parse(&word.text).map_err(|error| refused(&error, 8, 42))?;
        take(
            &word.text,
            contents.list(&mask).filter(|e| moves(contents, e)).collect(),
        )?;
    }
    for word in params.list("LEVEL") {
        let level = Level::parse(&word.text).map_err(|error| refused(&error, 8, 42))?;
        take(
            &word.text,
            contents.level(&level).filter(|e| moves(contents, e)).collect(),
        )?;
    }
    if !params.has("ENTRIES") && !params.has("LEVEL") {
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
