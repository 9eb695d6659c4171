//! IF, THEN, ELSE, DO, END, SET, CANCEL, PARM and the condition codes.
#![allow(clippy::unwrap_used)]

mod common;
use cica_idcams::run::run_with_parm;
use cica_idcams::{Source, Style, Sysprint};
use common::{go, Recorder, STAMP};

/// IF commands nested `levels` deep around one DELETE.
fn nest(levels: usize) -> String {
    format!("{}   DELETE INNER\n", " IF MAXCC = 0 THEN -\n".repeat(levels))
}

#[test]
fn ten_levels_of_if_are_taken() {
    let outcome = go(&nest(10));
    assert_eq!(
        (outcome.maxcc, outcome.done.as_slice()),
        (0, ["DELETE INNER".to_owned()].as_slice())
    );
}

#[test]
fn eleven_levels_of_if_end_the_run_and_nothing_inside_is_done() {
    let outcome = go(&format!("{} DELETE AFTER", nest(11)));
    assert_eq!((outcome.maxcc, outcome.done.len()), (16, 0));
    assert!(outcome
        .listing
        .contains("IDC4237I IF COMMANDS ARE NESTED MORE THAN 10 DEEP"));
    assert!(outcome.listing.contains("AT LINE 11 COLUMN 2"));
}

#[test]
fn levels_count_nesting_and_not_how_many_there_are() {
    assert_eq!(go(&" IF MAXCC = 0 THEN DELETE A\n".repeat(12)).done.len(), 12);
}

#[test]
fn else_belongs_to_the_nearest_if_that_waits_for_one() {
    let text = " IF MAXCC = 0 THEN -\n  IF LASTCC = 4 THEN -\n   DELETE A\n  ELSE -\n   DELETE B\n ELSE -\n  DELETE C";
    assert_eq!(go(text).done, ["DELETE B"]);
    let outer = " IF MAXCC = 4 THEN -\n  IF LASTCC = 0 THEN -\n   DELETE A\n  ELSE -\n   DELETE B\n ELSE -\n  DELETE C";
    assert_eq!(go(outer).done, ["DELETE C"]);
}

#[test]
fn a_null_then_leaves_its_else_and_a_null_else_closes_the_inner_if() {
    assert_eq!(go(" IF LASTCC = 0 THEN\n ELSE DELETE A\n DELETE B").done, ["DELETE B"]);
    assert_eq!(
        go(" IF LASTCC = 4 THEN\n ELSE DELETE A\n DELETE B").done,
        ["DELETE A", "DELETE B"]
    );
    let inner = " IF LASTCC = 0 THEN -\n  IF LASTCC = 4 THEN DELETE A\n  ELSE\n ELSE -\n  DELETE B\n DELETE C";
    assert_eq!(go(inner).done, ["DELETE C"]);
}

#[test]
fn a_command_on_the_line_after_an_unmarked_then_is_not_part_of_the_if() {
    let outcome = go(" IF LASTCC = 4 THEN\n DELETE A");
    assert_eq!(
        (outcome.maxcc, outcome.done.as_slice()),
        (0, ["DELETE A".to_owned()].as_slice())
    );
    assert!(
        outcome
            .listing
            .contains("CICA0928I THE COMMAND AT LINE 2 COLUMN 2 DOES NOT DEPEND ON THE IF ABOVE IT"),
        "{}",
        outcome.listing
    );
    for text in [
        " IF LASTCC = 4 THEN\n",
        " IF LASTCC = 4 THEN\n ELSE DELETE A",
        " IF LASTCC = 4 THEN;\n DELETE A",
    ] {
        assert!(
            !go(text).listing.contains("CICA0928I"),
            "{text}: nothing is taken for its clause"
        );
    }
    assert_eq!(go(" IF LASTCC = 4 THEN -\n DELETE A").done, Vec::<String>::new());
}

#[test]
fn then_and_else_may_stand_in_one_line() {
    assert_eq!(go(" IF LASTCC = 0 THEN DELETE A ELSE DELETE B").done, ["DELETE A"]);
    assert_eq!(go(" IF LASTCC = 1 THEN SET MAXCC = 4 ELSE DELETE B").done, ["DELETE B"]);
}

