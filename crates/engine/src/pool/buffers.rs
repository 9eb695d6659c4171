//! Buffers for I/O that is more than one page, aligned as direct I/O wants them: a fixed number, charged from the
//! start, so that many threads that write at once wait for each other and not for memory.
//!
//! Who has a buffer waits for nothing that another could hold who waits for one: it does its I/O and gives it back.

use super::Pool;
use crate::sync::{Condvar, Mutex};

/// Address, offset and length of direct I/O divide by this.
pub const ALIGNMENT: usize = 4096;
const COUNT: usize = 4;
const LEAST: usize = 64 << 10;
const MOST: usize = 256 << 10;

pub(super) struct Buffers {
    state: Mutex<BufferState>,
    given_back: Condvar,
    bytes: usize,
}

struct BufferState {
    /// Those that were made and are not in use.
    idle: Vec<Vec<u8>>,
    out: usize,
}

impl Buffers {
    /// For a pool of `limit` bytes.
    pub fn new(limit: usize) -> Buffers {
        let bytes = (limit / 64).clamp(LEAST, MOST) / ALIGNMENT * ALIGNMENT;
        Buffers {
            state: Mutex::new(BufferState {
                idle: Vec::new(),
                out: 0,
            }),
            given_back: Condvar::new(),
            bytes,
        }
    }

    /// What all of them take.
    pub fn charge(&self) -> usize {
        COUNT * (self.bytes + ALIGNMENT)
    }
}

/// A buffer in use.
pub struct Buffer<'p> {
    buffers: &'p Buffers,
    memory: Vec<u8>,
    start: usize,
}

impl Buffer<'_> {
    /// Its bytes, aligned; they hold what the last user left.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.buffers.bytes]
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        let mut state = self.buffers.state.lock();
        state.idle.push(std::mem::take(&mut self.memory));
        state.out -= 1;
        self.buffers.given_back.notify_one();
    }
}

/// Aligned memory for one image, of whoever makes it.
pub struct Aligned {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// Of `len` bytes.
    pub fn new(len: usize) -> Aligned {
        let memory = vec![0; len + ALIGNMENT];
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Aligned { memory, start, len }
    }
    /// Its bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.len]
    }
}

impl Pool {
    /// A buffer, waiting for one if all are in use. Nobody takes a second one.
    pub fn buffer(&self) -> Buffer<'_> {
        let buffers = &self.buffers;
        let mut state = buffers.state.lock();
        while state.out == COUNT {
            buffers.given_back.wait(&mut state);
        }
        state.out += 1;
        let memory = state.idle.pop();
        drop(state);
        let memory = memory.unwrap_or_else(|| vec![0; buffers.bytes + ALIGNMENT]);
        let start = memory.as_ptr().align_offset(ALIGNMENT);
        Buffer { buffers, memory, start }
    }

    /// Bytes of a buffer: at least two CIs of the largest size.
    pub fn buffer_len(&self) -> usize {
        self.buffers.bytes
    }
}
