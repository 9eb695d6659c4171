//! A disk whose power can be cut, with directories that were made durable before.

use super::World;
use cica_disk::sim::Survival;
use cica_disk::{Image, MemoryDisk, SimDisk};
use std::path::Path;
use std::sync::Arc;

/// The disk, and a world on it.
pub fn world() -> (SimDisk, World) {
    let disk = SimDisk::from(Image::with_directories(["/v", "/log"]));
    let world = World::on(Arc::new(disk.clone()), Path::new("/"));
    (disk, world)
}

/// What a power cut leaves now, if nothing survives it that was not synced.
pub fn cut(disk: &SimDisk) -> World {
    let trace = disk.trace();
    let left = trace.crash_after(disk.events()).image(|_, _| Survival::Lost);
    World::on(Arc::new(MemoryDisk::from(left)), Path::new("/"))
}
