//! What the crash explorer claims to cover happens between its cuts.

use std::collections::BTreeMap;
use std::sync::Arc;

use cica_disk::SimDisk;
use cica_sim::churn;
use cica_sim::coverage::{self, Coverage};
use cica_sim::run::ModelRun;
use cica_sim::session::Session;
use cica_sim::shape::Organization;
use cica_sim::store::Store;
use cica_sim::subject::{History, Subject};
use cica_sim::trial::Purpose;
use cica_sim::volume::action::VolumeAction;
use cica_sim::volume::workload::VolumeWorkload;
use cica_sim::workload::Workload;

fn covered(subject: &dyn Subject) -> Coverage {
    let disk = SimDisk::from(subject.start());
    let mut history = History::default();
    let ran = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
    ran.expect("a run without faults");
    coverage::of_run(&disk.trace(), &history)
}

/// What the explorers make of a seed.
fn drawn(store: Store, seed: u64) -> Coverage {
    let trial = store.draw(seed, 40, Purpose::Explore);
    let all: Vec<usize> = (0..trial.len()).collect();
    let subject = trial.subject(&all, false).expect("a store");
    covered(&*subject)
}

fn of(workload: &Workload) -> Coverage {
    covered(&ModelRun::new(&workload.shape, &workload.requests, false))
}

/// Sums over the seeds that the campaigns begin with.
#[test]
fn everything_on_the_list_happens() {
    let mut all = Coverage::new();
    let mut add = |one: Coverage| {
        one.iter()
            .for_each(|(what, count)| *all.entry(what).or_default() += count)
    };
    for seed in 1..=40 {
        add(of(&churn::workload(seed, 10)));
        add(drawn(Store::DataSet(None), seed));
    }
    for seed in 1..=12 {
        add(drawn(Store::Volume, seed));
        add(drawn(Store::Sphere(None), seed));
        add(drawn(Store::Units, seed));
    }
    let never: Vec<_> = coverage::ALL.iter().filter(|what| !all.contains_key(*what)).collect();
    assert!(never.is_empty(), "never: {never:?}; {all:?}");
}

/// What takes several commits in a row: often enough that a mistake in it is met within some thousand images.
#[test]
fn what_takes_a_row_of_commits_happens_in_every_tenth_run() {
    let mut all = Coverage::new();
    for seed in 1..=60 {
        let one = of(&churn::workload(seed, 10));
        one.iter()
            .for_each(|(what, count)| *all.entry(what).or_default() += count.min(&1));
    }
    for what in ["annex freed", "annex's region used again", "CA reclaimed", "CA reused"] {
        assert!(all.get(what).is_some_and(|runs| *runs >= 6), "{what}: {all:?}");
    }
}

/// In every second run somebody is killed, in some of them again and again: with units and spheres too.
#[test]
fn processes_are_killed_and_others_go_on_in_every_store() {
    for store in [Store::DataSet(None), Store::Sphere(None), Store::Units, Store::Volume] {
        let mut all = Coverage::new();
        for seed in 1..=40 {
            drawn(store, seed)
                .iter()
                .for_each(|(what, count)| *all.entry(what).or_default() += count);
        }
        let of = |word: &str| {
            all.iter()
                .filter(|(what, _)| what.starts_with(word))
                .map(|(_, n)| n)
                .sum::<u64>()
        };
        assert!(of("process killed, and") >= 10, "{store:?}: {all:?}");
        assert!(of("process killed while") >= 2, "{store:?}: {all:?}");
        let in_command = of("process killed in a command");
        assert_eq!(in_command >= 10, store == Store::Volume, "{store:?}: {all:?}");
    }
}

/// Each command of the list is run by some seed, DEFINE and DELETE, the switches and the index among them.
#[test]
fn every_command_is_drawn() {
    let mut drawn: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 1..=120 {
        for action in VolumeWorkload::small(seed, 60).actions {
            if let VolumeAction::Card(_, card) = action {
                let word: String = format!("{card:?}").chars().take_while(|c| c.is_alphabetic()).collect();
                *drawn.entry(word).or_default() += 1;
            }
        }
    }
    for card in [
        "Define",
        "Delete",
        "Rename",
        "FreeSpace",
        "Reorganize",
        "Restore",
        "Export",
        "ExportAway",
        "Import",
        "Repro",
        "DefineIndex",
        "DefinePath",
        "BuildIndex",
        "AlterIndex",
        "AlterPath",
        "DeletePath",
        "DeleteIndex",
        "Verify",
        "Examine",
    ] {
        assert!(drawn.contains_key(card), "{card}: {drawn:?}");
    }
}

#[test]
fn what_did_not_happen_is_not_counted() {
    let disk = SimDisk::from(Session::empty_disk());
    assert_eq!(coverage::of(&disk.trace()), Coverage::new());
    let none = Workload {
        requests: Vec::new(),
        ..Workload::small(1, 1, Organization::Ksds)
    };
    assert!(!of(&none).contains_key("CI split"));
}
