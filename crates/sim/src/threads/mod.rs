//! Threads that share records, in an order that the seed decides, over a disk whose calls take long or short; then the
//! power is cut at moments of what they did. Compiled with `--cfg cica_schedules` alone: the engine is then made over a
//! scheduler that runs one thread at a time and chooses, at each use of a lock, a shared word or the disk, who goes on.
//!
//! * T1. One seed is one order and one trace of the disk: data set, requests, order, faults and cuts follow from it. An
//!   even seed draws who goes on; an odd one changes priorities seldom (PCT), once measured how many choices there are.
//! * T2. Of each record an order of the requests, one at a time, explains what the threads were answered, what is there
//!   when they are done, and what is there when it was closed.
//! * T3. What a cut leaves is whole, and each record is as a change left it that had begun and after which none came
//!   that was durable: because a commit that began later was answered, or each request is durable.
//! * T4. In every fourth run a call fails. Then T3 alone holds, and what was not answered may have been done. A
//!   change that is refused for want of space (8/28) has not been done.

mod judge;
mod slow;
mod store;
mod work;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use cica_disk::sim::{Call, Errno, Faults, Survival, Trace};
use cica_disk::{Disk, MemoryDisk, SimDisk};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

use crate::campaign::Outcome;
use crate::crash::guarded;
use crate::explain::{explain, Event, RequestAnswer};
use crate::random::Random;
use crate::session::Session;
use crate::shape::Organization;
use crate::store::Store;
use judge::{of, ThreadJudge};
use slow::Slow;
use store::{State, StoreKind};
use work::{work, Deed, Shared};

/// Moments at which the power is cut, of each run.
const CUTS: u64 = 8;
/// Changes of priority.
const DEPTH: usize = 3;

/// What a run counts.
type ThreadCounts = BTreeMap<&'static str, u64>;

/// The run of a seed, on a data set or a base with alternate indexes.
pub fn run(store: Store, seed: u64, requests: usize) -> Option<Outcome> {
    let (done, failure) = match in_order(seed, move || one(store, seed, requests).map(|(counts, _)| counts)) {
        Ok(done) => (done, None),
        Err(what) => (ThreadCounts::new(), Some(what)),
    };
    let counts = done.into_iter().map(|(name, count)| (name.to_string(), count));
    let words = match store {
        // The base is a KSDS.
        Store::Sphere(_) => " --sphere".to_string(),
        _ => store.words(seed),
    };
    Some(Outcome {
        counts: counts.collect(),
        failure: failure.map(|what| {
            format!("{what}\nreplay: cica-sim threads{words} --seed {seed} --requests {requests} --runs 1")
        }),
    })
}

/// What the run of a seed does to the disk.
///
/// # Errors
/// In words: it fails.
pub fn trace(store: Store, seed: u64, requests: usize) -> Result<Trace, String> {
    in_order(seed, move || one(store, seed, requests).map(|(_, trace)| trace))
}

/// Runs `act` in the order of a seed (T1); what it came to, or its first failure.
fn in_order<T: Send + 'static>(
    seed: u64,
    act: impl Fn() -> Result<T, String> + Send + Sync + 'static,
) -> Result<T, String> {
    let mut config = Config::new();
    config.stack_size = 1 << 20;
    config.max_steps = MaxSteps::FailAfter(20_000_000);
    // The seed is what has the order again.
    config.failure_persistence = FailurePersistence::None;
    let result = Arc::new(Mutex::new(None));
    let outcome = result.clone();
    let act = move || {
        let done = act();
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*outcome, Some(Err(_))) {
            *outcome = Some(done);
        }
    };
    let ran = guarded(|| {
        match seed % 2 {
            0 => Runner::new(RandomScheduler::new_from_seed(seed, 1), config).run(act),
            // The first run counts the choices.
            _ => Runner::new(PctScheduler::new_from_seed(seed, DEPTH, 2), config).run(act),
        };
        Ok(())
    });
    ran?;
    let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
    result.take().unwrap_or_else(|| Err("nothing was run".into()))
}

