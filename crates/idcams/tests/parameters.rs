//! Typed access to parameters, and what a wrong command is told.
#![allow(clippy::unwrap_used)]

mod common;
use cica_idcams::{KeyValue, Pos, Verb};
use common::{error, errors, go, one};

#[test]
fn define_cluster_gives_its_groups_and_values() {
    let command = one(
        " DEFINE CLUSTER (NAME('A.B') CYLINDERS(5 1) VOLUMES(V1 V2) REUSE -\n SHR(2,3) OWNER(ME) TO(2031.365) -\n \
         MODEL(M.N UCAT.X)) DATA (NAME(A.B.D) CISZ(4096) KEYS(8 1)) -\n INDEX(NAME(A.B.I)) CATALOG(UCAT/PW)",
    );
    let p = &command.params;
    assert_eq!(command.verb, Verb::DefineCluster);
    assert_eq!(p.name("NAME"), Some("A.B"));
    assert_eq!(p.number("CYLINDERS"), Some(5));
    assert_eq!(p.numbers("CYLINDERS")[1].value, 1);
    assert_eq!(
        p.list("VOLUMES").iter().map(|w| w.text.as_str()).collect::<Vec<_>>(),
        ["V1", "V2"]
    );
    assert_eq!(p.switch("REUSE", "NOREUSE"), Some(true));
    assert_eq!(p.switch("ERASE", "NOERASE"), None);
    assert_eq!(p.number("TO"), Some(2_031_365));
    assert_eq!(p.name("MODEL"), Some("M.N"));
    assert_eq!(p.group("MODEL").unwrap().name("catalog"), Some("UCAT.X"));
    assert_eq!(p.group("DATA").unwrap().numbers("KEYS")[1].value, 1);
    assert_eq!(p.group("INDEX").unwrap().name("NAME"), Some("A.B.I"));
    assert_eq!(p.name("CATALOG"), Some("UCAT"), "the password is dropped");
    assert_eq!(
        p.name("DATA"),
        None,
        "a group without a positional value has no name of its own"
    );
}

#[test]
fn every_organization_is_parsed() {
    for word in [
        "INDEXED",
        "IXD",
        "NONINDEXED",
        "NIXD",
        "NUMBERED",
        "NUMD",
        "LINEAR",
        "LIN",
        "ZFS",
    ] {
        one(&format!(" DEFINE CLUSTER (NAME(A) TRK(1) {word})"));
    }
}

