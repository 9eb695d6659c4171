//! Records longer than a CI: segments, each alone in its CI, the first with the key. The caller keeps the gate
//! exclusively, and changes are under `structure` (K4): several pages' ranges change at a time, and no other change may
//! be on its way to one of them.
//!
//! The segments' CIs are neighbours in the sequence set of one CA, their entries have equal separators (K2). All
//! segments of a record carry the same update number.

use super::nodes::PathStep;
use super::split::is_one_record;
use super::tree::PageStep;
use super::{separator, Inserted, Ksds, Leaf, Spot};
use crate::common::context::{Context, Redo};
use crate::common::segments::{LAST, MIDDLE};
use crate::error::RequestError;
use crate::pool::{Entry, Latched, Page};
use cica_format::index::IndexRecord;

impl Ksds {
    /// Adds a record that is spanned, or goes beside one.
    pub(super) fn insert_spanned(&self, record: &[u8], context: Context<'_>) -> Result<Inserted, RequestError> {
        let _reserve = self.reserve_change()?;
        let _structure = self.structure.lock();
        let _held = self.hold_if_lockable(context, self.key_of(record))?;
        self.check_kept(context, self.key_of(record))?;
        let is_last = self.first_at(self.key_of(record), true)?.is_none();
        let inserted = self.place_record(record)?;
        self.log(context, Redo::Insert { place: &[], record });
        self.count_insert(is_last);
        self.record_comes(record);
        Ok(inserted)
    }

    /// Puts the record where it belongs. An error that does not fence has changed nothing of what there is.
    pub(super) fn place_record(&self, record: &[u8]) -> Result<Inserted, RequestError> {
        let key = self.key_of(record);
        loop {
            self.check_fence()?;
            let path = self.path(key)?;
            let Some(PathStep {
                record: node, entry, ..
            }) = path.last()
            else {
                return Err(RequestError::Loading);
            };
            let side = match self.side(node, *entry, key)? {
                Side::Duplicate => return Err(RequestError::Duplicate { key: key.to_vec() }),
                Side::Inside => {
                    self.cut_ci(path, key)?;
                    continue;
                }
                side => side,
            };
            if let Some(ci) = self.place_beside(path, side, record)? {
                return Ok(Inserted {
                    rba: self.data.rba(ci, 0),
                    at: (ci, 0),
                });
            }
        }
    }

    /// On which side of the entry's records the key lies.
    fn side(&self, node: &IndexRecord, entry: usize, key: &[u8]) -> Result<Side, RequestError> {
        let mut latched = self
            .data
            .latch(self.data.layout.join(node.ca, node.entries[entry].pointer))?;
        let page = Page::of(latched.cells());
        let n = page.count();
        if n == 0 {
            return Ok(Side::Instead);
        }
        let (first, last) = (page.key(0, self.shape), page.key(n - 1, self.shape));
        if (0..n).any(|i| page.key(i, self.shape) == key) {
            return Ok(Side::Duplicate);
        }
        if key < first {
            return Ok(Side::Before(separator(key, first)));
        }
        if key > last {
            return Ok(Side::After(separator(last, key)));
        }
        Ok(Side::Inside)
    }

    /// Splits a CI between the records before and after `key`, into the same CA or, when that or its sequence-set record
    /// is full, after a CA split.
    fn cut_ci(&self, path: Vec<PathStep>, key: &[u8]) -> Result<(), RequestError> {
        let Some(PathStep {
            ci: node,
            record,
            entry,
        }) = path.last().cloned()
        else {
            return Ok(());
        };
        let from = self.data.layout.join(record.ca, record.entries[entry].pointer);
        let free = record.free.last().map(|&free| u32::from(free));
        let wider = match free {
            Some(free) => Some(self.with_cut(&record, entry, self.cut_of(from, key)?, free)),
            None => None,
        };
        let (Some(free), Some(wider)) = (free, wider.filter(|wider| self.node_fits(wider))) else {
            return if is_one_record(&record.entries) {
                self.split_into_new_ca(path, key)
            } else {
                self.split_ca_near(path)
            };
        };
        let (_, left) = self.move_above(from, self.data.layout.join(record.ca, free), key)?;
        self.or_fence(|| self.set_node(node, &wider))?;
        drop(left);
        Ok(())
    }

