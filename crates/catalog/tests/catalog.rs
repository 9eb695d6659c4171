//! The catalog as its users see it: finding, changing, refusing, on real and on simulated disks.

mod common;

use cica_catalog::catalog::volume_error;
use cica_catalog::entry::{Entry, EntryKind};
use cica_catalog::error::Code;
use cica_catalog::locate::{Origin, Surroundings};
use cica_catalog::{locate, Catalog, CatalogError, Contents, Device, Level, Mask};
use cica_disk::{Create, Disk, Lock, MemoryDisk, Open, WriteAt};
use common::{cluster, name, serial};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

fn memory() -> (Arc<MemoryDisk>, Catalog) {
    let disk = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), "/srv/cica").expect("new catalog");
    (disk, catalog)
}

fn define(catalog: &Catalog, text: &str) -> Result<(), CatalogError> {
    catalog.transact(|contents| contents.insert(cluster(text)))
}

fn code(return_code: u16, reason: u16) -> Code {
    Code { return_code, reason }
}

#[test]
fn a_catalog_is_made_at_first_use_with_its_default_volume() {
    let (disk, catalog) = memory();
    let volumes = catalog.volumes().expect("volumes");
    assert_eq!(volumes.len(), 1);
    assert_eq!(
        (volumes[0].serial.as_str(), volumes[0].device.name()),
        ("CICA01", "3390")
    );
    assert_eq!(catalog.generation().expect("generation"), 1);
    for directory in [
        catalog.log_directory(),
        catalog.volume_path(&serial("CICA01")).expect("path"),
    ] {
        assert!(disk.list(&directory).is_ok(), "{}", directory.display());
    }
    let again = Catalog::open_or_create(disk, "/srv/cica").expect("the same catalog");
    assert_eq!(again.generation().expect("generation"), 1, "it is not made twice");
}

#[test]
fn without_leave_to_make_one_a_missing_catalog_is_said_to_be_missing() {
    let disk = Arc::new(MemoryDisk::new());
    let error = Catalog::open(disk.clone(), "/nowhere").expect_err("no catalog");
    assert!(matches!(&error, CatalogError::NoCatalog { directory } if directory == Path::new("/nowhere")));
    assert!(error.to_string().contains("/nowhere"));
    assert!(disk.list(Path::new("/nowhere")).is_err(), "looking makes nothing");
}

#[test]
fn what_is_defined_is_found_by_name_mask_and_level() {
    let (disk, catalog) = memory();
    for text in ["PAY.MASTER", "PAY.HISTORY.Y2021", "SALES"] {
        define(&catalog, text).expect("defined");
    }
    let other = Catalog::open(disk, "/srv/cica").expect("opened");
    assert_eq!(other.get(&name("PAY.MASTER")).expect("found"), cluster("PAY.MASTER"));
    let names = |entries: Vec<Entry>| entries.iter().map(|e| e.name().to_string()).collect::<Vec<_>>();
    let mask = Mask::parse("PAY.**").expect("mask");
    assert_eq!(
        names(other.list(&mask).expect("list")),
        ["PAY.HISTORY.Y2021", "PAY.MASTER"]
    );
    let level = Level::parse("PAY.HISTORY").expect("level");
    assert_eq!(names(other.level(&level).expect("level")), ["PAY.HISTORY.Y2021"]);
    let contents = other.contents().expect("contents");
    let found = contents
        .find(&name("SALES.INDEX"))
        .expect("a component is found by its name");
    assert_eq!((found.kind(), found.entry().name()), (EntryKind::Index, &name("SALES")));
}

#[test]
fn an_open_catalog_sees_what_others_change() {
    let (disk, catalog) = memory();
    let other = Catalog::open(disk, "/srv/cica").expect("opened");
    define(&other, "PAY.MASTER").expect("defined");
    assert!(catalog.get(&name("PAY.MASTER")).is_ok());
    catalog
        .transact(|contents| contents.remove(&name("PAY.MASTER")))
        .expect("removed");
    assert!(matches!(
        other.get(&name("PAY.MASTER")),
        Err(CatalogError::NotFound { .. })
    ));
    assert_eq!(other.generation().expect("generation"), 3);
}

