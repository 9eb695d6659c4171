//! A lost catalog made anew from what its volumes keep of it, and the user catalogs below it.
//!
//! ```text
//! copies on the volumes -> volumes -> user catalogs -> entries of each catalog, files checked -> generation
//! ```
//! * R1. What a catalog has stays as it is there; only names that it does not have come in.
//! * R2. An entry with files comes in only when they are there and carry its names, and no catalog has them.
//! * R3. Copies are left alone until all of them were taken in: cut off anywhere, the next run does the same again.

use cica_catalog::connected::{self, ITSELF};
use cica_catalog::entry::UserCatalog;
use cica_catalog::vvds::{self, Vvds};
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name, Volume};
use cica_disk::{Disk, Open};
use cica_engine::Engine;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What came of it.
#[derive(Debug, Default)]
pub struct Rebuilt {
    /// Entries that were taken in.
    pub taken: Vec<Name>,
    /// What was not, and why, for people.
    pub left: Vec<String>,
}

/// A copy, and the directory of the volume it was found on.
struct Copy {
    volume: PathBuf,
    vvds: Vvds,
}

/// Takes into the catalog, and those below it, what the volumes in these directories keep of them.
///
/// # Errors
/// A directory or a catalog cannot be read or written.
pub fn rebuild(
    disk: &Arc<dyn Disk>,
    engine: &Engine,
    master: &Arc<Catalog>,
    directories: &[PathBuf],
) -> Result<Rebuilt, CatalogError> {
    let mut rebuilt = Rebuilt::default();
    let copies = collect(&**disk, directories, &mut rebuilt)?;
    let Some(own) = own(&copies, master, &mut rebuilt)? else {
        return Ok(rebuilt);
    };
    for copy in &own {
        know(master, copy, &mut rebuilt)?;
    }
    let work = Work {
        disk: disk.clone(),
        engine,
        master,
        directories,
    };
    work.take_in(master, &own, &mut rebuilt)?;
    for entry in master.contents()?.entries() {
        let Entry::UserCatalog(below) = entry else { continue };
        let of_it: Vec<&Copy> = copies.iter().filter(|copy| work.is_of(copy, below, &own)).collect();
        if below.directory != ITSELF && !of_it.is_empty() {
            work.take_in(&master.called(&below.name)?, &of_it, &mut rebuilt)?;
        }
    }
    Ok(rebuilt)
}

fn collect(disk: &dyn Disk, directories: &[PathBuf], rebuilt: &mut Rebuilt) -> Result<Vec<Copy>, CatalogError> {
    let mut copies = Vec::new();
    for volume in directories {
        disk.admit(volume, true).map_err(|source| CatalogError::Io {
            doing: "use",
            path: volume.clone(),
            source,
        })?;
        let found = vvds::read_all(disk, volume).map_err(|source| CatalogError::Io {
            doing: "read",
            path: volume.clone(),
            source,
        })?;
        for copy in found {
            match copy {
                Ok(vvds) => copies.push(Copy {
                    volume: volume.clone(),
                    vvds,
                }),
                Err(error) => rebuilt.left.push(error.to_string()),
            }
        }
    }
    Ok(copies)
}

/// The copies of the master catalog: of its directory, else of the only master there are copies of.
fn own<'c>(copies: &'c [Copy], master: &Catalog, rebuilt: &mut Rebuilt) -> Result<Option<Vec<&'c Copy>>, CatalogError> {
    let here = whole(master.directory())?;
    let of = |directory: &Path| -> Vec<&Copy> {
        let of = copies.iter().filter(|copy| copy.vvds.head.directory == directory);
        of.collect()
    };
    let mut masters: Vec<&Path> = copies
        .iter()
        .filter(|copy| copy.vvds.head.known_as.is_empty())
        .map(|copy| copy.vvds.head.directory.as_path())
        .collect();
    masters.sort();
    masters.dedup();
    match masters.as_slice() {
        all if all.contains(&here.as_path()) => Ok(Some(of(&here))),
        [] => Ok(None),
        [one] => Ok(Some(of(one))),
        several => {
            let named: Vec<String> = several.iter().map(|path| path.display().to_string()).collect();
            rebuilt.left.push(format!(
                "the volumes keep entries of several catalogs, and none of {}: name one of {} with --catalog",
                here.display(),
                named.join(" ")
            ));
            Ok(None)
        }
    }
}

fn whole(path: &Path) -> Result<PathBuf, CatalogError> {
    std::path::absolute(path).map_err(|source| CatalogError::Io {
        doing: "find the whole name of",
        path: path.to_owned(),
        source,
    })
}

/// Makes the volume of a copy known, as the lost catalog knew it.
fn know(master: &Catalog, copy: &Copy, rebuilt: &mut Rebuilt) -> Result<(), CatalogError> {
    let serial = &copy.vvds.head.serial;
    let Ok(was) = copy.vvds.contents.volume(serial) else {
        return Ok(());
    };
    let base = whole(master.directory())?;
    let volumes = master.volumes()?;
    if volumes.iter().any(|volume| volume.path(&base) == copy.volume) {
        return Ok(());
    }
    if volumes.iter().any(|volume| volume.serial == *serial) {
        // The volume made with a new catalog gives way while nothing lies on it.
        if let Err(error) = master.remove_volume(serial) {
            rebuilt.left.push(format!("{}: {error}", copy.volume.display()));
            return Ok(());
        }
    }
    master.add_volume(serial, was.device, Some(&copy.volume), was.cylinders)?;
    Ok(())
}

