//! EXTFH: what programs call that were compiled with `cobc -fcallfh=CICAFH`.
//!
//! Such a program hands over a file control description instead of its file. For each open file of Cica's a file in
//! libcob's layout is kept beside it, so that one code answers the requests of both ways; what is not Cica's goes on to
//! libcob's own handler, EXTFH.
//!
//! What a description does not tell a handler cannot know: RECORD DEPENDING ON and RELATIVE KEY after READ NEXT are
//! libcob's to update, CLOSE WITH LOCK does not come through.
//!
//! | lock | in a program that cobc compiled | in one that fills the description itself |
//! |---|---|---|
//! | LOCK MODE, LOCK ON MULTIPLE RECORDS | of the program's file, see [`cob_extfh_open`]; else as beside | the description |
//! | SHARING, OPEN WITH LOCK | an argument of [`cob_extfh_open`] | LOCK MODE EXCLUSIVE |
//! | READ WITH LOCK, KEPT LOCK, NO LOCK | the description's options | the operation, or the options |
//! | READ WITH WAIT, IGNORING LOCK | the description's options | the same |
//! | UNLOCK, COMMIT, ROLLBACK | libcob's functions, which [`crate::border`] has | the operation |
//!
//! What is an argument or a function of libcob's is seen only when this library comes before libcob: by LD_PRELOAD, or
//! because it was linked before it.

use crate::described;
use crate::kept::{self, kept};
use crate::libcob::fcd::{self, Fcd};
use crate::libcob::layout::{self, close, open, organization, read, Field, File};
use crate::libcob::{libcob, next, FileHandler};
use crate::request;
use crate::run_unit;
use crate::shadow::{big_endian, Shadow};
use crate::status::{Outcome, Set, Status};
use crate::taking::{self, Described};
use parking_lot::Mutex;
use std::cell::Cell;
use std::ffi::{c_int, c_uchar};
use std::sync::Arc;

/// Requests.
mod operation {
    use crate::libcob::layout::read;

    pub const CLOSE: u16 = 0xFA80;
    pub const OPEN: std::ops::RangeInclusive<u16> = 0xFA00..=0xFA03;
    pub const WRITE: u16 = 0xFAF3;
    pub const REWRITE: u16 = 0xFAF4;
    pub const DELETE: u16 = 0xFAF7;
    pub const UNLOCK: u16 = 0xFA0E;
    pub const UNLOCK_RECORD: u16 = 0x000F;
    pub const COMMIT: u16 = 0xFADC;
    pub const ROLLBACK: u16 = 0xFADD;

    /// Which record a READ returns.
    #[derive(Clone, Copy)]
    pub enum Way {
        Next,
        Previous,
        ByKey,
    }

    /// Operations of READ: the record, and the phrase about its lock, which takes the place of those in the options;
    /// with none the options say it.
    pub const READ: [(u16, Way, i32); 12] = [
        (0xFAF5, Way::Next, 0),
        (0xFA8D, Way::Next, read::NO_LOCK),
        (0xFAD8, Way::Next, read::LOCK),
        (0xFAD9, Way::Next, read::KEPT_LOCK),
        (0xFAF9, Way::Previous, 0),
        (0xFA8C, Way::Previous, read::NO_LOCK),
        (0xFADE, Way::Previous, read::LOCK),
        (0xFADF, Way::Previous, read::KEPT_LOCK),
        (0xFAF6, Way::ByKey, 0),
        (0xFA8E, Way::ByKey, read::NO_LOCK),
        (0xFADA, Way::ByKey, read::LOCK),
        (0xFADB, Way::ByKey, read::KEPT_LOCK),
    ];

    /// Operations of START, and what libcob calls the relation.
    pub const START: [(u16, i32); 7] = [
        (0xFAE8, 1),
        (0xFAFE, 2),
        (0xFAFF, 3),
        (0xFAEA, 4),
        (0xFAEB, 5),
        (0xFAED, 7),
        (0xFAEC, 8),
    ];
    /// CLOSE with an option, and libcob's number of the option.
    pub const CLOSE_WITH: [(u16, i32); 5] = [(0xFA81, 1), (0xFA82, 2), (0xFA84, 3), (0xFA85, 4), (0xFA86, 2)];
}

thread_local! {
    /// The file that this thread is about to open through a handler, and its SHARING.
    static OPENING: Cell<(*mut File, c_int)> = const { Cell::new((std::ptr::null_mut(), 0)) };
}

