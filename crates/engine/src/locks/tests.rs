//! The table against a trivial one, circles, order, time, and many names.

use super::waiter::Reason;
use super::{Holds, LockMode, LockOwner, Locks, Patience};
use crate::error::RequestError;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LONG: Patience = Patience::Until(Duration::from_secs(60));
const SHORT: Patience = Patience::Until(Duration::from_millis(20));

fn lock(locks: &Arc<Locks>, key: &[u8], owner: &LockOwner, patience: Patience) -> Result<(), RequestError> {
    locks.lock((1, key), owner.number(), LockMode::Exclusive, patience)
}

fn share(locks: &Arc<Locks>, key: &[u8], owner: &LockOwner, patience: Patience) -> Result<(), RequestError> {
    locks.lock((1, key), owner.number(), LockMode::Shared, patience)
}

fn waiters(locks: &Locks) -> usize {
    locks.lines().iter().map(|line| line.waiters.len()).sum()
}

fn until_waiting(locks: &Locks, count: usize) {
    while waiters(locks) != count {
        std::thread::yield_now();
    }
}

#[test]
fn as_a_trivial_table() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    // By key and owner: strings, kept, locked, shared.
    let mut model: BTreeMap<(u8, u64), [u32; 4]> = BTreeMap::new();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..200_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let (key, owner) = ((random >> 8) as u8 % 12, 1 + (random >> 16) % 4);
        let which = (random >> 24) as usize % 4;
        let reason = [Reason::String, Reason::Unit, Reason::Locked, Reason::Shared][which];
        if random >> 60 < 9 {
            let alone = |reasons: &[u32; 4]| reasons[..3].iter().any(|count| *count > 0);
            let free = model
                .iter()
                .filter(|((k, o), _)| *k == key && *o != owner)
                .all(|(_, reasons)| !alone(reasons) && (which == 3 || reasons[3] == 0));
            let reasons = model.entry((key, owner)).or_default();
            // To be locked is one reason, in whichever mode.
            let is_new = if which < 2 {
                reasons[which] == 0
            } else {
                reasons[2] + reasons[3] == 0
            };
            let count = &mut reasons[which];
            match locks.take(7, &[key], owner, reason) {
                Ok(fresh) => {
                    assert!(free, "{key} {owner} {which}");
                    assert_eq!(fresh, is_new);
                    *count = if which < 2 { *count + 1 } else { 1 };
                    taken += 1;
                }
                Err(RequestError::Exclusive { key: named, set: 7, .. }) => {
                    assert!(!free && named == [key]);
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        } else {
            let count = &mut model.entry((key, owner)).or_default()[which];
            assert_eq!(locks.give(7, &[key], owner, reason), *count > 0);
            *count = count.saturating_sub(1);
        }
        let has = model
            .iter()
            .any(|((k, _), reasons)| *k == key && reasons.iter().any(|count| *count > 0));
        assert_eq!(locks.any(7, &[key], |_| true), has);
    }
    assert!(taken > 10_000 && refused > 10_000, "{taken} {refused}");
}

#[test]
fn a_circle_of_two_or_three_refuses_who_closes_it() {
    for count in [2, 3] {
        let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
        let owners: Vec<LockOwner> = (0..count)
            .map(|n| LockOwner::new(&locks, &format!("job {n}")))
            .collect();
        for (n, owner) in owners.iter().enumerate() {
            lock(&locks, &[n as u8], owner, Patience::None).unwrap();
        }
        std::thread::scope(|threads| {
            let waiting: Vec<_> = (1..count)
                .map(|n| {
                    let (locks, owner) = (&locks, &owners[n]);
                    let waits = threads.spawn(move || lock(locks, &[(n as u8 + 1) % count as u8], owner, LONG));
                    until_waiting(locks, n);
                    waits
                })
                .collect();
            let refused = lock(&locks, &[1], &owners[0], Patience::Forever).unwrap_err();
            assert!(
                matches!(&refused, RequestError::Deadlock { by: Some(by), .. } if by == "job 1"),
                "{refused}"
            );
            assert_eq!((refused.feedback().return_code, refused.feedback().reason), (8, 21));
            owners[0].unlock_all();
            // The last of them waits for what the first gave back, and so on.
            for (waits, n) in waiting.into_iter().zip(1..count).rev() {
                waits.join().unwrap().unwrap();
                let owner: &LockOwner = &owners[n];
                owner.unlock_all();
            }
        });
        assert_eq!(locks.counts().deadlocks, 1);
        assert!(locks.lines().is_empty());
    }
}

