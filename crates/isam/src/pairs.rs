//! Pairs of a key and a content, as `ndbm.h` has them, in records.
//!
//! ```text
//! key "ab", content "xyz"       ab000...000 2 xyz        the key, zeros, its length, the content
//!                               |<- KEYS(255 0) ->|
//! ```
//! * D1. Two keys are one key of VSAM's only if they have the same bytes: the length tells `a` from `a` with a zero
//!   behind it. They compare as their bytes do.
//! * D2. What the catalog does not say to be of pairs (OWNER) is not opened: other keys would be read as lengths.

use crate::building;
use crate::error::{Refused, EBADFILE, EDUPL, EEXIST, ENOENT, ENOREC};
use crate::file::IsamFile;
use crate::key::{Key, LONGEST};
use crate::mode::Mode;
use crate::process::{of_file, Process};
use cica::{Intent, RequestError, Search};
use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicBool;

/// `datum`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Datum {
    /// Its bytes.
    pub dptr: *mut c_void,
    /// How many.
    pub dsize: usize,
}

impl Datum {
    /// None.
    pub const NONE: Datum = Datum {
        dptr: std::ptr::null_mut(),
        dsize: 0,
    };
}

/// `DBM`: an open database.
#[derive(Debug)]
pub struct Dbm {
    number: c_int,
    serial: u64,
    /// dbm_error.
    pub failed: AtomicBool,
    /// What was fetched, and the key that was told last; each with a zero behind it.
    content: Vec<u8>,
    key: Vec<u8>,
}

/// The longest content of a pair in what dbm_open makes.
const LONGEST_CONTENT: usize = 65_280;
/// What DEFINE is told of the usual record.
const USUAL_CONTENT: usize = 100;

/// Opens a database as the flags of `open` say.
///
/// # Errors
/// ENOENT, EEXIST, EFNAME, EFLOCKED, EINVAL.
pub fn open(process: &mut Option<Process>, file: &str, flags: c_int) -> Result<Dbm, Refused> {
    let has = |flag: c_int| flags & flag != 0;
    let name = of_file(file)?;
    let process = Process::begun(process, has(libc::O_CREAT))?;
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let reading = Mode {
        reads: true,
        writes: false,
        in_transactions: false,
        varying: true,
        locks_reads: false,
        alone: false,
        emptied: false,
    };
    let writing = Mode {
        writes: true,
        ..reading
    };
    let make = |process: &mut Process| {
        let key = Key::of_characters(0..LONGEST, false);
        let sizes = (LONGEST + USUAL_CONTENT, LONGEST + LONGEST_CONTENT);
        process.build_as(&name, writing, |store| {
            building::build_pairs(store, &name, &key, sizes.0, sizes.1)
        })
    };
    let there = |process: &mut Process| {
        // It is looked at before it is emptied (D2).
        let number = process.open_as(&name, if writes || has(libc::O_TRUNC) { writing } else { reading })?;
        check(process, number).map(|()| number)
    };
    let mut is_new = false;
    let mut number = if has(libc::O_CREAT) && has(libc::O_EXCL) {
        is_new = true;
        make(process)?
    } else {
        match there(process) {
            Err(refused) if refused.number == ENOENT && has(libc::O_CREAT) => match make(process) {
                // Another program has made it between.
                Err(refused) if refused.number == EEXIST => there(process)?,
                made => {
                    is_new = true;
                    made?
                }
            },
            found => found?,
        }
    };
    if has(libc::O_TRUNC) && !is_new {
        process.close(number as c_int)?;
        let emptied = Mode {
            emptied: true,
            ..writing
        };
        number = process.open_as(&name, emptied)?;
        is_new = true;
    }
    if is_new && !writes {
        process.close(number as c_int)?;
        number = process.open_as(&name, reading)?;
    }
    let number = number as c_int;
    Ok(Dbm {
        number,
        serial: process.file(number)?.0.serial,
        failed: AtomicBool::new(false),
        content: Vec::new(),
        key: Vec::new(),
    })
}

/// Is it a data set of pairs? One that is not is closed again.
fn check(process: &mut Process, number: usize) -> Result<(), Refused> {
    let (file, _) = process.file(number as c_int)?;
    let why = if !file.of_pairs {
        "dbm_open has not made it; one that IDCAMS defines for it has OWNER(NDBM)"
    } else if file.layout.keys[0].1.start != 0 || file.layout.head != 0 {
        "its keys do not stand at the beginning of records: KEYS(n 0)"
    } else if !file.indexes.is_empty() {
        "it has alternate indexes, which pairs have no keys for"
    } else if file.fixed {
        "its records have one length: define it with a RECORDSIZE of two numbers"
    } else {
        return Ok(());
    };
    let words = format!("{}: {why}", file.name);
    process.close(number as c_int)?;
    Err(Refused::because(libc::EINVAL, words))
}

