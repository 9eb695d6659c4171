//! DEFINE CLUSTER and DEFINE ALTERNATEINDEX: lays a cluster out, makes its files, and puts it into the catalog.
//!
//! 1. Either the files and the entry are there at the end, or neither; so it is with all that [`sphere`] defines.
//!    Everything happens under the catalog's lock, and files are made before the catalog names them; a crash in between
//!    leaves files without records, which the next DEFINE of the name takes out of the way.
//! 2. A file that may have records is never replaced: DEFINE ... RECATALOG takes it in, or a person removes it.

mod alias;
mod gdg;
mod leftover;
mod nonvsam;
mod over;
mod path;
mod recatalog;
mod room;
mod wanted;

pub use alias::{DefineAlias, Related};
pub use gdg::{DefineGroup, GroupStated};
pub use nonvsam::DefineNonvsam;
pub use path::DefinePath;

pub(super) use over::{check_alternate_key, check_key};
pub(super) use wanted::default_volume;

use super::failure::Failure;
use super::generations::rolled_off;
use super::outcome::Outcome;
use super::report::Report;
use super::stated::Stated;
use super::Services;
use cica_catalog::check::{self, DefineError};
use cica_catalog::entry::{Attributes, Component};
use cica_catalog::generation::Rolled;
use cica_catalog::plan::{plan, Plan, Wish};
use cica_catalog::staging::VolumeFile;
use cica_catalog::{Catalog, CatalogError, Cluster, Contents, Entry, Name, Volser};
use cica_disk::FileName;
use cica_engine::Definition;
use cica_messages::{CICA0905I, CICA0933I, CICA0935I, CICA1023I, IDC0181I, IDC0508I, IDC0509I, IDC0512I};
use over::Over;
use std::path::PathBuf;
use std::sync::Arc;
use wanted::WantedCluster;

/// Condition code of a DEFINE that failed.
const FAILED: u8 = 12;

/// DEFINE CLUSTER, or the cluster that an alternate index is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DefineCluster {
    /// The catalog; none: the one that the search order finds.
    pub catalog: Option<String>,
    /// What is said of the cluster as a whole. It needs a name.
    pub cluster: Stated,
    /// What is said of the data component.
    pub data: Option<Stated>,
    /// What is said of the index component.
    pub index: Option<Stated>,
    /// The files are there: only the entry is made.
    pub recatalog: bool,
    /// What makes it an index over another cluster.
    pub alternate: Option<Alternate>,
}

/// What DEFINE ALTERNATEINDEX says beside what makes a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alternate {
    /// RELATE: the base. With RECATALOG its files name it.
    pub relate: Option<String>,
    /// UNIQUEKEY (true) or NONUNIQUEKEY.
    pub unique_key: Option<bool>,
    /// UPGRADE (true) or NOUPGRADE.
    pub upgrade: Option<bool>,
    /// SUPPRESS: a key all of this byte is left out.
    pub suppress: Option<u8>,
}

/// One of the entries that make a sphere.
#[derive(Debug, Clone, PartialEq)]
pub enum SphereMember {
    /// The base, or an alternate index of it.
    Cluster(Box<DefineCluster>),
    /// A path to one of them.
    Path(DefinePath),
}

impl DefineCluster {
    /// The name that is said.
    fn name(&self) -> &str {
        self.cluster.name.as_deref().unwrap_or_default()
    }

    /// All that is said, the cluster's list first.
    fn lists(&self) -> impl Iterator<Item = &Stated> {
        [Some(&self.cluster), self.data.as_ref(), self.index.as_ref()]
            .into_iter()
            .flatten()
    }
}

