//! What a copy came to: its requests, on which disks of then they would have been made, and what it took here.

use crate::device_time::{follow, DiskTimes, OnDisk, Processor};
use crate::measure::{median, Took};
use cica_engine::Transfer;

/// Input or output of a copy.
#[derive(Debug, Clone)]
pub struct Side {
    /// How it lay on a 3380.
    pub layout: OnDisk,
    /// Its requests, in order.
    pub transfers: Vec<Transfer>,
    /// Bytes of a block or CI.
    pub block: f64,
    /// Bytes of its buffers.
    pub space: usize,
}

/// A copy.
#[derive(Debug, Clone)]
pub struct Copied {
    /// GETs and PUTs.
    pub requests: u64,
    /// See [`Side`].
    pub input: Side,
    /// See [`Side`].
    pub output: Side,
    /// Buffers were left while a request was under way, so that reading and writing went on together.
    pub overlapped: bool,
    /// Of each round.
    pub took: Vec<Took>,
}

impl Side {
    /// Blocks or CIs moved.
    pub fn blocks(&self) -> u64 {
        self.transfers.iter().map(|transfer| u64::from(transfer.cis)).sum()
    }
}

impl Copied {
    fn sides(&self) -> [&Side; 2] {
        [&self.input, &self.output]
    }

    /// Blocks or CIs moved.
    pub fn blocks(&self) -> u64 {
        self.sides().iter().map(|side| side.blocks()).sum()
    }

    /// Requests to the files.
    pub fn ios(&self) -> u64 {
        self.sides().iter().map(|side| side.transfers.len() as u64).sum()
    }

    /// Bytes of all buffers.
    pub fn space(&self) -> usize {
        self.sides().iter().map(|side| side.space).sum()
    }

    /// The seconds that the requests would have taken on two disks of then, an arm for each.
    pub fn modelled(&self, disk: DiskTimes, processor: Processor) -> f64 {
        let of = |side: &Side| follow(disk, side.layout, processor, &side.transfers, (self.requests / 2, 0));
        if self.overlapped {
            of(&self.input).max(of(&self.output))
        } else {
            of(&self.input) + of(&self.output)
        }
    }

    /// Seconds, where each request takes as long as its bytes need.
    pub fn by_access(&self, milliseconds: impl Fn(f64) -> f64) -> f64 {
        let of = |side: &&Side| -> f64 {
            let each = side.transfers.iter();
            each.map(|transfer| milliseconds(f64::from(transfer.cis) * side.block))
                .sum()
        };
        self.sides().iter().map(of).sum::<f64>() / 1000.0
    }

    /// What it takes the processor.
    pub fn fitted(&self, processor: Processor) -> f64 {
        let all = self.requests as f64 * processor.request
            + self.blocks() as f64 * processor.ci
            + self.ios() as f64 * processor.transfer;
        all / 1000.0
    }

    /// Milliseconds here: elapsed, and of the processor.
    pub fn here(&self) -> (f64, f64) {
        let middle = |of: fn(&Took) -> f64| median(self.took.iter().map(of).collect()) / 1e6;
        (middle(|took| took.elapsed), middle(|took| took.cpu))
    }
}
