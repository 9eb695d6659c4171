//! A log by itself, without an engine: what it asks for, how its files grow, who gets one, what is read back.
#![allow(clippy::unwrap_used)]

use super::*;
use cica_disk::sim::{Errno, Faults};
use cica_disk::{Counted, Create, Image, ManualClock, MemoryDisk, Open, SimDisk, WriteAt};
use cica_format::log::{append_erase, append_insert, LogFileHeader, BLOCK_LEN};
use std::path::Path;

/// A data set that notes which logs its root would name.
struct Noting {
    named: std::sync::Mutex<Vec<u64>>,
    alone: bool,
    fails: bool,
}

impl Logger for Noting {
    fn committed(&self) -> u64 {
        7
    }

    fn identity(&self) -> (u32, u64, u64) {
        (3, 9, 4)
    }

    fn name_log(&self, log: u64, _: &str) -> Result<(), NamingError> {
        self.named.lock().unwrap().push(log);
        if self.fails {
            Err("its root cannot be written".into())
        } else {
            Ok(())
        }
    }

    fn name_log_early(&self, _: u64, _: &str) -> Result<(), NamingError> {
        if self.fails {
            Err("its root cannot be written".into())
        } else {
            Ok(())
        }
    }

    fn stands_alone(&self) -> bool {
        self.alone
    }
}

fn noting() -> Arc<Noting> {
    data_set(true, false)
}

fn data_set(alone: bool, fails: bool) -> Arc<Noting> {
    Arc::new(Noting {
        named: Default::default(),
        alone,
        fails,
    })
}

fn join(log: &Log, cluster: u64, data_set: &Arc<Noting>) -> u32 {
    let logger: Arc<dyn Logger> = data_set.clone();
    log.join(
        cluster,
        Path::new("/a.data"),
        Path::new("/a.index"),
        Arc::downgrade(&logger),
    )
}

fn log_on(disk: &(impl Disk + Clone + 'static), gathers: usize, epoch_bytes: u64) -> Log {
    let clock = ManualClock::new(1_700_000_000_000_000_000, 1);
    Log::new(
        Arc::new(disk.clone()),
        Arc::new(clock),
        "/log".into(),
        Arc::default(),
        gathers,
        epoch_bytes,
    )
}

fn memory() -> MemoryDisk {
    MemoryDisk::from(Image::with_directories(["/log"]))
}

fn simulated() -> SimDisk {
    SimDisk::from(Image::with_directories(["/log"]))
}

/// So many bytes, which do not end in a run.
fn record(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| at as u8).collect()
}

/// Logs an insert of so many bytes and flushes it.
fn write(log: &Log, number: u32, bytes: usize) -> Result<u64, LogError> {
    let lsn = log.append(&[number], |buf| append_insert(buf, number, &record(bytes)));
    log.flush(lsn).map(|()| lsn)
}

/// Ends the epoch; the tree of `number` has all of it.
fn start_over(log: &Log, number: u32) {
    log.unname(number);
    assert_eq!(log.start_over().unwrap(), carry::Ended::StartedOver);
}

/// Names and lengths of the pool's files.
fn files(disk: &dyn Disk) -> Vec<(String, u64)> {
    let there = disk.list(Path::new("/log")).unwrap();
    let mut files: Vec<_> = there
        .into_iter()
        .map(|(p, len)| (p.display().to_string(), len))
        .filter(|(name, _)| name.starts_with("log-"))
        .collect();
    files.sort();
    files
}

/// The tests' time, from which ids are made.
const SECONDS: u64 = 1_700_000_000 - 1_577_836_800;
const FIRST: &str = "/log/log-0001";
const FIRST_NAME: &str = "log-0001";

fn put(disk: &dyn Disk, path: &str, at: u64, bytes: &[u8]) {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    let file = disk.open(Path::new(path), how).unwrap();
    file.write(&[WriteAt { at, buf: bytes }]).unwrap();
}

fn wanted(log: &Log) -> [bool; 3] {
    let Wants {
        flush, long, overdue, ..
    } = log.wants();
    [flush, long, overdue]
}

#[test]
fn an_epoch_is_a_quarter_of_the_pool_within_its_bounds() {
    let mib = |n: usize| n << 20;
    let epochs = [0, mib(256), mib(400), mib(1024), usize::MAX].map(epoch_for);
    assert_eq!(epochs, [64 << 20, 64 << 20, 100 << 20, 256 << 20, 256 << 20]);
}

