//! `cica recatalog`: a lost catalog made anew from the data sets on their volumes.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::session::Session;
use crate::work::work;
use cica_admin::define::{Alternate, DefineCluster};
use cica_admin::stated::Stated;
use cica_admin::Outcome;
use cica_catalog::{place, Contents, Device, Entry, Name, Volser, Volume};
use cica_engine::OpenError;
use cica_format::root::{Root, MAGIC};
use cica_format::VOLUME_MARK;
use cica_messages as messages;
use cica_session::rebuild;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// Take the data sets that lie on volumes into the catalog
#[derive(Debug, Args)]
#[command(after_help = "\
Each volume keeps the entries of what lies on it, and those that have no files: paths, aliases, generation data groups,
data sets that are not VSAM's, user catalogs. What a volume does not know is taken from the data sets' own files, which
carry their definition. What the catalog has stays as it is.
A catalog file that is damaged must be moved away first.

Example:
  cica recatalog /srv/vsam/vol001 /srv/vsam/vol002")]
pub struct Options {
    /// Directories of volumes; without them the volumes that the catalog knows
    directory: Vec<PathBuf>,
    /// Device type of volumes the catalog does not know
    #[arg(long, default_value = "3390")]
    device: String,
}

/// See the module.
pub fn run(options: Options, global: &Global) -> Result<Status, Failure> {
    let device = Device::by_name(&options.device)
        .ok_or_else(|| Failure::usage(format!("'{}' is no device type", options.device)))?;
    let session = Session::open_or_create(global)?;
    let directories = directories(&session, &options.directory)?;
    let rebuilt = rebuild(&session.disk, &session.engine, &session.catalog, &directories)?;
    let mut status = Status::DONE;
    for why in &rebuilt.left {
        Failure::new(Status::REFUSED, &messages::CICA0930E, why).tell();
        status = Status::REFUSED;
    }
    let mut names = rebuilt.taken;
    for directory in options
        .directory
        .iter()
        .filter(|directory| has_no_data_set(&session, directory))
    {
        let words = format!(
            "{}: no data set lies here; name the directory of a volume",
            directory.display()
        );
        Failure::new(Status::NOTHING, &messages::CICA0930E, words).tell();
        status = status.max(Status::NOTHING);
    }
    let files = uncataloged(&session, &directories, device)?;
    let catalog = session.catalog.clone();
    status = status.max(from_files(session, global, files, &mut names)?);
    names.sort();
    let mut told = names.iter().filter(|_| !global.quiet);
    let written = told.try_for_each(|name| writeln!(crate::terminal::stdout(), "{name} is in the catalog again"));
    for catalog in catalog.all()? {
        status = status.max(relations(&*catalog.contents()?, &names));
    }
    Ok(status.with_output(written))
}

/// Is it no volume, and is no component in it?
fn has_no_data_set(session: &Session, directory: &Path) -> bool {
    let Ok(directory) = std::path::absolute(directory) else {
        return false;
    };
    let is_ours = |name: &Path| {
        let first = session.disk.look(&directory.join(name), MAGIC.len());
        name == Path::new(VOLUME_MARK) || first.is_ok_and(|first| first == MAGIC)
    };
    // What cannot be listed is told already.
    let listed = session.disk.list(&directory);
    listed.is_ok_and(|files| !files.iter().any(|(name, _)| is_ours(name)))
}

/// Data components that no entry names, by the cluster they say they are of.
fn uncataloged(
    session: &Session,
    directories: &[PathBuf],
    device: &'static Device,
) -> Result<BTreeMap<Name, Vec<(PathBuf, Root)>>, Failure> {
    let mut found: BTreeMap<Name, Vec<(PathBuf, Root)>> = BTreeMap::new();
    for directory in directories {
        let roots = roots(session, directory)?;
        know(session, directory, device, &roots)?;
        for (path, root) in roots {
            // A name that is none cannot be in a catalog; such a file is no data set of ours.
            if let Ok(name) = Name::parse(&root.attributes.cluster_name) {
                found.entry(name).or_default().push((path, root));
            }
        }
    }
    let known = known_files(session)?;
    for files in found.values_mut() {
        files.retain(|(path, _)| !known.contains(path));
    }
    // Where its catalog cannot be asked, the attempt says why.
    let is_there = |name: &Name| session.catalog.home(name).is_ok_and(|home| home.get(name).is_ok());
    found.retain(|name, files| !files.is_empty() && !is_there(name));
    Ok(found)
}

/// Files that entries name, and those that go.
fn known_files(session: &Session) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut known = BTreeSet::new();
    for catalog in session.catalog.all()? {
        let base = std::path::absolute(catalog.directory())?;
        let contents = catalog.contents()?;
        let components = contents.entries().flat_map(|entry| entry.components());
        let components = components.filter_map(|(_, c)| Some((c.volumes.first()?.clone(), c.file.clone())));
        for (serial, file) in components.chain(contents.leftovers().cloned()) {
            if let Ok(volume) = contents.volume(&serial) {
                known.insert(plain(&file.in_directory(&volume.path(&base))));
            }
        }
    }
    Ok(known)
}

/// Without `..`, by which a user catalog names the volumes of its master.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
        plain
    })
}

