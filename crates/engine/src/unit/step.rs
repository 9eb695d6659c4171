//! One change of a unit of recovery: what the log and the unit are told of it (U4).

use super::{Change, State};
use crate::common::by::Done;
use crate::common::Common;
use crate::error::RequestError;
use crate::log::Log;
use cica_format::log;
use std::cell::Cell;

/// See the module.
pub struct Step<'u> {
    pub(super) unit: &'u State,
    /// The data set's place among those of the unit.
    pub(super) set: usize,
    /// The record before; empty for an insert.
    pub(super) old: &'u [u8],
    /// The change that this one takes back.
    pub(super) takes_back: Option<u32>,
    pub(super) logged: Cell<bool>,
}

impl Step<'_> {
    /// Logs a change of one data set.
    pub fn log(&self, common: &Common, done: Done<'_>) {
        let Some(number) = common.log_number() else { return };
        let (mut redo, mut undo) = (Vec::new(), Vec::new());
        done.append(number, &mut redo);
        if self.takes_back.is_none() {
            done.taken_back(common, self.old).append(number, &mut undo);
        }
        self.log_parts(common.log_of(), &[number], &redo, &undo, undo.len());
    }

    /// Logs a change of several data sets, whose numbers are given; the first `own` bytes of `undo` are of the data set
    /// that was changed, the rest of what changed with it.
    pub fn log_parts(&self, log: &Log, numbers: &[u32], redo: &[u8], undo: &[u8], own: usize) -> u64 {
        let mut work = self.unit.work.lock();
        if work.id == 0 {
            work.id = log.new_unit();
        }
        let id = work.id;
        let lsn = match self.takes_back {
            Some(sequence) => log.append_unit(numbers, |buf| log::append_taken_back(buf, id, sequence, redo)),
            None => {
                let sequence = work.sequence;
                work.sequence += 1;
                let lsn = log.append_unit(numbers, |buf| log::append_recoverable(buf, id, sequence, redo, undo));
                work.changes.push(Change {
                    set: self.set,
                    sequence,
                    undo: undo[..own].into(),
                });
                lsn
            }
        };
        self.logged.set(true);
        lsn
    }

    /// Keeps one more record until the unit ends.
    ///
    /// # Errors
    /// 8/20.
    pub fn keep(&self, common: &Common, key: &[u8]) -> Result<bool, RequestError> {
        common.holds.keep(key, self.unit.owner)
    }
}
