//! Cards to tokens: continuation, comments, quotes, margins.
#![allow(clippy::unwrap_used)]

mod common;
use cica_idcams::{parser, Command, KeyValue, Pos, Source, Style};
use common::{error, go, go_with, one};

#[test]
fn a_hyphen_continues_a_command_and_keeps_the_blanks_of_the_next_record() {
    let command = one(" DELETE -\n   A.B -\n   PURGE");
    assert_eq!(command.params.name("entryname"), Some("A.B"));
    assert!(command.params.flag("PURGE"));
}

#[test]
fn a_hyphen_right_behind_a_word_continues_too() {
    let command = one(" DELETE A.B-\n   PURGE");
    assert_eq!(command.params.name("entryname"), Some("A.B"));
    assert!(command.params.flag("PURGE"));
}

#[test]
fn a_plus_joins_the_two_halves_of_a_value() {
    assert_eq!(
        one(" DELETE PAYROLL.MA+\n         STER").params.name("entryname"),
        Some("PAYROLL.MASTER")
    );
}

#[test]
fn a_hyphen_inside_a_quoted_value_keeps_the_blanks_and_a_plus_drops_them() {
    let key = |mark| {
        one(&format!(" PRINT IDS(A) FKEY('AB{mark}\n    CD')"))
            .params
            .key("FROMKEY")
            .cloned()
    };
    assert_eq!(key('-'), Some(KeyValue::Char("AB   CD".into())));
    assert_eq!(key('+'), Some(KeyValue::Char("ABCD".into())));
}

#[test]
fn blanks_after_the_mark_do_not_matter_and_a_mark_past_the_margin_is_none() {
    assert!(one(" DELETE A.B -      \n   PURGE").params.flag("PURGE"));
    let card = format!("{:72}-\n   PURGE", " DELETE A.B");
    let all = parser::commands(&card);
    assert!(!all[0].as_ref().unwrap().params.flag("PURGE"));
    assert!(all[1].as_ref().unwrap_err()[0]
        .to_string()
        .contains("IDC3219I VERB NAME 'PURGE' UNKNOWN"));
}

#[test]
fn a_mark_in_column_72_counts() {
    assert!(one(&format!("{:71}-\n   PURGE", " DELETE A.B")).params.flag("PURGE"));
}

#[test]
fn a_quoted_value_may_have_doubled_quotes_blanks_commas_and_parentheses() {
    let command = one(" PRINT INDATASET(A) FROMKEY('O''NEIL, (J) ;/*')");
    assert_eq!(
        command.params.key("FROMKEY"),
        Some(&KeyValue::Char("O'NEIL, (J) ;/*".into()))
    );
}

#[test]
fn hexadecimal_and_binary_keys_are_bytes() {
    let key = |text| {
        one(&format!(" PRINT IDS(A) FKEY({text})"))
            .params
            .key("FROMKEY")
            .cloned()
    };
    assert_eq!(key("X'00FF1a'"), Some(KeyValue::Hex(vec![0, 255, 0x1a])));
    assert_eq!(key("B'1111000000000001'"), Some(KeyValue::Hex(vec![0xf0, 1])));
    assert_eq!(key("abc"), Some(KeyValue::Char("abc".into())));
    assert_eq!(key("ABC*"), Some(KeyValue::CharGeneric("ABC".into())));
    assert_eq!(key("'ABC*'"), Some(KeyValue::Char("ABC*".into())));
}

#[test]
fn numbers_may_be_hexadecimal_or_binary() {
    let number = |text| one(&format!(" PRINT IDS(A) COUNT({text})")).params.number("COUNT");
    assert_eq!(number("10"), Some(10));
    assert_eq!(number("X'10'"), Some(16));
    assert_eq!(number("B'10'"), Some(2));
}

#[test]
fn a_comment_may_stand_wherever_a_blank_may() {
    let command = one(" /* ONE */ DELETE/* TWO */A.B /* THREE */ PURGE /* - FOUR */");
    assert_eq!(command.params.name("entryname"), Some("A.B"));
    assert!(command.params.flag("PURGE"));
}

#[test]
fn a_comment_over_several_lines_needs_marks() {
    let all = parser::commands(" /* A COMMENT -\n    GOES ON */ DELETE A.B");
    assert_eq!(all.len(), 1);
    assert!(all[0].is_ok());
}

#[test]
fn a_comment_that_is_not_closed_is_named_once_and_skipped_to_its_end() {
    let all = parser::commands(" /* NOT MARKED\n    DELETE IN.COMMENT */\n DELETE A.B");
    let message = all[0].as_ref().unwrap_err()[0].to_string();
    assert!(
        message.starts_with("CICA0904E COMMENT IS NOT CLOSED AT LINE 1 COLUMN 2"),
        "{message}"
    );
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].as_ref().unwrap().params.name("entryname"), Some("A.B"));
}

#[test]
fn a_comment_nobody_closes_does_not_swallow_the_rest_of_the_input() {
    let outcome = go(" DELETE A /* OPEN\n DELETE B");
    assert_eq!(outcome.done, ["DELETE B"]);
    assert_eq!(outcome.maxcc, 12);
}