#[test]
fn a_name_stands_for_one_thing() {
    let (_, catalog) = memory();
    define(&catalog, "PAY.MASTER").expect("defined");
    for text in ["PAY.MASTER", "PAY.MASTER.DATA"] {
        let error = define(&catalog, text).expect_err(text);
        assert!(
            matches!(&error, CatalogError::Duplicate { name } if name.as_str() == text),
            "{error}"
        );
        assert_eq!(error.code(), code(8, 38));
    }
    let Entry::Cluster(mut odd) = cluster("ODD") else {
        unreachable!("a cluster")
    };
    odd.data.name = name("ODD");
    let error = catalog
        .transact(|contents| contents.insert(Entry::Cluster(odd)))
        .expect_err("its own name twice");
    assert!(matches!(error, CatalogError::Duplicate { .. }));
    assert_eq!(catalog.generation().expect("generation"), 2, "nothing was changed");
}

#[test]
fn a_missing_entry_has_vsams_code() {
    let (_, catalog) = memory();
    let error = catalog
        .transact(|contents| contents.remove(&name("NONE")))
        .expect_err("not there");
    assert_eq!(error.code(), code(8, 42));
    assert!(error.to_string().contains("NONE"));
}

#[test]
fn a_change_that_fails_changes_nothing() {
    let (disk, catalog) = memory();
    let before = catalog.contents().expect("contents");
    let reply: Result<(), CatalogError> = catalog.transact(|contents| {
        contents.insert(cluster("PAY.MASTER"))?;
        contents.insert(cluster("PAY.MASTER"))
    });
    assert!(reply.is_err());
    assert_eq!(catalog.contents().expect("contents"), before);
    assert_eq!(
        Catalog::open(disk, "/srv/cica")
            .expect("opened")
            .contents()
            .expect("contents"),
        before
    );
}

#[test]
fn a_change_of_nothing_writes_nothing() {
    let (_, catalog) = memory();
    catalog.transact(|_| Ok::<_, CatalogError>(())).expect("no change");
    assert_eq!(catalog.generation().expect("generation"), 1);
}

#[test]
fn an_entry_is_replaced_under_another_name_or_stays_as_it_was() {
    let (_, catalog) = memory();
    for text in ["A", "B"] {
        define(&catalog, text).expect("defined");
    }
    let renamed = |text: &str| {
        let mut entry = cluster("A");
        entry.rename(name(text));
        entry
    };
    let error = catalog
        .transact(|contents| contents.replace(&name("A"), renamed("B")))
        .expect_err("B is taken");
    assert!(matches!(error, CatalogError::Duplicate { .. }));
    catalog
        .transact(|contents| contents.replace(&name("A"), renamed("C")))
        .expect("renamed");
    let contents = catalog.contents().expect("contents");
    assert_eq!(
        contents.find(&name("A.DATA")).expect("component").entry().name(),
        &name("C")
    );
    assert!(contents.find(&name("A")).is_none());
}

#[test]
fn a_refused_replacement_puts_the_old_entry_back() {
    let mut contents = common::everything();
    let before = contents.clone();
    let mut entry = cluster("X");
    entry.rename(name("PAY.MASTER"));
    assert!(contents.replace(&name("PAY.LOG"), entry).is_err());
    assert_eq!(contents, before);
}

