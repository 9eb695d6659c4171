//! Copies of a catalog that was lost, on volumes that another catalog in its place uses.
//!
//! A copy's name is that of its catalog's directory. So a new catalog there would write over the copies of the lost
//! one. They get another name first:
//!
//! ```text
//! <volume>/.vvds-XXXXXXXX   any name of a copy that nothing has; what is in it says whose it is
//! ```
//! * A1. A copy that names what its successor does not know is set aside before another takes its name. So is one that
//!   is damaged, or of a newer format, and one that an earlier release named by a link to the catalog's directory. The
//!   new name is durable before the old one is used.
//! * A2. A copy that was set aside goes when its entries were taken in. What was left out stays in it.

use super::copies::{by_links, copy_name, name_of, read_one};
use super::files;
use super::Catalog;
use crate::contents::Contents;
use crate::error::CatalogError;
use crate::volume::Volume;
use crate::wire::vvds as wire;
use crate::wire::vvds::{Head, Vvds};
use cica_disk::{Disk, Open};
use std::io;
use std::path::{Path, PathBuf};

/// Names that are tried for a copy.
const TRIES: u32 = 1 << 16;

/// Sets the copy of this name aside, if there is one and it names what none of `known` does (A1).
///
/// # Errors
/// It cannot be read, or get another name: nothing may be written under its name.
pub(crate) fn make_way(disk: &dyn Disk, directory: &Path, name: &str, known: &[&Contents]) -> Result<(), CatalogError> {
    match read_one(disk, &directory.join(name)) {
        Err(error) if error.is_not_there() => Ok(()),
        Ok(copy) if !tells_more(&copy, known) => Ok(()),
        Ok(_) | Err(CatalogError::Damaged { .. } | CatalogError::Version { .. }) => set_aside(disk, directory, name),
        Err(error) => Err(error),
    }
}

/// The same of all copies of the catalog at `place`, by whatever name its directory was given.
///
/// # Errors
/// The same, of any of them.
pub(crate) fn make_way_for(
    disk: &dyn Disk,
    directory: &Path,
    place: &Path,
    known: &[&Contents],
) -> Result<(), CatalogError> {
    let linked = by_links(disk, directory, place).map_err(|source| CatalogError::Io {
        doing: "read",
        path: directory.to_owned(),
        source,
    })?;
    let linked = linked.into_iter().map(|(_, name)| name);
    let mut names = std::iter::once(name_of(place)).chain(linked);
    names.try_for_each(|name| make_way(disk, directory, &name, known))
}

/// Does a copy name anything that none of `known` does?
fn tells_more(copy: &Vvds, known: &[&Contents]) -> bool {
    let mut entries = copy.contents.entries();
    let mut leftovers = copy.contents.leftovers();
    entries.any(|entry| known.iter().all(|known| known.find(entry.name()).is_none()))
        || leftovers.any(|(serial, file)| known.iter().all(|known| !known.is_taken(serial, file)))
}

fn set_aside(disk: &dyn Disk, directory: &Path, name: &str) -> Result<(), CatalogError> {
    let path = directory.join(name);
    let failed = |source| CatalogError::Io {
        doing: "set aside",
        path: path.clone(),
        source,
    };
    let free = free_name(disk, directory, name).map_err(failed)?;
    disk.rename(&path, &free).map_err(failed)?;
    files::sync_directory(disk, directory).map_err(failed)
}

/// A name of a copy that nothing in the directory has.
fn free_name(disk: &dyn Disk, directory: &Path, name: &str) -> io::Result<PathBuf> {
    for n in 1..TRIES {
        let path = directory.join(copy_name(format!("{name} {n}").as_bytes()));
        match disk.open(&path, Open::default()) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

impl Catalog {
    /// Takes the copy off a volume that the catalog has given up. `before` is what it knew of it.
    pub fn give_up_copy(&self, volume: &Volume, before: &Contents) {
        let directory = volume.path(&self.directory);
        let made_way = make_way_for(&*self.disk, &directory, &self.place, &[before]);
        // One that stays is of a catalog that does not know the volume, and is not asked for.
        if made_way.is_ok() {
            self.remove_vvds(volume);
        }
    }

    /// Takes away a copy that was taken in; what the catalog has not taken stays in it, as its own (A2).
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn clear_copy(&self, path: &Path, copy: &Vvds) -> Result<(), CatalogError> {
        let contents = self.contents()?;
        let mut left = copy
            .contents
            .entries()
            .filter(|entry| contents.find(entry.name()).is_none());
        let directory = path.parent().unwrap_or(path);
        let Some(first) = left.next() else {
            return self.remove_copy(path);
        };
        let head = Head {
            directory: self.place.clone(),
            known_as: self.known_as(),
            serial: copy.head.serial.clone(),
        };
        let left = std::iter::once(first).chain(left);
        let (_, bytes) = wire::encode(&head, &copy.contents, left, copy.generation);
        let mut next = path.as_os_str().to_owned();
        next.push(".new");
        files::replace(&*self.disk, directory, (Path::new(&next), path, path), &bytes)
    }

    /// Takes away a copy that says nothing that the catalog did not know.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn remove_copy(&self, path: &Path) -> Result<(), CatalogError> {
        let failed = |source| CatalogError::Io {
            doing: "remove",
            path: path.to_owned(),
            source,
        };
        match self.disk.remove(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => files::sync_directory(&*self.disk, path.parent().unwrap_or(path)).map_err(failed),
        }
    }
}