impl Services {
    /// Makes a cluster or an alternate index, its files and its entry; or, with `recatalog`, the entry alone.
    pub fn define_cluster(&mut self, request: &DefineCluster) -> Outcome {
        Outcome::of(|out| {
            let done = if request.recatalog {
                recatalog::recatalog(self, request)
            } else {
                define(self, request)
            };
            let (defined, Rolling { catalog, rolled }) = done.map_err(|failure| failure.with_cc(FAILED))?;
            self.dd.note_made(&defined.cluster.name);
            defined.tell(out);
            rolled_off(self, &catalog, rolled, out);
            Ok(0)
        })
    }

    /// Makes a base, its alternate indexes and paths by one change of the catalog: all of them or none, whatever stops
    /// it. The names are of the catalog of the first.
    pub fn define_sphere(&mut self, members: &[SphereMember]) -> Outcome {
        Outcome::of(|_| sphere(self, members).map(|()| 0))
    }
}

/// A cluster that was defined, and what is told about it.
struct Defined {
    cluster: Cluster,
    /// Of an alternate index.
    over: Option<Over>,
    /// Were the names of data and index component made up?
    generated: (bool, bool),
    /// CI sizes given and taken, where they differ.
    rounded: Vec<(&'static str, u32, u32)>,
    /// BUFFERSPACE given and taken, where it was too little.
    raised: Option<(u32, u32)>,
    /// Where the key ends, if that is beyond an average record.
    key_end: Option<u32>,
    /// What was written and has no effect.
    unused: Vec<&'static str>,
}

/// Generations that leave their group for a cluster that came in.
struct Rolling {
    catalog: Arc<Catalog>,
    rolled: Vec<Rolled>,
}

/// Puts in what was defined; a generation pushes others out of its group, unless whoever defines it does that himself.
fn put_in(services: &Services, contents: &mut Contents, entry: Entry) -> Result<Vec<Rolled>, CatalogError> {
    if services.rolls_off && matches!(entry, Entry::Cluster(_)) {
        contents.add_generation(entry, services.today())
    } else {
        contents.insert(entry).map(|()| Vec::new())
    }
}

fn define(services: &Services, request: &DefineCluster) -> Result<(Defined, Rolling), Failure> {
    let catalog = services.catalog_of(request.catalog.as_deref(), request.name())?;
    let (defined, rolled) = making(services, &catalog, |contents, made| {
        define_in(services, &catalog, contents, made, request)
    })?;
    Ok((defined, Rolling { catalog, rolled }))
}

fn sphere(services: &Services, members: &[SphereMember]) -> Result<(), Failure> {
    let (catalog, name) = match members.first() {
        None => return Ok(()),
        Some(SphereMember::Cluster(first)) => (&first.catalog, first.name()),
        Some(SphereMember::Path(first)) => (&first.catalog, first.name.as_str()),
    };
    let catalog = services.catalog_of(catalog.as_deref(), name)?;
    making(services, &catalog, |contents, made| {
        for member in members {
            match member {
                SphereMember::Path(path) => path::define_in(services, contents, path)?,
                SphereMember::Cluster(request) => {
                    define_in(services, &catalog, contents, made, request)?;
                }
            }
        }
        Ok(())
    })
}

/// Entries whose files were made, and these files: data, and index or an empty path.
type Made = Vec<(Name, (PathBuf, PathBuf))>;

/// A change of the catalog that makes files; where it does not happen they go.
fn making<T>(
    services: &Services,
    catalog: &Catalog,
    change: impl FnOnce(&mut Contents, &mut Made) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut made = Made::new();
    let done = catalog.transact(|contents| change(contents, &mut made));
    if done.is_err() {
        for (name, (data, index)) in made {
            // What the catalog does not name must not stay; what it names although its writing was not confirmed must.
            // Where that cannot be found out, files stay: the next DEFINE takes them out of the way.
            if matches!(catalog.get(&name), Err(CatalogError::NotFound { .. })) {
                // The first error is the one to tell.
                let _ = services.engine.destroy(&data, &index, false);
            }
        }
    }
    done
}

fn define_in(
    services: &Services,
    catalog: &Catalog,
    contents: &mut Contents,
    made: &mut Made,
    request: &DefineCluster,
) -> Result<(Defined, Vec<Rolled>), Failure> {
    let mut wanted = WantedCluster::of(services, contents, request)?;
    let over = match &request.alternate {
        Some(alternate) => Some(Over::of(services, contents, request, alternate, &mut wanted)?),
        None => None,
    };
    let defined = Defined::new(contents, &wanted, over, &planned(&wanted)?)?;
    if request.catalog.is_none() {
        let cluster = &defined.cluster;
        check_homes(
            services,
            catalog,
            &cluster.name,
            [&cluster.data].into_iter().chain(&cluster.index),
        )?;
    }
    let rolled = put_in(services, contents, defined.entry())?;
    let files = make_files(services, catalog, contents, &defined, &wanted)?;
    made.push((defined.cluster.name.clone(), files));
    Ok((defined, rolled))
}

/// A component is looked for by its own name too.
pub(crate) fn check_homes<'c>(
    services: &Services,
    catalog: &Catalog,
    cluster: &Name,
    components: impl Iterator<Item = &'c Component>,
) -> Result<(), Failure> {
    let remedy = "give it a name of that catalog, or say CATALOG";
    let mut names = components.map(|component| &component.name);
    names.try_for_each(|name| services.check_home(catalog, cluster, name, remedy))
}

