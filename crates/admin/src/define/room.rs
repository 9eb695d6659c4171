//! Is there room on a volume that was defined with CYLINDERS?
//!
//! What counts is what data sets of all catalogs have been given on it: first extents and those that followed. The
//! further extents of an open data set are bounded by [`cica_session::CatalogVolumes`] in the same way.

use super::super::failure::Failure;
use super::super::Services;
use cica_catalog::entry::Component;
use cica_catalog::{Catalog, CatalogError, Contents};
use cica_session::{capacity, tracks_taken};

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
        let (Some(cylinders), Some(capacity)) = (volume.cylinders, capacity(volume)) else {
            continue;
        };
        let on_it = |other: &&&Component| other.volumes.first() == Some(serial);
        let needed = wanted.iter().filter(on_it).map(|c| c.primary_tracks).sum();
        let place = volume.path(catalog.directory());
        let free = capacity.saturating_sub(tracks_taken(&*services.disk, &services.catalog, &place)?);
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