#[test]
fn do_groups_need_no_marks_and_may_have_an_else() {
    let text = |n| {
        format!(
            " IF LASTCC = {n} THEN DO\n  DELETE A\n  DELETE B\n END\n ELSE DO\n  DELETE C\n  \
             IF MAXCC = 0 THEN DELETE D\n END\n DELETE E"
        )
    };
    assert_eq!(go(&text(0)).done, ["DELETE A", "DELETE B", "DELETE E"]);
    assert_eq!(go(&text(1)).done, ["DELETE C", "DELETE D", "DELETE E"]);
}

#[test]
fn an_if_in_a_branch_not_taken_takes_its_own_else() {
    let text = " IF LASTCC = 1 THEN DO\n  IF LASTCC = 0 THEN DELETE A\n  ELSE DELETE B\n END\n ELSE DELETE C";
    assert_eq!(go(text).done, ["DELETE C"]);
}

#[test]
fn every_relation_is_known_by_sign_and_by_letters() {
    for (relation, holds) in [
        ("=", [false, true, false]),
        ("EQ", [false, true, false]),
        ("^=", [true, false, true]),
        ("\u{ac}=", [true, false, true]),
        ("NE", [true, false, true]),
        (">", [false, false, true]),
        ("GT", [false, false, true]),
        ("<", [true, false, false]),
        ("LT", [true, false, false]),
        (">=", [false, true, true]),
        ("GE", [false, true, true]),
        ("<=", [true, true, false]),
        ("LE", [true, true, false]),
    ] {
        for (code, expected) in [0, 4, 8].into_iter().zip(holds) {
            let outcome = go(&format!(" SET LASTCC = {code}\n IF LASTCC {relation} 4 THEN DELETE A"));
            assert_eq!(!outcome.done.is_empty(), expected, "{code} {relation} 4");
        }
    }
    assert_eq!(go(" IF LASTCC=0 THEN DELETE A").done, ["DELETE A"]);
}

#[test]
fn set_maxcc_hides_a_failure_and_leaves_lastcc() {
    let outcome =
        go(" DELETE RC8\n IF LASTCC = 8 THEN SET MAXCC = 0\n IF LASTCC = 8 THEN DELETE A\n IF MAXCC = 0 THEN DELETE B");
    assert_eq!((outcome.maxcc, outcome.done.len()), (0, 3));
}

#[test]
fn set_lastcc_raises_maxcc_and_never_lowers_it() {
    assert_eq!(go(" SET LASTCC = 8").maxcc, 8);
    assert_eq!(
        go(" DELETE RC8\n SET LASTCC = 0\n IF LASTCC = 0 THEN SET LASTCC = 4").maxcc,
        8
    );
}

#[test]
fn a_number_above_16_counts_as_16_and_16_ends_the_run() {
    for set in [
        "SET MAXCC = 16",
        "SET MAXCC = 99",
        "SET LASTCC = 17",
        "SET MAXCC = 99999999999999999999",
    ] {
        let outcome = go(&format!(" {set}\n DELETE A"));
        assert_eq!((outcome.maxcc, outcome.done.len()), (16, 0), "{set}");
    }
}

#[test]
fn a_command_that_ends_with_16_ends_the_run() {
    let outcome = go(" DELETE RC16\n DELETE A");
    assert_eq!((outcome.maxcc, outcome.done.len()), (16, 1));
}

#[test]
fn maxcc_is_sticky_and_lastcc_is_not() {
    let outcome = go(" DELETE RC8\n DELETE A\n IF LASTCC = 0 THEN IF MAXCC = 8 THEN DELETE B");
    assert_eq!((outcome.maxcc, outcome.done.len()), (8, 3));
}

#[test]
fn lastcc_is_12_after_a_syntax_error_and_the_next_command_runs() {
    let outcome = go(" DELETE\n IF LASTCC = 12 THEN DELETE A");
    assert_eq!(
        (outcome.maxcc, outcome.done.as_slice()),
        (12, ["DELETE A".to_owned()].as_slice())
    );
}

#[test]
fn a_branch_not_taken_changes_nothing_and_is_not_checked() {
    let text = " IF LASTCC = 1 THEN DO\n  SET MAXCC = 8\n  CANCEL\n  PARM MARGINS(10 20)\n  \
                NONSENSE (\n  DELETE RC8\n END\n DELETE A";
    let outcome = go(text);
    assert_eq!(
        (outcome.maxcc, outcome.done.as_slice()),
        (0, ["DELETE A".to_owned()].as_slice())
    );
}

