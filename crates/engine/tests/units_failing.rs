//! Units of recovery when something fails: a data set of the unit is fenced, another one leaves the log behind, there
//! is no space for what comes back.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Create, Disk, Image, Open, SimDisk, WriteAt};
use cica_engine::*;
use common::keyed::*;
use common::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A world with the data sets `a`, `b` and `c`.
fn world() -> (SimDisk, World, Engine) {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    let engine = world.engine();
    for name in ["a", "b", "c"] {
        loaded(&world, &engine, name, 100);
    }
    (disk, world, engine)
}

/// What the death of the process leaves.
fn after_death(disk: &SimDisk) -> (SimDisk, World) {
    let disk = SimDisk::from(disk.image());
    let world = World::on(Arc::new(disk.clone()) as Arc<dyn Disk>, Path::new("/"));
    (disk, world)
}

/// What a power cut leaves: nothing that is not durable.
fn after_power_cut(disk: &SimDisk) -> World {
    let image = disk.trace().crash_after(disk.events()).image_of(0);
    World::on(Arc::new(SimDisk::from(image)) as Arc<dyn Disk>, Path::new("/"))
}

/// Changes of each kind.
fn change(s: &mut Str) {
    insert(s, 1, 1).unwrap();
    update(s, 10, 1, 300).unwrap();
    erase(s, 20).unwrap();
}

/// Every write to the data component of `name` fails from now on, and a commit of its tree finds that out.
fn fence(disk: &SimDisk, world: &World, ds: &DataSet, name: &str) {
    disk.set_faults(
        Faults::none()
            .fail_from(Call::Write, 1, Errno::Io)
            .only(world.paths(name).0),
    );
    assert_eq!(codes(ds.checkpoint()), (12, 16));
    disk.set_faults(Faults::none());
}

#[test]
fn with_one_data_set_fenced_a_backout_takes_the_others_back_and_the_next_open_that_one() {
    for dies in [false, true] {
        let (disk, world, engine) = world();
        let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
        let (was, unit) = (contents(&a), engine.unit());
        let (mut s, mut t) = (a.string_in(&unit), b.string_in(&unit));
        change(&mut s);
        change(&mut t);
        unit.commit().unwrap();
        let committed = contents(&b);
        assert_ne!(committed, was);
        update(&mut s, 30, 2, 60).unwrap();
        update(&mut t, 30, 2, 60).unwrap();
        erase(&mut t, 40).unwrap();
        update(&mut s, 50, 2, 60).unwrap();
        fence(&disk, &world, &a, "a");
        assert_eq!(codes(unit.commit()), (12, 16));
        assert_eq!(
            codes(update(&mut b.string(), 30, 3, 60)),
            (8, 20),
            "the unit is open still"
        );
        assert_eq!(codes(unit.backout()), (12, 16));
        assert_eq!(unit.changes(), 0, "it has ended");
        assert_eq!(contents(&b), committed);
        // Who opens the fenced one next must not take these back.
        update(&mut b.string(), 30, 4, 60).unwrap();
        update(&mut t, 40, 4, 60).unwrap();
        unit.commit().unwrap();
        drop((s, t));
        let expected = contents(&b);
        let (world, engine) = if !dies {
            assert_eq!(codes(a.close()), (12, 16));
            assert_eq!(
                contents(&world.open(&engine, "a")),
                committed,
                "while the other is open"
            );
            b.close().unwrap();
            (world, engine)
        } else {
            let (_, world) = after_death(&disk);
            let engine = world.engine();
            (world, engine)
        };
        assert_eq!(contents(&world.open(&engine, "a")), committed, "dies: {dies}");
        assert_eq!(contents(&world.open(&engine, "b")), expected, "dies: {dies}");
    }
}

