//! One suite for all worlds: what a `Disk` promises, asked of each of them. The numbers are those of the contract.
#![allow(clippy::unwrap_used)]

use cica_disk::{Counted, Create, Disk, DiskError, File, Image, Lock, MemoryDisk, Open, ReadAt, SimDisk, WriteAt};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const READ: Open = Open {
    write: false,
    create: Create::No,
    lock: Lock::None,
    direct: false,
    window: 0,
    directory: false,
};
const WRITE: Open = Open { write: true, ..READ };
const NEW: Open = Open {
    create: Create::New,
    ..WRITE
};
const IF_MISSING: Open = Open {
    create: Create::IfMissing,
    ..WRITE
};
const DIRECTORY: Open = Open {
    directory: true,
    ..READ
};

/// A disk and a directory on it to work in.
struct World {
    disk: Box<dyn Disk>,
    root: PathBuf,
    _kept: Option<Scratch>,
}

/// A real directory, removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cica-disk-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl World {
    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn open(&self, name: &str, how: Open) -> Box<dyn File> {
        self.disk
            .open(&self.path(name), how)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn open_error(&self, name: &str, how: Open) -> ErrorKind {
        match self.disk.open(&self.path(name), how) {
            Ok(_) => panic!("{name} could be opened"),
            Err(error) => {
                assert!(error.to_string().contains(name), "no name in: {error}");
                error.kind()
            }
        }
    }

    fn names(&self) -> Vec<(String, u64)> {
        let list = self.disk.list(&self.root).expect("a list");
        let mut names: Vec<_> = list
            .into_iter()
            .map(|(name, len)| (name.display().to_string(), len))
            .collect();
        names.sort();
        names
    }
}

fn write(file: &dyn File, at: u64, bytes: &[u8]) {
    file.write(&[WriteAt { at, buf: bytes }]).expect("a write");
}

fn read(file: &dyn File, at: u64, len: usize) -> Vec<u8> {
    let mut buf = vec![0xEE; len];
    let mut batch = [ReadAt {
        at,
        buf: &mut buf,
        got: usize::MAX,
    }];
    file.read(&mut batch).expect("a read");
    let got = batch[0].got;
    buf.truncate(got);
    buf
}

fn writes_are_read_back(world: &World) {
    let file = world.open("A", NEW);
    write(&*file, 3, b"hello");
    assert_eq!(read(&*file, 0, 8), b"\0\0\0hello");
    write(&*file, 4, b"EL");
    let other = world.open("A", READ);
    assert_eq!(read(&*other, 3, 5), b"hELlo");
    file.sync().expect("a sync");
    other.sync().expect("a sync of a handle for reading");
}

fn a_read_is_short_only_at_the_end(world: &World) {
    let file = world.open("A", NEW);
    write(&*file, 0, &[1; 5_000]);
    assert_eq!(read(&*file, 0, 5_000).len(), 5_000);
    assert_eq!(read(&*file, 4_990, 100), [1; 10]);
    assert_eq!(read(&*file, 5_000, 100), []);
    assert_eq!(read(&*file, 1 << 30, 100), []);
    assert_eq!(read(&*file, 10, 0), []);
}

fn a_file_grows_with_zeros_and_is_cut(world: &World) {
    let file = world.open("A", NEW);
    assert_eq!(file.size(None).expect("a length"), 0);
    assert_eq!(file.size(Some(100_000)).expect("growth"), 100_000);
    assert_eq!(file.size(None).expect("a length"), 100_000);
    assert_eq!(read(&*file, 0, 200_000), vec![0; 100_000]);
    write(&*file, 0, &[7; 10_000]);
    assert_eq!(file.size(Some(6_000)).expect("a cut"), 6_000);
    assert_eq!(file.size(Some(6_000)).expect("no change"), 6_000);
    assert_eq!(file.size(Some(10_000)).expect("growth"), 10_000);
    assert_eq!(
        read(&*file, 5_999, 5_000),
        [&[7][..], &[0; 4_000]].concat(),
        "cut bytes came back"
    );
    write(&*file, 20_000, &[]);
    assert_eq!(
        file.size(None).expect("a length"),
        10_000,
        "an empty write made the file longer"
    );
}

