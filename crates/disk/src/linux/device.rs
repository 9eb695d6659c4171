//! Reading what the device has of a file, and not what the page cache has (D9).
//!
//! 1. A descriptor of its own goes around the page cache, in pieces that begin and end where a block of it may.
//! 2. Where the file system has no such descriptor, or refuses a read, the cache gives up its copy first. It keeps
//!    pages that are shown in somebody's memory, and those of a file system that is memory: there the cache is the device.

use super::uninterrupted;
use crate::ReadAt;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::num::NonZeroU64;

/// Address, offset and length divide by this: no device asks for more.
const BLOCK: usize = 4096;
/// Most that is read at once.
const CHUNK: usize = 1 << 20;

/// Reads a batch from the device; what was written was made durable before.
pub(super) fn read(main: BorrowedFd<'_>, batch: &mut [ReadAt<'_>]) -> Result<(), Errno> {
    let mut direct = around(main);
    let mut room = vec![0; CHUNK + BLOCK];
    let skip = room.as_ptr().align_offset(BLOCK).min(BLOCK);
    for read in batch {
        read.got = 0;
        while read.got < read.buf.len() {
            let at = read.at + read.got as u64;
            let before = (at % BLOCK as u64) as usize;
            let wanted = (read.buf.len() - read.got).min(CHUNK - before);
            let piece = &mut room[skip..skip + (before + wanted).next_multiple_of(BLOCK)];
            let from = at - before as u64;
            let came = match &direct {
                Some(direct) => uninterrupted(|| rustix::io::pread(direct, &mut *piece, from)),
                None => from_dropped(main, piece, from),
            };
            match came {
                Err(Errno::INVAL) if direct.is_some() => direct = None,
                Err(errno) => return Err(errno),
                // The end of the file.
                Ok(came) if came <= before => break,
                Ok(came) => {
                    let got = wanted.min(came - before);
                    read.buf[read.got..read.got + got].copy_from_slice(&piece[before..before + got]);
                    read.got += got;
                }
            }
        }
    }
    Ok(())
}

/// Another descriptor of the same file, whatever its name is now, that goes around the page cache.
fn around(main: BorrowedFd<'_>) -> Option<OwnedFd> {
    let path = format!("/proc/self/fd/{}", main.as_raw_fd());
    let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
    fs::open(path, flags, Mode::empty()).ok()
}

fn from_dropped(main: BorrowedFd<'_>, piece: &mut [u8], from: u64) -> Result<usize, Errno> {
    // It is a hint; what stays is read as it is.
    let _ = fs::fadvise(
        main.as_fd(),
        from,
        NonZeroU64::new(piece.len() as u64),
        fs::Advice::DontNeed,
    );
    uninterrupted(|| rustix::io::pread(main, &mut *piece, from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn batch_of(main: BorrowedFd<'_>, at: u64, len: usize, direct: bool) -> Vec<u8> {
        let mut buf = vec![0xEE; len];
        let mut read = ReadAt {
            at,
            buf: &mut buf,
            got: 0,
        };
        let got = if direct {
            super::read(main, std::slice::from_mut(&mut read)).expect("a read");
            read.got
        } else {
            from_dropped(main, read.buf, at).expect("a read")
        };
        buf.truncate(got);
        buf
    }

    /// Any place and length, also past the end and longer than a chunk, by both ways.
    #[test]
    fn it_reads_what_is_there() {
        let path = std::env::temp_dir().join(format!("cica-read-back-{}", std::process::id()));
        let content: Vec<u8> = (0..CHUNK + 70_001).map(|i| (i * 7 + i / 251) as u8).collect();
        let mut file = std::fs::File::create_new(&path).expect("a file");
        file.write_all(&content).expect("room");
        file.sync_all().expect("a sync");
        let file = std::fs::File::open(&path).expect("it");
        std::fs::remove_file(&path).expect("its name");
        for (at, len) in [
            (0, 512),
            (511, 2),
            (4096, 4096),
            (4095, 8194),
            (3, CHUNK + 9),
            (70_000, CHUNK + 1),
        ] {
            let there = &content[at..(at + len).min(content.len())];
            for direct in [true, false] {
                assert!(
                    batch_of(file.as_fd(), at as u64, len, direct) == there,
                    "{len} at {at}, {direct}"
                );
            }
        }
        assert!(batch_of(file.as_fd(), content.len() as u64, 10, true).is_empty());
        assert!(batch_of(file.as_fd(), 1 << 40, 10, true).is_empty());
    }
}