#[test]
fn a_blank_line_or_a_comment_line_without_a_mark_ends_the_command() {
    for middle in ["", " /* PURGE IT */"] {
        let all = parser::commands(&format!(" DELETE A.B -\n{middle}\n   PURGE"));
        assert!(!all[0].as_ref().unwrap().params.flag("PURGE"));
        assert!(all[1].is_err());
    }
    for middle in [" -", " /* PURGE IT */ -"] {
        assert!(one(&format!(" DELETE A.B -\n{middle}\n   PURGE")).params.flag("PURGE"));
    }
}

#[test]
fn a_missing_mark_makes_the_rest_a_command_of_its_own_that_is_rejected() {
    let outcome = go(" DELETE A.B\n   PURGE\n DELETE C.D");
    assert_eq!(outcome.done, ["DELETE A.B", "DELETE C.D"]);
    assert_eq!(outcome.maxcc, 12);
    assert!(outcome.listing.contains("IDC3219I VERB NAME 'PURGE' UNKNOWN"));
    assert!(outcome
        .listing
        .contains("AT LINE 2 COLUMN 4: IF IT BELONGS TO THE COMMAND BEFORE"));
    assert!(outcome
        .listing
        .contains("IDC3202I ABOVE TEXT BYPASSED UNTIL NEXT COMMAND. CONDITION CODE IS 12"));
}

#[test]
fn a_mark_in_the_middle_of_a_line_is_told() {
    let message = error(" DELETE A.B - /* NOT AT THE END */ PURGE");
    assert!(
        message.contains("CICA0917E") && message.contains("LINE 1 COLUMN 13"),
        "{message}"
    );
    assert!(message.contains("LAST CHARACTER OF ITS LINE"), "{message}");
}

#[test]
fn a_semicolon_ends_a_command_and_another_may_follow_in_the_line() {
    assert_eq!(
        go(" DELETE A; DELETE B ;; DELETE C").done,
        ["DELETE A", "DELETE B", "DELETE C"]
    );
}

#[test]
fn commas_separate_as_blanks_do() {
    let command = one(" DEFINE CLUSTER(NAME(A.B),RECORDSIZE(150,150),KEYS(11 16),CYL(1,,2))");
    let values = |k| command.params.numbers(k).iter().map(|n| n.value).collect::<Vec<_>>();
    assert_eq!(
        (values("RECORDSIZE"), values("KEYS"), values("CYLINDERS")),
        (vec![150, 150], vec![11, 16], vec![1, 2])
    );
}

#[test]
fn text_outside_the_margins_is_not_read() {
    let card = format!("X{:71}00000010", "DELETE A.B");
    assert_eq!(card.len(), 80);
    assert_eq!(go(&card).done, ["DELETE A.B"]);
}

#[test]
fn sequence_numbers_are_silent_and_other_text_right_of_the_margin_is_told_once() {
    let numbered = format!("{:72}00000010", " DELETE A.B");
    assert!(!go(&numbered).listing.contains("CICA0903W"));
    let long = format!("{:72}         PURGE THE OLD ONE", " DELETE A.B");
    let listing = go(&format!("{long}\n{long}")).listing;
    assert_eq!(
        listing
            .matches("CICA0903W TEXT RIGHT OF COLUMN 72 IS NOT READ, FIRST IN LINE 1")
            .count(),
        1,
        "{listing}"
    );
}

#[test]
fn a_word_cut_by_the_margin_is_told_even_where_sequence_numbers_stand() {
    let cut = format!("{:70}PURGE", " DELETE A.B");
    assert!(go(&cut).listing.contains("CICA0903W"));
    let late = format!("{:73}-\n   PURGE", " DELETE A.B");
    assert!(
        go(&late).listing.contains("CICA0903W"),
        "a mark right of the margin is no mark"
    );
    let marked = format!("{:71}-00000010\n   PURGE", " DELETE A.B");
    assert!(!go(&marked).listing.contains("CICA0903W"));
}

#[test]
fn a_command_in_column_1_is_told_why_it_is_unknown() {
    let message = error("DELETE A.B");
    assert!(
        message.contains("IDC3219I VERB NAME 'ELETE' UNKNOWN AT LINE 1 COLUMN 2"),
        "{message}"
    );
    assert!(message.contains("BEGIN IN COLUMN 2"), "{message}");
}

#[test]
fn card_images_without_line_ends_are_cut_every_80_bytes() {
    let deck = format!("{:72}00000010{:72}00000020", " DELETE A.B -", "   PURGE");
    let outcome = go_with(Source::from_bytes(deck.as_bytes()), Style::Plain);
    assert_eq!((outcome.maxcc, outcome.done.len()), (0, 1));
}

#[test]
fn a_delimiter_record_ends_the_input_as_in_a_job() {
    assert_eq!(go(" DELETE A\n/*\n DELETE B").done, ["DELETE A"]);
}

#[test]
fn lower_case_is_taken_and_line_ends_of_other_systems_too() {
    let command = one(" def cl (name(a.b) cyl(1)\t-\r\n volumes(v39001))\r\n");
    assert_eq!(command.params.name("NAME"), Some("A.B"));
    assert_eq!(command.params.name("VOLUMES"), Some("V39001"));
}

