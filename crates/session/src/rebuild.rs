//! A lost catalog made anew from what its volumes keep of it, and the user catalogs below it.
//!
//! ```text
//! copies on the volumes -> of each catalog: volumes and entries, files checked, in one change -> generation
//!   -> copies that were taken in go
//! ```
//! * R1. What a catalog has stays as it is there; only names that it does not have come in.
//! * R2. An entry with files comes in only when they are there and carry its names, and no catalog has them.
//! * R3. Copies are left alone until all that they say was taken in: cut off anywhere, the next run does the same
//!   again. So volumes and entries come in with one change, and nothing is removed or written over before that is
//!   durable.
//! * R4. A generation says nothing of another catalog's. What a copy says without files comes in unless the copy is one
//!   of the catalog as it is, which knows it already.
//! * R5. What cannot be taken in is told, and the rest comes in.
//! * R6. A catalog that has gone on behind copies of one elsewhere, on the same volumes, and has something of what they
//!   name, has taken them in, or is that one, moved. What they name and it does not was deleted since, and stays so.

use cica_catalog::connected::{self, ITSELF};
use cica_catalog::entry::UserCatalog;
use cica_catalog::vvds::{self, Vvds};
use cica_catalog::{place, Catalog, CatalogError, Contents, Entry, Name, Volser, Volume};
use cica_disk::{Disk, Open};
use cica_engine::Engine;
use std::collections::BTreeSet;
use std::io::ErrorKind;
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

/// A copy, the directory of the volume it was found on, and its name there.
struct Copy {
    volume: PathBuf,
    file: PathBuf,
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
    let Some((own, passed)) = own(&**disk, &copies, master, &mut rebuilt)? else {
        return Ok(rebuilt);
    };
    let work = Work {
        disk: disk.clone(),
        engine,
        master,
        directories,
    };
    work.take_in(master, &own, &mut rebuilt)?;
    work.clear_passed(master, &passed, &mut rebuilt)?;
    for entry in master.contents()?.entries() {
        let Entry::UserCatalog(below) = entry else { continue };
        let of_it: Vec<&Copy> = copies.iter().filter(|copy| work.is_of(copy, below, &own)).collect();
        if below.directory != ITSELF && !of_it.is_empty() {
            let catalog = master.called(&below.name);
            let done = catalog.and_then(|catalog| work.take_in_below(&catalog, &of_it, &mut rebuilt));
            if let Err(error) = done {
                rebuilt
                    .left
                    .push(format!("the entries of {} are left out: {error}", below.name));
            }
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
        for (file, copy) in found {
            match copy {
                Ok(vvds) => copies.push(Copy {
                    volume: volume.clone(),
                    file,
                    vvds,
                }),
                Err(error) => rebuilt.left.push(error.to_string()),
            }
        }
    }
    Ok(copies)
}

/// Copies that are to be taken in, and those that the catalog has overtaken (R6).
type Chosen<'c> = (Vec<&'c Copy>, Vec<&'c Copy>);

/// The copies of the master catalog: of its directory, else of the only master there are copies of. Those of its
/// directory may be of a run that was cut off and took them from another's, which are taken in again (R3).
fn own<'c>(
    disk: &dyn Disk,
    copies: &'c [Copy],
    master: &Catalog,
    rebuilt: &mut Rebuilt,
) -> Result<Option<Chosen<'c>>, CatalogError> {
    let of = |directory: &Path| -> Vec<&Copy> {
        let of = copies.iter().filter(|copy| copy.directory(disk) == directory);
        of.collect()
    };
    let masters = copies.iter().filter(|copy| copy.vvds.head.known_as.is_empty());
    let masters: BTreeSet<PathBuf> = masters.map(|copy| copy.directory(disk)).collect();
    let mut first = masters.iter();
    Ok(match (first.next(), first.next()) {
        _ if masters.contains(master.place()) => {
            let (mut own, mut passed) = (of(master.place()), Vec::new());
            let mut others = masters
                .iter()
                .filter(|place| *place != master.place() && !is_catalog(disk, place));
            if let (Some(from), None) = (others.next(), others.next()) {
                let from = of(from);
                if has_overtaken(master, &own, &from)? {
                    passed = from;
                } else if own.iter().all(|copy| from.iter().any(|from| copy.is_of(from))) {
                    own.extend(from);
                }
            }
            Some((own, passed))
        }
        (None, _) => None,
        (Some(one), None) => Some((of(one), Vec::new())),
        _ => {
            let named: Vec<String> = masters.iter().map(|path| path.display().to_string()).collect();
            rebuilt.left.push(format!(
                "the volumes keep entries of several catalogs, and none of {}: name one of {} with --catalog",
                master.place().display(),
                named.join(" ")
            ));
            None
        }
    })
}

