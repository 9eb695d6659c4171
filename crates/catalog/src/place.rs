//! Where a directory really is: a catalog or a volume may be reached by several names, through symbolic links.

use cica_disk::Disk;
use std::path::{Path, PathBuf};

/// The whole name of a directory, links followed. One that is not there would be where those above it are.
pub fn real(disk: &dyn Disk, path: &Path) -> PathBuf {
    let whole = spelled(path);
    for there in whole.ancestors() {
        if let Ok(found) = disk.real(there) {
            return match whole.strip_prefix(there) {
                Ok(rest) if !rest.as_os_str().is_empty() => found.join(rest),
                _ => found,
            };
        }
    }
    whole
}

/// The whole name of a directory as it is written.
pub fn spelled(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Do both names mean one directory?
pub fn is_same(disk: &dyn Disk, one: &Path, other: &Path) -> bool {
    one == other || real(disk, one) == real(disk, other)
}
