//! What is kept of a unit of which was decided that it stands, while a log may lack its end (prepared:Z6): its file,
//! under a name that no unit has: `NAME.LOG-UNIT.stands`.

use super::{io, read_head, remove, DurableLog};
use crate::error::OpenError;
use crate::log;
use cica_disk::{Disk, Open};
use cica_format::prepared::PreparedIdentity;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

const SUFFIX: &str = ".stands";

/// What the file of such a unit is called.
pub fn file_name(unit: &PreparedIdentity) -> String {
    format!("{}.{:016X}-{}{SUFFIX}", unit.name, unit.log, unit.unit)
}

/// Is there a file of this unit that is called so?
pub fn is_there(disk: &dyn Disk, directory: &Path, unit: &PreparedIdentity) -> Result<bool, OpenError> {
    let path = directory.join(file_name(unit));
    match disk.open(&path, Open::default()) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io(&path, "open")(error)),
    }
}

/// Is a file called like one?
pub fn is_one(name: &Path) -> bool {
    log_of(name).is_some()
}

/// The log of the unit whose file is called so.
fn log_of(name: &Path) -> Option<u64> {
    let (_, ids) = name.to_str()?.strip_suffix(SUFFIX)?.rsplit_once('.')?;
    let (log, unit) = ids.split_once('-')?;
    unit.parse::<u64>().ok()?;
    u64::from_str_radix(log, 16).ok()
}

/// May this log lack the end of a unit? One that this process has durably does not, nor does one that no file has.
pub fn is_needed(disk: &dyn Disk, directory: &Path, log: u64, durable: DurableLog<'_>) -> bool {
    // A log file that cannot be read may have it.
    log != 0 && !durable(log) && log::is_held(disk, directory, log).unwrap_or(true)
}

/// Takes those away that nobody needs any more. One that cannot go goes by the next who looks.
pub fn sweep(disk: &dyn Disk, directory: &Path, durable: DurableLog<'_>) -> Result<(), OpenError> {
    let there = match disk.list(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        there => there.map_err(io(directory, "look for units in doubt"))?,
    };
    let mut needed = BTreeMap::new();
    for (name, log) in there.iter().filter_map(|(name, _)| Some((name, log_of(name)?))) {
        let is_needed = || is_needed(disk, directory, log, durable);
        if !*needed.entry(log).or_insert_with(is_needed) {
            take_away(disk, &directory.join(name));
        }
    }
    Ok(())
}

/// One that cannot be read or go stays for the next who looks.
fn take_away(disk: &dyn Disk, path: &Path) {
    let Ok(file) = disk.open(path, Open::default()) else {
        return;
    };
    if let Ok(head) = read_head(&*file, path) {
        remove(disk, path, (&*file, &head));
    }
}
