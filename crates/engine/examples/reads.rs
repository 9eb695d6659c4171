//! What random reads cost the engine alone, by how much is read: the tables of `docs/design/0010` and `0017`.
//!
//! `cargo run --release -p cica-engine --example reads -- [CI size] [CIs per CA] [records ...]`
//!
//! For each number of records of 200 bytes: nanoseconds of a get while all CIs are in the pool, and milliseconds of an
//! open, 4,520 gets or as many as there are records, and the close. The least of many is what the machine can do.

mod common;

use cica_disk::{LinuxDisk, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::Numbers;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let ci_size = arguments.first().map_or(18_432, |&size| size as u32);
    let ci_per_ca = arguments.get(1).map_or(45, |&count| count as u16);
    let counts = match arguments.get(2..) {
        Some(counts) if !counts.is_empty() => counts,
        _ => &[2_000, 20_000, 86_763, 200_000][..],
    };
    let dir = std::env::temp_dir().join(format!("cica-reads-{}", std::process::id()));
    for &records in counts {
        let place = Place::loaded(&dir, records, ci_size, ci_per_ca);
        let get = place.gets_in_the_pool();
        let (few, many) = (place.step(4520), place.step(records));
        println!(
            "{records:>9} records, CIs of {ci_size}: a get {get} ns; 4,520 gets {few:.1} ms, {records} {many:.1} ms"
        );
    }
    let _ = std::fs::remove_dir_all(&dir);
}

/// A loaded data set.
struct Place {
    env: Env,
    data: PathBuf,
    index: PathBuf,
    records: u64,
}

impl Place {
    fn loaded(dir: &Path, records: u64, ci_size: u32, ci_per_ca: u16) -> Place {
        let _ = std::fs::remove_dir_all(dir);
        std::fs::create_dir_all(dir.join("log")).expect("a directory");
        let env = Env {
            disk: Arc::new(LinuxDisk::new()),
            clock: Arc::new(SystemClock),
            log_dir: dir.join("log"),
            pool_bytes: Some(1 << 30),
            io: Default::default(),
            background: true,
        };
        let (data, index) = (dir.join("reads.data"), dir.join("reads.index"));
        let place = Place {
            env,
            data,
            index,
            records,
        };
        let part = |name: &str, ci_size, ci_per_ca| Attributes {
            cluster_name: "READS".into(),
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
        let engine = Engine::new(place.env.clone()).expect("an engine");
        let definition = Definition {
            data_path: place.data.clone(),
            index_path: place.index.clone(),
            data: part("READS.DATA", ci_size, ci_per_ca),
            index: Some(part("READS.INDEX", 4096, 12)),
        };
        engine.create(&definition).expect("a data set");
        let ds = place.open(&engine, Access::Output);
        let (mut string, mut record) = (ds.string(), vec![b'x'; 200]);
        for n in 1..=records {
            record[1..9].copy_from_slice(&key(n));
            string.insert(&record, Insert::Sequential).expect("a load");
        }
        drop(string);
        ds.close().expect("a close");
        place
    }

    fn open(&self, engine: &Engine, access: Access) -> DataSet {
        let options = OpenOptions {
            access,
            ..OpenOptions::default()
        };
        engine.open(&self.data, &self.index, options).expect("an open")
    }

    /// Nanoseconds of a get, the least of 400 times 1,000.
    fn gets_in_the_pool(&self) -> u64 {
        let engine = Engine::new(self.env.clone()).expect("an engine");
        let ds = self.open(&engine, Access::Input);
        let (mut string, mut keys) = (ds.string(), Keys(self.records, Numbers(1979)));
        for n in 1..=self.records {
            string
                .get(&key(n)[..], Search::Equal, Intent::Position)
                .expect("a record");
        }
        let times = (0..400).map(|_| {
            let keys: Vec<[u8; 8]> = (0..1000).map(|_| keys.draw()).collect();
            let start = Instant::now();
            for key in &keys {
                string.get(&key[..], Search::Equal, Intent::Position).expect("a record");
            }
            start.elapsed().as_nanos() as u64 / 1000
        });
        times.min().unwrap_or_default()
    }

    /// Milliseconds of an open, so many gets, and the close, the least of 30.
    fn step(&self, gets: u64) -> f64 {
        let times = (0..30).map(|round| {
            let (start, mut keys) = (Instant::now(), Keys(self.records, Numbers(1979 + round)));
            let engine = Engine::new(self.env.clone()).expect("an engine");
            let ds = self.open(&engine, Access::Input);
            let mut string = ds.string();
            for _ in 0..gets {
                string
                    .get(&keys.draw()[..], Search::Equal, Intent::Read)
                    .expect("a record");
            }
            drop(string);
            ds.close().expect("a close");
            drop(engine);
            start.elapsed().as_micros() as f64 / 1000.0
        });
        times.fold(f64::INFINITY, f64::min)
    }
}

/// Keys of so many records, at random.
struct Keys(u64, Numbers);

impl Keys {
    fn draw(&mut self) -> [u8; 8] {
        key(self.1.below(self.0) + 1)
    }
}

fn key(n: u64) -> [u8; 8] {
    let mut key = [b'0'; 8];
    let digits = format!("{:08}", n * 4 % 100_000_000);
    key.copy_from_slice(digits.as_bytes());
    key
}
