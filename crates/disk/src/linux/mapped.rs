//! Memory that shows part of a file for stores (D8).
//!
//! A store that the file system cannot take (no space in a copy-on-write file system, a device that fails) answers with
//! the signal SIGBUS, which `window.rs` catches: the store counts as not done, and so does every later one.
#![allow(unsafe_code)]

use super::fork;
use super::window::{Showing, Shown};
use crate::cells::KeptMemory;
use crate::{Cells, Mapped, LINE};
use rustix::fd::BorrowedFd;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Stores {
    showing: Showing,
    /// Of the process that mapped it: a child has no such memory (D7).
    generation: u32,
}

impl Stores {
    pub fn into(showing: Showing) -> Stores {
        Stores {
            showing,
            generation: fork::generation(),
        }
    }
}

impl Mapped for Stores {
    fn store(&self, at: usize, bytes: &[u8]) -> bool {
        let inside = at.checked_add(bytes.len()).is_some_and(|end| end <= self.showing.len());
        if !inside || self.generation != fork::generation() || self.showing.is_broken() {
            return false;
        }
        // SAFETY: the range lies inside the mapping, which is writable, and `bytes` outside it. No reference into the
        // mapping exists; who else has it mapped reads a file.
        unsafe {
            let to = self.showing.memory().as_ptr().add(at);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        !self.showing.is_broken()
    }
}

impl KeptMemory for Showing {}

/// The words of the first `len` bytes of a file, to be counted in; `None` where that cannot be had.
pub(super) fn cells(fd: BorrowedFd<'_>, len: usize) -> Option<Cells> {
    let showing = Showing::new(fd, 0, len, Shown::Counted)?;
    let (first, count) = (showing.memory().cast(), showing.len() / 8);
    // SAFETY: a mapping begins at a page, and stays while `showing` does; a page that cannot be had is replaced.
    (count >= LINE).then(|| unsafe { Cells::of(first, count, Arc::new(showing)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd;

    /// A file of one page in a mapping of two: what lies behind its end has no page, as on a device that is full.
    #[test]
    fn a_store_that_finds_no_page_is_told_and_so_is_each_after_it() {
        let path = std::env::temp_dir().join(format!("cica-mapped-{}", std::process::id()));
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path);
        let file = file.expect("a file");
        std::fs::remove_file(&path).expect("its name");
        file.set_len(4096).expect("its length");
        let stores = Stores::into(Showing::new(file.as_fd(), 0, 8192, Shown::ToStore).expect("memory"));
        assert!(stores.store(100, b"here"));
        let mut read = [0; 4];
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut read, 100).expect("what was stored");
        assert_eq!(&read, b"here");
        assert!(!stores.store(5000, b"gone"));
        assert!(!stores.store(100, b"late"));
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut read, 100).expect("what was stored");
        assert_eq!(&read, b"here");
        assert!(!stores.store(8190, b"over") && !stores.store(usize::MAX, b"x"));
    }
    /// What is counted in cells is in the file, also behind an end that the file gets later, and a page that the file
    /// lost is one that nobody else sees.
    #[test]
    fn what_is_counted_in_cells_is_in_the_file_while_that_has_the_place() {
        use std::os::unix::fs::FileExt;
        use std::sync::atomic::Ordering::Relaxed;
        let path = std::env::temp_dir().join(format!("cica-cells-{}", std::process::id()));
        let how = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path);
        let file = how.expect("a file");
        std::fs::remove_file(&path).expect("its name");
        file.set_len(4096).expect("its length");
        let cells = cells(file.as_fd(), 8192).expect("memory");
        assert_eq!(cells.count(), 1024);
        cells.at(3).fetch_add(5, Relaxed);
        let mut word = [0; 8];
        file.read_exact_at(&mut word, 24).expect("the word");
        assert_eq!(u64::from_le_bytes(word), 5);
        file.set_len(8192).expect("its length");
        cells.at(512).fetch_add(7, Relaxed);
        file.read_exact_at(&mut word, 4096).expect("the word");
        assert_eq!(u64::from_le_bytes(word), 7);
        file.set_len(0).expect("its length");
        cells.at(3).fetch_add(1, Relaxed);
        cells.at(3).fetch_add(1, Relaxed);
        assert_eq!(cells.at(3).load(Relaxed), 2);
        assert_eq!(file.metadata().expect("the file").len(), 0);
    }
}
