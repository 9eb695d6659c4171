//! An open data set: opening, committing its tree, closing, recovery.
//!
//! | state | by | to |
//! |---|---|---|
//! | closed | `Engine::open` (recovers first if the root names a log) | open |
//! | open, never loaded, for output | first sequential insert | loading |
//! | loading | `close` | closed |
//! | open | `commit_tree` (checkpoint, log too long, close) | open, tree on the volume is the one in memory |
//! | open | a failed write or sync, a broken invariant | fenced: nothing is answered any more |
//! | any | last handle dropped without `close` | closed, as after the death of the process |

mod redo;
mod units;

use crate::common::interval::Intervals;
use crate::common::{shape, Common};
use crate::engine::{open_as, read_copy, Shared};
use crate::error::{OpenError, RequestError};
use crate::esds::Esds;
use crate::io::Io;
use crate::ksds::Ksds;
use crate::linear::Lds;
use crate::log::Logger;
use crate::organized::Organized;
use crate::relative::Rrds;
use crate::sphere::{Sphere, Way};
use crate::store::{self, Codec, Component};
use crate::string::{Intent, Str};
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use crate::sync::{Condvar, Mutex};
use crate::unit::UnitOfRecovery;
use cica_disk::{File, Open};
use cica_format::attributes::{Attributes, Organization};
use cica_format::index::BaseRba;
use cica_format::root::{LogPosition, Part, Root, Statistics};
use cica_format::slots;
use cica_format::table::Ref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

/// What an open is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reading.
    #[default]
    Input,
    /// Reading and changing.
    Output,
}

/// When a change is durable (survives power loss, not only the death of the process).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// At close and commit; at most a second behind meanwhile. After any crash the data set is as it was at some
    /// moment not
    /// longer ago than that.
    #[default]
    Close,
    /// At commit and close, and not on its own in between.
    Commit,
    /// When the request returns; a load, which is not logged, at commit and close.
    Request,
}

/// See [`Engine::open`](crate::Engine::open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenOptions {
    /// For input or output.
    pub access: Access,
    /// Empty a REUSE data set (RESET).
    pub reset: bool,
    /// Empty it though it was defined NOREUSE, as a base with alternate indexes always is.
    pub reset_anyway: bool,
    /// When changes are durable.
    pub durability: Durability,
    /// Whether data CIs go through the page cache.
    pub io: Io,
}

impl OpenOptions {
    pub(crate) fn recovery() -> OpenOptions {
        OpenOptions {
            access: Access::Output,
            reset: false,
            reset_anyway: false,
            durability: Durability::Commit,
            io: Io::Buffered,
        }
    }
}

/// What a close did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CloseReport {
    /// False: others still have the data set open in this process, and the last of them will commit.
    pub closed: bool,
}

/// An open data set; clones are the same open.
pub struct DataSet {
    inner: Arc<Inner>,
    /// What this open is for; another of the process may be for more.
    access: Access,
    /// It is one of the handles of which the last closes.
    counted: bool,
    /// Of a path.
    way: Option<Arc<Way>>,
}

pub(crate) struct Inner {
    pub records: Organized,
    pub shared: Arc<Shared>,
    pub options: OpenOptions,
    data_path: PathBuf,
    index_path: PathBuf,
    /// Attributes of the index component, where there is one.
    pub index_attributes: Option<Attributes>,
    roots: Mutex<Roots>,
    /// Statistics at open; the counters add to them.
    base: Mutex<(Statistics, Statistics)>,
    handles: AtomicUsize,
    next_string: AtomicU64,
    last_commit: AtomicU64,
    changed: AtomicBool,
    /// One of its opens wants each request durable, so all have it.
    each_request: AtomicBool,
    /// The next commit is the last.
    closing: AtomicBool,
    left: AtomicBool,
    /// Its files are closed.
    gone: (Mutex<bool>, Condvar),
    /// Of a base that is open for output with its alternate indexes.
    sphere: OnceLock<Sphere>,
    /// An alternate index that is upgraded with its base: nobody else opens it.
    upgraded: AtomicBool,
}

