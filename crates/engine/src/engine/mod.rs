//! The owner: one per process. It has the pool, the log and the data sets that are open.

mod in_doubt;
mod path;
mod sphere;

pub use in_doubt::InDoubt;

use crate::buffers::{PoolBuffers, PoolError, ResourcePool};
use crate::dataset::DataSet;
use crate::definition::{self, Definition};
use crate::error::OpenError;
use crate::files::{files, new_file, open_as, open_file, peek, read_index_root, sync_directory};
use crate::locks::{LockCounts, LockLine, LockOwner};
use crate::open::{Env, Handle, OpenDataSet, Shared};
use crate::recovery::recover;
use crate::request::{Access, OpenOptions};
use crate::roots::{read_root, read_root_and_twin, write_over_torn_root, write_root};
use crate::sync::atomic::Ordering::Relaxed;
use crate::unit::UnitOfRecovery;
use crate::volumes::{mark_volume, Volumes};
use cica_counters::{layout, Counted, ProcessIdentity, Watcher};
use cica_disk::{Cells, Disk, File, Lock, Open};
use cica_format::attributes::Attributes;
use cica_format::root::{BuiltFrom, LogPosition, Part, Root, Stamp, Statistics};
use cica_format::table::Ref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// See the module; clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

impl Engine {
    /// An engine; nothing is opened or started yet.
    ///
    /// # Errors
    /// The system has no address space for the pool.
    pub fn new(env: Env) -> std::io::Result<Engine> {
        let shared = Arc::new(Shared::new(env)?);
        Ok(Engine { shared })
    }

    /// A unit of recovery. It begins with its first change.
    pub fn unit(&self) -> UnitOfRecovery {
        UnitOfRecovery::new(&self.shared)
    }

    /// A unit of recovery whose records are kept by `owner`, so that the owner's locks are no obstacle to it. An owner
    /// has one such unit at a time.
    pub fn unit_of(&self, owner: &LockOwner) -> UnitOfRecovery {
        UnitOfRecovery::of(&self.shared, owner)
    }

    /// Tries again to take back the units of recovery that could not be when they were dropped, as each open does, and
    /// returns how many are left. Their records are retained meanwhile: whoever wants one of them is refused (8/24).
    pub fn retry_shunted(&self) -> usize {
        self.shared.retry_shunted()
    }

    /// An owner of locks: strings that are given to it ([`Str::owned_by`](crate::Str::owned_by)) have their locks
    /// together. Others are told `label` when they meet one.
    pub fn lock_owner(&self, label: &str) -> LockOwner {
        LockOwner::new(&self.shared.locks, label)
    }

    /// Notes the time for what is locked from now on, so that [`lock_lines`](Self::lock_lines) can tell since when.
    /// Whoever shows those says so a few times a second.
    pub fn tick(&self) {
        self.shared.locks.tick();
    }

    /// What is locked now, and who waits; not all of one moment.
    pub fn lock_lines(&self) -> Vec<LockLine> {
        let mut lines = self.shared.locks.lines();
        let names = self.shared.names_of_open();
        for line in &mut lines {
            line.data_set = names.get(&line.set).cloned();
        }
        lines
    }

