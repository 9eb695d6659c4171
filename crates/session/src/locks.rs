//! Record locks: which open of this process has locked which record of which data set.
//!
//! The engine knows holds of strings and of units of recovery; a lock of a language (COBOL's READ WITH LOCK) outlives
//! both, and belongs to one open of a file. A record is named by its prime key, its number or its address, so a lock is
//! the same through whatever path the record was read.
//!
//! | state of a record | by | to |
//! |---|---|---|
//! | free | `lock` | locked by the opener |
//! | locked | `lock`, `check` of the same opener | as it was |
//! | locked | `lock`, `check` of another | refused, with the thread that has it |
//! | locked | `unlock`, `unlock_all`, the opener's end | free; who waits looks again |
//!
//! * L1. An opener that has a data set for itself is alone with it.
//! * L2. Nobody waits for a thread that waits for him, or longer than [`LONGEST_WAIT`].

use cica_catalog::Name;
use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

/// How long a request waits for a lock at most.
pub const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The locks of a process.
#[derive(Default)]
pub struct RecordLocks {
    data_sets: Mutex<HashMap<Name, Arc<DataSetLocks>>>,
    waiting: Mutex<Waiting>,
    freed: Condvar,
}

/// Who waits for whom.
#[derive(Default)]
struct Waiting {
    threads: HashMap<ThreadId, ThreadId>,
    /// How often locks became free.
    frees: u64,
}

#[derive(Default)]
struct DataSetLocks {
    state: Mutex<State>,
    /// Records that are locked; what a request looks at before all else.
    count: AtomicUsize,
}

#[derive(Default)]
struct State {
    locked: HashMap<Vec<u8>, (u64, ThreadId)>,
    /// Openers, and which of them wants to be alone.
    openers: Vec<(u64, bool)>,
    last: u64,
}

/// One open of a data set; its locks go with it.
pub struct Opener {
    locks: Arc<RecordLocks>,
    of: Arc<DataSetLocks>,
    number: u64,
    held: Vec<Vec<u8>>,
}

/// Another opener has the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The thread that locked it.
    pub by: ThreadId,
}

impl RecordLocks {
    /// Enters an open; none if it cannot be (L1).
    pub fn enter(self: &Arc<Self>, name: &Name, alone: bool) -> Option<Opener> {
        let mut data_sets = self.data_sets.lock();
        let of = data_sets.entry(name.clone()).or_default().clone();
        let mut state = of.state.lock();
        let refused = if alone {
            !state.openers.is_empty()
        } else {
            state.openers.iter().any(|(_, alone)| *alone)
        };
        if refused {
            return None;
        }
        state.last += 1;
        let number = state.last;
        state.openers.push((number, alone));
        drop(state);
        Some(Opener {
            locks: self.clone(),
            of,
            number,
            held: Vec::new(),
        })
    }

    /// How often locks became free until now; asked for before a request that may have to wait.
    pub fn frees(&self) -> u64 {
        self.waiting.lock().frees
    }

    /// Waits until locks became free after `seen`. False: `holder` waits for this thread, or it took too long (L2).
    pub fn wait(&self, seen: u64, holder: ThreadId) -> bool {
        let me = std::thread::current().id();
        let mut waiting = self.waiting.lock();
        let mut at = Some(holder);
        while let Some(thread) = at {
            if thread == me {
                return false;
            }
            at = waiting.threads.get(&thread).copied();
        }
        waiting.threads.insert(me, holder);
        while waiting.frees == seen {
            // Who is woken finds that locks became free: it is waited once.
            if self.freed.wait_for(&mut waiting, LONGEST_WAIT).timed_out() {
                break;
            }
        }
        waiting.threads.remove(&me);
        waiting.frees != seen
    }

    fn tell_free(&self) {
        self.waiting.lock().frees += 1;
        self.freed.notify_all();
    }
}

impl Opener {
    /// Is any record of the data set locked?
    #[inline]
    pub fn any(&self) -> bool {
        self.of.count.load(Acquire) > 0
    }

    /// Has nobody else of this process the data set open?
    pub fn is_only(&self) -> bool {
        self.of.state.lock().openers.len() == 1
    }

    /// Has this opener locked a record?
    #[inline]
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Locks a record.
    ///
    /// # Errors
    /// Another opener has it.
    pub fn lock(&mut self, record: &[u8]) -> Result<(), Held> {
        let mut state = self.of.state.lock();
        match state.locked.get(record) {
            Some((number, _)) if *number == self.number => return Ok(()),
            Some((_, by)) => return Err(Held { by: *by }),
            None => {}
        }
        let thread = std::thread::current().id();
        state.locked.insert(record.to_vec(), (self.number, thread));
        self.of.count.store(state.locked.len(), Release);
        self.held.push(record.to_vec());
        Ok(())
    }

    /// Says whether another opener has locked a record.
    ///
    /// # Errors
    /// It has.
    pub fn check(&self, record: &[u8]) -> Result<(), Held> {
        if !self.any() {
            return Ok(());
        }
        match self.of.state.lock().locked.get(record) {
            Some((number, by)) if *number != self.number => Err(Held { by: *by }),
            _ => Ok(()),
        }
    }

    /// Gives one lock back, if it has it.
    pub fn unlock(&mut self, record: &[u8]) {
        if let Some(place) = self.held.iter().position(|held| held == record) {
            let record = self.held.swap_remove(place);
            self.give_back(&[record]);
        }
    }

    /// Gives all its locks back.
    pub fn unlock_all(&mut self) {
        if self.holds() {
            let held = std::mem::take(&mut self.held);
            self.give_back(&held);
        }
    }

    fn give_back(&self, records: &[Vec<u8>]) {
        let mut state = self.of.state.lock();
        for record in records {
            state.locked.remove(record);
        }
        self.of.count.store(state.locked.len(), Release);
        drop(state);
        self.locks.tell_free();
    }
}

impl Drop for Opener {
    fn drop(&mut self) {
        self.unlock_all();
        self.of
            .state
            .lock()
            .openers
            .retain(|(number, _)| *number != self.number);
    }
}
