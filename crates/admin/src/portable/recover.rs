//! RECOVER: a data set out of a copy that BACKUP made, brought forward by its archive.
//!
//! 1. The data set is made beside the original, whose entry and files are untouched until the new one is whole.
//! 2. Its alternate indexes stay. They are out of step with it from the switch on, which each open finds out, until
//!    they are built anew: the last step.
//! 3. Where the original can be read, the archive must have everything that it has, unless a time is said up to which
//!    the archive goes. It is locked from before it is seen what the archive has: nobody adds to it behind that.
//! 4. Nothing but a cluster of the name is replaced.
//! 5. What a unit has done that was in doubt at the moment is left out, and said. One that is in doubt to this day may
//!    be left out of the state of a moment that was asked for, and of no other: whoever commits it later would find its
//!    changes gone.

use super::super::failure::{refused, Failure};
use super::super::{decided, Services};
use super::indexes;
use super::place::place;
use super::receive::Received;
use super::standing::LockedOriginal;
use super::{moment, Copy};
use crate::named::Named;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::trouble::not_opened;
use cica_catalog::{Catalog, Entry, Name, Resolved};
use cica_engine::archive::{ArchiveEnd, Plan, RedoError};
use cica_engine::Undecided;
use cica_format::portable::Mode;
use cica_format::root::Root;
use cica_messages::{CICA1010I, CICA1011E, CICA1012I, CICA1025I};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// RECOVER.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recover {
    /// The data set: a cluster.
    pub name: String,
    /// The file of the copy.
    pub from: Named,
    /// What had been committed by then comes back, nanoseconds since 1970; none: all that is archived.
    pub until: Option<u64>,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Changes that were done again.
    pub changes: u64,
    /// Units of recovery that had not committed by then.
    pub units_left_out: u64,
    /// Those of them that were in doubt.
    pub in_doubt: Vec<String>,
    /// When the last of the changes was made, nanoseconds since 1970; 0: there was none.
    pub reached: u64,
    /// Alternate indexes that were built anew.
    pub built: Vec<Name>,
}

impl Services {
    /// Makes a data set as it was at a moment, out of a copy and what was archived since.
    pub fn recover(&mut self, request: &Recover) -> Outcome<Recovered> {
        Outcome::with(|out| recover(self, request, out))
    }
}

fn recover(services: &mut Services, request: &Recover, out: &mut Report) -> Result<(u8, Recovered), Failure> {
    let name = Name::parse(&request.name).map_err(|error| refused(&error, 140, 0))?;
    let mut copy = Copy::open(services, &request.from)?;
    let catalog = services.home(&name)?;
    let mut received = Received::default();
    let mut root = None;
    if let Some(original) = original(services, &catalog, &name)? {
        root = original.root;
        let within = received.within(services, &catalog)?;
        within.replaced.push((original.entry, original.lock));
    }
    let (mut recovered, mut others) = (None, Vec::new());
    while let Some((mode, mut entry)) = copy.member()? {
        if *entry.name() != name || !matches!(entry, Entry::Cluster(_)) || mode != Mode::ControlIntervals {
            others.push(entry.name().to_string());
            copy.skip()?;
            continue;
        }
        let contents = catalog.contents()?;
        for component in entry.components_mut() {
            place(&contents, &[], component)?;
        }
        let paths = received.within(services, &catalog)?.making.list(&mut entry)?;
        let descent = copy.descent(services, &catalog, &name, &entry)?;
        copy.rebuild(services, &entry, paths.clone(), descent)?;
        let of = Recovering {
            name: &name,
            until: request.until,
            cluster: copy.cluster,
            lineage: copy.lineage,
            copied: copy.created(),
            had_units: copy.had_units,
            original: root.as_ref(),
        };
        recovered = Some(of.forward(services, &paths)?);
        received.within(services, &catalog)?.entries.push(entry);
    }
    let Some(mut recovered) = recovered else {
        return Err(not_in_copy(&name, &others));
    };
    received.switch(|_, _, _| Ok(())).1?;
    tell(&name, &recovered, out);
    let contents = catalog.contents()?;
    let indexes: Vec<Name> = indexes::of_base(&contents, &name).map(|e| e.name().clone()).collect();
    let (cc, built) = indexes::build(services, &catalog, &name, &indexes, out)?;
    recovered.built = built;
    Ok((cc, recovered))
}

