//! See the module above: the names of `parking_lot` and of the atomic words over the scheduler of `shuttle`.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, TryLockError};

/// The scheduler may let another thread go on here.
pub fn point() {
    shuttle::sync::atomic::AtomicBool::new(false).load(std::sync::atomic::Ordering::SeqCst);
}

/// Another thread must go on for this one to get anywhere.
pub fn yield_now() {
    shuttle::thread::yield_now();
}

/// The same.
pub fn spin_loop() {
    shuttle::thread::yield_now();
}

/// The scheduler runs it as one of its threads.
pub fn start(_name: &str, _stack: usize, act: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    drop(shuttle::thread::spawn(act));
    Ok(())
}

/// Its threads live as long as they like: this one does it alone.
pub fn together(_name: &str, _stack: usize, _others: usize, act: impl Fn() + Sync) {
    act();
}

/// The scheduler numbers its threads.
pub fn this_thread() -> usize {
    usize::from(shuttle::current::me()) + 1
}

/// A thread that waits for a time would wait for ever.
pub const TIME_PASSES: bool = false;

pub mod atomic {
    //! Words of the system's layout, with a point before each use.
    #![allow(dead_code)] // each has what any of them needs

    pub use std::sync::atomic::{fence, Ordering};

    macro_rules! word {
        ($name:ident, $of:ty, $more:ident) => {
            /// As the system's.
            #[derive(Debug, Default)]
            #[repr(transparent)]
            pub struct $name(std::sync::atomic::$name);

            impl $name {
                pub const fn new(value: $of) -> Self {
                    $name(std::sync::atomic::$name::new(value))
                }
                pub fn load(&self, order: Ordering) -> $of {
                    super::point();
                    self.0.load(order)
                }
                pub fn store(&self, value: $of, order: Ordering) {
                    super::point();
                    self.0.store(value, order);
                }
                pub fn swap(&self, value: $of, order: Ordering) -> $of {
                    super::point();
                    self.0.swap(value, order)
                }
                pub fn compare_exchange(
                    &self,
                    current: $of,
                    new: $of,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$of, $of> {
                    super::point();
                    self.0.compare_exchange(current, new, success, failure)
                }
                pub fn fetch_or(&self, value: $of, order: Ordering) -> $of {
                    super::point();
                    self.0.fetch_or(value, order)
                }
                pub fn fetch_and(&self, value: $of, order: Ordering) -> $of {
                    super::point();
                    self.0.fetch_and(value, order)
                }
                $more!($of);
            }
        };
    }

    macro_rules! number {
        ($of:ty) => {
            pub fn fetch_add(&self, value: $of, order: Ordering) -> $of {
                super::point();
                self.0.fetch_add(value, order)
            }
            pub fn fetch_sub(&self, value: $of, order: Ordering) -> $of {
                super::point();
                self.0.fetch_sub(value, order)
            }
            pub fn fetch_min(&self, value: $of, order: Ordering) -> $of {
                super::point();
                self.0.fetch_min(value, order)
            }
            pub fn fetch_max(&self, value: $of, order: Ordering) -> $of {
                super::point();
                self.0.fetch_max(value, order)
            }
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                next: impl FnMut($of) -> Option<$of>,
            ) -> Result<$of, $of> {
                super::point();
                self.0.fetch_update(set, fetch, next)
            }
        };
    }

    macro_rules! truth {
        ($of:ty) => {};
    }

    word!(AtomicBool, bool, truth);
    word!(AtomicU8, u8, number);
    word!(AtomicU32, u32, number);
    word!(AtomicU64, u64, number);
    word!(AtomicI64, i64, number);
    word!(AtomicUsize, usize, number);
}

/// As `parking_lot`'s.
#[derive(Default)]
pub struct Mutex<T>(shuttle::sync::Mutex<T>);

/// As `parking_lot`'s.
pub struct MutexGuard<'m, T> {
    lock: &'m Mutex<T>,
    /// None only while the lock is open or waited with: then `unlocked` or `wait` has borrowed the guard, and nobody
    /// looks through it.
    held: Option<shuttle::sync::MutexGuard<'m, T>>,
}

impl<T> Mutex<T> {
    pub fn new(value: T) -> Mutex<T> {
        Mutex(shuttle::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard {
            lock: self,
            held: Some(self.take()),
        }
    }

    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let held = match self.0.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(MutexGuard {
            lock: self,
            held: Some(held),
        })
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> shuttle::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex")
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.held.as_deref().expect("the lock is held")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_deref_mut().expect("the lock is held")
    }
}

/// Does something with the lock of a guard open.
pub fn unlocked<T, R>(guard: &mut MutexGuard<'_, T>, act: impl FnOnce() -> R) -> R {
    drop(guard.held.take());
    let done = act();
    guard.held = Some(guard.lock.take());
    done
}

/// As `parking_lot`'s.
#[derive(Default)]
pub struct Condvar(shuttle::sync::Condvar);

impl Condvar {
    pub fn new() -> Condvar {
        Condvar::default()
    }

    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let held = guard.held.take().expect("the lock is held");
        guard.held = Some(self.0.wait(held).unwrap_or_else(PoisonError::into_inner));
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Condvar")
    }
}

/// As `parking_lot`'s.
#[derive(Default)]
pub struct RwLock<T>(shuttle::sync::RwLock<T>);

pub use shuttle::sync::{RwLockReadGuard, RwLockWriteGuard};

impl<T> RwLock<T> {
    pub fn new(value: T) -> RwLock<T> {
        RwLock(shuttle::sync::RwLock::new(value))
    }

    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RwLock")
    }
}
