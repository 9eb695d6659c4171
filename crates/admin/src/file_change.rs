//! A change of the attributes that a cluster's files carry: what ALTER changes of them, and what an IMPORT into a data
//! set that is there makes of those in the copy.

use super::failure::Failure;
use super::{open, Services};
use cica_catalog::entry::{Component, ShareOptions};
use cica_catalog::{Catalog, Cluster, Entry};
use cica_engine::OpenError;
use cica_format::aix::Pointers;
use cica_format::attributes::{Alternate, Attributes};
use cica_session::as_cluster;
use std::path::PathBuf;

/// A change of both files, and what they carried before.
pub struct FileChange {
    data: PathBuf,
    index: PathBuf,
    before: (Attributes, Attributes),
    after: (Attributes, Attributes),
}

impl FileChange {
    /// The change from `old` to `new`, if files carry any of it. `share`: SHAREOPTIONS of the index component, if said.
    pub fn between(
        services: &Services,
        catalog: &Catalog,
        old: &Entry,
        new: &Entry,
        share: Option<ShareOptions>,
    ) -> Result<Option<FileChange>, Failure> {
        let (Some(old), Some(new)) = (Carrier::of(old), Carrier::of(new)) else {
            return Ok(None);
        };
        if old.carried() == new.carried() && share.is_none() {
            return Ok(None);
        }
        FileChange::of(services, catalog, &old, &new, share).map(Some)
    }

    /// The change that lets files say what `entry` does, which were made of another's.
    pub fn to_be(services: &Services, catalog: &Catalog, entry: &Entry) -> Result<Option<FileChange>, Failure> {
        let change = |is: Carrier| FileChange::of(services, catalog, &is, &is, None);
        Carrier::of(entry).map(change).transpose()
    }

    fn of(
        services: &Services,
        catalog: &Catalog,
        old: &Carrier,
        new: &Carrier,
        share: Option<ShareOptions>,
    ) -> Result<FileChange, Failure> {
        let (data, index) = open::files(catalog, &old.cluster)?;
        let before = (
            services.engine.peek(&data)?.attributes,
            match &old.cluster.index {
                Some(_) => services.engine.peek_index(&data, &index)?.attributes,
                None => services.engine.peek(&data)?.attributes,
            },
        );
        let mut after = new.carried();
        let own = ShareOptions {
            region: before.1.share_region,
            system: before.1.share_system,
        };
        let share = share.unwrap_or(own);
        (after.1.share_region, after.1.share_system) = (share.region, share.system);
        (after.0.created, after.1.created) = (before.0.created, before.1.created);
        // What the pointers are, and how they are kept, was said when the index was defined.
        if let (Some(is), Some(was)) = (&mut after.0.alternate, &before.0.alternate) {
            (is.pointers, is.chained) = (was.pointers, was.chained);
        }
        Ok(FileChange {
            data,
            index,
            before,
            after,
        })
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

/// What the files of an entry carry.
struct Carrier {
    cluster: Cluster,
    alternate: Option<Alternate>,
}

impl Carrier {
    fn of(entry: &Entry) -> Option<Carrier> {
        match entry {
            Entry::Cluster(cluster) => Some(Carrier {
                cluster: (**cluster).clone(),
                alternate: None,
            }),
            Entry::Aix(aix) => Some(Carrier {
                cluster: as_cluster(aix),
                alternate: Some(Alternate {
                    base: aix.relate.to_string(),
                    key_offset: aix.alternate_key.offset,
                    unique: aix.unique_key,
                    upgrade: aix.upgrade,
                    pointers: Pointers::Rba,
                    suppressed: aix.suppressed,
                    chained: false,
                }),
            }),
            _ => None,
        }
    }

    /// Attributes of data and index component, of a cluster without index twice the data component's; the time of its
    /// making, and what an alternate index points with, are known to the file alone.
    fn carried(&self) -> (Attributes, Attributes) {
        let cluster = &self.cluster;
        let of = |part: &Component| part.file_attributes(&cluster.name, cluster.organization, &cluster.attributes, 0);
        let data = Attributes {
            alternate: self.alternate.clone(),
            ..of(&cluster.data)
        };
        (data, of(cluster.index.as_ref().unwrap_or(&cluster.data)))
    }
}
