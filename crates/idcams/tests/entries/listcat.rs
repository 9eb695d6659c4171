//! LISTCAT: every column, which entries, how much of them.

use crate::world::{golden, World, MASTER};
use cica_admin::listcat::{listcat_json, Describer, ListcatEntry};
use cica_engine::{Access, Intent, Search};
use cica_idcams::Style;
use cica_qsam::DdText;
use std::path::Path;

/// Lines of a data set as z/OS listed it, which is here defined the same way: each column must be where it is there.
const AS_ON_ZOS: &str = "
      HISTORY
        DATASET-OWNER-----(NULL)     CREATION--------2022.242
        RELEASE----------------2     EXPIRATION------0000.000
        STORAGECLASS -----SCTECH     MANAGEMENTCLASS---(NULL)
        DATACLASS --------(NULL)     LBACKUP ---0000.000.0000
        BWO STATUS------00000000     BWO TIMESTAMP---00000 00:00:00.0
        LOG ----------------(NULL)   RECOVERY REQUIRED --(NO)     FRLOG ------------(NULL)
        VSAM QUIESCED -------(NO)    RLS IN USE ---------(NO)     LOGREPLICATE-------------(NO)
      PROTECTION-PSWD-----(NULL)     RACF----------------(NO)
        ACCOUNT-INFO-----------------------------------(NULL)
        KEYLEN----------------11     AVGLRECL-------------300     BUFSPACE-----------37376     CISIZE-------------18432
        RKP--------------------0     MAXLRECL-------------300     EXCPEXIT----------(NULL)     CI/CA-----------------45
        SHROPTNS(2,3)   RECOVERY     UNIQUE             ERASE     INDEXED       NOWRITECHK     UNORDERED        NOREUSE
        NONSPANNED
        REC-TOTAL-------------50     SPLITS-CI--------------0     EXCPS------------------3
        REC-INSERTED-----------0     FREESPACE-%CI----------0     SYSTEM-TIMESTAMP:
        REC-UPDATED------------0     FREESPACE-%CA----------0          X'DC07A58776000000'
        REC-RETRIEVED----------0     FREESPC-----------811008
        SPACE-TYPE------CYLINDER     HI-A-RBA----------829440
        SPACE-PRI--------------1     HI-U-RBA----------829440
        SPACE-SEC--------------5
        VOLSER------------YYYYO7     PHYREC-SIZE--------18432     HI-A-RBA----------829440     EXTENT-NUMBER----------1
        DEVTYPE------X'3010200F'     PHYRECS/TRK------------3     HI-U-RBA----------829440     EXTENT-TYPE--------X'00'
        VOLFLAG------------PRIME     TRACKS/CA-------------15
        EXTENTS:
        HIGH-CCHH----X'0000000E'     HIGH-RBA----------829439
        KEYLEN----------------11     AVGLRECL---------------0     BUFSPACE---------------0     CISIZE---------------512
        RKP--------------------0     MAXLRECL-------------505     EXCPEXIT----------(NULL)     CI/CA-----------------49
        SHROPTNS(2,3)   RECOVERY     UNIQUE           NOERASE     NOWRITECHK     UNORDERED     NOREUSE
        REC-DELETED------------0     SPLITS-CA--------------0     EXTENTS----------------1     LEVELS-----------------1
        REC-INSERTED-----------0     FREESPACE-%CI----------0     SYSTEM-TIMESTAMP:            ENTRIES/SECT-----------6
        REC-UPDATED------------0     FREESPACE-%CA----------0          X'DC07A58776000000' SEQ-SET-RBA----------------0
        REC-RETRIEVED----------0     FREESPC------------24576                              HI-LEVEL-RBA---------------0
        SPACE-TYPE---------TRACK     HI-A-RBA-----------25088
        SPACE-PRI--------------1     HI-U-RBA-------------512
        VOLSER------------YYYYO7     PHYREC-SIZE----------512     HI-A-RBA-----------25088     EXTENT-NUMBER----------1
        LOW-CCHH-----X'00000000'     LOW-RBA----------------0     TRACKS-----------------1
";

