//! The way of a request through the index, record by record, for an open whose buffers have to hold each of them before
//! it is looked at. What it finds may be old by the time the request is made: then a transfer was made for nothing, and
//! what the request answers is right all the same.

use super::Ksds;
use crate::error::RequestError;
use crate::pool::Probe;

/// A sequence-set record, and an entry of it.
pub struct Route {
    /// Index CI.
    pub node: u32,
    pub entry: usize,
    /// Data CIs of its CA in key order.
    pub cis: Vec<u32>,
}

impl Ksds {
    /// To the sequence-set entry of a key, or of the start of one. `passes` is told each index CI before it is looked at,
    /// and whether it is of the sequence set. `None`: there is no index, or it was just changed.
    pub fn route(&self, key: &[u8], mut passes: impl FnMut(u32, bool)) -> Result<Option<Route>, RequestError> {
        let (mut ci, levels) = self.top();
        for _ in 1..levels {
            passes(ci, false);
            let next = self.index.read(ci, |view| {
                let entry = view.find_entry(Probe::new(key), |_| ());
                (entry < view.count() && view.level() > 1).then(|| view.pointer(entry))
            })?;
            match next {
                Some(next) => ci = next,
                None => return Ok(None),
            }
        }
        if levels == 0 {
            return Ok(None);
        }
        passes(ci, true);
        let entry = self.index.read(ci, |view| view.find_entry(Probe::new(key), |_| ()))?;
        Ok(self.route_at(ci, entry)?.filter(|route| entry < route.cis.len()))
    }

    /// An entry of a sequence-set record.
    pub fn route_at(&self, node: u32, entry: usize) -> Result<Option<Route>, RequestError> {
        let layout = self.data.layout;
        let cis = self.index.read(node, |view| {
            let cis = || {
                (0..view.count())
                    .map(|i| layout.join(view.ca(), view.pointer(i)))
                    .collect()
            };
            (view.level() == 1).then(cis)
        })?;
        Ok(cis.map(|cis| Route { node, entry, cis }))
    }

    /// The sequence-set record behind one.
    pub fn node_behind(&self, node: u32) -> Result<Option<u32>, RequestError> {
        let next = self.index.read(node, |view| (view.level() == 1).then(|| view.next()))?;
        Ok(next.filter(|&next| next != u32::MAX))
    }

    /// Has a data CI a record whose key is at or above `key` (`after`: above it)?
    pub fn has_from(&self, ci: u32, key: &[u8], after: bool) -> Result<bool, RequestError> {
        self.data.read(ci, |view| {
            let (pos, equal) = view.find_record(Probe::new(key), self.shape);
            pos + usize::from(equal && after) < view.count()
        })
    }
}
