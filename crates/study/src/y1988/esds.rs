//! A copy from one entry-sequenced data set to another, each with buffers of its own.

use super::copied::{Copied, Side};
use super::material::{define, device, records, Seen};
use super::plan::{Place, Plan};
use crate::device_time::OnDisk;
use crate::measure::timed;
use crate::{while_doing, StudyError};
use cica::Store;
use cica_engine::{Buffering, DataSet, Insert, Intent, OpenOptions, RequestError};

/// Where copies go.
const OUTPUT: &str = "STUDY.COPY";

/// The data sets that are copied.
pub struct Entered<'s> {
    store: &'s Store,
    count: u64,
}

fn input(k: usize) -> String {
    format!("STUDY.IN{k}K")
}

/// Loads an empty one.
pub fn load(store: &Store, name: &str, count: u64) -> Result<(), StudyError> {
    let set = store.open_data_set(name, OpenOptions::output());
    let set = set.map_err(while_doing(name))?;
    let mut string = set.string();
    for record in records(count) {
        string.insert(&record, Insert::Sequential)?;
    }
    drop(string);
    set.close().map(drop).map_err(while_doing(name))
}

/// Copies all records, and says how many.
pub fn copy_all(from: &DataSet, to: &DataSet) -> Result<u64, StudyError> {
    let (mut reads, mut writes) = (from.string(), to.string());
    let mut copied = 0;
    loop {
        match reads.next(Intent::Read) {
            Ok(record) => drop(writes.insert(record.bytes, Insert::Sequential)?),
            Err(RequestError::EndOfData) => return Ok(copied),
            Err(error) => return Err(error.into()),
        }
        copied += 1;
    }
}

impl Entered<'_> {
    /// Loads one for each size of CIs that a plan reads.
    pub fn new<'s>(store: &'s Store, plans: &[Plan], count: u64) -> Result<Entered<'s>, StudyError> {
        let mut sizes: Vec<usize> = plans.iter().map(|plan| plan.input.k).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for k in sizes {
            let name = input(k);
            define(store, &name, k)?;
            load(store, &name, count)?;
        }
        Ok(Entered { store, count })
    }

    /// Copies one.
    pub fn copy(&self, plan: &Plan) -> Result<Copied, StudyError> {
        match self.store.delete(OUTPUT) {
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(while_doing(OUTPUT)(error)),
        }
        define(self.store, OUTPUT, plan.output.k)?;
        let doing = format!("ESDS, run {}", plan.run);
        let ((input, output), took) = timed(|| {
            let from = self.open(&input(plan.input.k), OpenOptions::input(), plan.input)?;
            let to = self.open(OUTPUT, OpenOptions::output(), plan.output)?;
            copy_all(&from, &to)?;
            to.end_load()?;
            let sides = (side(&from, plan.input, &doing)?, side(&to, plan.output, &doing)?);
            to.close().map_err(while_doing(&doing))?;
            from.close().map_err(while_doing(&doing))?;
            Ok::<_, StudyError>(sides)
        })?;
        Ok(Copied {
            requests: 2 * self.count,
            input,
            output,
            // A request of a string waits for what it asks of the disk.
            overlapped: false,
            took: vec![took],
        })
    }

    fn open(&self, name: &str, options: OpenOptions, place: Place) -> Result<DataSet, StudyError> {
        let buffers = Buffering {
            data: Some(place.buffers.min(u16::MAX.into()) as u16),
            traced: true,
            ..Buffering::default()
        };
        self.store
            .open_data_set(name, options.buffered(buffers))
            .map_err(while_doing(&format!("opening {name}")))
    }

    /// What the copy has.
    pub fn seen(&self) -> Result<(u64, u64), StudyError> {
        let set = self.store.open_data_set(OUTPUT, OpenOptions::input());
        let set = set.map_err(while_doing(OUTPUT))?;
        let (mut string, mut seen) = (set.string(), Seen::default());
        loop {
            match string.next(Intent::Read) {
                Ok(record) => seen.record(record.bytes),
                Err(RequestError::EndOfData) => break,
                Err(error) => return Err(error.into()),
            }
        }
        drop(string);
        set.close().map_err(while_doing(OUTPUT))?;
        Ok(seen.total())
    }
}

/// The requests of an open: each that was counted was kept.
fn side(set: &DataSet, place: Place, doing: &str) -> Result<Side, StudyError> {
    let counted = set.buffers().map(|(_, counts)| counts.excps()).unwrap_or_default();
    let transfers = set.transfers();
    if counted != transfers.len() as u64 {
        let words = format!("{doing}: {counted} requests were counted, and {} made", transfers.len());
        return Err(StudyError::Wrong(words));
    }
    let attributes = set.attributes();
    let tracks = f64::from(device()?.tracks_per_cylinder());
    let block = attributes.ci_size as usize;
    Ok(Side {
        layout: OnDisk {
            cis_per_track: f64::from(attributes.ci_per_ca) / tracks,
            cis_per_ca: attributes.ci_per_ca.into(),
            index_cylinder: 0.0,
            replicated: false,
            formats: false,
            write_check: false,
        },
        transfers,
        block: block as f64,
        space: block * place.buffers,
    })
}
