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
use std::path::{Path, PathBuf};

/// See the module.
pub struct LogPlace {
    /// The file that has the log, or had it.
    pub path: PathBuf,
    /// It is in the directory that was looked through.
    pub is_own: bool,
}

/// Looks for a log in `directory`. `None`: no file there has it or ever had.
pub fn find(disk: &dyn Disk, directory: &Path, position: &LogPosition) -> Option<LogPlace> {
    let recorded = Path::new(&position.path);
    let own = |path: PathBuf| LogPlace { path, is_own: true };
    let same_name = recorded.file_name().map(|name| directory.join(name));
    let same_name = same_name.filter(|path| number_of(path).is_some());
    let holding = |path: &Path| header(disk, path).map(|header| what_of(&header, position.log));
    let known = same_name
        .clone()
        .and_then(|path| holding(&path).map(|what| (path, what)));
    if let Some((path, Holding::Holds)) = known {
        return Some(own(path));
    }
    let others = disk.list(directory).unwrap_or_default();
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
            return Some(own(path.clone()));
        }
    }
    // One that cannot be read may be it, too.
    match (known, same_name) {
        (Some((path, Holding::MayHaveHeld)), _) => return Some(own(path)),
        (None, Some(path)) if disk.open(&path, Open::default()).is_ok() => return Some(own(path)),
        _ => {}
    }
    let elsewhere = position.origin == 0 && recorded.parent() != Some(directory);
    elsewhere.then(|| LogPlace {
        path: recorded.to_path_buf(),
        is_own: false,
    })
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

fn header(disk: &dyn Disk, path: &Path) -> Option<LogFileHeader> {
    let file = disk.open(path, Open::default()).ok()?;
    read_header(&*file).ok()?.ok()
}
