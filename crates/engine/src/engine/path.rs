//! Opening a base cluster through one of its alternate indexes.

use super::Engine;
use crate::buffers::Buffering;
use crate::dataset::DataSet;
use crate::error::OpenError;
use crate::files::Files;
use crate::open::{check, OpenDataSet};
use crate::request::{Access, OpenOptions};
use crate::string::AccessPath;

impl Engine {
    /// Opens a base cluster through `alternate`, one of its alternate indexes: strings read it in the order of the
    /// alternate keys. `upgrade` is as for [`open_sphere`](Self::open_sphere), and none for a path with NOUPDATE;
    /// an upgrade set that this process has open already is upgraded in any case. Buffers that `options` asks for are those
    /// of the alternate index; the base has the fewest that it needs, or what its own BUFFERSPACE gives.
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
        let set = self.open_sphere_alone(base, upgrade, options)?;
        let set = set.with_buffers(options.buffers.map(Buffering::of_base))?;
        let inner = set.inner().clone();
        let shares = |index: &OpenDataSet| {
            let asked = options.buffers.map(Buffering::of_alternate);
            asked.map(|asked| index.shares_of(asked)).transpose()
        };
        let member = inner.sphere().and_then(|sphere| sphere.member(&alternate.data));
        let way = match member {
            Some((place, member)) => {
                let shares = shares(&member)?;
                let attributes = &inner.common().attributes;
                AccessPath::new(attributes, &member.clone(), Some(place), Some(member), None)?.buffered(shares)
            }
            None => {
                let input = OpenOptions {
                    access: Access::Input,
                    reset: false,
                    ..options
                };
                let alone = self.open_alone(&alternate.data, &alternate.index, input)?;
                let index = alone.inner().clone();
                check(&inner, &index)?;
                let shares = shares(&index)?;
                AccessPath::new(&inner.common().attributes, &index, None, None, Some(alone))?.buffered(shares)
            }
        };
        Ok(DataSet::from(set.watched(options)).through(way.watched(options)))
    }
}
