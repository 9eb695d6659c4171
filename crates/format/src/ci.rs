//! The control interval: records from the left, RDFs from the right, CIDF in the last four bytes (docs/format/ci.md).
//!
//! Invariants of an image that [`parse`] accepts and [`render`] writes:
//! 1. CIDF displacement (= length of the data) + free length + 3 * RDFs + 4 = CISZ.
//! 2. The lengths in the RDFs, counted as often as they stand for a record, add up to the displacement.
//! 3. A segment of a spanned record is alone in its CI.
//!
//! A slot of a fixed-length RRDS has an RDF of its own, with [`RDF_EMPTY_SLOT`] or without it; such CIs are not read
//! here.

use crate::bytes::{be16, put};
use crate::error::FormatError;

/// Bytes of the control interval definition field.
pub const CIDF_LEN: usize = 4;
/// Bytes of a record definition field.
pub const RDF_LEN: usize = 3;
/// RDF control bit: the RDF to the left belongs to this one.
pub const RDF_PAIRED: u8 = 0x40;
/// RDF control bits: segment of a spanned record.
pub const RDF_SEGMENT: u8 = 0x30;
/// RDF control bit: the number is a count or an update number, not a length.
pub const RDF_NUMBER: u8 = 0x08;
/// RDF control bit, fixed-length RRDS: the slot is empty.
pub const RDF_EMPTY_SLOT: u8 = 0x04;
/// CIDF: the CI is being split.
pub const CIDF_BUSY: u16 = 0x8000;

/// Largest CI: the free length of a CIDF has 15 bits.
pub(crate) const MAX_CI: usize = 32_768;
/// Name in messages.
const WHAT: &str = "control interval";

/// What a CI holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Whole records.
    Whole,
    /// The first segment of a spanned record.
    First,
    /// A segment of a spanned record that is neither its first nor its last.
    Middle,
    /// The last segment of a spanned record.
    Last,
}

impl Segment {
    /// Its bits in an RDF's control byte.
    fn bits(self) -> u8 {
        match self {
            Segment::Whole => 0x00,
            Segment::First => 0x10,
            Segment::Last => 0x20,
            Segment::Middle => 0x30,
        }
    }

    /// The segment these bits of a control byte mean.
    fn of(control: u8) -> Segment {
        match control & RDF_SEGMENT {
            0x10 => Segment::First,
            0x20 => Segment::Last,
            0x30 => Segment::Middle,
            _ => Segment::Whole,
        }
    }
}

/// What the control information of a CI says, besides the place of each record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlInfo {
    /// Whole records or which segment of one.
    pub segment: Segment,
    /// Update number of a segment: the same in all segments of a record. 0 for whole records.
    pub update_number: u16,
    /// The CI was being split.
    pub busy: bool,
    /// Bytes of records, from offset 0.
    pub data_len: usize,
    /// Number of RDFs.
    pub rdfs: usize,
}

/// Largest record that need not span, in bytes.
pub fn max_record(ci_size: usize) -> usize {
    ci_size - RDF_LEN - CIDF_LEN
}

/// Largest segment of a spanned record, in bytes.
pub fn max_segment(ci_size: usize) -> usize {
    ci_size - SEGMENT_RDFS * RDF_LEN - CIDF_LEN
}

/// RDFs of a segment: its length, and its update number.
pub const SEGMENT_RDFS: usize = 2;

/// Free bytes of a CI with so many bytes of records and so many RDFs; `None` if they do not fit.
pub fn free_bytes(ci_size: usize, data_len: usize, rdfs: usize) -> Option<usize> {
    ci_size.checked_sub(CIDF_LEN + rdfs * RDF_LEN)?.checked_sub(data_len)
}

/// Number of RDFs that [`render`] writes for whole records of these lengths.
pub fn rdf_count(lens: impl Iterator<Item = u16>) -> usize {
    let (mut count, mut run, mut of) = (0, 0, 0);
    for len in lens {
        run = if len == of && run < u16::MAX { run + 1 } else { 1 };
        of = len;
        // A run has one RDF if it is of one record, and two if it is of more.
        count += usize::from(run <= 2);
    }
    count
}

/// The image is the software end of file: a CIDF of zeros.
pub fn is_eof(image: &[u8]) -> bool {
    image.last_chunk::<CIDF_LEN>() == Some(&[0; CIDF_LEN])
}

/// Length and number of the records of a CI whose only RDFs are the pair of one run. `None` for every other image:
/// [`parse`] tells what it is, or what is wrong with it.
#[inline]
pub fn run(image: &[u8]) -> Option<(usize, usize)> {
    const PAIR: usize = 2 * RDF_LEN;
    let (_, last) = image.split_last_chunk::<{ PAIR + CIDF_LEN }>()?;
    let (data_len, free) = (be16(last, PAIR), be16(last, PAIR + 2) & !CIDF_BUSY);
    let (number, len) = (usize::from(be16(last, 1)), usize::from(be16(last, RDF_LEN + 1)));
    let whole = usize::from(data_len) + usize::from(free) + last.len() == image.len();
    let paired = last[0] == RDF_NUMBER && last[RDF_LEN] == RDF_PAIRED;
    (whole && paired && number > 1 && len > 0 && number * len == usize::from(data_len)).then_some((len, number))
}

