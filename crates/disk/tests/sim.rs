//! What the simulated disk loses, tears, forgets and refuses, and what it must not.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::sim::{Call, CrashPoint, Dropped, Errno, Event, Faults, Survival};
use cica_disk::{Create, Disk, DiskError, File, Image, Lock, MemoryDisk, Open, ReadAt, SimDisk, WriteAt};
use common::{read, write};
use std::io::ErrorKind;
use std::path::Path;

const READ: Open = Open {
    write: false,
    create: Create::No,
    lock: Lock::None,
    direct: false,
    window: 0,
    directory: false,
};
const NEW: Open = Open {
    write: true,
    create: Create::New,
    ..READ
};
const DIRECTORY: Open = Open {
    directory: true,
    ..READ
};

fn disk() -> SimDisk {
    SimDisk::from(Image::with_directories(["/v", "/w"]))
}

fn open(disk: &dyn Disk, path: &str, how: Open) -> Box<dyn File> {
    disk.open(Path::new(path), how)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn sync_names(disk: &dyn Disk, directory: &str) {
    open(disk, directory, DIRECTORY).sync().expect("a sync of a directory");
}

/// A durable file of `len` bytes, each `fill`.
fn durable_file(disk: &SimDisk, path: &str, fill: u8, len: usize) -> Box<dyn File> {
    let file = open(disk, path, NEW);
    write(&*file, 0, &vec![fill; len]);
    file.sync().expect("a sync");
    sync_names(disk, Path::new(path).parent().and_then(Path::to_str).expect("a parent"));
    file
}

fn bytes(image: &Image, path: &str) -> Option<Vec<u8>> {
    image.bytes(Path::new(path))
}

fn names(image: &Image) -> Vec<&str> {
    image.files().filter_map(Path::to_str).collect()
}

/// The images of every subset of the pending changes.
fn subsets(point: &CrashPoint<'_>) -> impl Iterator<Item = Image> {
    let images: Vec<_> = (0..1 << point.pending().len())
        .map(|survivors| point.image_of(survivors))
        .collect();
    images.into_iter()
}

#[test]
fn a_synced_write_is_in_every_image_and_an_unsynced_one_in_half() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 100);
    write(&*file, 10, &[2; 10]);
    write(&*file, 20, &[3; 10]);
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    assert_eq!(point.pending().len(), 2);
    let images: Vec<_> = subsets(&point)
        .map(|image| bytes(&image, "/v/A").expect("the file"))
        .collect();
    let middle: Vec<_> = images.iter().map(|bytes| (bytes[10], bytes[20])).collect();
    assert_eq!(middle, [(1, 1), (2, 1), (1, 3), (2, 3)]);
    assert!(images
        .iter()
        .all(|bytes| bytes[..10] == [1; 10] && bytes[30..] == [1; 70]));

    file.sync().expect("a sync");
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    assert_eq!(point.pending().len(), 0);
    assert_eq!(bytes(&point.image_of(0), "/v/A"), bytes(&disk.image(), "/v/A"));
}

/// D1: of the same file.
#[test]
fn a_sync_is_of_its_file_alone_through_any_handle() {
    let disk = disk();
    let (one, other) = (durable_file(&disk, "/v/A", 1, 4), durable_file(&disk, "/v/B", 1, 4));
    write(&*one, 0, b"A");
    write(&*other, 0, b"B");
    open(&disk, "/v/A", READ).sync().expect("a sync through another handle");
    let trace = disk.trace();
    let image = trace.crash_after(disk.events()).image_of(0);
    assert_eq!(
        (
            image.bytes(Path::new("/v/A")).expect("A")[0],
            image.bytes(Path::new("/v/B")).expect("B")[0]
        ),
        (b'A', 1)
    );
}