#[test]
fn delete_takes_one_entry_a_list_members_and_generations() {
    let names = |text: &str| {
        let command = one(text);
        command
            .params
            .list("entryname")
            .iter()
            .map(|w| w.text.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(" DELETE A.B CLUSTER"), ["A.B"]);
    assert_eq!(names(" DELETE (A.B C.*.D 'E.F') PURGE"), ["A.B", "C.*.D", "E.F"]);
    assert_eq!(names(" DELETE A.B(MEM)"), ["A.B(MEM)"]);
    assert_eq!(names(" DELETE (A.B(MEM) A.G(-1))"), ["A.B(MEM)", "A.G(-1)"]);
    assert_eq!(
        names(" DELETE PURGE PURGE"),
        ["PURGE"],
        "a name may look like a keyword"
    );
    assert!(one(" DELETE V33301 VOLUME").params.flag("VOLUME"));
}

#[test]
fn define_volume_keeps_the_case_of_the_path() {
    let command = one(" DEFINE VOLUME (NAME(V33301) DEVICETYPE(3330-1) PATH('/srv/Vsam/v1'))");
    assert_eq!(command.params.name("PATH"), Some("/srv/Vsam/v1"));
    assert_eq!(command.params.name("DEVICETYPE"), Some("3330-1"));
}

#[test]
fn repro_and_print_take_their_ranges() {
    let command = one(" REPRO INFILE(IN ENV(DUMMY)) ODS(A.B) FKEY(X'C1') TKEY(B) ELIMIT(10)"
        .replace("TKEY", "TOKEY")
        .as_str());
    let p = &command.params;
    assert_eq!(p.name("INFILE"), Some("IN"));
    assert!(p.group("INFILE").unwrap().has("ENVIRONMENT"));
    assert_eq!(p.key("FROMKEY"), Some(&KeyValue::Hex(vec![0xc1])));
    assert_eq!(p.key("TOKEY"), Some(&KeyValue::Char("B".into())));
    assert_eq!(
        one(" PRINT IDS(A) FADDR(99999999999)").params.number("FROMADDRESS"),
        Some(99_999_999_999)
    );
}

#[test]
fn key_ranges_and_object_lists_are_lists_of_lists() {
    let command = one(" DEF CL (NAME(A) TRK(1) KRNG((A F) (G Z)))");
    assert_eq!(command.params.keys("KEYRANGES").len(), 4);
    let command = one(" IMPORT IFILE(C) ODS(A) OBJ((A.B NEWNAME(C.D)) (E.F VOL(V1)))");
    let groups = command.params.groups("OBJECTS");
    assert_eq!(groups[0].name("NEWNAME"), Some("C.D"));
    assert_eq!(groups[1].name("entryname"), Some("E.F"));
}

#[test]
fn alter_takes_masks_and_nullify() {
    let p = one(" ALTER A.* NEWNAME(B.*) NULLIFY(OWNER RETENTION)").params;
    assert_eq!((p.name("entryname"), p.name("NEWNAME")), (Some("A.*"), Some("B.*")));
    assert!(p.group("NULLIFY").unwrap().flag("RETENTION"));
}

#[test]
fn an_unknown_keyword_is_told_with_the_one_that_was_meant() {
    let message = error(" DEFINE CLUSTER (NAME(A.B) -\n   CYLINDRES(5 1))");
    assert_eq!(
        message,
        "IDC3211I KEYWORD 'CYLINDRES' IS IMPROPER AT LINE 2 COLUMN 4. DID YOU MEAN CYLINDERS?"
    );
    assert!(error(" DELEET A.B").contains("DID YOU MEAN DELETE?"));
    assert!(error(" DEFINE CLUSTR (NAME(A))").contains("DID YOU MEAN CLUSTER?"));
    assert!(error(" DEFINE").contains("AFTER DEFINE COMES ONE OF CLUSTER"));
    assert!(error(" LISTCAT QWERTZ").contains("LISTCAT HAS NO SUCH PARAMETER"));
}

#[test]
fn a_group_inside_the_parentheses_of_the_cluster_is_told_where_it_belongs() {
    let message = error(" DEFINE CLUSTER (NAME(A.B) DATA(NAME(A.B.D)))");
    assert!(message.contains("IDC3211I KEYWORD 'DATA' IS IMPROPER"), "{message}");
    assert!(message.contains("BEHIND THE RIGHT PARENTHESIS OF CLUSTER"), "{message}");
}

#[test]
fn unmatched_parentheses_are_told_where_they_open() {
    let command = one(" DEFINE CLUSTER (NAME(A.B) -\n   TRACKS(1)");
    let message = command.notes[0].to_string();
    assert!(
        message.starts_with("IDC0234I") && message.contains("AT LINE 1 COLUMN 17"),
        "{message}"
    );
    let message = error(" DEFINE CLUSTER (NAME(A.B TRACKS(1))");
    assert!(
        message.contains("LINE 1 COLUMN 22") && message.contains("RIGHT PARENTHESIS OF NAME"),
        "{message}"
    );
    assert!(message.starts_with("IDC3209I"), "{message}");
    let message = error(" DEFINE GDG\n   (NAME(A))");
    assert!(
        message.contains("IDC3208I LEFT PARENTHESIS MISSING FOLLOWING KEYWORD 'GENERATIONDATAGROUP'"),
        "{message}"
    );
    assert!(message.contains("END LINE 1 WITH -"), "{message}");
}

#[test]
fn a_right_parenthesis_missing_at_the_end_is_assumed_and_the_command_runs() {
    for (text, keyword, number) in [
        (" DEFINE GDG(NAME(A.G1) LIMIT(5) SCRATCH", "LIMIT", 5),
        (" DEFINE GDG(NAME(A.G1) LIMIT(5", "LIMIT", 5),
        (" DEFINE CLUSTER(NAME(A) KEYS(8 0", "KEYS", 8),
        (
            " DEFINE CLUSTER(NAME(A) TRACKS(7)) DATA(NAME(A.DATA) KEYS(8 0)",
            "TRACKS",
            7,
        ),
        (
            " DEFINE CLUSTER(NAME(A) CISZ(512) KEYRANGES((A B) (C D",
            "CONTROLINTERVALSIZE",
            512,
        ),
        (" PRINT IDS(A) COUNT(5", "COUNT", 5),
    ] {
        let command = one(text);
        let ids: Vec<_> = command.notes.iter().map(|note| note.message.id).collect();
        assert_eq!(ids, ["IDC0234I"], "{text}: once, however many are missing");
        assert_eq!(command.params.number(keyword), Some(number), "{text}");
        let outcome = go(text);
        assert_eq!((outcome.maxcc, outcome.done.len()), (0, 1), "{text}");
        assert!(outcome.listing.contains("IDC0234I"), "{text}");
    }
    let outcome = go(" SHCDS LISTSUBSYS(ALL\n BACKUP (A.**) OUTFILE(X");
    assert_eq!((outcome.maxcc, outcome.done.len()), (0, 2), "{}", outcome.listing);
    let outcome = go(" RESTORE INFILE(X) RENAME((A.* B.*) (C.* D.*\n DELETE L(M");
    assert_eq!(outcome.done, ["RESTORE X", "DELETE L(M)"]);
}

#[test]
fn a_right_parenthesis_too_many_is_ignored() {
    for text in [
        " DELETE A.B) PURGE",
        " DELETE (A.B)) PURGE",
        " DELETE A.B PURGE)",
        " DELETE A.B PURGE)))",
        " DELETE ) A.B PURGE",
    ] {
        let command = one(text);
        assert!(command.notes.iter().all(|note| note.message.id == "IDC0233I"), "{text}");
        assert_eq!(
            command.notes.len(),
            text.matches(')').count() - text.matches('(').count(),
            "{text}"
        );
        assert_eq!(command.params.name("entryname"), Some("A.B"), "{text}");
        assert!(command.params.flag("PURGE"), "{text}");
        assert_eq!(go(text).maxcc, 0, "{text}");
    }
}

#[test]
fn what_is_defined_may_stand_behind_the_other_parameters() {
    let command = one(" DEFINE CAT(X.Y) NONVSAM (NAME(A.B) DEVT(3390) VOL(V1))");
    assert_eq!((command.verb, command.at), (Verb::DefineNonvsam, Pos::new(1, 2)));
    assert_eq!(command.params.name("CATALOG"), Some("X.Y"));
    assert_eq!(command.params.name("NAME"), Some("A.B"));
    let command = one(" DEF DATA(NAME(A.D)) INDEX(NAME(A.I)) CL(NAME(A) TRK(1)) CATALOG(C)");
    assert_eq!(command.verb, Verb::DefineCluster);
    assert_eq!(
        command.params.group("INDEX").and_then(|index| index.name("NAME")),
        Some("A.I")
    );
    assert_eq!(command.params.name("CATALOG"), Some("C"));
    assert!(error(" DEFINE CAT(X.Y) NONSENSE(NAME(A))").starts_with("IDC3211I KEYWORD 'CAT'"));
    assert!(
        error(" DEFINE CAT(CLUSTER)").starts_with("IDC3211I"),
        "a value is no object"
    );
}

#[test]
fn one_list_of_objects_needs_no_parentheses_of_its_own() {
    let single = one(" IMPORT CONNECT OBJECTS(UCAT.X DEVICETYPE(3380) VOLUMES(V))");
    let double = one(" IMPORT CONNECT OBJECTS((UCAT.X DEVICETYPE(3380) VOLUMES(V)))");
    for command in [single, double] {
        let [object] = command.params.groups("OBJECTS") else {
            panic!("{:?}", command.params)
        };
        assert_eq!(object.name("entryname"), Some("UCAT.X"));
        assert_eq!(object.name("VOLUMES"), Some("V"));
    }
    assert!(error(" IMPORT CONNECT OBJECTS((UCAT.X) UCAT.Y)").starts_with("IDC3210I"));
    let many = format!(" IMPORT CONNECT OBJECTS({})", "-\n (A)".repeat(256));
    assert!(error(&many).starts_with("IDC3218I"), "{}", error(&many));
}

#[test]
fn values_out_of_range_are_told_with_the_range() {
    let message = error(" DEFINE CLUSTER (NAME(A) TRK(1) KEYS(256 0))");
    assert!(
        message.contains("IDC3221I VALUE '256' IS NOT IN THE RANGE 1 TO 255 AT LINE 1 COLUMN 38"),
        "{message}"
    );
    for bad in [
        "KEYS(0 0)",
        "FREESPACE(101)",
        "SHAREOPTIONS(5)",
        "SHR(1 2)",
        "CISZ(99999)",
        "TRK(0)",
        "TRK(X'FFFFFFFFFFFFFFFFF')",
    ] {
        assert!(
            error(&format!(" DEFINE CLUSTER (NAME(A) {bad})")).starts_with("IDC3221I"),
            "{bad}"
        );
    }
}

#[test]
fn what_is_no_number_name_or_choice_is_told() {
    for (text, id) in [
        (" PRINT IDS(A) COUNT(TEN)", "IDC3220I"),
        (" PRINT IDS(A) COUNT(-1)", "IDC3220I"),
        (" PRINT IDS(A) COUNT('1')", "IDC3220I"),
        (" DELETE A..B", "IDC3203I"),
        (" DELETE 1A.B", "IDC3203I"),
        (" DELETE ABCDEFGHI.B", "IDC3203I"),
        (" DELETE A.B.C.D.E.F.G.H.I.J.K.L.M.N.O.P.Q.R.S.T.U.V.W", "IDC3203I"),
        (" DELETE X'C1'", "IDC3203I"),
        (" LISTCAT ENTRIES('...................')", "IDC3203I"),
        (" VERIFY DATASET(A.*)", "IDC3203I"),
        (" REPRO IFILE(TOOLONGDD) ODS(A)", "IDC3203I"),
        (" DEFINE CLUSTER (NAME(A) VOL(V123456))", "IDC3203I"),
        (" REPRO IDS(A) ODS(B) RLSS(MAYBE)", "CICA0914E"),
        (" DEFINE CLUSTER (NAME(A) TO(13))", "IDC3220I"),
        (" DEFINE CLUSTER (NAME(A) TO(2020400))", "IDC3220I"),
        (" PRINT IDS(A) FKEY('')", "IDC3225I"),
        (" DELETE A/PASSWORDS", "IDC3217I"),
        (" DELETE A/", "IDC3217I"),
    ] {
        assert!(error(text).starts_with(id), "{text}: {}", error(text));
    }
}

/// Letters that fold to A to Z elsewhere: long s, dotless i, the Kelvin sign; and a space that is none here.
#[test]
fn letters_beyond_ascii_are_no_letters_of_names_and_keywords() {
    for (strange, number) in [
        ('\u{17f}', "U+017F"),
        ('\u{131}', "U+0131"),
        ('\u{212a}', "U+212A"),
        ('\u{df}', "U+00DF"),
        ('\u{fb01}', "U+FB01"),
        ('\u{ff21}', "U+FF21"),
        ('\u{2003}', "U+2003"),
    ] {
        for card in [
            format!(" DELETE A.B{strange}"),
            format!(" DELETE 'A.B{strange}'"),
            format!(" LISTCAT ENTRIES({strange}A)"),
            format!(" DEFINE CLUSTER (NAME(A) VOL(V{strange}))"),
        ] {
            let said = error(&card);
            assert!(said.starts_with("IDC3203I") && said.contains(number), "{card}: {said}");
        }
    }
    for card in [
        " L\u{131}STCAT",
        " DEF\u{131}NE CLUSTER (NAME(A))",
        " DELETE A PURGE ERA\u{17f}E",
        " LISTCAT \u{212a}",
    ] {
        let said = error(card);
        let ids = ["IDC3200I", "IDC3211I", "IDC3219I"];
        assert!(ids.iter().any(|id| said.starts_with(id)), "{card}: {said}");
    }
}

#[test]
fn too_few_and_too_many_values_are_told() {
    for (text, id) in [
        (" DEFINE CLUSTER (NAME(A) KEYS(8))", "IDC3225I"),
        (" DEFINE CLUSTER (NAME())", "IDC3225I"),
        (" DEFINE CLUSTER (NAME(A) KEYS(8 0 1))", "IDC3223I"),
        (" DEFINE CLUSTER (NAME(A B))", "IDC3223I"),
        (" LISTCAT ENTRIES A.B", "IDC3208I"),
        (" DELETE A PURGE(B)", "IDC3212I"),
        (" DELETE A 'B'", "IDC3200I"),
        (
            " DEFINE CLUSTER (NAME(A) ACCOUNT('123456789012345678901234567890123'))",
            "IDC3201I",
        ),
    ] {
        assert!(error(text).starts_with(id), "{text}: {}", error(text));
    }
}

#[test]
fn duplicates_and_exclusive_parameters_are_told_with_the_other_place() {
    let message = error(" DELETE A PURGE SCRATCH PRG");
    assert_eq!(
        message,
        "IDC3213I NO REPETITION OF 'PURGE' ALLOWED AT LINE 1 COLUMN 25. FIRST WRITTEN AT LINE 1 COLUMN 11"
    );
    let message = error(" DELETE A PURGE NOPURGE");
    assert!(
        message.contains("IDC3226I INCONSISTENT PARAMETERS INVOLVING 'NOPURGE' AT LINE 1 COLUMN 17"),
        "{message}"
    );
    assert!(message.contains("PURGE AT LINE 1 COLUMN 11 EXCLUDES IT"), "{message}");
    for text in [
        " DEFINE CLUSTER (NAME(A) TRK(1) CYL(1))",
        " REPRO IFILE(A) IDS(B) OFILE(C)",
        " REPRO IFILE(A) OFILE(C) FROMKEY(A) SKIP(1)",
        " PRINT IDS(A) FROMKEY(A) TOADDRESS(1)",
        " REPRO IFILE(A) OFILE(C) CIMODE FROMKEY(A)",
        " LISTCAT ENTRIES(A) LEVEL(B)",
    ] {
        assert!(error(text).starts_with("IDC3226I"), "{text}");
    }
}

#[test]
fn missing_parameters_are_told_by_name_and_each_set_once() {
    assert!(error(" DEFINE CLUSTER (TRK(1))").contains("REQUIRED PARAMETER NAME IS MISSING"));
    let all = errors(" REPRO");
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].text, "REQUIRED PARAMETER INFILE OR INDATASET IS MISSING");
    assert_eq!(all[1].text, "REQUIRED PARAMETER OUTFILE OR OUTDATASET IS MISSING");
    assert!(error(" DELETE").contains("REQUIRED PARAMETER ENTRYNAME IS MISSING"));
}

