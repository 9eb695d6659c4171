//! What an owner has, in the order in which it came: names that it has locked, keys that its unit keeps.
//!
//! The table knows who has a name. This list only tells where to look when all that an owner has is given back, so it
//! may have a name that the owner has not any more, and one twice. To note a name costs a copy of it.

use std::collections::HashSet;

/// Names that an owner has not any more are looked for when there are more of them than this, and than others.
const FEW: usize = 16;

/// Names, one behind the other.
#[derive(Default)]
pub(super) struct NameList {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// How many were given back since somebody looked which are.
    stale: usize,
}

impl NameList {
    pub fn push(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
    }

    /// One was given back: it goes if it is the last. Otherwise it goes when all are looked at, each once; `has` tells
    /// which stay. So an owner that goes on all day leaves no more behind than twice what it has.
    pub fn forget(&mut self, name: &[u8], has: impl Fn(&[u8]) -> bool) {
        let begin = self.ends.iter().nth_back(1).map_or(0, |end| *end);
        if self.bytes[begin..] == *name {
            self.ends.pop();
            self.bytes.truncate(begin);
            return;
        }
        self.stale += 1;
        if self.stale > FEW && self.stale > self.ends.len() / 2 {
            let (mut kept, mut seen) = (NameList::default(), HashSet::new());
            let stay = self.iter().filter(|name| seen.insert(*name) && has(name));
            stay.for_each(|name| kept.push(name));
            *self = kept;
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
