//! Requests of indexed, relative and sequential files, in COBOL's words, on the strings of a KSDS, RRDS, VRRDS or ESDS.
//!
//! The key of a relative file is the record number, four bytes with the highest first: numbers compare as keys do. That
//! of a sequential file is the record's address, in eight bytes.
//!
//! One string reads by each key, of which the key of reference keeps the file position; another string changes records,
//! so that WRITE, REWRITE and DELETE leave the position where it was. In random access there is none, and one string
//! does both.
//!
//! | position | set by | READ NEXT returns | READ PREVIOUS returns |
//! |---|---|---|---|
//! | opened | OPEN | the first record | status 10 |
//! | at K | START | the record K, else the one after it | the record K, else the one before it |
//! | string's | READ | the next | the one before |
//! | behind the last | READ NEXT with status 10 | status 46 | the last record |
//! | before the first | READ PREVIOUS with status 10 | the first record | status 46 |
//! | at a locked record | a READ that found it locked | it, once it is free | it, once it is free |
//! | lost | a READ or START that found nothing | status 46 | status 46 |
//!
//! In a file without records READ NEXT says 10, but 46 after START, as libcob does.

use crate::alternate::Alternate;
use crate::loaded_keys::Met;
use crate::open_file::{OpenFile, Phase, Position};
use crate::record::{By, Read};
use crate::status::Outcome;
use crate::tell::{tell, CICA1230I};
use cica_engine::{Argument, Insert, Intent, Record, RequestError, Search, Str};
use std::fmt::Display;

/// What START compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// KEY =
    Equal,
    /// KEY <
    Less,
    /// KEY <=
    LessOrEqual,
    /// KEY >
    Greater,
    /// KEY >=
    GreaterOrEqual,
    /// FIRST
    First,
    /// LAST
    Last,
}

/// Which way READ goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadDirection {
    /// NEXT
    Next,
    /// PREVIOUS
    Previous,
    /// FIRST
    First,
    /// LAST
    Last,
}

