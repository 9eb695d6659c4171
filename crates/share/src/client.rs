//! The client's side of an owner: connections to it, as many as requests are made at the same time.
//!
//! * C1. A request that got no answer was perhaps done: nothing is sent a second time. From then on the client knows
//!   the owner as gone, and every request says so. All its connections are ended, those that others wait on too: an
//!   owner that lives takes back what the client had. Who waits for the end of a unit waits on: an owner that goes
//!   answers that first. A new open finds the next owner.
//! * C2. A forked child is no client: its parent's connections are not its own.
//! * C3. A request for which there is no connection, or that is too long, was not sent. It is refused, and may be made
//!   again; the owner is not gone for that.

use crate::line::Line;
use crate::refusal::fenced;
use crate::wire::{Dial, HangUp, Wire, PAUSE};
use crate::words::{parse, Answer, Ask, VERSION};
use cica_disk::{Clock, PeerProcess, SystemClock};
use cica_engine::RequestError;
use parking_lot::Mutex;
use std::io::{Error, ErrorKind};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::Arc;
use std::time::Duration;

/// See the module.
pub struct Client {
    owner: Box<dyn Dial>,
    program: String,
    session: u64,
    lines: Mutex<Lines>,
    /// Written with `lines` locked.
    gone: AtomicBool,
    /// How often the client has done what changes records, see [`changing`](Client::changing).
    changes: AtomicU64,
    process: u32,
    clock: Arc<dyn Clock>,
}

/// Connections.
#[derive(Default)]
struct Lines {
    /// Those that nobody uses, each with room for an answer.
    idle: Vec<(Line, Vec<u8>)>,
    /// What ends each, used or not, and whether the end of a unit is asked for on it.
    ends: Vec<(HangUp, Arc<AtomicBool>)>,
}

impl Lines {
    fn note(&mut self, line: &Line) {
        self.ends
            .extend(line.hang_up().map(|end| (end, line.ends_unit.clone())));
    }
}

/// Why a request has no answer.
pub(crate) struct NoAnswer {
    pub why: RequestError,
    /// The owner may have read it, and done it.
    pub was_sent: bool,
}

impl NoAnswer {
    fn unsent(why: RequestError) -> NoAnswer {
        NoAnswer { why, was_sent: false }
    }
}

impl Client {
    /// Comes to the owner that listens at `socket`.
    ///
    /// # Errors
    /// Nobody listens there; the owner is of another version, or lets nobody in: [`ErrorKind::ConnectionAborted`] with
    /// its words.
    pub fn connect(socket: &Path, program: &str) -> std::io::Result<Client> {
        Client::over(Box::new(socket.to_owned()), program, Arc::new(SystemClock))
    }

