//! A volume as a [`Subject`] of the explorers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use cica_disk::{Disk, Image, MemoryDisk};

use crate::death::left;
use crate::oracle::NO_SPACE;
use crate::request::{Reply, Request};
use crate::session::Trouble;
use crate::shape::{Durability, Shape};
use crate::subject::{Recovered, Step, StepLog, Stop, Subject};
use crate::volume::action::{Card, VolumeAction};
use crate::volume::logs::use_all;
use crate::volume::model::{load_requests, Model};
use crate::volume::workload::VolumeWorkload;
use crate::volume::world::{card_text, group_text, outside, Copies, Copy, World};

/// A volume and what is done on it.
pub struct VolumeRun<'a> {
    workload: &'a VolumeWorkload,
    actions: Cow<'a, [VolumeAction]>,
    /// The disk is going to fail.
    faulty: bool,
    start: Image,
    /// A volume with nothing on it.
    model: Model,
    copies: Copies,
}

/// The file that EXPORT writes to.
const SCRATCH: &str = "scratch";

/// Puts the copies on the disk.
fn make_copies(workload: &VolumeWorkload, start: &mut Image) -> Result<Copies, String> {
    let mut copies = BTreeMap::new();
    for (slot, bodies) in &workload.copies {
        let memory = MemoryDisk::from(start.clone());
        let disk: Arc<dyn Disk> = Arc::new(memory.clone());
        let mut world = World::open(disk, &workload.shape).map_err(Trouble::words)?;
        let name = workload.shape.name(*slot, false);
        let ran = |(cc, listing): (u8, String)| if cc == 0 { Ok(()) } else { Err(listing) };
        world.must(&workload.shape.define(*slot)).map_err(Trouble::words)?;
        let opened = world.open_set(*slot, &name, true, false);
        opened.map_err(|error| error.to_string())?;
        for request in load_requests(bodies.clone()) {
            match world.request(*slot, &name, &request).map_err(Trouble::words)? {
                Reply::Done => {}
                reply => return Err(format!("making a copy: {request}: {reply}")),
            }
        }
        world.close_set(*slot).map_err(Trouble::words)?;
        let copy = Copy {
            export: format!("export{slot}"),
            backup: format!("backup{slot}"),
        };
        let export = format!("EXPORT {name} OUTFILE(COPY) TEMPORARY");
        ran(world.card(&export, Some(&copy.export)).map_err(Trouble::words)?)?;
        let backup = format!("BACKUP ({name}) OUTFILE(COPY)");
        ran(world.card(&backup, Some(&copy.backup)).map_err(Trouble::words)?)?;
        let made = memory.image();
        for file in [&copy.export, &copy.backup] {
            start.copy_file(&outside(file), &made);
        }
        copies.insert(*slot, copy);
    }
    Ok(copies)
}

impl<'a> VolumeRun<'a> {
    /// Makes the empty volume and the copies. Actions that make no sense are left out.
    ///
    /// # Errors
    /// In words.
    pub fn new(
        workload: &'a VolumeWorkload,
        actions: impl Into<Cow<'a, [VolumeAction]>>,
        faulty: bool,
    ) -> Result<Self, String> {
        let mut start = World::empty_disk()?;
        let mut actions = actions.into();
        // A disk that fails is trouble enough: nobody is killed on it as well.
        if faulty {
            actions
                .to_mut()
                .retain(|action| !matches!(action, VolumeAction::Kill(_) | VolumeAction::KillCommand(..)));
        }
        let loads = workload.copies.iter();
        let loads = loads
            .map(|(slot, bodies)| (*slot, load_requests(bodies.clone())))
            .collect();
        Ok(VolumeRun {
            copies: make_copies(workload, &mut start)?,
            model: Model::new(&workload.shape, &loads),
            workload,
            actions,
            faulty,
            start,
        })
    }

    fn stop(&self, at: &str, trouble: Trouble) -> Stop {
        trouble.stop(self.faulty, at)
    }