#[test]
fn who_waits_first_is_granted_first() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let first = LockOwner::new(&locks, "first");
    lock(&locks, b"K", &first, Patience::None).unwrap();
    let turn = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for n in 0..6 {
            let (locks, turn) = (&locks, &turn);
            threads.spawn(move || {
                let owner = LockOwner::new(locks, "later");
                lock(locks, b"K", &owner, Patience::Forever).unwrap();
                assert_eq!(turn.fetch_add(1, SeqCst), n);
            });
            until_waiting(locks, n + 1);
        }
        drop(first);
    });
    assert_eq!(turn.into_inner(), 6);
    assert_eq!(locks.counts().waits, 6);
}

/// Each request that meets what another has is counted once, whether it waits or not, and whatever refused it.
#[test]
fn a_request_meets_a_record_once() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let holds = Holds::new(locks.clone());
    let (has, wants) = (LockOwner::new(&locks, "has"), LockOwner::new(&locks, "wants"));
    let (set, owner) = (holds.set(), wants.number());
    let exclusive = |patience| locks.lock((set, b"K"), owner, LockMode::Exclusive, patience);
    let met = || (locks.counts().contended, locks.counts().waits);
    locks
        .lock((set, b"K"), has.number(), LockMode::Exclusive, Patience::None)
        .unwrap();
    assert_eq!(met(), (0, 0), "nobody was in its way");
    exclusive(Patience::None).unwrap_err();
    assert_eq!(met(), (1, 0));
    exclusive(SHORT).unwrap_err();
    assert_eq!(met(), (2, 1), "a lock that waits");
    locks.wait_to_read((set, b"K"), owner, SHORT).unwrap_err();
    assert_eq!(met(), (3, 2), "a read that waits");
    // A request for update is refused first, and waits then.
    holds.hold(b"K", owner).unwrap_err();
    locks.wait_to_hold(set, b"K", owner, SHORT).unwrap_err();
    assert_eq!(met(), (4, 3));
    // A change that holds nothing.
    assert_eq!(holds.refused(b"K", owner).feedback().reason, 20);
    assert_eq!(met(), (5, 3));
    has.retain();
    exclusive(LONG).unwrap_err();
    assert_eq!((met(), locks.counts().retained), ((6, 3), 1));
}

#[test]
fn a_lock_is_as_old_as_the_ticks_say() {
    let clock = Arc::new(cica_disk::ManualClock::new(0, 0));
    let locks = Arc::new(Locks::new(clock.clone()));
    let [one, other, late] = ["one", "other", "late"].map(|label| LockOwner::new(&locks, label));
    let held = |locks: &Locks| locks.lines().first().and_then(|line| line.held);
    let pass = |seconds: u64| {
        clock.advance(seconds * 1_000_000_000);
        locks.tick();
    };
    share(&locks, b"K", &one, Patience::None).unwrap();
    assert_eq!(held(&locks), None, "nobody ticked");
    one.unlock_all();
    locks.tick();
    share(&locks, b"K", &one, Patience::None).unwrap();
    assert_eq!(held(&locks), Some(Duration::ZERO));
    pass(5);
    share(&locks, b"K", &other, Patience::None).unwrap();
    pass(2);
    // Once more is no longer, and no shorter; of two the first counts.
    lock(&locks, b"K", &one, Patience::None).unwrap_err();
    share(&locks, b"K", &one, Patience::None).unwrap();
    assert_eq!(held(&locks), Some(Duration::from_secs(7)));
    one.unlock_all();
    assert_eq!(held(&locks), Some(Duration::from_secs(2)));
    // Who waited has it since it was granted.
    std::thread::scope(|threads| {
        let waits = threads.spawn(|| lock(&locks, b"K", &late, LONG));
        until_waiting(&locks, 1);
        pass(60);
        other.unlock_all();
        waits.join().unwrap().unwrap();
    });
    pass(3);
    assert_eq!(held(&locks), Some(Duration::from_secs(3)));
}

