//! Which CIs hold anything, by what their CAs say of them: a reader of numbered slots passes the others unread, as many
//! as there may be between two records.
//!
//! * K1. A CI without an image on the volume and without a page in the pool holds nothing, and so does one whose page
//!   says that it holds nothing. Asked under its CA's lock, that was true at some moment of the request.
//! * K2. A page that is being changed counts as one that holds something: who comes to it waits for it there.

use super::{CaPage, Component};
use crate::error::RequestError;
use crate::pool::{PageKind, NO_FRAME};
use cica_format::ca::NO_SLOT;

impl Component {
    /// The first CI from `from` on and below `end` that holds something.
    pub fn first_kept(&self, from: u32, end: u32) -> Result<Option<u32>, RequestError> {
        let per_ca = self.layout.ci_per_ca;
        let mut ci = from;
        while ci < end {
            let (ca, first) = self.layout.split(ci);
            let next = self.layout.join(ca + 1, 0);
            let below = per_ca.min(first + (end - ci) as usize);
            let kept = self.with_ca(ca, |page| (first..below).find(|&i| self.is_kept(page, ca, i)))?;
            match kept {
                Some(i) => return Ok(Some(self.layout.join(ca, i as u32))),
                None => ci = next,
            }
        }
        Ok(None)
    }

    /// The last CI up to `to` that holds something.
    pub fn last_kept(&self, to: u32) -> Result<Option<u32>, RequestError> {
        let (mut ca, mut last) = self.layout.split(to);
        loop {
            let kept = self.with_ca(ca, |page| (0..=last).rev().find(|&i| self.is_kept(page, ca, i)))?;
            match (kept, ca.checked_sub(1)) {
                (Some(i), _) => return Ok(Some(self.layout.join(ca, i as u32))),
                (None, None) => return Ok(None),
                (None, Some(before)) => (ca, last) = (before, self.layout.ci_per_ca - 1),
            }
        }
    }

    /// The caller holds the CA's lock.
    fn is_kept(&self, page: CaPage<'_>, ca: u32, i: usize) -> bool {
        self.holds_something(page, ca, i).unwrap_or(true)
    }

    /// Whether CI `i` of a CA holds something; `None`: it is just being changed. The caller holds the CA's lock.
    pub(super) fn holds_something(&self, page: CaPage<'_>, ca: u32, i: usize) -> Option<bool> {
        let frame = page.frame(i);
        if frame == NO_FRAME {
            return Some(page.place(i).slot != NO_SLOT);
        }
        let id = self.page_id(PageKind::Ci, self.layout.join(ca, i as u32));
        let version = self.pool.version_of(frame, id)?;
        let count = self.pool.view(frame).count();
        let latch = &self.pool.descriptor(frame).latch;
        latch.unchanged(version).then_some(count > 0)
    }
}
