//! Salvage of data sets that were damaged in every way we know, beside what was in them: what is called sure must have
//! been there, byte for byte; what is missing must be told; the damaged files must stay as they are.
#![allow(clippy::unwrap_used)]

mod common;

use cica_disk::{Disk, Lock, Open, ReadAt, WriteAt};
use cica_engine::salvage::{Doubt, Report, Salvage};
use cica_engine::*;
use cica_format::attributes::Organization;
use common::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a record was, or its key: unique in a data set, and in the order of the data set.
type Place = (u64, Vec<u8>);

/// A closed data set with what is in it.
struct Subject {
    world: World,
    organization: Organization,
    records: BTreeMap<Place, Vec<u8>>,
    data: PathBuf,
    index: PathBuf,
}

/// What a salvage found.
struct Had {
    sure: BTreeMap<Place, Vec<u8>>,
    doubtful: Vec<(Place, Vec<u8>, Doubt)>,
    report: Report,
}

fn place(organization: Organization, rba: Option<u64>, rrn: Option<u32>, bytes: &[u8]) -> Place {
    match organization {
        Organization::Ksds => (0, bytes[..8].to_vec()),
        Organization::Rrds | Organization::Vrrds => (u64::from(rrn.unwrap()), Vec::new()),
        _ => (rba.unwrap(), Vec::new()),
    }
}

impl Subject {
    /// A data set that was loaded, changed and committed many times.
    fn new(organization: Organization, spanned: bool, seed: u64) -> Subject {
        Subject::of_cis(512, organization, spanned, seed)
    }

    fn of_cis(ci_size: u32, organization: Organization, spanned: bool, seed: u64) -> Subject {
        let world = World::memory();
        let engine = world.engine();
        let linear = organization == Organization::Lds;
        world.create(&engine, "d", |data, index| {
            data.organization = organization;
            data.spanned = spanned;
            data.ci_size = ci_size;
            if organization != Organization::Ksds {
                data.key_length = 0;
            }
            if organization == Organization::Rrds {
                (data.average_record, data.maximum_record) = (60, 60);
            }
            if spanned {
                data.maximum_record = 1400;
                index.maximum_record = 1400;
            }
            if linear {
                data.ci_size = 4096;
                data.ci_per_ca = 4;
            }
        });
        let (data, index) = world.paths("d");
        let index = if organization.has_index() {
            index
        } else {
            PathBuf::new()
        };
        let mut subject = Subject {
            world,
            organization,
            records: BTreeMap::new(),
            data,
            index,
        };
        let mut random = Random(seed);
        for round in 0..3 {
            let open = subject.world.open(&engine, "d");
            subject.change(&open, &mut random, round, spanned);
            open.close().unwrap();
        }
        let open = subject.world.open(&engine, "d");
        assert_sound(&open);
        open.close().unwrap();
        subject
    }

    fn change(&mut self, open: &DataSet, random: &mut Random, round: u64, spanned: bool) {
        let mut s = open.string();
        for n in 0..160u64 {
            let long = spanned && random.below(5) == 0;
            let len = match self.organization {
                Organization::Rrds => 60,
                _ if long => 600 + random.below(700) as usize,
                _ => 24 + random.below(120) as usize,
            };
            match self.organization {
                Organization::Lds => {
                    let ci = random.below(self.records.len() as u64 + 1).min(30);
                    let bytes: Vec<u8> = sealed(n, round, 400).into_iter().cycle().take(4096).collect();
                    s.write_range(ci * 4096, &bytes).unwrap();
                    self.records.insert((ci * 4096, Vec::new()), bytes);
                }
                Organization::Esds => {
                    let record = sealed(n, round, len);
                    let rba = s.insert(&record, Insert::Sequential).unwrap();
                    self.records.insert((rba, Vec::new()), record);
                }
                Organization::Ksds if round == 0 => {
                    let record = sealed(n * 10, round, len);
                    s.insert(&record, Insert::Sequential).unwrap();
                    self.records.insert((0, key(n * 10)), record);
                }
                _ if round == 0 => {
                    let record = sealed(n * 10, round, len);
                    s.insert_at(1 + n as u32 * 10, &record, Insert::Skip).unwrap();
                    self.records.insert((1 + n * 10, Vec::new()), record);
                }
                _ => self.change_keyed(&mut s, random, round, len),
            }
            if random.below(40) == 0 && round > 0 {
                open.checkpoint().unwrap();
            }
        }
    }

