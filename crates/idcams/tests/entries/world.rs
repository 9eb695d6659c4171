//! A catalog in memory with a clock that stands still, and control cards run over it.

use cica_catalog::{Catalog, Cluster, Entry, Name};
use cica_disk::{Disk, File, ManualClock, MemoryDisk, ReadAt};
use cica_engine::{Access, DataSet, Engine, Env, Insert, OpenOptions};
use cica_format::root::Root;
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const STAMP: Stamp = Stamp {
    year: 2022,
    month: 9,
    day: 1,
    hour: 15,
    minute: 36,
    second: 44,
};
/// 2022-08-30, day 242, in nanoseconds since 1970.
pub const NOW: u64 = 1_661_817_600_000_000_000;
const DAY: u64 = 86_400_000_000_000;

/// The cards of most tests' data set.
pub const MASTER: &str = "DEF CL (NAME(PAY.MASTER) CYL(1 5) KEYS(11 0) RECSZ(300 300))";

pub struct World {
    pub disk: Arc<dyn Disk>,
    pub clock: Arc<ManualClock>,
    pub services: Services,
}

impl World {
    pub fn new() -> World {
        World::on(Arc::new(MemoryDisk::new()))
    }

    pub fn on(disk: Arc<dyn Disk>) -> World {
        World::at(disk, Path::new("/cat"))
    }

    /// With the catalog in a directory of the caller's.
    pub fn at(disk: Arc<dyn Disk>, directory: &Path) -> World {
        let clock = Arc::new(ManualClock::new(NOW, 0));
        let catalog = Arc::new(Catalog::open_or_create(disk.clone(), directory).unwrap());
        let services = services(&disk, &clock, &catalog);
        World { disk, clock, services }
    }

    /// Another process over the same files.
    pub fn other(&self) -> World {
        World::on(self.disk.clone())
    }

    pub fn days_later(&self, days: u64) {
        self.clock.set(NOW + days * DAY);
    }

    /// Runs cards, which begin in column 1 here and may be long; returns MAXCC and the listing.
    pub fn run(&mut self, cards: &str) -> (u8, String) {
        self.run_as(cards, Style::Plain)
    }

    pub fn run_as(&mut self, cards: &str, style: Style) -> (u8, String) {
        let cards: String = cards.lines().map(|card| format!(" {card}\n")).collect();
        let mut source = Source::from_text(&cards);
        source.margins.right = 200;
        let mut listing = Vec::new();
        let mut out = Sysprint::new(&mut listing, style, STAMP);
        let maxcc = run(source, &mut self.services, &mut out);
        (maxcc, String::from_utf8(listing).unwrap())
    }

