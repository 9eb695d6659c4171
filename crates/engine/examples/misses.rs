//! What gets and inserts cost where the pool holds a part of the data set: the figures of `docs/design/0021`.
//!
//! `cargo run --release -p cica-engine --example misses -- [CI size] [CIs per CA] [index CI size] [records] [pool MB ...]`
//!
//! Records of 200 bytes with keys 16 apart, on a disk in memory, so that it is the engine's own time. For each pool: a
//! scan, random gets, and random inserts between the records, in nanoseconds each, with the I/Os they took.

mod common;

use cica_disk::{Create, Disk, MemoryDisk, Open, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::Numbers;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Gets, and a fifth as many inserts.
const GETS: u64 = 200_000;

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let argument = |i: usize, usual: u64| arguments.get(i).copied().unwrap_or(usual);
    let (ci_size, ci_per_ca, index_ci_size) = (argument(0, 18_432), argument(1, 45), argument(2, 512));
    let records = argument(3, 400_000);
    let pools = match arguments.get(4..) {
        Some(pools) if !pools.is_empty() => pools,
        _ => &[24, 48, 200][..],
    };
    for &pool in pools {
        step(ci_size as u32, ci_per_ca as u16, index_ci_size as u32, records, pool);
    }
}

fn step(ci_size: u32, ci_per_ca: u16, index_ci_size: u32, records: u64, pool: u64) {
    let disk = Arc::new(MemoryDisk::default());
    let directory = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new("/log"), directory).expect("a directory");
    let engine = Engine::new(Env {
        disk,
        clock: Arc::new(SystemClock),
        log_dir: "/log".into(),
        pool_bytes: Some((pool << 20) as usize),
        io: Default::default(),
        background: false,
    })
    .expect("an engine");
    let part = |name: &str, ci_size, ci_per_ca| Attributes {
        cluster_name: "MISSES".into(),
        key_length: 8,
        key_offset: 1,
        average_record: 200,
        maximum_record: 200,
        speed: true,
        primary: 1 << 30,
        secondary: 1 << 30,
        volume: "V".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    };
    let (data, index) = (Path::new("/misses.data"), Path::new("/misses.index"));
    let definition = Definition {
        data_path: data.into(),
        index_path: index.into(),
        data: part("MISSES.DATA", ci_size, ci_per_ca),
        index: Some(part("MISSES.INDEX", index_ci_size, 49)),
    };
    engine.create(&definition).expect("a data set");
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let open = || engine.open(data, index, options).expect("an open");
    let ds = open();
    let mut string = ds.string();
    for n in 1..=records {
        string.insert(&record(n * 16), Insert::Sequential).expect("a load");
    }
    drop(string);
    ds.close().expect("a close");
    let ds = open();
    let (mut string, mut numbers) = (ds.string(), Numbers(1979));
    let excps = || ds.statistics().0.excps + ds.statistics().1.excps;
    let told = |what: &str, each: u64, start: Instant, before: u64| {
        let (nanoseconds, excps) = (start.elapsed().as_nanos() as u64 / each, excps() - before);
        println!("pool {pool:>4} MB: {what:>7} {nanoseconds:>6} ns, {excps:>8} EXCPs");
    };
    for _ in 0..2 {
        let (start, before) = (Instant::now(), excps());
        string.point_first().expect("a record");
        while string.next(Intent::Read).is_ok() {}
        told("scan", records, start, before);
    }
    for _ in 0..2 {
        let (start, before) = (Instant::now(), excps());
        for _ in 0..GETS {
            let key = (1 + numbers.below(records)) * 16;
            string
                .get(&key.to_be_bytes(), Search::Equal, Intent::Read)
                .expect("a record");
        }
        told("get", GETS, start, before);
    }
    let (start, before) = (Instant::now(), excps());
    for _ in 0..GETS / 5 {
        match string.insert(&record(numbers.below(records * 16)), Insert::Direct) {
            Ok(_) | Err(RequestError::Duplicate { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    told("insert", GETS / 5, start, before);
}

/// A record without runs, which a page would leave out.
fn record(number: u64) -> Vec<u8> {
    let mut record: Vec<u8> = (0..200).map(|i| (number >> (i % 24)) as u8 ^ i as u8).collect();
    record[1..9].copy_from_slice(&number.to_be_bytes());
    record
}
