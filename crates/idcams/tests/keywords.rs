//! Every keyword that IDCAMS of MVS 3.8 takes, in every spelling, is taken here or refused with its reason; what VSE
//! and later systems added is in the second list.
//!
//! `keywords-mvs38.csv` has command, keyword and alternate spellings, from the command descriptors of a system in the public
//! domain. A keyword that the table has must have all spellings at each place where it stands; one that the table has
//! nowhere must be one of [`INSIDE`], where a card shows that it is read.
#![allow(clippy::unwrap_used)]

mod common;
use cica_idcams::parser::commands;
use cica_idcams::table::{Operand, Param, VERBS};
use std::collections::BTreeSet;

/// Keywords that stand in a value whose words are taken as they come, each with a card that has every spelling.
const INSIDE: &[(&str, &str, &[&str])] = &[
    (
        "ALTER",
        "MODULE",
        &[" ALTER A NULLIFY(AUTHORIZATION(MODULE))", " ALTER A NULL(AUTH(MDLE))"],
    ),
    (
        "ALTER",
        "STRING",
        &[" ALTER A NULLIFY(AUTHORIZATION(STRING))", " ALTER A NULL(AUTH(STRG))"],
    ),
];

/// Spellings beside those of MVS 3.8, from z/OS, TSO and VSE: each card must be read, or refused for a reason.
const LATER: &[&str] = &[
    " DEFINE CLUSTER (NAME(A) TRACK(1) KEY(8 0) NOCOMPRESSED RECORDFORMAT(FIXUNB(80)) USECLASS(0 0) NAL DFVOL)",
    " DEFINE CLUSTER (NAME(A) RECORD(10 5) NCMP RECFM(FB) BUFSP(8192) KEYRANGE((A B) (C D)) SHAREOPTION(2))",
    " DEFINE CLUSTER (NAME(A) CYLINDER(1 1) COMPRESSED NONINDEXED DATACLAS(X) MGMTCLAS(Y) STORCLAS(Z) LSID(A.LOG))",
    " DEFINE CLUSTER (NAME(A) MB(1 1) LOGREP RLSE BWO(TYPEC)) DATA (NAME(A.D) TRACK(1)) IX (NAME(A.I) TRACK(1))",
    " DEFINE MRCAT (NAME(A) CYL(1) VOL(V1) NRVBL)",
    " DEFINE UCAT (NAME(A) CYLINDER(1) VOLUME(V1) RVBL MRPW(X) ATTEMPT(0))",
    " DEFINE NVSAM (NAME(A) DEVICETYPE(3390) VOLUME(V1) FILESEQUENCENUMBER(1))",
    " ALTER A ADDVOLUME(V1) REMOVEVOLUME(V2) STAGE NDSTGW",
    " LISTCAT ENTRY(A) NAMES",
    " LISTCAT LVL(A) VOLUMES",
    " REPRO INFILE(A ENV(RECFM(FB) BLKSZ(800) RECSZ(80) PDEV(3390) HINDEXDEVICE(3390))) OFILE(B)",
    " REPRO INFILE(A ENVIRONMENT(RECORDFORMAT(FIXBLK) BLOCKSIZE(800) NOREWIND NLBL)) OUTFILE(B ENV(UNLOAD))",
    " PRINT IFILE(A ENV(DUM)) CHAR",
    " IMPORT CONNECT OBJ(UCAT.A DEVT(3380) VOL(V))",
    " BLDINDEX IDS(A) ODS(B) WORKFILE(X Y)",
    " ALLOCATE DA(A) VOLUMES(V1) NEW SPACE(1) CYLINDER DSNTYPE(LARGE) EXPDT(99365) UCOUNT(1)",
    " ALLOCATE DSN('A.B') SHR REUSE",
    " ALLOC DSNAME(A) DDNAME(X) NEW SPACE(5 1) AVGREC(K) LRECL(80) RECORG(ES)",
    " DELETE A MRCAT",
    " DELETE A NODISCON",
];

fn find(params: &'static [Param], word: &str, found: &mut Vec<&'static Param>) {
    for param in params {
        if param.word == word || param.abbrs.contains(&word) {
            found.push(param);
        }
        if let Operand::Group(inner) | Operand::Groups(inner) = param.kind {
            find(inner, word, found);
        }
    }
}

/// The spellings of a word that stands in a choice, such as RECORDFORMAT(FIXBLK).
fn choices(params: &'static [Param], word: &str, found: &mut Vec<BTreeSet<&'static str>>) {
    for param in params {
        match param.kind {
            Operand::Choice(of) => {
                for (full, abbrs) in of.iter().filter(|(full, _)| *full == word) {
                    found.push(abbrs.iter().copied().chain([*full]).collect());
                }
            }
            Operand::Group(inner) | Operand::Groups(inner) => choices(inner, word, found),
            _ => {}
        }
    }
}

/// Every list in which the keyword of a command may stand, the second words of DEFINE among them.
fn spellings(command: &str, keyword: &str) -> Vec<BTreeSet<&'static str>> {
    let mut all = Vec::new();
    for spec in VERBS.iter().filter(|spec| spec.is_first(command)) {
        if spec.second() == Some(keyword) {
            all.push(
                spec.object_abbrs
                    .iter()
                    .copied()
                    .chain([keyword_of(spec.words)])
                    .collect(),
            );
        }
        let mut params = Vec::new();
        find(spec.object, keyword, &mut params);
        find(spec.params, keyword, &mut params);
        all.extend(
            params
                .iter()
                .map(|p| p.abbrs.iter().copied().chain([p.word]).collect::<BTreeSet<_>>()),
        );
        choices(spec.object, keyword, &mut all);
        choices(spec.params, keyword, &mut all);
    }
    all
}

fn keyword_of(words: &'static str) -> &'static str {
    words.split(' ').nth(1).unwrap_or(words)
}

#[test]
fn every_keyword_of_mvs_3_8_is_taken_in_every_spelling() {
    let rows = include_str!("keywords-mvs38.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1);
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in rows {
        let [command, keyword, alternates] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        count += 1;
        let places = spellings(command, keyword);
        if let Some((_, _, cards)) = INSIDE.iter().find(|(c, k, _)| (*c, *k) == (command, keyword)) {
            assert!(places.is_empty(), "{command} {keyword} is in the table now");
            cards.iter().for_each(|card| check(card, &mut wrong));
            continue;
        }
        if places.is_empty() {
            wrong.push(format!("{command} {keyword}: nowhere"));
        }
        for place in places {
            let missing: Vec<_> = alternates
                .split_whitespace()
                .filter(|word| !place.contains(word))
                .collect();
            if !missing.is_empty() {
                wrong.push(format!("{command} {keyword}: {missing:?} missing beside {place:?}"));
            }
        }
    }
    assert!(count > 200, "{count} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn spellings_of_later_systems_are_taken() {
    let mut wrong = Vec::new();
    LATER.iter().for_each(|card| check(card, &mut wrong));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(card: &str, wrong: &mut Vec<String>) {
    for parsed in commands(&format!(" {}", card[1..].replace(' ', " -\n "))) {
        if let Err(diagnostics) = parsed {
            wrong.push(format!("{card}: {diagnostics:?}"));
        }
    }
}