/// Wherever the power is cut while the others go over to another log, and whatever it leaves.
#[test]
fn a_log_may_be_left_behind_at_any_moment() {
    let (disk, world, engine) = world();
    let [a, b] = ["a", "b"].map(|name| world.open(&engine, name));
    let (was, unit) = (contents(&b), engine.unit());
    change(&mut b.string_in(&unit));
    insert(&mut a.string(), 2, 2).unwrap();
    a.commit().unwrap();
    fence(&disk, &world, &a, "a");
    let from = disk.events();
    assert_eq!(codes(a.close()), (12, 16));
    insert(&mut b.string(), 5, 3).unwrap();
    b.checkpoint().unwrap();
    let trace = disk.trace();
    let mut images = 0;
    for events in from..=disk.events() {
        let point = trace.crash_after(events);
        let pending = point.pending().len().min(16);
        let newest = (0..pending).map(|lost| !(1 << lost));
        let alone = (0..pending).map(|there| 1 << there);
        for survivors in newest.chain(alone).chain([0, u64::MAX]) {
            let image = point.image_of(survivors);
            let world = World::on(Arc::new(SimDisk::from(image)) as Arc<dyn Disk>, Path::new("/"));
            let mut now = contents(&world.open(&world.engine(), "b"));
            now.retain(|record| *record != sealed(5, 3, 60));
            assert!(now == was, "event {events}, {survivors:X}");
            assert_eq!(contents(&world.open(&world.engine(), "a")).len(), 101);
            images += 1;
        }
    }
    assert!(images > 100, "{images}");
}

/// The log of a data set that failed is let go for whoever opens that next. What takes the others' units back goes on
/// in another (U6).
#[test]
fn a_data_set_that_fails_fences_no_other_whose_unit_is_open() {
    for (closes, ends) in [
        (true, None),
        (true, Some(true)),
        (true, Some(false)),
        (false, Some(true)),
        (false, None),
    ] {
        let (disk, world, engine) = world();
        engine.start_log_over_after(8 << 10);
        let [a, b, c] = ["a", "b", "c"].map(|name| world.open(&engine, name));
        let (was, unit) = (contents(&b), engine.unit());
        let mut s = b.string_in(&unit);
        change(&mut s);
        insert(&mut a.string(), 2, 2).unwrap();
        insert(&mut c.string(), 2, 2).unwrap();
        a.commit().unwrap();
        fence(&disk, &world, &a, "a");
        if closes {
            assert_eq!(codes(a.close()), (12, 16))
        } else {
            for round in 0..40 {
                update(&mut c.string(), 10 * round, round, 300).unwrap();
                c.commit().unwrap();
            }
            drop(a);
        }
        assert_eq!(log_files(&world).len(), 2);
        insert(&mut s, 3, 3).unwrap();
        insert(&mut b.string(), 5, 3).unwrap();
        let changed = contents(&b);
        match ends {
            Some(true) => unit.commit().unwrap(),
            Some(false) => unit.backout().unwrap(),
            None => b.commit().unwrap(),
        }
        let back = [was.clone(), vec![sealed(5, 3, 60)]].concat();
        let is_back = |now: Vec<Vec<u8>>| {
            let mut back = back.clone();
            back.sort();
            now == back
        };
        for world in [after_death(&disk).1, after_power_cut(&disk)] {
            let engine = world.engine();
            let of_b = contents(&world.open(&engine, "b"));
            match ends {
                Some(true) => assert!(of_b == changed),
                _ => assert!(is_back(of_b)),
            }
            assert_eq!(contents(&world.open(&engine, "a")).len(), 101);
            assert_eq!(contents(&world.open(&engine, "c")).len(), 101);
        }
        // Who opens the failed one next finds all of it, and takes nothing of the others back.
        assert_eq!(contents(&world.open(&engine, "a")).len(), 101);
        assert_eq!(contents(&b).len(), contents(&world.open(&engine, "b")).len());
    }
}

