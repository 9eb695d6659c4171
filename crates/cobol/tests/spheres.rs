//! Files with alternate keys on spheres: those made from the FD and those of the catalog, and what contradicts them.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::Entry;
use common::{stderr, stdout, Workplace};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

const SOURCE: &str = include_str!("programs/sphere.cob");

fn begin(name: &str) -> (Workplace, PathBuf) {
    let place = Workplace::with_catalog(name);
    let program = place.compile("sphere", SOURCE);
    (place, program)
}

/// A base as IDCAMS makes it, with these alternate indexes.
fn define(place: &Workplace, indexes: &str) {
    let cards = format!("DEFINE CLUSTER (NAME(STAFF) INDEXED KEYS(8 0) RECORDSIZE(60 60) TRACKS(5 5))\n{indexes}");
    common::idcams(&place.session(), &cards).expect("the sphere");
}

const BY_GROUP: &str =
    "DEFINE AIX (NAME(STAFF.BYGROUP) RELATE(STAFF) KEYS(3 8) NONUNIQUEKEY UPGRADE TRACKS(5 5) REUSE)\n\
                        DEFINE PATH (NAME(STAFF.GROUPS) PATHENTRY(STAFF.BYGROUP))\n";
const BY_NUMBER: &str =
    "DEFINE AIX (NAME(STAFF.BYNUMBER) RELATE(STAFF) KEYS(8 11) UNIQUEKEY UPGRADE TRACKS(5 5) REUSE)\n";

fn counts(of: u32, place: &Workplace, program: &std::path::Path) {
    let line = format!("{of:010} 10\n");
    let expected = format!("00\n{line}{line}{line}");
    assert_eq!(place.run(program, &["counts"]), expected);
}

#[test]
fn the_fd_makes_base_alternate_indexes_and_paths() {
    let (place, program) = begin("sphere-fd");
    let mut command = place.command(&program);
    let done = command
        .args(["load", "500"])
        .env("CICA_MESSAGES", "I")
        .output()
        .unwrap();
    assert_eq!(stdout(&done), "00\n");
    assert!(
        stderr(&done).contains("ALTERNATE KEY OF 3 AT 8, ALTERNATE KEY OF 8 AT 11"),
        "{}",
        stderr(&done)
    );
    counts(500, &place, &program);
    let session = place.session();
    let contents = session.catalog.contents().unwrap();
    let mut names: Vec<String> = contents.entries().map(|e| e.name().to_string()).collect();
    names.retain(|name| name.starts_with("STAFF"));
    names.sort();
    assert_eq!(
        names,
        ["STAFF", "STAFF.AIX1", "STAFF.AIX2", "STAFF.PATH1", "STAFF.PATH2"]
    );
    let components = contents.entries().filter_map(|entry| match entry {
        Entry::Cluster(cluster) => Some((&cluster.data, cluster.index.as_ref()?)),
        Entry::Aix(aix) => Some((&aix.data, &aix.index)),
        _ => None,
    });
    let path = |component| session.catalog.component_path(component).expect("its file");
    let sizes: Vec<u32> = components
        .map(|(data, index)| session.engine.peek_index(&path(data), &path(index)).expect("its root"))
        .map(|root| root.attributes.ci_size)
        .collect();
    assert_eq!(sizes, [2048; 3], "CI sizes of the indexes");
}

#[test]
fn alternate_indexes_of_the_catalog_are_used() {
    let (place, program) = begin("sphere-catalog");
    // In another order than the program's, and one that the program does not know.
    let others = "DEFINE AIX (NAME(STAFF.OTHER) RELATE(STAFF) KEYS(2 40) NONUNIQUEKEY UPGRADE TRACKS(5 5) REUSE)\n";
    define(&place, &format!("{others}{BY_NUMBER}{BY_GROUP}"));
    assert_eq!(place.run(&program, &["load", "300"]), "00\n");
    counts(300, &place, &program);
    // The blanks at 40 are there already, which only the other index knows.
    assert_eq!(place.run(&program, &["add", "301"]), "02\n");
    counts(301, &place, &program);
    common::idcams(&place.session(), "EXAMINE NAME(STAFF.BYGROUP) INDEXTEST DATATEST\n").unwrap();
    // A second load empties all of them.
    assert_eq!(place.run(&program, &["load", "7"]), "00\n");
    counts(7, &place, &program);
}