#[test]
fn what_is_asked_of_whoever_comes_by() {
    let disk = memory();
    let (log, a) = (log_on(&disk, 1000, 5 * 4096), noting());
    let number = join(&log, 1, &a);
    log.name_early(number);
    assert_eq!(wanted(&log), [false; 3]);
    // Header of the group and the data set's record: 40 + 61 bytes. Each insert has 9 before its record.
    let lsn = log.append(&[number], |buf| append_insert(buf, number, &record(890)));
    assert_eq!(wanted(&log), [false; 3], "1,000 bytes may gather");
    log.append(&[number], |buf| append_insert(buf, number, &[]));
    assert_eq!(wanted(&log), [true, false, false]);
    log.flush(lsn).unwrap();
    assert_eq!(wanted(&log), [false; 3]);
    // Two blocks more, and with the file's header and the introduction five are written.
    for blocks in 4..=5 {
        write(&log, number, 1).unwrap();
        assert_eq!(wanted(&log), [false; 3], "{blocks} blocks");
    }
    write(&log, number, 1).unwrap();
    assert_eq!(wanted(&log), [false, true, false]);
    log.go_on(&mut log.state.lock());
    assert_eq!(wanted(&log), [false; 3], "it may grow as much once more");
    for _ in 0..5 {
        write(&log, number, 1).unwrap();
    }
    assert_eq!(wanted(&log), [false; 3]);
    write(&log, number, 1).unwrap();
    assert_eq!(wanted(&log), [false, true, false]);
    start_over(&log, number);
    assert_eq!(wanted(&log), [false; 3]);
    log.always_flush();
    log.append(&[number], |buf| append_insert(buf, number, &[]));
    assert_eq!(wanted(&log), [true, false, false], "every change is written at once");
}

#[test]
fn a_log_is_overdue_when_it_has_grown_by_128_mib_more() {
    let disk = memory();
    let (log, a) = (log_on(&disk, 1000, 1 << 20), noting());
    let number = join(&log, 1, &a);
    for _ in 0..4 {
        write(&log, number, 32 << 20).unwrap();
        assert_eq!(wanted(&log), [false, true, false]);
    }
    // Header of the file, introduction and four groups are 128 MiB and six blocks; this one ends at 129 MiB.
    write(&log, number, (1 << 20) - 6 * 4096 - 110).unwrap();
    assert_eq!(wanted(&log), [false, true, false]);
    write(&log, number, 1).unwrap();
    assert_eq!(wanted(&log), [false, true, true]);
    log.go_on(&mut log.state.lock());
    assert_eq!(wanted(&log), [false; 3]);
    // What is given back keeps 64 MiB.
    assert!(files(&disk)[0].1 > 129 << 20);
    assert!(!log.leave(number, true));
    assert_eq!(files(&disk), [(FIRST_NAME.into(), 64 << 20)]);
}

#[test]
fn nothing_is_written_for_what_is_not_there() {
    let disk = memory();
    let log = log_on(&disk, 1000, 1 << 20);
    log.flush(log.last()).unwrap();
    log.flush(log.last() + 9).unwrap();
    assert!(files(&disk).is_empty());
    assert!(!log.is_behind());
    let number = join(&log, 1, &noting());
    log.append(&[number], |buf| append_insert(buf, number, b"X"));
    assert!(log.is_behind());
    // One record says which data set the number means, one is the insert.
    assert_eq!(log.last(), 2);
    log.detach();
    assert!(!log.is_behind());
    log.flush(log.last()).unwrap();
    assert!(files(&disk).is_empty());
    assert_eq!([log.new_unit(), log.new_unit()], [1, 2]);
}

#[test]
fn a_file_grows_by_its_length_within_bounds() {
    let disk = memory();
    let log = log_on(&disk, 1 << 20, 1 << 30);
    let number = join(&log, 1, &noting());
    let mut lengths = Vec::new();
    while lengths.last().is_none_or(|len| *len < 16 << 20) {
        write(&log, number, 100_000).unwrap();
        lengths.push(files(&disk)[0].1);
    }
    lengths.dedup();
    let kib = [512, 1024, 2048, 4096, 8192, 12_288, 16_384];
    assert_eq!(lengths, kib.map(|n| n << 10));
}

