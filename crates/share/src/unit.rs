//! A unit of recovery of an owner, as its client has it.

use crate::client::{unfit, Client, NoAnswer};
use crate::doubt::Undecided;
use crate::words::{Answer, Ask};
use cica_engine::far::{FarUnit, Unanswered};
use cica_engine::{Durability, PrepareError, RequestError};
use parking_lot::Mutex;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

/// A number that nothing of a client has.
pub const NO_NUMBER: u64 = u32::MAX as u64;

/// See the module. The owner is asked for it when it is needed first.
pub struct Unit {
    client: Arc<Client>,
    number: Mutex<Option<u32>>,
    /// Its end that was asked for, if the owner went meanwhile.
    unanswered: Mutex<Option<Unanswered>>,
    /// What its client had changed when it began, or ended last.
    since: AtomicU64,
}

impl Unit {
    /// One that the owner does not know yet.
    pub fn new(client: Arc<Client>) -> Unit {
        Unit {
            since: AtomicU64::new(client.changes()),
            client,
            number: Mutex::new(None),
            unanswered: Mutex::new(None),
        }
    }

    /// It has ended, and the next one began when the client had changed so much.
    fn begins_anew(&self, since: u64) {
        self.since.store(since, Relaxed);
    }

    /// Asks for its end. If that has no answer, it is noted: it was perhaps done (`client:C1`).
    fn end<T>(
        &self,
        what: Unanswered,
        ask: &Ask<'_>,
        read: impl FnOnce(Answer<'_>) -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        match self.client.end_unit(ask, read) {
            Ok(done) => done,
            Err(NoAnswer { was_sent: true, .. }) => {
                *self.unanswered.lock() = Some(what);
                Err(what.refusal())
            }
            Err(unsent) => Err(unsent.why),
        }
    }

    fn made(&self) -> Result<u32, RequestError> {
        let mut known = self.number.lock();
        if let Some(number) = *known {
            return Ok(number);
        }
        let number = u32::try_from(self.client.number(&Ask::Unit)?).map_err(|_| unfit())?;
        *known = Some(number);
        Ok(number)
    }
}

impl FarUnit for Unit {
    fn number(&self) -> u64 {
        self.made().map_or(NO_NUMBER, u64::from)
    }

    fn owner(&self) -> usize {
        Arc::as_ptr(&self.client) as usize
    }

    fn commit(&self, durability: Durability) -> Result<(), RequestError> {
        let durability = durability_code(durability);
        let unit = self.made()?;
        // What another thread changes while this is answered may be of the next unit.
        let since = self.client.changes();
        self.end(
            Unanswered::Commit,
            &Ask::Commit { unit, durability },
            |answer| match answer {
                Answer::Done => Ok(()),
                _ => Err(unfit()),
            },
        )?;
        self.begins_anew(since);
        Ok(())
    }

    fn backout(&self) -> Result<(), RequestError> {
        let unit = self.made()?;
        let since = self.client.changes();
        self.client.changing(|client| client.tell(&Ask::Backout { unit }))?;
        // It counts as two itself.
        self.begins_anew(since + 2);
        Ok(())
    }

    fn prepare(&self, name: &str) -> Result<(), PrepareError> {
        let unit = self.made()?;
        let ask = Ask::Prepare { unit, name };
        let prepared = self.client.changing(|_| self.end(Unanswered::Prepare, &ask, done));
        Ok(prepared??)
    }

    fn is_gone(&self) -> bool {
        self.client.is_gone()
    }

    fn unanswered(&self) -> Option<Unanswered> {
        *self.unanswered.lock()
    }

    fn has_changed_nothing(&self) -> bool {
        self.since.load(Relaxed) == self.client.changes()
    }

    fn changes(&self) -> usize {
        let asked = self.made().and_then(|unit| self.client.number(&Ask::Changes { unit }));
        // An owner that is gone has no unit any more.
        asked.map_or(0, |changes| changes as usize)
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        // An owner that is gone has taken it back, or will.
        if let Some(unit) = (*self.number.get_mut()).filter(|_| !self.client.is_gone()) {
            // One that could not be asked does when the client ends.
            let _ = self.client.changing(|client| client.tell(&Ask::DropUnit { unit }));
        }
    }
}

impl Client {
    /// Has the owner decide about the unit in doubt that is called `name`: it is committed, or taken back. `rights`: a
    /// descriptor of its file, open for output.
    ///
    /// # Errors
    /// 12/16: the owner is gone, and may have decided. The inner one: what the owner says, and nothing was decided, or
    /// not all of it done.
    pub fn decide(
        &self,
        name: &str,
        commit: bool,
        rights: BorrowedFd<'_>,
    ) -> Result<Result<(), Undecided>, RequestError> {
        self.changing(|client| client.ask_with(&Ask::Decide { name, commit }, Some(rights), done))
    }
}

/// The answer to what ends so, or is undecided.
fn done(answer: Answer<'_>) -> Result<Result<(), Undecided>, RequestError> {
    match answer {
        Answer::Done => Ok(Ok(())),
        Answer::Undecided(why) => Ok(Err(*why)),
        _ => Err(unfit()),
    }
}

/// In a message.
pub fn durability_code(durability: Durability) -> u8 {
    match durability {
        Durability::Close => 0,
        Durability::Commit => 1,
        Durability::Request => 2,
    }
}

/// From a message.
pub fn durability_of(code: u8) -> Durability {
    match code {
        0 => Durability::Close,
        1 => Durability::Commit,
        _ => Durability::Request,
    }
}
