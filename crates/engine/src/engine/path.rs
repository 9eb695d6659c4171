//! Opening a base cluster through one of its alternate indexes.

use super::Engine;
use crate::dataset::DataSet;
use crate::error::OpenError;
use crate::files::Files;
use crate::open::check;
use crate::request::{Access, OpenOptions};
use crate::string::AccessPath;

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
        if options.buffers.is_some() {
            return Err(OpenError::Buffers {
                what: "buffers of its own and shared ones are not supported yet for a path; open it without BUFND, BUFNI, \
                       BUFSP, STRNO and SHRPOOL"
                    .into(),
            });
        }
        let root = self.peek(&alternate.data)?;
        if root.levels == 0 {
            return Err(OpenError::EmptyPath {
                name: root.attributes.cluster_name,
            });
        }
        let set = self.open_sphere_alone(base, upgrade, options)?;
        let inner = set.inner().clone();
        let member = inner.sphere().and_then(|sphere| sphere.member(&alternate.data));
        let way = match member {
            Some((place, member)) => AccessPath::new(
                &inner.common().attributes,
                &member.clone(),
                Some(place),
                Some(member),
                None,
            )?,
            None => {
                let input = OpenOptions {
                    access: Access::Input,
                    reset: false,
                    ..options
                };
                let alone = self.open_alone(&alternate.data, &alternate.index, input)?;
                let index = alone.inner().clone();
                check(&inner, &index)?;
                AccessPath::new(&inner.common().attributes, &index, None, None, Some(alone))?
            }
        };
        Ok(DataSet::from(set).through(way))
    }
}
