//! Units of recovery that are prepared: in doubt whatever dies, until somebody decides.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::Survival;
use cica_disk::{Disk, Image, MemoryDisk, Open, SimDisk};
use cica_engine::salvage::Salvage;
use cica_engine::*;
use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, Organization};
use cica_format::prepared::{encode_state, PreparedState, PreparedUnit, STATE_AT};
use common::bytes::put_file;
use common::doubt::*;
use common::hooked::{hooked, Hook};
use common::keyed::*;
use common::sphere;
use common::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

#[test]
fn a_prepared_unit_outlives_whatever_dies() {
    for how in ["goes on", "close", "drop", "kill", "power cut", "close, kill"] {
        for commits in [true, false] {
            let (disk, world, engine) = two();
            let (a, b, unit, before, after) = worked(&world, &engine);
            unit.prepare("T1").unwrap();
            assert_retained(&a, &b);
            let listed = engine.in_doubt().unwrap();
            assert_eq!(listed[0].data_sets, ["T.A", "T.B"]);
            assert!(listed[0].changes == 29 && !listed[0].going_back);
            assert!(both(&a, &b) == after);
            let expected = if commits { after } else { before };
            let world = match how {
                "goes on" => {
                    drop(unit);
                    if commits {
                        engine.commit_prepared("T1").unwrap();
                    } else {
                        engine.back_out_prepared("T1").unwrap();
                    }
                    assert!(both(&a, &b) == expected && names(&engine).is_empty());
                    update(&mut a.string(), 70, 9, 60).unwrap();
                    continue;
                }
                "close" | "close, kill" => {
                    assert!(a.close().unwrap().closed && b.close().unwrap().closed);
                    if how == "close" {
                        world
                    } else {
                        left(disk.image())
                    }
                }
                "drop" => {
                    drop((a, b, unit, engine));
                    world
                }
                "kill" => left(disk.image()),
                _ => left(disk.trace().crash_after(disk.events()).image(|_, _| Survival::Lost)),
            };
            decide(&world, commits, &expected, how);
        }
    }
}

/// The handle goes on with the next unit, and the one in doubt is an obstacle to it as to all others.
#[test]
fn the_next_unit_of_the_handle_is_another() {
    let (_, world, engine) = two();
    let (a, b, unit, before, after) = worked(&world, &engine);
    let mut s = a.string_in(&unit);
    s.get(&key(70), Search::Equal, Intent::Update).unwrap();
    unit.prepare("T1").unwrap();
    assert!(
        s.update(&sealed(70, 1, 60)).is_err(),
        "what was got for update is not held any more"
    );
    assert_eq!(codes(update(&mut s, 70, 1, 60)), (8, 24));
    update(&mut s, 400, 1, 60).unwrap();
    assert_eq!(unit.changes(), 1);
    unit.prepare("T2").unwrap();
    update(&mut s, 410, 1, 60).unwrap();
    unit.backout().unwrap();
    assert_eq!(names(&engine), ["T1", "T2"]);
    engine.back_out_prepared("T2").unwrap();
    assert!(both(&a, &b) == after);
    engine.back_out_prepared("T1").unwrap();
    assert!(both(&a, &b) == before);
}

#[test]
fn names_and_orders_that_make_no_sense_are_refused_and_change_nothing() {
    let (_, world, engine) = two();
    let (a, b, unit, _, after) = worked(&world, &engine);
    for name in ["", ".x", "a b", "a/b", "../x", "\u{e4}", &"x".repeat(201)] {
        let refused = unit.prepare(name);
        assert!(matches!(refused, Err(PrepareError::Name { .. })), "{name}: {refused:?}");
    }
    for refused in [engine.commit_prepared("T1"), engine.back_out_prepared("T1")] {
        assert!(matches!(refused, Err(PrepareError::Unknown { .. })), "{refused:?}");
    }
    let other = engine.unit();
    update(&mut a.string_in(&other), 300, 1, 60).unwrap();
    other.prepare("T1").unwrap();
    assert!(matches!(unit.prepare("T1"), Err(PrepareError::Doubled { .. })));
    assert_eq!(names(&engine), ["T1"]);
    engine.commit_prepared("T1").unwrap();
    // The unit is open still, and one without a change may be prepared too.
    unit.prepare("T1").unwrap();
    engine.unit().prepare("T0").unwrap();
    assert_eq!(names(&engine), ["T0", "T1"]);
    engine.back_out_prepared("T0").unwrap();
    a.close().unwrap();
    match engine.back_out_prepared("T1") {
        Err(PrepareError::NotOpen { data_sets, .. }) => assert_eq!(data_sets, ["T.A"]),
        other => panic!("{other:?}"),
    }
    // It was not decided.
    assert!(!engine.in_doubt().unwrap()[0].going_back);
    b.close().unwrap();
    let (data, index) = world.paths("a");
    let refused = engine.destroy(&data, &index, false);
    assert!(
        refused
            .as_ref()
            .is_err_and(|error| error.to_string().contains("in doubt")),
        "{refused:?}"
    );
    let options = OpenOptions {
        access: Access::Output,
        reset: true,
        ..OpenOptions::default()
    };
    let refused = engine.open(&data, &index, options);
    assert!(refused.err().unwrap().to_string().contains("in doubt"));
    engine.commit_prepared("T1").unwrap();
    let (a, b) = (world.open(&engine, "a"), world.open(&engine, "b"));
    assert_eq!(both(&a, &b)[1], after[1]);
    a.close().unwrap();
    engine.destroy(&data, &index, false).unwrap();
}

