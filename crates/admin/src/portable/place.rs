//! Where a component of a copy comes to lie: its volumes here, and its control areas in their tracks.

use super::super::failure::{refused, Failure};
use cica_catalog::entry::Component;
use cica_catalog::{Contents, Volser};

/// Puts a component on the volumes `written`, else on those it had; all must be known here.
pub fn place(contents: &Contents, written: &[String], component: &mut Component) -> Result<(), Failure> {
    if !written.is_empty() {
        component.volumes = written
            .iter()
            .map(|text| match text.as_str() {
                "*" => Ok(Volser::default_serial()),
                text => Volser::parse(text).map_err(|error| refused(&error, 140, 0)),
            })
            .collect::<Result<_, _>>()?;
    }
    for serial in &component.volumes {
        let device = contents.volume(serial)?.device;
        let physical = device.physical_record(component.ci_size).filter(|p| p.per_track > 0);
        let Some(physical) = physical else {
            let words = format!(
                "CIs of {} bytes cannot be laid on a {}",
                component.ci_size,
                device.name()
            );
            return Err(refused(&format!("{}: {words}", component.name), 140, 0));
        };
        let tracks = physical.tracks_for(u64::from(component.ci_per_ca)) as u32;
        if tracks != component.tracks_per_ca {
            // Another device: the same control areas take another number of tracks.
            let old = u64::from(component.tracks_per_ca.max(1));
            component.primary_tracks = component.primary_tracks / old * u64::from(tracks);
            component.secondary_tracks = component.secondary_tracks / old * u64::from(tracks);
            component.tracks_per_ca = tracks;
        }
        component.physical_record = physical.size;
        component.records_per_track = physical.per_track;
    }
    Ok(())
}
