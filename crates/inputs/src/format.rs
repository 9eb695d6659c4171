//! Structures of `cica_format`.

use cica_format::aix::{self, AixRecord, Pointers};
use cica_format::attributes::{Attributes, Organization};
use cica_format::ca::{CaHeader, CiEntry, NO_SLOT};
use cica_format::checksum::crc32c;
use cica_format::ci::{self, Segment};
use cica_format::index::{BaseRba, IndexEntry, IndexRecord};
use cica_format::log;
use cica_format::root::{BuiltFrom, LogPosition, Part, Root, Stamp, Statistics, Tie};
use cica_format::slots;
use cica_format::table::{Ref, TableBlock};

/// Makes the checksum at `at` right, as far as `len` bytes are there.
pub fn mend(bytes: &mut [u8], at: usize, len: usize) {
    let Some(bytes) = bytes.get_mut(..len).filter(|bytes| bytes.len() >= at + 4) else {
        return;
    };
    bytes[at..at + 4].fill(0);
    let checksum = crc32c(bytes);
    bytes[at..at + 4].copy_from_slice(&checksum.to_le_bytes());
}

/// A CI: records or slots. What is read is rendered, and read again as the same.
pub fn control_interval(bytes: &[u8]) {
    let mut spans = Vec::new();
    let Ok(layout) = ci::parse(bytes, &mut spans) else {
        if bytes.len() > 64 {
            for length in [1, 7, 60, 400] {
                let _ = slots::check(bytes, length);
            }
        }
        return;
    };
    let total: usize = spans.iter().map(|span| usize::from(span.1)).sum();
    assert_eq!(total, layout.data_len);
    assert!(spans
        .iter()
        .all(|&(at, len)| usize::from(at) + usize::from(len) <= bytes.len()));
    let mut image = bytes.to_vec();
    let lens = spans.iter().map(|span| span.1);
    if ci::free_bytes(image.len(), layout.data_len, ci::rdf_count(lens.clone())).is_some() {
        ci::render(&mut image, lens, layout.segment, layout.update_number);
        let mut again = Vec::new();
        let read = ci::parse(&image, &mut again).map(|read| (read.segment, read.data_len));
        assert_eq!((read, &again), (Ok((layout.segment, layout.data_len)), &spans));
    }
}

pub fn control_intervals() -> Vec<Vec<u8>> {
    let rendered = |size: usize, lens: &[u16], segment| {
        let mut image = vec![0xC1; size];
        ci::render(&mut image, lens.iter().copied(), segment, 3);
        image
    };
    let mut slotted = vec![0; 512];
    slots::format(&mut slotted, 60);
    slots::set_full(&mut slotted, 2, true);
    vec![
        rendered(512, &[80, 80, 80, 30, 40, 40], Segment::Whole),
        rendered(512, &[], Segment::Whole),
        rendered(512, &[502], Segment::First),
        rendered(1024, &[1, 2, 3, 4, 5, 5, 5, 5, 900], Segment::Whole),
        vec![0; 512],
        slotted,
    ]
}

const BASE: BaseRba = BaseRba {
    ci_per_ca: 20,
    ci_size: 4096,
    index_ci_size: 512,
};

/// An index CI. What is read, and fits, is written and read again as the same.
pub fn index_record(bytes: &[u8]) {
    let Ok(record) = IndexRecord::decode(bytes, BASE) else {
        return;
    };
    let mut image = vec![0; bytes.len()];
    if record.encode(&mut image, BASE).is_ok() {
        let again = IndexRecord::decode(&image, BASE).map(|again| again.entries);
        assert_eq!(again, Ok(record.entries));
    }
}

pub fn index_records() -> Vec<Vec<u8>> {
    let entry = |key: &str, pointer| IndexEntry {
        separator: key.as_bytes().to_vec(),
        pointer,
    };
    let record = |level, entries: Vec<IndexEntry>| {
        let mut image = vec![0; 512];
        let record = IndexRecord {
            level,
            ca: 3,
            next: 5,
            entries,
            free: if level == 1 { vec![9, 8, 7] } else { Vec::new() },
        };
        record.encode(&mut image, BASE).ok().map(|()| image)
    };
    let keys = (0..12).map(|n| entry(&format!("KEY{n:05}"), n)).chain([entry("", 12)]);
    let few = vec![entry("A", 0), entry("BB", 1), entry("", 2)];
    [record(1, keys.collect()), record(2, few), record(1, vec![entry("", 0)])]
        .into_iter()
        .flatten()
        .collect()
}

pub fn ca_header(bytes: &[u8]) {
    for ci_per_ca in [6, 180] {
        let mut bytes = bytes.to_vec();
        bytes.resize(CaHeader::encoded_len(ci_per_ca), 0);
        let len = bytes.len();
        mend(&mut bytes, 4, len);
        if let Ok(header) = CaHeader::decode(&bytes, ci_per_ca) {
            let mut again = vec![0; len];
            header.encode(&mut again);
            assert_eq!(CaHeader::decode(&again, ci_per_ca), Ok(header));
        }
    }
}

pub fn ca_headers() -> Vec<Vec<u8>> {
    let entry = |slot| CiEntry {
        slot,
        left_out: 2,
        flags: 1,
        version: 3,
        checksum: 77,
    };
    let header = CaHeader {
        component: 9,
        ca: 2,
        version: 4,
        region: 1,
        annex: Some(7),
        flags: 0,
        in_sectors: true,
        next_free: u32::MAX,
        entries: vec![entry(0), entry(1), entry(NO_SLOT), entry(3), entry(9), entry(5)],
    };
    let mut bytes = vec![0; CaHeader::encoded_len(6)];
    header.encode(&mut bytes);
    bytes.truncate(200);
    vec![bytes]
}

