//! Power cuts in the middle of every command that removes files: what no entry names is gone after the next open of the
//! catalog, and what an entry names is there.

use crate::files::{leftovers, live, on_volume, Files, SMALL};
use crate::world::World;
use cica_disk::sim::{Call, Errno, Faults};
use cica_disk::{Create, Disk, Image, Open, ReadAt, SimDisk};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A base with an alternate index and a path; another data set; a group with a generation; an entry that is not VSAM's.
fn volume() -> Image {
    let disk = Arc::new(SimDisk::new());
    let mut world = World::on(disk.clone());
    world.ok(SMALL);
    live(&world, "PAY.SMALL", 10);
    world.ok("DEF AIX (NAME(PAY.AIX) RELATE(PAY.SMALL) KEYS(4 7) RECSZ(30 200) TRK(1 1) UPGRADE NONUNIQUEKEY)");
    world.ok("DEF PATH (NAME(PAY.PATH) PATHENTRY(PAY.AIX))\nDEF ALIAS (NAME(WAGES) RELATE(PAY.SMALL))");
    world.ok("BLDINDEX INDATASET(PAY.SMALL) OUTDATASET(PAY.AIX)");
    world.ok("DEF CL (NAME(PAY.OTHER) TRK(1 1) NONINDEXED RECSZ(60 90) CISZ(512) ERASE)");
    world.ok("DEF GDG (NAME(PAY.HIST) LIMIT(2) SCRATCH)");
    for name in ["PAY.HIST.G0001V00", "PAY.HIST.G0002V00", "PAY.INPUT"] {
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        let path = Path::new("/cat/volumes/CICA01").join(name);
        disk.open(&path, how).unwrap().size(Some(10)).unwrap();
        disk.open(
            path.parent().unwrap(),
            Open {
                directory: true,
                ..Open::default()
            },
        )
        .unwrap()
        .sync()
        .unwrap();
        world.ok(&format!("DEF NVSAM (NAME({name}) DEVT(3390) VOL(CICA01))"));
    }
    disk.image()
}

/// Files are those of entries, and of clusters all are there.
#[track_caller]
fn judge(disk: Arc<dyn Disk>, what: &str) -> BTreeSet<String> {
    let world = World::on(disk);
    let contents = world.services.catalog.contents().unwrap();
    let named = |all: bool| -> BTreeSet<String> {
        let entries = contents.entries().filter(|entry| all || entry.attributes().is_some());
        entries
            .flat_map(|entry| entry.files())
            .map(|(_, file)| file.to_string())
            .collect()
    };
    let found: BTreeSet<String> = on_volume(&world).into_iter().collect();
    let known = named(true);
    let orphans: Vec<_> = found.difference(&known).collect();
    let missing: Vec<_> = named(false).difference(&found).cloned().collect();
    assert!(orphans.is_empty(), "{what}: files without an entry: {orphans:?}");
    assert!(missing.is_empty(), "{what}: entries without files: {missing:?}");
    assert_eq!(leftovers(&world), 0, "{what}");
    found
}

