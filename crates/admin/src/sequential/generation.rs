//! Generations by relative numbers, and all of a group. The numbers are those of `sequential`.

use super::super::define::default_volume;
use super::super::failure::{not_found, refused, Failure};
use super::super::trouble::GAVE_UP;
use super::super::Services;
use super::data_set::Standing;
use super::newcomer::made_meanwhile;
use super::unmade;
use cica_catalog::entry::{Gdg, History, NonVsam};
use cica_catalog::generation::{parse_relative, Generation};
use cica_catalog::{Contents, Entry, Name};
use cica_disk::NameLater;

/// All generations in the order the group is read in.
pub(super) fn all_generations(contents: &Contents, gdg: &Gdg) -> Result<Vec<NonVsam>, Failure> {
    let mut all: Vec<NonVsam> = Vec::new();
    for (_, entry) in contents.generations(&gdg.name) {
        match entry {
            Entry::NonVsam(data_set) => all.push(data_set.clone()),
            entry => return Err(is_vsams(entry.name())),
        }
    }
    if !gdg.fifo {
        all.reverse();
    }
    if all.is_empty() {
        let words = format!("{} has no generation", gdg.name);
        return Err(refused(&words, 8, 42).with_cc(GAVE_UP));
    }
    Ok(all)
}

/// The cluster that `BASE(n)` means, if that generation is one. One that is yet to come for this run, and that another
/// run has made meanwhile, is that run's (3).
pub fn cluster_generation(services: &Services, text: &str) -> Result<Option<Name>, Failure> {
    let Some((base, number)) = parse_relative(text) else {
        return Ok(None);
    };
    let Ok(base) = Name::parse(base) else { return Ok(None) };
    let contents = services.home(&base)?.contents()?;
    if contents.gdg(&base).is_none() {
        return Ok(None);
    }
    let newest = services.dd.newest(&base, contents.newest(&base));
    Ok(match contents.relative_to(&base, newest, number) {
        Some(Entry::Cluster(cluster)) if number > 0 && !services.dd.made(&cluster.name) => {
            return Err(unmade(text)(made_meanwhile(&cluster.name)));
        }
        Some(Entry::Cluster(cluster)) => Some(cluster.name.clone()),
        _ => None,
    })
}

/// Files of generations are read one after the other; a cluster among them is none.
fn is_vsams(name: &Name) -> Failure {
    let words = format!("{name} is no sequential file; name it by itself where a cluster may stand");
    refused(&words, 140, 0)
}

/// The generation that a relative number means, and where it stands; one that is not there yet with the attributes it
/// will have.
pub(super) fn generation(
    services: &Services,
    contents: &Contents,
    gdg: &Gdg,
    relative: i32,
) -> Result<(NonVsam, Standing), Failure> {
    let base = &gdg.name;
    let newest = services.dd.newest(base, contents.newest(base));
    let none = || not_found(&format!("{base}({relative})")).with_cc(GAVE_UP);
    match contents.relative_to(base, newest, relative) {
        Some(Entry::NonVsam(data_set)) => {
            let standing = if relative > 0 && !services.dd.made(&data_set.name) {
                Standing::Anothers
            } else {
                Standing::There
            };
            return Ok((data_set.clone(), standing));
        }
        Some(entry) => return Err(is_vsams(entry.name())),
        None => {}
    }
    let steps = u16::try_from(relative)
        .ok()
        .filter(|steps| *steps > 0)
        .ok_or_else(none)?;
    let number = Generation::next(newest, steps);
    let volume = default_volume(contents)?;
    let name = number.name(base).map_err(|error| refused(&error, 140, 0))?;
    let device = contents.volume(&volume)?.device.name().to_owned();
    let volumes = vec![volume];
    let data_set = NonVsam {
        file: contents.file_of_new(&volumes, &name),
        name,
        device,
        volumes,
        format: String::new(),
        sequence: String::new(),
        history: History::new(services.today()),
    };
    Ok((data_set, Standing::New(NameLater::default())))
}
