//! Narrow pages: where the records of a CI take much less than the CI, its page has a frame with less room.
//!
//! A CI split leaves two halves. The one that moves takes a frame of its width: with one of full size it would take
//! twice the memory that it holds, and all of it has to be cleared, or taken from pages that somebody reads. The one
//! that stays keeps its frame: to copy it as well costs more than is gained, because the frames that all of them leave
//! lie between those in use. A CI that is not much more than half full has a narrow page as well when it is read.
//!
//! * W1. A page's frame has room for the records that it has. For one that comes room is looked for first
//!   ([`View::takes`]); where there is none the page moves to a wider frame.
//! * W2. The widest frame has room for whatever the CI has room for, so a page moves at most [`WIDTHS`] times, and once
//!   more, between two splits.
//! * W3. A frame of a narrow size is taken only where that takes nothing away at once from pages of other sizes; it may
//!   take it from the other widths of its CI size afterwards (`kin.rs`).
//!
//! Where memory is *short* a page that is read, or has no place for a record, takes the narrowest frame that has room
//! for it: a page that does not fit into memory costs more than many moves.

use super::cells::Cells;
use super::page::{Page, SLOTS_AT};
use super::shape::Shape;
use super::View;

/// Room of narrow frames, in eighths of a CI: few sizes, because slabs are cut for each.
const WIDTHS: [usize; 3] = [5, 6, 7];
/// The one that is for pages in short memory only: a page that grows would move once more.
const FINE: usize = 6;

/// What a page needs of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// Slots.
    slots: usize,
    /// Bytes for records.
    room: usize,
}

impl Width {
    /// For any records of a CI, so many at most.
    pub fn whole(ci_size: usize, slots: usize) -> Width {
        Width { slots, room: ci_size }
    }

    /// The narrowest for `count` records of `data` bytes, with a sixteenth of the CI free for more. `None`: a whole one.
    pub fn of_half(ci_size: usize, count: usize, data: usize, short: bool) -> Option<Width> {
        Width::narrow(ci_size, (count, data), ci_size / 16, short)
    }

    /// For a page that was read. Where memory is not `short` only the narrowest is worth the copy.
    pub fn of_read(ci_size: usize, count: usize, data: usize, short: bool) -> Option<Width> {
        Width::of_half(ci_size, count, data, short).filter(|width| short || width.room == ci_size * WIDTHS[0] / 8)
    }

    /// For a page that had no place for the last of `count` records of `data` bytes: with more free, so that it does not
    /// move again soon, where memory is not `short`.
    pub fn for_more(ci_size: usize, count: usize, data: usize, short: bool) -> Width {
        let free = if short { 1 } else { 3 };
        let narrow = Width::narrow(ci_size, (count, data), free * ci_size / 16, short);
        narrow.unwrap_or_else(|| Width::whole(ci_size, count + count / 2 + 16))
    }

    fn narrow(ci_size: usize, (count, data): (usize, usize), free: usize, short: bool) -> Option<Width> {
        let widths = WIDTHS.into_iter().filter(|&eighths| short || eighths != FINE);
        let mut room = widths.map(|eighths| ci_size * eighths / 8);
        let room = room.find(|&room| data + free <= room)?;
        // As many as fit if they are like these, and one that is never found missing before room is.
        let slots = count * room / data.max(1) + 2;
        // Of very short records slots take more than records; these pages stay as they are.
        (data > 0 && slots * 8 <= ci_size).then_some(Width { slots, room })
    }

    /// Has it less room than the CI?
    pub fn is_narrow(self, ci_size: usize) -> bool {
        self.room < ci_size
    }

    /// The same with room for whatever the CI has room for.
    pub fn of_whole(self, ci_size: usize) -> Width {
        Width::whole(ci_size, self.slots)
    }

    /// Bytes of the frame.
    pub fn frame_len(self) -> usize {
        SLOTS_AT + self.room + self.slots * 8
    }
}

