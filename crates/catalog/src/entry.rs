//! Catalog entries: what a user said at DEFINE and what was chosen for him.
//!
//! Statistics, high-used RBA and extents are not here: they change while a data set is used and stand in its own
//! files, where one writer owns them.

pub use crate::attributes::{Attributes, History, Keys, Log, RecordSize, ShareOptions};
pub use crate::component::Component;
use crate::date::Date;
pub use crate::kind::EntryKind;
use crate::name::Name;
use crate::symbols::Symbolic;
use crate::volume::{Volser, VolumeFile};
use cica_disk::{FileName, FileNameError};
pub use cica_format::attributes::Organization;

/// What a name in the catalog stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entry {
    /// A cluster: data and, if it has keys, index component.
    Cluster(Box<Cluster>),
    /// An alternate index: a cluster over another.
    Aix(Box<Aix>),
    /// A way to a cluster, or to a base cluster through an alternate index.
    Path(PathEntry),
    /// A generation data group.
    Gdg(Gdg),
    /// A data set that is not VSAM's.
    NonVsam(NonVsam),
    /// Another name.
    Alias(Alias),
    /// Another catalog.
    UserCatalog(UserCatalog),
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Cluster name.
    pub name: Name,
    /// How its records are reached.
    pub organization: Organization,
    /// What was said of it.
    pub attributes: Attributes,
    /// Data component.
    pub data: Component,
    /// Index component: KSDS and VRRDS.
    pub index: Option<Component>,
}

/// An alternate index. Its own records are those of a KSDS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aix {
    /// Name.
    pub name: Name,
    /// The base cluster.
    pub relate: Name,
    /// UNIQUEKEY: one base record for each alternate key.
    pub unique_key: bool,
    /// UPGRADE: kept up with the base.
    pub upgrade: bool,
    /// Where the alternate key stands in the base record (AXRKP) and how long it is.
    pub alternate_key: Keys,
    /// Base records whose alternate key is this byte throughout are not in it.
    pub suppressed: Option<u8>,
    /// What was said of it; `keys` is the key of the alternate index records themselves.
    pub attributes: Attributes,
    /// Data component.
    pub data: Component,
    /// Index component.
    pub index: Component,
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    /// Name.
    pub name: Name,
    /// PATHENTRY: a cluster or an alternate index.
    pub target: Name,
    /// UPDATE: opening the path opens the upgrade set too.
    pub update: bool,
    /// Owner and dates.
    pub history: History,
}

/// A generation data group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gdg {
    /// Base name.
    pub name: Name,
    /// LIMIT: generations kept.
    pub limit: u16,
    /// SCRATCH: generations that leave are deleted, not only uncataloged.
    pub scratch: bool,
    /// EMPTY: at the limit all generations leave, not only the oldest.
    pub empty: bool,
    /// FIFO: listed and read oldest first.
    pub fifo: bool,
    /// PURGE: unexpired generations leave too.
    pub purge: bool,
    /// EXTENDED: more than 255 generations.
    pub extended: bool,
    /// Day of the last ALTER, or on which a generation left; when one came its own entry says. None where an earlier
    /// build made the change.
    pub altered: Option<Date>,
    /// Owner and dates.
    pub history: History,
}

/// A data set that is not VSAM's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonVsam {
    /// Name.
    pub name: Name,
    /// Volumes.
    pub volumes: Vec<Volser>,
    /// Device type as given.
    pub device: String,
    /// Its file.
    pub file: FileOf,
    /// What its records are like, as a DD says it: `RECFM=FB,LRECL=80`; empty for lines of text.
    pub format: String,
    /// FILESEQUENCENUMBERS as given.
    pub sequence: String,
    /// Owner and dates.
    pub history: History,
}

/// Where the file of a data set that is not VSAM's is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FileOf {
    /// On its first volume, under the data set's name.
    #[default]
    OwnName,
    /// On its first volume, under this name.
    Named(FileName),
    /// Somewhere else. Nothing of Cica's writes such an entry; one that has it is from elsewhere, and its file is not
    /// touched unless the user trusts its directory ([`crate::Catalog::file_path`]).
    Outside(String),
}

impl FileOf {
    /// Takes what an entry holds: nothing, a name, or a path, which has a `/`.
    ///
    /// # Errors
    /// It is none of them.
    pub fn parse(text: &str) -> Result<FileOf, FileNameError> {
        Ok(match text {
            "" => FileOf::OwnName,
            path if path.contains('/') && !path.contains(char::is_control) => FileOf::Outside(path.to_owned()),
            name => FileOf::Named(FileName::parse(name)?),
        })
    }

    /// What an entry holds of it.
    pub fn text(&self) -> &str {
        match self {
            FileOf::OwnName => "",
            FileOf::Named(name) => name.as_str(),
            FileOf::Outside(path) => path,
        }
    }
}

