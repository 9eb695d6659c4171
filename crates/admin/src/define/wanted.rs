//! What a DEFINE CLUSTER asks for, out of its three lists and MODEL.
//!
//! 1. For the data component DATA(...) goes over the list after CLUSTER, that goes over MODEL, and that over the
//!    defaults; likewise INDEX(...) for the index component.
//! 2. Space given for the cluster is the data component's, and the index gets what it needs beside it; a CI size given
//!    for the cluster is that of each component that is given none.

use super::super::failure::{refused, Failure};
use super::super::stated::{Form, Model, Stated};
use super::super::Services;
use super::DefineCluster;
use cica_catalog::entry::{Attributes, Keys, Organization, RecordSize, ShareOptions};
use cica_catalog::freespace::FreeSpace;
use cica_catalog::plan::Wish;
use cica_catalog::space::Space;
use cica_catalog::{CatalogError, Cluster, Contents, Device, Name, Volser};
use cica_messages::{IDC3225I, IDC3506I};
use std::sync::Arc;

/// See the module.
pub struct WantedCluster {
    /// Cluster name.
    pub name: Name,
    /// Name of the data component, if it was given.
    pub data_name: Option<Name>,
    /// Name of the index component, if it was given.
    pub index_name: Option<Name>,
    /// Volumes of the data component, at least one, all known and of one device type.
    pub data_volumes: Vec<Volser>,
    /// The same for the index component.
    pub index_volumes: Vec<Volser>,
    /// SHAREOPTIONS of the index component, which may differ.
    pub index_share: ShareOptions,
    /// What is to be laid out.
    pub wish: Wish,
    /// Everything else.
    pub attributes: Attributes,
    /// What was written that an organization has not.
    pub unused: Vec<&'static str>,
}

/// The three lists of a command, and what MODEL names.
struct Lists<'a> {
    cluster: &'a Stated,
    data: Option<&'a Stated>,
    index: Option<&'a Stated>,
    model: Option<Cluster>,
    data_model: Option<Cluster>,
    index_model: Option<Cluster>,
}

impl WantedCluster {
    /// What `request` asks for.
    pub fn of(services: &Services, contents: &Contents, request: &DefineCluster) -> Result<WantedCluster, Failure> {
        let lists = Lists::of(services, request)?;
        let mut attributes = lists.attributes(services)?;
        let organization = lists.organization(&attributes);
        match organization {
            Organization::Ksds if attributes.keys.is_none() => {
                attributes.keys = Some(Keys { length: 64, offset: 0 });
            }
            Organization::Esds | Organization::Rrds | Organization::Vrrds => attributes.keys = None,
            // It has no records.
            Organization::Lds => attributes.record_size = RecordSize { average: 0, maximum: 0 },
            _ => {}
        }
        let data_volumes = volumes(contents, lists.volumes(lists.data, lists.data_model()))?;
        let index_volumes = volumes(contents, lists.volumes(lists.index, lists.index_model()))?;
        let device = one_device(contents, data_volumes.iter().chain(&index_volumes))?;
        lists.check_blocks(data_volumes.first(), device)?;
        let index_share = lists.index.and_then(|list| list.share).unwrap_or(attributes.share);
        let wish = Wish {
            organization,
            keys: attributes.keys,
            record_size: attributes.record_size,
            spanned: attributes.spanned,
            compressed: attributes.compressed,
            ci_size: lists.data_ci_size(),
            index_ci_size: lists.index_ci_size(),
            space: lists.data_space()?,
            index_space: lists.index_space(),
            // Where no record comes between others there is none.
            free_space: if organization.has_index() {
                lists.free_space()
            } else {
                FreeSpace::default()
            },
            buffer_space: lists.buffer_space(),
            imbed: lists.imbed(),
            device,
        };
        Ok(WantedCluster {
            name: lists.name(Some(lists.cluster))?.ok_or_else(|| missing("NAME"))?,
            data_name: lists.name(lists.data)?,
            index_name: lists.name(lists.index)?,
            data_volumes,
            index_volumes,
            index_share,
            wish,
            unused: lists.unused(organization, &attributes),
            attributes,
        })
    }
}