    /// The same for who asks what the owner has, or wants its end: one that is stopped is given up after
    /// [`FIRST_LOOK`], and one that is silent for another reason sooner than by a program.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn connect_to_ask(socket: &Path, program: &str) -> std::io::Result<Client> {
        Client::with_patience(
            Box::new(socket.to_owned()),
            program,
            Arc::new(SystemClock),
            Patience::Asks,
        )
    }

    /// The same for a program whose data set the owner may have, but need not: one that is stopped is given up at once
    /// too.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn connect_to_join(socket: &Path, program: &str) -> std::io::Result<Client> {
        Client::with_patience(
            Box::new(socket.to_owned()),
            program,
            Arc::new(SystemClock),
            Patience::Joins,
        )
    }

    /// The same over connections of another kind, and by another clock.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn over(owner: Box<dyn Dial>, program: &str, clock: Arc<dyn Clock>) -> std::io::Result<Client> {
        Client::with_patience(owner, program, clock, Patience::Needs)
    }

    fn with_patience(
        owner: Box<dyn Dial>,
        program: &str,
        clock: Arc<dyn Clock>,
        patience: Patience,
    ) -> std::io::Result<Client> {
        let (line, session) = dial(&*owner, program, 0, patience)?;
        let mut lines = Lines::default();
        lines.note(&line);
        lines.idle.push((line, Vec::new()));
        Ok(Client {
            owner,
            program: program.to_owned(),
            session,
            lines: Mutex::new(lines),
            gone: AtomicBool::new(false),
            changes: AtomicU64::new(0),
            process: std::process::id(),
            clock,
        })
    }

    /// Time passes by it.
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Who the owner is; `None`: nobody knows.
    pub fn peer(&self) -> Option<PeerProcess> {
        self.lines.lock().idle.first().and_then(|(line, _)| line.peer())
    }

    /// Is the owner gone (C1)?
    pub fn is_gone(&self) -> bool {
        self.gone.load(Acquire)
    }

    /// Does what changes records, takes changes back, or locks. Behind it nothing counts that was read ahead before,
    /// through whichever open.
    pub(crate) fn changing<T>(&self, act: impl FnOnce(&Client) -> T) -> T {
        // Before it too: who finds that nothing has changed since must not miss what is just under way.
        self.changes.fetch_add(1, AcqRel);
        let done = act(self);
        self.changes.fetch_add(1, AcqRel);
        done
    }

    /// How often that was done.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Acquire)
    }

    /// Asks, and gives the answer to `read`.
    ///
    /// # Errors
    /// 12/16: the owner is gone (C1), this is a forked child (C2), or it could not be asked (C3). What the owner
    /// refuses.
    pub fn ask<T>(
        &self,
        ask: &Ask<'_>,
        read: impl FnOnce(Answer<'_>) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        self.ask_with(ask, None, read)
    }

    /// The same with the descriptor of a file.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn ask_with<T>(
        &self,
        ask: &Ask<'_>,
        descriptor: Option<BorrowedFd<'_>>,
        read: impl FnOnce(Answer<'_>) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        self.exchange(ask, descriptor, |answer, _| read(answer))
    }

    /// The same, for what is answered with a descriptor.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub(crate) fn exchange<T>(
        &self,
        ask: &Ask<'_>,
        descriptor: Option<BorrowedFd<'_>>,
        read: impl FnOnce(Answer<'_>, Option<OwnedFd>) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        self.sent(ask, descriptor, false, read)
            .unwrap_or_else(|none| Err(none.why))
    }

    /// Asks for the end of a unit, and tells what was refused from what has no answer (C1).
    ///
    /// # Errors
    /// There is no answer. The inner one: as [`ask`](Self::ask).
    pub(crate) fn end_unit<T>(
        &self,
        ask: &Ask<'_>,
        read: impl FnOnce(Answer<'_>) -> Result<T, RequestError>,
    ) -> Result<Result<T, RequestError>, NoAnswer> {
        self.sent(ask, None, true, |answer, _| read(answer))
    }

    fn sent<T>(
        &self,
        ask: &Ask<'_>,
        descriptor: Option<BorrowedFd<'_>>,
        ends_unit: bool,
        read: impl FnOnce(Answer<'_>, Option<OwnedFd>) -> Result<T, RequestError>,
    ) -> Result<Result<T, RequestError>, NoAnswer> {
        if std::process::id() != self.process {
            let why = "a forked child does not use its parent's data sets";
            return Err(NoAnswer::unsent(fenced(why)));
        }
        if self.is_gone() {
            return Err(NoAnswer::unsent(gone(&"it ended before")));
        }
        let (mut line, mut space) = self.line().map_err(NoAnswer::unsent)?;
        if let Err(error) = line.write(ask) {
            self.keep(line, space);
            return Err(NoAnswer::unsent(fenced(&error.to_string())));
        }
        if ends_unit {
            self.wait_to_the_end(&line).map_err(NoAnswer::unsent)?;
        }
        // A part of a message is no request.
        let flushed = line.flush(descriptor);
        flushed.map_err(|error| NoAnswer::unsent(self.lost(&error)))?;
        let lost = |why: &dyn std::fmt::Display| NoAnswer {
            why: self.lost(why),
            was_sent: true,
        };
        let answer = match line.receive(&mut space) {
            Ok(Some(body)) => parse::<Answer<'_>>(body).map_err(|error| lost(&error))?,
            Ok(None) => return Err(lost(&"it closed the connection")),
            Err(error) => return Err(lost(&error)),
        };
        let read = match answer {
            Answer::Refused(refusal) => Err(refusal.into()),
            Answer::Nonsense(words) => Err(fenced(&words)),
            answer => read(answer, line.descriptor.take()),
        };
        line.ends_unit.store(false, Release);
        self.keep(line, space);
        Ok(read)
    }

    /// Before the end of a unit is asked for: whoever loses the owner from here on leaves this connection alone (C1).
    fn wait_to_the_end(&self, line: &Line) -> Result<(), RequestError> {
        let _lines = self.lines.lock();
        line.ends_unit.store(true, Release);
        if self.is_gone() {
            return Err(gone(&"it ended meanwhile"));
        }
        Ok(())
    }

    /// A connection that nobody uses, or one more.
    fn line(&self) -> Result<(Line, Vec<u8>), RequestError> {
        let idle = self.lines.lock().idle.pop();
        if let Some(idle) = idle {
            return Ok(idle);
        }
        let line = self.another().map_err(|error| match error.kind() {
            // Nobody listens, or somebody who knows no such session.
            ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionAborted
            | ErrorKind::InvalidData => self.lost(&error),
            _ => fenced(&format!(
                "there is no further connection to the process that shares it ({error}): nothing was asked of it, and \
                 it may be asked again"
            )),
        })?;
        let mut lines = self.lines.lock();
        if self.is_gone() {
            return Err(gone(&"it ended meanwhile"));
        }
        lines.note(&line);
        Ok((line, Vec::new()))
    }

    /// One more connection. An owner without a thread or a descriptor for it ends it and says nothing, as one does that
    /// dies; who has died refuses the next.
    fn another(&self) -> std::io::Result<Line> {
        let another = || dial(&*self.owner, &self.program, self.session, Patience::Needs).map(|(line, _)| line);
        another().or_else(|error| match error.kind() {
            ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => another(),
            _ => Err(error),
        })
    }

    /// Nobody uses it any more.
    fn keep(&self, line: Line, mut space: Vec<u8>) {
        Line::give_back(&mut space);
        let mut lines = self.lines.lock();
        if !self.is_gone() {
            lines.idle.push((line, space));
        }
    }

    /// Asks for something that has no answer but that it is done.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn tell(&self, ask: &Ask<'_>) -> Result<(), RequestError> {
        self.ask(ask, |answer| match answer {
            Answer::Done => Ok(()),
            _ => Err(unfit()),
        })
    }

    /// Asks for a number.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn number(&self, ask: &Ask<'_>) -> Result<u64, RequestError> {
        self.ask(ask, |answer| match answer {
            Answer::Number(number) => Ok(number),
            _ => Err(unfit()),
        })
    }

    /// C1.
    fn lost(&self, why: &dyn std::fmt::Display) -> RequestError {
        let mut lines = self.lines.lock();
        self.gone.store(true, Release);
        let ended = std::mem::take(&mut *lines);
        let others = ended.ends.iter().filter(|(_, ends_unit)| !ends_unit.load(Acquire));
        others.for_each(|(end, _)| end());
        drop(lines);
        gone(why)
    }
}

