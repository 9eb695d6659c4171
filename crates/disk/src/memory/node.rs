//! A file in memory, whatever its names are: bytes and locks.

use crate::content::Content;
use crate::image::FileId;
use crate::Lock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// A file or directory, with or without a name.
pub(crate) struct Node {
    pub(crate) id: FileId,
    pub(super) directory: bool,
    pub(super) content: RwLock<Arc<Content>>,
    locks: Mutex<NodeLocks>,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node {:?}", self.id)
    }
}

/// Who holds the lock of a node.
#[derive(Default)]
struct NodeLocks {
    /// The process that took them; those of a dead one do not count.
    process: u64,
    shared: usize,
    exclusive: bool,
}

impl Node {
    pub(super) fn new(id: FileId, directory: bool, content: Arc<Content>) -> Self {
        Node {
            id,
            directory,
            content: RwLock::new(content),
            locks: Mutex::default(),
        }
    }

    /// The bytes of this moment.
    pub(crate) fn content(&self) -> Arc<Content> {
        self.content.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the bytes.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut Content) -> R) -> R {
        change(Arc::make_mut(
            &mut self.content.write().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// Puts other bytes in place of the file's.
    pub(crate) fn replace(&self, content: Arc<Content>) {
        *self.content.write().unwrap_or_else(PoisonError::into_inner) = content;
    }

    /// Takes the lock for a handle of that process, unless another has it.
    pub(super) fn take_lock(&self, lock: Lock, process: u64) -> bool {
        let mut locks = locked(&self.locks);
        if locks.process != process {
            *locks = NodeLocks {
                process,
                ..NodeLocks::default()
            };
        }
        let free = match lock {
            Lock::None => true,
            Lock::Shared => !locks.exclusive,
            Lock::Exclusive => !locks.exclusive && locks.shared == 0,
        };
        if free {
            locks.shared += usize::from(lock == Lock::Shared);
            locks.exclusive |= lock == Lock::Exclusive;
        }
        free
    }

    pub(super) fn release_lock(&self, lock: Lock, process: u64) {
        let mut locks = locked(&self.locks);
        if locks.process == process {
            locks.shared -= usize::from(lock == Lock::Shared);
            locks.exclusive &= lock != Lock::Exclusive;
        }
    }
}

/// Locks a mutex; a panic elsewhere does not make its data wrong, as no code here panics halfway through a change.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
