//! A request's turn: why no request begins anew for ever.
//!
//! A reader holds nothing (latch:L1). It believes what one page says of the next if the first is unchanged when the
//! second has come. In a pool that is small beside what is read, the page that comes may put out the one that led to
//! it, or another request may; then the request begins anew.
//!
//! * P8. A request that began anew [`PATIENCE`] times while pages left the pool takes the turn. One request has it,
//!   until it ends. It has frames reserved for all that it needs at once (P6), and no page that it reads from then on
//!   leaves the pool before the turn ends. (When they take a quarter of the pool, the one that came first may.)
//! * P9. Who waits for the turn has no latch, and nothing reserved. Who has it waits for latches and frames, and for no
//!   lock that somebody has who waits for it.
//!
//! So each attempt of the request whose turn it is ends; or it meets a page that somebody changed, who so got on; or it
//! meets a page that was put out, and that was not yet kept. Its next attempt reads that page and keeps it. It meets no
//! more pages than it needs at once, so after as many attempts as that, if nobody changes any, it ends.
//!
//! That is the proof. [`MOST_ROUNDS`] is for where it is wrong: the request is refused then (8/28) and says so.

use super::{pause, Need, Pool, PoolFull, Reserve, KEPT};
use crate::sync::atomic::{AtomicUsize, Ordering::*};
use crate::sync::{this_thread, Condvar, Mutex};
use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// Times to begin anew before the request takes the turn.
const PATIENCE: u32 = 4;

/// Times to begin anew before it is refused.
const MOST_ROUNDS: u32 = 100_000;

/// Nobody.
const NOBODY: usize = 0;

#[derive(Default)]
pub(super) struct Turns {
    taken: Mutex<bool>,
    ended: Condvar,
    /// The thread that has the turn.
    of: AtomicUsize,
    /// The frames of the pages it keeps, in the order in which they came, and the bytes they take.
    kept: Mutex<(VecDeque<u32>, usize)>,
}

/// Why a request cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// What it needs at once does not fit.
    Full,
    /// It began anew so often.
    Rounds(u32),
}

impl From<PoolFull> for Stuck {
    fn from(_: PoolFull) -> Stuck {
        Stuck::Full
    }
}

/// How often a request began anew, and its turn when it has that. Most requests have none: a word in a register, and
/// one look at it in the end.
#[derive(Default)]
pub struct Begun(ManuallyDrop<Option<Box<Rounds>>>);

impl Drop for Begun {
    #[inline(always)]
    fn drop(&mut self) {
        if self.0.is_some() {
            end(self.0.take());
        }
    }
}

#[cold]
#[inline(never)]
fn end(rounds: Option<Box<Rounds>>) {
    drop(rounds);
}

/// See [`Begun`].
pub struct Rounds {
    /// Pages that had left the pool when it began.
    gone: u64,
    begun: u32,
    waits: u32,
    turn: Option<Turn>,
}

/// The turn, until this is dropped.
pub struct Turn {
    pool: Arc<Pool>,
    _reserve: Reserve,
}

impl Rounds {
    /// It begins anew. `needs`: all that it needs at once. It has no latch, and no lock that anybody waits for who has the
    /// turn. What it gets back it drops before it waits for others.
    #[cold]
    #[inline(never)]
    pub fn again(mut begun: Begun, pool: &Arc<Pool>, needs: impl FnOnce() -> Vec<Need>) -> Result<Begun, Stuck> {
        let gone = pool.gone();
        let mut rounds = begun.0.take().unwrap_or_else(|| {
            Box::new(Rounds {
                gone,
                begun: 0,
                waits: 0,
                turn: None,
            })
        });
        if gone == rounds.gone {
            // Somebody changed what it read.
            pause(&mut rounds.waits);
            return Ok(Begun(ManuallyDrop::new(Some(rounds))));
        }
        rounds.gone = gone;
        rounds.begun += 1;
        if rounds.begun > MOST_ROUNDS {
            return Err(Stuck::Rounds(MOST_ROUNDS));
        }
        if rounds.begun >= PATIENCE && rounds.turn.is_none() {
            rounds.turn = pool.turn(needs)?;
        }
        Ok(Begun(ManuallyDrop::new(Some(rounds))))
    }
}

