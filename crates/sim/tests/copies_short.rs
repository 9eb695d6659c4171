//! Copies of a store at any moment, opened elsewhere, and old files put back: short, of all stores.
#![allow(clippy::unwrap_used)]

use cica_sim::campaign::Campaign;
use cica_sim::draw::{older, snapshots, Draw};
use cica_sim::store::Store;

const STORES: [Store; 4] = [Store::DataSet(None), Store::Sphere(None), Store::Volume, Store::Units];

fn counted(counts: &std::collections::BTreeMap<String, u64>, what: &str) -> u64 {
    let told = counts.iter().filter(|(name, _)| name.ends_with(what));
    told.map(|(_, count)| count).sum()
}

#[test]
fn a_copy_of_one_moment_opens_and_one_of_several_is_refused_or_right() {
    for store in STORES {
        let done = Campaign::new(500, 12).run(|seed| snapshots(Draw::new(store, seed, 30), 20), |_| ());
        assert_eq!(done.failures, Vec::<String>::new());
        assert_eq!(done.counts["snapshots"], 12 * 20);
        // It is no test of anything if no copy opens, or none is of several moments.
        assert!(counted(&done.counts, "right") > 100, "{:?}", done.counts);
        if store != Store::Units {
            assert!(counted(&done.counts, "refused") > 0, "{:?}", done.counts);
        }
    }
}

#[test]
fn an_old_file_among_newer_ones_is_refused_or_right() {
    for store in &STORES[..3] {
        let done = Campaign::new(700, 12).run(|seed| older(Draw::new(*store, seed, 30)), |_| ());
        assert_eq!(done.failures, Vec::<String>::new());
        for what in ["refused", "right"] {
            assert!(counted(&done.counts, what) > 50, "{:?}", done.counts);
        }
    }
}

/// Data sets that were dropped without CLOSE while others logged, and a tail that a power cut left without the root
/// that ends it.
#[test]
fn copies_that_were_refused_once_open() {
    for seed in [32, 69] {
        let done = Campaign::new(seed, 1).run(|seed| snapshots(Draw::new(Store::Volume, seed, 40), 40), |_| ());
        assert_eq!(done.failures, Vec::<String>::new());
    }
}
