//! Data sets made beside those in use, and put into the catalog by one change: what IMPORT, RESTORE and
//! reorganizations have in common.
//!
//! ```text
//! begin ---- list: names for the files, in the catalog's list of leftovers ---- the files are filled and closed
//!   ---- switch: one change of the catalog lets entries name them, and lists the files they replace
//!   ---- these are removed
//! ```
//! 1. Until `switch` nothing that was there is changed; whatever stops the command before leaves only listed files,
//!    which are removed at once or, after a crash, by the next open of the catalog (`cica_catalog::staging`).
//! 2. A data set that is replaced stays locked until its files are gone: nobody can write into what is to be removed.
//!    No unit of recovery in doubt has changed it (`decided`).

use super::failure::{refused, Failure};
use super::{decided, elsewhere, Services};
use cica_catalog::staging::VolumeFile;
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name, Staging, Volser};
use cica_disk::{Disk, File, FileName, Lock, Open};
use cica_engine::Engine;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// See the module.
pub struct Making {
    disk: Arc<dyn Disk>,
    engine: Engine,
    /// The one that leads to all others.
    master: Arc<Catalog>,
    catalog: Arc<Catalog>,
    _right: Staging,
    files: Vec<VolumeFile>,
}

/// A data set whose files go when another takes its place. Nobody has it open, and nobody can open it.
pub struct Replaced {
    entry: Entry,
    erase: bool,
    /// Kept, not used: the lock.
    _lock: Option<Box<dyn File>>,
}

impl Replaced {
    /// Locks the files of an entry. ERASE overwrites them before they go.
    ///
    /// # Errors
    /// It is open, or a unit in doubt has changed it.
    pub fn lock(services: &Services, catalog: &Catalog, entry: Entry, erase: bool) -> Result<Replaced, Failure> {
        let data = entry.components().next().map(|(_, component)| component.clone());
        let lock = match data {
            Some(component) => lock(&*services.disk, &catalog.component_path(&component)?)?,
            None => None,
        };
        decided::check(services, catalog, &entry)?;
        Ok(Replaced {
            entry,
            erase,
            _lock: lock,
        })
    }

    /// One that the caller has open for output, and keeps open until the switch is done.
    ///
    /// # Errors
    /// A unit in doubt has changed it.
    pub fn held(services: &Services, catalog: &Catalog, entry: Entry) -> Result<Replaced, Failure> {
        decided::check(services, catalog, &entry)?;
        let erase = entry.attributes().is_some_and(|a| a.erase);
        Ok(Replaced {
            entry,
            erase,
            _lock: None,
        })
    }
}

/// The exclusive lock of a component's file; none if it is not there.
pub fn lock(disk: &dyn Disk, path: &Path) -> Result<Option<Box<dyn File>>, Failure> {
    let how = Open {
        write: true,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    match disk.open(path, how) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            let by = disk.holder(path).map_or(String::new(), |by| format!(" by {by}"));
            let words = format!("{} is in use{by}; close it and try again", path.display());
            Err(refused(&words, 184, 6))
        }
        Err(error) => Err(refused(&error, 24, 0)),
    }
}

impl Making {
    /// Begins; nothing is listed yet.
    pub fn begin(services: &Services, catalog: &Arc<Catalog>) -> Result<Making, Failure> {
        Ok(Making {
            disk: services.disk.clone(),
            engine: services.engine.clone(),
            master: services.catalog.clone(),
            catalog: catalog.clone(),
            _right: catalog.stage()?,
            files: Vec::new(),
        })
    }

    /// The catalog in which it is made.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Gives the components of an entry files that nobody has, lists them, and returns their paths: data, and index or
    /// an empty path.
    pub fn list(&mut self, entry: &mut Entry) -> Result<(PathBuf, PathBuf), Failure> {
        let disk = self.disk.clone();
        let (master, catalog) = (self.master.clone(), self.catalog.clone());
        let (paths, listed, made) = catalog.transact(|contents| -> Result<_, Failure> {
            let (mut paths, mut listed, mut made) = (Vec::new(), Vec::new(), Vec::new());
            for component in entry.components_mut() {
                let serial = component
                    .volumes
                    .first()
                    .cloned()
                    .unwrap_or_else(Volser::default_serial);
                let directory = catalog.check_volume(contents.volume(&serial)?)?;
                let is_elsewhere = |path: &Path| elsewhere::holder(&*disk, &master.all()?, &catalog, &[path]);
                component.file = free_file(&*disk, contents, (&serial, &directory), &component.name, is_elsewhere)?;
                contents.add_leftover(&serial, &component.file, false);
                made.push(component.clone());
                paths.push(component.file.in_directory(&directory));
                listed.push((serial, component.file.clone()));
            }
            Ok((paths, listed, made))
        })?;
        // Its extents come from the volumes of its list, though no entry has that yet.
        made.iter().for_each(|component| catalog.begin_component(component));
        self.files.extend(listed);
        let mut paths = paths.into_iter();
        Ok((paths.next().unwrap_or_default(), paths.next().unwrap_or_default()))
    }

