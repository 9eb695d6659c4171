//! The owner, which all its threads share: the data sets, the clients, and whether it goes on.

use crate::areas::Areas;
use crate::guest::{Guest, Peer};
use crate::intervals::Intervals;
use crate::opened::{FileOf, Shared};
use crate::shunted::Shunted;
use crate::tally::Tally;
use cica_engine::{LockLine, LockMode};
use cica_session::{Session, Sharing};
use cica_share::words::{Locked, Status};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::Arc;
use std::time::Instant;

/// See the module.
pub struct Owner {
    pub(crate) shared: Shared,
    guests: Mutex<BTreeMap<u64, Arc<Guest>>>,
    last: AtomicU64,
    begun: Instant,
    /// Of all clients.
    pub(crate) tally: Tally,
    /// Memory that clients see.
    pub(crate) areas: Arc<Areas>,
    /// What SMF was told of them.
    pub(crate) intervals: Intervals,
    /// Of clients that have ended.
    pub(crate) shunted: Shunted,
    draining: AtomicBool,
    stopping: AtomicBool,
}

impl Owner {
    /// Of a session's catalog; see [`FileOf`] for files that are no real ones.
    pub fn new(mut session: Session, files: Option<FileOf>) -> Owner {
        // Its own opens are not sent to itself.
        session.sharing = Sharing::Owner;
        Owner {
            shared: Shared::new(session, files),
            guests: Mutex::default(),
            last: AtomicU64::new(0),
            begun: Instant::now(),
            tally: Tally::default(),
            areas: Arc::default(),
            intervals: Intervals::default(),
            shunted: Shunted::default(),
            draining: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
        }
    }

    /// All clients.
    pub(crate) fn guests(&self) -> Vec<Arc<Guest>> {
        self.guests.lock().values().cloned().collect()
    }

    /// Is it to end, now that there are clients, or none?
    pub fn ends(&self) -> bool {
        let left = self.draining.load(Acquire) && self.guests.lock().is_empty();
        left || self.stopping.load(Acquire)
    }

    /// A client that comes for the first time.
    pub(crate) fn enter(&self, peer: &mut Peer, program: &str) -> Result<Arc<Guest>, String> {
        if self.draining.load(Acquire) {
            return Err("the server is being drained and takes no new client".into());
        }
        let number = self.last.fetch_add(1, AcqRel) + 1;
        let guest = Arc::new(Guest::new(number, peer, program));
        self.guests.lock().insert(number, guest.clone());
        Ok(guest)
    }

    /// A client that is here already.
    pub(crate) fn guest(&self, number: u64) -> Option<Arc<Guest>> {
        self.guests.lock().get(&number).cloned()
    }

    /// O1.
    pub(crate) fn end(&self, guest: &Guest) {
        guest.end(&self.shared, &self.shunted);
        self.guests.lock().remove(&guest.number);
    }

    /// Nobody new comes in; or it ends at once.
    pub fn stop(&self, drain: bool) {
        let what = if drain { &self.draining } else { &self.stopping };
        what.store(true, Release);
    }

    /// Ends what all clients have.
    pub fn dismiss(&self) {
        for guest in self.guests() {
            guest.hang_up();
            self.end(&guest);
        }
        self.tell_smf(true);
    }

    /// Has SMF records written of what was asked for, if it is time, or at once.
    pub(crate) fn tell_smf(&self, at_once: bool) {
        self.intervals.tell(&self.shared, &self.tally, at_once);
    }

    /// What it has and does.
    pub fn status(&self) -> Status {
        let (bound, charged) = self.shared.session.engine.pool_use();
        let lines = self.shared.session.engine.lock_lines();
        let locked = |line: LockLine| Locked {
            data_set: line.data_set.unwrap_or_default(),
            key: line.key,
            alone: line.mode == LockMode::Exclusive,
            retained: line.retained,
            holders: line.holders,
            waiters: (line.waiters.into_iter())
                .map(|(who, since)| (who, since.as_millis() as u64))
                .collect(),
        };
        Status {
            process: std::process::id(),
            version: cica_share::words::VERSION,
            seconds: self.begun.elapsed().as_secs(),
            draining: self.draining.load(Acquire),
            pool: (bound as u64, charged as u64),
            clients: self.guests().iter().map(|guest| guest.info()).collect(),
            locks: lines.into_iter().map(locked).collect(),
            shunted: self.shunted.info(),
            data_sets: self.shared.used(),
            sums: self.tally.sums(),
        }
    }
}
