//! Blocks and buffers as QSAM had them: a request to the file moves as many blocks as there are buffers.
//!
//! A [`BlockInput`] stands between a [`Reader`](crate::Reader) and its file, a [`BlockOutput`] between a
//! [`Writer`](crate::Writer) and its file. Without them a file is read and written in pieces that have nothing to do
//! with its blocks.
//!
//! 1. What is counted is a request that was made and that moved something. The last one may be short.
//! 2. A request moves at most [`MOST_BLOCKS`] blocks and [`MOST_BYTES`] bytes, but always a block.

use crate::format::Attributes;
use crate::recfm::RecordFormat;
use std::fmt;
use std::io::{self, Read, Write};

/// Blocks that one request moves at most: "240K of data or 30 buffers, whichever is the least" (MVS/XA).
pub const MOST_BLOCKS: usize = 30;
/// See [`MOST_BLOCKS`].
pub const MOST_BYTES: usize = 240 * 1024;

/// BLKSIZE and BUFNO of an open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockBuffers {
    blksize: usize,
    bufno: usize,
}

/// What was transferred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// Requests to the file.
    pub requests: u64,
    /// Blocks that they moved: what SMF counted as EXCPs of QSAM.
    pub blocks: u64,
    /// Bytes of a block, but the last of the file.
    pub block_size: usize,
}

impl BlockBuffers {
    /// What QSAM took where nothing was said.
    pub const BUFNO: u8 = 5;

    /// For a file with these attributes; BUFNO 0 is what nobody said.
    ///
    /// # Errors
    /// The length of its blocks is not stated, or not that of each of them.
    pub fn new(attributes: &Attributes, bufno: u8) -> Result<BlockBuffers, BlockBufferError> {
        let recfm = attributes.recfm;
        let blksize = match recfm {
            RecordFormat::F => attributes.blksize.max(attributes.lrecl),
            RecordFormat::FB | RecordFormat::U => attributes.blksize,
            // Where a block ends, its descriptor words say, and not a length.
            _ => return Err(BlockBufferError::NotFixed { recfm }),
        };
        match blksize {
            0 => Err(BlockBufferError::NoBlockSize),
            _ => Ok(BlockBuffers {
                blksize: blksize as usize,
                bufno: if bufno == 0 { BlockBuffers::BUFNO } else { bufno }.into(),
            }),
        }
    }

    /// Blocks that a request moves.
    pub fn chain(self) -> usize {
        self.bufno.min(MOST_BLOCKS).min(MOST_BYTES / self.blksize).max(1)
    }

    /// Bytes of all buffers.
    pub fn space(self) -> usize {
        self.bufno * self.blksize
    }

    fn area(self) -> usize {
        self.chain() * self.blksize
    }

    fn blocks(self, bytes: usize) -> u64 {
        bytes.div_ceil(self.blksize) as u64
    }
}

impl BlockCounts {
    fn of(buffers: BlockBuffers) -> BlockCounts {
        BlockCounts {
            block_size: buffers.blksize,
            ..BlockCounts::default()
        }
    }

    fn add(&mut self, buffers: BlockBuffers, bytes: usize) {
        self.requests += 1;
        self.blocks += buffers.blocks(bytes);
    }
}

/// A file that is read by blocks.
#[derive(Debug)]
pub struct BlockInput<R> {
    file: R,
    buffers: BlockBuffers,
    area: Vec<u8>,
    /// What of the area was read, and handed on.
    filled: usize,
    taken: usize,
    counts: BlockCounts,
}

impl<R: Read> BlockInput<R> {
    /// Of a file that stands at its beginning.
    pub fn new(file: R, buffers: BlockBuffers) -> BlockInput<R> {
        BlockInput {
            file,
            buffers,
            area: vec![0; buffers.area()],
            filled: 0,
            taken: 0,
            counts: BlockCounts::of(buffers),
        }
    }

    /// So far.
    pub fn counts(&self) -> BlockCounts {
        self.counts
    }

    /// The file; what was read ahead is lost.
    pub fn into_inner(self) -> R {
        self.file
    }
}

impl<R: Read> Read for BlockInput<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.filled && !to.is_empty() {
            // A request that fails brings nothing, so nothing is there that was handed on before.
            (self.filled, self.taken) = (0, 0);
            self.filled = self.file.read(&mut self.area)?;
            if self.filled > 0 {
                self.counts.add(self.buffers, self.filled);
            }
        }
        let there = &self.area[self.taken..self.filled];
        let count = there.len().min(to.len());
        to[..count].copy_from_slice(&there[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// A file that is written by blocks. What is in its buffers is written by `flush`.
#[derive(Debug)]
#[must_use = "what is in its buffers is written by flush()"]
pub struct BlockOutput<W> {
    file: W,
    buffers: BlockBuffers,
    area: Vec<u8>,
    counts: BlockCounts,
}

impl<W: Write> BlockOutput<W> {
    /// To a file that stands at its beginning.
    pub fn new(file: W, buffers: BlockBuffers) -> BlockOutput<W> {
        BlockOutput {
            file,
            buffers,
            area: Vec::with_capacity(buffers.area()),
            counts: BlockCounts::of(buffers),
        }
    }

    /// So far.
    pub fn counts(&self) -> BlockCounts {
        self.counts
    }

    /// The file; what was not flushed is lost.
    pub fn into_inner(self) -> W {
        self.file
    }

    fn write_area(&mut self) -> io::Result<()> {
        if self.area.is_empty() {
            return Ok(());
        }
        self.file.write_all(&self.area)?;
        self.counts.add(self.buffers, self.area.len());
        self.area.clear();
        Ok(())
    }
}

impl<W: Write> Write for BlockOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Before it takes more: an error here has taken nothing of what comes.
        if self.area.len() == self.buffers.area() {
            self.write_area()?;
        }
        let count = bytes.len().min(self.buffers.area() - self.area.len());
        self.area.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_area()?;
        self.file.flush()
    }
}

/// Why a file has no buffers of whole blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockBufferError {
    /// Its blocks have no length in common, or it has none.
    NotFixed {
        /// Its format.
        recfm: RecordFormat,
    },
    /// BLKSIZE is not stated.
    NoBlockSize,
}

impl fmt::Display for BlockBufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockBufferError::NotFixed { recfm } => {
                write!(
                    f,
                    "blocks of RECFM={recfm} are not all of one length; BUFNO takes F, FB and U"
                )
            }
            BlockBufferError::NoBlockSize => write!(f, "BUFNO needs the length of a block; add BLKSIZE="),
        }
    }
}

impl std::error::Error for BlockBufferError {}
