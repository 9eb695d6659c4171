//! iswrite, isrewrite, isdelete, and the same of the current record.
//!
//! * G1. A change is whole: record and keys, or nothing. What needs two requests is a unit of recovery.
//! * G2. A change that is refused holds no record: the engine holds what was got for update until the next request, and
//!   isrelease knows only what a program has locked.

use crate::error::{end, Refused, EDUPL, ENOCURR, ENOTOPEN, ENOTRANS, EROWSIZE};
use crate::file::{Current, IsamFile};
use cica::{Insert, Intent, RequestError, Search, Store, Str, UnitOfRecovery};
use cica_engine::Patience;
use cica_session::Session;

impl IsamFile {
    /// Adds a record; `current`: it is the current one then.
    ///
    /// # Errors
    /// EDUPL, EROWSIZE, ENOTRANS.
    pub fn write(&mut self, record: &[u8], current: bool) -> Result<(), Refused> {
        let stored = self.to_store(record)?;
        let added = self.work().insert(&stored, Insert::Direct);
        self.ended(added)?;
        let prime = self.layout.key_of(0, &stored).to_vec();
        self.note_changed(&prime);
        if current {
            self.reader.current = Current::Record(stored);
            self.stand_on_current()?;
        }
        Ok(())
    }

    /// Replaces the record that has the prime key of this one.
    ///
    /// # Errors
    /// ENOREC, EDUPL of another key, ELOCKED, EROWSIZE, ENOTRANS.
    pub fn rewrite(&mut self, record: &[u8]) -> Result<(), Refused> {
        let stored = self.to_store(record)?;
        let prime = self.layout.key_of(0, &stored).to_vec();
        let changed = self.work().rewrite(&prime, &stored);
        self.ended(changed)?;
        self.note_changed(&prime);
        Ok(())
    }

    /// What came of a change. One that was refused leaves nothing held for the next (G2).
    fn ended<T>(&mut self, done: Result<T, RequestError>) -> Result<T, Refused> {
        if done.is_err() {
            self.work().end();
        }
        Ok(done?)
    }

    /// Replaces the current record, whose prime key may change.
    ///
    /// # Errors
    /// As [`rewrite`](Self::rewrite); ENOCURR.
    pub fn rewrite_current(&mut self, record: &[u8], store: &Store) -> Result<(), Refused> {
        let stored = self.to_store(record)?;
        let old = self.current_prime()?;
        if self.layout.key_of(0, &stored) == old {
            let changed = self.work().rewrite(&old, &stored);
            self.ended(changed)?;
            self.note_changed(&old);
        } else if self.is_there(&stored)? || self.has_unique(store.session(), &stored)? {
            return Err(Refused::new(EDUPL));
        } else if self.is_in_unit() {
            // The program's transaction has both; what is refused half done is put back.
            let before = self.work().get(&old, Search::Equal, Intent::Update)?.bytes.to_vec();
            self.work().erase()?;
            self.note_changed(&old);
            if let Err(refused) = self.work().insert(&stored, Insert::Direct) {
                self.work().insert(&before, Insert::Direct)?;
                return Err(refused.into());
            }
            let new = self.layout.key_of(0, &stored).to_vec();
            self.note_changed(&new);
        } else {
            self.exchange_in(store.unit(), &old, &stored)?;
        }
        self.reader.current = Current::Record(stored);
        self.stand_on_current()
    }

