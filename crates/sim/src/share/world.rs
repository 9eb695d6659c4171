//! The disk, the owner's process, and what finds the records that it has: by an observer, and by whoever comes last.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cica_catalog::{Catalog, Name as DataSetName};
use cica_disk::{Clock, Disk, ManualClock, MemoryDisk, Open, ReadAt};
use cica_engine::{DataSet, Engine, Insert, Intent, OpenOptions, RequestError, Search};
use cica_format::prepared::{PreparedState, PreparedUnit};
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_server::Owner;
use cica_session::{files, CatalogVolumes, Opens, Session};
use rustix::fs::{fstat, memfd_create, MemfdFlags, Mode, OFlags};

use super::model::{Name, Records};
use super::wire::{locked, Net, Nets};
use crate::mortal::Mortal;
use crate::random::Random;
use crate::session::{engine_at, Trouble};

const DIRECTORY: &str = "/cat";
const POOL: usize = 4 << 20;
/// So short a log starts over several times in a run, with units open.
const LOG_BYTES: u64 = 12 << 10;
const STAMP: Stamp = Stamp {
    year: 1979,
    month: 4,
    day: 27,
    hour: 9,
    minute: 30,
    second: 5,
};

/// The data sets: two that all share, and one of who is hostile.
pub const NAMES: [&str; 3] = ["SIM.A", "SIM.B", "SIM.H"];
/// Those that all share.
pub const SETS: usize = 2;
/// Names of units in doubt; they are given again and again.
pub const UNITS: [&str; 3] = ["U.1", "U.2", "U.3"];
/// Keys there may be.
pub const KEYS: u32 = 24;

/// See the module.
pub struct Premises {
    pub disk: MemoryDisk,
    pub process: Mortal,
    pub clock: Arc<ManualClock>,
    pub net: Nets,
    /// Real files that stand for data components, and behind them for files of units in doubt: by their descriptors the
    /// owner knows what a client may do.
    stand: Vec<OwnedFd>,
    paths: Vec<PathBuf>,
    /// Owners so far.
    pub owners: u64,
}

/// A record of this key and value.
pub fn record(key: u32, value: u32) -> Vec<u8> {
    let mut record = format!("{key:04}").into_bytes();
    record.extend(value.to_be_bytes());
    record.resize(20 + value as usize * 7 % 70, b'0' + (value % 10) as u8);
    record
}

/// Key and value of a record that is as it was written.
pub fn read(bytes: &[u8]) -> Result<(u32, u32), String> {
    let key = bytes
        .get(..4)
        .and_then(|key| std::str::from_utf8(key).ok()?.parse().ok());
    let value = bytes
        .get(4..8)
        .and_then(|value| value.try_into().ok())
        .map(u32::from_be_bytes);
    match (key, value) {
        (Some(key), Some(value)) if record(key, value) == bytes => Ok((key, value)),
        _ => Err(format!("a record is not as any was written: {bytes:?}")),
    }
}

