//! Files in the way of a DEFINE: what a DEFINE left behind that did not come to its end, and what must stay.

use super::super::failure::{refused, Failure};
use super::super::Services;
use cica_catalog::defining::is_blank;
use cica_catalog::Catalog;
use cica_disk::Open;
use std::io;
use std::path::Path;

/// Removes files at these paths if they never held a record.
///
/// # Errors
/// A file may hold records, is another catalog's, or somebody has it open.
pub fn clear(services: &Services, catalog: &Catalog, data: &Path, index: &Path) -> Result<(), Failure> {
    for other in services.catalog.all()? {
        check_other(catalog, &other, [data, index])?;
    }
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
            check_other(catalog, &other, [data, index])?;
        }
        services.engine.destroy(data, index, false)?;
    }
    Ok(())
}

/// Catalogs share volumes: an empty data set of another one is not a leftover.
fn check_other(own: &Catalog, other: &Catalog, paths: [&Path; 2]) -> Result<(), Failure> {
    if other.directory() == own.directory() {
        return Ok(());
    }
    let contents = other.contents()?;
    for entry in contents.entries() {
        for (_, component) in entry.components() {
            let path = other.component_path(component)?;
            if paths.contains(&&*path) {
                let words = format!(
                    "the file {} is that of {} in the catalog {}; choose another name or volume",
                    path.display(),
                    entry.name(),
                    other.directory().display()
                );
                return Err(refused(&words, 8, 38));
            }
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
