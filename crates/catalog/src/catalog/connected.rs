//! User catalogs: catalogs of their own that a master catalog knows by name, and where a name belongs.
//!
//! ```text
//! PAY.MASTER --alias PAY--> UCAT.PAY --user catalog entry--> its directory
//! ```
//!
//! The search order for a name is: the catalog that was said; the user catalog that the longest run of its leading
//! qualifiers is an alias of; the master. A name that is itself such an alias belongs to the master, and so does the
//! name of a user catalog, even under an alias of it.
//!
//! Invariants:
//!
//! * U1. A user catalog knows the volumes of its master too: they are put in, or put right, before each change of it. A
//!   volume of its own of the same serial stays as long as data sets lie on it.
//! * U2. The entry of a user catalog is made when the catalog is there, and taken out before the catalog goes.
//! * U3. A user catalog is changed only by who knows its master: one that was opened without it is looked at. One that
//!   the user opens by its directory, and that a volume says to have a master, keeps what a crash left.

use super::files;
use super::related::leads_to_catalog;
use super::store;
use super::Catalog;
use crate::contents::Contents;
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::name::Name;
use crate::place;
use crate::volume::Volume;
use cica_disk::Disk;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What a catalog knows of those around it.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    /// The master, and the directory by which it knows this catalog.
    above: Option<(Weak<Catalog>, PathBuf)>,
    /// Another catalog named this one, whether that is open or not.
    pub(super) is_below: bool,
    /// User catalogs that were opened, by directory.
    below: Mutex<BTreeMap<PathBuf, Arc<Catalog>>>,
}

/// A name of the master catalog itself: a user catalog entry with this directory.
pub const ITSELF: &str = ".";

/// What a catalog is called that nobody gave a name.
pub const UNNAMED: &str = "CATALOG.MASTER";

impl Catalog {
    /// The catalog that an entry of this name is to be looked for in and made in.
    pub fn home(self: &Arc<Catalog>, name: &Name) -> Result<Arc<Catalog>, CatalogError> {
        let contents = self.contents()?;
        let leads_to_catalog = contents.get(name).is_ok_and(|entry| leads_to_catalog(&contents, entry));
        match alias_of(&contents, name).filter(|_| !leads_to_catalog) {
            Some(catalog) => self.called(&catalog),
            None => Ok(self.clone()),
        }
    }

    /// What it is called: the name its master knows it by, or that it has for itself, or [`UNNAMED`].
    pub fn called_name(&self) -> Result<String, CatalogError> {
        let master = self.connections.above.as_ref();
        let (contents, here) = match master.and_then(|(master, here)| Some((master.upgrade()?, here))) {
            Some((master, here)) => (master.contents()?, here.clone()),
            None => (self.contents()?, PathBuf::from(ITSELF)),
        };
        let mut catalogs = contents.entries().filter_map(|entry| match entry {
            Entry::UserCatalog(catalog) => Some(catalog),
            _ => None,
        });
        let found = catalogs.find(|catalog| Path::new(&catalog.directory) == here);
        Ok(found.map_or_else(|| UNNAMED.to_owned(), |catalog| catalog.name.to_string()))
    }

    /// The user catalog of this name, or of this alias.
    pub fn called(self: &Arc<Catalog>, name: &Name) -> Result<Arc<Catalog>, CatalogError> {
        let contents = self.contents()?;
        if name.as_str() == UNNAMED && contents.find(name).is_none() && self.called_name()? == UNNAMED {
            return Ok(self.clone());
        }
        let entry = match contents.get(name)? {
            Entry::Alias(alias) => contents.get(&contents.stands_for(alias)?)?,
            entry => entry,
        };
        match entry {
            Entry::UserCatalog(e) if e.directory == ITSELF => Ok(self.clone()),
            Entry::UserCatalog(e) => self.connected(Path::new(&e.directory)),
            other => Err(CatalogError::NoUserCatalog {
                name: name.clone(),
                kind: other.kind(),
            }),
        }
    }

