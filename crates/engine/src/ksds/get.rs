//! Finding a record, from outside the tree and for every string, while others change it.
//!
//! What one page says is true of one moment (latch:L1). That there is nothing between two pages is not: a spanned
//! record that is being replaced is out of the tree for a while ([`super::replace`]). So whatever a reader is told of
//! records that are not there (the one asked for, or those between the position and the next) it believes only if
//! nothing was being replaced while it looked (K5).

use super::{Ksds, Leaf, Spot};
use crate::error::RequestError;
use crate::pool::{pause, Begun};

/// A reader that so often met a replacement keeps replacements away: it must not wait for ever.
const PATIENCE: u32 = 128;

impl Ksds {
    /// What `look` finds at a moment at which nothing is being replaced (K5).
    #[inline]
    fn settled<T>(&self, look: impl Fn() -> Result<T, RequestError>) -> Result<T, RequestError> {
        let replacing = self.replacing();
        let found = look();
        if self.was_settled(replacing) {
            found
        } else {
            self.settled_at_last(look)
        }
    }

    /// Nothing is being replaced, nor was since `replacing` was read.
    #[inline]
    pub(super) fn was_settled(&self, replacing: u64) -> bool {
        replacing & 1 == 0 && self.replacing() == replacing
    }

    #[cold]
    fn settled_at_last<T>(&self, look: impl Fn() -> Result<T, RequestError>) -> Result<T, RequestError> {
        let mut turns = 0;
        while turns < PATIENCE {
            pause(&mut turns);
            let replacing = self.replacing();
            if replacing & 1 == 0 {
                let found = look();
                if self.was_settled(replacing) {
                    return found;
                }
            }
        }
        // The request that replaces has both all the while, and takes them in this order (P9).
        let _turn = self.pool.turn(|| self.needs()).map_err(|_| self.data.pool_full())?;
        let _structure = self.structure.lock();
        look()
    }

    /// The page as a reader copied it has every record between its first and its last (K5).
    pub fn is_settled(&self, leaf: &Leaf) -> bool {
        self.replacing() & 1 == 0 && self.fresh(leaf)
    }

    /// The first record at or above `key`; with `equal` only one that starts with it.
    #[inline]
    pub fn find(&self, key: &[u8], equal: bool) -> Result<Option<Spot>, RequestError> {
        let look = || {
            let found = self.at_or_above(key)?.filter(|(_, starts)| *starts || !equal);
            if found.is_none() {
                // K6
                self.check_fence()?;
            }
            Ok(found.map(|(spot, _)| spot))
        };
        let replacing = self.replacing();
        let found = look();
        // The record with the whole key is the one, whatever is around it.
        let is_it = equal && key.len() == self.shape.key_len && matches!(found, Ok(Some(_)));
        if is_it || self.was_settled(replacing) {
            found
        } else {
            self.settled_at_last(look)
        }
    }

    /// The first record whose key is at or above `key` (`after`: above it). A short `key` compares over its length.
    pub fn first_at(&self, key: &[u8], after: bool) -> Result<Option<Spot>, RequestError> {
        self.settled(|| self.look_above(key, after))
    }

    /// The last record whose key is below `key` (`or_at`: at or below).
    pub fn last_at(&self, key: &[u8], or_at: bool) -> Result<Option<Spot>, RequestError> {
        self.settled(|| self.look_below(key, or_at))
    }

    /// The record after the one with this key, which was at `spot`.
    #[inline]
    pub fn next_after(&self, spot: Option<Spot>, key: &[u8]) -> Result<Option<Spot>, RequestError> {
        self.settled(|| match spot.map(|spot| self.following(&spot)) {
            Some(Ok(following)) => Ok(following),
            Some(Err(Some(error))) => Err(error),
            Some(Err(None)) | None => self.look_above(key, true),
        })
    }

    /// The record before the one with this key, which was at `spot`.
    #[inline]
    pub fn last_before(&self, spot: Option<Spot>, key: &[u8]) -> Result<Option<Spot>, RequestError> {
        self.settled(|| match spot.and_then(|spot| self.before_on_page(&spot)) {
            Some(before) => Ok(Some(before)),
            None => self.look_below(key, false),
        })
    }

    /// Reads the record with this key into `out`; false: there is none.
    pub fn get(&self, key: &[u8], out: &mut Vec<u8>) -> Result<bool, RequestError> {
        Ok(self.read(|| self.find(key, true), out)?.is_some())
    }

    /// Reads the record that `find` finds into `out`; it was so at the spot's version of the page.
    pub fn read(
        &self,
        find: impl Fn() -> Result<Option<Spot>, RequestError>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Spot>, RequestError> {
        let mut begun = Begun::default();
        loop {
            let Some(spot) = find()? else {
                return Ok(None);
            };
            let view = self.leaf_view(&spot.leaf);
            let spanned = view.segment() != 0;
            let sound = view.record(spot.pos, out);
            if sound && self.fresh(&spot.leaf) && (!spanned || self.gather(&spot, out)?) {
                return Ok(Some(spot));
            }
            begun = self.again(begun)?;
        }
    }
}
