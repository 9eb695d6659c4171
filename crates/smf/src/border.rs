//! Where whole records of a file end, and its bytes one after the other.

use crate::read::Records;
use cica_disk::{File, ReadAt};
use std::io::{self, BufReader, Read};

/// Bytes that are read at a time.
pub(crate) const PIECE: usize = 64 << 10;

/// The bytes of a file from one place to another.
#[derive(Debug)]
pub(crate) struct Bytes<'f> {
    file: &'f dyn File,
    at: u64,
    end: u64,
    /// Why the last read failed.
    failed: Option<io::Error>,
}

impl Bytes<'_> {
    /// From `at` on, and up to `end`.
    pub fn new(file: &dyn File, at: u64, end: u64) -> Bytes<'_> {
        Bytes {
            file,
            at,
            end,
            failed: None,
        }
    }
}

impl Read for Bytes<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = buf.len().min(left);
        let mut batch = [ReadAt {
            at: self.at,
            buf: &mut buf[..wanted],
            got: 0,
        }];
        if wanted == 0 {
            return Ok(0);
        }
        if let Err(error) = self.file.read(&mut batch) {
            let same = io::Error::new(error.kind(), error.to_string());
            self.failed = Some(error);
            return Err(same);
        }
        let got = batch[0].got;
        self.at += got as u64;
        Ok(got)
    }
}

/// Where the last whole record ends of those from `from` on, where one begins. It is `end` unless what is behind it is
/// no record.
pub(crate) fn last_border(file: &dyn File, from: u64, end: u64) -> io::Result<u64> {
    let mut bytes = Bytes::new(file, from, end);
    let wrong = Records::new(BufReader::with_capacity(PIECE, &mut bytes)).find_map(Result::err);
    match (bytes.failed, wrong) {
        (Some(error), _) => Err(error),
        (None, Some(wrong)) => Ok(from + wrong.at),
        (None, None) => Ok(bytes.at),
    }
}
