//! Fields of volumes, and of what lies on them.

use super::{number, word};
use crate::listcat::field::{Field, Shown};
use crate::listcat::group::Group;
use crate::listcat::{ExtentFields, VolumeEntry, VolumeFields};

/// A volume with HI-U-RBA of the component that lies on it.
pub type OnVolume = (VolumeFields, u64);

/// An extent with the tracks of a cylinder.
pub type OnTracks = (ExtentFields, u32);

/// VOLUME: what lies on one.
pub static VOLUME: Group<OnVolume> = Group {
    title: "VOLUME",
    of: "",
    key: "volume",
    rows: &[
        &[
            Field::new("VOLSER", |(v, _): &OnVolume| word(&v.serial), "serial of the volume"),
            Field::new(
                "PHYREC-SIZE",
                |(v, _): &OnVolume| number(v.physical_record),
                "bytes of a physical record",
            ),
            Field::new(
                "HI-A-RBA",
                |(v, used): &OnVolume| number(v.reach(*used).1),
                "where what lies on this volume ends",
            ),
            Field::new(
                "EXTENT-NUMBER",
                |(v, _): &OnVolume| number(v.extents.len() as u64),
                "extents on this volume",
            ),
        ],
        &[
            Field::new(
                "DEVTYPE",
                |(v, _): &OnVolume| Shown::Code(v.device),
                "code of the device type",
            ),
            Field::new(
                "PHYRECS/TRK",
                |(v, _): &OnVolume| number(v.records_per_track),
                "physical records of a track",
            ),
            Field::new(
                "HI-U-RBA",
                |(v, used): &OnVolume| number(v.reach(*used).2),
                "where what is in use on this volume ends",
            ),
            Field::new("EXTENT-TYPE", |_| word("X'00'"), "always X'00': contiguous").listed(),
        ],
        &[
            Field::new(
                "VOLFLAG",
                |(v, used): &OnVolume| match (v.extents.is_empty(), v.reach(*used).0) {
                    (true, _) => word("CANDIDATE"),
                    (false, 0) => word("PRIME"),
                    (false, _) => word("OVERFLOW"),
                },
                "PRIME has the beginning, OVERFLOW what comes after, CANDIDATE nothing yet",
            ),
            Field::new(
                "TRACKS/CA",
                |(v, _): &OnVolume| number(v.tracks_per_ca),
                "tracks of a control area",
            ),
        ],
    ],
};

impl VolumeFields {
    /// Where what lies on it begins, ends, and ends in use.
    fn reach(&self, high_used: u64) -> (u64, u64, u64) {
        match (self.extents.first(), self.extents.last()) {
            (Some(first), Some(last)) if high_used > first.low_rba => {
                let end = last.high_rba + 1;
                (first.low_rba, end, high_used.min(end))
            }
            (Some(first), Some(last)) => (first.low_rba, last.high_rba + 1, 0),
            _ => (0, 0, 0),
        }
    }
}

/// What VOLUME shows of each volume instead.
pub static VOLUMES: Group<VolumeFields> = Group {
    title: "VOLUMES",
    of: ", with VOLUME instead of ALL",
    key: "",
    rows: &[&[
        Field::new("VOLSER", |v: &VolumeFields| word(&v.serial), "serial of the volume").listed(),
        Field::new(
            "DEVTYPE",
            |v: &VolumeFields| Shown::Code(v.device),
            "code of the device type",
        )
        .listed(),
    ]],
};

/// EXTENTS of a volume.
pub static EXTENT: Group<OnTracks> = Group {
    title: "EXTENTS",
    of: " of a volume",
    key: "extents",
    rows: &[
        &[
            Field::new(
                "LOW-CCHH",
                |(e, cylinder): &OnTracks| word(cchh(e.first_track, *cylinder)),
                "first track, counted on the volume from what this component has there",
            )
            .listed(),
            Field::new("LOW-RBA", |(e, _): &OnTracks| number(e.low_rba), "its first byte"),
            Field::new("TRACKS", |(e, _): &OnTracks| number(e.tracks), "how many tracks"),
        ],
        &[
            Field::new(
                "HIGH-CCHH",
                |(e, cylinder): &OnTracks| word(cchh(e.first_track + e.tracks.saturating_sub(1), *cylinder)),
                "last track",
            )
            .listed(),
            Field::new("HIGH-RBA", |(e, _): &OnTracks| number(e.high_rba), "its last byte"),
        ],
    ],
};

/// A track's address: 16 bits of the cylinder, then 12 bits for cylinders beyond and 4 of the head, or the head alone.
fn cchh(track: u64, tracks_per_cylinder: u32) -> String {
    let (cylinder, head) = (
        track / u64::from(tracks_per_cylinder.max(1)),
        track % u64::from(tracks_per_cylinder.max(1)),
    );
    format!(
        "X'{:04X}{:04X}'",
        cylinder & 0xFFFF,
        (cylinder >> 16 & 0xFFF) << 4 | head
    )
}

/// Of a volume, which SPACE lists.
pub static SPACE: Group<VolumeEntry> = Group {
    title: "CHARACTERISTICS",
    of: " of a volume, with SPACE",
    key: "",
    rows: &[&[
        Field::new(
            "DEVTYPE",
            |v: &VolumeEntry| Shown::Code(v.device.code()),
            "code of the device type",
        )
        .listed(),
        Field::new("CYLS/VOL", |v: &VolumeEntry| number(v.cylinders), "its cylinders").listed(),
        Field::new(
            "TRKS/CYL",
            |v: &VolumeEntry| number(v.device.tracks_per_cylinder()),
            "tracks of a cylinder",
        )
        .listed(),
        Field::new(
            "DATASETS-ON-VOL",
            |v: &VolumeEntry| number(v.data_sets as u64),
            "components that begin on it",
        )
        .listed(),
    ]],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn track_addresses_go_beyond_65535_cylinders() {
        assert_eq!(cchh(14, 15), "X'0000000E'");
        assert_eq!(cchh(0x01D2 * 15 + 14, 15), "X'01D2000E'");
        assert_eq!(cchh(65_536 * 15 + 3, 15), "X'00000013'");
    }
}