/// An answer to another request.
pub fn unfit() -> RequestError {
    fenced("the owner of the data set gave an answer that does not fit")
}

fn gone(why: &dyn std::fmt::Display) -> RequestError {
    fenced(&format!(
        "the process that shares it is gone ({why}); what was committed is kept"
    ))
}

/// How long an owner may take for its first answer, on a machine that does much else.
const GREETING: Duration = Duration::from_secs(60);
/// The same, for who only asks.
const ASKING: Duration = Duration::from_secs(10);
/// After so long it is looked whether the owner is stopped, and so often from then on.
pub const FIRST_LOOK: Duration = Duration::from_secs(2);

/// What an owner that says nothing is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// A program wants to share: somebody may continue an owner that is stopped.
    Needs,
    /// It has an answer without the owner too.
    Joins,
    /// Somebody wants to know what the owner does.
    Asks,
}

impl Patience {
    /// For the first answer.
    fn greeting(self) -> Duration {
        match self {
            Patience::Asks => ASKING,
            Patience::Joins | Patience::Needs => GREETING,
        }
    }

    /// For a place among those who wait to be accepted. There are thousands, and an owner that lives has one soon;
    /// whether it is stopped cannot be seen before.
    fn place(self) -> Duration {
        match self {
            Patience::Asks | Patience::Joins => ASKING,
            Patience::Needs => GREETING,
        }
    }
}

/// A new connection of a session; 0: of a new one, whose number is returned. Who listens there and says nothing,
/// because it is stopped or no server, keeps nobody for ever.
fn dial(owner: &dyn Dial, program: &str, session: u64, patience: Patience) -> std::io::Result<(Line, u64)> {
    let (wire, waited) = reach(owner, patience)?;
    let mut line = Line::new(wire);
    line.set_patience(Some(FIRST_LOOK))?;
    let session = greet(&mut line, program, session, patience, waited)?;
    // A request may wait for a record for as long as its program wants.
    line.set_patience(None)?;
    Ok((line, session))
}