#[test]
fn cancel_ends_the_run_with_the_maxcc_reached() {
    let outcome = go(" DELETE RC4\n IF MAXCC = 4 THEN CANCEL\n DELETE A");
    assert_eq!((outcome.maxcc, outcome.done.len()), (4, 1));
    assert!(outcome.listing.ends_with("MAXIMUM CONDITION CODE WAS 4\n"));
}

#[test]
fn parm_margins_holds_from_the_next_record_on() {
    assert_eq!(go(" PARM MARGINS(1 80)\nDELETE A").done, ["DELETE A"]);
    assert_eq!(
        go(&format!(" PARM MARGINS(2 80)\n{:70}PURGE2.A", " DELETE ")).done,
        ["DELETE PURGE2.A"]
    );
    assert_eq!(go(" PARM MARGINS(20 10)\n DELETE A").maxcc, 12);
}

#[test]
fn the_parm_field_is_a_parm_command() {
    let go = |parm| {
        let (mut recorder, mut sink) = (Recorder::default(), Vec::new());
        let mut out = Sysprint::new(&mut sink, Style::Plain, STAMP);
        let cc = run_with_parm(parm, Source::from_text("DELETE A"), &mut recorder, &mut out);
        (cc, recorder.done.len(), String::from_utf8(sink).unwrap())
    };
    assert_eq!(go("MARGINS(1 80)").1, 1);
    let (cc, _, listing) = go("MARGIN(1 80)");
    assert_eq!(cc, 12);
    assert!(listing.contains("AT PARM COLUMN 1: DID YOU MEAN MARGINS?"), "{listing}");
}

#[test]
fn what_is_out_of_place_ends_the_run_because_nobody_knows_what_depends_on_it() {
    for (text, id) in [
        (" ELSE DELETE A", "IDC4227I"),
        (" IF LASTCC = 0 THEN DO\n ELSE\n END", "IDC4227I"),
        (" IF LASTCC = 0 THEN\n ELSE\n ELSE DELETE A", "IDC4227I"),
        (" END\n DELETE A", "IDC4228I"),
        (" IF LASTCC = 0 THEN END\n DELETE A", "IDC4228I"),
        (" IF LASTCC = 0 THEN DO\n", "IDC4236I"),
        (" IF LASTCC = 0\n THEN DELETE A", "IDC4232I"),
        (" IF LASTCC = 0 DELETE A", "IDC4232I"),
        (" IF LASTCC 0 THEN DELETE A", "IDC4229I"),
        (" IF RC = 0 THEN DELETE A", "IDC4229I"),
        (" IF LASTCC = X THEN DELETE A", "IDC4229I"),
        (" IF LASTCC == 0 THEN DELETE A", "IDC4229I"),
        (" IF", "IDC4229I"),
    ] {
        let outcome = go(&format!("{text}\n DELETE B"));
        let outcome = if id == "IDC4236I" { go(text) } else { outcome };
        assert_eq!((outcome.maxcc, outcome.done.len()), (16, 0), "{text}");
        assert!(outcome.listing.contains(id), "{text}: {}", outcome.listing);
        assert!(outcome.listing.contains("CONDITION CODE IS 16"), "{text}");
    }
}

#[test]
fn a_wrong_set_ends_the_run_whatever_branch_it_is_in() {
    for text in [
        "SET",
        "SET RC = 0",
        "SET MAXCC 0",
        "SET MAXCC = A",
        "SET MAXCC > 0",
        "SET MAXCC = 0 1",
        "IF LASTCC = 4 THEN SET MAXCC",
    ] {
        let outcome = go(&format!(" {text}\n DELETE A"));
        assert_eq!((outcome.maxcc, outcome.done.len()), (16, 0), "{text}");
        assert!(outcome.listing.contains("IDC4230I"), "{text}");
        assert!(outcome.listing.contains("IDC3207I"), "{text}");
    }
}

