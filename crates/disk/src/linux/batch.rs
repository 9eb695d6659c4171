//! A batch on its way to the kernel: neighbours become one vectored transfer, many transfers one submission.
//!
//! What is here only makes a batch fast. It tells how far each request came; `file.rs` brings to its end, one call
//! at a time, whatever stayed short, and learns the true error doing so.

use super::uring;
use crate::{ReadAt, WriteAt};
use rustix::fd::BorrowedFd;
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;

/// From this many transfers on a submission to a ring is cheaper than a system call for each.
pub(super) const WORTH_A_RING: usize = 8;

/// Linux takes no more buffers in one call.
const MOST_BUFFERS: usize = 1024;

/// Requests that follow each other in the batch and in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    at: u64,
    requests: Range<usize>,
}

/// Reads; `got` says how far each came.
pub(super) fn read(fd: BorrowedFd<'_>, batch: &mut [ReadAt<'_>], ring: bool) {
    let runs = runs(batch.iter().map(|read| (read.at, read.buf.len())));
    let moved = {
        let mut buffers: Vec<_> = batch.iter_mut().map(|read| IoSliceMut::new(read.buf)).collect();
        let mut rest = &mut buffers[..];
        let mut transfers = Vec::with_capacity(runs.len());
        for run in &runs {
            let (own, others) = rest.split_at_mut(run.requests.len());
            transfers.push((run.at, own));
            rest = others;
        }
        match ring && runs.len() >= WORTH_A_RING {
            true => uring::read(fd, &mut transfers),
            false => None,
        }
        .unwrap_or_else(|| {
            transfers
                .iter_mut()
                .map(|(at, buffers)| rustix::io::preadv(fd, buffers, *at).unwrap_or(0))
                .collect()
        })
    };
    for (run, moved) in runs.into_iter().zip(moved) {
        let mut left = moved;
        for read in &mut batch[run.requests] {
            read.got = left.min(read.buf.len());
            left -= read.got;
        }
    }
}

/// Writes; returns how far each request came.
pub(super) fn write(fd: BorrowedFd<'_>, batch: &[WriteAt<'_>], ring: bool) -> Vec<usize> {
    let runs = runs(batch.iter().map(|write| (write.at, write.buf.len())));
    let buffers: Vec<_> = batch.iter().map(|write| IoSlice::new(write.buf)).collect();
    let transfers: Vec<_> = runs
        .iter()
        .map(|run| (run.at, &buffers[run.requests.clone()]))
        .collect();
    let moved = match ring && runs.len() >= WORTH_A_RING {
        true => uring::write(fd, &transfers),
        false => None,
    }
    .unwrap_or_else(|| {
        transfers
            .iter()
            .map(|(at, buffers)| rustix::io::pwritev(fd, buffers, *at).unwrap_or(0))
            .collect()
    });
    let mut done = vec![0; batch.len()];
    for (run, moved) in runs.into_iter().zip(moved) {
        let mut left = moved;
        for request in run.requests {
            done[request] = left.min(batch[request].buf.len());
            left -= done[request];
        }
    }
    done
}

/// Joins neighbours; every request is in exactly one run, in the order given.
fn runs(requests: impl Iterator<Item = (u64, usize)>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut end = None;
    for (index, (at, len)) in requests.enumerate() {
        match runs.last_mut() {
            Some(run) if end == Some(at) && run.requests.len() < MOST_BUFFERS => run.requests.end = index + 1,
            _ => runs.push(Run {
                at,
                requests: index..index + 1,
            }),
        }
        end = at.checked_add(len as u64);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_make_one_run() {
        let joined = runs([(0, 10), (10, 5), (15, 1), (20, 4), (8, 12), (20, 0), (20, 3)].into_iter());
        let run = |at, requests| Run { at, requests };
        assert_eq!(joined, [run(0, 0..3), run(20, 3..4), run(8, 4..7)]);
    }

    #[test]
    fn a_run_has_no_more_buffers_than_linux_takes() {
        let joined = runs((0..2500).map(|index| (index * 512, 512)));
        assert_eq!(
            joined.iter().map(|run| run.requests.len()).collect::<Vec<_>>(),
            [1024, 1024, 452]
        );
    }

    #[test]
    fn the_end_of_the_offsets_joins_nothing() {
        assert_eq!(runs([(u64::MAX, 2), (1, 2)].into_iter()).len(), 2);
    }
}
