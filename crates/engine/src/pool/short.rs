//! Short pages: records without the blanks or zeros that fill them up.
//!
//! Most of a COBOL record of fixed length is often the run of one byte that it ends in. The processor's caches and page
//! tables hold the more records the less memory these take, and memory that is not touched need not be cleared.
//!
//! * H1. A short page has whole records of one length, each with a key; of each it keeps the beginning, with all of the
//!   key at least. Length and byte stand where an index page names its CA.
//! * H2. Lengths, places, RDFs and the image are those of the whole records, in key order.
//! * H3. What a short page does not [take](View::takes) makes it a whole one first.

use super::cells::Cells;
use super::page::{Page, HEADER, SLOTS_AT};
use super::shape::{beginning, Shape};
use super::View;

/// Bytes for records that come and are longer than those that are there.
const SPARE: usize = 128;

/// What a page would be without the runs.
#[derive(Debug, Clone, Copy)]
pub struct Shortened {
    /// The byte that the runs are of.
    byte: u8,
    /// Slots that the frame needs.
    slots: usize,
    /// Bytes that the frame needs.
    need: usize,
}

impl Shortened {
    /// Bytes of the frame to take, where the page as it is has one of `whole` bytes: one of few parts of that, so that few
    /// sizes share the pool. `None`: it would gain nothing.
    pub fn frame_len(&self, whole: usize) -> Option<usize> {
        let sizes = [16, 12, 8, 6, 4, 3, 2].map(|part| whole / part);
        sizes.into_iter().find(|&len| self.need <= len)
    }
}

impl Page<'_> {
    /// What this page would be without the runs that its records end in, with room for as many like them as a CI of
    /// `ci_size` bytes has if they come (0: none comes).
    pub fn shortened(&self, shape: Shape, ci_size: usize) -> Option<Shortened> {
        let n = self.count();
        if self.segment() != 0 || !self.is_even() || self.is_loose() || shape.key_len == 0 {
            return None;
        }
        let byte = *self.record(0).last()?;
        let kept: usize = (0..n).map(|i| beginning(self.record(i), byte, shape).len()).sum();
        // One more than ever are there: who finds none free asks for a wider frame before the CI is found full.
        let slots = n.max(ci_size / self.len_of(0)) + usize::from(ci_size > 0);
        Some(Shortened {
            byte,
            slots,
            need: SLOTS_AT + slots * (8 + kept.div_ceil(n)) + (slots - n).min(SPARE),
        })
    }

    /// Makes `frame` this page without the runs.
    pub fn shorten_into(&self, frame: Cells<'_>, shortened: Shortened, shape: Shape) {
        let n = self.count();
        let mut page = Page::of(frame);
        page.bytes.put(0, &self.bytes[..HEADER]);
        page.set_slot_cap(shortened.slots);
        page.set_tail(self.len_of(0), shortened.byte);
        for i in 0..n {
            let beginning = beginning(self.record(i), shortened.byte, shape);
            let offset = page.keep(beginning);
            page.set_slot(i, self.head(i), offset, beginning.len());
        }
    }

    /// Of a short page: lets go of what its records do not have any more.
    pub(super) fn tidy_short(&mut self) {
        let records: Vec<Vec<u8>> = (0..self.count()).map(|i| self.record(i).to_vec()).collect();
        self.set_kept(0);
        for (i, record) in records.iter().enumerate() {
            let offset = self.keep(record);
            self.set_slot(i, self.head(i), offset, record.len());
        }
    }
}