    /// This catalog and all user catalogs that can be opened, for who looks for what is there.
    ///
    /// # Errors
    /// This one cannot be read.
    pub fn all(self: &Arc<Catalog>) -> Result<Vec<Arc<Catalog>>, CatalogError> {
        self.each(|_, found| Ok(found.ok()))
    }

    /// This catalog and all user catalogs: what none of them names nobody does.
    ///
    /// # Errors
    /// One of them cannot be read, so it may name anything; `Unreachable` says which.
    pub fn every(self: &Arc<Catalog>) -> Result<Vec<Arc<Catalog>>, CatalogError> {
        self.each(|name, found| {
            found.map(Some).map_err(|why| CatalogError::Unreachable {
                name: name.clone(),
                why: Box::new(why),
            })
        })
    }

    fn each(
        self: &Arc<Catalog>,
        take: impl Fn(&Name, Result<Arc<Catalog>, CatalogError>) -> Result<Option<Arc<Catalog>>, CatalogError>,
    ) -> Result<Vec<Arc<Catalog>>, CatalogError> {
        let mut all = vec![self.clone()];
        for entry in self.contents()?.entries() {
            if let Entry::UserCatalog(e) = entry {
                if e.directory != ITSELF {
                    let opened = self.connected(Path::new(&e.directory));
                    // One that was opened before may be gone now.
                    let found = opened.and_then(|catalog| catalog.contents().map(|_| catalog.clone()));
                    all.extend(take(&e.name, found)?);
                }
            }
        }
        Ok(all)
    }

    /// The directory by which its master knows a user catalog; empty for a master.
    pub(crate) fn known_as(&self) -> String {
        let above = self.connections.above.as_ref();
        above.map_or_else(String::new, |(_, here)| here.display().to_string())
    }

    /// Is a catalog in this directory the master, or does the master name it? None: this is a user catalog, and the
    /// master is not there to be asked.
    pub(crate) fn is_known(&self, directory: &Path) -> Result<Option<bool>, CatalogError> {
        let above = self.connections.above.as_ref().and_then(|(master, _)| master.upgrade());
        let master = match &above {
            Some(master) => &**master,
            None if self.lacks_master() => return Ok(None),
            None => self,
        };
        let contents = master.contents()?;
        let mut catalogs = contents.entries().filter_map(|entry| match entry {
            Entry::UserCatalog(catalog) => Some(below(master.directory(), Path::new(&catalog.directory))),
            _ => None,
        });
        let is_it = |known: &Path| place::is_same(&*self.disk, known, directory);
        Ok(Some(is_it(master.directory()) || catalogs.any(|known| is_it(&known))))
    }

    /// The directory of the master over all catalogs around this one.
    pub(super) fn top(&self) -> PathBuf {
        let above = self.connections.above.as_ref().and_then(|(master, _)| master.upgrade());
        above.map_or_else(|| self.directory.clone(), |master| master.top())
    }

    /// Is this a user catalog whose master is not there to be asked? What cannot be read may say so.
    pub(super) fn lacks_master(&self) -> bool {
        let above = self.connections.above.as_ref().and_then(|(master, _)| master.upgrade());
        match above {
            Some(master) => master.lacks_master(),
            None => self.connections.is_below || self.was_below().unwrap_or(true),
        }
    }

    /// Do volumes say that a master knows this catalog? One that is opened by its directory looks like a master.
    ///
    /// # Errors
    /// None says so, and what one keeps cannot be read.
    fn was_below(&self) -> Result<bool, CatalogError> {
        let mut failed = Ok(false);
        for volume in self.contents()?.volumes() {
            match self.kept_in(&volume.path(&self.directory)) {
                Ok(Some(copy)) if !copy.head.known_as.is_empty() => return Ok(true),
                Ok(_) => {}
                Err(error) => failed = Err(error),
            }
        }
        failed
    }

