//! What a load builds before it is written: the control intervals of control areas that wait, of the one being built,
//! and the one being filled. Each area's are in memory of its own, which is used again and again.
//!
//! * B4. A loader is made while the data set loads and is gone before that ends; so who finds one may add a record to
//!   the CI being filled, whether it keeps the gate or not. Everything else needs the gate.
//! * B5. The sequence-set record of the CA being built has room for its entries and for that of the CI being filled,
//!   whatever the separator of that will be. So the load may end at any moment with the one CA reserved for them.

use super::Ksds;
use crate::buffers::OwnBuffers;
use crate::error::RequestError;
use crate::pool::{Entry, Held, Shape};
use cica_format::ci;
use cica_format::index::IndexRecord;
use cica_format::root::RecordSizes;
use std::ops::RangeInclusive;

/// Bytes of CAs that are gathered to be written together: the page cache then holds the file in large pieces, which
/// costs whoever reads it next far less than small ones. Never more than this part of the pool.
const GATHERED: usize = 2 << 20;
const GATHERED_OF_POOL: usize = 32;

/// A load in progress.
#[derive(Debug)]
pub struct Loader {
    /// Images of the finished CIs of the CA being built; behind them that of the CI being filled.
    images: Vec<u8>,
    /// Memory for those of the next CAs.
    spare: Vec<Vec<u8>>,
    /// CAs that wait to be written, how many may, and how much of the first one's images is written already.
    pub(super) finished: Vec<Finished>,
    pub(super) most_finished: usize,
    pub(super) begun: usize,
    /// The pool has room for as many as it takes to write whole pieces of the file.
    pub(super) by_pieces: bool,
    /// Entries of the CA being built.
    pub(super) entries: Vec<Entry>,
    /// What starts in each of them.
    pub(super) counts: Vec<InInterval>,
    /// What the records of the CI being filled take, where that is counted.
    sizes: RecordSizes,
    /// The CI being filled: where its image begins, how much of it records take, how long each of them is.
    start: usize,
    used: usize,
    lens: Vec<u16>,
    rdfs: usize,
    run: usize,
    /// Key of the last record loaded, while the CI being filled has none.
    last_key: Vec<u8>,
    /// The sequence-set record of the last CA that was written, in index CI number so, and what its last separator
    /// becomes when a CA follows.
    pub(super) last_node: Option<(u32, IndexRecord, Vec<u8>)>,
    /// Bytes of a CI that a load fills, CIDF and RDFs included; the shortest and the longest record.
    limit: usize,
    lengths: RangeInclusive<usize>,
    pub(super) ci_size: usize,
    shape: Shape,
    pub(super) cis_per_ca: usize,
    /// So many entries of the CA being built, that of the CI being filled included, surely have room (B5); and so many
    /// of any CA.
    pub(super) sure: usize,
    pub(super) always: usize,
    /// CAs on the free chain for what is not written yet, in ascending order, and the last of them.
    pub(super) reserved: u32,
    pub(super) last_reserved: u32,
    /// Of an open with buffers of its own: those, by which it is written.
    pub(super) own: Option<OwnBuffers>,
    /// The charge for all this.
    _held: Held,
}

/// A CA whose CIs are built.
#[derive(Debug)]
pub(super) struct Finished {
    /// Its sequence-set record, but for the CA's number.
    pub record: IndexRecord,
    /// What starts in it.
    pub records: InInterval,
    /// The CA was taken; its number stands in the record.
    pub has_ca: bool,
    /// Images of its CIs, and memory behind them.
    pub images: Vec<u8>,
}

/// Records that start in a CI, or in those of a CA.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InInterval {
    /// How many.
    pub records: u64,
    /// What they take, of a compressed data set.
    pub sizes: RecordSizes,
}

/// See [`Loader::room_for`].
pub(super) struct LoadRoom {
    end: usize,
    rdfs: usize,
    run: usize,
}