/// Has a catalog gone on behind the copies `from` of one elsewhere (R6)? `own` are its own copies.
fn has_overtaken(catalog: &Catalog, own: &[&Copy], from: &[&Copy]) -> Result<bool, CatalogError> {
    let newest = |copies: &[&Copy]| copies.iter().map(|copy| copy.vvds.generation).max();
    let generation = catalog.generation()?;
    let (Some(own_newest), Some(from_newest)) = (newest(own), newest(from)) else {
        return Ok(false);
    };
    // One made in the place of a lost one may have more generations than that had, and knows nothing yet: the change
    // that takes in was cut off before it was written, or has not begun.
    let contents = catalog.contents()?;
    let is_new = contents.entries().next().is_none() && own_newest <= generation + 1;
    let shares = own.iter().any(|own| from.iter().any(|from| from.volume == own.volume));
    // One that has nothing of what they name was never theirs.
    let is_known = |name: &Name| {
        let kept = own.iter().any(|copy| copy.vvds.contents.find(name).is_some());
        kept || contents.find(name).is_some()
    };
    let mut named = from.iter().flat_map(|copy| copy.vvds.contents.entries());
    let knows = named.any(|entry| is_known(entry.name()));
    Ok(shares && !is_new && knows && own_newest.max(generation) > from_newest)
}

impl Copy {
    /// Where the directory of its catalog really is.
    fn directory(&self, disk: &dyn Disk) -> PathBuf {
        place::real(disk, &self.vvds.head.directory)
    }

    fn path(&self) -> PathBuf {
        self.volume.join(&self.file)
    }

    /// Does it say no more than another copy on its volume?
    fn is_of(&self, from: &Copy) -> bool {
        let mut entries = self.vvds.contents.entries();
        self.volume == from.volume && entries.all(|entry| from.vvds.contents.find(entry.name()).is_some())
    }
}

/// Is a catalog in this directory, which need not be one that may be used? What cannot be looked at may be one.
fn is_catalog(disk: &dyn Disk, directory: &Path) -> bool {
    let looked = disk.look(&directory.join("catalog"), 1);
    !looked.is_err_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

/// What taking in works with.
struct Work<'w> {
    disk: Arc<dyn Disk>,
    engine: &'w Engine,
    master: &'w Arc<Catalog>,
    directories: &'w [PathBuf],
}

/// Volumes of a catalog that come in with a change of it.
#[derive(Default)]
struct NewVolumes {
    /// Those that came.
    came: BTreeSet<Volser>,
    /// Those made with a new catalog, which gave way.
    gave_way: Vec<Volume>,
}

