//! Files in the way of a DEFINE: what a DEFINE left behind that did not come to its end, and what must stay.

use super::super::failure::{refused, Failure};
use super::super::Services;
use cica_catalog::defining::is_blank;
use cica_catalog::{place, Catalog};
use cica_disk::Open;
use std::io;
use std::path::{Path, PathBuf};

/// Removes files at these paths if they never held a record.
///
/// # Errors
/// A file may hold records, is another catalog's, or somebody has it open.
pub fn clear(services: &Services, catalog: &Catalog, data: &Path, index: &Path) -> Result<(), Failure> {
    check_others(services, catalog, &[data, index])?;
    let mut found = false;
    for path in [data, index].into_iter().filter(|path| !path.as_os_str().is_empty()) {
        match services.disk.open(path, Open::default()) {
            Ok(file) if is_blank(&*file).unwrap_or(false) => found = true,
            Ok(_) => return Err(in_the_way(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return Err(in_the_way(path)),
        }
    }
    if found {
        // What is about to go may be that of a catalog that cannot be asked.
        for other in services.catalog.every()? {
            check_other(services, catalog, &other, &[data, index])?;
        }
        services.engine.destroy(data, index, false)?;
    }
    Ok(())
}

/// Catalogs share volumes: a file that another one names, or is making or removing, is not this one's.
///
/// # Errors
/// One of these is another catalog's.
pub fn check_others(services: &Services, catalog: &Catalog, paths: &[&Path]) -> Result<(), Failure> {
    let mut others = services.catalog.all()?.into_iter();
    others.try_for_each(|other| check_other(services, catalog, &other, paths))
}

fn check_other(services: &Services, own: &Catalog, other: &Catalog, paths: &[&Path]) -> Result<(), Failure> {
    if other.place() == own.place() {
        return Ok(());
    }
    let real = |path: &Path| {
        let directory = place::real(&*services.disk, path.parent()?);
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
            let whose = name.map_or("being made or removed".to_owned(), |name| format!("that of {name}"));
            let words = format!(
                "the file {} is {whose} in the catalog {}; choose another name or volume",
                path.display(),
                other.directory().display()
            );
            return Err(refused(&words, 8, 38));
        }
    }
    Ok(())
}

fn in_the_way(path: &Path) -> Failure {
    let words = format!(
        "the file {} is there and not in this catalog; DEFINE ... RECATALOG takes a data set in that has records, or \
         move the file away",
        path.display()
    );
    refused(&words, 8, 38)
}
