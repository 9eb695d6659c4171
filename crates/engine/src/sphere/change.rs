//! A change of a base record, as a unit needs to know it: what the record was and becomes, what names it, and how the
//! base does it.

use crate::common::context::{Context, Redo};
use crate::error::RequestError;
use crate::esds::Esds;
use crate::ksds::{Inserted, Ksds, Order, Spot};
use crate::open::OpenDataSet;

/// See the module.
pub trait BaseChange {
    /// What the base says of where the record went.
    type Place;
    /// The record as it is stored; none of an insert.
    fn going(&self) -> Option<&[u8]>;
    /// The record as it shall be stored; none of an erase.
    fn coming(&self) -> Option<&[u8]>;
    /// Both as their user has them, where they are stored in another form.
    fn users(&self) -> Option<Users<'_>>;
    /// Both as their user has them, the one that goes and the one that comes.
    fn for_user(&self) -> (Option<&[u8]>, Option<&[u8]>) {
        match self.users() {
            Some(users) => (users.old, users.new),
            None => (self.going(), self.coming()),
        }
    }
    /// What names the record in the base, and nothing else does: the prime key, or the RBA in eight bytes.
    fn identity(&self) -> &[u8];
    /// Has somebody been able to lock it by that? What comes next in an ESDS has no name before.
    fn is_lockable(&self) -> bool {
        true
    }
    /// Is the record that goes the one that is stored? Nobody changes it meanwhile.
    fn is_as_stored(&self) -> Result<bool, RequestError>;
    /// What the base refuses whatever alternate indexes say.
    fn check(&self) -> Result<(), RequestError>;
    /// Does it; `None`, and nothing is done: it needs the gate exclusively.
    fn apply(&self, context: Context<'_>) -> Result<Option<Self::Place>, RequestError>;
    /// The base's part of the unit's record in the log.
    fn redo(&self) -> Redo<'_>;
}

/// What a change came to.
pub struct Changed<P> {
    /// Where the record went.
    pub place: P,
    /// 0/8: another record has one of the alternate keys too.
    pub duplicate: bool,
}

/// A change of a KSDS.
#[derive(Clone, Copy)]
pub struct KeyedChange<'r> {
    pub ksds: &'r Ksds,
    /// With the records as they are stored.
    pub what: Keyed<'r>,
    pub users: Option<Users<'r>>,
}

/// The records of a change as their user has them, where they are stored in another form.
#[derive(Clone, Copy, Default)]
pub struct Users<'r> {
    pub old: Option<&'r [u8]>,
    pub new: Option<&'r [u8]>,
}

/// What changes in a KSDS.
#[derive(Clone, Copy)]
pub enum Keyed<'r> {
    Insert {
        record: &'r [u8],
        order: Order,
    },
    Update {
        old: &'r [u8],
        new: &'r [u8],
        at: Option<Spot>,
    },
    Erase {
        old: &'r [u8],
        at: Option<Spot>,
    },
}

impl BaseChange for KeyedChange<'_> {
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

    fn users(&self) -> Option<Users<'_>> {
        self.users
    }

    fn identity(&self) -> &[u8] {
        let (Keyed::Insert { record, .. } | Keyed::Update { old: record, .. } | Keyed::Erase { old: record, .. }) =
            self.what;
        self.ksds.key_of(record)
    }

    fn is_as_stored(&self) -> Result<bool, RequestError> {
        match self.what {
            Keyed::Update { at: Some(spot), .. } | Keyed::Erase { at: Some(spot), .. }
                if self.ksds.fresh(&spot.leaf) =>
            {
                Ok(true)
            }
            Keyed::Update { old, .. } | Keyed::Erase { old, .. } => {
                let mut stored = Vec::new();
                Ok(self.ksds.get(self.identity(), &mut stored)? && stored == old)
            }
            Keyed::Insert { .. } => Ok(true),
        }
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

    fn apply(&self, context: Context<'_>) -> Result<Option<Inserted>, RequestError> {
        let place = |rba| Inserted { rba, at: (0, 0) };
        match self.what {
            Keyed::Insert { record, order } => self.ksds.insert(record, order, context),
            Keyed::Update { new, at, .. } => Ok(self.ksds.update(new, at, context)?.map(place)),
            Keyed::Erase { old, at } => {
                let erased = self.ksds.erase(self.ksds.key_of(old), at, context)?;
                Ok(erased.map(|()| place(0)))
            }
        }
    }

    fn redo(&self) -> Redo<'_> {
        let place = &[];
        match self.what {
            Keyed::Insert { record, .. } => Redo::Insert { place, record },
            Keyed::Update { new: record, .. } => Redo::Update { place, record },
            Keyed::Erase { .. } => Redo::Erase { key: self.identity() },
        }
    }
}

