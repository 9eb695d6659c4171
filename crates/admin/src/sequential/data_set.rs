//! A data set that a command writes: its file, its entry, and where both stand. The numbers are those of `sequential`.

use super::super::dd::Writing;
use super::super::failure::{refused, Failure};
use super::super::generations::rolled_off;
use super::super::report::Report;
use super::super::trouble::{no_file, GAVE_UP};
use super::super::Services;
use super::{newcomer, unmade};
use cica_catalog::entry::NonVsam;
use cica_catalog::{Catalog, CatalogError, Contents, Entry};
use cica_disk::{NameLater, NewFile, Open};
use cica_qsam::Attributes;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A data set that can be written.
#[derive(Debug)]
pub(super) struct DataSet {
    pub catalog: Arc<Catalog>,
    /// As it was when the command named it, or as it will be.
    pub entry: NonVsam,
    pub standing: Standing,
}

/// Where a data set stands when a command names it.
#[derive(Debug)]
pub(super) enum Standing {
    /// It is in the catalog.
    There,
    /// Another run has made it since this one first named its group (3).
    Anothers,
    /// It is yet to come, and its file waits here for its name (2).
    New(NameLater),
}

impl DataSet {
    /// Begins the file of one that is yet to come; none: the data set is there.
    pub fn begin_new(&self, services: &Services, path: &Path, writing: Writing) -> io::Result<Option<NewFile>> {
        match &self.standing {
            Standing::There => Ok(None),
            Standing::Anothers => Err(newcomer::made_meanwhile(&self.entry.name)),
            Standing::New(waits) => {
                newcomer::check(services, &self.catalog, &self.entry, path)?;
                let new = NewFile::begin(&services.outside, path)?;
                services.dd.note_begun(path, &new, writing);
                Ok(Some(new.named_later(waits)))
            }
        }
    }

    /// What was written to it is complete: the catalog knows it and its format.
    pub fn complete(
        &self,
        services: &Services,
        path: &Path,
        attributes: &Attributes,
        out: &mut Report,
    ) -> Result<(), Failure> {
        let format = attributes.to_string();
        let Standing::New(waits) = &self.standing else {
            sync_directory(services, path)?;
            return (self.catalog).transact(|contents| state_format(contents, &self.entry, format));
        };
        let complete = NonVsam {
            format,
            ..self.entry.clone()
        };
        let entered = enter(services, &self.catalog, &complete, path, waits, out);
        entered.map_err(|failure| failure.with_cc(GAVE_UP))
    }
}

/// Makes a data set that is not in the catalog, with an empty file: both come, or neither comes.
pub fn make(services: &Services, catalog: &Catalog, data_set: &NonVsam, out: &mut Report) -> Result<(), Failure> {
    if catalog.contents()?.find(&data_set.name).is_some() {
        let name = data_set.name.clone();
        return Err(CatalogError::Duplicate { name }.into());
    }
    let name = data_set.name.as_str();
    let path = file_path(catalog, data_set)?;
    newcomer::check(services, catalog, data_set, &path).map_err(unmade(name))?;
    let waits = NameLater::default();
    let made = NewFile::begin(&services.outside, &path).and_then(|file| file.named_later(&waits).finish());
    made.map_err(no_file(name))?;
    enter(services, catalog, data_set, &path, &waits, out)
}

/// Puts a data set into the catalog whose file waits for its name, and takes out what rolls off for it.
fn enter(
    services: &Services,
    catalog: &Catalog,
    data_set: &NonVsam,
    path: &Path,
    waits: &NameLater,
    out: &mut Report,
) -> Result<(), Failure> {
    let rolled = newcomer::enter(services, catalog, data_set, path, waits)?;
    services.dd.note_made(&data_set.name);
    rolled_off(services, catalog, rolled, out);
    Ok(())
}

/// The name of the file on its volume must be as durable as the entry that leads to it.
fn sync_directory(services: &Services, path: &Path) -> Result<(), Failure> {
    let Some(directory) = path.parent() else {
        return Ok(());
    };
    let how = Open {
        directory: true,
        ..Open::default()
    };
    let opened = services.disk.open(directory, how);
    let synced = opened.and_then(|directory| directory.sync());
    synced.map_err(|error| refused(&format!("{}: {error}", directory.display()), 24, 0))
}

/// The entry of what was written states its format. All else it says is as it is by now (5).
fn state_format(contents: &mut Contents, written: &NonVsam, format: String) -> Result<(), Failure> {
    let place = |data_set: &NonVsam| (data_set.file.clone(), data_set.volumes.first().cloned());
    match contents.get(&written.name)? {
        Entry::NonVsam(there) if place(there) == place(written) => {
            let stated = NonVsam {
                format,
                ..there.clone()
            };
            Ok(contents.replace(&written.name, Entry::NonVsam(stated))?)
        }
        _ => {
            let words = format!(
                "another run has made {} anew while its file was written; run this command again",
                written.name
            );
            Err(refused(&words, 8, 38))
        }
    }
}

/// The file of a data set.
pub(super) fn file_path(catalog: &Catalog, data_set: &NonVsam) -> Result<PathBuf, Failure> {
    catalog.file_path(data_set)?.ok_or_else(|| {
        let words = format!("{} lies on a volume that is not one of this system", data_set.name);
        refused(&words, 68, 20)
    })
}
