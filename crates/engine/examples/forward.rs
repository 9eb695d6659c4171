//! What the archive of LOG(ALL) costs, and how long it takes to do its changes again in a copy.
//!
//! `cargo run --release -p cica-engine --example forward -- [directory] [records] [changes] [compressed]`
//!
//! A data set of records of 200 bytes is loaded and copied. Then the same updates are made with LOG(UNDO) and with
//! LOG(ALL), by turns, and CPU and time of each are printed. At the end the copy is brought forward by the archive.
//! With `compressed` the data sets are, and half of each record is text.

mod common;

use cica_disk::{LinuxDisk, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::process_time;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LENGTH: usize = 200;
const ROUNDS: u64 = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments
        .next()
        .map_or_else(std::env::temp_dir, PathBuf::from)
        .join("cica-forward");
    let records: u64 = arguments.next().map_or(Ok(500_000), |a| a.parse())?;
    let changes: u64 = arguments.next().map_or(Ok(2_000_000), |a| a.parse())?;
    let compressed = arguments.next().is_some_and(|word| word == "compressed");
    let _ = std::fs::remove_dir_all(&directory);
    for part in ["v", "log", "archive"] {
        std::fs::create_dir_all(directory.join(part))?;
    }
    let engine = Engine::new(Env {
        disk: Arc::new(LinuxDisk::new()),
        clock: Arc::new(SystemClock),
        log_dir: directory.join("log"),
        pool_bytes: Some(1 << 30),
        io: Default::default(),
        background: true,
    })?;
    let (plain, archived) = (
        Place::of(&directory, "plain", compressed),
        Place::of(&directory, "archived", compressed),
    );
    for place in [&plain, &archived] {
        place.load(&engine, records)?;
    }
    let copy = Place::of(&directory, "copy", compressed);
    archived.copy(&engine, &copy)?;
    let root = engine.peek(&copy.data)?;
    let mut spent = [[Duration::ZERO; 2]; 2];
    for round in 0..ROUNDS {
        let both = [(&plain, Logging::Undo), (&archived, Logging::All)];
        for ((place, log), spent) in both.into_iter().zip(&mut spent) {
            let (cpu, began) = (process_time(), Instant::now());
            place.update(&engine, log, (round, records, changes / ROUNDS))?;
            spent[0] += process_time() - cpu;
            spent[1] += began.elapsed();
        }
    }
    for (name, [cpu, time]) in ["LOG(UNDO)", "LOG(ALL)"].iter().zip(spent) {
        let each = |spent: Duration| spent.as_nanos() as u64 / changes;
        println!(
            "{name:10} {changes} updates: {} ns of CPU and {} ns each",
            each(cpu),
            each(time)
        );
    }
    let plan = engine.way_forward((root.lineage(), root.log.origin), u64::MAX)?;
    let bytes: u64 = std::fs::read_dir(engine.archive_directory())?
        .map(|file| file.and_then(|file| file.metadata()).map(|data| data.len()))
        .sum::<Result<u64, _>>()?;
    let (began, before) = (Instant::now(), process_time());
    let done = engine.bring_forward((&copy.data, &copy.index), Some(&plan), &[], |_| {})?;
    let took = began.elapsed();
    println!(
        "{done} changes done again from {} MB of archive in {:.1} s ({:.1} s of CPU): {:.1} s for 1 GB",
        bytes >> 20,
        took.as_secs_f64(),
        (process_time() - before).as_secs_f64(),
        took.as_secs_f64() * (1u64 << 30) as f64 / bytes as f64
    );
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

/// The files of a data set.
struct Place {
    data: PathBuf,
    index: PathBuf,
    name: &'static str,
    compressed: bool,
}

impl Place {
    fn of(directory: &Path, name: &'static str, compressed: bool) -> Place {
        let path = |part: &str| directory.join("v").join(format!("{name}.{part}"));
        Place {
            data: path("data"),
            index: path("index"),
            name,
            compressed,
        }
    }

    fn load(&self, engine: &Engine, records: u64) -> Result<(), Box<dyn std::error::Error>> {
        let attributes = |component: &str, ci_size: u32| Attributes {
            cluster_name: self.name.to_uppercase(),
            volume: "V".into(),
            key_length: 8,
            compressed: self.compressed,
            average_record: LENGTH as u32,
            maximum_record: LENGTH as u32,
            primary: 1 << 30,
            secondary: 1 << 30,
            ..Attributes::new(Organization::Ksds, component, ci_size, 45)
        };
        engine.create(&Definition {
            data_path: self.data.clone(),
            index_path: self.index.clone(),
            data: attributes("DATA", 18_432),
            index: Some(attributes("INDEX", 4096)),
        })?;
        let ds = engine.open(&self.data, &self.index, OpenOptions::output())?;
        let mut string = ds.string();
        for n in 0..records {
            string.insert(&record(n, 0, self.compressed), Insert::Sequential)?;
        }
        drop(string);
        ds.close()?;
        Ok(())
    }

    fn update(
        &self,
        engine: &Engine,
        log: Logging,
        (round, records, changes): (u64, u64, u64),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let options = OpenOptions {
            log,
            ..OpenOptions::output()
        };
        let ds = engine.open(&self.data, &self.index, options)?;
        let mut string = ds.string();
        let mut random = 1979 + round;
        for change in 0..changes {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let new = record(random % records, change + 1, self.compressed);
            string.get(&new[..8], Search::Equal, Intent::Update)?;
            string.update(&new)?;
        }
        drop(string);
        ds.close()?;
        Ok(())
    }

    fn copy(&self, engine: &Engine, to: &Place) -> Result<(), Box<dyn std::error::Error>> {
        let stored = engine.stored(&self.data, &self.index)?;
        let index = stored.index.as_ref().ok_or("it has an index")?;
        let mut made = Vec::new();
        for (part, path) in [(&stored.data, &to.data), (index, &to.index)] {
            let mut rebuild = engine.rebuild(path, part.root(), part.root().attributes.clone(), None)?;
            for (generation, bytes) in part.dictionaries()? {
                rebuild.dictionary(generation, &bytes)?;
            }
            let mut area = StoredArea::default();
            for ca in 0..part.areas() {
                part.area(ca, &mut area)?;
                let header = area.header.as_ref().ok_or("it has a header")?;
                rebuild.area(ca, header.flags, header.next_free)?;
                for (number, flags, image) in area.control_intervals() {
                    rebuild.control_interval(number, flags, image)?;
                }
            }
            made.push(rebuild);
        }
        let index = made.pop();
        engine.complete_rebuild(made.pop().ok_or("it has a data component")?, index)?;
        Ok(())
    }
}

fn record(key: u64, change: u64, text: bool) -> Vec<u8> {
    let mut record = vec![b'.'; LENGTH];
    record[..8].copy_from_slice(&key.to_be_bytes());
    // Nothing in it repeats but the text, so the log has all of it.
    let mut random = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ change.wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1;
    let from = if text { LENGTH / 2 + 4 } else { 8 };
    for word in record[from..].chunks_exact_mut(8) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        word.copy_from_slice(&random.to_be_bytes());
    }
    if text {
        for (n, field) in record[8..from].chunks_mut(16).enumerate() {
            let words = [&b"ACCOUNT OPEN    "[..], b"CUSTOMER NAME   ", b"AMOUNT DUE 00000"];
            field.copy_from_slice(&words[(key as usize + n) % 3][..field.len()]);
        }
    }
    record
}