/// CI sizes, control areas and extents.
fn planned(wanted: &WantedCluster) -> Result<Plan, Failure> {
    let attributes = &wanted.attributes;
    check::share_options(attributes.share)?;
    check::log(
        wanted.wish.organization,
        attributes.log,
        attributes.log_stream.as_deref(),
    )?;
    match plan(&wanted.wish) {
        // As z/OS does; who opens the data set gets what a request takes.
        Err(DefineError::BufferSpace { .. }) => Ok(plan(&Wish {
            buffer_space: None,
            ..wanted.wish
        })?),
        planned => Ok(planned?),
    }
}

/// Makes both files on their volumes and returns their paths.
fn make_files(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    defined: &Defined,
    wanted: &WantedCluster,
) -> Result<(PathBuf, PathBuf), Failure> {
    let (cluster, created) = (&defined.cluster, services.clock.now());
    let attributes =
        |part: &Component| part.file_attributes(&cluster.name, cluster.organization, &cluster.attributes, created);
    // As the catalog will be: volumes it shares with its master may be new in it.
    let directory = |serial: &Volser| catalog.check_volume(contents.volume(serial)?);
    let index_path = match &cluster.index {
        Some(index) => directory(&wanted.index_volumes[0])?.join(index.file.as_str()),
        None => PathBuf::new(),
    };
    let mut definition = Definition {
        data_path: directory(&wanted.data_volumes[0])?.join(cluster.data.file.as_str()),
        index_path,
        data: attributes(&cluster.data),
        index: cluster.index.as_ref().map(attributes),
    };
    definition.data.alternate = defined.over.as_ref().map(Over::carried);
    if let Some(index) = &mut definition.index {
        index.share_region = wanted.index_share.region;
        index.share_system = wanted.index_share.system;
    }
    let components: Vec<&Component> = [&cluster.data].into_iter().chain(&cluster.index).collect();
    room::check(services, catalog, contents, &components)?;
    leftover::clear(services, catalog, &definition.data_path, &definition.index_path)?;
    let places: Vec<VolumeFile> = defined.entry().files();
    catalog.note_defining(&places, created)?;
    services.engine.create(&definition)?;
    Ok((definition.data_path, definition.index_path))
}

