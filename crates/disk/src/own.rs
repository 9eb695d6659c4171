//! Which places below the directories of a catalog and of a volume are Cica's own, whatever stands in them: many of its
//! files begin with nothing that tells them from others, and some are not there yet.
//!
//! A user's file may lie beside them: sequential data sets do on a volume, and a catalog may be a directory in which
//! somebody works. So places are told by their names.

use crate::Disk;
use std::path::Path;

/// Files in a catalog's directory. Those that begin with a dot are its own too, as they are on a volume.
const FILES: [&str; 5] = ["catalog", "catalog.new", "defining", "lock", "making"];
/// Directories in it, with all that is below them.
const DIRECTORIES: [&str; 5] = ["archive", "log", "share", "smf", "stat"];
/// What the file `catalog` begins with.
const CATALOG: &[u8; 8] = b"CICA-CAT";

/// Is it one of these places?
pub fn is_own_place(disk: &dyn Disk, path: &Path) -> bool {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (Some(directory), Some(name)) = (whole.parent(), whole.file_name().and_then(|name| name.to_str())) else {
        return false;
    };
    // A link, or `..`, leads to the same place.
    let directory = disk.real(directory).unwrap_or_else(|_| directory.to_owned());
    let hidden = name.starts_with('.') && (is_volume(disk, &directory) || is_catalog(disk, &directory));
    hidden || (FILES.contains(&name) && is_catalog(disk, &directory)) || is_below_own(disk, &directory)
}

fn is_below_own(disk: &dyn Disk, directory: &Path) -> bool {
    let own = |there: &Path| {
        let name = there.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        DIRECTORIES.contains(&name) && there.parent().is_some_and(|above| is_catalog(disk, above))
    };
    directory.ancestors().any(own)
}

fn is_catalog(disk: &dyn Disk, directory: &Path) -> bool {
    let first = disk.look(&directory.join("catalog"), CATALOG.len());
    first.is_ok_and(|first| first == CATALOG)
}

fn is_volume(disk: &dyn Disk, directory: &Path) -> bool {
    disk.look(&directory.join(".cica-volume"), 1).is_ok()
}
