//! Data sets larger than the pool, of the sizes that DEFINE chooses: no request goes round for ever, none is refused.

use cica_sim::campaign::{Campaign, Total};
use cica_sim::crowded;

fn campaign(seed: u64, runs: u64, most: u64) -> Total {
    let total = Campaign::new(seed, runs).run(|seed| crowded::run(seed, most), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert_eq!(total.runs, runs);
    total
}

#[test]
fn programs_on_data_sets_larger_than_their_pool_come_to_an_end() {
    let total = campaign(1, 24, 3);
    for what in ["loaded", "inserted", "updated", "erased", "browsed", "got"] {
        assert!(total.counts[what] > 1_000, "{what}: {:?}", total.counts);
    }
}
