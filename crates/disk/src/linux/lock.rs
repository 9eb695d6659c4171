//! Locks that only those can take who may write.
//!
//! Whoever can read a file can lock it with `flock`, and a read lock of `fcntl` is in the way of every write lock: on the
//! file itself there is no lock that a mere reader cannot hold against its owner. So the locks lie on another file, one
//! in each directory, which only those can open who may write to the directory.
//!
//! ```text
//! <directory>/.locks       has no contents; its owner may read and write it, and so may who may write to the directory
//! byte  inode * 2^20 ...   an exclusive lock on the file with this inode has all 2^20 bytes, a shared one any of them
//! ```
//! * O1. Both kinds are write locks of an open file description: they conflict with each other as they should.
//! * O2. `flock` on the file itself is taken as well, for builds that know nothing of `.locks`. One that a process holds
//!   whose user may not write to the file is in nobody's way.
//! * O3. Who may read alone gets `flock` and no lock that keeps a writer off. What he reads is compared with when the file
//!   was last written: once it is, each of his reads fails, and never returns a mixture.
//! * O4. A lock is given back when its file is dropped, also where a child of the process still has the descriptor. The
//!   child's copy of the file gives nothing back: it is not its own.
#![allow(unsafe_code)]

use super::place::DirectoryEntry;
use super::{fork, uninterrupted};
use crate::error::{failed, Action};
use crate::{Holder, Lock, Open};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{self, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The file of locks in each directory.
pub(super) const FILE: &str = ".locks";

/// Bytes of the file of locks for each inode: so many can share.
const SEATS: u64 = 1 << 20;
/// Inodes below this have a place of their own.
const PLACES: u64 = 1 << 42;
/// Seats that are tried for a shared lock.
const TRIES: u64 = 64;
/// How often the list of locks is read where it does not say who has one.
const LISTINGS: u32 = 20;
/// Characters of a command that are shown.
const COMMAND: usize = 60;
/// A time of last change that is younger may be given to a later change too.
const SETTLED: Duration = Duration::from_millis(20);

/// A lock that was taken; see the module.
#[derive(Debug)]
pub(super) struct Held {
    /// `.locks` and the range on it; none where that cannot be had.
    on: Option<(LockFile, u64, u64)>,
    /// `flock` on the file itself.
    flock: bool,
    /// The process that took it.
    owner: u32,
}

/// A file of locks that is open; a child has it no longer (`fork`).
#[derive(Debug)]
struct LockFile(OwnedFd);

impl LockFile {
    fn new(fd: OwnedFd) -> LockFile {
        fork::enter(&fd);
        LockFile(fd)
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        fork::leave(&self.0);
    }
}

/// When a file was last written, for one who may not lock it (O3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Written {
    at: (i64, u32),
    length: i64,
}

impl Held {
    /// Takes a lock on an open file, without waiting.
    pub fn take(file: &OwnedFd, found: &fs::Stat, place: &DirectoryEntry<'_>, how: Open) -> io::Result<Held> {
        let error = |cause: io::Error| failed(Action::Lock, place.path, cause);
        let on = match open_locks(place) {
            Ok(locks) => {
                let locks = LockFile::new(locks);
                let (start, len) = claim(&locks.0, found.st_ino, how.lock).map_err(|errno| error(errno.into()))?;
                Some((locks, start, len))
            }
            // O3, or a directory of which the file of locks cannot be made: `flock` alone.
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) if !how.write => None,
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) if !place.is_there_beside(FILE) => None,
            Err(errno) => {
                return Err(failed(
                    Action::Lock,
                    &place.path.with_file_name(FILE),
                    place.cause(errno),
                ))
            }
        };
        let mut held = Held {
            flock: false,
            owner: std::process::id(),
            on,
        };
        match flock(file, found, how.lock) {
            Ok(taken) if taken || held.on.is_some() || !how.write => held.flock = taken,
            Ok(_) => {
                held.release(file);
                return Err(error(ErrorKind::WouldBlock.into()));
            }
            Err(errno) => {
                held.release(file);
                return Err(error(errno.into()));
            }
        }
        Ok(held)
    }

    /// Whether it keeps writers off.
    pub fn keeps_writers_off(&self) -> bool {
        self.on.is_some()
    }

    /// Gives it back (O4).
    pub fn release(&self, file: &OwnedFd) {
        if self.owner != std::process::id() {
            return;
        }
        // What cannot be given back goes with the descriptor.
        if self.flock {
            let _ = fs::flock(file, FlockOperation::Unlock);
        }
        if let Some((locks, start, len)) = &self.on {
            // The same.
            let _ = range(&locks.0, libc::F_OFD_SETLK, libc::F_UNLCK, *start, *len);
        }
    }
}

