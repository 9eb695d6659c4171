//! User catalogs: DEFINE USERCATALOG, IMPORT CONNECT, EXPORT DISCONNECT, and DELETE ... USERCATALOG.
//!
//! 1. A user catalog lies in a directory of its name on its volume, so that CONNECT finds it by name and volume.
//! 2. The catalog is made before the master names it, and goes after the master has forgotten it: a crash in between
//!    leaves a catalog without a name, which the next DEFINE takes when it is empty and CONNECT takes in any case.
//! 3. Nobody changes a catalog between the look whether it is empty and its end.
//! 4. Files that a catalog lists to be removed do not stay behind it: it is not empty while it lists any, and one that
//!    goes nevertheless leaves its list to the catalog that forgets it, in that change.

use super::failure::{left_behind, refused, Failure};
use super::outcome::Outcome;
use super::report::Report;
use super::stated::{keep, Tenure};
use super::{decided, define, Services};
use cica_catalog::connected::{self, ITSELF};
use cica_catalog::entry::{History, UserCatalog};
use cica_catalog::staging::VolumeFile;
use cica_catalog::{place, Catalog, CatalogError, Contents, Entry, Name, Unmaking, Volser, Volume};
use cica_disk::Open;
use cica_messages::{CICA0954I, CICA0955I};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FAILED: u8 = 12;

/// What is asked of the end of a catalog.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// FORCE or RECOVERY: it goes though it is not empty.
    pub anyway: bool,
    /// It is left as it is.
    pub stays: bool,
}

/// A file that is to be removed, and whether it is overwritten before.
pub type Inherited = (VolumeFile, bool);

/// DEFINE USERCATALOG, or DEFINE MASTERCATALOG.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefineCatalog {
    /// Its name.
    pub name: String,
    /// MASTERCATALOG: the catalog of the run gets the name, by which requests can name it. None is made.
    pub master: bool,
    /// The volume it lies on; none: the default one.
    pub volume: Option<String>,
    /// The catalog it becomes known in; none: the master.
    pub catalog: Option<String>,
    /// OWNER, TO and FOR.
    pub tenure: Tenure,
    /// Keywords without a field of their own, and what was said between their parentheses.
    pub other: Vec<(&'static str, String)>,
}

/// IMPORT CONNECT: catalogs that are there become known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connect {
    /// The catalogs.
    pub objects: Vec<Connected>,
    /// LOCK: it is kept that they are to be locked.
    pub lock: bool,
    /// The catalog they become known in; the master where none is said.
    pub catalog: Option<String>,
}

/// A catalog that becomes known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Connected {
    /// Its name.
    pub name: String,
    /// The volume it lies on; the default one where none is said.
    pub volume: Option<String>,
}

/// EXPORT DISCONNECT: the entry of a user catalog and its aliases go; the catalog stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disconnect {
    /// The name of the user catalog.
    pub name: String,
    /// The catalog that knows it; the master where none is said.
    pub catalog: Option<String>,
}

impl Services {
    /// Makes a user catalog and its entry, or gives the master a name.
    pub fn define_catalog(&mut self, request: &DefineCatalog) -> Outcome {
        Outcome::of(|out| {
            let done = if request.master {
                name_master(self, request)
            } else {
                make(self, request)
            };
            Ok(reported(done, out))
        })
    }

    /// Makes user catalogs known that are there; the result names those that are known now.
    pub fn connect(&mut self, request: &Connect) -> Outcome<Vec<Name>> {
        Outcome::with(|out| Ok(connect(self, request, out)))
    }

    /// Forgets a user catalog and its aliases, and leaves it as it is.
    pub fn disconnect(&mut self, request: &Disconnect) -> Outcome {
        Outcome::of(|out| disconnect(self, request, out))
    }
}

fn connect(services: &Services, request: &Connect, out: &mut Report) -> (u8, Vec<Name>) {
    let (mut cc, mut known) = (0, Vec::new());
    for object in &request.objects {
        let done = take_in(services, request, object);
        known.extend(done.iter().map(|(name, _)| name.clone()));
        cc = cc.max(reported(done, out));
    }
    (cc, known)
}

fn reported(done: Result<(Name, PathBuf), Failure>, out: &mut Report) -> u8 {
    match done {
        Ok((name, directory)) => {
            out.say(&CICA0954I, &[("name", &name), ("directory", &directory.display())]);
            0
        }
        Err(failure) => failure.with_cc(FAILED).tell(out),
    }
}

