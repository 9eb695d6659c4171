//! Names with system symbols: what they are on a system, and what they are not.

use cica_catalog::symbols::SymbolError;
use cica_catalog::{Catalog, Entry, Symbolic, Symbols};
use cica_disk::MemoryDisk;
use std::sync::Arc;

mod common;

fn here() -> Symbols {
    Symbols::of_host("prod-01.example.org")
        .with("SITE=LIVE ENV=P&SYSCLONE,HLQ=PAY.WEEKLY")
        .expect("definitions")
}

fn resolved(text: &str) -> String {
    let symbolic = Symbolic::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    match here().resolve(&symbolic) {
        Ok(name) => name.to_string(),
        Err(error) => format!("! {error}"),
    }
}

#[test]
fn symbols_end_at_a_period_or_at_any_other_character() {
    for (text, name) in [
        ("SYS1.&SYSNAME..PARMLIB", "SYS1.PROD01.PARMLIB"),
        ("SYS1.&SYSNAME.X", "SYS1.PROD01X"),
        ("sys1.&sysname", "SYS1.PROD01"),
        ("SYS1.&SYSNAME..&SITE..&SYSPLEX", "SYS1.PROD01.LIVE.LOCAL"),
        ("A&SYSCLONE.&SYSCLONE.", "A0101"),
        ("&SITE-X", "LIVE-X"),
        ("&HLQ..&ENV", "PAY.WEEKLY.P01"),
        ("PAY.MASTER", "PAY.MASTER"),
    ] {
        assert_eq!(resolved(text), name, "{text}");
    }
}

#[test]
fn substrings_count_from_the_start_or_from_the_end() {
    for (text, name) in [
        ("A&SYSNAME(1:2)", "APR"),
        ("A&SYSNAME(2:5)..B", "AROD01.B"),
        ("A&SYSNAME(-2:2)", "A01"),
        ("A&SYSNAME(-6:1).X", "APX"),
        ("A&SYSNAME(1:6)", "APROD01"),
    ] {
        assert_eq!(resolved(text), name, "{text}");
    }
    for text in ["A&SYSNAME(1:7)", "A&SYSNAME(7:1)", "A&SYSNAME(-7:1)", "A&SYSNAME(-1:2)"] {
        let told = resolved(text);
        assert!(
            told.starts_with("! &SYSNAME is PROD01 on this system"),
            "{text}: {told}"
        );
    }
}

#[test]
fn what_means_nothing_here_is_told_and_never_a_name() {
    for (text, words) in [
        ("&NONE..X", "no symbol &NONE"),
        ("&SYSNAMES", "no symbol &SYSNAMES"),
        ("&SYSCLONE", "'0'"),
        ("A.&SITE.&SYSNAME", "more than 8"),
        ("&HLQ..&HLQ..&HLQ..&HLQ..&HLQ..X", "at most 44"),
        ("&SITE...X", "empty qualifier"),
    ] {
        let told = resolved(text);
        assert!(told.starts_with("! ") && told.contains(words), "{text}: {told}");
    }
}

#[test]
fn what_is_no_name_whatever_the_symbols_are_is_refused_when_it_is_said() {
    let long = format!("&A..{}", "B".repeat(41));
    for text in [
        "",
        "&",
        "A.&",
        "&.X",
        "&1A.X",
        "&TOOLONGNAME.X",
        "&A(0:1)",
        "&A(1:0)",
        "&A(1)",
        "&A(1:2",
        "&A(B:1)",
        "A*.&A",
        "A B.&A",
        "A..B",
        "9A",
        "&\u{e4}",
        "&A('",
        &long,
    ] {
        let refused = Symbolic::parse(text).map(|symbolic| symbolic.to_string());
        let error = refused.expect_err(text).to_string();
        assert!(error.len() > 20, "{text}: {error}");
    }
}

#[test]
fn definitions_that_are_none_are_refused() {
    for (text, words) in [
        ("SITE", "NAME=TEXT"),
        ("=LIVE", "no symbol"),
        ("TOOLONGNAME=A", "no symbol"),
        ("SITE=A*B", "cannot be the text"),
        ("SITE=&NONE", "no symbol &NONE"),
        ("A=&B,B=X", "no symbol &B"),
    ] {
        let error = Symbols::default().with(text).expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    let again = here().with("&SYSNAME.=TEST9").expect("another name of the system");
    let name = |text| {
        again
            .resolve(&Symbolic::parse(text).expect("symbols"))
            .map(|name| name.to_string())
    };
    assert_eq!(name("&SYSNAME..A&SYSCLONE"), Ok("TEST9.AT9".to_owned()));
    assert!(matches!(name("&A"), Err(SymbolError::Unknown { .. })));
}

#[test]
fn every_host_has_a_name_that_can_stand_in_names() {
    for (host, name) in [
        ("prod-01.example.org", "PROD01"),
        ("averylonghostname\n", "AVERYLON"),
        ("", "LOCAL"),
        ("-", "LOCAL"),
    ] {
        let symbols = Symbols::of_host(host);
        let text = Symbolic::parse("A.B&SYSNAME(1:1).&SYSCLONE").expect("symbols");
        let name = format!("A.B{}{}", &name[..1], &name[name.len() - 2..]);
        assert_eq!(symbols.resolve(&text).map(|name| name.to_string()), Ok(name), "{host}");
    }
}

/// Two systems share a catalog: the alias is another data set for each.
#[test]
fn an_alias_is_what_the_system_says_that_looks() {
    let disk = Arc::new(MemoryDisk::new());
    let system = |host: &str| {
        let catalog = Catalog::open_or_create(disk.clone(), "/srv/cica").expect("a catalog");
        Arc::new(catalog.symbols(Arc::new(Symbols::of_host(host))))
    };
    let (one, two) = (system("one"), system("two"));
    let alias = common::symbolic("PARMS", "&SYSNAME..PARMS");
    one.transact(|contents| contents.insert(alias)).expect("defined");
    let seen_by = |catalog: &Catalog| {
        let contents = catalog.contents().expect("readable");
        let Ok(Entry::Alias(alias)) = contents.get(&common::name("PARMS")) else {
            panic!("no alias")
        };
        contents.stands_for(alias).expect("a name").to_string()
    };
    assert_eq!(
        (seen_by(&one), seen_by(&two)),
        ("ONE.PARMS".to_owned(), "TWO.PARMS".to_owned())
    );
    // Also after a change that this process made itself.
    two.transact(|contents| contents.insert(common::cluster("TWO.PARMS")))
        .expect("defined");
    assert_eq!(
        (seen_by(&one), seen_by(&two)),
        ("ONE.PARMS".to_owned(), "TWO.PARMS".to_owned())
    );
    // What the entry is renamed to does not concern the alias, nor does its end.
    let contents = two.contents().expect("readable");
    assert_eq!(contents.related(&common::name("TWO.PARMS")).count(), 0);
}
