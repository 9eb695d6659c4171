//! Log groups and the log file header: bytes, round trips, damage.

mod samples;

use cica_format::checksum::crc32c;
use cica_format::log::{
    append_erase, append_insert, append_insert_at, append_recoverable, append_update, append_update_at, begin_group,
    finish_group, parts, read_group, records, GroupHeader, GroupStamp, LogFileHeader, LogRecord, BLOCK_LEN,
    GROUP_HEADER_LEN,
};
use cica_format::FormatError;
use proptest::collection::vec;
use proptest::prelude::*;
use samples::hex;
use std::borrow::Cow;

const LOG: u64 = 0x1112_1314_1516_1718;
const FIRST_LSN: u64 = 0x2122_2324_2526_2728;
const EPOCH: u32 = 0x3132_3334;

fn group(records: &[LogRecord]) -> Vec<u8> {
    let mut buf = vec![0xEE; 10];
    begin_group(&mut buf);
    records.iter().for_each(|record| record.append(&mut buf));
    finish_group(
        &mut buf,
        LOG,
        EPOCH,
        FIRST_LSN,
        records.len() as u32,
        GroupStamp::default(),
    );
    buf
}

fn four() -> [LogRecord<'static>; 4] {
    [
        LogRecord::DataSet {
            number: 7,
            cluster: 0x4142_4344_4546_4748,
            committed: 0x5152_5354_5556_5758,
            sealed: 0x6162_6364,
            origin: 0x7172_7374_7576_7778,
            lineage: 0x8182_8384_8586_8788,
            path: "A.DATA",
        },
        LogRecord::Insert {
            number: 7,
            record: b"0001NEW".into(),
        },
        LogRecord::Update {
            number: 7,
            record: b"0001CHANGED".into(),
        },
        LogRecord::Erase {
            number: 7,
            key: b"0001",
        },
    ]
}

fn read(group: &[u8]) -> Result<Vec<LogRecord<'_>>, FormatError> {
    records(group).collect()
}

#[test]
fn the_bytes_of_records() {
    let group = group(&four());
    let expected = hex(
        "2F000000 0E 07000000 4847464544434241 5857565554535251 64636261 7877767574737271 8887868584838281 412E44415441
         0C000000 02 07000000 303030314E4557
         10000000 03 07000000 303030314348414E474544
         09000000 04 07000000 30303031",
    );
    assert_eq!(group[GROUP_HEADER_LEN..GROUP_HEADER_LEN + expected.len()], expected);
    assert_eq!(group.len(), BLOCK_LEN);
    let header = GroupHeader {
        log: LOG,
        epoch: EPOCH,
        first_lsn: FIRST_LSN,
        records: 4,
        bytes: expected.len() as u32,
        stamp: GroupStamp::default(),
    };
    assert_eq!(read_group(&group), Ok((header, BLOCK_LEN)));
    assert_eq!(read(&group), Ok(four().to_vec()));
}

/// Data set records of before format 3 have no LSN.
#[test]
fn a_log_of_an_earlier_format_is_read() {
    let mut buf = Vec::new();
    begin_group(&mut buf);
    buf.extend(hex("13000000 01 07000000 4847464544434241 412E44415441"));
    buf.extend(hex(
        "1B000000 0B 07000000 4847464544434241 5857565554535251 412E44415441",
    ));
    finish_group(&mut buf, LOG, EPOCH, FIRST_LSN, 2, GroupStamp::default());
    let data_set = |committed| LogRecord::DataSet {
        number: 7,
        cluster: 0x4142_4344_4546_4748,
        committed,
        sealed: 0,
        origin: 0,
        lineage: 0,
        path: "A.DATA",
    };
    assert_eq!(read(&buf), Ok(vec![data_set(0), data_set(0x5152_5354_5556_5758)]));
    let header = LogFileHeader {
        log: LOG,
        claims: 1,
        birth: 0,
        settled: true,
    };
    let mut bytes = [0; BLOCK_LEN];
    header.encode(&mut bytes);
    bytes[12] = 2;
    bytes[8..12].fill(0);
    let checksum = cica_format::checksum::crc32c(&bytes);
    bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
    assert_eq!(LogFileHeader::decode(&bytes), Ok(header));
}