/// The data set that has the name, locked; none: nothing has it.
///
/// # Errors
/// Something else has the name (4), or it cannot be locked.
fn original(services: &Services, catalog: &Catalog, name: &Name) -> Result<Option<LockedOriginal>, Failure> {
    let contents = catalog.contents()?;
    let entry = match contents.find(name) {
        None => return Ok(None),
        Some(Resolved::Entry(entry @ Entry::Cluster(_))) => entry.clone(),
        Some(other) => {
            let reason = match other {
                Resolved::Entry(entry) => {
                    let what = entry.kind().word();
                    format!("the catalog has that name as {what}, which no cluster replaces; rename or delete it first")
                }
                Resolved::Component(kind, _, entry) => {
                    format!("it is the {} component of {}; recover that", kind.word(), entry.name())
                }
            };
            return Err(not_recovered(name, &reason));
        }
    };
    // A unit in doubt is named before anything is said of the files.
    decided::check(services, catalog, &entry)?;
    LockedOriginal::hold(services, catalog, entry).map(Some)
}

/// The copy was read to its end. `others`: the names of what it has.
fn not_in_copy(name: &Name, others: &[String]) -> Failure {
    let reason = match others {
        [] => "the copy is empty".to_owned(),
        _ if others.iter().any(|other| other == name.as_str()) => {
            "the copy has no control intervals of it: EXPORT wrote its records; take a copy that cica backup made"
                .to_owned()
        }
        [first] => format!("the copy does not have it, but {first}"),
        [first, ..] => format!("the copy does not have it, but {first} and {} more", others.len() - 1),
    };
    not_recovered(name, &reason)
}

fn not_recovered(name: &Name, reason: &dyn Display) -> Failure {
    Failure::new(&CICA1011E, &[("name", name), ("reason", reason)])
}

/// A data set that is being recovered.
struct Recovering<'r> {
    name: &'r Name,
    until: Option<u64>,
    /// Id and lineage of the cluster that was copied.
    cluster: u64,
    lineage: u64,
    /// When it was copied, nanoseconds since 1970.
    copied: u64,
    /// Units were open then whose changes are not in the copy, and may have been committed since.
    had_units: bool,
    /// The root of what has the name, if it can be read.
    original: Option<&'r Root>,
}

