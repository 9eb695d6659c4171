//! The catalog as a directory that several processes use at once.
//!
//! ```text
//! <catalog>/catalog        what `wire` describes; replaced as a whole, never written in place
//! <catalog>/catalog.new    the next one, while it is written
//! <catalog>/lock           whoever changes the catalog holds a lock on it; it holds the header of the
//!                          last one that is durable under its name (see `durable`)
//! <catalog>/defining       files that a DEFINE is making (see `defining`)
//! <catalog>/making         whoever makes files that no entry names yet holds a lock on it; it has no contents
//! <catalog>/log/           log segments of the engine
//! <catalog>/volumes/       volumes that were given no directory of their own
//! ```
//!
//! Invariants:
//!
//! * K1. Under the name `catalog` there is always a complete catalog: a new one gets the name only when it is durable,
//!   and by one rename. So a crash at any write leaves the old or the new one, and readers need no lock.
//! * K2. A change reads, alters and writes under one lock, so no change of another process is lost.
//! * K3. Each written catalog has a generation one above that of its predecessor.
//! * K4. Nobody acts on a catalog of which the name is not durable, so nothing that is acknowledged of a data set goes
//!   with its entry when the power fails.
//! * K5. What the file says is not trusted. A directory that it names is touched when it lies within the catalog's own or
//!   within another that may be, when the user trusts it, or when what is kept there says that it is a volume of this
//!   catalog: a catalog that was made elsewhere cannot have written that.

mod aside;
mod being_made;
pub mod connected;
mod copies;
pub mod defining;
mod durable;
mod files;
pub mod moves;
pub mod related;
pub mod staging;
mod store;
pub mod unmaking;
pub mod vvds;

use self::being_made::BeingMade;
use self::connected::Connections;
use self::store::Edition;
use crate::contents::Contents;
use crate::entry::{Component, Entry, FileOf, NonVsam};
use crate::error::CatalogError;
use crate::geometry::Device;
use crate::name::{Level, Mask, Name};
use crate::place;
use crate::symbols::Symbols;
use crate::volume::{Volser, Volume};
use crate::wire::Header;
use cica_disk::Disk;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An open catalog. Threads may share it; processes open their own.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) directory: PathBuf,
    /// Where that is, links followed: what others call this catalog.
    pub(crate) place: PathBuf,
    pub(crate) connections: Connections,
    /// How long a change waits for those of others.
    patience: Duration,
    /// What names with symbols are resolved by.
    symbols: Arc<Symbols>,
    /// What was last read or written.
    last: Mutex<Edition>,
    /// Components that this process makes and that no entry names yet.
    being_made: BeingMade,
}

impl Catalog {
    /// Opens the catalog in `directory`, which the user named; [`CatalogError::NoCatalog`] if there is none.
    pub fn open(disk: Arc<dyn Disk>, directory: impl Into<PathBuf>) -> Result<Catalog, CatalogError> {
        let directory = directory.into();
        files::admit(&*disk, &directory, true)?;
        let catalog = Catalog::open_admitted(disk, directory)?;
        catalog.clear();
        Ok(catalog)
    }

    /// Opens a catalog whose directory another catalog names (K5), to be looked at: what a crash left in it stays for
    /// who opens it through its master.
    pub fn open_named(disk: Arc<dyn Disk>, directory: impl Into<PathBuf>) -> Result<Catalog, CatalogError> {
        let directory = directory.into();
        files::admit(&*disk, &directory, false)?;
        let mut catalog = Catalog::open_admitted(disk, directory)?;
        catalog.connections.is_below = true;
        Ok(catalog)
    }

