//! Data sets over several volumes: copied onto fewer, and made anew where the first alone has no room.

use crate::files::Files;
use crate::world::World;
use cica_engine::Access;
use cica_session::CatalogVolumes;
use std::fmt::Write;
use std::sync::Arc;

/// A track of a 3390 has 49 CIs of 512 bytes, each with one record.
const DEFINE: &str = "DEF CL (NAME(PAY.X) VOLUMES(V1 V2) KEYS(8 0) RECSZ(260 260) CISZ(512)) -\n\
                      DATA (TRK(5 3)) INDEX (TRK(1 1))";
const LOAD: &str = "REPRO INFILE(LINES) OUTDATASET(PAY.X)";
const COUNT: usize = 800;

/// A data set of 17 tracks on two volumes, of which the first has 15.
fn world() -> (World, Files) {
    let (mut world, files) = (World::new(), Files::new());
    let (disk, catalog) = (world.disk.clone(), world.services.catalog.clone());
    let volumes = CatalogVolumes::new(disk, catalog);
    world.services.engine.set_volumes(Arc::new(volumes));
    for dd in ["COPY", "NEXT", "LINES"] {
        files.dd(&mut world, dd);
    }
    for (volume, cylinders) in [("V1", 1), ("V2", 4), ("V3", 9)] {
        world.ok(&format!("DEF VOLUME (NAME({volume}) CYLINDERS({cylinders}))"));
    }
    world.ok(DEFINE);
    lines(&files, 0);
    world.ok(LOAD);
    assert!(extents(&world).1 > 0);
    (world, files)
}

fn lines(files: &Files, from: usize) {
    let mut lines = String::new();
    for n in from..from + COUNT {
        writeln!(lines, "{n:08}{:252}", "").unwrap();
    }
    files.write("LINES", lines.as_bytes());
}

/// On the first volume and on the second.
fn extents(world: &World) -> (u32, u32) {
    let root = world.roots("PAY.X").0;
    (root.on_volume(0).0, root.on_volume(1).0)
}

#[test]
fn what_comes_onto_fewer_volumes_can_grow_there() {
    for commands in [
        "BACKUP (PAY.X) OUTFILE(COPY)\nRESTORE INFILE(COPY) REPLACE VOLUMES(V3)",
        "EXPORT PAY.X OUTFILE(COPY) CIMODE\nIMPORT INFILE(COPY) OBJECTS((PAY.X VOLUMES(V3)))",
    ] {
        let (mut world, files) = world();
        let before = world.roots("PAY.X").0.high_allocated;
        world.ok(commands);
        assert_eq!(world.roots("PAY.X").0.high_allocated, before);
        assert_eq!(extents(&world).1, 0);
        lines(&files, COUNT);
        world.ok(LOAD);
        assert_eq!(world.roots("PAY.X").0.statistics.records, 2 * COUNT as u64);
    }
}

#[test]
fn what_is_loaded_anew_goes_on_to_the_next_volume() {
    let (mut world, _files) = world();
    world.ok("ALTER PAY.X REORGANIZE()");
    world.ok("EXPORT PAY.X OUTFILE(COPY)");
    world.ok("IMPORT INFILE(COPY)");
    assert_eq!(world.roots("PAY.X").0.statistics.records, COUNT as u64);
    assert!(extents(&world).1 > 0);
    // It fits no better than it did: where its volumes end there is no more.
    world.ok("EXPORT PAY.X OUTFILE(NEXT)");
    let told = world.messages("IMPORT INFILE(NEXT) OBJECTS((PAY.X VOLUMES(V1)))", 12);
    assert!(told.iter().any(|m| m.contains("cannot be extended")), "{told:#?}");
    world.ok("IMPORT INFILE(NEXT)");
}

#[test]
fn no_volume_is_removed_while_somebody_has_the_data_set_open() {
    let (mut world, files) = world();
    world.ok("DELETE PAY.X");
    world.ok(DEFINE);
    files.write("LINES", b"00000000 ONE\n");
    world.ok(LOAD);
    let ids = ["IDC3014I", "CICA0934E", "IDC3009I", "IDC0532I"];
    for access in [Access::Input, Access::Output] {
        let other = world.other();
        let open = other.open("PAY.X", access);
        let (cc, listing) = world.run("ALTER PAY.X.DATA REMOVEVOLUMES(V2)");
        assert!(cc >= 8 && listing.contains("IDC0532I"), "{listing}");
        assert_eq!(world.cluster("PAY.X").data.volumes.len(), 2);
        // What comes behind is no matter of who has it open.
        world.ok("ALTER PAY.X.DATA ADDVOLUMES(V3)");
        open.close().unwrap();
        world.ok("ALTER PAY.X.DATA REMOVEVOLUMES(V3) OWNER(ADA)");
    }
    world.ok("ALTER PAY.X.DATA REMOVEVOLUMES(V2)");
    world.ok("ALTER PAY.X.DATA ADDVOLUMES(V2)");
    lines(&files, COUNT);
    world.ok(LOAD);
    world.refused("ALTER PAY.X.DATA REMOVEVOLUMES(V2)", 8, &ids, "extents on volume V2");
}
