//! Power cuts at every write and sync: the part of the campaign that runs with every build.

use std::sync::Arc;

use cica_disk::sim::Event;
use cica_disk::SimDisk;
use cica_sim::campaign::{Budget, Campaign};
use cica_sim::draw::{crash, Draw, Kept};
use cica_sim::random::digest;
use cica_sim::store::Store;
use cica_sim::trial::Purpose;

#[test]
fn every_image_recovers_to_an_acknowledged_state() {
    let budget = Budget::new(24_000);
    let campaign = Campaign::new(1, 40);
    let total = campaign.run(
        |seed| crash(Draw::new(Store::DataSet(None), seed, 40), 1_500, &budget, None),
        |_| (),
    );
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    for count in [
        "images none",
        "images all",
        "images subset",
        "images torn",
        "images nested",
        "images exercised",
    ] {
        assert!(total.counts[count] > 100, "{count}: {:?}", total.counts);
    }
}

/// Digest of everything that a run does to its disk.
fn trace_digest(store: Store, seed: u64) -> u64 {
    let trial = store.draw(seed, 40, Purpose::Explore);
    let all: Vec<usize> = (0..trial.len()).collect();
    let subject = trial.subject(&all, false).expect("a store");
    let disk = SimDisk::from(subject.start());
    subject
        .run(Arc::new(disk.clone()), &mut |_| ())
        .expect("a run without faults");
    let events = disk.trace();
    let parts = events.events().iter().map(|event| match event {
        Event::Write { at, bytes, file } => format!("{file:?} {at} {}", digest(bytes)),
        other => format!("{other:?}"),
    });
    digest(parts.collect::<String>().as_bytes())
}

#[test]
fn the_same_seed_does_the_same_to_the_disk() {
    for store in [Store::DataSet(None), Store::Sphere(None), Store::Volume, Store::Units] {
        for seed in 1..=8 {
            let (once, again) = (trace_digest(store, seed), trace_digest(store, seed));
            assert_eq!(once, again, "{store:?} {seed}");
        }
        assert_ne!(trace_digest(store, 1), trace_digest(store, 2));
    }
}

#[test]
fn what_is_kept_of_a_run_reads_back_as_it_was_written() {
    for (text, kept) in [
        ("1-4,7", vec![0, 1, 2, 3, 6]),
        ("3", vec![2]),
        ("0", vec![]),
        ("1-2,4-5", vec![0, 1, 3, 4]),
    ] {
        assert_eq!(text.parse(), Ok(Kept(kept.clone())));
        assert_eq!(Kept(kept).to_string(), text);
    }
    assert!("1-".parse::<Kept>().is_err() && "a".parse::<Kept>().is_err());
}
