//! A connection: each request is read, carried out, and answered before the next is read.
//!
//! * T1. An answer is sent when the turn is over, and nothing is locked any more: who does not read his answers keeps
//!   nobody from what he has.
//! * T2. An answer that is too long is a refusal in words, and the connection goes on.
//! * T3. Between two turns a connection keeps no room for a long message (`line:W5`).
//! * T4. An owner that ends in order answers each commit and each prepare that it has read, and carries out none that
//!   it reads while it ends. A client that got no answer would not know what became of its unit. So it waits for each
//!   thread that may have read one and not looked at it yet.

use crate::guest::{Guest, Peer};
use crate::held::Held;
use crate::owner::Owner;
use crate::tally::Tally;
use cica_engine::{LockCounts, RequestError};
use cica_share::words::{parse, Answer, Ask, AREA, VERSION};
use cica_share::{durability_of, Line, Refusal, Undecided, Wire};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;

/// A client's connection, at the owner's end.
pub struct Connection {
    line: Line,
    space: Vec<u8>,
    peer: Peer,
    /// Whose it is, once it was greeted, and its number there.
    of: Option<(Arc<Guest>, u32)>,
}

impl Connection {
    /// One on which nothing was said yet.
    pub fn new(wire: Box<dyn Wire>, peer: Peer) -> Connection {
        Connection {
            line: Line::new(wire),
            space: Vec::new(),
            peer,
            of: None,
        }
    }

    /// Reads a request, carries it out, and answers (T1). False: the connection has ended. An error of the connection
    /// is its end: there is nobody to tell.
    pub fn turn(&mut self, owner: &Owner) -> bool {
        match &self.of {
            Some((guest, _)) => {
                let guest = guest.clone();
                self.request(owner, &guest).is_ok_and(|more| more)
            }
            None => self.greet(owner),
        }
    }

    fn request(&mut self, owner: &Owner, guest: &Guest) -> std::io::Result<bool> {
        let line = &mut self.line;
        let Some(body) = line.receive(&mut self.space)? else {
            return Ok(false);
        };
        let descriptor = line.descriptor.take();
        let clock = &owner.shared.session.clock;
        let (begun, before) = (clock.passed(), LockCounts::of_thread());
        let mut turn = Turn {
            owner,
            guest,
            line,
            beside: None,
            of: None,
            refused: false,
        };
        let ask = parse::<Ask<'_>>(body);
        let is_last = matches!(ask, Ok(Ask::Commit { .. } | Ask::Prepare { .. }));
        // T4. This comes first: an owner that ends waits for it.
        let unanswered = is_last.then(|| owner.unanswered.begin());
        let reads = |reads| {
            self.peer
                .reading
                .iter()
                .for_each(|reading| reading.store(reads, SeqCst))
        };
        reads(false);
        let answered = match ask {
            Ok(_) if is_last && owner.is_leaving() => {
                turn.say(&nonsense(&"the server is ending, and takes the unit of recovery back"))
            }
            Ok(ask) => turn.answer(ask, descriptor),
            Err(error) => turn.say(&nonsense(&error)),
        };
        let Turn {
            line,
            beside,
            of,
            refused,
            ..
        } = turn;
        // Before the client has the answer and asks again.
        reads(true);
        let answered = answered.and_then(|()| line.flush(beside.as_ref().map(AsFd::as_fd)));
        drop(unanswered);
        Line::give_back(&mut self.space);
        let (took, met) = (
            clock.passed().saturating_sub(begun),
            LockCounts::of_thread().since(before),
        );
        let tallies = [Some(&owner.tally), Some(&guest.tally), of.as_deref()];
        tallies
            .into_iter()
            .flatten()
            .for_each(|tally| tally.add(took, refused, met));
        answered.map(|()| true)
    }

