//! Requests of keyed data sets wait until there are many, and are done neighbourhood by neighbourhood of keys: by
//! themselves they lie all over the data set, and each waits for its pages, from the device and from memory.
//!
//! * O1. Requests of one key are done in the order of the log. Those of different keys depend on each other for space
//!   alone. If one is refused, and it is of the data set that is being opened, nothing is committed, and the recovery
//!   begins again in the order of the log. Another data set is set aside: nothing of it is committed, and its own open
//!   begins again.
//! * O2. A neighbourhood is done in the order of the log too. So its CIs split as they did for its owner, not as they
//!   do for ascending keys.
//! * O3. Nothing waits when units are taken back (V3) and when trees are committed. Of a data set that is set aside
//!   nothing waits any more.
//! * O4. Several threads do neighbourhoods at once: no two have a key in common, and requests that meet in a page are
//!   kept apart as those of any strings are.
//! * O5. What waits is charged to the pool, with all of each group that a request stands in. Where that has no room,
//!   what waits is done.

use crate::cluster::OpenCluster;
use crate::common::is_chained;
use crate::error::OpenError;
use crate::log::Logged;
use crate::open::{OpenDataSet, Shared};
use crate::pool::{prefetch_line_at, Held, LINE_LEN};
use crate::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use crate::sync::Mutex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// So much may wait at most, and one part in so many of the pool.
const MOST: usize = 96 << 20;
const SHARE: usize = 8;
/// The pool is charged in pieces of this.
const CHARGE: usize = 1 << 20;
/// So many threads help at most, each with a stack of this, and each where there are so many neighbourhoods.
const OTHERS: usize = 7;
const STACK: usize = 512 << 10;
const WORTH: usize = 4;
/// The bytes of a request are asked for so many requests before it is done, at most so many lines of them.
const AHEAD: usize = 4;
const LINES: usize = 8;
/// What a request takes besides its bytes: its place in lists that may be twice as long as what they hold, and in the
/// order of keys.
const OVERHEAD: usize = 2 * (size_of::<(u64, Logged)>() + size_of::<u64>()) + size_of::<ByKey>();

/// What the allocator takes for bytes of their own.
const ALLOCATED: usize = 16;

/// See the module; by cluster id.
#[derive(Default)]
pub struct Waiting {
    sets: BTreeMap<u64, WaitingSet>,
    bytes: usize,
    charged: Option<Held>,
    /// Where the group of the last request lies; requests come group by group.
    group: usize,
    /// Requests of a neighbourhood; 0: nothing waits.
    neighbourhood: usize,
}

struct WaitingSet {
    inner: Arc<OpenDataSet>,
    /// In the order of the log.
    requests: Vec<(u64, Logged)>,
    /// Bytes of their keys from `behind` on.
    firsts: Vec<u64>,
    /// How many bytes all keys before had alike.
    behind: usize,
    /// How many bytes all keys begin with alike.
    alike: usize,
}

/// Where a request stands in the order of keys: the first bytes in which they differ, and its place in the order of the
/// log.
type ByKey = (u64, u32);

impl Waiting {
    /// With neighbourhoods of so many requests; 0: each is done at once.
    pub fn by(neighbourhood: usize) -> Waiting {
        Waiting {
            neighbourhood,
            ..Waiting::default()
        }
    }

    /// May this request of the data set wait?
    pub fn takes(&self, inner: &OpenDataSet, request: &Logged) -> bool {
        self.neighbourhood > 0 && key_of(inner, request).is_some()
    }

    /// One more request waits. True: there is no room for another one.
    pub fn add(&mut self, shared: &Shared, (cluster, inner): (u64, &Arc<OpenDataSet>), request: (u64, Logged)) -> bool {
        self.count(&request.1);
        let set = self.sets.entry(cluster).or_insert_with(|| WaitingSet {
            inner: inner.clone(),
            requests: Vec::new(),
            firsts: Vec::new(),
            behind: 0,
            alike: usize::MAX,
        });
        set.add(request);
        self.is_full(shared)
    }

    fn count(&mut self, request: &Logged) {
        self.bytes += OVERHEAD;
        for bytes in request.bytes() {
            match bytes.group() {
                None => self.bytes += bytes.len() + ALLOCATED,
                Some(group) if group.as_ptr().addr() == self.group => {}
                Some(group) => {
                    self.group = group.as_ptr().addr();
                    self.bytes += group.len();
                }
            }
        }
    }

    fn is_full(&mut self, shared: &Shared) -> bool {
        let charged = self.charged.as_ref().map_or(0, Held::bytes);
        if self.bytes <= charged {
            return false;
        }
        let most = MOST.min(shared.pool.limit() / SHARE);
        if charged >= most {
            return true;
        }
        let more = (self.bytes - charged).next_multiple_of(CHARGE);
        let grown = match &mut self.charged {
            Some(held) => held.grow(more),
            none => shared.pool.hold(more).map(|held| *none = Some(held)),
        };
        grown.is_err() || self.bytes > most
    }

    /// Nothing of this data set waits any more.
    pub fn forget(&mut self, cluster: u64) {
        self.sets.remove(&cluster);
    }

