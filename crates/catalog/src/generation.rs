//! Generation data groups: data sets `BASE.GnnnnVvv` in the order of their making.
//!
//! ```text
//! number   0001 ... 9998 9999 0001 0002        after 9999 comes 0001, which is newer as long as a 9nnn is there
//! relative              (-3) (-2) (-1) (0)     and (+1) is the one to be made next
//! ```
//!
//! Invariants, kept by [`Contents::add_generation`] and [`Contents::roll_off`]:
//!
//! * R1. A group has at most LIMIT generations in its catalog, and each generation number at most once: a new version
//!   takes the place of the old one. A cluster, which somebody may have open, stays until whoever takes the others out
//!   has made sure that nobody has ([`Rolled::is_out`]); if somebody has, it goes with the next one.
//! * R2. Generations leave from the oldest on; all older ones at once with EMPTY.

use crate::contents::Contents;
use crate::date::Date;
use crate::entry::{Entry, Gdg};
use crate::error::CatalogError;
use crate::name::{Name, NameError, MAX_NAME};

/// Longest name of a group: nine characters follow it.
pub const MAX_BASE: usize = MAX_NAME - 9;
/// The greatest generation number.
const LAST: u16 = 9_999;

/// Number and version of a generation. The order is that of names; for the order of making see
/// [`Contents::generations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation {
    /// The absolute generation number, 1-9999 (0 can be named too).
    pub number: u16,
    /// The version, 0-99.
    pub version: u8,
}

/// A generation that leaves its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rolled {
    /// Its entry.
    pub entry: Entry,
    /// Whether its data go too.
    pub scratch: bool,
}

impl Rolled {
    /// Is it out of the catalog already? A cluster is not, nor what hangs on it: alternate indexes, paths.
    pub fn is_out(&self) -> bool {
        !matches!(self.entry, Entry::Cluster(_))
    }
}

impl Generation {
    /// The generation that a name means, if it is one, and the name of its group.
    pub fn of(name: &Name) -> Option<(Name, Generation)> {
        let (base, last) = name.as_str().rsplit_once('.')?;
        let digits = |range: std::ops::Range<usize>| {
            let digits = last.get(range).filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
            digits.parse::<u16>().ok()
        };
        if last.len() != 8 || !last.starts_with('G') || last.as_bytes()[5] != b'V' {
            return None;
        }
        let generation = Generation {
            number: digits(1..5)?,
            // Two digits.
            version: digits(6..8)? as u8,
        };
        Some((Name::parse(base).ok()?, generation))
    }

    /// Its name in a group.
    ///
    /// # Errors
    /// The name of the group is longer than [`MAX_BASE`].
    pub fn name(self, base: &Name) -> Result<Name, NameError> {
        Name::parse(&format!("{base}.G{:04}V{:02}", self.number, self.version))
    }

    /// The generation `steps` after the newest of a group; of one that has none, from the first on.
    pub fn next(newest: Option<Generation>, steps: u16) -> Generation {
        newest.unwrap_or(Generation { number: 0, version: 0 }).after(steps)
    }

    /// The first version of the generation `steps` after this one.
    pub fn after(self, steps: u16) -> Generation {
        let number = u32::from(self.number) + u32::from(steps);
        Generation {
            // At most 9,999 + 65,535.
            number: ((number.max(1) - 1) % u32::from(LAST) + 1) as u16,
            version: 0,
        }
    }
}

/// `BASE(n)`: the name of the group and the relative number.
pub fn parse_relative(text: &str) -> Option<(&str, i32)> {
    let (base, rest) = text.split_once('(')?;
    let number = rest.strip_suffix(')')?;
    Some((base, number.parse().ok()?))
}

