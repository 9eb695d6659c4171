//! Connections in memory between clients and an owner, all in one thread: the owner takes its turn when a client waits
//! for an answer. What is said is noted, so that a good talk can become a bad one.

use cica_server::{Connection, Owner, Peer};
use cica_share::{Dial, Wire};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What both ends of a connection have.
#[derive(Default)]
struct Pipe {
    to_owner: VecDeque<u8>,
    to_client: VecDeque<u8>,
    beside: VecDeque<OwnedFd>,
    client_left: bool,
    owner_left: bool,
}

/// The owner's side of all connections.
pub struct Net {
    owner: Arc<Owner>,
    connections: BTreeMap<u64, (Connection, Arc<Mutex<Pipe>>)>,
    last: u64,
    /// What clients sent and were answered, whole messages with their heads.
    pub asked: Vec<Vec<u8>>,
    pub answered: Vec<Vec<u8>>,
}

impl Net {
    /// Nobody has come yet.
    pub fn new(owner: Arc<Owner>) -> Net {
        Net {
            owner,
            connections: BTreeMap::new(),
            last: 0,
            asked: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// The owner hears of all that was sent, and of those who have left.
    pub fn settle(&mut self) {
        let all: Vec<u64> = self.connections.keys().copied().collect();
        all.into_iter().for_each(|connection| while self.turn(connection) {});
    }

    /// The owner takes a turn on a connection, if there is anything to hear. False: there is nothing, or it has ended.
    fn turn(&mut self, number: u64) -> bool {
        let Some((connection, pipe)) = self.connections.get_mut(&number) else {
            return false;
        };
        let hears = |pipe: &Pipe| !pipe.to_owner.is_empty() || pipe.client_left || pipe.owner_left;
        if !hears(&locked(pipe)) {
            return false;
        }
        if connection.turn(&self.owner) {
            return true;
        }
        if let Some((connection, pipe)) = self.connections.remove(&number) {
            locked(&pipe).owner_left = true;
            connection.end(&self.owner);
        }
        false
    }
}

/// Where the connections of a process come from.
pub struct Dialer {
    pub net: Arc<Mutex<Net>>,
    pub process: i32,
}

impl Dial for Dialer {
    fn dial(&self) -> io::Result<Box<dyn Wire>> {
        let mut net = locked(&self.net);
        let pipe = Arc::new(Mutex::new(Pipe::default()));
        let ends = pipe.clone();
        // Neither root nor who runs this: it may not end the owner.
        let user = rustix::process::geteuid().as_raw().wrapping_add(1).max(1);
        let peer = Peer {
            process: self.process,
            user,
            life: None,
            hang_up: Some(Box::new(move |_| locked(&ends).owner_left = true)),
            reading: None,
        };
        net.last += 1;
        let number = net.last;
        let connection = Connection::new(Box::new(OwnerEnd(pipe.clone())), peer);
        net.connections.insert(number, (connection, pipe.clone()));
        let net = self.net.clone();
        Ok(Box::new(ClientEnd { net, number, pipe }))
    }
}

struct OwnerEnd(Arc<Mutex<Pipe>>);

impl Wire for OwnerEnd {
    fn send(&mut self, bytes: &[u8], _: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let mut pipe = locked(&self.0);
        if pipe.client_left || pipe.owner_left {
            return Err(ErrorKind::BrokenPipe.into());
        }
        pipe.to_client.extend(bytes);
        Ok(())
    }

    fn receive(&mut self, room: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let mut pipe = locked(&self.0);
        if pipe.owner_left {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let count = moved(&mut pipe.to_owner, room);
        if count == 0 && !pipe.client_left {
            // Nobody waits here for what a client that lives and is no further has still to send.
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok((count, pipe.beside.pop_front()))
    }
}

/// Bytes that were sent, into the room of who reads.
fn moved(from: &mut VecDeque<u8>, room: &mut [u8]) -> usize {
    let count = from.len().min(room.len());
    room.iter_mut()
        .zip(from.drain(..count))
        .for_each(|(to, from)| *to = from);
    count
}

struct ClientEnd {
    net: Arc<Mutex<Net>>,
    number: u64,
    pipe: Arc<Mutex<Pipe>>,
}

impl Wire for ClientEnd {
    fn send(&mut self, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
        locked(&self.net).asked.push(bytes.to_vec());
        let mut pipe = locked(&self.pipe);
        if pipe.owner_left {
            return Err(ErrorKind::BrokenPipe.into());
        }
        pipe.to_owner.extend(bytes);
        if let Some(descriptor) = descriptor {
            pipe.beside.push_back(descriptor.try_clone_to_owned()?);
        }
        Ok(())
    }

    fn receive(&mut self, room: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        if locked(&self.pipe).to_client.is_empty() {
            let mut net = locked(&self.net);
            net.turn(self.number);
            let answer = locked(&self.pipe).to_client.iter().copied().collect();
            net.answered.push(answer);
        }
        Ok((moved(&mut locked(&self.pipe).to_client, room), None))
    }
}

impl Drop for ClientEnd {
    fn drop(&mut self) {
        locked(&self.pipe).client_left = true;
    }
}

/// What another panic left is looked at all the same.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
