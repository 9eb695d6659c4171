//! From what DEFINE was told to the numbers of each component: CI sizes, control areas, extents, buffer space, with
//! the reasons in words.

use crate::check::{self, DefineError};
use crate::cisize::{self, ONE_SEGMENT};
use crate::entry::{Component, Keys, Organization, RecordSize};
use crate::freespace::{FreeSpace, LoadedArea};
use crate::geometry::{Device, PhysicalRecord};
use crate::name::Name;
use crate::space::{allocate, Allocation, RecordCount, Space, SpaceError, Unit};
use crate::volume::Volser;

/// What DEFINE was told. `None` leaves the choice to VSAM.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// Organization.
    pub organization: Organization,
    /// KEYS; KSDS only.
    pub keys: Option<Keys>,
    /// RECORDSIZE.
    pub record_size: RecordSize,
    /// SPANNED.
    pub spanned: bool,
    /// COMPRESSED.
    pub compressed: bool,
    /// CONTROLINTERVALSIZE of the data component.
    pub ci_size: Option<u32>,
    /// CONTROLINTERVALSIZE of the index component.
    pub index_ci_size: Option<u32>,
    /// Space of the data component, or of the cluster.
    pub space: Space,
    /// Space of the index component, if said apart.
    pub index_space: Option<Space>,
    /// FREESPACE.
    pub free_space: FreeSpace,
    /// BUFFERSPACE.
    pub buffer_space: Option<u32>,
    /// IMBED, which z/OS no longer knows and the studies use.
    pub imbed: bool,
    /// Device type of the volume.
    pub device: &'static Device,
}

/// One component, laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentPlan {
    /// CI size.
    pub ci_size: u32,
    /// Physical records.
    pub physical: PhysicalRecord,
    /// Space as it is kept: as given, or in tracks where VSAM worked it out.
    pub space: Space,
    /// Control areas and extents.
    pub allocation: Allocation,
    /// FREESPACE; none in an index.
    pub free_space: FreeSpace,
    /// IMBED; data only.
    pub imbed: bool,
}

/// A cluster, laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Data component.
    pub data: ComponentPlan,
    /// Index component: KSDS and VRRDS.
    pub index: Option<ComponentPlan>,
    /// BUFFERSPACE: as given, or two data CIs and an index CI.
    pub buffer_space: u32,
    /// A control area after a load of records of average length; not for LDS.
    pub loaded: Option<LoadedArea>,
    /// The reasons, one sentence each.
    pub notes: Vec<String>,
}

impl ComponentPlan {
    /// The catalog's record of this component. Its file has its name.
    pub fn component(&self, name: Name, volumes: Vec<Volser>) -> Component {
        Component {
            file: name.file(),
            name,
            volumes,
            ci_size: self.ci_size,
            ci_per_ca: self.allocation.ci_per_ca,
            tracks_per_ca: self.allocation.tracks_per_ca,
            physical_record: self.physical.size,
            records_per_track: self.physical.per_track,
            space: self.space,
            primary_tracks: self.allocation.primary_tracks,
            secondary_tracks: self.allocation.secondary_tracks,
            free_space: self.free_space,
            imbed: self.imbed,
        }
    }
}

/// Lays out a cluster, or says why it cannot be.
pub fn plan(wish: &Wish) -> Result<Plan, DefineError> {
    check::record_size(wish.organization, wish.record_size, wish.spanned)?;
    check::compressed(wish.organization, wish.compressed)?;
    check::keys(wish.organization, wish.keys, wish.record_size)?;
    check::free_space(wish.free_space)?;
    if wish.buffer_space.is_none() || wish.ci_size.is_some() {
        return attempt(wish, cisize::MAX_CI);
    }
    // The buffer space bounds the CI sizes, but the index's follows from the data's: try from the largest down.
    let mut limits: Vec<u32> = cisize::sizes(wish.organization).collect();
    let mut least: Option<(u32, DefineError)> = None;
    while let Some(limit) = limits.pop() {
        match attempt(wish, limit) {
            Err(DefineError::BufferSpace { given, needed }) => {
                if least.as_ref().is_none_or(|(n, _)| needed < *n) {
                    least = Some((needed, DefineError::BufferSpace { given, needed }));
                }
            }
            // No CI of this size or less holds a record; what the larger ones needed is the answer.
            Err(DefineError::RecordTooLong { .. }) if least.is_some() => break,
            other => return other,
        }
    }
    // There is at least one size, so one attempt failed for its buffer space.
    least.map_or_else(|| attempt(wish, cisize::MAX_CI), |(_, error)| Err(error))
}

