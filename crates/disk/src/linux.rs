//! [`LinuxDisk`]: real files.
//!
//! 1. A lock that `open` took is on the file that has the name at that moment: a name that moved to another file
//!    between opening and locking is noticed and opened again.
//! 2. Direct I/O is an offer, never a demand: a second descriptor beside the buffered one, used for the requests
//!    that are aligned for it. Where the file system refuses it, everything goes through the page cache.
//! 3. A window on a file is an offer as well: a read that it cannot serve is made with a call.
//! 4. A lock keeps off those who may write, and cannot be taken by those who may read alone: see `lock`.
//! 5. A file is opened, renamed and removed by its name in the open directory it lies in, and links are not followed
//!    (D6).
//! 6. Nothing but a plain file is opened as a file: a pipe or a terminal could keep a reader waiting for ever.
//! 7. A child after `fork` has none of its parent's files, and none of their locks: see `fork`.
//! 8. What users keep outside the volumes is no file in this sense: see `outside`.

mod area;
mod batch;
mod device;
mod file;
mod fork;
mod inherited;
mod kept;
mod lock;
mod mapped;
mod outside;
mod peer;
mod place;
mod process;
mod reading;
mod signals;
mod ticks;
mod uring;
mod window;

use crate::error::{failed, Action};
use crate::{Begun, Create, Disk, File, Holder, Lock, Open, StreamMode, Whose};
pub use area::{FilledArea, SeenArea};
use file::LinuxFile;
pub use fork::{generation, notice_forks};
pub use inherited::{has_no_input, has_no_output, is_program, pass_no_files_on};
use lock::{Held, Written};
use once_cell::race::OnceBool;
use outside::OutsideFile;
pub use peer::PeerProcess;
use place::DirectoryEntry;
pub use process::ProcessTimes;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{self, FileType, Mode, OFlags};
use rustix::io::Errno;
pub use signals::{clean_before_signals_end, hold_signals, survive_file_size_limit, HeldSignals};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
pub(crate) use ticks::{exact_time, rough_time};

/// Times a name may move to another file under an `open` with a lock before it is called in use.
const CHASES: usize = 16;

/// The mode of files unless another is said: its owner may write, its group may read, others may not.
pub const MODE: u32 = 0o640;

/// The files of this machine.
#[derive(Debug, Clone, Copy)]
pub struct LinuxDisk {
    rings: bool,
    /// The mode of every file that is made, whatever the process masks; none: [`MODE`], without what it masks.
    mode: Option<u32>,
}

impl Default for LinuxDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl LinuxDisk {
    /// Large batches go through io_uring where the kernel lets them, unless `CICA_NO_URING=1` is set.
    pub fn new() -> Self {
        static ALLOWED: OnceBool = OnceBool::new();
        let rings = ALLOWED.get_or_init(|| std::env::var_os("CICA_NO_URING").is_none_or(|value| value != "1"));
        LinuxDisk { rings, mode: None }
    }

    /// Never uses io_uring.
    pub fn without_uring() -> Self {
        LinuxDisk {
            rings: false,
            mode: None,
        }
    }

    /// Gives each file that it makes this mode, whatever the process masks (`umask`), and each directory the same with
    /// the right to pass for those who may read.
    #[must_use]
    pub fn with_mode(self, mode: u32) -> Self {
        LinuxDisk {
            mode: Some(mode & 0o666),
            ..self
        }
    }

    /// `None`: the name moved to another file before the lock was taken.
    fn try_open(&self, path: &Path, how: Open) -> io::Result<Option<LinuxFile>> {
        let place = DirectoryEntry::of(path, action(how))?;
        let (main, found) = if how.directory {
            self.open_directory(&place, how)?
        } else {
            self.open_file(&place, how)?
        };
        let mut file = LinuxFile::new(main, path, how, self.rings);
        if how.lock != Lock::None {
            let held = Held::take(file.main(), &found, &place, how)?;
            let unguarded = how.lock == Lock::Shared && !held.keeps_writers_off();
            file.held = Some(held);
            if !place.stat(how.directory).is_ok_and(|named| same_file(&named, &found)) {
                return Ok(None);
            }
            if unguarded {
                let error = |errno| failed(Action::Lock, path, errno);
                let settled = Written::settled(file.main()).map_err(error)?;
                file.unguarded = Some(settled.ok_or_else(|| error(Errno::AGAIN))?);
            }
        }
        if how.direct && !how.directory {
            file.set_direct(open_direct(&found, &place, how));
        }
        // What a window shows is not compared with when it was written.
        let may_show = !how.directory && file.direct.is_none() && file.unguarded.is_none();
        if may_show && found.st_size as u64 <= how.window {
            file.shown = found.st_size as usize;
        }
        Ok(Some(file))
    }
}

