//! What is counted of requests, and what is told of opens.
#![allow(clippy::unwrap_used)]

mod common;

use cica_counters::{ComponentCount, DataSetCount, OpenDataSet, Watcher, WeakCounts};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::keyed::{erase, insert};
use common::sphere::{files, ready, record};
use common::*;
use std::sync::{Arc, Mutex};

/// Who is told: clusters that were opened, and what was counted when they were closed.
#[derive(Default)]
struct Told(Mutex<(Vec<String>, Vec<OpenDataSet>)>);

impl Watcher for Told {
    fn opened(&self, then: &OpenDataSet, _: WeakCounts) {
        self.0.lock().unwrap().0.push(then.identity.data.clone());
    }
    fn closed(&self, _: &OpenDataSet, now: &OpenDataSet) {
        self.0.lock().unwrap().1.push(now.clone());
    }
}

impl Told {
    /// Retrieved, direct gets, and data control intervals asked for, of the last close of this data component.
    fn of(&self, data: &str) -> [u64; 3] {
        let told = self.0.lock().unwrap();
        let set = told.1.iter().rfind(|set| set.identity.data == data).unwrap();
        [
            set.count(DataSetCount::Retrieved),
            set.count(DataSetCount::Direct),
            set.data.count(ComponentCount::Looks),
        ]
    }
}

fn watched(engine: &Engine) -> Arc<Told> {
    let told = Arc::new(Told::default());
    engine.watch(told.clone());
    told
}

/// Data set `d` with the records 1 to 20, four in a control interval.
fn loaded(organization: Organization) -> (World, Engine) {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        data.organization = organization;
        data.key_length = if organization == Organization::Ksds { 8 } else { 0 };
        (data.average_record, data.maximum_record) = (110, 110);
        if organization == Organization::Vrrds {
            (data.key_length, data.average_record) = (4, 100);
        }
    });
    let open = world.open(&engine, "d");
    let mut s = open.string();
    for n in 1..=20 {
        s.insert(&sealed(n, n, 110), Insert::Sequential).unwrap();
    }
    drop(s);
    open.close().unwrap();
    (world, engine)
}

const KINDS: [Organization; 4] = [
    Organization::Ksds,
    Organization::Vrrds,
    Organization::Esds,
    Organization::Rrds,
];

#[test]
fn a_scan_asks_for_each_control_interval_once_in_every_organization() {
    for organization in KINDS {
        let (world, engine) = loaded(organization);
        let told = watched(&engine);
        let scan = |s: &mut Str| (0..).take_while(|_| s.next(Intent::Read).is_ok()).count();
        let back = |s: &mut Str| (0..).take_while(|_| s.prev(Intent::Read).is_ok()).count();
        let open = world.open_with(&engine, "d", OpenOptions::default());
        assert_eq!(scan(&mut open.string()), 20);
        open.close().unwrap();
        assert_eq!(told.of("T.D.DATA"), [20, 0, 5], "{organization:?}");
        let open = world.open(&engine, "d");
        let mut s = open.string();
        s.point_last().unwrap();
        assert_eq!(back(&mut s), 20);
        drop(s);
        open.close().unwrap();
        assert_eq!(told.of("T.D.DATA"), [20, 0, 5], "{organization:?} backward");
    }
}

#[test]
fn direct_and_sequential_requests_ask_for_as_much_in_every_organization() {
    let asked = |organization| {
        let (world, engine) = loaded(organization);
        let told = watched(&engine);
        let open = world.open(&engine, "d");
        let mut s = open.string();
        let key = |n: u64| key(n);
        let place = |n: u64| match organization {
            Organization::Esds => Argument::Rba((n - 1) / 4 * 512 + (n - 1) % 4 * 110),
            _ => Argument::Rrn(n as u32),
        };
        for n in [1, 3, 20, 17, 2] {
            let (key, intent) = (key(n), if n == 17 { Intent::Update } else { Intent::Read });
            let by = if organization == Organization::Ksds {
                Argument::Key(&key)
            } else {
                place(n)
            };
            s.get(by, Search::Equal, intent).unwrap();
            if n == 17 {
                // It stands there.
                s.next(Intent::Read).unwrap();
            }
            s.point(by, Search::Equal).unwrap();
            s.next(Intent::Read).unwrap();
        }
        drop(s);
        open.close().unwrap();
        told.of("T.D.DATA")
    };
    for organization in KINDS {
        assert_eq!(asked(organization), [11, 5, 15], "{organization:?}");
    }
}

