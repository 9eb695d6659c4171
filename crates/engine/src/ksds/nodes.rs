//! Changing the index: records read into plain form, changed, checked to fit their CI, and put back. Under
//! `structure` (K4).

use super::Ksds;
use crate::error::RequestError;
use crate::pool::{Entry, Latched, Measure, Page, Probe, View, SLAB};
use crate::store::index_record;
use crate::sync::atomic::Ordering::Relaxed;
use cica_format::index::{most_of_entry, IndexRecord, RecordRef};

/// Level of an index record that is not in use.
pub(super) const FREE: u8 = 255;

/// A CA has no more CIs than a cylinder of 512-byte ones; of more it is said in plain form which are free.
const MOST_CIS: usize = 1024;

/// One step of a path from the top to the sequence set.
#[derive(Debug, Clone)]
pub(super) struct PathStep {
    /// Index CI.
    pub ci: u32,
    /// The record; above the sequence set it is left empty and read when a split or reclaim needs it.
    pub record: IndexRecord,
    /// Entry to which the key belongs.
    pub entry: usize,
}

/// A split that its CA and its sequence-set record have room for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Within {
    /// Index CI of the record, and the entry that is split.
    pub node: (u32, usize),
    /// Its data CI, and a free one of the same CA.
    pub from: u32,
    pub to: u32,
}

impl Ksds {
    /// What a split of the CI to which `probe` belongs finds, without the record in plain form; `None`: it needs that.
    pub(super) fn room_within(&self, probe: &[u8]) -> Result<Option<Within>, RequestError> {
        let (mut ci, levels) = self.top();
        if levels == 0 {
            return Ok(None);
        }
        for level in (2..=levels).rev() {
            ci = self.entry_of(ci, level, probe)?.1;
        }
        let (entry, pointer) = self.entry_of(ci, 1, probe)?;
        self.index.read(ci, |view| {
            let (ca, free, fits) = (view.ca(), self.lowest_free(view), self.surely_fits_one_more(view));
            free.filter(|_| fits).map(|free| Within {
                node: (ci, entry),
                from: self.data.layout.join(ca, pointer),
                to: self.data.layout.join(ca, free),
            })
        })
    }

    /// The lowest CI of the CA that no entry of its record points to.
    fn lowest_free(&self, view: View<'_>) -> Option<u32> {
        let ci_per_ca = self.data.layout.ci_per_ca;
        let mut used = [0u64; MOST_CIS / 64];
        if ci_per_ca > MOST_CIS || view.count() >= ci_per_ca {
            return None;
        }
        for pointer in view.pointers() {
            *used.get_mut(pointer as usize / 64)? |= 1 << (pointer % 64);
        }
        let free = used.iter().position(|word| *word != u64::MAX)?;
        let ci = free * 64 + used[free].trailing_ones() as usize;
        (ci < ci_per_ca).then_some(ci as u32)
    }

    /// What [`node_fits`](Self::node_fits) would say of the record with one more entry, if that is sure.
    fn surely_fits_one_more(&self, view: View<'_>) -> bool {
        let (count, key_len) = (view.count(), self.shape.key_len);
        let separators = view.data_len() + key_len.next_multiple_of(4);
        let (index, data) = (&self.index.layout, &self.data.layout);
        // Segments of a spanned record behind all others have separators that take more in the image.
        let spanned = count > 1 && view.separator_len(count - 2) == 0;
        let frame = Page::index_frame_bytes(count + 1, separators);
        !spanned
            && frame <= SLAB
            && IndexRecord::surely_fits(1, (index.ci_size, key_len), data.ci_per_ca, (count + 1, separators))
    }

    /// Puts in an entry for a CI that was split: the CIs are as `within` says, with `separator` between them.
    pub(super) fn split_entry(&self, within: Within, separator: &[u8]) -> Result<(), RequestError> {
        let (node, entry) = within.node;
        let (_, free) = self.data.layout.split(within.to);
        let mut latched = self.index.latch(node)?;
        if Page::of(latched.cells()).split_entry(entry, separator, free as u32) {
            self.index.changed(&mut latched);
            return Ok(());
        }
        let mut record = index_record(latched.view(), self.data.layout.ci_per_ca);
        let separator = std::mem::replace(&mut record.entries[entry].separator, separator.to_vec());
        let pointer = free as u32;
        record.entries.insert(entry + 1, Entry { separator, pointer });
        self.put_node(&mut latched, &record)
    }

