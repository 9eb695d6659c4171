//! Directories that engines work in.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::peer::Result;

/// Makes a directory, or removes what is in it.
pub fn make_empty(dir: &Path) -> Result<()> {
    let make = || {
        if dir.exists() {
            fs::remove_dir_all(dir)?;
        }
        fs::create_dir_all(dir)
    };
    make().map_err(|error: std::io::Error| format!("cannot empty {}: {error}", dir.display()))
}

/// Bytes on the device of all files below a directory, also while an engine makes and removes some.
pub fn bytes_under(dir: &Path) -> Result<u64> {
    let list = || -> std::io::Result<u64> {
        let (mut bytes, mut left) = (0, vec![dir.to_path_buf()]);
        while let Some(dir) = left.pop() {
            let entries = match fs::read_dir(&dir) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                match entry.metadata() {
                    Ok(meta) if meta.is_dir() => left.push(entry.path()),
                    Ok(meta) => bytes += meta.blocks() * 512,
                    // The engine has just removed it.
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(bytes)
    };
    list().map_err(|error| format!("cannot list {}: {error}", dir.display()))
}

/// Makes `to` a copy of the files in `from`, and waits until it is on the device: who syncs one of its files later pays
/// only for their own changes.
pub fn copy_synced(from: &Path, to: &Path) -> Result<()> {
    make_empty(to)?;
    let copy = || -> std::io::Result<()> {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let target = to.join(entry.file_name());
            fs::copy(entry.path(), &target)?;
            File::open(&target)?.sync_all()?;
        }
        File::open(to)?.sync_all()
    };
    copy().map_err(|error| format!("cannot copy {}: {error}", from.display()))
}
