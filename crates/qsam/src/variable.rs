//! Reading V, VB, VS and VBS: from descriptor word to descriptor word, segments joined to records.
//!
//! 1. `block_left` is what the current block has beyond what was consumed; without BDWs it is never looked at.
//! 2. Nothing is consumed before it is known to be right and complete, so an error comes again when asked again.
//! 3. `joined` holds the segments so far of the record begun at `begun_at`; it never grows beyond `longest_joined`.

use std::io::Read;
use std::ops::Range;

use crate::descriptor::{decode_bdw, DescriptorFault, Segment, SegmentPosition};
use crate::error::QsamError;
use crate::format::{Attributes, Bdw};
use crate::input::{read_error, Input, RecordSpan};
use crate::limits::{DESCRIPTOR, MAX_LRECL};

const WORD: usize = DESCRIPTOR as usize;

#[derive(Debug)]
pub(crate) struct Variable {
    spanned: bool,
    /// Longest record by LRECL with its RDW, where that bounds a single descriptor word.
    stated_lrecl: Option<u32>,
    stated_blksize: Option<u32>,
    longest_joined: usize,
    /// Whether there are BDWs; none until the first block told.
    bdw: Option<bool>,
    block_left: u32,
    joined: Vec<u8>,
    begun_at: Option<u64>,
}

impl Variable {
    /// For attributes that were checked and are of a V format.
    pub fn new(attributes: &Attributes) -> Variable {
        let stated = |length: u32| (length != 0).then_some(length);
        let spanned = attributes.recfm.is_spanned();
        Variable {
            spanned,
            stated_lrecl: stated(attributes.lrecl).filter(|_| !spanned),
            stated_blksize: stated(attributes.blksize),
            longest_joined: attributes.longest_record().unwrap_or(MAX_LRECL) as usize,
            bdw: match attributes.bdw {
                Bdw::Auto => None,
                Bdw::Yes => Some(true),
                Bdw::No => Some(false),
            },
            block_left: 0,
            joined: Vec::new(),
            begun_at: None,
        }
    }

    /// The next record, `number` in the file.
    pub fn next<R: Read>(&mut self, input: &mut Input<R>, number: u64) -> Result<Option<RecordSpan>, QsamError> {
        let bdw = match self.bdw {
            Some(bdw) => bdw,
            None => *self.bdw.insert(self.detect_bdw(input)?),
        };
        loop {
            let Some(segment) = self.segment(input, number, bdw)? else {
                return match self.begun_at {
                    Some(offset) => Err(QsamError::TruncatedSpanned { record: number, offset }),
                    None => Ok(None),
                };
            };
            if segment.position == SegmentPosition::Whole {
                return Ok(Some(RecordSpan::InBuffer(self.consume(input, segment))));
            }
            self.join(input, segment, number)?;
            if self.begun_at.is_none() {
                return Ok(Some(RecordSpan::Joined));
            }
        }
    }

    /// The record joined last.
    pub fn joined(&mut self) -> &mut [u8] {
        &mut self.joined
    }

    /// Looks at the next segment, which is whole and in order; none at the end of the file.
    fn segment<R: Read>(&mut self, input: &mut Input<R>, record: u64, bdw: bool) -> Result<Option<Segment>, QsamError> {
        if bdw && self.block_left == 0 && !self.enter_block(input, record)? {
            return Ok(None);
        }
        let available = input.ensure(WORD).map_err(read_error(input, record))?;
        let offset = input.offset();
        if available == 0 {
            return match (bdw, self.block_left as usize) {
                (true, missing) => Err(QsamError::TruncatedBlock {
                    record,
                    offset,
                    missing,
                }),
                (false, _) => Ok(None),
            };
        }
        if bdw && self.block_left < DESCRIPTOR {
            let left = available.min(self.block_left as usize);
            return Err(QsamError::BlockRemainder {
                record,
                offset,
                bytes: input.available()[..left].to_vec(),
            });
        }
        if available < WORD {
            return Err(QsamError::TruncatedDescriptor {
                record,
                offset,
                bytes: input.available().to_vec(),
            });
        }
        let word = input.word();
        let bad = |fault| QsamError::BadRecordDescriptor {
            record,
            offset,
            word,
            fault,
            in_block: bdw,
        };
        let segment = Segment::decode(word, self.spanned).map_err(bad)?;
        self.check(segment, bdw).map_err(bad)?;
        let length = segment.length as usize;
        let available = input.ensure(length).map_err(read_error(input, record))?;
        if available < length {
            let (found, length) = (available - WORD, length - WORD);
            return Err(QsamError::TruncatedRecord {
                record,
                offset,
                word,
                found,
                length,
            });
        }
        Ok(Some(segment))
    }

