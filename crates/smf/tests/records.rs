//! Records byte by byte, files that are none, files that cannot be written, and the reference page.

use cica_counters::{
    table, Component, ComponentCount, DataSetCount, DataSetCounts, DataSetIdentity, OpenDataSet, PoolCount,
    ProcessIdentity, SmfCount, StatisticsFile, Watcher, WeakCounts,
};
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Create, Disk, FileReader, ManualClock, MemoryDisk, Open, SimDisk, WriteAt};
use cica_smf::interval::SharedSet;
use cica_smf::*;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

/// 2026-11-25 at 01:02:03.45.
const NOW: u64 = 1_795_568_523_450_000_000;

fn origin() -> Origin {
    Origin {
        system: "SYS1".into(),
        catalog: "CATALOG.MASTER".into(),
        job: "PAYROLL".into(),
        step: "STEP1".into(),
        started: NOW - 1_000_000_000,
    }
}

fn counted(looks: (u64, u64), read: (u64, u64)) -> OpenDataSet {
    counting(looks, read).so_far().expect("counts")
}

/// Those of a data set that is closed.
fn gone() -> WeakCounts {
    counting((0, 0), (0, 0)).weak()
}

fn counting(looks: (u64, u64), read: (u64, u64)) -> DataSetCounts {
    let file = StatisticsFile::create(
        Arc::new(MemoryDisk::new()),
        Path::new("/none"),
        &ProcessIdentity::default(),
    );
    let counts = file.open(&DataSetIdentity {
        component: 1,
        cluster: "A.B".into(),
        data: "A.B.DATA".into(),
        index: "A.B.INDEX".into(),
        volume: "VOL001".into(),
        organization: "KSDS".into(),
        ci_size: (4096, 512),
        record: 4000,
        key: 8,
        ..DataSetIdentity::default()
    });
    for (index, looks, read) in [(false, looks.0, read.0), (true, looks.1, read.1)] {
        let cells = counts.component(index);
        cells.at(ComponentCount::Looks as usize).store(looks, Relaxed);
        cells.at(ComponentCount::CisRead as usize).store(read, Relaxed);
        cells
            .at(ComponentCount::UsedCis as usize)
            .store(if index { 1 } else { 10 }, Relaxed);
    }
    counts
}

