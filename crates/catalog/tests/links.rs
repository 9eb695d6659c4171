//! A catalog that is reached by two names, one of them through a symbolic link, is one catalog.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::entry::{Alias, History, Relate, UserCatalog};
use cica_catalog::moves::Move;
use cica_catalog::wire::vvds::{encode, Head};
use cica_catalog::{connected, vvds, Catalog, CatalogError, Device, Entry};
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
    let head = Head {
        directory: place.at("link/cat"),
        known_as: String::new(),
        serial: serial("VOL002"),
    };
    let contents = by_link.contents().unwrap();
    let (_, bytes) = encode(&head, &contents, contents.entries(), by_link.generation().unwrap());
    let earlier = format!(".vvds-{:08x}", crc32c(place.at("link/cat").as_os_str().as_bytes()));
    std::fs::write(place.at("vol2").join(&earlier), bytes).unwrap();
    let by_link = Catalog::open(disk(), place.at("link/cat")).unwrap();
    by_link.check_volume(&volume).unwrap();
    assert!(by_link.is_own_copy(&contents, &place.at("vol2"), Path::new(&earlier)));
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
