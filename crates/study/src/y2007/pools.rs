//! The pool study: data sets in a pool that is smaller than they are, and in one that holds them all.

use super::{whole, NAME};
use crate::closes::{closes, number};
use crate::figures::Figures;
use crate::measure::{median, timed, Took};
use crate::plot::{Plot, PlotLine};
use crate::{while_doing, Cell, Setting, StudyError, Table};
use cica::{Ksds, Store};
use cica_admin::stated::Stated;
use cica_catalog::space::Unit;
use cica_engine::{DataSet, Insert, Intent, OpenOptions, Search};
use cica_smf::Record;

/// Data sets.
const SETS: u64 = 10;
/// Records of each, unless it is said; the source had ten times as many.
const RECORDS: u64 = 1_000;
/// Bytes of a data CI, of an index CI, and of a record.
const DATA_CISZ: u32 = 28_672;
const INDEX_CISZ: u32 = 2_048;
const RECORD: usize = 28_000;
const KEY: usize = 8;
/// Bytes of such CIs on a cylinder, or somewhat more.
const CYLINDER: u64 = 15 * DATA_CISZ as u64;
/// MB of the source's records, and of its pools: the one below the bar and the one above.
const SOURCE: f64 = 2_800.0;
const SMALL: f64 = 500.0;
const LARGE: f64 = 4_096.0;
/// The pools that are measured, of those MB.
const POOLS: [f64; 7] = [SMALL, 1_000.0, 2_000.0, LARGE, 5_000.0, 6_000.0, 8_000.0];
/// Where the large one is among them.
const LARGE_AT: usize = 3;
const STEPS: [&str; 3] = ["initial load", "read 1", "read 2"];

/// A step in a pool: what it took in each round, and how many of its CIs were in the pool, in percent.
#[derive(Debug, Clone, Default)]
struct PoolStep {
    took: Vec<Took>,
    found: f64,
}

/// What each pool came to, and plots of it.
pub fn measured(setting: &Setting) -> Result<(Vec<Table>, Vec<Plot>), StudyError> {
    let records = setting.records.unwrap_or(RECORDS);
    let bytes = SETS * records * u64::from(DATA_CISZ);
    let mut all: Vec<[PoolStep; STEPS.len()]> = vec![Default::default(); POOLS.len()];
    for round in 0..setting.rounds.max(1) {
        for (n, (pool, steps)) in POOLS.into_iter().zip(&mut all).enumerate() {
            let open = || super::store(setting, &format!("pool{n}-{round}"), Some(share(pool, bytes)));
            let store = open()?;
            define(&store, records)?;
            let loaded = steps_of(&store, records, 0..1)?;
            // Read 1 finds nothing in the pool, however large it is.
            drop(store);
            let store = open()?;
            let read = steps_of(&store, records, 1..STEPS.len())?;
            for (step, (took, found)) in steps.iter_mut().zip(loaded.into_iter().chain(read)) {
                step.took.push(took);
                step.found = found;
            }
            for set in 0..SETS {
                store.delete(&name(set)).map_err(while_doing(&name(set)))?;
            }
        }
    }
    Ok((vec![compared(&all), by_pool(&all, bytes)], vec![plot(&all, bytes)]))
}

fn share(pool: f64, bytes: u64) -> usize {
    (pool / SOURCE * bytes as f64) as usize
}

fn name(set: u64) -> String {
    format!("{NAME}{set}")
}

fn key(n: u64) -> String {
    format!("{n:0KEY$}")
}

fn define(store: &Store, records: u64) -> Result<(), StudyError> {
    for set in 0..SETS {
        let length = RECORD as u32;
        let definition = Ksds::new(name(set)).key(0..KEY as u32).records(length, length);
        // All of them in the primary space.
        let cylinders = records * u64::from(DATA_CISZ) / CYLINDER + 2;
        let definition = definition.space(Unit::Cylinders, cylinders, 1);
        let definition = definition.ci_size(DATA_CISZ).with(|request| {
            request.index = Some(Stated {
                ci_size: Some(INDEX_CISZ),
                ..Stated::default()
            });
        });
        store.define(definition).map_err(while_doing(&name(set)))?;
    }
    Ok(())
}

