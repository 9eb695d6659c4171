//! So many random gets, or gets in sequence, of a data set that is in the pool, and nothing else that grows with their
//! number: run under callgrind with two numbers, the difference is what one costs in instructions.
//!
//! `cargo build --release -p cica-engine --example gets`, then `checks/get_cost.py`

use cica_disk::{LinuxDisk, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use std::sync::Arc;

const RECORDS: u64 = 20_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_else(|| "random".into());
    let gets: u64 = arguments.next().and_then(|a| a.parse().ok()).unwrap_or(100_000);
    let dir = std::env::temp_dir().join(format!("cica-gets-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("log")).expect("a directory");
    let engine = Engine::new(Env {
        disk: Arc::new(LinuxDisk::new()),
        clock: Arc::new(SystemClock),
        log_dir: dir.join("log"),
        pool_bytes: Some(64 << 20),
        io: Default::default(),
        background: false,
    })
    .expect("an engine");
    let part = |name: &str, ci_size, ci_per_ca| Attributes {
        cluster_name: "GETS".into(),
        key_length: 8,
        average_record: 200,
        maximum_record: 200,
        primary: 1 << 30,
        secondary: 1 << 30,
        volume: "V".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    };
    let (data_path, index_path) = (dir.join("gets.data"), dir.join("gets.index"));
    let definition = Definition {
        data_path: data_path.clone(),
        index_path: index_path.clone(),
        data: part("GETS.DATA", 4096, 45),
        index: Some(part("GETS.INDEX", 2048, 12)),
    };
    engine.create(&definition).expect("a data set");
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let ds = engine.open(&data_path, &index_path, options).expect("an open");
    let (mut string, mut record) = (ds.string(), vec![b'x'; 200]);
    for n in 0..RECORDS {
        record[..8].copy_from_slice(&n.to_be_bytes());
        string.insert(&record, Insert::Sequential).expect("a load");
    }
    ds.end_load().expect("a load");
    let mut string = ds.string();
    while string.next(Intent::Read).is_ok() {}
    let mut key = 1979_u64;
    for _ in 0..gets {
        let done = match what.as_str() {
            "random" => {
                key = key
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                string
                    .get(&((key >> 33) % RECORDS).to_be_bytes(), Search::Equal, Intent::Read)
                    .is_ok()
            }
            _ => string.next(Intent::Read).is_ok() || string.point_first().is_ok(),
        };
        assert!(done);
    }
    drop(string);
    ds.close().expect("a close");
    let _ = std::fs::remove_dir_all(&dir);
}
