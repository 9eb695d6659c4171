//! From a name to what its records are: aliases and paths are followed.

use crate::error::SessionError;
use cica_catalog::entry::{Aix, EntryKind, Organization};
use cica_catalog::{CatalogError, Cluster, Contents, Entry, Name};
use std::ops::Deref;

/// What a name leads to.
#[derive(Debug, Clone)]
pub struct Reached {
    /// The cluster that has the records. An alternate index that was named itself is one too.
    pub cluster: Cluster,
    /// Of a path: the alternate index it goes through.
    pub way: Option<Box<Aix>>,
    /// Changes reach the alternate indexes too; not through a path with NOUPDATE.
    pub update: bool,
    /// The name of the path, if one was named.
    pub path: Option<Name>,
}

impl Reached {
    /// The name under which it is told of.
    pub fn asked_name(&self) -> &Name {
        self.path.as_ref().unwrap_or(&self.cluster.name)
    }

    /// The same records by the keys of an alternate index.
    ///
    /// # Errors
    /// It is none of this cluster's.
    pub fn through(self, contents: &Contents, index: &Name) -> Result<Reached, SessionError> {
        match contents.get(index)? {
            Entry::Aix(aix) if aix.relate == self.cluster.name => Ok(Reached {
                way: Some(Box::new((**aix).clone())),
                ..self
            }),
            other => Err(no_records(index, other.kind())),
        }
    }
}

impl Deref for Reached {
    type Target = Cluster;
    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}

impl From<Cluster> for Reached {
    fn from(cluster: Cluster) -> Reached {
        Reached {
            cluster,
            way: None,
            update: true,
            path: None,
        }
    }
}

/// The cluster or alternate index of this name, or what an alias or path of this name leads to.
///
/// # Errors
/// Not in the catalog, a component's name, an entry without records, or a circle of aliases.
pub fn reach(contents: &Contents, name: &Name) -> Result<Reached, SessionError> {
    let mut at = name.clone();
    let mut update = true;
    let mut by = None;
    // Each step leads to another entry, so a chain longer than the catalog is a circle.
    for _ in 0..=contents.entries().count() {
        at = match contents.get(&at) {
            Ok(Entry::Cluster(cluster)) => {
                return Ok(Reached {
                    cluster: (**cluster).clone(),
                    way: None,
                    update,
                    path: by,
                })
            }
            Ok(Entry::Aix(aix)) if by.is_some() => return through(contents, aix, update, by),
            Ok(Entry::Aix(aix)) => return Ok(as_cluster(aix).into()),
            Ok(Entry::Alias(alias)) => contents.stands_for(alias)?,
            Ok(Entry::Path(path)) => {
                update &= path.update;
                by.get_or_insert_with(|| path.name.clone());
                path.target.clone()
            }
            Ok(other) => return Err(no_records(&at, other.kind())),
            Err(error) => return Err(component(contents, &at).unwrap_or(error.into())),
        };
    }
    Err(SessionError::Circle { name: name.clone() })
}

/// The base of an alternate index, through it.
fn through(contents: &Contents, aix: &Aix, update: bool, path: Option<Name>) -> Result<Reached, SessionError> {
    match contents.get(&aix.relate)? {
        Entry::Cluster(cluster) => Ok(Reached {
            cluster: (**cluster).clone(),
            way: Some(Box::new(aix.clone())),
            update,
            path,
        }),
        other => Err(no_records(&aix.relate, other.kind())),
    }
}

/// An alternate index as the KSDS it is.
pub fn as_cluster(aix: &Aix) -> Cluster {
    Cluster {
        name: aix.name.clone(),
        organization: Organization::Ksds,
        attributes: aix.attributes.clone(),
        data: aix.data.clone(),
        index: Some(aix.index.clone()),
    }
}

fn no_records(name: &Name, kind: EntryKind) -> SessionError {
    SessionError::NoRecords {
        name: name.clone(),
        kind,
    }
}

/// What is no entry may be the name of a component, and then a better answer is known than "not found".
fn component(contents: &Contents, name: &Name) -> Option<SessionError> {
    let found = contents.find(name)?;
    Some(SessionError::Component {
        name: name.clone(),
        kind: found.kind(),
        of: found.entry().name().clone(),
    })
}

impl SessionError {
    /// No entry of that name: what an OPEN for output may answer by making one.
    pub fn is_not_found(&self) -> bool {
        matches!(self, SessionError::Catalog(CatalogError::NotFound { .. }))
    }
}