#[test]
fn each_column_is_where_zos_has_it() {
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(YYYYO7))");
    world.ok("DEFINE CLUSTER (NAME(AWS.M2.CARDDEMO.ACCTDATA.VSAM.KSDS) -
           CYLINDERS(1 5) VOLUMES(YYYYO7) KEYS(11 0) RECORDSIZE(300 300) -
           SHAREOPTIONS(2 3) ERASE STORCLAS(SCTECH))");
    world.load("AWS.M2.CARDDEMO.ACCTDATA.VSAM.KSDS", 50);
    let (cc, listing) = world.run_as("LISTCAT LEVEL(AWS.M2.CARDDEMO) ALL", Style::Asa);
    assert_eq!(cc, 0);
    // A line at the top of a page has a 0 where it has a blank elsewhere.
    let lines: Vec<String> = listing.lines().map(|line| format!(" {}", &line[1..])).collect();
    for expected in AS_ON_ZOS.lines().skip(1) {
        assert!(
            lines.iter().any(|line| line == expected),
            "no line\n{expected}\nin\n{listing}"
        );
    }
    golden("listcat_all.asa", &listing);
}

#[test]
fn a_data_set_that_was_never_loaded() {
    let mut world = World::new();
    world.ok(MASTER);
    let (cc, listing) = world.run("LISTCAT ENTRIES(PAY.MASTER) ALL");
    golden("listcat_empty.txt", &listing);
    assert_eq!(cc, 0);
}

#[test]
fn what_the_fields_show() {
    let mut world = World::new();
    world.ok("DEF CL (NAME(PAY.A) TRK(5 5) KEYS(4 0) RECSZ(80 80) OWNER(SMITH) FOR(10))");
    let cards = "LISTCAT\nLISTCAT NAME ENT(PAY.A)\nLISTCAT HISTORY\nLISTCAT VOLUME\nLISTCAT ALLOCATION ENT(PAY.A)";
    let (cc, listing) = world.run(cards);
    golden("listcat_fields.txt", &listing);
    assert_eq!(cc, 0);
}

#[test]
fn extents_and_statistics_after_growth() {
    let mut world = World::new();
    world.ok("DEF CL (NAME(PAY.A) TRK(1 1) KEYS(11 0) RECSZ(300 300) CISZ(4096))");
    world.load("PAY.A", 400);
    let data_set = world.open("PAY.A", Access::Output);
    let mut string = data_set.string();
    string.get(b"00000000007", Search::Equal, Intent::Update).unwrap();
    string.erase().unwrap();
    drop(string);
    data_set.close().unwrap();
    let (_, listing) = world.run("LISTCAT ENTRIES(PAY.A.DATA) ALL");
    golden("listcat_extents.txt", &listing);
    let root = world.roots("PAY.A").0;
    assert!(root.extents > 1, "{root:?}");
    assert!(
        listing.contains(&format!(
            "-{}     EXTENT-NUMBER----------{}",
            root.high_allocated, root.extents
        )),
        "{listing}"
    );
    assert!(listing.contains("REC-TOTAL------------399"), "{listing}");
    assert!(listing.contains("REC-DELETED------------1"), "{listing}");
}

fn three() -> World {
    let mut world = World::new();
    for name in ["PAY.A", "PAY.B.C", "SALES.A"] {
        world.ok(&format!("DEF CL (NAME({name}) TRK(1 1) KEYS(4 0) RECSZ(80 80))"));
    }
    world
}

