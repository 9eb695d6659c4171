//! Units that clients prepare, and what is decided about them: by whoever asks the owner, or past it (H7).

use std::sync::Arc;

use cica_share::Client;

use super::actor::{decide, decide_alone, SharedReply};
use super::wire::locked;
use super::world::UNITS;
use super::{Asked, Run};

/// A session that there is not.
const NOBODY: u64 = 0;

impl Run {
    /// Prepares the unit of a client, under a name that may be taken.
    pub(super) fn prepare(&mut self, which: usize) -> Result<(), String> {
        let (session, unit) = (self.actors[which].session, self.random.below(UNITS.len()));
        let reply = self.actors[which].prepare(unit);
        self.tell(format!("S{session} prepares its unit as {}: {reply:?}", UNITS[unit]));
        match reply {
            SharedReply::Gone => self.leaves(which, Asked::Prepare(unit)),
            SharedReply::Doubled if self.model.is_in_doubt(unit) => Ok(()),
            SharedReply::Done => {
                if self.model.has_pending(session) {
                    self.count("units prepared");
                }
                self.browsed_anew(which);
                if self.model.prepare(session, unit) {
                    Ok(())
                } else {
                    self.unexpected(which, "another unit is called so".into())
                }
            }
            reply => self.unexpected(which, format!("{reply:?}")),
        }
    }

    /// A unit, mostly one in doubt, and what becomes of it.
    fn draw_decision(&mut self) -> (usize, bool) {
        let waiting: Vec<usize> = self.model.in_doubt().map(|(unit, _)| unit).collect();
        let unit = match waiting.len() {
            0 => self.random.below(UNITS.len()),
            _ if self.random.chance(10) => self.random.below(UNITS.len()),
            _ => self.random.pick(&waiting),
        };
        (unit, self.random.chance(50))
    }

    /// A client decides about a unit in doubt, its own or another's; one without a right to it does not.
    pub(super) fn decide(&mut self, which: usize) -> Result<(), String> {
        let (unit, commits) = self.draw_decision();
        let (session, may) = (self.actors[which].session, self.random.chance(90));
        let rights = self.world.descriptor_of_unit(unit, may)?;
        let reply = self.actors[which].decide(unit, commits, &rights);
        let name = UNITS[unit];
        self.tell(format!(
            "S{session} decides about {name}, commits {commits}, may {may}: {reply:?}"
        ));
        match (&reply, self.model.is_in_doubt(unit)) {
            (SharedReply::Gone, _) if may => self.leaves(which, Asked::Decide(unit, commits)),
            (SharedReply::Gone, _) => self.leaves(which, Asked::Nothing),
            (SharedReply::NoRight, _) if !may => Ok(()),
            (SharedReply::Unknown, false) if may => Ok(()),
            (SharedReply::Done, true) if may => {
                self.decided(unit, commits);
                self.browsed_anew(which);
                Ok(())
            }
            // Who is hostile may have it alone.
            (SharedReply::NotOpened, true) if may && !commits && self.hostile.is_some() => Ok(()),
            (_, waits) => self.unexpected(which, format!("{reply:?}, it is in doubt: {waits}")),
        }
    }

    /// Another process decides, past the owner, which looks a moment later.
    pub(super) fn decided_elsewhere(&mut self) -> Result<(), String> {
        let (unit, commits) = self.draw_decision();
        let reply = decide_alone(&self.world.alone()?, unit, commits);
        self.tell(format!("past the owner {}, commits {commits}: {reply:?}", UNITS[unit]));
        match (&reply, self.model.is_in_doubt(unit)) {
            (SharedReply::Unknown, false) => return Ok(()),
            (SharedReply::Done, true) => self.decided(unit, commits),
            // The owner has it open.
            (SharedReply::NotOpened, true) if !commits => return Ok(()),
            (_, waits) => return Err(format!("past the owner: {reply:?}, it is in doubt: {waits}")),
        }
        self.count("decisions past the owner");
        if self.random.chance(40) {
            // The name is given again before the owner looks, to a unit that has changed nothing here.
            let other = self.world.alone()?;
            let prepared = other.engine.unit().prepare(UNITS[unit]);
            prepared.map_err(|error| format!("past the owner {} again: {error}", UNITS[unit]))?;
            self.tell(format!("past the owner another unit is prepared as {}", UNITS[unit]));
            self.model.prepare(NOBODY, unit);
            self.count("names given again");
        }
        let owner = locked(&self.world.net).owner();
        if let Some(owner) = owner {
            owner.forget_decided();
        }
        self.look_after_owner()
    }

    pub(super) fn decided(&mut self, unit: usize, commits: bool) {
        self.model.decide(self.now(), unit, commits);
        self.count(if commits {
            "prepared units committed"
        } else {
            "prepared units taken back"
        });
    }

    /// Of which it was decided that they go back, and the owner died of it: they cannot but go back, and do when
    /// they are asked again.
    pub(super) fn go_on_going_back(&mut self, client: &Arc<Client>) -> Result<(), String> {
        for (unit, _) in self.world.in_doubt()?.into_iter().filter(|(_, goes_back)| *goes_back) {
            let rights = self.world.descriptor_of_unit(unit, true)?;
            for (commits, expected) in [(true, SharedReply::GoingBack), (false, SharedReply::Done)] {
                let reply = decide(client, unit, commits, &rights);
                self.tell(format!("{} is going back, commits {commits}: {reply:?}", UNITS[unit]));
                match reply {
                    reply if reply == expected => {}
                    SharedReply::NotOpened if self.hostile.is_some() => {
                        self.hostile = None;
                        locked(&self.world.net).settle(None);
                        return self.go_on_going_back(client);
                    }
                    reply => return Err(format!("{} is going back, and {reply:?}", UNITS[unit])),
                }
            }
            self.count("units that went on going back");
        }
        Ok(())
    }
}
