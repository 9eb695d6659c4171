//! The tester of old files: every file, and every pair of files of one cluster, as it was at one moment of a run among
//! the rest as it was at another, for every pair of moments.
//!
//! What opens has the contents of one moment from the older to the newer of the two, each part of the store by itself:
//! an old log and newer trees come to what was between. A mixture is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cica_disk::{Image, MemoryDisk};

use super::{count, is_refusal, record, recover, CopyFailure, DamageCounts};
use crate::place;
use crate::subject::Subject;

/// Moments of a run, at most.
const MOMENTS: usize = 9;

/// Tries all mixtures of one run.
pub fn explore(subject: &dyn Subject) -> (DamageCounts, Option<CopyFailure>) {
    let mut counts = DamageCounts::new();
    let failure = place::by_records_alone(|| run(subject, &mut counts)).err();
    (counts, failure)
}

fn run(subject: &dyn Subject, counts: &mut DamageCounts) -> Result<(), CopyFailure> {
    let recorded = record(subject)?;
    let promises = recorded.history.promises();
    let every = promises.len().div_ceil(MOMENTS).max(1);
    let moments: Vec<usize> = promises.into_iter().rev().step_by(every).collect();
    let images: BTreeMap<usize, Image> = recorded
        .trace
        .live()
        .enumerate()
        .filter(|(events, _)| moments.contains(events))
        .collect();
    for (&now, image) in &images {
        for (&then, other) in images.iter().filter(|(then, _)| **then != now) {
            count(counts, "pairs of moments");
            for files in components(image, other) {
                let mut mixed = image.clone();
                files.iter().for_each(|path| mixed.copy_file(path, other));
                if files.iter().all(|path| image.bytes(path) == other.bytes(path)) {
                    continue;
                }
                count(counts, "mixtures");
                let found = recover(subject, &MemoryDisk::from(mixed));
                let wrong = |what: String| CopyFailure {
                    copy: format!("{files:?} of after {then} events among the rest of after {now}"),
                    what,
                };
                let history = &recorded.history;
                match found {
                    Err(words) if !is_refusal(&words) => return Err(wrong(words)),
                    Err(_) => count(counts, "mixtures refused"),
                    Ok(found) => {
                        let (first, last) = (now.min(then), now.max(then));
                        history.check_between(first, last, &found.digests).map_err(wrong)?;
                        count(counts, "mixtures right");
                    }
                }
            }
        }
    }
    Ok(())
}

/// Each file of either moment by itself, and those of each cluster together.
fn components(now: &Image, then: &Image) -> Vec<Vec<PathBuf>> {
    let all: BTreeSet<PathBuf> = now.files().chain(then.files()).map(Path::to_path_buf).collect();
    let mut clusters: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in &all {
        clusters.entry(path.with_extension("")).or_default().push(path.clone());
    }
    let several = clusters.into_values().filter(|files| files.len() > 1);
    all.iter().map(|path| vec![path.clone()]).chain(several).collect()
}