impl OpenFile {
    /// READ by a key: 0 is the prime key, n the n-th alternate key.
    #[inline]
    pub fn read_key(&mut self, by: usize, key: &[u8]) -> Result<Read<'_>, Outcome> {
        self.reference = by;
        self.read_own_changes_anew();
        if self.phase != Phase::Ready {
            if self.position != Position::NothingThere {
                self.position = Position::Lost;
            }
            return Err(Outcome::NotFound);
        }
        // Who never reads on needs no position that changes leave alone, and REWRITE begins where READ was.
        let prime = if self.fd.at_random() && self.changer.is_some() {
            &mut self.changer
        } else {
            &mut self.reader
        };
        let Some(reader) = reader(prime, &mut self.alternates, by) else {
            return Err(Outcome::Failed);
        };
        let argument = argument(self.by, key);
        self.locks.show(reader);
        match Read::by(by, reader, |s| s.get(argument, Search::Equal, Intent::Position)) {
            Ok(record) => {
                self.position = Position::Strings;
                self.number = record.number;
                if self.locks.concern() {
                    self.locks
                        .read(self.by, self.key, &record)
                        .inspect_err(|_| self.position = Position::Locked)?;
                }
                Ok(record.without(self.fd.head))
            }
            Err(error) => {
                self.position = if self.locks.meets(&error) {
                    Position::Locked
                } else {
                    Position::Lost
                };
                Err(refused(&self.report, &error))
            }
        }
    }

    /// READ NEXT, PREVIOUS, FIRST or LAST, in the order of the key of reference.
    #[inline]
    pub fn read_way(&mut self, way: ReadDirection) -> Result<Read<'_>, Outcome> {
        let way = match (self.reversed, way, self.position) {
            (true, ReadDirection::Next, Position::Opened) => ReadDirection::Last,
            (true, ReadDirection::Next, _) => ReadDirection::Previous,
            _ => way,
        };
        if self.phase != Phase::Ready {
            if self.plain.is_some() {
                return self.read_plain();
            }
            return Err(match (self.position, way) {
                (Position::NothingThere, ReadDirection::Next | ReadDirection::Previous) => Outcome::NoPosition,
                _ => Outcome::End,
            });
        }
        if self.position == Position::Strings && way == ReadDirection::Next {
            let by = self.reference;
            let Some(reader) = reader(&mut self.reader, &mut self.alternates, by) else {
                return Err(Outcome::Failed);
            };
            self.locks.show(reader);
            return match Read::by(by, reader, |s| s.next(Intent::Read)) {
                Ok(record) => {
                    self.number = record.number;
                    if self.locks.concern() {
                        self.locks
                            .read(self.by, self.key, &record)
                            .inspect_err(|_| self.position = Position::Locked)?;
                    }
                    Ok(record.without(self.fd.head))
                }
                Err(error) => Err(refused(&self.report, &error)),
            };
        }
        self.read_from_anywhere(way)
    }

    /// EXTEND: keys, and numbers, go on above the last one.
    pub(crate) fn go_to_the_end(&mut self) -> Result<(), Outcome> {
        if self.phase != Phase::Ready || self.by == By::Address {
            return Ok(());
        }
        match self.read_way(ReadDirection::Last) {
            Ok(_) => {}
            Err(Outcome::End) => return Ok(()),
            Err(outcome) => return Err(outcome),
        }
        if let Some(reader) = reader(&mut self.reader, &mut self.alternates, self.reference) {
            reader.keep_to_itself(false);
        }
        if let (By::Key, Some(reader)) = (self.by, &self.reader) {
            // As it is stored: what READ gives has no head.
            self.written = Some(self.key_of(reader.last().bytes).to_vec());
        }
        Ok(())
    }

    /// The next record of what is no data set of VSAM's.
    #[cold]
    fn read_plain(&mut self) -> Result<Read<'_>, Outcome> {
        let Some(plain) = &mut self.plain else {
            return Err(Outcome::End);
        };
        match plain.next() {
            Ok(bytes) => Ok(Read {
                bytes,
                number: 0,
                same_key_follows: false,
            }),
            Err((outcome, why)) => {
                why.iter().for_each(|why| (self.report)(why));
                Err(outcome)
            }
        }
    }

    fn read_from_anywhere(&mut self, way: ReadDirection) -> Result<Read<'_>, Outcome> {
        let by = self.reference;
        let Some(reader) = reader(&mut self.reader, &mut self.alternates, by) else {
            return Err(Outcome::Failed);
        };
        let before = std::mem::replace(&mut self.position, Position::Strings);
        self.locks.show(reader);
        let ready = match (way, before) {
            (ReadDirection::First, _) => reader.point_first(),
            (ReadDirection::Last, _) => reader.point_last(),
            (ReadDirection::Previous, Position::Opened) => {
                self.position = Position::Opened;
                return Err(Outcome::End);
            }
            (_, Position::Lost | Position::NothingThere) => {
                self.position = before;
                return Err(Outcome::NoPosition);
            }
            (ReadDirection::Previous, Position::At) if by == 0 => back_to(reader, argument(self.by, &self.start)),
            (ReadDirection::Previous, Position::Locked) if by == 0 => {
                back_to(reader, argument(self.by, self.locks.met()))
            }
            (ReadDirection::Next, Position::Locked) if by == 0 => {
                reader.point(argument(self.by, self.locks.met()), Search::GreaterOrEqual)
            }
            (_, Position::Locked) => {
                reader.stay();
                Ok(())
            }
            _ => Ok(()),
        };
        let record = ready.and_then(|()| {
            Read::by(by, reader, |s| match way {
                ReadDirection::Next | ReadDirection::First => s.next(Intent::Read),
                ReadDirection::Previous | ReadDirection::Last => s.prev(Intent::Read),
            })
        });
        match record {
            Ok(record) => {
                self.number = record.number;
                if self.locks.concern() {
                    self.locks
                        .read(self.by, self.key, &record)
                        .inspect_err(|_| self.position = Position::Locked)?;
                }
                Ok(record.without(self.fd.head))
            }
            Err(error) => Err(refused(&self.report, &error)),
        }
    }

    /// A START that cannot be done leaves no position.
    pub fn lose_position(&mut self, outcome: Outcome) -> Outcome {
        self.position = match self.phase {
            Phase::Ready => Position::Lost,
            _ => Position::NothingThere,
        };
        outcome
    }

    /// The next READ NEXT returns the record of a relative file that was just read once more.
    pub fn stay(&mut self) -> Result<(), Outcome> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        self.start.clear();
        self.start.extend_from_slice(&(self.number as u32).to_be_bytes());
        match reader.point(argument(self.by, &self.start), Search::GreaterOrEqual) {
            Ok(()) => {
                self.position = Position::At;
                Ok(())
            }
            Err(error) => Err(refused(&self.report, &error)),
        }
    }

    /// START with a key, or the start of one; `by` as for [`read_key`](Self::read_key).
    pub fn start(&mut self, by: usize, relation: Relation, key: &[u8]) -> Result<(), Outcome> {
        (self.position, self.reference) = (Position::Lost, by);
        self.read_own_changes_anew();
        if self.phase != Phase::Ready {
            self.position = Position::NothingThere;
            return Err(Outcome::NotFound);
        }
        let (offset, length) = self.key_place(by);
        let Some(reader) = reader(&mut self.reader, &mut self.alternates, by) else {
            return Err(Outcome::Failed);
        };
        self.locks.show_start(reader, by);
        match find(reader, relation, key, length, self.by) {
            Ok(record) => {
                self.start.clear();
                match self.by {
                    By::Number => self.start.extend_from_slice(&record.rrn.to_be_bytes()),
                    _ => self.start.extend_from_slice(&record.bytes[offset..offset + length]),
                }
            }
            Err(error) if self.locks.start_meets(by, &error) => {
                self.position = Position::Locked;
                return Ok(());
            }
            Err(error) => return Err(refused(&self.report, &error).or_not_found()),
        }
        self.locks.show_nothing(reader);
        reader.keep_to_itself(matches!(relation, Relation::Equal | Relation::GreaterOrEqual));
        let at = match by {
            0 => reader.point(argument(self.by, &self.start), Search::GreaterOrEqual),
            // Among duplicates the key alone does not say which.
            _ => {
                reader.stay();
                Ok(())
            }
        };
        match at {
            Ok(()) => {
                self.position = Position::At;
                Ok(())
            }
            Err(error) => Err(refused(&self.report, &error)),
        }
    }

    /// Offset and length of a key.
    pub fn key_place(&self, by: usize) -> (usize, usize) {
        match by.checked_sub(1).and_then(|n| self.alternates.get(n)) {
            Some(alternate) => (alternate.key.offset, alternate.key.length),
            None => self.key,
        }
    }

    /// WRITE.
    #[inline]
    pub fn write(&mut self, record: &[u8]) -> Result<(), Outcome> {
        if self.dummy {
            return Ok(());
        }
        if self.by != By::Key {
            return self.write_behind(record);
        }
        if self.fd.in_order() {
            self.ascending(record)?;
        }
        let done = match self.phase {
            Phase::Absent => return Err(Outcome::NotForOutput),
            Phase::Loading => return self.load(record),
            Phase::Ready if self.fd.in_order() => self.change(|s| s.insert(record, Insert::Sequential).map(drop)),
            Phase::Ready => self.change(|s| s.insert(record, Insert::Direct).map(drop)),
        };
        if matches!(done, Ok(()) | Err(Outcome::DuplicateFollows)) {
            self.note_written(record);
        }
        done
    }

    /// WRITE of a relative file in sequential access, or of a sequential file: behind the last record.
    fn write_behind(&mut self, record: &[u8]) -> Result<(), Outcome> {
        if let Some(plain) = &mut self.plain {
            return plain.put(record).map_err(|error| {
                (self.report)(&error);
                Outcome::Failed
            });
        }
        let Some(changer) = &mut self.changer else {
            return Err(Outcome::Failed);
        };
        match changer.insert(record, Insert::Sequential) {
            Ok(number) => {
                self.number = number;
                Ok(())
            }
            Err(error) => match (refused(&self.report, &error), self.by) {
                (Outcome::Boundary, By::Address) => Err(Outcome::SequentialBoundary),
                (outcome, _) => Err(outcome),
            },
        }
    }

    /// WRITE of a relative file by its record number.
    pub fn write_at(&mut self, record: &[u8], number: u32) -> Result<(), Outcome> {
        self.number = number.into();
        if self.dummy {
            return Ok(());
        }
        self.change(|s| s.insert_at(number, record, Insert::Direct))?;
        match self.phase {
            // It is read as well, so the load of a data set that was empty ends with its first record.
            Phase::Loading if self.reads => self.end_load(),
            _ => Ok(()),
        }
    }

    /// In sequential access each key is above the one before.
    fn ascending(&self, record: &[u8]) -> Result<(), Outcome> {
        let key = self.key_of(record);
        match &self.written {
            Some(before) if key < before.as_slice() => Err(Outcome::Sequence),
            Some(before) if key == before.as_slice() && self.wrote => Err(Outcome::SameKey),
            _ => Ok(()),
        }
    }

    fn note_written(&mut self, record: &[u8]) {
        if self.fd.in_order() {
            let (offset, length) = self.key;
            self.wrote = true;
            let written = self.written.get_or_insert_with(Vec::new);
            written.clear();
            written.extend_from_slice(&record[offset..offset + length]);
        }
    }

    /// WRITE into a data set that has no records: it is loaded as long as keys ascend and alternate keys that must be
    /// unique are; and where it is read as well, only its first record is.
    fn load(&mut self, record: &[u8]) -> Result<(), Outcome> {
        let met = self.loaded.look(&self.fd.alternates, record);
        if met == Met::Ask {
            return self.insert_after_load(record);
        }
        if let Some(plain) = &mut self.plain {
            return plain.put(record).map_err(|error| {
                (self.report)(&error);
                Outcome::Failed
            });
        }
        let Some(changer) = &mut self.changer else {
            return Err(Outcome::Failed);
        };
        match changer.insert(record, Insert::Sequential) {
            Ok(_) => {
                self.loaded.keep(&self.fd.alternates, record);
                self.note_written(record);
                if self.reads || self.refuses {
                    self.end_load()?;
                }
                match met {
                    Met::Again => Err(Outcome::DuplicateFollows),
                    _ => Ok(()),
                }
            }
            Err(RequestError::Sequence { .. } | RequestError::Duplicate { .. }) if !self.fd.in_order() => {
                self.insert_after_load(record)
            }
            Err(error) => Err(refused(&self.report, &error)),
        }
    }

    fn insert_after_load(&mut self, record: &[u8]) -> Result<(), Outcome> {
        self.end_load()?;
        match self.phase {
            Phase::Ready => self.write(record),
            // There was nothing to load yet, so there is nothing to ask.
            _ => Err(Outcome::Failed),
        }
    }

    /// REWRITE of the record with this key.
    #[inline]
    pub fn rewrite(&mut self, record: &[u8], key: &[u8]) -> Result<(), Outcome> {
        if self.fd.in_order() && self.last_read != key {
            return Err(Outcome::Sequence);
        }
        self.not_empty()?;
        self.locks.check(key)?;
        let argument = argument(self.by, key);
        self.change(|s| s.rewrite(argument, record).map(drop))
    }

    /// DELETE of the record with this key.
    pub fn delete(&mut self, key: &[u8]) -> Result<(), Outcome> {
        self.not_empty()?;
        self.locks.check(key)?;
        let argument = argument(self.by, key);
        self.change(|s| {
            s.get(argument, Search::Equal, Intent::Update)?;
            s.keep_to_itself(true);
            s.erase()
        })
    }

    fn not_empty(&self) -> Result<(), Outcome> {
        match self.phase {
            Phase::Ready => Ok(()),
            _ => Err(Outcome::NotFound),
        }
    }

    #[inline]
    fn change(&mut self, request: impl FnOnce(&mut Str) -> Result<(), RequestError>) -> Result<(), Outcome> {
        let Some(changer) = &mut self.changer else {
            return Err(Outcome::Failed);
        };
        self.locks.show_change(changer);
        let done = request(changer);
        if let Err(error) = done {
            // A record that was got for an update that failed must not stay held.
            changer.end();
            return Err(refused(&self.report, &error));
        }
        if !self.alternates.is_empty() && changer.duplicate() {
            Err(Outcome::DuplicateFollows)
        } else {
            Ok(())
        }
    }
}

