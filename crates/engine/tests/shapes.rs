//! Keys, records, CIs and CAs of every size that the format allows.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;

/// What distinguishes a key is at its end when `tail`, else at its start.
fn record(n: u64, key_len: usize, offset: usize, len: usize, tail: bool) -> Vec<u8> {
    let digits = n.to_be_bytes();
    let digits = &digits[8usize.saturating_sub(key_len)..];
    let mut key = vec![b'K'; key_len];
    let at = if tail { key_len - digits.len() } else { 0 };
    key[at..at + digits.len()].copy_from_slice(digits);
    let mut r = vec![b'x'; offset];
    r.extend_from_slice(&key);
    r.resize(len.max(r.len()), b'a' + (n % 26) as u8);
    r
}

struct Shape {
    key_len: usize,
    offset: usize,
    len: usize,
    ci_size: u32,
    ci_per_ca: u16,
    index_ci_size: u32,
    count: u64,
}

fn run(shape: Shape, tail: bool) {
    let Shape {
        key_len,
        offset,
        len,
        ci_size,
        ci_per_ca,
        index_ci_size,
        count,
    } = shape;
    let what = format!(
        "key {key_len} at {offset}, record {len}, CISZ {ci_size}, {ci_per_ca} CIs, index {index_ci_size}, tail {tail}"
    );
    let world = World {
        pool_bytes: 32 << 20,
        ..World::memory()
    };
    let engine = world.engine();
    world.create(&engine, "t", |data, index| {
        (data.key_length, data.key_offset) = (key_len as u16, offset as u32);
        (data.ci_size, data.ci_per_ca, index.ci_size) = (ci_size, ci_per_ca, index_ci_size);
        (index.key_length, index.key_offset) = (data.key_length, data.key_offset);
        data.average_record = len as u32;
        data.maximum_record = len.max(offset + key_len) as u32 + 50;
        (data.primary, data.secondary, index.primary, index.secondary) = (64 << 20, 8 << 20, 8 << 20, 8 << 20);
    });
    let make = |n: u64, len| record(n, key_len, offset, len, tail);
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    for n in (0..count).step_by(2) {
        s.insert(&make(n, len), Insert::Sequential)
            .unwrap_or_else(|e| panic!("{what}: load {n}: {e}"));
    }
    drop(s);
    ds.close().unwrap_or_else(|e| panic!("{what}: close: {e}"));
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    // A prime that no count divides by: every key comes once, in no order.
    let step = 7919;
    for i in 0..count {
        let n = (i * step) % count;
        if n % 2 == 1 {
            s.insert(&make(n, len), Insert::Direct)
                .unwrap_or_else(|e| panic!("{what}: insert {n}: {e}"));
        }
    }
    for n in (0..count).step_by(5) {
        let r = make(n, len);
        s.get(&r[offset..offset + key_len], Search::Equal, Intent::Update)
            .unwrap_or_else(|e| panic!("{what}: get {n}: {e}"));
        s.update(&make(n, len + 30))
            .unwrap_or_else(|e| panic!("{what}: update {n}: {e}"));
    }
    let found = ds.examine().unwrap();
    assert!(
        found.findings.is_empty(),
        "{what}: {:#?}",
        &found.findings[..found.findings.len().min(3)]
    );
    drop(s);
    ds.close().unwrap_or_else(|e| panic!("{what}: close: {e}"));
    let engine = world.engine();
    let ds = world.open(&engine, "t");
    let mut s = ds.string();
    for n in 0..count {
        let expected = make(n, if n % 5 == 0 { len + 30 } else { len });
        let got = s.next(Intent::Read).unwrap_or_else(|e| panic!("{what}: next {n}: {e}"));
        assert_eq!(got.bytes, expected, "{what}: record {n}");
    }
    assert!(matches!(s.next(Intent::Read), Err(RequestError::EndOfData)), "{what}");
}

#[test]
fn keys_from_1_to_255_bytes_at_offsets() {
    for (key_len, offset, count) in [
        (1, 0, 256),
        (2, 7, 4000),
        (4, 300, 2000),
        (9, 1, 4000),
        (32, 0, 4000),
        (40, 13, 2000),
        (128, 5, 2000),
        (255, 0, 2000),
        (255, 200, 1000),
    ] {
        for tail in [true, false] {
            run(
                Shape {
                    key_len,
                    offset,
                    len: 0,
                    ci_size: 2048,
                    ci_per_ca: 8,
                    index_ci_size: 2048,
                    count,
                },
                tail,
            );
        }
    }
}

#[test]
fn records_of_one_byte() {
    run(
        Shape {
            key_len: 1,
            offset: 0,
            len: 1,
            ci_size: 512,
            ci_per_ca: 2,
            index_ci_size: 512,
            count: 256,
        },
        true,
    );
}

#[test]
fn control_intervals_from_512_to_32768() {
    for ci_size in [512, 1024, 1536, 4096, 10240, 18432, 32768] {
        run(
            Shape {
                key_len: 12,
                offset: 2,
                len: 100,
                ci_size,
                ci_per_ca: 7,
                index_ci_size: 1024,
                count: 5000,
            },
            true,
        );
    }
}

#[test]
fn control_areas_of_one_two_and_a_thousand_intervals() {
    for (ci_per_ca, count) in [(1, 1000), (2, 3000), (1000, 12_000)] {
        run(
            Shape {
                key_len: 16,
                offset: 0,
                len: 60,
                ci_size: 512,
                ci_per_ca,
                index_ci_size: 4096,
                count,
            },
            true,
        );
    }
}

#[test]
fn long_keys_in_small_and_large_index_intervals() {
    // Separators of 100 bytes that differ at their end: a small index CI holds few, a large one more than fit a frame.
    for (key_len, index_ci_size, ci_per_ca, count) in [
        (100, 512, 20, 1000),
        (120, 512, 4, 600),
        (255, 1024, 20, 1000),
        (255, 32768, 1000, 8000),
    ] {
        run(
            Shape {
                key_len,
                offset: 0,
                len: 0,
                ci_size: 1024,
                ci_per_ca,
                index_ci_size,
                count,
            },
            true,
        );
    }
}
