//! The engine side of a volume: a program with data sets open, and control cards that processes of their own run.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cica_catalog::{Catalog, CatalogError, Contents, Entry as CatalogEntry, Name};
use cica_disk::{Clock, Create, Disk, Image, ManualClock, MemoryDisk, Open, ReadAt, WriteAt};
use cica_engine::{Access, DataSet, Intent, OpenOptions, RequestError, Str};
use cica_format::root::AREA_LEN;
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_qsam::DdText;
use cica_session::{open, reach, CatalogVolumes, Opens, SessionError};

use crate::mortal::{Kill, Mortal};
use crate::oracle::Bytes;
use crate::place;
use crate::request::{Reply, Request};
use crate::session::{check_structure, clock, contents, done, engine_at, of_one_string, Trouble};
use crate::volume::action::{Card, Then};
use crate::volume::model::{digest_of_groups, Index, ModelEntry, Seen};
use crate::volume::shape::VolumeShape;

const DIRECTORY: &str = "/cat";
/// Where the log files are.
pub const LOGS: &str = "/cat/log";
/// Where users keep copies.
pub const OUTSIDE: &str = "/out";
/// All there are.
const DIRECTORIES: [&str; 5] = [DIRECTORY, LOGS, "/cat/volumes", "/cat/volumes/CICA01", OUTSIDE];
const STAMP: Stamp = Stamp {
    year: 1979,
    month: 4,
    day: 27,
    hour: 9,
    minute: 30,
    second: 5,
};

/// Copies by the data set's number: files outside the volume.
pub type Copies = BTreeMap<usize, Copy>;

/// What copies there are of a data set.
#[derive(Debug, Clone)]
pub struct Copy {
    /// For IMPORT.
    pub export: String,
    /// For RESTORE.
    pub backup: String,
}

/// A program, and what commands need.
pub struct World {
    disk: Arc<dyn Disk>,
    program: Mortal,
    /// Of the last command, or of the next one if that is to be killed.
    command: Mortal,
    /// What comes after it if it is killed.
    then: Then,
    shape: VolumeShape,
    // Open data sets before the engine: the order in which a program lets go of them.
    open: Vec<Option<OpenSet>>,
    services: Services,
    /// Commands so far. Each comes later than all before: no two clusters are made at the same time.
    commands: u64,
}

struct OpenSet {
    strings: Vec<Str>,
    set: DataSet,
}

impl From<SessionError> for Trouble {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Open(error) => error.into(),
            SessionError::Catalog(error) => error.into(),
            other => Trouble::Wrong(other.to_string()),
        }
    }
}

impl From<CatalogError> for Trouble {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Damaged { .. } => Trouble::Damaged(error.to_string()),
            CatalogError::NotFound { .. } | CatalogError::Duplicate { .. } => Trouble::Wrong(error.to_string()),
            _ => Trouble::Failed(error.to_string()),
        }
    }
}

impl World {
    /// A disk with a catalog and its first volume on it.
    ///
    /// # Errors
    /// In words.
    pub fn empty_disk() -> Result<Image, String> {
        let disk = MemoryDisk::from(Image::with_directories([place::at(OUTSIDE)]));
        Catalog::open_or_create(Arc::new(disk.clone()), place::at(DIRECTORY)).map_err(|error| error.to_string())?;
        Ok(disk.image())
    }

    /// A program that begins.
    ///
    /// # Errors
    /// The catalog cannot be read.
    pub fn open(disk: Arc<dyn Disk>, shape: &VolumeShape) -> Result<World, Trouble> {
        World::of(Mortal::new(disk.clone()), disk, shape)
    }

    fn of(program: Mortal, disk: Arc<dyn Disk>, shape: &VolumeShape) -> Result<World, Trouble> {
        Ok(World {
            services: program_services(&program, shape)?,
            program,
            command: Mortal::new(disk.clone()),
            then: Then::Seen,
            open: shape.slots.iter().map(|_| None).collect(),
            shape: shape.clone(),
            disk,
            commands: 0,
        })
    }

