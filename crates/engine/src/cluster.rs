//! The cluster of an open data set by its organization, for what every one of them is asked: opening, commit, close,
//! recovery.

use crate::alternate::pointer;
use crate::common::context::Context;
use crate::common::interval::Intervals;
use crate::common::numbered::Numbered;
use crate::common::Common;
use crate::error::RequestError;
use crate::esds::Esds;
use crate::examine::Examination;
use crate::ksds::Ksds;
use crate::linear::Lds;
use crate::log::Logged;
use crate::relative::Rrds;
use crate::store::Component;
use cica_format::log;
use std::sync::Arc;

/// See the module. A VRRDS is kept as a KSDS: the key is the record number, which stands in front of the record.
pub enum OpenCluster {
    /// Records by key.
    Ksds(Arc<Ksds>),
    /// Records in the order in which they came.
    Esds(Arc<Esds>),
    /// Records in numbered slots.
    Rrds(Arc<Rrds>),
    /// Bytes.
    Lds(Arc<Lds>),
}

impl OpenCluster {
    /// What all organizations have.
    #[inline]
    pub fn common(&self) -> &Common {
        match self {
            OpenCluster::Ksds(ksds) => ksds,
            OpenCluster::Esds(esds) => esds,
            OpenCluster::Rrds(rrds) => rrds,
            OpenCluster::Lds(lds) => lds,
        }
    }

    /// The index component, where there is one.
    pub fn index(&self) -> Option<&Arc<Component>> {
        match self {
            OpenCluster::Ksds(ksds) => Some(&ksds.index),
            _ => None,
        }
    }

    /// The CIs in use, where no index says which.
    fn intervals(&self) -> Option<&Intervals> {
        match self {
            OpenCluster::Ksds(_) => None,
            OpenCluster::Esds(esds) => Some(&esds.intervals),
            OpenCluster::Rrds(rrds) => Some(&rrds.intervals),
            OpenCluster::Lds(lds) => Some(&lds.intervals),
        }
    }

    /// What the root says of where records are: index CI of the tree's top and index levels, without an index the end of
    /// the CIs in use and 1; `(u32::MAX, 0)` when nothing was ever stored.
    pub fn top(&self) -> (u32, u8) {
        match (self, self.intervals()) {
            (_, Some(intervals)) => intervals.top(),
            (OpenCluster::Ksds(ksds), None) => ksds.top(),
            _ => (u32::MAX, 0),
        }
    }

    /// Index CIs ever used.
    pub fn index_cis(&self) -> u32 {
        match self {
            OpenCluster::Ksds(ksds) => ksds.index_cis(),
            _ => 0,
        }
    }

    /// Forgets all records in memory (RESET). The caller commits.
    pub fn reset(&self) {
        self.common().data.reset();
        if let Some(index) = self.index() {
            index.reset();
        }
        match (self, self.intervals()) {
            (OpenCluster::Ksds(ksds), _) => ksds.reset(),
            (_, Some(intervals)) => intervals.reset(),
            _ => {}
        }
    }

    /// Whether a load has records that are in no CA yet.
    pub fn is_building(&self) -> bool {
        match self {
            OpenCluster::Ksds(ksds) => ksds.loader.lock().is_some(),
            _ => false,
        }
    }

    /// Writes them. The caller keeps the gate exclusively.
    pub fn end_load(&self) -> Result<(), RequestError> {
        match self {
            OpenCluster::Ksds(ksds) => ksds.end_load(),
            _ => Ok(()),
        }
    }

    /// Writes the control areas of a load that are full, for a commit. The caller keeps the gate exclusively.
    pub fn write_full(&self) -> Result<(), RequestError> {
        match self {
            OpenCluster::Ksds(ksds) => ksds.write_full(),
            _ => Ok(()),
        }
    }

    /// Does a logged request again, or one that takes a change back.
    pub fn redo(&self, logged: &Logged, context: Context<'_>) -> Result<(), RequestError> {
        match self {
            OpenCluster::Ksds(ksds) => match logged {
                Logged::Insert(_, record) => ksds.whole(ksds.insert(record, Default::default(), context)).map(drop),
                Logged::Update(_, record) => ksds.whole(ksds.update(record, None, context)).map(drop),
                Logged::Erase(_, key) => ksds.whole(ksds.erase(key, None, context)),
                Logged::AddPointer(..) | Logged::RemovePointer(..) => pointer::replay(ksds, logged),
                _ => Ok(()),
            },
            OpenCluster::Esds(esds) => redo_numbered(&**esds, logged, 8, context),
            OpenCluster::Rrds(rrds) => redo_numbered(&**rrds, logged, 4, context),
            OpenCluster::Lds(lds) => redo_numbered(&**lds, logged, 8, context),
        }
    }

    /// The CI that begins at an RBA, if it is one that is in use.
    pub fn interval_at(&self, rba: u64) -> Option<u32> {
        let layout = &self.common().data.layout;
        let end = match self.intervals() {
            Some(intervals) => intervals.end(),
            None => (self.common().data.high_used() / layout.ci_size as u64) as u32,
        };
        let ci = u32::try_from(rba / layout.ci_size as u64).ok()?;
        (rba % layout.ci_size as u64 == 0 && ci < end).then_some(ci)
    }

    /// PUT CNV for `owner`: replaces a CI by another image of it, if it is still as it was when it was got. Without `put`
    /// it is checked alone (put_interval:V5).
    pub fn put_interval(
        &self,
        ci: u32,
        (got, image): (&[u8], &[u8]),
        owner: u64,
        put: bool,
    ) -> Result<(), RequestError> {
        match self {
            OpenCluster::Ksds(ksds) => {
                let log = |number, buf: &mut Vec<u8>, _, record: &[u8]| {
                    log::append_update(buf, number, record);
                };
                ksds.replace_interval(ci, (got, image), owner, put.then_some(log))
            }
            OpenCluster::Esds(esds) => {
                let log = |number, buf: &mut Vec<u8>, rba: u64, record: &[u8]| {
                    log::append_update_at(buf, number, &rba.to_be_bytes(), record);
                };
                esds.replace_interval(ci, (got, image), owner, put.then_some(log))
            }
            OpenCluster::Rrds(rrds) => rrds.put_interval(ci, (got, image), owner, put),
            OpenCluster::Lds(lds) => lds.put_interval(ci, (got, image), owner, put),
        }
    }

    /// The structural check.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        match self {
            OpenCluster::Ksds(ksds) => ksds.examine(),
            OpenCluster::Esds(esds) => esds.examine(),
            OpenCluster::Rrds(rrds) => rrds.examine(),
            OpenCluster::Lds(lds) => lds.examine(),
        }
    }
}

/// Does a request again whose record has its number in `len` bytes in front.
fn redo_numbered(of: &impl Numbered, logged: &Logged, len: usize, context: Context<'_>) -> Result<(), RequestError> {
    let (Logged::Insert(_, bytes) | Logged::Update(_, bytes) | Logged::Erase(_, bytes)) = logged else {
        return Ok(());
    };
    let short = || RequestError::Options {
        what: "the logged request is too short for the place it names",
    };
    let (place, record) = bytes.split_at_checked(len).ok_or_else(short)?;
    let number = place.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    of.check(number)?;
    match logged {
        Logged::Insert(..) => of.redo_add(number, record, context),
        Logged::Update(..) => of.replace(number, record, context),
        _ => of.take_back(number, context),
    }
}
