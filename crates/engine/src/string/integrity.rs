//! Reads that show only what is committed, and that wait for records of others until they are; and gets for update.
//!
//! A read is made as any other, and what it found is believed if nobody else has the record and no unit has ended
//! meanwhile. Else the string waits for the record in the lock table, goes back to where it stood, and reads again.
//!
//! * R1. What a read returns was committed at a moment between its begin and its end. When the page had been read, no
//!   unit of another owner kept the record, or had erased one that would have come before it; and none had ended since
//!   the read began, which may have freed what it had changed, and changed again or taken back, since it was read.
//! * R2. A read that is refused leaves the string where the same request, made again, means the same record. A skip may
//!   name any record that it might have named before.
//! * R3. Through a path it is the base record that is committed. Records that an open unit has erased, or whose
//!   alternate key it has changed, are found as the alternate index has them now.
//! * R4. "Not found" of a get for update by a whole key or a number means that no unit of another had erased the record
//!   when it was looked for: none has now, and none has ended since. Other gets for update pass over such a record.

use super::{AnyString, Str};
use crate::error::RequestError;
use crate::locks::{Holds, LockMode, Patience, ReadIntegrity};
use crate::open::OpenDataSet;
use crate::request::{Argument, Intent, Record, Search};
use std::ops::Bound;
use std::sync::Arc;

/// What a string that reads so knows.
pub(super) struct Integrity {
    how: ReadIntegrity,
    stands: Stands,
    /// Its last read was refused: the next step begins where it stands, whatever the string's position says.
    refused: bool,
    /// What a skip went on from before it was refused, through a path an alternate key; empty: it was nothing.
    stood: Vec<u8>,
    /// Name of the record that was read.
    found: Vec<u8>,
}

/// Where a string stands, by the names of the lock table.
#[derive(Clone)]
enum Stands {
    /// Before the first record.
    First,
    /// Behind the last record.
    Last,
    /// Where it was when it was told to look: the string's position alone knows it.
    Somewhere,
    /// Pointed to this one, which may be generic and is not passed yet.
    At(Vec<u8>),
    /// On this one.
    On(Vec<u8>),
}

