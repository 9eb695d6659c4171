//! The tables in docs/format against the code: each byte of a structure is in its table, and holds what the table says.
#![allow(clippy::unwrap_used)]

mod samples;

use cica_format::aix::{self, Pointers};
use cica_format::archive::{self, SegmentHead};
use cica_format::ca::CaHeader;
use cica_format::checksum::crc32c;
use cica_format::ci::{render, Segment};
use cica_format::index::{BaseRba, IndexRecord};
use cica_format::log::{
    begin_group, carried_len, finish_group, GroupStamp, LogFileHeader, LogRecord, BLOCK_LEN, GROUP_HEADER_LEN,
};
use cica_format::portable::{self, BlockHead, BlockKind, CiRun, Head, Member, Mode, Totals};
use cica_format::root::FIXED_LEN;
use cica_format::tail::{self, TailHead};
use samples::{ca_header, hex, index_record, root, statistics, table_block};

const HASH_OF_00017: u64 = 0x5537_7D10_5A01_6806;

/// A field's name and the bytes it has in the sample.
type Field = (&'static str, Vec<u8>);

/// A row of a table: offset, length, field.
struct Row {
    offset: usize,
    length: usize,
    field: String,
}

/// The rows of the offset table under `## heading` of a page.
fn table(page: &str, heading: &str) -> Vec<Row> {
    let path = format!("{}/../../docs/format/{page}.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let lines = text.lines().skip_while(|line| *line != format!("## {heading}"));
    let lines = lines
        .skip_while(|line| !line.starts_with("| offset | length | field |"))
        .skip(2);
    let rows = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("{page}: {line}"));
        Row {
            offset: number(cells[1]),
            length: number(cells[2]),
            field: cells[3].to_owned(),
        }
    });
    rows.collect()
}

/// Compares a table with `bytes`, the whole structure of the sample.
fn assert_pictured(page: &str, heading: &str, bytes: &[u8], fields: &[Field]) {
    let rows = table(page, heading);
    let mut end = 0;
    for Row { offset, length, field } in &rows {
        assert_eq!(
            *offset, end,
            "{page}, {heading}: {field} does not follow its predecessor"
        );
        end += length;
        let there = &bytes[*offset..end];
        match fields.iter().find(|(name, _)| name == field) {
            Some((_, expected)) => assert_eq!(there, expected, "{page}, {heading}: {field}"),
            None => {
                assert_eq!(field, "reserved", "{page}, {heading}: the code has no such field");
                assert!(
                    there.iter().all(|&b| b == 0),
                    "{page}, {heading}: reserved bytes at {offset} are in use"
                );
            }
        }
    }
    assert_eq!(
        end,
        bytes.len(),
        "{page}, {heading}: the table ends elsewhere than the structure"
    );
    for (name, _) in fields {
        assert!(
            rows.iter().any(|row| row.field == *name),
            "{page}, {heading}: {name} is not in the table"
        );
    }
}

/// A number as it stands in our structures.
macro_rules! le {
    ($number:expr) => {
        $number.to_le_bytes().to_vec()
    };
}

/// A checksum over `bytes` with the four at `at` as zeros.
fn own(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 4].fill(0);
    le!(crc32c(&bytes))
}

/// `text` padded to `len` bytes.
fn padded(text: &str, len: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(len, 0);
    bytes
}

#[test]
fn control_interval() {
    let mut image = [0xC1; 512];
    render(&mut image, [0x0123].into_iter(), Segment::Middle, 7);
    let free = (512 - 0x0123 - 6 - 4u16).to_be_bytes().to_vec();
    assert_pictured(
        "ci",
        "CIDF",
        &image[508..],
        &[("displacement", hex("0123")), ("free length", free)],
    );
    assert_pictured(
        "ci",
        "RDF",
        &image[505..508],
        &[("control", hex("70")), ("number", hex("0123"))],
    );
}