impl Loader {
    pub(super) fn new(ksds: &Ksds) -> Result<Loader, RequestError> {
        let layout = &ksds.data.layout;
        // The entries of the last CA stay until another follows it.
        let entry = 2 * (size_of::<Entry>() + ksds.shape.key_len) + size_of::<InInterval>();
        let room = GATHERED.min(ksds.pool.limit() / GATHERED_OF_POOL);
        let own = ksds
            .loads_by()
            .map(|share| OwnBuffers::new(ksds.data.clone(), Some(ksds.index.clone()), share.clone()));
        let together = match own {
            // Each CA is written when it is full.
            Some(_) => 1,
            None => (room / layout.region_len).max(1),
        };
        let by_pieces = together > 1 && room == GATHERED;
        // A write by pieces leaves the rest of a CA for the next.
        let most_finished = together + usize::from(by_pieces);
        // With one, its memory is free again when the next one begins.
        let areas = most_finished + usize::from(most_finished > 1);
        let bytes = areas * (layout.ci_per_ca + 1) * (layout.ci_size + entry);
        let held = ksds.pool.hold(bytes).map_err(|_| ksds.data.pool_full())?;
        let free = layout.ci_per_ca * ksds.attributes.free_ca as usize / 100;
        // One has room in the smallest index CI that can be defined.
        let always = ksds.room_for_more(&sequence_set_record(Vec::new())).max(1);
        Ok(Loader {
            images: vec![0; (layout.ci_per_ca + 1) * layout.ci_size],
            spare: Vec::new(),
            finished: Vec::with_capacity(most_finished),
            most_finished,
            begun: 0,
            by_pieces,
            entries: Vec::with_capacity(layout.ci_per_ca),
            counts: Vec::with_capacity(layout.ci_per_ca),
            sizes: RecordSizes::default(),
            start: 0,
            used: 0,
            lens: Vec::new(),
            rdfs: 0,
            run: 0,
            last_key: Vec::new(),
            last_node: None,
            limit: ksds.load_limit().min(layout.ci_size),
            lengths: ksds.shape.rkp + ksds.shape.key_len..=ksds.longest_stored(),
            ci_size: layout.ci_size,
            shape: ksds.shape,
            cis_per_ca: (layout.ci_per_ca - free).max(1),
            sure: always,
            always,
            reserved: 0,
            last_reserved: 0,
            own,
            _held: held,
        })
    }

    /// Key of the last record loaded; empty before the first.
    #[inline]
    pub(super) fn last_key(&self) -> &[u8] {
        match self.lens.last() {
            Some(&len) => {
                let key = self.start + self.used - usize::from(len) + self.shape.rkp;
                &self.images[key..key + self.shape.key_len]
            }
            None => &self.last_key,
        }
    }

    /// Has the CI being filled no record yet?
    #[inline]
    pub(super) fn starts_ci(&self) -> bool {
        self.lens.is_empty()
    }

    /// Where a record of so many bytes would end in the CI being filled, RDFs and run length with it; `None`: it has no
    /// room there. The first record of a CI goes in whatever FREESPACE says.
    #[inline]
    pub(super) fn room_for(&self, len: usize) -> Option<LoadRoom> {
        let (same, limit) = match self.lens.last() {
            Some(&last) => (usize::from(last) == len, self.limit),
            None => (false, self.ci_size),
        };
        let run = if same { self.run + 1 } else { 1 };
        let rdfs = self.rdfs + (run <= 2) as usize;
        let end = self.used + len;
        (end + rdfs * ci::RDF_LEN + ci::CIDF_LEN <= limit).then_some(LoadRoom { end, rdfs, run })
    }

    /// Puts a record into the CI being filled, if that has begun, the record belongs there and has room. False, and
    /// nothing is done: somebody has to look closer.
    #[inline]
    pub(super) fn join(&mut self, record: &[u8]) -> bool {
        if self.starts_ci() || !self.lengths.contains(&record.len()) {
            return false;
        }
        let key = &record[self.shape.rkp..self.shape.rkp + self.shape.key_len];
        let room = self.room_for(record.len()).filter(|_| is_above(key, self.last_key()));
        room.map(|room| self.put(record, room)).is_some()
    }

    /// Puts a record there.
    #[inline]
    pub(super) fn put(&mut self, record: &[u8], room: LoadRoom) {
        self.images[self.start + self.used..self.start + room.end].copy_from_slice(record);
        (self.used, self.rdfs, self.run) = (room.end, room.rdfs, room.run);
        self.lens.push(record.len() as u16);
    }

    /// What the record takes that was put in last, or comes with the next segment.
    pub(super) fn add_sizes(&mut self, sizes: RecordSizes) {
        self.sizes = self.sizes.and(sizes);
    }

