//! What a copy and the archive say of a unit of recovery that was in doubt at a moment (prepared:Z7).
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Event, Faults, Survival};
use cica_disk::{Clock, Disk, Image, ManualClock, MemoryDisk, Open, SimDisk};
use cica_engine::*;
use cica_format::attributes::Organization;
use cica_format::prepared::{encode_state, PreparedState, PreparedUnit, STATE_AT};
use common::archived::*;
use common::bytes::{bytes_of, put_file};
use common::doubt::{contents_of, images};
use common::keyed::*;
use common::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A world whose engines have one clock.
struct Timed {
    world: World,
    clock: Arc<ManualClock>,
}

impl Timed {
    fn new() -> Timed {
        Timed::on(Arc::new(MemoryDisk::default()), &clock())
    }

    fn on(disk: Arc<dyn Disk>, clock: &Arc<ManualClock>) -> Timed {
        Timed {
            world: World::on(disk, Path::new("/")),
            clock: clock.clone(),
        }
    }

    fn engine(&self) -> Engine {
        Engine::new(Env {
            disk: self.world.disk.clone(),
            clock: self.clock.clone(),
            log_dir: self.world.root.join("log"),
            pool_bytes: Some(self.world.pool_bytes),
            io: Default::default(),
            background: false,
        })
        .unwrap()
    }

    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn files(&self) -> Vec<String> {
        let listed = self.world.disk.list(Path::new("/archive")).unwrap();
        let names = listed.into_iter().map(|(name, _)| name.to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".decided")).collect()
    }
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000))
}

/// Copies of one moment, each for one recovery.
struct Copies {
    names: Vec<String>,
    of: (u64, u64),
    /// They have the unit's changes.
    in_doubt: bool,
}

const ORGANIZATIONS: [Organization; 4] = [
    Organization::Ksds,
    Organization::Esds,
    Organization::Rrds,
    Organization::Vrrds,
];

fn define(timed: &Timed, engine: &Engine, organization: Organization) -> Vec<u64> {
    timed.world.create(engine, "a", |data, _| {
        data.organization = organization;
        if organization != Organization::Ksds {
            (data.key_length, data.key_offset) = (0, 0);
        }
        if organization == Organization::Rrds {
            (data.average_record, data.maximum_record) = (60, 60);
        }
    });
    let ds = timed.world.open(engine, "a");
    let mut s = ds.string();
    let rbas = (0..20).map(|n| s.insert(&sealed(n * 10, 0, 60), Insert::Sequential).unwrap());
    let rbas = rbas.collect();
    drop(s);
    ds.close().unwrap();
    rbas
}

fn argument(organization: Organization, rbas: &[u64], n: usize) -> Argument<'static> {
    match organization {
        Organization::Ksds => Argument::Key(Box::leak(key(n as u64 * 10).into())),
        Organization::Esds => Argument::Rba(rbas[n]),
        _ => Argument::Rrn(n as u32 + 1),
    }
}

fn change(s: &mut Str, of: Argument<'_>, n: u64, version: u64) {
    s.get(of, Search::Equal, Intent::Update).unwrap();
    s.update(&sealed(n * 10, version, 60)).unwrap();
}

fn copies(timed: &Timed, engine: &Engine, what: &str, in_doubt: bool) -> Copies {
    let names: Vec<String> = (0..4).map(|n| format!("{what}{n}")).collect();
    let mut of = (0, 0);
    for name in &names {
        of = copy(&timed.world, engine, "a", name);
    }
    Copies { names, of, in_doubt }
}

/// Brings a copy forward, without what was in doubt; how many units that were.
fn recover(timed: &Timed, engine: &Engine, name: &str, of: (u64, u64), until: u64) -> usize {
    let plan = engine.way_forward(of, until).unwrap();
    let undecided = engine.undecided_at(of.0, until, until).unwrap();
    let (data, mut index) = timed.world.paths(name);
    if !engine.peek(&data).unwrap().attributes.organization.has_index() {
        index = PathBuf::new();
    }
    let forward = engine.bring_forward((&data, &index), Some(&plan), &undecided, |_| {});
    forward.unwrap();
    undecided.len()
}

