//! A file system that is mounted for reading, after a crash: what is said is true and loses nothing.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Create, DiskError, MemoryDisk, Open};
use cica_engine::{Access, Insert, OpenOptions};
use common::hooked::{hooked, Hook};
use common::{key, World};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;

/// Refuses to open for writing, in the system's words, while it is on.
struct ReadOnly(AtomicBool, i32);

impl Hook for ReadOnly {
    fn opening(&self, path: &Path, how: Open) -> io::Result<()> {
        if !self.0.load(SeqCst) || !(how.write || how.create != Create::No) {
            return Ok(());
        }
        let cause = io::Error::from_raw_os_error(self.1);
        let error = DiskError {
            action: cica_disk::Action::Open,
            path: path.to_path_buf(),
            cause,
        };
        Err(io::Error::new(io::Error::from_raw_os_error(self.1).kind(), error))
    }
}

#[test]
fn a_crash_that_cannot_be_recovered_for_want_of_writing_asks_for_that() {
    const EROFS: i32 = 30;
    const EACCES: i32 = 13;
    for number in [EROFS, EACCES] {
        let memory = MemoryDisk::new();
        let hook = Arc::new(ReadOnly(AtomicBool::new(false), number));
        let world = World::on(hooked(memory.clone(), hook.clone()), Path::new("/"));
        let engine = world.engine();
        world.create(&engine, "x", |_, _| ());
        let open = world.open(&engine, "x");
        for n in 0..20 {
            open.string()
                .insert(&[key(n), b" record".to_vec()].concat(), Insert::Sequential)
                .unwrap();
        }
        open.close().unwrap();
        let open = world.open(&engine, "x");
        open.string()
            .insert(&[key(100), b" record".to_vec()].concat(), Insert::Direct)
            .unwrap();
        open.commit().unwrap();
        memory.kill();
        drop((open, engine));
        hook.0.store(true, SeqCst);
        let (data, index) = world.paths("x");
        for access in [Access::Input, Access::Output] {
            let options = OpenOptions {
                access,
                ..OpenOptions::default()
            };
            let error = world
                .engine()
                .open(&data, &index, options)
                .map(drop)
                .unwrap_err()
                .to_string();
            assert!(!error.contains("delete"), "{error}");
            if access == Access::Input {
                assert!(
                    error.contains("Nothing is lost") && error.contains("must be written"),
                    "{error}"
                );
            }
        }
        hook.0.store(false, SeqCst);
        let engine = world.engine();
        let open = world.open_with(&engine, "x", OpenOptions::default());
        assert!(open
            .string()
            .get(
                key(100).as_slice(),
                cica_engine::Search::Equal,
                cica_engine::Intent::Read
            )
            .is_ok());
    }
}
