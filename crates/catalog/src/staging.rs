//! Data sets made beside those in use: files that no entry names yet, and files that no entry names any more.
//!
//! The files of an IMPORT, a RESTORE or a reorganization are listed in the catalog as leftovers before they are
//! filled; the one change that lets entries name them takes them off the list, and puts the files they replace on it.
//!
//! | at the crash | files listed | by the next open of the catalog |
//! |---|---|---|
//! | before the change | the new ones | the new ones are removed; what was is as it was |
//! | after it | the old ones | the old ones are removed; what is new is there |
//!
//! * G1. Who makes files holds a shared lock on `making` from before they are listed until they are not; leftovers
//!   are removed only under an exclusive lock on it. So nobody removes what somebody makes.
//! * G2. A file goes off the list after it is removed, under the catalog's lock.

use crate::catalog::Catalog;
use crate::contents::Contents;
use crate::error::CatalogError;
use crate::store;
use crate::volume::Volser;
use cica_disk::{File, Lock};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

/// The right to make files that no entry names. It ends when it is dropped, or with the process.
#[derive(Debug)]
pub struct Staging {
    _lock: Box<dyn File>,
}

impl Catalog {
    /// Takes the right to make files that no entry names (G1). Any number of processes may have it at once.
    ///
    /// # Errors
    /// The catalog's directory cannot be written, or another process has been removing leftovers for too long.
    pub fn stage(&self) -> Result<Staging, CatalogError> {
        self.making(Lock::Shared, store::PATIENCE)
            .map(|lock| Staging { _lock: lock })
    }

    fn making(&self, lock: Lock, patience: Duration) -> Result<Box<dyn File>, CatalogError> {
        store::wait_for(&*self.disk, self.directory.join("making"), lock, patience)
    }

    /// Removes the leftovers, unless somebody makes files just now. What cannot be removed stays listed and is tried
    /// again by the next open; so nothing of this is an error.
    pub(crate) fn clear_leftovers(&self) {
        let Ok(_alone) = self.making(Lock::Exclusive, Duration::ZERO) else {
            return;
        };
        // Whoever changes the catalog just now is not kept waiting, nor waited for.
        let _ = self.transact_within(Duration::ZERO, |contents| self.remove_leftovers(contents));
    }

    fn remove_leftovers(&self, contents: &mut Contents) -> Result<(), CatalogError> {
        // What the list says is true of the durable catalog only: an old file is not in the way of going back to it.
        store::sync_directory(&*self.disk, &self.directory).map_err(|source| CatalogError::Io {
            doing: "sync",
            path: self.directory.clone(),
            source,
        })?;
        let listed: Vec<(Volser, String)> = contents.leftovers().cloned().collect();
        for (serial, file) in listed {
            let Ok(directory) = self.volume_directory(contents, &serial) else {
                continue;
            };
            let removed = match self.disk.remove(&directory.join(&file)) {
                Err(error) => error.kind() == ErrorKind::NotFound,
                Ok(()) => store::sync_directory(&*self.disk, &directory).is_ok(),
            };
            if removed {
                contents.remove_leftover(&serial, &file);
            }
        }
        Ok(())
    }

    fn volume_directory(&self, contents: &Contents, serial: &Volser) -> Result<PathBuf, CatalogError> {
        let directory = contents.volume(serial)?.path(&self.directory);
        // A volume that is not mounted has its files still.
        match self.disk.list(&directory) {
            Ok(_) => Ok(directory),
            Err(_) => Err(CatalogError::VolumeMissing {
                serial: serial.clone(),
                directory: Some(directory),
            }),
        }
    }
}
