//! Failing disks: the part of the campaign that runs with every build.

use cica_sim::campaign::Campaign;
use cica_sim::draw::{fault, Draw};
use cica_sim::store::Store;

#[test]
fn every_failing_call_is_answered_and_nothing_acknowledged_is_lost() {
    let campaign = Campaign::new(1, 8);
    let total = campaign.run(
        |seed| fault(Draw::new(Store::DataSet(None), seed, 30), 40, None),
        |_| (),
    );
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["runs refused"] > 1000, "{:?}", total.counts);
    assert!(total.counts["runs undisturbed"] > 0, "{:?}", total.counts);
}
