//! Sorting entries of one length within a bound of memory: what does not fit goes to a work file, in sorted runs that
//! are merged.
//!
//! The work file loses its name as soon as it is open, so nothing of it stays whatever happens. Memory is charged to
//! the pool before it is taken:
//!
//! | while | charged |
//! |---|---|
//! | entries come | what they take and their numbers, from [`LEAST`] doubling up to the bound or to what the pool has left |
//! | all were sorted in memory | the same, until the last entry was given out |
//! | runs are merged | a share of the bound, so that what is loaded from them has room: the rest is given back |

use crate::pool::{Held, Pool, PoolFull};
use cica_disk::{Create, Disk, File, Open, ReadAt, WriteAt};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes read from a run at once, at least, and written at once.
const CHUNK: usize = 64 << 10;
/// Bytes charged first. What the pool cannot spare, no sort can do without.
const LEAST: usize = 4 * CHUNK;
/// The part of a pool that a sort may take, and the part of its bound that a merge keeps.
const SHARE: usize = 2;
const MERGE_SHARE: usize = 8;

/// See the module.
pub struct Sorter {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    /// Bytes of an entry.
    length: usize,
    /// The bound, and what is charged of it.
    memory: usize,
    held: Held,
    /// Entries that fit what is charged.
    most: usize,
    /// The bound is reached, or the pool has no more.
    full: bool,
    entries: Vec<u8>,
    file: Option<Arc<dyn File>>,
    /// Start and end of each run in the work file.
    runs: Vec<(u64, u64)>,
    end: u64,
}

/// Entries in order.
pub enum Sorted {
    /// All of them, and the order of them.
    Memory {
        /// The entries.
        entries: Vec<u8>,
        /// Their numbers, in order.
        order: std::vec::IntoIter<u32>,
        /// The charge for both.
        _held: Held,
    },
    /// Runs that are merged.
    Merged(Merge),
}

impl Sorter {
    /// Sorts entries of `length` bytes within `memory` bytes, at most half of `pool`; the work file is made at `path`
    /// when it is needed.
    ///
    /// # Errors
    /// The pool cannot spare what any sort needs.
    pub fn new(
        disk: Arc<dyn Disk>,
        path: PathBuf,
        length: usize,
        memory: usize,
        pool: &Arc<Pool>,
    ) -> Result<Sorter, PoolFull> {
        let held = pool.hold(LEAST)?;
        let mut sorter = Sorter {
            disk,
            path,
            length,
            memory: memory.min(pool.limit() / SHARE),
            held,
            most: 0,
            full: false,
            entries: Vec::new(),
            file: None,
            runs: Vec::new(),
            end: 0,
        };
        sorter.fit();
        Ok(sorter)
    }

    /// Makes room in memory for what is charged.
    fn fit(&mut self) {
        // Beside each entry stands its number; and what is written is gathered first.
        let bytes = self.held.bytes().min(self.memory).saturating_sub(CHUNK);
        self.most = (bytes / (self.length + 4)).clamp(16, u32::MAX as usize);
        self.full |= self.held.bytes() >= self.memory;
        let more = (self.most * self.length).saturating_sub(self.entries.len());
        self.entries.reserve_exact(more);
    }

    /// Twice the memory, or what is left up to the bound. False: there is no more.
    fn grow(&mut self) -> bool {
        let more = self.held.bytes().min(self.memory.saturating_sub(self.held.bytes()));
        self.full |= more == 0 || self.held.grow(more).is_err();
        if self.full {
            return false;
        }
        self.fit();
        true
    }

    /// Adds an entry; the parts together have its length.
    pub fn push(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        if self.entries.len() / self.length == self.most && (self.full || !self.grow()) {
            self.spill()?;
        }
        parts.iter().for_each(|part| self.entries.extend_from_slice(part));
        Ok(())
    }

