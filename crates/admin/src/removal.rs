//! Files that go with their entries: what DELETE and generations that roll off have in common.
//!
//! ```text
//! lock the files -- one change: the entry goes out, its files are listed as leftovers -- they are overwritten where
//!   ERASE was said, and removed -- they go off the list with the next change, or at the end
//! ```
//! 1. Whatever stops the command after the change leaves listed files, which the next open of the catalog removes, and
//!    overwrites before (`cica_catalog::staging`). So no file is left that nothing knows of.
//! 2. Nobody has a cluster open when its entry goes, and nobody can open it until its files are gone.
//! 3. The file of a data set that is not VSAM's, which nobody locks, goes within a change of the catalog and only while
//!    it is listed: never under the hands of somebody who enters it again.
//! 4. One whose file is outside the volumes, where others make files, loses it before its entry goes: never later.
//! 5. Nothing goes, with its files or without them, that a unit of recovery in doubt has changed (`decided`).
//! 6. Many entries cost one change each, and one more.

use super::failure::{left_behind, Failure};
use super::{decided, Services};
use cica_catalog::entry::NonVsam;
use cica_catalog::staging::VolumeFile;
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name, Staging};
use cica_disk::Open;
use cica_engine::{Condemned, OpenError};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Entries of one catalog that go with their files.
pub struct Removal<'s> {
    services: &'s Services,
    catalog: &'s Catalog,
    /// From the first files on: an entry may yet be put back.
    right: Option<Staging>,
    /// Files that may go, or are gone, and are listed still.
    listed: Vec<VolumeFile>,
    /// What could not be removed.
    left: Vec<(PathBuf, io::Error)>,
}

impl<'s> Removal<'s> {
    /// Nothing is taken out yet.
    pub fn begin(services: &'s Services, catalog: &'s Catalog) -> Removal<'s> {
        Removal {
            services,
            catalog,
            right: None,
            listed: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Refuses to take out what a unit in doubt has changed (5).
    pub fn check(&self, entry: &Entry) -> Result<(), Failure> {
        decided::check(self.services, self.catalog, entry)
    }

    /// Takes an entry out, and leaves files it may have.
    pub fn forget(&mut self, entry: &Entry) -> Result<(), Failure> {
        self.check(entry)?;
        self.change(Some(entry), |contents| contents.remove(entry.name()).map(drop))
    }

    /// Takes out the entry of a catalog, and lists the files that it was to remove: whether each is overwritten before.
    pub fn forget_for(&mut self, entry: &Entry, inherited: &[(VolumeFile, bool)]) -> Result<(), Failure> {
        self.change(Some(entry), |contents| {
            contents.remove(entry.name())?;
            for ((serial, file), erase) in inherited {
                if !contents.is_taken(serial, file) {
                    contents.add_leftover(serial, file, *erase);
                }
            }
            Ok(())
        })
    }

    /// Takes an entry out and removes its files; `erase` overwrites them first.
    ///
    /// # Errors
    /// Nothing was done, or the records are still there and so is the entry.
    pub fn scratch(&mut self, entry: &Entry, erase: bool) -> Result<(), Failure> {
        if let Entry::NonVsam(data_set) = entry {
            return self.scratch_file(entry, data_set, erase);
        }
        let Some((files, paths)) = self.condemn(entry)? else {
            return self.forget(entry);
        };
        if self.right.is_none() {
            self.right = Some(self.catalog.stage()?);
        }
        self.change(Some(entry), |contents| {
            contents.remove(entry.name())?;
            contents.add_leftovers_of(entry, erase);
            Ok(())
        })?;
        let Err(error) = files.destroy(erase) else {
            self.listed.extend(entry.files());
            return Ok(());
        };
        let is_there = |path: &PathBuf| self.services.disk.open(path, Open::default()).is_ok();
        if !erase && is_there(&paths[0]) {
            // The records are still there: so is the entry.
            self.catalog.transact(|contents| contents.insert(entry.clone()))?;
            return Err(error.into());
        }
        let path = paths.into_iter().find(is_there).unwrap_or_default();
        self.left.push((path, io::Error::other(error)));
        Ok(())
    }

    /// Its catalog.
    pub fn catalog(&self) -> &'s Catalog {
        self.catalog
    }

