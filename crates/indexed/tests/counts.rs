//! How many EXCPs a request is: those that the study of 1979 printed for each.

#![allow(clippy::unwrap_used)]

use cica_disk::MemoryDisk;
use cica_indexed::{Access, ChannelProgram, Indexed, Load, LoadOptions, Organization, Start};
use std::path::Path;

const BLOCKS: u32 = 2 + 16 * 5;
const RECORDS: u32 = BLOCKS * 12;

fn record(key: u32) -> Vec<u8> {
    let mut record = vec![b' '; 200];
    record[1..9].copy_from_slice(format!("{key:08}").as_bytes());
    record
}

/// One full cylinder of blocks of 2,400 bytes.
fn load(disk: &MemoryDisk, options: LoadOptions) -> u64 {
    let of = Organization {
        lrecl: 200,
        blocking: 12,
        key_at: 1,
        key_len: 8,
        overflow_tracks: 2,
        prime_cylinders: 1,
        independent_cylinders: 0,
    };
    let mut load = Load::create(disk, Path::new("isam"), of, options).unwrap();
    for n in 1..=RECORDS {
        load.put(&record(n * 100)).unwrap();
    }
    excps(&load.close().unwrap())
}

fn excps(programs: &[ChannelProgram]) -> u64 {
    programs.iter().filter(|program| program.is_excp).count() as u64
}

#[test]
fn a_load_writes_blocks_or_tracks_and_five_times_for_the_cylinder() {
    let disk = MemoryDisk::new();
    let base = LoadOptions::default();
    assert_eq!(load(&disk, base), u64::from(BLOCKS) + 5);
    assert_eq!(load(&disk, LoadOptions { buffers: 6, ..base }), 17 + 5);
    let group = LoadOptions {
        full_track_index: true,
        ..base
    };
    assert_eq!(load(&disk, group), u64::from(BLOCKS) + 6);
    let checked = LoadOptions {
        write_check: true,
        ..base
    };
    assert_eq!(load(&disk, checked), u64::from(BLOCKS) + 9);
}

#[test]
fn a_scan_reads_blocks_or_tracks_and_each_overflow_record_by_itself() {
    let disk = MemoryDisk::new();
    load(&disk, LoadOptions::default());
    let scanned = |buffers| {
        let mut set = Indexed::open(&disk, Path::new("isam"), Access::default()).unwrap();
        let mut scan = set.scan(Start::First, buffers).unwrap();
        while scan.get().unwrap().is_some() {}
        set.excps()
    };
    assert_eq!((scanned(5), scanned(11), scanned(12)), (82, 82, 18));
    let output = Access {
        output: true,
        ..Access::default()
    };
    let mut set = Indexed::open(&disk, Path::new("isam"), output).unwrap();
    for n in [7, 300, 301, 900] {
        set.insert(&record(n * 100 + 50)).unwrap();
    }
    set.close().unwrap();
    assert_eq!((scanned(5), scanned(12)), (82 + 4, 18 + 4));
}

/// EXCPs of a read, an update, an insert into the first of five blocks of a track, and one into the last.
fn random(access: Access) -> [u64; 4] {
    let disk = MemoryDisk::new();
    load(&disk, LoadOptions::default());
    let access = Access { output: true, ..access };
    let mut set = Indexed::open(&disk, Path::new("isam"), access).unwrap();
    let mut before = set.excps();
    assert_eq!(before, u64::from(access.core_index));
    let mut since = |set: &Indexed| {
        let now = set.excps();
        now - std::mem::replace(&mut before, now)
    };
    let key = |n: u32| format!("{:08}", n * 100).into_bytes();
    set.read(&key(500)).unwrap();
    let read = since(&set);
    let area = set.read_for_update(&key(500)).unwrap();
    set.rewrite(&area).unwrap();
    let update = since(&set);
    // The shared track has 24 records, each other 60.
    set.insert(&record((24 + 60 + 3) * 100 + 50)).unwrap();
    let first = since(&set);
    set.insert(&record((24 + 120 + 55) * 100 + 50)).unwrap();
    [read, update, first, since(&set)]
}

#[test]
fn a_random_request_is_as_many_as_the_study_counted() {
    let base = Access::default();
    assert_eq!(random(base), [1, 2, 2 * 5 + 3 + 1, 5]);
    let core = Access {
        core_index: true,
        ..base
    };
    assert_eq!(random(core), [2, 3, 14, 5]);
    let area = Access {
        track_area: true,
        ..base
    };
    assert_eq!(random(area), [1, 2, 3, 3]);
    let both = Access {
        track_area: true,
        ..core
    };
    assert_eq!(random(both), [2, 3, 5, 5]);
    assert_eq!(random(Access { real: true, ..both }), [1, 2, 3, 3]);
    assert_eq!(
        random(Access {
            write_check: true,
            ..base
        }),
        [1, 2, 14, 5]
    );
}
