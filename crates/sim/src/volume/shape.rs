//! The data sets of a volume, and the control cards that define them.

use crate::random::Random;
use crate::shape::{Durability, Keys, Organization, Shape};

/// The data sets; the last one has the definition of the first, so that REPRO copies into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeShape {
    /// One for each part of the history.
    pub slots: Vec<Shape>,
}

/// The volume that a new catalog has.
pub const VOLUME: &str = "/cat/volumes/CICA01";

impl VolumeShape {
    /// Draws the data sets.
    pub fn draw(random: &mut Random) -> VolumeShape {
        let other = random.pick(&[
            Organization::Esds,
            Organization::Rrds,
            Organization::Vrrds,
            Organization::Lds,
        ]);
        let first = small(Organization::Ksds, random);
        let second = small(other, random);
        let last = first.clone();
        let slots = vec![first, second, last];
        VolumeShape { slots }
    }

    /// The name of a data set, as it was defined or as ALTER NEWNAME renamed it.
    pub fn name(&self, slot: usize, renamed: bool) -> String {
        format!("SIM.{}{slot}", if renamed { 'R' } else { 'D' })
    }

    /// Offset of the alternate key of one byte, behind what every record has.
    pub fn alternate(&self, slot: usize) -> usize {
        self.slots[slot].least_record()
    }

    /// DEFINE CLUSTER.
    pub fn define(&self, slot: usize) -> String {
        let shape = &self.slots[slot];
        let name = self.name(slot, false);
        let longest = shape.maximum_record;
        let average = if shape.fixed { longest } else { shape.least_record() };
        let organization = match shape.organization {
            Organization::Ksds => format!(
                "INDEXED KEYS({} {}) FREESPACE({} {})",
                shape.key_length, shape.key_offset, shape.free_ci, shape.free_ca
            ),
            Organization::Esds => "NONINDEXED".to_string(),
            Organization::Lds => "LINEAR".to_string(),
            _ => "NUMBERED".to_string(),
        };
        let records = match shape.organization {
            Organization::Lds => String::new(),
            Organization::Vrrds => format!("RECORDSIZE({} {longest})", average.min(longest - 1)),
            _ => format!("RECORDSIZE({average} {longest})"),
        };
        let reuse = if shape.reuse { "REUSE" } else { "" };
        let spanned = if shape.spanned { "SPANNED" } else { "" };
        format!(
            "DEFINE CLUSTER (NAME({name}) {organization} {records} TRACKS(1 1) {spanned} {reuse} CONTROLINTERVALSIZE({}))",
            shape.ci_size
        )
    }
}

fn small(organization: Organization, random: &mut Random) -> Shape {
    let mut shape = Shape::draw_small(organization, random);
    // The model of a volume has RBAs that follow from lengths.
    shape.compressed &= !shape.renumbered();
    Shape {
        durability: random.pick(&[Durability::Close, Durability::Commit, Durability::Request]),
        keys: random.pick(&[Keys::Ascending, Keys::Dense, Keys::Clustered, Keys::Hot]),
        // TRACKS(1 1): a track of a 3390 holds 49 CIs of 512 bytes.
        ci_per_ca: 49,
        // A VRRDS with records of one length would be an RRDS.
        fixed: shape.fixed && organization != Organization::Vrrds,
        ..shape
    }
}
