//! Between a CI's image on the volume and its page in the pool.

use crate::pool::{Cells, Entry, ImagePage, Measure, Page, Shape, Shortened, View, Width, DESCRIPTOR, SLAB};
use cica_format::index::{BaseRba, IndexImage, IndexRecord, RecordRef};
use cica_format::{ci, slots, FormatError};

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
    pub fn format_empty(&self, frame: &mut [u8], ci_size: usize) {
        match self {
            Codec::Data { .. } => {
                Page::format(Cells::of(frame), ci_size);
            }
            Codec::Image { slot } => {
                let image = ImagePage::format(frame, ci_size);
                match slot {
                    Some(length) => slots::format(image, *length),
                    None => image.fill(0),
                }
            }
            Codec::Index { .. } => {
                Page::format_index(Cells::of(frame), 0, 0, u32::MAX, &[]);
            }
        }
    }

    /// Data: where in `frame` an image of `ci_size` bytes may be read to, for [`decode_here`](Self::decode_here).
    pub fn image_area<'f>(&self, frame: &'f mut [u8], ci_size: usize) -> Option<&'f mut [u8]> {
        match self {
            Codec::Data { .. } => {
                Page::format(Cells::of(frame), ci_size);
                let start = Page::of(Cells::of(frame)).image_at();
                frame.get_mut(start..start + ci_size)
            }
            Codec::Image { .. } => Some(ImagePage::format(frame, ci_size)),
            Codec::Index { .. } => None,
        }
    }

    /// Data: the image that was read to [`image_area`](Self::image_area).
    pub fn image_of<'f>(&self, frame: &'f mut [u8], ci_size: usize) -> Option<&'f [u8]> {
        match self {
            Codec::Data { .. } => self.image_in(frame, ci_size).map(|image| &*image),
            Codec::Image { .. } => Some(ImagePage::image_in(frame, ci_size)),
            Codec::Index { .. } => None,
        }
    }

    /// The same of records with a key, to be changed.
    fn image_in<'f>(&self, frame: &'f mut [u8], ci_size: usize) -> Option<&'f mut [u8]> {
        match self {
            Codec::Data { .. } => {
                let start = Page::of(Cells::of(frame)).image_at();
                frame.get_mut(start..start + ci_size)
            }
            Codec::Image { .. } | Codec::Index { .. } => None,
        }
    }

    /// Data: makes the image that was read to [`image_area`](Self::image_area) a page. Its first `stored` bytes were
    /// read: the rest is free space.
    pub fn decode_here(&self, frame: &mut [u8], ci_size: usize, stored: usize) -> Result<Decoded, FormatError> {
        if let Some(image) = self.image_in(frame, ci_size).filter(|_| stored < ci_size) {
            // Nothing reads the free space of a page.
            ci::spread(image, stored)?;
        }
        let shape = match self {
            Codec::Data { shape, .. } => shape,
            Codec::Image { slot } => return count_slots(frame, ci_size, *slot),
            Codec::Index { .. } => return Ok(Decoded::NeedsFrame(0)),
        };
        let mut page = Page::of(Cells::of(frame));
        let mut spans = Vec::with_capacity(64);
        let layout = records(&page.image()[..ci_size], *shape, &mut spans)?;
        if spans.len() > page.slot_cap() {
            let need = Page::frame_len(ci_size, spans.len());
            return Ok(Decoded::NeedsFrame(need + need / 8));
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
    pub fn width(&self, view: View<'_>, ci_size: usize) -> Option<Width> {
        match self {
            Codec::Data { shape, .. } if shape.key_len > 0 && view.segment() == 0 && !view.is_short() => {
                Width::of_read(ci_size, view.count(), view.data_len())
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

    /// Decodes `image` into `frame`.
    pub fn decode(&self, image: &[u8], frame: &mut [u8]) -> Result<Decoded, FormatError> {
        match self {
            Codec::Data { .. } | Codec::Image { .. } => match self.image_area(frame, image.len()) {
                Some(area) => {
                    area.copy_from_slice(image);
                    self.decode_here(frame, image.len(), image.len())
                }
                None => Ok(Decoded::NeedsFrame(self.frame_len(image.len()))),
            },
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
            Codec::Data { .. } => ci::free_bytes(ci_size, view.data_len(), view.rdfs()).unwrap_or(0),
            Codec::Image { .. } | Codec::Index { .. } => 0,
        }
    }

    /// Renders a page into `image` (CISZ bytes). `Err` says why the page cannot be an image: a broken invariant.
    pub fn render(&self, frame: Cells<'_>, view: View<'_>, image: &mut [u8]) -> Result<(), String> {
        match self {
            Codec::Data { .. } => {
                let page = Page::of(frame);
                let len = page.data_len();
                if len + page.rdfs() * ci::RDF_LEN + ci::CIDF_LEN > image.len() {
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
fn count_slots(frame: &mut [u8], ci_size: usize, slot: Option<usize>) -> Result<Decoded, FormatError> {
    let count = match slot {
        Some(length) => slots::check(ImagePage::image_in(frame, ci_size), length)?,
        None => 1,
    };
    ImagePage::count_in(frame, count);
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