#[test]
fn record_of_an_index() {
    let base = BaseRba {
        ci_per_ca: 4,
        ci_size: 4096,
        index_ci_size: 512,
    };
    // The next record is index CI 0, so that the flag is not zero.
    let record = IndexRecord {
        ca: 2,
        next: 0,
        ..index_record(&[b"ADAMS", b"BAKER", b"BARNES"], &[3])
    };
    let mut image = [0xEE; 512];
    record.encode(&mut image, base).expect("it fits");
    let header = [
        ("IXHLL", hex("01F9")),
        ("IXHFLPLN", hex("03")),
        ("IXHPTLS", hex("01")),
        ("IXHBRBA", 32_768u32.to_be_bytes().to_vec()),
        ("IXHHP", hex("00000000")),
        ("IXHLV", hex("01")),
        ("IXHFLAG", hex("02")),
        ("IXHFSO", hex("0019")),
        ("IXHLEO", 484u16.to_be_bytes().to_vec()),
        ("IXHSEO", 494u16.to_be_bytes().to_vec()),
    ];
    assert_pictured("index-record", "Header", &image[..24], &header);
    // BARNES is the leftmost of the second section, so it is compressed against BAKER, the leftmost of the first.
    let entry = [
        ("key", b"RNES".to_vec()),
        ("F", vec![2]),
        ("L", vec![4]),
        ("P", vec![2]),
    ];
    assert_pictured("index-record", "Entry", &image[480..487], &entry);
    assert_pictured(
        "index-record",
        "Section field",
        &image[487..489],
        &[("distance", vec![0, 10])],
    );
}

#[test]
fn record_of_an_alternate_index() {
    let mut record = Vec::new();
    aix::begin(&mut record, Pointers::Keys(5), b"SMITH2");
    aix::add(&mut record, b"00017").expect("it has room");
    aix::add(&mut record, b"00004").expect("it has room");
    let fields = [
        ("flag", vec![1]),
        ("pointer length", vec![5]),
        ("count", hex("0002")),
        ("key length", vec![6]),
        ("key", b"SMITH2".to_vec()),
        ("first pointer", b"00017".to_vec()),
        ("second pointer", b"00004".to_vec()),
    ];
    assert_pictured("aix-record", "Record", &record, &fields);
}

#[test]
fn records_of_a_chain() {
    let (mut link, (number, listed)) = (Vec::new(), (1, true));
    aix::begin_link(&mut link, Pointers::Keys(5), b"SMITH2", aix::Link { number, listed });
    aix::add(&mut link, b"00017").expect("it has room");
    let fields = [
        ("flag", vec![0x01 | 0x40 | 0x20]),
        ("pointer length", vec![5]),
        ("count", hex("0001")),
        ("key length", vec![6]),
        ("key", b"SMITH2".to_vec()),
        ("number", hex("0000000000000001")),
        ("first pointer", b"00017".to_vec()),
    ];
    assert_pictured("aix-record", "Link", &link, &fields);
    // FNV-1a and fmix64 of the five bytes, computed by another program.
    assert_eq!(aix::hash(b"00017"), HASH_OF_00017);
    let directory = aix::Directory {
        low: 0,
        entries: vec![(HASH_OF_00017, 1)],
    };
    let fields = [
        ("flag", vec![0xC0]),
        ("entry length", vec![16]),
        ("count", hex("0001")),
        ("key length", vec![6]),
        ("key", b"SMITH2".to_vec()),
        ("number", hex("8000000000000000")),
        ("hash", HASH_OF_00017.to_be_bytes().to_vec()),
        ("link", hex("0000000000000001")),
    ];
    assert_pictured("aix-record", "Directory", &directory.write(b"SMITH2"), &fields);
}

