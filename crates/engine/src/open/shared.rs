//! What all open data sets of a process share: pool, log, and the table of those that are open.

use super::pace::Pace;
use super::shunted::ShuntedUnits;
use super::OpenDataSet;
use crate::buffers::ResourcePools;
use crate::forked::OwningProcess;
use crate::io::Io;
use crate::locks::Locks;
use crate::log::{epoch_for, Log, MOST_GATHERED};
use crate::pool::{Held, Pool};
use crate::prepared::KnownUnits;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use crate::sync::{Mutex, MutexGuard};
use crate::volumes::{Volumes, VolumesToBe};
use cica_counters::{layout, Counted, ProcessIdentity, StatisticsFile, Watcher};
use cica_disk::{Cells, Clock, Disk};
use cica_format::root::Root;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// Bytes of free space in a file that are worth giving back.
const GIVE_BACK_FROM: u64 = 16 << 20;

/// What an engine runs in.
#[derive(Debug, Clone)]
pub struct Env {
    /// Files.
    pub disk: Arc<dyn Disk>,
    /// Time of day.
    pub clock: Arc<dyn Clock>,
    /// Directory of the log pool (`<catalog>/log`).
    pub log_dir: PathBuf,
    /// Bound of the buffer pool in bytes; `None`: a quarter of the machine's memory.
    pub pool_bytes: Option<usize>,
    /// Whether data CIs go through the page cache, for opens that do not say.
    pub io: Io,
    /// May threads be started? False in a simulation: then nothing is made durable without being asked.
    pub background: bool,
}

/// Takes the cells in which others see what is counted: of SMF, and of the pool.
pub type ShowCells = Box<dyn FnOnce(Cells, Cells) + Send>;

/// Requests of a neighbourhood of keys in recovery: few enough that their pages stay in the processor's cache.
const NEIGHBOURHOOD: usize = 256;

/// See the module.
pub struct Shared {
    /// The process whose engine it is.
    pub owner: OwningProcess,
    pub env: Env,
    pub pool: Arc<Pool>,
    pub log: Arc<Log>,
    pub locks: Arc<Locks>,
    pub open: Mutex<HashMap<PathBuf, Weak<OpenDataSet>>>,
    /// Kept while all trees are committed and the log starts over.
    pub starting_over: Mutex<()>,
    /// A thread does so, or is about to.
    pub ending_epoch: AtomicBool,
    /// How fast changes come meanwhile.
    pub pace: Pace,
    /// Pins of committed trees (`pin.rs`).
    pub pins: AtomicUsize,
    /// Units of recovery made so far.
    pub units: AtomicU64,
    /// Those in doubt that it knows of: who has their records.
    pub in_doubt: Mutex<KnownUnits>,
    /// Those that could not be taken back when they were dropped.
    pub shunted: ShuntedUnits,
    /// Data sets that were dropped, not closed, with something to commit.
    pub left_uncommitted: AtomicU64,
    flusher: std::sync::OnceLock<()>,
    /// See `Engine::give_back_from`.
    pub give_back_from: AtomicU64,
    /// See `Engine::recover_in_neighbourhoods_of`.
    pub neighbourhood: AtomicUsize,
    /// Who counts SMF records, until there are cells for it.
    pub show_smf: Mutex<Option<ShowCells>>,
    /// Who is told of opens and closes.
    pub watcher: std::sync::OnceLock<Arc<dyn Watcher>>,
    /// Where others see what is counted.
    counted: std::sync::OnceLock<Arc<StatisticsFile>>,
    counted_in: std::sync::OnceLock<(PathBuf, ProcessIdentity)>,
    /// Pools of buffers that opens share.
    pub resource_pools: ResourcePools,
    volumes: Arc<VolumesToBe>,
    /// The charge for the log's groups.
    _for_log: Held,
}