fn number(record: &Record, name: &str) -> i128 {
    match record.get(name) {
        Some(Value::Number(number)) => number,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_record_says_when_it_was_written() {
    const DAY: u64 = 86_400_000_000_000;
    // The first day, the ends of February and December, and years that have a day more or not.
    for days in [0, 364, 365, 789, 10_956, 11_015, 11_016, 20_781, 47_540, 47_541] {
        for within in [0, 10_000_000, DAY - 10_000_000] {
            let record = lost(1, NOW, days * DAY + within + 9_999_999, &origin());
            assert_eq!(record.written(), Some(days * DAY + within), "{days} {within}");
        }
    }
    let bytes = lost(1, NOW, NOW, &origin()).bytes().to_vec();
    for (at, wrong) in [
        (6, &[0, 0x83, 0xD6, 0][..]),    // 24:00
        (10, &[0, 0x70, 0, 0x0F]),       // no day 0
        (10, &[0x01, 0x26, 0x36, 0x6F]), // day 366 of 2026
        (10, &[0, 0x69, 0x36, 0x5F]),    // 1969
        (10, &[0x99, 0x99, 0x36, 0x5F]), // beyond the clock
        (10, &[0x01, 0x26, 0x32, 0x90]), // no sign
        (10, &[0x01, 0x2A, 0x32, 0x9F]), // no digit
    ] {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(wrong);
        let record = Records::new(&bytes[..]).next().expect("one").expect("a record");
        assert_eq!(record.written(), None, "{wrong:02X?}");
    }
}

#[test]
fn the_bytes_of_a_record_are_these() {
    let record = opened(&counted((0, 0), (0, 0)), NOW, &origin());
    let hex: String = record.bytes()[..46].iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(
        hex,
        concat!(
            "00E20000",
            "00",
            "3E",
            "0005AE79",
            "0126329F",
            "E2E8E2F1",
            "D7C1E8D9D6D3D340",
            "0005AE15",
            "0126329F",
            "E2E3C5D7F1404040",
            "80",
            "84",
            "C3C1",
        )
    );
    assert_eq!(record.bytes().len(), 226);
    assert_eq!(record.get("TME"), Some(Value::Text("01:02:03.45".into())));
    assert_eq!(record.get("DTE"), Some(Value::Text("2026.329".into())));
    assert_eq!(record.get("SMF62CLU"), Some(Value::Text("A.B".into())));
}

#[test]
fn the_flag_of_a_subtype_is_that_of_records_with_a_subtype() {
    for layout in LAYOUTS {
        let record = Record::new(layout, NOW, &origin());
        let expected = if matches!(layout.number, 30 | 42) { 0x40 } else { 0 };
        assert_eq!(record.bytes()[4], expected, "type {}", layout.number);
        assert!(!record.is_short(), "type {}", layout.number);
    }
}

#[test]
fn no_two_fields_of_a_record_share_a_byte() {
    for layout in LAYOUTS {
        let mut end = field::HEADER_LEN;
        for field in layout.fields {
            assert!(
                field.at >= end && field.len > 0,
                "{} of type {}",
                field.name,
                layout.number
            );
            end = field.at + field.len;
        }
        assert_eq!(end, layout.len());
        for section in layout.sections {
            assert!(section.triplet + 8 <= layout.len());
            let mut end = 0;
            for field in section.fields {
                assert!(field.at >= end && field.len > 0, "{}", field.name);
                end = field.at + field.len;
            }
            assert_eq!(end, section.len());
        }
    }
}

/// What the study of 2007 shows for ten direct gets, the first time and the second.
#[test]
fn a_close_says_what_was_asked_for_and_where_it_was_found() {
    for (then, now, expected) in [
        (
            counted((0, 0), (0, 0)),
            counted((10, 10), (10, 1)),
            [[0, 10, 10], [9, 1, 10]],
        ),
        (
            counted((10, 10), (10, 1)),
            counted((20, 20), (10, 1)),
            [[10, 0, 10], [10, 0, 10]],
        ),
    ] {
        let records = closed(&then, &now, NOW, &origin());
        let found = |record: &Record| ["SMF64BMH", "SMF64RIO", "SMF64DEP"].map(|name| number(record, name));
        assert_eq!([found(&records[0]), found(&records[1])], expected);
        assert_eq!(records[1].get("SMF64DNM"), Some(Value::Text("A.B.INDEX".into())));
        assert_eq!(number(&records[1], "SMF64NLR"), 1);
    }
    let io = io_of(&counted((0, 0), (0, 0)), &counted((1, 1), (1, 1)), NOW, &origin());
    assert_eq!(
        (io[0].subtype(), io[1].get("S42DSTYP")),
        (6, Some(Value::Text("X'0002'".into())))
    );
}

/// The fields of SMF that a counter's row names.
fn named(row: &table::Row) -> impl Iterator<Item = &'static str> {
    let names = row
        .smf
        .split(", ")
        .map(|name| name.split(' ').next().unwrap_or_default());
    names.filter(|name| name.starts_with("SMF") || name.starts_with("S42"))
}

#[test]
fn a_counters_row_names_the_fields_that_it_is_in() {
    let all = LAYOUTS.iter().flat_map(|layout| {
        let sections = layout.sections.iter().flat_map(|section| section.fields);
        layout.fields.iter().chain(sections).map(|field| field.name)
    });
    let all: Vec<&str> = all.collect();
    for row in table::rows() {
        named(row).for_each(|name| assert!(all.contains(&name), "{name} of {}", row.name));
    }
    // A counter that differs is seen in its fields, and in those of no other row.
    let fields = |counts: &DataSetCounts| {
        let (then, now) = (counted((0, 0), (0, 0)), counts.so_far().expect("counts"));
        let [one, other] = [closed(&then, &now, NOW, &origin()), io_of(&then, &now, NOW, &origin())];
        let found: Vec<_> = one[0]
            .fields()
            .chain(other[0].fields())
            .map(|(f, v)| (f.name, v))
            .collect();
        found
    };
    let rows = DataSetCount::ROWS.iter().chain(ComponentCount::ROWS);
    let named_by_some: Vec<&str> = rows.clone().flat_map(named).collect();
    for (at, row) in DataSetCount::ROWS
        .iter()
        .enumerate()
        .chain(ComponentCount::ROWS.iter().enumerate())
    {
        // Enough was asked for and timed that all of the others can change.
        let [before, after] = [0, 1 << 20].map(|more| {
            let counts = counting((1 << 24, 0), (1, 0));
            let cells = counts.component(false);
            cells.at(ComponentCount::TimedIos as usize).store(1, Relaxed);
            match row.level {
                table::Level::DataSet => counts.cell(DataSetCount::ALL[at]).fetch_add(more, Relaxed),
                _ => cells.at(at).fetch_add(more, Relaxed),
            };
            fields(&counts)
        });
        let changed = before.iter().zip(&after).filter(|(a, b)| a != b).map(|(a, _)| a.0);
        let changed: Vec<&str> = changed.filter(|name| named_by_some.contains(name)).collect();
        // What is told as of the open does not change here, and the mean time does with the number of times.
        for name in named(row).filter(|name| !["SMF64NLR", "SMF64NEX"].contains(name)) {
            assert!(changed.contains(&name), "{name} of {}: {changed:?}", row.name);
        }
        for name in changed.iter().filter(|name| **name != "S42DSIOR") {
            assert!(
                named(row).any(|named| named == *name),
                "{name} changes with {}",
                row.name
            );
        }
    }
}

#[test]
fn a_count_that_fell_and_one_that_is_too_large_are_written_as_what_fits() {
    let (mut then, now) = (counted((0, 0), (0, 0)), counted((u64::MAX, 0), (0, 0)));
    assert_eq!(
        number(&closed(&then, &now, NOW, &origin())[0], "SMF64DEP"),
        u32::MAX.into()
    );
    then.index = Component::default();
    assert_eq!(number(&closed(&now, &then, NOW, &origin())[1], "SMF64DLR"), -1);
}

#[test]
fn files_that_are_none_are_told_with_their_offset() {
    let record = opened(&counted((0, 0), (0, 0)), NOW, &origin());
    let two = [record.bytes(), record.bytes()].concat();
    let read = |bytes: &[u8]| {
        Records::new(bytes)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())
    };
    assert_eq!(read(&two).map(|records| records.len()), Ok(2));
    assert_eq!(read(b"").map(|records| records.len()), Ok(0));
    for cut in 1..record.bytes().len() {
        let told = read(&two[..record.bytes().len() + cut]).expect_err("it is cut off");
        assert!(told.starts_with("offset 226: "), "{told}");
    }
    assert!(read(b"hello, world, this is text")
        .expect_err("text")
        .contains("Is it an SMF file?"));
    // Any byte may be wrong: what is read is printed or refused.
    for at in 0..two.len() {
        for wrong in [0, 0x7F, 0xFF] {
            let mut bytes = two.clone();
            bytes[at] = wrong;
            for record in Records::new(&bytes[..]).flatten() {
                let printed: Vec<String> = record.fields().map(|(_, value)| value.to_string()).collect();
                assert!(printed.len() >= 7);
            }
        }
    }
}

