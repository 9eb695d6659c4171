//! Data sets and units as a [`Subject`] of the crash explorer; its run compares every answer as well.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use cica_disk::{Disk, Image, MemoryDisk};
use cica_engine::{
    Access, Argument, DataSet, Definition, Engine, Insert, Intent, OpenOptions, PrepareError, RequestError, Search,
    Str, UnitOfRecovery,
};
use cica_format::attributes::{Attributes, Organization};

use super::oracle::{next, UnitAction, UnitAnswer, UnitOracle, UnitsFound, ValuesByKey, ESDS, SETS, UNITS};
use super::workload::UnitsWorkload;
use crate::mortal::Mortal;
use crate::place;
use crate::session::{clock, engine_at, no_log_is_lost, no_more_logs_than, Session, Trouble};
use crate::subject::{Recovered, Step, StepLog, Stop, Subject};

const NAMES: [&str; SETS] = ["A", "B", "C"];
const DOUBTS: [&str; super::oracle::DOUBTS] = ["D.1", "D.2"];
const KINDS: [Organization; SETS] = [Organization::Ksds, Organization::Rrds, Organization::Esds];
/// Bytes of a record: key and value, and so many more that a CI of 512 bytes has few.
const LENGTH: usize = 90;
/// So short a log starts over several times in a run, with units open.
const LOG_BYTES: u64 = 12 << 10;

/// The run of a workload.
pub struct UnitsRun<'w> {
    workload: &'w UnitsWorkload,
    actions: Cow<'w, [UnitAction]>,
    /// The disk is going to fail: errors of I/O and want of space are answers, not mistakes.
    faulty: bool,
    start: Image,
    /// By the digest of what is found where units are in doubt: what is found when they are committed, and taken back.
    decided: Mutex<HashMap<u64, [u64; 2]>>,
}

impl<'w> UnitsRun<'w> {
    /// Makes and loads the data sets in memory; these actions will be done.
    ///
    /// # Errors
    /// In words.
    pub fn new(
        workload: &'w UnitsWorkload,
        actions: impl Into<Cow<'w, [UnitAction]>>,
        faulty: bool,
    ) -> Result<Self, String> {
        let disk = MemoryDisk::from(Session::empty_disk());
        make(&(Arc::new(disk.clone()) as Arc<dyn Disk>), workload).map_err(Trouble::words)?;
        let mut actions = actions.into();
        // A disk that fails is trouble enough: nobody is killed on it as well.
        if faulty {
            actions.to_mut().retain(|action| !matches!(action, UnitAction::Kill(_)));
        }
        Ok(UnitsRun {
            workload,
            actions,
            faulty,
            start: disk.image(),
            decided: Mutex::default(),
        })
    }
}

impl UnitsRun<'_> {
    /// Decides about what is in doubt, and looks what comes of it.
    fn decide(&self, disk: &Arc<dyn Disk>) -> Result<UnitsFound, Trouble> {
        let found = look(disk)?;
        let digest = found.digest();
        let known = self
            .decided
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&digest)
            .copied();
        let Some([committed, taken_back]) = known else {
            return Ok(found);
        };
        let (commits, mut process) = (digest & 1 == 0, UnitProcess::start(disk)?);
        for name in found.doubts {
            process.apply(UnitAction::Decide(name, commits))?;
        }
        (0..SETS).try_for_each(|set| process.close(set))?;
        let decided = look(disk)?;
        if decided.digest() == if commits { committed } else { taken_back } {
            Ok(decided)
        } else {
            Err(Trouble::Wrong(format!("decided, commits {commits}, it is another")))
        }
    }

    fn stop(&self, at: &str, trouble: Trouble) -> Stop {
        trouble.stop(self.faulty, at)
    }

    /// The digest of what is found now.
    fn found(&self, oracle: &UnitOracle) -> u64 {
        self.noted(oracle, &oracle.found())
    }

    /// The digest of what may be found, of which is noted what decisions make of it.
    fn noted(&self, oracle: &UnitOracle, found: &UnitsFound) -> u64 {
        let digest = found.digest();
        if !found.doubts.is_empty() {
            let decided = [true, false].map(|commits| oracle.decided(commits).digest());
            let mut known = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(digest, decided);
        }
        digest
    }
}