    /// Inserts, updates or erases the record of a random key or number.
    fn change_keyed(&mut self, s: &mut Str, random: &mut Random, round: u64, len: usize) {
        let n = 1 + random.below(1600);
        let keyed = self.organization == Organization::Ksds;
        let place = if keyed { (0, key(n)) } else { (n, Vec::new()) };
        let argument = if keyed {
            Argument::Key(&place.1)
        } else {
            Argument::Rrn(n as u32)
        };
        let record = sealed(n, round, len);
        let there = self.records.contains_key(&place);
        if there {
            s.get(argument, Search::Equal, Intent::Update).unwrap();
        }
        match (there, random.below(3) == 0) {
            (true, true) => {
                s.erase().unwrap();
                self.records.remove(&place);
                return;
            }
            (true, false) => drop(s.update(&record).unwrap()),
            (false, _) if keyed => drop(s.insert(&record, Insert::Direct).unwrap()),
            (false, _) => s.insert_at(n as u32, &record, Insert::Direct).unwrap(),
        }
        self.records.insert(place, record);
    }

    fn read(&self, path: &Path) -> Vec<u8> {
        let file = self.world.disk.open(path, Open::default()).unwrap();
        let mut bytes = vec![0; file.size(None).unwrap() as usize];
        let mut batch = [ReadAt {
            at: 0,
            buf: &mut bytes,
            got: 0,
        }];
        file.read(&mut batch).unwrap();
        bytes
    }

    fn write(&self, path: &Path, bytes: &[u8]) {
        let how = Open {
            write: true,
            ..Open::default()
        };
        let file = self.world.disk.open(path, how).unwrap();
        file.size(Some(bytes.len() as u64)).unwrap();
        file.write(&[WriteAt { at: 0, buf: bytes }]).unwrap();
    }

    fn salvage(&self) -> Had {
        self.try_salvage(&self.index).unwrap()
    }

    fn try_salvage(&self, index: &Path) -> Result<Had, OpenError> {
        let salvage = Salvage::open(&*self.world.disk, &self.data, index, None, None)?;
        let (mut sure, mut doubtful, mut keys) = (BTreeMap::new(), Vec::new(), Vec::new());
        let report = salvage.run::<()>(&mut |found| {
            if found.doubt.is_some() && found.rba.is_none() && self.organization == Organization::Esds {
                return Ok(());
            }
            let place = place(self.organization, found.rba, found.rrn, found.bytes);
            keys.push(place.clone());
            match found.doubt {
                None => drop(sure.insert(place, found.bytes.to_vec())),
                Some(why) => doubtful.push((place, found.bytes.to_vec(), why)),
            }
            Ok(())
        });
        assert!(keys.windows(2).all(|w| w[0] < w[1]), "not in order, or one twice");
        Ok(Had {
            sure,
            doubtful,
            report: report.unwrap(),
        })
    }

    /// Sure is only what was there; what is missing is told.
    #[track_caller]
    fn check(&self, had: &Had) {
        for (place, record) in &had.sure {
            let was = self.records.get(place);
            assert!(was == Some(record), "{place:?} is called sure");
        }
        let missing = self
            .records
            .keys()
            .filter(|place| !had.sure.contains_key(*place))
            .count();
        let told = had.report.losses.len() + had.report.doubts.len();
        assert!(
            missing == 0 || told > 0,
            "{missing} records are missing and nothing is told"
        );
        assert_eq!(had.report.sure, had.sure.len() as u64);
        assert_eq!(had.report.doubtful, had.doubtful.len() as u64);
        let is_whole = had.sure == self.records && had.doubtful.is_empty() && had.report.losses.is_empty();
        if self.organization != Organization::Lds {
            assert_eq!(had.report.is_whole(), is_whole && had.report.counted.is_some());
        }
    }
}

const ALL: [(Organization, bool); 7] = [
    (Organization::Ksds, false),
    (Organization::Ksds, true),
    (Organization::Esds, false),
    (Organization::Esds, true),
    (Organization::Rrds, false),
    (Organization::Vrrds, false),
    (Organization::Lds, false),
];

