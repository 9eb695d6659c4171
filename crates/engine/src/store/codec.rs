//! Between a CI's image on the volume and its page in the pool.

use crate::pool::{Cells, Entry, ImagePage, Measure, Page, Shape, Shortened, View, Width, DESCRIPTOR, SLAB};
use cica_format::index::{BaseRba, IndexImage, IndexRecord, RecordRef};
use cica_format::{ci, slots, FormatError};
use std::ops::Range;

/// How a component's CIs are read and rendered.
#[derive(Debug, Clone, Copy)]
pub enum Codec {
    /// Records with a key.
    Data {
        /// Where the key is.
        shape: Shape,
        /// Records expected per CI, for sizing frames.
        expected: usize,
    },
    /// The page is the image: slots of this length, or none (LDS).
    Image {
        /// Length of a slot.
        slot: Option<usize>,
    },
    /// Index records.
    Index {
        /// What pointers and base RBAs are relative to.
        base: BaseRba,
        /// Bytes expected per entry, for sizing frames.
        entry: usize,
    },
}

/// What became of an image.
pub enum Decoded {
    /// It is the frame's page now.
    Done,
    /// The frame is too small; take one of this many bytes.
    NeedsFrame(usize),
}

impl Codec {
    /// Bytes of a frame for a CI whose contents are not known yet.
    pub fn frame_len(&self, ci_size: usize) -> usize {
        match self {
            Codec::Data { expected, .. } => Page::frame_len(ci_size, *expected),
            Codec::Image { .. } => ImagePage::frame_len(ci_size),
            Codec::Index { base, entry } => (ci_size * 2).max(64 + (base.ci_per_ca as usize * entry).min(ci_size * 8)),
        }
    }

    /// Bytes at the start of a page that every search reads: the slots, or the samples of them.
    pub fn searched(&self, ci_size: usize) -> usize {
        match self {
            Codec::Data { expected, .. } => Page::frame_len(0, *expected).min(ci_size),
            Codec::Image { .. } => 0,
            Codec::Index { base, .. } => 64 + base.ci_per_ca as usize,
        }
    }

    /// Makes `frame` the page of a CI without records.
    pub fn format_empty(&self, frame: Cells<'_>, ci_size: usize) {
        match self {
            Codec::Data { .. } => {
                Page::format(frame, ci_size);
            }
            Codec::Image { slot } => {
                let mut page = ImagePage::format(frame, ci_size);
                match slot {
                    Some(length) => {
                        let mut image = vec![0; ci_size];
                        slots::format(&mut image, *length);
                        page.put(0, &image);
                    }
                    None => page.fill(0, ci_size, 0),
                }
            }
            Codec::Index { .. } => {
                Page::format_index(frame, 0, 0, u32::MAX, &[]);
            }
        }
    }

    /// Data: makes `frame` a page whose image is to come, where [`image_at`](Self::image_at) says, for
    /// [`decode_here`](Self::decode_here).
    pub fn expect_image(&self, mut frame: Cells<'_>, ci_size: usize) -> Option<Range<usize>> {
        match self {
            Codec::Data { .. } => {
                Page::format(frame.again(), ci_size);
            }
            Codec::Image { .. } => {
                ImagePage::format(frame.again(), ci_size);
            }
            Codec::Index { .. } => return None,
        }
        self.image_at(frame, ci_size)
    }

    /// Data: where in `frame` its image of `ci_size` bytes lies.
    pub fn image_at(&self, frame: Cells<'_>, ci_size: usize) -> Option<Range<usize>> {
        let len = frame.len();
        let start = match self {
            Codec::Data { .. } => Page::of(frame).image_at(),
            Codec::Image { .. } => ImagePage::image_at(),
            Codec::Index { .. } => return None,
        };
        (start + ci_size <= len).then_some(start..start + ci_size)
    }