/// The committed roots.
struct Roots {
    data: Root,
    index: Option<Root>,
    /// The last commit has been made, or none will be: no log is named any more.
    last: bool,
}

impl Inner {
    /// Opens from the committed root.
    pub fn open(
        shared: &Arc<Shared>,
        file: Box<dyn File>,
        root: Root,
        data: &Path,
        index: &Path,
        options: OpenOptions,
    ) -> Result<Arc<Inner>, OpenError> {
        check_open(&root, options)?;
        let never_loaded = never_loaded(&root);
        let write = options.access == Access::Output;
        let (index_part, index_root) = match root.attributes.organization.has_index() {
            true => {
                let window = shared.window();
                let how = Open {
                    write,
                    window,
                    ..Open::default()
                };
                let index_file = open_as(&*shared.env.disk, index, how)?;
                let index_root = read_index_root(&*index_file, index, &root)?;
                let part = index_component(shared, index_file, !write, index, &root, &index_root);
                (Some(part), Some(index_root))
            }
            false => (None, None),
        };
        let data_part = Component::new(
            shared.pool.clone(),
            file,
            store::Way {
                direct: shared.is_direct(options.io, &root),
                still: !write,
            },
            data.to_path_buf(),
            &root,
            data_codec(&root.attributes),
        );
        data_part.read_tables(write)?;
        if let Some(index_part) = &index_part {
            index_part.read_tables(write)?;
        }
        let data_part = Arc::new(data_part);
        data_part.register();
        let index_part = index_part.map(Arc::new).inspect(Component::register);
        let common = Common::new(data_part, root.attributes.clone(), shared.log.clone());
        common.counters.records.store(root.statistics.records, Relaxed);
        common.loading.store(write && never_loaded, Relaxed);
        let records = organized(common, index_part, &root, index_root.as_ref())?;
        let inner = Inner {
            records,
            shared: shared.clone(),
            options,
            data_path: data.to_path_buf(),
            index_path: index.to_path_buf(),
            index_attributes: index_root.as_ref().map(|r| r.attributes.clone()),
            base: Mutex::new((
                root.statistics,
                index_root.as_ref().map_or(Default::default(), |r| r.statistics),
            )),
            roots: Mutex::new(Roots {
                data: root,
                index: index_root,
                last: false,
            }),
            handles: AtomicUsize::new(0),
            next_string: AtomicU64::new(1),
            last_commit: AtomicU64::new(shared.env.clock.now()),
            changed: AtomicBool::new(false),
            each_request: AtomicBool::new(options.durability == Durability::Request),
            closing: AtomicBool::new(false),
            left: AtomicBool::new(false),
            gone: (Mutex::new(false), Condvar::new()),
            sphere: OnceLock::new(),
            upgraded: AtomicBool::new(false),
        };
        let inner = Arc::new(inner);
        if options.reset {
            if let Err(error) = inner.reset() {
                inner.leave();
                return Err(OpenError::Io {
                    path: data.to_path_buf(),
                    doing: "RESET",
                    error: std::io::Error::other(error.to_string()),
                });
            }
        }
        Ok(inner)
    }

    /// What all organizations have.
    pub fn common(&self) -> &Common {
        self.records.common()
    }

    /// May this open read now, with this intent?
    pub fn allow_read(&self, access: Access, intent: Intent) -> Result<(), RequestError> {
        if intent == Intent::Update && access != Access::Output {
            return Err(RequestError::Access {
                what: "getting records for update (open for output)",
            });
        }
        if self.common().loading.load(Relaxed) {
            return Err(RequestError::Loading);
        }
        self.common().check_fence()
    }

    /// May this open change something? `what` says which request asks.
    pub fn allow_change(&self, access: Access, what: &'static str) -> Result<(), RequestError> {
        match access {
            Access::Output => self.common().check_fence(),
            Access::Input => Err(RequestError::Access { what }),
        }
    }