    /// The entry of `probe` in an index record, and its pointer. Nothing changes meanwhile (K4).
    fn entry_of(&self, ci: u32, level: u8, probe: &[u8]) -> Result<(usize, u32), RequestError> {
        let found = self.index.read(ci, |view| {
            let entry = view.find_entry(Probe::new(probe), |_| ());
            (entry < view.count() && view.level() == level).then(|| (entry, view.pointer(entry)))
        })?;
        found.ok_or_else(|| self.index_error(ci, "is not what its parent says"))
    }

    /// The path to the sequence-set entry of `probe`, top first. Nothing changes meanwhile (K4).
    pub(super) fn path(&self, probe: &[u8]) -> Result<Vec<PathStep>, RequestError> {
        let (mut path, ci) = self.path_above(probe)?;
        if self.top().1 > 0 {
            let entry = self.entry_of(ci, 1, probe)?.0;
            let record = self.node(ci)?;
            path.push(PathStep { ci, record, entry });
        }
        Ok(path)
    }

    /// Its part above the sequence set, and the index CI that leads to.
    pub(super) fn path_above(&self, probe: &[u8]) -> Result<(Vec<PathStep>, u32), RequestError> {
        let (mut ci, levels) = self.top();
        let mut path = Vec::with_capacity(levels as usize);
        for level in (2..=levels).rev() {
            let (entry, next) = self.entry_of(ci, level, probe)?;
            let record = IndexRecord {
                level,
                ca: 0,
                next: u32::MAX,
                entries: Vec::new(),
                free: Vec::new(),
            };
            path.push(PathStep { ci, record, entry });
            ci = next;
        }
        Ok((path, ci))
    }

    /// An index record in plain form.
    pub(super) fn node(&self, ci: u32) -> Result<IndexRecord, RequestError> {
        self.index
            .read(ci, |view| index_record(view, self.data.layout.ci_per_ca))
    }

    /// True if the record fits an index CI, with room for its last separator to become as long as a key: that it does
    /// when a record comes to follow it on its level.
    pub(super) fn node_fits(&self, record: &IndexRecord) -> bool {
        // Without compression it takes more: a frame must hold it.
        record.fits(self.room_for(record), self.data.layout.ci_per_ca)
            && Measure::of_entries(&record.entries).frame_len() <= SLAB
    }

    /// How many entries may come behind those of a record that fits an index CI, whatever their separators are.
    pub(super) fn room_for_more(&self, record: &IndexRecord) -> usize {
        let (key_len, ci_per_ca) = (self.shape.key_len, self.data.layout.ci_per_ca);
        let free = record.free_bytes(self.room_for(record), ci_per_ca).unwrap_or(0);
        let more = free / most_of_entry(key_len);
        let entries = record.entries.len() + more;
        if Page::index_frame_bytes(entries, entries * key_len.next_multiple_of(4)) <= SLAB {
            more
        } else {
            0
        }
    }

    /// The record of the same level left of `node`, to which `probe` belongs; `None` for the first. Nothing changes
    /// meanwhile (K4), so each page on the way is read by itself.
    pub(super) fn node_left_of(&self, probe: &[u8], node: u32) -> Result<Option<u32>, RequestError> {
        let (mut ci, levels) = self.top();
        let mut left: Option<u32> = None;
        for level in (2..=levels).rev() {
            let (entry, next) = self.entry_of(ci, level, probe)?;
            left = match (entry.checked_sub(1), left) {
                (Some(before), _) => Some(self.index.read(ci, |view| view.pointer(before))?),
                // The last child of what was left one level up.
                (None, Some(above)) => self.index.read(above, |view| {
                    let last = view.count().checked_sub(1);
                    last.filter(|_| view.level() == level).map(|last| view.pointer(last))
                })?,
                (None, None) => None,
            };
            ci = next;
        }
        if ci == node {
            Ok(left)
        } else {
            Err(self.index_error(node, "is not where the path to it leads"))
        }
    }

