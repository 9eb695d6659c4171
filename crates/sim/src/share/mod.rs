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
//! asks    what clients ask for, and what must be answered
//! deaths  what is left of who dies
//! found   what the data sets have, and what the owner says of itself
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
mod asks;
mod deaths;
mod doubt;
mod found;
mod hostile;
mod model;
mod wire;
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use cica_disk::{Clock, Disk, MemoryDisk};
use cica_engine::Engine;

use crate::campaign::Outcome;
use crate::crash::guarded;
use crate::mortal::Kill;
use crate::random::Random;
use crate::session::{clock, engine_at, Trouble};
use actor::{decide_alone, Actor, SharedReply};
use hostile::Hostile;
use model::{Name, Part, Records, Standing};
use wire::{locked, Cut, Doom};
use world::{Premises, KEYS, SETS, UNITS};

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
}