fn engine(disk: &Arc<dyn Disk>) -> Result<Engine, Trouble> {
    let engine = engine_at(disk, &clock(1000), place::at("/log"), 4 << 20)?;
    engine.start_log_over_after(LOG_BYTES);
    Ok(engine)
}

fn paths(set: usize) -> (PathBuf, PathBuf) {
    let file = |part: &str| place::at("/volume").join(format!("{}.{part}", NAMES[set]));
    match KINDS[set] {
        Organization::Ksds => (file("data"), file("index")),
        _ => (file("data"), PathBuf::new()),
    }
}

fn make(disk: &Arc<dyn Disk>, workload: &UnitsWorkload) -> Result<(), Trouble> {
    let engine = engine(disk)?;
    for (set, records) in workload.start.iter().enumerate() {
        let (data_path, index_path) = paths(set);
        let mut data = Attributes::new(KINDS[set], &format!("{}.DATA", NAMES[set]), 512, 4);
        (data.average_record, data.maximum_record) = (LENGTH as u32, LENGTH as u32);
        (data.primary, data.secondary) = (512 * 4, 512 * 4);
        let keyed = KINDS[set] == Organization::Ksds;
        let mut index = Attributes::new(KINDS[set], &format!("{}.INDEX", NAMES[set]), 512, 8);
        if keyed {
            (data.key_length, index.key_length) = (4, 4);
        }
        engine.create(&Definition {
            data_path,
            index_path,
            data,
            index: Some(index).filter(|_| keyed),
        })?;
        let opened = open(&engine, set)?;
        let mut string = opened.string();
        for (&key, &value) in records {
            match KINDS[set] {
                Organization::Rrds => string.insert_at(key, &record(key, value), Insert::Sequential)?,
                _ => string.insert(&record(key, value), Insert::Sequential).map(drop)?,
            }
        }
        drop(string);
        opened.close()?;
    }
    Ok(())
}

/// More than the keys of records.
const MOST_KEYS: u32 = 120;

fn open(engine: &Engine, set: usize) -> Result<DataSet, Trouble> {
    let (data, index) = paths(set);
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    Ok(engine.open(&data, &index, options)?)
}

fn record(key: u32, value: u32) -> Vec<u8> {
    let mut record = [key.to_be_bytes(), value.to_be_bytes()].concat();
    // No run of one byte, which the log would leave out: what takes a unit back is to be longer than a sector.
    let filling = (0u8..).map(|n| n.wrapping_mul(37) ^ value as u8);
    record.extend(filling.take(LENGTH - 8));
    record
}

/// Key and value of a record that is as it was written.
fn read(bytes: &[u8]) -> Result<(u32, u32), Trouble> {
    let number = |at: usize| {
        bytes
            .get(at..at + 4)
            .and_then(|b| b.try_into().ok())
            .map(u32::from_be_bytes)
    };
    match (number(0), number(4)) {
        (Some(key), Some(value)) if record(key, value) == bytes => Ok((key, value)),
        _ => Err(Trouble::Wrong("a record is not as any was written".into())),
    }
}