/// Another process decides; who has the data sets open learns of it with his next open.
#[test]
fn another_process_may_commit() {
    let (_, world, engine) = two();
    let (a, b, unit, _, after) = worked(&world, &engine);
    unit.prepare("T1").unwrap();
    b.close().unwrap();
    let other = world.engine();
    assert!(matches!(
        other.back_out_prepared("T1"),
        Err(PrepareError::NotOpen { .. })
    ));
    other.commit_prepared("T1").unwrap();
    let b = world.open(&engine, "b");
    assert!(both(&a, &b) == after);
    update(&mut a.string(), 70, 9, 60).unwrap();
    erase(&mut b.string(), 11).unwrap();
}

/// And the name is free for another unit: what the one before had is free, and what this one has is not.
#[test]
fn a_name_that_is_given_again_is_another_unit() {
    let (_, world, engine) = two();
    let (a, _b, unit, ..) = worked(&world, &engine);
    unit.prepare("T1").unwrap();
    let retained = |n| codes(update(&mut a.string(), n, 9, 60));
    assert_eq!(retained(70), (8, 24));
    world.engine().commit_prepared("T1").unwrap();
    let unit = engine.unit();
    update(&mut a.string_in(&unit), 200, 1, 60).unwrap();
    unit.prepare("T1").unwrap();
    update(&mut a.string(), 70, 9, 60).unwrap();
    engine.forget_decided().unwrap();
    assert_eq!(retained(200), (8, 24));
    engine.commit_prepared("T1").unwrap();
    update(&mut a.string(), 200, 9, 60).unwrap();
}

/// The same where another process gives it: who looks for what was decided meanwhile sees a unit in doubt that is
/// called so, and it is not the one that he knows.
#[test]
fn a_name_that_another_process_gives_again_is_another_unit() {
    let (_, world, engine) = two();
    let (a, b, unit, _, after) = worked(&world, &engine);
    unit.prepare("T1").unwrap();
    assert_eq!(codes(update(&mut a.string(), 70, 9, 60)), (8, 24));
    b.close().unwrap();
    let other = world.engine();
    other.commit_prepared("T1").unwrap();
    let theirs = world.open(&other, "b");
    let unit = other.unit();
    update(&mut theirs.string_in(&unit), 200, 1, 60).unwrap();
    unit.prepare("T1").unwrap();
    theirs.close().unwrap();
    engine.forget_decided().unwrap();
    update(&mut a.string(), 70, 9, 60).unwrap();
    // What that one has changed is retained by it, in what this process opens, until somebody decides about it.
    let b = world.open(&engine, "b");
    assert_eq!(codes(update(&mut b.string(), 200, 9, 60)), (8, 24));
    erase(&mut b.string(), 11).unwrap();
    engine.back_out_prepared("T1").unwrap();
    insert(&mut b.string(), 11, 300).unwrap();
    assert!(contents(&b) == after[1]);
    update(&mut b.string(), 200, 9, 60).unwrap();
}

