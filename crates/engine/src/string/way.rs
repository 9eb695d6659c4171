//! A path: the way to a base cluster through one of its alternate indexes.

use crate::alternate::AlternateLayout;
use crate::buffers::{Shares, StringBuffers};
use crate::cluster::OpenCluster;
use crate::error::OpenError;
use crate::ksds::Ksds;
use crate::open::{Handle, OpenDataSet};
use crate::request::OpenOptions;
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
    alone: Option<Handle>,
    /// What its strings have of buffers for the alternate index, where its open asked for some.
    shares: Option<Shares>,
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
            alone,
            shares: None,
        })
    }

    /// The same, looked at through these buffers.
    pub fn buffered(self, shares: Option<Shares>) -> AccessPath {
        AccessPath { shares, ..self }
    }

    /// The same: who wants to know is told that the alternate index was opened by itself.
    pub fn watched(self, options: OpenOptions) -> AccessPath {
        AccessPath {
            alone: self.alone.map(|alone| alone.watched(options)),
            ..self
        }
    }

    /// Its buffers.
    pub fn shares(&self) -> Option<&Shares> {
        self.shares.as_ref()
    }

    /// Those of another string.
    pub fn string_buffers(&self) -> Option<StringBuffers> {
        let shares = self.shares.as_ref()?;
        let (data, index) = (self.ksds.data.clone(), self.ksds.index.clone());
        Some(StringBuffers::new(data, Some(index), shares))
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
