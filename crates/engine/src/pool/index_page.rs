//! Index pages: how they are made of entries, or of the record of a CI, and how an entry of one is split
//! (layout: `page.rs`).

use super::cells::Cells;
use super::page::{sample_words, Page, FILLER, GROUP, HEADER, PREFIX, PREFIX_MAX, SLOTS_AT};
use super::page::{CA_AT, COUNT_AT, DATA_LEN_AT, LEVEL_AT, NEXT_AT, PREFIX_LEN_AT, SLOT_CAP_AT};
use super::shape::head_of;
use crate::sync::atomic::Ordering::Relaxed;
use cica_format::index::{IndexImage, Walked};
use cica_format::FormatError;

/// An index entry in plain form.
pub type Entry = cica_format::index::IndexEntry;

/// What is copied of a separator at once; what is too many is written over by what comes next.
const CHUNK: usize = 16;

/// How many entries an index page gets, and how many bytes their separators take, each padded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measure {
    entries: usize,
    separators: usize,
}

impl Measure {
    /// That of entries in plain form.
    pub fn of_entries(entries: &[Entry]) -> Measure {
        Measure {
            entries: entries.len(),
            separators: entries.iter().map(|entry| padded(entry.separator.len())).sum(),
        }
    }

    /// That of a record, as far as it is sound.
    pub fn of_record(record: &IndexImage<'_>) -> Measure {
        let (entries, separators) = record.entries().weigh(padded);
        Measure { entries, separators }
    }

    /// Bytes a frame needs for such an index page.
    pub fn frame_len(&self) -> usize {
        Page::index_frame_bytes(self.entries, self.separators)
    }
}

fn padded(len: usize) -> usize {
    len.next_multiple_of(4)
}

/// A stretch of the separators.
#[derive(Clone, Copy, Default)]
struct Span {
    start: usize,
    len: usize,
}

impl Span {
    fn of(self, separators: &[u8]) -> &[u8] {
        separators.get(self.start..self.start + self.len).unwrap_or_default()
    }
}

impl<'a> Page<'a> {
    /// Bytes a frame needs for an index page with so many entries whose separators take so many bytes, padded.
    pub fn index_frame_bytes(entries: usize, separators: usize) -> usize {
        SLOTS_AT + separators_at(entries) + separators
    }

    /// Makes the frame an index page, with room for some more entries if it has any.
    pub fn format_index(bytes: Cells<'a>, level: u8, ca: u32, next: u32, entries: &[Entry]) -> Page<'a> {
        let mut page = Page::without_entries(bytes, level, ca, next, Measure::of_entries(entries));
        let mut used = 0;
        for (i, entry) in entries.iter().enumerate() {
            let len = entry.separator.len();
            let at = page.index_places().2 + used;
            page.bytes.put(at, &entry.separator);
            page.set_entry(i, Span { start: used, len }, entry.pointer);
            used += padded(len);
        }
        page.set_u32(DATA_LEN_AT, used as u32);
        page.set_heads();
        page
    }

    /// Makes the frame the index page of a record, which was measured. Of entries at the end that say X'FF' before one
    /// without an end, as they are written, none has one.
    ///
    /// # Errors
    /// An entry contradicts the one before. The frame is no page then.
    pub fn adopt_record(cells: Cells<'a>, record: &IndexImage<'_>, measure: Measure) -> Result<Page<'a>, FormatError> {
        let mut page = Page::without_entries(cells, record.level, record.ca, record.next, measure);
        let (slots, spans_at, separators) = page.index_places();
        // Separators are made of those before them, in memory of their own; a copy of a chunk may go over the end.
        let mut own = vec![0; separators - spans_at + measure.separators + 2 * CHUNK];
        let (spans, texts) = own.split_at_mut(separators - spans_at);
        let words = page.bytes.words(slots, measure.entries);
        let mut places = words.zip(spans.chunks_exact_mut(4));
        // The leftmost of the section before, and the one before.
        let (mut leftmost, mut before, mut used) = (Span::default(), Span::default(), 0);
        for (i, walked) in record.entries().enumerate() {
            let walked = walked?;
            // There is a place for each, because one that was not measured is not sound.
            let Some((slot, span)) = places.next() else { break };
            let like = if walked.leftmost { leftmost } else { before };
            let this = Span {
                start: used,
                len: walked.separator_len(),
            };
            put_separator(texts, this, like, &walked);
            if i > 0 {
                walked.check_order(i, before.of(texts), this.of(texts))?;
            }
            slot.store(u64::from(walked.pointer), Relaxed);
            span.copy_from_slice(&((used as u32 / 4) << 16 | this.len as u32).to_le_bytes());
            used += padded(this.len);
            before = this;
            if walked.leftmost {
                leftmost = this;
            }
        }
        drop(places);
        let whole = separators - spans_at + used;
        page.bytes.put(spans_at, &own[..whole]);
        page.set_u32(DATA_LEN_AT, used as u32);
        page.unseal();
        page.set_heads();
        Ok(page)
    }