    /// Data: makes the image that came to where [`image_at`](Self::image_at) says a page. Its first `stored` bytes were
    /// read: the rest is free space.
    pub fn decode_here(&self, mut frame: Cells<'_>, ci_size: usize, stored: usize) -> Result<Decoded, FormatError> {
        let shape = match self {
            Codec::Data { shape, .. } => shape,
            Codec::Image { slot } => return count_slots(frame, ci_size, *slot),
            Codec::Index { .. } => return Ok(Decoded::NeedsFrame(0)),
        };
        if let Some(place) = self.image_at(frame.again(), ci_size).filter(|_| stored < ci_size) {
            // Nothing reads the free space of a page.
            let ci::Spread { control, free } = ci::spread(&frame[place.clone()], stored)?;
            let from = place.start + control.start..place.start + control.end;
            frame.copy_within(from, place.start + free.end);
        }
        let mut page = Page::of(frame);
        let mut spans = Vec::with_capacity(64);
        let layout = records(&page.image()[..ci_size], *shape, &mut spans)?;
        if spans.len() > page.slot_cap() {
            if spans.len() > Page::most_records(ci_size) {
                return Err(FormatError::Field {
                    what: "control interval",
                    field: "records",
                    value: spans.len() as u64,
                    must: "few enough for a frame",
                });
            }
            let need = Page::frame_len(ci_size, spans.len());
            return Ok(Decoded::NeedsFrame((need + need / 8).min(SLAB)));
        }
        page.set_segment(segment_number(layout.segment), layout.update_number);
        page.adopt(&spans, *shape);
        Ok(Decoded::Done)
    }

    /// What the page in `frame` would be as a short one, with room for what may come to a CI of `ci_size` (0: nothing).
    pub fn shortened(&self, frame: Cells<'_>, ci_size: usize) -> Option<Shortened> {
        match self {
            Codec::Data { shape, .. } => Page::of(frame).shortened(*shape, ci_size),
            Codec::Image { .. } | Codec::Index { .. } => None,
        }
    }

    /// Makes `short` the page in `frame` as a short one.
    pub fn shorten(&self, frame: Cells<'_>, short: Cells<'_>, shortened: Shortened) {
        if let Codec::Data { shape, .. } = self {
            Page::of(frame).shorten_into(short, shortened, *shape);
        }
    }

    /// The narrow width in which a page that was read goes on, if it has so few records (`pool/narrow.rs`).
    pub fn width(&self, view: View<'_>, ci_size: usize, short: bool) -> Option<Width> {
        match self {
            Codec::Data { shape, .. } if shape.key_len > 0 && view.segment() == 0 && !view.is_short() => {
                Width::of_read(ci_size, view.count(), view.data_len(), short)
            }
            _ => None,
        }
    }

    /// Makes `narrow` the page in `frame`, with this width.
    pub fn narrow(&self, frame: Cells<'_>, narrow: Cells<'_>, width: Width) {
        if let Codec::Data { shape, .. } = self {
            Page::narrowed(narrow, width, &Page::of(frame), *shape);
        }
    }

    /// Puts what is stored of an image to where [`expect_image`](Self::expect_image) says. False: nowhere.
    pub fn put_image(&self, mut frame: Cells<'_>, ci_size: usize, stored: &[u8]) -> bool {
        let place = self.expect_image(frame.again(), ci_size);
        place.is_some_and(|place| {
            frame.put(place.start, stored);
            true
        })
    }

    /// Decodes `image` into `frame`.
    pub fn decode(&self, image: &[u8], mut frame: Cells<'_>) -> Result<Decoded, FormatError> {
        match self {
            Codec::Data { .. } | Codec::Image { .. } => {
                if !self.put_image(frame.again(), image.len(), image) {
                    return Ok(Decoded::NeedsFrame(self.frame_len(image.len())));
                }
                self.decode_here(frame, image.len(), image.len())
            }
            Codec::Index { base, .. } => {
                let record = IndexImage::of(image, *base)?;
                record.free().try_for_each(|number| number.map(drop))?;
                let measure = Measure::of_record(&record);
                let need = measure.frame_len();
                if need > SLAB {
                    return Err(FormatError::Field {
                        what: "index record",
                        field: "entries",
                        value: need as u64,
                        must: "few enough for a frame",
                    });
                }
                if need > frame.len() + DESCRIPTOR {
                    return Ok(Decoded::NeedsFrame(need));
                }
                Page::adopt_record(frame, &record, measure)?;
                Ok(Decoded::Done)
            }
        }
    }

    /// Bytes of free space in the image that a page becomes, between its records and their RDFs.
    pub fn free_bytes(&self, view: View<'_>, ci_size: usize) -> usize {
        match self {
            Codec::Data { .. } => {
                let rdfs = rdfs(view.segment(), view.rdfs());
                ci::free_bytes(ci_size, view.data_len(), rdfs).unwrap_or(0)
            }
            Codec::Image { .. } | Codec::Index { .. } => 0,
        }
    }

