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

use crate::engine::{open_file, read_copy, Shared};
use crate::error::{OpenError, RequestError};
use crate::ksds::Ksds;
use crate::log::{Logged, Logger};
use crate::pool::Shape;
use crate::store::{Codec, Component};
use crate::string::Str;
use cica_disk::{File, Lock};
use cica_format::attributes::{Attributes, Organization};
use cica_format::index::BaseRba;
use cica_format::root::{LogPosition, Part, Root, Statistics};
use cica_format::table::Ref;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Weak};

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
    /// When changes are durable.
    pub durability: Durability,
}

impl OpenOptions {
    pub(crate) fn recovery() -> OpenOptions {
        OpenOptions {
            access: Access::Output,
            reset: false,
            durability: Durability::Commit,
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
    /// It is one of the handles of which the last closes.
    counted: bool,
}

pub(crate) struct Inner {
    pub ksds: Ksds,
    pub shared: Arc<Shared>,
    pub options: OpenOptions,
    data_path: PathBuf,
    index_path: PathBuf,
    pub index_attributes: Attributes,
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
}

/// The committed roots.
struct Roots {
    data: Root,
    index: Root,
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
        let a = root.attributes.clone();
        if a.organization != Organization::Ksds {
            return Err(OpenError::Attributes {
                what: format!("{}: its organization is not supported yet", a.cluster_name),
            });
        }
        let never_loaded = root.levels == 0;
        if options.access == Access::Input && never_loaded {
            return Err(OpenError::Attributes {
                what: format!(
                    "{} is empty: it was never loaded, so it cannot be opened for input",
                    a.cluster_name
                ),
            });
        }
        if options.reset && (options.access != Access::Output || (!a.reuse && !never_loaded)) {
            return Err(OpenError::Attributes {
                what: format!(
                    "{} cannot be reset: it was defined NOREUSE, or this open is for input",
                    a.cluster_name
                ),
            });
        }
        let write = options.access == Access::Output;
        let index_file = open_file(&*shared.env.disk, index, Lock::None, write)?;
        let index_root = read_index_root(&*index_file, index, &root)?;
        let base = BaseRba {
            ci_per_ca: a.ci_per_ca as u32,
            ci_size: a.ci_size,
            index_ci_size: index_root.attributes.ci_size,
        };
        let shape = Shape {
            rkp: a.key_offset as usize,
            key_len: a.key_length as usize,
        };
        let entry = 12 + shape.key_len.min(32).next_multiple_of(4);
        let average = (a.average_record as usize).clamp(shape.rkp + shape.key_len, a.ci_size as usize);
        let expected = a.ci_size as usize / average.max(8) + 8;
        let pool = shared.pool.clone();
        let data_part = Component::new(
            pool.clone(),
            file,
            data.to_path_buf(),
            &root,
            Codec::Data { shape, expected },
        );
        let index_part = Component::new(
            pool,
            index_file,
            index.to_path_buf(),
            &index_root,
            Codec::Index { base, entry },
        );
        data_part.read_tables()?;
        index_part.read_tables()?;
        let (data_part, index_part) = (Arc::new(data_part), Arc::new(index_part));
        data_part.register();
        index_part.register();
        let index_cis = (index_root.high_used / index_root.attributes.ci_size as u64) as u32;
        let ksds = Ksds::new(
            data_part,
            index_part,
            a,
            shared.log.clone(),
            root.top,
            root.levels,
            index_cis,
        );
        ksds.counters.records.store(root.statistics.records, Relaxed);
        ksds.loading.store(write && never_loaded, Relaxed);
        let inner = Inner {
            ksds,
            shared: shared.clone(),
            options,
            data_path: data.to_path_buf(),
            index_path: index.to_path_buf(),
            index_attributes: index_root.attributes.clone(),
            base: Mutex::new((root.statistics, index_root.statistics)),
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

    /// Changes will be logged.
    pub fn join_log(self: &Arc<Self>) {
        if self.options.access == Access::Output {
            let cluster = self.roots.lock().data.cluster;
            let weak: Weak<Inner> = Arc::downgrade(self);
            // The tree is complete as of now, in the counting of this process's log.
            self.roots.lock().data.log.lsn = self.shared.log.last();
            self.ksds
                .set_log_number(self.shared.log.join(cluster, &self.data_path, &self.index_path, weak));
        }
    }

    /// Another open in the same process.
    pub fn join(self: Arc<Self>, options: OpenOptions) -> Result<DataSet, OpenError> {
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
        if options.durability == Durability::Request {
            self.each_request.store(true, Relaxed);
        }
        Ok(DataSet::new(self))
    }

    pub fn data_path(&self) -> &Path {
        &self.data_path
    }

    fn reset(&self) -> Result<(), RequestError> {
        self.ksds.data.reset();
        self.ksds.index.reset();
        self.ksds.reset();
        self.ksds.counters.records.store(0, Relaxed);
        *self.base.lock() = Default::default();
        self.ksds.loading.store(true, Relaxed);
        self.changed.store(true, Relaxed);
        self.commit_tree(true)?;
        self.ksds.data.cut()?;
        self.ksds.index.cut()
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
        let (flush, over) = log.wants();
        if flush {
            self.flush_log()?;
        }
        if over {
            self.shared.start_over();
        } else if self.ksds.data.wants_commit() {
            let _gate = self.ksds.gate.write();
            self.commit_tree(false)?;
        }
        Ok(())
    }

    /// While loading: a CA was written.
    pub fn after_loaded_ca(&self) -> Result<(), RequestError> {
        let now = self.shared.env.clock.now();
        let due = self.last_commit.load(Relaxed) + 1_000_000_000 < now;
        match (self.options.durability, due && !self.ksds.attributes.speed) {
            (Durability::Close, true) => {
                let _gate = self.ksds.gate.write();
                self.commit_tree(false)
            }
            _ => Ok(()),
        }
    }

    fn flush_log(&self) -> Result<(), RequestError> {
        self.shared.log.flush(self.shared.log.last()).map_err(|why| {
            self.ksds.fence(&why);
            RequestError::Fenced { why }
        })
    }

    /// Makes everything acknowledged durable.
    pub fn commit(&self) -> Result<(), RequestError> {
        self.ksds.check_fence()?;
        if self.ksds.loading.load(Relaxed) {
            // A load is not logged: its complete CAs become durable.
            let _gate = self.ksds.gate.write();
            return self.commit_tree(false);
        }
        self.flush_log()
    }

    /// Commits the tree: data and index as they are in memory. The caller keeps the gate exclusively. `last`: the
    /// data set
    /// is complete without any log afterwards.
    pub fn commit_tree(&self, last: bool) -> Result<(), RequestError> {
        self.ksds.check_fence()?;
        if !self.changed.load(Relaxed) {
            return Ok(());
        }
        self.try_commit(last)
            .inspect_err(|error| self.ksds.fence(&error.to_string()))
    }

    /// Commits the tree with no log named, though more changes may follow.
    pub fn commit_without_log(&self) -> Result<(), RequestError> {
        self.ksds.check_fence()?;
        if !self.changed.load(Relaxed) {
            return Ok(());
        }
        self.try_commit(true)
            .inspect_err(|error| self.ksds.fence_quietly(&error.to_string()))?;
        self.changed.store(true, Relaxed);
        Ok(())
    }

    fn try_commit(&self, last: bool) -> Result<(), RequestError> {
        let (data, index) = (&self.ksds.data, &self.ksds.index);
        let index_changed = index.is_changed() || self.index_used() != self.roots.lock().index.high_used;
        data.write_changes()?;
        index.write_changes()?;
        let mut roots = self.roots.lock();
        let (mut data_root, mut index_root) = (roots.data.clone(), roots.index.clone());
        data.describe(&mut data_root);
        let (top, levels) = self.ksds.top();
        (data_root.top, data_root.levels) = (top, levels);
        let (data_statistics, index_statistics) = self.statistics();
        data_root.statistics = data_statistics;
        if index_changed {
            index.describe(&mut index_root);
            (index_root.top, index_root.levels) = (top, levels);
            index_root.high_used = self.index_used();
            index_root.statistics = index_statistics;
            index_root.version += 1;
            let checksum = index.write_root(&index_root)?;
            data_root.index_root = Ref {
                version: index_root.version,
                checksum,
            };
            index.sync()?;
        }
        data.sync()?;
        data_root.version += 1;
        data_root.log = self.log_position(&roots.data.log, last);
        data.write_root(&data_root)?;
        data.sync()?;
        if last {
            // The same root into the other copy: damage to either is harmless then. It need not be durable now
            // (whatever
            // overwrites the first copy syncs before), so its failure takes nothing away.
            data_root.version += 1;
            if data.write_root(&data_root).is_err() {
                data_root.version -= 1;
            }
        }
        *roots = Roots {
            data: data_root,
            index: index_root,
            last: self.closing.load(Relaxed),
        };
        data.committed();
        index.committed();
        self.last_commit.store(self.shared.env.clock.now(), Relaxed);
        if last {
            self.changed.store(false, Relaxed);
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
        self.ksds.index_cis() as u64 * self.index_attributes.ci_size as u64
    }

    /// Statistics of data and index now.
    fn statistics(&self) -> (Statistics, Statistics) {
        let (mut data, mut index) = *self.base.lock();
        let c = &self.ksds.counters;
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
            (&mut data.excps, &self.ksds.data.excps),
            (&mut index.excps, &self.ksds.index.excps),
        ] {
            *total += new.load(Relaxed);
        }
        data.free_space = self.ksds.data.free_space();
        index.records = self.ksds.index_cis() as u64;
        index.free_space = self.ksds.index.allocated().0.saturating_sub(self.index_used());
        if self.changed.load(Relaxed) {
            data.last_change = self.shared.env.clock.now();
            index.last_change = data.last_change;
        }
        (data, index)
    }

    fn close(&self) -> Result<(), RequestError> {
        let gate = self.ksds.gate.write();
        let mut done = self.ksds.check_fence();
        if done.is_ok() && self.ksds.loader.lock().is_some() {
            self.changed.store(true, Relaxed);
            done = self.ksds.end_load();
        }
        if done.is_ok() {
            self.closing.store(true, Relaxed);
            done = self.commit_tree(true);
        }
        drop(gate);
        self.leave();
        done
    }

    /// Lets go of everything without committing.
    pub fn leave(&self) {
        if self.has_left() {
            return;
        }
        // Between "left" and the log's knowing it the log must not start over: it may hold requests that only it has.
        let logs = self
            .ksds
            .log_number()
            .map(|number| (number, self.shared.starting_over.lock()));
        if self.left.swap(true, AcqRel) {
            return;
        }
        self.ksds.fence_quietly("it was closed");
        {
            // Changes that are under way end at the fence; a flush names no log in a root that nobody will commit.
            let _gate = self.ksds.gate.write();
            self.roots.lock().last = true;
            self.ksds.data.leave_pool();
            self.ksds.index.leave_pool();
        }
        if let Some((number, quiet)) = logs {
            let complete = !self.changed.load(Relaxed);
            if self.shared.log.leave(number, complete) {
                self.shared.detach_log(&quiet);
            }
        }
    }

    pub fn has_left(&self) -> bool {
        self.left.load(Acquire)
    }

    /// Does a logged request again, unless the tree has it (R5).
    pub fn replay(&self, lsn: u64, logged: &Logged) -> Result<(), OpenError> {
        if lsn <= self.roots.lock().data.log.lsn {
            return Ok(());
        }
        self.changed.store(true, Relaxed);
        let done = match logged {
            Logged::Insert(_, record) => self.ksds.insert(record, Default::default()).map(drop),
            Logged::Update(_, record) => self.ksds.update(record, None).map(drop),
            Logged::Erase(_, key) => self.ksds.erase(key, None),
            Logged::DataSet { .. } => Ok(()),
        };
        done.map_err(|error| OpenError::Unusable {
            path: self.data_path.clone(),
            what: format!("recovery: logged request {lsn} cannot be done again: {error}"),
        })
    }

    /// All logged requests are done: the data set is complete.
    pub fn end_recovery(&self) -> Result<(), OpenError> {
        self.changed.store(true, Relaxed);
        let _gate = self.ksds.gate.write();
        self.commit_tree(true).map_err(|error| OpenError::Unusable {
            path: self.data_path.clone(),
            what: format!("recovery: {error}"),
        })
    }
}

impl Logger for Inner {
    fn name_log(&self, log: u64, path: &str) -> Result<(), String> {
        let mut roots = self.roots.lock();
        if roots.last {
            return Ok(());
        }
        let mut root = roots.data.clone();
        root.version += 1;
        root.log = LogPosition {
            log,
            path: path.to_string(),
            lsn: root.log.lsn,
        };
        // The copy that stays must be durable before the other is written over.
        let data = &self.ksds.data;
        let written = data
            .sync()
            .and_then(|()| data.write_root(&root))
            .and_then(|_| data.sync());
        match written {
            Ok(()) => {
                roots.data = root;
                Ok(())
            }
            Err(error) => {
                self.ksds.fence_quietly(&error.to_string());
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
    pub(crate) fn new(inner: Arc<Inner>) -> DataSet {
        inner.handles.fetch_add(1, AcqRel);
        DataSet { inner, counted: true }
    }

    /// A new string: a position and a hold of its own. Any number, from any threads.
    pub fn string(&self) -> Str {
        Str::new(self.inner.clone(), self.inner.next_string.fetch_add(1, Relaxed))
    }
    /// Attributes of the data component.
    pub fn attributes(&self) -> &Attributes {
        &self.inner.ksds.attributes
    }
    /// Attributes of the index component.
    pub fn index_attributes(&self) -> &Attributes {
        &self.inner.index_attributes
    }
    /// Statistics of data and index, up to now.
    pub fn statistics(&self) -> (Statistics, Statistics) {
        self.inner.statistics()
    }
    /// Index levels.
    pub fn levels(&self) -> u8 {
        self.inner.ksds.top().1
    }
    /// End of the used area in bytes (HI-U-RBA).
    pub fn high_used(&self) -> u64 {
        self.inner.ksds.data.high_used()
    }
    /// True from the open of a data set that was never loaded to the close.
    pub fn loading(&self) -> bool {
        self.inner.ksds.loading.load(Relaxed)
    }
    /// Makes everything acknowledged so far durable.
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
        let _gate = self.inner.ksds.gate.write();
        self.inner.commit_tree(false)
    }
    /// Checks the whole structure: every CI against its checksum, data against index, and the arithmetic of both.
    ///
    /// # Errors
    /// The data set is fenced.
    pub fn examine(&self) -> Result<crate::examine::Examination, RequestError> {
        self.inner.ksds.check_fence()?;
        crate::examine::examine(&self.inner.ksds)
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
        DataSet::new(self.inner.clone())
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