/// OPEN of a file with a handler that the program names: what its description does not carry is kept for CICAFH.
///
/// # Safety
/// libcob's: a handler, a file of the program, and null or its FILE STATUS.
#[no_mangle]
pub unsafe extern "C" fn cob_extfh_open(
    handler: FileHandler,
    file: *mut File,
    mode: c_int,
    sharing: c_int,
    item: *mut Field,
) {
    if let Some(open) = next().extfh_open {
        OPENING.set((file, sharing));
        taking::note_description(file);
        // SAFETY: the caller's promise.
        unsafe { open(handler, file, mode, sharing, item) }
        OPENING.set((std::ptr::null_mut(), 0));
    }
}

/// The program's own file behind a description that is opened, and its SHARING, if [`cob_extfh_open`] saw them.
///
/// # Safety
/// A file control description.
unsafe fn opening(fcd: &Fcd) -> Option<(&File, c_int)> {
    let (file, sharing) = OPENING.replace((std::ptr::null_mut(), 0));
    // SAFETY: the file is the program's, which is in the middle of its OPEN.
    let (file, record) = unsafe {
        let file = file.as_ref()?;
        (file, file.record.as_ref()?)
    };
    // A handler of the program's own may open another file meanwhile.
    (record.data == fcd.record).then_some((file, sharing))
}

/// A request of a program compiled with `-fcallfh=CICAFH`.
///
/// # Safety
/// libcob's: two bytes of operation, and a file control description.
#[no_mangle]
#[allow(non_snake_case, reason = "the name that COBOL's programmers write")]
pub unsafe extern "C" fn CICAFH(operation: *mut c_uchar, fcd: *mut Fcd) -> c_int {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let code = u16::from_be_bytes([*operation, *operation.add(1)]);
        if let operation::COMMIT | operation::ROLLBACK = code {
            // They are of all files of the run unit, of those too that are libcob's.
            let done = match code {
                operation::COMMIT => run_unit::commit_all(),
                _ => run_unit::roll_back_all(),
            };
            set_status(&mut *fcd, done.err().map_or(Outcome::Done, |failure| failure.outcome));
            return 0;
        }
        let mut known = described::known(fcd);
        if let Some(behind) = known.take_if(|known| known.was_closed_by_libcob()) {
            // That CLOSE has its status. What failed of this one was told.
            let _ = taking::close(&mut behind.shadow.lock().file, close::NORMAL);
        }
        let own = match (&known, described::opened_by_libcob(fcd)) {
            (Some(known), _) => known.own,
            (None, Some(own)) => own,
            (None, None) => own_of(&mut *fcd),
        };
        let known = known
            .map(|known| known.shadow)
            .or_else(|| opened_by_libcobs_functions(fcd, own));
        let outcome = match known {
            Some(shadow) => Some(shadow.lock().request(code, &mut *fcd, own)),
            _ if described::is_libcobs(fcd, own) => None,
            _ if operation::OPEN.contains(&code) => open_new(code, &mut *fcd, own),
            _ => Some(of_closed(code)),
        };
        let Some(outcome) = outcome else {
            return pass_on(code, operation, fcd, own);
        };
        if described::known(fcd).is_none() {
            (*fcd).open_mode = fcd::CLOSED;
        }
        let status = set_status(&mut *fcd, outcome);
        if let Some(own) = own.as_mut().filter(|own| !own.status.is_null()) {
            // libcob 3.1 takes the file for open if the status that it had before was that of success.
            own.status.copy_from_nonoverlapping((*fcd).status.as_ptr(), 2);
        }
        if let Some(libcob) = libcob() {
            libcob.after_handler(own, status);
        }
        0
    }
}

/// The program's own file for a description that is not known; null where there is none, or nobody says which.
///
/// # Safety
/// A file control description.
unsafe fn own_of(fcd: &mut Fcd) -> *mut File {
    let (file, _) = OPENING.get();
    // SAFETY: the caller's promise; the file is the program's, which is in the middle of its OPEN.
    unsafe {
        match file.as_ref().and_then(|file| file.record.as_ref()) {
            Some(record) if record.data == fcd.record => file,
            _ => libcob().map_or(std::ptr::null_mut(), |libcob| libcob.file_of(fcd)),
        }
    }
}