fn name_master(services: &Services, request: &DefineCatalog) -> Result<(Name, PathBuf), Failure> {
    let (master, mut entry) = new_entry(services, request)?;
    entry.directory = ITSELF.to_owned();
    let place = master.directory().to_owned();
    enter(&master, entry, place)
}

/// The catalog that gets the entry, and the entry.
fn new_entry(services: &Services, request: &DefineCatalog) -> Result<(Arc<Catalog>, UserCatalog), Failure> {
    let master = services.catalog_or_master(request.catalog.as_deref())?;
    let mut entry = entry(services, &master, Some(&request.name), request.volume.as_deref())?;
    request.tenure.put(&mut entry.history, services.today())?;
    keep(&mut entry.other, &request.other);
    Ok((master, entry))
}

/// A catalog that is empty, and its entry.
fn make(services: &Services, request: &DefineCatalog) -> Result<(Name, PathBuf), Failure> {
    let (master, entry) = new_entry(services, request)?;
    if master.contents()?.find(&entry.name).is_some() {
        return Err(CatalogError::Duplicate { name: entry.name }.into());
    }
    let place = master.directory().join(&entry.directory);
    if is_file(services, &place) {
        let words = format!("{} is there and no directory; move it away", place.display());
        return Err(refused(&words, 8, 38));
    }
    connected::make(&*services.disk, master.directory(), Path::new(&entry.directory))?;
    if Catalog::open_named(services.disk.clone(), &place)?
        .contents()?
        .entries()
        .next()
        .is_some()
    {
        let words = format!(
            "a catalog with entries is in {}; IMPORT CONNECT OBJECTS(({} VOLUMES(...))) takes it in",
            place.display(),
            entry.name
        );
        return Err(refused(&words, 8, 38));
    }
    enter(&master, entry, place)
}

fn take_in(services: &Services, request: &Connect, object: &Connected) -> Result<(Name, PathBuf), Failure> {
    let master = services.catalog_or_master(request.catalog.as_deref())?;
    let mut entry = entry(services, &master, Some(&object.name), object.volume.as_deref())?;
    if request.lock {
        entry.other.push(("LOCK".to_owned(), String::new()));
    }
    let place = master.directory().join(&entry.directory);
    Catalog::open_named(services.disk.clone(), &place)?;
    enter(&master, entry, place)
}

fn enter(master: &Catalog, entry: UserCatalog, place: PathBuf) -> Result<(Name, PathBuf), Failure> {
    let name = entry.name.clone();
    master.transact(|contents| contents.insert(Entry::UserCatalog(entry)))?;
    Ok((name, place))
}

fn is_file(services: &Services, path: &Path) -> bool {
    let directory = Open {
        directory: true,
        ..Open::default()
    };
    services.disk.open(path, Open::default()).is_ok() && services.disk.open(path, directory).is_err()
}

/// The entry of a catalog on a volume of the master (1).
fn entry(
    services: &Services,
    master: &Catalog,
    name: Option<&str>,
    volume: Option<&str>,
) -> Result<UserCatalog, Failure> {
    let name = Name::parse(name.unwrap_or_default()).map_err(|error| refused(&error, 140, 0))?;
    let contents = master.contents()?;
    let serial = match volume.unwrap_or("*") {
        "*" => define::default_volume(&contents)?,
        text => Volser::parse(text).map_err(|error| refused(&error, 140, 0))?,
    };
    let directory = contents.volume(&serial)?.directory.join(name.as_str());
    Ok(UserCatalog {
        directory: directory.to_string_lossy().into_owned(),
        history: History::new(services.today()),
        other: Vec::new(),
        name,
    })
}

fn disconnect(services: &Services, request: &Disconnect, out: &mut Report) -> Result<u8, Failure> {
    let name = Name::parse(&request.name).map_err(|error| refused(&error, 8, 42))?;
    let master = services.catalog_or_master(request.catalog.as_deref())?;
    master.transact(|contents| forget(contents, &name))?;
    out.say(&CICA0955I, &[("name", &request.name)]);
    Ok(0)
}