impl<'a> Lists<'a> {
    fn of(services: &Services, request: &'a DefineCluster) -> Result<Lists<'a>, Failure> {
        let (data, index) = (request.data.as_ref(), request.index.as_ref());
        let of = |list: Option<&Stated>| list.map_or(Ok(None), |list| model(services, list));
        Ok(Lists {
            cluster: &request.cluster,
            data,
            index,
            model: model(services, &request.cluster)?,
            data_model: of(data)?,
            index_model: of(index)?,
        })
    }

    /// What is said of the data component, and where nothing is, of the cluster.
    fn for_data<T>(&self, stated: impl Fn(&Stated) -> Option<T>) -> Option<T> {
        self.data.and_then(&stated).or_else(|| stated(self.cluster))
    }

    fn data_model(&self) -> Option<&Cluster> {
        self.data_model.as_ref().or(self.model.as_ref())
    }

    fn index_model(&self) -> Option<&Cluster> {
        self.index_model.as_ref().or(self.model.as_ref())
    }

    fn name(&self, list: Option<&Stated>) -> Result<Option<Name>, Failure> {
        let text = list.and_then(|list| list.name.as_deref());
        text.map(|text| Name::parse(text).map_err(|error| refused(&error, 140, 0)))
            .transpose()
    }

    /// As it is written, else the model's. NUMBERED has slots of one length, or records of any length where RECORDSIZE
    /// says that they differ, or COMPRESSED makes them.
    fn organization(&self, stated: &Attributes) -> Organization {
        let numbered = || Organization::numbered(stated.record_size.is_one_length(), stated.compressed);
        match self.cluster.form {
            Some(Form::NonIndexed) => Organization::Esds,
            Some(Form::Numbered) => numbered(),
            Some(Form::Linear) => Organization::Lds,
            Some(Form::Indexed) => Organization::Ksds,
            None => match self.model.as_ref().map(|model| model.organization) {
                Some(Organization::Rrds | Organization::Vrrds) => numbered(),
                Some(organization) => organization,
                None => Organization::Ksds,
            },
        }
    }

    fn attributes(&self, services: &Services) -> Result<Attributes, Failure> {
        let today = services.today();
        let mut attributes = Attributes {
            ccsid: 819,
            ..Attributes::new(today)
        };
        if let Some(model) = self.data_model() {
            let history = attributes.history;
            attributes = model.attributes.clone();
            // A copy is made today and may go at any time, and it can be written whatever its model allows.
            attributes.history = history;
            attributes.history.owner.clone_from(&model.attributes.history.owner);
            attributes.inhibit = false;
            // Nothing of it was exported: an IMPORT must not take its place.
            attributes.exported = false;
        }
        // What stands in INDEX(...) and has no field of its own goes below what is said of the cluster.
        for list in [self.index, Some(self.cluster), self.data].into_iter().flatten() {
            let share = attributes.share;
            list.put(&mut attributes, today)?;
            if self.index.is_some_and(|index| std::ptr::eq(index, list)) {
                attributes.share = share;
            }
        }
        Ok(attributes)
    }

    /// Serials of a component's volumes as they were written, else those of the model's.
    fn volumes(&self, list: Option<&'a Stated>, model: Option<&Cluster>) -> Vec<String> {
        let lists = list.into_iter().chain([self.cluster]);
        if let Some(list) = lists.into_iter().find(|list| !list.volumes.is_empty()) {
            return list.volumes.clone();
        }
        model
            .map(|m| m.data.volumes.iter().map(ToString::to_string).collect())
            .unwrap_or_default()
    }

    fn data_ci_size(&self) -> Option<u32> {
        let written = self.for_data(|list| list.ci_size);
        // A CI size is chosen by the record size; when that is not the model's, its CI size may not do.
        let same = self.for_data(|list| list.record_size).is_none();
        written.or(self.data_model().filter(|_| same).map(|m| m.data.ci_size))
    }

    /// BLOCKS are those of one kind of device.
    fn check_blocks(&self, volume: Option<&Volser>, device: &Device) -> Result<(), Failure> {
        let lists = [Some(self.cluster), self.data, self.index];
        if device.name() == "FBA" || !lists.into_iter().flatten().any(|list| list.in_blocks) {
            return Ok(());
        }
        let words = format!(
            "BLOCKS is for FBA volumes, and {} is a {}; say TRACKS, CYLINDERS or KILOBYTES",
            volume.map_or("the volume", Volser::as_str),
            device.name()
        );
        Err(refused(&words, 140, 0))
    }

    fn index_ci_size(&self) -> Option<u32> {
        self.index.and_then(|list| list.ci_size).or(self.cluster.ci_size)
    }

    fn data_space(&self) -> Result<Space, Failure> {
        self.for_data(|list| list.space)
            .or(self.data_model().map(|m| m.data.space))
            .ok_or_else(|| missing("CYLINDERS, TRACKS, RECORDS, KILOBYTES OR MEGABYTES"))
    }

    fn index_space(&self) -> Option<Space> {
        let said_of_data = self.for_data(|list| list.space).is_some();
        let model = || {
            self.index_model()
                .filter(|_| !said_of_data)?
                .index
                .as_ref()
                .map(|i| i.space)
        };
        self.index.and_then(|list| list.space).or_else(model)
    }

    fn free_space(&self) -> FreeSpace {
        self.for_data(|list| list.free_space)
            .or(self.data_model().map(|m| m.data.free_space))
            .unwrap_or_default()
    }

    /// Parameters that are written and mean nothing for the organization.
    fn unused(&self, organization: Organization, taken: &Attributes) -> Vec<&'static str> {
        let is_said = |said: bool, keyword: &'static str| said.then_some(keyword);
        let no_index = !organization.has_index();
        let linear = organization == Organization::Lds;
        let keys = taken.keys.is_none() && self.for_data(|list| list.keys).is_some();
        let all = [
            is_said(keys, "KEYS"),
            is_said(linear && self.for_data(|list| list.record_size).is_some(), "RECORDSIZE"),
            is_said(no_index && self.for_data(|list| list.free_space).is_some(), "FREESPACE"),
            is_said(no_index && self.index.is_some(), "INDEX"),
        ];
        all.into_iter().flatten().collect()
    }