    /// The first message says whose it is.
    fn greet(&mut self, owner: &Owner) -> bool {
        let Ok(Some(body)) = self.line.receive(&mut self.space) else {
            return false;
        };
        let greeted = match parse::<Ask<'_>>(body) {
            Ok(Ask::Hello { version, .. }) if version != VERSION => Err(format!(
                "the server speaks version {VERSION} and the client version {version}; end the server with 'cica server \
                 stop', or use the same version of Cica for both"
            )),
            Ok(Ask::Hello { session: 0, program, .. }) => owner.enter(&mut self.peer, program),
            Ok(Ask::Hello { session, .. }) => {
                owner.guest(session).ok_or_else(|| "the server knows no such session: it was begun anew".into())
            }
            Ok(_) => Err("a connection begins with a greeting".into()),
            Err(error) => Err(error.to_string()),
        };
        let connected = greeted.and_then(|guest| {
            let connection = guest.connect(&mut self.peer)?;
            Ok((guest, connection))
        });
        match connected {
            Ok((guest, connection)) => {
                let number = guest.number;
                self.of = Some((guest, connection));
                self.line.send(&Answer::Number(number), None).is_ok()
            }
            Err(words) => {
                // Who does not read it has gone.
                let _ = self.line.send(&Answer::Nonsense(words), None);
                false
            }
        }
    }

    /// It has ended: with the last one of a client all ends that the client has (O1).
    pub fn end(self, owner: &Owner) {
        if let Some((guest, connection)) = self.of {
            if guest.disconnect(connection) {
                owner.end(&guest);
            }
        }
    }
}

/// What was said and has no meaning here.
pub fn nonsense(what: &dyn std::fmt::Display) -> Answer<'static> {
    Answer::Nonsense(what.to_string())
}

/// One request. What is about a data set is in `of_set`, what is about a string in `of_string`.
pub struct Turn<'t> {
    pub owner: &'t Owner,
    pub guest: &'t Guest,
    line: &'t mut Line,
    /// What goes beside the answer.
    beside: Option<OwnedFd>,
    /// The data set that it is about, once that is known.
    pub of: Option<Arc<Tally>>,
    /// It was answered with an error.
    refused: bool,
}

/// The answer was written down, and is sent when the turn is over (T1).
pub type Sent = std::io::Result<()>;

