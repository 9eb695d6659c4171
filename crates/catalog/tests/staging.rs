//! Files made beside those in use: what a catalog removes when it is opened, and what it must not.

mod common;

use cica_catalog::{Catalog, Entry};
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Create, Disk, MemoryDisk, Open, SimDisk};
use common::{cluster, name, serial};
use std::path::Path;
use std::sync::Arc;

const DIRECTORY: &str = "/srv/cica";
const VOLUME: &str = "/srv/cica/volumes/CICA01";

fn make(disk: &dyn Disk, file: &str) {
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    disk.open(&Path::new(VOLUME).join(file), how).expect("a new file");
}

fn is_there(disk: &dyn Disk, file: &str) -> bool {
    disk.open(&Path::new(VOLUME).join(file), Open::default()).is_ok()
}

fn listed(catalog: &Catalog) -> Vec<String> {
    let contents = catalog.contents().expect("readable");
    contents.leftovers().map(|(_, file)| file.to_string()).collect()
}

/// A catalog in which X is being made: listed, and its file is there.
fn making(disk: &Arc<SimDisk>) -> Catalog {
    listing(disk, false)
}

fn listing(disk: &Arc<SimDisk>, erase: bool) -> Catalog {
    let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
    catalog
        .transact(|contents| -> Result<(), cica_catalog::CatalogError> {
            contents.add_leftover(&serial("CICA01"), &cica_disk::FileName::near("X"), erase);
            Ok(())
        })
        .expect("listed");
    make(&**disk, "X");
    catalog
}

#[test]
fn a_file_whose_maker_died_is_removed_by_the_next_open() {
    let disk = Arc::new(SimDisk::new());
    drop(making(&disk));
    let catalog = Catalog::open(disk.clone(), DIRECTORY).expect("readable");
    assert!(!is_there(&*disk, "X"));
    assert!(listed(&catalog).is_empty());
}

#[test]
fn a_file_is_left_alone_while_somebody_makes_files() {
    let disk = Arc::new(SimDisk::new());
    let catalog = making(&disk);
    let right = catalog.stage().expect("the right");
    Catalog::open(disk.clone(), DIRECTORY).expect("readable");
    assert!(is_there(&*disk, "X"));
    drop(right);
    Catalog::open(disk.clone(), DIRECTORY).expect("readable");
    assert!(!is_there(&*disk, "X"));
}

#[test]
fn an_entry_that_takes_a_file_takes_it_off_the_list() {
    let disk = Arc::new(SimDisk::new());
    let catalog = making(&disk);
    let Entry::Cluster(mut entry) = cluster("A") else {
        panic!("a cluster")
    };
    entry.data.file = cica_disk::FileName::near("X");
    catalog
        .transact(|contents| contents.insert(Entry::Cluster(entry)))
        .expect("defined");
    assert!(listed(&catalog).is_empty());
    Catalog::open(disk.clone(), DIRECTORY).expect("readable");
    assert!(is_there(&*disk, "X"));
    assert!(catalog.get(&name("A")).is_ok());
}

#[test]
fn what_cannot_be_removed_stays_listed_and_the_catalog_opens() {
    for call in [Call::Remove, Call::Open, Call::Sync, Call::Write, Call::Rename] {
        for nth in 1..12 {
            let disk = Arc::new(SimDisk::new());
            drop(making(&disk));
            disk.set_faults(Faults::none().fail(call, nth, Errno::Io));
            let opened = Catalog::open(disk.clone(), DIRECTORY);
            disk.set_faults(Faults::none());
            drop(opened);
            let catalog = Catalog::open(disk.clone(), DIRECTORY).expect("readable");
            assert!(!is_there(&*disk, "X"), "{call:?} {nth}");
            assert!(listed(&catalog).is_empty(), "{call:?} {nth}");
        }
    }
}

#[test]
fn a_power_cut_at_any_moment_of_the_removal_leaves_the_file_listed_or_gone() {
    let disk = Arc::new(SimDisk::new());
    drop(making(&disk));
    let begun = disk.events();
    drop(Catalog::open(disk.clone(), DIRECTORY).expect("readable"));
    let trace = disk.trace();
    let mut point = trace.crash_after(begun);
    loop {
        for survivors in 0..1u64 << point.pending().len().min(8) {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(point.image_of(survivors)));
            let catalog = Catalog::open(left.clone(), DIRECTORY).expect("readable");
            assert!(listed(&catalog).is_empty());
            assert!(!is_there(&*left, "X"), "after {}", point.position());
        }
        if point.advance().is_none() {
            break;
        }
    }
}

#[test]
fn a_file_that_is_to_be_erased_stays_until_its_zeros_are_durable() {
    let disk = Arc::new(SimDisk::new());
    drop(listing(&disk, true));
    let file = disk.open(&Path::new(VOLUME).join("X"), Open::default()).expect("there");
    let size = || file.size(None).expect("a size");
    assert_eq!(size(), 0);
    for (call, syncs) in [(Call::Write, false), (Call::Sync, true)] {
        let disk = Arc::new(SimDisk::new());
        drop(listing(&disk, true));
        let how = Open {
            write: true,
            ..Open::default()
        };
        let open = || disk.open(&Path::new(VOLUME).join("X"), how).expect("there");
        open().size(Some(5_000)).expect("longer");
        disk.set_faults(
            Faults::none()
                .fail(call, 1, Errno::Io)
                .only("/srv/cica/volumes/CICA01/X"),
        );
        drop(Catalog::open(disk.clone(), DIRECTORY).expect("readable"));
        disk.set_faults(Faults::none());
        assert!(is_there(&*disk, "X"), "removed without zeros, {syncs}");
        let catalog = Catalog::open(disk.clone(), DIRECTORY).expect("readable");
        assert!(!is_there(&*disk, "X") && listed(&catalog).is_empty());
    }
}

#[test]
fn an_empty_mount_point_keeps_the_leftovers_of_its_volume_listed() {
    let disk = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
    let device = cica_catalog::Device::by_name("3390").expect("known");
    catalog
        .add_volume(&serial("AWAY01"), device, Some(Path::new("/mnt/away")), None)
        .expect("a volume");
    catalog
        .transact(|contents| -> Result<(), cica_catalog::CatalogError> {
            contents.add_leftover(&serial("AWAY01"), &cica_disk::FileName::near("X"), false);
            Ok(())
        })
        .expect("listed");
    // As if nothing were mounted there.
    for (name, _) in disk.list(Path::new("/mnt/away")).expect("a directory") {
        disk.remove(&Path::new("/mnt/away").join(name)).expect("removed");
    }
    assert_eq!(listed(&Catalog::open(disk, DIRECTORY).expect("readable")), ["X"]);
}
