//! A connection between a client and the owner, and how a message is framed.
//!
//! A message is its length in four bytes, little-endian, and a body that `postcard` writes. A client sends a request and
//! reads its answer before it sends the next; several requests at once go over several connections. An open file's
//! descriptor goes beside a message.
//!
//! * W1. A length above [`LONGEST`] ends the connection before anything of the body is kept.

use crate::words::{no_message, LONGEST};
use rustix::net::{
    recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::Serialize;
use std::io::{Error, ErrorKind, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Bytes of a message's length.
const HEAD: usize = 4;
/// What is read at once; longer messages take more reads.
const READ: usize = 64 << 10;

/// See the module.
pub struct Line {
    stream: UnixStream,
    out: Vec<u8>,
    /// The descriptor that came with the last message.
    pub descriptor: Option<OwnedFd>,
}

impl Line {
    /// Over a stream that is connected.
    pub fn new(stream: UnixStream) -> Line {
        Line {
            stream,
            out: Vec::new(),
            descriptor: None,
        }
    }

    /// The stream.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
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
        self.out[..HEAD].copy_from_slice(&(length as u32).to_le_bytes());
        let sent = match descriptor {
            Some(descriptor) => self.send_first(descriptor)?,
            None => 0,
        };
        self.stream.write_all(&self.out[sent..])
    }

    /// Sends the first bytes with a descriptor; says how many.
    fn send_first(&self, descriptor: BorrowedFd<'_>) -> std::io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        let fits = beside.push(SendAncillaryMessage::ScmRights(std::slice::from_ref(&descriptor)));
        debug_assert!(fits, "a descriptor fits where room for one was made");
        loop {
            match sendmsg(
                &self.stream,
                &[IoSlice::new(&self.out)],
                &mut beside,
                SendFlags::NOSIGNAL,
            ) {
                Err(rustix::io::Errno::INTR) => {}
                sent => return Ok(sent?),
            }
        }
    }

    /// The body of the next message (W1), in `space`. Nothing: the other side has closed.
    ///
    /// # Errors
    /// The connection is gone in the middle of a message, or the message is too long.
    pub fn receive<'s>(&mut self, space: &'s mut Vec<u8>) -> std::io::Result<Option<&'s [u8]>> {
        self.descriptor = None;
        space.resize(READ, 0);
        let mut have = 0;
        let mut want = HEAD;
        while have < want {
            match self.receive_some(&mut space[have..])? {
                0 if have == 0 => return Ok(None),
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                more => have += more,
            }
            if want == HEAD && have >= HEAD {
                let head = [space[0], space[1], space[2], space[3]];
                let length = u32::from_le_bytes(head) as usize;
                if length > LONGEST {
                    return Err(too_long(length));
                }
                want = HEAD + length;
                space.resize(want.max(READ), 0);
            }
        }
        match have == want {
            true => Ok(Some(&space[HEAD..want])),
            // Nobody sends a second message before the answer to the first.
            false => Err(Error::new(ErrorKind::InvalidData, "bytes behind a message")),
        }
    }

    fn receive_some(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let mut into = [IoSliceMut::new(room)];
            match recvmsg(&self.stream, &mut into, &mut beside, RecvFlags::CMSG_CLOEXEC) {
                Err(rustix::io::Errno::INTR) => {}
                received => break received?,
            }
        };
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                // Of more than one, which nobody sends, the last is taken and the others are closed.
                self.descriptor = descriptors.last();
            }
        }
        Ok(received.bytes)
    }
}

fn too_long(length: usize) -> Error {
    Error::new(
        ErrorKind::InvalidData,
        format!("a message of {length} bytes is too long"),
    )
}
