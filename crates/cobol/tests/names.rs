//! From ASSIGN to a data set or a path.

use cica_cobol::name::{assigned, path, Disposition, Wrong};
use cica_engine::Buffering;
use std::path::PathBuf;

fn none(_: &str) -> Option<String> {
    None
}

fn name(text: &str) -> Option<String> {
    let found = assigned(text, none).expect("a value");
    found.name.map(|name| name.to_string())
}

#[test]
fn a_plain_name_may_be_a_data_set() {
    assert_eq!(name("CUST"), Some("CUST".into()));
    assert_eq!(name("prod.cust"), Some("PROD.CUST".into()));
    assert!(!assigned("CUST", none).expect("a value").explicit);
}

#[test]
fn a_path_is_no_data_set() {
    for text in ["./cust", "data/cust.dat", "customers-of-the-year", "1CUST", "a..b"] {
        assert_eq!(name(text), None, "{text}");
    }
}

#[test]
fn two_slashes_and_dsn_mean_a_data_set_and_nothing_else() {
    for text in [
        "//PROD.CUST",
        "DSN=PROD.CUST",
        "dsname='prod.cust'",
        "DSN=PROD.CUST,DISP=(OLD,KEEP)",
    ] {
        let found = assigned(text, none).expect("a value");
        assert!(found.explicit, "{text}");
        assert_eq!(found.name.map(|n| n.to_string()), Some("PROD.CUST".into()), "{text}");
    }
    for text in [
        "//",
        "//1A",
        "DSN=A..B",
        "DSN=A,UNIT=SYSDA",
        "DSN=A,DISP=GONE",
        "DSN=A.B(NEXT)",
        "DSN=A.B(-1000)",
        "DSN=A.B()",
        "DSN=A,SHR",
        "DSN=A,REVERSED=YES",
        "DSN='A.B",
        "//A.B'",
        "DSN=A,DISP=(OLD,DELETE)",
        "DSN=A,DISP=(OLD,HIDE)",
        "DSN=A,DISP=(OLD,KEEP",
        "DSN=A,AMP=('BUFND=MANY')",
        "DSN=A,AMP=('BUFND=1')",
        "DSN=A,AMP=('BUFND=4,STRNO=4')",
        "DSN=A,AMP=('BUFNI=256')",
        "DSN=A,AMP=('SHRPOOL=255')",
        "DSN=A,AMP=('SHRPOOL=')",
        "DSN=A,AMP=('DEFERW=YES')",
        "DSN=A,AMP=('SHRPOOL=1,DEFERW=PERHAPS')",
        "DSN=A,AMP=('ACCBIAS=FAST')",
        "DSN=A,AMP=('BUFFERS=3')",
    ] {
        assert!(assigned(text, none).is_err(), "{text}");
    }
}

#[test]
fn disp_and_amp_are_read() {
    let of = |text: &str| assigned(text, none).expect("a value");
    assert_eq!(of("DSN=A").disposition, Disposition::Open);
    assert_eq!(of("DSN=A,DISP=SHR").disposition, Disposition::Old);
    assert_eq!(of("DSN=A,DISP=(NEW,CATLG)").disposition, Disposition::New);
    assert_eq!(of("DSN=A,DISP=(,CATLG)").disposition, Disposition::New);
    assert_eq!(of("DSN=A,DISP=MOD").disposition, Disposition::Mod);
    for text in [
        "AMP=('BUFND=8','BUFNI=4')",
        "AMP=('BUFND=8,BUFNI=4')",
        "AMP=(BUFND=8,BUFNI=4)",
    ] {
        assert_eq!(
            of(&format!("DSN=A,{text}")).buffers,
            Some(Buffering {
                data: Some(8),
                index: Some(4),
                ..Buffering::default()
            }),
            "{text}"
        );
    }
    let rest = of("DSN=A,AMP=('STRNO=2,BUFSP=65536,ACCBIAS=SO')");
    let buffers = Buffering {
        strings: Some(2),
        space: Some(65536),
        ..Buffering::default()
    };
    assert_eq!(rest.buffers, Some(buffers));
    assert!(rest.unused.is_empty());
    let bias = rest.bias.expect("AMP's words");
    assert_eq!((bias.words.as_str(), bias.is_told), ("ACCBIAS=SO", false));
    let bias = of("DSN=A,AMP=('ACCBIAS=DO,SMBDFR=Y,SMBHWT=99','SMBVSP=2048000K,SMBVSPI=2048M',MSG=SMBBIAS)").bias;
    let bias = bias.expect("AMP's words");
    let words = "ACCBIAS=DO,SMBDFR=Y,SMBHWT=99,SMBVSP=2048000K,SMBVSPI=2048M,MSG=SMBBIAS";
    assert_eq!((bias.words.as_str(), bias.is_told), (words, true));
    assert_eq!(of("DSN=A,AMP=('BUFND=8')").bias, None);
    let shared = Buffering {
        pool: Some(254),
        deferred: true,
        ..Buffering::default()
    };
    assert_eq!(of("DSN=A,AMP=('SHRPOOL=254,DEFERW=YES')").buffers, Some(shared));
    assert_eq!(of("DSN=A,AMP=('ACCBIAS=SO')").buffers, None);
    assert_eq!(of("DSN=A,AMP=AMORG").unused, ["AMP=AMORG"]);
}

