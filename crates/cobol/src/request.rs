//! Requests on an open file: what COBOL says may be done in which open mode, the record area, and the flags of the
//! program's file, before and after the data set has done its part.

use crate::fd::given_length;
use crate::indexed::{ReadDirection, Relation};
use crate::libcob::layout::write as lock_option;
use crate::libcob::layout::{lock, open, read, Field, File, Key};
use crate::libcob::Libcob;
use crate::open_file::OpenFile;
use crate::record::{By, Read};
use crate::status::{Outcome, Set};
use std::ffi::c_int;

/// The file as OPEN leaves it.
pub fn opened(f: &mut File, mode: u8, sharing: u8) {
    f.lock = f.lock & !lock::OPEN_EXCLUSIVE | sharing;
    (f.open, f.last_open) = (mode, mode);
    (f.absent, f.at_end, f.at_beginning) = (0, 0, 0);
    (f.first_read, f.read_done) = (1, 0);
}

/// READ by key.
///
/// # Safety
/// As every function here: the pointers are the program's, a file with its record area, data items or null.
#[inline]
pub unsafe fn read_key(
    libcob: &Libcob,
    file: *mut File,
    open: &mut OpenFile,
    key: *mut Field,
    options: c_int,
) -> Result<(), Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let f = &mut *file;
        f.read_done = 0;
        if !matches!(f.open, open::INPUT | open::I_O) {
            return Err(Outcome::NotForInput);
        }
        match one_piece(f, open, key) {
            Some((by, wanted)) => read_this(libcob, f, open, by, wanted, options),
            None => read_by_copy(libcob, f, open, key, options),
        }
    }
}

/// The key in the record area, where that is how it is stored: in the data set's code, and in one piece. It is used
/// before the area is written.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn one_piece<'a>(f: &File, open: &OpenFile, key: *const Field) -> Option<(usize, &'a [u8])> {
    if open.by != By::Key || open.code_set.is_some() {
        return None;
    }
    // SAFETY: the caller's promise; the parts lie in the record area, as the FD says.
    unsafe {
        let (by, _) = which_key(f, key).ok()?;
        match open.fd.parts.get(by)?[..] {
            [(offset, length)] => Some((by, std::slice::from_raw_parts((*f.record).data.add(offset), length))),
            _ => None,
        }
    }
}

/// READ by what has to be put together before it is a key.
///
/// # Safety
/// As [`read_key`].
#[inline(never)]
unsafe fn read_by_copy(
    libcob: &Libcob,
    f: &mut File,
    open: &mut OpenFile,
    key: *mut Field,
    options: c_int,
) -> Result<(), Outcome> {
    let mut wanted = [0; MAX_KEY];
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let (by, wanted) = match open.by {
            By::Number => match number_as_key(libcob, f, &mut wanted) {
                Ok(wanted) => (0, wanted),
                Err(outcome) => return Err(open.lose_position(outcome)),
            },
            // There is no such request.
            By::Address => return Err(Outcome::NotForInput),
            By::Key => {
                let (by, _) = which_key(f, key)?;
                (by, key_in_area(f, open, by, &mut wanted))
            }
        };
        read_this(libcob, f, open, by, wanted, options)
    }
}

/// READ by this key.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn read_this(
    libcob: &Libcob,
    f: &mut File,
    open: &mut OpenFile,
    by: usize,
    wanted: &[u8],
    options: c_int,
) -> Result<(), Outcome> {
    open.before_read(options);
    let record = open.read_key(by, wanted)?;
    // SAFETY: the caller's promise.
    unsafe {
        let done = deliver(libcob, f, &record);
        arrived(f, open);
        done
    }
}

/// A record is in the record area.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn arrived(f: &mut File, open: &mut OpenFile) {
    // SAFETY: the caller's promise.
    unsafe {
        if open.code_set.is_some() {
            translate(f, open);
        }
        if open.plain.is_some() {
            fill(f, open);
        }
        after_read(f);
        if f.open == open::I_O && open.fd.in_order() {
            remember(f, open);
        }
    }
}

