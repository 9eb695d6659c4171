//! What programs call: libcob's functions for files, taken over for Cica's files and passed on for all others.
//!
//! A file of Cica's carries in its handler word the address of what is kept for it, marked in the bits that no address
//! uses, so that no pointer of libcob's can be taken for it. What is kept is never given back to the system: a second
//! thread that still has the word finds a closed file there, not foreign memory.

use crate::fd::Fd;
use crate::generation::roll_off_all;
use crate::libcob::layout::{close, lock, open, organization, read, select, Field, File};
use crate::libcob::{libcob, next, Libcob};
use crate::open::{elsewhere, may_be_a_data_set, Elsewhere};
use crate::open_file::OpenFile;
use crate::opening::{OpenOutcome, Request};
use crate::process::{is_forked, session, tell_forked, tell_interrupted};
use crate::request;
use crate::signal;
use crate::status::{note, note_open, Outcome, Set};
use crate::tell::{tell, CICA1207S, CICA1213S};
use crate::unit;
use cica_disk::{Clock, SystemClock};
use cica_session::LONGEST_WAIT;
use parking_lot::Mutex;
use std::ffi::{c_int, c_uchar, c_uint, c_void, CStr, CString};
use std::os::unix::ffi::OsStringExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Once;

/// Marks our words. On the systems Cica runs on addresses of a process have these bits clear.
const MARK: usize = 0xC1CA << 48;
const ADDRESS: usize = (1 << 48) - 1;

/// What is kept for a file of Cica's; none once it is closed.
type Kept = Mutex<Option<Box<OpenFile>>>;

/// All that were ever made; those that are free are used again.
static KEPT: Mutex<Vec<&'static Kept>> = Mutex::new(Vec::new());
static FREE: Mutex<Vec<&'static Kept>> = Mutex::new(Vec::new());

/// Files of programs whose requests come through EXTFH, by their address, and what is kept for each.
static DESCRIBED: Mutex<Vec<(usize, &'static Kept)>> = Mutex::new(Vec::new());

/// The program has a file of its own for this one, which is open: what does not come through EXTFH is asked of that.
///
/// # Safety
/// `file` is a file of the program.
pub unsafe fn describes(own: *const File, file: *const File) {
    // SAFETY: the caller's promise.
    if let (false, Some(kept)) = (own.is_null(), unsafe { kept(file) }) {
        DESCRIBED.lock().push((own as usize, kept));
    }
}

/// What is kept for a program's own file whose requests come through EXTFH.
fn described(own: *const File) -> Option<&'static Kept> {
    let all = DESCRIBED.lock();
    all.iter()
        .find(|(file, _)| *file == own as usize)
        .map(|(_, kept)| *kept)
}

/// What is kept for this file, if it is Cica's.
///
/// # Safety
/// `file` is null or a file of the program.
#[inline]
pub unsafe fn kept(file: *const File) -> Option<&'static Kept> {
    // SAFETY: the caller's promise.
    let word = unsafe { file.as_ref()?.handler } as usize;
    // SAFETY: only `keep` makes such words, of what is never given back.
    (word & !ADDRESS == MARK).then(|| unsafe { &*((word & ADDRESS) as *const Kept) })
}

/// Keeps an open file; the word for it.
fn keep(open: Box<OpenFile>) -> *mut c_void {
    signal::keep_with(keep_all);
    let kept = FREE.lock().pop().unwrap_or_else(|| {
        let new: &'static Kept = Box::leak(Box::default());
        KEPT.lock().push(new);
        new
    });
    *kept.lock() = Some(open);
    (MARK | std::ptr::from_ref(kept) as usize) as *mut c_void
}

/// Runs `act` behind the border; a panic becomes an outcome.
#[inline]
fn behind(act: impl FnOnce() -> Outcome) -> Outcome {
    let Some(_under_way) = signal::begin() else {
        tell_interrupted();
        return Outcome::Logic;
    };
    if is_forked() {
        tell_forked();
        return Outcome::Failed;
    }
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("a panic");
        tell(&CICA1213S, &[("reason", &text)]);
        note(16, 0, 0);
        Outcome::Failed
    })
}