#[test]
fn a_load_that_was_killed_leaves_nothing_that_disagrees() {
    let (place, program) = begin("sphere-kill");
    assert_eq!(place.run(&program, &["load", "2000"]), "00\n");
    let mut child = place
        .command(&program)
        .args(["load-open", "3000"])
        .env("COB_UNBUFFERED", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut said)
        .unwrap();
    assert_eq!(said, "LOADED\n");
    child.kill().unwrap();
    child.wait().unwrap();
    let listed = place.run(&program, &["counts"]);
    // How much of the load is there is luck.
    let counts: Vec<&str> = listed.lines().skip(1).map(|line| &line[..10]).collect();
    assert!(counts.len() == 3 && counts.iter().all(|c| c == &counts[0]), "{listed}");
    assert_eq!(place.run(&program, &["load", "20"]), "00\n");
}

#[test]
fn an_index_that_was_never_built_is_built_by_open() {
    let (place, program) = begin("sphere-unbuilt");
    define(&place, BY_GROUP);
    // A program that knows one alternate key only loads; then the catalog gets the other.
    let one = SOURCE
        .replace("        ALTERNATE RECORD KEY U\n", "")
        .replace("START F KEY >= U.", "");
    let one = place.compile("one", &one);
    assert_eq!(place.run(&one, &["load", "50"]), "00\n");
    common::idcams(&place.session(), BY_NUMBER).unwrap();
    counts(50, &place, &program);
}

#[test]
fn an_alternate_key_that_the_catalog_does_not_have_is_a_conflict() {
    let (place, program) = begin("sphere-39");
    define(&place, BY_GROUP);
    let done = place.command(&program).arg("output").output().unwrap();
    assert_eq!(stdout(&done), "39\n");
    assert!(
        stderr(&done).contains("no alternate index has the program's alternate key of 8 bytes at offset 11"),
        "{}",
        stderr(&done)
    );
    let cards = format!(
        "DELETE STAFF.BYGROUP AIX\n{}{BY_NUMBER}",
        BY_GROUP.replace("NONUNIQUEKEY", "UNIQUEKEY")
    );
    common::idcams(&place.session(), &cards).unwrap();
    let done = place.command(&program).arg("output").output().unwrap();
    assert_eq!(stdout(&done), "39\n");
    assert!(
        stderr(&done).contains("STAFF.BYGROUP is UNIQUEKEY"),
        "{}",
        stderr(&done)
    );
}

/// The data set has the last word: it takes the record, and the program is told by 02.
#[test]
fn a_program_without_duplicates_opens_an_alternate_index_that_has_them() {
    let (place, program) = begin("sphere-nonunique");
    define(
        &place,
        &format!("{BY_GROUP}{}", BY_NUMBER.replace("UNIQUEKEY", "NONUNIQUEKEY")),
    );
    assert_eq!(place.run(&program, &["load", "50"]), "00\n");
    counts(50, &place, &program);
    let same = place.compile(
        "same",
        &SOURCE.replace("COMPUTE U = 99999999 - N.", "MOVE 99999998 TO U."),
    );
    assert_eq!(place.run(&same, &["add", "51"]), "02\n");
    counts(51, &place, &program);
}

#[test]
fn output_of_a_sphere_that_must_not_be_emptied_is_refused() {
    let (place, program) = begin("sphere-37");
    define(&place, &format!("{BY_GROUP}{BY_NUMBER}").replace(" REUSE", ""));
    // The first load needs nothing emptied.
    assert_eq!(place.run(&program, &["load", "40"]), "00\n");
    let done = place.command(&program).arg("output").output().unwrap();
    assert_eq!(stdout(&done), "37\n");
    assert!(stderr(&done).contains("was defined NOREUSE"), "{}", stderr(&done));
    counts(40, &place, &program);
}