fn power_cuts(image: &Image, command: &str) {
    let files = Files::new();
    let disk = Arc::new(SimDisk::from(image.clone()));
    let mut world = World::on(disk.clone());
    files.dd(&mut world, "COPY");
    let before = on_volume(&world).len();
    world.ok(command);
    assert!(on_volume(&world).len() < before, "{command} removes nothing");
    assert_eq!(leftovers(&world), 0, "{command}");
    drop(world);
    let trace = disk.trace();
    let mut point = trace.crash_point();
    let mut states = BTreeSet::new();
    loop {
        for fate in 0..1_u64 << point.pending().len().min(5) {
            let left = Arc::new(SimDisk::from(point.image_of(fate)));
            states.insert(judge(left, &format!("{command}: after {}, {fate:b}", point.position())));
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(states.len() > 1, "{command}: the power never went in its middle");
}

#[test]
fn a_power_cut_leaves_no_file_without_an_entry() {
    let image = volume();
    for command in [
        "DELETE PAY.OTHER NOERASE",
        "DELETE PAY.OTHER",
        "DELETE PAY.SMALL",
        "DELETE PAY.SMALL ERASE",
        "DELETE PAY.** MASK CLUSTER",
        "DELETE PAY.AIX",
        "DELETE PAY.INPUT",
        "DELETE PAY.INPUT ERASE",
        "DELETE PAY.HIST.G0001V00",
        "DELETE PAY.HIST GDG FORCE",
        "DEF NVSAM (NAME(PAY.HIST.G0003V00) DEVT(3390) VOL(CICA01))",
        "ALTER PAY.HIST LIMIT(1)",
        "EXPORT PAY.SMALL OUTFILE(COPY) PERMANENT",
    ] {
        power_cuts(&image, command);
    }
}

/// As long as a file of ERASE has its name, an image has the records or zeros; when it has not, they were zeros before.
#[test]
fn a_file_that_is_erased_is_zeros_before_its_name_goes() {
    let path = Path::new("/cat/volumes/CICA01/PAY.SMALL.DATA");
    let disk = Arc::new(SimDisk::from(volume()));
    let mut world = World::on(disk.clone());
    world.ok("DELETE PAY.SMALL ERASE");
    drop(world);
    let trace = disk.trace();
    let mut point = trace.crash_point();
    let mut finished_by_the_open = 0;
    loop {
        let left = Arc::new(SimDisk::from(point.image_of(0)));
        let there = left.open(path, Open::default());
        let named = World::on(Arc::new(SimDisk::from(point.image_of(0)))).names();
        if let (Ok(file), false) = (there, named.contains(&"PAY.SMALL".to_owned())) {
            // Held open, so that its bytes can be seen after its name is gone.
            drop(World::on(left.clone()));
            assert!(left.open(path, Open::default()).is_err());
            let mut bytes = vec![1; file.size(None).unwrap() as usize];
            let mut batch = [ReadAt {
                at: 0,
                buf: &mut bytes,
                got: 0,
            }];
            file.read(&mut batch).unwrap();
            assert!(bytes.iter().all(|byte| *byte == 0), "after {}", point.position());
            finished_by_the_open += 1;
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(finished_by_the_open > 3, "{finished_by_the_open}");
}

/// A device that fails at any call: what stays is the entry with its files, or goes with the next open.
#[test]
fn a_call_that_fails_leaves_no_file_without_an_entry() {
    let image = volume();
    for command in [
        "DELETE PAY.SMALL ERASE",
        "DELETE PAY.HIST GDG FORCE",
        "ALTER PAY.HIST LIMIT(1)",
    ] {
        for nth in 1.. {
            let disk = Arc::new(SimDisk::from(image.clone()));
            let mut world = World::on(disk.clone());
            let before = disk.calls().of(Call::Any);
            disk.set_faults(Faults::none().fail(Call::Any, nth, Errno::Io));
            world.run(command);
            let used = disk.calls().of(Call::Any) - before;
            disk.set_faults(Faults::none());
            drop(world);
            judge(disk, &format!("{command}: call {nth}"));
            if used < nth {
                break;
            }
        }
    }
}

/// While others make files nothing listed is removed: a DEFINE of the name takes another file.
#[test]
fn a_name_can_be_defined_again_while_its_old_files_wait_to_go() {
    let disk = Arc::new(SimDisk::from(volume()));
    let mut world = World::on(disk.clone());
    world.ok("DELETE PAY.OTHER NOERASE");
    let trace = disk.trace();
    let mut point = trace.crash_point();
    // The last moment at which the file is there and its entry is not.
    let mut waiting = None;
    loop {
        let image = point.image_of(0);
        let contents = image.len(Path::new("/cat/volumes/CICA01/PAY.OTHER.DATA"));
        let gone = !World::on(Arc::new(SimDisk::from(image.clone())))
            .names()
            .contains(&"PAY.OTHER".to_owned());
        if contents.is_some() && gone {
            waiting = Some(image);
        }
        if point.advance().is_none() {
            break;
        }
    }
    let disk = Arc::new(SimDisk::from(waiting.unwrap()));
    let making = disk.open(
        Path::new("/cat/making"),
        Open {
            write: true,
            create: Create::IfMissing,
            lock: cica_disk::Lock::Shared,
            ..Open::default()
        },
    );
    let mut world = World::on(disk.clone());
    assert_eq!(leftovers(&world), 1);
    world.ok("DEF CL (NAME(PAY.OTHER) TRK(1 1) NONINDEXED RECSZ(60 90) CISZ(512))");
    assert_eq!(world.cluster("PAY.OTHER").data.file, "PAY.OTHER.DATA~2");
    drop((world, making));
    assert!(judge(disk, "later").contains("PAY.OTHER.DATA~2"));
}

/// A process that is killed, at any of its writes: what it wrote is there, and its files go with the next open.
#[test]
fn a_define_that_is_killed_leaves_no_file_without_an_entry() {
    for command in [
        "DEF CL (NAME(PAY.MORE) CYL(1 1) KEYS(11 0) RECSZ(300 300))",
        "DEF CL (NAME(PAY.MORE) TRK(1 1) NONINDEXED RECSZ(300 300))",
        "DEF AIX (NAME(PAY.BY) RELATE(PAY.SMALL) TRK(1 1) KEYS(4 20) RECSZ(40 400))",
    ] {
        let disk = Arc::new(SimDisk::from(volume()));
        let mut world = World::on(disk.clone());
        let before = on_volume(&world).len();
        world.ok(command);
        assert!(on_volume(&world).len() > before, "{command}");
        drop(world);
        let trace = disk.trace();
        let mut point = trace.crash_point();
        let mut left_behind = 0;
        loop {
            let pending = point.pending().len();
            let all = if pending >= 64 { u64::MAX } else { (1 << pending) - 1 };
            let left = Arc::new(SimDisk::from(point.image_of(all)));
            let files = left.list(Path::new("/cat/volumes/CICA01")).unwrap();
            let found = judge(left.clone(), &format!("{command}: killed after {}", point.position()));
            let named = |(file, _): &&(std::path::PathBuf, u64)| !file.to_string_lossy().starts_with('.');
            left_behind += usize::from(files.iter().filter(named).count() > found.len());
            if point.advance().is_none() {
                break;
            }
        }
        assert!(left_behind > 0, "{command}: it was never killed in its middle");
    }
}
