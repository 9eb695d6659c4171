//! The pool of log files in a directory: `log-0001`, `log-0002` ..., written full of zeros once and used again and
//! again.
//!
//! * F1. Who uses a file holds its lock; a process that dies loses it.
//! * F2. The header's log id is 0 when the file is free. An id is never given twice: it is made of when the file was
//!   made (its birth) and of the number of the claim, which rises, and is not below the second in which it was made: a
//!   power cut may take a claim that is not settled (F6), but not the time. So groups of an earlier life do not count,
//!   nor those of another file that has the name.
//! * F3. A file whose owner died keeps its id until recovery has done its requests; it is not claimed before.
//! * F4. But one to which its owner never wrote a group is claimed: whatever root names it needs nothing of it.
//! * F5. So is one that no data set needs that it has requests of (see [`super::abandoned`]): its owner died behind the
//!   last close and before it gave the file back, or they were deleted. That is looked at only where a file would have
//!   to be made else.
//! * F6. A claim costs no sync. It is settled before the log is named durably: the file's name is durable then, and so is
//!   the header. That it is settled the header says from when the file is given back.
//! * F7. A log that was let go for a data set that answers nothing more is not taken again by the same process. After
//!   a sync that failed the page cache may show a root that the disk has not, and a later sync says that all is well.
//! * F8. A header that a root may name, durably or not, is not written over: a write that fails may do its first part,
//!   and what it leaves would be the header of no log.
//! * F9. But for those of F4 and F5, and of a log that recovery has done: a root may name it early still, of a data set
//!   that has no request in it. Such a root needs nothing of a file whose header is none and whose tail does not have
//!   the data set either.

use super::abandoned::is_abandoned;
use super::header::{is_blank, read_header, second, write_header};
use super::replay::was_written_to;
use super::tail::Tail;
use super::{Claimed, LogCall, LogError};
use crate::volumes::Volumes;
use cica_disk::{Clock, Create, Disk, File, Lock, Open, WriteAt};
use cica_format::checksum::crc32c;
use cica_format::log::{LogFileHeader, BLOCK_LEN};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file grows by its length, within these bounds: a short step writes few zeros, a long one grows seldom.
const STEP: (u64, u64) = (256 << 10, 4 << 20);
/// A group of so many bytes is written without zeros before it: nobody waits for it alone.
const LONG_GROUP: u64 = 1 << 20;
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
/// A file that is given back keeps so many bytes.
const KEPT: u64 = 64 << 20;
const MOST_FILES: u32 = 10_000;

/// Takes a free file, or makes one; it is long after `epoch_bytes`. A log in `let_go` is left where it is (F7).
pub(super) fn claim(
    disk: &Arc<dyn Disk>,
    clock: &dyn Clock,
    directory: &Path,
    volumes: &dyn Volumes,
    let_go: &BTreeSet<u64>,
    (epoch_bytes, gathers): (u64, usize),
) -> Result<Claimed, LogError> {
    let there = disk
        .list(directory)
        .map_err(LogError::io_of(LogCall::List, directory))?;
    let there: BTreeSet<u32> = there.iter().filter_map(|(path, _)| number_of(path)).collect();
    let place = |number: u32| PoolFile {
        disk,
        clock,
        path: directory.join(name(number)),
        number,
        epoch_bytes,
        gathers,
    };
    let mut dead = Vec::new();
    for place in there.iter().copied().map(place) {
        match place.take(Create::No, None)? {
            PoolFileState::Claimed(claimed) => return Ok(claimed),
            PoolFileState::Dead(log) => dead.push((place, log)),
            PoolFileState::Kept => {}
        }
    }
    for (place, log) in dead {
        if !let_go.contains(&log) && is_abandoned(&**disk, volumes, &place.path, log) {
            if let PoolFileState::Claimed(claimed) = place.take(Create::No, Some(log))? {
                return Ok(claimed);
            }
        }
    }
    for place in (1..=MOST_FILES).filter(|number| !there.contains(number)).map(place) {
        if let PoolFileState::Claimed(claimed) = place.take(Create::IfMissing, None)? {
            return Ok(claimed);
        }
    }
    Err(LogError::NoneFree {
        directory: directory.to_path_buf(),
        most: MOST_FILES,
    })
}

/// Name of a file of the pool.
fn name(number: u32) -> String {
    format!("log-{number:04}")
}

/// Which file of the pool has this name; `None`: none has.
pub(super) fn number_of(path: &Path) -> Option<u32> {
    let file = path.file_name()?.to_str()?;
    let number = file.strip_prefix("log-")?.parse().ok()?;
    ((1..=MOST_FILES).contains(&number) && name(number) == file).then_some(number)
}

/// A name of the pool.
struct PoolFile<'c> {
    disk: &'c Arc<dyn Disk>,
    clock: &'c dyn Clock,
    path: PathBuf,
    number: u32,
    epoch_bytes: u64,
    gathers: usize,
}

/// What a file of the pool is.
enum PoolFileState {
    /// It was free.
    Claimed(Claimed),
    /// Its owner died and wrote to it; the id.
    Dead(u64),
    /// Its owner lives, or nothing can be told of it.
    Kept,
}