/// Lays out a cluster with a data CI of at most `limit` bytes, where its size is not given.
fn attempt(wish: &Wish, limit: u32) -> Result<Plan, DefineError> {
    let mut notes = Vec::new();
    let key_length = match wish.organization {
        Organization::Ksds => wish.keys.map(|k| u32::from(k.length)),
        // The key of a VRRDS is its four-byte record number.
        Organization::Vrrds => Some(4),
        _ => None,
    };
    let ci_size = data_ci_size(wish, limit, &mut notes)?;
    let mut data = lay_out(wish.space, ci_size, wish, &mut notes)?;
    let index = match key_length {
        Some(length) => Some(index_layout(wish, length, &mut data, &mut notes)?),
        None => None,
    };
    check_spanned(wish, &data)?;
    note_short_keys(wish, &mut notes);

    let index_ci = index.as_ref().map_or(0, |i| i.ci_size);
    let buffer_space = match wish.buffer_space {
        Some(given) => check::buffer_space(given, ci_size, index_ci).map(|()| given)?,
        None => 2 * ci_size + index_ci,
    };
    let loaded = (wish.organization != Organization::Lds).then(|| {
        wish.free_space
            .load(ci_size, data.allocation.ci_per_ca, stored(wish).average)
    });
    notes.extend(
        loaded
            .filter(|l| key_length.is_some() && l.records_per_ci > 0)
            .map(|l| l.to_string()),
    );
    Ok(Plan {
        data,
        index,
        buffer_space,
        loaded,
        notes,
    })
}

/// The data CI size: as given, rounded up, or chosen up to `limit`.
fn data_ci_size(wish: &Wish, limit: u32, notes: &mut Vec<String>) -> Result<u32, DefineError> {
    let stored = stored(wish);
    let record = |ci_size| match wish.organization {
        Organization::Lds => Ok(()),
        _ => check::record_fits(wish.organization, wish.record_size, more(wish), ci_size, wish.spanned),
    };
    if let Some(given) = wish.ci_size {
        let size = check::ci_size(wish.organization, given)?;
        record(Some(size))?;
        if size != given {
            notes.push(format!(
                "data CI size {size}: {given} is rounded up to the next valid size"
            ));
        }
        return Ok(size);
    }
    record(None)?;
    match cisize::data(wish.organization, stored, wish.spanned, limit, wish.device) {
        Some(choice) => {
            notes.push(choice.why);
            Ok(choice.size)
        }
        None => Err(check::too_long(
            wish.organization,
            wish.record_size,
            more(wish),
            limit,
            None,
        )),
    }
}

/// What a record takes more where it is stored: in a VRRDS its number of four bytes stands in front of it, and a record
/// that is not compressed because it gains nothing says so in a byte.
fn more(wish: &Wish) -> u32 {
    let number = match wish.organization {
        Organization::Vrrds => 4,
        _ => 0,
    };
    number + u32::from(wish.compressed)
}

/// Record lengths as they are stored.
fn stored(wish: &Wish) -> RecordSize {
    let more = more(wish);
    RecordSize {
        average: wish.record_size.average.saturating_add(more),
        maximum: wish.record_size.maximum.saturating_add(more),
    }
}

