//! A disk that stops once before the next write to some of its files, and does something else first.

use super::hooked::{hooked, Hook, Hooked};
use cica_disk::{Disk, MemoryDisk, WriteAt};
use std::io;
use std::sync::{Arc, Mutex};

type Act = Box<dyn FnOnce() + Send>;

/// See the module.
#[derive(Clone)]
pub struct Stopping {
    /// The files are those whose paths start with it.
    at: &'static str,
    moment: Arc<Mutex<Option<Act>>>,
}

impl Stopping {
    pub fn at(prefix: &'static str) -> Stopping {
        Stopping {
            at: prefix,
            moment: Arc::default(),
        }
    }

    /// The disk, empty.
    pub fn disk(&self) -> Arc<dyn Disk> {
        hooked(MemoryDisk::default(), Arc::new(self.clone()))
    }

    /// Before the next write there, `act`.
    pub fn stop(&self, act: impl FnOnce() + Send + 'static) {
        *self.moment.lock().unwrap() = Some(Box::new(act));
    }

    /// It was written there.
    pub fn has_stopped(&self) -> bool {
        self.moment.lock().unwrap().is_none()
    }
}

impl Hook for Stopping {
    fn write(&self, file: &Hooked, batch: &[WriteAt<'_>]) -> io::Result<()> {
        if file.path.to_string_lossy().starts_with(self.at) {
            let act = self.moment.lock().unwrap().take();
            act.into_iter().for_each(|act| act());
        }
        file.file.write(batch)
    }
}
