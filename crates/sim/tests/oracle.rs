//! The oracle against VSAM's rules, written out by hand: the judge is judged first.

use cica_sim::oracle::Oracle;
use cica_sim::random::Random;
use cica_sim::request::{Reply, Request};
use cica_sim::shape::Organization;
use cica_sim::shape::{Durability, Shape};

/// A data set with 2-byte keys at offset 1, records of 3 to 20 bytes, two strings.
fn shape() -> Shape {
    Shape {
        key_length: 2,
        key_offset: 1,
        maximum_record: 20,
        fixed: false,
        strings: 2,
        reuse: false,
        durability: Durability::Commit,
        ..Shape::draw(Organization::Ksds, &mut Random::new(1))
    }
}

/// Answers of `script`, a request per line; records are shown by their keys.
fn answers(oracle: &mut Oracle, script: &str) -> Vec<String> {
    let parse = |line: &str| line.trim().parse::<Request>().expect("a request");
    let lines = script.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| match oracle.apply(&parse(line)) {
            Reply::Record(record) => format!("{:02X}{:02X}", record[1], record[2]),
            reply => reply.to_string(),
        })
        .collect()
}

/// Records with the keys 10, 20, 30 and 2100, loaded, and the data set opened again.
fn loaded() -> Oracle {
    let mut oracle = Oracle::new(&shape());
    let load = "insert 0 seq X'0010' 9 0\ninsert 0 seq X'0020' 9 0\ninsert 0 seq X'0030' 9 0\n
                insert 0 seq X'2100' 9 0\nreopen output keep";
    assert_eq!(answers(&mut oracle, load), ["0/0"; 5]);
    oracle
}

fn check(oracle: &mut Oracle, script: &str, expected: &[&str]) {
    assert_eq!(answers(oracle, script), expected, "{script}");
}

#[test]
fn load_takes_rising_keys_and_nothing_else() {
    let mut oracle = Oracle::new(&shape());
    check(
        &mut oracle,
        "insert 0 dir X'0010' 9 0\nget 0 X'0010' keq nup\npoint-first 0\nnext 0 nup\ninsert 0 seq X'0010' 9 0
         insert 0 seq X'0010' 9 0\ninsert 1 seq X'0005' 9 0\ninsert 1 skp X'0011' 9 0\ninsert 0 seq X'0012' 2 0
         next 0 nup\nreopen output keep\nnext 0 nup\nnext 0 nup\nnext 0 nup\ninsert 0 dir X'0001' 9 0",
        &[
            "8/116", "8/116", "8/116", "8/116", "0/0", "8/8", "8/12", "0/0", "8/108", "8/116", "0/0", "0010", "0011",
            "8/4", "0/0",
        ],
    );
}

#[test]
fn direct_gets_by_whole_and_generic_key() {
    check(
        &mut loaded(),
        "get 0 X'0020' keq nup\nget 0 X'0021' keq nup\nget 0 X'0021' kge nup\nget 0 X'21' keq nup\nget 0 X'22' keq nup
         get 0 X'00' keq nup\nget 0 X'22' kge nup\nget 0 X'' keq nup\nget 0 X'002000' kge nup
         get-into 0 X'0020' keq nup 8\nget-into 0 X'0020' keq nup 9",
        &[
            "0020", "8/16", "0030", "2100", "8/16", "0010", "8/16", "8/112", "8/112", "8/44", "0020",
        ],
    );
}

#[test]
fn positions_are_kept_and_lost() {
    check(
        &mut loaded(),
        "prev 0 nup\nnext 0 nup\nnext 0 nup\nprev 0 nup\nnext 0 nup\npoint 0 X'0015' kge\nnext 0 nup
         get 0 X'0020' keq nsp\nnext 0 nup\nget 0 X'0020' keq nup\nnext 0 nup\npoint-last 0\nprev 0 nup\nprev 0 nup
         point-back 0 X'0010' keq\nprev 0 nup\nprev 0 nup\npoint 0 X'3000' kge\nnext 0 nup\nend 0\nnext 0 nup",
        &[
            "8/88", "0010", "0020", "0010", "0020", "0/0", "0020", "0020", "0030", "0020", "8/88", "0/0", "2100",
            "0030", "0/0", "0010", "8/4", "8/16", "8/88", "0/0", "8/88",
        ],
    );
}

#[test]
fn past_the_end_stays_past_the_end_until_pointed() {
    check(
        &mut loaded(),
        "get 0 X'2100' keq nsp\nnext 0 nup\nnext 0 nup\npoint-first 0\nnext 0 nup",
        &["2100", "8/4", "8/4", "0/0", "0010"],
    );
}

#[test]
fn skip_sequential_goes_forward_only() {
    check(
        &mut loaded(),
        "skip 0 X'0020' keq nup\nskip 0 X'0010' keq nup\nskip 0 X'0025' kge nup\nskip 0 X'0030' keq nup",
        &["0020", "8/12", "0030", "0030"],
    );
}

#[test]
fn update_and_erase_need_a_hold_and_use_it_up() {
    check(
        &mut loaded(),
        "update 0 X'0010' 9 1\nerase 0\nget 0 X'0010' keq upd\nupdate 0 X'0011' 9 1\nupdate 0 X'0010' 21 1
         update 0 X'0010' 12 1\nupdate 0 X'0010' 12 1\nnext 0 upd\nerase 0\nerase 0\nnext 0 nup\nget 0 X'0020' keq nup
         get 0 X'0010' keq upd\nget 0 X'0030' keq nup\nerase 0",
        &[
            "8/92", "8/92", "0010", "8/96", "8/108", "0/0", "8/92", "0020", "0/0", "8/92", "0030", "8/16", "0010",
            "0030", "8/92",
        ],
    );
}