    /// Removes the files of an entry that is out already, and of a data set outside the volumes what it left there; the
    /// others are listed.
    pub fn out_already(&mut self, entry: &Entry) {
        let places = entry.files();
        match entry {
            Entry::NonVsam(data_set) if places.is_empty() => {
                match self.catalog.file_path(data_set) {
                    Ok(path) => self.left.extend(path.and_then(|path| remove(self.services, path))),
                    // It may be there, and no entry leads to it any more.
                    Err(error) => self.left.push((data_set.file.text().into(), io::Error::other(error))),
                }
            }
            _ => self.listed.extend(places),
        }
    }

    /// Tells what stays on the volumes; the condition code of that.
    pub fn end(mut self) -> Vec<Failure> {
        self.settle();
        let left = std::mem::take(&mut self.left);
        left.iter().map(|(path, error)| left_behind(path, error)).collect()
    }

    /// Locks the files of a cluster or alternate index (2); none: there are none.
    ///
    /// # Errors
    /// It is open, or a volume is not there: its files would stay, and come back with it; or a unit in doubt has
    /// changed it (5).
    pub fn condemn(&self, entry: &Entry) -> Result<Option<(Condemned, Vec<PathBuf>)>, Failure> {
        let mut paths = Vec::new();
        for (serial, file) in entry.files() {
            let directory = self.catalog.check_volume(self.catalog.contents()?.volume(&serial)?)?;
            paths.push(file.in_directory(&directory));
        }
        let Some(data) = paths.first() else {
            return Ok(None);
        };
        let index = paths.get(1).cloned().unwrap_or_default();
        let condemned = self.services.engine.condemn(data, &index)?;
        self.check(entry)?;
        Ok(Some((condemned, paths)))
    }

    fn scratch_file(&mut self, entry: &Entry, data_set: &NonVsam, erase: bool) -> Result<(), Failure> {
        let Some(path) = self.catalog.file_path(data_set)? else {
            return self.forget(entry);
        };
        let mut places = entry.files();
        let is_outside = places.is_empty();
        for (serial, _) in &places {
            self.catalog.check_volume(self.catalog.contents()?.volume(serial)?)?;
        }
        if !is_outside {
            self.change(Some(entry), |contents| {
                contents.remove(entry.name())?;
                contents.add_leftovers_of(entry, erase);
                Ok(())
            })?;
            // One that another entry names too is not listed, and stays.
            let contents = self.catalog.contents()?;
            places.retain(|place| contents.leftovers().any(|listed| listed == place));
            if places.is_empty() {
                return Ok(());
            }
        }
        if erase {
            match self.services.engine.overwrite(&path) {
                Ok(()) | Err(OpenError::Missing { .. }) => {}
                Err(error) => {
                    // It stays listed, to be overwritten by who may.
                    self.left.push((path, io::Error::other(error)));
                    return Ok(());
                }
            }
        }
        if is_outside {
            self.left.extend(remove(self.services, path));
            return self.forget(entry);
        }
        self.listed.extend(places);
        Ok(())
    }

    /// A change of the catalog, with which what is gone goes off the list (6).
    fn change(
        &mut self,
        gone: Option<&Entry>,
        change: impl FnOnce(&mut Contents) -> Result<(), CatalogError>,
    ) -> Result<(), Failure> {
        let listed = std::mem::take(&mut self.listed);
        let left = self.catalog.transact(|contents| -> Result<_, CatalogError> {
            let left = self.catalog.remove_leftovers(contents, &listed);
            change(contents)?;
            if let Some(gone) = gone {
                contents.group_changed(gone.name(), self.services.today());
            }
            Ok(left)
        });
        match left {
            Ok(left) => self.left.extend(left),
            Err(error) => {
                self.listed = listed;
                return Err(error.into());
            }
        }
        Ok(())
    }

    fn settle(&mut self) {
        if !self.listed.is_empty() {
            // What stays listed goes at the next open.
            let _ = self.change(None, |_| Ok(()));
        }
    }
}

impl Drop for Removal<'_> {
    fn drop(&mut self) {
        self.settle();
    }
}

/// Removes a file outside the volumes (4).
fn remove(services: &Services, path: PathBuf) -> Option<(PathBuf, io::Error)> {
    match services.disk.remove(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Some((path, error)),
        _ => None,
    }
}

/// The entry and all that name it, directly or by others, each before the one it names.
pub fn with_related(contents: &Contents, name: &Name) -> Result<Vec<Entry>, CatalogError> {
    let mut found = vec![contents.get(name)?.clone()];
    let mut next = 0;
    while let Some(entry) = found.get(next).cloned() {
        for related in contents.related(entry.name()) {
            if !found.iter().any(|known| known.name() == related.name()) {
                found.push(related.clone());
            }
        }
        next += 1;
    }
    found.reverse();
    Ok(found)
}
