//! Files in the way of a DEFINE: what a DEFINE left behind that did not come to its end, and what must stay.

use super::super::failure::{refused, Failure};
use super::super::{elsewhere, Services};
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
    elsewhere::check(services, catalog, &[data, index])?;
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
        elsewhere::check_every(services, catalog, &[data, index])?;
        services.engine.destroy(data, index, false)?;
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