/// The string that reads by a key.
#[inline]
fn reader<'s>(prime: &'s mut Option<Str>, alternates: &'s mut [Alternate], by: usize) -> Option<&'s mut Str> {
    match by.checked_sub(1) {
        None => prime.as_mut(),
        Some(number) => alternates.get_mut(number)?.reader.as_mut(),
    }
}

impl Outcome {
    /// START knows no end of file.
    fn or_not_found(self) -> Outcome {
        match self {
            Outcome::End => Outcome::NotFound,
            other => other,
        }
    }
}

/// A refused request's outcome; failures of the device are told as well, and to who wants to know it who has a record.
fn refused(report: &dyn Fn(&dyn Display), error: &RequestError) -> Outcome {
    let outcome = Outcome::of_request(error);
    if matches!(
        outcome,
        Outcome::Failed | Outcome::Boundary | Outcome::NoResource | Outcome::Logic
    ) {
        report(error);
    }
    if matches!(outcome, Outcome::RecordLocked | Outcome::Deadlock) {
        tell(&CICA1230I, &[("reason", error)]);
    }
    outcome
}

/// The next PREV returns the record with this key, else the one before it.
fn back_to(reader: &mut Str, key: Argument<'_>) -> Result<(), RequestError> {
    match reader.point_backward(key, Search::Equal) {
        // It is gone meanwhile.
        Err(RequestError::NotFound) => match reader.point(key, Search::GreaterOrEqual) {
            Err(RequestError::NotFound) => reader.point_last(),
            other => other,
        },
        other => other,
    }
}

