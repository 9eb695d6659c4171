//! ALTER: what changes in the catalog and in the files, and what is refused.

use crate::world::{golden, World, MASTER};
use cica_catalog::entry::{Log, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::{Entry, Name};
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::SimDisk;
use cica_engine::Access;
use std::sync::Arc;

const IDS: [&str; 4] = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0532I"];

fn world() -> World {
    let mut world = World::new();
    world.ok(MASTER);
    world
}

#[test]
fn what_is_told() {
    let mut world = world();
    let (cc, listing) = world.run("ALTER PAY.MASTER FREESPACE(10 10)\nALTER NO.SUCH FREESPACE(10 10)");
    golden("alter.txt", &listing);
    assert_eq!(cc, 8);
}

#[test]
fn attributes_change_in_catalog_and_files() {
    let mut world = world();
    world.load("PAY.MASTER", 3);
    world.ok(
        "ALTER PAY.MASTER FREESPACE(20 10) SHAREOPTIONS(2 3) BUFFERSPACE(60000) REUSE ERASE CCSID(1047) -
           NORECLAIMCA WRITECHECK",
    );
    let cluster = world.cluster("PAY.MASTER");
    assert_eq!(cluster.data.free_space, FreeSpace { ci: 20, ca: 10 });
    assert_eq!(cluster.attributes.share, ShareOptions { region: 2, system: 3 });
    assert!(cluster.attributes.reuse && cluster.attributes.erase && !cluster.attributes.reclaim);
    let (data, index) = world.roots("PAY.MASTER");
    let a = &data.attributes;
    assert_eq!(
        (a.free_ci, a.free_ca, a.share_region, a.buffer_space),
        (20, 10, 2, 60_000)
    );
    assert!(a.reuse && a.erase && a.write_check && !a.reclaim);
    assert_eq!((a.ccsid, index.attributes.share_region), (1047, 2));
    assert_ne!(a.created, 0, "the time of its making stays");
    let data_set = world.open("PAY.MASTER", Access::Input);
    assert_eq!(data_set.statistics().0.records, 3);
    data_set.close().unwrap();
}

#[test]
fn share_options_of_each_component() {
    let mut world = world();
    world.ok("ALTER PAY.MASTER.INDEX SHAREOPTIONS(3 3)");
    let shares = |world: &World| {
        let (data, index) = world.roots("PAY.MASTER");
        (data.attributes.share_region, index.attributes.share_region)
    };
    assert_eq!(shares(&world), (1, 3));
    world.ok("ALTER PAY.MASTER.DATA SHAREOPTIONS(2 3)");
    assert_eq!(shares(&world), (2, 3));
    world.ok("ALTER PAY.MASTER FREESPACE(1)");
    assert_eq!(shares(&world), (2, 3));
    world.ok("ALTER PAY.MASTER SHAREOPTIONS(4 3)");
    assert_eq!(shares(&world), (4, 4));
}

#[test]
fn what_only_the_catalog_knows() {
    let mut world = world();
    world.ok("ALTER PAY.MASTER OWNER(SMITH) FOR(5) LOG(UNDO) LOGSTREAMID(PAY.LOG) STORCLAS(SC) ACCOUNT('A 1')");
    let said = world.cluster("PAY.MASTER").attributes;
    assert_eq!(said.history.owner.as_deref(), Some("SMITH"));
    assert_eq!(said.history.expires.unwrap().to_string(), "2022.247");
    assert_eq!(
        (said.log, said.log_stream.as_deref()),
        (Some(Log::Undo), Some("PAY.LOG"))
    );
    assert_eq!(said.other, [("ACCOUNT".to_owned(), "A 1".to_owned())]);
    world.ok("ALTER PAY.MASTER NULLIFY(OWNER RETENTION LOG LOGSTREAMID STORAGECLASS ACCOUNT)");
    let said = world.cluster("PAY.MASTER").attributes;
    assert_eq!(
        (said.history.owner, said.history.expires, said.log, said.log_stream),
        (None, None, None, None)
    );
    assert_eq!((said.storage_class, said.other.len()), (None, 0));
    world.ok("ALTER PAY.MASTER.DATA INHIBIT");
    assert!(world.cluster("PAY.MASTER").attributes.inhibit);
    world.ok("ALTER PAY.MASTER UNINHIBIT");
    assert!(!world.cluster("PAY.MASTER").attributes.inhibit);
    world.refused("ALTER PAY.MASTER LOG(ALL)", 8, &IDS, "add LOGSTREAMID");
}

#[test]
fn keys_and_recordsize_while_nothing_was_loaded() {
    let mut world = world();
    world.ok("ALTER PAY.MASTER KEYS(8 4) RECORDSIZE(200 400)");
    let (data, _) = world.roots("PAY.MASTER");
    assert_eq!((data.attributes.key_length, data.attributes.key_offset), (8, 4));
    assert_eq!(
        (data.attributes.average_record, data.attributes.maximum_record),
        (200, 400)
    );
    world.refused(
        "ALTER PAY.MASTER KEYS(8 395)",
        8,
        &IDS,
        "ends beyond the longest record",
    );
    world.refused(
        "ALTER PAY.MASTER RECORDSIZE(200 30000)",
        8,
        &IDS,
        "does not fit in a control interval of 18432",
    );
    world.refused(
        "ALTER PAY.MASTER KEYS(255 0)",
        8,
        &IDS,
        "need index control intervals of",
    );
    world.load("PAY.MASTER", 3);
    let before = world.roots("PAY.MASTER").0.attributes;
    world.refused("ALTER PAY.MASTER KEYS(8 0)", 8, &IDS, "has been loaded");
    world.refused("ALTER PAY.MASTER RECORDSIZE(80 80)", 8, &IDS, "has been loaded");
    assert_eq!(world.roots("PAY.MASTER").0.attributes, before);
    // What says nothing new is no change.
    world.ok("ALTER PAY.MASTER KEYS(8 4) RECORDSIZE(200 400) FREESPACE(5)");
}

#[test]
fn what_is_refused() {
    let cases = [
        ("ALTER PAY.MASTER BUFFERSPACE(1000)", "BUFFERSPACE(1000) is less"),
        (
            "ALTER PAY.MASTER.INDEX FREESPACE(10 10)",
            "FREESPACE is of the data component",
        ),
        ("ALTER PAY.MASTER.INDEX KEYS(8 0)", "KEYS is of the data component"),
        ("ALTER PAY.MASTER TO(2022.367)", "2022.367"),
        ("ALTER PAY.MASTER ADDVOLUMES(NOSUCH)", "NOSUCH is not known"),
        ("ALTER PAY.MASTER ADDVOLUMES(CICA01)", "has volume CICA01 already"),
        ("ALTER PAY.MASTER REMOVEVOLUMES(CICA01)", "lies on volume CICA01"),
        ("ALTER PAY.MASTER NEWNAME(PAY.*)", "PAY.*"),
        (
            "ALTER PAY.MASTER UPGRADE",
            "UPGRADE is not an attribute of an entry of type CLUSTER",
        ),
        ("ALTER PAY.MASTER.* NEWNAME(PAY.NEW)", "need one * each"),
    ];
    for (cards, words) in cases {
        let mut world = world();
        if cards.contains("2022.367") {
            let messages = world.messages(cards, 12);
            assert!(messages[0].contains(words), "{messages:?}");
            continue;
        }
        let before = (world.cluster("PAY.MASTER"), world.roots("PAY.MASTER"));
        world.refused(cards, 8, &IDS, words);
        assert_eq!(
            (world.cluster("PAY.MASTER"), world.roots("PAY.MASTER")),
            before,
            "{cards}"
        );
    }
    world().refused(
        "ALTER NO.SUCH NEWNAME(A.B)",
        8,
        &["IDC3012I", "IDC3009I", "IDC0532I"],
        "IGG0CLEG-42",
    );
    world().refused(
        "ALTER NO.* FREESPACE(1)",
        8,
        &["IDC3012I", "IDC3009I", "IDC0532I"],
        "NO.*",
    );
    world().refused("ALTER PAY.MASTER TYPE(LINEAR)", 12, &["CICA0908E"], "TYPE");
    world().refused(
        "ALTER PAY.MASTER OWNER(X) CATALOG(UCAT)",
        12,
        &["CICA0932E", "IDC0532I"],
        "UCAT",
    );
}

#[test]
fn newname_of_a_cluster_and_of_components() {
    let mut world = world();
    world.load("PAY.MASTER", 3);
    world.ok("ALTER PAY.MASTER NEWNAME(SALES.MASTER)");
    let cluster = world.cluster("SALES.MASTER");
    assert_eq!(
        cluster.data.name.as_str(),
        "PAY.MASTER.DATA",
        "components keep their names"
    );
    let told = world.messages("ALTER PAY.MASTER.* NEWNAME(SALES.MASTER.*)", 0);
    assert_eq!(
        told,
        [
            "IDC0531I ENTRY PAY.MASTER.DATA ALTERED",
            "IDC0531I ENTRY PAY.MASTER.INDEX ALTERED"
        ]
    );
    let (data, index) = world.roots("SALES.MASTER");
    assert_eq!(data.attributes.cluster_name, "SALES.MASTER");
    assert_eq!(data.attributes.component_name, "SALES.MASTER.DATA");
    assert_eq!(index.attributes.cluster_name, "SALES.MASTER");
    assert_eq!(index.attributes.component_name, "SALES.MASTER.INDEX");
    let data_set = world.open("SALES.MASTER", Access::Input);
    assert_eq!(data_set.statistics().0.records, 3);
    data_set.close().unwrap();

    // The old name is free, though the files still have it.
    world.ok(MASTER);
    assert_eq!(world.cluster("PAY.MASTER").data.file, "PAY.MASTER.DATA~2");
    world.load("PAY.MASTER", 1);
    let ids = ["IDC3013I", "IDC3009I", "IDC0532I"];
    world.refused("ALTER SALES.MASTER NEWNAME(PAY.MASTER)", 12, &ids, "PAY.MASTER");
    world.refused(
        "ALTER SALES.MASTER.DATA NEWNAME(PAY.MASTER.INDEX)",
        12,
        &ids,
        "PAY.MASTER.INDEX",
    );
    assert_eq!(world.roots("SALES.MASTER").0.attributes.cluster_name, "SALES.MASTER");
    world.ok("DELETE (SALES.MASTER PAY.MASTER)");
    assert!(world.files("/cat/volumes/CICA01").is_empty());
}

#[test]
fn newname_of_many() {
    let mut world = World::new();
    for name in ["PAY.A", "PAY.B"] {
        world.ok(&format!(
            "DEF CL (NAME({name}) TRK(1) KEYS(4 0) RECSZ(80 80)) DATA(NAME({name}.D)) INDEX(NAME({name}.I))"
        ));
    }
    world.ok("ALTER PAY.* NEWNAME(OLD.PAY.*)");
    assert_eq!(world.names(), ["OLD.PAY.A", "OLD.PAY.B"]);
    world.ok("ALTER PAY.** NEWNAME(OLD.**)");
    assert_eq!(world.cluster("OLD.PAY.A").data.name.as_str(), "OLD.A.D");
}

#[test]
fn volumes_are_added_and_removed() {
    let mut world = world();
    world.ok("DEFINE VOLUME (NAME(VOL001))\nDEFINE VOLUME (NAME(V33301) DEVICETYPE(3330-1))");
    world.ok("ALTER PAY.MASTER.DATA ADDVOLUMES(VOL001)");
    let serials = |world: &World| {
        world
            .cluster("PAY.MASTER")
            .data
            .volumes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(serials(&world), ["CICA01", "VOL001"]);
    assert_eq!(world.cluster("PAY.MASTER").index.unwrap().volumes.len(), 1);
    world.refused("ALTER PAY.MASTER ADDVOLUMES(V33301)", 8, &IDS, "V33301 is a 3330-1");
    world.ok("ALTER PAY.MASTER.DATA REMOVEVOLUMES(VOL001)");
    assert_eq!(serials(&world), ["CICA01"]);
}

#[test]
fn a_data_set_in_use_keeps_what_its_files_carry() {
    let mut world = world();
    world.load("PAY.MASTER", 1);
    let other = world.other();
    let data_set = other.open("PAY.MASTER", Access::Output);
    let before = world.cluster("PAY.MASTER");
    world.refused("ALTER PAY.MASTER FREESPACE(10 10)", 8, &IDS, "RETURN CODE IS 184");
    assert_eq!(world.cluster("PAY.MASTER"), before);
    // What the catalog alone knows can change meanwhile.
    world.ok("ALTER PAY.MASTER OWNER(SMITH)");
    data_set.close().unwrap();
    world.ok("ALTER PAY.MASTER FREESPACE(10 10)");
}

/// Whatever call to the disk fails: catalog and files agree.
#[test]
fn an_alter_that_fails_changes_neither_catalog_nor_files() {
    for nth in 1.. {
        let disk = Arc::new(SimDisk::new());
        let mut world = World::on(disk.clone());
        world.ok(MASTER);
        let before = disk.calls().of(Call::Any);
        disk.set_faults(Faults::none().fail(Call::Any, nth, Errno::Io));
        let (cc, listing) = world.run("ALTER PAY.MASTER FREESPACE(33 44)");
        let used = disk.calls().of(Call::Any) - before;
        disk.set_faults(Faults::none());
        let world = world.other();
        let free = world.cluster("PAY.MASTER").data.free_space;
        let (data, _) = world.roots("PAY.MASTER");
        let carried = (data.attributes.free_ci, data.attributes.free_ca);
        assert_eq!((free.ci, free.ca), carried, "call {nth}: {listing}");
        if used < nth {
            assert_eq!((cc, free), (0, FreeSpace { ci: 33, ca: 44 }), "{listing}");
            return;
        }
    }
}

#[test]
fn a_renamed_sequential_data_set_keeps_its_file_from_the_next_of_its_old_name() {
    let mut world = World::new();
    let define = "DEFINE NONVSAM (NAME(PAY.SEQ) DEVICETYPES(SYSDA) VOLUMES(CICA01))";
    let file = |world: &World, name: &str| {
        let entry = world.services.catalog.get(&Name::parse(name).unwrap()).unwrap();
        entry.files().pop().unwrap().1
    };
    world.ok(define);
    assert_eq!(file(&world, "PAY.SEQ"), "PAY.SEQ");
    world.ok("ALTER PAY.SEQ NEWNAME(PAY.OLD)");
    assert_eq!(file(&world, "PAY.OLD"), "PAY.SEQ", "the file stays where it is");
    world.ok(define);
    assert_eq!(file(&world, "PAY.SEQ"), "PAY.SEQ~2");
    world.ok("ALTER PAY.SEQ NEWNAME(PAY.OLDER)");
    world.ok(define);
    assert_eq!(file(&world, "PAY.SEQ"), "PAY.SEQ~3");
    world.ok("DELETE PAY.OLD NOSCRATCH");
    world.ok("DELETE PAY.SEQ NOSCRATCH");
    world.ok(define);
    assert_eq!(file(&world, "PAY.SEQ"), "PAY.SEQ", "nobody has it any more");
}

#[test]
fn ccsid_of_a_sequential_data_set_is_the_code_page_of_its_records() {
    let mut world = World::new();
    world.ok("DEFINE NONVSAM (NAME(PAY.SEQ) DEVICETYPES(SYSDA) VOLUMES(CICA01))");
    let format = |world: &World| match world.services.catalog.get(&Name::parse("PAY.SEQ").unwrap()).unwrap() {
        Entry::NonVsam(data_set) => data_set.format,
        entry => panic!("{entry:?}"),
    };
    for (ccsid, wanted) in [("1047", "CODEPAGE=1047"), ("37", "CODEPAGE=37"), ("0", "")] {
        world.ok(&format!("ALTER PAY.SEQ CCSID({ccsid})"));
        assert_eq!(format(&world), wanted);
    }
    world.ok("ALTER PAY.SEQ CCSID(1047)");
    world.ok("ALTER PAY.SEQ OWNER(ME)");
    let (cc, listing) = world.run("ALTER PAY.SEQ CCSID(4711)");
    assert!(cc >= 8 && listing.contains("CCSID 4711 is no code page"), "{listing}");
    assert_eq!(format(&world), "CODEPAGE=1047");
}
