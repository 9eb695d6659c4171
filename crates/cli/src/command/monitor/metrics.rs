//! What was seen, in the text format of OpenMetrics 1.0: a family for each row of the table of counters.

use super::overview::Overview;
use cica_counters::table::{Kind, Row};
use cica_counters::{ComponentCount, DataSetCount, LockCount, LsrCount, OpenDataSet, PoolCount};
use cica_counters::{Process, Seen, SmfCount};
use std::fmt::Write;

/// The media type.
pub const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The page.
pub fn page(look: &Overview) -> String {
    let (seen, mut page) = (&look.seen, String::new());
    not_shown(&mut page, seen);
    times(&mut page, look);
    of_processes(&mut page, seen, PoolCount::ROWS, |process, at| {
        process.pool(PoolCount::ALL[at])
    });
    of_processes(&mut page, seen, LockCount::ROWS, |process, at| {
        process.lock(LockCount::ALL[at])
    });
    of_processes(&mut page, seen, SmfCount::ROWS, |process, at| {
        process.smf(SmfCount::ALL[at])
    });
    for (counter, row) in LsrCount::ALL.iter().zip(LsrCount::ROWS) {
        family(&mut page, row);
        for process in &seen.processes {
            for buffers in &process.lsr {
                let [pool, size] = [LsrCount::Pool, LsrCount::Size].map(|counter| buffers.count(counter));
                let part = if buffers.is_index() { "index" } else { "data" };
                let labels = format!("{},lsr=\"{pool}\",component=\"{part}\",size=\"{size}\"", of(process));
                sample(&mut page, row, &labels, buffers.count(*counter));
            }
        }
    }
    for (counter, row) in DataSetCount::ALL.iter().zip(DataSetCount::ROWS) {
        family(&mut page, row);
        for process in &seen.processes {
            for set in &process.data_sets {
                sample(&mut page, row, &of_set(look, process, set), set.count(*counter));
            }
        }
    }
    for (counter, row) in ComponentCount::ALL.iter().zip(ComponentCount::ROWS) {
        family(&mut page, row);
        for process in &seen.processes {
            for set in &process.data_sets {
                for (part, component) in ["data", "index"].into_iter().zip(set.components()) {
                    let labels = format!("{},component=\"{part}\"", of_set(look, process, set));
                    sample(&mut page, row, &labels, component.count(*counter));
                }
            }
        }
    }
    page += "# EOF\n";
    page
}

/// What could not be looked at: where this is not 0, what is missing below may run all the same.
fn not_shown(page: &mut String, seen: &Seen) {
    let _ = writeln!(
        page,
        "# TYPE cica_not_shown gauge\n# HELP cica_not_shown Files of processes, or the directory of all of them, that could \
         not be read\ncica_not_shown {}",
        seen.torn.len()
    );
}

/// What the system says of processes.
fn times(page: &mut String, look: &Overview) {
    for (name, kind, text, total) in [
        ("cpu_seconds", "counter", "Processor time of the process", "_total"),
        ("elapsed_seconds", "gauge", "Time since the start of the process", ""),
    ] {
        let _ = writeln!(
            page,
            "# TYPE cica_{name} {kind}\n# UNIT cica_{name} seconds\n# HELP cica_{name} {text}"
        );
        for process in &look.seen.processes {
            if let Some((cpu, elapsed)) = look.times(process) {
                let n = if total.is_empty() { elapsed } else { cpu };
                let _ = writeln!(page, "cica_{name}{total}{{{}}} {}.{:02}", of(process), n / 100, n % 100);
            }
        }
    }
}

/// Labels of an open data set. `open` is its place in the process's file, which stays while it is open.
fn of_set(look: &Overview, process: &Process, set: &OpenDataSet) -> String {
    let (cluster, volume) = (quoted(&set.identity.cluster), quoted(&set.identity.volume));
    let class = quoted(look.class(set));
    format!(
        "{},dataset=\"{cluster}\",open=\"{}\",volume=\"{volume}\",storclas=\"{class}\"",
        of(process),
        set.slot
    )
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
    let [program, job, step] = [&identity.program, &identity.job, &identity.step].map(|text| quoted(text));
    format!(
        "pid=\"{}\",program=\"{program}\",job=\"{job}\",step=\"{step}\"",
        identity.pid
    )
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::super::overview::made::Counting;
    use super::page;

    #[test]
    fn labels_of_an_open_data_set_stay_when_another_opens_or_closes() {
        let counting = Counting::new("labels");
        let labels = |cluster: &str| {
            let page = page(&counting.look(0, None));
            let line = page.lines().find(|line| line.contains(cluster)).expect("it is open");
            line.split(['{', '}']).nth(1).map(str::to_owned)
        };
        let first = counting.open("C.FIRST", 1);
        let _second = counting.open("B.SECOND", 2);
        let before = [labels("C.FIRST"), labels("B.SECOND")];
        let _third = counting.open("A.THIRD", 3);
        assert_eq!([labels("C.FIRST"), labels("B.SECOND")], before);
        drop(first);
        assert_eq!(labels("B.SECOND"), before[1]);
        // Each open of a data set has its own.
        let again = counting.open("B.SECOND", 4);
        let page = page(&counting.look(0, None));
        let opens = page.lines().filter(|line| line.starts_with("cica_retrieved_total{"));
        let mut opens: Vec<&str> = opens
            .map(|line| line.split(['{', '}']).nth(1).unwrap_or_default())
            .collect();
        assert_eq!(opens.len(), 3, "{page}");
        opens.dedup();
        assert_eq!(opens.len(), 3, "{page}");
        drop(again);
    }
}