/// A request for a file of Cica's; false when the file is not.
///
/// # Safety
/// The pointers are the program's: a file, and null or its FILE STATUS.
#[inline]
unsafe fn ours(
    file: *mut File,
    item: *mut Field,
    act: impl FnOnce(&'static Libcob, &mut OpenFile) -> Result<(), Outcome>,
) -> bool {
    let Some(libcob) = libcob() else { return false };
    // SAFETY: the caller's promise, here and below.
    let Some(outcome) = (unsafe { self::act(file, |open| act(libcob, open)) }) else {
        return false;
    };
    unsafe { libcob.set_status(file, item, status_of(outcome)) };
    true
}

/// The same for a READ with these options.
///
/// # Safety
/// As [`ours`].
#[inline]
unsafe fn our_read(
    file: *mut File,
    item: *mut Field,
    options: c_int,
    read: impl Fn(&'static Libcob, &mut OpenFile) -> Result<(), Outcome>,
) -> bool {
    let Some(libcob) = libcob() else { return false };
    // SAFETY: the caller's promise, here and below.
    let Some(outcome) = (unsafe { act_waiting(file, options, |open| read(libcob, open)) }) else {
        return false;
    };
    unsafe { libcob.set_status(file, item, status_of(outcome)) };
    true
}

/// What comes of a READ of a file of Cica's; none when the file is not. WITH WAIT it is tried again when the record that
/// another thread has locked may be free.
///
/// # Safety
/// As [`act`].
#[inline]
pub unsafe fn act_waiting(
    file: *mut File,
    options: c_int,
    read: impl Fn(&mut OpenFile) -> Result<(), Outcome>,
) -> Option<Outcome> {
    if options & read::WAIT == 0 {
        // SAFETY: the caller's promise, here and below.
        return unsafe { act(file, read) };
    }
    let locks = &session(false)?.locks;
    let begun = SystemClock.passed();
    loop {
        let seen = locks.frees();
        let (mut holder, mut shared) = (None, false);
        let outcome = unsafe {
            act(file, |open| {
                let done = read(open);
                (holder, shared) = (open.locks.holder(), open.is_shared());
                done
            })
        }?;
        // The file itself is free meanwhile, so that COMMIT of another thread gets through.
        // Another program has it: the owner of the data set has waited.
        if shared && outcome == Outcome::RecordLocked && SystemClock.passed().saturating_sub(begun) < LONGEST_WAIT {
            continue;
        }
        let (Some(holder), Outcome::RecordLocked) = (holder, outcome) else {
            return Some(outcome);
        };
        let mut may_be_free = false;
        behind(|| {
            may_be_free = locks.wait(seen, holder);
            Outcome::Done
        });
        if !may_be_free {
            return Some(outcome);
        }
    }
}

/// What comes of a request for a file of Cica's; none when the file is not.
///
/// # Safety
/// `file` is a file of the program.
#[inline]
pub unsafe fn act(file: *mut File, act: impl FnOnce(&mut OpenFile) -> Result<(), Outcome>) -> Option<Outcome> {
    // SAFETY: the caller's promise.
    unsafe { kept(file) }.map(|kept| act_on(kept, act))
}

#[inline]
fn act_on(kept: &Kept, act: impl FnOnce(&mut OpenFile) -> Result<(), Outcome>) -> Outcome {
    note(0, 0, 0);
    behind(|| match kept.lock().as_mut() {
        Some(open) => act(open).err().unwrap_or(Outcome::Done),
        None => Outcome::NotOpen,
    })
}

/// The status of this process's set.
#[inline]
fn status_of(outcome: Outcome) -> u8 {
    match outcome {
        // It is the same in all sets, and what nearly every request comes to.
        Outcome::Done => 0,
        other => other.status(Set::of_process()),
    }
}

/// The text of a data item, without the blanks behind it; none of a LINKAGE item that was not passed.
///
/// # Safety
/// `field` is null or a data item of the program.
unsafe fn text(field: *const Field) -> Option<String> {
    // SAFETY: the caller's promise, here and below.
    let field = unsafe { field.as_ref() }.filter(|field| !field.data.is_null())?;
    let bytes = unsafe { std::slice::from_raw_parts(field.data, field.size) };
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).trim_end().to_string())
}

/// OPEN.
///
/// # Safety
/// libcob's: a file of the program, and null or its FILE STATUS.
#[no_mangle]
pub unsafe extern "C" fn cob_open(file: *mut File, mode: c_int, sharing: c_int, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if kept(file).is_some() {
            ours(file, item, |_, _| Err(Outcome::AlreadyOpen));
            return;
        }
        match (take_over(file, mode, sharing, false), libcob()) {
            (Some(outcome), Some(libcob)) => libcob.set_status(file, item, status_of(outcome)),
            _ => {
                if let Some(open) = next().open {
                    let place = file.as_ref().and_then(|f| place_of(f, mode));
                    under(file, place.as_ref(), || open(file, mode, sharing, item));
                }
            }
        }
    }
}