    /// Takes the BDW at the beginning of a block; false at the end of the file.
    fn enter_block<R: Read>(&mut self, input: &mut Input<R>, record: u64) -> Result<bool, QsamError> {
        let available = input.ensure(WORD).map_err(read_error(input, record))?;
        let offset = input.offset();
        match available {
            0 => return Ok(false),
            1..WORD => {
                return Err(QsamError::TruncatedDescriptor {
                    record,
                    offset,
                    bytes: input.available().to_vec(),
                });
            }
            _ => {}
        }
        let word = input.word();
        let length = decode_bdw(word, self.stated_blksize).map_err(|fault| QsamError::BadBlockDescriptor {
            record,
            offset,
            word,
            fault,
        })?;
        input.consume(WORD);
        self.block_left = length - DESCRIPTOR;
        Ok(true)
    }

    /// Whether a segment fits its block, the file's limits and what came before it.
    fn check(&self, segment: Segment, bdw: bool) -> Result<(), DescriptorFault> {
        let Segment { length, position } = segment;
        if bdw && length > self.block_left {
            return Err(DescriptorFault::PastBlock {
                length,
                left: self.block_left,
            });
        }
        let (most, bound) = match self.stated_lrecl {
            Some(lrecl) => (lrecl, "LRECL"),
            None => (MAX_LRECL, "RECFM"),
        };
        if length > most {
            return Err(DescriptorFault::TooLong { length, most, bound });
        }
        let begun = self.begun_at.is_some();
        let goes_on = matches!(position, SegmentPosition::Middle | SegmentPosition::Last);
        if begun != goes_on {
            return Err(DescriptorFault::OutOfOrder { position, begun });
        }
        Ok(())
    }

    /// Consumes a segment and returns where its data lies.
    fn consume<R: Read>(&mut self, input: &mut Input<R>, segment: Segment) -> Range<usize> {
        let range = input.consume(segment.length as usize);
        self.block_left = self.block_left.saturating_sub(segment.length);
        range.start + WORD..range.end
    }

    /// Adds a first, middle or last segment to the record.
    fn join<R: Read>(&mut self, input: &mut Input<R>, segment: Segment, record: u64) -> Result<(), QsamError> {
        let begun_at = *self.begun_at.get_or_insert(input.offset());
        if segment.position == SegmentPosition::First {
            self.joined.clear();
        }
        let most = self.longest_joined;
        if self.joined.len() + segment.length as usize - WORD > most {
            return Err(QsamError::SpannedTooLong {
                record,
                offset: begun_at,
                most,
            });
        }
        let range = self.consume(input, segment);
        self.joined.extend_from_slice(input.consumed(range));
        if segment.position == SegmentPosition::Last {
            self.begun_at = None;
        }
        Ok(())
    }

    /// Whether the file has BDWs, by its first block: it has when a chain of RDWs fills the block exactly. A file
    /// without them would need a first record that is such a chain itself. A chain that begins well and then breaks is
    /// either a damaged block or a record that looks like one, so the user is asked.
    ///
    /// BLKSIZE is asked last: a chain in a longer block is a block, of which [`Variable::enter_block`] tells that it is
    /// too long. Its BDW would else be taken for the RDW of one long record.
    fn detect_bdw<R: Read>(&self, input: &mut Input<R>) -> Result<bool, QsamError> {
        if input.ensure(2 * WORD).map_err(read_error(input, 1))? < 2 * WORD {
            return Ok(false);
        }
        let word = input.word();
        let Ok(length) = decode_bdw(word, None) else {
            return Ok(false);
        };
        let next = [WORD, WORD + 1, WORD + 2, WORD + 3].map(|at| input.available()[at]);
        if !Segment::decode(next, self.spanned).is_ok_and(|s| s.length <= length - DESCRIPTOR) {
            return Ok(false);
        }
        let block = input
            .ensure(length as usize)
            .map_err(read_error(input, 1))?
            .min(length as usize);
        let cannot_be_rdw = length > self.stated_lrecl.unwrap_or(MAX_LRECL);
        if cannot_be_rdw || self.is_chain(&input.available()[WORD..block], length - DESCRIPTOR) {
            return Ok(true);
        }
        if self.stated_blksize.is_some_and(|most| length > most) {
            return Ok(false);
        }
        Err(QsamError::UncertainBdw { word, next })
    }

    /// Whether segments follow each other in `bytes` and end with it. Where the file ends before the block, at `whole`
    /// bytes, what is there must fit.
    fn is_chain(&self, bytes: &[u8], whole: u32) -> bool {
        let mut at = 0;
        while let Some(&[a, b, c, d]) = bytes.get(at..at + WORD) {
            match Segment::decode([a, b, c, d], self.spanned) {
                Ok(segment) => at += segment.length as usize,
                Err(_) => return false,
            }
        }
        at == whole as usize || (bytes.len() < whole as usize && at < whole as usize)
    }
}
