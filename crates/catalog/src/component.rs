//! Components: the files of a cluster, and what each carries of it.

use crate::attributes::Attributes;
use crate::freespace::FreeSpace;
use crate::name::Name;
use crate::space::{Space, Unit};
use crate::volume::Volser;
use cica_disk::FileName;
use cica_format::attributes::{Attributes as FileAttributes, Organization};

/// A data or index component: one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Component name.
    pub name: Name,
    /// Volumes; the file lies on the first.
    pub volumes: Vec<Volser>,
    /// File name on the volume.
    pub file: FileName,
    /// CI size.
    pub ci_size: u32,
    /// CIs in a control area.
    pub ci_per_ca: u32,
    /// Tracks in a control area.
    pub tracks_per_ca: u32,
    /// PHYREC-SIZE.
    pub physical_record: u32,
    /// PHYRECS/TRK.
    pub records_per_track: u32,
    /// Space as it was asked for.
    pub space: Space,
    /// Primary extent in tracks, whole control areas.
    pub primary_tracks: u64,
    /// Each further extent in tracks, whole control areas; 0 = none.
    pub secondary_tracks: u64,
    /// FREESPACE.
    pub free_space: FreeSpace,
    /// IMBED: the first track of each control area holds its sequence set record.
    pub imbed: bool,
}

impl Component {
    /// Space as it was allocated, whatever it was asked for in.
    pub fn allocated(&self) -> Space {
        Space {
            unit: Unit::Tracks,
            primary: self.primary_tracks,
            secondary: self.secondary_tracks,
        }
    }

    /// Bytes of a control area that RBAs count.
    pub fn ca_bytes(&self) -> u64 {
        u64::from(self.ci_per_ca) * u64::from(self.ci_size)
    }

    /// Bytes of the primary extent that RBAs count.
    pub fn primary_bytes(&self) -> u64 {
        self.primary_tracks / u64::from(self.tracks_per_ca.max(1)) * self.ca_bytes()
    }

    /// Bytes of each further extent that RBAs count; 0 = none.
    pub fn secondary_bytes(&self) -> u64 {
        self.secondary_tracks / u64::from(self.tracks_per_ca.max(1)) * self.ca_bytes()
    }

    /// What the component's file carries, so that a catalog can be rebuilt from files; `created` is in nanoseconds
    /// since 1970.
    pub fn file_attributes(
        &self,
        cluster: &Name,
        organization: Organization,
        stated: &Attributes,
        created: u64,
    ) -> FileAttributes {
        FileAttributes {
            cluster_name: cluster.to_string(),
            component_name: self.name.to_string(),
            organization,
            key_length: stated.keys.map_or(0, |k| k.length),
            key_offset: stated.keys.map_or(0, |k| k.offset),
            average_record: stated.record_size.average,
            maximum_record: stated.record_size.maximum,
            ci_size: self.ci_size,
            // A cylinder of the smallest CIs on any device has 960.
            ci_per_ca: u16::try_from(self.ci_per_ca).unwrap_or(u16::MAX),
            free_ci: self.free_space.ci,
            free_ca: self.free_space.ca,
            spanned: stated.spanned,
            compressed: stated.compressed,
            reuse: stated.reuse,
            speed: stated.speed,
            erase: stated.erase,
            write_check: stated.write_check,
            share_region: stated.share.region,
            share_system: stated.share.system,
            buffer_space: stated.buffer_space,
            ccsid: stated.ccsid,
            primary: self.primary_bytes(),
            secondary: self.secondary_bytes(),
            reclaim: stated.reclaim,
            volume: self.volumes.first().map(ToString::to_string).unwrap_or_default(),
            created,
            alternate: None,
        }
    }
}
