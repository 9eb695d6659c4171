//! Finding: from a key to its data page, to the next page and to the one before, without a lock or latch (latch:L1,
//! K3).

use super::Ksds;
use crate::error::RequestError;
use crate::pool::{Begun, Probe, Rounds, View};

/// A data page as a reader found it, and the sequence-set entry that led there.
#[derive(Debug, Clone, Copy)]
pub struct Leaf {
    /// Data CI.
    pub ci: u32,
    /// Its frame and version.
    pub frame: u32,
    /// See `frame`.
    pub version: u64,
    /// Sequence-set record: index CI, frame, version.
    pub node: (u32, u32, u64),
    /// Its entry, of `entries`.
    pub entry: usize,
    /// Entries it has.
    pub entries: usize,
}

/// A record's place: a page and a position on it.
#[derive(Debug, Clone, Copy)]
pub struct Spot {
    /// Page.
    pub leaf: Leaf,
    /// Position on it.
    pub pos: usize,
}

/// What one optimistic read, from the root to the page, came to.
pub enum Optimistic {
    Found(Spot),
    /// There is no such record.
    NotFound,
    /// Something changed meanwhile, or the record is not of the common kind: it is to be looked for step by step.
    Retry,
}

/// An entry of a sequence-set record, as a reader found it.
struct Entrance {
    /// The CA that the record indexes, and the number in it of the entry's CI.
    ca: u32,
    pointer: u32,
    /// As in [`Leaf`].
    node: (u32, u32, u64),
    entry: usize,
    entries: usize,
}

impl Entrance {
    /// The data page that it leads to: CI, frame and version.
    #[inline]
    fn leaf(&self, ci: u32, (frame, version): (u32, u64)) -> Leaf {
        Leaf {
            ci,
            frame,
            version,
            node: self.node,
            entry: self.entry,
            entries: self.entries,
        }
    }
}

/// One step along the data pages.
pub(super) enum PageStep {
    To(Leaf),
    End,
    /// Something changed under the reader.
    Restart,
}

