//! Clients that share data sets of an owner: everything dies at every step of what they say to each other.
//!
//! One seed is a run of one thread. The clients are those of `cica-share`, the owner is that of `cica-server`, and
//! between them are connections in memory; the owner's disk is [`Mortal`](crate::mortal). Clients die before, within
//! and behind a message and its answer, or stop with all that they have locked; messages are cut, come twice, or have
//! bits turned; somebody sends anything; the owner is killed in its calls to the disk, or ends in order.
//!
//! ```text
//! wire    connections, and what becomes of a message
//! actor   a client: its data sets, strings and unit
//! doubt   units that are prepared, and decided about
//! hostile a client that sends anything, with a data set of its own
//! model   what is committed, what is pending, who keeps whom away
//! world   the disk, the owner's process, what is found
//! ```
//! * H1. What was acknowledged is there, with or without the request that somebody died in; units are whole or gone.
//! * H2. A reader with CR sees what is committed, at most [`FRESH`] old; one with CRE sees the same until its unit
//!   ends.
//! * H3. A request is refused because of a record exactly where another has it.
//! * H4. Of a client that has gone nothing is left, once the owner has heard of it: no lock, no unit, no open.
//! * H5. Who is left when an owner dies is told so by each request, and goes on with the next owner.
//! * H6. Who sends anything changes nothing but what its descriptors allow.
//! * H7. A unit in doubt is so whatever dies, its records are nobody's, and what comes of it is what was decided: by a
//!   client, by another, or past the owner, and with who decides or the owner dying of it.

mod actor;
mod doubt;
mod hostile;
mod model;
mod wire;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cica_disk::{Clock, Disk, MemoryDisk};
use cica_engine::{Engine, Intent, ReadIntegrity, RequestError};
use cica_share::words::{Answer, Ask, Status};

use crate::campaign::Outcome;
use crate::crash::guarded;
use crate::mortal::Kill;
use crate::random::Random;
use crate::session::{clock, engine_at, Trouble};
use actor::{connect, decide_alone, name, opened, Actor, Browse, SharedReply};
use hostile::Hostile;
use model::{Name, Part, Records, Standing, Way};
use wire::{locked, Cut, Doom};
use world::{contents, Premises, KEYS, SETS, UNITS};

/// How long what was read ahead is good.
const FRESH: Duration = Duration::from_millis(50);
/// Clients at a time.
const CLIENTS: usize = 3;

/// The run of a seed, of so many actions.
pub fn run(seed: u64, actions: usize) -> Option<Outcome> {
    let mut counts = BTreeMap::new();
    let done = guarded(|| {
        let mut run = Run::new(seed)?;
        let all = (0..actions).try_for_each(|_| run.act());
        let done = all.and_then(|()| run.end());
        counts = std::mem::take(&mut run.counts);
        done.map_err(|what| format!("{what}\nafter:\n  {}", run.happened.join("\n  ")))
    });
    let failure = done
        .err()
        .map(|what| format!("{what}\nreplay: cica-sim share --seed {seed} --requests {actions} --runs 1"));
    let counts = counts.into_iter().map(|(name, count)| (name.to_string(), count));
    Some(Outcome {
        counts: counts.collect(),
        failure,
    })
}

/// What a client was about to have done when it was not answered.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Nothing,
    Change(Part, Name, Option<u32>),
    End(bool),
    Prepare(usize),
    Decide(usize, bool),
}

struct Run {
    random: Random,
    /// Units are prepared: not in one seed of four.
    prepares: bool,
    world: Premises,
    /// What units come from; it has no data set.
    engine: Engine,
    model: Standing,
    actors: Vec<Actor>,
    hostile: Option<Hostile>,
    /// Sessions that have gone, and the owner has not heard of it: what each had asked.
    gone: Vec<(u64, Asked)>,
    sessions: u64,
    value: u32,
    counts: BTreeMap<&'static str, u64>,
    /// The last actions, in words.
    happened: Vec<String>,
}

