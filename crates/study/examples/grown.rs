//! Scans of a data set that was loaded and of one half of whose records were inserted, for a profiler.
//!
//! `grown DIRECTORY SCANS [loaded|grown|both]`

use cica::{Ksds, OpenOptions, Store};
use cica_engine::{Insert, Intent, RequestError};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

const RECORDS: u64 = 86_763;

fn record(number: u64) -> [u8; 200] {
    let mut record = [b'A'; 200];
    record[1..9].copy_from_slice(format!("{:08}", number * 100).as_bytes());
    record
}

fn make(store: &Store, name: &str, grown: bool) -> Result<(), Box<dyn Error>> {
    store.define(Ksds::new(name).key(1..9).records(200, 200))?;
    let set = store.open_data_set(name, OpenOptions::output())?;
    let mut string = set.string();
    for number in (1..=RECORDS).filter(|number| !grown || number % 2 == 1) {
        string.insert(&record(number), Insert::Sequential)?;
    }
    drop(string);
    set.close()?;
    if !grown {
        return Ok(());
    }
    let set = store.open_data_set(name, OpenOptions::output())?;
    let mut string = set.string();
    let mut numbers: Vec<u64> = (1..=RECORDS).filter(|number| number % 2 == 0).collect();
    let mut seed = 0x1979_u64;
    for at in (1..numbers.len()).rev() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        numbers.swap(at, (seed % (at as u64 + 1)) as usize);
    }
    let begun = Instant::now();
    for number in numbers {
        string.insert(&record(number), Insert::Direct)?;
    }
    println!("inserts: {} us", begun.elapsed().as_micros());
    drop(string);
    set.close()?;
    Ok(())
}

fn scan(store: &Store, name: &str) -> Result<u64, Box<dyn Error>> {
    let set = store.open_data_set(name, OpenOptions::input())?;
    let (mut string, mut found) = (set.string(), 0);
    loop {
        match string.next(Intent::Read) {
            Ok(_) => found += 1,
            Err(RequestError::EndOfData) => break,
            Err(error) => return Err(error.into()),
        }
    }
    drop(string);
    set.close()?;
    Ok(found)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let (Some(directory), Some(Ok(scans))) = (arguments.get(1), arguments.get(2).map(|scans| scans.parse::<u32>()))
    else {
        return Err("grown DIRECTORY SCANS [loaded|grown|both]".into());
    };
    let which = arguments.get(3).map_or("both", String::as_str);
    let new = !Path::new(directory).exists();
    let store = Store::at(directory).create().alone().open()?;
    if new {
        make(&store, "LOADED", false)?;
        make(&store, "GROWN", true)?;
    }
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..scans {
        for (at, name) in ["LOADED", "GROWN"].iter().enumerate() {
            if which == "both" || which.eq_ignore_ascii_case(name) {
                let begun = Instant::now();
                assert_eq!(scan(&store, name)?, RECORDS);
                took[at].push(begun.elapsed().as_micros());
            }
        }
    }
    for (name, mut took) in ["LOADED", "GROWN"].into_iter().zip(took) {
        took.sort_unstable();
        if let Some(median) = took.get(took.len() / 2) {
            println!("{name}: {median} us, least {}", took[0]);
        }
    }
    Ok(())
}
