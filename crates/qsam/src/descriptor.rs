//! The descriptor words of V formats, four bytes each, big-endian:
//!
//! ```text
//! BDW   0-1 length of the block with its BDW    2-3 zero        (a block of up to 32,760 bytes)
//!       0-3 the same in 31 bits, bit 0 on                       (large block interface, longer blocks)
//! RDW   0-1 length of the record with its RDW   2-3 zero
//! SDW   0-1 length of the segment with its SDW  2   position    3 zero
//! ```
//!
//! 1. What is decoded here is plausible by itself; whether it fits in its block and the file is for the reader to say.

use std::fmt;

use crate::limits::{DESCRIPTOR, MAX_BLKSIZE, MAX_LRECL};

/// The least block: a BDW and the RDW of an empty record.
const LEAST_BLOCK: u32 = 2 * DESCRIPTOR;

const EXTENDED: u32 = 0x8000_0000;

/// Where a segment lies in its record: the third byte of an RDW.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentPosition {
    /// The whole record (0).
    Whole,
    /// Its first segment (1).
    First,
    /// Its last segment (2).
    Last,
    /// One in between (3).
    Middle,
}

impl SegmentPosition {
    fn code(self) -> u8 {
        match self {
            SegmentPosition::Whole => 0,
            SegmentPosition::First => 1,
            SegmentPosition::Last => 2,
            SegmentPosition::Middle => 3,
        }
    }
}

impl fmt::Display for SegmentPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SegmentPosition::Whole => "a whole record",
            SegmentPosition::First => "the first segment of a record",
            SegmentPosition::Last => "the last segment of a record",
            SegmentPosition::Middle => "a middle segment of a record",
        })
    }
}

/// What is wrong with a descriptor word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescriptorFault {
    /// The length cannot hold what the word stands before, at least `least` bytes.
    TooShort {
        /// Length in the word.
        length: u32,
        /// Least length there can be.
        least: u32,
    },
    /// The length is beyond the stated or possible maximum.
    TooLong {
        /// Length in the word.
        length: u32,
        /// Longest there can be.
        most: u32,
        /// Which attribute is the bound: `LRECL` or `BLKSIZE`.
        bound: &'static str,
    },
    /// The record runs past the end of its block.
    PastBlock {
        /// Length in the word.
        length: u32,
        /// Bytes that are left in the block.
        left: u32,
    },
    /// Bytes that are always zero are not.
    NotZero,
    /// The third byte says the record is spanned, and RECFM says there are none.
    Spanned,
    /// The segment cannot follow what was before it.
    OutOfOrder {
        /// What the word says the segment is.
        position: SegmentPosition,
        /// Whether a record had been begun.
        begun: bool,
    },
}

impl fmt::Display for DescriptorFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DescriptorFault::TooShort { length, least } => write!(f, "length {length} is below {least}"),
            DescriptorFault::TooLong { length, most, bound } => {
                write!(f, "length {length} is above {most}, the most by {bound}")
            }
            DescriptorFault::PastBlock { length, left } => {
                write!(
                    f,
                    "length {length} runs past the end of the block, which has {left} bytes left"
                )
            }
            DescriptorFault::NotZero => write!(f, "bytes that are zero in a descriptor word are not"),
            DescriptorFault::Spanned => write!(f, "it is that of a segment of a spanned record"),
            DescriptorFault::OutOfOrder { position, begun: true } => {
                write!(f, "it is {position} while another record waits for its last segment")
            }
            DescriptorFault::OutOfOrder { position, begun: false } => {
                write!(f, "it is {position}, and no record has been begun")
            }
        }
    }
}

/// A decoded RDW or SDW.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Bytes of the segment with its descriptor, at least 4.
    pub length: u32,
    pub position: SegmentPosition,
}

