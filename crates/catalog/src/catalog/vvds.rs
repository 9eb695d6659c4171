//! What each volume keeps of the catalogs that use it, so that a lost catalog can be made anew: its VVDS.
//!
//! ```text
//! <volume>/.vvds-XXXXXXXX   of the catalog whose directory has this CRC-32C; the bytes: `wire::vvds`
//! ```
//! A copy holds the entries of the data sets that lie on its volume, the leftovers there, and everything that has no
//! file to be found by: aliases, paths, generation data groups, data sets that are not VSAM's, user catalogs, volumes.
//!
//! Invariants:
//!
//! * V1. Copies are written before the catalog is: what was acknowledged is on every volume that could be written, and
//!   what is not acknowledged may be there too.
//! * V2. A volume that cannot be written does not stop a change, which is safe in the catalog itself. Each change
//!   looks at all copies and writes those that are not what they should be.
//! * V3. A copy is replaced as a whole, like the catalog (K1).
//! * V4. An entry with files stands in the copy of its data component's volume alone, so no two copies contradict each
//!   other; what has no files is right in the copy of the highest generation.
//! * V5. A copy of a higher generation is of a catalog that was lost, and is left alone: a new catalog in its place
//!   must not forget what can still be taken in. [`Catalog::overtake`] ends that.
//! * V6. A copy of a later generation than the catalog's may be of a process that was killed between its rename and the
//!   sync of the directory. Where a change needs that copy as it is, it syncs the directory.

use super::files;
use super::store;
use super::Catalog;
use crate::contents::Contents;
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::volume::{Volser, Volume};
pub use crate::wire::vvds::Vvds;
use crate::wire::vvds::{self, Head};
use cica_disk::{Disk, Open};
use cica_format::checksum::crc32c;
use cica_format::VOLUME_MARK;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What the names of all copies begin with.
const STEM: &str = ".vvds-";
/// No head of a copy is longer: two paths.
const HEAD: usize = 16 << 10;
/// No copy is longer: a million entries.
const LONGEST: u64 = 1 << 30;

/// The copies in the directory of a volume, damaged ones as errors, in order of their names.
///
/// # Errors
/// The directory cannot be read.
pub fn read_all(disk: &dyn Disk, directory: &Path) -> io::Result<Vec<Result<Vvds, CatalogError>>> {
    let mut found = disk.list(directory)?;
    found.retain(|(name, _)| is_copy(&name.to_string_lossy()));
    found.sort();
    let read = |(name, length): &(PathBuf, u64)| read(disk, &directory.join(name), *length);
    Ok(found.iter().map(read).collect())
}