#[test]
fn a_group_that_introduces_counts_no_record() {
    let mut buf = Vec::new();
    begin_group(&mut buf);
    let [introduction, ..] = four();
    introduction.append(&mut buf);
    introduction.append(&mut buf);
    finish_group(&mut buf, LOG, EPOCH, FIRST_LSN, 0, GroupStamp::default());
    let (header, len) = read_group(&buf).expect("it was just written");
    assert_eq!((header.records, header.first_lsn, len), (0, FIRST_LSN, BLOCK_LEN));
    assert_eq!(read(&buf), Ok(vec![introduction.clone(), introduction]));
}

#[test]
fn the_short_ways_write_the_same() {
    let mut buf = Vec::new();
    begin_group(&mut buf);
    four()[0].append(&mut buf);
    append_insert(&mut buf, 7, b"0001NEW");
    append_update(&mut buf, 7, b"0001CHANGED");
    append_erase(&mut buf, 7, b"0001");
    finish_group(&mut buf, LOG, EPOCH, FIRST_LSN, 4, GroupStamp::default());
    assert_eq!(buf, group(&four()));
    let (mut apart, mut whole) = (Vec::new(), Vec::new());
    append_insert_at(&mut apart, 7, &[0, 0, 0, 9], b"NEW");
    append_update_at(&mut apart, 7, &[0, 0, 0, 9], b"CHANGED");
    append_insert(&mut whole, 7, b"\0\0\0\x09NEW");
    append_update(&mut whole, 7, b"\0\0\0\x09CHANGED");
    assert_eq!(apart, whole);
}

/// What fills up a record is not written; what stands in front of it is, and a place is never part of it.
#[test]
fn a_run_at_the_end_of_a_record_is_not_written() {
    for (front, run, written) in [
        (&b"0001SMITH"[..], 15, 9 + 15),
        (b"0001SMITH", 16, 9 + 3),
        (b"0001SMITH", 191, 9 + 3 + 191 % 16),
        (b"", 80, 3),
        (b"", 16, 3),
        (b"0001", 70_000, 4 + 3 + 70_000 - 65_520),
    ] {
        for (byte, place) in [(b' ', &[][..]), (0, &[0; 8][..]), (0xFF, &[0xFF; 32])] {
            let record = [front, &vec![byte; run]].concat();
            let mut buf = Vec::new();
            begin_group(&mut buf);
            append_insert_at(&mut buf, 7, place, &record);
            append_update_at(&mut buf, 7, place, &record);
            assert_eq!(
                buf.len(),
                GROUP_HEADER_LEN + 2 * (9 + place.len() + written),
                "{front:?}, {run}"
            );
            finish_group(&mut buf, LOG, EPOCH, FIRST_LSN, 2, GroupStamp::default());
            let record: Cow<'_, [u8]> = [place, &record].concat().into();
            let insert = LogRecord::Insert {
                number: 7,
                record: record.clone(),
            };
            assert_eq!(read(&buf), Ok(vec![insert, LogRecord::Update { number: 7, record }]));
        }
    }
}

#[test]
fn a_group_is_whole_blocks() {
    for (len, blocks) in [(4096 - 40 - 9, 1), (4096 - 40 - 9 + 1, 2), (10_000, 3)] {
        let record: Vec<u8> = (0..len).map(|i| i as u8).collect();
        let group = group(&[LogRecord::Insert {
            number: 1,
            record: (&record).into(),
        }]);
        assert_eq!(group.len(), blocks * BLOCK_LEN);
        assert_eq!(read_group(&group).map(|(_, len)| len), Ok(blocks * BLOCK_LEN));
        let more = [group.clone(), vec![0xEE; 5000]].concat();
        assert_eq!(read_group(&more).map(|(_, len)| len), Ok(blocks * BLOCK_LEN));
        let short = FormatError::Short {
            what: "log group",
            need: group.len(),
            have: group.len() - 1,
        };
        assert_eq!(read_group(&group[..group.len() - 1]), Err(short));
        assert_eq!(
            read(&group),
            Ok(vec![LogRecord::Insert {
                number: 1,
                record: (&record).into()
            }])
        );
    }
}

#[test]
fn a_group_without_records() {
    let group = group(&[]);
    assert_eq!(
        read_group(&group).map(|(header, len)| (header.records, header.bytes, len)),
        Ok((0, 0, BLOCK_LEN))
    );
    assert_eq!(read(&group), Ok(vec![]));
}

