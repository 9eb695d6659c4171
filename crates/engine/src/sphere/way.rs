//! A path: the way to a base cluster through one of its alternate indexes.

use super::check;
use crate::alternate::Layout;
use crate::dataset::{DataSet, Inner};
use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::Files;
use crate::ksds::Ksds;
use crate::organized::Organized;
use crate::request::{Access, OpenOptions};
use cica_format::attributes::{AlternateKey, Attributes, Organization};
use std::sync::Arc;

/// See the module.
pub(crate) struct Way {
    /// The alternate index.
    pub ksds: Arc<Ksds>,
    /// What its records are.
    pub layout: Layout,
    key: AlternateKey,
    /// The base's attributes, as of a KSDS with the alternate key for the key.
    attributes: Attributes,
    /// Its place in the upgrade set, if it is upgraded.
    pub place: Option<usize>,
    /// Keeps the alternate index open: as a member of the sphere, or by itself.
    _member: Option<Arc<Inner>>,
    _alone: Option<DataSet>,
}

impl Engine {
    /// Opens a base cluster through `alternate`, one of its alternate indexes: strings read it in the order of the
    /// alternate keys. `upgrade` is as for [`open_sphere`](Self::open_sphere), and none for a path with NOUPDATE;
    /// an upgrade set that this process has open already is upgraded in any case.
    ///
    /// # Errors
    /// As [`open_sphere`](Self::open_sphere); `EmptyPath` if the alternate index was never built.
    pub fn open_path(
        &self,
        base: &Files,
        upgrade: &[Files],
        alternate: &Files,
        options: OpenOptions,
    ) -> Result<DataSet, OpenError> {
        let root = self.peek(&alternate.data)?;
        if root.levels == 0 {
            return Err(OpenError::EmptyPath {
                name: root.attributes.cluster_name,
            });
        }
        let set = self.open_sphere(base, upgrade, options)?;
        let member = set.inner().sphere().and_then(|sphere| sphere.member(&alternate.data));
        let way = match member {
            Some((place, member)) => Way::new(&set, &member.clone(), Some(place), Some(member), None)?,
            None => {
                let input = OpenOptions {
                    access: Access::Input,
                    reset: false,
                    ..options
                };
                let alone = self.open(&alternate.data, &alternate.index, input)?;
                let inner = alone.inner().clone();
                check(set.inner(), &inner)?;
                Way::new(&set, &inner, None, None, Some(alone))?
            }
        };
        Ok(set.through(way))
    }
}

impl Way {
    fn new(
        base: &DataSet,
        inner: &Inner,
        place: Option<usize>,
        member: Option<Arc<Inner>>,
        alone: Option<DataSet>,
    ) -> Result<Way, OpenError> {
        let own = &inner.common().attributes;
        let (Some(of), Some(layout), Organized::Ksds(ksds)) = (&own.alternate, Layout::of(own), &inner.records) else {
            return Err(OpenError::Unusable {
                path: inner.data_path().to_path_buf(),
                what: format!("{} is no alternate index", own.cluster_name),
            });
        };
        let mut attributes = base.attributes().clone();
        (attributes.key_offset, attributes.key_length) = (of.key_offset, own.key_length);
        attributes.organization = Organization::Ksds;
        Ok(Way {
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
