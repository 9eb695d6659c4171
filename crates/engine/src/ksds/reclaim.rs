//! CA reclaim: a CA without records leaves the index and can serve another range of keys.
//!
//! Not reclaimed: the last CA below an index record, because its range would have to go to a left neighbour; so the
//! data set's last CA never is.

use super::nodes::PathStep;
use super::Ksds;
use crate::error::RequestError;
use cica_counters::DataSetCount;

impl Ksds {
    /// Reclaims the CA of `key`, which just lost a record, if it is empty.
    pub(super) fn reclaim(&self, key: &[u8]) -> Result<(), RequestError> {
        if !self.attributes.reclaim {
            return Ok(());
        }
        // The record is erased, whatever comes of this.
        let Ok(_reserve) = self.reserve_change() else {
            return Ok(());
        };
        let _structure = self.structure.lock();
        self.reclaim_structured(key)
    }

    pub(super) fn reclaim_structured(&self, key: &[u8]) -> Result<(), RequestError> {
        if !self.attributes.reclaim {
            return Ok(());
        }
        // The record is erased, whatever comes of this: without memory, or where an index record beside it cannot be
        // read, the CA stays for the next erase in it.
        self.reclaim_of(key).or_else(|_| self.check_fence())
    }

    fn reclaim_of(&self, key: &[u8]) -> Result<(), RequestError> {
        let mut path = self.path(key)?;
        let (Some(step), Some(mut above)) = (path.pop(), path.pop()) else {
            return Ok(());
        };
        above.record = self.node(above.ci)?;
        if above.entry + 1 == above.record.entries.len() || self.data.used_cis(step.record.ca)? > 0 {
            return Ok(());
        }
        self.take_out(step, above, key)
    }

    fn take_out(&self, step: PathStep, mut above: PathStep, key: &[u8]) -> Result<(), RequestError> {
        let PathStep { ci: node, record, .. } = step;
        // The flags told that all CIs are empty; they are set after the latch is gone, so the pages have the last word.
        // Latched all the same time, no insert can come in between.
        let mut latched = Vec::with_capacity(record.entries.len());
        for entry in &record.entries {
            let page = self.data.latch(self.data.layout.join(record.ca, entry.pointer))?;
            if page.view().count() > 0 {
                return Ok(());
            }
            latched.push(page);
        }
        let before = if above.entry > 0 {
            Some(above.record.entries[above.entry - 1].pointer)
        } else {
            self.node_left_of(key, node)?
        };
        let before = match before {
            Some(before) => Some((self.node(before)?, before)),
            None => None,
        };
        self.or_fence(|| {
            if let Some((mut left, before)) = before {
                left.next = record.next;
                self.set_node(before, &left)?;
            }
            above.record.entries.remove(above.entry);
            self.set_node(above.ci, &above.record)?;
            self.free_node(node)?;
            drop(latched);
            for entry in &record.entries {
                self.data.drop_ci(self.data.layout.join(record.ca, entry.pointer))?;
            }
            self.data.free_ca(record.ca)?;
            self.counters.add(DataSetCount::CaReclaims, 1);
            Ok(())
        })
    }
}