impl Work<'_> {
    /// Is it a copy of the user catalog `below` of the catalog whose copies are `own`?
    fn is_of(&self, copy: &Copy, below: &UserCatalog, own: &[&Copy]) -> bool {
        let head = &copy.vvds.head;
        let there = place::is_same(
            &*self.disk,
            &self.master.directory().join(&below.directory),
            &head.directory,
        );
        // Where its volume went to another place, it was known as what the lost catalog said.
        let stated = own.iter().any(|copy| {
            let entry = copy.vvds.contents.get(&below.name);
            matches!(entry, Ok(Entry::UserCatalog(e)) if e.directory == head.known_as)
        });
        there || stated && !head.known_as.is_empty()
    }

    /// Takes in copies of a user catalog, which lies where it was or elsewhere.
    fn take_in_below(
        &self,
        catalog: &Arc<Catalog>,
        copies: &[&Copy],
        rebuilt: &mut Rebuilt,
    ) -> Result<(), CatalogError> {
        let is_own = |copy: &&&Copy| copy.directory(&*self.disk) == catalog.place();
        let (own, from): (Vec<&Copy>, Vec<&Copy>) = copies.iter().partition(is_own);
        if has_overtaken(catalog, &own, &from)? {
            self.take_in(catalog, &own, rebuilt)?;
            self.clear_passed(catalog, &from, rebuilt)
        } else {
            self.take_in(catalog, copies, rebuilt)
        }
    }

    /// Takes away copies that were overtaken (R6) and tell nothing that the catalog does not know; others may be those
    /// of a run that was cut off, and had to leave something out.
    fn clear_passed(&self, catalog: &Catalog, passed: &[&Copy], rebuilt: &mut Rebuilt) -> Result<(), CatalogError> {
        let contents = catalog.contents()?;
        let is_known = |copy: &&&Copy| {
            let mut entries = copy.vvds.contents.entries();
            entries.all(|entry| contents.find(entry.name()).is_some())
        };
        for copy in passed.iter().filter(is_known) {
            if !self.is_anothers(catalog, copy) {
                let cleared = catalog.clear_copy(&copy.path(), &copy.vvds);
                rebuilt.left.extend(cleared.err().map(|error| error.to_string()));
            }
        }
        Ok(())
    }

    fn take_in(&self, catalog: &Arc<Catalog>, copies: &[&Copy], rebuilt: &mut Rebuilt) -> Result<(), CatalogError> {
        let (before, generation) = (catalog.contents()?, catalog.generation()?);
        // R4.
        let is_known = |copy: &&&Copy| {
            copy.vvds.generation <= generation && catalog.is_own_copy(&before, &copy.volume, &copy.file, &copy.vvds)
        };
        let kept: Vec<&Vvds> = copies.iter().map(|copy| &copy.vvds).collect();
        let news = copies.iter().filter(|copy| !is_known(copy)).map(|copy| &copy.vvds);
        let entries = [vvds::without_files(&news.collect::<Vec<_>>()), vvds::with_files(&kept)].concat();
        let others = self.others(catalog)?;
        let (mut taken, mut left, mut volumes) = (BTreeSet::new(), Vec::new(), NewVolumes::default());
        catalog.transact(|contents| -> Result<(), CatalogError> {
            // Those of a user catalog are its master's.
            for copy in copies.iter().filter(|_| Arc::ptr_eq(catalog, self.master)) {
                let known = self.know(contents, copy, &mut volumes);
                left.extend(known.err().map(|why| format!("{}: {why}", copy.volume.display())));
            }
            for entry in entries {
                let name = entry.name().clone();
                if contents.find(&name).is_some() {
                    continue;
                }
                match self.put(catalog, contents, entry, &others) {
                    Ok(()) => drop(taken.insert(name)),
                    Err(why) => left.push(format!("{name} is left out: {why}")),
                }
            }
            for copy in &kept {
                for leftover in copy.contents.leftovers() {
                    let (serial, file) = leftover;
                    let Ok(volume) = contents.volume(serial) else { continue };
                    let path = file.in_directory(&self.directory_of(catalog, volume));
                    if !contents.is_taken(serial, file) && !others.contains(&path) {
                        contents.add_leftover(serial, file, copy.contents.erases(leftover));
                    }
                }
            }
            Ok(())
        })?;
        let newest = kept.iter().map(|copy| copy.generation).max();
        catalog.overtake(newest.unwrap_or_default())?;
        for volume in &volumes.gave_way {
            catalog.give_up_copy(volume, &before);
        }
        let contents = catalog.contents()?;
        for copy in copies {
            let is_here =
                |volume: &Volume| self.directory_of(catalog, volume) == place::real(&*self.disk, &copy.volume);
            let is_current = copy.file == Path::new(&catalog.vvds_name()) && contents.volumes().any(is_here);
            if is_current || self.is_anothers(catalog, copy) {
                continue;
            }
            // Of what the catalog knew and one of an earlier release, named by a link, still says, nothing is left out.
            let cleared = if is_known(&copy) {
                catalog.remove_copy(&copy.path())
            } else {
                catalog.clear_copy(&copy.path(), &copy.vvds)
            };
            left.extend(cleared.err().map(|error| error.to_string()));
        }
        rebuilt.taken.extend(taken);
        rebuilt.left.extend(left);
        Ok(())
    }

    /// Makes the volume of a copy known, as the lost catalog knew it.
    fn know(&self, contents: &mut Contents, copy: &Copy, volumes: &mut NewVolumes) -> Result<(), String> {
        let serial = &copy.vvds.head.serial;
        let Ok(was) = copy.vvds.contents.volume(serial) else {
            return Ok(());
        };
        let base = self.master.directory();
        let is_there = |volume: &Volume| place::is_same(&*self.disk, &volume.path(base), &copy.volume);
        if contents.volumes().any(is_there) {
            return Ok(());
        }
        if volumes.came.contains(serial) {
            return Err(format!("another directory says, too, that it is the volume {serial}"));
        }
        if contents.volume(serial).is_ok() {
            // The volume made with a new catalog gives way while nothing lies on it.
            let gone = contents.remove_volume(serial).map_err(|error| error.to_string())?;
            volumes.gave_way.push(gone);
        }
        volumes.came.insert(serial.clone());
        let directory = copy.volume.clone();
        let volume = Volume {
            directory,
            ..was.clone()
        };
        contents.add_volume(volume).map_err(|error| error.to_string())
    }

    /// Is it a copy of a catalog elsewhere that is there still?
    fn is_anothers(&self, catalog: &Catalog, copy: &Copy) -> bool {
        let place = copy.directory(&*self.disk);
        place != catalog.place() && is_catalog(&*self.disk, &place)
    }

    /// The files that other catalogs have: of entries, and of what is made or goes.
    fn others(&self, catalog: &Catalog) -> Result<BTreeSet<PathBuf>, CatalogError> {
        let mut files = BTreeSet::new();
        for other in self.master.all()? {
            if other.place() == catalog.place() {
                continue;
            }
            let contents = other.contents()?;
            let named = contents.entries().flat_map(Entry::files);
            for (serial, file) in named.chain(contents.leftovers().cloned()) {
                if let Ok(volume) = contents.volume(&serial) {
                    files.insert(file.in_directory(&self.directory_of(&other, volume)));
                }
            }
        }
        Ok(files)
    }

    /// Where a volume really is.
    fn directory_of(&self, catalog: &Catalog, volume: &Volume) -> PathBuf {
        place::real(&*self.disk, &volume.path(catalog.directory()))
    }

    fn put(
        &self,
        catalog: &Catalog,
        contents: &mut Contents,
        mut entry: Entry,
        others: &BTreeSet<PathBuf>,
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
        others: &BTreeSet<PathBuf>,
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
            let place = component.file.in_directory(&self.directory_of(catalog, volume));
            if others.contains(&place) || contents.is_taken(serial, &component.file) {
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
