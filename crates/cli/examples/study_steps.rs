//! The steps of the 1979 study as a batch program: a fresh process that opens the data set, makes its requests, closes
//! it, and prints what that took beside what the study printed.
//!
//! ```text
//! study_steps heading                                the heading of the table
//! study_steps CATALOG DSN scan                       every record, in key order
//! study_steps CATALOG DSN read|update|insert COUNT   COUNT records, spread evenly, in random order
//! ```
//!
//! It is also the shortest program against the engine's interface that makes all kinds of requests. The data set is the
//! one of `demo/study_file.py`: EBCDIC records of 200 bytes, key of 8 digits at offset 1, keys 100, 200, 300 ...

use cica_catalog::{Catalog, Entry, Name};
use cica_disk::{Counted, Counts, LinuxDisk, SystemClock};
use cica_engine::{Access, DataSet, Engine, Env, Insert, Intent, OpenOptions, RequestError, Search};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Loaded keys are GAP, 2 * GAP ... up to RECORDS * GAP.
const GAP: u64 = 100;
const RECORDS: u64 = 86_763;
const KEY: std::ops::Range<usize> = 1..9;

/// What the study measured in its base case, VSAM1: requests, elapsed seconds, EXCPs.
const STUDY: [(Step, &str, u64, f64, u64); 4] = [
    (Step::Scan, "sequential read", RECORDS, 222.79, 10_954),
    (Step::Read, "random read", 4_520, 353.71, 12_720),
    (Step::Update, "random update", 3_180, 303.27, 12_720),
    (Step::Insert, "random insert", 2_710, 473.34, 19_364),
];

#[derive(Clone, Copy, PartialEq)]
enum Step {
    Scan,
    Read,
    Update,
    Insert,
}

/// What a step took.
struct Taken {
    requests: u64,
    seconds: f64,
    excps: u64,
    ci_splits: u64,
    ca_splits: u64,
    disk: Counts,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (catalog, name, step, count) = match arguments[..] {
        ["heading"] => {
            heading();
            return Ok(());
        }
        [catalog, name, "scan"] => (catalog, name, Step::Scan, RECORDS),
        [catalog, name, "read", count] => (catalog, name, Step::Read, count.parse()?),
        [catalog, name, "update", count] => (catalog, name, Step::Update, count.parse()?),
        [catalog, name, "insert", count] => (catalog, name, Step::Insert, count.parse()?),
        _ => return Err("give: heading | CATALOG DSN scan | CATALOG DSN read|update|insert COUNT".into()),
    };
    let taken = run(catalog, name, step, count)?;
    row(step, &taken);
    Ok(())
}

/// Opens, makes the requests, closes.
fn run(catalog: &str, name: &str, step: Step, count: u64) -> Result<Taken, Box<dyn Error>> {
    let started = Instant::now();
    let disk = Arc::new(Counted::new(LinuxDisk::default()));
    let catalog = Catalog::open(disk.clone(), catalog)?;
    let (data, index) = files(&catalog, name)?;
    let engine = Engine::new(Env {
        disk: disk.clone(),
        clock: Arc::new(SystemClock),
        log_dir: catalog.log_directory(),
        pool_bytes: None,
        io: Default::default(),
        background: true,
    })?;
    let access = if matches!(step, Step::Update | Step::Insert) {
        Access::Output
    } else {
        Access::Input
    };
    let data_set = engine.open(
        &data,
        &index,
        OpenOptions {
            access,
            ..OpenOptions::default()
        },
    )?;
    let (data_before, index_before) = data_set.statistics();

    let requests = match step {
        Step::Scan => scan(&data_set)?,
        Step::Read => read(&data_set, count)?,
        Step::Update => update(&data_set, count)?,
        Step::Insert => insert(&data_set, count)?,
    };

    let (mut data_after, mut index_after) = data_set.statistics();
    data_set.close()?;
    if access == Access::Output {
        // What the close wrote is counted in the files it closed.
        (data_after, index_after) = (
            engine.peek(&data)?.statistics,
            engine.peek_index(&data, &index)?.statistics,
        );
    }
    Ok(Taken {
        requests,
        seconds: started.elapsed().as_secs_f64(),
        excps: data_after.excps - data_before.excps + index_after.excps - index_before.excps,
        ci_splits: data_after.ci_splits - data_before.ci_splits,
        ca_splits: data_after.ca_splits - data_before.ca_splits,
        disk: disk.counts(),
    })
}