#[test]
fn a_held_record_is_not_given_out_for_update_again() {
    check(
        &mut loaded(),
        "get 0 X'0010' keq upd\nget 1 X'0010' keq upd\nget 1 X'0010' keq nup\nget 1 X'0020' keq upd\nend 0
         get 1 X'0010' keq upd",
        &["0010", "8/20", "0010", "0020", "0/0", "0010"],
    );
}

#[test]
fn inserts_in_order_and_duplicates() {
    check(
        &mut loaded(),
        "insert 0 dir X'0020' 9 1\ninsert 0 seq X'0040' 9 1\ninsert 0 seq X'0035' 9 1\ninsert 1 seq X'0035' 9 1
         next 1 nup\nnext 1 nup\ninsert 0 dir X'0050' 21 1\ninsert 0 dir X'0050' 2 1",
        &["8/8", "0/0", "8/12", "0/0", "0040", "2100", "8/108", "8/108"],
    );
}

#[test]
fn input_reads_and_changes_nothing() {
    check(
        &mut loaded(),
        "reopen input keep\nnext 0 nup\nnext 0 upd\ninsert 0 dir X'0050' 9 1\nupdate 0 X'0010' 9 1\nerase 0\nnext 0 nup",
        &["0/0", "0010", "8/68", "8/68", "8/68", "8/68", "0020"],
    );
}

#[test]
fn an_empty_data_set_is_not_one_that_was_never_loaded() {
    let mut oracle = Oracle::new(&shape());
    check(
        &mut oracle,
        "reopen input keep\ninsert 0 dir X'0010' 9 1",
        &["OPEN failed, 160", "8/116"],
    );
    check(
        &mut oracle,
        "insert 0 seq X'0010' 9 1\nreopen output keep\nnext 0 upd\nerase 0",
        &["0/0", "0/0", "0010", "0/0"],
    );
    check(
        &mut oracle,
        "reopen input keep\nnext 0 nup\nreopen output keep",
        &["0/0", "8/4", "0/0"],
    );
    check(&mut oracle, "insert 0 dir X'0010' 9 1", &["0/0"]);
}

#[test]
fn reset_needs_reuse() {
    check(
        &mut loaded(),
        "reopen output reset\nnext 0 nup",
        &["OPEN failed, 160", "0010"],
    );
    let mut oracle = Oracle::new(&Shape { reuse: true, ..shape() });
    check(
        &mut oracle,
        "insert 0 seq X'0010' 9 1\nreopen output reset\nnext 0 nup\ninsert 0 seq X'0009' 9 1\nreopen output keep\nnext 0 nup",
        &["0/0", "0/0", "8/116", "0/0", "0/0", "0009"],
    );
}

#[test]
fn rba_finds_the_record_that_starts_there() {
    check(
        &mut loaded(),
        "get-rba 0 X'0020' 0 nsp\nnext 0 nup\nget-rba 0 X'0020' 1 nup\nnext 0 nup\nget-rba 0 X'0021' 0 nup",
        &["0020", "0030", "8/32", "8/88", "8/32"],
    );
}

#[test]
fn a_death_goes_back_to_some_state_since_the_last_durable_one_and_no_other() {
    let mut oracle = loaded();
    let keys = |oracle: &Oracle| oracle.records().keys().map(|key| key[1]).collect::<Vec<_>>();
    answers(
        &mut oracle,
        "insert 0 dir X'0040' 9 1\ncommit\ninsert 0 dir X'0050' 9 1\nget 0 X'0010' keq upd\nerase 0",
    );
    let latest: Vec<Vec<u8>> = oracle.records().values().cloned().collect();
    let mut committed = Oracle::new(&shape());
    answers(
        &mut committed,
        "insert 0 seq X'0010' 9 0\ninsert 0 seq X'0020' 9 0\ninsert 0 seq X'0030' 9 0\ninsert 0 seq X'0040' 9 1
         insert 0 seq X'2100' 9 0",
    );
    let committed: Vec<Vec<u8>> = committed.records().values().cloned().collect();

    let mut same = oracle.clone();
    assert!(same.adopt(&latest));
    assert_eq!(keys(&same), [0x20, 0x30, 0x40, 0x50, 0x00]);
    let mut back = oracle.clone();
    assert!(back.adopt(&committed));
    assert_eq!(keys(&back), [0x10, 0x20, 0x30, 0x40, 0x00]);
    assert!(!oracle.adopt(&committed[..4]), "a state before the commit was taken");
}

#[test]
fn with_every_request_durable_a_death_loses_nothing() {
    let mut oracle = Oracle::new(&Shape {
        durability: Durability::Request,
        ..shape()
    });
    answers(
        &mut oracle,
        "insert 0 seq X'0010' 9 0\nreopen output keep\ninsert 0 dir X'0020' 9 0",
    );
    assert!(!oracle.clone().adopt(&[]));
    let survivors: Vec<Vec<u8>> = oracle.records().values().cloned().collect();
    assert!(oracle.adopt(&survivors));
}

#[test]
fn a_load_that_did_not_survive_was_never_one() {
    let mut oracle = Oracle::new(&shape());
    answers(&mut oracle, "insert 0 seq X'0010' 9 0");
    assert!(oracle.adopt(&[]));
    check(&mut oracle, "insert 0 dir X'0010' 9 0", &["8/116"]);
    let mut oracle = Oracle::new(&shape());
    answers(&mut oracle, "insert 0 seq X'0010' 9 0");
    let survivors: Vec<Vec<u8>> = oracle.records().values().cloned().collect();
    assert!(oracle.adopt(&survivors));
    check(&mut oracle, "insert 0 dir X'0009' 9 0", &["0/0"]);
}
