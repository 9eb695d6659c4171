//! The definition a reorganized data set gets: its own, with what was said laid out anew.

use super::super::alter::allocated;
use super::super::failure::Failure;
use super::super::said;
use super::not_reorganized;
use crate::params::Params;
use cica_catalog::entry::{Keys, RecordSize};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::plan::{plan, Wish};
use cica_catalog::{Cluster, Contents, Entry, Volser};

/// `old` with what `said` says. Its components keep names and volumes.
pub fn of(contents: &Contents, old: &Cluster, said: &Params) -> Result<Cluster, Failure> {
    let mut new = old.clone();
    if said.is_empty() {
        return Ok(new);
    }
    if let [length, offset] = said.numbers("KEYS") {
        // Bounded by the table.
        new.attributes.keys = Some(Keys {
            length: length.value as u16,
            offset: offset.value as u32,
        });
    }
    if let [average, maximum] = said.numbers("RECORDSIZE") {
        new.attributes.record_size = RecordSize {
            average: average.value as u32,
            maximum: maximum.value as u32,
        };
    }
    let indexes = contents.related(&old.name).find(|e| matches!(e, Entry::Aix(_)));
    if let (true, Some(aix)) = (new.attributes.keys != old.attributes.keys, indexes) {
        let words = format!(
            "its alternate index {} points to its records by key; delete it, and build it again afterwards",
            aix.name()
        );
        return Err(not_reorganized(&old.name, &words));
    }
    let serial = old.data.volumes.first().cloned().unwrap_or_else(Volser::default_serial);
    let ci_size = match said.number("CONTROLINTERVALSIZE") {
        Some(size) => Some(size as u32),
        // A CI size is chosen by the record size.
        None if said.has("RECORDSIZE") => None,
        None => Some(old.data.ci_size),
    };
    let planned = plan(&Wish {
        organization: old.organization,
        keys: new.attributes.keys,
        record_size: new.attributes.record_size,
        spanned: old.attributes.spanned,
        ci_size,
        index_ci_size: None,
        space: allocated(&old.data),
        index_space: None,
        free_space: said::free_space(said).unwrap_or(old.data.free_space),
        buffer_space: None,
        imbed: old.data.imbed,
        device: contents.volume(&serial)?.device,
    })?;
    new.attributes.buffer_space = planned.buffer_space.max(old.attributes.buffer_space);
    new.data = planned.data.component(old.data.name.clone(), old.data.volumes.clone());
    new.index = match (planned.index, &old.index) {
        (Some(layout), Some(index)) => Some(layout.component(index.name.clone(), index.volumes.clone())),
        _ => None,
    };
    Ok(new)
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
