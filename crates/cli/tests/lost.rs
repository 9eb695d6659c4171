//! A catalog that was lost, and another in its place: nothing that a volume keeps of it is forgotten.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::vvds;
use cica_catalog::wire::vvds::encode;
use cica_disk::LinuxDisk;
use cica_format::checksum::crc32c;
use common::Place;

const CARDS: &str = "DEF ALIAS (NAME(A.ALIAS) RELATE(A.NAMES))
DEF GDG (NAME(A.GROUP) LIMIT(3))
DEF PATH (NAME(A.PATH) PATHENTRY(A.NAMES))";
const ALL: [&str; 4] = ["A.ALIAS", "A.GROUP", "A.NAMES", "A.PATH"];

fn lost() -> Place {
    let place = Place::new();
    place.names("AA01 first\n");
    place.cards(CARDS, &[]).done();
    place
}

fn listed(place: &Place) -> Vec<String> {
    place.run(&["ls"]).done().lines().map(str::to_owned).collect()
}

#[test]
fn what_has_no_files_comes_back_from_a_volume_that_went_to_another_place() {
    // As young as the catalog is that recatalog makes, and older.
    for cards in ["DEF ALIAS (NAME(A.ALIAS) RELATE(A.NAMES))", CARDS] {
        let place = Place::new();
        place.names("AA01 first\n");
        place.cards(cards, &[]).done();
        let before = listed(&place);
        std::fs::rename(place.path("catalog/volumes/CICA01"), place.path("vol")).unwrap();
        std::fs::remove_dir_all(place.path("catalog")).unwrap();
        let told = place.run(&["recatalog", "vol"]).done();
        assert_eq!(told.lines().count(), before.len(), "{told}");
        assert_eq!(listed(&place), before);
        assert_eq!(place.run(&["get", "A.NAMES", "AA01"]).done(), "AA01 first\n");
        // Once more there is nothing to do, and what is deleted stays deleted.
        place.run(&["rm", "A.ALIAS"]).done();
        assert_eq!(place.run(&["recatalog", "vol"]).done(), "");
        std::fs::create_dir_all(place.dir.join("empty")).unwrap();
        let nothing = place.run(&["recatalog", "empty"]);
        assert!(
            nothing.status == 4 && nothing.err.contains("no data set lies here"),
            "{}",
            nothing.err
        );
        assert_eq!(place.run(&["recatalog"]).done(), "");
        assert!(!listed(&place).contains(&"A.ALIAS".to_owned()));
    }
}

#[test]
fn jobs_that_went_on_with_a_new_catalog_have_forgotten_nothing() {
    let place = lost();
    std::fs::remove_file(place.path("catalog/catalog")).unwrap();
    for n in 0..12 {
        place.cards(&format!("DEF GDG (NAME(B.GROUP{n}) LIMIT(3))"), &[]).done();
    }
    place.run(&["recatalog"]).done();
    let now = listed(&place);
    assert_eq!(now.len(), 16, "{now:?}");
    assert!(ALL.iter().all(|name| now.contains(&(*name).to_owned())), "{now:?}");
    // One more volume, that the new catalog does not know yet.
    place.run(&["volume", "add", "VOL002", "--directory", "vol2"]).done();
    place.run(&["volume", "add", "VOL003", "--directory", "vol3"]).done();
    std::fs::remove_dir_all(place.path("catalog")).unwrap();
    for n in 0..40 {
        place.cards(&format!("DEF GDG (NAME(C.GROUP{n}) LIMIT(3))"), &[]).done();
    }
    place.run(&["volume", "add", "VOL002", "--directory", "vol2"]).done();
    place
        .run(&["recatalog", "vol2"])
        .failed(8, &["A.ALIAS leads to A.NAMES"]);
    let now = listed(&place);
    assert_eq!(now.len(), 55, "{now:?}");
}

#[test]
fn a_volume_is_known_by_whatever_name_its_directory_is_given() {
    let place = lost();
    std::fs::remove_file(place.path("catalog/catalog")).unwrap();
    std::fs::create_dir(place.path("below")).unwrap();
    std::os::unix::fs::symlink("catalog", place.path("link")).unwrap();
    place.run(&["recatalog", "below/../link/volumes/CICA01"]).done();
    assert_eq!(listed(&place), ALL);
    let shown = place.run(&["volume", "ls", "--json"]).json();
    assert_eq!(shown.as_array().unwrap().len(), 1, "{shown}");
}

