//! The segments of an archive, and what is in each.

use super::{numbers_of, path};
use cica_disk::{Disk, File, Open, ReadAt};
use cica_format::archive::{
    check_frame, frame_head, is_durable_frame, read_end, FrameHead, FrameKind, SegmentHead, END_LEN, FRAME_LEN,
    HEAD_LEN,
};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A frame is no longer than this: a group of the log, doubled.
const MOST: u64 = 1 << 30;

/// What is wrong with an archive, in words that name the segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveError {
    /// The segment, or the directory.
    pub path: PathBuf,
    /// What is wrong, and where.
    pub what: String,
    /// The bytes are not those that were written; else they could not be read or written.
    pub is_damage: bool,
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "archive {}: {}", self.path.display(), self.what)
    }
}

impl std::error::Error for ArchiveError {}

/// A file of an archive by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentFile {
    /// The file.
    pub path: PathBuf,
    /// Lineage of the data set.
    pub lineage: u64,
    /// Its number.
    pub number: u32,
    /// Bytes.
    pub bytes: u64,
}

/// All segments in a directory, in order; none where there is no directory.
///
/// # Errors
/// It cannot be read.
pub fn all(disk: &dyn Disk, directory: &Path) -> io::Result<Vec<SegmentFile>> {
    disk.admit(directory, false)?;
    let listed = match disk.list(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        listed => listed?,
    };
    let file = |(path, bytes): (PathBuf, u64)| {
        let (lineage, number) = numbers_of(&path)?;
        Some(SegmentFile {
            path: directory.join(path),
            lineage,
            number,
            bytes,
        })
    };
    let mut files: Vec<SegmentFile> = listed.into_iter().filter_map(file).collect();
    files.sort_by_key(|file| (file.lineage, file.number));
    Ok(files)
}

/// Those of one data set.
///
/// # Errors
/// As [`all`].
pub fn segments(disk: &dyn Disk, directory: &Path, lineage: u64) -> io::Result<Vec<SegmentFile>> {
    let mut files = all(disk, directory)?;
    files.retain(|file| file.lineage == lineage);
    Ok(files)
}

/// A segment that is read.
#[derive(Debug)]
pub struct Segment {
    /// What it says of itself.
    pub head: SegmentHead,
    file: Box<dyn File>,
    path: PathBuf,
    pub(super) length: u64,
    /// Where the next frame begins, and what its checksum goes on from.
    pub(super) at: u64,
    pub(super) chain: u32,
    /// Of the frame before.
    time: u64,
    ended: bool,
}

impl Segment {
    /// Opens the segment in this file.
    ///
    /// # Errors
    /// It cannot be read, or is none, or another's.
    pub fn open(disk: &dyn Disk, of: &SegmentFile) -> Result<Segment, ArchiveError> {
        let wrong = |is_damage: bool, what: String| ArchiveError {
            path: of.path.clone(),
            what,
            is_damage,
        };
        let file = disk
            .open(&of.path, Open::default())
            .map_err(|error| wrong(false, error.to_string()))?;
        let length = file.size(None).map_err(|error| wrong(false, error.to_string()))?;
        let bytes = read(&*file, 0, HEAD_LEN).map_err(|error| wrong(false, error.to_string()))?;
        let head = SegmentHead::decode(&bytes).map_err(|error| wrong(true, error.to_string()))?;
        if (head.lineage, head.number) != (of.lineage, of.number) {
            return Err(wrong(
                true,
                format!(
                    "it is segment {} of data set {:016X} ({}), and does not belong under this name",
                    head.number, head.lineage, head.name
                ),
            ));
        }
        Ok(Segment {
            chain: head.checksum(),
            time: head.time,
            head,
            file,
            path: of.path.clone(),
            length,
            at: HEAD_LEN as u64,
            ended: false,
        })
    }

    /// The next frame: its head, and what is behind it. `None`: the segment has no more.
    ///
    /// # Errors
    /// What stands there is no frame that follows the one before, and where that is.
    pub fn next_frame(&mut self) -> Result<Option<(FrameHead, Vec<u8>)>, ArchiveError> {
        if self.at == self.length {
            return Ok(None);
        }
        if self.ended {
            return Err(self.wrong("something stands behind its end"));
        }
        let head = self.read(FRAME_LEN)?;
        let head = frame_head(&head).map_err(|error| self.wrong(error))?;
        if self.at + head.len() as u64 > self.length || u64::from(head.bytes) > MOST {
            return Err(self.wrong("the frame does not end within the file"));
        }
        let mut bytes = self.read(head.len())?;
        self.chain = check_frame(&bytes, self.chain).map_err(|error| self.wrong(error))?;
        if head.time < self.time {
            return Err(self.wrong("the frame is of an earlier time than the one before"));
        }
        (self.time, self.ended) = (head.time, head.kind == FrameKind::End);
        self.at += head.len() as u64;
        Ok(Some((head, bytes.split_off(FRAME_LEN))))
    }

    /// How it ends, without reading what is in front: the last frame's head and checksum, and how many records it has.
    /// `None`: it was not ended.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn end(&self) -> Result<Option<(FrameHead, u32, u64)>, ArchiveError> {
        let least = (HEAD_LEN + END_LEN) as u64;
        if self.length < least {
            return Ok(None);
        }
        let bytes = read(&*self.file, self.length - END_LEN as u64, END_LEN).map_err(|error| self.unread(&error))?;
        Ok(read_end(&bytes).ok())
    }

    /// Is there, behind the place where no frame was found, one that was written when everything in front was durable?
    /// Then that place is damaged, and not what a crash left.
    pub(super) fn has_durable_behind(&self) -> Result<bool, ArchiveError> {
        let left = usize::try_from(self.length - self.at).unwrap_or(usize::MAX);
        let bytes = self.read(left)?;
        Ok((1..bytes.len()).any(|at| is_durable_frame(&bytes[at..])))
    }

    /// Has its end been read?
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The checksum of the frame that was read last.
    pub fn chain(&self) -> u32 {
        self.chain
    }

    /// When the frame that was read last was written.
    pub fn time(&self) -> u64 {
        self.time
    }

    fn read(&self, len: usize) -> Result<Vec<u8>, ArchiveError> {
        read(&*self.file, self.at, len).map_err(|error| self.unread(&error))
    }

    fn unread(&self, error: &io::Error) -> ArchiveError {
        ArchiveError {
            is_damage: false,
            ..self.wrong(error)
        }
    }

    fn wrong(&self, what: impl fmt::Display) -> ArchiveError {
        ArchiveError {
            path: self.path.clone(),
            what: format!("at byte {}: {what}", self.at),
            is_damage: true,
        }
    }
}

/// The name of a segment's file.
pub(super) fn file_of(directory: &Path, lineage: u64, number: u32) -> SegmentFile {
    SegmentFile {
        path: path(directory, lineage, number),
        lineage,
        number,
        bytes: 0,
    }
}

fn read(file: &dyn File, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut buf = vec![0; len];
    let mut batch = [ReadAt {
        at,
        buf: &mut buf,
        got: 0,
    }];
    file.read(&mut batch)?;
    let got = batch[0].got;
    buf.truncate(got);
    Ok(buf)
}
