//! Compressed data sets of VSE/ESA, 2001: four REPROs, from plain and compressed to plain and compressed, at two
//! BUFNDs, and an online mix. The records are of 250 bytes with a key of 10, data CISZ 8K, and compress by 1.9 with the
//! study's kind of method.

mod lz;
mod online;
mod published;
mod repro;

use crate::measure::median;
use crate::records::{study, Random};
use crate::report::{Cell, Report, Table};
use crate::{Setting, StudyError};
use cica_disk::{Counted, LinuxDisk, SystemClock};
use cica_engine::{Access, DataSet, Definition, Engine, Env, Insert, Intent, OpenOptions, RequestError};
use cica_format::attributes::{Attributes, Organization};
use std::path::PathBuf;
use std::sync::Arc;

/// Records of the study.
const RECORDS: u64 = 166_667;
const RECORD: usize = 250;
const KEY: usize = 10;
const DATA_CISZ: usize = 8192;
/// CIs of a control area: a cylinder of the study's disks has about as many.
const AREA: u16 = 90;
/// Of so many records it is found out how they compress.
const TRIED: usize = 20_000;
/// What the study's kind of method must make of them; it says 1.9.
const FACTOR: std::ops::Range<f64> = 1.85..1.95;

/// What is measured with: records, and where data sets stand.
struct Bench<'s> {
    setting: &'s Setting,
    disk: Counted<LinuxDisk>,
    records: Vec<Vec<u8>>,
}

/// See the module.
pub fn run(setting: &Setting) -> Result<Report, StudyError> {
    let count = setting.records.unwrap_or(RECORDS).max(1);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    // Even numbers: the odd ones are inserted.
    let records: Vec<Vec<u8>> = (0..count).map(|n| study(&mut random, 2 * n).0).collect();
    let factor = lz::factor(&records[..records.len().min(TRIED)], KEY);
    if records.len() >= TRIED && !FACTOR.contains(&factor) {
        let words = format!("the records compress by {factor:.2} with the study's kind of method, and not by 1.9");
        return Err(StudyError::Wrong(words));
    }
    let bench = Bench {
        setting,
        disk: Counted::new(LinuxDisk::new()),
        records,
    };
    let space = bench.space(factor)?;
    let repros = repro::measure(&bench)?;
    let online = online::measure(&bench)?;
    Ok(Report {
        title: format!(
            "The study of 2001 with {count} records of {RECORD} bytes, median of {} rounds",
            setting.rounds
        ),
        tables: vec![space, repros, online],
        notes: vec![
            "REPRO: plain to plain with the same BUFND is 1. In the study's columns stand its figures.".into(),
            format!("BUFND 40 and 4: {}", repro::BUFFERS),
            format!("online mix: {}", online::MIX),
        ],
        plots: Vec::new(),
        bars: Vec::new(),
    })
}

impl Bench<'_> {
    /// An engine with a pool of its own.
    fn engine(&self, pool: usize) -> Result<Engine, StudyError> {
        let env = Env {
            disk: Arc::new(self.disk.clone()),
            clock: Arc::new(SystemClock),
            log_dir: self.setting.directory.clone(),
            pool_bytes: Some(pool),
            io: self.setting.io,
            background: true,
        };
        Engine::new(env).map_err(StudyError::Memory)
    }

    fn paths(&self, name: &str) -> (PathBuf, PathBuf) {
        let path = |component: &str| self.setting.directory.join(format!("{name}.{component}"));
        (path("data"), path("index"))
    }

    fn create(&self, engine: &Engine, name: &str, compressed: bool) -> Result<(), StudyError> {
        let attributes = |component: &str, ci_size: u32, ci_per_ca: u16| Attributes {
            cluster_name: name.into(),
            key_length: KEY as u16,
            average_record: RECORD as u32,
            maximum_record: RECORD as u32,
            compressed,
            primary: 1 << 40,
            secondary: 1 << 30,
            volume: "STUDY1".into(),
            ..Attributes::new(Organization::Ksds, &format!("{name}.{component}"), ci_size, ci_per_ca)
        };
        let (data_path, index_path) = self.paths(name);
        let definition = Definition {
            data_path,
            index_path,
            data: attributes("DATA", DATA_CISZ as u32, AREA),
            index: Some(Attributes {
                compressed: false,
                ..attributes("INDEX", 4096, 12)
            }),
        };
        Ok(engine.create(&definition)?)
    }

    fn open(&self, engine: &Engine, name: &str, access: Access) -> Result<DataSet, StudyError> {
        let (data, index) = self.paths(name);
        let options = OpenOptions {
            access,
            ..OpenOptions::default()
        };
        Ok(engine.open(&data, &index, options)?)
    }

    /// Takes the files of a data set away.
    fn remove(&self, name: &str) -> Result<(), StudyError> {
        let (data, index) = self.paths(name);
        for path in [data, index] {
            cica_disk::Disk::remove(&self.disk, &path).map_err(StudyError::Memory)?;
        }
        Ok(())
    }

    /// A data set with all records.
    fn load(&self, engine: &Engine, name: &str, compressed: bool) -> Result<(), StudyError> {
        self.create(engine, name, compressed)?;
        let set = self.open(engine, name, Access::Output)?;
        let mut string = set.string();
        for record in &self.records {
            string.insert(record, Insert::Sequential)?;
        }
        drop(string);
        set.close()?;
        Ok(())
    }

    /// Does it hold what it should (T3)?
    fn check(&self, engine: &Engine, name: &str) -> Result<(), StudyError> {
        let set = self.open(engine, name, Access::Input)?;
        let mut string = set.string();
        for record in &self.records {
            if string.next(Intent::Read)?.bytes != record {
                return Err(StudyError::Wrong(format!(
                    "{name} does not have the records that were stored"
                )));
            }
        }
        match string.next(Intent::Read) {
            Err(RequestError::EndOfData) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(StudyError::Wrong(format!("{name} has more records than were stored"))),
        }
        drop(string);
        set.close()?;
        Ok(())
    }

    /// Loads what the other tables need, and says what space it takes.
    fn space(&self, factor: f64) -> Result<Table, StudyError> {
        let engine = self.engine(repro::POOL)?;
        let mut used = [0.0; 2];
        for (name, compressed) in [("PLAIN", false), ("COMPRESSED", true)] {
            self.load(&engine, name, compressed)?;
            self.check(&engine, name)?;
            used[usize::from(compressed)] = engine.peek(&self.paths(name).0)?.high_used as f64;
        }
        let mut table = Table::new("Space", &["here", "study"]);
        table.row(
            "bytes of control intervals, plain",
            vec![Cell::Number(used[0], 0), Cell::None],
        );
        table.row(
            "bytes of control intervals, compressed",
            vec![Cell::Number(used[1], 0), Cell::None],
        );
        let saved = |factor: f64| Cell::Percent(100.0 / factor - 100.0);
        table.row("space", vec![saved(used[0] / used[1]), saved(published::FACTOR)]);
        let number = |factor| Cell::Number(factor, 2);
        table.row(
            "factor of the study's kind of method",
            vec![number(factor), number(published::FACTOR)],
        );
        Ok(table)
    }
}

/// The medians of what rounds found, one after another.
fn medians<const N: usize>(rounds: &[[f64; N]]) -> [f64; N] {
    std::array::from_fn(|n| median(rounds.iter().map(|round| round[n]).collect()))
}
