//! DD texts: what they state, and how wrong ones are answered.

#![allow(clippy::unwrap_used)]

use cica_qsam::{AttributeError, Attributes, Bdw, CodePage, DdError, DdProblem, DdText, RecordFormat};

fn attributes(text: &str) -> Attributes {
    DdText::parse(text).unwrap().attributes
}

fn error(text: &str) -> DdError {
    DdText::parse(text).unwrap_err()
}

#[test]
fn everything_can_be_stated() {
    let dd = DdText::parse("/data/in.bin,RECFM=VB,LRECL=204,BLKSIZE=27998,CODEPAGE=1047,BDW=NO").unwrap();
    assert_eq!(dd.target, "/data/in.bin");
    assert!(dd.attributes_stated);
    let expected = Attributes {
        recfm: RecordFormat::VB,
        lrecl: 204,
        blksize: 27_998,
        bdw: Bdw::No,
        codepage: Some(CodePage::Ibm1047),
        utf8: false,
    };
    assert_eq!(dd.attributes, expected);
}

#[test]
fn a_bare_file_is_text() {
    let dd = DdText::parse("PAYROLL.MASTER(JAN)").unwrap();
    assert_eq!(dd.target, "PAYROLL.MASTER(JAN)");
    assert!(!dd.attributes_stated);
    assert_eq!(dd.attributes, Attributes::default());
    assert_eq!(dd.attributes.recfm, RecordFormat::Text);
}

#[test]
fn case_and_blanks_do_not_matter() {
    assert_eq!(
        attributes(" f , recfm = fb , lrecl= 80 "),
        attributes("f,LRECL=80,RECFM=FB")
    );
    assert_eq!(DdText::parse(" f ,recfm=fb").unwrap().target, "f");
}

#[test]
fn a_name_in_apostrophes_may_have_commas_and_apostrophes() {
    assert_eq!(DdText::parse("'a,b''c',RECFM=U").unwrap().target, "a,b'c");
    assert_eq!(DdText::parse("' x '").unwrap().target, " x ");
    assert_eq!(
        error("'a,b"),
        DdError {
            column: 1,
            problem: DdProblem::Unclosed
        }
    );
    assert_eq!(
        error("'a' b"),
        DdError {
            column: 5,
            problem: DdProblem::NoComma
        }
    );
}

#[test]
fn record_formats_have_their_names() {
    for (name, recfm) in [
        ("F", RecordFormat::F),
        ("FA", RecordFormat::F),
        ("FBS", RecordFormat::FB),
        ("FBA", RecordFormat::FB),
        ("V", RecordFormat::V),
        ("VBM", RecordFormat::VB),
        ("vs", RecordFormat::VS),
        ("VBS", RecordFormat::VBS),
        ("U", RecordFormat::U),
        ("Text", RecordFormat::Text),
    ] {
        assert_eq!(attributes(&format!("f,RECFM={name}")).recfm, recfm, "{name}");
    }
    for name in ["B", "A", "FBB", "TEXTA", "FAM", "LINES"] {
        let expected = DdError {
            column: 9,
            problem: DdProblem::UnknownRecfm { value: name.to_owned() },
        };
        assert_eq!(error(&format!("f,RECFM={name}")), expected);
    }
}

#[test]
fn no_limit_is_written_as_in_jcl() {
    assert_eq!(attributes("f,RECFM=VBS,LRECL=X").lrecl, 0);
    assert_eq!(error("f,RECFM=U,BLKSIZE=X").column, 19);
}

#[test]
fn an_error_names_column_and_remedy() {
    for (text, column, says) in [
        ("", 1, "file name is missing"),
        (",RECFM=FB", 1, "file name is missing"),
        ("''", 1, "file name is missing"),
        ("f,", 3, "comma too many"),
        ("f,,RECFM=F", 3, "comma too many"),
        ("f,LREC=80", 3, "did you mean LRECL?"),
        ("f,  DISP=SHR", 5, "'DISP' is no option; known are RECFM, LRECL"),
        ("f,RECFM", 3, "RECFM has no value"),
        ("f,RECFM= ", 3, "RECFM has no value"),
        ("f,RECFM=F,RECFM=FB", 11, "RECFM is stated twice"),
        ("f,RECFM=F,LRECL=8O", 17, "LRECL=8O is not a number of bytes"),
        ("f,RECFM=F,LRECL=-80", 17, "is not a number of bytes"),
        ("f,RECFM=F,LRECL=+80", 17, "is not a number of bytes"),
        ("f,RECFM=F,LRECL=99999999999", 17, "is not a number of bytes"),
        ("f,RECFM=VB,BDW=MAYBE", 16, "write YES, NO or AUTO"),
        ("f,CODEPAGE=1048", 12, "no code page is called '1048'"),
        ("f,CODEPAGE=UTF-8", 12, "leave CODEPAGE out"),
        ("\u{E4}\u{F6}\u{FC},RECFM=X", 11, "'X' is no record format"),
    ] {
        let message = error(text).to_string();
        assert!(message.starts_with(&format!("column {column}: ")), "{text}: {message}");
        assert!(message.contains(says), "{text}: {message}");
    }
}

