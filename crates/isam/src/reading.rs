//! isread and isstart.

use crate::error::{Refused, EENDFILE, ENOCURR, ENOREC, ENOTOPEN};
use crate::file::{Current, IsamFile, Still, Way};
use crate::key::{behind, Key};
use crate::mode::{Reading, Start, Which};
use cica::{Intent, RequestError, Search, Str};
use cica_engine::{Patience, ReadIntegrity};
use cica_session::Session;

/// Why no record was read.
pub enum Unread {
    /// Somebody has the record of this prime key, and may give it back.
    Busy(Vec<u8>, Refused),
    /// Anything else.
    Refused(Refused),
}

/// Where a file stands (the table of `file`).
pub struct Place {
    key: Key,
    current: Current,
    /// The record that is read next, where isstart has said so.
    next: Option<Vec<u8>>,
}

impl From<RequestError> for Unread {
    fn from(error: RequestError) -> Unread {
        match &error {
            RequestError::Exclusive { key, .. } | RequestError::LockTimeout { key, .. } => {
                Unread::Busy(key.clone(), error.into())
            }
            _ => Unread::Refused(error.into()),
        }
    }
}

impl From<Refused> for Unread {
    fn from(refused: Refused) -> Unread {
        Unread::Refused(refused)
    }
}

impl IsamFile {
    /// Reads a record; gives it as it is stored. `record` is the program's area, whose key is looked for. A record that
    /// is to be locked is waited for with this patience.
    ///
    /// # Errors
    /// EENDFILE, ENOREC, ENOCURR; the table of `file` says where the file stands then. ELOCKED: the same record is the next
    /// to be read; after ISEQUAL of one that somebody has erased it is the next that is there.
    pub fn read(&mut self, record: &[u8], how: Reading, patience: Patience) -> Result<&[u8], Unread> {
        if !self.mode.reads {
            let words = "the file is open for output alone";
            return Err(Refused::because(ENOTOPEN, words).into());
        }
        if self.mode.locks_reads {
            self.unlock_all();
        }
        let locks = how.lock || self.mode.locks_reads;
        let stored = loop {
            let found = if locks {
                self.found_or_met(record, how.which, patience)?
            } else {
                self.found(record, how.which, false)?
            };
            if !locks {
                break found;
            }
            match self.locked(&found, how.which, patience) {
                Ok(Some(locked)) => break locked,
                // What was found is not there any more. The reader stands on it, and looks again from there.
                Ok(None) => {}
                Err(unread) => {
                    self.stand_by_found(&found, how.which)?;
                    return Err(unread);
                }
            }
        };
        self.reader.current = Current::Record(stored);
        match &self.reader.current {
            Current::Record(stored) => Ok(stored),
            _ => Err(Refused::new(ENOCURR).into()),
        }
    }

    /// The record that is meant, where it is to be locked. One that somebody else has is waited for with this patience,
    /// one too that he has erased and may bring back; by another key than the prime one that is not met.
    fn found_or_met(&mut self, record: &[u8], which: Which, patience: Patience) -> Result<Vec<u8>, Unread> {
        let mut found = self.found(record, which, true);
        loop {
            let (prime, refused) = match found {
                Err(Unread::Busy(prime, refused)) => (prime, refused),
                done => return done,
            };
            // What is this file's own the reader does not know.
            let is_own = self.has(&prime);
            if !is_own {
                if patience == Patience::None {
                    return Err(Unread::Busy(prime, refused));
                }
                // Who locks is who waits: so a circle is found.
                self.lock(prime.clone(), patience)?;
            }
            found = if self.reader.key > 0 {
                self.found(record, which, false)
            } else {
                self.met(&prime, which)
            };
            if !is_own && !matches!(&found, Ok(found) if self.layout.key_of(0, found) == prime) {
                self.give_up([&prime, &prime]);
            }
            if self.reader.key > 0 {
                return found;
            }
        }
    }