/// A unit has erased records of `a` and changed `b`, and others have taken their room up; what `a` and `b` hold when
/// the unit is taken back. `paths` are those of `a`.
fn without_room(
    disk: &SimDisk,
    paths: (PathBuf, PathBuf),
    a: &DataSet,
    b: &DataSet,
    unit: &UnitOfRecovery,
) -> [Vec<Vec<u8>>; 2] {
    let (before, other) = (contents(a), contents(b));
    let (mut s, mut t) = (a.string_in(unit), b.string_in(unit));
    change(&mut t);
    for n in (1..100).step_by(2) {
        erase(&mut s, n * 10).unwrap();
    }
    let (data, index) = paths;
    let refuse = |faults: Faults, file| faults.fail_from(Call::Size, 1, Errno::NoSpace).only(file);
    disk.set_faults(refuse(refuse(Faults::none(), data), index));
    let (mut others, mut filled, mut refused) = (a.string(), Vec::new(), 0);
    for n in 0..1000 {
        // Between any two records, until none has room.
        let record = sealed(n % 100 * 10 + 2 + n / 100 % 8, n, 100);
        match others.insert(&record, Insert::Direct) {
            Ok(_) => filled.push(record),
            Err(RequestError::Duplicate { .. }) => {}
            Err(error) => {
                assert_eq!(codes(Err::<(), _>(error)), (8, 28));
                refused += 1;
            }
        }
    }
    assert!(refused > 100 && filled.len() > 20, "{refused}, {}", filled.len());
    let mut all = [before, filled].concat();
    all.sort();
    [all, other]
}

#[test]
fn a_backout_without_room_takes_back_what_it_can_and_goes_on_when_there_is_room() {
    let (disk, world, engine) = world();
    let (a, b, unit) = (world.open(&engine, "a"), world.open(&engine, "b"), engine.unit());
    let expected = without_room(&disk, world.paths("a"), &a, &b, &unit);
    assert_eq!(codes(unit.backout()), (8, 28));
    let left = unit.changes();
    assert!(left > 0 && left <= 50, "{left} changes are left");
    assert_eq!(contents(&b), expected[1], "the other data set goes back");
    assert_sound(&a);
    assert_eq!(
        codes(insert(&mut a.string(), 10, 9)),
        (8, 20),
        "erased, and not back yet"
    );
    assert_eq!(codes(unit.backout()), (8, 28));
    assert_eq!(unit.changes(), left);
    // Half of it is taken back: it cannot stand any more.
    assert_eq!(codes(unit.commit()), (8, 104));
    assert_eq!(unit.changes(), left);
    disk.set_faults(Faults::none());
    unit.backout().unwrap();
    assert_eq!(unit.changes(), 0);
    assert_eq!([contents(&a), contents(&b)], expected);
    update(&mut a.string(), 10, 9, 60).unwrap();
    update(&mut a.string_in(&unit), 30, 9, 60).unwrap();
    unit.commit().unwrap();
    a.close().unwrap();
    b.close().unwrap();
}

#[test]
fn a_unit_that_cannot_go_back_may_be_retained_and_be_given_up() {
    let (disk, world, engine) = world();
    let (a, b, unit) = (world.open(&engine, "a"), world.open(&engine, "b"), engine.unit());
    let [all, other] = without_room(&disk, world.paths("a"), &a, &b, &unit);
    assert_eq!(codes(unit.backout()), (8, 28));
    let left = unit.changes();
    unit.retain();
    // What it has changed is refused as retained, at once whatever the patience, and everybody goes on with the rest.
    let mut others = a.string();
    others.set_patience(Patience::Forever);
    assert_eq!(codes(insert(&mut others, 10, 9)), (8, 24));
    let lines = engine.lock_lines();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.retained), "{lines:?}");
    assert_eq!(unit.data_sets().len(), 2);
    update(&mut others, 20, 9, 60).unwrap();
    let second = engine.unit();
    update(&mut b.string_in(&second), 30, 9, 60).unwrap();
    second.backout().unwrap();
    assert_eq!(contents(&b), other);
    // Given up, what was not taken back stands.
    unit.give_up().unwrap();
    assert_eq!(engine.lock_lines(), []);
    assert_eq!(contents(&a).len(), all.len() - left);
    disk.set_faults(Faults::none());
    drop((others, unit, second));
    a.close().unwrap();
    b.close().unwrap();
    assert_eq!(contents(&world.open(&engine, "a")).len(), all.len() - left);
}

