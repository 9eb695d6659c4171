//! What SORT and MERGE read with USING. libcob reads the file itself: whatever status a READ has is the end of the file
//! to it, and what was read so far is sorted, as if it were all. `sorting.rs` tells when that is so.

use crate::status::{Outcome, Set};
use std::cell::Cell;

thread_local! {
    /// What the file came to that SORT reads just now; none: it reads none.
    static INPUT: Cell<Option<Outcome>> = const { Cell::new(None) };
}

/// Does SORT read a file just now?
pub fn is_reading() -> bool {
    INPUT.get().is_some()
}

/// An OPEN or a READ came to this.
pub fn note(outcome: Outcome) {
    let ends_early = || outcome != Outcome::End && outcome.status(Set::of_process()) >= 10;
    if INPUT.get() == Some(Outcome::Done) && ends_early() {
        INPUT.set(Some(outcome));
    }
}

/// Reads a file for SORT. What came in the way, if it was not read to its end.
pub fn reading(read: impl FnOnce()) -> Option<Outcome> {
    let before = INPUT.replace(Some(Outcome::Done));
    read();
    INPUT.replace(before).filter(|outcome| *outcome != Outcome::Done)
}
