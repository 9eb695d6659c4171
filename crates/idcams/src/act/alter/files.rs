//! What ALTER changes of the attributes that a cluster's files carry.

use super::super::failure::Failure;
use super::super::{open, said, Services};
use super::{Entry, Kind};
use crate::params::Params;
use cica_catalog::entry::{Component, ShareOptions};
use cica_catalog::{Catalog, Cluster};
use cica_engine::OpenError;
use cica_format::attributes::Attributes;
use std::path::PathBuf;

/// A change of both files, and what they carried before.
pub struct FileChange {
    data: PathBuf,
    index: PathBuf,
    before: (Attributes, Attributes),
    after: (Attributes, Attributes),
}

impl FileChange {
    /// The change from `old` to `new`, if files carry any of it. `kind`: whose SHAREOPTIONS are said.
    pub fn between(
        services: &Services,
        catalog: &Catalog,
        old: &Entry,
        new: &Entry,
        kind: Kind,
        params: &Params,
    ) -> Result<Option<FileChange>, Failure> {
        let (Entry::Cluster(old), Entry::Cluster(new)) = (old, new) else {
            return Ok(None);
        };
        let parts = (
            old.index.as_ref().unwrap_or(&old.data),
            new.index.as_ref().unwrap_or(&new.data),
        );
        let (old_index, new_index) = parts;
        let share = said::share_options(params).filter(|_| kind != Kind::Data);
        let same =
            carried(old, &old.data) == carried(new, &new.data) && carried(old, old_index) == carried(new, new_index);
        if same && share.is_none() {
            return Ok(None);
        }
        let (data, index) = open::files(catalog, old)?;
        let before = (
            services.engine.peek(&data)?.attributes,
            match &old.index {
                Some(_) => services.engine.peek_index(&data, &index)?.attributes,
                None => services.engine.peek(&data)?.attributes,
            },
        );
        let mut after = (carried(new, &new.data), carried(new, new_index));
        let own = ShareOptions {
            region: before.1.share_region,
            system: before.1.share_system,
        };
        let share = share.unwrap_or(own);
        (after.1.share_region, after.1.share_system) = (share.region, share.system);
        (after.0.created, after.1.created) = (before.0.created, before.1.created);
        Ok(Some(FileChange {
            data,
            index,
            before,
            after,
        }))
    }

    /// Writes what is new.
    pub fn make(&self, services: &Services) -> Result<(), OpenError> {
        self.write(services, &self.after)
    }

    /// Writes what was before.
    pub fn undo(&self, services: &Services) -> Result<(), OpenError> {
        self.write(services, &self.before)
    }

    fn write(&self, services: &Services, attributes: &(Attributes, Attributes)) -> Result<(), OpenError> {
        services.engine.alter(&self.data, &self.index, |data, index| {
            (*data, *index) = attributes.clone()
        })
    }
}

/// What the file of a component carries; the time of its making is known to itself alone.
fn carried(cluster: &Cluster, component: &Component) -> Attributes {
    component.file_attributes(&cluster.name, cluster.organization, &cluster.attributes, 0)
}
