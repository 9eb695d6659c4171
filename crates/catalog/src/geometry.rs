//! Device types: what a track takes, how many tracks a cylinder has, and the code LISTCAT prints.
//!
//! Files have no tracks, but space parameters, control areas, EXCP counts and capacity planning are said in them.
//! Each device's rule comes from its own reference manual: the older ones give a fixed gap per record, the newer ones
//! count cells.

use std::fmt;

/// How many records of one length a track takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Track {
    /// `capacity / (gap + length)`: 3330, 3340, 3350.
    Gap { capacity: u32, gap: u32 },
    /// `cells / ceil((length + overhead) / 32)`: 3375, 3380.
    Cells32 { cells: u32, overhead: u32 },
    /// `cells / (count + ceil((length + 6 * ceil((length + 6) / 232) + 6) / 34))`: 9345, 3390. Every 232 bytes take
    /// six bytes of their own.
    Cells34 { cells: u32, count: u32 },
    /// Blocks of 512 bytes: FBA.
    Blocks { blocks: u32 },
}

/// A device type. Compare and store by [`Device::name`]; all there are stand in [`DEVICES`].
#[derive(PartialEq, Eq)]
pub struct Device {
    name: &'static str,
    aliases: &'static [&'static str],
    code: u32,
    track: Track,
    tracks_per_cylinder: u32,
    cylinders: u32,
    whole_units: bool,
}

const fn device(
    name: &'static str,
    aliases: &'static [&'static str],
    code: u32,
    track: Track,
    tracks_per_cylinder: u32,
    cylinders: u32,
) -> Device {
    Device {
        name,
        aliases,
        code,
        track,
        tracks_per_cylinder,
        cylinders,
        whole_units: false,
    }
}

const T3330: Track = Track::Gap {
    capacity: 13_165,
    gap: 135,
};
const T3340: Track = Track::Gap {
    capacity: 8_535,
    gap: 167,
};
const T3350: Track = Track::Gap {
    capacity: 19_254,
    gap: 185,
};
const T3375: Track = Track::Cells32 {
    cells: 1_125,
    overhead: 384,
};
const T3380: Track = Track::Cells32 {
    cells: 1_499,
    overhead: 492,
};
const T9345: Track = Track::Cells34 {
    cells: 1_420,
    count: 18,
};
const T3390: Track = Track::Cells34 {
    cells: 1_729,
    count: 19,
};

/// Every device type, the default first.
pub static DEVICES: [Device; 17] = [
    // The default is the extended address volume: as large as they come.
    Device {
        whole_units: true,
        ..device("3390", &["3390-A"], 0x3010_200F, T3390, 15, 1_182_006)
    },
    Device {
        whole_units: true,
        ..device("3390-1", &[], 0x3010_200F, T3390, 15, 1_113)
    },
    Device {
        whole_units: true,
        ..device("3390-2", &[], 0x3010_200F, T3390, 15, 2_226)
    },
    Device {
        whole_units: true,
        ..device("3390-3", &[], 0x3010_200F, T3390, 15, 3_339)
    },
    Device {
        whole_units: true,
        ..device("3390-9", &[], 0x3010_200F, T3390, 15, 10_017)
    },
    Device {
        whole_units: true,
        ..device("3390-27", &[], 0x3010_200F, T3390, 15, 32_760)
    },
    Device {
        whole_units: true,
        ..device("3390-54", &[], 0x3010_200F, T3390, 15, 65_520)
    },
    device("3330-1", &["3330"], 0x3050_2009, T3330, 19, 404),
    device("3330-11", &["3330-2"], 0x3050_200D, T3330, 19, 808),
    device("3340", &["3340-70"], 0x3050_200A, T3340, 12, 696),
    device("3350", &[], 0x3050_200B, T3350, 30, 555),
    device("3375", &[], 0x3010_200C, T3375, 12, 959),
    device("3380", &["3380-D", "3380-J"], 0x3010_200E, T3380, 15, 885),
    device("3380-E", &[], 0x3010_200E, T3380, 15, 1_770),
    device("3380-K", &[], 0x3010_200E, T3380, 15, 2_655),
    device("9345", &["9345-1"], 0x3010_2004, T9345, 15, 1_440),
    // MVS has no FBA volumes and so no code; the class byte X'21' is that of VM and VSE. A "track" is the smallest
    // CA there, 64 blocks, and a "cylinder" the largest, 960.
    device(
        "FBA",
        &["9336"],
        0x3000_2100,
        Track::Blocks { blocks: 64 },
        15,
        1_182_006,
    ),
];

