//! An open of a data set, which its strings share.

use crate::client::Client;
use crate::words::Ask;
use cica_engine::far::Facts;
use cica_format::attributes::Attributes;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::Arc;

/// See the module.
pub struct Set {
    pub client: Arc<Client>,
    /// The owner's number of it.
    pub number: u32,
    pub attributes: Attributes,
    pub index_attributes: Option<Attributes>,
    /// Records come by an alternate key.
    pub path: bool,
    pub facts: Mutex<Facts>,
    pub changes: AtomicU64,
    pub closed: AtomicBool,
}

impl Set {
    /// A change through this open is about to be made.
    pub fn note_change(&self) {
        self.changes.fetch_add(1, AcqRel);
    }

    /// Changes made through this open.
    pub fn changes(&self) -> u64 {
        self.changes.load(Acquire)
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        if !self.closed.load(Acquire) {
            // An owner that is gone has closed it.
            let _ = self.client.ask(&Ask::Close { set: self.number }, |_| Ok(()));
        }
    }
}