/// A read.
#[derive(Clone, Copy)]
pub(super) enum ReadStep<'a> {
    Get(Argument<'a>, Search),
    Skip(Argument<'a>, Search),
    Next,
    Prev,
}

/// What keeps a read from being believed.
enum Obstacle {
    None,
    /// Another has this record.
    Record(Vec<u8>),
    /// A unit ended meanwhile.
    Ended,
}

/// Names between two.
type Passed = (Bound<Vec<u8>>, Bound<Vec<u8>>);

impl Str {
    /// What its reads do about records that other owners have. How long they wait,
    /// [`set_patience`](Self::set_patience) says; a string without patience is refused (8/20). Gets for update hold
    /// their record and need none of it.
    pub fn set_integrity(&mut self, integrity: ReadIntegrity) {
        if let AnyString::Far(string) = &mut self.of {
            return string.set_integrity(integrity);
        }
        match &mut self.integrity {
            // It goes on writing down where it stands.
            Some(known) => known.how = integrity,
            None if integrity == ReadIntegrity::None => {}
            None => {
                let stands = self.stands_now();
                self.is_watched = true;
                self.integrity = Some(Box::new(Integrity {
                    how: integrity,
                    stands,
                    refused: false,
                    stood: Vec::new(),
                    found: Vec::new(),
                }));
            }
        }
    }

    /// Does something in which its reads take records as they are: to go back to a record that it has shown already.
    pub fn without_integrity<T>(&mut self, act: impl FnOnce(&mut Str) -> T) -> T {
        let how = match &self.of {
            AnyString::Far(string) => string.integrity(),
            _ => (self.integrity.as_ref()).map_or(ReadIntegrity::None, |integrity| integrity.how),
        };
        if how == ReadIntegrity::None {
            return act(self);
        }
        self.set_integrity(ReadIntegrity::None);
        let done = act(self);
        self.set_integrity(how);
        done
    }

    /// Where it stands, as its position has it.
    fn stands_now(&mut self) -> Stands {
        if self.is_at_start() {
            return Stands::First;
        }
        let mut name = Vec::new();
        let is_on = match &mut self.of {
            AnyString::Ksds(string) => string.is_on(),
            AnyString::Vrrds(string) => string.is_on(),
            AnyString::Esds(string) => string.is_on(),
            AnyString::Rrds(string) => string.is_on(),
            AnyString::Lds(_) | AnyString::Path(_) | AnyString::Far(_) => return Stands::Somewhere,
        };
        self.goes_on_from(&mut name);
        match (name.is_empty(), is_on) {
            (true, _) => Stands::Somewhere,
            (false, true) => Stands::On(name),
            (false, false) => Stands::At(name),
        }
    }

    /// Nothing was asked of it yet.
    fn is_at_start(&self) -> bool {
        match &self.of {
            AnyString::Ksds(string) => string.is_at_start(),
            AnyString::Vrrds(string) => string.is_at_start(),
            AnyString::Esds(string) => string.is_at_start(),
            AnyString::Rrds(string) => string.is_at_start(),
            AnyString::Lds(string) => string.is_at_start(),
            AnyString::Path(_) | AnyString::Far(_) => true,
        }
    }

    /// A get for update, or a read of a string with integrity. A string with patience waits for what refuses it.
    pub(super) fn carefully(&mut self, step: ReadStep<'_>, intent: Intent) -> Result<(), RequestError> {
        match (intent, self.patience) {
            (Intent::Update, Patience::None) => self.once(step, intent),
            (Intent::Update, _) => self.patiently(|s| s.once(step, intent)),
            _ => self.once(step, intent),
        }
    }

    fn once(&mut self, step: ReadStep<'_>, intent: Intent) -> Result<(), RequestError> {
        let Some(mut integrity) = self.integrity.take() else {
            return match intent {
                Intent::Update => self.for_update(step),
                _ => self.read_now(step, intent),
            };
        };
        if !integrity.refused {
            self.note_position(&mut integrity);
        }
        let done = match self.base_set() {
            _ if integrity.how == ReadIntegrity::None && !integrity.refused => match intent {
                Intent::Update => self.for_update(step),
                _ => self.read_now(step, intent),
            }
            .map(|()| self.name_last(&mut integrity.found)),
            Some(inner) => self.read_committed(step, intent, &mut integrity, &inner.common().holds),
            None => Err(RequestError::NoPosition),
        };
        match (&done, step) {
            (Ok(()), _) => integrity.stands = Stands::On(integrity.found.clone()),
            // It is past the last one, and the next step the other way finds that again.
            (Err(RequestError::EndOfData), ReadStep::Next) => integrity.stands = Stands::Last,
            (Err(RequestError::EndOfData), ReadStep::Prev) => integrity.stands = Stands::First,
            _ => {}
        }
        integrity.refused = match &done {
            Err(RequestError::Exclusive { .. } | RequestError::Retained { .. }) => true,
            Err(RequestError::LockTimeout { .. } | RequestError::Deadlock { .. }) => true,
            // These move the string; what is refused for another reason leaves it where it was.
            Ok(()) | Err(RequestError::NotFound | RequestError::EndOfData | RequestError::BadRba { .. }) => false,
            Err(_) => integrity.refused,
        };
        self.integrity = Some(integrity);
        done
    }

    /// A get for update.
    fn for_update(&mut self, step: ReadStep<'_>) -> Result<(), RequestError> {
        loop {
            let seen = self.inner.as_ref().map(|inner| inner.common().holds.ends());
            let done = self.read_now(step, Intent::Update);
            if self.is_believed(step, &done, seen)? {
                return done;
            }
        }
    }

    /// What a get for update came to, when so many units had ended before it. A record that an open unit of another has
    /// erased may come back: it is not "not found" (R4). False: such a unit may have ended since.
    fn is_believed(
        &self,
        step: ReadStep<'_>,
        done: &Result<(), RequestError>,
        seen: Option<u64>,
    ) -> Result<bool, RequestError> {
        let (Err(RequestError::NotFound), ReadStep::Get(argument, Search::Equal)) = (done, step) else {
            return Ok(true);
        };
        let (Some(name), Some(inner)) = (self.name_of(argument), self.inner.as_ref()) else {
            return Ok(true);
        };
        let holds = &inner.common().holds;
        let named = (Bound::Included(name.clone()), Bound::Included(self.filled(&name)));
        match holds.erased_between(named, false, self.lock_number()) {
            Some(name) => Err(holds.refused(&name, self.lock_number())),
            None => Ok(seen == Some(holds.ends())),
        }
    }

    /// R1.
    fn read_committed(
        &mut self,
        step: ReadStep<'_>,
        intent: Intent,
        integrity: &mut Integrity,
        holds: &Holds,
    ) -> Result<(), RequestError> {
        let mut locked = None;
        let mut again = integrity.refused && !matches!(step, ReadStep::Get(..));
        if let (true, ReadStep::Skip(argument, _)) = (again, step) {
            self.check_order(argument, &integrity.stood)?;
        }
        loop {
            let seen = holds.ends();
            let done = if !again {
                self.read(step, intent, integrity)
            } else {
                self.read_again(step, intent, integrity)
            };
            if !matches!(done, Ok(()) | Err(RequestError::NotFound | RequestError::EndOfData)) {
                self.unlock_other(&mut locked);
                return done;
            }
            if integrity.how == ReadIntegrity::None {
                if intent != Intent::Update || self.is_believed(step, &done, Some(seen))? {
                    return done;
                }
                again = true;
                continue;
            }
            if let (Stands::Somewhere, Ok(())) = (&integrity.stands, &done) {
                integrity.stands = Stands::At(integrity.found.clone());
            }
            let obstacle = match self.obstacle(step, done.is_ok(), integrity, holds) {
                Obstacle::None if holds.ends() != seen => Obstacle::Ended,
                obstacle => obstacle,
            };
            match obstacle {
                Obstacle::None if done.is_err() => {
                    // What it has waited for is not there any more.
                    self.unlock_other(&mut locked);
                    return done;
                }
                Obstacle::None if self.keeps(&mut locked, integrity, holds, step)? => return done,
                // Now that nobody can change it, it is read once more.
                Obstacle::None | Obstacle::Ended => {}
                Obstacle::Record(name) if integrity.how == ReadIntegrity::Locked => {
                    self.lock_in_turn(&mut locked, name, step, integrity)?;
                }
                Obstacle::Record(name) => self.wait_for(name, step, integrity, holds)?,
            }
            again = true;
        }
    }

    /// The read as any string makes it.
    fn read(&mut self, step: ReadStep<'_>, intent: Intent, integrity: &mut Integrity) -> Result<(), RequestError> {
        self.read_now(step, intent)?;
        self.name_last(&mut integrity.found);
        Ok(())
    }

    fn read_now(&mut self, step: ReadStep<'_>, intent: Intent) -> Result<(), RequestError> {
        self.bring(step)?;
        match step {
            ReadStep::Get(argument, search) => self.get_now(argument, search, intent),
            ReadStep::Skip(argument, search) => self.skip_now(argument, search, intent),
            ReadStep::Next => of_any!(self, next(intent)),
            ReadStep::Prev => of_any!(self, prev(intent)),
        }
        .map(drop)
    }

    /// The read once more, from where the string stood before it.
    fn read_again(
        &mut self,
        step: ReadStep<'_>,
        intent: Intent,
        integrity: &mut Integrity,
    ) -> Result<(), RequestError> {
        match step {
            ReadStep::Get(..) => self.read(step, intent, integrity),
            // From a position behind it a skip would be refused.
            ReadStep::Skip(argument, search) => {
                let intent = if intent == Intent::Read {
                    Intent::Position
                } else {
                    intent
                };
                self.read(ReadStep::Get(argument, search), intent, integrity)
            }
            ReadStep::Next | ReadStep::Prev if self.is_path() => {
                self.stay();
                self.read(step, intent, integrity)
            }
            ReadStep::Next | ReadStep::Prev => {
                self.go_back(step, &integrity.stands)?;
                self.read(step, intent, integrity)?;
                match &integrity.stands {
                    Stands::On(last) if *last == integrity.found => self.read(step, intent, integrity),
                    _ => Ok(()),
                }
            }
        }
    }

    /// The step returns the first record from there on, that one too.
    fn go_back(&mut self, step: ReadStep<'_>, to: &Stands) -> Result<(), RequestError> {
        let backward = matches!(step, ReadStep::Prev);
        let at = match to {
            Stands::First => return self.point_end_now(false),
            Stands::Last => return self.point_end_now(true),
            // It was refused before it had moved, or is at an end, where it stays.
            Stands::Somewhere => return Ok(()),
            Stands::At(at) | Stands::On(at) => at,
        };
        if backward {
            // The last one that begins with a generic key.
            let at = self.filled(at);
            match self.point_now(self.argument(&at), Search::Equal, true) {
                Err(RequestError::NotFound) => {}
                done => return done,
            }
        }
        match self.point_now(self.argument(at), Search::GreaterOrEqual, false) {
            // There is none from there on.
            Err(RequestError::NotFound) => self.point_end_now(true),
            done => done,
        }
    }

    /// Waits until a record is nobody else's.
    fn wait_for(
        &mut self,
        name: Vec<u8>,
        step: ReadStep<'_>,
        integrity: &mut Integrity,
        holds: &Holds,
    ) -> Result<(), RequestError> {
        let waited = holds
            .table()
            .wait_to_read((holds.set(), &name), self.lock_number(), self.patience);
        if waited.is_err() {
            self.stands_before(name, step, integrity);
        }
        waited
    }

    /// Notes what a skip goes on from.
    fn note_position(&mut self, integrity: &mut Integrity) {
        let mut stood = std::mem::take(&mut integrity.stood);
        stood.clear();
        self.goes_on_from(&mut stood);
        integrity.stood = stood;
    }

    /// What it goes on from, by its name; nothing: it is at no record.
    fn goes_on_from(&mut self, stood: &mut Vec<u8>) {
        let number = match &mut self.of {
            AnyString::Path(string) => return stood.extend_from_slice(string.goes_on_from()),
            AnyString::Ksds(string) => return stood.extend_from_slice(string.goes_on_from()),
            AnyString::Vrrds(string) => return stood.extend_from_slice(string.goes_on_from()),
            AnyString::Esds(string) => string.goes_on_from(),
            AnyString::Rrds(string) => string.goes_on_from(),
            AnyString::Lds(string) => string.goes_on_from(),
            AnyString::Far(_) => None,
        };
        stood.extend(number.into_iter().flat_map(u64::to_be_bytes));
    }

    /// Whether a skip lies before what it goes on from.
    fn check_order(&self, argument: Argument<'_>, from: &[u8]) -> Result<(), RequestError> {
        let key = match argument {
            Argument::Key(key) => key.to_vec(),
            argument => self.name_of(argument).unwrap_or_default(),
        };
        if key[..] < from[..key.len().min(from.len())] {
            return Err(RequestError::Sequence { key });
        }
        Ok(())
    }

    /// R2.
    fn stands_before(&mut self, name: Vec<u8>, step: ReadStep<'_>, integrity: &mut Integrity) {
        // What it holds is not what it may have.
        self.give_up_hold();
        match step {
            ReadStep::Get(..) | ReadStep::Skip(..) => {}
            ReadStep::Next | ReadStep::Prev if self.is_path() => self.stay(),
            ReadStep::Next | ReadStep::Prev => integrity.stands = Stands::At(name),
        }
    }

    /// Locks what was read, where that is asked for; `before`: what this read has locked, and whether it had it already. True: nobody has
    /// changed it since it was read.
    fn keeps(
        &mut self,
        before: &mut Option<(Vec<u8>, bool)>,
        integrity: &mut Integrity,
        holds: &Holds,
        step: ReadStep<'_>,
    ) -> Result<bool, RequestError> {
        let mode = match integrity.how {
            ReadIntegrity::None | ReadIntegrity::Consistent => return Ok(true),
            ReadIntegrity::Repeatable => LockMode::Shared,
            ReadIntegrity::Locked => LockMode::Exclusive,
        };
        if before.as_ref().is_some_and(|(name, _)| *name == integrity.found) {
            return Ok(true);
        }
        self.unlock_other(before);
        let name = integrity.found.clone();
        let had = holds.table().has_locked(holds.set(), &name, self.lock_number());
        if let Err(refused) = self.lock(&name, mode, self.patience) {
            self.stands_before(name, step, integrity);
            return Err(refused);
        }
        if had && mode == LockMode::Shared {
            return Ok(true);
        }
        *before = Some((name, had));
        Ok(false)
    }

    /// Locks a record that another has, in its turn: who only looked in his turn would have to be the first to lock it
    /// afterwards.
    fn lock_in_turn(
        &mut self,
        before: &mut Option<(Vec<u8>, bool)>,
        name: Vec<u8>,
        step: ReadStep<'_>,
        integrity: &mut Integrity,
    ) -> Result<(), RequestError> {
        self.unlock_other(before);
        if let Err(refused) = self.lock(&name, LockMode::Exclusive, self.patience) {
            self.stands_before(name, step, integrity);
            return Err(refused);
        }
        // It was another's, and so not had before.
        *before = Some((name, false));
        Ok(())
    }

    /// What this read has locked before is gone, or not the next one any more. What was locked already stays so.
    fn unlock_other(&mut self, before: &mut Option<(Vec<u8>, bool)>) {
        if let Some((other, false)) = before.take() {
            self.unlock(&other);
        }
    }

    fn give_up_hold(&mut self) {
        if self.holds() {
            self.end();
        }
    }

    fn obstacle(&self, step: ReadStep<'_>, found: bool, integrity: &Integrity, holds: &Holds) -> Obstacle {
        let owner = self.lock_number();
        let here = integrity.found.as_slice();
        let erased = match self.passed(step, found, integrity) {
            Some(passed) => holds.erased_between(passed, matches!(step, ReadStep::Prev), owner),
            None => None,
        };
        match erased {
            // It comes before what was found.
            Some(name) => Obstacle::Record(name.into()),
            None if found && holds.is_anothers(here, owner) => Obstacle::Record(here.to_vec()),
            None => Obstacle::None,
        }
    }

    /// Names among which a read has found nothing but what it found.
    fn passed(&self, step: ReadStep<'_>, found: bool, integrity: &Integrity) -> Option<Passed> {
        let here = || {
            if found {
                Bound::Excluded(integrity.found.clone())
            } else {
                Bound::Unbounded
            }
        };
        Some(match step {
            _ if self.is_path() => return None,
            ReadStep::Next if matches!(integrity.stands, Stands::Last | Stands::Somewhere) => return None,
            ReadStep::Prev if matches!(integrity.stands, Stands::First | Stands::Somewhere) => return None,
            ReadStep::Get(argument, search) | ReadStep::Skip(argument, search) => {
                let wanted = self.name_of(argument)?;
                let to = match (found, search) {
                    (false, Search::Equal) => Bound::Included(self.filled(&wanted)),
                    _ => here(),
                };
                (Bound::Included(wanted), to)
            }
            ReadStep::Next => match &integrity.stands {
                Stands::First | Stands::Last | Stands::Somewhere => (Bound::Unbounded, here()),
                Stands::At(at) => (Bound::Included(at.clone()), here()),
                Stands::On(on) => (Bound::Excluded(on.clone()), here()),
            },
            ReadStep::Prev => match &integrity.stands {
                Stands::First | Stands::Last | Stands::Somewhere => (here(), Bound::Unbounded),
                Stands::At(at) => (here(), Bound::Included(self.filled(at))),
                Stands::On(on) => (here(), Bound::Excluded(on.clone())),
            },
        })
    }

    // ---- where it stands ----

    /// POINT.
    #[inline]
    pub(super) fn stands_at(&mut self, argument: Argument<'_>) {
        if self.integrity.is_some() {
            let name = self.name_of(argument);
            self.stands(name.map_or(Stands::First, Stands::At));
        }
    }

    /// It stands on a record that it has shown.
    pub(super) fn stands_on_named(&mut self, argument: Argument<'_>) {
        if self.integrity.is_some() {
            let name = self.name_of(argument);
            self.stands(name.map_or(Stands::First, Stands::On));
        }
    }

    /// POINT to an end.
    #[inline]
    pub(super) fn stands_at_end(&mut self, last: bool) {
        self.stands(if last { Stands::Last } else { Stands::First });
    }

    /// PUT insert.
    #[inline]
    pub(super) fn stands_on_stored(&mut self, bytes: &[u8], number: u64) {
        if self.integrity.is_some() {
            let rrn = u32::try_from(number).unwrap_or(u32::MAX);
            let mut name = Vec::new();
            let rba = number;
            self.name(&Record { bytes, rba, rrn }, &mut name);
            self.stands(Stands::On(name));
        }
    }

    fn stands(&mut self, stands: Stands) {
        if let Some(integrity) = &mut self.integrity {
            (integrity.stands, integrity.refused) = (stands, false);
        }
    }

    // ---- names of the lock table ----

    fn name_last(&self, to: &mut Vec<u8>) {
        self.name(&self.base_str().last(), to);
    }

    fn name(&self, record: &Record<'_>, to: &mut Vec<u8>) {
        to.clear();
        match &self.base_str().of {
            AnyString::Ksds(string) => {
                let (offset, length) = string.key_place();
                to.extend_from_slice(record.bytes.get(offset..offset + length).unwrap_or_default());
            }
            AnyString::Vrrds(_) => to.extend_from_slice(&record.rrn.to_be_bytes()),
            AnyString::Rrds(_) => to.extend_from_slice(&u64::from(record.rrn).to_be_bytes()),
            _ => to.extend_from_slice(&record.rba.to_be_bytes()),
        }
    }

    /// The name that a request means; none where it has another one.
    fn name_of(&self, argument: Argument<'_>) -> Option<Vec<u8>> {
        match (&self.of, argument) {
            (AnyString::Ksds(_), Argument::Key(key)) => Some(key.to_vec()),
            (AnyString::Vrrds(_), Argument::Key(key)) => Some(key.to_vec()),
            (AnyString::Vrrds(_), Argument::Rrn(rrn)) => Some(rrn.to_be_bytes().to_vec()),
            (AnyString::Rrds(_), Argument::Rrn(rrn)) => Some(u64::from(rrn).to_be_bytes().to_vec()),
            (AnyString::Esds(_), Argument::Rba(rba)) => Some(rba.to_be_bytes().to_vec()),
            _ => None,
        }
    }

    /// What a request calls the record with a name.
    fn argument<'n>(&self, name: &'n [u8]) -> Argument<'n> {
        let number = name.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        match &self.of {
            AnyString::Vrrds(_) | AnyString::Rrds(_) => Argument::Rrn(u32::try_from(number).unwrap_or(u32::MAX)),
            AnyString::Esds(_) | AnyString::Lds(_) => Argument::Rba(number),
            _ => Argument::Key(name),
        }
    }

    /// The greatest name that begins so.
    fn filled(&self, name: &[u8]) -> Vec<u8> {
        let length = match &self.of {
            AnyString::Ksds(string) => string.key_place().1,
            _ => name.len(),
        };
        let mut filled = name.to_vec();
        filled.resize(length.max(name.len()), 0xFF);
        filled
    }

    fn is_path(&self) -> bool {
        matches!(self.of, AnyString::Path(_))
    }

    fn base_str(&self) -> &Str {
        match &self.of {
            AnyString::Path(string) => string.base_ref(),
            _ => self,
        }
    }

    /// The data set that its records are of.
    fn base_set(&self) -> Option<Arc<OpenDataSet>> {
        self.base_str().inner.clone()
    }
}
