//! A file of the program's becomes Cica's with OPEN, and libcob's again with CLOSE.

use crate::described;
use crate::fd::Fd;
use crate::kept::{act, behind, keep, kept, let_go};
use crate::libcob::fcd::Fcd;
use crate::libcob::layout::{close, lock, open, organization, select, Field, File};
use crate::libcob::{libcob, next};
use crate::open::{elsewhere, may_be_a_data_set, Elsewhere};
use crate::opening::{OpenOutcome, Request};
use crate::process::is_forked;
use crate::request;
use crate::run_unit::at_the_end;
use crate::status::{note, note_open, Outcome};
use parking_lot::Mutex;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{c_int, c_uchar, CStr, CString};
use std::os::unix::ffi::OsStringExt;

/// What comes with an OPEN through EXTFH.
pub struct Described<'a> {
    /// Why the keys of the description cannot be read.
    pub no_keys: Option<&'a str>,
}

/// Opens the file if it is Cica's; none when it is libcob's. `described`: the request came through EXTFH.
///
/// # Safety
/// As [`cob_open`](crate::border::cob_open).
pub unsafe fn take_over(
    file: *mut File,
    mode: c_int,
    sharing: c_int,
    described: Option<Described<'_>>,
) -> Option<Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let f = file.as_mut()?;
        let lines = f.organization == organization::LINE_SEQUENTIAL;
        if !(is_candidate(f) || lines && is_known(f)) || f.open != open::CLOSED {
            return None;
        }
        let libcob = libcob()?;
        let assign = text(f.assign)?;
        if is_forked() {
            // Its parent's session would have told whether it is a data set.
            let refused = may_be_a_data_set(&assign, lines);
            return refused.then(|| behind(|| Outcome::Failed));
        }
        let mut libcobs = false;
        note(0, 0, 0);
        let outcome = behind(|| {
            let select_name = select_name(f);
            let request = request_of(f, &select_name, &assign, mode as c_uchar);
            let bits = f.lock & !lock::OPEN_EXCLUSIVE | sharing as c_uchar;
            let request = Request {
                locks: bits,
                described: described.is_some(),
                fd: match described.as_ref().and_then(|described| described.no_keys) {
                    Some(reason) => Err(reason.into()),
                    None => request.fd,
                },
                ..request
            };
            match request.open() {
                OpenOutcome::Libcobs => {
                    libcobs = true;
                    if described.is_some() && is_sequential(f) {
                        // libcob finds it by itself; what it looks like is told here.
                        elsewhere(&select_name, &assign, mode as c_uchar);
                    }
                    Outcome::Done
                }
                OpenOutcome::Refused(outcome) => {
                    // Declaratives of the mode look at it.
                    f.last_open = mode as c_uchar;
                    note_open(outcome);
                    outcome
                }
                OpenOutcome::Cicas(open_file, outcome) => {
                    at_the_end(libcob);
                    leave_list(f);
                    request::opened(f, mode as c_uchar, sharing as c_uchar);
                    f.handler = keep(open_file);
                    outcome
                }
            }
        });
        (!libcobs).then_some(outcome)
    }
}

/// Files that libcob was asked to open, whether it could or not: it keeps a list of them for COMMIT, ROLLBACK and the
/// end of the program.
static LISTED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// libcob is asked to open the file.
pub fn list(file: *const File) {
    LISTED.lock().insert(file as usize);
}

/// The file is gone.
pub fn unlist(file: *const File) {
    LISTED.lock().remove(&(file as usize));
}

/// Takes a file that becomes Cica's off libcob's list. There libcob would take Cica's handler word for its own, and
/// follow it to what CANCEL has freed: of a CLOSE of Cica's it does not hear.
///
/// # Safety
/// `f` is a file of the program, and closed.
pub unsafe fn leave_list(f: &mut File) {
    let was_listed = LISTED.lock().remove(&(std::ptr::from_mut(f) as usize));
    if let (true, Some(close)) = (was_listed, next().close) {
        // libcob says that it is not open (42), and OPEN sets the status anew.
        // SAFETY: libcob's own function, and the caller's promise.
        unsafe { close(f, std::ptr::null_mut(), close::NORMAL, close::FROM_LIST) }
    }
}

thread_local! {
    /// A request of a description goes on to libcob's own handler.
    static PASSED_ON: Cell<bool> = const { Cell::new(false) };
}

/// Passes a request of a description on.
pub fn pass_on<T>(call: impl FnOnce() -> T) -> T {
    let before = PASSED_ON.replace(true);
    let done = call();
    PASSED_ON.set(before);
    done
}

/// Does libcob's own handler ask, for a file that was found to be libcob's?
pub fn is_passed_on() -> bool {
    PASSED_ON.get()
}

/// Program's files for which libcob has made a description.
static DESCRIBED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// libcob makes a description of the program's file, if it has none.
pub fn note_description(own: *const File) {
    DESCRIBED.lock().insert(own as usize);
}

/// The program's file is closed by libcob's functions, or gone: libcob would find its description again, for this file
/// or for another one at its place, and in it what was so before.
///
/// # Safety
/// `own` is a file of the program, and closed.
pub unsafe fn forget_description(own: *mut File) {
    /// A handler to which every file is closed.
    unsafe extern "C" fn closed(_: *mut c_uchar, _: *mut Fcd) -> c_int {
        0
    }
    described::forget_file(own);
    let was_described = DESCRIBED.lock().remove(&(own as usize));
    if let (true, Some(close)) = (was_described, next().extfh_close) {
        // SAFETY: libcob's own function, and the caller's promise.
        unsafe { close(closed, own, std::ptr::null_mut(), 0, 0) }
    }
}