/// A recovery does them one by one.
#[test]
fn many_light_records_make_a_log_long_before_its_bytes_do() {
    let log = log_on(&memory(), 1 << 20, 1 << 20);
    let number = join(&log, 1, &noting());
    let erase = |records: u64| {
        let last = (0..records).map(|_| log.append(&[number], |buf| append_erase(buf, number, b"KEY")));
        log.flush(last.last().unwrap()).unwrap();
    };
    erase(10_000);
    assert!(!log.wants().long, "a million is 1 << 20 and less");
    erase(500);
    assert!(log.wants().long);
}

#[test]
fn a_long_group_is_written_without_zeros_before_it() {
    for (bytes, zeros) in [((1 << 20) - 13_000, true), (1 << 20, false)] {
        let disk = Counted::new(memory());
        let log = log_on(&disk, 1 << 20, 1 << 30);
        let number = join(&log, 1, &noting());
        write(&log, number, bytes).unwrap();
        let introduction = 4096;
        let group = (bytes as u64 + 40 + 66 + 9).next_multiple_of(4096);
        let length = files(&disk)[0].1;
        let counts = disk.counts();
        // When it is claimed; none later, when a root may name it (pool:F8).
        let header = 4096;
        if zeros {
            assert_eq!(length, 1 << 20);
            assert_eq!(counts.write_bytes, header + (length - 4096) + introduction + group);
        } else {
            // Room for one more that would say whose root could not be written.
            assert_eq!(length, 4096 + 2 * introduction + group);
            assert_eq!(counts.write_bytes, header + introduction + group);
        }
    }
}

#[test]
fn a_file_that_was_given_back_is_used_again_under_another_id() {
    let disk = memory();
    let mut ids = Vec::new();
    for life in 0..3 {
        let (log, a) = (log_on(&disk, 1000, 1 << 20), noting());
        let number = join(&log, 1, &a);
        assert!(!log.is_named(number));
        write(&log, number, 1).unwrap();
        write(&log, number, 1).unwrap();
        assert!(log.is_named(number));
        let named = a.named.lock().unwrap().clone();
        assert_eq!(named.len(), 1, "a root names its log once");
        assert_eq!(named[0] & 0xFFFF_FFFF, SECONDS + life);
        ids.push(named[0]);
        assert!(!log.leave(number, true));
        assert!(!log.is_named(number));
        let header = read_header_of(&disk);
        assert_eq!((header.log, u64::from(header.claims)), (0, SECONDS + life));
        assert_eq!(u64::from(header.birth), named[0] >> 32);
    }
    assert!(ids.iter().all(|id| id >> 32 == ids[0] >> 32 && id >> 32 != 0));
    assert_eq!(files(&disk).len(), 1);
}

fn read_header_of(disk: &dyn Disk) -> LogFileHeader {
    let file = disk.open(Path::new(FIRST), Open::default()).unwrap();
    header::read_header(&*file).unwrap().expect("it has one")
}

#[test]
fn a_file_whose_header_is_damaged_is_left_alone() {
    let disk = memory();
    put(&disk, FIRST, 100, b"something");
    let log = log_on(&disk, 1000, 1 << 20);
    let number = join(&log, 1, &noting());
    write(&log, number, 1).unwrap();
    let there = files(&disk);
    assert_eq!(there[0], (FIRST_NAME.into(), 109));
    assert_eq!(there[1].0, "log-0002");
    assert_eq!(there.len(), 2);
}

/// Without a birth its id could be given twice, so recovery alone may free it.
#[test]
fn a_file_of_before_births_that_is_in_use_is_left_alone() {
    let disk = memory();
    let mut block = [0; BLOCK_LEN];
    let header = LogFileHeader {
        log: 1 << 32 | 5,
        claims: 5,
        birth: 0,
        settled: true,
    };
    header.encode(&mut block);
    put(&disk, FIRST, 0, &block);
    let (log, a) = (log_on(&disk, 1000, 1 << 20), noting());
    let number = join(&log, 1, &a);
    write(&log, number, 1).unwrap();
    assert_eq!(read_header_of(&disk), header);
    assert_eq!(files(&disk).len(), 2);
}

#[test]
fn a_free_file_of_before_births_gets_its_number_for_one() {
    let disk = memory();
    let mut block = [0; BLOCK_LEN];
    LogFileHeader {
        log: 0,
        claims: 5,
        birth: 0,
        settled: true,
    }
    .encode(&mut block);
    put(&disk, FIRST, 0, &block);
    let (log, a) = (log_on(&disk, 1000, 1 << 20), noting());
    let number = join(&log, 1, &a);
    write(&log, number, 1).unwrap();
    let expected = LogFileHeader {
        log: 1 << 32 | SECONDS,
        claims: SECONDS as u32,
        birth: 1,
        settled: true,
    };
    assert_eq!(read_header_of(&disk), expected);
    assert_eq!(*a.named.lock().unwrap(), [expected.log]);
}

