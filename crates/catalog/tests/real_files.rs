//! What only real files have: holes, and groups.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::entry::{Alias, Relate};
use cica_catalog::wire::MAGIC;
use cica_catalog::{vvds, Catalog, CatalogError, Entry};
use cica_disk::{Disk, LinuxDisk};
use cica_format::checksum::crc32c;
use common::name;
use std::fs::OpenOptions;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let root = std::env::temp_dir().join(format!("cica-real-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).unwrap();
        Place(root)
    }

    fn catalog(&self) -> Catalog {
        let disk: Arc<dyn Disk> = Arc::new(LinuxDisk::new());
        Catalog::open_or_create(disk, self.0.join("cat")).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn insert(catalog: &Catalog, text: &str) {
    let alias = Entry::Alias(Alias {
        name: name(text),
        relate: Relate::Entry(name("X")),
    });
    catalog.transact(|contents| contents.insert(alias)).unwrap();
}

/// Neither takes memory for what is not there.
#[test]
fn a_catalog_and_a_copy_that_are_mostly_hole_are_refused() {
    const LENGTH: u64 = 1 << 44;
    let place = Place::new("hole");
    let catalog = place.catalog();
    let copy = place.0.join("cat/volumes/CICA01").join(catalog.vvds_name());
    let mut header = MAGIC.to_vec();
    header.extend_from_slice(&1u32.to_le_bytes());
    header.extend_from_slice(&0u32.to_le_bytes());
    header.extend_from_slice(&9u64.to_le_bytes());
    header.extend_from_slice(&(LENGTH - 40).to_le_bytes());
    header.extend_from_slice(&0u32.to_le_bytes());
    header.extend_from_slice(&crc32c(&header).to_le_bytes());
    for file in [place.0.join("cat/catalog"), copy] {
        std::fs::write(&file, &header).unwrap();
        let long = OpenOptions::new().write(true).open(&file).unwrap();
        if long.set_len(LENGTH).is_err() {
            eprintln!("this file system has no files of that length");
            return;
        }
    }
    let read = catalog.contents();
    assert!(matches!(read, Err(CatalogError::Damaged { .. })), "{read:?}");
    let copies = vvds::read_all(&LinuxDisk::new(), &place.0.join("cat/volumes/CICA01")).unwrap();
    assert!(
        matches!(copies[..], [(_, Err(CatalogError::Damaged { .. }))]),
        "{copies:?}"
    );
}

#[test]
fn files_that_are_replaced_keep_their_group_and_locks_have_that_of_the_directory() {
    const GROUP: u32 = 54_321;
    let place = Place::new("group");
    let catalog = place.catalog();
    insert(&catalog, "A");
    let at = |file: &str| place.0.join("cat").join(file);
    let give = |file: &str| std::os::unix::fs::chown(at(file), None, Some(GROUP));
    if ["", "catalog", "volumes/CICA01"].iter().any(|file| give(file).is_err()) {
        eprintln!("not root: no group can be given");
        return;
    }
    std::fs::remove_file(at(".locks")).unwrap();
    insert(&catalog, "B");
    let copy = format!("volumes/CICA01/{}", catalog.vvds_name());
    for file in ["catalog", ".locks", &copy] {
        assert_eq!(std::fs::metadata(at(file)).unwrap().gid(), GROUP, "{file}");
    }
}
