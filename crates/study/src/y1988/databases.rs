//! Databases in shared pools: an application that stands for the one of figure 3.
//!
//! A database is what DL/I made of one (HIDAM): segments in an entry-sequenced data set, and a key-sequenced one that
//! leads from the key of a root to the place of its segment. All of them share the buffers of a pool.
//!
//! The source says nothing of its application but how it was run. The one here asks for what it asked for not long ago:
//! that more than `n` other roots came since a root was asked for last has the probability 1 / n^[`FORGETS`].
//! That exponent and [`REQUESTS`] were chosen so that the first run and the last have the EXCPs that were printed of
//! them; the two between have what comes of it.

use super::material::K;
use crate::figures::{Figures, Printed};
use crate::measure::{median, timed, Took};
use crate::records::Random;
use crate::{while_doing, StudyError};
use cica::{Esds, Ksds, Store};
use cica_catalog::space::Unit;
use cica_engine::{Argument, Buffering, DataSet, Insert, Intent, OpenOptions, PoolBuffers, Search, Str, WriteBuffers};

/// Bytes of a CI of the segments, and of the keys, of each database. The larger ones are beyond all sizes but 32K.
const DATABASES: [(u32, u32); 5] = [(2048, 512), (2048, 1024), (4096, 512), (8192, 1024), (12_288, 2048)];
/// Roots of a database, of so many records that the study was asked for.
const ROOTS: u64 = 8;
/// Requests, of a hundred.
const REQUESTS: u64 = 75;
/// See the module.
const FORGETS: f64 = 0.8;
/// Of so many requests one changes its segment.
const CHANGES: u64 = 5;
/// How far back a request looks.
const REMEMBERED: usize = 8192;
/// The pool.
const POOL: u8 = 0;

/// What is asked for: a root of a database.
type Root = (usize, u64);

/// A row of the figure, and what was counted.
pub struct PoolRun {
    /// Its definition, in words.
    pub title: String,
    /// As printed: thousands of bytes of buffers, seconds, seconds of the processor, thousands of EXCPs.
    pub printed: [Option<f64>; 4],
    /// Bytes of the buffers.
    pub space: u64,
    /// Requests to the files.
    pub excps: u64,
    /// Bytes that they moved.
    pub moved: u64,
    took: Vec<Took>,
}

impl PoolRun {
    /// Milliseconds, and those of the processor.
    pub fn here(&self) -> (f64, f64) {
        let middle = |of: fn(&Took) -> f64| median(self.took.iter().map(of).collect()) / 1e6;
        (middle(|took| took.elapsed), middle(|took| took.cpu))
    }
}

/// The databases, loaded.
pub struct Databases<'s> {
    store: &'s Store,
    /// The same for each pool.
    requests: Vec<(Root, bool)>,
}