    /// Ends the CI being filled; `separator` is between its records and the next.
    pub(super) fn end_ci(&mut self, separator: Vec<u8>) {
        let key = self.start + self.used - self.lens.last().map_or(0, |&len| usize::from(len)) + self.shape.rkp;
        self.last_key.clear();
        self.last_key
            .extend_from_slice(&self.images[key..key + self.shape.key_len]);
        let image = &mut self.images[self.start..self.start + self.ci_size];
        ci::render(image, self.lens.iter().copied(), ci::Segment::Whole, 0);
        self.enter(separator, self.lens.len() as u64);
        self.lens.clear();
        (self.used, self.rdfs, self.run) = (0, 0, 0);
    }

    /// Puts in a CI with a piece of a spanned record. Its separator is set when the next record's key is known.
    pub(super) fn add_segment(&mut self, key: &[u8], piece: &[u8], segment: ci::Segment) {
        let image = &mut self.images[self.start..self.start + self.ci_size];
        image[..piece.len()].copy_from_slice(piece);
        ci::render(image, std::iter::once(piece.len() as u16), segment, 1);
        self.enter(key.to_vec(), matches!(segment, ci::Segment::First) as u64);
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
    }

    /// The image of the CI being filled is done; the next one begins behind it.
    fn enter(&mut self, separator: Vec<u8>, records: u64) {
        let pointer = self.entries.len() as u32;
        self.entries.push(Entry { separator, pointer });
        let sizes = std::mem::take(&mut self.sizes);
        self.counts.push(InInterval { records, sizes });
        self.start += self.ci_size;
        if self.images.len() < self.start + self.ci_size {
            self.images.resize(self.start + self.ci_size, 0);
        }
    }

    /// Takes the images of so many finished CIs out. Those behind them, and the CI being filled, are the next CA's.
    pub(super) fn take_images(&mut self, cis: usize) -> Vec<u8> {
        let (taken, end) = (cis * self.ci_size, self.start + self.used);
        let rest = end - taken;
        let mut next = self.spare.pop().unwrap_or_default();
        // Where nothing is left over it may be that the memory of what is taken comes back before more is needed.
        let need = match self.most_finished {
            1 => self.start - taken + self.ci_size,
            _ => self.images.len(),
        };
        if next.len() < need {
            next.resize(need, 0);
        }
        next[..rest].copy_from_slice(&self.images[taken..end]);
        self.start -= taken;
        std::mem::replace(&mut self.images, next)
    }

    /// Memory of images that were written.
    pub(super) fn give_back(&mut self, mut images: Vec<u8>) {
        let end = self.start + self.used;
        if self.most_finished > 1 || images.len() <= self.images.len() {
            return self.spare.push(images);
        }
        images[..end].copy_from_slice(&self.images[..end]);
        self.images = images;
    }
}

/// The last sequence-set record, with these entries.
pub(super) fn sequence_set_record(entries: Vec<Entry>) -> IndexRecord {
    IndexRecord {
        level: 1,
        ca: 0,
        next: u32::MAX,
        entries,
        free: Vec::new(),
    }
}

/// Is `key` above `other`, which is as long? Most keys of a load differ from the one before in few of their last bytes.
#[inline]
fn is_above(key: &[u8], other: &[u8]) -> bool {
    let (mut mine, mut others) = (key, other);
    while let (Some((eight, rest)), Some((other, others_rest))) = (mine.split_first_chunk(), others.split_first_chunk())
    {
        if eight != other {
            return u64::from_be_bytes(*eight) > u64::from_be_bytes(*other);
        }
        (mine, others) = (rest, others_rest);
    }
    !mine.is_empty() && mine > others
}

#[cfg(test)]
mod tests {
    use super::is_above;

    #[test]
    fn keys_of_every_length_are_compared_by_their_first_differing_byte() {
        for len in 1..=26 {
            let key = vec![0x80; len];
            assert!(!is_above(&key, &key), "equal keys of {len} bytes");
            for at in 0..len {
                let (mut above, mut below) = (key.clone(), key.clone());
                above[at] = 0x81;
                below[at] = 0x7F;
                // What follows does not matter.
                above[at + 1..].fill(0x00);
                below[at + 1..].fill(0xFF);
                assert!(
                    is_above(&above, &key) && !is_above(&key, &above),
                    "{len} bytes, byte {at}"
                );
                assert!(
                    is_above(&key, &below) && !is_above(&below, &key),
                    "{len} bytes, byte {at}"
                );
            }
        }
    }
}
