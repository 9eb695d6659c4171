//! K5: whatever a catalog says, nothing is touched outside of its own directory and of volumes that say they are its.

use cica_catalog::geometry::Device;
use cica_catalog::{locate, Catalog, CatalogError, Surroundings, Volser};
use cica_disk::{Confined, Disk, FileName, LinuxDisk};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("cica-outside-{}-{test}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("victim")).expect("a temporary directory");
        std::fs::write(path.join("victim/key"), b"kept").expect("a file");
        Scratch(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn open(&self, trusted: &[PathBuf]) -> Result<Catalog, CatalogError> {
        let disk = Confined::new(LinuxDisk::new(), trusted);
        Catalog::open_or_create(Arc::new(disk), self.path("catalog"))
    }

    /// What is outside the catalog, and what it holds.
    fn outside(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all = Vec::new();
        let mut directories = vec![self.path("victim")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(&directory).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    directories.push(path)
                } else {
                    all.push((path.clone(), std::fs::read(&path).expect("a file")))
                }
            }
        }
        all.sort();
        all
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn serial(text: &str) -> Volser {
    Volser::parse(text).expect("a serial")
}

fn listed(catalog: &Catalog, on: &str, file: &str) {
    let changed = catalog.transact(|contents| -> Result<(), CatalogError> {
        contents.add_leftover(&serial(on), &FileName::near(file), true);
        Ok(())
    });
    changed.expect("listed");
}

#[test]
fn a_volume_outside_is_used_when_it_says_that_it_is_one() {
    let scratch = Scratch::new("claimed");
    let volume = scratch.path("victim/volume");
    {
        let catalog = scratch.open(&[]).expect("new");
        let device = Device::default_type();
        catalog
            .add_volume(&serial("EXT01"), device, Some(&volume), None)
            .expect("the user said so");
        std::fs::write(volume.join("X"), b"old").expect("a file");
        listed(&catalog, "EXT01", "X");
    }
    scratch.open(&[]).expect("it opens");
    assert!(!volume.join("X").exists(), "the volume says that it is this catalog's");
    // The same catalog elsewhere is not the one that the volume knows.
    std::fs::write(volume.join("X"), b"kept").expect("a file");
    listed(&scratch.open(&[]).expect("it opens"), "EXT01", "X");
    std::fs::rename(scratch.path("catalog"), scratch.path("was")).expect("a rename");
    std::fs::create_dir(scratch.path("catalog")).expect("a directory");
    let moved = Scratch(scratch.path("moved"));
    std::fs::create_dir(&moved.0).expect("a directory");
    std::fs::rename(scratch.path("was"), moved.path("catalog")).expect("a rename");
    let before = scratch.outside();
    let catalog = moved.open(&[]).expect("it opens");
    assert_eq!(scratch.outside(), before);
    let error = catalog.volume_path(&serial("EXT01")).expect_err("it is not its own");
    assert!(matches!(&error, CatalogError::VolumeOutside { .. }), "{error}");
    assert!(error.to_string().contains("CICA_TRUST"), "{error}");
    listed(&catalog, "CICA01", "Y");
    assert_eq!(scratch.outside(), before, "a change does not make it the catalog's own");
    drop(catalog);
    // Until the user trusts it.
    let catalog = moved.open(&[scratch.path("victim")]).expect("it opens");
    catalog.volume_path(&serial("EXT01")).expect("it is trusted");
    assert!(!volume.join("X").exists());
    assert_eq!(std::fs::read(scratch.path("victim/key")).expect("it"), b"kept");
}

/// What somebody packed into an archive, who knows what the reader's directories are called.
#[test]
fn links_in_a_catalog_lead_nowhere() {
    for link in ["log", "volumes", "volumes/CICA01"] {
        let scratch = Scratch::new("links");
        listed(&scratch.open(&[]).expect("new"), "CICA01", "key");
        let place = scratch.path("catalog").join(link);
        std::fs::remove_dir_all(&place).expect("a directory");
        std::fs::create_dir_all(scratch.path("victim/CICA01")).expect("a directory");
        std::fs::write(scratch.path("victim/CICA01/key"), b"kept").expect("a file");
        symlink(scratch.path("victim"), &place).expect("a link");
        let before = scratch.outside();
        match scratch.open(&[]) {
            Ok(catalog) => {
                assert_ne!(link, "log");
                listed(&catalog, "CICA01", "other");
                assert!(catalog.volume_path(&serial("CICA01")).is_err());
            }
            Err(error) => assert!(error.to_string().contains("CICA_TRUST"), "{error}"),
        }
        assert_eq!(scratch.outside(), before, "{link}");
    }
    // A file of the catalog that is a link is no file.
    for file in ["catalog", "catalog.new", "lock", "making", "volumes/CICA01/key"] {
        let scratch = Scratch::new("file-links");
        listed(&scratch.open(&[]).expect("new"), "CICA01", "key");
        let place = scratch.path("catalog").join(file);
        let _ = std::fs::remove_file(&place);
        symlink(scratch.path("victim/key"), &place).expect("a link");
        let before = scratch.outside();
        if let Ok(catalog) = scratch.open(&[]) {
            let _ = catalog.transact(|contents| -> Result<(), CatalogError> {
                contents.add_leftover(&serial("CICA01"), &FileName::near("other"), false);
                Ok(())
            });
        }
        assert_eq!(scratch.outside(), before, "{file}");
    }
}

#[test]
fn a_catalog_above_is_taken_when_nobody_else_can_change_it() {
    let scratch = Scratch::new("above");
    let (found, working) = (scratch.path(".cica"), scratch.path("a/b"));
    std::fs::create_dir_all(&found).expect("a directory");
    std::fs::create_dir_all(&working).expect("a directory");
    let mut here = Surroundings {
        working,
        data: scratch.path("data"),
        ..Surroundings::default()
    };
    let disk = LinuxDisk::new();
    let mode = |mode| std::fs::set_permissions(&found, std::fs::Permissions::from_mode(mode)).expect("its mode");
    for (bits, taken) in [
        (0o700, true),
        (0o755, true),
        (0o777, false),
        (0o757, false),
        (0o750, true),
    ] {
        mode(bits);
        match locate(&disk, &here) {
            Ok((place, _)) => assert!(taken && place == found, "{bits:o}"),
            Err(error) => {
                assert!(!taken, "{bits:o}");
                assert!(error.to_string().contains("CICA_TRUST"), "{error}");
            }
        }
    }
    if disk
        .whose(Path::new("/proc/1"))
        .is_ok_and(|whose| whose == cica_disk::Whose::Own)
    {
        std::os::unix::fs::chown(&found, Some(65_534), None).expect("another owner");
        mode(0o755);
        assert!(matches!(locate(&disk, &here), Err(CatalogError::Untrusted { .. })));
        std::os::unix::fs::chown(&found, Some(0), Some(65_534)).expect("another group");
        assert!(locate(&disk, &here).is_ok());
        mode(0o775);
        assert!(matches!(locate(&disk, &here), Err(CatalogError::Untrusted { .. })));
    }
    mode(0o777);
    here.trusted = vec![scratch.0.clone()];
    assert_eq!(locate(&disk, &here).expect("it is trusted").0, found);
    here.trusted.clear();
    here.explicit = Some(found.clone());
    assert_eq!(locate(&disk, &here).expect("it is named").0, found);
}
