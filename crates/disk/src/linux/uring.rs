//! Batches through io_uring: one ring for each thread, made when its first large batch comes.
//!
//! 1. A function here returns only when the kernel is done with every buffer it was given; that is what makes
//!    lending it the caller's buffers sound. No error path skips it.
//! 2. A kernel that refuses rings (forbidden in many containers, missing in old systems) is asked once a process.
//! 3. A child after `fork` shares its parent's rings by mistake; it makes its own.
#![allow(unsafe_code)]

use io_uring::{opcode, squeue, types, IoUring};
use rustix::fd::{AsRawFd, BorrowedFd};
use std::cell::RefCell;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Transfers in flight at most; the completion queue has twice the room, so it cannot overflow.
const DEPTH: usize = 64;

/// Set when the kernel refused a ring or broke one.
static REFUSED: AtomicBool = AtomicBool::new(false);

struct Ring {
    ring: IoUring,
    /// The process that made it.
    owner: u32,
}

thread_local! {
    static RING: RefCell<Option<Ring>> = const { RefCell::new(None) };
}

/// Reads at offsets into buffers; returns the bytes each transfer moved (0 also for one that failed), or `None`
/// when there is no ring to be had.
pub(super) fn read(fd: BorrowedFd<'_>, transfers: &mut [(u64, &mut [IoSliceMut<'_>])]) -> Option<Vec<usize>> {
    let (fd, count) = (types::Fd(fd.as_raw_fd()), transfers.len());
    let entry = |index: usize| {
        let (at, buffers) = &mut transfers[index];
        // An IoSliceMut has the layout of an iovec.
        opcode::Readv::new(fd, buffers.as_mut_ptr().cast(), buffers.len() as u32)
            .offset(*at)
            .build()
    };
    // SAFETY: `transfers` is borrowed for the whole call, mutably, and so are the buffers it points to.
    unsafe { transfer(count, entry) }
}

/// Writes buffers at offsets; returns as `read`.
pub(super) fn write(fd: BorrowedFd<'_>, transfers: &[(u64, &[IoSlice<'_>])]) -> Option<Vec<usize>> {
    let fd = types::Fd(fd.as_raw_fd());
    let entry = |index: usize| {
        let (at, buffers) = &transfers[index];
        // An IoSlice has the layout of an iovec.
        opcode::Writev::new(fd, buffers.as_ptr().cast(), buffers.len() as u32)
            .offset(*at)
            .build()
    };
    // SAFETY: `transfers` is borrowed for the whole call, and so are the buffers it points to.
    unsafe { transfer(transfers.len(), entry) }
}

/// Submits `count` entries and waits for all of them.
///
/// # Safety
/// The descriptor and memory an entry names must stay valid until this returns.
unsafe fn transfer(count: usize, entry: impl FnMut(usize) -> squeue::Entry) -> Option<Vec<usize>> {
    // A thread that is ending has no thread-local ring any more.
    RING.try_with(|slot| {
        let mut slot = slot.try_borrow_mut().ok()?;
        let ring = own_ring(&mut slot)?;
        let mut moved = vec![0; count];
        // SAFETY: handed on to the caller.
        if unsafe { drive(ring, entry, &mut moved) }.is_err() {
            REFUSED.store(true, Ordering::Relaxed);
            *slot = None;
        }
        Some(moved)
    })
    .ok()
    .flatten()
}

fn own_ring(slot: &mut Option<Ring>) -> Option<&mut IoUring> {
    if REFUSED.load(Ordering::Relaxed) {
        return None;
    }
    let owner = std::process::id();
    if slot.as_ref().is_none_or(|ring| ring.owner != owner) {
        match IoUring::new(DEPTH as u32) {
            Ok(ring) => *slot = Some(Ring { ring, owner }),
            Err(_) => {
                REFUSED.store(true, Ordering::Relaxed);
                return None;
            }
        }
    }
    slot.as_mut().map(|ring| &mut ring.ring)
}

/// Keeps up to [`DEPTH`] entries in flight until all are done, or the ring breaks and those in flight are.
///
/// # Safety
/// As for [`transfer`].
unsafe fn drive(
    ring: &mut IoUring,
    mut entry: impl FnMut(usize) -> squeue::Entry,
    moved: &mut [usize],
) -> io::Result<()> {
    let (mut next, mut in_flight) = (0, 0);
    while next < moved.len() || in_flight > 0 {
        while next < moved.len() && in_flight < DEPTH {
            let entry = entry(next).user_data(next as u64);
            // SAFETY: the entry's memory outlives it by this function's contract and invariant 1.
            if unsafe { ring.submission().push(&entry) }.is_err() {
                break;
            }
            next += 1;
            in_flight += 1;
        }
        match ring.submit_and_wait(1) {
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ResourceBusy) => {}
            Err(error) => {
                in_flight -= ring.submission().len();
                drain(ring, in_flight, moved);
                return Err(error);
            }
        }
        in_flight -= reap(ring, moved);
    }
    Ok(())
}

/// Takes what is complete; returns how many that were.
fn reap(ring: &mut IoUring, moved: &mut [usize]) -> usize {
    let mut count = 0;
    for done in ring.completion() {
        moved[done.user_data() as usize] = usize::try_from(done.result()).unwrap_or(0);
        count += 1;
    }
    count
}

/// Waits for what the kernel took from a ring that does not take calls any more: completions still arrive.
fn drain(ring: &mut IoUring, mut in_flight: usize, moved: &mut [usize]) {
    loop {
        in_flight -= reap(ring, moved);
        if in_flight == 0 {
            return;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Create, Disk, LinuxDisk, Open, ReadAt, WriteAt};

    fn has_ring() -> bool {
        RING.with(|slot| slot.borrow().is_some())
    }

    #[test]
    fn a_ring_is_made_for_a_large_batch_of_scattered_requests_only() {
        let path = std::env::temp_dir().join(format!("cica-uring-{}", std::process::id()));
        let disk = LinuxDisk { rings: true };
        let how = Open {
            write: true,
            create: Create::New,
            ..Open::default()
        };
        let file = disk.open(&path, how).expect("a file in the temporary directory");
        disk.remove(&path).expect("its name");

        let block = [7; 512];
        let neighbours: Vec<_> = (0..20)
            .map(|index| WriteAt {
                at: index * 512,
                buf: &block,
            })
            .collect();
        file.write(&neighbours).expect("one vectored write");
        file.write(&[WriteAt { at: 0, buf: &block }]).expect("one write");
        assert!(!has_ring(), "a ring was made for single transfers");

        let scattered: Vec<_> = (0..200)
            .map(|index| WriteAt {
                at: index * 1024,
                buf: &block,
            })
            .collect();
        file.write(&scattered).expect("a large batch");
        assert_eq!(has_ring(), !REFUSED.load(Ordering::Relaxed));

        let mut buffers = vec![[0; 512]; 200];
        let at = |index: usize| index as u64 * 1024;
        let mut reads: Vec<_> = buffers
            .iter_mut()
            .enumerate()
            .map(|(i, buf)| ReadAt { at: at(i), buf, got: 0 })
            .collect();
        file.read(&mut reads).expect("a large batch");
        assert!(reads.iter().all(|read| read.got == 512));
        assert!(buffers.iter().all(|buffer| *buffer == block));
    }
}
