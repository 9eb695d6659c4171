//! Opens with buffers of their own (NSR): how many transfers their requests take, and that they see what all see.

#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{MemoryDisk, ReadAt, WriteAt};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::hooked::{hooked, Hook, Hooked};
use common::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A KSDS of 200 records, five to a CI of 512 bytes, with three CIs to a CA: 40 CIs in 14 CAs.
fn loaded(world: &World, engine: &Engine) {
    world.create(engine, "k", |data, _| {
        data.ci_per_ca = 3;
        data.average_record = 100;
        data.maximum_record = 100;
    });
    let set = world.open(engine, "k");
    let mut string = set.string();
    for n in 1..=200 {
        string.insert(&sealed(n * 10, 0, 100), Insert::Sequential).unwrap();
    }
    drop(string);
    set.close().unwrap();
}

fn asked(data: u16, index: u16) -> Buffering {
    Buffering {
        data: Some(data),
        index: Some(index),
        ..Buffering::default()
    }
}

fn open(world: &World, engine: &Engine, output: bool, buffers: Buffering) -> DataSet {
    let options = if output {
        OpenOptions::output()
    } else {
        OpenOptions::input()
    };
    world.open_with(engine, "k", options.buffered(buffers))
}

fn counts(set: &DataSet) -> BufferCounts {
    set.buffers().unwrap().1
}

fn scan(set: &DataSet) -> u64 {
    let mut string = set.string();
    let mut records = 0;
    while string.next(Intent::Read).is_ok() {
        records += 1;
    }
    records
}

#[test]
fn a_scan_reads_each_ci_once_in_chains_that_end_with_the_control_area() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    // In the last CA is one.
    for (bufnd, reads) in [(2, 40), (3, 27), (4, 14), (5, 14), (1000, 14)] {
        let set = open(&world, &engine, false, asked(bufnd, 1));
        assert_eq!(scan(&set), 200, "BUFND {bufnd}");
        let counted = counts(&set);
        assert_eq!(
            (counted.data.reads, counted.data.cis_read),
            (reads, 40),
            "BUFND {bufnd}"
        );
        // The sequence set, and what is above it once.
        let above = u64::from(set.levels()) - 1;
        assert_eq!(counted.index.reads, 14 + above, "BUFND {bufnd}");
        assert_eq!(counted.data.writes + counted.index.writes, 0);
        set.close().unwrap();
    }
}

#[test]
fn what_is_counted_is_what_the_file_was_asked_for() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let set = open(&world, &engine, false, asked(2, 1));
    scan(&set);
    let (data, index) = (set.statistics(), counts(&set));
    let before = data.0.excps;
    // The same again in the same open: the pool has every page, and the buffers have none.
    scan(&set);
    let after = set.statistics();
    assert_eq!(after.0.excps - before, 40, "each CI was read from the file again");
    assert_eq!(counts(&set).data.reads, 2 * index.data.reads);
    set.close().unwrap();
}

#[test]
fn direct_requests_pass_the_index_through_its_buffers() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let read = |index: u16| {
        let set = open(&world, &engine, false, asked(2, index));
        assert_eq!(set.levels(), 2, "one record over the sequence set");
        let mut string = set.string();
        for n in [10, 1500, 20, 800, 2000] {
            string.get(&key(n), Search::Equal, Intent::Read).unwrap();
        }
        assert!(matches!(
            string.get(&key(11), Search::Equal, Intent::Read),
            Err(RequestError::NotFound)
        ));
        drop(string);
        let counted = counts(&set);
        set.close().unwrap();
        (counted.data.reads, counted.index.reads)
    };
    // With one buffer the top has to come back for each request.
    assert_eq!(read(1), (6, 12));
    assert_eq!(read(2), (6, 7));
}

