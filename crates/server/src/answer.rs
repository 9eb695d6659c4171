//! A connection: each request is read, carried out, and answered before the next is read.

use crate::areas::StringArea;
use crate::guest::{Guest, Peer};
use crate::opened::OpenSet;
use crate::owner::Owner;
use crate::tally::Tally;
use cica_engine::{
    Access, Argument, DataSet, Intent, LockCounts, LockMode, OpenOptions, PinnedTree, Record, RequestError, Search, Str,
};
use cica_format::attributes::{Attributes, ENCODED_LEN};
use cica_share::batch::push;
use cica_share::words::{
    integrity_of, parse, patience_of, Answer, Ask, By, How, OpenedReply, Opening, SentRecord, AREA, BATCH, VERSION,
};
use cica_share::{durability_of, examined, state, Line, Refusal, Undecided, Wire};
use parking_lot::Mutex;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Records of a browse in one answer at most, whatever is asked.
const MOST: u32 = 4096;
/// Bytes of a linear data set in one answer at most.
const RANGE: u32 = 4 << 20;

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

    /// Reads a request, carries it out, and answers. False: the connection has ended. An error of the connection is its
    /// end: there is nobody to tell.
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
            of: None,
            refused: false,
        };
        let answered = match parse::<Ask<'_>>(body) {
            Ok(ask) => turn.answer(ask, descriptor),
            Err(error) => turn.say(&nonsense(&error)),
        };
        let (of, refused) = (turn.of, turn.refused);
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

fn nonsense(what: &dyn std::fmt::Display) -> Answer<'static> {
    Answer::Nonsense(what.to_string())
}

/// One request.
struct Turn<'t> {
    owner: &'t Owner,
    guest: &'t Guest,
    line: &'t mut Line,
    /// The data set that it is about, once that is known.
    of: Option<Arc<Tally>>,
    /// It was answered with an error.
    refused: bool,
}

type Sent = std::io::Result<()>;

