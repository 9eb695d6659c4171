//! Copies of catalogs on a volume: how they are called and read. What is in them: `vvds`.

use super::files;
use crate::error::CatalogError;
use crate::wire::vvds::{decode, Vvds};
use cica_disk::Disk;
use cica_format::checksum::crc32c;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What the names of all copies begin with.
const STEM: &str = ".vvds-";

/// The copies in the directory of a volume with their names, damaged ones as errors, in order of these.
///
/// # Errors
/// The directory cannot be read.
pub fn read_all(disk: &dyn Disk, directory: &Path) -> io::Result<Vec<(PathBuf, Result<Vvds, CatalogError>)>> {
    let mut found = disk.list(directory)?;
    found.retain(|(name, _)| is_copy(&name.to_string_lossy()));
    found.sort();
    let read = |(name, _): (PathBuf, u64)| {
        let copy = read_one(disk, &directory.join(&name));
        (name, copy)
    };
    Ok(found.into_iter().map(read).collect())
}

/// `.vvds-` and eight digits; one that is being written has more.
fn is_copy(name: &str) -> bool {
    name.strip_prefix(STEM)
        .is_some_and(|id| id.len() == 8 && id.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// One copy.
pub(crate) fn read_one(disk: &dyn Disk, path: &Path) -> Result<Vvds, CatalogError> {
    let bytes = files::read_file(disk, path)?;
    decode(&bytes).map_err(|error| error.of(path))
}

/// The name of a copy that belongs to these bytes.
pub(crate) fn copy_name(of: &[u8]) -> String {
    format!("{STEM}{:08x}", crc32c(of))
}

/// The name of the copies of the catalog whose directory has this whole name.
pub(crate) fn name_of(directory: &Path) -> String {
    copy_name(directory.as_os_str().as_bytes())
}
