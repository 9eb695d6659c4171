//! A change of a base record, as a unit needs to know it: what the record was and becomes, what names it, and how the
//! base does it.

use crate::common::part::Part;
use crate::error::RequestError;
use crate::esds::Esds;
use crate::ksds::{Inserted, Ksds, Leaf, Order};
use cica_format::log;

/// See the module.
pub(crate) trait Change {
    /// What the base says of where the record went.
    type Place;
    /// The record as it is; none of an insert.
    fn going(&self) -> Option<&[u8]>;
    /// The record as it shall be; none of an erase.
    fn coming(&self) -> Option<&[u8]>;
    /// What names the record in the base, and nothing else does: the prime key, or the RBA in eight bytes.
    fn identity(&self) -> &[u8];
    /// What the base refuses whatever alternate indexes say.
    fn check(&self) -> Result<(), RequestError>;
    /// Does it; `None`, and nothing is done: it needs the gate exclusively.
    fn apply(&self, part: Part) -> Result<Option<Self::Place>, RequestError>;
    /// The base's part of the unit's record in the log.
    fn log(&self, number: u32, parts: &mut Vec<u8>);
}

/// A change of a KSDS.
#[derive(Clone, Copy)]
pub(crate) struct KeyedChange<'r> {
    pub ksds: &'r Ksds,
    pub what: Keyed<'r>,
}

/// What changes in a KSDS.
#[derive(Clone, Copy)]
pub(crate) enum Keyed<'r> {
    Insert {
        record: &'r [u8],
        order: Order,
    },
    Update {
        old: &'r [u8],
        new: &'r [u8],
        at: Option<Leaf>,
    },
    Erase {
        old: &'r [u8],
        at: Option<Leaf>,
    },
}

impl Change for KeyedChange<'_> {
    /// Of an erase nothing, and of an update the RBA alone.
    type Place = Inserted;

    fn going(&self) -> Option<&[u8]> {
        match self.what {
            Keyed::Insert { .. } => None,
            Keyed::Update { old, .. } | Keyed::Erase { old, .. } => Some(old),
        }
    }

    fn coming(&self) -> Option<&[u8]> {
        match self.what {
            Keyed::Insert { record, .. } => Some(record),
            Keyed::Update { new, .. } => Some(new),
            Keyed::Erase { .. } => None,
        }
    }

    fn identity(&self) -> &[u8] {
        let (Keyed::Insert { record, .. } | Keyed::Update { old: record, .. } | Keyed::Erase { old: record, .. }) =
            self.what;
        self.ksds.key_of(record)
    }

    fn check(&self) -> Result<(), RequestError> {
        let key = self.identity();
        match self.what {
            Keyed::Insert { .. } if self.ksds.find(key, true)?.is_some() => {
                Err(RequestError::Duplicate { key: key.to_vec() })
            }
            _ => Ok(()),
        }
    }

    fn apply(&self, part: Part) -> Result<Option<Inserted>, RequestError> {
        let place = |rba| Inserted { rba, at: (0, 0) };
        match self.what {
            Keyed::Insert { record, order } => self.ksds.insert_part(record, order, part),
            Keyed::Update { new, at, .. } => Ok(self.ksds.update_part(new, at, part)?.map(place)),
            Keyed::Erase { old, at } => {
                let erased = self.ksds.erase_part(self.ksds.key_of(old), at, part)?;
                Ok(erased.map(|()| place(0)))
            }
        }
    }

    fn log(&self, number: u32, parts: &mut Vec<u8>) {
        match self.what {
            Keyed::Insert { record, .. } => log::append_insert(parts, number, record),
            Keyed::Update { new, .. } => log::append_update(parts, number, new),
            Keyed::Erase { .. } => log::append_erase(parts, number, self.identity()),
        }
    }
}

/// A change of an ESDS: a record behind the last one, or one replaced by another of its length.
#[derive(Clone, Copy)]
pub(crate) struct EnteredChange<'r> {
    esds: &'r Esds,
    rba: [u8; 8],
    old: Option<&'r [u8]>,
    new: &'r [u8],
}

impl<'r> EnteredChange<'r> {
    /// A record that will go to `rba`: nobody adds another one before it.
    pub fn add(esds: &'r Esds, rba: u64, record: &'r [u8]) -> EnteredChange<'r> {
        EnteredChange {
            esds,
            rba: rba.to_be_bytes(),
            old: None,
            new: record,
        }
    }

    /// The record at `rba` replaced.
    pub fn replace(esds: &'r Esds, rba: u64, old: &'r [u8], new: &'r [u8]) -> EnteredChange<'r> {
        EnteredChange {
            esds,
            rba: rba.to_be_bytes(),
            old: Some(old),
            new,
        }
    }
}

impl Change for EnteredChange<'_> {
    /// RBA, and whether that ended a control area.
    type Place = (u64, bool);

    fn going(&self) -> Option<&[u8]> {
        self.old
    }

    fn coming(&self) -> Option<&[u8]> {
        Some(self.new)
    }

    fn identity(&self) -> &[u8] {
        &self.rba
    }

    fn check(&self) -> Result<(), RequestError> {
        match self.old {
            Some(old) if old.len() != self.new.len() => Err(RequestError::LengthChange {
                given: self.new.len(),
                has: old.len(),
            }),
            _ => Ok(()),
        }
    }

    fn apply(&self, part: Part) -> Result<Option<(u64, bool)>, RequestError> {
        let rba = u64::from_be_bytes(self.rba);
        if self.old.is_some() {
            self.esds.replace_at(rba, self.new, part)?;
            return Ok(Some((rba, false)));
        }
        match self.esds.put(self.new, part)? {
            place if place.0 == rba => Ok(Some(place)),
            // Alternate indexes point to where it is not.
            (other, _) => Err(RequestError::Fenced {
                why: format!("a record that was to go to RBA {rba} went to RBA {other}"),
            }),
        }
    }

    fn log(&self, number: u32, parts: &mut Vec<u8>) {
        match self.old {
            None => log::append_insert_at(parts, number, &self.rba, self.new),
            Some(_) => log::append_update_at(parts, number, &self.rba, self.new),
        }
    }
}