impl Dbm {
    fn file<'p>(&self, process: &'p mut Option<Process>) -> Result<&'p mut IsamFile, Refused> {
        let closed = |words: &str| Refused::because(libc::EBADF, words);
        let process = process.as_mut().ok_or_else(|| closed("nothing is open"))?;
        match process.file(self.number) {
            Ok((file, _)) if file.serial == self.serial => Ok(file),
            _ => Err(closed("iscleanup has closed it")),
        }
    }

    /// Closes it.
    ///
    /// # Errors
    /// Something could not be made durable.
    pub fn close(&self, process: &mut Option<Process>) -> Result<(), Refused> {
        self.file(process)?;
        Process::there(process)?.close(self.number)
    }

    /// The content of a key.
    ///
    /// # Errors
    /// EIO, ELOCKED.
    pub fn fetch(&mut self, process: &mut Option<Process>, key: &[u8]) -> Result<Datum, Refused> {
        let file = self.file(process)?;
        let length = key_length(file);
        let Ok(key) = written(key, length) else {
            // There is none so long.
            return Ok(Datum::NONE);
        };
        match file.work().get(&key, Search::Equal, Intent::Read) {
            Ok(record) => {
                let content = record.bytes.get(length..).unwrap_or_default();
                Ok(kept(&mut self.content, content))
            }
            Err(RequestError::NotFound) => Ok(Datum::NONE),
            Err(error) => Err(error.into()),
        }
    }

    /// Stores a pair. False: the key is there, and is not to be replaced.
    ///
    /// # Errors
    /// EPERM, EINVAL, EROWSIZE, ELOCKED, ENOSPC.
    pub fn store(
        &self,
        process: &mut Option<Process>,
        key: &[u8],
        content: &[u8],
        replace: bool,
    ) -> Result<bool, Refused> {
        let file = self.to_change(process)?;
        let mut record = written(key, key_length(file))?;
        record.extend_from_slice(content);
        loop {
            if replace {
                match file.rewrite(&record) {
                    Err(refused) if refused.number == ENOREC => {}
                    done => return done.map(|()| true),
                }
            }
            match file.write(&record, false) {
                // Where it is to be replaced another program has added it between.
                Err(refused) if refused.number == EDUPL => {
                    if !replace {
                        return Ok(false);
                    }
                }
                done => return done.map(|()| true),
            }
        }
    }

    /// Deletes a pair.
    ///
    /// # Errors
    /// ENOREC, EPERM, ELOCKED.
    pub fn delete(&self, process: &mut Option<Process>, key: &[u8]) -> Result<(), Refused> {
        let file = self.to_change(process)?;
        let key = written(key, key_length(file)).map_err(|_| Refused::new(ENOREC))?;
        file.delete(&key)
    }

    fn to_change<'p>(&self, process: &'p mut Option<Process>) -> Result<&'p mut IsamFile, Refused> {
        let file = self.file(process)?;
        if file.mode.writes {
            Ok(file)
        } else {
            let words = format!("{} is open with O_RDONLY", file.name);
            Err(Refused::because(libc::EPERM, words))
        }
    }

    /// The first key, or the one behind the last that was told.
    ///
    /// # Errors
    /// EIO, EBADFILE.
    pub fn next_key(&mut self, process: &mut Option<Process>, first: bool) -> Result<Datum, Refused> {
        let file = self.file(process)?;
        let length = key_length(file);
        let string = &mut file.reader.string;
        let there = if first { string.point_first() } else { Ok(()) };
        match there.and_then(|()| string.next(Intent::Read)) {
            Ok(record) => {
                let key = record.bytes.get(..length).and_then(read);
                let key = key.ok_or_else(|| Refused::because(EBADFILE, "a record's key is none of dbm_store's"))?;
                Ok(kept(&mut self.key, key))
            }
            Err(RequestError::NotFound | RequestError::EndOfData) => Ok(Datum::NONE),
            Err(error) => Err(error.into()),
        }
    }
}

/// Bytes of the keys of its records.
fn key_length(file: &IsamFile) -> usize {
    file.layout.keys[0].1.end
}

/// A key as records of this key length have it (D1).
fn written(key: &[u8], length: usize) -> Result<Vec<u8>, Refused> {
    match u8::try_from(key.len()) {
        Ok(own) if key.len() < length => {
            let mut written = key.to_vec();
            written.resize(length - 1, 0);
            written.push(own);
            Ok(written)
        }
        _ => {
            let words = format!("a key of {} bytes, where {} are possible", key.len(), length - 1);
            Err(Refused::because(libc::EINVAL, words))
        }
    }
}

/// The key that was written so.
fn read(written: &[u8]) -> Option<&[u8]> {
    let (own, room) = written.split_last()?;
    let (key, zeros) = room.split_at_checked(usize::from(*own))?;
    zeros.iter().all(|byte| *byte == 0).then_some(key)
}

/// Keeps bytes for the program.
fn kept(place: &mut Vec<u8>, bytes: &[u8]) -> Datum {
    place.clear();
    place.extend_from_slice(bytes);
    place.push(0);
    Datum {
        dptr: place.as_mut_ptr().cast(),
        dsize: bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_told_apart_and_compare_as_their_bytes(
            one in proptest::collection::vec(0u8..3, 0..8), other in proptest::collection::vec(0u8..3, 0..8),
        ) {
            let [first, second] = [&one, &other].map(|key| written(key, 9).expect("it is short enough"));
            prop_assert_eq!(read(&first), Some(&one[..]));
            prop_assert_eq!(first.cmp(&second), one.cmp(&other));
        }
    }

    #[test]
    fn what_no_key_is_written_as_is_none() {
        assert!(written(&[1; 254], 255).is_ok() && written(&[1; 255], 255).is_err() && written(&[1; 9], 9).is_err());
        for wrong in [&b"ab\0\x04"[..], b"ab\0\x01", b"ab\0\xFF", b""] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }
}