impl Defined {
    fn new(contents: &Contents, wanted: &WantedCluster, over: Option<Over>, plan: &Plan) -> Result<Defined, Failure> {
        let data_name = wanted.data_name.clone().unwrap_or_else(|| wanted.name.data());
        let index_name = wanted.index_name.clone().unwrap_or_else(|| wanted.name.index());
        let mut data = plan.data.component(data_name, wanted.data_volumes.clone());
        let mut index = (plan.index.as_ref()).map(|layout| layout.component(index_name, wanted.index_volumes.clone()));
        data.file = free_file(contents, &data);
        if let Some(index) = &mut index {
            index.file = free_file(contents, index);
        }
        let wish = &wanted.wish;
        let index_size = index.as_ref().map(|index| index.ci_size);
        let sizes = [
            ("THE DATA", wish.ci_size, Some(data.ci_size)),
            ("THE INDEX", wish.index_ci_size, index_size),
        ];
        let key_end = wish.keys.map_or(0, |k| k.offset + u32::from(k.length));
        Ok(Defined {
            cluster: Cluster {
                name: wanted.name.clone(),
                organization: wish.organization,
                attributes: Attributes {
                    buffer_space: plan.buffer_space,
                    ..wanted.attributes.clone()
                },
                data,
                index,
            },
            over,
            generated: (wanted.data_name.is_none(), wanted.index_name.is_none()),
            rounded: sizes
                .into_iter()
                .filter_map(|(part, given, taken)| Some((part, given?, taken?)))
                .filter(differ)
                .collect(),
            raised: wish
                .buffer_space
                .filter(|given| *given < plan.buffer_space)
                .map(|given| (given, plan.buffer_space)),
            key_end: Some(key_end).filter(|end| *end > wish.record_size.average),
            unused: wanted.unused.clone(),
        })
    }

    fn entry(&self) -> Entry {
        match (&self.over, &self.cluster.index) {
            (Some(over), Some(index)) => over.entry(&self.cluster, index),
            _ => Entry::Cluster(Box::new(self.cluster.clone())),
        }
    }

    fn tell(&self, out: &mut Report) {
        let (data, index) = (Some(&self.cluster.data), self.cluster.index.as_ref());
        for (message, component) in [(&IDC0508I, data), (&IDC0509I, index)] {
            if let Some(volume) = component.and_then(|component| component.volumes.first()) {
                out.say(message, &[("volume", volume), ("status", &0)]);
            }
        }
        for (generated, kind, component) in [(self.generated.0, 'D', data), (self.generated.1, 'I', index)] {
            if let Some(component) = component.filter(|_| generated) {
                out.say(&IDC0512I, &[("kind", &kind), ("name", &component.name)]);
            }
        }
        let stated = &self.cluster.attributes;
        let classes = [
            ("STORAGECLASS", &stated.storage_class),
            ("MANAGEMENTCLASS", &stated.management_class),
            ("DATACLASS", &stated.data_class),
        ];
        for (class, name) in classes {
            if let Some(name) = name {
                out.say(&IDC0181I, &[("class", &class), ("name", name)]);
            }
        }
        for (part, given, taken) in &self.rounded {
            out.say(&CICA0933I, &[("part", part), ("given", given), ("taken", taken)]);
        }
        if let Some((given, taken)) = &self.raised {
            out.say(&CICA1023I, &[("given", given), ("taken", taken)]);
        }
        for keyword in &self.unused {
            out.say(&CICA0905I, &[("item", keyword)]);
        }
        if let Some(end) = self.key_end {
            out.say(&CICA0935I, &[("end", &end), ("average", &stated.record_size.average)]);
        }
    }
}

fn differ((_, given, taken): &(&str, u32, u32)) -> bool {
    given != taken
}

/// The component's name; or, when a renamed data set has the file of that name, or one that goes, one that no data set
/// can have.
fn free_file(contents: &Contents, component: &Component) -> FileName {
    let taken = |file: &FileName| {
        let serial = component.volumes.first();
        serial.is_some_and(|serial| contents.is_taken(serial, file))
    };
    let numbered = (2..).map(|n| FileName::near(&format!("{}~{n}", component.name)));
    // There are more numbers than components.
    std::iter::once(component.file.clone())
        .chain(numbered)
        .find(|file| !taken(file))
        .unwrap_or_else(|| component.file.clone())
}
