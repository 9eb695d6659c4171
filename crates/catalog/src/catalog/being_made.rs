//! Components that this process makes: no entry names them yet, and only it knows the volumes of their lists, which
//! their extents come from.

use super::Catalog;
use crate::entry::Component;
use crate::volume::VolumeFile;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// See the module.
#[derive(Debug, Default)]
pub struct BeingMade(Mutex<Vec<Component>>);

impl BeingMade {
    fn all(&self) -> MutexGuard<'_, Vec<Component>> {
        // Each change of it is one call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Catalog {
    /// A component whose file is listed as a leftover is going to be made.
    pub fn begin_component(&self, component: &Component) {
        self.being_made.all().push(component.clone());
    }

    /// It is made, or given up.
    pub fn end_component(&self, (serial, file): &VolumeFile) {
        let is_it = |c: &Component| c.volumes.first() == Some(serial) && c.file == *file;
        self.being_made.all().retain(|component| !is_it(component));
    }

    /// Those that this process makes, of which `which` asks nothing of a catalog: there may be very many.
    pub fn components_being_made(&self, which: impl Fn(&Component) -> bool) -> Vec<Component> {
        let made = self.being_made.all();
        made.iter().filter(|component| which(component)).cloned().collect()
    }
}
