//! What a log says came after the last commit, laid over what the volume has.
//!
//! * L1. The log is read to the same end as by recovery, and no request is done: of each record, known by its key, RBA
//!   or relative record number, only what the last request made of it counts.
//! * L2. Changes of a unit of recovery that has no end in the log, and is not in doubt, are laid back, newest first, as
//!   recovery would.
//! * L3. What cannot be laid over makes all that is on the volume doubtful: nobody knows which records it changed.
//! * L4. A gap in the log makes all that doubtful, too. What stands behind it counts all the same: of a record that it
//!   changed, it is the last word. What the log says of others, and what is laid back, is doubtful then. So is what a
//!   unit without an end, and not in doubt, changed once more: what takes that back may be in the gap.

use super::report::Doubt;
use super::SalvagedRecord;
use crate::log::{find, Gap, LogReader, Logged, NamedLog};
use crate::prepared::units_of_log;
use crate::recovery::Unfinished;
use cica_disk::Disk;
use cica_format::attributes::{Attributes, Organization};
use cica_format::root::Root;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// The last word of the log about each record.
#[derive(Debug, Default)]
pub struct Later {
    /// The log that was read: of a copied catalog its own; empty: none was.
    pub path: PathBuf,
    changes: BTreeMap<Vec<u8>, LaterState>,
    /// Where requests are missing (L4).
    pub gaps: Vec<Gap>,
    /// Those of the changes that may not be the last.
    doubtful: HashSet<Vec<u8>>,
    /// Requests of this data set that came after its last commit.
    pub requests: u64,
    /// Records added by them, less those erased.
    pub added: i64,
}

/// What became of a record, or of a CI of a linear data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaterState {
    /// It is this now.
    Is(Vec<u8>),
    /// It was erased.
    Gone,
    /// These bytes were written into the CI, each at its offset.
    Over(Vec<(usize, Vec<u8>)>),
}

impl Later {
    /// The log, as people know it.
    pub fn log(&self, root: &Root) -> String {
        if self.path.as_os_str().is_empty() {
            root.log.path.clone()
        } else {
            self.path.display().to_string()
        }
    }

    /// Reads the log that a root names.
    ///
    /// # Errors
    /// In words: why it cannot be laid over what is on the volume (L3).
    pub fn of(disk: &dyn Disk, root: &Root, logs: Option<&Path>) -> Result<Later, String> {
        let place = match logs {
            Some(logs) => {
                find(disk, logs, &root.log).map_err(|why| format!("the logs in {}: {why}", logs.display()))?
            }
            None => None,
        };
        let path = place.map_or_else(|| PathBuf::from(&root.log.path), |place| place.path);
        let cannot = |why: &dyn fmt::Display| format!("the log {}: {why}", path.display());
        let mut reader = match LogReader::look(disk, &path, root.log.log).map_err(|error| cannot(&error))? {
            NamedLog::Log(reader) => reader,
            NamedLog::Alive => return Err(cannot(&"its owner is still there")),
            NamedLog::Released if root.log.origin > 0 => {
                return Err(cannot(&"it has gone on without this file, which is of another moment"))
            }
            NamedLog::Released => return Ok(Later::default()),
            NamedLog::Absent(_) if root.log.early => return Ok(Later::default()),
            NamedLog::Absent(why) => return Err(cannot(&why)),
        };
        let mut reading = Reading {
            root,
            numbers: HashSet::new(),
            before: None,
            unfinished: Unfinished::default(),
            covered: BTreeMap::new(),
            later: Later {
                path: path.clone(),
                ..Later::default()
            },
        };
        loop {
            while let Some(group) = reader.next_group().map_err(|why| cannot(&why))? {
                for (lsn, logged) in group {
                    reading.take(lsn, logged).map_err(|why| cannot(&why))?;
                }
            }
            match reader.pass_gap().map_err(|why| cannot(&why))? {
                Some(gap) if gap.misses_nothing() => {}
                Some(gap) => reading.pass(gap),
                None => break,
            }
        }
        // Of data sets beside this one nothing is known here; recovery would leave the tail alone if one of them does
        // not name the log (T4 in `log/tail.rs`).
        for half in reader.tail().map_err(|why| cannot(&why))? {
            if half.begins_epoch() {
                // What stands in the log is of the epoch before, and all in the tree.
                reading.before = None;
            }
            for (lsn, logged) in half.records {
                reading.take(lsn, logged).map_err(|why| cannot(&why))?;
            }
        }
        let none_open = reading.unfinished.is_empty() && reading.covered.is_empty();
        if let (false, Some(directory)) = (none_open, path.parent()) {
            // Their owner may have died before it logged their end (prepared:Z1).
            for unit in units_of_log(disk, directory, root.log.log).map_err(|why| cannot(&why))? {
                reading.unit_ended(unit);
            }
        }
        reading.end().map_err(|why| cannot(&why))
    }