#[test]
fn attributes_that_do_not_go_together_are_refused_where_they_stand() {
    for (text, column, says) in [
        (
            "f,RECFM=F,LRECL=32761",
            17,
            "RECFM=F takes 1 to 32760, and VBS takes longer records",
        ),
        ("f,RECFM=VB,LRECL=4", 18, "takes 5 to 32760"),
        ("f,RECFM=VB,LRECL=32757,BDW=YES", 18, "takes 5 to 32756"),
        ("f,LRECL=16777217", 9, "takes 1 to 16777216"),
        ("f,RECFM=U,LRECL=80", 17, "RECFM=U has no LRECL"),
        (
            "f,RECFM=FB,LRECL=200,BLKSIZE=27900",
            30,
            "is not a multiple of LRECL=200; leave it out, or use 27800",
        ),
        ("f,RECFM=FB,BLKSIZE=100,LRECL=200", 20, "use 200"),
        ("f,RECFM=F,LRECL=80,BLKSIZE=160", 28, "use RECFM=FB"),
        ("f,RECFM=VB,LRECL=204,BLKSIZE=207", 30, "use at least 208"),
        ("f,RECFM=VB,BLKSIZE=8", 20, "it may be 9 to 262144"),
        ("f,RECFM=U,BLKSIZE=262145", 19, "it may be 1 to 262144"),
        ("f,BLKSIZE=800", 11, "RECFM=TEXT has no BLKSIZE"),
        (
            "f,RECFM=FB,LRECL=80,BDW=NO",
            25,
            "RECFM=FB has no block descriptor words",
        ),
    ] {
        let message = error(text).to_string();
        assert!(message.starts_with(&format!("column {column}: ")), "{text}: {message}");
        assert!(message.contains(says), "{text}: {message}");
    }
}

#[test]
fn values_at_their_bounds_are_taken() {
    for text in [
        "f,RECFM=F,LRECL=32760",
        "f,RECFM=V,LRECL=5",
        "f,RECFM=VB,LRECL=32760,BDW=NO",
        "f,RECFM=VB,LRECL=32756,BDW=YES",
        "f,RECFM=VB,LRECL=204,BLKSIZE=208",
        "f,RECFM=VBS,LRECL=16777216,BLKSIZE=9",
        "f,RECFM=FB,LRECL=80,BLKSIZE=262080",
        "f,RECFM=F,BLKSIZE=80",
        "f,RECFM=FB,LRECL=0",
        "f,LRECL=16777216",
    ] {
        assert!(DdText::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn an_output_file_takes_what_is_not_stated_from_its_source() {
    let completed = |text: &str| {
        let completed = attributes(text).completed_for(200);
        (completed.lrecl, completed.blksize)
    };
    assert_eq!(completed("f,RECFM=FB"), (200, 27_800));
    assert_eq!(completed("f,RECFM=F"), (200, 200));
    assert_eq!(completed("f,RECFM=F,BLKSIZE=80"), (80, 80));
    assert_eq!(completed("f,RECFM=V"), (204, 0));
    assert_eq!(completed("f,RECFM=V,BDW=YES"), (204, 208));
    assert_eq!(completed("f,RECFM=VB,BLKSIZE=100"), (96, 100));
    assert_eq!(completed("f,RECFM=VB"), (204, 27_998));
    assert_eq!(completed("f,RECFM=VB,LRECL=100,BLKSIZE=1000"), (100, 1000));
    assert_eq!(completed("f,RECFM=VBS"), (0, 27_998));
    assert_eq!(completed("f"), (0, 0));
    for text in [
        "f,RECFM=VB",
        "f,RECFM=V",
        "f,RECFM=VB,BDW=NO",
        "f,RECFM=VBS",
        "f,RECFM=U",
        "f",
    ] {
        let completed = attributes(text).completed_for(u32::MAX);
        assert!(completed.check().is_ok(), "{text}: {completed:?}");
    }
    // Its length is still missing, and who writes it is told that.
    assert_eq!(attributes("f,RECFM=FB").completed_for(u32::MAX).longest_record(), None);
}

#[test]
fn the_longest_record_of_a_file_is_known() {
    let longest = |text: &str| attributes(text).longest_record();
    assert_eq!(longest("f,RECFM=FB"), None);
    assert_eq!(longest("f,RECFM=FB,LRECL=80"), Some(80));
    assert_eq!(longest("f,RECFM=F,BLKSIZE=80"), Some(80));
    assert_eq!(longest("f,RECFM=VB,LRECL=204"), Some(200));
    assert_eq!(longest("f,RECFM=VB,BLKSIZE=100"), Some(92));
    assert_eq!(longest("f,RECFM=VB"), Some(32_752));
    assert_eq!(longest("f,RECFM=VB,BDW=NO"), Some(32_756));
    assert_eq!(longest("f,RECFM=VBS,LRECL=40004"), Some(40_000));
    assert_eq!(longest("f,RECFM=U"), Some(32_760));
    assert_eq!(longest("f"), Some(16 * 1024 * 1024));
}

#[test]
fn missing_record_length_is_said_when_the_file_is_opened() {
    let attributes = attributes("f,RECFM=FB");
    let error = cica_qsam::Reader::new(&b""[..], &attributes).unwrap_err();
    assert_eq!(error.to_string(), "RECFM=FB needs the record length; add LRECL=");
    assert_eq!(
        AttributeError::LreclMissing {
            recfm: RecordFormat::FB
        }
        .key(),
        "LRECL"
    );
    assert!(cica_qsam::Writer::new(Vec::new(), &attributes).is_err());
}

#[test]
fn a_statement_has_a_disposition_which_is_no_attribute() {
    let text = |text| DdText::parse_statement(text).unwrap();
    assert_eq!(
        (text("f,DISP=MOD").behind, text("f,DISP=MOD").attributes_stated),
        (true, false)
    );
    assert!(!text("f,disp=old").behind && !text("f,DISP=SHR").behind && !text("f").behind);
    assert!(text("f,RECFM=FB,DISP=MOD,LRECL=80").attributes_stated);
    let wrong = DdText::parse_statement("f,DISP=NEW").unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "column 8: DISP=NEW is not known; write MOD, OLD or SHR"
    );
}