/// Of a unit that was given up the archive has what stands: not what was taken back before.
#[test]
fn the_archive_has_a_unit_that_was_given_up_as_it_stands() {
    let (disk, world, engine) = world();
    let root = engine.peek(&world.paths("b").0).unwrap();
    let (from, to) = (world.paths("b"), world.paths("copy"));
    for (from, to) in [(&from.0, &to.0), (&from.1, &to.1)] {
        let bytes = disk.image().bytes(from).unwrap();
        let file = disk
            .open(
                to,
                Open {
                    write: true,
                    create: Create::New,
                    ..Open::default()
                },
            )
            .unwrap();
        file.write(&[WriteAt { at: 0, buf: &bytes }]).unwrap();
    }
    let all = OpenOptions {
        access: Access::Output,
        log: Logging::All,
        ..OpenOptions::default()
    };
    let (a, b, unit) = (
        world.open(&engine, "a"),
        world.open_with(&engine, "b", all),
        engine.unit(),
    );
    without_room(&disk, world.paths("a"), &a, &b, &unit);
    assert_eq!(codes(unit.backout()), (8, 28));
    unit.give_up().unwrap();
    disk.set_faults(Faults::none());
    insert(&mut b.string(), 5, 5).unwrap();
    let kept = contents(&b);
    b.close().unwrap();
    let plan = engine.way_forward((root.lineage(), root.log.origin), u64::MAX).unwrap();
    engine.bring_forward((&to.0, &to.1), Some(&plan), &[], |_| {}).unwrap();
    assert_eq!(contents(&world.open(&engine, "copy")), kept);
}

/// Where nobody has a unit any more that cannot go back, its records alone are nobody's.
#[test]
fn a_unit_dropped_without_room_is_shunted_and_everybody_goes_on() {
    let (disk, world, engine) = world();
    let (a, b, unit) = (world.open(&engine, "a"), world.open(&engine, "b"), engine.unit());
    let mut expected = without_room(&disk, world.paths("a"), &a, &b, &unit);
    // It has locked this one, and not changed it.
    let lock = a.string_in(&unit).lock(&key(20), LockMode::Exclusive, Patience::None);
    lock.unwrap();
    drop(unit);
    assert_eq!(contents(&b), expected[1]);
    insert(&mut b.string(), 5, 5).unwrap();
    expected[1] = contents(&b);
    assert_eq!(engine.retry_shunted(), 1);
    let get = |n| {
        a.string()
            .get(Argument::Key(&key(n)), Search::Equal, Intent::Update)
            .map(drop)
    };
    let missing = (1..100).step_by(2).map(|n| n * 10).find(|n| get(*n).is_err());
    let missing = missing.expect("a record that is not back is retained");
    assert_eq!(codes(get(missing)), (8, 24));
    assert_eq!(codes(insert(&mut a.string(), missing, 9)), (8, 24));
    let mut reader = a.string();
    reader.set_integrity(ReadIntegrity::Consistent);
    let read = reader.get(Argument::Key(&key(missing)), Search::Equal, Intent::Read);
    assert_eq!(codes(read), (8, 24));
    // Of all other records everybody goes on.
    update(&mut a.string(), 20, 2, 30).unwrap();
    expected[0].retain(|record| record[..8] != key(20)[..]);
    expected[0].push(sealed(20, 2, 30));
    expected[0].sort();
    a.commit().unwrap();
    b.checkpoint().unwrap();
    assert_eq!(engine.retry_shunted(), 1);
    // Whoever opens something next tries it again.
    disk.set_faults(Faults::none());
    let c = world.open(&engine, "c");
    assert_eq!(engine.retry_shunted(), 0);
    assert_eq!([contents(&a), contents(&b)], expected);
    erase(&mut a.string(), missing).unwrap();
    for ds in [a, b, c] {
        assert!(ds.close().unwrap().closed, "it kept nothing open");
    }
}