fn subjects() -> impl Iterator<Item = Subject> {
    let of_all = ALL
        .iter()
        .enumerate()
        .map(|(n, &(organization, spanned))| Subject::new(organization, spanned, 77 + n as u64));
    // Of 1,536 a CI has three sectors, and its image may be stored without some.
    let of_sectors = [Organization::Ksds, Organization::Vrrds]
        .into_iter()
        .map(|organization| Subject::of_cis(1536, organization, false, 99));
    of_all.chain(of_sectors)
}

#[test]
fn of_an_undamaged_data_set_all_is_sure() {
    for subject in subjects() {
        let had = subject.salvage();
        subject.check(&had);
        assert_eq!(had.sure, subject.records, "{:?}", subject.organization);
        assert_eq!((had.doubtful.len(), had.report.losses.len()), (0, 0));
    }
}

#[test]
fn without_its_index_component_a_data_set_gives_every_record() {
    for subject in subjects().filter(|s| s.organization.has_index()) {
        let spanned = subject.records.values().any(|r| r.len() > 505);
        for index in [Path::new(""), Path::new("/v/nowhere")] {
            let had = subject.try_salvage(index).unwrap();
            subject.check(&had);
            assert_eq!(had.sure.len() + had.doubtful.len(), subject.records.len());
            assert_eq!(had.doubtful.is_empty(), !spanned);
            for (place, bytes, why) in &had.doubtful {
                assert_eq!((subject.records.get(place), *why), (Some(bytes), Doubt::Segments));
            }
            assert!(had.report.notes.iter().any(|note| note.contains("without it")));
        }
    }
}

#[test]
fn a_damaged_index_component_costs_no_record() {
    for subject in subjects().filter(|s| s.organization.has_index()) {
        let good = subject.read(&subject.index);
        let mut random = Random(5);
        for _ in 0..60 {
            let mut bytes = good.clone();
            let at = random.below(bytes.len() as u64 / 512) as usize * 512;
            bytes[at..at + 512].fill(0);
            subject.write(&subject.index, &bytes);
            let had = subject.salvage();
            subject.check(&had);
            assert_eq!(had.sure.len() + had.doubtful.len(), subject.records.len(), "at {at}");
        }
    }
}

#[test]
fn one_copy_of_the_root_is_enough_and_without_any_all_is_doubtful() {
    for subject in subjects() {
        let good = subject.read(&subject.data);
        for copy in 0..2 {
            let mut bytes = good.clone();
            bytes[copy * 65_536 + 40] ^= 1;
            subject.write(&subject.data, &bytes);
            let had = subject.salvage();
            subject.check(&had);
            assert_eq!(had.sure, subject.records);
        }
        let mut bytes = good.clone();
        bytes[..131_072].fill(0);
        subject.write(&subject.data, &bytes);
        if !subject.organization.has_index() {
            // Nothing says where a record begins or has its number.
            assert!(matches!(
                subject.try_salvage(Path::new("")),
                Err(OpenError::Unusable { .. })
            ));
        }
        let known = attributes("T.D.DATA", 512, 6);
        let known = cica_format::attributes::Attributes {
            organization: subject.organization,
            key_length: if subject.organization == Organization::Ksds {
                8
            } else {
                0
            },
            maximum_record: if subject.organization == Organization::Rrds {
                60
            } else {
                1400
            },
            ..known
        };
        let salvage = Salvage::open(&*subject.world.disk, &subject.data, &subject.index, Some(&known), None).unwrap();
        let mut found = BTreeMap::new();
        let report = salvage.run::<()>(&mut |record| {
            assert!(record.doubt.is_some());
            let place = place(subject.organization, record.rba, record.rrn, record.bytes);
            found.insert(place, record.bytes.to_vec());
            Ok(())
        });
        assert_eq!(found, subject.records, "{:?}", subject.organization);
        assert!(!report.unwrap().is_whole());
    }
}