    /// Runs cards whose MAXCC must be `cc`; returns the messages between the cards and the codes.
    #[track_caller]
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
        messages.retain(|message| !codes.iter().any(|code| message.starts_with(code)));
        messages
    }

    /// Runs cards that must succeed.
    #[track_caller]
    pub fn ok(&mut self, cards: &str) {
        let (maxcc, listing) = self.run(cards);
        assert_eq!(maxcc, 0, "{listing}");
    }

    /// Ids of the messages, and whether one of them has the words.
    #[track_caller]
    pub fn refused(&mut self, cards: &str, cc: u8, ids: &[&str], words: &str) {
        let before = self.names();
        let messages = self.messages(cards, cc);
        let found = messages.iter().map(|m| m.split(' ').next().unwrap());
        // That a parameter has no effect is told before it is seen whether the command can be carried out.
        let found: Vec<&str> = found.filter(|id| *id != "CICA0902I").collect();
        assert_eq!(found, ids, "{messages:#?}");
        assert!(messages.iter().any(|m| m.contains(words)), "{words}: {messages:#?}");
        assert_eq!(self.names(), before, "a refused command changed the catalog");
    }

    pub fn names(&self) -> Vec<String> {
        let contents = self.services.catalog.contents().unwrap();
        contents.entries().map(|entry| entry.name().to_string()).collect()
    }

    pub fn cluster(&self, name: &str) -> Cluster {
        match self.services.catalog.get(&Name::parse(name).unwrap()).unwrap() {
            Entry::Cluster(cluster) => *cluster,
            other => panic!("{other:?}"),
        }
    }

    /// Files of data and index component.
    pub fn paths(&self, name: &str) -> (PathBuf, PathBuf) {
        let cluster = self.cluster(name);
        let path = |component| self.services.catalog.component_path(component).unwrap();
        (path(&cluster.data), path(cluster.index.as_ref().unwrap()))
    }

    /// Roots of data and index component.
    pub fn roots(&self, name: &str) -> (Root, Root) {
        let (data, index) = self.paths(name);
        let engine = &self.services.engine;
        (engine.peek(&data).unwrap(), engine.peek_index(&data, &index).unwrap())
    }

    /// Names of the files on a volume, without the mark that says it is one and what it keeps of the catalog.
    pub fn files(&self, volume: &str) -> Vec<String> {
        let listed = self.disk.list(Path::new(volume)).unwrap();
        let mut files: Vec<String> = listed.iter().map(|(file, _)| file.display().to_string()).collect();
        files.retain(|file| !file.starts_with('.'));
        files.sort();
        files
    }

    pub fn open(&self, name: &str, access: Access) -> DataSet {
        let (data, index) = self.paths(name);
        let options = OpenOptions {
            access,
            ..OpenOptions::default()
        };
        self.services.engine.open(&data, &index, options).unwrap()
    }

    /// Loads `count` records of 300 bytes with keys of eleven digits.
    pub fn load(&self, name: &str, count: usize) {
        let data_set = self.open(name, Access::Output);
        let mut string = data_set.string();
        for n in 0..count {
            string
                .insert(format!("{n:011}{:289}", "").as_bytes(), Insert::Sequential)
                .unwrap();
        }
        drop(string);
        data_set.close().unwrap();
    }
}

fn services(disk: &Arc<dyn Disk>, clock: &Arc<ManualClock>, catalog: &Arc<Catalog>) -> Services {
    let env = Env {
        disk: disk.clone(),
        clock: clock.clone(),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(8 << 20),
        io: Default::default(),
        background: false,
    };
    let engine = Engine::new(env).unwrap();
    Services {
        disk: disk.clone(),
        outside: Arc::new(cica_disk::LinuxDisk::new()),
        clock: clock.clone(),
        catalog: catalog.clone(),
        opens: cica_session::Opens::alone(),
        engine,
        dd: DdTable::default(),
        rolls_off: true,
        progress: Box::new(|_| ()),
    }
}

/// Compares with `golden/NAME`, which CICA_BLESS=1 writes.
pub fn golden(name: &str, listing: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/entries/golden")
        .join(name);
    let listing: String = listing.split_inclusive('\n').map(without_excps).collect();
    if std::env::var_os("CICA_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, &listing).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(listing, expected, "{name} differs; CICA_BLESS=1 writes it anew");
}

/// How many reads and writes a data set takes is the engine's to change: `EXCPS------------------315` is
/// `EXCPS--------------------n`.
fn without_excps(line: &str) -> String {
    let Some((before, figure)) = line.split_once("EXCPS--") else {
        return line.to_owned();
    };
    let width = figure
        .find(|c: char| c != '-' && !c.is_ascii_digit())
        .unwrap_or(figure.len());
    format!("{before}EXCPS--{:->width$}{}", 'n', &figure[width..])
}

/// Has a file any byte but zeros?
pub fn has_bytes(file: &dyn File) -> bool {
    let mut bytes = vec![0; file.size(None).unwrap() as usize];
    let buf = &mut bytes[..];
    file.read(&mut [ReadAt { at: 0, buf, got: 0 }]).unwrap();
    assert!(!bytes.is_empty());
    bytes.iter().any(|b| *b != 0)
}