impl Contents {
    /// Generations of a group with their entries, oldest first.
    pub fn generations<'a>(&'a self, base: &Name) -> Vec<(Generation, &'a Entry)> {
        let mut all: Vec<(Generation, &Entry)> = self
            .below(base)
            .filter_map(|entry| match Generation::of(entry.name()) {
                Some((group, generation)) if group == *base => Some((generation, entry)),
                _ => None,
            })
            .collect();
        let wrapped = all.iter().any(|(generation, _)| generation.number > 9_000);
        let age = |number: u16| {
            if wrapped && number < 1_000 {
                number + LAST
            } else {
                number
            }
        };
        all.sort_by_key(|(generation, _)| (age(generation.number), generation.version));
        all
    }

    /// The group of this name.
    pub fn gdg(&self, base: &Name) -> Option<&Gdg> {
        match self.get(base) {
            Ok(Entry::Gdg(gdg)) => Some(gdg),
            _ => None,
        }
    }

    /// The entry that `base(relative)` means, 0 or less; none: the group has not so many.
    pub fn relative<'a>(&'a self, base: &Name, relative: i32) -> Option<&'a Entry> {
        let newest = self.newest(base)?;
        self.relative_to(base, Some(newest), relative).filter(|_| relative <= 0)
    }

    /// The generation that was made last.
    pub fn newest(&self, base: &Name) -> Option<Generation> {
        self.generations(base).last().map(|(generation, _)| *generation)
    }

    /// The entry that `base(relative)` means where (0) is `newest`, if it is there: a step of a job counts from the
    /// generation that was the newest when it first named the group.
    pub fn relative_to<'a>(&'a self, base: &Name, newest: Option<Generation>, relative: i32) -> Option<&'a Entry> {
        let all = self.generations(base);
        let found = match u16::try_from(relative) {
            Ok(steps @ 1..) => {
                let number = Generation::next(newest, steps);
                all.iter().find(|(generation, _)| *generation == number)
            }
            _ => {
                let place = all.iter().position(|(generation, _)| Some(*generation) == newest)?;
                all.get(place.checked_sub(relative.unsigned_abs() as usize)?)
            }
        };
        found.map(|(_, entry)| *entry)
    }

    /// The generation that `base(+steps)` will be, counted from the newest there is.
    pub fn next_generation(&self, base: &Name, steps: u16) -> Generation {
        Generation::next(self.newest(base), steps)
    }

    /// Puts in a generation and takes out those that go for it (R1, R2). The data of those that are scratched are
    /// listed as leftovers; the caller removes them after the change ([`crate::Catalog::remove_leftovers`]). A name that
    /// is no generation of a group comes in as any other.
    ///
    /// # Errors
    /// [`CatalogError::GenerationTooOld`]: the group is full of newer ones.
    pub fn add_generation(&mut self, entry: Entry, today: Date) -> Result<Vec<Rolled>, CatalogError> {
        let name = entry.name().clone();
        let Some((base, new)) = Generation::of(&name).filter(|(base, _)| self.gdg(base).is_some()) else {
            self.insert(entry)?;
            return Ok(Vec::new());
        };
        let versions = self.generations(&base).into_iter();
        let old: Vec<Name> = versions
            .filter(|(there, _)| there.number == new.number && there.version != new.version)
            .map(|(_, entry)| entry.name().clone())
            .collect();
        self.insert(entry)?;
        let mut rolled = Vec::new();
        for old in &old {
            rolled.push(self.roll(&base, old, today)?);
        }
        rolled.extend(self.roll_off_but(&old, &base, today)?);
        if rolled.iter().any(|rolled| *rolled.entry.name() == name) {
            return Err(CatalogError::GenerationTooOld { name });
        }
        Ok(rolled)
    }

    /// A generation of this name leaves its group, or comes back to it.
    pub fn group_changed(&mut self, name: &Name, today: Date) {
        let group = Generation::of(name).and_then(|(base, _)| self.gdg(&base).cloned());
        if let Some(group) = group.filter(|group| group.altered != Some(today)) {
            let base = group.name.clone();
            let altered = Some(today);
            // The same entry under the same name fits where it was.
            let _ = self.replace(&base, Entry::Gdg(Gdg { altered, ..group }));
        }
    }

    /// Takes out what is beyond LIMIT (R2).
    pub fn roll_off(&mut self, base: &Name, today: Date) -> Result<Vec<Rolled>, CatalogError> {
        self.roll_off_but(&[], base, today)
    }

    /// The same; these are on their way out already.
    fn roll_off_but(&mut self, going: &[Name], base: &Name, today: Date) -> Result<Vec<Rolled>, CatalogError> {
        let Some(gdg) = self.gdg(base) else {
            return Ok(Vec::new());
        };
        let (limit, empty) = (usize::from(gdg.limit), gdg.empty);
        let mut all = self.generations(base);
        all.retain(|(_, entry)| !going.contains(entry.name()));
        if all.len() <= limit {
            return Ok(Vec::new());
        }
        let going = if empty { all.len() - 1 } else { all.len() - limit };
        let names: Vec<Name> = all[..going].iter().map(|(_, entry)| entry.name().clone()).collect();
        names.iter().map(|name| self.roll(base, name, today)).collect()
    }

    /// Takes one generation out, if it is no cluster. SCRATCH: data that may go, expired ones and all with PURGE.
    fn roll(&mut self, base: &Name, name: &Name, today: Date) -> Result<Rolled, CatalogError> {
        let (scratch, purge) = self.gdg(base).map_or((false, false), |gdg| (gdg.scratch, gdg.purge));
        let entry = self.get(name)?.clone();
        let kept = entry
            .history()
            .and_then(|h| h.expires)
            .is_some_and(|day| day.keeps_on(today));
        let rolled = Rolled {
            entry,
            scratch: scratch && (purge || !kept),
        };
        if rolled.is_out() {
            self.remove(name)?;
            self.group_changed(name, today);
            if rolled.scratch {
                self.add_leftovers_of(&rolled.entry, false);
            }
        }
        Ok(rolled)
    }
}