#[test]
fn header_of_a_ca() {
    let header = ca_header();
    let mut bytes = vec![0; CaHeader::encoded_len(3)];
    header.encode(&mut bytes);
    let fields = [
        ("magic", b"CiCA".to_vec()),
        ("checksum", own(&bytes, 4)),
        ("component", le!(header.component)),
        ("ca", le!(header.ca)),
        ("version", le!(header.version)),
        ("region", le!(header.region)),
        ("flags", le!(header.flags | 2)),
        ("next free", le!(header.next_free)),
        ("count", le!(3u32)),
        ("annex", le!(0x4546_4749u32)),
    ];
    assert_pictured("ca-header", "Header", &bytes[..64], &fields);
    for (entry, bytes) in header.entries.iter().zip(bytes[64..].chunks(12)) {
        let fields = [
            ("slot", le!(entry.slot)),
            ("flags", le!(entry.flags | u16::from(entry.left_out) << 4)),
            ("version", le!(entry.version)),
            ("checksum", le!(entry.checksum)),
        ];
        assert_pictured("ca-header", "CI entry", bytes, &fields);
    }
}

#[test]
fn block_of_a_table() {
    let block = table_block();
    let mut bytes = [0; 4096];
    block.encode(&mut bytes);
    let fields = [
        ("magic", b"CiTB".to_vec()),
        ("checksum", own(&bytes, 4)),
        ("component", le!(block.component)),
        ("block", le!(block.block)),
        ("version", le!(block.version)),
        ("count", le!(2u32)),
    ];
    assert_pictured("table-block", "Header", &bytes[..64], &fields);
    for (reference, bytes) in block.refs.iter().zip(bytes[64..].chunks(8)) {
        let fields = [
            ("version", le!(reference.version)),
            ("checksum", le!(reference.checksum)),
        ];
        assert_pictured("table-block", "Reference", bytes, &fields);
    }
}

#[test]
fn root_of_a_file() {
    let root = root();
    let bytes = root.encode().expect("it can be written");
    let mut free_regions: Vec<u8> = root
        .free_regions
        .iter()
        .flat_map(|region| region.to_le_bytes())
        .collect();
    free_regions.resize(2048, 0);
    let mut further_extents: Vec<u8> = root.further_extents.iter().flat_map(|n| n.to_le_bytes()).collect();
    further_extents.resize(116, 0);
    let mut ties: Vec<u8> = root
        .ties
        .iter()
        .flat_map(|tie| [le!(tie.lineage), le!(tie.stamp.origin), le!(tie.stamp.lsn)].concat())
        .collect();
    ties.resize(2928, 0);
    let sizes = root.sizes.unwrap();
    let fields = [
        ("magic", b"CICAROOT".to_vec()),
        ("byte order", hex("04030201")),
        ("format", le!(4u16)),
        ("length", le!(bytes.len() as u32)),
        ("checksum", own(&bytes, 20)),
        ("version", le!(root.version)),
        ("part", vec![1]),
        ("levels", vec![root.levels]),
        ("component", le!(root.component)),
        ("cluster", le!(root.cluster)),
        ("high used", le!(root.high_used)),
        ("high allocated", le!(root.high_allocated)),
        ("ca count", le!(root.ca_count)),
        ("free ca", le!(root.free_ca)),
        ("region count", le!(root.region_count)),
        ("top", le!(root.top)),
        ("extents", le!(root.extents)),
        ("free region count", le!(2u32)),
        ("table count", le!(2u32)),
        ("further count", le!(2u32)),
        (
            "index root",
            [le!(root.index_root.version), le!(root.index_root.checksum)].concat(),
        ),
        ("statistics", bytes[128..224].to_vec()),
        ("stamp", [le!(root.stamp.origin), le!(root.stamp.lsn)].concat()),
        ("built lineage", le!(root.built_from.lineage)),
        ("built origin", le!(root.built_from.origin)),
        ("log", le!(root.log.log)),
        ("log lsn", le!(root.log.lsn)),
        ("log path", padded(&root.log.path, 255)),
        ("log early", vec![1]),
        ("log origin", le!(root.log.origin)),
        ("lineage", le!(root.lineage)),
        ("sizes known", vec![1]),
        ("last dictionary", vec![root.last_dictionary]),
        ("user size", le!(sizes.user)),
        ("stored size", le!(sizes.stored)),
        ("plain records", le!(sizes.plain)),
        (
            "dictionaries",
            root.dictionaries.iter().flat_map(|sum| sum.to_le_bytes()).collect(),
        ),
        ("attributes", bytes[768..1024].to_vec()),
        ("further extents", further_extents),
        ("tie count", le!(1u32)),
        ("ties", ties),
        ("free regions", free_regions),
    ];
    assert_pictured("root", "Root", &bytes[..FIXED_LEN], &fields);
    for (reference, bytes) in root.tables.iter().zip(bytes[FIXED_LEN..].chunks(8)) {
        let fields = [
            ("version", le!(reference.version)),
            ("checksum", le!(reference.checksum)),
        ];
        assert_pictured("table-block", "Reference", bytes, &fields);
    }
}

