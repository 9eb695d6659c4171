//! What volumes keep of a catalog: all that it takes to make a lost one anew, at any moment.
#![allow(clippy::unwrap_used)]

mod common;

use cica_catalog::entry::{Alias, Entry, Relate};
use cica_catalog::vvds::{self, Vvds};
use cica_catalog::{Catalog, CatalogError, Device};
use cica_disk::sim::{Call, Errno, Faults, Survival};
use cica_disk::{Create, Disk, MemoryDisk, Open, ReadAt, SimDisk, WriteAt};
use cica_format::checksum::crc32c;
use common::{cluster, images, name, serial};
use std::path::Path;
use std::sync::Arc;

const CATALOG: &str = "/cat";
const VOLUME: &str = "/cat/volumes/CICA01";

fn alias(text: &str, relate: &str) -> Entry {
    Entry::Alias(Alias {
        name: name(text),
        relate: Relate::Entry(name(relate)),
    })
}

/// A file of the name an entry's component has: without one the volume looks like a mount point.
fn file(disk: &dyn Disk, path: &str) {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    disk.open(Path::new(path), how).unwrap().sync().unwrap();
}

fn insert(catalog: &Catalog, entry: Entry) -> Result<(), CatalogError> {
    catalog.transact(|contents| contents.insert(entry))
}

/// The whole copies of a volume, and how many are damaged.
fn copies(disk: &dyn Disk, directory: &str) -> (Vec<Vvds>, usize) {
    let found = vvds::read_all(disk, Path::new(directory)).unwrap().into_iter();
    let found: Vec<_> = found.map(|(_, copy)| copy).collect();
    let damaged = found.iter().filter(|copy| copy.is_err()).count();
    (found.into_iter().filter_map(Result::ok).collect(), damaged)
}

/// What these copies say.
fn entries(copies: &[&Vvds]) -> Vec<Entry> {
    [vvds::without_files(copies), vvds::with_files(copies)].concat()
}

/// Names of what the copies on the volume say.
fn kept(disk: &dyn Disk) -> Vec<String> {
    let (whole, _) = copies(disk, VOLUME);
    names(&entries(&whole.iter().collect::<Vec<_>>()))
}

/// The name and the generation of each copy on the volume, and what it says.
fn each_kept(disk: &dyn Disk) -> Vec<(String, u64, Vec<String>)> {
    let found = vvds::read_all(disk, Path::new(VOLUME)).unwrap().into_iter();
    let of = |(file, copy): (std::path::PathBuf, Result<Vvds, CatalogError>)| {
        let copy = copy.unwrap();
        (file.display().to_string(), copy.generation, names(&entries(&[&copy])))
    };
    let mut all: Vec<_> = found.map(of).collect();
    all.sort_by_key(|(_, generation, _)| *generation);
    all
}

fn names(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.name().to_string()).collect()
}

#[test]
fn each_volume_keeps_its_own_entries_and_what_has_no_files() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    let second = serial("VOL002");
    catalog
        .add_volume(&second, Device::default_type(), Some(Path::new("/vol2")), Some(7))
        .unwrap();
    file(&*disk, &format!("{VOLUME}/A.DATA"));
    file(&*disk, "/vol2/B.DATA");
    insert(&catalog, cluster("A")).unwrap();
    let mut there = cluster("B");
    for component in there.components_mut() {
        component.volumes = vec![second.clone()];
    }
    insert(&catalog, there).unwrap();
    insert(&catalog, alias("C", "A")).unwrap();
    let (first, _) = copies(&*disk, VOLUME);
    let (other, _) = copies(&*disk, "/vol2");
    let of = |copy: &Vvds| names(&copy.contents.entries().cloned().collect::<Vec<_>>());
    assert_eq!(
        (of(&first[0]), of(&other[0])),
        (strings(&["A", "C"]), strings(&["B", "C"]))
    );
    assert_eq!(other[0].head.directory, Path::new(CATALOG));
    assert_eq!(
        (other[0].head.serial.as_str(), other[0].head.known_as.as_str()),
        ("VOL002", "")
    );
    let volumes: Vec<_> = other[0].contents.volumes().cloned().collect();
    assert_eq!(volumes, catalog.volumes().unwrap());
    let mut all = entries(&[&first[0], &other[0]]);
    all.sort_by(|a, b| a.name().cmp(b.name()));
    let held: Vec<Entry> = catalog.contents().unwrap().entries().cloned().collect();
    assert_eq!(all, held, "every field of every entry");
    for volume in catalog.volumes().unwrap() {
        catalog.check_vvds(&volume).unwrap();
    }
}

