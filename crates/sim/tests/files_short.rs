//! Jobs that carry data sets to files and back: the part of the search that runs with every build.

use cica_sim::campaign::Campaign;
use cica_sim::files;

#[test]
fn records_are_in_the_data_set_or_in_a_whole_copy_whatever_fails() {
    let total = Campaign::new(0, 18).run(|seed| files::run(seed, 25), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    for (what, least) in [
        ("power cuts", 200),
        ("kills", 200),
        ("failing calls", 1_000),
        ("jobs that failed", 500),
    ] {
        assert!(total.counts[what] > least, "{what}: {:?}", total.counts);
    }
}
