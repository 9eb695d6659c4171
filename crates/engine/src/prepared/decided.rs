//! What an archive keeps of a unit that was in doubt (prepared:Z7): its file, as `NAME.LOG-UNIT.decided`.
//!
//! The archive has the unit's changes as those of one that was committed when it was prepared. Who recovers a data set to
//! a moment at which it was not decided yet takes them back, by what the file has for that (docs/design/0052).

use super::{all, each, io, read, read_head, stands, whole};
use crate::archive::{self, Segment};
use crate::error::OpenError;
use crate::files::sync_directory;
use cica_disk::{Create, Disk, File, Lock, Open, WriteAt};
use cica_format::prepared::{PreparedHead, PreparedIdentity, PreparedState, PreparedUnit};
use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const SUFFIX: &str = ".decided";

/// What the file of such a unit is called.
pub fn file_name(unit: &PreparedIdentity) -> String {
    format!("{}.{:016X}-{}{SUFFIX}", unit.name, unit.log, unit.unit)
}

/// Is a file of an archive called like one?
fn is_one(name: &Path) -> bool {
    name.to_string_lossy().ends_with(SUFFIX)
}

/// The archive that belongs to a log directory.
fn archive_of(disk: &dyn Disk, log_directory: &Path) -> Result<PathBuf, OpenError> {
    let archive = archive::directory(log_directory);
    disk.admit(&archive, false).map_err(io(&archive, "look into"))?;
    Ok(archive)
}

/// Has the archive the whole file of this unit?
pub fn is_there(disk: &dyn Disk, log_directory: &Path, unit: &PreparedIdentity) -> Result<bool, OpenError> {
    let path = archive_of(disk, log_directory)?.join(file_name(unit));
    match disk.open(&path, Open::default()) {
        Ok(file) => {
            let bytes = whole(&*file, &path)?;
            // One that is not whole is written anew, as its first name is there still.
            Ok(PreparedUnit::decode(&bytes).is_ok_and(|(_, head)| head.unit == *unit))
        }
        // Who may not look there goes by what the log directory has.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => Ok(false),
        Err(error) => Err(io(&path, "open")(error)),
    }
}

/// Puts the file of a unit that is over, called `path` in its log directory, into the archive, durably. False: that
/// could not be done.
pub fn keep(disk: &dyn Disk, path: &Path, file: &dyn File, unit: &PreparedIdentity) -> bool {
    let log_directory = path.parent().unwrap_or(Path::new("."));
    archive_of(disk, log_directory)
        .and_then(|archive| copy(disk, path, file, &archive.join(file_name(unit))))
        .is_ok()
}

fn copy(disk: &dyn Disk, path: &Path, file: &dyn File, to: &Path) -> Result<(), OpenError> {
    let bytes = whole(file, path)?;
    let how = Open {
        write: true,
        create: Create::IfMissing,
        lock: Lock::Exclusive,
        ..Open::default()
    };
    let kept = disk.open(to, how).map_err(io(to, "create"))?;
    let write = WriteAt { at: 0, buf: &bytes };
    let written = kept.write(&[write]).and_then(|()| kept.sync());
    written.map_err(|error| {
        // What is not whole is none. If it cannot go, it is written over by the next who looks.
        let _ = disk.remove(to);
        io(to, "write")(error)
    })?;
    sync_directory(disk, to.parent().unwrap_or(Path::new(".")))
}

/// A unit that had changed a data set and was in doubt at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// Its name.
    pub name: String,
    /// When it was prepared, nanoseconds since 1970.
    pub prepared: u64,
    /// It is in doubt to this day.
    pub waits: bool,
    /// Cluster id of the data set.
    pub cluster: u64,
    /// What takes its changes of the data set back, newest first: requests as the log has them.
    pub undo: Vec<Vec<u8>>,
}

