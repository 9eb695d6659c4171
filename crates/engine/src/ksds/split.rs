//! CI and CA splits.
//!
//! | what does not fit | room found | done |
//! |---|---|---|
//! | record in its CI | a free CI in the CA, and in the sequence-set record | CI split |
//! | | neither | CA split, then again |
//! | CA has one CI, or the record goes behind all of them | | the CI is split into a new CA |
//!
//! Where a CI is split: in ascending order at the record that comes, so that the left one stays full; else so that
//! both halves are about equal. A CA likewise.

use super::nodes::{PathStep, Within};
use super::{separator, Ksds};
use crate::error::RequestError;
use crate::pool::{Entry, Latched, Page, Records, Width};
use cica_counters::DataSetCount;
use cica_format::ci;
use cica_format::index::IndexRecord;

/// The record that needs room.
pub(super) struct Incoming<'r> {
    pub key: &'r [u8],
    pub len: usize,
    /// It replaces the record with its key.
    pub replaces: bool,
    /// It comes in ascending order.
    pub ascending: bool,
    /// It would fit the CI but not what a load fills of it.
    pub limited: bool,
}

impl Ksds {
    /// Makes room for a record that did not fit its CI. The caller tries again afterwards, whatever became of it
    /// meanwhile. An error that does not fence has changed nothing: a CI that cannot be read refuses the requests that
    /// need it.
    pub(super) fn make_room(&self, coming: &Incoming<'_>) -> Result<(), RequestError> {
        let _reserve = self.reserve_change()?;
        let _structure = self.structure.lock();
        self.check_fence()?;
        if let Some(within) = self.room_within(coming.key)? {
            return self.split_within(within, coming);
        }
        let path = self.path(coming.key)?;
        let Some(PathStep { record, entry, .. }) = path.last() else {
            return Ok(());
        };
        let free = record.free.last().copied();
        let behind =
            *entry + 1 == record.entries.len() && coming.ascending && self.is_behind_all(record, *entry, coming.key)?;
        let alone = record.entries.len() == 1 || is_one_record(&record.entries);
        if let Some(free) = free {
            self.split_ci(path, coming, SplitTarget::SameCa(free as u32))
        } else if behind || alone {
            self.split_ci(path, coming, SplitTarget::NewCa)
        } else {
            self.split_ca(path, coming.ascending)
        }
    }

    /// The common split: into a free CI of the same CA, where at a glance there is room for its entry. An error that
    /// does not fence has changed nothing.
    fn split_within(&self, within: Within, coming: &Incoming<'_>) -> Result<(), RequestError> {
        let spare = self.data.spare(0)?;
        let mut left = self.data.latch(within.from)?;
        let plan = plan(&Page::of(left.cells()), coming, self.shape, self.data.layout.ci_size);
        let Some(SplitPlan { moved, separator }) = plan else {
            // It has room by now, or holds a spanned record, which is another path.
            spare.free();
            return Ok(());
        };
        let right = self.move_records(&mut left, (moved, within.to), spare, !coming.ascending)?;
        let emptied = left.view().count() == 0;
        self.or_fence(|| self.split_entry(within, &separator))?;
        drop((left, right));
        if emptied {
            self.data.note_records(within.from);
        }
        Ok(())
    }

