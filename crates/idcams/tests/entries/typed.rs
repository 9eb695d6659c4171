//! LISTCAT and SHCDS as a program calls them, without control cards.

use crate::world::World;
use cica_admin::listcat::{Listcat, Listed, Which};
use cica_admin::shcds::{SharedState, Shcds, ShcdsResult};

fn cluster() -> World {
    let mut w = World::new();
    w.ok("DEFINE CLUSTER (NAME(A.NAMES) RECORDS(100) KEYS(4 0) RECORDSIZE(80 80) VOLUMES(CICA01) LOG(UNDO))");
    w
}

#[test]
fn entries_come_in_order_and_what_is_not_found_comes_among_them() {
    let w = cluster();
    let request = Listcat {
        which: Which::Entries(vec!["A.NAMES".to_owned(), "A.NONE".to_owned()]),
        volumes: true,
        ..Listcat::default()
    };
    let mut seen = Vec::new();
    let outcome = w.services.listcat(&request, &mut |listed| {
        seen.push(match listed {
            Listed::Catalog(name) => name,
            Listed::Entry { entry, nested } => format!("{} {} {nested}", entry.kind.word(), entry.name),
            Listed::NotFound(messages) => messages[0].entry.id.to_owned(),
            Listed::Volume(volume) => format!("{} {}", volume.serial, volume.data_sets),
        });
    });
    assert_eq!((outcome.condition, outcome.messages.len()), (4, 0));
    let entries = [
        "CLUSTER A.NAMES false",
        "DATA A.NAMES.DATA true",
        "INDEX A.NAMES.INDEX true",
    ];
    assert_eq!(seen[..3], entries);
    assert_eq!(seen[3..], ["IDC3012I", "CICA01 2"]);
}

#[test]
fn nobody_shares_a_data_set_and_its_log_says_whether_it_can_be_recovered() {
    let w = cluster();
    let outcome = w.services.shcds(&Shcds::DataSet("A.NAMES".into()));
    let state = SharedState {
        name: "A.NAMES".into(),
        recoverable: true,
        retained: false,
        users: Vec::new(),
    };
    assert_eq!((outcome.condition, outcome.result), (0, ShcdsResult::DataSet(state)));
    let outcome = w.services.shcds(&Shcds::Recovery);
    assert_eq!(
        (outcome.condition, outcome.result),
        (0, ShcdsResult::Shunted(Vec::new()))
    );
}
