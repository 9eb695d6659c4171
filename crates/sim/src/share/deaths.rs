//! Who dies or is sent away, and what may have become of what he had asked for (H4, H5).

use super::actor::{Actor, SharedReply};
use super::model::{Part, Standing};
use super::wire::locked;
use super::{Asked, Run};
use cica_disk::Clock;
use cica_engine::{Intent, ReadIntegrity};
use std::collections::BTreeSet;

impl Run {
    /// A client has no owner any more, or no life.
    pub(super) fn leaves(&mut self, which: usize, asked: Asked) -> Result<(), String> {
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
    pub(super) fn alternatives(&self, end: bool) -> Vec<(Standing, BTreeSet<u64>)> {
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
    pub(super) fn hears(&mut self) -> Result<(), String> {
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
    pub(super) fn sent_away(&mut self, which: usize) -> (usize, bool) {
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
    pub(super) fn look_after_owner(&mut self) -> Result<(), String> {
        if !self.world.process.is_dead() {
            return Ok(());
        }
        self.owner_ends()
    }

    pub(super) fn owner_ends(&mut self) -> Result<(), String> {
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
}