/// A file that libcob's functions have made Cica's: from now on it has this door too.
///
/// # Safety
/// A file control description, and null or the program's file for it.
unsafe fn opened_by_libcobs_functions(fcd: *mut Fcd, own: *mut File) -> Option<Arc<Mutex<Shadow>>> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let kept = kept(own)?;
        let shadow = Shadow::of(&*fcd)?;
        let mode = (*own).open;
        let mut file = shadow.lock();
        (file.file.handler, file.file.open) = ((*own).handler, mode);
        file.file.depending = (*own).depending;
        drop(file);
        described::enter(fcd, own, &shadow, std::ptr::from_ref(kept) as usize, mode);
        (*fcd).open_mode = mode - 1;
        Some(shadow)
    }
}

/// The status, of this process's set.
fn set_status(fcd: &mut Fcd, outcome: Outcome) -> Status {
    let status = outcome.status(Set::of_process());
    fcd.status = status.bytes();
    status
}

/// libcob's own handler.
///
/// # Safety
/// As [`CICAFH`].
unsafe fn pass_on(code: u16, operation: *mut c_uchar, fcd: *mut Fcd, own: *mut File) -> c_int {
    let Some(extfh) = next().extfh else { return -1 };
    let opens = operation::OPEN.contains(&code);
    if opens && !own.is_null() {
        taking::list(own);
    }
    // SAFETY: the caller's promise.
    unsafe {
        let was_open = described::is_libcobs(fcd, own);
        let done = taking::pass_on(|| extfh(operation, fcd));
        let failed = (*fcd).status[0] > b'0';
        if opens && failed && !was_open {
            // It says that the file is open all the same, and at STOP RUN it would be closed.
            (*fcd).open_mode = fcd::CLOSED;
            if let Some(own) = own.as_mut() {
                own.open = open::CLOSED;
            }
        }
        let closes = code == operation::CLOSE || number_of(code, &operation::CLOSE_WITH).is_some();
        if opens && !failed {
            described::note_libcobs(fcd, own);
        } else if closes {
            described::forget_libcobs(fcd);
        }
        done
    }
}

/// What a request on a closed file comes to.
fn of_closed(code: u16) -> Outcome {
    match code {
        operation::WRITE => Outcome::NotForOutput,
        operation::REWRITE | operation::DELETE => Outcome::NotForChange,
        operation::CLOSE => Outcome::NotOpen,
        // As libcob has it.
        operation::UNLOCK | operation::UNLOCK_RECORD => Outcome::Done,
        _ if number_of(code, &operation::CLOSE_WITH).is_some() => Outcome::NotOpen,
        _ => Outcome::NotForInput,
    }
}

/// libcob's number of an operation, or none where it is none of these.
fn number_of(code: u16, of: &[(u16, i32)]) -> Option<i32> {
    let found = of.iter().find(|(operation, _)| *operation == code);
    found.map(|(_, number)| *number)
}

/// OPEN of a file that is not open; none if it is libcob's.
///
/// # Safety
/// A file control description.
unsafe fn open_new(code: u16, fcd: &mut Fcd, own: *mut File) -> Option<Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let shadow = Shadow::of(fcd)?;
        let mode = (code & 3) as u8 + 1;
        let mut file = shadow.lock();
        let mut with = 0;
        file.file.depending = std::ptr::null_mut();
        if let Some((its, sharing)) = opening(fcd) {
            with = sharing;
            file.file.lock = its.lock;
            // The description of a REWRITE has the length of the whole area.
            file.file.depending = its.depending;
        }
        let no_keys = file.no_keys.take();
        let described = Described {
            no_keys: no_keys.as_deref(),
        };
        let outcome = taking::take_over(&mut file.file, mode.into(), with, Some(described))?;
        let kept = kept(&file.file).map(std::ptr::from_ref);
        if kept.is_some() {
            file.agree_with(own, true);
        }
        drop(file);
        if let Some(kept) = kept {
            if let Some(own) = own.as_mut() {
                taking::leave_list(own);
            }
            fcd.open_mode = mode - 1;
            described::enter(fcd, own, &shadow, kept as usize, mode);
        }
        Some(outcome)
    }
}