#[test]
fn changes_are_written_before_their_request_returns_unless_that_is_put_off() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let set = open(&world, &engine, true, asked(2, 2));
    let mut string = set.string();
    for (i, n) in [100, 1000, 1900].into_iter().enumerate() {
        string.get(&key(n), Search::Equal, Intent::Update).unwrap();
        string.update(&sealed(n, 7, 100)).unwrap();
        assert_eq!(counts(&set).data.writes, i as u64 + 1);
    }
    assert_eq!(counts(&set).data.reads, 3);
    drop(string);
    set.close().unwrap();

    let deferred = Buffering {
        deferred: true,
        ..asked(3, 2)
    };
    let set = open(&world, &engine, true, deferred);
    let mut string = set.string();
    for n in [100, 1000, 1900, 500] {
        string.get(&key(n), Search::Equal, Intent::Update).unwrap();
        string.update(&sealed(n, 8, 100)).unwrap();
    }
    // Two buffers: two of the four had to go.
    assert_eq!(counts(&set).data.writes, 2);
    drop(string);
    assert_eq!(counts(&set).data.writes, 4);
    for (n, value) in [(100, 8), (500, 8), (1000, 8), (1900, 8), (110, 0)] {
        let mut reader = set.string();
        assert_eq!(
            unsealed(reader.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes),
            value
        );
    }
    assert_sound(&set);
    set.close().unwrap();
}

#[test]
fn a_rewrite_where_the_string_stands_goes_through_its_buffers() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let rewrite = |set: &DataSet, n: u64| {
        let mut string = set.string();
        string.get(&key(n), Search::Equal, Intent::Position).unwrap();
        string.rewrite(&key(n), &sealed(n, 5, 100)).unwrap();
        // A string that is dropped writes what it had put off.
        let written = counts(set).data.writes;
        drop(string);
        written
    };
    let set = open(&world, &engine, true, asked(2, 2));
    assert_eq!([rewrite(&set, 100), rewrite(&set, 1000)], [1, 2]);
    set.close().unwrap();
    let deferred = Buffering {
        deferred: true,
        ..asked(3, 2)
    };
    let set = open(&world, &engine, true, deferred);
    assert_eq!(rewrite(&set, 200), 0);
    assert_eq!(counts(&set).data.writes, 1);
    set.close().unwrap();
    let sizes = PoolBuffers::default().data(512, 5).index(512, 20);
    let pool = engine.build_pool(0, &sizes).unwrap();
    for (deferred, written) in [(false, 1), (true, 0)] {
        let shared = Buffering {
            pool: Some(0),
            deferred,
            ..Buffering::default()
        };
        let set = open(&world, &engine, true, shared);
        assert_eq!(rewrite(&set, 300), written);
        assert_eq!(pool.write_buffers(WriteBuffers::All).unwrap(), 1 - written);
        set.close().unwrap();
    }
    let set = open(&world, &engine, false, asked(2, 2));
    let mut string = set.string();
    for n in [100, 200, 300, 1000] {
        let record = string.get(&key(n), Search::Equal, Intent::Read).unwrap();
        assert_eq!(unsealed(record.bytes), 5);
    }
}

#[test]
fn an_insert_takes_the_buffer_for_inserts_and_a_split_writes_all_it_touched() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let set = open(&world, &engine, true, asked(2, 2));
    let mut string = set.string();
    string.get(&key(500), Search::Equal, Intent::Update).unwrap();
    string.erase().unwrap();
    let before = counts(&set);
    string.insert(&sealed(500, 1, 100), Insert::Direct).unwrap();
    let after = counts(&set);
    assert_eq!(
        after.data.reads - before.data.reads,
        1,
        "it is read where records are inserted"
    );
    assert_eq!(after.data.writes - before.data.writes, 1);
    // Its CI is full now.
    string.insert(&sealed(501, 1, 100), Insert::Direct).unwrap();
    let split = counts(&set);
    assert!(split.data.writes - after.data.writes >= 2, "{split:?}");
    assert!(split.index.writes >= 1, "{split:?}");
    drop(string);
    assert_eq!(scan(&set), 201);
    assert_sound(&set);
    set.close().unwrap();
}

