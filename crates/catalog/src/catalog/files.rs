//! What is done to files and directories of a catalog: they are read, replaced, locked, made, and made durable.

use crate::error::CatalogError;
use cica_disk::{Create, Disk, File, Lock, Open, ReadAt, WriteAt};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a change waits for the lock before it gives up, unless said otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// No catalog is longer, nor a copy of one: a million entries.
pub(crate) const LONGEST: u64 = 1 << 30;
/// The first and the longest pause between two tries.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(32));

/// Lets a directory be touched: `said` by the user, else named by a catalog.
///
/// # Errors
/// It leads out of what may be touched.
pub(crate) fn admit(disk: &dyn Disk, directory: &Path, explicit: bool) -> Result<(), CatalogError> {
    disk.admit(directory, explicit).map_err(|source| CatalogError::Io {
        doing: "use",
        path: directory.to_owned(),
        source,
    })
}

/// Refuses a length that no catalog has, whatever the file says: a hole takes no space on the volume, but memory.
pub(crate) fn check_longest(path: &Path, length: u64) -> Result<(), CatalogError> {
    if length <= LONGEST {
        return Ok(());
    }
    Err(CatalogError::Damaged {
        path: path.to_owned(),
        offset: LONGEST,
        what: format!("{length} bytes are more than any catalog has"),
    })
}

/// A whole file.
///
/// # Errors
/// It cannot be read, or is longer than any catalog.
pub(crate) fn read_file(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, CatalogError> {
    read_start(disk, path, usize::MAX)
}

/// The first `length` bytes of a file, or all that it has.
pub(crate) fn read_start(disk: &dyn Disk, path: &Path, length: usize) -> Result<Vec<u8>, CatalogError> {
    let failed = |source| CatalogError::Io {
        doing: "read",
        path: path.to_owned(),
        source,
    };
    let file = disk.open(path, Open::default()).map_err(failed)?;
    let size = file.size(None).map_err(failed)?;
    let length = size.min(length as u64);
    check_longest(path, length)?;
    let mut bytes = vec![0; length as usize];
    let got = read_at(&*file, 0, &mut bytes).map_err(failed)?;
    bytes.truncate(got);
    Ok(bytes)
}

/// Reads until `buf` is full or the file ends; returns the bytes read.
pub(crate) fn read_at(file: &dyn File, at: u64, buf: &mut [u8]) -> io::Result<usize> {
    let mut batch = [ReadAt { at, buf, got: 0 }];
    file.read(&mut batch)?;
    Ok(batch[0].got)
}

/// Makes `bytes` the file `path` of `directory`: written as `next`, made durable, and renamed. It gets the group of the
/// file `like`, if that is there.
pub(crate) fn replace(
    disk: &dyn Disk,
    directory: &Path,
    (next, path, like): (&Path, &Path, &Path),
    bytes: &[u8],
) -> Result<(), CatalogError> {
    let failed = |source| CatalogError::Io {
        doing: "write",
        path: next.to_owned(),
        source,
    };
    // What a crash left under this name is of no use to anybody.
    match disk.remove(next) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => (),
    }
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    let file = disk.open(next, how).map_err(failed)?;
    let filled = file
        .size(Some(bytes.len() as u64))
        .and_then(|_| file.write(&[WriteAt { at: 0, buf: bytes }]))
        .and_then(|()| file.sync());
    drop(file);
    disk.keep_group(like, next);
    if let Err(error) = filled {
        // Half a file helps nobody, and takes space where there may be none left.
        let _ = disk.remove(next);
        return Err(failed(error));
    }
    disk.rename(next, path).map_err(failed)?;
    sync_directory(disk, directory).map_err(|source| CatalogError::NotDurable {
        path: path.to_owned(),
        source,
    })
}

/// Takes the lock for changes; dropping the file gives it back.
pub(crate) fn lock(disk: &dyn Disk, directory: &Path, patience: Duration) -> Result<Box<dyn File>, CatalogError> {
    wait_for(disk, directory.join("lock"), Lock::Exclusive, patience)
}

/// Takes a lock on a file that has no contents, waiting for it as long as `patience` says.
pub(crate) fn wait_for(
    disk: &dyn Disk,
    path: PathBuf,
    lock: Lock,
    patience: Duration,
) -> Result<Box<dyn File>, CatalogError> {
    let how = Open {
        write: true,
        create: Create::IfMissing,
        lock,
        ..Open::default()
    };
    let (mut waited, mut pause) = (Duration::ZERO, PAUSES.0);
    loop {
        match disk.open(&path, how) {
            Ok(file) => return Ok(file),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if waited >= patience {
                    return Err(CatalogError::Busy { path, waited });
                }
                std::thread::sleep(pause);
                waited += pause;
                pause = (pause * 2).min(PAUSES.1);
            }
            Err(source) => {
                return Err(CatalogError::Io {
                    doing: "lock",
                    path,
                    source,
                })
            }
        }
    }
}

/// Makes a directory and those above it, durably. One that is there may have been made by a process that died before
/// it could say so on the volume: its name is made durable too, where that is allowed.
pub(crate) fn make_directory(disk: &dyn Disk, path: &Path) -> Result<(), CatalogError> {
    let failed = |source| CatalogError::Io {
        doing: "make the directory",
        path: path.to_owned(),
        source,
    };
    let there = Open {
        directory: true,
        ..Open::default()
    };
    let is_there = match disk.open(path, there) {
        Ok(_) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(failed(error)),
    };
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    if is_there {
        return sync_above(disk, parent).map_err(failed);
    }
    if !parent.as_os_str().is_empty() {
        make_directory(disk, parent)?;
    }
    let made = Open {
        create: Create::IfMissing,
        ..there
    };
    disk.open(path, made).map_err(failed)?;
    sync_directory(disk, parent).map_err(failed)
}

/// Makes names durable from this directory up.
fn sync_above(disk: &dyn Disk, directory: &Path) -> io::Result<()> {
    let mut all = directory.ancestors().filter(|path| !path.as_os_str().is_empty());
    all.try_for_each(|path| match sync_directory(disk, path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    })
}

pub(crate) fn sync_directory(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    disk.open(
        path,
        Open {
            directory: true,
            ..Open::default()
        },
    )?
    .sync()
}
