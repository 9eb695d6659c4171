//! Fields of a data or index component.

use super::{number, text, word};
use crate::listcat::field::{Field, Shown};
use crate::listcat::group::Group;
use crate::listcat::{ComponentFields, IndexFields};
use cica_format::root::RecordSizes;

type Part = ComponentFields;

/// ATTRIBUTES of a component.
pub static ATTRIBUTES: Group<Part> = Group {
    title: "ATTRIBUTES",
    of: "",
    key: "attributes",
    rows: &[
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
    ],
};

/// The last of them, behind those that are words.
pub static CCSID: Group<Part> = Group {
    title: "ATTRIBUTES",
    of: "",
    key: "attributes",
    rows: &[&[Field::new(
        "CCSID",
        |c: &Part| match c.ccsid {
            // Only where characters are not what they are anyway.
            0 | 819 => Shown::Quiet(u64::from(c.ccsid)),
            other => number(other),
        },
        "code page of the characters in records; not listed when it is 819, ASCII",
    )]],
};

/// STATISTICS of a component.
pub static STATISTICS: Group<Part> = Group {
    title: "STATISTICS",
    of: "",
    key: "statistics",
    rows: &[
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
                "records inserted before the last; of an RRDS into any slot, of an ESDS none",
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
            .always_shown(),
            Field::new(
                "RECLAIMS-CA",
                |c: &Part| number(c.statistics.ca_reclaims),
                "control areas given back when their last record went",
            )
            .always_shown(),
            Field::new(
                "REUSES-CA",
                |c: &Part| number(c.statistics.ca_reuses),
                "control areas taken again from those",
            )
            .always_shown(),
        ],
        &[
            Field::new(
                "USER-DATA-SIZE",
                |c: &Part| size(c, |sizes| sizes.user),
                "of a compressed data set: bytes of all records as programs have them; null: not known",
            )
            .wide(53),
            Field::new(
                "COMP-USER-DATA-SIZE",
                |c: &Part| size(c, |sizes| sizes.stored),
                "the same: bytes of all records as they are stored",
            )
            .wide(53),
        ],
        &[
            Field::new(
                "SIZES-VALID",
                |c: &Part| {
                    if c.compressed {
                        Shown::Is(c.sizes.is_some())
                    } else {
                        Shown::Absent
                    }
                },
                "the same: are they known? Not of one that a version of Cica wrote that did not count them",
            ),
            Field::new(
                "RECORDS-PLAIN",
                |c: &Part| size(c, |sizes| sizes.plain),
                "the same: records that are stored plain",
            )
            .always_shown(),
        ],
    ],
};

/// What is counted of the records of a compressed data set.
fn size(c: &Part, which: fn(&RecordSizes) -> u64) -> Shown {
    match (&c.sizes, c.compressed) {
        (Some(sizes), true) => number(which(sizes)),
        (None, true) => Shown::Null,
        (_, false) => Shown::Absent,
    }
}

/// STATISTICS of an index component, beside the others.
pub static INDEX: Group<IndexFields> = Group {
    title: "STATISTICS",
    of: " of an index component",
    key: "statistics",
    rows: &[&[
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
    ]],
};

/// ALLOCATION.
pub static ALLOCATION: Group<Part> = Group {
    title: "ALLOCATION",
    of: "",
    key: "allocation",
    rows: &[
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
    ],
};
