//! Data sets copied, moved and made anew as wholes.
#![allow(clippy::unwrap_used)]

#[path = "../entries/world.rs"]
#[allow(dead_code)] // the other tests of this crate use the rest of it
mod world;

mod bldindex;
mod damaged;
mod deletes;
mod disasters;
mod export;
mod files;
mod full;
mod into_empty;
mod meanwhile;
mod moved_index;
mod organizations;
mod rebuild;
mod reorganize;
mod restore;
mod several_volumes;
mod sphere;
mod typed;
mod while_open;
