//! The table itself: stripes of names, each below a mutex of its own, and what is asked of one name.

use super::counts::{Count, LockCounters};
use super::hashing::{Hashing, Leading};
use super::lock::{Had, Holder, Lock};
use super::names::NameList;
use super::places::QueuePlaces;
use super::ticks::Ticks;
use super::waiter::Reason;
use super::{LockCounts, LockLine, LockMode};
use crate::error::RequestError;
use crate::sync::atomic::{AtomicU64, Ordering::*};
use crate::sync::{Mutex, MutexGuard};
use cica_disk::{Cells, Clock};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, OnceLock};

/// Stripes: far more than threads that are in the table at a time.
const STRIPES: usize = 64;

/// Names whose memory a stripe keeps for those that come: all stripes together as many as a unit of a few thousand
/// changes has.
const SPARE: usize = 64;

/// How often who looks gets a processor before whoever wants the name stands in the queue because of him.
const LOOKS: usize = 20;

/// Bytes of a name before its key: its hash, and the data set's number. So a name is hashed once for each request, and
/// not by each map that it is looked up in.
const HEAD: usize = 8 + 8;

/// Bytes of a name that are put together without asking for memory, and without clearing much of it: those with most
/// keys, and those with the longest.
const SHORT_NAME: usize = HEAD + 48;
const LONG_NAME: usize = HEAD + 255;

/// The bits of a hash that tell the stripe. Maps look at the lowest and the highest.
const STRIPE_BITS: u32 = 40;

/// See the module above.
pub struct Locks {
    stripes: Box<[Stripe]>,
    hashing: Hashing,
    /// Numbers of owners and of data sets.
    numbers: AtomicU64,
    pub(super) owners: Mutex<HashMap<u64, Owned, Hashing>>,
    /// Names that owners wait for (L4).
    pub(super) waiting: Mutex<HashMap<u64, Vec<Vec<u8>>>>,
    /// Who has waited for a name just now, and may come back (L6).
    pub(super) places: QueuePlaces,
    pub(super) counters: LockCounters,
    /// The same, where others see it.
    counts: OnceLock<Cells>,
    /// How long somebody waits already is told by it.
    pub(super) clock: Arc<dyn Clock>,
    /// And how long somebody has a name by these.
    pub(super) ticks: Ticks,
}

/// What is known of an owner beside the names its strings hold and its unit keeps.
#[derive(Default)]
pub(super) struct Owned {
    pub label: Option<Arc<str>>,
    /// Names that it has locked.
    pub names: NameList,
    /// It waits for nothing any more.
    pub dismissed: bool,
}

/// On a line of its own, so that stripes do not slow each other.
#[repr(align(64))]
struct Stripe(Mutex<Names>);

#[derive(Default)]
pub(super) struct Names {
    pub names: HashMap<Vec<u8>, Lock, Leading>,
    spare: Spare,
}

/// Memory for names.
#[derive(Default)]
struct Spare(Vec<Vec<u8>>);

impl Spare {
    /// The name in memory of its own.
    fn take(&mut self, name: &[u8]) -> Vec<u8> {
        let mut place = self.0.pop().unwrap_or_default();
        place.clear();
        place.extend_from_slice(name);
        place
    }

    fn give(&mut self, name: Vec<u8>) {
        if self.0.len() < SPARE {
            self.0.push(name);
        }
    }
}

impl Names {
    fn forget(&mut self, name: &[u8]) {
        if let Some((name, _)) = self.names.remove_entry(name) {
            self.spare.give(name);
        }
    }

    /// After a reason ended.
    pub fn settle(&mut self, name: &[u8]) {
        if self.names.get_mut(name).is_some_and(Lock::settle) {
            self.forget(name);
        }
    }
}

/// The data set's number and the key of a name.
pub(super) fn parts(name: &[u8]) -> (u64, &[u8]) {
    let (set, key) = name.split_at(HEAD.min(name.len()));
    (set.last_chunk().map_or(0, |set| u64::from_le_bytes(*set)), key)
}

/// A name in memory that has room for it.
#[inline]
fn joined<'m>(memory: &'m mut [u8], head: [u8; HEAD], key: &[u8]) -> &'m [u8] {
    let name = &mut memory[..HEAD + key.len()];
    name[..HEAD].copy_from_slice(&head);
    name[HEAD..].copy_from_slice(key);
    name
}

impl Locks {
    /// A table in which nobody has anything.
    pub fn new(clock: Arc<dyn Clock>) -> Locks {
        let stripe = || Stripe(Mutex::new(Names::default()));
        Locks {
            stripes: std::iter::repeat_with(stripe).take(STRIPES).collect(),
            hashing: Hashing::default(),
            numbers: AtomicU64::new(1),
            owners: Mutex::new(HashMap::default()),
            waiting: Mutex::new(HashMap::new()),
            places: QueuePlaces::default(),
            counters: LockCounters::default(),
            counts: OnceLock::new(),
            clock,
            ticks: Ticks::default(),
        }
    }
}

