//! The seam between Cica and the operating system: eight methods in two traits, a hint, space that is given back and
//! taken again, memory that shows a file, a clock and the times of processes; four questions about whom a path may be
//! trusted to; and what users keep outside the volumes, which is begun without a name ([`NewFile`]) or streamed
//! ([`FileReader`]).
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
//! * D9. A `read_back` brings what the device has, as far as the system lets one ask it: around the page cache, or, where
//!   the file system has no way around it, with the cache's copy dropped before. A file that is memory is its device.
//!
//! Errors carry a [`DiskError`]: what could not be done, to which file, why. Kinds callers may rely on: `NotFound`,
//! `AlreadyExists`, `WouldBlock` (locked by another), `StorageFull` (also a used-up quota), `PermissionDenied` (also
//! writing through a handle for reading), `IsADirectory`, `NotADirectory`, `DirectoryNotEmpty`, `FileTooLarge`.

// Allowed in cells, room; in linux/ in area, fork, lock, mapped, peer, reading, signals, uring, window.
#![deny(unsafe_code)]
#![forbid(unsafe_op_in_unsafe_fn)]

mod cells;
mod clock;
mod confined;
mod content;
mod counted;
mod disk;
mod error;
mod file;
mod file_reader;
mod image;
#[cfg(target_os = "linux")]
mod linux;
mod memory;
mod name;
mod new_file;
mod open;
mod own;
mod room;
pub mod sim;
mod visible;

pub use cells::{Cells, LINE};
pub use clock::{Clock, ManualClock, SystemClock, ROUGHLY};
pub use confined::{is_outside, Confined};
pub use counted::{Counted, Counts};
pub use disk::{Disk, Holder, Whose};
pub use error::{Action, DiskError};
pub use file::{overwrite, Begun, File, Mapped, ReadAt, ReadInto, WriteAt};
pub use file_reader::FileReader;
pub use image::{FileId, Image};
#[cfg(target_os = "linux")]
pub use linux::{
    clean_before_signals_end, generation, has_no_input, has_no_output, hold_signals, is_program, notice_forks,
    pass_no_files_on, survive_file_size_limit, FilledArea, HeldSignals, LinuxDisk, PeerProcess, ProcessTimes, SeenArea,
    MODE,
};
pub use memory::MemoryDisk;
pub use name::{FileName, FileNameError};
pub use new_file::{keeps_data_sets, why_kept, NameLater, NewFile, KEEPS_DATA_SETS};
pub use open::{Create, Lock, Open, StreamMode};
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub use room::move_racing;
pub use room::Room;
pub use sim::SimDisk;
pub use visible::{visible, Visible};

/// Where there is no `fork` there is one generation of processes.
#[cfg(not(target_os = "linux"))]
pub fn generation() -> u32 {
    0
}

/// Where there is no `fork` there is nothing to notice.
#[cfg(not(target_os = "linux"))]
pub fn notice_forks() {}

/// Where there is no `exec` nothing is passed on.
#[cfg(not(target_os = "linux"))]
pub fn pass_no_files_on() {}

/// Where no descriptor can be looked at before Rust begins nothing follows from it.
#[cfg(not(target_os = "linux"))]
pub fn is_program() {}

/// Where no descriptor can be looked at before Rust begins, there is an output.
#[cfg(not(target_os = "linux"))]
pub fn has_no_output() -> bool {
    false
}

/// Where no descriptor can be looked at before Rust begins, there is an input.
#[cfg(not(target_os = "linux"))]
pub fn has_no_input() -> bool {
    false
}

/// Where there are no signals none ends a process.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn clean_before_signals_end(_clean: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    Ok(())
}

/// Where there are no signals none are held.
#[cfg(not(target_os = "linux"))]
pub fn hold_signals() {}
