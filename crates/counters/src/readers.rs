//! What opens have counted that are closed, and no root has: opens for input write nothing to the volume, others have
//! the I/Os of their last commit, and those of an index that they did not change. It stands in a file of the catalog's
//! directory: `stat/readers`, an entry of 64 bytes for each data component.
//!
//! 1. Nothing is synced: what a power cut takes is missing from LISTCAT, and nothing else.
//! 2. An entry has its checksum; one that has not is free.
//! 3. There are at most [`MOST`] entries. The one that was not added to for longest goes for another data set's.

use cica_disk::{Create, Disk, File, Lock, Open, ReadAt, WriteAt};
use cica_format::checksum::crc32c;
use std::io;
use std::path::Path;

/// Most data sets that are known.
pub const MOST: usize = 4096;
/// Bytes of an entry.
const ENTRY: usize = 64;
/// The file's name.
const FILE: &str = "readers";
/// Times that the lock is asked for. Who has it reads and writes some bytes.
const PATIENCE: usize = 100;

/// What opens have counted, and no root has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReaderCounts {
    /// Id of the data component.
    pub component: u64,
    /// Records retrieved.
    pub retrieved: u64,
    /// Physical I/Os of the data component.
    pub data_excps: u64,
    /// Physical I/Os of the index component.
    pub index_excps: u64,
    /// Nanoseconds since 1970 of the last close.
    pub last: u64,
}

impl ReaderCounts {
    /// Did it count anything?
    pub fn is_empty(&self) -> bool {
        self.retrieved == 0 && self.data_excps == 0 && self.index_excps == 0
    }

    fn encode(&self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        let words = [
            self.component,
            self.retrieved,
            self.data_excps,
            self.index_excps,
            self.last,
        ];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let sum = u64::from(crc32c(&bytes[..ENTRY - 8]));
        bytes[ENTRY - 8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<ReaderCounts> {
        let word = |at: usize| bytes.get(at * 8..at * 8 + 8)?.try_into().ok().map(u64::from_le_bytes);
        let sound = word(7)? == u64::from(crc32c(&bytes[..ENTRY - 8])) && word(0)? != 0;
        sound.then_some(ReaderCounts {
            component: word(0)?,
            retrieved: word(1)?,
            data_excps: word(2)?,
            index_excps: word(3)?,
            last: word(4)?,
        })
    }
}

/// The entries there are.
pub fn readers(disk: &dyn Disk, directory: &Path) -> Vec<ReaderCounts> {
    let file = disk.open(&directory.join(FILE), Open::default());
    let bytes = file.and_then(|file| read(&*file)).unwrap_or_default();
    bytes.chunks_exact(ENTRY).filter_map(ReaderCounts::decode).collect()
}

/// Adds to the entry of a data set.
///
/// # Errors
/// What the system says; nothing is added then.
pub fn add_reader(disk: &dyn Disk, directory: &Path, counted: &ReaderCounts) -> io::Result<()> {
    let file = open(disk, &directory.join(FILE))?;
    let bytes = read(&*file)?;
    let entries: Vec<Option<ReaderCounts>> = bytes.chunks_exact(ENTRY).map(ReaderCounts::decode).collect();
    let known = entries
        .iter()
        .position(|e| e.is_some_and(|e| e.component == counted.component));
    let at = known.or_else(|| entries.iter().position(Option::is_none));
    let at = match at {
        Some(at) => at,
        None if entries.len() < MOST => entries.len(),
        None => {
            let oldest = entries
                .iter()
                .enumerate()
                .min_by_key(|(_, entry)| entry.map(|entry| entry.last));
            oldest.map_or(0, |(at, _)| at)
        }
    };
    let before = match known {
        Some(at) => entries[at].unwrap_or_default(),
        None => ReaderCounts::default(),
    };
    let sum = ReaderCounts {
        component: counted.component,
        retrieved: before.retrieved.saturating_add(counted.retrieved),
        data_excps: before.data_excps.saturating_add(counted.data_excps),
        index_excps: before.index_excps.saturating_add(counted.index_excps),
        last: counted.last,
    };
    let buf = &sum.encode();
    file.write(&[WriteAt {
        at: (at * ENTRY) as u64,
        buf,
    }])
}

/// Takes away the entry of a data set.
///
/// # Errors
/// What the system says.
pub fn forget_reader(disk: &dyn Disk, directory: &Path, component: u64) -> io::Result<()> {
    let known = |bytes: &[u8]| {
        let mut entries = bytes.chunks_exact(ENTRY).map(ReaderCounts::decode);
        entries.position(|entry| entry.is_some_and(|entry| entry.component == component))
    };
    let path = directory.join(FILE);
    // Most have none, and need no lock to be told so.
    let file = match disk.open(&path, Open::default()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    if known(&read(&*file)?).is_none() {
        return Ok(());
    }
    let file = open(disk, &path)?;
    match known(&read(&*file)?) {
        Some(at) => file.write(&[WriteAt {
            at: (at * ENTRY) as u64,
            buf: &[0; ENTRY],
        }]),
        None => Ok(()),
    }
}

fn open(disk: &dyn Disk, path: &Path) -> io::Result<Box<dyn File>> {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    for _ in 1..PATIENCE {
        match disk.open(path, how) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
            opened => return opened,
        }
    }
    disk.open(path, how)
}

fn read(file: &dyn File) -> io::Result<Vec<u8>> {
    let length = file.size(None)?.min((MOST * ENTRY) as u64);
    let mut bytes = vec![0; length as usize];
    let mut batch = [ReadAt {
        at: 0,
        buf: &mut bytes,
        got: 0,
    }];
    file.read(&mut batch)?;
    let got = batch[0].got;
    bytes.truncate(got);
    Ok(bytes)
}
