//! What was done with each component, and by each step, added up.

use super::text::{bits, code, show};
use crate::failure::{Failure, Status};
use cica_smf::{Record, Value};
use std::collections::BTreeMap;
use std::io::Write;

/// Fields of type 64 that say of which open a record is: who has it open, which component, and what there was before.
const OF_OPEN: [&str; 13] = [
    "SID", "SMF64JBN", "SMF64RST", "SMF64RSD", "SMF64UIF", "SMF64DNM", "SMF64NLR", "SMF64NDE", "SMF64NIN", "SMF64NUP",
    "SMF64NRE", "SMF64NCI", "SMF64NEP",
];

/// Fields of type 64 that are added up.
const ADDED: [(&str, &str); 8] = [
    ("SMF64DRE", "RETRIEVED"),
    ("SMF64DIN", "INSERTED"),
    ("SMF64DUP", "UPDATED"),
    ("SMF64DDE", "DELETED"),
    ("SMF64DEP", "REQUESTS"),
    ("SMF64BMH", "HITS"),
    ("SMF64RIO", "READS"),
    ("SMF64DXP", "EXCPS"),
];

/// Where the component is in [`OF_OPEN`].
const COMPONENT: usize = 5;

/// What was counted since an open, as its close says it, and the newest record of an interval: the numbers only grow.
#[derive(Debug, Clone, Copy, Default)]
struct OpenSums {
    at_close: [i128; ADDED.len()],
    at_interval: [i128; ADDED.len()],
}

impl OpenSums {
    /// What no close has told yet. Nothing, unless the data set stays open, or whoever had it open has died.
    fn more(&self) -> [i128; ADDED.len()] {
        let mut more = self.at_interval;
        for (n, told) in more.iter_mut().zip(self.at_close) {
            *n = (*n - told).max(0);
        }
        more
    }
}

fn largest(mut one: [i128; ADDED.len()], other: [i128; ADDED.len()]) -> [i128; ADDED.len()] {
    one.iter_mut().zip(other).for_each(|(n, other)| *n = other.max(*n));
    one
}

/// Adds up.
pub fn totals(records: &[Record], out: &mut dyn Write) -> Result<Status, Failure> {
    let mut sums: BTreeMap<String, (u64, [i128; ADDED.len()])> = BTreeMap::new();
    let mut opens: BTreeMap<[String; OF_OPEN.len()], OpenSums> = BTreeMap::new();
    let mut lost = 0;
    for record in records {
        if let Some(Value::Number(n)) = record.get("SMF7CNT") {
            lost += n;
        }
        if record.kind() != 64 {
            continue;
        }
        let said = ADDED.map(|(name, _)| match record.get(name) {
            Some(Value::Number(n)) => n,
            _ => 0,
        });
        let open = opens.entry(OF_OPEN.map(|name| show(record, name))).or_default();
        if bits(record, "SMF64RIN") & 0x80 == 0 {
            open.at_interval = largest(open.at_interval, said);
            continue;
        }
        open.at_close = largest(open.at_close, said);
        let (closes, sum) = sums.entry(show(record, "SMF64DNM")).or_default();
        *closes += 1;
        sum.iter_mut().zip(said).for_each(|(total, n)| *total += n);
    }
    for (of, open) in &opens {
        let more = open.more();
        if more.iter().any(|n| *n > 0) {
            let (_, sum) = sums.entry(of[COMPONENT].clone()).or_default();
            sum.iter_mut().zip(more).for_each(|(total, n)| *total += n);
        }
    }
    write!(out, "{:<44} {:>6}", "COMPONENT", "CLOSES")?;
    ADDED.iter().try_for_each(|(_, title)| write!(out, " {title:>10}"))?;
    writeln!(out)?;
    for (name, (closes, sum)) in &sums {
        write!(out, "{name:<44} {closes:>6}")?;
        sum.iter().try_for_each(|n| write!(out, " {n:>10}"))?;
        writeln!(out)?;
    }
    let steps: Vec<&Record> = records.iter().filter(|record| record.kind() == 30).collect();
    if !steps.is_empty() {
        steps_of(&steps, out)?;
    }
    if lost > 0 {
        writeln!(out, "{lost} records were lost")?;
    }
    Ok(if records.is_empty() {
        Status::NOTHING
    } else {
        Status::DONE
    })
}

/// Steps of the same job, step and program: how many there were, what they took, and the worst code.
fn steps_of(records: &[&Record], out: &mut dyn Write) -> std::io::Result<()> {
    let mut sums: BTreeMap<[String; 3], (u64, i128, i128, String)> = BTreeMap::new();
    let number = |record: &Record, name: &str| match record.get(name) {
        Some(Value::Number(n)) => n,
        _ => 0,
    };
    for record in records {
        let key = ["SMF30JBN", "SMF30STM", "SMF30PGM"].map(|name| show(record, name));
        let (count, cpu, excps, worst) = sums.entry(key).or_default();
        *count += 1;
        *cpu += number(record, "SMF30CPT");
        *excps += number(record, "SMF30TEP");
        *worst = std::mem::take(worst).max(code(record));
    }
    writeln!(
        out,
        "\n{:<8} {:<8} {:<8} {:>6} {:>12} {:>12}  CODE",
        "JOB", "STEP", "PROGRAM", "STEPS", "CPU SECONDS", "EXCPS"
    )?;
    for ([job, step, program], (count, cpu, excps, worst)) in &sums {
        let cpu = format!("{}.{:02}", cpu / 100, cpu % 100);
        writeln!(
            out,
            "{job:<8} {step:<8} {program:<8} {count:>6} {cpu:>12} {excps:>12}  {worst}"
        )?;
    }
    Ok(())
}
