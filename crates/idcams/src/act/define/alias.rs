//! DEFINE ALIAS: another name for an entry, or the qualifiers by which names belong to a user catalog.

use super::super::failure::{refused, Failure};
use super::super::Services;
use super::FAILED;
use crate::act::report::Report;
use crate::params::{Command, Params};
use cica_catalog::entry::{Alias, Relate};
use cica_catalog::{Contents, Entry, Found, Name, Symbolic};

/// Most qualifiers of an alias of a user catalog.
const QUALIFIERS: usize = 4;

/// Carries out DEFINE ALIAS.
pub fn alias(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match define(services, &command.params) {
        Ok(()) => 0,
        Err(failure) => failure.with_cc(FAILED).tell(out),
    }
}

fn define(services: &Services, params: &Params) -> Result<(), Failure> {
    let parsed = |keyword| {
        let text = params.name(keyword).unwrap_or_default();
        Name::parse(text).map_err(|error| refused(&error, 140, 0))
    };
    let name = parsed("NAME")?;
    let relate = match params.name("SYMBOLICRELATE") {
        Some(text) => Relate::Symbolic(Symbolic::parse(text).map_err(|error| refused(&error, 140, 0))?),
        None => Relate::Entry(parsed("RELATE")?),
    };
    let catalog = services.catalog(params, name.as_str())?;
    catalog.transact(|contents| {
        // What a name with symbols is, and whether it is there, is another thing on each system.
        if let Relate::Entry(relate) = &relate {
            check(contents, &name, relate)?;
        }
        Ok(contents.insert(Entry::Alias(Alias { name, relate }))?)
    })
}

/// The entry is in the same catalog, and is one that can have another name.
fn check(contents: &Contents, name: &Name, relate: &Name) -> Result<(), Failure> {
    let entry = match contents.find(relate) {
        Some(Found::Entry(entry)) => entry,
        Some(Found::Component(kind, _, of)) => {
            let words = format!("{relate} is the {} component of {}; name that", kind.word(), of.name());
            return Err(refused(&words, 48, 0));
        }
        None => {
            let words =
                format!("{relate} is not in the catalog that {name} belongs to; an alias stands beside its entry");
            return Err(refused(&words, 8, 42));
        }
    };
    match entry {
        Entry::Alias(_) => Err(refused(
            &format!("{relate} is itself an alias; relate to its entry"),
            48,
            0,
        )),
        Entry::UserCatalog(_) if name.qualifiers().count() > QUALIFIERS => Err(refused(
            &format!("{name} has more than {QUALIFIERS} qualifiers, the most that an alias of a catalog has"),
            140,
            0,
        )),
        _ => Ok(()),
    }
}
