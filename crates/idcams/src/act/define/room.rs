//! Is there room on a volume that was defined with CYLINDERS?
//!
//! What counts is what data sets of all catalogs have been given on it: first extents and those that followed. A data
//! set that needs a further extent later gets it: the file system decides then.

use super::super::failure::Failure;
use super::super::Services;
use cica_catalog::entry::Component;
use cica_catalog::{Catalog, CatalogError, Contents, Volume};

/// Checks the first extents of components that are to be made in `catalog`, whose entries will be `contents`.
///
/// # Errors
/// A volume has not so many tracks left.
pub fn check(
    services: &Services,
    catalog: &Catalog,
    contents: &Contents,
    wanted: &[&Component],
) -> Result<(), Failure> {
    for component in wanted {
        let Some(serial) = component.volumes.first() else {
            continue;
        };
        let volume = contents.volume(serial)?;
        let Some(cylinders) = volume.cylinders else {
            continue;
        };
        let capacity = u64::from(cylinders) * u64::from(volume.device.tracks_per_cylinder());
        let on_it = |other: &&&Component| other.volumes.first() == Some(serial);
        let needed = wanted.iter().filter(on_it).map(|c| c.primary_tracks).sum();
        let free = capacity.saturating_sub(taken(services, catalog, volume)?);
        if needed > free {
            return Err(CatalogError::VolumeFull {
                serial: serial.clone(),
                cylinders,
                free,
                needed,
            }
            .into());
        }
    }
    Ok(())
}

/// Tracks that components of any catalog have on the volume.
fn taken(services: &Services, catalog: &Catalog, volume: &Volume) -> Result<u64, CatalogError> {
    let place = volume.path(catalog.directory());
    let mut tracks = 0;
    for other in services.catalog.all()? {
        let contents = other.contents()?;
        for (_, component) in contents.entries().flat_map(|entry| entry.components()) {
            let here = component.volumes.first() == Some(&volume.serial)
                && contents.volume(&volume.serial)?.path(other.directory()) == place;
            if here {
                tracks += given(services, component, &place.join(&component.file));
            }
        }
    }
    Ok(tracks)
}

/// Tracks of all extents of a component, or of its first when its file cannot be read.
fn given(services: &Services, component: &Component, file: &std::path::Path) -> u64 {
    let allocated = services.engine.peek(file).map_or(0, |root| root.high_allocated);
    let areas = allocated / component.ca_bytes().max(1);
    component.primary_tracks.max(areas * u64::from(component.tracks_per_ca))
}