    /// A sequence-set record as it is when the part of an entry's CI above `between` is in the CI `free`.
    fn with_cut(&self, record: &IndexRecord, entry: usize, between: Vec<u8>, free: u32) -> IndexRecord {
        let mut wider = record.clone();
        let separator = std::mem::replace(&mut wider.entries[entry].separator, between);
        let above = Entry {
            separator,
            pointer: free,
        };
        wider.entries.insert(entry + 1, above);
        wider
    }

    /// The separator between the records of a CI that are below `key` and above it.
    fn cut_of(&self, ci: u32, key: &[u8]) -> Result<Vec<u8>, RequestError> {
        let mut latched = self.data.latch(ci)?;
        let page = Page::of(latched.cells());
        let at = self.first_above(&page, key);
        Ok(separator(page.key(at - 1, self.shape), page.key(at, self.shape)))
    }

    fn first_above(&self, page: &Page<'_>, key: &[u8]) -> usize {
        let above = (0..page.count()).find(|&i| page.key(i, self.shape) > key);
        above.unwrap_or(page.count())
    }

    /// Moves the records above `key` from one CI to another, new one; returns the separator between them, and the
    /// old one latched: it stays so until the index says what moved (K3).
    fn move_above(&self, from: u32, to: u32, key: &[u8]) -> Result<(Vec<u8>, Latched<'_>), RequestError> {
        let between = self.cut_of(from, key)?;
        let spare = self.data.spare(0)?;
        let mut left = self.data.latch(from)?;
        let at = self.first_above(&Page::of(left.cells()), key);
        drop(self.move_records(&mut left, (at, to), spare, false)?);
        Ok((between, left))
    }

    /// The CA has one CI and it must be cut: the part above `key` goes to a new CA.
    fn split_into_new_ca(&self, mut path: Vec<PathStep>, key: &[u8]) -> Result<(), RequestError> {
        let Some(PathStep {
            ci: node,
            mut record,
            entry,
        }) = path.pop()
        else {
            return Ok(());
        };
        self.reserve_nodes(1)?;
        let (ca, reused) = self.data.allocate_ca()?;
        let from = self.data.layout.join(record.ca, record.entries[entry].pointer);
        let moved = self.move_above(from, self.data.layout.join(ca, 0), key);
        let (between, left) = moved.inspect_err(|_| self.give_back_ca(ca))?;
        self.count_new_ca(reused);
        self.or_fence(|| {
            let old = std::mem::replace(&mut record.entries[entry].separator, between.clone());
            let entries = vec![Entry {
                separator: old,
                pointer: 0,
            }];
            let sibling = self.new_node(&IndexRecord {
                level: 1,
                ca,
                next: record.next,
                entries,
                free: Vec::new(),
            })?;
            record.next = sibling;
            self.insert_above(path, node, between, sibling, false)?;
            self.set_node(node, &record)
        })?;
        drop(left);
        Ok(())
    }

    fn split_ca_near(&self, path: Vec<PathStep>) -> Result<(), RequestError> {
        let Some(last) = path.last() else { return Ok(()) };
        let (entries, wanted) = (&last.record.entries, last.entry.max(1));
        let cuts = |at: usize| entries[at - 1].separator == entries[at].separator;
        let at = (wanted..entries.len())
            .find(|&at| !cuts(at))
            .or_else(|| (1..wanted).rev().find(|&at| !cuts(at)));
        match at {
            Some(at) => self.split_ca_at(path, at, false),
            None => Err(self.index_error(last.ci, "a control area with one record cannot be split")),
        }
    }

