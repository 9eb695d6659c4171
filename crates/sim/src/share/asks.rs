//! What clients ask for, and what must be answered: by who has the record (H3), and by what is committed (H1, H2).

use super::actor::{Browse, SharedReply};
use super::model::{Does, Name, Part, Way};
use super::wire::locked;
use super::world::{KEYS, SETS};
use super::{Asked, Run, FRESH};
use cica_disk::Clock;
use cica_engine::{Intent, ReadIntegrity};

impl Run {
    pub(super) fn client_acts(&mut self) -> Result<(), String> {
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
    pub(super) fn put(&mut self, which: usize, part: Part, name: Name) -> Result<(), String> {
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
        let does = if inserts { Does::Takes } else { Does::Changes };
        let way = self.model.way(name, by, does);
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
    pub(super) fn update(&mut self, which: usize, part: Part, name: Name) -> Result<(), String> {
        let session = self.actors[which].session;
        let by = (session, part);
        self.model.hold(by, name.0, None);
        let (way, there) = (self.model.way(name, by, Does::Changes), self.model.physical(name));
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
    pub(super) fn browsed_anew(&mut self, which: usize) {
        let since = (self.world.clock.passed(), self.model.changes());
        if let Some(browse) = &mut self.actors[which].browse {
            browse.since = since;
        }
    }

    pub(super) fn get(&mut self, which: usize, name: Name) -> Result<(), String> {
        let session = self.actors[which].session;
        let by = (session, Part::Reads);
        let integrity = self.random.pick(&[ReadIntegrity::None, ReadIntegrity::Consistent]);
        let reply = self.actors[which].get(name.0, Part::Reads, name.1, Intent::Read, integrity);
        self.tell(format!("S{session} gets {name:?} with {integrity:?}: {reply:?}"));
        self.actors[which].browse = None;
        let blocked = integrity == ReadIntegrity::Consistent && self.model.way(name, by, Does::Reads) == Way::Blocked;
        let (which, away) = self.sent_away(which);
        let blocked = blocked && (!away || reply == SharedReply::Held);
        self.judge_read(which, name, blocked, &reply)
    }

    pub(super) fn judge_read(
        &mut self,
        which: usize,
        name: Name,
        blocked: bool,
        reply: &SharedReply,
    ) -> Result<(), String> {
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

    pub(super) fn get_repeatable(&mut self, which: usize, name: Name) -> Result<(), String> {
        let session = self.actors[which].session;
        let by = (session, Part::Unit);
        self.model.hold(by, name.0, None);
        // It is to be the reader's as well, so whoever holds it is in the way.
        let blocked = self.model.way(name, by, Does::Reads) == Way::Blocked || self.model.is_held(name, by);
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
    pub(super) fn browse(&mut self, which: usize, set: usize) -> Result<(), String> {
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

    pub(super) fn end_unit(&mut self, which: usize) -> Result<(), String> {
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
    pub(super) fn lock(&mut self, which: usize, name: Name) -> Result<(), String> {
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
        let way = self.model.way(name, by, Does::Takes);
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

    pub(super) fn reopen(&mut self, which: usize, set: usize) -> Result<(), String> {
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
    pub(super) fn unexpected(&mut self, which: usize, what: String) -> Result<(), String> {
        if self.hostile.is_some() && what.starts_with("Held") {
            return Ok(());
        }
        Err(format!("{what}; refused last: {}", self.actors[which].refused_by))
    }

    // --- who goes ---
}