impl Databases<'_> {
    /// Loads them.
    pub fn new(store: &Store, count: u64) -> Result<Databases<'_>, StudyError> {
        let roots = (count / ROOTS).max(1);
        for (n, (segments, keys)) in DATABASES.into_iter().enumerate() {
            load(store, n, (segments, keys), roots)?;
        }
        let requests = asked_for(roots, (count * REQUESTS / 100).max(1));
        Ok(Databases { store, requests })
    }

    /// Runs the application in each pool, in turn, as often as there are rounds.
    pub fn run(&self, rounds: usize) -> Result<Vec<PoolRun>, StudyError> {
        let figures = Figures::of(include_str!("pools.csv"));
        let rows: Vec<Printed<'_>> = figures.rows().collect();
        let mut runs: Vec<PoolRun> = Vec::new();
        for round in 0..rounds.max(1) {
            for (n, row) in rows.iter().enumerate() {
                let run = self.in_pool(row)?;
                let Some(before) = runs.get_mut(n) else {
                    runs.push(run);
                    continue;
                };
                if (before.excps, before.moved) != (run.excps, run.moved) {
                    let words = format!("{}, round {}: other counts than before", run.title, round + 1);
                    return Err(StudyError::Wrong(words));
                }
                before.took.extend(run.took);
            }
        }
        Ok(runs)
    }

    fn in_pool(&self, row: &Printed<'_>) -> Result<PoolRun, StudyError> {
        let definition = row.text("pools");
        let buffers =
            defined(definition).ok_or_else(|| StudyError::Wrong(format!("'{definition}' defines no pool")))?;
        let space = buffers.data.iter().map(|of| u64::from(of.size * of.buffers)).sum();
        let wrong = |error: &dyn std::fmt::Display| StudyError::Wrong(format!("{definition}: {error}"));
        let pool = self.store.build_pool(POOL, &buffers).map_err(|error| wrong(&error))?;
        let (_, took) = timed(|| {
            let open: Vec<OpenDatabase> = (0..DATABASES.len()).map(|n| self.open(n)).collect::<Result<_, _>>()?;
            self.ask(&open)?;
            pool.write_buffers(WriteBuffers::All)?;
            open.into_iter().try_for_each(OpenDatabase::close)
        })?;
        let (mut excps, mut moved) = (0, 0);
        for of in pool.counts() {
            let requests = of.reads + of.user_writes + of.forced_writes;
            (excps, moved) = (excps + requests, moved + requests * u64::from(of.size));
        }
        drop(pool);
        self.store.delete_pool(POOL).map_err(|error| wrong(&error))?;
        Ok(PoolRun {
            title: format!("{}: {definition}", row.text("run")),
            printed: ["bufsp", "elapsed", "cpu", "excp"].map(|column| row.number(column)),
            space,
            excps,
            moved,
            took: vec![took],
        })
    }

    fn open(&self, n: usize) -> Result<OpenDatabase, StudyError> {
        let shares = |options: OpenOptions| {
            options.buffered(Buffering {
                pool: Some(POOL),
                // DL/I wrote a changed buffer when it was needed, or at the end.
                deferred: true,
                ..Buffering::default()
            })
        };
        let open = |name: String, options| {
            let set = self.store.open_data_set(&name, shares(options));
            set.map_err(while_doing(&name))
        };
        Ok(OpenDatabase {
            keys: open(keys_of(n), OpenOptions::input())?,
            segments: open(segments_of(n), OpenOptions::output())?,
        })
    }

    /// The application: from the key of a root to its segment, which is changed now and then.
    fn ask(&self, open: &[OpenDatabase]) -> Result<(), StudyError> {
        let mut strings: Vec<(Str, Str)> = open.iter().map(|of| (of.keys.string(), of.segments.string())).collect();
        let mut segment = Vec::new();
        for ((database, root), changes) in &self.requests {
            let (keys, segments) = &mut strings[*database];
            let found = keys.get(Argument::Key(&key(*root)), Search::Equal, Intent::Read)?;
            let place = found.bytes[KEY..].try_into().map_or(0, u64::from_be_bytes);
            let intent = if *changes { Intent::Update } else { Intent::Read };
            let record = segments.get(Argument::Rba(place), Search::Equal, intent)?;
            if *changes {
                segment.clear();
                segment.extend_from_slice(record.bytes);
                if let Some(last) = segment.last_mut() {
                    *last = last.wrapping_add(1);
                }
                segments.update(&segment)?;
            }
        }
        Ok(())
    }
}

struct OpenDatabase {
    keys: DataSet,
    segments: DataSet,
}

impl OpenDatabase {
    fn close(self) -> Result<(), StudyError> {
        for set in [self.keys, self.segments] {
            set.close().map_err(while_doing("closing a database"))?;
        }
        Ok(())
    }
}

/// Bytes of the key of a root, and of a segment.
const KEY: usize = 8;
const SEGMENT: usize = 200;

fn key(root: u64) -> [u8; KEY] {
    root.to_be_bytes()
}

fn keys_of(database: usize) -> String {
    format!("STUDY.DB{database}.KEYS")
}

fn segments_of(database: usize) -> String {
    format!("STUDY.DB{database}.SEGMENTS")
}