    fn connected(self: &Arc<Catalog>, directory: &Path) -> Result<Arc<Catalog>, CatalogError> {
        let place = below(self.directory(), directory);
        let mut known = self.connections.below.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(catalog) = known.get(&place) {
            return Ok(catalog.clone());
        }
        let mut opened = Catalog::open_named(self.disk.clone(), place.clone())?;
        opened.connections.above = Some((Arc::downgrade(self), directory.to_owned()));
        let opened = Arc::new(opened.patience(self.patience_now()).symbols(self.symbols_now()));
        // Not before it knows its master (U3).
        opened.clear();
        known.insert(place, opened.clone());
        Ok(opened)
    }

    /// Puts the volumes of the master into what is about to be changed (U1).
    pub(crate) fn share_volumes(&self, contents: &mut Contents) -> Result<(), CatalogError> {
        let Some((master, here)) = &self.connections.above else {
            return Ok(());
        };
        let Some(master) = master.upgrade() else {
            return Ok(());
        };
        for volume in master.contents()?.volumes() {
            let directory = if volume.directory.is_relative() && here.is_relative() {
                // Both lie below the master, and can be moved together with it.
                back(here).join(&volume.directory)
            } else {
                absolute(&volume.path(master.directory()))?
            };
            if contents.volume(&volume.serial).ok().map(|v| &v.directory) != Some(&directory) {
                let volume = Volume {
                    directory,
                    ..volume.clone()
                };
                contents.share_volume(volume);
            }
        }
        Ok(())
    }
}

/// Makes a catalog without volumes of its own in `directory`, which is given as the master's entry gives it.
pub fn make(disk: &dyn Disk, master: &Path, directory: &Path) -> Result<(), CatalogError> {
    let place = below(master, directory);
    files::admit(disk, &place, false)?;
    store::create_bare(disk, &place)
}

/// Removes the files of a catalog in `directory`; what lies on volumes stays. See U2.
pub fn unmake(disk: &dyn Disk, master: &Path, directory: &Path) -> Result<(), CatalogError> {
    let place = below(master, directory);
    files::admit(disk, &place, false)?;
    store::remove(disk, &place)
}

/// The user catalog that leading qualifiers of `name` are an alias of, the longest run first.
fn alias_of(contents: &Contents, name: &Name) -> Option<Name> {
    let mut rest = name.as_str();
    while let Some((leading, _)) = rest.rsplit_once('.') {
        rest = leading;
        let entry = Name::parse(leading)
            .ok()
            .and_then(|leading| contents.get(&leading).ok());
        if let Some(Entry::Alias(alias)) = entry {
            // One that means nothing here leads to no catalog; whoever names it is told why.
            let name = contents.stands_for(alias).ok();
            if let Some(name) = name.filter(|name| matches!(contents.get(name), Ok(Entry::UserCatalog(_)))) {
                return Some(name);
            }
        }
    }
    None
}

/// The directories of the user catalogs that a catalog in `directory` names.
pub(super) fn all_below(contents: &Contents, directory: &Path) -> Vec<PathBuf> {
    let below = contents.entries().filter_map(|entry| match entry {
        Entry::UserCatalog(catalog) if catalog.directory != ITSELF => {
            Some(below(directory, Path::new(&catalog.directory)))
        }
        _ => None,
    });
    below.collect()
}

/// A directory as the master gives it.
pub(super) fn below(master: &Path, directory: &Path) -> PathBuf {
    master.join(directory)
}

/// From `directory` back to where it is below.
fn back(directory: &Path) -> PathBuf {
    directory.components().map(|_| "..").collect()
}

fn absolute(path: &Path) -> Result<PathBuf, CatalogError> {
    std::path::absolute(path).map_err(|source| CatalogError::Io {
        doing: "find the whole name of",
        path: path.to_owned(),
        source,
    })
}
