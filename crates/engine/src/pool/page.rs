//! A page in a frame: slots with key heads, then the bytes of the entries in key order.
//!
//! ```text
//!   0  descriptor: latch u64 | page u64 | flags, and pins above them, u64
//!  24  count u32 | bytes of data u32
//!  32  prefix length u8 | segment u8 | level u8 | loose u8 | RDFs u16 | slot capacity u16
//!  40  next u32 | CA u32            (index records; spanned data: update number)
//!      kept u16 | room u16 | length u16 | byte u8 | 0   (short pages, `short.rs`)
//!      0 u16 | room u16 | 0 u32                         (narrow pages, `narrow.rs`)
//!  48  prefix: the key bytes all entries share, at most 16
//! data:
//!  64  slots u64: head u32 | offset u16 | length u16
//!   .  data
//! index:
//!  64  samples u64, to a multiple of 64 bytes: the slot of the last entry of each eight
//!   .  slots u64, to a multiple of 64 bytes: head u32 | pointer u32
//!   .  spans u32: offset u16 | length u16 of the separator
//!   .  separators, each padded to 4
//! ```
//! Index pages have slots for some more entries than there are, so that a split adds one in place; separators lie in
//! the order in which they came.
//!
//! Data pages hold the records packed from offset 0: as the CI image does, in key order, or, once one came in between
//! others, *loose*, in the order in which they came: to move those behind it would cost more than all the rest of an
//! insert. An image, and an RBA, has them in key order all the same.
//!
//! The offsets of separators count in units of 4 bytes. A search of an index page reads header and samples, which lie
//! together, then one line of slots; spans and separators only where heads are equal.
//!
//! * G1. Slots are in key order, and so are the bytes of a page that is not loose; there are no gaps between them.
//! * G2. A head is the first four key bytes after the prefix: data continued with X'00', separators with X'FF'.
//! * G3. `rdfs` is what the record lengths cost by VSAM's arithmetic: one per run of equal lengths, two when longer
//!   than one.

use super::cells::Cells;
use super::shape::{beginning, head_of, Shape};
use crate::sync::atomic::Ordering::Relaxed;
use std::borrow::Cow;

/// Words of the frame, for readers.
pub(super) const COUNT: usize = 3;
pub(super) const META: usize = 4;
pub(super) const NEXT: usize = 5;
/// Bytes of the frame, for readers.
pub(super) const PREFIX_AT: usize = 48;
pub(super) const PREFIX_MAX: usize = 16;
pub(super) const SLOTS_AT: usize = 64;
/// Entries of an index page that share a line of slots and a sample.
pub(super) const GROUP: usize = 8;
/// Head of what fills up the last group: no probe is above it.
pub(super) const FILLER: u64 = 0xFFFF_FFFF << 32;

/// Words that the samples of `slots` entries take.
pub(super) fn sample_words(slots: usize) -> usize {
    slots.div_ceil(GROUP).next_multiple_of(GROUP)
}

/// Bytes of the page part before the slots, for writers (who do not see the descriptor).
pub(super) const HEADER: usize = SLOTS_AT - super::DESCRIPTOR;
pub(super) const PREFIX: usize = PREFIX_AT - super::DESCRIPTOR;
pub(super) const COUNT_AT: usize = 0;
pub(super) const DATA_LEN_AT: usize = 4;
pub(super) const PREFIX_LEN_AT: usize = 8;
const SEGMENT_AT: usize = 9;
pub(super) const LEVEL_AT: usize = 10;
const LOOSE_AT: usize = 11;
const RDFS_AT: usize = 12;
pub(super) const SLOT_CAP_AT: usize = 14;
/// Of an index record.
pub(super) const NEXT_AT: usize = 16;
pub(super) const CA_AT: usize = 20;
/// Of a segment of a spanned record.
const UPDATE_NUMBER_AT: usize = 16;
/// Of a short page.
const KEPT_AT: usize = 16;
/// Of a short or a narrow page.
const ROOM_AT: usize = 18;
const TAIL_AT: usize = 20;
/// How the records lie, in the byte at [`LOOSE_AT`]: the value for short pages (`short.rs`).
pub(super) const SHORT: u8 = 2;

/// A page being changed; the caller holds the frame's latch.
pub struct Page<'a> {
    pub(super) bytes: Cells<'a>,
}

