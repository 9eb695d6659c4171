//! A path: the way to a base cluster through one of its alternate indexes.

use crate::alternate::AlternateLayout;
use crate::cluster::OpenCluster;
use crate::error::OpenError;
use crate::ksds::Ksds;
use crate::open::{Handle, OpenDataSet};
use cica_format::attributes::{AlternateKey, Attributes, Organization};
use std::sync::Arc;

/// See the module.
pub struct AccessPath {
    /// The alternate index.
    pub ksds: Arc<Ksds>,
    /// What its records are.
    pub layout: AlternateLayout,
    key: AlternateKey,
    /// The base's attributes, as of a KSDS with the alternate key for the key.
    attributes: Attributes,
    /// Its place in the upgrade set, if it is upgraded.
    pub place: Option<usize>,
    /// Keeps the alternate index open: as a member of the sphere, or by itself.
    _member: Option<Arc<OpenDataSet>>,
    _alone: Option<Handle>,
}

impl AccessPath {
    /// Through the alternate index `inner` to `base`. Either `member` or `alone` keeps that open.
    ///
    /// # Errors
    /// It is no alternate index.
    pub fn new(
        base: &Attributes,
        inner: &OpenDataSet,
        place: Option<usize>,
        member: Option<Arc<OpenDataSet>>,
        alone: Option<Handle>,
    ) -> Result<AccessPath, OpenError> {
        let own = &inner.common().attributes;
        let (Some(of), Some(layout), OpenCluster::Ksds(ksds)) =
            (&own.alternate, AlternateLayout::of(own), &inner.records)
        else {
            return Err(OpenError::Unusable {
                path: inner.data_path().to_path_buf(),
                what: format!("{} is no alternate index", own.cluster_name),
            });
        };
        let mut attributes = base.clone();
        (attributes.key_offset, attributes.key_length) = (of.key_offset, own.key_length);
        attributes.organization = Organization::Ksds;
        Ok(AccessPath {
            ksds: ksds.clone(),
            layout,
            key: of.key(own.key_length),
            attributes,
            place,
            _member: member,
            _alone: alone,
        })
    }

    /// The base's attributes, as of a KSDS with the alternate key for the key.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Name of the alternate index.
    pub fn name(&self) -> &str {
        &self.ksds.attributes.cluster_name
    }

    /// The alternate key in a base record, unless that has none.
    pub fn key_of<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        self.key.of(record)
    }
}