/// Steps while all data sets are open; what each took, and percent found in the pool.
fn steps_of(store: &Store, records: u64, steps: std::ops::Range<usize>) -> Result<Vec<(Took, f64)>, StudyError> {
    // They stay open, as the source's: what is in the pool stays with them.
    let open = |set, options| {
        let opened = store.open_data_set(&name(set), options);
        opened.map_err(while_doing(&name(set)))
    };
    let kept = (0..SETS)
        .map(|set| open(set, OpenOptions::output()))
        .collect::<Result<Vec<DataSet>, _>>()?;
    let mut found = Vec::new();
    for step in steps {
        let before = closes_of(store)?.len();
        let ((), took) = timed(|| {
            for set in 0..SETS {
                let options = if step == 0 {
                    OpenOptions::output()
                } else {
                    OpenOptions::input()
                };
                let set = open(set, options)?;
                let mut string = set.string();
                for n in 1..=records {
                    let n = if step == 0 { n } else { 1 + n * 1237 % records };
                    if step == 0 {
                        let mut record = key(n).into_bytes();
                        record.resize(RECORD, b'.');
                        // Of an empty one the first request is a load.
                        if n == 1 {
                            string.insert(&record, Insert::Sequential)?;
                            set.end_load()?;
                        } else {
                            string.insert(&record, Insert::Direct)?;
                        }
                    } else {
                        let record = string.get(key(n).as_bytes(), Search::Equal, Intent::Read)?;
                        if record.bytes.len() != RECORD || !record.bytes.starts_with(key(n).as_bytes()) {
                            return Err(StudyError::Wrong(format!("{NAME}: record {n} is another")));
                        }
                    }
                }
                drop(string);
                set.close().map_err(while_doing(NAME))?;
            }
            Ok(())
        })?;
        found.push((took, percent(&closes_of(store)?[before..])));
    }
    for set in kept {
        set.close().map_err(while_doing(NAME))?;
    }
    Ok(found)
}

fn closes_of(store: &Store) -> Result<Vec<Record>, StudyError> {
    let session = store.session();
    closes(&*session.disk, session.catalog.directory())
}

/// Of the data CIs that were asked for, those that the pool had.
fn percent(closes: &[Record]) -> f64 {
    // Data and index take turns.
    let data = || closes.iter().step_by(2);
    let sum = |field| data().filter_map(|record| number(record, field)).sum::<f64>();
    100.0 * sum("SMF64BMH") / sum("SMF64DEP").max(1.0)
}

fn middle(step: &PoolStep, of: fn(&Took) -> f64) -> f64 {
    median(step.took.iter().map(of).collect()) / 1e9
}

/// The source's two pools, beside what was printed.
fn compared(all: &[[PoolStep; STEPS.len()]]) -> Table {
    let printed = Figures::of(include_str!("pools.csv"));
    let columns = [
        "small s then",
        "large s then",
        "differs then",
        "small s now",
        "large s now",
        "differs now",
    ];
    let mut table = Table::new("ten data sets in a pool of 18 % of them, and in one of 146 %", &columns);
    let (small, large) = (&all[0], &all[LARGE_AT]);
    for row in printed.rows() {
        let metric = row.text("metric");
        let now = |steps: &[PoolStep; STEPS.len()]| match STEPS.iter().position(|step| *step == metric) {
            Some(at) => middle(&steps[at], |took| took.elapsed),
            None if metric == "CPU" => steps.iter().map(|step| middle(step, |took| took.cpu)).sum(),
            None => steps.iter().map(|step| middle(step, |took| took.elapsed)).sum(),
        };
        let (small, large) = (now(small), now(large));
        let seconds = |figure: Option<f64>, places| figure.map_or(Cell::None, |figure| Cell::Number(figure, places));
        let differs = |small: f64, large: f64| Cell::Percent(100.0 * (large / small - 1.0));
        let then = [row.number("small"), row.number("large")];
        let differed = then[0]
            .zip(then[1])
            .map_or(Cell::None, |(small, large)| differs(small, large));
        table.row(
            metric,
            vec![
                seconds(then[0], 1),
                seconds(then[1], 1),
                differed,
                seconds(Some(small), 2),
                seconds(Some(large), 2),
                differs(small, large),
            ],
        );
    }
    table
}

/// What of the data was in pools of several sizes.
fn by_pool(all: &[[PoolStep; STEPS.len()]], bytes: u64) -> Table {
    let columns = [
        "pool MB",
        "load found %",
        "read 1 found %",
        "read 2 found %",
        "read 1 s",
        "read 2 s",
    ];
    let mut table = Table::new("found in the pool, of the data CIs asked for", &columns);
    for (pool, steps) in POOLS.into_iter().zip(all) {
        let megabytes = Some(share(pool, bytes) as f64 / 1e6);
        let mut cells = vec![whole(megabytes)];
        cells.extend(steps.iter().map(|step| whole(Some(step.found))));
        cells.extend(
            steps[1..]
                .iter()
                .map(|step| Cell::Number(middle(step, |took| took.elapsed), 2)),
        );
        table.row(format!("{:.0} % of the data", 100.0 * pool / SOURCE), cells);
    }
    table
}

fn plot(all: &[[PoolStep; STEPS.len()]], bytes: u64) -> Plot {
    let line = |at: usize| PlotLine {
        name: STEPS[at].into(),
        color: at - 1,
        dashed: false,
        points: POOLS
            .iter()
            .zip(all)
            .map(|(pool, steps)| (share(*pool, bytes) as f64 / 1e6, steps[at].found))
            .collect(),
    };
    Plot {
        title: "found in the pool, in percent, by its MB".into(),
        lines: vec![line(1), line(2)],
        across: "MB of the pool".into(),
        ..Plot::default()
    }
}
