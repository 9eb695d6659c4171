//! A disk on which another thread may go on before a call takes effect, and before its caller knows.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cica_disk::{Disk, File, Mapped, Open, ReadAt, SimDisk, WriteAt};

use crate::random::Random;

/// See the module; how long a call takes follows from the numbers drawn.
#[derive(Debug, Clone)]
pub struct Slow(SimDisk, Arc<Mutex<Random>>);

impl Slow {
    /// The disk, made slow.
    pub fn new(disk: SimDisk, random: Random) -> Slow {
        Slow(disk, Arc::new(Mutex::new(random)))
    }
}

fn slowly<R>(random: &Mutex<Random>, call: impl FnOnce() -> R) -> R {
    patience(random);
    let done = call();
    patience(random);
    done
}

fn patience(random: &Mutex<Random>) {
    let turns = match random.lock().unwrap_or_else(PoisonError::into_inner).below(12) {
        0 => 200,
        1..4 => 5,
        _ => 0,
    };
    (0..turns).for_each(|_| shuttle::thread::yield_now());
}

impl Disk for Slow {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let file = slowly(&self.1, || self.0.open(path, how))?;
        Ok(Box::new(SlowFile(file, self.1.clone())))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        slowly(&self.1, || self.0.rename(from, to))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        slowly(&self.1, || self.0.remove(path))
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        slowly(&self.1, || self.0.list(directory))
    }
}

#[derive(Debug)]
struct SlowFile(Box<dyn File>, Arc<Mutex<Random>>);

impl File for SlowFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        slowly(&self.1, || self.0.read(batch))
    }
    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        slowly(&self.1, || self.0.write(batch))
    }
    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        slowly(&self.1, || self.0.read_back(batch))
    }
    fn sync(&self) -> io::Result<()> {
        slowly(&self.1, || self.0.sync())
    }
    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        slowly(&self.1, || self.0.size(set))
    }
    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        slowly(&self.1, || self.0.map(at, len))
    }
}