    fn open_admitted(disk: Arc<dyn Disk>, directory: PathBuf) -> Result<Catalog, CatalogError> {
        let last = store::read(&*disk, &directory)?;
        files::admit(&*disk, &directory.join("log"), false)?;
        files::admit(&*disk, &directory.join("archive"), false)?;
        let catalog = Catalog {
            place: place::real(&*disk, &directory),
            disk,
            directory,
            connections: Connections::default(),
            patience: files::PATIENCE,
            symbols: Arc::default(),
            last: Mutex::new(last),
            being_made: BeingMade::default(),
        };
        catalog.admit_volumes(&catalog.edition_guard().1);
        Ok(catalog)
    }

    /// Removes what a crash left, unless somebody makes files just now; each open does that.
    pub fn clear(&self) {
        let leftovers = self.edition_guard().1.leftovers().next().is_some();
        let is_defining = || self.was_defining(self.edition_guard().0.generation());
        if leftovers {
            self.clear_leftovers();
        }
        if is_defining() && !self.lacks_master() {
            // The change of nothing clears it (defining:W1). Whoever is defining just now is not waited for.
            let _ = self.transact_within(Duration::ZERO, |_| Ok::<(), CatalogError>(()));
        }
    }

    /// Opens the catalog in `directory`, making it and its default volume (CICA01, a 3390) where there is none.
    pub fn open_or_create(disk: Arc<dyn Disk>, directory: impl Into<PathBuf>) -> Result<Catalog, CatalogError> {
        let directory = directory.into();
        match Catalog::open(disk.clone(), &directory) {
            Err(CatalogError::NoCatalog { .. }) => store::create(&*disk, &directory)?,
            other => return other,
        }
        Catalog::open(disk, directory)
    }

    /// Changes how long a change waits while others change the catalog, ten seconds at first, before it is
    /// [`CatalogError::Busy`].
    pub fn patience(self, patience: Duration) -> Catalog {
        Catalog { patience, ..self }
    }

