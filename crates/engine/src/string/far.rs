//! A string on a data set that another process owns: what is asked of it goes there.

use crate::error::RequestError;
use crate::far::FarString;
use crate::locks::{LockMode, Patience, ReadIntegrity};
use crate::request::{Access, Argument, Insert, Intent, Record, Search};
use crate::unit::UnitOfRecovery;

/// See the module.
pub struct FarStr {
    string: Box<dyn FarString>,
    access: Access,
    /// Its changes belong to this unit.
    unit: Option<UnitOfRecovery>,
    /// What its reads do about records of others.
    integrity: ReadIntegrity,
}

impl FarStr {
    pub fn new(string: Box<dyn FarString>, access: Access, unit: Option<UnitOfRecovery>) -> FarStr {
        FarStr {
            string,
            access,
            unit,
            integrity: ReadIntegrity::None,
        }
    }

    pub fn inner(&mut self) -> &mut dyn FarString {
        &mut *self.string
    }

    pub fn access(&self) -> Access {
        self.access
    }

    pub fn last(&self) -> Record<'_> {
        self.string.last()
    }

    pub fn holds(&self) -> bool {
        self.string.holds()
    }

    pub fn duplicate(&self) -> bool {
        self.string.duplicate()
    }

    pub fn is_path(&self) -> bool {
        self.string.is_path()
    }

    pub fn get(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.string.get(argument, search, intent)?;
        Ok(self.string.last())
    }

    pub fn skip(&mut self, argument: Argument<'_>, search: Search, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.string.skip(argument, search, intent)?;
        Ok(self.string.last())
    }

    pub fn point(&mut self, argument: Argument<'_>, search: Search, backward: bool) -> Result<(), RequestError> {
        self.string.point(argument, search, backward)
    }

    pub fn point_end(&mut self, last: bool) -> Result<(), RequestError> {
        self.string.point_end(last)
    }

    pub fn next(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.string.step(false, intent)?;
        Ok(self.string.last())
    }

    pub fn prev(&mut self, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.string.step(true, intent)?;
        Ok(self.string.last())
    }

    pub fn insert(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        self.before_change()?;
        self.string.insert(record, how)
    }

    pub fn insert_at(&mut self, rrn: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
        self.before_change()?;
        self.string.insert_at(rrn, record, how)
    }

    pub fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        self.before_change()?;
        self.string.update(record)
    }

    pub fn rewrite(&mut self, argument: Argument<'_>, record: &[u8]) -> Result<u64, RequestError> {
        self.before_change()?;
        self.string.rewrite(argument, record)
    }

    pub fn erase(&mut self) -> Result<(), RequestError> {
        self.before_change()?;
        self.string.erase()
    }

    pub fn mirror_duplicates(&mut self) {
        self.string.mirror_duplicates();
    }

    pub fn stay(&mut self) {
        self.string.stay();
    }

    pub fn end(&mut self) {
        self.string.end();
    }

    pub fn get_interval(&mut self, rba: u64, intent: Intent) -> Result<Record<'_>, RequestError> {
        self.string.get_interval(rba, intent)?;
        Ok(self.string.last())
    }

    pub fn put_interval(&mut self, image: &[u8]) -> Result<(), RequestError> {
        self.before_change()?;
        self.string.put_interval(image)
    }

    pub fn read_range(&mut self, rba: u64, out: &mut [u8]) -> Result<(), RequestError> {
        self.string.read_range(rba, out)
    }

    pub fn write_range(&mut self, rba: u64, bytes: &[u8]) -> Result<(), RequestError> {
        self.before_change()?;
        self.string.write_range(rba, bytes)
    }

    pub fn set_patience(&mut self, patience: Patience) {
        self.string.set_patience(patience);
    }

    pub fn set_integrity(&mut self, integrity: ReadIntegrity) {
        self.integrity = integrity;
        self.string.set_integrity(integrity);
    }

    pub fn integrity(&self) -> ReadIntegrity {
        self.integrity
    }

    pub fn lock(&mut self, record: &[u8], mode: LockMode, patience: Patience) -> Result<(), RequestError> {
        self.string.lock(record, mode, patience)
    }

    pub fn unlock(&mut self, record: &[u8]) -> bool {
        self.string.unlock(record)
    }

    /// far:F1.
    fn before_change(&self) -> Result<(), RequestError> {
        match &self.unit {
            Some(unit) if unit.is_near() => Err(crate::unit::NEAR_AND_FAR),
            _ => Ok(()),
        }
    }
}
