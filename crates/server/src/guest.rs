//! What a client has: connections, data sets, strings and units. All of it ends with the client (O1).
//!
//! * G1. It has no more than [`MOST_SETS`], [`MOST_STRINGS`] and [`MOST_UNITS`], far more than programs use, and so no
//!   more of the owner's memory than that takes. The same of records locked by name (`held:N2`) and areas (`areas:A1`).

use crate::areas::{Areas, StringArea, MOST_OF_ONE};
use crate::held::{Held, Names};
use crate::open_set::OpenSet;
use crate::opened::Shared;
use crate::shunted::Shunted;
use crate::tally::Tally;
use cica_disk::PeerProcess;
use cica_engine::{LockOwner, UnitOfRecovery};
use cica_share::words::ClientInfo;
use parking_lot::Mutex;
use rustix::process::{pidfd_open, Pid, PidfdFlags};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::time::Instant;

/// Ends a connection's one direction, or both.
pub type HangUp = Box<dyn Fn(Shutdown) + Send>;

/// Who is at the other end of a connection, as the kernel says, and a way to end it.
pub struct Peer {
    /// Its process; 0: one in another name space, as that of a container. Those of one user are not told apart then.
    pub process: i32,
    /// Its user.
    pub user: u32,
    /// Readable when the process has ended.
    pub life: Option<OwnedFd>,
    /// Ends the connection, or its one direction, so that who reads from it is told so.
    pub hang_up: Option<HangUp>,
    /// Its thread may read a request next, or has read one of which it does not know yet what it asks (`answer:T4`).
    /// None: nobody waits for that thread.
    pub reading: Option<Arc<AtomicBool>>,
}

impl Peer {
    /// Of a socket.
    ///
    /// # Errors
    /// The system does not say who it is.
    pub fn of(stream: &UnixStream) -> std::io::Result<Peer> {
        let PeerProcess { process, user } = PeerProcess::of(stream)?;
        let same = stream.try_clone()?;
        let life = |process| pidfd_open(process, PidfdFlags::empty()).ok();
        Ok(Peer {
            process,
            user,
            // Without one, as in another name space, the end of its connections tells.
            life: Pid::from_raw(process).and_then(life),
            hang_up: Some(Box::new(move |how| {
                // One that is closed already needs no end.
                let _ = same.shutdown(how);
            })),
            reading: Some(Arc::new(AtomicBool::new(true))),
        })
    }
}

/// See the module.
pub struct Guest {
    pub number: u64,
    /// Process and user, as the kernel says.
    pub who: (i32, u32),
    program: String,
    /// It came while nobody new is taken: it may ask, and open nothing.
    pub is_late: bool,
    begun: Instant,
    /// What is counted of its requests.
    pub tally: Tally,
    /// Readable when the process has ended.
    pub life: Option<OwnedFd>,
    has: Mutex<Has>,
    /// Records locked by name.
    names: Arc<AtomicUsize>,
    /// Kept while what it has is ended.
    ending: Mutex<()>,
}

#[derive(Default)]
struct Has {
    ended: bool,
    /// The number that was given last.
    last: u32,
    connections: BTreeMap<u32, (HangUp, Option<Arc<AtomicBool>>)>,
    sets: BTreeMap<u32, Arc<OpenSet>>,
    /// With whose name its locks have, if not that of a unit or of another string.
    strings: BTreeMap<u32, (OpenString, Option<LockOwner>)>,
    units: BTreeMap<u32, OpenUnit>,
    /// Memory that batches of strings are put into.
    areas: BTreeMap<u32, Arc<Mutex<StringArea>>>,
}

impl Has {
    /// A number for one thing more, which no other has. 0 and the greatest mean none.
    fn next(&mut self) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1);
            let is_had = self.connections.contains_key(&self.last)
                || self.sets.contains_key(&self.last)
                || self.strings.contains_key(&self.last)
                || self.units.contains_key(&self.last);
            if !is_had && ![0, u32::MAX].contains(&self.last) {
                return self.last;
            }
        }
    }

    /// Is there room for one thing more, where there are so many?
    fn room_for(&self, there: usize, most: usize, what: &str) -> Result<(), String> {
        match there {
            _ if self.ended => Err(ENDED.into()),
            there if there >= most => Err(format!(
                "the client has {most} {what} at the server, as many as one may have"
            )),
            _ => Ok(()),
        }
    }
}