    /// Renders a page into `image` (CISZ bytes). `Err` says why the page cannot be an image: a broken invariant.
    pub fn render(&self, frame: Cells<'_>, view: View<'_>, image: &mut [u8]) -> Result<(), String> {
        match self {
            Codec::Data { .. } => {
                let page = Page::of(frame);
                let len = page.data_len();
                if len + rdfs(page.segment(), page.rdfs()) * ci::RDF_LEN + ci::CIDF_LEN > image.len() {
                    return Err("the CI holds more than its size".into());
                }
                page.copy_to(image);
                ci::render(image, page.lens(), segment(page.segment()), page.update_number());
                Ok(())
            }
            Codec::Image { .. } => {
                image.copy_from_slice(ImagePage::image_in(&frame, image.len()));
                Ok(())
            }
            Codec::Index { base, .. } => {
                let page = Page::of(frame);
                let entries = sealed(
                    page.separators()
                        .zip((0..page.count()).map(|i| view.pointer(i)))
                        .collect(),
                );
                let free = match view.level() {
                    1 => free_cis(entries.iter().map(|e| e.1), base.ci_per_ca as usize),
                    _ => Vec::new(),
                };
                let record = RecordRef {
                    level: view.level(),
                    ca: view.ca(),
                    next: view.next(),
                    entries: &entries,
                    free: &free,
                };
                record.encode(image, *base).map_err(|why| why.to_string())
            }
        }
    }
}

/// Makes an image that stands in its page one that was read.
fn count_slots(frame: Cells<'_>, ci_size: usize, slot: Option<usize>) -> Result<Decoded, FormatError> {
    let mut page = ImagePage::of(frame, ci_size);
    let count = match slot {
        Some(length) => slots::check(page.image(), length)?,
        None => 1,
    };
    page.set_count(count);
    Ok(Decoded::Done)
}

/// Offset and length of the records of an image, each long enough for its key.
pub fn records(image: &[u8], shape: Shape, spans: &mut Vec<(u16, u16)>) -> Result<ci::ControlInfo, FormatError> {
    let layout = ci::parse(image, spans)?;
    check_lengths(&layout, spans, shape)?;
    Ok(layout)
}

/// Every record that has a key must be long enough to hold it.
fn check_lengths(layout: &ci::ControlInfo, spans: &[(u16, u16)], shape: Shape) -> Result<(), FormatError> {
    let keyed = segment_number(layout.segment) <= 1;
    let least = if keyed { shape.rkp + shape.key_len } else { 1 };
    // No branch for each of them: as good as always all are long enough.
    match spans.iter().map(|&(_, len)| len).min() {
        Some(shortest) if usize::from(shortest) < least => Err(FormatError::Field {
            what: "control interval",
            field: "record length",
            value: shortest.into(),
            must: "enough to hold the key",
        }),
        _ => Ok(()),
    }
}

/// An index page in plain form; level-1 records list the CA's free CIs, highest number first.
pub fn index_record(view: View<'_>, ci_per_ca: usize) -> IndexRecord {
    let entries: Vec<Entry> = (0..view.count())
        .map(|i| Entry {
            separator: view.separator(i),
            pointer: view.pointer(i),
        })
        .collect();
    let free = if view.level() == 1 {
        free_cis(entries.iter().map(|e| e.pointer), ci_per_ca)
    } else {
        Vec::new()
    };
    IndexRecord {
        level: view.level(),
        ca: view.ca(),
        next: view.next(),
        entries,
        free,
    }
}

/// Entries as they are written: with only the last infinite. The other segments of a spanned record at the end of the
/// data set say X'FF', which no separator between two keys is.
fn sealed(mut entries: Vec<(&[u8], u32)>) -> Vec<(&[u8], u32)> {
    if let Some((_, others)) = entries.split_last_mut() {
        others.iter_mut().filter(|e| e.0.is_empty()).for_each(|e| e.0 = &[0xFF]);
    }
    entries
}

/// CI numbers of a CA that no entry points to, descending.
pub fn free_cis(pointers: impl Iterator<Item = u32>, ci_per_ca: usize) -> Vec<u16> {
    let mut used = vec![false; ci_per_ca];
    for pointer in pointers {
        if let Some(u) = used.get_mut(pointer as usize) {
            *u = true;
        }
    }
    (0..ci_per_ca as u16).rev().filter(|&i| !used[i as usize]).collect()
}

/// RDFs that the image of a page has: what its records cost (G3), or those of the segment that it is.
fn rdfs(segment: u8, of_records: usize) -> usize {
    match segment {
        0 => of_records,
        _ => ci::SEGMENT_RDFS,
    }
}

fn segment(number: u8) -> ci::Segment {
    match number {
        1 => ci::Segment::First,
        2 => ci::Segment::Last,
        3 => ci::Segment::Middle,
        _ => ci::Segment::Whole,
    }
}

fn segment_number(segment: ci::Segment) -> u8 {
    match segment {
        ci::Segment::Whole => 0,
        ci::Segment::First => 1,
        ci::Segment::Last => 2,
        ci::Segment::Middle => 3,
    }
}