    /// What the lock table has counted.
    pub fn lock_counts(&self) -> LockCounts {
        self.shared.locks.counts()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Builds a pool of buffers that opens share ([`Buffering::pool`](crate::Buffering::pool)): BLDVRP TYPE=LSR. Others see
    /// what it counts, and all else, only where [`show_counts`](Self::show_counts) was said before.
    ///
    /// # Errors
    /// There is one with this number, or a size or a count is wrong.
    pub fn build_pool(&self, number: u8, buffers: &PoolBuffers) -> Result<Arc<ResourcePool>, PoolError> {
        let cells = self
            .shared
            .counted()
            .head(layout::LSR, layout::LSR_SIZES * layout::LSR_LINES);
        self.shared.resource_pools.build(number, buffers, &cells)
    }

    /// Deletes one: DLVRP.
    ///
    /// # Errors
    /// There is none, or data sets are open that share it.
    pub fn delete_pool(&self, number: u8) -> Result<(), PoolError> {
        self.shared.resource_pools.delete(number)
    }

    /// The one with this number.
    pub fn resource_pool(&self, number: u8) -> Option<Arc<ResourcePool>> {
        self.shared.resource_pools.get(number)
    }

    /// The buffer pool's bound and what is charged to it, in bytes.
    pub fn pool_use(&self) -> (usize, usize) {
        (self.shared.pool.limit(), self.shared.pool.charged())
    }

    /// How many data sets were dropped, not closed, while the log had what the tree on the volume had not; and how many
    /// closes by a drop failed. Each of them is as [`DataSet`] says of a drop.
    pub fn left_uncommitted(&self) -> u64 {
        self.shared.left_uncommitted.load(Relaxed)
    }

    /// Where its logs are.
    pub fn log_directory(&self) -> &Path {
        &self.shared.env.log_dir
    }

    /// Extents of what is opened from now on come from these volumes. To be said once; without it each component has
    /// one volume without an end.
    pub fn set_volumes(&self, volumes: Arc<dyn Volumes>) {
        self.shared.say_volumes(volumes);
    }

    /// What is counted is seen by others in a file of this directory, in which this process is called so. To be said
    /// before the first data set is opened; without it nobody sees it.
    pub fn show_counts(&self, directory: PathBuf, process: ProcessIdentity) {
        self.shared.show_counts(directory, process);
    }

    /// Who is told of opens and closes from now on. To be said once.
    pub fn watch(&self, watcher: Arc<dyn Watcher>) {
        let _ = self.shared.watcher.set(watcher);
    }

    /// Is given the cells in which the SMF records of this process are counted, and those of its pool, when there are
    /// some.
    pub fn count_smf(&self, show: impl FnOnce(Cells, Cells) + Send + 'static) {
        *self.shared.show_smf.lock() = Some(Box::new(show));
    }

    /// What all processes show that have their files there, this one too.
    pub fn counted_by_all(&self) -> Counted {
        self.shared.counted_by_all()
    }

    /// The log starts over after so many bytes. Unless this says so it is a quarter of the pool, at least 64 MiB and at
    /// most 256: that bounds what recovery has to read.
    /// It concerns logs that are taken from now on.
    pub fn start_log_over_after(&self, bytes: u64) {
        self.shared.log.start_over_after(bytes);
    }

    /// The log starts over as soon as a checkpoint writes little beside what was logged: others wait for whoever
    /// recovers it (`docs/design/0053`). Its longest epoch stays as it is.
    pub fn start_log_over_soon(&self) {
        self.shared.log.start_over_soon();
    }

    /// Recovery does requests of keyed data sets in neighbourhoods of so many, 256 unless this says otherwise; with 0
    /// in the order of the log.
    pub fn recover_in_neighbourhoods_of(&self, requests: usize) {
        self.shared.neighbourhood.store(requests, Relaxed);
    }

    /// A close after many changes gives space back to the file system if it is at least so many bytes, 16 MiB unless
    /// this says otherwise: less is not worth the syncs.
    pub fn give_back_from(&self, bytes: u64) {
        self.shared.give_back_from.store(bytes, Relaxed);
    }

    /// Makes the files of an empty cluster. On failure nothing is left behind.
    ///
    /// # Errors
    /// `Attributes`: data set or index could come to a request for which there is no room; `Exists`, `Io`.
    pub fn create(&self, def: &Definition) -> Result<(), OpenError> {
        self.create_instead(def, None)
    }

    /// The same for one that takes the place of another, which has this root and the same records: what its alternate
    /// indexes, or its base, are known to be stays known.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_instead(&self, def: &Definition, of: Option<&Root>) -> Result<(), OpenError> {
        let def = &Definition {
            data: definition::settled(def),
            ..def.clone()
        };
        definition::check(&def.data, def.index.as_ref())?;
        let disk = &*self.shared.env.disk;
        let done = self.create_files(def, of);
        if let Err(error) = &done {
            if !matches!(error, OpenError::Exists { .. }) {
                for path in files(&def.data_path, &def.index_path) {
                    // What cannot be removed is no data set: it has no root, and the caller is told why.
                    let _ = disk.remove(path);
                }
            }
        }
        done
    }

    fn create_files(&self, def: &Definition, of: Option<&Root>) -> Result<(), OpenError> {
        for path in files(&def.data_path, &def.index_path) {
            if self.shared.env.disk.open(path, Open::default()).is_ok() {
                return Err(OpenError::Exists {
                    path: path.to_path_buf(),
                });
            }
        }
        let cluster = self.new_id(&def.data_path, 0);
        let mut data = new_root(Part::Data, self.new_id(&def.data_path, 1), cluster, &def.data);
        if let Some(of) = of {
            (data.lineage, data.stamp, data.built_from) = (of.lineage(), of.stamp, of.built_from);
            data.ties.clone_from(&of.ties);
            data.log.origin = of.log.origin;
        }
        if let Some(attributes) = &def.index {
            let mut index = new_root(Part::Index, self.new_id(&def.index_path, 2), cluster, attributes);
            let checksum = self.create_file(&def.index_path, &mut index)?;
            data.index_root = Ref {
                version: index.version,
                checksum,
            };
        }
        self.create_file(&def.data_path, &mut data)?;
        mark_volume(self.disk(), &def.data_path)?;
        for path in files(&def.data_path, &def.index_path) {
            if let Some(directory) = path.parent() {
                sync_directory(self.disk(), directory)?;
            }
        }
        Ok(())
    }

