//! Ends of units in the middle of which something else happens: a data set is fenced, or somebody decides.
#![allow(clippy::unwrap_used)]

/// For the other tests of the crate, too.
#[path = "../../tests/common/mod.rs"]
pub(crate) mod common;

use crate::{Argument, Durability, Engine, Intent, LockMode, Patience, Search};
use cica_disk::{MemoryDisk, Open, SimDisk};
use common::doubt::*;
use common::hooked::{hooked, Hook, Hooked};
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// Does something when the log is made durable next, or next behind the file of a unit in doubt; and counts bytes that
/// are read of such files.
#[derive(Default)]
struct InTheMiddle {
    does: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    waits_for_file: AtomicBool,
    read: AtomicUsize,
}

impl InTheMiddle {
    fn then(&self, behind_file: bool, does: impl FnOnce() + Send + 'static) {
        *self.does.lock().unwrap() = Some(Box::new(does));
        self.waits_for_file.store(behind_file, SeqCst);
    }
}

impl Hook for InTheMiddle {
    fn opening(&self, path: &Path, _: Open) -> std::io::Result<()> {
        if path.extension().is_some_and(|extension| extension == "prepared-new") {
            self.waits_for_file.store(false, SeqCst);
        }
        Ok(())
    }

    fn read(&self, file: &Hooked, batch: &mut [cica_disk::ReadAt<'_>]) -> std::io::Result<()> {
        let done = file.file.read(batch);
        if file.path.extension().is_some_and(|extension| extension == "prepared") {
            self.read
                .fetch_add(batch.iter().map(|read| read.got).sum::<usize>(), SeqCst);
        }
        done
    }

    fn sync(&self, file: &Hooked) -> std::io::Result<()> {
        file.file.sync()?;
        let is_log = file.path.parent() == Some(Path::new("/log")) && !file.path.to_string_lossy().contains("prepared");
        if is_log && !self.waits_for_file.load(SeqCst) {
            let does = self.does.lock().unwrap().take();
            if let Some(does) = does {
                does();
            }
        }
        Ok(())
    }
}

/// The data sets `a` and `b` on a disk with such a hook.
fn begun() -> (SimDisk, Arc<InTheMiddle>, World, Engine) {
    let disk = SimDisk::from(cica_disk::Image::with_directories(["/v", "/log"]));
    let hook = Arc::new(InTheMiddle::default());
    let world = World::on(hooked(disk.clone(), hook.clone()), Path::new("/"));
    let engine = world.engine();
    for name in ["a", "b"] {
        loaded(&world, &engine, name, 50);
    }
    (disk, hook, world, engine)
}

/// What the next process finds.
fn found(disk: &SimDisk) -> (Vec<String>, Two) {
    let world = World::on(Arc::new(MemoryDisk::from(disk.image())), Path::new("/"));
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    (names(&engine), both(&a, &b))
}

#[test]
fn a_unit_whose_end_is_durable_is_over_though_a_data_set_was_fenced_meanwhile() {
    for fenced in [0, 1] {
        let (disk, hook, world, engine) = begun();
        let (a, b, unit, _, after) = worked(&world, &engine);
        let inner = if fenced == 0 { &a } else { &b }.near().unwrap().clone();
        // The roots name the log already.
        a.commit().unwrap();
        b.commit().unwrap();
        hook.then(false, move || {
            inner.common().fence_quietly("a test says so");
        });
        unit.commit_with(Durability::Commit).unwrap();
        assert!(insert(&mut a.string(), 3, 1).is_err() == (fenced == 0));
        // There is nothing to be taken back.
        assert_eq!(unit.changes(), 0);
        unit.backout().unwrap();
        drop((a, b, unit, engine));
        let (_, left) = found(&disk);
        assert!(left[fenced] == after[fenced] && left[1] == after[1]);
    }
}

#[test]
fn a_unit_whose_file_is_durable_is_in_doubt_though_a_data_set_was_fenced_meanwhile() {
    let (disk, hook, world, engine) = begun();
    let (a, b, unit, _, after) = worked(&world, &engine);
    let inner = a.near().unwrap().clone();
    hook.then(true, move || {
        inner.common().fence_quietly("a test says so");
    });
    unit.prepare("T1").unwrap();
    assert_eq!(unit.changes(), 0);
    unit.backout().unwrap();
    drop((a, b, unit, engine));
    assert!(found(&disk) == (vec!["T1".to_owned()], after));
}

/// Whoever decides before prepare has returned frees its records.
#[test]
fn a_unit_may_be_decided_about_as_soon_as_it_has_its_file() {
    let (_, hook, world, engine) = begun();
    let (a, b, unit, _, after) = worked(&world, &engine);
    let (decided, (told, decides)) = (engine.clone(), std::sync::mpsc::channel());
    hook.then(true, move || {
        // It waits for the log, which is in the middle of being made durable.
        let decides = std::thread::spawn(move || decided.commit_prepared("T1").unwrap());
        told.send(decides).unwrap();
    });
    unit.prepare("T1").unwrap();
    decides.recv().unwrap().join().unwrap();
    assert!(names(&engine).is_empty());
    assert!(both(&a, &b) == after);
    for n in [10, 70] {
        update(&mut a.string(), n, 9, 60).unwrap();
    }
}

/// A unit that has changed nothing lets go of what it has locked.
#[test]
fn a_unit_that_only_locked_goes_with_its_locks() {
    let (_, _, world, engine) = begun();
    let a = world.open(&engine, "a");
    let unit = engine.unit();
    let mut string = a.string_in(&unit);
    string.lock(&key(10), LockMode::Exclusive, Patience::None).unwrap();
    assert_eq!(codes(update(&mut a.string(), 10, 1, 60)), (8, 20));
    drop((string, unit));
    update(&mut a.string(), 10, 1, 60).unwrap();
}

/// Looking for what others have decided takes as long for a large unit as for a small one.
#[test]
fn of_a_unit_in_doubt_that_is_known_the_head_is_read() {
    let (_, hook, world, engine) = begun();
    let a = world.open(&engine, "a");
    let unit = engine.unit();
    let mut string = a.string_in(&unit);
    for n in 0..40 {
        string
            .get(Argument::Key(&key(n * 10)), Search::Equal, Intent::Update)
            .unwrap();
        string.erase().unwrap();
    }
    drop(string);
    unit.prepare("T1").unwrap();
    hook.read.store(0, SeqCst);
    engine.forget_decided().unwrap();
    assert_eq!(hook.read.load(SeqCst), cica_format::prepared::BODY_AT);
}
