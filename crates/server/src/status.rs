//! What an owner has and does, as commands show it.

use crate::owner::Owner;
use cica_engine::{LockLine, LockMode};
use cica_share::words::{Locked, Status};

/// Bytes of the list of locked records at most: what else an answer has finds room beside it (`line:W1`).
const LOCKS: usize = 8 << 20;

impl Owner {
    /// See the module.
    pub fn status(&self) -> Status {
        let (bound, charged) = self.shared.session.engine.pool_use();
        let locks = self.shared.session.engine.lock_lines().into_iter().map(locked);
        let (locks, unlisted) = fitting(locks.collect(), LOCKS);
        Status {
            process: std::process::id(),
            version: cica_share::words::VERSION,
            seconds: self.begun.elapsed().as_secs(),
            draining: self.is_draining(),
            pool: (bound as u64, charged as u64),
            clients: self.guests().iter().map(|guest| guest.info()).collect(),
            locks,
            unlisted,
            shunted: self.shunted.info(),
            data_sets: self.shared.used(),
            sums: self.tally.sums(),
        }
    }
}

fn locked(line: LockLine) -> Locked {
    Locked {
        data_set: line.data_set.unwrap_or_default(),
        key: line.key,
        alone: line.mode == LockMode::Exclusive,
        retained: line.retained,
        holders: line.holders,
        waiters: (line.waiters.into_iter())
            .map(|(who, since)| (who, since.as_millis() as u64))
            .collect(),
    }
}

/// As many as have room, and how many have none. Where not all have, those that somebody looks for come first: retained
/// ones, and those that are waited for.
fn fitting(mut locks: Vec<Locked>, room: usize) -> (Vec<Locked>, u64) {
    if locks.iter().map(length).sum::<usize>() <= room {
        return (locks, 0);
    }
    locks.sort_by_key(|lock| (!lock.retained, lock.waiters.is_empty()));
    let mut taken = 0;
    let fit = locks.iter().take_while(|lock| {
        taken += length(lock);
        taken <= room
    });
    let fit = fit.count();
    let unlisted = locks.len() - fit;
    locks.truncate(fit);
    (locks, unlisted as u64)
}

/// Bytes of one in a message at most: each text has its length before it, a waiter how long he waits behind him.
fn length(lock: &Locked) -> usize {
    let text = |length: usize| length + 5;
    let holders: usize = lock.holders.iter().map(|who| text(who.len())).sum();
    let waiters: usize = lock.waiters.iter().map(|(who, _)| text(who.len()) + 10).sum();
    text(lock.data_set.len()) + text(lock.key.len()) + 12 + holders + waiters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(key: u32, retained: bool, waits: bool) -> Locked {
        Locked {
            data_set: "A".into(),
            key: key.to_be_bytes().to_vec(),
            alone: true,
            retained,
            holders: vec!["process 1 (a)".into()],
            waiters: waits.then(|| ("process 2 (b)".into(), 7)).into_iter().collect(),
        }
    }

    #[test]
    fn where_not_all_have_room_the_rest_is_counted_and_what_is_in_the_way_is_shown() {
        let all: Vec<Locked> = (0..100).map(|key| lock(key, key == 90, key == 80)).collect();
        assert_eq!(fitting(all.clone(), 1 << 20), (all.clone(), 0));
        let (some, unlisted) = fitting(all.clone(), 500);
        assert_eq!(some[..2], [all[90].clone(), all[80].clone()]);
        assert!(some.len() > 2 && some.len() as u64 + unlisted == 100, "{unlisted}");
        assert!(some.iter().map(length).sum::<usize>() <= 500);
    }
}
