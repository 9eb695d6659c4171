//! Bytes of a logged request as recovery keeps them: its own, or where they stand in the group that was read.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// See the module.
#[derive(Clone)]
pub enum Bytes {
    /// Its own.
    Own(Vec<u8>),
    /// In a group, which stays as long as they do.
    InGroup(Arc<Vec<u8>>, Range<u32>),
}

impl Bytes {
    /// A copy.
    pub fn own(bytes: &[u8]) -> Bytes {
        Bytes::Own(bytes.to_vec())
    }

    /// These bytes, which stand in the group; if they do not, a copy.
    pub(super) fn in_group(group: &Arc<Vec<u8>>, bytes: &[u8]) -> Bytes {
        let from = bytes.as_ptr().addr().wrapping_sub(group.as_ptr().addr());
        let to = from.wrapping_add(bytes.len());
        match (u32::try_from(from), u32::try_from(to)) {
            (Ok(at), Ok(end)) if group.get(from..to).is_some() => Bytes::InGroup(group.clone(), at..end),
            _ => Bytes::own(bytes),
        }
    }

    /// The group that they keep in memory.
    pub fn group(&self) -> Option<&Arc<Vec<u8>>> {
        match self {
            Bytes::Own(_) => None,
            Bytes::InGroup(group, _) => Some(group),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Own(bytes) => bytes,
            Bytes::InGroup(group, range) => &group[range.start as usize..range.end as usize],
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes::Own(bytes)
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
