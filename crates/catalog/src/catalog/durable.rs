//! Whether the catalog stays there when the power fails.
//!
//! Its name may not be durable yet: a process can be killed between the rename of a new catalog and the sync of the
//! directory. Whoever acts on what he reads there, and acknowledges records of a data set that it names, would lose
//! them with the entry (K4).
//!
//! ```text
//! writer, under the lock:  catalog.new -- rename -- sync of the directory -- its header into the lock file
//! reader:                  the catalog's header; does the lock file hold the same? -- if not: sync of the directory
//! ```
//! The copy in the lock file is written after the sync and needs none itself: one that is lost, or of another catalog,
//! costs the next reader a sync. No two catalogs of a directory have one header.

use super::files;
use crate::error::CatalogError;
use crate::wire::{Header, HEADER_LEN};
use cica_disk::{Disk, File, Open, WriteAt};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// Notes that the catalog with this header is durable under its name.
pub(crate) fn note(lock: &dyn File, header: &Header) {
    // What is not noted is synced once more.
    let _ = lock.write(&[WriteAt {
        at: 0,
        buf: &header.encode(),
    }]);
}

/// Makes the name of the catalog with this header durable, unless it is noted to be (K4).
///
/// # Errors
/// The directory cannot be synced: what the catalog says may not be acted on.
pub(crate) fn confirm(disk: &dyn Disk, directory: &Path, header: &Header) -> Result<(), CatalogError> {
    if noted(disk, directory) == Some(*header) {
        return Ok(());
    }
    match files::sync_directory(disk, directory) {
        Ok(()) => {}
        // A directory that may not be listed. A file system that is mounted to be read alone syncs without an error:
        // one that says that nobody can write to it has given up, and what was read may not be on it.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(()),
        Err(source) => {
            return Err(CatalogError::Io {
                doing: "make durable what is in",
                path: directory.to_owned(),
                source,
            })
        }
    }
    // So that the next reader need not. While others change the catalog, they will.
    if let Ok(lock) = files::lock(disk, directory, Duration::ZERO) {
        note(&*lock, header);
    }
    Ok(())
}

fn noted(disk: &dyn Disk, directory: &Path) -> Option<Header> {
    let lock = disk.open(&directory.join("lock"), Open::default()).ok()?;
    let mut bytes = [0; HEADER_LEN];
    let got = files::read_at(&*lock, 0, &mut bytes).ok()?;
    Header::decode(&bytes[..got]).ok()
}
