//! PUT CNV of an RRDS: slots may be filled, emptied and changed, each logged as a request of its own, where no slot has
//! been changed since the CI was got (put_interval:V3, put_interval:V4).

use super::Rrds;
use crate::common::put_interval::bad;
use crate::error::RequestError;
use crate::pool::ImagePage;
use cica_counters::DataSetCount;
use cica_format::ci::RDF_EMPTY_SLOT;
use cica_format::{log, slots};

impl Rrds {
    /// Replaces a CI, got as `got`, by an image whose control information is that of such a CI. Without `put` it is checked
    /// alone (put_interval:V5).
    pub fn put_interval(
        &self,
        ci: u32,
        (got, image): (&[u8], &[u8]),
        owner: u64,
        put: bool,
    ) -> Result<(), RequestError> {
        let _gate = self.gate.read();
        self.check_fence()?;
        let full = slots::check(image, self.length).map_err(|why| bad(why.to_string()))?;
        let mut latched = self.data.latch(ci)?;
        let before: Vec<bool> = (0..self.per_ci)
            .map(|slot| self.is_full(latched.view(), slot))
            .collect();
        let mut page = ImagePage::of(latched.cells(), self.data.layout.ci_size);
        let there = |slot: usize| before[slot].then_some(&page.image()[slot * self.length..][..self.length]);
        if (0..self.per_ci).any(|slot| self.in_slot(got, slot) != there(slot)) {
            return Err(self.interval_changed(ci));
        }
        let changes: Vec<(usize, Option<&[u8]>)> = (0..self.per_ci)
            .map(|slot| (slot, self.in_slot(image, slot)))
            .filter(|&(slot, record)| record != there(slot))
            .collect();
        for (slot, _) in &changes {
            let key = self.number(ci, *slot).to_be_bytes();
            if self.holds.is_held_from(&key, owner) {
                return Err(self.holds.refused(&key, owner));
            }
        }
        if !put {
            return Ok(());
        }
        for &(slot, record) in &changes {
            self.fill(&mut page, slot, record);
            let key = (self.number(ci, slot) as u32).to_be_bytes();
            self.append(|number, buf| match (record, before[slot]) {
                (Some(record), true) => log::append_update_at(buf, number, &key, record),
                (Some(record), false) => log::append_insert_at(buf, number, &key, record),
                (None, _) => log::append_erase(buf, number, &key),
            });
            match (record.is_some(), before[slot]) {
                (true, true) => self.counters.add(DataSetCount::Updated, 1),
                (true, false) => {
                    self.counters.add(DataSetCount::Inserted, 1);
                    self.counters.add(DataSetCount::Records, 1)
                }
                (false, _) => {
                    self.counters.add(DataSetCount::Deleted, 1);
                    self.counters.sub(DataSetCount::Records, 1)
                }
            };
        }
        page.set_count(full);
        if !changes.is_empty() {
            self.data.changed(&mut latched);
        }
        drop(latched);
        self.data.note_records(ci);
        Ok(())
    }

    /// The record that a slot of an image holds.
    fn in_slot<'i>(&self, image: &'i [u8], slot: usize) -> Option<&'i [u8]> {
        let fills = image[slots::rdf(image.len(), slot)] & RDF_EMPTY_SLOT == 0;
        fills.then_some(&image[slot * self.length..][..self.length])
    }
}
