//! [`Disk`]: a place that holds files, one half of the seam.

use crate::file::{Begun, File, ReadAt};
use crate::open::{Create, Open, StreamMode};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Who has a lock on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// This process and nobody else, by another open of it.
    This,
    /// Others, by process and program.
    Others(String),
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::This => write!(f, "this process"),
            Holder::Others(who) => write!(f, "{who}"),
        }
    }
}

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

    /// Begins a file that is to take the place of `path` when it is whole, as [`NewFile`](crate::NewFile) does: `meanwhile`
    /// is the name beside it that it gets where it cannot be without one.
    ///
    /// # Errors
    /// `AlreadyExists`: something has that name. `IsADirectory`: `path` is one.
    fn begin(&self, path: &Path, meanwhile: &Path) -> io::Result<Begun> {
        let _ = path;
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        self.open(meanwhile, how).map(Begun::Named)
    }

    /// Opens what lies outside the volumes, whatever it is; see [`StreamMode`].
    ///
    /// # Errors
    /// What the system says.
    fn stream(&self, path: &Path, way: StreamMode) -> io::Result<Box<dyn File>> {
        let how = Open {
            write: way == StreamMode::Behind,
            ..Open::default()
        };
        self.open(path, how)
    }

    /// Gives a file the group that another has, whose place it is to take. Where that is not allowed it keeps its own.
    fn keep_group(&self, of: &Path, file: &Path) {
        let _ = (of, file);
    }

    /// Whether both paths lead to the same plain file, under whatever names and links.
    fn is_same(&self, one: &Path, other: &Path) -> bool {
        one == other
    }

    /// Who has a lock on a file, as far as that can be told: for people.
    fn holder(&self, path: &Path) -> Option<Holder> {
        let _ = path;
        None
    }

    /// Lets files of a directory be touched: `said` by the user, else named by a file that may be touched. Only
    /// [`Confined`](crate::Confined) asks for it.
    ///
    /// # Errors
    /// It lies outside; see [`is_outside`](crate::is_outside).
    fn admit(&self, directory: &Path, explicit: bool) -> io::Result<()> {
        let _ = (directory, explicit);
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