fn files(catalog: &Catalog, name: &str) -> Result<(PathBuf, PathBuf), Box<dyn Error>> {
    let Entry::Cluster(cluster) = catalog.get(&Name::parse(name)?)? else {
        return Err(format!("{name} is no cluster").into());
    };
    let index = cluster.index.as_ref().ok_or("the cluster has no index")?;
    Ok((catalog.component_path(&cluster.data)?, catalog.component_path(index)?))
}

fn scan(data_set: &DataSet) -> Result<u64, RequestError> {
    let mut string = data_set.string();
    let mut records = 0;
    loop {
        match string.next(Intent::Read) {
            Ok(_) => records += 1,
            Err(RequestError::EndOfData) => return Ok(records),
            Err(error) => return Err(error),
        }
    }
}

fn read(data_set: &DataSet, count: u64) -> Result<u64, RequestError> {
    let mut string = data_set.string();
    for number in spread(count) {
        string.get(&key(number * GAP), Search::Equal, Intent::Read)?;
    }
    Ok(count)
}

fn update(data_set: &DataSet, count: u64) -> Result<u64, RequestError> {
    let mut string = data_set.string();
    let mut area = Vec::new();
    for number in spread(count) {
        area.clear();
        area.extend_from_slice(string.get(&key(number * GAP), Search::Equal, Intent::Update)?.bytes);
        area[0] = 0xE4; // an EBCDIC U: updated
        string.update(&area)?;
    }
    Ok(count)
}

/// New records go behind loaded ones, no two into one control interval: the study's inserts did not split either.
fn insert(data_set: &DataSet, count: u64) -> Result<u64, RequestError> {
    let mut string = data_set.string();
    let mut record = [0x40; 200];
    record[0] = 0xD5; // an EBCDIC N: new
    for number in spread(count) {
        record[KEY].copy_from_slice(&key(number * GAP + GAP / 2));
        string.insert(&record, Insert::Direct)?;
    }
    Ok(count)
}

/// `count` record numbers, evenly spread over the file, in an order that jumps about.
fn spread(count: u64) -> impl Iterator<Item = u64> {
    let count = count.clamp(1, RECORDS);
    // Steps of a stride that shares no factor with the count visit each place once.
    let common = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let stride = (count * 5 / 8 + 1..)
        .find(|stride| common(*stride, count) == 1)
        .unwrap_or(1);
    (0..count).map(move |i| 1 + (i * stride % count) * RECORDS / count)
}

/// A key in EBCDIC digits.
fn key(number: u64) -> [u8; 8] {
    let mut key = [0xF0; 8];
    let mut rest = number;
    for digit in key.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    key
}

fn heading() {
    println!("                            |------------------ now -------------------| |----- 1979 ------|");
    println!("step              requests  seconds   EXCPs  CI/CA splits   calls  syncs    seconds   EXCPs");
}

fn row(step: Step, taken: &Taken) {
    let Some((_, title, requests, seconds, excps)) = STUDY.iter().find(|(known, ..)| *known == step) else {
        return;
    };
    // Another number of requests was not measured then.
    let (then, counted) = if *requests == taken.requests {
        (format!("{seconds:.2}"), grouped(*excps))
    } else {
        ("-".to_owned(), "-".to_owned())
    };
    println!(
        "{title:16} {:>9}  {:>7.3}  {:>6}  {:>9}/{:<2}  {:>6}  {:>5}  {then:>9}  {counted:>6}",
        grouped(taken.requests),
        taken.seconds,
        grouped(taken.excps),
        taken.ci_splits,
        taken.ca_splits,
        grouped(taken.disk.calls()),
        taken.disk.syncs,
    );
}

/// A number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