impl<'a> Page<'a> {
    /// Makes the frame an empty page with room for as many slots as the memory leaves beside `data_room` bytes.
    pub fn format(mut bytes: Cells<'a>, data_room: usize) -> Page<'a> {
        let cap = (bytes.len().saturating_sub(HEADER + data_room) / 8).min(u16::MAX as usize);
        bytes.fill(0, HEADER, 0);
        let mut page = Page { bytes };
        page.set_slot_cap(cap);
        page
    }

    /// The page that is there.
    pub fn of(bytes: Cells<'a>) -> Page<'a> {
        Page { bytes }
    }

    /// Most records of a data page in a CI of `ci_size`: the largest frame has no slots for more.
    pub fn most_records(ci_size: usize) -> usize {
        super::SLAB.saturating_sub(SLOTS_AT + ci_size) / 8
    }

    /// Bytes a frame needs for a data page with `records` records in a CI of `ci_size`.
    pub fn frame_len(ci_size: usize, records: usize) -> usize {
        SLOTS_AT + ci_size + records * 8
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }
    pub(super) fn set_u16(&mut self, at: usize, value: u16) {
        self.bytes.set(at, value.to_le_bytes());
    }
    pub(super) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes([
            self.bytes[at],
            self.bytes[at + 1],
            self.bytes[at + 2],
            self.bytes[at + 3],
        ])
    }
    pub(super) fn set_u32(&mut self, at: usize, value: u32) {
        self.bytes.set(at, value.to_le_bytes());
    }

    pub(super) fn set_u64(&mut self, at: usize, value: u64) {
        self.bytes.set(at, value.to_le_bytes());
    }

    /// Entries.
    pub fn count(&self) -> usize {
        self.u32(COUNT_AT) as usize
    }
    /// Bytes of records.
    pub fn data_len(&self) -> usize {
        self.u32(DATA_LEN_AT) as usize
    }
    /// RDFs (G3).
    pub fn rdfs(&self) -> usize {
        self.u16(RDFS_AT) as usize
    }
    /// Slots the frame has room for.
    pub fn slot_cap(&self) -> usize {
        self.u16(SLOT_CAP_AT) as usize
    }
    pub(super) fn set_slot_cap(&mut self, slots: usize) {
        self.set_u16(SLOT_CAP_AT, slots as u16);
    }
    /// Spanned segment number (see [`super::View::segment`]).
    pub fn segment(&self) -> u8 {
        self.bytes[SEGMENT_AT]
    }
    /// Marks the page as one segment of a spanned record.
    pub fn set_segment(&mut self, segment: u8, update_number: u16) {
        self.bytes.set(SEGMENT_AT, [segment]);
        self.set_u16(UPDATE_NUMBER_AT, update_number);
    }
    /// Update number of a spanned segment.
    pub fn update_number(&self) -> u16 {
        self.u16(UPDATE_NUMBER_AT)
    }

    #[inline]
    fn slot(&self, i: usize) -> (u32, usize, usize) {
        let at = HEADER + i * 8;
        let mut slot = [0; 8];
        slot.copy_from_slice(&self.bytes[at..at + 8]);
        let slot = u64::from_le_bytes(slot);
        ((slot >> 32) as u32, (slot >> 16) as u16 as usize, slot as u16 as usize)
    }
    pub(super) fn set_slot(&mut self, i: usize, head: u32, offset: usize, len: usize) {
        self.set_u64(
            HEADER + i * 8,
            u64::from(head) << 32 | (offset as u64 & 0xFFFF) << 16 | len as u64 & 0xFFFF,
        );
    }
    fn data_start(&self) -> usize {
        HEADER + self.slot_cap() * 8
    }
    pub(super) fn prefix(&self) -> &[u8] {
        &self.bytes[PREFIX..PREFIX + self.bytes[PREFIX_LEN_AT] as usize]
    }

    /// Offset in the page, which is that in the CI image of a page that is not loose, and length, of record `i`.
    pub fn span(&self, i: usize) -> (usize, usize) {
        let (_, offset, len) = self.slot(i);
        (offset, len)
    }
    /// Do the bytes of its records lie in another order than their keys (G1)?
    pub(super) fn is_loose(&self) -> bool {
        self.bytes[LOOSE_AT] != 0
    }
    /// Have all records one length? One run of more than two takes two RDFs (G3), and two runs of one each are two
    /// records.
    pub fn is_even(&self) -> bool {
        self.rdfs() <= 2 && self.count() > 2
    }
    /// Offset of record `i` in the CI image.
    pub fn place(&self, i: usize) -> usize {
        match self.is_loose() {
            true if self.is_even() => i * self.len_of(0),
            true => (0..i).map(|k| self.len_of(k)).sum(),
            false => self.span(i).0,
        }
    }
    /// Copies the records to the start of `image`, in key order.
    pub fn copy_to(&self, image: &mut [u8]) {
        let len = self.data_len();
        if !self.is_loose() {
            image[..len].copy_from_slice(&self.image()[..len]);
            return;
        }
        let mut rest = image;
        for i in 0..self.count() {
            let (own, behind) = rest.split_at_mut(self.len_of(i));
            let record = self.record(i);
            let (start, run) = own.split_at_mut(record.len());
            start.copy_from_slice(record);
            run.fill(self.tail().map_or(0, |(_, byte)| byte));
            rest = behind;
        }
    }
    /// Of a short page: the length of its records, and the byte that they end in.
    #[inline]
    pub(super) fn tail(&self) -> Option<(usize, u8)> {
        let tail = self.u32(TAIL_AT);
        (self.bytes[LOOSE_AT] == SHORT).then_some((tail as u16 as usize, (tail >> 16) as u8))
    }
    /// Makes it a short page that keeps nothing yet.
    pub(super) fn set_tail(&mut self, len: usize, byte: u8) {
        self.bytes.set(LOOSE_AT, [SHORT]);
        self.set_u32(TAIL_AT, len as u32 | u32::from(byte) << 16);
        self.set_room(self.image().len());
        self.set_kept(0);
    }
    /// Of a short or a narrow page: bytes for records that its frame has.
    pub(super) fn set_room(&mut self, bytes: usize) {
        self.set_u16(ROOM_AT, bytes.min(u16::MAX.into()) as u16);
    }
    /// Of a short page: bytes of records that it keeps, and of some that it kept once.
    fn kept(&self) -> usize {
        self.u16(KEPT_AT) as usize
    }
    pub(super) fn set_kept(&mut self, bytes: usize) {
        self.set_u16(KEPT_AT, bytes as u16);
    }
    /// Of a short page: puts these bytes behind all that it keeps; where they lie.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> usize {
        let offset = self.kept();
        let at = self.data_start() + offset;
        self.bytes.put(at, bytes);
        self.set_kept(offset + bytes.len());
        offset
    }
    /// Head of record `i` (G2).
    pub(super) fn head(&self, i: usize) -> u32 {
        self.slot(i).0
    }
    /// Length of record `i`.
    #[inline]
    pub fn len_of(&self, i: usize) -> usize {
        self.tail().map_or_else(|| self.slot(i).2, |(len, _)| len)
    }
    /// Record `i`; of a short page, its beginning.
    pub fn record(&self, i: usize) -> &[u8] {
        let (_, offset, len) = self.slot(i);
        let start = self.data_start() + offset;
        &self.bytes[start..start + len]
    }
    /// Record `i` as a whole, of a short page too.
    pub fn whole_record(&self, i: usize) -> Cow<'_, [u8]> {
        match self.tail() {
            None => self.record(i).into(),
            Some((len, byte)) => {
                let mut record = self.record(i).to_vec();
                record.resize(len, byte);
                record.into()
            }
        }
    }
    /// Key of record `i`.
    pub fn key(&self, i: usize, shape: Shape) -> &[u8] {
        &self.record(i)[shape.rkp..shape.rkp + shape.key_len]
    }
    /// The bytes of the CI image, unless the page is loose: its records. RDFs and CIDF are rendered when it is written.
    pub fn image(&self) -> &[u8] {
        &self.bytes[self.data_start()..]
    }
    /// Where that begins in the page's bytes, to be filled by a read that is followed by [`adopt`](Self::adopt).
    pub fn image_at(&self) -> usize {
        self.data_start()
    }
    /// Record lengths in order.
    pub fn lens(&self) -> impl Iterator<Item = u16> + Clone + '_ {
        (0..self.count()).map(|i| self.len_of(i) as u16)
    }

    /// Builds the slots over records that lie in the image at `spans`, in key order.
    pub fn adopt(&mut self, spans: &[(u16, u16)], shape: Shape) {
        let slots = self.bytes.words(HEADER, spans.len());
        for (slot, &(offset, len)) in slots.zip(spans) {
            slot.store(u64::from(offset) << 16 | u64::from(len), Relaxed);
        }
        self.set_u32(COUNT_AT, spans.len() as u32);
        self.set_u32(DATA_LEN_AT, spans.iter().map(|s| s.1 as u32).sum());
        self.bytes.set(LOOSE_AT, [0]);
        self.set_u16(RDFS_AT, cica_format::ci::rdf_count(spans.iter().map(|s| s.1)) as u16);
        self.rebuild_heads(shape);
    }

    /// Recomputes prefix and heads of a data page (G2).
    fn rebuild_heads(&mut self, shape: Shape) {
        let (n, start) = (self.count(), self.data_start());
        let keyed = n > 0 && self.segment() <= 1;
        let (mut prefix, mut len) = ([0u8; PREFIX_MAX], 0);
        if keyed {
            let (first, last) = (self.key(0, shape), self.key(n - 1, shape));
            len = first
                .iter()
                .zip(last)
                .take_while(|(a, b)| a == b)
                .count()
                .min(PREFIX_MAX);
            prefix[..len].copy_from_slice(&first[..len]);
        }
        self.bytes.set(PREFIX_LEN_AT, [len as u8]);
        self.bytes.put(PREFIX, &prefix);
        if !keyed {
            return;
        }
        let data = &self.bytes[start..];
        let (at, rest) = (shape.rkp + len, shape.key_len - len);
        for slot in self.bytes.words(HEADER, n) {
            let old = slot.load(Relaxed);
            let key = (old >> 16) as u16 as usize + at;
            let head = match data.get(key..key + 4) {
                Some(four) if rest >= 4 => u32::from_be_bytes([four[0], four[1], four[2], four[3]]),
                _ => head_of(&data[key..key + rest], 0),
            };
            slot.store(u64::from(head) << 32 | u64::from(old as u32), Relaxed);
        }
    }

    /// RDFs if a record of `len` bytes came in before record `i` (G3).
    pub fn rdfs_with(&self, i: usize, len: usize) -> usize {
        let n = self.count();
        let len_at = |k: Option<usize>| k.filter(|&k| k < n).map(|k| self.len_of(k));
        let (before, behind) = (len_at(i.checked_sub(1)), len_at(Some(i)));
        // Whether the run that ends before, or begins behind, has more than one record: then one more costs nothing.
        let long_before = || len_at(i.checked_sub(2)) == before;
        let long_behind = || len_at(Some(i + 1)) == behind;
        let more = match (before == Some(len), behind == Some(len)) {
            (true, true) => 0,
            (true, false) => usize::from(!long_before()),
            (false, true) => usize::from(!long_behind()),
            // It cuts a run, which cost two, into two of one or more, and is one itself.
            (false, false) if before.is_some() && before == behind => {
                1 + usize::from(long_before()) + usize::from(long_behind())
            }
            (false, false) => 1,
        };
        self.rdfs() + more
    }

    /// RDFs if record `i` got `len` bytes (`None`: were gone).
    pub fn rdfs_changed(&self, i: usize, len: Option<usize>) -> usize {
        let around = |from: usize, to: usize| (from..to).map(|k| self.len_of(k));
        let (from, to) = self.rdf_window(i, i + 1);
        let before = runs(around(from, to));
        let after = runs(around(from, i).chain(len).chain(around(i + 1, to)));
        self.rdfs() + after - before
    }

    /// The stretch of records around a change outside of which runs do not change: two whole records beyond it on each
    /// side, because a run's cost depends on whether it has one record or more.
    fn rdf_window(&self, start: usize, end: usize) -> (usize, usize) {
        let n = self.count();
        let mut from = start.saturating_sub(1);
        while from > 0 && self.len_of(from) == self.len_of(from - 1) {
            from -= 1;
            if start - from > 3 {
                // Three equal ones before: the run is long whatever happens here.
                break;
            }
        }
        let mut to = (end + 1).min(n);
        while to < n && self.len_of(to) == self.len_of(to - 1) {
            to += 1;
            if to - end > 3 {
                break;
            }
        }
        (from, to)
    }

    /// Puts `record` in before record `i`. The caller has checked that it fits and that a slot is free, and that a short
    /// page [takes](super::View::takes) it.
    pub fn insert(&mut self, i: usize, record: &[u8], shape: Shape) {
        let (n, len) = (self.count(), record.len());
        let rdfs = self.rdfs_with(i, len);
        let (offset, here) = match self.tail() {
            Some((_, byte)) => {
                let beginning = beginning(record, byte, shape);
                (self.keep(beginning), beginning.len())
            }
            None => {
                let offset = self.data_len();
                let at = self.data_start() + offset;
                self.bytes.put(at, record);
                self.bytes.set(LOOSE_AT, [self.bytes[LOOSE_AT] | u8::from(i < n)]);
                (offset, len)
            }
        };
        let slots = HEADER + i * 8;
        self.bytes.copy_within(slots..HEADER + n * 8, slots + 8);
        self.set_u32(COUNT_AT, n as u32 + 1);
        self.set_u32(DATA_LEN_AT, (self.data_len() + len) as u32);
        self.set_u16(RDFS_AT, rdfs as u16);
        let key = &record[shape.rkp..shape.rkp + shape.key_len];
        let shares = n > 0 && key.starts_with(self.prefix());
        let head = if shares {
            head_of(&key[self.bytes[PREFIX_LEN_AT] as usize..], 0)
        } else {
            0
        };
        self.set_slot(i, head, offset, here);
        if !shares {
            self.rebuild_heads(shape);
        }
    }

    /// Replaces record `i` (same key) by `record`. The caller has checked that it fits, and that a short page
    /// [takes](super::View::takes) it.
    pub fn replace(&mut self, i: usize, record: &[u8], shape: Shape) {
        let (head, offset, old) = self.slot(i);
        if let Some((_, byte)) = self.tail() {
            let beginning = beginning(record, byte, shape);
            let at = self.data_start() + offset;
            let offset = if beginning.len() <= old {
                self.bytes.put(at, beginning);
                offset
            } else {
                self.keep(beginning)
            };
            self.set_slot(i, head, offset, beginning.len());
            return;
        }
        let start = self.data_start();
        if old != record.len() {
            let rdfs = self.rdfs_changed(i, Some(record.len()));
            let end = start + self.data_len();
            self.bytes
                .copy_within(start + offset + old..end, start + offset + record.len());
            let change = record.len() as isize - old as isize;
            self.shift_behind(offset, change);
            self.set_u32(DATA_LEN_AT, (self.data_len() as isize + change) as u32);
            self.set_slot(i, head, offset, record.len());
            self.set_u16(RDFS_AT, rdfs as u16);
        }
        self.bytes.put(start + offset, record);
    }

    /// Takes record `i` out.
    pub fn remove(&mut self, i: usize) {
        let rdfs = self.rdfs_changed(i, None);
        let (_, offset, here) = self.slot(i);
        let (n, start, len) = (self.count(), self.data_start(), self.len_of(i));
        let is_short = self.tail().is_some();
        if !is_short {
            let end = start + self.data_len();
            self.bytes.copy_within(start + offset + here..end, start + offset);
        }
        self.bytes
            .copy_within(HEADER + (i + 1) * 8..HEADER + n * 8, HEADER + i * 8);
        self.set_u32(COUNT_AT, n as u32 - 1);
        if !is_short {
            self.shift_behind(offset, -(here as isize));
        }
        self.set_u32(DATA_LEN_AT, (self.data_len() - len) as u32);
        self.set_u16(RDFS_AT, rdfs as u16);
    }

    /// Keeps the first `count` records.
    pub fn truncate(&mut self, count: usize) {
        if count < self.count() {
            self.set_u32(COUNT_AT, count as u32);
            match self.tail() {
                Some(_) => self.tidy_short(),
                None if self.is_loose() => self.tidy(),
                None => {}
            }
            self.set_u32(DATA_LEN_AT, self.lens().map(u32::from).sum());
            let rdfs = cica_format::ci::rdf_count(self.lens());
            self.set_u16(RDFS_AT, rdfs as u16);
        }
    }

    /// The records that lie behind `offset` in the page have moved.
    fn shift_behind(&mut self, offset: usize, by: isize) {
        for k in 0..self.count() {
            let (head, at, len) = self.slot(k);
            if at > offset {
                self.set_slot(k, head, at.wrapping_add_signed(by), len);
            }
        }
    }

    /// Puts the bytes of its records in key order.
    fn tidy(&mut self) {
        let mut records = vec![0; self.lens().map(usize::from).sum()];
        self.copy_to(&mut records);
        let (start, mut at) = (self.data_start(), 0);
        self.bytes.put(start, &records);
        for k in 0..self.count() {
            let (head, _, len) = self.slot(k);
            self.set_slot(k, head, at, len);
            at += len;
        }
        self.bytes.set(LOOSE_AT, [0]);
    }

    /// Makes the page hold exactly `records`, in key order.
    pub fn refill<'r>(&mut self, records: impl Iterator<Item = &'r [u8]>, shape: Shape) {
        let (mut n, mut used) = (0, 0);
        let start = self.data_start();
        for record in records {
            self.bytes.put(start + used, record);
            self.set_slot(n, 0, used, record.len());
            used += record.len();
            n += 1;
        }
        self.set_u32(COUNT_AT, n as u32);
        self.set_u32(DATA_LEN_AT, used as u32);
        self.bytes.set(LOOSE_AT, [0]);
        let rdfs = cica_format::ci::rdf_count(self.lens());
        self.set_u16(RDFS_AT, rdfs as u16);
        self.rebuild_heads(shape);
    }

    /// Makes the page, which has room for it, hold what a page does that is not loose: heads, lengths and records are
    /// copied as they lie.
    pub(super) fn take_over(&mut self, other: &Page<'_>) {
        debug_assert!(!other.is_loose() && other.count() <= self.slot_cap(), "as it lies");
        let (slots, records) = (other.count() * 8, other.data_len());
        let start = self.data_start();
        self.bytes.put(HEADER, &other.bytes[HEADER..HEADER + slots]);
        self.bytes.put(start, &other.image()[..records]);
        for (at, len) in [(COUNT_AT, 4), (DATA_LEN_AT, 4), (PREFIX_LEN_AT, 1), (RDFS_AT, 2)] {
            self.bytes.put(at, &other.bytes[at..at + len]);
        }
        self.bytes.put(PREFIX, &other.bytes[PREFIX..PREFIX + PREFIX_MAX]);
        self.bytes.set(LOOSE_AT, [0]);
    }
}