/// Loads a database with CIs of so many bytes.
fn load(store: &Store, n: usize, (of_segments, of_keys): (u32, u32), roots: u64) -> Result<(), StudyError> {
    let (keys, segments) = (keys_of(n), segments_of(n));
    let (key_record, segment) = ((KEY + 8) as u32, SEGMENT as u32);
    let definition = Esds::new(&segments)
        .records(segment, segment)
        .ci_size(of_segments)
        .space(Unit::Cylinders, 5, 1);
    (store.define(definition)).map_err(while_doing(&format!("defining {segments}")))?;
    let definition = Ksds::new(&keys)
        .key(0..KEY as u32)
        .records(key_record, key_record)
        .ci_size(of_keys)
        .space(Unit::Cylinders, 5, 1);
    (store.define(definition)).map_err(while_doing(&format!("defining {keys}")))?;
    let open = |name: &str| {
        store
            .open_data_set(name, OpenOptions::output())
            .map_err(while_doing(name))
    };
    let (keys, segments) = (open(&keys)?, open(&segments)?);
    {
        let (mut leads, mut has) = (keys.string(), segments.string());
        for root in 0..roots {
            let mut segment = [b' '; SEGMENT];
            segment[..KEY].copy_from_slice(&key(root));
            let place = has.insert(&segment, Insert::Sequential)?;
            leads.insert(&[key(root), place.to_be_bytes()].concat(), Insert::Sequential)?;
        }
    }
    OpenDatabase { keys, segments }.close()
}

/// What the application asks for, and whether it changes it.
fn asked_for(roots: u64, requests: u64) -> Vec<(Root, bool)> {
    let mut random = Random(0x1988);
    // Those asked for last, the last of them at the end.
    let mut recent: Vec<Root> = Vec::new();
    let mut all = Vec::new();
    for _ in 0..requests {
        let uniform = (random.below(1 << 40) + 1) as f64 / (1u64 << 40) as f64;
        let back = uniform.powf(-1.0 / FORGETS) as usize;
        let root = match recent.len().checked_sub(back) {
            Some(at) => recent.remove(at),
            None => {
                let new = (random.below(DATABASES.len() as u64) as usize, random.below(roots));
                recent.retain(|known| *known != new);
                new
            }
        };
        recent.push(root);
        if recent.len() > REMEMBERED {
            recent.remove(0);
        }
        all.push((root, random.below(CHANGES) == 0));
    }
    all
}

/// A pool as the source writes it: `8*2K 8*4K`.
fn defined(text: &str) -> Option<PoolBuffers> {
    text.split(' ').try_fold(PoolBuffers::default(), |pool, size| {
        let (buffers, size) = size.strip_suffix('K')?.split_once('*')?;
        let bytes = size.parse::<f64>().ok()? * K as f64;
        Some(pool.data(bytes as u32, buffers.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_are_those_that_were_printed() {
        let figures = Figures::of(include_str!("pools.csv"));
        for row in figures.rows() {
            let pool = defined(row.text("pools")).unwrap_or_default();
            let space: u32 = pool.data.iter().map(|of| of.size * of.buffers).sum();
            let printed = row.number("bufsp").unwrap_or_default();
            // The source prints 386 for 368, and its last sum is that of 24 buffers of 32K, which its example has.
            let wrong = match row.text("run") {
                "1" => -18.0,
                "4" => 8.0 * 32.0,
                _ => 0.0,
            };
            assert_eq!(f64::from(space) / K as f64, printed + wrong);
            assert_eq!(pool.check(), Ok(()));
        }
        assert_eq!(defined("8*2K 9"), None);
    }

    #[test]
    fn what_was_asked_for_not_long_ago_is_asked_for_again() {
        let all = asked_for(1000, 5000);
        let again = all.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
        let expected = 1.0 - 2f64.powf(-FORGETS);
        assert!((again as f64 / 5000.0 - expected).abs() < 0.05, "{again}");
        assert_eq!(all, asked_for(1000, 5000), "the same for each pool");
    }
}
