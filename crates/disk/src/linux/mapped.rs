//! Memory that shows part of a file for stores (D8).
//!
//! A store that the file system cannot take (no space in a copy-on-write file system, a device that fails) answers with
//! the signal SIGBUS, which `window.rs` catches: the store counts as not done, and so does every later one.
#![allow(unsafe_code)]

use super::fork;
use super::window::Showing;
use crate::Mapped;

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
        let stores = Stores::into(Showing::new(file.as_fd(), 0, 8192, true).expect("memory"));
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
}