/// What is left at the last close is in the log, for whoever opens next.
#[test]
fn a_shunted_unit_that_has_no_room_at_the_last_close_is_taken_back_by_the_next_open() {
    for end in ["close", "drop", "die", "close, room"] {
        let (disk, world, engine) = world();
        let (a, b, unit) = (world.open(&engine, "a"), world.open(&engine, "b"), engine.unit());
        let expected = without_room(&disk, world.paths("a"), &a, &b, &unit);
        drop(unit);
        let (world, engine) = match end {
            "die" => {
                let (_, world) = after_death(&disk);
                let engine = world.engine();
                (world, engine)
            }
            _ => {
                match end {
                    "close" => {
                        let refused = a.close();
                        let said = refused.as_ref().err().map(ToString::to_string).unwrap_or_default();
                        assert_eq!(codes(refused), (12, 16));
                        assert!(said.contains("the next open takes it back"), "{said}");
                    }
                    "drop" => drop(a),
                    _ => {
                        disk.set_faults(Faults::none());
                        assert!(a.close().unwrap().closed);
                    }
                }
                // The other goes on, and so does the engine.
                assert_eq!(contents(&b), expected[1], "{end}");
                b.close().unwrap();
                assert_eq!(engine.retry_shunted(), 0, "{end}");
                if end == "close" {
                    let (data, index) = world.paths("a");
                    let options = OpenOptions {
                        access: Access::Output,
                        ..OpenOptions::default()
                    };
                    assert!(engine.open(&data, &index, options).is_err(), "there is no room yet");
                }
                disk.set_faults(Faults::none());
                (world, engine)
            }
        };
        let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
        assert_eq!([contents(&a), contents(&b)], expected, "{end}");
    }
}

/// The data sets of a unit are closed before it is dropped: nobody else has them open then.
#[test]
fn a_unit_dropped_without_room_behind_the_last_close_is_taken_back_by_the_next_open() {
    let (disk, world, engine) = world();
    let (a, b, unit) = (world.open(&engine, "a"), world.open(&engine, "b"), engine.unit());
    let expected = without_room(&disk, world.paths("a"), &a, &b, &unit);
    assert!(!a.close().unwrap().closed && !b.close().unwrap().closed);
    drop(unit);
    assert_eq!(engine.retry_shunted(), 0);
    disk.set_faults(Faults::none());
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    assert_eq!([contents(&a), contents(&b)], expected);
}

#[test]
fn an_open_without_room_for_a_unit_that_goes_back_is_refused_until_there_is_room() {
    let (disk, world, engine) = world();
    let (a, b, unit) = (world.open(&engine, "a"), world.open(&engine, "b"), engine.unit());
    let expected = without_room(&disk, world.paths("a"), &a, &b, &unit);
    a.commit().unwrap();
    let (after, world) = after_death(&disk);
    let image = after.image();
    let used: u64 = image.files().filter_map(|path| image.len(path)).sum();
    after.set_faults(Faults::none().space(used));
    let (data, index) = world.paths("a");
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    for _ in 0..2 {
        assert!(world.engine().open(&data, &index, options).is_err());
    }
    after.set_faults(Faults::none());
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    assert_eq!([contents(&a), contents(&b)], expected);
}