#[test]
fn every_value_has_the_place_it_stands_at() {
    let command = one(" DEFINE CLUSTER (NAME(A.B) -\n   KEYS(8 0) VOLUMES(V1 -\n   V2) CYL(1))");
    assert_eq!(command.at, Pos::new(1, 2));
    assert_eq!(command.params.at("KEYS"), Some(Pos::new(2, 4)));
    assert_eq!(command.params.numbers("KEYS")[1].at, Pos::new(2, 11));
    assert_eq!(command.params.list("VOLUMES")[1].at, Pos::new(3, 4));
}

#[test]
fn an_open_quote_ends_with_its_command_and_is_told_where_it_begins() {
    let command = one(" PRINT INDATASET(A.B) FROMKEY('ABC)  ");
    assert_eq!(
        notes(&command),
        [("IDC0222I", Pos::new(1, 31)), ("IDC0234I", Pos::new(1, 30))]
    );
    assert_eq!(command.params.key("FROMKEY"), Some(&KeyValue::Char("ABC)".into())));
    let outcome = go(" PRINT INDATASET(A.B) FROMKEY('ABC)\n DELETE C.D");
    assert_eq!((outcome.maxcc, outcome.done.len()), (0, 2), "{}", outcome.listing);
}

fn notes(command: &Command) -> Vec<(&'static str, Pos)> {
    command.notes.iter().map(|note| (note.message.id, note.at)).collect()
}

#[test]
fn a_comma_out_of_place_is_told_and_passed_over() {
    for (text, columns) in [
        (" DELETE (A.B,,C.D)", [14].as_slice()),
        (" DELETE (,A.B C.D)", &[10]),
        (" DELETE (A.B C.D,)", &[17]),
        (" DELETE (A.B C.D),", &[18]),
        (" DELETE (A.B , , ,C.D ,)", &[16, 18, 23]),
        (" DELETE, (A.B, C.D)", &[]),
    ] {
        let command = one(text);
        let expected: Vec<_> = columns
            .iter()
            .map(|column| ("IDC0206I", Pos::new(1, *column)))
            .collect();
        assert_eq!(notes(&command), expected, "{text}");
        let names: Vec<_> = command
            .params
            .list("entryname")
            .iter()
            .map(|w| w.text.as_str())
            .collect();
        assert_eq!(names, ["A.B", "C.D"], "{text}");
    }
}

#[test]
fn a_comma_between_lists_and_over_a_line_is_in_place() {
    let text = " DEFINE CLUSTER (NAME(A.B),KEYS(11,0),-\n  TRACKS(1,1),),DATA(NAME(A.C))";
    assert_eq!(notes(&one(text)), [("IDC0206I", Pos::new(2, 14))]);
}

#[test]
fn a_mark_that_nothing_follows_ends_the_run_and_the_command_is_not_carried_out() {
    for text in [
        " DELETE B -",
        " DELETE B +\n",
        " DELETE B -\n  -\n",
        " DELETE -\n  (B -\n  C) -  ",
        " IF LASTCC = 0 THEN -\n",
        " IF LASTCC = 0 -\n",
        " IF LASTCC = 0 THEN DELETE B -\n",
        " IF LASTCC = 9 THEN DELETE B -\n",
        " SET LASTCC = 0 -",
        " DELETE B -\n/*\n DELETE C",
    ] {
        let outcome = go(&format!(" DELETE A\n{text}"));
        assert_eq!(
            (outcome.maxcc, outcome.done.as_slice()),
            (16, ["DELETE A".to_owned()].as_slice()),
            "{text}"
        );
        assert!(outcome.listing.contains("IDC4236I"), "{text}: {}", outcome.listing);
    }
}

#[test]
fn what_a_semicolon_ended_is_carried_out_and_a_mark_behind_nothing_promises_nothing() {
    let outcome = go(" DELETE A; DELETE B -");
    assert_eq!(
        (outcome.maxcc, outcome.done.as_slice()),
        (16, ["DELETE A".to_owned()].as_slice())
    );
    for text in [" DELETE A\n -", " DELETE A\n /* THE END */ -", " DELETE A\n -\n -\n"] {
        assert_eq!((go(text).maxcc, go(text).done.len()), (0, 1), "{text}");
    }
}

#[test]
fn a_quote_that_touches_a_word_is_told() {
    for text in [
        " PRINT IDS(A) FKEY(AB'CD')",
        " PRINT IDS(A) FKEY('CD'AB)",
        " PRINT IDS(A) FKEY(X'C1'AB)",
    ] {
        assert!(error(text).starts_with("CICA0917E"), "{}", error(text));
    }
}

#[test]
fn a_hexadecimal_constant_with_an_odd_number_of_digits_or_another_letter_is_told() {
    for bad in ["X'ABC'", "X'0G'", "B'012'", "B'101'"] {
        assert!(
            error(&format!(" PRINT IDS(A) FKEY({bad})")).starts_with("IDC3214I"),
            "{bad}"
        );
    }
}