#[test]
fn overlapping_survivors_keep_their_order() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 0, 8);
    for value in 1..=3 {
        write(&*file, 0, &[value; 8]);
    }
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    let left: Vec<_> = subsets(&point)
        .map(|image| bytes(&image, "/v/A").expect("the file")[0])
        .collect();
    assert_eq!(left, [0, 1, 2, 2, 3, 3, 3, 3]);
}

/// D2, at sectors of the device, not of the write.
#[test]
fn a_write_is_torn_at_sectors_of_the_file() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 0, 2_048);
    write(&*file, 500, &[9; 1_036]);
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    assert_eq!(point.pending().map(Event::sectors).collect::<Vec<_>>(), [3]);
    let left = |survival| {
        let image = point.image(|_, _| survival);
        let bytes = bytes(&image, "/v/A").expect("the file");
        let changed: Vec<_> = (0..2_048).filter(|index| bytes[*index] == 9).collect();
        (changed.len(), changed.first().copied(), changed.last().copied())
    };
    assert_eq!(left(Survival::Lost), (0, None, None));
    assert_eq!(left(Survival::First(1)), (12, Some(500), Some(511)));
    assert_eq!(left(Survival::First(2)), (524, Some(500), Some(1_023)));
    assert_eq!(left(Survival::First(3)), (1_036, Some(500), Some(1_535)));
    assert_eq!(left(Survival::Sectors(0b010)), (512, Some(512), Some(1_023)));
    assert_eq!(left(Survival::Sectors(0b101)), (524, Some(500), Some(1_535)));
    assert_eq!(left(Survival::Whole), left(Survival::First(99)));
}

#[test]
fn a_torn_append_may_leave_a_hole_or_a_short_file() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 512);
    write(&*file, 512, &[2; 1_024]);
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    let left = |survival| bytes(&point.image(|_, _| survival), "/v/A").expect("the file");
    assert_eq!(left(Survival::First(1)).len(), 1_024);
    assert_eq!(left(Survival::Sectors(0b10)), [[1; 512], [0; 512], [2; 512]].concat());
}

#[test]
fn a_length_is_lost_like_a_write() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 1_000);
    file.size(Some(10)).expect("a cut");
    file.size(Some(500)).expect("growth");
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    let left: Vec<_> = subsets(&point)
        .map(|image| {
            let bytes = bytes(&image, "/v/A").expect("the file");
            (bytes.len(), bytes.iter().filter(|byte| **byte == 1).count())
        })
        .collect();
    assert_eq!(left, [(1_000, 1_000), (10, 10), (500, 500), (500, 10)]);
}

/// D4.
#[test]
fn a_name_is_durable_with_its_directory_only() {
    let disk = disk();
    let file = open(&disk, "/v/A", NEW);
    write(&*file, 0, b"data");
    file.sync().expect("a sync of the file");
    sync_names(&disk, "/w");
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    let left: Vec<_> = subsets(&point).map(|image| bytes(&image, "/v/A")).collect();
    assert_eq!(left, [None, Some(b"data".to_vec())]);

    sync_names(&disk, "/v");
    disk.remove(Path::new("/v/A")).expect("a removal");
    let trace = disk.trace();
    let left: Vec<_> = subsets(&trace.crash_after(disk.events()))
        .map(|image| bytes(&image, "/v/A"))
        .collect();
    assert_eq!(left, [Some(b"data".to_vec()), None]);
}

#[test]
fn a_rename_survives_whole_or_not_and_may_outrun_the_data() {
    let disk = disk();
    durable_file(&disk, "/v/A", 1, 4);
    let new = open(&disk, "/v/A.NEW", NEW);
    write(&*new, 0, b"new!");
    disk.rename(Path::new("/v/A.NEW"), Path::new("/v/A")).expect("a rename");
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    assert_eq!(point.pending().len(), 3, "create, write, rename");
    for (survivors, image) in subsets(&point).enumerate() {
        let (created, written, renamed) = (survivors & 1 != 0, survivors & 2 != 0, survivors & 4 != 0);
        let content: &[u8] = if written { b"new!" } else { b"" };
        let target = if renamed { content } else { &[1; 4] };
        assert_eq!(bytes(&image, "/v/A").as_deref(), Some(target));
        assert_eq!(
            bytes(&image, "/v/A.NEW").as_deref(),
            (created && !renamed).then_some(content)
        );
    }
}

