//! Changing records of a KSDS through a string: PUT insert, PUT update, ERASE.

use super::{KeyedString, Where};
use crate::common::context::Context;
use crate::common::is_chained;
use crate::error::RequestError;
use crate::ksds::{Inserted, Order, Spot};
use crate::request::{Access, Insert, Position};
use crate::sphere::{BaseChange, Changed, Keyed, KeyedChange, Users};
use crate::sync::atomic::Ordering::Relaxed;
use crate::unit::{Going, UnitOfRecovery};
use cica_format::aix::is_of_chain;

impl KeyedString {
    /// PUT insert. Returns the record's RBA.
    ///
    /// # Errors
    /// 8/8 duplicate, 8/12 out of sequence, 8/28 no space, 8/68, 8/108, 8/116, 12/x.
    #[inline]
    pub fn insert(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        if self.joins_load(record, how) {
            Ok(0)
        } else {
            self.insert_anywhere(record, how)
        }
    }

    /// Adds a record to the CI that a load is filling, if nothing needs to be asked. False, and nothing is done.
    #[inline]
    fn joins_load(&mut self, record: &[u8], how: Insert) -> bool {
        let ksds = &*self.ksds;
        let plain = how != Insert::Direct && self.held.is_none() && self.unit.is_none();
        if !ksds.loading.load(Relaxed) || !plain || self.access != Access::Output || ksds.is_fenced() {
            return false;
        }
        // What is stored in another form is looked at closer, and what may be locked.
        let plain = !is_chained(&ksds.attributes) && ksds.compressed.is_none() && !ksds.holds.is_lockable();
        if !plain || !ksds.join_load(record, None) {
            return false;
        }
        self.joined(record)
    }

    /// The record joined the CI that a load is filling.
    fn joined(&mut self, record: &[u8]) -> bool {
        let key = self.ksds.key_of(record);
        match &mut self.inserted {
            Some(inserted) if inserted.len() == key.len() => inserted.copy_from_slice(key),
            inserted => *inserted = Some(key.to_vec()),
        }
        self.key_at = Where::Inserted;
        self.set_position(Position::On);
        true
    }

    fn insert_anywhere(&mut self, record: &[u8], how: Insert) -> Result<u64, RequestError> {
        self.release();
        self.inner
            .allow_change(self.access, "inserting records (open for output)")?;
        self.check_length(record)?;
        if self.ksds.compressed.is_none() {
            return self.insert_stored(record, None, how);
        }
        let mut coming = std::mem::take(&mut self.coming);
        let stored = self.ksds.store(record, &mut coming).map(drop);
        let done = stored.and_then(|()| self.insert_stored(&coming, Some(record), how));
        self.coming = coming;
        done
    }

    /// Adds a record as it is stored; `user` is the same as its user has it, where that is another form.
    pub(super) fn insert_stored(
        &mut self,
        record: &[u8],
        user: Option<&[u8]>,
        how: Insert,
    ) -> Result<u64, RequestError> {
        if self.ksds.loading.load(Relaxed) {
            match self.unit.is_some() {
                true => self.inner.end_loading(&self.ksds)?,
                // Somebody may have ended it meanwhile.
                false if self.load(record, user.map(<[u8]>::len), how)? => return Ok(0),
                false => {}
            }
        }
        let key = self.ksds.key_of(record);
        let sequential = how != Insert::Direct;
        if sequential && self.inserted.as_deref().is_some_and(|before| key < before) {
            return Err(RequestError::Sequence { key: key.to_vec() });
        }
        let order = Order {
            sequential,
            after: self.last_insert,
        };
        let done = if self.is_alone() {
            self.duplicate = false;
            self.ksds
                .whole(self.ksds.insert(record, order, Context::Itself(self.id)))?
        } else {
            let users = user.map(|new| Users {
                old: None,
                new: Some(new),
            });
            self.duplicate = false;
            let going = self.unit.as_ref().map(UnitOfRecovery::going);
            let changed = self.change(Keyed::Insert { record, order }, users, going.as_ref())?;
            drop(going);
            self.duplicate = changed.duplicate;
            changed.place
        };
        self.last_insert = Some(done.at);
        self.count_descent();
        self.stored(key, sequential);
        self.inner.after_change()?;
        Ok(done.rba)
    }

