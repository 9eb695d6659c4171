//! The table itself: stripes of names, each below a mutex of its own, and what is asked of one name.

use super::counts::{Count, LockCounters};
use super::places::QueuePlaces;
use super::waiter::{Reason, Waiter};
use super::{LockCounts, LockLine, LockMode};
use crate::error::RequestError;
use crate::sync::atomic::{AtomicU64, Ordering::*};
use crate::sync::{Mutex, MutexGuard};
use cica_disk::{Cells, Clock};
use std::collections::{HashMap, HashSet, VecDeque};
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

/// Bytes of a name that are put together without asking for memory: those with the longest key.
const SHORT_NAME: usize = HEAD + 255;

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
}

/// What is known of an owner beside the names its strings hold and its unit keeps.
#[derive(Default)]
pub(super) struct Owned {
    pub label: Option<Arc<str>>,
    /// Names that it has locked.
    pub names: HashSet<Vec<u8>, Leading>,
    /// Memory of names that it had.
    spare: Spare,
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

/// Who has a name, and who waits.
#[derive(Default)]
pub(super) struct Lock {
    pub first: Holder,
    /// Who has it for S beside the first.
    pub more: Vec<Holder>,
    pub queue: VecDeque<Arc<Waiter>>,
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
    pub retained: bool,
}

/// Why a name cannot be had at once.
pub(super) struct Had {
    /// Who has it.
    pub by: Holder,
    /// Nobody has it or waits for it but who looks if he may read.
    pub is_looked_at: bool,
}

/// How owners and names are hashed: by multiplying, as one is held and released with every update, from a start that
/// nobody knows.
#[derive(Clone, Copy)]
pub(super) struct Hashing(u64);

impl Default for Hashing {
    fn default() -> Hashing {
        Hashing(std::hash::RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Hashing {
    type Hasher = Multiplied;
    fn build_hasher(&self) -> Multiplied {
        Multiplied(self.0)
    }
}

pub(super) struct Multiplied(u64);

impl Multiplied {
    #[inline]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9E37_79B9_7F4A_7C15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for Multiplied {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            // The chunks are of eight bytes.
            self.mix(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            self.mix(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// What maps of names take for a hash: the one that leads the name.
#[derive(Default, Clone, Copy)]
pub(super) struct Leading;

pub(super) struct Led(u64);

impl BuildHasher for Leading {
    type Hasher = Led;
    fn build_hasher(&self) -> Led {
        Led(0)
    }
}

impl Hasher for Led {
    #[inline]
    fn write(&mut self, name: &[u8]) {
        self.0 = name.first_chunk().map_or(0, |hash| u64::from_le_bytes(*hash));
    }
    /// The length of the name, which the hash knows.
    #[inline]
    fn write_usize(&mut self, _: usize) {}
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

impl Holder {
    fn new(owner: u64, reason: Reason) -> Holder {
        let mut holder = Holder {
            owner,
            ..Holder::default()
        };
        holder.add(reason);
        holder
    }

    /// One reason more. True: it did not have the name for it before.
    fn add(&mut self, reason: Reason) -> bool {
        let more = |count: &mut u32| {
            *count = count.saturating_add(1);
            *count > 1
        };
        let had = match reason {
            Reason::String => more(&mut self.strings),
            Reason::Unit => more(&mut self.kept),
            Reason::Reading => more(&mut self.readers),
            Reason::Locked => std::mem::replace(&mut self.locked, true),
            Reason::Shared => std::mem::replace(&mut self.shared, true),
        };
        !had
    }

    /// One reason less. True: it had the name for it.
    fn take(&mut self, reason: Reason) -> bool {
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

    fn is_exclusive(&self) -> bool {
        self.strings > 0 || self.kept > 0 || self.locked
    }

    fn is_shared(&self) -> bool {
        self.shared || self.readers > 0
    }

    fn only_looks(&self) -> bool {
        self.readers > 0 && !self.shared && !self.is_exclusive() && !self.retained
    }

    fn mode(&self) -> Option<LockMode> {
        if self.is_exclusive() || self.retained {
            Some(LockMode::Exclusive)
        } else {
            self.is_shared().then_some(LockMode::Shared)
        }
    }
}

impl Lock {
    pub fn holders(&self) -> impl Iterator<Item = &Holder> {
        std::iter::once(&self.first).chain(&self.more)
    }

    pub fn holder(&mut self, owner: u64) -> Option<&mut Holder> {
        if self.first.owner == owner {
            return Some(&mut self.first);
        }
        self.more.iter_mut().find(|holder| holder.owner == owner)
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
    fn had_by(&self, by: Holder, owner: u64) -> Had {
        let mut others = self
            .holders()
            .filter(|other| other.owner != owner && other.mode().is_some());
        Had {
            by,
            is_looked_at: others.all(Holder::only_looks)
                && self.queue.iter().all(|waiter| waiter.reason == Reason::Reading),
        }
    }

    fn enter(&mut self, owner: u64, reason: Reason) -> bool {
        if let Some(holder) = self.holder(owner) {
            return holder.add(reason);
        }
        let holder = Holder::new(owner, reason);
        if self.first.mode().is_none() {
            self.first = holder;
        } else {
            self.more.push(holder);
        }
        true
    }

    /// Queues one who has waited before: behind those who pass others (L2), and before those who came later (L6).
    pub fn enter_at_place(&mut self, waiter: Arc<Waiter>) {
        let has = |owner: u64| self.holders().any(|holder| holder.owner == owner);
        let later = |queued: &Arc<Waiter>| queued.since > waiter.since && !has(queued.owner);
        let place = self.queue.iter().position(later).unwrap_or(self.queue.len());
        self.queue.insert(place, waiter);
    }

    /// Grants it to those who may have it now, in their order (L2). True: nobody has it.
    pub fn settle(&mut self) -> bool {
        self.more.retain(|holder| holder.mode().is_some());
        if self.first.mode().is_none() {
            if let Some(next) = self.more.pop() {
                self.first = next;
            }
        }
        while let Some(waiter) = self.queue.front().cloned() {
            if !self.goes_with(waiter.owner, waiter.reason.mode()) {
                break;
            }
            self.queue.pop_front();
            self.enter(waiter.owner, waiter.reason);
            waiter.grant();
        }
        self.first.mode().is_none()
    }
}

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

impl Owned {
    pub fn insert(&mut self, name: &[u8]) {
        let name = self.spare.take(name);
        self.names.insert(name);
    }

    /// True: it was there.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        let name = self.names.take(name);
        let had = name.is_some();
        name.into_iter().for_each(|name| self.spare.give(name));
        had
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
        let (mut short, length) = ([0; SHORT_NAME], HEAD + key.len());
        short[..8].copy_from_slice(&hasher.finish().to_le_bytes());
        short[8..HEAD].copy_from_slice(&set.to_le_bytes());
        if length > SHORT_NAME {
            return act(&[&short[..HEAD], key].concat());
        }
        short[HEAD..length].copy_from_slice(key);
        act(&short[..length])
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
                let lock = Lock {
                    first: Holder::new(owner, reason),
                    ..Lock::default()
                };
                stripe.names.insert(place, lock);
                Ok(true)
            }
            // Who comes does not pass those who wait, unless he has it already.
            Some(lock) if lock.goes_with(owner, reason.mode()) => {
                if lock.queue.is_empty() || lock.holder(owner).is_some() {
                    return Ok(lock.enter(owner, reason));
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
        self.give_all(name, owner, &[reason])
    }

    /// Several reasons end. True: the owner had the name for one of them.
    pub(super) fn give_all(&self, name: &[u8], owner: u64, reasons: &[Reason]) -> bool {
        self.give_by(name, owner, |holder| {
            reasons.iter().fold(false, |had, reason| holder.take(*reason) | had)
        })
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
        let had = lock.holder(owner).is_some_and(|holder| {
            let had = take(holder);
            holder.retained &= holder.is_exclusive() || holder.is_shared();
            had
        });
        // Nearly always it was the last one.
        if lock.settle() {
            stripe.forget(name);
        }
        had
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

    /// All names that somebody has: stripe by stripe, so not of one moment.
    pub fn lines(&self) -> Vec<LockLine> {
        let mut lines = Vec::new();
        let now = self.clock.passed();
        for stripe in &self.stripes {
            let stripe = stripe.0.lock();
            for (name, lock) in &stripe.names {
                let (set, key) = parts(name);
                let alone = lock.first.mode() == Some(LockMode::Exclusive);
                lines.push(LockLine {
                    set,
                    data_set: None,
                    key: key.to_vec(),
                    mode: if alone { LockMode::Exclusive } else { LockMode::Shared },
                    retained: lock.first.retained,
                    holders: lock.holders().map(|holder| self.words(holder.owner)).collect(),
                    waiters: (lock.queue.iter())
                        .map(|waiter| (self.words(waiter.owner), now.saturating_sub(waiter.since)))
                        .collect(),
                });
            }
        }
        lines
    }
}
