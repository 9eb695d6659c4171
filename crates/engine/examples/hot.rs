//! The requests whose instructions `checks/instructions.py` counts: a data set in memory, and one kind of request so many
//! times.
//!
//! `cargo run --release -p cica-engine --example hot -- [load|get|next|update|insert|unit] [requests]`

mod common;

use cica_disk::{Create, Disk, MemoryDisk, Open, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::Numbers;
use std::path::Path;
use std::sync::Arc;

/// Records before the requests begin.
const RECORDS: u64 = 20_000;
const LENGTH: usize = 200;
/// Keys lie so far apart.
const APART: u64 = 1 << 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or("get".into());
    let requests: u64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(10_000);
    let loads = kind == "load";
    let (engine, ds) = loaded(RECORDS + if loads { requests } else { 0 });
    if loads {
        return;
    }
    let mut string = ds.string();
    // All of it is in the pool, and the log has its file.
    string.point_first().expect("a record");
    while string.next(Intent::Read).is_ok() {}
    let first = record(APART);
    string
        .get(&first[..8], Search::Equal, Intent::Update)
        .expect("a record");
    string.update(&first).expect("an update");
    let (mut numbers, unit) = (Numbers(1979), engine.unit());
    match kind.as_str() {
        "get" => {
            for _ in 0..requests {
                let key = (1 + numbers.below(RECORDS)) * APART;
                string
                    .get(&key.to_be_bytes(), Search::Equal, Intent::Read)
                    .expect("a record");
            }
        }
        "next" => {
            string.point_first().expect("a record");
            for _ in 0..requests {
                string.next(Intent::Read).expect("a record");
            }
        }
        "insert" => {
            for _ in 0..requests {
                let key = numbers.below(RECORDS * APART) | 1;
                string.insert(&record(key), Insert::Direct).expect("an insert");
            }
        }
        "update" => update(&mut string, requests, &mut numbers),
        "unit" => {
            let mut string = ds.string_in(&unit);
            for _ in 0..requests.div_ceil(1000) {
                update(&mut string, requests.min(1000), &mut numbers);
                unit.commit().expect("a commit");
            }
        }
        other => panic!("no such kind of request: {other}"),
    }
}

fn update(string: &mut Str, requests: u64, numbers: &mut Numbers) {
    for _ in 0..requests {
        let key = (1 + numbers.below(RECORDS)) * APART;
        let found = string
            .get(&key.to_be_bytes(), Search::Equal, Intent::Update)
            .expect("a record");
        let mut record = found.bytes.to_vec();
        record[100] = record[100].wrapping_add(1);
        string.update(&record).expect("an update");
    }
}

/// A data set of so many records, open for output.
fn loaded(records: u64) -> (Engine, DataSet) {
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
        pool_bytes: Some(64 << 20),
        io: Default::default(),
        background: false,
    })
    .expect("an engine");
    let part = |name: &str, ci_size, ci_per_ca| Attributes {
        cluster_name: "HOT".into(),
        key_length: 8,
        average_record: LENGTH as u32,
        maximum_record: LENGTH as u32,
        speed: true,
        primary: 1 << 30,
        secondary: 1 << 30,
        volume: "V".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    };
    let (data, index) = (Path::new("/hot.data"), Path::new("/hot.index"));
    let definition = Definition {
        data_path: data.into(),
        index_path: index.into(),
        data: part("HOT.DATA", 4096, 180),
        index: Some(part("HOT.INDEX", 4096, 12)),
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
        string.insert(&record(n * APART), Insert::Sequential).expect("a load");
    }
    drop(string);
    ds.close().expect("a close");
    let ds = open();
    (engine, ds)
}

/// A record without runs, which a page would leave out.
fn record(key: u64) -> Vec<u8> {
    let mut record: Vec<u8> = (0..LENGTH).map(|i| (key >> (i % 24)) as u8 ^ i as u8).collect();
    record[..8].copy_from_slice(&key.to_be_bytes());
    record
}