#[test]
fn a_rename_to_another_directory_is_two_changes() {
    let disk = disk();
    durable_file(&disk, "/v/A", 1, 4);
    disk.rename(Path::new("/v/A"), Path::new("/w/B")).expect("a rename");
    let all = |disk: &SimDisk| {
        let trace = disk.trace();
        let mut left: Vec<_> = subsets(&trace.crash_after(disk.events()))
            .map(|i| names(&i).join(" "))
            .collect();
        left.sort();
        left
    };
    assert_eq!(all(&disk), ["", "/v/A", "/v/A /w/B", "/w/B"]);
    sync_names(&disk, "/w");
    assert_eq!(all(&disk), ["/v/A /w/B", "/w/B"]);
    let trace = disk.trace();
    let twice = MemoryDisk::from(trace.crash_after(disk.events()).image_of(0));
    twice.remove(Path::new("/v/A")).expect("one of two names");
    assert_eq!(
        read(&*open(&twice, "/w/B", READ), 0, 9),
        [1; 4],
        "the other name lost its file"
    );
    sync_names(&disk, "/v");
    assert_eq!(all(&disk), ["/w/B"]);
}

#[test]
fn what_lies_in_a_lost_directory_is_lost() {
    let disk = SimDisk::new();
    let directory = open(
        &disk,
        "/v",
        Open {
            create: Create::New,
            ..DIRECTORY
        },
    );
    let file = open(&disk, "/v/A", NEW);
    file.sync().expect("a sync");
    directory
        .sync()
        .expect("a sync of the directory itself, which is not one of its name");
    let trace = disk.trace();
    let left: Vec<_> = subsets(&trace.crash_after(disk.events()))
        .map(|image| names(&image).len())
        .collect();
    assert_eq!(left, [0, 1]);
    sync_names(&disk, "/");
    let trace = disk.trace();
    assert_eq!(names(&trace.crash_after(disk.events()).image_of(0)), ["/v/A"]);
}

/// The explorer's walk and a jump agree, at every point and for random fates.
#[test]
fn walking_to_a_point_is_jumping_there() {
    let disk = disk();
    let files: Vec<_> = (0..4).map(|index| open(&disk, &format!("/v/F{index}"), NEW)).collect();
    let mut seed = 1u64;
    let mut random = |bound: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % bound
    };
    for step in 0..300u64 {
        let file = &files[random(4) as usize];
        match random(10) {
            0 => file.sync().expect("a sync"),
            1 => sync_names(&disk, "/v"),
            2 => drop(file.size(Some(random(20_000))).expect("a length")),
            3 => {
                let name = |index| format!("/v/{}", ["X", "Y", "Z"][index as usize % 3]);
                drop(disk.open(Path::new(&name(step)), NEW));
                drop(disk.rename(Path::new(&name(step)), Path::new(&name(step + random(3)))));
            }
            _ => write(&**file, random(20_000), &vec![step as u8; random(3_000) as usize]),
        }
    }
    let trace = disk.trace();
    let mut walk = trace.crash_point();
    for position in 0..=trace.events().len() {
        let jump = trace.crash_after(position);
        let fates: Vec<_> = (0..jump.pending().len())
            .map(|_| {
                [
                    Survival::Lost,
                    Survival::Whole,
                    Survival::Sectors(0b1011),
                    Survival::First(2),
                ][random(4) as usize]
            })
            .collect();
        let (one, other) = (walk.image(|index, _| fates[index]), jump.image(|index, _| fates[index]));
        assert_eq!(names(&one), names(&other));
        assert!(
            one.files().all(|path| one.bytes(path) == other.bytes(path)),
            "differ after {position} events"
        );
        let everything = walk.image(|_, _| Survival::Whole);
        if position == trace.events().len() {
            assert_eq!(names(&everything), names(&disk.image()));
            assert!(everything
                .files()
                .all(|path| everything.bytes(path) == disk.image().bytes(path)));
        }
        assert_eq!(walk.advance().is_some(), position < trace.events().len());
    }
}