impl Shared {
    /// Nothing is opened or started yet.
    ///
    /// # Errors
    /// The system has no address space for the pool.
    pub fn new(env: Env) -> std::io::Result<Shared> {
        let bytes = env.pool_bytes.unwrap_or_else(|| memory_bytes() / 4);
        let pool = Arc::new(Pool::new(bytes, env.clock.clone())?);
        // A group gathers while another is written; both are charged from the start.
        let gathers = (pool.limit() / 32).min(MOST_GATHERED);
        let for_log = pool
            .hold(2 * gathers)
            .map_err(|_| std::io::Error::other("the pool has no room for a log"))?;
        let volumes = Arc::new(VolumesToBe::new());
        let log = Arc::new(Log::new(
            env.disk.clone(),
            env.clock.clone(),
            env.log_dir.clone(),
            volumes.clone(),
            gathers,
            epoch_for(pool.limit()),
        ));
        let shared = Shared {
            owner: OwningProcess::this(),
            locks: Arc::new(Locks::new(env.clock.clone())),
            env,
            pool,
            log,
            open: Mutex::new(HashMap::new()),
            starting_over: Mutex::new(()),
            ending_epoch: AtomicBool::new(false),
            pace: Pace::default(),
            pins: AtomicUsize::new(0),
            units: AtomicU64::new(1),
            in_doubt: Mutex::default(),
            shunted: ShuntedUnits::default(),
            left_uncommitted: AtomicU64::new(0),
            flusher: std::sync::OnceLock::new(),
            give_back_from: AtomicU64::new(GIVE_BACK_FROM),
            neighbourhood: AtomicUsize::new(NEIGHBOURHOOD),
            show_smf: Mutex::new(None),
            watcher: std::sync::OnceLock::new(),
            counted: std::sync::OnceLock::new(),
            counted_in: std::sync::OnceLock::new(),
            resource_pools: ResourcePools::default(),
            volumes,
            _for_log: for_log,
        };
        Ok(shared)
    }

    /// The names of the data sets that are open, by their numbers in the lock table.
    pub fn names_of_open(&self) -> HashMap<u64, String> {
        let open: Vec<Arc<OpenDataSet>> = self.open.lock().values().filter_map(Weak::upgrade).collect();
        let name = |set: &Arc<OpenDataSet>| {
            let common = set.common();
            (common.holds.set(), common.attributes.cluster_name.clone())
        };
        open.iter().map(name).collect()
    }

    /// The data sets that this process has open; while this is kept nobody opens another. Of `wanted` none is just
    /// being closed: that is waited for, or it would be found in use by this very process.
    pub fn opened(&self, wanted: &[&Path]) -> OpenedSets<'_> {
        loop {
            let open = OpenedSets(self.open.lock());
            let Some(leaving) = wanted.iter().find_map(|data| open.leaving(data)) else {
                return open;
            };
            // Its close may need the lock.
            drop(open);
            leaving.wait_until_gone();
        }
    }
}

/// See [`Shared::opened`].
pub struct OpenedSets<'e>(MutexGuard<'e, HashMap<PathBuf, Weak<OpenDataSet>>>);

impl OpenedSets<'_> {
    /// The open data set with this data component.
    pub fn get(&self, data: &Path) -> Option<Arc<OpenDataSet>> {
        self.0
            .get(data)
            .and_then(Weak::upgrade)
            .filter(|inner| !inner.has_left())
    }
    fn leaving(&self, data: &Path) -> Option<Arc<OpenDataSet>> {
        let known = self.0.get(data).and_then(Weak::upgrade);
        known.filter(|inner| inner.is_leaving())
    }
    /// Enters one. Those that are gone leave the table before it has to grow for them.
    pub fn insert(&mut self, inner: &Arc<OpenDataSet>) {
        if self.0.len() == self.0.capacity() {
            self.0.retain(|_, known| known.strong_count() > 0);
        }
        self.0.insert(inner.data_path().to_path_buf(), Arc::downgrade(inner));
    }
}

