//! Reading a copy block by block, each checked before it is handed on.
//!
//! | state | block | to |
//! |---|---|---|
//! | between members | member | in a member |
//! | in a member | component, control intervals, records | in a member |
//! | in a member | end of the member, its totals agree | between members |
//! | between members, as many as the head says | end, its totals agree, nothing behind it | at the end |
//! | any | anything else | refused: nothing more is handed on |

use crate::error::{CopyError, What};
use cica_format::checksum::crc32c;
use cica_format::portable::{BlockHead, BlockKind, Head, Totals, BLOCK_HEAD_LEN, HEAD_LEN};
use cica_format::FormatError;
use std::io::{ErrorKind, Read};

/// A block that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'r> {
    /// What it holds.
    pub kind: BlockKind,
    /// Its content.
    pub content: &'r [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    InMember,
    Ended,
    Refused,
}

/// A copy being read.
pub struct Reader<R: Read> {
    from: R,
    head: Head,
    /// Where the next block begins.
    at: u64,
    number: u64,
    state: State,
    members: u32,
    member: Totals,
    copy: Totals,
    stored: Vec<u8>,
    content: Vec<u8>,
    decompressor: zstd::bulk::Decompressor<'static>,
}

impl<R: Read> Reader<R> {
    /// Begins to read.
    ///
    /// # Errors
    /// The bytes do not begin as a portable copy does.
    pub fn new(mut from: R) -> Result<Reader<R>, CopyError> {
        let refused = |what| CopyError {
            at: 0,
            block: None,
            what,
        };
        let mut bytes = [0; HEAD_LEN];
        let got = fill(&mut from, &mut bytes).map_err(|e| refused(What::Io(e)))?;
        let head = Head::decode(&bytes[..got]).map_err(|e| refused(What::Format(e)))?;
        Ok(Reader {
            from,
            head,
            at: HEAD_LEN as u64,
            number: 0,
            state: State::Between,
            members: 0,
            member: Totals::default(),
            copy: Totals::default(),
            stored: Vec::new(),
            content: Vec::new(),
            decompressor: zstd::bulk::Decompressor::new().map_err(|e| refused(What::Io(e)))?,
        })
    }

    /// The head.
    pub fn head(&self) -> Head {
        self.head
    }

    /// What was read so far amounts to; of a copy read to its end, all of it.
    pub fn totals(&self) -> Totals {
        self.copy
    }

    /// Bytes of the copy read so far.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// The next block; none behind the end. The blocks that end members are handed on, the end of the copy is not.
    ///
    /// # Errors
    /// The copy is not as it was written; nothing more is handed on.
    #[allow(clippy::should_implement_trait)] // what it hands out is borrowed until the next call
    pub fn next(&mut self) -> Result<Option<Block<'_>>, CopyError> {
        let kind = match self.state {
            State::Ended => return Ok(None),
            State::Refused => return Err(self.refused(What::Order("reading it was given up before"))),
            State::Between | State::InMember => match self.block() {
                Ok(kind) => kind,
                Err(what) => {
                    let error = self.refused(what);
                    self.state = State::Refused;
                    return Err(error);
                }
            },
        };
        Ok((kind != BlockKind::End).then_some(Block {
            kind,
            content: &self.content,
        }))
    }

    /// The error of something that is wrong with the block handed on last.
    pub fn refused(&self, what: What) -> CopyError {
        CopyError {
            at: self.at,
            block: Some(self.number),
            what,
        }
    }

    fn block(&mut self) -> Result<BlockKind, What> {
        let mut bytes = [0; BLOCK_HEAD_LEN];
        exactly(&mut self.from, &mut bytes)?;
        let head = BlockHead::decode(&bytes).map_err(What::Format)?;
        self.stored.resize(head.stored as usize, 0);
        exactly(&mut self.from, &mut self.stored)?;
        let checksum = BlockHead::check(&bytes, &self.stored).map_err(What::Format)?;
        if head.id != self.head.id || head.number != self.number {
            return Err(What::Misplaced { number: head.number });
        }
        self.unpack(&head)?;
        self.enter(&head, checksum)?;
        self.at += (BLOCK_HEAD_LEN + self.stored.len()) as u64;
        self.number += 1;
        Ok(head.kind)
    }

    fn unpack(&mut self, head: &BlockHead) -> Result<(), What> {
        let wrong = What::Format(FormatError::Checksum {
            what: "content of a block",
        });
        if head.compressed {
            match self.decompressor.decompress(&self.stored, head.length as usize) {
                Ok(content) => self.content = content,
                Err(_) => return Err(wrong),
            }
        } else {
            self.content.clone_from(&self.stored)
        }
        if self.content.len() == head.length as usize && crc32c(&self.content) == head.content {
            Ok(())
        } else {
            Err(wrong)
        }
    }

    /// The table at the head of the file.
    fn enter(&mut self, head: &BlockHead, checksum: u32) -> Result<(), What> {
        self.state = match (self.state, head.kind) {
            (State::Between, BlockKind::Member) if self.members < self.head.members => {
                self.members += 1;
                self.member = Totals::default();
                State::InMember
            }
            (
                State::InMember,
                BlockKind::Component | BlockKind::ControlIntervals | BlockKind::TakeBack | BlockKind::Records,
            ) => State::InMember,
            (State::InMember, BlockKind::MemberEnd) => {
                agree(self.member, &self.content)?;
                State::Between
            }
            (State::Between, BlockKind::End) if self.members == self.head.members => {
                agree(self.copy, &self.content)?;
                let mut more = [0];
                match fill(&mut self.from, &mut more) {
                    Ok(0) => State::Ended,
                    Ok(_) => return Err(What::Longer),
                    Err(error) => return Err(What::Io(error)),
                }
            }
            _ => {
                return Err(What::Order(
                    "the blocks are not in an order in which copies are written",
                ))
            }
        };
        self.member.add(checksum, head.length);
        self.copy.add(checksum, head.length);
        Ok(())
    }
}

/// What was counted of bytes and blocks is what the totals say; what they say of records and control intervals is
/// under the same checksum, and compared by who knows what these are.
fn agree(counted: Totals, content: &[u8]) -> Result<(), What> {
    let claimed = Totals::decode(content).map_err(What::Format)?;
    let counted = Totals {
        records: claimed.records,
        control_intervals: claimed.control_intervals,
        ..counted
    };
    if claimed == counted {
        Ok(())
    } else {
        Err(What::Totals)
    }
}

fn exactly(from: &mut impl Read, bytes: &mut [u8]) -> Result<(), What> {
    match fill(from, bytes) {
        Ok(got) if got == bytes.len() => Ok(()),
        Ok(_) => Err(What::Cut),
        Err(error) => Err(What::Io(error)),
    }
}

/// Reads until `bytes` is full or nothing more comes; tells how much came.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < bytes.len() {
        match from.read(&mut bytes[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
