//! Adding a pointer to an alternate index record, and removing one: what the record becomes, and doing that.

use crate::common::by::By;
use crate::common::part::Part;
use crate::error::RequestError;
use crate::ksds::{Ksds, Order};
use crate::log::Logged;
use cica_format::aix::{self, AixRecord, Pointers};
use cica_format::FormatError;

/// What a record of an alternate index becomes.
pub struct Rewrite {
    /// As it is; empty if there is none.
    pub old: Vec<u8>,
    /// As it shall be; empty if no pointer is left.
    pub new: Vec<u8>,
}

/// The pointer to the base record that is named by its prime key, or by its RBA in eight bytes.
pub fn to(pointers: Pointers, identity: &[u8]) -> Result<&[u8], RequestError> {
    match (pointers, identity) {
        (Pointers::Rba, [0, 0, 0, 0, rba @ ..]) => Ok(rba),
        (Pointers::Rba, _) => Err(RequestError::NoSpace {
            why: "its pointers of four bytes end at RBA 4,294,967,295; delete it and define it again".into(),
        }),
        (Pointers::Keys(_) | Pointers::Xrba, identity) => Ok(identity),
    }
}

/// The record of `key` with one pointer more; `None` if it has it. With `unique` another pointer is a duplicate.
pub fn add(
    ksds: &Ksds,
    pointers: Pointers,
    unique: bool,
    key: &[u8],
    pointer: &[u8],
) -> Result<Option<Rewrite>, RequestError> {
    let mut old = Vec::new();
    let mut new = Vec::new();
    match ksds.get(key, &mut old)? {
        true => {
            let record = AixRecord::read_of(&old, pointers, key.len()).map_err(|e| damaged(ksds, key, e))?;
            if record.place(pointer).is_some() {
                return Ok(None);
            }
            if unique {
                return Err(RequestError::Duplicate { key: key.to_vec() });
            }
            new.clone_from(&old);
        }
        false => {
            old.clear();
            aix::begin(&mut new, pointers, key);
        }
    }
    let added = aix::add(&mut new, pointer);
    if added.is_err() || new.len() > ksds.longest() {
        return Err(RequestError::PointerLimit { key: key.to_vec() });
    }
    Ok(Some(Rewrite { old, new }))
}

/// The record of `key` without a pointer; `None` if it has not got it.
pub fn remove(ksds: &Ksds, key: &[u8], pointer: &[u8]) -> Result<Option<Rewrite>, RequestError> {
    let mut old = Vec::new();
    if !ksds.get(key, &mut old)? {
        return Ok(None);
    }
    let mut new = old.clone();
    match aix::remove(&mut new, pointer).map_err(|e| damaged(ksds, key, e))? {
        None => return Ok(None),
        Some(0) => new.clear(),
        Some(_) => {}
    }
    Ok(Some(Rewrite { old, new }))
}

impl Rewrite {
    /// Is the record longer than a CI, before or after? Then the gate must be kept exclusively.
    pub fn is_spanned(&self, ksds: &Ksds) -> bool {
        ksds.is_spanned(self.old.len()) || ksds.is_spanned(self.new.len())
    }

    /// Does it; `None`, and nothing is done: it needs the gate exclusively.
    pub fn apply(&self, ksds: &Ksds, part: Part<'_>) -> Result<Option<()>, RequestError> {
        put(ksds, &self.old, &self.new, part)
    }

    /// Takes it back.
    pub fn take_back(&self, ksds: &Ksds, part: Part<'_>) -> Result<Option<()>, RequestError> {
        put(ksds, &self.new, &self.old, part)
    }
}

fn put(ksds: &Ksds, from: &[u8], to: &[u8], part: Part<'_>) -> Result<Option<()>, RequestError> {
    match (from.is_empty(), to.is_empty()) {
        (true, true) => Ok(Some(())),
        (true, false) => Ok(ksds.insert_part(to, Order::default(), part)?.map(drop)),
        (false, true) => ksds.erase_part(ksds.key_of(from), None, part),
        (false, false) => Ok(ksds.update_part(to, None, part)?.map(drop)),
    }
}

/// Does a logged change of an alternate index again. What is done already is left as it is.
pub(crate) fn replay(ksds: &Ksds, logged: &Logged) -> Result<(), RequestError> {
    let rewrite = match (logged, &ksds.attributes.alternate) {
        (Logged::AddPointer(_, key, pointer), Some(of)) => add(ksds, of.pointers, of.unique, key, pointer)?,
        (Logged::RemovePointer(_, key, pointer), Some(_)) => remove(ksds, key, pointer)?,
        _ => {
            return Err(RequestError::Physical {
                reason: 4,
                what: "the log has pointers for a data set that is no alternate index".into(),
            })
        }
    };
    rewrite.map_or(Ok(()), |rewrite| rewrite.apply(ksds, Part::Whole(By::Itself)).map(drop))
}

/// The record of an alternate key reads as none.
pub fn damaged(ksds: &Ksds, key: &[u8], error: FormatError) -> RequestError {
    RequestError::Physical {
        reason: 4,
        what: format!(
            "{}, alternate key {}: {error}; build the alternate index again with BLDINDEX",
            ksds.data.name,
            crate::error::show_key(key)
        ),
    }
}
