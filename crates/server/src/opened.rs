//! Data sets that are shared: each is open once for all clients, by a keeper that the last close closes.
//!
//! * P1. With the last who has or wants one its place goes: an owner that runs long has none of those that were.

use crate::held::Identity;
use crate::open_set::{About, Busy, OpenSet};
use crate::tally::Tallies;
use cica_catalog::entry::Organization;
use cica_catalog::{Catalog, Cluster, Name};
use cica_engine::{Access, CloseReport, DataSet, OpenError, OpenOptions, RequestError};
use cica_session::{files, refuse_quiesced, Reached, Session, SessionError};
use cica_share::figures::Sums;
use cica_share::words::{Answer, Used};
use parking_lot::Mutex;
use rustix::fs::{fcntl_getfl, fstat, OFlags};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Arc;

/// Which file a path leads to, by device and number.
pub type FileOf = Box<dyn Fn(&Path) -> std::io::Result<(u64, u64)> + Send + Sync>;

/// As the kernel says.
fn file_of(path: &Path) -> std::io::Result<(u64, u64)> {
    let found = rustix::fs::stat(path)?;
    Ok((found.st_dev, found.st_ino))
}

/// See the module.
pub struct Shared {
    pub session: Session,
    file_of: FileOf,
    places: Mutex<BTreeMap<Name, Arc<Place>>>,
    /// Who works with data sets now.
    pub busy: Arc<Busy>,
    /// Of each base cluster that is open, and of those that were.
    pub tallies: Tallies,
}

/// Where a base cluster is kept. An open or close of it may take long, and concerns no other.
#[derive(Default)]
struct Place {
    opens: AtomicU32,
    kept: Mutex<Option<Kept>>,
}

/// A base cluster that clients have open.
struct Kept {
    /// Open for output where that is possible, so that any client may join.
    keeper: DataSet,
    opens: Vec<Open>,
}

/// One of them.
struct Open {
    /// The client, and what it is called.
    guest: u64,
    label: String,
    /// No other client may have the data set open.
    alone: bool,
    /// It was opened to be changed; to be loaded anew.
    output: bool,
    reset: bool,
}

impl Kept {
    /// The client that keeps this one away.
    fn in_the_way(&self, guest: u64, alone: bool) -> Option<&str> {
        let mut others = self.opens.iter().filter(|other| other.guest != guest);
        let other = others.find(|other| alone || other.alone);
        other.map(|other| other.label.as_str())
    }

    /// Another client that is loading it: what it has put there others do not find yet, and would take for nothing.
    fn loader(&self, guest: u64) -> Option<&str> {
        if !self.keeper.loading() {
            return None;
        }
        let has_records = self.keeper.statistics().0.records > 0;
        let others = || self.opens.iter().filter(|open| open.guest != guest && open.output);
        let loads = others().find(|open| open.reset);
        let other = loads.or_else(|| others().find(|_| has_records));
        other.map(|other| other.label.as_str())
    }
}

/// Why there is none.
pub enum Refused {
    /// What the session says.
    Session(SessionError),
    /// O2.
    Rights(String),
}

impl From<SessionError> for Refused {
    fn from(error: SessionError) -> Refused {
        Refused::Session(error)
    }
}

impl Refused {
    /// As an answer.
    pub fn answer(&self) -> Answer<'static> {
        let (reason, in_use, words) = match self {
            Refused::Session(error) => {
                let in_use = matches!(error, SessionError::Open(OpenError::InUse { .. }));
                (error.acberflg(), in_use, error.to_string())
            }
            Refused::Rights(words) => (152, false, words.clone()),
        };
        Answer::NotOpened { reason, in_use, words }
    }
}

impl Shared {
    /// Over files of a session; of those that are no real ones `files` says which is which.
    pub fn new(session: Session, files: Option<FileOf>) -> Shared {
        Shared {
            session,
            file_of: files.unwrap_or_else(|| Box::new(file_of)),
            places: Mutex::default(),
            busy: Arc::default(),
            tallies: Tallies::default(),
        }
    }

    /// Opens a data set for a client that has `descriptor` of its data component.
    pub fn open(
        &self,
        (name, through): (&str, &str),
        options: OpenOptions,
        descriptor: Option<&OwnedFd>,
        guest: (u64, String),
    ) -> Result<OpenSet, Refused> {
        let name = Name::parse(name).map_err(SessionError::from)?;
        let (catalog, mut reached) = self.session.reach(&name)?;
        if !through.is_empty() {
            let through = Name::parse(through).map_err(SessionError::from)?;
            reached = reached.through(&*catalog.contents().map_err(SessionError::from)?, &through)?;
        }
        let base = reached.cluster.name.clone();
        let (data, _) = files(&catalog, &reached.cluster)?;
        self.check_rights(descriptor, &data, options.access)
            .map_err(Refused::Rights)?;
        let place = self.place(&base);
        let opened = self.open_at(&place, (name, catalog, reached), (data, options), guest);
        self.leave(&base, place);
        opened
    }

