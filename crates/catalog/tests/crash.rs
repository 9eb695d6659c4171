//! Power cuts and failing calls at every moment of a catalog's life: what was acknowledged stays, and a catalog is
//! always there in one piece.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::{Catalog, CatalogError, Device, Volser};
use cica_disk::sim::{Call, Dropped, Errno, Faults, Survival};
use cica_disk::{Create, Disk, MemoryDisk, Open, SimDisk};
use common::{cluster, images, name};
use std::path::Path;
use std::sync::Arc;

const DIRECTORY: &str = "/srv/cica";

fn define(catalog: &Catalog, text: &str) -> Result<(), CatalogError> {
    catalog.transact(|contents| contents.insert(cluster(text)))
}

/// The generation a reopened disk has; 0 if there is no catalog.
fn generation(disk: Arc<dyn Disk>) -> u64 {
    match Catalog::open(disk, DIRECTORY) {
        Ok(catalog) => {
            let generation = catalog.generation().expect("readable");
            let entries = catalog.contents().expect("readable").entries().count() as u64;
            assert_eq!(entries + 1, generation, "each generation has one entry more");
            generation
        }
        Err(CatalogError::NoCatalog { .. }) => 0,
        Err(error) => panic!("a crash left what cannot be read: {error}"),
    }
}

#[test]
fn a_power_cut_at_any_moment_leaves_the_old_or_the_new_catalog() {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
    let mut acknowledged = vec![(disk.events(), 1)];
    for (text, generation) in [("A", 2), ("B", 3), ("C", 4)] {
        define(&catalog, text).expect("defined");
        acknowledged.push((disk.events(), generation));
    }

    let trace = disk.trace();
    let mut point = trace.crash_point();
    let mut tried = 0;
    loop {
        let promised = |(events, _): &&(usize, u64)| *events <= point.position();
        let least = acknowledged
            .iter()
            .filter(promised)
            .map(|(_, generation)| *generation)
            .max()
            .unwrap_or(0);
        for image in images(&point) {
            let left: Arc<dyn Disk> = Arc::new(MemoryDisk::from(image));
            let found = generation(left.clone());
            assert!(
                found == least || found == least + 1,
                "{least} promised, {found} found at {}",
                point.position()
            );
            // Whatever a crash left, the next change works.
            let catalog = Catalog::open_or_create(left, DIRECTORY).expect("usable");
            define(&catalog, "LATER").expect("usable");
            tried += 1;
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(tried > 100, "{tried} images");
}

#[test]
fn a_call_that_fails_leaves_the_catalog_as_it_was() {
    for (call, errno) in [
        (Call::Open, Errno::Io),
        (Call::Write, Errno::Io),
        (Call::Write, Errno::NoSpace),
        (Call::Size, Errno::NoSpace),
        (Call::Sync, Errno::Io),
        (Call::Rename, Errno::Io),
        (Call::Remove, Errno::Io),
        (Call::Read, Errno::Io),
    ] {
        let mut failures = 0;
        for nth in 1.. {
            let disk = Arc::new(SimDisk::new());
            let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
            define(&catalog, "A").expect("defined");
            disk.set_faults(Faults::none().fail(call, nth, errno));
            let reply = define(&catalog, "B");
            disk.set_faults(Faults::none());
            let there = catalog.get(&name("B")).is_ok();
            let reopened = Catalog::open(disk.clone(), DIRECTORY).expect("readable");
            assert_eq!(reopened.get(&name("B")).is_ok(), there, "{call:?} {nth}");
            assert!(reopened.get(&name("A")).is_ok());
            match reply {
                Ok(()) => {
                    assert!(there);
                    break;
                }
                Err(CatalogError::NotDurable { .. }) => assert!(there),
                Err(_) => assert!(!there, "{call:?} {nth}"),
            }
            if matches!(call, Call::Write | Call::Size) {
                // What has no room takes none.
                let files = disk.list(DIRECTORY.as_ref()).expect("the directory");
                assert!(
                    files.iter().all(|(file, _)| !file.ends_with("catalog.new")),
                    "{files:?}"
                );
            }
            define(&reopened, "C").expect("usable after the failure");
            failures += 1;
        }
        assert!(failures > 0, "{call:?} is never made to fail");
    }
}

#[test]
fn a_sync_that_fails_and_forgets_is_not_believed_later() {
    for dropped in [Dropped::Gone, Dropped::StillRead] {
        let disk = Arc::new(SimDisk::new());
        let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
        disk.set_faults(Faults::none().forgetful_sync(1, dropped, Errno::Io));
        assert!(define(&catalog, "A").is_err());
        disk.set_faults(Faults::none());
        define(&catalog, "B").expect("a new file, not the one that was lost");
        let trace = disk.trace();
        let left = MemoryDisk::from(trace.crash_after(disk.events()).image_of(0));
        let contents = Catalog::open(Arc::new(left), DIRECTORY)
            .expect("durable")
            .contents()
            .expect("readable");
        assert!(contents.get(&name("A")).is_err() && contents.get(&name("B")).is_ok());
    }
}

#[test]
fn a_full_disk_is_said_to_be_full() {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
    disk.set_faults(
        Faults::none()
            .fail(Call::Size, 1, Errno::NoSpace)
            .only("/srv/cica/catalog.new"),
    );
    let error = define(&catalog, "A").expect_err("full");
    assert_eq!((error.code().return_code, error.code().reason), (68, 20), "{error}");
}

#[test]
fn directories_that_a_killed_process_made_are_made_durable() {
    let disk = Arc::new(SimDisk::new());
    for directory in ["/srv", DIRECTORY] {
        let made = Open {
            directory: true,
            create: Create::New,
            ..Open::default()
        };
        disk.open(Path::new(directory), made).unwrap();
    }
    let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).unwrap();
    define(&catalog, "A").unwrap();
    let left = disk.trace().crash_after(disk.events()).image(|_, _| Survival::Lost);
    assert_eq!(generation(Arc::new(MemoryDisk::from(left))), 2);
}

#[test]
fn a_volume_has_a_directory_of_its_own() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk, DIRECTORY).unwrap();
    let (one, two) = (Volser::parse("ONE").unwrap(), Volser::parse("TWO").unwrap());
    let add = |serial, path: &str| catalog.add_volume(serial, Device::default_type(), Some(Path::new(path)), None);
    add(&one, "/volumes/one").unwrap();
    for same in ["/volumes/one", "/volumes/one/", "/volumes/./one", "/volumes/two/../one"] {
        let refused = add(&two, same).unwrap_err();
        assert!(
            matches!(&refused, CatalogError::VolumeTaken { by, .. } if *by == one),
            "{refused}"
        );
    }
    add(&two, "/volumes/two").unwrap();
}

