//! A lost catalog that is made anew in another place: a power cut at any moment loses nothing.
#![allow(clippy::unwrap_used)]

use cica_catalog::entry::{Alias, Relate};
use cica_catalog::{Catalog, Device, Entry, Name, Volser};
use cica_disk::{Disk, ManualClock, MemoryDisk, SimDisk};
use cica_engine::{Engine, Env};
use cica_session::{rebuild, Rebuilt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const VOLUMES: [&str; 2] = ["/vol1", "/vol2"];

fn insert(catalog: &Catalog, text: &str) {
    let alias = Entry::Alias(Alias {
        name: Name::parse(text).unwrap(),
        relate: Relate::Entry(Name::parse("X").unwrap()),
    });
    catalog.transact(|contents| contents.insert(alias)).unwrap();
}

/// Two volumes of a catalog that is gone, and at most one of which has all of it.
fn lost() -> Arc<SimDisk> {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), "/old").unwrap();
    for (n, directory) in VOLUMES.iter().enumerate() {
        let serial = Volser::parse(&format!("VOL00{n}")).unwrap();
        let directory = Some(Path::new(directory));
        catalog
            .add_volume(&serial, Device::default_type(), directory, None)
            .unwrap();
    }
    for text in ["A", "B", "C"] {
        insert(&catalog, text);
    }
    let of_default = PathBuf::from("/old/volumes/CICA01").join(catalog.vvds_name());
    disk.remove(Path::new("/old/catalog")).unwrap();
    disk.remove(&of_default).unwrap();
    disk
}

fn anew(disk: &Arc<dyn Disk>) -> (Arc<Catalog>, Rebuilt) {
    let catalog = Arc::new(Catalog::open_or_create(disk.clone(), "/new").unwrap());
    let engine = Engine::new(Env {
        disk: disk.clone(),
        clock: Arc::new(ManualClock::new(0, 0)),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(4 << 20),
        io: Default::default(),
        background: false,
    });
    let rebuilt = rebuild(disk, &engine.unwrap(), &catalog, &VOLUMES.map(PathBuf::from)).unwrap();
    (catalog, rebuilt)
}

fn names(catalog: &Catalog) -> Vec<String> {
    let contents = catalog.contents().unwrap();
    contents.entries().map(|entry| entry.name().to_string()).collect()
}

#[test]
fn a_power_cut_in_the_middle_loses_nothing() {
    let first = lost();
    let disk = Arc::new(SimDisk::from(first.image()));
    let shared: Arc<dyn Disk> = disk.clone();
    anew(&shared);
    let trace = disk.trace();
    let mut point = trace.crash_point();
    let mut tried = 0;
    loop {
        for fate in [0, 0x5555_5555_5555_5555, u64::MAX] {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(point.image_of(fate)));
            let (catalog, rebuilt) = anew(&left);
            assert!(
                rebuilt.left.is_empty(),
                "after {}: {:?}",
                point.position(),
                rebuilt.left
            );
            assert_eq!(names(&catalog), ["A", "B", "C"], "after {}", point.position());
            assert_eq!(catalog.volumes().unwrap().len(), 3, "after {}", point.position());
            // What goes from now on does not come back.
            let gone = catalog.transact(|contents| contents.remove(&Name::parse("B").unwrap()).map(drop));
            gone.unwrap();
            assert_eq!(names(&anew(&left).0), ["A", "C"], "after {}", point.position());
            tried += 1;
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(tried > 60, "{tried}");
}

/// Two catalogs, one after the other in one directory, both lost.
#[test]
fn of_each_lost_catalog_the_newest_copy_counts() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    for (adds, texts) in [(2, &["A", "B", "C", "D", "E", "F"][..]), (1, &["G"])] {
        let catalog = Catalog::open_or_create(disk.clone(), "/new").unwrap();
        for (n, directory) in VOLUMES.iter().enumerate().take(adds) {
            let serial = Volser::parse(&format!("VOL00{n}")).unwrap();
            let directory = Some(Path::new(directory));
            catalog
                .add_volume(&serial, Device::default_type(), directory, None)
                .unwrap();
        }
        texts.iter().for_each(|text| insert(&catalog, text));
        disk.remove(Path::new("/new/catalog")).unwrap();
    }
    let (catalog, rebuilt) = anew(&disk);
    assert!(rebuilt.left.is_empty(), "{:?}", rebuilt.left);
    assert_eq!(names(&catalog), ["A", "B", "C", "D", "E", "F", "G"]);
}

/// One that has been changed more often than the lost one, and knows the volumes and nothing else.
#[test]
fn a_new_catalog_of_a_higher_generation_takes_in_what_it_does_not_know() {
    let shared: Arc<dyn Disk> = lost();
    let catalog = Catalog::open_or_create(shared.clone(), "/new").unwrap();
    for (n, directory) in VOLUMES.iter().enumerate() {
        let serial = Volser::parse(&format!("VOL00{n}")).unwrap();
        let directory = Some(Path::new(directory));
        catalog
            .add_volume(&serial, Device::default_type(), directory, None)
            .unwrap();
    }
    for _ in 0..9 {
        insert(&catalog, "X");
        let gone = catalog.transact(|contents| contents.remove(&Name::parse("X").unwrap()).map(drop));
        gone.unwrap();
    }
    let (catalog, rebuilt) = anew(&shared);
    assert!(rebuilt.left.is_empty(), "{:?}", rebuilt.left);
    assert_eq!(names(&catalog), ["A", "B", "C"]);
}