#[test]
fn records_that_cannot_be_written_are_counted_and_told_by_the_next() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let clock = Arc::new(ManualClock::new(NOW, 0));
    let file = SmfFile::new(disk.clone(), clock, Path::new("/c"), origin(), write::MOST);
    let cells = cica_disk::Cells::own(8);
    file.show_counts(cells.clone(), cica_disk::Cells::own(8));
    let set = counted((1, 1), (1, 1));
    // There is no directory for it.
    file.opened(&set, gone());
    file.closed(&set, &set);
    assert_eq!((cells.at(0).load(Relaxed), cells.at(1).load(Relaxed)), (0, 5));
    let directory = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new("/c"), directory).expect("a directory");
    file.opened(&set, gone());
    file.opened(&set, gone());
    assert_eq!((cells.at(0).load(Relaxed), cells.at(1).load(Relaxed)), (2, 5));
    let read = FileReader::plain(&*disk, Path::new("/c/smf/current")).expect("the file");
    let records: Vec<Record> = Records::new(read).collect::<Result<_, _>>().expect("records");
    assert_eq!(records.iter().map(Record::kind).collect::<Vec<_>>(), [7, 62, 62]);
    assert_eq!(number(&records[0], "SMF7CNT"), 5);
}

#[test]
fn a_full_file_gets_another_name_and_so_many_are_kept() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let directory = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new("/c"), directory).expect("a directory");
    let file = SmfFile::new(
        disk.clone(),
        Arc::new(ManualClock::new(NOW, 10_000_000)),
        Path::new("/c"),
        origin(),
        500,
    );
    let set = counted((1, 1), (1, 1));
    (0..2 * write::KEPT + 5).for_each(|_| file.opened(&set, gone()));
    let files = cica_smf::files(&*disk, Path::new("/c")).expect("the directory");
    assert_eq!(files.len(), write::KEPT + 1);
    for file in &files[..write::KEPT] {
        let records = file.records().expect("a file");
        assert_eq!(records.filter(Result::is_ok).count(), 2, "{:?}", file.path);
    }
    // One that is met under two names is left out.
    let path = |name: &str| Path::new("/c/smf").join(name);
    let same = FileReader::plain(&*disk, &path("1"));
    let mut bytes = Vec::new();
    same.and_then(|mut file| file.read_to_end(&mut bytes)).expect("a file");
    let how = Open {
        write: true,
        ..Open::default()
    };
    let second = disk.open(&path("2"), how).expect("a file");
    second.write(&[WriteAt { at: 0, buf: &bytes }]).expect("its bytes");
    let files = cica_smf::files(&*disk, Path::new("/c")).expect("the directory");
    let names = files.iter().map(|file| file.path.clone());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["8", "7", "6", "5", "4", "3", "1", "current"].map(path)
    );
}

