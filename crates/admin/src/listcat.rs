//! LISTCAT: entries of catalogs described, one after the other.

pub mod field;
pub mod fields;
pub mod group;
mod json;
mod model;
mod reference;
mod select;
mod sphere;

pub use json::listcat_json;
pub use model::{
    ClusterFields, ComponentFields, Describer, ExtentFields, FileFields, HistoryFields, IndexFields, ListcatEntry,
    VolumeFields,
};
pub use reference::reference_listcat_markdown;

use super::failure::{not_found, refused, Failure};
use super::member;
use super::outcome::Outcome;
use super::shcds::in_use;
use super::trouble::GAVE_UP;
use super::Services;
use cica_catalog::entry::EntryKind;
use cica_catalog::{Catalog, CatalogError, Contents, Device, Level, Mask, Volume};
use cica_messages::{Message, IDC1566I};
use select::EntrySelection;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Condition code when something that was named is not listed, or not fully.
const NOT_LISTED: u8 = 4;

/// LISTCAT.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listcat {
    /// Which entries.
    pub which: Which,
    /// The catalog; none: the one that the search order finds for a name, and the master for everything.
    pub catalog: Option<String>,
    /// Entries and components of these kinds alone; none: of all.
    pub kinds: Option<Vec<EntryKind>>,
    /// SPACE: the volumes of the catalog as well, behind the entries.
    pub volumes: bool,
    /// Entries made so many days ago or before.
    pub creation: Option<u32>,
    /// Entries that expire within so many days.
    pub expiration: Option<u32>,
    /// Figures that change while a data set is used are wanted. Without them no file of a data set is read.
    pub figures: bool,
}

/// Which entries are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Which {
    /// All of the catalog.
    #[default]
    Everything,
    /// Those of these names, which may be masks; components by themselves too.
    Entries(Vec<String>),
    /// Those whose names begin with these qualifiers.
    Levels(Vec<String>),
}

/// What is listed, in the order of the listing.
#[derive(Debug, Clone, PartialEq)]
pub enum Listed {
    /// All or a level of the catalog that is called so comes next.
    Catalog(String),
    /// An entry or component.
    Entry {
        /// What is known of it.
        entry: Box<ListcatEntry>,
        /// Does it stand under the entry it belongs to?
        nested: bool,
    },
    /// A name or level that nothing is listed of, as messages.
    NotFound(Vec<Message>),
    /// A volume.
    Volume(VolumeEntry),
}

/// A volume of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeEntry {
    /// Its serial.
    pub serial: String,
    /// What the catalog that knows it is called.
    pub catalog: String,
    /// Its device type.
    pub device: &'static Device,
    /// Its cylinders.
    pub cylinders: u32,
    /// Components that begin on it.
    pub data_sets: usize,
    /// Its directory.
    pub directory: PathBuf,
}

impl Services {
    /// Hands entries and volumes to `each`. What is not found, or not read in full, is told there, in its place.
    pub fn listcat(&self, request: &Listcat, each: &mut dyn FnMut(Listed)) -> Outcome {
        Outcome::of(|_| listcat(self, request, each).map_err(|failure| failure.with_cc(GAVE_UP)))
    }
}

fn listcat(services: &Services, request: &Listcat, each: &mut dyn FnMut(Listed)) -> Result<u8, Failure> {
    let catalog = request.catalog.as_deref();
    let whole = match &request.which {
        Which::Levels(levels) if !levels.is_empty() => services.catalog_of(catalog, &format!("{}.X", levels[0]))?,
        _ => services.catalog_or_master(catalog)?,
    };
    let look = Look {
        in_use: if request.figures {
            in_use(services)
        } else {
            BTreeSet::new()
        },
        services,
        figures: request.figures,
        choice: EntrySelection::of(request, services.today()),
    };
    let mut cc = 0;
    let mut each = |listed: Listed| {
        let in_full = match &listed {
            Listed::Entry { entry, .. } => entry.trouble.is_none(),
            Listed::Catalog(_) | Listed::Volume(_) => true,
            Listed::NotFound(_) => false,
        };
        if !in_full {
            cc = NOT_LISTED;
        }
        each(listed);
    };
    match &request.which {
        Which::Everything => {
            each(Listed::Catalog(whole.called_name()?));
            look.at(&whole, |describer, choice| choice.everything(describer, &mut each))?;
        }
        Which::Entries(names) => {
            for text in names {
                let done = match entries(&look, catalog, text, &mut each)? {
                    Ok(false) => Err(not_found(text)),
                    done => done.map(drop),
                };
                missed(text, done, &mut each);
            }
        }
        Which::Levels(levels) => {
            let mut page = PageOf::default();
            for text in levels {
                let done = level(&look, catalog, text, &mut page, &mut each)?;
                page.begin(&whole, &mut each)?;
                missed(text, done, &mut each);
            }
        }
    }
    if request.volumes {
        volumes(&whole, &mut each)?;
    }
    Ok(cc)
}

