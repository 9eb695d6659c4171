//! Taking the changes of a unit back, newest first, by requests that are logged as such.

use super::{UnitChange, UnitState};
use crate::common::context::{Context, InUnit};
use crate::error::RequestError;
use crate::far::Unanswered;
use crate::log::owned_parts;
use crate::open::{Handle, OpenDataSet};
use crate::sphere::take_back;
use crate::sync::atomic::Ordering::*;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

impl UnitState {
    /// Takes back what can be; the handles to be closed, if the unit has ended, and why it has not.
    pub(super) fn back_out(&self) -> (Vec<Handle>, Result<(), RequestError>) {
        self.backouts.fetch_add(1, AcqRel);
        self.covers_nothing.store(true, Release);
        let mut stuck: Vec<(usize, RequestError)> = Vec::new();
        let mut left: Vec<UnitChange> = Vec::new();
        loop {
            let (change, inner) = {
                let mut work = self.work.lock();
                let Some(change) = work.changes.pop() else { break };
                let inner = work.sets[change.set].inner().clone();
                (change, inner)
            };
            // What came before in the same data set may be of the same record: it waits for this.
            let waits = stuck.iter().any(|(set, _)| *set == change.set);
            let done = if waits {
                Ok(false)
            } else {
                self.take_back(&inner, &change).map(|()| true)
            };
            match done {
                Ok(true) => {}
                Ok(false) => left.push(change),
                Err(error) => {
                    stuck.push((change.set, error));
                    left.push(change);
                }
            }
        }
        left.reverse();
        self.settle(left, stuck)
    }

    fn settle(
        &self,
        mut left: Vec<UnitChange>,
        stuck: Vec<(usize, RequestError)>,
    ) -> (Vec<Handle>, Result<(), RequestError>) {
        let (id, left_behind, maybe_over) = {
            let mut work = self.work.lock();
            let fenced = |change: &UnitChange| work.sets[change.set].inner().check_fences().is_err();
            let before = left.len();
            // The log of a fenced data set has its part, for the next open.
            left.retain(|change| !fenced(change));
            work.left_behind |= left.len() < before;
            work.changes = left;
            work.going_back = !work.changes.is_empty();
            if work.going_back {
                let error = stuck.into_iter().next().map(|(_, error)| error);
                return (Vec::new(), error.map_or(Ok(()), Err));
            }
            (work.id, work.left_behind, work.maybe_over)
        };
        let mut error = stuck.into_iter().next().map(|(_, error)| error);
        if left_behind && maybe_over {
            // What was left behind goes back unless the log has the end.
            error = Some(Unanswered::Commit.refusal_near(error.as_ref()));
        }
        if id != 0 {
            if left_behind {
                self.shared.log.forget_unit(id)
            } else {
                self.shared.log.append_unit_end(id, true);
            }
            // U1: a tree that has what was taken back must not be committed before the log says that it was.
            if let Err(failed) = self.flush() {
                error.get_or_insert(failed);
            }
        }
        (self.end(), error.map_or(Ok(()), Err))
    }

    fn take_back(&self, inner: &Arc<OpenDataSet>, change: &UnitChange) -> Result<(), RequestError> {
        let requests = owned_parts(&change.undo[..change.own]).map_err(|error| RequestError::Physical {
            reason: 4,
            what: format!("the unit's own record of a change: {error}"),
        })?;
        let in_unit = InUnit {
            unit: self,
            set: change.set,
            old: &[],
            takes_back: Some(change.sequence),
            covered: Cell::new(false),
            logged: Cell::new(false),
            kept: RefCell::default(),
        };
        for request in &requests {
            // What fails behind the change itself, like giving an empty control area back, does not undo it.
            take_back(inner, request, Context::Unit(&in_unit)).or_else(|error| {
                if in_unit.logged.get() {
                    Ok(())
                } else {
                    Err(error)
                }
            })?;
        }
        inner.after_change()
    }
}
