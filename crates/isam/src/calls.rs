//! The calls of `isam.h`, in its order. What they do is in the files they call; here is what comes in and goes out.

use crate::border::{bytes, call, call_in_turns, fill_list, given, isreclen, null, text};
use crate::building;
use crate::described::{FileDescription, KeyDescription};
use crate::error::{Refused, EAUDIT, EBADARG, EBADKEY, ENOBEGIN, ENOTOPEN, ENOTYET};
use crate::file::IsamFile;
use crate::mode::{Mode, Reading, Start};
use crate::process::{of_file, Process};
use crate::reading::Unread;
use cica_engine::Patience;
use std::ffi::{c_char, c_int, c_long, c_void};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A call on an open file.
fn on(number: c_int, what: impl FnOnce(&mut IsamFile) -> Result<(), Refused>) -> c_int {
    call(|process| {
        let (file, _) = Process::there(process)?.file(number)?;
        what(file).map(|()| 0)
    })
}

/// A call on the process.
fn of_process(what: impl FnOnce(&mut Process) -> Result<(), Refused>) -> c_int {
    call(|process| what(Process::begun(process, false)?).map(|()| 0))
}

/// Bytes of a record that is to be written. Where the file's have one length, and the program says another, the file
/// refuses it (EROWSIZE): its area may have no more.
fn length(file: &IsamFile) -> Result<usize, Refused> {
    if !file.mode.varying {
        Ok(file.layout.most)
    } else {
        let said = isreclen.load(Relaxed);
        usize::try_from(said)
            .ok()
            .filter(|length| *length <= file.layout.most)
            .ok_or_else(|| {
                Refused::because(
                    EBADARG,
                    format!("isreclen is {said}, and {} is possible", file.layout.most),
                )
            })
    }
}

/// Makes a file and opens it: its number.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isbuild(name: *const c_char, record: c_int, key: *const KeyDescription, mode: c_int) -> c_int {
    fill_list();
    call(|process| {
        // SAFETY: the caller's promise.
        let (name, key) = unsafe { (text(name, "the file's name")?, given(key, "the key")?.key()?) };
        let positive = |number: c_int, what: &str| {
            usize::try_from(number)
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(|| Refused::because(EBADARG, format!("{what} is {number}")))
        };
        let most = positive(record, "the record's length")?;
        let least = if Mode::of(mode)?.varying {
            positive(isreclen.load(Relaxed), "isreclen, the shortest length,")?
        } else {
            most
        };
        let number = Process::begun(process, true)?.build(name, (least, most), &key, mode)?;
        opened(process, number)
    })
}

/// Opens a file: its number.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isopen(name: *const c_char, mode: c_int) -> c_int {
    fill_list();
    call(|process| {
        // SAFETY: the caller's promise.
        let name = unsafe { text(name, "the file's name") }?;
        let number = Process::begun(process, false)?.open(name, mode)?;
        opened(process, number)
    })
}

fn opened(process: &mut Option<Process>, number: usize) -> Result<c_int, Refused> {
    let number = number as c_int;
    let (file, _) = Process::begun(process, false)?.file(number)?;
    isreclen.store(file.layout.most as c_int, Relaxed);
    Ok(number)
}

/// Closes a file.
#[no_mangle]
pub extern "C" fn isclose(number: c_int) -> c_int {
    call(|process| Process::there(process)?.close(number).map(|()| 0))
}

/// Closes all files.
#[no_mangle]
pub extern "C" fn iscleanup() -> c_int {
    call(|process| process.as_mut().map_or(Ok(()), Process::close_all).map(|()| 0))
}

/// Deletes a file.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn iserase(name: *const c_char) -> c_int {
    of_process(|process| {
        // SAFETY: the caller's promise.
        let name = of_file(unsafe { text(name, "the file's name") }?)?;
        building::delete(&process.store, &name.to_string())
    })
}

/// Gives a file another name.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isrename(from: *const c_char, to: *const c_char) -> c_int {
    of_process(|process| {
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (text(from, "the old name")?, text(to, "the new name")?) };
        building::rename(&process.store, &of_file(from)?, &of_file(to)?)
    })
}

/// Adds a key.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isaddindex(number: c_int, key: *const KeyDescription) -> c_int {
    call(|process| {
        // SAFETY: the caller's promise.
        let key = unsafe { given(key, "the key") }?.key()?;
        let process = Process::there(process)?;
        process
            .reopen(number, |file, store| file.add_index(store, &key))
            .map(|()| 0)
    })
}

/// Takes a key away.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isdelindex(number: c_int, key: *const KeyDescription) -> c_int {
    call(|process| {
        // SAFETY: the caller's promise.
        let key = unsafe { given(key, "the key") }?.key()?;
        let process = Process::there(process)?;
        process
            .reopen(number, |file, store| file.remove_index(store, &key))
            .map(|()| 0)
    })
}

