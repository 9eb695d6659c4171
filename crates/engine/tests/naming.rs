//! A tree is committed while a flush is about to name the log in its root (R12).
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::Survival;
use cica_disk::{Image, MemoryDisk, SimDisk, WriteAt};
use cica_engine::{Argument, DataSet, Insert, Intent, Search};
use common::hooked::{hooked, Hook, Hooked};
use common::{key, sealed, World};
use std::io;
use std::path::Path;
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

#[test]
fn a_root_has_no_request_that_the_log_it_names_has_not() {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let hook = Arc::new(CommitsMeanwhile::default());
    let world = World::on(hooked(disk.clone(), hook.clone()), Path::new("/"));
    world.create(&world.engine(), "a", |_, _| {});
    let load = world.open(&world.engine(), "a");
    for n in 0..20 {
        load.string().insert(&sealed(n, 1, 100), Insert::Sequential).unwrap();
    }
    load.close().unwrap();
    let open = Arc::new(world.open(&world.engine(), "a"));
    let mut string = open.string();
    let update = |string: &mut cica_engine::Str, value: u64| {
        string.get(Argument::Key(&key(5)), Search::Equal, Intent::Update).unwrap();
        string.update(&sealed(5, value, 100)).unwrap();
    };
    update(&mut string, 2);
    let begun = disk.events();
    *hook.of.lock().unwrap() = Some(open.clone());
    open.commit().unwrap();
    let commits = hook.commits.lock().unwrap().take().expect("the log was written");
    commits.join().unwrap();
    let answered = disk.events();
    drop(string);
    disk.kill();
    let trace = disk.trace();
    for (at, kept) in (begun..=answered).flat_map(|at| [(at, Survival::Lost), (at, Survival::Whole)]) {
        let left = trace.crash_after(at).image(|_, _| kept);
        let world = World::on(Arc::new(MemoryDisk::from(left)), Path::new("/"));
        let open = world.open(&world.engine(), "a");
        let mut string = open.string();
        let found = string.get(Argument::Key(&key(5)), Search::Equal, Intent::Read).unwrap();
        let value = common::unsealed(found.bytes);
        assert!(value == 2 || value == 1 && at < answered, "{value} after call {at}");
    }
}
