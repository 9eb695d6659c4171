//! What is charged to the pool besides its frames: tables of control areas, a load's images, the log's group, buffers
//! for I/O.
//!
//! * H1. Frames and charges together never exceed the bound. A charge for which there is no room takes slabs from the
//!   frames; they go back to the system and are cut again when the charge has ended.
//! * H2. What is charged is charged before it is allocated.

use super::{Pool, PoolFull, SLAB};
use crate::sync::atomic::Ordering::*;
use std::sync::Arc;

/// Slabs that frames keep whatever is charged: one for each size that a request can need at once, and some.
const FRAMES_KEEP: usize = 8;

/// Memory outside the frames, charged until this is dropped.
pub struct Held {
    pool: Arc<Pool>,
    bytes: usize,
}

impl Held {
    /// Charges `more` bytes.
    ///
    /// # Errors
    /// The bound leaves no room; nothing has changed.
    pub fn grow(&mut self, more: usize) -> Result<(), PoolFull> {
        if !self.pool.charge_outside(more) {
            return Err(PoolFull);
        }
        self.bytes += more;
        Ok(())
    }

    /// Bytes charged.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Gives everything back that is above `bytes`.
    pub fn shrink_to(&mut self, bytes: usize) {
        let less = self.bytes.saturating_sub(bytes);
        let before = self.pool.charged.fetch_sub(less, AcqRel);
        self.pool.counts.charged(before - less);
        self.pool.outside.fetch_sub(less, AcqRel);
        self.bytes -= less;
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Held({} bytes)", self.bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

impl Pool {
    /// Charges `bytes` for memory outside the frames. Must not be called by who holds a latch or a CA's lock.
    ///
    /// # Errors
    /// The bound leaves no room.
    pub fn hold(self: &Arc<Self>, bytes: usize) -> Result<Held, PoolFull> {
        let mut held = Held {
            pool: self.clone(),
            bytes: 0,
        };
        held.grow(bytes)?;
        Ok(held)
    }

    fn charge_outside(&self, bytes: usize) -> bool {
        let most = self.limit.saturating_sub(FRAMES_KEEP * SLAB);
        let fits = |outside: usize| Some(outside + bytes).filter(|&sum| sum <= most);
        if self.outside.fetch_update(AcqRel, Relaxed, fits).is_err() {
            return false;
        }
        for _ in 0..64 {
            if self.charge(bytes) {
                return true;
            }
            if !self.return_slab() {
                crate::sync::yield_now();
            }
        }
        self.outside.fetch_sub(bytes, AcqRel);
        false
    }

    /// Takes `bytes` from the bound. False: there is no room.
    pub(super) fn charge(&self, bytes: usize) -> bool {
        let more = |charged: usize| (charged + bytes <= self.limit).then_some(charged + bytes);
        let charged = self.charged.fetch_update(AcqRel, Relaxed, more);
        charged.map(|before| self.counts.charged(before + bytes)).is_ok()
    }

    /// Empties a slab of any size and gives its memory back to the system.
    fn return_slab(&self) -> bool {
        let Ok(slab) = self.take_slab(None, 1) else {
            return false;
        };
        self.set_size(slab, 0);
        self.give_back_memory(slab);
        self.returned.lock().push(slab);
        let before = self.charged.fetch_sub(SLAB, AcqRel);
        self.counts.charged(before - SLAB);
        true
    }
}

#[cfg(all(test, not(cica_schedules)))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::LEAST;
    use super::*;

    #[test]
    fn charges_leave_frames_for_requests() {
        let pool = Arc::new(Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap());
        let mut held = pool.hold(0).unwrap();
        while held.grow(SLAB / 4).is_ok() {}
        assert!(held.bytes() > 0);
        let frames: Vec<_> = (0..FRAMES_KEEP).map(|_| pool.take(SLAB).unwrap()).collect();
        assert!(pool.charged() <= pool.limit());
        drop(frames);
    }

    /// H1, and a charge that came to nothing has changed nothing.
    #[test]
    fn frames_and_charges_are_within_the_bound_together() {
        let pool = Arc::new(Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap());
        let mut frames = Vec::new();
        while let Ok(frame) = pool.take(SLAB) {
            frames.push(frame);
        }
        let charged = pool.charged();
        assert!(charged <= pool.limit() && charged + SLAB > pool.limit(), "{charged}");
        assert_eq!(pool.hold(SLAB).err(), Some(PoolFull));
        assert_eq!(pool.charged(), charged);
        frames.truncate(frames.len() - 2);
        let held = pool.hold(2 * SLAB).unwrap();
        assert!(pool.charged() <= pool.limit());
        drop(held);
        assert_eq!(pool.charged(), charged - 2 * SLAB);
    }

    /// What others see of the pool, and who has the charge, know of each change; the slabs that a charge took from the
    /// frames are among them.
    #[test]
    fn a_charge_that_grows_and_shrinks_is_told_of() {
        let pool = Arc::new(Pool::new(LEAST, Arc::new(cica_disk::SystemClock)).unwrap());
        let own = cica_disk::Cells::own;
        let shown = own(cica_disk::LINE);
        pool.show_counts(shown.clone(), own(cica_disk::LINE));
        let before = pool.charged();
        let is_told = |more: usize| {
            assert_eq!(pool.charged(), before + more);
            let seen = shown.at(cica_counters::PoolCount::Charged as usize).load(Relaxed);
            assert_eq!(seen as usize, before + more);
        };
        let mut held = pool.hold(1000).unwrap();
        is_told(1000);
        held.grow(5000).unwrap();
        is_told(6000);
        held.shrink_to(2000);
        is_told(2000);
        assert_eq!(format!("{held:?}"), format!("Held({} bytes)", held.bytes()));
        assert_eq!(held.bytes(), 2000);
        held.shrink_to(3000);
        is_told(2000);
        drop(held);
        is_told(0);
        while pool.take(SLAB).map(|frame| frame.keep_in_hand()).is_ok() {}
        let full = pool.charged() - before;
        is_told(full);
        // Frames that are free.
        (0..4).for_each(|slab| super::super::Latched::from_hand(&pool, (slab * SLAB / 64) as u32).free());
        let held = pool.hold(3 * SLAB).unwrap();
        is_told(full);
        drop(held);
        is_told(full - 3 * SLAB);
        assert!(pool.return_slab() && !pool.return_slab(), "there were four");
        is_told(full - 4 * SLAB);
    }
}
