//! What it costs to ask for an extent while very many components are made.
#![allow(clippy::unwrap_used)]

use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};
use cica_catalog::{Catalog, Component, Device, Name, Volser};
use cica_disk::{Counted, Disk, FileName, MemoryDisk};
use cica_engine::{Room, Volumes};
use cica_session::CatalogVolumes;
use std::path::Path;
use std::sync::Arc;

fn component(text: &str, serial: &str) -> Component {
    Component {
        name: Name::parse(text).unwrap(),
        volumes: vec![Volser::parse(serial).unwrap()],
        file: FileName::near(text),
        ci_size: 4_096,
        ci_per_ca: 180,
        tracks_per_ca: 15,
        physical_record: 4_096,
        records_per_track: 12,
        space: Space {
            unit: Unit::Cylinders,
            primary: 1,
            secondary: 1,
        },
        primary_tracks: 15,
        secondary_tracks: 15,
        free_space: FreeSpace { ci: 0, ca: 0 },
        imbed: false,
    }
}

#[test]
fn an_extent_costs_the_same_however_many_components_are_made() {
    let disk = Counted::new(MemoryDisk::new());
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let catalog = Arc::new(Catalog::open_or_create(shared.clone(), "/cat").unwrap());
    let ended = Volser::parse("ENDED1").unwrap();
    catalog
        .add_volume(&ended, Device::default_type(), Some(Path::new("/ended")), Some(10))
        .unwrap();
    for n in 0..1_000 {
        catalog.begin_component(&component(&format!("A.N{n}"), "CICA01"));
    }
    catalog.begin_component(&component("A.ENDED", "ENDED1"));
    let volumes = CatalogVolumes::new(shared, catalog);
    for (file, tracks, given) in [
        ("/cat/volumes/CICA01/A.N999", 1, true),
        ("/ended/A.ENDED", 9 * 15, true),
        ("/ended/A.ENDED", 10 * 15, false),
    ] {
        let before = disk.counts();
        let room = volumes.give(Path::new(file), 0, 0, tracks * 12 * 4_096);
        assert_eq!(matches!(room, Room::Given), given, "{file} {tracks}: {room:?}");
        let asked = (disk.counts() - before).opens;
        assert!(asked < 20, "{file}: {asked}");
    }
}
