//! The catalog's own file: making it, reading it, replacing it by the next.
//!
//! See [`crate::catalog`] for what lies where and for the invariants K1-K4.

use super::aside::make_way_for;
use super::durable;
use super::files::{admit, check_longest, lock, make_directory, read_at, replace, sync_directory, LONGEST, PATIENCE};
use crate::contents::Contents;
use crate::error::CatalogError;
use crate::geometry::Device;
use crate::place;
use crate::volume::{Volser, Volume};
use crate::wire;
use cica_disk::{Disk, File, Open};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A catalog as read: its header, whose bytes differ between any two catalogs, and what it heads.
pub(crate) type Edition = (wire::Header, Arc<Contents>);

/// Makes the catalog of `directory`, unless another process just did, with its default volume.
pub(crate) fn create(disk: &dyn Disk, directory: &Path) -> Result<(), CatalogError> {
    make_directory(disk, directory)?;
    let lock = lock(disk, directory, PATIENCE)?;
    match read(disk, directory) {
        Err(CatalogError::NoCatalog { .. }) => (),
        other => return other.map(|_| ()),
    }
    let volume = new_volume(&Volser::default_serial(), Device::default_type(), None);
    admit(disk, &volume.path(directory), false)?;
    make_directory(disk, &volume.path(directory))?;
    make_log(disk, directory)?;
    let mut contents = Contents::default();
    make_way_for(
        disk,
        &volume.path(directory),
        &place::real(disk, directory),
        &[&contents],
    )?;
    contents.add_volume(volume)?;
    write(disk, directory, &contents, 1, &*lock).map(|_| ())
}

/// Makes a catalog that knows no volume, unless one is there.
pub(crate) fn create_bare(disk: &dyn Disk, directory: &Path) -> Result<(), CatalogError> {
    make_directory(disk, directory)?;
    let lock = lock(disk, directory, PATIENCE)?;
    match read(disk, directory) {
        Err(CatalogError::NoCatalog { .. }) => (),
        other => return other.map(|_| ()),
    }
    make_log(disk, directory)?;
    write(disk, directory, &Contents::default(), 1, &*lock).map(|_| ())
}

fn make_log(disk: &dyn Disk, directory: &Path) -> Result<(), CatalogError> {
    let log = directory.join("log");
    admit(disk, &log, false)?;
    make_directory(disk, &log)
}

/// Removes a catalog's own files; the first one decides whether it is still a catalog.
pub(crate) fn remove(disk: &dyn Disk, directory: &Path) -> Result<(), CatalogError> {
    for file in ["catalog", "catalog.new", "lock", "defining"] {
        let path = directory.join(file);
        match disk.remove(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(CatalogError::Io {
                    doing: "remove",
                    path,
                    source,
                })
            }
            _ => (),
        }
    }
    sync_directory(disk, directory).map_err(|source| CatalogError::NotDurable {
        path: directory.to_owned(),
        source,
    })
}

/// A volume with the directory given, or `volumes/<serial>`.
pub(crate) fn new_volume(serial: &Volser, device: &'static Device, directory: Option<&Path>) -> Volume {
    let directory = directory.map_or_else(|| Path::new("volumes").join(serial.as_str()), Path::to_owned);
    Volume {
        serial: serial.clone(),
        directory,
        device,
        cylinders: None,
    }
}

/// Reads the catalog (K4).
pub(crate) fn read(disk: &dyn Disk, directory: &Path) -> Result<Edition, CatalogError> {
    let (path, file, header) = open(disk, directory)?;
    durable::confirm(disk, directory, &header)?;
    read_rest(&path, &*file, header)
}

/// Reads the catalog (K4); `None` when its header is still `known`.
pub(crate) fn read_newer(
    disk: &dyn Disk,
    directory: &Path,
    known: &wire::Header,
) -> Result<Option<Edition>, CatalogError> {
    let (path, file, header) = open(disk, directory)?;
    if header == *known {
        return Ok(None);
    }
    durable::confirm(disk, directory, &header)?;
    read_rest(&path, &*file, header).map(Some)
}

/// Opens the catalog file and reads its header. The open file stays the one it is when another takes its name.
fn open(disk: &dyn Disk, directory: &Path) -> Result<(PathBuf, Box<dyn File>, wire::Header), CatalogError> {
    let path = directory.join("catalog");
    let failed = |source| CatalogError::Io {
        doing: "read",
        path: path.clone(),
        source,
    };
    let file = match disk.open(&path, Open::default()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(CatalogError::NoCatalog {
                directory: directory.to_owned(),
            });
        }
        other => other.map_err(failed)?,
    };
    let mut bytes = [0; wire::HEADER_LEN];
    let got = read_at(&*file, 0, &mut bytes).map_err(failed)?;
    let header = wire::Header::decode(&bytes[..got]).map_err(|error| error.of(&path))?;
    Ok((path, file, header))
}

fn read_rest(path: &Path, file: &dyn File, header: wire::Header) -> Result<Edition, CatalogError> {
    let failed = |source| CatalogError::Io {
        doing: "read",
        path: path.to_owned(),
        source,
    };
    let length = file.size(None).map_err(failed)?;
    let length = header.check_length(length).map_err(|error| error.of(path))?;
    check_longest(path, length as u64)?;
    let mut items = vec![0; length];
    let got = read_at(file, wire::HEADER_LEN as u64, &mut items).map_err(failed)?;
    let contents = wire::decode(&header, &items[..got]).map_err(|error| error.of(path))?;
    Ok((header, Arc::new(contents)))
}

/// Makes `contents` the catalog (K1), under the lock.
pub(crate) fn write(
    disk: &dyn Disk,
    directory: &Path,
    contents: &Contents,
    generation: u64,
    lock: &dyn File,
) -> Result<wire::Header, CatalogError> {
    let (path, next) = (directory.join("catalog"), directory.join("catalog.new"));
    let (header, bytes) = wire::encode(contents, generation);
    // One that could not be read again is not written.
    if bytes.len() as u64 > LONGEST {
        return Err(CatalogError::Io {
            doing: "write",
            path: next,
            source: io::Error::new(
                io::ErrorKind::FileTooLarge,
                "the catalog has more entries than a catalog may have",
            ),
        });
    }
    replace(disk, directory, (&next, &path, &path), &bytes)?;
    durable::note(lock, &header);
    Ok(header)
}
