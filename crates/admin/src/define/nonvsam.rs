//! DEFINE NONVSAM: enters a data set that is not VSAM's; its file is made and written by others.
//!
//! The name of a generation puts the data set into its group, and what the group no longer keeps leaves it.

use super::super::failure::{refused, Failure};
use super::super::generations::rolled_off;
use super::super::stated::Tenure;
use super::super::Services;
use super::{wanted, FAILED};
use crate::outcome::Outcome;
use crate::report::Report;
use cica_catalog::entry::{History, NonVsam};
use cica_catalog::{Catalog, CatalogError, Contents, Entry, Name, Volser};
use cica_disk::Open;

/// DEFINE NONVSAM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefineNonvsam {
    /// Its name.
    pub name: String,
    /// The catalog; none: the one that the search order finds.
    pub catalog: Option<String>,
    /// Serials of its volumes; `*` is any.
    pub volumes: Vec<String>,
    /// DEVICETYPES.
    pub device_types: Vec<String>,
    /// FILESEQUENCENUMBERS.
    pub sequence: Vec<String>,
    /// OWNER, TO and FOR.
    pub tenure: Tenure,
    /// Its file must be there.
    pub recatalog: bool,
}

impl Services {
    /// Enters a data set that is not VSAM's.
    pub fn define_nonvsam(&mut self, request: &DefineNonvsam) -> Outcome {
        Outcome::of(|out| match define(self, request, out) {
            Ok(()) => Ok(0),
            Err(failure) => Err(failure.with_cc(FAILED)),
        })
    }
}

fn define(services: &Services, request: &DefineNonvsam, out: &mut Report) -> Result<(), Failure> {
    let name = Name::parse(&request.name).map_err(|error| refused(&error, 140, 0))?;
    let mut history = History::new(services.today());
    request.tenure.put(&mut history, services.today())?;
    let catalog = services.catalog_of(request.catalog.as_deref(), name.as_str())?;
    let rolled = catalog.transact(|contents| {
        let volumes = volumes(contents, &request.volumes)?;
        let data_set = NonVsam {
            file: contents.file_of_new(&volumes, &name),
            volumes,
            device: request.device_types.join(" "),
            format: String::new(),
            sequence: request.sequence.join(" "),
            history,
            name,
        };
        if request.recatalog {
            check_file(services, &catalog, &data_set)?;
        }
        Ok::<_, Failure>(contents.add_generation(Entry::NonVsam(data_set), services.today())?)
    })?;
    rolled_off(services, &catalog, rolled, out);
    Ok(())
}

/// Serials as written: tapes and disks of other systems may be named that are no volumes here.
fn volumes(contents: &Contents, serials: &[String]) -> Result<Vec<Volser>, Failure> {
    serials
        .iter()
        .map(|text| match text.as_str() {
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
    if found {
        Ok(())
    } else {
        Err(CatalogError::NotFound {
            name: data_set.name.clone(),
        }
        .into())
    }
}
