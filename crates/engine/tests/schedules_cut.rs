//! Threads in orders that a scheduler chooses, on a disk whose calls take long or short as the seed has it; then the
//! power is cut at moments of what they did. Compiled as `schedules.rs` is.
//!
//! Each thread changes records of its own, so what may be found of them after a cut is known thread by thread: the
//! state after one of its requests, from the last one that a commit of anybody had covered to the last one begun. One
//! thread more flushes the log and commits trees, as the threads of the engine's own do where there are such.
#![cfg(cica_schedules)]
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Event, Survival};
use cica_disk::{Disk, File, Image, MemoryDisk, Open, ReadAt, SimDisk, WriteAt};
use cica_engine::*;
use cica_format::checksum::crc32c;
use common::orders::{explore, in_order, number};
use common::*;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const THREADS: u64 = 3;
const REQUESTS: u64 = 8;
/// Moments at which the power is cut, of each run.
const CUTS: u64 = 12;

/// A disk on which another thread may go on before a call takes effect, and before its caller knows.
#[derive(Debug, Clone)]
struct Slow(SimDisk, Arc<Mutex<Random>>);

fn patience(random: &Mutex<Random>) {
    let turns = match random.lock().unwrap().below(12) {
        0 => 200,
        1..4 => 5,
        _ => 0,
    };
    (0..turns).for_each(|_| shuttle::thread::yield_now());
}

impl Slow {
    fn slowly<R>(&self, call: impl FnOnce(&SimDisk) -> R) -> R {
        patience(&self.1);
        let done = call(&self.0);
        patience(&self.1);
        done
    }
}

impl Disk for Slow {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let file = self.slowly(|disk| disk.open(path, how))?;
        Ok(Box::new(SlowFile(file, self.1.clone())))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.slowly(|disk| disk.rename(from, to))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.slowly(|disk| disk.remove(path))
    }
    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.slowly(|disk| disk.list(directory))
    }
}

#[derive(Debug)]
struct SlowFile(Box<dyn File>, Arc<Mutex<Random>>);

impl SlowFile {
    fn slowly<R>(&self, call: impl FnOnce(&dyn File) -> R) -> R {
        patience(&self.1);
        let done = call(&*self.0);
        patience(&self.1);
        done
    }
}

impl File for SlowFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.slowly(|file| file.read(batch))
    }
    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        self.slowly(|file| file.write(batch))
    }
    fn sync(&self) -> io::Result<()> {
        self.slowly(|file| file.sync())
    }
    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        self.slowly(|file| file.size(set))
    }
}

/// Values by key.
type State = BTreeMap<u64, u64>;

/// What the threads did, in events of the disk.
#[derive(Default)]
struct Done {
    /// Of each thread: its state after each request, and the events before that began; the first one before all.
    states: Vec<Vec<(usize, State)>>,
    /// After so many events so many requests of each thread are durable.
    promises: Vec<(usize, Vec<usize>)>,
}

impl Done {
    fn counts(&self) -> Vec<usize> {
        self.states.iter().map(|states| states.len() - 1).collect()
    }

    /// Whether the records found may be those of a thread when the power is cut after so many events.
    fn allows(&self, thread: usize, cut: usize, found: &State) -> bool {
        let covered = self.promises.iter().filter(|(events, _)| *events <= cut);
        let low = covered.map(|(_, counts)| counts[thread]).max().unwrap_or(0);
        let states = &self.states[thread];
        let begun = states.iter().skip(1).filter(|(begin, _)| *begin < cut).count();
        states[low..=begun.max(low)].iter().any(|(_, state)| state == found)
    }
}

/// One thread's requests: inserts, updates and erases of its own records, and a commit now and then.
fn requests(ds: &DataSet, disk: &SimDisk, done: &Mutex<Done>, thread: u64, durability: Durability) {
    let (mut s, mut random) = (ds.string(), Random(977 + 31 * thread));
    for number in 0..REQUESTS {
        if random.below(6) == 0 {
            promised(disk, done, || ds.commit());
        }
        let n = thread * 1000 + random.below(5);
        let begin = disk.events();
        let mut state = done.lock().unwrap().states[thread as usize].last().unwrap().1.clone();
        let there = state.contains_key(&n);
        match (there, random.below(3)) {
            (false, _) => {
                s.insert(&sealed(n, number, 120), Insert::Direct).unwrap();
                state.insert(n, number);
            }
            (true, 0) => {
                keyed::erase(&mut s, n).unwrap();
                state.remove(&n);
            }
            (true, _) => {
                keyed::update(&mut s, n, number, 120).unwrap();
                state.insert(n, number);
            }
        }
        let mut done = done.lock().unwrap();
        done.states[thread as usize].push((begin, state));
        if durability == Durability::Request {
            let mut counts = vec![0; THREADS as usize];
            counts[thread as usize] = done.counts()[thread as usize];
            done.promises.push((disk.events(), counts));
        }
    }
}

/// What was acknowledged before a commit began is durable once it is answered.
fn promised(disk: &SimDisk, done: &Mutex<Done>, commit: impl FnOnce() -> Result<(), RequestError>) {
    let counts = done.lock().unwrap().counts();
    commit().unwrap();
    done.lock().unwrap().promises.push((disk.events(), counts));
}