#[cfg(test)]
impl Held {
    /// What a child has of it after `fork`.
    pub fn inherited(&self) -> OwnedFd {
        let (locks, ..) = self.on.as_ref().expect("a lock");
        rustix::io::dup(&locks.0).expect("a descriptor")
    }

    /// Makes it look like one that was inherited.
    pub fn of_another_process(&mut self) {
        self.owner += 1;
    }
}

impl Written {
    /// When the file was last written, once that tells it from any later time; none: it is being written now.
    pub fn settled(file: &OwnedFd) -> Result<Option<Written>, Errno> {
        let written = Written::of(file)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = Duration::new(u64::try_from(written.at.0).unwrap_or(0), written.at.1);
        match since.checked_sub(at) {
            Some(age) if age < SETTLED => std::thread::sleep(SETTLED - age),
            _ => return Ok(Some(written)),
        }
        Ok((Written::of(file)? == written).then_some(written))
    }

    /// When the file was last written.
    pub fn of(file: &OwnedFd) -> Result<Written, Errno> {
        let stat = fs::fstat(file)?;
        Ok(Written {
            at: (stat.st_mtime, stat.st_mtime_nsec as u32),
            length: stat.st_size,
        })
    }
}

/// The file of locks beside a file, made where it is not there.
fn open_locks(place: &DirectoryEntry<'_>) -> Result<OwnedFd, Errno> {
    let open = |flags| {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::NONBLOCK | flags;
        place.open_beside(FILE, flags, 0o600)
    };
    match open(OFlags::empty()) {
        Err(Errno::NOENT) => {}
        opened => return opened,
    }
    match open(OFlags::CREATE | OFlags::EXCL) {
        Ok(locks) => {
            let directory = place.stat_directory()?;
            // Those who may write to the directory by its group. One who is not in it makes the file for his own.
            let _ = super::give_group(&locks, directory.st_gid);
            let who = directory.st_mode;
            let mode = |bit| if who & bit != 0 { bit | bit << 1 } else { 0 };
            fs::fchmod(&locks, Mode::from_raw_mode(0o600 | mode(0o020) | mode(0o002)))?;
            Ok(locks)
        }
        Err(Errno::EXIST) => open(OFlags::empty()),
        failed => failed,
    }
}

/// Locks the place of an inode, or a seat on it; returns the range.
fn claim(locks: &OwnedFd, inode: u64, lock: Lock) -> Result<(u64, u64), Errno> {
    let place = if inode < PLACES {
        inode
    } else {
        (inode ^ inode >> 42).wrapping_mul(0x9E37_79B9_7F4A_7C15) % PLACES
    };
    let start = place * SEATS;
    if lock == Lock::Exclusive {
        return range(locks, libc::F_OFD_SETLK, libc::F_WRLCK, start, SEATS).map(|_| (start, SEATS));
    }
    static LAST: AtomicU64 = AtomicU64::new(0);
    let first = u64::from(std::process::id()).wrapping_mul(7919) + LAST.fetch_add(1, Ordering::Relaxed);
    for seat in first..first + TRIES {
        let at = start + seat % SEATS;
        match range(locks, libc::F_OFD_SETLK, libc::F_WRLCK, at, 1) {
            Ok(_) => return Ok((at, 1)),
            Err(Errno::AGAIN | Errno::ACCESS) => {}
            Err(errno) => return Err(errno),
        }
        // Taken by another who shares, or is somebody alone?
        let found = range(locks, libc::F_OFD_GETLK, libc::F_WRLCK, at, 1)?;
        if found.l_type as i32 != libc::F_UNLCK && found.l_len != 1 {
            break;
        }
    }
    Err(Errno::AGAIN)
}

