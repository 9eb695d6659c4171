//! A connection between a client and the owner, and how a message is framed.
//!
//! A message is its length and its number, in four bytes each, little-endian, and a body that `postcard` writes. A
//! client sends a request and reads its answer before it sends the next; several requests at once go over several
//! connections. An open file's descriptor goes beside a message.
//!
//! * W1. A length above [`LONGEST`] ends the connection before anything of the body is kept. Memory is taken for what
//!   has come, not for what a length says will come.
//! * W3. Requests of a connection are numbered from 1 on, and an answer has the number of its request. A message of
//!   another number, one that came twice for example, ends the connection.

use crate::wire::Wire;
use crate::words::{no_message, LONGEST};
use serde::Serialize;
use std::io::{Error, ErrorKind};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

/// Bytes of a message's length and number.
const HEAD: usize = 8;
/// What is read at once; longer messages take more reads.
const READ: usize = 64 << 10;
/// Room that is kept for the next message; what a longer one took is given back.
const KEPT: usize = 1 << 20;

/// See the module.
pub struct Line {
    wire: Box<dyn Wire>,
    out: Vec<u8>,
    /// Messages sent, and received.
    numbers: (u32, u32),
    /// The descriptor that came with the last message.
    pub descriptor: Option<OwnedFd>,
}

impl Line {
    /// Over what is connected.
    pub fn new(wire: Box<dyn Wire>) -> Line {
        Line {
            wire,
            out: Vec::new(),
            numbers: (0, 0),
            descriptor: None,
        }
    }

    /// See [`Wire::set_patience`].
    ///
    /// # Errors
    /// The system refuses.
    pub fn set_patience(&mut self, patience: Option<Duration>) -> std::io::Result<()> {
        self.wire.set_patience(patience)
    }

    /// Sends a message.
    ///
    /// # Errors
    /// It is longer than [`LONGEST`], or the connection is gone.
    pub fn send(&mut self, message: &impl Serialize, descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
        self.out.clear();
        self.out.extend_from_slice(&[0; HEAD]);
        self.out = postcard::to_extend(message, std::mem::take(&mut self.out)).map_err(no_message)?;
        let length = self.out.len() - HEAD;
        if length > LONGEST {
            return Err(too_long(length));
        }
        self.numbers.0 = self.numbers.0.wrapping_add(1);
        self.out[..4].copy_from_slice(&(length as u32).to_le_bytes());
        self.out[4..HEAD].copy_from_slice(&self.numbers.0.to_le_bytes());
        self.wire.send(&self.out, descriptor)
    }

    /// The body of the next message (W1, W3), in `space`. Nothing: the other side has closed.
    ///
    /// # Errors
    /// The connection is gone in the middle of a message, or the message is too long, or not the one that is next.
    pub fn receive<'s>(&mut self, space: &'s mut Vec<u8>) -> std::io::Result<Option<&'s [u8]>> {
        self.descriptor = None;
        let (mut have, mut want) = (0, HEAD);
        while have < want {
            // Twice what has come, so that a long message takes few steps.
            let room = want.min(2 * have).max(READ);
            if space.len() < room {
                space.resize(room, 0);
            }
            let (more, descriptor) = self.wire.receive(&mut space[have..])?;
            if descriptor.is_some() {
                self.descriptor = descriptor;
            }
            match more {
                0 if have == 0 => return Ok(None),
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                more => have += more,
            }
            if want == HEAD && have >= HEAD {
                want = HEAD + self.head(space)?;
            }
        }
        if space.len() > KEPT && want <= KEPT {
            space.truncate(KEPT);
            space.shrink_to_fit();
        }
        if have == want {
            Ok(Some(&space[HEAD..want]))
        } else {
            Err(Error::new(ErrorKind::InvalidData, "bytes behind a message"))
        }
    }

    /// The length of the body behind a head.
    fn head(&mut self, head: &[u8]) -> std::io::Result<usize> {
        let word = |at: usize| {
            head.get(at..at + 4)
                .and_then(|bytes| bytes.try_into().ok())
                .map_or(0, u32::from_le_bytes)
        };
        let (length, number) = (word(0) as usize, word(4));
        if length > LONGEST {
            return Err(too_long(length));
        }
        self.numbers.1 = self.numbers.1.wrapping_add(1);
        if number != self.numbers.1 {
            let words = format!("message {number} came where {} was to come", self.numbers.1);
            return Err(Error::new(ErrorKind::InvalidData, words));
        }
        Ok(length)
    }
}

fn too_long(length: usize) -> Error {
    Error::new(
        ErrorKind::InvalidData,
        format!("a message of {length} bytes is too long"),
    )
}
