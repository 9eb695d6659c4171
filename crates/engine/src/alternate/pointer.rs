//! Adding a pointer to an alternate index, and removing one: what the records of the key become, and doing that.

use super::{chain, damaged, AlternateLayout, Edit};
use crate::common::context::{Context, RECOVERY};
use crate::error::RequestError;
use crate::ksds::{Ksds, Order};
use crate::log::Logged;
use cica_format::aix::{self, Pointers};

/// What the records of an alternate key become.
pub struct Rewrite {
    /// One after the other. Only the last of those that take room may come after one that gives some back.
    edits: Vec<Edit>,
    /// The pointer that is added has others beside it.
    pub joins: bool,
}

/// How many pointers a key's record may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Most {
    /// What RECORDSIZE gives room for.
    AsDefined,
    /// What the index can store. A unit that is taken back gives a key a pointer again whose place another may have
    /// got meanwhile.
    AsStored,
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

/// The records of `key` with one pointer more; `None` if they have it. Where keys are unique another is a duplicate.
pub fn add(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    pointer: &[u8],
    most: Most,
) -> Result<Option<Rewrite>, RequestError> {
    let added = if layout.chained {
        chain::add(ksds, layout, key, pointer)?
    } else {
        add_to_one(ksds, layout, key, pointer, most)?.map(|(edit, joins)| (vec![edit], joins))
    };
    match added {
        Some((_, true)) if layout.unique => Err(RequestError::Duplicate { key: key.to_vec() }),
        added => Ok(added.map(|(edits, joins)| Rewrite { edits, joins })),
    }
}

/// The one record that a key has in an index without chains, with one pointer more.
fn add_to_one(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    pointer: &[u8],
    most: Most,
) -> Result<Option<(Edit, bool)>, RequestError> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let joins = ksds.get(key, &mut old)?;
    if joins {
        if layout.read(ksds, &old)?.place(pointer).is_some() {
            return Ok(None);
        }
        new.clone_from(&old);
    } else {
        old.clear();
        aix::begin(&mut new, layout.pointers, key);
    }
    let added = aix::add(&mut new, pointer);
    let longest = match most {
        Most::AsDefined => ksds.longest(),
        Most::AsStored => ksds.longest_possible(),
    };
    if !(joins && layout.unique) && (added.is_err() || new.len() > longest) {
        return Err(RequestError::PointerLimit { key: key.to_vec() });
    }
    Ok(Some((Edit { old, new }, joins)))
}

/// The records of `key` without a pointer; `None` if they have not got it.
pub fn remove(
    ksds: &Ksds,
    layout: &AlternateLayout,
    key: &[u8],
    pointer: &[u8],
) -> Result<Option<Rewrite>, RequestError> {
    let edits = if layout.chained {
        chain::remove(ksds, layout, key, pointer)?
    } else {
        remove_from_one(ksds, key, pointer)?.map(|edit| vec![edit])
    };
    Ok(edits.map(|edits| Rewrite { edits, joins: false }))
}

fn remove_from_one(ksds: &Ksds, key: &[u8], pointer: &[u8]) -> Result<Option<Edit>, RequestError> {
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
    Ok(Some(Edit { old, new }))
}

/// Whether the records of `key` have a pointer.
pub fn has(ksds: &Ksds, layout: &AlternateLayout, key: &[u8], pointer: &[u8]) -> Result<bool, RequestError> {
    if layout.chained {
        return chain::has(ksds, layout, key, pointer);
    }
    let mut list = Vec::new();
    Ok(ksds.get(key, &mut list)? && layout.read(ksds, &list)?.place(pointer).is_some())
}

impl Rewrite {
    /// Is one of the records longer than a CI, before or after? Then the gate must be kept exclusively.
    pub fn is_spanned(&self, ksds: &Ksds) -> bool {
        let spanned = |record: &[u8]| ksds.is_spanned(record.len());
        self.edits.iter().any(|edit| spanned(&edit.old) || spanned(&edit.new))
    }

    /// Does it, all or nothing; `None`, and nothing is done: it needs the gate exclusively.
    pub fn apply(&self, ksds: &Ksds, context: Context<'_>) -> Result<Option<()>, RequestError> {
        for (done, edit) in self.edits.iter().enumerate() {
            let refused = match put(ksds, &edit.old, &edit.new, context) {
                Ok(Some(())) => continue,
                refused => refused,
            };
            for edit in self.edits[..done].iter().rev() {
                // They took room, and give it back.
                if !matches!(put(ksds, &edit.new, &edit.old, context), Ok(Some(()))) {
                    let why = "a context of a change of an alternate index cannot be taken back".to_string();
                    return Err(RequestError::Fenced { why });
                }
            }
            return refused;
        }
        Ok(Some(()))
    }
}

fn put(ksds: &Ksds, from: &[u8], to: &[u8], context: Context<'_>) -> Result<Option<()>, RequestError> {
    match (from.is_empty(), to.is_empty()) {
        (true, true) => Ok(Some(())),
        (true, false) => Ok(ksds.insert(to, Order::default(), context)?.map(drop)),
        (false, true) => ksds.erase(ksds.key_of(from), None, context),
        (false, false) => Ok(ksds.update(to, None, context)?.map(drop)),
    }
}

/// Does a logged change of an alternate index again. What is done already is left as it is.
pub(crate) fn replay(ksds: &Ksds, logged: &Logged) -> Result<(), RequestError> {
    let rewrite = match (logged, AlternateLayout::of(&ksds.attributes)) {
        (Logged::AddPointer(_, key, pointer), Some(layout)) => add(ksds, &layout, key, pointer, Most::AsStored)?,
        (Logged::RemovePointer(_, key, pointer), Some(layout)) => remove(ksds, &layout, key, pointer)?,
        _ => {
            return Err(RequestError::Physical {
                reason: 4,
                what: "the log has pointers for a data set that is no alternate index".into(),
            })
        }
    };
    rewrite.map_or(Ok(()), |rewrite| {
        rewrite.apply(ksds, Context::Itself(RECOVERY)).map(drop)
    })
}
