//! Taking a spanned record out, and replacing a record that is a spanned one or becomes one. The caller keeps the gate
//! exclusively, and changes are under `structure`, as in [`super::spanned`].
//!
//! | the new record | done |
//! |---|---|
//! | takes no more CIs than the old, spanned one has | it is written into these |
//! | takes more, or the old one fits a CI | the old one is taken out, the new one placed like one that is added |
//! | the same, and there is no room for it | the old one goes back where it was; nothing has changed |

use super::change::Tried;
use super::nodes::PathStep;
use super::{Ksds, Order};
use crate::common::context::{Context, Redo};
use crate::common::segments::FIRST;
use crate::error::RequestError;
use crate::pool::{Begun, Entry, Page, Probe};
use crate::sync::atomic::Ordering::*;
use cica_counters::DataSetCount;

impl Ksds {
    /// Takes a spanned record out.
    pub(super) fn erase_spanned(&self, key: &[u8], context: Context<'_>) -> Result<(), RequestError> {
        let old = self.old_record(key)?;
        let _reserve = self.reserve_change()?;
        let _structure = self.structure.lock();
        self.remove_group(key).inspect_err(|error| {
            if !matches!(error, RequestError::NotFound) {
                self.fence_unless_full(error);
            }
        })?;
        self.log(context, Redo::Erase { key });
        self.counters.sub(DataSetCount::Records, 1);
        self.counters.add(DataSetCount::Deleted, 1);
        self.record_goes(&old);
        self.reclaim_structured(key)
    }

    /// Takes the record's entries out of the sequence set and drops their CIs. Its range goes to the next entry, or
    /// the one
    /// before, or an empty CI.
    fn remove_group(&self, key: &[u8]) -> Result<(), RequestError> {
        self.check_fence()?;
        let Some(PathStep {
            ci: node_ci,
            record: mut node,
            entry,
        }) = self.path(key)?.pop()
        else {
            return Err(RequestError::NotFound);
        };
        let ci = self.data.layout.join(node.ca, node.entries[entry].pointer);
        if !self.begins_with(ci, key)? {
            return Err(RequestError::NotFound);
        }
        let mut end = entry + 1;
        while end < node.entries.len() && node.entries[end].separator == node.entries[entry].separator {
            end += 1;
        }
        let gone: Vec<Entry> = node.entries.drain(entry..end).collect();
        let range = gone[0].separator.clone();
        let mut keep = None;
        if node.entries.is_empty() {
            node.entries.push(Entry {
                separator: range,
                pointer: gone[0].pointer,
            });
            keep = Some(gone[0].pointer);
        } else if entry == node.entries.len() {
            let old = node.entries[entry - 1].separator.clone();
            for e in node.entries.iter_mut().filter(|e| e.separator == old) {
                e.separator = range.clone();
            }
        }
        let mut empty = self.data.spare(0)?;
        self.or_fence(|| {
            if let Some(pointer) = keep {
                // Emptied before its neighbours go: a first segment without the others would look like damage.
                Page::format(empty.cells(), self.data.layout.ci_size);
                drop(self.data.adopt(self.data.layout.join(node.ca, pointer), empty)?);
            }
            self.set_node(node_ci, &node)?;
            for e in gone.iter().filter(|e| Some(e.pointer) != keep) {
                self.data.drop_ci(self.data.layout.join(node.ca, e.pointer))?;
            }
            Ok(())
        })
    }

    /// Replaces a record when it is, or becomes, a spanned one.
    pub(super) fn replace_spanned(&self, record: &[u8], context: Context<'_>) -> Result<u64, RequestError> {
        // Readers that miss the record wait for it, one of them perhaps in its turn (P9): so it is this one's before.
        let _turn = self.pool.turn(|| self.needs()).map_err(|_| self.data.pool_full())?;
        let old = self.old_record(self.key_of(record))?;
        let _reserve = self.reserve_change()?;
        let rba = match self.while_replacing(|| self.rewrite(record))? {
            Some(rba) => rba,
            None => self.replace_elsewhere(record)?,
        };
        self.log(context, Redo::Update { place: &[], record });
        self.counters.add(DataSetCount::Updated, 1);
        self.record_goes(&old);
        self.record_comes(record);
        Ok(rba)
    }

    /// The record that a change of this one takes out, where what it took is counted.
    fn old_record(&self, key: &[u8]) -> Result<Vec<u8>, RequestError> {
        let mut old = Vec::new();
        // What is not there is told by the change.
        if self.compressed.is_some() && !self.get(key, &mut old)? {
            old.clear();
        }
        Ok(old)
    }