    /// The changes in the order of a salvage, each to be taken when its place comes.
    pub fn changes(&self) -> BTreeMap<Vec<u8>, LaterState> {
        self.changes.clone()
    }

    /// What speaks against what became of a record.
    pub fn doubt(&self, place: &[u8]) -> Option<Doubt> {
        self.doubtful.contains(place).then_some(Doubt::Gap)
    }

    /// The RBA or relative record number of a place.
    pub fn number(place: &[u8]) -> u64 {
        place.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Where a record that was found stands in that order.
    pub fn place(a: &Attributes, found: &SalvagedRecord<'_>) -> Option<Vec<u8>> {
        Some(match a.organization {
            Organization::Ksds => {
                let (offset, length) = (a.key_offset as usize, usize::from(a.key_length));
                found.bytes.get(offset..offset + length)?.to_vec()
            }
            Organization::Rrds | Organization::Vrrds => found.rrn?.to_be_bytes().to_vec(),
            _ => found.rba?.to_be_bytes().to_vec(),
        })
    }

    /// A change as a salvage hands it on; `bytes` is what it leaves there.
    pub fn found<'b>(a: &Attributes, place: &[u8], bytes: &'b [u8], doubt: Option<Doubt>) -> SalvagedRecord<'b> {
        let number = Later::number(place);
        let (rba, rrn) = match a.organization {
            Organization::Ksds => (None, None),
            Organization::Rrds | Organization::Vrrds => (None, u32::try_from(number).ok()),
            _ => (Some(number), None),
        };
        SalvagedRecord { bytes, rba, rrn, doubt }
    }
}

impl LaterState {
    /// What there is now; `before`: the bytes that are on the volume, none if they are not, zeros where none were ever.
    pub fn made_of(self, before: Option<&[u8]>) -> Option<Vec<u8>> {
        match self {
            LaterState::Is(bytes) => Some(bytes),
            LaterState::Gone => None,
            LaterState::Over(pieces) => {
                let mut bytes = before?.to_vec();
                for (at, piece) in pieces {
                    bytes.get_mut(at..at + piece.len())?.copy_from_slice(&piece);
                }
                Some(bytes)
            }
        }
    }
}

struct Reading<'r> {
    root: &'r Root,
    /// The numbers of this data set in the log.
    numbers: HashSet<u32>,
    /// A gap that is none if what stands behind it is in the tree.
    before: Option<Gap>,
    unfinished: Unfinished,
    /// Places that units have changed once more, by unit: what takes that back is with an earlier change (unit:U10),
    /// and that change may be in a gap.
    covered: BTreeMap<u64, BTreeSet<Vec<u8>>>,
    later: Later,
}

