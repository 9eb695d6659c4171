//! Logs that nobody needs though nobody gave them back: their owner died after its last close had written the roots.
//!
//! Nothing is locked meanwhile, so that whoever opens one of the data sets need not wait, and nothing is done again: a
//! log that is needed stays for whoever opens what needs it. No root comes to name a dead owner's log, so what was
//! found stays true.

use super::replay::{LogReader, Logged};
use crate::recovery::is_marked;
use crate::roots::read_root;
use crate::volumes::{Absent, Volumes};
use cica_disk::{Disk, Open};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

/// Is there nobody who needs log `log` of a dead owner? What cannot be looked at may need it.
pub(super) fn is_abandoned(disk: &dyn Disk, volumes: &dyn Volumes, path: &Path, log: u64) -> bool {
    let Ok(mut reader) = LogReader::beside(disk, path, log) else {
        return false;
    };
    let mut complete = BTreeSet::new();
    let mut nobody_needs = |requests: &[(u64, Logged)]| {
        requests.iter().all(|(_, logged)| {
            let Logged::DataSet { cluster, data, .. } = logged else {
                return true;
            };
            let is_new = complete.insert((*cluster, data.clone()));
            !(is_new && may_need(disk, volumes, Path::new(data), *cluster, log))
        })
    };
    loop {
        match reader.next_group() {
            Ok(Some(group)) if nobody_needs(&group) => {}
            Ok(None) => break,
            _ => return false,
        }
    }
    let Ok(tail) = reader.tail() else { return false };
    if !tail.iter().all(|half| nobody_needs(&half.records)) {
        return false;
    }
    // Without a group nothing is known of who is in it, nor of who was in one that is damaged.
    !complete.is_empty() && matches!(reader.pass_gap(), Ok(None))
}

/// The table in [`crate::recovery`], without doing anything.
fn may_need(disk: &dyn Disk, volumes: &dyn Volumes, data: &Path, cluster: u64, log: u64) -> bool {
    let how = Open {
        write: true,
        ..Open::default()
    };
    let file = match disk.open(data, how) {
        Ok(file) => file,
        // It may have been moved by hand, and may come back, unless the catalog says it was deleted: while the owner
        // lived, or after its owner had died in a CLOSE behind the root.
        Err(error) => {
            let gone = error.kind() == ErrorKind::NotFound && is_marked(disk, data);
            return !(gone && volumes.absent(data) == Absent::Deleted);
        }
    };
    match read_root(&*file, data) {
        Ok(root) if root.cluster == cluster && root.log.log == log => true,
        // V6.
        Ok(_) => file.sync().is_err(),
        Err(_) => true,
    }
}
