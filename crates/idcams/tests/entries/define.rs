//! DEFINE CLUSTER and DEFINE VOLUME: how their lists go together, what is made, and what is refused.

use crate::world::{golden, World, MASTER};
use cica_catalog::entry::{Log, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::Unit;
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::SimDisk;
use cica_engine::Access;
use std::path::Path;
use std::sync::Arc;

#[test]
fn what_is_told() {
    let mut world = World::new();
    let (cc, listing) = world.run(MASTER);
    golden("define.txt", &listing);
    assert_eq!(cc, 0);
}

#[test]
fn defaults_are_those_of_zos() {
    let mut world = World::new();
    world.ok("DEFINE CLUSTER (NAME(PAY.A) CYLINDERS(1))");
    let cluster = world.cluster("PAY.A");
    let said = &cluster.attributes;
    let keys = said.keys.unwrap();
    assert_eq!((keys.length, keys.offset), (64, 0));
    assert_eq!(
        said.record_size,
        RecordSize {
            average: 4089,
            maximum: 4089
        }
    );
    assert_eq!(said.share, ShareOptions { region: 1, system: 3 });
    assert!(!said.reuse && !said.spanned && !said.erase && !said.speed && said.reclaim);
    assert_eq!(cluster.data.free_space, FreeSpace { ci: 0, ca: 0 });
    assert_eq!(
        (cluster.data.name.as_str(), cluster.data.file.as_str()),
        ("PAY.A.DATA", "PAY.A.DATA")
    );
    assert_eq!(cluster.data.volumes[0].as_str(), "CICA01");
    assert_eq!(said.history.created.to_string(), "2022.242");
    assert_eq!(said.history.expires, None);
}

#[test]
fn the_files_carry_what_was_said() {
    let mut world = World::new();
    world.ok(
        "DEFINE CLUSTER (NAME(PAY.A) TRACKS(5 10) KEYS(8 4) RECORDSIZE(100 400) FREESPACE(20 10) REUSE SPANNED -
           ERASE SPEED SHAREOPTIONS(3 4) CCSID(1047) CISZ(4096) WRITECHECK BUFFERSPACE(40000))",
    );
    let (data, index) = world.roots("PAY.A");
    let a = &data.attributes;
    assert_eq!((a.key_length, a.key_offset), (8, 4));
    assert_eq!((a.average_record, a.maximum_record), (100, 400));
    assert_eq!((a.free_ci, a.free_ca), (20, 10));
    assert!(a.reuse && a.spanned && a.erase && a.speed && a.write_check && a.reclaim);
    assert_eq!((a.share_region, a.share_system), (3, 4));
    assert_eq!((a.ccsid, a.ci_size, a.buffer_space), (1047, 4096, 40_000));
    assert_eq!(
        (a.cluster_name.as_str(), a.component_name.as_str()),
        ("PAY.A", "PAY.A.DATA")
    );
    assert_eq!(a.volume, "CICA01");
    // A CI size of the cluster is that of each component that is given none.
    assert_eq!(index.attributes.ci_size, 4096);
    assert_eq!(index.attributes.component_name, "PAY.A.INDEX");
    world.load("PAY.A", 5);
}

