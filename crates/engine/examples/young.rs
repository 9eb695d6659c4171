//! What a data set is like after it has been inserted into: time, memory, and what its files take at each step.
//!
//! `cargo run --release -p cica-engine --example young -- [records] [percent inserted ...] [--ci SIZE CIS_PER_CA]
//! [--pool MB] [--dir DIRECTORY]`
//!
//! Records of 200 bytes that nothing shortens are loaded, then for each percentage so many come in between at random, a
//! scan, updates alone and in units of 1,000, and a close. Time is processor time of the process for each request;
//! *p99.9* and *longest* are of the request as its caller sees it. *Reads* and *writes* are those of files, neighbours
//! in one. *File* is how long the files are, *stored* what they take on the device, *pool* what is charged for each
//! record that there is. Behind each close stands what the device alone takes for the bytes that it wrote.

mod common;

use cica_disk::{Counted, LinuxDisk, SystemClock};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use common::{process_time, thread_time, Numbers};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LENGTH: usize = 200;
/// Changes of a unit.
const UNIT: u64 = 1000;

struct Young {
    engine: Engine,
    disk: Counted<LinuxDisk>,
    files: [PathBuf; 2],
    records: u64,
    waits: Vec<u64>,
}

impl Young {
    /// Does `step`, which says how many requests it made, and prints a line of it.
    fn step(&mut self, what: &str, step: impl FnOnce(&mut Young) -> u64) {
        self.waits.clear();
        let (wall, cpu, before) = (Instant::now(), process_time(), self.disk.counts());
        let requests = step(self).max(1);
        let (wall, cpu, io) = (wall.elapsed(), process_time() - cpu, self.disk.counts() - before);
        self.waits.sort_unstable();
        let at = |part: f64| {
            let place = (self.waits.len() as f64 * part) as usize;
            self.waits
                .get(place.min(self.waits.len().saturating_sub(1)))
                .copied()
                .unwrap_or(0)
        };
        let of = |f: fn(&std::fs::Metadata) -> u64| -> u64 {
            self.files
                .iter()
                .filter_map(|path| std::fs::metadata(path).ok())
                .map(|m| f(&m))
                .sum()
        };
        let nanoseconds = |time: Duration| time.as_nanos() as f64 / requests as f64;
        print!(
            "{what:<22}{requests:>9} {:>6.0} ns CPU {:>6.0} ns",
            nanoseconds(cpu),
            nanoseconds(wall)
        );
        print!(
            "; p50 {:>5} p99.9 {:>6} ns longest {:>6.1} ms",
            at(0.5),
            at(0.999),
            at(1.0) as f64 / 1e6
        );
        print!("; reads {:>6} writes {:>6}", io.read_requests, io.write_requests);
        let (len, stored) = (of(|m| m.len()) as f64 / 1e6, of(|m| m.blocks() * 512) as f64 / 1e6);
        let pool = self.engine.pool_use().1 as f64 / self.records.max(1) as f64;
        println!("; file {len:>6.1} stored {stored:>6.1} MB; pool {pool:>4.0} bytes a record");
    }

    fn timed<T>(&mut self, request: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = request();
        self.waits.push(start.elapsed().as_nanos() as u64);
        done
    }
}

/// A record without runs, which a page would leave out.
fn record(key: u64) -> Vec<u8> {
    let mut numbers = Numbers(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut record: Vec<u8> = (0..LENGTH / 8).flat_map(|_| numbers.next().to_le_bytes()).collect();
    record[..16].copy_from_slice(format!("{key:016}").as_bytes());
    record
}

fn main() {
    let (mut plain, mut ci, mut pool, mut dir) = (Vec::new(), (18_432, 45), 2048, PathBuf::from("/tmp/cica-young"));
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|a| a.parse().ok()).expect("a number");
        match argument.as_str() {
            "--ci" => ci = (number(), number() as u16),
            "--pool" => pool = number() as usize,
            "--dir" => dir = arguments.next().expect("a directory").into(),
            other => plain.push(other.parse::<u64>().expect("a number")),
        }
    }
    let records = plain.first().copied().unwrap_or(1_000_000);
    let percents = if plain.len() > 1 { &plain[1..] } else { &[12, 50][..] };
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("log")).expect("a directory");
    let disk = Counted::new(LinuxDisk::new());
    let engine = Engine::new(Env {
        disk: Arc::new(disk.clone()),
        clock: Arc::new(SystemClock),
        log_dir: dir.join("log"),
        pool_bytes: Some(pool << 20),
        io: Default::default(),
        background: true,
    })
    .expect("an engine");
    let files = [dir.join("young.data"), dir.join("young.index")];
    let mut young = Young {
        engine,
        disk,
        files,
        records,
        waits: Vec::new(),
    };
    run(&mut young, records, percents, ci);
    let _ = std::fs::remove_dir_all(&dir);
}

