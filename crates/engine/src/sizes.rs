//! What the records of an open compressed data set take, counted with each change (compressed:Q6).

use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use cica_format::root::RecordSizes;

/// See the module.
#[derive(Default)]
pub struct SizesKept {
    user: AtomicU64,
    stored: AtomicU64,
    plain: AtomicU64,
    unknown: AtomicBool,
}

impl SizesKept {
    /// Those that a root has.
    pub fn new(sizes: Option<RecordSizes>) -> SizesKept {
        let kept = SizesKept::default();
        kept.begin(sizes);
        kept
    }

    /// What there is takes so much; `None`: nobody knows.
    pub fn begin(&self, sizes: Option<RecordSizes>) {
        let known = sizes.unwrap_or_default();
        self.user.store(known.user, Relaxed);
        self.stored.store(known.stored, Relaxed);
        self.plain.store(known.plain, Relaxed);
        self.unknown.store(sizes.is_none(), Relaxed);
    }

    /// A record came that takes so much.
    pub fn come(&self, sizes: Option<RecordSizes>) {
        match sizes {
            None => self.unknown.store(true, Relaxed),
            Some(sizes) => {
                self.user.fetch_add(sizes.user, Relaxed);
                self.stored.fetch_add(sizes.stored, Relaxed);
                self.plain.fetch_add(sizes.plain, Relaxed);
            }
        }
    }

    /// A record went that took so much.
    pub fn go(&self, sizes: Option<RecordSizes>) {
        match sizes {
            None => self.unknown.store(true, Relaxed),
            Some(sizes) => {
                self.user.fetch_sub(sizes.user, Relaxed);
                self.stored.fetch_sub(sizes.stored, Relaxed);
                self.plain.fetch_sub(sizes.plain, Relaxed);
            }
        }
    }

    /// What all records take, where it is known. Exact while nothing changes.
    pub fn now(&self) -> Option<RecordSizes> {
        (!self.unknown.load(Relaxed)).then(|| RecordSizes {
            user: self.user.load(Relaxed),
            stored: self.stored.load(Relaxed),
            plain: self.plain.load(Relaxed),
        })
    }
}