#[test]
fn lists_of_components_go_over_that_of_the_cluster() {
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(VOL001))");
    world.ok(
        "DEFINE CLUSTER (NAME(PAY.A) CYLINDERS(2 1) VOLUMES(CICA01) KEYS(8 0) RECORDSIZE(100 100) NOREUSE -
             SHAREOPTIONS(2 3) FREESPACE(5 5) CISZ(4096)) -
           DATA (NAME(PAY.RECORDS) TRACKS(10 3) KEYS(6 2) FREESPACE(30) REUSE CISZ(8192)) -
           INDEX (NAME(PAY.KEYS) TRACKS(2 1) VOLUMES(VOL001) SHAREOPTIONS(4 4) CISZ(1024))",
    );
    let cluster = world.cluster("PAY.A");
    let index = cluster.index.as_ref().unwrap();
    assert_eq!(
        (cluster.data.name.as_str(), index.name.as_str()),
        ("PAY.RECORDS", "PAY.KEYS")
    );
    assert_eq!(
        (cluster.data.space.unit, cluster.data.space.primary),
        (Unit::Tracks, 10)
    );
    assert_eq!(
        (index.space.unit, index.space.primary, index.space.secondary),
        (Unit::Tracks, 2, 1)
    );
    assert_eq!(cluster.attributes.keys.map(|k| (k.length, k.offset)), Some((6, 2)));
    assert_eq!(cluster.data.free_space, FreeSpace { ci: 30, ca: 0 });
    assert!(cluster.attributes.reuse);
    assert_eq!((cluster.data.ci_size, index.ci_size), (8192, 1024));
    assert_eq!(world.files("/cat/volumes/VOL001"), ["PAY.KEYS"]);
    assert_eq!(world.files("/cat/volumes/CICA01"), ["PAY.RECORDS"]);
    let (data, index) = world.roots("PAY.A");
    assert_eq!((data.attributes.share_region, index.attributes.share_region), (2, 4));
}

#[test]
fn generated_names_replace_a_last_qualifier_cluster() {
    let mut world = World::new();
    let told = world.messages(
        "DEF CL (NAME(PAY.CLUSTER) TRK(1) KEYS(4 0) RECSZ(80 80)) DATA(NAME(PAY.D))",
        0,
    );
    assert_eq!(told[2..], ["IDC0512I NAME GENERATED-(I) PAY.INDEX"]);
    assert_eq!(told.len(), 3);
}

#[test]
fn model_gives_what_is_not_said() {
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(VOL001))");
    world.ok(
        "DEFINE CLUSTER (NAME(PAY.A) CYL(3 2) VOLUMES(VOL001) KEYS(8 4) RECSZ(100 400) FREESPACE(20 10) REUSE -
           CISZ(8192)            SHAREOPTIONS(2 3) LOG(UNDO) OWNER(SMITH) FOR(100) EATTR(OPT))",
    );
    world.ok("ALTER PAY.A INHIBIT");
    world.days_later(7);
    world.ok("DEFINE CLUSTER (NAME(PAY.B) MODEL(PAY.A) KEYS(5 0) NOREUSE)");
    let (a, b) = (world.cluster("PAY.A"), world.cluster("PAY.B"));
    assert_eq!(
        (b.data.space, b.data.ci_size, &b.data.volumes),
        (a.data.space, 8192, &a.data.volumes)
    );
    assert_eq!(b.data.free_space, FreeSpace { ci: 20, ca: 10 });
    assert_eq!(b.attributes.keys.map(|k| (k.length, k.offset)), Some((5, 0)));
    assert!(
        !b.attributes.reuse && !b.attributes.inhibit,
        "what is said wins; a copy can be written"
    );
    assert_eq!(
        (b.attributes.log, &b.attributes.other),
        (Some(Log::Undo), &a.attributes.other)
    );
    assert_eq!(b.attributes.history.owner.as_deref(), Some("SMITH"));
    assert_eq!(b.attributes.history.created.to_string(), "2022.249");
    assert_eq!(b.attributes.history.expires, None);
    world.ok("DEFINE CLUSTER (NAME(PAY.C) CYL(1 1)) DATA(MODEL(PAY.A.DATA) RECSZ(90 90))");
    assert_eq!(world.cluster("PAY.C").attributes.keys.map(|k| k.length), Some(8));
}

