//! What an owner has, in the order in which it came: names that it has locked, keys that its unit keeps.
//!
//! The table knows who has a name. This list only tells where to look when all that an owner has is given back, so it
//! may have a name that the owner has not any more, and one twice. To note a name costs a copy of it.

use std::collections::HashSet;

/// Of fewer names nobody asks which are the owner's still.
const FEW: usize = 32;

/// Names, one behind the other.
#[derive(Default)]
pub(super) struct NameList {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// When there are so many, all are looked at.
    most: usize,
}

impl NameList {
    /// Notes one that the owner has. When there are twice as many as it had the last time, those go that it has not any
    /// more, as `has` tells, and those that are there twice. So an owner that goes on all day leaves little behind.
    pub fn push(&mut self, name: &[u8], has: impl Fn(&[u8]) -> bool) {
        if self.ends.len() >= self.most.max(FEW) {
            let (mut kept, mut seen) = (NameList::default(), HashSet::new());
            let stay = self.iter().filter(|name| seen.insert(*name) && has(name));
            stay.for_each(|name| kept.note(name));
            kept.most = 2 * kept.ends.len();
            *self = kept;
        }
        self.note(name);
    }

    fn note(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }

    /// One is not the owner's any more: it goes at once if it is the last.
    pub fn forget(&mut self, name: &[u8]) {
        let begin = self.ends.iter().nth_back(1).map_or(0, |end| *end);
        if self.bytes[begin..] == *name {
            self.ends.pop();
            self.bytes.truncate(begin);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(&0).chain(&self.ends);
        begins.zip(&self.ends).map(|(begin, end)| &self.bytes[*begin..*end])
    }

    /// Names in it, those counted too that were given back.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.ends.len()
    }
}