/// The record that START finds.
fn find<'a>(
    reader: &'a mut Str,
    relation: Relation,
    key: &[u8],
    length: usize,
    goes_by: By,
) -> Result<Record<'a>, RequestError> {
    use Relation::*;
    let (least, most) = (filled(key, length, 0x00), filled(key, length, 0xFF));
    let (least, most) = (argument(goes_by, &least), argument(goes_by, &most));
    let key = argument(goes_by, key);
    let record = match relation {
        Equal => reader.get(key, Search::Equal, Intent::Position)?,
        GreaterOrEqual => reader.get(key, Search::GreaterOrEqual, Intent::Position)?,
        // All keys that begin with `key` lie up to `most`.
        Greater => {
            match reader.point_backward(most, Search::Equal) {
                Ok(()) => {}
                Err(RequestError::NotFound) => reader.point(most, Search::GreaterOrEqual)?,
                Err(error) => return Err(error),
            }
            reader.next(Intent::Read)?
        }
        Less => {
            match reader.point(least, Search::GreaterOrEqual) {
                Err(RequestError::NotFound) => reader.point_last()?,
                other => other?,
            }
            reader.prev(Intent::Read)?
        }
        LessOrEqual => {
            back_to(reader, most)?;
            reader.prev(Intent::Read)?
        }
        First => {
            reader.point_first()?;
            reader.next(Intent::Read)?
        }
        Last => {
            reader.point_last()?;
            reader.prev(Intent::Read)?
        }
    };
    Ok(record)
}

fn filled(key: &[u8], length: usize, with: u8) -> Vec<u8> {
    let mut filled = key.to_vec();
    filled.resize(length, with);
    filled
}

/// What a request names a record by.
#[inline]
fn argument(goes_by: By, key: &[u8]) -> Argument<'_> {
    match (goes_by, key.try_into(), key.try_into()) {
        (By::Number, Ok(number), _) => Argument::Rrn(u32::from_be_bytes(number)),
        (By::Address, _, Ok(address)) => Argument::Rba(u64::from_be_bytes(address)),
        _ => Argument::Key(key),
    }
}