/// Everything in a data set, after its structure was checked.
fn contents(opened: &DataSet) -> Result<ValuesByKey, Trouble> {
    let findings = opened.examine()?.findings;
    if let Some(first) = findings.first() {
        return Err(Trouble::Wrong(format!("EXAMINE: CI {}: {}", first.ci, first.what)));
    }
    let (mut string, mut records) = (opened.string(), ValuesByKey::new());
    string.point_first()?;
    loop {
        match string.next(Intent::Read) {
            Ok(found) => {
                let (key, value) = read(found.bytes)?;
                records.insert(key, value);
            }
            Err(RequestError::EndOfData) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if opened.statistics().0.records == records.len() as u64 {
        Ok(records)
    } else {
        Err(Trouble::Wrong("REC-TOTAL is not the number of records".into()))
    }
}

/// Opens all data sets, looks, and closes them.
fn look(disk: &Arc<dyn Disk>) -> Result<UnitsFound, Trouble> {
    let mut process = UnitProcess::start(disk)?;
    let found = process.look()?;
    (0..SETS).try_for_each(|set| process.close(set))?;
    Ok(found)
}

impl From<PrepareError> for Trouble {
    fn from(error: PrepareError) -> Trouble {
        match error {
            PrepareError::Request(error) => error.into(),
            PrepareError::File(error) => error.into(),
            other => Trouble::Wrong(other.to_string()),
        }
    }
}

/// A process: its data sets, units, and a string for each unit and for nobody.
struct UnitProcess {
    life: Mortal,
    sets: Vec<Option<(DataSet, Vec<Str>)>>,
    units: Vec<UnitOfRecovery>,
    engine: Engine,
}

impl UnitProcess {
    fn start(disk: &Arc<dyn Disk>) -> Result<UnitProcess, Trouble> {
        UnitProcess::live(Mortal::new(disk.clone()))
    }

    fn live(life: Mortal) -> Result<UnitProcess, Trouble> {
        let engine = engine(&life.shared())?;
        let mut process = UnitProcess {
            life,
            sets: (0..SETS).map(|_| None).collect(),
            units: (0..UNITS).map(|_| engine.unit()).collect(),
            engine,
        };
        (0..SETS).try_for_each(|set| process.open(set))?;
        Ok(process)
    }

    /// It was killed: others open what is left until one of them lives. That one, what it found, and how many died.
    fn succeeded(self) -> Result<(UnitProcess, UnitsFound, u32), Trouble> {
        let (mut life, mut deaths) = (self.life.clone(), 0);
        drop(self);
        loop {
            deaths += 1;
            life = life.successor();
            let found = UnitProcess::live(life.clone()).and_then(|process| {
                let found = process.look()?;
                Ok((process, found))
            });
            if !life.is_dead() {
                return found.map(|(process, found)| (process, found, deaths));
            }
        }
    }

    /// Everything there is. What was going back goes on.
    fn look(&self) -> Result<UnitsFound, Trouble> {
        let mut found = UnitsFound::default();
        for unit in self.engine.in_doubt()? {
            if unit.going_back {
                if self.engine.commit_prepared(&unit.name).is_ok() {
                    return Err(Trouble::Wrong("what was going back was committed".into()));
                }
                self.engine.back_out_prepared(&unit.name)?;
            } else {
                found.doubts.extend(DOUBTS.iter().position(|name| *name == unit.name));
            }
        }
        for (set, records) in found.sets.iter_mut().enumerate() {
            *records = contents(self.set(set)?)?;
        }
        if !found.doubts.is_empty() {
            found.retained = self.retained(&found.sets)?;
        }
        Ok(found)
    }

    /// Records that nobody gets for update, of those that there may be.
    fn retained(&self, sets: &[ValuesByKey; SETS]) -> Result<BTreeSet<(usize, u32)>, Trouble> {
        let mut retained = BTreeSet::new();
        for (set, records) in sets.iter().enumerate() {
            let keys = match set {
                ESDS => 1..next(records),
                _ => 1..MOST_KEYS,
            };
            let mut string = self.set(set)?.string();
            for key in keys {
                if answer(get(&mut string, set, key))? == UnitAnswer::Kept {
                    retained.insert((set, key));
                }
            }
        }
        Ok(retained)
    }

    fn open(&mut self, set: usize) -> Result<(), Trouble> {
        let opened = open(&self.engine, set)?;
        let strings = self
            .units
            .iter()
            .map(|unit| opened.string_in(unit))
            .chain([opened.string()]);
        let strings = strings.collect();
        self.sets[set] = Some((opened, strings));
        Ok(())
    }

    fn close(&mut self, set: usize) -> Result<(), Trouble> {
        if let Some((opened, strings)) = self.sets[set].take() {
            drop(strings);
            opened.close()?;
        }
        Ok(())
    }

    fn set(&self, set: usize) -> Result<&DataSet, Trouble> {
        let closed = || Trouble::Wrong("it is closed".into());
        self.sets[set].as_ref().map(|(opened, _)| opened).ok_or_else(closed)
    }

    /// Is the first data set out of use? No record has the key.
    fn first_is_fenced(&self) -> bool {
        let Ok(opened) = self.set(0) else { return false };
        matches!(get(&mut opened.string(), 0, 0), Err(RequestError::Fenced { .. }))
    }

    fn apply(&mut self, action: UnitAction) -> Result<UnitAnswer, Trouble> {
        match action {
            UnitAction::Put { by, set, key, value } => answer(self.put(by, set, key, &record(key, value))),
            UnitAction::Erase { by, set, key } => answer(self.erase(by, set, key)),
            UnitAction::Commit(unit) => answer(self.units[unit].commit()),
            UnitAction::BackOut(unit) => answer(self.units[unit].backout()),
            UnitAction::Prepare(unit, _) if self.units[unit].changes() == 0 => Ok(UnitAnswer::Done),
            UnitAction::Prepare(unit, name) => decision(self.units[unit].prepare(DOUBTS[name])),
            UnitAction::Decide(name, true) => decision(self.engine.commit_prepared(DOUBTS[name])),
            UnitAction::Decide(name, false) => decision(self.engine.back_out_prepared(DOUBTS[name])),
            UnitAction::Checkpoint(set) => answer(self.set(set)?.checkpoint()),
            UnitAction::Flush => answer(self.set(0)?.commit()),
            UnitAction::Reopen(set) => {
                self.close(set)?;
                self.open(set)?;
                Ok(UnitAnswer::Done)
            }
            UnitAction::Kill(kill) => {
                self.life.kill(kill);
                Ok(UnitAnswer::Done)
            }
        }
    }

    fn string(&mut self, by: Option<usize>, set: usize) -> Result<&mut Str, RequestError> {
        let strings = self.sets[set].as_mut().map(|(_, strings)| strings);
        strings
            .and_then(|strings| strings.get_mut(by.unwrap_or(UNITS)))
            .ok_or(RequestError::Access {
                what: "requests of a data set that is not open",
            })
    }

    fn put(&mut self, by: Option<usize>, set: usize, key: u32, record: &[u8]) -> Result<(), RequestError> {
        let string = self.string(by, set)?;
        match get(string, set, key) {
            Ok(()) => string.update(record).map(drop),
            Err(RequestError::NotFound | RequestError::BadRba { .. }) => match set {
                1 => string.insert_at(key, record, Insert::Direct),
                _ => string.insert(record, Insert::Direct).map(drop),
            },
            Err(error) => Err(error),
        }
    }

    fn erase(&mut self, by: Option<usize>, set: usize, key: u32) -> Result<(), RequestError> {
        let string = self.string(by, set)?;
        get(string, set, key)?;
        string.erase()
    }
}

/// Gets a record for update. Those of the ESDS have one length, so a number is a place.
fn get(string: &mut Str, set: usize, key: u32) -> Result<(), RequestError> {
    let bytes = key.to_be_bytes();
    let argument = match set {
        ESDS => {
            let per_ci = ((512 - 4 - 6) / LENGTH) as u64;
            let n = u64::from(key) - 1;
            Argument::Rba(n / per_ci * 512 + n % per_ci * LENGTH as u64)
        }
        1 => Argument::Rrn(key),
        _ => Argument::Key(&bytes),
    };
    string.get(argument, Search::Equal, Intent::Update).map(drop)
}

fn answer(done: Result<(), RequestError>) -> Result<UnitAnswer, Trouble> {
    match done {
        Ok(()) => Ok(UnitAnswer::Done),
        Err(RequestError::NotFound) => Ok(UnitAnswer::NotFound),
        Err(RequestError::Exclusive { .. } | RequestError::Retained { .. }) => Ok(UnitAnswer::Kept),
        Err(error) => Err(error.into()),
    }
}

fn decision(done: Result<(), PrepareError>) -> Result<UnitAnswer, Trouble> {
    match done {
        Ok(()) => Ok(UnitAnswer::Done),
        Err(PrepareError::Doubled { .. }) => Ok(UnitAnswer::Doubled),
        Err(PrepareError::Unknown { .. }) => Ok(UnitAnswer::Unknown),
        Err(error) => Err(error.into()),
    }
}

impl Subject for UnitsRun<'_> {
    fn start(&self) -> Image {
        self.start.clone()
    }

    fn has_holes(&self) -> bool {
        self.workload.start[0].len() % 2 == 1
    }

    fn run(&self, disk: Arc<dyn Disk>, note: &mut dyn FnMut(Step)) -> Result<(), Stop> {
        let mut oracle = UnitOracle::new(self.workload.start.clone());
        let mut log = StepLog::to(note);
        log.tell(Step::new(self.found(&oracle), true));
        let stop = |trouble| self.stop("the first open", trouble);
        let mut process = UnitProcess::start(&disk).map_err(stop)?;
        for (number, &action) in self.actions.iter().enumerate() {
            let at = format!("action {} ({action})", number + 1);
            let action = oracle.fitting(action);
            // The end of a unit that changed nothing promises nothing.
            let is_empty = match action {
                UnitAction::Commit(unit) | UnitAction::Prepare(unit, _) => !oracle.is_open(unit),
                _ => false,
            };
            let before = oracle.clone();
            let expected = oracle.apply(action);
            let got = match action {
                // A decision is durable by itself: what was done before it is made so first, to stay in one order.
                UnitAction::Decide(..) => (process.apply(UnitAction::Flush)).and_then(|_| {
                    log.tell(Step::new(self.found(&before), true));
                    process.apply(action)
                }),
                _ => process.apply(action),
            };
            if process.life.is_dead() {
                // Nobody got the answer; it may have been done.
                log.tell(Step::new(self.found(&oracle), false));
                let taken = process.succeeded().map_err(|trouble| self.stop(&at, trouble))?;
                let (successor, left, deaths) = taken;
                if !log.has_all_answered(0, left.digest()) {
                    let lost = format!("{at}: killed here, it left less than it had answered");
                    return Err(Stop::Wrong(lost));
                }
                no_log_is_lost(&*disk).map_err(|lost| Stop::Wrong(format!("{at}: {lost}")))?;
                log.tell(Step::after_deaths(0, left.digest(), deaths));
                (process, oracle) = (successor, UnitOracle::left(left, &oracle, &before));
                continue;
            }
            match got {
                Ok(got) if got == expected => {}
                Ok(got) => return Err(Stop::Wrong(format!("{at}: expected {expected:?}, got {got:?}"))),
                Err(trouble) => {
                    // It may have been done, with those in the first data set or without (see the oracle).
                    if process.first_is_fenced() {
                        let found = oracle.found_without_those_alone();
                        log.tell(Step::new(self.noted(&oracle, &found), false));
                    }
                    log.tell(Step::new(self.found(&oracle), false));
                    return Err(self.stop(&at, trouble));
                }
            }
            // What the others hold without a unit is nothing, and a commit has made theirs durable before.
            let durable = !is_empty
                && matches!(
                    action,
                    UnitAction::Commit(_)
                        | UnitAction::Prepare(..)
                        | UnitAction::Decide(..)
                        | UnitAction::Flush
                        | UnitAction::Checkpoint(0)
                        | UnitAction::Reopen(0)
                );
            if durable && self.faulty && process.first_is_fenced() {
                // Its root could not be written: the log went on without it, and with what units did in the others.
                let found = oracle.found_without_those_alone();
                log.tell(Step::new(self.noted(&oracle, &found), true));
                log.tell(Step::new(self.found(&oracle), false));
                return Err(Stop::Failed(format!("{at}: the first data set is fenced")));
            }
            log.tell(Step::new(self.found(&oracle), durable));
            if durable {
                oracle.made_durable();
            }
            // On a failing disk EXAMINE finds what cannot be read; who is going to be killed would die of it.
            if number % 10 == 9 && !self.faulty && !process.life.is_doomed() {
                for set in 0..SETS {
                    let found = process.set(set).and_then(contents);
                    if &found.map_err(|trouble| self.stop(&at, trouble))? != oracle.records(set) {
                        return Err(Stop::Wrong(format!("after {at} data set {set} is another")));
                    }
                }
            }
        }
        Ok(())
    }

    fn is_of_one_root(&self) -> bool {
        false
    }

    fn recover(&self, disk: Arc<dyn Disk>) -> Result<Recovered, String> {
        look(&disk)
            .map(|found| Recovered::new(found.digest()))
            .map_err(Trouble::words)
    }

    fn exercise(&self, disk: Arc<dyn Disk>) -> Result<(), String> {
        let before = self.decide(&disk).map_err(Trouble::words)?;
        let change = || -> Result<(), Trouble> {
            let mut process = UnitProcess::start(&disk)?;
            for (set, records) in before.sets.iter().enumerate() {
                let key = next(records);
                let value = 7;
                process.apply(UnitAction::Put {
                    by: Some(0),
                    set,
                    key,
                    value,
                })?;
            }
            process.apply(UnitAction::BackOut(0))?;
            (0..SETS).try_for_each(|set| process.close(set))
        };
        change().map_err(Trouble::words)?;
        no_more_logs_than(SETS, &*disk)?;
        if look(&disk).map_err(Trouble::words)? == before {
            Ok(())
        } else {
            Err("after a unit that was backed out the contents are others".into())
        }
    }
}
