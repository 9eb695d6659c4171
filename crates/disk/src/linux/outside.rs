//! What users keep outside the volumes: copies, listings, sequential files, and what stands in their place, pipes and
//! devices and terminals.
//!
//! 1. A plain file is read and written where a request says. All else is a stream.
//! 2. What is written behind what a file has goes there whoever else writes to it: the system finds the end.
//! 3. Standard input, output and error are the caller's: they are read and written from where they stand, as what he
//!    runs before and behind does. What is written to them is a stream, be it a file or not.
//! 4. A child after `fork` has its parent's files here, as other programs' children have; nothing of them is locked.

use super::inherited::{has_no_input, has_no_output};
use super::kept::keep_rights;
use super::place::DirectoryEntry;
use super::MODE;
use crate::error::{failed, Action};
use crate::{Begun, File, ReadAt, StreamMode, Visible, WriteAt};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{self, AtFlags, FileType, OFlags, CWD};
use rustix::io::Errno;
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// An open file of a user's.
#[derive(Debug)]
pub(super) struct OutsideFile {
    file: std::fs::File,
    path: PathBuf,
    plain: bool,
    /// Where a plain file begins for who reads it (3).
    from: u64,
    /// The system finds the end for what is written.
    behind: bool,
    /// It is a terminal, which data must not steer.
    terminal: Option<Mutex<Visible<std::fs::File>>>,
}

impl OutsideFile {
    fn of(file: std::fs::File, path: &Path, behind: bool) -> io::Result<OutsideFile> {
        let found = file.metadata().map_err(|error| failed(Action::Measure, path, error))?;
        let terminal = if behind && file.is_terminal() {
            let again = file.try_clone().map_err(|error| failed(Action::Open, path, error))?;
            Some(Mutex::new(Visible::of(again, true)))
        } else {
            None
        };
        Ok(OutsideFile {
            file,
            path: path.to_path_buf(),
            plain: found.is_file(),
            from: 0,
            behind,
            terminal,
        })
    }

    /// See [`crate::Disk::stream`].
    pub fn open(path: &Path, way: StreamMode) -> io::Result<OutsideFile> {
        match way {
            StreamMode::Read => {
                if let Some(file) = standard(path) {
                    return OutsideFile::input(file?, path);
                }
                let file = std::fs::File::open(path).map_err(|error| failed(Action::Open, path, error))?;
                OutsideFile::of(file, path, false)
            }
            StreamMode::ReadPlain => OutsideFile::plain(path),
            StreamMode::Behind if is_a_descriptor(path) => OutsideFile::as_it_is(path),
            StreamMode::Behind => {
                let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NOCTTY;
                OutsideFile::of(opened(path, flags)?, path, true)
            }
        }
    }

    fn input(mut file: std::fs::File, path: &Path) -> io::Result<OutsideFile> {
        // What cannot be sought has no place.
        let from = file.stream_position().unwrap_or(0);
        Ok(OutsideFile {
            from,
            ..OutsideFile::of(file, path, false)?
        })
    }

    fn plain(path: &Path) -> io::Result<OutsideFile> {
        let refused = || {
            let cause = io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file");
            Err(failed(Action::Open, path, cause))
        };
        // Who waits to write to a pipe would take an open of it for his reader.
        let there = DirectoryEntry::of(path, Action::Open)?.stat(false);
        let is_pipe = |stat: &fs::Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo;
        if there.is_ok_and(|stat| is_pipe(&stat)) {
            return refused();
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = OutsideFile::of(opened(path, flags)?, path, false)?;
        if file.plain {
            Ok(file)
        } else {
            refused()
        }
    }

    fn as_it_is(path: &Path) -> io::Result<OutsideFile> {
        if let Some(file) = standard(path) {
            return Ok(OutsideFile {
                plain: false,
                ..OutsideFile::of(file?, path, true)?
            });
        }
        let file = std::fs::File::options().append(true).open(path);
        OutsideFile::of(file.map_err(|error| failed(Action::Open, path, error))?, path, true)
    }
}

/// See [`crate::Disk::begin`].
pub(super) fn begin(path: &Path, meanwhile: &Path) -> io::Result<Begun> {
    if let Ok(there) = &fs::stat(path) {
        match FileType::from_raw_mode(there.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(failed(Action::Make, path, io::ErrorKind::IsADirectory)),
            _ => return Ok(Begun::AsItIs(Box::new(OutsideFile::as_it_is(path)?))),
        }
    }
    // Standard output may be a file: it is the caller's, and has no name here.
    if is_a_descriptor(path) {
        return Ok(Begun::AsItIs(Box::new(OutsideFile::as_it_is(path)?)));
    }
    let place = DirectoryEntry::of(path, Action::Make)?;
    let plain = place
        .stat(false)
        .ok()
        .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    // Until it has the owner and the group of what it replaces, it is its maker's alone.
    let mode = plain.as_ref().map_or(MODE, |stat| stat.st_mode & 0o600);
    let error = |errno: Errno| failed(Action::Make, path, errno);
    let (fd, has_a_name) = match unnamed(&place, mode) {
        Some(fd) => (fd, false),
        None => (
            DirectoryEntry::of(meanwhile, Action::Make)?
                .open(NEW, mode)
                .map_err(error)?,
            true,
        ),
    };
    if let Some(there) = &plain {
        keep_rights(&place, there, &fd).map_err(|errno| {
            if has_a_name {
                // Nobody else knows of it. What cannot be removed is found by its name.
                let _ = DirectoryEntry::of(meanwhile, Action::Make).map(|entry| entry.unlink(AtFlags::empty()));
            }
            error(errno)
        })?;
    }
    let file = Box::new(OutsideFile::of(fd.into(), path, false)?);
    Ok(if has_a_name {
        Begun::Named(file)
    } else {
        Begun::Unnamed(file)
    })
}

const NEW: OFlags = OFlags::RDWR
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW);

