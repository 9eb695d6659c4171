//! Salvage where the owner died: what only its log has comes out as well, and is what recovery would have made of it.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{MemoryDisk, Open, WriteAt};
use cica_engine::salvage::{Doubt, Doubtful, Report, Salvage};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::bytes::put;
use common::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Records by RBA, or by relative record number, or by key.
type Records = BTreeMap<(u64, Vec<u8>), Vec<u8>>;

/// A data set whose owner died; what was acknowledged is partly on the volume and partly in the log.
struct Dead {
    world: World,
    organization: Organization,
}

const ALL: [Organization; 5] = [
    Organization::Ksds,
    Organization::Esds,
    Organization::Rrds,
    Organization::Vrrds,
    Organization::Lds,
];

/// Adds what was not there: record `n`.
fn add(organization: Organization, s: &mut Str, n: u64) {
    let record = sealed(n, n, 60);
    match organization {
        Organization::Lds => s.write_range(n * 4096, &record.repeat(69)[..4096]).unwrap(),
        Organization::Ksds if n < 30 => drop(s.insert(&record, Insert::Sequential).unwrap()),
        Organization::Ksds => drop(s.insert(&record, Insert::Direct).unwrap()),
        Organization::Esds => drop(s.insert(&record, Insert::Sequential).unwrap()),
        _ => s.insert_at(n as u32 + 1, &record, Insert::Skip).unwrap(),
    }
}

/// Changes record `n`, which is there; with `erase` it takes it out where that can be done.
fn change(organization: Organization, s: &mut Str, n: u64, erase: bool) {
    let (key, rrn) = (key(n), n as u32 + 1);
    let argument = match organization {
        Organization::Lds => return s.write_range(n * 4096, &[n as u8; 4096]).unwrap(),
        // Of entry-sequenced data sets the first record is known by its RBA.
        Organization::Esds => Argument::Rba(0),
        Organization::Ksds => Argument::Key(&key),
        _ => Argument::Rrn(rrn),
    };
    let length = s.get(argument, Search::Equal, Intent::Update).unwrap().bytes.len();
    if erase && organization != Organization::Esds {
        s.erase().unwrap()
    } else {
        s.update(&sealed(n, n + 100, length)).unwrap();
    }
}

fn create(world: &World, engine: &Engine, organization: Organization) {
    world.create(engine, "d", |data, _| {
        data.organization = organization;
        data.key_length = if organization == Organization::Ksds { 8 } else { 0 };
        (data.average_record, data.maximum_record) = (60, 60);
        if organization == Organization::Lds {
            (data.ci_size, data.ci_per_ca) = (8192, 4);
        }
    });
}

impl Dead {
    fn new(organization: Organization, with_unit: bool) -> Dead {
        let disk = MemoryDisk::default();
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = world.engine();
        create(&world, &engine, organization);
        let fill = |numbers: std::ops::Range<u64>| {
            let ds = world.open(&engine, "d");
            let mut s = ds.string();
            numbers.for_each(|n| add(organization, &mut s, n));
            (ds, s)
        };
        let (ds, s) = fill(0..30);
        drop(s);
        ds.close().unwrap();
        let (ds, mut s) = fill(30..40);
        change(organization, &mut s, 3, true);
        ds.commit().unwrap();
        // What the tree has now is in the log too.
        ds.checkpoint().unwrap();
        change(organization, &mut s, 5, false);
        change(organization, &mut s, 35, true);
        (40..70).for_each(|n| add(organization, &mut s, n));
        ds.commit().unwrap();
        if with_unit {
            let unit = engine.unit();
            let mut t = ds.string_in(&unit);
            add(organization, &mut t, 70);
            change(organization, &mut t, 8, true);
            ds.checkpoint().unwrap();
            add(organization, &mut t, 71);
            change(organization, &mut t, 9, false);
            ds.commit().unwrap();
            std::mem::forget((t, unit));
        }
        disk.kill();
        std::mem::forget((s, ds));
        Dead { world, organization }
    }

    /// Records 30 to 35 each in a group of its own, behind the last commit; or that, and then record 36 in the first
    /// group of the log's next epoch.
    fn in_groups(organization: Organization, next_epoch: bool) -> Dead {
        let disk = MemoryDisk::default();
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = world.engine();
        engine.start_log_over_after(128 << 10);
        create(&world, &engine, organization);
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        (0..30).for_each(|n| add(organization, &mut s, n));
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        for n in 30..36 {
            add(organization, &mut s, n);
            ds.commit().unwrap();
        }
        if next_epoch {
            ds.checkpoint().unwrap();
            add(organization, &mut s, 36);
            ds.commit().unwrap();
        }
        disk.kill();
        std::mem::forget((s, ds));
        Dead { world, organization }
    }

