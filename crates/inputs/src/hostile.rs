//! Files that lie: whatever they say, nothing is touched outside of the catalog's directory and of its volumes.
//!
//! ```text
//! /c          the catalog, its log, a volume      forged: the catalog, what a volume keeps of it, roots, the log
//! /ext        a volume outside, which says that it is one, and the catalog of a user
//! /victim     what must not be touched: keys, a data set and a log that would fit
//! COPY        what EXPORT and BACKUP wrote, forged, for IMPORT and RESTORE: a file of whoever runs this
//! ```
//! A process died there, so there is a log to be replayed, and files are listed that go with the next open. An input is
//! a seed: which files are forged, how, and what is done then. The disk below the confined one notes each path.

mod forge;

use crate::mutate::Random;
use cica_catalog::{Catalog, Surroundings};
use cica_disk::{Confined, Create, Disk, File, Image, ManualClock, MemoryDisk, Open, ReadAt, Whose, WriteAt};
use cica_engine::{Access, Durability, Engine, Env, Insert, OpenOptions};
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_session::Opens;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A disk that notes what is touched.
#[derive(Debug)]
struct Watched {
    inner: MemoryDisk,
    outside: Mutex<Vec<String>>,
}

impl Watched {
    fn note(&self, what: &str, path: &Path) {
        if !is_inside(path) {
            let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
            outside.push(format!("{what} {}", path.display()));
        }
    }
}

/// Below the catalog's directory or that of the volume outside, by components.
fn is_inside(path: &Path) -> bool {
    let plain = !path.components().any(|part| part == std::path::Component::ParentDir);
    plain && (path.starts_with("/c") || path.starts_with("/ext"))
}

impl Disk for Watched {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        // The root is above both, and may be synced.
        if !(how.directory && how.create == Create::No && path == Path::new("/")) {
            self.note("open", path);
        }
        self.inner.open(path, how)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.note("rename", from);
        self.note("rename to", to);
        self.inner.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.note("remove", path);
        self.inner.remove(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.note("list", directory);
        self.inner.list(directory)
    }

    /// To ask a directory whether it is a volume of the catalog, or another catalog, is all that is done outside.
    fn look(&self, path: &Path, most: usize) -> io::Result<Vec<u8>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with(".vvds-") && name != "catalog" {
            self.note("look", path);
        }
        self.inner.look(path, most)
    }

    fn whose(&self, path: &Path) -> io::Result<Whose> {
        self.inner.whose(path)
    }
}

fn write(disk: &dyn Disk, path: &str, bytes: &[u8]) {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        ..Open::default()
    };
    if let Ok(file) = disk.open(Path::new(path), how) {
        let _ = file.size(Some(bytes.len() as u64));
        let _ = file.write(&[WriteAt { at: 0, buf: bytes }]);
    }
}

fn read(disk: &dyn Disk, path: &Path) -> Vec<u8> {
    let Ok(file) = disk.open(path, Open::default()) else {
        return Vec::new();
    };
    let mut bytes = vec![0; file.size(None).unwrap_or(0) as usize];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }];
    let _ = file.read(&mut batch);
    bytes
}

fn services(disk: &Arc<dyn Disk>) -> Option<Services> {
    let catalog = Arc::new(
        Catalog::open_or_create(disk.clone(), "/c")
            .ok()?
            .patience(Default::default()),
    );
    let clock = Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000));
    let env = Env {
        disk: disk.clone(),
        clock: clock.clone(),
        log_dir: catalog.log_directory(),
        pool_bytes: Some(4 << 20),
        io: Default::default(),
        background: false,
    };
    let engine = Engine::new(env).ok()?;
    Some(Services {
        disk: disk.clone(),
        outside: Arc::new(cica_disk::LinuxDisk::new()),
        clock,
        catalog,
        opens: Opens::alone(),
        engine,
        dd: DdTable::default(),
        rolls_off: true,
        progress: Box::new(|_| ()),
    })
}

fn cards(services: &mut Services, text: &str) -> String {
    let mut listing = Vec::new();
    let mut out = Sysprint::new(&mut listing, Style::Plain, Stamp::from_unix(0));
    run(Source::from_bytes(text.as_bytes()), services, &mut out);
    String::from_utf8_lossy(&listing).into_owned()
}

