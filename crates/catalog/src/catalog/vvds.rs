//! What each volume keeps of the catalogs that use it, so that a lost catalog can be made anew: its VVDS.
//!
//! ```text
//! <volume>/.vvds-XXXXXXXX   of the catalog whose directory, links followed, has this CRC-32C; the bytes: `wire::vvds`
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
//!   other; what has no files is right in the copy of the highest generation. Generations of two catalogs say nothing
//!   of each other, though both were in one directory: of each of them the newest copy counts.
//! * V5. A copy of a lost catalog is not written over. It is one in a volume that the catalog did not know before this
//!   change, or one of a later generation than the catalog's. It is set aside (`aside`).
//! * V6. A copy of a later generation than the catalog's may be of a process that was killed between its rename and the
//!   sync of the directory. Where a change needs that copy as it is, it syncs the directory.
//! * V7. What cannot be read is not taken for what is not there. Nothing is written over it; the next change tries
//!   again.
//! * V8. Earlier releases followed no links: a copy that they named by one is the catalog's as those of its own name are.
//!   It goes when the first of these is written beside it, or when the volume is looked through.

use super::aside::make_way;
pub use super::copies::read_all;
use super::copies::{by_links, head_of, is_of, name_of, read_one};
use super::files;
use super::store;
use super::Catalog;
use crate::contents::Contents;
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::place;
use crate::volume::{Volser, Volume};
pub use crate::wire::vvds::Vvds;
use crate::wire::vvds::{self, Head};
use cica_disk::Open;
use cica_format::VOLUME_MARK;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The entries with files that are right among copies (V4): those of each volume's copy, the newest first.
pub fn with_files(copies: &[&Vvds]) -> Vec<Entry> {
    let here = |copy: &&Vvds| {
        let here = |entry: &&Entry| home(entry) == Some(&copy.head.serial);
        copy.contents.entries().filter(here).cloned().collect::<Vec<_>>()
    };
    newest_first(copies).iter().flat_map(here).collect()
}

/// The entries without files that are right among copies (V4): those of the newest one of each catalog. A copy is of
/// the same catalog as another that knows its volume and is no copy of that volume itself.
pub fn without_files(copies: &[&Vvds]) -> Vec<Entry> {
    // The newest copy of each catalog, and the volumes that copies of it are of.
    let mut catalogs: Vec<(&Vvds, BTreeSet<&Volser>)> = Vec::new();
    for copy in newest_first(copies) {
        let serial = &copy.head.serial;
        let same = |(newest, volumes): &&mut (&Vvds, BTreeSet<&Volser>)| {
            newest.contents.volume(serial).is_ok() && !volumes.contains(serial)
        };
        match catalogs.iter_mut().find(same) {
            Some((_, volumes)) => drop(volumes.insert(serial)),
            None => catalogs.push((copy, BTreeSet::from([serial]))),
        }
    }
    let fileless = |(copy, _): &(&Vvds, _)| {
        let fileless = copy.contents.entries().filter(|entry| home(entry).is_none());
        fileless.cloned().collect::<Vec<_>>()
    };
    catalogs.iter().flat_map(fileless).collect()
}

fn newest_first<'c>(copies: &[&'c Vvds]) -> Vec<&'c Vvds> {
    let mut sorted = copies.to_vec();
    sorted.sort_by_key(|copy| std::cmp::Reverse(copy.generation));
    sorted
}

/// The volume of an entry's data component; none for one without files.
fn home(entry: &Entry) -> Option<&Volser> {
    entry.components().next()?.1.volumes.first()
}

impl Catalog {
    /// Which of a volume's copies is that of this catalog.
    pub fn vvds_name(&self) -> String {
        name_of(&self.place)
    }

    /// The name that its copies had in earlier releases, where its directory was reached through a link; else nothing.
    fn earlier_name(&self) -> Option<(PathBuf, String)> {
        let spelled = place::spelled(&self.directory);
        let name = name_of(&spelled);
        (spelled != self.place).then_some((spelled, name))
    }

    /// Is this copy, which has this name in this directory, one of this catalog as it is, and not of one that was lost?
    /// The catalog's directory may have been given another name when it was written.
    pub fn is_own_copy(&self, contents: &Contents, directory: &Path, name: &Path, copy: &Vvds) -> bool {
        let is_here = |volume: &Volume| place::is_same(&*self.disk, &volume.path(&self.directory), directory);
        let is_own = is_of(&*self.disk, &copy.head.directory, &name.to_string_lossy(), &self.place);
        is_own && contents.volumes().any(is_here)
    }

    /// Brings the copies on all volumes from what the catalog is to what it becomes (V1, V2), with the generation of
    /// each.
    pub(crate) fn write_vvds(&self, contents: (&Contents, &Contents), generations: (u64, u64)) {
        for volume in contents.1.volumes() {
            // V2: the next change tries again.
            let _ = self.write_copy(contents, volume, generations);
        }
    }