    /// The same of a record that does not grow, of which entries may have gone.
    pub(super) fn node_still_fits(&self, record: &IndexRecord) -> bool {
        self.node_fits(record) || record.fits_tightly(self.room_for(record), self.data.layout.ci_per_ca)
    }

    /// Bytes of an index CI that are there for what the record says now.
    fn room_for(&self, record: &IndexRecord) -> usize {
        let last = record.entries.last().map_or(0, |e| e.separator.len());
        let inner_infinite = record
            .entries
            .iter()
            .rev()
            .skip(1)
            .take_while(|e| e.separator.is_empty())
            .count();
        let reserve = self.shape.key_len.saturating_sub(last) + inner_infinite;
        let ci_per_ca = self.data.layout.ci_per_ca;
        // A level-1 record has a pointer for each CI of its CA: in an entry, or on the list of free ones.
        let listed = if record.level == 1 {
            ci_per_ca
                .saturating_sub(record.entries.len())
                .abs_diff(record.free.len())
        } else {
            0
        };
        self.index.layout.ci_size.saturating_sub(reserve + 2 * listed)
    }

    /// Puts a record, which fits, in its place.
    pub(super) fn set_node(&self, ci: u32, record: &IndexRecord) -> Result<(), RequestError> {
        self.put_node(&mut self.index.latch(ci)?, record)
    }