    // --- the program ---

    /// The program: whether it is killed, or going to be.
    pub fn program(&self) -> &Mortal {
        &self.program
    }

    /// Another program begins when one was killed.
    ///
    /// # Errors
    /// The catalog cannot be read.
    pub fn succeed(&mut self) -> Result<(), Trouble> {
        self.open.iter_mut().for_each(|open| *open = None);
        self.program = self.program.successor();
        self.services = program_services(&self.program, &self.shape)?;
        Ok(())
    }

    /// Opens a data set for output; its records, none while it is to be loaded.
    ///
    /// # Errors
    /// What the catalog, OPEN or a request says.
    pub fn records_left(&mut self, slot: usize, name: &str) -> Result<Option<Vec<Bytes>>, Trouble> {
        self.open_set(slot, name, true, false)?;
        let open = self.open[slot].as_ref().ok_or_else(closed)?;
        contents(&self.shape.slots[slot], &open.set)
    }

    /// Opens a data set for output.
    ///
    /// # Errors
    /// What the catalog or OPEN says.
    pub fn open_set(&mut self, slot: usize, name: &str, output: bool, reset: bool) -> Result<(), SessionError> {
        let options = OpenOptions {
            access: if output { Access::Output } else { Access::Input },
            reset,
            durability: self.shape.slots[slot].durability.into(),
            ..OpenOptions::default()
        };
        let catalog = &self.services.catalog;
        let reached = reach(&*catalog.contents()?, &Name::parse(name)?)?;
        let set = open(catalog, &self.services.engine, &reached, options)?;
        let strings = (0..self.shape.slots[slot].strings).map(|_| set.string()).collect();
        self.open[slot] = Some(OpenSet { strings, set });
        Ok(())
    }

    /// Makes a request.
    pub fn request(&mut self, slot: usize, name: &str, request: &Request) -> Result<Reply, Trouble> {
        if let Request::Reopen { output, reset } = request {
            self.close_set(slot)?;
            return match self.open_set(slot, name, *output, *reset) {
                Ok(()) => Ok(Reply::Done),
                Err(SessionError::Open(error @ cica_engine::OpenError::Attributes { .. })) => {
                    self.open_set(slot, name, true, false)?;
                    Ok(Reply::NotOpened(error.acberflg()))
                }
                Err(error) => Err(error.into()),
            };
        }
        let open = self.open[slot].as_mut().ok_or_else(closed)?;
        Ok(match request {
            Request::Commit => done(open.set.commit()),
            Request::Checkpoint => done(open.set.checkpoint()),
            of_string => {
                let number = usize::from(of_string.string().unwrap_or_default());
                let string = open.strings.get_mut(number).ok_or_else(closed)?;
                of_one_string(&self.shape.slots[slot], &open.set, string, false, of_string)
            }
        })
    }

    /// Closes a data set.
    pub fn close_set(&mut self, slot: usize) -> Result<(), Trouble> {
        let OpenSet { strings, set } = self.open[slot].take().ok_or_else(closed)?;
        drop(strings);
        Ok(set.close().map(drop)?)
    }

    // --- commands ---

    /// The process of the next command is killed in that.
    pub fn kill_command(&mut self, kill: Kill, then: Then) {
        self.then = then;
        self.command = Mortal::new(self.disk.clone());
        self.command.kill(kill);
    }

    /// Whether the last command was killed.
    pub fn command_is_dead(&self) -> bool {
        self.command.is_dead()
    }

