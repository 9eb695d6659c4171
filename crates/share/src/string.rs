//! A string of an owner, as its client has it.
//!
//! The owner has the position. Records that a browse reads come in batches, and the owner's string stands behind the
//! last of a batch. Before anything else is asked it is set back to the record that the program has seen last.
//!
//! * S1. A batch is not read on when the client has changed anything since, through this open or another, has locked a
//!   record by name or taken a unit back, or when it is older than [`FRESH`].
//! * S2. Only records that are named by key, address or number come in batches, not those of a path.
//! * S3. What the program has not seen is not locked for it, and a record that was not free when a batch was read is
//!   asked for again.
//! * S4. Once a browse goes on, its batches come in memory that the owner fills. The owner takes that back when it was
//!   not used for [`UNUSED`], so a record of it counts only if the batch is younger behind the record's copy.

use crate::batch::Batch;
use crate::client::{unfit, Client};
use crate::refusal::{fenced, Refusal};
use crate::set::Set;
use crate::unit::NO_NUMBER;
use crate::words::{integrity_code, wait_of, Answer, Ask, By, How, SentRecord, AREA, BATCH};
use cica_disk::{SeenArea, ROUGHLY};
use cica_engine::far::FarString;
use cica_engine::{Argument, Insert, Intent, LockMode, Patience, ReadIntegrity, Record, RequestError, Search};
use cica_format::attributes::Organization;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

/// How long records that were read ahead are taken for what the data set has.
pub const FRESH: Duration = Duration::from_millis(50);
/// The owner takes back memory that was not used for so long.
pub const UNUSED: Duration = Duration::from_secs(1);
/// A batch of so many records is worth memory for it.
const MANY: u32 = 64;
/// A browse asks for one record, then for more and more, up to so many or [`BATCH`] bytes.
const MOST: u32 = 4096;

/// See the module.
pub struct ClientString {
    set: Arc<Set>,
    unit: u32,
    /// The string that it has its holds and locks together with.
    with: u32,
    /// The owner's number; none before the first request.
    number: Option<u32>,
    /// The record got last.
    last: Kept,
    /// It is the last one of what was read ahead instead.
    in_ahead: bool,
    held: bool,
    duplicate: bool,
    ahead: Ahead,
    /// Records to ask for next.
    batch: u32,
    patience: Patience,
    integrity: ReadIntegrity,
    /// What the owner was told of it.
    announced: ReadIntegrity,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    rba: u64,
    rrn: u32,
    duplicate: bool,
}

/// What was read ahead and not seen yet.
#[derive(Default)]
struct Ahead {
    records: Batch,
    /// What came behind them.
    end: Option<Refusal>,
    backward: bool,
    /// When it was read, and how many changes the client had made.
    read: Option<(Duration, u64)>,
    /// The owner was asked for memory since the program read something other than the next record.
    asked: bool,
}

impl Ahead {
    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.end.is_none()
    }
}

impl Kept {
    fn take(&mut self, announced: &SentRecord<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(announced.bytes);
        (self.rba, self.rrn, self.duplicate) = (announced.rba, announced.rrn, announced.duplicate);
    }
}

impl ClientString {
    /// One that the owner does not know yet.
    pub fn new(set: Arc<Set>, unit: u32, with: u32) -> ClientString {
        ClientString {
            set,
            unit,
            with,
            number: None,
            last: Kept::default(),
            in_ahead: false,
            held: false,
            duplicate: false,
            ahead: Ahead::default(),
            batch: 1,
            patience: Patience::None,
            integrity: ReadIntegrity::None,
            announced: ReadIntegrity::None,
        }
    }

    fn client(&self) -> &Client {
        &self.set.client
    }

    fn made(&mut self) -> Result<u32, RequestError> {
        if let Some(number) = self.number {
            return Ok(number);
        }
        if [self.unit, self.with].map(u64::from).contains(&NO_NUMBER) {
            return Err(fenced(
                "what it belongs to, a unit of recovery or another string, is of a process that has gone, or could not be \
                 asked for; back the unit out, and open the data set again",
            ));
        }
        let ask = Ask::String {
            set: self.set.number,
            unit: self.unit,
            with: self.with,
        };
        let number = self.client().number(&ask)?;
        let number = u32::try_from(number).map_err(|_| unfit())?;
        self.number = Some(number);
        if self.patience != Patience::None {
            self.show_patience(number);
        }
        Ok(number)
    }

    /// The owner hears how long it waits. One that is gone says so at the next request.
    fn show_patience(&self, string: u32) {
        let wait = wait_of(self.patience);
        // See above.
        let _ = self.client().tell(&Ask::Patience { string, wait });
    }

