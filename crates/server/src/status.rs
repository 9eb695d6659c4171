//! What an owner has and does, as commands show it.

use crate::owner::Owner;
use cica_engine::{LockLine, LockMode};
use cica_share::figures::{CLASSES, COUNTERS};
use cica_share::words::{ClientInfo, Locked, Status, Used, LONGEST};

/// Bytes of the list of locked records at most: what else an answer has finds room beside it (`line:W1`).
const LOCKS: usize = 8 << 20;
/// Of the list of clients.
const CLIENTS: usize = 6 << 20;
/// Of the list of data sets.
const DATA_SETS: usize = 4 << 20;

impl Owner {
    /// See the module.
    pub fn status(&self) -> Status {
        let (bound, charged) = self.shared.session.engine.pool_use();
        let locks = self.shared.session.engine.lock_lines().into_iter().map(locked);
        let (locks, unlisted) = fitting(locks.collect(), LOCKS, length, |lock| {
            (!lock.retained, lock.waiters.is_empty())
        });
        let clients = self.guests().iter().map(|guest| guest.info()).collect();
        let (clients, unlisted_clients) = fitting(clients, CLIENTS, of_client, |client| client.units.is_empty());
        let (data_sets, unlisted_data_sets) = fitting(self.shared.used(), DATA_SETS, of_used, |used| used.opens == 0);
        Status {
            process: std::process::id(),
            version: cica_share::words::VERSION,
            seconds: self.begun.elapsed().as_secs(),
            draining: self.is_draining(),
            pool: (bound as u64, charged as u64),
            clients,
            unlisted_clients,
            locks,
            unlisted,
            shunted: self.shunted.info(),
            data_sets,
            unlisted_data_sets,
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
        seconds: line.held.map(|held| held.as_secs()),
        waiters: (line.waiters.into_iter())
            .map(|(who, since)| (who, since.as_millis() as u64))
            .collect(),
    }
}

/// As many as have room, and how many have none. Where not all have, those come first that somebody looks for most, by
/// the least `rank`: of locks retained ones, and those that are waited for.
fn fitting<T, R: Ord>(
    mut all: Vec<T>,
    room: usize,
    length: impl Fn(&T) -> usize,
    rank: impl Fn(&T) -> R,
) -> (Vec<T>, u64) {
    if all.iter().map(&length).sum::<usize>() <= room {
        return (all, 0);
    }
    all.sort_by_key(rank);
    let mut taken = 0;
    let fit = all.iter().take_while(|one| {
        taken += length(one);
        taken <= room
    });
    let fit = fit.count();
    let unlisted = all.len() - fit;
    all.truncate(fit);
    (all, unlisted as u64)
}

/// Bytes of a number in a message at most.
const NUMBER: usize = 10;
/// Of what was counted.
const SUMS: usize = (COUNTERS.len() + CLASSES) * NUMBER;

/// Of a text, which has its length before it.
fn text(text: &str) -> usize {
    text.len() + NUMBER
}

/// Of a lock; a waiter has how long he waits behind him.
fn length(lock: &Locked) -> usize {
    let holders: usize = lock.holders.iter().map(|who| text(who)).sum();
    let waiters: usize = lock.waiters.iter().map(|(who, _)| text(who) + NUMBER).sum();
    text(&lock.data_set) + lock.key.len() + NUMBER + 2 + 1 + NUMBER + 2 * NUMBER + holders + waiters
}

/// Of a client.
fn of_client(client: &ClientInfo) -> usize {
    let data_sets: usize = client.data_sets.iter().map(|name| text(name)).sum();
    text(&client.program) + data_sets + client.units.len() * 3 * NUMBER + 5 * NUMBER + SUMS
}

/// Of a data set.
fn of_used(used: &Used) -> usize {
    text(&used.name) + NUMBER + SUMS
}

// The rest of an answer needs far less than a mebibyte, but for shunted units, of which there are few.
const _: () = assert!(LOCKS + CLIENTS + DATA_SETS + (1 << 20) < LONGEST);

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
            seconds: Some(3),
            waiters: waits.then(|| ("process 2 (b)".into(), 7)).into_iter().collect(),
        }
    }

    #[test]
    fn where_not_all_have_room_the_rest_is_counted_and_what_is_in_the_way_is_shown() {
        let all: Vec<Locked> = (0..100).map(|key| lock(key, key == 90, key == 80)).collect();
        let fitting = |room| {
            fitting(all.clone(), room, length, |lock| {
                (!lock.retained, lock.waiters.is_empty())
            })
        };
        assert_eq!(fitting(1 << 20), (all.clone(), 0));
        let (some, unlisted) = fitting(500);
        assert_eq!(some[..2], [all[90].clone(), all[80].clone()]);
        assert!(some.len() > 2 && some.len() as u64 + unlisted == 100, "{unlisted}");
        assert!(some.iter().map(length).sum::<usize>() <= 500);
    }

    #[test]
    fn as_many_clients_and_data_sets_are_shown_as_have_room() {
        let client = |process: i32| ClientInfo {
            process,
            user: 1,
            program: "program".into(),
            seconds: 0,
            data_sets: vec!["SOME.DATA.SET".into(); 4096],
            units: vec![(1, 1, 1); usize::from(process == 200)],
            sums: Default::default(),
        };
        let all: Vec<ClientInfo> = (0..300).map(client).collect();
        let (some, unlisted) = fitting(all, CLIENTS, of_client, |client| client.units.is_empty());
        assert!(some.len() as u64 + unlisted == 300 && unlisted > 0, "{unlisted}");
        assert_eq!((some[0].process, some[1].process), (200, 0));

        let used = |number: u32| Used {
            name: format!("SOME.DATA.SET{number}"),
            opens: u32::from(number == 20_000),
            sums: Default::default(),
        };
        let all: Vec<Used> = (0..30_000).map(used).collect();
        let (some, unlisted) = fitting(all, DATA_SETS, of_used, |used| used.opens == 0);
        assert!(
            some.len() as u64 + unlisted == 30_000 && some.len() > 4096,
            "{unlisted}"
        );
        assert_eq!(some[0].opens, 1);
    }
}
