//! DELETE of what lies on volumes and no catalog names: VVR (a component), NVR (a file that is not VSAM's); and
//! TRUENAME, an entry that leads to what is not there any more.
//!
//! 1. Nothing goes that a catalog names, is being made, or somebody has open, or that a unit of recovery in doubt has
//!    changed: its entry may have been lost, and come back.
//! 2. A component goes with its own file alone: index and data component are deleted one by one, as they were found.

use super::super::failure::{not_found, refused, Failure};
use super::super::making::lock;
use super::super::Services;
use super::Delete;
use crate::report::Report;
use cica_catalog::{CatalogError, Entry, Name};
use cica_disk::{Disk, Open, ReadAt};
use cica_format::root::{Part, Root, AREA_LEN};
use cica_messages::{MessageEntry as Message, IDC0550I, IDC0556I};
use std::path::{Path, PathBuf};

/// What of this module a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncataloged {
    /// VVR: a component on a volume.
    Component,
    /// NVR: a file on a volume that is not VSAM's.
    File,
    /// TRUENAME: an alternate index, path or alias that leads to what is not there.
    DeadEnd,
}

/// Deletes what `text` names.
pub fn delete(
    services: &Services,
    text: &str,
    what: Uncataloged,
    request: &Delete,
    out: &mut Report,
) -> Result<(), Failure> {
    let name = Name::parse(text).map_err(|error| refused(&error, 8, 42))?;
    if what == Uncataloged::DeadEnd {
        return dead_end(services, &name, request, out);
    }
    let (path, root) = find(services, &name, what == Uncataloged::Component)?.ok_or_else(|| not_found(&name))?;
    let _alone = lock(&*services.disk, &path)?;
    if let Some(root) = &root {
        services.engine.check_decided(&path, &root.attributes.cluster_name)?;
    }
    let kind = match root.map(|root| root.part) {
        Some(Part::Data) => 'D',
        Some(_) => 'I',
        None => 'A',
    };
    if request.test {
        tell(&IDC0556I, kind, &name, out);
        return Ok(());
    }
    if request.erase == Some(true) {
        services.engine.overwrite(&path)?;
    }
    let gone = services.disk.remove(&path).and_then(|()| {
        let how = Open {
            directory: true,
            ..Open::default()
        };
        let directory = path.parent().unwrap_or(Path::new("."));
        services.disk.open(directory, how)?.sync()
    });
    gone.map_err(|error| refused(&format!("{}: {error}", path.display()), 24, 0))?;
    tell(&IDC0550I, kind, &name, out);
    Ok(())
}

fn tell(message: &'static Message, kind: char, name: &Name, out: &mut Report) {
    out.say_apart(message, &[("kind", &kind), ("name", name)]);
}

/// An entry that leads nowhere.
fn dead_end(services: &Services, name: &Name, request: &Delete, out: &mut Report) -> Result<(), Failure> {
    let catalog = services.catalog_of(request.catalog.as_deref(), name.as_str())?;
    let kind = catalog.transact(|contents| -> Result<char, Failure> {
        let entry = contents.get(name)?;
        let to = match entry {
            Entry::Aix(aix) => Some(aix.relate.clone()),
            Entry::Path(path) => Some(path.target.clone()),
            // One that means nothing here may lead to something on another system.
            Entry::Alias(alias) => Some(contents.stands_for(alias)?),
            _ => None,
        };
        let kind = entry.kind();
        match to {
            Some(to) if contents.get(&to).is_err() => {}
            Some(to) => {
                let words = format!(
                    "{name} is a {} of {to}, which is there; delete it by its type",
                    kind.word()
                );
                return Err(refused(&words, 140, 0));
            }
            None => {
                return Err(refused(
                    &format!("{name} is a {} and leads to nothing", kind.word()),
                    48,
                    0,
                ))
            }
        }
        if !request.test {
            contents.remove(name)?;
        }
        Ok(kind.letter())
    })?;
    if request.test {
        tell(&IDC0556I, kind, name, out)
    } else {
        tell(&IDC0550I, kind, name, out)
    }
    Ok(())
}

/// The file on any volume that carries the component name, with its root; or that is called so and is not VSAM's.
///
/// # Errors
/// A catalog names it.
fn find(services: &Services, name: &Name, vsam: bool) -> Result<Option<(PathBuf, Option<Root>)>, Failure> {
    for catalog in services.catalog.every()? {
        if let Some(found) = catalog.contents()?.find(name) {
            let words = format!(
                "{name} is in the catalog {}, of {}",
                catalog.directory().display(),
                found.entry().name()
            );
            return Err(refused(&format!("{words}; delete that"), 140, 0));
        }
    }
    let known = named(services)?;
    for volume in services.catalog.volumes()? {
        let directory = volume.path(services.catalog.directory());
        let listed = services.disk.list(&directory);
        let listed = listed.map_err(|e| cica_catalog::catalog::volume_error(&volume.serial, &directory, e))?;
        for (file, _) in listed {
            let path = directory.join(&file);
            let is_it = if vsam {
                let root = carried(&*services.disk, &path).ok().flatten();
                root.filter(|root| root.attributes.component_name == name.as_str())
                    .map(Some)
            } else if file.as_os_str() == name.as_str() {
                // What cannot be read may be a component.
                let root = carried(&*services.disk, &path);
                let root = root.map_err(|error| refused(&format!("{}: {error}", path.display()), 24, 0))?;
                root.is_none().then_some(None)
            } else {
                None
            };
            if let Some(root) = is_it.filter(|_| !known.contains(&(volume.serial.to_string(), path.clone()))) {
                return Ok(Some((path, root)));
            }
        }
    }
    Ok(None)
}

/// Files that entries name or that are being made, by volume.
fn named(services: &Services) -> Result<Vec<(String, PathBuf)>, CatalogError> {
    let mut named = Vec::new();
    let base = services.catalog.directory();
    let volumes = services.catalog.contents()?;
    for catalog in services.catalog.every()? {
        let contents = catalog.contents()?;
        let components = contents.entries().flat_map(Entry::components);
        let components = components.filter_map(|(_, c)| Some((c.volumes.first()?.clone(), c.file.clone())));
        let data_sets = contents.entries().filter_map(|entry| match entry {
            Entry::NonVsam(e) => Some((e.volumes.first()?.clone(), e.file_on_volume()?)),
            _ => None,
        });
        for (serial, file) in components.chain(data_sets).chain(contents.leftovers().cloned()) {
            if let Ok(volume) = volumes.volume(&serial) {
                named.push((serial.to_string(), file.in_directory(&volume.path(base))));
            }
        }
    }
    Ok(named)
}

/// The root of a file that is a component.
fn carried(disk: &dyn Disk, path: &Path) -> std::io::Result<Option<Root>> {
    let file = disk.open(path, Open::default())?;
    let mut newest: Option<Root> = None;
    for copy in 0..2 {
        let mut area = vec![0; AREA_LEN];
        let mut batch = [ReadAt {
            at: copy * AREA_LEN as u64,
            buf: &mut area,
            got: 0,
        }];
        file.read(&mut batch)?;
        if let Ok(root) = Root::decode(&area) {
            let later = newest.as_ref().is_none_or(|known| known.version < root.version);
            newest = if later { Some(root) } else { newest };
        }
    }
    Ok(newest)
}
