//! What is wrong is refused, with a reason, and changes nothing; a file cut short or damaged is noticed.

#![allow(clippy::unwrap_used)]

use cica_disk::{Disk, MemoryDisk, Open, WriteAt};
use cica_indexed::{Access, Indexed, IsamError, Load, LoadOptions, Organization, Start};
use std::path::Path;

const BASE: Organization = Organization {
    lrecl: 200,
    blocking: 12,
    key_at: 1,
    key_len: 8,
    overflow_tracks: 2,
    prime_cylinders: 3,
    independent_cylinders: 0,
};
const OUTPUT: Access = Access {
    output: true,
    core_index: false,
    track_area: false,
    real: false,
    write_check: false,
};

fn record(key: u32) -> Vec<u8> {
    let mut record = vec![b' '; 200];
    record[1..9].copy_from_slice(format!("{key:08}").as_bytes());
    record
}

fn key(key: u32) -> Vec<u8> {
    format!("{key:08}").into_bytes()
}

fn loaded(disk: &MemoryDisk, of: Organization, records: u32) {
    let mut load = Load::create(disk, Path::new("isam"), of, LoadOptions::default()).unwrap();
    for n in 1..=records {
        load.put(&record(n * 100)).unwrap();
    }
    load.close().unwrap();
}

fn open(disk: &MemoryDisk) -> Result<Indexed, IsamError> {
    Indexed::open(disk, Path::new("isam"), OUTPUT)
}

fn all(set: &mut Indexed) -> Result<Vec<Vec<u8>>, IsamError> {
    let mut scan = set.scan(Start::First, 12)?;
    let mut found = Vec::new();
    while let Some(record) = scan.get()? {
        found.push(record);
    }
    Ok(found)
}

#[test]
fn what_no_track_holds_is_no_organization() {
    let disk = MemoryDisk::new();
    let wrong = [
        Organization { lrecl: 0, ..BASE },
        Organization { blocking: 0, ..BASE },
        Organization { blocking: 80, ..BASE },
        Organization { key_len: 0, ..BASE },
        Organization { key_at: 193, ..BASE },
        Organization {
            overflow_tracks: 18,
            ..BASE
        },
        Organization {
            prime_cylinders: 0,
            ..BASE
        },
        Organization {
            prime_cylinders: 404,
            ..BASE
        },
        Organization {
            key_at: 0,
            key_len: 199,
            overflow_tracks: 0,
            ..BASE
        },
    ];
    for of in wrong {
        let made = Load::create(&disk, Path::new("isam"), of, LoadOptions::default());
        assert!(matches!(made, Err(IsamError::Organization(_))), "{of:?}");
    }
    assert!(disk.list(Path::new(".")).unwrap().is_empty());
}

#[test]
fn a_load_takes_keys_that_rise_and_as_many_records_as_fit() {
    let disk = MemoryDisk::new();
    let mut load = Load::create(&disk, Path::new("isam"), BASE, LoadOptions::default()).unwrap();
    load.put(&record(2)).unwrap();
    assert!(matches!(load.put(&record(2)), Err(IsamError::OutOfOrder)));
    assert!(matches!(load.put(&record(1)), Err(IsamError::OutOfOrder)));
    assert!(matches!(
        load.put(b"short"),
        Err(IsamError::Length { got: 5, wanted: 200 })
    ));
    assert!(
        matches!(open(&disk), Err(IsamError::Io(_))),
        "it is still open for the load"
    );
    let mut count = 1;
    let full = loop {
        match load.put(&record(2 + count)) {
            Ok(()) => count += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, IsamError::PrimeFull), "{full}");
    assert_eq!(count, 3 * 82 * 12);
    load.close().unwrap();
    assert_eq!(all(&mut open(&disk).unwrap()).unwrap().len(), count as usize);
}

#[test]
fn a_load_that_was_not_closed_is_none() {
    let disk = MemoryDisk::new();
    let mut load = Load::create(&disk, Path::new("isam"), BASE, LoadOptions::default()).unwrap();
    load.put(&record(2)).unwrap();
    drop(load);
    assert!(matches!(open(&disk), Err(IsamError::Unfinished)));
}