#[test]
fn recovery_takes_a_unit_back_beyond_the_space_that_the_definition_gives() {
    for (data_space, index_space) in [(8 * 512 * 6, 1 << 20), (1 << 20, 512 * 20)] {
        let (disk, world, engine) = world();
        world.create(&engine, "d", |data, index| {
            (data.primary, data.secondary) = (data_space, 0);
            (index.primary, index.secondary) = (index_space, 0);
        });
        let (ds, mut records) = (world.open(&engine, "d"), 0);
        let mut s = ds.string();
        while s.insert(&sealed(records * 10, 0, 60), Insert::Sequential).is_ok() {
            records += 1;
        }
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        let (mut expected, unit) = (contents(&ds), engine.unit());
        let mut s = ds.string_in(&unit);
        for n in (1..records).step_by(2) {
            erase(&mut s, n * 10).unwrap();
        }
        let mut others = ds.string();
        for n in 0..records * 10 {
            let record = sealed(n % records * 10 + 2 + n / records % 8, n, 100);
            if others.insert(&record, Insert::Direct).is_ok() {
                expected.push(record);
            }
        }
        expected.sort();
        ds.commit().unwrap();
        let (_, after) = after_death(&disk);
        assert_eq!(codes(unit.backout()), (8, 28), "space {data_space}, {index_space}");
        let engine = after.engine();
        let ds = after.open(&engine, "d");
        assert_eq!(contents(&ds), expected);
        // For requests it is a limit still.
        let mut s = ds.string();
        let mut more = (0..20_000).map(|n| s.insert(&sealed(n, n, 300), Insert::Direct));
        assert!(more.any(|done| matches!(done, Err(RequestError::NoSpace { .. }))));
        drop(s);
        ds.close().unwrap();
    }
}

/// Nothing makes the log durable after the backout but the backout itself.
#[test]
fn a_tree_committed_after_a_backout_is_not_taken_back_by_a_power_cut() {
    let (disk, world, engine) = world();
    let (a, unit) = (world.open(&engine, "a"), engine.unit());
    update(&mut a.string_in(&unit), 30, 1, 60).unwrap();
    a.checkpoint().unwrap();
    unit.backout().unwrap();
    update(&mut a.string(), 30, 2, 60).unwrap();
    a.checkpoint().unwrap();
    let expected = contents(&a);
    let world = after_power_cut(&disk);
    assert_eq!(contents(&world.open(&world.engine(), "a")), expected);
}

/// The tail has the end of a unit for which the log has no room: the next open finds it there. With nothing of the end
/// written, and with the end written and not known to be durable.
#[test]
fn whether_a_unit_stands_whose_commit_failed_with_the_log_is_not_known() {
    for (call, stands) in [(Call::Write, true), (Call::Sync, true)] {
        let (disk, world, engine) = world();
        let a = world.open(&engine, "a");
        let unit = engine.unit();
        let mut s = a.string_in(&unit);
        change(&mut s);
        unit.commit().unwrap();
        insert(&mut s, 3, 3).unwrap();
        let log = log_files(&world)
            .into_iter()
            .find(|name| name.contains("log-"))
            .unwrap();
        let only = Path::new("/log").join(log);
        disk.set_faults(Faults::none().fail_from(call, 1, Errno::Io).only(only));
        assert_eq!(codes(unit.commit()), (12, 16));
        disk.set_faults(Faults::none());
        let told = unit.backout().unwrap_err();
        assert_eq!((told.feedback().return_code, told.feedback().reason), (12, 16));
        let words = told.to_string();
        assert!(
            words.contains("whether the unit of recovery was committed is not known"),
            "{words}"
        );
        // The log's own words are there as well, once.
        assert_eq!(words.matches("is fenced after a failure").count(), 1, "{words}");
        assert!(words.contains("log-0001"), "{words}");
        drop(s);
        assert_eq!(codes(a.close()), (12, 16));
        let there = numbers(&world.open(&engine, "a")).contains(&3);
        assert_eq!(there, stands, "{call:?}");
    }
}

/// Where no commit was tried, nobody can find the end of the unit.
#[test]
fn a_backout_with_the_log_gone_is_finished_by_the_next_open() {
    let (disk, world, engine) = world();
    let a = world.open(&engine, "a");
    let unit = engine.unit();
    let mut s = a.string_in(&unit);
    change(&mut s);
    unit.commit().unwrap();
    insert(&mut s, 3, 3).unwrap();
    fence(&disk, &world, &a, "a");
    let words = unit.backout().unwrap_err().to_string();
    assert!(!words.contains("not known"), "{words}");
    drop(s);
    assert_eq!(codes(a.close()), (12, 16));
    assert!(!numbers(&world.open(&engine, "a")).contains(&3));
}
