//! [`Counted`]: a disk that counts what is asked of it, so that tests and benchmarks can state what an operation
//! costs in calls, bytes and syncs.

use crate::{Begun, Cells, Disk, File, Holder, Mapped, Open, ReadAt, ReadInto, StreamMode, WriteAt};
use std::io;
use std::ops::Sub;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// A disk and the counts of what went through it. Clones count together.
#[derive(Debug, Clone)]
pub struct Counted<D> {
    disk: D,
    totals: Arc<Totals>,
}

/// What was asked of a disk. A call that fails counts; bytes count as asked for writes and as got for reads.
///
/// On Linux a call with one read or write is one system call, `sync` and `size(None)` are one, `size(Some(_))` two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls of `open`, `begin` and `stream`.
    pub opens: u64,
    /// Calls of `read`.
    pub reads: u64,
    /// Single reads in their batches.
    pub read_requests: u64,
    /// Bytes these got.
    pub read_bytes: u64,
    /// Calls of `write`.
    pub writes: u64,
    /// Single writes in their batches.
    pub write_requests: u64,
    /// Bytes these gave.
    pub write_bytes: u64,
    /// Calls of `sync`, of files and directories.
    pub syncs: u64,
    /// Calls of `size`.
    pub sizes: u64,
    /// Calls of `rename` and `give_name`.
    pub renames: u64,
    /// Calls of `remove`.
    pub removes: u64,
    /// Calls of `list`.
    pub lists: u64,
}

impl Counts {
    /// Calls of all kinds.
    pub fn calls(&self) -> u64 {
        self.opens + self.reads + self.writes + self.syncs + self.sizes + self.renames + self.removes + self.lists
    }
}

impl Sub for Counts {
    type Output = Counts;

    /// What came after `before`.
    fn sub(self, before: Counts) -> Counts {
        Counts {
            opens: self.opens - before.opens,
            reads: self.reads - before.reads,
            read_requests: self.read_requests - before.read_requests,
            read_bytes: self.read_bytes - before.read_bytes,
            writes: self.writes - before.writes,
            write_requests: self.write_requests - before.write_requests,
            write_bytes: self.write_bytes - before.write_bytes,
            syncs: self.syncs - before.syncs,
            sizes: self.sizes - before.sizes,
            renames: self.renames - before.renames,
            removes: self.removes - before.removes,
            lists: self.lists - before.lists,
        }
    }
}

#[derive(Debug, Default)]
struct Totals {
    opens: AtomicU64,
    reads: AtomicU64,
    read_requests: AtomicU64,
    read_bytes: AtomicU64,
    writes: AtomicU64,
    write_requests: AtomicU64,
    write_bytes: AtomicU64,
    syncs: AtomicU64,
    sizes: AtomicU64,
    renames: AtomicU64,
    removes: AtomicU64,
    lists: AtomicU64,
}

fn add(total: &AtomicU64, count: u64) {
    total.fetch_add(count, Ordering::Relaxed);
}

impl<D: Disk> Counted<D> {
    /// Counts what goes to `disk` from now on.
    pub fn new(disk: D) -> Self {
        Counted {
            disk,
            totals: Arc::default(),
        }
    }

    /// The disk underneath.
    pub fn disk(&self) -> &D {
        &self.disk
    }

    /// The counts so far; subtract an earlier answer to see what one operation cost.
    pub fn counts(&self) -> Counts {
        let get = |total: &AtomicU64| total.load(Ordering::Relaxed);
        let totals = &*self.totals;
        Counts {
            opens: get(&totals.opens),
            reads: get(&totals.reads),
            read_requests: get(&totals.read_requests),
            read_bytes: get(&totals.read_bytes),
            writes: get(&totals.writes),
            write_requests: get(&totals.write_requests),
            write_bytes: get(&totals.write_bytes),
            syncs: get(&totals.syncs),
            sizes: get(&totals.sizes),
            renames: get(&totals.renames),
            removes: get(&totals.removes),
            lists: get(&totals.lists),
        }
    }
}