/// A recovery on an image is traced too, and starts from it.
#[test]
fn a_crash_during_recovery() {
    let first = disk();
    let file = durable_file(&first, "/v/A", 1, 512);
    write(&*file, 0, &[2; 512]);
    let trace = first.trace();
    let second = SimDisk::from(trace.crash_after(first.events()).image_of(0));
    assert_eq!(second.events(), 0);
    let file = open(&second, "/v/A", Open { write: true, ..READ });
    assert_eq!(read(&*file, 0, 1), [1]);
    write(&*file, 0, &[3; 100]);
    let trace = second.trace();
    let left: Vec<_> = subsets(&trace.crash_after(second.events()))
        .map(|image| bytes(&image, "/v/A").expect("it")[0])
        .collect();
    assert_eq!(left, [1, 3]);
    assert_eq!(
        read(&*open(&first, "/v/A", READ), 0, 1),
        [2],
        "the first disk was changed by the second"
    );
}

#[test]
fn images_share_what_they_have_in_common() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 100_000);
    write(&*file, 0, b"x");
    let trace = disk.trace();
    let point = trace.crash_after(disk.events());
    let (one, other) = (MemoryDisk::from(point.image_of(1)), MemoryDisk::from(point.image_of(1)));
    write(&*open(&one, "/v/A", Open { write: true, ..READ }), 50_000, &[7; 10]);
    assert_eq!(read(&*open(&other, "/v/A", READ), 50_000, 1), [1]);
    assert_eq!(bytes(&point.image_of(1), "/v/A").expect("it")[50_000], 1);
    assert_eq!(bytes(&one.image(), "/v/A").expect("it")[50_000], 7);
}

/// D3: the writes a failed sync covered are gone, at once or when the cache forgets them, and no later sync helps.
#[test]
fn a_failed_sync_may_drop_what_it_covered() {
    for dropped in [Dropped::Gone, Dropped::StillRead] {
        let disk = disk();
        let file = durable_file(&disk, "/v/A", 1, 8);
        disk.set_faults(Faults::none().forgetful_sync(1, dropped, Errno::Io));
        write(&*file, 0, &[2; 4]);
        file.size(Some(6)).expect("a cut");
        let error = file.sync().expect_err("the fault");
        assert_eq!(DiskError::of(&error).and_then(DiskError::raw_os_error), Some(5));
        write(&*file, 7, &[3]);
        file.sync()
            .expect("a sync that tells nothing of what the first one lost");
        let seen = read(&*file, 0, 9);
        let expected: &[u8] = if dropped == Dropped::Gone {
            &[1, 1, 1, 1, 1, 1, 1, 3]
        } else {
            &[2, 2, 2, 2, 1, 1, 0, 3]
        };
        assert_eq!(seen, expected);
        let trace = disk.trace();
        let point = trace.crash_after(disk.events());
        assert_eq!(bytes(&point.image_of(0), "/v/A").expect("it"), [1, 1, 1, 1, 1, 1, 1, 3]);
    }
}

#[test]
fn a_failed_sync_that_drops_nothing_makes_nothing_durable() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 8);
    disk.set_faults(Faults::none().fail(Call::Sync, 1, Errno::Io));
    write(&*file, 0, &[2; 4]);
    assert!(file.sync().is_err());
    let trace = disk.trace();
    assert_eq!(trace.crash_after(disk.events()).pending().len(), 1);
    assert_eq!(read(&*file, 0, 1), [2]);
}

