//! What is found in the data sets, compared with what may be there (H1), and what the owner says of itself (H4).

use super::actor::{connect, name, opened};
use super::model::{Records, Standing};
use super::wire::{locked, Doom};
use super::world::{contents, KEYS, SETS, UNITS};
use super::{hostile, Asked, Run};
use cica_engine::RequestError;
use cica_share::words::{Answer, Ask, Status};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

impl Run {
    pub(super) fn observe_as_it_is(&mut self) -> Result<(), String> {
        self.observe(self.alternatives(false))
    }

    /// Looks at all records, as one who comes anew: one of the models must be true, and is taken.
    pub(super) fn observe(&mut self, models: Vec<(Standing, BTreeSet<u64>)>) -> Result<(), String> {
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

    pub(super) fn look(&mut self, session: u64) -> Result<(Records, Box<Status>), String> {
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
    pub(super) fn judge_status(&self, status: &Status, waiting: &BTreeSet<usize>) -> Result<(), String> {
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

    /// Whoever comes when all have gone finds what is committed, and what is in doubt, which is refused him.
    pub(super) fn judge_last(&self) -> Result<(), String> {
        let retained = self.model.in_doubt().flat_map(|(_, names)| names).collect();
        let (found, expected) = (self.world.last(&retained)?, self.model.all_physical());
        if found == expected {
            Ok(())
        } else {
            Err(format!("in the end there is {found:?}, not {expected:?}"))
        }
    }
}
