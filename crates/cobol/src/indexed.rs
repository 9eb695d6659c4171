//! Requests of indexed and relative files, in COBOL's words, on the strings of a KSDS, RRDS or VRRDS.
//!
//! The key of a relative file is the record number, four bytes with the highest first: numbers compare as keys do.
//!
//! Two strings: one reads and keeps the file position, the other changes records, so that WRITE, REWRITE and DELETE
//! leave the position where it was.
//!
//! | position | set by | READ NEXT returns | READ PREVIOUS returns |
//! |---|---|---|---|
//! | opened | OPEN | the first record | status 10 |
//! | at K | START | the record K, else the one after it | the record K, else the one before it |
//! | string's | READ | the next | the one before |
//! | lost | a READ or START that found nothing | status 46 | status 46 |

use crate::open_file::{OpenFile, Phase, Position};
use crate::status::Outcome;
use cica_engine::{Argument, Insert, Intent, Record, RequestError, Search, Str};

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
pub enum Way {
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
    /// READ by key.
    #[inline]
    pub fn read_key(&mut self, key: &[u8]) -> Result<&[u8], Outcome> {
        if self.phase != Phase::Ready {
            self.position = Position::Lost;
            return Err(Outcome::NotFound);
        }
        let Some(reader) = &mut self.reader else {
            return Err(Outcome::Failed);
        };
        match reader.get(argument(self.numbered, key), Search::Equal, Intent::Position) {
            Ok(record) => {
                self.position = Position::Strings;
                self.number = record.rrn;
                Ok(record.bytes)
            }
            Err(error) => {
                self.position = Position::Lost;
                Err(refused(&self.told, &error))
            }
        }
    }

    /// READ NEXT, PREVIOUS, FIRST or LAST.
    #[inline]
    pub fn read_way(&mut self, way: Way) -> Result<&[u8], Outcome> {
        if self.phase != Phase::Ready {
            return Err(Outcome::End);
        }
        if self.position == Position::Strings && way == Way::Next {
            let Some(reader) = &mut self.reader else {
                return Err(Outcome::Failed);
            };
            return match reader.next(Intent::Read) {
                Ok(record) => {
                    self.number = record.rrn;
                    Ok(record.bytes)
                }
                Err(error) => Err(refused(&self.told, &error)),
            };
        }
        self.read_from_anywhere(way)
    }

    fn read_from_anywhere(&mut self, way: Way) -> Result<&[u8], Outcome> {
        let Some(reader) = &mut self.reader else {
            return Err(Outcome::Failed);
        };
        let before = std::mem::replace(&mut self.position, Position::Strings);
        let ready = match (way, before) {
            (Way::First, _) => reader.point_first(),
            (Way::Last, _) => reader.point_last(),
            (Way::Previous, Position::Opened) => {
                self.position = Position::Opened;
                return Err(Outcome::End);
            }
            (_, Position::Lost) => {
                self.position = Position::Lost;
                return Err(Outcome::NoPosition);
            }
            (Way::Previous, Position::At) => back_to(reader, argument(self.numbered, &self.start)),
            _ => Ok(()),
        };
        let record = ready.and_then(|()| match way {
            Way::Next | Way::First => reader.next(Intent::Read),
            Way::Previous | Way::Last => reader.prev(Intent::Read),
        });
        match record {
            Ok(record) => {
                self.number = record.rrn;
                Ok(record.bytes)
            }
            Err(error) => Err(refused(&self.told, &error)),
        }
    }

    /// START with a key, or the start of one.
    pub fn start(&mut self, relation: Relation, key: &[u8]) -> Result<(), Outcome> {
        self.position = Position::Lost;
        if self.phase != Phase::Ready {
            return Err(Outcome::NotFound);
        }
        let Some(reader) = &mut self.reader else {
            return Err(Outcome::Failed);
        };
        let found = find(reader, relation, key, self.key.1, self.numbered);
        let (offset, length) = self.key;
        match found {
            Ok(record) => {
                self.start.clear();
                match self.numbered {
                    true => self.start.extend_from_slice(&record.rrn.to_be_bytes()),
                    false => self.start.extend_from_slice(&record.bytes[offset..offset + length]),
                }
            }
            Err(error) => return Err(refused(&self.told, &error).or_not_found()),
        }
        match reader.point(argument(self.numbered, &self.start), Search::GreaterOrEqual) {
            Ok(()) => {
                self.position = Position::At;
                Ok(())
            }
            Err(error) => Err(refused(&self.told, &error)),
        }
    }