/// Kinds and names that were listed, and the messages.
fn listed(world: &mut World, cards: &str, cc: u8) -> Vec<String> {
    let (maxcc, listing) = world.run(cards);
    assert_eq!(maxcc, cc, "{listing}");
    let heading = |line: &&str| line.contains("- ") && !line.contains("IN-CAT") && !line.contains("CATALOG");
    let shown = listing
        .lines()
        .filter(|line| heading(line) || line.starts_with("IDC1566I"));
    shown
        .map(|line| line.replace('-', "").split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn which_entries_are_listed() {
    let all = ["CLUSTER PAY.A", "DATA PAY.A.DATA", "INDEX PAY.A.INDEX"];
    let b = ["CLUSTER PAY.B.C", "DATA PAY.B.C.DATA", "INDEX PAY.B.C.INDEX"];
    let sales = ["CLUSTER SALES.A", "DATA SALES.A.DATA", "INDEX SALES.A.INDEX"];
    let cases: [(&str, Vec<&str>); 11] = [
        ("LISTCAT", [all, b, sales].concat()),
        ("LISTCAT CLUSTER", vec![all[0], b[0], sales[0]]),
        ("LISTCAT DATA INDEX LEVEL(SALES)", vec![sales[1], sales[2]]),
        ("LISTCAT LEVEL(PAY)", [all, b].concat()),
        ("LISTCAT LEVEL(PAY.B)", b.to_vec()),
        ("LISTCAT ENTRIES(SALES.A PAY.A)", [sales, all].concat()),
        ("LISTCAT ENTRIES(*.A)", [all, sales].concat()),
        ("LISTCAT ENTRIES(PAY.**) CLUSTER", vec![all[0], b[0]]),
        ("LISTCAT ENTRIES(PAY.A.*)", vec![all[1], all[2]]),
        ("LISTCAT ENTRIES(PAY.A.INDEX)", vec![all[2]]),
        ("LISTCAT ALIAS GDG", vec![]),
    ];
    let mut world = three();
    for (cards, expected) in cases {
        assert_eq!(listed(&mut world, cards, 0), expected, "{cards}");
    }
}

#[test]
fn what_is_not_there_is_told_and_the_rest_listed() {
    let mut world = three();
    let found = listed(&mut world, "LISTCAT ENTRIES(NO.SUCH PAY.A) CLUSTER", 4);
    assert_eq!(found, ["IDC1566I ** NO.SUCH NOT LISTED", "CLUSTER PAY.A"]);
    let ids = ["IDC3012I", "IDC3009I", "IDC1566I"];
    for cards in [
        "LISTCAT ENTRIES(NO.SUCH)",
        "LISTCAT ENTRIES(NO.*)",
        "LISTCAT LEVEL(NOBODY)",
    ] {
        world.refused(cards, 4, &ids, "RETURN CODE IS 8 - REASON CODE IS IGG0CLEG-42");
    }
    world.refused(
        "LISTCAT LEVEL(PAY.*)",
        4,
        &["IDC3014I", "CICA0934E", "IDC3009I", "IDC1566I"],
        "PAY.*",
    );
    world.refused(
        "LISTCAT CATALOG(UCAT.PAY)",
        12,
        &["CICA0932E"],
        "/cat IS THE ONE IN USE",
    );
}

#[test]
fn dates_choose() {
    let mut world = World::new();
    world.ok("DEF CL (NAME(PAY.OLD) TRK(1 1) KEYS(4 0) RECSZ(80 80) FOR(30))");
    world.days_later(10);
    world.ok("DEF CL (NAME(PAY.NEW) TRK(1 1) KEYS(4 0) RECSZ(80 80))");
    let (old, new) = ("CLUSTER PAY.OLD", "CLUSTER PAY.NEW");
    assert_eq!(listed(&mut world, "LISTCAT CLUSTER CREATION(0)", 0), [new, old]);
    assert_eq!(listed(&mut world, "LISTCAT CLUSTER CREATION(10)", 0), [old]);
    assert_eq!(listed(&mut world, "LISTCAT CLUSTER CREATION(11)", 0), [""; 0]);
    assert_eq!(listed(&mut world, "LISTCAT CLUSTER EXPIRATION(20)", 0), [old]);
    assert_eq!(listed(&mut world, "LISTCAT CLUSTER EXPIRATION(19)", 0), [""; 0]);
}

#[test]
fn space_lists_the_volumes() {
    let mut world = three();
    world.ok("DEFINE VOLUME (NAME(V33301) DEVICETYPE(3330-1) PATH('/elsewhere'))");
    let (cc, listing) = world.run("LISTCAT SPACE ALL");
    golden("listcat_space.txt", &listing);
    assert_eq!(cc, 0);
}

#[test]
fn a_data_set_whose_file_is_gone_is_listed_and_told() {
    let mut world = World::new();
    world.ok(MASTER);
    let (data, _) = world.paths("PAY.MASTER");
    world.disk.remove(&data).unwrap();
    world.ok("LISTCAT");
    world.refused(
        "LISTCAT ALL",
        4,
        &["CICA0938W"],
        "FIGURES OF PAY.MASTER.DATA ARE NOT KNOWN",
    );
}

#[test]
fn what_is_stored_is_shown_again() {
    let mut world = World::new();
    world.ok("DEFINE CLUSTER (NAME(PAY.A) TRACKS(1 1) KEYS(4 0) RECORDSIZE(80 80) -
           OWNER(SMITH) TO(2030.365) EATTR(OPT) BWO(TYPECICS) LOG(ALL) -
           LOGSTREAMID(PAY.LOG) FRLOG(REDO) RLSQUIESCE LOGREPLICATE -
           ACCOUNT('A 12') EXCEPTIONEXIT(MYEXIT) MGMTCLAS(MC) DATACLAS(DC) -
           STORCLAS(SC) WRITECHECK ORDERED SPEED CCSID(1047) MASTERPW(SECRET))");
    world.ok("ALTER PAY.A INHIBIT");
    let (_, listing) = world.run("LISTCAT ENTRIES(PAY.A) ALL");
    golden("listcat_stored.txt", &listing);
    assert!(!listing.contains("SECRET"), "a password is shown");
}

#[test]
fn outfile_takes_the_listing() {
    let mut world = three();
    let directory = std::env::temp_dir().join(format!("cica-entries-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("out");
    let text = DdText::parse(&file.display().to_string()).unwrap();
    world.services.dd.insert("OUT", text);
    let (cc, listing) = world.run("LISTCAT OUTFILE(OUT) CLUSTER\nLISTCAT OUTFILE(OUT) INDEX");
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(cc, 0, "{listing}");
    assert!(!listing.contains("CLUSTER -------"), "{listing}");
    assert!(written.contains("CLUSTER ------- SALES.A"), "{written}");
    assert!(
        written.contains("INDEX --------- SALES.A.INDEX"),
        "the second listing follows the first: {written}"
    );
    world.refused("LISTCAT OUTFILE(NONE)", 12, &["CICA0939E"], "no DD statement NONE");
}

fn described(world: &World, name: &str) -> Vec<ListcatEntry> {
    let contents = world.services.catalog.contents().unwrap();
    let describer = Describer::new(&world.services.engine, &world.services.catalog, &contents, true).unwrap();
    describer.describe(contents.get(&name.parse().unwrap()).unwrap())
}

#[test]
fn json_has_the_same_fields() {
    let mut world = World::new();
    world.ok(MASTER);
    world.load("PAY.MASTER", 50);
    let all: Vec<serde_json::Value> = described(&world, "PAY.MASTER").iter().map(listcat_json).collect();
    let text = serde_json::to_string_pretty(&all).unwrap();
    golden("listcat.json", &(text + "\n"));
    assert_eq!(all[1]["attributes"]["keylen"], 11);
    assert_eq!(all[1]["statistics"]["rec_total"], 50);
    assert_eq!(all[2]["statistics"]["levels"], 1);
    assert_eq!(all[0]["history"]["dataset_owner"], serde_json::Value::Null);
}

#[test]
fn listing_changes_no_file() {
    let mut world = World::new();
    world.ok(MASTER);
    world.load("PAY.MASTER", 3);
    let before = (world.roots("PAY.MASTER"), world.files("/cat/volumes/CICA01"));
    world.ok("LISTCAT ALL");
    assert_eq!((world.roots("PAY.MASTER"), world.files("/cat/volumes/CICA01")), before);
    assert!(
        world.disk.list(Path::new("/cat/log")).unwrap().is_empty(),
        "reading opens no log"
    );
}

#[test]
fn last_alter_of_a_group_is_the_day_on_which_it_changed() {
    let mut world = World::new();
    let mut day = 0;
    let mut after = |world: &mut World, cards: &str| {
        day += 1;
        world.days_later(day);
        if !cards.is_empty() {
            world.ok(cards);
        }
        let (_, listing) = world.run("LISTCAT ENTRIES(PAY.HIST) ALL");
        let at = listing.find("LAST ALTER").unwrap_or_else(|| panic!("{listing}"));
        let words = listing[at + "LAST ALTER".len()..].trim_start_matches('-');
        words.split_whitespace().next().unwrap().to_string()
    };
    let generation = |number: u8| format!("DEFINE NONVSAM (NAME(PAY.HIST.G000{number}V00) DEVT(3390) VOLUMES(CICA01))");
    let mut days = vec![after(&mut world, "DEFINE GDG (NAME(PAY.HIST) LIMIT(2))")];
    for cards in [
        generation(1),
        generation(2),
        "ALTER PAY.HIST SCRATCH".into(),
        "DELETE PAY.HIST.G0002V00 NOSCRATCH".into(),
        "ALTER PAY.HIST LIMIT(1)".into(),
    ] {
        let now = after(&mut world, &cards);
        assert!(now > days[days.len() - 1], "{cards}: {now} after {days:?}");
        assert_eq!(after(&mut world, ""), now, "a day on which nothing changed");
        days.push(now);
    }
}
