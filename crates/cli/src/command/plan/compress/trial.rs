//! The same records in a plain and in a compressed data set, both in memory: what requests take, and what space.

use cica_disk::{Clock, MemoryDisk, SystemClock};
use cica_engine::{
    Access, DataSet, Definition, Engine, Env, Insert, Intent, OpenError, OpenOptions, RequestError, Search,
};
use cica_format::attributes::{Attributes, Organization};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the data sets are laid out.
#[derive(Debug, Clone, Copy)]
pub struct TrialLayout {
    /// Length and offset of the key; none: records have none.
    pub key: Option<(u16, u32)>,
    /// Data CISZ.
    pub ci_size: u32,
}

/// Nanoseconds of a request, and bytes of the control intervals that hold records.
#[derive(Debug, Clone, Copy, Default)]
pub struct Took {
    pub load: f64,
    pub browse: f64,
    /// Where records have keys.
    pub get: Option<f64>,
    /// Read and written.
    pub update: Option<f64>,
    pub bytes: u64,
}

/// Why there was no trial.
pub enum NoTrial {
    Memory(std::io::Error),
    Open(OpenError),
    Request(RequestError),
}

impl From<OpenError> for NoTrial {
    fn from(error: OpenError) -> NoTrial {
        NoTrial::Open(error)
    }
}

impl From<RequestError> for NoTrial {
    fn from(error: RequestError) -> NoTrial {
        NoTrial::Request(error)
    }
}

/// Each kind of request is made so often for each record; the fastest time counts.
const ROUNDS: usize = 3;
/// CIs of a control area.
const AREA: u16 = 90;
/// Memory beside the records'.
const MEMORY: usize = 64 << 20;

/// Tries it: plain, then compressed.
pub fn run(records: &[Vec<u8>], layout: TrialLayout) -> Result<[Took; 2], NoTrial> {
    let mut best = [None::<Took>; 2];
    for _ in 0..ROUNDS {
        for (best, compressed) in best.iter_mut().zip([false, true]) {
            let took = round(records, layout, compressed)?;
            *best = Some(best.map_or(took, |best| best.or_faster(took)));
        }
    }
    Ok(best.map(Option::unwrap_or_default))
}

impl Took {
    fn or_faster(self, other: Took) -> Took {
        Took {
            load: self.load.min(other.load),
            browse: self.browse.min(other.browse),
            get: self.get.zip(other.get).map(|(one, other)| one.min(other)),
            update: self.update.zip(other.update).map(|(one, other)| one.min(other)),
            bytes: self.bytes,
        }
    }
}

fn round(records: &[Vec<u8>], layout: TrialLayout, compressed: bool) -> Result<Took, NoTrial> {
    let bytes: usize = records.iter().map(Vec::len).sum();
    let engine = Engine::new(Env {
        disk: Arc::new(MemoryDisk::default()),
        clock: Arc::new(SystemClock),
        log_dir: PathBuf::from("/"),
        pool_bytes: Some(MEMORY + 3 * bytes),
        io: Default::default(),
        background: false,
    })
    .map_err(NoTrial::Memory)?;
    engine.create(&definition(records, layout, compressed))?;
    let mut took = Took::default();
    let set = open(&engine, Access::Output)?;
    took.load = timed(records.len(), || {
        let mut string = set.string();
        for record in records {
            string.insert(record, Insert::Sequential)?;
        }
        drop(string);
        set.close().map(drop)
    })?;
    let set = open(&engine, Access::Output)?;
    // The first time brings it into memory.
    browse(&set)?;
    took.browse = timed(records.len(), || browse(&set))?;
    took.bytes = set.examine()?.control_intervals * u64::from(layout.ci_size);
    if let Some((length, offset)) = layout.key {
        let key = |record: &[u8]| offset as usize..(offset as usize + usize::from(length)).min(record.len());
        let order = scattered(records.len());
        took.get = Some(timed(records.len(), || {
            let mut string = set.string();
            for &at in &order {
                let record = &records[at];
                string.get(&record[key(record)], Search::Equal, Intent::Read)?;
            }
            Ok(())
        })?);
        took.update = Some(timed(records.len(), || {
            let (mut string, mut new) = (set.string(), Vec::new());
            for &at in &order {
                let record = &records[at];
                string.get(&record[key(record)], Search::Equal, Intent::Update)?;
                // With what another one has behind its key.
                let other = &records[(at + 1) % records.len()];
                new.clear();
                new.extend_from_slice(&record[..key(record).end]);
                new.extend_from_slice(other.get(key(record).end..).unwrap_or_default());
                string.update(&new)?;
            }
            Ok(())
        })?);
    }
    set.close()?;
    Ok(took)
}

fn definition(records: &[Vec<u8>], layout: TrialLayout, compressed: bool) -> Definition {
    let longest = records.iter().map(Vec::len).max().unwrap_or(1) as u32;
    let organization = match layout.key {
        Some(_) => Organization::Ksds,
        None => Organization::Esds,
    };
    let (length, offset) = layout.key.unwrap_or_default();
    let attributes = |name: &str, ci_size: u32| Attributes {
        key_length: length,
        key_offset: offset,
        average_record: longest,
        maximum_record: longest,
        spanned: longest + 11 > layout.ci_size,
        compressed,
        secondary: 1 << 40,
        volume: "TRIAL".into(),
        ..Attributes::new(organization, name, ci_size, AREA)
    };
    Definition {
        data_path: PathBuf::from("/TRIAL.DATA"),
        index_path: PathBuf::from("/TRIAL.INDEX"),
        data: attributes("TRIAL.DATA", layout.ci_size),
        index: layout.key.map(|_| Attributes {
            spanned: false,
            ..attributes("TRIAL.INDEX", 32_768)
        }),
    }
}

fn open(engine: &Engine, access: Access) -> Result<DataSet, OpenError> {
    let options = OpenOptions {
        access,
        ..OpenOptions::default()
    };
    engine.open(Path::new("/TRIAL.DATA"), Path::new("/TRIAL.INDEX"), options)
}

fn browse(set: &DataSet) -> Result<(), RequestError> {
    let mut string = set.string();
    loop {
        match string.next(Intent::Read) {
            Ok(_) => {}
            Err(RequestError::EndOfData) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// All places, in an order that jumps about: by steps that have no divisor in common with their number.
fn scattered(count: usize) -> Vec<usize> {
    let divides = |step: usize| (2..=step).any(|n| step % n == 0 && count % n == 0);
    let step = (count * 5 / 8..count).find(|step| !divides(*step)).unwrap_or(1);
    (0..count).map(|n| n * step % count).collect()
}

fn timed(count: usize, act: impl FnOnce() -> Result<(), RequestError>) -> Result<f64, RequestError> {
    let begin = SystemClock.now();
    act()?;
    Ok(SystemClock.now().saturating_sub(begin) as f64 / count.max(1) as f64)
}