#[test]
fn readers_do_not_pass_a_writer_who_waits() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let (reader, writer, late) = (
        LockOwner::new(&locks, "reader"),
        LockOwner::new(&locks, "writer"),
        LockOwner::new(&locks, "late"),
    );
    share(&locks, b"K", &reader, Patience::None).unwrap();
    std::thread::scope(|threads| {
        let waits = threads.spawn(|| lock(&locks, b"K", &writer, LONG));
        until_waiting(&locks, 1);
        assert!(matches!(
            share(&locks, b"K", &late, Patience::None),
            Err(RequestError::Exclusive { .. })
        ));
        // Who has it may go on to X, and so before the writer.
        lock(&locks, b"K", &reader, Patience::None).unwrap();
        reader.unlock_all();
        waits.join().unwrap().unwrap();
    });
}

#[test]
fn a_timeout_leaves_the_queue() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let (has, wants) = (
        LockOwner::new(&locks, "process 4711 PAYROLL"),
        LockOwner::new(&locks, "wants"),
    );
    share(&locks, b"K", &has, Patience::None).unwrap();
    let began = Instant::now();
    let late = lock(&locks, b"K", &wants, SHORT).unwrap_err();
    assert!(began.elapsed() >= Duration::from_millis(20));
    assert!(late.to_string().contains("PAYROLL holds it [8/22]"), "{late}");
    assert_eq!((waiters(&locks), locks.counts().timeouts), (0, 1));
    share(&locks, b"K", &wants, Patience::None).unwrap();
}

/// One that nobody is behind any more stands in nobody's way, whoever has what it waits for.
#[test]
fn who_is_dismissed_waits_no_longer_and_not_again() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let [has, gone, wants] = ["has", "gone", "wants"].map(|label| LockOwner::new(&locks, label));
    for patience in [Patience::Forever, Patience::Until(Duration::from_secs(600))] {
        lock(&locks, b"K", &has, Patience::None).unwrap();
        std::thread::scope(|threads| {
            let first = threads.spawn(|| lock(&locks, b"K", &gone, patience));
            until_waiting(&locks, 1);
            let behind = threads.spawn(|| lock(&locks, b"K", &wants, Patience::Forever));
            until_waiting(&locks, 2);
            gone.dismiss();
            let refused = first.join().unwrap().unwrap_err();
            assert_eq!((refused.feedback().return_code, refused.feedback().reason), (8, 22));
            until_waiting(&locks, 1);
            let again = lock(&locks, b"K", &gone, patience).unwrap_err();
            assert_eq!(again.feedback().reason, 22);
            has.unlock_all();
            behind.join().unwrap().unwrap();
        });
        wants.unlock_all();
        let later = LockOwner::new(&locks, "later");
        lock(&locks, b"K", &later, Patience::Forever).unwrap();
        later.unlock_all();
        locks.owners.lock().entry(gone.number()).or_default().dismissed = false;
    }
}

/// The grant and the end of the patience meet again and again: the lock is had or it is not, and none is lost.
#[test]
fn giving_up_when_it_is_granted() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let (has, wants) = (LockOwner::new(&locks, "has"), LockOwner::new(&locks, "wants"));
    let mut granted = 0;
    for round in 0..300 {
        lock(&locks, b"K", &has, Patience::None).unwrap();
        let wait = Patience::Until(Duration::from_micros(100));
        std::thread::scope(|threads| {
            let waits = threads.spawn(|| lock(&locks, b"K", &wants, wait));
            std::thread::sleep(Duration::from_micros(round));
            has.unlock_all();
            granted += usize::from(waits.join().unwrap().is_ok());
        });
        wants.unlock_all();
        assert!(locks.lines().is_empty());
    }
    assert!(granted > 0);
}

#[test]
fn retained_locks_refuse_at_once() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let (dead, wants) = (LockOwner::new(&locks, "dead"), LockOwner::new(&locks, "wants"));
    lock(&locks, b"K", &dead, Patience::None).unwrap();
    dead.retain();
    let refused = lock(&locks, b"K", &wants, Patience::Forever).unwrap_err();
    assert_eq!((refused.feedback().return_code, refused.feedback().reason), (8, 24));
    dead.release_retained();
    dead.unlock_all();
    lock(&locks, b"K", &wants, Patience::None).unwrap();
}

