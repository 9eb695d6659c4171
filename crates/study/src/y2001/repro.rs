//! The four REPROs.

use super::{medians, published, Bench, DATA_CISZ};
use crate::measure::{measured, Took};
use crate::report::{Cell, Table};
use crate::StudyError;
use cica_engine::{Access, Engine, Insert, Intent, RequestError};

/// Source and target: is it compressed?
const WAYS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];
const NAMES: [&str; 4] = [
    "plain to plain",
    "plain to compressed",
    "compressed to plain",
    "compressed to compressed",
];
/// What an engine takes beside buffers for data.
pub const POOL: usize = 8 << 20;
/// How the buffers of the study are had.
pub const BUFFERS: &str = "the pool has 8 MB, and so many data CIs for each of the two data sets more.";

/// Rows of elapsed time, CPU time and bytes moved, for each BUFND, beside the study's.
pub fn measure(bench: &Bench<'_>) -> Result<Table, StudyError> {
    let mut table = Table::new("REPRO", &NAMES);
    for bufnd in ["40", "4"] {
        let engine = bench.engine(POOL + 2 * bufnd.parse().unwrap_or(4) * DATA_CISZ)?;
        let mut rounds: Vec<[Took; 4]> = Vec::new();
        for round in 0..bench.setting.rounds.max(1) {
            let mut took = [Took::default(); 4];
            for (took, (from, to)) in took.iter_mut().zip(WAYS) {
                *took = copy(bench, &engine, from, to, round == 0)?;
            }
            rounds.push(took);
        }
        for (measure, of) in [
            ("elapsed", (|took| took.elapsed) as fn(&Took) -> f64),
            ("CPU", |took| took.cpu),
            ("bytes moved", Took::moved),
        ] {
            let ratios: Vec<[f64; 4]> = rounds
                .iter()
                .map(|round| std::array::from_fn(|n| of(&round[n]) / of(&round[0]).max(1.0)))
                .collect();
            let cells = medians(&ratios).map(|ratio| Cell::Number(ratio, 2));
            table.row(format!("BUFND {bufnd}, {measure}"), cells.to_vec());
            if let Some((.., figures)) = published::repro().find(|row| (row.0, row.1) == (bufnd, measure)) {
                let cells = figures.map(|ratio| Cell::Number(ratio, 2));
                table.row(format!("BUFND {bufnd}, {measure}, study"), cells.to_vec());
            }
        }
    }
    Ok(table)
}

fn copy(bench: &Bench<'_>, engine: &Engine, from: bool, to: bool, check: bool) -> Result<Took, StudyError> {
    let source = if from { "COMPRESSED" } else { "PLAIN" };
    bench.create(engine, "TARGET", to)?;
    let (copied, took) = measured(&bench.disk, || {
        let (source, target) = (
            bench.open(engine, source, Access::Input)?,
            bench.open(engine, "TARGET", Access::Output)?,
        );
        let (mut reader, mut writer) = (source.string(), target.string());
        reader.leave_no_pages();
        let (as_stored, mut copied) = (writer.takes_as_stored(&reader)?, 0);
        // As REPRO does it.
        loop {
            if as_stored {
                if !writer.copy_next(&mut reader)? {
                    break;
                }
            } else {
                match reader.next(Intent::Read) {
                    Ok(record) => writer.insert(record.bytes, Insert::Sequential)?,
                    Err(RequestError::EndOfData) => break,
                    Err(error) => return Err(error.into()),
                };
            }
            copied += 1;
        }
        drop((reader, writer));
        target.close()?;
        source.close()?;
        Ok::<_, StudyError>(copied)
    })?;
    if copied != bench.records.len() {
        return Err(StudyError::Wrong(format!(
            "{copied} records were copied of {}",
            bench.records.len()
        )));
    }
    if check {
        bench.check(engine, "TARGET")?;
    }
    bench.remove("TARGET")?;
    Ok(took)
}
