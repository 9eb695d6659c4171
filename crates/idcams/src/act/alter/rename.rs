//! NEWNAME: of an entry or a component, and of many by a pattern.

use super::super::failure::{refused, Failure};
use super::{Entry, Kind, Name};
use cica_catalog::entry::{FileOf, Relate};
use cica_catalog::{CatalogError, Contents, Mask};

/// The new name of `name`, which `mask` means: where the mask has a `*` (or `**`) the new name has one too, and what it
/// stands for is kept.
pub fn renamed(mask: &Mask, new: &str, name: &Name) -> Result<Name, Failure> {
    let parsed = |text: &str| Name::parse(text).map_err(|error| refused(&error, 140, 0));
    if !mask.is_generic() {
        return parsed(new);
    }
    let kept = kept(mask.as_str(), name.as_str());
    match (kept, new.split_once('*')) {
        (Some(kept), Some((before, after))) => parsed(&format!("{before}{kept}{}", after.trim_start_matches('*'))),
        _ => Err(refused(
            &format!("{mask} and NEWNAME({new}) need one * each, in the places that stand for each other"),
            140,
            0,
        )),
    }
}

/// What the only star of the mask stands for.
fn kept<'n>(mask: &str, name: &'n str) -> Option<&'n str> {
    let (before, after) = mask.split_once("**").or_else(|| mask.split_once('*'))?;
    if before.contains(['*', '%']) || after.contains(['*', '%']) {
        return None;
    }
    name.strip_prefix(before)?.strip_suffix(after)
}

/// Gives the entry, or the component of it that `kind` says, another name.
pub fn rename(entry: &mut Entry, kind: Kind, name: &Name) {
    match (entry, kind) {
        (Entry::Cluster(cluster), Kind::Data) => cluster.data.name = name.clone(),
        (Entry::Cluster(cluster), Kind::Index) => {
            if let Some(index) = &mut cluster.index {
                index.name = name.clone();
            }
        }
        (Entry::Aix(aix), Kind::Data) => aix.data.name = name.clone(),
        (Entry::Aix(aix), Kind::Index) => aix.index.name = name.clone(),
        (entry, _) => {
            if let Entry::NonVsam(data_set) = entry {
                if data_set.file == FileOf::OwnName {
                    data_set.file = FileOf::Named(data_set.name.file());
                }
            }
            entry.rename(name.clone());
        }
    }
}

/// Entries over the one that was renamed name it by its new name. Returns them as they were and are.
pub fn follow(contents: &mut Contents, old: &Name, new: &Name) -> Result<Vec<(Entry, Entry)>, CatalogError> {
    let mut followed = Vec::new();
    if old == new {
        return Ok(followed);
    }
    let related: Vec<Entry> = contents.related(old).cloned().collect();
    for before in related {
        let mut entry = before.clone();
        match &mut entry {
            Entry::Aix(aix) => aix.relate = new.clone(),
            Entry::Path(path) => path.target = new.clone(),
            Entry::Alias(alias) => alias.relate = Relate::Entry(new.clone()),
            _ => {}
        }
        contents.replace(before.name(), entry.clone())?;
        followed.push((before, entry));
    }
    Ok(followed)
}
