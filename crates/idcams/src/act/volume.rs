//! DEFINE VOLUME and DELETE ... VOLUME: which directories are volumes, and of what device type.

use super::failure::{refused, Failure};
use super::report::Report;
use super::Services;
use crate::params::{Command, Params};
use cica_catalog::{CatalogError, Device, Volser};
use cica_messages::{CICA0936I, IDC0550I};
use std::path::Path;

/// Carries out DEFINE VOLUME.
pub fn define(services: &mut Services, command: &Command, out: &mut Report) -> u8 {
    match add(services, &command.params, out) {
        Ok(()) => 0,
        Err(failure) => failure.with_cc(12).tell(out),
    }
}

fn add(services: &Services, params: &Params, out: &mut Report) -> Result<(), Failure> {
    let serial = Volser::parse(params.name("NAME").unwrap_or_default()).map_err(|error| refused(&error, 140, 0))?;
    let device = match params.name("DEVICETYPE") {
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
    // The table bounds it.
    let cylinders = params.number("CYLINDERS").map(|n| n as u32);
    let catalog = services.whole_catalog(params)?;
    let volume = catalog.add_volume(&serial, device, params.name("PATH").map(Path::new), cylinders)?;
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

/// Forgets a volume without data sets; its directory stays.
pub fn delete(services: &Services, name: &str, catalog: Option<&str>, out: &mut Report) -> Result<(), Failure> {
    let serial = Volser::parse(name).map_err(|error| refused(&error, 140, 0))?;
    let catalog = services.catalog_or_master(catalog)?;
    let place = catalog.contents()?.volume(&serial)?.path(catalog.directory());
    for other in services.catalog.all()? {
        let contents = other.contents()?;
        // What another catalog has on the same volume keeps it; one of its own may have the same serial.
        let same = contents
            .volume(&serial)
            .is_ok_and(|volume| volume.path(other.directory()) == place);
        if let Some(name) = contents.holder(&serial).filter(|_| same).cloned() {
            return Err(CatalogError::VolumeInUse { serial, name }.into());
        }
    }
    catalog.remove_volume(&serial)?;
    out.say_apart(&IDC0550I, &[("kind", &'V'), ("name", &serial)]);
    Ok(())
}
