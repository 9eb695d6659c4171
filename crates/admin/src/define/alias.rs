//! DEFINE ALIAS: another name for an entry, or the qualifiers by which names belong to a user catalog.

use super::super::failure::{refused, Failure};
use super::super::Services;
use super::FAILED;
use crate::outcome::Outcome;
use cica_catalog::entry::{Alias, Relate};
use cica_catalog::{Contents, Entry, Name, Resolved, Symbolic};

/// Most qualifiers of an alias of a user catalog.
const QUALIFIERS: usize = 4;

/// DEFINE ALIAS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefineAlias {
    /// The name it gives.
    pub name: String,
    /// What it stands for.
    pub related: Related,
    /// The catalog; none: the one that the search order finds.
    pub catalog: Option<String>,
}

/// What an alias stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Related {
    /// An entry of the same catalog.
    Entry(String),
    /// A name with symbols, which each system resolves for itself.
    Symbolic(String),
}

impl Services {
    /// Gives an entry another name, or a user catalog the qualifiers by which names belong to it.
    pub fn define_alias(&mut self, request: &DefineAlias) -> Outcome {
        Outcome::of(|_| match define(self, request) {
            Ok(()) => Ok(0),
            Err(failure) => Err(failure.with_cc(FAILED)),
        })
    }
}

fn define(services: &Services, request: &DefineAlias) -> Result<(), Failure> {
    let parsed = |text: &str| Name::parse(text).map_err(|error| refused(&error, 140, 0));
    let name = parsed(&request.name)?;
    let relate = match &request.related {
        Related::Symbolic(text) => Relate::Symbolic(Symbolic::parse(text).map_err(|error| refused(&error, 140, 0))?),
        Related::Entry(text) => Relate::Entry(parsed(text)?),
    };
    let catalog = match (&request.catalog, &relate) {
        // What leads to a user catalog stands beside it, under an alias of another one too.
        (None, Relate::Entry(relate)) if is_user_catalog(services, relate)? => services.catalog.clone(),
        (stated, _) => services.catalog_of(stated.as_deref(), name.as_str())?,
    };
    catalog.transact(|contents| {
        // What a name with symbols is, and whether it is there, is another thing on each system.
        if let Relate::Entry(relate) = &relate {
            check(contents, &name, relate)?;
        }
        Ok(contents.insert(Entry::Alias(Alias { name, relate }))?)
    })
}

fn is_user_catalog(services: &Services, name: &Name) -> Result<bool, Failure> {
    let contents = services.catalog.contents()?;
    let is_one = matches!(contents.get(name), Ok(Entry::UserCatalog(_)));
    Ok(is_one)
}

/// The entry is in the same catalog, and is one that can have another name.
fn check(contents: &Contents, name: &Name, relate: &Name) -> Result<(), Failure> {
    let entry = match contents.find(relate) {
        Some(Resolved::Entry(entry)) => entry,
        Some(Resolved::Component(kind, _, of)) => {
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