    /// Does an action on the engine. `Ok(None)`: it was done as a command or an open.
    fn perform(&self, world: &mut World, model: &Model, action: &VolumeAction) -> Result<Option<Reply>, Trouble> {
        let shape = &self.workload.shape;
        match action {
            VolumeAction::Open(slot) => {
                world.open_set(*slot, &model.name(*slot), true, false)?;
                Ok(Some(Reply::Done))
            }
            VolumeAction::Close(slot) => world.close_set(*slot).map(|()| None),
            VolumeAction::Request(slot, request) => world.request(*slot, &model.name(*slot), request).map(Some),
            VolumeAction::Card(slot, card) => {
                let from = match card {
                    Card::Repro(from) => model.name(*from),
                    _ => String::new(),
                };
                let there = model.slots[*slot].as_ref();
                let no_update = there.is_some_and(|there| there.entry.no_update);
                let text = card_text(shape, *slot, &model.name(*slot), *card, &from, no_update);
                let copy = match (card, self.copies.get(slot)) {
                    (Card::Import, Some(copy)) => copy.export.as_str(),
                    (Card::Restore, Some(copy)) => copy.backup.as_str(),
                    _ => SCRATCH,
                };
                self.command(world, &text, Some(copy))
            }
            VolumeAction::Kill(kill) => {
                world.program().kill(*kill);
                Ok(None)
            }
            VolumeAction::KillCommand(kill, then) => {
                world.kill_command(*kill, *then);
                Ok(None)
            }
            VolumeAction::Group(number) => {
                self.command(world, &group_text(*number, model.groups.contains(number)), None)
            }
        }
    }

    /// The program was killed: others open what it had open until one of them lives. The model is of what they found
    /// then; how many died for it.
    fn take_over(&self, world: &mut World, before: &Model, model: &mut Model) -> Result<u32, Trouble> {
        let is_open = |model: &Model, slot: usize| model.slots[slot].as_ref().is_some_and(|there| there.open);
        let slots = (0..model.slots.len()).filter(|slot| is_open(before, *slot) || is_open(model, *slot));
        let slots: Vec<usize> = slots.collect();
        let mut deaths = 0;
        let found = loop {
            deaths += 1;
            let names = slots.iter().map(|slot| (*slot, model.name(*slot)));
            let found = world.succeed().and_then(|()| {
                let records = names.map(|(slot, name)| world.records_left(slot, &name));
                records.collect::<Result<Vec<_>, _>>()
            });
            if !world.program().is_dead() {
                break found?;
            }
        };
        for (slot, records) in slots.into_iter().zip(found) {
            if let (Some(before), Some(there)) = (&before.slots[slot], &mut model.slots[slot]) {
                there.oracle = left(&before.oracle, &there.oracle, records)?;
                there.open = true;
            }
        }
        Ok(deaths)
    }

    fn command(&self, world: &mut World, text: &str, copy: Option<&str>) -> Result<Option<Reply>, Trouble> {
        match world.card(text, copy)? {
            (0, _) => Ok(None),
            (_, listing) if self.faulty => Err(Trouble::Failed(listing)),
            (_, listing) => Err(Trouble::Wrong(listing)),
        }
    }

    /// Whether an action that was done makes its part durable.
    fn promises(&self, model: &Model, action: &VolumeAction) -> bool {
        let VolumeAction::Request(slot, request) = action else {
            // An OPEN promises what was there before it, and that was promised.
            return !matches!(action, VolumeAction::Kill(_) | VolumeAction::KillCommand(..));
        };
        let loading = model.slots[*slot].as_ref().is_some_and(|there| there.oracle.loading());
        match request {
            Request::Reopen { .. } => true,
            Request::Commit | Request::Checkpoint => !loading,
            _ => !loading && self.workload.shape.slots[*slot].durability == Durability::Request,
        }
    }
}