    /// An index page with its entries still to come.
    fn without_entries(mut bytes: Cells<'a>, level: u8, ca: u32, next: u32, measure: Measure) -> Page<'a> {
        let Measure { entries, separators } = measure;
        let roomy = entries + entries / 4 + GROUP;
        let leaves_room = HEADER + separators_at(roomy) + separators + separators / 4 <= bytes.len();
        bytes.fill(0, HEADER, 0);
        let mut page = Page { bytes };
        page.bytes.set(LEVEL_AT, [level]);
        page.set_u32(NEXT_AT, next);
        page.set_u32(CA_AT, ca);
        page.set_u16(SLOT_CAP_AT, if leaves_room { roomy } else { entries } as u16);
        page.set_u32(COUNT_AT, entries as u32);
        page
    }

    /// Notes where the separator of entry `i` lies, and its pointer.
    fn set_entry(&mut self, i: usize, span: Span, pointer: u32) {
        let (slots, spans, _) = self.index_places();
        self.set_u64(slots + i * 8, pointer.into());
        self.set_u32(spans + i * 4, (span.start as u32 / 4) << 16 | span.len as u32);
    }

    /// Takes the end from the entries that say X'FF' before one that has none.
    fn unseal(&mut self) {
        let (_, spans, _) = self.index_places();
        let mut others = (0..self.count()).rev();
        if others.next().is_some_and(|last| self.separator(last).is_empty()) {
            for i in others {
                if self.separator(i) != [0xFF] {
                    break;
                }
                self.set_u32(spans + i * 4, 0);
            }
        }
    }

    /// Sets the prefix and all that follows from it: the heads, and their samples.
    fn set_heads(&mut self) {
        let prefix = self.common_prefix();
        let (slots, spans, separators) = self.index_places();
        let (count, cap) = (self.count(), self.slot_cap());
        self.bytes.set(PREFIX_LEN_AT, [prefix.len as u8]);
        let at = separators + prefix.start;
        self.bytes.copy_within(at..at + prefix.len, PREFIX);
        let (texts, spans) = (&self.bytes[separators..], self.bytes[spans..].chunks_exact(4));
        for (slot, span) in self.bytes.words(slots, count).zip(spans) {
            let rest = span_of(span).of(texts).get(prefix.len..).unwrap_or_default();
            slot.store(
                u64::from(head_of(rest, 0xFF)) << 32 | u64::from(slot.load(Relaxed) as u32),
                Relaxed,
            );
        }
        for i in count..cap.next_multiple_of(GROUP) {
            self.set_u64(slots + i * 8, FILLER);
        }
        self.sample_from(0);
    }

    /// What all finite separators start with, at most 16 bytes. They are in order, so what the first and the last start
    /// with all do, but for one that ends within X'FF's, because that is continued with them.
    fn common_prefix(&self) -> Span {
        let mut finite = (0..self.count()).filter(|&i| !self.separator(i).is_empty());
        let Some(first) = finite.next() else {
            return Span::default();
        };
        let last = finite.next_back().unwrap_or(first);
        let (first_text, last_text) = (self.separator(first), self.separator(last));
        let alike = first_text.iter().zip(last_text).take_while(|(a, b)| a == b).count();
        let sure = first_text[..alike].iter().rposition(|&byte| byte != 0xFF);
        Span {
            start: self.separator_span(first).start,
            len: sure.map_or(0, |at| at + 1).min(PREFIX_MAX),
        }
    }

    fn separator_span(&self, i: usize) -> Span {
        let at = self.index_places().1 + i * 4;
        span_of(&self.bytes[at..at + 4])
    }

    /// The separator of entry `i`.
    fn separator(&self, i: usize) -> &[u8] {
        self.separator_span(i).of(&self.bytes[self.index_places().2..])
    }

    /// The separators of an index page, in key order.
    pub fn separators(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count()).map(|i| self.separator(i))
    }

