//! Files of other catalogs: catalogs share volumes, and a file that another one names, or is making or removing, is not
//! this one's.

use super::failure::{refused, Failure};
use super::Services;
use cica_catalog::{place, Catalog, CatalogError, Name};
use cica_disk::Disk;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Refuses files that are another catalog's; one that cannot be opened is not asked.
///
/// # Errors
/// One of these is.
pub fn check(services: &Services, own: &Catalog, paths: &[&Path]) -> Result<(), Failure> {
    refuse(holder(&*services.disk, &services.catalog.all()?, own, paths)?)
}

/// The same; all must be there to be asked.
///
/// # Errors
/// One of these is, or a catalog cannot be asked.
pub fn check_every(services: &Services, own: &Catalog, paths: &[&Path]) -> Result<(), Failure> {
    refuse(holder(&*services.disk, &services.catalog.every()?, own, paths)?)
}

fn refuse(held: Option<String>) -> Result<(), Failure> {
    held.map_or(Ok(()), |words| Err(refused(&words, 8, 38)))
}

/// Says of which other one of these catalogs one of the files is; none: of no one.
///
/// # Errors
/// A catalog cannot be read.
pub fn holder(
    disk: &dyn Disk,
    catalogs: &[Arc<Catalog>],
    own: &Catalog,
    paths: &[&Path],
) -> Result<Option<String>, CatalogError> {
    let others = catalogs.iter().filter(|other| other.place() != own.place());
    for other in others {
        let held = held_by(disk, other, paths)?;
        if held.is_some() {
            return Ok(held);
        }
    }
    Ok(None)
}

fn held_by(disk: &dyn Disk, other: &Catalog, paths: &[&Path]) -> Result<Option<String>, CatalogError> {
    let real = |path: &Path| {
        let directory = place::real(disk, path.parent()?);
        Some(directory.join(path.file_name()?))
    };
    let paths: Vec<(&Path, PathBuf)> = paths.iter().filter_map(|path| Some((*path, real(path)?))).collect();
    let contents = other.contents()?;
    let named = contents.entries().flat_map(|entry| {
        let files = entry.files().into_iter();
        files.map(move |place| (Some(entry.name()), place))
    });
    let listed = contents.leftovers().map(|place| (None, place.clone()));
    for (name, (serial, file)) in named.chain(listed) {
        // Links are followed of what has the name alone.
        let like = paths.iter().any(|(_, real)| real.ends_with(file.as_str()));
        let volume = contents.volume(&serial).ok().filter(|_| like);
        let theirs = volume.and_then(|volume| real(&file.in_directory(&volume.path(other.directory()))));
        let found = paths.iter().find(|(_, real)| Some(real) == theirs.as_ref());
        if let Some((path, _)) = found {
            let whose = name.map_or("being made or removed".to_owned(), |name: &Name| {
                format!("that of {name}")
            });
            return Ok(Some(format!(
                "the file {} is {whose} in the catalog {}; choose another name or volume",
                path.display(),
                other.directory().display()
            )));
        }
    }
    Ok(None)
}
