//! What opening, requests, commits and closing cost in calls to the system, bytes and syncs: the table of
//! `docs/src/explanation/cost.md`.
//!
//! ```text
//! cargo run --release -p cica-cli --example request_cost [DIRECTORY]
//! ```
//!
//! Everything is counted at the seam between Cica and the system, so the figures are the same on every run and machine.
//! Each line is what came between two readings of the counters. The data set is 1979's: 86,763 records of 200 bytes, CIs
//! of 2,048 bytes, 108 in a CA.

use cica_disk::{Counted, Counts, Create, Disk, LinuxDisk, Open, SystemClock};
use cica_engine::{Access, DataSet, Definition, Durability, Engine, Env, Insert, Intent, OpenOptions, Search};
use cica_format::attributes::{Attributes, Organization};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const RECORDS: u64 = 86_763;
/// Keys are multiples of this, so that records can be inserted between them.
const GAP: u64 = 100;

type Outcome = Result<(), Box<dyn Error>>;

/// A data set, and the disk that counts what is done with it.
struct Laboratory {
    disk: Arc<Counted<LinuxDisk>>,
    directory: PathBuf,
    last: Counts,
}

fn main() -> Outcome {
    let given = std::env::args().nth(1).map(PathBuf::from);
    let directory = given.unwrap_or_else(|| std::env::temp_dir().join(format!("cica-cost-{}", std::process::id())));
    let mut lab = Laboratory {
        disk: Arc::new(Counted::new(LinuxDisk::default())),
        directory,
        last: Counts::default(),
    };
    lab.prepare()?;
    println!("| | calls | reads | bytes read | writes | bytes written | syncs |");
    println!("|---|---|---|---|---|---|---|");
    reading(&mut lab)?;
    writing(&mut lab)?;
    synced(&mut lab)?;
    std::fs::remove_dir_all(&lab.directory)?;
    Ok(())
}

/// A step that only reads.
fn reading(lab: &mut Laboratory) -> Outcome {
    let engine = lab.engine()?;
    lab.start();
    let data_set = lab.open(&engine, Access::Input, Durability::Close)?;
    lab.row("**input:** open");
    let mut string = data_set.string();
    string.get(&key(GAP), Search::Equal, Intent::Read)?;
    lab.row("first get: index to data");
    string.get(&key(2 * GAP), Search::Equal, Intent::Read)?;
    lab.row("get in the same CI");
    string.get(&key(80 * GAP), Search::Equal, Intent::Read)?;
    lab.row("get in another CI of the CA");
    string.get(&key(40_000 * GAP), Search::Equal, Intent::Read)?;
    lab.row("get in another CA");
    drop(string);
    data_set.close()?;
    lab.row("close");
    Ok(())
}

/// A step that writes, and ends within a second.
fn writing(lab: &mut Laboratory) -> Outcome {
    let engine = lab.engine()?;
    lab.start();
    let data_set = lab.open(&engine, Access::Output, Durability::Commit)?;
    lab.row("**output:** open");
    change(&data_set, GAP)?;
    lab.row("get for update and update, the first");
    change(&data_set, 2 * GAP)?;
    lab.row("the same in the same CI");
    insert(&data_set, 3 * GAP + 1)?;
    lab.row("insert in the same CI");
    data_set.close()?;
    lab.row("close: one CI changed");

    let data_set = lab.open(&engine, Access::Output, Durability::Commit)?;
    for number in 0..1000 {
        change(&data_set, (1 + number * 86) * GAP)?;
    }
    lab.start();
    data_set.close()?;
    lab.row("close: 1,000 CIs in all 107 CAs changed");

    let data_set = lab.open(&engine, Access::Output, Durability::Commit)?;
    for number in 1..=40 {
        insert(&data_set, 50_000 * GAP + number)?;
    }
    lab.start();
    data_set.close()?;
    lab.row("close: CIs split, index changed");
    Ok(())
}

