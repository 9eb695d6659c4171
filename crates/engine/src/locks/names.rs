//! What an owner has, in the order in which it came: names that it has locked, keys that its unit keeps.
//!
//! The table knows who has a name. This list only tells where to look when all that an owner has is given back, so it
//! may have a name that the owner has not any more, and one twice. To note a name costs a copy of it.

use std::collections::HashSet;

/// Names that may have been given back are looked for when there are more of them than this, and than others.
const FEW: usize = 16;

/// Names, one behind the other.
#[derive(Default)]
pub(super) struct NameList {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// How many may have been given back, or be there twice, since somebody looked which are.
    stale: usize,
}

impl NameList {
    /// Notes one that the owner has; `is_new`: it had not before. When there may be as many that it has not any more as
    /// others, or that are there twice, those go, as `has` tells. So an owner that goes on all day leaves little behind,
    /// and one that gives back in order pays nothing for it.
    pub fn push(&mut self, name: &[u8], is_new: bool, has: impl Fn(&[u8]) -> bool) {
        self.stale += usize::from(!is_new);
        if self.stale > FEW && self.stale > self.ends.len() / 2 {
            let (mut kept, mut seen) = (NameList::default(), HashSet::new());
            let stay = self.iter().filter(|name| seen.insert(*name) && has(name));
            stay.for_each(|name| kept.note(name));
            *self = kept;
        }
        self.note(name);
    }

    fn note(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }

    /// One is not the owner's any more: it goes at once if it is the last, else when all are looked at.
    pub fn forget(&mut self, name: &[u8]) {
        let begin = self.ends.iter().nth_back(1).map_or(0, |end| *end);
        if self.bytes[begin..] == *name {
            self.ends.pop();
            self.bytes.truncate(begin);
        } else {
            self.stale += 1;
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
