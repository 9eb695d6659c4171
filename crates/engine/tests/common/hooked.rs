//! A disk that a test has its hand in: calls to its files go by way of a hook.

use cica_disk::{Disk, File, Mapped, Open, ReadAt, WriteAt};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is done of a call to a file.
pub trait Hook: Send + Sync + 'static {
    /// Before a file is opened.
    fn opening(&self, _: &Path, _: Open) -> io::Result<()> {
        Ok(())
    }
    /// Before a name is taken away.
    fn removing(&self, _: &Path) {}
    fn read(&self, file: &Hooked, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        file.file.read(batch)
    }
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        file.file.write(batch)
    }
    fn forget(&self, file: &Hooked, at: u64, len: u64) {
        file.file.forget(at, len);
    }
    fn sync(&self, file: &Hooked) -> io::Result<()> {
        file.file.sync()
    }
}

/// An open file, how it was opened, and the file below.
pub struct Hooked {
    pub path: PathBuf,
    pub how: Open,
    pub file: Box<dyn File>,
    hook: Arc<dyn Hook>,
}

/// The disk over `below` whose files' calls go by way of `hook`.
pub fn hooked(below: impl Disk + 'static, hook: Arc<impl Hook>) -> Arc<dyn Disk> {
    Arc::new(HookedDisk {
        below: Arc::new(below),
        hook,
    })
}

struct HookedDisk {
    below: Arc<dyn Disk>,
    hook: Arc<dyn Hook>,
}

impl fmt::Debug for HookedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HookedDisk({:?})", self.below)
    }
}

impl fmt::Debug for Hooked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hooked({})", self.path.display())
    }
}

impl Disk for HookedDisk {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        self.hook.opening(path, how)?;
        Ok(Box::new(Hooked {
            path: path.into(),
            how,
            file: self.below.open(path, how)?,
            hook: self.hook.clone(),
        }))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.below.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.hook.removing(path);
        self.below.remove(path)
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.below.list(directory)
    }
}

impl File for Hooked {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.hook.read(self, batch)
    }
    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        self.hook.write(self, batch)
    }
    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.file.read_back(batch)
    }
    fn sync(&self) -> io::Result<()> {
        self.hook.sync(self)
    }
    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        self.file.size(set)
    }
    fn forget(&self, at: u64, len: u64) {
        self.hook.forget(self, at, len);
    }
    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        self.file.map(at, len)
    }
}
