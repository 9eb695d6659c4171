//! RECOVER: a data set out of a copy that BACKUP made, brought forward by its archive.
//!
//! 1. The data set is made beside the original, whose entry and files are untouched until the new one is whole.
//! 2. Its alternate indexes stay. They are out of step with it from the switch on, which each open finds out, until
//!    they are built anew: the last step.
//! 3. Where the original can be read, the archive must have everything that it has, unless a time is said. It is locked
//!    from before it is seen what the archive has: nobody adds to it behind that.
//! 4. Nothing but a cluster of the name is replaced.

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
use cica_engine::archive::RedoError;
use cica_format::portable::Mode;
use cica_format::root::Root;
use cica_messages::{CICA0967E, CICA1010I, CICA1011E, CICA1012I};
use std::fmt::Display;

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
    let mut recovered = None;
    while let Some((mode, mut entry)) = copy.member()? {
        if *entry.name() != name || !matches!(entry, Entry::Cluster(_)) || mode != Mode::ControlIntervals {
            copy.skip()?;
            continue;
        }
        let contents = catalog.contents()?;
        for component in entry.components_mut() {
            place(&contents, &[], component)?;
        }
        let paths = received.within(services, &catalog)?.making.list(&mut entry)?;
        copy.rebuild(services, &entry, paths.clone(), None)?;
        recovered = Some(forward(services, request, &name, &paths, root.as_ref())?);
        received.within(services, &catalog)?.entries.push(entry);
    }
    let Some(mut recovered) = recovered else {
        return Err(Failure::new(&CICA0967E, &[("name", &name)]));
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
            let what = match other {
                Resolved::Entry(entry) => entry.kind().word().to_owned(),
                Resolved::Component(kind, _, entry) => format!("{} of {}", kind.word(), entry.name()),
            };
            return Err(not_recovered(
                name,
                &format!("the catalog has that name as {what}, which no cluster replaces; rename or delete it first"),
            ));
        }
    };
    // A unit in doubt is named before anything is said of the files.
    decided::check(services, catalog, &entry)?;
    LockedOriginal::hold(services, catalog, entry).map(Some)
}

fn not_recovered(name: &Name, reason: &dyn Display) -> Failure {
    Failure::new(&CICA1011E, &[("name", name), ("reason", reason)])
}

/// Does in the new files what was archived behind the copy.
fn forward(
    services: &mut Services,
    request: &Recover,
    name: &Name,
    (data, index): &(std::path::PathBuf, std::path::PathBuf),
    original: Option<&Root>,
) -> Result<Recovered, Failure> {
    let not = |reason: &dyn Display| not_recovered(name, reason);
    let copied = services
        .engine
        .peek(data)
        .map_err(|error| not_opened(name.as_str(), &error))?;
    let until = request.until.unwrap_or(u64::MAX);
    let last_change = copied.statistics.last_change;
    if last_change > until {
        let (date, time) = moment(last_change);
        return Err(not(&format!(
            "the copy has changes up to {date} {time} UTC; take an earlier copy, or a later time"
        )));
    }
    let of = (copied.lineage(), copied.log.origin);
    let plan = match services.engine.way_forward(of, until) {
        Ok(plan) => plan,
        // Nobody has changed it since.
        Err(RedoError::NotFromCopy(_)) if original.is_some_and(|root| root.log.origin == of.1) => {
            return Ok(Recovered::default())
        }
        Err(RedoError::Gap { what, until }) => {
            let (date, time) = moment(until);
            return Err(not(&format!("{what}. Up to {date} {time} UTC the archive is whole")));
        }
        Err(error) => return Err(not(&error)),
    };
    // A data set that was restored under another name has the archive in common with the one that was copied.
    if let Some(other) = plan.names.iter().find(|other| other.as_str() != name.as_str()) {
        return Err(not(&format!(
            "behind the copy the archive has changes of {other}, which was restored from a copy of it, or is what it is \
             called now. Say up to when it is to be recovered, or take a later copy"
        )));
    }
    if let (Some(root), None) = (original, request.until) {
        if root.log.origin != plan.last_origin {
            return Err(not(
                &"the archive ends before what the data set has: it was changed later, by a load or without LOG(ALL), or \
                  the last segments are missing. Say up to when it is to be recovered, or take a later copy",
            ));
        }
    }
    let progress = &mut services.progress;
    let changes = services
        .engine
        .bring_forward(data, index, &plan, progress)
        .map_err(|error| not(&error))?;
    Ok(Recovered {
        changes,
        units_left_out: plan.units_left_out as u64,
        reached: plan.reached,
        built: Vec::new(),
    })
}

fn tell(name: &Name, recovered: &Recovered, out: &mut Report) {
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
