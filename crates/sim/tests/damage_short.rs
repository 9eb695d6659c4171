//! A rotting device: the part of the campaign that runs with every build.

use cica_sim::campaign::{damage, Campaign};
use cica_sim::shape::organization_of;

#[test]
fn damage_is_noticed_or_harmless() {
    let campaign = Campaign::new(1, 10);
    let total = campaign.run(|seed| damage(seed, 40, organization_of(seed), 300), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(
        total.counts["noticed"] > 300 && total.counts["harmless"] > 300,
        "{:?}",
        total.counts
    );
}