impl Recovering<'_> {
    /// Does in the new files what was archived behind the copy.
    fn forward(&self, services: &mut Services, (data, index): &(PathBuf, PathBuf)) -> Result<Recovered, Failure> {
        let copied = services.engine.peek(data);
        let copied = copied.map_err(|error| not_opened(self.name.as_str(), &error))?;
        let plan = self.way(services, &copied)?;
        let undecided = self.undecided(services, &copied, plan.as_ref())?;
        if plan.is_none() && undecided.is_empty() {
            return Ok(Recovered::default());
        }
        let progress = &mut services.progress;
        let changes = services
            .engine
            .bring_forward((data, index), plan.as_ref(), &undecided, progress)
            .map_err(|error| self.not(&error))?;
        if let (Some(plan), true) = (&plan, undecided.is_empty()) {
            self.check_count(services, data, plan)?;
        }
        Ok(Recovered {
            changes,
            units_left_out: plan.as_ref().map_or(0, |plan| plan.units_left_out) as u64 + undecided.len() as u64,
            in_doubt: undecided.into_iter().map(|unit| unit.name).collect(),
            reached: plan.map_or(0, |plan| plan.reached),
            built: Vec::new(),
        })
    }

    /// Where all comes back that was archived, as many records do as the data set has, if it was left whole: an archive
    /// of which something was taken away is not known by its looks when it was written to again behind that (3).
    fn check_count(&self, services: &Services, data: &Path, plan: &Plan) -> Result<(), Failure> {
        let is_whole = |root: &&Root| root.log.log == 0 && plan.clusters.contains(&root.cluster);
        let Some(original) = self.original.filter(is_whole).filter(|_| self.until.is_none()) else {
            return Ok(());
        };
        let made = services.engine.peek(data);
        let made = made.map_err(|error| not_opened(self.name.as_str(), &error))?;
        let (records, has) = (made.statistics.records, original.statistics.records);
        if records == has {
            return Ok(());
        }
        Err(self.not(&format!(
            "the copy and what is archived behind it make {records} records, and the data set has {has}: the archive lacks \
             changes. Say up to when it is to be recovered, or take a later copy"
        )))
    }

    /// The way from the copy to the moment; none: nobody has changed the data set since.
    fn way(&self, services: &Services, copied: &Root) -> Result<Option<Plan>, Failure> {
        let until = self.until.unwrap_or(u64::MAX);
        let last_change = copied.statistics.last_change;
        if last_change > until {
            let (date, time) = moment(last_change);
            return Err(self.not(&format!(
                "the copy has changes up to {date} {time} UTC; take an earlier copy, or a later time"
            )));
        }
        let of = (self.lineage, copied.log.origin);
        let plan = match services.engine.way_forward(of, until) {
            Ok(plan) => plan,
            Err(RedoError::NotFromCopy(_)) if self.original.is_some_and(|root| self.is_as_copied(root, copied)) => {
                return Ok(None);
            }
            Err(RedoError::Gap { what, until }) => {
                let (date, time) = moment(until);
                return Err(self.not(&format!("{what}. Up to {date} {time} UTC the archive is whole")));
            }
            Err(error) => return Err(self.not(&error)),
        };
        // A data set that was restored under another name has the archive in common with the one that was copied.
        if let Some(other) = plan.names.iter().find(|other| other.as_str() != self.name.as_str()) {
            return Err(self.not(&format!(
                "behind the copy the archive has changes of {other}, which was restored from a copy of it, or is what it is \
                 called now. Say up to when it is to be recovered, or take a later copy"
            )));
        }
        match self.original {
            Some(root) if self.has_more(root, plan.end) && plan.end.time < until => {
                let up_to = match moment(plan.end.time) {
                    _ if plan.end.time == 0 => "Take a later copy".to_owned(),
                    (date, time) => format!(
                        "Up to {date} {time} UTC the archive is whole: say a moment up to then, or take a later copy"
                    ),
                };
                Err(self.not(&format!(
                    "the archive ends before what the data set has: it was changed later, by a load or without LOG(ALL), or \
                     the end of the archive is missing. {up_to}"
                )))
            }
            _ => Ok(Some(plan)),
        }
    }

    /// Is the data set what was copied, without a change since? An open that was copied may have gone on changing it,
    /// which its counts tell, and the time of the last change.
    fn is_as_copied(&self, root: &Root, copied: &Root) -> bool {
        let of = |root: &Root| {
            let counts = root.statistics;
            let changes = (counts.inserted, counts.updated, counts.deleted);
            (
                root.log.origin,
                counts.last_change,
                counts.records,
                changes,
                root.high_used,
            )
        };
        of(root) == of(copied) && !self.had_units
    }

    /// Has the data set what the archive has not? Its open is another than that of the last segment, or it was closed,
    /// which ends the segment, and that has no end. One that an earlier RECOVER or RESTORE made is another cluster: of
    /// that the archive has nothing, and another moment may be asked for.
    fn has_more(&self, root: &Root, end: ArchiveEnd) -> bool {
        let is_other = root.log.origin != end.origin;
        let lacks_its_end = !is_other && root.log.log == 0 && !end.is_ended;
        let is_later = root.cluster == end.cluster && root.statistics.last_change > end.time;
        is_other && (is_later || self.until.is_none()) || lacks_its_end && is_later
    }

    /// The units that were in doubt at the moment, and whose changes the copy has, or gets on the way (5).
    fn undecided(&self, services: &Services, copied: &Root, plan: Option<&Plan>) -> Result<Vec<Undecided>, Failure> {
        let moment = self.until.unwrap_or(u64::MAX);
        // The copy may be younger than the moment, and have what a unit did that was prepared later.
        let prepared = moment.max(self.copied);
        let found = services.engine.undecided_at(self.lineage, prepared, moment);
        let mut units = found.map_err(|error| self.not(&error))?;
        let way = plan.map_or(&[][..], |plan| &plan.clusters);
        let is_copied = |unit: &Undecided| unit.cluster == self.cluster;
        units.retain(|unit| way.contains(&unit.cluster) || is_copied(unit));
        if let (None, Some(unit)) = (self.until, units.iter().find(|unit| unit.waits)) {
            return Err(self.not(&format!(
                "the unit of recovery {} has changed it and is in doubt; commit that or take it back first, or say up to \
                 when the data set is to be recovered",
                unit.name
            )));
        }
        // The way leads over a data set that was restored from the copy, while the one that was copied went on too.
        let branches = way.first().is_some_and(|first| *first != self.cluster);
        let is_not_known =
            |unit: &&Undecided| branches && is_copied(unit) && unit.prepared > copied.statistics.last_change;
        match units.iter().find(is_not_known) {
            Some(unit) => Err(self.not(&format!(
                "the unit of recovery {} was in doubt at that moment, and it is not known whether the copy has its \
                 changes; take another moment",
                unit.name
            ))),
            None => Ok(units),
        }
    }

    fn not(&self, reason: &dyn Display) -> Failure {
        not_recovered(self.name, reason)
    }
}

fn tell(name: &Name, recovered: &Recovered, out: &mut Report) {
    for unit in &recovered.in_doubt {
        out.say(&CICA1025I, &[("name", name), ("unit", unit)]);
    }
    let (date, time) = moment(recovered.reached);
    match recovered.reached {
        0 => out.say(&CICA1012I, &[("name", name)]),
        _ => out.say(
            &CICA1010I,
            &[
                ("name", name),
                ("changes", &recovered.changes),
                ("units", &recovered.units_left_out),
                ("date", &date),
                ("time", &time),
            ],
        ),
    }
}
