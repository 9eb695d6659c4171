//! A catalog and data sets in memory, sequential files in a directory of their own, and control cards run over them.

use cica_catalog::entry::{Attributes, Keys, Organization, RecordSize};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::plan::{plan, Wish};
use cica_catalog::space::{Space, Unit};
use cica_catalog::{Catalog, Cluster, Date, Device, Entry, Name, Volser};
use cica_disk::{Clock, Disk, ManualClock, MemoryDisk};
use cica_engine::{Access, DataSet, Definition, Durability, Engine, Env, Insert, Intent, OpenOptions};
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_qsam::DdText;
use cica_session::CatalogVolumes;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

const STAMP: Stamp = Stamp {
    year: 1979,
    month: 4,
    day: 27,
    hour: 9,
    minute: 30,
    second: 5,
};
/// 1979-04-27 in nanoseconds since 1970.
const NOW: u64 = 294_053_405_000_000_000;

pub struct World {
    pub disk: Arc<MemoryDisk>,
    pub services: Services,
    dir: PathBuf,
}

/// What a data set is defined with.
#[derive(Clone, Copy)]
pub struct Shape {
    pub key: (u16, u32),
    pub record: (u32, u32),
    pub reuse: bool,
    pub ccsid: u16,
    pub inhibit: bool,
}

/// Keys of four characters at the beginning, records of up to 80.
pub const NAMES: Shape = Shape {
    key: (4, 0),
    record: (20, 80),
    reuse: false,
    ccsid: 0,
    inhibit: false,
};

