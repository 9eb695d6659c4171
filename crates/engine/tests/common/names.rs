//! A catalog, as far as the engine asks one: the data components that it names.

use cica_engine::{Absent, Directories, OneVolume, Room, Volumes};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Names(Arc<Mutex<Vec<PathBuf>>>, Option<Directories>);

impl Names {
    pub fn of(files: impl IntoIterator<Item = PathBuf>) -> Names {
        Names(Arc::new(Mutex::new(files.into_iter().collect())), None)
    }

    /// The same; components lie in these directories alone.
    pub fn within(mut self, directories: impl IntoIterator<Item = PathBuf>) -> Names {
        self.1 = Some(Directories {
            known: directories.into_iter().collect(),
            are_all: true,
        });
        self
    }

    /// The same; and a catalog that may know more directories cannot be asked.
    pub fn and_others(mut self) -> Names {
        self.1.iter_mut().for_each(|directories| directories.are_all = false);
        self
    }

    pub fn forget(&self, file: &Path) {
        self.0.lock().unwrap().retain(|named| named != file);
    }
}

impl Volumes for Names {
    fn give(&self, file: &Path, volume: usize, held: u64, more: u64) -> Room {
        OneVolume.give(file, volume, held, more)
    }
    fn take_back(&self, _: &Path, _: usize, _: u64) {}
    fn absent(&self, file: &Path) -> Absent {
        if self.0.lock().unwrap().iter().any(|named| named == file) {
            Absent::Named
        } else {
            Absent::Deleted
        }
    }
    fn directories(&self) -> Option<Directories> {
        self.1.clone()
    }
}
