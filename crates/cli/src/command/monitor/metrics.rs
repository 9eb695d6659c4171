//! What was seen, in the text format of OpenMetrics 1.0: a family for each row of the table of counters.

use cica_counters::table::{Kind, Row};
use cica_counters::{ComponentCount, DataSetCount, LockCount, PoolCount, Process, Seen, SmfCount};
use std::fmt::Write;

/// The media type.
pub const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The page.
pub fn page(seen: &Seen) -> String {
    let mut page = String::new();
    of_processes(&mut page, seen, PoolCount::ROWS, |process, at| {
        process.pool(PoolCount::ALL[at])
    });
    of_processes(&mut page, seen, LockCount::ROWS, |process, at| {
        process.lock(LockCount::ALL[at])
    });
    of_processes(&mut page, seen, SmfCount::ROWS, |process, at| {
        process.smf(SmfCount::ALL[at])
    });
    for (counter, row) in DataSetCount::ALL.iter().zip(DataSetCount::ROWS) {
        family(&mut page, row);
        for process in &seen.processes {
            for (n, set) in process.data_sets.iter().enumerate() {
                let labels = format!(
                    "{},dataset=\"{}\",open=\"{n}\"",
                    of(process),
                    quoted(&set.identity.cluster)
                );
                sample(&mut page, row, &labels, set.count(*counter));
            }
        }
    }
    for (counter, row) in ComponentCount::ALL.iter().zip(ComponentCount::ROWS) {
        family(&mut page, row);
        for process in &seen.processes {
            for (n, set) in process.data_sets.iter().enumerate() {
                for (part, component) in ["data", "index"].into_iter().zip(set.components()) {
                    let set = quoted(&set.identity.cluster);
                    let labels = format!("{},dataset=\"{set}\",open=\"{n}\",component=\"{part}\"", of(process));
                    sample(&mut page, row, &labels, component.count(*counter));
                }
            }
        }
    }
    page += "# EOF\n";
    page
}

fn of_processes(page: &mut String, seen: &Seen, rows: &[Row], count: impl Fn(&Process, usize) -> u64) {
    for (at, row) in rows.iter().enumerate() {
        family(page, row);
        for process in &seen.processes {
            sample(page, row, &of(process), count(process, at));
        }
    }
}

fn family(page: &mut String, row: &Row) {
    let kind = if row.kind == Kind::Counter { "counter" } else { "gauge" };
    let _ = writeln!(
        page,
        "# TYPE cica_{} {kind}\n# HELP cica_{} {}",
        row.name, row.name, row.text
    );
}

fn sample(page: &mut String, row: &Row, labels: &str, n: u64) {
    let total = if row.kind == Kind::Counter { "_total" } else { "" };
    let _ = writeln!(page, "cica_{}{total}{{{labels}}} {n}", row.name);
}

fn of(process: &Process) -> String {
    let identity = &process.identity;
    let (program, job) = (quoted(&identity.program), quoted(&identity.job));
    format!("pid=\"{}\",program=\"{program}\",job=\"{job}\"", identity.pid)
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