#[test]
fn expiration_dates() {
    let mut world = World::new();
    let cases = [
        ("FOR(10)", Some("2022.252")),
        ("FOR(200)", Some("2023.077")),
        ("TO(2030.001)", Some("2030.001")),
        ("TO(99365)", Some("1999.365")),
        ("TO(2155.999)", Some("2155.365")),
        ("", None),
    ];
    for (n, (said, expected)) in cases.into_iter().enumerate() {
        world.ok(&format!("DEF CL (NAME(PAY.A{n}) TRK(1) KEYS(4 0) RECSZ(80 80) {said})"));
        let expires = world.cluster(&format!("PAY.A{n}")).attributes.history.expires;
        assert_eq!(expires.map(|day| day.to_string()).as_deref(), expected, "{said}");
    }
}

#[test]
fn ci_sizes_are_raised_and_told() {
    let mut world = World::new();
    let told = world.messages("DEF CL (NAME(PAY.A) TRK(1) KEYS(4 0) RECSZ(80 80) CISZ(4000))", 0);
    for part in ["THE DATA", "THE INDEX"] {
        let raised = format!("CICA0933I CONTROL INTERVAL SIZE 4000 OF {part} IS RAISED TO 4096");
        assert!(told.contains(&raised), "{told:?}");
    }
    let told = world.messages("DEF CL (NAME(PAY.B) TRK(1) KEYS(60 0) RECSZ(50 200))", 0);
    assert_eq!(
        told.last().unwrap(),
        "CICA0935I THE KEY ENDS AT BYTE 60, AN AVERAGE RECORD AT BYTE 50"
    );
}

/// Parameters that contradict each other or the volume: told in words, refused, nothing made.
#[test]
fn what_cannot_be_defined() {
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I"];
    let cases = [
        (
            "CYL(1) RECSZ(100 5000) CISZ(4096)",
            "give CONTROLINTERVALSIZE(5120) or more",
        ),
        ("CYL(1) RECSZ(100 40000)", "specify SPANNED"),
        (
            "CYL(1) KEYS(10 75) RECSZ(80 80)",
            "ends beyond the longest record of 80 bytes",
        ),
        ("CYL(1) KEYS(10 600) RECSZ(800 800) SPANNED CISZ(512)", "first segment"),
        (
            "TRK(1 1) KEYS(4 0) RECSZ(100 1000000) SPANNED",
            "does not fit in a control area",
        ),
        ("CYL(1) RECSZ(200 100)", "average record length 200 is greater"),
        ("CYL(1) KEYS(4 0) RECSZ(80 80) LOG(ALL)", "add LOGSTREAMID"),
        ("CYL(9999999) KEYS(4 0) RECSZ(80 80)", "cylinders"),
        ("CYL(1) KEYS(4 0) RECSZ(80 80) TO(2023.366)", "is no day"),
        ("CYL(1) KEYS(4 0) RECSZ(80 80) TO(2300.001)", "1900 to 2155"),
        (
            "CYL(1) KEYS(4 0) RECSZ(80 80) VOLUMES(CICA01 VOL001)",
            "one device type",
        ),
    ];
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(VOL001) DEVICETYPE(3330-1))");
    for (said, words) in cases {
        world.refused(&format!("DEFINE CLUSTER (NAME(PAY.X) {said})"), 12, &ids, words);
        assert!(world.files("/cat/volumes/CICA01").is_empty(), "{said}: a file is left");
    }
    let model = "DEFINE CLUSTER (NAME(PAY.X) MODEL(PAY.A UCAT.X))";
    world.refused(model, 12, &["IDC3012I", "IDC3009I"], "UCAT.X NOT FOUND");
    let volume = "CYL(1) KEYS(4 0) RECSZ(80 80) VOLUMES(NOSUCH)";
    world.refused(
        &format!("DEF CL (NAME(PAY.X) {volume})"),
        12,
        &ids,
        "RETURN CODE IS 68 - REASON CODE IS IGG0CLFQ-20",
    );
    world.refused("DEF CL (NAME(PAY.X) KEYS(4 0))", 12, &["IDC3225I"], "CYLINDERS, TRACKS");
    world.refused(
        "DEF CL (NAME(PAY.X) CYL(1)) INDEX(CYL(1)) CATALOG(UCAT)",
        12,
        &["CICA0932E"],
        "UCAT",
    );
    world.refused(
        "DEF CL (NAME(PAY.X) MODEL(NO.SUCH))",
        12,
        &["IDC3012I", "IDC3009I"],
        "NO.SUCH",
    );
    world.refused("DEF CL (NAME(PAY.X) ZFS CYL(1))", 12, &["CICA0908E"], "ZFS");
}

