//! What the crash explorer claims to cover happens between its cuts.

use std::collections::BTreeMap;
use std::sync::Arc;

use cica_disk::SimDisk;
use cica_sim::churn;
use cica_sim::coverage::{self, Coverage};
use cica_sim::run::Run;
use cica_sim::session::Session;
use cica_sim::shape::{organization_of, Organization};
use cica_sim::sphere::subject::SphereRun;
use cica_sim::sphere::workload::SphereWorkload;
use cica_sim::subject::Subject;
use cica_sim::volume::action::Action;
use cica_sim::volume::subject::VolumeRun;
use cica_sim::volume::workload::VolumeWorkload;
use cica_sim::workload::Workload;

fn covered(subject: &dyn Subject) -> Coverage {
    let disk = SimDisk::from(subject.start());
    let ran = subject.run(Arc::new(disk.clone()), &mut |_| ());
    ran.expect("a run without faults");
    coverage::of(&disk.trace())
}

fn of(workload: &Workload) -> Coverage {
    covered(&Run::new(&workload.shape, &workload.requests, false))
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
        add(of(&Workload::small(seed, 40, organization_of(seed))));
    }
    for seed in 1..=12 {
        let volume = VolumeWorkload::small(seed, 40);
        add(covered(
            &VolumeRun::new(&volume, &volume.actions, false).expect("a volume"),
        ));
        let base = [Organization::Ksds, Organization::Esds][seed as usize % 4 / 3];
        let sphere = SphereWorkload::small(seed, 40, base);
        let run = SphereRun::new(&sphere.shape, &sphere.records, &sphere.requests, false);
        add(covered(&run.expect("a sphere")));
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

/// Each command of the list is run by some seed, DEFINE and DELETE, the switches and the index among them.
#[test]
fn every_command_is_drawn() {
    let mut drawn: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 1..=120 {
        for action in VolumeWorkload::small(seed, 60).actions {
            if let Action::Card(_, card) = action {
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