    /// The record of this prime key, which was in the way and is this file's now; where it is not there any more, what
    /// is read in its place.
    fn met(&mut self, prime: &[u8], which: Which) -> Result<Vec<u8>, Unread> {
        self.reader.still = None;
        let there = self
            .work()
            .get(prime, Search::Equal, Intent::Read)
            .map(|there| there.bytes.to_vec());
        match there {
            Ok(there) if self.is_again(which) => return Ok(there),
            Ok(there) => {
                self.reader.string.without_integrity(|string| {
                    string.point(prime, Search::Equal)?;
                    string.next(Intent::Read).map(drop)
                })?;
                return Ok(there);
            }
            Err(RequestError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        let (next, end) = match which {
            Which::Equal => (None, ENOREC),
            Which::Current if self.is_again(which) => (None, ENOREC),
            Which::Previous | Which::Last => (Some(Way::Backward), EENDFILE),
            Which::Greater | Which::GreaterOrEqual => (Some(Way::Forward), ENOREC),
            Which::Next | Which::First | Which::Current => (Some(Way::Forward), EENDFILE),
        };
        let beside = match next {
            None => Err(Refused::new(ENOREC).into()),
            Some(Way::Forward) => self.meeting(|file| file.above(prime)),
            Some(Way::Backward) => self.below(prime),
        };
        beside.map_err(|unread| match unread {
            Unread::Refused(refused) if refused.number == ENOREC || refused.number == EENDFILE => {
                self.reader.current = Current::None;
                Refused::new(end).into()
            }
            unread => unread,
        })
    }

    /// The record above one that is not there.
    fn above(&mut self, prime: &[u8]) -> Result<Vec<u8>, Unread> {
        let above = behind(prime).ok_or_else(|| Refused::new(EENDFILE))?;
        self.point(&above, Search::GreaterOrEqual, true)?;
        self.step(Way::Forward)
    }

    /// The record below one that is not there. From there no step down can be told not to meet it again, so what others
    /// have erased below it is not met either.
    fn below(&mut self, prime: &[u8]) -> Result<Vec<u8>, Unread> {
        let string = &mut self.reader.string;
        match string.point(prime, Search::GreaterOrEqual) {
            Err(RequestError::NotFound) => string.point_last()?,
            done => done?,
        }
        self.step(Way::Backward)
    }

    /// What others have not committed refuses what is read.
    fn meeting<T>(&mut self, read: impl FnOnce(&mut IsamFile) -> Result<T, Unread>) -> Result<T, Unread> {
        self.reader.string.set_integrity(ReadIntegrity::Consistent);
        let done = read(self);
        // What goes back to a record that it has shown takes it as it is.
        self.reader.string.set_integrity(ReadIntegrity::None);
        done
    }

    /// The record that is meant, as it is stored. Where there is none, there is no current record any more. `meets`:
    /// what others have not committed refuses it.
    fn found(&mut self, record: &[u8], which: Which, meets: bool) -> Result<Vec<u8>, Unread> {
        let found = if meets {
            self.meeting(|file| file.find(record, which, true))
        } else {
            self.find(record, which, false)
        };
        if let Err(Unread::Refused(refused)) = &found {
            if refused.number == EENDFILE || refused.number == ENOREC {
                self.reader.current = Current::None;
            }
        }
        found
    }

    fn find(&mut self, record: &[u8], which: Which, meets: bool) -> Result<Vec<u8>, Unread> {
        let key = match which {
            Which::Equal | Which::Greater | Which::GreaterOrEqual => self.layout.asked(self.reader.key, record),
            Which::Next => return self.step(Way::Forward),
            Which::Previous => return self.step(Way::Backward),
            Which::Current => return self.current(meets),
            Which::First | Which::Last => Vec::new(),
        };
        self.reader.still = None;
        let string = &mut self.reader.string;
        match which {
            Which::First => string.point_first().map_err(no_records)?,
            Which::Last => {
                string.point_last().map_err(no_records)?;
                return self.step(Way::Backward);
            }
            Which::Greater => {
                let above = behind(&key).ok_or_else(|| Refused::new(ENOREC))?;
                self.point(&above, Search::GreaterOrEqual, meets)?;
            }
            Which::GreaterOrEqual => self.point(&key, Search::GreaterOrEqual, meets)?,
            _ => return self.equal(&key, meets),
        }
        self.step(Way::Forward)
    }

    /// To a record by its key. A position is none of a record that somebody has erased; a read meets it (`meets`).
    fn point(&mut self, key: &[u8], search: Search, meets: bool) -> Result<(), Unread> {
        let string = &mut self.reader.string;
        match string.point(key, search) {
            Err(RequestError::NotFound) if meets => {
                let met = string.get(key, search, Intent::Read).map(drop);
                // Refused, it stands where the record would be: before the next one, or at the end.
                let pointed = match string.point(key, Search::GreaterOrEqual) {
                    Err(RequestError::NotFound) => string.stand_on(key),
                    done => done,
                };
                met?;
                Ok(pointed?)
            }
            done => Ok(done?),
        }
    }

    /// The first record of a key.
    fn equal(&mut self, key: &[u8], meets: bool) -> Result<Vec<u8>, Unread> {
        self.point(key, Search::Equal, meets)?;
        match self.step(Way::Forward) {
            Ok(found) if self.layout.key_of(self.reader.key, &found) == key => Ok(found),
            // It went between the two.
            Ok(_) => Err(Refused::new(ENOREC).into()),
            Err(Unread::Refused(refused)) if refused.number == EENDFILE => Err(Refused::new(ENOREC).into()),
            Err(unread) => Err(unread),
        }
    }

    /// The record beside the position.
    fn step(&mut self, way: Way) -> Result<Vec<u8>, Unread> {
        let passed = self.reader.still.take().filter(|still| still.way != way);
        let string = &mut self.reader.string;
        let beside = |string: &mut Str| -> Result<Vec<u8>, RequestError> {
            let record = match way {
                Way::Forward => string.next(Intent::Read)?,
                Way::Backward => string.prev(Intent::Read)?,
            };
            Ok(record.bytes.to_vec())
        };
        let stepped = match passed {
            None => beside(string),
            // Whoever has it does not keep anybody from passing it.
            Some(still) => match string.without_integrity(beside) {
                Ok(first) if self.layout.key_of(0, &first) == still.prime => beside(string),
                done => done,
            },
        };
        stepped.map_err(|error| {
            let unread = Unread::from(error);
            if let Unread::Busy(prime, _) = &unread {
                // It is the next to be read.
                let prime = prime.clone();
                self.reader.still = Some(Still { way, prime });
            }
            unread
        })
    }

    fn current(&mut self, meets: bool) -> Result<Vec<u8>, Unread> {
        match &self.reader.current {
            Current::None => Err(Refused::new(ENOCURR).into()),
            Current::Started => self.step(Way::Forward),
            Current::Record(stored) => {
                let prime = self.layout.key_of(0, stored).to_vec();
                // It knows what is this file's own.
                let work = self.work();
                let how = if meets {
                    ReadIntegrity::Consistent
                } else {
                    ReadIntegrity::None
                };
                work.set_integrity(how);
                let read = work
                    .get(&prime, Search::Equal, Intent::Read)
                    .map(|record| record.bytes.to_vec());
                work.set_integrity(ReadIntegrity::None);
                Ok(read?)
            }
        }
    }

    /// Is it read by its prime key, whatever its other keys are now?
    fn is_again(&self, which: Which) -> bool {
        which == Which::Current && matches!(self.reader.current, Current::Record(_))
    }

    /// Locks a record that was found, and reads it again: it may have changed before it was locked. None: it went, or
    /// has another key than the one it was found by; then it is not locked.
    fn locked(&mut self, found: &[u8], which: Which, patience: Patience) -> Result<Option<Vec<u8>>, Unread> {
        let prime = self.layout.key_of(0, found).to_vec();
        let new = match self.lock(prime.clone(), patience) {
            Ok(new) => new,
            Err(error @ (RequestError::Exclusive { .. } | RequestError::LockTimeout { .. })) => {
                return Err(Unread::Busy(prime, error.into()));
            }
            Err(error) => return Err(Refused::from(error).into()),
        };
        let stored = match self.work().get(&prime, Search::Equal, Intent::Read) {
            Ok(record) => Some(record.bytes.to_vec()),
            Err(RequestError::NotFound) => None,
            Err(error) => return Err(Refused::from(error).into()),
        };
        let (again, key) = (self.is_again(which), self.reader.key);
        let same = |stored: &[u8]| again || self.layout.key_of(key, stored) == self.layout.key_of(key, found);
        let stored = stored.filter(|stored| same(stored));
        if stored.is_none() && new {
            self.give_up([&prime, &prime]);
        }
        Ok(stored)
    }

    /// What was found and could not be locked is the next to be read.
    fn stand_by_found(&mut self, found: &[u8], which: Which) -> Result<(), Refused> {
        match which {
            // The reader has not moved.
            _ if self.is_again(which) => Ok(()),
            Which::Previous | Which::Last => self.stand_by(found, Way::Backward),
            _ => self.stand_by(found, Way::Forward),
        }
    }

    /// Sets the position: `length` bytes of the key are looked for, all of it where that is 0. The first and the last
    /// are looked for by no record.
    ///
    /// # Errors
    /// ENOREC: there is no such record. Of a file without records the start and the end are there.
    pub fn start(&mut self, record: &[u8], length: usize, at: Start) -> Result<(), Refused> {
        (self.reader.current, self.reader.still) = (Current::None, None);
        let mut key = match at {
            Start::First | Start::Last => Vec::new(),
            _ => self.layout.asked(self.reader.key, record),
        };
        if length > 0 {
            key.truncate(length);
        }
        let string = &mut self.reader.string;
        match at {
            Start::First => unless_empty(string.point_first())?,
            // The next one that is read is the last.
            Start::Last => {
                unless_empty(string.point_last())?;
                match string.prev(Intent::Read).map(|last| last.bytes.to_vec()) {
                    Ok(last) => self.stand_by(&last, Way::Forward)?,
                    Err(error) => unless_empty(Err(error))?,
                }
            }
            Start::Equal => string.point(&key[..], Search::Equal)?,
            Start::GreaterOrEqual => string.point(&key[..], Search::GreaterOrEqual)?,
            Start::Greater => {
                let above = behind(&key).ok_or_else(|| Refused::new(ENOREC))?;
                point_above(string, &above)?;
            }
        }
        self.reader.current = Current::Started;
        Ok(())
    }

    /// By which key it is read, and where: for the file that is opened in its place.
    pub fn place(&mut self) -> Place {
        let next = match self.reader.current {
            Current::Started => self.step(Way::Forward).ok(),
            _ => None,
        };
        Place {
            key: self.layout.keys[self.reader.key].0.clone(),
            current: self.reader.current.clone(),
            next,
        }
    }

    /// Goes on where another file of the same records stood. Where its key is gone the prime key is read by.
    ///
    /// # Errors
    /// The index of the key cannot be opened; the device failed.
    pub fn take_place(&mut self, session: &Session, place: Place) -> Result<(), Refused> {
        self.read_by(session, self.number_of(&place.key).unwrap_or(0))?;
        match (place.current, place.next) {
            (Current::Record(stored), _) => {
                self.reader.current = Current::Record(stored);
                self.stand_on_current()
            }
            (Current::Started, Some(next)) => {
                self.reader.current = Current::Record(next.clone());
                self.stand_on_current()?;
                self.stand_by(&next, Way::Forward)?;
                self.reader.current = Current::Started;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Stands so that the record that was read last is read once more by the next step this way. A step the other way
    /// passes it. If it has gone, its neighbour is read.
    fn stand_by(&mut self, last: &[u8], way: Way) -> Result<(), Refused> {
        let (string, prime) = (&mut self.reader.string, self.layout.key_of(0, last));
        if self.reader.key > 0 {
            // Of several with one alternate key this very one is meant.
            string.stay();
            let prime = prime.to_vec();
            self.reader.still = Some(Still { way, prime });
            return Ok(());
        }
        let there = match way {
            Way::Forward => string.point(prime, Search::Equal),
            Way::Backward => string.point_backward(prime, Search::Equal),
        };
        match there {
            Err(RequestError::NotFound) => Ok(string.stand_on(prime)?),
            there => Ok(there?),
        }
    }
}

/// To the first record at or above what is above all that was asked for.
fn point_above(string: &mut Str, above: &[u8]) -> Result<(), Refused> {
    Ok(string.point(above, Search::GreaterOrEqual)?)
}

/// The start and the end of no records are there.
fn unless_empty(pointed: Result<(), RequestError>) -> Result<(), Refused> {
    match pointed {
        Err(RequestError::NotFound | RequestError::EndOfData) => Ok(()),
        done => Ok(done?),
    }
}

/// To the first or last of no records is the end.
fn no_records(error: RequestError) -> Refused {
    match error {
        RequestError::NotFound => Refused::new(EENDFILE),
        other => other.into(),
    }
}