/// Where a sequential file of libcob's lies, when ASSIGN leads to a data set that is not VSAM's, or to nothing.
///
/// # Safety
/// `f` is a file of the program.
unsafe fn place_of(f: &File, mode: c_int) -> Option<(CString, bool)> {
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
    let Elsewhere { path, lines } = place?;
    Some((CString::new(path.into_os_string().into_vec()).ok()?, lines))
}

/// Calls libcob with another ASSIGN than the program's.
///
/// # Safety
/// `file` is a file of the program.
unsafe fn under(file: *mut File, place: Option<&(CString, bool)>, call: impl FnOnce()) {
    // SAFETY: the caller's promise; libcob copies the text of ASSIGN in an OPEN.
    unsafe {
        let (Some((place, lines)), Some(f)) = (place, file.as_mut()) else {
            return call();
        };
        if *lines && f.organization == organization::SEQUENTIAL {
            f.organization = organization::LINE_SEQUENTIAL;
            AS_LINES.lock().push(file as usize);
        }
        let own = f.assign;
        let mut other = Field {
            size: place.as_bytes().len(),
            data: place.as_ptr().cast_mut().cast(),
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
unsafe fn back_to_records(file: *mut File) {
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

/// Its name in SELECT.
///
/// # Safety
/// `f` is a file of the program.
unsafe fn select_name(f: &File) -> String {
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
fn is_known(f: &File) -> bool {
    f.version == 1 && f.select & select::STANDARD == 0 && !f.assign.is_null()
}

fn is_sequential(f: &File) -> bool {
    matches!(f.organization, organization::SEQUENTIAL | organization::LINE_SEQUENTIAL)
}

/// Opens the file if it is Cica's; none when it is libcob's. `described`: the request came through EXTFH.
///
/// # Safety
/// As [`cob_open`].
pub unsafe fn take_over(file: *mut File, mode: c_int, sharing: c_int, described: bool) -> Option<Outcome> {
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
            let refused = !lines && may_be_a_data_set(&assign);
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
                described,
                ..request
            };
            match request.open() {
                OpenOutcome::Libcobs => {
                    libcobs = true;
                    if described && is_sequential(f) {
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
                    request::opened(f, mode as c_uchar, sharing as c_uchar);
                    f.handler = keep(open_file);
                    outcome
                }
            }
        });
        (!libcobs).then_some(outcome)
    }
}

/// What an OPEN of this file asks for.
///
/// # Safety
/// `f` is a file of the program.
unsafe fn request_of<'a>(f: &File, file: &'a str, assign: &'a str, mode: u8) -> Request<'a> {
    Request {
        file,
        assign,
        mode,
        optional: f.optional != 0,
        collating: !f.collating.is_null(),
        // SAFETY: the caller's promise.
        fd: unsafe { Fd::of(f) },
        organization: f.organization,
        locks: f.lock,
        described: false,
        reversed: false,
        translated: None,
        as_is: false,
        rls: None,
        buffers: None,
    }
}

/// CLOSE.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_close(file: *mut File, item: *mut Field, option: c_int, remove: c_int) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        match (close(file, option), libcob()) {
            (Some(outcome), Some(libcob)) => libcob.set_status(file, item, status_of(outcome)),
            _ => {
                if let Some(close) = next().close {
                    close(file, item, option, remove);
                    back_to_records(file);
                }
            }
        }
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
unsafe fn forget(file: *mut File, mode: u8) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(kept) = kept(file) {
            behind(|| {
                (*file).handler = std::ptr::null_mut();
                (*file).open = mode;
                *kept.lock() = None;
                DESCRIBED.lock().retain(|(_, of)| !std::ptr::eq(*of, kept));
                FREE.lock().push(kept);
                Outcome::Done
            });
        }
    }
}

/// READ.
///
/// # Safety
/// As [`cob_open`]; `key` is null or the key's data item.
#[no_mangle]
pub unsafe extern "C" fn cob_read(file: *mut File, key: *mut Field, item: *mut Field, options: c_int) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let done = our_read(file, item, options, |libcob, open| {
            if key.is_null() {
                request::read_way(libcob, file, open, options)
            } else {
                request::read_key(libcob, file, open, key, options)
            }
        });
        if !done {
            if let Some(read) = next().read {
                read(file, key, item, options);
            }
        }
    }
}