/// Large and small, apart and side by side, over the end and empty: as single requests would have it.
fn a_batch_is_many_requests(world: &World) {
    let file = world.open("A", NEW);
    let single = world.open("B", NEW);
    let data: Vec<u8> = (0..40_000u32).map(|index| (index % 251) as u8).collect();
    let places = [
        (0, 512),
        (512, 512),
        (1024, 4096),
        (20_000, 1),
        (9_000, 3_000),
        (12_000, 0),
        (12_000, 500),
    ];
    let many = (0..30).map(|index| (30_000 + index * 300, 100));
    let places: Vec<(usize, usize)> = places.into_iter().chain(many).collect();
    let batch: Vec<_> = places
        .iter()
        .map(|&(at, len)| WriteAt {
            at: at as u64,
            buf: &data[at..][..len],
        })
        .collect();
    file.write(&batch).expect("a batch of writes");
    batch.iter().for_each(|one| write(&*single, one.at, one.buf));
    assert!(
        read(&*file, 0, 50_000) == read(&*single, 0, 50_000),
        "the batch and its requests differ"
    );

    let length = file.size(None).expect("a length") as usize;
    let wanted = [
        (length - 10, 50),
        (length, 10),
        (length + 5, 10),
        (0, 5_120),
        (5_120, 7),
    ];
    let many = (0..30).map(|index| (index * 1_000, 64 + index));
    let wanted: Vec<(usize, usize)> = wanted.into_iter().chain(many).collect();
    let mut buffers: Vec<Vec<u8>> = wanted.iter().map(|&(_, len)| vec![0xEE; len]).collect();
    let mut batch: Vec<_> = wanted
        .iter()
        .zip(&mut buffers)
        .map(|(&(at, _), buf)| ReadAt {
            at: at as u64,
            buf,
            got: usize::MAX,
        })
        .collect();
    file.read(&mut batch).expect("a batch of reads");
    let got: Vec<usize> = batch.iter().map(|read| read.got).collect();
    for ((&(at, len), buffer), got) in wanted.iter().zip(&buffers).zip(got) {
        assert_eq!(got, len.min(length.saturating_sub(at)), "bytes got at {at}");
        assert!(buffer[..got] == read(&*single, at as u64, len), "bytes at {at} differ");
        assert!(
            buffer[got..].iter().all(|byte| *byte == 0xEE),
            "bytes past the end were touched at {at}"
        );
    }
    file.write(&[]).expect("an empty batch");
    file.read(&mut []).expect("an empty batch");
}

fn create_does_what_it_says(world: &World) {
    assert_eq!(world.open_error("A", READ), ErrorKind::NotFound);
    assert_eq!(world.open_error("A", WRITE), ErrorKind::NotFound);
    write(&*world.open("A", IF_MISSING), 0, b"kept");
    assert_eq!(read(&*world.open("A", IF_MISSING), 0, 9), b"kept");
    assert_eq!(world.open_error("A", NEW), ErrorKind::AlreadyExists);
    assert_eq!(world.open_error("NOWHERE/A", NEW), ErrorKind::NotFound);
    assert_eq!(world.open_error("A/B", NEW), ErrorKind::NotADirectory);
}

fn a_handle_for_reading_does_not_write(world: &World) {
    write(&*world.open("A", NEW), 0, b"kept");
    let file = world.open("A", READ);
    let kind = |result: std::io::Result<()>| result.expect_err("it was done").kind();
    assert_eq!(
        kind(file.write(&[WriteAt { at: 0, buf: b"lost" }])),
        ErrorKind::PermissionDenied
    );
    assert_eq!(kind(file.size(Some(0)).map(|_| ())), ErrorKind::PermissionDenied);
    assert_eq!(read(&*file, 0, 9), b"kept");
}

