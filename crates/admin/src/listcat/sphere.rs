//! The order of a listing of many entries: sphere by sphere, as the catalog of z/OS keeps them.
//!
//! ```text
//! paths of the base and of its alternate indexes, the base, its alternate indexes      at the place of the base's name
//! everything else                                                                      at the place of its own name
//! ```
//! 1. Every entry comes out once. One whose base is not among them stands where its own name does.

use cica_catalog::{Entry, Name};
use std::collections::BTreeMap;

/// The entries, given in the order of their names, in the order of a listing.
pub fn in_order<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<&'a Entry> {
    let entries: Vec<&Entry> = entries.collect();
    let named: BTreeMap<&Name, &Entry> = entries.iter().map(|entry| (entry.name(), *entry)).collect();
    let mut over: BTreeMap<&Name, Vec<&Entry>> = BTreeMap::new();
    let mut heads = Vec::new();
    for entry in entries {
        match leads_to(entry).filter(|name| named.contains_key(*name)) {
            Some(name) => over.entry(name).or_default().push(entry),
            None => heads.push(entry),
        }
    }
    let none = Vec::new();
    let over = |entry: &Entry| over.get(entry.name()).unwrap_or(&none);
    let mut ordered = Vec::new();
    for head in heads {
        let is_path = |entry: &&Entry| matches!(entry, Entry::Path(_));
        let indexes: Vec<&Entry> = over(head).iter().copied().filter(|entry| !is_path(entry)).collect();
        let of_indexes = indexes.iter().flat_map(|index| over(index).iter().copied());
        let mut paths: Vec<&Entry> = over(head).iter().copied().filter(is_path).chain(of_indexes).collect();
        paths.sort_by_key(|path| path.name());
        ordered.extend(paths);
        ordered.push(head);
        ordered.extend(indexes);
    }
    ordered
}

/// What an entry is over, if it belongs to a sphere without being its base.
fn leads_to(entry: &Entry) -> Option<&Name> {
    match entry {
        Entry::Aix(aix) => Some(&aix.relate),
        Entry::Path(path) => Some(&path.target),
        _ => None,
    }
}
