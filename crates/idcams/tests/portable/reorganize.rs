//! ALTER ... REORGANIZE: a loaded data set in another layout, and what is refused.

use crate::files::{leftovers, live, on_volume, records, Files, SMALL};
use crate::world::World;
use cica_catalog::{Catalog, CatalogError, Entry, Name};
use cica_disk::sim::Faults;
use cica_disk::SimDisk;
use cica_engine::{Access, Insert};
use std::sync::Arc;

fn world() -> World {
    let mut world = World::new();
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 400);
    world
}

#[track_caller]
fn sound(world: &mut World) {
    world.ok("EXAMINE NAME(PAY.SMALL) ITEST DTEST");
    assert_eq!(on_volume(world).len(), 2, "{:?}", on_volume(world));
    assert_eq!(leftovers(world), 0);
}

#[test]
fn the_same_definition_has_its_freespace_again_and_no_splits() {
    let mut world = world();
    let before = records(&world, "PAY.SMALL");
    let (old, listed) = (world.roots("PAY.SMALL").0, world.cluster("PAY.SMALL"));
    let told = world.messages("ALTER PAY.SMALL REORGANIZE()", 0);
    assert!(
        told[0].starts_with("CICA0970I PAY.SMALL REORGANIZED: 520 RECORDS, "),
        "{told:?}"
    );
    assert_eq!(told[1], "IDC0531I ENTRY PAY.SMALL ALTERED");
    assert_eq!(records(&world, "PAY.SMALL"), before);
    let new = world.roots("PAY.SMALL").0;
    assert!(new.ca_count <= old.ca_count && new.statistics.ci_splits == 0);
    assert_eq!(new.statistics.records, 520);
    let mut now = world.cluster("PAY.SMALL");
    (now.data.file, now.index.as_mut().unwrap().file) = (listed.data.file.clone(), listed.index.clone().unwrap().file);
    assert_eq!(now, listed);
    sound(&mut world);
    world.ok("ALTER PAY.SMALL REORGANIZE()");
    sound(&mut world);
}

#[test]
fn another_ci_size_freespace_and_record_size() {
    let mut world = world();
    let before = records(&world, "PAY.SMALL");
    world.ok("ALTER PAY.SMALL REORGANIZE(CISZ(4096) FREESPACE(50 0) RECORDSIZE(60 4000))");
    let cluster = world.cluster("PAY.SMALL");
    assert_eq!(cluster.data.ci_size, 4096);
    assert_eq!(cluster.attributes.record_size.maximum, 4000);
    assert_eq!((cluster.data.free_space.ci, cluster.data.free_space.ca), (50, 0));
    assert_eq!(records(&world, "PAY.SMALL"), before);
    sound(&mut world);
    let data_set = world.open("PAY.SMALL", Access::Output);
    let mut string = data_set.string();
    string
        .insert(format!("99999999999{:3989}", "").as_bytes(), Insert::Direct)
        .unwrap();
    drop(string);
    data_set.close().unwrap();
    world.refused(
        "ALTER PAY.SMALL REORGANIZE(RECORDSIZE(60 90))",
        8,
        &["CICA0972E", "CICA0971E", "IDC0532I"],
        "RECORD 521 (KEY 99999999999)",
    );
    sound(&mut world);
}

/// A data set whose names stand behind their numbers.
fn people(names: &[&str]) -> World {
    let mut world = World::new();
    world.ok("DEF CL (NAME(PAY.SMALL) TRK(1 1) KEYS(4 0) RECSZ(20 40))");
    let data_set = world.open("PAY.SMALL", Access::Output);
    let mut string = data_set.string();
    for (n, name) in names.iter().enumerate() {
        string
            .insert(format!("{n:04}{name}").as_bytes(), Insert::Sequential)
            .unwrap();
    }
    drop(string);
    data_set.close().unwrap();
    world
}

