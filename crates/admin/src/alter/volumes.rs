//! ADDVOLUMES and REMOVEVOLUMES.

use super::super::define::default_volume;
use super::super::failure::{refused, Failure};
use super::super::making::lock;
use super::super::open::files;
use super::super::Services;
use super::Alter;
use cica_catalog::entry::NonVsam;
use cica_catalog::{Catalog, Component, Contents, Entry, Volser, Volume};
use cica_disk::File;
use cica_engine::OpenError;
use cica_session::as_cluster;

/// ADDVOLUMES and REMOVEVOLUMES of a data set that is not VSAM's; the last volume stays.
pub fn of_file(contents: &Contents, data_set: &mut NonVsam, request: &Alter) -> Result<(), Failure> {
    for text in &request.add_volumes {
        data_set.volumes.push(match text.as_str() {
            "*" => default_volume(contents)?,
            text => Volser::parse(text).map_err(|error| refused(&error, 140, 0))?,
        });
    }
    for text in &request.remove_volumes {
        let place = data_set
            .volumes
            .iter()
            .skip(1)
            .position(|known| known.as_str() == *text);
        match place {
            Some(place) => drop(data_set.volumes.remove(place + 1)),
            None => {
                let words = format!("{} has no volume {text} after its first", data_set.name);
                return Err(refused(&words, 140, 0));
            }
        }
    }
    Ok(())
}

/// ADDVOLUMES and REMOVEVOLUMES of one component.
pub fn of_component(contents: &Contents, component: &mut Component, request: &Alter) -> Result<(), Failure> {
    let first = component.volumes.first().cloned();
    for text in &request.add_volumes {
        let serial = match text.as_str() {
            "*" => another(contents, component)?,
            text => Volser::parse(text).map_err(|error| refused(&error, 140, 0))?,
        };
        let device = contents.volume(&serial)?.device;
        let has = first
            .as_ref()
            .map_or(Ok(device), |first| contents.volume(first).map(|v| v.device))?;
        if device.name() != has.name() {
            let words = format!(
                "volume {serial} is a {}, {} lies on a {}",
                device.name(),
                component.name,
                has.name()
            );
            return Err(refused(&words, 140, 0));
        }
        if component.volumes.contains(&serial) {
            return Err(refused(
                &format!("{} has volume {serial} already", component.name),
                140,
                0,
            ));
        }
        component.volumes.push(serial);
    }
    for text in &request.remove_volumes {
        let serial = Volser::parse(text).map_err(|error| refused(&error, 140, 0))?;
        match component.volumes.iter().position(|known| *known == serial) {
            Some(0) => {
                let words = format!(
                    "{} lies on volume {serial}; only volumes without its data go",
                    component.name
                );
                return Err(refused(&words, 140, 0));
            }
            Some(place) => drop(component.volumes.remove(place)),
            None => return Err(refused(&format!("{} has no volume {serial}", component.name), 140, 0)),
        }
    }
    Ok(())
}

/// A volume on which a component has extents keeps its place in the list: the component's file counts by it. Nobody may
/// have the data set open, because who opens it extends it by the list he finds. The lock that is returned keeps it so
/// until the list is changed.
pub fn check_held(
    services: &Services,
    catalog: &Catalog,
    old: &Entry,
    new: &Entry,
) -> Result<Option<Box<dyn File>>, Failure> {
    let components = || {
        old.components()
            .zip(new.components())
            .map(|((_, old), (_, new))| (old, new))
    };
    // What comes behind the list moves nothing.
    if components().all(|(old, new)| new.volumes.starts_with(&old.volumes)) {
        return Ok(None);
    }
    let (data, index) = match old {
        Entry::Cluster(cluster) => files(catalog, cluster)?,
        Entry::Aix(aix) => files(catalog, &as_cluster(aix))?,
        _ => return Ok(None),
    };
    // What a dead owner has in its log is in the roots first.
    match services.engine.alter(&data, &index, |_, _| ()) {
        Err(OpenError::Missing { .. }) => return Ok(None),
        altered => altered?,
    }
    let kept = lock(&*services.disk, &data)?;
    let root = services.engine.peek(&data)?;
    if root.log.log != 0 {
        let words = format!("{} was opened meanwhile; try again", old.name());
        return Err(refused(&words, 184, 6));
    }
    for ((old, new), part) in components().zip([&data, &index]) {
        let root = if part == &data {
            root.clone()
        } else {
            services.engine.peek_index(&data, &index)?
        };
        let moved = |n: &usize| old.volumes.get(*n) != new.volumes.get(*n);
        let with_extents = |n: &usize| root.on_volume(*n).0 > 0;
        if let Some(n) = (0..old.volumes.len()).filter(moved).find(with_extents) {
            let words = format!(
                "{} has {} extents on volume {}; only volumes without its data go",
                old.name,
                root.on_volume(n).0,
                old.volumes[n]
            );
            return Err(refused(&words, 140, 0));
        }
    }
    Ok(kept)
}

/// The volume that ADDVOLUMES(*) leaves to us: the next of the same type that the component does not have.
fn another(contents: &Contents, component: &Component) -> Result<Volser, Failure> {
    let first = component.volumes.first().and_then(|first| contents.volume(first).ok());
    let fits = |volume: &&Volume| {
        let same = first.is_none_or(|first| first.device.name() == volume.device.name());
        same && !component.volumes.contains(&volume.serial)
    };
    let found = contents.volumes().find(fits).map(|volume| volume.serial.clone());
    found.ok_or_else(|| {
        let words = format!(
            "{} has all volumes of its type that the catalog knows; DEFINE VOLUME makes one more",
            component.name
        );
        refused(&words, 140, 0)
    })
}
