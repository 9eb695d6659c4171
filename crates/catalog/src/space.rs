//! From space parameters to control areas and extents.
//!
//! The control area is the smallest of primary amount, secondary amount (where there is one) and one cylinder, in
//! whole tracks; extents are whole control areas, so amounts are rounded up to them. On devices whose control areas
//! must divide an allocation unit of 21 cylinders (see [`Device::whole_units`]) the next of 1, 3, 5, 7, 9, 15 tracks is
//! taken, as z/OS does.

use crate::freespace::records_per_ci;
use crate::geometry::{Device, PhysicalRecord};
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

/// What is allocated for `space` on `device` in CIs of `ci_size` bytes. `average_record` counts RECORDS; `imbed` takes
/// the first track of each control area for its sequence set record.
pub fn allocate(
    space: Space,
    ci_size: u32,
    average_record: u32,
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
    let primary = tracks(space.unit, space.primary, &layout, ci_size, average_record, cylinder);
    let secondary = tracks(space.unit, space.secondary, &layout, ci_size, average_record, cylinder);

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
    let why = explain(
        primary,
        secondary,
        cylinder,
        wanted,
        tracks_per_ca,
        ci_per_ca,
        imbed,
        &layout,
    );
    Ok(Allocation {
        tracks_per_ca,
        ci_per_ca,
        primary_tracks: round(primary),
        secondary_tracks: round(secondary),
        why,
    })
}

/// Tracks of an amount, rounded up.
fn tracks(unit: Unit, amount: u64, layout: &PhysicalRecord, ci_size: u32, average_record: u32, cylinder: u64) -> u64 {
    let in_cis = |bytes: u64| layout.tracks_for(bytes.div_ceil(u64::from(ci_size)));
    match unit {
        Unit::Cylinders => amount.saturating_mul(cylinder),
        Unit::Tracks => amount,
        Unit::Kilobytes => in_cis(amount.saturating_mul(1 << 10)),
        Unit::Megabytes => in_cis(amount.saturating_mul(1 << 20)),
        Unit::Records => match u64::from(records_per_ci(ci_size, average_record)) {
            // Longer than a CI: spanned.
            0 => in_cis(amount.saturating_mul(u64::from(average_record) + 10)),
            per_ci => layout.tracks_for(amount.div_ceil(per_ci)),
        },
    }
}

/// The next control area size that divides an allocation unit, where that is asked.
fn whole_unit(tracks: u64, device: &Device) -> u64 {
    if !device.whole_units() {
        return tracks;
    }
    [1, 3, 5, 7, 9, 15].into_iter().find(|t| *t >= tracks).unwrap_or(tracks)
}

#[allow(clippy::too_many_arguments)]
fn explain(
    primary: u64,
    secondary: u64,
    cylinder: u64,
    wanted: u64,
    tracks_per_ca: u32,
    ci_per_ca: u32,
    imbed: bool,
    layout: &PhysicalRecord,
) -> String {
    let second = if secondary == 0 {
        "none".to_owned()
    } else {
        format!("{secondary} tracks")
    };
    let unit = if wanted == u64::from(tracks_per_ca) {
        String::new()
    } else {
        format!(", raised from {wanted} to divide an allocation unit of 21 cylinders")
    };
    let imbed = if imbed {
        ", one of them for the sequence set (IMBED)"
    } else {
        ""
    };
    format!(
        "control area of {tracks_per_ca} tracks{imbed}: the smallest of primary ({primary} tracks), secondary ({second}) \
         and one cylinder ({cylinder} tracks){unit}; {ci_per_ca} CIs in it, as a track takes {} physical records of {} \
         bytes",
        layout.per_track, layout.size
    )
}