/// A string, and what is counted of requests for the records of its data set.
pub type OpenString = (Arc<Mutex<Held>>, Arc<Tally>);

/// A unit.
struct OpenUnit {
    unit: UnitOfRecovery,
    owner: LockOwner,
    /// It was made then, or the one before it on the same handle ended.
    since: Instant,
    /// What its strings have locked by name.
    names: Arc<Names>,
}

/// Data sets that a client has open at most.
const MOST_SETS: usize = 4096;
/// Its strings at most: 255, as an ACB has them at most, on each of 64 opens.
const MOST_STRINGS: usize = 64 * 255;
/// Its units at most.
const MOST_UNITS: usize = 4096;

/// A connection that could not be taken, or a thing that came too late.
const ENDED: &str = "the client has ended";

impl Guest {
    /// Of the process at the other end of its first connection.
    pub fn new(number: u64, peer: &mut Peer, program: &str, is_late: bool) -> Guest {
        // A program's own words are kept short and printable: they stand in tables.
        let printable = program.chars().filter(|c| !c.is_control()).take(64).collect();
        Guest {
            number,
            who: (peer.process, peer.user),
            program: printable,
            is_late,
            begun: Instant::now(),
            tally: Tally::default(),
            life: peer.life.take(),
            has: Mutex::default(),
            names: Arc::default(),
            ending: Mutex::default(),
        }
    }

    /// As others are told of it.
    pub fn label(&self) -> String {
        format!("process {} ({})", self.who.0, self.program)
    }

    /// One more connection of the same process; its number.
    pub fn connect(&self, peer: &mut Peer) -> Result<u32, String> {
        if (peer.process, peer.user) != self.who {
            return Err("this session is another process's".into());
        }
        let hang_up = peer.hang_up.take().ok_or(ENDED)?;
        // The client's first connection tells of its end.
        peer.life = None;
        let mut has = self.has.lock();
        if has.ended {
            return Err(ENDED.into());
        }
        let number = has.next();
        has.connections.insert(number, (hang_up, peer.reading.clone()));
        Ok(number)
    }

    /// A connection has ended. True: it was the last one.
    pub fn disconnect(&self, connection: u32) -> bool {
        let mut has = self.has.lock();
        has.connections.remove(&connection);
        has.connections.is_empty()
    }

    /// Ends its connections, or lets nothing more come over them, so that their threads end.
    pub fn hang_up(&self, how: Shutdown) {
        for (hang_up, _) in self.has.lock().connections.values() {
            hang_up(how);
        }
    }

    /// May a thread read a request of it?
    pub fn is_read(&self) -> bool {
        let has = self.has.lock();
        let mut reading = has.connections.values().filter_map(|(_, reading)| reading.as_ref());
        reading.any(|reading| reading.load(SeqCst))
    }

    pub fn keep_set(&self, set: OpenSet, shared: &Shared) -> Result<(u32, Arc<OpenSet>), String> {
        let set = Arc::new(set);
        let mut has = self.has.lock();
        if let Err(words) = has.room_for(has.sets.len(), MOST_SETS, "data sets open") {
            drop(has);
            // Nothing was done through it.
            let _ = shared.close(&set);
            return Err(words);
        }
        let number = has.next();
        has.sets.insert(number, set.clone());
        Ok((number, set))
    }

    pub fn set(&self, number: u32) -> Option<Arc<OpenSet>> {
        self.has.lock().sets.get(&number).cloned()
    }

    pub fn take_set(&self, number: u32) -> Option<Arc<OpenSet>> {
        self.has.lock().sets.remove(&number)
    }

