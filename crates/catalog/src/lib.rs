//! The catalog: what data sets there are, what they are like, and where they lie.
//!
//! `ls` of this crate is its table of contents:
//!
//! * [`name`]: data set names, generated names, masks, levels;
//! * [`date`]: days as VSAM writes them;
//! * [`geometry`]: device types, and how many physical records a track takes;
//! * [`space`]: space parameters to control areas and extents;
//! * [`cisize`]: choosing CI sizes; [`freespace`]: what FREESPACE leaves free;
//! * [`check`]: what may not be defined;
//! * [`plan`]: all of these together, from what DEFINE was told to the numbers of each component;
//! * [`volume`], [`entry`], [`attributes`], [`component`], [`contents`]: what a catalog holds;
//! * [`wire`]: its bytes (`docs/format/catalog.md`);
//! * [`place`]: where a directory really is, whatever it is called;
//! * [`generation`]: generation data groups; what is current, and what goes when a new one comes;
//! * [`catalog`]: the catalog as a directory that several processes use at once; [`mod@locate`]: which one is meant;
//!   * [`staging`]: data sets made beside those in use, and what a crash leaves of them;
//!   * [`connected`]: user catalogs below a master, and where a name belongs; [`related`]: where a generic name is;
//!   * [`moves`]: entries that change catalogs;
//!   * [`vvds`]: what each volume keeps of it;
//! * [`error`]: what can go wrong, with VSAM's catalog return code and reason.

#![forbid(unsafe_code)]

pub mod attributes;
pub mod catalog;
pub mod check;
pub mod cisize;
pub mod component;
pub mod contents;
pub mod date;
pub mod entry;
pub mod error;
pub mod freespace;
pub mod generation;
pub mod geometry;
mod kind;
pub mod locate;
pub mod name;
pub mod place;
pub mod plan;
pub mod space;
pub mod symbols;
pub mod volume;
pub mod wire;

pub use catalog::unmaking::Unmaking;
pub use catalog::{connected, defining, moves, related, staging, vvds, Catalog};
pub use contents::{Contents, Resolved};
pub use date::Date;
pub use entry::{Cluster, Component, Entry};
pub use error::CatalogError;
pub use geometry::Device;
pub use locate::{locate, Surroundings};
pub use name::{Level, Mask, Name};
pub use staging::Staging;
pub use symbols::{Symbolic, Symbols};
pub use volume::{Volser, Volume};
