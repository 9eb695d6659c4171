//! A KSDS end to end, small: loaded, read both ways, changed until CIs and CAs split, closed, opened, examined.
#![allow(clippy::unwrap_used)]

use cica_disk::{Create, Disk, ManualClock, MemoryDisk, Open};
use cica_engine::*;
use cica_format::attributes::{Attributes, Organization};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn attributes(name: &str, ci_size: u32, ci_per_ca: u16) -> Attributes {
    Attributes {
        cluster_name: "T.KSDS".into(),
        key_length: 8,
        key_offset: 1,
        average_record: 60,
        maximum_record: 400,
        reuse: true,
        primary: 1 << 20,
        secondary: 1 << 20,
        volume: "V1".into(),
        ..Attributes::new(Organization::Ksds, name, ci_size, ci_per_ca)
    }
}

struct World {
    disk: Arc<dyn Disk>,
    data: PathBuf,
    index: PathBuf,
}

impl World {
    fn new() -> World {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
        for dir in ["/v", "/log"] {
            disk.open(
                Path::new(dir),
                Open {
                    directory: true,
                    create: Create::IfMissing,
                    ..Open::default()
                },
            )
            .unwrap();
        }
        World {
            disk,
            data: "/v/t.data".into(),
            index: "/v/t.index".into(),
        }
    }
    fn engine(&self) -> Engine {
        Engine::new(Env {
            disk: self.disk.clone(),
            clock: Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000)),
            log_dir: "/log".into(),
            pool_bytes: Some(8 << 20),
            io: Default::default(),
            background: false,
        })
        .unwrap()
    }
    fn create(&self, engine: &Engine, change: impl Fn(&mut Attributes)) {
        let mut data = attributes("T.KSDS.DATA", 512, 6);
        change(&mut data);
        let index = attributes("T.KSDS.INDEX", 512, 20);
        engine
            .create(&Definition {
                data_path: self.data.clone(),
                index_path: self.index.clone(),
                data,
                index: Some(index),
            })
            .unwrap();
    }
    fn open(&self, engine: &Engine) -> DataSet {
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        engine.open(&self.data, &self.index, options).unwrap()
    }
}

fn record(key: u32, len: usize) -> Vec<u8> {
    let mut r = format!("R{key:08}").into_bytes();
    r.resize(len, b'a' + (key % 26) as u8);
    r
}

fn check(ds: &DataSet, expected: impl Clone + DoubleEndedIterator<Item = (u32, usize)>) {
    let found = ds.examine().unwrap();
    assert!(found.findings.is_empty(), "{:#?}", found.findings);
    let mut s = ds.string();
    for (key, len) in expected.clone() {
        assert_eq!(
            s.next(Intent::Read).unwrap().bytes,
            record(key, len),
            "forward at {key}"
        );
    }
    assert!(matches!(s.next(Intent::Read), Err(RequestError::EndOfData)));
    for (key, len) in expected.rev() {
        assert_eq!(
            s.prev(Intent::Read).unwrap().bytes,
            record(key, len),
            "backward at {key}"
        );
    }
    assert!(matches!(s.prev(Intent::Read), Err(RequestError::EndOfData)));
}

