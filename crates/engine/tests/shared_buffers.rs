//! Opens that share the buffers of a pool (LSR): what is counted is what was transferred, what is put off is written
//! when it has to be, and all see what all see.

#![allow(clippy::unwrap_used)]

mod common;

use cica_counters::{LsrCount, ProcessIdentity};
use cica_disk::{LinuxDisk, MemoryDisk, WriteAt};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::hooked::{hooked, Hook, Hooked};
use common::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A KSDS of 200 records, five to a CI of 512 bytes, with three CIs to a CA: 40 CIs in 14 CAs, and one index record
/// above their sequence set.
fn loaded(world: &World, engine: &Engine, name: &str) {
    world.create(engine, name, |data, _| {
        data.ci_per_ca = 3;
        data.average_record = 100;
        data.maximum_record = 100;
    });
    let set = world.open(engine, name);
    let mut string = set.string();
    for n in 1..=200 {
        string.insert(&sealed(n * 10, 0, 100), Insert::Sequential).unwrap();
    }
    drop(string);
    set.close().unwrap();
}

fn of_pool(number: u8, deferred: bool) -> OpenOptions {
    OpenOptions::output().buffered(Buffering {
        pool: Some(number),
        deferred,
        ..Buffering::default()
    })
}

fn get(set: &DataSet, n: u64) -> u64 {
    let mut string = set.string();
    let record = string.get(&key(n), Search::Equal, Intent::Read).unwrap();
    unsealed(record.bytes)
}

fn update(set: &DataSet, n: u64, value: u64) {
    let mut string = set.string();
    string.get(&key(n), Search::Equal, Intent::Update).unwrap();
    string.update(&sealed(n, value, 100)).unwrap();
}

/// Reads all through another open: the pages of its control areas, which are no CIs, are in memory then.
fn seen_by_another(world: &World, engine: &Engine, name: &str) -> DataSet {
    let set = world.open(engine, name);
    let mut string = set.string();
    while string.next(Intent::Read).is_ok() {}
    drop(string);
    set
}

/// Reads, hits, steals.
fn three(counts: SubpoolCounts) -> (u64, u64, u64) {
    (counts.reads, counts.hits, counts.steals)
}

/// Writes asked for, and forced.
fn writes(counts: SubpoolCounts) -> (u64, u64) {
    (counts.user_writes, counts.forced_writes)
}

#[test]
fn two_data_sets_take_buffers_from_each_other_as_counted_by_hand() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let pool = engine
        .build_pool(3, &PoolBuffers::default().data(512, 3).index(512, 40))
        .unwrap();
    let a = world.open_with(&engine, "a", of_pool(3, false));
    let b = world.open_with(&engine, "b", of_pool(3, false));
    let _another = seen_by_another(&world, &engine, "a");
    let before = a.statistics().0.excps;
    // Three buffers: a0, b0, a0 again, a1, b0 again. Then b1 takes that of a0, and a0 that of a1.
    for (set, n) in [(&a, 10), (&b, 10), (&a, 20), (&a, 60), (&b, 20), (&b, 60), (&a, 10)] {
        assert_eq!(get(set, n), 0);
    }
    let counts = pool.counts();
    assert_eq!(three(counts[0]), (5, 2, 2), "{counts:?}");
    // Two records of the index for each of the seven, and the first time of each data set they are read.
    assert_eq!(three(counts[1]), (4, 10, 0), "{counts:?}");
    assert_eq!((counts[0].held, counts[1].held), (3, 4));
    assert_eq!((counts[0].is_index, counts[1].is_index), (false, true));
    // Each open has its part of it, and each transfer was one request to the file.
    let (of_a, of_b) = (a.buffers().unwrap(), b.buffers().unwrap());
    assert_eq!((of_a.0.data, of_a.0.index), (3, 40));
    assert_eq!((of_a.1.data.reads, of_a.1.data.hits, of_a.1.index.reads), (3, 1, 2));
    assert_eq!((of_b.1.data.reads, of_b.1.data.hits, of_b.1.index.reads), (2, 1, 2));
    assert_eq!(a.statistics().0.excps - before, 3);
    // What is closed leaves its buffers to others.
    a.close().unwrap();
    assert_eq!(pool.counts()[0].held, 2);
    b.close().unwrap();
    assert_eq!((pool.counts()[0].held, pool.counts()[1].held), (0, 0));
}