fn strings(of: &[&str]) -> Vec<String> {
    of.iter().map(|text| (*text).to_owned()).collect()
}

/// docs/format/vvds.md against the bytes.
#[test]
fn a_copy_is_as_pictured() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/format/vvds.md");
    let page = std::fs::read_to_string(page).unwrap();
    let row = |name: &str| {
        let found = page
            .lines()
            .find(|line| line.split('|').nth(3).map(str::trim) == Some(name));
        found.unwrap().split('|').nth(1).unwrap().trim().to_owned()
    };
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    insert(&catalog, alias("B", "A")).unwrap();
    let file = disk
        .open(&Path::new(VOLUME).join(catalog.vvds_name()), Open::default())
        .unwrap();
    let mut bytes = vec![0; file.size(None).unwrap() as usize];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }];
    file.read(&mut batch).unwrap();
    let places: Vec<String> = ["magic", "length", "fields", "checksum", "catalog"].map(row).into();
    assert_eq!(places, ["0", "8", "12", "12 + n", "16 + n"]);
    assert_eq!(&bytes[..8], b"CICAVVDS");
    let le = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let n = le(8) as usize;
    let mut fields = vec![1, 4, 0, 0, 0];
    fields.extend_from_slice(b"/cat");
    fields.extend_from_slice(&[3, 6, 0, 0, 0]);
    fields.extend_from_slice(b"CICA01");
    assert_eq!(bytes[12..12 + n], fields, "a master has no field 2");
    assert_eq!(le(12 + n), crc32c(&bytes[..12 + n]));
    assert_eq!(&bytes[16 + n..24 + n], b"CICA-CAT");
    let digits = format!(".vvds-{:08x}", crc32c(b"/cat"));
    assert_eq!(catalog.vvds_name(), digits);
}

#[test]
fn a_volume_that_was_away_is_brought_up_to_date_by_the_next_change() {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    file(&*disk, &format!("{VOLUME}/A.DATA"));
    insert(&catalog, cluster("A")).unwrap();
    insert(&catalog, alias("B", "A")).unwrap();
    disk.set_faults(
        Faults::none()
            .fail(Call::Open, 1, Errno::Io)
            .only(format!("{VOLUME}/A.DATA")),
    );
    catalog
        .transact(|contents| contents.remove(&name("B")).map(drop))
        .unwrap();
    disk.set_faults(Faults::none());
    assert_eq!(kept(&*disk), ["B", "A"]);
    let volume = &catalog.volumes().unwrap()[0];
    assert!(catalog
        .check_vvds(volume)
        .unwrap_err()
        .to_string()
        .contains("not what the catalog says"));
    // Not even one that concerns the volume.
    insert(&catalog, alias("LATER", "A")).unwrap();
    assert_eq!(kept(&*disk), ["LATER", "A"]);
    catalog.check_vvds(volume).unwrap();
}

#[test]
fn a_mount_point_without_its_volume_gets_no_copy() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    file(&*disk, &format!("{VOLUME}/A.DATA"));
    insert(&catalog, cluster("A")).unwrap();
    for (file, _) in disk.list(Path::new(VOLUME)).unwrap() {
        disk.remove(&Path::new(VOLUME).join(file)).unwrap();
    }
    insert(&catalog, alias("B", "A")).unwrap();
    assert!(disk.list(Path::new(VOLUME)).unwrap().is_empty());
}