/// Reads the control information of a CI into `spans`: offset and length of each record, from left to right (of a
/// segment: its one span).
///
/// # Errors
/// [`FormatError::EndOfFile`] if [`is_eof`]; else what in the control information contradicts itself.
pub fn parse(image: &[u8], spans: &mut Vec<(u16, u16)>) -> Result<ControlInfo, FormatError> {
    spans.clear();
    let ci_size = image.len();
    if ci_size <= CIDF_LEN {
        return Err(FormatError::Short {
            what: WHAT,
            need: CIDF_LEN + 1,
            have: ci_size,
        });
    }
    if ci_size > MAX_CI {
        return Err(refused("size", ci_size, "at most 32,768"));
    }
    if is_eof(image) {
        return Err(FormatError::EndOfFile { what: WHAT });
    }
    let cidf = ci_size - CIDF_LEN;
    let data_len = usize::from(be16(image, cidf));
    let free = be16(image, cidf + 2);
    let free_len = usize::from(free & !CIDF_BUSY);
    let Some(rdf_bytes) = cidf.checked_sub(data_len + free_len).filter(|n| n % RDF_LEN == 0) else {
        return Err(refused(
            "CIDF (data and free length)",
            data_len + free_len,
            "CI size - 4 - 3 for each RDF",
        ));
    };
    let mut layout = ControlInfo {
        segment: Segment::Whole,
        update_number: 0,
        busy: free & CIDF_BUSY != 0,
        data_len,
        rdfs: 0,
    };
    layout.rdfs = rdf_bytes / RDF_LEN;
    parse_rdfs(&image[cidf - rdf_bytes..cidf], &mut layout, spans)?;
    Ok(layout)
}

/// Reads the RDFs, which stand from right to left in `rdfs`.
fn parse_rdfs(rdfs: &[u8], layout: &mut ControlInfo, spans: &mut Vec<(u16, u16)>) -> Result<(), FormatError> {
    let mut offset = 0;
    let mut from_right = rdfs.rchunks_exact(RDF_LEN).map(|rdf| (rdf[0], be16(rdf, 1)));
    while let Some((control, len)) = from_right.next() {
        let paired = control & RDF_PAIRED != 0;
        let segment = Segment::of(control);
        if control & !(RDF_PAIRED | RDF_SEGMENT) != 0 || (segment != Segment::Whole && !paired) {
            return Err(refused(
                "RDF control byte of a length",
                control.into(),
                "X'00', X'40', X'50', X'60' or X'70'",
            ));
        }
        if len == 0 {
            return Err(refused("record length in an RDF", 0, "at least 1"));
        }
        let mut records = 1;
        if paired {
            let Some((left_control, number)) = from_right.next() else {
                return Err(refused(
                    "number of RDFs",
                    layout.rdfs,
                    "one more, as the last is paired",
                ));
            };
            // Sources differ on whether the left RDF repeats the segment bits, so both ways are read.
            if left_control & !segment.bits() != RDF_NUMBER {
                return Err(refused(
                    "RDF control byte of a number",
                    left_control.into(),
                    "X'08' and the segment bits",
                ));
            }
            if segment == Segment::Whole {
                records = usize::from(number);
                if records < 2 {
                    return Err(refused("record count in an RDF", records, "at least 2"));
                }
            } else {
                if layout.rdfs != 2 {
                    return Err(refused("number of RDFs with a spanned segment", layout.rdfs, "2"));
                }
                layout.segment = segment;
                layout.update_number = number;
            }
        }
        if offset + records * usize::from(len) > layout.data_len {
            return Err(refused(
                "data length in the CIDF",
                layout.data_len,
                "the sum of the record lengths in the RDFs",
            ));
        }
        // Offsets stay below data_len, which came from 16 bits.
        spans.extend((0..records).map(|n| ((offset + n * usize::from(len)) as u16, len)));
        offset += records * usize::from(len);
    }
    if offset != layout.data_len {
        return Err(refused(
            "data length in the CIDF",
            layout.data_len,
            "the sum of the record lengths in the RDFs",
        ));
    }
    Ok(())
}