#[test]
fn index_and_data_are_together_where_the_index_has_none() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let pool = engine.build_pool(0, &PoolBuffers::default().data(512, 3)).unwrap();
    let a = world.open_with(&engine, "a", of_pool(0, false));
    let b = world.open_with(&engine, "b", of_pool(0, false));
    get(&a, 10);
    get(&a, 10);
    assert_eq!(three(pool.counts()[0]), (3, 3, 0));
    get(&b, 10);
    assert_eq!(three(pool.counts()[0]), (6, 3, 3));
}

#[test]
fn a_scan_reads_each_ci_with_a_request_of_its_own() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let pool = engine
        .build_pool(1, &PoolBuffers::default().data(512, 20).index(512, 3))
        .unwrap();
    let a = world.open_with(&engine, "a", of_pool(1, false));
    let mut string = a.string();
    let mut records = 0;
    while string.next(Intent::Read).is_ok() {
        records += 1;
    }
    assert_eq!(records, 200);
    let counts = pool.counts();
    assert_eq!((counts[0].reads, counts[0].steals), (40, 20));
    assert_eq!((counts[1].reads, counts[1].steals), (15, 12));
}

#[test]
fn the_smallest_buffers_that_are_large_enough_are_used() {
    let world = World::memory();
    let engine = world.engine();
    for (name, size) in [("a", 512), ("c", 6144)] {
        world.create(&engine, name, |data, index| {
            data.ci_size = size;
            index.ci_size = 1024;
        });
        let set = world.open(&engine, name);
        let mut string = set.string();
        string.insert(&sealed(1, 0, 100), Insert::Sequential).unwrap();
        drop(string);
        set.close().unwrap();
    }
    let buffers = PoolBuffers::default().data(32_768, 3).data(8192, 4).data(1024, 5);
    let pool = engine.build_pool(0, &buffers).unwrap();
    assert_eq!(
        pool.counts().iter().map(|c| c.size).collect::<Vec<_>>(),
        [1024, 8192, 32_768]
    );
    let a = world.open_with(&engine, "a", of_pool(0, false));
    get(&a, 1);
    assert_eq!(pool.counts().iter().map(|c| c.held).collect::<Vec<_>>(), [2, 0, 0]);
    let c = world.open_with(&engine, "c", of_pool(0, false));
    get(&c, 1);
    assert_eq!(pool.counts().iter().map(|c| c.held).collect::<Vec<_>>(), [3, 1, 0]);
    // Where none is large enough it is refused, and told which to build.
    engine.build_pool(254, &PoolBuffers::default().data(4096, 3)).unwrap();
    let (data, index) = world.paths("c");
    let error = engine.open(&data, &index, of_pool(254, false)).err().unwrap();
    assert_eq!(error.acberflg(), 220);
    let told = error.to_string();
    assert!(
        told.contains("largest buffers of pool 254 have 4096 bytes, and its data CIs 6144") && told.contains("of 8192"),
        "{told}"
    );
    let apart = PoolBuffers::default().data(8192, 3).index(512, 3);
    engine.build_pool(9, &apart).unwrap();
    let told = engine.open(&data, &index, of_pool(9, false)).err().unwrap().to_string();
    assert!(
        told.contains("index buffers of pool 9 have 512 bytes, and its index CIs 1024"),
        "{told}"
    );
    // Nobody was left a member of those.
    engine.delete_pool(254).unwrap();
    engine.delete_pool(9).unwrap();
}

#[test]
fn direct_changes_are_written_at_once_and_sequential_ones_behind_their_ci() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let pool = engine
        .build_pool(0, &PoolBuffers::default().data(512, 5).index(512, 20))
        .unwrap();
    let a = world.open_with(&engine, "a", of_pool(0, false));
    update(&a, 10, 1);
    update(&a, 20, 1);
    assert_eq!(writes(pool.counts()[0]), (2, 0));
    let mut string = a.string();
    for i in 1..=7 {
        string.next(Intent::Update).unwrap();
        string.update(&sealed(i * 10, 2, 100)).unwrap();
    }
    // Five records of the first CI with one write; the second CI is not passed yet.
    assert_eq!(writes(pool.counts()[0]), (3, 0));
    drop(string);
    assert_eq!(writes(pool.counts()[0]), (4, 0));
    assert_sound(&a);
    a.close().unwrap();
}