/// Whether the owner's requests were in it nobody can say.
#[test]
fn a_file_whose_first_group_is_damaged_is_left_alone() {
    let disk = memory();
    let log = log_on(&disk, 1000, 1 << 20);
    let number = join(&log, 1, &noting());
    write(&log, number, 1).unwrap();
    let header = read_header_of(&disk);
    disk.kill();
    put(&disk, FIRST, BLOCK_LEN as u64 + 60, &[0xFF; 3]);
    let second = log_on(&disk, 1000, 1 << 20);
    let number = join(&second, 2, &noting());
    write(&second, number, 1).unwrap();
    assert_eq!(read_header_of(&disk), header);
    assert_eq!(files(&disk).len(), 2);
}

#[test]
fn a_log_that_cannot_be_opened_is_not_taken_for_one_in_use() {
    let disk = simulated();
    let (log, a) = (log_on(&disk, 1000, 1 << 20), noting());
    let number = join(&log, 1, &a);
    write(&log, number, 1).unwrap();
    disk.kill();
    let id = a.named.lock().unwrap()[0];
    let once = Faults::none().fail(cica_disk::sim::Call::Open, 1, Errno::TooManyFiles);
    disk.set_faults(once.only(FIRST));
    let refused = LogReader::open(&disk, Path::new(FIRST), id);
    assert!(matches!(
        refused,
        Err(LogError::Io {
            doing: LogCall::Open,
            ..
        })
    ));
    assert!(matches!(
        LogReader::open(&disk, Path::new(FIRST), id),
        Ok(NamedLog::Log(_))
    ));
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let disk = simulated();
    put(&disk, FIRST, 0, &[0; BLOCK_LEN]);
    disk.set_faults(
        Faults::none()
            .fail(cica_disk::sim::Call::Open, 1, Errno::Denied)
            .only(FIRST),
    );
    let log = log_on(&disk, 1000, 1 << 20);
    let number = join(&log, 1, &noting());
    let error = write(&log, number, 1).unwrap_err().to_string();
    assert!(error.starts_with("log /log/log-0001: cannot open "), "{error}");
}

#[test]
fn who_leaves_incomplete_keeps_the_file_from_being_free() {
    // Its root names the log; it does not, and nobody needs the file.
    for (writes, complete, is_free) in [(true, true, true), (true, false, false), (false, false, true)] {
        let disk = memory();
        let log = log_on(&disk, 1000, 1 << 20);
        let (one, other) = (join(&log, 1, &noting()), join(&log, 2, &noting()));
        write(&log, other, 1).unwrap();
        if writes {
            write(&log, one, 1).unwrap();
        }
        assert!(!log.leave(other, true), "all that it had is in its tree");
        assert!(!log.leave(one, complete), "it was the last");
        assert_eq!(read_header_of(&disk).log == 0, is_free, "{writes} {complete}");
    }
    let disk = memory();
    let log = log_on(&disk, 1000, 1 << 20);
    let (one, other) = (join(&log, 1, &noting()), join(&log, 2, &noting()));
    write(&log, one, 1).unwrap();
    assert!(log.is_named(one) && !log.is_named(other), "the other wrote nothing");
    assert!(log.leave(one, false), "the other must be detached");
}

#[test]
fn a_failed_log_answers_nothing_and_is_not_given_back() {
    let disk = simulated();
    let log = log_on(&disk, 1000, 1 << 20);
    let number = join(&log, 1, &noting());
    write(&log, number, 1).unwrap();
    disk.set_faults(Faults::none().fail(cica_disk::sim::Call::Sync, 1, Errno::Io));
    let failed = write(&log, number, 1).unwrap_err().to_string();
    assert!(failed.starts_with("log /log/log-0001: sync failed: "), "{failed}");
    disk.set_faults(Faults::none());
    let again = write(&log, number, 1).unwrap_err().to_string();
    assert_eq!(again, failed, "and again (D3)");
    assert!(!log.leave(number, true));
    assert_ne!(read_header_of(&disk).log, 0);
    // Who comes now begins with another file.
    let number = join(&log, 1, &noting());
    write(&log, number, 1).unwrap();
    assert_eq!(files(&disk).len(), 2);
}

