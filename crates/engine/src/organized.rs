//! A data set by its organization, for what every one of them is asked: opening, commit, close, recovery.

use crate::common::Common;
use crate::error::RequestError;
use crate::ksds::Ksds;
use crate::log::Logged;
use crate::store::Component;
use std::sync::Arc;

/// See the module. A VRRDS is kept as a KSDS: the key is the record number, which stands in front of the record.
pub enum Organized {
    /// Records by key.
    Ksds(Arc<Ksds>),
}

impl Organized {
    /// What all organizations have.
    pub fn common(&self) -> &Common {
        match self {
            Organized::Ksds(ksds) => ksds,
        }
    }

    /// The index component, where there is one.
    pub fn index(&self) -> Option<&Arc<Component>> {
        match self {
            Organized::Ksds(ksds) => Some(&ksds.index),
        }
    }

    /// What the root says of the records' tree: index CI of its top and index levels; `(u32::MAX, 0)` when nothing was
    /// ever stored.
    pub fn top(&self) -> (u32, u8) {
        match self {
            Organized::Ksds(ksds) => ksds.top(),
        }
    }

    /// Index CIs ever used.
    pub fn index_cis(&self) -> u32 {
        match self {
            Organized::Ksds(ksds) => ksds.index_cis(),
        }
    }

    /// Forgets all records in memory (RESET). The caller commits.
    pub fn reset(&self) {
        self.common().data.reset();
        if let Some(index) = self.index() {
            index.reset();
        }
        match self {
            Organized::Ksds(ksds) => ksds.reset(),
        }
    }

    /// Whether a load has records that are in no CA yet.
    pub fn is_building(&self) -> bool {
        match self {
            Organized::Ksds(ksds) => ksds.loader.lock().is_some(),
        }
    }

    /// Writes them. The caller keeps the gate exclusively.
    pub fn end_load(&self) -> Result<(), RequestError> {
        match self {
            Organized::Ksds(ksds) => ksds.end_load(),
        }
    }

    /// Does a logged request again.
    pub fn redo(&self, logged: &Logged) -> Result<(), RequestError> {
        match self {
            Organized::Ksds(ksds) => match logged {
                Logged::Insert(_, record) => ksds.insert(record, Default::default()).map(drop),
                Logged::Update(_, record) => ksds.update(record, None).map(drop),
                Logged::Erase(_, key) => ksds.erase(key, None),
                Logged::AddPointer(..) | Logged::RemovePointer(..) => crate::sphere::replay(ksds, logged),
                Logged::DataSet { .. } | Logged::Unit(_) => Ok(()),
            },
        }
    }

    /// The structural check.
    pub fn examine(&self) -> Result<crate::examine::Examination, RequestError> {
        match self {
            Organized::Ksds(ksds) => crate::examine::examine(ksds),
        }
    }
}
