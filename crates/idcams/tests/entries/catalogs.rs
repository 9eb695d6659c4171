//! User catalogs: what a DEFINE that did not end leaves, and volumes that several catalogs use.

use crate::world::World;
use cica_catalog::{connected, Catalog, CatalogError, Name, Volser};
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Create, FileName, Open, SimDisk};
use std::path::Path;
use std::sync::Arc;

const UCAT: &str = "DEF UCAT (NAME(UCAT.PAY) CYL(1) VOL(CICA01))";
const PLACE: &str = "volumes/CICA01/UCAT.PAY";

#[test]
fn an_empty_catalog_that_no_entry_names_is_taken() {
    let mut w = World::new();
    connected::make(&*w.disk, Path::new("/cat"), Path::new(PLACE)).unwrap();
    w.ok(UCAT);
    assert_eq!(w.names(), ["UCAT.PAY"]);
}

#[test]
fn a_catalog_with_entries_that_no_entry_names_is_not() {
    let mut w = World::new();
    w.ok(&format!(
        "{UCAT}\nDEF CL (NAME(A) TRK(1)) CATALOG(UCAT.PAY)\nEXPORT UCAT.PAY DISCONNECT"
    ));
    w.refused(UCAT, 12, &["IDC3014I", "CICA0934E", "IDC3009I"], "IMPORT CONNECT");
    w.ok("IMPORT CONNECT OBJECTS((UCAT.PAY VOLUMES(CICA01)))\nLISTCAT ENTRIES(A) CATALOG(UCAT.PAY)");
}

/// Otherwise nobody could delete it, but by taking its alias away first.
#[test]
fn the_name_of_a_catalog_belongs_to_its_master_under_an_alias_of_it_too() {
    let mut w = World::new();
    w.ok("DEF UCAT (NAME(PAY.CAT) CYL(1) VOL(CICA01))\nDEF ALIAS (NAME(PAY) RELATE(PAY.CAT))");
    w.ok("DEF CL (NAME(PAY.A) TRK(1))\nLISTCAT ENT(PAY.CAT) UCAT\nDEF ALIAS (NAME(P) RELATE(PAY.CAT))");
    w.ok("DELETE PAY.CAT UCAT FORCE");
    assert!(w.names().is_empty());
}

#[test]
fn a_volume_stays_while_a_user_catalog_has_data_sets_on_it() {
    let mut w = World::new();
    w.ok("DEF VOLUME (NAME(V1))");
    w.ok(&format!("{UCAT}\nDEF CL (NAME(A) TRK(1) VOL(V1)) CATALOG(UCAT.PAY)"));
    w.refused(
        "DELETE V1 VOLUME",
        8,
        &["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"],
        "still holds A",
    );
    w.ok("DELETE A CATALOG(UCAT.PAY)\nDELETE V1 VOLUME");
}

/// Another process that has opened both catalogs before sees what this one does to them.
#[test]
fn processes_see_each_others_changes_of_a_user_catalog() {
    let mut w = World::new();
    w.ok(&format!("{UCAT}\nDEF ALIAS (NAME(PAY) RELATE(UCAT.PAY))"));
    let mut other = w.other();
    other.ok("LISTCAT CATALOG(UCAT.PAY)");
    w.ok("DEF CL (NAME(PAY.A) TRK(1))");
    other.ok("ALTER PAY.A OWNER(ADA)");
    w.ok("DELETE PAY.A");
    other.refused("DELETE PAY.A", 8, &["IDC3012I", "IDC3009I", "IDC0551I"], "NOT FOUND");
}

