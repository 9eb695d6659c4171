//! Memory that batches of a browse are put into, where the client sees it.
//!
//! * A1. All clients together have at most [`MOST`] areas, and one has [`MOST_OF_ONE`]. Whoever gets none is sent his
//!   batches in messages.
//! * A2. An area goes with its string, with the string's position (ENDREQ), and when it was not used for [`UNUSED`];
//!   then a record that was copied from it counts for nothing, as the client's batch is as old (`string:S4`).
//! * A3. The owner reads nothing that lies there: the client could have changed it.

use cica_disk::FilledArea;
use cica_engine::Record;
use cica_share::batch::Staged;
use cica_share::words::AREA;
use cica_share::UNUSED;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::Arc;
use std::time::Instant;

/// Areas of all clients: 64 MiB.
const MOST: usize = (64 << 20) / AREA;
/// Areas of a client: 4 MiB.
pub const MOST_OF_ONE: usize = (4 << 20) / AREA;

/// How many areas there are.
#[derive(Default)]
pub struct Areas(AtomicUsize);

/// One of them.
pub struct StringArea {
    memory: FilledArea,
    staged: Staged,
    used: Instant,
    _seat: Seat,
}

struct Seat(Arc<Areas>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0 .0.fetch_sub(1, AcqRel);
    }
}

impl Areas {
    fn seat(self: &Arc<Areas>) -> Option<Seat> {
        let one_more = |count: usize| (count < MOST).then_some(count + 1);
        (self.0).fetch_update(AcqRel, Acquire, one_more).ok()?;
        Some(Seat(self.clone()))
    }
}

impl StringArea {
    /// One more (A1); none where the system has no such memory.
    pub fn new(all: &Arc<Areas>) -> Option<StringArea> {
        let seat = all.seat()?;
        Some(StringArea {
            memory: FilledArea::new(AREA)?,
            staged: Staged::default(),
            used: Instant::now(),
            _seat: seat,
        })
    }

    /// For the client.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.memory.descriptor()
    }

    /// Puts a record there; see [`Staged::put`].
    #[inline]
    pub fn put(&mut self, room: &mut Range<usize>, record: &Record<'_>) -> bool {
        self.staged.put(&mut self.memory, room, record)
    }

    /// A batch is there now. False: it is not, and what was put there counts for nothing.
    pub fn filled(&mut self) -> bool {
        self.used = Instant::now();
        self.staged.finish(&mut self.memory)
    }

    /// Was it not used for long (A2)?
    pub fn is_unused(&self) -> bool {
        self.used.elapsed() >= UNUSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_so_many_and_no_more() {
        let all = Arc::new(Areas::default());
        let seats: Vec<Seat> = (0..MOST).map(|_| all.seat().expect("a seat")).collect();
        assert!(StringArea::new(&all).is_none());
        drop(seats);
        let area = StringArea::new(&all).expect("memory");
        assert_eq!(all.0.load(Acquire), 1);
        drop(area);
        assert_eq!(all.0.load(Acquire), 0);
    }
}