/// Does something, once, before the name of a unit is taken away.
#[derive(Default)]
struct BeforeName(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Hook for BeforeName {
    fn removing(&self, path: &Path) {
        let does = (path == Path::new("/log/T1.prepared")).then(|| self.0.lock().unwrap().take());
        does.flatten().into_iter().for_each(|does| does());
    }
}

/// Who takes the name of a unit away that is over never takes it from one that was given it meanwhile (prepared:Z5).
#[test]
fn a_name_is_not_taken_from_the_next_unit() {
    for settles in [false, true] {
        let (disk, world, engine) = two();
        let (a, b, unit, ..) = worked(&world, &engine);
        unit.prepare("T1").unwrap();
        a.close().unwrap();
        b.close().unwrap();
        let before = Arc::new(BeforeName::default());
        let first = World::on(hooked(disk.clone(), before.clone()), Path::new("/")).engine();
        let second = world.engine();
        let (gives, told) = (second.clone(), Arc::new(Mutex::new(None)));
        let (tells, theirs) = (told.clone(), world.open(&second, "a"));
        if settles {
            // Its name is there still, as a power cut brings it back.
            let state = encode_state(PreparedState::Committed, 1);
            common::bytes::put(&disk, Path::new("/log/T1.prepared"), STATE_AT as u64, &state);
        }
        *before.0.lock().unwrap() = Some(Box::new(move || {
            // A look, which clears away the name of what is over. What it finds is told by what comes of the name.
            let _ = gives.in_doubt();
            let unit = gives.unit();
            update(&mut theirs.string_in(&unit), 200, 1, 60).unwrap();
            *tells.lock().unwrap() = Some(unit.prepare("T1").map_err(|error| error.to_string()));
            unit.backout().unwrap();
        }));
        if settles {
            assert_eq!(names(&first), Vec::<String>::new());
        } else {
            first.commit_prepared("T1").unwrap();
        }
        let told = told.lock().unwrap().take().unwrap();
        match told {
            Ok(()) => assert_eq!(names(&second), ["T1"], "settles: {settles}"),
            Err(words) => assert!(
                words.contains("there is a unit of recovery in doubt that is called T1"),
                "{words}"
            ),
        }
    }
}

fn log_bytes(disk: &dyn Disk) -> u64 {
    let there = disk.list(Path::new("/log")).unwrap();
    let is_log = |path: &Path| path.to_string_lossy().contains("log-");
    there
        .iter()
        .filter(|(path, _)| is_log(path))
        .map(|(_, length)| *length)
        .max()
        .unwrap()
}

/// What a salvage makes of a data set whose owner died while it prepared is what recovery makes of it.
#[test]
fn a_salvage_takes_back_what_recovery_does() {
    let (disk, world, engine) = two();
    let (_a, _b, unit, before, after) = worked(&world, &engine);
    let begun = disk.events();
    unit.prepare("T1").unwrap();
    let prepared = disk.events();
    disk.kill();
    let trace = disk.trace();
    let mut point = trace.crash_after(begun);
    let mut seen = [0; 2];
    while point.position() < prepared && point.advance().is_some() {
        let image = point.image(|_, _| Survival::Whole);
        let (data, index) = world.paths("a");
        let mut found = Vec::new();
        let salvage = Salvage::open(&MemoryDisk::from(image.clone()), &data, &index, None, None).unwrap();
        salvage
            .run::<()>(&mut |record| {
                found.push(record.bytes.to_vec());
                Ok(())
            })
            .unwrap();
        let world = left(image);
        let recovered = contents(&world.open(&world.engine(), "a"));
        assert!(found == recovered, "event {}", point.position());
        assert!(recovered == before[0] || recovered == after[0]);
        seen[usize::from(recovered == after[0])] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 2, "{seen:?}");
}

/// Records of a base that may come back would find their unique alternate keys given away in an index that was built
/// meanwhile, and an index that is upgraded no more would miss what comes back.
#[test]
fn the_indexes_of_a_data_set_in_doubt_are_those_that_it_had() {
    let world = World::memory();
    let engine = sphere::ready(&world);
    let set = sphere::open(&world, &engine);
    for n in 1..5 {
        let record = sphere::record(n, &format!("{n:04}"), "AAA");
        set.string().insert(&record, Insert::Direct).unwrap();
    }
    world.create(&engine, "m", |data, _| {
        (data.key_offset, data.key_length) = (5, 4);
        (data.maximum_record, data.spanned) = (2000, true);
        data.alternate = Some(Alternate {
            base: "T.B".into(),
            suppressed: None,
            chained: false,
            key_offset: 8,
            unique: true,
            upgrade: true,
            pointers: Pointers::Keys(8),
        });
    });
    let unit = engine.unit();
    erase(&mut set.string_in(&unit), 3).unwrap();
    unit.prepare("T1").unwrap();
    set.close().unwrap();
    let build = |name: &str| {
        let base = world.open_with(&engine, "b", OpenOptions::default());
        let built = engine.build_index(
            &base,
            &sphere::files(&world, name),
            Build {
                work: Path::new("/v"),
                memory: 1 << 20,
                progress: &mut |_| (),
                omitted: &mut |_| ControlFlow::Continue(()),
            },
        );
        built.map(drop).map_err(|error| error.to_string())
    };
    let upgraded = |upgrade: bool| {
        let (data, index) = world.paths("u");
        let changed = engine.alter(&data, &index, |data, _| {
            data.alternate
                .iter_mut()
                .for_each(|alternate| alternate.upgrade = upgrade);
        });
        changed.map_err(|error| error.to_string())
    };
    for refused in [build("m"), build("u"), upgraded(false)] {
        let words = refused.unwrap_err();
        assert!(words.contains("a unit of recovery in doubt has changed it"), "{words}");
        assert!(words.contains("T1"), "{words}");
    }
    engine.commit_prepared("T1").unwrap();
    build("m").unwrap();
    upgraded(false).unwrap();
}

#[test]
fn a_unit_in_doubt_all_day_keeps_no_log() {
    let (disk, world, engine) = two();
    engine.start_log_over_after(64 << 10);
    let (a, b, unit, before, _) = worked(&world, &engine);
    unit.prepare("T1").unwrap();
    let mut longest = 0;
    for round in 0..200 {
        for n in 20..40 {
            update(&mut a.string(), n * 10, round, 300).unwrap();
        }
        a.commit().unwrap();
        longest = longest.max(log_bytes(&disk));
    }
    assert!(longest <= (128 << 10) + (512 << 10), "{longest} bytes of log");
    engine.back_out_prepared("T1").unwrap();
    for n in 20..40 {
        update(&mut a.string(), n * 10, 0, 60).unwrap();
    }
    assert!(both(&a, &b) == before);
}

/// Records by number and by address, and the end of an ESDS, to which nobody may add.
#[test]
fn records_without_keys_are_in_doubt_too() {
    for organization in [Organization::Esds, Organization::Rrds, Organization::Vrrds] {
        for commits in [true, false] {
            let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
            let world = World::on(Arc::new(disk.clone()), Path::new("/"));
            let engine = world.engine();
            world.create(&engine, "e", |data, _| {
                data.organization = organization;
                (data.key_length, data.key_offset) = (0, 0);
                if organization == Organization::Rrds {
                    (data.average_record, data.maximum_record) = (60, 60);
                }
            });
            let ds = world.open(&engine, "e");
            let mut s = ds.string();
            let rbas: Vec<u64> = (0..20)
                .map(|n| s.insert(&sealed(n, 0, 60), Insert::Sequential).unwrap())
                .collect();
            drop(s);
            ds.close().unwrap();
            let ds = world.open(&engine, "e");
            let before = contents_of(&ds);
            let unit = engine.unit();
            let mut s = ds.string_in(&unit);
            let of = |n: usize| match organization {
                Organization::Esds => Argument::Rba(rbas[n]),
                _ => Argument::Rrn(n as u32 + 1),
            };
            s.get(of(3), Search::Equal, Intent::Update).unwrap();
            s.update(&sealed(3, 5, 60)).unwrap();
            if organization == Organization::Esds {
                for n in 20..25 {
                    s.insert(&sealed(n, 1, 60), Insert::Sequential).unwrap();
                }
            } else {
                s.get(of(5), Search::Equal, Intent::Update).unwrap();
                s.erase().unwrap();
                s.insert_at(31, &sealed(31, 1, 60), Insert::Direct).unwrap();
            }
            drop(s);
            let after = contents_of(&ds);
            unit.prepare("T1").unwrap();
            drop((unit, ds, engine));
            let world = left(disk.image());
            let engine = world.engine();
            let ds = world.open(&engine, "e");
            let mut s = ds.string();
            assert_eq!(
                codes(s.get(of(3), Search::Equal, Intent::Update).map(drop)),
                (8, 24),
                "{organization:?}"
            );
            if organization == Organization::Esds {
                assert_eq!(codes(s.insert(&sealed(30, 1, 60), Insert::Sequential)), (8, 24));
            } else {
                assert_eq!(codes(s.insert_at(6, &sealed(6, 1, 60), Insert::Direct)), (8, 24));
            }
            s.get(of(4), Search::Equal, Intent::Update).unwrap();
            drop(s);
            if commits {
                engine.commit_prepared("T1").unwrap();
                assert!(contents_of(&ds) == after, "{organization:?}");
            } else {
                engine.back_out_prepared("T1").unwrap();
                assert!(contents_of(&ds) == before, "{organization:?}");
            }
            assert_sound(&ds);
        }
    }
}

/// Alternate indexes go with their base, and a unique alternate key that the unit gives or takes is nobody's.
#[test]
fn alternate_indexes_are_in_doubt_with_their_base() {
    for commits in [true, false] {
        let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = sphere::ready(&world);
        let ds = sphere::open(&world, &engine);
        for n in 1..20 {
            let record = sphere::record(n, &format!("{n:04}"), "AAA");
            ds.string().insert(&record, Insert::Direct).unwrap();
        }
        let before = contents_of(&ds);
        let unit = engine.unit();
        let mut s = ds.string_in(&unit);
        s.get(&key(3), Search::Equal, Intent::Update).unwrap();
        s.update(&sphere::record(3, "0103", "BBB")).unwrap();
        s.get(&key(4), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
        s.insert(&sphere::record(30, "0004", "CCC"), Insert::Direct).unwrap();
        drop(s);
        let after = contents_of(&ds);
        unit.prepare("T1").unwrap();
        drop((unit, ds, engine));
        let world = left(disk.image());
        let engine = world.engine();
        let ds = sphere::open(&world, &engine);
        for taken in ["0003", "0103", "0004"] {
            let refused = ds.string().insert(&sphere::record(50, taken, "DDD"), Insert::Direct);
            assert!(refused.is_err(), "{taken}");
        }
        let refused = ds.string().insert(&sphere::record(50, "0003", "DDD"), Insert::Direct);
        assert_eq!(codes(refused), (8, 24));
        if commits {
            engine.commit_prepared("T1").unwrap();
            assert!(contents_of(&ds) == after);
        } else {
            engine.back_out_prepared("T1").unwrap();
            assert!(contents_of(&ds) == before);
        }
        let free = if commits { "0003" } else { "0103" };
        ds.string()
            .insert(&sphere::record(50, free, "DDD"), Insert::Direct)
            .unwrap();
        ds.close().unwrap();
        sphere::assert_agree(&world, &engine);
    }
}

/// What says which records are in doubt is not passed over.
#[test]
fn a_damaged_file_is_told() {
    let (disk, world, engine) = two();
    let (a, b, unit, before, after) = worked(&world, &engine);
    unit.prepare("T1").unwrap();
    drop((a, b, unit, engine));
    for at in [0, 20, 70, 512, 520, 1100] {
        let damaged = MemoryDisk::from(disk.image());
        common::bytes::put(&damaged, Path::new("/log/T1.prepared"), at, b"?");
        let world = World::on(Arc::new(damaged), Path::new("/"));
        let engine = world.engine();
        assert!(matches!(engine.in_doubt(), Err(PrepareError::File(_))), "{at}");
        let (data, index) = world.paths("a");
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        match engine.open(&data, &index, options) {
            Err(error) => assert!(error.to_string().contains("T1.prepared"), "{error}"),
            Ok(_) => panic!("{at}: it opened"),
        };
    }
    assert!(before != after);
}

fn is_there(disk: &dyn Disk, path: &str) -> bool {
    disk.open(Path::new(path), Open::default()).is_ok()
}

/// A file that was copied under another name would be a second unit of the same records.
#[test]
fn a_file_under_another_name_is_told() {
    let (disk, world, engine) = two();
    let (a, b, unit, ..) = worked(&world, &engine);
    unit.prepare("T1").unwrap();
    drop((a, b, unit, engine));
    disk.rename(Path::new("/log/T1.prepared"), Path::new("/log/T2.prepared"))
        .unwrap();
    let told = world.engine().in_doubt().unwrap_err().to_string();
    assert!(told.contains("T2.prepared") && told.contains("'T1'"), "{told}");
}

/// What somebody has written into a catalog that others use removes no file elsewhere (prepared:Z4).
#[test]
fn a_name_in_a_file_leads_nowhere() {
    let (disk, world, _) = two();
    let mut bytes = PreparedUnit {
        name: "../v/precious".into(),
        log: 1,
        unit: 1,
        time: 1,
        sets: Vec::new(),
        undo: Vec::new(),
    }
    .encode()
    .unwrap();
    let state = encode_state(PreparedState::Committed, 1);
    bytes[STATE_AT..STATE_AT + state.len()].copy_from_slice(&state);
    put_file(&disk, "/v/precious.prepared", b"what was here before");
    put_file(&disk, "/log/x.prepared", &bytes);
    let told = world.engine().in_doubt().unwrap_err().to_string();
    assert!(told.contains("x.prepared") && told.contains("precious"), "{told}");
    assert!(is_there(&disk, "/v/precious.prepared") && is_there(&disk, "/log/x.prepared"));
}
