//! From space parameters to control areas and extents.
//!
//! The control area is the smallest of primary amount, secondary amount (where there is one) and one cylinder, in
//! whole tracks; extents are whole control areas, so amounts are rounded up to them. On devices whose control areas
//! must divide an allocation unit of 21 cylinders (see [`Device::whole_units`]) the next of 1, 3, 5, 7, 9, 15 tracks is
//! taken, as z/OS does.

use crate::geometry::Device;
use std::fmt;

/// Extents a component may have on one volume.
pub const MAX_EXTENTS: u32 = 123;

/// The unit of a space parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// CYLINDERS.
    Cylinders,
    /// TRACKS.
    Tracks,
    /// RECORDS of average length.
    Records,
    /// KILOBYTES, 1,024 bytes.
    Kilobytes,
    /// MEGABYTES, 1,048,576 bytes.
    Megabytes,
}

impl Unit {
    /// LISTCAT's word for SPACE-TYPE.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Cylinders => "CYLINDER",
            Unit::Tracks => "TRACK",
            Unit::Records => "RECORD",
            Unit::Kilobytes => "KILOBYTE",
            Unit::Megabytes => "MEGABYTE",
        }
    }
}

/// A space parameter as given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Unit.
    pub unit: Unit,
    /// Primary amount, at least 1.
    pub primary: u64,
    /// Secondary amount; 0 = the data set does not grow.
    pub secondary: u64,
}

/// Control areas and extents of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Tracks in a control area.
    pub tracks_per_ca: u32,
    /// CIs in a control area.
    pub ci_per_ca: u32,
    /// Tracks of the first extent.
    pub primary_tracks: u64,
    /// Tracks of each further one, 0 = none.
    pub secondary_tracks: u64,
    /// Why.
    pub why: String,
}

impl Allocation {
    /// Control areas of the first extent.
    pub fn primary_cas(&self) -> u64 {
        self.primary_tracks / u64::from(self.tracks_per_ca.max(1))
    }

    /// Control areas of each further extent.
    pub fn secondary_cas(&self) -> u64 {
        self.secondary_tracks / u64::from(self.tracks_per_ca.max(1))
    }

    /// Tracks of extent `number` (from 1); 0 beyond the last a volume may have.
    pub fn extent_tracks(&self, number: u32) -> u64 {
        match number {
            1 => self.primary_tracks,
            2..=MAX_EXTENTS => self.secondary_tracks,
            _ => 0,
        }
    }
}

/// Why a space parameter cannot be met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpaceError {
    /// A primary amount of nothing.
    NoPrimary,
    /// More than the largest volume of the type.
    TooLarge {
        /// Cylinders it comes to.
        cylinders: u64,
        /// Device type.
        device: &'static str,
        /// Cylinders of the largest one.
        limit: u32,
    },
    /// CIs of this size cannot be laid on tracks.
    CiSize {
        /// CI size.
        ci_size: u32,
        /// Device type.
        device: &'static str,
    },
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpaceError::NoPrimary => write!(f, "the primary space amount is 0; give at least 1"),
            SpaceError::TooLarge {
                cylinders,
                device,
                limit,
            } => write!(
                f,
                "the space comes to {cylinders} cylinders, more than the {limit} of the largest {device}; give less"
            ),
            SpaceError::CiSize { ci_size, device } => write!(
                f,
                "control intervals of {ci_size} bytes cannot be laid on a {device}; give a multiple of 512"
            ),
        }
    }
}

impl std::error::Error for SpaceError {}

/// The records that RECORDS counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordCount {
    /// Average length in bytes.
    pub length: u32,
    /// Of these, records in a CI; 0 if they span CIs.
    pub per_ci: u32,
}

/// What is allocated for `space` on `device` in CIs of `ci_size` bytes. `imbed` takes the first track of each control
/// area for its sequence set record.
pub fn allocate(
    space: Space,
    ci_size: u32,
    records: RecordCount,
    imbed: bool,
    device: &'static Device,
) -> Result<Allocation, SpaceError> {
    if space.primary == 0 {
        return Err(SpaceError::NoPrimary);
    }
    let no_ci = SpaceError::CiSize {
        ci_size,
        device: device.name(),
    };
    let layout = device
        .physical_record(ci_size)
        .filter(|l| l.per_track > 0)
        .ok_or(no_ci)?;
    let cylinder = u64::from(device.tracks_per_cylinder());
    let tracks = |amount: u64| match space.unit {
        Unit::Cylinders => amount.saturating_mul(cylinder),
        Unit::Tracks => amount,
        _ => layout.tracks_for(cis(space.unit, amount, ci_size, records)),
    };
    let (primary, secondary) = (tracks(space.primary), tracks(space.secondary));

    let limit = u64::from(device.cylinders()) * cylinder;
    if primary > limit || secondary > limit {
        let cylinders = primary.max(secondary).div_ceil(cylinder);
        return Err(SpaceError::TooLarge {
            cylinders,
            device: device.name(),
            limit: device.cylinders(),
        });
    }

    let smaller = if secondary == 0 {
        primary
    } else {
        primary.min(secondary)
    };
    // A control area holds at least one CI, and the track that IMBED takes.
    let least = layout.tracks_for(1) + u64::from(imbed);
    let wanted = smaller.min(cylinder).max(least);
    // A cylinder and the tracks of one CI fit in 32 bits.
    let tracks_per_ca = whole_unit(wanted, device) as u32;
    let ci_per_ca = layout.cis_in(tracks_per_ca - u32::from(imbed));
    let round = |amount: u64| amount.div_ceil(u64::from(tracks_per_ca)) * u64::from(tracks_per_ca);

    let growth = if secondary == 0 {
        "no secondary".to_owned()
    } else {
        format!("secondary, {secondary}")
    };
    let raised = if wanted == u64::from(tracks_per_ca) {
        String::new()
    } else {
        format!(", raised from {wanted} to divide an allocation unit of 21 cylinders")
    };
    let why =
        format!(
        "tracks in a control area: {tracks_per_ca}, the smallest of primary, {primary}, {growth}, and one cylinder, \
         {cylinder}{raised}; CIs in a control area: {ci_per_ca}, as a track takes {} physical records of {} bytes{}",
        layout.per_track,
        layout.size,
        if imbed { " and IMBED takes one track of each area" } else { "" },
    );
    Ok(Allocation {
        tracks_per_ca,
        ci_per_ca,
        primary_tracks: round(primary),
        secondary_tracks: round(secondary),
        why,
    })
}

/// CIs that an amount of bytes or records needs.
fn cis(unit: Unit, amount: u64, ci_size: u32, records: RecordCount) -> u64 {
    let of_bytes = |unit: u64| amount.saturating_mul(unit).div_ceil(u64::from(ci_size));
    match unit {
        Unit::Megabytes => of_bytes(1 << 20),
        Unit::Records if records.per_ci > 0 => amount.div_ceil(u64::from(records.per_ci)),
        // Each segment of a spanned record has ten bytes of control information in its CI.
        Unit::Records => {
            let segments = u64::from(records.length).div_ceil(u64::from(ci_size.saturating_sub(10)).max(1));
            amount.saturating_mul(segments)
        }
        _ => of_bytes(1 << 10),
    }
}

/// The next control area size that divides an allocation unit, where that is asked.
fn whole_unit(tracks: u64, device: &Device) -> u64 {
    if !device.whole_units() {
        return tracks;
    }
    [1, 3, 5, 7, 9, 15].into_iter().find(|t| *t >= tracks).unwrap_or(tracks)
}