#[test]
fn a_name_is_taken_once() {
    let mut world = World::new();
    world.ok(MASTER);
    let ids = ["IDC3013I", "IDC3009I"];
    let code = "RETURN CODE IS 8 - REASON CODE IS IGG0CLEH-38";
    world.refused(MASTER, 12, &ids, code);
    world.refused(
        "DEF CL (NAME(PAY.MASTER.DATA) CYL(1) KEYS(4 0) RECSZ(80 80))",
        12,
        &ids,
        code,
    );
    let component = "DEF CL (NAME(PAY.B) CYL(1) KEYS(4 0) RECSZ(80 80)) DATA(NAME(PAY.MASTER.INDEX))";
    world.refused(component, 12, &ids, "PAY.MASTER.INDEX");
    let twice = "DEF CL (NAME(PAY.B) CYL(1) KEYS(4 0) RECSZ(80 80)) DATA(NAME(PAY.C)) INDEX(NAME(PAY.C))";
    world.refused(twice, 12, &ids, "PAY.C");
    assert_eq!(
        world.files("/cat/volumes/CICA01"),
        ["PAY.MASTER.DATA", "PAY.MASTER.INDEX"]
    );
}

#[test]
fn a_volume_that_is_gone_or_full_of_files_in_the_way() {
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(VOL001) PATH('/mnt/vol'))");
    for (file, _) in world.disk.list(Path::new("/mnt/vol")).unwrap() {
        world.disk.remove(&Path::new("/mnt/vol").join(file)).unwrap();
    }
    world.disk.remove(Path::new("/mnt/vol")).unwrap();
    let on_it = "DEF CL (NAME(PAY.X) CYL(1) KEYS(4 0) RECSZ(80 80) VOL(VOL001))";
    world.refused(
        on_it,
        12,
        &["IDC3014I", "CICA0934E", "IDC3009I"],
        "volume VOL001 is not there in /mnt/vol",
    );

    // Uncataloged with records in it: it is not replaced.
    world.ok(MASTER);
    world.load("PAY.MASTER", 3);
    world.ok("DELETE PAY.MASTER NOSCRATCH");
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I"];
    world.refused(MASTER, 12, &ids, "RECATALOG takes a data set in");
    // As on z/OS an empty one is nothing to keep: so a DEFINE that a crash cut short can be repeated.
    world.ok("DEF CL (NAME(PAY.B) CYL(1) KEYS(4 0) RECSZ(80 80))\nDELETE PAY.B NOSCRATCH");
    world.ok("DEF CL (NAME(PAY.B) CYL(1) KEYS(4 0) RECSZ(80 80))");
}

