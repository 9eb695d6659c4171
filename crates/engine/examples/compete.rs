//! Two data sets of different CISZ after each other in one pool: does the second get the memory of the first, which
//! nobody reads any more?
//!
//! `cargo run --release -p cica-engine --example compete -- [pool MB] [records of each] [CI size ...]`

mod common;

use cica_disk::{Create, Disk, MemoryDisk, Open, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::Numbers;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Gets of a step.
const GETS: u64 = 100_000;

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let argument = |i: usize, usual: u64| arguments.get(i).copied().unwrap_or(usual);
    let (pool, records) = (argument(0, 64), argument(1, 200_000));
    let sizes = match arguments.get(2..) {
        Some(sizes) if !sizes.is_empty() => sizes,
        _ => &[4096, 18_432][..],
    };
    let disk = Arc::new(MemoryDisk::default());
    let directory = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open("/log".as_ref(), directory).expect("a directory");
    let engine = Engine::new(Env {
        disk,
        clock: Arc::new(SystemClock),
        log_dir: "/log".into(),
        pool_bytes: Some((pool << 20) as usize),
        io: Default::default(),
        background: false,
    })
    .expect("an engine");
    let sets: Vec<DataSet> = sizes
        .iter()
        .map(|&size| loaded(&engine, size as u32, records))
        .collect();
    let mut numbers = Numbers(1979);
    for round in 1..=2 {
        for (ds, size) in sets.iter().zip(sizes) {
            for step in 1..=4 {
                let excps = || ds.statistics().0.excps + ds.statistics().1.excps;
                let (start, before, mut string) = (Instant::now(), excps(), ds.string());
                for _ in 0..GETS {
                    let key = (1 + numbers.below(records)) * 16;
                    string
                        .get(&key.to_be_bytes(), Search::Equal, Intent::Read)
                        .expect("a record");
                }
                let (each, read) = (start.elapsed().as_nanos() as u64 / GETS, excps() - before);
                println!("round {round} CISZ {size:>5} step {step}: {each:>6} ns a get, {read:>7} EXCPs");
            }
        }
    }
}

fn loaded(engine: &Engine, ci_size: u32, records: u64) -> DataSet {
    let paths = ["data", "index"].map(|part| PathBuf::from(format!("/compete{ci_size}.{part}")));
    let part = |name: &str, ci_size, ci_per_ca| Attributes {
        cluster_name: "COMPETE".into(),
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
    let definition = Definition {
        data_path: paths[0].clone(),
        index_path: paths[1].clone(),
        data: part("COMPETE.DATA", ci_size, (829_440 / ci_size) as u16),
        index: Some(part("COMPETE.INDEX", 4096, 49)),
    };
    engine.create(&definition).expect("a data set");
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let open = || engine.open(&paths[0], &paths[1], options).expect("an open");
    let ds = open();
    let mut string = ds.string();
    for n in 1..=records {
        string.insert(&record(n * 16), Insert::Sequential).expect("a load");
    }
    drop(string);
    ds.close().expect("a close");
    open()
}

/// A record without runs, which a page would leave out.
fn record(number: u64) -> Vec<u8> {
    let mut record: Vec<u8> = (0..200).map(|i| (number >> (i % 24)) as u8 ^ i as u8).collect();
    record[1..9].copy_from_slice(&number.to_be_bytes());
    record
}