#[test]
fn a_key_elsewhere_puts_the_records_into_its_order() {
    let mut world = people(&["SMITH   ", "ADAMS   ", "MILLER  ", "BAKER   "]);
    world.ok("ALTER PAY.SMALL REORGANIZE(KEYS(8 4))");
    let found: Vec<String> = records(&world, "PAY.SMALL")
        .iter()
        .map(|r| String::from_utf8_lossy(r).trim_end().to_owned())
        .collect();
    assert_eq!(found, ["0001ADAMS", "0003BAKER", "0002MILLER", "0000SMITH"]);
    assert_eq!(world.roots("PAY.SMALL").0.attributes.key_offset, 4);
    sound(&mut world);
    let many: Vec<String> = (0..3_000).map(|n| format!("{:08}", (n * 7_919) % 3_001)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut world = people(&many);
    world.ok("ALTER PAY.SMALL REORGANIZE(KEYS(8 4) CISZ(1024))");
    let found = records(&world, "PAY.SMALL");
    assert_eq!(found.len(), 3_000);
    assert!(found.windows(2).all(|w| w[0][4..12] < w[1][4..12]));
    sound(&mut world);
}

#[test]
fn a_key_that_two_records_have_or_one_is_too_short_for_changes_nothing() {
    let mut world = people(&["SMITH   ", "ADAMS   ", "MILLER  ", "ADAMS   "]);
    let before = records(&world, "PAY.SMALL");
    world.refused(
        "ALTER PAY.SMALL REORGANIZE(KEYS(8 4))",
        8,
        &["CICA0972E", "CICA0971E", "IDC0532I"],
        "RECORD 4 (KEY 0003)",
    );
    assert_eq!(records(&world, "PAY.SMALL"), before);
    sound(&mut world);
    let mut world = people(&["SMITH   ", "TOM"]);
    world.refused(
        "ALTER PAY.SMALL REORGANIZE(KEYS(8 4))",
        8,
        &["CICA0972E", "CICA0971E", "IDC0532I"],
        "RECORD 2 (KEY 0001)",
    );
    sound(&mut world);
}

#[test]
fn what_cannot_be_reorganized_says_why() {
    let mut world = world();
    world.refused(
        "ALTER NO.SUCH REORGANIZE()",
        8,
        &["IDC3012I", "IDC3009I", "IDC0532I"],
        "NO.SUCH",
    );
    world.refused(
        "ALTER PAY.SMALL REORGANIZE() OWNER(ME)",
        8,
        &["IDC3014I", "CICA0934E", "IDC3009I", "IDC0532I"],
        "cannot stand together",
    );
    let open = world.other().open("PAY.SMALL", Access::Input);
    world.refused("ALTER PAY.SMALL REORGANIZE()", 8, &["CICA0971E", "IDC0532I"], "in use");
    open.close().unwrap();
    sound(&mut world);
    world.ok("ALTER PAY.SMALL INHIBIT");
    world.ok("ALTER PAY.SMALL REORGANIZE()");
    assert!(world.cluster("PAY.SMALL").attributes.inhibit);
    // One that was never loaded gets its new layout.
    let mut world = World::new();
    world.ok(SMALL);
    world.ok("ALTER PAY.SMALL REORGANIZE(CISZ(2048))");
    assert_eq!(world.cluster("PAY.SMALL").data.ci_size, 2048);
    live(&world, "PAY.SMALL", 10);
    sound(&mut world);
}

#[test]
fn space_is_looked_for_before_anything_is_copied() {
    let disk = Arc::new(SimDisk::new());
    let mut world = World::on(disk.clone());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 400);
    let before = records(&world, "PAY.SMALL");
    let image = disk.image();
    let used: u64 = image.files().filter_map(|path| image.len(path)).sum();
    disk.set_faults(Faults::none().space(used + (16 << 10)));
    world.refused(
        "ALTER PAY.SMALL REORGANIZE()",
        8,
        &["CICA0971E", "IDC0532I"],
        "no room for a second copy",
    );
    disk.set_faults(Faults::none());
    assert_eq!(records(&world, "PAY.SMALL"), before);
    sound(&mut world);
}

#[test]
fn an_entry_that_is_changed_meanwhile_is_not_replaced() {
    let (mut world, files) = (world(), Files::new());
    files.dd(&mut world, "COPY");
    world.ok("BACKUP (PAY.SMALL) OUTFILE(COPY)");
    let before = records(&world, "PAY.SMALL");
    for (n, command) in ["ALTER PAY.SMALL REORGANIZE()", "RESTORE INFILE(COPY) REPLACE"]
        .iter()
        .enumerate()
    {
        let other = Catalog::open(world.disk.clone(), "/cat").unwrap();
        world.services.progress = Box::new(move |count| {
            if count == 1 {
                let altered = other.transact(|contents| -> Result<(), CatalogError> {
                    let name = Name::parse("PAY.SMALL").unwrap();
                    let mut entry = contents.get(&name)?.clone();
                    if let Entry::Cluster(cluster) = &mut entry {
                        cluster.attributes.ccsid = 1047 + n as u16;
                    }
                    contents.replace(&name, entry)
                });
                altered.unwrap();
            }
        });
        let (cc, listing) = world.run(command);
        assert!(cc == 8 && listing.contains("was changed meanwhile"), "{listing}");
        world.services.progress = Box::new(|_| ());
        assert_eq!(records(&world, "PAY.SMALL"), before);
        sound(&mut world);
        assert_eq!(world.cluster("PAY.SMALL").attributes.ccsid, 1047 + n as u16);
    }
}
