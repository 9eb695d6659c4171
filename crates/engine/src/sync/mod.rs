//! What threads share goes through here: locks, atomic words, waiting. It is the system's, but for one thing.
//!
//! Compiled with `--cfg cica_schedules`, the same names are those of a scheduler that runs one thread at a time and
//! decides before each use of a lock or a word who goes on (`tests/schedules.rs`). So a race that needs one
//! order in a million is found, and its order can be run again. Words in frames are the system's then too, because
//! they lie in memory of the pool; each use of them is a point at which the scheduler may decide.

#[cfg(cica_schedules)]
mod scheduled;

#[cfg(cica_schedules)]
pub use scheduled::*;

#[cfg(not(cica_schedules))]
pub use plain::*;

#[cfg(not(cica_schedules))]
mod plain {
    pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
    pub use std::hint::spin_loop;
    pub use std::sync::atomic;
    pub use std::thread::yield_now;

    /// Does something with the lock of a guard open.
    pub fn unlocked<T, R>(guard: &mut MutexGuard<'_, T>, act: impl FnOnce() -> R) -> R {
        MutexGuard::unlocked(guard, act)
    }

    /// Starts a thread that nobody waits for. It takes no signals: they are the program's, whose handlers may need more
    /// stack than it has, and must not run beside the program that they interrupt.
    ///
    /// # Errors
    /// The system has none to give.
    pub fn start(name: &str, stack: usize, act: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let _held = cica_disk::hold_signals();
        let thread = std::thread::Builder::new().name(name.into()).stack_size(stack);
        thread.spawn(act).map(drop)
    }

    /// Does something in this thread and in `others` more, as far as the system has them to give. When it returns, all
    /// have done it.
    pub fn together(name: &str, stack: usize, others: usize, act: impl Fn() + Sync) {
        std::thread::scope(|scope| {
            for _ in 0..others {
                let _held = cica_disk::hold_signals();
                let thread = std::thread::Builder::new().name(name.into()).stack_size(stack);
                if thread.spawn_scoped(scope, &act).is_err() {
                    break;
                }
            }
            act();
        });
    }

    /// A number that no other living thread has, and not 0.
    pub fn this_thread() -> usize {
        thread_local!(static HERE: u8 = const { 0 });
        HERE.with(|here| std::ptr::from_ref(here).addr())
    }

    /// Does time pass by itself?
    pub const TIME_PASSES: bool = true;

    /// A place between two reads of a page that a writer may be changing.
    #[inline(always)]
    pub fn point() {}
}