/// What a writer that was killed has left is cut off, also where it wrote while this one had the file before.
#[test]
fn a_torn_record_is_cut_off_and_counted_and_what_is_no_record_stays_in_a_file_of_its_own() {
    let set = counted((1, 1), (1, 1));
    let record = opened(&set, NOW, &origin());
    let torn = &record.bytes()[..100];
    let no_record = vec![0xFF; 40_000];
    for (left, kept) in [
        (torn, None),
        (&[0; 512][..], None),
        (&no_record[..], Some("/cat/smf/1")),
    ] {
        let disk = Arc::new(MemoryDisk::new());
        let file = in_a_catalog(&disk);
        file.opened(&set, gone());
        let tear = || {
            let how = Open {
                write: true,
                ..Open::default()
            };
            let current = disk.open(Path::new("/cat/smf/current"), how).expect("the file");
            let at = current.size(None).expect("its end");
            current.write(&[WriteAt { at, buf: left }]).expect("a torn write");
        };
        // Behind its own record, as by another process; and before the first one of the next process.
        tear();
        file.opened(&set, gone());
        let next = in_a_catalog(&disk);
        tear();
        next.opened(&set, gone());
        next.opened(&set, gone());
        let read = read_all(&disk);
        let kinds: Vec<u8> = read.iter().map(Record::kind).collect();
        match kept {
            None => assert_eq!(kinds, [62, 7, 62, 7, 62, 62]),
            Some(path) => {
                assert_eq!(kinds, [7, 62, 62]);
                let full = FileReader::plain(&*disk, Path::new(path)).expect("the full file");
                let records: Vec<_> = Records::new(full).collect();
                assert_eq!(records.iter().filter(|record| record.is_ok()).count(), 2);
                assert!(records.last().expect("records").is_err());
            }
        }
        assert!((read.iter().filter(|record| record.kind() == 7)).all(|record| number(record, "SMF7CNT") == 1));
        assert_eq!((file.untold(), next.untold()), (None, None));
    }
}

#[test]
fn two_opens_of_a_data_set_add_up() {
    let disk = Arc::new(MemoryDisk::new());
    let file = in_a_catalog(&disk);
    let open = counting((0, 0), (0, 0));
    let count = |excps: u64| {
        let data = open.component(false);
        data.at(ComponentCount::Excps as usize).store(excps, Relaxed);
        open.so_far().expect("counts")
    };
    let first = count(0);
    file.opened(&first, open.weak());
    let second = count(5);
    file.opened(&second, open.weak());
    file.closed(&second, &count(7));
    file.closed(&first, &count(10));
    let read = read_all(&disk);
    let of_data = read.iter().filter(|record| {
        record.subtype() == 6 && record.get("S42DSN").is_some_and(|name| name.to_string() == "A.B.DATA")
    });
    let said: Vec<i128> = of_data.map(|record| number(record, "S42DSION")).collect();
    assert_eq!(said, [7, 3], "all ten, once");
}

fn page() -> String {
    let mut page = String::from(
        "# SMF records\n\nWhat `CICA_SMF=on` writes to `smf/current` in the catalog's directory: variable records without \
         blocks,\neach with its length in front. Text is EBCDIC, numbers begin with their highest byte. A test \
         makes this page from\n`crates/smf/src/field.rs`. Names are IBM's. Offsets are IBM's in the standard header, in type 30, and in \
         type 64 up to\nthe name of the component; behind it they are Cica's. A section lies where the record says, and \
         offsets of its fields are\nfrom its beginning.\n",
    );
    let mut table = |heading: &str, fields: &[Field]| {
        page += &format!("\n{heading}\n\n| offset | bytes | field | kind | what |\n|---|---|---|---|---|\n");
        for f in fields {
            let kind = format!("{:?}", f.kind).to_ascii_lowercase();
            page += &format!("| {} | {} | {} | {kind} | {} |\n", f.at, f.len, f.name, f.text);
        }
    };
    table("## Standard header", field::HEADER);
    for layout in LAYOUTS {
        let subtype = match layout.subtype {
            0 => String::new(),
            subtype => format!(", subtype {subtype}"),
        };
        table(
            &format!("## Type {}{subtype}: {}", layout.number, layout.text),
            layout.fields,
        );
        for section in layout.sections {
            let heading = format!("### {} section, where offset {} says", section.text, section.triplet);
            table(&heading, section.fields);
        }
    }
    page
}