const DEFINED: &str = "
 DEFINE VOLUME (NAME(EXT01) PATH('/ext'))
 DEFINE USERCATALOG (NAME(UCAT) VOLUME(EXT01))
 DEFINE ALIAS (NAME(USER) RELATE(UCAT))
 DEFINE CLUSTER (NAME(PAY.MASTER) KEYS(8 0) RECORDSIZE(40 80) -
   TRACKS(1 1) VOLUMES(CICA01) ERASE)
 DEFINE ALTERNATEINDEX (NAME(PAY.AIX) RELATE(PAY.MASTER) -
   KEYS(4 8) RECORDSIZE(40 80) TRACKS(1 1) VOLUMES(CICA01))
 DEFINE PATH (NAME(PAY.PATH) PATHENTRY(PAY.AIX))
 DEFINE CLUSTER (NAME(PAY.OTHER) NONINDEXED RECORDSIZE(40 80) -
   TRACKS(1 1) VOLUMES(EXT01))
 DEFINE CLUSTER (NAME(USER.MASTER) NUMBERED RECORDSIZE(40 40) -
   TRACKS(1 1) VOLUMES(EXT01))
 DEFINE NONVSAM (NAME(PAY.TAPE) DEVICETYPES(3390) -
   VOLUMES(CICA01))
 DEFINE GDG (NAME(PAY.GDG) LIMIT(2))
";

/// What everything here begins with.
struct World {
    /// What the process that died left behind.
    image: Image,
    /// The files of it that can be forged.
    files: Vec<PathBuf>,
    /// Portable copies of its data sets.
    copies: Vec<Vec<u8>>,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let memory = MemoryDisk::new();
        let disk: Arc<dyn Disk> = Arc::new(memory.clone());
        for directory in ["/ext", "/victim", "/victim/deep"] {
            let how = Open {
                directory: true,
                create: Create::New,
                ..Open::default()
            };
            let _ = disk.open(Path::new(directory), how);
        }
        let mut copies = Vec::new();
        let mut made = services(&disk);
        if let Some(services) = &mut made {
            let listing = cards(services, DEFINED);
            assert!(listing.contains("MAXIMUM CONDITION CODE WAS 0"), "{listing}");
            let contents = services.catalog.contents();
            let cluster = contents
                .ok()
                .and_then(|contents| match contents.find(&name("PAY.MASTER")?)?.entry() {
                    cica_catalog::Entry::Cluster(cluster) => Some(cluster.clone()),
                    _ => None,
                });
            let paths = cluster.and_then(|cluster| {
                let index = services.catalog.component_path(cluster.index.as_ref()?).ok()?;
                Some((services.catalog.component_path(&cluster.data).ok()?, index))
            });
            let options = OpenOptions {
                access: Access::Output,
                durability: Durability::Request,
                ..OpenOptions::default()
            };
            let (data, index) = paths.unwrap_or_default();
            for round in 0..2 {
                let open = services.engine.open(&data, &index, options);
                let open = open
                    .map_err(|error| error.to_string())
                    .unwrap_or_else(|error| panic!("{error}"));
                let mut string = open.string();
                for n in 0..20 {
                    let record = format!("{:08} record", n * 2 + round);
                    let how = if round == 0 { Insert::Sequential } else { Insert::Direct };
                    let inserted = string.insert(record.as_bytes(), how);
                    assert!(inserted.is_ok(), "{inserted:?}");
                }
                drop(string);
                if round == 0 {
                    assert!(open.close().is_ok());
                    copies = [
                        " EXPORT PAY.MASTER OUTFILE(COPY) TEMPORARY\n",
                        " BACKUP (PAY.**) OUTFILE(COPY)\n",
                    ]
                    .map(|card| copied(services, card))
                    .to_vec();
                } else {
                    // The second time it dies.
                    memory.kill();
                    std::mem::forget(open);
                }
            }
        }
        std::mem::forget(made);
        let image = memory.image();
        let disk = MemoryDisk::from(image);
        let mut files = Vec::new();
        for directory in ["/c", "/c/log", "/c/volumes/CICA01", "/ext", "/ext/UCAT"] {
            let listed = disk.list(Path::new(directory)).unwrap_or_default();
            files.extend(listed.into_iter().map(|(file, _)| Path::new(directory).join(file)));
        }
        files.sort();
        // What would fit, if it were opened.
        for (from, to) in [
            ("/c/volumes/CICA01/PAY.MASTER.DATA", "/victim/PAY.MASTER.DATA"),
            ("/c/volumes/CICA01/PAY.MASTER.INDEX", "/victim/PAY.MASTER.INDEX"),
            ("/c/catalog", "/victim/catalog"),
        ] {
            write(&disk, to, &read(&disk, Path::new(from)));
        }
        if let Some(log) = files.iter().find(|path| path.starts_with("/c/log")) {
            write(&disk, "/victim/0000000001.log", &read(&disk, log));
        }
        for key in ["/victim/key", "/victim/deep/key", "/victim/deep/PAY.MASTER.DATA"] {
            write(&disk, key, b"what must not be touched");
        }
        World {
            image: disk.image(),
            files,
            copies,
        }
    })
}

