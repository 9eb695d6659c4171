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
        s.insert(&record(&vec![0; KEY], 100), Insert::Sequential).unwrap();
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
