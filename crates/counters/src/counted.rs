//! Statistics of a data set with what its root has not: what processes that have it open have counted since its last
//! commit, and what those counted that read it and wrote nothing.

use crate::readers::{readers, ReaderCounts};
use crate::running::{running, OpenDataSet, Seen};
use crate::table::{ComponentCount, DataSetCount};
use cica_disk::Disk;
use cica_format::root::Statistics;
use std::path::Path;

/// See the module; what was so when it was made.
#[derive(Debug, Default)]
pub struct Counted {
    /// The processes.
    pub seen: Seen,
    readers: Vec<ReaderCounts>,
}

impl Counted {
    /// Looks at what the processes show that have their files in `directory`.
    pub fn look(disk: &dyn Disk, directory: &Path) -> Counted {
        Counted {
            seen: running(disk, directory),
            readers: readers(disk, directory),
        }
    }

    /// Opens of a data set, by the id of its data component.
    pub fn opens(&self, component: u64) -> impl Iterator<Item = &OpenDataSet> {
        let sets = self.seen.processes.iter().flat_map(|process| &process.data_sets);
        sets.filter(move |set| set.identity.component == component)
    }

    /// Adds to the statistics of a data set, data and index, which are as of its root.
    pub fn complete(&self, component: u64, data: &mut Statistics, index: &mut Statistics) {
        // For output one process has it alone.
        if let Some(set) = self.opens(component).find(|set| set.identity.output) {
            as_counted(set, data, index);
        }
        for set in self.opens(component).filter(|set| !set.identity.output) {
            data.retrieved += set.count(DataSetCount::Retrieved);
            data.excps += set.data.count(ComponentCount::Excps);
            index.excps += set.index.count(ComponentCount::Excps);
        }
        for reader in self.readers.iter().filter(|reader| reader.component == component) {
            data.retrieved = data.retrieved.saturating_add(reader.retrieved);
            data.excps = data.excps.saturating_add(reader.data_excps);
            index.excps = index.excps.saturating_add(reader.index_excps);
        }
    }
}

/// What an open for output has counted, over what there was before it.
fn as_counted(set: &OpenDataSet, data: &mut Statistics, index: &mut Statistics) {
    let since = |counter: DataSetCount| set.identity.before[counter as usize].saturating_add(set.count(counter));
    data.records = set.count(DataSetCount::Records);
    data.inserted = since(DataSetCount::Inserted);
    data.deleted = since(DataSetCount::Deleted);
    data.updated = since(DataSetCount::Updated);
    data.retrieved = since(DataSetCount::Retrieved);
    data.ci_splits = since(DataSetCount::CiSplits);
    data.ca_splits = since(DataSetCount::CaSplits);
    data.ca_reclaims = since(DataSetCount::CaReclaims);
    data.ca_reuses = since(DataSetCount::CaReuses);
    let used = set.data.count(ComponentCount::UsedCis) * u64::from(set.identity.ci_size.0);
    data.free_space = set.data.count(ComponentCount::HighAllocated).saturating_sub(used);
    let excps = [&mut data.excps, &mut index.excps];
    for ((total, before), part) in excps.into_iter().zip(set.identity.excps_before).zip(set.components()) {
        *total = before.saturating_add(part.count(ComponentCount::Excps));
    }
}
