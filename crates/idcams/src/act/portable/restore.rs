//! RESTORE: data sets out of a portable copy, as they were stored.
//!
//! 1. All that is asked for is restored, or nothing: entries go into each catalog by one change, after the copy was
//!    read to its end. Catalogs are changed one after the other: when one of them cannot be, the listing tells which
//!    entries are restored and which are not.
//! 2. What has a name in the catalog is replaced only when REPLACE says so, and at that one change.
//! 3. An alternate index is never left over a base it was not made for: a base is replaced together with its alternate
//!    indexes or not at all.

use super::super::alter::rename::renamed;
use super::super::delete::expired;
use super::super::failure::{refused, Failure};
use super::super::making::Replaced;
use super::super::Services;
use super::backup::{amount, masks};
use super::kind;
use super::place::place;
use super::receive::Received;
use super::Copy;
use crate::act::report::Report;
use crate::params::{Command, Params};
use cica_catalog::entry::{FileOf, Relate};
use cica_catalog::{Contents, Entry, Mask, Name};
use cica_format::portable::{Mode, Totals};
use cica_messages::{CICA0908E, CICA0962I, CICA0965E, CICA0966I, CICA0967E, CICA0992I};

/// Carries out RESTORE.
pub fn restore(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match run(services, &command.params, out) {
        Ok(()) => 0,
        Err(failure) => failure.tell(out),
    }
}

fn run(services: &mut Services, params: &Params, out: &mut Report) -> Result<(), Failure> {
    let wanted = Wanted::of(params)?;
    let mut copy = Copy::open(services, params)?;
    let mut received = Received::default();
    let mut done: Vec<(Entry, String)> = Vec::new();
    while let Some((mode, mut entry)) = copy.member()? {
        if !wanted.means(entry.name()) {
            copy.skip().map(drop)?;
            continue;
        }
        wanted.rename(&mut entry)?;
        let (totals, records) = match params.flag("TEST") {
            true => copy.skip()?,
            false => one(services, params, &mut copy, &mut received, mode, &mut entry)?,
        };
        done.push((entry, amount(&totals, records)));
    }
    if done.is_empty() {
        let names: Vec<&str> = params.list("entryname").iter().map(|w| w.text.as_str()).collect();
        return Err(Failure::new(&CICA0967E, &[("name", &names.join(" "))]));
    }
    received.catalogs().iter().try_for_each(|c| {
        let contents = c.making.catalog().contents()?;
        c.entries
            .iter()
            .try_for_each(|entry| leads_somewhere(&contents, &c.entries, entry))?;
        c.replaced
            .iter()
            .try_for_each(|(old, _)| with_its_indexes(&contents, &c.entries, old))
    })?;
    let (entered, switched) = received.switch();
    let message = if params.flag("TEST") { &CICA0966I } else { &CICA0962I };
    // When a later catalog could not be changed, what is in an earlier one is restored all the same.
    let is_done = |entry: &Entry| switched.is_ok() || entered.iter().any(|e| e.name() == entry.name());
    for (entry, count) in done.iter().filter(|(entry, _)| is_done(entry)) {
        out.say(
            message,
            &[("kind", &kind(entry)), ("name", entry.name()), ("count", count)],
        );
        let outside = match entry {
            Entry::NonVsam(data_set) => matches!(data_set.file, FileOf::Outside(_)).then(|| data_set.file.text()),
            Entry::UserCatalog(below) => Some(below.directory.as_str()),
            _ => None,
        };
        if let Some(path) = outside {
            out.say(&CICA0992I, &[("name", entry.name()), ("path", &path)]);
        }
    }
    if let (Err(_), false) = (&switched, entered.is_empty()) {
        let left = done.iter().filter(|(entry, _)| !is_done(entry));
        for (entry, _) in left {
            not_restored(entry.name(), "its catalog could not be changed, and is as it was").tell(out);
        }
    }
    switched
}

/// Makes the files of one member.
fn one(
    services: &mut Services,
    params: &Params,
    copy: &mut Copy,
    received: &mut Received,
    mode: Mode,
    entry: &mut Entry,
) -> Result<(Totals, u64), Failure> {
    let catalog = match params.has("CATALOG") {
        true => services.whole_catalog(params)?,
        false => services.home(entry.name())?,
    };
    let contents = catalog.contents()?;
    let within = received.within(services, &catalog)?;
    if let Some(found) = contents.find(entry.name()) {
        let old = found.entry().clone();
        if !params.flag("REPLACE") || old.name() != entry.name() {
            return Err(not_restored(
                entry.name(),
                "the catalog has that name; say REPLACE, or RENAME",
            ));
        }
        if !params.flag("PURGE") {
            expired(services, &old)?;
        }
        let erase = old.attributes().is_some_and(|a| a.erase);
        let lock = Replaced::lock(services, &catalog, old.clone(), erase)?;
        within.replaced.push((old, lock));
    }
    for component in entry.components_mut() {
        place(&contents, params.list("VOLUMES"), component)?;
    }
    let amount = match mode {
        Mode::Definition => copy.skip()?,
        Mode::ControlIntervals => {
            let paths = within.making.list(entry)?;
            copy.rebuild(services, entry, paths)?
        }
        Mode::Records => {
            let item = format!("RESTORE OF {}", entry.name());
            let reason = "EXPORT copied it record by record; IMPORT makes it again";
            return Err(Failure::new(&CICA0908E, &[("item", &item), ("reason", &reason)]));
        }
    };
    let within = received.within(services, &catalog)?;
    within.entries.push(entry.clone());
    Ok(amount)
}