/// Asks the system about a range of the file of locks.
fn range(locks: &OwnedFd, what: i32, kind: i32, start: u64, len: u64) -> Result<libc::flock, Errno> {
    // SAFETY: numbers all of them, of which zeros are values.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    (lock.l_start, lock.l_len) = (start as libc::off_t, len as libc::off_t);
    uninterrupted(|| {
        // SAFETY: the descriptor is open, and `lock` is what these three commands take; one of them writes to it.
        match unsafe { libc::fcntl(locks.as_raw_fd(), what, std::ptr::from_mut(&mut lock)) } {
            -1 => Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)),
            _ => Ok(()),
        }
    })?;
    Ok(lock)
}

/// `flock` on the file itself; false: only those who may not write to it are in the way (O2).
fn flock(file: &OwnedFd, found: &fs::Stat, lock: Lock) -> Result<bool, Errno> {
    let how = match lock {
        Lock::None => return Ok(false),
        Lock::Shared => FlockOperation::NonBlockingLockShared,
        Lock::Exclusive => FlockOperation::NonBlockingLockExclusive,
    };
    for _ in 0..LISTINGS {
        match uninterrupted(|| fs::flock(file, how)) {
            Ok(()) => return Ok(true),
            Err(Errno::AGAIN) => match only_strangers_hold(file, found) {
                Some(true) => return Ok(false),
                Some(false) => return Err(Errno::AGAIN),
                // It was given back meanwhile, or the list left it out.
                None => std::thread::yield_now(),
            },
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::AGAIN)
}

/// Whether nobody who may write to a file holds `flock` on it; none: nobody is seen to hold it at all. The system lists locks
/// piece by piece, and where others are taken and given back meanwhile one may be left out.
fn only_strangers_hold(file: &OwnedFd, found: &fs::Stat) -> Option<bool> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let mut holders = locks.lines().filter_map(|line| holder(line, found.st_ino)).peekable();
    holders.peek()?;
    let listed = has_list(file);
    Some(holders.all(|process| !may_write(process, found, listed)))
}

/// The process that holds the lock of a line of `/proc/locks`, if it is a `flock` on that inode. The device there is not
/// the one of `stat` on every file system.
fn holder(line: &str, inode: u64) -> Option<i32> {
    let mut words = line.split_ascii_whitespace().skip(1);
    if words.next()? != "FLOCK" {
        return None;
    }
    let process = words.nth(2)?.parse().ok()?;
    let (_, at) = words.next()?.rsplit_once(':')?;
    (at.parse() == Ok(inode)).then_some(process)
}

/// Who has `flock` on a file, as others see the process: its number, and the beginning of its command.
pub(super) fn holder_of(path: &Path) -> Option<Holder> {
    let found = fs::stat(path).ok()?;
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let own = std::process::id() as i32;
    let holders = || locks.lines().filter_map(|line| holder(line, found.st_ino));
    let mut others = holders().filter(|process| *process != own);
    let Some(first) = others.next() else {
        return holders().next().map(|_| Holder::This);
    };
    let more = match others.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    // A process that is just ending has no command any more.
    let words = std::fs::read(format!("/proc/{first}/cmdline")).unwrap_or_default();
    let words: Vec<_> = words.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let words = words.join(" ");
    let end = words.find(' ').unwrap_or(words.len());
    let begin = words[..end].rfind('/').map_or(0, |slash| slash + 1);
    let command = words[begin..].trim_end().chars().filter(|c| !c.is_control());
    let command: String = command.take(COMMAND).collect();
    let stopped = if super::peer::is_stopped(first) {
        format!(", which is stopped: 'kill -CONT {first}' continues it")
    } else {
        String::new()
    };
    Some(Holder::Others(if command.is_empty() {
        format!("process {first}{more}{stopped}")
    } else {
        format!("process {first} ({command}){more}{stopped}")
    }))
}

/// A list of who may do what, beside the mode, may give the right to write to anybody whom it names.
fn has_list(file: &OwnedFd) -> bool {
    let mut none: [u8; 0] = [];
    !matches!(
        fs::fgetxattr(file, "system.posix_acl_access", &mut none),
        Err(Errno::NODATA | Errno::OPNOTSUPP)
    )
}