    /// Removes the files that `entry` was given: they were of use only meanwhile.
    pub fn discard(&mut self, entry: &Entry) -> Result<(), Failure> {
        for (_, component) in entry.components() {
            let Some(serial) = component.volumes.first() else {
                continue;
            };
            self.remove(serial, &component.file, false)?;
            self.catalog.end_component(&(serial.clone(), component.file.clone()));
            self.files.retain(|(on, file)| on != serial || *file != component.file);
        }
        Ok(())
    }

    /// The one change: `change` takes out what is replaced and puts in what was made.
    ///
    /// # Errors
    /// What `change` refuses, a volume that has not so many tracks left, or the catalog's reasons; then what was made
    /// goes and all is as before.
    pub fn switch(
        self,
        replaced: Vec<Replaced>,
        change: impl FnOnce(&mut Contents) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let old: Vec<(Volser, FileName, bool)> = replaced
            .iter()
            .flat_map(|r| r.entry.components().map(|(_, c)| (c, r.erase)))
            .filter_map(|(c, erase)| Some((c.volumes.first()?.clone(), c.file.clone(), erase)))
            .collect();
        self.catalog.transact(|contents| -> Result<(), Failure> {
            let gone = |(serial, file): &&VolumeFile| !contents.leftovers().any(|l| l.0 == *serial && l.1 == *file);
            if let Some((_, file)) = self.files.iter().find(gone) {
                return Err(refused(
                    &format!("{file} was removed while it was made; try again"),
                    24,
                    0,
                ));
            }
            for entry in replaced.iter().map(|r| &r.entry) {
                if contents.get(entry.name())? != entry {
                    let words = format!("the entry of {} was changed meanwhile; try again", entry.name());
                    return Err(refused(&words, 184, 6));
                }
            }
            change(contents)?;
            cica_session::check_room(&*self.disk, &self.master, &self.catalog, contents)?;
            old.iter()
                .for_each(|(serial, file, erase)| contents.add_leftover(serial, file, *erase));
            Ok(())
        })?;
        // From here on what is new is in the catalog. Old files that stay now go at the next open.
        for (serial, file, erase) in &old {
            let _ = self.remove(serial, file, *erase);
        }
        drop(replaced);
        Ok(())
    }

    /// Removes a file and takes it off the list.
    fn remove(&self, serial: &Volser, file: &FileName, erase: bool) -> Result<(), Failure> {
        let directory = self.catalog.volume_path(serial)?;
        let path = file.in_directory(&directory);
        let io = |doing: &'static str| {
            let path = path.clone();
            move |source| CatalogError::Io { doing, path, source }
        };
        if erase {
            self.engine.overwrite(&path)?;
        }
        match self.disk.remove(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(io("remove")(error).into()),
            _ => {}
        }
        let how = Open {
            directory: true,
            ..Open::default()
        };
        let synced = self.disk.open(&directory, how).and_then(|d| d.sync());
        synced.map_err(io("sync"))?;
        self.catalog.transact(|contents| {
            contents.remove_leftover(serial, file);
            Ok(())
        })
    }
}

impl Drop for Making {
    /// What was made and no entry names goes; what cannot be removed stays listed.
    fn drop(&mut self) {
        self.files.iter().for_each(|file| self.catalog.end_component(file));
        let Ok(contents) = self.catalog.contents() else { return };
        let listed: Vec<_> = self
            .files
            .iter()
            .filter(|f| contents.leftovers().any(|l| l == *f))
            .collect();
        for (serial, file) in listed {
            // It stays listed, and the next open of the catalog tries again.
            let _ = self.remove(serial, file, false);
        }
    }
}

/// The component's name, or the first of it with a number, that neither a component nor a leftover nor any other file
/// of the volume has, nor another catalog.
fn free_file(
    disk: &dyn Disk,
    contents: &Contents,
    (serial, directory): (&Volser, &Path),
    name: &Name,
    is_elsewhere: impl Fn(&Path) -> Result<Option<String>, CatalogError>,
) -> Result<FileName, CatalogError> {
    let numbered = (2..).map(|n| FileName::near(&format!("{name}~{n}")));
    let is_free = |file: &FileName| {
        let there = disk.open(&file.in_directory(directory), Open::default());
        !contents.is_taken(serial, file) && matches!(there, Err(error) if error.kind() == ErrorKind::NotFound)
    };
    // There are more numbers than files; a volume that answers nothing but errors ends the search.
    for file in std::iter::once(name.file()).chain(numbered).take(1 << 16) {
        if is_free(&file) && is_elsewhere(&file.in_directory(directory))?.is_none() {
            return Ok(file);
        }
    }
    // What has the name may be a data set's: it must not be listed as one that goes.
    Err(CatalogError::Io {
        doing: "find a free name on the volume at",
        path: directory.to_owned(),
        source: ErrorKind::AlreadyExists.into(),
    })
}