impl PoolFile<'_> {
    /// Claims the file if it is free, or holds log `abandoned` still.
    fn take(&self, create: Create, abandoned: Option<u64>) -> Result<PoolFileState, LogError> {
        let path = &self.path;
        let how = Open {
            write: true,
            create,
            lock: Lock::Exclusive,
            ..Open::default()
        };
        let text = |e| LogError::io_of(LogCall::Claim, path)(e);
        let file = match self.disk.open(path, how) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return Ok(PoolFileState::Kept),
            Err(e) => return Err(text(e)),
        };
        let (birth, claims, settled) = match read_header(&*file).map_err(text)? {
            // Of before format 3.
            Ok(header) if header.log == 0 && header.birth == 0 => (self.number, header.claims, header.settled),
            Ok(header) if header.log == 0 || abandoned == Some(header.log) => {
                (header.birth, header.claims, header.settled)
            }
            Ok(header) if header.birth == 0 => return Ok(PoolFileState::Kept),
            // F4.
            Ok(header) if !was_written_to(&**self.disk, path, &*file, header.log)? => {
                (header.birth, header.claims, header.settled)
            }
            Ok(header) => return Ok(PoolFileState::Dead(header.log)),
            // Its claims cannot be told, so an id could be given twice (F2).
            Err(_) if !is_blank(&*file).map_err(text)? => return Ok(PoolFileState::Kept),
            Err(_) => (born(self.clock, path), 0, false),
        };
        // One that has been claimed as often as can be counted is of no more use.
        let Some(next) = claims.checked_add(1) else {
            return Ok(PoolFileState::Kept);
        };
        let claims = next.max(second(self.clock));
        let log = u64::from(birth) << 32 | u64::from(claims);
        let header = LogFileHeader {
            log,
            claims,
            birth,
            settled,
        };
        // Roots will name this id, and it must be found here after a power cut: the group that introduces their data
        // sets is made durable with it, before (W6).
        write_header(&*file, header).map_err(text)?;
        let capacity = file.size(None).map_err(text)?;
        // Without a tail each change is written to the log before it is answered (tail:T1): slow, and as safe.
        let tail = Tail::open(&**self.disk, path, self.gathers).ok();
        Ok(PoolFileState::Claimed(Claimed {
            file: file.into(),
            path: path.clone(),
            log,
            epoch: 1,
            at: BLOCK_LEN as u64,
            weight: BLOCK_LEN as u64,
            long: self.epoch_bytes,
            capacity,
            tail,
            epoch_lsn: 0,
            settled: false,
            name_settled: settled,
        }))
    }
}

/// Makes a claim durable, and the file's name (F6).
pub(super) fn settle(disk: &dyn Disk, (file, path): (&dyn File, &Path), name_settled: bool) -> Result<(), LogError> {
    let text = |e| LogError::io_of(LogCall::Claim, path)(e);
    if !name_settled {
        let how = Open {
            directory: true,
            ..Open::default()
        };
        let directory = path.parent().unwrap_or(Path::new("."));
        disk.open(directory, how)
            .and_then(|directory| directory.sync())
            .map_err(text)?;
    }
    file.sync().map_err(text)
}

/// What tells a file that is made now from any other of its name.
fn born(clock: &dyn Clock, path: &Path) -> u32 {
    let mut bytes = clock.now().to_le_bytes().to_vec();
    bytes.extend(path.as_os_str().as_encoded_bytes());
    crc32c(&bytes).max(1)
}

/// Grows the file ahead of the writing, filling it with zeros: blocks that were never written would make each sync
/// dearer. What a long group is about to fill itself needs none.
pub(super) fn make_room(claimed: &mut Claimed, bytes: u64) -> Result<(), LogError> {
    let path = claimed.path.clone();
    let text = |e| LogError::io_of(LogCall::Claim, &path)(e);
    let need = claimed.at + bytes;
    if need > claimed.capacity && bytes >= LONG_GROUP {
        claimed.capacity = claimed.file.size(Some(need)).map_err(text)?;
    }
    while need > claimed.capacity {
        let start = claimed.capacity.max(BLOCK_LEN as u64);
        let end = (start + start.clamp(STEP.0, STEP.1)).next_multiple_of(STEP.0);
        claimed.file.size(Some(end)).map_err(text)?;
        let zeros: Vec<WriteAt<'_>> = (start..end)
            .step_by(ZEROS.len())
            .map(|at| WriteAt {
                at,
                buf: &ZEROS[..ZEROS.len().min((end - at) as usize)],
            })
            .collect();
        claimed.file.write(&zeros).map_err(text)?;
        claimed.capacity = end;
    }
    Ok(())
}

/// What a long step writes behind the length that is kept is cut off in the end, and until then read by a recovery
/// alone: it takes no memory from what is.
pub(super) fn forget_beyond_kept(file: &dyn File, at: u64, len: u64) {
    if at >= KEPT {
        file.forget(at, len);
    }
}

/// Gives a file back, cut to the length that short steps want. If this write is lost the file stays out of use until it
/// is recovered, which then finds nothing to do.
pub(super) fn release(claimed: Claimed) {
    if claimed.capacity > KEPT {
        let _ = claimed.file.size(Some(KEPT));
    }
    let header = LogFileHeader {
        log: 0,
        claims: claimed.log as u32,
        birth: (claimed.log >> 32) as u32,
        settled: claimed.name_settled,
    };
    // See above: the file stays out of use.
    let _ = write_header(&*claimed.file, header);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_pool_are_numbers() {
        for number in [1, 9, 10, 9_999, MOST_FILES] {
            assert_eq!(number_of(&Path::new("log").join(name(number))), Some(number));
        }
        for other in [
            "log-0000",
            "log-1",
            "log-00001",
            "log-+001",
            "log-10001",
            "log-",
            "log-0001.old",
            "lock",
        ] {
            assert_eq!(number_of(Path::new(other)), None, "{other}");
        }
    }
}
