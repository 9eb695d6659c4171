//! Frames that a request has reserved before it begins what cannot be left half done, or what began anew too often.
//!
//! * P6. What is reserved is in the hand of one thread: frames without pages, off their free lists. They serve it when
//!   nothing else can (P5), so it goes on without waiting for anybody.
//! * P7. Requests reserve one at a time, before they latch a page and before they take a lock that somebody may have
//!   who reserves. So who waits for frames there waits for requests that have all they need, and these end. A part of a
//!   request that needs more than is left of its reserve waits for nobody: it gets that or is refused.

use super::{class_size, Latched, Pool, PoolFull};
use crate::sync::atomic::{AtomicUsize, Ordering::*};
use crate::sync::{this_thread, Mutex};
use std::sync::Arc;

/// So many frames of at least so many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// Bytes of a frame.
    pub bytes: usize,
    /// Frames.
    pub frames: usize,
}

#[derive(Default)]
pub(super) struct Reserves {
    /// Frames that are reserved.
    out: AtomicUsize,
    /// The number of the next reserve.
    last: AtomicUsize,
    frames: Mutex<Vec<Reserved>>,
    /// Had by who reserves.
    reserving: Mutex<()>,
}

/// A frame in the hand of a thread.
#[derive(Clone, Copy)]
struct Reserved {
    reserve: usize,
    thread: usize,
    frame: u32,
    size: usize,
}

/// The number of a reserve that is part of another.
const NOTHING: usize = usize::MAX;

/// Frames that the thread has until this is dropped.
pub struct Reserve {
    pool: Arc<Pool>,
    number: usize,
}

impl Pool {
    /// Reserves frames for this thread, which has no latch. Of what it needs it may have some already.
    ///
    /// # Errors
    /// The bound leaves no room for so many; nothing has changed.
    pub fn reserve(self: &Arc<Self>, needs: &[Need]) -> Result<Reserve, PoolFull> {
        let reserves = &self.reserves;
        let mut own = self.reserved_sizes();
        let _alone = own.is_empty().then(|| reserves.reserving.lock());
        let mut latched = Vec::with_capacity(needs.iter().map(|need| need.frames).sum());
        for need in needs {
            let size = class_size(need.bytes);
            for _ in 0..need.frames {
                // As they will be taken (P6).
                let fitting = own.iter().enumerate().filter(|(_, own)| **own >= size);
                if let Some((at, _)) = fitting.min_by_key(|(_, own)| **own) {
                    own.swap_remove(at);
                } else {
                    latched.push((size, self.take_or(need.bytes, |_| None)?));
                }
            }
        }
        if latched.is_empty() {
            return Ok(Reserve {
                pool: self.clone(),
                number: NOTHING,
            });
        }
        let mut frames = reserves.frames.lock();
        let number = reserves.last.fetch_add(1, Relaxed);
        let thread = this_thread();
        reserves.out.fetch_add(latched.len(), Relaxed);
        frames.extend(latched.into_iter().map(|(size, latched)| Reserved {
            reserve: number,
            thread,
            frame: latched.keep_in_hand(),
            size,
        }));
        Ok(Reserve {
            pool: self.clone(),
            number,
        })
    }

    /// Does this thread have frames reserved?
    pub(super) fn has_reserved(&self) -> bool {
        !self.reserved_sizes().is_empty()
    }

    /// The sizes of the frames that this thread has reserved.
    fn reserved_sizes(&self) -> Vec<usize> {
        let (reserves, thread) = (&self.reserves, this_thread());
        if reserves.out.load(Relaxed) == 0 {
            return Vec::new();
        }
        let frames = reserves.frames.lock();
        let own = frames.iter().filter(|own| own.thread == thread);
        own.map(|own| own.size).collect()
    }

    /// The smallest frame that this thread has reserved and that will do.
    pub(super) fn take_reserved(&self, size: usize) -> Option<Latched<'_>> {
        if self.reserves.out.load(Relaxed) == 0 {
            return None;
        }
        let (thread, mut frames) = (this_thread(), self.reserves.frames.lock());
        let own = frames.iter().enumerate();
        let own = own.filter(|(_, own)| own.thread == thread && own.size >= size);
        let (at, _) = own.min_by_key(|(_, own)| own.size)?;
        self.reserves.out.fetch_sub(1, Relaxed);
        Some(Latched::from_hand(self, frames.swap_remove(at).frame))
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        if self.number == NOTHING {
            return;
        }
        let mut frames = self.pool.reserves.frames.lock();
        let (own, others) = frames.iter().partition(|own| own.reserve == self.number);
        *frames = others;
        drop(frames);
        let own: Vec<Reserved> = own;
        self.pool.reserves.out.fetch_sub(own.len(), Relaxed);
        own.iter()
            .for_each(|own| Latched::from_hand(&self.pool, own.frame).free());
    }
}

impl std::fmt::Debug for Reserve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reserve({})", self.number)
    }
}

#[cfg(all(test, not(cica_schedules)))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Gave, PageId, PageKind, PageOwner, LEAST, SLAB};
    use super::*;
    use std::time::Duration;

    struct Keeps;
    impl PageOwner for Keeps {
        fn give_up(&self, _: u32, _: PageId, _: bool) -> Gave {
            Gave::Not
        }
    }

    const NEED: Need = Need {
        bytes: SLAB / 4,
        frames: 3,
    };

    /// Pages that stay, as many as there are frames for.
    fn fill(pool: &Pool, component: u16) -> u32 {
        let mut number = 0;
        while let Ok(mut latched) = pool.take(NEED.bytes) {
            latched.set_page(Some(PageId {
                component,
                kind: PageKind::Ci,
                number,
            }));
            number += 1;
        }
        number
    }

    /// P6.
    #[test]
    fn what_a_thread_has_reserved_no_other_gets() {
        let pool = Arc::new(Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap());
        let component = pool.register(Arc::new(Keeps)).unwrap();
        let _reserve = pool.reserve(&[NEED]).unwrap();
        let others = std::thread::scope(|scope| scope.spawn(|| fill(&pool, component)).join().unwrap());
        assert!(others > 30, "{others}");
        assert_eq!(fill(&pool, component), NEED.frames as u32);
    }

    /// P7: else two that have a part each of what they need would wait for each other.
    #[test]
    fn one_request_reserves_at_a_time_but_who_has_reserved_waits_for_nobody() {
        let pool = Arc::new(Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap());
        let _first = pool.reserve(&[NEED]).unwrap();
        let alone = pool.reserves.reserving.lock();
        let out = || pool.reserves.out.load(Relaxed);
        let more = pool.reserve(&[Need { frames: 5, ..NEED }]).unwrap();
        assert_eq!(out(), 5);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| pool.reserve(&[NEED]).unwrap());
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(out(), 5);
            drop(alone);
            let got = other.join().unwrap();
            assert_eq!(out(), 8);
            drop(got);
        });
        drop(more);
        assert_eq!(out(), 3);
    }
}
