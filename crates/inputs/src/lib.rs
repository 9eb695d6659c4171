//! Bytes from anywhere. Each target is a function that takes any bytes as one of the things Cica reads. It must return:
//! no panic, no hang, no memory without bound; and what is accepted must be what it says it is (it is written again and
//! read again, and compared).
//!
//! ```text
//! samples    good inputs to begin with          mutate    what becomes of them
//! format     control intervals, index records, headers, log groups: checksums are mended first
//! compressed records with their dictionaries
//! file       DD texts, code pages, sequential files, portable copies, control cards
//! smf        files of SMF records, and segments of spanned ones
//! data_set   whole component files and catalogs, mended up to their roots, opened, examined, salvaged
//! hostile    files that lie about where things are, under a disk that notes what is touched
//! messages   between clients and an owner of shared data sets: read, and sent by somebody hostile to a whole owner
//! ```
//! The same functions run as tests over the samples (`tests/`), for as long as one likes (`cica-inputs`), and under a
//! fuzzer that looks at coverage (`fuzz/`).

#![forbid(unsafe_code)]

mod compressed;
mod data_set;
mod file;
mod format;
mod hostile;
mod messages;
pub mod mutate;
mod smf;

/// One thing that is read.
pub struct FuzzTarget {
    /// Its name, also of its directory of samples.
    pub name: &'static str,
    /// Reads any bytes.
    pub act: fn(&[u8]),
    /// Good inputs.
    pub samples: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: &[FuzzTarget] = &[
    FuzzTarget {
        name: "control-interval",
        act: format::control_interval,
        samples: format::control_intervals,
    },
    FuzzTarget {
        name: "index-record",
        act: format::index_record,
        samples: format::index_records,
    },
    FuzzTarget {
        name: "ca-header",
        act: format::ca_header,
        samples: format::ca_headers,
    },
    FuzzTarget {
        name: "table-block",
        act: format::table_block,
        samples: format::table_blocks,
    },
    FuzzTarget {
        name: "root",
        act: format::root,
        samples: format::roots,
    },
    FuzzTarget {
        name: "log",
        act: format::log,
        samples: format::logs,
    },
    FuzzTarget {
        name: "alternate-index-record",
        act: format::alternate,
        samples: format::alternates,
    },
    FuzzTarget {
        name: "compressed-record",
        act: compressed::record,
        samples: compressed::records,
    },
    FuzzTarget {
        name: "dd-text",
        act: file::dd_text,
        samples: file::dd_texts,
    },
    FuzzTarget {
        name: "code-page",
        act: file::code_page,
        samples: file::code_pages,
    },
    FuzzTarget {
        name: "sequential-file",
        act: file::sequential,
        samples: file::sequentials,
    },
    FuzzTarget {
        name: "portable-copy",
        act: file::portable,
        samples: file::portables,
    },
    FuzzTarget {
        name: "smf-records",
        act: smf::records,
        samples: smf::samples,
    },
    FuzzTarget {
        name: "control-cards",
        act: file::cards,
        samples: file::card_texts,
    },
    FuzzTarget {
        name: "catalog",
        act: data_set::catalog,
        samples: data_set::catalogs,
    },
    FuzzTarget {
        name: "data-set",
        act: data_set::data_set,
        samples: data_set::changes,
    },
    FuzzTarget {
        name: "hostile-files",
        act: hostile::files,
        samples: hostile::seeds,
    },
    FuzzTarget {
        name: "hostile-messages",
        act: messages::messages,
        samples: messages::samples,
    },
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static FuzzTarget> {
    TARGETS.iter().find(|target| target.name == name)
}
