//! What sharing costs: gets, browses and commits of clients of an owner, beside those of a program that has the data
//! set for itself. `cargo run --release -p cica-server --example share_cost`

use cica::{Ksds, Store};
use cica_catalog::space::Unit;
use cica_catalog::Name;
use cica_engine::{DataSet, Insert, Intent, LockMode, OpenOptions, Patience, Search, Str};
use cica_server::{serve, Serve, ServeError};
use cica_session::{Session, Sharing, Start};
use cica_share::Client;
use std::error::Error;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const RECORDS: u32 = 100_000;
const COMMITTERS: u32 = 8;
const SECONDS: u64 = 3;

fn session(directory: &Path, sharing: Sharing) -> Result<Session, Box<dyn Error>> {
    Ok(Session::start(Start {
        catalog: Some(directory.to_owned()),
        pool: Some(256 << 20),
        sharing,
        ..Start::default()
    })?)
}

fn record(key: u32) -> Vec<u8> {
    let mut record = format!("{key:08}").into_bytes();
    record.resize(200, b'.');
    record
}

fn open(session: &Session) -> Result<DataSet, Box<dyn Error>> {
    Ok(session.open(&Name::parse("BENCH")?, OpenOptions::output())?.1)
}

/// Nanoseconds of a random get, and of a record in a browse of all of them.
fn reads(set: &DataSet) -> Result<(u128, u128), Box<dyn Error>> {
    let mut string = set.string();
    let gets = 50_000;
    let mut key = 1_u32;
    let begun = Instant::now();
    for _ in 0..gets {
        key = key.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let key = format!("{:08}", (key >> 8) % RECORDS).into_bytes();
        string.get(&key, Search::Equal, Intent::Read)?;
    }
    let get = begun.elapsed().as_nanos() / gets;
    Ok((get, browse(set, 5)?))
}

/// Nanoseconds of a record in the fastest of so many browses of all of them.
fn browse(set: &DataSet, rounds: u32) -> Result<u128, Box<dyn Error>> {
    let (mut string, mut best) = (set.string(), u128::MAX);
    for _ in 0..rounds {
        string.point_first()?;
        let begun = Instant::now();
        let mut seen = 0;
        while string.next(Intent::Read).is_ok() {
            seen += 1;
        }
        assert_eq!(seen, RECORDS);
        best = best.min(begun.elapsed().as_nanos() / u128::from(RECORDS));
    }
    Ok(best)
}

/// Durable commits a second, of so many at the same time, each of a unit of one update.
fn commits(sets: &[(Session, DataSet)]) -> u64 {
    let end = Instant::now() + Duration::from_secs(SECONDS);
    let committers = |number: u32| {
        let (session, set) = &sets[number as usize % sets.len()];
        let unit = session.engine.unit();
        let mut string = set.string_in(&unit);
        let mut done = 0;
        while Instant::now() < end {
            let key = (done * COMMITTERS + number) % RECORDS;
            let changed = string.rewrite(format!("{key:08}").as_bytes(), &record(key));
            changed.and_then(|_| unit.commit()).expect("a commit");
            done += 1;
        }
        u64::from(done)
    };
    std::thread::scope(|scope| {
        let committers = &committers;
        let all: Vec<_> = (0..COMMITTERS)
            .map(|number| scope.spawn(move || committers(number)))
            .collect();
        all.into_iter().map(|one| one.join().expect("a committer")).sum::<u64>() / SECONDS
    })
}

/// The data component of the data set.
fn near_data(directory: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let session = session(directory, Sharing::Off)?;
    let (catalog, reached) = session.reach(&Name::parse("BENCH")?)?;
    Ok(cica_session::files(&catalog, &reached.cluster)?.0)
}

/// Clients of a crowd, and records that each has locked.
const CROWD: u32 = 1_000;
const LOCKS: u32 = RECORDS / CROWD;

/// A client with its string, which has locked its part of the records.
fn one_of_a_crowd(directory: &Path, data: &Path, number: u32) -> Result<(DataSet, Str), Box<dyn Error>> {
    let client = Arc::new(Client::connect(&cica_session::socket(directory), "crowd")?);
    let file = cica_share::rights(data, true)?;
    let set = cica_share::open(&client, ("BENCH", ""), OpenOptions::output(), file.as_fd());
    let set = set.map_err(|error| format!("{error:?}"))?;
    let mut string = set.string();
    for key in number * LOCKS..(number + 1) * LOCKS {
        string.lock(&record(key)[..8], LockMode::Exclusive, Patience::None)?;
    }
    Ok((set, string))
}

/// What a lock and its unlock cost, alone and when so many are held; and gets and the going of a crowd.
fn crowd(directory: &Path, data: &Path, set: &DataSet) -> Result<(), Box<dyn Error>> {
    let mut all = Vec::new();
    let locked = |from: usize, took: Duration| {
        println!(
            "clients {from:>5} to {:>5}: {:>5} us for each and its {LOCKS} locks",
            from + CROWD as usize / 10,
            took.as_micros() / u128::from(CROWD / 10)
        );
    };
    let mut begun = Instant::now();
    for number in 0..CROWD {
        all.push(one_of_a_crowd(directory, data, number)?);
        if all.len() % (CROWD as usize / 10) == 0 {
            locked(all.len() - CROWD as usize / 10, begun.elapsed());
            begun = Instant::now();
        }
    }
    let (get, _) = reads(set)?;
    println!("get beside {CROWD} clients with {RECORDS} locks: {get} ns");
    let begun = Instant::now();
    drop(all);
    println!(
        "all of them gone: {} us for each",
        begun.elapsed().as_micros() / u128::from(CROWD)
    );
    Ok(())
}