#[test]
fn an_open_with_buffers_sees_what_others_changed_and_only_the_pool_has() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let plain = world.open(&engine, "k");
    let buffered = open(&world, &engine, true, asked(4, 2));
    let mut reader = buffered.string();
    assert_eq!(unsealed(reader.next(Intent::Read).unwrap().bytes), 0);
    let mut changes = plain.string();
    for n in [20, 130, 1000] {
        changes.get(&key(n), Search::Equal, Intent::Update).unwrap();
        changes.update(&sealed(n, 9, 100)).unwrap();
    }
    for n in 1001..=1008 {
        changes.insert(&sealed(n, 9, 100), Insert::Direct).unwrap();
    }
    let mut seen = Vec::new();
    while let Ok(record) = reader.next(Intent::Read) {
        seen.push((record.bytes[..8].to_vec(), unsealed(record.bytes)));
    }
    assert_eq!(seen.len(), 199 + 8);
    for n in [20, 130, 1000, 1001, 1008] {
        assert!(seen.contains(&(key(n), 9)), "{n}");
    }
    assert!(seen.windows(2).all(|w| w[0].0 < w[1].0), "in the order of their keys");
    drop((reader, changes));
    buffered.close().unwrap();
    plain.close().unwrap();
}

#[test]
fn a_load_is_written_by_its_buffers() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "k", |data, _| {
        data.ci_per_ca = 12;
        data.maximum_record = 100;
        data.free_ca = 25;
        data.speed = true;
    });
    // Nine CIs of each CA are loaded, with four buffers two at a time, and the free ones with one request.
    let buffers = Buffering {
        track: 2,
        ..asked(5, 1)
    };
    let set = open(&world, &engine, true, buffers);
    let mut string = set.string();
    for n in 1..=36 * 5 {
        string.insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
    }
    drop(string);
    set.end_load().unwrap();
    let counted = counts(&set);
    assert_eq!((counted.data.writes, counted.data.cis_written), (4 * 6, 4 * 12));
    assert_eq!(counted.data.reads, 0);
    assert!(counted.index.writes > 4 && counted.index.reads > 4, "{counted:?}");
    assert_eq!(scan(&set), 36 * 5);
    assert_sound(&set);
    set.close().unwrap();
}

#[test]
fn a_load_in_order_of_entry_is_written_by_its_buffers() {
    let world = World::memory();
    let engine = world.engine();
    // 98 records, five to a CI, are 20 CIs in two control areas. With four buffers two are written at a time; in
    // RECOVERY each control area is formatted before that, a track of four CIs at a time.
    for (name, speed, writes, cis) in [("s", true, 10, 20), ("e", false, 10 + 6, 20 + 20)] {
        world.create(&engine, name, |data, _| {
            data.organization = Organization::Esds;
            data.key_length = 0;
            data.ci_per_ca = 10;
            data.average_record = 100;
            data.maximum_record = 100;
            data.speed = speed;
        });
        let buffers = Buffering {
            track: 4,
            traced: true,
            ..asked(5, 0)
        };
        let set = world.open_with(&engine, name, OpenOptions::output().buffered(buffers));
        let mut string = set.string();
        for n in 1..=98 {
            string.insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
        }
        drop(string);
        set.end_load().unwrap();
        let counted = counts(&set);
        assert_eq!((counted.data.writes, counted.data.cis_written), (writes, cis), "{name}");
        assert_eq!(counted.data.reads + counted.index.excps(), 0);
        let transfers = set.transfers();
        assert_eq!(transfers.len() as u64, writes);
        assert!(transfers.iter().all(|transfer| transfer.is_data && transfer.writes));
        // What was formatted lies under nothing that a record is in.
        assert_eq!(scan(&set), 98);
        assert_sound(&set);
        set.close().unwrap();
        let engine = world.engine();
        let set = world.open_with(&engine, name, OpenOptions::input());
        assert_eq!(scan(&set), 98);
        assert_sound(&set);
    }
}