/// D5.
fn locks_keep_others_out(world: &World) {
    let lock = |lock| Open { lock, ..IF_MISSING };
    let first = world.open("A", lock(Lock::Shared));
    let second = world.open("A", lock(Lock::Shared));
    assert_eq!(world.open_error("A", lock(Lock::Exclusive)), ErrorKind::WouldBlock);
    drop(world.open("A", lock(Lock::None)));
    drop(first);
    assert_eq!(world.open_error("A", lock(Lock::Exclusive)), ErrorKind::WouldBlock);
    drop(second);
    let alone = world.open("A", lock(Lock::Exclusive));
    assert_eq!(world.open_error("A", lock(Lock::Shared)), ErrorKind::WouldBlock);
    assert_eq!(world.open_error("A", lock(Lock::Exclusive)), ErrorKind::WouldBlock);
    drop(world.open("B", lock(Lock::Exclusive)));
    drop(alone);
    drop(world.open(
        "A",
        Open {
            lock: Lock::Exclusive,
            ..READ
        },
    ));
}

/// D5: a lock is of the file, not of the name.
fn a_lock_goes_with_the_file(world: &World) {
    let alone = Open {
        lock: Lock::Exclusive,
        ..IF_MISSING
    };
    let held = world.open("A", alone);
    world.disk.rename(&world.path("A"), &world.path("B")).expect("a rename");
    assert_eq!(world.open_error("B", alone), ErrorKind::WouldBlock);
    let other = world.open("A", alone);
    world
        .disk
        .rename(&world.path("A"), &world.path("B"))
        .expect("a rename over a locked file");
    assert_eq!(world.open_error("B", alone), ErrorKind::WouldBlock);
    drop(other);
    drop(world.open("B", alone));
    drop(held);
}

/// Whoever holds the lock of a name has the file that the name leads to, however often others replace it under theirs.
fn a_lock_is_on_the_file_that_has_the_name(world: &World) {
    const LAST: u8 = 200;
    let alone = Open {
        lock: Lock::Exclusive,
        ..WRITE
    };
    let path = world.path("A");
    write(&*world.open("A", NEW), 0, &[0]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=LAST {
                let held = loop {
                    if let Ok(held) = world.disk.open(&path, alone) {
                        break held;
                    }
                };
                let new = world.open("A.NEW", NEW);
                write(&*new, 0, &[number]);
                world.disk.rename(&world.path("A.NEW"), &path).expect("a rename");
                drop(held);
            }
        });
        let mut seen = 0;
        while seen < LAST {
            if let Ok(held) = world.disk.open(&path, alone) {
                seen = read(&*held, 0, 1)[0];
                assert_eq!(
                    read(&*world.open("A", READ), 0, 1),
                    [seen],
                    "the lock is on a file without a name"
                );
            }
        }
    });
}

fn a_directory_can_be_locked(world: &World) {
    let alone = Open {
        lock: Lock::Exclusive,
        ..DIRECTORY
    };
    let held = world.open("", alone);
    assert!(world.disk.open(&world.root, alone).is_err());
    drop(held);
    world.open("", alone);
}

fn rename_replaces(world: &World) {
    write(&*world.open("A", NEW), 0, b"new");
    let old = world.open("B", NEW);
    write(&*old, 0, b"old");
    world.disk.rename(&world.path("A"), &world.path("B")).expect("a rename");
    assert_eq!(world.names(), [("B".to_string(), 3)]);
    assert_eq!(read(&*world.open("B", READ), 0, 9), b"new");
    assert_eq!(read(&*old, 0, 9), b"old", "the replaced file is gone for its holder");
    world
        .disk
        .rename(&world.path("B"), &world.path("B"))
        .expect("a rename to itself");
    assert_eq!(read(&*world.open("B", READ), 0, 9), b"new");
    let error = world
        .disk
        .rename(&world.path("A"), &world.path("C"))
        .expect_err("it had no name");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("/A"), "no name in: {error}");
}

fn a_removed_file_lives_on_in_its_handle(world: &World) {
    let file = world.open("A", NEW);
    write(&*file, 0, b"here");
    world.disk.remove(&world.path("A")).expect("a removal");
    assert_eq!(world.open_error("A", READ), ErrorKind::NotFound);
    assert_eq!(world.names(), []);
    write(&*file, 4, b" still");
    assert_eq!(read(&*file, 0, 99), b"here still");
    assert_eq!(
        world.disk.remove(&world.path("A")).expect_err("no name").kind(),
        ErrorKind::NotFound
    );
    assert_eq!(
        world.open("A", NEW).size(None).expect("a length"),
        0,
        "a new file has bytes of an old one"
    );
}