    /// WRITE.
    #[inline]
    pub fn write(&mut self, record: &[u8]) -> Result<(), Outcome> {
        if self.numbered {
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
        done.inspect(|()| self.note_written(record))
    }

    /// WRITE of a relative file in sequential access: behind the last record.
    fn write_behind(&mut self, record: &[u8]) -> Result<(), Outcome> {
        let Some(changer) = &mut self.changer else {
            return Err(Outcome::Failed);
        };
        match changer.insert(record, Insert::Sequential) {
            Ok(number) => {
                self.number = number as u32;
                Ok(())
            }
            Err(error) => Err(refused(&self.told, &error)),
        }
    }

    /// WRITE of a relative file by its record number.
    pub fn write_at(&mut self, record: &[u8], number: u32) -> Result<(), Outcome> {
        self.number = number;
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

    /// WRITE into a data set that has no records: it is loaded as long as keys ascend; and where it is read as well,
    /// only its first record is.
    fn load(&mut self, record: &[u8]) -> Result<(), Outcome> {
        let Some(changer) = &mut self.changer else {
            return Err(Outcome::Failed);
        };
        match changer.insert(record, Insert::Sequential) {
            Ok(_) => {
                self.note_written(record);
                match self.reads {
                    true => self.end_load(),
                    false => Ok(()),
                }
            }
            Err(RequestError::Sequence { .. } | RequestError::Duplicate { .. }) if !self.fd.in_order() => {
                self.end_load()?;
                self.change(|s| s.insert(record, Insert::Direct).map(drop))
            }
            Err(error) => Err(refused(&self.told, &error)),
        }
    }

    /// REWRITE of the record with this key.
    #[inline]
    pub fn rewrite(&mut self, record: &[u8], key: &[u8]) -> Result<(), Outcome> {
        if self.fd.in_order() && self.last_read != key {
            return Err(Outcome::Sequence);
        }
        self.not_empty()?;
        let argument = argument(self.numbered, key);
        self.change(|s| {
            s.get(argument, Search::Equal, Intent::Update)?;
            s.update(record).map(drop)
        })
    }

    /// DELETE of the record with this key.
    pub fn delete(&mut self, key: &[u8]) -> Result<(), Outcome> {
        self.not_empty()?;
        let argument = argument(self.numbered, key);
        self.change(|s| {
            s.get(argument, Search::Equal, Intent::Update)?;
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
        let done = request(changer);
        if let Err(error) = done {
            // A record that was got for an update that failed must not stay held.
            changer.end();
            return Err(refused(&self.told, &error));
        }
        Ok(())
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

/// A refused request's outcome; failures of the device are told as well.
fn refused(told: &dyn Fn(&RequestError), error: &RequestError) -> Outcome {
    let outcome = Outcome::of_request(error);
    if matches!(
        outcome,
        Outcome::Failed | Outcome::Boundary | Outcome::NoResource | Outcome::Logic
    ) {
        told(error);
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
    numbered: bool,
) -> Result<Record<'a>, RequestError> {
    use Relation::*;
    let (least, most) = (filled(key, length, 0x00), filled(key, length, 0xFF));
    let (least, most) = (argument(numbered, &least), argument(numbered, &most));
    let key = argument(numbered, key);
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
fn argument(numbered: bool, key: &[u8]) -> Argument<'_> {
    match (numbered, key) {
        (true, &[a, b, c, d]) => Argument::Rrn(u32::from_be_bytes([a, b, c, d])),
        _ => Argument::Key(key),
    }
}