/// What a killed process leaves under the name is acted on by the next one, which may acknowledge records of what it
/// names: after that no power cut takes it away, and nobody syncs again what is known to be durable.
#[test]
fn a_catalog_that_was_read_stays_after_a_power_cut_whoever_was_killed_while_he_wrote_it() {
    let mut shown = 0;
    for sync in 1..=8 {
        let disk = Arc::new(SimDisk::new());
        let catalog = Catalog::open_or_create(disk.clone(), DIRECTORY).expect("new catalog");
        let stale = Catalog::open(disk.clone(), DIRECTORY).expect("another process");
        disk.set_faults(Faults::none().fail_from(Call::Sync, sync, Errno::Io));
        let killed = define(&catalog, "A").is_err();
        disk.set_faults(Faults::none());
        for reader in [Catalog::open(disk.clone(), DIRECTORY).expect("readable"), stale] {
            let there = reader.get(&name("A")).is_ok();
            let begun = disk.events();
            let again = Catalog::open(disk.clone(), DIRECTORY).expect("readable");
            assert_eq!(again.get(&name("A")).is_ok(), there);
            assert_eq!(
                disk.events(),
                begun,
                "sync {sync}: what was shown once is not synced again"
            );
            let trace = disk.trace();
            let left = trace.crash_after(begun).image(|_, _| Survival::Lost);
            let left = Catalog::open(Arc::new(MemoryDisk::from(left)), DIRECTORY).expect("durable");
            assert_eq!(left.get(&name("A")).is_ok(), there, "sync {sync}");
            shown += usize::from(killed && there);
        }
    }
    assert!(shown > 0, "nobody was killed between rename and sync");
}