    /// Writes the record's segments into CIs beside the entry; `None` after a CA split that made room for the next try.
    fn place_beside(&self, mut path: Vec<PathStep>, side: Side, record: &[u8]) -> Result<Option<u32>, RequestError> {
        let Some(PathStep {
            ci: node_ci,
            record: mut node,
            entry,
        }) = path.pop()
        else {
            return Ok(None);
        };
        let need = self.segments(record.len());
        if matches!(side, Side::Instead) {
            return self.place_instead(path, node_ci, node, entry, record);
        }
        // The group of entries that the record goes before or after.
        let same = |a: usize, b: usize| node.entries[a].separator == node.entries[b].separator;
        let mut end = entry + 1;
        while end < node.entries.len() && same(entry, end) {
            end += 1;
        }
        let (at, mine) = match &side {
            Side::After(between) => {
                let old = node.entries[entry].separator.clone();
                for e in &mut node.entries[entry..end] {
                    e.separator = between.clone();
                }
                (end, old)
            }
            Side::Before(between) => (entry, between.clone()),
            Side::Duplicate | Side::Inside | Side::Instead => return Ok(None),
        };
        let free: Vec<u32> = node.free.iter().rev().take(need).map(|&i| i as u32).collect();
        let mut wider = node.clone();
        let new = free.iter().map(|&pointer| Entry {
            separator: mine.clone(),
            pointer,
        });
        wider.entries.splice(at..at, new);
        if free.len() == need && self.node_fits(&wider) {
            self.or_fence(|| {
                self.write_segments(node.ca, &free, record)?;
                self.set_node(node_ci, &wider)
            })?;
            return Ok(Some(self.data.layout.join(node.ca, free[0])));
        }
        if at > 0 && at < node.entries.len() {
            // The separators on the path are still the old ones: read them again after the split.
            let path = self.path(self.key_of(record))?;
            self.split_ca_at(path, at, false)?;
            return Ok(None);
        }
        self.reserve_nodes(1)?;
        let is_last = at == node.entries.len();
        if !is_last {
            self.bring_all(node.ca, &node.entries)?;
        }
        let (ca, reused) = self.data.allocate_ca()?;
        let pointers: Vec<u32> = (0..need as u32).collect();
        let entries = pointers
            .iter()
            .map(|&pointer| Entry {
                separator: mine.clone(),
                pointer,
            })
            .collect();
        if is_last {
            self.count_new_ca(reused);
            return self.or_fence(|| {
                self.write_segments(ca, &pointers, record)?;
                let sibling = self.new_node(&IndexRecord {
                    level: 1,
                    ca,
                    next: node.next,
                    entries,
                    free: Vec::new(),
                })?;
                node.next = sibling;
                let between = node.entries[at - 1].separator.clone();
                self.insert_above(path, node_ci, between, sibling, false)?;
                self.set_node(node_ci, &node)?;
                Ok(Some(self.data.layout.join(ca, 0)))
            });
        }
        // Before everything: what the CA has moves to the new one, and the record takes its place. Meanwhile nobody
        // may come
        // through the index record: under its old numbers a moved CI looks empty.
        let latched = self.latch_node(node_ci);
        let mut latched = latched.inspect_err(|_| self.give_back_ca(ca))?;
        self.count_new_ca(reused);
        self.or_fence(|| {
            let mut moved = std::mem::replace(&mut node.entries, entries);
            for (i, e) in moved.iter_mut().enumerate() {
                self.data.rehome(
                    self.data.layout.join(node.ca, e.pointer),
                    self.data.layout.join(ca, i as u32),
                )?;
                e.pointer = i as u32;
            }
            self.write_segments(node.ca, &pointers, record)?;
            let sibling = self.new_node(&IndexRecord {
                level: 1,
                ca,
                next: node.next,
                entries: moved,
                free: Vec::new(),
            })?;
            node.next = sibling;
            self.insert_above(path, node_ci, mine, sibling, false)?;
            self.put_node(&mut latched, &node)?;
            Ok(Some(self.data.layout.join(node.ca, 0)))
        })
    }

