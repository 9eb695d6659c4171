//! One name: who has it and for what reasons, and who waits for it.

use super::waiter::{Reason, Waiter};
use super::LockMode;
use std::collections::VecDeque;
use std::sync::Arc;

/// Who has a name, and who waits. Small, as nearly every name has one owner and nobody waits.
#[derive(Default)]
pub(super) struct Lock {
    pub first: Holder,
    others: Option<Box<Others>>,
}

/// Those beside the first.
#[derive(Default)]
struct Others {
    /// Who has it for S too.
    holders: Vec<Holder>,
    /// Who waits, in order.
    queue: VecDeque<Arc<Waiter>>,
}

/// One owner of a name, and for what reasons. Without a reason it is none.
#[derive(Default, Clone, Copy)]
pub(super) struct Holder {
    pub owner: u64,
    /// Strings that hold it.
    pub strings: u32,
    /// Changes of the owner's unit that keep it.
    pub kept: u32,
    /// Locked for X, for S.
    pub locked: bool,
    pub shared: bool,
    /// Threads that were just granted a look.
    pub readers: u32,
    /// When it came to have it, by the table's clock of ticks; 0: nobody knows.
    pub since: u32,
    pub retained: bool,
}

/// Why a name cannot be had at once.
pub(super) struct Had {
    /// Who has it.
    pub by: Holder,
    /// Nobody has it or waits for it but who looks if he may read.
    pub is_looked_at: bool,
}

impl Holder {
    fn new(owner: u64, reason: Reason, since: u32) -> Holder {
        let mut holder = Holder {
            owner,
            since,
            ..Holder::default()
        };
        holder.add(reason);
        holder
    }

    /// One reason more. True: it did not have the name for it before. That it is locked is one reason, in whichever
    /// mode.
    fn add(&mut self, reason: Reason) -> bool {
        let more = |count: &mut u32| {
            *count = count.saturating_add(1);
            *count > 1
        };
        let had = match reason {
            Reason::String => more(&mut self.strings),
            Reason::Unit => more(&mut self.kept),
            Reason::Reading => more(&mut self.readers),
            Reason::Locked => std::mem::replace(&mut self.locked, true) | self.shared,
            Reason::Shared => std::mem::replace(&mut self.shared, true) | self.locked,
        };
        !had
    }

    /// One reason less. True: it had the name for it.
    pub fn take(&mut self, reason: Reason) -> bool {
        let less = |count: &mut u32| {
            let had = *count > 0;
            *count = count.saturating_sub(1);
            had
        };
        match reason {
            Reason::String => less(&mut self.strings),
            Reason::Unit => less(&mut self.kept),
            Reason::Reading => less(&mut self.readers),
            Reason::Locked => std::mem::take(&mut self.locked),
            Reason::Shared => std::mem::take(&mut self.shared),
        }
    }

    pub fn is_exclusive(&self) -> bool {
        self.strings > 0 || self.kept > 0 || self.locked
    }

    pub fn is_shared(&self) -> bool {
        self.shared || self.readers > 0
    }

    /// Has it locked by name, in whichever mode?
    pub fn is_locked(&self) -> bool {
        self.locked || self.shared
    }

    fn only_looks(&self) -> bool {
        self.readers > 0 && !self.shared && !self.is_exclusive() && !self.retained
    }

    pub fn mode(&self) -> Option<LockMode> {
        if self.is_exclusive() || self.retained {
            Some(LockMode::Exclusive)
        } else {
            self.is_shared().then_some(LockMode::Shared)
        }
    }
}

impl Lock {
    /// Of a name that nobody had.
    pub fn new(owner: u64, reason: Reason, since: u32) -> Lock {
        Lock {
            first: Holder::new(owner, reason, since),
            others: None,
        }
    }

    pub fn holders(&self) -> impl Iterator<Item = &Holder> {
        let others = self.others.iter().flat_map(|others| &others.holders);
        std::iter::once(&self.first).chain(others)
    }

    pub fn holder(&mut self, owner: u64) -> Option<&mut Holder> {
        if self.first.owner == owner {
            return Some(&mut self.first);
        }
        let others = self.others.as_mut()?;
        others.holders.iter_mut().find(|holder| holder.owner == owner)
    }

    /// Who waits, in order.
    pub fn waiters(&self) -> impl Iterator<Item = &Arc<Waiter>> {
        self.others.iter().flat_map(|others| &others.queue)
    }

    /// The queue, to change it.
    pub fn queue(&mut self) -> &mut VecDeque<Arc<Waiter>> {
        &mut self.others.get_or_insert_default().queue
    }

    /// May the owner have it now (L1)?
    pub fn goes_with(&self, owner: u64, mode: LockMode) -> bool {
        let alone = mode == LockMode::Exclusive;
        (self.holders()).all(|other| {
            other.owner == owner || (!alone && other.mode() != Some(LockMode::Exclusive)) || other.mode().is_none()
        })
    }

    /// What keeps `owner` from it.
    #[cold]
    pub fn had_by(&self, by: Holder, owner: u64) -> Had {
        let mut others = self
            .holders()
            .filter(|other| other.owner != owner && other.mode().is_some());
        Had {
            by,
            is_looked_at: others.all(Holder::only_looks)
                && self.waiters().all(|waiter| waiter.reason == Reason::Reading),
        }
    }

    pub fn enter(&mut self, owner: u64, reason: Reason, since: u32) -> bool {
        if let Some(holder) = self.holder(owner) {
            return holder.add(reason);
        }
        let holder = Holder::new(owner, reason, since);
        if self.first.mode().is_none() {
            self.first = holder;
        } else {
            self.others.get_or_insert_default().holders.push(holder);
        }
        true
    }

    /// Queues one who has waited before: behind those who pass others (L2), and before those who came later (L6).
    pub fn enter_at_place(&mut self, waiter: Arc<Waiter>) {
        let has = |owner: u64| self.holders().any(|holder| holder.owner == owner);
        let later = |queued: &Arc<Waiter>| queued.since > waiter.since && !has(queued.owner);
        let place = self.waiters().position(later).unwrap_or(self.waiters().count());
        self.queue().insert(place, waiter);
    }

    /// A reason of the owner ends. True: it had the name for it.
    pub fn give(&mut self, owner: u64, take: impl FnOnce(&mut Holder) -> bool) -> bool {
        self.holder(owner).is_some_and(|holder| {
            let had = take(holder);
            holder.retained &= holder.is_exclusive() || holder.is_shared();
            had
        })
    }

    /// Grants it to those who may have it now, in their order (L2). True: nobody has it.
    pub fn settle(&mut self) -> bool {
        let Some(others) = &mut self.others else {
            return self.first.mode().is_none();
        };
        others.holders.retain(|holder| holder.mode().is_some());
        if self.first.mode().is_none() {
            if let Some(next) = others.holders.pop() {
                self.first = next;
            }
        }
        while let Some(waiter) = self.queue().front().cloned() {
            if !self.goes_with(waiter.owner, waiter.reason.mode()) {
                break;
            }
            self.queue().pop_front();
            // He notes the time when he goes on.
            self.enter(waiter.owner, waiter.reason, 0);
            waiter.grant();
        }
        self.first.mode().is_none()
    }
}
