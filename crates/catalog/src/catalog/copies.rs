//! Copies of catalogs on a volume: how they are called and read. What is in them: `vvds`.

use super::files;
use crate::error::CatalogError;
use crate::place;
use crate::wire::vvds::{decode, head, Head, Vvds};
use cica_disk::Disk;
use cica_format::checksum::crc32c;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What the names of all copies begin with.
const STEM: &str = ".vvds-";
/// No head of a copy is longer: two paths.
const HEAD: usize = 16 << 10;

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

/// Other names that copies of the catalog at `place` have in the directory of a volume, each with the name that the
/// catalog's directory was given then: earlier releases followed no links. One that was set aside is none of these.
///
/// # Errors
/// The directory cannot be read.
pub(crate) fn by_links(disk: &dyn Disk, volume: &Path, place: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let listed = match disk.list(volume) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let names = listed.into_iter().map(|(name, _)| name.to_string_lossy().into_owned());
    let of_it = names.filter(|name| is_copy(name)).filter_map(|name| {
        let directory = head_of(disk, &volume.join(&name))?.directory;
        (directory != place && is_of(disk, &directory, &name, place)).then_some((directory, name))
    });
    Ok(of_it.collect())
}

/// Is a copy of this name, which gives the directory of its catalog as `directory`, one of the catalog at `place`?
pub(crate) fn is_of(disk: &dyn Disk, directory: &Path, name: &str, place: &Path) -> bool {
    name == name_of(directory) && place::real(disk, directory) == place
}

/// Whose copy a file says it is. It is only looked at.
pub(crate) fn head_of(disk: &dyn Disk, path: &Path) -> Option<Head> {
    let bytes = disk.look(path, HEAD).ok()?;
    head(&bytes).ok()
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
