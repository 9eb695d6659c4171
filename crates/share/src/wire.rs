//! What a connection is made of: a Unix socket, or in tests anything that carries bytes and descriptors in order.

use cica_disk::PeerProcess;
use rustix::fs::{Mode, OFlags};
use rustix::net::{
    connect, recvmsg, send as send_some, sendmsg, socket_with, AddressFamily, RecvAncillaryBuffer,
    RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags,
    SocketType,
};
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// So many bytes, and a descriptor that came beside them.
pub type Received = (usize, Option<OwnedFd>);

/// One end of a connection.
pub trait Wire: Send {
    /// Sends all the bytes, the descriptor beside the first of them.
    ///
    /// # Errors
    /// The connection is gone.
    fn send(&mut self, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()>;

    /// Some bytes, none at the end, and a descriptor that came beside them.
    ///
    /// # Errors
    /// The connection is gone.
    fn receive(&mut self, room: &mut [u8]) -> std::io::Result<Received>;

    /// The same of what has come already; `None`: nothing has.
    ///
    /// # Errors
    /// The connection is gone.
    fn receive_now(&mut self, room: &mut [u8]) -> std::io::Result<Option<Received>> {
        self.receive(room).map(Some)
    }

    /// From now on sending and receiving end with [`WouldBlock`](std::io::ErrorKind::WouldBlock) when the other side does
    /// nothing for so long; `None`: they wait for ever.
    ///
    /// # Errors
    /// The system refuses.
    fn set_patience(&mut self, _patience: Option<Duration>) -> std::io::Result<()> {
        Ok(())
    }

    /// Who is at the other end; `None`: nobody knows.
    fn peer(&self) -> Option<PeerProcess> {
        None
    }

    /// What ends the connection while a thread uses it; `None`: only its drop does.
    fn hang_up(&self) -> Option<HangUp> {
        None
    }
}

/// Ends a connection, so that whoever waits for it is told so. It keeps none open.
pub type HangUp = Box<dyn Fn() + Send + Sync>;

/// How long who was told that an owner has no place waits before it asks again.
pub const PAUSE: Duration = Duration::from_millis(20);

/// Where connections come from.
pub trait Dial: Send + Sync {
    /// One more to the same owner. It is not waited for.
    ///
    /// # Errors
    /// Nobody listens. [`WouldBlock`](std::io::ErrorKind::WouldBlock): somebody does, and as many as have room wait for
    /// him already.
    fn dial(&self) -> std::io::Result<Box<dyn Wire>>;

    /// [`PAUSE`] passes.
    fn pause(&self) {
        std::thread::sleep(PAUSE);
    }
}

/// The socket at which an owner listens.
impl Dial for PathBuf {
    fn dial(&self) -> std::io::Result<Box<dyn Wire>> {
        let (path, _directory) = address(self)?;
        let how = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, how, None)?;
        // The system keeps who waits for as long as nobody accepts it, also one that has given up: the queue of an
        // owner that is stopped fills with those, and nothing here can take one out again.
        connect(&socket, &SocketAddrUnix::new(path)?)?;
        let stream = UnixStream::from(socket);
        stream.set_nonblocking(false)?;
        Ok(Box::new(Socket(Arc::new(stream))))
    }
}

/// Bytes of a socket's address at most.
const ADDRESS: usize = 107;

/// The address of a socket: its path; where that is longer than the system takes, the same by a descriptor of its
/// directory, which is to be kept while the address is used.
///
/// # Errors
/// The directory of a long path cannot be opened.
pub fn address(socket: &Path) -> std::io::Result<(PathBuf, Option<OwnedFd>)> {
    let (Some(directory), Some(name)) = (socket.parent(), socket.file_name()) else {
        return Ok((socket.to_owned(), None));
    };
    if socket.as_os_str().len() <= ADDRESS {
        return Ok((socket.to_owned(), None));
    }
    let opened = rustix::fs::open(
        directory,
        OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY,
        Mode::empty(),
    )?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd())).join(name);
    Ok((short, Some(opened)))
}

impl Wire for UnixStream {
    fn set_patience(&mut self, patience: Option<Duration>) -> std::io::Result<()> {
        set_patience(self, patience)
    }

    fn send(&mut self, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
        send(self, bytes, descriptor)
    }

    fn receive(&mut self, room: &mut [u8]) -> std::io::Result<Received> {
        received(self, room, RecvFlags::CMSG_CLOEXEC)
    }

    fn receive_now(&mut self, room: &mut [u8]) -> std::io::Result<Option<Received>> {
        received_now(self, room)
    }
}

/// A socket that another thread may shut down.
struct Socket(Arc<UnixStream>);

impl Wire for Socket {
    fn set_patience(&mut self, patience: Option<Duration>) -> std::io::Result<()> {
        set_patience(&self.0, patience)
    }

    fn send(&mut self, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
        send(&self.0, bytes, descriptor)
    }

    fn receive(&mut self, room: &mut [u8]) -> std::io::Result<Received> {
        received(&self.0, room, RecvFlags::CMSG_CLOEXEC)
    }

    fn receive_now(&mut self, room: &mut [u8]) -> std::io::Result<Option<Received>> {
        received_now(&self.0, room)
    }

    fn peer(&self) -> Option<PeerProcess> {
        // One of another name space of processes has no number here.
        PeerProcess::of(&*self.0).ok().filter(|peer| peer.process > 0)
    }

    fn hang_up(&self) -> Option<HangUp> {
        let same = Arc::downgrade(&self.0);
        Some(Box::new(move || {
            if let Some(stream) = same.upgrade() {
                // One that the other side has ended needs no end.
                let _ = stream.shutdown(Shutdown::Both);
            }
        }))
    }
}

fn set_patience(stream: &UnixStream, patience: Option<Duration>) -> std::io::Result<()> {
    stream.set_read_timeout(patience)?;
    stream.set_write_timeout(patience)
}

/// No signal comes of a connection that is gone: a program that shares has its own way with SIGPIPE.
fn send(stream: &UnixStream, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
    let mut sent = match descriptor {
        Some(descriptor) => send_first(stream, bytes, descriptor)?,
        None => 0,
    };
    while sent < bytes.len() {
        match send_some(stream, &bytes[sent..], SendFlags::NOSIGNAL) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(more) => sent += more,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn received_now(stream: &UnixStream, room: &mut [u8]) -> std::io::Result<Option<Received>> {
    match received(stream, room, RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        received => received.map(Some),
    }
}

fn received(stream: &UnixStream, room: &mut [u8], how: RecvFlags) -> std::io::Result<Received> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut into = [IoSliceMut::new(room)];
        match recvmsg(stream, &mut into, &mut beside, how) {
            Err(rustix::io::Errno::INTR) => {}
            received => break received?,
        }
    };
    let mut descriptor = None;
    for message in beside.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            // Of more than one, which nobody sends, the last is taken and the others are closed.
            descriptor = descriptors.last();
        }
    }
    Ok((received.bytes, descriptor))
}

/// Sends the first bytes with a descriptor; says how many.
fn send_first(stream: &UnixStream, bytes: &[u8], descriptor: BorrowedFd<'_>) -> std::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let fits = beside.push(SendAncillaryMessage::ScmRights(std::slice::from_ref(&descriptor)));
    debug_assert!(fits, "a descriptor fits where room for one was made");
    loop {
        match sendmsg(stream, &[IoSlice::new(bytes)], &mut beside, SendFlags::NOSIGNAL) {
            Err(rustix::io::Errno::INTR) => {}
            sent => return Ok(sent?),
        }
    }
}
