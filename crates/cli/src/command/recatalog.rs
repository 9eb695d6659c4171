//! `cica recatalog`: a lost catalog made anew from the data sets on their volumes.

use crate::args::Global;
use crate::failure::{Failure, Status};
use crate::job::Job;
use crate::session::Session;
use cica_catalog::{Device, Name, Volser};
use cica_engine::OpenError;
use cica_format::root::Root;
use cica_idcams::messages;
use clap::Args;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Take the data sets that lie on volumes into the catalog
#[derive(Debug, Args)]
#[command(after_help = "\
Each data set's files carry its definition; from these its entry is made anew, whatever the files are called. What
carries no files is not found again: paths, aliases, generation data groups, owners and expiration dates.
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
    let mut found: BTreeMap<Name, Vec<PathBuf>> = BTreeMap::new();
    let directories = directories(&session, &options.directory)?;
    for directory in &directories {
        let roots = roots(&session, directory)?;
        know(&session, directory, device, &roots)?;
        for (path, root) in roots {
            // Its entry would be that of a cluster. What it has can be built from its base.
            if let Some(alternate) = &root.attributes.alternate {
                let words = format!(
                    "{} is an alternate index of {}: define it again and build it; its files are {} and its index",
                    root.attributes.cluster_name,
                    alternate.base,
                    path.display()
                );
                Failure::new(Status::REFUSED, &messages::CICA0901E, words).tell();
                continue;
            }
            // A name that is none cannot be in a catalog; such a file is no data set of ours.
            if let Ok(name) = Name::parse(&root.attributes.cluster_name) {
                found.entry(name).or_default().push(path);
            }
        }
    }
    let catalog = session.catalog.clone();
    found.retain(|name, _| catalog.get(name).is_err());
    let doubtful: Vec<_> = found.iter().filter(|(_, files)| files.len() > 1).collect();
    for (name, files) in &doubtful {
        let files: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        let words = format!(
            "{name} is left out: several files say they are it; move all but one away: {}",
            files.join(" ")
        );
        Failure::new(Status::REFUSED, &messages::IDC3013I, words).tell();
    }
    let mut status = match doubtful.is_empty() {
        true => Status::DONE,
        false => Status::REFUSED,
    };
    let names: Vec<Name> = found
        .iter()
        .filter(|(_, files)| files.len() == 1)
        .map(|(n, _)| n.clone())
        .collect();
    let quiet = Global {
        quiet: true,
        ..global.clone()
    };
    let mut job = Job::new();
    for name in &names {
        job = job.card(&format!("DEFINE CLUSTER (NAME({name}) RECATALOG)"));
    }
    if !names.is_empty() {
        status = status.max(job.run(session, &quiet)?);
    }
    for name in names.iter().filter(|name| catalog.get(name).is_ok() && !global.quiet) {
        writeln!(io::stdout(), "{name} is in the catalog again")?;
    }
    Ok(status)
}

/// The directories named, or those of all volumes.
fn directories(session: &Session, named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if named.is_empty() {
        let base = session.catalog.directory();
        return Ok(session.catalog.volumes()?.iter().map(|v| v.path(base)).collect());
    }
    Ok(named.iter().map(std::path::absolute).collect::<io::Result<_>>()?)
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
    let is_known = catalog.volumes()?.iter().any(|v| v.path(&base) == directory);
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