/// `.vvds-` and eight digits; one that is being written has more.
fn is_copy(name: &str) -> bool {
    name.strip_prefix(STEM)
        .is_some_and(|id| id.len() == 8 && id.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn read(disk: &dyn Disk, path: &Path, length: u64) -> Result<Vvds, CatalogError> {
    if length > LONGEST {
        return Err(CatalogError::Damaged {
            path: path.to_owned(),
            offset: LONGEST,
            what: format!("{length} bytes are more than any catalog has"),
        });
    }
    let bytes = files::read_file(disk, path)?;
    vvds::decode(&bytes).map_err(|error| error.of(path))
}

/// The entries that are right among the copies of one catalog, whose own generation is `known` (V4): with files those of
/// each volume's copy, without files those of the newest, if that knows more than the catalog.
pub fn entries(copies: &[&Vvds], known: u64) -> Vec<Entry> {
    let newest = copies.iter().max_by_key(|copy| copy.generation);
    let newest = newest.filter(|copy| copy.generation > known);
    let fileless = newest.into_iter().flat_map(|copy| copy.contents.entries());
    let fileless = fileless.filter(|entry| home(entry).is_none());
    let with_files = copies.iter().flat_map(|copy| {
        let here = |entry: &&Entry| home(entry) == Some(&copy.head.serial);
        copy.contents.entries().filter(here)
    });
    fileless.chain(with_files).cloned().collect()
}

/// The volume of an entry's data component; none for one without files.
fn home(entry: &Entry) -> Option<&Volser> {
    entry.components().next()?.1.volumes.first()
}

impl Catalog {
    /// Which of a volume's copies is that of this catalog. Of a catalog that was given by a relative name, its whole
    /// name counts.
    pub fn vvds_name(&self) -> String {
        format!("{STEM}{:08x}", crc32c(self.whole_directory().as_os_str().as_bytes()))
    }

    fn whole_directory(&self) -> PathBuf {
        std::path::absolute(&self.directory).unwrap_or_else(|_| self.directory.clone())
    }

    /// Brings the copies on all volumes to `next` (V1, V2), from the generation that the catalog has to another.
    pub(crate) fn write_vvds(&self, next: &Contents, now: u64, generation: u64) {
        for volume in next.volumes() {
            // V2: the next change tries again.
            let _ = self.write_copy(next, volume, now, generation);
        }
    }

    /// The copy of this catalog in a directory, if there is one.
    pub(crate) fn kept_in(&self, directory: &Path) -> Option<Vvds> {
        let bytes = files::read_file(&*self.disk, &directory.join(self.vvds_name())).ok()?;
        vvds::decode(&bytes).ok()
    }

    /// Does what is kept in a directory say that it is this volume of this catalog? It is only looked at.
    pub(crate) fn is_claimed(&self, volume: &Volume, directory: &Path) -> bool {
        let head = self.head(volume);
        let kept = self.disk.look(&directory.join(self.vvds_name()), HEAD);
        let kept = kept.ok().and_then(|bytes| vvds::head(&bytes).ok());
        kept.is_some_and(|kept| kept.directory == head.directory && kept.serial == head.serial)
    }

    /// Is the copy on a volume what it should be? For DIAGNOSE.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check_vvds(&self, volume: &Volume) -> Result<(), CatalogError> {
        let contents = self.contents()?;
        let path = volume.path(&self.directory).join(self.vvds_name());
        let found = files::read_file(&*self.disk, &path)?;
        let (_, wanted) = vvds::encode(&self.head(volume), &contents, kept(&contents, volume), 0);
        if vvds::same(&found, &wanted) {
            vvds::decode(&found).map(drop).map_err(|error| error.of(&path))
        } else {
            Err(CatalogError::Io {
                doing: "bring up to date",
                path,
                source: io::Error::other("it is not what the catalog says; the next change of the catalog writes it"),
            })
        }
    }

    /// Makes the catalog later than `generation`, after what copies of that generation say was taken in (V5).
    pub fn overtake(&self, generation: u64) -> Result<(), CatalogError> {
        let lock = files::lock(&*self.disk, &self.directory, self.patience_now())?;
        let contents = self.contents()?;
        if self.generation()? > generation {
            return Ok(());
        }
        self.write_vvds(&contents, self.generation()?, generation + 1);
        let header = store::write(&*self.disk, &self.directory, &contents, generation + 1, &*lock)?;
        self.remember(header, contents);
        Ok(())
    }

    /// Removes the copy from a volume that the catalog gives up.
    pub fn remove_vvds(&self, volume: &Volume) {
        // One that stays is of a catalog that does not know the volume, and is not asked for.
        let _ = self.disk.remove(&volume.path(&self.directory).join(self.vvds_name()));
    }

    fn write_copy(&self, next: &Contents, volume: &Volume, now: u64, generation: u64) -> Result<(), CatalogError> {
        let directory = volume.path(&self.directory);
        if !self.is_mounted(next, volume, &directory) {
            return Ok(());
        }
        let (length, wanted) = vvds::encode(&self.head(volume), next, kept(next, volume), generation);
        let path = directory.join(self.vvds_name());
        let known = files::read_start(&*self.disk, &path, length).unwrap_or_default();
        let written = vvds::generation(&known);
        if vvds::same(&known, &wanted) && written > Some(now) {
            let path = directory.clone();
            return files::sync_directory(&*self.disk, &directory)
                .map_err(|source| CatalogError::NotDurable { path, source });
        }
        if vvds::same(&known, &wanted) || written > Some(generation) {
            return Ok(());
        }
        let new = directory.join(format!("{}.new", self.vvds_name()));
        files::replace(&*self.disk, &directory, &new, &path, &wanted)
    }

    fn head(&self, volume: &Volume) -> Head {
        Head {
            directory: self.whole_directory(),
            known_as: self.known_as(),
            serial: volume.serial.clone(),
        }
    }

    /// A volume that should have files and has none, nor its mark, is a mount point without its volume.
    pub(crate) fn is_mounted(&self, contents: &Contents, volume: &Volume, directory: &Path) -> bool {
        let mut here = contents
            .entries()
            .filter(|entry| home(entry) == Some(&volume.serial))
            .filter_map(|entry| Some(&entry.components().next()?.1.file))
            .peekable();
        if here.peek().is_none() {
            let how = Open {
                directory: true,
                ..Open::default()
            };
            return self.disk.open(directory, how).is_ok();
        }
        let is_there = |path: PathBuf| self.disk.open(&path, Open::default()).is_ok();
        is_there(directory.join(VOLUME_MARK)) || here.any(|file| is_there(file.in_directory(directory)))
    }
}

/// What the copy of a volume holds of the entries.
fn kept<'c>(contents: &'c Contents, volume: &'c Volume) -> impl Iterator<Item = &'c Entry> {
    contents
        .entries()
        .filter(|entry| home(entry).is_none_or(|serial| *serial == volume.serial))
}
