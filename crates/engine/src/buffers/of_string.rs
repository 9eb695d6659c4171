//! What a string looks at CIs through: buffers of its own, or its way to those that opens share.

use super::lsr::LsrBuffers;
use super::{OwnBuffers, Shares};
use crate::error::RequestError;
use crate::store::Component;
use std::sync::Arc;

/// See the module.
pub enum StringBuffers {
    Own(Box<OwnBuffers>),
    Lsr(LsrBuffers),
}

impl StringBuffers {
    /// For a string on these components, of an open that has this.
    pub fn new(data: Arc<Component>, index: Option<Arc<Component>>, shares: &Shares) -> StringBuffers {
        match shares.lsr() {
            Some(open) => StringBuffers::Lsr(LsrBuffers::new(open.clone())),
            None => StringBuffers::Own(Box::new(OwnBuffers::new(data, index, shares.next()))),
        }
    }

    /// An index record is about to be looked at.
    pub fn index_record(&mut self, ci: u32, is_sequence_set: bool) {
        match self {
            StringBuffers::Own(own) => own.index_record(ci, is_sequence_set),
            StringBuffers::Lsr(lsr) => lsr.index_record(ci),
        }
    }

    /// A direct request is about to look at a CI.
    pub fn direct(&mut self, ci: u32) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.direct(ci),
            StringBuffers::Lsr(lsr) => lsr.look_at(ci),
        }
    }

    /// A CI is about to take a record.
    pub fn for_insert(&mut self, ci: u32) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.for_insert(ci),
            StringBuffers::Lsr(lsr) => lsr.look_at(ci),
        }
    }

    /// A sequential request comes to CI `at` of `cis`.
    pub fn sequential(&mut self, of: u32, cis: &[u32], at: usize) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.sequential(of, cis, at),
            StringBuffers::Lsr(lsr) => cis.get(at).map_or(Ok(()), |&ci| lsr.look_at(ci)),
        }
    }

    /// A request has changed this CI.
    pub fn changed(&mut self, ci: u32, direct: bool) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.changed(ci, direct),
            StringBuffers::Lsr(lsr) => lsr.changed(ci, direct),
        }
    }

    /// A request that began with `ci` has split CIs, or filled an empty one.
    pub fn restructured(&mut self, ci: Option<u32>) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.restructured(),
            StringBuffers::Lsr(lsr) => lsr.restructured(ci),
        }
    }

    /// These are about to be read to the caller's area, or changed in part.
    pub fn range(&mut self, cis: &[u32]) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.range(cis),
            StringBuffers::Lsr(lsr) => cis.iter().try_for_each(|&ci| lsr.look_at(ci)),
        }
    }

    /// These were changed from the caller's area.
    pub fn range_changed(&mut self, cis: &[u32]) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.range_changed(cis),
            StringBuffers::Lsr(lsr) => cis.iter().try_for_each(|&ci| lsr.changed(ci, true)),
        }
    }

    /// A load in order of entry comes into this CI. What shares buffers is not loaded through them.
    pub fn fills(&mut self, ci: u32, recovery: bool) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.fills(ci, recovery),
            StringBuffers::Lsr(_) => Ok(()),
        }
    }

    /// It has come there.
    pub fn formats(&mut self, ci: u32) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.formats(ci),
            StringBuffers::Lsr(_) => Ok(()),
        }
    }

    /// The string has no position any more.
    pub fn end(&mut self) -> Result<(), RequestError> {
        match self {
            StringBuffers::Own(own) => own.end(),
            StringBuffers::Lsr(lsr) => lsr.end(),
        }
    }
}