#[test]
fn each_kind_of_call_fails_at_its_nth_once_or_for_ever() {
    let workload = |disk: &SimDisk| -> Vec<bool> {
        let path = Path::new("/v/A");
        let mut done = Vec::new();
        for _ in 0..3 {
            let opened = disk.open(
                path,
                Open {
                    create: Create::IfMissing,
                    ..NEW
                },
            );
            done.push(opened.is_ok());
            if let Ok(file) = opened {
                done.push(file.write(&[WriteAt { at: 0, buf: b"data" }]).is_ok());
                done.push(
                    file.read(&mut [ReadAt {
                        at: 0,
                        buf: &mut [0; 4],
                        got: 0,
                    }])
                    .is_ok(),
                );
                done.push(file.size(Some(9)).is_ok());
                done.push(file.sync().is_ok());
                done.push(
                    file.read_back(&mut [ReadAt {
                        at: 0,
                        buf: &mut [0; 4],
                        got: 0,
                    }])
                    .is_ok(),
                );
            }
            done.push(disk.list(Path::new("/v")).is_ok());
            done.push(disk.rename(path, Path::new("/v/B")).is_ok());
            done.push(disk.remove(Path::new("/v/B")).is_ok());
        }
        done
    };
    let good = disk();
    assert!(workload(&good).into_iter().all(|done| done));
    let kinds = [
        Call::Open,
        Call::Read,
        Call::ReadBack,
        Call::Write,
        Call::Sync,
        Call::Size,
        Call::Rename,
        Call::Remove,
        Call::List,
    ];
    for call in kinds {
        assert_eq!(good.calls().of(call), 3, "{call:?}");
        for nth in 1..=3 {
            let once = disk();
            once.set_faults(Faults::none().fail(call, nth, Errno::Denied));
            assert!(workload(&once).contains(&false), "{call:?} {nth} did not fail");
            assert!(once.calls().of(call) >= nth);
            let for_ever = disk();
            for_ever.set_faults(Faults::none().fail_from(call, nth, Errno::Denied));
            let failures = workload(&for_ever).into_iter().filter(|done| !done).count();
            assert!(
                failures >= 4 - nth as usize,
                "{call:?} from {nth} on failed {failures} times"
            );
        }
        let never = disk();
        never.set_faults(Faults::none().fail(call, 4, Errno::Denied));
        assert!(
            workload(&never).into_iter().all(|done| done),
            "{call:?} failed without a fourth call"
        );
    }
    assert_eq!(good.calls().of(Call::Any), 27);
    for nth in 1..=27 {
        let disk = disk();
        disk.set_faults(Faults::none().fail(Call::Any, nth, Errno::Io));
        assert!(workload(&disk).contains(&false), "call {nth} did not fail");
    }
}

#[test]
fn a_failed_call_does_nothing() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 4);
    let (events, before) = (disk.events(), disk.image());
    let always = [Call::Write, Call::Size, Call::Rename, Call::Remove, Call::Open];
    disk.set_faults(
        always
            .into_iter()
            .fold(Faults::none(), |plan, call| plan.fail_from(call, 1, Errno::Io)),
    );
    assert!(file.write(&[WriteAt { at: 0, buf: b"lost" }]).is_err());
    assert!(file.size(Some(0)).is_err());
    assert!(disk.rename(Path::new("/v/A"), Path::new("/v/B")).is_err());
    assert!(disk.remove(Path::new("/v/A")).is_err());
    assert!(disk.open(Path::new("/v/C"), NEW).is_err());
    assert_eq!(disk.events(), events);
    assert_eq!(names(&disk.image()), names(&before));
    assert_eq!(bytes(&disk.image(), "/v/A"), bytes(&before, "/v/A"));
}

