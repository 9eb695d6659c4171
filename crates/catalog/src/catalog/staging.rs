//! Files that no entry names: those that are being made, and those of data sets that are deleted or replaced.
//!
//! The files of an IMPORT, a RESTORE or a reorganization are listed in the catalog as leftovers before they are
//! filled; the one change that lets entries name them takes them off the list, and puts the files they replace on it.
//! A DELETE, and a generation that rolls off, put files on the list with the change that takes their entry out.
//!
//! | at the crash | files listed | by the next open of the catalog |
//! |---|---|---|
//! | before the change | the new ones | the new ones are removed; what was is as it was |
//! | after it | the old ones | these are removed, overwritten before where ERASE was said; what is new is there |
//!
//! * G1. Who makes files, or may yet put an entry back, holds a shared lock on `making` from before they are listed until
//!   they are not; the open of a catalog removes leftovers only under an exclusive lock on it. So nobody removes what
//!   somebody makes.
//! * G2. A file goes off the list after it is removed, under the catalog's lock.
//! * G3. A file that is to be overwritten is removed only when its zeros are durable. That takes long, and nobody who
//!   changes the catalog waits for it.
//! * G4. Catalogs share volumes. Before the open of a catalog removes a file, it asks all catalogs around it, and
//!   leaves the file listed while one cannot be read. A file that another names, or lists, is not this one's, and goes
//!   off the list. Who lists a file has looked whether another does.

use super::connected::all_below;
use super::files;
use super::store;
use super::Catalog;
use crate::contents::Contents;
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::place;
pub use crate::volume::VolumeFile;
use crate::volume::{Volser, Volume};
use cica_disk::{File, FileName, Lock, Open};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
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
        self.making(Lock::Shared, files::PATIENCE)
            .map(|lock| Staging { _lock: lock })
    }

    fn making(&self, lock: Lock, patience: Duration) -> Result<Box<dyn File>, CatalogError> {
        files::wait_for(&*self.disk, self.directory.join("making"), lock, patience)
    }

    /// Removes those of these files that are listed as leftovers, and takes them off the list, within a change of the
    /// catalog (G2); the caller has overwritten those that ask for it (G3). What is returned stays listed.
    pub fn remove_leftovers(&self, contents: &mut Contents, files: &[VolumeFile]) -> Vec<(PathBuf, io::Error)> {
        let mut left = Vec::new();
        for place in files {
            if contents.leftovers().any(|leftover| leftover == place) {
                left.extend(self.remove_leftover(contents, place).err());
            }
        }
        left
    }

    /// Removes the leftovers, unless somebody makes files just now. What cannot be removed stays listed and is tried
    /// again by the next open; so nothing of this is an error.
    pub(crate) fn clear_leftovers(&self) {
        let Ok(_alone) = self.making(Lock::Exclusive, Duration::ZERO) else {
            return;
        };
        // Only who knows the catalogs around knows whose files these are (connected:U3).
        if self.lacks_master() {
            return;
        }
        // What the list says is true of the durable catalog only: an old file is not in the way of going back to it.
        let (Ok(()), Ok(listed)) = (files::sync_directory(&*self.disk, &self.directory), self.contents()) else {
            return;
        };
        // G4. As long as it is listed nobody else takes it.
        let Ok(others) = self.files_around(&listed) else {
            return;
        };
        let is_anothers = |(serial, file): &VolumeFile| {
            let volume = listed.volume(serial);
            volume.is_ok_and(|volume| others.contains(&self.real_file(volume, file)))
        };
        let (theirs, own): (Vec<_>, Vec<_>) = listed.leftovers().cloned().partition(is_anothers);
        let ready = |place: &VolumeFile| !listed.erases(place) || self.overwrite_leftover(&listed, place).is_ok();
        let ready: Vec<VolumeFile> = own.into_iter().filter(ready).collect();
        // Whoever changes the catalog just now is not kept waiting, nor waited for.
        let _ = self.transact_within(Duration::ZERO, |contents| -> Result<(), CatalogError> {
            self.remove_leftovers(contents, &ready);
            for (serial, file) in &theirs {
                contents.remove_leftover(serial, file);
            }
            Ok(())
        });
    }

    /// The files that the catalogs around this one have: of entries, and of what is made or goes (G4).
    fn files_around(&self, own: &Contents) -> Result<BTreeSet<PathBuf>, CatalogError> {
        let (mut files, mut seen) = (BTreeSet::new(), BTreeSet::from([self.place.clone()]));
        let mut waiting = all_below(own, &self.directory);
        waiting.push(self.top());
        while let Some(directory) = waiting.pop() {
            if !seen.insert(place::real(&*self.disk, &directory)) {
                continue;
            }
            files::admit(&*self.disk, &directory, false)?;
            let (_, contents) = store::read(&*self.disk, &directory)?;
            waiting.extend(all_below(&contents, &directory));
            let named = contents.entries().flat_map(Entry::files);
            for (serial, file) in named.chain(contents.leftovers().cloned()) {
                if let Ok(volume) = contents.volume(&serial) {
                    let volume = place::real(&*self.disk, &volume.path(&directory));
                    files.insert(file.in_directory(&volume));
                }
            }
        }
        Ok(files)
    }

    fn real_file(&self, volume: &Volume, file: &FileName) -> PathBuf {
        file.in_directory(&place::real(&*self.disk, &volume.path(&self.directory)))
    }

    /// Durable zeros (G3); a file that is not there needs none.
    fn overwrite_leftover(&self, contents: &Contents, (serial, file): &VolumeFile) -> io::Result<()> {
        let path = file.in_directory(&self.leftover_directory(contents, serial)?);
        let how = Open {
            write: true,
            ..Open::default()
        };
        match self.disk.open(&path, how) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            file => cica_disk::overwrite(&*file?),
        }
    }

    fn remove_leftover(
        &self,
        contents: &mut Contents,
        (serial, file): &VolumeFile,
    ) -> Result<(), (PathBuf, io::Error)> {
        let failed = |error| (PathBuf::from(file.as_str()), error);
        let directory = self.leftover_directory(contents, serial).map_err(failed)?;
        let path = file.in_directory(&directory);
        match self.disk.remove(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound && self.has_copy(&directory) => {}
            removed => removed.map_err(|error| (path.clone(), error))?,
        }
        // Also where it was gone: that may not be durable yet.
        files::sync_directory(&*self.disk, &directory).map_err(|error| (path, error))?;
        contents.remove_leftover(serial, file);
        Ok(())
    }

    /// This catalog's own file on a volume: an empty mount point has not even that.
    fn has_copy(&self, directory: &Path) -> bool {
        self.disk
            .open(&directory.join(self.vvds_name()), Open::default())
            .is_ok()
    }

    /// Where the volume's files are; one that is not mounted has its files still.
    fn leftover_directory(&self, contents: &Contents, serial: &Volser) -> io::Result<PathBuf> {
        let not_there = || io::Error::new(ErrorKind::NotFound, format!("volume {serial} is not there"));
        let volume = contents.volume(serial).map_err(|_| not_there())?;
        let directory = volume.path(&self.directory);
        self.disk.list(&directory)?;
        if self.is_mounted(contents, volume, &directory) {
            Ok(directory)
        } else {
            Err(not_there())
        }
    }
}