impl Turn<'_> {
    fn say(&mut self, answer: &Answer<'_>) -> Sent {
        self.refused |= match answer {
            Answer::Refused(refusal) => !refusal.is_miss(),
            Answer::NotOpened { .. } | Answer::Undecided(_) | Answer::Nonsense(_) => true,
            _ => false,
        };
        self.line.send(answer, None)
    }

    fn done(&mut self, done: Result<(), RequestError>) -> Sent {
        self.say(&done.map_or_else(|error| refused(&error), |()| Answer::Done))
    }

    fn kept(&mut self, kept: Result<u32, String>) -> Sent {
        self.say(&kept.map_or_else(Answer::Nonsense, |number| Answer::Number(number.into())))
    }

    /// With a data set of the client.
    fn set(&mut self, number: u32, work: impl FnOnce(&DataSet) -> Answer<'static>) -> Sent {
        let set = self.guest.set(number);
        self.of = set.as_ref().map(|set| set.tally.clone());
        let answer = match &set {
            Some(set) => set.data_set.lock().as_ref().map(work),
            None => None,
        };
        self.say(&answer.unwrap_or_else(|| nonsense(&"the client has no such data set open")))
    }

    /// Pins the trees of a data set of the client, says whether they are kept still, or lets them go.
    fn pin(&mut self, number: u32, what: u8) -> Sent {
        let Some(set) = self.guest.set(number) else {
            return self.say(&nonsense(&"the client has no such data set open"));
        };
        let (data_set, mut pins) = (set.data_set.lock(), set.pins.lock());
        let answer = match (what, &*data_set, &*pins) {
            (0, Some(open), None) => match open.pin() {
                Ok(new) => {
                    let tree = |tree: &PinnedTree| (tree.cluster, tree.origin, tree.undo.len() as u64);
                    let trees = new.trees().iter().map(tree).collect();
                    *pins = Some(new);
                    Answer::Pinned(trees)
                }
                Err(error) => refused(&error),
            },
            (1, _, Some(kept)) => match kept.holds() {
                Ok(holds) => Answer::Number(holds.into()),
                Err(error) => refused(&error),
            },
            (2, ..) => {
                *pins = None;
                Answer::Done
            }
            _ => nonsense(&"the client has no such trees pinned, or has pinned them already"),
        };
        drop((data_set, pins));
        self.say(&answer)
    }

    fn pinned_undo(&mut self, number: u32, tree: u32, from: u64) -> Sent {
        let set = self.guest.set(number);
        let pins = set.as_ref().map(|set| set.pins.lock());
        let kept = pins.as_ref().and_then(|pins| pins.as_ref());
        let undo = kept
            .and_then(|kept| kept.trees().get(tree as usize))
            .map(|tree| &tree.undo[..]);
        let rest = undo.and_then(|undo| undo.get(usize::try_from(from).ok()?..));
        match rest {
            Some(rest) => {
                let part = rest[..rest.len().min(RANGE as usize)].to_vec();
                drop(pins);
                self.say(&Answer::Bytes(&part))
            }
            None => {
                drop(pins);
                self.say(&nonsense(&"there is nothing of that to be taken back"))
            }
        }
    }

    /// With a string of the client.
    fn string(&mut self, number: u32, work: impl FnOnce(&mut Turn<'_>, &mut Str) -> Sent) -> Sent {
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
            Ask::Open { name, through, how } => self.open((name, through), how, descriptor.as_ref()),
            Ask::Close { set } => self.close(set),
            Ask::Facts { set } => self.set(set, |set| Answer::State(Box::new(state(&set.facts())))),
            Ask::Whole { set, what } => self.set(set, |set| {
                let done = match what {
                    0 => set.end_load(),
                    1 => set.commit(),
                    _ => set.checkpoint(),
                };
                done.map_or_else(|error| refused(&error), |()| Answer::Done)
            }),
            Ask::Examine { set } => self.set(set, |set| match set.examine() {
                Ok(found) => {
                    let (findings, sums) = examined(&found);
                    Answer::Examined(findings, sums)
                }
                Err(error) => refused(&error),
            }),
            Ask::Pin { set, what } => self.pin(set, what),
            Ask::PinnedUndo { set, tree, from } => self.pinned_undo(set, tree, from),
            Ask::String { set, unit, with } => self.new_string(set, unit, with),
            Ask::DropString { string } => {
                self.guest.drop_string(string);
                self.say(&Answer::Done)
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
                let sent = self.say(&Answer::Done);
                self.owner.stop(false);
                sent
            }
            request => self.request(request),
        }
    }

    /// Is the client the user that the owner runs for, or root?
    fn may_end(&self) -> bool {
        let user = self.guest.who.1;
        user == 0 || user == rustix::process::geteuid().as_raw()
    }

    fn open(&mut self, name: (&str, &str), how: Opening, descriptor: Option<&OwnedFd>) -> Sent {
        let options = OpenOptions {
            access: if how.output { Access::Output } else { Access::Input },
            reset: how.reset,
            reset_anyway: how.reset_anyway,
            alone: how.alone,
            durability: durability_of(how.durability),
            ..OpenOptions::default()
        };
        let shared = &self.owner.shared;
        let opened = match shared.open(name, options, descriptor, (self.guest.number, self.guest.label())) {
            Ok(opened) => opened,
            Err(why) => return self.say(&why.answer()),
        };
        let answer = match self.guest.keep_set(opened, shared) {
            Ok((number, set)) => opened_answer(number, &set),
            Err(words) => Answer::Nonsense(words),
        };
        self.say(&answer)
    }

    fn close(&mut self, set: u32) -> Sent {
        let answer = match self.guest.take_set(set) {
            Some(set) => match self.owner.shared.close(&set) {
                Ok(report) => Answer::Closed(report.closed),
                Err(error) => refused(&error),
            },
            None => nonsense(&"the client has no such data set open"),
        };
        self.say(&answer)
    }

    fn new_string(&mut self, set: u32, unit: u32, with: u32) -> Sent {
        let (found, within) = (self.guest.set(set), self.guest.unit(unit));
        let together = self.guest.string(with);
        let string = match (&found, &within, &together) {
            (Some(found), Some(unit), None) => found.data_set.lock().as_ref().map(|set| set.string_in(unit)),
            (Some(found), None, Some(with)) if unit == 0 => {
                (found.data_set.lock().as_ref()).map(|set| set.string_with(&mut with.0.lock()))
            }
            (Some(found), None, None) if (unit, with) == (0, 0) => found.data_set.lock().as_ref().map(DataSet::string),
            _ => None,
        };
        let kept = string.map(|mut string| {
            // Whoever meets what it holds is told whose it is.
            let engine = &self.owner.shared.session.engine;
            let owner = ((unit, with) == (0, 0)).then(|| engine.lock_owner(&self.guest.label()));
            owner.iter().for_each(|owner| string.owned_by(owner));
            let tally = found.as_ref().map(|found| found.tally.clone());
            self.guest.keep_string(string, tally.unwrap_or_default(), owner)
        });
        self.kept(kept.unwrap_or_else(|| Err("the client has no such data set, unit or string".into())))
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
        let Some(unit) = self.guest.unit(number) else {
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

    /// A request of a string.
    fn request(&mut self, ask: Ask<'_>) -> Sent {
        match ask {
            Ask::Get { string, by, how } => self.string(string, |turn, string| {
                let got = string.get(Argument::from(by), how.search(), how.intent()).map(drop);
                turn.record(string, got)
            }),
            Ask::Skip { string, by, how } => self.string(string, |turn, string| {
                match string
                    .skip(Argument::from(by), how.search(), how.intent())
                    .map(|record| turn.sent_record(&record, false))
                {
                    Ok(sent) => sent,
                    Err(error) => turn.say(&refused(&error)),
                }
            }),
            Ask::Point {
                string,
                by,
                how,
                backward,
            } => self.string(string, |turn, string| {
                let done = if backward {
                    string.point_backward(Argument::from(by), how.search())
                } else {
                    string.point(Argument::from(by), how.search())
                };
                turn.done(done)
            }),
            Ask::PointEnd { string, last } => self.string(string, |turn, string| {
                let done = if last {
                    string.point_last()
                } else {
                    string.point_first()
                };
                turn.done(done)
            }),
            Ask::Step {
                string,
                backward,
                how,
                batch,
                into_area,
            } => {
                let area = into_area.then(|| self.guest.area(string)).flatten();
                self.string(string, |turn, string| match batch {
                    0 => turn.step(string, backward, how),
                    batch => turn.steps(string, backward, batch.min(MOST), area),
                })
            }
            Ask::Area { string } => match self.guest.make_area(string, &self.owner.areas) {
                Some(area) => {
                    let area = area.lock();
                    self.line.send(&Answer::Number(AREA as u64), Some(area.descriptor()))
                }
                None => self.say(&Answer::Number(0)),
            },
            Ask::Settle { string, by, offset } => self.string(string, |turn, string| {
                turn.done(string.without_integrity(|string| settle(string, by, offset)))
            }),
            Ask::Insert {
                string,
                rrn,
                how,
                record,
            } => self.string(string, |turn, string| {
                let done = match rrn {
                    0 => string.insert(record, how.how()),
                    rrn => string.insert_at(rrn, record, how.how()).map(|()| rrn.into()),
                };
                turn.put(string, done)
            }),
            Ask::Update { string, record } => self.string(string, |turn, string| {
                let done = string.update(record);
                turn.put(string, done)
            }),
            Ask::Rewrite { string, by, record } => self.string(string, |turn, string| {
                let done = string.rewrite(Argument::from(by), record);
                turn.put(string, done)
            }),
            Ask::Erase { string } => self.string(string, |turn, string| {
                let done = string.erase();
                turn.done(done)
            }),
            Ask::Manner { string: number, what } => self.string(number, |turn, string| {
                match what {
                    0 => {
                        string.end();
                        turn.guest.drop_area(number);
                    }
                    1 => string.mirror_duplicates(),
                    _ => string.stay(),
                }
                turn.say(&Answer::Done)
            }),
            Ask::Patience { string, wait } => self.string(string, |turn, string| {
                string.set_patience(patience_of(wait));
                turn.say(&Answer::Done)
            }),
            Ask::Integrity { string, what } => self.string(string, |turn, string| match integrity_of(what) {
                Some(integrity) => {
                    string.set_integrity(integrity);
                    turn.say(&Answer::Done)
                }
                None => turn.say(&nonsense(&"there is no such read integrity")),
            }),
            Ask::Lock {
                string,
                record,
                alone,
                wait,
            } => self.string(string, |turn, string| {
                let mode = if alone { LockMode::Exclusive } else { LockMode::Shared };
                let done = string.lock(record, mode, patience_of(wait));
                turn.done(done)
            }),
            Ask::Unlock { string, record } => self.string(string, |turn, string| {
                let unlocked = string.unlock(record);
                turn.say(&Answer::Number(unlocked.into()))
            }),
            ask => self.bytes(ask),
        }
    }

    /// A request for what has no records.
    fn bytes(&mut self, ask: Ask<'_>) -> Sent {
        match ask {
            Ask::GetInterval { string, rba, how } => self.string(string, |turn, string| {
                match string
                    .get_interval(rba, how.intent())
                    .map(|image| turn.sent_record(&image, false))
                {
                    Ok(sent) => sent,
                    Err(error) => turn.say(&refused(&error)),
                }
            }),
            Ask::PutInterval { string, image } => self.string(string, |turn, string| {
                let done = string.put_interval(image);
                turn.done(done)
            }),
            Ask::ReadRange { string, rba, length } => self.string(string, |turn, string| {
                let mut bytes = vec![0; length.min(RANGE) as usize];
                match string.read_range(rba, &mut bytes) {
                    Ok(()) => turn.say(&Answer::Bytes(&bytes)),
                    Err(error) => turn.say(&refused(&error)),
                }
            }),
            Ask::WriteRange { string, rba, bytes } => self.string(string, |turn, string| {
                let done = string.write_range(rba, bytes);
                turn.done(done)
            }),
            _ => self.say(&nonsense(&"no request of a string")),
        }
    }

    fn record(&mut self, string: &Str, got: Result<(), RequestError>) -> Sent {
        match got {
            Ok(()) => self.sent_record(&string.last(), string.duplicate()),
            Err(error) => self.say(&refused(&error)),
        }
    }

    fn sent_record(&mut self, record: &Record<'_>, duplicate: bool) -> Sent {
        self.say(&Answer::Record(sent_record(record, duplicate)))
    }

    fn put(&mut self, string: &Str, done: Result<u64, RequestError>) -> Sent {
        self.say(&match done {
            Ok(number) => Answer::Put(number, string.duplicate()),
            Err(error) => refused(&error),
        })
    }

    /// One record of a browse that holds it, or that goes through a path.
    fn step(&mut self, string: &mut Str, backward: bool, how: How) -> Sent {
        let got = match go(string, backward, how.intent()) {
            Ok(record) => Ok((record.bytes.to_vec(), record.rba, record.rrn)),
            Err(error) => Err(error),
        };
        match got {
            Ok((bytes, rba, rrn)) => self.sent_record(
                &Record {
                    bytes: &bytes,
                    rba,
                    rrn,
                },
                string.duplicate(),
            ),
            Err(error) => self.say(&refused(&error)),
        }
    }

    /// Records of a browse that only reads: into memory that the client sees, if there is some, and into the answer
    /// what finds no room there.
    fn steps(&mut self, string: &mut Str, backward: bool, batch: u32, area: Option<Arc<Mutex<StringArea>>>) -> Sent {
        let (mut bytes, mut count, mut end) = (Vec::new(), 0, None);
        let (mut room, mut area) = (0..AREA, area.as_ref().map(|area| area.lock()));
        // Without an area the answer is full when it has a batch, and else when it has what did not go there.
        let most = if area.is_some() { 1 } else { BATCH };
        while count < batch && bytes.len() < most {
            match go(string, backward, Intent::Read) {
                Ok(record) => {
                    let there = area.as_mut().is_some_and(|area| area.put(&mut room, &record));
                    if !there {
                        push(&mut bytes, &record);
                    }
                }
                Err(error) if count == 0 => return self.say(&refused(&error)),
                Err(error) => {
                    end = Some(Refusal::from(&error));
                    break;
                }
            }
            count += 1;
        }
        if let Some(area) = &mut area {
            area.filled();
        }
        drop(area);
        self.say(&Answer::Records(room.start as u32, &bytes, end))
    }
}

fn go(string: &mut Str, backward: bool, intent: Intent) -> Result<Record<'_>, RequestError> {
    if backward {
        string.prev(intent)
    } else {
        string.next(intent)
    }
}

