//! Whether each log file of a catalog is used again.
//!
//! A file may be free, abandoned, or needed by a data set that somebody has yet to open; its header does not tell. So
//! it is tried: once all data sets were opened and closed, as many processes as there are files, each with a data set
//! of its own that it changes, make no other file.
//!
//! One is excused. A log that names a data set whose files are gone stays, for they may have been moved away and come
//! back with requests in it. DELETE takes care of the log that the root names. It does not of one whose owner was
//! killed in CLOSE, behind the root and before he gave the log back, be it before the DELETE or after it; nor of one
//! whose giving back a power cut undoes; nor does the end of a DELETE that was killed.

use std::io;
use std::path::{Path, PathBuf};

use cica_catalog::Name;
use cica_disk::{Disk, Open, ReadAt};
use cica_engine::{Access, DataSet, Insert, OpenOptions};
use cica_format::log::{read_group, records, LogFileHeader, LogRecord, BLOCK_LEN};
use cica_idcams::Services;
use cica_session::{open, reach};

use super::world::{World, LOGS};
use crate::session::Trouble;

/// Uses all log files at once, for data sets that are gone afterwards. All others were opened and closed.
///
/// # Errors
/// A file was made though there was one for each process; or a command or request failed.
pub fn use_all(world: &mut World) -> Result<(), Trouble> {
    let there = count(world)?;
    let waiting = waiting(world.disk()).map_err(|error| Trouble::Failed(error.to_string()))?;
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
    if now > there + waiting {
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

/// How many of them name a data set whose files are gone.
fn waiting(disk: &dyn Disk) -> io::Result<usize> {
    let mut waiting = 0;
    for (file, length) in disk.list(Path::new(LOGS))? {
        let mut bytes = vec![0; length as usize];
        let (at, buf, got) = (0, &mut bytes[..], 0);
        let file = disk.open(&Path::new(LOGS).join(file), Open::default())?;
        file.read(&mut [ReadAt { at, buf, got }])?;
        let named = LogFileHeader::decode(&bytes).map_or(Vec::new(), |header| named(&bytes, header.log));
        let is_gone = |data: &PathBuf| disk.open(data, Open::default()).is_err();
        waiting += usize::from(named.iter().any(is_gone));
    }
    Ok(waiting)
}

/// The data components that a log names.
fn named(bytes: &[u8], log: u64) -> Vec<PathBuf> {
    let (mut at, mut named) = (BLOCK_LEN, Vec::new());
    while let Ok((header, len)) = read_group(bytes.get(at..).unwrap_or_default()) {
        if header.log != log {
            break;
        }
        for record in records(&bytes[at..at + len]).flatten() {
            if let LogRecord::DataSet { path, .. } = record {
                named.extend(path.split('\0').next().map(PathBuf::from));
            }
        }
        at += len;
    }
    named
}

fn count(world: &World) -> Result<usize, Trouble> {
    let listed = world.disk().list(Path::new(LOGS));
    listed
        .map(|files| files.len())
        .map_err(|error| Trouble::Failed(error.to_string()))
}
