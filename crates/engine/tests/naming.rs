//! What happens between the group that introduces a data set, its root that names the log, and its first requests: a
//! tree is committed then (R12), or the power is cut and its volume is away when others recover the log (V1).
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Event, Survival};
use cica_disk::{Disk, Image, MemoryDisk, Open, SimDisk, WriteAt};
use cica_engine::{Argument, DataSet, Insert, Intent, Search, Str};
use cica_format::VOLUME_MARK;
use common::hooked::{hooked, Hook, Hooked};
use common::{key, sealed, World};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{mpsc, Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Commits the tree at the first write to the log: the group that introduces the data set, before its root names the
/// log. The commit has to wait for the flush, so the write goes on after a while without it.
#[derive(Default)]
struct CommitsMeanwhile {
    of: Mutex<Option<Arc<DataSet>>>,
    commits: Mutex<Option<JoinHandle<()>>>,
}

impl Hook for CommitsMeanwhile {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        let is_group = batch.iter().any(|write| write.at > 0 && write.buf.starts_with(b"CiLG"));
        let of = is_group.then(|| self.of.lock().unwrap().take()).flatten();
        if let Some(of) = of {
            let (done, is_done) = mpsc::channel();
            *self.commits.lock().unwrap() = Some(std::thread::spawn(move || {
                of.checkpoint().unwrap();
                // Nobody waits any more where it waited for the flush.
                let _ = done.send(());
            }));
            let _ = is_done.recv_timeout(Duration::from_millis(300));
        }
        file.file.write(batch)
    }
}

fn loaded(world: &World, name: &str) {
    world.create(&world.engine(), name, |_, _| {});
    let load = world.open(&world.engine(), name);
    for n in 0..20 {
        load.string().insert(&sealed(n, 1, 100), Insert::Sequential).unwrap();
    }
    load.close().unwrap();
}

fn update(of: &DataSet, value: u64) {
    update_in(&mut of.string(), value);
}

fn update_in(string: &mut Str, value: u64) {
    string
        .get(Argument::Key(&key(5)), Search::Equal, Intent::Update)
        .unwrap();
    string.update(&sealed(5, value, 100)).unwrap();
}

fn value(of: &DataSet) -> u64 {
    let mut string = of.string();
    common::unsealed(
        string
            .get(Argument::Key(&key(5)), Search::Equal, Intent::Read)
            .unwrap()
            .bytes,
    )
}

#[test]
fn a_root_has_no_request_that_the_log_it_names_has_not() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let hook = Arc::new(CommitsMeanwhile::default());
    let world = World::on(hooked(disk.clone(), hook.clone()), Path::new("/"));
    loaded(&world, "a");
    let open = Arc::new(world.open(&world.engine(), "a"));
    update(&open, 2);
    let begun = disk.events();
    *hook.of.lock().unwrap() = Some(open.clone());
    open.commit().unwrap();
    let commits = hook.commits.lock().unwrap().take().expect("the log was written");
    commits.join().unwrap();
    let answered = disk.events();
    disk.kill();
    let trace = disk.trace();
    for (at, kept) in (begun..=answered).flat_map(|at| [(at, Survival::Lost), (at, Survival::Whole)]) {
        let left = trace.crash_after(at).image(|_, _| kept);
        let world = World::on(Arc::new(MemoryDisk::from(left)), Path::new("/"));
        let open = world.open(&world.engine(), "a");
        let value = value(&open);
        assert!(value == 2 || value == 1 && at < answered, "{value} after call {at}");
    }
}

#[test]
fn a_log_stays_for_what_it_introduces_and_is_away() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    ["a", "b"].iter().for_each(|name| loaded(&world, name));
    let engine = world.engine();
    let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
    update(&a, 2);
    a.commit().unwrap();
    update(&b, 2);
    let begun = disk.events();
    b.commit().unwrap();
    let answered = disk.events();
    disk.kill();
    let trace = disk.trace();
    for (at, kept) in (begun..=answered).flat_map(|at| [(at, Survival::Lost), (at, Survival::Whole)]) {
        let left = trace.crash_after(at).image(|_, _| kept);
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::from(left));
        let world = World::on(disk.clone(), Path::new("/"));
        // Its volume is not mounted: neither the files are there, nor the mark beside them.
        let (data, index) = world.paths("b");
        let mark = data.with_file_name(VOLUME_MARK);
        let away = [data, index, mark].map(|path| (path.clone(), PathBuf::from(format!("{}-away", path.display()))));
        away.iter().for_each(|(path, away)| disk.rename(path, away).unwrap());
        assert_eq!(value(&world.open(&world.engine(), "a")), 2);
        away.iter().for_each(|(path, away)| disk.rename(away, path).unwrap());
        let found = value(&world.open(&world.engine(), "b"));
        assert!(found == 2 || found == 1 && at < answered, "{found} after call {at}");
    }
}