fn not_restored(name: &Name, reason: &str) -> Failure {
    Failure::new(&CICA0965E, &[("name", name), ("reason", &reason)])
}

/// What an alternate index, a path or an alias names is there, or comes with it.
fn leads_somewhere(contents: &Contents, coming: &[Entry], entry: &Entry) -> Result<(), Failure> {
    let target = match entry {
        Entry::Aix(aix) => &aix.relate,
        Entry::Path(path) => &path.target,
        // A symbolic one leads to what is there when it is used.
        Entry::Alias(alias) => match alias.entry() {
            Some(name) => name,
            None => return Ok(()),
        },
        _ => return Ok(()),
    };
    let comes = coming.iter().any(|e| e.name() == target);
    match (entry, comes) {
        (Entry::Aix(_), false) if contents.get(target).is_ok() => Err(not_restored(
            entry.name(),
            &format!(
                "its base {target} is not restored with it and may have changed since; restore both, or BLDINDEX it"
            ),
        )),
        _ => there(contents, target, comes, entry),
    }
}

fn there(contents: &Contents, target: &Name, comes: bool, entry: &Entry) -> Result<(), Failure> {
    match comes || contents.get(target).is_ok() {
        true => Ok(()),
        false => Err(not_restored(
            entry.name(),
            &format!("it is over {target}, which is neither in the catalog nor restored with it"),
        )),
    }
}

/// Invariant 3.
fn with_its_indexes(contents: &Contents, coming: &[Entry], old: &Entry) -> Result<(), Failure> {
    let alone = contents
        .related(old.name())
        .find(|e| matches!(e, Entry::Aix(_)) && !coming.iter().any(|c| c.name() == e.name()));
    match alone {
        None => Ok(()),
        Some(aix) => Err(not_restored(
            old.name(),
            &format!(
                "its alternate index {} is not restored with it and would not agree with it; restore both, or delete \
                 the alternate index first",
                aix.name()
            ),
        )),
    }
}

/// What is to be restored, and under which names.
struct Wanted {
    masks: Vec<Mask>,
    excluded: Vec<Mask>,
    renames: Vec<(Mask, String)>,
}

impl Wanted {
    fn of(params: &Params) -> Result<Wanted, Failure> {
        let rename = |pair: &Params| -> Result<(Mask, String), Failure> {
            let old = pair.name("oldname").unwrap_or_default();
            let old = Mask::parse(old).map_err(|error| refused(&error, 140, 0))?;
            Ok((old, pair.name("newname").unwrap_or_default().to_owned()))
        };
        Ok(Wanted {
            masks: masks(params, "entryname")?,
            excluded: masks(params, "EXCLUDE")?,
            renames: params.groups("RENAME").iter().map(rename).collect::<Result<_, _>>()?,
        })
    }

    fn means(&self, name: &Name) -> bool {
        (self.masks.is_empty() || self.masks.iter().any(|mask| mask.matches(name)))
            && !self.excluded.iter().any(|mask| mask.matches(name))
    }

    /// The name that the first pair that matches gives.
    fn renamed(&self, name: &Name) -> Result<Option<Name>, Failure> {
        let pair = self.renames.iter().find(|(mask, _)| mask.matches(name));
        pair.map(|(mask, new)| renamed(mask, new, name)).transpose()
    }

    /// Other names for the entry, its components, and what it names. A component whose name no pair gives follows its
    /// entry if its name begins with that.
    fn rename(&self, entry: &mut Entry) -> Result<(), Failure> {
        let old = entry.name().clone();
        let new = self.renamed(&old)?;
        for component in entry.components_mut() {
            let follows = component
                .name
                .as_str()
                .strip_prefix(old.as_str())
                .filter(|rest| rest.starts_with('.'));
            let name = match (&new, follows) {
                (Some(new), Some(rest)) => {
                    Some(Name::parse(&format!("{new}{rest}")).map_err(|error| refused(&error, 140, 0))?)
                }
                _ => self.renamed(&component.name)?,
            };
            component.name = name.unwrap_or_else(|| component.name.clone());
        }
        let target = match entry {
            Entry::Aix(aix) => Some(&mut aix.relate),
            Entry::Path(path) => Some(&mut path.target),
            Entry::Alias(alias) => match &mut alias.relate {
                Relate::Entry(name) => Some(name),
                Relate::Symbolic(_) => None,
            },
            _ => None,
        };
        if let Some(target) = target {
            *target = self.renamed(target)?.unwrap_or_else(|| target.clone());
        }
        if let Some(new) = new {
            entry.rename(new);
        }
        Ok(())
    }
}