/// A connection, and how long there was no place for it.
fn reach(owner: &dyn Dial, patience: Patience) -> std::io::Result<(Box<dyn Wire>, Duration)> {
    let mut waited = Duration::ZERO;
    loop {
        match owner.dial() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            dialed => return Ok((dialed?, waited)),
        }
        if waited >= patience.place() {
            return Err(silent(None, false, waited));
        }
        owner.pause();
        waited += PAUSE;
    }
}

fn greet(
    line: &mut Line,
    program: &str,
    session: u64,
    patience: Patience,
    mut waited: Duration,
) -> std::io::Result<u64> {
    let hello = Ask::Hello {
        version: VERSION,
        session,
        program,
    };
    line.send(&hello, None)?;
    let mut space = Vec::new();
    loop {
        match line.receive(&mut space) {
            Ok(Some(body)) => return greeted(body),
            Ok(None) => return Err(ErrorKind::ConnectionReset.into()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => waited += FIRST_LOOK,
            Err(error) => return Err(error),
        }
        let peer = line.peer();
        let stopped = peer.filter(PeerProcess::is_stopped);
        if waited >= patience.greeting() || stopped.is_some() && patience != Patience::Needs {
            return Err(silent(peer, stopped.is_some(), waited));
        }
    }
}

fn greeted(body: &[u8]) -> std::io::Result<u64> {
    match parse::<Answer<'_>>(body)? {
        Answer::Number(session) => Ok(session),
        Answer::Nonsense(words) => Err(Error::new(ErrorKind::ConnectionAborted, words)),
        _ => Err(ErrorKind::InvalidData.into()),
    }
}

/// The error of an owner that says nothing, and what to do.
fn silent(peer: Option<PeerProcess>, is_stopped: bool, waited: Duration) -> Error {
    let seconds = waited.as_secs();
    let words = match (peer, is_stopped) {
        (Some(PeerProcess { process, .. }), true) => format!(
            "process {process}, which serves, is stopped and has said nothing for {seconds} seconds; continue it with \
             'kill -CONT {process}', or end it with 'kill -KILL {process}': what was committed is kept"
        ),
        (Some(PeerProcess { process, .. }), false) => format!(
            "process {process}, which serves, has said nothing for {seconds} seconds; try again, or end it with 'kill \
             -KILL {process}': what was committed is kept"
        ),
        (None, _) => format!(
            "the process that listens there has said nothing for {seconds} seconds; if it is stopped, continue it \
             (kill -CONT), or end it and try again"
        ),
    };
    Error::new(ErrorKind::TimedOut, words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Wire;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    /// An owner that answers each request with a number, and counts them.
    #[derive(Clone, Default)]
    struct Obliging {
        asked: Arc<AtomicU32>,
        here: u32,
    }

    impl Dial for Obliging {
        fn dial(&self) -> std::io::Result<Box<dyn Wire>> {
            Ok(Box::new(self.clone()))
        }
    }

    impl Wire for Obliging {
        fn send(&mut self, _: &[u8], _: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
            self.asked.fetch_add(1, Relaxed);
            self.here += 1;
            Ok(())
        }

        fn receive(&mut self, into: &mut [u8]) -> std::io::Result<(usize, Option<OwnedFd>)> {
            let body = postcard::to_extend(&Answer::Number(7), Vec::new()).unwrap();
            let message = [
                &(body.len() as u32).to_le_bytes()[..],
                &self.here.to_le_bytes()[..],
                &body[..],
            ]
            .concat();
            into[..message.len()].copy_from_slice(&message);
            Ok((message.len(), None))
        }

        fn set_patience(&mut self, _: Option<Duration>) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// A child of fork has its parent's client, connections and all, and another process number.
    #[test]
    fn a_forked_child_asks_nothing_over_its_parents_connections() {
        let owner = Obliging::default();
        let mut client = Client::over(Box::new(owner.clone()), "test", Arc::new(SystemClock)).unwrap();
        assert_eq!(client.number(&Ask::Unit).unwrap(), 7);
        let asked = owner.asked.load(Relaxed);

        client.process = client.process.wrapping_add(1);
        let error = client.number(&Ask::Unit).unwrap_err();
        assert!(error.to_string().contains("forked child"), "{error}");
        assert_eq!(owner.asked.load(Relaxed), asked, "nothing was sent");
        assert!(!client.is_gone(), "the parent's owner is as it was");
    }
}