#[test]
fn what_is_put_off_is_written_when_asked_for_when_its_buffer_goes_and_by_a_close() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let pool = engine
        .build_pool(0, &PoolBuffers::default().data(512, 10).index(512, 40))
        .unwrap();
    let a = world.open_with(&engine, "a", of_pool(0, true));
    let b = world.open_with(&engine, "b", of_pool(0, true));
    let another = seen_by_another(&world, &engine, "a");
    // The first change of all names the log in the root, and that is a write.
    update(&another, 2000, 0);
    let before = a.statistics().0.excps;
    // a0 to a4, then b0 to b2: eight of ten buffers.
    (0..5).for_each(|ci| update(&a, ci * 50 + 10, 1));
    (0..3).for_each(|ci| update(&b, ci * 50 + 10, 1));
    assert_eq!(writes(pool.counts()[0]), (0, 0));
    assert_eq!(a.statistics().0.excps - before, 5, "nothing but its reads");
    drop(another);
    // 40 percent are the two empty ones and a0 and a1; then nothing of those is changed any more.
    assert_eq!(pool.write_buffers(WriteBuffers::Oldest(40)).unwrap(), 2);
    assert_eq!(pool.write_buffers(WriteBuffers::Oldest(40)).unwrap(), 0);
    assert_eq!(b.write_buffers().unwrap(), 3);
    assert_eq!(writes(pool.counts()[0]), (5, 0));
    // Seven more CIs take the two empty buffers, those of a0 and a1, which were written, and of a2, a3 and a4.
    (3..10).for_each(|ci| assert_eq!(get(&b, ci * 50 + 10), 0));
    assert_eq!(writes(pool.counts()[0]), (5, 3));
    assert_eq!(pool.counts()[0].steals, 5);
    assert_eq!(
        a.buffers().unwrap().1.data.writes,
        5,
        "the data set whose CI it is has the write"
    );
    assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 0);
    update(&a, 10, 2);
    update(&b, 10, 2);
    assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 2);
    update(&a, 10, 3);
    let user = pool.counts()[0].user_writes;
    a.close().unwrap();
    assert_eq!(pool.counts()[0].user_writes, user + 1);
    b.close().unwrap();
    let engine = world.engine();
    let a = world.open_with(&engine, "a", OpenOptions::input());
    assert_eq!([10, 60, 110, 210, 260].map(|n| get(&a, n)), [3, 1, 1, 1, 0]);
    assert_sound(&a);
}

#[test]
fn what_died_before_it_was_written_is_in_the_log() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    engine
        .build_pool(0, &PoolBuffers::default().data(512, 5).index(512, 20))
        .unwrap();
    let options = of_pool(0, true).durable(Durability::Request);
    let a = world.open_with(&engine, "a", options);
    (0..8).for_each(|ci| update(&a, ci * 50 + 10, 4));
    drop(a);
    drop(engine);
    let engine = world.engine();
    let a = world.open(&engine, "a");
    (0..8).for_each(|ci| assert_eq!(get(&a, ci * 50 + 10), 4));
    assert_sound(&a);
}

/// Refuses writes to the data of `a`, as long as it is told to.
#[derive(Default)]
struct Refusing(AtomicBool);

impl Hook for Refusing {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> std::io::Result<()> {
        if self.0.load(Ordering::SeqCst) && file.path.ends_with("a.data") {
            Err(std::io::Error::other("no"))
        } else {
            file.file.write(batch)
        }
    }
}