/// The units that were prepared up to `prepared`, were in doubt at `moment` or later, and had changed data sets with an
/// archive of this lineage; one for each such data set. The caller has seen to it that what is over has left the log
/// directory, unless a log may lack it (Z6).
///
/// # Errors
/// A file of a unit cannot be read.
pub fn undecided_at(
    disk: &dyn Disk,
    log_directory: &Path,
    lineage: u64,
    (prepared, moment): (u64, u64),
) -> Result<Vec<Undecided>, OpenError> {
    let was_in_doubt = |head: &PreparedHead| head.unit.time <= prepared && !is_decided(head, moment);
    let kept = |file: &dyn File, path: &Path| {
        // The others are many, and their bodies are of no concern.
        let head = read_head(file, path)?;
        was_in_doubt(&head).then(|| read(file, path)).transpose()
    };
    let mut units = all(disk, log_directory)?;
    units.extend(each(disk, log_directory, stands::is_one, read)?);
    // A file that has two names is of one unit. One in the archive that is not whole has its first name still.
    let seen: BTreeSet<PathBuf> = units.iter().map(|(_, head)| file_name(&head.unit).into()).collect();
    let is_new = |name: &Path| is_one(name) && !seen.contains(name);
    let archive = archive_of(disk, log_directory)?;
    units.extend(each(disk, &archive, is_new, kept)?.into_iter().flatten());
    units.retain(|(_, head)| was_in_doubt(head));
    units.sort_by_key(|(unit, head)| (unit.time, head.unit.clone()));
    units.dedup_by(|(_, one), (_, other)| one.unit == other.unit);
    let sets = units.iter().flat_map(|(unit, head)| {
        let its = unit.sets.iter().enumerate();
        let its = its.filter(move |(_, set)| set.base.is_none() && set.lineage == lineage);
        its.map(move |(place, set)| Undecided {
            name: unit.name.clone(),
            prepared: unit.time,
            waits: !head.state.is_over(),
            cluster: set.cluster,
            undo: (unit.undo.iter())
                .filter(|(of, _)| *of as usize == place)
                .map(|(_, requests)| requests.clone())
                .collect(),
        })
    });
    Ok(sets.collect())
}

/// Was it decided by the moment what becomes of it, and done?
fn is_decided(head: &PreparedHead, moment: u64) -> bool {
    match head.state {
        PreparedState::InDoubt | PreparedState::GoingBack => false,
        PreparedState::Committed | PreparedState::TakenBack => head.decided <= moment,
    }
}

/// Removes the files of units about which was decided before a moment, and before what is left of the archives of their
/// data sets begins; tells how many, and their bytes.
///
/// # Errors
/// A file cannot be read or removed.
pub fn clean(disk: &dyn Disk, archive: &Path, before: u64) -> Result<(u64, u64), OpenError> {
    let begun = begun(disk, archive)?;
    let read = |file: &dyn File, path: &Path| {
        let bytes = whole(file, path)?;
        // One that is not whole is written anew, as its first name is there still.
        let Ok((unit, head)) = PreparedUnit::decode(&bytes) else {
            return Ok(None);
        };
        let first = unit.sets.iter().filter_map(|set| begun.get(&set.lineage)).min();
        let goes = head.decided < before && first.is_none_or(|first| head.decided < *first);
        Ok(goes.then(|| (path.to_path_buf(), bytes.len() as u64)))
    };
    let (mut count, mut bytes) = (0, 0);
    for (path, size) in each(disk, archive, is_one, read)?.into_iter().flatten() {
        disk.remove(&path).map_err(io(&path, "remove"))?;
        (count, bytes) = (count + 1, bytes + size);
    }
    Ok((count, bytes))
}

/// When the first segment was begun that each lineage has.
fn begun(disk: &dyn Disk, archive: &Path) -> Result<HashMap<u64, u64>, OpenError> {
    let mut begun = HashMap::new();
    for file in archive::all(disk, archive).map_err(io(archive, "list"))? {
        // One that cannot be read keeps whatever it may be needed for.
        let time = Segment::open(disk, &file).map_or(0, |segment| segment.head.time);
        begun.entry(file.lineage).or_insert(time);
    }
    Ok(begun)
}
