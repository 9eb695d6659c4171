//! The definition a reorganized data set gets: its own, with what was said laid out anew.

use super::super::failure::Failure;
use super::super::stated::{Form, NewLayout};
use super::not_reorganized;
use cica_catalog::entry::Organization;
use cica_catalog::freespace::FreeSpace;
use cica_catalog::plan::{plan, Wish};
use cica_catalog::{Cluster, Contents, Entry, Volser};

/// `old` with what `said` says. Its components keep names and volumes.
pub fn of(contents: &Contents, old: &Cluster, stated: &NewLayout) -> Result<Cluster, Failure> {
    let mut new = old.clone();
    if *stated == NewLayout::default() {
        // A KSDS keeps its records' keys, a relative one their numbers; an ESDS changes their RBAs, which pays only
        // where they are compressed anew.
        return match (old.organization, old.attributes.compressed) {
            (Organization::Esds, false) => Err(not_reorganized(&old.name, &"its records lie in their order already")),
            (Organization::Esds, true) => no_index_points_to(contents, old).map(|()| new),
            _ => Ok(new),
        };
    }
    new.organization = match stated.form {
        Some(Form::Indexed) => Organization::Ksds,
        Some(Form::NonIndexed) => Organization::Esds,
        Some(Form::Numbered) => Organization::Rrds,
        Some(Form::Linear) => return Err(not_reorganized(&old.name, &"a linear data set has no records")),
        None => old.organization,
    };
    new.attributes.keys = stated.keys.or(old.attributes.keys);
    new.attributes.record_size = stated.record_size.unwrap_or(old.attributes.record_size);
    new.attributes.compressed = stated.compressed.unwrap_or(old.attributes.compressed);
    let relative = matches!(new.organization, Organization::Rrds | Organization::Vrrds);
    if relative {
        // As at DEFINE.
        let a = &new.attributes;
        new.organization = Organization::numbered(a.record_size.is_one_length(), a.compressed);
    }
    match (new.organization, new.attributes.keys) {
        (Organization::Ksds, None) => {
            return Err(not_reorganized(&old.name, &"say KEYS, where its records have a key"))
        }
        (Organization::Ksds, _) => {}
        _ => new.attributes.keys = None,
    }
    let moved = new.organization != old.organization || new.organization != Organization::Ksds;
    if moved || new.attributes.keys != old.attributes.keys {
        no_index_points_to(contents, old)?;
    }
    let serial = old.data.volumes.first().cloned().unwrap_or_else(Volser::default_serial);
    let ci_size = match stated.ci_size {
        Some(size) => Some(size),
        // A CI size is chosen by the record size.
        None if stated.record_size.is_some() => None,
        None => Some(old.data.ci_size),
    };
    let planned = plan(&Wish {
        organization: new.organization,
        keys: new.attributes.keys,
        record_size: new.attributes.record_size,
        spanned: old.attributes.spanned,
        compressed: new.attributes.compressed,
        ci_size,
        index_ci_size: None,
        space: old.data.allocated(),
        index_space: None,
        free_space: free_space(old, &new, stated),
        buffer_space: None,
        imbed: old.data.imbed,
        device: contents.volume(&serial)?.device,
    })?;
    new.attributes.buffer_space = planned.buffer_space.max(old.attributes.buffer_space);
    new.data = planned.data.component(old.data.name.clone(), old.data.volumes.clone());
    new.index = planned.index.map(|layout| match &old.index {
        Some(index) => layout.component(index.name.clone(), index.volumes.clone()),
        None => layout.component(old.name.index(), old.data.volumes.clone()),
    });
    Ok(new)
}

/// Refused where alternate indexes point to records that lie elsewhere afterwards, or have another key.
fn no_index_points_to(contents: &Contents, old: &Cluster) -> Result<(), Failure> {
    let Some(aix) = contents.related(&old.name).find(|e| matches!(e, Entry::Aix(_))) else {
        return Ok(());
    };
    let words = format!(
        "its alternate index {} points to its records by key or RBA; delete it, and build it again afterwards",
        aix.name()
    );
    Err(not_reorganized(&old.name, &words))
}

/// FREESPACE as said, else as before; where no record comes between others there is none.
fn free_space(old: &Cluster, new: &Cluster, stated: &NewLayout) -> FreeSpace {
    match new.organization {
        Organization::Ksds | Organization::Vrrds => stated.free_space.unwrap_or(old.data.free_space),
        _ => FreeSpace::default(),
    }
}

/// Bytes the new data component may take, when the old one takes `bytes`: more where more is kept free.
pub fn estimate(bytes: u64, old: &Cluster, new: &Entry) -> u64 {
    let filled = |f: FreeSpace| u64::from(100 - f.ci.min(99)) * u64::from(100 - f.ca.min(99));
    let free = new
        .components()
        .next()
        .map_or(old.data.free_space, |(_, c)| c.free_space);
    // A file takes some pages whatever is in it.
    (bytes * filled(old.data.free_space) / filled(free)).max(1 << 18)
}