    /// A command was killed: other processes look at the part it was about until one of them lives, or somebody looks
    /// at a copy. What was found, and how many died for it; none: nothing was shown.
    ///
    /// # Errors
    /// The catalog or the data set cannot be used.
    pub fn see_after_command(&mut self, part: usize) -> Result<(Seen, u32), Trouble> {
        let see = |world: Result<World, Trouble>| {
            let mut world = world?;
            let held = world.services.catalog.contents()?;
            if part < world.shape.slots.len() {
                world.see(part, &held)
            } else {
                Ok(Seen::Groups(groups(&held)))
            }
        };
        if self.then == Then::Unseen {
            self.command = Mortal::new(self.disk.clone());
            let copy: Arc<dyn Disk> = Arc::new(copied(&*self.disk).map_err(|error| Trouble::Wrong(error.to_string()))?);
            return Ok((see(World::open(copy, &self.shape))?, 0));
        }
        let mut deaths = 0;
        loop {
            deaths += 1;
            self.command = self.command.successor();
            let seen = see(World::of(self.command.clone(), self.disk.clone(), &self.shape));
            if !self.command.is_dead() {
                self.command = Mortal::new(self.disk.clone());
                return seen.map(|seen| (seen, deaths));
            }
        }
    }

    /// Runs a control card as another process would; its condition code and listing.
    pub fn card(&mut self, text: &str, copy: Option<&str>) -> Result<(u8, String), Trouble> {
        if !self.command.is_doomed() || self.command.is_dead() {
            self.command = Mortal::new(self.disk.clone());
        }
        self.commands += 1;
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(clock(0).now() + self.commands, 0));
        let mut services = services(&self.command.shared(), &clock, &self.shape)?;
        if let Some(copy) = copy {
            let text = outside(copy).display().to_string();
            let text = DdText::parse(&text).map_err(|error| Trouble::Wrong(error.to_string()))?;
            services.dd.insert("COPY", text);
        }
        let source = Source::of_program(text);
        let mut listing = Vec::new();
        let maxcc = run(
            source,
            &mut services,
            &mut Sysprint::new(&mut listing, Style::Plain, STAMP),
        );
        Ok((maxcc, String::from_utf8_lossy(&listing).into_owned()))
    }

    /// Runs one that must end with condition code 0.
    pub fn must(&mut self, text: &str) -> Result<(), Trouble> {
        match self.card(text, None)? {
            (0, _) => Ok(()),
            (_, listing) => Err(Trouble::Wrong(listing)),
        }
    }

    /// What a process of its own has.
    pub fn process(&self) -> Result<Services, Trouble> {
        services(&self.disk, &clock(0), &self.shape)
    }

    // --- what is there ---

    /// The disk, as nobody sees it who may be killed.
    pub fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    /// Digests of all parts, each data set opened, read in both directions and examined.
    pub fn look(&mut self) -> Result<Vec<u64>, Trouble> {
        let held = self.services.catalog.contents()?;
        let mut digests = Vec::new();
        for slot in 0..self.shape.slots.len() {
            digests.push(self.see(slot, &held)?.digest());
        }
        digests.push(digest_of_groups(&groups(&held)));
        self.look_for_orphans(&held)?;
        Ok(digests)
    }

    /// Each file of the volume is an entry's, or listed to go, or what a DEFINE left that did not come to its end: roots
    /// and nothing else, which the next DEFINE of the name takes out of the way.
    fn look_for_orphans(&self, held: &Contents) -> Result<(), Trouble> {
        for volume in held.volumes() {
            let directory = volume.path(&place::at(DIRECTORY));
            let listed = self
                .disk
                .list(&directory)
                .map_err(|error| Trouble::Failed(error.to_string()))?;
            for (file, length) in listed {
                let file = file.to_string_lossy();
                let blank = length <= 2 * AREA_LEN as u64;
                if !blank && !file.starts_with('.') && !held.is_taken(&volume.serial, &cica_disk::FileName::near(&file))
                {
                    let words = format!("{file} of {length} bytes is on the volume and no entry names it");
                    return Err(Trouble::Wrong(words));
                }
            }
        }
        Ok(())
    }

    fn see(&mut self, slot: usize, held: &Contents) -> Result<Seen, Trouble> {
        let there = |renamed: &bool| get(held, &self.shape.name(slot, *renamed)).is_some();
        let names: Vec<bool> = [false, true].into_iter().filter(there).collect();
        let renamed = match names[..] {
            [] => return Ok(Seen::Nothing),
            [renamed] => renamed,
            _ => return Err(Trouble::Wrong(format!("data set {slot} is there under both names"))),
        };
        let name = self.shape.name(slot, renamed);
        let free = match get(held, &name) {
            Some(CatalogEntry::Cluster(cluster)) => (cluster.data.free_space.ci, cluster.data.free_space.ca),
            _ => return Err(Trouble::Wrong(format!("{name} is no cluster"))),
        };
        self.open_set(slot, &name, true, false)?;
        let open = self.open[slot].as_ref().ok_or_else(closed)?;
        let shape = &self.shape.slots[slot];
        let records = contents(shape, &open.set)?;
        check_structure(shape, &open.set, records.as_ref().map_or(0, Vec::len))?;
        let index = match (get(held, &index_name(&name)), get(held, &path_name(&name))) {
            (None, _) => Index::None,
            (Some(_), None) => Index::Defined,
            (Some(_), Some(_)) if !open.set.unbuilt().is_empty() => Index::Reached,
            _ => Index::Built,
        };
        self.close_set(slot)?;
        if index == Index::Built {
            self.look_by_path(slot, &name, records.as_deref().unwrap_or_default())?;
        }
        let index_free = match get(held, &index_name(&name)) {
            Some(CatalogEntry::Aix(aix)) => aix.data.free_space.ci,
            _ => 0,
        };
        let no_update = matches!(get(held, &path_name(&name)), Some(CatalogEntry::Path(path)) if !path.update);
        let entry = ModelEntry {
            renamed,
            free,
            index,
            index_free,
            no_update,
        };
        Ok(Seen::DataSet(entry, records))
    }

    /// By the path the same records are found, by alternate key.
    fn look_by_path(&mut self, slot: usize, name: &str, records: &[Bytes]) -> Result<(), Trouble> {
        self.open_set(slot, &path_name(name), false, false)?;
        let open = self.open[slot].as_ref().ok_or_else(closed)?;
        let mut string = open.set.string();
        let mut found: Vec<Bytes> = Vec::new();
        loop {
            match string.next(Intent::Read) {
                Ok(record) => found.push(record.bytes.to_vec()),
                Err(RequestError::EndOfData) => break,
                Err(error) => return Err(error.into()),
            }
        }
        drop(string);
        self.close_set(slot)?;
        let at = self.shape.alternate(slot);
        let mut expected: Vec<&Bytes> = records.iter().filter(|record| record.len() > at).collect();
        let ordered = found.windows(2).all(|pair| pair[0].get(at) <= pair[1].get(at));
        let mut found: Vec<&Bytes> = found.iter().collect();
        expected.sort();
        found.sort();
        if ordered && found == expected {
            Ok(())
        } else {
            Err(Trouble::Wrong(format!(
                "by its path {} records are found, expected {}, or others or in another order",
                found.len(),
                expected.len()
            )))
        }
    }
}

