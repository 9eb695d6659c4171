//! Opening a cluster: what the catalog has to say before and after the engine has done its part.
//!
//! The engine knows files, not names: it would open whatever lies under a name. Each component file carries the name of
//! its cluster, so files that were exchanged on the volume are found out here.

use crate::error::SessionError;
use cica_catalog::{Catalog, Cluster, Contents, Name};
use cica_engine::{Access, DataSet, Engine, OpenOptions};
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

/// Opens a cluster.
///
/// # Errors
/// It was inhibited, its files are another's, or the engine's reasons.
pub fn open(
    catalog: &Catalog,
    engine: &Engine,
    cluster: &Cluster,
    options: OpenOptions,
) -> Result<DataSet, SessionError> {
    if cluster.attributes.inhibit && options.access == Access::Output {
        return Err(SessionError::Inhibited {
            name: cluster.name.clone(),
        });
    }
    let (data, index) = files(catalog, cluster)?;
    let contents = catalog.contents()?;
    if options.reset {
        // Once it is open it is empty, so whose files they are is asked before.
        own_files(&contents, cluster, &engine.peek(&data)?.attributes)?;
    }
    let data_set = engine.open(&data, &index, options)?;
    own_files(&contents, cluster, data_set.attributes())?;
    Ok(data_set)
}

/// Are files that carry `carried` those of `cluster`?
///
/// A file that names a cluster nobody knows is taken: its cluster was being renamed when the process died.
fn own_files(contents: &Contents, cluster: &Cluster, carried: &Attributes) -> Result<(), SessionError> {
    match Name::parse(&carried.cluster_name) {
        Ok(other) if other != cluster.name && contents.get(&other).is_ok() => Err(SessionError::Foreign {
            name: cluster.name.clone(),
            other,
        }),
        _ => Ok(()),
    }
}
