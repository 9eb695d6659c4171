//! The online mix: transactions that read and update records at random, with a program's work in between.

use super::{medians, published, Bench, KEY, RECORD};
use crate::measure::{measured, Took};
use crate::records::Random;
use crate::report::{Cell, Table};
use crate::StudyError;
use cica_engine::{Access, DataSet, Intent, Search};

/// Reads and writes of ten transactions: RAMP-C has 9.4 and 4.0 in one.
const READS: u64 = 94;
const WRITES: u64 = 40;
/// Instructions of the program from one request to the next: the study's relative intensity of RAMP-C.
const BETWEEN: u64 = 16_800;
/// Instructions of one step of [`work`].
const STEP: u64 = 8;
/// A transaction for so many records.
const RECORDS_OF_ONE: usize = 16;
/// What is done.
pub const MIX: &str =
    "9.4 reads and 4.0 updates in a transaction, a program's 16,800 instructions between two of them, \
                       and a pool of half the plain data.";

/// What a compressed data set takes more, in percent.
pub fn measure(bench: &Bench<'_>) -> Result<Table, StudyError> {
    let transactions = (bench.records.len() / RECORDS_OF_ONE).max(10);
    let mut rounds = Vec::new();
    for round in 0..bench.setting.rounds.max(1) {
        let mut took = [Took::default(); 2];
        for (took, name) in took.iter_mut().zip(["PLAIN", "COMPRESSED"]) {
            let engine = bench.engine(bench.records.len() * RECORD / 2)?;
            let set = bench.open(&engine, name, Access::Output)?;
            // Each round asks for other records; the first half of them fills the pool.
            let mut random = Random(7919 + round as u64);
            mix(bench, &set, transactions / 2, &mut random)?;
            *took = measured(&bench.disk, || mix(bench, &set, transactions, &mut random))?.1;
            set.close()?;
        }
        let [plain, compressed] = took;
        let ios = |took: &Took| (took.disk.read_requests + took.disk.write_requests) as f64;
        let more = |of: fn(&Took) -> f64| 100.0 * of(&compressed) / of(&plain).max(1.0) - 100.0;
        rounds.push([more(|took| took.cpu), more(ios), more(|took| took.elapsed)]);
    }
    let mut table = Table::new(
        "Online mix: compressed beside plain",
        &["here", "study, standard", "study, turbo"],
    );
    for (here, (measure, [standard, turbo])) in medians(&rounds).into_iter().zip(published::online()) {
        table.row(measure, [here, standard, turbo].map(Cell::Percent).to_vec());
    }
    Ok(table)
}

fn mix(bench: &Bench<'_>, set: &DataSet, transactions: usize, random: &mut Random) -> Result<(), StudyError> {
    let (mut string, mut new) = (set.string(), Vec::with_capacity(RECORD));
    let mut state = 1;
    for n in 0..transactions as u64 {
        // Of ten transactions some have one read more.
        let reads = READS / 10 + u64::from(n % 10 < READS % 10);
        for request in 0..reads {
            let at = random.below(bench.records.len() as u64) as usize;
            let key = &bench.records[at][..KEY];
            state = work(BETWEEN / STEP, state);
            if request >= WRITES / 10 {
                string.get(key, Search::Equal, Intent::Read)?;
                continue;
            }
            string.get(key, Search::Equal, Intent::Update)?;
            state = work(BETWEEN / STEP, state);
            // What another record has behind its key.
            let other = &bench.records[random.below(bench.records.len() as u64) as usize];
            new.clear();
            new.extend_from_slice(key);
            new.extend_from_slice(&other[KEY..]);
            string.update(&new)?;
        }
    }
    Ok(())
}

/// What a program does between two requests.
fn work(steps: u64, mut state: u64) -> u64 {
    for _ in 0..steps {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    std::hint::black_box(state)
}