    /// All entries in order.
    pub fn finish(mut self) -> io::Result<Sorted> {
        if self.runs.is_empty() {
            let order = self.order().into_iter();
            return Ok(Sorted::Memory {
                entries: self.entries,
                order,
                _held: self.held,
            });
        }
        self.spill()?;
        self.entries = Vec::new();
        self.held.shrink_to((self.held.bytes() / MERGE_SHARE).max(LEAST));
        // One chunk is for what is written.
        let fan_in = (self.held.bytes() / CHUNK - 1).max(2);
        while self.runs.len() > fan_in {
            let some: Vec<_> = self.runs.drain(..fan_in).collect();
            let mut merge = self.merge(&some)?;
            let start = self.end;
            let mut out = Vec::with_capacity(CHUNK + self.length);
            let mut entry = Vec::new();
            while merge.next(&mut entry)? {
                out.extend_from_slice(&entry);
                if out.len() >= CHUNK {
                    self.write(&out)?;
                    out.clear();
                }
            }
            self.write(&out)?;
            self.runs.push((start, self.end));
        }
        let runs = std::mem::take(&mut self.runs);
        let mut merge = self.merge(&runs)?;
        merge._held = Some(self.held);
        Ok(Sorted::Merged(merge))
    }

    fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..(self.entries.len() / self.length) as u32).collect();
        let entry = |n: u32| &self.entries[n as usize * self.length..(n as usize + 1) * self.length];
        order.sort_unstable_by(|a, b| entry(*a).cmp(entry(*b)));
        order
    }

    /// Writes what is in memory as a run.
    fn spill(&mut self) -> io::Result<()> {
        let order = self.order();
        let start = self.end;
        let entries = std::mem::take(&mut self.entries);
        let mut out = Vec::with_capacity(CHUNK + self.length);
        for n in order {
            out.extend_from_slice(&entries[n as usize * self.length..(n as usize + 1) * self.length]);
            if out.len() >= CHUNK {
                self.write(&out)?;
                out.clear();
            }
        }
        self.write(&out)?;
        self.entries = entries;
        self.entries.clear();
        self.runs.push((start, self.end));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            let how = Open {
                write: true,
                create: Create::IfMissing,
                ..Open::default()
            };
            let file = self.disk.open(&self.path, how)?;
            self.disk.remove(&self.path)?;
            self.file = Some(file.into());
        }
        if let Some(file) = &self.file {
            file.write(&[WriteAt {
                at: self.end,
                buf: bytes,
            }])?;
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn merge(&self, runs: &[(u64, u64)]) -> io::Result<Merge> {
        let file = self
            .file
            .clone()
            .ok_or_else(|| io::Error::other("the sort has no work file"))?;
        let chunk = ((self.held.bytes() - CHUNK) / runs.len().max(1)).max(self.length) / self.length * self.length;
        let mut merge = Merge {
            file,
            length: self.length,
            chunk,
            runs: Vec::new(),
            _held: None,
            heap: BinaryHeap::with_capacity(runs.len()),
        };
        for &(at, end) in runs {
            merge.runs.push(SortedRun {
                at,
                end,
                buffer: Vec::new(),
                used: 0,
            });
            let mut entry = Vec::with_capacity(self.length);
            let number = merge.runs.len() - 1;
            if merge.take(number, &mut entry)? {
                merge.heap.push(Reverse((entry, number)));
            }
        }
        Ok(merge)
    }
}

/// Runs of a work file, merged.
pub struct Merge {
    file: Arc<dyn File>,
    length: usize,
    chunk: usize,
    runs: Vec<SortedRun>,
    /// The charge, of the last merge.
    _held: Option<Held>,
    heap: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
}

struct SortedRun {
    at: u64,
    end: u64,
    buffer: Vec<u8>,
    used: usize,
}

impl Merge {
    /// How many runs are merged.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// The next entry of all; false: there is none.
    fn next(&mut self, entry: &mut Vec<u8>) -> io::Result<bool> {
        let Some(Reverse((mut first, number))) = self.heap.pop() else {
            return Ok(false);
        };
        std::mem::swap(entry, &mut first);
        if self.take(number, &mut first)? {
            self.heap.push(Reverse((first, number)));
        }
        Ok(true)
    }

