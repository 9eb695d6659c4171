//! BLDINDEX: fills an alternate index from its base.
//!
//! Alternate key and pointer of each record are sorted ([`super::sort`]) and loaded as a bulk load is, without a log.
//! Only the close commits: after a crash the index is empty, as it was before, or complete.

use super::pointer;
use super::sort::{Sorted, Sorter};
use super::Files;
use crate::dataset::{Access, DataSet, Durability, OpenOptions};
use crate::engine::Engine;
use crate::error::{OpenError, RequestError};
use crate::organized::Organized;
use crate::string::{Insert, Intent};
use cica_format::aix::{self, Pointers, MOST_POINTERS};
use cica_format::attributes::Alternate;
use std::fmt;
use std::path::Path;

/// Where BLDINDEX may work, and whom it tells.
pub struct Build<'b> {
    /// Directory of the work file.
    pub work: &'b Path,
    /// Bytes that the sort may use, at most half of the pool. They are charged to it.
    pub memory: usize,
    /// Told the number of base records read, now and then.
    pub progress: &'b mut dyn FnMut(u64),
    /// Told of what the index does not take.
    pub omitted: &'b mut dyn FnMut(Omitted<'_>),
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
    /// Nobody else may have the index open, nor, unless it is not upgraded, this process the base for output.
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
        let inner = base.inner();
        if of.upgrade && inner.options.access == Access::Output {
            // It would change the base without this index, which nobody upgrades before the base is opened again.
            return Err(BuildError::Open(OpenError::InUse {
                path: inner.data_path().to_path_buf(),
                why: "this process has the base open for output; close it, and build the index then",
            }));
        }
        let mut built = Built::default();
        let key_len = root.attributes.key_length as usize;
        // Before anything is opened for output: a base that cannot be read leaves the index as it was.
        let sorted = self.sort_base(base, &of, key_len, build.work, build.memory, build.progress, &mut built)?;
        let options = OpenOptions {
            access: Access::Output,
            reset: root.levels > 0,
            durability: Durability::Commit,
            ..OpenOptions::default()
        };
        let opened = self.open(&alternate.data, &alternate.index, options);
        let set = opened.map_err(BuildError::Open)?;
        let loaded = load(&set, &of, key_len, sorted, build.omitted, &mut built);
        // What is not closed is not committed.
        loaded?;
        if let (0, Organized::Ksds(ksds)) = (built.entries, &set.inner().records) {
            // Built, and empty: not as if it never had been.
            set.inner().end_loading(ksds).map_err(BuildError::Alternate)?;
        }
        set.close().map_err(BuildError::Alternate)?;
        Ok(built)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one step")]
    fn sort_base(
        &self,
        base: &DataSet,
        of: &Alternate,
        key_len: usize,
        work: &Path,
        memory: usize,
        progress: &mut dyn FnMut(u64),
        built: &mut Built,
    ) -> Result<Sorted, BuildError> {
        let shape = base.attributes();
        let prime = shape.key_offset as usize..shape.key_offset as usize + shape.key_length as usize;
        let length = key_len + of.pointers.len();
        let file = format!("bldindex-{:016x}.work", self.new_id(work, 3));
        let pool = &self.shared().pool;
        let mut sorter = Sorter::new(self.shared_disk(), work.join(file), length, memory, pool)
            .map_err(|_| BuildError::Pool { bytes: pool.limit() })?;
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
                progress(built.read);
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
    match &set.inner().records {
        Organized::Ksds(ksds) => ksds.longest(),
        _ => set.attributes().maximum_record as usize,
    }
}

/// Loads the entries, which come in order of alternate key and pointer.
fn load(
    set: &DataSet,
    of: &Alternate,
    key_len: usize,
    mut sorted: Sorted,
    omitted: &mut dyn FnMut(Omitted<'_>),
    built: &mut Built,
) -> Result<(), BuildError> {
    let most = match of.unique {
        true => 1,
        false => (longest(set).saturating_sub(aix::HEADER_LEN + key_len) / of.pointers.len()).clamp(1, MOST_POINTERS),
    };
    let length = key_len + of.pointers.len();
    let (mut string, mut entry) = (set.string(), Vec::new());
    let (mut record, mut key, mut count) = (Vec::new(), Vec::new(), 0);
    loop {
        let more = sorted.next(&mut entry, length).map_err(BuildError::Work)?;
        if count > 0 && (!more || entry[..key_len] != key[..]) {
            if !of.unique && count > most {
                omitted(Omitted::Excess {
                    key: &key,
                    count: (count - most) as u64,
                });
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
            aix::begin(&mut record, of.pointers, alternate);
        }
        count += 1;
        if count <= most {
            aix::push(&mut record, pointer);
        } else if of.unique {
            omitted(Omitted::Duplicate {
                key: alternate,
                pointer,
            });
        }
    }
}
