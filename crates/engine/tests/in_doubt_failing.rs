//! Units of recovery in doubt, with power cuts, deaths and errors between prepare and decision.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Faults, Survival};
use cica_disk::{Open, SimDisk};
use cica_engine::*;
use common::doubt::*;
use common::hooked::{hooked, Hook};
use common::keyed::*;
use common::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;

/// Cut at every call of the disk from before the unit is prepared until it is decided about: it is in doubt as a whole,
/// or taken back, or stands; and what somebody was told is so.
#[test]
fn whatever_is_cut_the_unit_is_whole() {
    for commits in [true, false] {
        let (disk, world, engine) = two();
        let (a, b, unit, before, after) = worked(&world, &engine);
        let begun = disk.events();
        unit.prepare("T1").unwrap();
        let prepared = disk.events();
        // Trees that have it are committed, and the log starts over.
        a.checkpoint().unwrap();
        b.checkpoint().unwrap();
        let asked = disk.events();
        if commits {
            engine.commit_prepared("T1").unwrap();
        } else {
            engine.back_out_prepared("T1").unwrap();
        }
        let decided = disk.events();
        a.close().unwrap();
        b.close().unwrap();
        disk.kill();
        let trace = disk.trace();
        let mut point = trace.crash_after(begun);
        let mut seen = [0; 3];
        while point.advance().is_some() {
            let at = point.position();
            for (n, image) in images(&point).into_iter().enumerate() {
                let how = format!("commits: {commits}, event {at} of {begun} {prepared} {asked} {decided}, image {n}");
                let world = left(image);
                let engine = world.engine();
                let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
                let found = engine.in_doubt().unwrap();
                match found.first() {
                    Some(unit) => {
                        assert!(at < decided || n > 0, "{how}: it was decided");
                        assert!(at <= decided, "{how}: it was decided");
                        seen[0] += 1;
                        if !unit.going_back {
                            assert!(both(&a, &b) == after, "{how}: whole, in doubt");
                            assert_retained(&a, &b);
                        }
                        if unit.going_back || (at + n) % 2 == 0 {
                            engine.back_out_prepared("T1").unwrap();
                            assert!(both(&a, &b) == before, "{how}: taken back");
                        } else {
                            engine.commit_prepared("T1").unwrap();
                            assert!(both(&a, &b) == after, "{how}: stands");
                        }
                    }
                    None if both(&a, &b) == before => {
                        seen[1] += 1;
                        assert!(at < prepared || !commits && at > asked, "{how}: it is lost");
                    }
                    None => {
                        seen[2] += 1;
                        assert!(commits && at > asked, "{how}: it stands, and nobody said so");
                        assert!(both(&a, &b) == after, "{how}");
                    }
                }
                a.close().unwrap();
                b.close().unwrap();
            }
        }
        println!("in doubt, taken back, stands: {seen:?}");
        assert!(seen[0] > 20 && seen[1] > 5 && (seen[2] > 2) == commits, "{seen:?}");
    }
}

/// A recovery that finds a unit in doubt may be cut itself.
#[test]
fn a_recovery_with_a_unit_in_doubt_may_be_cut() {
    let (disk, world, engine) = two();
    let (a, b, unit, before, after) = worked(&world, &engine);
    unit.prepare("T1").unwrap();
    let image = disk.image();
    drop((a, b, unit, engine, world));
    let disk = SimDisk::from(image);
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    let engine = world.engine();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    disk.kill();
    drop((a, b, engine));
    let trace = disk.trace();
    let mut point = trace.crash_after(0);
    let mut cuts = 0;
    while point.advance().is_some() {
        for (n, image) in images(&point).into_iter().enumerate() {
            let commits = cuts % 2 == 0;
            let how = format!("event {}, image {n}", point.position());
            decide(&left(image), commits, if commits { &after } else { &before }, &how);
            cuts += 1;
        }
    }
    assert!(cuts > 10, "{cuts}");
}

/// Each call of the disk fails once while a unit is prepared: it is open still, or in doubt, or the data sets say that
/// nobody knows.
#[test]
fn whatever_fails_the_unit_is_open_or_in_doubt() {
    let mut failed = [0; 3];
    for call in [Call::Write, Call::Sync, Call::Rename, Call::Open] {
        for nth in 1..20 {
            let (disk, world, engine) = two();
            let (a, b, unit, before, after) = worked(&world, &engine);
            disk.set_faults(Faults::none().fail(call, nth, Errno::Io));
            let done = unit.prepare("T1");
            disk.set_faults(Faults::none());
            if done.is_ok() {
                // What failed, if anything did, was written behind the file.
                assert_eq!(names(&engine), ["T1"], "{call:?} {nth}");
                break;
            }
            if a.commit().is_err() || b.commit().is_err() {
                failed[0] += 1;
                drop((a, b, unit, engine));
                let world = left(disk.image());
                let engine = world.engine();
                let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
                let expected = if names(&engine).is_empty() { before } else { after };
                assert!(both(&a, &b) == expected, "{call:?} {nth}: {done:?}");
                continue;
            }
            // Nothing has happened.
            failed[1] += 1;
            assert!(names(&engine).is_empty(), "{call:?} {nth}: {done:?}");
            update(&mut a.string_in(&unit), 70, 5, 60).unwrap();
            if nth % 2 == 0 {
                unit.backout().unwrap();
                assert!(both(&a, &b) == before);
            } else {
                unit.prepare("T1").unwrap();
                engine.back_out_prepared("T1").unwrap();
                assert!(both(&a, &b) == before);
            }
            failed[2] += 1;
        }
    }
    assert!(failed[0] > 1 && failed[1] > 2 && failed[2] > 2, "{failed:?}");
}