#[test]
fn statistics_in_a_root() {
    let bytes = root().encode().expect("it can be written");
    let s = statistics();
    let fields = [
        ("records", le!(s.records)),
        ("deleted", le!(s.deleted)),
        ("inserted", le!(s.inserted)),
        ("updated", le!(s.updated)),
        ("retrieved", le!(s.retrieved)),
        ("ci splits", le!(s.ci_splits)),
        ("ca splits", le!(s.ca_splits)),
        ("ca reclaims", le!(s.ca_reclaims)),
        ("ca reuses", le!(s.ca_reuses)),
        ("excps", le!(s.excps)),
        ("free space", le!(s.free_space)),
        ("last change", le!(s.last_change)),
    ];
    assert_pictured("root", "Statistics", &bytes[128..224], &fields);
}

#[test]
fn attributes_in_a_root() {
    let bytes = root().encode().expect("it can be written");
    let a = samples::attributes();
    let fields = [
        ("cluster name", padded(&a.cluster_name, 44)),
        ("component name", padded(&a.component_name, 44)),
        ("volume", padded(&a.volume, 6)),
        ("organization", vec![1]),
        ("flags", vec![0x01 | 0x04 | 0x10 | 0x20 | 0x40]),
        ("key offset", le!(a.key_offset)),
        ("average record", le!(a.average_record)),
        ("maximum record", le!(a.maximum_record)),
        ("ci size", le!(a.ci_size)),
        ("buffer space", le!(a.buffer_space)),
        ("key length", le!(a.key_length)),
        ("ci per ca", le!(a.ci_per_ca)),
        ("ccsid", le!(a.ccsid)),
        ("free ci", vec![a.free_ci]),
        ("free ca", vec![a.free_ca]),
        ("share region", vec![a.share_region]),
        ("share system", vec![a.share_system]),
        ("primary", le!(a.primary)),
        ("secondary", le!(a.secondary)),
        ("created", le!(a.created)),
        ("base name", padded("PAYROLL.MASTER", 44)),
        ("alternate offset", le!(20u32)),
        ("alternate flags", vec![0x01 | 0x02 | 0x08 | 0x10 | 0x20]),
        ("pointer length", vec![8]),
        ("suppressed", vec![0x5C]),
    ];
    assert_pictured("root", "Attributes", &bytes[768..1024], &fields);
}