#[test]
fn a_path_asks_for_control_intervals_of_its_alternate_index() {
    let world = World::memory();
    let engine = ready(&world);
    let ds = common::sphere::open(&world, &engine);
    for n in 1..100 {
        let r = record(n, &format!("{:04}", 500 - n), "AAA");
        ds.string().insert(&r, Insert::Direct).unwrap();
    }
    ds.close().unwrap();
    let told = watched(&engine);
    let open = || {
        let (base, index) = (files(&world, "b"), files(&world, "u"));
        engine.open_path(&base, &[], &index, OpenOptions::default()).unwrap()
    };
    let cis = {
        let ds = world.open_with(&engine, "u", OpenOptions::default());
        let mut s = ds.string();
        while s.next(Intent::Read).is_ok() {}
        drop(s);
        ds.close().unwrap();
        told.of("T.U.DATA")[2]
    };
    assert!(cis > 5, "{cis}");
    let ds = open();
    let mut s = ds.string();
    assert_eq!((0..).take_while(|_| s.next(Intent::Read).is_ok()).count(), 100);
    drop(s);
    ds.close().unwrap();
    assert!(
        (cis..=cis + 1).contains(&told.of("T.U.DATA")[2]),
        "{cis} {:?}",
        told.of("T.U.DATA")
    );
    let ds = open();
    ds.string().get(b"0450", Search::Equal, Intent::Read).unwrap();
    ds.close().unwrap();
    assert_eq!(told.of("T.U.DATA")[2], 1);
}

#[test]
fn an_open_that_fails_is_not_told_of() {
    let world = World::memory();
    let engine = ready(&world);
    let told = watched(&engine);
    let small = Buffering {
        space: Some(100),
        ..Buffering::default()
    };
    let pool = Buffering {
        pool: Some(3),
        ..Buffering::default()
    };
    for asked in [small, pool] {
        for options in [OpenOptions::default(), OpenOptions::output()] {
            let options = options.buffered(asked);
            let (base, index) = (files(&world, "b"), files(&world, "u"));
            let upgrade = [files(&world, "u"), files(&world, "n")];
            assert!(engine.open(&base.data, &base.index, options).is_err());
            assert!(engine.open_sphere(&base, &upgrade, options).is_err());
            assert!(engine.open_path(&base, &[], &index, options).is_err());
        }
    }
    let nobody = told.0.lock().unwrap().clone();
    assert_eq!(nobody, (Vec::new(), Vec::new()));
    let (base, index) = (files(&world, "b"), files(&world, "u"));
    let ds = engine.open_path(&base, &[], &index, OpenOptions::default()).unwrap();
    ds.close().unwrap();
    let told = told.0.lock().unwrap();
    assert_eq!(told.0, ["T.B.DATA", "T.U.DATA"]);
    assert_eq!(told.1.len(), 2);
}

