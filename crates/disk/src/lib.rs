//! The seam between Cica and the operating system: eight methods in two traits, a hint, memory that shows a file, and a
//! clock; and four questions about whom a path may be trusted to.
//!
//! Everything that reads or writes a volume goes through [`Disk`] and [`File`]; the engine knows no other way
//! out. Three worlds stand behind them: [`LinuxDisk`] (real files), [`MemoryDisk`] (no files at all) and
//! [`SimDisk`] (memory that records each write and sync, loses what was not synced, and fails on command).
//!
//! Contract, the same for all worlds (the numbers are cited where code relies on them):
//!
//! * D1. A `write` that returned is seen by every later `read`, but survives a power cut only after a later
//!   `sync` of the same file returned `Ok`.
//! * D2. Before that `sync` any subset of the unsynced writes may survive, each torn at any 512-byte sector.
//! * D3. A failed `sync` may have dropped the writes it covered: it is never tried again; the file must be
//!   considered as of its last good `sync`.
//! * D4. A name made by `open` (of a file or directory), by `rename`, or taken away by `remove` survives a power cut
//!   only after a `sync` of the directory it lies in, opened like a file with [`Open::directory`]. A `rename` within a
//!   directory survives or not as one; to another directory it is two changes: sync the new directory first.
//! * D5. A lock taken by `open` is held until the `File` is dropped or its process dies. It belongs to the file, not
//!   to its name: it stays with it through `rename` and `remove`. One who may not write to the directory keeps nobody
//!   from writing: a read of his fails once the file has been written to, also in memory that shows the file.
//! * D6. Where the last component of a path is a symbolic link and a file is meant, it is not followed: what is opened,
//!   renamed or removed lies in the directory that the path names.
//! * D7. A `File` serves the process that opened it: in a child after `fork` each of its methods fails, and the child
//!   does not keep its lock.
//! * D8. A store into memory that shows a file ([`File::map`]) is a `write` without a call: it is seen by every later
//!   `read`, stays when the process dies, and survives a power cut only after a later `sync` of the file. Before that
//!   sync the system may have made any of it durable, at any time.
//!
//! Errors carry a [`DiskError`]: what could not be done, to which file, why. Kinds callers may rely on: `NotFound`,
//! `AlreadyExists`, `WouldBlock` (locked by another), `StorageFull` (also a used-up quota), `PermissionDenied` (also
//! writing through a handle for reading), `IsADirectory`, `NotADirectory`, `DirectoryNotEmpty`, `FileTooLarge`.

#![deny(unsafe_code)] // allowed in fork.rs, lock.rs, mapped.rs, signals.rs, uring.rs and window.rs of linux/ alone
#![forbid(unsafe_op_in_unsafe_fn)]

mod clock;
mod confined;
mod content;
mod counted;
mod error;
mod image;
#[cfg(target_os = "linux")]
mod linux;
mod memory;
mod name;
pub mod sim;
mod visible;

pub use clock::{ManualClock, SystemClock};
pub use confined::{is_outside, Confined};
pub use counted::{Counted, Counts};
pub use error::{Action, DiskError};
pub use image::{FileId, Image};
#[cfg(target_os = "linux")]
pub use linux::{generation, hold_signals, notice_forks, open_plain, HeldSignals, LinuxDisk, NewFile, MODE};
pub use memory::MemoryDisk;
pub use name::{FileName, FileNameError};
pub use sim::SimDisk;
pub use visible::{visible, Visible};

use std::io;
use std::path::{Path, PathBuf};

/// Where there is no `fork` there is one generation of processes.
#[cfg(not(target_os = "linux"))]
pub fn generation() -> u32 {
    0
}

/// Where there is no `fork` there is nothing to notice.
#[cfg(not(target_os = "linux"))]
pub fn notice_forks() {}

/// Where there are no signals none are held.
#[cfg(not(target_os = "linux"))]
pub fn hold_signals() {}

/// A place that holds files: four of the eight methods.
pub trait Disk: Send + Sync + std::fmt::Debug {
    /// Opens a file or directory. A lock that another opener holds gives [`io::ErrorKind::WouldBlock`].
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>>;
    /// Gives a file another name, replacing what has it (atomically; durable by D4).
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Takes a name away, of a file or of an empty directory. An open file lives on until it is dropped.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// The names of the files in a directory (without the directory's; subdirectories are left out) with their
    /// lengths, in no order.
    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>>;

    /// Lets files of a directory be touched: `said` by the user, else named by a file that may be touched. Only
    /// [`Confined`] asks for it.
    ///
    /// # Errors
    /// It lies outside; see [`is_outside`].
    fn admit(&self, directory: &Path, said: bool) -> io::Result<()> {
        let _ = (directory, said);
        Ok(())
    }

    /// The first bytes of a file that is only looked at, wherever it is: never made, never waited for.
    ///
    /// # Errors
    /// It cannot be read.
    fn look(&self, path: &Path, most: usize) -> io::Result<Vec<u8>> {
        let file = self.open(path, Open::default())?;
        let length = usize::try_from(file.size(None)?).unwrap_or(usize::MAX);
        let mut buf = vec![0; length.min(most)];
        let mut batch = [ReadAt {
            at: 0,
            buf: &mut buf,
            got: 0,
        }];
        file.read(&mut batch)?;
        let got = batch[0].got;
        buf.truncate(got);
        Ok(buf)
    }

