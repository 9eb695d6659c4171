//! Waiting for a name: in the order of arrival, for as long as the owner has patience, and never in a circle.

use super::counts::Count;
use super::lock::{Holder, Lock};
use super::table::parts;
use super::waiter::{Reason, Waiter};
use super::{Locks, Patience};
use crate::error::RequestError;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// How long a look may take at most: as long as its thread gets no processor.
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// Whether a request that meets another's name is counted as one that did.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    /// When it does.
    Now,
    /// It was.
    Counted,
}

/// What became of one who wants a name.
enum Queued {
    /// He has it; whether he had not before.
    Granted(bool),
    /// He stands in the queue.
    Waits(Arc<Waiter>),
}

impl Locks {
    /// Waits until the name is the owner's for `reason`. The caller keeps no latch, gate or mutex (L3). False: it was so
    /// before; who has waited is told the other. A request that was refused the name is in `met` already: it is not
    /// counted as met a second time.
    ///
    /// # Errors
    /// 8/20 without patience, 8/21 deadlock, 8/22 timeout, 8/24 retained.
    pub(super) fn wait(
        &self,
        name: &[u8],
        owner: u64,
        reason: Reason,
        patience: Patience,
        met: Met,
    ) -> Result<bool, RequestError> {
        let longest = match patience {
            Patience::None => return self.take_name(name, owner, reason),
            Patience::Until(longest) => Some(longest),
            Patience::Forever => None,
        };
        let waiter = match self.queue(name, owner, reason, met)? {
            Queued::Granted(is_new) => return Ok(is_new),
            Queued::Waits(waiter) => waiter,
        };
        self.count(Count::Waits);
        waiter.wait(longest);
        self.leave(name, &waiter).map(|()| true).map_err(|by| {
            self.count(Count::Timeouts);
            self.places.keep(name, &waiter, self.clock.passed());
            let (_, key) = parts(name);
            RequestError::LockTimeout { key: key.to_vec(), by }
        })
    }

    /// Waits for those who only look (L7): also below a latch, for they need none. Refused as without patience, if that
    /// does not end.
    #[cold]
    pub(super) fn wait_for_looks(
        &self,
        name: &[u8],
        owner: u64,
        reason: Reason,
        by: &Holder,
    ) -> Result<bool, RequestError> {
        let waited = self.wait(name, owner, reason, Patience::Until(LONGEST_LOOK), Met::Counted);
        waited.map_err(|_| {
            self.count(Count::Contended);
            self.refusal(name, by)
        })
    }

    /// Queues a waiter, where the name is not the owner's at once.
    fn queue(&self, name: &[u8], owner: u64, reason: Reason, mut met: Met) -> Result<Queued, RequestError> {
        let (_, key) = parts(name);
        // Kept while edges come and are searched (L4).
        let mut waiting = self.waiting.lock();
        if self.is_dismissed(owner) {
            let (key, by) = (key.to_vec(), None);
            return Err(RequestError::LockTimeout { key, by });
        }
        let now = self.clock.passed();
        let place = self.places.take(name, owner, now);
        let since = place.unwrap_or(now);
        let waiter = Arc::new(Waiter::new(owner, reason, since));
        loop {
            match self.try_take(name, owner, reason) {
                Ok(is_new) => return Ok(Queued::Granted(is_new)),
                Err(had) => {
                    // Who only looks is in nobody's way (L7).
                    if met == Met::Now && !had.is_looked_at {
                        met = Met::Counted;
                        self.count(Count::Contended);
                    }
                    if had.by.retained {
                        return Err(self.refusal(name, &had.by));
                    }
                }
            }
            let mut stripe = self.stripe(name).lock();
            // It may have become free just now: then it can be taken.
            let Some(lock) = stripe.names.get_mut(name) else {
                continue;
            };
            if lock.holder(owner).is_some() {
                lock.queue().push_front(waiter.clone());
            } else if place.is_some() {
                lock.enter_at_place(waiter.clone());
            } else {
                lock.queue().push_back(waiter.clone());
            }
            // What was given back since the refusal is granted as if he had been there.
            lock.settle();
            break;
        }
        waiting.entry(owner).or_default().push(name.to_vec());
        if self.waits_for_itself(&waiting, owner) {
            drop(waiting);
            return match self.leave(name, &waiter) {
                Ok(()) => Ok(Queued::Granted(true)),
                Err(by) => {
                    self.count(Count::Deadlocks);
                    Err(RequestError::Deadlock { key: key.to_vec(), by })
                }
            };
        }
        Ok(Queued::Waits(waiter))
    }

