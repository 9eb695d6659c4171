//! Data sets with an archive, and copies of them.

use super::*;
use std::path::PathBuf;

pub const ALL: OpenOptions = OpenOptions {
    access: Access::Output,
    reset: false,
    reset_anyway: false,
    alone: false,
    durability: Durability::Close,
    io: Io::Auto,
    buffers: None,
    keeps: false,
    log: Logging::All,
};

/// Copies the files of a closed data set to another name; its lineage and origin.
pub fn copy(world: &World, engine: &Engine, from: &str, to: &str) -> (u64, u64) {
    copy_on(world, engine, from, to, None)
}

/// The same on a branch.
pub fn copy_on(world: &World, engine: &Engine, from: &str, to: &str, branch: Option<Branch>) -> (u64, u64) {
    let (from, to) = (world.paths(from), world.paths(to));
    let root = engine.peek(&from.0).unwrap();
    assert_eq!(root.log.log, 0, "it is closed");
    let has_index = root.attributes.organization.has_index();
    let no_index = PathBuf::new();
    let stored = engine
        .stored(&from.0, if has_index { &from.1 } else { &no_index })
        .unwrap();
    let mut made = Vec::new();
    for (part, path) in [(Some(&stored.data), &to.0), (stored.index.as_ref(), &to.1)] {
        let Some(part) = part else { continue };
        let attributes = part.root().attributes.clone();
        let mut rebuild = engine.rebuild(path, part.root(), attributes, branch).unwrap();
        for (generation, bytes) in part.dictionaries().unwrap() {
            rebuild.dictionary(generation, &bytes).unwrap();
        }
        let mut area = StoredArea::default();
        for ca in 0..part.areas() {
            part.area(ca, &mut area).unwrap();
            let header = area.header.as_ref().unwrap();
            rebuild.area(ca, header.flags, header.next_free).unwrap();
            for (number, flags, image) in area.control_intervals() {
                rebuild.control_interval(number, flags, image).unwrap();
            }
        }
        made.push(rebuild);
    }
    let index = if has_index { made.pop() } else { None };
    engine.complete_rebuild(made.pop().unwrap(), index).unwrap();
    (root.lineage(), root.log.origin)
}
