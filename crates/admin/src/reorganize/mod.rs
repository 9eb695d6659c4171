//! ALTER ... REORGANIZE: a loaded data set copied into files of the same or another layout, and put into its place.
//!
//! ```text
//! lock the old one -> is there room? -> new files, listed as leftovers -> copy in key order -> count -> switch
//! ```
//! 1. The old data set is open for output from before it is read until its files are gone: nobody changes what is
//!    copied, and nobody opens what is to be removed.
//! 2. A record that the new definition cannot hold, or a key that two records have, ends it: the record is named and
//!    nothing is changed. So do a full disk and a crash.
//! 3. The switch happens only if as many records were written as were read and as the old data set counts.

mod copy;
mod definition;

use super::failure::{not_found, Failure};
use super::making::{Making, Replaced};
use super::open;
use super::Services;
use crate::report::Report;
use crate::stated::NewLayout;
use cica_catalog::entry::Organization;
use cica_catalog::{Catalog, Cluster, Entry, Name};
use cica_disk::{Create, Open};
use cica_engine::{Access, OpenOptions};
use cica_format::root::Root;
use cica_messages::{CICA0970I, CICA0971E};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// Copies a loaded data set into files of the layout, and puts these into its place.
pub(super) fn reorganize(
    services: &mut Services,
    text: &str,
    catalog: Option<&str>,
    layout: &NewLayout,
    out: &mut Report,
) -> Result<(), Failure> {
    let name = Name::parse(text).map_err(|_| not_found(&text))?;
    let catalog = services.catalog_of(catalog, text)?;
    let old = cluster(&catalog, &name)?;
    let new = definition::of(&*catalog.contents()?, &old, layout)?;
    let (before, after) = replace(services, &catalog, &old, (new, layout))?;
    out.say(
        &CICA0970I,
        &[
            ("name", &name),
            ("records", &after.statistics.records),
            ("before", &before.ca_count),
            ("after", &after.ca_count),
            ("splits", &(before.statistics.ci_splits + before.statistics.ca_splits)),
        ],
    );
    Ok(())
}

/// The cluster of this name.
fn cluster(catalog: &Catalog, name: &Name) -> Result<Cluster, Failure> {
    match catalog.get(name)? {
        Entry::Cluster(cluster) if cluster.organization != Organization::Lds => Ok(*cluster),
        other => Err(not_reorganized(
            name,
            &format!("it is a {} without records that could be ordered", other.kind().word()),
        )),
    }
}

/// Puts a copy of `old` with the definition `new` into its place; tells the roots before and after.
fn replace(
    services: &mut Services,
    catalog: &Arc<Catalog>,
    old: &Cluster,
    (new, layout): (Cluster, &NewLayout),
) -> Result<(Root, Root), Failure> {
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    // INHIBIT is about its records, and these stay what they are.
    let mut unlocked = old.clone();
    unlocked.attributes.inhibit = false;
    let from = cica_session::open(catalog, &services.engine, &unlocked.clone().into(), options)
        .map_err(|error| not_reorganized(&old.name, &error))?;
    let (data, _) = open::files(catalog, old)?;
    // Before it is read: what takes a unit back would not find its successor.
    let replaced = Replaced::held(services, catalog, Entry::Cluster(Box::new(old.clone())))?;
    let before = services.engine.peek(&data)?;
    let mut making = Making::begin(services, catalog)?;
    let mut entry = Entry::Cluster(Box::new(new));
    let paths = making.list(&mut entry)?;
    let needed = services.disk.open(&data, Open::default()).and_then(|f| f.size(None));
    let needed = needed.map_err(|e| not_reorganized(&old.name, &e))?;
    room(services, &paths.0, definition::estimate(needed, old, &entry))
        .map_err(|e| not_reorganized(&old.name, &format!("there is no room for a second copy of it: {e}")))?;
    let after = copy::copy(services, &mut making, &from, &before, &entry, &paths)?;
    making.switch(vec![replaced], |contents| {
        // An alternate index that was defined and built meanwhile would lead to the old keys and places.
        definition::of(contents, old, layout)?;
        contents.remove(&old.name)?;
        Ok(contents.insert(entry)?)
    })?;
    // Until here, so that nobody opened what was being removed.
    drop(from);
    Ok((before, after))
}

/// Takes as much space as is needed from the file system and gives it back.
fn room(services: &Services, path: &Path, bytes: u64) -> std::io::Result<()> {
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    let taken = services
        .disk
        .open(path, how)
        .and_then(|file| file.size(Some(bytes)).map(drop));
    let removed = services.disk.remove(path);
    taken.and(removed)
}

fn not_reorganized(name: &Name, reason: &dyn Display) -> Failure {
    Failure::new(&CICA0971E, &[("name", name), ("reason", reason)])
}
