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
pub(super) fn read(fd: BorrowedFd<'_>, mut transfers: Vec<(u64, &mut [IoSliceMut<'_>])>) -> Option<Vec<usize>> {
    let (fd, count) = (types::Fd(fd.as_raw_fd()), transfers.len());
    let entry = |index: usize| {
        let (at, buffers) = &mut transfers[index];
        // An IoSliceMut has the layout of an iovec.
        opcode::Readv::new(fd, buffers.as_mut_ptr().cast(), buffers.len() as u32)
            .offset(*at)
            .build()
    };
    // SAFETY: `transfers` lives until the call is over, and what it points to is borrowed for longer, mutably.
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
        // When there is nothing left to add, one wait is enough.
        let awaited = if next == moved.len() { in_flight } else { 1 };
        match ring.submit_and_wait(awaited) {
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
    use crate::{Create, Disk, LinuxDisk, Open, WriteAt};
    use rustix::fd::{AsFd, OwnedFd};

    fn has_ring() -> bool {
        RING.with(|slot| slot.borrow().is_some())
    }

    fn file_without_name(test: &str) -> OwnedFd {
        let path = std::env::temp_dir().join(format!("cica-uring-{}-{test}", std::process::id()));
        let file = std::fs::File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .expect("a file");
        std::fs::remove_file(&path).expect("its name");
        file.into()
    }

    #[test]
    fn more_transfers_than_the_ring_has_room_for() {
        let file = file_without_name("many");
        let blocks: Vec<[u8; 512]> = (0..200).map(|index| [index as u8; 512]).collect();
        let buffers: Vec<[IoSlice<'_>; 1]> = blocks.iter().map(|block| [IoSlice::new(block)]).collect();
        let writes: Vec<_> = buffers
            .iter()
            .enumerate()
            .map(|(i, buffer)| (i as u64 * 1024, &buffer[..]))
            .collect();
        let Some(moved) = write(file.as_fd(), &writes) else {
            assert!(
                REFUSED.load(Ordering::Relaxed),
                "no ring, and the kernel did not refuse one"
            );
            return;
        };
        assert!(has_ring());
        assert_eq!(moved, [512; 200]);

        let mut blocks = vec![[0xEE; 1024]; 201];
        let mut buffers: Vec<[IoSliceMut<'_>; 1]> = blocks.iter_mut().map(|block| [IoSliceMut::new(block)]).collect();
        let reads = buffers
            .iter_mut()
            .enumerate()
            .map(|(i, buffer)| (i as u64 * 1024, &mut buffer[..]))
            .collect();
        let moved = read(file.as_fd(), reads).expect("the ring of the writes");
        assert_eq!(moved[..199], [1024; 199]);
        assert_eq!(
            moved[199..],
            [512, 0],
            "short at the end of the file and nothing after it"
        );
        for (index, block) in blocks[..200].iter().enumerate() {
            assert!(block[..512] == [index as u8; 512], "block {index} is another's");
        }
    }

    #[test]
    fn a_thread_keeps_its_ring() {
        let file = file_without_name("kept");
        let block = [7; 512];
        let buffer = [IoSlice::new(&block)];
        let ring = || RING.with(|slot| slot.borrow().as_ref().map(|ring| ring.ring.as_raw_fd()));
        let first = write(file.as_fd(), &[(0, &buffer[..])]).and_then(|_| ring());
        // Whatever is opened now would get the number that a ring given up had.
        let _other = file_without_name("other");
        assert_eq!(write(file.as_fd(), &[(512, &buffer[..])]).and_then(|_| ring()), first);
    }

    #[test]
    fn a_transfer_that_fails_moves_nothing_and_harms_no_other() {
        let file = file_without_name("failing");
        let block = [7; 512];
        let buffer = [IoSlice::new(&block)];
        let writes: Vec<_> = [0, 1 << 63, 512].map(|at| (at, &buffer[..])).into();
        if let Some(moved) = write(file.as_fd(), &writes) {
            assert_eq!(moved, [512, 0, 512]);
        }
    }

    #[test]
    fn no_ring_is_made_for_what_needs_none() {
        let path = std::env::temp_dir().join(format!("cica-uring-{}-none", std::process::id()));
        let disk = LinuxDisk::new();
        let file = disk
            .open(
                &path,
                Open {
                    write: true,
                    create: Create::New,
                    ..Open::default()
                },
            )
            .expect("a file");
        disk.remove(&path).expect("its name");
        let block = [7; 512];
        file.write(&[WriteAt { at: 0, buf: &block }]).expect("one write");
        let neighbours: Vec<_> = (0..20)
            .map(|index| WriteAt {
                at: index * 512,
                buf: &block,
            })
            .collect();
        file.write(&neighbours).expect("one vectored write");
        let scattered: Vec<_> = (0..20)
            .map(|index| WriteAt {
                at: index * 1024,
                buf: &block,
            })
            .collect();
        file.write(&scattered).expect("copies to the page cache");
        assert!(!has_ring());
    }
}
