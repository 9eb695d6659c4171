//! Records copied from one compressed data set to another as they are stored: not expanded, not compressed (Q5).

use super::{KeyedString, Where};
use crate::error::{CopyError, RequestError};
use crate::request::{Access, Insert, Intent};
use crate::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

impl KeyedString {
    /// See [`crate::Str::last_as_stored`].
    pub fn last_as_stored(&self) -> Option<&[u8]> {
        self.ksds.compressed.as_ref()?;
        match (self.key_at, &self.spot) {
            (Where::Page, Some(spot)) => self.page.record(spot.pos).map(|(_, stored)| stored),
            _ => Some(&self.stored),
        }
    }

    /// See [`crate::Str::takes_as_stored`].
    pub fn takes_as_stored(&mut self, from: &KeyedString) -> Result<bool, RequestError> {
        let (here, there) = (&self.ksds, &from.ksds);
        let (Some(compressed), Some(other)) = (&here.compressed, &there.compressed) else {
            return Ok(false);
        };
        let same_keys = (here.shape.rkp, here.shape.key_len) == (there.shape.rkp, there.shape.key_len);
        let loads = here.loading.load(Relaxed) && self.access == Access::Output && self.is_alone();
        if !same_keys || !loads || here.longest() < there.longest() {
            return Ok(false);
        }
        let adopted = compressed.adopt(other);
        let adopted = adopted.inspect_err(|error| here.fence_unless_full(error))?;
        if adopted {
            self.copies = Some(Arc::downgrade(there));
        }
        Ok(adopted)
    }

    /// Is this how it would store a record of `from`? It has taken over the dictionary of that data set alone, and
    /// neither of them gives the number of a dictionary to another (compressed:Q2).
    fn takes_so(&self, from: &KeyedString, stored: &[u8]) -> bool {
        let Some((here, of)) = self.ksds.compressed.as_ref().zip(self.copies.as_ref()) else {
            return false;
        };
        std::ptr::eq(of.as_ptr(), Arc::as_ptr(&from.ksds)) && here.would_store_so(stored)
    }

    /// See [`crate::Str::copy_next`].
    pub fn copy_next(&mut self, from: &mut KeyedString) -> Result<bool, CopyError> {
        if from.held.is_none() && from.next_on_page().is_some() {
            let pos = from.spot.map_or(0, |spot| spot.pos);
            let (_, stored) = from.page.record(pos).unwrap_or_default();
            if self.takes_so(from, stored) {
                let copied = self.insert_as_stored(stored);
                if copied.is_err() {
                    // Who asks for the record that was refused is given it as its user has it.
                    from.ksds.expand(stored, &mut from.area).map_err(CopyError::Read)?;
                }
                return copied.map(|_| true).map_err(CopyError::Write);
            }
            from.ksds.expand(stored, &mut from.area).map_err(CopyError::Read)?;
        } else {
            match from.next_anywhere(Intent::Read) {
                Ok(_) => {}
                Err(RequestError::EndOfData) => return Ok(false),
                Err(error) => return Err(CopyError::Read(error)),
            }
        }
        let copied = self.insert(from.last().bytes, Insert::Sequential);
        copied.map(|_| true).map_err(CopyError::Write)
    }

    fn insert_as_stored(&mut self, stored: &[u8]) -> Result<u64, RequestError> {
        self.release();
        self.inner
            .allow_change(self.access, "inserting records (open for output)")?;
        self.insert_stored(stored, None, Insert::Sequential)
    }
}