impl Disk for LinuxDisk {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let path = spelled(path);
        for _ in 0..CHASES {
            if let Some(file) = self.try_open(path, how)? {
                return Ok(Box::new(file));
            }
        }
        Err(failed(Action::Lock, path, ErrorKind::WouldBlock))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let action = Action::Rename { to: to.to_path_buf() };
        let (old, new) = (
            DirectoryEntry::of(from, action.clone())?,
            DirectoryEntry::of(to, action.clone())?,
        );
        old.rename(&new).map_err(|errno| failed(action, from, errno))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let place = DirectoryEntry::of(path, Action::Remove)?;
        let removed = match place.unlink(fs::AtFlags::empty()) {
            Err(Errno::ISDIR) => remove_directory(&place),
            other => other,
        };
        removed.map_err(|errno| failed(Action::Remove, path, errno))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        let directory = spelled(directory);
        list(directory).map_err(|errno| failed(Action::List, directory, errno))
    }

    fn begin(&self, path: &Path, meanwhile: &Path) -> io::Result<Begun> {
        outside::begin(path, meanwhile)
    }

    fn stream(&self, path: &Path, way: StreamMode) -> io::Result<Box<dyn File>> {
        Ok(Box::new(OutsideFile::open(path, way)?))
    }

    fn holder(&self, path: &Path) -> Option<Holder> {
        lock::holder_of(spelled(path))
    }

    fn is_same(&self, one: &Path, other: &Path) -> bool {
        let plain = |path| {
            let found = fs::stat(path).ok();
            found.filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
        };
        let same = |one| plain(other).is_some_and(|other| same_file(&one, &other));
        one == other || plain(one).is_some_and(same)
    }

    fn keep_group(&self, of: &Path, file: &Path) {
        // A group that the user is not in cannot be given.
        let _ = keep_group(of, file);
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(spelled(path)).map_err(|error| failed(Action::Open, path, error))
    }

    fn whose(&self, directory: &Path) -> io::Result<Whose> {
        let error = |errno| failed(Action::Open, directory, errno);
        let stat = fs::stat(spelled(directory)).map_err(error)?;
        let link = fs::lstat(spelled(directory)).map_err(error)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(error(Errno::NOTDIR));
        }
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Ok(match stat.st_uid {
            other if other != 0 && other != user => Whose::Another(other),
            _ if link.st_uid != 0 && link.st_uid != user => Whose::Another(link.st_uid),
            _ if stat.st_mode & 0o002 != 0 => Whose::Everybodys,
            _ if stat.st_mode & 0o020 != 0 && ![0, group].contains(&stat.st_gid) => Whose::Groups(stat.st_gid),
            _ => Whose::Own,
        })
    }
}

fn keep_group(of: &Path, file: &Path) -> io::Result<()> {
    let group = DirectoryEntry::of(of, Action::Open)?.stat(false)?.st_gid;
    let place = DirectoryEntry::of(file, Action::Open)?;
    let fd = place.open(OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK, 0)?;
    Ok(give_group(&fd, group)?)
}

/// Gives an open file a group.
fn give_group(fd: &OwnedFd, group: u32) -> Result<(), Errno> {
    if fs::fstat(fd)?.st_gid == group {
        return Ok(());
    }
    fs::fchown(fd, None, Some(fs::Gid::from_raw(group)))
}

/// Removes a directory that has no files but that of its locks.
fn remove_directory(place: &DirectoryEntry<'_>) -> Result<(), Errno> {
    match place.unlink(fs::AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY) => {}
        removed => return removed,
    }
    let fd = place.open(OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW, 0)?;
    for entry in fs::Dir::read_from(&fd)? {
        if ![".", "..", lock::FILE]
            .map(str::as_bytes)
            .contains(&entry?.file_name().to_bytes())
        {
            return Err(Errno::NOTEMPTY);
        }
    }
    fs::unlinkat(&fd, lock::FILE, fs::AtFlags::empty())?;
    place.unlink(fs::AtFlags::REMOVEDIR)
}

/// The parent of a bare name is the empty path, which the system calls `.`.
fn spelled(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}

fn action(how: Open) -> Action {
    match how.create {
        Create::No => Action::Open,
        _ => Action::Make,
    }
}