impl KeyedChange<'_> {
    /// Does it, with what it changes in the upgrade set if `base` has one.
    pub fn done(&self, base: &OpenDataSet, context: Context<'_>) -> Result<Changed<Inserted>, RequestError> {
        match base.sphere() {
            Some(sphere) => sphere.change(base, self, context),
            None => alone(base, self, context),
        }
    }
}

/// Does a change that nothing else changes with.
pub(super) fn alone<C: BaseChange>(
    base: &OpenDataSet,
    change: &C,
    context: Context<'_>,
) -> Result<Changed<C::Place>, RequestError> {
    let place = base.common().whole(change.apply(context))?;
    Ok(Changed {
        place,
        duplicate: false,
    })
}

/// A change of an ESDS: a record behind the last one, one replaced by another of its length, or, when a unit of
/// recovery goes back, the last one cut off.
#[derive(Clone, Copy)]
pub struct EnteredChange<'r> {
    esds: &'r Esds,
    rba: [u8; 8],
    old: Option<&'r [u8]>,
    new: Option<&'r [u8]>,
    users: Option<Users<'r>>,
}

impl<'r> EnteredChange<'r> {
    /// A record that will go to `rba`: nobody adds another one before it. `user` is the record as its user has it,
    /// where it is stored in another form.
    pub fn add(esds: &'r Esds, rba: u64, record: &'r [u8], user: Option<&'r [u8]>) -> EnteredChange<'r> {
        EnteredChange {
            esds,
            rba: rba.to_be_bytes(),
            old: None,
            new: Some(record),
            users: user.map(|new| Users {
                old: None,
                new: Some(new),
            }),
        }
    }

    /// The record at `rba` replaced.
    pub fn replace(esds: &'r Esds, rba: u64, old: &'r [u8], new: &'r [u8]) -> EnteredChange<'r> {
        EnteredChange {
            esds,
            rba: rba.to_be_bytes(),
            old: Some(old),
            new: Some(new),
            users: None,
        }
    }

    /// The last record, at `rba`, taken away again; `user` as for [`add`](Self::add).
    pub fn cut(esds: &'r Esds, rba: u64, old: &'r [u8], user: Option<&'r [u8]>) -> EnteredChange<'r> {
        EnteredChange {
            esds,
            rba: rba.to_be_bytes(),
            old: Some(old),
            new: None,
            users: user.map(|old| Users {
                old: Some(old),
                new: None,
            }),
        }
    }
}

impl BaseChange for EnteredChange<'_> {
    /// RBA, and whether that ended a control area.
    type Place = (u64, bool);

    fn going(&self) -> Option<&[u8]> {
        self.old
    }

    fn coming(&self) -> Option<&[u8]> {
        self.new
    }

    fn users(&self) -> Option<Users<'_>> {
        self.users
    }

    fn identity(&self) -> &[u8] {
        &self.rba
    }

    fn is_lockable(&self) -> bool {
        self.old.is_some()
    }

    fn is_as_stored(&self) -> Result<bool, RequestError> {
        let Some(old) = self.old else { return Ok(true) };
        let mut stored = Vec::new();
        Ok(self.esds.record_at(u64::from_be_bytes(self.rba), &mut stored)? && stored == old)
    }

    fn check(&self) -> Result<(), RequestError> {
        match (self.old, self.new) {
            (Some(old), Some(new)) if old.len() != new.len() => Err(RequestError::LengthChange {
                given: new.len(),
                has: old.len(),
            }),
            _ => Ok(()),
        }
    }

    fn apply(&self, context: Context<'_>) -> Result<Option<(u64, bool)>, RequestError> {
        let rba = u64::from_be_bytes(self.rba);
        match (self.old, self.new) {
            (None, Some(new)) => match self.esds.put(new, context)? {
                place if place.0 == rba => Ok(Some(place)),
                // Alternate indexes point to where it is not.
                (other, _) => Err(RequestError::Fenced {
                    why: format!("a record that was to go to RBA {rba} went to RBA {other}"),
                }),
            },
            (_, Some(new)) => {
                self.esds.replace_at(rba, new, context)?;
                Ok(Some((rba, false)))
            }
            (_, None) => {
                self.esds.cut_last(rba, context)?;
                Ok(Some((rba, false)))
            }
        }
    }

    fn redo(&self) -> Redo<'_> {
        let place = &self.rba;
        match (self.old, self.new) {
            (None, Some(record)) => Redo::Insert { place, record },
            (_, Some(record)) => Redo::Update { place, record },
            (_, None) => Redo::Erase { key: place },
        }
    }
}
