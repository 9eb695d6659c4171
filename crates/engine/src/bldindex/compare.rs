//! Comparing an alternate index with its base, record by record: what BLDINDEX would make of the base is sorted as it
//! sorts it, what the index has is sorted alike, and the two are read side by side.

use super::sort::Sorted;
use super::{Build, BuildError, Built};
use crate::alternate::AlternateLayout;
use crate::cluster::OpenCluster;
use crate::dataset::DataSet;
use crate::engine::Engine;
use crate::error::{show_key, OpenError, RequestError};
use crate::files::Files;
use crate::request::{Access, Argument, Intent, OpenOptions, Search};
use cica_format::aix::{self, Pointers};
use cica_format::attributes::Alternate;
use std::cmp::Ordering;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

/// What base and alternate index do not agree about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disagreement<'d> {
    /// A base record has the key, and the index has no pointer to it there.
    NoPointer {
        /// Alternate key.
        key: &'d [u8],
        /// Prime key or RBA.
        pointer: &'d [u8],
    },
    /// The index has a pointer to which there is no base record.
    NoRecord {
        /// Alternate key.
        key: &'d [u8],
        /// Prime key or RBA.
        pointer: &'d [u8],
    },
    /// The base record has another alternate key, or none.
    OtherKey {
        /// Alternate key.
        key: &'d [u8],
        /// Prime key or RBA.
        pointer: &'d [u8],
    },
}

impl fmt::Display for Disagreement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, pointer, what) = match self {
            Disagreement::NoPointer { key, pointer } => (key, pointer, "has no pointer to the base record"),
            Disagreement::NoRecord { key, pointer } => (key, pointer, "points to a base record that is not there:"),
            Disagreement::OtherKey { key, pointer } => (key, pointer, "points to a base record with another key:"),
        };
        write!(f, "alternate key {} {what} {}", show_key(key), show_key(pointer))
    }
}

/// What a comparison came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compared {
    /// Base records that have the alternate key.
    pub records: u64,
    /// Pointers of the index.
    pub pointers: u64,
    /// What they disagree about.
    pub disagreements: u64,
}

impl Engine {
    /// Compares an alternate index that was built with its base, which is open for input: in both, each record that has
    /// the key must have its pointer. Work file and memory are as for [`build_index`](Self::build_index).
    ///
    /// # Errors
    /// Base or index cannot be read.
    pub fn compare_index(
        &self,
        base: &DataSet,
        alternate: &Files,
        (work, memory): (&Path, usize),
        report: &mut dyn FnMut(Disagreement<'_>),
    ) -> Result<Compared, BuildError> {
        let root = self.peek(&alternate.data).map_err(BuildError::Open)?;
        let (Some(of), Some(layout)) = (root.attributes.alternate.clone(), AlternateLayout::of(&root.attributes))
        else {
            return Err(BuildError::Open(OpenError::Attributes {
                what: format!("{} is no alternate index", root.attributes.cluster_name),
            }));
        };
        let (mut built, memory) = (Built::default(), memory / 2);
        let sort = &mut Build {
            work,
            memory,
            progress: &mut |_| (),
            omitted: &mut |_| ControlFlow::Continue(()),
        };
        let there = self.sort_base(base, &of, layout.key_len, sort, &mut built)?;
        let indexed = self.sort_index(alternate, &layout, (work, memory))?;
        self.side_by_side(base, &of, &layout, (there, indexed), report)
    }

    /// The pointers of an index, each behind its key, in order.
    fn sort_index(&self, index: &Files, layout: &AlternateLayout, work: (&Path, usize)) -> Result<Sorted, BuildError> {
        let options = OpenOptions {
            access: Access::Input,
            ..OpenOptions::default()
        };
        let file = format!("compare-{:016x}.work", self.new_id(work.0, 1));
        let mut sorter = self.sorter(work.0.join(file), layout.key_len + layout.pointers.len(), work.1)?;
        let set = self
            .open(&index.data, &index.index, options)
            .map_err(BuildError::Open)?;
        let (mut string, inner) = (set.string(), set.near().map_err(BuildError::Alternate)?.clone());
        let OpenCluster::Ksds(ksds) = &inner.records else {
            return sorter.finish().map_err(BuildError::Work);
        };
        loop {
            let record = match string.next(Intent::Read) {
                Ok(record) if layout.chained && aix::is_directory(record.bytes) => continue,
                Ok(record) => record,
                Err(RequestError::EndOfData) => break,
                Err(error) => return Err(BuildError::Alternate(error)),
            };
            let list = layout.read(ksds, record.bytes).map_err(BuildError::Alternate)?;
            for pointer in list.pointers() {
                sorter.push(&[list.key, pointer]).map_err(BuildError::Work)?;
            }
        }
        drop((string, inner));
        set.close().map_err(BuildError::Alternate)?;
        sorter.finish().map_err(BuildError::Work)
    }

    fn side_by_side(
        &self,
        base: &DataSet,
        of: &Alternate,
        layout: &AlternateLayout,
        (mut there, mut indexed): (Sorted, Sorted),
        report: &mut dyn FnMut(Disagreement<'_>),
    ) -> Result<Compared, BuildError> {
        let length = layout.key_len + layout.pointers.len();
        let (mut record, mut entry, mut string) = (Vec::new(), Vec::new(), base.string());
        let mut compared = Compared::default();
        let next = |sorted: &mut Sorted, entry: &mut Vec<u8>, count: &mut u64| {
            let more = sorted.next(entry, length).map_err(BuildError::Work)?;
            *count += u64::from(more);
            Ok::<bool, BuildError>(more)
        };
        let mut has_record = next(&mut there, &mut record, &mut compared.records)?;
        let mut has_entry = next(&mut indexed, &mut entry, &mut compared.pointers)?;
        while has_record || has_entry {
            let order = match (has_record, has_entry) {
                (true, true) => record.cmp(&entry),
                (true, false) => Ordering::Less,
                _ => Ordering::Greater,
            };
            compared.disagreements += u64::from(order != Ordering::Equal);
            if order == Ordering::Less {
                let (key, pointer) = record.split_at(layout.key_len);
                report(Disagreement::NoPointer { key, pointer });
            }
            if order == Ordering::Greater {
                let (key, pointer) = entry.split_at(layout.key_len);
                let argument = match of.pointers {
                    Pointers::Keys(_) => Argument::Key(pointer),
                    Pointers::Rba | Pointers::Xrba => {
                        Argument::Rba(pointer.iter().fold(0, |rba, &byte| rba << 8 | u64::from(byte)))
                    }
                };
                match string.get(argument, Search::Equal, Intent::Read) {
                    Ok(_) => report(Disagreement::OtherKey { key, pointer }),
                    Err(RequestError::NotFound | RequestError::BadRba { .. }) => {
                        report(Disagreement::NoRecord { key, pointer });
                    }
                    Err(error) => return Err(BuildError::Base(error)),
                }
            }
            if order != Ordering::Greater {
                has_record = next(&mut there, &mut record, &mut compared.records)?;
            }
            if order != Ordering::Less {
                has_entry = next(&mut indexed, &mut entry, &mut compared.pointers)?;
            }
        }
        Ok(compared)
    }
}
