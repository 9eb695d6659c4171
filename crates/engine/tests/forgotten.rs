//! What a step says it will not read again soon: it does not, and it is what would fill the system's memory.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{MemoryDisk, ReadAt, WriteAt};
use cica_engine::*;
use common::hooked::{hooked, Hook, Hooked};
use common::*;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What was forgotten of each file and not written since, and how many bytes there were in all.
#[derive(Default)]
struct Memory {
    forgotten: Mutex<HashMap<PathBuf, Vec<Range<u64>>>>,
    bytes: Mutex<HashMap<PathBuf, u64>>,
}

fn meet(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

impl Memory {
    fn bytes_of(&self, name: &str) -> u64 {
        let bytes = self.bytes.lock().unwrap();
        let of = |path: &Path| path.to_string_lossy().contains(name);
        bytes.iter().filter(|(path, _)| of(path)).map(|(_, bytes)| bytes).sum()
    }
}

impl Hook for Memory {
    fn read(&self, file: &Hooked, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        file.file.read(batch)?;
        if let Some(ranges) = self.forgotten.lock().unwrap().get(&file.path) {
            for read in batch {
                let read = read.at..read.at + read.got as u64;
                assert!(
                    !ranges.iter().any(|range| meet(range, &read)),
                    "{file:?}: {read:?} was forgotten"
                );
            }
        }
        Ok(())
    }
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        if let Some(ranges) = self.forgotten.lock().unwrap().get_mut(&file.path) {
            for write in batch {
                let write = write.at..write.at + write.buf.len() as u64;
                let cut = |range: Range<u64>| {
                    if meet(&range, &write) {
                        [
                            range.start..range.end.min(write.start),
                            range.start.max(write.end)..range.end,
                        ]
                    } else {
                        [range, 0..0]
                    }
                };
                *ranges = ranges.drain(..).flat_map(cut).filter(|left| !left.is_empty()).collect();
            }
        }
        file.file.write(batch)
    }
    fn forget(&self, file: &Hooked, at: u64, len: u64) {
        let mut forgotten = self.forgotten.lock().unwrap();
        forgotten.entry(file.path.clone()).or_default().push(at..at + len);
        *self.bytes.lock().unwrap().entry(file.path.clone()).or_default() += len;
    }
}

const RECORDS: u64 = 4000;
const LENGTH: usize = 1000;

fn steps(pool_bytes: usize) -> Arc<Memory> {
    let memory = Arc::new(Memory::default());
    let mut world = World::on(hooked(MemoryDisk::new(), memory.clone()), Path::new("/"));
    world.pool_bytes = pool_bytes;
    let engine = world.engine();
    world.create(&engine, "a", |data, _| {
        (data.ci_size, data.ci_per_ca, data.primary) = (4096, 30, 64 << 20);
        data.maximum_record = LENGTH as u32;
    });
    let ds = world.open(&engine, "a");
    let mut s = ds.string();
    for n in 0..RECORDS {
        s.insert(&sealed(n * 2, 0, LENGTH), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    assert_eq!(memory.bytes_of(""), 0, "a load supersedes nothing");
    for round in 1..=3 {
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for n in (0..RECORDS).map(|n| n * 1597 % RECORDS) {
            s.get(&key(n * 2), Search::Equal, Intent::Update).unwrap();
            s.update(&sealed(n * 2, round, LENGTH)).unwrap();
        }
        drop(s);
        ds.close().unwrap();
    }
    let ds = world.open(&engine, "a");
    assert_sound(&ds);
    let mut s = ds.string();
    for n in 0..RECORDS {
        let found = s.get(&key(n * 2), Search::Equal, Intent::Read).unwrap();
        assert_eq!(unsealed(found.bytes), 3);
    }
    drop(s);
    ds.close().unwrap();
    memory
}

#[test]
fn images_that_others_came_for_are_not_read_again() {
    let forgotten = steps(32 << 20).bytes_of("a.data");
    let written = 3 * RECORDS * LENGTH as u64;
    assert!(
        (written / 2..written * 2).contains(&forgotten),
        "{forgotten} of {written}"
    );
    // Where the pool gives pages up, images go to slots here and there.
    steps(4 << 20);
}
