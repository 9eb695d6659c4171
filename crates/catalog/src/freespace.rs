//! FREESPACE: what a load leaves free, by IBM's arithmetic. Both percentages are rounded down, and however large they
//! are, one record is loaded in each CI and one CI in each control area.

use std::fmt;

/// FREESPACE(ci ca), percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FreeSpace {
    /// Percent of each CI, 0-100.
    pub ci: u8,
    /// Percent of the CIs of each control area, 0-100.
    pub ca: u8,
}

/// How a control area looks after a load of records of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedArea {
    /// Bytes kept free in each CI.
    pub free_bytes: u32,
    /// Records a CI can hold.
    pub records_per_ci: u32,
    /// Records loaded in a CI.
    pub loaded_per_ci: u32,
    /// CIs loaded in a control area.
    pub loaded_cis: u32,
    /// CIs kept free in a control area.
    pub free_cis: u32,
}

impl LoadedArea {
    /// Records a control area can still take without a CA split, if they fall evenly.
    pub fn free_slots(&self) -> u64 {
        u64::from(self.loaded_cis) * u64::from(self.records_per_ci - self.loaded_per_ci)
            + u64::from(self.free_cis) * u64::from(self.records_per_ci)
    }

    /// Records loaded in a control area.
    pub fn loaded(&self) -> u64 {
        u64::from(self.loaded_cis) * u64::from(self.loaded_per_ci)
    }

    /// Control areas that `records` fill at load.
    pub fn areas_for(&self, records: u64) -> u64 {
        records.div_ceil(self.loaded().max(1))
    }
}

impl fmt::Display for LoadedArea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a load puts {} of at most {} records in a CI ({} bytes kept free) and fills {} CIs of a control area, \
             {} stay free: {} records fit in later",
            self.loaded_per_ci,
            self.records_per_ci,
            self.free_bytes,
            self.loaded_cis,
            self.free_cis,
            self.free_slots()
        )
    }
}

/// Records of `length` bytes that fit in `room` bytes, RDFs included but not the CIDF: all of one length need one RDF
/// (a single record) or two (a pair with a count).
fn equal_records(room: u32, length: u32) -> u32 {
    let pairs = room.saturating_sub(6) / length.max(1);
    if pairs == 0 {
        u32::from(length.saturating_add(3) <= room)
    } else {
        pairs
    }
}

/// Records of `length` bytes that a CI of `ci_size` bytes holds when all are of that length; 0 if they span CIs.
pub fn records_per_ci(ci_size: u32, length: u32) -> u32 {
    equal_records(ci_size.saturating_sub(4), length)
}

/// Slots of `length` bytes in a CI of an RRDS, each with an RDF of its own.
pub fn slots_per_ci(ci_size: u32, length: u32) -> u32 {
    ci_size.saturating_sub(4) / length.saturating_add(3)
}

impl FreeSpace {
    /// Bytes kept free in a CI.
    pub fn ci_bytes(self, ci_size: u32) -> u32 {
        // A percentage of a CI fits in 32 bits: 100 * 32768 at most.
        ci_size * u32::from(self.ci.min(100)) / 100
    }

    /// CIs kept free in a control area; at least one is loaded.
    pub fn free_cis(self, ci_per_ca: u32) -> u32 {
        let free = u64::from(ci_per_ca) * u64::from(self.ca.min(100)) / 100;
        (free as u32).min(ci_per_ca.saturating_sub(1))
    }

    /// What a load of records of `length` bytes leaves.
    pub fn load(self, ci_size: u32, ci_per_ca: u32, length: u32) -> LoadedArea {
        let free_bytes = self.ci_bytes(ci_size);
        let records_per_ci = records_per_ci(ci_size, length);
        let loaded = equal_records(ci_size.saturating_sub(4).saturating_sub(free_bytes), length);
        let free_cis = self.free_cis(ci_per_ca);
        LoadedArea {
            free_bytes,
            records_per_ci,
            loaded_per_ci: loaded.max(1).min(records_per_ci),
            loaded_cis: ci_per_ca - free_cis,
            free_cis,
        }
    }
}
