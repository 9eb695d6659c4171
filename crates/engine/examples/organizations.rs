//! CPU time of requests to an ESDS and an RRDS on a disk in memory: load, next, and get by RBA or number.
//!
//! `cargo run --release -p cica-engine --example organizations`

#![allow(clippy::expect_used)]

mod common;

use cica_disk::{Create, Disk, ManualClock, MemoryDisk, Open};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::thread_time;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const RECORDS: u64 = 400_000;

fn main() {
    for organization in [Organization::Esds, Organization::Rrds] {
        run(organization);
    }
}

fn run(organization: Organization) {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    for directory in ["/v", "/log"] {
        let how = Open {
            directory: true,
            create: Create::IfMissing,
            ..Open::default()
        };
        disk.open(Path::new(directory), how).expect("directory");
    }
    let engine = Engine::new(Env {
        disk,
        clock: Arc::new(ManualClock::new(1, 1000)),
        log_dir: PathBuf::from("/log"),
        pool_bytes: Some(256 << 20),
        io: Default::default(),
        background: false,
    })
    .expect("engine");
    let data = PathBuf::from("/v/d");
    let definition = Definition {
        data_path: data.clone(),
        index_path: PathBuf::new(),
        data: attributes(organization),
        index: None,
    };
    engine.create(&definition).expect("create");
    let output = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let open = || engine.open(&data, Path::new(""), output).expect("open");
    let set = open();
    let mut places = Vec::new();
    time(&format!("{organization:?} load"), || {
        let mut s = set.string();
        for n in 0..RECORDS {
            let record = [n as u8; 100];
            places.push(s.insert(&record, Insert::Sequential).expect("load"));
        }
    });
    set.close().expect("close");
    let set = open();
    for round in ["next, pages read", "next, pages in the pool"] {
        time(&format!("{organization:?} {round}"), || {
            let mut s = set.string();
            let mut found = 0;
            while s.next(Intent::Read).is_ok() {
                found += 1;
            }
            assert_eq!(found, RECORDS);
        });
    }
    let mut at = 0_usize;
    time(&format!("{organization:?} random get"), || {
        let mut s = set.string();
        for _ in 0..RECORDS {
            at = (at + 7_919_777) % places.len();
            let argument = match organization {
                Organization::Esds => Argument::Rba(places[at]),
                _ => Argument::Rrn(places[at] as u32),
            };
            s.get(argument, Search::Equal, Intent::Read).expect("get");
        }
    });
}

fn time(what: &str, work: impl FnOnce()) {
    let before = thread_time();
    work();
    let took = (thread_time() - before).as_nanos() as u64;
    println!("{what:32} {:6} ns CPU", took / RECORDS);
}

fn attributes(organization: Organization) -> Attributes {
    Attributes {
        cluster_name: "Q".into(),
        average_record: 100,
        maximum_record: 100,
        speed: true,
        primary: 64 << 20,
        secondary: 64 << 20,
        volume: "V1".into(),
        ..Attributes::new(organization, "Q.DATA", 4096, 180)
    }
}