#[test]
fn a_lost_header_is_replaced_by_its_other_copy_or_by_what_lies_in_the_slots() {
    for subject in subjects() {
        let good = subject.read(&subject.data);
        let headers: Vec<usize> = (131_072..good.len())
            .step_by(4096)
            .filter(|&at| good[at..at + 4] == *b"CiCA")
            .collect();
        assert!(headers.len() > 2);
        for &at in &headers {
            let mut bytes = good.clone();
            bytes[at + 100] ^= 0x10;
            subject.write(&subject.data, &bytes);
            let one = subject.salvage();
            subject.check(&one);
            // Both copies.
            let first = at - 4096 * usize::from(good[at + 20] & 1);
            bytes[first..first + 8192].fill(0xA5);
            subject.write(&subject.data, &bytes);
            let both = subject.salvage();
            subject.check(&both);
            if subject.organization == Organization::Ksds && both.report.losses.iter().any(|l| l.ci.is_none()) {
                let whole: Vec<_> = subject.records.iter().filter(|(_, r)| r.len() <= 505).collect();
                for (place, record) in whole {
                    let seen = both.sure.get(place) == Some(record) || both.doubtful.iter().any(|(p, ..)| p == place);
                    assert!(seen, "{place:?} lies in a slot and was not found");
                }
            }
        }
    }
}

#[test]
fn a_file_cut_short_gives_what_is_left() {
    for subject in subjects() {
        let good = subject.read(&subject.data);
        let mut lost = 0;
        for part in 1..12 {
            let length = good.len() * part / 12;
            subject.write(&subject.data, &good[..length]);
            match subject.try_salvage(&subject.index) {
                Ok(had) => {
                    subject.check(&had);
                    lost += had.report.losses.len();
                }
                Err(error) => assert!(length <= 131_072 + 8192, "{length}: {error}"),
            }
        }
        assert!(lost > 0);
    }
}

#[test]
fn damage_anywhere_never_makes_a_wrong_record_sure() {
    let mut doubts: BTreeMap<Doubt, u64> = BTreeMap::new();
    let mut losses = 0;
    for (n, subject) in subjects().enumerate() {
        let (data, index) = (subject.read(&subject.data), subject.index.clone());
        let mut random = Random(1000 + n as u64);
        for _ in 0..400 {
            let mut bytes = data.clone();
            for _ in 0..=random.below(3) {
                damage(&mut bytes, &data, &mut random);
            }
            subject.write(&subject.data, &bytes);
            if let Ok(had) = subject.try_salvage(&index) {
                subject.check(&had);
                losses += had.report.losses.len();
                for (.., why) in &had.doubtful {
                    *doubts.entry(*why).or_default() += 1;
                }
            }
            assert!(subject.read(&subject.data) == bytes, "the damaged file was changed");
        }
    }
    // The ways of damage reach what they are for.
    for why in [Doubt::Table, Doubt::Header, Doubt::NoHeader, Doubt::Image] {
        assert!(doubts.contains_key(&why), "{why:?} in {doubts:?}");
    }
    assert!(losses > 100, "{losses}");
}