#[test]
fn a_data_set_whose_root_cannot_be_written_stops_those_that_need_it() {
    for (alone, expected) in [(true, Ok(2)), (false, Err("its root cannot be written".to_owned()))] {
        let disk = memory();
        let (log, a) = (log_on(&disk, 1000, 1 << 20), data_set(alone, true));
        let number = join(&log, 1, &a);
        assert_eq!(write(&log, number, 1).map_err(|error| error.to_string()), expected);
    }
}

#[test]
fn a_log_starts_over_for_one_data_set_alone() {
    let disk = memory();
    let (log, a, b) = (log_on(&disk, 1000, 1 << 20), noting(), noting());
    let one = join(&log, 1, &a);
    let written = || {
        let file = disk.open(Path::new(FIRST), Open::default()).unwrap();
        let mut block = vec![0; BLOCK_LEN];
        let mut batch = [cica_disk::ReadAt {
            at: BLOCK_LEN as u64,
            buf: &mut block,
            got: 0,
        }];
        file.read(&mut batch).unwrap();
        let (header, _) = cica_format::log::read_group(&block).unwrap();
        (header.epoch, header.first_lsn, header.records)
    };
    write(&log, one, 1).unwrap();
    assert_eq!(written(), (1, 1, 0), "it is introduced first");
    write(&log, one, 1).unwrap();
    log.start_over_alone(one);
    write(&log, one, 1).unwrap();
    assert_eq!(written(), (2, 5, 0), "and in each epoch");
    let other = join(&log, 2, &b);
    log.start_over_alone(one);
    write(&log, one, 1).unwrap();
    assert_eq!(written(), (2, 5, 0), "another data set logs");
    assert!(!log.leave(other, true));
    log.start_over_alone(9);
    write(&log, one, 1).unwrap();
    assert_eq!(written(), (2, 5, 0), "it is another data set");
    start_over(&log, one);
    write(&log, one, 1).unwrap();
    assert_eq!(written().0, 3);
    log.start_over_after(1);
    start_over(&log, one);
    write(&log, one, 1).unwrap();
    assert!(log.wants().long, "it is long after one byte");
}

#[test]
fn a_log_that_others_wait_for_is_as_long_as_its_checkpoints_cost() {
    let (log, a) = (log_on(&memory(), 1000, 256 << 20), noting());
    let one = join(&log, 1, &a);
    let next = |written: u64| {
        log.checkpoint_wrote(written);
        start_over(&log, one);
        log.length.bytes() >> 20
    };
    assert_eq!(next(1 << 20), 256, "nobody waits");
    log.start_over_soon();
    assert_eq!(log.length.bytes() >> 20, 16);
    assert_eq!(next(4 << 20), 32);
    assert_eq!(next(1 << 30), 256, "no longer than for others");
    assert_eq!(next(1 << 10), 16, "it follows what the last one wrote");
    log.start_over_after(8 << 20);
    assert_eq!(next(1 << 30), 8, "what is asked for is the longest");
}

/// Requests with their LSNs, and where some are missing.
type There = (Vec<(u64, Logged)>, Vec<Gap>);

/// What a reader finds in a log whose owner died, group after group.
fn read_back(disk: &dyn Disk, id: u64) -> Result<There, LogError> {
    let NamedLog::Log(mut reader) = LogReader::open(disk, Path::new(FIRST), id)? else {
        panic!("it is alive or free");
    };
    let (mut all, mut gaps) = (Vec::new(), Vec::new());
    loop {
        while let Some(group) = reader.next_group()? {
            all.extend(group);
        }
        match reader.pass_gap()? {
            Some(gap) => gaps.push(gap),
            None => return Ok((all, gaps)),
        }
    }
}