fn directories_are_made_listed_synced_and_removed(world: &World) {
    assert_eq!(world.open_error("V", DIRECTORY), ErrorKind::NotFound);
    assert_eq!(
        world.disk.list(&world.path("V")).expect_err("no directory").kind(),
        ErrorKind::NotFound
    );
    let made = world.open(
        "V",
        Open {
            create: Create::New,
            ..DIRECTORY
        },
    );
    assert_eq!(
        world.open_error(
            "V",
            Open {
                create: Create::New,
                ..DIRECTORY
            }
        ),
        ErrorKind::AlreadyExists
    );
    drop(world.open(
        "V",
        Open {
            create: Create::IfMissing,
            ..DIRECTORY
        },
    ));
    write(&*world.open("V/B", NEW), 0, b"12345");
    world.open("V/A", NEW);
    write(&*world.open("VA", NEW), 0, b"1");
    made.sync().expect("a sync of a directory");

    let mut inside = world.disk.list(&world.path("V")).expect("a list");
    inside.sort();
    assert_eq!(inside, [(PathBuf::from("A"), 0), (PathBuf::from("B"), 5)]);
    assert_eq!(world.names(), [("VA".to_string(), 1)], "files of this directory only");

    assert_eq!(
        world.disk.remove(&world.path("V")).expect_err("not empty").kind(),
        ErrorKind::DirectoryNotEmpty
    );
    world
        .disk
        .rename(&world.path("V/A"), &world.path("A"))
        .expect("a rename out of the directory");
    world.disk.remove(&world.path("V/B")).expect("a removal");
    world
        .disk
        .remove(&world.path("V"))
        .expect("a removal of an empty directory");
    assert_eq!(world.open_error("V", DIRECTORY), ErrorKind::NotFound);
}

fn a_directory_is_no_file_and_a_file_no_directory(world: &World) {
    world.open(
        "V",
        Open {
            create: Create::New,
            ..DIRECTORY
        },
    );
    world.open("A", NEW);
    assert_eq!(world.open_error("V", READ), ErrorKind::IsADirectory);
    assert_eq!(world.open_error("V", WRITE), ErrorKind::IsADirectory);
    assert_eq!(world.open_error("A", DIRECTORY), ErrorKind::NotADirectory);
    assert_eq!(
        world.disk.list(&world.path("A")).expect_err("a file").kind(),
        ErrorKind::NotADirectory
    );
    assert_eq!(
        world
            .disk
            .rename(&world.path("A"), &world.path("V"))
            .expect_err("a directory")
            .kind(),
        ErrorKind::IsADirectory
    );
    let directory = world.open("V", DIRECTORY);
    let mut buf = [0; 4];
    let read = directory.read(&mut [ReadAt {
        at: 0,
        buf: &mut buf,
        got: 0,
    }]);
    let write = directory.write(&[WriteAt { at: 0, buf: b"1234" }]);
    let cut = directory.size(Some(0)).map(|_| ());
    let length = directory.size(None).map(|_| ());
    for result in [read, write, cut, length] {
        assert_eq!(result.expect_err("it was done").kind(), ErrorKind::IsADirectory);
    }
}

fn one_path_has_many_spellings(world: &World) {
    let spelled = world.root.join(".//A");
    write(&*world.disk.open(&spelled, NEW).expect("a file"), 0, b"one");
    assert_eq!(read(&*world.open("A", READ), 0, 9), b"one");
}

fn impossible_offsets_are_refused(world: &World) {
    let file = world.open("A", NEW);
    let most = u64::MAX - 2;
    assert!(file
        .write(&[WriteAt {
            at: most,
            buf: b"12345"
        }])
        .is_err());
    let scattered: Vec<_> = (0..20)
        .map(|index| WriteAt {
            at: most - index * 100,
            buf: b"12345",
        })
        .collect();
    assert_eq!(
        file.write(&scattered).expect_err("no file is so long").kind(),
        ErrorKind::FileTooLarge
    );
    write(&*file, 0, b"text");
    assert_eq!(read(&*file, u64::MAX, 4), []);
    let mut buffers = [[0xEE; 4]; 20];
    let mut batch: Vec<_> = buffers
        .iter_mut()
        .map(|buf| ReadAt {
            at: u64::MAX,
            buf,
            got: 9,
        })
        .collect();
    batch[7].at = 0;
    file.read(&mut batch).expect("reads past the end");
    let got: Vec<usize> = batch.iter().map(|read| read.got).collect();
    assert_eq!(got, [[0; 7].as_slice(), &[4], &[0; 12]].concat());
    file.size(Some(0)).expect("a cut");
    let grown = file.size(Some(u64::MAX)).expect_err("no disk has so much");
    assert_eq!(grown.kind(), ErrorKind::FileTooLarge, "{grown}");
    assert_eq!(file.size(None).expect("a length"), 0);
}