impl View<'_> {
    /// Whether `record` may come to the page, beside what it has or for one of these: a short one may not have room for
    /// it, or its records have another length, and a narrow one (`narrow.rs`) may not have room.
    #[inline]
    pub fn takes(&self, record: &[u8], shape: Shape) -> bool {
        match self.tail() {
            Some((len, byte)) => record.len() == len && self.kept().1 >= beginning(record, byte, shape).len(),
            None => self.room().is_none_or(|room| self.data_len() + record.len() <= room),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::view::Records;
    use crate::pool::{Pool, Probe};

    const SHAPE: Shape = Shape { rkp: 2, key_len: 5 };

    fn record(n: usize, len: usize, filled: usize, byte: u8) -> Vec<u8> {
        let mut record = format!("{:02}{:05}", n % 7, n * 3).into_bytes();
        record.extend((0..filled).map(|at| b'a' + (at + n) as u8 % 26));
        record.resize(len, byte);
        record
    }

    /// A page of these records and what it is as a short one, if that gains anything, both shown to `look`.
    fn compared(records: &[Vec<u8>], look: impl FnOnce(&Records)) -> Option<usize> {
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let mut whole = pool.take(Page::frame_len(18432, records.len())).unwrap();
        Page::format(whole.cells(), 18432).refill(records.iter().map(Vec::as_slice), SHAPE);
        let size = whole.size();
        let found = Page::of(whole.cells()).shortened(SHAPE, 0);
        let lens = found.map(|shortened| (shortened, shortened.frame_len(size)));
        let Some((shortened, Some(len))) = lens else {
            whole.free();
            return None;
        };
        let mut short = pool.take_soon(len).unwrap();
        Page::of(whole.cells()).shorten_into(short.cells(), shortened, SHAPE);
        let (one, other) = (whole.view(), short.view());
        assert_eq!((one.count(), one.rdfs()), (other.count(), other.rdfs()));
        let (mut area, mut copy) = (vec![1; 3], Records::default());
        other.copy_records(&mut copy).unwrap();
        for (i, record) in records.iter().enumerate() {
            assert!(other.record(i, &mut area) && area == *record);
            assert_eq!(copy.record(i), Some((one.place(i), record.as_slice())));
            assert_eq!((other.place(i), other.len_of(i)), (one.place(i), record.len()));
            let mut key = [0; 5];
            other.record_part(i, 2, &mut key);
            assert_eq!(key, record[2..7]);
            for probe in [
                &record[2..7],
                &record[2..5],
                b"00000",
                b"99999",
                &[record[2], record[3], b'0'],
            ] {
                let probe = Probe::new(probe);
                assert_eq!(other.find_record(probe, SHAPE), one.find_record(probe, SHAPE));
            }
        }
        assert!(other.record(records.len() - 1, &mut area) && copy.record(records.len()).is_none());
        let mut images = [vec![1; 18432], vec![2; 18432]];
        let page = Page::of(short.cells());
        page.copy_to(&mut images[0]);
        assert!(page.lens().eq(records.iter().map(|record| record.len() as u16)));
        assert_eq!(page.data_len(), records.concat().len());
        Page::of(whole.cells()).copy_to(&mut images[1]);
        assert_eq!(images[0][..page_len(records)], images[1][..page_len(records)]);
        look(&copy);
        [whole, short].into_iter().for_each(|latched| latched.free());
        Some(len)
    }

    fn page_len(records: &[Vec<u8>]) -> usize {
        records.iter().map(Vec::len).sum()
    }

    #[test]
    fn a_short_page_is_read_like_a_whole_one() {
        let mut lens = std::collections::BTreeSet::new();
        for (len, most, byte) in [
            (200, 0, b' '),
            (200, 40, b' '),
            (200, 90, 0),
            (81, 30, b'9'),
            (40, 8, 0xFF),
            (23, 0, b' '),
        ] {
            let records: Vec<_> = (0..18000 / len)
                .map(|n| record(n, len, n * 7919 % (most + 1), byte))
                .collect();
            lens.extend(compared(&records, |copy| assert!(copy.record(0).is_some())));
        }
        assert!(lens.len() > 2, "{lens:?}");
    }

    #[test]
    fn what_would_gain_nothing_or_is_not_even_stays_whole() {
        let full: Vec<_> = (0..90).map(|n| record(n, 200, 193, b' ')).collect();
        assert_eq!(compared(&full, |_| ()), None);
        // Half of the bytes are blanks, and heads take some as well.
        let half: Vec<_> = (0..90).map(|n| record(n, 200, 93, b' ')).collect();
        assert_eq!(compared(&half, |_| ()), None);
        let mut uneven: Vec<_> = (0..90).map(|n| record(n, 200, 0, b' ')).collect();
        uneven[40].push(b' ');
        assert_eq!(compared(&uneven, |_| ()), None);
        let other_byte: Vec<_> = (0..90).map(|n| record(n, 200, 0, b'a' + (n % 3) as u8)).collect();
        assert_eq!(compared(&other_byte, |_| ()), None);
        let two: Vec<_> = (0..2).map(|n| record(n, 200, 0, b' ')).collect();
        assert_eq!(compared(&two, |_| ()), None);
        // A key that ends in the byte of the run keeps all of itself.
        let keys: Vec<_> = (0..90)
            .map(|n| format!("00{n:03}0{:>194}", "").replace(' ', "0").into_bytes())
            .collect();
        assert!(compared(&keys, |_| ()).is_some());
    }

    #[test]
    fn a_short_page_asks_for_what_it_needs_and_lets_go_of_what_it_lost() {
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        // Of each the key and what is left of a run of 93 blanks.
        let records: Vec<_> = (0..20).map(|n| record(n, 100, 0, b' ')).collect();
        let mut whole = pool.take(Page::frame_len(18432, 20)).unwrap();
        Page::format(whole.cells(), 18432).refill(records.iter().map(Vec::as_slice), SHAPE);
        let mut of = |ci_size| {
            let shortened = Page::of(whole.cells()).shortened(SHAPE, ci_size).unwrap();
            (shortened.slots, shortened.need)
        };
        assert_eq!(of(0), (20, 64 + 20 * 28));
        assert_eq!(of(5120), (52, 64 + 52 * 28 + 32));
        assert_eq!(of(18432), (185, 64 + 185 * 28 + 128));
        let shortened = Page::of(whole.cells()).shortened(SHAPE, 0).unwrap();
        let mut short = pool.take_soon(shortened.need).unwrap();
        Page::of(whole.cells()).shorten_into(short.cells(), shortened, SHAPE);
        assert_eq!(short.view().kept().0, 20 * 20);
        Page::of(short.cells()).truncate(7);
        assert_eq!(short.view().kept().0, 7 * 20);
        // Records without keys stay whole, and so does a segment, whatever it looks like.
        let keyless = Shape { rkp: 0, key_len: 0 };
        assert!(Page::of(whole.cells()).shortened(keyless, 0).is_none());
        Page::of(whole.cells()).set_segment(1, 0);
        assert!(Page::of(whole.cells()).shortened(SHAPE, 0).is_none());
        [whole, short].into_iter().for_each(|frame| frame.free());
    }

    /// While a writer is inside, a reader may find any numbers.
    #[test]
    fn numbers_that_make_no_sense_lead_to_no_record() {
        use crate::pool::SLAB;
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let records: Vec<_> = (0..20).map(|n| record(n, 100, 0, b' ')).collect();
        let mut frames = [(), ()].map(|()| pool.take(SLAB / 2).unwrap());
        for frame in &mut frames {
            Page::format(frame.cells(), 18432).refill(records.iter().map(Vec::as_slice), SHAPE);
        }
        // The one that is at the end of its slab.
        let last = &mut frames[1];
        assert_eq!(last.view().words().bytes(), SLAB / 2);
        let (view, mut area) = (last.view(), Vec::new());
        assert!(view.record(0, &mut area));
        Page::of(last.cells()).set_slot(0, 0, 0xFFFF, 0xFFFF);
        assert!(!view.record(0, &mut area));
        let page = Page::of(frames[0].cells());
        let shortened = page.shortened(SHAPE, 0).unwrap();
        let mut short = pool.take(SLAB / 8).unwrap();
        page.shorten_into(short.cells(), shortened, SHAPE);
        let view = short.view();
        assert!(view.record(0, &mut area) && area == records[0]);
        Page::of(short.cells()).set_slot(0, 0, 0, 101);
        assert!(!view.record(0, &mut area));
        frames.into_iter().chain([short]).for_each(|frame| frame.free());
    }

    /// Whatever comes, goes and changes, a short page says what the whole records would, and what it does not take it
    /// does not get.
    #[test]
    fn a_short_page_is_what_was_done_to_it() {
        let mut seed = 7u64;
        let mut draw = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        let (mut refused, mut taken) = (0, 0);
        for round in 0..100 {
            let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
            let mut kept: Vec<Vec<u8>> = (0..20 + round % 30).map(|n| record(n * 30, 100, n % 9, b' ')).collect();
            let mut whole = pool.take(Page::frame_len(5120, 60)).unwrap();
            Page::format(whole.cells(), 5120).refill(kept.iter().map(Vec::as_slice), SHAPE);
            let shortened = Page::of(whole.cells()).shortened(SHAPE, 5120).unwrap();
            let len = shortened.frame_len(whole.size()).unwrap();
            let mut short = pool.take_soon(len).unwrap();
            Page::of(whole.cells()).shorten_into(short.cells(), shortened, SHAPE);
            whole.free();
            let view = short.view();
            for _ in 0..200 {
                let filled = if draw(5) == 0 { draw(93) } else { draw(12) };
                let record = record(draw(2000), if draw(9) == 0 { 99 } else { 100 }, filled, b' ');
                let key = &record[2..7];
                let (at, there) = view.find_record(Probe::new(key), SHAPE);
                assert_eq!(at, kept.partition_point(|r| r[2..7] < *key));
                assert_eq!(there, kept.get(at).is_some_and(|r| r[2..7] == *key));
                let takes = view.takes(&record, SHAPE);
                let mut page = Page::of(short.cells());
                match draw(6) {
                    0 if there => {
                        page.remove(at);
                        kept.remove(at);
                    }
                    1 if draw(20) == 0 => {
                        page.truncate(at);
                        kept.truncate(at);
                    }
                    _ if !takes => refused += 1,
                    _ if there => {
                        page.replace(at, &record, SHAPE);
                        kept[at] = record;
                    }
                    // One slot more than a CI has records.
                    _ if kept.len() < 51 && page.slot_cap() > kept.len() => {
                        assert_eq!(
                            page.rdfs_with(at, 100),
                            cica_format::ci::rdf_count((0..=kept.len()).map(|_| 100))
                        );
                        page.insert(at, &record, SHAPE);
                        kept.insert(at, record);
                        taken += 1;
                    }
                    _ => {}
                }
                let (page, mut image) = (Page::of(short.cells()), vec![1; page_len(&kept)]);
                page.copy_to(&mut image);
                assert_eq!(image, kept.concat());
                assert_eq!((page.count(), page.data_len()), (kept.len(), image.len()));
                assert_eq!(page.rdfs(), cica_format::ci::rdf_count(page.lens()));
                assert!(Records::of(view).iter().eq(kept.iter().map(Vec::as_slice)));
                assert!((0..kept.len()).all(|i| view.place(i) == i * 100));
            }
            short.free();
        }
        assert!(refused > 1000 && taken > 1000, "{refused} refused, {taken} taken");
    }
}