#[test]
fn a_request_that_is_refused_changes_nothing() {
    let disk = MemoryDisk::new();
    loaded(&disk, BASE, 500);
    let before = all(&mut open(&disk).unwrap()).unwrap();
    let mut set = open(&disk).unwrap();
    assert!(matches!(set.insert(&record(300)), Err(IsamError::Duplicate)));
    assert!(matches!(set.insert(b"short"), Err(IsamError::Length { .. })));
    assert!(matches!(set.read(&key(301)), Err(IsamError::NotFound)));
    assert!(matches!(set.read(&key(60_000)), Err(IsamError::NotFound)));
    assert!(matches!(
        set.read(b"3"),
        Err(IsamError::KeyLength { got: 1, wanted: 8 })
    ));
    assert!(matches!(set.rewrite(&record(300)), Err(IsamError::NoUpdate)));
    set.read_for_update(&key(300)).unwrap();
    assert!(matches!(set.rewrite(&record(301)), Err(IsamError::KeyChanged)));
    set.close().unwrap();
    let mut reader = Indexed::open(&disk, Path::new("isam"), Access::default()).unwrap();
    assert!(matches!(reader.insert(&record(1)), Err(IsamError::ReadOnly)));
    assert!(matches!(reader.read_for_update(&key(300)), Err(IsamError::ReadOnly)));
    assert_eq!(all(&mut reader).unwrap(), before);
}

#[test]
fn overflow_fills_its_tracks_then_the_independent_area_and_then_nothing_is_added() {
    for (independent_cylinders, track_area, room) in [(0, false, 64), (0, true, 64), (1, false, 64 + 19 * 32)] {
        let disk = MemoryDisk::new();
        let of = Organization {
            independent_cylinders,
            ..BASE
        };
        loaded(&disk, of, 984);
        let access = Access { track_area, ..OUTPUT };
        let mut set = Indexed::open(&disk, Path::new("isam"), access).unwrap();
        for n in 0..room {
            set.insert(&record(100 * (1 + n) + 50)).unwrap();
        }
        let before = all(&mut set).unwrap();
        assert_eq!(before.len() as u32, 984 + room);
        for key in [1, 98_399, 200_000] {
            let refused = set.insert(&record(key));
            assert!(
                matches!(refused, Err(IsamError::OverflowFull { cylinder: 1 })),
                "{refused:?}"
            );
        }
        assert_eq!(all(&mut set).unwrap(), before);
        assert!(before.windows(2).all(|pair| pair[0][1..9] < pair[1][1..9]));
    }
}

#[test]
fn no_byte_of_the_file_is_changed_unnoticed() {
    let disk = MemoryDisk::new();
    loaded(&disk, BASE, 400);
    let mut set = open(&disk).unwrap();
    for n in 1..20 {
        set.insert(&record(n * 700 + 1)).unwrap();
    }
    set.close().unwrap();
    let whole = disk.image();
    let before = all(&mut open(&disk).unwrap()).unwrap();
    let bytes = whole.bytes(Path::new("isam")).unwrap();
    let (mut noticed, mut unused) = (0, 0);
    for at in (0..bytes.len()).step_by(89).filter(|at| bytes[*at] != 0) {
        let disk = MemoryDisk::from(whole.clone());
        let file = disk
            .open(
                Path::new("isam"),
                Open {
                    write: true,
                    ..Open::default()
                },
            )
            .unwrap();
        file.write(&[WriteAt {
            at: at as u64,
            buf: &[bytes[at] ^ 0x41],
        }])
        .unwrap();
        drop(file);
        match open(&disk).and_then(|mut set| {
            // The cylinder index is no part of a scan.
            set.read(&key(100))?;
            all(&mut set)
        }) {
            Ok(found) => {
                assert_eq!(found, before, "byte {at}");
                unused += 1;
            }
            Err(IsamError::Damaged { .. } | IsamError::NotIndexed(_)) => noticed += 1,
            Err(error) => panic!("byte {at}: {error}"),
        }
    }
    assert!(noticed > 500 && unused == 0, "{noticed} and {unused}");
}

#[test]
fn a_file_that_is_cut_short_is_noticed() {
    let disk = MemoryDisk::new();
    loaded(&disk, BASE, 2_000);
    let whole = disk.image();
    for to in [
        0,
        10,
        51,
        60,
        13_312,
        13_400,
        19 * 13_312,
        19 * 13_312 + 8_000,
        40 * 13_312,
    ] {
        let disk = MemoryDisk::from(whole.clone());
        let file = disk
            .open(
                Path::new("isam"),
                Open {
                    write: true,
                    ..Open::default()
                },
            )
            .unwrap();
        file.size(Some(to)).unwrap();
        drop(file);
        let found = open(&disk).and_then(|mut set| {
            set.read(&key(100))?;
            all(&mut set)
        });
        assert!(
            matches!(found, Err(IsamError::Damaged { .. } | IsamError::NotIndexed(_))),
            "{to}: {found:?}"
        );
    }
}
