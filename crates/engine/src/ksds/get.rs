//! Getting one record by its whole key, outside any string.

use super::{Ksds, Spot};
use crate::error::RequestError;
use crate::pool::pause;

impl Ksds {
    /// The first record at or above `key`; with `equal` only one that starts with it. What is not there is looked for
    /// again if a spanned record was being replaced meanwhile.
    #[inline]
    pub fn find(&self, key: &[u8], equal: bool) -> Result<Option<Spot>, RequestError> {
        loop {
            let replacing = self.replacing();
            let found = self
                .at_or_above(key)?
                .and_then(|(spot, starts)| (starts || !equal).then_some(spot));
            if found.is_some() || (replacing & 1 == 0 && self.replacing() == replacing) {
                return Ok(found);
            }
            crate::sync::yield_now();
        }
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
        let mut turns = 0;
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
            pause(&mut turns);
        }
    }
}
