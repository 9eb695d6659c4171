//! What the C interface adds to a get: the same random gets by a string of the crate `cica`, and by `cica_get`.
//!
//! ```text
//! cargo run --release -p cica-c --example get_cost
//! ```
//! Both go to one data set of 100,000 records of 100 bytes, which lies in the pool. Rounds take turns, and the
//! fastest of each counts.

use cica::{Insert, Intent, Ksds, OpenOptions, Search, Store};
use cica_c::{cica_close, cica_env_close, cica_env_open, cica_get, cica_open, cica_string_close, cica_string_open};
use cica_c::{EnvironmentOptions, Value};
use std::ffi::{c_void, CString};
use std::hint::black_box;
use std::path::Path;
use std::ptr::null_mut;
use std::time::Instant;

const RECORDS: u64 = 100_000;
const GETS: u64 = 200_000;
const ROUNDS: usize = 11;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let directory = std::env::temp_dir().join(format!("cica-get-cost-{}", std::process::id()));
    load(&directory)?;
    let (mut crates, mut interface) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        crates.push(by_the_crates(&directory)?);
        interface.push(by_the_interface(&directory)?);
    }
    std::fs::remove_dir_all(&directory)?;
    let fastest = |times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min);
    let (crates, interface) = (fastest(crates), fastest(interface));
    println!(
        "crates {crates:.0} ns, C interface {interface:.0} ns: {:.2} times",
        interface / crates
    );
    Ok(())
}

fn key(n: u64) -> [u8; 8] {
    let mut key = *b"00000000";
    let mut rest = n;
    for digit in key.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    key
}

fn load(directory: &Path) -> Outcome<()> {
    let store = Store::at(directory).create().open()?;
    store.define(Ksds::new("COST.GET").key(0..8).records(100, 100))?;
    let open = store.open_data_set("COST.GET", OpenOptions::output())?;
    let mut string = open.string();
    for n in 0..RECORDS {
        let mut record = [b'.'; 100];
        record[..8].copy_from_slice(&key(n));
        string.insert(&record, Insert::Sequential)?;
    }
    open.close()?;
    Ok(())
}

/// The next of a row of keys that is the same for both.
fn draw(seed: &mut u64) -> [u8; 8] {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    key((*seed >> 33) % RECORDS)
}

/// Nanoseconds of a get, when all of the data set has been read before.
fn timed(mut get: impl FnMut(&[u8; 8])) -> f64 {
    (0..RECORDS).for_each(|n| get(&key(n)));
    let (mut seed, begin) = (1, Instant::now());
    (0..GETS).for_each(|_| get(&draw(&mut seed)));
    begin.elapsed().as_nanos() as f64 / GETS as f64
}

fn by_the_crates(directory: &Path) -> Outcome<f64> {
    let store = Store::open(directory)?;
    let open = store.open_data_set("COST.GET", OpenOptions::input())?;
    let mut string = open.string();
    let time = timed(|key| match string.get(key, Search::Equal, Intent::Read) {
        Ok(record) => _ = black_box(record.bytes),
        Err(error) => panic!("{error}"),
    });
    drop(string);
    open.close()?;
    Ok(time)
}

fn by_the_interface(directory: &Path) -> Outcome<f64> {
    let must = |code| assert_eq!(code, 0);
    let (directory, name) = (
        CString::new(directory.to_string_lossy().as_bytes())?,
        CString::new("COST.GET")?,
    );
    let options = EnvironmentOptions::of(&directory);
    let (mut env, mut open, mut string) = (null_mut(), null_mut(), null_mut());
    // SAFETY: pointers are to what lives here, as the header asks.
    unsafe {
        must(cica_env_open(&options, &mut env));
        must(cica_open(env, name.as_ptr(), 0, null_mut(), &mut open));
        must(cica_string_open(open, &mut string));
    }
    let mut record = Value::default();
    let time = timed(|key| {
        // SAFETY: the same.
        must(unsafe { cica_get(string, key.as_ptr().cast::<c_void>(), key.len(), 0, &mut record) });
        black_box(&record);
    });
    must(cica_string_close(string));
    must(cica_close(open));
    must(cica_env_close(env));
    Ok(time)
}