    /// Latches a sequence-set record, so that nobody goes through it until [`put_node`](Self::put_node) (K3).
    pub(super) fn latch_node(&self, ci: u32) -> Result<Latched<'_>, RequestError> {
        self.index.latch(ci)
    }

    /// Puts a record into its latched page. After an error the page is latched still: who is to be kept from going
    /// through what was half done is kept until the data set is fenced.
    pub(super) fn put_node<'p>(&'p self, latched: &mut Latched<'p>, record: &IndexRecord) -> Result<(), RequestError> {
        let need = Measure::of_entries(&record.entries).frame_len();
        if latched.size() < need {
            let wider = self.index.spare(need + need / 4)?;
            self.index.reframe(latched, wider);
        }
        fill(latched, record);
        self.index.changed(latched);
        Ok(())
    }

    /// Puts an entry into a record of the index set where it lies: entry `i` gets `separator`, and behind it comes one
    /// with the separator it had, and `pointer`. False, and nothing is changed: the record, or its frame, has no room.
    fn add_entry(&self, ci: u32, i: usize, separator: &[u8], pointer: u32) -> Result<bool, RequestError> {
        let mut latched = self.index.latch(ci)?;
        let mut page = Page::of(latched.cells());
        if i >= page.count()
            || !self.upper_fits_one_more(&page, i, separator)
            || !page.split_entry(i, separator, pointer)
        {
            return Ok(false);
        }
        self.index.changed(&mut latched);
        Ok(true)
    }

    /// Whether a record of the index set has room in its CI for one entry more, `separator` before entry `i`.
    fn upper_fits_one_more(&self, page: &Page<'_>, i: usize, separator: &[u8]) -> bool {
        let (ci_size, ci_per_ca) = (self.index.layout.ci_size, self.data.layout.ci_per_ca);
        let separators = page.data_len() + separator.len();
        let more = (page.count() + 1, separators);
        if IndexRecord::surely_fits(2, (ci_size, self.shape.key_len), ci_per_ca, more) {
            return true;
        }
        // What pointers are takes no part in how long the record is.
        let mut entries: Vec<(&[u8], u32)> = page.separators().map(|separator| (separator, 0)).collect();
        entries.insert(i, (separator, 0));
        let record = RecordRef {
            level: 2,
            ca: 0,
            next: u32::MAX,
            entries: &entries,
            free: &[],
        };
        // The reserve of `node_fits`.
        let last = entries.last().map_or(0, |last| last.0.len());
        let reserve = self.shape.key_len.saturating_sub(last);
        record.fits(ci_size.saturating_sub(reserve), ci_per_ca)
    }

    /// A new index CI with this record.
    pub(super) fn new_node(&self, record: &IndexRecord) -> Result<u32, RequestError> {
        let ci = self.take_index_ci()?;
        let mut latched = self.index.spare(Measure::of_entries(&record.entries).frame_len())?;
        fill(&mut latched, record);
        self.index.adopt(ci, latched)?;
        Ok(ci)
    }

    /// Makes sure that the index has the CIs that so many splits of every level take, before anything is changed
    /// (store:S2).
    pub(super) fn reserve_nodes(&self, splits: u32) -> Result<(), RequestError> {
        let (_, levels) = self.top();
        let last = self.next_index_ci.load(Relaxed) + splits * (levels as u32 + 2) - 1;
        while last / self.index.layout.ci_per_ca as u32 >= self.index.ca_count() {
            self.index.append_ca()?;
        }
        Ok(())
    }

    /// A free index CI: one that a reclaim left (they are chained through their `next`), or the next unused one.
    fn take_index_ci(&self) -> Result<u32, RequestError> {
        let head = self.index.free_head();
        if head != u32::MAX {
            let next = self.node(head)?.next;
            self.index.set_free_head(next);
            return Ok(head);
        }
        let ci = self.next_index_ci.load(Relaxed);
        if ci / self.index.layout.ci_per_ca as u32 >= self.index.ca_count() {
            self.index.append_ca()?;
        }
        self.next_index_ci.store(ci + 1, Relaxed);
        Ok(ci)
    }

    /// Chains an index CI that is no longer used.
    pub(super) fn free_node(&self, ci: u32) -> Result<(), RequestError> {
        let next = self.index.free_head();
        self.set_node(
            ci,
            &IndexRecord {
                level: FREE,
                ca: 0,
                next,
                entries: Vec::new(),
                free: Vec::new(),
            },
        )?;
        self.index.set_free_head(ci);
        Ok(())
    }

    /// After the node at the end of `path` (popped already) was split: its entry gets `separator`, and `right` comes in
    /// behind it with the separator the entry had. Splits upwards as far as needed.
    pub(super) fn insert_above(
        &self,
        mut path: Vec<PathStep>,
        child: u32,
        separator: Vec<u8>,
        right: u32,
        ascending: bool,
    ) -> Result<(), RequestError> {
        let Some(PathStep { ci, entry, .. }) = path.pop() else {
            let (_, levels) = self.top();
            let entries = vec![
                Entry {
                    separator,
                    pointer: child,
                },
                Entry {
                    separator: Vec::new(),
                    pointer: right,
                },
            ];
            let top = IndexRecord {
                level: levels + 1,
                ca: 0,
                next: u32::MAX,
                entries,
                free: Vec::new(),
            };
            let ci = self.new_node(&top)?;
            self.set_top(ci, levels + 1);
            return Ok(());
        };
        if self.add_entry(ci, entry, &separator, right)? {
            return Ok(());
        }
        let mut record = self.node(ci)?;
        let old = std::mem::replace(&mut record.entries[entry].separator, separator);
        record.entries.insert(
            entry + 1,
            Entry {
                separator: old,
                pointer: right,
            },
        );
        if self.node_fits(&record) {
            return self.set_node(ci, &record);
        }
        let count = record.entries.len();
        let wanted = if ascending && entry + 2 == count {
            count - 1
        } else {
            count / 2
        };
        let part = |entries: &[Entry]| IndexRecord {
            entries: entries.to_vec(),
            ..record.clone()
        };
        let both =
            |at: &usize| self.node_fits(&part(&record.entries[..*at])) && self.node_fits(&part(&record.entries[*at..]));
        let near = (0..count)
            .flat_map(|d| [wanted.wrapping_sub(d), wanted + d])
            .filter(|at| (1..count).contains(at));
        let Some(at) = near.clone().find(both).or_else(|| near.clone().next()) else {
            return Err(self.index_error(ci, "cannot hold two entries; define the index with a larger CISZ"));
        };
        let moved = record.entries.split_off(at);
        let upper = IndexRecord {
            entries: moved,
            ..record.clone()
        };
        let sibling = self.new_node(&upper)?;
        record.next = sibling;
        let separator = record.entries[record.entries.len() - 1].separator.clone();
        // The parent before the node: a reader that comes from above meets either the old pair or the new one.
        self.insert_above(path, ci, separator, sibling, ascending)?;
        self.set_node(ci, &record)
    }
}

/// Makes a frame, which is long enough, the page of an index record.
fn fill(frame: &mut Latched<'_>, record: &IndexRecord) {
    Page::format_index(frame.cells(), record.level, record.ca, record.next, &record.entries);
}
