//! Files that have two doors: libcob's functions, and EXTFH with a file control description. One table says of both what
//! is open, so that what came in by one door is known at the other.
//!
//! * T1. A description is here from the OPEN that made its file Cica's, or from the first request for a file that
//!   libcob's functions made Cica's, until the file is closed, by whichever door.
//! * T2. Meanwhile the program's own file, if it has one, has the same word as the file made from the description, so
//!   that libcob's functions find it open. To libcob it is an optional file that is not there: what comes to libcob all
//!   the same, where this library is not in front of it, touches nothing, and its CLOSE leaves a file that is closed.
//! * T3. What is not here is libcob's only if libcob opened it: nothing else is passed on.

use crate::libcob::fcd::{self, Fcd};
use crate::libcob::layout::{open, File};
use crate::shadow::Shadow;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// See the module.
#[derive(Clone)]
pub struct Description {
    fcd: *mut Fcd,
    /// The program's own file; null where there is none, or libcob does not say which.
    pub own: *mut File,
    /// The file made from the description.
    pub shadow: Arc<Mutex<Shadow>>,
    /// What is kept for it.
    kept: usize,
}

// SAFETY: the pointers are to the program's memory, and used by the thread that makes the request.
unsafe impl Send for Description {}

static ALL: Mutex<Vec<Description>> = Mutex::new(Vec::new());

/// Descriptions that libcob opened, each with the program's own file for it, or 0. Nobody asks libcob about the file of
/// one that is open: the answer would cost it its locks.
static LIBCOBS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// The file of this description, if it is open and Cica's.
///
/// # Safety
/// A file control description.
pub unsafe fn known(fcd: *mut Fcd) -> Option<Description> {
    ALL.lock().iter().find(|known| known.fcd == fcd).cloned()
}

/// The file is Cica's (T1). `word`: its handler; `kept`: what is kept for it.
///
/// # Safety
/// A file control description, and null or the program's own file for it.
pub unsafe fn enter(fcd: *mut Fcd, own: *mut File, shadow: &Arc<Mutex<Shadow>>, kept: usize, mode: u8) {
    // SAFETY: the caller's promise.
    if let Some(own) = unsafe { own.as_mut() } {
        // T2.
        own.handler = shadow.lock().file.handler;
        (own.open, own.absent) = (mode, 1);
    }
    LIBCOBS.lock().remove(&(fcd as usize));
    let mut all = ALL.lock();
    all.retain(|known| known.fcd != fcd && (own.is_null() || known.own != own));
    all.push(Description {
        fcd,
        own,
        shadow: shadow.clone(),
        kept,
    });
}

/// What is kept is closed, and the files that had it are in this mode.
///
/// # Safety
/// The descriptions and files of it are the program's still.
pub unsafe fn leave(kept: usize, mode: u8) {
    let (mut all, mut gone) = (ALL.lock(), Vec::new());
    all.retain(|known| {
        if known.kept == kept {
            gone.push(known.clone());
        }
        known.kept != kept
    });
    drop(all);
    for Description { fcd, own, .. } in gone {
        // SAFETY: the caller's promise.
        unsafe {
            (*fcd).open_mode = fcd::CLOSED;
            if let Some(own) = own.as_mut() {
                own.handler = std::ptr::null_mut();
                (own.open, own.absent) = (mode, 0);
            }
        }
    }
}

impl Description {
    /// Has libcob closed the program's own file, which this library did not hear of (T2)?
    ///
    /// # Safety
    /// The program's file is there.
    pub unsafe fn was_closed_by_libcob(&self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.own.as_ref() }.is_some_and(|own| own.open == open::CLOSED)
    }
}

/// The program's own file for a description that libcob has opened, or null; none: it has not, by this door.
pub fn opened_by_libcob(fcd: *const Fcd) -> Option<*mut File> {
    LIBCOBS.lock().get(&(fcd as usize)).map(|&own| own as *mut File)
}

/// Has libcob opened the file of a description that is not here (T3), by whichever door?
///
/// # Safety
/// As [`enter`].
pub unsafe fn is_libcobs(fcd: *const Fcd, own: *const File) -> bool {
    // SAFETY: the caller's promise.
    opened_by_libcob(fcd).is_some() || unsafe { own.as_ref() }.is_some_and(|own| own.open != open::CLOSED)
}

/// libcob has opened it.
pub fn note_libcobs(fcd: *const Fcd, own: *mut File) {
    LIBCOBS.lock().insert(fcd as usize, own as usize);
}

/// libcob has closed it, or could not open it.
pub fn forget_libcobs(fcd: *const Fcd) {
    LIBCOBS.lock().remove(&(fcd as usize));
}

/// The program gives its own file up, and its description goes with it.
pub fn forget_file(own: *const File) {
    LIBCOBS.lock().retain(|_, of| *of != own as usize);
}
