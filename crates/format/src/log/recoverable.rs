//! A change in a unit of recovery: what was done, and what takes it back. An update seldom changes all of a record, so
//! the two are alike: what takes it back is written as far as it differs.

use super::append::append_record;
use super::layout::{at, kind, RECORD};
use crate::bytes::{le32, le64, need};
use crate::error::FormatError;
use std::borrow::Cow;

/// What takes a change back begins with its length, which is written always: records of other lengths are alike behind
/// it.
const OWN: usize = at::UNDO_OWN;
/// So many bytes must be alike: fewer are not worth the two lengths.
const WORTH: usize = 16;

/// Appends a change in a unit of recovery; `redo` and `undo` are what the functions of `append.rs` appended to empty
/// buffers.
pub fn append_recoverable(buf: &mut Vec<u8>, unit: u64, sequence: u32, redo: &[u8], undo: &[u8]) {
    let (id, number, len) = (
        unit.to_le_bytes(),
        sequence.to_le_bytes(),
        (redo.len() as u32).to_le_bytes(),
    );
    let (head, tail) = alike(redo, undo);
    if head + tail < WORTH {
        return append_record(buf, kind::RECOVERABLE, 0, &[&id, &number, &len, redo, undo]);
    }
    let alike = [(head as u32).to_le_bytes(), (tail as u32).to_le_bytes()];
    let (own, between) = (&undo[..OWN], &undo[OWN + head..undo.len() - tail]);
    let fields: [&[u8]; 8] = [&id, &number, &len, &alike[0], &alike[1], redo, own, between];
    append_record(buf, kind::RECOVERABLE_ALIKE, 0, &fields);
}

/// How many bytes both have behind their lengths, and how many of those that are left both end in.
fn alike(redo: &[u8], undo: &[u8]) -> (usize, usize) {
    let (Some(redo), Some(undo)) = (redo.get(OWN..), undo.get(OWN..)) else {
        return (0, 0);
    };
    let head = equal_in_front(redo, undo);
    (head, equal_at_end(&redo[head..], &undo[head..]))
}

/// How many bytes both begin with.
fn equal_in_front(one: &[u8], other: &[u8]) -> usize {
    let mut whole = 0;
    for (word, other) in one.chunks_exact(8).zip(other.chunks_exact(8)) {
        let differs = le64(word, 0) ^ le64(other, 0);
        if differs != 0 {
            return whole + differs.trailing_zeros() as usize / 8;
        }
        whole += 8;
    }
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

/// How many bytes both end in.
fn equal_at_end(one: &[u8], other: &[u8]) -> usize {
    let mut whole = 0;
    for (word, other) in one.rchunks_exact(8).zip(other.rchunks_exact(8)) {
        let differs = le64(word, 0) ^ le64(other, 0);
        if differs != 0 {
            return whole + differs.leading_zeros() as usize / 8;
        }
        whole += 8;
    }
    let rest = one[..one.len() - whole].iter().rev();
    let rest = rest.zip(other[..other.len() - whole].iter().rev());
    whole + rest.take_while(|(one, other)| one == other).count()
}

/// Where the parts of a recoverable record stand.
pub(super) struct Recoverable<'a> {
    pub unit: u64,
    pub sequence: u32,
    pub redo: &'a [u8],
    /// Bytes of `redo` that `undo` has as well: behind its length, and at its end.
    alike: (usize, usize),
    undo: &'a [u8],
}

impl<'a> Recoverable<'a> {
    /// Reads a record of either kind; `bytes` are those that its length prefix counts.
    pub fn decode(bytes: &'a [u8]) -> Result<Recoverable<'a>, FormatError> {
        let (alike, from) = match bytes[at::RECORD_KIND] {
            kind::RECOVERABLE => ((0, 0), at::REDO),
            _ => {
                need(RECORD, bytes, at::REDO_ALIKE)?;
                let of = |place| le32(bytes, place) as usize;
                ((of(at::ALIKE_HEAD), of(at::ALIKE_TAIL)), at::REDO_ALIKE)
            }
        };
        need(RECORD, bytes, from)?;
        let end = from + le32(bytes, at::REDO_LEN) as usize;
        need(RECORD, bytes, end)?;
        let (redo, undo) = (&bytes[from..end], &bytes[end..]);
        if alike != (0, 0) {
            // Head and tail of what was done never share a byte.
            need(RECORD, redo, OWN + alike.0 + alike.1)?;
            need(RECORD, undo, OWN)?;
        }
        Ok(Recoverable {
            unit: le64(bytes, at::UNIT),
            sequence: le32(bytes, at::SEQUENCE),
            redo,
            alike,
            undo,
        })
    }

    /// What takes it back, whole.
    pub fn undo(&self) -> Cow<'a, [u8]> {
        let (head, tail) = self.alike;
        if (head, tail) == (0, 0) {
            return self.undo.into();
        }
        let (own, between) = self.undo.split_at(OWN);
        let (redo, end) = (self.redo, self.redo.len());
        [own, &redo[OWN..OWN + head], between, &redo[end - tail..]]
            .concat()
            .into()
    }
}
