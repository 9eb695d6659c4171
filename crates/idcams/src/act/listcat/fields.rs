//! The one table of LISTCAT's fields, section by section, in the rows of the listing.

use super::field::{reference, Field, Row, Shown};
use super::model::*;
use super::VolumeEntry;
use cica_catalog::entry::Log;

fn text(value: &Option<String>) -> Shown {
    value.clone().map_or(Shown::Null, Shown::Text)
}

fn word(word: impl ToString) -> Shown {
    Shown::Text(word.to_string())
}

fn number(n: impl Into<u64>) -> Shown {
    Shown::Number(n.into())
}

type History = HistoryFields;
/// HISTORY: owner and dates.
pub static HISTORY: &[Row<History>] = &[
    &[
        Field::new("DATASET-OWNER", |h: &History| text(&h.owner), "OWNER"),
        Field::new(
            "CREATION",
            |h: &History| word(h.created),
            "the day it was defined, year and day of the year",
        ),
    ],
    &[
        Field::new("RELEASE", |_| number(2u8), "form of the entry; always 2").listed(),
        Field::new(
            "EXPIRATION",
            |h: &History| h.expires.map_or(Shown::Null, word),
            "the day from which it may be deleted without PURGE; 0000.000 and null: any",
        )
        .told(),
        Field::new(
            "EXPIRATION",
            |h: &History| match (h.last_alter, h.expires) {
                (Some(_), _) => Shown::Absent,
                (None, Some(day)) => word(day),
                (None, None) => word("0000.000"),
            },
            "the same",
        )
        .listed(),
        Field::new(
            "LAST ALTER",
            |h: &History| h.last_alter.map_or(Shown::Absent, word),
            "of a generation data group: the day its newest generation came, or its own",
        ),
    ],
    &[Field::new(
        "EXPIRATION",
        |h: &History| h.last_alter.and(h.expires).map_or(Shown::Absent, word),
        "of a group that has one",
    )
    .listed()],
];

type Cluster = ClusterFields;
/// SMSDATA: classes, and the backup there is not.
pub static CLASSES: &[Row<Cluster>] = &[
    &[
        Field::new("STORAGECLASS ", |c: &Cluster| text(&c.storage_class), "STORAGECLASS"),
        Field::new(
            "MANAGEMENTCLASS",
            |c: &Cluster| text(&c.management_class),
            "MANAGEMENTCLASS",
        ),
    ],
    &[
        Field::new("DATACLASS ", |c: &Cluster| text(&c.data_class), "DATACLASS"),
        Field::new(
            "LBACKUP ",
            |_| word("0000.000.0000"),
            "last backup by the system; there is none",
        )
        .listed(),
    ],
];
/// SMSDATA: the rest.
pub static SMSDATA: &[Row<Cluster>] = &[
    &[Field::new(
        "CA-RECLAIM",
        |c: &Cluster| Shown::Is(c.ca_reclaim),
        "are emptied control areas given back?",
    )],
    &[Field::new("EATTR", |c: &Cluster| text(&c.eattr), "EATTR")],
    &[
        Field::new("BWO STATUS", |_| word("00000000"), "backup while open; there is none").listed(),
        Field::new("BWO TIMESTAMP", |_| word("00000 00:00:00.0"), "the same")
            .wide(32)
            .listed(),
    ],
    &[Field::new("BWO", |c: &Cluster| text(&c.bwo), "BWO")],
];
/// What ALL shows of an alternate index within its history.
pub static MANAGED: &[Row<Cluster>] = &[
    &[Field::new(
        "SMS MANAGED",
        |c: &Cluster| Shown::Is(c.storage_class.is_some()),
        "has it a storage class?",
    )
    .listed()],
    &[Field::new("CA-RECLAIM", |c: &Cluster| Shown::Is(c.ca_reclaim), "as of a cluster").listed()],
];
/// RLSDATA: sharing and logs. The columns of these two rows begin where those of others do, with longer fields and
/// shorter gaps.
pub static RLSDATA: &[Row<Cluster>] = &[
    &[
        Field::new(
            "LOG ",
            |c: &Cluster| match c.log {
                None => Shown::Null,
                Some(Log::None) => word("NONE"),
                Some(Log::Undo) => word("UNDO"),
                Some(Log::All) => word("ALL"),
            },
            "LOG",
        )
        .wide(26),
        Field::new(
            "RECOVERY REQUIRED ",
            |_| Shown::Is(false),
            "forward recovery; there is none",
        )
        .listed(),
        Field::new("FRLOG ", |c: &Cluster| text(&c.forward_log), "FRLOG"),
    ],
    &[
        Field::new("VSAM QUIESCED ", |c: &Cluster| Shown::Is(c.quiesced), "RLSQUIESCE").wide(25),
        Field::new(
            "RLS IN USE ",
            |_| Shown::Is(false),
            "record-level sharing; there is none",
        )
        .listed(),
        Field::new("LOGREPLICATE", |c: &Cluster| Shown::Is(c.log_replicate), "LOGREPLICATE").wide(29),
    ],
];
/// RLSDATA: the log stream, which stands apart.
pub static LOGSTREAM: &[Row<Cluster>] =
    &[&[Field::new("LOGSTREAMID", |c: &Cluster| text(&c.log_stream), "LOGSTREAMID").wide(46)]];