impl Locks {
    /// A number that no other owner or data set has.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Relaxed)
    }

    /// Does something with the name of a key.
    #[inline]
    pub(super) fn named<T>(&self, set: u64, key: &[u8], act: impl FnOnce(&[u8]) -> T) -> T {
        let mut hasher = self.hashing.build_hasher();
        hasher.write_u64(set);
        hasher.write(key);
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&hasher.finish().to_le_bytes());
        head[8..].copy_from_slice(&set.to_le_bytes());
        let length = HEAD + key.len();
        if length <= SHORT_NAME {
            act(joined(&mut [0; SHORT_NAME], head, key))
        } else if length <= LONG_NAME {
            act(joined(&mut [0; LONG_NAME], head, key))
        } else {
            act(&[&head, key].concat())
        }
    }

    #[inline]
    pub(super) fn stripe(&self, name: &[u8]) -> &Mutex<Names> {
        let hash = Leading.hash_one(name) >> STRIPE_BITS;
        &self.stripes[hash as usize % STRIPES].0
    }

    /// The stripe of a name, to oneself.
    #[inline]
    fn enter(&self, name: &[u8]) -> MutexGuard<'_, Names> {
        let stripe = self.stripe(name);
        stripe.try_lock().unwrap_or_else(|| {
            self.count(Count::Collided);
            stripe.lock()
        })
    }

    /// Gives the owner a name for one reason more. True: it did not have it for this reason before.
    ///
    /// # Errors
    /// 8/20, 8/24.
    #[inline]
    pub(super) fn take(&self, set: u64, key: &[u8], owner: u64, reason: Reason) -> Result<bool, RequestError> {
        self.named(set, key, |name| self.take_name(name, owner, reason))
    }

    /// The same of a name.
    ///
    /// # Errors
    /// 8/20, 8/24.
    #[inline]
    pub(super) fn take_name(&self, name: &[u8], owner: u64, reason: Reason) -> Result<bool, RequestError> {
        let mut looks = 0;
        loop {
            match self.try_take(name, owner, reason) {
                // Whoever looks is granted it already, and needs only his turn on a processor to give it up (L7).
                Err(had) if had.is_looked_at && looks < LOOKS => {
                    looks += 1;
                    crate::sync::yield_now();
                }
                // Others come to look meanwhile: in the queue he is before them.
                Err(had) if had.is_looked_at => return self.wait_for_looks(name, owner, reason, &had.by),
                Err(had) => {
                    self.count(Count::Contended);
                    return Err(self.refusal(name, &had.by));
                }
                Ok(first) => return Ok(first),
            }
        }
    }

    /// The same, or who has it.
    #[inline]
    pub(super) fn try_take(&self, name: &[u8], owner: u64, reason: Reason) -> Result<bool, Had> {
        let mut stripe = self.enter(name);
        match stripe.names.get_mut(name) {
            None => {
                let place = stripe.spare.take(name);
                stripe.names.insert(place, Lock::new(owner, reason, self.ticks.now()));
                Ok(true)
            }
            // Who comes does not pass those who wait, unless he has it already.
            Some(lock) if lock.goes_with(owner, reason.mode()) => {
                if lock.waiters().next().is_none() || lock.holder(owner).is_some() {
                    return Ok(lock.enter(owner, reason, self.ticks.now()));
                }
                Err(lock.had_by(*lock.holders().next().unwrap_or(&lock.first), owner))
            }
            Some(lock) => {
                let by = lock.holders().find(|other| other.owner != owner);
                Err(lock.had_by(*by.unwrap_or(&lock.first), owner))
            }
        }
    }

    /// Why a name cannot be had.
    pub(super) fn refusal(&self, name: &[u8], holder: &Holder) -> RequestError {
        let (set, key) = parts(name);
        let (key, by) = (key.to_vec(), self.label(holder.owner));
        if holder.retained {
            self.count(Count::Retained);
            return RequestError::Retained { key, by };
        }
        RequestError::Exclusive { key, set, by }
    }

    /// One reason ends. True: the owner had the name for it.
    #[inline]
    pub(super) fn give(&self, set: u64, key: &[u8], owner: u64, reason: Reason) -> bool {
        self.named(set, key, |name| self.give_name(name, owner, reason))
    }

    pub(super) fn give_name(&self, name: &[u8], owner: u64, reason: Reason) -> bool {
        self.give_by(name, owner, |holder| holder.take(reason))
    }

    /// What the owner has locked by name is not locked any more, whatever its mode. True: it was.
    pub(super) fn give_locked(&self, name: &[u8], owner: u64) -> bool {
        let mut stripe = self.stripe(name).lock();
        // Nearly always there is no other reason, so it is taken out at once and not looked up twice.
        let Some((place, mut lock)) = stripe.names.remove_entry(name) else {
            return false;
        };
        let had = lock.give(owner, |holder| {
            holder.take(Reason::Locked) | holder.take(Reason::Shared)
        });
        if lock.settle() {
            stripe.spare.give(place);
        } else {
            stripe.names.insert(place, lock);
        }
        had
    }

    /// The owner's unit keeps a record no more, however often it had kept it. True: it had.
    pub(super) fn give_kept(&self, set: u64, key: &[u8], owner: u64) -> bool {
        self.named(set, key, |name| {
            self.give_by(name, owner, |holder| std::mem::take(&mut holder.kept) > 0)
        })
    }

    /// One change of the owner's unit keeps a record no more; by how many it is kept still. None: by none before.
    pub(super) fn give_kept_once(&self, set: u64, key: &[u8], owner: u64) -> Option<u32> {
        let mut left = None;
        self.named(set, key, |name| {
            self.give_by(name, owner, |holder| {
                let had = holder.take(Reason::Unit);
                left = had.then_some(holder.kept);
                had
            })
        });
        left
    }

    fn give_by(&self, name: &[u8], owner: u64, take: impl FnOnce(&mut Holder) -> bool) -> bool {
        let mut stripe = self.stripe(name).lock();
        let Some(lock) = stripe.names.get_mut(name) else {
            return false;
        };
        let had = lock.give(owner, take);
        // Nearly always it was the last one.
        if lock.settle() {
            stripe.forget(name);
        }
        had
    }

    /// Has the owner locked the name?
    pub(super) fn has_locked_name(&self, name: &[u8], owner: u64) -> bool {
        let mut stripe = self.stripe(name).lock();
        let holder = stripe.names.get_mut(name).and_then(|lock| lock.holder(owner));
        holder.is_some_and(|holder| holder.is_locked())
    }

    /// Looks at those who have a name for X.
    pub(super) fn any(&self, set: u64, key: &[u8], is: impl Fn(&Holder) -> bool) -> bool {
        self.named(set, key, |name| {
            let stripe = self.stripe(name).lock();
            (stripe.names.get(name))
                .is_some_and(|lock| lock.holders().any(|holder| holder.mode().is_some() && is(holder)))
        })
    }

    /// From now on others see in these cells what it counts.
    pub fn show_counts(&self, cells: Cells) {
        let _ = self.counts.set(cells);
    }

    pub(super) fn count(&self, what: Count) {
        self.counters.add(what);
        if let (Some(cells), Some(counter)) = (self.counts.get(), what.shown()) {
            cells.at(counter as usize).fetch_add(1, Relaxed);
        }
    }

    /// What has been counted.
    pub fn counts(&self) -> LockCounts {
        self.counters.all()
    }

    /// It is so late now, for who asks later since when somebody has a name. Whoever shows that says so several times a
    /// second; no request looks at a clock.
    pub fn tick(&self) {
        self.ticks.note(self.clock.passed());
    }

    /// All names that somebody has: stripe by stripe, so not of one moment.
    pub fn lines(&self) -> Vec<LockLine> {
        let mut lines = Vec::new();
        let now = self.clock.passed();
        for stripe in &self.stripes {
            let seen: Vec<_> = (stripe.0.lock().names.iter())
                .map(|(name, lock)| {
                    let (holders, queue): (Vec<_>, Vec<_>) =
                        (lock.holders().copied().collect(), lock.waiters().cloned().collect());
                    (name.clone(), holders, queue)
                })
                .collect();
            // Who they are is asked without the stripe: whoever knows the owners may look at stripes.
            for (name, holders, queue) in seen {
                let (set, key) = parts(&name);
                let (alone, retained) = holders.first().map_or((false, false), |first| {
                    (first.mode() == Some(LockMode::Exclusive), first.retained)
                });
                // Before another came to have it too.
                let since = holders.iter().filter_map(|holder| self.ticks.time(holder.since)).min();
                lines.push(LockLine {
                    set,
                    data_set: None,
                    key: key.to_vec(),
                    mode: if alone { LockMode::Exclusive } else { LockMode::Shared },
                    retained,
                    holders: holders.iter().map(|holder| self.words(holder.owner)).collect(),
                    held: since.map(|since| now.saturating_sub(since)),
                    waiters: (queue.iter())
                        .map(|waiter| (self.words(waiter.owner), now.saturating_sub(waiter.since)))
                        .collect(),
                });
            }
        }
        lines
    }
}
