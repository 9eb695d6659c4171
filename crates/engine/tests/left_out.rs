//! Images are stored without the sectors of free space in them: what lies on the volume, read without the engine, and
//! every way on which it is read again.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Open, ReadAt};
use cica_engine::*;
use cica_format::ca::{CaHeader, CiEntry, MAGIC, NO_SLOT};
use common::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Three sectors of 512 bytes.
const CI: u32 = 1536;
const CIS: u16 = 12;

fn file(world: &World, path: &Path) -> Vec<u8> {
    let file = world.disk.open(path, Open::default()).unwrap();
    let mut bytes = vec![0; file.size(None).unwrap() as usize];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }];
    file.read(&mut batch).unwrap();
    bytes
}

/// The CIs that have an image, by the newest header of each CA.
fn entries(bytes: &[u8]) -> Vec<CiEntry> {
    let mut newest: BTreeMap<u32, CaHeader> = BTreeMap::new();
    let places = (0..bytes.len() / 4096).map(|n| &bytes[n * 4096..]);
    for header in places
        .filter(|place| place.starts_with(&MAGIC))
        .filter_map(|place| CaHeader::decode(place, CIS.into()).ok())
    {
        let known = newest.entry(header.ca).or_insert_with(|| header.clone());
        if header.version > known.version {
            *known = header;
        }
    }
    let of_all = newest.into_values().flat_map(|header| header.entries);
    of_all.filter(|entry| entry.slot != NO_SLOT).collect()
}

fn sectors(entries: &[CiEntry]) -> usize {
    entries.iter().map(|entry| 3 - usize::from(entry.left_out)).sum()
}

/// A loaded data set with a record between each two of them put in later, at random; all of its records.
fn grown(world: &World, engine: &Engine) -> (PathBuf, BTreeMap<u64, u64>) {
    world.create(engine, "d", |data, index| {
        (data.ci_size, data.ci_per_ca) = (CI, CIS);
        index.ci_size = 1024;
    });
    let mut records: BTreeMap<u64, u64> = (0..400).map(|n| (n * 4, n)).collect();
    let ds = world.open(engine, "d");
    let mut s = ds.string();
    for (&n, &value) in &records {
        s.insert(&sealed(n, value, 100), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    let (data, _) = world.paths("d");
    let loaded = entries(&file(world, &data));
    assert_eq!(sectors(&loaded), 3 * loaded.len(), "full CIs are stored whole");
    let ds = world.open(engine, "d");
    let (mut s, mut random) = (ds.string(), Random(5));
    while records.len() < 450 {
        let n = random.below(400) * 4 + 1;
        if records.insert(n, n).is_none() {
            s.insert(&sealed(n, n, 100), Insert::Direct).unwrap();
        }
    }
    drop(s);
    ds.close().unwrap();
    (data, records)
}

fn assert_all(ds: &DataSet, records: &BTreeMap<u64, u64>) {
    let mut s = ds.string();
    s.point_first().unwrap();
    for (&n, &value) in records {
        assert_eq!(s.next(Intent::Read).unwrap().bytes, sealed(n, value, 100));
    }
    assert!(s.next(Intent::Read).is_err());
    for (&n, &value) in records.iter().rev() {
        assert_eq!(
            s.get(&key(n), Search::Equal, Intent::Read).unwrap().bytes,
            sealed(n, value, 100)
        );
    }
}

#[test]
fn halves_of_a_split_are_stored_without_their_free_space_and_read_on_every_way() {
    let world = World::memory();
    let (data, records) = grown(&world, &world.engine());
    let stored = entries(&file(&world, &data));
    let short = stored.iter().filter(|entry| entry.left_out > 0).count();
    assert!(2 * short > stored.len(), "{short} of {}", stored.len());
    assert!(sectors(&stored) < stored.len() * 3 * 4 / 5, "{stored:?}");
    // For input a CI is looked at before it becomes a page; for output it becomes one; an open with buffers chains.
    for options in [
        OpenOptions::default(),
        OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        },
        OpenOptions::default().buffered(Buffering {
            data: Some(4),
            ..Buffering::default()
        }),
    ] {
        let engine = world.engine();
        let ds = world.open_with(&engine, "d", options);
        assert_all(&ds, &records);
        assert_sound(&ds);
        ds.close().unwrap();
    }
}

#[test]
fn an_image_that_grows_takes_more_sectors_and_one_that_shrinks_fewer() {
    let world = World::memory();
    let engine = world.engine();
    let (data, mut records) = grown(&world, &engine);
    let before = entries(&file(&world, &data));
    let ds = world.open(&engine, "d");
    let mut s = ds.string();
    // The free space of all CIs is filled, a commit at a time.
    for (i, n) in (0..400).map(|n| n * 4 + 2).enumerate() {
        s.insert(&sealed(n, n, 100), Insert::Direct).unwrap();
        records.insert(n, n);
        if i % 30 == 0 {
            ds.checkpoint().unwrap();
        }
    }
    drop(s);
    ds.close().unwrap();
    let full = entries(&file(&world, &data));
    assert!(sectors(&full) > sectors(&before) + 60, "{before:?}, {full:?}");
    let ds = world.open(&engine, "d");
    assert_all(&ds, &records);
    let mut s = ds.string();
    for n in (0..400).map(|n| n * 4 + 2) {
        s.get(&key(n), Search::Equal, Intent::Update).unwrap();
        s.erase().unwrap();
        records.remove(&n);
    }
    drop(s);
    ds.close().unwrap();
    let emptied = entries(&file(&world, &data));
    assert!(sectors(&emptied) + 60 < sectors(&full), "{full:?}, {emptied:?}");
    let ds = world.open(&engine, "d");
    assert_all(&ds, &records);
    assert_sound(&ds);
    ds.close().unwrap();
}

#[test]
fn a_copy_has_whole_images() {
    let world = World::memory();
    let engine = world.engine();
    let (data, records) = grown(&world, &engine);
    let stored = engine.stored(&data, &world.paths("d").1).unwrap();
    let (mut area, mut seen) = (StoredArea::default(), 0);
    for ca in 0..stored.data.areas() {
        stored.data.area(ca, &mut area).unwrap();
        for (_, flags, image) in area.control_intervals() {
            let mut spans = Vec::new();
            let layout = cica_format::ci::parse(image, &mut spans).unwrap();
            assert_eq!((image.len(), flags), (CI as usize, 1));
            let control = CI as usize - 4 - 3 * layout.rdfs;
            assert!(image[layout.data_len..control].iter().all(|&byte| byte == 0));
            for &(at, len) in &spans {
                let record = &image[at.into()..][..len.into()];
                let n = records.iter().find(|(&n, &value)| record == sealed(n, value, 100));
                seen += usize::from(n.is_some());
            }
        }
    }
    assert_eq!(seen, records.len());
}
