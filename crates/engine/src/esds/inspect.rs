//! The structural check of an ESDS: every CI below the end, from its parent's word on; segments in their order.

use super::Esds;
use crate::common::inspect::IntervalWalk;
use crate::common::segments::{FIRST, LAST, MIDDLE};
use crate::error::RequestError;
use crate::examine::Examination;
use crate::pool::Page;
use cica_format::ci;

impl Esds {
    /// Checks an open data set. Writers are kept out meanwhile.
    pub fn examine(&self) -> Result<Examination, RequestError> {
        let _gate = self.gate.write();
        let mut walk = IntervalWalk::new(self);
        // The last segment seen of a record that goes on, and its update number.
        let mut open: Option<u16> = None;
        for number in 0..self.intervals.end() {
            let mut latched = match self.data.latch(number) {
                Ok(latched) => latched,
                Err(error) => {
                    walk.found(number, error.to_string());
                    walk.sizes.lost();
                    open = None;
                    continue;
                }
            };
            let page = Page::of(latched.cells());
            let (count, segment) = (page.count(), page.segment());
            let bytes: usize = (0..count).map(|i| page.len_of(i)).sum();
            let rdfs = ci::rdf_count(page.lens());
            if bytes != page.data_len() || (segment == 0 && rdfs != page.rdfs()) {
                walk.found(number, "record lengths and RDFs do not agree".into());
            }
            let continues = segment == MIDDLE || segment == LAST;
            let follows = continues && open == Some(page.update_number());
            if continues != open.is_some() || (continues && !follows) {
                walk.found(number, "segments of a spanned record do not follow each other".into());
            }
            open = (segment == FIRST || (segment == MIDDLE && follows)).then(|| page.update_number());
            let records = if continues { 0 } else { count };
            let longest = (0..count).map(|i| page.len_of(i)).max().unwrap_or(0);
            let copies = self.to_expand(&page);
            walk.sizes.page(self, &page);
            let free = ci::free_bytes(self.data.layout.ci_size, bytes, rdfs).unwrap_or(0);
            drop(latched);
            let (of_users, wrong) = self.longest_of(&copies);
            wrong.into_iter().for_each(|why| walk.found(number, why));
            let longest = if copies.is_empty() { longest } else { of_users };
            walk.interval(records as u64, count == 0, longest, free);
        }
        if open.is_some() {
            let last = self.intervals.end().saturating_sub(1);
            walk.found(last, "the spanned record at the end lacks its last segment".into());
        }
        Ok(walk.end())
    }
}
