//! The structural check of an RRDS: the control information of every CI, and the count of records.

use super::Rrds;
use crate::common::inspect::IntervalWalk;
use crate::error::RequestError;
use crate::examine::Examination;
use crate::pool::ImagePage;
use cica_format::slots;

impl Rrds {
    /// Checks an open data set. Writers are kept out meanwhile.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        let _gate = self.gate.write();
        let mut walk = IntervalWalk::new(self);
        let (mut next, end) = (0, self.intervals.end());
        while next < end {
            let (ca, _) = self.data.layout.split(next);
            let below = self.data.layout.join(ca + 1, 0).min(end);
            next = match self.data.first_kept(next, below) {
                Ok(kept) => {
                    let empty = kept.unwrap_or(below) - next;
                    (0..empty).for_each(|_| walk.interval(0, true, 0, self.per_ci * self.length));
                    kept.map_or(below, |ci| {
                        self.examine_interval(ci, &mut walk);
                        ci + 1
                    })
                }
                Err(error) => {
                    walk.found(next, error.to_string());
                    below
                }
            };
        }
        Ok(walk.end())
    }

    fn examine_interval(&self, ci: u32, walk: &mut IntervalWalk<'_>) {
        let mut latched = match self.data.latch(ci) {
            Ok(latched) => latched,
            Err(error) => return walk.found(ci, error.to_string()),
        };
        let page = ImagePage::of(latched.cells(), self.data.layout.ci_size);
        match slots::check(page.image(), self.length) {
            Ok(full) => {
                if full != page.count() {
                    walk.found(ci, format!("{full} slots are full, {} counted", page.count()));
                }
                let free = (self.per_ci - full) * self.length;
                walk.interval(full as u64, full == 0, self.length * (full > 0) as usize, free);
            }
            Err(error) => walk.found(ci, error.to_string()),
        }
    }
}