/// RDFs of a stretch of lengths: one per run, two per run longer than one.
fn runs(lens: impl Iterator<Item = usize>) -> usize {
    let (mut last, mut run, mut total) = (usize::MAX, 0, 0);
    for len in lens {
        run = if len == last { run + 1 } else { 1 };
        total += (run <= 2) as usize;
        last = len;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::view::Records;
    use crate::pool::{PageId, PageKind, Pool};

    /// Whatever comes in, goes and gets another length wherever, page and image have the records in key order, at the
    /// places that they say, with the RDFs that the whole page counted anew has (G1, G3).
    #[test]
    fn a_page_is_what_was_done_to_it() {
        let shape = Shape { rkp: 1, key_len: 2 };
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let mut seed = 1u64;
        let mut draw = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        let mut loose = 0;
        let rounds = if cfg!(miri) { 1 } else { 200 };
        for _ in 0..rounds {
            let mut latched = pool.take(Page::frame_len(512, 40)).unwrap();
            latched.set_page(Some(PageId {
                component: 1,
                kind: PageKind::Ci,
                number: 1,
            }));
            let view = latched.view();
            let mut page = Page::format(latched.cells(), 512);
            let mut kept: Vec<Vec<u8>> = Vec::new();
            for step in 0..60 {
                let key = (draw(90) as u16).to_be_bytes();
                let record = [&[step], &key[..], &vec![step; draw(3)]].concat();
                let at = kept.partition_point(|r| r[1..3] < key[..]);
                let there = kept.get(at).is_some_and(|r| r[1..3] == key[..]);
                match draw(4) {
                    0 if there => {
                        page.remove(at);
                        kept.remove(at);
                    }
                    _ if there => {
                        page.replace(at, &record, shape);
                        kept[at] = record;
                    }
                    1 if step % 20 == 19 => {
                        page.truncate(at);
                        kept.truncate(at);
                    }
                    _ if kept.len() < 40 => {
                        let predicted = page.rdfs_with(at, record.len());
                        page.insert(at, &record, shape);
                        assert_eq!(page.rdfs(), predicted);
                        kept.insert(at, record);
                    }
                    _ => {}
                }
                loose += usize::from(page.is_loose());
                let image = kept.concat();
                let mut copied = vec![0; image.len()];
                page.copy_to(&mut copied);
                assert_eq!((page.count(), page.data_len()), (kept.len(), image.len()));
                assert_eq!(copied, image);
                assert_eq!(page.rdfs(), cica_format::ci::rdf_count(page.lens()));
                let mut records = Records::default();
                view.copy_records(&mut records).unwrap();
                let mut place = 0;
                for (i, record) in kept.iter().enumerate() {
                    assert_eq!(page.record(i), record);
                    assert_eq!((page.place(i), view.place(i)), (place, place));
                    assert_eq!(records.record(i), Some((place, record.as_slice())));
                    place += record.len();
                }
            }
            latched.free();
        }
        assert!(loose > 5 * rounds, "{loose}");
    }
}
