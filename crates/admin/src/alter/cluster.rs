//! What ALTER may change of a cluster, or of an alternate index as the cluster it is.
//!
//! 1. KEYS and RECORDSIZE change only while the data set has never held a record; nothing else depends on its records.
//! 2. What is laid out on the volume stays: a change that would need other CI sizes or control areas is refused.

use super::super::define::check_key;
use super::super::failure::{refused, Failure};
use super::super::stated::forget;
use super::super::{open, Services};
use super::{volumes, Alter, EntryKind, Nullified};
use cica_catalog::entry::{Attributes, Component, Organization};
use cica_catalog::plan::{plan, Wish};
use cica_catalog::{check as rules, Catalog, Cluster, Contents, Date, Entry, Volser};

/// What says something of the records, and so nothing of an index.
const OF_DATA: [&str; 7] = [
    "FREESPACE",
    "KEYS",
    "RECORDSIZE",
    "BUFFERSPACE",
    "CCSID",
    "ERASE",
    "NOERASE",
];

/// What an alternate index alone has.
pub(super) const OF_AIX: [&str; 4] = ["UPGRADE", "NOUPGRADE", "UNIQUEKEY", "NONUNIQUEKEY"];

/// The same for a cluster, or for an alternate index as the cluster it is.
pub fn of_cluster(
    contents: &Contents,
    cluster: &mut Cluster,
    kind: EntryKind,
    request: &Alter,
    today: Date,
) -> Result<(), Failure> {
    if kind == EntryKind::Index {
        refuse(
            request,
            |keyword| OF_DATA.contains(&keyword) || OF_AIX.contains(&keyword),
            "of the data component; name that or the cluster",
        )?;
    }
    if request.extended_addressable && cluster.organization != Organization::Lds {
        return Err(refused(&"EXTENDEDADDRESSABLE is said of linear data sets", 48, 0));
    }
    if request.stated.free_space.is_some() && !cluster.organization.has_index() {
        let words = format!(
            "FREESPACE means nothing for a {} data set; leave it out",
            cluster.organization.keyword()
        );
        return Err(refused(&words, 48, 0));
    }
    let share = cluster.attributes.share;
    request.stated.put(&mut cluster.attributes, today)?;
    if kind == EntryKind::Index {
        // That of the index component stands in its file.
        cluster.attributes.share = share;
    }
    if let Some(free) = request.stated.free_space {
        cluster.data.free_space = free;
    }
    if let Some(bytes) = request.stated.buffer_space {
        cluster.attributes.buffer_space = bytes;
    }
    for nullified in &request.nullify {
        nullify(&mut cluster.attributes, *nullified);
    }
    if kind != EntryKind::Index {
        volumes::of_component(contents, &mut cluster.data, request)?;
    }
    match (&mut cluster.index, kind) {
        (Some(index), EntryKind::Cluster | EntryKind::Index) => volumes::of_component(contents, index, request),
        _ => Ok(()),
    }
}

/// The same for a cluster, or for an alternate index as the cluster it is.
pub fn check_cluster(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    old: &Cluster,
    new: &Cluster,
) -> Result<(), Failure> {
    let (was, is) = (&old.attributes, &new.attributes);
    rules::log(new.organization, is.log, is.log_stream.as_deref())?;
    let record = was.keys != is.keys || was.record_size != is.record_size;
    if record && !is_empty(services, catalog, old)? {
        let words = format!(
            "{} has been loaded; KEYS and RECORDSIZE change only before. Define a new data set and REPRO into it",
            old.name
        );
        return Err(refused(&words, 140, 0));
    }
    if record {
        check_alternates(contents, new, was.keys != is.keys)?;
    }
    if record || was.buffer_space != is.buffer_space || old.data.free_space != new.data.free_space {
        check_layout(contents, new)?;
    }
    Ok(())
}

/// The alternate indexes of a base are laid out for its keys, and their keys lie in its records.
fn check_alternates(contents: &Contents, base: &Cluster, other_keys: bool) -> Result<(), Failure> {
    for entry in contents.related(&base.name) {
        let Entry::Aix(aix) = entry else { continue };
        if other_keys {
            let words = format!(
                "{} leads to records by their keys; delete it before ALTER KEYS",
                aix.name
            );
            return Err(refused(&words, 140, 0));
        }
        check_key(base, aix.alternate_key)?;
    }
    Ok(())
}

/// Has it never had a record?
pub fn is_empty(services: &Services, catalog: &Catalog, cluster: &Cluster) -> Result<bool, Failure> {
    let (data, index) = open::files(catalog, cluster)?;
    // Requests that a dead owner left in its log become part of the data set first.
    services.engine.alter(&data, &index, |_, _| ())?;
    Ok(services.engine.peek(&data)?.levels == 0)
}

/// Lays the cluster out again as it is and sees that this comes to the same.
fn check_layout(contents: &Contents, cluster: &Cluster) -> Result<(), Failure> {
    let (attributes, data) = (&cluster.attributes, &cluster.data);
    let serial = data.volumes.first().cloned().unwrap_or_else(Volser::default_serial);
    let planned = plan(&Wish {
        organization: cluster.organization,
        keys: attributes.keys,
        record_size: attributes.record_size,
        spanned: attributes.spanned,
        compressed: attributes.compressed,
        ci_size: Some(data.ci_size),
        index_ci_size: cluster.index.as_ref().map(|index| index.ci_size),
        space: data.allocated(),
        index_space: cluster.index.as_ref().map(Component::allocated),
        free_space: data.free_space,
        buffer_space: None,
        imbed: data.imbed,
        device: contents.volume(&serial)?.device,
    })?;
    let needed = planned.index.as_ref().map_or(0, |index| index.ci_size);
    let has = cluster.index.as_ref().map_or(0, |index| index.ci_size);
    if needed != has || planned.data.allocation.ci_per_ca != data.ci_per_ca {
        let words = format!(
            "keys of this length need index control intervals of {needed} bytes or smaller control areas, and the \
             index has {has}; define the cluster anew"
        );
        return Err(refused(&words, 140, 0));
    }
    Ok(rules::buffer_space(attributes.buffer_space, data.ci_size, has)?)
}

fn nullify(attributes: &mut Attributes, nullified: Nullified) {
    match nullified {
        Nullified::Owner => attributes.history.owner = None,
        Nullified::Retention => attributes.history.expires = None,
        Nullified::Log => attributes.log = None,
        Nullified::LogStream => attributes.log_stream = None,
        Nullified::StorageClass => attributes.storage_class = None,
        Nullified::DataClass => attributes.data_class = None,
        Nullified::ManagementClass => attributes.management_class = None,
        Nullified::Kept(keyword) => forget(attributes, keyword),
    }
}

pub fn refuse(request: &Alter, improper: impl Fn(&str) -> bool, why: &str) -> Result<(), Failure> {
    match request.keywords().into_iter().find(|keyword| improper(keyword)) {
        Some(keyword) => Err(refused(&format!("{keyword} is {why}"), 48, 0)),
        None => Ok(()),
    }
}
