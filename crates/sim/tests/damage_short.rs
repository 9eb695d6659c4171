//! A rotting device: the part of the campaign that runs with every build.

use cica_sim::campaign::Campaign;
use cica_sim::draw::{damage, Draw};
use cica_sim::store::Store;

#[test]
fn damage_is_noticed_or_harmless() {
    let campaign = Campaign::new(1, 10);
    let total = campaign.run(|seed| damage(Draw::new(Store::DataSet(None), seed, 40), 300), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(
        total.counts["noticed"] > 300 && total.counts["harmless"] > 300,
        "{:?}",
        total.counts
    );
}