    pub fn keep_string(&self, string: Held, tally: Arc<Tally>, owner: Option<LockOwner>) -> Result<u32, String> {
        let mut has = self.has.lock();
        has.room_for(has.strings.len(), MOST_STRINGS, "strings")?;
        let number = has.next();
        let string = (Arc::new(Mutex::new(string)), tally);
        has.strings.insert(number, (string, owner));
        Ok(number)
    }

    pub fn string(&self, number: u32) -> Option<OpenString> {
        self.has.lock().strings.get(&number).map(|(string, _)| string.clone())
    }

    pub fn drop_string(&self, number: u32) {
        let mut has = self.has.lock();
        let gone = (has.strings.remove(&number), has.areas.remove(&number));
        drop(has);
        drop(gone);
    }

    /// The memory of a string, made if it has none and there is some left for it.
    pub fn make_area(&self, string: u32, all: &Arc<Areas>) -> Option<Arc<Mutex<StringArea>>> {
        let mut has = self.has.lock();
        if let Some(area) = has.areas.get(&string) {
            return Some(area.clone());
        }
        if has.ended || !has.strings.contains_key(&string) || has.areas.len() >= MOST_OF_ONE {
            return None;
        }
        let area = Arc::new(Mutex::new(StringArea::new(all)?));
        has.areas.insert(string, area.clone());
        Some(area)
    }

    /// The memory that a string has.
    pub fn area(&self, string: u32) -> Option<Arc<Mutex<StringArea>>> {
        self.has.lock().areas.get(&string).cloned()
    }

    /// The position of a string has ended, and with it its memory.
    pub fn drop_area(&self, string: u32) {
        let area = self.has.lock().areas.remove(&string);
        drop(area);
    }

    /// What was not used for long goes back.
    pub fn drop_unused_areas(&self) {
        // Who uses one, or is about to, has it beside: that is begun with `has` locked.
        let is_used = |area: &Arc<Mutex<StringArea>>| {
            Arc::strong_count(area) > 1 || area.try_lock().is_none_or(|area| !area.is_unused())
        };
        let mut has = self.has.lock();
        let (used, unused) = std::mem::take(&mut has.areas)
            .into_iter()
            .partition(|(_, area)| is_used(area));
        has.areas = used;
        drop(has);
        drop::<BTreeMap<_, _>>(unused);
    }

    pub fn keep_unit(&self, unit: UnitOfRecovery, owner: LockOwner) -> Result<u32, String> {
        let names = self.names();
        let mut has = self.has.lock();
        has.room_for(has.units.len(), MOST_UNITS, "units of recovery")?;
        let number = has.next();
        let unit = OpenUnit {
            unit,
            owner,
            since: Instant::now(),
            names,
        };
        has.units.insert(number, unit);
        Ok(number)
    }

    pub fn unit(&self, number: u32) -> Option<(UnitOfRecovery, Arc<Names>)> {
        let has = self.has.lock();
        has.units.get(&number).map(|of| (of.unit.clone(), of.names.clone()))
    }

    /// A unit has ended; its handle's next one begins.
    pub fn unit_ended(&self, number: u32) {
        if let Some(of) = self.has.lock().units.get_mut(&number) {
            of.since = Instant::now();
            of.names.clear();
        }
    }

    pub fn drop_unit(&self, number: u32) {
        let unit = self.has.lock().units.remove(&number);
        unit.iter().for_each(|of| of.names.clear());
        drop(unit);
    }

    /// Records that a new owner of locks has locked by name: none.
    pub fn names(&self) -> Arc<Names> {
        Arc::new(Names::new(self.names.clone()))
    }

    /// Has its end begun?
    pub fn has_ended(&self) -> bool {
        self.has.lock().ended
    }