/// Each kind of finding of DIAGNOSE, with the reason.
#[test]
fn diagnose_names_what_a_catalog_and_its_volumes_disagree_about() {
    let mut w = World::new();
    w.ok("DEF MCAT (NAME(MCAT) CYL(1) VOL(CICA01))\nDEF VOLUME (NAME(V1) PATH('/v1'))");
    for name in ["A", "B", "C"] {
        w.ok(&format!("DEF CL (NAME({name}) TRK(1))"));
    }
    w.ok("DEF ALIAS (NAME(D) RELATE(A))\nDEF NVSAM (NAME(E) DEVT(3390) VOL(CICA01))");
    w.ok(&format!("{UCAT}\nDEF CL (NAME(F) TRK(1))"));
    let volume = Path::new("/cat/volumes/CICA01");
    // The files of B are those of A; the index of C is A's; E was never made; a catalog and a volume are gone.
    let disk = w.disk.clone();
    for (from, to) in [("A.DATA", "B.DATA"), ("C.INDEX", "X"), ("A.INDEX", "C.INDEX")] {
        disk.rename(&volume.join(from), &volume.join(to)).unwrap();
    }
    disk.remove(&Path::new("/cat").join(PLACE).join("catalog")).unwrap();
    disk.remove(&volume.join(w.services.catalog.vvds_name())).unwrap();
    for (file, _) in disk.list(Path::new("/v1")).unwrap() {
        disk.remove(&Path::new("/v1").join(file)).unwrap();
    }
    disk.remove(Path::new("/v1")).unwrap();
    let told = w.messages("DIAGNOSE ICFCATALOG INDATASET(MCAT)", 8);
    let wanted = [
        ("VVDS SYS1.VVDS.VCICA01", ".vvds-"),
        ("VOLUME V1", "/v1"),
        ("CLUSTER A", "A.DATA"),
        ("CLUSTER B", "is of A"),
        ("CLUSTER C", "C.INDEX"),
        ("NONVSAM E", "cannot open"),
        ("USERCATALOG UCAT.PAY", "no catalog"),
        ("11 CHECKED, 7 IN ERROR", ""),
    ];
    for (place, words) in wanted {
        let found = told.iter().any(|line| line.contains(place) && line.contains(words));
        assert!(found, "{place} {words}: {told:#?}");
    }
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
    let told = w.messages("DIAGNOSE VVDS INDATASET(SYS1.VVDS.VCICA01)", 0);
    assert_eq!(told, ["CICA0982I 3 CHECKED, 0 IN ERROR"]);
    disk.rename(&volume.join("F.DATA"), &volume.join("Y")).unwrap();
    let told = w.messages("DIAGNOSE VVDS INDATASET(SYS1.VVDS.VCICA01)", 8);
    let told = told.concat();
    assert!(
        told.contains("FILE Y: no catalog that can be asked names it, and the user catalog UCAT.PAY cannot be asked"),
        "{told}"
    );
    w.ok("EXPORT UCAT.PAY DISCONNECT");
    let told = w.messages("DIAGNOSE VVDS INDATASET(SYS1.VVDS.VCICA01)", 8);
    assert!(
        told[0].contains("FILE Y: no catalog names it; DEFINE ... RECATALOG takes F in"),
        "{told:?}"
    );
}

/// A catalog that cannot be read may name what is to be deleted, or what is in the way of a DEFINE.
#[test]
fn what_a_catalog_that_is_gone_may_name_stays() {
    let mut w = World::new();
    w.ok(&format!("{UCAT}\nDEF CL (NAME(PAY.A) TRK(1)) CAT(UCAT.PAY)"));
    let files = w.files("/cat/volumes/CICA01");
    let catalog = Path::new("/cat").join(PLACE).join("catalog");
    let away = catalog.with_file_name("away");
    w.disk.rename(&catalog, &away).unwrap();
    let mut other = w.other();
    for said in [
        "DELETE PAY.A.DATA VVR",
        "DELETE PAY.A.INDEX VVR ERASE",
        "DEF CL (NAME(PAY.A) TRK(1))",
    ] {
        let (cc, listing) = other.run(said);
        assert!(
            cc >= 8 && listing.contains("UCAT.PAY cannot be asked"),
            "{said}: {listing}"
        );
    }
    w.disk.rename(&away, &catalog).unwrap();
    assert_eq!(w.files("/cat/volumes/CICA01"), files);
    w.other()
        .ok("LISTCAT ENT(PAY.A) CAT(UCAT.PAY) ALL\nDELETE PAY.A CAT(UCAT.PAY)");
}

fn listed(catalog: &Catalog) -> Vec<String> {
    let contents = catalog.contents().unwrap();
    contents.leftovers().map(|(_, file)| file.to_string()).collect()
}

fn is_there(w: &World, file: &str) -> bool {
    let path = Path::new("/cat/volumes/CICA01").join(file);
    w.disk.open(&path, Open::default()).is_ok()
}

/// A user catalog that lists X, whose remover was killed; X is there.
fn with_a_leftover(w: &mut World) -> Arc<Catalog> {
    w.ok(UCAT);
    let below = w.services.catalog.called(&Name::parse("UCAT.PAY").unwrap()).unwrap();
    let serial = Volser::default_serial();
    let listed = below.transact(|contents| -> Result<(), CatalogError> {
        contents.add_leftover(&serial, &FileName::near("X"), true);
        Ok(())
    });
    listed.unwrap();
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    w.disk.open(Path::new("/cat/volumes/CICA01/X"), how).unwrap();
    below
}

#[test]
fn a_catalog_that_is_deleted_leaves_no_file_behind_that_it_was_to_remove() {
    for force in [false, true] {
        let mut w = World::new();
        let below = with_a_leftover(&mut w);
        // In the job of the DELETE that failed, and in another.
        if force {
            w = w.other();
        }
        let right = below.stage().unwrap();
        let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0551I"];
        w.refused("DELETE UCAT.PAY UCAT", 8, &ids, "UCAT.PAY lists files");
        w.refused("DELETE UCAT.PAY UCAT TEST", 8, &ids, "UCAT.PAY lists files");
        if force {
            w.ok("DELETE UCAT.PAY UCAT FORCE");
            assert_eq!(listed(&w.services.catalog), ["X"]);
            assert!(w.services.catalog.contents().unwrap().leftovers().all(|x| {
                let contents = w.services.catalog.contents().unwrap();
                contents.erases(x)
            }));
            w = w.other();
        } else {
            drop(right);
            w.ok("DELETE UCAT.PAY UCAT");
        }
        assert!(listed(&w.services.catalog).is_empty() && w.names().is_empty());
        assert!(!is_there(&w, "X"), "{force}");
    }
}

