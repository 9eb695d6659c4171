//! What handles stand for.
//!
//! * O1. A string changes data sets of its unit's environment alone: an engine's log knows no other's data sets.

use crate::code::{Error, IN_USE};
use cica::Store;
use cica_engine::{DataSet, Str, UnitOfRecovery};
use cica_format::attributes::Organization;
use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;

/// One of them.
pub enum Object {
    Environment(Arc<Environment>),
    DataSet(Arc<OpenDataSet>),
    String(Box<OpenString>),
    Unit(Arc<OpenUnit>),
}

/// What a `cica_env` stands for.
pub struct Environment {
    pub(crate) store: Store,
    /// Open data sets and units.
    pub(crate) open: AtomicUsize,
}

/// What a `cica_dataset` stands for.
pub struct OpenDataSet {
    pub(crate) environment: Arc<Environment>,
    pub(crate) data_set: DataSet,
    /// Of its data component, by which others' counts are found.
    pub(crate) file: PathBuf,
    /// Open strings.
    pub(crate) strings: AtomicUsize,
}

/// What a `cica_string` stands for.
pub struct OpenString {
    pub(crate) string: Str,
    /// RBA and number of the record last returned; the number is 0 where records have none.
    pub(crate) place: Option<(u64, u32)>,
    /// Where the record last returned lies, in the string's own area.
    pub(crate) last: Range<usize>,
    pub(crate) of: Arc<OpenDataSet>,
    /// The unit its changes belong to.
    pub(crate) _share: Option<Share>,
}

impl OpenDataSet {
    /// Have its records numbers?
    pub(crate) fn has_numbers(&self) -> bool {
        let organization = self.data_set.attributes().organization;
        matches!(organization, Organization::Rrds | Organization::Vrrds)
    }
}

impl OpenString {
    /// What a program gives, out of the way of the request: the string's own area is written while the request goes
    /// on, and programs give back the record that they got.
    pub(crate) fn apart<'b>(&self, given: &'b [u8]) -> Cow<'b, [u8]> {
        let from = given.as_ptr() as usize;
        let is_own = from < self.last.end && self.last.start < from + given.len();
        if is_own {
            Cow::Owned(given.to_vec())
        } else {
            Cow::Borrowed(given)
        }
    }
}

impl Drop for OpenString {
    fn drop(&mut self) {
        self.of.strings.fetch_sub(1, AcqRel);
    }
}

/// What a `cica_unit` stands for.
pub struct OpenUnit {
    pub(crate) environment: Arc<Environment>,
    pub(crate) unit: UnitOfRecovery,
    /// Open strings that change records for it.
    pub(crate) strings: AtomicUsize,
}

/// A string's share in a unit.
pub(crate) struct Share(Arc<OpenUnit>);

impl Share {
    /// A share for a string of a data set of `environment` (O1).
    pub fn new(unit: Arc<OpenUnit>, environment: &Arc<Environment>) -> Result<Share, Error> {
        if !Arc::ptr_eq(&unit.environment, environment) {
            return Err(Error::argument(
                "the unit and the data set are of different environments",
            ));
        }
        unit.strings.fetch_add(1, AcqRel);
        Ok(Share(unit))
    }

    pub fn unit(&self) -> &UnitOfRecovery {
        &self.0.unit
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.strings.fetch_sub(1, AcqRel);
    }
}

impl OpenUnit {
    /// Fails while strings of the unit are open.
    pub(crate) fn check_strings(&self) -> Result<(), Error> {
        match self.strings.load(Acquire) {
            0 => Ok(()),
            n => Err(Error::new(
                IN_USE,
                format!("{n} strings of the unit are open; close them first"),
            )),
        }
    }
}
