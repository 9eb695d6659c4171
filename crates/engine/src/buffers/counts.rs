//! What was transferred for an open that has buffers of its own.

use crate::sync::atomic::{AtomicU64, Ordering::Relaxed};
use crate::sync::Mutex;

/// Of data or index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartCounts {
    /// CIs that were asked for and in a buffer.
    pub hits: u64,
    /// Requests to the file that read (EXCP).
    pub reads: u64,
    /// CIs that they brought.
    pub cis_read: u64,
    /// Requests to the file that wrote (EXCP).
    pub writes: u64,
    /// CIs that they took.
    pub cis_written: u64,
}

/// Of an open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BufferCounts {
    /// Of the data component.
    pub data: PartCounts,
    /// Of the index component.
    pub index: PartCounts,
}

impl PartCounts {
    /// All requests to the file.
    pub fn excps(&self) -> u64 {
        self.reads + self.writes
    }
}

impl BufferCounts {
    /// All requests to the files: what SMF called EXCPs.
    pub fn excps(&self) -> u64 {
        self.data.excps() + self.index.excps()
    }
}

/// One request to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Of the data component; else of the index.
    pub is_data: bool,
    /// It wrote; else it read.
    pub writes: bool,
    /// The first CI.
    pub first: u32,
    /// How many CIs.
    pub cis: u32,
}

/// The same as it grows, for all strings of an open.
#[derive(Debug, Default)]
pub struct Counts {
    data: PartGrowing,
    index: PartGrowing,
    /// Each transfer, in order, where that is asked for.
    trace: Option<Mutex<Vec<Transfer>>>,
}

#[derive(Debug, Default)]
struct PartGrowing {
    hits: AtomicU64,
    reads: AtomicU64,
    cis_read: AtomicU64,
    writes: AtomicU64,
    cis_written: AtomicU64,
}

impl Counts {
    /// Counts that keep each transfer too, if they shall.
    pub fn new(traced: bool) -> Counts {
        Counts {
            trace: traced.then(Mutex::default),
            ..Counts::default()
        }
    }

    fn part(&self, is_data: bool) -> &PartGrowing {
        if is_data {
            &self.data
        } else {
            &self.index
        }
    }

    /// A CI was there.
    pub fn hit(&self, is_data: bool) {
        self.part(is_data).hits.fetch_add(1, Relaxed);
    }

    /// One request brought so many CIs, from this one on; for none there was no request.
    pub fn read(&self, is_data: bool, first: u32, cis: usize) {
        let part = self.part(is_data);
        part.reads.fetch_add(u64::from(cis > 0), Relaxed);
        part.cis_read.fetch_add(cis as u64, Relaxed);
        self.note(is_data, false, first, cis);
    }

    /// One request took so many CIs, from this one on; for none there was no request.
    pub fn wrote(&self, is_data: bool, first: u32, cis: usize) {
        let part = self.part(is_data);
        part.writes.fetch_add(u64::from(cis > 0), Relaxed);
        part.cis_written.fetch_add(cis as u64, Relaxed);
        self.note(is_data, true, first, cis);
    }

    fn note(&self, is_data: bool, writes: bool, first: u32, cis: usize) {
        if let (Some(trace), true) = (&self.trace, cis > 0) {
            trace.lock().push(Transfer {
                is_data,
                writes,
                first,
                cis: cis as u32,
            });
        }
    }

    /// Now.
    pub fn now(&self) -> BufferCounts {
        BufferCounts {
            data: self.data.now(),
            index: self.index.now(),
        }
    }

    /// The transfers since this was asked last.
    pub fn transfers(&self) -> Vec<Transfer> {
        let trace = self.trace.as_ref().map(|trace| std::mem::take(&mut *trace.lock()));
        trace.unwrap_or_default()
    }
}

impl PartGrowing {
    fn now(&self) -> PartCounts {
        PartCounts {
            hits: self.hits.load(Relaxed),
            reads: self.reads.load(Relaxed),
            cis_read: self.cis_read.load(Relaxed),
            writes: self.writes.load(Relaxed),
            cis_written: self.cis_written.load(Relaxed),
        }
    }
}