/// The file that the DD name COPY stands for, which is on no disk of this module: one for each thread.
fn copy_file() -> PathBuf {
    let thread = format!("{:?}", std::thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    std::env::temp_dir().join(format!("cica-hostile-copy-{}-{number}", std::process::id()))
}

fn with_copy_file(services: &mut Services) {
    let text = cica_qsam::DdText::parse(&format!("'{}'", copy_file().display()));
    // Of a run of its own: one run writes a copy to a DD but once.
    services.dd = DdTable::default();
    services.dd.insert("COPY", text.expect("a plain path"));
}

/// What a card writes to the DD name COPY.
fn copied(services: &mut Services, card: &str) -> Vec<u8> {
    with_copy_file(services);
    let listing = cards(services, card);
    let bytes = std::fs::read(copy_file()).unwrap_or_else(|error| panic!("{error}: {listing}"));
    std::fs::remove_file(copy_file()).expect("it was just read");
    bytes
}

/// Forges a copy, and brings back what it says; what is said of that.
fn brought_back(services: &mut Services, random: &mut Random) -> String {
    let copies = &world().copies;
    let forged = forge::copy(&copies[random.below(copies.len())], random);
    std::fs::write(copy_file(), forged).expect("room for a copy");
    with_copy_file(services);
    // What is there stays, or is gone before.
    let before = ["", " DELETE PAY.** PURGE\n"][random.below(2)];
    let _ = cards(services, before);
    let listing = cards(services, BROUGHT_BACK[random.below(BROUGHT_BACK.len())]);
    std::fs::remove_file(copy_file()).expect("it was just written");
    listing
}

fn name(text: &str) -> Option<cica_catalog::Name> {
    cica_catalog::Name::parse(text).ok()
}

const DONE: &[&str] = &[
    " LISTCAT ALL\n",
    " DELETE PAY.MASTER ERASE PURGE\n",
    " DELETE PAY.** PURGE\n",
    " DELETE PAY.TAPE\n",
    " PRINT INDATASET(PAY.MASTER) COUNT(3)\n",
    " PRINT INDATASET(PAY.PATH) COUNT(3)\n",
    " PRINT INDATASET(PAY.TAPE) COUNT(3)\n",
    " REPRO INDATASET(PAY.MASTER) OUTDATASET(PAY.OTHER)\n",
    " VERIFY DATASET(PAY.MASTER) RECOVER\n",
    " EXAMINE NAME(PAY.MASTER)\n",
    " DIAGNOSE ICFCATALOG INDATASET(UCAT)\n",
    " DELETE UCAT USERCATALOG FORCE\n",
    " ALTER PAY.MASTER REORGANIZE()\n",
    " ALTER PAY.MASTER NEWNAME(PAY.NEW)\n",
    " DEFINE CLUSTER (NAME(PAY.MORE) LINEAR TRACKS(1) VOLUMES(CICA01))\n",
    " DEFINE CLUSTER (NAME(USER.MORE) LINEAR TRACKS(1) VOLUMES(EXT01))\n",
    " DEFINE CLUSTER (NAME(PAY.AWAY) LINEAR TRACKS(1) VOLUMES(AWAY01))\n",
    " BLDINDEX INDATASET(PAY.MASTER) OUTDATASET(PAY.AIX)\n",
    " DELETE USER.MASTER\n",
    " REPRO MERGECAT INDATASET(UCAT) OUTDATASET(UCAT)\n",
    " DEFINE CLUSTER (NAME(PAY.MASTER) INDEXED RECATALOG)\n",
    " DELETE EXT01 VOLUME\n DELETE AWAY01 VOLUME\n",
];

const BROUGHT_BACK: &[&str] = &[
    " IMPORT INFILE(COPY)\n",
    " IMPORT INFILE(COPY) OBJECTS((PAY.MASTER NEWNAME(PAY.NEW)))\n",
    " IMPORT INFILE(COPY) INTOEMPTY\n",
    " RESTORE INFILE(COPY)\n",
    " RESTORE INFILE(COPY) REPLACE\n PRINT INDATASET(PAY.TAPE) COUNT(3)\n DELETE PAY.** PURGE\n",
    " RESTORE INFILE(COPY) TEST\n",
    " RESTORE INFILE(COPY)\n PRINT INDATASET(PAY.MASTER) COUNT(3)\n",
];

/// Forges and acts as `bytes`, a seed, say. `confined`: as every process is; without it the same is tried to see that the
/// watch sees. Returns what was touched outside.
fn tried(bytes: &[u8], confined: bool) -> Vec<String> {
    let seed = bytes
        .iter()
        .fold(0u64, |seed, byte| seed.wrapping_mul(257).wrapping_add(u64::from(*byte)));
    let mut random = Random(seed);
    let World { image, files, .. } = world();
    let memory = MemoryDisk::from(image.clone());
    // One of four finds the files as they should be, and a copy that is forged.
    let by_copy = random.below(4) == 0;
    for _ in 0..if by_copy { 0 } else { 1 + random.below(3) } {
        let path = &files[random.below(files.len())];
        let bytes = read(&memory, path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let forged = match &*name {
            "catalog" => forge::catalog(&bytes, &mut random),
            name if name.starts_with(".vvds-") => forge::vvds(&bytes, &mut random),
            _ if path.starts_with("/c/log") => forge::log(&bytes, &mut random),
            _ => forge::component(&bytes, &mut random),
        };
        write(&memory, &path.to_string_lossy(), &forged);
    }
    let before = victims(&memory);
    let watched = Arc::new(Watched {
        inner: memory,
        outside: Mutex::default(),
    });
    let disk: Arc<dyn Disk> = if confined {
        Arc::new(Confined::new(Shared(watched.clone()), &[]))
    } else {
        Arc::new(Shared(watched.clone()))
    };
    let here = Surroundings {
        explicit: Some("/c".into()),
        ..Surroundings::default()
    };
    let _ = cica_catalog::locate(&*disk, &here);
    if let Some(mut services) = services(&disk) {
        let _ = services.catalog.all();
        for _ in 0..=random.below(2) {
            let _ = cards(&mut services, DONE[random.below(DONE.len())]);
        }
        if by_copy {
            let _ = brought_back(&mut services, &mut random);
        }
        if random.below(10) == 0 {
            let volumes = [PathBuf::from("/c/volumes/CICA01"), PathBuf::from("/ext")];
            let _ = cica_session::rebuild(&services.disk, &services.engine, &services.catalog, &volumes);
        }
    }
    let mut outside = watched.outside.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if victims(&watched.inner) != before {
        outside.push("what is in /victim is not what it was".to_owned());
    }
    outside
}

/// One disk for two owners.
#[derive(Debug)]
struct Shared(Arc<Watched>);

impl Disk for Shared {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        self.0.open(path, how)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        self.0.list(directory)
    }

    fn look(&self, path: &Path, most: usize) -> io::Result<Vec<u8>> {
        self.0.look(path, most)
    }

    fn whose(&self, path: &Path) -> io::Result<Whose> {
        self.0.whose(path)
    }
}

fn victims(disk: &MemoryDisk) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for directory in ["/victim", "/victim/deep", "/"] {
        for (file, _) in disk.list(Path::new(directory)).unwrap_or_default() {
            let path = Path::new(directory).join(file);
            all.push((path.clone(), read(disk, &path)));
        }
    }
    all.sort();
    all
}