impl Shadow {
    /// A request on an open file.
    ///
    /// # Safety
    /// The description with which the file was opened.
    unsafe fn request(&mut self, code: u16, fcd: &mut Fcd, own: *mut File) -> Outcome {
        let length = big_endian(&fcd.record_length);
        self.record.size = length;
        self.number = c_int::try_from(big_endian(&fcd.number)).unwrap_or(-1);
        if !fcd.record.is_null() {
            self.move_to(fcd.record);
        } else if self.needs_record(code) {
            return Outcome::Logic;
        }
        // SAFETY: the caller's promise, here and below.
        let outcome = unsafe {
            self.agree_with(own, false);
            let outcome = self.carry_out(code, fcd, length);
            self.agree_with(own, true);
            outcome
        };
        fcd.record_length = (self.record.size as u32).to_be_bytes();
        fcd.number = (self.number.max(0) as u64).to_be_bytes();
        outcome
    }

    /// Does a request look into the record area, or fill it?
    fn needs_record(&self, code: u16) -> bool {
        let has_keys = self.file.organization == organization::INDEXED;
        match code {
            operation::CLOSE | operation::UNLOCK | operation::UNLOCK_RECORD => false,
            // In sequential access it is for the record that was read.
            operation::DELETE => has_keys && self.file.access != layout::access::SEQUENTIAL,
            _ if operation::OPEN.contains(&code) || number_of(code, &operation::CLOSE_WITH).is_some() => false,
            _ if number_of(code, &operation::START).is_some() => has_keys,
            _ => true,
        }
    }

    /// # Safety
    /// As [`request`](Self::request).
    unsafe fn carry_out(&mut self, code: u16, fcd: &mut Fcd, length: usize) -> Outcome {
        let Some(libcob) = libcob() else { return Outcome::Failed };
        let mut key = self.key_of_reference(fcd);
        let options = i32::from_be_bytes(fcd.options);
        let mut record = Field {
            size: length,
            data: fcd.record,
            attributes: std::ptr::null(),
        };
        let file = &mut self.file;
        let file: *mut File = file;
        // SAFETY: the caller's promise: the file and its areas are the shadow's and the program's.
        unsafe {
            let close_with = number_of(code, &operation::CLOSE_WITH);
            if code == operation::CLOSE || close_with.is_some() {
                let option = close_with.unwrap_or(0);
                let outcome = taking::close(file, option);
                if !matches!(option, close::UNIT | close::UNIT_REMOVAL) {
                    fcd.open_mode = fcd::CLOSED;
                }
                return outcome.unwrap_or(Outcome::NotOpen);
            }
            if operation::OPEN.contains(&code) {
                return Outcome::AlreadyOpen;
            }
            if let Some(&(_, way, phrase)) = operation::READ.iter().find(|(operation, ..)| *operation == code) {
                let key = key.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
                let options = match phrase {
                    0 => options,
                    phrase => options & !(read::LOCK | read::NO_LOCK | read::KEPT_LOCK) | phrase,
                };
                let done = kept::act_waiting(file, options, |open| match way {
                    operation::Way::Next => request::read_way(libcob, file, open, options & !read::PREVIOUS),
                    operation::Way::Previous => request::read_way(libcob, file, open, options | read::PREVIOUS),
                    operation::Way::ByKey => request::read_key(libcob, file, open, key, options),
                });
                return done.unwrap_or(Outcome::NotOpen);
            }
            let done = kept::act(file, |open| match code {
                operation::WRITE => {
                    let done = request::write(libcob, file, open, &mut record);
                    open.changed(done)
                }
                operation::REWRITE => {
                    let done = request::rewrite(libcob, file, open, &mut record, options);
                    open.changed(done)
                }
                operation::DELETE => {
                    let done = request::delete(libcob, file, open);
                    open.changed(done)
                }
                operation::UNLOCK | operation::UNLOCK_RECORD => {
                    open.unlock_all();
                    Ok(())
                }
                _ => {
                    let relation = number_of(code, &operation::START).ok_or(Outcome::Logic)?;
                    let mut key = key.ok_or(Outcome::NotFound);
                    let key = match (&mut key, (*file).organization) {
                        (Ok(key), _) => std::ptr::from_mut(key),
                        (Err(_), organization::RELATIVE) => std::ptr::null_mut(),
                        (Err(outcome), _) => return Err(*outcome),
                    };
                    request::start(libcob, file, open, relation, key, std::ptr::null_mut())
                }
            });
            done.unwrap_or(Outcome::NotOpen)
        }
    }
}
