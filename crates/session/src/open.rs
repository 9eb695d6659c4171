//! Opening a cluster: what the catalog has to say before and after the engine has done its part.
//!
//! The engine knows files, not names: it would open whatever lies under a name. Each component file carries the name of
//! its cluster, so files that were exchanged on the volume are found out here.

use crate::error::SessionError;
use crate::reach::{as_cluster, Reached};
use cica_catalog::entry::{Aix, Log};
use cica_catalog::{Catalog, Cluster, Contents, Entry, Name};
use cica_engine::{Access, Buffering, DataSet, Engine, Files, Logging, OpenOptions};
use cica_format::attributes::Attributes;
use std::path::PathBuf;

/// Files of the data and index components; an empty path where the organization has no index.
///
/// # Errors
/// The volume is not there.
pub fn files(catalog: &Catalog, cluster: &Cluster) -> Result<(PathBuf, PathBuf), SessionError> {
    let index = cluster.index.as_ref().map(|index| catalog.component_path(index));
    Ok((
        catalog.component_path(&cluster.data)?,
        index.transpose()?.unwrap_or_default(),
    ))
}

/// Opens a cluster, for output with the alternate indexes that are upgraded with it, or goes through one of them.
///
/// # Errors
/// It was inhibited, its files are another's, or the engine's reasons.
pub fn open(
    catalog: &Catalog,
    engine: &Engine,
    reached: &Reached,
    options: OpenOptions,
) -> Result<DataSet, SessionError> {
    let cluster = &reached.cluster;
    let options = OpenOptions {
        log: logging(cluster),
        buffers: options
            .buffers
            .map(|buffers| of_cluster(buffers, cluster, reached.way.as_deref())),
        ..options
    };
    check_inhibited(cluster, options)?;
    let (data, index) = files(catalog, cluster)?;
    let contents = catalog.contents()?;
    if options.reset {
        // Once it is open it is empty, so whose files they are is asked before.
        own_files(&contents, cluster, &engine.peek(&data)?.attributes)?;
    }
    let upgrade = upgrade_set(catalog, &contents, reached, options)?;
    let base = Files { data, index };
    if let (Ok(Entry::Aix(aix)), None) = (contents.get(&cluster.name), &reached.way) {
        // Its records say nothing of a base that is another moment's.
        if let Ok(Entry::Cluster(of)) = contents.get(&aix.relate) {
            let (of, _) = files(catalog, of)?;
            let never_built = engine.peek(&base.data)?.levels == 0;
            if !never_built {
                engine.check_moment(&of, &base.data)?;
            }
        }
    }
    let data_set = match &reached.way {
        Some(aix) => {
            let (data, index) = files(catalog, &as_cluster(aix))?;
            engine.open_path(&base, &upgrade, &Files { data, index }, options)?
        }
        None if upgrade.is_empty() => engine.open(&base.data, &base.index, options)?,
        None => engine.open_sphere(&base, &upgrade, options)?,
    };
    own_files(&contents, cluster, data_set.attributes())?;
    Ok(data_set)
}

/// What LOG says of it; nothing was said: it can be backed out.
fn logging(cluster: &Cluster) -> Logging {
    match cluster.attributes.log {
        Some(Log::None) => Logging::None,
        Some(Log::Undo) | None => Logging::Undo,
        Some(Log::All) => Logging::All,
    }
}

/// What the catalog knows of a data set's buffers: BUFFERSPACE, and how many CIs a track of its device takes.
fn of_cluster(buffers: Buffering, cluster: &Cluster, way: Option<&Aix>) -> Buffering {
    let data = &cluster.data;
    let blocks = data.ci_size / data.physical_record.max(1);
    let track = data.records_per_track / blocks.max(1);
    Buffering {
        catalog: cluster.attributes.buffer_space,
        alternate_catalog: way.map_or(0, |way| way.attributes.buffer_space),
        track: track.min(u16::MAX.into()) as u16,
        ..buffers
    }
}

/// ALTER INHIBIT keeps changes off.
pub(crate) fn check_inhibited(cluster: &Cluster, options: OpenOptions) -> Result<(), SessionError> {
    if cluster.attributes.inhibit && options.access == Access::Output {
        return Err(SessionError::Inhibited {
            name: cluster.name.clone(),
        });
    }
    Ok(())
}

/// Files of the alternate indexes that an open for output upgrades with the base.
fn upgrade_set(
    catalog: &Catalog,
    contents: &Contents,
    reached: &Reached,
    options: OpenOptions,
) -> Result<Vec<Files>, SessionError> {
    if options.access == Access::Input || !reached.update {
        return Ok(Vec::new());
    }
    let of = |entry: &Entry| match entry {
        Entry::Aix(aix) if aix.upgrade => Some(as_cluster(aix)),
        _ => None,
    };
    let clusters = contents.related(&reached.cluster.name).filter_map(of);
    clusters
        .map(|cluster| files(catalog, &cluster).map(|(data, index)| Files { data, index }))
        .collect()
}

/// Are files that carry `carried` those of `cluster`?
///
/// A file that names a cluster nobody knows is taken: its cluster was being renamed when the process died.
///
/// # Errors
/// [`SessionError::Foreign`]: they are another's.
pub fn own_files(contents: &Contents, cluster: &Cluster, carried: &Attributes) -> Result<(), SessionError> {
    match Name::parse(&carried.cluster_name) {
        Ok(other) if other != cluster.name && contents.get(&other).is_ok() => Err(SessionError::Foreign {
            name: cluster.name.clone(),
            other,
        }),
        _ => Ok(()),
    }
}