/// What a file is (0), or one of its keys.
///
/// # Safety
/// As the header says: the buffer has room for a `dictinfo` (0) or a `keydesc`.
#[no_mangle]
pub unsafe extern "C" fn isindexinfo(number: c_int, buffer: *mut c_void, index: c_int) -> c_int {
    on(number, |file| {
        if buffer.is_null() {
            return Err(null("the buffer"));
        }
        if index == 0 {
            // SAFETY: not null, and the caller's promise.
            unsafe {
                buffer
                    .cast::<FileDescription>()
                    .write_unaligned(FileDescription::of(file))
            };
            // Of records with lengths of their own, bytes of the shortest; `di_recsize` has the longest.
            isreclen.store(file.shortest as c_int, Relaxed);
            return Ok(());
        }
        let key = usize::try_from(i64::from(index) - 1)
            .ok()
            .and_then(|index| file.layout.keys.get(index));
        let (key, _) = key.ok_or_else(|| Refused::because(EBADKEY, format!("the file has no key {index}")))?;
        // SAFETY: not null, and the caller's promise.
        unsafe { buffer.cast::<KeyDescription>().write_unaligned(KeyDescription::of(key)) };
        Ok(())
    })
}

/// Says by which key the file is read, and where from.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isstart(
    number: c_int,
    key: *const KeyDescription,
    length: c_int,
    record: *const c_char,
    mode: c_int,
) -> c_int {
    call(|process| {
        let (file, store) = Process::there(process)?.file(number)?;
        // SAFETY: the caller's promise.
        let key = unsafe { given(key, "the key") }?.key()?;
        let found = file.number_of(&key);
        let found =
            found.ok_or_else(|| Refused::because(EBADKEY, "the file has no such key; isindexinfo tells them"))?;
        let most = key.length();
        let length = usize::try_from(length).ok().filter(|length| *length <= most);
        let length = length.ok_or_else(|| Refused::because(EBADARG, format!("the key has {most} bytes")))?;
        let at = Start::of(mode)?;
        let record: &[u8] = match at {
            Start::First | Start::Last => &[],
            // SAFETY: the caller's promise.
            _ => unsafe { bytes(record, file.layout.least) }?,
        };
        // What is refused before leaves key and current record as they are.
        file.read_by(store.session(), found)?;
        file.start(record, length, at).map(|()| 0)
    })
}

/// How long a record is waited for at a time. Calls of other threads have their turn between.
const AT_A_TIME: Duration = Duration::from_millis(5);

/// Reads a record.
///
/// # Safety
/// As the header says: the area has room for the longest record.
#[no_mangle]
pub unsafe extern "C" fn isread(number: c_int, record: *mut c_char, mode: c_int) -> c_int {
    let (mut patience, mut serial) = (Patience::None, None);
    call_in_turns(|process| {
        let process = Process::there(process)?;
        let (file, _) = process.file(number)?;
        // The area is as long as records of the file that had the number at the first turn.
        if *serial.get_or_insert(file.serial) != file.serial {
            return Err(Refused::new(ENOTOPEN));
        }
        let how = Reading::of(mode)?;
        // SAFETY: the caller's promise.
        let asked = unsafe { bytes(record, file.layout.least) }?.to_vec();
        let head = file.layout.head;
        match file.read(&asked, how, patience) {
            Ok(stored) => {
                let found = stored.get(head..).unwrap_or_default();
                // SAFETY: no record is longer than the longest, and the caller's promise.
                unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), record.cast(), found.len()) };
                isreclen.store(found.len() as c_int, Relaxed);
                Ok(Some(0))
            }
            Err(Unread::Busy(prime, refused)) => {
                // Nobody gives back what this program has while it waits for that.
                if !how.wait || process.has_beside(number, &prime) {
                    return Err(refused);
                }
                patience = Patience::Until(AT_A_TIME);
                Ok(None)
            }
            Err(Unread::Refused(refused)) => Err(refused),
        }
    })
}

/// A call that changes something by a record of the program's.
///
/// # Safety
/// The area has the record.
unsafe fn change(
    number: c_int,
    record: *const c_char,
    what: impl FnOnce(&mut IsamFile, &[u8]) -> Result<(), Refused>,
) -> c_int {
    on(number, |file| {
        let length = length(file)?;
        // SAFETY: the caller's promise.
        let record = unsafe { bytes(record, length) }?;
        what(file, record)
    })
}

/// Adds a record.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn iswrite(number: c_int, record: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { change(number, record, |file, record| file.write(record, false)) }
}

