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
