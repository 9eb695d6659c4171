//! A page as readers see it: accessors and the search on key heads (layout: `page.rs`).

use super::bytes::{Words, LINE};
use super::halving::first_not_below;
use super::page::{sample_words, COUNT, GROUP, META, NEXT, PREFIX_AT, PREFIX_MAX, SHORT, SLOTS_AT};
use super::shape::Shape;
use super::{Probe, SLAB};
use std::cmp::Ordering;
use std::ops::Range;

/// A page as readers see it. While a writer is inside, its numbers may be any (latch:L1), and no access leaves the
/// slab.
#[derive(Clone, Copy)]
pub struct View<'p> {
    words: Words<'p>,
}

impl<'p> View<'p> {
    /// Wraps the words of a frame.
    pub fn new(words: Words<'p>) -> Self {
        View { words }
    }
    /// The words themselves.
    pub fn words(&self) -> Words<'p> {
        self.words
    }
    /// Entries on the page.
    #[inline]
    pub fn count(&self) -> usize {
        self.words.first::<COUNT>() as u32 as usize
    }
    /// Bytes of records; index: of separators, padded.
    pub fn data_len(&self) -> usize {
        (self.words.first::<COUNT>() >> 32) as usize
    }
    #[inline]
    fn meta(&self) -> u64 {
        self.words.first::<META>()
    }
    /// Key bytes all entries share and their heads leave out.
    #[inline]
    fn prefix_len(&self) -> usize {
        self.meta() as u8 as usize
    }
    /// Spanned segment number: 0 = whole records, 1 first, 2 last, 3 middle.
    pub fn segment(&self) -> u8 {
        (self.meta() >> 8) as u8
    }
    /// Index level, 0 for data.
    #[inline]
    pub fn level(&self) -> u8 {
        (self.meta() >> 16) as u8
    }
    /// RDFs the image will have.
    pub fn rdfs(&self) -> usize {
        (self.meta() >> 32) as u16 as usize
    }
    /// Slots the frame has room for.
    #[inline]
    pub fn slot_cap(&self) -> usize {
        (self.meta() >> 48) as usize
    }
    /// Index: the next record on this level; data, spanned: update number.
    pub fn next(&self) -> u32 {
        self.words.first::<NEXT>() as u32
    }
    /// Index level 1: the CA it indexes.
    #[inline]
    pub fn ca(&self) -> u32 {
        (self.words.first::<NEXT>() >> 32) as u32
    }
    #[inline]
    fn slot(&self, i: usize) -> u64 {
        self.words.get(SLOTS_AT / 8 + i)
    }
    #[inline]
    fn data_start(&self) -> usize {
        SLOTS_AT + self.slot_cap() * 8
    }
    /// Data: whether the bytes of the records lie in another order than their keys.
    #[inline]
    fn is_loose(&self) -> bool {
        (self.meta() >> 24) as u8 != 0
    }
    /// Whether it is a short page (`short.rs`).
    pub fn is_short(&self) -> bool {
        self.tail().is_some()
    }
    /// Of a short page: bytes that it keeps, and bytes for more.
    #[inline]
    pub(super) fn kept(&self) -> (usize, usize) {
        let (kept, room) = (self.next() as u16, (self.next() >> 16) as u16);
        (kept.into(), room.saturating_sub(kept).into())
    }
    /// Of a short page: the length of its records, and the byte that they end in.
    #[inline]
    pub(super) fn tail(&self) -> Option<(usize, u8)> {
        let tail = self.words.first::<NEXT>() >> 32;
        ((self.meta() >> 24) as u8 == SHORT).then_some((tail as u16 as usize, (tail >> 16) as u8))
    }
    /// Data: whether all records have one length: one run of more than two takes two RDFs, and two runs of one each
    /// are two records.
    #[inline]
    fn is_even(&self) -> bool {
        self.rdfs() <= 2 && self.count() > 2
    }
    /// Offset of record `i` in the CI image (data pages).
    #[inline]
    pub fn place(&self, i: usize) -> usize {
        match self.is_loose() {
            true if self.is_even() => i * self.len_of(0),
            true => (0..i.min(self.slot_cap())).map(|k| self.len_of(k)).sum(),
            false => self.span(i).0,
        }
    }
    /// Length of record `i` (data pages).
    #[inline]
    pub fn len_of(&self, i: usize) -> usize {
        self.tail().map_or_else(|| self.span(i).1, |(len, _)| len)
    }
    /// Offset in the page, and length there, of record `i` (data pages).
    #[inline]
    pub fn span(&self, i: usize) -> (usize, usize) {
        let slot = self.slot(i);
        ((slot >> 16) as u16 as usize, slot as u16 as usize)
    }
    /// Copies record `i` into `out` (resized to fit). False if the page is being changed and the numbers make no sense.
    #[inline]
    pub fn record(&self, i: usize, out: &mut Vec<u8>) -> bool {
        let (offset, here) = self.span(i);
        let at = self.data_start() + offset;
        let (len, byte) = self.tail().unwrap_or((here, 0));
        if at + here > self.words.bytes() || here > len {
            return false;
        }
        if out.len() != len {
            out.resize(len, 0);
        }
        let (beginning, run) = out.split_at_mut(here);
        self.words.copy(at, beginning);
        run.fill(byte);
        true
    }
    /// Copies slots and records of a page of whole records. `None`: it has segments, or the numbers make no sense.
    pub fn copy_records(&self, out: &mut Records) -> Option<()> {
        let (count, slots, data) = (self.count(), self.slot_cap(), self.data_len());
        let (data_at, tail) = (count * 8, self.tail());
        // The records of a short page are whole in the copy, and lie in their frame one by one.
        let (data, here) = tail.map_or((data, data), |(len, _)| (count * len, 0));
        let outside = SLOTS_AT + slots * 8 + here > self.words.bytes();
        if self.segment() != 0 || count > slots || outside || data > SLAB {
            return None;
        }
        out.bytes.resize(data_at + data, 0);
        out.count = count;
        if self.is_loose() {
            return self.copy_loose(out, data_at);
        }
        self.words.copy(SLOTS_AT, &mut out.bytes[..data_at]);
        self.words.copy(self.data_start(), &mut out.bytes[data_at..]);
        Some(())
    }

    /// The same for a page whose records lie in another order than their keys: the copy has them in key order.
    fn copy_loose(&self, out: &mut Records, data_at: usize) -> Option<()> {
        let (mut place, tail) = (0, self.tail());
        for i in 0..out.count {
            let (offset, here) = self.span(i);
            let (len, byte) = tail.unwrap_or((here, 0));
            let slot = (place as u64) << 16 | len as u64;
            out.bytes
                .get_mut(i * 8..i * 8 + 8)?
                .copy_from_slice(&slot.to_le_bytes());
            let to = out.bytes.get_mut(data_at + place..data_at + place + len)?;
            let (beginning, run) = to.split_at_mut_checked(here)?;
            self.words.copy(self.data_start() + offset, beginning);
            run.fill(byte);
            place += len;
        }
        Some(())
    }

    /// Copies `out.len()` bytes from offset `from` of record `i`, which lie in its key or before it.
    pub fn record_part(&self, i: usize, from: usize, out: &mut [u8]) {
        let (offset, _) = self.span(i);
        self.words.copy(self.data_start() + offset + from, out);
    }
    /// Compares the key of record `i` with `probe` over the probe's length.
    #[inline]
    pub fn compare_key(&self, i: usize, shape: Shape, probe: Probe<'_>) -> Ordering {
        let (offset, _) = self.span(i);
        probe.compare(self.words, self.data_start() + offset + shape.rkp, usize::MAX)
    }
    /// Index: head and pointer of entry `i`.
    #[inline]
    fn entry(&self, i: usize) -> u64 {
        self.words.get(self.entries_at() + i)
    }
    /// The word in which the first index entry is.
    #[inline]
    fn entries_at(&self) -> usize {
        SLOTS_AT / 8 + sample_words(self.slot_cap())
    }
    /// The pointers of all index entries.
    #[inline]
    pub fn pointers(&self) -> impl Iterator<Item = u32> + '_ {
        let first = self.entries_at();
        (first..first + self.count()).map(|i| self.words.get(i) as u32)
    }
    /// Pointer of index entry `i`.
    #[inline]
    pub fn pointer(&self, i: usize) -> u32 {
        self.entry(i) as u32
    }
    /// Offset in the frame, and length, of the separator of index entry `i`.
    #[inline]
    fn separator_span(&self, i: usize) -> (usize, usize) {
        let cap = self.slot_cap();
        let spans = SLOTS_AT + (sample_words(cap) + cap.next_multiple_of(GROUP)) * 8;
        let span = self.words.eight(spans + i * 4) as u32;
        let separators = spans + (cap * 4).next_multiple_of(8);
        (separators + (span >> 16) as usize * 4, span as u16 as usize)
    }
    /// Separator of index entry `i`.
    pub fn separator(&self, i: usize) -> Vec<u8> {
        let (at, len) = self.separator_span(i);
        let mut out = vec![0; len.min(256)];
        self.words.copy(at, &mut out);
        out
    }

    /// Its length.
    pub fn separator_len(&self, i: usize) -> usize {
        self.separator_span(i).1
    }

    /// Asks for where a record of `len` bytes that comes in will lie: behind all others.
    #[inline]
    pub fn prefetch_behind(&self, len: usize) {
        let (here, len) = self.tail().map_or((self.data_len(), len), |_| (self.kept().0, 1));
        let at = self.data_start() + here;
        self.words.prefetch(at, at + len);
    }

    /// First data record whose key is at or above `probe` (over the probe's length), and whether it equals it.
    #[inline]
    pub fn find_record(&self, probe: Probe<'_>, shape: Shape) -> (usize, bool) {
        let (cap, prefix) = (self.slot_cap(), self.prefix_len().min(PREFIX_MAX));
        let (count, data) = (self.count().min(cap), SLOTS_AT + cap * 8);
        match probe.compare_prefix(self.prefix(), prefix) {
            Ordering::Greater => return (0, count > 0 && self.compare_key(0, shape, probe) == Ordering::Equal),
            Ordering::Less => return (count, false),
            Ordering::Equal => {}
        }
        let head = probe.head(prefix);
        let head_at = |i: usize| self.words.upper(SLOTS_AT / 8 + i);
        let pos = self.words.upper_not_below(SLOTS_AT / 8, count, head);
        // Where prefix and head are a whole key they decide, and an insert has no need of the record's bytes.
        if probe.key().len() == shape.key_len && shape.key_len <= prefix + 4 && self.segment() <= 1 {
            return (pos, pos < count && head_at(pos) == head);
        }
        let (offset, len) = self.span(pos);
        self.words.prefetch(data + offset, data + offset + len);
        let compare = |i: usize| probe.compare(self.words, data + self.span(i).0 + shape.rkp, usize::MAX);
        // A probe that ends within the head may equal one that is above it.
        let ends_before = probe.key().len() < prefix + 4;
        if pos >= count || (head_at(pos) > head && !ends_before) {
            return (pos, false);
        }
        match compare(pos) {
            Ordering::Less => {
                let pos = among_equals(pos + 1, count, |i| head_at(i) <= head, compare);
                (pos, pos < count && compare(pos) == Ordering::Equal)
            }
            order => (pos, order == Ordering::Equal),
        }
    }

    /// The prefix as a number whose most significant byte is the first.
    #[inline]
    fn prefix(&self) -> u128 {
        (self.words.first::<{ PREFIX_AT / 8 }>().swap_bytes() as u128) << 64
            | self.words.first::<{ PREFIX_AT / 8 + 1 }>().swap_bytes() as u128
    }

    /// First index entry whose separator, continued with X'FF', is at or above `probe`. Half way a pointer that is near
    /// the one wanted is told to `near`, so that what it leads to can be asked for.
    #[inline]
    pub fn find_entry(&self, probe: Probe<'_>, near: impl FnOnce(u32)) -> usize {
        let (cap, prefix) = (self.slot_cap(), self.prefix_len().min(PREFIX_MAX));
        let count = self.count().min(cap);
        match probe.compare_prefix(self.prefix(), prefix) {
            Ordering::Greater => return 0,
            Ordering::Less => return self.first_infinite(count),
            Ordering::Equal => {}
        }
        let head = probe.head(prefix);
        let samples = SLOTS_AT / 8;
        let group = self.words.upper_not_below(samples, count.div_ceil(GROUP), head);
        let slots = samples + sample_words(cap);
        let first = group * GROUP;
        const { assert!(GROUP == LINE) };
        self.words.prefetch_line(slots + first);
        near(self.words.get(samples + group) as u32);
        // What fills up the last group has the highest head.
        let Some(below) = self.words.upper_below(slots + first, head) else {
            return count;
        };
        among_equals(
            first + below,
            count,
            |i| self.words.upper(slots + i) <= head,
            |i| {
                let (at, len) = self.separator_span(i);
                probe.compare(self.words, at, len)
            },
        )
    }

    /// The first infinite one of the entries, which are at the end (a spanned record may have several).
    #[cold]
    fn first_infinite(&self, count: usize) -> usize {
        let mut finite = count;
        while finite > 0 && self.separator_span(finite - 1).1 == 0 {
            finite -= 1;
        }
        finite
    }
}

