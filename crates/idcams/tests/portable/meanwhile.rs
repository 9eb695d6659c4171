//! Between two steps of a command: another process changes what it works on, or a directory cannot be made durable.

use crate::files::{leftovers, live, on_volume, records, Files, SMALL};
use crate::world::World;
use cica_disk::{Disk, File, LinuxDisk, MemoryDisk, Open, ReadAt, WriteAt};
use cica_engine::{Access, Insert};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Called before something is opened; what it returns is taken for the file.
type Act = Box<dyn FnMut(&Path, Open) -> Option<Box<dyn File>> + Send>;

#[derive(Clone)]
pub struct Meanwhile<D> {
    disk: D,
    act: Arc<Mutex<Option<Act>>>,
}

impl<D: Disk> Meanwhile<D> {
    pub fn on(disk: D) -> Self {
        Meanwhile {
            disk,
            act: Arc::default(),
        }
    }

    pub fn act(&self, act: impl FnMut(&Path, Open) -> Option<Box<dyn File>> + Send + 'static) {
        *self.act.lock().unwrap() = Some(Box::new(act));
    }
}

impl<D: Disk> std::fmt::Debug for Meanwhile<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.disk.fmt(f)
    }
}

impl<D: Disk> Disk for Meanwhile<D> {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let instead = self.act.lock().unwrap().as_mut().and_then(|act| act(path, how));
        instead.map_or_else(|| self.disk.open(path, how), Ok)
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

/// A directory that is only synced, and whose sync fails.
#[derive(Debug)]
struct Unsyncable;

impl File for Unsyncable {
    fn read(&self, _: &mut [ReadAt<'_>]) -> io::Result<()> {
        unreachable!()
    }
    fn write(&self, _: &[WriteAt<'_>]) -> io::Result<()> {
        unreachable!()
    }
    fn sync(&self) -> io::Result<()> {
        Err(io::Error::other("out of order"))
    }
    fn size(&self, _: Option<u64>) -> io::Result<u64> {
        unreachable!()
    }
}

#[test]
fn what_another_process_changed_since_the_export_began_is_not_taken_away() {
    let (disk, files) = (Meanwhile::on(MemoryDisk::new()), Files::new());
    let mut world = World::on(Arc::new(disk.clone()));
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 20);
    files.dd(&mut world, "COPY");
    let before = records(&world, "PAY.SMALL").len();
    let (data, other) = (world.paths("PAY.SMALL").0, disk.disk.clone());
    let mut opened = 0;
    disk.act(move |path, _| {
        opened += usize::from(path == data);
        // It is looked at for units in doubt and for what it is, and copied then.
        if path == data && opened == 3 {
            let data_set = World::on(Arc::new(other.clone())).open("PAY.SMALL", Access::Output);
            let record = format!("{:011}", 1_000_000);
            data_set.string().insert(record.as_bytes(), Insert::Direct).unwrap();
            data_set.close().unwrap();
        }
        None
    });
    let told = world.messages("EXPORT PAY.SMALL OUTFILE(COPY)", 12);
    assert!(
        told.iter().any(|m| m.contains("was changed while it was exported")),
        "{told:#?}"
    );
    assert_eq!(records(&world, "PAY.SMALL").len(), before + 1);
}

#[test]
fn a_sequential_data_set_whose_directory_is_not_durable_is_not_called_written() {
    let files = Files::new();
    let disk = Meanwhile::on(LinuxDisk::new());
    let mut world = World::at(Arc::new(disk.clone()), &files.path("cat"));
    world.ok("DEF NVSAM (NAME(PAY.LINES) DEVT(3390) VOL(CICA01))");
    files.write("CARDS", b"ONE\nTWO\n");
    files.dd(&mut world, "CARDS");
    let copy = "REPRO INFILE(CARDS) OUTDATASET(PAY.LINES)";
    let volume = files.path("cat/volumes/CICA01");
    disk.act(move |path, how| {
        if how.directory && path == volume {
            Some(Box::new(Unsyncable))
        } else {
            None
        }
    });
    let told = world.messages(copy, 8);
    assert!(told.iter().any(|m| m.contains("out of order")), "{told:#?}");
    disk.act(|_, _| None);
    world.ok(copy);
}

/// The copy of the catalog that the volume keeps is renamed into the same directory, but that may fail unseen.
#[test]
fn a_file_whose_removal_is_not_durable_stays_on_the_list() {
    let disk = Meanwhile::on(MemoryDisk::new());
    let mut world = World::on(Arc::new(disk.clone()));
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 20);
    let (old, other) = (world.paths("PAY.SMALL").0, disk.disk.clone());
    disk.act(move |path, how| {
        let is_removed = || other.open(&old, Open::default()).is_err();
        if how.directory && Some(path) == old.parent() && is_removed() {
            Some(Box::new(Unsyncable))
        } else {
            None
        }
    });
    world.ok("ALTER PAY.SMALL REORGANIZE()");
    assert!(leftovers(&world) > 0);
    disk.act(|_, _| None);
    let world = world.other();
    assert_eq!((leftovers(&world), on_volume(&world).len()), (0, 2));
}
