//! RESTORE: data sets out of a portable copy, as they were stored.
//!
//! 1. All that is asked for is restored, or nothing: entries go into each catalog by one change, after the copy was
//!    read to its end. Catalogs are changed one after the other: when one of them cannot be, the listing tells which
//!    entries are restored and which are not.
//! 2. What has a name in the catalog is replaced only when REPLACE says so, by one of its kind, and at that one change.
//! 3. An alternate index is never left over a base it was not made for: a base is replaced together with its alternate
//!    indexes or not at all.

use super::super::delete::expired;
use super::super::failure::{refused, Failure};
use super::super::making::Replaced;
use super::super::pattern::renamed;
use super::super::Services;
use super::backup::{masks, tell_idle};
use super::place::place;
use super::receive::Received;
use super::standing::leads_nowhere;
use super::{sphere, Copy, Member};
use crate::named::Named;
use crate::outcome::Outcome;
use crate::report::Report;
use cica_catalog::entry::{FileOf, Relate};
use cica_catalog::{Contents, Entry, Mask, Name};
use cica_format::portable::{Mode, Totals};
use cica_messages::{CICA0908E, CICA0962I, CICA0965E, CICA0966I, CICA0967E, CICA0992I};

/// RESTORE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restore {
    /// Names and masks of what is restored; none means all of the copy.
    pub names: Vec<String>,
    /// Names and masks of what is not.
    pub exclude: Vec<String>,
    /// The file of the copy.
    pub from: Named,
    /// RENAME: other names than in the copy; the first that matches counts.
    pub renames: Vec<Renaming>,
    /// Volumes for all of it, `*` for the default one; none means those in the copy.
    pub volumes: Vec<String>,
    /// REPLACE: in the place of what has the name.
    pub replace: bool,
    /// PURGE: before the expiration date of that too.
    pub purge: bool,
    /// TEST: the copy is read and checked, and nothing is made.
    pub test: bool,
    /// The catalog it comes into; for each name the one that the search order finds where none is said.
    pub catalog: Option<String>,
}

/// A name in a copy and the one it gets here; `*` stands for the same in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    /// Name or mask in the copy.
    pub old: String,
    /// What becomes of it.
    pub new: String,
}

impl Services {
    /// Makes data sets out of a copy that BACKUP made; the result is what is restored, or with TEST would be.
    pub fn restore(&mut self, request: &Restore) -> Outcome<Vec<Member>> {
        Outcome::with(|out| restore(self, request, out))
    }
}