/// See the module.
///
/// # Panics
/// Something outside was touched.
pub fn files(bytes: &[u8]) {
    let outside = tried(bytes, true);
    assert!(outside.is_empty(), "touched outside: {outside:?}");
}

pub fn seeds() -> Vec<Vec<u8>> {
    (0..32u8)
        .map(|n| vec![n, n.wrapping_mul(37), 1, 2, 3, 4, 5, 6])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without its bounds the same disk is touched outside: what the watch would have to see, it sees.
    #[test]
    fn the_watch_sees() {
        let outside: Vec<String> = (0..6_000u32)
            .flat_map(|seed| tried(&seed.to_be_bytes(), false))
            .collect();
        for what in ["open /victim", "list /victim", "what is in /victim"] {
            assert!(outside.iter().any(|line| line.starts_with(what)), "{what}");
        }
    }

    /// Some forged copies are taken, and some refused: the forger does not only make rubbish.
    #[test]
    fn forged_copies_are_read_to_their_end() {
        let mut codes = std::collections::BTreeSet::new();
        for seed in 0..300 {
            let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::from(world().image.clone()));
            let mut services = services(&disk).expect("a sound catalog");
            let listing = brought_back(&mut services, &mut Random(seed));
            let code = listing
                .rsplit("CODE WAS ")
                .next()
                .and_then(|rest| rest.split_whitespace().next());
            codes.insert(code.unwrap_or_default().to_owned());
            for broken in ["checksum", "cut short", "bytes follow", "exchanged", "totals"] {
                assert!(!listing.contains(broken), "{listing}");
            }
        }
        assert!(codes.contains("0") && codes.contains("12"), "{codes:?}");
    }
}