#[test]
fn damage_of_any_byte_is_found() {
    let record: Vec<u8> = (0..5000).map(|i| i as u8).collect();
    let good = group(&[LogRecord::Insert {
        number: 1,
        record: record.into(),
    }]);
    let mut header = [0; BLOCK_LEN];
    LogFileHeader {
        log: LOG,
        claims: 3,
        birth: 9,
        settled: true,
    }
    .encode(&mut header);
    let mut bytes = good.clone();
    for at in 0..bytes.len() {
        bytes[at] ^= 1 << (at % 8);
        assert!(read_group(&bytes).is_err(), "byte {at} of the group damaged");
        bytes[at] = good[at];
    }
    for at in 0..BLOCK_LEN {
        let mut damaged = header;
        damaged[at] ^= 1 << (at % 8);
        assert!(
            LogFileHeader::decode(&damaged).is_err(),
            "byte {at} of the file header damaged"
        );
    }
}

#[test]
fn the_end_of_a_log_is_no_group() {
    assert_eq!(
        read_group(&[0; BLOCK_LEN]),
        Err(FormatError::Magic { what: "log group" })
    );
    assert_eq!(
        read_group(&[]),
        Err(FormatError::Short {
            what: "log group",
            need: 40,
            have: 0
        })
    );
}

#[test]
fn the_file_header() {
    let header = LogFileHeader {
        log: LOG,
        claims: 0x4142_4344,
        birth: 0x5152_5354,
        settled: true,
    };
    let mut bytes = [0xEE; BLOCK_LEN];
    header.encode(&mut bytes);
    assert_eq!(LogFileHeader::decode(&bytes), Ok(header));
    let short = FormatError::Short {
        what: "log file header",
        need: 4096,
        have: 4095,
    };
    assert_eq!(LogFileHeader::decode(&bytes[..4095]), Err(short));
    assert_eq!(
        LogFileHeader::decode(&[0; BLOCK_LEN]),
        Err(FormatError::Magic {
            what: "log file header"
        })
    );
    bytes[12] = 9;
    assert_eq!(
        LogFileHeader::decode(&bytes),
        Err(FormatError::Checksum {
            what: "log file header"
        })
    );
    bytes[8..12].fill(0);
    let checksum = crc32c(&bytes);
    bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
    assert_eq!(
        LogFileHeader::decode(&bytes),
        Err(FormatError::NewerFormat {
            what: "log file header",
            found: 9
        })
    );
}

/// What `records` gives for a group with these bytes as its records.
fn of_payload(payload: &[u8], count: u32) -> Vec<Result<u32, FormatError>> {
    let mut buf = Vec::new();
    begin_group(&mut buf);
    buf.extend_from_slice(payload);
    finish_group(&mut buf, LOG, EPOCH, FIRST_LSN, count, GroupStamp::default());
    read_group(&buf).expect("the group itself is whole");
    let number = |record: LogRecord<'_>| match record {
        LogRecord::Erase { number, .. } => number,
        other => panic!("not written: {other:?}"),
    };
    records(&buf).map(|record| record.map(number)).collect()
}