impl Shared {
    /// Extents of what is opened from now on come from these volumes.
    pub fn say_volumes(&self, volumes: Arc<dyn Volumes>) {
        self.volumes.say(volumes);
    }

    /// What is counted is seen in this directory, under this name.
    pub fn show_counts(&self, directory: PathBuf, process: ProcessIdentity) {
        let _ = self.counted_in.set((directory, process));
    }

    /// The file in which others see what is counted. It is made when something is opened.
    pub fn counted(&self) -> &Arc<StatisticsFile> {
        self.counted.get_or_init(|| {
            let file = match self.counted_in.get() {
                Some((directory, process)) => StatisticsFile::create(self.env.disk.clone(), directory, process),
                None => StatisticsFile::unseen(),
            };
            let sizes = file.head(layout::FRAMES, layout::FRAME_SIZES);
            self.pool.show_counts(file.head(layout::POOL, 1), sizes);
            self.locks.show_counts(file.head(layout::LOCKS, 1));
            if let Some(show) = self.show_smf.lock().take() {
                show(file.head(layout::SMF, 1), file.head(layout::POOL, 1));
            }
            file
        })
    }

    /// What all processes have counted, this one too.
    pub fn counted_by_all(&self) -> Counted {
        let directory = self.counted_in.get().map(|(directory, _)| directory);
        directory.map_or_else(Counted::default, |directory| Counted::look(&*self.env.disk, directory))
    }

    /// Where extents come from.
    pub fn volumes(&self) -> Arc<dyn Volumes> {
        self.volumes.current()
    }

    /// Whether an open that asks for `io` goes around the page cache.
    pub fn is_direct(&self, io: Io, root: &Root) -> bool {
        io.or(self.env.io).is_direct(root, self.pool.limit(), memory_bytes())
    }

    /// The longest component file of which reads may be copied from a window (`docs/design/0010`): one that the pool
    /// could hold.
    pub fn window(&self) -> u64 {
        self.pool.limit() as u64
    }

    /// Was [`start_flusher`](Self::start_flusher) asked before, to some effect?
    #[inline]
    pub fn has_flusher(&self) -> bool {
        self.flusher.get().is_some()
    }

    /// Starts the thread that flushes the log each second, and when much has gathered, once; only owners that change
    /// something have it.
    pub fn start_flusher(&self) {
        if !self.env.background || !crate::sync::TIME_PASSES {
            return;
        }
        self.flusher.get_or_init(|| {
            let log = Arc::downgrade(&self.log);
            // Without the thread the log is flushed by commits and closes: less often than promised, so the failure
            // is not hidden.
            let started = crate::sync::start("cica-log", 256 << 10, move || flush_each_second(log));
            if started.is_err() {
                self.log.always_flush();
            }
        });
    }
}

fn flush_each_second(log: Weak<Log>) {
    if let Some(log) = log.upgrade() {
        log.write_from_here();
    }
    loop {
        // It may wake for nothing, which costs a look.
        std::thread::park_timeout(std::time::Duration::from_millis(900));
        let Some(log) = log.upgrade() else { return };
        // A failure shows at the next request that asks for durability.
        let _ = log.flush(log.last());
    }
}

/// Bytes of memory this process may use: the machine's, or its control group's if that is less. Asked once, because
/// every open wants to know.
fn memory_bytes() -> usize {
    // Two threads may ask at once; a child of `fork` waits for neither.
    static BYTES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    match BYTES.load(Relaxed) {
        0 => {
            let bytes = ask_for_memory_bytes();
            BYTES.store(bytes, Relaxed);
            bytes
        }
        bytes => bytes,
    }
}

fn ask_for_memory_bytes() -> usize {
    let machine = rustix::system::sysinfo().totalram as usize;
    let group = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .iter()
    .filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok())
    .min();
    machine.min(group.unwrap_or(usize::MAX)).max(64 << 20)
}
