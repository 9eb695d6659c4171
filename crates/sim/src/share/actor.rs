//! A client: what it has open, and what its requests are answered.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cica_engine::{
    Access, DataSet, Engine, Insert, Intent, LockMode, OpenOptions, Patience, PrepareError, ReadIntegrity, Record,
    RequestError, Search, Str, UnitOfRecovery,
};
use cica_session::{DecideError, Session};
use cica_share::{open, Client, NotOpened, Undecided};

use super::model::Part;
use super::wire::{locked, Dialer, Doom, DoomShared};
use super::world::{read, record, Premises, NAMES, SETS, UNITS};

/// What a request was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedReply {
    Done,
    /// A record: key and value.
    Got(u32, u32),
    NotFound,
    Duplicate,
    Held,
    End,
    /// A unit in doubt is called so already.
    Doubled,
    /// None in doubt is called so.
    Unknown,
    /// It may not be decided about by who asks.
    NoRight,
    /// It can only go back.
    GoingBack,
    /// A data set that it has changed cannot be opened.
    NotOpened,
    /// The owner is gone for this client, or the client itself is.
    Gone,
    Wrong(String),
}

/// See the module.
pub struct Actor {
    pub session: u64,
    pub fate: DoomShared,
    pub unit: UnitOfRecovery,
    sets: Vec<(DataSet, [Str; 3])>,
    pub client: Arc<Client>,
    /// Actions that it sleeps through, with all that it has locked.
    pub asleep: u32,
    pub browse: Option<Browse>,
    /// Who kept the last request away that was refused.
    pub refused_by: String,
}

/// A browse under way.
#[derive(Debug, Clone, Copy)]
pub struct Browse {
    pub set: usize,
    /// The last key read.
    pub at: Option<u32>,
    pub integrity: bool,
    /// From when on, and behind how many changes, its records may have been read.
    pub since: (Duration, usize),
    /// When it was refused before the next record: what came before that one later it may pass over.
    pub refused: Option<(Duration, usize)>,
}

/// The name that the owner shows for a session.
pub fn name(session: u64) -> String {
    format!("S{session}")
}

/// A client that comes to the owner; none: nobody listens, or its connection was cut.
pub fn connect(world: &Premises, session: u64, fate: &DoomShared) -> Option<Arc<Client>> {
    let dialer = Dialer {
        net: world.net.clone(),
        process: session as i32,
        fate: fate.clone(),
    };
    Client::over(Box::new(dialer), &name(session), world.clock.clone())
        .ok()
        .map(Arc::new)
}

/// Opens a data set; none: the owner is gone.
///
/// # Errors
/// It refuses.
pub fn opened(world: &Premises, client: &Arc<Client>, set: usize, output: bool) -> Result<Option<DataSet>, String> {
    let options = OpenOptions {
        access: if output { Access::Output } else { Access::Input },
        ..OpenOptions::default()
    };
    let descriptor = world.descriptor(set, output)?;
    match open(client, (NAMES[set], ""), options, descriptor.as_fd()) {
        Ok(data_set) => Ok(Some(data_set)),
        Err(NotOpened::Lost(_)) => Ok(None),
        Err(NotOpened::Refused { words, .. }) => Err(words),
    }
}

impl Actor {
    /// A client with all shared data sets open; none: something came between.
    ///
    /// # Errors
    /// An open is refused.
    pub fn begin(world: &Premises, engine: &Engine, session: u64, fate: Doom) -> Result<Option<Actor>, String> {
        let fate: DoomShared = Arc::new(Mutex::new(fate));
        let Some(client) = connect(world, session, &fate) else {
            return Ok(None);
        };
        let unit = engine.unit();
        let mut sets = Vec::new();
        for (set, name) in NAMES.iter().enumerate().take(SETS) {
            match opened(world, &client, set, true) {
                Ok(Some(data_set)) => sets.push(strings(data_set, &unit)),
                Ok(None) => return Ok(None),
                // The owner's own end.
                Err(_) if world.process.is_dead() => return Ok(None),
                Err(words) => return Err(format!("{name}: {words}")),
            }
        }
        Ok(Some(Actor {
            session,
            fate,
            unit,
            sets,
            client,
            asleep: 0,
            browse: None,
            refused_by: String::new(),
        }))
    }