#[test]
fn recatalog_brings_an_entry_back() {
    let mut world = World::new();
    world.ok(
        "DEF CL (NAME(PAY.A) TRK(5 3) KEYS(11 0) RECSZ(300 300) FREESPACE(10 20) SHR(2 3) REUSE ERASE) -
           DATA(NAME(PAY.D))",
    );
    world.load("PAY.A", 20);
    let before = world.cluster("PAY.A");
    world.ok("ALTER PAY.D NEWNAME(PAY.E)\nDELETE PAY.A NOSCRATCH");
    assert!(world.names().is_empty());
    world.refused(
        "DEFINE CLUSTER (NAME(PAY.A) NUMBERED RECATALOG)",
        12,
        &["IDC3014I", "CICA0934E", "IDC3009I"],
        "says that PAY.A is INDEXED, not NUMBERED",
    );
    world.ok("DEFINE CLUSTER (NAME(PAY.A) INDEXED VOLUMES(CICA01) RECATALOG OWNER(SMITH))");
    let after = world.cluster("PAY.A");
    assert_eq!(after.data.name.as_str(), "PAY.E", "files say what they are called");
    assert_eq!(after.data.file, "PAY.D");
    assert_eq!(after.attributes.keys, before.attributes.keys);
    assert_eq!((after.attributes.reuse, after.attributes.erase), (true, true));
    assert_eq!(after.data.tracks_per_ca, before.data.tracks_per_ca);
    assert_eq!(after.data.primary_tracks, before.data.primary_tracks);
    assert_eq!(after.data.secondary_bytes(), before.data.secondary_bytes());
    assert_eq!(after.attributes.history.owner.as_deref(), Some("SMITH"));
    let data_set = world.open("PAY.A", Access::Input);
    assert_eq!(data_set.statistics().0.records, 20);
    data_set.close().unwrap();
    world.refused(
        "DEF CL (NAME(PAY.NONE) RECATALOG)",
        12,
        &["IDC3012I", "IDC3009I"],
        "PAY.NONE",
    );
    world.refused("DEF CL (NAME(PAY.A) RECATALOG)", 12, &["IDC3013I", "IDC3009I"], "PAY.A");
}

/// Whatever call to the disk fails: the entry and its files are both there, or neither is.
#[test]
fn a_define_that_fails_leaves_nothing() {
    for nth in 1.. {
        let disk = Arc::new(SimDisk::new());
        let mut world = World::on(disk.clone());
        let before = disk.calls().of(Call::Any);
        disk.set_faults(Faults::none().fail(Call::Any, nth, Errno::NoSpace));
        let (cc, listing) = world.run(MASTER);
        let used = disk.calls().of(Call::Any) - before;
        disk.set_faults(Faults::none());
        let (entries, files) = (world.other().names(), world.files("/cat/volumes/CICA01"));
        assert_eq!(
            entries.len() * 2,
            files.len(),
            "call {nth}: {entries:?} {files:?}\n{listing}"
        );
        // An entry after a failure is one whose durability was not confirmed, and that is said.
        assert!(cc == 12 || entries.len() == 1, "call {nth}: {listing}");
        if used < nth {
            assert_eq!(cc, 0, "{listing}");
            return;
        }
        world.ok(&format!("DELETE PAY.MASTER\nSET MAXCC = 0\n{MASTER}"));
    }
}

/// As if power failed at each step: what is left does not keep the name from being defined.
#[test]
fn a_define_that_was_cut_short_can_be_repeated() {
    for nth in 1.. {
        let disk = Arc::new(SimDisk::new());
        let mut world = World::on(disk.clone());
        disk.set_faults(Faults::none().fail_from(Call::Any, nth, Errno::Io));
        let (cc, _) = world.run(MASTER);
        disk.set_faults(Faults::none());
        if cc == 0 {
            return;
        }
        let mut world = world.other();
        if world.names().is_empty() {
            world.ok(MASTER);
        }
        world.load("PAY.MASTER", 1);
    }
}

#[test]
fn volumes_are_defined_once() {
    let mut world = World::new();
    let told = world.messages("DEFINE VOLUME (NAME(V33301) DEVICETYPE(3330-1) PATH('/srv/v33301'))", 0);
    assert_eq!(told, ["CICA0936I VOLUME V33301 DEFINED: A 3330-1 IN /srv/v33301"]);
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I"];
    world.refused("DEFINE VOLUME (NAME(V33301))", 12, &ids, "already known");
    world.refused(
        "DEFINE VOLUME (NAME(V00002) DEVICETYPE(2314))",
        12,
        &ids,
        "2314 is no device type",
    );
    world.ok("DEF CL (NAME(PAY.A) CYL(1) KEYS(4 0) RECSZ(80 80) VOL(V33301))");
    assert_eq!(world.cluster("PAY.A").data.tracks_per_ca, 19);
    assert_eq!(world.files("/srv/v33301"), ["PAY.A.DATA", "PAY.A.INDEX"]);
}