#[test]
fn load_insert_update_erase_and_read() {
    let world = World::new();
    let engine = world.engine();
    world.create(&engine, |_| ());
    let ds = world.open(&engine);
    let mut s = ds.string();
    for key in 0..2000 {
        s.insert(&record(key * 10, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine);
    check(&ds, (0..2000).map(|k| (k * 10, 60)));
    let mut s = ds.string();
    for key in 0..2000u32 {
        let key = key * 7919 % 2000;
        s.insert(&record(key * 10 + 5, 80), Insert::Direct).unwrap();
        assert!(matches!(
            s.insert(&record(key * 10 + 5, 80), Insert::Direct),
            Err(RequestError::Duplicate { .. })
        ));
    }
    check(&ds, (0..4000).map(|k| (k * 5, if k % 2 == 0 { 60 } else { 80 })));
    for key in (0..2000).step_by(3) {
        let k = format!("{:08}", key * 10);
        s.get(k.as_bytes(), Search::Equal, Intent::Update).unwrap();
        s.update(&record(key * 10, 200)).unwrap();
    }
    let len = |k: u32| {
        if k % 2 == 1 {
            80
        } else if (k / 2) % 3 == 0 {
            200
        } else {
            60
        }
    };
    check(&ds, (0..4000).map(|k| (k * 5, len(k))));
    drop(s);
    ds.close().unwrap();
    let engine = world.engine();
    let ds = world.open(&engine);
    check(&ds, (0..4000).map(|k| (k * 5, len(k))));
    let mut s = ds.string();
    for k in 1000..3000u32 {
        let key = format!("{:08}", k * 5);
        s.get(key.as_bytes(), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
    }
    let left = (0..1000).chain(3000..4000);
    check(&ds, left.clone().map(|k| (k * 5, len(k))));
    assert!(ds.statistics().0.ca_reclaims > 0);
    for k in 1000..3000u32 {
        s.insert(&record(k * 5, len(k)), Insert::Sequential).unwrap();
    }
    check(&ds, (0..4000).map(|k| (k * 5, len(k))));
    assert!(ds.statistics().0.ca_reuses > 0);
}

#[test]
fn a_rewrite_is_a_get_for_update_and_an_update() {
    let world = World::new();
    let engine = world.engine();
    world.create(&engine, |_| ());
    let ds = world.open(&engine);
    let mut string = ds.string();
    for n in 0..100 {
        string.insert(&record(2 * n, 60), Insert::Sequential).unwrap();
    }
    drop(string);
    ds.close().unwrap();
    let ds = world.open(&engine);
    let mut string = ds.string();
    let key = |n: u32| format!("{n:08}").into_bytes();
    // Where the string stands, where it does not, with another length, and with one that splits the CI.
    for (n, len, stands) in [
        (10, 60, true),
        (12, 60, false),
        (14, 90, true),
        (16, 390, true),
        (18, 400, false),
    ] {
        if stands {
            string.get(&key(n), Search::Equal, Intent::Position).unwrap();
        }
        let mut new = record(n, len);
        new[len - 1] = b'!';
        string.rewrite(&key(n), &new).unwrap();
        assert!(matches!(string.erase(), Err(RequestError::NoUpdate)), "nothing is held");
        let mut other = ds.string();
        assert_eq!(other.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes, new);
        // It goes on from there.
        assert_eq!(string.next(Intent::Read).unwrap().bytes, record(n + 2, 60));
    }
    // What is not there, another key, a length that cannot be, a record that another string holds.
    assert!(matches!(
        string.rewrite(&key(11), &record(11, 60)),
        Err(RequestError::NotFound)
    ));
    string.get(&key(20), Search::Equal, Intent::Position).unwrap();
    assert!(matches!(
        string.rewrite(&key(20), &record(22, 60)),
        Err(RequestError::KeyChanged)
    ));
    string.end();
    string.get(&key(20), Search::Equal, Intent::Position).unwrap();
    assert!(matches!(
        string.rewrite(&key(20), &record(20, 401)),
        Err(RequestError::Length { .. })
    ));
    string.end();
    let mut other = ds.string();
    string.get(&key(20), Search::Equal, Intent::Position).unwrap();
    other.get(&key(20), Search::Equal, Intent::Update).unwrap();
    assert!(matches!(
        string.rewrite(&key(20), &record(20, 61)),
        Err(RequestError::Exclusive { .. })
    ));
    other.update(&record(20, 62)).unwrap();
    string.rewrite(&key(20), &record(20, 61)).unwrap();
    drop((string, other));
    ds.close().unwrap();
}

#[test]
fn what_was_committed_survives_the_death_of_the_owner() {
    let world = World::new();
    let engine = world.engine();
    world.create(&engine, |_| ());
    let ds = world.open(&engine);
    let mut s = ds.string();
    for key in 0..100 {
        s.insert(&record(key * 10, 60), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine);
    let mut s = ds.string();
    for key in 0..100 {
        s.insert(&record(key * 10 + 1, 60), Insert::Direct).unwrap();
    }
    ds.commit().unwrap();
    drop((s, ds, engine));
    let engine = world.engine();
    let ds = world.open(&engine);
    check(&ds, (0..200).map(|k| (k / 2 * 10 + k % 2, 60)));
}

#[test]
fn spanned_records_of_many_lengths() {
    let world = World::new();
    let engine = world.engine();
    world.create(&engine, |a| {
        a.spanned = true;
        a.maximum_record = 2500;
    });
    let ds = world.open(&engine);
    let mut s = ds.string();
    let len = |k: u32| [60usize, 600, 505, 2500, 1100, 30][k as usize % 6];
    for key in 0..200 {
        s.insert(&record(key * 10, len(key)), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine);
    check(&ds, (0..200).map(|k| (k * 10, len(k))));
    let mut s = ds.string();
    for key in 0..200u32 {
        let key = key * 77 % 200;
        s.insert(&record(key * 10 + 5, len(key + 1)), Insert::Direct).unwrap();
    }
    let len2 = move |k: u32| if k % 2 == 0 { len(k / 2) } else { len(k / 2 + 1) };
    check(&ds, (0..400).map(|k| (k * 5, len2(k))));
    for k in 0..400u32 {
        let key = format!("{:08}", k * 5);
        s.get(key.as_bytes(), Search::Equal, Intent::Update).unwrap();
        s.update(&record(k * 5, len2(k + 3))).unwrap();
    }
    check(&ds, (0..400).map(|k| (k * 5, len2(k + 3))));
    for k in (0..400u32).step_by(2) {
        let key = format!("{:08}", k * 5);
        s.get(key.as_bytes(), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let ds = world.open(&engine);
    check(&ds, (0..200).map(|k| (k * 10 + 5, len2(k * 2 + 4))));
}