#[test]
fn enterprise_cobol_is_told_of_a_duplicate_that_follows() {
    let (place, program) = begin("sphere-02");
    assert_eq!(place.run(&program, &["load", "101"]), "00\n");
    assert_eq!(place.run(&program, &["read"]), "00\n00\n");
    let done = place
        .command(&program)
        .arg("read")
        .env("CICA_STATUS", "enterprise")
        .output()
        .unwrap();
    assert_eq!(stdout(&done), "02\n00\n");
}

#[test]
fn an_index_that_suppresses_other_keys_than_the_program_is_refused() {
    let (place, program) = begin("sphere-sparse");
    assert_eq!(place.run(&program, &["load", "5"]), "00\n");
    let sparse = SOURCE.replace("KEY G WITH DUPLICATES", "KEY G WITH DUPLICATES SUPPRESS WHEN ALL \" \"");
    let program = place.compile("sparse", &sparse);
    let done = place.command(&program).arg("read").output().unwrap();
    assert!(
        stderr(&done).contains("has SUPPRESS X'20' in the program, and STAFF.AIX1 none"),
        "{}",
        stderr(&done)
    );
}

/// Every record has the same key G.
fn shared() -> String {
    let own = "STRING \"G\" DELIMITED SIZE K(7:2) DELIMITED SIZE INTO G.";
    assert!(SOURCE.contains(own));
    SOURCE.replace(own, "MOVE \"ALL\" TO G.")
}

#[test]
fn a_key_that_all_records_share_leads_to_all_of_them() {
    for catalog in [false, true] {
        let place = Workplace::with_catalog(&format!("sphere-shared-{catalog}"));
        let program = place.compile("shared", &shared());
        if catalog {
            // RECORDSIZE bounds what VSAM could keep: five pointers.
            let few = BY_GROUP.replace("NONUNIQUEKEY", "RECORDSIZE(30 48) NONUNIQUEKEY");
            define(&place, &format!("{few}{BY_NUMBER}"));
        }
        assert_eq!(place.run(&program, &["load", "20000"]), "00\n");
        counts(20_000, &place, &program);
        // Loaded, and added.
        assert_eq!(place.run(&program, &["add", "20001"]), "02\n");
        counts(20_001, &place, &program);
        let index = if catalog { "STAFF.BYGROUP" } else { "STAFF.AIX1" };
        let cards = format!("EXAMINE NAME(STAFF) DATATEST\nEXAMINE NAME({index}) DATATEST\n");
        common::idcams(&place.session(), &cards).expect("they agree");
    }
}

#[test]
fn an_index_of_an_earlier_cica_refuses_the_write_that_it_has_no_room_for() {
    let place = Workplace::with_catalog("sphere-room");
    let program = place.compile("shared", &shared());
    let few = BY_GROUP.replace("NONUNIQUEKEY", "RECORDSIZE(30 48) NONUNIQUEKEY");
    define(&place, &format!("{few}{BY_NUMBER}"));
    let session = place.session();
    let contents = session.catalog.contents().unwrap();
    let Some(Entry::Aix(aix)) = contents
        .entries()
        .find(|entry| entry.name().to_string() == "STAFF.BYGROUP")
    else {
        panic!("no such index");
    };
    let path = |component| session.catalog.component_path(component).expect("its file");
    let (data, index) = (path(&aix.data), path(&aix.index));
    let unchain = |a: &mut cica_format::attributes::Attributes| {
        if let Some(of) = &mut a.alternate {
            of.chained = false;
        }
    };
    session.engine.alter(&data, &index, |data, _| unchain(data)).unwrap();
    drop(session);
    let done = place.command(&program).args(["load", "8"]).output().unwrap();
    // Five pointers fit; each of the others is refused when it is written, and CLOSE has nothing to tell.
    let expected = format!("{}00\n", "WRITE 24\n".repeat(3));
    assert_eq!(stdout(&done), expected, "{}", stderr(&done));
    counts(5, &place, &program);
}