    /// The end of a wait: granted at the last moment is granted; if not, who has it.
    fn leave(&self, name: &[u8], waiter: &Arc<Waiter>) -> Result<(), Option<String>> {
        let mut waiting = self.waiting.lock();
        if let Some(names) = waiting.get_mut(&waiter.owner) {
            if let Some(place) = names.iter().position(|waited| waited == name) {
                names.swap_remove(place);
            }
            if names.is_empty() {
                waiting.remove(&waiter.owner);
            }
        }
        let mut stripe = self.stripe(name).lock();
        if *waiter.granted.lock() {
            let holder = stripe.names.get_mut(name).and_then(|lock| lock.holder(waiter.owner));
            if let Some(holder) = holder.filter(|holder| holder.since == 0) {
                holder.since = self.ticks.now();
            }
            return Ok(());
        }
        let mut holder = None;
        if let Some(lock) = stripe.names.get_mut(name) {
            lock.queue().retain(|queued| !Arc::ptr_eq(queued, waiter));
            holder = lock
                .holders()
                .find(|holder| holder.owner != waiter.owner)
                .map(|holder| holder.owner);
        }
        // Who waited behind may go with those who have it.
        stripe.settle(name);
        drop((stripe, waiting));
        Err(holder.and_then(|holder| self.label(holder)))
    }

    /// Ends what an owner waits for, now and from now on: 8/22.
    pub(super) fn dismiss(&self, owner: u64) {
        self.owners.lock().entry(owner).or_default().dismissed = true;
        // Who begins to wait looks at that while he keeps this.
        let waiting = self.waiting.lock();
        for name in waiting.get(&owner).into_iter().flatten() {
            let stripe = self.stripe(name).lock();
            let queued = stripe.names.get(name).into_iter().flat_map(Lock::waiters);
            queued
                .filter(|waiter| waiter.owner == owner)
                .for_each(|waiter| waiter.dismiss());
        }
    }

    fn is_dismissed(&self, owner: u64) -> bool {
        self.owners.lock().get(&owner).is_some_and(|owned| owned.dismissed)
    }

    /// Follows who waits for whom from the owner on. Back at the owner: a deadlock.
    fn waits_for_itself(&self, waiting: &HashMap<u64, Vec<Vec<u8>>>, owner: u64) -> bool {
        let mut seen = HashSet::new();
        let mut left = vec![owner];
        while let Some(at) = left.pop() {
            for name in waiting.get(&at).into_iter().flatten() {
                for before in self.before(name, at) {
                    if before == owner {
                        return true;
                    }
                    if seen.insert(before) {
                        left.push(before);
                    }
                }
            }
        }
        false
    }

    /// Those that an owner waits for at a name: who has it, and who stands before him.
    fn before(&self, name: &[u8], owner: u64) -> Vec<u64> {
        let stripe = self.stripe(name).lock();
        let Some(lock) = stripe.names.get(name) else {
            return Vec::new();
        };
        let Some(place) = lock.waiters().position(|waiter| waiter.owner == owner) else {
            // It was granted, and he has not gone on yet.
            return Vec::new();
        };
        let has = lock.holders().map(|holder| holder.owner);
        let stands = lock.waiters().take(place).map(|waiter| waiter.owner);
        has.chain(stands).filter(|other| *other != owner).collect()
    }
}