/// The data component.
fn lay_out(space: Space, ci_size: u32, wish: &Wish, notes: &mut Vec<String>) -> Result<ComponentPlan, DefineError> {
    let length = stored(wish).average;
    let records = RecordCount {
        length,
        per_ci: cisize::records_in(ci_size, wish.organization, length),
    };
    let allocation = allocate(space, ci_size, records, wish.imbed, wish.device)?;
    notes.push(allocation.why.clone());
    let physical = physical(ci_size, wish.device)?;
    Ok(ComponentPlan {
        ci_size,
        physical,
        space,
        allocation,
        free_space: wish.free_space,
        imbed: wish.imbed,
    })
}

/// The index component: its CI size from the data's control area, its space from the data's extents.
fn index_layout(
    wish: &Wish,
    key_length: u32,
    data: &mut ComponentPlan,
    notes: &mut Vec<String>,
) -> Result<ComponentPlan, DefineError> {
    let given = wish
        .index_ci_size
        .map(|given| check::ci_size(Organization::Ksds, given))
        .transpose()?;
    let (choice, room) = cisize::index(data.allocation.ci_per_ca, key_length, given);
    notes.push(choice.why);
    if room < data.allocation.ci_per_ca {
        data.allocation.ci_per_ca = room;
        notes.push(format!(
            "CIs in a control area: {room}, as many as an index record can point to"
        ));
    }
    let ci_size = choice.size;
    let physical = physical(ci_size, wish.device)?;
    let space = wish.index_space.unwrap_or_else(|| {
        let tracks = |areas: u64| physical.tracks_for(index_cis(areas, ci_size, key_length));
        Space {
            unit: Unit::Tracks,
            primary: tracks(data.allocation.primary_cas()).max(1),
            secondary: tracks(data.allocation.secondary_cas()),
        }
    });
    let records = RecordCount {
        length: ci_size - cisize::ONE_RECORD,
        per_ci: 1,
    };
    let allocation = allocate(space, ci_size, records, false, wish.device)?;
    Ok(ComponentPlan {
        ci_size,
        physical,
        space,
        allocation,
        free_space: FreeSpace::default(),
        imbed: false,
    })
}

/// Index CIs for `areas` control areas: the sequence set, with IMBED as well, and the levels above.
fn index_cis(areas: u64, ci_size: u32, key_length: u32) -> u64 {
    // An entry of the index set has a pointer of up to three bytes.
    let fan_out = u64::from(ci_size.saturating_sub(31) / (key_length.div_ceil(3) + 5)).max(2);
    let mut level = areas;
    let mut cis = areas;
    while level > 1 {
        level = level.div_ceil(fan_out);
        cis += level;
    }
    cis
}

fn physical(ci_size: u32, device: &'static Device) -> Result<PhysicalRecord, SpaceError> {
    device.physical_record(ci_size).ok_or(SpaceError::CiSize {
        ci_size,
        device: device.name(),
    })
}

/// A spanned record lies in one control area, and its key in the first segment.
fn check_spanned(wish: &Wish, data: &ComponentPlan) -> Result<(), DefineError> {
    if !wish.spanned {
        return Ok(());
    }
    if let Some(keys) = wish.keys {
        check::key_in_segment(keys, data.ci_size)?;
    }
    let area = u64::from(data.allocation.ci_per_ca) * u64::from(data.ci_size - ONE_SEGMENT);
    if u64::from(wish.record_size.maximum) > area {
        return Err(DefineError::RecordBeyondArea {
            record: wish.record_size.maximum,
            area,
        });
    }
    Ok(())
}

fn note_short_keys(wish: &Wish, notes: &mut Vec<String>) {
    let ends = wish.keys.map_or(0, |k| k.offset.saturating_add(u32::from(k.length)));
    if ends > wish.record_size.average {
        notes.push(format!(
            "the key ends at byte {ends}, beyond the average record of {} bytes: shorter records are refused when they \
             are written",
            wish.record_size.average
        ));
    }
}
