//! ALTER of an alternate index: what it has besides the attributes of a cluster.
//!
//! | parameter | when |
//! |---|---|
//! | NOUPGRADE, NONUNIQUEKEY | at any time |
//! | UPGRADE, UNIQUEKEY, KEYS | before it is built: what it has would not be what they promise |
//!
//! Who has the base open goes on as it was opened; so the files of the index are changed only while nobody has.

use super::super::define::check_alternate_key;
use super::super::failure::{refused, Failure};
use super::super::Services;
use super::{cluster, Alter, EntryKind};
use cica_catalog::entry::{Aix, Keys};
use cica_catalog::{Catalog, Cluster, Contents, Date, Entry};
use cica_format::aix::HEADER_LEN;
use cica_session::as_cluster;

/// Puts what `request` says into the entry; `kind` is its own, or that of the component that was named.
pub fn change(
    contents: &Contents,
    aix: &mut Aix,
    kind: EntryKind,
    request: &Alter,
    today: Date,
) -> Result<(), Failure> {
    let mut own = as_cluster(aix);
    cluster::of_cluster(contents, &mut own, kind, request, today)?;
    if let Some(stated) = own.attributes.keys.filter(|_| request.stated.keys.is_some()) {
        // KEYS says where the key is in the base; in the index's own records it stands behind their header.
        aix.alternate_key = stated;
        own.attributes.keys = Some(Keys {
            offset: HEADER_LEN as u32,
            ..stated
        });
        check_alternate_key(contents, &aix.relate, stated)?;
    }
    aix.attributes = own.attributes;
    aix.data = own.data;
    if let Some(index) = own.index {
        aix.index = index;
    }
    aix.upgrade = request.upgrade.unwrap_or(aix.upgrade);
    aix.unique_key = request.unique_key.unwrap_or(aix.unique_key);
    Ok(())
}

/// What is new goes together with what the index has.
pub fn check(services: &Services, catalog: &Catalog, contents: &Contents, old: &Aix, new: &Aix) -> Result<(), Failure> {
    let (was, is) = (as_cluster(old), as_cluster(new));
    let promises = [
        (!old.upgrade && new.upgrade, "it may lack changes of its base"),
        (!old.unique_key && new.unique_key, "it may have keys of several records"),
        (old.alternate_key != new.alternate_key, "its records have other keys"),
    ];
    if let Some((_, why)) = promises.iter().find(|(new, _)| *new) {
        if !cluster::is_empty(services, catalog, &was)? {
            let words = format!(
                "{} has been built, and {why}: delete it, define it so, and BLDINDEX",
                old.name
            );
            return Err(refused(&words, 140, 0));
        }
    }
    cluster::check_cluster(services, catalog, contents, &was, &is)
}

/// A cluster that is emptied at will cannot have an alternate index.
pub fn check_reuse(contents: &Contents, old: &Cluster, new: &Cluster) -> Result<(), Failure> {
    let over = |entry: &&Entry| matches!(entry, Entry::Aix(_));
    match contents.related(&old.name).find(over) {
        Some(aix) if !old.attributes.reuse && new.attributes.reuse => {
            let words = format!(
                "{} has the alternate index {}, and what is emptied at will cannot have one",
                old.name,
                aix.name()
            );
            Err(refused(&words, 140, 0))
        }
        _ => Ok(()),
    }
}