/// A file without a name; none where there is no such thing.
fn unnamed(place: &DirectoryEntry<'_>, mode: u32) -> Option<OwnedFd> {
    // Without /proc it could not get one.
    if !Path::new("/proc/self/fd").exists() {
        return None;
    }
    place.open_beside(".", OFlags::RDWR | OFlags::TMPFILE, mode).ok()
}

/// Whether a path stands for something that is open.
fn is_a_descriptor(path: &Path) -> bool {
    let all = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    all.iter().any(|one| path.starts_with(one))
}

/// Standard input, output or error, where a path stands for one of them.
fn standard(path: &Path) -> Option<io::Result<std::fs::File>> {
    let of = |number: &str, name: &str| {
        let all = [
            format!("/dev/fd/{number}"),
            format!("/proc/self/fd/{number}"),
            name.to_owned(),
        ];
        all.iter().any(|one| path == Path::new(one))
    };
    let again = if of("0", "/dev/stdin") {
        if has_no_input() {
            return Some(Err(failed(Action::Open, path, io::Error::from(Errno::BADF))));
        }
        io::stdin().as_fd().try_clone_to_owned()
    } else if of("1", "/dev/stdout") {
        if has_no_output() {
            return Some(Err(failed(Action::Open, path, io::Error::from(Errno::BADF))));
        }
        io::stdout().as_fd().try_clone_to_owned()
    } else if of("2", "/dev/stderr") {
        io::stderr().as_fd().try_clone_to_owned()
    } else {
        return None;
    };
    Some(again.map(Into::into).map_err(|error| failed(Action::Open, path, error)))
}

fn opened(path: &Path, flags: OFlags) -> io::Result<std::fs::File> {
    let place = DirectoryEntry::of(path, Action::Open)?;
    let opened = place.open(flags, 0);
    Ok(opened
        .map_err(|errno| failed(Action::Open, path, place.cause(errno)))?
        .into())
}

impl File for OutsideFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        for read in batch {
            let done = if self.plain {
                self.file.read_at(read.buf, self.from + read.at)
            } else {
                (&self.file).read(read.buf)
            };
            let (at, len) = (read.at, read.buf.len());
            read.got = done.map_err(|error| failed(Action::Read { at, len }, &self.path, error))?;
        }
        Ok(())
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        for write in batch {
            let done = match &self.terminal {
                Some(terminal) => terminal
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .write_all(write.buf),
                None if self.plain && !self.behind => self.file.write_all_at(write.buf, write.at),
                None => (&self.file).write_all(write.buf),
            };
            let (at, len) = (write.at, write.buf.len());
            done.map_err(|error| failed(Action::Write { at, len }, &self.path, error))?;
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let synced = self.file.sync_all();
        synced.map_err(|error| failed(Action::Sync, &self.path, error))
    }

    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        if let Some(to) = set {
            let cut = self.file.set_len(to);
            cut.map_err(|error| failed(Action::Resize { to }, &self.path, error))?;
        }
        let found = self.file.metadata();
        found
            .map(|found| found.len().saturating_sub(self.from))
            .map_err(|error| failed(Action::Measure, &self.path, error))
    }

    fn give_name(&self, path: &Path) -> io::Result<()> {
        let place = DirectoryEntry::of(path, Action::Make)?;
        let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        place
            .link_here(CWD, &own, AtFlags::SYMLINK_FOLLOW)
            .map_err(|errno| failed(Action::Make, path, errno))
    }

    fn is_stream(&self) -> bool {
        !self.plain
    }
}
