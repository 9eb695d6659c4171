//! The owner, which all its threads share: the data sets, the clients, and whether it goes on.

use crate::areas::Areas;
use crate::guest::{session_number, Guest, Peer};
use crate::intervals::Intervals;
use crate::open_set::Busy;
use crate::opened::{FileOf, Shared};
use crate::shunted::Shunted;
use crate::tally::Tally;
use cica_session::{Session, Sharing};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an owner that ends waits for clients to take the answers to their commits.
pub(crate) const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// See the module.
pub struct Owner {
    pub(crate) shared: Shared,
    guests: Mutex<BTreeMap<u64, Arc<Guest>>>,
    last: AtomicU64,
    pub(crate) begun: Instant,
    /// Of all clients.
    pub(crate) tally: Tally,
    /// Memory that clients see.
    pub(crate) areas: Arc<Areas>,
    /// What SMF was told of them.
    pub(crate) intervals: Intervals,
    /// Of clients that have ended.
    pub(crate) shunted: Shunted,
    /// Who commits or prepares a unit, and was not answered yet (`answer:T4`).
    pub(crate) unanswered: Busy,
    draining: AtomicBool,
    stopping: AtomicBool,
    leaving: AtomicBool,
}

impl Owner {
    /// Of a session's catalog; see [`FileOf`] for files that are no real ones.
    pub fn new(mut session: Session, files: Option<FileOf>) -> Owner {
        // Its own opens are not sent to itself.
        session.sharing = Sharing::Owner;
        // All its clients wait while the next owner recovers what it had open.
        session.engine.start_log_over_soon();
        Owner {
            shared: Shared::new(session, files),
            guests: Mutex::default(),
            last: AtomicU64::new(0),
            begun: Instant::now(),
            tally: Tally::default(),
            areas: Arc::default(),
            intervals: Intervals::default(),
            shunted: Shunted::default(),
            unanswered: Busy::default(),
            draining: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            leaving: AtomicBool::new(false),
        }
    }

    /// All clients.
    pub(crate) fn guests(&self) -> Vec<Arc<Guest>> {
        self.guests.lock().values().cloned().collect()
    }

    /// Is it to end, now that there are clients, or none?
    pub fn ends(&self) -> bool {
        let left = self.draining.load(Acquire) && self.guests.lock().values().all(|guest| guest.is_late);
        left || self.stopping.load(Acquire)
    }

    /// A client that comes for the first time.
    pub(crate) fn enter(&self, peer: &mut Peer, program: &str) -> Result<Arc<Guest>, String> {
        // Who asks how far it is, or ends it at once, has to come in.
        let is_late = self.draining.load(Acquire);
        let last = self.last.fetch_add(1, AcqRel) + 1;
        let number = session_number(peer, last);
        let guest = Arc::new(Guest::new(number, peer, program, is_late));
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

    /// Lets nobody new in.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Acquire)
    }

    /// Are the clients' connections being ended?
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Acquire)
    }

    /// Ends what all clients have. Nothing more is read first, and who commits is answered. Then all connections end:
    /// no thread waits for what a client does not do, and no client's end for such a thread.
    pub fn dismiss(&self) {
        // Whoever is at work then has not seen it, and is waited for; all others do.
        self.leaving.store(true, Release);
        let guests = self.guests();
        guests.iter().for_each(|guest| guest.hang_up(Shutdown::Read));
        let until = Instant::now() + LAST_ANSWERS;
        while guests.iter().any(|guest| guest.is_read()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
            // Connections that came meanwhile.
            guests.iter().for_each(|guest| guest.hang_up(Shutdown::Read));
        }
        self.unanswered
            .wait_for(until.saturating_duration_since(Instant::now()));
        guests.iter().for_each(|guest| guest.hang_up(Shutdown::Both));
        guests.iter().for_each(|guest| self.end(guest));
        self.shared.busy.wait();
        self.tell_smf(true);
    }

    /// Has SMF records written of what was asked for, if it is time, or at once.
    pub(crate) fn tell_smf(&self, at_once: bool) {
        self.intervals.tell(&self.shared, &self.tally, at_once);
    }
}
