//! Compressed data sets with the real command: copied between all combinations, backed up, reorganized, salvaged, and
//! predicted.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;

fn lines() -> String {
    let line = |n: usize| {
        let (name, town) = (["SMITH", "JONES", "WEBER"][n % 3], ["Springfield", "Portland"][n % 2]);
        format!(
            "{n:05}{name:<25}{:>5} Main Street {town:<30}{:010}\n",
            n * 7 % 9999,
            n * 7919
        )
    };
    (0..3000).map(line).collect()
}

fn define(place: &Place, name: &str, more: &str) {
    let card = format!("DEFINE CLUSTER (NAME({name}) KEYS(5 0) RECSZ(90 120) CISZ(1024) -\nTRACKS(2 2) {more})");
    place.cards(&card, &[]).done();
}

fn high_used(place: &Place, name: &str) -> u64 {
    let shown = place.run(&["show", name, "--json"]).json();
    shown["data"]["allocation"]["hi_u_rba"].as_u64().unwrap()
}

#[test]
fn records_come_through_every_copy_and_take_less_space() {
    let place = Place::new();
    let lines = lines();
    define(&place, "A.PLAIN", "");
    define(&place, "A.SMALL", "COMPRESSED");
    place
        .run_with(&["import", "-", "A.PLAIN", "-q"], lines.as_bytes())
        .done();
    place.cards("REPRO IDS(A.PLAIN) ODS(A.SMALL)", &[]).done();
    for (n, (from, more)) in [("A.SMALL", ""), ("A.SMALL", "CMP")].into_iter().enumerate() {
        let to = format!("B.COPY{n}");
        define(&place, &to, more);
        place.cards(&format!("REPRO IDS({from}) ODS({to})"), &[]).done();
        assert_eq!(place.run(&["cat", &to]).done(), lines);
    }
    assert!(high_used(&place, "A.SMALL") * 2 < high_used(&place, "A.PLAIN"));
    assert!(high_used(&place, "B.COPY1") * 2 < high_used(&place, "B.COPY0"));
    place.run(&["verify", "A.SMALL"]).done();
    place.run(&["reorg", "A.SMALL"]).done();
    assert_eq!(place.run(&["cat", "A.SMALL"]).done(), lines);
    place.cards("ALTER A.SMALL REORGANIZE(NOCOMPRESSED)", &[]).done();
    assert_eq!(high_used(&place, "A.SMALL"), high_used(&place, "A.PLAIN"));
    assert_eq!(place.run(&["cat", "A.SMALL"]).done(), lines);
    place.run(&["alter", "A.SMALL", "--compressed", "yes"]).done();
    assert!(high_used(&place, "A.SMALL") * 2 < high_used(&place, "A.PLAIN"));
    place.run(&["backup", "A.SMALL", "-o", "all.cica"]).done();
    place.run(&["rm", "A.SMALL"]).done();
    place.run(&["restore", "all.cica"]).done();
    assert_eq!(place.run(&["cat", "A.SMALL"]).done(), lines);
    let shown = place.run(&["show", "A.SMALL", "--json"]).json();
    assert!(
        shown["data"]["attributes"]["words"].to_string().contains("COMP-FORMT"),
        "{shown}"
    );
    place.run(&["salvage", "A.SMALL", "--into", "C.SAVED"]).done();
    assert_eq!(place.run(&["cat", "C.SAVED"]).done(), lines);
    assert!(high_used(&place, "C.SAVED") * 2 < high_used(&place, "A.PLAIN"));
}

