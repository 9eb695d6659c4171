//! The files of a cluster: opening and making them, and reading what their roots say without opening the data set.

use crate::error::OpenError;
use crate::roots::{read_copy_and_checksum, read_root};
use cica_disk::{Create, Disk, File, Lock, Open};
use cica_format::root::{Part, Root};
use std::path::{Path, PathBuf};

/// The files of a cluster or alternate index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Data component.
    pub data: PathBuf,
    /// Index component.
    pub index: PathBuf,
}

/// Reads the newest root of a component file, data or index, as the last commit left it.
///
/// # Errors
/// There is no such file, or it is damaged.
pub fn peek(disk: &dyn Disk, path: &Path) -> Result<Root, OpenError> {
    let file = open_file(disk, path, Lock::None, false)?;
    read_root(&*file, path)
}

/// The root of the index component `path`, in `file`, that the root of the data component `beside` names.
pub(crate) fn read_index_root(file: &dyn File, (beside, path): (&Path, &Path), data: &Root) -> Result<Root, OpenError> {
    let bad = |what: String| OpenError::Unusable {
        path: path.to_path_buf(),
        what,
    };
    let known = data.index_root;
    let (root, checksum) = read_copy_and_checksum(file, path, known.version & 1)?.map_err(|e| {
        bad(format!(
            "not the index component of {}: {e}",
            data.attributes.cluster_name
        ))
    })?;
    if root.part != Part::Index || root.cluster != data.cluster {
        return Err(bad(format!(
            "it is a component of {}, and the data component {} is one of {}: one of the two files is another data set's",
            root.attributes.cluster_name,
            beside.display(),
            data.attributes.cluster_name
        )));
    }
    if root.version != known.version || checksum != known.checksum {
        return Err(bad(format!(
            "its root is version {}, the data component names version {}: the two files are not of the same moment",
            root.version, known.version
        )));
    }
    Ok(root)
}

/// Opens a component file, which must be there.
pub(crate) fn open_file(disk: &dyn Disk, path: &Path, lock: Lock, write: bool) -> Result<Box<dyn File>, OpenError> {
    let how = Open {
        write,
        lock,
        ..Open::default()
    };
    open_as(disk, path, how)
}

/// The same in a way of its own.
pub(crate) fn open_as(disk: &dyn Disk, path: &Path, how: Open) -> Result<Box<dyn File>, OpenError> {
    disk.open(path, how).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => OpenError::Missing {
            path: path.to_path_buf(),
        },
        std::io::ErrorKind::WouldBlock => OpenError::in_use(disk, path, how),
        _ => OpenError::Io {
            path: path.to_path_buf(),
            doing: "open",
            error,
        },
    })
}

/// The files of a cluster.
pub(crate) fn files<'p>(data: &'p Path, index: &'p Path) -> impl Iterator<Item = &'p Path> {
    [data, index].into_iter().filter(|path| !path.as_os_str().is_empty())
}

/// A file that was not there before.
pub(crate) fn new_file(disk: &dyn Disk, path: &Path) -> Result<Box<dyn File>, OpenError> {
    let how = Open {
        write: true,
        create: Create::New,
        ..Open::default()
    };
    disk.open(path, how).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => OpenError::Exists {
            path: path.to_path_buf(),
        },
        _ => OpenError::Io {
            path: path.to_path_buf(),
            doing: "create",
            error,
        },
    })
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(disk: &dyn Disk, directory: &Path) -> Result<(), OpenError> {
    let io = |error| OpenError::Io {
        path: directory.to_path_buf(),
        doing: "sync of the directory",
        error,
    };
    let handle = disk
        .open(
            directory,
            Open {
                directory: true,
                ..Open::default()
            },
        )
        .map_err(io)?;
    handle.sync().map_err(io)
}
