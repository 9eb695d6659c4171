//! A file that may be shorter than it should, or unreadable in places.

use crate::error::OpenError;
use crate::files::open_file;
use crate::roots::{read_copy, root_astray};
use cica_disk::{Disk, File, Lock, ReadAt};
use cica_format::root::{Part, Root};
use std::path::{Path, PathBuf};

/// See the module.
#[derive(Debug)]
pub struct Source {
    file: Box<dyn File>,
    pub path: PathBuf,
    pub len: u64,
}

impl Source {
    /// Opens it.
    ///
    /// # Errors
    /// It is not there, or somebody has it open for output.
    pub fn open(disk: &dyn Disk, path: &Path) -> Result<Source, OpenError> {
        let file = open_file(disk, path, Lock::Shared, false)?;
        let len = file.size(None).map_err(|error| OpenError::Io {
            path: path.to_path_buf(),
            doing: "length",
            error,
        })?;
        Ok(Source {
            file,
            path: path.to_path_buf(),
            len,
        })
    }

    /// `len` bytes at `at`, or why they cannot be had.
    pub fn read(&self, at: u64, len: usize) -> Result<Vec<u8>, String> {
        if at.saturating_add(len as u64) > self.len {
            return Err(format!("the file ends before it, at byte {}", self.len));
        }
        let mut bytes = vec![0; len];
        let mut batch = [ReadAt {
            at,
            buf: &mut bytes,
            got: 0,
        }];
        match self.file.read(&mut batch) {
            Ok(()) if batch[0].got == len => Ok(bytes),
            Ok(()) => Err("the file became shorter".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The newest root of a part, and what speaks against copies.
    pub fn root(&self, part: Part, notes: &mut Vec<String>) -> Option<Root> {
        let mut best: Option<Root> = None;
        for copy in 0..2 {
            let mut take = |root: Root| {
                let newer = |best: &Root| root.version.wrapping_sub(best.version) as i32 > 0;
                if best.as_ref().is_none_or(newer) {
                    best = Some(root);
                }
            };
            match read_copy(&*self.file, &self.path, copy) {
                Ok(Ok(root)) if root.part == part => take(root),
                Ok(Ok(_)) => notes.push(format!("root copy {copy} is that of another component")),
                Ok(Err(why)) => {
                    notes.push(format!("root copy {copy}: {why}"));
                    let astray = root_astray(&*self.file, &self.path, copy).ok().flatten();
                    astray.filter(|root| root.part == part).map(take);
                }
                Err(error) => notes.push(format!("root copy {copy}: {error}")),
            }
        }
        best
    }
}
