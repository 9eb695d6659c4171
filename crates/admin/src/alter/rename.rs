//! NEWNAME of an entry or a component, and what names it by its new name then.

use super::{Entry, EntryKind, Name};
use cica_catalog::entry::{FileOf, Relate};
use cica_catalog::{CatalogError, Contents};

/// Gives the entry, or the component of it that `kind` says, another name.
pub fn rename(entry: &mut Entry, kind: EntryKind, name: &Name) {
    match (entry, kind) {
        (Entry::Cluster(cluster), EntryKind::Data) => cluster.data.name = name.clone(),
        (Entry::Cluster(cluster), EntryKind::Index) => {
            if let Some(index) = &mut cluster.index {
                index.name = name.clone();
            }
        }
        (Entry::Aix(aix), EntryKind::Data) => aix.data.name = name.clone(),
        (Entry::Aix(aix), EntryKind::Index) => aix.index.name = name.clone(),
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
