//! Records of a file, one after the other.

use crate::record::{Record, LEAST};
use std::fmt;
use std::io::{self, Read};

/// Most bytes of a record: those of a block of variable records.
const MOST: usize = 32_760;

/// Where a file is no file of SMF records.
#[derive(Debug)]
pub struct ReadError {
    /// Offset of the record in the file.
    pub at: u64,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {}: {}", self.at, self.what)
    }
}

impl std::error::Error for ReadError {}

/// The records of a file. Behind an error there are none.
#[derive(Debug)]
pub struct Records<R> {
    from: R,
    at: u64,
    ended: bool,
}

impl<R: Read> Records<R> {
    /// Of what is read from its beginning.
    pub fn new(from: R) -> Records<R> {
        Records {
            from,
            at: 0,
            ended: false,
        }
    }

    fn record(&mut self) -> Result<Option<Record>, String> {
        let mut head = [0; 4];
        match fill(&mut self.from, &mut head)? {
            0 => return Ok(None),
            4 => {}
            got => {
                return Err(format!(
                    "the file ends in the middle of a record descriptor word, after {got} bytes"
                ))
            }
        }
        let length = usize::from(u16::from_be_bytes([head[0], head[1]]));
        if !(LEAST..=MOST).contains(&length) || head[2] > 3 || head[3] != 0 {
            return Err(format!(
                "the record descriptor word says {length} bytes, segment {:02X}{:02X}; an SMF record has {LEAST} to {MOST} bytes. \
                 Is it an SMF file?",
                head[2], head[3]
            ));
        }
        if head[2..] != [0, 0] {
            return Err("the record is a segment of a spanned one, and these are not supported yet".to_owned());
        }
        let mut bytes = vec![0; length];
        bytes[..4].copy_from_slice(&head);
        let got = fill(&mut self.from, &mut bytes[4..])?;
        match got + 4 == length {
            true => Ok(Some(Record::of(bytes))),
            false => Err(format!(
                "the record has {length} bytes, and the file ends after {}",
                got + 4
            )),
        }
    }
}

fn fill(from: &mut impl Read, bytes: &mut [u8]) -> Result<usize, String> {
    let mut got = 0;
    while got < bytes.len() {
        match from.read(&mut bytes[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(got)
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let at = self.at;
        let record = self.record();
        self.ended = !matches!(record, Ok(Some(_)));
        match record {
            Ok(Some(record)) => {
                self.at += record.bytes().len() as u64;
                Some(Ok(record))
            }
            Ok(None) => None,
            Err(what) => Some(Err(ReadError { at, what })),
        }
    }
}