#[test]
fn log_file_and_group() {
    let mut file = [0; BLOCK_LEN];
    LogFileHeader {
        log: 0x1112_1314_1516_1718,
        claims: 0x2122_2324,
        birth: 0x3132_3334,
        settled: true,
    }
    .encode(&mut file);
    let fields = [
        ("magic", b"CICALOG ".to_vec()),
        ("checksum", own(&file, 8)),
        ("format", le!(8u16)),
        ("log", le!(0x1112_1314_1516_1718u64)),
        ("claims", le!(0x2122_2324u32)),
        ("birth", le!(0x3132_3334u32)),
        ("settled", vec![1]),
    ];
    assert_pictured("log", "File header", &file, &fields);

    let mut group = Vec::new();
    begin_group(&mut group);
    LogRecord::Insert {
        number: 9,
        record: b"ADAMS".into(),
    }
    .append(&mut group);
    let stamp = GroupStamp {
        second: 0x4142_4344,
        units_open: true,
    };
    finish_group(
        &mut group,
        0x1112_1314_1516_1718,
        0x2122_2324,
        0x3132_3334_3536_3738,
        1,
        stamp,
    );
    let fields = [
        ("magic", b"CiLG".to_vec()),
        ("checksum", own(&group, 4)),
        ("log", le!(0x1112_1314_1516_1718u64)),
        ("first lsn", le!(0x3132_3334_3536_3738u64)),
        ("epoch", le!(0x2122_2324u32)),
        ("records", le!(1u32)),
        ("bytes", le!(14u32)),
        ("stamp", le!(0xC142_4344u32)),
    ];
    assert_pictured("log", "Group header", &group[..GROUP_HEADER_LEN], &fields);
}

#[test]
fn log_records() {
    let mut bytes = Vec::new();
    LogRecord::Insert {
        number: 9,
        record: b"ADAMS".into(),
    }
    .append(&mut bytes);
    let fields = [
        ("length", le!(10u32)),
        ("kind", vec![2]),
        ("number", le!(9u32)),
        ("body", b"ADAMS".to_vec()),
    ];
    assert_pictured("log", "Record", &bytes, &fields);

    bytes.clear();
    LogRecord::Insert {
        number: 9,
        record: b"ADAMS                                ".into(),
    }
    .append(&mut bytes);
    let fields = [
        ("length", le!(13u32)),
        ("kind", vec![12]),
        ("number", le!(9u32)),
        ("byte", b" ".to_vec()),
        ("run", le!(32u16)),
        ("body", b"ADAMS".to_vec()),
    ];
    assert_pictured("log", "Record that ends in a run", &bytes, &fields);

    bytes.clear();
    LogRecord::DataSet {
        number: 9,
        cluster: 0x1112_1314_1516_1718,
        committed: 0x2122_2324_2526_2728,
        sealed: 0x3132_3334,
        origin: 0x4142_4344_4546_4748,
        lineage: 0x5152_5354_5556_5758,
        path: "A.DATA",
    }
    .append(&mut bytes);
    let fields = [
        ("length", le!(47u32)),
        ("kind", vec![14]),
        ("number", le!(9u32)),
        ("cluster", le!(0x1112_1314_1516_1718u64)),
        ("committed", le!(0x2122_2324_2526_2728u64)),
        ("sealed", le!(0x3132_3334u32)),
        ("origin", le!(0x4142_4344_4546_4748u64)),
        ("lineage", le!(0x5152_5354_5556_5758u64)),
        ("path", b"A.DATA".to_vec()),
    ];
    assert_pictured("log", "Data set record", &bytes, &fields);

    bytes.clear();
    LogRecord::AddPointer {
        number: 9,
        key: b"SMITH",
        pointer: b"00017",
    }
    .append(&mut bytes);
    let fields = [
        ("length", le!(16u32)),
        ("kind", vec![5]),
        ("number", le!(9u32)),
        ("key length", vec![5]),
        ("key", b"SMITH".to_vec()),
        ("pointer", b"00017".to_vec()),
    ];
    assert_pictured("log", "Pointer record", &bytes, &fields);

    let mut parts = Vec::new();
    LogRecord::Insert {
        number: 9,
        record: b"ADAMS".into(),
    }
    .append(&mut parts);
    bytes.clear();
    LogRecord::Unit { parts: &parts }.append(&mut bytes);
    let fields = [("length", le!(19u32)), ("kind", vec![7]), ("parts", parts)];
    assert_pictured("log", "Unit record", &bytes, &fields);
}

