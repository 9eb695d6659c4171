//! An engine belongs to the process that made it. In a child after `fork` its threads are not there, its locks may be
//! held for ever, and its log is the parent's.
//!
//! * F1. In a child every request of the parent's engine is refused (12/16, an open with ACBERFLG 184), before it waits
//!   for a lock; nothing is written, and what is dropped there lets go of memory alone.
//! * F2. A child may make an engine of its own.

use crate::error::{OpenError, RequestError};
use std::path::Path;

const WHY: &str = "the parent process opened it; a child after fork opens data sets anew";

/// The process that made an engine.
#[derive(Debug, Clone, Copy)]
pub struct OwningProcess(u32);

impl OwningProcess {
    /// This process.
    pub fn this() -> OwningProcess {
        cica_disk::notice_forks();
        OwningProcess(cica_disk::generation())
    }

    /// Is this process a child of the owner?
    #[inline]
    pub fn is_parent(self) -> bool {
        self.0 != cica_disk::generation()
    }

    /// Refuses a request of a child.
    #[inline]
    pub fn check(self) -> Result<(), RequestError> {
        if self.is_parent() {
            Err(RequestError::Fenced { why: WHY.into() })
        } else {
            Ok(())
        }
    }

    /// Refuses an open in a child.
    pub fn check_open(self, data: &Path) -> Result<(), OpenError> {
        let refused = |_| OpenError::Io {
            path: data.to_path_buf(),
            doing: "open",
            error: std::io::Error::new(std::io::ErrorKind::PermissionDenied, WHY),
        };
        self.check().map_err(refused)
    }
}