impl LinuxDisk {
    fn open_file(&self, place: &DirectoryEntry<'_>, how: Open) -> io::Result<(OwnedFd, fs::Stat)> {
        let error = |cause: io::Error| failed(action(how), place.path, cause);
        // A pipe opened for reading waits for its writer unless told not to; for a plain file it says nothing.
        let access = if how.write {
            OFlags::RDWR | OFlags::NOCTTY | OFlags::NOFOLLOW
        } else {
            OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW
        };
        let opened = match how.create {
            Create::No => place.open(access, 0),
            Create::New => self.make_file(place, access),
            Create::IfMissing => match place.open(access, 0) {
                Err(Errno::NOENT) => match self.make_file(place, access) {
                    Err(Errno::EXIST) => place.open(access, 0),
                    made => made,
                },
                opened => opened,
            },
        };
        let fd = opened.map_err(|errno| error(place.cause(errno)))?;
        let stat = fs::fstat(&fd).map_err(|errno| error(errno.into()))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(error(ErrorKind::IsADirectory.into())),
            _ => return Err(error(io::Error::new(ErrorKind::InvalidInput, "it is not a plain file"))),
        }
        if !how.write {
            // Left on, io_uring would answer "not now" for what is not in the page cache.
            fs::fcntl_setfl(&fd, OFlags::empty()).map_err(|errno| error(errno.into()))?;
        }
        Ok((fd, stat))
    }

    /// A file that was not there, with the mode that all of them get.
    fn make_file(&self, place: &DirectoryEntry<'_>, access: OFlags) -> Result<OwnedFd, Errno> {
        let made = place.open(access | OFlags::CREATE | OFlags::EXCL, self.mode.unwrap_or(MODE))?;
        if let Some(mode) = self.mode {
            fs::fchmod(&made, Mode::from_raw_mode(mode))?;
        }
        Ok(made)
    }

    fn open_directory(&self, place: &DirectoryEntry<'_>, how: Open) -> io::Result<(OwnedFd, fs::Stat)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        if how.create != Create::No {
            let mode = passable(self.mode.unwrap_or(MODE));
            match place.mkdir(mode) {
                Err(Errno::EXIST) if how.create == Create::IfMissing => {}
                Ok(()) if self.mode.is_some() => {
                    let changed = place
                        .open(flags | OFlags::NOFOLLOW, 0)
                        .and_then(|made| fs::fchmod(made, Mode::from_raw_mode(mode)));
                    changed.map_err(|errno| failed(Action::Make, place.path, errno))?;
                }
                other => other.map_err(|errno| failed(Action::Make, place.path, errno))?,
            }
        }
        let opened = place.open(flags, 0).and_then(|fd| Ok((fs::fstat(&fd)?, fd)));
        opened
            .map(|(stat, fd)| (fd, stat))
            .map_err(|errno| failed(Action::Open, place.path, errno))
    }
}

/// The mode of a directory whose files have this one.
fn passable(mode: u32) -> u32 {
    mode | (mode & 0o444) >> 2
}

/// A second descriptor of the same file that goes around the page cache; `None` where that cannot be had.
fn open_direct(main: &fs::Stat, place: &DirectoryEntry<'_>, how: Open) -> Option<OwnedFd> {
    let access = if how.write { OFlags::RDWR } else { OFlags::RDONLY };
    let direct = place.open(access | OFlags::DIRECT | OFlags::NOFOLLOW, 0).ok()?;
    same_file(main, &fs::fstat(&direct).ok()?).then_some(direct)
}

fn same_file(one: &fs::Stat, other: &fs::Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

fn list(directory: &Path) -> Result<Vec<(PathBuf, u64)>, Errno> {
    let fd = fs::open(
        directory,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let mut files = Vec::new();
    for entry in fs::Dir::read_from(&fd)? {
        let entry = entry?;
        if entry.file_name().to_bytes() == lock::FILE.as_bytes() {
            continue;
        }
        match fs::statat(fd.as_fd(), entry.file_name(), fs::AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                files.push((PathBuf::from(name), stat.st_size as u64));
            }
            // Something else, or removed since the directory was read.
            Ok(_) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(files)
}

/// Asks again when a signal came in between.
fn uninterrupted<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_rings_has_none() {
        assert!(!LinuxDisk::without_uring().rings);
    }

    /// The environment is read once a process, so the other half of the test is another process.
    #[test]
    fn the_environment_can_forbid_rings() {
        let forbidden = std::env::var_os("CICA_NO_URING").is_some_and(|value| value == "1");
        assert_eq!(LinuxDisk::new().rings, !forbidden);
        if !forbidden {
            let again = std::process::Command::new(std::env::current_exe().expect("this test"))
                .args(["--exact", "linux::tests::the_environment_can_forbid_rings"])
                .env("CICA_NO_URING", "1")
                .output()
                .expect("this test again");
            assert!(again.status.success());
            assert!(String::from_utf8_lossy(&again.stdout).contains("1 passed"));
        }
    }
}