#[test]
fn the_page_is_what_the_fields_say() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/format/smf.md");
    if std::env::var_os("CICA_BLESS").is_some() {
        std::fs::write(path, page()).expect("the page");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == page(),
        "CICA_BLESS=1 cargo test -p cica-smf writes {path} anew"
    );
}

#[test]
fn what_clients_asked_for_is_told_of_each_data_set_and_of_all() {
    let disk = Arc::new(MemoryDisk::new());
    let how = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new("/cat"), how).expect("a directory");
    let clock = Arc::new(ManualClock::new(NOW, 0));
    let file = SmfFile::new(disk.clone(), clock, Path::new("/cat"), origin(), 1 << 20);
    // In the order of the table: requests, refused, waits, true and false contention ...
    let counts = vec![1000, 7, 5, 30, 4, 3, 2, 1];
    let set = |name: &str, class: &str| SharedSet {
        name: name.into(),
        class: class.into(),
        counts: counts.clone(),
    };
    let open = counting((0, 0), (0, 0));
    file.opened(&open.so_far().expect("counts"), open.weak());
    open.cell(DataSetCount::CaSplits).store(3, Relaxed);
    open.component(false)
        .at(ComponentCount::Looks as usize)
        .store(50, Relaxed);
    open.component(false)
        .at(ComponentCount::CisRead as usize)
        .store(20, Relaxed);
    file.write_shared(
        &[set("A.B", "FAST"), set("A.C", "FAST"), set("A.D", "")],
        &[5_000_000_000, 0, 0, 31, 5, 0, 0, 0],
    );
    // In the second interval only what came since.
    open.component(false)
        .at(ComponentCount::Looks as usize)
        .store(51, Relaxed);
    file.write_shared(&[set("A.B", "FAST")], &[1, 0, 0, 0, 0, 0, 0, 0]);
    let current = FileReader::plain(&*disk, Path::new("/cat/smf/current")).expect("the file");
    let records: Vec<Record> = Records::new(current).collect::<Result<_, _>>().expect("records");
    let records = &records[1..];
    assert_eq!(
        records
            .iter()
            .map(|record| (record.kind(), record.subtype()))
            .collect::<Vec<_>>(),
        [15, 15, 16, 16, 16, 17, 19, 15, 16, 17, 19].map(|subtype| (42, subtype))
    );
    let said = |record: usize, name: &str| records[record].get(name).expect("a field").to_string();
    let class = ["SMF42FBC", "SMF42FBH", "SMF42FIB", "SMF42FTB", "SMF42FIF", "SMF42FIG"];
    assert_eq!(class.map(|name| said(0, name)), ["", "34", "1000", "0", "0", "0"]);
    assert_eq!(class.map(|name| said(1, name)), ["FAST", "68", "2000", "3", "50", "30"]);
    assert_eq!(class.map(|name| said(7, name)), ["FAST", "34", "1000", "0", "1", "1"]);
    assert_eq!(
        ["SMF42GBB", "SMF42GBE", "SMF42GBH", "SMF42GBK", "SMF42GBL", "SMF42GBM", "SMF42GIB"].map(|name| said(2, name)),
        ["A.B", "FAST", "SYS1", "34", "30", "4", "1000"]
    );
    assert_eq!(
        ["SMF42HBB", "SMF42HBD", "SMF42HBE", "SMF42HBF"].map(|name| said(5, name)),
        ["CICA", "4294967295", "31", "5"],
        "what is too large is the largest"
    );
    assert_eq!(["SMF42JPI", "SMF42JPJ"].map(|name| said(6, name)), ["50", "30"]);
}

fn in_a_catalog(disk: &Arc<MemoryDisk>) -> SmfFile {
    let how = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new("/cat"), how).expect("a directory");
    let clock = Arc::new(ManualClock::new(NOW, 0));
    SmfFile::new(disk.clone(), clock, Path::new("/cat"), origin(), 1 << 20)
}

fn read_all(disk: &MemoryDisk) -> Vec<Record> {
    let current = FileReader::plain(disk, Path::new("/cat/smf/current")).expect("the file");
    Records::new(current).collect::<Result<_, _>>().expect("records")
}

