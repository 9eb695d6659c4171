//! What volumes have room for: the tracks that the components of all catalogs have on one, and the extents that the
//! engine asks for.
//!
//! * Y1. A component takes its extents from the volumes listed for it, in their order; its file lies on the first. What
//!   is on the others is counted there, not stored there.
//! * Y2. Only a volume that was defined with CYLINDERS has an end. Every component that any catalog names counts.
//!   One that this process is making takes its extents from its list too, before an entry names it.
//! * Y3. What was given in this process counts before a root says so; what another process was given counts from its
//!   next commit on, within a second.

use cica_catalog::{Catalog, CatalogError, Component, Contents, Volser, Volume};
use cica_disk::Disk;
use cica_engine::{peek, Absent, Directories, Room, Volumes};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that files were given on the volumes of their lists.
type Given = HashMap<(PathBuf, usize), Grant>;

/// Bytes that a file was given, and which its root was then: a later one knows of them, and another component's, whose
/// file has the name now, was not given them.
struct Grant {
    bytes: u64,
    root: (u64, u32),
}

/// The volumes of a catalog, and of those that are connected to it.
pub struct CatalogVolumes {
    disk: Arc<dyn Disk>,
    catalog: Arc<Catalog>,
    given: Mutex<Given>,
}

/// A component that asks, and what the catalog that names it has.
struct Asking {
    home: Arc<Catalog>,
    contents: Arc<Contents>,
    component: Component,
}

impl CatalogVolumes {
    /// Those of a master catalog.
    pub fn new(disk: Arc<dyn Disk>, catalog: Arc<Catalog>) -> CatalogVolumes {
        CatalogVolumes {
            disk,
            catalog,
            given: Mutex::default(),
        }
    }

    fn given(&self) -> MutexGuard<'_, Given> {
        // Each change of it is one call.
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asking(&self, file: &Path) -> Result<Option<Asking>, CatalogError> {
        named_in(self.catalog.all()?, file)
    }

    /// A component that this process makes, and no entry names yet.
    fn being_made(&self, file: &Path) -> Result<Option<Asking>, CatalogError> {
        for home in self.catalog.all()? {
            let like = home.components_being_made(|c| file.ends_with(c.file.as_str()));
            if like.is_empty() {
                continue;
            }
            let contents = home.contents()?;
            let is_it = |c: &Component| matches!(path_of(&home, &contents, c), Ok(path) if path == file);
            if let Some(component) = like.into_iter().find(is_it) {
                return Ok(Some(Asking {
                    home,
                    contents,
                    component,
                }));
            }
        }
        Ok(None)
    }

    /// Tracks that components have on the volume in this directory that this process makes.
    fn taken_by_made(&self, place: &Path, given: &Given) -> Result<u64, CatalogError> {
        let mut sum = 0;
        for home in self.catalog.all()? {
            let contents = home.contents()?;
            let volumes = contents
                .volumes()
                .filter(|volume| volume.path(home.directory()) == place);
            let here: Vec<&Volser> = volumes.map(|volume| &volume.serial).collect();
            let made = home.components_being_made(|c| c.volumes.iter().any(|serial| here.contains(&serial)));
            sum += taken_by(&*self.disk, (&home, &contents), made.iter(), place, given)?;
        }
        Ok(sum)
    }