fn run(young: &mut Young, records: u64, percents: &[u64], (ci_size, ci_per_ca): (u32, u16)) {
    let [data, index] = young.files.clone();
    define(&young.engine, (&data, &index), ci_size, ci_per_ca);
    let engine = young.engine.clone();
    let open = move || {
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        engine.open(&data, &index, options).expect("an open")
    };
    let ds = open();
    young.step("load", |_| {
        let mut string = ds.string();
        for n in 1..=records {
            string.insert(&record(n << 16), Insert::Sequential).expect("a load");
        }
        records
    });
    close(young, ds);
    let mut numbers = Numbers(1979);
    for &percent in percents {
        let ds = open();
        for round in ["scan, pages read", "scan"] {
            young.step(round, |young| scan(&ds, young.records));
        }
        let mut met = Vec::new();
        young.step(&format!("insert {percent} %"), |young| {
            let (mut string, inserts) = (ds.string(), records * percent / 100);
            for _ in 0..inserts {
                let record = record(numbers.below(records << 16) | 1);
                let before = Met::by_now(&ds, &young.disk);
                match young.timed(|| string.insert(&record, Insert::Direct)) {
                    Ok(_) => young.records += 1,
                    Err(RequestError::Duplicate { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                let took = young.waits[young.waits.len() - 1];
                met.push((took, Met::by_now(&ds, &young.disk).since(before)));
            }
            inserts
        });
        tell_slowest(&mut met);
        for round in ["scan after inserts", "scan again"] {
            young.step(round, |young| scan(&ds, young.records));
        }
        let updates = (records / 5).next_multiple_of(UNIT);
        young.step("update", |young| {
            let mut string = ds.string();
            for _ in 0..updates {
                update(young, &mut string, (1 + numbers.below(records)) << 16);
            }
            updates
        });
        for (what, durability) in [
            ("update, units", Durability::Commit),
            ("the same, relaxed", Durability::Close),
        ] {
            let unit = young.engine.unit();
            young.step(what, |young| {
                let mut string = ds.string_in(&unit);
                for n in 0..updates {
                    update(young, &mut string, (1 + numbers.below(records)) << 16);
                    if n % UNIT == UNIT - 1 {
                        unit.commit_with(durability).expect("a commit");
                    }
                }
                updates
            });
        }
        close(young, ds);
    }
}

/// Closes the data set, and says what the device takes for as many bytes that lie together.
fn close(young: &mut Young, ds: DataSet) {
    let before = young.disk.counts();
    young.step("close", |young| young.timed(|| ds.close()).map(|_| 1).expect("a close"));
    let bytes = (young.disk.counts() - before).write_bytes;
    let (path, piece, start) = (
        young.files[0].with_file_name("device"),
        vec![0x55; 2 << 20],
        Instant::now(),
    );
    let mut file = std::fs::File::create(&path).expect("a file");
    for _ in 0..bytes.div_ceil(piece.len() as u64) {
        file.write_all(&piece).expect("a write");
    }
    file.sync_all().expect("a sync");
    let took = start.elapsed().as_secs_f64() * 1e3;
    println!(
        "  the device alone takes {took:.0} ms for the {:.0} MB of that",
        bytes as f64 / 1e6
    );
    let _ = std::fs::remove_file(&path);
}

/// What an insert met.
#[derive(Clone, Copy)]
struct Met {
    ci_splits: u64,
    ca_splits: u64,
    reads: u64,
    /// Of its thread.
    cpu: Duration,
}

impl Met {
    fn by_now(ds: &DataSet, disk: &Counted<LinuxDisk>) -> Met {
        let (data, _) = ds.statistics();
        Met {
            ci_splits: data.ci_splits,
            ca_splits: data.ca_splits,
            reads: disk.counts().read_requests,
            cpu: thread_time(),
        }
    }

    fn since(self, before: Met) -> Met {
        Met {
            ci_splits: self.ci_splits - before.ci_splits,
            ca_splits: self.ca_splits - before.ca_splits,
            reads: self.reads - before.reads,
            cpu: self.cpu - before.cpu,
        }
    }
}

/// What the slowest thousandth of the inserts met, and what a hundredth of them did.
fn tell_slowest(met: &mut [(u64, Met)]) {
    met.sort_by_key(|&(took, _)| std::cmp::Reverse(took));
    for part in [1000, 100, 10] {
        let slowest = &met[..met.len() / part];
        let of = |is: fn(&Met) -> bool| {
            slowest.iter().filter(|(_, met)| is(met)).count() as f64 / slowest.len() as f64 * 100.0
        };
        let cpu: Duration = slowest.iter().map(|(_, met)| met.cpu).sum();
        let took: u64 = slowest.iter().map(|(took, _)| took).sum();
        println!(
            "  slowest 1/{part}: {:.1} % split a CA, {:.1} % a CI only, {:.1} % only read, {:.1} % none of it; {:.0} % of the time is CPU",
            of(|met| met.ca_splits > 0),
            of(|met| met.ca_splits == 0 && met.ci_splits > 0),
            of(|met| met.ca_splits + met.ci_splits == 0 && met.reads > 0),
            of(|met| met.ca_splits + met.ci_splits + met.reads == 0),
            cpu.as_nanos() as f64 / took as f64 * 100.0
        );
    }
}

fn scan(ds: &DataSet, records: u64) -> u64 {
    let (mut string, mut seen) = (ds.string(), 0);
    string.point_first().expect("a record");
    while string.next(Intent::Read).is_ok() {
        seen += 1;
    }
    assert_eq!(seen, records);
    seen
}

fn update(young: &mut Young, string: &mut Str, key: u64) {
    let mut record = record(key);
    let fresh = young.waits.len() as u8;
    young.timed(|| {
        string
            .get(&record[..16], Search::Equal, Intent::Update)
            .expect("a record");
        record[100] = fresh;
        string.update(&record).expect("an update");
    });
}

fn define(engine: &Engine, (data, index): (&Path, &Path), ci_size: u32, ci_per_ca: u16) {
    let part = |name: &str, ci_size, ci_per_ca| Attributes {
        cluster_name: "YOUNG".into(),
        key_length: 16,
        average_record: LENGTH as u32,
        maximum_record: LENGTH as u32,
        speed: true,
        primary: 1 << 40,
        secondary: 1 << 30,
        volume: "V".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    };
    let definition = Definition {
        data_path: data.into(),
        index_path: index.into(),
        data: part("YOUNG.DATA", ci_size, ci_per_ca),
        index: Some(part("YOUNG.INDEX", 4096, 12)),
    };
    engine.create(&definition).expect("a data set");
}
