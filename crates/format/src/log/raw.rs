//! Records of one data set, looked for among those of all, without being read as a whole.

use super::append::append_unit;
use super::layout::{at, kind, RECORD};
use super::recoverable::{append_recoverable, Recoverable};
use crate::bytes::{le32, le64, need};
use crate::error::FormatError;

/// A record of a log that is looked at from outside.
#[derive(Debug, Clone, Copy)]
pub enum Raw<'a> {
    /// A change of the records of a data set, with the length in front.
    Change {
        /// Data set number.
        number: u32,
        /// All of it.
        bytes: &'a [u8],
    },
    /// Requests of several data sets.
    Unit {
        /// Its records.
        parts: &'a [u8],
    },
    /// A change in a unit of recovery.
    Recoverable {
        /// The unit.
        unit: u64,
        /// The change's number in its unit.
        sequence: u32,
        /// What was done.
        redo: &'a [u8],
    },
    /// A change in a unit of recovery was taken back.
    TakenBack {
        /// The unit.
        unit: u64,
        /// The number of the change that is not there any more.
        sequence: u32,
        /// What was done for it.
        redo: &'a [u8],
    },
    /// A change that is carried from an epoch before.
    Carried {
        /// The unit.
        unit: u64,
        /// What takes it back.
        undo: &'a [u8],
    },
    /// The end of a unit of recovery.
    End {
        /// The unit.
        unit: u64,
        /// All of it, with the length in front.
        bytes: &'a [u8],
    },
    /// Anything else.
    Other,
}

pub(super) fn raw(mut rest: &[u8]) -> impl Iterator<Item = Result<Raw<'_>, FormatError>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let taken = Raw::take(&mut rest);
        if taken.is_err() {
            rest = &[];
        }
        Some(taken)
    })
}

impl<'a> Raw<'a> {
    fn take(rest: &mut &'a [u8]) -> Result<Raw<'a>, FormatError> {
        need(RECORD, rest, 4)?;
        let len = le32(rest, 0) as usize;
        need(RECORD, &rest[4..], len)?;
        let (whole, after) = rest.split_at(4 + len);
        *rest = after;
        let bytes = &whole[4..];
        need(RECORD, bytes, at::RECORD_BODY)?;
        Ok(match bytes[at::RECORD_KIND] {
            kind::INSERT | kind::UPDATE | kind::ERASE | kind::INSERT_RUN | kind::UPDATE_RUN => Raw::Change {
                number: le32(bytes, at::RECORD_NUMBER),
                bytes: whole,
            },
            kind::UNIT => Raw::Unit {
                parts: &bytes[at::RECORD_BODY..],
            },
            kind::RECOVERABLE | kind::RECOVERABLE_ALIKE => {
                let change = Recoverable::decode(bytes)?;
                Raw::Recoverable {
                    unit: change.unit,
                    sequence: change.sequence,
                    redo: change.redo,
                }
            }
            kind::TAKEN_BACK => {
                need(RECORD, bytes, at::TAKEN_BACK_REDO)?;
                Raw::TakenBack {
                    unit: le64(bytes, at::UNIT),
                    sequence: le32(bytes, at::SEQUENCE),
                    redo: &bytes[at::TAKEN_BACK_REDO..],
                }
            }
            kind::CARRIED => {
                need(RECORD, bytes, at::CARRIED_UNDO)?;
                Raw::Carried {
                    unit: le64(bytes, at::UNIT),
                    undo: &bytes[at::CARRIED_UNDO..],
                }
            }
            kind::UNIT_END => {
                need(RECORD, bytes, at::UNIT_END)?;
                Raw::End {
                    unit: le64(bytes, at::UNIT),
                    bytes: whole,
                }
            }
            _ => Raw::Other,
        })
    }

    /// The unit, if this is one of its changes of data set `number` that is carried on.
    pub fn carries(&self, number: u32) -> Option<u64> {
        match *self {
            Raw::Carried { unit, undo } => raw(undo)
                .flatten()
                .any(|part| matches!(part, Raw::Change { number: of, .. } if of == number))
                .then_some(unit),
            _ => None,
        }
    }

    /// Appends what it has of data set `number`, as records of a log; false: nothing. That a change was taken back becomes a
    /// further change of its unit: both count if the unit commits, as one that was given up does, or neither.
    pub fn append_for(&self, number: u32, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        match *self {
            Raw::Change { number: of, bytes } if of == number => out.extend_from_slice(bytes),
            Raw::Unit { parts } => {
                let mut own = Vec::new();
                append_parts_for(parts, number, &mut own);
                if !own.is_empty() {
                    append_unit(out, &own);
                }
            }
            Raw::Recoverable { unit, sequence, redo } | Raw::TakenBack { unit, sequence, redo } => {
                let mut own = Vec::new();
                append_parts_for(redo, number, &mut own);
                if !own.is_empty() {
                    append_recoverable(out, unit, sequence, &own, &[]);
                }
            }
            Raw::End { bytes, .. } => out.extend_from_slice(bytes),
            _ => {}
        }
        out.len() > before
    }
}

fn append_parts_for(parts: &[u8], number: u32, out: &mut Vec<u8>) {
    for part in raw(parts).flatten() {
        if let Raw::Change { number: of, bytes } = part {
            if of == number {
                out.extend_from_slice(bytes);
            }
        }
    }
}