    fn files(&self) -> (PathBuf, PathBuf) {
        let (data, index) = self.world.paths("d");
        let index = if self.organization.has_index() {
            index
        } else {
            PathBuf::new()
        };
        (data, index)
    }

    fn salvage(&self) -> (Records, Report) {
        let (data, index) = self.files();
        let salvage = Salvage::open(&*self.world.disk, &data, &index, None, None).unwrap();
        let (mut records, mut order) = (Records::new(), Vec::new());
        let report = salvage.run::<()>(&mut |found| {
            let place = match self.organization {
                Organization::Ksds => (0, found.bytes[..8].to_vec()),
                Organization::Rrds | Organization::Vrrds => (u64::from(found.rrn.unwrap()), Vec::new()),
                _ => (found.rba.unwrap(), Vec::new()),
            };
            order.push(place.clone());
            if found.doubt.is_none() {
                records.insert(place, found.bytes.to_vec());
            }
            Ok(())
        });
        assert!(order.windows(2).all(|w| w[0] < w[1]), "not in order, or one twice");
        (records, report.unwrap())
    }

    /// What recovery makes of it.
    fn recovered(&self) -> Records {
        let ds = self.world.open(&self.world.engine(), "d");
        let (mut s, mut records) = (ds.string(), Records::new());
        if self.organization == Organization::Lds {
            for rba in (0..).step_by(8192) {
                let mut bytes = vec![0; 8192];
                match s.read_range(rba, &mut bytes) {
                    Ok(()) => drop(records.insert((rba, Vec::new()), bytes)),
                    Err(error) => {
                        assert!(matches!(error, RequestError::BadRange { .. }) && rba > 0, "{error}");
                        return records;
                    }
                }
            }
        }
        while let Ok(record) = s.next(Intent::Read) {
            let place = match self.organization {
                Organization::Ksds => (0, record.bytes[..8].to_vec()),
                Organization::Esds => (record.rba, Vec::new()),
                _ => (u64::from(record.rrn), Vec::new()),
            };
            records.insert(place, record.bytes.to_vec());
        }
        records
    }
}

#[test]
fn what_only_the_log_has_comes_out_as_recovery_would_have_made_it() {
    for organization in ALL {
        // Linear data sets take no part in units.
        for with_unit in [false, true]
            .into_iter()
            .filter(|unit| !unit || organization != Organization::Lds)
        {
            let dead = Dead::new(organization, with_unit);
            let (found, report) = dead.salvage();
            let again = dead.salvage();
            let expected = dead.recovered();
            assert_eq!(found, expected, "{organization:?}, unit {with_unit}");
            assert_eq!(again, (found, report.clone()), "a salvage changed something");
            // The tree was committed in the middle of the unit.
            let least = if with_unit { 1 } else { 15 };
            assert!(report.from_log >= least, "{organization:?}: {report:?}");
            assert!(
                organization == Organization::Lds || report.is_whole(),
                "{organization:?}: {report:?}"
            );
        }
    }
}

#[test]
fn without_its_log_everything_is_doubtful_and_the_report_says_why() {
    let dead = Dead::new(Organization::Ksds, false);
    dead.world.disk.remove(Path::new("/log/log-0001")).unwrap();
    let (found, report) = dead.salvage();
    assert!(found.is_empty());
    assert_eq!(report.later_requests, None);
    assert!(report.doubts.iter().all(|doubt| doubt.why == Doubt::Log));
    assert!(
        report.notes.iter().any(|note| note.contains("log-0001")),
        "{:?}",
        report.notes
    );
}

/// Damage in the middle of the log: of what is behind it the log has the last word, the rest is doubtful.
#[test]
fn what_stands_behind_damage_in_the_log_is_sure_and_the_rest_is_not() {
    for organization in ALL {
        let dead = Dead::in_groups(organization, false);
        let before = dead.salvage();
        let log = Path::new("/log/log-0001");
        // The third of the six groups; those of linear data sets have two blocks.
        let lds = organization == Organization::Lds;
        put(&*dead.world.disk, log, if lds { 6 } else { 4 } * 4096 + 60, b"?");
        let (found, report) = dead.salvage();
        let of_gap = |doubts: &[Doubtful]| doubts.iter().all(|doubt| doubt.why == Doubt::Gap);
        assert!(
            of_gap(&report.doubts) && report.doubtful > 0,
            "{organization:?}: {report:?}"
        );
        assert!(
            !report.is_whole() && report.counted.is_none() && report.losses.is_empty(),
            "{report:?}"
        );
        // A linear data set is filled through the log.
        let note = if lds {
            "/log/log-0001: its bytes 24576 to 32767 are damaged, and with them requests 36 to 37"
        } else {
            "/log/log-0001: its bytes 16384 to 20479 are damaged, and with them requests 5 to 6"
        };
        assert!(
            report.notes.iter().any(|told| told.ends_with(note)),
            "{:?}",
            report.notes
        );
        // Of a linear data set each CI has pages that nothing behind the damage wrote.
        let number = |record: &Vec<u8>| String::from_utf8_lossy(&record[..8]).parse::<u64>().unwrap();
        let sure: Vec<u64> = found.values().map(number).collect();
        let expected = if lds { vec![] } else { vec![33, 34, 35] };
        assert_eq!(sure, expected, "{organization:?}");
        assert_eq!(report.from_log, sure.len() as u64);
        let all = report.sure + report.doubtful;
        // Record 32, which was in that group, is nowhere.
        let missing = u64::from(!lds);
        assert_eq!(all, before.1.sure - missing, "{organization:?}: {report:?}");
        assert!(found.iter().all(|(place, bytes)| before.0[place] == *bytes));
    }
}