/// The process dies before the name of the file is durable. Whoever finds the name goes by it, so it must not be lost
/// after that (prepared:Z1).
#[test]
fn a_recovery_makes_the_name_durable_that_it_goes_by() {
    let mut found_in_doubt = 0;
    for nth in 1..20 {
        let (disk, world, engine) = two();
        let (a, b, unit, before, after) = worked(&world, &engine);
        // That sync does nothing, and the process gets no further.
        disk.set_faults(Faults::none().fail_from(Call::Sync, nth, Errno::Io));
        let done = unit.prepare("T1");
        disk.set_faults(Faults::none());
        if done.is_ok() {
            break;
        }
        disk.kill();
        drop((a, b, unit, engine));
        let next = world.engine();
        let (a, b) = (world.open(&next, "a"), world.open(&next, "b"));
        let is_in_doubt = !names(&next).is_empty();
        found_in_doubt += usize::from(is_in_doubt);
        a.close().unwrap();
        b.close().unwrap();
        let trace = disk.trace();
        for image in images(&trace.crash_after(disk.events())) {
            let world = left(image);
            let engine = world.engine();
            let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
            assert_eq!(!names(&engine).is_empty(), is_in_doubt, "sync {nth}");
            let expected = if is_in_doubt { &after } else { &before };
            assert!(both(&a, &b) == *expected, "sync {nth}");
        }
    }
    assert!(found_in_doubt > 0);
}

/// A process that may not write to the files of units.
struct Reads;

impl Hook for Reads {
    fn opening(&self, path: &Path, how: Open) -> std::io::Result<()> {
        if how.write && path.extension().is_some_and(|kind| kind == "prepared") {
            return Err(std::io::ErrorKind::PermissionDenied.into());
        }
        Ok(())
    }
}

/// The process dies before its decision is durable. Whoever goes by it makes it so (prepared:Z3), also where he may not
/// take its name away.
#[test]
fn a_decision_that_somebody_went_by_is_not_lost() {
    for may_write in [true, false] {
        let (disk, world, engine) = two();
        let (a, b, unit, ..) = worked(&world, &engine);
        unit.prepare("T1").unwrap();
        a.close().unwrap();
        b.close().unwrap();
        let faults = Faults::none().ignore_sync(1).fail(Call::Remove, 1, Errno::Io);
        disk.set_faults(faults.only("/log/T1.prepared"));
        engine.commit_prepared("T1").unwrap();
        disk.set_faults(Faults::none());
        disk.kill();
        drop((unit, engine));
        // The decision is not durable yet, so the one that is to be proved has something to do.
        let lost = disk.trace().crash_after(disk.events()).image(|_, _| Survival::Lost);
        assert_eq!(names(&left(lost).engine()), ["T1"]);
        let next = if may_write {
            world.engine()
        } else {
            World::on(hooked(disk.clone(), Arc::new(Reads)), Path::new("/")).engine()
        };
        let a = world.open(&next, "a");
        update(&mut a.string(), 70, 1, 90).unwrap();
        a.close().unwrap();
        let trace = disk.trace();
        for image in images(&trace.crash_after(disk.events())) {
            let world = left(image);
            assert!(names(&world.engine()).is_empty(), "may write: {may_write}");
        }
    }
}

/// Nobody gets a record of the unit before the last word about it is written: not if that fails, either.
#[test]
fn a_decision_that_cannot_be_written_frees_nothing() {
    for (commits, word) in [(true, 1), (false, 1), (false, 2)] {
        let (disk, world, engine) = two();
        let (a, b, unit, before, after) = worked(&world, &engine);
        unit.prepare("T1").unwrap();
        let decide = || {
            if commits {
                engine.commit_prepared("T1")
            } else {
                engine.back_out_prepared("T1")
            }
        };
        let faults = Faults::none().fail(Call::Write, word, Errno::Io);
        disk.set_faults(faults.only("/log/T1.prepared"));
        let refused = decide();
        assert!(matches!(refused, Err(PrepareError::File(_))), "{refused:?}");
        disk.set_faults(Faults::none());
        assert_eq!(names(&engine), ["T1"]);
        // The last one came with the unit, and is there no more where it has gone back.
        for done in [
            update(&mut a.string(), 0, 9, 60),
            update(&mut a.string(), 70, 9, 60),
            insert(&mut a.string(), 5, 9),
        ] {
            assert!(done.is_err(), "commits: {commits}, word {word}");
            assert_eq!(codes(done), (8, 24), "commits: {commits}, word {word}");
        }
        decide().unwrap();
        assert!(both(&a, &b) == if commits { after } else { before });
        update(&mut a.string(), 70, 9, 60).unwrap();
    }
}