    /// The same, at its place.
    fn open_at(
        &self,
        place: &Place,
        (name, catalog, reached): (Name, Arc<Catalog>, Reached),
        (data, mut options): (PathBuf, OpenOptions),
        (guest, label): (u64, String),
    ) -> Result<OpenSet, Refused> {
        let base = reached.cluster.name.clone();
        let mut kept = place.kept.lock();
        // As the catalog says now. Who only looks at it while others share it still shares nothing more.
        if kept.is_none() || options.access == Access::Output {
            refuse_quiesced(&self.session.reach(&base)?.1.cluster)?;
        }
        if let Some(other) = kept.as_ref().and_then(|kept| kept.in_the_way(guest, options.alone)) {
            let refused = OpenError::InUse {
                path: data,
                why: "another program has it open, and one of the two wants it for itself",
                by: Some(other.into()),
            };
            return Err(SessionError::from(refused).into());
        }
        if let Some(other) = kept.as_ref().and_then(|kept| kept.loader(guest)) {
            let refused = OpenError::InUse {
                path: data,
                why: "another program is loading it, whose records come to be seen when it closes it",
                by: Some(other.into()),
            };
            return Err(SessionError::from(refused).into());
        }
        // The keeper is of this process, and so is every client's open.
        let alone = std::mem::take(&mut options.alone);
        let (is_kept, output, reset) = (kept.is_some(), options.access == Access::Output, options.reset);
        let is_loaded = || self.session.engine.peek(&data).is_ok_and(|root| root.levels > 0);
        let early = if !is_kept && options.access == Access::Input && is_loaded() {
            let keeps = OpenOptions {
                keeps: true,
                ..OpenOptions::output()
            };
            self.session.open(&base, keeps).ok()
        } else {
            None
        };
        let opened = self.session.open_reached(&name, &catalog, &reached, options);
        let data_set = match opened {
            Ok(data_set) => data_set,
            Err(error) => {
                if let Some((_, keeper)) = early {
                    // Nothing was changed through it.
                    let _ = keeper.close();
                }
                return Err(error.into());
            }
        };
        let keeper = || early.map_or_else(|| data_set.clone(), |(_, keeper)| keeper);
        let entry = kept.get_or_insert_with(|| Kept {
            keeper: keeper(),
            opens: Vec::new(),
        });
        entry.opens.push(Open {
            guest,
            label,
            alone,
            output,
            reset,
        });
        place.opens.store(entry.opens.len() as u32, Relaxed);
        let about = About {
            name,
            path: reached.way.is_some(),
            identity: Identity {
                base: number_of(&base),
                length: identity_length(&reached.cluster),
            },
            tally: self.tallies.of(&base),
            base,
            guest,
            alone,
        };
        Ok(OpenSet::new(data_set, about, self.busy.clone()))
    }

    fn place(&self, base: &Name) -> Arc<Place> {
        self.places.lock().entry(base.clone()).or_default().clone()
    }

    /// Whoever came to a place goes (P1). Under the lock nobody comes, so the last one who goes is known.
    fn leave(&self, base: &Name, place: Arc<Place>) {
        let mut places = self.places.lock();
        drop(place);
        let is_free = |place: &Arc<Place>| Arc::strong_count(place) == 1 && place.opens.load(Relaxed) == 0;
        if places.get(base).is_some_and(is_free) {
            places.remove(base);
        }
    }

    /// What was counted of each data set, and how many have it open.
    pub fn used(&self) -> Vec<Used> {
        let places = self.places.lock();
        let used = |(name, sums): (Name, Sums)| Used {
            opens: places.get(&name).map_or(0, |place| place.opens.load(Relaxed)),
            name: name.to_string(),
            sums,
        };
        self.tallies.sums().into_iter().map(used).collect()
    }

    /// Closes a client's open; the last one closes the data set. Nothing that a client may make wait is waited for with
    /// the place locked (D1).
    pub fn close(&self, set: &OpenSet) -> Result<CloseReport, RequestError> {
        let Some(own) = set.take() else {
            return Ok(CloseReport::default());
        };
        // They keep it open.
        drop(set.pins.lock().take());
        let place = self.place(&set.base);
        let closed = Shared::close_at(&place, set, own);
        self.leave(&set.base, place);
        closed
    }

