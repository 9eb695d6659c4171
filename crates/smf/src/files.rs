//! The files of a catalog's directory, to be read while others write to them.
//!
//! They are opened from the newest to the oldest. A full file gets a higher number meanwhile at most, so none is
//! missed; one that is met twice is left out.

use crate::border::{Bytes, PIECE};
use crate::read::Records;
use crate::write::{CURRENT, DIRECTORY, KEPT};
use cica_disk::{Disk, File, StreamMode};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// A file of the directory.
#[derive(Debug)]
pub struct RecordFile {
    /// What it was called when it was opened.
    pub path: PathBuf,
    file: io::Result<Box<dyn File>>,
}

impl RecordFile {
    /// Its records.
    ///
    /// # Errors
    /// It is there, and cannot be opened.
    pub fn records(&self) -> Result<Records<impl Read + '_>, &io::Error> {
        let file = self.file.as_ref()?;
        let bytes = Bytes::new(&**file, 0, u64::MAX);
        Ok(Records::new(BufReader::with_capacity(PIECE, bytes)))
    }

    /// Whether both are one file. No two files of records say the same: each record has its time.
    fn is_same(&self, other: &RecordFile) -> io::Result<bool> {
        let (Ok(one), Ok(other)) = (&self.file, &other.file) else {
            return Ok(false);
        };
        let length = one.size(None)?;
        if length != other.size(None)? || length == 0 {
            return Ok(false);
        }
        let [mut one, mut other] = [one, other].map(|file| Bytes::new(&**file, 0, length));
        let [mut a, mut b] = [(); 2].map(|()| Vec::with_capacity(PIECE));
        loop {
            a.clear();
            b.clear();
            (&mut one).take(PIECE as u64).read_to_end(&mut a)?;
            (&mut other).take(PIECE as u64).read_to_end(&mut b)?;
            if a != b {
                return Ok(false);
            }
            if a.is_empty() {
                return Ok(true);
            }
        }
    }
}

/// The files of a catalog's directory, the oldest first. One that is there and cannot be opened says so when it is
/// read.
///
/// # Errors
/// The directory may not be looked at, or cannot.
pub fn files(disk: &dyn Disk, catalog: &Path) -> io::Result<Vec<RecordFile>> {
    let directory = catalog.join(DIRECTORY);
    disk.admit(&directory, false)?;
    let names = [CURRENT.to_owned()]
        .into_iter()
        .chain((1..=KEPT).map(|n| n.to_string()));
    let mut files: Vec<RecordFile> = Vec::new();
    let mut is_listed = false;
    for path in names.map(|name| directory.join(name)) {
        let file = match disk.stream(&path, StreamMode::ReadPlain) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                if !is_listed {
                    // Where the directory itself cannot be looked at, that is told, and not files that may never have
                    // been.
                    disk.list(&directory)?;
                    is_listed = true;
                }
                Err(error)
            }
            file => file,
        };
        let file = RecordFile { path, file };
        // What cannot be read is told by who reads its records.
        let met = files.iter().any(|newer| newer.is_same(&file).unwrap_or(false));
        if !met {
            files.push(file);
        }
    }
    files.reverse();
    Ok(files)
}