/// Adds a record, which becomes the current one.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn iswrcurr(number: c_int, record: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { change(number, record, |file, record| file.write(record, true)) }
}

/// Replaces the record with this prime key.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isrewrite(number: c_int, record: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { change(number, record, IsamFile::rewrite) }
}

/// Replaces the current record.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isrewcurr(number: c_int, record: *const c_char) -> c_int {
    call(|process| {
        let (file, store) = Process::there(process)?.file(number)?;
        let length = length(file)?;
        // SAFETY: the caller's promise.
        let record = unsafe { bytes(record, length) }?;
        file.rewrite_current(record, store).map(|()| 0)
    })
}

/// Erases the record with the prime key of this one.
///
/// # Safety
/// As the header says.
#[no_mangle]
pub unsafe extern "C" fn isdelete(number: c_int, record: *const c_char) -> c_int {
    on(number, |file| {
        // SAFETY: the caller's promise.
        let record = unsafe { bytes(record, file.layout.least) }?;
        file.delete(record)
    })
}

/// Erases the current record.
#[no_mangle]
pub extern "C" fn isdelcurr(number: c_int) -> c_int {
    on(number, IsamFile::delete_current)
}

/// Unlocks all records of a file.
#[no_mangle]
pub extern "C" fn isrelease(number: c_int) -> c_int {
    on(number, |file| {
        file.unlock_all();
        Ok(())
    })
}

/// Makes all changes of a file durable.
#[no_mangle]
pub extern "C" fn isflush(number: c_int) -> c_int {
    on(number, |file| file.flush())
}

/// Begins a transaction.
#[no_mangle]
pub extern "C" fn isbegin() -> c_int {
    of_process(Process::begin)
}

/// Ends it: its changes stand, and are durable.
#[no_mangle]
pub extern "C" fn iscommit() -> c_int {
    ended(true)
}

/// Ends it: its changes are taken back.
#[no_mangle]
pub extern "C" fn isrollback() -> c_int {
    ended(false)
}

/// Where no call has begun anything, no transaction has begun.
fn ended(commit: bool) -> c_int {
    call(|process| {
        let process = process.as_mut().ok_or_else(|| Refused::new(ENOBEGIN))?;
        process.end(commit).map(|()| 0)
    })
}

/// There is one log, and it is Cica's: the name is not looked at.
#[no_mangle]
pub extern "C" fn islogopen(_name: *const c_char) -> c_int {
    call(|_| Ok(0))
}

/// See [`islogopen`].
#[no_mangle]
pub extern "C" fn islogclose() -> c_int {
    call(|_| Ok(0))
}

/// Whoever opens a data set first after a crash recovers it: nothing is left to do.
#[no_mangle]
pub extern "C" fn isrecover() -> c_int {
    call(|_| Ok(0))
}

fn not_yet(what: &str) -> c_int {
    call(|_| Err(Refused::because(ENOTYET, format!("{what} is not supported yet"))))
}

/// Not supported yet: locks are those of records, and ISEXCLLOCK.
#[no_mangle]
pub extern "C" fn islock(_number: c_int) -> c_int {
    not_yet("a lock of a whole file that others may read; ISEXCLLOCK")
}

/// See [`islock`].
#[no_mangle]
pub extern "C" fn isunlock(_number: c_int) -> c_int {
    not_yet("a lock of a whole file that others may read; ISEXCLLOCK")
}

/// Not supported yet: records of a KSDS have no numbers.
#[no_mangle]
pub extern "C" fn isrewrec(_number: c_int, _record: c_long, _with: *const c_char) -> c_int {
    not_yet("a record by its number")
}

/// Not supported yet: records of a KSDS have no numbers.
#[no_mangle]
pub extern "C" fn isdelrec(_number: c_int, _record: c_long) -> c_int {
    not_yet("a record by its number")
}

/// Not supported yet.
#[no_mangle]
pub extern "C" fn isuniqueid(_number: c_int, _id: *mut c_long) -> c_int {
    not_yet("a number that no other record has")
}

/// Not supported yet.
#[no_mangle]
pub extern "C" fn issetunique(_number: c_int, _id: c_long) -> c_int {
    not_yet("a number that no other record has")
}

/// Not supported yet: records of a KSDS lie in the order of its first key.
///
/// # Safety
/// The key is not looked at.
#[no_mangle]
pub unsafe extern "C" fn iscluster(_number: c_int, _key: *const KeyDescription) -> c_int {
    not_yet("records in the order of another key than the first")
}

/// Not supported yet.
#[no_mangle]
pub extern "C" fn isaudit(_number: c_int, _name: *const c_char, _mode: c_int) -> c_int {
    call(|_| Err(Refused::new(EAUDIT)))
}
