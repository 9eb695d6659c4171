//! Threads in orders that a seed decides: the part that runs with every build that has the scheduler.
#![cfg(cica_schedules)]

use cica_sim::campaign::Campaign;
use cica_sim::random::digest;
use cica_sim::shape::Organization;
use cica_sim::store::Store;
use cica_sim::threads::{run, trace};

#[test]
fn threads_are_explained_and_outlive_power_cuts() {
    for store in [Store::DataSet(None), Store::Sphere(None)] {
        let total = Campaign::new(1, 150).run(|seed| run(store, seed, 8), |_| ());
        assert!(total.failures.is_empty(), "{}", total.failures[0]);
        for (count, least) in [
            ("schedules", 150),
            ("cuts", 1000),
            ("histories", 300),
            ("faulty runs", 20),
        ] {
            assert!(total.counts[count] >= least, "{count}: {:?}", total.counts);
        }
    }
}

#[test]
fn an_insert_is_refused_where_the_disk_does_not_lengthen_a_file() {
    let outcome = run(Store::DataSet(Some(Organization::Esds)), 1_200_612, 8).expect("a run");
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    assert_eq!(outcome.counts["faulty runs"], 1);
}

#[test]
fn who_left_a_log_and_came_back_is_missed_where_a_power_cut_took_its_name() {
    let outcome = run(Store::Sphere(None), 13_519, 8).expect("a run");
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
}

#[test]
fn one_seed_is_one_order_and_one_trace() {
    for store in [Store::DataSet(None), Store::Sphere(None)] {
        let of = |seed| digest(format!("{:?}", trace(store, seed, 8).expect("a run").events()).as_bytes());
        let traces: Vec<u64> = (1..=6).map(of).collect();
        assert_eq!(traces, (1..=6).map(of).collect::<Vec<u64>>());
        assert!(traces.windows(2).all(|pair| pair[0] != pair[1]), "{traces:?}");
    }
}