#[test]
fn what_cannot_be_written_is_told_to_its_own_data_set_and_is_not_lost() {
    let refusing = Arc::new(Refusing::default());
    let world = World::on(hooked(MemoryDisk::default(), refusing.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let pool = engine
        .build_pool(0, &PoolBuffers::default().data(512, 3).index(512, 40))
        .unwrap();
    let a = world.open_with(&engine, "a", of_pool(0, true));
    let b = world.open_with(&engine, "b", of_pool(0, true));
    (0..3).for_each(|ci| update(&a, ci * 50 + 10, 6));
    refusing.0.store(true, Ordering::SeqCst);
    // Somebody else's buffer goes all the same.
    assert_eq!(get(&b, 10), 0);
    let counts = pool.counts()[0];
    assert_eq!((counts.failed_writes, counts.steals, writes(counts)), (1, 1, (0, 0)));
    // Who asks for the writes is told, and they are still to be made.
    assert!(pool.write_buffers(WriteBuffers::All).is_err());
    assert!(a.write_buffers().is_err());
    refusing.0.store(false, Ordering::SeqCst);
    assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 2);
    assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 0);
    a.close().unwrap();
    b.close().unwrap();
    let engine = world.engine();
    let a = world.open_with(&engine, "a", OpenOptions::input());
    assert_eq!([10, 60, 110, 160].map(|n| get(&a, n)), [6, 6, 6, 0]);
    assert_sound(&a);
}

#[test]
fn a_change_in_order_that_cannot_be_written_stays_put_off() {
    let refusing = Arc::new(Refusing::default());
    let world = World::on(hooked(MemoryDisk::default(), refusing.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let pool = engine
        .build_pool(0, &PoolBuffers::default().data(512, 5).index(512, 40))
        .unwrap();
    let a = world.open_with(&engine, "a", of_pool(0, false));
    let mut string = a.string();
    for n in 1..=5 {
        string.next(Intent::Update).unwrap();
        string.update(&sealed(n * 10, 2, 100)).unwrap();
    }
    refusing.0.store(true, Ordering::SeqCst);
    assert!(string.next(Intent::Read).is_err(), "it goes on to another CI");
    refusing.0.store(false, Ordering::SeqCst);
    assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 1);
    drop(string);
    a.close().unwrap();
}

#[test]
fn a_close_that_has_written_all_does_not_tell_of_what_failed_before() {
    let refusing = Arc::new(RefusingOnce::default());
    let world = World::on(hooked(MemoryDisk::default(), refusing.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine, "a");
    engine
        .build_pool(0, &PoolBuffers::default().data(512, 3).index(512, 40))
        .unwrap();
    for others in [false, true] {
        let another = others.then(|| world.open(&engine, "a"));
        let a = world.open_with(&engine, "a", of_pool(0, true));
        let value = 6 + u64::from(others);
        (0..2).for_each(|ci| update(&a, ci * 50 + 10, value));
        refusing.0.store(true, Ordering::SeqCst);
        assert_eq!(a.close().unwrap().closed, !others);
        assert!(!refusing.0.load(Ordering::SeqCst), "one was refused");
        drop(another);
        let again = world.engine();
        let a = world.open_with(&again, "a", OpenOptions::input());
        assert_eq!([10, 60, 110].map(|n| get(&a, n)), [value, value, 0]);
        assert_sound(&a);
    }
}

/// Refuses one write to the data of `a` when it is told to.
#[derive(Default)]
struct RefusingOnce(AtomicBool);

impl Hook for RefusingOnce {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> std::io::Result<()> {
        if file.path.ends_with("a.data") && self.0.swap(false, Ordering::SeqCst) {
            Err(std::io::Error::other("no"))
        } else {
            file.file.write(batch)
        }
    }
}

#[test]
fn a_split_writes_what_it_made_and_leaves_what_others_put_off() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let pool = engine
        .build_pool(0, &PoolBuffers::default().data(512, 10).index(512, 20))
        .unwrap();
    let a = world.open_with(&engine, "a", of_pool(0, true));
    update(&a, 1500, 1);
    update(&a, 10, 1);
    a.string().insert(&sealed(11, 1, 100), Insert::Direct).unwrap();
    let counts = pool.counts();
    assert!(counts[0].user_writes >= 2 && counts[1].user_writes >= 1, "{counts:?}");
    assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 1, "that of 1500");
    assert_sound(&a);
    a.close().unwrap();
}