impl Pool {
    /// Is it the turn of the request that this thread does?
    pub fn is_its_turn(&self) -> bool {
        let of = self.turn.of.load(Relaxed);
        of != NOBODY && of == this_thread()
    }

    /// Takes the turn, with frames for `needs`; `None`: this thread has it, or cannot wait for it.
    ///
    /// # Errors
    /// The bound leaves no room for them.
    pub fn turn(self: &Arc<Self>, needs: impl FnOnce() -> Vec<Need>) -> Result<Option<Turn>, PoolFull> {
        if self.is_its_turn() {
            return Ok(None);
        }
        // Who has the turn may wait for what this thread has reserved.
        let waits = !self.has_reserved();
        let mut taken = self.turn.taken.lock();
        while *taken {
            if !waits {
                return Ok(None);
            }
            self.turn.ended.wait(&mut taken);
        }
        *taken = true;
        drop(taken);
        match self.reserve(&needs()) {
            Ok(reserve) => {
                self.turn.of.store(this_thread(), Relaxed);
                Ok(Some(Turn {
                    pool: self.clone(),
                    _reserve: reserve,
                }))
            }
            Err(full) => {
                self.turn.end();
                // A part of a request that has reserved goes on with that.
                if waits {
                    return Err(full);
                }
                Ok(None)
            }
        }
    }

    /// A page came into a frame that the caller has latched: it stays if it is the caller's turn.
    pub fn keep_in_turn(&self, frame: u32) {
        if !self.is_its_turn() {
            return;
        }
        self.descriptor(frame).state.fetch_or(KEPT, Relaxed);
        let mut kept = self.turn.kept.lock();
        let (frames, bytes) = &mut *kept;
        frames.push_back(frame);
        *bytes += self.memory_of(frame).1;
        while *bytes > self.limit() / 4 && frames.len() > 1 {
            if let Some(first) = frames.pop_front() {
                *bytes -= self.memory_of(first).1;
                self.keep_no_more(first);
            }
        }
    }

    /// The frame is where it was: its slab is not cut anew while it is marked (`evict.rs`).
    fn keep_no_more(&self, frame: u32) {
        self.descriptor(frame).state.fetch_and(!KEPT, Relaxed);
    }
}

impl Turns {
    fn end(&self) {
        *self.taken.lock() = false;
        self.ended.notify_one();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let turn = &self.pool.turn;
        turn.of.store(NOBODY, Relaxed);
        let (frames, _) = std::mem::take(&mut *turn.kept.lock());
        frames.into_iter().for_each(|frame| self.pool.keep_no_more(frame));
        turn.end();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Gave, Latched, PageId, PageKind, PageOwner, LEAST, SLAB};
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::OnceLock;

    /// Gives up what it is asked for, if it may.
    #[derive(Default)]
    struct Gives {
        pool: OnceLock<Arc<Pool>>,
        never: bool,
    }

    impl PageOwner for Gives {
        fn give_up(&self, frame: u32, _: PageId, _: bool) -> Gave {
            let Some(mut latched) = self.pool.get().and_then(|pool| pool.try_latch(frame)) else {
                return Gave::Busy;
            };
            if self.never || latched.pool.descriptor(frame).is_kept() {
                return Gave::Not;
            }
            latched.set_page(None);
            Gave::Up
        }
    }

    fn pool(never: bool) -> (Arc<Pool>, u16) {
        let pool = Arc::new(Pool::new(LEAST, std::sync::Arc::new(cica_disk::SystemClock)).unwrap());
        let owner = Arc::new(Gives {
            pool: OnceLock::from(pool.clone()),
            never,
        });
        let component = pool.register(owner).unwrap();
        (pool, component)
    }

    fn page(component: u16, number: u32) -> PageId {
        PageId {
            component,
            kind: PageKind::Ci,
            number,
        }
    }