    /// The copy of this catalog in a directory; none if there is none, or one that says nothing.
    ///
    /// # Errors
    /// It cannot be read (V7).
    pub(crate) fn kept_in(&self, directory: &Path) -> Result<Option<Vvds>, CatalogError> {
        match read_one(&*self.disk, &self.copy_in(directory).1) {
            Ok(copy) => Ok(Some(copy)),
            Err(CatalogError::Damaged { .. } | CatalogError::Version { .. }) => Ok(None),
            Err(error) if error.is_not_there() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Does what is kept in a directory say that it is this volume of this catalog? It is only looked at.
    pub(crate) fn is_claimed(&self, volume: &Volume, directory: &Path) -> bool {
        let own = (self.place.clone(), self.vvds_name());
        let mut names = std::iter::once(own).chain(self.earlier_name());
        names.any(|(place, name)| {
            let kept = head_of(&*self.disk, &directory.join(name));
            kept.is_some_and(|kept| kept.directory == place && kept.serial == volume.serial)
        })
    }

    /// Is the copy on a volume what it should be? For DIAGNOSE.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check_vvds(&self, volume: &Volume) -> Result<(), CatalogError> {
        let contents = self.contents()?;
        let (named, path) = self.copy_in(&volume.path(&self.directory));
        let found = files::read_file(&*self.disk, &path)?;
        let head = Head {
            directory: named,
            ..self.head(volume)
        };
        let (_, wanted) = vvds::encode(&head, &contents, kept(&contents, volume), 0);
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

    /// The path of this catalog's copy in a directory, and what it calls the catalog's: that of an earlier release while
    /// there is no other.
    fn copy_in(&self, directory: &Path) -> (PathBuf, PathBuf) {
        let own = directory.join(self.vvds_name());
        let is_missing = matches!(self.disk.open(&own, Open::default()), Err(e) if e.kind() == io::ErrorKind::NotFound);
        let linked = is_missing.then(|| by_links(&*self.disk, directory, &self.place).ok());
        // One that cannot be looked for is told as the one that is not there.
        match linked.flatten().and_then(|linked| linked.into_iter().next()) {
            Some((named, name)) => (named, directory.join(name)),
            None => (self.place.clone(), own),
        }
    }

    /// Makes the catalog later than `generation`, after what copies of that generation say was taken in: so copies that
    /// come back later are not taken for newer.
    pub fn overtake(&self, generation: u64) -> Result<(), CatalogError> {
        let lock = files::lock(&*self.disk, &self.directory, self.patience_now())?;
        let contents = self.contents()?;
        if self.generation()? > generation {
            return Ok(());
        }
        self.write_vvds((&*contents, &*contents), (self.generation()?, generation + 1));
        let header = store::write(&*self.disk, &self.directory, &contents, generation + 1, &*lock)?;
        self.remember(header, contents);
        Ok(())
    }

    /// Removes the copy from a volume that the catalog gives up.
    pub fn remove_vvds(&self, volume: &Volume) {
        let directory = volume.path(&self.directory);
        // What is not found stays, as what cannot be removed.
        let linked = by_links(&*self.disk, &directory, &self.place).unwrap_or_default();
        for name in std::iter::once(self.vvds_name()).chain(linked.into_iter().map(|(_, name)| name)) {
            // One that stays is of a catalog that does not know the volume, and is not asked for.
            let _ = self.disk.remove(&directory.join(name));
        }
    }

    fn write_copy(
        &self,
        (now, next): (&Contents, &Contents),
        volume: &Volume,
        (was, generation): (u64, u64),
    ) -> Result<(), CatalogError> {
        let directory = volume.path(&self.directory);
        if !self.is_mounted(next, volume, &directory) {
            return Ok(());
        }
        let (length, wanted) = vvds::encode(&self.head(volume), next, kept(next, volume), generation);
        let path = directory.join(self.vvds_name());
        let known = match files::read_start(&*self.disk, &path, length) {
            Err(error) if error.is_not_there() => None,
            read => Some(read?),
        };
        let is_same = known.as_ref().is_some_and(|known| vvds::same(known, &wanted));
        let written = known.as_ref().map(|known| vvds::generation(known));
        let is_volume = |known: &Volume| known.path(&self.directory) == directory;
        let is_own = |written: Option<u64>| {
            written.is_some_and(|written| written <= generation) && now.volume(&volume.serial).is_ok_and(is_volume)
        };
        match written {
            Some(Some(written)) if is_same && written > was => {
                files::sync_directory(&*self.disk, &directory).map_err(|source| CatalogError::NotDurable {
                    path: directory.clone(),
                    source,
                })?;
            }
            _ if is_same => {}
            _ => {
                if written.is_some_and(|written| !is_own(written)) {
                    make_way(&*self.disk, &directory, &self.vvds_name(), &[now, next])?;
                }
                let new = directory.join(format!("{}.new", self.vvds_name()));
                // Who may read the catalog may read its copies.
                let like = self.directory.join("catalog");
                files::replace(&*self.disk, &directory, (&new, &path, &like), &wanted)?;
            }
        }
        // Those of earlier releases: the first copy is written beside them. What cannot be looked for stays, as below.
        let linked = match known {
            None => by_links(&*self.disk, &directory, &self.place).unwrap_or_default(),
            Some(_) => Vec::from_iter(self.earlier_name()),
        };
        for (_, earlier) in linked {
            match read_one(&*self.disk, &directory.join(&earlier)) {
                Err(error) if error.is_not_there() => continue,
                Ok(copy) if is_own(Some(copy.generation)) => {}
                _ => make_way(&*self.disk, &directory, &earlier, &[now, next])?,
            }
            // One that stays is removed by the next change, or when the volumes are looked through.
            let _ = self.disk.remove(&directory.join(&earlier));
        }
        Ok(())
    }

    fn head(&self, volume: &Volume) -> Head {
        Head {
            directory: self.place.clone(),
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