#[test]
fn what_cannot_be_shared_is_refused_with_vsams_reason() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    world.create(&engine, "empty", |_, _| {});
    let refused = |name: &str, options: OpenOptions| {
        let (data, index) = world.paths(name);
        let error = engine.open(&data, &index, options).err().unwrap();
        (error.acberflg(), error.to_string())
    };
    let (reason, told) = refused("a", of_pool(7, false));
    assert!(reason == 228 && told.contains("pool 7 was not built"), "{told}");
    let buffers = PoolBuffers::default().data(4096, 3);
    engine.build_pool(7, &buffers).unwrap();
    let (reason, told) = refused("empty", of_pool(7, false));
    assert!(
        reason == 212 && told.contains("not loaded through shared buffers"),
        "{told}"
    );
    let emptied = OpenOptions {
        reset: true,
        reset_anyway: true,
        ..of_pool(7, false)
    };
    assert_eq!(refused("a", emptied).0, 212);
    // An open that is refused has emptied nothing, and is no member.
    let a = world.open(&engine, "a");
    assert_eq!(get(&a, 2000), 0);
    a.close().unwrap();
    // BLDVRP and DLVRP.
    let again = engine.build_pool(7, &buffers).err().unwrap();
    assert_eq!((again.return_code(), again), (4, PoolError::Exists { number: 7 }));
    for (wrong, told) in [
        (PoolBuffers::default(), "no buffers for data"),
        (PoolBuffers::default().data(1000, 3), "1000 is no size"),
        (PoolBuffers::default().data(512, 2), "2 buffers are too few"),
        (PoolBuffers::default().data(512, 3).data(512, 3), "given twice"),
        (PoolBuffers::default().data(512, 3).index(512, 70_000), "too many"),
    ] {
        let error = engine.build_pool(8, &wrong).err().unwrap();
        assert_eq!(error.return_code(), 24);
        assert!(
            error.to_string().starts_with("pool 8: ") && error.to_string().contains(told),
            "{error}"
        );
    }
    let beyond = engine.build_pool(255, &buffers).err().unwrap().to_string();
    assert!(beyond.contains("from 0 to 254"), "{beyond}");
    assert_eq!(engine.delete_pool(8).unwrap_err(), PoolError::Missing { number: 8 });
    let a = world.open_with(&engine, "a", of_pool(7, false));
    let in_use = engine.delete_pool(7).unwrap_err();
    assert_eq!(in_use.return_code(), 12);
    assert_eq!(
        in_use,
        PoolError::InUse {
            number: 7,
            components: 2
        }
    );
    a.close().unwrap();
    engine.delete_pool(7).unwrap();
    assert!(engine.resource_pool(7).is_none());
}

#[test]
fn a_text_builds_the_pools_that_it_says() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    let text: PoolText = "512,3\nPOOLID=TWO\nVSRBF=1024,5\nVSRBF=512,9,I\n".parse().unwrap();
    for (number, pool) in text.pools.iter().enumerate() {
        engine.build_pool(number as u8, &pool.buffers).unwrap();
    }
    let a = world.open_with(&engine, "a", of_pool(1, false));
    get(&a, 10);
    let counts = engine.resource_pool(1).unwrap().counts();
    assert_eq!(
        counts.iter().map(|c| (c.size, c.buffers, c.held)).collect::<Vec<_>>(),
        [(1024, 5, 1), (512, 9, 2)]
    );
}

