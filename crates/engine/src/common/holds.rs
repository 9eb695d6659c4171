//! Records that are held: from a get for update to the string's next request, and by a unit of recovery that changed
//! them to its end.
//!
//! A key is a record's key, or its number or RBA in 8 bytes; the empty key is the end of an ESDS. Owners are strings,
//! and units of recovery for all their strings. Nobody waits.
//!
//! | state | by | to |
//! |---|---|---|
//! | free | `hold`, `keep` | held, kept |
//! | held by n strings of the owner | `hold` of the owner, `release` | held by n + 1, n - 1 (of 0: free) |
//! | held | `keep` of the owner | kept, with as many strings |
//! | kept | `end` of the owner: its unit has ended | held, or free |
//! | held, kept | `hold`, `keep` of another | refused: 8/20 |

use crate::error::RequestError;
use crate::sync::atomic::{AtomicUsize, Ordering::*};
use crate::sync::Mutex;
use std::collections::HashMap;

/// See the module.
#[derive(Default)]
pub struct Holds {
    held: Mutex<HashMap<Vec<u8>, Hold>>,
    /// How many are kept.
    kept: AtomicUsize,
}

struct Hold {
    owner: u64,
    strings: u32,
    kept: bool,
}

impl Holds {
    /// Holds a record for a string of `owner`.
    ///
    /// # Errors
    /// 8/20.
    pub fn hold(&self, key: &[u8], owner: u64) -> Result<(), RequestError> {
        let mut held = self.held.lock();
        match held.get_mut(key) {
            Some(hold) if hold.owner != owner => Err(RequestError::Exclusive { key: key.to_vec() }),
            Some(hold) => {
                hold.strings += 1;
                Ok(())
            }
            None => {
                let hold = Hold {
                    owner,
                    strings: 1,
                    kept: false,
                };
                held.insert(key.to_vec(), hold);
                Ok(())
            }
        }
    }

    /// A string gives up its hold.
    pub fn release(&self, key: &[u8]) {
        let mut held = self.held.lock();
        if let Some(hold) = held.get_mut(key) {
            hold.strings = hold.strings.saturating_sub(1);
            if hold.strings == 0 && !hold.kept {
                held.remove(key);
            }
        }
    }

    /// Keeps a record until the unit `owner` ends. True: it did not before.
    ///
    /// # Errors
    /// 8/20.
    pub fn keep(&self, key: &[u8], owner: u64) -> Result<bool, RequestError> {
        let mut held = self.held.lock();
        match held.get_mut(key) {
            Some(hold) if hold.owner != owner => return Err(RequestError::Exclusive { key: key.to_vec() }),
            Some(hold) if hold.kept => return Ok(false),
            Some(hold) => hold.kept = true,
            None => {
                let hold = Hold {
                    owner,
                    strings: 0,
                    kept: true,
                };
                held.insert(key.to_vec(), hold);
            }
        }
        self.kept.fetch_add(1, AcqRel);
        Ok(true)
    }

    /// Does not keep it after all: the change was refused.
    pub fn keep_not(&self, key: &[u8]) {
        let mut held = self.held.lock();
        let Some(hold) = held.get_mut(key) else { return };
        if std::mem::take(&mut hold.kept) {
            self.kept.fetch_sub(1, AcqRel);
        }
        if hold.strings == 0 {
            held.remove(key);
        }
    }

    /// The unit `owner` has ended.
    pub fn end(&self, owner: u64) {
        let mut ended = 0;
        self.held.lock().retain(|_, hold| {
            let ends = hold.owner == owner && std::mem::take(&mut hold.kept);
            ended += usize::from(ends);
            !ends || hold.strings > 0
        });
        self.kept.fetch_sub(ended, AcqRel);
    }

    /// Does anybody hold or keep the record?
    pub fn is_held(&self, key: &[u8]) -> bool {
        self.held.lock().contains_key(key)
    }

    /// Does a unit keep the record? Costs next to nothing while no unit is open.
    #[inline]
    pub fn is_kept(&self, key: &[u8]) -> bool {
        self.kept.load(Acquire) > 0 && self.held.lock().get(key).is_some_and(|hold| hold.kept)
    }
}