    fn create_file(&self, path: &Path, root: &mut Root) -> Result<u32, OpenError> {
        write_root(&*new_file(self.disk(), path)?, path, root)
    }

    /// An id that no other component has: of the time, the file name and a salt.
    pub(crate) fn new_id(&self, path: &Path, salt: u8) -> u64 {
        let time = self.shared.env.clock.now();
        let name = cica_format::checksum::crc32c(path.as_os_str().as_encoded_bytes()) as u64;
        (time ^ name << 32 ^ (salt as u64) << 62).max(1)
    }

    /// Reads the root of a data component without opening the data set: attributes and statistics as of the last
    /// commit.
    pub fn peek(&self, data: &Path) -> Result<Root, OpenError> {
        peek(self.disk(), data)
    }

    /// Reads the index component's root that the data component names.
    pub fn peek_index(&self, data: &Path, index: &Path) -> Result<Root, OpenError> {
        let root = self.peek(data)?;
        let file = open_file(self.disk(), index, Lock::None, false)?;
        read_index_root(&*file, (data, index), &root)
    }

    /// Changes attributes of a closed cluster in its files, atomically. `index` is empty where there is none, and
    /// `change` then sees a copy of the data component's in its place.
    ///
    /// # Errors
    /// As [`open`](Self::open) for output; `InUse` also where it would get another name, or be another alternate index,
    /// and a unit of recovery in doubt has changed it; `Attributes`: what `change` made of the attributes cannot be, or not for a
    /// data set that has been loaded, and nothing is changed.
    pub fn alter(
        &self,
        data: &Path,
        index: &Path,
        change: impl FnOnce(&mut Attributes, &mut Attributes),
    ) -> Result<(), OpenError> {
        let file = self.open_closed(data, index)?;
        let mut root = read_root(&*file, data)?;
        let index_part = if root.attributes.organization.has_index() {
            let index_file = open_file(self.disk(), index, Lock::None, true)?;
            let index_root = read_index_root(&*index_file, (data, index), &root)?;
            Some((index_file, index_root))
        } else {
            None
        };
        let mut altered = root.attributes.clone();
        let mut index_altered = index_part
            .as_ref()
            .map_or(altered.clone(), |(_, r)| r.attributes.clone());
        change(&mut altered, &mut index_altered);
        let was = &root.attributes;
        if altered.cluster_name != was.cluster_name || altered.alternate != was.alternate {
            // Who decides about the unit finds the data set by its name, and opens it with the indexes that it had
            // (condemned:X4).
            self.shared.check_not_in_doubt(data, root.cluster)?;
        }
        let never_loaded = root.levels == 0;
        if never_loaded {
            definition::check(&altered, index_part.as_ref().map(|_| &index_altered))?;
        } else {
            definition::check_change(&root.attributes, &altered)?;
        }
        let settle = |root: &mut Root, attributes| {
            root.attributes = attributes;
            if never_loaded {
                // Nothing is allocated beyond what the definition says.
                root.high_allocated = root.attributes.primary;
            }
        };
        // The newest copies may not be durable yet; the ones before them are about to go.
        file.sync().map_err(|error| OpenError::Io {
            path: data.to_path_buf(),
            doing: "sync",
            error,
        })?;
        write_over_torn_root(&*file, data, &mut root)?;
        if let Some((index_file, mut index_root)) = index_part {
            settle(&mut index_root, index_altered);
            index_root.version += 1;
            let checksum = write_root(&*index_file, index, &index_root)?;
            root.index_root = Ref {
                version: index_root.version,
                checksum,
            };
        }
        settle(&mut root, altered);
        for _ in 0..2 {
            // Both copies, one after the other, so that damage to either later is harmless.
            root.version += 1;
            write_root(&*file, data, &root)?;
        }
        Ok(())
    }

    pub(crate) fn shared_disk(&self) -> Arc<dyn Disk> {
        self.shared.env.disk.clone()
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.shared.env.disk
    }

    /// Does what a dead owner left in its log, if that is due.
    pub(crate) fn complete(&self, data: &Path, index: &Path) -> Result<(), OpenError> {
        self.open_closed(data, index).map(drop)
    }

