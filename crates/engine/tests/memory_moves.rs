//! Data sets of different CISZ in one pool: memory goes to the pages that are used, whatever size they have.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::*;

/// Bytes of each data set, and of the pool, which holds one of them, and hardly more.
const BYTES: u64 = 8 << 20;
const POOL: usize = 16 << 20;
const LEN: usize = 200;
const RECORDS: u64 = BYTES / LEN as u64;

/// A record without runs, which a page would leave out.
fn full(n: u64) -> Vec<u8> {
    let mut random = Random(n + 1);
    let mut record = format!("{n:08}").into_bytes();
    record.extend((8..LEN).map(|_| random.below(200) as u8 + 1));
    record
}

fn loaded(world: &World, engine: &Engine, ci_size: u32) -> DataSet {
    let name = format!("s{ci_size}");
    world.create(engine, &name, |data, index| {
        (data.key_length, data.ci_size, data.ci_per_ca) = (8, ci_size, (1_000_000 / ci_size) as u16);
        (data.average_record, data.maximum_record) = (LEN as u32, LEN as u32);
        (index.ci_size, index.ci_per_ca) = (4096, 20);
        (data.primary, data.secondary, index.primary) = (32 << 20, 8 << 20, 1 << 20);
    });
    let ds = world.open(engine, &name);
    let mut s = ds.string();
    for n in 0..RECORDS {
        s.insert(&full(n), Insert::Sequential).unwrap();
    }
    drop(s);
    ds.close().unwrap();
    world.open(engine, &name)
}

/// CIs that `gets` gets at random, of the first `part` records, read from the volume.
fn reads(ds: &DataSet, random: &mut Random, gets: u64, part: u64) -> u64 {
    let before = ds.statistics().0.excps;
    let mut s = ds.string();
    for _ in 0..gets {
        let n = random.below(part);
        let record = s.get(&full(n)[..8], Search::Equal, Intent::Read).unwrap();
        assert_eq!(record.bytes, full(n));
    }
    ds.statistics().0.excps - before
}

fn world() -> World {
    World {
        pool_bytes: POOL,
        ..World::memory()
    }
}

#[test]
fn a_data_set_that_nobody_reads_any_more_gives_its_memory_to_one_of_another_size() {
    let world = world();
    let engine = world.engine();
    let sets = [4096, 18_432, 2048].map(|ci_size| loaded(&world, &engine, ci_size));
    let mut random = Random(79);
    for round in 0..2 {
        for ds in &sets {
            // As many bytes as the pool has are read once or twice.
            reads(ds, &mut random, 60_000, RECORDS);
            let still = reads(ds, &mut random, 4_000, RECORDS);
            let size = ds.attributes().ci_size;
            assert!(
                still < 40,
                "round {round}: CIs of {size}: {still} of 4,000 gets read one"
            );
        }
    }
    for ds in sets {
        ds.close().unwrap();
    }
}

#[test]
fn a_part_that_is_read_all_the_time_stays_beside_a_data_set_that_does_not_fit() {
    let world = world();
    let engine = world.engine();
    let [hot, cold] = [4096, 18_432].map(|ci_size| loaded(&world, &engine, ci_size));
    // Too large for the pool beside the hot part, which is a quarter of the other.
    let (mut random, part) = (Random(80), RECORDS / 4);
    reads(&hot, &mut random, 4_000, part);
    let mut again = 0;
    for _ in 0..40 {
        reads(&cold, &mut random, 1_000, RECORDS);
        again += reads(&hot, &mut random, 1_000, part);
    }
    assert!(again < 2_000, "{again} of 40,000 gets of the hot part read a CI");
    for ds in [hot, cold] {
        ds.close().unwrap();
    }
}