/// A bit, a sector of zeros, a sector of another place, or a cut.
fn damage(bytes: &mut Vec<u8>, good: &[u8], random: &mut Random) {
    let sectors = bytes.len() as u64 / 512;
    if sectors < 2 {
        return;
    }
    let at = random.below(sectors) as usize * 512;
    match random.below(8) {
        0 => bytes.truncate(at),
        1 | 2 => bytes[at..at + 512].fill(0),
        3 => {
            let from = random.below(good.len() as u64 / 512) as usize * 512;
            bytes[at..at + 512].copy_from_slice(&good[from..from + 512]);
        }
        4 => {
            let end = (at + 8192).min(bytes.len());
            bytes[at..end].fill(0);
        }
        _ => {
            let bit = random.below(512 * 8) as usize;
            bytes[at + bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn an_image_that_is_not_the_one_written_is_never_sure() {
    for subject in subjects() {
        let good = subject.read(&subject.data);
        // A record of the data set, found where it lies, changed in its last byte.
        for record in subject.records.values().take(40) {
            let piece = &record[..record.len().min(200)];
            let Some(at) = good.windows(piece.len()).position(|w| w == piece) else {
                continue;
            };
            let mut bytes = good.clone();
            bytes[at + piece.len() - 1] ^= 0x80;
            subject.write(&subject.data, &bytes);
            subject.check(&subject.salvage());
        }
    }
}

/// A block of an earlier moment in its place is whole in itself; only its parent knows that it is not the one.
#[test]
fn what_a_block_of_an_earlier_moment_names_is_not_sure() {
    for organization in [Organization::Ksds, Organization::Esds, Organization::Rrds] {
        let mut subject = Subject::new(organization, false, 11);
        let earlier = subject.read(&subject.data);
        let engine = subject.world.engine();
        let mut random = Random(12);
        for round in 3..5 {
            let open = subject.world.open(&engine, "d");
            subject.change(&open, &mut random, round, false);
            open.close().unwrap();
        }
        let now = subject.read(&subject.data);
        let mut replaced = 0;
        for at in (0..earlier.len() - 4096).step_by(4096) {
            if earlier[at..at + 4096] == now[at..at + 4096] {
                continue;
            }
            let mut bytes = now.clone();
            bytes[at..at + 4096].copy_from_slice(&earlier[at..at + 4096]);
            subject.write(&subject.data, &bytes);
            subject.check(&subject.salvage());
            replaced += 1;
        }
        assert!(replaced > 5, "{organization:?}: {replaced}");
    }
}

/// The index is whole in itself, and knows nothing of the control intervals that came since.
#[test]
fn an_index_of_an_earlier_moment_is_not_followed() {
    let mut subject = Subject::new(Organization::Ksds, false, 21);
    let earlier = subject.read(&subject.index);
    let open = subject.world.open(&subject.world.engine(), "d");
    let mut s = open.string();
    for n in 3000..3008 {
        let record = sealed(n, 9, 100);
        s.insert(&record, Insert::Direct).unwrap();
        subject.records.insert((0, key(n)), record);
    }
    drop(s);
    open.close().unwrap();
    assert_ne!(subject.read(&subject.index), earlier);
    subject.write(&subject.index, &earlier);
    let had = subject.salvage();
    subject.check(&had);
    assert_eq!(had.sure, subject.records);
    let notes = had.report.notes;
    assert!(
        notes.iter().any(|note| note.contains("the index does not lead to all")),
        "{notes:?}"
    );
}

#[test]
fn a_data_set_that_is_open_for_output_is_not_salvaged() {
    let subject = Subject::new(Organization::Ksds, false, 3);
    let how = Open {
        write: true,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    let _held = subject.world.disk.open(&subject.data, how).unwrap();
    assert!(matches!(
        subject.try_salvage(&subject.index),
        Err(OpenError::InUse { .. })
    ));
}

#[test]
fn requests_in_a_log_make_what_is_on_the_volume_doubtful() {
    let subject = Subject::new(Organization::Ksds, false, 4);
    let engine = subject.world.engine();
    let options = OpenOptions {
        access: Access::Output,
        durability: Durability::Request,
        ..OpenOptions::default()
    };
    let open = subject.world.open_with(&engine, "d", options);
    let mut s = open.string();
    s.insert(&sealed(7, 7, 40), Insert::Direct).unwrap();
    drop(s);
    // The process dies.
    std::mem::forget(open);
    let disk: &dyn Disk = &*subject.world.disk;
    std::mem::forget(engine);
    let copy = cica_disk::MemoryDisk::default();
    let world = World::on(std::sync::Arc::new(copy), Path::new("/"));
    for path in [&subject.data, &subject.index] {
        let how = Open {
            write: true,
            create: cica_disk::Create::New,
            ..Open::default()
        };
        let file = world.disk.open(path, how).unwrap();
        let bytes = subject.read(path);
        file.size(Some(bytes.len() as u64)).unwrap();
        file.write(&[WriteAt { at: 0, buf: &bytes }]).unwrap();
    }
    let _ = disk;
    // Its log is not there.
    let salvage = Salvage::open(&*world.disk, &subject.data, &subject.index, None, None).unwrap();
    assert!(salvage.later_requests().is_some());
    let report = salvage.run::<()>(&mut |found| {
        assert_eq!(found.doubt, Some(Doubt::Log));
        Ok(())
    });
    assert_eq!(report.unwrap().doubtful, subject.records.len() as u64);
}