/// READ NEXT.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_read_next(file: *mut File, item: *mut Field, options: c_int) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !our_read(file, item, options, |libcob, open| {
            request::read_way(libcob, file, open, options)
        }) {
            if let Some(read_next) = next().read_next {
                read_next(file, item, options);
            }
        }
    }
}

/// START.
///
/// # Safety
/// As [`cob_open`]; `key` and `length` are null or data items.
#[no_mangle]
pub unsafe extern "C" fn cob_start(
    file: *mut File,
    condition: c_int,
    key: *mut Field,
    length: *mut Field,
    item: *mut Field,
) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let done = ours(file, item, |libcob, open| {
            request::start(libcob, file, open, condition, key, length)
        });
        if !done {
            if let Some(start) = next().start {
                start(file, condition, key, length, item);
            }
        }
    }
}

/// WRITE.
///
/// # Safety
/// As [`cob_open`]; `record` is a record of the file.
#[no_mangle]
pub unsafe extern "C" fn cob_write(
    file: *mut File,
    record: *mut Field,
    options: c_int,
    item: *mut Field,
    check: c_uint,
) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !ours(file, item, |libcob, open| {
            let done = request::write(libcob, file, open, record);
            open.changed(done)
        }) {
            if let Some(write) = next().write {
                write(file, record, options, item, check);
            }
        }
    }
}

/// REWRITE.
///
/// # Safety
/// As [`cob_write`].
#[no_mangle]
pub unsafe extern "C" fn cob_rewrite(file: *mut File, record: *mut Field, options: c_int, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !ours(file, item, |libcob, open| {
            let done = request::rewrite(libcob, file, open, record, options);
            open.changed(done)
        }) {
            if let Some(rewrite) = next().rewrite {
                rewrite(file, record, options, item);
            }
        }
    }
}

/// DELETE.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_delete(file: *mut File, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if !ours(file, item, |libcob, open| {
            let done = request::delete(libcob, file, open);
            open.changed(done)
        }) {
            if let Some(delete) = next().delete {
                delete(file, item);
            }
        }
    }
}

/// UNLOCK.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_unlock_file(file: *mut File, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let unlock_all = |open: &mut OpenFile| {
            open.unlock_all();
            Ok(())
        };
        if let (Some(kept), Some(libcob)) = (described(file), libcob()) {
            libcob.set_status(file, item, status_of(act_on(kept, unlock_all)));
        } else if !ours(file, item, |_, open| unlock_all(open)) {
            if let Some(unlock) = next().unlock {
                unlock(file, item);
            }
        }
    }
}

/// DELETE FILE.
///
/// # Safety
/// As [`cob_open`].
#[no_mangle]
pub unsafe extern "C" fn cob_delete_file(file: *mut File, item: *mut Field) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if ours(file, item, |_, _| Err(Outcome::AlreadyOpen)) {
            return;
        }
        let mut deleted = None;
        let assign = file.as_ref().and_then(|f| text(f.assign));
        if let (Some(f), Some(libcob), Some(assign)) = (file.as_ref(), libcob(), assign) {
            if f.open == open::CLOSED && is_candidate(f) {
                let done = behind(|| {
                    deleted = request_of(f, "", &assign, open::CLOSED).delete();
                    Outcome::Done
                });
                if done != Outcome::Done {
                    deleted = Some(done);
                }
            }
            if let Some(outcome) = deleted {
                libcob.set_status(file, item, status_of(outcome));
                return;
            }
        }
        if let Some(delete_file) = next().delete_file {
            delete_file(file, item);
        }
    }
}

/// The program gives a file up, as CANCEL does.
///
/// # Safety
/// libcob's: the places of a file and its keys.
#[no_mangle]
pub unsafe extern "C" fn cob_file_free(file: *mut *mut File, keys: *mut *mut c_void) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        if let Some(&file) = file.as_ref() {
            if ours(file, std::ptr::null_mut(), |_, open| open.close()) {
                forget(file, open::CLOSED);
            }
        }
        if let Some(free) = next().free {
            free(file, keys);
        }
    }
}

/// COMMIT: everything written to Cica's files stands and is durable; then libcob's part.
#[no_mangle]
pub extern "C" fn cob_commit() {
    commit_all();
}

/// The same, for calls from here: where libcob comes first, the exported name is libcob's.
pub fn commit_all() {
    if signal::is_ending() {
        return;
    }
    end_unit("COMMIT", unit::commit);
    each_open(|open| {
        open.unlock_all();
        open.commit()
    });
    if let Some(commit) = next().commit {
        // SAFETY: libcob's own function, in the place of which the program called.
        unsafe { commit() }
    }
}

