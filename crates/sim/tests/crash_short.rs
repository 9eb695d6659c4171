//! Power cuts at every write and sync: the part of the campaign that runs with every build.

use std::sync::Arc;

use cica_disk::sim::Event;
use cica_disk::SimDisk;
use cica_sim::campaign::{Budget, Campaign};
use cica_sim::random::digest;
use cica_sim::run::Run;
use cica_sim::shape::Organization;
use cica_sim::store::Store;
use cica_sim::subject::Subject;
use cica_sim::trial::{crash, Draw};
use cica_sim::workload::Workload;

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
fn trace_digest(seed: u64) -> u64 {
    let workload = Workload::small(seed, 60, Organization::Ksds);
    let subject = Run::new(&workload.shape, &workload.requests, false);
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
    for seed in 1..=10 {
        assert_eq!(trace_digest(seed), trace_digest(seed), "seed {seed}");
    }
    assert_ne!(trace_digest(1), trace_digest(2));
}