#[test]
fn an_interval_tells_what_came_and_its_end_does_not_tell_it_again() {
    let disk = Arc::new(MemoryDisk::new());
    let file = in_a_catalog(&disk);
    let pool = cica_disk::Cells::own(8);
    pool.at(PoolCount::Limit as usize).store(200, Relaxed);
    file.show_counts(cica_disk::Cells::own(8), pool.clone());
    let open = counting((0, 0), (0, 0));
    let then = open.so_far().expect("counts");
    // Two handles of one data set are one open.
    file.opened(&then, open.weak());
    file.opened(&then, open.weak());
    file.tell_interval();
    let data = open.component(false);
    let count = |looks: u64, excps: u64| {
        data.at(ComponentCount::Looks as usize).store(looks, Relaxed);
        data.at(ComponentCount::Excps as usize).store(excps, Relaxed);
    };
    count(10, 4);
    pool.at(PoolCount::Charged as usize).store(190, Relaxed);
    file.look_at_pool();
    pool.at(PoolCount::Charged as usize).store(60, Relaxed);
    file.tell_interval();
    file.tell_interval();
    count(15, 5);
    file.tell_interval();
    count(17, 7);
    let now = open.so_far().expect("counts");
    file.closed(&then, &now);
    file.closed(&then, &now);
    drop(open);
    file.tell_interval();
    let all = read_all(&disk);
    let of = |kind: u8, subtype: u16, component: &str, name: &str, field: &str| -> Vec<String> {
        let of_kind = all
            .iter()
            .filter(|record| (record.kind(), record.subtype()) == (kind, subtype));
        let of_data = of_kind.filter(|record| record.get(name) == Some(Value::Text(component.into())));
        of_data
            .map(|record| record.get(field).expect("a field").to_string())
            .collect()
    };
    assert_eq!(
        of(64, 0, "A.B.DATA", "SMF64DNM", "SMF64RIN"),
        ["X'04'", "X'04'", "X'80'", "X'80'"],
        "an interval without a request has none"
    );
    assert_eq!(
        of(64, 0, "A.B.DATA", "SMF64DNM", "SMF64DEP"),
        ["10", "15", "17", "17"],
        "since the open"
    );
    assert_eq!(
        of(42, 6, "A.B.DATA", "S42DSN", "S42DSION"),
        ["4", "1", "2", "0"],
        "since the last"
    );
    assert_eq!(of(42, 19, "SYS1", "SMF42JPB", "SMF42JPI"), ["10", "5", "2"]);
    let pool = ["SMF42JPG", "SMF42JPH", "SMF42JP2", "SMF42JPK", "SMF42JPL", "SMF42JPM"];
    assert_eq!(
        pool.map(|field| of(42, 19, "SYS1", "SMF42JPB", field)[0].clone()),
        ["3", "0", "1", "30", "0", "95"]
    );
}

#[test]
fn an_interval_is_a_number_and_a_unit() {
    for (text, seconds) in [("1s", 1), ("15m", 900), ("24h", 86_400)] {
        assert_eq!(interval::interval_of(text), Ok(std::time::Duration::from_secs(seconds)));
    }
    for text in [
        "",
        "15",
        "m",
        "0s",
        "25h",
        "-1s",
        "1.5h",
        "15 m",
        "99999999999999999999h",
        "18446744073709551615h",
        "\u{e4}",
    ] {
        let told = interval::interval_of(text).expect_err(text);
        assert!(told.contains("such as 15m"), "{told}");
    }
}

