//! What others see of the pool: its bound, what is charged, pages given up, and frames by size.

use super::{Class, Pool};
use crate::sync::atomic::Ordering::*;
use cica_counters::{FramesCount, PoolCount};
use cica_disk::{Cells, LINE};
use std::sync::OnceLock;

/// Cells of the pool, and those of the frame sizes, a line each.
#[derive(Default)]
pub struct Shown(OnceLock<(Cells, Cells)>);

impl Shown {
    fn set(&self, counter: PoolCount, n: u64) {
        if let Some((pool, _)) = self.0.get() {
            pool.at(counter as usize).store(n, Relaxed);
        }
    }

    /// A page was given up.
    pub fn gone(&self) {
        if let Some((pool, _)) = self.0.get() {
            pool.at(PoolCount::Gone as usize).fetch_add(1, Relaxed);
        }
    }

    /// So many bytes are charged.
    pub fn charged(&self, bytes: usize) {
        self.set(PoolCount::Charged, bytes as u64);
    }

    /// Frames of the `at`-th size are free.
    #[inline]
    pub fn free(&self, at: usize, frames: usize) {
        self.frames(at, FramesCount::Free, frames);
    }

    fn frames(&self, at: usize, counter: FramesCount, n: usize) {
        if let Some((_, sizes)) = self.0.get().filter(|(_, sizes)| at < sizes.count() / LINE) {
            sizes.at(at * LINE + counter as usize).store(n as u64, Relaxed);
        }
    }
}

impl Pool {
    /// From now on others see in these cells what it counts.
    pub fn show_counts(&self, pool: Cells, sizes: Cells) {
        let _ = self.counts.0.set((pool, sizes));
        self.counts.set(PoolCount::Limit, self.limit as u64);
        self.counts.charged(self.charged());
        self.show_frames(&self.classes.lock());
    }

    /// Shows how many frames of each size there are.
    pub(super) fn show_frames(&self, classes: &[Class]) {
        for (at, class) in classes.iter().enumerate() {
            for (counter, n) in [
                (FramesCount::Size, class.size),
                (FramesCount::Frames, class.frames()),
                (FramesCount::Free, class.free.len()),
            ] {
                self.counts.frames(at, counter, n);
            }
        }
    }
}
