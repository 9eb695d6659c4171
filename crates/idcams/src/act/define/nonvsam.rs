//! DEFINE NONVSAM: enters a data set that is not VSAM's; its file is made and written by others.
//!
//! The name of a generation puts the data set into its group, and what the group no longer keeps leaves it.

use super::super::failure::{refused, Failure};
use super::super::generations::rolled_off;
use super::super::{said, Services};
use super::{wanted, FAILED};
use crate::act::report::Report;
use crate::params::{Command, Params};
use cica_catalog::entry::{History, NonVsam};
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name, Volser};
use cica_disk::Open;

/// Carries out DEFINE NONVSAM.
pub fn nonvsam(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match define(services, &command.params, out) {
        Ok(()) => 0,
        Err(failure) => failure.with_cc(FAILED).tell(out),
    }
}

fn define(services: &Services, params: &Params, out: &mut Report) -> Result<(), Failure> {
    let name = Name::parse(params.name("NAME").unwrap_or_default()).map_err(|error| refused(&error, 140, 0))?;
    let joined = |keyword| {
        let words: Vec<&str> = params.list(keyword).iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    };
    let mut history = History::new(services.today());
    said::put_history(&mut history, params, services.today())?;
    let catalog = services.catalog(params, name.as_str())?;
    let rolled = catalog.transact(|contents| {
        let volumes = volumes(contents, params)?;
        let data_set = NonVsam {
            file: contents.file_of_new(&volumes, &name),
            volumes,
            device: joined("DEVICETYPES"),
            format: String::new(),
            sequence: joined("FILESEQUENCENUMBERS"),
            history,
            name,
        };
        if params.flag("RECATALOG") {
            check_file(services, &catalog, &data_set)?;
        }
        Ok::<_, Failure>(contents.add_generation(Entry::NonVsam(data_set), services.today())?)
    })?;
    rolled_off(services, &catalog, rolled, out);
    Ok(())
}

/// Serials as written: tapes and disks of other systems may be named that are no volumes here.
fn volumes(contents: &Contents, params: &Params) -> Result<Vec<Volser>, Failure> {
    let words = params.list("VOLUMES").iter();
    words
        .map(|word| match word.text.as_str() {
            "*" => wanted::default_volume(contents),
            text => Volser::parse(text).map_err(|error| refused(&error, 140, 0)),
        })
        .collect()
}

fn check_file(services: &Services, catalog: &Catalog, data_set: &NonVsam) -> Result<(), Failure> {
    let found = match catalog.file_path(data_set)? {
        Some(path) => services.disk.open(&path, Open::default()).is_ok(),
        None => false,
    };
    match found {
        true => Ok(()),
        false => Err(CatalogError::NotFound {
            name: data_set.name.clone(),
        }
        .into()),
    }
}
