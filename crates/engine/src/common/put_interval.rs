//! PUT CNV: a control interval replaced by another image of it.
//!
//! * V1. Records stay where they are: the image has the same records at the same places, with the same keys, and only
//!   their other bytes may be new. So neither index nor RBAs change, and what changed is logged as updates.
//! * V2. A CI with a segment of a spanned record is not replaced: the segments of a record change together.
//! * V3. A record that a string holds for update, or a unit keeps, is not replaced.
//! * V4. Nothing is replaced in a CI that is not as it was when it was got: a GET CNV for update takes no hold, so what
//!   others changed since would go. Page and image are compared below the latch below which the page changes.
//! * V5. Several are put one after the other, and each is checked before the first is put. What another changes or gets
//!   for update between the two is found by the second check (V3, V4): then those in front of it are put.

use super::Common;
use crate::error::RequestError;
use crate::pool::Page;
use cica_counters::DataSetCount;
use cica_format::ci;

impl Common {
    /// Replaces a CI with records; `got` is its image as it was got. `log` logs an update: data set number, RBA and
    /// record; without it nothing is replaced, and all is checked (V5).
    pub fn replace_interval(
        &self,
        number: u32,
        (got, image): (&[u8], &[u8]),
        owner: u64,
        log: Option<impl Fn(u32, &mut Vec<u8>, u64, &[u8])>,
    ) -> Result<(), RequestError> {
        let _gate = self.gate.read();
        self.check_fence()?;
        let mut spans = Vec::new();
        let layout = ci::parse(image, &mut spans).map_err(|why| bad(why.to_string()))?;
        let mut latched = self.latch_whole(number)?;
        if self.data.image_of(number, &mut latched)? != got {
            return Err(self.interval_changed(number));
        }
        let mut page = Page::of(latched.cells());
        if page.segment() != 0 || layout.segment != ci::Segment::Whole {
            return Err(bad("it has a segment of a spanned record".into()));
        }
        let own = (0..page.count()).map(|i| (page.place(i), page.len_of(i)));
        if !own.eq(spans.iter().map(|&(offset, len)| (offset.into(), len.into()))) {
            return Err(bad("its records do not lie where they lay".into()));
        }
        let record = |&(offset, len): &(u16, u16)| &image[offset as usize..][..len as usize];
        let mut changed = Vec::new();
        for (i, span) in spans.iter().enumerate() {
            if record(span) == page.record(i) {
                continue;
            }
            let key = page.key(i, self.shape).to_vec();
            if record(span)[self.shape.rkp..][..self.shape.key_len] != key[..] {
                return Err(RequestError::KeyChanged);
            }
            let rba = self.rba_of_ci(number) + u64::from(span.0);
            let held = if key.is_empty() {
                rba.to_be_bytes().to_vec()
            } else {
                key
            };
            if self.holds.is_held_from(&held, owner) {
                return Err(self.holds.refused(&held, owner));
            }
            changed.push((i, rba));
        }
        let Some(log) = log else { return Ok(()) };
        for &(i, rba) in &changed {
            page.replace(i, record(&spans[i]), self.shape);
            self.append(|number, buf| log(number, buf, rba, record(&spans[i])));
        }
        if !changed.is_empty() {
            self.data.changed(&mut latched);
            self.counters.add(DataSetCount::Updated, changed.len() as u64);
        }
        Ok(())
    }

    /// V4.
    pub fn interval_changed(&self, number: u32) -> RequestError {
        RequestError::IntervalChanged {
            rba: self.rba_of_ci(number),
        }
    }
}

/// The image is refused.
pub fn bad(why: String) -> RequestError {
    RequestError::BadInterval { why }
}