/// Writes RDFs and CIDF of a CI whose record bytes already stand packed from offset 0, and zeros the free space.
///
/// `lens` are the record lengths from left to right, none zero. Two or more neighbours of equal length take a pair of
/// RDFs. If `segment` is not [`Segment::Whole`], there is one length, and `update_number` goes with it.
///
/// # Panics
/// If the records and their RDFs do not fit (the caller has asked [`free_bytes`]) or a segment is not alone: better no
/// image than a wrong one.
pub fn render(image: &mut [u8], lens: impl Iterator<Item = u16> + Clone, segment: Segment, update_number: u16) {
    let cidf = image.len() - CIDF_LEN;
    let mut rdf = cidf;
    let mut data_len = 0;
    let mut push = |control: u8, number: u16| {
        // The caller has counted them, by the same runs.
        rdf = rdf.checked_sub(RDF_LEN).expect("the RDFs fit the CI");
        image[rdf] = control;
        put(image, rdf + 1, &number.to_be_bytes());
    };
    for_each_run(lens, |len, records| {
        data_len += usize::from(len) * usize::from(records);
        if segment != Segment::Whole {
            assert!(data_len == usize::from(len), "a segment is alone in its CI");
            push(RDF_PAIRED | segment.bits(), len);
            push(RDF_NUMBER | segment.bits(), update_number);
        } else if records > 1 {
            push(RDF_PAIRED, len);
            push(RDF_NUMBER, records);
        } else {
            push(0, len);
        }
    });
    assert!(data_len <= rdf && cidf < MAX_CI, "records and RDFs fit the CI");
    image[data_len..rdf].fill(0);
    put(image, cidf, &(data_len as u16).to_be_bytes());
    put(image, cidf + 2, &((rdf - data_len) as u16).to_be_bytes());
}

/// Bytes of free space that the CIDF of an image tells; 0 where it cannot be right.
pub fn free_len(image: &[u8]) -> usize {
    let Some((_, last)) = image.split_last_chunk::<CIDF_LEN>() else {
        return 0;
    };
    let (data_len, free) = (usize::from(be16(last, 0)), usize::from(be16(last, 2) & !CIDF_BUSY));
    if data_len + free + CIDF_LEN <= image.len() {
        free
    } else {
        0
    }
}

/// Takes `left_out` bytes out of the free space of an image, which has so many: RDFs and CIDF move towards the records.
/// The CIDF says what it said. Returns the bytes that are left.
pub fn close_up(image: &mut [u8], left_out: usize) -> usize {
    let stored = image.len() - left_out;
    let cidf = image.len() - CIDF_LEN;
    let control = usize::from(be16(image, cidf)) + usize::from(be16(image, cidf + 2) & !CIDF_BUSY);
    image.copy_within(control.., control - left_out);
    stored
}

/// See [`spread`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// Where RDFs and CIDF are.
    pub control: std::ops::Range<usize>,
    /// What lies between the records and where they belong, which is behind it.
    pub free: std::ops::Range<usize>,
}

/// Where RDFs and CIDF of an image are to be moved, to its end, where they belong; so far they end behind its first
/// `stored` bytes ([`close_up`]).
///
/// # Errors
/// The CIDF does not fit an image of this size of which so many bytes are stored.
pub fn spread(image: &[u8], stored: usize) -> Result<Spread, FormatError> {
    let ci_size = image.len();
    let wrong = |what: usize| {
        refused(
            "CIDF of an image without its free space",
            what,
            "as long as its CI says",
        )
    };
    if stored < CIDF_LEN || stored > ci_size {
        return Err(wrong(stored));
    }
    let data_len = usize::from(be16(image, stored - CIDF_LEN));
    let free_len = usize::from(be16(image, stored - CIDF_LEN + 2) & !CIDF_BUSY);
    let control = ci_size.checked_sub(data_len + free_len).filter(|&len| len >= CIDF_LEN);
    let Some(control) = control.filter(|&len| data_len + len <= stored) else {
        return Err(wrong(data_len + free_len));
    };
    Ok(Spread {
        control: stored - control..stored,
        free: data_len..ci_size - control,
    })
}

/// The same, and the free space is zeros again: the image is what [`render`] made.
///
/// # Errors
/// As [`spread`].
pub fn expand(image: &mut [u8], stored: usize) -> Result<(), FormatError> {
    if stored < image.len() {
        let Spread { control, free } = spread(image, stored)?;
        image.copy_within(control, free.end);
        image[free].fill(0);
    }
    Ok(())
}

/// Calls `run(length, records)` for each run of equal lengths. A run of more than 65,535 would not fit a CI.
fn for_each_run(lens: impl Iterator<Item = u16>, mut run: impl FnMut(u16, u16)) {
    let mut lens = lens.peekable();
    while let Some(len) = lens.next() {
        let mut records = 1;
        while records < u16::MAX && lens.next_if_eq(&len).is_some() {
            records += 1;
        }
        run(len, records);
    }
}

fn refused(field: &'static str, value: usize, must: &'static str) -> FormatError {
    FormatError::Field {
        what: WHAT,
        field,
        value: value as u64,
        must,
    }
}