#[test]
fn a_step_says_what_each_dd_took() {
    let disk = Arc::new(MemoryDisk::new());
    let how = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new("/cat"), how).expect("a directory");
    let clock = Arc::new(ManualClock::new(NOW, 0));
    let file = SmfFile::new(disk.clone(), clock, Path::new("/cat"), origin(), 1 << 20);
    file.name_dd("A.B", "cust");
    // Two opens at the same time of the same data set show the same counts, so both are one.
    let then = counted((0, 0), (0, 0));
    let now = |cluster: &str, opened, excps: (u64, u64)| {
        let statistics = StatisticsFile::create(
            Arc::new(MemoryDisk::new()),
            Path::new("/none"),
            &ProcessIdentity::default(),
        );
        let counts = statistics.open(&DataSetIdentity {
            cluster: cluster.into(),
            opened,
            ..then.identity.clone()
        });
        for (index, excps) in [(false, excps.0), (true, excps.1)] {
            counts
                .component(index)
                .at(ComponentCount::Excps as usize)
                .store(excps, Relaxed);
        }
        counts.so_far().expect("counts")
    };
    file.opened(&then, gone());
    file.opened(&then, gone());
    file.closed(&then, &now("A.B", 0, (5, 2)));
    file.closed(&then, &now("A.B", 0, (6, 2)));
    // Open again later, and a data set without a DD.
    file.opened(&now("A.B", 9, (1, 0)), gone());
    file.closed(&then, &now("A.B", 9, (3, 0)));
    file.opened(&now("C.D", 10, (0, 0)), gone());
    file.closed(&then, &now("C.D", 10, (70_000, 0)));
    let end = |completion| StepEnd {
        program: "payroll",
        completion,
        started: NOW - 90_000_000_000,
        cpu: 1_239_999_999,
        process: 4711,
    };
    file.end_step(&end(Completion::Code(12)));
    file.end_step(&end(Completion::Signal(15)));
    let current = FileReader::plain(&*disk, Path::new("/cat/smf/current")).expect("the file");
    let records: Vec<Record> = Records::new(current).collect::<Result<_, _>>().expect("records");
    let steps: Vec<&Record> = records.iter().filter(|record| record.kind() == 30).collect();
    let said = |n: usize, name: &str| steps[n].get(name).expect("a field").to_string();
    let names = [
        "SMF30STP", "SMF30JBN", "SMF30PGM", "SMF30STM", "SMF30JNM", "SMF30SIT", "SMF30TEP", "SMF30SCC", "SMF30STI",
        "SMF30CPT",
    ];
    let expected = [
        "4",
        "PAYROLL",
        "PAYROLL",
        "STEP1",
        "4711",
        "01:00:33.45",
        "70010",
        "X'000C'",
        "X'0000'",
        "123",
    ];
    assert_eq!(names.map(|name| said(0, name)), expected);
    assert_eq!(
        ["SMF30SCC", "SMF30STI", "SMF30ARC"].map(|name| said(1, name)),
        ["X'0222'", "X'0200'", "15"]
    );
    let dds: Vec<Vec<String>> = (steps[0].entries())
        .map(|entry| entry.iter().map(|(_, value)| value.to_string()).collect())
        .collect();
    assert_eq!(
        dds,
        [["CUST", "10", "4096", "10"], ["SYS00001", "70000", "4096", "70000"]]
    );
    // Where IBM's mapping has the job's name: in the section that the word at 32 leads to.
    let bytes = steps[0].bytes();
    let at = usize::from(u16::from_be_bytes([bytes[34], bytes[35]]));
    assert_eq!(&bytes[at..at + 3], [0xD7, 0xC1, 0xE8], "PAY in EBCDIC");
    // A record that lies about its sections is printed as far as they are there.
    for wrong in 0..bytes.len() {
        for byte in [0, 1, 0x7F, 0xFF] {
            let mut hostile = bytes.to_vec();
            hostile[wrong] = byte;
            for record in Records::new(&hostile[..]).flatten() {
                assert!(record.fields().count() >= 7);
                assert!(record.entries().flatten().count() <= 4 * hostile.len());
            }
        }
    }
}

/// The segments of a record, `sizes` bytes of it in each and the rest in the last.
fn segments(record: &[u8], sizes: &[usize]) -> Vec<Vec<u8>> {
    let (mut at, mut all) = (4, Vec::new());
    for (n, size) in sizes.iter().copied().chain([usize::MAX]).enumerate() {
        let end = size.saturating_add(at).min(record.len());
        let kind = match (n, n == sizes.len()) {
            (_, true) => 2,
            (0, _) => 1,
            _ => 3,
        };
        let length = (end - at + 4) as u16;
        all.push([&length.to_be_bytes()[..], &[kind, 0], &record[at..end]].concat());
        at = end;
    }
    all
}

#[test]
fn a_spanned_record_is_put_together() {
    let record = opened(&counted((0, 0), (0, 0)), NOW, &origin());
    let whole = record.bytes();
    for sizes in [&[14][..], &[100], &[20, 1, 1], &[14, 200]] {
        let parts = segments(whole, sizes);
        let file = [&parts.concat()[..], whole].concat();
        let read: Vec<Record> = Records::new(&file[..]).collect::<Result<_, _>>().expect("records");
        assert_eq!(read, [record.clone(), record.clone()], "{sizes:?}");
        // Whatever is missing is told, with the offset at which the record began.
        for gone in 0..parts.len() {
            let mut fewer = parts.clone();
            fewer.remove(gone);
            for behind in [&b""[..], whole] {
                let file = [whole, &fewer.concat()[..], behind].concat();
                let told: Vec<_> = Records::new(&file[..]).collect();
                let wrong = told.last().expect("something").as_ref();
                // Without a middle one it is a record all the same: no word says how many there are.
                if gone == 0 || gone == parts.len() - 1 {
                    let words = wrong.expect_err("a segment is missing").to_string();
                    assert!(
                        words.starts_with("offset 226: ") && words.contains("segment"),
                        "{words}"
                    );
                }
            }
        }
    }
    let mut endless = segments(whole, &[100])[0].clone();
    let middle = [&32_760_u16.to_be_bytes()[..], &[3, 0], &[0; 32_756]].concat();
    (0..40).for_each(|_| endless.extend_from_slice(&middle));
    let told = Records::new(&endless[..])
        .next()
        .expect("something")
        .expect_err("endless");
    assert!(told.to_string().contains("more than 1048576 bytes"), "{told}");
}