#[test]
fn esds_and_rrds_are_read_and_written_in_chains_too() {
    let world = World::memory();
    let engine = world.engine();
    for organization in [Organization::Esds, Organization::Rrds] {
        let name = if organization == Organization::Esds { "e" } else { "r" };
        world.create(&engine, name, |data, _| {
            data.organization = organization;
            data.key_length = 0;
            data.ci_per_ca = 10;
            data.average_record = 100;
            data.maximum_record = 100;
        });
        let options = OpenOptions::output().buffered(asked(5, 0));
        let set = world.open_with(&engine, name, options);
        let mut string = set.string();
        for n in 1..=100 {
            string.insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
        }
        drop(string);
        set.close().unwrap();
        // An RRDS has four slots in a CI, in three CAs.
        let (cis, reads) = match organization {
            Organization::Esds => (20, [20, 8, 2]),
            _ => (25, [25, 10, 3]),
        };
        for (bufnd, reads) in [2, 5, 11].into_iter().zip(reads) {
            let set = world.open_with(&engine, name, OpenOptions::input().buffered(asked(bufnd, 0)));
            assert_eq!(scan(&set), 100);
            let counted = counts(&set);
            assert_eq!(
                (counted.data.reads, counted.data.cis_read),
                (reads, cis),
                "{name} {bufnd}"
            );
            set.close().unwrap();
        }
    }
}

#[test]
fn what_cannot_be_had_is_refused_and_nothing_is_opened() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let (data, index) = world.paths("k");
    let refused = |buffers| {
        let error = engine
            .open(&data, &index, OpenOptions::output().buffered(buffers))
            .err();
        let error = error.expect("it is refused");
        assert_eq!(error.acberflg(), 132);
        error.to_string()
    };
    assert!(refused(asked(1, 1)).contains("BUFND 1 is too few"));
    assert!(refused(asked(2, 0)).contains("BUFNI 0 is too few"));
    let space = Buffering {
        space: Some(100),
        ..Buffering::default()
    };
    assert!(refused(space).contains("BUFSP 100 is too small"));
    // Nobody has it open.
    let again = world.open(&engine, "k");
    assert!(again.close().unwrap().closed);
}

#[test]
fn an_open_that_is_refused_has_emptied_nothing() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let (data, index) = world.paths("k");
    let emptied = OpenOptions {
        reset: true,
        reset_anyway: true,
        ..OpenOptions::output()
    };
    let refused = engine.open(&data, &index, emptied.buffered(asked(1, 1))).err();
    assert_eq!(refused.expect("it is refused").acberflg(), 132);
    let again = open(&world, &engine, false, asked(2, 1));
    assert_eq!(scan(&again), 200);
}

#[test]
fn an_update_is_written_where_a_split_has_moved_its_record() {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine);
    let set = open(&world, &engine, true, asked(4, 4));
    let (mut one, mut other) = (set.string(), set.string());
    let was = one.get(&key(50), Search::Equal, Intent::Update).unwrap().rba / 512;
    // Its CI is full, so this record has it split.
    other.insert(&sealed(11, 0, 100), Insert::Direct).unwrap();
    let before = counts(&set).data.writes;
    let now = one.update(&sealed(50, 1, 100)).unwrap() / 512;
    assert_ne!(now, was, "it has moved");
    assert_eq!(counts(&set).data.writes, before + 1);
    drop((one, other));
    set.close().unwrap();
}

#[test]
fn what_is_put_off_of_records_added_directly_takes_no_more_than_the_buffers() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "e", |data, _| {
        data.organization = Organization::Esds;
        data.key_length = 0;
        data.ci_per_ca = 10;
        data.average_record = 100;
        data.maximum_record = 100;
    });
    let set = world.open(&engine, "e");
    for n in 1..=5 {
        set.string().insert(&sealed(n, 0, 100), Insert::Sequential).unwrap();
    }
    set.close().unwrap();
    let deferred = Buffering {
        deferred: true,
        ..asked(3, 0)
    };
    let set = world.open_with(&engine, "e", OpenOptions::output().buffered(deferred));
    let mut string = set.string();
    for n in 6..=105 {
        string.insert(&sealed(n, 0, 100), Insert::Direct).unwrap();
    }
    let written = counts(&set).data.cis_written;
    assert!((17..20).contains(&written), "{written} of 20 CIs, with three buffers");
    drop(string);
    assert_eq!(counts(&set).data.cis_written, 20);
    set.close().unwrap();
}

/// Refuses writes to the data, as long as it is told to.
#[derive(Default)]
struct Refusing(AtomicBool);

impl Hook for Refusing {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> std::io::Result<()> {
        if self.0.load(Ordering::SeqCst) && file.path.ends_with("k.data") {
            Err(std::io::Error::other("no"))
        } else {
            file.file.write(batch)
        }
    }
}

