//! A catalog that is reached by two names, one of them through a symbolic link, is one catalog.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::entry::{Alias, History, Relate, UserCatalog};
use cica_catalog::moves::Move;
use cica_catalog::wire::vvds::{encode, Head};
use cica_catalog::{connected, vvds, Catalog, CatalogError, Device, Entry, Volume};
use cica_disk::{Confined, Disk, LinuxDisk};
use cica_format::checksum::crc32c;
use common::{cluster, date, name, serial};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory `real`, and a link `link` to it; removed at the end.
struct Linked(PathBuf);

impl Linked {
    fn new(name: &str) -> Linked {
        let root = std::env::temp_dir().join(format!("cica-links-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(root.join("real")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        Linked(std::fs::canonicalize(root).unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn disk() -> Arc<dyn Disk> {
    Arc::new(Confined::new(LinuxDisk::new(), &[]))
}

fn insert(catalog: &Catalog, text: &str) {
    let alias = Entry::Alias(Alias {
        name: name(text),
        relate: Relate::Entry(name("X")),
    });
    catalog.transact(|contents| contents.insert(alias)).unwrap();
}

fn copies(directory: &Path) -> Vec<(PathBuf, vvds::Vvds)> {
    let found = vvds::read_all(&LinuxDisk::new(), directory).unwrap().into_iter();
    found.map(|(name, copy)| (name, copy.unwrap())).collect()
}

/// A copy as an earlier release wrote it, on vol2: by the name of the link. Its name.
fn write_earlier(place: &Linked, catalog: &Catalog, head: Head) -> String {
    write_earlier_of(place, catalog, head, catalog.generation().unwrap())
}

fn write_earlier_of(place: &Linked, catalog: &Catalog, head: Head, generation: u64) -> String {
    let contents = catalog.contents().unwrap();
    let earlier = format!(".vvds-{:08x}", crc32c(head.directory.as_os_str().as_bytes()));
    let (_, bytes) = encode(&head, &contents, contents.entries(), generation);
    std::fs::write(place.at("vol2").join(&earlier), bytes).unwrap();
    earlier
}

fn linked_head(place: &Linked) -> Head {
    Head {
        directory: place.at("link/cat"),
        known_as: String::new(),
        serial: serial("VOL002"),
    }
}

/// A catalog that was always reached through a link, with a second volume, as an earlier release left it.
fn of_an_earlier_release(place: &Linked) -> (Catalog, Volume, String) {
    let by_name = Catalog::open_or_create(disk(), place.at("real/cat")).unwrap();
    let volume = by_name
        .add_volume(&serial("VOL002"), Device::default_type(), Some(&place.at("vol2")), None)
        .unwrap();
    insert(&by_name, "A");
    std::fs::remove_file(place.at("vol2").join(by_name.vvds_name())).unwrap();
    let earlier = write_earlier(place, &by_name, linked_head(place));
    (by_name, volume, earlier)
}

#[test]
fn a_copy_that_was_named_by_a_link_is_known_by_who_uses_none() {
    let place = Linked::new("earlier");
    let (by_name, volume, _) = of_an_earlier_release(&place);
    by_name.check_vvds(&volume).unwrap();
    // It gives way to the first one that is written.
    insert(&by_name, "B");
    by_name.check_vvds(&volume).unwrap();
    let found = copies(&place.at("vol2"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, Path::new(&by_name.vvds_name()));
    // Both go with the volume.
    write_earlier(&place, &by_name, linked_head(&place));
    by_name.remove_volume(&serial("VOL002")).unwrap();
    assert!(copies(&place.at("vol2")).is_empty());
}

#[test]
fn a_new_catalog_does_not_forget_what_the_lost_one_left_by_the_name_of_a_link() {
    let place = Linked::new("lost");
    let (by_name, ..) = of_an_earlier_release(&place);
    // On its default volume, and one that is added.
    let default = place.at("real/cat/volumes/CICA01");
    std::fs::remove_file(default.join(by_name.vvds_name())).unwrap();
    let head = Head {
        serial: serial("CICA01"),
        ..linked_head(&place)
    };
    let earlier = write_earlier_of(&place, &by_name, head, 1);
    std::fs::rename(place.at("vol2").join(&earlier), default.join(&earlier)).unwrap();
    write_earlier(&place, &by_name, linked_head(&place));
    std::fs::remove_file(place.at("real/cat/catalog")).unwrap();
    let anew = Catalog::open_or_create(disk(), place.at("real/cat")).unwrap();
    let volume = anew.add_volume(&serial("VOL002"), Device::default_type(), Some(&place.at("vol2")), None);
    volume.unwrap();
    for text in ["X", "Y", "Z"] {
        insert(&anew, text);
    }
    for directory in [default, place.at("vol2")] {
        let found = copies(&directory);
        let of_lost: Vec<_> = found
            .iter()
            .filter(|(_, copy)| copy.contents.find(&name("A")).is_some())
            .collect();
        assert_eq!((found.len(), of_lost.len()), (2, 1), "{}", directory.display());
        let (file, copy) = of_lost[0];
        assert!(!anew.is_own_copy(&anew.contents().unwrap(), &directory, file, copy));
    }
}

#[test]
fn a_volume_has_one_copy_of_it() {
    let place = Linked::new("copy");
    let by_link = Catalog::open_or_create(disk(), place.at("link/cat")).unwrap();
    let device = Device::default_type();
    let volume = by_link
        .add_volume(&serial("VOL002"), device, Some(&place.at("vol2")), None)
        .unwrap();
    insert(&by_link, "A");
    let by_name = Catalog::open(disk(), place.at("real/cat")).unwrap();
    insert(&by_name, "B");
    assert_eq!(by_link.vvds_name(), by_name.vvds_name());
    for directory in ["vol2", "real/cat/volumes/CICA01"] {
        let found = copies(&place.at(directory));
        assert_eq!(found.len(), 1, "{directory}");
        assert_eq!(found[0].1.head.directory, place.at("real/cat"));
        assert_eq!(found[0].1.contents.entries().count(), 2);
    }
    // One directory is one volume.
    std::os::unix::fs::symlink("vol2", place.at("vol3")).unwrap();
    let added = by_name.add_volume(&serial("VOL003"), device, Some(&place.at("vol3")), None);
    assert!(matches!(added, Err(CatalogError::VolumeTaken { .. })), "{added:?}");
    // A copy of an earlier release has the name of the link; it still says whose the volume is, and goes.
    let own = place.at("vol2").join(by_link.vvds_name());
    std::fs::remove_file(&own).unwrap();
    let earlier = write_earlier(&place, &by_link, linked_head(&place));
    let by_link = Catalog::open(disk(), place.at("link/cat")).unwrap();
    by_link.check_volume(&volume).unwrap();
    let found = copies(&place.at("vol2")).remove(0).1;
    assert!(by_link.is_own_copy(
        &by_link.contents().unwrap(),
        &place.at("vol2"),
        Path::new(&earlier),
        &found
    ));
    insert(&by_link, "C");
    let found = copies(&place.at("vol2"));
    assert_eq!(
        (found.len(), found[0].0.as_path()),
        (1, Path::new(&by_link.vvds_name()))
    );
}

/// A move that was cut off behind its decision by who reached the master through a link.
#[test]
fn a_move_is_ended_by_whatever_name_its_catalogs_are_reached() {
    let place = Linked::new("move");
    let by_link = place.at("link/cat");
    let master = Arc::new(Catalog::open_or_create(disk(), &by_link).unwrap());
    let below = "volumes/CICA01/UCAT.PAY";
    connected::make(&*master_disk(&by_link), &by_link, Path::new(below)).unwrap();
    let user = Entry::UserCatalog(UserCatalog {
        name: name("UCAT.PAY"),
        directory: below.to_owned(),
        history: History::new(date(2022, 242)),
        other: Vec::new(),
    });
    master.transact(|contents| contents.insert(user)).unwrap();
    let user = master.called(&name("UCAT.PAY")).unwrap();
    for catalog in [&master, &user] {
        catalog.transact(|contents| contents.insert(cluster("PAY.A"))).unwrap();
    }
    let noted = |catalog: &Catalog, other: PathBuf, incoming| {
        let noted = catalog.transact(|contents| -> Result<(), CatalogError> {
            contents.begin_move(Move {
                number: 7,
                other,
                names: vec![name("PAY.A")],
                incoming,
            });
            Ok(())
        });
        noted.unwrap();
    };
    noted(&user, by_link.clone(), true);
    noted(&master, by_link.join(below), false);
    let by_name = Arc::new(Catalog::open(disk(), place.at("real/cat")).unwrap());
    let user = by_name.called(&name("UCAT.PAY")).unwrap();
    for catalog in [&by_name, &user] {
        catalog.transact(|_| Ok::<(), CatalogError>(())).unwrap();
        assert_eq!(catalog.contents().unwrap().moves().count(), 0);
    }
    assert!(by_name.get(&name("PAY.A")).is_err() && user.get(&name("PAY.A")).is_ok());
}

/// A disk that may touch the catalog in this directory.
fn master_disk(directory: &Path) -> Arc<dyn Disk> {
    let disk = disk();
    disk.admit(directory, true).unwrap();
    disk
}
