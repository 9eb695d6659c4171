//! What one process counts and others see: while it lives, torn, foreign, and after its death.

#![cfg(target_os = "linux")]

use cica_counters::*;
use cica_disk::{Disk, LinuxDisk, MemoryDisk};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let directory = std::env::temp_dir().join(format!("cica-seen-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("a directory");
        Place(directory)
    }
    fn stat(&self) -> PathBuf {
        self.0.join(DIRECTORY)
    }
    fn create(&self, pid: u32) -> Arc<StatisticsFile> {
        let process = ProcessIdentity {
            pid,
            started: 1_000 + u64::from(pid),
            job: "PAYROLL".into(),
            step: "STEP1".into(),
            program: "payroll".into(),
        };
        StatisticsFile::create(Arc::new(LinuxDisk::new()), &self.stat(), &process)
    }
    fn seen(&self) -> Seen {
        running(&LinuxDisk::new(), &self.stat())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn data_set(name: &str, component: u64) -> DataSetIdentity {
    DataSetIdentity {
        component,
        opened: 77,
        cluster: name.into(),
        data: format!("{name}.DATA"),
        index: format!("{name}.INDEX"),
        volume: "VOL001".into(),
        organization: "KSDS".into(),
        ci_size: (4096, 512),
        ci_per_ca: 45,
        record: 4000,
        key: 8,
        output: true,
        before: std::array::from_fn(|n| n as u64),
        excps_before: [100, 200],
    }
}

#[test]
fn what_is_counted_is_seen_at_once_and_while_strings_live() {
    let place = Place::new("live");
    assert_eq!(place.seen(), Seen::default());
    let file = place.create(7);
    assert!(file.is_seen());
    let identity = data_set("A.B", 42);
    let set = file.open(&identity);
    set.cell(DataSetCount::Inserted).fetch_add(3, Relaxed);
    set.component(true)
        .at(ComponentCount::Excps as usize)
        .fetch_add(9, Relaxed);
    let string = set.string();
    string.found(2);
    string.add(StringCount::Again, 1);
    string.add(StringCount::Retrieved, 5);
    string.add(StringCount::DataLooks, 4);
    let check = |strings| {
        let seen = place.seen();
        assert!(seen.torn.is_empty(), "{:?}", seen.torn);
        let [process] = &seen.processes[..] else {
            panic!("{seen:?}")
        };
        assert_eq!((process.identity.pid, &*process.identity.step), (7, "STEP1"));
        let [open] = &process.data_sets[..] else {
            panic!("{process:?}")
        };
        assert_eq!(open.identity, identity);
        let counted = [
            DataSetCount::Inserted,
            DataSetCount::Retrieved,
            DataSetCount::Direct,
            DataSetCount::Strings,
        ];
        assert_eq!(counted.map(|c| open.count(c)), [3, 6, 2, strings]);
        let looks = open.components().map(|c| c.count(ComponentCount::Looks));
        assert_eq!((looks, open.index.count(ComponentCount::Excps)), ([5, 2], 9));
    };
    check(1);
    drop(string);
    check(0);
    drop(set);
    assert!(place.seen().processes[0].data_sets.is_empty());
    drop(file);
    assert_eq!(place.seen(), Seen::default());
    assert_eq!(files(&place.stat()), Vec::<String>::new());
}

#[test]
fn more_strings_and_data_sets_than_there_is_place_for_count_unseen_and_are_added_in_the_end() {
    let place = Place::new("many");
    let file = place.create(7);
    let set = file.open(&data_set("A.B", 1));
    let strings: Vec<StringCounts> = (0..layout::STRING_LINES + 5).map(|_| set.string()).collect();
    strings.iter().for_each(|string| string.found(1));
    let counted = || place.seen().processes[0].data_sets[0].count(DataSetCount::Retrieved);
    assert_eq!(counted(), layout::STRING_LINES as u64);
    drop(strings);
    assert_eq!(counted(), layout::STRING_LINES as u64 + 5);
    let sets: Vec<DataSetCounts> = (0..layout::SLOTS as u64 + 3)
        .map(|n| file.open(&data_set("C.D", n)))
        .collect();
    assert_eq!(place.seen().processes[0].data_sets.len(), layout::SLOTS);
    sets.iter()
        .for_each(|set| set.cell(DataSetCount::Deleted).store(1, Relaxed));
    drop(sets);
    assert_eq!(place.seen().processes[0].data_sets.len(), 1);
}

/// Each of the bytes that say what a piece is.
#[test]
fn a_piece_whose_identity_is_changed_is_told_and_never_shown() {
    let place = Place::new("torn");
    let file = place.create(7);
    let set = file.open(&data_set("A.B", 1));
    let path = place.stat().join("7-1007");
    let bytes = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .expect("the file");
    for (from, length) in [(8, 8), (64, 40), (8192 + 8, 8), (8192 + 64, 100)] {
        for at in from..from + length {
            let mut byte = [0];
            bytes.read_exact_at(&mut byte, at).expect("a byte");
            bytes.write_all_at(&[byte[0] ^ 0x10], at).expect("a byte");
            let seen = place.seen();
            assert!(seen.processes.is_empty() && seen.torn.len() == 1, "byte {at}: {seen:?}");
            bytes.write_all_at(&byte, at).expect("a byte");
        }
    }
    for (at, word, expected) in [
        (16, 1, "no statistics file"),
        (24, 9, "another version"),
        (32, 9, "another version"),
    ] {
        let mut before = [0; 8];
        bytes.read_exact_at(&mut before, at).expect("a word");
        bytes.write_all_at(&u64::to_le_bytes(word), at).expect("a word");
        assert!(place.seen().torn[0].why.contains(expected), "{:?}", place.seen());
        bytes.write_all_at(&before, at).expect("a word");
    }
    // While a slot is being written it is not believed.
    bytes.write_all_at(&3_u64.to_le_bytes(), 8192).expect("a word");
    assert!(
        place.seen().torn[0].why.contains("slot 1 of it is torn"),
        "{:?}",
        place.seen()
    );
    bytes.write_all_at(&2_u64.to_le_bytes(), 8192).expect("a word");
    assert_eq!(place.seen().processes.len(), 1);
    // Cut off: what is counted is not seen any more, and counting goes on.
    bytes.set_len(100).expect("a length");
    assert!(place.seen().torn[0].why.contains("cut off"), "{:?}", place.seen());
    set.cell(DataSetCount::Inserted).fetch_add(1, Relaxed);
    set.string().found(3);
    drop((set, file));
}

#[test]
fn the_file_of_a_dead_process_is_not_shown_and_goes() {
    let place = Place::new("dead");
    let file = place.create(7);
    let set = file.open(&data_set("A.B", 1));
    std::fs::copy(place.stat().join("7-1007"), place.stat().join("8-1008")).expect("a copy");
    std::fs::write(place.stat().join("notes"), "a user's").expect("a file");
    let seen = place.seen();
    assert_eq!((seen.processes.len(), seen.torn.len()), (1, 0));
    assert_eq!(files(&place.stat()), ["7-1007", "notes"]);
    drop((set, file));
}

#[test]
fn where_no_file_can_be_made_counting_goes_on() {
    let memory: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let file = StatisticsFile::create(memory, Path::new("/nowhere/stat"), &ProcessIdentity::default());
    assert!(!file.is_seen());
    let set = file.open(&data_set("A.B", 1));
    set.string().found(1);
    assert_eq!(set.cell(DataSetCount::Retrieved).load(Relaxed), 1);
}

#[test]
fn what_readers_counted_is_added_up_and_forgotten_and_damage_is_left_out() {
    let place = Place::new("readers");
    drop(place.create(7).open(&data_set("A", 1)));
    let (disk, stat) = (LinuxDisk::new(), place.stat());
    let reader = |component, retrieved, last| ReaderCounts {
        component,
        retrieved,
        data_excps: 2,
        index_excps: 1,
        last,
    };
    forget_reader(&disk, &stat, 5).expect("there is none");
    for (component, retrieved) in [(5, 10), (6, 1), (5, 20)] {
        add_reader(&disk, &stat, &reader(component, retrieved, 3)).expect("added");
    }
    let sum = ReaderCounts {
        data_excps: 4,
        index_excps: 2,
        ..reader(5, 30, 3)
    };
    assert_eq!(readers(&disk, &stat), [sum, reader(6, 1, 3)]);
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(stat.join("readers"))
        .expect("it");
    file.write_all_at(&[9], 70).expect("damage");
    assert_eq!(readers(&disk, &stat), [sum]);
    // A damaged entry is a free one.
    add_reader(&disk, &stat, &reader(8, 1, 3)).expect("added");
    assert_eq!(readers(&disk, &stat), [sum, reader(8, 1, 3)]);
    forget_reader(&disk, &stat, 5).expect("forgotten");
    assert_eq!(readers(&disk, &stat), [reader(8, 1, 3)]);
    file.set_len(100).expect("cut");
    assert_eq!(readers(&disk, &stat), []);
}

fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != ".locks").collect();
    names.sort();
    names
}
