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
        shown["data"]["attributes"]["words"].to_string().contains("COMPRESSED"),
        "{shown}"
    );
    place.run(&["salvage", "A.SMALL", "--into", "C.SAVED"]).done();
    assert_eq!(place.run(&["cat", "C.SAVED"]).done(), lines);
    assert!(high_used(&place, "C.SAVED") * 2 < high_used(&place, "A.PLAIN"));
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
}