impl<D: Disk> Disk for Counted<D> {
    fn open(&self, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        add(&self.totals.opens, 1);
        let file = self.disk.open(path, how)?;
        Ok(Box::new(CountedFile {
            file,
            totals: self.totals.clone(),
        }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        add(&self.totals.renames, 1);
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        add(&self.totals.removes, 1);
        self.disk.remove(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        add(&self.totals.lists, 1);
        self.disk.list(directory)
    }

    fn begin(&self, path: &Path, meanwhile: &Path) -> io::Result<Begun> {
        add(&self.totals.opens, 1);
        let counted = |file| -> Box<dyn File> {
            Box::new(CountedFile {
                file,
                totals: self.totals.clone(),
            })
        };
        Ok(self.disk.begin(path, meanwhile)?.map(counted))
    }

    fn stream(&self, path: &Path, way: StreamMode) -> io::Result<Box<dyn File>> {
        add(&self.totals.opens, 1);
        let file = self.disk.stream(path, way)?;
        Ok(Box::new(CountedFile {
            file,
            totals: self.totals.clone(),
        }))
    }

    fn holder(&self, path: &Path) -> Option<Holder> {
        self.disk.holder(path)
    }

    fn is_same(&self, one: &Path, other: &Path) -> bool {
        self.disk.is_same(one, other)
    }

    fn keep_group(&self, of: &Path, file: &Path) {
        self.disk.keep_group(of, file);
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk.real(path)
    }
}

#[derive(Debug)]
struct CountedFile {
    file: Box<dyn File>,
    totals: Arc<Totals>,
}

impl File for CountedFile {
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        if batch.iter().all(ReadAt::only_asks) {
            return self.file.read(batch);
        }
        add(&self.totals.reads, 1);
        add(&self.totals.read_requests, batch.len() as u64);
        self.file.read(batch)?;
        add(&self.totals.read_bytes, batch.iter().map(|read| read.got as u64).sum());
        Ok(())
    }

    fn read_into(&self, batch: &mut [ReadInto<'_>]) -> io::Result<()> {
        add(&self.totals.reads, 1);
        add(&self.totals.read_requests, batch.len() as u64);
        self.file.read_into(batch)?;
        add(&self.totals.read_bytes, batch.iter().map(|read| read.got as u64).sum());
        Ok(())
    }

    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()> {
        add(&self.totals.writes, 1);
        add(&self.totals.write_requests, batch.len() as u64);
        add(
            &self.totals.write_bytes,
            batch.iter().map(|write| write.buf.len() as u64).sum(),
        );
        self.file.write(batch)
    }

    fn sync(&self) -> io::Result<()> {
        add(&self.totals.syncs, 1);
        self.file.sync()
    }

    fn size(&self, set: Option<u64>) -> io::Result<u64> {
        add(&self.totals.sizes, 1);
        self.file.size(set)
    }

    fn lengthen(&self, to: u64) -> io::Result<()> {
        add(&self.totals.sizes, 1);
        self.file.lengthen(to)
    }

    fn forget(&self, at: u64, len: u64) {
        self.file.forget(at, len);
    }

    fn foresee(&self, at: u64, len: u64) {
        self.file.foresee(at, len);
    }

    /// A read, to the counts.
    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        add(&self.totals.reads, 1);
        add(&self.totals.read_requests, batch.len() as u64);
        self.file.read_back(batch)?;
        add(&self.totals.read_bytes, batch.iter().map(|read| read.got as u64).sum());
        Ok(())
    }

    fn hollow(&self, at: u64, len: u64) -> io::Result<()> {
        add(&self.totals.sizes, 1);
        self.file.hollow(at, len)
    }

    fn has_holes(&self) -> bool {
        self.file.has_holes()
    }

    fn reserve(&self, at: u64, len: u64) -> io::Result<()> {
        add(&self.totals.sizes, 1);
        self.file.reserve(at, len)
    }

    fn stored(&self) -> io::Result<u64> {
        add(&self.totals.sizes, 1);
        self.file.stored()
    }

    fn give_name(&self, path: &Path) -> io::Result<()> {
        add(&self.totals.renames, 1);
        self.file.give_name(path)
    }

    fn is_stream(&self) -> bool {
        self.file.is_stream()
    }

    /// Stores are not counted: they are no calls.
    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        self.file.map(at, len)
    }

    fn cells(&self, len: usize) -> io::Result<Cells> {
        self.file.cells(len)
    }
}