/// A disk that is full, or fails at any other call: nobody is stopped, and what was lost is counted and told.
#[test]
fn a_disk_that_fails_stops_nobody_and_the_loss_is_told() {
    let total = |disk: &SimDisk| {
        let read = FileReader::plain(disk, Path::new("/cat/smf/current")).expect("the file");
        let records: Vec<Record> = Records::new(read).collect::<Result<_, _>>().expect("whole records");
        let lost: i128 = (records.iter().filter(|record| record.kind() == 7))
            .map(|record| number(record, "SMF7CNT"))
            .sum();
        let written = records.iter().filter(|record| record.kind() == 62).count();
        (written as i128, lost)
    };
    let how = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    let faults = |call: u64| {
        [
            Faults::none().fail(Call::Any, call, Errno::NoSpace),
            Faults::none().fail(Call::Any, call, Errno::Io),
            Faults::none().short_write(call / 4, 30, Errno::NoSpace),
            Faults::none().fail_from(Call::Write, call / 4, Errno::NoSpace),
            Faults::none().read_only_from(call),
        ]
    };
    let mut losses = 0;
    for fault in (0..30).flat_map(faults) {
        let disk = SimDisk::new();
        disk.open(Path::new("/cat"), how).expect("a directory");
        let clock = Arc::new(ManualClock::new(NOW, 0));
        let file = SmfFile::new(Arc::new(disk.clone()), clock, Path::new("/cat"), origin(), 1 << 20);
        let cells = cica_disk::Cells::own(8);
        file.show_counts(cells.clone(), cica_disk::Cells::own(8));
        let set = counted((1, 1), (1, 1));
        disk.set_faults(fault.clone());
        (0..8).for_each(|_| file.opened(&set, gone()));
        // Somebody makes room.
        disk.set_faults(Faults::none());
        (0..2).for_each(|_| file.opened(&set, gone()));
        let (written, lost) = total(&disk);
        assert_eq!(written + lost, 10, "{fault:?}");
        let counted = [SmfCount::Written, SmfCount::Lost].map(|n| cells.at(n as usize).load(Relaxed));
        assert_eq!(counted.map(i128::from), [written, lost], "{fault:?}");
        losses += usize::from(lost > 0);
    }
    // Calls that no record needs may fail without a loss; most are needed.
    assert!(losses > 60, "{losses}");
}

/// A process that could not cut its torn record off finds what others have written over it, and another torn record
/// behind that: their records stay.
#[test]
fn records_that_others_wrote_over_an_own_torn_one_stay() {
    let disk = SimDisk::new();
    let how = Open {
        directory: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new("/cat"), how).expect("a directory");
    let process = || {
        let clock = Arc::new(ManualClock::new(NOW, 0));
        SmfFile::new(Arc::new(disk.clone()), clock, Path::new("/cat"), origin(), 1 << 20)
    };
    let (one, other) = (process(), process());
    let set = counted((1, 1), (1, 1));
    one.opened(&set, gone());
    let torn = Faults::none()
        .short_write(1, 30, Errno::NoSpace)
        .fail(Call::Size, 2, Errno::Io);
    disk.set_faults(torn);
    one.opened(&set, gone());
    disk.set_faults(Faults::none());
    assert_eq!(one.untold().map(|untold| untold.count), Some(1));
    other.opened(&set, gone());
    let record = first_record(&disk);
    let current = Path::new("/cat/smf/current");
    let write = Open {
        write: true,
        ..Open::default()
    };
    let file = disk.open(current, write).expect("the file");
    let at = file.size(None).expect("its end");
    let buf = &record.bytes()[..20];
    file.write(&[WriteAt { at, buf }]).expect("a torn write");
    drop(file);
    one.opened(&set, gone());
    let read = FileReader::plain(&disk, current).expect("the file");
    let records: Vec<Record> = Records::new(read).collect::<Result<_, _>>().expect("whole records");
    let opens = records.iter().filter(|record| record.kind() == 62).count();
    assert_eq!(opens, 3, "of `one` before and behind, and of `other`");
}

/// The first record of the file.
fn first_record(disk: &SimDisk) -> Record {
    let read = FileReader::plain(disk, Path::new("/cat/smf/current")).expect("the file");
    Records::new(read).next().expect("one").expect("whole")
}
