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
use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

/// See the module.
#[derive(Default)]
pub struct Holds {
    held: Mutex<Held>,
    /// How many are kept.
    kept: AtomicUsize,
}

#[derive(Default)]
struct Held {
    records: HashMap<Vec<u8>, Hold, Hashing>,
    /// Memory of keys that were held, for those that come.
    spare: Vec<Vec<u8>>,
}

/// Keys whose memory is kept: more than strings hold at a time.
const SPARE: usize = 64;

/// How keys are hashed: by multiplying, as one is held and released with every update, from a start that nobody knows.
struct Hashing(u64);

impl Default for Hashing {
    fn default() -> Hashing {
        Hashing(std::hash::RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Hashing {
    type Hasher = Multiplied;
    fn build_hasher(&self) -> Multiplied {
        Multiplied(self.0)
    }
}

struct Multiplied(u64);

impl Hasher for Multiplied {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let product = u128::from(self.0 ^ u64::from_le_bytes(word)) * 0x9E37_79B9_7F4A_7C15;
            self.0 = product as u64 ^ (product >> 64) as u64;
        }
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

impl Held {
    /// The place of a record, looked for once.
    fn entry(&mut self, key: &[u8]) -> Entry<'_, Vec<u8>, Hold> {
        let mut place = self.spare.pop().unwrap_or_default();
        place.clear();
        place.extend_from_slice(key);
        self.records.entry(place)
    }

    fn keep_memory(&mut self, key: Vec<u8>) {
        if self.spare.len() < SPARE {
            self.spare.push(key);
        }
    }
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
        match held.entry(key) {
            Entry::Occupied(hold) if hold.get().owner != owner => Err(RequestError::Exclusive { key: key.to_vec() }),
            Entry::Occupied(mut hold) => {
                hold.get_mut().strings += 1;
                Ok(())
            }
            Entry::Vacant(place) => {
                place.insert(Hold {
                    owner,
                    strings: 1,
                    kept: false,
                });
                Ok(())
            }
        }
    }

    /// A string gives up its hold.
    pub fn release(&self, key: &[u8]) {
        let mut held = self.held.lock();
        // Nearly always it is the last one.
        let Some((key, mut hold)) = held.records.remove_entry(key) else {
            return;
        };
        hold.strings = hold.strings.saturating_sub(1);
        match hold.strings > 0 || hold.kept {
            true => drop(held.records.insert(key, hold)),
            false => held.keep_memory(key),
        }
    }

    /// Keeps a record until the unit `owner` ends. True: it did not before.
    ///
    /// # Errors
    /// 8/20.
    pub fn keep(&self, key: &[u8], owner: u64) -> Result<bool, RequestError> {
        match self.held.lock().entry(key) {
            Entry::Occupied(hold) if hold.get().owner != owner => {
                return Err(RequestError::Exclusive { key: key.to_vec() })
            }
            Entry::Occupied(hold) if hold.get().kept => return Ok(false),
            Entry::Occupied(mut hold) => hold.get_mut().kept = true,
            Entry::Vacant(place) => {
                place.insert(Hold {
                    owner,
                    strings: 0,
                    kept: true,
                });
            }
        }
        self.kept.fetch_add(1, AcqRel);
        Ok(true)
    }

    /// Does not keep it after all: the change was refused.
    pub fn unkeep(&self, key: &[u8]) {
        let mut held = self.held.lock();
        let Some(hold) = held.records.get_mut(key) else {
            return;
        };
        if std::mem::take(&mut hold.kept) {
            self.kept.fetch_sub(1, AcqRel);
        }
        if hold.strings == 0 {
            held.records.remove(key);
        }
    }

    /// The unit `owner` has ended.
    pub fn end(&self, owner: u64) {
        let mut ended = 0;
        self.held.lock().records.retain(|_, hold| {
            let ends = hold.owner == owner && std::mem::take(&mut hold.kept);
            ended += usize::from(ends);
            !ends || hold.strings > 0
        });
        self.kept.fetch_sub(ended, AcqRel);
    }

    /// Does anybody hold or keep the record?
    pub fn is_held(&self, key: &[u8]) -> bool {
        self.held.lock().records.contains_key(key)
    }

    /// Does a unit keep the record? Costs next to nothing while no unit is open.
    #[inline]
    pub fn is_kept(&self, key: &[u8]) -> bool {
        self.kept.load(Acquire) > 0 && self.held.lock().records.get(key).is_some_and(|hold| hold.kept)
    }
}