fn errors_say_what_and_where(world: &World) {
    let error = world
        .disk
        .open(&world.path("MISSING.DATA"), READ)
        .expect_err("no such file");
    assert!(error.to_string().starts_with("cannot open "), "{error}");
    let inner = DiskError::of(&error).expect("the disk's own error");
    assert_eq!(inner.path, world.path("MISSING.DATA"));
    assert!(DiskError::of(&std::io::Error::other("another")).is_none());
}

/// Threads use one handle at once, each in its own part of the file.
fn many_threads_share_a_handle(world: &World) {
    let file = world.open("A", NEW);
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let file = &file;
            scope.spawn(move || {
                for round in 0..20u8 {
                    let base = u64::from(thread) * 100_000;
                    let data = [thread * 32 + round; 700];
                    let batch: Vec<_> = (0..10)
                        .map(|index| WriteAt {
                            at: base + index * 1_000,
                            buf: &data,
                        })
                        .collect();
                    file.write(&batch).expect("a batch");
                    assert_eq!(read(&**file, base + 9_000, 700), data);
                }
            });
        }
    });
}

macro_rules! worlds {
    ($($test:ident)*) => {
        mod memory { $(#[test] fn $test() { super::$test(&super::memory(stringify!($test))) })* }
        mod simulated { $(#[test] fn $test() { super::$test(&super::simulated(stringify!($test))) })* }
        mod counted { $(#[test] fn $test() { super::$test(&super::counted(stringify!($test))) })* }
        #[cfg(target_os = "linux")]
        mod linux { $(#[test] fn $test() { super::$test(&super::linux(stringify!($test))) })* }
        #[cfg(target_os = "linux")]
        mod linux_without_uring { $(#[test] fn $test() { super::$test(&super::plain_linux(stringify!($test))) })* }
    };
}

worlds! {
    writes_are_read_back
    a_read_is_short_only_at_the_end
    a_file_grows_with_zeros_and_is_cut
    a_batch_is_many_requests
    create_does_what_it_says
    a_handle_for_reading_does_not_write
    locks_keep_others_out
    a_lock_goes_with_the_file
    a_lock_is_on_the_file_that_has_the_name
    a_directory_can_be_locked
    rename_replaces
    a_removed_file_lives_on_in_its_handle
    directories_are_made_listed_synced_and_removed
    a_directory_is_no_file_and_a_file_no_directory
    one_path_has_many_spellings
    impossible_offsets_are_refused
    errors_say_what_and_where
    many_threads_share_a_handle
}

fn within(disk: impl Disk + 'static, root: &Path, kept: Option<Scratch>) -> World {
    World {
        disk: Box::new(disk),
        root: root.to_path_buf(),
        _kept: kept,
    }
}

fn memory(_: &str) -> World {
    within(MemoryDisk::from(Image::with_directories(["/v"])), Path::new("/v"), None)
}

fn simulated(_: &str) -> World {
    within(SimDisk::from(Image::with_directories(["/v"])), Path::new("/v"), None)
}

fn counted(_: &str) -> World {
    within(
        Counted::new(MemoryDisk::from(Image::with_directories(["/v"]))),
        Path::new("/v"),
        None,
    )
}

#[cfg(target_os = "linux")]
fn linux(test: &str) -> World {
    let scratch = Scratch::new(test);
    within(cica_disk::LinuxDisk::new(), &scratch.0.clone(), Some(scratch))
}

#[cfg(target_os = "linux")]
fn plain_linux(test: &str) -> World {
    let scratch = Scratch::new(&format!("plain-{test}"));
    within(cica_disk::LinuxDisk::without_uring(), &scratch.0.clone(), Some(scratch))
}