    /// Has it no owner any more, or a wrong answer?
    pub fn is_lost(&self) -> bool {
        self.client.is_gone() || locked(&self.fate).is_misled()
    }

    fn string(&mut self, set: usize, part: Part) -> &mut Str {
        &mut self.sets[set].1[part as usize]
    }

    fn reply<T>(&mut self, answer: Result<T, RequestError>, of: impl FnOnce(T) -> SharedReply) -> SharedReply {
        if locked(&self.fate).is_misled() {
            return SharedReply::Gone;
        }
        match answer {
            Ok(answer) => of(answer),
            Err(RequestError::NotFound) => SharedReply::NotFound,
            Err(RequestError::EndOfData) => SharedReply::End,
            Err(RequestError::Duplicate { .. }) => SharedReply::Duplicate,
            Err(error @ (RequestError::Exclusive { .. } | RequestError::Retained { .. })) => {
                self.refused_by = error.to_string();
                SharedReply::Held
            }
            Err(RequestError::Fenced { .. }) if self.client.is_gone() => SharedReply::Gone,
            Err(error) => SharedReply::Wrong(error.to_string()),
        }
    }

    /// Inserts a record.
    pub fn insert(&mut self, set: usize, part: Part, key: u32, value: u32) -> SharedReply {
        let answer = self.string(set, part).insert(&record(key, value), Insert::Direct);
        self.reply(answer, |_| SharedReply::Done)
    }

    /// Gets a record for update and updates it, with one request.
    pub fn rewrite(&mut self, set: usize, part: Part, key: u32, value: u32) -> SharedReply {
        let key_bytes = format!("{key:04}");
        let answer = self
            .string(set, part)
            .rewrite(key_bytes.as_bytes(), &record(key, value));
        self.reply(answer, |_| SharedReply::Done)
    }

    /// Gets a record.
    pub fn get(&mut self, set: usize, part: Part, key: u32, intent: Intent, integrity: ReadIntegrity) -> SharedReply {
        let key = format!("{key:04}");
        let string = self.string(set, part);
        string.set_integrity(integrity);
        let got = string
            .get(key.as_bytes(), Search::Equal, intent)
            .map(|got| read(got.bytes));
        self.reply(got, got_reply)
    }

