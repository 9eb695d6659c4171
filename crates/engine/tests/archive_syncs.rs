//! What each sync of the archive's writer keeps when the power goes right behind it, by the writer alone: a data set
//! would sync the same file again soon.

use cica_disk::sim::Survival;
use cica_disk::{Clock, Disk, Image, ManualClock, SimDisk};
use cica_engine::archive::{segments, Begin, Segment, Writer};
use cica_format::archive::{FrameKind, FRAME_LEN, HEAD_LEN};
use cica_format::log::{append_insert, begin_group, finish_group, GroupStamp};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LINEAGE: u64 = 0x77;
const NUMBER: u32 = 3;
const ORIGIN: u64 = 5;

struct World {
    sim: SimDisk,
    disk: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    directory: PathBuf,
}

fn world(image: Image) -> World {
    let sim = SimDisk::from(image);
    World {
        disk: Arc::new(sim.clone()),
        sim,
        clock: Arc::new(ManualClock::default()),
        directory: "/v/archive".into(),
    }
}

fn empty() -> World {
    world(Image::with_directories(["/v"]))
}

impl World {
    fn begin(&self, after: u64, origin: u64, since: u64) -> Writer {
        let what = Begin {
            lineage: LINEAGE,
            cluster: 1,
            name: "PAY.MASTER".into(),
            origin,
            after,
            since,
            loaded: false,
            compressed: false,
        };
        Writer::begin(&self.disk, &self.clock, &self.directory, what).expect("a segment")
    }

    fn resume(&self) -> Writer {
        let resumed = Writer::resume(&self.disk, &self.clock, &self.directory, (LINEAGE, ORIGIN));
        resumed.expect("it is read").expect("a segment of that open")
    }

    /// The same when the power goes, and with it all that no sync has covered.
    fn without_power(&self) -> World {
        let trace = self.sim.trace();
        world(trace.crash_after(trace.events().len()).image(|_, _| Survival::Lost))
    }

    fn segments(&self) -> Vec<Segment> {
        let files = segments(&*self.disk, &self.directory, LINEAGE).expect("a list");
        let open = |file| Segment::open(&*self.disk, file).expect("a segment");
        files.iter().map(open).collect()
    }

    fn path(&self, n: usize) -> PathBuf {
        let files = segments(&*self.disk, &self.directory, LINEAGE).expect("a list");
        Path::new(&files[n].path).to_path_buf()
    }
}

fn group(first_lsn: u64, records: u32, len: usize) -> Vec<u8> {
    let mut group = Vec::new();
    begin_group(&mut group);
    // Nothing of it is a run, which the log would leave out.
    let record: Vec<u8> = (0..len).map(|at| (at * 7 + at / 251) as u8).collect();
    (0..records).for_each(|_| append_insert(&mut group, NUMBER, &record));
    finish_group(&mut group, 9, 1, first_lsn, records, GroupStamp::default());
    group
}

fn add(writer: &mut Writer, group: &[u8]) {
    writer.add(group, NUMBER, None, |_| None).expect("room");
}

/// What says that all in front of it is durable is so itself: without it damage would pass for what a crash left.
#[test]
fn damage_in_what_was_durable_is_not_taken_for_the_end() {
    let world = empty();
    let mut writer = world.begin(4, ORIGIN, 99);
    add(&mut writer, &group(100, 2, 40));
    writer.make_durable(101).expect("room");
    let world = world.without_power();
    let bit = 8 * (HEAD_LEN + FRAME_LEN + 20) as u64;
    world.sim.flip_bit(&world.path(0), bit).expect("its records");
    let _writer = world.resume();
    let segments = world.segments();
    assert_eq!(segments.len(), 2, "the archive goes on as if nothing were missing");
    assert_eq!(segments[1].head.chain, None);
}

/// What a long segment is followed by is there before anybody relies on it: recovery goes on with that one.
#[test]
fn recovery_goes_on_behind_a_long_segment() {
    let world = empty();
    let mut writer = world.begin(4, ORIGIN, 99);
    add(&mut writer, &group(100, 2200, 31_000));
    writer.make_durable(2299).expect("room");
    let world = world.without_power();
    assert_eq!(world.segments().len(), 2, "the second of them is lost");
    let mut writer = world.resume();
    add(&mut writer, &group(2300, 1, 40));
    writer.end(2300).expect("room");
}

/// A copy is good for nothing where the archive does not say which changes it lacks.
#[test]
fn the_place_of_a_copy_is_durable() {
    let world = empty();
    let mut writer = world.begin(4, ORIGIN, 99);
    add(&mut writer, &group(100, 2, 40));
    writer.note_copy(77, &BTreeSet::from([8])).expect("room");
    let world = world.without_power();
    let mut segments = world.segments();
    assert_eq!(segments.len(), 1, "the segment is lost");
    let frames = std::iter::from_fn(|| segments[0].next_frame().expect("no damage"));
    let has_copy = frames
        .map(|(head, _)| (head.kind, head.lsn))
        .any(|of| of == (FrameKind::Copy, 77));
    assert!(has_copy, "the copy is in no archive");
}

/// The end that a segment gets when the next is begun is durable before that one is: it says what it follows.
#[test]
fn what_the_next_segment_follows_is_durable() {
    let world = empty();
    let mut writer = world.begin(4, ORIGIN, 99);
    add(&mut writer, &group(100, 2, 40));
    writer.make_durable(101).expect("room");
    drop(writer);
    let mut next = world.begin(ORIGIN, 6, 101);
    next.settle().expect("room");
    let world = world.without_power();
    let segments = world.segments();
    assert_eq!(segments.len(), 2, "the second of them is lost");
    let end = segments[0].end().expect("it is read");
    assert_eq!(
        end.map(|(_, chain, _)| chain),
        segments[1].head.chain,
        "it follows nothing that there is"
    );
    assert!(segments[1].head.chain.is_some());
}
