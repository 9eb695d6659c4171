//! What was seen, as text of so many columns and as JSON.

use cica_counters::{Component, ComponentCount, DataSetCount, FramesCount, LockCount, OpenDataSet, PoolCount};
use cica_counters::{Process, Seen, SmfCount};
use serde_json::{json, Map, Value};
use std::fmt::Write;

/// The screen; `before` is what was seen so many seconds ago.
pub fn text(seen: &Seen, before: Option<(&Seen, u64)>, columns: usize) -> String {
    let mut lines = vec![format!(
        "CICA MONITOR   processes {}   opens {}",
        seen.processes.len(),
        seen.processes
            .iter()
            .map(|process| process.data_sets.len())
            .sum::<usize>()
    )];
    let unit = if before.is_some() { "PER SECOND" } else { "SINCE OPEN" };
    lines.push(String::new());
    lines.push(format!("DATA SETS (RLSDS)   {unit}"));
    lines.push("DATA SET               PID  GETS DIR BMF% DASD% EXCP CI/CA SPLT FREE% US".into());
    for process in &seen.processes {
        for set in &process.data_sets {
            lines.push(data_set(process, set, earlier(before, process, set)));
        }
    }
    lines.push(String::new());
    lines.push("POOLS (RLSLRU)".into());
    lines.push("PID     GOAL     HIGH   USE%  MODE         RECLAIM".into());
    for process in &seen.processes {
        let [limit, charged, gone] = [PoolCount::Limit, PoolCount::Charged, PoolCount::Gone].map(|c| process.pool(c));
        lines.push(format!(
            "{:<7} {:<8} {:<7} {:>4}  {:<12} {gone}",
            process.identity.pid,
            size(limit),
            size(charged),
            percent(charged, limit),
            mode(charged, limit),
        ));
        for frames in &process.frames {
            let [bytes, all, free] =
                [FramesCount::Size, FramesCount::Frames, FramesCount::Free].map(|c| frames[c as usize]);
            lines.push(format!("  frames of {bytes}: {all}, free {free}"));
        }
    }
    lines.push(String::new());
    lines.push("LOCKS AND SMF".into());
    lines.push("PID     CONTENDED WAITS DEADLOCKS TIMEOUTS SMF LOST".into());
    for process in &seen.processes {
        let locks = [
            LockCount::Contended,
            LockCount::Waits,
            LockCount::Deadlocks,
            LockCount::Timeouts,
        ];
        let [contended, waits, deadlocks, timeouts] = locks.map(|c| process.lock(c));
        lines.push(format!(
            "{:<7} {contended:<9} {waits:<5} {deadlocks:<9} {timeouts:<8} {} {}",
            process.identity.pid,
            process.smf(SmfCount::Written),
            process.smf(SmfCount::Lost)
        ));
    }
    for torn in &seen.torn {
        lines.push(format!("not shown: {}: {}", torn.path.display(), torn.why));
    }
    let mut text = String::new();
    for line in lines {
        let cut: String = line.chars().take(columns).collect();
        let _ = writeln!(text, "{}", cut.trim_end_matches(' '));
    }
    text
}

fn earlier<'s>(
    before: Option<(&'s Seen, u64)>,
    process: &Process,
    set: &OpenDataSet,
) -> Option<(&'s OpenDataSet, u64)> {
    let (seen, seconds) = before?;
    let process = seen.processes.iter().find(|other| other.identity == process.identity)?;
    let set = process.data_sets.iter().find(|other| other.identity == set.identity)?;
    Some((set, seconds.max(1)))
}

