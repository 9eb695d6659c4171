//! DEFINE VOLUME and DELETE ... VOLUME: which directories are volumes, and of what device type.

use super::failure::{refused, Failure};
use super::outcome::Outcome;
use super::report::Report;
use super::Services;
use cica_catalog::{CatalogError, Device, Volser};
use cica_messages::{CICA0936I, IDC0550I, IDC0556I};
use std::path::Path;

/// DEFINE VOLUME.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefineVolume {
    /// Its serial.
    pub serial: String,
    /// The catalog it is made known to; none: the master.
    pub catalog: Option<String>,
    /// A device type such as 3390; none: the default.
    pub device: Option<String>,
    /// Cylinders that its data sets may take together; none: as many as the device has.
    pub cylinders: Option<u32>,
    /// Its directory; none: one of its name beside the catalog.
    pub path: Option<String>,
}

impl Services {
    /// Makes a directory a volume.
    pub fn define_volume(&mut self, request: &DefineVolume) -> Outcome {
        Outcome::of(|out| match add(self, request, out) {
            Ok(()) => Ok(0),
            Err(failure) => Err(failure.with_cc(12)),
        })
    }
}

fn add(services: &Services, request: &DefineVolume, out: &mut Report) -> Result<(), Failure> {
    let serial = Volser::parse(&request.serial).map_err(|error| refused(&error, 140, 0))?;
    let device = match &request.device {
        None => Device::default_type(),
        Some(name) => Device::by_name(name).ok_or_else(|| {
            let known: Vec<&str> = cica_catalog::geometry::DEVICES.iter().map(Device::name).collect();
            refused(
                &format!(
                    "{name} is no device type that is known; give one of {}",
                    known.join(", ")
                ),
                140,
                0,
            )
        })?,
    };
    let catalog = services.catalog_or_master(request.catalog.as_deref())?;
    let directory = request.path.as_deref().map(Path::new);
    let volume = catalog.add_volume(&serial, device, directory, request.cylinders)?;
    let directory = volume.path(catalog.directory());
    out.say(
        &CICA0936I,
        &[
            ("name", &serial),
            ("device", &device.name()),
            ("directory", &directory.display()),
        ],
    );
    Ok(())
}

/// Forgets a volume without data sets; its directory stays. A `test` says so and forgets nothing.
pub fn delete(
    services: &Services,
    name: &str,
    catalog: Option<&str>,
    test: bool,
    out: &mut Report,
) -> Result<(), Failure> {
    let serial = Volser::parse(name).map_err(|error| refused(&error, 140, 0))?;
    let catalog = services.catalog_or_master(catalog)?;
    let place = catalog.contents()?.volume(&serial)?.path(catalog.directory());
    for other in services.catalog.every()? {
        let contents = other.contents()?;
        // What another catalog has on the same volume keeps it; one of its own may have the same serial.
        let same = contents
            .volume(&serial)
            .is_ok_and(|volume| volume.path(other.directory()) == place);
        if let Some(name) = contents.holder(&serial).filter(|_| same).cloned() {
            return Err(CatalogError::VolumeInUse { serial, name }.into());
        }
    }
    let message = if test {
        &IDC0556I
    } else {
        catalog.remove_volume(&serial)?;
        &IDC0550I
    };
    out.say_apart(message, &[("kind", &'V'), ("name", &serial)]);
    Ok(())
}
