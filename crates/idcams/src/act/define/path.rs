//! DEFINE PATH: the way through an alternate index to its base, or another way to open a cluster.

use super::super::failure::{refused, Failure};
use super::super::{said, Services};
use super::FAILED;
use crate::act::report::Report;
use crate::params::{Command, Params};
use cica_catalog::entry::{History, PathEntry};
use cica_catalog::{Contents, Entry, Found, Name};

/// Carries out DEFINE PATH.
pub fn path(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match define(services, &command.params) {
        Ok(()) => 0,
        Err(failure) => failure.with_cc(FAILED).tell(out),
    }
}

fn define(services: &Services, params: &Params) -> Result<(), Failure> {
    let catalog = services.catalog(params, params.name("NAME").unwrap_or_default())?;
    catalog.transact(|contents| define_in(services, contents, params))
}

/// The same as part of a change of the catalog.
pub fn define_in(services: &Services, contents: &mut Contents, params: &Params) -> Result<(), Failure> {
    let parsed = |text: Option<&str>| Name::parse(text.unwrap_or_default()).map_err(|error| refused(&error, 140, 0));
    let (name, target) = (parsed(params.name("NAME"))?, parsed(params.name("PATHENTRY"))?);
    check(contents, &target)?;
    let model = model(contents, params)?;
    let mut history = History {
        owner: model.as_ref().and_then(|m| m.history.owner.clone()),
        ..History::new(services.today())
    };
    said::put_history(&mut history, params, services.today())?;
    let update = params.switch("UPDATE", "NOUPDATE");
    let entry = Entry::Path(PathEntry {
        update: update.unwrap_or(model.is_none_or(|m| m.update)),
        name: name.clone(),
        target,
        history,
    });
    // RECATALOG makes an entry anew that was lost; one that is there, as it is there.
    match contents.find(&name) {
        Some(Found::Entry(Entry::Path(_))) if params.flag("RECATALOG") => contents.replace(&name, entry)?,
        _ => contents.insert(entry)?,
    }
    Ok(())
}

/// The entry is in the same catalog, and is one that a path can lead to.
fn check(contents: &Contents, target: &Name) -> Result<(), Failure> {
    match contents.find(target) {
        Some(Found::Entry(Entry::Cluster(_) | Entry::Aix(_))) => Ok(()),
        Some(Found::Entry(other)) => {
            let words = format!(
                "{target} is a {}; a path leads to an alternate index or a cluster",
                other.kind().word()
            );
            Err(refused(&words, 48, 0))
        }
        Some(Found::Component(kind, _, of)) => {
            let words = format!("{target} is the {} component of {}; name that", kind.word(), of.name());
            Err(refused(&words, 48, 0))
        }
        None => Err(super::super::failure::not_found(target)),
    }
}

/// The path that MODEL names.
fn model(contents: &Contents, params: &Params) -> Result<Option<PathEntry>, Failure> {
    let Some(words) = params.group("MODEL") else {
        return Ok(None);
    };
    let name = Name::parse(words.name("entry").unwrap_or_default()).map_err(|error| refused(&error, 140, 0))?;
    match contents.get(&name)? {
        Entry::Path(path) => Ok(Some(path.clone())),
        other => Err(refused(
            &format!("MODEL {name} is a {} and no path", other.kind().word()),
            140,
            0,
        )),
    }
}