fn forget(contents: &mut Contents, name: &Name) -> Result<(), Failure> {
    match contents.get(name)? {
        Entry::UserCatalog(_) => {}
        other => {
            let kind = other.kind();
            return Err(CatalogError::NoUserCatalog {
                name: name.clone(),
                kind,
            }
            .into());
        }
    }
    let aliases: Vec<Name> = contents.related(name).map(|entry| entry.name().clone()).collect();
    for name in aliases.iter().chain([name]) {
        contents.remove(name)?;
    }
    Ok(())
}

/// May the catalog of this entry be deleted? It must be empty; where it goes anyway, no unit of recovery in doubt may
/// have changed a data set of it, which nobody would find any more. Nobody changes it before what is returned is
/// dropped; nothing is returned of one of which nothing is removed.
pub fn check_deletable(
    services: &Services,
    master: &Arc<Catalog>,
    entry: &UserCatalog,
    asked: Asked,
) -> Result<Option<Unmaking>, Failure> {
    if entry.directory == ITSELF {
        return Ok(None);
    }
    let opened = master.called(&entry.name);
    let there = match opened.and_then(|there| there.contents().map(|_| there)) {
        // One that cannot be opened names nothing either.
        Err(_) if asked.anyway => return Ok(None),
        there => there?,
    };
    there.clear();
    let check = |catalog: &Catalog| {
        if asked.anyway {
            decided::check_all(services, catalog)
        } else {
            check_empty(entry, catalog)
        }
    };
    check(&there)?;
    if asked.stays {
        return Ok(None);
    }
    let going = Unmaking::begin(&services.disk, master, Path::new(&entry.directory))?;
    going.iter().try_for_each(|going| check(going.catalog()))?;
    Ok(going)
}

fn check_empty(entry: &UserCatalog, catalog: &Catalog) -> Result<(), Failure> {
    let contents = catalog.contents()?;
    let words = match (contents.entries().count(), contents.leftovers().count()) {
        (0, 0) => return Ok(()),
        // 4.
        (0, files) => format!(
            "{} lists files that are made or to be removed, in all: {files}; wait for who makes them, or bring back the \
             volume or catalog that is away, or say RECOVERY or FORCE, which leave the list to the catalog that knows \
             {}",
            entry.name, entry.name
        ),
        (entries, _) => format!(
            "{} is not empty, entries in all: {entries}; delete them first, or say RECOVERY or FORCE, which leave their \
             data on the volumes",
            entry.name
        ),
    };
    Err(refused(&words, 140, 0))
}

/// Files that a catalog that goes lists to be removed, as its master's; and those on volumes that the master does not
/// know, which nobody lists any more (4).
///
/// # Errors
/// A catalog cannot be read.
pub fn inherited(
    services: &Services,
    master: &Catalog,
    going: &Unmaking,
) -> Result<(Vec<Inherited>, Vec<Failure>), CatalogError> {
    let (below, above) = (going.catalog().contents()?, master.contents()?);
    let (mut inherited, mut left) = (Vec::new(), Vec::new());
    for leftover in below.leftovers() {
        let (serial, file) = leftover;
        let Ok(volume) = below.volume(serial) else { continue };
        let directory = volume.path(going.catalog().directory());
        let is_it = |known: &Volume| place::is_same(&*services.disk, &known.path(master.directory()), &directory);
        if above.volume(serial).is_ok_and(is_it) {
            inherited.push((leftover.clone(), below.erases(leftover)));
        } else {
            left.push(left_behind(
                &file.in_directory(&directory),
                &format!("its volume {serial} is none of the catalog that knows this one"),
            ));
        }
    }
    Ok((inherited, left))
}

/// Removes the catalog that the master has forgotten; what is returned tells of files that could not be.
pub fn remove(services: &Services, master: &Catalog, entry: &UserCatalog, going: Option<Unmaking>) -> Option<Failure> {
    if entry.directory == ITSELF {
        return None;
    }
    let directory = Path::new(&entry.directory);
    let place = master.directory().join(directory);
    let removed = match going {
        Some(going) => going.end(&*services.disk),
        // What may not be locked is not removed either (catalog::Unmaking).
        None if Catalog::open_named(services.disk.clone(), &place).is_ok() => {
            return Some(left_behind(&place, &"this process may not lock it"));
        }
        None => connected::unmake(&*services.disk, master.directory(), directory),
    };
    let failed = removed.err()?;
    Some(left_behind(&place, &failed))
}
