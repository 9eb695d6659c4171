//! Units of recovery under power cuts at every write and sync: the part of the campaign that runs with every build.

use cica_sim::campaign::{Budget, Campaign};
use cica_sim::draw::{crash, fault, Draw};
use cica_sim::fault::{inject, FaultPlan};
use cica_sim::store::Store;
use cica_sim::units::oracle::{UnitAction, ESDS};
use cica_sim::units::subject::UnitsRun;
use cica_sim::units::workload::UnitsWorkload;

#[test]
fn after_every_crash_committed_units_are_whole_and_open_ones_are_not_there() {
    let budget = Budget::new(20_000);
    let total = Campaign::new(1, 40).run(
        |seed| crash(Draw::new(Store::Units, seed, 60), 1_000, &budget, None),
        |_| (),
    );
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    for count in [
        "images all",
        "images subset",
        "images torn",
        "images nested",
        "images exercised",
    ] {
        assert!(total.counts[count] > 100, "{count}: {:?}", total.counts);
    }
}

#[test]
fn after_every_failing_call_committed_units_are_whole_and_open_ones_are_not_there() {
    let total = Campaign::new(1, 4).run(|seed| fault(Draw::new(Store::Units, seed, 40), 40, None), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["runs refused"] > 200, "{:?}", total.counts);
}

/// A sync fails, and the page cache goes on to show what the disk has not: the log that the data set's root on the disk
/// names is not taken again by the process that let it go.
#[test]
fn a_log_that_was_let_go_is_not_taken_for_what_the_page_cache_shows() {
    let only = Some(("sync-loses-later".parse().expect("a kind"), None));
    let outcome = fault(Draw::new(Store::Units, 10, 40), 1_000, only).expect("a run");
    assert!(outcome.failure.is_none(), "{}", outcome.failure.unwrap_or_default());
    assert!(outcome.counts["faults sync-loses-later"] > 10, "{:?}", outcome.counts);
}

/// A data set whose root cannot be written is fenced; a unit over the others ends without what it had by itself.
#[test]
fn a_unit_ends_though_a_data_set_that_it_did_not_change_is_fenced() {
    let put = |by, set, key| UnitAction::Put { by, set, key, value: 7 };
    let actions = vec![put(None, 0, 3), put(Some(0), ESDS, 1), UnitAction::Commit(0)];
    let start = UnitsWorkload::new(1, 0).start;
    let workload = UnitsWorkload { start, actions };
    let run = UnitsRun::new(&workload, workload.actions.clone(), true).expect("loaded data sets");
    let (seed, each, only) = (1, 1_000, Some(("eio".parse().expect("a kind"), None)));
    let (report, failure) = inject(&run, FaultPlan { seed, each, only });
    assert!(
        failure.is_none(),
        "{}",
        failure.map(|f| f.to_string()).unwrap_or_default()
    );
    assert!(report.refused > 30, "{report:?}");
}

#[test]
fn runs_have_units_of_every_end() {
    let actions: Vec<UnitAction> = (1..=40).flat_map(|seed| UnitsWorkload::new(seed, 60).actions).collect();
    let count = |of: fn(&UnitAction) -> bool| actions.iter().filter(|action| of(action)).count();
    assert!(count(|a| matches!(a, UnitAction::Commit(_))) > 50);
    assert!(count(|a| matches!(a, UnitAction::BackOut(_))) > 50);
    assert!(count(|a| matches!(a, UnitAction::Prepare(..))) > 20);
    assert!(count(|a| matches!(a, UnitAction::Decide(_, true))) > 20);
    assert!(count(|a| matches!(a, UnitAction::Decide(_, false))) > 20);
    assert!(count(|a| matches!(a, UnitAction::Checkpoint(_))) > 20);
    assert!(count(|a| matches!(a, UnitAction::Reopen(_))) > 10);
}
