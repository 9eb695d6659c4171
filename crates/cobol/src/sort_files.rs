//! What SORT and MERGE read with USING, and write with GIVING. libcob does both itself, and looks at no status: what it
//! could read is sorted, as if it were all, and what it could not write is gone. `sorting.rs` tells when that is so.

use crate::libcob::layout::File;
use crate::status::{Outcome, Set};
use std::cell::Cell;

/// What SORT does with files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phrase {
    /// It reads one.
    Using,
    /// It writes some.
    Giving,
}

thread_local! {
    /// What SORT does just now, and which file came to what first; none: nothing.
    static UNDER_WAY: Cell<Option<(Phrase, Option<Failed>)>> = const { Cell::new(None) };
}

/// A file that was not read to its end, or not written.
#[derive(Clone, Copy)]
pub struct Failed {
    /// Which.
    pub file: *const File,
    /// What its request came to.
    pub outcome: Outcome,
}

/// Does SORT read a file just now?
pub fn is_reading() -> bool {
    matches!(UNDER_WAY.get(), Some((Phrase::Using, _)))
}

/// A request of a file came to this.
pub fn note(file: *const File, outcome: Outcome) {
    let Some((phrase, None)) = UNDER_WAY.get() else { return };
    if outcome != Outcome::End && !outcome.status(Set::of_process()).is_done() {
        UNDER_WAY.set(Some((phrase, Some(Failed { file, outcome }))));
    }
}

/// Does what SORT does with files; what came in its way.
pub fn during(phrase: Phrase, act: impl FnOnce()) -> Option<Failed> {
    let before = UNDER_WAY.replace(Some((phrase, None)));
    act();
    UNDER_WAY.replace(before)?.1
}
