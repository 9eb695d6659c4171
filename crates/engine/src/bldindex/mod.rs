//! BLDINDEX: fills an alternate index from its base.
//!
//! Alternate key and pointer of each record are sorted ([`sort`]) and loaded as a bulk load is, without a log.
//! Only the close commits: after a crash the index is empty, as it was before, or complete.

mod compare;
mod sort;
mod tie;

pub use compare::{Compared, Disagreement};

use crate::alternate::{chain, pointer, AlternateLayout};
use crate::cluster::OpenCluster;
use crate::dataset::DataSet;
use crate::engine::Engine;
use crate::error::{OpenError, RequestError};
use crate::files::Files;
use crate::request::{Access, Durability, Insert, Intent, OpenOptions};
use crate::string::Str;
use cica_format::aix::{self, Link, Pointers, MOST_POINTERS};
use cica_format::attributes::Alternate;
use sort::{Sorted, Sorter};
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Bytes of an entry of a directory: hash and number.
const DIRECTORY_ENTRY: usize = 16;

/// Where BLDINDEX may work, and whom it tells.
pub struct Build<'b> {
    /// Directory of the work file.
    pub work: &'b Path,
    /// Bytes that the sort may use, at most half of the pool. They are charged to it.
    pub memory: usize,
    /// Told the number of base records read, now and then.
    pub progress: &'b mut dyn FnMut(u64),
    /// Told of what the index does not take; it says whether the rest is to be built.
    pub omitted: &'b mut dyn FnMut(Omitted<'_>) -> ControlFlow<()>,
}

/// What an alternate index did not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Omitted<'o> {
    /// UNIQUEKEY, and this is not the first record with the alternate key.
    Duplicate {
        /// Alternate key.
        key: &'o [u8],
        /// Prime key or RBA.
        pointer: &'o [u8],
    },
    /// So many pointers under this key are more than a record takes.
    Excess {
        /// Alternate key.
        key: &'o [u8],
        /// Pointers omitted.
        count: u64,
    },
}

impl fmt::Display for Omitted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = |key: &[u8]| crate::error::show_key(key);
        match self {
            Omitted::Duplicate { key: of, pointer } => write!(
                f,
                "alternate key {}, which must be unique, is that of another record too, and of {}",
                key(of),
                key(pointer)
            ),
            Omitted::Excess { key: of, count } => write!(
                f,
                "of the records with alternate key {} it has no room for {count}; define it anew",
                key(of)
            ),
        }
    }
}

/// What BLDINDEX did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Built {
    /// Base records read.
    pub read: u64,
    /// Of these too short to have the alternate key.
    pub short: u64,
    /// Records of the alternate index.
    pub entries: u64,
    /// Runs that the sort wrote to its work file; 0: all was sorted in memory.
    pub runs: usize,
}

/// Why an alternate index was not built. It is as it was before, or empty.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The alternate index does not open.
    Open(OpenError),
    /// The base cannot be read.
    Base(RequestError),
    /// The alternate index cannot be written.
    Alternate(RequestError),
    /// The sort's work file.
    Work(std::io::Error),
    /// It does not take a record, and is not wanted without it.
    LeftOut,
    /// The buffer pool of so many bytes has nothing left for the sort.
    Pool {
        /// Bound of the pool.
        bytes: usize,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Open(error) => error.fmt(f),
            BuildError::Base(error) => write!(f, "the base: {error}"),
            BuildError::Alternate(error) => write!(f, "the alternate index: {error}"),
            BuildError::LeftOut => f.write_str("the alternate index does not take a record of the base"),
            BuildError::Work(error) => write!(f, "the sort's work file: {error}"),
            BuildError::Pool { bytes } => {
                write!(
                    f,
                    "the buffer pool of {bytes} bytes has nothing left for the sort: raise CICA_POOL"
                )
            }
        }
    }
}

impl std::error::Error for BuildError {}

