//! A handle to a file in memory: what it may do, and doing it.

use super::node::{locked, Node};
use super::tree::Tree;
use crate::content::LONGEST;
use crate::error::{failed, is_a_directory, opened_for_reading, Action};
use crate::{File, Lock, Mapped, ReadAt, WriteAt};
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A handle to a file or directory in memory.
pub(crate) struct MemoryFile {
    pub(crate) node: Arc<Node>,
    pub(crate) path: PathBuf,
    pub(super) writable: bool,
    pub(super) lock: Lock,
    pub(super) process: u64,
    /// The disk's process now; another than `process` when that was killed.
    pub(super) current: Arc<AtomicU64>,
    /// The names of its disk.
    pub(super) tree: Arc<Mutex<Tree>>,
}

impl MemoryFile {
    /// Refuses what this handle cannot do: after its process died; on a directory; for reading alone.
    pub(crate) fn allow(&self, action: Action) -> io::Result<()> {
        let writes = matches!(action, Action::Write { .. } | Action::Resize { .. });
        let cause = if self.process != self.current.load(Ordering::SeqCst) {
            io::Error::other("the process that opened it was killed")
        } else if self.node.directory && action != Action::Sync {
            is_a_directory()
        } else if writes && !self.writable {
            opened_for_reading()
        } else {
            return Ok(());
        };
        Err(failed(action, &self.path, cause))
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.node.directory
    }
}

/// Checks that a file in memory may reach up to `at + len`.
pub(crate) fn within_limits(path: &Path, at: u64, len: usize) -> io::Result<()> {
    match at.checked_add(len as u64) {
        Some(end) if end <= LONGEST => Ok(()),
        _ => Err(failed(Action::Write { at, len }, path, ErrorKind::FileTooLarge)),
    }
}

impl File for MemoryFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.allow(Action::reading(batch))?;
        let content = self.node.content.read().unwrap_or_else(PoisonError::into_inner);
        for read in batch {
            read.got = content.read(read.at, read.buf);
        }
        Ok(())
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        self.allow(Action::writing(batch))?;
        for write in batch {
            within_limits(&self.path, write.at, write.buf.len())?;
        }
        self.node
            .change(|content| batch.iter().for_each(|write| content.write(write.at, write.buf)));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.allow(Action::Sync)
    }

    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        let Some(to) = set else {
            self.allow(Action::Measure)?;
            return Ok(self.node.content().len());
        };
        self.allow(Action::Resize { to })?;
        if to > LONGEST {
            return Err(failed(Action::Resize { to }, &self.path, ErrorKind::FileTooLarge));
        }
        self.node.change(|content| content.resize(to));
        Ok(to)
    }

    fn give_name(&self, path: &Path) -> io::Result<()> {
        self.allow(Action::Make)?;
        locked(&self.tree).name(&self.node, path)
    }

    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        Ok(Box::new(self.mapped(at, len)?))
    }
}

/// Memory that shows a file in memory.
#[derive(Debug)]
pub(crate) struct MappedMemory {
    pub(crate) node: Arc<Node>,
    at: u64,
    len: usize,
    process: u64,
    current: Arc<AtomicU64>,
}

impl MemoryFile {
    pub(crate) fn mapped(&self, at: u64, len: usize) -> io::Result<MappedMemory> {
        self.allow(Action::Write { at, len })?;
        Ok(MappedMemory {
            node: self.node.clone(),
            at,
            len,
            process: self.process,
            current: self.current.clone(),
        })
    }
}

impl MappedMemory {
    /// Where in the file a store goes; `None`: it cannot be done.
    pub(crate) fn place(&self, at: usize, len: usize) -> Option<u64> {
        let end = at.checked_add(len).filter(|end| *end <= self.len)?;
        let lives = self.process == self.current.load(Ordering::SeqCst);
        (lives && self.at + end as u64 <= self.node.content().len()).then_some(self.at + at as u64)
    }
}

impl Mapped for MappedMemory {
    fn store(&self, at: usize, bytes: &[u8]) -> bool {
        let place = self.place(at, bytes.len());
        place.is_some_and(|at| {
            self.node.change(|content| content.write(at, bytes));
            true
        })
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        self.node.release_lock(self.lock, self.process);
    }
}

impl fmt::Debug for MemoryFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryFile {}", self.path.display())
    }
}