/// Nanoseconds of a lock and its unlock by name, of a program that shares nothing.
fn lock_and_unlock(set: &DataSet) -> Result<u128, Box<dyn Error>> {
    let (mut string, record, rounds) = (set.string(), b"00000077", 1_000_000);
    let begun = Instant::now();
    for _ in 0..rounds {
        string.lock(record, LockMode::Exclusive, Patience::None)?;
        string.unlock(record);
    }
    Ok(begun.elapsed().as_nanos() / rounds)
}

/// What is measured by a program that has the data set for itself, and then by clients.
fn in_turn<T>(
    directory: &Path,
    measure: impl Fn(&[(Session, DataSet)]) -> Result<T, Box<dyn Error>>,
) -> Result<(T, T), Box<dyn Error>> {
    let near = session(directory, Sharing::Off)?;
    let set = open(&near)?;
    let sets = [(near, set)];
    let alone = measure(&sets)?;
    for (_, set) in sets {
        set.close()?;
    }
    let serving = Serving::begin(directory)?;
    let shared = measure(&Serving::clients(directory)?)?;
    serving.end()?;
    Ok((alone, shared))
}

/// Three turns of commits, or of browses.
fn turns(directory: &Path, what: &str) -> Result<(), Box<dyn Error>> {
    for _ in 0..3 {
        let (alone, shared) = match what {
            "commits" => in_turn(directory, |sets| Ok(u128::from(commits(sets))))?,
            "browse" => in_turn(directory, |sets| browse(&sets[0].1, 30))?,
            _ => return Err("say commits or browse".into()),
        };
        println!(
            "{what}: {alone} alone, {shared} shared, {:.2}",
            shared as f64 / alone as f64
        );
    }
    Ok(())
}

/// An owner of shared data sets in this process.
struct Serving(std::thread::JoinHandle<Result<(), ServeError>>);

impl Serving {
    fn begin(directory: &Path) -> Result<Serving, Box<dyn Error>> {
        let owner = session(directory, Sharing::Off)?;
        let (ready, wait) = std::sync::mpsc::channel();
        let how = Serve {
            idle: Some(Duration::from_secs(1)),
        };
        let serving = std::thread::spawn(move || {
            serve(owner, how, |_| {
                // Who waits is there.
                let _ = ready.send(());
            })
        });
        wait.recv()?;
        Ok(Serving(serving))
    }

    /// Its clients, each with the data set open.
    fn clients(directory: &Path) -> Result<Vec<(Session, DataSet)>, Box<dyn Error>> {
        let client = |_| {
            let client = session(directory, Sharing::On)?;
            let set = open(&client)?;
            Ok((client, set))
        };
        (0..COMMITTERS).map(client).collect()
    }

    /// Waits until it has gone, a second behind its clients.
    fn end(self) -> Result<(), Box<dyn Error>> {
        Ok(self.0.join().map_err(|_| "the owner failed")??)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::temp_dir().join(format!("cica-share-cost-{}", std::process::id()));
    let store = Store::at(&directory).create().pool_bytes(256 << 20).open()?;
    store.define(
        Ksds::new("BENCH")
            .key(0..8)
            .records(200, 200)
            .space(Unit::Cylinders, 50, 10),
    )?;
    drop(store);

    let near = session(&directory, Sharing::Off)?;
    let set = open(&near)?;
    let mut string = set.string();
    for key in 0..RECORDS {
        string.insert(&record(key), Insert::Sequential)?;
    }
    drop(string);
    set.end_load()?;
    if let Some(what) = std::env::args().nth(1) {
        set.close()?;
        drop(near);
        turns(&directory, &what)?;
        return Ok(std::fs::remove_dir_all(&directory)?);
    }
    let alone = reads(&set)?;
    let locks = (0..5).map(|_| lock_and_unlock(&set)).collect::<Result<Vec<_>, _>>()?;
    println!("a lock and its unlock alone: {locks:?} ns");
    let sets = [(near, set)];
    let threads = commits(&sets);
    for (_, set) in sets {
        set.close()?;
    }

    let serving = Serving::begin(&directory)?;
    let sets = Serving::clients(&directory)?;
    let shared = reads(&sets[0].1)?;
    let clients = commits(&sets);
    println!("                          alone    shared   ratio");
    let row = |what: &str, alone: f64, shared: f64| {
        println!("{what:<22} {alone:>8.0}  {shared:>8.0}  {:>6.2}", shared / alone)
    };
    row("get, ns", alone.0 as f64, shared.0 as f64);
    row("browse, ns a record", alone.1 as f64, shared.1 as f64);
    row("8 committers, a second", threads as f64, clients as f64);
    let data = near_data(&directory)?;
    crowd(&directory, &data, &sets[0].1)?;
    drop(sets);
    serving.end()?;
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}