impl Run {
    fn new(seed: u64) -> Result<Run, String> {
        let mut random = Random::new(seed ^ 0x0073_6861_7265);
        let mut start = Records::new();
        for set in 0..SETS {
            for key in 0..KEYS {
                if random.chance(60) {
                    start.insert((set, key), key);
                }
            }
        }
        let world = Premises::new(&start, &mut random)?;
        let nowhere: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
        let engine = engine_at(&nowhere, &clock(0), "/log".into(), 1 << 20).map_err(Trouble::words)?;
        let mut run = Run {
            random,
            prepares: seed % 4 != 1,
            world,
            engine,
            model: Standing::new(start),
            actors: Vec::new(),
            hostile: None,
            gone: Vec::new(),
            sessions: 0,
            value: 1000,
            counts: BTreeMap::new(),
            happened: Vec::new(),
        };
        run.world.begin()?;
        Ok(run)
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn tell(&mut self, what: String) {
        self.happened.push(what);
        if self.happened.len() > 60 {
            self.happened.remove(0);
        }
    }

    fn now(&self) -> Duration {
        self.world.clock.passed()
    }

    /// One thing happens.
    fn act(&mut self) -> Result<(), String> {
        if self.actors.len() < CLIENTS && self.random.chance(60) {
            return self.comes();
        }
        self.world.clock.advance(self.random.below(4_000_000) as u64);
        match self.random.below(if self.prepares { 106 } else { 100 }) {
            100..105 => self.decided_elsewhere(),
            0..3 => {
                let kill = Kill::draw(&mut self.random);
                self.tell(format!("the owner is killed at its call {kill}"));
                self.world.process.kill(kill);
                self.count("owners killed");
                self.look_after_owner()
            }
            3 => {
                self.tell("the owner ends in order".into());
                self.count("owners ended");
                self.owner_ends()
            }
            4..10 => self.hears(),
            10..12 => {
                self.world.clock.advance(60_000_000);
                Ok(())
            }
            12..16 => self.is_hostile(),
            16..19 => self.observe_as_it_is(),
            _ => self.client_acts(),
        }
    }

    /// A client comes.
    fn comes(&mut self) -> Result<(), String> {
        self.sessions += 1;
        let session = self.sessions;
        let fate = self.draw_fate();
        self.tell(format!("S{session} comes; {:?}", fate.cut));
        match Actor::begin(&self.world, &self.engine, session, fate) {
            Ok(Some(actor)) => {
                self.actors.push(actor);
                Ok(())
            }
            Ok(None) => {
                self.gone.push((session, Asked::Nothing));
                self.look_after_owner()
            }
            // Who is hostile may have it alone.
            Err(_) if self.hostile.is_some() => {
                self.gone.push((session, Asked::Nothing));
                self.hears()
            }
            Err(words) => Err(words),
        }
    }

    fn draw_fate(&mut self) -> Doom {
        let cut = self.random.chance(70).then(|| {
            let most = self.random.pick(&[5, 20, 60]);
            (self.random.below(most) as u64, Cut::draw(&mut self.random))
        });
        Doom { cut, ..Doom::default() }
    }

    fn client_acts(&mut self) -> Result<(), String> {
        if self.actors.is_empty() {
            return Ok(());
        }
        let which = self.random.below(self.actors.len());
        if self.actors[which].asleep > 0 {
            self.actors[which].asleep -= 1;
            return Ok(());
        }
        let set = self.random.below(SETS);
        let name = (set, self.random.below(KEYS as usize) as u32);
        let part = self.random.pick(&[Part::Alone, Part::Unit, Part::Unit]);
        self.count("requests");
        match self.random.below(if self.prepares { 45 } else { 40 }) {
            40..42 => self.prepare(which),
            42..45 => self.decide(which),
            0..10 => self.put(which, part, name),
            10..16 => self.update(which, part, name),
            16..20 => self.get(which, name),
            20..24 => self.get_repeatable(which, name),
            24..31 => self.browse(which, set),
            31..36 => self.end_unit(which),
            36 => self.lock(which, name),
            37 => self.reopen(which, set),
            38 => {
                self.actors[which].asleep = 5;
                self.count("clients stopped");
                Ok(())
            }
            _ => {
                // Between two messages.
                self.tell(format!("S{} dies", self.actors[which].session));
                locked(&self.actors[which].fate).dead = true;
                self.leaves(which, Asked::Nothing)
            }
        }
    }

    // --- what clients do ---

    /// Rewrites a record, or inserts it where there is none.
    fn put(&mut self, which: usize, part: Part, name: Name) -> Result<(), String> {
        self.value += 1;
        let (value, session) = (self.value, self.actors[which].session);
        let by = (session, part);
        let inserts = match self.random.below(10) {
            0 => true,
            1 => false,
            _ => self.model.physical(name).is_none(),
        };
        let held = self.model.holds(by, name.0);
        self.model.hold(by, name.0, None);
        let way = self.model.way(name, by, true);
        let there = self.model.physical(name).is_some();
        let actor = &mut self.actors[which];
        let reply = if inserts {
            actor.insert(name.0, part, name.1, value)
        } else {
            actor.rewrite(name.0, part, name.1, value)
        };
        self.tell(format!(
            "S{session} {part:?} puts {name:?} = {value}, inserting {inserts}: {reply:?}"
        ));
        let (which, away) = self.sent_away(which);
        let (way, there) = if away {
            (Way::Perhaps, self.model.physical(name).is_some())
        } else {
            (way, there)
        };
        let asked = Asked::Change(part, name, Some(value));
        match (&reply, way) {
            (SharedReply::Gone, _) => {
                if held {
                    self.model.holds_perhaps(by, name.0);
                }
                return self.leaves(which, asked);
            }
            (SharedReply::Held, Way::Blocked | Way::Perhaps) => self.count("refused"),
            (SharedReply::Duplicate, _) if inserts && there => {}
            (SharedReply::NotFound, Way::Free | Way::Perhaps) if !inserts && !there => {}
            (SharedReply::Done, Way::Free | Way::Perhaps) if inserts != there => {
                self.model.change(self.world.clock.passed(), by, name, Some(value));
                self.browsed_anew(which);
                self.count("changes");
            }
            _ => return self.unexpected(which, format!("{reply:?}, it was {way:?}, there {there}")),
        }
        Ok(())
    }

    /// Gets a record for update, and updates or erases it.
    fn update(&mut self, which: usize, part: Part, name: Name) -> Result<(), String> {
        let session = self.actors[which].session;
        let by = (session, part);
        self.model.hold(by, name.0, None);
        let (way, there) = (self.model.way(name, by, true), self.model.physical(name));
        let reply = self.actors[which].get(name.0, part, name.1, Intent::Update, ReadIntegrity::None);
        self.tell(format!("S{session} {part:?} gets {name:?} for update: {reply:?}"));
        let (which, away) = self.sent_away(which);
        let (way, there) = if away {
            (Way::Perhaps, self.model.physical(name))
        } else {
            (way, there)
        };
        match (&reply, way) {
            (SharedReply::Gone, _) => return self.leaves(which, Asked::Nothing),
            (SharedReply::Held, Way::Blocked | Way::Perhaps) => {
                self.count("refused");
                return Ok(());
            }
            (SharedReply::NotFound, Way::Free | Way::Perhaps) if there.is_none() => return Ok(()),
            (SharedReply::Got(_, value), Way::Free | Way::Perhaps) if there == Some(*value) => {}
            _ => return self.unexpected(which, format!("{reply:?}, it was {way:?}, there {there:?}")),
        }
        self.model.hold(by, name.0, Some(name.1));
        if self.random.chance(25) {
            // The record stays held while others go on.
            return Ok(());
        }
        self.value += 1;
        let value = self.random.chance(60).then_some(self.value);
        let actor = &mut self.actors[which];
        let reply = match value {
            Some(value) => actor.update(name.0, part, name.1, value),
            None => actor.erase(name.0, part),
        };
        self.tell(format!("S{session} {part:?} changes {name:?} to {value:?}: {reply:?}"));
        let asked = Asked::Change(part, name, value);
        match reply {
            SharedReply::Gone => self.leaves(which, asked),
            SharedReply::Done => {
                self.model.hold(by, name.0, None);
                self.model.change(self.world.clock.passed(), by, name, value);
                self.browsed_anew(which);
                self.count("changes");
                Ok(())
            }
            // An update that grows may have to move what another holds.
            SharedReply::Held => {
                self.model.hold(by, name.0, None);
                Ok(())
            }
            reply => self.unexpected(which, format!("{reply:?}")),
        }
    }

    /// What the client has read ahead it does not see any more, of whichever data set, as it has changed something or
    /// taken something back.
    fn browsed_anew(&mut self, which: usize) {
        let since = (self.world.clock.passed(), self.model.changes());
        if let Some(browse) = &mut self.actors[which].browse {
            browse.since = since;
        }
    }

    fn get(&mut self, which: usize, name: Name) -> Result<(), String> {
        let session = self.actors[which].session;
        let by = (session, Part::Reads);
        let integrity = self.random.pick(&[ReadIntegrity::None, ReadIntegrity::Consistent]);
        let reply = self.actors[which].get(name.0, Part::Reads, name.1, Intent::Read, integrity);
        self.tell(format!("S{session} gets {name:?} with {integrity:?}: {reply:?}"));
        self.actors[which].browse = None;
        let blocked = integrity == ReadIntegrity::Consistent && self.model.way(name, by, false) == Way::Blocked;
        let (which, away) = self.sent_away(which);
        let blocked = blocked && (!away || reply == SharedReply::Held);
        self.judge_read(which, name, blocked, &reply)
    }

    fn judge_read(&mut self, which: usize, name: Name, blocked: bool, reply: &SharedReply) -> Result<(), String> {
        let there = self.model.physical(name);
        match reply {
            SharedReply::Gone => self.leaves(which, Asked::Nothing),
            SharedReply::Held if blocked => {
                self.count("reads refused");
                Ok(())
            }
            // Locked by name, and not there.
            SharedReply::NotFound if there.is_none() && (!blocked || !self.model.committed().contains_key(&name)) => {
                Ok(())
            }
            SharedReply::Got(_, value) if !blocked && there == Some(*value) => Ok(()),
            reply => self.unexpected(which, format!("{reply:?}, blocked {blocked}, there {there:?}")),
        }
    }

    fn get_repeatable(&mut self, which: usize, name: Name) -> Result<(), String> {
        let session = self.actors[which].session;
        let by = (session, Part::Unit);
        self.model.hold(by, name.0, None);
        // It is to be the reader's as well, so whoever holds it is in the way.
        let blocked = self.model.way(name, by, false) == Way::Blocked || self.model.is_held(name, by);
        let actor = &mut self.actors[which];
        let reply = actor.get(name.0, Part::Unit, name.1, Intent::Read, ReadIntegrity::Repeatable);
        self.tell(format!("S{session} gets {name:?} repeatably: {reply:?}"));
        let (which, away) = self.sent_away(which);
        let blocked = blocked && (!away || reply == SharedReply::Held);
        if matches!(reply, SharedReply::Got(..) | SharedReply::NotFound) {
            self.model
                .keep_read(session, name, matches!(reply, SharedReply::Got(..)));
            self.count("repeatable reads");
        }
        if reply == SharedReply::Held && self.model.may_be_held(name.0, by) {
            self.count("reads refused");
            return Ok(());
        }
        self.judge_read(which, name, blocked, &reply)
    }

    /// Some records of a browse.
    fn browse(&mut self, which: usize, set: usize) -> Result<(), String> {
        let session = self.actors[which].session;
        let known = self.actors[which].browse.filter(|browse| browse.set == set);
        let mut browse = known.unwrap_or(Browse {
            set,
            at: None,
            integrity: self.random.chance(70),
            since: (self.now(), self.model.changes()),
            refused: None,
        });
        let integrity = if browse.integrity {
            ReadIntegrity::Consistent
        } else {
            ReadIntegrity::None
        };
        if known.is_none() {
            let reply = self.actors[which].first(set, integrity);
            let blocked = browse.integrity && self.model.any_blocked(set, (session, Part::Reads));
            match reply {
                SharedReply::Gone => return self.leaves(which, Asked::Nothing),
                SharedReply::Done => {}
                SharedReply::Held if blocked => return Ok(()),
                // An empty data set.
                SharedReply::NotFound | SharedReply::End => return Ok(()),
                reply => return self.unexpected(which, format!("pointing: {reply:?}")),
            }
        }
        for _ in 0..self.random.between(1, 12) {
            let reply = self.actors[which].next(set, integrity);
            self.tell(format!(
                "S{session} browses {set} behind {:?}, {integrity:?}: {reply:?}",
                browse.at
            ));
            self.count("records browsed");
            let old = self.now().saturating_sub(FRESH);
            let since = (browse.since.0.max(old), browse.since.1);
            let passed = |below: u32| browse.at.map_or(0, |at| at + 1)..below;
            let window = |key: u32| self.model.window((set, key), since, browse.integrity);
            let before = browse.refused.unwrap_or(since);
            let missed = |key: u32| self.model.window((set, key), before, browse.integrity);
            let skipped = |below: u32| passed(below).find(|key| !missed(*key).contains(&None));
            let wrong = match reply {
                SharedReply::Gone => return self.leaves(which, Asked::Nothing),
                SharedReply::Held if browse.integrity && self.model.any_blocked(set, (session, Part::Reads)) => {
                    self.count("reads refused");
                    let since = (self.now(), self.model.changes());
                    browse.refused = browse.refused.or(Some(since));
                    break;
                }
                SharedReply::Got(key, value) if passed(KEYS).contains(&key) => {
                    let wrong = skipped(key).map(|skipped| format!("passed over {skipped}"));
                    let right = window(key).contains(&Some(value));
                    (browse.at, browse.refused) = (Some(key), None);
                    wrong.or_else(|| (!right).then(|| format!("{key} has {value}, not of {:?}", window(key))))
                }
                SharedReply::End => {
                    let wrong = skipped(KEYS).map(|skipped| format!("ended before {skipped}"));
                    if wrong.is_none() {
                        self.actors[which].browse = None;
                        return Ok(());
                    }
                    wrong
                }
                ref reply => Some(format!("{reply:?}")),
            };
            if let Some(wrong) = wrong {
                return self.unexpected(which, format!("browsing: {wrong}"));
            }
        }
        self.actors[which].browse = Some(browse);
        Ok(())
    }

    fn end_unit(&mut self, which: usize) -> Result<(), String> {
        let (session, commits) = (self.actors[which].session, self.random.chance(65));
        let reply = self.actors[which].end_unit(commits);
        self.tell(format!("S{session} ends its unit, commits {commits}: {reply:?}"));
        match reply {
            SharedReply::Gone => self.leaves(which, Asked::End(commits)),
            SharedReply::Done => {
                if self.model.has_pending(session) {
                    self.count(if commits { "commits" } else { "backouts" });
                }
                self.model.end_unit(self.world.clock.passed(), session, commits);
                if !commits {
                    self.browsed_anew(which);
                }
                Ok(())
            }
            reply => self.unexpected(which, format!("{reply:?}")),
        }
    }

    /// Locks a record by name, or unlocks it.
    fn lock(&mut self, which: usize, name: Name) -> Result<(), String> {
        let session = self.actors[which].session;
        let by = (session, Part::Alone);
        if self.model.has_locked(by, name) {
            let was = self.actors[which].unlock(name.0, name.1);
            self.model.lock(by, name, false);
            self.tell(format!("S{session} unlocks {name:?}: {was}"));
            return match (was, self.actors[which].is_lost()) {
                (_, true) => self.leaves(which, Asked::Nothing),
                (true, _) => Ok(()),
                (false, _) => self.unexpected(which, "it was not locked".into()),
            };
        }
        let way = self.model.way(name, by, true);
        let reply = self.actors[which].lock(name.0, name.1);
        self.tell(format!("S{session} locks {name:?}: {reply:?}"));
        let (which, away) = self.sent_away(which);
        let way = if away { Way::Perhaps } else { way };
        match (&reply, way) {
            (SharedReply::Gone, _) => self.leaves(which, Asked::Nothing),
            (SharedReply::Held, Way::Blocked | Way::Perhaps) => Ok(()),
            (SharedReply::Done, Way::Free | Way::Perhaps) => {
                self.model.lock(by, name, true);
                self.count("locks by name");
                Ok(())
            }
            _ => self.unexpected(which, format!("{reply:?}, it was {way:?}")),
        }
    }

    fn reopen(&mut self, which: usize, set: usize) -> Result<(), String> {
        let session = self.actors[which].session;
        self.tell(format!("S{session} closes {set} and opens it again"));
        let reply = match self.actors[which].reopen(&self.world, set) {
            Ok(reply) => reply,
            // Who is hostile may have it alone.
            Err(_) if self.hostile.is_some() => return Ok(()),
            Err(_) if self.actors[which].is_lost() => return self.leaves(which, Asked::Nothing),
            Err(words) => return self.unexpected(which, words),
        };
        self.actors[which].browse = None;
        match reply {
            SharedReply::Gone => self.leaves(which, Asked::Nothing),
            SharedReply::Done => {
                let of = |name: &Name| name.0 == set;
                for part in [Part::Alone, Part::Unit, Part::Reads] {
                    self.model.give_up_in((session, part), of);
                }
                Ok(())
            }
            reply => self.unexpected(which, format!("{reply:?}")),
        }
    }

    /// Something that a fault, or who is hostile, may explain; if not, it is wrong.
    fn unexpected(&mut self, which: usize, what: String) -> Result<(), String> {
        if self.hostile.is_some() && what.starts_with("Held") {
            return Ok(());
        }
        Err(format!("{what}; refused last: {}", self.actors[which].refused_by))
    }

    // --- who goes ---

    /// A client has no owner any more, or no life.
    fn leaves(&mut self, which: usize, asked: Asked) -> Result<(), String> {
        let actor = self.actors.swap_remove(which);
        let session = actor.session;
        let fate = locked(&actor.fate).done;
        self.tell(format!("S{session} is gone: {fate:?}"));
        let died = std::mem::replace(&mut locked(&actor.fate).dead, true);
        self.count(if died { "clients died" } else { "connections lost" });
        drop(actor);
        self.gone.push((session, asked));
        if self.world.process.is_dead() {
            return self.look_after_owner();
        }
        // What it asked was done or was not; of one who died behind his message it may be done when the owner hears
        // it.
        self.observe(self.alternatives(false))?;
        // What a request that was not answered has locked, or let go, nobody knows.
        let unknown = !matches!(asked, Asked::Change(..)) && fate.is_some();
        if unknown || self.gone.len() > 1 || self.random.chance(50) {
            return self.hears();
        }
        Ok(())
    }

    /// The models that may be true now that some have gone: each request that got no answer was done or was not. What
    /// they have ends when the owner hears of it; `end`: now.
    fn alternatives(&self, end: bool) -> Vec<(Standing, BTreeSet<u64>)> {
        let mut all = vec![(self.model.clone(), BTreeSet::new())];
        for &(session, asked) in &self.gone {
            let done: Vec<_> = all
                .iter()
                .filter_map(|(model, which)| {
                    let (mut model, mut which) = (model.clone(), which.clone());
                    match asked {
                        Asked::Nothing => return None,
                        Asked::Change(part, name, value) => {
                            model.change(self.now(), (session, part), name, value);
                            model.hold((session, part), name.0, None);
                        }
                        Asked::End(commits) => model.end_unit(self.now(), session, commits),
                        Asked::Prepare(unit) => {
                            return model.prepare(session, unit).then(|| {
                                which.insert(session);
                                (model, which)
                            })
                        }
                        Asked::Decide(unit, commits) => model.decide(self.now(), unit, commits),
                    }
                    which.insert(session);
                    Some((model, which))
                })
                .collect();
            all.extend(done);
        }
        let heard = |session: u64| end || !locked(&self.world.net).knows(session as i32);
        for (model, _) in &mut all {
            let ended = self.gone.iter().filter(|(session, _)| heard(*session));
            ended.for_each(|(session, _)| model.end_session(self.now(), *session));
        }
        all
    }

    /// The owner hears of those who have gone.
    fn hears(&mut self) -> Result<(), String> {
        self.tell("the owner hears of who has gone".into());
        locked(&self.world.net).settle(None);
        if self.world.process.is_dead() {
            return self.look_after_owner();
        }
        // The owner has sent away who said something twice, and he does not know it yet.
        for actor in std::mem::take(&mut self.actors) {
            if locked(&self.world.net).knows(actor.session as i32) {
                self.actors.push(actor);
            } else {
                self.gone.push((actor.session, Asked::Nothing));
            }
        }
        let models = self.alternatives(true);
        self.gone.clear();
        self.observe(models)
    }

    /// The owner looks at those who are in the way of a request, and sends away who has said something twice: what he
    /// had ends, and he does not know it yet. Where the client of the request is now, and whether somebody was sent
    /// away.
    fn sent_away(&mut self, which: usize) -> (usize, bool) {
        let session = self.actors[which].session;
        let stays = |actor: &Actor| actor.session == session || locked(&self.world.net).knows(actor.session as i32);
        let (stay, away): (Vec<_>, Vec<_>) = std::mem::take(&mut self.actors).into_iter().partition(stays);
        self.actors = stay;
        for actor in &away {
            self.tell(format!("S{} was sent away", actor.session));
            self.model.end_session(self.world.clock.passed(), actor.session);
        }
        let which = self.actors.iter().position(|actor| actor.session == session);
        (which.unwrap_or(0), !away.is_empty())
    }

    /// If the owner is dead, the next one begins, and all clients come anew.
    fn look_after_owner(&mut self) -> Result<(), String> {
        if !self.world.process.is_dead() {
            return Ok(());
        }
        self.owner_ends()
    }

    fn owner_ends(&mut self) -> Result<(), String> {
        let models = self.alternatives(true);
        locked(&self.world.net).end();
        // Those who are left are told so.
        for mut actor in std::mem::take(&mut self.actors) {
            let reply = actor.get(0, Part::Reads, 0, Intent::Read, ReadIntegrity::None);
            if reply != SharedReply::Gone {
                return Err(format!("S{} asked a dead owner and got {reply:?}", actor.session));
            }
        }
        self.hostile = None;
        self.gone.clear();
        self.observe(models)
    }

    // --- what is there ---

    fn observe_as_it_is(&mut self) -> Result<(), String> {
        self.observe(self.alternatives(false))
    }

    /// Looks at all records, as one who comes anew: one of the models must be true, and is taken.
    fn observe(&mut self, models: Vec<(Standing, BTreeSet<u64>)>) -> Result<(), String> {
        let mut models = models;
        let (mut found, mut status) = (None, None);
        while found.is_none() {
            if locked(&self.world.net).owner().is_none() {
                // What was open has ended with the owner.
                models.iter_mut().for_each(|(model, _)| model.end_all());
                self.actors.clear();
                self.gone.clear();
                self.hostile = None;
                self.world.begin()?;
                self.count("owners begun");
            }
            self.sessions += 1;
            (found, status) = match self.look(self.sessions) {
                Ok(seen) => (Some(seen.0), Some(seen.1)),
                Err(_) if self.world.process.is_dead() => (None, None),
                Err(words) => return Err(format!("the observer: {words}")),
            };
        }
        let (found, mut open_units) = (found.unwrap_or_default(), BTreeSet::new());
        let waiting: BTreeSet<usize> = self.world.in_doubt()?.into_keys().collect();
        self.count("looks");
        if let Some(status) = status {
            self.judge_status(&status, &waiting)?;
            let open = |units: &[(u32, u64, u64)]| units.iter().any(|(_, changes, _)| *changes > 0);
            let clients = status.clients.into_iter().filter(|client| open(&client.units));
            open_units.extend(clients.map(|client| client.program));
        }
        // A commit leaves the records as they were: whether it was done the owner's word on the unit tells.
        let fits = |model: &Standing| {
            let open = |session: u64| open_units.contains(&name(session)) == model.has_pending(session);
            let doubts = model.in_doubt().map(|(unit, _)| unit).eq(waiting.iter().copied());
            doubts && model.all_physical() == found && self.gone.iter().all(|(session, _)| open(*session))
        };
        let right = models.iter().position(|(model, _)| fits(model));
        let Some(right) = right else {
            let (model, _) = &models[0];
            let all = model.all_physical();
            let differs: Vec<_> = (0..SETS)
                .flat_map(|set| (0..KEYS).map(move |key| (set, key)))
                .filter(|name| all.get(name) != found.get(name))
                .map(|name| (name, all.get(&name).copied(), found.get(&name).copied()))
                .collect();
            return Err(format!(
                "of {} models none is true; in doubt: {waiting:?}; record, model, found: {differs:?}",
                models.len()
            ));
        };
        let (model, done) = models.swap_remove(right);
        self.model = model;
        // What was done is not done again when the owner hears that its client has gone.
        for (session, asked) in &mut self.gone {
            if done.contains(session) {
                *asked = Asked::Nothing;
            }
        }
        Ok(())
    }

    fn look(&mut self, session: u64) -> Result<(Records, Box<Status>), String> {
        let fate = Arc::new(Mutex::new(Doom::default()));
        let client = connect(&self.world, session, &fate).ok_or("nobody listens")?;
        self.go_on_going_back(&client)?;
        let mut found = Records::new();
        for set in 0..SETS {
            let data_set = match opened(&self.world, &client, set, false) {
                Ok(data_set) => data_set.ok_or("gone")?,
                Err(_) if self.hostile.is_some() => {
                    // It has the data set alone; it is sent away.
                    self.hostile = None;
                    locked(&self.world.net).settle(None);
                    opened(&self.world, &client, set, false)?.ok_or("gone")?
                }
                Err(words) => return Err(words),
            };
            found.extend(contents(&data_set)?.into_iter().map(|(key, value)| ((set, key), value)));
            data_set.close().map_err(|error| error.to_string())?;
        }
        let status = client.ask(&Ask::Status, |answer| match answer {
            Answer::Status(status) => Ok(status),
            _ => Err(RequestError::NoPosition),
        });
        drop(client);
        locked(&self.world.net).settle(Some(session as i32));
        Ok((found, status.map_err(|error| error.to_string())?))
    }

    /// Nothing is left of those who have gone (H4); what is in doubt has its locks.
    fn judge_status(&self, status: &Status, waiting: &BTreeSet<usize>) -> Result<(), String> {
        let waits = |holder: &str| waiting.iter().any(|unit| holder.contains(UNITS[*unit]));
        let lives = |program: &str| {
            let actors = self.actors.iter().map(|actor| actor.session);
            let gone = self.gone.iter().map(|(session, _)| *session);
            let known: Vec<u64> = actors.chain(gone).chain([self.sessions]).collect();
            known.into_iter().any(|session| program == name(session)) || program == hostile::NAME
        };
        if let Some(client) = status.clients.iter().find(|client| !lives(&client.program)) {
            return Err(format!("{} has gone and is a client", client.program));
        }
        for lock in &status.locks {
            for holder in lock.holders.iter().chain(lock.waiters.iter().map(|(who, _)| who)) {
                let program = holder
                    .split_once('(')
                    .map_or("", |(_, program)| program.trim_end_matches(')'));
                if !lives(program) && !waits(holder) {
                    return Err(format!("{holder} has gone and has a lock of {:?}", lock.key));
                }
            }
        }
        Ok(())
    }

    /// Somebody sends anything.
    fn is_hostile(&mut self) -> Result<(), String> {
        if self.hostile.is_none() {
            self.hostile = Hostile::begin(&self.world, self.random.fork());
            return self.look_after_owner();
        }
        self.count("hostile messages");
        let lives = self.hostile.as_mut().is_some_and(|hostile| hostile.sends(&self.world));
        if !lives {
            self.hostile = None;
        }
        let stops = locked(&self.world.net).owner().is_some_and(|owner| owner.ends());
        if stops {
            self.tell("who is hostile ends the owner".into());
            return self.owner_ends();
        }
        self.look_after_owner()
    }

    /// All go; the data sets are looked at once more, by whoever opens them when no owner is left.
    fn end(&mut self) -> Result<(), String> {
        self.hostile = None;
        while let Some(actor) = self.actors.pop() {
            let session = actor.session;
            if self.random.chance(50) {
                locked(&actor.fate).dead = true;
            }
            drop(actor);
            self.gone.push((session, Asked::Nothing));
        }
        self.hears()?;
        if self.random.chance(50) {
            self.world.process.kill(Kill::AT_ONCE);
        }
        locked(&self.world.net).end();
        self.judge_last()?;
        for (unit, commits) in (0..UNITS.len()).zip([self.random.chance(50), self.random.chance(50), true]) {
            match (
                decide_alone(&self.world.alone()?, unit, commits),
                self.model.is_in_doubt(unit),
            ) {
                (SharedReply::Unknown, false) => {}
                (SharedReply::Done, true) => self.decided(unit, commits),
                (reply, waits) => return Err(format!("in the end: {reply:?}, it is in doubt: {waits}")),
            }
        }
        self.judge_last()
    }

    /// Whoever comes when all have gone finds what is committed, and what is in doubt, which is refused him.
    fn judge_last(&self) -> Result<(), String> {
        let retained = self.model.in_doubt().flat_map(|(_, names)| names).collect();
        let (found, expected) = (self.world.last(&retained)?, self.model.all_physical());
        if found == expected {
            Ok(())
        } else {
            Err(format!("in the end there is {found:?}, not {expected:?}"))
        }
    }
}