/// A log has started over, the power is cut before anything else is durable, and one copy of the root is damaged: the
/// other does (R9).
#[test]
fn either_copy_of_a_root_does_without_the_log_that_has_started_over() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    loaded(&world, "a");
    let engine = world.engine();
    // A checkpoint finds any log worth starting over.
    engine.start_log_over_after(64 << 10);
    let a = world.open(&engine, "a");
    update(&a, 2);
    a.commit().unwrap();
    a.checkpoint().unwrap();
    let begun = disk.events();
    update(&a, 3);
    a.commit().unwrap();
    disk.kill();
    let trace = disk.trace();
    let root = |event: &Event| match event {
        Event::Write { at, bytes, .. } if bytes.starts_with(b"CICAROOT") => Some(*at),
        _ => None,
    };
    let copies: BTreeSet<u64> = trace.events().iter().filter_map(root).collect();
    assert_eq!(copies.len(), 2, "{copies:?}");
    // The log is written to anew, and from the next root on it is that one which counts. One that names the log early
    // is on its way before.
    let group = |event: &Event| matches!(event, Event::Write { bytes, .. } if bytes.starts_with(b"CiLG"));
    let from = |first: usize, is: &dyn Fn(&Event) -> bool| {
        let found = trace.events().iter().skip(first).position(is);
        first + found.expect("the commit writes both")
    };
    let next = from(from(begun, &group), &|event| root(event).is_some());
    for (at, damaged) in (begun..=next).flat_map(|at| copies.iter().map(move |copy| (at, *copy))) {
        let left = trace.crash_after(at).image(|_, _| Survival::Lost);
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::from(left));
        let world = World::on(disk.clone(), Path::new("/"));
        let how = Open {
            write: true,
            ..Open::default()
        };
        let file = disk.open(&world.paths("a").0, how).unwrap();
        let (at_copy, buf) = (damaged + 16, &[0xFF; 64][..]);
        file.write(&[WriteAt { at: at_copy, buf }]).unwrap();
        drop(file);
        let found = value(&world.open(&world.engine(), "a"));
        assert_eq!(found, 2, "after call {at}, copy at {damaged} damaged");
    }
}

/// The log starts over at the length of an epoch, with a unit open in one of its two data sets, whose root names the
/// log still. Whatever a power cut leaves, the next epoch introduces that data set, and takes the unit back (W7, Y2).
#[test]
fn the_epoch_that_begins_introduces_the_data_set_of_an_open_unit() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    ["a", "b"].iter().for_each(|name| loaded(&world, name));
    let engine = world.engine();
    engine.start_log_over_after(16 << 10);
    let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
    let unit = engine.unit();
    update_in(&mut a.string_in(&unit), 2);
    a.commit().unwrap();
    let begun = disk.events();
    let last = 100;
    for value in 2..=last {
        update(&b, value);
        b.commit().unwrap();
    }
    disk.kill();
    drop(unit);
    let trace = disk.trace();
    let group = |event: &Event| match event {
        Event::Write { at, bytes, .. } if bytes.starts_with(b"CiLG") => Some(*at),
        _ => None,
    };
    let groups: Vec<u64> = trace.events()[begun..].iter().filter_map(group).collect();
    assert!(!groups.is_sorted(), "the log starts over");
    let mut had = 1;
    for at in begun..=trace.events().len() {
        let left = trace.crash_after(at).image(|_, _| Survival::Lost);
        let world = World::on(Arc::new(MemoryDisk::from(left)), Path::new("/"));
        assert_eq!(value(&world.open(&world.engine(), "a")), 1, "after call {at}");
        let found = value(&world.open(&world.engine(), "b"));
        assert!(found >= had, "{found} behind {had}, after call {at}");
        had = found;
    }
    assert_eq!(had, last);
}
