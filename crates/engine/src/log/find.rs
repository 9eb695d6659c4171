//! Where the log is that a root names: in the log directory of whoever opens the data set, known by its id.
//!
//! A root also has the path that the log had when the root was written. A catalog may have been moved since, or be a
//! copy of one that lives on elsewhere: what lies at that path then says nothing about this data set. It is looked at
//! for roots of before format 3 alone, and a log that is over there is no proof of anything.

use super::header::read_header;
use super::pool::number_of;
use cica_disk::{Disk, Open};
use cica_format::log::LogFileHeader;
use cica_format::root::LogPosition;
use std::io;
use std::path::{Path, PathBuf};

/// See the module.
pub struct LogPlace {
    /// The file that has the log, or had it.
    pub path: PathBuf,
    /// It is in the directory that was looked through.
    pub is_own: bool,
}

/// Looks for a log in `directory`. `None`: no file there has it or ever had.
///
/// # Errors
/// None has it of those that can be read, and one cannot: that one may have it.
pub fn find(disk: &dyn Disk, directory: &Path, position: &LogPosition) -> io::Result<Option<LogPlace>> {
    let recorded = Path::new(&position.path);
    let own = |path: PathBuf| LogPlace { path, is_own: true };
    let same_name = recorded.file_name().map(|name| directory.join(name));
    let same_name = same_name.filter(|path| number_of(path).is_some());
    let mut unread = None;
    let mut holding = |path: &Path| match header(disk, path) {
        Ok(header) => header.map(|header| what_of(&header, position.log)),
        Err(error) => {
            unread = Some(error);
            None
        }
    };
    let known = same_name
        .clone()
        .and_then(|path| holding(&path).map(|what| (path, what)));
    if let Some((path, Holding::Holds)) = known {
        return Ok(Some(own(path)));
    }
    let others = match disk.list(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        others => others?,
    };
    let mut others: Vec<PathBuf> = others
        .into_iter()
        .map(|(name, _)| directory.join(name))
        .filter(|path| number_of(path).is_some())
        .collect();
    others.sort();
    let holdings: Vec<(PathBuf, Holding)> = others
        .into_iter()
        .filter_map(|path| holding(&path).map(|what| (path, what)))
        .collect();
    for wanted in [Holding::Holds, Holding::Held] {
        if let Some((path, _)) = holdings.iter().find(|(_, what)| *what == wanted) {
            return Ok(Some(own(path.clone())));
        }
    }
    // One that cannot be read may be it, too.
    match (known, same_name) {
        (Some((path, Holding::MayHaveHeld)), _) => return Ok(Some(own(path))),
        (None, Some(path)) if disk.open(&path, Open::default()).is_ok() => return Ok(Some(own(path))),
        _ => {}
    }
    if let Some(error) = unread {
        return Err(error);
    }
    let elsewhere = position.origin == 0 && recorded.parent() != Some(directory);
    Ok(elsewhere.then(|| LogPlace {
        path: recorded.to_path_buf(),
        is_own: false,
    }))
}

/// Has a log file in `directory` this log? Then somebody may have to recover by it.
///
/// # Errors
/// One cannot be read that may have it.
pub fn is_held(disk: &dyn Disk, directory: &Path, log: u64) -> io::Result<bool> {
    let there = disk.list(directory)?;
    let files = there.into_iter().map(|(name, _)| directory.join(name));
    for path in files.filter(|path| number_of(path).is_some()) {
        if header(disk, &path)?.is_some_and(|header| header.log == log) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a log file has to do with a log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holding {
    Holds,
    Held,
    /// Of before format 3, when files did not say when they were made.
    MayHaveHeld,
    Nothing,
}

fn what_of(header: &LogFileHeader, log: u64) -> Holding {
    match header.birth {
        _ if header.log == log => Holding::Holds,
        0 if header.claims >= log as u32 => Holding::MayHaveHeld,
        birth if birth == (log >> 32) as u32 && header.claims >= log as u32 => Holding::Held,
        _ => Holding::Nothing,
    }
}

/// The header of a log file; `None`: there is no such file, or what it has is no header.
fn header(disk: &dyn Disk, path: &Path) -> io::Result<Option<LogFileHeader>> {
    match disk.open(path, Open::default()) {
        Ok(file) => Ok(read_header(&*file)?.ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