/// A reorganization learns from the records before it stores the first of them. Those of an ESDS lie in their order
/// already, and are stored anew all the same.
#[test]
fn a_reorganization_leaves_no_record_plain_in_any_organization() {
    let place = Place::new();
    let lines = lines();
    for (name, how) in [
        ("A.KSDS", "INDEXED KEYS(5 0) RECSZ(90 120)"),
        ("A.ESDS", "NONINDEXED RECSZ(90 120)"),
        ("A.RRDS", "NUMBERED RECSZ(88 88)"),
        ("A.VRRDS", "NUMBERED RECSZ(80 120)"),
    ] {
        let card = format!("DEFINE CLUSTER (NAME({name}) {how} -\nCISZ(1024) TRACKS(2 2) COMPRESSED)");
        place.cards(&card, &[]).done();
        place.run_with(&["import", "-", name, "-q"], lines.as_bytes()).done();
        let before = place.run(&["cat", name]).done();
        let compression = || place.run(&["show", name, "--json"]).json()["compression"].clone();
        let plain = compression();
        assert!(plain["records_plain"].as_u64().unwrap() > 50, "{name} {plain:#}");
        place.run(&["reorg", name]).done();
        let anew = compression();
        assert_eq!(anew["records_plain"], 0, "{name} {anew:#}");
        assert!(anew["stored_bytes"].as_u64() < plain["stored_bytes"].as_u64(), "{name}");
        assert_eq!(anew["dictionaries"].as_array().unwrap().len(), 1, "{name} {anew:#}");
        assert_eq!(place.run(&["cat", name]).done(), before, "{name}");
        place.run(&["verify", name]).done();
    }
    // The RBAs that an alternate index has would lead elsewhere.
    let card = "DEFINE AIX (NAME(A.AIX) RELATE(A.ESDS) KEYS(5 0) TRACKS(1 1))\nBLDINDEX IDS(A.ESDS) ODS(A.AIX)";
    place.cards(card, &[]).done();
    let refused = place.run(&["reorg", "A.ESDS"]);
    assert_eq!(refused.status, 8);
    assert!(refused.err.contains("its alternate index A.AIX"), "{}", refused.err);
}