    /// Adds a record to the load in progress; false, and nothing is done: it has ended.
    fn load(&mut self, record: &[u8], user: Option<usize>, how: Insert) -> Result<bool, RequestError> {
        if how == Insert::Direct {
            return Err(RequestError::Loading);
        }
        self.ksds
            .check_kept(Context::Itself(self.id), self.ksds.key_of(record))?;
        if self.ksds.compressed.is_some() && self.ksds.join_load(record, user) {
            return Ok(self.joined(record));
        }
        let Some(written) = self.ksds.load(record, user)? else {
            return Ok(false);
        };
        self.stored(self.ksds.key_of(record), true);
        if written {
            self.inner.after_loaded_ca()?;
        }
        Ok(true)
    }

    fn stored(&mut self, key: &[u8], sequential: bool) {
        if sequential {
            let inserted = self.inserted.get_or_insert_with(Vec::new);
            inserted.clear();
            inserted.extend_from_slice(key);
            self.key_at = Where::Inserted;
            self.set_position(Position::On);
        } else {
            self.key_at = Where::Key;
            self.set_position(Position::None);
        }
    }

    /// PUT update of the record that was got with [`Intent::Update`]. Returns its RBA.
    ///
    /// # Errors
    /// 8/92 nothing held, 8/96 key changed, 8/108, 8/28, 8/68, 12/x.
    pub fn update(&mut self, record: &[u8]) -> Result<u64, RequestError> {
        self.inner
            .allow_change(self.access, "updating records (open for output)")?;
        if self.held.is_none() {
            return Err(RequestError::NoUpdate);
        }
        self.check_length(record)?;
        if self.held.as_deref() != Some(self.ksds.key_of(record)) {
            return Err(RequestError::KeyChanged);
        }
        let changed = self.change_held(|s, going| {
            let (at, old, new) = (s.spot, std::mem::take(&mut s.area), record);
            let done = if s.ksds.compressed.is_none() {
                s.change(Keyed::Update { old: &old, new, at }, None, going)
            } else {
                s.update_compressed(&old, new, at, going)
            };
            s.area = old;
            done
        })?;
        self.release();
        self.inner.after_change()?;
        Ok(changed.rba)
    }

    fn update_compressed(
        &mut self,
        old: &[u8],
        new: &[u8],
        at: Option<Spot>,
        going: Option<&Going<'_>>,
    ) -> Result<Changed<Inserted>, RequestError> {
        let (stored, mut coming) = (std::mem::take(&mut self.stored), std::mem::take(&mut self.coming));
        let users = Users {
            old: Some(old),
            new: Some(new),
        };
        let ready = self.ksds.store(new, &mut coming).map(drop);
        let done = ready.and_then(|()| {
            let (old, new) = (&stored[..], &coming[..]);
            self.change(Keyed::Update { old, new, at }, Some(users), going)
        });
        (self.stored, self.coming) = (stored, coming);
        done
    }

    /// GET for update and PUT update in one request, in the common case: the string stands on the record with this key,
    /// and nobody but the base has to do with its change. `None`, and nothing is done, in all others.
    #[inline]
    pub fn rewrite_where_it_stands(&mut self, key: &[u8], record: &[u8]) -> Result<Option<u64>, RequestError> {
        let alone = self.access == Access::Output && self.is_alone();
        let Some(spot) = self.spot.filter(|_| alone && self.stands_on(key)) else {
            return Ok(None);
        };
        if self.check_length(record).is_err() || self.ksds.key_of(record) != key {
            return Ok(None);
        }
        self.release();
        let stored = self.ksds.store(record, &mut self.coming)?;
        let Some(rba) = self.ksds.update_unheld(spot, stored)? else {
            return Ok(None);
        };
        self.duplicate = false;
        self.inner.after_change()?;
        Ok(Some(rba))
    }