#[test]
fn each_value_of_amp_is_checked() {
    for (item, words) in [
        (
            "ACCBIAS=FAST",
            "AMP: ACCBIAS=FAST is none of USER, SYSTEM, DO, DW, SO, SW",
        ),
        ("ACCBIAS", "AMP: ACCBIAS= is none of USER"),
        ("SMBDFR=MAYBE", "AMP: SMBDFR=MAYBE is none of Y, N"),
        ("SMBDFR=YES", "AMP: SMBDFR=YES is none of Y, N"),
        ("SMBHWT=100", "AMP: SMBHWT=100 is no number from 0 to 99"),
        ("SMBHWT=+9", "AMP: SMBHWT=+9 is no number from 0 to 99"),
        ("SMBHWT=", "AMP: SMBHWT= is no number from 0 to 99"),
        (
            "SMBVSP=zz",
            "AMP: SMBVSP=ZZ is no size from 1K to 2048000K or 1M to 2048M",
        ),
        ("SMBVSP=0K", "AMP: SMBVSP=0K is no size"),
        ("SMBVSP=4096", "AMP: SMBVSP=4096 is no size"),
        ("SMBVSP=2048001K", "AMP: SMBVSP=2048001K is no size"),
        ("SMBVSPI=2049M", "AMP: SMBVSPI=2049M is no size"),
        ("SMBVSPI=99999999999M", "AMP: SMBVSPI=99999999999M is no size"),
        ("MSG=ALL", "AMP: MSG=ALL is none of SMBBIAS"),
        ("MSG", "AMP: MSG= is none of SMBBIAS"),
        ("FRLOG=ALL", "AMP: FRLOG=ALL is none of NONE, REDO"),
        ("RMODE31=64", "AMP: RMODE31=64 is none of ALL, BUFF, CB, NONE"),
        ("CROPS=X", "AMP: CROPS=X is none of RCK, NCK, NRE, NRC"),
        ("SYNAD", "AMP: SYNAD= is followed by nothing"),
        (
            "AMORG=YES",
            "AMP: AMORG=YES is no subparameter; these are: BUFND, BUFNI,",
        ),
        (
            "BUFFERS=3",
            "AMP: BUFFERS=3 is no subparameter; these are: BUFND, BUFNI,",
        ),
    ] {
        let error = assigned(&format!("DSN=A,AMP=('{item}')"), none).expect_err(item);
        assert!(error.reason.starts_with(words), "{item}: {}", error.reason);
        assert_eq!(error.wrong, Wrong::Amp, "{item}");
    }
    for item in ["SMBHWT=0", "SMBVSP=1K", "SMBVSPI=1M", "SYNAD=EXIT", "FRLOG=REDO"] {
        assert!(assigned(&format!("DSN=A,AMP=('{item}')"), none).is_ok(), "{item}");
    }
    for (text, wrong) in [
        ("DSN=A..B", Wrong::Name),
        ("//1A", Wrong::Name),
        ("DSN=A(NEXT)", Wrong::Name),
        ("DSN=A,RLS=ALL", Wrong::Operand),
        ("DSN=A,DISP=SHR,DISP=OLD", Wrong::Operand),
    ] {
        assert_eq!(assigned(text, none).expect_err(text).wrong, wrong, "{text}");
    }
}

