//! An alternate index of the upgrade set.

use crate::alternate::AlternateLayout;
use crate::cluster::OpenCluster;
use crate::error::{OpenError, RequestError};
use crate::ksds::Ksds;
use crate::open::OpenDataSet;
use cica_format::aix::{Pointers, HEADER_LEN};
use cica_format::attributes::{AlternateKey, Attributes, Organization};
use std::sync::Arc;

/// See the module.
pub struct Member {
    pub inner: Arc<OpenDataSet>,
    pub ksds: Arc<Ksds>,
    key: AlternateKey,
    pub layout: AlternateLayout,
}

impl Member {
    /// An alternate index over `base`.
    ///
    /// # Errors
    /// It is none, or not one over such a base.
    pub fn new(inner: Arc<OpenDataSet>, base: &Attributes) -> Result<Member, OpenError> {
        let own = &inner.common().attributes;
        let wrong = |what: String| OpenError::Unusable {
            path: inner.data_path().to_path_buf(),
            what,
        };
        let Some(alternate) = &own.alternate else {
            return Err(wrong(format!("{} is no alternate index", own.cluster_name)));
        };
        let OpenCluster::Ksds(ksds) = &inner.records else {
            return Err(wrong(format!("{} is not kept by key", own.cluster_name)));
        };
        let fitting = match (base.organization, alternate.pointers) {
            (Organization::Ksds, Pointers::Keys(len)) => u16::from(len) == base.key_length,
            (Organization::Esds, Pointers::Rba | Pointers::Xrba) => true,
            _ => false,
        };
        if !fitting || own.key_offset as usize != HEADER_LEN {
            let (name, base) = (&own.cluster_name, &base.cluster_name);
            return Err(wrong(format!(
                "{name} cannot be an alternate index over {base}: its pointers or its own key are not such"
            )));
        }
        Ok(Member {
            key: alternate.key(own.key_length),
            layout: AlternateLayout::of(own).ok_or_else(|| wrong("it is no alternate index".into()))?,
            ksds: ksds.clone(),
            inner,
        })
    }

    /// The alternate key in a base record, unless that has none.
    pub fn key_of<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        self.key.of(record)
    }

    /// An error of this index, as the upgrade of a base record meets it.
    pub fn upgrade_error(&self, error: RequestError) -> RequestError {
        error.in_component(4, &self.ksds.attributes.cluster_name)
    }
}