    /// The next record.
    pub fn next(&mut self, set: usize, integrity: ReadIntegrity) -> SharedReply {
        let string = self.string(set, Part::Reads);
        string.set_integrity(integrity);
        let got = string.next(Intent::Read).map(|got: Record<'_>| read(got.bytes));
        self.reply(got, got_reply)
    }

    /// Goes to the beginning.
    pub fn first(&mut self, set: usize, integrity: ReadIntegrity) -> SharedReply {
        let string = self.string(set, Part::Reads);
        string.set_integrity(integrity);
        let answer = string.point_first();
        self.reply(answer, |()| SharedReply::Done)
    }

    /// Updates the record got for update.
    pub fn update(&mut self, set: usize, part: Part, key: u32, value: u32) -> SharedReply {
        let answer = self.string(set, part).update(&record(key, value));
        self.reply(answer, |_| SharedReply::Done)
    }

    /// Erases it.
    pub fn erase(&mut self, set: usize, part: Part) -> SharedReply {
        let answer = self.string(set, part).erase();
        self.reply(answer, |()| SharedReply::Done)
    }

    /// Ends the unit.
    pub fn end_unit(&mut self, commits: bool) -> SharedReply {
        let answer = if commits {
            self.unit.commit()
        } else {
            self.unit.backout()
        };
        if self.is_lost() && !commits {
            SharedReply::Gone
        } else {
            self.reply(answer, |()| SharedReply::Done)
        }
    }

    /// Prepares the unit.
    pub fn prepare(&mut self, unit: usize) -> SharedReply {
        let answer = self.unit.prepare(UNITS[unit]);
        if self.is_lost() {
            return SharedReply::Gone;
        }
        match answer {
            Ok(()) => SharedReply::Done,
            Err(PrepareError::Doubled { .. }) => SharedReply::Doubled,
            Err(error) => SharedReply::Wrong(error.to_string()),
        }
    }

    /// Has the owner decide about a unit in doubt.
    pub fn decide(&mut self, unit: usize, commits: bool, rights: &OwnedFd) -> SharedReply {
        let answer = decide(&self.client, unit, commits, rights);
        if self.is_lost() {
            return SharedReply::Gone;
        }
        answer
    }

    /// Locks a record by name.
    pub fn lock(&mut self, set: usize, key: u32) -> SharedReply {
        let key = format!("{key:04}");
        let string = self.string(set, Part::Alone);
        let answer = string.lock(key.as_bytes(), LockMode::Exclusive, Patience::None);
        self.reply(answer, |()| SharedReply::Done)
    }

    /// Unlocks it; whether it was locked.
    pub fn unlock(&mut self, set: usize, key: u32) -> bool {
        self.string(set, Part::Alone).unlock(format!("{key:04}").as_bytes())
    }

    /// Gives all strings of a data set up, closes it and opens it again.
    ///
    /// # Errors
    /// The open is refused.
    pub fn reopen(&mut self, world: &Premises, set: usize) -> Result<SharedReply, String> {
        let Some(data_set) = opened(world, &self.client, set, true)? else {
            return Ok(SharedReply::Gone);
        };
        let (old, strings_of_old) = std::mem::replace(&mut self.sets[set], strings(data_set, &self.unit));
        drop(strings_of_old);
        let closed = old.close();
        Ok(self.reply(closed, |_| SharedReply::Done))
    }
}

/// Has the owner decide about a unit in doubt.
pub fn decide(client: &Arc<Client>, unit: usize, commits: bool, rights: &OwnedFd) -> SharedReply {
    match client.decide(UNITS[unit], commits, rights.as_fd()) {
        Ok(Ok(())) => SharedReply::Done,
        Ok(Err(Undecided::Unknown(_))) => SharedReply::Unknown,
        Ok(Err(Undecided::GoingBack(_))) => SharedReply::GoingBack,
        Ok(Err(Undecided::Open(..))) => SharedReply::NotOpened,
        Ok(Err(Undecided::File(_))) => SharedReply::NoRight,
        Ok(Err(other)) => SharedReply::Wrong(format!("{other:?}")),
        Err(_) if client.is_gone() => SharedReply::Gone,
        Err(error) => SharedReply::Wrong(error.to_string()),
    }
}

/// A process that asks no owner decides about a unit in doubt.
pub fn decide_alone(session: &Session, unit: usize, commits: bool) -> SharedReply {
    let done = if commits {
        session.commit_prepared(UNITS[unit])
    } else {
        session.back_out_prepared(UNITS[unit])
    };
    match done {
        Ok(()) => SharedReply::Done,
        Err(DecideError::Unit(PrepareError::Unknown { .. })) => SharedReply::Unknown,
        Err(DecideError::Unit(PrepareError::GoingBack { .. })) => SharedReply::GoingBack,
        Err(DecideError::Open { .. }) => SharedReply::NotOpened,
        Err(error) => SharedReply::Wrong(error.to_string()),
    }
}

fn got_reply(got: Result<(u32, u32), String>) -> SharedReply {
    got.map_or_else(SharedReply::Wrong, |(key, value)| SharedReply::Got(key, value))
}

fn strings(set: DataSet, unit: &UnitOfRecovery) -> (DataSet, [Str; 3]) {
    let strings = [set.string(), set.string_in(unit), set.string()];
    (set, strings)
}