impl Engine {
    /// Fills an alternate index, which must be empty, or REUSE and is emptied, from `base`, its base, open for input.
    ///
    /// # Errors
    /// Nobody else may have the index open, nor, unless it is not upgraded, this process the base for output. No unit
    /// in doubt may have changed the base.
    pub fn build_index(&self, base: &DataSet, alternate: &Files, build: Build<'_>) -> Result<Built, BuildError> {
        let root = self.peek(&alternate.data).map_err(BuildError::Open)?;
        let name = root.attributes.cluster_name.clone();
        let wrong = |what: String| BuildError::Open(OpenError::Attributes { what });
        let Some(of) = root.attributes.alternate.clone() else {
            return Err(wrong(format!("{name} is no alternate index")));
        };
        if root.levels > 0 && !root.attributes.reuse {
            return Err(wrong(format!(
                "{name} is not empty and was defined NOREUSE; delete it and define it again"
            )));
        }
        let inner = base.near().map_err(BuildError::Base)?;
        if of.upgrade && inner.options.access == Access::Output {
            // It would change the base without this index, which nobody upgrades before the base is opened again.
            return Err(BuildError::Open(OpenError::InUse {
                path: inner.data_path().to_path_buf(),
                why: "this process has the base open for output; close it, and build the index then",
                by: None,
            }));
        }
        // Records that may come back would find their alternate keys given to others (condemned:X4).
        let (path, cluster) = (inner.data_path(), inner.committed_root().cluster);
        let decided = self.shared().check_not_in_doubt(path, cluster);
        decided.map_err(BuildError::Open)?;
        let mut built = Built::default();
        let key_len = root.attributes.key_length as usize;
        // Before anything is opened for output: a base that cannot be read leaves the index as it was.
        let mut build = build;
        let sorted = self.sort_base(base, &of, key_len, &mut build, &mut built)?;
        let options = OpenOptions {
            access: Access::Output,
            reset: root.levels > 0,
            durability: Durability::Commit,
            ..OpenOptions::default()
        };
        let opened = self.open(&alternate.data, &alternate.index, options);
        let set = opened.map_err(BuildError::Open)?;
        let layout =
            AlternateLayout::of(set.attributes()).ok_or_else(|| wrong(format!("{name} is no alternate index")))?;
        let loaded = if layout.chained && !layout.unique {
            let file = format!("bldindex-{:016x}.work", self.new_id(build.work, 2));
            let work = build.work.join(file);
            let sorter = || self.sorter(work.clone(), DIRECTORY_ENTRY, build.memory / 4);
            chains(&set, &layout, sorted, &sorter, &mut built)
        } else {
            load(&set, &layout, sorted, build.omitted, &mut built)
        };
        // What is not closed is not committed.
        loaded?;
        let index = set.near().map_err(BuildError::Alternate)?;
        if let (0, OpenCluster::Ksds(ksds)) = (built.entries, &index.records) {
            // Built, and empty: not as if it never had been.
            index.end_loading(ksds).map_err(BuildError::Alternate)?;
        }
        index.ties.build(index.origin(), inner);
        set.close().map_err(BuildError::Alternate)?;
        Ok(built)
    }

    fn sorter(&self, work: PathBuf, length: usize, memory: usize) -> Result<Sorter, BuildError> {
        let pool = &self.shared().pool;
        let sorter = Sorter::new(self.shared_disk(), work, length, memory, pool);
        sorter.map_err(|_| BuildError::Pool { bytes: pool.limit() })
    }

