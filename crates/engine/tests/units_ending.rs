//! A unit of recovery is open until the log holds its end (U1): what others may do is asked in the very moment in which
//! the log is written.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Disk, File, MemoryDisk, Open, ReadAt, WriteAt};
use cica_engine::*;
use common::keyed::*;
use common::*;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

type Moment = Box<dyn FnOnce() + Send>;

/// A disk that stops once before the next write to a log, and does something else first.
#[derive(Clone, Default)]
struct Stopping {
    disk: MemoryDisk,
    then: Arc<Mutex<Option<Moment>>>,
}

struct StoppingFile {
    file: Box<dyn File>,
    then: Option<Arc<Mutex<Option<Moment>>>>,
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
            then: path.starts_with("/log").then(|| self.then.clone()),
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
        let moment = self.then.as_ref().and_then(|then| then.lock().unwrap().take());
        moment.into_iter().for_each(|moment| moment());
        self.file.write(batch)
    }
    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        self.file.size(set)
    }
}

/// Ends a unit that inserted record 5; what another owner is answered who inserts it when the log is written.
fn asked_at_the_end(end: impl FnOnce(&UnitOfRecovery)) -> (u8, u8) {
    let disk = Stopping::default();
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a", 10);
    let ds = world.open(&engine, "a");
    let unit = engine.unit();
    insert(&mut ds.string_in(&unit), 5, 1).unwrap();
    // The log has a file, and all there is to be written is the unit's end.
    ds.commit().unwrap();
    let answer = Arc::new(Mutex::new(None));
    let (other, answered) = (Arc::new(ds), answer.clone());
    let ds = other.clone();
    *disk.then.lock().unwrap() = Some(Box::new(move || {
        let inserted = insert(&mut other.string(), 5, 2);
        *answered.lock().unwrap() = Some(inserted.map_or_else(|error| codes(Err::<(), _>(error)), |()| (0, 0)));
    }));
    end(&unit);
    assert!(disk.then.lock().unwrap().is_none(), "the log was written");
    drop((unit, ds));
    let answer = answer.lock().unwrap().take();
    answer.unwrap()
}

#[test]
fn a_unit_keeps_its_records_until_the_log_has_its_commit() {
    assert_eq!(asked_at_the_end(|unit| unit.commit().unwrap()), (8, 20));
}

/// Were the record free before, its tree could be committed with what the other owner made of it, and the next open
/// would take the unit back in that.
#[test]
fn a_unit_keeps_its_records_until_the_log_has_its_backout() {
    assert_eq!(asked_at_the_end(|unit| unit.backout().unwrap()), (8, 20));
}
