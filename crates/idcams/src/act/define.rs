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

pub use alias::alias;
pub use gdg::gdg;
pub use gdg::put as put_group;
pub use nonvsam::nonvsam;
pub use over::check_alternate_key;
pub use path::path;
pub use wanted::default_volume;

use super::failure::Failure;
use super::generations::rolled_off;
use super::report::Report;
use super::Services;
use crate::params::Command;
use crate::table::Verb;
use cica_catalog::check;
use cica_catalog::entry::{Attributes, Component};
use cica_catalog::generation::Rolled;
use cica_catalog::plan::{plan, Plan};
use cica_catalog::staging::Place;
use cica_catalog::{Catalog, CatalogError, Cluster, Contents, Entry, Name, Volser};
use cica_disk::FileName;
use cica_engine::Definition;
use cica_messages::{CICA0905I, CICA0933I, CICA0935I, IDC0181I, IDC0508I, IDC0509I, IDC0512I};
use over::Over;
use std::path::PathBuf;
use std::sync::Arc;
use wanted::Wanted;

/// Condition code of a DEFINE that failed.
const FAILED: u8 = 12;

/// Carries out DEFINE CLUSTER.
pub fn cluster(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    let done = match command.params.flag("RECATALOG") {
        true => recatalog::recatalog(services, command, false),
        false => define(services, command, false),
    };
    told(services, done, out)
}

/// Carries out DEFINE ALTERNATEINDEX.
pub fn alternate_index(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    let done = match command.params.flag("RECATALOG") {
        true => recatalog::recatalog(services, command, true),
        false => define(services, command, true),
    };
    told(services, done, out)
}

fn told(services: &Services, done: Result<(Defined, Rolling), Failure>, out: &mut Report) -> u8 {
    match done {
        Ok((defined, Rolling { catalog, rolled })) => {
            defined.tell(out);
            rolled_off(services, &catalog, rolled, out);
            0
        }
        Err(failure) => failure.with_cc(FAILED).tell(out),
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
    rounded: Vec<(u32, u32)>,
    /// Where the key ends, if that is beyond an average record.
    key_end: Option<u32>,
    /// KEYS was written and has no effect.
    unused_keys: bool,
}

/// Generations that leave their group for a cluster that came in.
struct Rolling {
    catalog: Arc<Catalog>,
    rolled: Vec<Rolled>,
}

/// Puts in what was defined; a generation pushes others out of its group, unless whoever defines it does that himself.
fn put_in(services: &Services, contents: &mut Contents, entry: Entry) -> Result<Vec<Rolled>, CatalogError> {
    match services.rolls_off && matches!(entry, Entry::Cluster(_)) {
        true => contents.add_generation(entry, services.today()),
        false => contents.insert(entry).map(|()| Vec::new()),
    }
}

fn define(services: &Services, command: &Command, alternate: bool) -> Result<(Defined, Rolling), Failure> {
    let catalog = services.catalog(&command.params, command.params.name("NAME").unwrap_or_default())?;
    let (defined, rolled) = making(services, &catalog, |contents, made| {
        define_in(services, &catalog, contents, made, command, alternate)
    })?;
    Ok((defined, Rolling { catalog, rolled }))
}

/// Carries out DEFINE CLUSTER, DEFINE ALTERNATEINDEX and DEFINE PATH commands by one change of the catalog: all of them
/// or none, whatever stops it. The names are of the catalog of the first.
///
/// # Errors
/// What the first that cannot be done says.
pub fn sphere(services: &Services, commands: &[Command]) -> Result<(), String> {
    let Some(first) = commands.first() else { return Ok(()) };
    let catalog = services.catalog(&first.params, first.params.name("NAME").unwrap_or_default());
    let done = catalog.and_then(|catalog| {
        making(services, &catalog, |contents, made| {
            for command in commands {
                match command.verb {
                    Verb::DefinePath => path::define_in(services, contents, &command.params)?,
                    verb => {
                        let alternate = verb == Verb::DefineAlternateIndex;
                        define_in(services, &catalog, contents, made, command, alternate)?;
                    }
                }
            }
            Ok(())
        })
    });
    done.map_err(|failure| failure.text())
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
    command: &Command,
    alternate: bool,
) -> Result<(Defined, Vec<Rolled>), Failure> {
    let mut wanted = Wanted::of(services, contents, command)?;
    let over = match alternate {
        true => Some(Over::of(contents, &command.params, &mut wanted)?),
        false => None,
    };
    let defined = Defined::new(contents, &wanted, over, &planned(&wanted)?)?;
    let rolled = put_in(services, contents, defined.entry())?;
    let files = make_files(services, catalog, contents, &defined, &wanted)?;
    made.push((defined.cluster.name.clone(), files));
    Ok((defined, rolled))
}

/// CI sizes, control areas and extents.
fn planned(wanted: &Wanted) -> Result<Plan, Failure> {
    let attributes = &wanted.attributes;
    check::share_options(attributes.share)?;
    check::log(
        wanted.wish.organization,
        attributes.log,
        attributes.log_stream.as_deref(),
    )?;
    Ok(plan(&wanted.wish)?)
}

/// Makes both files on their volumes and returns their paths.
fn make_files(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    defined: &Defined,
    wanted: &Wanted,
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
    let places: Vec<Place> = defined.entry().files();
    catalog.note_defining(&places, created)?;
    services.engine.create(&definition)?;
    Ok((definition.data_path, definition.index_path))
}

impl Defined {
    fn new(contents: &Contents, wanted: &Wanted, over: Option<Over>, plan: &Plan) -> Result<Defined, Failure> {
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
        let sizes = [(wish.ci_size, Some(data.ci_size)), (wish.index_ci_size, index_size)];
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
                .filter_map(|(given, taken)| Some((given?, taken?)))
                .filter(differ)
                .collect(),
            key_end: Some(key_end).filter(|end| *end > wish.record_size.average),
            unused_keys: wanted.unused_keys,
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
        let said = &self.cluster.attributes;
        let classes = [
            ("STORAGECLASS", &said.storage_class),
            ("MANAGEMENTCLASS", &said.management_class),
            ("DATACLASS", &said.data_class),
        ];
        for (class, name) in classes {
            if let Some(name) = name {
                out.say(&IDC0181I, &[("class", &class), ("name", name)]);
            }
        }
        for (given, taken) in &self.rounded {
            out.say(&CICA0933I, &[("given", given), ("taken", taken)]);
        }
        if self.unused_keys {
            out.say(&CICA0905I, &[("item", &"KEYS")]);
        }
        if let Some(end) = self.key_end {
            out.say(&CICA0935I, &[("end", &end), ("average", &said.record_size.average)]);
        }
    }
}

fn differ(sizes: &(u32, u32)) -> bool {
    sizes.0 != sizes.1
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