    /// Does a file lie on a volume of one of the catalogs?
    fn is_on_volume(&self, file: &Path) -> Result<bool, CatalogError> {
        for home in self.catalog.all()? {
            let contents = home.contents()?;
            let mut places = contents.volumes().map(|volume| volume.path(home.directory()));
            if places.any(|place| file.parent() == Some(&place)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn room(&self, file: &Path, number: usize, held: u64, more: u64) -> Result<Room, CatalogError> {
        let asking = self
            .asking(file)?
            .map_or_else(|| self.being_made(file), |a| Ok(Some(a)));
        let Some(asking) = asking? else {
            return self.room_for_unnamed(file, number, held, more);
        };
        let component = &asking.component;
        let Some(serial) = component.volumes.get(number) else {
            return Ok(Room::NoVolume);
        };
        let volume = asking.contents.volume(serial)?;
        let Some(capacity) = capacity(volume) else {
            return Ok(Room::Given);
        };
        let place = volume.path(asking.home.directory());
        let mut given = self.given();
        let taken = taken(&*self.disk, &self.catalog, &place, &given, None)? + self.taken_by_made(&place, &given)?;
        let free = capacity.saturating_sub(taken);
        let needed = tracks(component, more);
        if needed > free {
            return Ok(Room::Full(full(volume, needed, free, capacity)));
        }
        let root = peek(&*self.disk, file).map_or((0, 0), |root| (root.component, root.version));
        let bytes = held + more;
        given.insert((file.to_path_buf(), number), Grant { bytes, root });
        Ok(Room::Given)
    }

    /// For a file that no catalog names, and of which this process knows no list: it lies on one volume.
    fn room_for_unnamed(&self, file: &Path, number: usize, held: u64, more: u64) -> Result<Room, CatalogError> {
        if number > 0 {
            return Ok(Room::NoVolume);
        }
        let contents = self.catalog.contents()?;
        let place = file.parent().unwrap_or(Path::new(""));
        let mut volumes = contents.volumes();
        let Some(volume) = volumes.find(|volume| volume.path(self.catalog.directory()) == place) else {
            return Ok(Room::Given);
        };
        let (Some(capacity), Ok(root)) = (capacity(volume), peek(&*self.disk, file)) else {
            return Ok(Room::Given);
        };
        let a = &root.attributes;
        let Some(layout) = volume.device.physical_record(a.ci_size) else {
            return Ok(Room::Given);
        };
        let tracks = |bytes: u64| layout.tracks_for(bytes / u64::from(a.ci_size));
        let taken = tracks_taken(&*self.disk, &self.catalog, place)? + tracks(held);
        let (needed, free) = (tracks(more), capacity.saturating_sub(taken));
        Ok(if needed > free {
            Room::Full(full(volume, needed, free, capacity))
        } else {
            Room::Given
        })
    }
}

fn full(volume: &Volume, needed: u64, free: u64, capacity: u64) -> String {
    format!(
        "needs {needed} tracks for a further extent and volume {} has {free} of {capacity} left",
        volume.serial
    )
}

impl Volumes for CatalogVolumes {
    fn give(&self, file: &Path, volume: usize, held: u64, more: u64) -> Room {
        self.room(file, volume, held, more).unwrap_or_else(|error| {
            Room::Full(format!(
                "needs a further extent, and the catalog cannot be asked: {error}"
            ))
        })
    }

    fn take_back(&self, file: &Path, volume: usize, held: u64) {
        if let Some(given) = self.given().get_mut(&(file.to_path_buf(), volume)) {
            given.bytes = held;
        }
    }

    /// The master's, and those of all catalogs that are connected to it; what cannot be asked may know others.
    fn directories(&self) -> Option<Directories> {
        let every = self.catalog.every();
        let mut are_all = every.is_ok();
        let mut known: Vec<PathBuf> = Vec::new();
        for home in every.or_else(|_| self.catalog.all()).unwrap_or_default() {
            match home.contents() {
                Ok(contents) => known.extend(contents.volumes().map(|volume| volume.path(home.directory()))),
                Err(_) => are_all = false,
            }
        }
        known.sort();
        known.dedup();
        Some(Directories { known, are_all })
    }

    /// What cannot be asked may name it.
    fn absent(&self, file: &Path) -> Absent {
        match self.catalog.every().and_then(|every| named_in(every, file)) {
            Ok(None) if self.is_on_volume(file).unwrap_or(false) => Absent::Deleted,
            Ok(None) => Absent::Unknown,
            _ => Absent::Named,
        }
    }
}

/// The component in this file, if one of these catalogs names it.
///
/// # Errors
/// One of them cannot be asked.
fn named_in(homes: Vec<Arc<Catalog>>, file: &Path) -> Result<Option<Asking>, CatalogError> {
    for home in homes {
        let contents = home.contents()?;
        let like = components(&contents).filter(|component| file.ends_with(component.file.as_str()));
        let mut found = None;
        for component in like {
            if path_of(&home, &contents, component)? == file {
                found = Some(component.clone());
                break;
            }
        }
        if let Some(component) = found {
            return Ok(Some(Asking {
                home,
                contents,
                component,
            }));
        }
    }
    Ok(None)
}

/// Tracks that components of any catalog have on the volume in this directory.
///
/// # Errors
/// A catalog cannot be read.
pub fn tracks_taken(disk: &dyn Disk, catalog: &Arc<Catalog>, place: &Path) -> Result<u64, CatalogError> {
    taken(disk, catalog, place, &Given::new(), None)
}

/// Refuses a change that makes `contents` of what `catalog` holds when a volume is to hold more then than before, and
/// more than it has room for.
///
/// # Errors
/// `VolumeFull`; a catalog cannot be read.
pub fn check_room(
    disk: &dyn Disk,
    master: &Arc<Catalog>,
    catalog: &Catalog,
    contents: &Contents,
) -> Result<(), CatalogError> {
    for volume in contents.volumes() {
        let (Some(cylinders), Some(capacity)) = (volume.cylinders, capacity(volume)) else {
            continue;
        };
        let place = volume.path(catalog.directory());
        let before = tracks_taken(disk, master, &place)?;
        let after = taken(disk, master, &place, &Given::new(), Some((catalog, contents)))?;
        if after > before.max(capacity) {
            return Err(CatalogError::VolumeFull {
                serial: volume.serial.clone(),
                cylinders,
                free: capacity.saturating_sub(before),
                needed: after - before,
            });
        }
    }
    Ok(())
}

/// Tracks of a volume that has an end.
pub fn capacity(volume: &Volume) -> Option<u64> {
    let per_cylinder = u64::from(volume.device.tracks_per_cylinder());
    volume.cylinders.map(|cylinders| u64::from(cylinders) * per_cylinder)
}

/// `instead`: what a catalog is about to hold.
fn taken(
    disk: &dyn Disk,
    master: &Arc<Catalog>,
    place: &Path,
    given: &Given,
    instead: Option<(&Catalog, &Contents)>,
) -> Result<u64, CatalogError> {
    let mut sum = 0;
    for catalog in master.all()? {
        let committed = catalog.contents()?;
        let contents = match instead {
            Some((changing, contents)) if changing.directory() == catalog.directory() => contents,
            _ => &*committed,
        };
        sum += taken_by(disk, (&catalog, contents), components(contents), place, given)?;
    }
    Ok(sum)
}

/// Tracks that these components of a catalog have on the volume in this directory.
fn taken_by<'c>(
    disk: &dyn Disk,
    (catalog, contents): (&Catalog, &Contents),
    components: impl Iterator<Item = &'c Component>,
    place: &Path,
    given: &Given,
) -> Result<u64, CatalogError> {
    let mut sum = 0;
    for component in components {
        for (number, serial) in component.volumes.iter().enumerate() {
            if contents.volume(serial)?.path(catalog.directory()) == place {
                sum += held(disk, component, &path_of(catalog, contents, component)?, number, given);
            }
        }
    }
    Ok(sum)
}

/// The file of a component, as these contents of its catalog have its volume: nothing is read.
fn path_of(home: &Catalog, contents: &Contents, component: &Component) -> Result<PathBuf, CatalogError> {
    let serial = component.volumes.first().cloned();
    let volume = contents.volume(&serial.unwrap_or_else(Volser::default_serial))?;
    Ok(component.file.in_directory(&volume.path(home.directory())))
}

fn components(contents: &Contents) -> impl Iterator<Item = &Component> {
    contents
        .entries()
        .flat_map(|entry| entry.components())
        .map(|(_, component)| component)
}

/// Tracks of a component on a volume of its list; those of its first extent when its file cannot be read.
fn held(disk: &dyn Disk, component: &Component, file: &Path, number: usize, given: &Given) -> u64 {
    let least = if number == 0 { component.primary_tracks } else { 0 };
    let Ok(root) = peek(disk, file) else { return least };
    let bytes = match given.get(&(file.to_path_buf(), number)) {
        Some(given) if given.root == (root.component, root.version) => given.bytes,
        _ => root.on_volume(number).1,
    };
    tracks(component, bytes).max(least)
}

fn tracks(component: &Component, bytes: u64) -> u64 {
    bytes / component.ca_bytes().max(1) * u64::from(component.tracks_per_ca)
}
