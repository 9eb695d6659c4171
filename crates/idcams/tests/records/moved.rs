//! A data set whose files are away: moved by hand, or deleted. The catalog knows which.

use super::world::{World, NAMES};
use cica_disk::Disk;
use cica_engine::{Absent, Access, Insert, Volumes};
use cica_session::CatalogVolumes;
use std::path::{Path, PathBuf};

/// "A" and "B", to which a process that died had added a record each.
fn dead_owner() -> World {
    let mut world = World::new();
    for name in ["A", "B"] {
        world.loaded(name, NAMES, &["0001 was loaded        "]);
    }
    let open = ["A", "B"].map(|name| world.open(name, Access::Output));
    for data_set in &open {
        let mut string = data_set.string();
        string.insert(b"0002 was acknowledged  ", Insert::Direct).unwrap();
        drop(string);
        data_set.commit().unwrap();
    }
    world.disk.kill();
    drop(open);
    world.begin_process();
    world
}

fn aside(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.ASIDE", path.display()))
}

#[test]
fn one_that_was_moved_by_hand_comes_back_with_all_that_was_acknowledged() {
    let mut world = dead_owner();
    let (data, index) = world.paths("B");
    for path in [&data, &index] {
        world.disk.rename(path, &aside(path)).unwrap();
    }
    assert_eq!(world.records("A").len(), 2);
    world.begin_process();
    for path in [&data, &index] {
        world.disk.rename(&aside(path), path).unwrap();
    }
    assert_eq!(world.records("B").len(), 2);
}

#[test]
fn the_catalog_tells_what_was_deleted() {
    let mut world = dead_owner();
    let (data, _) = world.paths("B");
    let services = &world.services;
    let volumes = CatalogVolumes::new(services.disk.clone(), services.catalog.clone());
    assert_eq!(volumes.absent(&data), Absent::Named);
    assert_eq!(world.run("DELETE B").0, 0);
    assert_eq!(volumes.absent(&data), Absent::Deleted);
    assert_eq!(volumes.absent(Path::new("/elsewhere/B.DATA")), Absent::Unknown);
}
