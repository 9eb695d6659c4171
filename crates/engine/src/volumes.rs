//! What the engine asks whoever keeps the catalog. The engine knows files; which volumes a component may go on to, how
//! much these have left, and whether a file that is not there was deleted, is known to the catalog.
//!
//! | asked for | answer | then |
//! |---|---|---|
//! | a further extent on the volume in use | given | it is taken |
//! | the same | full | the next volume of the list is asked for a first extent |
//! | a first extent on a further volume | given | it is taken, and that is the volume in use |
//! | the same | full | the volume behind it is asked |
//! | the same | there is no such volume | the request fails (8/28), and nothing was taken |

use crate::error::OpenError;
use cica_disk::{Create, Disk, Open};
use cica_format::VOLUME_MARK;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What a volume has for a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Room {
    /// The extent is the component's.
    Given,
    /// The volume has not so much left, for the reason said.
    Full(String),
    /// The component's list of volumes ends before this one.
    NoVolume,
}

/// A component's file that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// A catalog names it: somebody has moved it, and it may come back.
    Named,
    /// It lay on a volume of the catalogs, and none of them names it. Durably: its entry went before the file.
    Deleted,
    /// There is nobody who could tell.
    Unknown,
}

/// The directories in which components lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    /// Those that are known now.
    pub known: Vec<PathBuf>,
    /// There are no others: all who know some could be asked.
    pub are_all: bool,
}

/// See the module.
pub trait Volumes: Send + Sync {
    /// Asks for `more` bytes for the component in `file`, which has `held` on the volume with this number in its list,
    /// from 0. What is given counts from now on, though no root says so yet.
    fn give(&self, file: &Path, volume: usize, held: u64, more: u64) -> Room;
    /// The component has only `held` bytes there after all.
    fn take_back(&self, file: &Path, volume: usize, held: u64);
    /// What is known of a component's `file` that is not there.
    fn absent(&self, file: &Path) -> Absent;
    /// The directories in which components lie; none: nobody knows them.
    fn directories(&self) -> Option<Directories> {
        None
    }
}

/// One volume without an end, where nobody says otherwise.
#[derive(Debug)]
pub struct OneVolume;

impl Volumes for OneVolume {
    fn give(&self, _: &Path, volume: usize, _: u64, _: u64) -> Room {
        match volume {
            0 => Room::Given,
            _ => Room::NoVolume,
        }
    }
    fn take_back(&self, _: &Path, _: usize, _: u64) {}
    fn absent(&self, _: &Path) -> Absent {
        Absent::Unknown
    }
}

/// Volumes that are said once, after the engine was made; [`OneVolume`] until then.
#[derive(Default)]
pub struct VolumesToBe(OnceLock<Arc<dyn Volumes>>);

impl VolumesToBe {
    /// Nothing is said yet.
    pub fn new() -> VolumesToBe {
        VolumesToBe::default()
    }
    /// Says them.
    pub fn say(&self, volumes: Arc<dyn Volumes>) {
        let _ = self.0.set(volumes);
    }
    /// Those that were said.
    pub fn current(&self) -> Arc<dyn Volumes> {
        self.0.get().cloned().unwrap_or_else(|| Arc::new(OneVolume))
    }
}

/// Marks the directory of a data component as a volume, before the first data set is in it.
pub(crate) fn mark_volume(disk: &dyn Disk, data: &Path) -> Result<(), OpenError> {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    let marked = disk.open(&mark_of(data), how);
    marked.map(drop).map_err(|error| OpenError::Io {
        path: data.to_path_buf(),
        doing: "marking of the volume",
        error,
    })
}

/// Whether the directory of a data component has the mark of a volume.
pub(crate) fn is_marked(disk: &dyn Disk, data: &Path) -> bool {
    disk.open(&mark_of(data), Open::default()).is_ok()
}

fn mark_of(data: &Path) -> PathBuf {
    data.with_file_name(VOLUME_MARK)
}
