//! Copies the records of a data set into new files in the order of their new keys.
//!
//! Records that come in that order are loaded as they come. When one does not, because the key lies elsewhere now, all
//! are inserted into a work data set first, which is then loaded from; so memory stays within the pool's bound.

use super::super::bytes::shown;
use super::super::failure::Failure;
use super::super::input::KeyField;
use super::super::making::Making;
use super::super::portable::new_data_set;
use super::super::trouble::{not_opened, Trouble};
use super::super::Services;
use super::not_reorganized;
use cica_catalog::{Cluster, Entry, Name};
use cica_engine::{Access, DataSet, Insert, Intent, OpenOptions, Record, RequestError, Str};
use cica_format::attributes::Organization;
use cica_format::root::Root;
use cica_messages::CICA0972E;
use cica_qsam::CodePage;
use std::path::PathBuf;

/// Fills the files at `paths` for `entry` with the records of `from`, whose root is `before`; tells their root.
pub fn copy(
    services: &mut Services,
    making: &mut Making,
    from: &DataSet,
    before: &Root,
    entry: &Entry,
    paths: &(PathBuf, PathBuf),
) -> Result<Root, Failure> {
    let Entry::Cluster(cluster) = entry else {
        return Err(not_reorganized(entry.name(), &"it is no cluster"));
    };
    let name = &cluster.name;
    let counted = before.statistics.records;
    let to = create(services, cluster, paths, Some(before))?;
    let mut count = 0;
    if before.ca_count > 0 {
        to.learn_from(from).map_err(|e| stopped(Trouble::from(e), name))?;
        match records(services, from, &to, name, Insert::Sequential)? {
            Some(written) => count = written,
            None => {
                to.close().map_err(|e| stopped(Trouble::Close(e), name))?;
                services.engine.destroy(&paths.0, &paths.1, false)?;
                return sorted(services, making, from, before, entry, paths);
            }
        }
    }
    to.close().map_err(|e| stopped(Trouble::Close(e), name))?;
    complete(services, name, paths, counted, count)
}

/// The same by way of a work data set.
fn sorted(
    services: &mut Services,
    making: &mut Making,
    from: &DataSet,
    before: &Root,
    entry: &Entry,
    paths: &(PathBuf, PathBuf),
) -> Result<Root, Failure> {
    let mut work = entry.clone();
    let work_paths = making.list(&mut work)?;
    let Entry::Cluster(cluster) = &work else {
        return Err(not_reorganized(entry.name(), &"it is no cluster"));
    };
    let name = &cluster.name;
    let close = |data_set: DataSet| data_set.close().map(drop).map_err(|e| stopped(Trouble::Close(e), name));
    // A data set takes records in any order once it has been loaded with one.
    let to = create(services, cluster, &work_paths, None)?;
    let mut string = from.string();
    let first = string.next(Intent::Read).map_err(|e| stopped(Trouble::from(e), name))?;
    put(&mut to.string(), 0, first.bytes, Insert::Sequential).map_err(|e| wrong(from, name, 1, first, e))?;
    drop(string);
    close(to)?;
    let output = OpenOptions {
        access: Access::Output,
        ..OpenOptions::default()
    };
    let opened = |error| not_opened(name.as_str(), &error);
    let to = services
        .engine
        .open(&work_paths.0, &work_paths.1, output)
        .map_err(opened)?;
    records(services, from, &to, name, Insert::Direct)?;
    close(to)?;
    let from = services
        .engine
        .open(&work_paths.0, &work_paths.1, OpenOptions::default())
        .map_err(opened)?;
    let to = create(services, cluster, paths, Some(before))?;
    to.learn_from(&from).map_err(|e| stopped(Trouble::from(e), name))?;
    let count = records(services, &from, &to, name, Insert::Sequential)?.unwrap_or(0);
    close(to)?;
    close(from)?;
    making.discard(&work)?;
    complete(services, name, paths, before.statistics.records, count)
}

/// `of`: the root of the data set whose place it takes; its alternate indexes stay what they are.
fn create(
    services: &Services,
    cluster: &Cluster,
    paths: &(PathBuf, PathBuf),
    of: Option<&Root>,
) -> Result<DataSet, Failure> {
    new_data_set(services, cluster, paths, of).map_err(|error| not_opened(cluster.name.as_str(), &error))
}

/// Invariant 3 of the module above.
fn complete(
    services: &Services,
    name: &Name,
    paths: &(PathBuf, PathBuf),
    counted: u64,
    count: u64,
) -> Result<Root, Failure> {
    let after = services.engine.peek(&paths.0)?;
    if counted == count && after.statistics.records == count {
        Ok(after)
    } else {
        Err(not_reorganized(
            name,
            &format!(
                "it counts {counted} records, {count} were read and {} written; EXAMINE it",
                after.statistics.records
            ),
        ))
    }
}

/// Writes all records of one data set to another; tells how many, or none when they are out of sequence. With direct
/// inserts the first record is there already.
fn records(
    services: &mut Services,
    from: &DataSet,
    to: &DataSet,
    name: &Name,
    how: Insert,
) -> Result<Option<u64>, Failure> {
    let (mut input, mut output) = (from.string(), to.string());
    let keeps = matches!(to.attributes().organization, Organization::Rrds | Organization::Vrrds);
    let mut count = 0;
    loop {
        let record = match input.next(Intent::Read) {
            Ok(record) => record,
            Err(RequestError::EndOfData) => return Ok(Some(count)),
            Err(error) => return Err(stopped(Trouble::from(error), name)),
        };
        count += 1;
        services.progress(count);
        if how == Insert::Direct && count == 1 {
            continue;
        }
        let number = if keeps { record.rrn } else { 0 };
        match put(&mut output, number, record.bytes, how) {
            Ok(()) => {}
            Err(RequestError::Sequence { .. }) if how == Insert::Sequential => return Ok(None),
            Err(error) => return Err(wrong(from, name, count, record, error)),
        }
    }
}

/// Writes a record; one that had a number has it in a relative data set too.
fn put(string: &mut Str, number: u32, record: &[u8], how: Insert) -> Result<(), RequestError> {
    match number {
        0 => string.insert(record, how).map(drop),
        number => string.insert_at(number, record, how),
    }
}

/// The failure of a record that the new definition cannot hold.
fn wrong(from: &DataSet, name: &Name, number: u64, record: Record<'_>, error: RequestError) -> Failure {
    let a = from.attributes();
    let key = KeyField::of(a).in_record(record.bytes);
    let place = match (a.organization, record.rrn) {
        (Organization::Ksds, _) => format!("KEY {}", shown(key, CodePage::from_ccsid(a.ccsid))),
        (_, 0) => format!("RBA {}", record.rba),
        (_, rrn) => format!("NUMBER {rrn}"),
    };
    match error {
        RequestError::Duplicate { .. } | RequestError::Length { .. } | RequestError::Sequence { .. } => Failure::new(
            &CICA0972E,
            &[("number", &number), ("place", &place), ("reason", &error)],
        )
        .and(
            &cica_messages::CICA0971E,
            &[
                ("name", name),
                ("reason", &"a record does not fit its new definition; it is as it was"),
            ],
        ),
        other => stopped(Trouble::from(other), name),
    }
}

/// The failure of the copy itself: it is discarded, whatever it holds.
fn stopped(trouble: Trouble, name: &Name) -> Failure {
    let left = not_reorganized(name, &"the copy could not be made; it is as it was");
    trouble.of(name.as_str()).and_all(left)
}
