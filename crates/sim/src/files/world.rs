//! A process that runs control cards, and what it finds.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cica_catalog::{Catalog, Name};
use cica_disk::{Begun, Clock, Disk, File, Image, ManualClock, MemoryDisk, Open, StreamMode};
use cica_engine::{Access, Insert, Intent, OpenOptions, RequestError};
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_qsam::DdText;
use cica_session::{open, reach, CatalogVolumes, Opens};

use super::job::JobPlan;
use crate::session::{clock, engine_at, Trouble};

/// Where the catalog is.
const DIRECTORY: &str = "/cat";
/// Where users keep their files.
pub const OUTSIDE: &str = "/out";
/// The file of the job, if it is no data set of the catalog.
pub const FILE: &str = "/out/FILE";
/// The file of the job on the volume.
pub const ON_VOLUME: &str = "/cat/volumes/CICA01/SIM.FILE";
/// Bytes of the buffer pool.
const POOL: usize = 4 << 20;
const STAMP: Stamp = Stamp {
    year: 1979,
    month: 4,
    day: 27,
    hour: 9,
    minute: 30,
    second: 5,
};

/// A disk with a catalog, its volume, and a directory of the user's.
pub fn empty() -> Result<Image, String> {
    let disk = MemoryDisk::from(Image::with_directories([OUTSIDE]));
    let made = Catalog::open_or_create(Arc::new(disk.clone()), PathBuf::from(DIRECTORY));
    made.map_err(|error| error.to_string())?;
    Ok(disk.image())
}

/// One process; each card is run by a new one.
pub struct FileProcess<'a> {
    disk: Arc<dyn Disk>,
    plan: &'a JobPlan,
    now: u64,
}

impl FileProcess<'_> {
    /// A process that begins at this time. No two clusters of a disk are made at the same.
    pub fn new(disk: Arc<dyn Disk>, plan: &JobPlan, now: u64) -> FileProcess<'_> {
        FileProcess { disk, plan, now }
    }

    fn services(&self) -> Result<Services, String> {
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(clock(0).now() + self.now, 0));
        let catalog = Catalog::open(self.disk.clone(), PathBuf::from(DIRECTORY)).map_err(|error| failed(&error))?;
        let catalog = Arc::new(catalog.patience(Duration::ZERO));
        let engine = engine_at(&self.disk, &clock, catalog.log_directory(), POOL).map_err(Trouble::words)?;
        engine.set_volumes(Arc::new(CatalogVolumes::new(self.disk.clone(), catalog.clone())));
        let mut dd = DdTable::default();
        let records = if self.plan.has_records() {
            ",RECFM=VB,LRECL=644"
        } else {
            ""
        };
        let text = DdText::parse(&format!("{FILE}{records}")).map_err(|error| failed(&error))?;
        dd.insert("FILE", text);
        let outside: Arc<dyn Disk> = if self.plan.all_named {
            Arc::new(AllNamed(self.disk.clone()))
        } else {
            self.disk.clone()
        };
        Ok(Services {
            disk: self.disk.clone(),
            outside,
            clock,
            opens: Opens::alone(),
            engine,
            catalog,
            dd,
            rolls_off: true,
            progress: Box::new(|_| ()),
        })
    }

    /// Runs a control card; its condition code and listing.
    ///
    /// # Errors
    /// The process did not even begin.
    pub fn card(&self, text: &str) -> Result<(u8, String), String> {
        let mut services = self.services()?;
        let mut listing = Vec::new();
        let mut out = Sysprint::new(&mut listing, Style::Plain, STAMP);
        let maxcc = run(Source::of_program(text), &mut services, &mut out);
        Ok((maxcc, String::from_utf8_lossy(&listing).into_owned()))
    }

    /// Loads the data set.
    ///
    /// # Errors
    /// In words.
    pub fn load(&self, records: &[Vec<u8>]) -> Result<(), String> {
        let set = self.open(&self.services()?)?.ok_or("it is not there")?;
        let mut string = set.string();
        for record in records {
            string
                .insert(record, Insert::Sequential)
                .map_err(|error| error.to_string())?;
        }
        drop(string);
        set.close().map(drop).map_err(|error| error.to_string())
    }

    /// The records of the data set, none while it is to be loaded; `None`: it is not there.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn records(&self) -> Result<Option<Vec<Vec<u8>>>, String> {
        let services = self.services()?;
        let Some(set) = self.open(&services)? else {
            return Ok(None);
        };
        let mut records = Vec::new();
        if !set.loading() {
            let mut string = set.string();
            loop {
                match string.next(Intent::Read) {
                    Ok(record) => records.push(record.bytes.to_vec()),
                    Err(RequestError::EndOfData) => break,
                    Err(error) => return Err(error.to_string()),
                }
            }
        }
        set.close().map_err(|error| error.to_string())?;
        Ok(Some(records))
    }

    fn open(&self, services: &Services) -> Result<Option<cica_engine::DataSet>, String> {
        let contents = services.catalog.contents().map_err(|error| error.to_string())?;
        let name = Name::parse("SIM.D").map_err(|error| error.to_string())?;
        if contents.find(&name).is_none() {
            return Ok(None);
        }
        let reached = reach(&contents, &name).map_err(|error| error.to_string())?;
        let access = Access::Output;
        let options = OpenOptions {
            access,
            ..OpenOptions::default()
        };
        let opened = open(&services.catalog, &services.engine, &reached, options);
        opened.map(Some).map_err(|error| error.to_string())
    }
}

/// A disk that has no files without names.
#[derive(Debug)]
struct AllNamed(Arc<dyn Disk>);

impl Disk for AllNamed {
    fn open(&self, path: &Path, how: Open) -> std::io::Result<Box<dyn File>> {
        self.0.open(path, how)
    }

    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, path: &Path) -> std::io::Result<()> {
        self.0.remove(path)
    }

    fn list(&self, directory: &Path) -> std::io::Result<Vec<(PathBuf, u64)>> {
        self.0.list(directory)
    }

    fn begin(&self, _path: &Path, meanwhile: &Path) -> std::io::Result<Begun> {
        let how = Open {
            write: true,
            create: cica_disk::Create::New,
            ..Open::default()
        };
        self.0.open(meanwhile, how).map(Begun::Named)
    }

    fn stream(&self, path: &Path, way: StreamMode) -> std::io::Result<Box<dyn File>> {
        self.0.stream(path, way)
    }
}