/// A file that is no data set of ours is never removed for a DEFINE, however short it is.
#[test]
fn a_short_file_of_somebody_else_is_in_the_way_and_stays() {
    let mut world = World::new();
    let path = Path::new("/cat/volumes/CICA01/PAY.MASTER.DATA");
    let how = cica_disk::Open {
        write: true,
        create: cica_disk::Create::New,
        ..Default::default()
    };
    let file = world.disk.open(path, how).unwrap();
    file.size(Some(9)).unwrap();
    file.write(&[cica_disk::WriteAt {
        at: 0,
        buf: b"PRECIOUS\n",
    }])
    .unwrap();
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I"];
    world.refused(MASTER, 12, &ids, "is there and not in this catalog");
    let mut left = [0; 9];
    let mut batch = [cica_disk::ReadAt {
        at: 0,
        buf: &mut left,
        got: 0,
    }];
    world
        .disk
        .open(path, Default::default())
        .unwrap()
        .read(&mut batch)
        .unwrap();
    assert_eq!(&left, b"PRECIOUS\n");
}

#[test]
fn blocks_are_those_of_fba_volumes() {
    let mut world = World::new();
    world.ok("DEFINE VOLUME (NAME(FBA001) DEVICETYPE(FBA))");
    let define = |name: &str, space: &str, volume: &str| {
        format!("DEFINE CLUSTER (NAME({name}) KEYS(4 0) RECORDSIZE(80 80) {space} VOLUMES({volume}))")
    };
    world.ok(&define("PAY.BLOCKS", "BLOCKS(1921 65)", "FBA001"));
    world.ok(&define("PAY.BYTES", "KILOBYTES(961 33)", "FBA001"));
    let (blocks, bytes) = (world.cluster("PAY.BLOCKS"), world.cluster("PAY.BYTES"));
    assert_eq!((blocks.data.space.primary, blocks.data.space.secondary), (961, 33));
    let tracks = |name: &str| world.cluster(name).data.tracks_per_ca;
    assert_eq!(tracks("PAY.BLOCKS"), tracks("PAY.BYTES"));
    assert_eq!(blocks.data.space, bytes.data.space);
    let words = "BLOCKS is for FBA volumes, and CICA01 is a 3390";
    world.refused(
        &define("PAY.CKD", "BLOCKS(100)", "CICA01"),
        12,
        &["IDC3014I", "CICA0934E", "IDC3009I"],
        words,
    );
    for cards in [
        "DEFINE SPACE (ORIGIN(100) BLOCKS(500) VOLUMES(CICA01))",
        "DEFINE SPACE (DEDICATE VOLUMES(CICA01))",
    ] {
        let (cc, listing) = world.run(cards);
        assert!(cc == 12 && listing.contains("CICA0908E"), "{cards}: {listing}");
    }
    world.ok("DEFINE USERCATALOG (NAME(UCAT.VSE) BLOCKS(100) ORIGIN(64) VOLUMES(CICA01))");
    world.ok("DEFINE USERCATALOG (NAME(UCAT.ALL) DEDICATE VOLUMES(CICA01))");
}

#[test]
fn a_path_is_kept_for_as_long_as_its_definition_says() {
    let mut world = World::new();
    world.ok("DEF CL (NAME(A) TRK(1) KEYS(4 0) RECSZ(20 20))\n\
              DEF PATH (NAME(A.P) PENT(A) FOR(365))\nDEF PATH (NAME(A.Q) PENT(A) TO(99365))");
    let (cc, listing) = world.run("DELETE A.P PATH");
    assert!(cc >= 8 && listing.contains("is kept until"), "{listing}");
    world.ok("DELETE A.P PATH PURGE\nDELETE A.Q PATH PURGE");
}