/// READ NEXT, PREVIOUS, FIRST or LAST.
///
/// # Safety
/// As [`read_key`].
#[inline]
pub unsafe fn read_way(libcob: &Libcob, file: *mut File, open: &mut OpenFile, options: c_int) -> Result<(), Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let f = &mut *file;
        f.read_done = 0;
        if !matches!(f.open, open::INPUT | open::I_O) {
            return Err(Outcome::NotForInput);
        }
        let way = match options {
            o if o & read::PREVIOUS != 0 => ReadDirection::Previous,
            o if o & read::FIRST != 0 => ReadDirection::First,
            o if o & read::LAST != 0 => ReadDirection::Last,
            _ => ReadDirection::Next,
        };
        if way == ReadDirection::Next && f.at_end != 0 || way == ReadDirection::Previous && f.at_beginning != 0 {
            return Err(Outcome::NoPosition);
        }
        open.before_read(options);
        match open.read_way(way) {
            Ok(record) => {
                let done = deliver(libcob, f, &record);
                arrived(f, open);
                match show_number(libcob, f, open) {
                    Ok(()) => done,
                    Err(outcome) => {
                        // It was not read: REWRITE and DELETE have no record, and nobody has it locked.
                        f.read_done = 0;
                        open.last_read.clear();
                        open.give_back_read();
                        open.stay().and(Err(outcome))
                    }
                }
            }
            Err(Outcome::End) => {
                match way {
                    ReadDirection::Next | ReadDirection::First => f.at_end = 1,
                    ReadDirection::Previous | ReadDirection::Last => f.at_beginning = 1,
                }
                Err(Outcome::End)
            }
            Err(outcome) => Err(outcome),
        }
    }
}

/// START.
///
/// # Safety
/// As [`read_key`].
pub unsafe fn start(
    libcob: &Libcob,
    file: *mut File,
    open: &mut OpenFile,
    condition: c_int,
    key: *mut Field,
    length: *mut Field,
) -> Result<(), Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let f = &mut *file;
        (f.read_done, f.at_end, f.at_beginning) = (0, 0, 0);
        if !matches!(f.open, open::INPUT | open::I_O) || f.access == crate::libcob::layout::access::RANDOM {
            return Err(Outcome::NotForInput);
        }
        let relation = match condition {
            1 => Relation::Equal,
            2 => Relation::Less,
            3 => Relation::LessOrEqual,
            4 => Relation::Greater,
            5 => Relation::GreaterOrEqual,
            7 => Relation::First,
            8 => Relation::Last,
            _ => return Err(Outcome::Logic),
        };
        if open.by == By::Number {
            let mut wanted = [0; MAX_KEY];
            let (relation, wanted) = match (number_as_key(libcob, f, &mut wanted), relation) {
                (Ok(wanted), _) => (relation, wanted),
                // FIRST and LAST ask for no number, and every number is above 0.
                (Err(_), Relation::Last) => (relation, &[][..]),
                (Err(_), Relation::First | Relation::Greater | Relation::GreaterOrEqual) => (Relation::First, &[][..]),
                (Err(outcome), _) => return Err(open.lose_position(outcome)),
            };
            open.start(0, relation, wanted)?;
            f.first_read = 1;
            return Ok(());
        }
        let (by, size) = which_key(f, key)?;
        let asked = if length.is_null() {
            size
        } else {
            usize::try_from(libcob.number(length)).unwrap_or(0)
        };
        if asked == 0 || asked > open.key_place(by).1 {
            return Err(Outcome::NotFound);
        }
        let mut wanted = [0; MAX_KEY];
        let wanted = &key_in_area(f, open, by, &mut wanted)[..asked.min(size)];
        open.start(by, relation, wanted)?;
        f.first_read = 1;
        Ok(())
    }
}