impl Ksds {
    #[inline]
    pub(super) fn view(&self, frame: u32) -> View<'_> {
        self.pool.view(frame)
    }
    /// True while the page is as the reader found it.
    #[inline]
    pub fn fresh(&self, leaf: &Leaf) -> bool {
        self.unchanged(leaf.frame, leaf.version)
    }
    /// The page for reading.
    #[inline]
    pub fn leaf_view(&self, leaf: &Leaf) -> View<'_> {
        self.pool.view(leaf.frame)
    }

    /// What came of following an index page, if that is still as it was when it was followed. Else the way is no longer
    /// one: its end may be anything, and an error met there says nothing of the data set.
    #[inline(always)]
    fn believed<T>(
        &self,
        (frame, version): (u32, u64),
        came: Result<T, RequestError>,
    ) -> Result<Option<T>, RequestError> {
        if self.unchanged(frame, version) {
            came.map(Some)
        } else {
            Ok(None)
        }
    }

    /// A request that needs pages of index and data at once begins anew (P8).
    #[cold]
    #[inline(never)]
    pub fn again(&self, begun: Begun) -> Result<Begun, RequestError> {
        Rounds::again(begun, &self.pool, || self.needs()).map_err(|stuck| self.data.stuck(stuck))
    }

    /// The sequence-set entry to which `probe` (a key, or the start of one) belongs; `None` when there is no index yet.
    #[inline(always)]
    fn entry_for(&self, probe: Probe<'_>) -> Result<Option<Entrance>, RequestError> {
        let mut begun = Begun::default();
        'restart: loop {
            let (top, levels) = self.top();
            if levels == 0 {
                return Ok(None);
            }
            let page = self.index.page_where_it_was(top);
            if self.top() != (top, levels) {
                begun = self.again(begun)?;
                continue;
            }
            let (mut node, (mut frame, mut version)) = (top, page?);
            loop {
                let view = self.view(frame);
                let (entries, level, ca) = (view.count(), view.level(), view.ca());
                let entry = view.find_entry(probe, |near| {
                    if level == 1 {
                        self.data.prefetch_place(ca, near as usize);
                    }
                });
                let pointer = view.pointer(entry);
                if !self.unchanged(frame, version) {
                    begun = self.again(begun)?;
                    continue 'restart;
                }
                if entry >= entries || level == 0 {
                    return Err(self.index_error(node, "no entry covers the key"));
                }
                if level == 1 {
                    return Ok(Some(Entrance {
                        ca,
                        pointer,
                        node: (node, frame, version),
                        entry,
                        entries,
                    }));
                }
                let Some(next) = self.believed((frame, version), self.index.page(pointer))? else {
                    begun = self.again(begun)?;
                    continue 'restart;
                };
                (node, (frame, version)) = (pointer, next);
            }
        }
    }

    /// The data page to which `probe` (a key, or the start of one) belongs; `None` when there is no index yet.
    #[inline]
    pub fn descend(&self, probe: Probe<'_>) -> Result<Option<Leaf>, RequestError> {
        let mut begun = Begun::default();
        loop {
            let Some(found) = self.entry_for(probe)? else {
                return Ok(None);
            };
            let ci = self.data.layout.join(found.ca, found.pointer);
            let page = match self.data.resident_in(found.ca, found.pointer as usize) {
                Some(page) => Ok(page),
                None => self.data.page(ci),
            };
            if let Some(page) = self.believed((found.node.1, found.node.2), page)? {
                return Ok(Some(found.leaf(ci, page)));
            }
            begun = self.again(begun)?;
        }
    }

    /// The data page to which a key belongs, or its CI, if that has no page; `None` when there is no index yet.
    #[inline]
    pub(super) fn page_or_ci(&self, key: &[u8]) -> Result<Option<Result<Leaf, u32>>, RequestError> {
        let mut begun = Begun::default();
        loop {
            let Some(found) = self.entry_for(Probe::new(key))? else {
                return Ok(None);
            };
            let ci = self.data.layout.join(found.ca, found.pointer);
            // What was asked for half way may have been beside it.
            self.data.prefetch_place(found.ca, found.pointer as usize);
            let page = self.data.resident_in(found.ca, found.pointer as usize);
            if self.unchanged(found.node.1, found.node.2) {
                return Ok(Some(page.map(|page| found.leaf(ci, page)).ok_or(ci)));
            }
            begun = self.again(begun)?;
        }
    }

    /// The record with this whole key, if it is on this page.
    #[inline]
    pub fn on_page(&self, leaf: Leaf, key: &[u8]) -> Option<Spot> {
        let view = self.leaf_view(&leaf);
        let (pos, equal) = view.find_record(Probe::new(key), self.shape);
        let here = equal && view.segment() <= 1;
        (here && self.fresh(&leaf)).then_some(Spot { leaf, pos })
    }

    /// The record with this key, if that is a whole one, looked for where it belongs and nowhere else.
    #[inline]
    pub fn find_optimistic(&self, key: &[u8]) -> Result<Optimistic, RequestError> {
        if key.len() != self.shape.key_len {
            return Ok(Optimistic::Retry);
        }
        let (probe, replacing) = (Probe::new(key), self.replacing());
        let Some(leaf) = self.descend(probe)? else {
            return Ok(Optimistic::Retry);
        };
        let view = self.leaf_view(&leaf);
        let (pos, equal) = view.find_record(probe, self.shape);
        let segment = view.segment();
        // What is not there is nowhere (K1), unless it is a spanned record that is being replaced (K5).
        let settled = self.was_settled(replacing);
        Ok(match (equal, segment) {
            _ if !self.fresh(&leaf) => Optimistic::Retry,
            (true, 0) => Optimistic::Found(Spot { leaf, pos }),
            (false, 0) if settled && !self.is_fenced() => Optimistic::NotFound,
            _ => Optimistic::Retry,
        })
    }

    /// See [`first_at`](Self::first_at), which K5 is for.
    pub(super) fn look_above(&self, key: &[u8], after: bool) -> Result<Option<Spot>, RequestError> {
        Ok(self.look_for(key, after)?.map(|found| found.0))
    }

    /// The first record whose key is at or above `key`, and whether it is equal over the length of `key`.
    #[inline]
    pub(super) fn at_or_above(&self, key: &[u8]) -> Result<Option<(Spot, bool)>, RequestError> {
        let mut begun = Begun::default();
        loop {
            let Some((spot, equal)) = self.look_for(key, false)? else {
                return Ok(None);
            };
            // On the page to which the key belongs the search has compared it.
            match equal.or_else(|| self.starts_with(&spot, key)) {
                Some(equal) => return Ok(Some((spot, equal))),
                None => begun = self.again(begun)?,
            }
        }
    }

    #[inline]
    fn look_for(&self, key: &[u8], after: bool) -> Result<Option<(Spot, Option<bool>)>, RequestError> {
        let (probe, mut begun) = (Probe::new(key), Begun::default());
        'restart: loop {
            let Some(mut leaf) = self.descend(probe)? else {
                return Ok(None);
            };
            let (mut pos, equal) = self.leaf_view(&leaf).find_record(probe, self.shape);
            if equal && after {
                pos += 1;
            }
            let mut equal = Some(equal && !after);
            loop {
                let view = self.leaf_view(&leaf);
                let here = pos < view.count() && view.segment() <= 1;
                if !self.fresh(&leaf) {
                    begun = self.again(begun)?;
                    continue 'restart;
                }
                if here {
                    return Ok(Some((Spot { leaf, pos }, equal)));
                }
                match self.step_forward(&leaf)? {
                    PageStep::To(next) => (leaf, pos, equal) = (next, 0, None),
                    PageStep::End => return Ok(None),
                    PageStep::Restart => {
                        begun = self.again(begun)?;
                        continue 'restart;
                    }
                }
            }
        }
    }

    /// The record after `spot`, if its page is as it was; `Ok(None)` at the end; `Err(None)` when the page changed.
    pub(super) fn following(&self, spot: &Spot) -> Result<Option<Spot>, Option<RequestError>> {
        let (mut leaf, mut pos) = (spot.leaf, spot.pos + 1);
        loop {
            let view = self.leaf_view(&leaf);
            let here = pos < view.count() && view.segment() <= 1;
            if !self.fresh(&leaf) {
                return Err(None);
            }
            if here {
                return Ok(Some(Spot { leaf, pos }));
            }
            match self.step_forward(&leaf).map_err(Some)? {
                PageStep::To(next) => (leaf, pos) = (next, 0),
                PageStep::End => return Ok(None),
                PageStep::Restart => return Err(None),
            }
        }
    }

    /// The record before `spot`, if it is on the same page and that is as it was.
    pub(super) fn before_on_page(&self, spot: &Spot) -> Option<Spot> {
        let (pos, leaf) = (spot.pos.checked_sub(1)?, spot.leaf);
        let whole = self.leaf_view(&leaf).segment() == 0;
        (whole && self.fresh(&leaf)).then_some(Spot { leaf, pos })
    }

    /// See [`last_at`](Self::last_at), which K5 is for.
    pub(super) fn look_below(&self, key: &[u8], or_at: bool) -> Result<Option<Spot>, RequestError> {
        let (probe, mut begun) = (Probe::new(key), Begun::default());
        'restart: loop {
            let Some(mut leaf) = self.descend(probe)? else {
                return Ok(None);
            };
            let (found, equal) = self.leaf_view(&leaf).find_record(probe, self.shape);
            let mut end = found + (equal && or_at) as usize;
            loop {
                let view = self.leaf_view(&leaf);
                let here = end > 0 && end <= view.count() && view.segment() <= 1;
                if !self.fresh(&leaf) {
                    begun = self.again(begun)?;
                    continue 'restart;
                }
                if here {
                    return Ok(Some(Spot { leaf, pos: end - 1 }));
                }
                match self.step_backward(&leaf)? {
                    PageStep::To(before) => {
                        leaf = before;
                        end = self.leaf_view(&leaf).count();
                    }
                    PageStep::End => return Ok(None),
                    PageStep::Restart => {
                        begun = self.again(begun)?;
                        continue 'restart;
                    }
                }
            }
        }
    }

    /// A sequential reader came to `leaf`: the head of the page after it is asked for, so that it is in the cache when
    /// its turn comes. Returns the frame where that page is now.
    pub fn prefetch_after(&self, leaf: &Leaf) -> Option<u32> {
        if leaf.entry + 1 >= leaf.entries {
            return None;
        }
        let view = self.view(leaf.node.1);
        let ci = self.data.layout.join(view.ca(), view.pointer(leaf.entry + 1));
        let known = self.unchanged(leaf.node.1, leaf.node.2);
        // Where it is told anew when its turn comes.
        known.then(|| self.data.resident(ci))?.map(|(frame, _)| frame)
    }

    /// Whether the record at `spot` has a key that starts with `key`; `None`: its page changed.
    fn starts_with(&self, spot: &Spot, key: &[u8]) -> Option<bool> {
        let equal = self
            .leaf_view(&spot.leaf)
            .compare_key(spot.pos, self.shape, Probe::new(key))
            == std::cmp::Ordering::Equal;
        self.fresh(&spot.leaf).then_some(equal)
    }

    /// Where the record at `spot` starts, if its page is fresh.
    #[inline]
    pub fn rba_of(&self, spot: &Spot) -> u64 {
        self.data.rba(spot.leaf.ci, self.leaf_view(&spot.leaf).place(spot.pos))
    }

    /// Key of the record that starts at `rba`.
    pub fn key_at(&self, rba: u64) -> Result<Option<Vec<u8>>, RequestError> {
        let size = self.data.layout.ci_size as u64;
        if rba >= self.data.high_used() {
            return Ok(None);
        }
        let (ci, offset) = ((rba / size) as u32, (rba % size) as usize);
        self.data.read(ci, |view| {
            let mut place = 0;
            let at = (0..view.count()).find(|&i| {
                let here = place == offset;
                place += view.len_of(i);
                here
            });
            let at = at.filter(|_| view.segment() <= 1)?;
            let mut key = vec![0; self.shape.key_len];
            view.record_part(at, self.shape.rkp, &mut key);
            Some(key)
        })
    }

    /// The next data page.
    pub(super) fn step_forward(&self, leaf: &Leaf) -> Result<PageStep, RequestError> {
        self.check_fence()?;
        let (_, frame, version) = leaf.node;
        let view = self.view(frame);
        if leaf.entry + 1 < leaf.entries {
            return self.leaf_of(leaf.node, leaf.entry + 1, leaf.entries, true);
        }
        let next = view.next();
        if !self.unchanged(frame, version) {
            return Ok(PageStep::Restart);
        }
        if next == u32::MAX {
            return Ok(PageStep::End);
        }
        let Some((next_frame, next_version)) = self.believed((frame, version), self.index.page(next))? else {
            return Ok(PageStep::Restart);
        };
        let entries = self.view(next_frame).count();
        self.leaf_of((next, next_frame, next_version), 0, entries, true)
    }

    fn step_backward(&self, leaf: &Leaf) -> Result<PageStep, RequestError> {
        self.check_fence()?;
        let (node, frame, version) = leaf.node;
        if leaf.entry > 0 {
            return self.leaf_of(leaf.node, leaf.entry - 1, leaf.entries, false);
        }
        // The highest key of this node's first entry leads to the node; the node before is the one left of that path.
        let mut probe = self.view(frame).separator(0);
        if !self.unchanged(frame, version) {
            return Ok(PageStep::Restart);
        }
        probe.resize(self.shape.key_len, 0xFF);
        let Some(before) = self.node_before(&probe, node)? else {
            return Ok(PageStep::Restart);
        };
        if !self.unchanged(frame, version) {
            return Ok(PageStep::Restart);
        }
        let Some((ci, before_frame, before_version)) = before else {
            return Ok(PageStep::End);
        };
        let entries = self.view(before_frame).count();
        match entries.checked_sub(1) {
            Some(last) => self.leaf_of((ci, before_frame, before_version), last, entries, false),
            // No record of an index is empty, but one that is just being written looks like anything.
            None if !self.unchanged(before_frame, before_version) => Ok(PageStep::Restart),
            None => Err(self.index_error(ci, "has no entries")),
        }
    }

    /// The data page of an entry; on the way forward the CIs that follow it are read ahead when it is not in the pool.
    fn leaf_of(
        &self,
        node: (u32, u32, u64),
        entry: usize,
        entries: usize,
        ahead: bool,
    ) -> Result<PageStep, RequestError> {
        let view = self.view(node.1);
        let (pointer, ca, level) = (view.pointer(entry), view.ca(), view.level());
        if !self.unchanged(node.1, node.2) {
            return Ok(PageStep::Restart);
        }
        if level != 1 || entry >= entries {
            return Err(self.index_error(node.0, "is not a sequence-set record"));
        }
        let ci = self.data.layout.join(ca, pointer);
        let resident = self.data.resident(ci);
        if resident.is_none() && ahead {
            let cis: Vec<u32> = (entry..entries)
                .take(64)
                .map(|e| self.data.layout.join(ca, view.pointer(e)))
                .collect();
            if self.unchanged(node.1, node.2) {
                self.data.read_ahead(&cis);
            }
        }
        let page = resident.map_or_else(|| self.data.page(ci), Ok);
        let Some((frame, version)) = self.believed((node.1, node.2), page)? else {
            return Ok(PageStep::Restart);
        };
        Ok(PageStep::To(Leaf {
            ci,
            frame,
            version,
            node,
            entry,
            entries,
        }))
    }

    /// The sequence-set record before the one to which `probe` belongs. `None`: something changed, or it is not `node`.
    #[allow(clippy::type_complexity)]
    pub(super) fn node_before(&self, probe: &[u8], node: u32) -> Result<Option<Option<(u32, u32, u64)>>, RequestError> {
        let (top, levels) = self.top();
        if levels == 0 {
            return Ok(None);
        }
        let page = self.index.page(top);
        if self.top() != (top, levels) {
            return Ok(None);
        }
        let (mut at, mut page) = (top, page?);
        // Left of the path: an index record, and the page that names it.
        let mut left: Option<(u32, (u32, u64))> = None;
        // What was read on the way is only true together.
        let mut passed: Vec<(u32, u64)> = Vec::with_capacity(2 * levels as usize);
        let still = |passed: &[(u32, u64)]| {
            self.top() == (top, levels) && passed.iter().all(|&(frame, version)| self.unchanged(frame, version))
        };
        loop {
            passed.push(page);
            let view = self.view(page.0);
            let (entry, entries, level) = (view.find_entry(Probe::new(probe), |_| ()), view.count(), view.level());
            let pointer = view.pointer(entry);
            let sibling = (entry > 0).then(|| view.pointer(entry - 1));
            if !self.unchanged(page.0, page.1) {
                return Ok(None);
            }
            if entry >= entries {
                return if still(&passed) {
                    Err(self.index_error(at, "no entry covers the key"))
                } else {
                    Ok(None)
                };
            }
            if level <= 1 {
                break;
            }
            // The sibling here, or the last child of what was left one level up.
            left = match (sibling, left) {
                (Some(sibling), _) => Some((sibling, page)),
                (None, Some((above, named_by))) => {
                    let Some(above) = self.believed(named_by, self.index.page(above))? else {
                        return Ok(None);
                    };
                    let view = self.view(above.0);
                    let last = view.count().checked_sub(1).map(|last| view.pointer(last));
                    let Some(last) = last.filter(|_| self.unchanged(above.0, above.1)) else {
                        return Ok(None);
                    };
                    passed.push(above);
                    Some((last, above))
                }
                (None, None) => None,
            };
            let Some(next) = self.believed(page, self.index.page(pointer))? else {
                return Ok(None);
            };
            (at, page) = (pointer, next);
        }
        if at != node {
            return Ok(None);
        }
        let before = match left {
            None => None,
            Some((ci, named_by)) => {
                let Some((frame, version)) = self.believed(named_by, self.index.page(ci))? else {
                    return Ok(None);
                };
                Some((ci, frame, version))
            }
        };
        Ok(still(&passed).then_some(before))
    }
}