#[test]
fn a_volume_that_leaves_the_catalog_keeps_nothing_of_it() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    let second = serial("VOL002");
    catalog
        .add_volume(&second, Device::default_type(), Some(Path::new("/vol2")), None)
        .unwrap();
    assert_eq!(copies(&*disk, "/vol2").0.len(), 1);
    catalog.remove_volume(&second).unwrap();
    assert!(disk.list(Path::new("/vol2")).unwrap().is_empty());
}

/// However many changes the new catalog makes.
#[test]
fn a_new_catalog_does_not_forget_what_the_lost_one_left() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    insert(&catalog, alias("B", "A")).unwrap();
    insert(&catalog, alias("C", "A")).unwrap();
    let lost = catalog.generation().unwrap();
    disk.remove(Path::new("/cat/catalog")).unwrap();
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    for text in ["D", "E", "F", "G"] {
        insert(&catalog, alias(text, "A")).unwrap();
    }
    let now = catalog.generation().unwrap();
    assert!(now > lost);
    let all = each_kept(&*disk);
    assert_eq!(
        (&all[0].1, &all[0].2, &all[1].0, &all[1].1, &all[1].2),
        (
            &lost,
            &strings(&["B", "C"]),
            &catalog.vvds_name(),
            &now,
            &strings(&["D", "E", "F", "G"])
        )
    );
    assert_eq!(kept(&*disk), ["D", "E", "F", "G", "B", "C"]);
    // Lost once more: there is a copy of each.
    disk.remove(Path::new("/cat/catalog")).unwrap();
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    insert(&catalog, alias("H", "A")).unwrap();
    assert_eq!(kept(&*disk), ["D", "E", "F", "G", "B", "C", "H"]);
    catalog.overtake(now).unwrap();
    assert_eq!(catalog.generation().unwrap(), now + 1);
    catalog.overtake(now).unwrap();
    assert_eq!(catalog.generation().unwrap(), now + 1);
}

/// On a volume that the new catalog gets to know later, too.
#[test]
fn a_volume_that_comes_keeps_what_the_lost_catalog_left_on_it() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let add = |catalog: &Catalog| {
        let directory = Some(Path::new("/vol2"));
        catalog.add_volume(&serial("VOL002"), Device::default_type(), directory, None)
    };
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    add(&catalog).unwrap();
    insert(&catalog, alias("B", "A")).unwrap();
    for file in ["/cat/catalog", &format!("{VOLUME}/{}", catalog.vvds_name())] {
        disk.remove(Path::new(file)).unwrap();
    }
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    // Later than the lost one.
    for text in ["C", "D", "E", "F"] {
        insert(&catalog, alias(text, "A")).unwrap();
    }
    add(&catalog).unwrap();
    insert(&catalog, alias("G", "A")).unwrap();
    let (whole, _) = copies(&*disk, "/vol2");
    assert_eq!(whole.len(), 2);
    let said = names(&entries(&whole.iter().collect::<Vec<_>>()));
    assert_eq!(said, ["C", "D", "E", "F", "G", "B"]);
    // What it leaves when the volume goes is what it did not know.
    catalog.remove_volume(&serial("VOL002")).unwrap();
    let (whole, _) = copies(&*disk, "/vol2");
    assert_eq!(names(&entries(&whole.iter().collect::<Vec<_>>())), ["B"]);
}

