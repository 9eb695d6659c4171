//! The clients of the monitor: one loop takes them, reads what each asks and writes what it is told.
//!
//! * C1. No read and no write waits, and each client has one of them in a turn. Who is silent or slow, or sends
//!   garbage, takes no time of another.
//! * C2. A client has a bound on the time for its request, and one for its answer and for leaving. Clients have a bound
//!   on their number: where more come, or the system has no more descriptors, the one whose time ends first goes.
//! * C3. What a client goes on sending is read until it has closed, up to a bound. The system resets a connection that
//!   is closed with bytes unread, and then the client would lose its answer.

use super::request::END;
use cica_disk::{Clock, SystemClock};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::process::{getrlimit, Resource};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// Most bytes of a request, and of one read.
const MOST: usize = 8192;
/// Most bytes that are read and thrown away.
const MOST_THROWN: usize = 1 << 20;
/// How long a client may take for its request, and for the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most clients, where the system lets the process have four times as many descriptors: looking takes some too.
const MOST_CLIENTS: usize = 256;
/// Most clients that are taken in one turn, so that each is looked at before it could have to go.
const AT_ONCE: usize = 64;
/// Before the next turn, where the system has no room for what it takes.
const PAUSE: Duration = Duration::from_millis(100);

/// What makes of a request all that its client is told.
pub type Answer<'a> = dyn Fn(&[u8]) -> Vec<u8> + 'a;

/// A client, and until when it may be where it is.
struct Client {
    stream: TcpStream,
    until: Duration,
    stage: Stage,
}

/// Where a client is.
enum Stage {
    /// It has sent so much of its request.
    Asks(Vec<u8>),
    /// It is told this, of which so many bytes are sent.
    Hears(Vec<u8>, usize),
    /// It has been told all, and has sent so many bytes since.
    Leaves(usize),
}

/// Serves those who come to the listener, which must not block, until the process is ended.
pub fn serve(listener: &TcpListener, answer: &Answer) -> ! {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let most = usize::try_from(descriptors / 4).map_or(MOST_CLIENTS, |few| few.clamp(1, MOST_CLIENTS));
    let mut clients: Vec<Client> = Vec::new();
    loop {
        let ready = ready(listener, &clients);
        let now = SystemClock.passed();
        let mut of_clients = ready.iter().skip(1);
        clients.retain_mut(|client| {
            match of_clients.next() {
                // An answer to another may have taken so long that time is up for what had come in time.
                Some(true) => client.step(answer).is_ok_and(|came| came || client.until > now),
                _ => client.until > now,
            }
        });
        if ready.first().is_some_and(|is_ready| *is_ready) {
            admit(listener, &mut clients, most);
        }
    }
}

/// Waits until something can be done or a time is up: whether somebody has come, and which clients can go on.
fn ready(listener: &TcpListener, clients: &[Client]) -> Vec<bool> {
    let mut watched = vec![PollFd::new(listener, PollFlags::IN)];
    watched.extend(
        clients
            .iter()
            .map(|client| PollFd::new(&client.stream, client.waits_for())),
    );
    let left = clients.iter().map(|client| client.until).min();
    let left = left.map(|until| until.saturating_sub(SystemClock.passed()));
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    match poll(&mut watched, left.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(_) => std::thread::sleep(PAUSE),
    }
    watched.iter().map(|one| !one.revents().is_empty()).collect()
}

/// Takes those who have come; there may be so many clients.
fn admit(listener: &TcpListener, clients: &mut Vec<Client>, most: usize) {
    for _ in 0..AT_ONCE.min(most) {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            // It had gone before it was taken.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted) => continue,
            Err(_) => {
                // The next would fail at once as well.
                if !send_one_away(clients) {
                    std::thread::sleep(PAUSE);
                }
                return;
            }
        };
        if clients.len() >= most {
            send_one_away(clients);
        }
        if stream.set_nonblocking(true).is_ok() {
            clients.push(Client {
                stream,
                until: SystemClock.passed() + PATIENCE,
                stage: Stage::Asks(Vec::new()),
            });
        }
    }
}

/// Closes the connection whose time ends first; false: there is none.
fn send_one_away(clients: &mut Vec<Client>) -> bool {
    let first = clients.iter().enumerate().min_by_key(|(_, client)| client.until);
    let first = first.map(|(at, _)| at);
    first.map(|at| clients.swap_remove(at)).is_some()
}

impl Client {
    fn waits_for(&self) -> PollFlags {
        match self.stage {
            Stage::Asks(_) | Stage::Leaves(_) => PollFlags::IN,
            Stage::Hears(..) => PollFlags::OUT,
        }
    }

    /// Reads or writes once. Whether it came to the next stage; an error: it has gone, or is to go.
    fn step(&mut self, answer: &Answer) -> io::Result<bool> {
        let mut piece = [0; MOST];
        let next = match &mut self.stage {
            Stage::Asks(request) => {
                let Some(got) = at_once(self.stream.read(&mut piece))? else {
                    return Ok(false);
                };
                // The end may have come in two pieces.
                let from = request.len().saturating_sub(END.len() - 1);
                request.extend_from_slice(&piece[..got]);
                let is_whole = request[from..].windows(END.len()).any(|end| end == END);
                if !is_whole && got > 0 && request.len() < MOST {
                    return Ok(false);
                }
                Stage::Hears(answer(request), 0)
            }
            Stage::Hears(answer, sent) => {
                *sent += at_once(self.stream.write(&answer[*sent..]))?.unwrap_or(0);
                if *sent < answer.len() {
                    return Ok(false);
                }
                self.stream.shutdown(Shutdown::Write)?;
                Stage::Leaves(0)
            }
            Stage::Leaves(thrown) => {
                let got = at_once(self.stream.read(&mut piece))?;
                *thrown += got.unwrap_or(0);
                if got == Some(0) || *thrown > MOST_THROWN {
                    return Err(ErrorKind::ConnectionAborted.into());
                }
                return Ok(false);
            }
        };
        self.stage = next;
        // What was looked at for the answer may have taken its time.
        self.until = SystemClock.passed() + PATIENCE;
        Ok(true)
    }
}

/// What was read or written; none: nothing can be just now.
fn at_once(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}