impl Segment {
    /// Decodes an RDW (`spanned` false) or SDW.
    pub fn decode(word: [u8; 4], spanned: bool) -> Result<Segment, DescriptorFault> {
        let length = u32::from(u16::from_be_bytes([word[0], word[1]]));
        if length < DESCRIPTOR {
            return Err(DescriptorFault::TooShort {
                length,
                least: DESCRIPTOR,
            });
        }
        let position = match (word[2], word[3]) {
            (0, 0) => SegmentPosition::Whole,
            (1..=3, 0) if !spanned => return Err(DescriptorFault::Spanned),
            (1, 0) => SegmentPosition::First,
            (2, 0) => SegmentPosition::Last,
            (3, 0) => SegmentPosition::Middle,
            _ => return Err(DescriptorFault::NotZero),
        };
        Ok(Segment { length, position })
    }

    /// The word of a segment of at most 65,535 bytes; the writer's limits are lower.
    pub fn encode(self) -> [u8; 4] {
        let [_, _, high, low] = self.length.to_be_bytes();
        [high, low, self.position.code(), 0]
    }
}

/// The length of a block by its BDW, `most` being BLKSIZE where that is stated.
pub(crate) fn decode_bdw(word: [u8; 4], stated_most: Option<u32>) -> Result<u32, DescriptorFault> {
    let value = u32::from_be_bytes(word);
    let (length, most) = if value & EXTENDED != 0 {
        (value & !EXTENDED, MAX_BLKSIZE)
    } else if value & 0xFFFF != 0 {
        return Err(DescriptorFault::NotZero);
    } else {
        (value >> 16, MAX_LRECL)
    };
    let most = stated_most.unwrap_or(most);
    if length < LEAST_BLOCK {
        return Err(DescriptorFault::TooShort {
            length,
            least: LEAST_BLOCK,
        });
    }
    if length > most {
        return Err(DescriptorFault::TooLong {
            length,
            most,
            bound: "BLKSIZE",
        });
    }
    Ok(length)
}

/// The BDW of a block of `length` bytes: extended beyond 32,760.
pub(crate) fn encode_bdw(length: u32) -> [u8; 4] {
    if length <= MAX_LRECL {
        (length << 16).to_be_bytes()
    } else {
        (length | EXTENDED).to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_descriptor_word_comes_back_short_and_extended() {
        for length in [8, 9, 32_760, 32_761, 262_144] {
            assert_eq!(decode_bdw(encode_bdw(length), Some(262_144)), Ok(length));
        }
        assert_eq!(encode_bdw(27_998), [0x6D, 0x5E, 0, 0]);
        assert_eq!(encode_bdw(65_536), [0x80, 0x01, 0, 0]);
    }

    #[test]
    fn a_segment_descriptor_word_comes_back() {
        for position in [
            SegmentPosition::Whole,
            SegmentPosition::First,
            SegmentPosition::Last,
            SegmentPosition::Middle,
        ] {
            let segment = Segment { length: 300, position };
            assert_eq!(Segment::decode(segment.encode(), true), Ok(segment));
        }
        assert_eq!(
            Segment {
                length: 300,
                position: SegmentPosition::Last
            }
            .encode(),
            [1, 44, 2, 0]
        );
    }

    #[test]
    fn bad_words_are_told_apart() {
        assert_eq!(
            decode_bdw([0, 7, 0, 0], None),
            Err(DescriptorFault::TooShort { length: 7, least: 8 })
        );
        assert_eq!(decode_bdw([0, 9, 0, 1], None), Err(DescriptorFault::NotZero));
        let too_long = DescriptorFault::TooLong {
            length: 101,
            most: 100,
            bound: "BLKSIZE",
        };
        assert_eq!(decode_bdw([0, 101, 0, 0], Some(100)), Err(too_long));
        assert_eq!(
            Segment::decode([0, 3, 0, 0], true),
            Err(DescriptorFault::TooShort { length: 3, least: 4 })
        );
        assert_eq!(Segment::decode([0, 9, 1, 0], false), Err(DescriptorFault::Spanned));
        assert_eq!(Segment::decode([0, 9, 4, 0], true), Err(DescriptorFault::NotZero));
        assert_eq!(Segment::decode([0, 9, 0, 1], false), Err(DescriptorFault::NotZero));
    }
}
