//! On whose behalf a change is made, and what the log is told of it.

use super::Common;
use crate::error::RequestError;
use crate::unit::Step;
use cica_format::log;

/// On whose behalf.
#[derive(Clone, Copy)]
pub enum By<'u> {
    /// A string's own, or recovery's: it stands as soon as it is done.
    Itself,
    /// A unit of recovery's.
    Unit(&'u Step<'u>),
}

/// A change of one record. `place` stands in front where records have no keys, and is empty where they have.
#[derive(Clone, Copy)]
pub enum Done<'r> {
    Inserted { place: &'r [u8], record: &'r [u8] },
    Updated { place: &'r [u8], record: &'r [u8] },
    Erased { key: &'r [u8] },
}

impl<'r> Done<'r> {
    /// Appends the log's record of it.
    pub fn append(self, number: u32, buf: &mut Vec<u8>) {
        match self {
            Done::Inserted { place, record } => log::append_insert_at(buf, number, place, record),
            Done::Updated { place, record } => log::append_update_at(buf, number, place, record),
            Done::Erased { key } => log::append_erase(buf, number, key),
        }
    }

    /// What takes it back; `old` is the record as it was before.
    pub fn taken_back(self, common: &Common, old: &'r [u8]) -> Done<'r> {
        let keyed = common.shape.key_len > 0;
        match self {
            Done::Inserted { record, .. } if keyed => Done::Erased {
                key: &record[common.shape.rkp..][..common.shape.key_len],
            },
            Done::Inserted { place, .. } => Done::Erased { key: place },
            Done::Updated { place, .. } => Done::Updated { place, record: old },
            Done::Erased { .. } if keyed => Done::Inserted {
                place: &[],
                record: old,
            },
            Done::Erased { key } => Done::Inserted {
                place: key,
                record: old,
            },
        }
    }
}

impl Common {
    /// Logs a change (R4, U4: the caller holds the latch of the page).
    #[inline]
    pub fn log(&self, by: By<'_>, done: Done<'_>) {
        match by {
            By::Itself => self.append(|number, buf| done.append(number, buf)),
            By::Unit(step) => {
                self.note_change();
                step.log(self, done);
            }
        }
    }

    /// Refuses to touch a record that a unit keeps; a unit has kept it for itself before (U5). The caller holds what
    /// orders it among changes of this record.
    ///
    /// # Errors
    /// 8/20.
    #[inline]
    pub fn check_kept(&self, key: &[u8], by: By<'_>) -> Result<(), RequestError> {
        match by {
            By::Itself if self.holds.is_kept(key) => Err(RequestError::Exclusive { key: key.to_vec() }),
            _ => Ok(()),
        }
    }
}
