//! A user catalog that goes.
//!
//! * N1. From the look whether it may go to its end nobody changes it: what a DEFINE in it was told stands. Whoever
//!   waits for it finds no catalog then. Of one that may not be locked, nothing goes but its name: what it has can be
//!   connected again.

use super::connected::below;
use super::files;
use super::store;
use super::Catalog;
use crate::error::CatalogError;
use cica_disk::{Disk, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A user catalog that nobody else changes until this is dropped.
#[derive(Debug)]
pub struct Unmaking {
    catalog: Catalog,
    place: PathBuf,
    _lock: Box<dyn File>,
}

impl Unmaking {
    /// Locks the catalog in `directory`, which is given as the master's entry gives it (N1). None: this process may not
    /// lock it.
    ///
    /// # Errors
    /// There is none, it cannot be read, or another process changes it for too long.
    pub fn begin(disk: &Arc<dyn Disk>, master: &Catalog, directory: &Path) -> Result<Option<Unmaking>, CatalogError> {
        let place = below(master.directory(), directory);
        // A lock is made where there is none, but not where there is no catalog.
        Catalog::open_named(disk.clone(), &place)?;
        let lock = match files::lock(&**disk, &place, master.patience_now()) {
            Err(CatalogError::Io { source, .. }) if is_denied(&source) => return Ok(None),
            lock => lock?,
        };
        Ok(Some(Unmaking {
            catalog: Catalog::open_named(disk.clone(), &place)?,
            place,
            _lock: lock,
        }))
    }

    /// The catalog, as it is now.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Removes its files, and what volumes keep of it; what lies on the volumes stays.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn end(self, disk: &dyn Disk) -> Result<(), CatalogError> {
        // Volumes need not keep what nobody is to take in again.
        for volume in self.catalog.volumes().unwrap_or_default() {
            self.catalog.remove_vvds(&volume);
        }
        store::remove(disk, &self.place)
    }
}

fn is_denied(error: &io::Error) -> bool {
    use ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}