    /// Before a request, and a POINT is one, the owner hears what reads are to do about records of others: from where
    /// the string stands then it passes over no record.
    fn tell_integrity(&mut self, string: u32) -> Result<(), RequestError> {
        if self.announced != self.integrity {
            let what = integrity_code(self.integrity);
            self.client().tell(&Ask::Integrity { string, what })?;
            self.announced = self.integrity;
        }
        Ok(())
    }

    /// Before a request that is no browse: the owner's string stands where the program believes it.
    fn ready(&mut self) -> Result<u32, RequestError> {
        let string = self.made()?;
        self.settle(string)?;
        self.tell_integrity(string)?;
        self.batch = 1;
        self.ahead.asked = false;
        self.held = false;
        self.duplicate = false;
        Ok(string)
    }

    /// What was read ahead is not seen any more, but for the record seen last.
    fn give_up(&mut self) {
        self.ahead.records.give_up();
        (self.ahead.end, self.ahead.read) = (None, None);
    }

    fn settle(&mut self, string: u32) -> Result<(), RequestError> {
        if self.ahead.is_empty() {
            return Ok(());
        }
        self.give_up();
        let last = self.last();
        let offset = self.set.attributes.key_offset;
        let by = match self.set.attributes.organization {
            Organization::Rrds | Organization::Vrrds => By::Rrn(last.rrn),
            Organization::Esds | Organization::Lds => By::Rba(last.rba),
            // By its key.
            _ => {
                let from = offset as usize;
                let key = last.bytes.get(from..from + usize::from(self.set.attributes.key_length));
                By::Key(key.ok_or_else(unfit)?)
            }
        };
        self.client().tell(&Ask::Settle { string, by, offset })
    }

    /// A get whose answer is one record.
    fn got(&mut self, ask: &Ask<'_>, intent: Intent) -> Result<(), RequestError> {
        let last = &mut self.last;
        self.set.client.ask(ask, |answer| match answer {
            Answer::Record(announced) => {
                last.take(&announced);
                Ok(())
            }
            _ => Err(unfit()),
        })?;
        self.in_ahead = false;
        self.duplicate = self.last.duplicate;
        self.held = intent == Intent::Update;
        Ok(())
    }

    /// A change that is answered by a number.
    fn put(&mut self, ask: &Ask<'_>) -> Result<u64, RequestError> {
        let put = |answer: Answer<'_>| match answer {
            Answer::Put(number, duplicate) => Ok((number, duplicate)),
            _ => Err(unfit()),
        };
        let (number, duplicate) = self.client().changing(|client| client.ask(ask, put))?;
        self.duplicate = duplicate;
        Ok(number)
    }

    /// May records come in batches (S2)?
    fn batches(&self, intent: Intent) -> bool {
        // S3.
        let keeps = matches!(self.integrity, ReadIntegrity::Repeatable | ReadIntegrity::Locked);
        let linear = self.set.attributes.organization == Organization::Lds;
        intent == Intent::Read && !self.set.path && !linear && !keeps
    }

    /// The next record of what was read ahead (S1).
    fn take_ahead(&mut self, backward: bool, intent: Intent) -> Option<Result<(), RequestError>> {
        let (read, changes) = self.ahead.read?;
        let good = self.batches(intent) && self.ahead.backward == backward && changes == self.client().changes();
        if !good {
            return None;
        }
        let clock = self.set.client.clock();
        // For each record: the rough clock, and what it may be behind.
        let is_fresh = || (clock.passed_roughly() + ROUGHLY).saturating_sub(read) <= FRESH;
        if !self.ahead.records.is_empty() {
            // S4. What is no record is asked for again.
            let taken = self.ahead.records.take(is_fresh);
            self.in_ahead |= taken;
            return taken.then_some(Ok(()));
        }
        if !is_fresh() {
            return None;
        }
        match self.ahead.end.take().map(RequestError::from) {
            Some(RequestError::EndOfData) => Some(Err(RequestError::EndOfData)),
            // S3.
            _ => None,
        }
    }

    /// The record seen last stays when a batch comes.
    fn keep_last(&mut self) {
        if let (true, Some(record)) = (self.in_ahead, self.ahead.records.last()) {
            self.last.take(&SentRecord {
                bytes: record.bytes,
                rba: record.rba,
                rrn: record.rrn,
                duplicate: false,
            });
        }
        self.in_ahead = false;
    }

    /// Memory for batches (S4); without it they come in messages.
    fn area(&mut self, string: u32) -> Result<(), RequestError> {
        if self.batch < MANY || self.ahead.asked || self.ahead.records.area.is_some() {
            return Ok(());
        }
        self.ahead.asked = true;
        let ask = Ask::Area { string };
        self.ahead.records.area = self
            .client()
            .exchange(&ask, None, |answer, file| match (answer, file) {
                (Answer::Number(length), Some(file)) if length == AREA as u64 => Ok(SeenArea::of(file.as_fd(), AREA)),
                (Answer::Number(_), _) => Ok(None),
                _ => Err(unfit()),
            })?;
        Ok(())
    }

    fn read_ahead(&mut self, string: u32, backward: bool, intent: Intent) -> Result<(), RequestError> {
        self.area(string)?;
        self.keep_last();
        let changes = self.client().changes();
        let into_area = self.batch >= MANY && self.ahead.records.area.is_some();
        let ask = Ask::Step {
            string,
            backward,
            how: How::get(Search::Equal, intent),
            batch: self.batch,
            into_area,
        };
        let read = self.client().clock().passed();
        let ahead = &mut self.ahead;
        self.set.client.ask(&ask, |answer| match answer {
            Answer::Records(length, records, end) => {
                ahead.records.fill(0..length as usize, records);
                ahead.end = end;
                if into_area && length == 0 {
                    // The owner has taken it back.
                    ahead.records.area = None;
                }
                Ok(())
            }
            _ => Err(unfit()),
        })?;
        (ahead.backward, ahead.read) = (backward, Some((read, changes)));
        let clock = self.set.client.clock();
        let is_there = || !into_area || clock.passed().saturating_sub(read) < UNUSED;
        self.in_ahead = self.ahead.records.take(is_there);
        if !self.in_ahead && self.ahead.records.area.take().is_some() && into_area {
            // It took long, and the memory may have been taken back: the same again in a message (S4).
            self.settle(string)?;
            return self.read_ahead(string, backward, intent);
        }
        if !self.in_ahead {
            return Err(unfit());
        }
        self.batch = (self.batch * 4).min(MOST);
        Ok(())
    }
}

