//! What closes tell: their SMF records of type 64, read back from their file.

use crate::{while_doing, StudyError};
use cica::Store;
use cica_disk::{Disk, FileReader, LinuxDisk};
use cica_smf::{write, Origin, Record, Records, SmfFile, Value};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// Type of the record that a close writes.
const CLOSED: u8 = 64;
const READING: &str = "reading SMF records";

/// From now on closes write records.
pub fn watch(store: &Store) {
    let session = store.session();
    if session.smf.is_some() {
        return;
    }
    let origin = Origin {
        catalog: session.catalog.called_name().unwrap_or_default(),
        job: "STUDY".into(),
        ..Origin::default()
    };
    let (disk, clock) = (session.disk.clone(), session.clock.clone());
    let file = SmfFile::new(disk, clock, session.catalog.directory(), origin, write::MOST);
    session.engine.watch(Arc::new(file));
}

/// The records of all closes, of data and index each; none where there was none yet.
pub fn closes(disk: &dyn Disk, catalog: &Path) -> Result<Vec<Record>, StudyError> {
    let path = catalog.join(write::DIRECTORY).join(write::CURRENT);
    let file = match FileReader::plain(disk, &path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(while_doing(READING))?,
    };
    let mut closes = Vec::new();
    for record in Records::new(file) {
        let record = record.map_err(while_doing(READING))?;
        if record.kind() == CLOSED {
            closes.push(record);
        }
    }
    Ok(closes)
}

/// The last two.
pub fn last_close(disk: &dyn Disk, catalog: &Path) -> Result<[Record; 2], StudyError> {
    let mut closes = closes(disk, catalog)?;
    let last = closes.split_off(closes.len().saturating_sub(2));
    <[Record; 2]>::try_from(last).map_err(|_| StudyError::Wrong(format!("{READING}: the close wrote none")))
}

/// Requests to the files of a data set from its last open to its last close: who reads them, and whatever for.
pub fn requests_of_last(name: &str, catalog: &Path) -> Result<u64, StudyError> {
    let last = last_close(&LinuxDisk::new(), catalog)?;
    let is_of = |record: &Record| {
        record
            .get("SMF64CLU")
            .is_some_and(|cluster| cluster.to_string() == name)
    };
    if !last.iter().all(is_of) {
        return Err(StudyError::Wrong(format!("{READING}: the last close is not of {name}")));
    }
    Ok(last.iter().filter_map(|record| number(record, "SMF64DXP")).sum::<f64>() as u64)
}

/// A field.
pub fn number(record: &Record, field: &str) -> Option<f64> {
    match record.get(field) {
        Some(Value::Number(number)) => Some(number as f64),
        _ => None,
    }
}
