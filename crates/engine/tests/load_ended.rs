//! A load that ends before its data set is closed, while others go on adding records.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;
use std::sync::atomic::{AtomicU64, Ordering::*};

fn count(ds: &DataSet) -> u64 {
    assert_sound(ds);
    let (mut s, mut n) = (ds.string(), 0);
    while s.next(Intent::Read).is_ok() {
        n += 1;
    }
    assert_eq!(ds.statistics().0.records, n);
    n
}

/// One string loads while another, of a unit of recovery, ends the load with its first change.
#[test]
fn what_is_loaded_while_a_unit_ends_the_load_is_kept() {
    const RECORDS: u64 = 60;
    for organization in [Organization::Ksds, Organization::Vrrds, Organization::Esds] {
        for round in 0..40 {
            let world = World::memory();
            let engine = world.engine();
            world.create(&engine, "t", |data, _| {
                data.organization = organization;
                if organization != Organization::Ksds {
                    data.key_length = 0;
                }
            });
            let ds = world.open(&engine, "t");
            let loaded = AtomicU64::new(0);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let mut s = ds.string();
                    for n in 0..RECORDS {
                        // The end of an ESDS is the unit's until it has ended.
                        while let Err(error) = s.insert(&sealed(n, n, 100), Insert::Sequential) {
                            assert!(matches!(error, RequestError::Exclusive { .. }), "{error}");
                        }
                        loaded.fetch_add(1, Release);
                    }
                });
                while loaded.load(Acquire) < round {
                    std::hint::spin_loop();
                }
                let unit = engine.unit();
                let mut s = ds.string_in(&unit);
                match organization {
                    Organization::Vrrds => drop(s.insert_at(10_000, &sealed(1, 1, 100), Insert::Direct)),
                    Organization::Esds => drop(s.insert(&sealed(1, 1, 100), Insert::Sequential)),
                    _ => drop(s.insert(&sealed(RECORDS, 1, 100), Insert::Direct).unwrap()),
                }
                unit.commit().unwrap();
            });
            ds.close().unwrap();
            let ds = world.open(&engine, "t");
            assert_eq!(count(&ds), RECORDS + 1, "{organization:?}, round {round}");
        }
    }
}