/// WRITE.
///
/// # Safety
/// As [`read_key`].
#[inline]
pub unsafe fn write(libcob: &Libcob, file: *mut File, open: &mut OpenFile, record: *mut Field) -> Result<(), Outcome> {
    open.after_change(0, &[]);
    if let Some(as_read) = &mut open.as_read {
        as_read.let_go();
    }
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let f = &mut *file;
        f.read_done = 0;
        let allowed = if open.fd.in_order() {
            matches!(f.open, open::OUTPUT | open::EXTEND)
        } else {
            // The standard has EXTEND in sequential access alone.
            matches!(f.open, open::OUTPUT | open::I_O)
        };
        if !allowed {
            return Err(Outcome::NotForOutput);
        }
        if open.by != By::Number {
            return with_given(libcob, f, open, record, OpenFile::write);
        }
        if open.fd.in_order() {
            if Set::of_process() == Set::Enterprise && !has_room(libcob, f, open.number + 1) {
                return Err(Outcome::Boundary);
            }
            with_given(libcob, f, open, record, OpenFile::write)?;
            // libcob cuts the number, and says nothing.
            let _ = show_number(libcob, f, open);
            return Ok(());
        }
        let number = relative_number(libcob, f).ok_or(Outcome::Boundary)?;
        with_given(libcob, f, open, record, |open, record| open.write_at(record, number))
    }
}

/// REWRITE.
///
/// # Safety
/// As [`read_key`].
#[inline]
pub unsafe fn rewrite(
    libcob: &Libcob,
    file: *mut File,
    open: &mut OpenFile,
    record: *mut Field,
    options: c_int,
) -> Result<(), Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let f = &mut *file;
        may_change(f, open)?;
        match one_piece(f, open, std::ptr::null()) {
            Some((_, key)) => rewrite_this(libcob, f, open, record, key, options),
            None => rewrite_by_copy(libcob, f, open, record, options),
        }
    }
}

/// REWRITE of the record with a key that has to be put together before it is one.
///
/// # Safety
/// As [`read_key`].
#[inline(never)]
unsafe fn rewrite_by_copy(
    libcob: &Libcob,
    f: &mut File,
    open: &mut OpenFile,
    record: *mut Field,
    options: c_int,
) -> Result<(), Outcome> {
    let mut key = [0; MAX_KEY];
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let key = match (open.by, open.fd.in_order()) {
            (By::Address, _) | (By::Number, true) => last_read(open, &mut key),
            (By::Number, false) => number_as_key(libcob, f, &mut key).map_err(|_| Outcome::Boundary)?,
            (By::Key, _) => key_to_change(f, open, &mut key),
        };
        if let (Some(as_read), By::Number | By::Address) = (&mut open.as_read, open.by) {
            as_read.mean(key);
        }
        let done = rewrite_this(libcob, f, open, record, key, options);
        if let Some(as_read) = &mut open.as_read {
            as_read.let_go();
        }
        done
    }
}

/// REWRITE of the record with this key.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn rewrite_this(
    libcob: &Libcob,
    f: &mut File,
    open: &mut OpenFile,
    record: *mut Field,
    key: &[u8],
    options: c_int,
) -> Result<(), Outcome> {
    // SAFETY: the caller's promise.
    let done = unsafe { with_given(libcob, f, open, record, |open, record| open.rewrite(record, key)) };
    open.after_change(options, key);
    done
}

/// DELETE.
///
/// # Safety
/// As [`read_key`].
pub unsafe fn delete(libcob: &Libcob, file: *mut File, open: &mut OpenFile) -> Result<(), Outcome> {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        let f = &mut *file;
        may_change(f, open)?;
        if open.fd.in_order() {
            let last = std::mem::take(&mut open.last_read);
            let done = open.delete(&last);
            open.after_change(lock_option::NO_LOCK, &last);
            open.last_read = last;
            return done;
        }
        let mut key = [0; MAX_KEY];
        let key = match open.by {
            By::Number => number_as_key(libcob, f, &mut key).map_err(|_| Outcome::Boundary)?,
            _ => key_to_change(f, open, &mut key),
        };
        let done = open.delete(key);
        open.after_change(lock_option::NO_LOCK, key);
        done
    }
}

/// The longest key of a KSDS.
const MAX_KEY: usize = 255;

/// REWRITE and DELETE need I-O; in sequential access, a READ just before as well.
#[inline]
fn may_change(f: &mut File, open: &OpenFile) -> Result<(), Outcome> {
    let read_done = std::mem::replace(&mut f.read_done, 0);
    match f.open {
        open::I_O if open.fd.in_order() && read_done == 0 => Err(Outcome::NoReadBefore),
        open::I_O => Ok(()),
        _ => Err(Outcome::NotForChange),
    }
}