#[test]
fn show_listcat_and_dcollect_tell_what_the_records_take() {
    let place = Place::new();
    let (lines, short) = (lines(), 40);
    define(&place, "A.SMALL", "COMPRESSED");
    place
        .run_with(&["import", "-", "A.SMALL", "-q"], lines.as_bytes())
        .done();
    // Some that are too short to be compressed, behind all others.
    let few: String = (0..short).map(|n| format!("9{n:04}SHORT\n")).collect();
    place.run_with(&["import", "-", "A.SMALL", "-q"], few.as_bytes()).done();
    let user = (lines.len() - 3000 + few.len() - short) as u64;
    let shown = place.run(&["show", "A.SMALL", "--compression", "--json"]).json();
    let known = &shown["compression"];
    assert_eq!(known["user_data_bytes"], user, "{known:#}");
    assert_eq!(known["sizes_valid"], true);
    let stored = known["stored_bytes"].as_u64().unwrap();
    let ratio = known["ratio"].as_f64().unwrap();
    assert!((ratio - user as f64 / stored as f64).abs() < 0.006, "{known:#}");
    assert!(ratio > 2.0, "{known:#}");
    let statistics = &shown["data"]["statistics"];
    assert_eq!(statistics["user_data_size"], user);
    assert_eq!(statistics["comp_user_data_size"], stored);
    assert_eq!(statistics["records_plain"], known["records_plain"]);
    // A scan finds what was counted, and its parts make the whole.
    let counted = &known["counted"];
    assert_eq!(counted["records"], 3000 + short);
    for field in ["user_data_bytes", "stored_bytes", "ratio", "records_plain"] {
        assert_eq!(counted[field], known[field], "{field}");
    }
    let sum = |of: &serde_json::Value, field: &str| {
        let parts = of.as_array().unwrap().iter();
        parts.map(|part| part[field].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(sum(&counted["by_length"], "stored_bytes"), stored);
    assert_eq!(sum(&counted["by_length"], "records"), 3040);
    let class = &counted["by_length"][0];
    assert_eq!((class["from"].as_u64(), class["to"].as_u64()), (Some(8), Some(15)));
    assert_eq!(class["records_plain"], short);
    let plain = known["records_plain"].as_u64().unwrap();
    assert_eq!(sum(&counted["by_dictionary"], "records"), 3040 - plain);
    let dictionaries = known["dictionaries"].as_array().unwrap();
    assert_eq!(dictionaries.len(), counted["by_dictionary"].as_array().unwrap().len());
    assert_eq!(dictionaries[0]["number"], 1);
    assert!(dictionaries[0]["bytes"].as_u64().unwrap() > 32);
    assert!(dictionaries[0]["trained"].as_str().unwrap().ends_with('Z'));
    // What a new one would give is what a REORGANIZE gives.
    let anew = &counted["new_dictionary"];
    let promised = anew["stored_bytes"].as_u64().unwrap();
    place.run(&["reorg", "A.SMALL"]).done();
    let after = place.run(&["show", "A.SMALL", "--json"]).json();
    let has = after["compression"]["stored_bytes"].as_u64().unwrap();
    assert_eq!(has, promised);
    assert_eq!(after["compression"]["records_plain"], short);
    assert_eq!(after["compression"]["user_data_bytes"], user);
    let text = place.run(&["show", "A.SMALL"]).done();
    assert!(text.contains("  sizes valid               yes\n"), "{text}");
    assert!(text.contains("  dictionaries\n    number 1, bytes "), "{text}");
    let listing = place.cards("LISTCAT ENT(A.SMALL) ALL", &[]).done();
    let listed = |label: &str, value: &str| {
        let field = listing.split_once(label).map(|(_, rest)| rest.trim_start_matches('-'));
        assert!(
            field.is_some_and(|field| field.starts_with(value)),
            "{label} {value}\n{listing}"
        );
    };
    listed(" USER-DATA-SIZE", &format!("{user}     COMP"));
    listed("COMP-USER-DATA-SIZE", &format!("{has}\n"));
    listed("SIZES-VALID", "(YES)");
    assert!(listing.contains("COMP-FORMT     EXTENDED"), "{listing}");
    place
        .cards(
            "DCOLLECT OUTFILE(OUT) VOLUMES(*)",
            &["--dd", &format!("OUT={}", place.path("out.bin").display())],
        )
        .done();
    let bytes = std::fs::read(place.path("out.bin")).unwrap();
    let at = bytes.windows(12).position(|found| found == b"A.SMALL.DATA").unwrap();
    let number = |offset: usize| u64::from_be_bytes(bytes[at - 24 + offset..][..8].try_into().unwrap());
    assert_eq!((number(264), number(272)), (user, has));
    // A plain one has none of it.
    define(&place, "A.PLAIN", "");
    place
        .run_with(&["import", "-", "A.PLAIN", "-q"], lines.as_bytes())
        .done();
    let plain = place.run(&["show", "A.PLAIN", "--json"]).json();
    assert!(plain["compression"].is_null() && plain["data"]["statistics"]["sizes_valid"].is_null());
    let listing = place.cards("LISTCAT ENT(A.PLAIN) ALL", &[]).done();
    assert!(!listing.contains("SIZES-VALID"), "{listing}");
    place
        .run(&["show", "A.PLAIN", "--compression"])
        .failed(8, &["cica plan compress A.PLAIN"]);
}

#[test]
fn slots_of_one_length_are_compressed_keep_their_numbers_and_take_no_other_length() {
    let place = Place::new();
    let lines: String = lines()
        .lines()
        .map(|line| format!("{:<100.100}\n", line.trim_end()))
        .collect();
    place.write("lines.txt", lines.as_bytes());
    place
        .run(&["import", "lines.txt", "A.SLOTS", "--organization", "rrds", "-q"])
        .done();
    place
        .cards(
            "DEFINE CLUSTER (NAME(A.SMALL) NUMBERED RECSZ(100 100) CISZ(4096) -\nTRACKS(2 2) COMPRESSED)",
            &[],
        )
        .done();
    // Those in front stay empty.
    place
        .cards("REPRO IDS(A.SLOTS) ODS(A.SMALL) FROMNUMBER(11)", &[])
        .done();
    assert!(high_used(&place, "A.SMALL") * 2 < high_used(&place, "A.SLOTS"));
    let left: String = lines.split_inclusive('\n').skip(10).collect();
    let printed = |name: &str| {
        assert_eq!(place.run(&["cat", name]).done(), left);
        let listing = place.cards(&format!("PRINT IDS({name}) CHAR COUNT(1)"), &[]).done();
        assert!(listing.contains("RELATIVE RECORD NUMBER - 11\n"), "{listing}");
    };
    printed("A.SMALL");
    let shown = place.run(&["show", "A.SMALL", "--json"]).json();
    assert_eq!(shown["compression"]["user_data_bytes"], 2990 * 100);
    let bytes = |of: &str| shown["data"]["bytes"][of].as_u64().unwrap();
    assert!(bytes("used") > 0 && bytes("used") < bytes("stored"), "{shown:#}");
    assert_eq!(bytes("reclaimable"), bytes("stored") - bytes("used"));
    let file = std::fs::metadata(shown["data"]["file"].as_str().unwrap()).unwrap();
    assert_eq!(bytes("file"), file.len());
    assert!(shown["data"]["attributes"]["words"].to_string().contains("NUMBERED"));
    // Plain again it has slots, and compressed again it has none.
    for (compressed, has_index) in [("no", false), ("yes", true)] {
        place.run(&["alter", "A.SMALL", "--compressed", compressed]).done();
        let shown = place.run(&["show", "A.SMALL"]).done();
        assert!(shown.contains(" RRDS\n"), "{shown}");
        assert_eq!(shown.contains("\nindex\n"), has_index, "{shown}");
        printed("A.SMALL");
    }
    place
        .run_with(&["put", "A.SMALL"], b"short\n")
        .failed(8, &["takes 100 to 100 [8/108]"]);
    place.run_with(&["put", "A.SMALL"], &lines.as_bytes()[..101]).done();
    let counted = place.run(&["show", "A.SMALL", "--compression", "--json"]).json();
    let counted = &counted["compression"]["counted"];
    assert_eq!(
        (&counted["records"], &counted["user_data_bytes"]),
        (&2991.into(), &299_100.into())
    );
    place.run(&["verify", "A.SMALL"]).done();
    let predicted = place.run(&["plan", "compress", "A.SLOTS"]).done();
    assert!(predicted.contains("COMPRESSED saves "), "{predicted}");
}

#[test]
fn a_path_finds_the_records_of_a_compressed_base_and_keeps_up_with_them() {
    let place = Place::new();
    define(&place, "A.SMALL", "COMPRESSED");
    place
        .run_with(&["import", "-", "A.SMALL", "-q"], lines().as_bytes())
        .done();
    place
        .cards(
            "DEFINE AIX (NAME(A.NAMES) RELATE(A.SMALL) KEYS(10 5) -\n\
             TRACKS(2 2) UPGRADE NUNQK RECSZ(1000 5000))\n\
             DEFINE PATH (NAME(A.PATH) PENT(A.NAMES))\nBLDINDEX IDS(A.SMALL) ODS(A.NAMES)",
            &[],
        )
        .done();
    let of = |key: &str| place.run(&["cat", "A.PATH", "--from", key, "--to", key]).text();
    let new = format!(
        "{:05}{:<25}{:>5} Main Street {:<30}{:010}\n",
        90_000, "ABERNATHY", 1, "Portland", 2
    );
    place.run_with(&["put", "A.SMALL"], new.as_bytes()).done();
    assert_eq!(of("ABERNATHY "), new);
    place.cards("EXAMINE NAME(A.SMALL) INDEXTEST DATATEST", &[]).done();
}

#[test]
fn a_prediction_says_what_is_saved_and_says_no() {
    let place = Place::new();
    define(&place, "A.PLAIN", "");
    place
        .run_with(&["import", "-", "A.PLAIN", "-q"], lines().as_bytes())
        .done();
    let told = place.run(&["plan", "compress", "A.PLAIN", "--json"]).json();
    assert_eq!(told["records"], 3000);
    assert!(told["saved"].as_f64().unwrap() > 0.5 && told["pays"] == true, "{told}");
    assert!(told["update"]["ratio"].as_f64().unwrap() > 0.0);
    let bytes = |of: &str| told["control_intervals"][of].as_u64().unwrap();
    assert!(bytes("compressed") * 2 < bytes("plain"), "{told}");
    let io = &told["io"];
    assert!(io["scan_saved"].as_f64().unwrap() > 0.5, "{io}");
    assert_eq!(io["random"][1]["plain"], 0.5);
    assert_eq!(io["random"][1]["compressed"], 0.0);
    assert!(told["compress_ns"]["byte"].as_f64().unwrap() >= 0.0);
    let table = place
        .run(&["plan", "compress", "A.PLAIN", "--sample", "1", "--reads", "50"])
        .done();
    assert!(
        table.contains("COMPRESSED saves") && table.contains("50 percent reads"),
        "{table}"
    );
    let noise: Vec<u8> = (0..60_000u32)
        .map(|n| (n.wrapping_mul(0x9E37_79B1) >> 11) as u8)
        .collect();
    std::fs::write(place.path("noise.bin"), noise).unwrap();
    let no = place.run(&["plan", "compress", "--file", "noise.bin,RECFM=F,LRECL=100"]);
    assert_eq!(no.status, 4);
    assert!(no.text().contains("does not pay"), "{}", no.text());
    place.write("short.txt", b"0001 ANNE\n0002 BERT\n");
    let short = place.run(&["plan", "compress", "--file", "short.txt", "--key", "8,1000"]);
    short.failed(
        4,
        &["CICA0951E", "no record that reaches the end of its key, byte 1008"],
    );
    place.write("empty.txt", b"");
    let empty = place.run(&["plan", "compress", "--file", "empty.txt", "--key", "8,0"]);
    empty.failed(4, &["CICA0951E", "has no records to try"]);
}