impl Subject for VolumeRun<'_> {
    fn start(&self) -> Image {
        self.start.clone()
    }

    fn has_holes(&self) -> bool {
        self.workload.shape.slots.first().is_some_and(Shape::has_holes)
    }

    fn run(&self, disk: Arc<dyn Disk>, note: &mut dyn FnMut(Step)) -> Result<(), Stop> {
        let mut model = self.model.clone();
        let mut log = StepLog::to(note);
        for (part, digest) in model.digests().into_iter().enumerate() {
            log.tell(Step::of(part, digest, true));
        }
        let mut world =
            World::open(disk, &self.workload.shape).map_err(|trouble| self.stop("the first open", trouble))?;
        for (number, action) in self.actions.iter().enumerate() {
            if !model.allows(action) {
                continue;
            }
            let at = || format!("action {} ({action})", number + 1);
            let part = model.part(action);
            for there in model.between(action) {
                log.tell(Step::of(part, there.digest(), false));
            }
            let before = model.clone();
            let promised = self.promises(&model, action);
            let expected = model.apply(action);
            let done = self.perform(&mut world, &before, action);
            if world.program().is_dead() {
                // Nobody got the answer; it may have been done.
                log.tell(Step::of(part, model.digest(part), false));
                let taken = self.take_over(&mut world, &before, &mut model);
                let deaths = taken.map_err(|trouble| self.stop(&at(), trouble))?;
                for (part, digest) in model.digests().into_iter().enumerate() {
                    if !log.stands(part, digest) {
                        let lost = format!(
                            "{}: killed here, it left another moment of {part} than it had promised",
                            at()
                        );
                        return Err(Stop::Wrong(lost));
                    }
                    // Commands and closes promised the others.
                    let deaths = if part == model.slots.len() { deaths } else { 0 };
                    log.tell(Step::after_deaths(part, digest, deaths));
                }
                continue;
            }
            if action.is_command() && world.command_is_dead() {
                log.tell(Step::of(part, model.digest(part), false));
                let seen = world.see_after_command(part);
                let (seen, deaths) = seen.map_err(|trouble| self.stop(&at(), trouble))?;
                let Some(left) = before.left_by(action, &model, &seen) else {
                    let words = format!(
                        "{}: killed here, it left what is neither before nor after it: {seen:?}",
                        at()
                    );
                    return Err(Stop::Wrong(words));
                };
                log.tell(Step::after_command(part, seen.digest(), deaths));
                model = left;
                continue;
            }
            match done {
                Ok(reply) if reply == expected => log.tell(Step::of(part, model.digest(part), promised)),
                Ok(Some(reply)) if self.faulty && reply == NO_SPACE => {
                    // Refused for want of space: nothing of it was done, and the run goes on.
                    model = before;
                    if let VolumeAction::Request(slot, request) = action {
                        let string = request.string().unwrap_or_default();
                        let end = VolumeAction::Request(*slot, Request::End { string });
                        model.apply(&end);
                        let ended = self.perform(&mut world, &model, &end);
                        ended.map_err(|trouble| self.stop(&at(), trouble))?;
                    }
                    log.tell(Step::of(part, model.digest(part), false));
                }
                Ok(Some(Reply::Refused(12, reason, _))) if self.faulty => {
                    log.tell(Step::of(part, model.digest(part), false));
                    return Err(Stop::Failed(format!("{}: 12/{reason}", at())));
                }
                Ok(reply) => {
                    let words = |reply: Option<Reply>| reply.map_or("done".to_string(), |reply| reply.to_string());
                    let (expected, reply) = (words(expected), words(reply));
                    return Err(Stop::Wrong(format!("{}: expected {expected}, got {reply}", at())));
                }
                Err(trouble) => {
                    log.tell(Step::of(part, model.digest(part), false));
                    return Err(self.stop(&at(), trouble));
                }
            }
        }
        Ok(())
    }

    fn recover(&self, disk: Arc<dyn Disk>) -> Result<Recovered, String> {
        let mut world = World::open(disk, &self.workload.shape).map_err(Trouble::words)?;
        let digests = world.look().map_err(Trouble::words)?;
        Ok(Recovered { digests })
    }

    fn exercise(&self, disk: Arc<dyn Disk>) -> Result<(), String> {
        let mut world = World::open(disk, &self.workload.shape).map_err(Trouble::words)?;
        let mut expected = world.look().map_err(Trouble::words)?;
        let cards = [
            "DEFINE CLUSTER (NAME(SIM.LATER) TRACKS(1 1) KEYS(4 0) RECORDSIZE(20 40))",
            "EXAMINE NAME(SIM.LATER)",
            "DELETE SIM.LATER",
            "DEFINE GENERATIONDATAGROUP (NAME(SIM.G200) LIMIT(3))",
        ];
        for card in cards {
            let (cc, listing) = world.card(card, None).map_err(Trouble::words)?;
            // A data set that was never loaded has nothing to be examined.
            if cc != 0 && !card.starts_with("EXAMINE") {
                return Err(listing);
            }
        }
        let (cc, listing) = world.card("DELETE SIM.G200 GDG", None).map_err(Trouble::words)?;
        use_all(&mut world).map_err(Trouble::words)?;
        let found = world.look().map_err(Trouble::words)?;
        expected.truncate(found.len());
        if cc == 0 && found == expected {
            Ok(())
        } else {
            Err(format!(
                "after other commands the data sets are not what they were\n{listing}"
            ))
        }
    }

    /// Each data set has a root of its own, and the catalog is a file.
    fn is_of_one_root(&self) -> bool {
        false
    }
}