/// Which key is meant, and how much of it: 0 is the prime key, n the n-th alternate key; a field that begins where a
/// key begins and is shorter is the first part of it.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn which_key(f: &File, key: *const Field) -> Result<(usize, usize), Outcome> {
    // SAFETY: the caller's promise; an indexed file has as many keys as it says, each with its field.
    unsafe {
        let keys = std::slice::from_raw_parts(f.keys, f.key_count);
        let Some(key) = key.as_ref() else {
            return Ok((0, (*keys[0].field).size));
        };
        let is = |of: &Key| std::ptr::eq(key.data, (*of.field).data) && key.size <= (*of.field).size;
        let by = keys.iter().position(is).ok_or(Outcome::NotFound)?;
        Ok((by, key.size))
    }
}

/// A key in the record area, as it is stored; a copy, because the area is written while the key is in use.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn key_in_area<'a>(f: &File, open: &OpenFile, by: usize, to: &'a mut [u8; MAX_KEY]) -> &'a [u8] {
    let mut filled = 0;
    for &(offset, length) in open.fd.parts.get(by).map_or(&[][..], |parts| parts) {
        let length = length.min(MAX_KEY - filled);
        // SAFETY: the parts lie in the record area, as the FD says.
        unsafe {
            let from = (*f.record).data.add(offset);
            to.as_mut_ptr().add(filled).copy_from_nonoverlapping(from, length);
        }
        if let Some(code_set) = &open.code_set {
            code_set.to_stored(&mut to[filled..filled + length], offset);
        }
        filled += length;
    }
    &to[..filled]
}

/// The prime key in the record area, for REWRITE and DELETE: of the record read last it is what it was then.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn key_to_change<'a>(f: &File, open: &mut OpenFile, to: &'a mut [u8; MAX_KEY]) -> &'a [u8] {
    // SAFETY: the caller's promise.
    let length = unsafe { key_in_area(f, open, 0, to) }.len();
    if let (Some(as_read), Some(code_set), Some(parts)) = (&mut open.as_read, &open.code_set, open.fd.parts.first()) {
        as_read.mean_key(code_set, parts, &mut to[..length]);
    }
    &to[..length]
}

/// Does `act` with the record that the program gives, as it is stored.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn with_given(
    libcob: &Libcob,
    f: &mut File,
    open: &mut OpenFile,
    record: *mut Field,
    act: impl FnOnce(&mut OpenFile, &[u8]) -> Result<(), Outcome>,
) -> Result<(), Outcome> {
    // SAFETY: the caller's promise; the record area has room for the greatest length.
    unsafe {
        let length = given_length(libcob, f, record);
        if !(open.fd.least..=open.fd.most).contains(&length) {
            return Err(Outcome::Length);
        }
        if !f.record.is_null() {
            (*f.record).size = length;
        }
        let area = std::slice::from_raw_parts((*f.record).data, f.most);
        if open.as_given {
            return act(open, &area[..length]);
        }
        let mut stored = std::mem::take(&mut open.stored);
        open.store(area, length, &mut stored);
        open.look_for_numbers(&stored);
        let done = act(open, &stored);
        open.stored = stored;
        done
    }
}

/// The record goes into the record area, its length to where the program looks for it.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn deliver(libcob: &Libcob, f: &File, record: &Read<'_>) -> Result<(), Outcome> {
    let (record, same_key_follows) = (record.bytes, record.same_key_follows);
    // SAFETY: the caller's promise; the record area has room for the greatest length.
    unsafe {
        let area = &mut *f.record;
        let length = record.len().min(f.most);
        area.data.copy_from_nonoverlapping(record.as_ptr(), length);
        area.size = length;
        if !f.depending.is_null() {
            libcob.set_number(f.depending, length as c_int);
        }
        match record.len() > f.most || record.len() < f.least {
            true => Err(Outcome::LengthDiffers),
            false if same_key_follows => Err(Outcome::SameKeyFollows),
            false => Ok(()),
        }
    }
}