    /// The data file of a cluster that nobody has open, locked, after recovery if that is due.
    pub(crate) fn open_closed(&self, data: &Path, index: &Path) -> Result<Box<dyn File>, OpenError> {
        let file = self.open_for_itself(data)?;
        let root = read_root(&*file, data)?;
        if root.log.log == 0 {
            return Ok(file);
        }
        drop(file);
        recover(&self.shared, data, index, &root)?;
        self.open_for_itself(data)
    }

    /// A data file that nobody has open, locked. Where this process has it open the refusal says so.
    pub(crate) fn open_for_itself(&self, data: &Path) -> Result<Box<dyn File>, OpenError> {
        let has_it = || {
            // What it gives may be the last of it, and is dropped when the table is free again.
            let open = self.shared.opened(&[data]).get(data);
            open.is_some()
        };
        open_file(self.disk(), data, Lock::Exclusive, true).map_err(|error| match error {
            OpenError::InUse { path, by: None, .. } if has_it() => OpenError::InUse {
                path,
                why: "this process has it open; close it first",
                by: None,
            },
            error => error,
        })
    }

    /// Opens a cluster; `index` is not looked at where the organization has none. If its last owner died, that owner's
    /// log is replayed first, for all its data sets.
    pub fn open(&self, data: &Path, index: &Path, options: OpenOptions) -> Result<DataSet, OpenError> {
        let handle = self.open_alone(data, index, options)?;
        let handle = handle.with_buffers(options.buffers)?;
        Ok(DataSet::from(handle.watched(options)))
    }

    /// The same, for what works without strings. Nobody is told of it yet.
    fn open_alone(&self, data: &Path, index: &Path, options: OpenOptions) -> Result<Handle, OpenError> {
        self.shared.owner.check_open(data)?;
        self.shared.retry_shunted();
        self.shared.forget_decided()?;
        let mut open = loop {
            let open = self.shared.opened(&[data]);
            let Some(inner) = open.get(data) else { break open };
            if let Some(joined) = inner.join(options)? {
                return Ok(joined);
            }
        };
        let inner = self.open_first(data, index, options)?;
        inner.join_log()?;
        open.insert(&inner);
        Ok(Handle::new(inner, options.access))
    }

    /// Opens a cluster that this process has not open, after recovery if that is due. It does not log yet.
    pub(crate) fn open_first(
        &self,
        data: &Path,
        index: &Path,
        options: OpenOptions,
    ) -> Result<Arc<OpenDataSet>, OpenError> {
        let write = options.access == Access::Output;
        let mut how = Open {
            write,
            lock: if write || options.alone {
                Lock::Exclusive
            } else {
                Lock::Shared
            },
            window: self.shared.window(),
            ..Open::default()
        };
        for _ in 0..8 {
            let file = open_as(&*self.shared.env.disk, data, how)?;
            let (root, is_durable) = read_root_and_twin(&*file, data)?;
            if root.log.log != 0 {
                drop(file);
                recover(&self.shared, data, index, &root)?;
            } else if self.shared.is_direct(options.io, &root) && !how.direct {
                how.direct = true;
            } else {
                if !is_durable {
                    // R11.
                    file.sync().map_err(|error| OpenError::Io {
                        path: data.to_path_buf(),
                        doing: "sync",
                        error,
                    })?;
                }
                if options.reset {
                    // condemned:X4.
                    self.shared.check_not_in_doubt(data, root.cluster)?;
                }
                let inner = OpenDataSet::open(&self.shared, file, root, data, index, options)?;
                return match self.shared.retain_in_doubt(&inner) {
                    Ok(()) => Ok(inner),
                    Err(error) => {
                        inner.leave();
                        Err(error)
                    }
                };
            }
        }
        Err(OpenError::Unusable {
            path: data.to_path_buf(),
            what: "recovery does not come to an end".into(),
        })
    }
}

fn new_root(part: Part, component: u64, cluster: u64, attributes: &Attributes) -> Root {
    Root {
        version: 1,
        part,
        component,
        cluster,
        attributes: attributes.clone(),
        log: LogPosition::default(),
        lineage: 0,
        stamp: Stamp::default(),
        built_from: BuiltFrom::default(),
        ties: Vec::new(),
        statistics: Statistics::default(),
        sizes: None,
        dictionaries: Default::default(),
        last_dictionary: 0,
        ca_count: 0,
        free_ca: u32::MAX,
        region_count: 0,
        free_regions: Vec::new(),
        top: u32::MAX,
        levels: 0,
        index_root: Ref::default(),
        high_used: 0,
        high_allocated: attributes.primary,
        extents: 1,
        further_extents: Vec::new(),
        tables: Vec::new(),
    }
}
