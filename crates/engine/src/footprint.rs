//! What a component file takes on the device, and what of that is used.

use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::open_file;
use crate::stored::StoredComponent;
use cica_disk::Lock;
use cica_format::root::Root;
use std::path::Path;

/// Bytes of a component file, as of its last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// What the CIs that have an image take, each as long as it is stored.
    pub used: u64,
    /// How long the file is.
    pub file: u64,
    /// What it takes on the device: less than its length, where space was given back or not taken yet.
    pub stored: u64,
}

impl Footprint {
    /// Bytes on the device that are not of a CI in use: free CIs and slots, regions that a commit has left, and the
    /// component's own books. A close gives back what it can of them; a reorganization nearly all.
    pub fn reclaimable(&self) -> u64 {
        self.stored.saturating_sub(self.used)
    }
}

impl Engine {
    /// What a component file takes; `root` is its own. Of a file that is being changed meanwhile CIs count whole.
    ///
    /// # Errors
    /// The file cannot be opened, or the system does not say.
    pub fn footprint(&self, path: &Path, root: &Root) -> Result<Footprint, OpenError> {
        let file = open_file(self.disk(), path, Lock::None, false)?;
        let wrong = |error| OpenError::Io {
            path: path.to_path_buf(),
            doing: "look at what the file takes",
            error,
        };
        let (length, stored) = (file.size(None).map_err(wrong)?, file.stored().map_err(wrong)?);
        // A commit beside this one may write over what is read here.
        let used = StoredComponent::new(file, path, root.clone()).and_then(|component| component.used());
        Ok(Footprint {
            used: used.unwrap_or_else(|_| whole_cis(root)),
            file: length,
            stored,
        })
    }
}

/// The CIs that have records or entries, whole.
fn whole_cis(root: &Root) -> u64 {
    match root.ca_count {
        0 => 0,
        _ => root.high_allocated.saturating_sub(root.statistics.free_space),
    }
}