impl Reading<'_> {
    fn pass(&mut self, gap: Gap) {
        match (gap.after, &self.before) {
            (None, _) => self.before = Some(gap),
            (Some(_), None) => self.miss(gap),
            // What is there may all be of before.
            (Some(_), Some(_)) => {}
        }
    }

    fn miss(&mut self, gap: Gap) {
        self.later.gaps.push(gap);
        self.later.doubtful = self.later.changes.keys().cloned().collect();
    }

    fn take(&mut self, lsn: u64, logged: Logged) -> Result<(), String> {
        match logged {
            Logged::DataSet {
                number,
                cluster,
                committed,
                ..
            } => {
                let is_ours = cluster == self.root.cluster;
                let is_first = self.before.is_none() && self.later.gaps.is_empty() && !self.numbers.contains(&number);
                if is_ours && is_first && committed > self.root.log.lsn {
                    return Err(format!(
                        "it has the requests after {committed}, and the root those up to {}: what is between them is lost",
                        self.root.log.lsn
                    ));
                }
                if is_ours {
                    self.numbers.insert(number)
                } else {
                    self.numbers.remove(&number)
                };
                Ok(())
            }
            Logged::Unit(parts) => self.lay_all(lsn, parts),
            Logged::Recoverable { change, redo, undo } => {
                if undo.is_empty() {
                    let places = self.places(&redo);
                    self.covered.entry(change.0).or_default().extend(places);
                }
                self.unfinished.changed(lsn, change, undo);
                self.lay_all(lsn, redo)
            }
            Logged::TakenBack { change, redo } => {
                self.unfinished.taken_back(change);
                let places = self.places(&redo);
                if let Some(covered) = self.covered.get_mut(&change.0) {
                    covered.retain(|place| !places.contains(place));
                }
                self.lay_all(lsn, redo)
            }
            Logged::UnitEnd(unit) => {
                self.unit_ended(unit);
                Ok(())
            }
            Logged::Carried { change, lsn, undo } => {
                self.unfinished.changed(lsn, change, undo);
                Ok(())
            }
            Logged::Leaving(_) => Ok(()),
            request => self.lay_all(lsn, vec![request]),
        }
    }

    fn lay_all(&mut self, lsn: u64, requests: Vec<Logged>) -> Result<(), String> {
        if lsn <= self.root.log.lsn {
            return Ok(());
        }
        for request in requests {
            if !self.is_ours(&request) {
                continue;
            }
            if let Some(gap) = self.before.take() {
                self.miss(gap);
            }
            self.lay(request)?;
        }
        Ok(())
    }

    fn is_ours(&self, request: &Logged) -> bool {
        request.number().is_some_and(|number| self.numbers.contains(&number))
    }

    fn unit_ended(&mut self, unit: u64) {
        self.unfinished.ended(unit);
        self.covered.remove(&unit);
    }

    /// Where requests of this data set belong.
    fn places(&self, requests: &[Logged]) -> Vec<Vec<u8>> {
        let a = &self.root.attributes;
        let ours = requests.iter().filter(|request| self.is_ours(request));
        ours.filter_map(|request| place_and_change(a, request).ok())
            .map(|(place, _)| place)
            .collect()
    }

    fn end(mut self) -> Result<Later, String> {
        self.covered.retain(|_, places| !places.is_empty());
        if !self.covered.is_empty() || !self.unfinished.is_empty() {
            // The tree has what is behind it, and what an open unit had done before may be in it.
            if let Some(gap) = self.before.take() {
                self.miss(gap);
            }
        }
        if !self.later.gaps.is_empty() {
            let covered = std::mem::take(&mut self.covered);
            self.later.doubtful.extend(covered.into_values().flatten());
        }
        let back = std::mem::take(&mut self.unfinished).newest_first();
        for request in back.into_iter().flat_map(|(_, requests)| requests) {
            if !self.is_ours(&request) {
                continue;
            }
            let place = self.lay(request)?;
            if !self.later.gaps.is_empty() {
                self.later.doubtful.insert(place);
            }
        }
        Ok(self.later)
    }

    /// Where it belongs.
    fn lay(&mut self, request: Logged) -> Result<Vec<u8>, String> {
        let a = &self.root.attributes;
        let (place, change) = place_and_change(a, &request)?;
        self.later.requests += 1;
        self.later.added += match request {
            Logged::Insert(..) => 1,
            Logged::Erase(..) => -1,
            _ => 0,
        };
        if let (Organization::Lds, LaterState::Is(bytes)) = (a.organization, &change) {
            return Ok(self.lay_over(&place, bytes));
        }
        self.later.doubtful.remove(&place);
        self.later.changes.insert(place.clone(), change);
        Ok(place)
    }

    /// Bytes written into a CI of a linear data set. They say nothing of its others.
    fn lay_over(&mut self, place: &[u8], bytes: &[u8]) -> Vec<u8> {
        let rba = Later::number(place);
        let size = u64::from(self.root.attributes.ci_size);
        let (begin, at) = (rba - rba % size, (rba % size) as usize);
        let changes = &mut self.later.changes;
        let whole = || LaterState::Over(Vec::new());
        let ci = begin.to_be_bytes().to_vec();
        match changes.entry(ci.clone()).or_insert_with(whole) {
            LaterState::Over(pieces) => pieces.push((at, bytes.to_vec())),
            other => *other = LaterState::Over(vec![(at, bytes.to_vec())]),
        }
        if !self.later.gaps.is_empty() {
            self.later.doubtful.insert(ci.clone());
        }
        ci
    }
}

/// Where a logged request belongs, and what it leaves there.
fn place_and_change(a: &Attributes, request: &Logged) -> Result<(Vec<u8>, LaterState), String> {
    match request {
        Logged::Insert(_, bytes) | Logged::Update(_, bytes) => {
            split(a, bytes).map(|(place, record)| (place, LaterState::Is(record)))
        }
        Logged::Erase(_, key) if a.organization == Organization::Ksds => Ok((key.to_vec(), LaterState::Gone)),
        Logged::Erase(_, bytes) => split(a, bytes).map(|(place, _)| (place, LaterState::Gone)),
        _ => Err("it adds pointers to an alternate index; build that again from its base".into()),
    }
}

/// Place and record of a logged request.
fn split(a: &Attributes, bytes: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let short = || "a request in it is too short for its record's place".to_string();
    let length = match a.organization {
        Organization::Ksds => {
            let (offset, length) = (a.key_offset as usize, usize::from(a.key_length));
            let place = bytes.get(offset..offset + length).ok_or_else(short)?;
            return Ok((place.to_vec(), bytes.to_vec()));
        }
        Organization::Rrds | Organization::Vrrds => 4,
        _ => 8,
    };
    let (place, record) = bytes.split_at_checked(length).ok_or_else(short)?;
    Ok((place.to_vec(), record.to_vec()))
}