    /// Is there a record with the prime key of this one? Who is refused for that keeps its place among those that have
    /// the same alternate key: to erase it and to put it back would make it the last of them.
    fn is_there(&mut self, stored: &[u8]) -> Result<bool, Refused> {
        let prime = self.layout.key_of(0, stored).to_vec();
        match self.work().get(&prime, Search::Equal, Intent::Read) {
            Ok(_) => Ok(true),
            Err(RequestError::NotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Has another record a key of this one that has no duplicates? The current record may keep its own.
    fn has_unique(&mut self, session: &Session, stored: &[u8]) -> Result<bool, Refused> {
        let Current::Record(current) = &self.reader.current else {
            return Ok(false);
        };
        let changed = |number: &usize| {
            let is_unique = !self.layout.keys[*number].0.duplicates;
            is_unique && self.layout.key_of(*number, stored) != self.layout.key_of(*number, current)
        };
        let asked: Vec<usize> = (1..self.layout.keys.len()).filter(changed).collect();
        for number in asked {
            let through = self.through(session, number)?;
            let (key, own) = (self.layout.key_of(number, stored), self.layout.key_of(0, current));
            match through.string().get(key, Search::Equal, Intent::Read) {
                // isrewrite may have given it this key since it was read.
                Ok(found) if self.layout.key_of(0, found.bytes) == own => {}
                Ok(_) => return Ok(true),
                Err(RequestError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(false)
    }

    /// Exchanges a record for another within a unit of its own, and locks the new one if one of both was locked.
    ///
    /// The unit is another owner than the file, so the file gives its locks of both up meanwhile. Another process may
    /// take the record then: the exchange is refused.
    fn exchange_in(&mut self, unit: UnitOfRecovery, old: &[u8], stored: &[u8]) -> Result<(), Refused> {
        let new = self.layout.key_of(0, stored).to_vec();
        let given_up = self.give_up([old, &new]);
        let mut string = self.string_in(&unit);
        let done = exchange(&mut string, old, stored);
        drop(string);
        let done = end(&unit, done);
        // What the unit may still have is free from here on.
        drop(unit);
        let again = match &done {
            Ok(()) if !given_up.is_empty() => vec![new],
            _ => given_up,
        };
        for key in again {
            // Whoever took the record between has it. That changes nothing of what was done.
            let _ = self.lock(key, Patience::None);
        }
        done
    }

    /// Erases the record that has the prime key of this one.
    ///
    /// # Errors
    /// ENOREC, ELOCKED, ENOTRANS.
    pub fn delete(&mut self, record: &[u8]) -> Result<(), Refused> {
        self.check_change()?;
        let prime = self.layout.asked(0, record);
        self.erase(&prime)
    }

    /// Erases the current record; the one behind it is the next.
    ///
    /// # Errors
    /// ENOCURR, ENOREC, ELOCKED, ENOTRANS.
    pub fn delete_current(&mut self) -> Result<(), Refused> {
        self.check_change()?;
        let prime = self.current_prime()?;
        self.erase(&prime)?;
        self.reader.current = Current::None;
        Ok(())
    }

    fn erase(&mut self, prime: &[u8]) -> Result<(), Refused> {
        self.work().get(prime, Search::Equal, Intent::Update)?;
        let erased = self.work().erase();
        self.ended(erased)?;
        self.note_changed(prime);
        Ok(())
    }

    fn current_prime(&self) -> Result<Vec<u8>, Refused> {
        match &self.reader.current {
            Current::Record(stored) => Ok(self.layout.key_of(0, stored).to_vec()),
            _ => Err(Refused::new(ENOCURR)),
        }
    }

    /// Reading goes on behind the record that has become the current one.
    pub(crate) fn stand_on_current(&mut self) -> Result<(), Refused> {
        let Current::Record(stored) = &self.reader.current else {
            return Ok(());
        };
        let (key, prime) = (
            self.layout.key_of(self.reader.key, stored),
            self.layout.key_of(0, stored),
        );
        self.reader.still = None;
        let string = &mut self.reader.string;
        string.point(key, Search::Equal)?;
        // Among records of one alternate key it is the one with this prime key.
        while self.layout.key_of(0, string.next(Intent::Read)?.bytes) != prime {}
        Ok(())
    }

    fn check_change(&self) -> Result<(), Refused> {
        if !self.mode.writes {
            return Err(Refused::because(ENOTOPEN, "the file is open for input alone"));
        }
        if self.mode.in_transactions && !self.is_in_unit() {
            Err(Refused::new(ENOTRANS))
        } else {
            Ok(())
        }
    }

    fn to_store(&self, record: &[u8]) -> Result<Vec<u8>, Refused> {
        self.check_change()?;
        let (least, most) = (self.shortest, self.layout.most);
        if !(least..=most).contains(&record.len()) {
            let words = format!(
                "a record of {} bytes, where {least} to {most} are possible",
                record.len()
            );
            return Err(Refused::because(EROWSIZE, words));
        }
        Ok(self.layout.stored(record))
    }
}

/// Erases a record and adds another.
fn exchange(string: &mut Str, old: &[u8], new: &[u8]) -> Result<(), Refused> {
    string.get(old, Search::Equal, Intent::Update)?;
    string.erase()?;
    string.insert(new, Insert::Direct)?;
    Ok(())
}