#[test]
fn a_catalog_in_a_directory_that_cannot_be_written_is_looked_at_and_forgotten() {
    let disk = Arc::new(SimDisk::new());
    let mut w = World::on(disk.clone());
    w.ok(UCAT);
    let lock = Path::new("/cat").join(PLACE).join("lock");
    disk.set_faults(Faults::none().fail_from(Call::Open, 1, Errno::Denied).only(&lock));
    w.ok("DELETE UCAT.PAY UCAT TEST\nDELETE UCAT.PAY UCAT NOSCRATCH");
    w.ok("IMPORT CONNECT OBJECTS((UCAT.PAY VOLUMES(CICA01)))");
    let catalog = Path::new("/cat").join(PLACE).join("catalog");
    let faults = Faults::none().fail_from(Call::Open, 1, Errno::Denied).only(&lock);
    disk.set_faults(faults.fail_from(Call::Remove, 1, Errno::Denied).only(&catalog));
    let told = w.messages("DELETE UCAT.PAY UCAT", 4);
    assert!(told.iter().any(|message| message.starts_with("CICA0937W")), "{told:?}");
    assert!(w.names().is_empty());
    w.ok("IMPORT CONNECT OBJECTS((UCAT.PAY VOLUMES(CICA01)))");
}

#[test]
fn diagnose_names_the_catalog_that_keeps_files_which_are_to_be_removed() {
    let mut w = World::new();
    w.ok("DEF MCAT (NAME(MCAT) CYL(1) VOL(CICA01))\nDEF UCAT (NAME(UCAT.TWO) CYL(1) VOL(CICA01))");
    let below = with_a_leftover(&mut w);
    let right = below.stage().unwrap();
    let diagnose = "DIAGNOSE ICFCATALOG INDATASET(UCAT.PAY)";
    w = w.other();
    // Somebody makes it, or removes it just now.
    assert_eq!(w.messages(diagnose, 0), ["CICA0982I 2 CHECKED, 0 IN ERROR"]);
    let two = Path::new("/cat/volumes/CICA01/UCAT.TWO/catalog");
    w.disk.remove(two).unwrap();
    drop(right);
    w = w.other();
    let told = w.messages(diagnose, 8);
    assert!(
        told[0].contains("FILE X: it is to be removed and stays: the user catalog UCAT.TWO cannot be asked")
            && told[0].contains("EXPORT UCAT.TWO DISCONNECT"),
        "{told:?}"
    );
    assert!(is_there(&w, "X"));
    w.ok("EXPORT UCAT.TWO DISCONNECT");
    w = w.other();
    assert_eq!(w.messages(diagnose, 0), ["CICA0982I 2 CHECKED, 0 IN ERROR"]);
    assert!(!is_there(&w, "X"));
}

/// A generic name means what the same name in full reaches: not what lies hidden behind an alias of another catalog.
#[test]
fn what_is_hidden_behind_an_alias_is_not_deleted_or_altered_by_a_generic_name() {
    let mut w = World::new();
    w.ok(UCAT);
    w.ok("DEF UCAT (NAME(UCAT.TEST) CYL(1) VOL(CICA01))\nDEF ALIAS (NAME(PAY) RELATE(UCAT.PAY))");
    w.ok("DEF CL (NAME(PAY.TEST.K) TRK(1)) DATA(NAME(PAY.OLD.D)) INDEX(NAME(PAY.OLD.I))");
    w.ok("DEF ALIAS (NAME(PAY.TEST) RELATE(UCAT.TEST))");
    for delete in [
        "DELETE PAY.TEST.*",
        "DELETE PAY.TEST.* CLUSTER",
        "ALTER PAY.TEST.* OWNER(X)",
    ] {
        let (cc, listing) = w.run(delete);
        assert!(cc >= 8 && listing.contains("IDC3012I"), "{delete}: {listing}");
    }
    w.ok("DEF CL (NAME(PAY.TEST.K) TRK(1))\nALTER PAY.TEST.* OWNER(SEEN)");
    let owner = |w: &mut World, catalog: &str| w.run(&format!("LISTCAT ENT(PAY.TEST.K) ALL CATALOG({catalog})")).1;
    assert!(owner(&mut w, "UCAT.TEST").contains("SEEN"));
    assert!(!owner(&mut w, "UCAT.PAY").contains("SEEN"));
    w.ok("DELETE PAY.TEST.*");
    let listing = owner(&mut w, "UCAT.PAY");
    assert!(listing.contains("PAY.OLD.D"), "{listing}");
    assert_eq!(w.run("LISTCAT ENT(PAY.TEST.K) CATALOG(UCAT.TEST)").0, 4);
    w.ok("DELETE PAY.TEST.* CATALOG(UCAT.PAY)");
}