impl FarString for ClientString {
    #[inline]
    fn last(&self) -> Record<'_> {
        if let (true, Some(last)) = (self.in_ahead, self.ahead.records.last()) {
            return last;
        }
        Record {
            bytes: &self.last.bytes,
            rba: self.last.rba,
            rrn: self.last.rrn,
        }
    }

    fn number(&mut self) -> u64 {
        // An owner that cannot be asked says so at the next request.
        self.made().map_or(NO_NUMBER, u64::from)
    }

    fn owner(&self) -> usize {
        Arc::as_ptr(&self.set.client) as usize
    }

    fn holds(&self) -> bool {
        self.held
    }

    fn duplicate(&self) -> bool {
        self.duplicate
    }

    fn is_path(&self) -> bool {
        self.set.path
    }

    fn get(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<(), RequestError> {
        let string = self.ready()?;
        let (by, how) = (argument.into(), How::get(search, intent));
        self.got(&Ask::Get { string, by, how }, intent)
    }

    fn skip(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<(), RequestError> {
        let string = self.ready()?;
        let (by, how) = (argument.into(), How::get(search, intent));
        self.got(&Ask::Skip { string, by, how }, intent)
    }

    fn point(&mut self, argument: Argument<'_>, search: Search, backward: bool) -> Result<(), RequestError> {
        // A position is given up for another: where the owner's string stands is the same.
        self.give_up();
        let string = self.ready()?;
        let (by, how) = (argument.into(), How::get(search, Intent::Read));
        self.client().tell(&Ask::Point {
            string,
            by,
            how,
            backward,
        })
    }

    fn point_end(&mut self, last: bool) -> Result<(), RequestError> {
        self.give_up();
        let string = self.ready()?;
        self.client().tell(&Ask::PointEnd { string, last })
    }

    fn step(&mut self, backward: bool, intent: Intent) -> Result<(), RequestError> {
        if self.announced != self.integrity {
            // What was read ahead was read otherwise.
            self.ready()?;
        }
        if let Some(answer) = self.take_ahead(backward, intent) {
            self.held = false;
            return answer;
        }
        let string = self.made()?;
        if !self.ahead.records.is_empty() {
            // What was read ahead is not used: a program that changes or locks each record reads few ahead.
            self.batch = 1;
        }
        self.settle(string)?;
        self.held = false;
        self.duplicate = false;
        if self.batches(intent) {
            return self.read_ahead(string, backward, intent);
        }
        let how = How::get(Search::Equal, intent);
        self.got(
            &Ask::Step {
                string,
                backward,
                how,
                batch: 0,
                into_area: false,
            },
            intent,
        )
    }

    fn insert(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        let string = self.ready()?;
        let how = How::insert(how);
        self.put(&Ask::Insert {
            string,
            rrn: 0,
            how,
            record,
        })
    }

    fn insert_at(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
        if rrn == 0 {
            return Err(RequestError::BadRrn { rrn: 0 });
        }
        let string = self.ready()?;
        let how = How::insert(how);
        self.put(&Ask::Insert {
            string,
            rrn,
            how,
            record,
        })
        .map(drop)
    }

    fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        let string = self.ready()?;
        self.put(&Ask::Update { string, record })
    }

    fn rewrite(&mut self, argument: Argument<'_>, record: &[u8]) -> Result<u64, RequestError> {
        let string = self.ready()?;
        self.put(&Ask::Rewrite {
            string,
            by: argument.into(),
            record,
        })
    }

    fn erase(&mut self) -> Result<(), RequestError> {
        let string = self.ready()?;
        self.client().changing(|client| client.tell(&Ask::Erase { string }))
    }

    fn mirror_duplicates(&mut self) {
        self.manner(1);
    }

    fn stay(&mut self) {
        self.manner(2);
    }

    fn end(&mut self) {
        self.give_up();
        // The owner's goes with the position.
        self.ahead.records.area = None;
        self.held = false;
        // One that the owner does not know yet has a position too, which ends.
        self.manner(0);
    }

    fn get_interval(&mut self, rba: u64, intent: Intent) -> Result<(), RequestError> {
        let string = self.ready()?;
        let how = How::get(Search::Equal, intent);
        self.got(&Ask::GetInterval { string, rba, how }, intent)?;
        // It is no record, and is not held as one.
        self.held = false;
        Ok(())
    }

    fn put_interval(&mut self, image: &[u8]) -> Result<(), RequestError> {
        let string = self.ready()?;
        self.client()
            .changing(|client| client.tell(&Ask::PutInterval { string, image }))
    }

    fn read_range(&mut self, rba: u64, out: &mut [u8]) -> Result<(), RequestError> {
        let string = self.ready()?;
        for (place, part) in out.chunks_mut(RANGE).enumerate() {
            let rba = rba + (place * RANGE) as u64;
            let length = part.len() as u32;
            self.client()
                .ask(&Ask::ReadRange { string, rba, length }, |answer| match answer {
                    Answer::Bytes(bytes) if bytes.len() == part.len() => {
                        part.copy_from_slice(bytes);
                        Ok(())
                    }
                    _ => Err(unfit()),
                })?;
        }
        Ok(())
    }

    fn write_range(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        let string = self.ready()?;
        self.client().changing(|client| {
            for (place, bytes) in bytes.chunks(RANGE).enumerate() {
                let rba = rba + (place * RANGE) as u64;
                client.tell(&Ask::WriteRange { string, rba, bytes })?;
            }
            Ok(())
        })
    }

    fn set_patience(&mut self, patience: Patience) {
        if self.patience == patience {
            return;
        }
        self.patience = patience;
        if let Some(string) = self.number {
            self.show_patience(string);
        }
    }

    fn set_integrity(&mut self, integrity: ReadIntegrity) {
        self.integrity = integrity;
    }

    fn lock(&mut self, record: &[u8], mode: LockMode, patience: Patience) -> Result<(), RequestError> {
        let (string, alone, wait) = (self.made()?, mode == LockMode::Exclusive, wait_of(patience));
        let lock = Ask::Lock {
            string,
            record,
            alone,
            wait,
        };
        // Others may have changed it before (S1).
        self.client().changing(|client| client.tell(&lock))
    }

    fn unlock(&mut self, record: &[u8]) -> bool {
        // With an owner that is gone no lock is left.
        let asked = self
            .made()
            .and_then(|string| self.client().number(&Ask::Unlock { string, record }));
        asked.is_ok_and(|unlocked| unlocked != 0)
    }
}

/// Bytes of a linear data set in one message.
const RANGE: usize = 1 << 20;

impl ClientString {
    /// What cannot fail here: an owner that is gone says so at the next request.
    fn manner(&mut self, what: u8) {
        let _ = self
            .ready()
            .and_then(|string| self.client().tell(&Ask::Manner { string, what }));
    }
}

impl Drop for ClientString {
    fn drop(&mut self) {
        if let Some(string) = self.number {
            // An owner that is gone has no strings; with one that could not be asked it goes when the client ends.
            let _ = self.client().tell(&Ask::DropString { string });
        }
    }
}

// A batch fits into a message with room to spare.
const _: () = assert!(BATCH < crate::words::LONGEST);
