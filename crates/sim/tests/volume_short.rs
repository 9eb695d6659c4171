//! Several data sets under a catalog, and IDCAMS commands: the part of the campaigns that runs with every build.

use cica_sim::campaign::{Budget, Campaign};
use cica_sim::store::Store;
use cica_sim::trial::{crash, damage, fault, Draw};
use cica_sim::volume::workload::VolumeWorkload;

#[test]
fn every_image_has_each_data_set_at_an_acknowledged_moment() {
    let budget = Budget::new(6_000);
    let total = Campaign::new(1, 30).run(
        |seed| crash(Draw::new(Store::Volume, seed, 40), 600, &budget, None),
        |_| (),
    );
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["images torn"] > 100, "{:?}", total.counts);
}

#[test]
fn a_failing_call_leaves_what_was_or_what_a_command_makes() {
    let total = Campaign::new(1, 2).run(|seed| fault(Draw::new(Store::Volume, seed, 30), 25, None), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["runs refused"] > 50, "{:?}", total.counts);
}

#[test]
fn a_damaged_byte_of_a_volume_is_noticed_or_harmless() {
    let total = Campaign::new(1, 4).run(|seed| damage(Draw::new(Store::Volume, seed, 30), 150), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["noticed"] > 50, "{:?}", total.counts);
}

#[test]
fn a_seed_draws_the_same_actions_every_time() {
    assert_eq!(VolumeWorkload::small(7, 80), VolumeWorkload::small(7, 80));
    assert_ne!(VolumeWorkload::small(7, 80), VolumeWorkload::small(8, 80));
}