fn data_set(process: &Process, set: &OpenDataSet, before: Option<(&OpenDataSet, u64)>) -> String {
    let rate = |count: &dyn Fn(&OpenDataSet) -> u64| match before {
        Some((then, seconds)) => count(set).saturating_sub(count(then)) / seconds,
        None => count(set),
    };
    let both = |counter: ComponentCount| move |set: &OpenDataSet| set.data.count(counter) + set.index.count(counter);
    let since =
        |count: &dyn Fn(&OpenDataSet) -> u64| count(set).saturating_sub(before.map_or(0, |(then, _)| count(then)));
    let (looks, read) = (
        since(&both(ComponentCount::Looks)),
        since(&both(ComponentCount::CisRead)),
    );
    let splits = |counter| since(&|set: &OpenDataSet| set.count(counter));
    format!(
        "{:<22} {:<5} {:>4} {:>3} {:>4} {:>4} {:>4} {:>5} {:>4} {:>4} {}",
        set.identity.cluster.chars().take(22).collect::<String>(),
        process.identity.pid,
        rate(&|set| set.count(DataSetCount::Retrieved)),
        rate(&|set| set.count(DataSetCount::Direct)),
        percent(looks.saturating_sub(read), looks),
        percent(read.min(looks), looks),
        rate(&both(ComponentCount::Excps)),
        splits(DataSetCount::CiSplits),
        splits(DataSetCount::CaSplits),
        percent(free(set), set.data.count(ComponentCount::HighAllocated)),
        microseconds(&set.data).map_or(String::from("-"), |us| us.to_string()),
    )
}

/// Bytes of the data component in CIs without records.
pub fn free(set: &OpenDataSet) -> u64 {
    let used = set.data.count(ComponentCount::UsedCis) * u64::from(set.identity.ci_size.0);
    set.data.count(ComponentCount::HighAllocated).saturating_sub(used)
}

/// Microseconds of a read, of those that were timed.
fn microseconds(component: &Component) -> Option<u64> {
    let took = component.count(ComponentCount::IoNanoseconds);
    took.checked_div(component.count(ComponentCount::TimedIos))
        .map(|nanoseconds| nanoseconds / 1000)
}

/// The mode of a pool by how full it is, as the LRU of the pool above the bar has it.
fn mode(charged: u64, limit: u64) -> &'static str {
    match charged.saturating_mul(100).checked_div(limit) {
        None | Some(..80) => "normal",
        Some(80..90) => "maintenance",
        Some(90..100) => "accelerated",
        Some(100..) => "full",
    }
}

fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100).checked_div(whole).unwrap_or_default()
}

fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{}K", bytes >> 10),
        megabytes => format!("{megabytes}M"),
    }
}

/// Everything, by the names of the table.
pub fn json(seen: &Seen) -> Value {
    let torn = seen
        .torn
        .iter()
        .map(|torn| json!({"path": torn.path.to_string_lossy(), "why": torn.why}));
    json!({
        "processes": seen.processes.iter().map(process).collect::<Vec<_>>(),
        "not_shown": torn.collect::<Vec<_>>(),
    })
}

fn process(process: &Process) -> Value {
    let mut all = json!({
        "pid": process.identity.pid, "program": process.identity.program, "job": process.identity.job,
        "step": process.identity.step, "started": process.identity.started,
    });
    for (counter, row) in PoolCount::ALL.iter().zip(PoolCount::ROWS) {
        all[row.name] = json!(process.pool(*counter));
    }
    for (counter, row) in LockCount::ALL.iter().zip(LockCount::ROWS) {
        all[row.name] = json!(process.lock(*counter));
    }
    for (counter, row) in SmfCount::ALL.iter().zip(SmfCount::ROWS) {
        all[row.name] = json!(process.smf(*counter));
    }
    let named = |frames: &[u64; FramesCount::ALL.len()]| {
        let named = frames
            .iter()
            .zip(FramesCount::ROWS)
            .map(|(n, row)| (row.name.to_owned(), json!(n)));
        Value::Object(named.collect::<Map<_, _>>())
    };
    all["frames"] = process.frames.iter().map(named).collect();
    all["data_sets"] = process.data_sets.iter().map(open_set).collect();
    all
}

fn open_set(set: &OpenDataSet) -> Value {
    let mut all = json!({
        "cluster": set.identity.cluster, "organization": set.identity.organization,
        "volume": set.identity.volume, "output": set.identity.output,
        "free_percent": percent(free(set), set.data.count(ComponentCount::HighAllocated)),
    });
    for (counter, row) in DataSetCount::ALL.iter().zip(DataSetCount::ROWS) {
        all[row.name] = json!(set.count(*counter));
    }
    for (part, component) in ["data", "index"].into_iter().zip(set.components()) {
        let mut counts = json!({"hits": component.hits()});
        for (counter, row) in ComponentCount::ALL.iter().zip(ComponentCount::ROWS) {
            counts[row.name] = json!(component.count(*counter));
        }
        all[part] = counts;
    }
    all
}
