//! A string on a VRRDS: a KSDS whose key is the record number, four bytes in front of the record that its user does not
//! see.

use super::keyed::KeyedString;
use crate::error::RequestError;
use crate::ksds::Ksds;
use crate::open::OpenDataSet;
use crate::request::{Access, Insert, Intent, Record, Search};
use crate::sync::atomic::Ordering::Relaxed;
use crate::unit::UnitOfRecovery;
use std::sync::Arc;

/// Bytes of a record number.
pub const NUMBER_LEN: usize = 4;

/// See the module.
pub struct VariableString {
    string: KeyedString,
    inner: Arc<OpenDataSet>,
    ksds: Arc<Ksds>,
    /// Number and record, as they are stored.
    stored: Vec<u8>,
    /// Number of the last sequential insert.
    inserted: Option<u32>,
    /// Number of the record that is held.
    held: Option<u32>,
    /// RBA of the record inserted or updated last.
    put_at: u64,
}

impl VariableString {
    /// The string number `id` of an open.
    pub fn new(inner: Arc<OpenDataSet>, ksds: Arc<Ksds>, access: Access, id: u64) -> VariableString {
        VariableString {
            string: KeyedString::new(inner.clone(), ksds.clone(), access, id),
            inner,
            ksds,
            stored: Vec::new(),
            inserted: None,
            held: None,
            put_at: 0,
        }
    }

    /// Its string on the KSDS, for buffers of its own.
    pub fn keyed(&mut self) -> &mut KeyedString {
        &mut self.string
    }

    /// The number that an insert gives a record, for buffers of its own.
    pub fn goes_to(&self, at: Option<u32>) -> Result<u32, RequestError> {
        at.map_or_else(|| self.next_number(), checked)
    }

    /// RBA of the record inserted or updated last.
    pub fn put_at(&self) -> u64 {
        self.put_at
    }

    /// Who has what it holds, where no unit of recovery does.
    pub fn set_owner(&mut self, owner: u64) {
        self.string.set_owner(owner);
    }

    /// Who has what it holds.
    pub fn owner(&self) -> u64 {
        self.string.owner()
    }

    /// From now on its changes belong to `unit`.
    pub fn set_unit(&mut self, unit: UnitOfRecovery) {
        self.string.set_unit(unit);
    }

    /// See [`crate::Str::leave_no_pages`].
    pub fn leave_no_pages(&mut self) {
        self.string.leave_no_pages();
    }

    /// Nothing was asked of it yet.
    pub fn is_at_start(&self) -> bool {
        self.string.is_at_start()
    }

    /// It stands on the record that it goes on from, which the next step passes.
    pub fn is_on(&self) -> bool {
        self.string.is_on()
    }

    /// The number that a skip goes on from, as it is stored; empty: there is none.
    pub fn goes_on_from(&mut self) -> &[u8] {
        self.string.goes_on_from()
    }

    /// See [`crate::Str::last_as_stored`].
    pub fn last_as_stored(&self) -> Option<&[u8]> {
        self.string.last_as_stored()?.get(NUMBER_LEN..)
    }

    /// The record that the last get returned is not its user's.
    pub fn keep_to_itself(&mut self, direct: bool) {
        self.string.keep_to_itself(direct);
    }

    /// GET direct.
    pub fn get(&mut self, rrn: u32, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.begin(intent)?;
        let got = self.string.get(&checked(rrn)?.to_be_bytes(), search, intent)?;
        Ok(shown(got, intent, &mut self.held))
    }

    /// GET skip-sequential.
    pub fn skip(&mut self, rrn: u32, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.begin(intent)?;
        let got = self.string.skip(&checked(rrn)?.to_be_bytes(), search, intent)?;
        Ok(shown(got, intent, &mut self.held))
    }

    /// POINT, forward or backward.
    pub fn point(&mut self, rrn: u32, search: Search, backward: bool) -> Result<(), RequestError> {
        self.begin(Intent::Read)?;
        let key = checked(rrn)?.to_be_bytes();
        self.string.point(&key, search, backward)
    }

    /// Stands on this number, though its record has gone.
    pub fn stand_on(&mut self, rrn: u32) -> Result<(), RequestError> {
        self.begin(Intent::Read)?;
        self.string.stand_on(&checked(rrn)?.to_be_bytes())
    }

    /// Goes before the first record, or behind the last.
    pub fn point_end(&mut self, backward: bool) -> Result<(), RequestError> {
        self.held = None;
        self.string.point_end(backward)
    }

