//! ALTER ... ROLLIN: a generation that rolled off, or never came in, becomes one of its group again.

use super::super::failure::{not_found, refused, Failure};
use super::super::generations::rolled_off;
use super::super::Services;
use crate::report::Report;
use cica_catalog::entry::{FileOf, History, NonVsam};
use cica_catalog::generation::Generation;
use cica_catalog::{Catalog, Contents, Entry, Name};
use cica_disk::Open;
use cica_messages::IDC0531I;

/// ALTER ... ROLLIN.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RollIn {
    /// The whole name of the generation.
    pub generation: String,
    /// The catalog; none: the one that the search order finds.
    pub catalog: Option<String>,
}

/// Takes the generation in; what the group no longer keeps rolls off.
pub fn roll_in(services: &Services, request: &RollIn, out: &mut Report) -> Result<(), Failure> {
    let name = Name::parse(&request.generation).map_err(|error| refused(&error, 8, 42))?;
    let catalog = services.catalog_of(request.catalog.as_deref(), name.as_str())?;
    let rolled = catalog.transact(|contents| {
        let group = Generation::of(&name).map(|(base, _)| base);
        if !group.is_some_and(|base| matches!(contents.get(&base), Ok(Entry::Gdg(_)))) {
            let words = format!("{name} is no name of a generation of a group; ROLLIN is for these");
            return Err(refused(&words, 140, 0));
        }
        if contents.find(&name).is_some() {
            return Err(refused(&format!("{name} is one of its group already"), 140, 0));
        }
        let data_set = on_a_volume(services, &catalog, contents, &name)?;
        let rolled = contents.add_generation(Entry::NonVsam(data_set), services.today())?;
        contents.group_changed(&name, services.today());
        Ok::<_, Failure>(rolled)
    })?;
    rolled_off(services, &catalog, rolled, out);
    out.say(&IDC0531I, &[("name", &name)]);
    Ok(())
}

/// What the entry of a data set is whose file is called so on one of the volumes, and is not that of a renamed one.
fn on_a_volume(services: &Services, catalog: &Catalog, contents: &Contents, name: &Name) -> Result<NonVsam, Failure> {
    for volume in contents.volumes() {
        let path = volume.path(catalog.directory()).join(name.as_str());
        let volumes = vec![volume.serial.clone()];
        let file = contents.file_of_new(&volumes, name);
        if file == FileOf::OwnName && services.disk.open(&path, Open::default()).is_ok() {
            return Ok(NonVsam {
                name: name.clone(),
                volumes,
                device: volume.device.name().to_owned(),
                file,
                format: String::new(),
                sequence: String::new(),
                history: History::new(services.today()),
            });
        }
    }
    Err(not_found(name))
}
