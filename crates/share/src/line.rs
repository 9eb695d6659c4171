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
//! * W4. What was not sent has no number: a message that is too long leaves the connection as it was.
//! * W5. Between messages a connection keeps [`KEPT`] bytes of room for each direction at most.

use crate::vigil::Vigil;
use crate::wire::{HangUp, Wire};
use crate::words::{no_message, LONGEST};
use cica_disk::PeerProcess;
use serde::Serialize;
use std::io::{Error, ErrorKind};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a message's length and number.
const HEAD: usize = 8;
/// What is read at once; longer messages take more reads.
const READ: usize = 64 << 10;
/// Room that is kept for the next message (W5).
const KEPT: usize = 1 << 20;

/// See the module.
pub struct Line {
    wire: Box<dyn Wire>,
    vigil: Vigil,
    out: Vec<u8>,
    /// Messages sent, and received.
    numbers: (u32, u32),
    /// The descriptor that came with the last message.
    pub descriptor: Option<OwnedFd>,
    /// A client asks for the end of a unit on it, and has no answer yet.
    pub ends_unit: Arc<AtomicBool>,
}

impl Line {
    /// Over what is connected.
    pub fn new(wire: Box<dyn Wire>) -> Line {
        Line {
            wire,
            vigil: Vigil::new(),
            out: Vec::new(),
            numbers: (0, 0),
            descriptor: None,
            ends_unit: Arc::default(),
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
        self.write(message)?;
        self.flush(descriptor)
    }

    /// Writes a message down, to be sent by [`flush`](Self::flush), in the place of one that was not sent.
    ///
    /// # Errors
    /// It is longer than [`LONGEST`]: nothing is written down then (W4).
    pub fn write(&mut self, message: &impl Serialize) -> std::io::Result<()> {
        self.out.clear();
        self.out.extend_from_slice(&[0; HEAD]);
        let written = postcard::to_extend(message, std::mem::take(&mut self.out)).map_err(no_message)?;
        let length = written.len() - HEAD;
        if length > LONGEST {
            return Err(too_long(length));
        }
        self.out = written;
        self.out[..4].copy_from_slice(&(length as u32).to_le_bytes());
        Ok(())
    }

    /// Sends what was written down, if anything was.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn flush(&mut self, descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        self.numbers.0 = self.numbers.0.wrapping_add(1);
        self.out[4..HEAD].copy_from_slice(&self.numbers.0.to_le_bytes());
        let sent = self.wire.send(&self.out, descriptor);
        self.out.clear();
        Line::give_back(&mut self.out);
        sent
    }

    /// Gives back what a long message has taken, once nobody reads it any more (W5).
    pub fn give_back(space: &mut Vec<u8>) {
        if space.capacity() > KEPT {
            space.truncate(KEPT);
            space.shrink_to(KEPT);
        }
    }

    /// See [`Wire::hang_up`].
    pub fn hang_up(&self) -> Option<HangUp> {
        self.wire.hang_up()
    }

    /// See [`Wire::peer`].
    pub fn peer(&self) -> Option<PeerProcess> {
        self.wire.peer()
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
            let (more, descriptor) = if have == 0 {
                self.vigil.receive(&mut *self.wire, space)?
            } else {
                self.wire.receive(&mut space[have..])?
            };
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
        if want <= KEPT {
            Line::give_back(space);
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::wire::Received;
    use crate::words::Ask;

    /// What was sent comes back.
    #[derive(Default)]
    struct Echo(Vec<u8>);

    impl Wire for Echo {
        fn send(&mut self, bytes: &[u8], _: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
            self.0.extend_from_slice(bytes);
            Ok(())
        }

        fn receive(&mut self, room: &mut [u8]) -> std::io::Result<Received> {
            let count = self.0.len().min(room.len());
            room[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok((count, None))
        }
    }

    #[test]
    fn what_a_long_message_took_is_given_back_and_one_too_long_takes_no_number() {
        let mut line = Line::new(Box::new(Echo::default()));
        let mut space = Vec::new();
        for length in [10, 3 << 20, 25 << 20, 10] {
            let record = vec![1; length];
            let (string, record) = (1, &record[..]);
            let sent = line.send(&Ask::Update { string, record }, None);
            assert_eq!(sent.is_ok(), length < LONGEST);
            assert!(line.out.capacity() <= KEPT, "{} bytes are kept", line.out.capacity());
            if sent.is_ok() {
                let body = line.receive(&mut space).unwrap().unwrap();
                assert!(body.ends_with(record));
                Line::give_back(&mut space);
                assert!(space.capacity() <= KEPT, "{} bytes are kept", space.capacity());
            }
        }
    }
}