#[test]
fn a_short_write_leaves_its_first_bytes() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 0, 12);
    disk.set_faults(Faults::none().short_write(2, 5, Errno::NoSpace));
    write(&*file, 0, b"x");
    let batch = [
        WriteAt { at: 0, buf: b"abc" },
        WriteAt { at: 4, buf: b"defg" },
        WriteAt { at: 9, buf: b"hi" },
    ];
    let error = file.write(&batch).expect_err("the fault");
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(read(&*file, 0, 12), b"abc\0de\0\0\0\0\0\0");
    write(&*file, 11, b"!");
}

#[test]
fn space_runs_out_and_comes_back() {
    let disk = disk();
    let file = open(&disk, "/v/A", NEW);
    let other = open(&disk, "/v/B", NEW);
    disk.set_faults(Faults::none().space(10_000));
    assert_eq!(file.size(Some(6_000)).expect("there is space"), 6_000);
    write(&*other, 0, &[1; 4_000]);
    for result in [
        other.write(&[WriteAt { at: 4_000, buf: b"x" }]),
        file.size(Some(6_001)).map(|_| ()),
        other.write(&[WriteAt { at: 3_999, buf: b"xx" }]),
    ] {
        assert_eq!(result.expect_err("full").kind(), ErrorKind::StorageFull);
    }
    write(&*file, 0, &[2; 6_000]);
    assert_eq!(
        (file.size(None).expect("a length"), other.size(None).expect("a length")),
        (6_000, 4_000)
    );
    file.size(Some(5_000)).expect("a cut");
    write(&*other, 4_000, &[1; 1_000]);
    disk.remove(Path::new("/v/A")).expect("a removal");
    assert_eq!(other.size(Some(10_000)).expect("space of the removed file"), 10_000);
}

#[test]
fn writes_are_lost_misdirected_and_flipped_silently() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 0, 64);
    disk.set_faults(Faults::none().lose_write(2).misdirect_write(3, 40).flip_write(4, 9));
    let batch: Vec<_> = (0..4)
        .map(|index| WriteAt {
            at: index * 10,
            buf: b"\x10\x10",
        })
        .collect();
    file.write(&batch).expect("it says it is done");
    file.sync().expect("it says it is durable");
    let mut expected = [0; 64];
    expected[0..2].fill(0x10);
    expected[40..42].fill(0x10);
    expected[30..32].copy_from_slice(&[0x10, 0x12]);
    assert_eq!(read(&*file, 0, 64), expected);
    let trace = disk.trace();
    assert_eq!(
        bytes(&trace.crash_after(disk.events()).image_of(0), "/v/A").expect("it"),
        expected
    );
}

#[test]
fn reads_are_misdirected_and_flipped_and_the_file_is_good() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 0, 0);
    write(&*file, 0, b"abcdefgh");
    disk.set_faults(Faults::none().misdirect_read(1, 4).flip_read(2, 5));
    assert_eq!(read(&*file, 0, 4), b"efgh");
    assert_eq!(read(&*file, 0, 4), b"Abcd");
    assert_eq!(read(&*file, 0, 4), b"abcd");
}

#[test]
fn to_say_what_is_wanted_next_is_no_call() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 7, 4);
    disk.set_faults(Faults::none().fail(Call::Read, 1, Errno::Io));
    let (at, got, mut buf) = (0, 0, [0; 4]);
    file.read(&mut [ReadAt { at, buf: &mut [], got }]).expect("nothing");
    file.read(&mut [ReadAt { at, buf: &mut buf, got }])
        .expect_err("the fault");
}

#[test]
fn a_fault_may_be_of_one_file() {
    let disk = disk();
    let (one, other) = (durable_file(&disk, "/v/A", 0, 4), durable_file(&disk, "/v/B", 0, 4));
    disk.set_faults(Faults::none().fail(Call::Write, 2, Errno::Quota).only("/v/B"));
    for _ in 0..3 {
        write(&*one, 0, b"x");
    }
    write(&*other, 0, b"x");
    let error = other.write(&[WriteAt { at: 0, buf: b"x" }]).expect_err("the fault");
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert!(
        error.to_string().contains("/v/B") && error.to_string().contains("os error 122"),
        "{error}"
    );
}