impl<'a> Page<'a> {
    /// Makes the frame, which is as long as this width wants, an empty page.
    pub fn format_narrow(cells: Cells<'a>, width: Width) -> Page<'a> {
        let mut page = Page::format(cells, width.room);
        page.set_room(width.room);
        page
    }

    /// Makes the frame, which is as long as this width wants, what `whole` is.
    pub fn narrowed(cells: Cells<'a>, width: Width, whole: &Page<'_>, shape: Shape) {
        let mut page = Page::format_narrow(cells, width);
        if whole.is_loose() {
            page.refill((0..whole.count()).map(|i| whole.record(i)), shape);
        } else {
            page.take_over(whole);
        }
    }
}

impl View<'_> {
    /// Of a narrow page: bytes for records that its frame has.
    #[inline]
    pub(super) fn room(&self) -> Option<usize> {
        let room = (self.next() >> 16) as u16;
        (room > 0).then_some(room.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::page::HEADER;
    use crate::pool::Pool;

    /// Records, heads, RDFs: all as if they had come to the narrow page one by one, whether they lie in order or not.
    #[test]
    fn a_page_that_is_narrowed_is_what_it_was() {
        let shape = Shape { rkp: 1, key_len: 2 };
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        for (count, loose) in (1..6).flat_map(|count| [(count, false), (count, true)]) {
            let records: Vec<Vec<u8>> = (0..count)
                .map(|n: u8| [&[7, 1, n][..], &vec![n; 40 + usize::from(n / 2)]].concat())
                .collect();
            let mut whole = pool.take(Page::frame_len(512, 20)).unwrap();
            let mut page = Page::format(whole.cells(), 512);
            if loose {
                records.iter().rev().for_each(|record| page.insert(0, record, shape));
            } else {
                (records.iter().enumerate()).for_each(|(at, record)| page.insert(at, record, shape));
            }
            assert_eq!(page.is_loose(), loose && count > 1);
            let width = Width::of_half(512, page.count(), page.data_len(), false).unwrap();
            let mut frames = [(), ()].map(|()| pool.take(width.frame_len()).unwrap());
            Page::narrowed(frames[0].cells(), width, &page, shape);
            Page::format_narrow(frames[1].cells(), width).refill(records.iter().map(Vec::as_slice), shape);
            let all = |frame: &mut crate::pool::Latched<'_>| {
                let page = Page::of(frame.cells());
                let records: Vec<_> = (0..page.count()).map(|i| page.record(i).to_vec()).collect();
                let heads = frame.cells()[..HEADER + 8 * records.len()].to_vec();
                (records, heads)
            };
            let [narrowed, refilled] = &mut frames;
            assert_eq!(all(narrowed).0, records);
            assert_eq!(all(narrowed), all(refilled));
            frames.into_iter().for_each(|frame| frame.free());
            whole.free();
        }
    }

    #[test]
    fn a_width_has_room_for_what_asked_for_it() {
        for ci_size in [512, 2048, 4096, 18432, 32768] {
            for len in [10, 80, 200, 500] {
                for (count, short) in (1..ci_size / len).flat_map(|count| [(count, false), (count, true)]) {
                    let data = count * len;
                    let more = Width::for_more(ci_size, count, data, short);
                    assert!(more.room >= data && more.slots >= count, "{ci_size} {len} {count}");
                    let Some(half) = Width::of_half(ci_size, count, data, short) else {
                        continue;
                    };
                    assert!(half.room >= data && half.slots > count, "{ci_size} {len} {count}");
                    assert!(half.frame_len() <= more.frame_len(), "{ci_size} {len} {count}");
                    assert!(half.room < ci_size);
                    // Without that a record that comes would find no room at once.
                    assert!(half.room >= data + ci_size / 16, "{ci_size} {len} {count}");
                    let free = if short { 1 } else { 3 };
                    assert!(
                        more.room >= (data + free * ci_size / 16).min(ci_size),
                        "{ci_size} {len} {count}"
                    );
                }
            }
        }
        assert_eq!(Width::of_half(4096, 0, 0, true), None);
        // Slots for so many would take more than the records.
        assert_eq!(Width::of_half(4096, 500, 2000, false), None);
        // A whole one, with half as many slots more, and some; a narrow one, with as many as have room.
        assert_eq!(Width::for_more(4096, 40, 4000, false), Width::whole(4096, 40 + 20 + 16));
        assert_eq!(
            Width::of_half(4096, 13, 2600, true),
            Some(Width { slots: 17, room: 3072 })
        );
        // Two thirds full: the width between the two others only where memory is short.
        let of = |short| Width::of_half(4096, 13, 2600, short).map(|width| width.room);
        assert_eq!((of(false), of(true)), (Some(3584), Some(3072)));
        let of = |short| Width::of_read(4096, 13, 2600, short).map(|width| width.room);
        assert_eq!((of(false), of(true)), (None, Some(3072)));
        let of = |short| Width::for_more(4096, 13, 2600, short).room;
        assert_eq!((of(false), of(true)), (3584, 3072));
    }
}