#[test]
fn random_requests_through_tiny_pools_do_what_they_should() {
    for (seed, deferred) in [(1, false), (2, true), (3, true)] {
        let world = World::memory();
        let engine = world.engine();
        loaded(&world, &engine, "a");
        loaded(&world, &engine, "b");
        let pool = engine.build_pool(0, &PoolBuffers::default().data(512, 4)).unwrap();
        let sets = ["a", "b"].map(|name| world.open_with(&engine, name, of_pool(0, deferred)));
        let start: BTreeMap<u64, u64> = (1..=200).map(|n| (n * 10, 0)).collect();
        let mut models = [start.clone(), start];
        let mut random = Random(seed);
        let mut strings = sets.each_ref().map(|set| [set.string(), set.string()]);
        for step in 1..=6000 {
            let of = random.below(2) as usize;
            let string = &mut strings[of][random.below(2) as usize];
            let model = &mut models[of];
            let n = random.below(2100) + 1;
            match random.below(7) {
                0 | 1 => match string.get(&key(n), Search::GreaterOrEqual, Intent::Read) {
                    Ok(record) => {
                        let (found, value) = model.range(n..).next().unwrap();
                        assert_eq!((&record.bytes[..8], unsealed(record.bytes)), (&*key(*found), *value));
                        if let Ok(record) = string.next(Intent::Read) {
                            let (next, value) = model.range(found + 1..).next().unwrap();
                            assert_eq!((&record.bytes[..8], unsealed(record.bytes)), (&*key(*next), *value));
                        }
                    }
                    Err(_) => assert!(model.range(n..).next().is_none()),
                },
                2 | 3 => {
                    let done = string.insert(&sealed(n, step, 100), Insert::Direct);
                    assert_eq!(done.is_ok(), !model.contains_key(&n), "{done:?}");
                    model.entry(n).or_insert(step);
                }
                4 | 5 => {
                    if string.get(&key(n), Search::GreaterOrEqual, Intent::Update).is_ok() {
                        let found = *model.range(n..).next().unwrap().0;
                        string.update(&sealed(found, step, 100)).unwrap();
                        model.insert(found, step);
                    }
                }
                _ => {
                    if string.get(&key(n), Search::GreaterOrEqual, Intent::Update).is_ok() {
                        string.erase().unwrap();
                        let found = *model.range(n..).next().unwrap().0;
                        model.remove(&found);
                    }
                }
            }
            if step % 500 == 0 {
                pool.write_buffers(WriteBuffers::Oldest(50)).unwrap();
            }
        }
        drop(strings);
        let counts = pool.counts()[0];
        assert!(
            counts.held <= 4 && counts.steals > 1000 && counts.failed_writes == 0,
            "{counts:?}"
        );
        assert_eq!(counts.forced_writes > 0, deferred, "{counts:?}");
        let of_opens = sets.iter().map(|set| set.buffers().unwrap().1);
        let sum: u64 = of_opens.map(|counts| counts.excps()).sum();
        assert_eq!(sum, counts.reads + counts.user_writes + counts.forced_writes);
        for set in sets {
            assert_sound(&set);
            set.close().unwrap();
        }
        let engine = world.engine();
        for (name, model) in ["a", "b"].into_iter().zip(models) {
            let set = world.open_with(&engine, name, OpenOptions::input());
            assert_sound(&set);
            let mut string = set.string();
            for (n, value) in model {
                let record = string.next(Intent::Read).unwrap();
                assert_eq!((&record.bytes[..8], unsealed(record.bytes)), (&*key(n), value));
            }
            assert!(string.next(Intent::Read).is_err());
        }
    }
}

#[test]
fn records_in_order_of_entry_and_by_number_pass_through_a_pool_too() {
    let world = World::memory();
    let engine = world.engine();
    let pool = engine.build_pool(0, &PoolBuffers::default().data(512, 3)).unwrap();
    for organization in [Organization::Esds, Organization::Rrds] {
        let name = if organization == Organization::Esds { "e" } else { "r" };
        world.create(&engine, name, |data, _| {
            data.organization = organization;
            data.key_length = 0;
            data.ci_per_ca = 10;
            data.average_record = 100;
            data.maximum_record = 100;
        });
        let set = world.open(&engine, name);
        let mut string = set.string();
        for n in 1..=40 {
            string.insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
        }
        drop(string);
        set.close().unwrap();
        let set = world.open_with(&engine, name, of_pool(0, true));
        let mut string = set.string();
        let mut numbers = 0;
        while string.next(Intent::Update).is_ok() {
            numbers += 1;
            string.update(&sealed(numbers, 5, 100)).unwrap();
        }
        assert_eq!(numbers, 40);
        string.insert(&sealed(41, 5, 100), Insert::Sequential).unwrap();
        drop(string);
        set.close().unwrap();
        let set = world.open_with(&engine, name, of_pool(0, false));
        let mut string = set.string();
        let mut seen = 0;
        while let Ok(record) = string.next(Intent::Read) {
            seen += 1;
            assert_eq!((&record.bytes[..8], unsealed(record.bytes)), (&*key(seen), 5));
        }
        assert_eq!(seen, 41);
        drop(string);
        assert_sound(&set);
        set.close().unwrap();
    }
    let counts = pool.counts()[0];
    assert!(
        counts.steals > 0 && counts.forced_writes > 0 && counts.held == 0,
        "{counts:?}"
    );
}

