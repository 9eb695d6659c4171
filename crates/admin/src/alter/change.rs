//! What ALTER may change of an entry: by its kind, what may be said of it.

use super::super::failure::{refused, Failure};
use super::super::stated::keep;
use super::super::Services;
use super::cluster::{check_cluster, of_cluster, refuse, OF_AIX};
use super::{alternate, volumes, Alter, Entry, EntryKind, Nullified};
use cica_catalog::entry::NonVsam;
use cica_catalog::{Catalog, Contents, Date};
use cica_qsam::{CodePage, DdText};

/// What can be said of an entry without data.
const OF_ANY_ENTRY: [&str; 4] = ["NEWNAME", "OWNER", "TO", "NULLIFY"];

/// Puts what `request` says into the entry; `kind` is that of the entry, or of the component that was named.
pub fn change(
    contents: &Contents,
    entry: &mut Entry,
    kind: EntryKind,
    request: &Alter,
    today: Date,
) -> Result<(), Failure> {
    match entry {
        Entry::Cluster(cluster) => {
            refuse(
                request,
                |k| not_of_cluster(k) || OF_AIX.contains(&k),
                &not_of(EntryKind::Cluster),
            )?;
            of_cluster(contents, cluster, kind, request, today)
        }
        Entry::Aix(aix) => {
            refuse(request, not_of_cluster, &not_of(EntryKind::Aix))?;
            alternate::change(contents, aix, kind, request, today)
        }
        _ => of_any_entry(contents, entry, request, today),
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

/// What a path alone has.
const OF_PATH: [&str; 2] = ["UPDATE", "NOUPDATE"];

fn not_of(kind: EntryKind) -> String {
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

/// The new attributes go together, and with what is laid out on the volume.
pub fn check(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    old: &Entry,
    new: &Entry,
) -> Result<(), Failure> {
    match (old, new) {
        (Entry::Cluster(old), Entry::Cluster(new)) => {
            alternate::check_reuse(contents, old, new)?;
            check_cluster(services, catalog, contents, old, new)
        }
        (Entry::Aix(old), Entry::Aix(new)) => alternate::check(services, catalog, contents, old, new),
        _ => Ok(()),
    }
}
