//! What ALTER may change of an entry, and when.
//!
//! 1. KEYS and RECORDSIZE change only while the data set has never held a record; nothing else depends on its records.
//! 2. What is laid out on the volume stays: a change that would need other CI sizes or control areas is refused.

use super::super::failure::{refused, Failure};
use super::super::stated::{forget, keep};
use super::super::{open, Services};
use super::{alternate, volumes, Alter, Entry, Kind, Nullified};
use cica_catalog::entry::{Attributes, Component, NonVsam, Organization};
use cica_catalog::plan::{plan, Wish};
use cica_catalog::space::{Space, Unit};
use cica_catalog::{check as rules, Catalog, Cluster, Contents, Date, Volser};
use cica_qsam::{CodePage, DdText};

/// What can be said of an entry without data.
const OF_ANY_ENTRY: [&str; 4] = ["NEWNAME", "OWNER", "TO", "NULLIFY"];
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

/// Puts what `request` says into the entry; `kind` is that of the entry, or of the component that was named.
pub fn change(contents: &Contents, entry: &mut Entry, kind: Kind, request: &Alter, today: Date) -> Result<(), Failure> {
    match entry {
        Entry::Cluster(cluster) => {
            refuse(
                request,
                |k| not_of_cluster(k) || OF_AIX.contains(&k),
                &not_of(Kind::Cluster),
            )?;
            of_cluster(contents, cluster, kind, request, today)
        }
        Entry::Aix(aix) => {
            refuse(request, not_of_cluster, &not_of(Kind::Aix))?;
            alternate::change(contents, aix, kind, request, today)
        }
        _ => of_any_entry(contents, entry, request, today),
    }
}

/// The same for a cluster, or for an alternate index as the cluster it is.
pub(super) fn of_cluster(
    contents: &Contents,
    cluster: &mut Cluster,
    kind: Kind,
    request: &Alter,
    today: Date,
) -> Result<(), Failure> {
    if kind == Kind::Index {
        refuse(
            request,
            |keyword| OF_DATA.contains(&keyword) || OF_AIX.contains(&keyword),
            "of the data component; name that or the cluster",
        )?;
    }
    if request.extended_addressable && cluster.organization != Organization::Lds {
        return Err(refused(&"EXTENDEDADDRESSABLE is said of linear data sets", 48, 0));
    }
    let share = cluster.attributes.share;
    request.stated.put(&mut cluster.attributes, today)?;
    if kind == Kind::Index {
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
    if kind != Kind::Index {
        volumes::of_component(contents, &mut cluster.data, request)?;
    }
    match (&mut cluster.index, kind) {
        (Some(index), Kind::Cluster | Kind::Index) => volumes::of_component(contents, index, request),
        _ => Ok(()),
    }
}

fn of_any_entry(contents: &Contents, entry: &mut Entry, request: &Alter, today: Date) -> Result<(), Failure> {
    let own = own_words(entry);
    let of_any = match entry {
        // An alias has neither owner nor dates.
        Entry::Alias(_) => &["NEWNAME"][..],
        _ => &OF_ANY_ENTRY[..],
    };
    let improper = |keyword: &str| !of_any.contains(&keyword) && !own.contains(&keyword);
    refuse(request, improper, &not_of(entry.kind()))?;
    let history = match entry {
        Entry::Path(e) => {
            e.update = request.update.unwrap_or(e.update);
            &mut e.history
        }
        Entry::Gdg(e) => {
            request.group.put(e)?;
            e.altered = Some(today);
            &mut e.history
        }
        Entry::NonVsam(e) => {
            volumes::of_file(contents, e, request)?;
            put_code_page(e, request)?;
            &mut e.history
        }
        Entry::UserCatalog(e) => {
            keep(&mut e.other, &request.stated.other);
            for (held, lifted) in [("SUSPEND", request.resume), ("LOCK", request.unlock)] {
                e.other.retain(|(keyword, _)| keyword != held || !lifted);
            }
            &mut e.history
        }
        _ => return Ok(()),
    };
    let goes = |nullified| request.nullify.contains(&nullified);
    history.owner = history.owner.take().filter(|_| !goes(Nullified::Owner));
    history.expires = history.expires.filter(|_| !goes(Nullified::Retention));
    request.stated.tenure.put(history, today)
}

/// CCSID of a data set that is not VSAM's is the code page of its records: they are translated by what is said of it.
fn put_code_page(data_set: &mut NonVsam, request: &Alter) -> Result<(), Failure> {
    let Some(ccsid) = request.stated.ccsid else {
        return Ok(());
    };
    let page = CodePage::from_ccsid(ccsid);
    if page.is_none() && !matches!(ccsid, 0 | 65_535) {
        let words = format!("CCSID {ccsid} is no code page that is translated here; 0 says that there is none");
        return Err(refused(&words, 140, 0));
    }
    let known = DdText::parse(&format!("X,{}", data_set.format));
    let mut attributes = match data_set.format.as_str() {
        "" => Default::default(),
        _ => known.map_err(|error| refused(&error, 140, 0))?.attributes,
    };
    attributes.codepage = page;
    data_set.format = attributes.to_string();
    Ok(())
}

/// Words of groups, catalogs and paths, which a cluster has no use for.
fn not_of_cluster(keyword: &str) -> bool {
    const CATALOG: [&str; 7] = ["SUSPEND", "RESUME", "LOCK", "UNLOCK", "STRNO", "BUFND", "BUFNI"];
    GROUP.contains(&keyword) || CATALOG.contains(&keyword) || OF_PATH.contains(&keyword)
}

/// What an alternate index alone has.
const OF_AIX: [&str; 4] = ["UPGRADE", "NOUPGRADE", "UNIQUEKEY", "NONUNIQUEKEY"];
/// What a path alone has.
const OF_PATH: [&str; 2] = ["UPDATE", "NOUPDATE"];

fn not_of(kind: Kind) -> String {
    format!("not an attribute of an entry of type {}", kind.word())
}

const GROUP: [&str; 11] = [
    "LIMIT",
    "SCRATCH",
    "NOSCRATCH",
    "EMPTY",
    "NOEMPTY",
    "PURGE",
    "NOPURGE",
    "LIFO",
    "FIFO",
    "EXTENDED",
    "NOEXTENDED",
];

/// What may be said of an entry of this kind alone.
fn own_words(entry: &Entry) -> &'static [&'static str] {
    match entry {
        Entry::Gdg(_) => &GROUP,
        Entry::Path(_) => &OF_PATH,
        Entry::NonVsam(_) => &["ADDVOLUMES", "REMOVEVOLUMES", "CCSID"],
        Entry::UserCatalog(_) => &[
            "SUSPEND",
            "RESUME",
            "LOCK",
            "UNLOCK",
            "STRNO",
            "BUFND",
            "BUFNI",
            "BUFFERSPACE",
        ],
        _ => &[],
    }
}

