//! The pointers of an alternate key as a chain of records (C1-C3 of `cica_format::aix`): finding one, adding one,
//! removing one. Each looks at few records, however many pointers there are, and says what they become.

use super::{damaged, AlternateLayout, Edit};
use crate::error::RequestError;
use crate::ksds::Ksds;
use cica_format::aix::{self, AixRecord, Directory, Link};

/// The index's own key of a record of a chain.
pub fn link_key(key: &[u8], number: u64) -> Vec<u8> {
    [key, &number.to_be_bytes()].concat()
}

/// The last link of a chain.
fn last_link(ksds: &Ksds, layout: &AlternateLayout, key: &[u8]) -> Result<Option<Vec<u8>>, RequestError> {
    let (bound, mut record) = (link_key(key, Link::LAST), Vec::new());
    let found = ksds.read(|| ksds.last_at(&bound, true), &mut record)?;
    Ok((found.is_some() && layout.key_of(&record) == key).then_some(record))
}

/// The first link of a chain.
fn first_link(ksds: &Ksds, key: &[u8]) -> Result<Option<Vec<u8>>, RequestError> {
    let mut record = Vec::new();
    Ok(ksds.get(key, &mut record)?.then_some(record))
}

fn link_of(record: &AixRecord<'_>) -> Link {
    record.link.unwrap_or_default()
}

/// The record of the directory to which a hash belongs.
fn directory(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    hash: u64,
) -> Result<(Vec<u8>, Directory), RequestError> {
    let (bound, mut record) = (link_key(key, Directory::number(hash)), Vec::new());
    let found = ksds.read(|| ksds.last_at(&bound, true), &mut record)?;
    if found.is_none() || layout.key_of(&record) != key || !aix::is_directory(&record) {
        return Err(broken(ksds, key, "its chain has no directory"));
    }
    let read = Directory::read(&record, layout.key_len).map_err(|error| damaged(ksds, key, error))?;
    Ok((record, read))
}