/// One order of the threads; what was done, and the trace of the disk.
fn one(store: Store, seed: u64, requests: usize) -> Result<(ThreadCounts, Trace), String> {
    let mut random = Random::new(seed ^ 0x7468_7265_6164);
    let sphere = matches!(store, Store::Sphere(_));
    let organization = match store.organization(seed) {
        numbered @ (Organization::Rrds | Organization::Vrrds) => numbered,
        _ => Organization::Ksds,
    };
    let kind = StoreKind::draw(seed, organization, store);
    let keys = kind.keys(random.pick(&[2, 4, 8]));
    let disk = SimDisk::from(Session::empty_disk());
    kind.make(&disk, &keys, &mut random)?;
    let begun = disk.events();
    let first = kind.closed(Arc::new(MemoryDisk::from(disk.image())), &keys)?;
    let slow: Arc<dyn Disk> = Arc::new(Slow::new(disk.clone(), random.fork()));
    let mut opened = kind.open(slow)?;
    let mut shared = Shared::new(kind.shape(), sphere, keys, requests, &disk);
    if random.chance(25) {
        shared.faulty = true;
        let call = random.pick(&[Call::Write, Call::Sync, Call::Read, Call::Size]);
        disk.set_faults(Faults::none().fail(call, random.between(1, 40), Errno::Io));
    }
    let shared = Arc::new(shared);
    let deeds = threads(&shared, &opened, &mut random)?;
    let mut counts = ThreadCounts::from([("schedules", 1), ("requests", deeds.len() as u64)]);
    if !shared.faulty {
        let known = explained(&shared, &first, &deeds, |shared| {
            opened.close()?;
            let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::from(shared.disk.image()));
            kind.closed(disk, &shared.keys)
        })?;
        counts.insert("histories", known);
    }
    drop(opened);
    let trace = disk.trace();
    let judge = ThreadJudge {
        first,
        deeds,
        promises: shared.promises(),
        keys: shared.keys.len() as u64,
    };
    for _ in 0..CUTS {
        let cut = random.between(begun as u64, trace.events().len() as u64) as usize;
        let choice = random.bits();
        let image = trace.crash_after(cut).image(|change, _| survival(choice, change));
        let left = kind.left(Arc::new(MemoryDisk::from(image)), &shared.keys);
        let judged = left.and_then(|left| judge.check(cut, &left));
        judged.map_err(|what| format!("power cut after event {cut} of {}: {what}", trace.events().len()))?;
        *counts.entry("cuts").or_default() += 1;
    }
    *counts.entry("faulty runs").or_default() += u64::from(shared.faulty);
    Ok((counts, trace))
}

/// Runs the threads, and one that commits now and then; what they did.
fn threads(shared: &Arc<Shared>, opened: &store::OpenedStore, random: &mut Random) -> Result<Vec<Deed>, String> {
    let workers: Vec<_> = (0..random.between(2, 4))
        .map(|_| {
            let (shared, set, random) = (shared.clone(), opened.set(), random.fork());
            shuttle::thread::spawn(move || work(&shared, &set?, random))
        })
        .collect();
    let committer = {
        let (shared, set) = (shared.clone(), opened.set());
        let trees: Vec<bool> = (0..random.below(4)).map(|_| random.chance(50)).collect();
        shuttle::thread::spawn(move || {
            let set = set?;
            trees
                .into_iter()
                .try_for_each(|tree| shared.commit(&set, tree).map(drop))
        })
    };
    let mut deeds = Vec::new();
    for worker in workers {
        deeds.extend(worker.join().map_err(|_| "a thread panicked")??);
    }
    committer.join().map_err(|_| "the thread that commits panicked")??;
    Ok(deeds)
}

/// What becomes of a change that was not synced.
fn survival(choice: u64, change: usize) -> Survival {
    match (choice >> (change % 60)) & 3 {
        _ if choice & 7 == 0 => Survival::Whole,
        _ if choice & 7 == 1 => Survival::Lost,
        0 => Survival::Lost,
        1 => Survival::Sectors(choice.rotate_left(change as u32)),
        _ => Survival::Whole,
    }
}

/// Looks for an order of the requests for each record (T2); `close` closes and tells what is there. How many records.
fn explained(
    shared: &Shared,
    first: &State,
    deeds: &[Deed],
    close: impl FnOnce(&Shared) -> Result<State, String>,
) -> Result<u64, String> {
    let begin = shared.now();
    let left = close(shared)?;
    let end = shared.now();
    for key in 0..shared.keys.len() as u64 {
        let mut events: Vec<Event> = of(deeds, key).map(|deed| deed.event).collect();
        let answer = RequestAnswer::Got(left.get(&key).copied());
        events.push(Event {
            key,
            begin,
            end,
            answer,
        });
        explain(first.get(&key).copied(), events).map_err(|why| format!("record {key}: {why}"))?;
    }
    Ok(shared.keys.len() as u64)
}
