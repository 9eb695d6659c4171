//! What an OPEN may not touch although the catalog has it: a generation (+1) that another run made, and what DISP=NEW
//! says is not there yet.
//!
//! 1. What this run has made it may open again, whatever DISP says, as a step of a job may.

use crate::generation::note_grown;
use crate::libcob::layout::open;
use crate::name::{Assigned, Disposition};
use crate::opening::Request;
use cica_catalog::Name;
use cica_session::Session;
use parking_lot::Mutex;
use std::collections::BTreeSet;

/// What this run has made, and has not deleted.
static MADE: Mutex<BTreeSet<Name>> = Mutex::new(BTreeSet::new());

/// A data set was made; it may be a generation.
pub fn made(name: &Name) {
    MADE.lock().insert(name.clone());
    note_grown(name);
}

/// It is gone: who makes it next may be another run.
pub fn unmade(name: &Name) {
    MADE.lock().remove(name);
}

/// Why a generation that is yet to come for this run may be neither written nor deleted.
pub const OF_ANOTHER_RUN: &str =
    "another run has made it meanwhile, and it stays as it is; run the program again for one of its own";

/// Is it there, and yet to come for this run?
pub fn is_of_another_run(session: &Session, assigned: &Assigned, name: &Name) -> bool {
    assigned.generation.is_some_and(|relative| relative > 0) && is_there_already(session, name)
}

impl Request<'_> {
    /// Why this OPEN may not have a data set that is in the catalog under this name.
    pub(crate) fn withheld(&self, session: &Session, assigned: &Assigned, name: &Name) -> Option<&'static str> {
        if self.mode != open::INPUT && is_of_another_run(session, assigned, name) {
            return Some(OF_ANOTHER_RUN);
        }
        let is_new = assigned.disposition == Disposition::New;
        (is_new && is_there_already(session, name)).then_some("DISP=NEW, and it is there")
    }
}

/// Is it in the catalog, and not from this run (1)?
fn is_there_already(session: &Session, name: &Name) -> bool {
    !MADE.lock().contains(name) && is_known(session, name)
}

fn is_known(session: &Session, name: &Name) -> bool {
    let catalog = session.catalog.home(name);
    let contents = catalog.and_then(|catalog| catalog.contents());
    // One that cannot be read now may be a moment later, and then the data set would be written over.
    !contents.is_ok_and(|contents| contents.find(name).is_none())
}
