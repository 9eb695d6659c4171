//! Blocks of an earlier moment in their places, as a lost write leaves them. Each is whole in itself, so that only the
//! checksum its parent keeps tells: what is read or copied is of now, or it is an error.
#![allow(clippy::unwrap_used)]

mod common;

use cica_engine::*;
use common::bytes::{bytes_of, put};
use common::keyed::*;
use common::*;

/// The records that change in each commit. The first frees two slots of control area 1 for its next two, so that the
/// image which the second lets go is there still, and only the checksum of the header tells that it is not of now. The
/// last changes another control area: the table before it leads to headers that are there still.
const CHANGED: [&[u64]; 4] = [&[500, 560], &[850], &[780], &[0]];

/// What each commit left of the data component.
fn moments(world: &World) -> Vec<Vec<u8>> {
    let engine = world.engine();
    loaded(world, &engine, "a", 100);
    let path = world.paths("a").0;
    let mut moments = vec![bytes_of(&*world.disk, &path)];
    for records in CHANGED {
        let ds = world.open(&engine, "a");
        for &n in records {
            update(&mut ds.string(), n, 1, 60).unwrap();
        }
        ds.close().unwrap();
        moments.push(bytes_of(&*world.disk, &path));
    }
    moments
}

/// Puts each block of each earlier moment into its place, if it is another there now, and looks at what comes of it:
/// blocks of headers and tables whole, control intervals one by one. How often something was seen to be wrong.
fn with_each_block(world: &World, mut look: impl FnMut(&str) -> bool) -> usize {
    let moments = moments(world);
    let (now, earlier) = moments.split_last().unwrap();
    let path = world.paths("a").0;
    let mut seen = 0;
    for (moment, then) in earlier.iter().enumerate() {
        for len in [4096, 512] {
            // The roots at the head of the file are not blocks with a parent.
            for at in (131_072..then.len().min(now.len())).step_by(len) {
                let block = at..(at + len).min(then.len()).min(now.len());
                if then[block.clone()] != now[block.clone()] {
                    put(&*world.disk, &path, at as u64, &then[block.clone()]);
                    seen += usize::from(look(&format!("{len} bytes of moment {moment} at {at}")));
                    put(&*world.disk, &path, at as u64, &now[block]);
                }
            }
        }
    }
    seen
}

#[test]
fn a_read_of_an_earlier_block_is_an_error() {
    let world = World::memory();
    let (data, index) = world.paths("a");
    let changed = |n| u64::from(CHANGED.concat().contains(&n));
    let expected: Vec<Vec<u8>> = (0..1000).step_by(10).map(|n| sealed(n, changed(n), 60)).collect();
    let seen = with_each_block(&world, |what| {
        let Ok(ds) = world.engine().open(&data, &index, OpenOptions::default()) else {
            return true;
        };
        let mut wrong = false;
        for (n, record) in expected.iter().enumerate() {
            match ds.string().get(&key(n as u64 * 10), Search::Equal, Intent::Read) {
                Ok(found) => assert!(found.bytes == *record, "{what}: record {n} is of another moment"),
                Err(_) => wrong = true,
            }
        }
        wrong
    });
    assert!(seen > 5, "{seen}");
}

/// All control intervals of the data component as they are copied, or that one of them was found to be wrong.
fn copied(world: &World) -> Result<Vec<Vec<u8>>, OpenError> {
    let (data, index) = world.paths("a");
    let stored = world.engine().stored(&data, &index)?;
    let (mut area, mut all) = (StoredArea::default(), Vec::new());
    for ca in 0..stored.data.areas() {
        stored.data.area(ca, &mut area)?;
        all.extend(area.control_intervals().map(|(_, _, image)| image.to_vec()));
    }
    Ok(all)
}

#[test]
fn a_copy_of_an_earlier_block_is_an_error() {
    let other = World::memory();
    moments(&other);
    let expected = copied(&other).unwrap();
    let world = World::memory();
    let seen = with_each_block(&world, |what| match copied(&world) {
        Ok(found) => {
            assert!(found == expected, "{what}: the copy is of another moment");
            false
        }
        Err(_) => true,
    });
    assert!(seen > 5, "{seen}");
}