    /// Moves the records from `moved` on of a latched page to CI `to`, which has none. `spare` becomes its page, unless
    /// that is made `narrow` (pool/narrow.rs): more will come, but not soon, and not in order.
    pub(super) fn move_records<'p>(
        &'p self,
        left: &mut Latched<'p>,
        (moved, to): (usize, u32),
        spare: Latched<'p>,
        narrow: bool,
    ) -> Result<Latched<'p>, RequestError> {
        let count = left.view().count();
        debug_assert!(moved <= count, "only what the page has can move: {moved} of {count}");
        let right = if narrow && !left.view().is_short() && left.view().segment() == 0 {
            self.narrow_copy(left, moved)
        } else {
            None
        };
        let right = match right {
            Some(right) => {
                spare.free();
                right
            }
            None => self.copy_behind(left, moved, spare)?,
        };
        let right = self.data.adopt(to, right)?;
        Page::of(left.cells()).truncate(moved);
        let halves = (left.view().count(), right.view().count());
        debug_assert_eq!(
            halves,
            (moved, count - moved),
            "a split loses no record and doubles none"
        );
        self.data.changed(left);
        self.counters.add(DataSetCount::CiSplits, 1);
        Ok(right)
    }

    /// The records of a page from `moved` on in a frame that is narrower, where memory for one is at hand.
    fn narrow_copy(&self, page: &mut Latched<'_>, moved: usize) -> Option<Latched<'_>> {
        let page = Page::of(page.cells());
        let moving = moved..page.count();
        let data = moving.clone().map(|i| page.len_of(i)).sum();
        let width = Width::of_half(self.data.layout.ci_size, moving.len(), data, self.pool.is_short())?;
        let mut narrow = self.data.narrow_frame(width)?;
        Page::format_narrow(narrow.cells(), width).refill(moving.map(|i| page.record(i)), self.shape);
        Some(narrow)
    }

    /// The records of a page from `moved` on in a frame of full width, or a short page.
    fn copy_behind<'p>(
        &'p self,
        left: &mut Latched<'p>,
        moved: usize,
        mut spare: Latched<'p>,
    ) -> Result<Latched<'p>, RequestError> {
        let need = Page::frame_len(self.data.layout.ci_size, left.view().count() - moved + 4);
        if spare.size() < need {
            spare.free();
            spare = self.data.spare(need)?;
        }
        if left.view().is_short() {
            let records = Records::of(left.view());
            Page::format(spare.cells(), self.data.layout.ci_size).refill(records.iter().skip(moved), self.shape);
            return Ok(self.data.shortened(spare));
        }
        let page = Page::of(left.cells());
        let records = (moved..page.count()).map(|i| page.record(i));
        Page::format(spare.cells(), self.data.layout.ci_size).refill(records, self.shape);
        Ok(spare)
    }

    fn is_behind_all(&self, record: &IndexRecord, entry: usize, key: &[u8]) -> Result<bool, RequestError> {
        let mut latched = self
            .data
            .latch(self.data.layout.join(record.ca, record.entries[entry].pointer))?;
        let page = Page::of(latched.cells());
        let n = page.count();
        Ok(n > 0 && page.segment() == 0 && page.key(n - 1, self.shape) < key)
    }

    /// Splits the CI to which `coming` belongs.
    fn split_ci(&self, path: Vec<PathStep>, coming: &Incoming<'_>, target: SplitTarget) -> Result<(), RequestError> {
        let spare = self.data.spare(0)?;
        let new_ca = match target {
            SplitTarget::SameCa(_) => None,
            SplitTarget::NewCa => {
                self.reserve_nodes(1)?;
                Some(self.data.allocate_ca()?)
            }
        };
        let done = self.split_ci_to(path, coming, (target, new_ca), spare);
        if let (Err(_), Some((ca, _))) = (&done, new_ca) {
            self.give_back_ca(ca);
        }
        done
    }

    /// A new CA is free again, after an error that was found before anything was changed.
    pub(super) fn give_back_ca(&self, ca: u32) {
        if !self.is_fenced() {
            // The first error is the one to tell.
            let _ = self.data.free_ca(ca);
        }
    }

    /// Reads the CIs of these entries that are not in the pool: one that cannot be read is found before any of them is
    /// moved.
    pub(super) fn bring_all(&self, ca: u32, entries: &[Entry]) -> Result<(), RequestError> {
        let mut cis = entries.iter().map(|entry| self.data.layout.join(ca, entry.pointer));
        cis.try_for_each(|ci| self.data.page(ci).map(drop))
    }

    /// The same with frame and CA in hand. An error that does not fence has changed nothing.
    fn split_ci_to<'p>(
        &'p self,
        mut path: Vec<PathStep>,
        coming: &Incoming<'_>,
        (target, new_ca): (SplitTarget, Option<(u32, bool)>),
        spare: Latched<'p>,
    ) -> Result<(), RequestError> {
        let Some(PathStep {
            ci: node,
            mut record,
            entry,
        }) = path.pop()
        else {
            return Ok(());
        };
        let to = match (target, new_ca) {
            (SplitTarget::SameCa(free), _) => self.data.layout.join(record.ca, free),
            (SplitTarget::NewCa, ca) => self.data.layout.join(ca.map_or(0, |c| c.0), 0),
        };
        let from = self.data.layout.join(record.ca, record.entries[entry].pointer);
        let mut left = self.data.latch(from)?;
        let plan = plan(&Page::of(left.cells()), coming, self.shape, self.data.layout.ci_size);
        let Some(SplitPlan { moved, separator }) = plan else {
            // It has room by now, or holds a spanned record, which is another path.
            spare.free();
            if let Some((ca, _)) = new_ca {
                self.data.free_ca(ca)?;
            }
            return Ok(());
        };
        let old = std::mem::replace(&mut record.entries[entry].separator, separator.clone());
        if let SplitTarget::SameCa(free) = target {
            record.entries.insert(
                entry + 1,
                Entry {
                    separator: old.clone(),
                    pointer: free,
                },
            );
            record.free.pop();
            if !self.node_fits(&record) {
                // The sequence-set record is full before its CA is.
                spare.free();
                drop(left);
                record.entries.remove(entry + 1);
                record.entries[entry].separator = old;
                record.free.push(free as u16);
                path.push(PathStep {
                    ci: node,
                    record,
                    entry,
                });
                return if is_one_record(&path[path.len() - 1].record.entries) {
                    self.split_ci(path, coming, SplitTarget::NewCa)
                } else {
                    self.split_ca(path, coming.ascending)
                };
            }
        }
        let right = self.move_records(&mut left, (moved, to), spare, !coming.ascending)?;
        let emptied = left.view().count() == 0;
        self.or_fence(|| match target {
            SplitTarget::SameCa(_) => self.set_node(node, &record),
            SplitTarget::NewCa => {
                let (ca, reused) = new_ca.unwrap_or((0, false));
                self.count_new_ca(reused);
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
                self.insert_above(path, node, separator, sibling, coming.ascending)?;
                self.set_node(node, &record)
            }
        })?;
        drop((left, right));
        if emptied {
            self.data.note_records(from);
        }
        Ok(())
    }

    /// Moves the right half of a CA's CIs (in ascending order: those right of the record that comes) to a new CA.
    fn split_ca(&self, path: Vec<PathStep>, ascending: bool) -> Result<(), RequestError> {
        let Some(PathStep { record, entry, .. }) = path.last() else {
            return Ok(());
        };
        let count = record.entries.len();
        let wanted = if ascending && entry + 1 < count {
            entry + 1
        } else {
            count / 2
        };
        let Some(at) = boundary(&record.entries, wanted) else {
            return Err(self.index_error(0, "a control area with one record cannot be split"));
        };
        self.split_ca_at(path, at, ascending)
    }

    /// Moves the entries from `at` on, with their CIs, to a new CA.
    pub(super) fn split_ca_at(&self, mut path: Vec<PathStep>, at: usize, ascending: bool) -> Result<(), RequestError> {
        let Some(PathStep {
            ci: node, mut record, ..
        }) = path.pop()
        else {
            return Ok(());
        };
        self.reserve_nodes(1)?;
        self.bring_all(record.ca, &record.entries[at..])?;
        let moving = if ascending {
            self.data.layout.ci_per_ca
        } else {
            record.entries.len() - at
        };
        let (ca, reused) = self.data.allocate_ca_for(moving)?;
        // Until the record is as its CIs are, nobody may come through it: under its old numbers a moved CI looks empty.
        let latched = self.latch_node(node);
        let mut latched = latched.inspect_err(|_| self.give_back_ca(ca))?;
        self.count_new_ca(reused);
        self.or_fence(|| {
            let mut moved = record.entries.split_off(at);
            for (i, entry) in moved.iter_mut().enumerate() {
                let from = self.data.layout.join(record.ca, entry.pointer);
                self.data.rehome(from, self.data.layout.join(ca, i as u32))?;
                entry.pointer = i as u32;
            }
            let upper = IndexRecord {
                level: 1,
                ca,
                next: record.next,
                entries: moved,
                free: Vec::new(),
            };
            let sibling = self.new_node(&upper)?;
            record.next = sibling;
            let separator = record.entries[at - 1].separator.clone();
            self.insert_above(path, node, separator, sibling, ascending)?;
            self.put_node(&mut latched, &record)
        })
    }

    pub(super) fn count_new_ca(&self, reused: bool) {
        self.counters.add(DataSetCount::CaSplits, 1);
        if reused {
            self.counters.add(DataSetCount::CaReuses, 1);
        }
    }
}

