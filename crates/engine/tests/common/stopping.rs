//! A disk that stops once before the next write to some of its files, and does something else first.

use cica_disk::{Disk, File, MemoryDisk, Open, ReadAt, WriteAt};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

type Moment = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// See the module.
#[derive(Clone)]
pub struct Stopping {
    disk: MemoryDisk,
    /// The files are those whose paths start with it.
    at: &'static str,
    moment: Moment,
}

struct StoppingFile {
    file: Box<dyn File>,
    moment: Option<Moment>,
}

impl Stopping {
    pub fn at(prefix: &'static str) -> Stopping {
        Stopping {
            disk: MemoryDisk::default(),
            at: prefix,
            moment: Moment::default(),
        }
    }

    /// Before the next write there, `act`.
    pub fn stop(&self, act: impl FnOnce() + Send + 'static) {
        *self.moment.lock().unwrap() = Some(Box::new(act));
    }

    /// It was written there.
    pub fn has_stopped(&self) -> bool {
        self.moment.lock().unwrap().is_none()
    }
}

impl fmt::Debug for Stopping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stopping")
    }
}

impl fmt::Debug for StoppingFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoppingFile")
    }
}

impl Disk for Stopping {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        Ok(Box::new(StoppingFile {
            file: self.disk.open(path, how)?,
            moment: path.to_string_lossy().starts_with(self.at).then(|| self.moment.clone()),
        }))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.disk.list(directory)
    }
}

impl File for StoppingFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.file.read(batch)
    }
    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        let moment = self.moment.as_ref().and_then(|moment| moment.lock().unwrap().take());
        moment.into_iter().for_each(|act| act());
        self.file.write(batch)
    }
    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        self.file.size(set)
    }
}
