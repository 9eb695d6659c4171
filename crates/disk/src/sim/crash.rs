//! What a power cut may leave of a disk: the explorer's view of a trace.
//!
//! 1. What a sync promised is in every image (D1, D4); what a failed sync forgot is in none (D3).
//! 2. Of the other changes any subset may be there, in their order, each write torn at any 512-byte sector (D2).
//! 3. A rename within a directory is there or not, never half. One from a directory to another is two changes, the
//!    new name and the old one's end, each durable with its own directory.
//! 4. Stores into memory that shows a file are not synced one by one, and become many. Only the newest few of a file
//!    are pending: of the older ones half are there, which the system had written back by itself, and half are not,
//!    until a sync makes all of them durable.
//! 5. What lies in a directory whose own name is lost is lost with it.

use super::trace::{Event, Trace};
use crate::content::SECTOR;
use crate::image::{FileId, Image, NamedNode};
use std::path::Path;

/// The fate of one unsynced change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survival {
    /// It never reached the disk.
    Lost,
    /// It did, all of it.
    Whole,
    /// Of a write, its first sectors did; of any other change nothing.
    First(usize),
    /// Of a write, those sectors did whose bit is set, its first being bit 0; its 65th is bit 0 again. Of any
    /// other change nothing.
    Sectors(u64),
}

/// A moment of a trace at which the power is cut, moving forward event by event.
#[derive(Debug, Clone)]
pub struct CrashPoint<'t> {
    trace: &'t Trace,
    position: usize,
    durable: Image,
    pending: Vec<Pending>,
    /// Stores that are not pending any more and that no sync has covered, oldest first (4).
    stored: Vec<usize>,
}

/// Stores of a file that are pending.
const PENDING_STORES: usize = 4;

/// A change that no sync has covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pending {
    event: usize,
    part: RenameFate,
}

/// See invariant 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RenameFate {
    All,
    NewName,
    OldName,
}

impl Trace {
    /// The moment before the first event.
    pub fn crash_point(&self) -> CrashPoint<'_> {
        CrashPoint {
            trace: self,
            position: 0,
            durable: self.start.clone(),
            pending: Vec::new(),
            stored: Vec::new(),
        }
    }

    /// The disk as processes see it, before the first event and after each.
    pub fn live(&self) -> impl Iterator<Item = Image> + '_ {
        let mut image = self.start.clone();
        std::iter::once(image.clone()).chain(self.events.iter().map(move |event| {
            apply(&mut image, event, RenameFate::All, Survival::Whole);
            image.clone()
        }))
    }

    /// The moment after the first `events` events.
    pub fn crash_after(&self, events: usize) -> CrashPoint<'_> {
        let mut point = self.crash_point();
        while point.position < events && point.advance().is_some() {}
        point
    }
}