/// A step that commits.
fn synced(lab: &mut Laboratory) -> Outcome {
    let engine = lab.engine()?;
    let data_set = lab.open(&engine, Access::Output, Durability::Request)?;
    lab.start();
    change(&data_set, GAP)?;
    lab.row("**synced requests:** first update, no log file yet");
    change(&data_set, 2 * GAP)?;
    lab.row("second update");
    change(&data_set, 3 * GAP)?;
    lab.row("third update");
    data_set.close()?;
    lab.row("close");
    let data_set = lab.open(&engine, Access::Output, Durability::Request)?;
    lab.start();
    change(&data_set, GAP)?;
    lab.row("first update, a log file lies ready");
    data_set.close()?;
    Ok(())
}

fn change(data_set: &DataSet, number: u64) -> Outcome {
    let mut string = data_set.string();
    let mut area = string.get(&key(number), Search::Equal, Intent::Update)?.bytes.to_vec();
    area[0] = area[0].wrapping_add(1);
    string.update(&area)?;
    Ok(())
}

fn insert(data_set: &DataSet, number: u64) -> Outcome {
    data_set.string().insert(&record(number), Insert::Direct)?;
    Ok(())
}

fn key(number: u64) -> Vec<u8> {
    format!("{number:08}").into_bytes()
}

fn record(number: u64) -> Vec<u8> {
    let mut record = format!("A{number:08}").into_bytes();
    record.resize(200, b' ');
    record
}

impl Laboratory {
    /// Makes the data set and loads it.
    fn prepare(&self) -> Outcome {
        for directory in [&self.directory, &self.directory.join("log")] {
            let how = Open {
                directory: true,
                create: Create::New,
                ..Open::default()
            };
            self.disk
                .open(directory, how)
                .map_err(|e| format!("{}: {e}", directory.display()))?;
        }
        let (data_path, index_path) = self.paths();
        let engine = self.engine()?;
        engine.create(&Definition {
            data_path,
            index_path,
            data: attributes("COST.DATA", 2_048, 108),
            index: Some(attributes("COST.INDEX", 1_024, 11)),
        })?;
        let data_set = self.open(&engine, Access::Output, Durability::Close)?;
        let mut string = data_set.string();
        for number in 1..=RECORDS {
            string.insert(&record(number * GAP), Insert::Sequential)?;
        }
        drop(string);
        data_set.close()?;
        Ok(())
    }

    fn paths(&self) -> (PathBuf, PathBuf) {
        (self.directory.join("COST.DATA"), self.directory.join("COST.INDEX"))
    }

    fn engine(&self) -> Result<Engine, Box<dyn Error>> {
        let env = Env {
            disk: self.disk.clone(),
            clock: Arc::new(SystemClock),
            log_dir: Path::new(&self.directory).join("log"),
            pool_bytes: None,
            io: Default::default(),
            background: true,
        };
        Ok(Engine::new(env)?)
    }

    fn open(&self, engine: &Engine, access: Access, durability: Durability) -> Result<DataSet, Box<dyn Error>> {
        let (data, index) = self.paths();
        Ok(engine.open(
            &data,
            &index,
            OpenOptions {
                access,
                durability,
                ..OpenOptions::default()
            },
        )?)
    }

    /// The next line counts from here.
    fn start(&mut self) {
        self.last = self.disk.counts();
    }

    fn row(&mut self, what: &str) {
        let now = self.disk.counts();
        let c = now - self.last;
        println!(
            "| {what} | {} | {} | {} | {} | {} | {} |",
            c.calls(),
            c.read_requests,
            c.read_bytes,
            c.write_requests,
            c.write_bytes,
            c.syncs
        );
        self.last = now;
    }
}

fn attributes(name: &str, ci_size: u32, ci_per_ca: u16) -> Attributes {
    Attributes {
        cluster_name: "COST".into(),
        key_length: 8,
        key_offset: 1,
        average_record: 200,
        maximum_record: 200,
        free_ci: 20,
        free_ca: 6,
        primary: 117 * u64::from(ci_per_ca) * u64::from(ci_size),
        secondary: 10 * u64::from(ci_per_ca) * u64::from(ci_size),
        volume: "COST01".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    }
}
