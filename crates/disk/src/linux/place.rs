//! A place: a name in an open directory. Everything that is done to the name is done by that directory's descriptor, so
//! that it happens in the directory that was opened, whatever becomes of the path to it meanwhile.
//!
//! A name is one component and links in its place are not followed, which leaves no way out of the directory; `openat2` with
//! `RESOLVE_BENEATH` would not say more.

use super::{spelled, uninterrupted};
use crate::error::{failed, Action};
use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, Mode, OFlags, CWD};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;

/// See the module.
pub(super) struct DirectoryEntry<'p> {
    /// None for a path without a last name, such as `/`, which is where it is.
    directory: Option<OwnedFd>,
    name: &'p OsStr,
    /// As it was asked for.
    pub(super) path: &'p Path,
}

impl<'p> DirectoryEntry<'p> {
    /// Opens the directory in which a path ends.
    pub fn of(path: &'p Path, action: Action) -> io::Result<DirectoryEntry<'p>> {
        let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else {
            return Ok(DirectoryEntry {
                directory: None,
                name: path.as_os_str(),
                path,
            });
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = uninterrupted(|| fs::open(spelled(parent), flags, Mode::empty()));
        Ok(DirectoryEntry {
            directory: Some(directory.map_err(|errno| failed(action, path, errno))?),
            name,
            path,
        })
    }

    fn at(&self) -> rustix::fd::BorrowedFd<'_> {
        use rustix::fd::AsFd;
        self.directory.as_ref().map_or(CWD, |directory| directory.as_fd())
    }

    pub fn open(&self, flags: OFlags, mode: u32) -> Result<OwnedFd, Errno> {
        self.open_beside(self.name, flags, mode)
    }

    /// Opens another name of the same directory.
    pub fn open_beside(&self, name: impl AsRef<OsStr>, flags: OFlags, mode: u32) -> Result<OwnedFd, Errno> {
        let (name, mode) = (name.as_ref(), Mode::from_raw_mode(mode));
        uninterrupted(|| fs::openat(self.at(), name, flags | OFlags::CLOEXEC, mode))
    }

    /// The directory's own properties.
    pub fn stat_directory(&self) -> Result<fs::Stat, Errno> {
        match &self.directory {
            Some(directory) => fs::fstat(directory),
            None => fs::stat(self.name),
        }
    }

    /// What has the name; a link is followed for a directory alone.
    pub fn stat(&self, directory: bool) -> Result<fs::Stat, Errno> {
        let flags = if directory {
            AtFlags::empty()
        } else {
            AtFlags::SYMLINK_NOFOLLOW
        };
        fs::statat(self.at(), self.name, flags)
    }

    /// An extended attribute of what has the name, which is no link.
    pub fn attribute(&self, name: &str) -> Result<Vec<u8>, Errno> {
        let file = self.open(OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY, 0);
        let mut bytes = vec![0; 65_536];
        let length = match file {
            Ok(file) => fs::fgetxattr(file, name, &mut bytes)?,
            // One may know of a file what one may not read in it.
            Err(_) => fs::lgetxattr(self.path, name, &mut bytes)?,
        };
        bytes.truncate(length);
        Ok(bytes)
    }

    pub fn is_there_beside(&self, name: &str) -> bool {
        fs::statat(self.at(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    pub fn mkdir(&self, mode: u32) -> Result<(), Errno> {
        fs::mkdirat(self.at(), self.name, Mode::from_raw_mode(mode))
    }

    pub fn rename(&self, to: &DirectoryEntry<'_>) -> Result<(), Errno> {
        fs::renameat(self.at(), self.name, to.at(), to.name)
    }

    /// Gives an open file this name.
    pub fn link_here(&self, at: impl rustix::fd::AsFd, file: &str, flags: AtFlags) -> Result<(), Errno> {
        fs::linkat(at, file, self.at(), self.name, flags)
    }

    pub fn unlink(&self, flags: AtFlags) -> Result<(), Errno> {
        fs::unlinkat(self.at(), self.name, flags)
    }

    /// What a failure to open the name means.
    pub fn cause(&self, errno: Errno) -> io::Error {
        match errno {
            Errno::LOOP => io::Error::new(
                ErrorKind::InvalidInput,
                "it is a symbolic link, and links to files are not followed; name the file itself, or put it there",
            ),
            errno => errno.into(),
        }
    }
}
