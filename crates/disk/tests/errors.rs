//! What people are told, and what of a disk is told for debugging.

use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{
    overwrite, Counted, Create, Disk, DiskError, File, Image, Lock, MemoryDisk, Open, ReadAt, SimDisk, WriteAt,
};
use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;

const A: &str = "/A";

fn open(disk: &dyn Disk) -> Box<dyn File> {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new(A), how).expect("a file")
}

#[test]
fn an_error_says_what_to_do_about_it() {
    let space = "; free space on its file system or raise the quota";
    for (errno, kind, remedy) in [
        (Errno::Io, None, ""),
        (Errno::NoSpace, Some(ErrorKind::StorageFull), space),
        (Errno::Quota, Some(ErrorKind::StorageFull), space),
        (
            Errno::Denied,
            Some(ErrorKind::PermissionDenied),
            "; ask its owner for the right to do so",
        ),
        (
            Errno::ReadOnly,
            Some(ErrorKind::ReadOnlyFilesystem),
            "; its file system is mounted for reading alone",
        ),
        (Errno::TooManyFiles, None, ""),
    ] {
        let disk = SimDisk::new();
        disk.set_faults(Faults::none().fail(Call::Open, 1, errno));
        let error = disk.open(Path::new(A), Open::default()).expect_err("it fails");
        let cause = std::io::Error::from_raw_os_error(errno.raw());
        assert_eq!(error.to_string(), format!("cannot open /A: {cause}{remedy}"));
        assert!(
            kind.is_none_or(|kind| error.kind() == kind),
            "{errno:?} is {:?}",
            error.kind()
        );
        let inner = DiskError::of(&error).expect("it is of a disk");
        let source = inner.source().expect("what the system said");
        assert_eq!(source.to_string(), cause.to_string());
    }
    let disk = MemoryDisk::new();
    let error = disk.open(Path::new(A), Open::default()).expect_err("nothing is there");
    assert!(
        error
            .to_string()
            .ends_with("; check the name and that its directory is there"),
        "{error}"
    );
    let exclusive = Open {
        create: Create::IfMissing,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    let _held = disk.open(Path::new(A), exclusive).expect("a lock");
    let error = disk.open(Path::new(A), exclusive).expect_err("it is locked");
    assert!(
        error
            .to_string()
            .ends_with("; it is in use, try again when its user is done"),
        "{error}"
    );
}

#[test]
fn a_bit_that_cannot_be_turned_is_named() {
    let disk = SimDisk::new();
    open(&disk)
        .write(&[WriteAt { at: 0, buf: &[0xFF; 2] }])
        .expect("a write");
    let error = disk.flip_bit(Path::new(A), 8 * 5 + 3).expect_err("it has two bytes");
    assert!(
        error.to_string().starts_with("cannot read 1 bytes at byte 5 of /A"),
        "{error}"
    );
    // One that is on goes off.
    disk.flip_bit(Path::new(A), 8 + 3).expect("it is there");
    assert_eq!(disk.image().bytes(Path::new(A)), Some(vec![0xFF, 0xF7]));
    disk.flip_bit(Path::new(A), 8 + 3).expect("it is there");
    assert_eq!(disk.image().bytes(Path::new(A)), Some(vec![0xFF, 0xFF]));
}

#[test]
fn a_file_is_overwritten_to_its_end_and_durably() {
    for length in [0, 1, (1 << 20) - 1, 1 << 20, (5 << 19) + 7] {
        let disk = Counted::new(MemoryDisk::new());
        let file = open(&disk);
        file.write(&[WriteAt {
            at: 0,
            buf: &vec![0xEE; length],
        }])
        .expect("a write");
        let before = disk.counts();
        overwrite(&*file).expect("it can be written");
        let cost = disk.counts() - before;
        assert_eq!((cost.write_bytes, cost.syncs), (length as u64, 1));
        assert_eq!(disk.disk().image().bytes(Path::new(A)), Some(vec![0; length]));
    }
}

#[test]
fn what_is_on_a_disk_is_told() {
    let disk = SimDisk::new();
    assert!(disk.image().is_empty());
    let file = open(&disk);
    assert!(!disk.image().is_empty());
    file.write(&[WriteAt { at: 0, buf: b"12345" }]).expect("a write");
    assert_eq!(format!("{disk:?}"), "SimDisk after 2 events");
    assert_eq!(format!("{:?}", file), "SimFile /A");
    let memory = MemoryDisk::from(disk.image());
    // With the two root directories.
    assert_eq!(format!("{memory:?}"), "MemoryDisk of 3 names");
    assert_eq!(format!("{:?}", open(&memory)), "MemoryFile /A");
    assert!(format!("{:?}", memory.image()).contains("5 bytes"));
    assert!(Image::with_directories(["/d"]).is_empty(), "a directory is no file");
}

#[test]
fn a_file_in_memory_has_a_tebibyte_at_most() {
    let longest = 1 << 40;
    for disk in [&MemoryDisk::new() as &dyn Disk, &SimDisk::new()] {
        let file = open(disk);
        assert_eq!(file.size(Some(longest)).expect("the longest"), longest);
        file.write(&[WriteAt {
            at: longest - 1,
            buf: &[1],
        }])
        .expect("its last byte");
        let error = file
            .write(&[WriteAt {
                at: longest - 1,
                buf: &[1; 2],
            }])
            .expect_err("too long");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert_eq!(
            file.size(Some(longest + 1)).expect_err("too long").kind(),
            ErrorKind::FileTooLarge
        );
        assert_eq!(file.size(None).expect("its length"), longest);
    }
}

/// A name goes over itself and over another file, whose last name that was.
#[test]
fn a_file_that_is_replaced_takes_no_space() {
    let disk = SimDisk::new();
    let file = open(&disk);
    file.write(&[WriteAt { at: 0, buf: &[1; 1000] }]).expect("a write");
    let other = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    let second = disk.open(Path::new("/B"), other).expect("a file");
    second.write(&[WriteAt { at: 0, buf: &[2; 500] }]).expect("a write");
    disk.rename(Path::new("/B"), Path::new("/B")).expect("itself");
    disk.rename(Path::new("/B"), Path::new(A)).expect("over the first");
    // Only what has a name counts: there is room for 500 bytes more, and for no byte more than that.
    disk.set_faults(Faults::none().space(1000));
    second
        .write(&[WriteAt {
            at: 500,
            buf: &[3; 500],
        }])
        .expect("there is room");
    let full = second
        .write(&[WriteAt { at: 1000, buf: &[3] }])
        .expect_err("it is full");
    assert_eq!(full.kind(), ErrorKind::StorageFull);
    let mut there = [0; 1000];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut there,
        got: 0,
    }];
    second.read(&mut batch).expect("a read");
    assert_eq!([there[0], there[499], there[500], there[999]], [2, 2, 3, 3]);
}