    /// The next entry of a run.
    fn take(&mut self, number: usize, entry: &mut Vec<u8>) -> io::Result<bool> {
        let run = &mut self.runs[number];
        if run.used == run.buffer.len() {
            let want = (run.end - run.at).min(self.chunk as u64) as usize;
            if want == 0 {
                run.buffer = Vec::new();
                run.used = 0;
                return Ok(false);
            }
            run.buffer.resize(want, 0);
            let mut batch = [ReadAt {
                at: run.at,
                buf: &mut run.buffer,
                got: 0,
            }];
            self.file.read(&mut batch)?;
            if batch[0].got < want {
                return Err(io::Error::other(
                    "the sort's work file is shorter than what was written",
                ));
            }
            run.at += want as u64;
            run.used = 0;
        }
        entry.clear();
        entry.extend_from_slice(&run.buffer[run.used..run.used + self.length]);
        run.used += self.length;
        Ok(true)
    }
}

impl Sorted {
    /// The next entry in order; false: there is none.
    pub fn next(&mut self, entry: &mut Vec<u8>, length: usize) -> io::Result<bool> {
        match self {
            Sorted::Merged(merge) => merge.next(entry),
            Sorted::Memory { entries, order, .. } => Ok(order.next().is_some_and(|n| {
                entry.clear();
                entry.extend_from_slice(&entries[n as usize * length..(n as usize + 1) * length]);
                true
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cica_disk::MemoryDisk;

    fn pool() -> Arc<Pool> {
        Arc::new(Pool::new(16 << 20, std::sync::Arc::new(cica_disk::SystemClock)).unwrap())
    }

    fn sorted(entries: &[[u8; 5]], memory: usize, pool: &Arc<Pool>) -> (Vec<Vec<u8>>, usize) {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
        let before = pool.charged();
        let mut sorter = Sorter::new(disk.clone(), "/work".into(), 5, memory, pool).unwrap();
        for entry in entries {
            sorter.push(&[&entry[..2], &entry[2..]]).unwrap();
        }
        let runs = sorter.runs.len();
        let mut all = sorter.finish().unwrap();
        let (mut entry, mut found) = (Vec::new(), Vec::new());
        while all.next(&mut entry, 5).unwrap() {
            found.push(entry.clone());
        }
        drop(all);
        assert_eq!(pool.charged(), before, "the charge ends with the sort");
        assert!(disk.list("/".as_ref()).unwrap().is_empty(), "no work file stays");
        (found, runs)
    }

    fn scattered(count: usize) -> Vec<[u8; 5]> {
        let mut state = 7u64;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bytes = (state >> 24).to_be_bytes();
            [bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]
        };
        (0..count).map(next).collect()
    }

    fn in_order(entries: &[[u8; 5]]) -> Vec<Vec<u8>> {
        let mut expected: Vec<Vec<u8>> = entries.iter().map(|e| e.to_vec()).collect();
        expected.sort();
        expected
    }

    #[test]
    fn in_memory_and_with_many_runs_the_order_is_the_same() {
        let entries = scattered(3000);
        let expected = in_order(&entries);
        assert_eq!(sorted(&entries, 1 << 20, &pool()), (expected.clone(), 0));
        // 16 entries at a time: more runs than are merged at once.
        assert_eq!(sorted(&entries, 1, &pool()), (expected, 187));
        assert_eq!(sorted(&[], 1, &pool()), (Vec::new(), 0));
    }

    #[test]
    fn a_sort_takes_what_the_pool_can_spare_and_no_more() {
        let entries = scattered(100_000);
        let expected = in_order(&entries);
        let pool = pool();
        assert_eq!(sorted(&entries, usize::MAX, &pool), (expected.clone(), 0));
        // All but a little is somebody else's.
        let mut others = pool.hold(0).unwrap();
        while others.grow(CHUNK).is_ok() {}
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
        assert!(Sorter::new(disk, "/work".into(), 5, usize::MAX, &pool).is_err());
        others.shrink_to(others.bytes() - LEAST);
        let (found, runs) = sorted(&entries, usize::MAX, &pool);
        assert!(found == expected && runs >= 4, "{runs} runs");
    }
}