/// As clean-up jobs have it, with LASTCC 8 and with 0.
#[test]
fn do_on_the_line_after_then_or_else_needs_no_mark() {
    let job = |cc, gap: &str| {
        format!(
            " SET LASTCC = {cc}\n IF LASTCC = 8 THEN{gap}   DO\n     SET MAXCC = 0\n     DELETE A\n   END\n ELSE{gap}   DO\n     \
             DELETE B\n   END\n DELETE C\n"
        )
    };
    for gap in ["\n", " -\n", "\n\n", "\n /* NOT A CLAUSE */\n", " "] {
        let outcome = go(&job(8, gap));
        assert_eq!(
            (outcome.maxcc, outcome.done.as_slice()),
            (0, ["DELETE A".to_owned(), "DELETE C".to_owned()].as_slice()),
            "{gap:?}"
        );
        let outcome = go(&job(0, gap));
        assert_eq!(outcome.done, ["DELETE B", "DELETE C"], "{gap:?}");
    }
    let outcome = go(" IF LASTCC = 8 THEN\n DO\n SET MAXCC = 12\n END\n DELETE C");
    assert_eq!((outcome.maxcc, outcome.done.len()), (0, 1));
    assert_eq!(
        go(" IF LASTCC = 8 THEN;\n DO\n DELETE A\n END").done,
        ["DELETE A"],
        "; ends the clause"
    );
}

#[test]
fn do_may_stand_alone_and_inside_do() {
    assert_eq!(
        go(" DO\n DELETE A\n DO\n DELETE B\n END\n END\n DELETE C").done.len(),
        3
    );
    let text = " IF LASTCC = 4 THEN DO\n DO\n DELETE A\n END\n DELETE B\n END\n ELSE DELETE C";
    assert_eq!(go(text).done, ["DELETE C"]);
}

#[test]
fn a_blank_line_or_a_comment_ends_an_if_and_no_else_can_follow() {
    for gap in [" \n", "\n", " /* ALTERNATE PATH */\n", " /* A */ /* B */\n"] {
        for clause in ["DELETE A", "DO\n DELETE A\n END"] {
            let outcome = go(&format!(" IF LASTCC = 0 THEN -\n {clause}\n{gap} ELSE -\n DELETE B"));
            assert_eq!(
                (outcome.maxcc, outcome.done.as_slice()),
                (16, ["DELETE A".to_owned()].as_slice()),
                "{gap:?}"
            );
            assert!(outcome.listing.contains("IDC4227I"), "{gap:?}");
            assert!(
                outcome.listing.contains("IS BLANK OR A COMMENT: END IT WITH -"),
                "{}",
                outcome.listing
            );
        }
        let marked = gap.replace('\n', " -\n");
        let outcome = go(&format!(" IF LASTCC = 0 THEN -\n DELETE A\n{marked} ELSE -\n DELETE B"));
        assert_eq!((outcome.maxcc, outcome.done.len()), (0, 1), "{gap:?}");
    }
    // Elsewhere such lines mean nothing.
    let text = "\n DELETE A\n\n IF LASTCC = 0 THEN DO\n\n DELETE B\n /* */\n END\n\n DELETE C\n";
    assert_eq!((go(text).maxcc, go(text).done.len()), (0, 3));
    // THEN, a blank line, ELSE: the clause is empty and over, as IBM's rule has it.
    assert_eq!(go(" IF LASTCC = 0 THEN\n\n ELSE DELETE A").maxcc, 16);
    assert_eq!(go(" IF LASTCC = 4 THEN\n ELSE\n\n DELETE A").done, ["DELETE A"]);
}

#[test]
fn a_command_in_a_branch_not_taken_is_told_and_changes_no_code() {
    let outcome = go(
        " DELETE RC4\n IF LASTCC = 0 THEN DO\n DELETE A\n DELETE B\n END\n ELSE DELETE C\n IF LASTCC = 0 THEN DELETE D",
    );
    assert_eq!(outcome.done, ["DELETE RC4", "DELETE C", "DELETE D"]);
    assert_eq!(outcome.listing.matches("IDC0204I").count(), 2, "{}", outcome.listing);
    assert_eq!(outcome.maxcc, 4);
}

#[test]
fn a_then_at_the_start_of_a_line_tells_of_the_missing_mark() {
    let outcome = go(" DELETE A\n THEN DELETE B");
    assert!(
        outcome.listing.contains("IDC3219I VERB NAME 'THEN' UNKNOWN"),
        "{}",
        outcome.listing
    );
    assert!(outcome.listing.contains("END THE LINE BEFORE IT WITH -"));
}
