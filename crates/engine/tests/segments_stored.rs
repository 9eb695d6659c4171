//! Segments of spanned records of each length, as they lie on the volume.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;

/// A record that says at each place where that is, so that no byte of it can be another's.
fn record(n: u64, len: usize) -> Vec<u8> {
    let mut record = key(n);
    record.extend((record.len()..len).map(|at| (at * 7 + n as usize) as u8));
    record
}

/// The last segment has every length that there is, and so its end every place within a sector.
#[test]
fn a_record_is_whole_whatever_length_its_last_segment_has() {
    for (organization, ci_size) in [
        (Organization::Ksds, 1536),
        (Organization::Esds, 1024),
        (Organization::Ksds, 2048),
    ] {
        let world = World::memory();
        let engine = world.engine();
        world.create(&engine, "a", |data, index| {
            data.organization = organization;
            if organization == Organization::Esds {
                (data.key_length, data.key_offset) = (0, 0);
            }
            (data.ci_size, data.ci_per_ca) = (ci_size, 20);
            (data.maximum_record, data.spanned) = (3 * ci_size, true);
            (data.primary, data.secondary, index.primary) = (64 << 20, 8 << 20, 4 << 20);
        });
        // A load, and changes behind it, which go to the volume by other ways.
        let lens = || (ci_size as usize..2 * ci_size as usize + 20).enumerate();
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for (n, len) in lens() {
            s.insert(&record(n as u64, len), Insert::Sequential).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        check(&world, organization, lens().map(|(n, len)| record(n as u64, len)));
        if organization == Organization::Esds {
            continue;
        }
        let longer = |n: usize, len: usize| record(n as u64, len + ci_size as usize / 2 + n % 3);
        let engine = world.engine();
        let ds = world.open(&engine, "a");
        let mut s = ds.string();
        for (n, len) in lens() {
            s.get(Argument::Key(&key(n as u64)), Search::Equal, Intent::Update)
                .unwrap();
            s.update(&longer(n, len)).unwrap();
        }
        drop(s);
        ds.close().unwrap();
        check(&world, organization, lens().map(|(n, len)| longer(n, len)));
    }
}

fn check(world: &World, organization: Organization, expected: impl Iterator<Item = Vec<u8>>) {
    let engine = world.engine();
    let ds = world.open_with(&engine, "a", OpenOptions::default());
    let mut s = ds.string();
    for (n, record) in expected.enumerate() {
        let read = s
            .next(Intent::Read)
            .unwrap_or_else(|error| panic!("{organization:?}, record {n}: {error}"));
        assert!(
            read.bytes == record,
            "{organization:?}, record {n} of {} bytes",
            record.len()
        );
    }
    assert!(s.next(Intent::Read).is_err());
    assert_sound(&ds);
}