impl Device {
    /// What a volume is unless said otherwise: 3390.
    pub fn default_type() -> &'static Device {
        &DEVICES[0]
    }

    /// The type of this name (`3390`, `3380-K`, `3330-1`, ...; case does not matter).
    pub fn by_name(name: &str) -> Option<&'static Device> {
        DEVICES
            .iter()
            .find(|d| d.name.eq_ignore_ascii_case(name) || d.aliases.iter().any(|a| a.eq_ignore_ascii_case(name)))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The four bytes LISTCAT prints as DEVTYPE, `X'3010200F'` for a 3390.
    pub fn code(&self) -> u32 {
        self.code
    }

    /// Tracks in a cylinder.
    pub fn tracks_per_cylinder(&self) -> u32 {
        self.tracks_per_cylinder
    }

    /// Cylinders of the largest volume of this type.
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// Whether control areas must divide an allocation unit of 21 cylinders, so that only 1, 3, 5, 7, 9 and 15
    /// tracks are possible: the rule of z/OS for the 3390.
    pub fn whole_units(&self) -> bool {
        self.whole_units
    }

    /// Physical records of `length` bytes that a track takes; 0 when one does not fit.
    pub fn records_per_track(&self, length: u32) -> u32 {
        match self.track {
            Track::Gap { capacity, gap } => capacity / gap.saturating_add(length),
            Track::Cells32 { cells, overhead } => cells / length.saturating_add(overhead).div_ceil(32),
            Track::Cells34 { cells, count } => {
                let groups = length.saturating_add(6).div_ceil(232);
                let bytes = length.saturating_add(groups.saturating_mul(6)).saturating_add(6);
                cells / count.saturating_add(bytes.div_ceil(34))
            }
            Track::Blocks { blocks } => blocks / length.div_ceil(512).max(1),
        }
    }

    /// Whether a CI lies in physical records of 512, 1,024, 2,048 or 4,096 bytes alone, as VSAM had them on the devices
    /// of its first years.
    pub fn has_few_sizes(&self) -> bool {
        matches!(self.track, Track::Gap { .. })
    }

    /// The physical record size VSAM takes for CIs of `ci_size` bytes (a multiple of 512), and how many lie on a track:
    /// of all sizes in multiples of 512 that divide the CI, or of the few, the one that puts most bytes on a track, and
    /// of equals the largest, which needs the fewest transfers. `None` when not even 512 bytes divide it.
    pub fn physical_record(&self, ci_size: u32) -> Option<PhysicalRecord> {
        if ci_size == 0 || ci_size % 512 != 0 {
            return None;
        }
        (1..=ci_size / 512)
            .filter(|parts| (ci_size / 512) % parts == 0)
            .map(|parts| ci_size / parts)
            .filter(|size| !self.has_few_sizes() || [512, 1024, 2048, 4096].contains(size))
            .map(|size| PhysicalRecord {
                size,
                per_track: self.records_per_track(size),
                per_ci: ci_size / size,
            })
            // The sizes come in descending order, so the first of equals is the largest.
            .reduce(|best, next| {
                if next.track_bytes() > best.track_bytes() {
                    next
                } else {
                    best
                }
            })
    }
}

/// How CIs are cut into blocks on a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhysicalRecord {
    /// PHYREC-SIZE in bytes.
    pub size: u32,
    /// PHYRECS/TRK.
    pub per_track: u32,
    /// Physical records in one CI.
    pub per_ci: u32,
}

impl PhysicalRecord {
    /// Data bytes a track holds in such records.
    pub fn track_bytes(&self) -> u32 {
        self.size * self.per_track
    }

    /// Whole CIs in `tracks` tracks.
    pub fn cis_in(&self, tracks: u32) -> u32 {
        let cis = u64::from(tracks) * u64::from(self.per_track) / u64::from(self.per_ci.max(1));
        u32::try_from(cis).unwrap_or(u32::MAX)
    }

    /// Tracks that `cis` CIs need.
    pub fn tracks_for(&self, cis: u64) -> u64 {
        (cis.saturating_mul(u64::from(self.per_ci))).div_ceil(u64::from(self.per_track.max(1)))
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name).finish()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