    /// O1. A request that another thread carries out still has its string to itself; it goes when that is done. Whoever
    /// calls this a second time waits for the first.
    pub fn end(&self, shared: &Shared, shunted: &Shunted) {
        let _ending = self.ending.lock();
        let has = {
            let mut has = self.has.lock();
            if std::mem::replace(&mut has.ended, true) {
                return;
            }
            Has {
                ended: true,
                last: has.last,
                connections: std::mem::take(&mut has.connections),
                sets: std::mem::take(&mut has.sets),
                strings: std::mem::take(&mut has.strings),
                units: std::mem::take(&mut has.units),
                areas: std::mem::take(&mut has.areas),
            }
        };
        // A thread of it may be waiting for a record: nobody is left who could be told that it is free.
        let of_strings = has.strings.values().filter_map(|(_, owner)| owner.as_ref());
        let of_units = has.units.values().map(|of| &of.owner);
        of_strings.chain(of_units).for_each(LockOwner::dismiss);
        for OpenUnit { unit, owner, .. } in has.units.values() {
            // Of a data set that is out of use the log has its part: then nothing is left of the unit.
            if let Err(why) = unit.backout() {
                if !unit.data_sets().is_empty() {
                    // What it has only locked needs nobody to take it back.
                    owner.unlock_all();
                    shunted.keep(unit.clone(), self.label(), &why);
                }
            }
        }
        drop((has.strings, has.units, has.areas));
        for set in has.sets.values() {
            // Nobody is left who could be told; what was acknowledged is in the log.
            let _ = shared.close(set);
        }
    }

    /// As a command shows it.
    pub fn info(&self) -> ClientInfo {
        let has = self.has.lock();
        ClientInfo {
            process: self.who.0,
            user: self.who.1,
            program: self.program.clone(),
            seconds: self.begun.elapsed().as_secs(),
            data_sets: has.sets.values().map(|set| set.name.to_string()).collect(),
            units: has
                .units
                .iter()
                .map(|(number, of)| (*number, of.unit.changes() as u64, of.since.elapsed().as_secs()))
                .collect(),
            sums: self.tally.sums(),
        }
    }
}

/// The number of a new session, the `last`-th. Processes of other containers have no number here, and so
/// are not told apart: what one's session is called nobody else guesses (O2).
pub fn session_number(peer: &Peer, last: u64) -> u64 {
    if peer.process == 0 {
        return RandomState::new().hash_one(last) | 1 << 63;
    }
    last
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use cica_share::UNUSED;

    fn peer() -> Peer {
        Peer {
            process: 1,
            user: 1,
            life: None,
            hang_up: Some(Box::new(|_| ())),
            reading: None,
        }
    }

    #[test]
    fn no_number_is_given_twice_or_means_none() {
        let guest = Guest::new(1, &mut peer(), "test", false);
        assert_eq!([(); 2].map(|()| guest.connect(&mut peer()).unwrap()), [1, 2]);
        guest.has.lock().last = u32::MAX - 2;
        let next = [(); 3].map(|()| guest.connect(&mut peer()).unwrap());
        assert_eq!(next, [u32::MAX - 1, 3, 4]);
        // One that has ended gives its number back.
        guest.has.lock().last = u32::MAX - 2;
        assert!(!guest.disconnect(2));
        assert_eq!(guest.connect(&mut peer()).unwrap(), 2);
    }

    /// Processes of other containers have no numbers here: they look alike.
    #[test]
    fn a_session_of_a_process_without_a_number_is_not_guessed() {
        let owner = |process| Peer { process, ..peer() };
        let [first, second] = [1, 2].map(|last| session_number(&owner(0), last));
        assert!(first != second && first > u64::from(u32::MAX) && second > u64::from(u32::MAX));
        assert_eq!(session_number(&owner(7), 2), 2);
    }

    #[test]
    fn who_is_about_to_use_an_area_keeps_it() {
        let guest = Guest::new(1, &mut peer(), "test", false);
        let area = StringArea::new(&Arc::default()).unwrap();
        guest.has.lock().areas.insert(7, Arc::new(Mutex::new(area)));
        std::thread::sleep(UNUSED);
        // As a request that waits for its string.
        let about_to = guest.area(7).unwrap();
        guest.drop_unused_areas();
        assert!(guest.area(7).is_some());
        drop(about_to);
        guest.drop_unused_areas();
        assert!(guest.area(7).is_none());
    }
}