/// MODEL of another catalog gives what only an alternate index or a path has, too.
#[test]
fn a_model_in_another_catalog_gives_all_that_it_has() {
    let mut world = World::new();
    world.ok(
        "DEF UCAT (NAME(UCAT.A) CYL(1) VOL(CICA01))\nDEF ALIAS (NAME(A) RELATE(UCAT.A))\n\
              DEF CL (NAME(A.BASE) TRK(1) KEYS(4 0) RECSZ(20 20))\n\
              DEF AIX (NAME(A.X) RELATE(A.BASE) TRK(1) KEYS(2 4) RECSZ(50 50) UNIQUEKEY NOUPGRADE)\n\
              DEF PATH (NAME(A.P) PENT(A.X) NOUPDATE OWNER(ADA))\n\
              DEF CL (NAME(B.BASE) TRK(1) KEYS(4 0) RECSZ(20 20))\n\
              DEF AIX (NAME(B.X) RELATE(B.BASE) MODEL(A.X))\n\
              DEF PATH (NAME(B.P) PENT(B.X) MODEL(A.P UCAT.A))",
    );
    let (_, listing) = world.run("LISTCAT ENT(B.X B.P) ALL");
    for word in ["UNIQUE", "NOUPGRADE", "NOUPDATE"] {
        assert!(listing.contains(word), "{word}: {listing}");
    }
    assert!(!listing.contains("NONUNIQ"), "{listing}");
}

#[test]
fn volumes_that_are_added_are_chosen_where_a_star_says_so() {
    let mut world = World::new();
    world.ok("DEF VOLUME (NAME(1P0002) PATH('/v2'))\nDEF CL (NAME(A) TRK(1))\nALTER A.DATA ADDVOLUMES(*)");
    let (_, listing) = world.run("LISTCAT ENT(A) ALL");
    assert!(listing.contains("1P0002"), "{listing}");
    let (cc, listing) = world.run("ALTER A.DATA ADDVOLUMES(*)");
    assert!(cc >= 8 && listing.contains("has all volumes of its type"), "{listing}");
    let (cc, listing) = world.run("DCOLLECT OFILE(OUT) VOLUMES(1P000* 100001)");
    assert!(!listing.contains("IDC3203I"), "{cc}: {listing}");
}

/// Cards of ISO 8859-1 have the sign of NOT that those of z/OS have.
#[test]
fn not_equal_is_read_in_latin_1_too() {
    let source = cica_idcams::Source::from_bytes(b" IF LASTCC \xAC= 0 THEN SET MAXCC = 4\n");
    let mut world = World::new();
    let mut listing = Vec::new();
    let stamp = cica_idcams::Stamp::from_unix(0);
    let mut out = cica_idcams::Sysprint::new(&mut listing, cica_idcams::Style::Plain, stamp);
    let cc = cica_idcams::run(source, &mut world.services, &mut out);
    assert_eq!(cc, 0, "{}", String::from_utf8_lossy(&listing));
}

#[test]
fn a_base_has_no_more_alternate_indexes_than_it_can_know() {
    let mut world = World::new();
    world.ok("DEF VOLUME (NAME(LARGE) PATH('/v2'))\nDEF CL (NAME(A) TRK(1) KEYS(4 0) RECSZ(20 20))");
    let aix = |n: usize| format!("DEF AIX (NAME(A.X{n}) RELATE(A) TRK(1) KEYS(2 4) RECSZ(50 50))");
    for n in 0..cica_format::root::MAX_TIES {
        world.ok(&aix(n));
    }
    let (cc, listing) = world.run(&aix(500));
    assert!(cc >= 8 && listing.contains("as many as a base may have"), "{listing}");
    world.ok(&format!("DELETE A.X0 AIX\n{}", aix(500)));
}