/// Whether a process may write to a file, as far as its owner, group and mode say; yes when that cannot be told. Who
/// started it counts: a program that runs with more rights does so for him.
fn may_write(process: i32, found: &fs::Stat, listed: bool) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else {
        // The lock of one that is gone is a child's, who inherited it.
        // SAFETY: signal 0 asks whether there is such a process, and sends nothing.
        let asked = unsafe { libc::kill(process, 0) };
        return asked == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH);
    };
    let numbers = |field: &str| -> Vec<u32> {
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("");
        line.split_ascii_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    let Some(&user) = numbers("Uid:").first() else {
        return true;
    };
    let in_group = || numbers("Gid:").first() == Some(&found.st_gid) || numbers("Groups:").contains(&found.st_gid);
    user == 0
        || user == found.st_uid
        || found.st_mode & 0o002 != 0
        || found.st_mode & 0o020 != 0 && (listed || in_group())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_lock_is_told_by_process_and_program() {
        let path = std::env::temp_dir().join(format!("cica-holder-{}", std::process::id()));
        std::fs::write(&path, b"").expect("a file");
        assert_eq!(holder_of(&path), None);
        let own = std::fs::File::open(&path).expect("a file");
        fs::flock(&own, FlockOperation::NonBlockingLockShared).expect("a lock");
        assert_eq!(holder_of(&path), Some(Holder::This));
        drop(own);
        let mut flock = std::process::Command::new("flock");
        let holding = flock.arg("--no-fork").arg(&path).args(["sleep", "100"]).spawn();
        let Ok(mut child) = holding else {
            eprintln!("there is no command flock");
            return;
        };
        let expected = Holder::Others(format!("process {} (sleep 100)", child.id()));
        let told = (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            holder_of(&path).as_ref() == Some(&expected)
        });
        assert!(told, "{:?}", holder_of(&path));
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::STOP).expect("its stop");
        let stopped = format!("{expected}, which is stopped: 'kill -CONT {}' continues it", child.id());
        let told = (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            holder_of(&path) == Some(Holder::Others(stopped.clone()))
        });
        assert!(told, "{:?}", holder_of(&path));
        child.kill().expect("its end");
        child.wait().expect("its end");
        std::fs::remove_file(&path).expect("its end");
    }

    #[test]
    fn holders_are_read_from_lines_of_proc() {
        let line = "1: FLOCK  ADVISORY  WRITE 28939 fe:00:5488698 0 EOF";
        assert_eq!(holder(line, 5_488_698), Some(28_939));
        for (line, inode) in [
            (line, 5_488_699),
            ("2: POSIX  ADVISORY  WRITE 28939 fe:00:5488698 0 EOF", 5_488_698),
            ("2: -> FLOCK  ADVISORY  WRITE 28939 fe:00:5488698 0 EOF", 5_488_698),
            ("2: FLOCK  ADVISORY  WRITE", 1),
            ("", 1),
        ] {
            assert_eq!(holder(line, inode), None, "{line}");
        }
    }

    #[test]
    fn who_may_write_is_told_by_owner_group_and_mode() {
        let me = std::process::id() as i32;
        let mut found = fs::stat(".").expect("the working directory");
        let (user, group) = (found.st_uid, found.st_gid);
        assert!(may_write(me, &found, false), "its owner, or root");
        let mut sleeper = std::process::Command::new("sleep");
        let Ok(mut child) = std::os::unix::process::CommandExt::uid(&mut sleeper, 65_534)
            .args(["100"])
            .spawn()
        else {
            eprintln!("not root: nothing can be told of another user's processes");
            return;
        };
        let stranger = child.id() as i32;
        for (mode, owner, of, listed, expected) in [
            (0o640, user, group + 77, false, false),
            (0o640, 65_534, group + 77, false, true),
            (0o664, user, group + 77, false, false),
            (0o664, user, group + 77, true, true),
            (0o664, user, group, false, true),
            (0o666, user, group + 77, false, true),
        ] {
            (found.st_mode, found.st_uid, found.st_gid) = (mode, owner, of);
            assert_eq!(
                may_write(stranger, &found, listed),
                expected,
                "{mode:o} {owner} {of} {listed}"
            );
        }
        child.kill().expect("its end");
        child.wait().expect("its end");
        found.st_mode = 0o666;
        assert!(!may_write(stranger, &found, false), "there is no such process");
    }
}