    /// Changes will be logged.
    pub fn join_log(self: &Arc<Self>) {
        if self.options.access == Access::Output {
            let cluster = self.roots.lock().data.cluster;
            let weak: Weak<Inner> = Arc::downgrade(self);
            // The tree is complete as of now, in the counting of this process's log.
            self.roots.lock().data.log.lsn = self.shared.log.last();
            self.common()
                .set_log_number(self.shared.log.join(cluster, &self.data_path, &self.index_path, weak));
        }
    }

    /// The alternate indexes that are upgraded with this base.
    #[inline]
    pub fn sphere(&self) -> Option<&Sphere> {
        self.sphere.get()
    }

    /// Makes it a base whose alternate indexes are upgraded, before anybody else knows it.
    pub fn attach(&self, sphere: Sphere) {
        sphere.members().for_each(|member| member.upgraded.store(true, Relaxed));
        let _ = self.sphere.set(sphere);
    }

    /// Is it a member of a sphere: a base with alternate indexes, or one of these?
    pub fn is_of_sphere(&self) -> bool {
        self.upgraded.load(Relaxed) || self.sphere.get().is_some()
    }

    /// Another open in the same process.
    ///
    /// `None`: the last handle is just being closed; [`wait_until_gone`](Self::wait_until_gone).
    pub fn join(self: &Arc<Self>, options: OpenOptions) -> Result<Option<DataSet>, OpenError> {
        if self.has_left() {
            return Ok(None);
        }
        if self.upgraded.load(Relaxed) {
            return Err(OpenError::InUse {
                path: self.data_path.clone(),
                why: "this process has it open as an alternate index that is upgraded with its base",
            });
        }
        if options.access == Access::Output && self.options.access == Access::Input {
            return Err(OpenError::InUse {
                path: self.data_path.clone(),
                why: "this process has it open for input, and this open is for output",
            });
        }
        if options.reset {
            return Err(OpenError::InUse {
                path: self.data_path.clone(),
                why: "this process has it open, so it cannot be reset",
            });
        }
        let joined = DataSet::another(self, options.access);
        if joined.is_some() && options.durability == Durability::Request {
            self.each_request.store(true, Relaxed);
        }
        Ok(joined)
    }

    /// Waits until whoever closes the data set has let go of its files.
    pub fn wait_until_gone(&self) {
        let mut gone = self.gone.0.lock();
        while !*gone {
            self.gone.1.wait(&mut gone);
        }
    }

    /// The last handle is being closed, and the files are not let go of yet.
    pub fn is_leaving(&self) -> bool {
        let ending = self.has_left() || (!self.upgraded.load(Relaxed) && self.handles.load(Acquire) == 0);
        ending && !*self.gone.0.lock()
    }

    pub fn data_path(&self) -> &Path {
        &self.data_path
    }

    fn reset(&self) -> Result<(), RequestError> {
        self.records.reset();
        self.common().counters.records.store(0, Relaxed);
        *self.base.lock() = Default::default();
        let loads = self.common().attributes.organization != Organization::Lds;
        self.common().loading.store(loads, Relaxed);
        self.changed.store(true, Relaxed);
        self.commit_tree(true)?;
        self.common().data.cut()?;
        self.records.index().map_or(Ok(()), |index| index.cut())
    }

    /// Notes that there is something to commit; the first time it starts what changing data sets need.
    #[inline]
    pub fn note_change(&self) {
        if !self.changed.load(Relaxed) {
            self.changed.store(true, Relaxed);
            if self.options.durability == Durability::Close {
                self.shared.start_flusher();
            }
        }
    }

    /// Notes that a load has something to commit.
    #[inline]
    pub fn note_loading(&self) {
        self.changed.store(true, Relaxed);
    }