    /// ERASE of the record that was got with [`Intent::Update`].
    ///
    /// # Errors
    /// 8/92 nothing held, 8/68, 12/x.
    pub fn erase(&mut self) -> Result<(), RequestError> {
        self.inner
            .allow_change(self.access, "erasing records (open for output)")?;
        if self.held.is_none() {
            return Err(RequestError::NoUpdate);
        }
        self.change_held(|s, going| {
            let at = s.spot;
            let (old, stored) = (std::mem::take(&mut s.area), std::mem::take(&mut s.stored));
            let users = s.ksds.compressed.as_ref().map(|_| Users {
                old: Some(&old[..]),
                new: None,
            });
            let as_stored = if users.is_some() { &stored } else { &old };
            let done = s.change(Keyed::Erase { old: as_stored, at }, users, going);
            (s.area, s.stored) = (old, stored);
            done
        })?;
        self.release();
        self.inner.after_change()
    }

    /// Nobody but the base has to do with its changes.
    #[inline]
    pub(super) fn is_alone(&self) -> bool {
        self.unit.is_none() && self.inner.sphere().is_none()
    }

    /// A change of the record that is held and in the area. Where another string of the same owner was faster, it is
    /// made again, of what that has left.
    fn change_held(
        &mut self,
        mut change: impl FnMut(&mut Self, Option<&Going<'_>>) -> Result<Changed<Inserted>, RequestError>,
    ) -> Result<Inserted, RequestError> {
        self.duplicate = false;
        let unit = self.unit.clone();
        loop {
            // What the unit has made of the record must not go back between the look and the change.
            let going = unit.as_ref().map(UnitOfRecovery::going);
            self.check_hold()?;
            self.see_what_goes()?;
            match change(self, going.as_ref()) {
                Err(RequestError::NoUpdate) if self.inner.sphere().is_some() => {}
                done => {
                    let changed = done?;
                    self.duplicate = changed.duplicate;
                    return Ok(changed.place);
                }
            }
        }
    }

    /// Changes a record, for the unit if there is one, and what alternate indexes there are.
    fn change(
        &self,
        what: Keyed<'_>,
        users: Option<Users<'_>>,
        going: Option<&Going<'_>>,
    ) -> Result<Changed<Inserted>, RequestError> {
        let inner = &self.inner;
        let ksds = &self.ksds;
        let change = KeyedChange { ksds, what, users };
        match going {
            None => change.done(inner, Context::Itself(self.id)),
            Some(unit) => {
                let old = change.going().unwrap_or_default();
                let erases = matches!(change.what, Keyed::Erase { .. });
                unit.change(inner, (change.identity(), old, erases), |context| {
                    change.done(inner, context)
                })
            }
        }
    }

    /// What was held when the unit was backed out is not any more: the record in the area may have been taken back.
    fn check_hold(&mut self) -> Result<(), RequestError> {
        match &self.unit {
            Some(unit) if unit.backouts() != self.held_at => {
                self.release();
                Err(RequestError::NoUpdate)
            }
            _ => Ok(()),
        }
    }

    /// Nobody but another string of the same owner can have changed the record that is held. If one has, the area gets
    /// what goes now: the undo of the unit and the keys of the alternate indexes come from it.
    fn see_what_goes(&mut self) -> Result<(), RequestError> {
        let is_as_got = self.spot.is_some_and(|spot| self.ksds.fresh(&spot.leaf));
        if is_as_got || self.is_alone() {
            return Ok(());
        }
        self.settle_key();
        let key = self.held.as_deref().unwrap_or_default();
        if self.ksds.get(key, &mut self.area)? {
            return self.expand_area();
        }
        self.release();
        Err(RequestError::NoUpdate)
    }

    fn check_length(&self, record: &[u8]) -> Result<(), RequestError> {
        let shape = self.ksds.shape;
        let (least, most) = (shape.rkp + shape.key_len, self.ksds.longest());
        if !(least..=most).contains(&record.len()) {
            return Err(RequestError::Length {
                given: record.len(),
                least,
                most,
            });
        }
        // A record of VSAM's has a pointer where one of a chain has its number.
        if is_chained(&self.ksds.attributes) && !is_of_chain(record) {
            return Err(RequestError::Access {
                what: "storing a record that is none of this alternate index (BLDINDEX fills it)",
            });
        }
        Ok(())
    }
}