fn failed(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Premises {
    /// Data sets with these records; nobody owns them yet.
    pub fn new(start: &Records, random: &mut Random) -> Result<Premises, String> {
        let disk = MemoryDisk::default();
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        Catalog::open_or_create(shared.clone(), PathBuf::from(DIRECTORY)).map_err(failed)?;
        let clock = Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000));
        define(&shared, &clock)?;
        let session = session(&shared, &clock)?;
        let mut paths = Vec::new();
        for (set, name) in NAMES.iter().enumerate() {
            let (data_set, path) = open_alone(&session, name)?;
            paths.push(path);
            let mut string = data_set.string();
            for (&(_, key), &value) in start.range((set, 0)..(set + 1, 0)) {
                string.insert(&record(key, value), Insert::Sequential).map_err(failed)?;
            }
            drop(string);
            data_set.end_load().map_err(failed)?;
            data_set.close().map_err(failed)?;
        }
        drop(session);
        let process = Mortal::new(shared);
        paths.extend(UNITS.iter().map(|unit| prepared(unit)));
        let all = NAMES.iter().chain(&UNITS);
        let stand = all.map(|name| memfd_create(*name, MemfdFlags::CLOEXEC));
        Ok(Premises {
            net: Arc::new(Mutex::new(Net::new(process.clone(), random.fork()))),
            disk,
            process,
            clock,
            stand: stand.collect::<Result<_, _>>().map_err(failed)?,
            paths,
            owners: 0,
        })
    }

    /// A descriptor of a data set's component, for output or for input alone.
    pub fn descriptor(&self, set: usize, output: bool) -> Result<OwnedFd, String> {
        use std::os::fd::AsRawFd;
        let file = format!("/proc/self/fd/{}", self.stand[set].as_raw_fd());
        let how = if output { OFlags::RDWR } else { OFlags::RDONLY };
        rustix::fs::open(file, how | OFlags::CLOEXEC, Mode::empty()).map_err(failed)
    }

    /// A descriptor of a unit's file, if it has one.
    pub fn descriptor_of_unit(&self, unit: usize, output: bool) -> Result<OwnedFd, String> {
        self.descriptor(NAMES.len() + unit, output)
    }

    /// The units in doubt by what their files say, and whether it was decided that they go back.
    pub fn in_doubt(&self) -> Result<BTreeMap<usize, bool>, String> {
        let mut found = BTreeMap::new();
        for (unit, name) in UNITS.iter().enumerate() {
            let path = prepared(name);
            let Ok(file) = self.disk.open(&path, Open::default()) else {
                continue;
            };
            let mut bytes = vec![0; file.size(None).map_err(failed)? as usize];
            let mut batch = [ReadAt {
                at: 0,
                buf: &mut bytes,
                got: 0,
            }];
            file.read(&mut batch).map_err(failed)?;
            let (_, head) = PreparedUnit::decode(&bytes).map_err(failed)?;
            if !head.state.is_over() {
                found.insert(unit, head.state == PreparedState::GoingBack);
            }
        }
        Ok(found)
    }

    /// Another process, which asks no owner.
    pub fn alone(&self) -> Result<Session, String> {
        let shared: Arc<dyn Disk> = Arc::new(self.disk.clone());
        session(&shared, &self.clock)
    }

    /// An owner begins where there is none; the successors of one that was killed may be killed in that.
    pub fn begin(&mut self) -> Result<(), String> {
        while locked(&self.net).owner().is_none() {
            if self.process.is_dead() || self.owners > 0 {
                // Its connections have ended with it.
                locked(&self.net).end();
                self.process = self.process.successor();
            }
            self.owners += 1;
            let begun = session(&self.process.shared(), &self.clock);
            match begun {
                Ok(session) => {
                    let owner = Owner::new(session, Some(self.files()?));
                    locked(&self.net).begin(owner, self.process.clone());
                }
                Err(_) if self.process.is_dead() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Which stand-in is of which component.
    fn files(&self) -> Result<cica_server::FileOf, String> {
        let mut known = BTreeMap::new();
        for (path, stand) in self.paths.iter().zip(&self.stand) {
            let found = fstat(stand).map_err(failed)?;
            known.insert(path.clone(), (found.st_dev, found.st_ino));
        }
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        Ok(Box::new(move |path: &Path| {
            known.get(path).copied().ok_or_else(missing)
        }))
    }

    /// What whoever comes last finds, when no owner is left. These records are refused him, and no others of the keys.
    pub fn last(&self, retained: &BTreeSet<Name>) -> Result<Records, String> {
        let session = self.alone()?;
        let mut found = Records::new();
        for (set, name) in NAMES.iter().enumerate() {
            let (data_set, _) = open_alone(&session, name)?;
            for key in (0..KEYS).filter(|_| set < SETS) {
                let mut string = data_set.string();
                let got = string.get(format!("{key:04}").as_bytes(), Search::Equal, Intent::Update);
                let refused = matches!(got, Err(RequestError::Retained { .. }));
                if refused != retained.contains(&(set, key)) {
                    return Err(format!("record {:?} is refused: {refused}", (set, key)));
                }
            }
            // The hostile client's own is as it likes: it may have emptied it.
            if set < SETS || !data_set.loading() {
                let here = contents(&data_set)?.into_iter();
                found.extend(here.filter(|_| set < SETS).map(|(key, value)| ((set, key), value)));
            }
            data_set.close().map_err(failed)?;
        }
        Ok(found)
    }
}

/// All records of a data set, as a reader without integrity sees them, and its structure checked.
pub fn contents(set: &DataSet) -> Result<BTreeMap<u32, u32>, String> {
    let mut string = set.string();
    let mut found = BTreeMap::new();
    loop {
        match string.next(Intent::Read) {
            Ok(record) => {
                let (key, value) = match record.bytes.first() {
                    // Who is hostile writes what he likes.
                    Some(byte) if byte.is_ascii_digit() => read(record.bytes)?,
                    _ => continue,
                };
                found.insert(key, value);
            }
            Err(RequestError::EndOfData) => break,
            Err(error) => return Err(error.to_string()),
        }
    }
    let findings = set.examine().map_err(failed)?.findings;
    match findings.first() {
        Some(first) => Err(format!("EXAMINE: CI {}: {}", first.ci, first.what)),
        None => Ok(found),
    }
}

/// The file of a unit in doubt.
fn prepared(unit: &str) -> PathBuf {
    Path::new(DIRECTORY).join("log").join(format!("{unit}.prepared"))
}

fn engine(disk: &Arc<dyn Disk>, clock: &Arc<dyn Clock>, log: PathBuf) -> Result<Engine, String> {
    let engine = engine_at(disk, clock, log, POOL).map_err(Trouble::words)?;
    engine.start_log_over_after(LOG_BYTES);
    Ok(engine)
}

fn session(disk: &Arc<dyn Disk>, clock: &Arc<ManualClock>) -> Result<Session, String> {
    let clock: Arc<dyn Clock> = clock.clone();
    let catalog = Catalog::open(disk.clone(), PathBuf::from(DIRECTORY)).map_err(failed)?;
    let engine = engine(disk, &clock, catalog.log_directory())?;
    Ok(Session::over(disk.clone(), clock, Arc::new(catalog), engine))
}

fn open_alone(session: &Session, name: &str) -> Result<(DataSet, PathBuf), String> {
    let name = DataSetName::parse(name).map_err(failed)?;
    let (reached, data_set) = session.open(&name, OpenOptions::output()).map_err(failed)?;
    let (path, _) = files(&session.catalog, &reached.cluster).map_err(failed)?;
    Ok((data_set, path))
}

fn define(disk: &Arc<dyn Disk>, clock: &Arc<ManualClock>) -> Result<(), String> {
    for name in NAMES {
        let now: Arc<dyn Clock> = clock.clone();
        let catalog = Arc::new(Catalog::open(disk.clone(), PathBuf::from(DIRECTORY)).map_err(failed)?);
        let engine = engine(disk, &now, catalog.log_directory())?;
        engine.set_volumes(Arc::new(CatalogVolumes::new(disk.clone(), catalog.clone())));
        let mut services = Services {
            disk: disk.clone(),
            outside: disk.clone(),
            clock: now,
            opens: Opens::alone(),
            engine,
            catalog,
            dd: DdTable::default(),
            rolls_off: true,
            progress: Box::new(|_| ()),
        };
        let card = format!(
            "DEFINE CLUSTER (NAME({name}) INDEXED KEYS(4 0) RECORDSIZE(40 90) TRACKS(1 1) SHAREOPTIONS(3 3) \
             CONTROLINTERVALSIZE(512))"
        );
        let mut listing = Vec::new();
        let source = Source::of_program(&card);
        let maxcc = run(
            source,
            &mut services,
            &mut Sysprint::new(&mut listing, Style::Plain, STAMP),
        );
        if maxcc > 0 {
            return Err(String::from_utf8_lossy(&listing).into_owned());
        }
    }
    Ok(())
}