/// RLSDATA: forward recovery.
pub static RECOVERY: &[Row<Cluster>] = &[
    &[Field::new(
        "RECOVERY TIMESTAMP LOCAL",
        |_| word("X'0000000000000000'"),
        "of forward recovery; there is none",
    )
    .wide(48)
    .listed()],
    &[
        Field::new("RECOVERY TIMESTAMP GMT", |_| word("X'0000000000000000'"), "the same")
            .wide(48)
            .listed(),
    ],
    &[
        Field::new("DATABASE ", |_| Shown::Null, "document stores; there are none")
            .wide(32)
            .listed(),
    ],
];
/// ENCRYPTIONDATA.
pub static ENCRYPTION: &[Row<()>] = &[&[Field::new(
    "DATA SET ENCRYPTION",
    |()| Shown::Is(false),
    "data sets are not encrypted",
)
.wide(28)
.listed()]];
/// What stands behind the history of a data component.
pub static ACCOUNT: &[Row<Cluster>] =
    &[&[Field::new("ACCOUNT-INFO", |c: &Cluster| text(&c.account), "ACCOUNT").wide(53)]];

type Part = ComponentFields;
/// ATTRIBUTES of a component.
pub static ATTRIBUTES: &[Row<Part>] = &[
    &[
        Field::new("KEYLEN", |c: &Part| number(c.key_length), "length of the key"),
        Field::new(
            "AVGLRECL",
            |c: &Part| number(c.average_record),
            "average length of a record",
        ),
        Field::new(
            "BUFSPACE",
            |c: &Part| number(c.buffer_space),
            "bytes of buffers an open gets at least",
        ),
        Field::new("CISIZE", |c: &Part| number(c.ci_size), "bytes of a control interval"),
    ],
    &[
        Field::new("RKP", |c: &Part| number(c.key_offset), "offset of the key in a record"),
        Field::new(
            "MAXLRECL",
            |c: &Part| number(c.maximum_record),
            "greatest length of a record",
        ),
        Field::new("EXCPEXIT", |c: &Part| text(&c.exception_exit), "EXCEPTIONEXIT"),
        Field::new(
            "CI/CA",
            |c: &Part| number(c.ci_per_ca),
            "control intervals of a control area",
        ),
    ],
    &[Field::new(
        "AXRKP",
        |c: &Part| c.alternate_key_offset.map_or(Shown::Absent, number),
        "of an alternate index: offset of the alternate key in a record of the base",
    )],
];
/// The last of them, behind those that are words.
pub static CCSID: &[Row<Part>] = &[&[Field::new(
    "CCSID",
    |c: &Part| match c.ccsid {
        // Only where characters are not what they are anyway.
        0 | 819 => Shown::Quiet(u64::from(c.ccsid)),
        other => number(other),
    },
    "code page of the characters in records; not listed when it is 819, ASCII",
)]];