#[test]
fn log_records_of_a_unit_of_recovery() {
    let (mut redo, mut undo, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    LogRecord::Insert {
        number: 9,
        record: b"ADAMS".into(),
    }
    .append(&mut redo);
    LogRecord::Erase { number: 9, key: b"AD" }.append(&mut undo);
    let (unit, sequence) = (0x1112_1314_1516_1718u64, 0x2122_2324u32);
    let recoverable = LogRecord::Recoverable {
        unit,
        sequence,
        redo: &redo,
        undo: (&undo).into(),
    };
    recoverable.append(&mut bytes);
    let fields = [
        ("length", le!(46u32)),
        ("kind", vec![8]),
        ("unit", le!(unit)),
        ("sequence", le!(sequence)),
        ("redo length", le!(14u32)),
        ("redo", redo),
        ("undo", undo.clone()),
    ];
    assert_pictured("log", "Recoverable record", &bytes, &fields);

    bytes.clear();
    let (mut paris, mut london) = (Vec::new(), Vec::new());
    for (parts, record) in [
        (&mut paris, "ADAMS PARIS WAREHOUSE "),
        (&mut london, "ADAMS LONDON WAREHOUSE "),
    ] {
        let record = record.as_bytes().into();
        LogRecord::Update { number: 9, record }.append(parts);
    }
    let alike = LogRecord::Recoverable {
        unit,
        sequence,
        redo: &paris,
        undo: (&london).into(),
    };
    alike.append(&mut bytes);
    let fields = [
        ("length", le!(70u32)),
        ("kind", vec![17]),
        ("unit", le!(unit)),
        ("sequence", le!(sequence)),
        ("redo length", le!(31u32)),
        ("head", le!(11u32)),
        ("tail", le!(11u32)),
        ("redo", paris),
        ("undo length", london[..4].to_vec()),
        ("undo between", b"LONDON".to_vec()),
    ];
    assert_pictured("log", "Recoverable record of which most is alike", &bytes, &fields);

    bytes.clear();
    let taken_back = LogRecord::TakenBack {
        unit,
        sequence,
        redo: &undo,
    };
    taken_back.append(&mut bytes);
    let fields = [
        ("length", le!(28u32)),
        ("kind", vec![9]),
        ("unit", le!(unit)),
        ("sequence", le!(sequence)),
        ("redo", undo.clone()),
    ];
    assert_pictured("log", "Taken back record", &bytes, &fields);

    bytes.clear();
    LogRecord::UnitEnd { unit, backed_out: true }.append(&mut bytes);
    let fields = [
        ("length", le!(14u32)),
        ("kind", vec![10]),
        ("unit", le!(unit)),
        ("backed out", vec![1]),
    ];
    assert_pictured("log", "Unit end record", &bytes, &fields);

    bytes.clear();
    let (lsn, undo) = (0x3132_3334_3536_3738u64, undo.as_slice());
    LogRecord::Carried {
        unit,
        sequence,
        lsn,
        undo,
    }
    .append(&mut bytes);
    assert_eq!(bytes.len(), carried_len(undo.len()));
    let fields = [
        ("length", le!(36u32)),
        ("kind", vec![16]),
        ("unit", le!(unit)),
        ("sequence", le!(sequence)),
        ("lsn", le!(lsn)),
        ("undo", undo.to_vec()),
    ];
    assert_pictured("log", "Carried record", &bytes, &fields);

    bytes.clear();
    let number = 0x0102_0304u32;
    LogRecord::Leaving { number }.append(&mut bytes);
    let fields = [("length", le!(5u32)), ("kind", vec![15]), ("number", le!(number))];
    assert_pictured("log", "Leaving record", &bytes, &fields);
}

#[test]
fn tail() {
    let head = TailHead {
        log: 0x1112_1314_1516_1718,
        first_lsn: 0x2122_2324_2526_2728,
        epoch_lsn: 0x3132_3334_3536_3738,
        epoch: 0x4142_4344,
    };
    let mut bytes = head.encode();
    let (at, even) = tail::word(false, 0x5152_5354, 0x6162_6364);
    bytes[at..at + 8].copy_from_slice(&even);
    let (at, odd) = tail::word(true, 0x7172_7374, 0x8182_8384);
    bytes[at..at + 8].copy_from_slice(&odd);
    let fields = [
        ("magic", b"CICATAIL".to_vec()),
        ("bytes 1", le!(0x5152_5354u32)),
        ("checksum 1", le!(0x6162_6364u32)),
        ("bytes 2", le!(0x7172_7374u32)),
        ("checksum 2", le!(0x8182_8384u32)),
        ("log", le!(head.log)),
        ("first lsn", le!(head.first_lsn)),
        ("epoch lsn", le!(head.epoch_lsn)),
        ("epoch", le!(head.epoch)),
    ];
    assert_pictured("tail", "Head of a half", &bytes, &fields);
}

#[test]
fn archive_segment() {
    let head = SegmentHead {
        lineage: 0x1112_1314_1516_1718,
        cluster: 0x2122_2324_2526_2728,
        name: "PAYROLL.MASTER".into(),
        origin: 0x3132_3334_3536_3738,
        after: 0x4142_4344_4546_4748,
        since: 0x5152_5354_5556_5758,
        number: 0x6162_6364,
        chain: Some(0x7172_7374),
        loaded: true,
        compressed: true,
        time: 0x0102_0304_0506_0708,
    };
    let mut name = b"PAYROLL.MASTER".to_vec();
    name.resize(archive::NAME_LEN, 0);
    let fields = [
        ("magic", b"CICAARCH".to_vec()),
        ("checksum", le!(head.checksum())),
        ("format", le!(archive::FORMAT)),
        ("flags", le!(7u16)),
        ("lineage", le!(head.lineage)),
        ("cluster", le!(head.cluster)),
        ("origin", le!(head.origin)),
        ("after", le!(head.after)),
        ("since", le!(head.since)),
        ("number", le!(head.number)),
        ("chain", le!(0x7172_7374u32)),
        ("time", le!(head.time)),
        ("name", name),
    ];
    assert_pictured("archive", "Head of a segment", &head.encode(), &fields);
}

#[test]
fn archive_frame() {
    let mut group = Vec::new();
    begin_group(&mut group);
    cica_format::log::append_insert(&mut group, 2, b"OTHER");
    cica_format::log::append_insert(&mut group, 1, b"ADAMS");
    finish_group(&mut group, 9, 1, 0x2122_2324_2526_2728, 2, GroupStamp::default());
    let mut frame = Vec::new();
    archive::begin_frame(&mut frame);
    archive::select(&group, 1, 0, &mut Default::default(), &mut frame).unwrap();
    let (chain, time) = (0x3132_3334, 0x1112_1314_1516_1718u64);
    let kind = archive::FrameKind::Changes;
    let checksum = archive::finish_frame(&mut frame, chain, kind, time, 0x2122_2324_2526_2728);
    let fields = [
        ("magic", b"CiAF".to_vec()),
        ("checksum", le!(checksum)),
        ("time", le!(time)),
        ("lsn", le!(0x2122_2324_2526_2728u64)),
        ("bytes", le!(18u32)),
        ("kind", le!(0u32)),
        ("distance", le!(1u32)),
        ("record", b"\x0a\0\0\0\x02\x01\0\0\0ADAMS".to_vec()),
    ];
    assert_pictured("archive", "Frame", &frame, &fields);
}

#[test]
fn archive_frame_with_a_dictionary() {
    let mut frame = Vec::new();
    archive::begin_frame(&mut frame);
    archive::append_dictionary(2, b"strings", &mut frame);
    let (time, lsn) = (0x1112_1314_1516_1718u64, 0x2122_2324_2526_2728u64);
    let checksum = archive::finish_frame(&mut frame, 0x3132_3334, archive::FrameKind::Dictionary, time, lsn);
    let fields = [
        ("magic", b"CiAF".to_vec()),
        ("checksum", le!(checksum)),
        ("time", le!(time)),
        ("lsn", le!(lsn)),
        ("bytes", le!(8u32)),
        ("kind", le!(5u32)),
        ("number", vec![2]),
        ("dictionary", b"strings".to_vec()),
    ];
    assert_pictured("archive", "Frame with a dictionary", &frame, &fields);
    assert_eq!(
        archive::dictionary(&frame[archive::FRAME_LEN..]),
        Ok((2, &b"strings"[..]))
    );
    assert!(archive::dictionary(b"\x02").is_err(), "it has a number alone");
}

#[test]
fn portable_copy() {
    let head = Head {
        id: 0x0102_0304_0506_0708,
        created: 0x1112_1314_1516_1718,
        members: 0x2122_2324,
    };
    let bytes = head.encode();
    let fields = [
        ("magic", b"CICAPORT".to_vec()),
        ("byte order", le!(0x0102_0304u32)),
        ("format", le!(portable::FORMAT)),
        ("id", le!(head.id)),
        ("created", le!(head.created)),
        ("members", le!(head.members)),
        ("checksum", le!(crc32c(&bytes[..60]))),
    ];
    assert_pictured("portable", "Head", &bytes, &fields);
    let stored = b"what is stored";
    let block = BlockHead {
        id: head.id,
        number: 0x3132_3334_3536_3738,
        kind: BlockKind::Records,
        compressed: true,
        stored: stored.len() as u32,
        length: 0x0012_3456,
        content: 0x4142_4344,
    };
    let (bytes, checksum) = block.encode(stored);
    let covered = [&bytes[..], stored].concat();
    assert_eq!(le!(checksum), own(&covered, 4));
    let fields = [
        ("magic", b"CiPB".to_vec()),
        ("checksum", own(&covered, 4)),
        ("id", le!(block.id)),
        ("number", le!(block.number)),
        ("kind", vec![4]),
        ("compression", vec![1]),
        ("stored", le!(block.stored)),
        ("length", le!(block.length)),
        ("content", le!(block.content)),
    ];
    assert_pictured("portable", "Block head", &bytes, &fields);
}

#[test]
fn contents_of_a_portable_copy() {
    let member = Member {
        mode: Mode::ControlIntervals,
        entry: 3,
        fields: b"FIELDS".to_vec(),
    };
    let bytes = member.encode();
    assert_pictured(
        "portable",
        "Member",
        &bytes[..8],
        &[("mode", vec![2]), ("entry", vec![3])],
    );
    assert_eq!(&bytes[8..], b"FIELDS");
    let run = CiRun {
        ca: 0x0102_0304,
        flags: 1,
        next_free: 0x1112_1314,
        count: 0x2122_2324,
    };
    let fields = [
        ("ca", le!(run.ca)),
        ("flags", le!(run.flags)),
        ("next free", le!(run.next_free)),
        ("count", le!(run.count)),
    ];
    assert_pictured("portable", "Run", &run.encode(), &fields);
    let fields = [("number", le!(0x0102u16)), ("flags", le!(0x0304u16))];
    assert_pictured(
        "portable",
        "Control interval",
        &portable::ci_head(0x0102, 0x0304),
        &fields,
    );
    let fields = [("length", le!(0x0102_0304u32)), ("number", le!(0x0506_0708u32))];
    let bytes = portable::record_head(0x0102_0304, 0x0506_0708);
    assert_pictured("portable", "Record", &bytes, &fields);
    let totals = Totals {
        records: 1 << 40,
        control_intervals: 2 << 40,
        bytes: 3 << 40,
        blocks: 4 << 40,
        checksum: 0x0102_0304,
    };
    let fields = [
        ("records", le!(totals.records)),
        ("control intervals", le!(totals.control_intervals)),
        ("bytes", le!(totals.bytes)),
        ("blocks", le!(totals.blocks)),
        ("checksum", le!(totals.checksum)),
    ];
    assert_pictured("portable", "Totals", &totals.encode(), &fields);
}