fn restore(services: &mut Services, request: &Restore, out: &mut Report) -> Result<(u8, Vec<Member>), Failure> {
    let mut wanted = RestoreSelection::of(request)?;
    let mut copy = Copy::open(services, &request.from)?;
    let mut received = Received::default();
    let mut done: Vec<(Entry, Member)> = Vec::new();
    while let Some((mode, mut entry)) = copy.member()? {
        if !wanted.means(entry.name()) {
            copy.skip().map(drop)?;
            continue;
        }
        let before = sphere(&entry).clone();
        wanted.note(&entry);
        wanted.rename(&mut entry)?;
        let (totals, records) = if request.test {
            copy.skip()?
        } else {
            one(services, request, &mut copy, &mut received, mode, (&before, &mut entry))?
        };
        let member = Member::of(&entry, &totals, records);
        done.push((entry, member));
    }
    if done.is_empty() {
        return Err(Failure::new(&CICA0967E, &[("name", &request.names.join(" "))]));
    }
    wanted.all_met()?;
    let idle = tell_idle(&wanted.idle(), out);
    let (entered, switched) = received.switch(|contents, coming, replaced| {
        let each = |entry| leads_somewhere(contents, coming, entry);
        coming.iter().try_for_each(each)?;
        let alone = |old| with_its_indexes(contents, coming, old);
        replaced.iter().try_for_each(alone)
    });
    let message = if request.test { &CICA0966I } else { &CICA0962I };
    // When a later catalog could not be changed, what is in an earlier one is restored all the same.
    let is_done = |entry: &Entry| switched.is_ok() || entered.iter().any(|e| e.name() == entry.name());
    for (entry, member) in done.iter().filter(|(entry, _)| is_done(entry)) {
        out.say(
            message,
            &[
                ("kind", &member.kind.word()),
                ("name", &member.name),
                ("count", &member.amount()),
            ],
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
    done.retain(|(entry, _)| switched.is_ok() || entered.iter().any(|e| e.name() == entry.name()));
    let cc = match switched {
        Ok(()) => idle,
        Err(failure) => failure.tell(out),
    };
    Ok((cc, done.into_iter().map(|(_, member)| member).collect()))
}

/// Makes the files of one member, whose sphere had the name `before` in the copy.
fn one(
    services: &mut Services,
    request: &Restore,
    copy: &mut Copy,
    received: &mut Received,
    mode: Mode,
    (before, entry): (&Name, &mut Entry),
) -> Result<(Totals, u64), Failure> {
    let catalog = match &request.catalog {
        Some(catalog) => services.catalog_or_master(Some(catalog))?,
        None => services.home(entry.name())?,
    };
    let contents = catalog.contents()?;
    let within = received.within(services, &catalog)?;
    if let Some(found) = contents.find(entry.name()) {
        let old = found.entry().clone();
        if !request.replace || old.name() != entry.name() {
            return Err(not_restored(
                entry.name(),
                "the catalog has that name; say REPLACE, or RENAME",
            ));
        }
        if old.kind() != entry.kind() {
            let (is, was) = (entry.kind().word(), old.kind().word());
            let words = format!("the catalog has that name as {was}, which no {is} replaces; say RENAME");
            return Err(not_restored(entry.name(), &words));
        }
        if !request.purge {
            expired(services, &old)?;
        }
        let erase = old.attributes().is_some_and(|a| a.erase);
        let lock = Replaced::lock(services, &catalog, old.clone(), erase)?;
        within.replaced.push((old, lock));
    }
    for component in entry.components_mut() {
        place(&contents, &request.volumes, component)?;
    }
    let amount = match mode {
        Mode::Definition => copy.skip()?,
        Mode::ControlIntervals => {
            let paths = within.making.list(entry)?;
            let descent = copy.descent(services, &catalog, before, entry)?;
            copy.rebuild(services, entry, paths, descent)?
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
    let not = |words: String| Err(not_restored(entry.name(), &words));
    if let Some(target) = leads_nowhere(contents, coming, entry) {
        return not(format!(
            "it is over {target}, and no data set of that name is in the catalog or restored with it"
        ));
    }
    match entry {
        Entry::Aix(aix) if !coming.iter().any(|e| *e.name() == aix.relate) => not(format!(
            "its base {} is not restored with it and may have changed since; restore both, or BLDINDEX it",
            aix.relate
        )),
        _ => Ok(()),
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
struct RestoreSelection {
    masks: Vec<Mask>,
    excluded: Vec<Mask>,
    renames: Vec<(Mask, String)>,
    /// Names in the copy that were chosen: of entries, of their components, and of what they lead to.
    met: Vec<Name>,
    chosen: Vec<Name>,
}

impl RestoreSelection {
    fn of(request: &Restore) -> Result<RestoreSelection, Failure> {
        let rename = |pair: &Renaming| -> Result<(Mask, String), Failure> {
            let old = Mask::parse(&pair.old).map_err(|error| refused(&error, 140, 0))?;
            Ok((old, pair.new.clone()))
        };
        Ok(RestoreSelection {
            masks: masks(&request.names)?,
            excluded: masks(&request.exclude)?,
            renames: request.renames.iter().map(rename).collect::<Result<_, _>>()?,
            met: Vec::new(),
            chosen: Vec::new(),
        })
    }

    /// Notes an entry that was chosen, by its names in the copy.
    fn note(&mut self, entry: &Entry) {
        self.chosen.push(entry.name().clone());
        self.met.push(entry.name().clone());
        self.met.push(sphere(entry).clone());
        self.met
            .extend(entry.components().map(|(_, component)| component.name.clone()));
    }

    /// A name that means nothing, or a pair of RENAME, is a mistake: what it should have renamed would come back under
    /// its old name, over what has that. A mask that means nothing beside others is told ([`idle`](Self::idle)).
    fn all_met(&self) -> Result<(), Failure> {
        let missing = |mask: &&Mask| !mask.is_generic() && !self.chosen.iter().any(|name| mask.matches(name));
        let name = self.masks.iter().find(missing).map(Mask::as_str);
        let unused = |pair: &&(Mask, String)| !self.met.iter().any(|name| pair.0.matches(name));
        let renaming = || self.renames.iter().find(unused).map(|(mask, _)| mask.as_str());
        match name.or_else(renaming) {
            Some(name) => Err(Failure::new(&CICA0967E, &[("name", &name)])),
            None => Ok(()),
        }
    }

    /// Masks that mean nothing of the copy.
    fn idle(&self) -> Vec<Mask> {
        let means = |mask: &&Mask| self.chosen.iter().any(|name| mask.matches(name));
        self.masks.iter().filter(|mask| !means(mask)).cloned().collect()
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