    /// Alternate key and pointer of each base record that has such a key, in order.
    fn sort_base(
        &self,
        base: &DataSet,
        of: &Alternate,
        key_len: usize,
        build: &mut Build<'_>,
        built: &mut Built,
    ) -> Result<Sorted, BuildError> {
        let (work, memory) = (build.work, build.memory);
        let shape = base.attributes();
        let prime = shape.key_offset as usize..shape.key_offset as usize + shape.key_length as usize;
        let length = key_len + of.pointers.len();
        let file = format!("bldindex-{:016x}.work", self.new_id(work, 3));
        let mut sorter = self.sorter(work.join(file), length, memory)?;
        let mut string = base.string();
        let alternate = of.key(key_len as u16);
        loop {
            let record = match string.next(Intent::Read) {
                Ok(record) => record,
                Err(RequestError::EndOfData) => break,
                Err(error) => return Err(BuildError::Base(error)),
            };
            built.read += 1;
            match alternate.of(record.bytes) {
                None => built.short += u64::from(record.bytes.len() < alternate.offset + alternate.length),
                Some(key) => {
                    let rba = record.rba.to_be_bytes();
                    let identity = match of.pointers {
                        Pointers::Keys(_) => &record.bytes[prime.clone()],
                        Pointers::Rba | Pointers::Xrba => &rba[..],
                    };
                    let pointer = pointer::to(of.pointers, identity).map_err(BuildError::Alternate)?;
                    sorter.push(&[key, pointer]).map_err(BuildError::Work)?;
                }
            }
            if built.read % 4096 == 0 {
                (build.progress)(built.read);
            }
        }
        let sorted = sorter.finish().map_err(BuildError::Work)?;
        built.runs = match &sorted {
            Sorted::Memory { .. } => 0,
            Sorted::Merged(merge) => merge.runs(),
        };
        Ok(sorted)
    }
}

/// Bytes of the longest record that the index takes.
fn longest(set: &DataSet) -> usize {
    match set.near().map(|inner| &inner.records) {
        Ok(OpenCluster::Ksds(ksds)) => ksds.longest(),
        _ => set.attributes().maximum_record as usize,
    }
}