#[test]
fn what_could_not_be_written_is_still_to_be_written() {
    let refusing = Arc::new(Refusing::default());
    let world = World::on(hooked(MemoryDisk::default(), refusing.clone()), Path::new("/"));
    let engine = world.engine();
    loaded(&world, &engine);
    let deferred = Buffering {
        deferred: true,
        ..asked(5, 2)
    };
    let set = open(&world, &engine, true, deferred);
    let mut string = set.string();
    for n in [100, 1000, 1900] {
        string.get(&key(n), Search::Equal, Intent::Update).unwrap();
        string.update(&sealed(n, 7, 100)).unwrap();
    }
    refusing.0.store(true, Ordering::SeqCst);
    string.end();
    assert_eq!(counts(&set).data.writes, 0);
    refusing.0.store(false, Ordering::SeqCst);
    drop(string);
    assert_eq!(counts(&set).data.writes, 3, "each in a control area of its own");
    set.close().unwrap();
}

type Meanwhile = Box<dyn FnOnce() + Send>;

/// Does something behind the first read of several images, before its reader has them.
#[derive(Default)]
struct DoesMeanwhile(Mutex<Option<Meanwhile>>);

impl Hook for DoesMeanwhile {
    fn read(&self, file: &Hooked, batch: &mut [ReadAt<'_>]) -> std::io::Result<()> {
        file.file.read(batch)?;
        let is_chain = batch.len() > 1 && file.path.ends_with("k.data");
        if let Some(meanwhile) = is_chain.then(|| self.0.lock().unwrap().take()).flatten() {
            meanwhile();
        }
        Ok(())
    }
}

/// A chain is read, and before it arrives one of its CIs is changed, written and given up by the pool: the image that
/// was read is not what the CI is any more (H1).
#[test]
fn an_image_that_was_read_before_its_ci_was_written_anew_does_not_become_its_page() {
    let meanwhile = Arc::new(DoesMeanwhile::default());
    let mut world = World::on(hooked(MemoryDisk::default(), meanwhile.clone()), Path::new("/"));
    world.pool_bytes = 2 << 20;
    let engine = world.engine();
    loaded(&world, &engine);
    world.create(&engine, "large", |data, index| {
        (data.primary, data.secondary, index.primary) = (16 << 20, 1 << 20, 2 << 20);
    });
    let large = world.open(&engine, "large");
    let mut string = large.string();
    for n in 0..20_000 {
        string.insert(&sealed(n, 0, 400), Insert::Sequential).unwrap();
    }
    drop(string);
    large.close().unwrap();
    let large = world.open(&engine, "large");
    let set = Arc::new(open(&world, &engine, true, asked(4, 1)));
    let other = set.clone();
    let plain = world.open(&engine, "k");
    *meanwhile.0.lock().unwrap() = Some(Box::new(move || {
        let mut string = other.string();
        string.get(&key(60), Search::Equal, Intent::Update).unwrap();
        string.update(&sealed(60, 7, 100)).unwrap();
        drop(string);
        other.checkpoint().unwrap();
        // Whoever scans more than the pool has takes its frames.
        // Whoever scans more than the pool has takes its frame. Another CI of its CA is used, so that the CA stays.
        let (mut string, mut beside) = (large.string(), plain.string());
        for n in 0.. {
            if let Err(error) = string.next(Intent::Read) {
                assert!(matches!(error, RequestError::EndOfData) && n == 20_000, "{n}: {error}");
                break;
            }
            if n % 32 == 0 {
                beside.get(&key(150), Search::Equal, Intent::Read).unwrap();
            }
        }
    }));
    let mut string = set.string();
    for _ in 0..5 {
        string.next(Intent::Read).unwrap();
    }
    assert_eq!(unsealed(string.next(Intent::Read).unwrap().bytes), 7);
    assert!(meanwhile.0.lock().unwrap().is_none(), "a chain was read");
    drop(string);
    assert_eq!(
        unsealed(set.string().get(&key(60), Search::Equal, Intent::Read).unwrap().bytes),
        7
    );
}