/// What the threads did to the disk in the order that the scheduler gave them.
fn run(seed: u64, durability: Durability) -> (SimDisk, Arc<Mutex<Done>>) {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let slow = Slow(disk.clone(), Arc::new(Mutex::new(Random(seed | 1))));
    let world = World {
        pool_bytes: 1 << 20,
        ..World::on(Arc::new(slow), Path::new("/"))
    };
    let engine = world.engine();
    world.create(&engine, "d", |_, _| {});
    let open = world.open(&engine, "d");
    let (mut s, mut states) = (open.string(), Vec::new());
    for thread in 0..THREADS {
        let state: State = [(thread * 1000, 77), (thread * 1000 + 2, 77)].into();
        for (&n, &value) in &state {
            s.insert(&sealed(n, value, 120), Insert::Sequential).unwrap();
        }
        states.push(vec![(0, state)]);
    }
    drop(s);
    open.close().unwrap();
    let done = Arc::new(Mutex::new(Done {
        promises: vec![(disk.events(), vec![0; THREADS as usize])],
        states,
    }));
    let options = OpenOptions {
        access: Access::Output,
        durability,
        ..OpenOptions::default()
    };
    let ds = world.open_with(&engine, "d", options);
    let workers: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (ds, disk, done) = (ds.clone(), disk.clone(), done.clone());
            shuttle::thread::spawn(move || requests(&ds, &disk, &done, thread, durability))
        })
        .collect();
    let background = {
        let (ds, disk, done) = (ds.clone(), disk.clone(), done.clone());
        shuttle::thread::spawn(move || {
            promised(&disk, &done, || ds.commit());
            promised(&disk, &done, || ds.checkpoint());
            promised(&disk, &done, || ds.commit());
        })
    };
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    background.join().unwrap();
    (disk, done)
}

/// Runs the threads, then opens what cuts of the power leave of the disk.
fn cut(seed: u64, durability: Durability) {
    let (disk, done) = run(seed, durability);
    let (trace, done) = (disk.trace(), done.lock().unwrap());
    let mut random = Random(seed << 32 | u64::from(sum(&disk)) | 1);
    let first = done.promises[0].0 as u64;
    for _ in 0..CUTS {
        let cut = (first + random.below(trace.events().len() as u64 - first + 1)) as usize;
        let choice = random.next();
        let image = trace
            .crash_after(cut)
            .image(|change, _| match (choice >> (change % 60)) & 3 {
                _ if choice & 7 == 0 => Survival::Whole,
                _ if choice & 7 == 1 => Survival::Lost,
                0 => Survival::Lost,
                1 => Survival::Sectors(choice.rotate_left(change as u32)),
                _ => Survival::Whole,
            });
        let world = World {
            pool_bytes: 1 << 20,
            ..World::on(Arc::new(MemoryDisk::from(image)), Path::new("/"))
        };
        let engine = world.engine();
        let ds = world.open(&engine, "d");
        let mut found = vec![State::new(); THREADS as usize];
        for record in keyed::contents(&ds) {
            let n: u64 = String::from_utf8_lossy(&record[..8]).parse().unwrap();
            found[n as usize / 1000].insert(n, unsealed(&record));
        }
        for (thread, state) in found.iter().enumerate() {
            assert!(
                done.allows(thread, cut, state),
                "cut after event {cut} of {}: thread {thread} has {state:?}, its states were {:?}",
                trace.events().len(),
                done.states[thread]
            );
        }
    }
}

/// A number that the events of a disk give.
fn sum(disk: &SimDisk) -> u32 {
    let told = |event: &Event| match event {
        Event::Write { file, at, bytes } => format!("{file:?} {at} {:x}", crc32c(bytes)),
        other => format!("{other:?}"),
    };
    let trace = disk.trace();
    crc32c(trace.events().iter().map(told).collect::<String>().as_bytes())
}

#[test]
fn what_threads_were_promised_is_there_after_a_power_cut() {
    let seed = number("CICA_SEED", 1);
    explore(move || cut(seed, Durability::Commit));
}

#[test]
fn so_it_is_where_each_request_is_durable() {
    let seed = number("CICA_SEED", 1);
    explore(move || cut(seed, Durability::Request));
}

/// The first change of one data set, while another one's change finds the log too long and starts it over.
fn first_change_beside_an_end_of_epoch(durability: Durability) {
    let (disk, world) = power::world();
    let engine = world.engine();
    engine.start_log_over_after(1);
    let options = OpenOptions {
        access: Access::Output,
        durability,
        ..OpenOptions::default()
    };
    // A further change would have the tree committed, and the first one with it.
    let changes = [("a", 1), ("b", 3)];
    let workers: Vec<_> = changes
        .map(|(name, changes)| {
            keyed::loaded(&world, &engine, name, 4);
            (world.open_with(&engine, name, options), changes)
        })
        .into_iter()
        .map(|(ds, changes)| {
            shuttle::thread::spawn(move || {
                for n in 0..changes {
                    keyed::insert(&mut ds.string(), 100 + n, n).unwrap();
                }
                ds.commit().unwrap();
                ds
            })
        })
        .collect();
    let open: Vec<DataSet> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
    let after = power::cut(&disk);
    for (name, changes) in changes {
        let found = keyed::contents(&after.open(&after.engine(), name)).len() as u64;
        assert_eq!(found, 4 + changes, "{name}");
    }
    drop(open);
}

#[test]
fn the_first_change_of_a_data_set_outlives_the_end_of_an_epoch() {
    explore(|| first_change_beside_an_end_of_epoch(Durability::Request));
    explore(|| first_change_beside_an_end_of_epoch(Durability::Commit));
}

#[test]
fn one_seed_is_one_order_and_one_trace() {
    let sums = Arc::new(Mutex::new(Vec::new()));
    for seed in [1, 1, 2, 2, 3] {
        let sums = sums.clone();
        in_order(seed, move || {
            let (disk, _) = run(5, Durability::Request);
            sums.lock().unwrap().push(sum(&disk));
        });
    }
    let sums = sums.lock().unwrap();
    assert_eq!((sums[0], sums[2]), (sums[1], sums[3]));
    assert!(sums[0] != sums[2] && sums[2] != sums[4], "{sums:?}");
}