/// A catalog that was put back from an older copy of its directory forgets nothing of what came after.
#[test]
fn a_catalog_that_goes_back_sets_the_later_copies_aside() {
    let disk = Arc::new(MemoryDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    insert(&catalog, alias("B", "A")).unwrap();
    let path = Path::new("/cat/catalog");
    let file = disk.open(path, Open::default()).unwrap();
    let mut bytes = vec![0; file.size(None).unwrap() as usize];
    let at = 0;
    file.read(&mut [ReadAt {
        at,
        buf: &mut bytes,
        got: 0,
    }])
    .unwrap();
    for text in ["C", "D"] {
        insert(&catalog, alias(text, "A")).unwrap();
    }
    let how = Open {
        write: true,
        ..Open::default()
    };
    let file = disk.open(path, how).unwrap();
    file.size(Some(bytes.len() as u64)).unwrap();
    file.write(&[WriteAt { at, buf: &bytes }]).unwrap();
    let catalog = Catalog::open(disk.clone(), CATALOG).unwrap();
    insert(&catalog, alias("E", "A")).unwrap();
    let all = each_kept(&*disk);
    let said: Vec<_> = all.iter().map(|(_, _, names)| names.clone()).collect();
    assert_eq!(said, [strings(&["B", "E"]), strings(&["B", "C", "D"])]);
    assert_eq!(all[0].0, catalog.vvds_name(), "it has one of its own at once");
}

/// What cannot be read is not taken for what is not there.
#[test]
fn a_copy_that_cannot_be_read_is_not_written_over() {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    insert(&catalog, alias("B", "A")).unwrap();
    let path = format!("{VOLUME}/{}", catalog.vvds_name());
    let fails = || Faults::none().fail_from(Call::Read, 1, Errno::Io).only(path.clone());
    disk.set_faults(fails());
    insert(&catalog, alias("C", "A")).unwrap();
    let there = catalog.volumes().unwrap()[0].clone();
    let added = catalog.add_volume(&serial("VOL002"), there.device, Some(Path::new(VOLUME)), None);
    assert!(added.is_err());
    disk.set_faults(Faults::none());
    assert_eq!(kept(&*disk), ["B"]);
    insert(&catalog, alias("D", "A")).unwrap();
    assert_eq!(kept(&*disk), ["B", "C", "D"]);
    // One that is damaged, or of a newer release, gets another name.
    let how = Open {
        write: true,
        ..Open::default()
    };
    let file = disk.open(Path::new(&path), how).unwrap();
    file.write(&[WriteAt { at: 20, buf: b"??" }]).unwrap();
    drop(file);
    insert(&catalog, alias("E", "A")).unwrap();
    let (whole, damaged) = copies(&*disk, VOLUME);
    assert_eq!((whole.len(), damaged), (1, 1));
    assert_eq!(kept(&*disk), ["B", "C", "D", "E"]);
}

#[test]
fn every_byte_flipped_and_every_length_is_refused() {
    let disk = MemoryDisk::new();
    let shared: Arc<dyn Disk> = Arc::new(disk);
    let catalog = Catalog::open_or_create(shared.clone(), CATALOG).unwrap();
    file(&*shared, &format!("{VOLUME}/A.DATA"));
    insert(&catalog, cluster("A")).unwrap();
    let path = Path::new(VOLUME).join(catalog.vvds_name());
    let how = Open {
        write: true,
        ..Open::default()
    };
    let file = shared.open(&path, how).unwrap();
    let length = file.size(None).unwrap();
    let mut bytes = vec![0; length as usize];
    file.read(&mut [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }])
    .unwrap();
    let write = |bytes: &[u8]| {
        file.size(Some(bytes.len() as u64)).unwrap();
        file.write(&[WriteAt { at: 0, buf: bytes }]).unwrap();
    };
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        write(&flipped);
        assert_eq!(copies(&*shared, VOLUME).1, 1, "byte {at}");
        write(&bytes[..at]);
        assert_eq!(copies(&*shared, VOLUME).1, 1, "{at} bytes");
    }
    write(&bytes);
    assert_eq!(copies(&*shared, VOLUME).1, 0);
}