/// No head before `pos` is at or above the probe's; among those with the same head (`not_above`) the whole text decides.
#[inline]
fn among_equals(
    pos: usize,
    count: usize,
    not_above: impl Fn(usize) -> bool,
    compare: impl Fn(usize) -> Ordering,
) -> usize {
    if pos >= count || !not_above(pos) || compare(pos) != Ordering::Less {
        return pos;
    }
    let end = first_not_below(pos + 1, count, not_above);
    first_not_below(pos + 1, end, |i| compare(i) == Ordering::Less)
}
/// A private copy of a page's records, for a reader that goes through all of them.
#[derive(Debug, Default)]
pub struct Records {
    bytes: Vec<u8>,
    count: usize,
}

impl Records {
    /// Those of a latched page of whole records.
    pub fn of(view: View<'_>) -> Records {
        let mut records = Records::default();
        let copied = view.copy_records(&mut records);
        debug_assert!(copied.is_some(), "a latched page makes sense");
        records
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }
    /// In key order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map_while(|i| self.record(i)).map(|(_, record)| record)
    }
    /// Offset in the CI, and the bytes, of record `i`; `None` behind the last.
    #[inline]
    pub fn record(&self, i: usize) -> Option<(usize, &[u8])> {
        let (offset, place) = self.place(i)?;
        Some((offset, self.bytes.get(place)?))
    }
    /// Offset of record `i` in the CI, and where it is in the copy, as [`at`](Self::at) takes it; `None` behind the
    /// last.
    #[inline]
    pub fn place(&self, i: usize) -> Option<(usize, Range<usize>)> {
        if i >= self.count {
            return None;
        }
        let slot = u64::from_le_bytes(*self.bytes.get(i * 8..)?.first_chunk()?);
        let (offset, len) = ((slot >> 16) as u16 as usize, slot as u16 as usize);
        let start = self.count * 8 + offset;
        Some((offset, start..start + len))
    }
    /// The bytes there; none where the copy has none.
    #[inline]
    pub fn at(&self, place: Range<usize>) -> &[u8] {
        self.bytes.get(place).unwrap_or_default()
    }
}