    /// GET sequential, forward.
    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.held = None;
        let got = self.string.next(intent)?;
        Ok(shown(got, intent, &mut self.held))
    }

    /// GET sequential, backward.
    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.held = None;
        let got = self.string.prev(intent)?;
        Ok(shown(got, intent, &mut self.held))
    }

    /// PUT insert with a number, or with the one behind the last. Returns the number.
    pub fn insert(&mut self, at: Option<u32>, record: &[u8], how: Insert) -> Result<u32, RequestError> {
        self.held = None;
        self.string.release();
        self.inner
            .allow_change(self.access(), "inserting records (open for output)")?;
        self.check_length(record)?;
        if how == Insert::Direct && self.ksds.loading.load(Relaxed) {
            at.map_or(Ok(0), checked)?;
            self.inner.end_loading(&self.ksds)?;
        }
        let rrn = loop {
            let rrn = self.goes_to(at)?;
            self.store(rrn, record);
            match self.string.insert(&self.stored, how) {
                // Another string has taken the number behind the last one meanwhile.
                Err(RequestError::Duplicate { .. }) if at.is_none() && self.inserted.is_none() => {}
                done => {
                    self.put_at = done?;
                    break rrn;
                }
            }
        };
        if how != Insert::Direct {
            self.inserted = Some(rrn);
        }
        Ok(rrn)
    }

    /// PUT update of the record that is held. Returns its number.
    pub fn update(&mut self, record: &[u8]) -> Result<u32, RequestError> {
        self.inner
            .allow_change(self.access(), "updating records (open for output)")?;
        let Some(rrn) = self.held else {
            return Err(RequestError::NoUpdate);
        };
        self.check_length(record)?;
        self.store(rrn, record);
        self.put_at = self.string.update(&self.stored)?;
        self.held = None;
        Ok(rrn)
    }

    /// ERASE of the record that is held.
    pub fn erase(&mut self) -> Result<(), RequestError> {
        self.string.erase()?;
        self.held = None;
        Ok(())
    }

    /// The record that the last get returned.
    pub fn last(&self) -> Record<'_> {
        shown(self.string.last(), Intent::Read, &mut None)
    }

    /// What the string's open is for.
    pub fn access(&self) -> Access {
        self.string.access()
    }

    /// Is a record held for update?
    pub fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// ENDREQ.
    pub fn end(&mut self) {
        self.held = None;
        self.string.end();
    }

    /// What comes before a number is looked at.
    fn begin(&mut self, intent: Intent) -> Result<(), RequestError> {
        self.held = None;
        self.string.release();
        self.inner.allow_read(self.access(), intent)
    }

    fn store(&mut self, rrn: u32, record: &[u8]) {
        self.stored.clear();
        self.stored.extend_from_slice(&rrn.to_be_bytes());
        self.stored.extend_from_slice(record);
    }

    /// The number behind this string's last sequential insert, or behind all records.
    fn next_number(&self) -> Result<u32, RequestError> {
        let last = match self.inserted {
            Some(inserted) => inserted,
            None => {
                let key = if self.ksds.loading.load(Relaxed) {
                    self.ksds.loaded_to()
                } else {
                    self.ksds.last_key()?
                };
                key.and_then(|key| key.first_chunk().map(|n| u32::from_be_bytes(*n)))
                    .unwrap_or(0)
            }
        };
        last.checked_add(1).ok_or(RequestError::BadRrn { rrn: 1 << 32 })
    }

    fn check_length(&self, record: &[u8]) -> Result<(), RequestError> {
        let most = self.ksds.longest() - NUMBER_LEN;
        let a = &self.ksds.attributes;
        // What was defined as an RRDS has records of one length, though they are stored at many.
        let least = if a.compressed && a.average_record == a.maximum_record {
            most
        } else {
            1
        };
        if (least..=most).contains(&record.len()) {
            Ok(())
        } else {
            Err(RequestError::Length {
                given: record.len(),
                least,
                most,
            })
        }
    }
}

/// A number that a record can have.
fn checked(rrn: u32) -> Result<u32, RequestError> {
    match rrn {
        0 => Err(RequestError::BadRrn { rrn: 0 }),
        rrn => Ok(rrn),
    }
}

/// The record without its number, which is held if that was the intent.
fn shown<'r>(stored: Record<'r>, intent: Intent, held: &mut Option<u32>) -> Record<'r> {
    let (number, bytes) = stored.bytes.split_at(NUMBER_LEN.min(stored.bytes.len()));
    let rrn = number.first_chunk().map_or(0, |n| u32::from_be_bytes(*n));
    *held = Some(rrn).filter(|_| intent == Intent::Update);
    Record { bytes, rrn, ..stored }
}