impl World {
    pub fn new() -> World {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("cica-records-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let disk = Arc::new(MemoryDisk::new());
        let clock = Arc::new(ManualClock::new(NOW, 1));
        let catalog = Catalog::open_or_create(disk.clone() as Arc<dyn Disk>, "/cat").unwrap();
        let catalog = Arc::new(catalog);
        let services = Services {
            disk: disk.clone(),
            outside: Arc::new(cica_disk::LinuxDisk::new()),
            clock: clock.clone(),
            opens: cica_session::Opens::alone(),
            engine: engine(disk.clone(), clock, &catalog),
            catalog,
            dd: DdTable::default(),
            rolls_off: true,
            progress: Box::new(|_| {}),
        };
        World { disk, services, dir }
    }

    /// Goes on as another process does.
    pub fn begin_process(&mut self) {
        let services = &self.services;
        self.services.engine = engine(services.disk.clone(), services.clock.clone(), &services.catalog);
    }

    /// Defines a data set without going through DEFINE.
    pub fn define(&mut self, name: &str, shape: Shape) {
        let name = Name::parse(name).unwrap();
        let mut said = Attributes::new(Date::of_clock(NOW));
        said.keys = Some(Keys {
            length: shape.key.0,
            offset: shape.key.1,
        });
        said.record_size = RecordSize {
            average: shape.record.0,
            maximum: shape.record.1,
        };
        (said.reuse, said.ccsid, said.inhibit) = (shape.reuse, shape.ccsid, shape.inhibit);
        let wish = Wish {
            organization: Organization::Ksds,
            keys: said.keys,
            record_size: said.record_size,
            spanned: false,
            compressed: false,
            ci_size: None,
            index_ci_size: None,
            space: Space {
                unit: Unit::Cylinders,
                primary: 5,
                secondary: 5,
            },
            index_space: None,
            free_space: FreeSpace::default(),
            buffer_space: None,
            imbed: false,
            device: Device::default_type(),
        };
        let plan = plan(&wish).unwrap();
        said.buffer_space = plan.buffer_space;
        let volumes = vec![Volser::default_serial()];
        let data = plan.data.component(name.data(), volumes.clone());
        let index = plan.index.unwrap().component(name.index(), volumes);
        let catalog = &self.services.catalog;
        let definition = Definition {
            data_path: catalog.component_path(&data).unwrap(),
            index_path: catalog.component_path(&index).unwrap(),
            data: data.file_attributes(&name, Organization::Ksds, &said, NOW),
            index: Some(index.file_attributes(&name, Organization::Ksds, &said, NOW)),
        };
        self.services.engine.create(&definition).unwrap();
        let organization = Organization::Ksds;
        let cluster = Cluster {
            name,
            organization,
            attributes: said,
            data,
            index: Some(index),
        };
        catalog
            .transact(|contents| contents.insert(Entry::Cluster(Box::new(cluster))))
            .unwrap();
    }

    /// Defines a data set and loads it.
    pub fn loaded(&mut self, name: &str, shape: Shape, records: &[&str]) {
        self.define(name, shape);
        let data_set = self.open(name, Access::Output);
        let mut string = data_set.string();
        for record in records {
            string.insert(record.as_bytes(), Insert::Sequential).unwrap();
        }
        drop(string);
        data_set.close().unwrap();
    }

    pub fn open(&self, name: &str, access: Access) -> DataSet {
        let (data, index) = self.paths(name);
        let options = OpenOptions {
            access,
            reset: false,
            durability: Durability::Commit,
            io: Default::default(),
            ..OpenOptions::default()
        };
        self.services.engine.open(&data, &index, options).unwrap()
    }

    pub fn paths(&self, name: &str) -> (PathBuf, PathBuf) {
        let catalog = &self.services.catalog;
        let Ok(Entry::Cluster(cluster)) = catalog.get(&Name::parse(name).unwrap()) else {
            panic!("no cluster {name}")
        };
        let path = |component| catalog.component_path(component).unwrap();
        (path(&cluster.data), path(cluster.index.as_ref().unwrap()))
    }

    /// All records in key order; none of a data set that was never loaded.
    pub fn records(&self, name: &str) -> Vec<String> {
        let (data, index) = self.paths(name);
        let Ok(data_set) = self.services.engine.open(&data, &index, OpenOptions::default()) else {
            return Vec::new();
        };
        let mut string = data_set.string();
        let mut records = Vec::new();
        while let Ok(record) = string.next(Intent::Read) {
            records.push(record.bytes.iter().map(|b| char::from(*b)).collect());
        }
        drop(string);
        data_set.close().unwrap();
        records
    }

    /// Writes a file and makes `ddname` stand for it; `attributes` begins with a comma where there are any.
    pub fn dd(&mut self, ddname: &str, attributes: &str, bytes: &[u8]) {
        let path = self.file(ddname);
        std::fs::write(&path, bytes).unwrap();
        self.dd_text(ddname, &format!("{}{attributes}", path.display()));
    }

    /// Makes `ddname` stand for a file that is not there yet.
    pub fn dd_new(&mut self, ddname: &str, attributes: &str) {
        let text = format!("{}{attributes}", self.file(ddname).display());
        self.dd_text(ddname, &text);
    }

    pub fn dd_text(&mut self, ddname: &str, text: &str) {
        self.services.dd.insert(ddname, DdText::parse_statement(text).unwrap());
    }

    pub fn file(&self, ddname: &str) -> PathBuf {
        self.dir.join(ddname)
    }

    /// Runs cards, which begin in column 1 here; returns MAXCC and the listing, without the directory of this world.
    pub fn run(&mut self, cards: &str) -> (u8, String) {
        let cards: String = cards.lines().map(|card| format!(" {card}\n")).collect();
        let mut listing = Vec::new();
        let mut out = Sysprint::new(&mut listing, Style::Plain, STAMP);
        let maxcc = run(Source::from_text(&cards), &mut self.services, &mut out);
        let listing = String::from_utf8(listing).unwrap();
        (maxcc, listing.replace(&self.dir.display().to_string(), "DIR"))
    }

    /// Runs cards whose MAXCC must be `cc`; returns the messages between the cards and the codes.
    pub fn messages(&mut self, cards: &str, cc: u8) -> Vec<String> {
        let (maxcc, listing) = self.run(cards);
        assert_eq!(maxcc, cc, "{listing}");
        let codes = ["IDC0001I", "IDC0002I", "IDC3003I", "IDC3202I"];
        let mut messages: Vec<String> = Vec::new();
        for line in listing.lines() {
            let id = line.split(' ').next().unwrap_or_default();
            if id.starts_with("IDC") && id.ends_with('I') || id.starts_with("CICA") {
                messages.push(line.to_owned());
            } else if let (true, Some(last)) = (line.starts_with("         "), messages.last_mut()) {
                *last += &format!(" {}", line.trim());
            }
        }
        messages.retain(|m| !codes.iter().any(|code| m.starts_with(code)));
        messages
    }

    /// Compares a listing with `golden/NAME.txt`, which CICA_BLESS=1 writes.
    pub fn golden(&mut self, name: &str, cards: &str, cc: u8) {
        let (maxcc, listing) = self.run(cards);
        assert_eq!(maxcc, cc, "{listing}");
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/records/golden")
            .join(format!("{name}.txt"));
        if std::env::var_os("CICA_BLESS").is_some_and(|v| v == "1") {
            std::fs::write(&path, &listing).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            listing,
            expected,
            "{} differs; CICA_BLESS=1 writes it anew",
            path.display()
        );
    }
}

fn engine(disk: Arc<dyn Disk>, clock: Arc<dyn Clock>, catalog: &Arc<Catalog>) -> Engine {
    let env = Env {
        disk: disk.clone(),
        clock,
        log_dir: catalog.log_directory(),
        pool_bytes: Some(16 << 20),
        io: Default::default(),
        background: false,
    };
    let engine = Engine::new(env).unwrap();
    engine.set_volumes(Arc::new(CatalogVolumes::new(disk, catalog.clone())));
    engine
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}
