//! Connections in memory between clients and an owner of one thread: an owner's turn is taken when a client waits for
//! an answer. What is sent may be cut, come twice, or come with a bit turned, and who sends it may die of it.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cica_server::{Connection, Owner, Peer};
use cica_share::{Dial, Wire};

use crate::mortal::Mortal;
use crate::random::Random;

/// What becomes of a message, or of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The client dies before it sends.
    DiesBefore,
    /// It dies when so many thousandths of the message are sent.
    DiesWithin(u64),
    /// It dies when all is sent, and before the owner looks.
    DiesBehind,
    /// It dies when the owner has answered, and has read so many thousandths of the answer.
    DiesAnswered(u64),
    /// The connection ends within the message.
    Lost(u64),
    /// The connection ends within the answer.
    AnswerLost(u64),
    /// The message comes twice.
    Twice,
    /// A bit of the answer is turned.
    AnswerTurned(u64),
}

impl Cut {
    /// Any of them.
    pub fn draw(random: &mut Random) -> Cut {
        let part = random.below(1000) as u64;
        match random.below(11) {
            0 => Cut::DiesBefore,
            1 | 2 => Cut::DiesWithin(part),
            3 | 4 => Cut::DiesBehind,
            5 | 6 => Cut::DiesAnswered(part),
            7 => Cut::Lost(part),
            8 => Cut::AnswerLost(part),
            9 => Cut::Twice,
            _ => Cut::AnswerTurned(random.bits()),
        }
    }
}

/// A client's process, as its connections know it.
#[derive(Debug, Default)]
pub struct Doom {
    /// The message from now on that something becomes of, 0 the next one.
    pub cut: Option<(u64, Cut)>,
    /// What has become of one.
    pub done: Option<Cut>,
    pub dead: bool,
}

impl Doom {
    /// It believes what was never reply, and is let go before it says anything of that.
    pub fn is_misled(&self) -> bool {
        matches!(self.done, Some(Cut::AnswerTurned(_)))
    }
}

/// The same fate at all ends.
pub type DoomShared = Arc<Mutex<Doom>>;

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
    owner: Option<Arc<Owner>>,
    process: Mortal,
    connections: BTreeMap<u64, Open>,
    last: u64,
    random: Random,
}

/// A connection: the owner's end, what both ends have, and whose it is.
type Open = (Connection, Arc<Mutex<Pipe>>, i32);

/// The net, at all ends.
pub type Nets = Arc<Mutex<Net>>;

impl Net {
    /// Without an owner.
    pub fn new(process: Mortal, random: Random) -> Net {
        Net {
            owner: None,
            process,
            connections: BTreeMap::new(),
            last: 0,
            random,
        }
    }

    /// An owner begins.
    pub fn begin(&mut self, owner: Owner, process: Mortal) {
        (self.owner, self.process) = (Some(Arc::new(owner)), process);
    }

    /// The owner that lives.
    pub fn owner(&self) -> Option<Arc<Owner>> {
        self.owner.clone().filter(|_| !self.process.is_dead())
    }

    /// It ends, in order if it lives; all connections end with it.
    pub fn end(&mut self) {
        if let Some(owner) = self.owner() {
            owner.dismiss();
        }
        for (_, pipe, _) in self.connections.values() {
            locked(pipe).owner_left = true;
        }
        self.connections.clear();
        self.owner = None;
    }

    /// The owner hears of all that was sent, and of those who have left: all clients, or one.
    pub fn settle(&mut self, only: Option<i32>) {
        let of = |client: i32| only.is_none_or(|only| only == client);
        let all = self.connections.iter().filter(|(_, (.., client))| of(*client));
        let all: Vec<u64> = all.map(|(number, _)| *number).collect();
        all.into_iter().for_each(|connection| while self.turn(connection) {});
    }

    /// Has the owner a connection of a client?
    pub fn knows(&self, client: i32) -> bool {
        self.connections.values().any(|(.., of)| *of == client)
    }

    /// The owner takes a turn on a connection, if there is anything to hear. False: there is nothing, or it has ended.
    fn turn(&mut self, number: u64) -> bool {
        let (Some(owner), Some((connection, pipe, _))) = (self.owner(), self.connections.get_mut(&number)) else {
            return false;
        };
        let hears = |pipe: &Pipe| !pipe.to_owner.is_empty() || pipe.client_left || pipe.owner_left;
        if !hears(&locked(pipe)) {
            return false;
        }
        if connection.turn(&owner) {
            return true;
        }
        if let Some((connection, pipe, _)) = self.connections.remove(&number) {
            locked(&pipe).owner_left = true;
            // A dead owner does nothing for those who have left.
            if !self.process.is_dead() {
                connection.end(&owner);
            }
        }
        false
    }
}

/// Where a client's connections come from.
pub struct Dialer {
    pub net: Nets,
    pub process: i32,
    pub fate: DoomShared,
}

