//! A catalog in memory with two data sets, and an owner of them: one that who is honest changes, one of who is not.

use super::wire::{Dialer, Net};
use cica_catalog::{Catalog, Name};
use cica_disk::{Clock, Disk, Image, ManualClock, MemoryDisk};
use cica_engine::{Access, DataSet, Engine, Env, Insert, OpenOptions};
use cica_idcams::{run, DdTable, Services, Source, Stamp, Style, Sysprint};
use cica_server::{FileOf, Owner};
use cica_session::{files, CatalogVolumes, Opens, Session};
use cica_share::{open, Client, NotOpened};
use rustix::fs::{fstat, memfd_create, MemfdFlags, Mode, OFlags};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// The data sets: the honest client's, and the hostile one's.
pub const NAMES: [&str; 2] = ["FUZZ.HONEST", "FUZZ.HOSTILE"];
/// Keys there may be of the first.
pub const KEYS: u32 = 16;

const DIRECTORY: &str = "/c";
const STAMP: Stamp = Stamp {
    year: 1979,
    month: 4,
    day: 27,
    hour: 9,
    minute: 30,
    second: 5,
};

/// A record of the honest client.
pub fn record(key: u32, value: u32) -> Vec<u8> {
    let mut record = format!("{key:04}{value:08}").into_bytes();
    record.resize(20 + (value % 60) as usize, b'a' + (value % 26) as u8);
    record
}

/// What each input begins with.
struct Begin {
    image: Image,
    /// Data components, and real files that stand for them: by descriptors of those the owner knows what a client may
    /// do.
    files: Vec<(PathBuf, OwnedFd)>,
}

fn begin() -> &'static Begin {
    static BEGIN: OnceLock<Begin> = OnceLock::new();
    BEGIN.get_or_init(|| {
        let memory = MemoryDisk::default();
        let disk: Arc<dyn Disk> = Arc::new(memory.clone());
        Catalog::open_or_create(disk.clone(), PathBuf::from(DIRECTORY)).expect("an empty disk");
        NAMES.iter().for_each(|name| define(&disk, name));
        let session = session(&disk);
        let made = NAMES.map(|name| {
            let name = Name::parse(name).expect("a name");
            let (reached, data_set) = session.open(&name, OpenOptions::output()).expect("it was defined");
            let (path, _) = files(&session.catalog, &reached.cluster).expect("it has files");
            let mut string = data_set.string();
            for key in (0..KEYS).step_by(2) {
                let record = record(key, key);
                string.insert(&record, Insert::Sequential).expect("in order");
            }
            drop(string);
            data_set.end_load().expect("nothing fails");
            data_set.close().expect("nothing fails");
            let stand = memfd_create(name.as_str(), MemfdFlags::CLOEXEC).expect("a descriptor");
            (path, stand)
        });
        drop(session);
        Begin {
            image: memory.image(),
            files: made.into(),
        }
    })
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(ManualClock::new(1_700_000_000_000_000_000, 1000))
}

fn engine(disk: &Arc<dyn Disk>, log_dir: PathBuf) -> Engine {
    let env = Env {
        disk: disk.clone(),
        clock: clock(),
        log_dir,
        pool_bytes: Some(4 << 20),
        io: Default::default(),
        background: false,
    };
    Engine::new(env).expect("address space for a small pool")
}

fn session(disk: &Arc<dyn Disk>) -> Session {
    let catalog = Catalog::open(disk.clone(), PathBuf::from(DIRECTORY)).expect("it was made");
    let engine = engine(disk, catalog.log_directory());
    Session::over(disk.clone(), clock(), Arc::new(catalog), engine)
}

fn define(disk: &Arc<dyn Disk>, name: &str) {
    let catalog = Arc::new(Catalog::open(disk.clone(), PathBuf::from(DIRECTORY)).expect("it was made"));
    let engine = engine(disk, catalog.log_directory());
    engine.set_volumes(Arc::new(CatalogVolumes::new(disk.clone(), catalog.clone())));
    let mut services = Services {
        disk: disk.clone(),
        outside: disk.clone(),
        clock: clock(),
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
    let mut printer = Sysprint::new(&mut listing, Style::Plain, STAMP);
    let code = run(Source::of_program(&card), &mut services, &mut printer);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&listing));
}

/// What units of clients come from; it has no data set.
pub fn units() -> &'static Engine {
    static UNITS: OnceLock<Engine> = OnceLock::new();
    UNITS.get_or_init(|| {
        let nowhere: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
        engine(&nowhere, "/log".into())
    })
}

/// A descriptor of a data set's component, for output or for input alone.
pub fn descriptor(set: usize, output: bool) -> OwnedFd {
    let (_, stand) = &begin().files[set];
    let file = format!("/proc/self/fd/{}", stand.as_raw_fd());
    let how = if output { OFlags::RDWR } else { OFlags::RDONLY };
    rustix::fs::open(file, how | OFlags::CLOEXEC, Mode::empty()).expect("a descriptor more")
}

/// An owner of the data sets as they are at the beginning.
pub fn owner() -> Arc<Mutex<Net>> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::from(begin().image.clone()));
    let mut known = Vec::new();
    for (path, stand) in &begin().files {
        let found = fstat(stand).expect("it is open");
        known.push((path.clone(), (found.st_dev, found.st_ino)));
    }
    let files: FileOf = Box::new(move |path: &Path| {
        let found = known.iter().find(|(known, _)| known == path);
        found
            .map(|(_, file)| *file)
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    });
    let owner = Owner::new(session(&disk), Some(files));
    Arc::new(Mutex::new(Net::new(Arc::new(owner))))
}

/// A client of an owner, by another clock than the owner's.
pub fn client(net: &Arc<Mutex<Net>>, process: i32) -> std::io::Result<Arc<Client>> {
    let net = net.clone();
    Client::over(Box::new(Dialer { net, process }), "fuzz", clock()).map(Arc::new)
}

/// Opens a data set for output.
pub fn opened(client: &Arc<Client>, set: usize) -> Result<DataSet, NotOpened> {
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    open(client, (NAMES[set], ""), options, descriptor(set, true).as_fd())
}