#[test]
fn one_user_catalog_that_cannot_be_read_does_not_keep_the_rest() {
    let place = lost();
    let cards = "DEF UCAT (NAME(UCAT.ONE) CYL(1) VOL(CICA01))
DEF ALIAS (NAME(ONE) RELATE(UCAT.ONE))
DEF UCAT (NAME(UCAT.TWO) CYL(1) VOL(CICA01))
DEF ALIAS (NAME(TWO) RELATE(UCAT.TWO))
DEF GDG (NAME(ONE.GROUP) LIMIT(3))
DEF GDG (NAME(TWO.GROUP) LIMIT(3))";
    place.cards(cards, &[]).done();
    std::fs::remove_file(place.path("catalog/catalog")).unwrap();
    std::fs::write(place.path("catalog/volumes/CICA01/UCAT.ONE/catalog"), b"nonsense").unwrap();
    std::fs::remove_file(place.path("catalog/volumes/CICA01/UCAT.TWO/catalog")).unwrap();
    place
        .run(&["recatalog"])
        .failed(8, &["the entries of UCAT.ONE are left out"]);
    // What UCAT.ONE names is missing, and that is said.
    let shown = place.run(&["ls"]);
    assert!(shown.status == 4 && shown.err.contains("UCAT.ONE"), "{}", shown.err);
    let shown = String::from_utf8(shown.out).unwrap();
    assert!(
        ALL.iter().all(|name| shown.lines().any(|line| line == *name)),
        "{shown}"
    );
    let copied = place.run(&["backup", "**", "-o", "copy"]);
    assert!(copied.status == 8 && copied.err.contains("UCAT.ONE"), "{}", copied.err);
    assert!(!place.path("copy").exists());
    let of_two = place.cards("LISTCAT CATALOG(UCAT.TWO)", &[]).done();
    assert!(of_two.contains("TWO.GROUP"), "{of_two}");
}

#[test]
fn a_file_of_another_catalog_is_not_taken_in() {
    let place = lost();
    let cards = "DEF UCAT (NAME(UCAT.ONE) CYL(1) VOL(CICA01))
DEF ALIAS (NAME(ONE) RELATE(UCAT.ONE))
DEF CL (NAME(A.NAMES) RECATALOG) CATALOG(UCAT.ONE)";
    let run = place.cards(cards, &[]);
    let told = run.text();
    assert!(told.contains("that of A.NAMES in the catalog"), "{told}");
    assert_eq!(place.run(&["get", "A.NAMES", "AA01"]).done(), "AA01 first\n");
}

/// Copies that a catalog left under the name of the directory it was moved from say what was there then.
#[test]
fn what_is_deleted_from_a_catalog_that_was_moved_stays_deleted() {
    let place = lost();
    let cards = "DEF UCAT (NAME(UCAT.ONE) CYL(1) VOL(CICA01))
DEF UCAT (NAME(UCAT.TWO) CYL(1) VOL(CICA01))
DEF ALIAS (NAME(ONE) RELATE(UCAT.ONE))
DEF GDG (NAME(ONE.GROUP) LIMIT(3))
DEF GDG (NAME(ONE.STAYS) LIMIT(3))";
    place.cards(cards, &[]).done();
    std::fs::rename(place.path("catalog"), place.path("moved")).unwrap();
    let run = |args: &[&str]| place.run(&[&["--catalog", "moved"], args].concat());
    for name in ["A.ALIAS", "A.PATH", "A.GROUP", "ONE.GROUP"] {
        run(&["rm", name]).done();
    }
    let cards = " DELETE UCAT.TWO USERCATALOG\n";
    std::fs::write(place.path("cards"), cards).unwrap();
    run(&["idcams", "cards"]).done();
    let ls = || run(&["ls"]).done();
    let before = ls();
    for _ in 0..2 {
        assert_eq!(run(&["recatalog"]).done(), "");
        assert_eq!(ls(), before);
    }
    assert!(!place.path("moved/volumes/CICA01/UCAT.TWO/catalog").exists());
    // Nor where it is lost once more, though the one in its place is younger than those copies.
    std::fs::remove_file(place.path("moved/catalog")).unwrap();
    run(&["recatalog"]).done();
    assert_eq!(ls(), before);
}

/// An earlier release left a copy by the name of a link; the catalog is used without the link since.
#[test]
fn what_was_deleted_since_a_link_was_used_stays_deleted() {
    let place = lost();
    std::os::unix::fs::symlink("catalog", place.path("link")).unwrap();
    let volume = std::fs::canonicalize(place.path("catalog/volumes/CICA01")).unwrap();
    let (name, copy) = vvds::read_all(&LinuxDisk::new(), &volume).unwrap().remove(0);
    let mut copy = copy.unwrap();
    copy.head.directory = volume.parent().unwrap().parent().unwrap().with_file_name("link");
    let entries = copy.contents.entries();
    let (_, bytes) = encode(&copy.head, &copy.contents, entries, copy.generation);
    place.run(&["rm", "A.ALIAS"]).done();
    let linked = copy.head.directory.as_os_str().as_encoded_bytes();
    let linked = volume.join(format!(".vvds-{:08x}", crc32c(linked)));
    std::fs::write(&linked, bytes).unwrap();
    assert_eq!(place.run(&["recatalog"]).done(), "");
    assert!(!listed(&place).contains(&"A.ALIAS".to_owned()));
    assert!(!linked.exists() && volume.join(name).exists());
}
