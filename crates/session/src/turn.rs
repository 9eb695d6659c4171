//! Whose turn it is to start the owner of shared data sets.
//!
//! When an owner dies, all its clients look for the next one in the same moment. Were each to start one, all but one
//! of them would be in vain, and the programs would wait for the processors that these take. So who starts an owner
//! has a lock on the directory of its socket, and the others look for the socket again and again meanwhile. The lock
//! decides nothing but who is quickest: that no two serve is the owner's own lock.

use cica_disk::{Clock, SystemClock};
use rustix::fs::{flock, open, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

/// How long another is left the turn: who has it may be stopped, or have no owner to start.
const LONGEST: Duration = Duration::from_millis(200);
/// The time between two looks for the owner that another starts.
const LOOK: Duration = Duration::from_micros(500);

/// The turn to start an owner, for those who look for the owner of one catalog.
pub(crate) struct Turn {
    since: Duration,
    is_mine: bool,
    /// The directory of the socket, with the lock. There is none before the first owner of a catalog has made it.
    _lock: Option<OwnedFd>,
}

impl Turn {
    /// Nobody's turn yet.
    pub(crate) fn new() -> Turn {
        Turn {
            since: SystemClock.passed(),
            is_mine: false,
            _lock: None,
        }
    }

    /// Takes the turn, or waits a moment where another has it. May an owner be started now? If not, it is to be looked
    /// for again; so it is after a turn has just come, as whoever had it before has started one.
    pub(crate) fn take_or_wait(&mut self, directory: &Path) -> bool {
        if self.is_mine {
            return true;
        }
        let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let lock = open(directory, how, Mode::empty()).ok();
        match lock
            .as_ref()
            .map(|lock| flock(lock, FlockOperation::NonBlockingLockExclusive))
        {
            Some(Err(Errno::WOULDBLOCK)) if SystemClock.passed() < self.since + LONGEST => std::thread::sleep(LOOK),
            Some(Ok(())) => (self.is_mine, self._lock) = (true, lock),
            // Without a lock each starts its own: it is found out later who serves.
            _ => {
                self.is_mine = true;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_the_other_has_the_turn_and_none_waits_for_ever() {
        let directory = std::env::temp_dir().join(format!("cica-turn-{}", std::process::id()));
        std::fs::create_dir(&directory).unwrap();
        let (mut first, mut second) = (Turn::new(), Turn::new());
        assert!(!first.take_or_wait(&directory), "it looks once more");
        assert!(first.take_or_wait(&directory));
        assert!(!second.take_or_wait(&directory));
        drop(first);
        assert!(!second.take_or_wait(&directory), "the first has started one");
        assert!(second.take_or_wait(&directory));
        let mut third = Turn::new();
        while !third.take_or_wait(&directory) {}
        assert!(
            SystemClock.passed() >= third.since + LONGEST,
            "the second still has the lock"
        );
        std::fs::remove_dir(&directory).unwrap();
    }

    #[test]
    fn where_there_is_no_directory_yet_each_has_the_turn() {
        let missing = std::env::temp_dir().join(format!("cica-turn-{}-missing", std::process::id()));
        assert!(Turn::new().take_or_wait(&missing));
    }
}