/// Who waits in pieces keeps his place between two of them, and not for longer.
#[test]
fn who_asks_again_at_once_stands_before_those_who_came_meanwhile() {
    let clock = Arc::new(cica_disk::ManualClock::new(0, 0));
    let locks = Arc::new(Locks::new(clock.clone()));
    let [has, early, late] = ["has", "early", "late"].map(|label| LockOwner::new(&locks, label));
    let waiters = || {
        let lines = locks.lines();
        lines
            .iter()
            .flat_map(|line| &line.waiters)
            .map(|(who, _)| who.clone())
            .collect::<Vec<_>>()
    };
    let until = |expected: &[&str]| {
        while waiters() != expected {
            std::thread::yield_now();
        }
    };
    for (away, order) in [(50, ["early", "late"]), (150, ["late", "early"])] {
        lock(&locks, b"K", &has, Patience::None).unwrap();
        std::thread::scope(|scope| {
            let timeout = lock(&locks, b"K", &early, SHORT).unwrap_err();
            assert_eq!(timeout.feedback().reason, 22);
            clock.advance(1_000_000);
            scope.spawn(|| lock(&locks, b"K", &late, LONG).map(|()| late.unlock_all()).unwrap());
            until(&["late"]);
            clock.advance(away * 1_000_000);
            scope.spawn(|| lock(&locks, b"K", &early, LONG).map(|()| early.unlock_all()).unwrap());
            until(&order);
            has.unlock_all();
        });
        assert!(locks.lines().is_empty());
    }
}

/// Several threads change for one unit: what one is refused, another keeps. Refused changes leave nothing behind.
#[test]
fn a_refused_change_gives_back_what_it_alone_has_kept() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let holds = Holds::new(locks.clone());
    assert!(holds.keep(b"K", 1).unwrap() && !holds.keep(b"K", 1).unwrap());
    holds.erases(b"K", 1);
    holds.unkeep(b"K", 1);
    assert!(holds.is_kept_from(b"K", 0));
    assert_eq!(holds.kept_by(1), [(true, b"K".to_vec())]);
    for n in 0..10_000u32 {
        let (one, other) = (n.to_be_bytes(), (n + 1).to_be_bytes());
        holds.keep(&one, 1).unwrap();
        holds.keep(&other, 1).unwrap();
        holds.unkeep(&one, 1);
        holds.unkeep(&other, 1);
    }
    assert_eq!(holds.kept_by(1).len(), 1);
    assert!(holds.lines_of(1) < 100, "{}", holds.lines_of(1));
    // Neither erases it, whoever has said so first.
    assert!(!holds.keep(b"K", 1).unwrap());
    holds.unkeep(b"K", 1);
    assert_eq!(holds.kept_by(1), [(true, b"K".to_vec())]);
    holds.unkeep(b"K", 1);
    assert!(!holds.is_kept_from(b"K", 0) && locks.lines().is_empty());
    let all = (Bound::Unbounded, Bound::Unbounded);
    assert!(holds.erased_between(all, false, 2).is_none());
    holds.end(1);
}

/// 100,000 locks cost each no more than tens of the first ones, and their end no more than their number.
#[test]
fn many_locks_have_no_cliff() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let holds = Holds::new(locks.clone());
    let timed = |from: u32, to: u32, owner: u64| {
        let began = Instant::now();
        for key in from..to {
            assert!(holds.keep(&key.to_be_bytes(), owner).unwrap());
        }
        began.elapsed()
    };
    let first = timed(0, 10_000, 11);
    timed(10_000, 90_000, 12);
    let last = timed(90_000, 100_000, 13);
    assert!(last < first * 20 + Duration::from_millis(20), "{first:?} {last:?}");
    assert_eq!(locks.lines().len(), 100_000);
    let began = Instant::now();
    for owner in 1_000..11_000 {
        holds.end(owner);
    }
    // Owners of nothing end without a look at what others have: so many looks would take minutes.
    assert!(began.elapsed() < Duration::from_secs(2));
    for owner in 11..14 {
        holds.end(owner);
    }
    assert!(locks.lines().is_empty() && !holds.is_kept_from(&[0; 4], 0));
}