fn refuse(request: &Alter, improper: impl Fn(&str) -> bool, why: &str) -> Result<(), Failure> {
    match request.keywords().into_iter().find(|keyword| improper(keyword)) {
        Some(keyword) => Err(refused(&format!("{keyword} is {why}"), 48, 0)),
        None => Ok(()),
    }
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

/// The new attributes go together, and with what is laid out on the volume.
pub fn check(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    old: &Entry,
    new: &Entry,
) -> Result<(), Failure> {
    volumes::check_held(services, catalog, old, new)?;
    match (old, new) {
        (Entry::Cluster(old), Entry::Cluster(new)) => {
            alternate::check_reuse(contents, old, new)?;
            check_cluster(services, catalog, contents, old, new)
        }
        (Entry::Aix(old), Entry::Aix(new)) => alternate::check(services, catalog, contents, old, new),
        _ => Ok(()),
    }
}

/// The same for a cluster, or for an alternate index as the cluster it is.
pub(super) fn check_cluster(
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
    if record || was.buffer_space != is.buffer_space || old.data.free_space != new.data.free_space {
        check_layout(contents, new)?;
    }
    Ok(())
}

/// Has it never had a record?
pub(super) fn is_empty(services: &Services, catalog: &Catalog, cluster: &Cluster) -> Result<bool, Failure> {
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
        ci_size: Some(data.ci_size),
        index_ci_size: cluster.index.as_ref().map(|index| index.ci_size),
        space: allocated(data),
        index_space: cluster.index.as_ref().map(allocated),
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

/// Space as it was allocated.
pub fn allocated(component: &Component) -> Space {
    Space {
        unit: Unit::Tracks,
        primary: component.primary_tracks,
        secondary: component.secondary_tracks,
    }
}
