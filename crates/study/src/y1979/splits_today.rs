//! What splits cost today: the time of an insert that splits a control area, and what a file is like of whose records
//! half were inserted at random.

use super::file::{self, digits, record, GAP, KEY, RECORDS};
use super::steps::Step;
use crate::measure::{median, stored, thread_cpu, timed, Took};
use crate::records::Random;
use crate::{while_doing, Cell, Setting, StudyError, Table};
use cica::{Ksds, Store};
use cica_catalog::space::Unit;
use cica_disk::{Clock, SystemClock};
use cica_engine::{DataSet, Insert};

/// What may be: a CA split by plain inserts, a scan by that of a loaded file, bytes by those of the records.
const BOUNDS: [f64; 3] = [20.0, 1.1, 1.45];
/// Bytes of a record.
const RECORD: f64 = 200.0;
/// Bytes of a track, about.
const TRACK: u64 = 50_000;
/// Where the store of it is.
const STORE: &str = "splits";

/// An insert: nanoseconds, elapsed and of the processor, and what it split.
#[derive(Debug, Clone, Copy)]
struct Inserted {
    elapsed: f64,
    cpu: f64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Ci,
    Ca,
}

/// The table, and in words what is met.
pub fn measured(setting: &Setting) -> Result<(Table, Vec<String>), StudyError> {
    let records = setting.records.unwrap_or(RECORDS);
    let store = file::store_in(setting, STORE)?;
    let mut table = Table::new(
        "splits today: half the records inserted at random",
        &["found", "at most", "met"],
    );
    let run = run_of_splits(&store, records)?;
    split_rows(&run, &mut table);
    let grown = grown(setting, &store, records)?;
    table.row(
        "scan, by that of a loaded file, elapsed",
        bounded(grown.0[0], BOUNDS[1]),
    );
    table.row("scan, by that of a loaded file, CPU", bounded(grown.0[1], BOUNDS[1]));
    table.row(
        "bytes on the device after close, by the records'",
        bounded(grown.1, BOUNDS[2]),
    );
    table.row(
        "the same of a loaded file",
        vec![Cell::Number(grown.2, 2), Cell::None, Cell::None],
    );
    Ok((table, WORDS.iter().map(|words| (*words).into()).collect()))
}

const WORDS: [&str; 3] = [
    "splits today: control areas of a track, so that hundreds split; each insert is timed. elapsed has what else the machine",
    "does; CPU is of the thread that inserts. The run's p99.9 is of all its inserts, the other of its CA splits alone. Scan and",
    "bytes are of the defaults: every second record loaded, the others inserted in random order, closed; scans in turn.",
];

fn bounded(found: f64, bound: f64) -> Vec<Cell> {
    let met = if found <= bound { "yes" } else { "no" };
    vec![Cell::Number(found, 2), Cell::Number(bound, 2), Cell::Text(met.into())]
}

fn split_rows(run: &[Inserted], table: &mut Table) {
    let of = |kind: Kind| run.iter().filter(move |one| one.kind == kind);
    let count = |kind: Kind| Cell::Number(of(kind).count() as f64, 0);
    let alone = |cell: Cell| vec![cell, Cell::None, Cell::None];
    table.row("inserts that split nothing", alone(count(Kind::Plain)));
    table.row("CI splits", alone(count(Kind::Ci)));
    table.row("CA splits", alone(count(Kind::Ca)));
    type Of = fn(&Inserted) -> f64;
    let measures: [(&str, Of); 2] = [("elapsed", |one| one.elapsed), ("CPU", |one| one.cpu)];
    for (called, of_one) in measures {
        let plain = median(of(Kind::Plain).map(of_one).collect());
        let microseconds = |nanoseconds: f64| alone(Cell::Number(nanoseconds / 1e3, 2));
        table.row(format!("plain insert, median, {called} us"), microseconds(plain));
        table.row(
            format!("CA split, median, {called} us"),
            microseconds(median(of(Kind::Ca).map(of_one).collect())),
        );
        let all = high(run.iter().map(of_one).collect()) / plain.max(1.0);
        table.row(
            format!("p99.9 of the run, by plain inserts, {called}"),
            bounded(all, BOUNDS[0]),
        );
        let splits = high(of(Kind::Ca).map(of_one).collect()) / plain.max(1.0);
        table.row(
            format!("p99.9 of its CA splits, by plain inserts, {called}"),
            bounded(splits, BOUNDS[0]),
        );
    }
}