#[test]
fn what_was_flushed_is_read_back_and_what_is_damaged_is_told() {
    let disk = memory();
    let (log, a) = (log_on(&disk, 1000, 1 << 30), noting());
    let number = join(&log, 5, &a);
    // Groups of one block, of several, and of more than a reader looks at at first; two of each kind.
    let lens = [1, 4096, 9000, 3, 2_000_000, 8];
    for len in lens {
        write(&log, number, len).unwrap();
    }
    let id = a.named.lock().unwrap()[0];
    assert!(matches!(
        LogReader::open(&disk, Path::new(FIRST), id),
        Ok(NamedLog::Alive)
    ));
    disk.kill();
    let data_set = Logged::DataSet {
        number,
        cluster: 5,
        committed: 7,
        sealed: 3,
        origin: 9,
        lineage: 4,
        data: "/a.data".into(),
        index: "/a.index".into(),
    };
    let group = |(n, len): (u64, usize)| {
        let insert = Logged::Insert(number, record(len).into());
        [(2 * n + 1, data_set.clone()), (2 * n + 2, insert)]
    };
    let groups: Vec<_> = (0..).zip(lens).map(group).collect();
    let introduction = vec![(1, data_set.clone())];
    let all = |groups: Vec<(u64, Logged)>| [introduction.clone(), groups].concat();
    assert!(read_back(&disk, id).unwrap() == (all(groups.concat()), vec![]));
    // Something in each group changed, a length to one that no group has: the others are read. (First block of each.)
    let blocks = [2, 3, 5, 8, 9, 498, 499];
    for (n, block) in blocks[..6].iter().enumerate() {
        for (at, bytes) in [(60, &[0xFF; 3][..]), (32, &[0xFF; 4])] {
            let damaged = MemoryDisk::from(disk.image());
            put(&damaged, FIRST, block * 4096 + at, bytes);
            let gap = Gap {
                bytes: (block * 4096, blocks[n + 1] * 4096),
                after: Some(2 * n as u64),
                before: 2 * n as u64 + 3,
            };
            // Nobody knows of the last that it was there.
            let gaps = Vec::from_iter((n < 5).then_some(gap));
            let left = all([&groups[..n], &groups[n + 1..]].concat().concat());
            assert!(read_back(&damaged, id).unwrap() == (left, gaps), "block {block}");
        }
    }
    // Two next to each other, and one behind.
    let damaged = MemoryDisk::from(disk.image());
    for block in [3, 5, 9] {
        put(&damaged, FIRST, block * 4096 + 60, &[0xFF; 3]);
    }
    let (left, gaps) = read_back(&damaged, id).unwrap();
    assert!(left == all([&groups[0][..], &groups[3], &groups[5]].concat()));
    let words = [
        "its bytes 12288 to 32767 are damaged, and with them requests 3 to 6",
        "its bytes 36864 to 2039807 are damaged, and with them requests 9 to 10",
    ];
    assert_eq!(gaps.iter().map(Gap::to_string).collect::<Vec<_>>(), words);
    assert!(matches!(
        LogReader::open(&disk, Path::new(FIRST), id + 1),
        Ok(NamedLog::Absent(Lost::Holds { .. }))
    ));
    assert!(matches!(
        LogReader::open(&disk, Path::new(FIRST), id - 1),
        Ok(NamedLog::Released)
    ));
    assert!(LogReader::beside(&disk, Path::new(FIRST), id).is_ok());
    assert!(LogReader::beside(&disk, Path::new(FIRST), id + 1).is_err());
    let other_birth = id ^ (1 << 40);
    assert!(matches!(
        LogReader::open(&disk, Path::new(FIRST), other_birth),
        Ok(NamedLog::Absent(Lost::MadeLater(_)))
    ));
}

#[test]
fn groups_of_an_earlier_life_or_epoch_do_not_count() {
    let disk = memory();
    let (log, a) = (log_on(&disk, 1000, 1 << 30), noting());
    let number = join(&log, 5, &a);
    for _ in 0..5 {
        write(&log, number, 1).unwrap();
    }
    start_over(&log, number);
    write(&log, number, 1).unwrap();
    let id = a.named.lock().unwrap()[0];
    disk.kill();
    let (there, gaps) = read_back(&disk, id).unwrap();
    let lsns: Vec<u64> = there.iter().map(|(lsn, _)| *lsn).collect();
    assert_eq!(gaps, []);
    assert_eq!(lsns, [11, 11, 12]);
    // The same file in its second life, killed before anything was written: it is claimed again (F4).
    let (second, b) = (log_on(&disk, 1000, 1 << 30), noting());
    let reader = match LogReader::open(&disk, Path::new(FIRST), id) {
        Ok(NamedLog::Log(reader)) => reader,
        _ => panic!("its owner died"),
    };
    reader.release().unwrap();
    let number = join(&second, 5, &b);
    write(&second, number, 1).unwrap();
    let next = b.named.lock().unwrap()[0];
    assert_eq!(next, id + 1);
    disk.kill();
    assert_eq!(read_back(&disk, next).unwrap().0.len(), 3);
}