#[test]
fn the_device_is_damaged_behind_everybodys_back() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 0, 4);
    let events = disk.events();
    disk.flip_bit(Path::new("/v/A"), 8 + 7).expect("a bit of the file");
    assert_eq!(read(&*file, 0, 4), [0, 0x80, 0, 0]);
    disk.overwrite(Path::new("/v/A"), 2, b"zz").expect("bytes of the file");
    assert_eq!(read(&*file, 0, 4), [0, 0x80, b'z', b'z']);
    assert_eq!(disk.events(), events);
    assert!(disk.flip_bit(Path::new("/v/A"), 32).is_err());
    assert!(disk.overwrite(Path::new("/v/NONE"), 0, b"z").is_err());
}

#[test]
fn a_killed_process_leaves_its_writes_and_loses_its_locks() {
    let disk = disk();
    let alone = Open {
        lock: Lock::Exclusive,
        create: Create::IfMissing,
        ..NEW
    };
    let dead = open(&disk, "/v/A", alone);
    write(&*dead, 0, b"kept");
    assert_eq!(
        disk.open(Path::new("/v/A"), alone).expect_err("locked").kind(),
        ErrorKind::WouldBlock
    );
    disk.kill();
    let file = open(&disk, "/v/A", alone);
    assert_eq!(read(&*file, 0, 9), b"kept");
    assert!(
        dead.write(&[WriteAt { at: 0, buf: b"late" }]).is_err(),
        "a dead process wrote"
    );
    assert!(dead.sync().is_err() && dead.size(None).is_err());
    drop(dead);
    assert_eq!(
        disk.open(Path::new("/v/A"), alone).expect_err("locked").kind(),
        ErrorKind::WouldBlock
    );
    assert_eq!(read(&*file, 0, 9), b"kept");
}

#[test]
fn the_trace_tells_what_happened_in_order() {
    let disk = disk();
    let file = open(&disk, "/v/A", NEW);
    file.write(&[WriteAt { at: 0, buf: b"ab" }, WriteAt { at: 5, buf: b"c" }])
        .expect("a batch");
    file.size(Some(3)).expect("a cut");
    file.size(Some(3)).expect("no change");
    file.sync().expect("a sync");
    disk.rename(Path::new("/v/A"), Path::new("/v/./B")).expect("a rename");
    sync_names(&disk, "/v/");
    disk.remove(Path::new("/v/B")).expect("a removal");
    let trace = disk.trace();
    let told: Vec<String> = trace
        .events()
        .iter()
        .map(|event| match event {
            Event::Create { path, .. } => format!("create {}", path.display()),
            Event::Write { at, bytes, .. } => format!("write {} at {at}", bytes.len()),
            Event::Store { at, bytes, .. } => format!("store {} at {at}", bytes.len()),
            Event::Resize { len, .. } => format!("resize {len}"),
            Event::Sync { .. } => "sync".into(),
            Event::Rename { from, to, .. } => format!("rename {} {}", from.display(), to.display()),
            Event::SyncDirectory { path } => format!("sync {}", path.display()),
            Event::Remove { path } => format!("remove {}", path.display()),
            Event::Forget { .. } => "forget".into(),
        })
        .collect();
    let expected = "create /v/A, write 2 at 0, write 1 at 5, resize 3, sync, rename /v/A /v/B, sync /v, remove /v/B";
    assert_eq!(told.join(", "), expected);
    assert_eq!(trace.events().iter().filter(|event| event.is_change()).count(), 6);
    assert_eq!(names(trace.start()), [] as [&str; 0]);
}