/// STATISTICS of a component.
pub static STATISTICS: &[Row<Part>] = &[
    &[
        Field::new(
            "REC-TOTAL",
            |c: &Part| number(c.statistics.records),
            "records there are",
        ),
        Field::new(
            "SPLITS-CI",
            |c: &Part| number(c.statistics.ci_splits),
            "splits of control intervals",
        ),
        Field::new("EXCPS", |c: &Part| number(c.statistics.excps), "reads and writes"),
    ],
    &[
        Field::new("REC-DELETED", |c: &Part| number(c.statistics.deleted), "records erased"),
        Field::new(
            "SPLITS-CA",
            |c: &Part| number(c.statistics.ca_splits),
            "splits of control areas",
        ),
        Field::new("EXTENTS", |c: &Part| number(c.extents), "extents on all volumes"),
    ],
    &[
        Field::new(
            "REC-INSERTED",
            |c: &Part| number(c.statistics.inserted),
            "records inserted before the last",
        ),
        Field::new(
            "FREESPACE-%CI",
            |c: &Part| number(c.free_percent.0),
            "of a control interval left free by a load",
        ),
    ],
    &[
        Field::new(
            "REC-UPDATED",
            |c: &Part| number(c.statistics.updated),
            "records changed",
        ),
        Field::new(
            "FREESPACE-%CA",
            |c: &Part| number(c.free_percent.1),
            "of a control area left free by a load",
        ),
    ],
    &[
        Field::new(
            "REC-RETRIEVED",
            |c: &Part| number(c.statistics.retrieved),
            "records read",
        ),
        Field::new(
            "FREESPC",
            |c: &Part| number(c.statistics.free_space),
            "bytes of control intervals that nothing lies in",
        ),
    ],
    &[
        Field::new(
            "SYSTEM-TIMESTAMP",
            |c: &Part| number(c.statistics.last_change),
            "close after the last change; in JSON nanoseconds since 1970, in the listing the clock of S/370",
        )
        .told(),
        Field::new(
            "RECLAIMS-CA",
            |c: &Part| number(c.statistics.ca_reclaims),
            "control areas given back when their last record went",
        )
        .told(),
        Field::new(
            "REUSES-CA",
            |c: &Part| number(c.statistics.ca_reuses),
            "control areas taken again from those",
        )
        .told(),
    ],
];
/// STATISTICS of an index component, beside the others.
pub static INDEX: &[Row<IndexFields>] = &[&[
    Field::new("LEVELS", |i: &IndexFields| number(i.levels), "levels of the index"),
    Field::new(
        "ENTRIES/SECT",
        |i: &IndexFields| number(i.entries_per_section),
        "entries of a section of an index record",
    ),
    Field::new(
        "SEQ-SET-RBA",
        |i: &IndexFields| number(i.sequence_set),
        "where the sequence set begins",
    )
    .wide(28),
    Field::new(
        "HI-LEVEL-RBA",
        |i: &IndexFields| number(i.high_level),
        "where the highest record lies",
    )
    .wide(28),
]];

/// ALLOCATION.
pub static ALLOCATION: &[Row<Part>] = &[
    &[
        Field::new("SPACE-TYPE", |c: &Part| word(c.space_type), "unit of the next two"),
        Field::new("HI-A-RBA", |c: &Part| number(c.high_allocated), "bytes of all extents"),
    ],
    &[
        Field::new("SPACE-PRI", |c: &Part| number(c.space.0), "first extent"),
        Field::new("HI-U-RBA", |c: &Part| number(c.high_used), "bytes in use"),
    ],
    &[Field::new(
        "SPACE-SEC",
        |c: &Part| number(c.space.1),
        "each further extent",
    )],
];

/// A volume with HI-U-RBA of the component that lies on it.
pub type OnVolume = (VolumeFields, u64);

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

/// VOLUME: what lies on one.
pub static VOLUME: &[Row<OnVolume>] = &[
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
];

/// What VOLUME shows of each volume instead.
pub static VOLUMES: &[Row<VolumeFields>] = &[&[
    Field::new("VOLSER", |v: &VolumeFields| word(&v.serial), "serial of the volume").listed(),
    Field::new(
        "DEVTYPE",
        |v: &VolumeFields| Shown::Code(v.device),
        "code of the device type",
    )
    .listed(),
]];