#[test]
fn all_errors_of_a_command_are_told_together() {
    let ids: Vec<_> = errors(" DEFINE CLUSTER (NAME(A..B) KEYS(300 0) FOO TRK(1) CYL(1))")
        .iter()
        .map(|d| d.message.id)
        .collect();
    assert_eq!(ids, ["IDC3203I", "IDC3221I", "IDC3211I", "IDC3226I"]);
}

#[test]
fn what_has_no_counterpart_here_is_refused_and_changes_nothing() {
    for text in [
        " LISTDATA STATUS VOLUME(V39001) UNIT(3390)",
        " DEFINE CLUSTER (NAME(A) TRK(1) ZFS)",
        " DELETE A SPACE",
    ] {
        let outcome = go(text);
        assert_eq!((outcome.maxcc, outcome.done.len()), (12, 0), "{text}");
        assert!(outcome.listing.contains("CICA0908E"), "{text}");
    }
}

#[test]
fn what_is_stored_only_is_told_once_per_keyword_and_run() {
    let define = " DEFINE CLUSTER (NAME(A) TRK(1) STORCLAS(X) ORDERED) DATA (FILE(D))\n";
    let outcome = go(&define.repeat(2));
    assert_eq!((outcome.maxcc, outcome.done.len()), (0, 2));
    for word in ["STORAGECLASS", "ORDERED", "FILE"] {
        assert_eq!(
            outcome.listing.matches(&format!("CICA0902I {word} IS STORED")).count(),
            1,
            "{word}"
        );
    }
}

#[test]
fn what_no_entry_keeps_is_not_told_as_stored() {
    let cards = " DEFINE CLUSTER (NAME(A) TRK(1) FILE(D))\n DELETE A FILE(D)\n DELETE A FILE(D)\n \
                 IMPORT INFILE(C) OBJECTS((A FILE(D) STORCLAS(X)))\n";
    let outcome = go(cards);
    assert_eq!((outcome.maxcc, outcome.done.len()), (0, 4));
    let told: Vec<&str> = outcome
        .listing
        .lines()
        .filter(|line| line.starts_with("CICA09"))
        .collect();
    let expected = [
        "CICA0902I FILE IS STORED BUT HAS NO EFFECT HERE",
        "CICA0905I FILE IS ACCEPTED AND HAS NO EFFECT HERE",
        "CICA0905I STORAGECLASS IS ACCEPTED AND HAS NO EFFECT HERE",
    ];
    assert_eq!(told, expected);
}