/// Leaves the string on this record, as after a get of it; on its place, if it has gone meanwhile.
fn settle(string: &mut Str, by: By<'_>, offset: u32) -> Result<(), RequestError> {
    let argument = Argument::from(by);
    match string.point(argument, Search::GreaterOrEqual) {
        Ok(()) => {}
        // It was the last one, and has gone.
        Err(RequestError::NotFound) => return string.stand_on(argument),
        Err(error) => return Err(error),
    }
    let there = match (string.next(Intent::Read), by) {
        (Ok(record), By::Rrn(rrn)) => record.rrn == rrn,
        (Ok(record), By::Rba(rba)) => record.rba == rba,
        (Ok(record), By::Key(key)) => record
            .bytes
            .get(offset as usize..)
            .is_some_and(|from| from.starts_with(key)),
        (Err(RequestError::EndOfData), _) => false,
        (Err(error), _) => return Err(error),
    };
    if there {
        Ok(())
    } else {
        string.stand_on(argument)
    }
}

fn refused(error: &RequestError) -> Answer<'static> {
    Answer::Refused(Refusal::from(error))
}

fn sent_record<'r>(record: &Record<'r>, duplicate: bool) -> SentRecord<'r> {
    SentRecord {
        bytes: record.bytes,
        rba: record.rba,
        rrn: record.rrn,
        duplicate,
    }
}

fn opened_answer(number: u32, set: &OpenSet) -> Answer<'static> {
    let encoded = |attributes: &Attributes| {
        let mut bytes = vec![0; ENCODED_LEN];
        attributes.encode(&mut bytes).map(|()| bytes)
    };
    let held = set.data_set.lock();
    let Some(data_set) = held.as_ref() else {
        return nonsense(&"it is closed");
    };
    let index = data_set.index_attributes().map(encoded).transpose();
    match (encoded(data_set.attributes()), index) {
        (Ok(data), Ok(index)) => Answer::Opened(Box::new(OpenedReply {
            set: number,
            attributes: (data, index),
            path: set.path,
            state: state(&data_set.facts()),
        })),
        (Err(error), _) | (_, Err(error)) => nonsense(&error),
    }
}
