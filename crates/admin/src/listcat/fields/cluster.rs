//! Fields of a cluster or alternate index, and of entries in general.

use super::{number, text, word};
use crate::listcat::field::{Field, Shown};
use crate::listcat::group::Group;
use crate::listcat::{ClusterFields, HistoryFields};
use cica_catalog::entry::Log;

type History = HistoryFields;
type Cluster = ClusterFields;

/// HISTORY: owner and dates.
pub static HISTORY: Group<History> = Group {
    title: "HISTORY",
    of: "",
    key: "history",
    rows: &[
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
            .always_shown(),
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
    ],
};

/// SMSDATA: classes, and the backup there is not.
pub static CLASSES: Group<Cluster> = Group {
    title: "SMSDATA",
    of: "",
    key: "smsdata",
    rows: &[
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
    ],
};

/// SMSDATA: the rest.
pub static SMSDATA: Group<Cluster> = Group {
    title: "SMSDATA",
    of: "",
    key: "smsdata",
    rows: &[
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
    ],
};

/// What ALL shows of an alternate index within its history.
pub static MANAGED: Group<Cluster> = Group {
    title: "HISTORY",
    of: " of an alternate index",
    key: "",
    rows: &[
        &[Field::new(
            "SMS MANAGED",
            |c: &Cluster| Shown::Is(c.storage_class.is_some()),
            "has it a storage class?",
        )
        .listed()],
        &[Field::new("CA-RECLAIM", |c: &Cluster| Shown::Is(c.ca_reclaim), "as of a cluster").listed()],
    ],
};

/// RLSDATA: sharing and logs. The columns of these two rows begin where those of others do, with longer fields and
/// shorter gaps.
pub static RLSDATA: Group<Cluster> = Group {
    title: "RLSDATA",
    of: "",
    key: "rlsdata",
    rows: &[
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
                "RLS ENABLED",
                |c: &Cluster| Shown::Is(c.enabled),
                "RLSENABLE: whoever opens it shares it",
            )
            .always_shown(),
            Field::new(
                "RLS IN USE ",
                |c: &Cluster| Shown::Is(c.in_use),
                "open at a server that shares it",
            )
            .listed(),
            Field::new("LOGREPLICATE", |c: &Cluster| Shown::Is(c.log_replicate), "LOGREPLICATE").wide(29),
        ],
    ],
};

/// RLSDATA: the log stream, which stands apart.
pub static LOGSTREAM: Group<Cluster> = Group {
    title: "RLSDATA",
    of: "",
    key: "rlsdata",
    rows: &[&[Field::new("LOGSTREAMID", |c: &Cluster| text(&c.log_stream), "LOGSTREAMID").wide(46)]],
};

/// RLSDATA: forward recovery.
pub static RECOVERY: Group<Cluster> = Group {
    title: "RLSDATA",
    of: "",
    key: "rlsdata",
    rows: &[
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
    ],
};

/// ENCRYPTIONDATA.
pub static ENCRYPTION: Group<()> = Group {
    title: "ENCRYPTIONDATA",
    of: "",
    key: "",
    rows: &[&[Field::new(
        "DATA SET ENCRYPTION",
        |()| Shown::Is(false),
        "data sets are not encrypted",
    )
    .wide(28)
    .listed()]],
};

/// What stands behind the history of a data component.
pub static ACCOUNT: Group<Cluster> = Group {
    title: "HISTORY",
    of: " of a data component",
    key: "",
    rows: &[&[Field::new("ACCOUNT-INFO", |c: &Cluster| text(&c.account), "ACCOUNT").wide(53)]],
};