    /// Does all that waits; the data sets that failed, each with its first error.
    pub fn do_all(&mut self, shared: &Shared) -> Vec<(u64, OpenError)> {
        let others = if shared.env.background {
            std::thread::available_parallelism().map_or(0, |all| all.get() - 1)
        } else {
            0
        };
        let mut failed = Vec::new();
        for (cluster, set) in &mut self.sets {
            let done = set.do_all(self.neighbourhood, others.min(OTHERS));
            failed.extend(done.err().map(|error| (*cluster, error)));
            set.begin_anew();
        }
        if self.sets.len() > 1 {
            // Each may have had all of the memory once.
            self.sets.clear();
        }
        (self.bytes, self.group) = (0, 0);
        failed
    }
}

impl WaitingSet {
    fn add(&mut self, request: (u64, Logged)) {
        let key = key_of(&self.inner, &request.1).unwrap_or_default();
        let first = self
            .requests
            .first()
            .map_or(key, |(_, first)| key_of(&self.inner, first).unwrap_or_default());
        let both = key.iter().zip(first).take(self.alike);
        self.alike = both.take_while(|(one, other)| one == other).count();
        self.firsts.push(first_bytes(key, self.behind));
        self.requests.push(request);
    }

    /// Nothing waits; the memory is for those that come.
    fn begin_anew(&mut self) {
        self.requests.clear();
        self.firsts.clear();
        self.behind = std::mem::replace(&mut self.alike, usize::MAX);
    }

    /// Does all; `others` more threads help.
    fn do_all(&self, neighbourhood: usize, others: usize) -> Result<(), OpenError> {
        let places = self.in_order_of_keys();
        let neighbourhoods = self.cut(&places, neighbourhood);
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let others = others.min(neighbourhoods.len() / WORTH);
        crate::sync::together("cica-recovery", STACK, others, || {
            while let Some(range) = neighbourhoods.get(next.fetch_add(1, Relaxed)) {
                if let Err(error) = self.redo(&places[range.clone()]) {
                    next.store(neighbourhoods.len(), Relaxed);
                    failed.lock().get_or_insert(error);
                }
            }
        });
        failed.into_inner().map_or(Ok(()), Err)
    }

    fn in_order_of_keys(&self) -> Vec<ByKey> {
        let mut places: Vec<ByKey> = if self.alike == self.behind {
            self.firsts.iter().copied().zip(0..).collect()
        } else {
            let place = |at: u32| (first_bytes(self.key(at), self.alike), at);
            (0..self.requests.len() as u32).map(place).collect()
        };
        places.sort_unstable_by(|one, other| {
            (one.0.cmp(&other.0))
                .then_with(|| self.key(one.1).cmp(self.key(other.1)))
                .then(one.1.cmp(&other.1))
        });
        places
    }

    /// Where neighbourhoods begin and end. All requests of one key are in one (O1).
    fn cut(&self, places: &[ByKey], neighbourhood: usize) -> Vec<Range<usize>> {
        let mut cut = Vec::with_capacity(places.len() / neighbourhood + 1);
        let mut from = 0;
        while from < places.len() {
            let mut to = (from + neighbourhood).min(places.len());
            while to < places.len() && self.key(places[to].1) == self.key(places[to - 1].1) {
                to += 1;
            }
            cut.push(from..to);
            from = to;
        }
        cut
    }

    /// Does a neighbourhood in the order of the log (O2).
    fn redo(&self, places: &[ByKey]) -> Result<(), OpenError> {
        let mut order: Vec<u32> = places.iter().map(|place| place.1).collect();
        order.sort_unstable();
        for (n, &at) in order.iter().enumerate() {
            if let Some(&later) = order.get(n + AHEAD) {
                self.fetch(later);
            }
            let (lsn, request) = &self.requests[at as usize];
            self.inner.redo(*lsn, request)?;
        }
        Ok(())
    }

    /// Asks for the bytes of a request: in the order of keys they lie all over the memory.
    fn fetch(&self, at: u32) {
        let bytes = match &self.requests[at as usize].1 {
            Logged::Insert(_, bytes) | Logged::Update(_, bytes) | Logged::Erase(_, bytes) => bytes,
            _ => return,
        };
        let lines = bytes.len().div_ceil(LINE_LEN).min(LINES);
        (0..lines).for_each(|line| prefetch_line_at(bytes.as_ptr().addr() + line * LINE_LEN));
    }

    fn key(&self, at: u32) -> &[u8] {
        key_of(&self.inner, &self.requests[at as usize].1).unwrap_or_default()
    }
}

/// The key whose record a request changes, or the pointers under it; nothing where order means more than that.
fn key_of<'r>(inner: &OpenDataSet, request: &'r Logged) -> Option<&'r [u8]> {
    let OpenCluster::Ksds(ksds) = &inner.records else {
        return None;
    };
    let key = match request {
        Logged::Insert(_, record) | Logged::Update(_, record) => ksds.key_in(record)?,
        Logged::Erase(_, key) | Logged::AddPointer(_, key, _) | Logged::RemovePointer(_, key, _) => key,
        _ => return None,
    };
    // All links of a chain are of one alternate key, with or without their numbers behind it.
    if is_chained(&ksds.attributes) {
        return key.get(..usize::from(ksds.attributes.key_length));
    }
    Some(key)
}

/// The bytes of a key from some place on, which compare as it does, as far as they go.
fn first_bytes(key: &[u8], from: usize) -> u64 {
    let key = key.get(from..).unwrap_or_default();
    let mut first = [0; 8];
    let len = key.len().min(8);
    first[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(first)
}
