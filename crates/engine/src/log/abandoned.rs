//! Logs that nobody needs though nobody gave them back: their owner died after its last close had written the roots.
//!
//! Nothing is locked meanwhile, so that whoever opens one of the data sets need not wait, and nothing is done again: a
//! log that is needed stays for whoever opens what needs it. No root comes to name a dead owner's log, so what was
//! found stays true.

use super::header::claimed;
use super::logged::Logged;
use super::replay::LogReader;
use crate::error::OpenError;
use crate::places::Places;
use crate::roots::read_root;
use crate::succession::{self, Fate, Predecessor};
use crate::volumes::{is_marked, Absent, Volumes};
use cica_disk::{Disk, Open};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Is there nobody who needs log `log` of a dead owner? What cannot be looked at may need it.
pub(super) fn is_abandoned(disk: &dyn Disk, volumes: &dyn Volumes, path: &Path, log: u64) -> bool {
    let Ok(mut reader) = LogReader::beside(disk, path, log) else {
        return false;
    };
    // Where it was when this was written is not known; a catalog that was moved finds by its volumes.
    let places = Places::new(volumes.directories(), None, path);
    let mut complete = BTreeSet::new();
    let mut nobody_needs = |requests: &[(u64, Logged)], begun: Option<u64>| {
        requests.iter().all(|(_, logged)| {
            let Logged::DataSet {
                cluster, lineage, data, ..
            } = logged
            else {
                return true;
            };
            let is_new = complete.insert((*cluster, data.clone()));
            let of = Predecessor {
                cluster: *cluster,
                lineage: *lineage,
                begun,
            };
            !(is_new && may_need(disk, volumes, &places, (Path::new(data), of), log))
        })
    };
    loop {
        match reader.next_group() {
            Ok(Some(group)) if nobody_needs(&group, reader.group().1.or(claimed(log))) => {}
            Ok(None) => break,
            _ => return false,
        }
    }
    let Ok(tail) = reader.tail() else { return false };
    let last = reader.group().1.or(claimed(log));
    if !tail.iter().all(|half| nobody_needs(&half.records, last)) {
        return false;
    }
    // Without a group nothing is known of who is in it, nor of who was in one that is damaged.
    !complete.is_empty() && matches!(reader.pass_gap(), Ok(None))
}

/// The table in [`crate::recovery`], without doing anything.
fn may_need(
    disk: &dyn Disk,
    volumes: &dyn Volumes,
    places: &Places,
    (data, of): (&Path, Predecessor),
    log: u64,
) -> bool {
    let how = Open {
        write: true,
        ..Open::default()
    };
    // places:M3.
    let (mut other, mut unseen) = (None, places.are_partial());
    for (place, path) in places.of(data).into_iter().enumerate() {
        let file = match disk.open(&path, how) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            // A place that cannot be looked at may have it.
            Err(_) if place > 0 => {
                unseen = true;
                continue;
            }
            Err(_) => return true,
        };
        match read_root(&*file, &path) {
            Ok(root) if root.cluster == of.cluster && root.log.log == log => return true,
            // V6.
            Ok(root) if root.cluster == of.cluster => return file.sync().is_err(),
            Ok(root) if place == 0 => other = Some(root),
            Err(_) if place == 0 => return true,
            Err(OpenError::Io { .. }) => unseen = true,
            // What lies elsewhere under its name may be anything.
            _ => {}
        }
    }
    if let Some(other) = other {
        return match succession::fate(disk, places, data, of, &other) {
            Fate::Over => false,
            Fate::MayComeBack => true,
            Fate::Moved(path, root) => {
                root.log.log == log || disk.open(&path, how).and_then(|file| file.sync()).is_err()
            }
        };
    }
    // It may have been moved by hand, and may come back, unless the catalog says it was deleted: while the owner lived,
    // or after its owner had died in a CLOSE behind the root.
    let deleted = places.of_deleted(data);
    let says_so = |path: &PathBuf| is_marked(disk, path) && volumes.absent(path) == Absent::Deleted;
    unseen || deleted.is_empty() || !deleted.iter().all(says_so)
}