impl Dial for Dialer {
    fn dial(&self) -> io::Result<Box<dyn Wire>> {
        let mut net = locked(&self.net);
        if net.owner().is_none() || locked(&self.fate).dead {
            return Err(ErrorKind::ConnectionRefused.into());
        }
        let pipe = Arc::new(Mutex::new(Pipe::default()));
        let (ends, seed) = (pipe.clone(), net.random.fork());
        let peer = Peer {
            process: self.process,
            user: 1,
            life: None,
            hang_up: Some(Box::new(move |_| locked(&ends).owner_left = true)),
            reading: None,
        };
        let end = OwnerEnd {
            pipe: pipe.clone(),
            process: net.process.clone(),
            random: seed,
        };
        net.last += 1;
        let number = net.last;
        let connection = Connection::new(Box::new(end), peer);
        net.connections.insert(number, (connection, pipe.clone(), self.process));
        Ok(Box::new(ClientEnd {
            net: self.net.clone(),
            number,
            pipe,
            fate: self.fate.clone(),
            answer: None,
        }))
    }
}

struct OwnerEnd {
    pipe: Arc<Mutex<Pipe>>,
    process: Mortal,
    random: Random,
}

impl Wire for OwnerEnd {
    fn send(&mut self, bytes: &[u8], _: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let mut pipe = locked(&self.pipe);
        if self.process.is_dead() || pipe.client_left || pipe.owner_left {
            return Err(ErrorKind::BrokenPipe.into());
        }
        pipe.to_client.extend(bytes);
        Ok(())
    }

    fn receive(&mut self, room: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        let mut pipe = locked(&self.pipe);
        if self.process.is_dead() || pipe.owner_left {
            return Err(ErrorKind::BrokenPipe.into());
        }
        // In pieces of any length.
        let most = match self.random.below(3) {
            0 => 1 + self.random.below(20),
            _ => room.len(),
        };
        let count = pipe.to_owner.len().min(most).min(room.len());
        room.iter_mut()
            .zip(pipe.to_owner.drain(..count))
            .for_each(|(to, from)| *to = from);
        if count == 0 && !pipe.client_left {
            // Nobody waits here for what a client that lives and is no further has still to send.
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok((count, pipe.beside.pop_front()))
    }
}

struct ClientEnd {
    net: Nets,
    number: u64,
    pipe: Arc<Mutex<Pipe>>,
    fate: DoomShared,
    /// What becomes of the answer that comes next.
    answer: Option<Cut>,
}

impl ClientEnd {
    /// The client dies, and its connections with it.
    fn dies(&self) -> io::Error {
        locked(&self.fate).dead = true;
        self.leaves()
    }

    fn leaves(&self) -> io::Error {
        locked(&self.pipe).client_left = true;
        ErrorKind::BrokenPipe.into()
    }

    fn cut(&self) -> Option<Cut> {
        let mut fate = locked(&self.fate);
        match &mut fate.cut {
            Some((0, cut)) => {
                let cut = *cut;
                (fate.cut, fate.done) = (None, Some(cut));
                Some(cut)
            }
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        }
    }
}

impl Wire for ClientEnd {
    fn send(&mut self, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
        if locked(&self.fate).dead {
            return Err(self.leaves());
        }
        if locked(&self.fate).is_misled() {
            return Err(self.dies());
        }
        let cut = self.cut();
        let part = |thousandths: u64| &bytes[..bytes.len() * thousandths as usize / 1000];
        let sent = match cut {
            Some(Cut::DiesBefore) => return Err(self.dies()),
            Some(Cut::DiesWithin(some) | Cut::Lost(some)) => part(some),
            _ => bytes,
        };
        {
            let mut pipe = locked(&self.pipe);
            if pipe.owner_left {
                return Err(ErrorKind::BrokenPipe.into());
            }
            let times = if cut == Some(Cut::Twice) { 2 } else { 1 };
            (0..times).for_each(|_| pipe.to_owner.extend(sent));
            if let Some(descriptor) = descriptor {
                pipe.beside.push_back(descriptor.try_clone_to_owned()?);
            }
        }
        match cut {
            Some(Cut::DiesWithin(_) | Cut::DiesBehind) => Err(self.dies()),
            Some(Cut::Lost(_)) => Err(self.leaves()),
            _ => {
                self.answer = cut;
                Ok(())
            }
        }
    }

    fn receive(&mut self, room: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
        if locked(&self.fate).dead {
            return Err(self.leaves());
        }
        let waits = |pipe: &Pipe| pipe.to_client.is_empty() && !pipe.client_left;
        if waits(&locked(&self.pipe)) {
            locked(&self.net).turn(self.number);
            let mut pipe = locked(&self.pipe);
            let answered = pipe.to_client.len();
            match self.answer.take() {
                Some(Cut::DiesAnswered(_)) => {
                    drop(pipe);
                    return Err(self.dies());
                }
                Some(Cut::AnswerLost(part)) => {
                    pipe.to_client.truncate(answered * part as usize / 1000);
                    pipe.owner_left = true;
                    pipe.client_left = true;
                }
                Some(Cut::AnswerTurned(bit)) if answered > 0 => {
                    pipe.to_client[bit as usize / 8 % answered] ^= 1 << (bit % 8);
                }
                _ => {}
            }
        }
        let mut pipe = locked(&self.pipe);
        let count = pipe.to_client.len().min(room.len());
        room.iter_mut()
            .zip(pipe.to_client.drain(..count))
            .for_each(|(to, from)| *to = from);
        Ok((count, None))
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