    /// Readers that miss the record meanwhile look again.
    fn while_replacing<T>(&self, replace: impl FnOnce() -> T) -> T {
        let _structure = self.structure.lock();
        self.replacing.fetch_add(1, AcqRel);
        let done = replace();
        self.replacing.fetch_add(1, AcqRel);
        done
    }

    /// Takes the record out and puts its successor in where there is room; where there is none, the record goes back.
    fn replace_elsewhere(&self, record: &[u8]) -> Result<u64, RequestError> {
        let (key, mut old) = (self.key_of(record), Vec::new());
        if !self.get(key, &mut old)? {
            return Err(RequestError::NotFound);
        }
        self.while_replacing(|| {
            match self.remove_group(key) {
                Ok(()) => {}
                Err(RequestError::NotFound) => self.remove_whole(key)?,
                Err(error) => {
                    self.fence_unless_full(&error);
                    return Err(error);
                }
            }
            match self.place_record(record) {
                Ok(placed) => Ok(placed.rba),
                // What it had is free still.
                Err(full @ RequestError::NoSpace { .. }) => self.or_fence(|| self.put_back(&old)).and(Err(full)),
                Err(error) => {
                    self.fence(&error.to_string());
                    Err(error)
                }
            }
        })
    }

    /// Puts a record that was just taken out back: where it was, if nothing else came there.
    fn put_back(&self, record: &[u8]) -> Result<(), RequestError> {
        let mut begun = Begun::default();
        while !self.is_spanned(record.len()) {
            let key = self.key_of(record);
            let Some(leaf) = self.descend(Probe::new(key))? else {
                break;
            };
            match self.try_insert(&leaf, key, record, Order::default(), Context::Exclusive)? {
                Tried::Done(..) => return Ok(()),
                Tried::Again => begun = self.again(begun)?,
                Tried::Wider(width) => self.widen(leaf.frame, leaf.version, width)?,
                Tried::NoRoom { .. } => break,
            }
        }
        self.place_record(record).map(drop)
    }

    /// Writes a spanned record into the CIs that it has, if they suffice; so a record that becomes shorter never
    /// wants for space. It may become one that fits a CI.
    fn rewrite(&self, record: &[u8]) -> Result<Option<u64>, RequestError> {
        self.check_fence()?;
        let Some(PathStep {
            ci: node_ci,
            record: mut node,
            entry,
        }) = self.path(self.key_of(record))?.pop()
        else {
            return Ok(None);
        };
        let first = self.data.layout.join(node.ca, node.entries[entry].pointer);
        if !self.begins_with(first, self.key_of(record))? {
            return Ok(None);
        }
        let need = self.segments(record.len());
        let group = &node.entries[entry..];
        let have = group.iter().take_while(|e| e.separator == group[0].separator).count();
        if need > have {
            return Ok(None);
        }
        let pointers: Vec<u32> = group[..need].iter().map(|e| e.pointer).collect();
        let gone: Vec<Entry> = node.entries.drain(entry + need..entry + have).collect();
        let mut latched = self.latch_node(node_ci)?;
        self.or_fence(|| {
            self.write_segments(node.ca, &pointers, record)?;
            self.put_node(&mut latched, &node)?;
            for e in &gone {
                self.data.drop_ci(self.data.layout.join(node.ca, e.pointer))?;
            }
            Ok(())
        })?;
        Ok(Some(first as u64 * self.data.layout.ci_size as u64))
    }

    /// Is this CI the first segment of the record with this key?
    fn begins_with(&self, ci: u32, key: &[u8]) -> Result<bool, RequestError> {
        let mut latched = self.data.latch(ci)?;
        let page = Page::of(latched.cells());
        Ok(page.count() > 0 && page.segment() == FIRST && page.key(0, self.shape) == key)
    }

    fn remove_whole(&self, key: &[u8]) -> Result<(), RequestError> {
        let mut begun = Begun::default();
        loop {
            let Some(leaf) = self.descend(Probe::new(key))? else {
                return Err(RequestError::NotFound);
            };
            let Some(mut latched) = self.data.pool().latch_at(leaf.frame, leaf.version) else {
                begun = self.again(begun)?;
                continue;
            };
            let (pos, equal) = latched.view().find_record(Probe::new(key), self.shape);
            if !equal {
                return Err(RequestError::NotFound);
            }
            Page::of(latched.cells()).remove(pos);
            self.data.changed(&mut latched);
            return Ok(());
        }
    }

    /// Odd while a spanned record is being replaced; a reader that found nothing looks again if this moved.
    pub fn replacing(&self) -> u64 {
        self.replacing.load(Acquire)
    }
}
