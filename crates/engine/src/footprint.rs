//! What a component file takes on the device, and what of that is used.

use crate::engine::Engine;
use crate::error::OpenError;
use crate::files::open_file;
use cica_disk::Lock;
use cica_format::root::Root;
use std::path::Path;

/// Bytes of a component file, as of its last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// The CIs that have records or entries, whole: how full they are does not matter.
    pub used: u64,
    /// How long the file is.
    pub file: u64,
    /// What it takes on the device: less than its length, where space was given back.
    pub stored: u64,
}

impl Footprint {
    /// Bytes on the device that are not of a CI in use: free CIs and slots, regions that a commit has left, and the
    /// component's own books. A close gives back what it can of them; a reorganization nearly all, and what is free in
    /// half-full CIs besides.
    pub fn reclaimable(&self) -> u64 {
        self.stored.saturating_sub(self.used)
    }
}

impl Engine {
    /// What a component file takes; `root` is its own.
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
        Ok(Footprint {
            used: match root.ca_count {
                0 => 0,
                _ => root.high_allocated.saturating_sub(root.statistics.free_space),
            },
            file: file.size(None).map_err(wrong)?,
            stored: file.stored().map_err(wrong)?,
        })
    }
}