#[test]
fn what_comes_behind_the_last_record_is_not_inserted() {
    let inserted = |world: &World, engine: &Engine| {
        let ds = world.open(engine, "d");
        let (data, _) = ds.statistics();
        ds.close().unwrap();
        (data.inserted, data.records)
    };
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        (data.maximum_record, data.spanned) = (2000, true);
    });
    let ds = world.open(&engine, "d");
    let mut s = ds.string();
    for n in 0..20 {
        s.insert(&sealed(n * 10, 0, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    assert_eq!(inserted(&world, &engine), (0, 20));
    let ds = world.open(&engine, "d");
    let mut s = ds.string();
    // In order and out of order, into control intervals that split, and records that take several.
    for n in 20..120 {
        let how = if n % 2 == 0 { Insert::Sequential } else { Insert::Direct };
        s.insert(&sealed(n * 10, 0, 60), how).unwrap();
    }
    s.insert(&sealed(2000, 0, 1500), Insert::Direct).unwrap();
    s.insert(&sealed(2010, 0, 60), Insert::Direct).unwrap();
    assert_eq!(ds.statistics().0.inserted, 0);
    for n in 0..50 {
        insert(&mut s, n * 10 + 5, 0).unwrap();
    }
    s.insert(&sealed(2005, 0, 1500), Insert::Direct).unwrap();
    assert_eq!(ds.statistics().0.inserted, 51);
    // Where the last one was.
    erase(&mut s, 2010).unwrap();
    insert(&mut s, 2008, 0).unwrap();
    drop(s);
    ds.close().unwrap();
    assert_eq!(inserted(&world, &engine), (51, 173));
    for (organization, expected) in [(Organization::Esds, 0), (Organization::Rrds, 1)] {
        let (world, engine) = loaded(organization);
        let ds = world.open(&engine, "d");
        ds.string().insert(&sealed(21, 0, 110), Insert::Sequential).unwrap();
        ds.close().unwrap();
        assert_eq!(inserted(&world, &engine), (expected, 21), "{organization:?}");
    }
}

#[test]
fn a_record_that_is_got_for_a_change_is_not_retrieved() {
    for organization in KINDS {
        let (world, engine) = loaded(organization);
        let told = watched(&engine);
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        let key = key(7);
        let by = match organization {
            Organization::Ksds => Argument::Key(&key),
            Organization::Esds => Argument::Rba(512 + 220),
            _ => Argument::Rrn(7),
        };
        // The first one stands nowhere, the others on their record.
        s.rewrite(by, &sealed(7, 1, 110)).unwrap();
        for n in 2..5 {
            let got = s.get(by, Search::Equal, Intent::Position).unwrap();
            assert_eq!(unsealed(got.bytes), n - 1);
            s.rewrite(by, &sealed(7, n, 110)).unwrap();
        }
        s.get(by, Search::Equal, Intent::Update).unwrap();
        s.keep_to_itself(true);
        drop(s);
        ds.close().unwrap();
        let [retrieved, direct, looks] = told.of("T.D.DATA");
        assert_eq!(retrieved, 3, "{organization:?}");
        assert_eq!(direct, 3, "{organization:?}: what nobody asked for is no direct get");
        assert!(looks >= 1, "what it asked for stays counted: {looks}");
        // Others have got records before: theirs stay counted.
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        s.next(Intent::Read).unwrap();
        s.rewrite(by, &sealed(7, 5, 110)).unwrap();
        s.point_first().unwrap();
        s.next(Intent::Read).unwrap();
        s.keep_to_itself(false);
        drop(s);
        ds.close().unwrap();
        let [retrieved, direct, _] = told.of("T.D.DATA");
        assert_eq!([retrieved, direct], [1, 0], "{organization:?}");
    }
}

#[test]
fn ranges_of_a_linear_data_set_count_as_its_control_intervals_do() {
    let world = World::memory();
    let engine = world.engine();
    world.create(&engine, "d", |data, _| {
        (data.organization, data.ci_size, data.key_length) = (Organization::Lds, 4096, 0);
    });
    let told = watched(&engine);
    let updated = |ds: &DataSet| ds.statistics().0.updated;
    let ds = world.open(&engine, "d");
    ds.string().write_range(0, &[1; 10 * 4096]).unwrap();
    assert_eq!(updated(&ds), 0, "what is behind the end is no update");
    ds.string().write_range(8 * 4096, &[2; 4 * 4096]).unwrap();
    assert_eq!(updated(&ds), 2);
    ds.close().unwrap();
    assert_eq!(told.of("T.D.DATA"), [0, 0, 0]);
    let ds = world.open_with(&engine, "d", OpenOptions::default());
    ds.string().read_range(0, &mut [0; 12 * 4096]).unwrap();
    ds.close().unwrap();
    let by_range = told.of("T.D.DATA");
    let ds = world.open_with(&engine, "d", OpenOptions::default());
    let mut s = ds.string();
    while s.next(Intent::Read).is_ok() {}
    drop(s);
    ds.close().unwrap();
    assert_eq!([by_range, told.of("T.D.DATA")], [[12, 0, 12]; 2]);
}
