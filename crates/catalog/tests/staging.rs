//! Files made beside those in use: what a catalog removes when it is opened, and what it must not.

mod common;

use cica_catalog::entry::{History, UserCatalog};
use cica_catalog::{connected, Catalog, CatalogError, Entry, Unmaking};
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Create, Disk, MemoryDisk, Open, SimDisk};
use common::{cluster, date, name, serial};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

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

/// A master and a user catalog below it that shares its volume.
fn pair(disk: &Arc<SimDisk>) -> (Arc<Catalog>, Arc<Catalog>) {
    let master = Arc::new(Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog"));
    let below = Path::new("volumes/CICA01/UCAT.PAY");
    connected::make(&**disk, Path::new(DIRECTORY), below).expect("made");
    let entry = Entry::UserCatalog(UserCatalog {
        name: name("UCAT.PAY"),
        directory: below.display().to_string(),
        history: History::new(date(2022, 242)),
        other: Vec::new(),
    });
    master.transact(|contents| contents.insert(entry)).expect("connected");
    let user = master.called(&name("UCAT.PAY")).expect("known");
    user.transact(|_| Ok::<(), CatalogError>(())).expect("volumes shared");
    (master, user)
}

/// X is a leftover of one catalog, and a file of the other one's data set; Y is nobody's.
#[test]
fn a_file_that_another_catalog_names_is_not_removed() {
    for user_lists in [false, true] {
        let disk = Arc::new(SimDisk::new());
        let (master, user) = pair(&disk);
        let (lists, names) = if user_lists { (&user, &master) } else { (&master, &user) };
        let two = |contents: &mut cica_catalog::Contents| -> Result<(), CatalogError> {
            for file in ["X", "Y"] {
                contents.add_leftover(&serial("CICA01"), &cica_disk::FileName::near(file), user_lists);
            }
            Ok(())
        };
        lists.transact(two).expect("listed");
        let Entry::Cluster(mut entry) = cluster("A") else {
            panic!("a cluster")
        };
        entry.data.file = cica_disk::FileName::near("X");
        let named = names.transact(|contents| contents.insert(Entry::Cluster(entry)));
        named.expect("defined");
        ["X", "Y"].iter().for_each(|file| make(&*disk, file));
        let directory = user.directory().to_owned();
        drop((master, user));
        // While one of them cannot be read nothing is removed.
        let catalog = directory.join("catalog");
        if !user_lists {
            disk.rename(&catalog, &directory.join("away")).expect("away");
            let master = Catalog::open(disk.clone(), DIRECTORY).expect("readable");
            assert_eq!(listed(&master), ["X", "Y"]);
            assert!(is_there(&*disk, "Y"));
            disk.rename(&directory.join("away"), &catalog).expect("back");
        }
        let master = Arc::new(Catalog::open(disk.clone(), DIRECTORY).expect("readable"));
        let user = master.called(&name("UCAT.PAY")).expect("readable");
        for catalog in [&master, &user] {
            assert!(listed(catalog).is_empty(), "{user_lists}");
        }
        assert!(is_there(&*disk, "X") && !is_there(&*disk, "Y"), "{user_lists}");
    }
}

fn list(catalog: &Catalog, file: &str) {
    let listed = catalog.transact(|contents| -> Result<(), CatalogError> {
        contents.add_leftover(&serial("CICA01"), &cica_disk::FileName::near(file), false);
        Ok(())
    });
    listed.expect("listed");
}

/// X is gone and listed still by one catalog, and made by another.
#[test]
fn a_file_that_another_catalog_makes_is_not_removed() {
    for user_makes in [false, true] {
        let disk = Arc::new(SimDisk::new());
        let (master, user) = pair(&disk);
        let (dead, maker) = if user_makes { (&master, &user) } else { (&user, &master) };
        list(dead, "X");
        let right = maker.stage().expect("the right");
        list(maker, "X");
        make(&*disk, "X");
        let again = Arc::new(Catalog::open(disk.clone(), DIRECTORY).expect("readable"));
        let below = again.called(&name("UCAT.PAY")).expect("readable");
        assert!(is_there(&*disk, "X"), "{user_makes}");
        let now = if user_makes { [&below, &again] } else { [&again, &below] };
        assert_eq!(now.map(|catalog| listed(catalog).len()), [1, 0], "{user_makes}");
        drop(right);
        let again = Arc::new(Catalog::open(disk.clone(), DIRECTORY).expect("readable"));
        again.called(&name("UCAT.PAY")).expect("readable");
        assert!(!is_there(&*disk, "X"), "{user_makes}");
    }
}

/// A catalog below the user catalog lists X, which the master names; nobody names Y.
#[test]
fn all_catalogs_are_asked_however_they_hang_together() {
    let disk = Arc::new(SimDisk::new());
    let (master, user) = pair(&disk);
    let place = user.directory().join("UCAT.LOW");
    connected::make(&*disk, user.directory(), Path::new("UCAT.LOW")).expect("made");
    let entry = Entry::UserCatalog(UserCatalog {
        name: name("UCAT.LOW"),
        directory: "UCAT.LOW".to_owned(),
        history: History::new(date(2022, 242)),
        other: Vec::new(),
    });
    user.transact(|contents| contents.insert(entry)).expect("connected");
    let low = user.called(&name("UCAT.LOW")).expect("known");
    ["X", "Y"].iter().for_each(|file| list(&low, file));
    let Entry::Cluster(mut entry) = cluster("A") else {
        panic!("a cluster")
    };
    entry.data.file = cica_disk::FileName::near("X");
    let defined = master.transact(|contents| contents.insert(Entry::Cluster(entry)));
    defined.expect("defined");
    ["X", "Y"].iter().for_each(|file| make(&*disk, file));
    drop((master, user, low));
    let master = Arc::new(Catalog::open(disk.clone(), DIRECTORY).expect("readable"));
    let user = master.called(&name("UCAT.PAY")).expect("readable");
    let low = user.called(&name("UCAT.LOW")).expect("readable");
    assert!(listed(&low).is_empty() && low.directory() == place);
    assert!(is_there(&*disk, "X") && !is_there(&*disk, "Y"));
}

/// The master names X, which a user catalog lists, and is not there to be asked.
#[test]
fn a_user_catalog_that_is_opened_by_its_directory_removes_nothing() {
    let disk = Arc::new(SimDisk::new());
    let (master, user) = pair(&disk);
    list(&user, "X");
    user.note_defining(&[(serial("CICA01"), cica_disk::FileName::near("Y"))], 7)
        .expect("noted");
    ["X", "Y"].iter().for_each(|file| make(&*disk, file));
    let directory = user.directory().to_owned();
    drop((master, user));
    let alone = Catalog::open(disk.clone(), directory).expect("readable");
    assert_eq!(listed(&alone), ["X"]);
    assert!(is_there(&*disk, "X") && is_there(&*disk, "Y"));
    drop(alone);
    let master = Arc::new(Catalog::open(disk.clone(), DIRECTORY).expect("readable"));
    master.called(&name("UCAT.PAY")).expect("readable");
    assert!(!is_there(&*disk, "X") && !is_there(&*disk, "Y"));
}

#[test]
fn nobody_changes_a_catalog_that_is_looked_at_to_be_removed() {
    let disk = Arc::new(SimDisk::new());
    let (master, user) = pair(&disk);
    let shared: Arc<dyn Disk> = disk.clone();
    let below = Path::new("volumes/CICA01/UCAT.PAY");
    let going = Unmaking::begin(&shared, &master, below).expect("it is there");
    let going = going.expect("it can be written");
    let directory = user.directory().to_owned();
    let other = Catalog::open_named(shared.clone(), directory).expect("readable");
    let other = other.patience(Duration::from_millis(20));
    let insert = || other.transact(|contents| contents.insert(cluster("PAY.A")));
    let refused = insert();
    assert!(matches!(refused, Err(CatalogError::Busy { .. })), "{refused:?}");
    assert_eq!(going.catalog().contents().expect("readable").entries().count(), 0);
    going.end(&*disk).expect("removed");
    let refused = insert();
    assert!(matches!(refused, Err(CatalogError::NoCatalog { .. })), "{refused:?}");
    let begun = Unmaking::begin(&shared, &master, below);
    assert!(matches!(begun, Err(CatalogError::NoCatalog { .. })));
}