/// Where a file outside the volume lies.
pub fn outside(name: &str) -> PathBuf {
    place::at(OUTSIDE).join(name)
}

/// The files of the catalog and of its volume, on a disk of their own.
fn copied(disk: &dyn Disk) -> io::Result<MemoryDisk> {
    let copy = MemoryDisk::from(Image::with_directories(DIRECTORIES.map(place::at)));
    for directory in DIRECTORIES.map(place::at) {
        for (file, length) in disk.list(&directory)? {
            let path = directory.join(file);
            let mut bytes = vec![0; length as usize];
            let (at, buf, got) = (0, &mut bytes[..], 0);
            disk.open(&path, Open::default())?
                .read(&mut [ReadAt { at, buf, got }])?;
            let how = Open {
                write: true,
                create: Create::New,
                ..Open::default()
            };
            copy.open(&path, how)?.write(&[WriteAt { at, buf: &bytes }])?;
        }
    }
    Ok(copy)
}

fn services(disk: &Arc<dyn Disk>, clock: &Arc<dyn Clock>, shape: &VolumeShape) -> Result<Services, Trouble> {
    let catalog = Arc::new(Catalog::open(disk.clone(), place::at(DIRECTORY))?.patience(Duration::ZERO));
    let engine = engine_at(disk, clock, catalog.log_directory(), shape.slots[0].pool_bytes)?;
    engine.set_volumes(Arc::new(CatalogVolumes::new(disk.clone(), catalog.clone())));
    Ok(Services {
        disk: disk.clone(),
        outside: disk.clone(),
        clock: clock.clone(),
        opens: Opens::alone(),
        engine,
        catalog,
        dd: DdTable::default(),
        rolls_off: true,
        progress: Box::new(|_| ()),
    })
}