/// Loads the entries, which come in order of alternate key and pointer: each key has one record.
fn load(
    set: &DataSet,
    of: &AlternateLayout,
    mut sorted: Sorted,
    omitted: &mut dyn FnMut(Omitted<'_>) -> ControlFlow<()>,
    built: &mut Built,
) -> Result<(), BuildError> {
    let key_len = of.key_len;
    let most = if of.unique {
        1
    } else {
        (longest(set).saturating_sub(aix::HEADER_LEN + key_len) / of.pointers.len()).clamp(1, MOST_POINTERS)
    };
    let length = key_len + of.pointers.len();
    let (mut string, mut entry) = (set.string(), Vec::new());
    let (mut record, mut key, mut count) = (Vec::new(), Vec::new(), 0);
    loop {
        let more = sorted.next(&mut entry, length).map_err(BuildError::Work)?;
        if count > 0 && (!more || entry[..key_len] != key[..]) {
            if !of.unique && count > most {
                let (key, count) = (&key[..], (count - most) as u64);
                goes_on(omitted(Omitted::Excess { key, count }))?;
            }
            string
                .insert(&record, Insert::Sequential)
                .map_err(BuildError::Alternate)?;
            built.entries += 1;
            count = 0;
        }
        if !more {
            return Ok(());
        }
        let (alternate, pointer) = entry.split_at(key_len);
        if count == 0 {
            key.clear();
            key.extend_from_slice(alternate);
            if of.chained {
                aix::begin_link(&mut record, of.pointers, alternate, Link::default())
            } else {
                aix::begin(&mut record, of.pointers, alternate)
            }
        }
        count += 1;
        if count <= most {
            aix::push(&mut record, pointer);
        } else if of.unique {
            let key = alternate;
            goes_on(omitted(Omitted::Duplicate { key, pointer }))?;
        }
    }
}

fn goes_on(answer: ControlFlow<()>) -> Result<(), BuildError> {
    match answer {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(BuildError::LeftOut),
    }
}

/// Loads the entries into chains, without end: the links of each key, then, if it has more than one, its directory.
fn chains(
    set: &DataSet,
    of: &AlternateLayout,
    mut sorted: Sorted,
    sorter: &dyn Fn() -> Result<Sorter, BuildError>,
    built: &mut Built,
) -> Result<(), BuildError> {
    let OpenCluster::Ksds(ksds) = &set.near().map_err(BuildError::Alternate)?.records else {
        return Ok(());
    };
    let (key_len, length) = (of.key_len, of.key_len + of.pointers.len());
    let (most, most_entries) = (of.most(ksds), of.most_entries(ksds));
    let (mut string, mut entry) = (set.string(), Vec::new());
    let mut chain: Option<Chain> = None;
    loop {
        let more = sorted.next(&mut entry, length).map_err(BuildError::Work)?;
        if let Some(done) = chain.take_if(|chain| !more || chain.key != entry[..key_len]) {
            done.end(&mut string, most_entries)?;
            built.entries += 1;
        }
        if !more {
            return Ok(());
        }
        let (alternate, pointer) = entry.split_at(key_len);
        let chain = chain.get_or_insert_with(|| Chain::of(alternate, of.pointers));
        if chain.link.len() + pointer.len() > most {
            chain.next_link(&mut string, of.pointers, sorter)?;
        }
        aix::push(&mut chain.link, pointer);
    }
}

/// The chain of an alternate key that is being loaded.
struct Chain {
    key: Vec<u8>,
    number: u64,
    /// Its last link.
    link: Vec<u8>,
    /// What its directory will have, if it has one.
    directory: Option<Sorter>,
}

impl Chain {
    fn of(key: &[u8], pointers: Pointers) -> Chain {
        let mut link = Vec::new();
        aix::begin_link(&mut link, pointers, key, Link::default());
        Chain {
            key: key.to_vec(),
            number: 0,
            link,
            directory: None,
        }
    }

    /// Stores the link and begins the next.
    fn next_link(
        &mut self,
        string: &mut Str,
        pointers: Pointers,
        sorter: &dyn Fn() -> Result<Sorter, BuildError>,
    ) -> Result<(), BuildError> {
        if self.directory.is_none() {
            self.directory = Some(sorter()?);
        }
        self.store(string)?;
        self.number += 1;
        let (number, listed) = (self.number, true);
        aix::begin_link(&mut self.link, pointers, &self.key, Link { number, listed });
        Ok(())
    }

    /// Stores the link, and enters its pointers in the directory.
    fn store(&mut self, string: &mut Str) -> Result<(), BuildError> {
        if let Some(directory) = &mut self.directory {
            aix::set_listed(&mut self.link);
            let read = aix::AixRecord::read(&self.link);
            let read = read.map_err(|error| BuildError::Work(std::io::Error::other(error.to_string())))?;
            for pointer in read.pointers() {
                let entry = [aix::hash(pointer).to_be_bytes(), self.number.to_be_bytes()];
                directory.push(&[&entry[0], &entry[1]]).map_err(BuildError::Work)?;
            }
        }
        let stored = string.insert(&self.link, Insert::Sequential);
        stored.map(drop).map_err(BuildError::Alternate)
    }

    fn end(mut self, string: &mut Str, most_entries: usize) -> Result<(), BuildError> {
        self.store(string)?;
        let Some(directory) = self.directory else { return Ok(()) };
        let mut sorted = directory.finish().map_err(BuildError::Work)?;
        let (mut entry, mut failed) = (Vec::new(), None);
        let entries = std::iter::from_fn(|| match sorted.next(&mut entry, DIRECTORY_ENTRY) {
            Ok(true) => {
                let (hash, link) = entry.split_first_chunk()?;
                Some((u64::from_be_bytes(*hash), u64::from_be_bytes(*link.first_chunk()?)))
            }
            Ok(false) => None,
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        for part in chain::directories(entries, most_entries) {
            let stored = string.insert(&part.write(&self.key), Insert::Sequential);
            stored.map_err(BuildError::Alternate)?;
        }
        failed.map_or(Ok(()), |error| Err(BuildError::Work(error)))
    }
}