    /// The same, at its place.
    fn close_at(place: &Place, set: &OpenSet, own: DataSet) -> Result<CloseReport, RequestError> {
        let mut kept = place.kept.lock();
        let closed = own.close();
        let Some(of) = &mut *kept else {
            return closed;
        };
        let same = |open: &Open| (open.guest, open.alone) == (set.guest, set.alone);
        if let Some(place) = of.opens.iter().position(same) {
            of.opens.swap_remove(place);
        }
        place.opens.store(of.opens.len() as u32, Relaxed);
        if !of.opens.is_empty() {
            return closed;
        }
        let last = kept.take();
        let done = last.map_or(Ok(CloseReport::default()), |kept| kept.keeper.close());
        closed.and(done)
    }

    /// O2.
    pub(crate) fn check_rights(&self, descriptor: Option<&OwnedFd>, data: &Path, access: Access) -> Result<(), String> {
        let Some(descriptor) = descriptor else {
            return Err(format!("the client gave no descriptor of {}", data.display()));
        };
        let given = fstat(descriptor).map_err(|error| error.to_string())?;
        let own = (self.file_of)(data).map_err(|error| format!("{}: {error}", data.display()))?;
        if (given.st_dev, given.st_ino) != own {
            return Err(format!("the client's descriptor is not of {}", data.display()));
        }
        let flags = fcntl_getfl(descriptor).map_err(|error| error.to_string())?;
        // One that only names the file (O_PATH) was opened for nothing, though its mode is that of one that reads.
        let mode = Some(flags & OFlags::RWMODE).filter(|_| !flags.contains(OFlags::PATH));
        let (may_write, may_read) = (mode == Some(OFlags::RDWR), mode == Some(OFlags::RDONLY));
        match access {
            Access::Output if !may_write => Err("the client may not write to it".into()),
            Access::Input if !may_write && !may_read => Err("the client may not read it".into()),
            _ => Ok(()),
        }
    }
}

/// Bytes of what names a record when it is locked, see [`Str::lock`](cica_engine::Str::lock).
fn identity_length(cluster: &Cluster) -> usize {
    match (cluster.organization, cluster.attributes.keys) {
        (Organization::Ksds, Some(keys)) => keys.length.into(),
        // The longest key.
        (Organization::Ksds, None) => 255,
        _ => 8,
    }
}

/// A number for a base cluster, the same at each open: what a unit has locked it gives back under that.
fn number_of(base: &Name) -> u64 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(base)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use cica_session::{Sharing, Start};

    #[test]
    fn with_the_last_open_a_place_goes() {
        let directory = std::env::temp_dir().join(format!("cica-server-places-{}", std::process::id()));
        // What a run before has left.
        let _ = std::fs::remove_dir_all(&directory);
        let store = cica::Store::at(&directory)
            .create()
            .pool_bytes(16 << 20)
            .open()
            .unwrap();
        for name in ["A", "B"] {
            store.define(cica::Ksds::new(name).key(0..5).records(5, 80)).unwrap();
        }
        drop(store);
        let session = Session::start(Start {
            catalog: Some(directory.clone()),
            pool: Some(16 << 20),
            sharing: Sharing::Off,
            ..Start::default()
        })
        .unwrap();
        let shared = Shared::new(session, None);
        let file = |name: &str| {
            let (catalog, reached) = shared.session.reach(&Name::parse(name).unwrap()).unwrap();
            cica_share::rights(&files(&catalog, &reached.cluster).unwrap().0, true).unwrap()
        };
        let open = |name: &str, alone, guest| {
            let options = OpenOptions {
                alone,
                ..OpenOptions::output()
            };
            shared.open((name, ""), options, Some(&file(name)), (guest, String::new()))
        };
        let places = || shared.places.lock().len();
        let (one, two) = (open("A", false, 1), open("A", false, 2));
        let (one, two) = (one.ok().unwrap(), two.ok().unwrap());
        let other = open("B", false, 1).ok().unwrap();
        assert!(open("A", true, 3).is_err());
        assert_eq!(places(), 2);
        shared.close(&one).unwrap();
        assert_eq!(places(), 2);
        shared.close(&two).unwrap();
        assert_eq!(places(), 1);
        // A second close, and one that is refused, leave none.
        shared.close(&two).unwrap();
        assert!(shared
            .open(("A", ""), OpenOptions::output(), None, (1, String::new()))
            .is_err());
        shared.close(&other).unwrap();
        assert_eq!(places(), 0);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
