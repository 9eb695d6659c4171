//! DEFINE CLUSTER and DEFINE ALTERNATEINDEX ... RECATALOG: an entry made anew from the data set's own files.
//!
//! 1. What the files carry is what the entry says; of the parameters only those count that files do not carry (owner,
//!    dates, classes, log). A written organization that is another than the files' is a mistake, and refused.
//! 2. Files are found by the names in them, whatever they are called on the volume, and are not changed.
//! 3. A file that a catalog has already is not taken in, nor one that is listed to be removed.

use super::super::failure::{refused, Failure};
use super::super::stated::Form;
use super::super::{elsewhere, Services};
use super::over::Over;
use super::{put_in, DefineCluster, Defined, Rolling};
use cica_catalog::entry::{Attributes, Component, Keys, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::space::{Space, Unit};
use cica_catalog::{Catalog, CatalogError, Cluster, Contents, Date, Name, Volser, Volume};
use cica_disk::FileName;
use cica_format::attributes::Attributes as FileAttributes;
use cica_format::root::Root;
use std::path::PathBuf;

/// Takes a cluster in, or an alternate index; one is not taken for the other.
pub fn recatalog(services: &Services, request: &DefineCluster) -> Result<(Defined, Rolling), Failure> {
    let catalog = services.catalog_of(request.catalog.as_deref(), request.name())?;
    let done = catalog.transact(|contents| {
        let name = Name::parse(request.name()).map_err(|e| refused(&e, 140, 0))?;
        let volumes = searched(contents, request)?;
        let data = found(
            services,
            &catalog,
            &volumes,
            |path| services.engine.peek(path).ok(),
            &name,
        )?;
        let over = match (&data.root.attributes.alternate, &request.alternate) {
            (None, None) => None,
            (Some(carried), Some(asked)) => Some(Over::carried_by(contents, asked, &data.root.attributes, carried)?),
            (carried, _) => {
                let is = if carried.is_some() {
                    "an alternate index"
                } else {
                    "a cluster"
                };
                return Err(refused(
                    &format!("{} says that {name} is {is}", data.path.display()),
                    140,
                    0,
                ));
            }
        };
        check_organization(request, &data, &name)?;
        check_free(services, &catalog, contents, &data)?;
        let of_index = |path: &PathBuf| services.engine.peek_index(&data.path, path).ok();
        let index = if data.root.attributes.organization.has_index() {
            let index = found(services, &catalog, &volumes, of_index, &name)?;
            check_free(services, &catalog, contents, &index)?;
            Some(index.component()?)
        } else {
            None
        };
        let cluster = Cluster {
            organization: data.root.attributes.organization,
            attributes: attributes(services, request, &data.root.attributes)?,
            data: data.component()?,
            index,
            name,
        };
        let defined = Defined {
            over,
            cluster,
            generated: (false, false),
            raised: None,
            rounded: Vec::new(),
            key_end: None,
            unused: Vec::new(),
        };
        let rolled = put_in(services, contents, defined.entry())?;
        Ok((defined, rolled))
    });
    done.map(|(defined, rolled)| (defined, Rolling { catalog, rolled }))
}

/// 3.
fn check_free(services: &Services, catalog: &Catalog, contents: &Contents, found: &FoundFile) -> Result<(), Failure> {
    // One that cannot be asked may name the file.
    elsewhere::check_every(services, catalog, &[&found.path])?;
    // Of an entry of the same name it is said that it is there.
    let is_new = |name| contents.find(&name).is_none();
    let is_new = Name::parse(&found.root.attributes.cluster_name).is_ok_and(is_new);
    if is_new && contents.is_taken(&found.volume.serial, &found.file) {
        let words = format!(
            "the file {} is another entry's, or is to be removed",
            found.path.display()
        );
        return Err(refused(&words, 8, 38));
    }
    Ok(())
}

fn check_organization(request: &DefineCluster, data: &FoundFile, name: &Name) -> Result<(), Failure> {
    let is = data.root.attributes.organization.keyword();
    let stated = request.cluster.form.map(Form::word);
    match stated.filter(|word| *word != is) {
        None => Ok(()),
        Some(word) => Err(refused(
            &format!("{} says that {name} is {is}, not {word}", data.path.display()),
            140,
            0,
        )),
    }
}

/// The volumes that are named, else all.
fn searched(contents: &Contents, request: &DefineCluster) -> Result<Vec<Volume>, Failure> {
    let mut named: Vec<Volume> = Vec::new();
    let stated = request.lists().flat_map(|list| &list.volumes);
    for text in stated.filter(|text| *text != "*") {
        let serial = Volser::parse(text).map_err(|e| refused(&e, 140, 0))?;
        let volume = contents.volume(&serial)?;
        if !named.contains(volume) {
            named.push(volume.clone());
        }
    }
    Ok(if named.is_empty() {
        contents.volumes().cloned().collect()
    } else {
        named
    })
}

/// A component's file.
struct FoundFile {
    volume: Volume,
    file: FileName,
    path: PathBuf,
    root: Root,
}

/// The file on one of the volumes that `root` reads and that says it is of the cluster.
fn found(
    services: &Services,
    catalog: &Catalog,
    volumes: &[Volume],
    root: impl Fn(&PathBuf) -> Option<Root>,
    cluster: &Name,
) -> Result<FoundFile, Failure> {
    for volume in volumes {
        let directory = volume.path(catalog.directory());
        let listed = services.disk.list(&directory);
        let files = listed.map_err(|error| cica_catalog::catalog::volume_error(&volume.serial, &directory, error))?;
        for (file, _) in files {
            let path = directory.join(&file);
            let Some(root) = root(&path).filter(|root| root.attributes.cluster_name == cluster.as_str()) else {
                continue;
            };
            let Ok(file) = FileName::parse(&file.to_string_lossy()) else {
                continue;
            };
            return Ok(FoundFile {
                volume: volume.clone(),
                file,
                path,
                root,
            });
        }
    }
    Err(CatalogError::NotFound { name: cluster.clone() }.into())
}

impl FoundFile {
    fn component(&self) -> Result<Component, Failure> {
        let a = &self.root.attributes;
        let unusable = |what: &dyn std::fmt::Display| {
            refused(
                &format!("{}: {what}; it cannot be taken into the catalog", self.path.display()),
                140,
                0,
            )
        };
        let name = Name::parse(&a.component_name).map_err(|error| unusable(&error))?;
        let physical = self
            .volume
            .device
            .physical_record(a.ci_size)
            .filter(|p| p.per_track > 0);
        let physical = physical.ok_or_else(|| {
            unusable(&format!(
                "CIs of {} bytes cannot be laid on a {}",
                a.ci_size,
                self.volume.device.name()
            ))
        })?;
        // At most 65,535 CIs of 32 KiB.
        let tracks_per_ca = physical.tracks_for(u64::from(a.ci_per_ca)) as u32;
        let ca_bytes = (u64::from(a.ci_per_ca) * u64::from(a.ci_size)).max(1);
        let tracks = |bytes: u64| bytes / ca_bytes * u64::from(tracks_per_ca);
        let (primary, secondary) = (tracks(a.primary), tracks(a.secondary));
        Ok(Component {
            name,
            volumes: vec![self.volume.serial.clone()],
            file: self.file.clone(),
            ci_size: a.ci_size,
            ci_per_ca: u32::from(a.ci_per_ca),
            tracks_per_ca,
            physical_record: physical.size,
            records_per_track: physical.per_track,
            space: Space {
                unit: Unit::Tracks,
                primary,
                secondary,
            },
            primary_tracks: primary,
            secondary_tracks: secondary,
            free_space: FreeSpace {
                ci: a.free_ci,
                ca: a.free_ca,
            },
            imbed: false,
        })
    }
}

/// What is said, under what the data component's file carries.
fn attributes(services: &Services, request: &DefineCluster, file: &FileAttributes) -> Result<Attributes, Failure> {
    let mut stated = Attributes::new(services.today());
    request.cluster.put(&mut stated, services.today())?;
    stated.history.created = Date::of_clock(file.created);
    Ok(Attributes {
        keys: Some(Keys {
            length: file.key_length,
            offset: file.key_offset,
        }),
        record_size: RecordSize {
            average: file.average_record,
            maximum: file.maximum_record,
        },
        share: ShareOptions {
            region: file.share_region,
            system: file.share_system,
        },
        reuse: file.reuse,
        spanned: file.spanned,
        compressed: file.compressed,
        erase: file.erase,
        speed: file.speed,
        write_check: file.write_check,
        reclaim: file.reclaim,
        buffer_space: file.buffer_space,
        ccsid: file.ccsid,
        ..stated
    })
}
