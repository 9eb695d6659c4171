//! A component of an open that shares buffers, and its way to them.

use super::subpool::{BufferOf, Chosen, SubpoolOf, Taken};
use crate::buffers::Counts;
use crate::error::RequestError;
use crate::forked::OwningProcess;
use crate::store::Component;
use crate::sync::Mutex;
use cica_counters::LsrCount;
use std::collections::HashMap;
use std::sync::Arc;

/// The buffers of one size.
pub type Subpool = SubpoolOf<LsrPart>;

/// How many opens of each component share the buffers of a pool.
#[derive(Default)]
pub struct PoolMembers(Mutex<HashMap<usize, usize>>);

/// Data or index of an open.
pub struct LsrPart {
    pub component: Arc<Component>,
    pub subpool: Arc<Subpool>,
    counts: Arc<Counts>,
    is_data: bool,
}

/// An open that shares buffers. It is a member of its pool as long as it is there.
pub struct LsrOpen {
    members: Arc<PoolMembers>,
    pub data: Arc<LsrPart>,
    pub index: Option<Arc<LsrPart>>,
    /// Changes are written when their buffer is needed, not at once (MACRF DFR).
    pub deferred: bool,
    pub owner: OwningProcess,
}

/// By its address: it is a member as long as it has that.
fn address(component: &Arc<Component>) -> usize {
    Arc::as_ptr(component) as usize
}

impl LsrPart {
    pub fn new(component: Arc<Component>, subpool: Arc<Subpool>, counts: Arc<Counts>, is_data: bool) -> LsrPart {
        LsrPart {
            component,
            subpool,
            counts,
            is_data,
        }
    }

    fn of(&self, ci: u32) -> BufferOf {
        (address(&self.component), ci)
    }

    /// A request is about to look at a CI (X1).
    pub fn look_at(&self, ci: u32, area: &mut [u8]) {
        if self.hold(ci, area) {
            self.subpool.count(LsrCount::Hits, 1);
            self.counts.hit(self.is_data);
        }
    }

    /// Sees to it that a buffer holds a CI. True: one did.
    pub fn hold(&self, ci: u32, area: &mut [u8]) -> bool {
        let there = self.take(ci);
        if !there {
            let read = self.component.read_chained(&[ci], area);
            self.counts.read(self.is_data, ci, read);
            self.subpool.count(LsrCount::Reads, read as u64);
        }
        there
    }

    /// A CI is made, or changed by the request, in a buffer of its own: what the file has of it is not needed. True: a
    /// buffer held it.
    pub fn take(&self, ci: u32) -> bool {
        match self.subpool.take(self.of(ci)) {
            Taken::There => true,
            Taken::New(goes) => {
                if let Some((part, ci)) = goes {
                    part.give_up(ci);
                }
                false
            }
        }
    }

    /// Its buffer is another's now, and its change is written. A write that fails is not the other's fault: the page
    /// stays changed, and the next commit tells of it.
    fn give_up(&self, ci: u32) {
        match self.component.write_chained(&[ci]) {
            Ok(written) => {
                self.counts.wrote(self.is_data, ci, written);
                self.subpool.count(LsrCount::ForcedWrites, written as u64);
            }
            Err(_) => self.subpool.count(LsrCount::FailedWrites, 1),
        }
    }

    /// Writes a CI, and nothing where it is not changed. Returns how many were written.
    /// One that was put off and cannot be written is put off still.
    pub fn write(self: &Arc<Self>, ci: u32) -> Result<u64, RequestError> {
        let was_put_off = self.subpool.clean(self.of(ci));
        let written = self.component.write_chained(&[ci]).inspect_err(|_| {
            if was_put_off {
                // Its buffer may be another's by now: then the next commit writes it.
                self.subpool.put_off(self.of(ci), self);
            }
        })?;
        self.counts.wrote(self.is_data, ci, written);
        self.subpool.count(LsrCount::UserWrites, written as u64);
        Ok(written as u64)
    }

    pub fn is_put_off(&self, ci: u32) -> bool {
        self.subpool.is_put_off(self.of(ci))
    }

    /// Puts off the change of a CI; where no buffer holds it any more it is written at once.
    pub fn put_off(self: &Arc<Self>, ci: u32) -> Result<(), RequestError> {
        if self.subpool.put_off(self.of(ci), self) {
            Ok(())
        } else {
            self.write(ci).map(drop)
        }
    }

    /// Writes what was put off of it.
    fn write_put_off(&self) -> Result<u64, RequestError> {
        write_chosen(&self.subpool, Chosen::Of(address(&self.component)))
    }
}

/// Writes what was put off, a CI at a time. What cannot be written is put off still.
pub fn write_chosen(subpool: &Subpool, chosen: Chosen) -> Result<u64, RequestError> {
    let mut written = 0;
    let mut failed = None;
    for (part, ci) in subpool.to_write(chosen) {
        match &failed {
            None => match part.write(ci) {
                Ok(one) => written += one,
                Err(error) => {
                    failed = Some(error);
                    subpool.put_off(part.of(ci), &part);
                }
            },
            Some(_) => {
                subpool.put_off(part.of(ci), &part);
            }
        }
    }
    failed.map_or(Ok(written), Err)
}

impl LsrOpen {
    /// One that is a member from now on.
    pub fn new(members: Arc<PoolMembers>, data: LsrPart, index: Option<LsrPart>, deferred: bool) -> LsrOpen {
        let open = LsrOpen {
            members,
            data: Arc::new(data),
            index: index.map(Arc::new),
            deferred,
            owner: OwningProcess::this(),
        };
        let mut members = open.members.0.lock();
        for part in open.parts() {
            *members.entry(address(&part.component)).or_default() += 1;
        }
        drop(members);
        open
    }

    /// Data, and index where there is one.
    pub fn parts(&self) -> impl Iterator<Item = &Arc<LsrPart>> {
        std::iter::once(&self.data).chain(&self.index)
    }

    /// Writes what was put off of its data set.
    ///
    /// # Errors
    /// It cannot be written; it is put off still.
    pub fn write_put_off(&self) -> Result<u64, RequestError> {
        self.parts().try_fold(0, |sum, part| Ok(sum + part.write_put_off()?))
    }
}

impl std::fmt::Debug for LsrOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LsrOpen")
            .field("deferred", &self.deferred)
            .finish_non_exhaustive()
    }
}

impl Drop for LsrOpen {
    fn drop(&mut self) {
        if self.owner.is_parent() {
            // The pool is the parent's, its counts are seen by others, and its locks may be held for ever (forked:F1).
            return;
        }
        let mut members = self.members.0.lock();
        for part in self.parts() {
            let component = address(&part.component);
            let opens = members.get(&component).map_or(0, |opens| opens - 1);
            members.insert(component, opens);
            if opens == 0 {
                members.remove(&component);
                part.subpool.forget(component);
            }
        }
    }
}

impl PoolMembers {
    /// Of how many components there are opens.
    pub fn components(&self) -> usize {
        self.0.lock().len()
    }
}
