//! Records of a file, one after the other.

use crate::record::{Record, LEAST};
use std::fmt;
use std::io::{self, Read};

/// Most bytes of a record or segment: those of a block of variable records.
const MOST: usize = 32_760;
/// Most bytes of a record of several segments. SMF's own are of 32 KiB at most; the bound keeps a file that lies from
/// filling the memory.
const MOST_SPANNED: usize = 1 << 20;
/// Bytes of a record descriptor word.
const WORD: usize = 4;

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

/// What a record descriptor word says a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment {
    Whole,
    First,
    Last,
    Middle,
}

/// The records of a file. A spanned one is put together of its segments. Behind an error there are none.
#[derive(Debug)]
pub struct Records<R> {
    from: R,
    /// Bytes read of whole segments.
    read: u64,
    ended: bool,
}

impl<R: Read> Records<R> {
    /// Of what is read from its beginning.
    pub fn new(from: R) -> Records<R> {
        Records {
            from,
            read: 0,
            ended: false,
        }
    }

    /// Where the next record begins.
    pub fn offset(&self) -> u64 {
        self.read
    }

    fn record(&mut self) -> Result<Option<Record>, String> {
        let Some((segment, mut bytes)) = self.segment(LEAST)? else {
            return Ok(None);
        };
        match segment {
            Segment::Whole => return Ok(Some(Record::of(bytes))),
            Segment::First => {}
            Segment::Middle | Segment::Last => {
                return Err(
                    "the record is a later segment of a spanned one, and no first segment is before it".to_owned(),
                )
            }
        }
        loop {
            let Some((segment, more)) = self.segment(WORD + 1)? else {
                return Err("the file ends before the last segment of a spanned record".to_owned());
            };
            if matches!(segment, Segment::Whole | Segment::First) {
                return Err(
                    "a spanned record has no last segment: behind its first ones another record begins".to_owned(),
                );
            }
            bytes.extend_from_slice(&more[WORD..]);
            if bytes.len() > MOST_SPANNED {
                return Err(format!(
                    "a spanned record has more than {MOST_SPANNED} bytes. Is it an SMF file?"
                ));
            }
            if segment == Segment::Last {
                // As the record that it is now; one that is longer than the word can say has the most it can.
                let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes();
                bytes[..WORD].copy_from_slice(&[length[0], length[1], 0, 0]);
                return Ok(Some(Record::of(bytes)));
            }
        }
    }

    /// The next segment, its descriptor word first; a whole or first one has at least so many bytes.
    fn segment(&mut self, least: usize) -> Result<Option<(Segment, Vec<u8>)>, String> {
        let mut head = [0; WORD];
        match fill(&mut self.from, &mut head)? {
            0 => return Ok(None),
            WORD => {}
            got => {
                return Err(format!(
                    "the file ends in the middle of a record descriptor word, after {got} bytes"
                ))
            }
        }
        let length = usize::from(u16::from_be_bytes([head[0], head[1]]));
        let segment = match head[2] {
            0 => Segment::Whole,
            1 => Segment::First,
            2 => Segment::Last,
            _ => Segment::Middle,
        };
        if !(least..=MOST).contains(&length) || head[2] > 3 || head[3] != 0 {
            return Err(format!(
                "the record descriptor word says {length} bytes, segment {:02X}{:02X}; an SMF record has {LEAST} to {MOST} \
                 bytes, and a later segment of one 5 or more. Is it an SMF file?",
                head[2], head[3]
            ));
        }
        let mut bytes = vec![0; length];
        bytes[..WORD].copy_from_slice(&head);
        let got = fill(&mut self.from, &mut bytes[WORD..])?;
        if got + WORD == length {
            self.read += length as u64;
            Ok(Some((segment, bytes)))
        } else {
            Err(format!(
                "the record has {length} bytes, and the file ends after {}",
                got + WORD
            ))
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
        let at = self.read;
        let record = self.record();
        self.ended = !matches!(record, Ok(Some(_)));
        match record {
            Ok(Some(record)) => Some(Ok(record)),
            Ok(None) => None,
            Err(what) => Some(Err(ReadError { at, what })),
        }
    }
}
