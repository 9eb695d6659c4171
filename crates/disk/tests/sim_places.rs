//! The simulated disk's faults at each place and at their bounds: every bit, the last sector, the 65th change.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, Errno, Event, Faults, Survival};
use cica_disk::{Create, Disk, File, Image, Open, SimDisk, WriteAt};
use common::{read, write};
use std::io::ErrorKind;
use std::path::Path;

const A: &str = "/A";

fn open(disk: &SimDisk) -> Box<dyn File> {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new(A), how).unwrap()
}

/// A disk with a file of these bytes, and its handle.
fn disk_with(bytes: &[u8]) -> (SimDisk, Box<dyn File>) {
    let disk = SimDisk::new();
    let file = open(&disk);
    write(&*file, 0, bytes);
    (disk, file)
}

#[test]
fn every_bit_of_a_request_can_be_turned() {
    let bytes = [0xFF, 0x00, 0x5A];
    for bit in 0..60 {
        let mut turned = bytes;
        turned[bit / 8 % 3] ^= 1 << (bit % 8);
        let (disk, file) = disk_with(&bytes);
        disk.set_faults(Faults::none().flip_read(1, bit as u64));
        assert_eq!(read(&*file, 0, 3), turned, "bit {bit} of a read");
        assert_eq!(read(&*file, 0, 3), bytes);
        disk.set_faults(Faults::none().flip_write(1, bit as u64));
        write(&*file, 0, &bytes);
        assert_eq!(read(&*file, 0, 3), turned, "bit {bit} of a write");
    }
    let (disk, file) = disk_with(&bytes);
    disk.set_faults(Faults::none().flip_read(1, 5));
    assert_eq!(read(&*file, 3, 3), [], "there is no bit behind the end");
}

#[test]
fn every_bit_on_the_device_can_turn() {
    // One sector, and 188 bytes of another.
    let bytes = [0xFF; 700];
    for (choice, sector, bit) in [
        (0, 0, 0),
        (3, 0, 3),
        (4095, 0, 4095),
        (4096, 1, 4096 % 1504),
        (4096 + 1000, 1, 5096 % 1504),
        (2 * 4096 + 9, 0, 9),
        (3 * 4096 + 5, 1, (3 * 4096 + 5) % 1504),
    ] {
        let (disk, file) = disk_with(&bytes);
        disk.set_faults(Faults::none().rot(1, choice));
        let mut turned = bytes;
        turned[512 * sector + bit / 8] ^= 1 << (bit % 8);
        assert_eq!(read(&*file, 0, 700), turned, "choice {choice}");
    }
}

#[test]
fn what_was_there_before_is_of_that_place_alone() {
    let (disk, file) = disk_with(&[1; 8]);
    write(&*file, 4, &[2; 2]);
    for (at, before) in [(6, [0, 0]), (2, [0, 0]), (3, [1, 1]), (5, [1, 1])] {
        disk.set_faults(Faults::none().stale_read(1));
        assert_eq!(read(&*file, at, 2), before, "bytes at {at}");
    }
}

#[test]
fn a_disk_that_is_too_full_takes_what_needs_no_space() {
    let (disk, file) = disk_with(&[1; 8]);
    disk.set_faults(Faults::none().space(3));
    write(&*file, 0, &[2; 8]);
    assert_eq!(file.size(Some(8)).unwrap(), 8);
    let error = file.write(&[WriteAt { at: 8, buf: &[3] }]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(read(&*file, 0, 9), [2; 8]);
}

#[test]
fn a_disk_for_reading_alone_is_opened_for_reading_alone() {
    let (disk, _file) = disk_with(b"x");
    disk.set_faults(Faults::none().read_only_from(1));
    for (write, create, opens) in [
        (false, Create::No, true),
        (true, Create::No, false),
        (false, Create::IfMissing, false),
        (true, Create::IfMissing, false),
    ] {
        let how = Open {
            write,
            create,
            ..Open::default()
        };
        assert_eq!(disk.open(Path::new(A), how).is_ok(), opens, "{how:?}");
    }
}

#[test]
fn syncs_are_ignored_from_one_on() {
    let disk = SimDisk::from(Image::default());
    let file = open(&disk);
    let directory = Open {
        directory: true,
        ..Open::default()
    };
    disk.open(Path::new("/"), directory).unwrap().sync().unwrap();
    disk.set_faults(Faults::none().ignore_sync_from(2));
    for n in 0..4 {
        write(&*file, n, b"x");
        file.sync().unwrap();
    }
    let trace = disk.trace();
    let left = trace.crash_after(disk.events()).image(|_, _| Survival::Lost);
    assert_eq!(left.bytes(Path::new(A)), Some(b"x".to_vec()));
}

#[test]
fn the_65th_change_is_lost() {
    let disk = SimDisk::new();
    let file = open(&disk);
    for n in 0..70 {
        write(&*file, n, b"x");
    }
    let trace = disk.trace();
    let mut point = trace.crash_point();
    for position in 0..=71 {
        assert_eq!(point.position(), position);
        assert_eq!(point.pending().len(), position);
        assert_eq!(point.advance().is_some(), position < 71);
    }
    // The file's name is one of the 64.
    assert_eq!(point.image_of(u64::MAX).len(Path::new(A)), Some(63));
    assert_eq!(point.image_of(0b101).bytes(Path::new(A)), Some(b"\0x".to_vec()));
}

#[test]
fn only_a_write_survives_in_part() {
    let start = SimDisk::new();
    write(&*open(&start), 0, &[1; 600]);
    let disk = SimDisk::from(start.image());
    let file = open(&disk);
    file.size(Some(100)).unwrap();
    disk.rename(Path::new(A), Path::new("/B")).unwrap();
    let trace = disk.trace();
    assert_eq!(trace.start().len(Path::new(A)), Some(600));
    for part in [Survival::First(1), Survival::Sectors(1)] {
        let left = trace.crash_after(2).image(|_, _| part);
        assert_eq!(left.len(Path::new(A)), Some(600), "{part:?}");
        assert_eq!(left.len(Path::new("/B")), None, "{part:?}");
    }
}

#[test]
fn the_sectors_that_a_write_touches() {
    for (at, len, sectors) in [
        (0, 0, 0),
        (700, 0, 0),
        (0, 1, 1),
        (511, 2, 2),
        (600, 10, 1),
        (100, 1000, 3),
        (512, 512, 1),
    ] {
        let (disk, file) = disk_with(&[]);
        write(&*file, at, &vec![1; len]);
        let trace = disk.trace();
        let last = trace.events().last().unwrap();
        assert!(matches!(last, Event::Write { .. }));
        assert_eq!(last.sectors(), sectors, "{len} bytes at {at}");
    }
    let (disk, file) = disk_with(b"x");
    disk.set_faults(Faults::none().fail(Call::Sync, 9, Errno::Io));
    file.sync().unwrap();
    assert_eq!(disk.trace().events().last().unwrap().sectors(), 0);
}