/// The catalog whose entries are listed just now.
#[derive(Default)]
struct PageOf(Option<PathBuf>);

impl PageOf {
    /// Entries of this one come next; what was not found stands on any page.
    fn turn(&mut self, catalog: &Catalog, each: &mut dyn FnMut(Listed)) -> Result<(), Failure> {
        if self.0.as_deref() != Some(catalog.place()) {
            self.0 = Some(catalog.place().to_owned());
            each(Listed::Catalog(catalog.called_name()?));
        }
        Ok(())
    }

    /// The same where there is none yet.
    fn begin(&mut self, catalog: &Catalog, each: &mut dyn FnMut(Listed)) -> Result<(), Failure> {
        match self.0 {
            Some(_) => Ok(()),
            None => self.turn(catalog, each),
        }
    }
}

/// What a name or mask means, in all catalogs it may be in. Is there anything, or what was wrong with the name?
fn entries(
    look: &Look,
    catalog: Option<&str>,
    text: &str,
    each: &mut dyn FnMut(Listed),
) -> Result<Result<bool, Failure>, Failure> {
    if text.contains('(') {
        let contents = look.services.catalog_of(catalog, text)?.contents()?;
        if let Err(failure) = member::check_entry(&contents, text) {
            return Ok(Err(failure));
        }
    }
    let mask = match Mask::parse(text) {
        Ok(mask) => mask,
        Err(error) => return Ok(Err(refused(&error, 8, 42))),
    };
    let mut found = false;
    for catalog in look.services.catalogs_of(catalog, &mask)? {
        match catalog {
            Ok(catalog) => match look.at(&catalog, |describer, choice| choice.entries(describer, &mask, each))? {
                Ok(is_there) => found |= is_there,
                Err(failure) => return Ok(Err(failure)),
            },
            Err(error) => unread(text, error, &mut found, each),
        }
    }
    Ok(Ok(found))
}

/// What a level means, in all catalogs it may be in, those of each on a page of theirs.
fn level(
    look: &Look,
    catalog: Option<&str>,
    text: &str,
    page: &mut PageOf,
    each: &mut dyn FnMut(Listed),
) -> Result<Result<(), Failure>, Failure> {
    let level = match Level::parse(text) {
        Ok(level) => level,
        Err(error) => return Ok(Err(refused(&error, 8, 42))),
    };
    let mut found = false;
    for catalog in look.services.catalogs_of(catalog, &level.mask())? {
        match catalog {
            Ok(catalog) => {
                let mut turned = Ok(());
                found |= look.at(&catalog, |describer, choice| {
                    choice.level(describer, &level, &mut |listed| {
                        if turned.is_ok() {
                            turned = page.turn(&catalog, each);
                        }
                        each(listed);
                    })
                })?;
                turned?;
            }
            Err(error) => unread(text, error, &mut found, each),
        }
    }
    Ok(if found { Ok(()) } else { Err(not_found(&text)) })
}

/// What a catalog has of the name is not listed, and that is what is told of it.
fn unread(text: &str, error: CatalogError, found: &mut bool, each: &mut dyn FnMut(Listed)) {
    *found = true;
    missed(text, Err(error.into()), each);
}

/// How entries of a catalog are looked at.
struct Look<'a> {
    in_use: BTreeSet<String>,
    services: &'a Services,
    figures: bool,
    choice: EntrySelection,
}

impl Look<'_> {
    fn at<T>(&self, catalog: &Catalog, list: impl FnOnce(&Describer, &EntrySelection) -> T) -> Result<T, Failure> {
        let contents = catalog.contents()?;
        let describer = Describer::new(&self.services.engine, catalog, &contents, self.figures)?;
        let describer = describer.beside_a_server(self.in_use.clone());
        Ok(list(&describer, &self.choice))
    }
}

fn missed(name: &str, done: Result<(), Failure>, each: &mut dyn FnMut(Listed)) {
    if let Err(failure) = done {
        let failure = failure.and(&IDC1566I, &[("name", &name)]);
        each(Listed::NotFound(failure.into_messages()));
    }
}

fn volumes(catalog: &Arc<Catalog>, each: &mut dyn FnMut(Listed)) -> Result<(), Failure> {
    let contents = catalog.contents()?;
    let called = catalog.called_name()?;
    for volume in contents.volumes() {
        each(Listed::Volume(self::volume(
            volume,
            &contents,
            &called,
            catalog.directory(),
        )));
    }
    Ok(())
}

fn volume(volume: &Volume, contents: &Contents, called: &str, directory: &Path) -> VolumeEntry {
    let components = contents.entries().flat_map(|entry| entry.components());
    let on_it = components.filter(|(_, component)| component.volumes.first() == Some(&volume.serial));
    VolumeEntry {
        serial: volume.serial.to_string(),
        catalog: called.to_owned(),
        device: volume.device,
        cylinders: volume.cylinders.unwrap_or(volume.device.cylinders()),
        data_sets: on_it.count(),
        directory: volume.path(directory),
    }
}
