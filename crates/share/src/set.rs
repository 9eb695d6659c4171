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
    pub closed: AtomicBool,
    /// What its client had changed when it was opened, or was made durable last.
    pub since: AtomicU64,
}

impl Drop for Set {
    fn drop(&mut self) {
        if !self.closed.load(Acquire) {
            // An owner that is gone has closed it; one that could not be asked (client:C3) does when the client ends.
            let _ = self.client.ask(&Ask::Close { set: self.number }, |_| Ok(()));
        }
    }
}
