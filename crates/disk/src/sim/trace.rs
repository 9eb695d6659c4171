//! What a simulated disk writes down: every change, in the order it happened.

use crate::content::SECTOR;
use crate::image::{FileId, Image};
use std::path::Path;
use std::sync::Arc;

/// One change of a disk, or one promise that changes are durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A name was made for a new file or directory, or for a file that had none.
    Create {
        /// The file.
        file: FileId,
        /// Its name.
        path: Arc<Path>,
        /// Whether it is a directory.
        directory: bool,
    },
    /// A file got another name.
    Rename {
        /// The file.
        file: FileId,
        /// The name it had.
        from: Arc<Path>,
        /// The name it got; a file that had it lost it.
        to: Arc<Path>,
    },
    /// A name was taken away.
    Remove {
        /// The name.
        path: Arc<Path>,
    },
    /// One write of a batch.
    Write {
        /// The file.
        file: FileId,
        /// Byte offset.
        at: u64,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// A store into memory that shows the file (D8).
    Store {
        /// The file.
        file: FileId,
        /// Byte offset.
        at: u64,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// The file was grown or cut.
    Resize {
        /// The file.
        file: FileId,
        /// The new length in bytes.
        len: u64,
    },
    /// Writes and lengths of the file up to here are durable (D1).
    Sync {
        /// The file.
        file: FileId,
    },
    /// Names in the directory up to here are durable (D4).
    SyncDirectory {
        /// The directory.
        path: Arc<Path>,
    },
    /// A sync failed, and the unsynced writes and lengths of the file will never be durable (D3).
    Forget {
        /// The file.
        file: FileId,
    },
}

impl Event {
    /// Whether a power cut may undo it; the others are promises about those before them.
    pub fn is_change(&self) -> bool {
        !matches!(
            self,
            Event::Sync { .. } | Event::SyncDirectory { .. } | Event::Forget { .. }
        )
    }

    /// Sectors of the device that a write touches, fully or in part: [`super::Survival`] tears it between them.
    /// 0 for all other events.
    pub fn sectors(&self) -> usize {
        match self {
            Event::Write { at, bytes, .. } | Event::Store { at, bytes, .. } if !bytes.is_empty() => {
                ((at + bytes.len() as u64).div_ceil(SECTOR) - at / SECTOR) as usize
            }
            _ => 0,
        }
    }

    /// The file whose bytes or length it changes.
    pub(crate) fn changes_content_of(&self) -> Option<FileId> {
        match self {
            Event::Write { file, .. } | Event::Store { file, .. } | Event::Resize { file, .. } => Some(*file),
            _ => None,
        }
    }
}

/// A disk's history: how it began and what happened to it.
#[derive(Debug, Clone)]
pub struct Trace {
    pub(crate) start: Image,
    pub(crate) events: Arc<[Event]>,
}

impl Trace {
    /// What happened, first to last.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The disk before the first event.
    pub fn start(&self) -> &Image {
        &self.start
    }
}