#[test]
fn records_that_contradict_themselves_end_the_group() {
    let good = hex("06000000 04 09000000 C1");
    let after = |bad: &str, count| of_payload(&[good.clone(), hex(bad)].concat(), count);
    let short = |need, have| {
        Err(FormatError::Short {
            what: "log record",
            need,
            have,
        })
    };
    assert_eq!(after("", 1), [Ok(9)]);
    assert_eq!(after("", 2), [Ok(9), short(4, 0)]);
    assert_eq!(after("060000", 2), [Ok(9), short(4, 3)]);
    assert_eq!(after("06000000 04 09000000", 2), [Ok(9), short(6, 5)]);
    assert_eq!(after("FFFFFFFF 04 09000000", 2), [Ok(9), short(u32::MAX as usize, 5)]);
    assert_eq!(after("04000000 04 090000", 2), [Ok(9), short(5, 4)]);
    assert_eq!(after("0C000000 01 09000000 01020304050607", 2), [Ok(9), short(13, 12)]);
    let field = |field, value, must, what| {
        Err(FormatError::Field {
            what,
            field,
            value,
            must,
        })
    };
    assert_eq!(
        after("05000000 12 09000000", 2),
        [Ok(9), field("kind", 18, "from 1 to 17", "log record")]
    );
    assert_eq!(
        after("05000000 00 09000000", 2),
        [Ok(9), field("kind", 0, "from 1 to 17", "log record")]
    );
    assert_eq!(after("07000000 0C 09000000 4010", 2), [Ok(9), short(8, 7)]);
    assert_eq!(after("07000000 0D 09000000 4010", 2), [Ok(9), short(8, 7)]);
    assert_eq!(after("05000000 05 09000000", 2), [Ok(9), short(6, 5)]);
    assert_eq!(after("07000000 06 09000000 02 C1", 2), [Ok(9), short(8, 7)]);
    let path = field("path (good bytes)", 1, "all of it, UTF-8", "log record");
    assert_eq!(after("0F000000 01 09000000 0102030405060708 41FF", 2), [Ok(9), path]);
    let long = "17000000 0B 09000000 0102030405060708 0000000000000000 41FF";
    assert_eq!(after(long, 2), [Ok(9), path]);
    assert_eq!(
        after("0F000000 0B 09000000 0102030405060708 4141", 2),
        [Ok(9), short(21, 15)]
    );
    assert_eq!(
        after("00", 1),
        [Ok(9), field("bytes left", 1, "0 after the last record", "log group")]
    );
}

#[test]
fn records_of_what_is_no_group() {
    assert_eq!(
        read(&[]),
        Err(FormatError::Short {
            what: "log group",
            need: 40,
            have: 0
        })
    );
    let group = group(&four());
    assert!(matches!(read(&group[..50]), Err(FormatError::Short { .. })));
}

#[test]
fn the_parts_of_a_unit() {
    let insert = LogRecord::Insert {
        number: 1,
        record: b"00017SMITH".into(),
    };
    let padded = LogRecord::Update {
        number: 1,
        record: b"00017SMITH                ".into(),
    };
    let add = LogRecord::AddPointer {
        number: 2,
        key: b"SMITH",
        pointer: b"00017",
    };
    let remove = LogRecord::RemovePointer {
        number: 3,
        key: b"",
        pointer: b"",
    };
    let mut bytes = Vec::new();
    for part in [&insert, &padded, &add, &remove] {
        part.append(&mut bytes);
    }
    let group = group(&[LogRecord::Unit { parts: &bytes }]);
    let units = read(&group);
    let Ok([LogRecord::Unit { parts: read }]) = units.as_deref() else {
        panic!("one unit was written");
    };
    let whole: Result<Vec<_>, _> = parts(read).collect();
    assert_eq!(whole, Ok(vec![insert, padded, add, remove]));
    // Cut anywhere, it ends with an error, or at a record's end.
    let ends = [0, 19, 41, 61];
    for cut in 0..bytes.len() {
        let read: Result<Vec<_>, _> = parts(&bytes[..cut]).collect();
        assert_eq!(read.is_ok(), ends.contains(&cut), "cut at {cut}");
    }
}

#[test]
fn a_unit_has_no_unit_in_it() {
    let mut inner = Vec::new();
    LogRecord::Unit { parts: &[] }.append(&mut inner);
    let read: Vec<_> = parts(&inner).collect();
    assert!(matches!(
        read[..],
        [Err(FormatError::Field {
            field: "kind in a unit",
            ..
        })]
    ));
}

#[test]
fn records_of_a_unit_of_recovery_read_back_and_are_cut_nowhere() {
    let (mut redo, mut undo) = (Vec::new(), Vec::new());
    append_update(&mut redo, 3, b"KEY NEW");
    append_update(&mut undo, 3, b"KEY OLD, LONGER");
    let (unit, sequence) = (7, 2);
    let written = [
        LogRecord::Recoverable {
            unit,
            sequence,
            redo: &redo,
            undo: (&undo).into(),
        },
        LogRecord::TakenBack {
            unit,
            sequence,
            redo: &undo,
        },
        LogRecord::Leaving { number: 3 },
        LogRecord::Carried {
            unit,
            sequence,
            lsn: u64::MAX - 1,
            undo: &undo,
        },
        LogRecord::UnitEnd { unit, backed_out: true },
        LogRecord::UnitEnd {
            unit,
            backed_out: false,
        },
    ];
    let group = group(&written);
    assert_eq!(read(&group), Ok(written.to_vec()));
    // A length of what was done that goes beyond the record is found.
    let mut bytes = Vec::new();
    begin_group(&mut bytes);
    let at = bytes.len() + 21;
    written[0].append(&mut bytes);
    bytes[at..at + 4].copy_from_slice(&1000u32.to_le_bytes());
    finish_group(&mut bytes, LOG, EPOCH, FIRST_LSN, 1, GroupStamp::default());
    assert!(matches!(read(&bytes), Err(FormatError::Short { .. })));
}

