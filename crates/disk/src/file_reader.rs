//! [`FileReader`]: a file that is read from its beginning to its end, whatever it is: a plain one, a pipe, a device.

use crate::error::bare;
use crate::{Disk, File, ReadAt, StreamMode};
use std::io::{self, Read};
use std::path::Path;

/// See the module.
#[derive(Debug)]
pub struct FileReader {
    file: Box<dyn File>,
    at: u64,
}

impl FileReader {
    /// Opens what the user named; links are followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(disk: &dyn Disk, path: &Path) -> io::Result<FileReader> {
        FileReader::of(disk, path, StreamMode::Read)
    }

    /// Opens a plain file, as something that a catalog names: a link in its place is not followed.
    ///
    /// # Errors
    /// What the system says; it is a link, or no plain file.
    pub fn plain(disk: &dyn Disk, path: &Path) -> io::Result<FileReader> {
        FileReader::of(disk, path, StreamMode::ReadPlain)
    }

    /// Whether it can be read only once, and has no length.
    pub fn is_stream(&self) -> bool {
        self.file.is_stream()
    }

    fn of(disk: &dyn Disk, path: &Path, way: StreamMode) -> io::Result<FileReader> {
        let file = disk.stream(path, way).map_err(bare)?;
        Ok(FileReader { file, at: 0 })
    }
}

impl Read for FileReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let at = self.at;
        let mut batch = [ReadAt { at, buf, got: 0 }];
        self.file.read(&mut batch).map_err(bare)?;
        self.at += batch[0].got as u64;
        Ok(batch[0].got)
    }
}