#[cfg(all(test, not(cica_schedules)))]
mod tests {
    use super::*;
    use crate::pool::{PageId, PageKind, Pool};
    use cica_disk::{Create, Disk, File, MemoryDisk, Open, ReadInto, WriteAt};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    const SIZE: usize = 512;
    const SHAPE: Shape = Shape { rkp: 0, key_len: 4 };
    const BASE: BaseRba = BaseRba {
        ci_per_ca: 20,
        ci_size: 512,
        index_ci_size: 512,
    };

    /// A CI of one record of these bytes, as it is stored without half of its free space.
    fn stored(byte: u8) -> Vec<u8> {
        let mut image = vec![0; SIZE];
        image[..64].fill(byte);
        ci::render(&mut image, [64].into_iter(), ci::Segment::Whole, 0);
        let stored = ci::close_up(&mut image, SIZE / 2);
        image.truncate(stored);
        image
    }

    fn index_image(byte: u8) -> Vec<u8> {
        let keys: Vec<Vec<u8>> = (0..9).map(|n| vec![byte, byte, n]).collect();
        let entries: Vec<(&[u8], u32)> = keys.iter().map(Vec::as_slice).zip(0..).collect();
        let record = RecordRef {
            level: 1,
            ca: 0,
            next: u32::MAX,
            entries: &entries,
            free: &free_cis(0..9, 20),
        };
        let mut image = vec![0; SIZE];
        record.encode(&mut image, BASE).expect("room");
        image
    }

    /// A frame is filled in each way there is, while somebody looks at it who has its number from before. What he
    /// believes is one page. Under Miri no look races with what fills it (cells:X3).
    #[test]
    fn who_reads_beside_the_filling_of_a_frame_believes_only_what_is_whole() {
        let rounds: u8 = if cfg!(miri) { 4 } else { 120 };
        let disk = MemoryDisk::new();
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        let file = disk.open(std::path::Path::new("/f"), how).unwrap();
        let pool = Pool::new(0, std::sync::Arc::new(cica_disk::SystemClock)).unwrap();
        let page = PageId {
            component: 1,
            kind: PageKind::Ci,
            number: 1,
        };
        let other = PageId { number: 2, ..page };
        let data = Codec::Data {
            shape: SHAPE,
            expected: 9,
        };
        let index = Codec::Index { base: BASE, entry: 16 };
        let slots = Codec::Image { slot: Some(40) };
        let len = index.frame_len(SIZE).max(data.frame_len(SIZE));
        let mut first = pool.take(len).unwrap();
        first.set_page(Some(other));
        let (frame, _) = first.release();
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for byte in 1..=rounds {
                    file.write(&[WriteAt {
                        at: 0,
                        buf: &stored(byte),
                    }])
                    .unwrap();
                    let mut latched = pool.latch(frame);
                    latched.set_page(None);
                    slots.format_empty(latched.cells(), SIZE);
                    let decoded = index.decode(&index_image(byte), latched.cells());
                    assert!(matches!(decoded, Ok(Decoded::Done)));
                    read(&*file, data, latched.cells());
                    latched.set_page(Some(page));
                    drop(latched);
                    std::thread::yield_now();
                }
                ended.store(true, Relaxed);
            });
            let (mut believed, mut last) = (0, false);
            while !last || believed == 0 {
                last = ended.load(Relaxed);
                // As who found the number before the frame went to another page: at whatever is there.
                let view = pool.view(frame);
                let words = view.words();
                let (mut copy, version) = (Vec::new(), pool.version_of(frame, page));
                let heads = (words.upper(8), words.half(17), words.upper_below(8, 7));
                let is_record = view.record(0, &mut copy);
                if version.is_some_and(|version| pool.frame(frame).unchanged(version)) {
                    let byte = copy.first().copied().unwrap_or(0);
                    assert!(is_record && byte > 0 && copy == [byte; 64], "{copy:?} {heads:?}");
                    believed += 1;
                }
            }
        });
        pool.latch(frame).free();
    }

    fn read(file: &dyn File, data: Codec, mut frame: Cells<'_>) {
        let place = data.expect_image(frame.again(), SIZE).expect("a place");
        let room = frame.again().room(place.start..place.start + SIZE / 2);
        let mut batch = [ReadInto { at: 0, room, got: 0 }];
        file.read_into(&mut batch).expect("a read");
        assert_eq!(batch[0].got, SIZE / 2);
        assert!(matches!(data.decode_here(frame, SIZE, SIZE / 2), Ok(Decoded::Done)));
    }
}