/// What taking in works with.
struct Work<'w> {
    disk: Arc<dyn Disk>,
    engine: &'w Engine,
    master: &'w Arc<Catalog>,
    directories: &'w [PathBuf],
}

impl Work<'_> {
    /// Is it a copy of the user catalog `below` of the catalog whose copies are `own`?
    fn is_of(&self, copy: &Copy, below: &UserCatalog, own: &[&Copy]) -> bool {
        let head = &copy.vvds.head;
        let place = self.master.directory().join(&below.directory);
        let there = whole(&place).is_ok_and(|place| place == head.directory);
        // Where its volume went to another place, it was known as what the lost catalog said.
        let stated = own.iter().any(|copy| {
            let entry = copy.vvds.contents.get(&below.name);
            matches!(entry, Ok(Entry::UserCatalog(e)) if e.directory == head.known_as)
        });
        there || stated && !head.known_as.is_empty()
    }

    fn take_in(&self, catalog: &Arc<Catalog>, copies: &[&Copy], rebuilt: &mut Rebuilt) -> Result<(), CatalogError> {
        let kept: Vec<&Vvds> = copies.iter().map(|copy| &copy.vvds).collect();
        let entries = vvds::entries(&kept, catalog.generation()?);
        let others = self.others(catalog)?;
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        catalog.transact(|contents| -> Result<(), CatalogError> {
            for entry in entries {
                let name = entry.name().clone();
                if contents.find(&name).is_some() {
                    continue;
                }
                match self.put(catalog, contents, entry, &others) {
                    Ok(()) => taken.push(name),
                    Err(why) => left.push(format!("{name} is left out: {why}")),
                }
            }
            for copy in &kept {
                for leftover in copy.contents.leftovers() {
                    let (serial, file) = leftover;
                    if contents.volume(serial).is_ok() && !contents.is_taken(serial, file) {
                        contents.add_leftover(serial, file, copy.contents.erases(leftover));
                    }
                }
            }
            Ok(())
        })?;
        rebuilt.taken.extend(taken);
        rebuilt.left.extend(left);
        let newest = kept.iter().map(|copy| copy.generation).max();
        catalog.overtake(newest.unwrap_or_default())
    }

    /// Files of components that other catalogs have.
    fn others(&self, catalog: &Catalog) -> Result<Vec<PathBuf>, CatalogError> {
        let mut files = Vec::new();
        for other in self.master.all()? {
            if other.directory() == catalog.directory() {
                continue;
            }
            let contents = other.contents()?;
            for (_, component) in contents.entries().flat_map(Entry::components) {
                files.push(other.component_path(component)?);
            }
        }
        Ok(files)
    }

    fn put(
        &self,
        catalog: &Catalog,
        contents: &mut Contents,
        mut entry: Entry,
        others: &[PathBuf],
    ) -> Result<(), String> {
        if let Entry::UserCatalog(below) = &mut entry {
            self.find_catalog(below).map_err(|error| error.to_string())?;
        }
        self.check_files(catalog, contents, &entry, others)?;
        contents.insert(entry).map_err(|error| error.to_string())
    }

    /// R2.
    fn check_files(
        &self,
        catalog: &Catalog,
        contents: &Contents,
        entry: &Entry,
        others: &[PathBuf],
    ) -> Result<(), String> {
        let mut data: Option<PathBuf> = None;
        for (_, component) in entry.components() {
            let serial = component.volumes.first().ok_or("it has no volume")?;
            let volume: &Volume = contents.volume(serial).map_err(|error| error.to_string())?;
            let path = component.file.in_directory(&volume.path(catalog.directory()));
            let root = match &data {
                None => self.engine.peek(&path),
                Some(data) => self.engine.peek_index(data, &path),
            };
            let carried = root.map_err(|error| error.to_string())?.attributes;
            if carried.component_name != component.name.as_str() {
                return Err(format!("{} is {}", path.display(), carried.component_name));
            }
            if others.contains(&path) || contents.is_taken(serial, &component.file) {
                return Err(format!("{} belongs to another entry", path.display()));
            }
            data.get_or_insert(path);
        }
        Ok(())
    }

    /// Where a user catalog is now, in its entry; an empty one is made where it was lost too.
    fn find_catalog(&self, below: &mut UserCatalog) -> Result<(), CatalogError> {
        let is_there = |place: &Path| {
            self.disk.admit(place, false).is_ok() && self.disk.open(&place.join("catalog"), Open::default()).is_ok()
        };
        if below.directory == ITSELF || is_there(&self.master.directory().join(&below.directory)) {
            return Ok(());
        }
        let places = self
            .directories
            .iter()
            .map(|volume| below.name.file().in_directory(volume));
        if let Some(place) = places.into_iter().find(|place| is_there(place)) {
            below.directory = place.display().to_string();
            return Ok(());
        }
        connected::make(&*self.disk, self.master.directory(), Path::new(&below.directory))
    }
}
