//! Clients and an owner that die at every step: the part of the campaign that runs with every build.

use cica_sim::campaign::Campaign;
use cica_sim::share;

#[test]
fn what_clients_share_is_whole_whoever_dies() {
    let total = Campaign::new(1, 60).run(|seed| share::run(seed, 300), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    for count in [
        "clients died",
        "connections lost",
        "owners killed",
        "owners ended",
        "hostile messages",
        "reads refused",
        "repeatable reads",
        "commits",
        "backouts",
        "refused",
        "locks by name",
        "clients stopped",
        "units prepared",
        "prepared units committed",
        "prepared units taken back",
        "decisions past the owner",
        "names given again",
    ] {
        assert!(
            total.counts.get(count).is_some_and(|n| *n > 30),
            "{count}: {:?}",
            total.counts
        );
    }
    for (count, least) in [("records browsed", 3000), ("changes", 1000), ("looks", 1000)] {
        assert!(total.counts[count] > least, "{count}: {:?}", total.counts);
    }
}

/// A get for update behind a read that was refused: what another's unit had erased was "not found".
#[test]
fn what_failed_once_does_not_fail_again() {
    let total = Campaign::new(1_300_097, 1).run(|seed| share::run(seed, 300), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
}