#[test]
fn operands_of_a_data_set_stand_in_any_order() {
    for text in ["DISP=SHR,DSN=PROD.CUST", "DSN=PROD.CUST,DISP=SHR", "PROD.CUST,DISP=SHR"] {
        let found = assigned("CUST", |name| (name == "DD_CUST").then(|| text.to_string())).unwrap();
        let name = found.name.map(|name| name.to_string());
        assert_eq!(name.as_deref(), Some("PROD.CUST"), "{text}");
        assert_eq!(found.disposition, Disposition::Old, "{text}");
    }
}

#[test]
fn what_is_stated_twice_or_not_closed_is_refused() {
    for (text, words) in [
        ("DSN=A,DSN=B", "DSN is stated twice"),
        ("DSN=A,DSNAME=B", "DSNAME is stated twice"),
        ("DSN=A,DISP=SHR,disp=OLD", "DISP is stated twice"),
        ("DSN=A,AMP=('BUFND=2,BUFND=9')", "AMP: BUFND is stated twice"),
        ("DSN=A,AMP=('BUFND=4','BUFND=9')", "AMP: BUFND is stated twice"),
        ("DSN=A,AMP=('BUFND=4'),AMP=('BUFNI=3')", "AMP is stated twice"),
        ("DSN=A,BUFNO=5,BUFNO=6", "BUFNO is stated twice"),
        ("DSN=A,CODEPAGE=1047,CCSID=37", "CCSID is stated twice"),
        ("DSN=A,REVERSED,REVERSED", "REVERSED is stated twice"),
        ("DSN=A,AMP=('BUFND=5,BUFNI=2)", "an apostrophe has no partner"),
        ("DSN=A,AMP=(BUFND=5,BUFNI=2')", "an apostrophe has no partner"),
    ] {
        let error = assigned(text, none).expect_err(text);
        assert!(error.reason.contains(words), "{text}: {}", error.reason);
    }
    for text in [
        "DSN=A,AMP=('BUFND=5,BUFNI=2')",
        "DSN=A,AMP=('BUFND=5','BUFNI=2')",
        "DSN=A,BUFNO=5",
    ] {
        assert!(assigned(text, none).is_ok(), "{text}");
    }
}

#[test]
fn a_generation_stands_in_parentheses() {
    let of = |text: &str| {
        let found = assigned(text, none).expect("a value");
        (found.name.map(|name| name.to_string()), found.generation)
    };
    for (text, relative) in [("0", 0), ("+1", 1), ("-12", -12)] {
        let expected = (Some("PROD.HIST".to_string()), Some(relative));
        assert_eq!(of(&format!("DSN=PROD.HIST({text}),DISP=SHR")), expected);
        assert_eq!(of(&format!("//PROD.HIST({text})")), expected);
    }
    assert_eq!(of("DSN=PROD.HIST").1, None);
}

#[test]
fn the_environment_is_asked_in_gnucobols_order() {
    let all = |name: &str| match name {
        "DD_CUST" => Some("//ONE".to_string()),
        "dd_CUST" => Some("//TWO".to_string()),
        "CUST" => Some("//THREE".to_string()),
        _ => None,
    };
    let found = |without: &'static [&'static str]| {
        let some = move |name: &str| all(name).filter(|_| !without.contains(&name));
        assigned("CUST", some).expect("a value").value
    };
    assert_eq!(found(&[]), "//ONE");
    assert_eq!(found(&["DD_CUST"]), "//TWO");
    assert_eq!(found(&["DD_CUST", "dd_CUST"]), "//THREE");
    assert_eq!(found(&["DD_CUST", "dd_CUST", "CUST"]), "CUST");
}

#[test]
fn paths_lie_below_cob_file_path() {
    let below = |name: &str| (name == "COB_FILE_PATH").then(|| "/data".to_string());
    assert_eq!(path("CUST", below), PathBuf::from("/data/CUST"));
    assert_eq!(path("here/CUST", below), PathBuf::from("here/CUST"));
    assert_eq!(path("CUST", none), PathBuf::from("CUST"));
}
