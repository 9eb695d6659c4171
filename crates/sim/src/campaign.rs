//! Many runs on several threads: seeds in order, counts added up, failures collected.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Which seeds, on how many threads.
#[derive(Debug, Clone, Copy)]
pub struct Campaign {
    /// First seed.
    pub seed: u64,
    /// Runs; the n-th, from 0, has seed `seed + n`.
    pub runs: u64,
    /// Threads.
    pub jobs: usize,
    /// No new run begins after so many failures.
    pub failures: usize,
    /// A run that takes longer hangs: the process ends, with the seed. What counts is the time that the processors gave
    /// to each thread; on the wall it may take [`PATIENCE`] times as long, for the machine may be busy.
    pub limit: Duration,
}

impl Campaign {
    /// Seeds from `seed` on, with two threads, until the first failure.
    pub fn new(seed: u64, runs: u64) -> Campaign {
        Campaign {
            seed,
            runs,
            jobs: 2,
            failures: 1,
            limit: Duration::from_secs(120),
        }
    }
}

/// What one run did.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What was counted.
    pub counts: BTreeMap<String, u64>,
    /// The failure, with how to have it again.
    pub failure: Option<String>,
}

/// What all runs did.
#[derive(Debug, Clone, Default)]
pub struct Total {
    /// Runs done.
    pub runs: u64,
    /// What was counted.
    pub counts: BTreeMap<String, u64>,
    /// The failures.
    pub failures: Vec<String>,
}

impl Campaign {
    /// Does the runs. `work` gives the outcome of a seed, `None` when there is nothing left to do; `progress` is told
    /// after each run.
    pub fn run(self, work: impl Fn(u64) -> Option<Outcome> + Sync, progress: impl FnMut(&Total) + Send) -> Total {
        let next = AtomicU64::new(0);
        let state = Mutex::new((Total::default(), progress));
        let watch = Watch::default();
        let worker = || loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            let enough = locked(&state).0.failures.len() >= self.failures;
            if run >= self.runs || enough {
                return;
            }
            let seed = self.seed.wrapping_add(run);
            let _watched = watch.watch(seed);
            let Some(outcome) = work(seed) else { return };
            let (total, progress) = &mut *locked(&state);
            total.runs += 1;
            for (name, count) in outcome.counts {
                *total.counts.entry(name).or_default() += count;
            }
            total.failures.extend(outcome.failure);
            progress(total);
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(worker)).collect();
            while !workers.iter().all(|worker| worker.is_finished()) {
                std::thread::sleep(Duration::from_millis(20));
                watch.end_process_that_hangs(self.limit, self.jobs.max(1) as u32);
            }
        });
        state.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }
}

/// See [`Campaign::limit`].
pub const PATIENCE: u32 = 20;

/// The runs in progress: when each began, and how much the processors had done for this process then. A loop without
/// end cannot be stopped from outside, so the process ends when one is found.
#[derive(Debug, Default)]
struct Watch(Mutex<BTreeMap<u64, (Instant, Duration)>>);

struct Watched<'w>(&'w Watch, u64);

impl Watch {
    fn watch(&self, seed: u64) -> Watched<'_> {
        locked(&self.0).insert(seed, (Instant::now(), worked()));
        Watched(self, seed)
    }

    fn end_process_that_hangs(&self, limit: Duration, jobs: u32) {
        let now = worked();
        let hangs = |(start, had): (Instant, Duration)| {
            now.saturating_sub(had) > limit * jobs || start.elapsed() > limit * PATIENCE
        };
        if let Some((seed, _)) = locked(&self.0).iter().find(|(_, began)| hangs(**began)) {
            eprintln!(
                "FAILURE\nthe run of seed {seed} gives no answer within {} s",
                limit.as_secs()
            );
            std::process::exit(101);
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        locked(&self.0 .0).remove(&self.1);
    }
}

/// Processor time of this process.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Images that all runs together may look at.
#[derive(Debug)]
pub struct Budget(AtomicU64);

impl Budget {
    /// So many.
    pub fn new(images: u64) -> Budget {
        Budget(AtomicU64::new(images))
    }

    /// Takes up to `most` of what is left; `None` when nothing is.
    pub(crate) fn take(&self, most: u64) -> Option<u64> {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left > 0).then(|| left - most.min(left))
        });
        taken.ok().map(|left| most.min(left))
    }

    pub(crate) fn give_back(&self, images: u64) {
        self.0.fetch_add(images, Ordering::Relaxed);
    }
}