    /// What comes after a change has been done and its latch and gate are gone.
    #[inline]
    pub fn after_change(&self) -> Result<(), RequestError> {
        self.note_change();
        if self.each_request.load(Relaxed) {
            self.flush_log()?;
        }
        let log = &self.shared.log;
        let wants = log.wants();
        if wants.flush {
            self.flush_log()?;
        }
        if wants.long {
            self.shared.end_epoch(wants.overdue);
        } else if self.wants_commit() || self.sphere().is_some_and(Sphere::wants_commit) {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Has the tree so many changed CIs that it should be committed?
    pub fn wants_commit(&self) -> bool {
        self.common().data.wants_commit() || self.records.index().is_some_and(|index| index.wants_commit())
    }

    /// While loading: a CA was written.
    pub fn after_loaded_ca(&self) -> Result<(), RequestError> {
        let now = self.shared.env.clock.now();
        let due = self.last_commit.load(Relaxed) + 1_000_000_000 < now;
        match (self.options.durability, due && !self.common().attributes.speed) {
            (Durability::Close, true) => {
                let _gate = self.common().gate.write();
                self.commit_tree(false)
            }
            _ => Ok(()),
        }
    }

    /// Writes and makes durable what a commit would write, with requests going on; returns how many CIs that were. What
    /// fails is left to the commit, but for a sync (D3).
    pub fn write_early(&self) -> usize {
        if self.common().check_fence().is_err() {
            return 0;
        }
        let parts = [Some(&self.common().data), self.records.index()];
        let written = |part: &Component| {
            let written = part.write_early();
            match written {
                0 => Ok(0),
                _ => part.sync().map(|()| written),
            }
        };
        let written: Result<usize, RequestError> = parts.into_iter().flatten().map(|part| written(part)).sum();
        written
            .inspect_err(|error| self.common().fence(&error.to_string()))
            .unwrap_or(0)
    }

    /// Commits the tree, of a base with those of its alternate indexes.
    pub fn checkpoint(&self) -> Result<(), RequestError> {
        match self.sphere() {
            Some(sphere) => sphere.commit(self, false),
            None => {
                self.write_early();
                let _gate = self.common().gate.write();
                self.commit_tree(false)
            }
        }
    }

    /// Ends the load of a KSDS early, so that records come in any order and are logged.
    pub fn end_loading(&self, ksds: &Ksds) -> Result<(), RequestError> {
        let _gate = self.common().gate.write();
        if !ksds.loading.load(Relaxed) {
            return Ok(());
        }
        ksds.check_fence()?;
        ksds.end_load()?;
        ksds.plant()?;
        self.note_loading();
        self.commit_tree(false)?;
        ksds.loading.store(false, Relaxed);
        Ok(())
    }

    /// Makes the log durable as far as it goes.
    pub fn flush_log(&self) -> Result<(), RequestError> {
        self.shared.log.flush(self.shared.log.last()).map_err(|why| {
            self.common().fence(&why);
            RequestError::Fenced { why }
        })?;
        // The log goes on without a data set whose root cannot name it.
        self.common().check_fence()
    }

    /// Makes everything acknowledged durable.
    pub fn commit(&self) -> Result<(), RequestError> {
        self.common().check_fence()?;
        if self.common().loading.load(Relaxed) {
            // A load is not logged: its complete CAs become durable.
            let _gate = self.common().gate.write();
            return self.commit_tree(false);
        }
        self.flush_log()
    }

    /// Commits the tree: data and index as they are in memory. The caller keeps the gate exclusively. `last`: the
    /// data set
    /// is complete without any log afterwards.
    pub fn commit_tree(&self, last: bool) -> Result<(), RequestError> {
        self.common().check_fence()?;
        if !self.changed.load(Relaxed) {
            return Ok(());
        }
        if self.common().has_units() {
            // U1.
            self.flush_log()?;
        }
        self.try_commit(last)
            .inspect_err(|error| self.common().fence(&error.to_string()))
    }

    /// Commits the tree with no log named, though more changes may follow.
    pub fn commit_without_log(&self) -> Result<(), RequestError> {
        self.common().check_fence()?;
        if !self.changed.load(Relaxed) {
            return Ok(());
        }
        self.try_commit(true)
            .inspect_err(|error| self.common().fence_quietly(&error.to_string()))?;
        self.changed.store(true, Relaxed);
        Ok(())
    }

    fn try_commit(&self, last: bool) -> Result<(), RequestError> {
        let data = &self.common().data;
        data.write_changes()?;
        let index_changed = match self.records.index() {
            Some(index) => {
                let grown = self.roots.lock().index.as_ref().map(|r| r.high_used) != Some(self.index_used());
                let changed = grown || index.is_changed();
                index.write_changes()?;
                changed
            }
            None => false,
        };
        let mut roots = self.roots.lock();
        let (mut data_root, mut index_root) = (roots.data.clone(), roots.index.clone());
        data.describe(&mut data_root);
        let (top, levels) = self.records.top();
        (data_root.top, data_root.levels) = (top, levels);
        let (data_statistics, index_statistics) = self.statistics();
        data_root.statistics = data_statistics;
        if let (Some(index), Some(root), true) = (self.records.index(), &mut index_root, index_changed) {
            index.describe(root);
            (root.top, root.levels) = (top, levels);
            root.high_used = self.index_used();
            root.statistics = index_statistics;
            root.version += 1;
            let checksum = index.write_root(root)?;
            data_root.index_root = Ref {
                version: root.version,
                checksum,
            };
            index.sync()?;
        }
        data.sync()?;
        data_root.log = self.log_position(&roots.data.log, last);
        self.write_data_root(&mut data_root)?;
        *roots = Roots {
            data: data_root,
            index: index_root,
            last: self.closing.load(Relaxed),
        };
        data.committed();
        if let Some(index) = self.records.index() {
            index.committed();
        }
        self.last_commit.store(self.shared.env.clock.now(), Relaxed);
        if last {
            self.changed.store(false, Relaxed);
        }
        Ok(())
    }

    /// Writes a data root under its next version, durably, and then the same into the other copy under the version
    /// after that, so that losing either takes nothing away (R7). The second need not be durable now: whatever
    /// overwrites the first copy syncs before. So its failure takes nothing away either.
    fn write_data_root(&self, root: &mut Root) -> Result<(), RequestError> {
        let data = &self.common().data;
        root.version += 1;
        data.write_root(root)?;
        data.sync()?;
        root.version += 1;
        if data.write_root(root).is_err() {
            root.version -= 1;
        }
        Ok(())
    }

    /// The committed root says whether a log is named, because a flush may be naming one just now.
    fn log_position(&self, committed: &LogPosition, last: bool) -> LogPosition {
        let lsn = self.shared.log.last();
        match last {
            true => LogPosition {
                log: 0,
                path: String::new(),
                lsn,
            },
            false => LogPosition {
                lsn,
                ..committed.clone()
            },
        }
    }

    fn index_used(&self) -> u64 {
        let size = self.index_attributes.as_ref().map_or(0, |a| a.ci_size);
        self.records.index_cis() as u64 * size as u64
    }

    /// Statistics of data and index now.
    fn statistics(&self) -> (Statistics, Statistics) {
        let (mut data, mut index) = *self.base.lock();
        let c = &self.common().counters;
        data.records = c.records.load(Relaxed);
        for (total, new) in [
            (&mut data.inserted, &c.inserted),
            (&mut data.deleted, &c.deleted),
            (&mut data.updated, &c.updated),
            (&mut data.retrieved, &c.retrieved),
            (&mut data.ci_splits, &c.ci_splits),
            (&mut data.ca_splits, &c.ca_splits),
            (&mut data.ca_reclaims, &c.ca_reclaims),
            (&mut data.ca_reuses, &c.ca_reuses),
            (&mut data.excps, &self.common().data.excps),
        ] {
            *total += new.load(Relaxed);
        }
        data.free_space = self.common().data.free_space();
        if let Some(part) = self.records.index() {
            index.excps += part.excps.load(Relaxed);
            index.records = self.records.index_cis() as u64;
            index.free_space = part.allocated().0.saturating_sub(self.index_used());
        }
        if self.changed.load(Relaxed) {
            data.last_change = self.shared.env.clock.now();
            index.last_change = data.last_change;
        }
        (data, index)
    }

    /// Is there anything that the committed tree has not?
    pub fn has_changed(&self) -> bool {
        self.changed.load(Relaxed)
    }

    /// The next commit is the last.
    pub fn note_closing(&self) {
        self.closing.store(true, Relaxed);
    }

    fn close(&self) -> Result<(), RequestError> {
        // Nothing is upgraded while the base is loaded.
        if let Some(sphere) = self.sphere().filter(|_| !self.records.is_building()) {
            return sphere.close(self);
        }
        let gate = self.common().gate.write();
        let mut done = self.common().check_fence();
        if done.is_ok() && self.records.is_building() {
            self.changed.store(true, Relaxed);
            done = self.records.end_load();
        }
        if done.is_ok() {
            self.note_closing();
            done = self.commit_tree(true);
        }
        drop(gate);
        self.leave();
        done
    }

    /// Lets go of everything without committing.
    pub fn leave(&self) {
        match self.sphere() {
            _ if self.has_left() => {}
            Some(sphere) => sphere.leave(self),
            None => self.leave_alone(),
        }
    }

    /// The same for one member of a sphere.
    pub fn leave_alone(&self) {
        if self.has_left() {
            return;
        }
        // Between "left" and the log's knowing it the log must not start over: it may hold requests that only it has.
        let logs = self
            .common()
            .log_number()
            .map(|number| (number, self.shared.starting_over.lock()));
        if self.left.swap(true, AcqRel) {
            return;
        }
        self.common().fence_quietly("it was closed");
        {
            // Changes that are under way end at the fence; a flush names no log in a root that nobody will commit.
            let _gate = self.common().gate.write();
            self.roots.lock().last = true;
            self.common().data.leave_pool();
            if let Some(index) = self.records.index() {
                index.leave_pool();
            }
        }
        if let Some((number, quiet)) = logs {
            let complete = !self.changed.load(Relaxed);
            if self.shared.log.leave(number, complete) {
                self.shared.detach_log(&quiet);
            }
        }
        *self.gone.0.lock() = true;
        self.gone.1.notify_all();
    }

    pub fn has_left(&self) -> bool {
        self.left.load(Acquire)
    }
}

impl Logger for Inner {
    fn stands_alone(&self) -> bool {
        !self.is_of_sphere()
    }

    fn name_log(&self, log: u64, path: &str) -> Result<(), String> {
        let mut roots = self.roots.lock();
        if roots.last {
            return Ok(());
        }
        let mut root = roots.data.clone();
        root.log = LogPosition {
            log,
            path: path.to_string(),
            lsn: root.log.lsn,
        };
        // The copy that stays must be durable before the other is written over.
        let durable = self.common().data.sync();
        match durable.and_then(|()| self.write_data_root(&mut root)) {
            Ok(()) => {
                roots.data = root;
                Ok(())
            }
            Err(error) => {
                self.common().fence_quietly(&error.to_string());
                Err(error.to_string())
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.leave();
    }
}

impl DataSet {
    pub(crate) fn new(inner: Arc<Inner>, access: Access) -> DataSet {
        inner.handles.fetch_add(1, AcqRel);
        DataSet::counted(inner, access)
    }

    /// One more handle of an open data set; `None`: the last one is just being closed.
    pub(crate) fn another(inner: &Arc<Inner>, access: Access) -> Option<DataSet> {
        // A count that came to zero stays there: that handle closes.
        let one_more = |count: usize| (count > 0).then_some(count + 1);
        let counted = inner.handles.fetch_update(AcqRel, Acquire, one_more);
        counted.is_ok().then(|| DataSet::counted(inner.clone(), access))
    }

    /// A handle that is counted already.
    fn counted(inner: Arc<Inner>, access: Access) -> DataSet {
        DataSet {
            inner,
            access,
            counted: true,
            way: None,
        }
    }

    /// The same open, through a path.
    pub(crate) fn through(mut self, way: Way) -> DataSet {
        self.way = Some(Arc::new(way));
        self
    }

    /// What all its handles share.
    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// A new string: a position and a hold of its own. Any number, from any threads.
    pub fn string(&self) -> Str {
        self.show_way(self.string_on_base())
    }

    /// The same, and what it changes belongs to `unit`, which must be of the same engine. The first change of a data set
    /// that was never loaded ends the load.
    pub fn string_in(&self, unit: &UnitOfRecovery) -> Str {
        self.show_way(self.string_on_base().within(unit))
    }

    fn string_on_base(&self) -> Str {
        let id = self.inner.next_string.fetch_add(1, Relaxed);
        Str::new(self.inner.clone(), self.access, id)
    }

    fn show_way(&self, string: Str) -> Str {
        match &self.way {
            Some(way) => Str::through(self.inner.clone(), way.clone(), string),
            None => string,
        }
    }
    /// Attributes of the data component; through a path those of the base, as of a KSDS with the
    /// alternate key for the key.
    pub fn attributes(&self) -> &Attributes {
        match &self.way {
            Some(way) => way.attributes(),
            None => &self.inner.common().attributes,
        }
    }
    /// Attributes of the index component, where there is one.
    pub fn index_attributes(&self) -> Option<&Attributes> {
        self.inner.index_attributes.as_ref()
    }
    /// Statistics of data and index, up to now.
    pub fn statistics(&self) -> (Statistics, Statistics) {
        self.inner.statistics()
    }
    /// Index levels.
    pub fn levels(&self) -> u8 {
        self.inner.records.top().1
    }
    /// End of the used area in bytes (HI-U-RBA).
    pub fn high_used(&self) -> u64 {
        self.inner.common().data.high_used()
    }
    /// True from the open of a data set that was never loaded to the close.
    pub fn loading(&self) -> bool {
        self.inner.common().loading.load(Relaxed)
    }
    /// Makes everything acknowledged so far durable. Of a load, which is not logged: the control areas that are full;
    /// the records behind them become durable at close, whatever [`Durability`] says.
    ///
    /// # Errors
    /// 12/16: the write or sync failed; the data set is fenced.
    pub fn commit(&self) -> Result<(), RequestError> {
        self.inner.commit()
    }
    /// Commits the tree, so that nothing of the log is needed.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn checkpoint(&self) -> Result<(), RequestError> {
        self.inner.checkpoint()
    }
    /// Alternate indexes of the upgrade set that were never built, so that changes do not reach them (ACBERFLG 100).
    pub fn unbuilt(&self) -> &[String] {
        self.inner.sphere().map_or(&[], Sphere::unbuilt)
    }
    /// Checks the whole structure: every CI against its checksum, data against index, and the arithmetic of both.
    ///
    /// # Errors
    /// The data set is fenced.
    pub fn examine(&self) -> Result<crate::examine::Examination, RequestError> {
        self.inner.common().check_fence()?;
        self.inner.records.examine()
    }
    /// Closes this handle; the last one commits everything and lets go of the files.
    ///
    /// # Errors
    /// What could not be written; the data set is as of its last commit, and the log has what was acknowledged
    /// after it.
    pub fn close(mut self) -> Result<CloseReport, RequestError> {
        self.counted = false;
        // Of closes at the same time exactly one is the last.
        if self.inner.handles.fetch_sub(1, AcqRel) > 1 {
            return Ok(CloseReport { closed: false });
        }
        self.inner.close().map(|()| CloseReport { closed: true })
    }
}

impl Clone for DataSet {
    fn clone(&self) -> DataSet {
        let mut clone = DataSet::new(self.inner.clone(), self.access);
        clone.way.clone_from(&self.way);
        clone
    }
}

impl Drop for DataSet {
    fn drop(&mut self) {
        if self.counted && self.inner.handles.fetch_sub(1, AcqRel) == 1 {
            self.inner.leave();
        }
    }
}

/// The index root that the data root names.
pub(crate) fn read_index_root(file: &dyn File, path: &Path, data: &Root) -> Result<Root, OpenError> {
    let bad = |what: String| OpenError::Unusable {
        path: path.to_path_buf(),
        what,
    };
    let known = data.index_root;
    let root = read_copy(file, path, known.version & 1)?.map_err(|e| {
        bad(format!(
            "not the index component of {}: {e}",
            data.attributes.cluster_name
        ))
    })?;
    let bytes = root.encode().map_err(|e| bad(e.to_string()))?;
    if root.part != Part::Index || root.cluster != data.cluster {
        return Err(bad(format!(
            "belongs to {}, not to {}",
            root.attributes.cluster_name, data.attributes.cluster_name
        )));
    }
    if root.version != known.version || Root::checksum_of(&bytes) != known.checksum {
        return Err(bad(format!(
            "its root is version {}, the data component names version {}: the two files are not of the same moment",
            root.version, known.version
        )));
    }
    Ok(root)
}

/// May the data set be opened so?
fn check_open(root: &Root, options: OpenOptions) -> Result<(), OpenError> {
    let (a, never_loaded) = (&root.attributes, never_loaded(root));
    let refused = |what: &str| {
        Err(OpenError::Attributes {
            what: format!("{} {what}", a.cluster_name),
        })
    };
    if options.access == Access::Input && never_loaded {
        return refused("is empty: it was never loaded, so it cannot be opened for input");
    }
    if options.reset && (options.access != Access::Output || !(a.reuse || never_loaded || options.reset_anyway)) {
        return refused("cannot be reset: it was defined NOREUSE, or this open is for input");
    }
    Ok(())
}

/// How the data CIs are read and rendered.
fn data_codec(a: &Attributes) -> Codec {
    match a.organization {
        Organization::Rrds => {
            let slot = Some(a.maximum_record as usize);
            return Codec::Image { slot };
        }
        Organization::Lds => return Codec::Image { slot: None },
        _ => {}
    }
    let shape = shape(a);
    let average = (a.average_record as usize).clamp(shape.rkp + shape.key_len, a.ci_size as usize);
    let expected = a.ci_size as usize / average.max(8) + 8;
    Codec::Data { shape, expected }
}

fn index_component(
    shared: &Shared,
    file: Box<dyn File>,
    still: bool,
    path: &Path,
    data: &Root,
    root: &Root,
) -> Component {
    let base = BaseRba {
        ci_per_ca: data.attributes.ci_per_ca as u32,
        ci_size: data.attributes.ci_size,
        index_ci_size: root.attributes.ci_size,
    };
    let entry = 13 + shape(&data.attributes).key_len.min(32).next_multiple_of(4);
    let codec = Codec::Index { base, entry };
    let way = store::Way { direct: false, still };
    Component::new(shared.pool.clone(), file, way, path.to_path_buf(), root, codec)
}

/// The data set by its organization.
fn organized(
    common: Common,
    index: Option<Arc<Component>>,
    root: &Root,
    index_root: Option<&Root>,
) -> Result<Organized, OpenError> {
    match (root.attributes.organization, index, index_root) {
        (Organization::Ksds | Organization::Vrrds, Some(index), Some(index_root)) => {
            let index_cis = (index_root.high_used / index_root.attributes.ci_size as u64) as u32;
            let ksds = Ksds::new(common, index, root.top, root.levels, index_cis);
            Ok(Organized::Ksds(Arc::new(ksds)))
        }
        (organization, _, _) => {
            let intervals = Intervals::new(root.top, root.levels);
            unindexed(organization, common, intervals).ok_or_else(|| OpenError::Attributes {
                what: format!(
                    "{}: no record of its size fits a control interval, or its organization is not known here",
                    root.attributes.cluster_name
                ),
            })
        }
    }
}

/// The data set without an index; `None` for attributes with which it cannot be worked.
fn unindexed(organization: Organization, common: Common, intervals: Intervals) -> Option<Organized> {
    let slot = common.attributes.maximum_record as usize;
    match organization {
        Organization::Esds => Some(Organized::Esds(Arc::new(Esds::new(common, intervals)))),
        Organization::Rrds if slot > 0 && slots::per_ci(common.data.layout.ci_size, slot) > 0 => {
            Some(Organized::Rrds(Arc::new(Rrds::new(common, intervals))))
        }
        Organization::Lds => Some(Organized::Lds(Arc::new(Lds::new(common, intervals)))),
        _ => None,
    }
}

/// Whether nothing was ever stored. An LDS has no load, so it may be read from the first moment.
fn never_loaded(root: &Root) -> bool {
    root.levels == 0 && root.attributes.organization != Organization::Lds
}