/// The record that was delivered becomes one in the program's code.
///
/// # Safety
/// As [`read_key`].
#[inline(never)]
unsafe fn translate(f: &File, open: &mut OpenFile) {
    // SAFETY: the caller's promise; the record area has as many bytes as `deliver` wrote.
    let record = unsafe { std::slice::from_raw_parts_mut((*f.record).data, (*f.record).size) };
    open.look_for_numbers(record);
    let Some(code_set) = &open.code_set else { return };
    if let Some(as_read) = &mut open.as_read {
        let parts = open.fd.parts.first().map_or(&[][..], |parts| parts);
        let key = match open.by {
            By::Number => (open.number as u32).to_be_bytes().to_vec(),
            By::Address => open.number.to_be_bytes().to_vec(),
            By::Key => {
                let parts = parts.iter().filter_map(|&(at, length)| record.get(at..at + length));
                parts.flatten().copied().collect()
            }
        };
        as_read.note(record, &key);
    }
    code_set.to_program(record);
}

/// Behind a line the record area has blanks.
///
/// # Safety
/// As [`read_key`].
#[cold]
unsafe fn fill(f: &File, open: &OpenFile) {
    if open.plain.as_ref().is_some_and(|plain| plain.has_lines()) {
        // SAFETY: the caller's promise; the record area has room for the greatest length.
        unsafe {
            let (area, length) = ((*f.record).data, (*f.record).size.min(f.most));
            area.add(length).write_bytes(b' ', f.most - length);
        }
    }
}

#[inline]
fn after_read(f: &mut File) {
    (f.first_read, f.at_end, f.at_beginning) = (0, 0, 0);
    f.read_done = 1;
}

/// In sequential access of an I-O file, REWRITE and DELETE are for the record read last: its key is kept.
///
/// # Safety
/// As [`read_key`].
unsafe fn remember(f: &File, open: &mut OpenFile) {
    let mut key = [0; MAX_KEY];
    let key = match open.by {
        By::Number => as_key(&(open.number as u32).to_be_bytes(), &mut key),
        By::Address => as_key(&open.number.to_be_bytes(), &mut key),
        // SAFETY: the caller's promise.
        By::Key => unsafe { key_to_change(f, open, &mut key) },
    };
    open.last_read.clear();
    open.last_read.extend_from_slice(key);
}

/// What RELATIVE KEY says; none where it is no record number, or there is no RELATIVE KEY.
///
/// # Safety
/// As [`read_key`].
unsafe fn relative_number(libcob: &Libcob, f: &File) -> Option<u32> {
    // SAFETY: the caller's promise.
    unsafe {
        let field = f.keys.as_ref()?.field;
        let number = (!field.is_null()).then(|| libcob.number(field))?;
        u32::try_from(number).ok().filter(|number| *number > 0)
    }
}

/// The same as a key.
///
/// # Safety
/// As [`read_key`].
unsafe fn number_as_key<'a>(libcob: &Libcob, f: &File, to: &'a mut [u8; MAX_KEY]) -> Result<&'a [u8], Outcome> {
    // SAFETY: the caller's promise.
    let number = unsafe { relative_number(libcob, f) }.ok_or(Outcome::NotFound)?;
    Ok(as_key(&number.to_be_bytes(), to))
}

fn as_key<'a>(bytes: &[u8], to: &'a mut [u8; MAX_KEY]) -> &'a [u8] {
    to[..bytes.len()].copy_from_slice(bytes);
    &to[..bytes.len()]
}

fn last_read<'a>(open: &OpenFile, to: &'a mut [u8; MAX_KEY]) -> &'a [u8] {
    let length = open.last_read.len().min(MAX_KEY);
    to[..length].copy_from_slice(&open.last_read[..length]);
    &to[..length]
}

/// The number of the record read or written goes into RELATIVE KEY, if it has room.
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn show_number(libcob: &Libcob, f: &File, open: &OpenFile) -> Result<(), Outcome> {
    // SAFETY: the caller's promise.
    if open.by != By::Number || unsafe { has_room(libcob, f, open.number) } {
        Ok(())
    } else {
        Err(Outcome::NumberTooLarge)
    }
}

/// Puts a number into RELATIVE KEY, if there is one; has it room?
///
/// # Safety
/// As [`read_key`].
#[inline]
unsafe fn has_room(libcob: &Libcob, f: &File, number: u64) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(key) = f.keys.as_ref().filter(|key| !key.field.is_null()) else {
            return true;
        };
        let number = c_int::try_from(number).unwrap_or(c_int::MAX);
        libcob.set_number(key.field, number);
        libcob.number(key.field) == number
    }
}