/// The link that has a pointer; `any` is a link of the chain.
fn link_with(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    any: Vec<u8>,
    pointer: &[u8],
) -> Result<Option<Vec<u8>>, RequestError> {
    let read = layout.read(ksds, &any)?;
    if read.place(pointer).is_some() {
        return Ok(Some(any));
    }
    if !link_of(&read).listed {
        return Ok(None);
    }
    let hash = aix::hash(pointer);
    for number in directory(ksds, layout, key, hash)?.1.links(hash) {
        let mut record = Vec::new();
        if !ksds.get(&link_key(key, number), &mut record)? {
            return Err(broken(ksds, key, "its directory names a link that is not there"));
        }
        if layout.read(ksds, &record)?.place(pointer).is_some() {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// Whether the chain of a key has a pointer.
pub fn has(ksds: &Ksds, layout: &AlternateLayout, key: &[u8], pointer: &[u8]) -> Result<bool, RequestError> {
    match first_link(ksds, key)? {
        Some(any) => Ok(link_with(ksds, layout, key, any, pointer)?.is_some()),
        None => Ok(false),
    }
}

/// What one pointer more makes of a chain, and whether that has others; `None` if it has it.
pub fn add(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    pointer: &[u8],
) -> Result<Option<(Vec<Edit>, bool)>, RequestError> {
    let full = || RequestError::PointerLimit { key: key.to_vec() };
    let mut new = Vec::new();
    let Some(last) = last_link(ksds, layout, key)? else {
        aix::begin_link(&mut new, layout.pointers, key, Link::default());
        aix::add(&mut new, pointer).map_err(|_| full())?;
        return Ok(Some((vec![Edit::insert(new)], false)));
    };
    if link_with(ksds, layout, key, last.clone(), pointer)?.is_some() {
        return Ok(None);
    }
    let read = layout.read(ksds, &last)?;
    let (link, hash) = (link_of(&read), aix::hash(pointer));
    if last.len() + pointer.len() <= layout.most(ksds) {
        new.clone_from(&last);
        aix::add(&mut new, pointer).map_err(|_| full())?;
        let mut edits = vec![Edit { old: last, new }];
        if link.listed {
            enter(ksds, layout, key, (hash, link.number), &mut edits)?;
        }
        return Ok(Some((edits, true)));
    }
    let next = Link {
        number: link.number + 1,
        listed: true,
    };
    if next.number > Link::LAST {
        return Err(full());
    }
    aix::begin_link(&mut new, layout.pointers, key, next);
    aix::add(&mut new, pointer).map_err(|_| full())?;
    let mut edits = vec![Edit::insert(new)];
    if link.listed {
        enter(ksds, layout, key, (hash, next.number), &mut edits)?;
    } else {
        let mut entries: Vec<_> = read.pointers().map(|p| (aix::hash(p), link.number)).collect();
        entries.push((hash, next.number));
        entries.sort_unstable();
        let new = directories(entries.into_iter(), layout.most_entries(ksds));
        edits.extend(new.map(|part| Edit::insert(part.write(key))));
        let mut listed = last.clone();
        aix::set_listed(&mut listed);
        edits.push(Edit { old: last, new: listed });
    }
    Ok(Some((edits, true)))
}

/// Records of a directory with these entries, which are in order.
pub fn directories(entries: impl Iterator<Item = (u64, u64)>, most: usize) -> impl Iterator<Item = Directory> {
    let mut entries = entries.peekable();
    let mut low = Some(0);
    std::iter::from_fn(move || {
        let mut part = Directory {
            low: low.take()?,
            entries: Vec::new(),
        };
        while let Some(&(hash, link)) = entries.peek() {
            let same = part.entries.last().is_some_and(|last| last.0 == hash);
            if part.entries.len() >= most && !same {
                low = Some(hash);
                break;
            }
            part.add(hash, link);
            entries.next();
        }
        Some(part)
    })
}

/// Enters a pointer in the directory.
fn enter(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    (hash, link): (u64, u64),
    edits: &mut Vec<Edit>,
) -> Result<(), RequestError> {
    let (old, mut part) = directory(ksds, layout, key, hash)?;
    part.add(hash, link);
    if part.entries.len() > layout.most_entries(ksds) {
        if let Some(upper) = part.split() {
            edits.push(Edit::insert(upper.write(key)));
        }
    }
    let new = part.write(key);
    if ksds.is_spanned(new.len()) {
        // So many pointers have one hash that their entries fill a control interval.
        return Err(RequestError::PointerLimit { key: key.to_vec() });
    }
    edits.push(Edit { old, new });
    Ok(())
}

/// The link behind another one, if there is one.
pub fn link_behind(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    number: u64,
) -> Result<Option<Vec<u8>>, RequestError> {
    let (from, mut next) = (link_key(key, number), Vec::new());
    let found = ksds.read(|| ksds.first_at(&from, true), &mut next)?;
    Ok((found.is_some() && layout.key_of(&next) == key && !aix::is_directory(&next)).then_some(next))
}

/// What becomes of a chain without a pointer; `None` if it has not got it.
pub fn remove(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    pointer: &[u8],
) -> Result<Option<Vec<Edit>>, RequestError> {
    let Some(any) = first_link(ksds, key)? else {
        return Ok(None);
    };
    let first = link_of(&layout.read(ksds, &any)?).number;
    let Some(old) = link_with(ksds, layout, key, any, pointer)? else {
        return Ok(None);
    };
    let link = link_of(&layout.read(ksds, &old)?);
    let mut new = old.clone();
    aix::remove(&mut new, pointer).map_err(|error| damaged(ksds, key, error))?;
    let (hash, left) = (aix::hash(pointer), layout.read_any(&new));
    // Another pointer of the link that has the same hash is found by the same entry.
    let alike = left.iter().any(|other| aix::hash(other) == hash);
    let mut edits = Vec::new();
    let mut over = false;
    if left.is_empty() {
        let behind = link_behind(ksds, layout, key, link.number)?;
        let is_last = behind.is_none();
        // Only the last one may be empty (C1).
        let empty = behind.filter(|behind| layout.read_any(behind).is_empty());
        over = link.number == first && (is_last || empty.is_some());
        if over || !is_last {
            new.clear();
        }
        edits.extend(empty.filter(|_| over).map(Edit::erase));
    }
    edits.push(Edit { old, new });
    if link.listed && !alike {
        let (old, mut part) = directory(ksds, layout, key, hash)?;
        part.remove(hash, link.number);
        let (low, empty) = (part.low, part.entries.is_empty());
        // The first record of a directory stays as long as there is a chain.
        let goes = empty && (low != 0 || over);
        let new = if goes { Vec::new() } else { part.write(key) };
        edits.push(Edit { old, new });
        if over && low != 0 {
            edits.push(Edit::erase(directory(ksds, layout, key, 0)?.0));
        }
    }
    Ok(Some(edits))
}

/// 12/4: the records of an alternate key contradict each other.
pub fn broken(ksds: &Ksds, key: &[u8], what: &str) -> RequestError {
    RequestError::Physical {
        reason: 4,
        what: format!(
            "{}, alternate key {}: {what}; build the alternate index again with BLDINDEX",
            ksds.data.name,
            crate::error::show_key(key)
        ),
    }
}