    /// The same where the entry's CI is empty.
    fn place_instead(
        &self,
        mut path: Vec<PathStep>,
        node_ci: u32,
        mut node: IndexRecord,
        entry: usize,
        record: &[u8],
    ) -> Result<Option<u32>, RequestError> {
        let need = self.segments(record.len());
        let own = node.entries[entry].pointer;
        let pointers: Vec<u32> = std::iter::once(own)
            .chain(node.free.iter().rev().map(|&i| i as u32))
            .take(need)
            .collect();
        let range = node.entries[entry].separator.clone();
        let mut wider = node.clone();
        wider.entries.splice(
            entry..=entry,
            pointers.iter().map(|&pointer| Entry {
                separator: range.clone(),
                pointer,
            }),
        );
        wider.free.truncate(node.free.len() + 1 - pointers.len());
        if pointers.len() == need && (self.node_fits(&wider) || node.entries.len() == 1) {
            // The first segment comes into a CI that the index has: nobody may see it before its neighbours.
            let mut latched = self.latch_node(node_ci)?;
            self.or_fence(|| {
                self.write_segments(node.ca, &pointers, record)?;
                self.put_node(&mut latched, &wider)
            })?;
            return Ok(Some(self.data.layout.join(node.ca, own)));
        }
        // Room comes from a CA split beside the entry, until it is alone in its CA.
        let at = if entry > 0 { entry } else { 1 };
        if node.entries.len() > 1 {
            path.push(PathStep {
                ci: node_ci,
                record: std::mem::replace(&mut node, wider),
                entry,
            });
            self.split_ca_at(path, at, false)?;
            return Ok(None);
        }
        Err(RequestError::Length {
            given: record.len(),
            least: 0,
            most: self.longest_spanned(),
        })
    }

    /// The segments that follow the first one at `spot`, appended to `out`, which holds it. False: something changed.
    pub fn gather(&self, spot: &Spot, out: &mut Vec<u8>) -> Result<bool, RequestError> {
        let mut leaf = spot.leaf;
        loop {
            let next = match self.step_forward(&leaf)? {
                PageStep::To(next) => next,
                PageStep::Restart => return Ok(false),
                PageStep::End => return self.no_more_segments(spot, &leaf),
            };
            let view = self.leaf_view(&next);
            let segment = view.segment();
            let mut piece = Vec::new();
            let sound = view.record(0, &mut piece);
            if !sound || !self.fresh(&next) || !self.fresh(&spot.leaf) {
                return Ok(false);
            }
            if segment != MIDDLE && segment != LAST {
                return Err(self.data_error(next.ci, "the next segment of a spanned record is missing"));
            }
            out.extend_from_slice(&piece);
            if segment == LAST {
                return Ok(self.fresh(&spot.leaf));
            }
            leaf = next;
        }
    }

    /// Nothing follows a segment that is not the last: something is just being changed, or the record is damaged.
    /// Damage is what is there while nobody changes anything, seen in an index record that is still the reader's.
    fn no_more_segments(&self, first: &Spot, last: &Leaf) -> Result<bool, RequestError> {
        let Some(_quiet) = self.structure.try_lock() else {
            return Ok(false);
        };
        let ends = matches!(self.step_forward(last)?, PageStep::End);
        if ends && self.fresh(last) && self.fresh(&first.leaf) {
            Err(self.data_error(last.ci, "the last segment of a spanned record is missing"))
        } else {
            Ok(false)
        }
    }
}

enum Side {
    /// The CI is empty: the record takes its place and its range. (Put before or behind it, it could leave it a
    /// range without keys.)
    Instead,
    Before(Vec<u8>),
    After(Vec<u8>),
    Inside,
    Duplicate,
}
