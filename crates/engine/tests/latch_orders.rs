//! The latch of a frame under every order, of the processor's too, that the language's memory model allows: the file
//! itself, compiled with `loom`'s words in the place of the system's.
#![allow(clippy::unwrap_used)]

/// What `latch.rs` takes from the engine.
mod sync {
    pub use loom::hint::spin_loop;
    pub use loom::sync::atomic;
    pub use loom::thread::yield_now;
}

#[allow(dead_code)]
#[path = "../src/pool/latch.rs"]
mod latch;

use latch::Latch;
use loom::sync::atomic::{AtomicU64, Ordering::*};
use loom::sync::Arc;
use loom::thread;

/// A frame of two words that must always be equal.
#[derive(Default)]
struct Frame {
    latch: Latch,
    words: [AtomicU64; 2],
}

impl Frame {
    /// Reads as readers do: what was read, if it is to be believed.
    fn read(&self) -> Option<(u64, u64)> {
        let version = self.latch.begin()?;
        let read = (self.words[0].load(Relaxed), self.words[1].load(Relaxed));
        self.latch.unchanged(version).then_some(read)
    }

    /// Writes as who holds the latch does.
    fn write(&self, value: u64) {
        for word in &self.words {
            word.store(value, Relaxed);
        }
    }
}

/// In all orders with up to three changes of thread where none is forced.
fn explore(act: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(act);
}

#[test]
fn who_reads_while_another_writes_believes_nothing_torn() {
    explore(|| {
        let frame = Arc::new(Frame::default());
        let writer = {
            let frame = frame.clone();
            thread::spawn(move || {
                assert!(frame.latch.try_latch());
                frame.write(7);
                frame.latch.release();
            })
        };
        if let Some((a, b)) = frame.read() {
            assert_eq!(a, b);
        }
        writer.join().unwrap();
        assert_eq!(frame.read(), Some((7, 7)));
    });
}

#[test]
fn of_two_that_latch_at_one_version_one_gets_it() {
    explore(|| {
        let frame = Arc::new(Frame::default());
        let version = frame.latch.begin().unwrap();
        let add = move |frame: &Frame| {
            let got = frame.latch.latch_at(version);
            if got {
                frame.write(frame.words[0].load(Relaxed) + 1);
                frame.latch.release();
            }
            u64::from(got)
        };
        let other = {
            let frame = frame.clone();
            thread::spawn(move || add(&frame))
        };
        let mine = add(&frame);
        assert_eq!(mine + other.join().unwrap(), 1);
        assert_eq!(frame.read(), Some((1, 1)));
    });
}

#[test]
fn who_looks_first_and_latches_then_loses_no_change() {
    explore(|| {
        let frame = Arc::new(Frame::default());
        let add = move |frame: &Frame| {
            // As a writer that finds its record before it latches; once it was overtaken it gives up here.
            let version = frame.latch.begin()?;
            let found = frame.words[0].load(Relaxed);
            frame.latch.latch_at(version).then(|| {
                frame.write(found + 1);
                frame.latch.release();
            })
        };
        let other = {
            let frame = frame.clone();
            thread::spawn(move || add(&frame).is_some())
        };
        let mine = add(&frame).is_some();
        let done = u64::from(mine) + u64::from(other.join().unwrap());
        assert_eq!(frame.read(), Some((done, done)));
    });
}

#[test]
fn a_read_that_overlaps_a_write_is_not_believed() {
    explore(|| {
        let latch = Latch::default();
        let word = latch.begin().unwrap();
        assert!(latch.unchanged(word));
        latch.latch();
        assert!(latch.begin().is_none());
        assert!(!latch.unchanged(word));
        latch.release();
        assert!(!latch.unchanged(word));
        assert!(!latch.latch_at(word));
        assert!(latch.latch_at(latch.begin().unwrap()));
    });
}