#[test]
fn related_entries_are_those_that_name_another() {
    let contents = common::everything();
    let related = |text: &str| {
        let name = name(text);
        contents
            .related(&name)
            .map(|e| e.name().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(related("PAY.MASTER"), ["PAY.BYNAME", "SALARY"]);
    assert_eq!(related("PAY.BYNAME"), ["PAY.PATH"]);
    assert!(related("PAY.LOG").is_empty());
}

#[test]
fn volumes_are_added_with_their_directory_and_removed_when_empty() {
    let (disk, catalog) = memory();
    let study = serial("STUDY1");
    let device = Device::by_name("3330-1").expect("3330-1");
    let volume = catalog
        .add_volume(&study, device, Some(Path::new("/mnt/a/b")), None)
        .expect("added");
    assert_eq!(volume.path(catalog.directory()), Path::new("/mnt/a/b"));
    assert!(disk.list(Path::new("/mnt/a/b")).is_ok());
    let again = catalog
        .add_volume(&study, device, None, None)
        .expect_err("there already");
    assert!(matches!(again, CatalogError::VolumeExists { .. }));

    let Entry::Cluster(mut entry) = cluster("S") else {
        unreachable!("a cluster")
    };
    entry.data.volumes = vec![study.clone()];
    assert_eq!(
        catalog.component_path(&entry.data).expect("path"),
        Path::new("/mnt/a/b/S.DATA")
    );
    catalog
        .transact(|contents| contents.insert(Entry::Cluster(entry)))
        .expect("defined");
    let held = catalog.remove_volume(&study).expect_err("holds S");
    assert!(
        matches!(&held, CatalogError::VolumeInUse { name, .. } if name.as_str() == "S"),
        "{held}"
    );
    catalog
        .transact(|contents| contents.remove(&name("S")))
        .expect("removed");
    catalog.remove_volume(&study).expect("empty now");
    assert!(catalog.volume_path(&study).is_err());
}

#[test]
fn a_volume_nobody_knows_or_whose_directory_is_gone_is_named() {
    let (disk, catalog) = memory();
    let Entry::Cluster(mut entry) = cluster("S") else {
        unreachable!("a cluster")
    };
    entry.data.volumes = vec![serial("NOSUCH")];
    let error = catalog
        .transact(|contents| contents.insert(Entry::Cluster(entry)))
        .expect_err("unknown");
    assert!(matches!(error, CatalogError::VolumeMissing { directory: None, .. }));
    assert_eq!(error.code(), code(68, 20));
    catalog
        .add_volume(
            &serial("GONE"),
            Device::default_type(),
            Some(Path::new("/mnt/gone")),
            None,
        )
        .expect("added");
    disk.remove(&Path::new("/mnt/gone").join(catalog.vvds_name()))
        .expect("removed");
    disk.remove(Path::new("/mnt/gone")).expect("removed");
    let error = catalog.volume_path(&serial("GONE")).expect_err("gone");
    assert!(matches!(&error, CatalogError::VolumeMissing { directory: Some(_), .. }));
    assert!(error.to_string().contains("/mnt/gone"), "{error}");
}

/// The mount point of a volume is a directory too.
#[test]
fn a_mount_point_without_its_volume_is_no_volume() {
    let (disk, catalog) = memory();
    let directory = catalog.volume_path(&serial("CICA01")).expect("a new volume");
    let volume = catalog.volumes().expect("volumes").remove(0);
    let check = || catalog.check_volume(&volume);
    let Entry::Cluster(entry) = cluster("S") else {
        unreachable!("a cluster")
    };
    let file = entry.data.file.in_directory(&directory);
    let new = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    disk.open(&file, new).expect("its file");
    catalog
        .transact(|contents| contents.insert(Entry::Cluster(entry)))
        .expect("an entry");
    assert!(check().is_ok());
    disk.rename(&file, Path::new("/away")).expect("unmounted");
    let error = check().expect_err("an empty directory");
    assert_eq!(error.code(), code(68, 20));
    assert!(error.to_string().contains("mount"), "{error}");
    // With its mark it is the volume, whatever became of the file.
    disk.open(&directory.join(cica_format::VOLUME_MARK), new)
        .expect("its mark");
    assert!(check().is_ok());
}

#[test]
fn a_volume_that_cannot_be_written_is_named() {
    let at = |kind: io::ErrorKind| volume_error(&serial("CICA01"), Path::new("/mnt/v"), kind.into());
    for kind in [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied] {
        let error = at(kind);
        assert!(matches!(error, CatalogError::VolumeReadOnly { .. }));
        assert!(
            error.to_string().contains("CICA01") && error.to_string().contains("/mnt/v"),
            "{error}"
        );
    }
    assert_eq!(at(io::ErrorKind::StorageFull).code(), code(68, 20));
    assert!(matches!(
        at(io::ErrorKind::NotFound),
        CatalogError::VolumeMissing { .. }
    ));
}

#[test]
fn a_lock_that_is_never_given_back_is_named() {
    let (disk, catalog) = memory();
    let catalog = catalog.patience(Duration::from_millis(5));
    let how = Open {
        write: true,
        create: Create::IfMissing,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    let held = disk.open(Path::new("/srv/cica/lock"), how).expect("locked");
    let error = define(&catalog, "A").expect_err("locked by another");
    assert!(matches!(&error, CatalogError::Busy { path, .. } if path == Path::new("/srv/cica/lock")));
    assert!(error.to_string().contains("/srv/cica/lock"));
    assert!(catalog.contents().is_ok(), "readers need no lock");
    drop(held);
    define(&catalog, "A").expect("the lock is free");
}

#[test]
fn a_change_may_read_its_catalog_but_not_change_it_inside() {
    let (_, catalog) = memory();
    let catalog = catalog.patience(Duration::from_millis(5));
    let inner: Result<(), CatalogError> = catalog.transact(|contents| {
        contents.insert(cluster("A"))?;
        assert!(catalog.get(&name("A")).is_err(), "it is not changed yet");
        define(&catalog, "B")
    });
    assert!(matches!(inner, Err(CatalogError::Busy { .. })));
    assert_eq!(catalog.generation().expect("generation"), 1);
}

#[test]
fn a_damaged_catalog_is_refused_and_left_alone() {
    let (disk, catalog) = memory();
    define(&catalog, "A").expect("defined");
    let path = Path::new("/srv/cica/catalog");
    let file = disk
        .open(
            path,
            Open {
                write: true,
                ..Open::default()
            },
        )
        .expect("opened");
    file.write(&[WriteAt { at: 60, buf: b"X" }]).expect("written");
    let before = disk.image().bytes(path);
    for error in [
        Catalog::open(disk.clone(), "/srv/cica").expect_err("damaged"),
        Catalog::open_or_create(disk.clone(), "/srv/cica").expect_err("damaged"),
    ] {
        assert!(
            matches!(&error, CatalogError::Damaged { path: at, .. } if at == path),
            "{error}"
        );
    }
    assert_eq!(disk.image().bytes(path), before);
}

#[test]
fn the_catalog_meant_is_the_one_named_else_the_nearest() {
    let disk = MemoryDisk::new();
    for path in ["/w", "/w/.cica", "/w/a", "/w/a/b", "/x"] {
        let how = Open {
            directory: true,
            create: Create::New,
            ..Open::default()
        };
        disk.open(Path::new(path), how).expect(path);
    }
    let mut here = Surroundings {
        explicit: Some("/named".into()),
        variable: Some("/variable".into()),
        working: "/w/a/b".into(),
        data: "/home/me/.local/share".into(),
        trusted: Vec::new(),
    };
    let found = |here: &Surroundings| locate(&disk, here).expect("a place");
    assert_eq!(found(&here), (PathBuf::from("/named"), Origin::Explicit));
    here.explicit = None;
    assert_eq!(found(&here), (PathBuf::from("/variable"), Origin::Variable));
    here.variable = Some("./variable".into());
    let whole = found(&here).0;
    assert_eq!(whole.as_os_str(), "/w/a/b/variable");
    here.variable = Some("".into());
    assert_eq!(found(&here), (PathBuf::from("/w/.cica"), Origin::Above));
    here.working = "/x".into();
    assert_eq!(
        found(&here),
        (PathBuf::from("/home/me/.local/share/cica"), Origin::User)
    );
}

#[test]
fn contents_know_their_volumes() {
    let contents = common::everything();
    assert_eq!(contents.volumes().count(), 2);
    assert!(matches!(
        Contents::default().volume(&serial("X")),
        Err(CatalogError::VolumeMissing { .. })
    ));
}