impl Turn<'_> {
    pub fn say(&mut self, answer: &Answer<'_>) -> Sent {
        self.refused |= match answer {
            Answer::Refused(refusal) => !refusal.is_miss(),
            Answer::NotOpened { .. } | Answer::Undecided(_) | Answer::Nonsense(_) => true,
            _ => false,
        };
        self.line.write(answer).or_else(|error| {
            // T2.
            self.refused = true;
            self.line
                .write(&nonsense(&format_args!("the answer cannot be sent: {error}")))
        })
    }

    pub fn done(&mut self, done: Result<(), RequestError>) -> Sent {
        self.say(&done.map_or_else(|error| refused(&error), |()| Answer::Done))
    }

    pub fn kept(&mut self, kept: Result<u32, String>) -> Sent {
        self.say(&kept.map_or_else(Answer::Nonsense, |number| Answer::Number(number.into())))
    }

    /// With a string of the client.
    pub fn string(&mut self, number: u32, work: impl FnOnce(&mut Turn<'_>, &mut Held) -> Sent) -> Sent {
        match self.guest.string(number) {
            Some((string, tally)) => {
                self.of = Some(tally);
                work(self, &mut string.lock())
            }
            None => self.say(&nonsense(&"the client has no such string")),
        }
    }

    fn answer(&mut self, ask: Ask<'_>, descriptor: Option<OwnedFd>) -> Sent {
        match ask {
            Ask::Hello { .. } => self.say(&nonsense(&"a connection is greeted once")),
            Ask::Open { name, .. } if self.guest.is_late => self.say(&Answer::NotOpened {
                reason: 184,
                in_use: false,
                words: format!(
                    "{name}: the server is being drained, and opens nothing for who comes; try again when it has ended, \
                     which 'cica server clients' shows"
                ),
            }),
            Ask::Open { name, through, how } => self.open((name, through), how, descriptor.as_ref()),
            Ask::Close { set } => self.close(set),
            Ask::Facts { .. }
            | Ask::Whole { .. }
            | Ask::Examine { .. }
            | Ask::Pin { .. }
            | Ask::PinnedUndo { .. }
            | Ask::String { .. } => self.of_set(ask),
            Ask::DropString { string } => {
                self.guest.drop_string(string);
                self.say(&Answer::Done)
            }
            Ask::Area { string } => {
                let area = self.guest.make_area(string, &self.owner.areas);
                // Without a descriptor to send there is no area for the client.
                self.beside = area.and_then(|area| area.lock().descriptor().try_clone_to_owned().ok());
                let length = self.beside.as_ref().map_or(0, |_| AREA as u64);
                self.say(&Answer::Number(length))
            }
            Ask::Unit => {
                let engine = &self.owner.shared.session.engine;
                let owner = engine.lock_owner(&self.guest.label());
                let unit = engine.unit_of(&owner);
                let kept = self.guest.keep_unit(unit, owner);
                self.kept(kept)
            }
            Ask::Commit { .. }
            | Ask::Backout { .. }
            | Ask::Changes { .. }
            | Ask::DropUnit { .. }
            | Ask::Prepare { .. } => self.unit(ask),
            Ask::Decide { name, commit } => {
                let done = self.owner.shared.decide(name, commit, descriptor.as_ref());
                self.decided(done)
            }
            Ask::Status => {
                let status = self.owner.status();
                self.say(&Answer::Status(Box::new(status)))
            }
            // Others may use it; its end is for whose it is.
            Ask::Shunted { .. } if !self.may_end() => {
                self.say(&nonsense(&"shunted units are for the server's own user or root"))
            }
            Ask::Shunted { unit, give_up } => {
                let done = self.owner.shunted.resolve(unit, give_up);
                self.say(&done.map_or_else(Answer::Nonsense, |()| Answer::Done))
            }
            Ask::Stop { .. } if !self.may_end() => {
                let own = rustix::process::geteuid().as_raw();
                self.say(&nonsense(&format!(
                    "the server is user {own}'s: that user or root ends it"
                )))
            }
            Ask::Stop { drain: true } => {
                self.owner.stop(true);
                self.say(&Answer::Done)
            }
            // Behind it the connection ends, so it is answered first.
            Ask::Stop { drain: false } => {
                let sent = self.say(&Answer::Done).and_then(|()| self.line.flush(None));
                self.owner.stop(false);
                sent
            }
            request => self.of_string(request),
        }
    }

    /// Is the client the user that the owner runs for, or root?
    fn may_end(&self) -> bool {
        let user = self.guest.who.1;
        user == 0 || user == rustix::process::geteuid().as_raw()
    }

    fn unit(&mut self, ask: Ask<'_>) -> Sent {
        let number = match ask {
            Ask::Commit { unit, .. }
            | Ask::Backout { unit }
            | Ask::Changes { unit }
            | Ask::DropUnit { unit }
            | Ask::Prepare { unit, .. } => unit,
            _ => 0,
        };
        let Some((unit, _)) = self.guest.unit(number) else {
            return self.say(&nonsense(&"the client has no such unit of recovery"));
        };
        match ask {
            Ask::Commit { durability, .. } => {
                let done = unit.commit_with(durability_of(durability));
                self.ended(number, done)
            }
            Ask::Backout { .. } => {
                let done = unit.backout();
                self.ended(number, done)
            }
            Ask::Changes { .. } => self.say(&Answer::Number(unit.changes() as u64)),
            Ask::Prepare { name, .. } => {
                let done = unit.prepare(name).map_err(|error| Undecided::from(&error));
                if done.is_ok() {
                    self.guest.unit_ended(number);
                }
                self.decided(done)
            }
            _ => {
                let done = unit.backout();
                drop(unit);
                self.guest.drop_unit(number);
                self.done(done)
            }
        }
    }

    /// A unit has ended, if it is so.
    fn ended(&mut self, number: u32, done: Result<(), RequestError>) -> Sent {
        if done.is_ok() {
            self.guest.unit_ended(number);
        }
        self.done(done)
    }

    /// What is in doubt now, or not any more.
    fn decided(&mut self, done: Result<(), Undecided>) -> Sent {
        self.say(&done.map_or_else(|why| Answer::Undecided(Box::new(why)), |()| Answer::Done))
    }
}

/// A refused request, as it is told.
pub fn refused(error: &RequestError) -> Answer<'static> {
    Answer::Refused(Refusal::from(error))
}
