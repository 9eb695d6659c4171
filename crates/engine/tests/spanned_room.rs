//! Spanned records where room is short: in the index record that is to name their segments, and on the volume.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;

const KEY: usize = 60;

/// Keys in pairs that only their last byte tells apart, so that the text between them is as long as a key.
fn long_key(pair: u64, last: u8) -> Vec<u8> {
    let mut key: Vec<u8> = (0..)
        .flat_map(|n| {
            (pair * 7919 + n * 104_729)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .to_be_bytes()
        })
        .take(KEY - 1)
        .collect();
    key.push(last);
    key
}

fn record(key: &[u8], len: usize) -> Vec<u8> {
    let mut record = key.to_vec();
    record.resize(len, b'.');
    record
}

/// Each spanned record cuts a CI between two records; the index record is full before its CA is.
#[test]
fn spanned_records_come_between_others_when_the_index_record_is_full() {
    for ci_per_ca in [6, 12, 30] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |data, index| {
            (data.ci_per_ca, data.key_length, data.spanned) = (ci_per_ca, KEY as u16, true);
            (data.maximum_record, data.secondary) = (1500, 1 << 20);
            index.ci_size = 512;
        });
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        s.insert(&record(&[0; KEY], 100), Insert::Sequential).unwrap();
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        let mut records = 1;
        for pair in 0..300 {
            for last in [1, 3] {
                s.insert(&record(&long_key(pair, last), 180), Insert::Direct).unwrap();
            }
            let spanned = record(&long_key(pair, 2), 700 + pair as usize % 500);
            s.insert(&spanned, Insert::Direct)
                .unwrap_or_else(|error| panic!("{ci_per_ca} CIs, pair {pair}: {error}"));
            records += 3;
        }
        drop(s);
        assert_sound(&ds);
        assert_eq!(ds.statistics().0.records, records);
        ds.close().unwrap();
    }
}

/// Small records become spanned ones until the volume gives no more: each is refused or done, and nothing else.
#[test]
fn a_record_that_cannot_become_spanned_stays_what_it_was() {
    for areas in 3..12 {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "t", |data, index| {
            (data.ci_per_ca, data.spanned, data.maximum_record) = (6, true, 2400);
            (data.primary, data.secondary) = (areas * 6 * 512, 0);
            index.secondary = 1 << 20;
        });
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        for n in 0..30 {
            s.insert(&sealed(n, 0, 200), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        let mut lengths = [200; 30];
        let mut refused = 0;
        for round in 0..6 {
            for n in 0..30 {
                let n = (n * 7 + round) % 30;
                let len = [600, 1400, 2400, 100, 1900, 800][(n as usize + round as usize) % 6];
                s.get(&key(n), Search::Equal, Intent::Update).unwrap();
                match s.update(&sealed(n, 0, len)) {
                    Ok(_) => lengths[n as usize] = len,
                    Err(RequestError::NoSpace { .. }) => refused += 1,
                    Err(error) => panic!("{areas} areas, record {n} to {len} bytes: {error}"),
                }
                assert!(
                    ds.examine().is_ok(),
                    "{areas} areas, record {n} to {len} bytes: it is fenced"
                );
            }
        }
        assert!(refused > 0, "{areas} areas are enough");
        drop(s);
        assert_sound(&ds);
        ds.close().unwrap();
        let ds = world.open(&engine, "t");
        let mut s = ds.string();
        for (n, len) in lengths.into_iter().enumerate() {
            let found = s.get(&key(n as u64), Search::Equal, Intent::Read).unwrap();
            assert_eq!(found.bytes.len(), len, "{areas} areas, record {n}");
            unsealed(found.bytes);
        }
    }
}
