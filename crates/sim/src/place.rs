//! Where a store lies: at the root of its disk, or below a directory, as a copy does. Of each thread by itself, because
//! a run is one thread's.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

thread_local! {
    static BELOW: RefCell<PathBuf> = RefCell::default();
    static RECORDS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// A directory of the store, which `path` names from the root.
pub(crate) fn at(path: &str) -> PathBuf {
    BELOW.with_borrow(|below| {
        if below.as_os_str().is_empty() {
            PathBuf::from(path)
        } else {
            below.join(path.trim_start_matches('/'))
        }
    })
}

/// Is the store a copy?
pub(crate) fn is_copy() -> bool {
    BELOW.with_borrow(|below| !below.as_os_str().is_empty())
}

/// Do digests of what a catalog holds leave out what is not of the records? A catalog of one moment and data sets of
/// another are each right by themselves.
pub(crate) fn records_alone() -> bool {
    RECORDS_ALONE.get()
}

/// Does something with such digests.
pub(crate) fn by_records_alone<T>(act: impl FnOnce() -> T) -> T {
    RECORDS_ALONE.set(true);
    let done = act();
    RECORDS_ALONE.set(false);
    done
}

/// Does something with the store below a directory.
pub(crate) fn below<T>(directory: &Path, act: impl FnOnce() -> T) -> T {
    struct Back(PathBuf);
    impl Drop for Back {
        fn drop(&mut self) {
            BELOW.set(std::mem::take(&mut self.0));
        }
    }
    let _back = Back(BELOW.replace(directory.to_path_buf()));
    act()
}
