//! Replies, contents and structure against the model: the part of the campaign that runs with every build.

use cica_sim::campaign::{Campaign, Total};
use cica_sim::model;
use cica_sim::store::Store;

fn campaign(seed: u64, runs: u64, requests: usize) -> Total {
    let campaign = Campaign::new(seed, runs);
    let total = campaign.run(|seed| model::run(&Store::DataSet(None).model(seed, requests)), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert_eq!(total.runs, runs);
    total
}

#[test]
fn short_runs_of_many_shapes_agree_with_the_model() {
    let total = campaign(1, 300, 120);
    assert_eq!(total.counts["requests"], 300 * 121);
}

#[test]
fn long_runs_agree_with_the_model_and_meet_every_reply() {
    let total = campaign(10_000, 30, 2000);
    for reply in [
        "8/4", "8/8", "8/12", "8/16", "8/20", "8/32", "8/44", "8/68", "8/88", "8/92", "8/96", "8/108", "8/112", "8/80",
        "8/100", "8/192", "8/196",
    ] {
        assert!(
            total.counts.contains_key(&format!("reply {reply}")),
            "{reply} was never answered"
        );
    }
}

/// In these the memory for one level of an index was taken from the level above it, for ever.
#[test]
fn the_smallest_pool_gives_an_answer_to_every_request() {
    for seed in [150_809, 350_010] {
        campaign(seed, 1, 1000);
    }
}