    /// Where a path leads, links followed.
    ///
    /// # Errors
    /// There is nothing.
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    /// Who can change what is in a directory, as seen by this process.
    ///
    /// # Errors
    /// There is no such directory.
    fn whose(&self, directory: &Path) -> io::Result<Whose> {
        let how = Open {
            directory: true,
            ..Open::default()
        };
        self.open(directory, how).map(|_| Whose::Own)
    }
}

/// See [`Disk::whose`]; `Display` ends the sentence "it ...".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The user of this process, or the system's administrator, and nobody else.
    Own,
    /// The user with this number.
    Another(u32),
    /// Everybody may write to it.
    Everybodys,
    /// A group may write to it that is not the user's own.
    Groups(u32),
}

/// An open file: the other four.
pub trait File: Send + Sync + std::fmt::Debug {
    /// Reads a batch; each read tells in `got` how much of its buffer was filled (short only at end of file). A read of
    /// no bytes says that what is at its place is wanted next: a file that can bring it nearer meanwhile does.
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()>;
    /// Writes a batch, in no order; `Err` leaves open which of them happened.
    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()>;
    /// Makes everything written so far durable (see D3).
    fn sync(&self) -> io::Result<()>;
    /// The length in bytes; `Some(n)` first grows or cuts the file to `n` and, when it grows, takes the
    /// space from the file system now, so that a later write into it cannot run out of space.
    fn size(&self, set: Option<u64>) -> io::Result<u64>;
    /// A hint: what lies there was written and is not soon read again. A file that keeps its contents in memory as well
    /// may keep that no longer; they are what they were.
    fn forget(&self, at: u64, len: u64) {
        let _ = (at, len);
    }
    /// Memory that shows `len` bytes from `at`, a multiple of 4,096, for stores (D8). It may reach behind the end of the
    /// file; what is stored has to lie before it, where [`size`](Self::size) has taken the space.
    ///
    /// # Errors
    /// `Unsupported`: this file has no such memory, and who wants to store has to write.
    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        let _ = (at, len);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// See [`File::map`]. It stays when the file is dropped.
pub trait Mapped: Send + Sync + std::fmt::Debug {
    /// Stores `bytes` at `at`, counted from where the memory begins. False: the file may have some of them, or none, and
    /// nothing can be stored here from now on.
    #[must_use]
    fn store(&self, at: usize, bytes: &[u8]) -> bool;
}

/// Overwrites a file with zeros over its whole length, durably.
///
/// # Errors
/// What the system says; part of the file may be zeros then.
pub fn overwrite(file: &dyn File) -> io::Result<()> {
    const CHUNK: u64 = 1 << 20;
    let zeros = vec![0; CHUNK as usize];
    let length = file.size(None)?;
    for at in (0..length).step_by(CHUNK as usize) {
        let n = CHUNK.min(length - at) as usize;
        file.write(&[WriteAt { at, buf: &zeros[..n] }])?;
    }
    file.sync()
}

/// One read of a batch.
#[derive(Debug)]
pub struct ReadAt<'a> {
    /// Byte offset in the file.
    pub at: u64,
    /// Where the bytes go.
    pub buf: &'a mut [u8],
    /// Out: bytes read.
    pub got: usize,
}

impl ReadAt<'_> {
    /// Whether it reads nothing, and only says where the next read will be.
    pub(crate) fn only_asks(&self) -> bool {
        self.buf.is_empty()
    }
}

/// One write of a batch.
#[derive(Debug, Clone, Copy)]
pub struct WriteAt<'a> {
    /// Byte offset in the file.
    pub at: u64,
    /// The bytes.
    pub buf: &'a [u8],
}

/// How [`Disk::open`] opens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Open {
    /// Reading and writing, or reading alone.
    pub write: bool,
    /// What to do about a name that is not there, or is.
    pub create: Create,
    /// The lock to take, without waiting.
    pub lock: Lock,
    /// Go around the page cache where the file system takes it; that serves requests whose buffer address, offset
    /// and length divide by 4,096, all others go through the cache.
    pub direct: bool,
    /// Small reads may be copied from memory that shows the file, if it is no longer than this; 0: none are. Not for
    /// `direct`. What they return is what a read with a call would return.
    pub window: u64,
    /// The path is a directory, opened to be synced; with `create` it is made (its parent must be there).
    pub directory: bool,
}

/// See [`Open::create`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Create {
    /// The file must be there.
    #[default]
    No,
    /// Made when it is not there.
    IfMissing,
    /// Must not be there; made now.
    New,
}

/// See [`Open::lock`]; advisory, between openers that ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lock {
    /// None.
    #[default]
    None,
    /// With others that share.
    Shared,
    /// Alone.
    Exclusive,
}

impl std::fmt::Display for Whose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Whose::Own => f.write_str("is the user's own"),
            Whose::Another(user) => write!(f, "belongs to another user, number {user}"),
            Whose::Everybodys => f.write_str("can be written by everybody"),
            Whose::Groups(group) => write!(f, "can be written by group {group}"),
        }
    }
}

/// The time of day, so that a run can be replayed.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Nanoseconds since 1970-01-01 UTC.
    fn now(&self) -> u64;
}
