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

mod build;
mod commit;
mod gather;
mod redo;
mod units;

use build::{check_open, data_codec, index_component, never_loaded, organized};

use crate::common::Common;
use crate::engine::Shared;
use crate::error::{OpenError, RequestError};
use crate::examine::Examination;
use crate::files::{open_as, read_index_root};
use crate::organized::Organized;
use crate::pool::MOST_COMPONENTS;
use crate::request::{Access, CloseReport, Durability, Intent, OpenOptions};
use crate::roots::write_over_torn_root;
use crate::sphere::{Sphere, Ties, Way};
use crate::store::{self, Component};
use crate::string::Str;
use crate::sync::atomic::Ordering::*;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use crate::sync::{Condvar, Mutex};
use crate::unit::UnitOfRecovery;
use cica_disk::{File, Open};
use cica_format::attributes::{Attributes, Organization};
use cica_format::root::{Root, Statistics};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

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
    /// LSN up to which the committed tree has the requests.
    committed: AtomicU64,
    /// Id of the log that was to be named early the last time.
    named_early: AtomicU64,
    /// Version of the last root that names no log.
    sealed: AtomicU32,
    /// Which open of the data set this is, if it logs.
    origin: AtomicU64,
    /// The state of an alternate index, and what a base knows of its alternate indexes.
    pub ties: Ties,
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
        mut root: Root,
        data: &Path,
        index: &Path,
        options: OpenOptions,
    ) -> Result<Arc<Inner>, OpenError> {
        check_open(&root, options)?;
        let never_loaded = never_loaded(&root);
        let write = options.access == Access::Output;
        let file: Arc<dyn File> = file.into();
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
            file.clone(),
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
        if write {
            // Not before all that an open reads has been read: nothing is written to files that are refused.
            write_over_torn_root(&*file, data, &mut root)?;
        }
        let data_part = Arc::new(data_part);
        let index_part = index_part.map(Arc::new);
        let parts = [Some(&data_part), index_part.as_ref()];
        for part in parts.into_iter().flatten() {
            if !part.register() {
                parts.into_iter().flatten().for_each(|part| part.leave_pool());
                return Err(OpenError::Memory {
                    path: data.to_path_buf(),
                    what: format!(
                        "{MOST_COMPONENTS} components are open in this process, and there is no number for another; \
                         close some data sets"
                    ),
                });
            }
            part.set_volumes(shared.volumes());
        }
        let common = Common::new(data_part, root.attributes.clone(), shared.log.clone());
        common.counters.records.store(root.statistics.records, Relaxed);
        common.loading.store(write && never_loaded, Relaxed);
        let records = organized(common, index_part, &root, index_root.as_ref())?;
        let (sealed, ties) = (root.version, Ties::of(&root));
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
            committed: AtomicU64::new(0),
            named_early: AtomicU64::new(0),
            sealed: AtomicU32::new(sealed),
            origin: AtomicU64::new(0),
            ties,
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
            Access::Output => {
                self.name_log_before_change();
                self.common().check_fence()
            }
            Access::Input => Err(RequestError::Access { what }),
        }
    }

    /// Law 6: before the first change its root names the log, and so do those of its alternate indexes.
    #[inline]
    fn name_log_before_change(&self) {
        let log = self.shared.log.claimed();
        if (log == 0 || self.named_early.load(Relaxed) != log) && !self.common().loading.load(Relaxed) {
            self.name_log_early_in_all();
        }
    }

    #[cold]
    fn name_log_early_in_all(&self) {
        let log = &self.shared.log;
        let members = self.sphere().into_iter().flat_map(Sphere::members);
        for number in std::iter::once(self)
            .chain(members)
            .filter_map(|inner| inner.common().log_number())
        {
            log.name_early(number);
        }
        self.named_early.store(log.claimed(), Relaxed);
    }

    /// Changes will be logged.
    pub fn join_log(self: &Arc<Self>) {
        if self.options.access == Access::Output {
            let cluster = self.roots.lock().data.cluster;
            let weak: Weak<Inner> = Arc::downgrade(self);
            // The tree is complete as of now, in the counting of this process's log.
            let last = self.shared.log.last();
            let mut roots = self.roots.lock();
            roots.data.log.lsn = last;
            // Above those of all opens before, whatever the clock says.
            let before = roots.data.log.origin.max(self.ties.latest_origin());
            self.origin.store(self.shared.env.clock.now().max(before + 1), Relaxed);
            drop(roots);
            self.committed.store(last, Relaxed);
            self.common()
                .set_log_number(self.shared.log.join(cluster, &self.data_path, &self.index_path, weak));
        }
    }

    /// Which open of the data set this is, if it logs.
    pub fn origin(&self) -> u64 {
        self.origin.load(Relaxed)
    }

    /// Which open of it changed it last.
    pub fn changed_by(&self) -> u64 {
        self.roots.lock().data.log.origin.max(self.origin())
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
        self.common().note_change();
        self.commit_tree(true)?;
        // Both copies of the root are to name no region that is cut off.
        self.common().data.sync()?;
        self.common().data.cut()?;
        self.records.index().map_or(Ok(()), |index| index.cut())
    }

    /// After the first change: what makes it durable though nobody asks is started.
    #[inline]
    fn start_flusher(&self) {
        if self.options.durability == Durability::Close && !self.shared.has_flusher() {
            self.shared.start_flusher();
        }
    }

    /// What comes after a change has been done and its latch and gate are gone.
    #[inline]
    pub fn after_change(&self) -> Result<(), RequestError> {
        self.start_flusher();
        if self.each_request.load(Relaxed) {
            self.flush_log()?;
        }
        let log = &self.shared.log;
        let wants = log.wants();
        if wants.tail {
            log.lengthen_tail();
        }
        // It may let a log go that failed, which a flush would only tell of.
        if wants.long {
            self.shared.end_epoch(wants.overdue);
        }
        if wants.flush && log.wants().flush {
            self.flush_log()?;
        }
        if !wants.long && (self.wants_commit() || self.sphere().is_some_and(Sphere::wants_commit)) {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Is there anything that the committed tree has not?
    pub fn has_changed(&self) -> bool {
        self.common().has_changed()
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
            self.common().note_change();
            done = self.records.end_load();
        }
        if done.is_ok() {
            self.note_closing();
            done = self.commit_tree(true).and_then(|()| self.give_back());
        }
        // Whoever waits for the gate comes too late: nobody would commit what it changes.
        self.common().fence_quietly("it was closed");
        drop(gate);
        self.leave();
        done
    }

    /// Lets go of everything without committing.
    pub fn leave(&self) {
        if self.shared.owner.is_parent() {
            return;
        }
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
            if self.has_changed()
                && logs
                    .as_ref()
                    .is_some_and(|(number, _)| self.shared.log.has_others(*number))
            {
                // They will write the group that has its requests, and its root must name the log before (W3). If this
                // fails, the log answers nothing more.
                let _ = self.shared.log.flush(self.shared.log.last());
            }
            self.roots.lock().last = true;
            self.common().data.leave_pool();
            if let Some(index) = self.records.index() {
                index.leave_pool();
            }
        }
        if let Some((number, quiet)) = logs {
            let complete = !self.has_changed();
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
    /// Bytes of a linear data set, to the end of the last CI ever written; of one with records nothing.
    pub fn linear_length(&self) -> Option<u64> {
        match &self.inner().records {
            Organized::Lds(lds) => Some(lds.length()),
            _ => None,
        }
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
        self.inner.shared.owner.check()?;
        self.inner.commit()
    }
    /// Commits the tree, so that nothing of the log is needed.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn checkpoint(&self) -> Result<(), RequestError> {
        self.inner.shared.owner.check()?;
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
    pub fn examine(&self) -> Result<Examination, RequestError> {
        self.inner.common().check_fence()?;
        self.inner.records.examine()
    }
    /// Closes this handle; the last one commits everything and lets go of the files. Behind the close of another one
    /// for output everything acknowledged is durable too: a load ends by it, and from then on is logged.
    ///
    /// # Errors
    /// What could not be written; the data set is as of its last commit, and the log has what was acknowledged
    /// after it.
    pub fn close(mut self) -> Result<CloseReport, RequestError> {
        self.inner.shared.owner.check()?;
        let mut durable = match self.access {
            Access::Output => None,
            Access::Input => Some(Ok(())),
        };
        let handles = &self.inner.handles;
        // Durable while its own handle counts: meanwhile nobody is the last. Of closes at the same time exactly one is.
        loop {
            let count = handles.load(Acquire);
            if count > 1 && durable.is_none() {
                durable = Some(self.inner.commit_all());
            } else if handles.compare_exchange(count, count - 1, AcqRel, Acquire).is_ok() {
                self.counted = false;
                return match count {
                    1 => self.inner.close().map(|()| CloseReport { closed: true }),
                    _ => durable.unwrap_or(Ok(())).map(|()| CloseReport { closed: false }),
                };
            }
        }
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