/// Takes data sets in by what their files carry; bases first, because an alternate index needs its base.
fn from_files(
    session: Session,
    global: &Global,
    found: BTreeMap<Name, Vec<(PathBuf, Root)>>,
    names: &mut Vec<Name>,
) -> Result<Status, Failure> {
    let mut status = Status::DONE;
    let (mut bases, mut alternates) = (Vec::new(), Vec::new());
    for (name, files) in &found {
        match files.as_slice() {
            [(_, root)] => match &root.attributes.alternate {
                None => bases.push((name, recataloged(name, None))),
                Some(alternate) => {
                    let base = Alternate {
                        relate: Some(alternate.base.clone()),
                        ..Alternate::default()
                    };
                    alternates.push((name, recataloged(name, Some(base))));
                }
            },
            _ => {
                let files: Vec<String> = files.iter().map(|(file, _)| file.display().to_string()).collect();
                let words = format!(
                    "{name} is left out: several files say they are it; move all but one away: {}",
                    files.join(" ")
                );
                Failure::new(Status::REFUSED, &messages::IDC3013I, words).tell();
                status = Status::REFUSED;
            }
        }
    }
    let all: Vec<_> = bases.into_iter().chain(alternates).collect();
    if all.is_empty() {
        return Ok(status);
    }
    let quiet = Global {
        quiet: true,
        ..global.clone()
    };
    let catalog = session.catalog.clone();
    status = status.max(work(session, &quiet, |services| {
        let done = all.iter().map(|(_, request)| services.define_cluster(request));
        done.reduce(Outcome::and).unwrap_or_default()
    })?);
    let is_there = |name: &Name| catalog.home(name).is_ok_and(|home| home.get(name).is_ok());
    names.extend(all.iter().map(|(name, _)| (*name).clone()).filter(is_there));
    Ok(status)
}

/// A cluster or alternate index taken in by what its files carry.
fn recataloged(name: &Name, alternate: Option<Alternate>) -> DefineCluster {
    DefineCluster {
        cluster: Stated {
            name: Some(name.to_string()),
            ..Stated::default()
        },
        recatalog: true,
        alternate,
        ..DefineCluster::default()
    }
}

/// Tells of entries that came in and lead to what is not there.
fn relations(contents: &Contents, names: &[Name]) -> Status {
    let mut status = Status::DONE;
    for entry in contents.entries().filter(|entry| names.contains(entry.name())) {
        let to = match entry {
            Entry::Aix(aix) => &aix.relate,
            Entry::Path(path) => &path.target,
            // A symbolic one may lead to nothing on this system.
            Entry::Alias(alias) => match alias.entry() {
                Some(name) => name,
                None => continue,
            },
            _ => continue,
        };
        if contents.get(to).is_err() {
            let words = format!("{} leads to {to}, which was not found", entry.name());
            Failure::new(Status::REFUSED, &messages::CICA0930E, words).tell();
            status = Status::REFUSED;
        }
    }
    status
}

/// The directories named, or those of all volumes. One of a volume that is known is called as that says.
fn directories(session: &Session, named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let base = std::path::absolute(session.catalog.directory())?;
    let known: Vec<PathBuf> = session.catalog.volumes()?.iter().map(|v| v.path(&base)).collect();
    if named.is_empty() {
        return Ok(known);
    }
    let called = |named: &PathBuf| match known.iter().find(|known| place::is_same(&*session.disk, known, named)) {
        Some(known) => Ok(known.clone()),
        None => std::path::absolute(named),
    };
    Ok(named.iter().map(called).collect::<io::Result<_>>()?)
}

/// The data components in a directory and what their roots say.
fn roots(session: &Session, directory: &Path) -> Result<Vec<(PathBuf, Root)>, Failure> {
    let listed = session
        .disk
        .list(directory)
        .map_err(|error| Failure::new(Status::UNUSABLE, &messages::CICA0930E, error))?;
    let mut roots = Vec::new();
    for (file, _) in listed {
        let path = directory.join(file);
        match session.engine.peek(&path) {
            Ok(root) => roots.push((path, root)),
            // Index components, and files that are no data sets.
            Err(OpenError::Unusable { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    roots.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(roots)
}

/// Makes the directory a volume of the catalog, by the serial that most of its data sets carry.
fn know(
    session: &Session,
    directory: &Path,
    device: &'static Device,
    roots: &[(PathBuf, Root)],
) -> Result<(), Failure> {
    let catalog = &session.catalog;
    let base = std::path::absolute(catalog.directory())?;
    let is_here = |volume: &Volume| place::is_same(&*session.disk, &volume.path(&base), directory);
    let is_known = catalog.volumes()?.iter().any(is_here);
    let mut serials: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, root) in roots {
        *serials.entry(root.attributes.volume.as_str()).or_default() += 1;
    }
    let most = serials.into_iter().max_by_key(|(_, count)| *count);
    let (false, Some((serial, _))) = (is_known, most) else {
        return Ok(());
    };
    let serial = Volser::parse(serial).map_err(|e| Failure::new(Status::REFUSED, &messages::CICA0930E, e))?;
    // The volume made with a new catalog gives way while nothing lies on it.
    if catalog.volumes()?.iter().any(|v| v.serial == serial) {
        catalog.remove_volume(&serial)?;
    }
    catalog.add_volume(&serial, device, Some(directory), None)?;
    Ok(())
}