/// There is no room for what comes back: it can only go back from then on.
#[test]
fn one_that_has_no_room_to_go_back_is_retained_until_it_has() {
    let (disk, world, engine) = two();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    let mut before = both(&a, &b);
    let unit = engine.unit();
    for n in (1..50).step_by(2) {
        erase(&mut a.string_in(&unit), n * 10).unwrap();
    }
    unit.prepare("T1").unwrap();
    let (data, index) = world.paths("a");
    let refuse = |faults: Faults, file| faults.fail_from(Call::Size, 1, Errno::NoSpace).only(file);
    disk.set_faults(refuse(refuse(Faults::none(), data), index));
    for n in 0..500 {
        let record = sealed(n % 50 * 10 + 2 + n / 50 % 8, n, 100);
        if a.string().insert(&record, Insert::Direct).is_ok() {
            before[0].push(record);
        }
    }
    before[0].sort();
    match engine.back_out_prepared("T1") {
        Err(PrepareError::Request(error)) => assert_eq!(codes(Err::<(), _>(error)), (8, 28)),
        other => panic!("{other:?}"),
    }
    assert!(engine.in_doubt().unwrap()[0].going_back);
    assert!(matches!(
        engine.commit_prepared("T1"),
        Err(PrepareError::GoingBack { .. })
    ));
    assert_eq!(codes(insert(&mut a.string(), 10, 9)), (8, 24));
    disk.set_faults(Faults::none());
    engine.back_out_prepared("T1").unwrap();
    assert!(both(&a, &b) == before);
    assert!(names(&engine).is_empty());
}

/// Who decides need not have opened anything: the log that is recovered behind that may lack the unit's end.
#[test]
fn a_commit_that_is_decided_before_the_log_is_recovered_stands() {
    let (disk, world, engine) = two();
    let (a, b, unit, _, after) = worked(&world, &engine);
    let begun = disk.events();
    unit.prepare("T1").unwrap();
    disk.kill();
    drop((a, b, unit, engine));
    let trace = disk.trace();
    let mut point = trace.crash_after(begun);
    let mut seen = 0;
    while point.advance().is_some() {
        for image in images(&point) {
            let world = left(image);
            let engine = world.engine();
            if engine.in_doubt().unwrap().is_empty() {
                continue;
            }
            seen += 1;
            engine.commit_prepared("T1").unwrap();
            assert!(engine.in_doubt().unwrap().is_empty());
            drop(engine);
            let engine = world.engine();
            let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
            assert!(both(&a, &b) == after, "event {}", point.position());
            a.close().unwrap();
            b.close().unwrap();
            assert!(engine.in_doubt().unwrap().is_empty());
            let files = world.disk.list(Path::new("/log")).unwrap();
            let kept = files.iter().filter(|(name, _)| name.to_string_lossy().contains("T1"));
            assert_eq!(kept.count(), 0, "nobody needs the name any more");
        }
    }
    assert!(seen > 3, "{seen}");
}

/// Commits the unit by another process, when the file of its name is about to be opened first.
struct Commits {
    by: Engine,
    done: AtomicBool,
}

impl Hook for Commits {
    fn opening(&self, path: &Path, _: Open) -> std::io::Result<()> {
        if path.ends_with("T1.prepared") && !self.done.swap(true, SeqCst) {
            self.by.commit_prepared("T1").unwrap();
        }
        Ok(())
    }
}

/// The file of a unit gets its other name while somebody recovers by the log that lacks the unit's end.
#[test]
fn a_commit_that_is_decided_while_the_log_is_recovered_stands() {
    let (disk, world, engine) = two();
    let (a, b, unit, _, after) = worked(&world, &engine);
    let begun = disk.events();
    unit.prepare("T1").unwrap();
    disk.kill();
    drop((a, b, unit, engine));
    let trace = disk.trace();
    let mut point = trace.crash_after(begun);
    let mut seen = 0;
    while point.advance().is_some() {
        for image in images(&point) {
            let disk = SimDisk::from(image);
            let by = World::on(Arc::new(disk.clone()), Path::new("/")).engine();
            if by.in_doubt().unwrap().is_empty() {
                continue;
            }
            let hook = Arc::new(Commits {
                by,
                done: AtomicBool::new(false),
            });
            let world = World::on(hooked(disk, hook.clone()), Path::new("/"));
            let engine = world.engine();
            let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
            if hook.done.load(SeqCst) {
                seen += 1;
                assert!(both(&a, &b) == after, "event {}", point.position());
            }
            a.close().unwrap();
            b.close().unwrap();
        }
    }
    assert!(seen > 3, "{seen}");
}
