//! The buffers of one size, whoever it is that puts off the changes of what they hold.

use crate::sync::atomic::Ordering::{Relaxed, Release};
use crate::sync::Mutex;
use cica_counters::LsrCount;
use cica_disk::Cells;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What was counted of the buffers of one size, by the names of SHOWCB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubpoolCounts {
    /// Only index records use them.
    pub is_index: bool,
    /// Bytes of each.
    pub size: u32,
    /// How many there are (BUFNO).
    pub buffers: u32,
    /// How many of them hold a CI now.
    pub held: u32,
    /// CIs that were asked for and in a buffer (BFRFND).
    pub hits: u64,
    /// Reads from a file (BUFRDS).
    pub reads: u64,
    /// Writes that a request, WRTBFR or a close asked for (UIW).
    pub user_writes: u64,
    /// Writes because a buffer was needed for another CI (NUIW).
    pub forced_writes: u64,
    /// Buffers that were taken from another CI.
    pub steals: u64,
    /// Forced writes that failed (ERCT); the change is in the log, and the next commit tells what is wrong.
    pub failed_writes: u64,
}

/// A CI: of which component, by its address, and which.
pub type BufferOf = (usize, u32);
/// A CI whose change is to be written, and who put it off.
pub type PutOff<T> = (Arc<T>, u32);

/// Which of the changes that were put off are meant.
#[derive(Debug, Clone, Copy)]
pub enum Chosen {
    All,
    /// Of this component.
    Of(usize),
    /// Of so many percent of the buffers, those used least recently.
    Oldest(u8),
}

/// See the module.
pub struct SubpoolOf<T> {
    pub size: u32,
    pub is_index: bool,
    buffers: u32,
    kept: Mutex<LruList<T>>,
    counts: Cells,
}

struct LruList<T> {
    buffers: HashMap<BufferOf, LruBuffer<T>>,
    /// The CI used least recently first.
    ages: BTreeMap<u64, BufferOf>,
    uses: u64,
}

struct LruBuffer<T> {
    age: u64,
    /// Its change was put off by this one.
    changed: Option<Arc<T>>,
}

/// What it took to hold a CI.
pub enum Taken<T> {
    /// It was held.
    There,
    /// A buffer is its own now; what that held before is to be written first, if its change was put off.
    New(Option<PutOff<T>>),
}

impl<T> SubpoolOf<T> {
    /// So many of so many bytes, of the pool with this number, that count in these cells.
    pub fn new(pool: u8, (size, buffers): (u32, u32), is_index: bool, counts: Cells) -> SubpoolOf<T> {
        for counter in LsrCount::ALL {
            let n = match counter {
                LsrCount::Pool => u64::from(pool),
                LsrCount::Index => u64::from(is_index),
                LsrCount::Size => u64::from(size),
                _ => 0,
            };
            counts.at(*counter as usize).store(n, Relaxed);
        }
        // Who sees buffers sees whose they are.
        counts.at(LsrCount::Buffers as usize).store(buffers.into(), Release);
        SubpoolOf {
            size,
            is_index,
            buffers,
            kept: Mutex::new(LruList {
                buffers: HashMap::new(),
                ages: BTreeMap::new(),
                uses: 0,
            }),
            counts,
        }
    }

    /// They are gone: their cells are nobody's, and others see them no more.
    pub fn hide(&self) {
        self.counts.at(LsrCount::Buffers as usize).store(0, Release);
    }

    /// Counts.
    pub fn count(&self, counter: LsrCount, n: u64) {
        self.counts.at(counter as usize).fetch_add(n, Relaxed);
    }

    fn holds(&self, kept: &LruList<T>) {
        let held = self.counts.at(LsrCount::Held as usize);
        held.store(kept.buffers.len() as u64, Relaxed);
    }

    fn counted(&self, counter: LsrCount) -> u64 {
        self.counts.at(counter as usize).load(Relaxed)
    }

    pub fn buffers(&self) -> usize {
        self.buffers as usize
    }

    /// A CI is used: it gets a buffer, if it has none (X2).
    pub fn take(&self, of: BufferOf) -> Taken<T> {
        let mut kept = self.kept.lock();
        let kept = &mut *kept;
        kept.uses += 1;
        let age = kept.uses;
        if let Some(buffer) = kept.buffers.get_mut(&of) {
            kept.ages.remove(&buffer.age);
            buffer.age = age;
            kept.ages.insert(age, of);
            return Taken::There;
        }
        let mut goes = None;
        if kept.buffers.len() >= self.buffers() {
            if let Some((_, oldest)) = kept.ages.pop_first() {
                self.count(LsrCount::Steals, 1);
                let changed = kept.buffers.remove(&oldest).and_then(|buffer| buffer.changed);
                goes = changed.map(|part| (part, oldest.1));
            }
        }
        kept.ages.insert(age, of);
        kept.buffers.insert(of, LruBuffer { age, changed: None });
        self.holds(kept);
        Taken::New(goes)
    }

    /// The change of a CI is put off. False: no buffer holds it any more.
    pub fn put_off(&self, of: BufferOf, by: &Arc<T>) -> bool {
        let mut kept = self.kept.lock();
        let buffer = kept.buffers.get_mut(&of);
        buffer.map(|buffer| buffer.changed = Some(by.clone())).is_some()
    }

    /// Is its change put off?
    pub fn is_put_off(&self, of: BufferOf) -> bool {
        self.kept.lock().buffers.get(&of).is_some_and(|b| b.changed.is_some())
    }

    /// It is about to be written. True: its change was put off.
    pub fn clean(&self, of: BufferOf) -> bool {
        let mut kept = self.kept.lock();
        kept.buffers.get_mut(&of).is_some_and(|b| b.changed.take().is_some())
    }

    /// Those of the changes that were put off, the one used least recently first. They are put off no more.
    pub fn to_write(&self, chosen: Chosen) -> Vec<PutOff<T>> {
        let mut kept = self.kept.lock();
        let LruList { buffers, ages, .. } = &mut *kept;
        // An empty buffer was used longer ago than any other.
        let empty = self.buffers() - buffers.len();
        let looked_at = match chosen {
            Chosen::Oldest(percent) => (self.buffers() * usize::from(percent))
                .div_ceil(100)
                .saturating_sub(empty),
            Chosen::All | Chosen::Of(_) => usize::MAX,
        };
        let is_meant = |of: &&BufferOf| match chosen {
            Chosen::Of(component) => of.0 == component,
            Chosen::All | Chosen::Oldest(_) => true,
        };
        let meant = ages.values().take(looked_at).filter(is_meant);
        meant
            .filter_map(|of| Some((buffers.get_mut(of)?.changed.take()?, of.1)))
            .collect()
    }

    /// Nothing of a component is held any more (X5).
    pub fn forget(&self, component: usize) {
        let mut kept = self.kept.lock();
        kept.buffers.retain(|of, _| of.0 != component);
        kept.ages.retain(|_, of| of.0 != component);
        self.holds(&kept);
    }

    pub fn counts(&self) -> SubpoolCounts {
        SubpoolCounts {
            is_index: self.is_index,
            size: self.size,
            buffers: self.buffers,
            held: self.kept.lock().buffers.len() as u32,
            hits: self.counted(LsrCount::Hits),
            reads: self.counted(LsrCount::Reads),
            user_writes: self.counted(LsrCount::UserWrites),
            forced_writes: self.counted(LsrCount::ForcedWrites),
            steals: self.counted(LsrCount::Steals),
            failed_writes: self.counted(LsrCount::FailedWrites),
        }
    }
}