impl NonVsam {
    /// The name of its file on a volume; none for one outside.
    pub fn file_on_volume(&self) -> Option<FileName> {
        match &self.file {
            FileOf::OwnName => Some(self.name.file()),
            FileOf::Named(name) => Some(name.clone()),
            FileOf::Outside(_) => None,
        }
    }
}

/// Another name for an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The alias.
    pub name: Name,
    /// What it stands for.
    pub relate: Relate,
}

/// What an alias stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relate {
    /// RELATE: an entry that is there. It takes the alias with it when it goes, and the alias follows its new name.
    Entry(Name),
    /// SYMBOLICRELATE: whatever entry has the name that this is on the system, when the alias is used. The entry knows
    /// nothing of the alias.
    Symbolic(Symbolic),
}

impl Alias {
    /// The entry that it stands for on every system; none for a symbolic one.
    pub fn entry(&self) -> Option<&Name> {
        match &self.relate {
            Relate::Entry(name) => Some(name),
            Relate::Symbolic(_) => None,
        }
    }
}

/// Another catalog, reached by the names below its aliases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCatalog {
    /// Name.
    pub name: Name,
    /// Its directory; a relative one is below that of the catalog that has this entry.
    pub directory: String,
    /// Owner and dates.
    pub history: History,
    /// What was said of it and is kept only to be shown again: keyword and value as text.
    pub other: Vec<(String, String)>,
}

impl Entry {
    /// Its name.
    pub fn name(&self) -> &Name {
        match self {
            Entry::Cluster(e) => &e.name,
            Entry::Aix(e) => &e.name,
            Entry::Path(e) => &e.name,
            Entry::Gdg(e) => &e.name,
            Entry::NonVsam(e) => &e.name,
            Entry::Alias(e) => &e.name,
            Entry::UserCatalog(e) => &e.name,
        }
    }

    /// Gives it another name; its components keep theirs.
    pub fn rename(&mut self, to: Name) {
        match self {
            Entry::Cluster(e) => e.name = to,
            Entry::Aix(e) => e.name = to,
            Entry::Path(e) => e.name = to,
            Entry::Gdg(e) => e.name = to,
            Entry::NonVsam(e) => e.name = to,
            Entry::Alias(e) => e.name = to,
            Entry::UserCatalog(e) => e.name = to,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> EntryKind {
        match self {
            Entry::Cluster(_) => EntryKind::Cluster,
            Entry::Aix(_) => EntryKind::Aix,
            Entry::Path(_) => EntryKind::Path,
            Entry::Gdg(_) => EntryKind::Gdg,
            Entry::NonVsam(_) => EntryKind::NonVsam,
            Entry::Alias(_) => EntryKind::Alias,
            Entry::UserCatalog(_) => EntryKind::UserCatalog,
        }
    }

    /// Its components, data before index; none for entries without files of their own.
    pub fn components(&self) -> impl Iterator<Item = (EntryKind, &Component)> {
        let (data, index) = match self {
            Entry::Cluster(e) => (Some(&e.data), e.index.as_ref()),
            Entry::Aix(e) => (Some(&e.data), Some(&e.index)),
            _ => (None, None),
        };
        data.map(|c| (EntryKind::Data, c))
            .into_iter()
            .chain(index.map(|c| (EntryKind::Index, c)))
    }

    /// Volume and name of each file that goes with it: its components', or that of a data set that is not VSAM's, where
    /// it lies on a volume under a name of its own.
    pub fn files(&self) -> Vec<VolumeFile> {
        if let Entry::NonVsam(e) = self {
            let place = e.volumes.first().zip(e.file_on_volume());
            return place.map(|(serial, file)| (serial.clone(), file)).into_iter().collect();
        }
        self.components()
            .filter_map(|(_, c)| Some((c.volumes.first()?.clone(), c.file.clone())))
            .collect()
    }

    /// Its components, data before index, to be changed.
    pub fn components_mut(&mut self) -> Vec<&mut Component> {
        match self {
            Entry::Cluster(e) => std::iter::once(&mut e.data).chain(&mut e.index).collect(),
            Entry::Aix(e) => vec![&mut e.data, &mut e.index],
            _ => Vec::new(),
        }
    }

    /// Its attributes, of a cluster or alternate index.
    pub fn attributes(&self) -> Option<&Attributes> {
        match self {
            Entry::Cluster(e) => Some(&e.attributes),
            Entry::Aix(e) => Some(&e.attributes),
            _ => None,
        }
    }

    /// Owner and dates; an alias has none.
    pub fn history(&self) -> Option<&History> {
        match self {
            Entry::Cluster(e) => Some(&e.attributes.history),
            Entry::Aix(e) => Some(&e.attributes.history),
            Entry::Path(e) => Some(&e.history),
            Entry::Gdg(e) => Some(&e.history),
            Entry::NonVsam(e) => Some(&e.history),
            Entry::UserCatalog(e) => Some(&e.history),
            Entry::Alias(_) => None,
        }
    }
}