impl<'t> CrashPoint<'t> {
    /// Events before the cut.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Lets one more event happen before the cut; returns it, or `None` at the end of the trace.
    pub fn advance(&mut self) -> Option<&'t Event> {
        let event = self.trace.events.get(self.position)?;
        let position = self.position;
        let add = |part| Pending { event: position, part };
        match event {
            Event::Rename { from, to, .. } if from.parent() != to.parent() => {
                self.pending
                    .extend([add(RenameFate::NewName), add(RenameFate::OldName)]);
            }
            Event::Store { file, .. } => {
                self.write_back_a_store(*file);
                self.pending.push(add(RenameFate::All));
            }
            Event::Sync { file } => {
                self.settle_stores(*file, true);
                self.settle(|event, _| event.changes_content_of() == Some(*file), true);
            }
            Event::Forget { file } => {
                self.settle_stores(*file, false);
                self.settle(|event, _| event.changes_content_of() == Some(*file), false);
            }
            Event::SyncDirectory { path } => self.settle(|event, part| name_lies_in(event, part, path), true),
            _ => self.pending.push(add(RenameFate::All)),
        }
        self.position += 1;
        Some(event)
    }

    /// The changes no sync has covered, in the order of [`CrashPoint::image`]'s indices.
    pub fn pending(&self) -> impl ExactSizeIterator<Item = &'t Event> + '_ {
        self.pending.iter().map(|pending| &self.trace.events[pending.event])
    }

    /// The disk as a power cut now may leave it: `survives` gives the fate of each pending change.
    pub fn image(&self, mut survives: impl FnMut(usize, &'t Event) -> Survival) -> Image {
        let mut image = self.durable.clone();
        let mut lost_directory = false;
        for (index, pending) in self.pending.iter().enumerate() {
            let event = &self.trace.events[pending.event];
            let survival = survives(index, event);
            if survival != Survival::Lost {
                apply(&mut image, event, pending.part, survival);
            }
            lost_directory |= matches!(event, Event::Create { directory: true, .. });
        }
        if lost_directory {
            image.names.drop_orphans();
        }
        image
    }

    /// The disk with those pending changes whose bit is set: whole, and lost from the 65th on.
    pub fn image_of(&self, survivors: u64) -> Image {
        self.image(|index, _| {
            if index < 64 && survivors >> index & 1 == 1 {
                Survival::Whole
            } else {
                Survival::Lost
            }
        })
    }

    /// Makes room among the pending stores of a file, which gets one more (4).
    fn write_back_a_store(&mut self, file: FileId) {
        let trace = self.trace;
        let is_of_file = |pending: &Pending| {
            let event = &trace.events[pending.event];
            matches!(event, Event::Store { .. }) && event.changes_content_of() == Some(file)
        };
        if self.pending.iter().filter(|pending| is_of_file(pending)).count() < PENDING_STORES {
            return;
        }
        if let Some(oldest) = self.pending.iter().position(is_of_file) {
            let oldest = self.pending.remove(oldest);
            // Which half follows from the number of the event.
            if (oldest.event as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 1 {
                apply(
                    &mut self.durable,
                    &trace.events[oldest.event],
                    oldest.part,
                    Survival::Whole,
                );
            }
            self.stored.push(oldest.event);
        }
    }

    /// A sync of their file covers the stores that are not pending any more.
    fn settle_stores(&mut self, file: FileId, durable: bool) {
        let (trace, image) = (self.trace, &mut self.durable);
        self.stored.retain(|event| {
            let event = &trace.events[*event];
            let covered = event.changes_content_of() == Some(file);
            if covered && durable {
                apply(image, event, RenameFate::All, Survival::Whole);
            }
            !covered
        });
    }

    /// Takes the changes a sync is about from the pending ones, and when it was good makes them durable.
    fn settle(&mut self, mut is_covered: impl FnMut(&Event, RenameFate) -> bool, durable: bool) {
        let (trace, image) = (self.trace, &mut self.durable);
        self.pending.retain(|pending| {
            let event = &trace.events[pending.event];
            let covered = is_covered(event, pending.part);
            if covered && durable {
                apply(image, event, pending.part, Survival::Whole);
            }
            !covered
        });
    }
}

/// Whether a change of names is made durable by a sync of `directory`.
fn name_lies_in(event: &Event, part: RenameFate, directory: &Path) -> bool {
    let name = match event {
        Event::Create { path, .. } | Event::Remove { path } => path,
        Event::Rename { from, .. } if part == RenameFate::OldName => from,
        Event::Rename { to, .. } => to,
        _ => return false,
    };
    name.parent() == Some(directory)
}

fn apply(image: &mut Image, event: &Event, part: RenameFate, survival: Survival) {
    match event {
        Event::Write { file, at, bytes } | Event::Store { file, at, bytes } => {
            write(image, *file, *at, bytes, survival)
        }
        _ if survival != Survival::Whole => {}
        Event::Resize { file, len } => image.content_mut(*file).resize(*len),
        Event::Create { file, path, directory } => {
            image.link(
                path,
                NamedNode {
                    file: *file,
                    directory: *directory,
                },
            );
        }
        Event::Rename { file, from, to } => {
            if part != RenameFate::NewName {
                image.names.unlink(from);
            }
            if part != RenameFate::OldName {
                image.link(
                    to,
                    NamedNode {
                        file: *file,
                        directory: false,
                    },
                );
            }
        }
        Event::Remove { path } => {
            image.names.unlink(path);
        }
        Event::Sync { .. } | Event::SyncDirectory { .. } | Event::Forget { .. } => {}
    }
}

fn write(image: &mut Image, file: FileId, at: u64, bytes: &[u8], survival: Survival) {
    let content = image.content_mut(file);
    let survives = |sector: usize| match survival {
        Survival::Lost => false,
        Survival::Whole => true,
        Survival::First(count) => sector < count,
        Survival::Sectors(mask) => mask >> (sector % 64) & 1 == 1,
    };
    if survival == Survival::Whole {
        return content.write(at, bytes);
    }
    let (mut start, mut sector) = (0, 0);
    while start < bytes.len() {
        let to_border = (SECTOR - (at + start as u64) % SECTOR) as usize;
        let end = bytes.len().min(start + to_border);
        if survives(sector) {
            content.write(at + start as u64, &bytes[start..end]);
        }
        (start, sector) = (end, sector + 1);
    }
}