pub fn table_block(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    bytes.resize(4096, 0);
    mend(&mut bytes, 4, 4096);
    if let Ok(table) = TableBlock::decode(&bytes) {
        let mut again = [0; 4096];
        table.encode(&mut again);
        assert_eq!(TableBlock::decode(&again), Ok(table));
    }
}

pub fn table_blocks() -> Vec<Vec<u8>> {
    let table = TableBlock {
        component: 9,
        block: 0,
        version: 3,
        refs: vec![
            Ref {
                version: 1,
                checksum: 2
            };
            5
        ],
    };
    let mut bytes = [0; 4096];
    table.encode(&mut bytes);
    vec![bytes[..160].to_vec()]
}

/// A root, whatever length it says.
pub fn root(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let len = Root::encoded_len_hint(&bytes).unwrap_or(8192);
    bytes.resize(len, 0);
    mend(&mut bytes, 20, len);
    if let Ok(root) = Root::decode(&bytes) {
        if let Ok(again) = root.encode() {
            assert_eq!(Root::decode(&again), Ok(root));
        }
    }
}

pub fn roots() -> Vec<Vec<u8>> {
    let root = Root {
        version: 6,
        part: Part::Data,
        component: 1,
        cluster: 2,
        attributes: attributes(),
        log: LogPosition {
            log: 4,
            path: "/log/1".into(),
            lsn: 9,
            early: false,
            origin: 3,
        },
        lineage: 2,
        stamp: Stamp { origin: 3, lsn: 8 },
        built_from: BuiltFrom { lineage: 8, origin: 9 },
        ties: vec![Tie {
            lineage: 7,
            stamp: Stamp { origin: 2, lsn: 6 },
        }],
        statistics: Statistics::default(),
        sizes: Some(cica_format::root::RecordSizes {
            user: 90,
            stored: 60,
            plain: 1,
        }),
        dictionaries: std::array::from_fn(|n| u32::from(n == 0)),
        last_dictionary: 1,
        ca_count: 3,
        free_ca: u32::MAX,
        region_count: 5,
        free_regions: vec![4],
        top: 0,
        levels: 1,
        index_root: Ref {
            version: 1,
            checksum: 5,
        },
        high_used: 9216,
        high_allocated: 9216,
        extents: 1,
        further_extents: vec![],
        tables: vec![Ref {
            version: 1,
            checksum: 5,
        }],
    };
    root.encode().into_iter().collect()
}

pub fn attributes() -> Attributes {
    Attributes {
        cluster_name: "A.B".into(),
        component_name: "A.B.DATA".into(),
        organization: Organization::Ksds,
        key_length: 8,
        key_offset: 0,
        average_record: 60,
        maximum_record: 400,
        ci_size: 512,
        ci_per_ca: 6,
        free_ci: 0,
        free_ca: 0,
        spanned: false,
        reuse: true,
        speed: false,
        erase: false,
        write_check: false,
        compressed: false,
        share_region: 1,
        share_system: 3,
        buffer_space: 0,
        ccsid: 0,
        primary: 6144,
        secondary: 6144,
        reclaim: true,
        volume: "V1".into(),
        created: 0,
        alternate: None,
    }
}

/// A group of log records, and the head of a log file.
pub fn log(bytes: &[u8]) {
    let _ = log::LogFileHeader::decode(bytes);
    for record in log::records(bytes).take(100_000) {
        if record.is_err() {
            break;
        }
    }
    for part in log::parts(bytes).take(100_000) {
        if part.is_err() {
            break;
        }
    }
    if let Ok((_, len)) = log::read_group(bytes) {
        assert!(len <= bytes.len());
    }
}

pub fn logs() -> Vec<Vec<u8>> {
    let mut group = Vec::new();
    log::begin_group(&mut group);
    let records = group.len();
    log::append_insert(&mut group, 1, b"00000001 a record");
    log::append_update(&mut group, 1, b"00000001 a longer record");
    log::append_erase(&mut group, 1, b"00000001");
    log::append_insert_at(&mut group, 2, &7u32.to_be_bytes(), b"slot");
    let only = group[records..].to_vec();
    log::finish_group(&mut group, 5, 1, 10, 4, log::GroupStamp::default());
    group.truncate(600);
    vec![group, only]
}

/// A record of an alternate index.
pub fn alternate(bytes: &[u8]) {
    if let Ok(directory) = aix::Directory::read(bytes, 5) {
        let again = directory.write(&bytes[aix::HEADER_LEN..aix::HEADER_LEN + 5]);
        assert_eq!(again, bytes);
    }
    let Ok(record) = AixRecord::read(bytes) else { return };
    let pointers: Vec<Vec<u8>> = record.pointers().map(<[u8]>::to_vec).collect();
    assert_eq!(pointers.len(), record.count());
    let mut changed = bytes.to_vec();
    if let Some(first) = pointers.first() {
        if let Ok(Some(_)) = aix::remove(&mut changed, first) {
            if let Ok(less) = AixRecord::read(&changed) {
                assert_eq!(less.count() + 1, pointers.len());
            }
        }
    }
}

pub fn alternates() -> Vec<Vec<u8>> {
    let mut record = Vec::new();
    aix::begin(&mut record, Pointers::Keys(8), b"SMITH");
    for key in [b"00000001", b"00000007"] {
        let _ = aix::add(&mut record, key);
    }
    let (mut link, listed) = (Vec::new(), true);
    aix::begin_link(&mut link, Pointers::Keys(8), b"SMITH", aix::Link { number: 3, listed });
    aix::push(&mut link, b"00000009");
    let directory = aix::Directory {
        low: 5,
        entries: vec![(7, 0), (9, 3)],
    };
    vec![record, link, directory.write(b"SMITH")]
}
