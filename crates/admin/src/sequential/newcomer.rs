//! A data set that is made: its file and its entry come together, or neither comes.
//!
//! ```text
//! check    a file of its name that nobody gave up, or an entry, is in the way
//! write    the file has no name (cica_disk::NameLater)
//! enter    one change lists the file as a leftover, before it has its name (cica_catalog::staging)
//!          one change gives it the name, which nothing has, and the entry, which takes it off the list
//! ```
//! 1. A file that no entry names is a dead run's if it is listed, and stays if it is not. So what a DELETE left is never
//!    written over, and what a dead run left is in nobody's way.
//! 2. Who dies before the second change leaves no file, or a listed one, which goes at the next open of the catalog.
//! 3. Of two that make the same data set at once the first has it. The other is refused, and its file is gone.

use super::super::failure::{refused, Failure};
use super::super::{elsewhere, Services};
use cica_catalog::entry::NonVsam;
use cica_catalog::generation::Rolled;
use cica_catalog::staging::VolumeFile;
use cica_catalog::{Catalog, CatalogError, Entry, Name};
use cica_disk::{NameLater, Open};
use cica_engine::OpenError;
use cica_messages::CICA0934E;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Refuses what could not be entered when it is written.
///
/// # Errors
/// `AlreadyExists`: a file that stays has the name, or a data set has it by now.
pub fn check(services: &Services, catalog: &Catalog, data_set: &NonVsam, path: &Path) -> io::Result<()> {
    let contents = catalog.contents().map_err(io::Error::other)?;
    if contents.find(&data_set.name).is_some() {
        return Err(made_meanwhile(&data_set.name));
    }
    let files = files_of(data_set);
    if contents.leftovers().any(|leftover| files.contains(leftover)) {
        return Ok(());
    }
    check_file(services, path)
}

/// The error of a data set that another run has made.
pub fn made_meanwhile(name: &Name) -> io::Error {
    let words = format!(
        "another run has made {name} meanwhile, and it stays as it is; run this command again for a data set of its own"
    );
    io::Error::new(ErrorKind::AlreadyExists, words)
}

/// Gives the file that waits its name, and the data set its entry. Returns what rolls off for it.
///
/// # Errors
/// Something is in the way, or the system says no: there is neither file nor entry.
pub fn enter(
    services: &Services,
    catalog: &Catalog,
    data_set: &NonVsam,
    path: &Path,
    file: &NameLater,
) -> Result<Vec<Rolled>, Failure> {
    let _right = catalog.stage()?;
    let files = files_of(data_set);
    announce(services, catalog, data_set, path, &files)?;
    let mut named = false;
    let entered = catalog.transact(|contents| {
        let rolled = contents.add_generation(Entry::NonVsam(data_set.clone()), services.today());
        let rolled = rolled.map_err(|error| not_entered(error, data_set))?;
        file.name().map_err(|error| unnamed(path, &error))?;
        named = true;
        Ok::<_, Failure>(rolled)
    });
    if entered.is_err() && !named {
        withdraw(catalog, &files);
    }
    entered
}

fn files_of(data_set: &NonVsam) -> Vec<VolumeFile> {
    Entry::NonVsam(data_set.clone()).files()
}

/// Nothing may have the name of the file.
fn check_file(services: &Services, path: &Path) -> io::Result<()> {
    match services.disk.open(path, Open::default()) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        _ => Err(io::Error::new(ErrorKind::AlreadyExists, in_the_way(path))),
    }
}

fn in_the_way(path: &Path) -> String {
    format!(
        "the file {} is there and not in this catalog; DEFINE NONVSAM ... RECATALOG takes it in, or move the file away",
        path.display()
    )
}

/// Lists the file (2). A dead run's file of that name goes (1).
fn announce(
    services: &Services,
    catalog: &Catalog,
    data_set: &NonVsam,
    path: &Path,
    files: &[VolumeFile],
) -> Result<(), Failure> {
    let listed = catalog.contents()?;
    if files.iter().any(|file| listed.erases(file)) {
        // It goes with the change below, so what cannot be overwritten stops this.
        match services.engine.overwrite(path) {
            Err(OpenError::Missing { .. }) => {}
            done => done?,
        }
    }
    catalog.transact(|contents| {
        if contents.find(&data_set.name).is_some() {
            let name = data_set.name.clone();
            return Err(not_entered(CatalogError::Duplicate { name }, data_set));
        }
        if contents.leftovers().any(|leftover| files.contains(leftover)) {
            // What is about to go may be that of a catalog that cannot be asked.
            elsewhere::check_every(services, catalog, &[path])?;
        } else {
            elsewhere::check(services, catalog, &[path])?;
        }
        if let Some((left, error)) = catalog.remove_leftovers(contents, files).first() {
            return Err(unnamed(left, error));
        }
        check_file(services, path).map_err(|error| unnamed(path, &error))?;
        for (serial, file) in files {
            contents.add_leftover(serial, file, false);
        }
        Ok(())
    })
}

/// Takes the file off the list again: it never had its name, and what has that name is not this run's.
fn withdraw(catalog: &Catalog, files: &[VolumeFile]) {
    let taken_off = catalog.transact(|contents| -> Result<(), CatalogError> {
        for (serial, file) in files {
            contents.remove_leftover(serial, file);
        }
        Ok(())
    });
    // The caller hears of the failure before. The next open of the catalog finds no file, and takes it off.
    let _ = taken_off;
}

fn not_entered(error: CatalogError, data_set: &NonVsam) -> Failure {
    match error {
        error @ CatalogError::Duplicate { .. } => {
            Failure::from(error).and(&CICA0934E, &[("reason", &made_meanwhile(&data_set.name))])
        }
        error => error.into(),
    }
}

/// The failure of a file that cannot have its name.
fn unnamed(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        ErrorKind::AlreadyExists => refused(&in_the_way(path), 8, 38),
        _ => refused(&format!("{}: {error}", path.display()), 24, 0),
    }
}
