//! Counts are what was asked, no more and no less.

use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Counted, Counts, Create, Disk, Open, ReadAt, SimDisk, WriteAt};
use std::path::Path;

#[test]
fn every_call_and_byte_is_counted() {
    let sim = SimDisk::new();
    let disk = Counted::new(sim.clone());
    let (a, b) = (Path::new("/A"), Path::new("/B"));
    let file = disk
        .open(
            a,
            Open {
                write: true,
                create: Create::New,
                ..Open::default()
            },
        )
        .expect("a file");
    file.write(&[WriteAt { at: 0, buf: &[1; 100] }, WriteAt { at: 200, buf: &[1; 50] }])
        .expect("a batch");
    let before = disk.counts();
    let (mut one, mut other) = ([0; 300], [0; 10]);
    file.read(&mut [
        ReadAt {
            at: 0,
            buf: &mut one,
            got: 0,
        },
        ReadAt {
            at: 5,
            buf: &mut other,
            got: 0,
        },
    ])
    .expect("it");
    let read = Counts {
        reads: 1,
        read_requests: 2,
        read_bytes: 260,
        ..Counts::default()
    };
    assert_eq!(disk.counts() - before, read);
    let (at, got) = (5, 0);
    file.read(&mut [ReadAt { at, buf: &mut [], got }]).expect("nothing");
    assert_eq!(disk.counts() - before, read, "to say what is wanted next is no call");
    file.size(Some(10)).expect("a cut");
    file.size(None).expect("a length");
    file.sync().expect("a sync");
    disk.rename(a, b).expect("a rename");
    disk.list(Path::new("/")).expect("a list");
    disk.remove(b).expect("a removal");
    let all = Counts {
        opens: 1,
        writes: 1,
        write_requests: 2,
        write_bytes: 150,
        syncs: 1,
        sizes: 2,
        renames: 1,
        removes: 1,
        lists: 1,
        ..read
    };
    assert_eq!(disk.counts(), all);
    assert_eq!(all.calls(), 9);
    assert_eq!(all.calls(), sim.calls().of(Call::Any));
    let twice = Counts {
        opens: 2,
        reads: 3,
        read_requests: 5,
        read_bytes: 700,
        writes: 4,
        write_requests: 9,
        write_bytes: 999,
        syncs: 6,
        sizes: 7,
        renames: 8,
        removes: 9,
        lists: 10,
    };
    let rest = Counts {
        opens: 1,
        reads: 2,
        read_requests: 3,
        read_bytes: 440,
        writes: 3,
        write_requests: 7,
        write_bytes: 849,
        syncs: 5,
        sizes: 5,
        renames: 7,
        removes: 8,
        lists: 9,
    };
    assert_eq!(twice - all, rest);
}

#[test]
fn a_failed_call_is_counted_and_its_bytes_read_are_not() {
    let disk = Counted::new(SimDisk::new());
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    let file = disk.open(Path::new("/A"), how).expect("a file");
    assert!(disk.open(Path::new("/A"), how).is_err());
    disk.disk().set_faults(Faults::none().fail(Call::Any, 1, Errno::Io));
    assert!(file
        .read(&mut [ReadAt {
            at: 0,
            buf: &mut [0; 9],
            got: 0
        }])
        .is_err());
    let expected = Counts {
        opens: 2,
        reads: 1,
        read_requests: 1,
        ..Counts::default()
    };
    assert_eq!(disk.counts(), expected);
}
