//! Writing V, VB, VS and VBS: records behind their RDWs, put into blocks as long as they fit.
//!
//! 1. Bytes before `block` are complete blocks; those from `block` on are a block whose BDW is not yet filled in.
//! 2. A block is closed when the next record (VB) or a useful part of it (VBS) does not fit, so blocks are as full as
//!    QSAM makes them.

use crate::blocksize::on_default_device;
use crate::descriptor::{encode_bdw, Segment, SegmentPosition};
use crate::format::Attributes;
use crate::limits::{DESCRIPTOR, MAX_LRECL};

const WORD: usize = DESCRIPTOR as usize;

#[derive(Debug)]
pub(crate) struct VariableBlocks {
    bdw: bool,
    blocked: bool,
    spanned: bool,
    blksize: usize,
    /// Where the open block begins in the buffer.
    block: Option<usize>,
}

impl VariableBlocks {
    /// For attributes that were checked and are of a V format.
    pub fn new(attributes: &Attributes) -> VariableBlocks {
        let blksize = match attributes.blksize {
            0 => on_default_device(attributes.recfm, attributes.lrecl),
            stated => stated,
        };
        VariableBlocks {
            bdw: attributes.writes_bdw(),
            blocked: attributes.recfm.is_blocked(),
            spanned: attributes.recfm.is_spanned(),
            blksize: blksize as usize,
            block: None,
        }
    }

    /// Appends a record that is not longer than the file's records may be.
    pub fn put(&mut self, buffer: &mut Vec<u8>, record: &[u8]) {
        if self.spanned {
            self.put_segments(buffer, record);
        } else {
            self.make_room(buffer, WORD + record.len());
            append(buffer, SegmentPosition::Whole, record);
        }
    }

    /// Fills in the BDW of the open block.
    pub fn close(&mut self, buffer: &mut [u8]) {
        if let Some(start) = self.block.take() {
            // A block is at most MAX_BLKSIZE bytes, so its length fits.
            let length = (buffer.len() - start) as u32;
            buffer[start..start + WORD].copy_from_slice(&encode_bdw(length));
        }
    }

    /// How many bytes of the buffer are complete.
    pub fn complete(&self, buffer: &[u8]) -> usize {
        self.block.unwrap_or(buffer.len())
    }

    /// The first `count` bytes, complete ones, have left the buffer.
    pub fn drained(&mut self, count: usize) {
        self.block = self.block.map(|start| start - count);
    }

    fn put_segments(&mut self, buffer: &mut Vec<u8>, record: &[u8]) {
        let mut rest = record;
        loop {
            // A segment of at least one byte, or the empty record.
            self.make_room(buffer, WORD + rest.len().min(1));
            let (now, later) = rest.split_at(rest.len().min(self.room(buffer) - WORD));
            let position = match (rest.len() == record.len(), later.is_empty()) {
                (true, true) => SegmentPosition::Whole,
                (true, false) => SegmentPosition::First,
                (false, false) => SegmentPosition::Middle,
                (false, true) => SegmentPosition::Last,
            };
            append(buffer, position, now);
            rest = later;
            if rest.is_empty() {
                return;
            }
        }
    }

    /// Sees to an open block with room for `bytes`. A record longer than a block of system-determined size gets a
    /// longer block of its own.
    fn make_room(&mut self, buffer: &mut Vec<u8>, bytes: usize) {
        if !self.bdw {
            return;
        }
        if self.block.is_some() && (!self.blocked || self.room(buffer) < bytes) {
            self.close(buffer);
        }
        if self.block.is_none() {
            self.block = Some(buffer.len());
            buffer.extend_from_slice(&[0; WORD]);
        }
    }

    /// Bytes a segment with its SDW may take: what the open block has left, within what an SDW can tell.
    fn room(&self, buffer: &[u8]) -> usize {
        let used = self.block.map_or(WORD, |start| buffer.len() - start);
        self.blksize.saturating_sub(used).min(MAX_LRECL as usize)
    }
}

fn append(buffer: &mut Vec<u8>, position: SegmentPosition, data: &[u8]) {
    // At most MAX_LRECL: the writer refuses longer records, and `room` bounds segments.
    let length = (WORD + data.len()) as u32;
    buffer.extend_from_slice(&Segment { length, position }.encode());
    buffer.extend_from_slice(data);
}
