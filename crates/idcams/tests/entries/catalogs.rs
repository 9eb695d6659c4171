//! User catalogs: what a DEFINE that did not end leaves, and volumes that several catalogs use.

use crate::world::World;
use cica_catalog::connected;
use std::path::Path;

const UCAT: &str = "DEF UCAT (NAME(UCAT.PAY) CYL(1) VOL(CICA01))";
const PLACE: &str = "volumes/CICA01/UCAT.PAY";

#[test]
fn an_empty_catalog_that_no_entry_names_is_taken() {
    let mut w = World::new();
    connected::make(&*w.disk, Path::new("/cat"), Path::new(PLACE)).unwrap();
    w.ok(UCAT);
    assert_eq!(w.names(), ["UCAT.PAY"]);
}

#[test]
fn a_catalog_with_entries_that_no_entry_names_is_not() {
    let mut w = World::new();
    w.ok(&format!(
        "{UCAT}\nDEF CL (NAME(A) TRK(1)) CATALOG(UCAT.PAY)\nEXPORT UCAT.PAY DISCONNECT"
    ));
    w.refused(UCAT, 12, &["IDC3014I", "CICA0934E", "IDC3009I"], "IMPORT CONNECT");
    w.ok("IMPORT CONNECT OBJECTS((UCAT.PAY VOLUMES(CICA01)))\nLISTCAT ENTRIES(A) CATALOG(UCAT.PAY)");
}

#[test]
fn a_volume_stays_while_a_user_catalog_has_data_sets_on_it() {
    let mut w = World::new();
    w.ok("DEF VOLUME (NAME(V1))");
    w.ok(&format!("{UCAT}\nDEF CL (NAME(A) TRK(1) VOL(V1)) CATALOG(UCAT.PAY)"));
    w.refused(
        "DELETE V1 VOLUME",
        8,
        &["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"],
        "still holds A",
    );
    w.ok("DELETE A CATALOG(UCAT.PAY)\nDELETE V1 VOLUME");
}

/// Another process that has opened both catalogs before sees what this one does to them.
#[test]
fn processes_see_each_others_changes_of_a_user_catalog() {
    let mut w = World::new();
    w.ok(&format!("{UCAT}\nDEF ALIAS (NAME(PAY) RELATE(UCAT.PAY))"));
    let mut other = w.other();
    other.ok("LISTCAT CATALOG(UCAT.PAY)");
    w.ok("DEF CL (NAME(PAY.A) TRK(1))");
    other.ok("ALTER PAY.A OWNER(ADA)");
    w.ok("DELETE PAY.A");
    other.refused("DELETE PAY.A", 8, &["IDC3012I", "IDC3009I", "IDC0551I"], "NOT FOUND");
}
