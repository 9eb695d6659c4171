//! A data set is what a map is: loads, inserts, updates, reads and scans, with any sizes, reopened between.

#![allow(clippy::unwrap_used)]

use cica_disk::MemoryDisk;
use cica_indexed::{Access, Indexed, IsamError, Load, LoadOptions, Organization, Start};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

const OUTPUT: Access = Access {
    output: true,
    core_index: false,
    track_area: false,
    real: false,
    write_check: false,
};

fn record(lrecl: u16, key: u16, fill: u8) -> Vec<u8> {
    let mut record = vec![fill; lrecl.into()];
    record[1..3].copy_from_slice(&key.to_be_bytes());
    record
}

#[derive(Debug, Clone)]
enum Act {
    Insert(u16, u8),
    Update(u16, u8),
    Read(u16),
    Scan(u16, u32),
    ScanAndChange(u8),
    Reopen(bool, bool, bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (0u16..600, any::<u8>()).prop_map(|(key, fill)| Act::Insert(key, fill)),
        2 => (0u16..600, any::<u8>()).prop_map(|(key, fill)| Act::Update(key, fill)),
        3 => (0u16..600).prop_map(Act::Read),
        1 => (0u16..600, prop_oneof![Just(2u32), Just(40)]).prop_map(|(key, n)| Act::Scan(key, n)),
        1 => any::<u8>().prop_map(Act::ScanAndChange),
        1 => any::<(bool, bool, bool)>().prop_map(|(core, area, real)| Act::Reopen(core, area, real)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_data_set_is_what_a_map_is(
        loaded in proptest::collection::btree_map(0u16..600, any::<u8>(), 0..300),
        acts in proptest::collection::vec(act(), 0..120),
        (lrecl, blocking) in prop_oneof![Just((200u16, 12u16)), Just((1000, 3)), Just((2000, 1)), Just((1000, 12))],
        overflow_tracks in 0u8..3,
        (buffers, full_track_index, write_check) in (1u32..9, any::<bool>(), any::<bool>()),
    ) {
        let organization = Organization {
            lrecl,
            blocking,
            key_at: 1,
            key_len: 2,
            overflow_tracks,
            prime_cylinders: 8,
            independent_cylinders: 1,
        };
        let (disk, path) = (MemoryDisk::new(), Path::new("isam"));
        let options = LoadOptions { buffers, full_track_index, write_check };
        let mut load = Load::create(&disk, path, organization, options).unwrap();
        let mut map = BTreeMap::new();
        for (&key, &fill) in &loaded {
            load.put(&record(lrecl, key, fill)).unwrap();
            prop_assert!(matches!(load.put(&record(lrecl, key, fill)), Err(IsamError::OutOfOrder)));
            map.insert(key, record(lrecl, key, fill));
        }
        load.close().unwrap();
        let mut set = Indexed::open(&disk, path, Access { write_check, ..OUTPUT }).unwrap();
        for act in acts {
            match act {
                Act::Insert(key, fill) => {
                    let new = record(lrecl, key, fill);
                    match set.insert(&new) {
                        Ok(()) => prop_assert!(map.insert(key, new).is_none()),
                        Err(IsamError::Duplicate) => prop_assert!(map.contains_key(&key)),
                        Err(IsamError::Empty) => prop_assert!(map.is_empty()),
                        Err(error) => prop_assert!(false, "{error}"),
                    }
                }
                Act::Update(key, fill) => match set.read_for_update(&key.to_be_bytes()) {
                    Ok(old) => {
                        prop_assert_eq!(Some(&old), map.get(&key));
                        set.rewrite(&record(lrecl, key, fill)).unwrap();
                        map.insert(key, record(lrecl, key, fill));
                    }
                    Err(IsamError::NotFound) => prop_assert!(!map.contains_key(&key)),
                    Err(error) => prop_assert!(false, "{error}"),
                },
                Act::Read(key) => match set.read(&key.to_be_bytes()) {
                    Ok(found) => prop_assert_eq!(Some(&found), map.get(&key)),
                    Err(IsamError::NotFound) => prop_assert!(!map.contains_key(&key)),
                    Err(error) => prop_assert!(false, "{error}"),
                },
                Act::Scan(from, buffers) => {
                    let mut scan = set.scan(Start::AtOrAbove(&from.to_be_bytes()), buffers).unwrap();
                    for wanted in map.range(from..).map(|(_, record)| record) {
                        prop_assert_eq!(scan.get().unwrap(), Some(wanted.clone()));
                    }
                    prop_assert!(scan.get().unwrap().is_none());
                }
                Act::ScanAndChange(fill) => {
                    let mut scan = set.scan(Start::First, 2).unwrap();
                    for (&key, wanted) in &mut map {
                        prop_assert_eq!(scan.get().unwrap(), Some(wanted.clone()));
                        if key % 7 == 0 {
                            *wanted = record(lrecl, key, fill);
                            scan.put(wanted).unwrap();
                        }
                    }
                    scan.end().unwrap();
                }
                Act::Reopen(core_index, track_area, real) => {
                    set.close().unwrap();
                    let access = Access { core_index, track_area, real, write_check, ..OUTPUT };
                    set = Indexed::open(&disk, path, access).unwrap();
                    prop_assert_eq!(set.records(), map.len() as u64);
                }
            }
        }
        let mut scan = set.scan(Start::First, 40).unwrap();
        for wanted in map.values() {
            prop_assert_eq!(scan.get().unwrap(), Some(wanted.clone()));
        }
        prop_assert!(scan.get().unwrap().is_none());
    }
}