/// What an OPEN of this file asks for.
///
/// # Safety
/// `f` is a file of the program.
pub unsafe fn request_of<'a>(f: &File, file: &'a str, assign: &'a str, mode: u8) -> Request<'a> {
    Request {
        mode,
        optional: f.optional != 0,
        collating: !f.collating.is_null(),
        // SAFETY: the caller's promise.
        fd: unsafe { Fd::of(f) },
        organization: f.organization,
        locks: f.lock,
        ..Request::named(file, assign)
    }
}

/// CLOSE of a file of Cica's; none when it is not.
///
/// # Safety
/// `file` is a file of the program.
pub unsafe fn close(file: *mut File, option: c_int) -> Option<Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let outcome = act(file, |open| match option {
            close::UNIT | close::UNIT_REMOVAL => Err(Outcome::NoReel),
            close::NO_REWIND => open.close().and(Err(Outcome::NoReel)),
            _ => open.close(),
        })?;
        match option {
            close::UNIT | close::UNIT_REMOVAL => {}
            close::LOCK => forget(file, open::LOCKED),
            _ => forget(file, open::CLOSED),
        }
        Some(outcome)
    }
}

/// From now on the file is libcob's.
///
/// # Safety
/// A file of Cica's.
pub unsafe fn forget(file: *mut File, mode: u8) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(kept) = kept(file) {
            behind(|| {
                (*file).handler = std::ptr::null_mut();
                (*file).open = mode;
                let_go(kept, mode);
                Outcome::Done
            });
        }
    }
}

/// The text of a data item, without the blanks behind it; none of a LINKAGE item that was not passed.
///
/// # Safety
/// `field` is null or a data item of the program.
pub unsafe fn text(field: *const Field) -> Option<String> {
    // SAFETY: the caller's promise, here and below.
    let field = unsafe { field.as_ref() }.filter(|field| !field.data.is_null())?;
    let bytes = unsafe { std::slice::from_raw_parts(field.data, field.size) };
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).trim_end().to_string())
}

/// Its name in SELECT.
///
/// # Safety
/// `f` is a file of the program.
pub unsafe fn select_name(f: &File) -> String {
    if f.select_name.is_null() {
        "?".into()
    } else {
        // SAFETY: the caller's promise.
        unsafe { CStr::from_ptr(f.select_name) }.to_string_lossy().into_owned()
    }
}

/// Can it be a data set?
fn is_candidate(f: &File) -> bool {
    let kinds = [organization::SEQUENTIAL, organization::RELATIVE, organization::INDEXED];
    kinds.contains(&f.organization) && is_known(f)
}

/// Has it a name that may be looked up?
pub fn is_known(f: &File) -> bool {
    f.version == 1 && f.select & select::STANDARD == 0 && !f.assign.is_null()
}

fn is_sequential(f: &File) -> bool {
    matches!(f.organization, organization::SEQUENTIAL | organization::LINE_SEQUENTIAL)
}

/// What libcob is to open in the place of what ASSIGN says.
pub struct LibcobPlace {
    path: CString,
    lines: bool,
    /// How: DISP=MOD makes EXTEND of OUTPUT.
    pub mode: c_int,
}

/// Where a sequential file of libcob's lies, when ASSIGN leads to a data set that is not VSAM's, or to nothing.
///
/// # Safety
/// `f` is a file of the program.
pub unsafe fn place_of(f: &File, mode: c_int) -> Option<LibcobPlace> {
    let kinds = [organization::SEQUENTIAL, organization::LINE_SEQUENTIAL];
    if is_forked()
        || !kinds.contains(&f.organization)
        || f.open != open::CLOSED
        || f.version != 1
        || f.select & select::STANDARD != 0
    {
        return None;
    }
    // SAFETY: the caller's promise.
    let (assign, file) = unsafe { (text(f.assign)?, select_name(f)) };
    let mut place = None;
    behind(|| {
        place = elsewhere(&file, &assign, mode as c_uchar);
        Outcome::Done
    });
    let Elsewhere { path, lines, behind } = place?;
    Some(LibcobPlace {
        path: CString::new(path.into_os_string().into_vec()).ok()?,
        lines,
        mode: if behind { open::EXTEND.into() } else { mode },
    })
}

/// Calls libcob with another ASSIGN than the program's.
///
/// # Safety
/// `file` is a file of the program.
pub unsafe fn under(file: *mut File, place: Option<&LibcobPlace>, call: impl FnOnce()) {
    // SAFETY: the caller's promise; libcob copies the text of ASSIGN in an OPEN.
    unsafe {
        let (Some(place), Some(f)) = (place, file.as_mut()) else {
            return call();
        };
        let LibcobPlace { path, lines, .. } = place;
        if *lines && f.organization == organization::SEQUENTIAL {
            f.organization = organization::LINE_SEQUENTIAL;
            AS_LINES.lock().push(file as usize);
        }
        let own = f.assign;
        let mut other = Field {
            size: path.as_bytes().len(),
            data: path.as_ptr().cast_mut().cast(),
            attributes: (*own).attributes,
        };
        f.assign = &mut other;
        call();
        (*file).assign = own;
        back_to_records(file);
    }
}

/// Files of records whose data sets have lines, so that libcob takes them for such while they are open.
static AS_LINES: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// A file that is closed is again what the program says.
///
/// # Safety
/// `file` is null or a file of the program.
pub unsafe fn back_to_records(file: *mut File) {
    let mut all = AS_LINES.lock();
    let at = all.iter().position(|known| *known == file as usize);
    // SAFETY: the caller's promise.
    if let (Some(at), Some(f)) = (at, unsafe { file.as_mut() }) {
        if matches!(f.open, open::CLOSED | open::LOCKED) {
            f.organization = organization::SEQUENTIAL;
            all.swap_remove(at);
        }
    }
}