/// At each moment the entries of the copies are those of the last change that was acknowledged, or of the next.
#[test]
fn a_power_cut_at_any_moment_leaves_copies_of_before_or_after() {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    file(&*disk, &format!("{VOLUME}/A.DATA"));
    disk.open(
        Path::new(VOLUME),
        Open {
            directory: true,
            ..Open::default()
        },
    )
    .unwrap()
    .sync()
    .unwrap();
    let states = [
        strings(&["A"]),
        strings(&["B", "A"]),
        strings(&["B", "C", "A"]),
        strings(&["C", "A"]),
    ];
    let mut acknowledged = Vec::new();
    insert(&catalog, cluster("A")).unwrap();
    acknowledged.push(disk.events());
    insert(&catalog, alias("B", "A")).unwrap();
    acknowledged.push(disk.events());
    insert(&catalog, alias("C", "A")).unwrap();
    acknowledged.push(disk.events());
    catalog
        .transact(|contents| contents.remove(&name("B")).map(drop))
        .unwrap();
    acknowledged.push(disk.events());

    let trace = disk.trace();
    let mut point = trace.crash_point();
    let mut ahead = 0;
    loop {
        let done = acknowledged
            .iter()
            .filter(|events| **events <= point.position())
            .count();
        for image in images(&point).into_iter().filter(|_| done > 0) {
            let left = MemoryDisk::from(image);
            let (whole, damaged) = copies(&left, VOLUME);
            assert_eq!((whole.len(), damaged), (1, 0), "after {}", point.position());
            let found = names(&entries(&[&whole[0]]));
            let next = states.get(done).is_some_and(|next| *next == found);
            assert!(
                found == states[done - 1] || next,
                "{found:?} after {}",
                point.position()
            );
            ahead += usize::from(next);
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(
        ahead > 10,
        "{ahead} images in which a volume knows more than was acknowledged"
    );
}

/// What a lost catalog left is under one name or the other at each moment (aside:A1).
#[test]
fn a_power_cut_at_any_moment_leaves_what_the_lost_catalog_left() {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    insert(&catalog, alias("LOST", "A")).unwrap();
    disk.remove(Path::new("/cat/catalog")).unwrap();
    let begun = disk.events();
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    for text in ["B", "C", "D"] {
        insert(&catalog, alias(text, "A")).unwrap();
    }
    let trace = disk.trace();
    let mut point = trace.crash_after(begun);
    let mut seen = 0;
    loop {
        for image in images(&point) {
            let kept = kept(&MemoryDisk::from(image));
            assert!(kept.contains(&"LOST".to_owned()), "{kept:?} after {}", point.position());
            seen += 1;
        }
        if point.advance().is_none() {
            break;
        }
    }
    assert!(seen > 50, "{seen}");
}

/// A process is killed between the rename of a copy and the sync of its directory, and the next one makes the same
/// change. What that one was told is done is in the copy after a power cut.
#[test]
fn a_copy_that_a_killed_process_left_is_made_durable_by_the_change_that_needs_it() {
    let mut left_by_the_killed = 0;
    for sync in 1..=4 {
        let disk = Arc::new(SimDisk::new());
        let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
        insert(&catalog, alias("FIRST", "X")).unwrap();
        disk.set_faults(Faults::none().fail_from(Call::Sync, sync, Errno::Io));
        let killed = insert(&catalog, alias("A", "X")).is_err();
        disk.set_faults(Faults::none());
        let next = Catalog::open(disk.clone(), CATALOG).unwrap();
        if killed && next.get(&name("A")).is_err() {
            left_by_the_killed += usize::from(kept(&*disk).contains(&"A".to_owned()));
            insert(&next, alias("A", "X")).unwrap();
        }
        let left = disk.trace().crash_after(disk.events()).image(|_, _| Survival::Lost);
        let kept = kept(&MemoryDisk::from(left));
        assert_eq!(kept, strings(&["A", "FIRST"]), "sync {sync}");
    }
    assert!(left_by_the_killed > 0, "nobody was killed between rename and sync");
}

#[test]
fn a_copy_that_stays_as_it_is_costs_no_sync() {
    let disk = Arc::new(SimDisk::new());
    let catalog = Catalog::open_or_create(disk.clone(), CATALOG).unwrap();
    let second = serial("VOL002");
    catalog
        .add_volume(&second, Device::default_type(), Some(Path::new("/vol2")), None)
        .unwrap();
    for directory in [VOLUME, "/vol2"] {
        file(&*disk, &format!("{directory}/.cica-volume"));
    }
    let syncs = || disk.calls().of(Call::Sync);
    let define = |text: &str| {
        let before = syncs();
        insert(&catalog, cluster(text)).unwrap();
        syncs() - before
    };
    // The copy of the data set's volume and the catalog, each with its directory.
    assert_eq!((define("B"), define("C")), (4, 4));
}