#[test]
fn threads_share_a_pool() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a");
    loaded(&world, &engine, "b");
    let pool = engine.build_pool(0, &PoolBuffers::default().data(512, 3)).unwrap();
    let sets = ["a", "b"].map(|name| world.open_with(&engine, name, of_pool(0, true)));
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let set = &sets[thread as usize % 2];
            let pool = &pool;
            scope.spawn(move || {
                let mut random = Random(thread + 1);
                for step in 1..=500 {
                    // Each thread has records of its own.
                    let n = (random.below(100) * 2 + thread / 2 + 1) * 10;
                    let mut string = set.string();
                    string.get(&key(n), Search::Equal, Intent::Update).unwrap();
                    string.update(&sealed(n, step, 100)).unwrap();
                    assert_eq!(get(set, n), step);
                    if step % 100 == 0 {
                        pool.write_buffers(WriteBuffers::All).unwrap();
                    }
                }
            });
        }
    });
    for set in sets {
        assert_sound(&set);
        set.close().unwrap();
    }
    assert_eq!(pool.counts()[0].held, 0);
    engine.delete_pool(0).unwrap();
}

/// What others see: pool, index or not, size, buffers, held, hits, reads, steals, in each line.
fn seen(engine: &Engine) -> Vec<[u64; 8]> {
    let looked = engine.counted_by_all();
    assert!(looked.seen.torn.is_empty(), "{:?}", looked.seen.torn);
    let lines = looked.seen.processes.iter().flat_map(|process| &process.lsr);
    let counters = [
        LsrCount::Pool,
        LsrCount::Index,
        LsrCount::Size,
        LsrCount::Buffers,
        LsrCount::Held,
        LsrCount::Hits,
        LsrCount::Reads,
        LsrCount::Steals,
    ];
    lines.map(|line| counters.map(|counter| line.count(counter))).collect()
}

#[test]
fn others_see_what_is_counted_until_the_pool_is_deleted() {
    // A disk in memory has no file that others could look into.
    let place = std::env::temp_dir().join(format!("cica-lsr-seen-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let world = World::on(Arc::new(LinuxDisk::new()), &place);
    let engine = world.engine();
    engine.show_counts(place.join("stat"), ProcessIdentity::default());
    loaded(&world, &engine, "a");
    let buffers = PoolBuffers::default().data(512, 3).data(2048, 4).index(512, 40);
    let pool = engine.build_pool(7, &buffers).unwrap();
    let a = world.open_with(&engine, "a", of_pool(7, true));
    for n in [10, 60, 110, 160, 10] {
        update(&a, n, 1);
    }
    let [data, index] = [0, 2].map(|at| pool.counts()[at]);
    assert!(data.steals > 0 && data.forced_writes > 0 && index.hits > 0, "{data:?}");
    assert_eq!(
        seen(&engine),
        [
            [7, 0, 512, 3, 3, data.hits, data.reads, data.steals],
            [7, 0, 2048, 4, 0, 0, 0, 0],
            [7, 1, 512, 40, u64::from(index.held), index.hits, index.reads, 0],
        ]
    );
    a.close().unwrap();
    assert_eq!(seen(&engine)[0][4], 0, "what is closed holds nothing");
    engine.delete_pool(7).unwrap();
    assert!(seen(&engine).is_empty());
    // Its lines are free for others, which begin with 0.
    for number in 0..40 {
        engine.build_pool(number, &PoolBuffers::default().data(512, 3)).unwrap();
    }
    let lines = seen(&engine);
    assert_eq!(lines.len(), 32, "there is place for so many");
    assert!((0..)
        .zip(&lines)
        .all(|(number, line)| *line == [number, 0, 512, 3, 0, 0, 0, 0]));
    // Who has no line counts all the same.
    let a = world.open_with(&engine, "a", of_pool(39, false));
    get(&a, 10);
    assert_eq!(engine.resource_pool(39).unwrap().counts()[0].reads, 3);
    drop((a, engine));
    std::fs::remove_dir_all(&place).unwrap();
}
