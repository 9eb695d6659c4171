//! Requests that come upon a change of the index that failed half way (K6), and what they note too late.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::cluster::OpenCluster;
use crate::unit::tests::common::keyed::*;
use crate::unit::tests::common::*;
use crate::DataSet;
use std::sync::Arc;

/// A data set whose records are 0, 10, 20 ...
fn opened() -> (World, DataSet, Arc<Ksds>) {
    let world = World::memory();
    let engine = world.engine();
    loaded(&world, &engine, "a", 100);
    let ds = world.open(&engine, "a");
    let OpenCluster::Ksds(ksds) = &ds.near().unwrap().records else {
        panic!("it has keys")
    };
    let ksds = ksds.clone();
    (world, ds, ksds)
}

fn spot(ksds: &Ksds, n: u64) -> Spot {
    ksds.find(&key(n), true).unwrap().unwrap()
}

/// The way to the page was followed, and the data set found sound, before it was fenced.
#[test]
fn who_was_on_the_way_when_the_data_set_was_fenced_is_told_so() {
    let (_world, _ds, ksds) = opened();
    let (at, record) = (spot(&ksds, 50), sealed(50, 7, 60));
    let leaf = ksds.descend(Probe::new(&key(51))).unwrap().unwrap();
    ksds.fence("a test says so");
    let fenced = |answer: &RequestError| matches!(answer, RequestError::Fenced { .. });
    let new = sealed(51, 7, 60);
    let tried = ksds.try_insert(&leaf, &key(51), &new, Order::default(), Context::Itself(RECOVERY));
    assert!(fenced(&tried.err().unwrap()));
    assert!(matches!(
        ksds.try_update(at, &record, Context::Itself(RECOVERY)),
        Tried::Again
    ));
    assert!(matches!(
        ksds.try_erase(at, &key(50), Context::Itself(RECOVERY)),
        Tried::Again
    ));
    assert!(fenced(&ksds.spot_of(&key(51), None).err().unwrap()));
    assert!(fenced(&ksds.find(&key(51), true).err().unwrap()));
    assert!(fenced(&ksds.next_after(None, &key(990)).err().unwrap()));
    assert!(fenced(&ksds.last_before(None, &key(0)).err().unwrap()));
}

/// An erase says that a CI is empty when others may have filled it again, and it was written meanwhile.
#[test]
fn a_note_that_comes_too_late_does_not_say_that_an_interval_with_records_is_empty() {
    let (_world, ds, ksds) = opened();
    let ci = spot(&ksds, 50).leaf.ci;
    let ca = ksds.data.layout.split(ci).0;
    let used = ksds.data.used_cis(ca).unwrap();
    let free = ksds.data.free_space();
    ksds.data.note_records(ci);
    // Neither where its page is in the pool, nor where that was given up.
    ksds.data.pass(ci);
    ksds.data.note_records(ci);
    assert_eq!(ksds.data.used_cis(ca).unwrap(), used);
    assert_eq!(ksds.data.free_space(), free);
    let mut s = ds.string();
    let here: Vec<u64> = (0..100)
        .map(|n| n * 10)
        .filter(|&n| spot(&ksds, n).leaf.ci == ci)
        .collect();
    here.iter().for_each(|&n| erase(&mut s, n).unwrap());
    assert_eq!(ksds.data.used_cis(ca).unwrap(), used - 1);
    ksds.data.note_records(ci);
    assert_eq!(ksds.data.used_cis(ca).unwrap(), used - 1);
}

/// Who splits a page has its latch, and then takes the lock of its CA. Who notes that a page has got its first record,
/// while others have filled it already, must not keep that lock until the page is free.
#[test]
fn who_waits_for_a_page_that_is_split_does_not_keep_the_lock_that_the_split_needs() {
    let (_world, _ds, ksds) = opened();
    let ci = spot(&ksds, 50).leaf.ci;
    let ca = ksds.data.layout.split(ci).0;
    let latched = ksds.data.latch(ci).unwrap();
    std::thread::scope(|threads| {
        let noting = threads.spawn(|| ksds.data.note_records(ci));
        let begun = std::time::Instant::now();
        let mut got = 0;
        // Long enough that the other one has come to wait.
        while got < 1000 && begun.elapsed().as_secs() < 20 {
            got += u32::from(ksds.data.has_lock_free(ca));
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
        assert!(!noting.is_finished(), "the page is latched");
        drop(latched);
        assert_eq!(got, 1000, "times that the lock of the control area was free");
    });
}
