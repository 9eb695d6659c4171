//! An alternate index whose files were made elsewhere becomes one of a base that is there.

use super::BuildError;
use crate::dataset::DataSet;
use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::Files;
use crate::request::Access;
use crate::roots::{read_root, write_over_torn_root, write_root};
use cica_format::root::{BuiltFrom, Stamp};

impl Engine {
    /// An alternate index that nobody has open is one that was built from `base`, which is open for input, whatever its
    /// files said before. The caller has compared them ([`compare_index`](Self::compare_index)), and keeps the base open
    /// until the index is known to be one of it. Without a base it was never built. `own`: it gets a lineage of its
    /// own, because another index of the base may have the same.
    ///
    /// # Errors
    /// This process has the base open for output too, a unit in doubt has changed it, or the files cannot be written.
    pub fn tie_index(&self, alternate: &Files, base: Option<&DataSet>, own: bool) -> Result<(), BuildError> {
        let base = base.map(DataSet::near).transpose().map_err(BuildError::Base)?;
        if let Some(base) = base {
            if base.options.access == Access::Output {
                return Err(BuildError::Open(OpenError::InUse {
                    path: base.data_path().to_path_buf(),
                    why: "this process has the base open for output; close it first",
                    by: None,
                }));
            }
            let decided = self
                .shared()
                .check_not_in_doubt(base.data_path(), base.committed_root().cluster);
            decided.map_err(BuildError::Open)?;
        }
        let path = &alternate.data;
        let file = self.open_closed(path, &alternate.index).map_err(BuildError::Open)?;
        let mut root = read_root(&*file, path).map_err(BuildError::Open)?;
        if own {
            root.lineage = 0;
        }
        (root.stamp, root.built_from) = match base {
            Some(base) => {
                let before = root.log.origin.max(root.stamp.origin);
                let origin = self.shared().env.clock.now().max(before + 1);
                base.ties.built(root.lineage(), origin, base)
            }
            None => (Stamp::default(), BuiltFrom::default()),
        };
        write_over_torn_root(&*file, path, &mut root).map_err(BuildError::Open)?;
        for _ in 0..2 {
            // Both copies, one after the other, so that damage to either later is harmless.
            root.version += 1;
            write_root(&*file, path, &root).map_err(BuildError::Open)?;
        }
        Ok(())
    }
}
