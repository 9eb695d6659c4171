//! Units of recovery that could not be taken back when their client ended: shunted.
//!
//! | state | by | to |
//! |---|---|---|
//! | of a client | the client ends, the backout does not go through | shunted: its records are retained, others go on |
//! | shunted | a retry goes through: every few seconds, or when people ask for it | ended, taken back |
//! | shunted | people give it up | ended: what was not taken back stands |
//! | shunted | the server ends | in the log: whoever opens its data sets next takes it back |

use cica_engine::{RequestError, UnitOfRecovery};
use cica_share::words::Shunted as ShuntedInfo;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How often it is tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// See the module.
#[derive(Default)]
pub struct Shunted(Mutex<All>);

#[derive(Default)]
struct All {
    units: BTreeMap<u64, One>,
    last: u64,
    tried: Option<Instant>,
}

struct One {
    unit: UnitOfRecovery,
    of: String,
    since: Instant,
    why: String,
}

impl Shunted {
    /// Keeps a unit of a client that has ended.
    pub fn keep(&self, unit: UnitOfRecovery, of: String, why: &RequestError) {
        unit.retain();
        let mut all = self.0.lock();
        all.last += 1;
        let (number, why, since) = (all.last, why.to_string(), Instant::now());
        all.units.insert(number, One { unit, of, since, why });
        all.tried = Some(since);
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().units.is_empty()
    }

    /// Tries all of them again, if it is time.
    pub fn try_again(&self) {
        let numbers: Vec<u64> = {
            let mut all = self.0.lock();
            if all.units.is_empty() || all.tried.is_some_and(|tried| tried.elapsed() < AGAIN) {
                return;
            }
            all.tried = Some(Instant::now());
            all.units.keys().copied().collect()
        };
        for number in numbers {
            // Why not is kept with it, to be shown.
            let _ = self.resolve(number, false);
        }
    }

    /// Takes one back, or gives it up.
    pub fn resolve(&self, number: u64, give_up: bool) -> Result<(), String> {
        let unit = self.0.lock().units.get(&number).map(|one| one.unit.clone());
        let unit = unit.ok_or("there is no such shunted unit; 'cica server shunted' lists them")?;
        let done = if give_up { unit.give_up() } else { unit.backout() };
        // A data set that is out of use has its part in the log, for its next open: the unit has ended.
        let has_ended = done.is_ok() || unit.data_sets().is_empty();
        let mut all = self.0.lock();
        match (has_ended, &done) {
            (true, _) => drop(all.units.remove(&number)),
            (false, Err(why)) => {
                let words = why.to_string();
                all.units.entry(number).and_modify(|one| one.why = words);
            }
            _ => {}
        }
        done.map_err(|why| why.to_string())
    }

    /// As a command shows them.
    pub fn info(&self) -> Vec<ShuntedInfo> {
        let all = self.0.lock();
        let info = |(number, one): (&u64, &One)| ShuntedInfo {
            unit: *number,
            of: one.of.clone(),
            data_sets: one.unit.data_sets(),
            changes: one.unit.changes() as u64,
            seconds: one.since.elapsed().as_secs(),
            why: one.why.clone(),
        };
        all.units.iter().map(info).collect()
    }
}
