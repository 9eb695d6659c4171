//! DEFINE PATH: the way through an alternate index to its base, or another way to open a cluster.

use super::super::failure::{refused, Failure};
use super::super::stated::{Model, Tenure};
use super::super::Services;
use super::wanted::model_place;
use super::FAILED;
use crate::outcome::Outcome;
use cica_catalog::entry::{History, PathEntry};
use cica_catalog::{Contents, Entry, Name, Resolved};

/// DEFINE PATH.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefinePath {
    /// Its name.
    pub name: String,
    /// PATHENTRY: an alternate index or a cluster.
    pub target: String,
    /// The catalog; none: the one that the search order finds.
    pub catalog: Option<String>,
    /// UPDATE (true) or NOUPDATE: who opens it keeps the upgrade set up to date.
    pub update: Option<bool>,
    /// MODEL: a path whose attributes are taken.
    pub model: Option<Model>,
    /// OWNER, TO and FOR.
    pub tenure: Tenure,
    /// The path may be there already.
    pub recatalog: bool,
}

impl Services {
    /// Enters a path.
    pub fn define_path(&mut self, request: &DefinePath) -> Outcome {
        Outcome::of(|_| match define(self, request) {
            Ok(()) => Ok(0),
            Err(failure) => Err(failure.with_cc(FAILED)),
        })
    }
}

fn define(services: &Services, request: &DefinePath) -> Result<(), Failure> {
    let catalog = services.catalog_of(request.catalog.as_deref(), &request.name)?;
    catalog.transact(|contents| define_in(services, contents, request))
}

/// The same as part of a change of the catalog.
pub fn define_in(services: &Services, contents: &mut Contents, request: &DefinePath) -> Result<(), Failure> {
    let parsed = |text: &str| Name::parse(text).map_err(|error| refused(&error, 140, 0));
    let (name, target) = (parsed(&request.name)?, parsed(&request.target)?);
    check(contents, &target)?;
    let model = model(services, request.model.as_ref())?;
    let mut history = History {
        owner: model.as_ref().and_then(|m| m.history.owner.clone()),
        ..History::new(services.today())
    };
    request.tenure.put(&mut history, services.today())?;
    let entry = Entry::Path(PathEntry {
        update: request.update.unwrap_or(model.is_none_or(|m| m.update)),
        name: name.clone(),
        target,
        history,
    });
    // RECATALOG makes an entry anew that was lost; one that is there, as it is there.
    match contents.find(&name) {
        Some(Resolved::Entry(Entry::Path(_))) if request.recatalog => contents.replace(&name, entry)?,
        _ => contents.insert(entry)?,
    }
    Ok(())
}

/// The entry is in the same catalog, and is one that a path can lead to.
fn check(contents: &Contents, target: &Name) -> Result<(), Failure> {
    match contents.find(target) {
        Some(Resolved::Entry(Entry::Cluster(_) | Entry::Aix(_))) => Ok(()),
        Some(Resolved::Entry(other)) => {
            let words = format!(
                "{target} is a {}; a path leads to an alternate index or a cluster",
                other.kind().word()
            );
            Err(refused(&words, 48, 0))
        }
        Some(Resolved::Component(kind, _, of)) => {
            let words = format!("{target} is the {} component of {}; name that", kind.word(), of.name());
            Err(refused(&words, 48, 0))
        }
        None => Err(super::super::failure::not_found(target)),
    }
}

/// The path that MODEL names.
fn model(services: &Services, model: Option<&Model>) -> Result<Option<PathEntry>, Failure> {
    let Some(model) = model else {
        return Ok(None);
    };
    let (name, contents) = model_place(services, model)?;
    match contents.get(&name)? {
        Entry::Path(path) => Ok(Some(path.clone())),
        other => Err(refused(
            &format!("MODEL {name} is a {} and no path", other.kind().word()),
            140,
            0,
        )),
    }
}