/// What 99.9 % of them are no more than.
fn high(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    let at = (of.len() as f64 * 0.999).ceil() as usize;
    of.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

/// Every second number, in random order.
fn shuffled(records: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (1..=records).filter(|number| number % 2 == 0).collect();
    let mut random = Random(0x1979);
    for at in (1..numbers.len()).rev() {
        numbers.swap(at, random.below(at as u64 + 1) as usize);
    }
    numbers
}

fn load(store: &Store, name: &str, numbers: impl Iterator<Item = u64>) -> Result<(), StudyError> {
    let set = file::open(store, name, true, None)?;
    let mut string = set.string();
    for number in numbers {
        string.insert(&record(number * GAP), Insert::Sequential)?;
    }
    drop(string);
    set.close().map(drop).map_err(while_doing(name))
}

/// Inserts into control areas of a track.
fn run_of_splits(store: &Store, records: u64) -> Result<Vec<Inserted>, StudyError> {
    let name = "STUDY.SPLIT";
    // Four times what the records take: extents of a track would be too many.
    let tracks = 4 * records * RECORD as u64 / TRACK + 10;
    let definition = Ksds::new(name).key(1..9).records(200, 200);
    let definition = definition.space(Unit::Tracks, tracks, 1);
    store.define(definition).map_err(while_doing(name))?;
    load(store, name, (1..=records).filter(|number| number % 2 == 1))?;
    let set = file::open(store, name, true, None)?;
    let (mut string, mut new, mut found) = (set.string(), record(0), Vec::new());
    let splits = |set: &DataSet| {
        let data = set.statistics().0;
        (data.ci_splits, data.ca_splits)
    };
    let mut before = splits(&set);
    for number in shuffled(records) {
        new[KEY].copy_from_slice(&digits(number * GAP));
        let (then, cpu) = (SystemClock.now(), thread_cpu());
        string.insert(&new, Insert::Direct)?;
        let (cpu, elapsed) = (thread_cpu() - cpu, SystemClock.now().saturating_sub(then) as f64);
        let after = splits(&set);
        let kind = if after.1 > before.1 {
            Kind::Ca
        } else if after.0 > before.0 {
            Kind::Ci
        } else {
            Kind::Plain
        };
        before = after;
        found.push(Inserted { elapsed, cpu, kind });
    }
    drop(string);
    set.close().map_err(while_doing(name))?;
    Ok(found)
}

/// Of a file whose half was inserted: a scan by that of a loaded one, and bytes by those of its records, of both.
fn grown(setting: &Setting, store: &Store, records: u64) -> Result<([f64; 2], f64, f64), StudyError> {
    let names = ["STUDY.GROWN", "STUDY.LOADED"];
    for name in names {
        file::define_plainly(store, name, None)?;
    }
    load(store, names[0], (1..=records).filter(|number| number % 2 == 1))?;
    load(store, names[1], 1..=records)?;
    let set = file::open(store, names[0], true, None)?;
    let mut string = set.string();
    for number in shuffled(records) {
        string.insert(&record(number * GAP), Insert::Direct)?;
    }
    drop(string);
    set.close().map_err(while_doing(names[0]))?;
    let (mut elapsed, mut cpu) = (Vec::new(), Vec::new());
    // One before the others, so that both are in the page cache.
    for round in 0..=setting.rounds.max(1) {
        let [grown, loaded] = names.map(|name| scan(store, name, records));
        let (grown, loaded) = (grown?, loaded?);
        if round > 0 {
            elapsed.push(grown.elapsed / loaded.elapsed);
            cpu.push(grown.cpu / loaded.cpu);
        }
    }
    let bytes = |name: &str| {
        let files = file::files(store, name)?;
        Ok::<_, StudyError>(stored(&files)? as f64 / (records as f64 * RECORD))
    };
    Ok(([elapsed, cpu].map(median), bytes(names[0])?, bytes(names[1])?))
}

/// A scan, from open to close.
fn scan(store: &Store, name: &str, records: u64) -> Result<Took, StudyError> {
    let (found, took) = timed(|| {
        let set = file::open(store, name, false, None)?;
        let found = Step::Scan.run(&set, records)?;
        set.close().map_err(while_doing(name))?;
        Ok::<_, StudyError>(found)
    })?;
    if found == records {
        Ok(took)
    } else {
        Err(StudyError::Wrong(format!("{name}: {found} records were found")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_met_or_not_and_the_rows_are_by_what_each_insert_split() {
        let one = |kind, elapsed: f64| Inserted {
            elapsed,
            cpu: elapsed / 2.0,
            kind,
        };
        let mut run = vec![one(Kind::Plain, 1000.0); 1996];
        run.extend([
            one(Kind::Ci, 5000.0),
            one(Kind::Ca, 21_000.0),
            one(Kind::Ca, 30_000.0),
            one(Kind::Ca, 30_000.0),
        ]);
        let mut table = Table::default();
        split_rows(&run, &mut table);
        let found = |row: &str| {
            table
                .rows
                .iter()
                .find(|(name, _)| name == row)
                .map(|(_, cells)| cells.clone())
        };
        let met = |number, met: &str| {
            Some(vec![
                Cell::Number(number, 2),
                Cell::Number(20.0, 2),
                Cell::Text(met.into()),
            ])
        };
        // The 1,998th of 2,000 is the first CA split; of three the last is the highest.
        assert_eq!(found("p99.9 of the run, by plain inserts, elapsed"), met(21.0, "no"));
        assert_eq!(found("p99.9 of its CA splits, by plain inserts, CPU"), met(30.0, "no"));
        assert_eq!(
            found("CA splits").map(|cells| cells[0].clone()),
            Some(Cell::Number(3.0, 0))
        );
        assert_eq!(bounded(1.1, 1.1)[2], Cell::Text("yes".into()));
    }

    #[test]
    fn each_even_number_comes_once_and_not_in_order() {
        let mut numbers = shuffled(1000);
        assert!(numbers.windows(2).any(|pair| pair[0] > pair[1]));
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=500).map(|n| 2 * n).collect::<Vec<u64>>());
    }
}