    /// Where slots, spans and separators of an index page start.
    fn index_places(&self) -> (usize, usize, usize) {
        let cap = self.slot_cap();
        let slots = HEADER + sample_words(cap) * 8;
        let spans = slots + cap.next_multiple_of(GROUP) * 8;
        (slots, spans, HEADER + separators_at(cap))
    }

    /// Samples the slots of entry `i` and those behind it.
    fn sample_from(&mut self, i: usize) {
        let (slots, count) = (self.index_places().0, self.count());
        for group in i / GROUP..count.div_ceil(GROUP) {
            let last = slots + (group * GROUP + GROUP - 1).min(count - 1) * 8;
            self.bytes.copy_within(last..last + 8, HEADER + group * 8);
        }
    }

    /// Index: entry `i` gets another separator, and behind it comes an entry with the separator it had and `pointer`.
    /// False, and nothing is changed: the frame has no room, or the separator does not share the prefix.
    pub fn split_entry(&mut self, i: usize, separator: &[u8], pointer: u32) -> bool {
        let (count, used, prefix) = (self.count(), self.data_len(), self.prefix().len());
        let (slots, spans, separators) = self.index_places();
        let (at, end) = (separators + used, separators + used + separator.len());
        if i >= count || count == self.slot_cap() || end > self.bytes.len() || used / 4 > u16::MAX as usize {
            return false;
        }
        if !separator.starts_with(self.prefix()) {
            return false;
        }
        self.bytes.put(at, separator);
        self.bytes
            .copy_within(spans + i * 4..spans + count * 4, spans + (i + 1) * 4);
        self.set_u32(spans + i * 4, (used as u32 / 4) << 16 | separator.len() as u32);
        let slot = slots + i * 8;
        self.bytes.copy_within(slot..slots + count * 8, slot + 8);
        self.set_u32(slot + 4, head_of(&separator[prefix..], 0xFF));
        self.set_u32(slot + 8, pointer);
        self.set_u32(COUNT_AT, count as u32 + 1);
        self.set_u32(DATA_LEN_AT, (used + separator.len().next_multiple_of(4)) as u32);
        self.sample_from(i);
        true
    }
}

/// What four bytes of the spans say.
fn span_of(bytes: &[u8]) -> Span {
    let span = bytes.first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
    Span {
        start: (span >> 16) as usize * 4,
        len: (span & 0xFFFF) as usize,
    }
}

/// Puts the separator of an entry where it belongs; its front is that of the one at `like`.
#[inline]
fn put_separator(texts: &mut [u8], this: Span, like: Span, walked: &Walked<'_>) {
    if walked.front.max(walked.len) > CHUNK || !put_chunks(texts, this, like, walked) {
        let (front, end) = (this.start + walked.front, this.start + this.len);
        texts.copy_within(like.start..like.start + walked.front, this.start);
        texts[front..end].copy_from_slice(&walked.text[..walked.len]);
    }
}

/// Does so with [`CHUNK`] bytes of both parts. False: so many are not there.
#[inline]
fn put_chunks(texts: &mut [u8], this: Span, like: Span, walked: &Walked<'_>) -> bool {
    let front: Option<[u8; CHUNK]> = texts.get(like.start..).and_then(|text| text.first_chunk().copied());
    let (Some(front), Some(back)) = (front, walked.text.first_chunk::<CHUNK>()) else {
        return false;
    };
    match texts.get_mut(this.start..this.start + 2 * CHUNK) {
        Some(to) => {
            to[..CHUNK].copy_from_slice(&front);
            to[walked.front..walked.front + CHUNK].copy_from_slice(back);
            true
        }
        None => false,
    }
}