/// ROLLBACK: what was written to Cica's files since the last COMMIT is taken back; then libcob's part.
#[no_mangle]
pub extern "C" fn cob_rollback() {
    roll_back_all();
}

/// The same, for calls from here, as [`commit_all`].
pub fn roll_back_all() {
    // libcob's own handler of signals says it as well; the next OPEN takes back what is to be taken back.
    if signal::is_ending() {
        return;
    }
    let mut unkept = false;
    if !unit::is_known() {
        each_open(|open| {
            unkept |= open.recoverable && open.may_change();
            Ok(())
        });
    }
    end_unit("ROLLBACK", || {
        if unkept {
            Err(
                "files were opened for change before the module with ROLLBACK was loaded; CICA_UNITS=on \
                 begins with the first OPEN"
                    .into(),
            )
        } else {
            unit::roll_back()
        }
    });
    each_open(|open| {
        open.unlock_all();
        Ok(())
    });
    if let Some(rollback) = next().rollback {
        // SAFETY: libcob's own function, in the place of which the program called.
        unsafe { rollback() }
    }
}

/// Ends the run unit's unit of recovery. To go on after a failure would leave wrong data, so the program ends then.
fn end_unit(what: &str, end: impl FnOnce() -> Result<(), String>) {
    let mut done = Ok(());
    // A child has no files of its own here.
    if !is_forked() {
        let outcome = behind(|| {
            done = end();
            Outcome::Done
        });
        if outcome != Outcome::Done {
            done = Err("an error inside Cica".into());
        }
    }
    if let (Err(reason), Some(libcob)) = (&done, libcob()) {
        tell(&CICA1207S, &[("what", &what), ("reason", reason)]);
        drop(done);
        libcob.stop();
    }
    // A module that came later says it for the first time: from now on the open files have a unit.
    if !unit::is_known() {
        each_open(|open| {
            open.join_unit().map_err(|reason| {
                (open.report)(&reason);
                Outcome::Failed
            })
        });
    }
}

fn each_open(mut act: impl FnMut(&mut OpenFile) -> Result<(), Outcome>) {
    // What fails here is told by the file itself, and its next request says it in FILE STATUS.
    let _ = behind(|| {
        for kept in KEPT.lock().iter() {
            if let Some(open) = kept.lock().as_mut() {
                let _ = act(open);
            }
        }
        Outcome::Done
    });
}

/// VSAM's code of the last request: six bytes, as the second item of FILE STATUS has them on z/OS.
///
/// # Safety
/// `to` points to six bytes.
#[no_mangle]
pub unsafe extern "C" fn cica_vsam_code(to: *mut c_uchar) -> c_int {
    if !to.is_null() {
        let code = crate::status::vsam_code();
        // SAFETY: not null, and the caller's promise.
        unsafe { to.copy_from_nonoverlapping(code.as_ptr(), code.len()) }
    }
    0
}

/// What happens when the program ends: at STOP RUN and `exit` its unit is committed and its files are closed, at a
/// signal what was answered is made durable.
fn at_the_end(libcob: &'static Libcob) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: functions that stay.
        unsafe { libc::atexit(close_all) };
        libcob.on_signal(signal::note_end);
    });
}

extern "C" fn close_all() {
    if is_forked() {
        return;
    }
    // A handler of the program's that calls `exit` may have come in the middle of a request, whose locks nobody will
    // ever give back, or of malloc; and it is in no one's plan that half a unit stands. All is left to the log.
    if signal::is_ending() || signal::is_under_way() || signal::is_in_handler() {
        return;
    }
    let mut done = Ok(());
    behind(|| {
        done = unit::commit();
        Outcome::Done
    });
    if let Err(reason) = &done {
        tell(&CICA1207S, &[("what", &"COMMIT AT STOP RUN"), ("reason", reason)]);
    }
    each_open(OpenFile::close);
    behind(|| {
        if let Some(session) = session(false) {
            roll_off_all(session);
        }
        Outcome::Done
    });
}

/// What was answered is made durable, of files that no other thread is in the middle of: a signal ends the program.
/// The unit of recovery stays open, so it goes back by the next OPEN.
fn keep_all() {
    let Some(all) = KEPT.try_lock() else { return };
    for kept in all.iter() {
        if let Some(Some(open)) = kept.try_lock().as_deref() {
            // It told the program's standard error what failed; the process is about to end.
            let _ = catch_unwind(AssertUnwindSafe(|| open.commit()));
        }
    }
}
