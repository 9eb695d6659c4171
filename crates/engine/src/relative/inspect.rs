//! The structural check of an RRDS: the control information of every CI, and the count of records.

use super::Rrds;
use crate::error::RequestError;
use crate::examine::{Examination, IntervalWalk};
use crate::pool::ImagePage;
use cica_format::slots;

impl Rrds {
    /// Checks an open data set. Writers are kept out meanwhile.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        let _gate = self.gate.write();
        let mut walk = IntervalWalk::new(self);
        for number in 0..self.intervals.end() {
            let mut latched = match self.data.latch(number) {
                Ok(latched) => latched,
                Err(error) => {
                    walk.found(number, error.to_string());
                    continue;
                }
            };
            let mut page = ImagePage::of(latched.bytes(), self.data.layout.ci_size);
            match slots::check(page.image(), self.length) {
                Ok(full) => {
                    if full != page.count() {
                        walk.found(number, format!("{full} slots are full, {} counted", page.count()));
                    }
                    let free = (self.per_ci - full) * self.length;
                    walk.interval(full as u64, full == 0, self.length * (full > 0) as usize, free);
                }
                Err(error) => walk.found(number, error.to_string()),
            }
        }
        Ok(walk.end())
    }
}