/// An extent with the tracks of a cylinder.
pub type OnTracks = (ExtentFields, u32);
/// EXTENTS of a volume.
pub static EXTENT: &[Row<OnTracks>] = &[
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
];

type File = FileFields;
/// STATUS of a generation that is not VSAM's.
pub static STATUS: &[Row<File>] = &[&[Field::new(
    "STATUS",
    |f: &File| match f.generation {
        true => word("ACTIVE"),
        false => Shown::Absent,
    },
    "ACTIVE: a generation that its group has",
)]];

/// VOLSER, DEVTYPE and FSEQN.
pub type FileVolume = (String, String, String);
/// VOLUMES of a data set that is not VSAM's.
pub static FILE_VOLUMES: &[Row<FileVolume>] = &[&[
    Field::new(
        "VOLSER",
        |(serial, ..): &FileVolume| word(serial),
        "serial of the volume",
    ),
    Field::new("DEVTYPE", |(_, device, _): &FileVolume| word(device), "its device type"),
    Field::new(
        "FSEQN",
        |(.., number): &FileVolume| word(number),
        "number of the file on a tape",
    ),
]];
/// Where its records are.
pub static FILE: &[Row<File>] = &[
    &[Field::new(
        "FILE",
        |f: &File| f.file.as_ref().map_or(Shown::Absent, word),
        "file name or path, where it is not the data set's name",
    )],
    &[Field::new(
        "FORMAT",
        |f: &File| f.format.as_ref().map_or(Shown::Absent, word),
        "RECFM and the like; none: lines of text",
    )],
];

/// Of a volume, which SPACE lists.
pub static SPACE: &[Row<VolumeEntry>] = &[&[
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
]];

/// A track's address: 16 bits of the cylinder, then 12 bits for cylinders beyond and 4 of the head, or the head alone.
pub fn cchh(track: u64, tracks_per_cylinder: u32) -> String {
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

/// The page docs/src/reference/listcat.md.
pub fn reference_listcat_markdown() -> String {
    let sections = [
        ("history", "HISTORY", reference(HISTORY)),
        ("smsdata", "SMSDATA", reference(CLASSES) + &reference(SMSDATA)),
        ("", "HISTORY of an alternate index", reference(MANAGED)),
        (
            "rlsdata",
            "RLSDATA",
            reference(RLSDATA) + &reference(LOGSTREAM) + &reference(RECOVERY),
        ),
        ("", "ENCRYPTIONDATA", reference(ENCRYPTION)),
        ("", "behind the history of a data component", reference(ACCOUNT)),
        ("attributes", "ATTRIBUTES", reference(ATTRIBUTES) + &reference(CCSID)),
        ("statistics", "STATISTICS", reference(STATISTICS)),
        ("statistics", "STATISTICS of an index component", reference(INDEX)),
        ("allocation", "ALLOCATION", reference(ALLOCATION)),
        ("volume", "VOLUME", reference(VOLUME)),
        ("volume.extents", "EXTENTS", reference(EXTENT)),
        ("", "VOLUMES, with VOLUME instead of ALL", reference(VOLUMES)),
        (
            "",
            "of a data set that is not VSAM's",
            reference(STATUS) + &reference(FILE),
        ),
        (
            "volumes",
            "VOLUMES of a data set that is not VSAM's",
            reference(FILE_VOLUMES),
        ),
        ("", "CHARACTERISTICS of a volume, with SPACE", reference(SPACE)),
    ];
    let mut page = String::from(
        "# Fields of LISTCAT\n\n\
         <!-- Made from crates/idcams/src/act/listcat/fields.rs by its tests with CICA_BLESS=1. -->\n\n\
         What `LISTCAT ... ALL` prints of data sets and their components, and `cica show --json` tells.\n\
         A field without a label is in JSON alone, one without a key in the listing alone.\n",
    );
    for (key, title, rows) in sections {
        let place = match key {
            "" => String::new(),
            key => format!(" (`{key}`)"),
        };
        page += &format!("\n## {title}{place}\n\n| label | key | |\n|---|---|---|\n{rows}");
    }
    page
}

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
