//! What the catalog has to say about an open, before and after the engine has done its part.
//!
//! The engine knows files, not names: it would open whatever lies under a name. Each component file carries the name of
//! its cluster, so files that were exchanged on the volume are found out here.

use cica_catalog::{Cluster, Contents, Name};
use cica_engine::Access;
use cica_format::attributes::Attributes;

/// May `cluster` be opened at all? In words, why not.
pub fn before_open(cluster: &Cluster, access: Access) -> Result<(), String> {
    if cluster.attributes.inhibit && access == Access::Output {
        return Err("it was altered to INHIBIT, so it can only be read; ALTER UNINHIBIT lifts that".to_owned());
    }
    Ok(())
}

/// Are files that carry `carried` those of `cluster`? In words, why not.
///
/// A file that names a cluster nobody knows is taken: its cluster was being renamed when the process died.
pub fn own_files(contents: &Contents, cluster: &Cluster, carried: &Attributes) -> Result<(), String> {
    let other = Name::parse(&carried.cluster_name)
        .ok()
        .filter(|name| *name != cluster.name);
    match other {
        Some(other) if contents.get(&other).is_ok() => Err(format!(
            "the files under its name on the volume are those of {other}; put each data set's own files back"
        )),
        _ => Ok(()),
    }
}