/// Bytes from the samples to the separators of an index page of `slots` entries.
fn separators_at(slots: usize) -> usize {
    (sample_words(slots) + slots.next_multiple_of(GROUP)) * 8 + (slots * 4).next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::{Latched, Pool, View};
    use cica_format::index::{BaseRba, IndexRecord, RecordRef};

    const BASE: BaseRba = BaseRba {
        ci_per_ca: 180,
        ci_size: 4096,
        index_ci_size: 4096,
    };

    /// The page of an image, and what a reader finds on it.
    fn adopted<'p>(pool: &'p Pool, image: &[u8]) -> Result<Latched<'p>, FormatError> {
        let record = IndexImage::of(image, BASE)?;
        let measure = Measure::of_record(&record);
        let mut frame = pool.take(measure.frame_len()).unwrap();
        match Page::adopt_record(frame.cells(), &record, measure) {
            Ok(_) => Ok(frame),
            Err(error) => {
                frame.free();
                Err(error)
            }
        }
    }

    fn entries_of(view: View<'_>) -> Vec<(Vec<u8>, u32)> {
        (0..view.count())
            .map(|i| (view.separator(i), view.pointer(i)))
            .collect()
    }

    fn image_of(entries: &[(&[u8], u32)]) -> Vec<u8> {
        let record = RecordRef {
            level: 1,
            ca: 3,
            next: 9,
            entries,
            free: &[179, 178],
        };
        let mut image = vec![0; 4096];
        record.encode(&mut image, BASE).unwrap();
        image
    }

    /// Separators of `count` entries, whatever their lengths: short ones, long ones, alike at the start or not.
    fn separators(count: u32, seed: u32) -> Vec<Vec<u8>> {
        let one = |i: u32| {
            let mut text = b"CUSTOMER"[..(seed % 9) as usize].to_vec();
            text.extend((i * 257 * (1 + seed % 7)).to_be_bytes());
            let tail = (i.wrapping_mul(2_654_435_761) ^ seed) % 23;
            text.extend((0..tail).map(|k| (k * 31 + i) as u8));
            text
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn the_page_of_a_record_is_that_of_its_entries() {
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        for seed in 0..200 {
            let count = seed % 61;
            let texts = separators(count, seed);
            let mut entries: Vec<(&[u8], u32)> = texts.iter().map(|t| &t[..]).zip(0..).collect();
            if seed % 3 == 0 {
                entries.push((&[], 170));
            }
            let image = image_of(&entries);
            let plain = IndexRecord::decode(&image, BASE).unwrap();
            let mut formatted = pool.take(Measure::of_entries(&plain.entries).frame_len()).unwrap();
            Page::format_index(formatted.cells(), 1, 3, 9, &plain.entries);
            let adopted = adopted(&pool, &image).unwrap();
            let (one, other) = (adopted.view(), formatted.view());
            assert_eq!(entries_of(one), entries_of(other), "seed {seed}");
            assert_eq!((one.level(), one.ca(), one.next()), (1, 3, 9));
            for (separator, pointer) in &entries {
                let probe = crate::pool::Probe::new(separator);
                let at = |view: View<'_>| view.find_entry(probe, |_| {});
                assert_eq!(at(one), at(other), "seed {seed}");
                assert!(separator.is_empty() || one.pointer(at(one)) == *pointer, "seed {seed}");
            }
            adopted.free();
            formatted.free();
        }
    }

    #[test]
    fn what_says_ff_before_an_entry_without_end_has_no_end_either() {
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let open: [(&[u8], u32); 4] = [(b"A", 5), (&[0xFF], 6), (&[0xFF], 7), (&[], 8)];
        let page = adopted(&pool, &image_of(&open)).unwrap();
        let listed: Vec<_> = entries_of(page.view())
            .into_iter()
            .map(|(text, _)| text.len())
            .collect();
        assert_eq!(listed, [1, 0, 0, 0]);
        page.free();
        let page = adopted(&pool, &image_of(&open[..3])).unwrap();
        let listed: Vec<_> = entries_of(page.view())
            .into_iter()
            .map(|(text, _)| text.len())
            .collect();
        assert_eq!(listed, [1, 1, 1]);
        page.free();
    }

    /// Wherever a byte of a record is another, it is read as the plain way reads it, or refused as that refuses it.
    #[test]
    fn a_damaged_record_is_refused_as_its_entries_are() {
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let texts = separators(40, 5);
        let entries: Vec<(&[u8], u32)> = texts.iter().map(|t| &t[..]).zip(0..).collect();
        let image = image_of(&entries);
        let mut refused = 0;
        for at in 0..image.len() {
            for change in [0x01, 0x80, 0xFF] {
                let mut damaged = image.clone();
                damaged[at] ^= change;
                let plain = IndexRecord::decode(&damaged, BASE);
                // The free numbers are judged by whoever wants them.
                let sound = IndexImage::of(&damaged, BASE).is_ok_and(|r| r.free().all(|number| number.is_ok()));
                match adopted(&pool, &damaged) {
                    Ok(page) => {
                        if let Ok(plain) = plain {
                            let plain = plain.entries.into_iter().map(|e| (e.separator, e.pointer));
                            assert!(plain.eq(entries_of(page.view())), "byte {at}");
                        } else {
                            assert!(!sound, "byte {at}");
                        }
                        page.free();
                    }
                    Err(error) => {
                        assert_eq!(plain, Err(error), "byte {at}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 300, "{refused}");
    }
}