    /// Brings in so many pages of 4,096 bytes.
    fn read(pool: &Pool, component: u16, pages: std::ops::Range<u32>) -> Vec<u32> {
        let read = |number| {
            let mut latched = pool.take(4096).unwrap();
            latched.set_page(Some(page(component, number)));
            pool.keep_in_turn(latched.frame);
            latched.release().0
        };
        pages.map(read).collect()
    }

    const NEEDS: [Need; 1] = [Need { bytes: 4096, frames: 4 }];

    #[test]
    fn what_is_read_in_a_turn_stays_until_it_ends() {
        let (pool, component) = pool(false);
        read(&pool, component, 0..2_000);
        let turn = pool.turn(|| NEEDS.to_vec()).unwrap();
        assert!(turn.is_some() && pool.is_its_turn());
        assert!(pool.turn(|| NEEDS.to_vec()).unwrap().is_none(), "it has it");
        let own = read(&pool, component, 5_000..5_004);
        std::thread::scope(|scope| {
            let others = scope.spawn(|| {
                assert!(!pool.is_its_turn());
                read(&pool, component, 10_000..14_000);
                // Of another size.
                drop(pool.take(SLAB / 4).unwrap());
            });
            others.join().unwrap();
        });
        for (frame, number) in own.iter().zip(5_000..) {
            assert_eq!(pool.page_of(*frame), Some(page(component, number)));
        }
        drop(turn);
        read(&pool, component, 20_000..24_000);
        for (frame, number) in own.iter().zip(5_000..) {
            assert_ne!(pool.page_of(*frame), Some(page(component, number)));
        }
    }

    /// What it keeps goes, the oldest first, before it takes more than a quarter of the pool.
    #[test]
    fn a_turn_does_not_take_the_pool() {
        let (pool, component) = pool(false);
        let _turn = pool.turn(|| NEEDS.to_vec()).unwrap();
        let own = read(&pool, component, 0..3_000);
        let own: BTreeSet<u32> = own.into_iter().collect();
        let kept = own.iter().filter(|&&frame| pool.descriptor(frame).is_kept()).count();
        assert!(kept > 100 && kept * 4096 <= LEAST / 4, "{kept}");
    }

    #[test]
    fn what_is_reserved_serves_when_nothing_can_be_given_up() {
        let (pool, component) = pool(true);
        let reserve = pool.reserve(&NEEDS).unwrap();
        let mut number = 0;
        let mut fill = || -> Option<Latched<'_>> {
            let mut latched = pool.take(4096).ok()?;
            latched.set_page(Some(page(component, number)));
            number += 1;
            Some(latched)
        };
        let mut all = 0;
        while fill().is_some() {
            all += 1;
        }
        assert_eq!(
            all,
            14 * (SLAB / super::super::class_size(4096)),
            "the reserved ones among them"
        );
        drop(reserve);
        assert_eq!(pool.take(4096).err(), Some(PoolFull));
        assert_eq!(pool.reserve(&NEEDS).err(), Some(PoolFull));
    }

    #[test]
    fn one_thread_after_the_other_has_the_turn() {
        let (pool, _) = pool(false);
        let had = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let turn = pool.turn(|| NEEDS.to_vec()).unwrap();
                        assert_eq!(had.fetch_add(1, SeqCst), 0, "alone");
                        had.fetch_sub(1, SeqCst);
                        drop(turn);
                    }
                });
            }
        });
        assert!(!*pool.turn.taken.lock());
    }

    /// The watchdog of the tests, and the last word for a user: it is not so by the proof above.
    #[test]
    fn a_request_that_begins_anew_again_and_again_is_refused() {
        let (pool, _) = pool(false);
        let mut begun = Begun::default();
        let mut rounds = 0;
        let refused = loop {
            pool.gone.fetch_add(1, Relaxed);
            match Rounds::again(begun, &pool, || NEEDS.to_vec()) {
                Ok(more) => begun = more,
                Err(stuck) => break stuck,
            }
            rounds += 1;
            assert!(rounds < 2 * MOST_ROUNDS);
            assert_eq!(pool.is_its_turn(), rounds > PATIENCE);
        };
        assert_eq!(refused, Stuck::Rounds(MOST_ROUNDS));
        assert!(!pool.is_its_turn(), "it ended with the request");
    }
}
