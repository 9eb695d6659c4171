//! Committed trees that are pinned while somebody copies them, here or at their owner, as who copies them has them.

use crate::error::RequestError;
use crate::far::{FarDataSet, FarPin, PinnedTree};
use crate::open::{Handle, Pin};
use std::sync::Arc;

/// The committed trees of a base and its alternate indexes, which stay as they are until this is dropped. It keeps the
/// data set open.
pub struct PinnedTrees(Whose);

enum Whose {
    Near(Pin, #[allow(dead_code)] Handle),
    Far(Box<dyn FarPin>, #[allow(dead_code)] Arc<dyn FarDataSet>),
}

impl PinnedTrees {
    /// Of a data set that is open here.
    pub(crate) fn near(pin: Pin, mut open: Handle) -> PinnedTrees {
        // It may be the last.
        open.close_on_drop();
        PinnedTrees(Whose::Near(pin, open))
    }

    /// Of one that its owner has open.
    pub(crate) fn far(pin: Box<dyn FarPin>, open: Arc<dyn FarDataSet>) -> PinnedTrees {
        PinnedTrees(Whose::Far(pin, open))
    }

    /// The base and those of its alternate indexes that are open with it.
    pub fn trees(&self) -> &[PinnedTree] {
        match &self.0 {
            Whose::Near(pin, _) => pin.trees(),
            Whose::Far(pin, _) => pin.trees(),
        }
    }

    /// The cluster with this id.
    pub fn tree(&self, cluster: u64) -> Option<&PinnedTree> {
        self.trees().iter().find(|tree| tree.cluster == cluster)
    }

    /// Were all trees on the volume as they were pinned, up to now? What was read from the files counts only then.
    ///
    /// # Errors
    /// The owner is gone.
    pub fn holds(&self) -> Result<bool, RequestError> {
        match &self.0 {
            Whose::Near(pin, _) => Ok(pin.holds()),
            Whose::Far(pin, _) => pin.holds(),
        }
    }
}