/// A damaged first group, behind which the tree has everything, is no doubt; one behind which it lacks something is.
#[test]
fn damage_at_the_beginning_of_the_log_counts_if_the_tree_lacks_what_is_behind() {
    for next_epoch in [false, true] {
        let dead = Dead::in_groups(Organization::Ksds, next_epoch);
        put(&*dead.world.disk, Path::new("/log/log-0001"), 2 * 4096 + 60, b"?");
        let (found, report) = dead.salvage();
        if !next_epoch {
            assert_eq!((found.len(), report.doubtful, report.counted), (5, 30, None))
        } else {
            assert!(found.len() == 37 && report.is_whole(), "{report:?}")
        }
    }
}

#[test]
fn a_record_that_is_damaged_on_the_volume_and_later_in_the_log_is_sure() {
    let dead = Dead::new(Organization::Ksds, false);
    let (data, _) = dead.files();
    let expected = Dead::new(Organization::Ksds, false).recovered();
    let file = dead
        .world
        .disk
        .open(
            &data,
            Open {
                write: true,
                ..Open::default()
            },
        )
        .unwrap();
    let mut bytes = vec![0; file.size(None).unwrap() as usize];
    file.read(&mut [cica_disk::ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }])
    .unwrap();
    // Of record 5, which the log has anew, and of its neighbours, which it has not.
    let old = sealed(5, 5, 60);
    let places: Vec<usize> = (0..bytes.len() - 60).filter(|&at| bytes[at..at + 60] == old).collect();
    assert!(!places.is_empty());
    for at in places {
        file.write(&[WriteAt {
            at: at as u64 + 20,
            buf: b"?",
        }])
        .unwrap();
    }
    let (found, report) = dead.salvage();
    assert_eq!(found[&(0, key(5))], expected[&(0, key(5))]);
    assert!(found.len() < expected.len() && report.doubtful > 0, "{report:?}");
    assert!(found.iter().all(|(place, record)| expected[place] == *record));
    let doubts: u64 = report.doubts.iter().map(|doubt| doubt.records).sum();
    assert_eq!(doubts, report.doubtful);
}

/// What takes an open unit's update back is with its first change of the record (unit:U10), and that is damaged: the later
/// change is not the last word.
#[test]
fn what_an_open_unit_changed_again_is_doubtful_where_the_first_change_is_damaged() {
    for commits in [false, true] {
        let disk = MemoryDisk::default();
        let world = World::on(Arc::new(disk.clone()), Path::new("/"));
        let engine = world.engine();
        create(&world, &engine, Organization::Ksds);
        let ds = world.open(&engine, "d");
        let mut s = ds.string();
        (0..30).for_each(|n| add(Organization::Ksds, &mut s, n));
        drop(s);
        ds.close().unwrap();
        let ds = world.open(&engine, "d");
        let unit = engine.unit();
        let mut s = ds.string_in(&unit);
        // The first group introduces the data set; then each change is in one.
        for n in [3, 5, 5, 7] {
            change(Organization::Ksds, &mut s, n, false);
            ds.commit().unwrap();
        }
        if commits {
            unit.commit().unwrap();
        }
        disk.kill();
        std::mem::forget((s, unit, ds));
        let organization = Organization::Ksds;
        let dead = Dead { world, organization };
        let of_five = |found: &Records| found.get(&(0, key(5))).map(|record| unsealed(record));
        assert_eq!(of_five(&dead.salvage().0), Some(if commits { 105 } else { 5 }));
        put(&*dead.world.disk, Path::new("/log/log-0001"), 3 * 4096 + 60, b"?");
        let (found, report) = dead.salvage();
        assert!(
            report.notes.iter().any(|note| note.contains("are damaged")),
            "{report:?}"
        );
        // That the unit was committed is the last word.
        assert_eq!(of_five(&found), commits.then_some(105), "{report:?}");
    }
}