#[test]
fn any_writes_of_a_batch_are_done_before_it_fails() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", b'.', 6);
    disk.set_faults(Faults::none().scatter_write(1, 0b101, Errno::Io));
    let batch = [
        WriteAt { at: 0, buf: b"ab" },
        WriteAt { at: 2, buf: b"cd" },
        WriteAt { at: 4, buf: b"ef" },
    ];
    assert_eq!(file.write(&batch).expect_err("the fault").raw_os_error(), None);
    assert_eq!(read(&*file, 0, 6), b"ab..ef");
    file.write(&batch).expect("once");
    assert_eq!(read(&*file, 0, 6), b"abcdef");
}

#[test]
fn a_disk_turns_read_only_and_is_read_on() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 100);
    disk.set_faults(Faults::none().read_only_from(2));
    write(&*file, 0, b"x");
    let refused = |result: std::io::Result<()>| {
        let error = result.expect_err("read only");
        assert_eq!(DiskError::of(&error).and_then(DiskError::raw_os_error), Some(30));
    };
    refused(file.write(&[WriteAt { at: 0, buf: b"y" }]));
    refused(file.sync());
    refused(file.size(Some(7)).map(drop));
    refused(disk.open(Path::new("/v/B"), NEW).map(drop));
    refused(disk.rename(Path::new("/v/A"), Path::new("/v/B")));
    refused(disk.remove(Path::new("/v/A")));
    assert_eq!(read(&*open(&disk, "/v/A", READ), 0, 2), [b'x', 1]);
    assert_eq!(file.size(None).expect("it is asked for alone"), 100);
}

#[test]
fn no_file_grows_on_a_full_disk_and_what_it_has_can_be_written() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 100);
    disk.set_faults(Faults::none().full_from(2));
    file.size(Some(200)).expect("the first");
    for to in [300, 201] {
        let error = file.size(Some(to)).expect_err("full");
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }
    write(&*file, 150, b"x");
    assert_eq!(file.size(Some(50)).expect("a cut takes no space"), 50);
}

#[test]
fn an_ignored_sync_makes_nothing_durable() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 10);
    disk.set_faults(Faults::none().ignore_sync(1));
    write(&*file, 0, b"x");
    file.sync().expect("it says so");
    let trace = disk.trace();
    let images: Vec<_> = subsets(&trace.crash_after(disk.events())).collect();
    let first = |image| bytes(image, "/v/A").and_then(|bytes| bytes.first().copied());
    assert_eq!(images.iter().map(first).collect::<Vec<_>>(), [Some(1), Some(b'x')]);
    file.sync().expect("the second is one");
    let trace = disk.trace();
    assert_eq!(subsets(&trace.crash_after(disk.events())).count(), 1);
}

#[test]
fn a_bit_turns_on_the_device_while_it_is_in_use() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 2000);
    disk.set_faults(Faults::none().rot(2, 4096 + 77));
    assert_eq!(read(&*file, 0, 2000), [1; 2000]);
    let turned = read(&*file, 0, 2000);
    let bits: u32 = turned.iter().map(|byte| (byte ^ 1).count_ones()).sum();
    assert_eq!((bits, turned[512 + 77 / 8]), (1, 1 ^ 1 << (77 % 8)));
    assert_eq!(read(&*file, 0, 2000), turned);
}

#[test]
fn reads_are_stale_and_short_and_the_file_is_good() {
    let disk = disk();
    let file = durable_file(&disk, "/v/A", 1, 8);
    write(&*file, 4, &[2; 4]);
    write(&*file, 6, &[3; 2]);
    disk.set_faults(Faults::none().stale_read(2).stale_read(3).short_read(5, 3));
    assert_eq!(read(&*file, 0, 8), [1, 1, 1, 1, 2, 2, 3, 3]);
    assert_eq!(read(&*file, 0, 8), [1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(read(&*file, 4, 2), [1, 1]);
    assert_eq!(read(&*file, 0, 8), [1, 1, 1, 1, 2, 2, 3, 3]);
    let mut buf = [0; 8];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut buf,
        got: 0,
    }];
    file.read(&mut batch).expect("no error");
    assert_eq!(batch[0].got, 3);
}