#[derive(Clone, Copy)]
enum SplitTarget {
    SameCa(u32),
    NewCa,
}

/// The boundary between entries nearest to `wanted` that does not cut a spanned record (K2).
fn boundary(entries: &[Entry], wanted: usize) -> Option<usize> {
    let cuts = |at: &usize| entries[at - 1].separator == entries[*at].separator;
    let up = (wanted.max(1)..entries.len()).find(|at| !cuts(at));
    up.or_else(|| (1..wanted.min(entries.len())).rev().find(|at| !cuts(at)))
}

/// All entries are segments of one spanned record.
pub(super) fn is_one_record(entries: &[Entry]) -> bool {
    entries.windows(2).all(|w| w[0].separator == w[1].separator)
}

/// Where to split a CI.
struct SplitPlan {
    /// Old records from here on move to the right.
    moved: usize,
    /// Between what is left and what is right, the coming record included.
    separator: Vec<u8>,
}

/// Position of the first record with a key at or above `key`.
fn first_at_or_above(page: &Page<'_>, key: &[u8], shape: crate::pool::Shape) -> usize {
    let (mut low, mut high) = (0, page.count());
    while low < high {
        let middle = low + (high - low) / 2;
        if page.key(middle, shape) < key {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}

/// Plans the split of `page` for `coming`; `None` if it need not be split, or holds a spanned segment, or by now has a
/// record with the key of one that is to be added: no separator could stand between the two.
fn plan(page: &Page<'_>, coming: &Incoming<'_>, shape: crate::pool::Shape, ci_size: usize) -> Option<SplitPlan> {
    if page.segment() != 0 || page.count() == 0 {
        return None;
    }
    // The records as they will be: key source and length of each.
    let n = page.count();
    let pos = first_at_or_above(page, coming.key, shape);
    let is_there = pos < n && page.key(pos, shape) == coming.key;
    if is_there && !coming.replaces {
        return None;
    }
    let replaced = is_there;
    let old_at = |i: usize| if i <= pos || replaced { i } else { i - 1 };
    let total = if replaced { n } else { n + 1 };
    let len = |i: usize| if i == pos { coming.len } else { page.len_of(old_at(i)) };
    let key = |i: usize| {
        if i == pos {
            coming.key
        } else {
            page.key(old_at(i), shape)
        }
    };
    let lengths: Vec<u16> = (0..total).map(|i| len(i) as u16).collect();
    let sum = |lengths: &[u16]| lengths.iter().map(|len| usize::from(*len)).sum::<usize>();
    let fits = |from: usize, to: usize| {
        let lengths = &lengths[from..to];
        let rdfs = ci::rdf_count(lengths.iter().copied());
        ci::free_bytes(ci_size, sum(lengths), rdfs).is_some()
    };
    if total < 2 || (fits(0, total) && !coming.limited) {
        return None;
    }
    let both = |t: &usize| fits(0, *t) && fits(*t, total);
    let ascending = || {
        [pos + 1, pos]
            .into_iter()
            .filter(|t| (1..total).contains(t))
            .find(|t| both(t))
    };
    let bytes = sum(&lengths);
    let mut left = 0;
    let middle = lengths
        .iter()
        .position(|len| {
            left += usize::from(*len);
            left * 2 >= bytes
        })
        .map_or(total / 2, |i| i + 1)
        .clamp(1, total - 1);
    let nearest = || {
        (0..total)
            .flat_map(|d| [middle + d, middle.wrapping_sub(d)])
            .filter(|t| (1..total).contains(t))
            .find(|t| both(t))
    };
    // Three CIs are needed when no cut serves: cut beside the record, and the next try cuts again.
    let at = coming
        .ascending
        .then(ascending)
        .flatten()
        .or_else(nearest)
        .unwrap_or(pos.clamp(1, total - 1));
    let moved = if replaced || at <= pos { at } else { at - 1 };
    Some(SplitPlan {
        moved,
        separator: separator(key(at - 1), key(at)),
    })
}
