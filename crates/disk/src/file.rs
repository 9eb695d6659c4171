//! [`File`]: an open file, the other half of the seam, and what its batches are made of.

use crate::{Cells, Room};
use std::io;
use std::path::Path;

/// An open file: the other four.
pub trait File: Send + Sync + std::fmt::Debug {
    /// Reads a batch; each read tells in `got` how much of its buffer was filled (short only at end of file). A read of
    /// no bytes says that what is at its place is wanted next: a file that can bring it nearer meanwhile does.
    fn read(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()>;
    /// The same into memory that others may be looking at meanwhile. A file that has no better way reads into memory of
    /// its own first.
    ///
    /// # Errors
    /// As of a read.
    fn read_into(&self, batch: &mut [ReadInto<'_>]) -> io::Result<()> {
        let mut own: Vec<Vec<u8>> = batch.iter().map(|read| vec![0; read.room.len()]).collect();
        let reads = batch.iter().zip(&mut own);
        let mut reads: Vec<ReadAt<'_>> = reads
            .map(|(read, buf)| ReadAt {
                at: read.at,
                buf,
                got: 0,
            })
            .collect();
        self.read(&mut reads)?;
        for (into, read) in batch.iter_mut().zip(reads) {
            into.room.put(&read.buf[..read.got]);
            into.got = read.got;
        }
        Ok(())
    }
    /// Writes a batch, in no order; `Err` leaves open which of them happened.
    fn write(&self, batch: &[WriteAt<'_>]) -> io::Result<()>;
    /// Makes everything written so far durable (see D3).
    fn sync(&self) -> io::Result<()>;
    /// The length in bytes; `Some(n)` first grows or cuts the file to `n` and, when it grows, takes the
    /// space from the file system now, so that a later write into it cannot run out of space.
    fn size(&self, set: Option<u64>) -> io::Result<u64>;
    /// Grows the file to `to` bytes. What is new reads as zeros and takes no space yet, where the file system has a way to
    /// leave that out: [`reserve`](Self::reserve) takes the space, or a write does.
    ///
    /// # Errors
    /// As of [`size`](Self::size).
    fn lengthen(&self, to: u64) -> io::Result<()> {
        self.size(Some(to)).map(drop)
    }
    /// A hint: what lies there was written and is not soon read again. A file that keeps its contents in memory as well
    /// may keep that no longer; they are what they were.
    fn forget(&self, at: u64, len: u64) {
        let _ = (at, len);
    }
    /// A hint: what lies there is read soon. A file may begin to read it.
    fn foresee(&self, at: u64, len: u64) {
        let _ = (at, len);
    }
    /// Reads what the device has (D9): as [`read`](Self::read), but not from memory that the system keeps of the file.
    /// What is read was made durable before, by a [`sync`](Self::sync).
    ///
    /// # Errors
    /// As of a read.
    fn read_back(&self, batch: &mut [ReadAt<'_>]) -> io::Result<()> {
        self.read(batch)
    }
    /// Gives the space of a range back, as far as the file system can; the length stays. What is read there until it is
    /// written again may be what was written before, or zeros. It is a write to D1 and D2, and nothing of it has to
    /// survive. A file that has no better way writes zeros, so that whoever still needs the bytes notices.
    ///
    /// # Errors
    /// It may have happened in part.
    fn hollow(&self, at: u64, len: u64) -> io::Result<()> {
        const CHUNK: u64 = 64 << 10;
        let zeros = vec![0; CHUNK.min(len) as usize];
        let end = at + len;
        let chunks = (at..end).step_by(CHUNK as usize);
        let chunks = chunks.map(|at| WriteAt {
            at,
            buf: &zeros[..CHUNK.min(end - at) as usize],
        });
        self.write(&chunks.collect::<Vec<_>>())
    }
    /// Whether [`hollow`](Self::hollow) gives space back: else only what is cut off the end does.
    fn has_holes(&self) -> bool {
        false
    }
    /// Takes the space of a range that may have been given back, as [`size`](Self::size) does for what is new.
    ///
    /// # Errors
    /// `StorageFull` and the like.
    fn reserve(&self, at: u64, len: u64) -> io::Result<()> {
        let _ = (at, len);
        Ok(())
    }
    /// The bytes that the file takes on the device: fewer than its length where there are holes. A file that has no way
    /// to know says its length.
    fn stored(&self) -> io::Result<u64> {
        self.size(None)
    }

    /// Gives a file that was begun without a name this one; durable by D4.
    ///
    /// # Errors
    /// `AlreadyExists`: something has it.
    fn give_name(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Whether it is a pipe, a device or a terminal: what is read is what comes, what is written goes behind, wherever
    /// a request says, and there is no length.
    fn is_stream(&self) -> bool {
        false
    }
    /// Memory that shows `len` bytes from `at`, a multiple of 4,096, for stores (D8). It may reach behind the end of the
    /// file; what is stored has to lie before it, where [`size`](Self::size) has taken the space.
    ///
    /// # Errors
    /// `Unsupported`: this file has no such memory, and who wants to store has to write.
    fn map(&self, at: u64, len: usize) -> io::Result<Box<dyn Mapped>> {
        let _ = (at, len);
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Memory that shows the first `len` bytes of the file, to be counted in. It may reach behind the end of the file; a
    /// cell is only used where [`size`](Self::size) has taken the space. A child of the process counts in it as well. It
    /// keeps the file open, so the file is opened for it alone, without a lock.
    ///
    /// # Errors
    /// `Unsupported`: this file has no such memory, and nobody else sees what is counted.
    fn cells(&self, len: usize) -> io::Result<Cells> {
        let _ = len;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// See [`Disk::begin`](crate::Disk::begin).
#[derive(Debug)]
pub enum Begun {
    /// A file without a name, which [`File::give_name`] gives it one.
    Unnamed(Box<dyn File>),
    /// A file with the name it was to have meanwhile.
    Named(Box<dyn File>),
    /// What cannot be replaced, a device or a pipe, or what the caller has open: it is written as it is.
    AsItIs(Box<dyn File>),
}

impl Begun {
    /// The same with another file around the one it has.
    #[must_use]
    pub fn map(self, around: impl FnOnce(Box<dyn File>) -> Box<dyn File>) -> Begun {
        match self {
            Begun::Unnamed(file) => Begun::Unnamed(around(file)),
            Begun::Named(file) => Begun::Named(around(file)),
            Begun::AsItIs(file) => Begun::AsItIs(around(file)),
        }
    }
}

/// See [`File::map`]. It stays when the file is dropped.
pub trait Mapped: Send + Sync + std::fmt::Debug {
    /// Stores `bytes` at `at`, counted from where the memory begins. False: the file may have some of them, or none, and
    /// nothing can be stored here from now on.
    #[must_use]
    fn store(&self, at: usize, bytes: &[u8]) -> bool;
}

/// Overwrites a file with zeros over its whole length, durably.
///
/// # Errors
/// What the system says; part of the file may be zeros then.
pub fn overwrite(file: &dyn File) -> io::Result<()> {
    const CHUNK: u64 = 1 << 20;
    let zeros = vec![0; CHUNK as usize];
    let length = file.size(None)?;
    for at in (0..length).step_by(CHUNK as usize) {
        let n = CHUNK.min(length - at) as usize;
        file.write(&[WriteAt { at, buf: &zeros[..n] }])?;
    }
    file.sync()
}

/// One read of a batch.
#[derive(Debug)]
pub struct ReadAt<'a> {
    /// Byte offset in the file.
    pub at: u64,
    /// Where the bytes go.
    pub buf: &'a mut [u8],
    /// Out: bytes read.
    pub got: usize,
}

impl ReadAt<'_> {
    /// Whether it reads nothing, and only says where the next read will be.
    pub(crate) fn only_asks(&self) -> bool {
        self.buf.is_empty()
    }
}

/// One read of a batch into memory that others may be looking at.
#[derive(Debug)]
pub struct ReadInto<'a> {
    /// Byte offset in the file.
    pub at: u64,
    /// Where the bytes go.
    pub room: Room<'a>,
    /// Out: bytes read.
    pub got: usize,
}

/// One write of a batch.
#[derive(Debug, Clone, Copy)]
pub struct WriteAt<'a> {
    /// Byte offset in the file.
    pub at: u64,
    /// The bytes.
    pub buf: &'a [u8],
}
