//! Whether each log file of a catalog is used again.
//!
//! A file may be free, abandoned, or needed by a data set that somebody has yet to open; its header does not tell. So
//! it is tried: once all data sets were opened and closed, as many processes as there are files, each with a data set
//! of its own that it changes, make no other file.

use cica_catalog::Name;
use cica_engine::{Access, DataSet, Insert, OpenOptions};
use cica_idcams::Services;
use cica_session::{open, reach};

use super::world::{World, LOGS};
use crate::place;
use crate::session::Trouble;

/// Uses all log files at once, for data sets that are gone afterwards. All others were opened and closed.
///
/// # Errors
/// A file was made though there was one for each process; or a command or request failed.
pub fn use_all(world: &mut World) -> Result<(), Trouble> {
    let there = count(world)?;
    let names: Vec<String> = (0..there).map(|number| format!("SIM.LOG{number}")).collect();
    for name in &names {
        world.must(&format!(
            "DEFINE CLUSTER (NAME({name}) TRACKS(1 1) KEYS(4 0) RECORDSIZE(20 40))"
        ))?;
        // A load is not logged.
        let loaded = changed(&world.process()?, name, *b"0001 comes by a load")?;
        loaded.close()?;
    }
    let mut processes = Vec::new();
    for name in &names {
        let process = world.process()?;
        processes.push((changed(&process, name, *b"0002 comes by the log")?, process));
    }
    let now = count(world)?;
    for (set, _process) in processes {
        set.close()?;
    }
    if now > there {
        let words = format!("{there} processes found not one of {there} log files each: there are {now} now");
        return Err(Trouble::Wrong(words));
    }
    names.iter().try_for_each(|name| world.must(&format!("DELETE {name}")))
}

fn changed<const N: usize>(process: &Services, name: &str, record: [u8; N]) -> Result<DataSet, Trouble> {
    let options = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let name = Name::parse(name).map_err(|error| Trouble::Wrong(error.to_string()))?;
    let reached = reach(&*process.catalog.contents()?, &name)?;
    let set = open(&process.catalog, &process.engine, &reached, options)?;
    let order = if set.loading() {
        Insert::Sequential
    } else {
        Insert::Direct
    };
    set.string().insert(&record, order)?;
    set.commit()?;
    Ok(set)
}

fn count(world: &World) -> Result<usize, Trouble> {
    let listed = world.disk().list(&place::at(LOGS));
    listed
        .map(|files| {
            files
                .iter()
                .filter(|(path, _)| path.to_string_lossy().starts_with("log-"))
                .count()
        })
        .map_err(|error| Trouble::Failed(error.to_string()))
}