    /// Gives it the symbols of the system, none at first.
    pub fn symbols(mut self, symbols: Arc<Symbols>) -> Catalog {
        self.symbols = symbols;
        let last = self.last.get_mut().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut last.1).set_symbols(&self.symbols);
        self
    }

    pub(crate) fn symbols_now(&self) -> Arc<Symbols> {
        self.symbols.clone()
    }

    pub(crate) fn patience_now(&self) -> Duration {
        self.patience
    }

    /// The catalog's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where that really is, links followed.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The directory of the engine's log segments.
    pub fn log_directory(&self) -> PathBuf {
        self.directory.join("log")
    }

    /// What the catalog holds now. Reads the file again only when another process changed it.
    pub fn contents(&self) -> Result<Arc<Contents>, CatalogError> {
        Ok(self.edition()?.1.clone())
    }

    /// How often the catalog has been written, the making included.
    pub fn generation(&self) -> Result<u64, CatalogError> {
        Ok(self.edition()?.0.generation())
    }

    fn edition(&self) -> Result<MutexGuard<'_, Edition>, CatalogError> {
        let mut last = self.edition_guard();
        if let Some((header, mut newer)) = store::read_newer(&*self.disk, &self.directory, &last.0)? {
            Arc::make_mut(&mut newer).set_symbols(&self.symbols);
            self.admit_volumes(&newer);
            *last = (header, newer);
        }
        Ok(last)
    }

    fn edition_guard(&self) -> MutexGuard<'_, Edition> {
        // A panic elsewhere leaves the last edition whole: it is replaced by one assignment.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry of this name.
    pub fn get(&self, name: &Name) -> Result<Entry, CatalogError> {
        self.contents()?.get(name).cloned()
    }

    /// Entries whose names the mask means, in order.
    pub fn list(&self, mask: &Mask) -> Result<Vec<Entry>, CatalogError> {
        Ok(self.contents()?.list(mask).cloned().collect())
    }

    /// Entries below a level, in order.
    pub fn level(&self, level: &Level) -> Result<Vec<Entry>, CatalogError> {
        Ok(self.contents()?.level(level).cloned().collect())
    }

    /// Volumes in order of serials.
    pub fn volumes(&self) -> Result<Vec<Volume>, CatalogError> {
        Ok(self.contents()?.volumes().cloned().collect())
    }

    /// Changes the catalog: `change` gets what it holds now, under the lock, and what it leaves is written if it
    /// differs. When `change` or the writing fails, the catalog stays as it was, except for
    /// [`CatalogError::NotDurable`]. `change` may read this catalog, which still is as it was, but a change inside a
    /// change waits for itself and is [`CatalogError::Busy`].
    ///
    /// Files are to be made before the change that names them and removed after the change that forgets them: then
    /// a crash can leave a file that nobody names, but no name without a file.
    pub fn transact<T, E>(&self, change: impl FnOnce(&mut Contents) -> Result<T, E>) -> Result<T, E>
    where
        E: From<CatalogError>,
    {
        self.transact_within(self.patience, change)
    }

    /// The same with another patience.
    pub(crate) fn transact_within<T, E>(
        &self,
        patience: Duration,
        change: impl FnOnce(&mut Contents) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<CatalogError>,
    {
        let lock = files::lock(&*self.disk, &self.directory, patience)?;
        // Not the guard: `change` may look into this catalog. Nobody else changes it while the lock is held.
        let (header, now) = self.edition()?.clone();
        self.clear_defined(&now, header.generation());
        let mut next = self.ended_moves()?;
        self.share_volumes(&mut next)?;
        let reply = change(&mut next)?;
        self.check_leaving(&now, &next)?;
        if next != *now {
            let generation = header.generation() + 1;
            self.write_vvds((&*now, &next), (header.generation(), generation));
            let header = store::write(&*self.disk, &self.directory, &next, generation, &*lock)?;
            self.remember(header, Arc::new(next));
        }
        Ok(reply)
    }

    /// Notes what was written, so that it need not be read.
    pub(crate) fn remember(&self, header: Header, contents: Arc<Contents>) {
        *self.edition_guard() = (header, contents);
    }

    /// Makes a volume known, and its directory: the one given, or `volumes/<serial>` of the catalog; `cylinders` bounds
    /// what allocations may take of it together.
    pub fn add_volume(
        &self,
        serial: &Volser,
        device: &'static Device,
        directory: Option<&Path>,
        cylinders: Option<u32>,
    ) -> Result<Volume, CatalogError> {
        let volume = Volume {
            cylinders,
            ..store::new_volume(serial, device, directory)
        };
        if self.contents()?.volume(serial).is_ok() {
            return Err(CatalogError::VolumeExists { serial: serial.clone() });
        }
        let path = volume.path(&self.directory);
        files::admit(&*self.disk, &path, true)?;
        files::make_directory(&*self.disk, &path)?;
        self.transact(|contents| match self.has_directory_of(contents, &volume)? {
            Some(by) => Err(CatalogError::VolumeTaken {
                serial: serial.clone(),
                directory: volume.path(&self.directory),
                by,
            }),
            None => {
                // What is there under this catalog's name is that of another, which was lost.
                aside::make_way_for(&*self.disk, &path, &self.place, &[&*contents])?;
                contents.add_volume(volume.clone())
            }
        })?;
        Ok(volume)
    }

    /// The other volume that lies in this one's directory, by whatever name: what a volume keeps of the catalog can be that
    /// of one volume alone.
    fn has_directory_of(&self, contents: &Contents, volume: &Volume) -> Result<Option<Volser>, CatalogError> {
        let directory = volume.path(&self.directory);
        let mut others = contents.volumes().filter(|other| other.serial != volume.serial);
        let named = others.find(|other| place::is_same(&*self.disk, &other.path(&self.directory), &directory));
        if let Some(other) = named {
            return Ok(Some(other.serial.clone()));
        }
        let kept = self.kept_in(&directory)?.map(|copy| copy.head.serial);
        Ok(kept.filter(|kept| *kept != volume.serial && contents.volume(kept).is_ok()))
    }

    /// Forgets a volume that holds no data set; its directory stays.
    pub fn remove_volume(&self, serial: &Volser) -> Result<Volume, CatalogError> {
        let (before, volume) = self.transact(|contents| -> Result<_, CatalogError> {
            let before = contents.clone();
            Ok((before, contents.remove_volume(serial)?))
        })?;
        self.give_up_copy(&volume, &before);
        Ok(volume)
    }

    /// The directory of a volume, which must be there.
    pub fn volume_path(&self, serial: &Volser) -> Result<PathBuf, CatalogError> {
        self.directory_of(self.contents()?.volume(serial)?)
    }

    /// The directory of a volume on which files are to be made or removed, which may not be in the catalog yet. A mount
    /// point without its volume is none: the volume would hide what is made there, and bring back what is removed.
    pub fn check_volume(&self, volume: &Volume) -> Result<PathBuf, CatalogError> {
        let path = self.directory_of(volume)?;
        if self.is_mounted(&*self.contents()?, volume, &path) {
            Ok(path)
        } else {
            Err(volume_error(&volume.serial, &path, io::ErrorKind::NotFound.into()))
        }
    }

    fn directory_of(&self, volume: &Volume) -> Result<PathBuf, CatalogError> {
        let path = volume.path(&self.directory);
        match self.disk.list(&path) {
            Ok(_) => Ok(path),
            Err(error) => Err(volume_error(&volume.serial, &path, error)),
        }
    }

    /// The file of a data set that is not VSAM's; none: its volume is not one of this catalog, a tape for example.
    ///
    /// # Errors
    /// It lies where files of this catalog may not lie (K5).
    pub fn file_path(&self, data_set: &NonVsam) -> Result<Option<PathBuf>, CatalogError> {
        let path = match (&data_set.file, data_set.file_on_volume()) {
            (FileOf::Outside(path), _) => Some(self.directory.join(path)),
            (_, Some(name)) => {
                let contents = self.contents()?;
                let volume = data_set.volumes.first().and_then(|serial| contents.volume(serial).ok());
                volume.map(|volume| name.in_directory(&volume.path(&self.directory)))
            }
            _ => None,
        };
        if let Some(directory) = path.as_deref().and_then(Path::parent) {
            files::admit(&*self.disk, directory, false)?;
        }
        Ok(path)
    }

    /// Has the disk know the volumes whose files may be touched (K5). What is done on another says why it cannot be.
    fn admit_volumes(&self, contents: &Contents) {
        for volume in contents.volumes() {
            let path = volume.path(&self.directory);
            if self.disk.admit(&path, false).is_err() && self.is_claimed(volume, &path) {
                // What the user may name is not refused.
                let _ = self.disk.admit(&path, true);
            }
        }
    }

    /// The file of a component, on its first volume. Whether it is there is for its opener to find out;
    /// [`volume_error`] says why it could not be made.
    pub fn component_path(&self, component: &Component) -> Result<PathBuf, CatalogError> {
        let contents = self.contents()?;
        let serial = component
            .volumes
            .first()
            .cloned()
            .unwrap_or_else(Volser::default_serial);
        Ok(component
            .file
            .in_directory(&contents.volume(&serial)?.path(&self.directory)))
    }
}

/// What it means that a file could not be made on a volume.
pub fn volume_error(serial: &Volser, directory: &Path, source: io::Error) -> CatalogError {
    let (serial, directory) = (serial.clone(), directory.to_owned());
    match source.kind() {
        _ if cica_disk::is_outside(&source) => CatalogError::VolumeOutside { serial, directory },
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => CatalogError::VolumeMissing {
            serial,
            directory: Some(directory),
        },
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            CatalogError::VolumeReadOnly { serial, directory }
        }
        _ => CatalogError::Io {
            doing: "use the volume at",
            path: directory,
            source,
        },
    }
}
