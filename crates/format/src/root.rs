//! The root of a component file: who it is, its attributes, and the references from which everything else is reached.
//!
//! Two copies of [`AREA_LEN`] bytes stand at the start of the file. In the data component the valid copy with the
//! higher version is the cluster's committed state; in the index component the copy that the data root names.

use crate::attributes::Attributes;
use crate::table::Ref;

/// Bytes reserved for each copy; the fixed part is [`FIXED_LEN`], table references follow it.
pub const AREA_LEN: usize = 65_536;
/// Bytes before the table references.
pub const FIXED_LEN: usize = 8192;
/// First eight bytes.
pub const MAGIC: [u8; 8] = *b"CICAROOT";
/// Format version this code writes; it refuses newer ones.
pub const FORMAT: u16 = 1;
/// Most free regions a root can list.
pub const MAX_FREE_REGIONS: usize = 512;

/// Which component of the cluster the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Data component.
    Data,
    /// Index component.
    Index,
}

/// Counters as LISTCAT shows them, kept in the data root (both components).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Records in the component now.
    pub records: u64,
    /// Records erased since load.
    pub deleted: u64,
    /// Records inserted since load.
    pub inserted: u64,
    /// Records updated.
    pub updated: u64,
    /// Records retrieved.
    pub retrieved: u64,
    /// CI splits.
    pub ci_splits: u64,
    /// CA splits.
    pub ca_splits: u64,
    /// CAs reclaimed.
    pub ca_reclaims: u64,
    /// CAs reused after reclaim.
    pub ca_reuses: u64,
    /// Physical I/Os.
    pub excps: u64,
    /// Bytes of free space in used and free CIs.
    pub free_space: u64,
    /// Nanoseconds since 1970 of the last close after a change.
    pub last_change: u64,
}

/// The log a data set's later requests are in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogPosition {
    /// Id of the log, 0 = none: the data set is complete as it stands.
    pub log: u64,
    /// File name of the log (at most 255 bytes), empty when `log` is 0.
    pub path: String,
    /// Requests up to this LSN are in the tree.
    pub lsn: u64,
}

/// A decoded root.
#[derive(Debug, Clone, PartialEq)]
pub struct Root {
    /// Version; copy `version & 1`.
    pub version: u32,
    /// Data or index.
    pub part: Part,
    /// Id of this component, unique.
    pub component: u64,
    /// Id of the cluster, the same in both components.
    pub cluster: u64,
    /// Cluster name, component name and all attributes (see [`Attributes`]).
    pub attributes: Attributes,
    /// Where later requests are.
    pub log: LogPosition,
    /// Counters.
    pub statistics: Statistics,
    /// CAs in use or once used: CA numbers are below this.
    pub ca_count: u32,
    /// First CA on the free chain, `u32::MAX` = none.
    pub free_ca: u32,
    /// Regions the file has room for.
    pub region_count: u32,
    /// Regions no CA uses (at most [`MAX_FREE_REGIONS`]).
    pub free_regions: Vec<u32>,
    /// Index: CI number of the root node of the B-tree, `u32::MAX` = empty. Data: same value as the index component's.
    pub top: u32,
    /// Index levels, 0 = empty.
    pub levels: u8,
    /// Data component: the root of the index component (version, checksum). Index component: zero.
    pub index_root: Ref,
    /// End of the high-used area in bytes (HI-U-RBA).
    pub high_used: u64,
    /// End of the allocated area in bytes (HI-A-RBA).
    pub high_allocated: u64,
    /// Extents taken so far.
    pub extents: u32,
    /// One per table block.
    pub tables: Vec<Ref>,
}
