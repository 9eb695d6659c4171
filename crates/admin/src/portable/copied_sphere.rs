//! Data sets of one sphere opened to be copied as they are stored, all of one moment.
//!
//! 1. One that is open for output, where it is shared or in this process, is copied too: its committed trees are pinned
//!    until they are read. The copy has with it what takes back the changes of units that were open at the moment.
//! 2. If the trees were not there to the last (`check`), the copy gets no end.

use super::super::failure::Failure;
use super::super::Services;
use super::moment;
use super::stored::{CopiedEntry, NotCopied};
use crate::open::{cluster, to_check};
use crate::report::Report;
use crate::trouble::Trouble;
use cica_catalog::{Catalog, Entry, Name};
use cica_engine::{OpenOptions, PinnedTrees};
use cica_messages::{CICA1016I, CICA1017E};

/// Entries of one sphere, open to be copied.
pub(super) struct CopiedSphere {
    entries: Vec<CopiedEntry>,
    /// What keeps the trees of one that is open for output.
    pins: Option<PinnedTrees>,
}

impl CopiedSphere {
    /// Opens entries of the sphere of `base`. Those that are open for output are copied where they are; this is told.
    pub(super) fn open<'e>(
        services: &Services,
        base: &Name,
        entries: impl Iterator<Item = (&'e Catalog, &'e Entry)> + Clone,
        out: &mut Report,
    ) -> Result<CopiedSphere, Failure> {
        match unused(services, entries.clone()) {
            Ok(sphere) => return Ok(sphere),
            Err(NotCopied::Failed(failure)) => return Err(failure),
            Err(NotCopied::InUse(_)) => {}
        }
        let reached = cluster(services, base.as_str())?;
        // The pin keeps it open.
        let data_set = to_check(services, &reached, OpenOptions::default())?;
        let pins = data_set.pin();
        let pins = pins.map_err(|error| Trouble::Request(error).of(base.as_str()))?;
        let (date, time) = moment(services.clock.now());
        out.say(&CICA1016I, &[("name", base), ("date", &date), ("time", &time)]);
        let pinned =
            |(catalog, entry): (&Catalog, &Entry)| CopiedEntry::pinned(services, catalog, entry.clone(), &pins);
        let entries = entries.map(pinned).collect::<Result<Vec<_>, _>>()?;
        Ok(CopiedSphere {
            entries,
            pins: Some(pins),
        })
    }

    /// Opens entries of a sphere that nobody has open for output.
    pub(super) fn of_nobody_else<'e>(
        services: &Services,
        entries: impl Iterator<Item = (&'e Catalog, &'e Entry)>,
    ) -> Result<CopiedSphere, Failure> {
        Ok(unused(services, entries)?)
    }

    /// The entries, in the order in which they were named.
    pub(super) fn entries(&self) -> &[CopiedEntry] {
        &self.entries
    }

    /// Are they open for output elsewhere?
    pub(super) fn is_in_use(&self) -> bool {
        self.pins.is_some()
    }

    /// What was read counts only if it was there to the last (2).
    pub(super) fn check(self, base: &Name) -> Result<(), Failure> {
        match self.pins.map(|pins| pins.holds()) {
            None | Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => Err(Failure::new(&CICA1017E, &[("name", base)])),
            Some(Err(error)) => Err(Trouble::Request(error).of(base.as_str())),
        }
    }
}

fn unused<'e>(
    services: &Services,
    entries: impl Iterator<Item = (&'e Catalog, &'e Entry)>,
) -> Result<CopiedSphere, NotCopied> {
    let each = |(catalog, entry): (&Catalog, &Entry)| CopiedEntry::open(services, catalog, entry.clone());
    let entries = entries.map(each).collect::<Result<Vec<_>, _>>()?;
    Ok(CopiedSphere { entries, pins: None })
}