#[test]
fn threads_are_alone_with_what_they_hold() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let inside: [AtomicUsize; 3] = Default::default();
    std::thread::scope(|threads| {
        for thread in 0..4_usize {
            let (locks, inside) = (&locks, &inside);
            threads.spawn(move || {
                let owner = LockOwner::new(locks, "thread");
                for round in 0..2_000 {
                    let key = (round + thread) % 3;
                    lock(locks, &[key as u8], &owner, Patience::Forever).unwrap();
                    assert_eq!(inside[key].fetch_add(1, SeqCst), 0);
                    inside[key].fetch_sub(1, SeqCst);
                    assert!(locks.unlock(1, &[key as u8], owner.number()));
                }
            });
        }
    });
    assert!(locks.lines().is_empty());
}

/// Readers look at a record all the time. They refuse nobody who changes it (L7).
#[test]
fn a_look_refuses_nobody() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let looks = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let reader = LockOwner::new(&locks, "reader");
            let (locks, is_over, looks) = (&locks, &is_over, &looks);
            scope.spawn(move || {
                while !is_over.load(SeqCst) {
                    locks.wait_to_read((1, b"K"), reader.number(), LONG).unwrap();
                    looks.fetch_add(1, SeqCst);
                }
            });
        }
        let writer = LockOwner::new(&locks, "writer");
        let mut refused = 0;
        while looks.load(SeqCst) < 20_000 {
            match locks.take(1, b"K", writer.number(), Reason::Unit) {
                Ok(_) => drop(locks.give_kept(1, b"K", writer.number())),
                Err(_) => refused += 1,
            }
        }
        is_over.store(true, SeqCst);
        assert_eq!(refused, 0);
    });
}

/// Whatever the order in which they are given back, an owner's list has little more than the owner.
#[test]
fn an_owner_that_locks_and_unlocks_all_day_leaves_no_more_behind_than_it_has() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let owner = LockOwner::new(&locks, "ALLDAY");
    let (mut random, mut has) = (0x9E37_79B9_7F4A_7C15_u64, std::collections::BTreeSet::new());
    for round in 0..100_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let key = [(random >> 8) as u8 % 9];
        // Some are given back the next moment, others stay while these come and go.
        if has.remove(&key) {
            assert!(locks.unlock(1, &key, owner.number()), "round {round}");
        } else {
            lock(&locks, &key, &owner, Patience::None).unwrap();
            has.insert(key);
        }
        assert_eq!(locks.has_locked(1, &key, owner.number()), has.contains(&key));
        let noted = locks.owners.lock().get(&owner.number()).unwrap().names.len();
        assert!(noted <= 64, "{noted} for {} in round {round}", has.len());
    }
    assert_eq!(locks.lines().len(), has.len());
    owner.unlock_all();
    assert!(locks.lines().is_empty());
}

/// What is locked again and again, alone or beside others, is there once; two threads of one owner lose nothing.
#[test]
fn what_is_locked_again_is_noted_once_and_two_threads_of_an_owner_lose_nothing() {
    let locks = Arc::new(Locks::new(Arc::new(cica_disk::SystemClock)));
    let owner = LockOwner::new(&locks, "AGAIN");
    let noted = || locks.owners.lock().get(&owner.number()).unwrap().names.len();
    for _ in 0..10_000 {
        lock(&locks, b"A", &owner, LONG).unwrap();
        share(&locks, b"A", &owner, Patience::None).unwrap();
        share(&locks, b"B", &owner, Patience::None).unwrap();
        lock(&locks, b"B", &owner, LONG).unwrap();
        assert!(locks.unlock(1, b"B", owner.number()));
    }
    assert!(noted() <= 64, "{}", noted());
    owner.unlock_all();
    for _ in 0..200 {
        std::thread::scope(|scope| {
            for thread in 0..3_usize {
                let (locks, owner) = (&locks, &owner);
                scope.spawn(move || {
                    for round in 0..200 {
                        match (round + thread) % 5 {
                            0 if thread == 0 => owner.unlock_all(),
                            0..=2 => lock(locks, b"X", owner, Patience::None).unwrap(),
                            _ => drop(locks.unlock(1, b"X", owner.number())),
                        }
                    }
                });
            }
        });
        lock(&locks, b"X", &owner, Patience::None).unwrap();
        owner.unlock_all();
        assert!(locks.lines().is_empty());
    }
}