    /// IMBED, which stands in the cluster's list or in INDEX and shapes the data component's control areas.
    fn imbed(&self) -> bool {
        self.index
            .and_then(|list| list.imbed)
            .or(self.cluster.imbed)
            .or(self.data_model().map(|m| m.data.imbed))
            .unwrap_or(false)
    }

    /// BUFFERSPACE; a model's goes by its own CI sizes.
    fn buffer_space(&self) -> Option<u32> {
        self.for_data(|list| list.buffer_space)
    }
}

/// The name in a MODEL, and what the catalog holds that it says, or that the name belongs to: as other processes see
/// it, as a DEFINE cannot model on itself.
pub(super) fn model_place(services: &Services, model: &Model) -> Result<(Name, Arc<Contents>), Failure> {
    let parsed = |text: &str| Name::parse(text).map_err(|error| refused(&error, 140, 0));
    let name = parsed(&model.entry)?;
    let catalog = match &model.catalog {
        Some(catalog) => services.catalog.called(&parsed(catalog)?)?,
        None => services.home(&name)?,
    };
    Ok((name, catalog.contents()?))
}

/// The cluster that MODEL of a list names, itself or by a component.
fn model(services: &Services, list: &Stated) -> Result<Option<Cluster>, Failure> {
    let Some(model) = &list.model else {
        return Ok(None);
    };
    let (name, contents) = model_place(services, model)?;
    match contents.find(&name).map(|found| found.entry()) {
        Some(cica_catalog::Entry::Cluster(cluster)) => Ok(Some((**cluster).clone())),
        // Of an alternate index KEYS says the alternate key.
        Some(cica_catalog::Entry::Aix(aix)) => {
            let mut cluster = cica_session::as_cluster(aix);
            cluster.attributes.keys = Some(aix.alternate_key);
            Ok(Some(cluster))
        }
        Some(other) => Err(refused(
            &format!("MODEL {name} is of type {} and no cluster", other.kind().word()),
            140,
            0,
        )),
        None => Err(CatalogError::NotFound { name }.into()),
    }
}

/// Known volumes out of serials; `*`, or none at all, leaves the choice to us.
fn volumes(contents: &Contents, written: Vec<String>) -> Result<Vec<Volser>, Failure> {
    let written = if written.is_empty() {
        vec!["*".to_owned()]
    } else {
        written
    };
    let mut volumes: Vec<Volser> = Vec::new();
    for text in written {
        let serial = match text.as_str() {
            "*" => default_volume(contents)?,
            text => Volser::parse(text).map_err(|error| refused(&error, 140, 0))?,
        };
        contents.volume(&serial)?;
        if !volumes.contains(&serial) {
            volumes.push(serial);
        }
    }
    Ok(volumes)
}

/// The volume made with the catalog, or the first there is.
pub fn default_volume(contents: &Contents) -> Result<Volser, Failure> {
    let own = Volser::default_serial();
    match contents.volume(&own) {
        Ok(_) => Ok(own),
        Err(_) => contents
            .volumes()
            .next()
            .map(|v| v.serial.clone())
            .ok_or_else(|| Failure::new(&IDC3506I, &[])),
    }
}

/// The device type of all these volumes: tracks and cylinders of both components are counted in it.
fn one_device<'a>(
    contents: &Contents,
    mut serials: impl Iterator<Item = &'a Volser>,
) -> Result<&'static Device, Failure> {
    let Some(first) = serials.next() else {
        return Err(Failure::new(&IDC3506I, &[]));
    };
    let device = contents.volume(first)?.device;
    for serial in serials {
        let other = contents.volume(serial)?.device;
        if other.name() != device.name() {
            let words = format!(
                "volume {first} is a {}, volume {serial} a {}; give volumes of one device type",
                device.name(),
                other.name()
            );
            return Err(refused(&words, 140, 0));
        }
    }
    Ok(device)
}

fn missing(parameter: &str) -> Failure {
    Failure::new(&IDC3225I, &[("item", &parameter)])
}