fn get<'c>(held: &'c Contents, name: &str) -> Option<&'c CatalogEntry> {
    held.get(&Name::parse(name).ok()?).ok()
}

fn groups(held: &Contents) -> BTreeSet<u8> {
    let number = |entry: &CatalogEntry| entry.name().as_str().strip_prefix("SIM.G")?.parse().ok();
    held.entries().filter_map(number).collect()
}

fn index_name(name: &str) -> String {
    format!("{name}.AIX")
}

fn path_name(name: &str) -> String {
    format!("{name}.PATH")
}

fn closed() -> Trouble {
    Trouble::Failed("the data set is not open: an earlier OPEN failed".into())
}

/// The control card, for a data set of this name now, whose path is NOUPDATE or not.
pub fn card_text(shape: &VolumeShape, slot: usize, name: &str, card: Card, from: &str, no_update: bool) -> String {
    let (index, path) = (index_name(name), path_name(name));
    match card {
        Card::Define => shape.define(slot),
        Card::Delete => format!("DELETE {name}"),
        Card::Rename => {
            let new = shape.name(slot, name == shape.name(slot, false));
            format!("ALTER {name} NEWNAME({new})")
        }
        Card::FreeSpace(ci, ca) => format!("ALTER {name} FREESPACE({ci} {ca})"),
        Card::Reorganize => format!("ALTER {name} REORGANIZE(FREESPACE(10 10))"),
        Card::Restore => "RESTORE INFILE(COPY) REPLACE".to_string(),
        Card::Export => format!("EXPORT {name} OUTFILE(COPY) TEMPORARY"),
        Card::ExportAway => format!("EXPORT {name} OUTFILE(COPY) PERMANENT"),
        Card::Import => "IMPORT INFILE(COPY)".to_string(),
        Card::Repro(_) => format!("REPRO INDATASET({from}) OUTDATASET({name})"),
        Card::DefineIndex => format!(
            "DEFINE ALTERNATEINDEX (NAME({index}) RELATE({name}) KEYS(1 {}) RECORDSIZE(60 2000) TRACKS(1 1) \
             CONTROLINTERVALSIZE(4096) UPGRADE NONUNIQUEKEY)",
            shape.alternate(slot)
        ),
        Card::DefinePath => format!("DEFINE PATH (NAME({path}) PATHENTRY({index}))"),
        Card::BuildIndex => format!("BLDINDEX INDATASET({name}) OUTDATASET({index})"),
        Card::AlterIndex(free) => format!("ALTER {index} FREESPACE({free} 10)"),
        Card::AlterPath => format!("ALTER {path} {}", if no_update { "UPDATE" } else { "NOUPDATE" }),
        Card::DeletePath => format!("DELETE {path}"),
        Card::DeleteIndex => format!("DELETE {index}"),
        Card::Verify => format!("VERIFY DATASET({name})"),
        Card::Examine => format!("EXAMINE NAME({name}) DTEST"),
    }
}

fn program_services(program: &Mortal, shape: &VolumeShape) -> Result<Services, Trouble> {
    services(&program.shared(), &clock(shape.slots[0].tick), shape)
}

/// The control card that defines a generation data group, or deletes it.
pub fn group_text(number: u8, there: bool) -> String {
    if there {
        format!("DELETE SIM.G{number} GDG")
    } else {
        format!("DEFINE GENERATIONDATAGROUP (NAME(SIM.G{number}) LIMIT(5))")
    }
}