/// What the data set is at each moment, from whichever copy: without the unit until it was committed, and with what
/// others have done.
#[test]
fn a_moment_has_what_was_decided_by_then() {
    for organization in ORGANIZATIONS {
        for commits in [true, false] {
            moments(organization, commits);
        }
    }
}

fn moments(organization: Organization, commits: bool) {
    let timed = Timed::new();
    let world = &timed.world;
    let engine = timed.engine();
    let rbas = define(&timed, &engine, organization);
    let of = |n| argument(organization, &rbas, n);
    let early = copies(&timed, &engine, "early", false);
    let ds = world.open_with(&engine, "a", ALL);
    change(&mut ds.string(), of(1), 1, 1);
    let unit = engine.unit();
    let mut s = ds.string_in(&unit);
    change(&mut s, of(3), 3, 1);
    change(&mut s, of(3), 3, 2);
    if organization == Organization::Esds {
        for n in 20..25 {
            s.insert(&sealed(n * 10, 1, 60), Insert::Sequential).unwrap();
        }
    } else {
        s.get(of(5), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
        s.get(of(6), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
        match organization {
            Organization::Ksds => insert(&mut s, 60, 3).unwrap(),
            _ => s.insert_at(7, &sealed(60, 3, 60), Insert::Direct).unwrap(),
        };
    }
    drop(s);
    unit.prepare("T1").unwrap();
    drop(unit);
    change(&mut ds.string(), of(8), 8, 1);
    ds.close().unwrap();
    let late = copies(&timed, &engine, "late", true);
    let mut moments = vec![(timed.now(), false)];
    // Another process goes on, and another decides.
    let engine = timed.engine();
    let ds = world.open_with(&engine, "a", ALL);
    change(&mut ds.string(), of(9), 9, 1);
    ds.commit().unwrap();
    moments.push((timed.now(), false));
    if commits {
        engine.commit_prepared("T1").unwrap();
    } else {
        engine.back_out_prepared("T1").unwrap();
    }
    moments.push((timed.now(), true));
    change(&mut ds.string(), of(3), 3, 9);
    let kept = contents_of(&ds);
    ds.close().unwrap();
    moments.push((u64::MAX, true));
    let expected = |moment: usize, had: &[Vec<u8>]| {
        let version = |n: u64, version: u64| sealed(n * 10, version, 60);
        // As the copy from before the unit has them.
        let mut records = had.to_vec();
        records[1] = version(1, 1);
        records[8] = version(8, 1);
        if moment > 0 {
            records[9] = version(9, 1);
        }
        let stands = commits && moments[moment].1;
        if stands {
            records[3] = version(3, 2);
            if organization == Organization::Esds {
                records.extend((20..25).map(|n| version(n, 1)));
            } else {
                records[6] = version(6, 3);
                records.remove(5);
            }
        }
        if moment == 3 {
            records[3] = version(3, 9);
        }
        records
    };
    let had: Vec<Vec<u8>> = (0..20).map(|n| sealed(n * 10, 0, 60)).collect();
    assert_eq!(expected(3, &had), kept, "{organization:?}, commits: {commits}");
    for copies in [early, late] {
        for (n, name) in copies.names.iter().enumerate() {
            let undecided = recover(&timed, &engine, name, copies.of, moments[n].0);
            assert_eq!(undecided, usize::from(!moments[n].1));
            let made = world.open(&engine, name);
            let what = format!("{organization:?}, commits: {commits}, moment {n}, {}", copies.in_doubt);
            assert!(contents_of(&made) == expected(n, &had), "{what}");
            assert_sound(&made);
        }
    }
    cleaned(&timed, &engine, &moments);
}

/// What is kept of the unit stays as long as a moment could be asked for at which it was in doubt.
fn cleaned(timed: &Timed, engine: &Engine, moments: &[(u64, bool)]) {
    assert_eq!(timed.files().len(), 1);
    assert_eq!(engine.clean_decided(moments[1].0).unwrap().0, 0);
    assert_eq!(
        engine.clean_decided(moments[2].0).unwrap().0,
        0,
        "the archive begins before"
    );
    for file in archive::all(&*timed.world.disk, Path::new("/archive")).unwrap() {
        timed.world.disk.remove(&file.path).unwrap();
    }
    assert_eq!(engine.clean_decided(moments[1].0).unwrap().0, 0);
    assert_eq!(engine.clean_decided(moments[2].0).unwrap().0, 1);
    assert!(timed.files().is_empty());
}

/// The file of a unit, put back behind the decision, says nothing any more where the archive has its other.
#[test]
fn a_file_that_is_put_back_is_not_obeyed() {
    let timed = Timed::new();
    let engine = timed.engine();
    define(&timed, &engine, Organization::Ksds);
    let ds = timed.world.open_with(&engine, "a", ALL);
    let unit = engine.unit();
    update(&mut ds.string_in(&unit), 10, 5, 60).unwrap();
    unit.prepare("T1").unwrap();
    drop(unit);
    let path = "/log/T1.prepared";
    let before = bytes_of(&*timed.world.disk, Path::new(path));
    engine.commit_prepared("T1").unwrap();
    update(&mut ds.string(), 10, 6, 60).unwrap();
    let kept = contents(&ds);
    ds.close().unwrap();
    put_file(&*timed.world.disk, path, &before);
    let engine = timed.engine();
    let ds = timed.world.open_with(&engine, "a", ALL);
    assert!(engine.in_doubt().unwrap().is_empty());
    let unknown = engine.back_out_prepared("T1");
    assert!(matches!(unknown, Err(PrepareError::Unknown { .. })), "{unknown:?}");
    update(&mut ds.string(), 10, 6, 60).unwrap();
    assert_eq!(contents(&ds), kept);
    assert!(timed.world.disk.open(Path::new(path), Open::default()).is_err());
    assert_eq!(timed.files().len(), 1);
}

/// The power goes at every call from the decision until all is closed: what was in doubt at a moment is not there
/// at that moment, whoever finds what was decided.
#[test]
fn whatever_is_cut_a_moment_stays_what_it_was() {
    for commits in [true, false] {
        let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
        let clock = clock();
        let timed = Timed::on(Arc::new(disk.clone()), &clock);
        let engine = timed.engine();
        define(&timed, &engine, Organization::Ksds);
        let of = copy(&timed.world, &engine, "a", "c");
        copy(&timed.world, &engine, "a", "d");
        let ds = timed.world.open_with(&engine, "a", ALL);
        let before = contents(&ds);
        let unit = engine.unit();
        let mut s = ds.string_in(&unit);
        update(&mut s, 10, 5, 60).unwrap();
        erase(&mut s, 20).unwrap();
        insert(&mut s, 25, 5).unwrap();
        drop(s);
        unit.prepare("T1").unwrap();
        let moment = clock.now();
        let begun = disk.events();
        if commits {
            engine.commit_prepared("T1").unwrap();
        } else {
            engine.back_out_prepared("T1").unwrap();
        }
        ds.close().unwrap();
        assert_eq!(timed.files().len(), 1);
        drop((unit, engine));
        disk.kill();
        let trace = disk.trace();
        let mut point = trace.crash_after(begun);
        let (mut cuts, mut in_doubt) = (0, 0);
        while point.advance().is_some() {
            let at = point.position();
            // And names come and go before what was written is there.
            let names_first = point.image(|_, event| match event {
                Event::Write { .. } => Survival::Lost,
                _ => Survival::Whole,
            });
            for (n, image) in images(&point).into_iter().chain([names_first]).enumerate() {
                let how = format!("commits: {commits}, event {at} behind {begun}, image {n}");
                let left = Timed::on(Arc::new(MemoryDisk::from(image)), &clock);
                let engine = left.engine();
                let ds = left.world.open_with(&engine, "a", ALL);
                if let Some(unit) = engine.in_doubt().unwrap().first() {
                    in_doubt += 1;
                    if commits && !unit.going_back {
                        engine.commit_prepared("T1").unwrap();
                    } else {
                        engine.back_out_prepared("T1").unwrap();
                    }
                }
                let kept = contents(&ds);
                assert_eq!(kept == before, !commits, "{how}");
                ds.close().unwrap();
                assert_eq!(left.files().len(), 1, "{how}");
                assert_eq!(recover(&left, &engine, "c", of, moment), 1, "{how}");
                assert_eq!(contents(&left.world.open(&engine, "c")), before, "{how}");
                assert_eq!(recover(&left, &engine, "d", of, u64::MAX), 0, "{how}");
                assert_eq!(contents(&left.world.open(&engine, "d")), kept, "{how}");
                cuts += 1;
            }
        }
        assert!(cuts > 20 && in_doubt > 0, "{cuts} {in_doubt}");
    }
}

/// A data set with an archive in which a prepared unit has changed a record, a copy from before, and what it was.
fn in_doubt(timed: &Timed, engine: &Engine) -> (DataSet, (u64, u64), Vec<Vec<u8>>) {
    define(timed, engine, Organization::Ksds);
    let of = copy(&timed.world, engine, "a", "c");
    copy(&timed.world, engine, "a", "d");
    let ds = timed.world.open_with(engine, "a", ALL);
    let before = contents(&ds);
    let unit = engine.unit();
    update(&mut ds.string_in(&unit), 10, 5, 60).unwrap();
    unit.prepare("T1").unwrap();
    (ds, of, before)
}

/// One that stands while a log may lack its end is not in the archive yet.
#[test]
fn one_whose_log_is_in_use_was_in_doubt_too() {
    let timed = Timed::new();
    let engine = timed.engine();
    loaded(&timed.world, &engine, "b", 3);
    let other = timed.world.open(&engine, "b");
    insert(&mut other.string(), 7, 7).unwrap();
    let (ds, of, before) = in_doubt(&timed, &engine);
    ds.close().unwrap();
    let moment = timed.now();
    let second = timed.engine();
    second.commit_prepared("T1").unwrap();
    let log = timed.world.disk.list(Path::new("/log")).unwrap();
    assert!(log.iter().any(|(name, _)| name.to_string_lossy().ends_with(".stands")));
    assert_eq!(recover(&timed, &second, "c", of, moment), 1);
    assert_eq!(contents(&timed.world.open(&second, "c")), before);
    assert_eq!(recover(&timed, &second, "d", of, u64::MAX), 0);
    assert_ne!(contents(&timed.world.open(&second, "d")), before);
    other.close().unwrap();
}

/// An archive that has no room for the file takes it later. Until then the decision is known all the same.
#[test]
fn an_archive_that_cannot_be_written_takes_it_later() {
    // The first open is the look whether it is there.
    for (call, nth) in [(Call::Open, 2), (Call::Write, 1), (Call::Sync, 1)] {
        let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
        let timed = Timed::on(Arc::new(disk.clone()), &clock());
        let engine = timed.engine();
        let (ds, of, before) = in_doubt(&timed, &engine);
        let moment = timed.now();
        let head = PreparedUnit::decode_head(&bytes_of(&disk, Path::new("/log/T1.prepared"))).unwrap();
        let kept = format!("/archive/T1.{:016X}-{}.decided", head.unit.log, head.unit.unit);
        disk.set_faults(Faults::none().fail(call, nth, Errno::NoSpace).only(kept));
        engine.commit_prepared("T1").unwrap();
        disk.set_faults(Faults::none());
        assert!(timed.files().is_empty(), "{call:?}");
        assert!(bytes_of(&*timed.world.disk, Path::new("/log/T1.prepared")).len() > 1024);
        assert_eq!(engine.clean_decided(u64::MAX).unwrap(), (0, 0));
        ds.close().unwrap();
        assert_eq!(recover(&timed, &engine, "c", of, moment), 1);
        assert_eq!(contents(&timed.world.open(&engine, "c")), before);
        assert_eq!(timed.files().len(), 1, "{call:?}");
        assert!(timed
            .world
            .disk
            .open(Path::new("/log/T1.prepared"), Open::default())
            .is_err());
    }
}

/// What is left of a file in the archive is none, and one in the log directory that cannot be read keeps nobody out.
#[test]
fn what_is_not_whole_says_nothing() {
    let timed = Timed::new();
    let engine = timed.engine();
    let (ds, of, before) = in_doubt(&timed, &engine);
    let moment = timed.now();
    let foreign = "/log/T9.0000000000000001-1.stands";
    put_file(&*timed.world.disk, foreign, b"no unit");
    let whole = bytes_of(&*timed.world.disk, Path::new("/log/T1.prepared"));
    engine.commit_prepared("T1").unwrap();
    ds.close().unwrap();
    let kept = Path::new("/archive").join(timed.files().remove(0));
    timed.world.disk.remove(&kept).unwrap();
    // As a power cut may leave both: the first name with the decision, and half of the other.
    put_file(&*timed.world.disk, "/log/T1.prepared", &whole);
    let state = encode_state(PreparedState::Committed, timed.now());
    bytes::put(
        &*timed.world.disk,
        Path::new("/log/T1.prepared"),
        STATE_AT as u64,
        &state,
    );
    put_file(&*timed.world.disk, kept.to_str().unwrap(), &whole[..600]);
    assert_eq!(engine.clean_decided(u64::MAX).unwrap(), (0, 0));
    assert!(
        engine.undecided_at(of.0, moment, moment).is_err(),
        "it may be of such a unit"
    );
    timed.world.disk.remove(Path::new(foreign)).unwrap();
    assert_eq!(recover(&timed, &engine, "c", of, moment), 1);
    assert_eq!(contents(&timed.world.open(&engine, "c")), before);
    assert_eq!(bytes_of(&*timed.world.disk, &kept).len(), whole.len());
}

/// Several units of one data set, decided about in another order than they were prepared; and one that goes back.
#[test]
fn each_unit_is_known_by_its_own_moments() {
    let timed = Timed::new();
    let world = &timed.world;
    let engine = timed.engine();
    define(&timed, &engine, Organization::Ksds);
    let early = copies(&timed, &engine, "early", false);
    let ds = world.open_with(&engine, "a", ALL);
    let mut moments = Vec::new();
    for (name, n) in [("T1", 10), ("T2", 20), ("T3", 30)] {
        let unit = engine.unit();
        update(&mut ds.string_in(&unit), n, 5, 60).unwrap();
        unit.prepare(name).unwrap();
    }
    moments.push((timed.now(), [false, false, false]));
    engine.commit_prepared("T2").unwrap();
    moments.push((timed.now(), [false, true, false]));
    engine.back_out_prepared("T3").unwrap();
    engine.commit_prepared("T1").unwrap();
    moments.push((timed.now(), [true, true, false]));
    // The name again, and another unit of the same record.
    let unit = engine.unit();
    update(&mut ds.string_in(&unit), 10, 6, 60).unwrap();
    unit.prepare("T1").unwrap();
    moments.push((timed.now(), [true, true, false]));
    engine.back_out_prepared("T1").unwrap();
    ds.close().unwrap();
    for (name, (moment, stand)) in early.names.iter().zip(moments) {
        recover(&timed, &engine, name, early.of, moment);
        let made = contents(&world.open(&engine, name));
        for (n, stands) in [10, 20, 30].into_iter().zip(stand) {
            let expected = sealed(n, if stands { 5 } else { 0 }, 60);
            assert!(made.contains(&expected), "{name}: {n}, {stands}");
        }
    }
    assert_eq!(timed.files().len(), 4);
}