fn recoverable(redo: &[u8], undo: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    append_recoverable(&mut bytes, 7, 2, redo, undo);
    bytes
}

fn undo_of(redo: &[u8], undo: &[u8]) -> Vec<u8> {
    let group = group(&[LogRecord::Recoverable {
        unit: 7,
        sequence: 2,
        redo,
        undo: undo.into(),
    }]);
    match read(&group).as_deref() {
        Ok(
            [LogRecord::Recoverable {
                unit: 7,
                sequence: 2,
                redo: was,
                undo,
            }],
        ) if *was == redo => undo.to_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_takes_an_update_back_is_written_as_far_as_it_differs() {
    let record = |field: &[u8]| [&b"KEY 1234567890 BEFORE "[..], field, b" BEHIND 1234567890"].concat();
    let update = |record: &[u8]| {
        let mut parts = Vec::new();
        append_update(&mut parts, 3, record);
        parts
    };
    for (new, old) in [
        ("NEW", "OLD"),
        ("NEW", "OLD, LONGER"),
        ("NEWER", "O"),
        ("NEW", ""),
        ("SAME", "SAME"),
    ] {
        let (redo, undo) = (update(&record(new.as_bytes())), update(&record(old.as_bytes())));
        assert_eq!(undo_of(&redo, &undo), undo);
        // Its length, and what differs, behind two lengths.
        let written = recoverable(&redo, &undo).len() - recoverable(&redo, &[]).len();
        assert!(written <= 12 + old.len(), "{new} {old}: {written}");
    }
    // Of two runs of one byte neither end is counted twice.
    let (redo, undo) = (update(&[b'A'; 31]), update(&[b'A'; 47]));
    assert_eq!(undo_of(&redo, &undo), undo);
    assert_eq!(undo_of(&undo, &redo), redo);
    // Where little is alike, all of it is there, and nothing is longer than it was.
    let (redo, undo) = (update(b"KEY NEW"), update(b"YEK OLD"));
    assert_eq!(recoverable(&redo, &undo).len(), 4 + 21 + redo.len() + undo.len());
}

#[test]
fn lengths_of_what_is_alike_that_go_beyond_are_found() {
    let mut redo = Vec::new();
    append_update(&mut redo, 3, b"A RECORD OF THIRTY-TWO BYTES....");
    let bytes = recoverable(&redo, &redo);
    let damaged = |at: usize, value: u32, cut: usize| {
        let mut group = Vec::new();
        begin_group(&mut group);
        let from = group.len();
        group.extend_from_slice(&bytes[..bytes.len() - cut]);
        let len = (bytes.len() - cut - 4) as u32;
        group[from..from + 4].copy_from_slice(&len.to_le_bytes());
        group[from + at..from + at + 4].copy_from_slice(&value.to_le_bytes());
        finish_group(&mut group, LOG, EPOCH, FIRST_LSN, 1, GroupStamp::default());
        read(&group).map(|records| records.len())
    };
    let alike = redo.len() as u32 - 4;
    assert_eq!(damaged(25, alike, 0), Ok(1));
    for (at, value, cut) in [
        (25, alike + 1, 0),
        (25, u32::MAX, 0),
        (29, 1, 0),
        (29, u32::MAX, 0),
        (21, alike + 9, 0),
        (25, alike, 1),
    ] {
        let found = damaged(at, value, cut);
        assert!(
            matches!(found, Err(FormatError::Short { .. })),
            "{at} {value}: {found:?}"
        );
    }
}

/// As format 7 wrote it: what takes it back is whole.
#[test]
fn a_change_of_before_format_8_is_read() {
    let (mut redo, mut undo, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    append_update(&mut redo, 3, b"A RECORD OF THIRTY-TWO BYTES NEW");
    append_update(&mut undo, 3, b"A RECORD OF THIRTY-TWO BYTES OLD");
    let mut group = Vec::new();
    begin_group(&mut group);
    for part in [
        &(21 + (redo.len() + undo.len()) as u32).to_le_bytes()[..],
        &[8, 0, 0, 0, 0],
        &7u64.to_le_bytes(),
        &2u32.to_le_bytes(),
        &(redo.len() as u32).to_le_bytes(),
        &redo,
        &undo,
    ] {
        group.extend_from_slice(part);
    }
    finish_group(&mut group, LOG, EPOCH, FIRST_LSN, 1, GroupStamp::default());
    let change = LogRecord::Recoverable {
        unit: 7,
        sequence: 2,
        redo: &redo,
        undo: (&undo).into(),
    };
    assert_eq!(read(&group), Ok(vec![change.clone()]));
    change.append(&mut bytes);
    assert_eq!(bytes[4], 17, "it is written another way now");
}

proptest! {
    #[test]
    fn what_takes_a_change_back_reads_back(front in vec(any::<u8>(), 0..40), old in vec(any::<u8>(), 0..20),
        new in vec(any::<u8>(), 0..20), behind in vec(any::<u8>(), 0..40), (a, b) in (0u8..3, 0u8..3)) {
        let parts = |field: &[u8], times: u8| {
            let mut parts = Vec::new();
            (0..times).for_each(|_| append_update(&mut parts, 3, &[&front[..], field, &behind].concat()));
            parts
        };
        let (redo, undo) = (parts(&new, a), parts(&old, b));
        prop_assert_eq!(undo_of(&redo, &undo), undo);
    }
}

#[derive(Debug, Clone)]
enum Request {
    DataSet(u32, (u64, u64), (u32, u64, u64), String),
    Insert(u32, Vec<u8>),
    Update(u32, Vec<u8>),
    Erase(u32, Vec<u8>),
}

impl Request {
    fn record(&self) -> LogRecord<'_> {
        match self {
            Request::DataSet(number, (cluster, committed), (sealed, origin, lineage), path) => LogRecord::DataSet {
                number: *number,
                cluster: *cluster,
                committed: *committed,
                sealed: *sealed,
                origin: *origin,
                lineage: *lineage,
                path,
            },
            Request::Insert(number, record) => LogRecord::Insert {
                number: *number,
                record: record.into(),
            },
            Request::Update(number, record) => LogRecord::Update {
                number: *number,
                record: record.into(),
            },
            Request::Erase(number, key) => LogRecord::Erase { number: *number, key },
        }
    }
}

fn any_request() -> impl Strategy<Value = Request> {
    let front = || vec(any::<u8>(), 0..200);
    let bytes = || (front(), any::<u8>(), 0usize..100).prop_map(|(front, byte, run)| [front, vec![byte; run]].concat());
    prop_oneof![
        (any::<u32>(), any::<(u64, u64)>(), any::<(u32, u64, u64)>(), ".{0,60}")
            .prop_map(|(n, c, l, p)| Request::DataSet(n, c, l, p)),
        (any::<u32>(), bytes()).prop_map(|(n, r)| Request::Insert(n, r)),
        (any::<u32>(), bytes()).prop_map(|(n, r)| Request::Update(n, r)),
        (any::<u32>(), bytes()).prop_map(|(n, k)| Request::Erase(n, k)),
    ]
}

proptest! {
    #[test]
    fn what_goes_in_comes_out(requests in vec(any_request(), 0..80)) {
        let expected: Vec<LogRecord<'_>> = requests.iter().map(Request::record).collect();
        let group = group(&expected);
        let (header, len) = read_group(&group).expect("it was just written");
        prop_assert_eq!((header.records as usize, len), (expected.len(), group.len()));
        prop_assert_eq!(read(&group), Ok(expected));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in vec(any::<u8>(), 0..200), count in 0u32..5) {
        let _ = (read_group(&bytes), LogFileHeader::decode(&bytes), records(&bytes).count());
        let marked = [&b"CiLG"[..], &bytes, &[0; BLOCK_LEN]].concat();
        let _ = (read_group(&marked), records(&marked).count());
        let mut buf = Vec::new();
        begin_group(&mut buf);
        buf.extend_from_slice(&bytes);
        finish_group(&mut buf, 1, 1, 1, count, GroupStamp::default());
        // A group that counts none has as many as there are.
        prop_assert!(count == 0 || records(&buf).count() <= count as usize + 1);
    }
}
