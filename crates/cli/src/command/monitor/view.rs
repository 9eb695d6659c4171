//! What was seen, as text of so many columns and as JSON.

use super::overview::{both, Ended, Overview};
use super::table::{short, Table};
use crate::terminal::in_a_line;
use cica_counters::{ComponentCount, DataSetCount, FramesCount, LockCount, LsrCount, OpenDataSet, PoolCount};
use cica_counters::{Process, SharedBuffers, SmfCount};
use clap::ValueEnum;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Everything
    All,
    /// Activity by storage class
    Rlssc,
    /// Activity by data set
    Rlsds,
    /// Buffer pools: size, age, and what is found there
    Rlslru,
    /// I/O by volume
    Volumes,
    /// Jobs: what runs, and the steps that ended last
    Jobs,
    /// Locks and SMF records
    Locks,
}

/// What is shown where nothing is known.
const UNKNOWN: &str = "-";

/// The screen; `before` is the look before this one.
pub fn text(look: &Overview, before: Option<&Overview>, view: View, columns: usize) -> String {
    let opens = look.open().count();
    let head = format!("CICA MONITOR   processes {}   opens {opens}", look.seen.processes.len());
    let mut lines: Vec<String> = vec![short(&head, columns)];
    let since = Since { look, before };
    for (of, table) in [
        (View::Rlssc, since.classes()),
        (View::Rlsds, since.data_sets()),
        (View::Rlslru, since.pools()),
        (View::Rlslru, since.frames()),
        (View::Rlslru, since.shared_buffers()),
        (View::Volumes, since.volumes()),
        (View::Jobs, since.jobs()),
        (View::Jobs, since.ended()),
        (View::Locks, since.locks()),
    ] {
        if view == View::All || view == of {
            lines.extend(table.lines(columns));
        }
    }
    for torn in &look.seen.torn {
        let line = format!("not shown: {}: {}", torn.path.display(), torn.why);
        lines.push(short(&in_a_line(&line), columns));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// What is shown of a look, with the one before it.
struct Since<'l> {
    look: &'l Overview,
    before: Option<&'l Overview>,
}

/// What was asked for, and where it was found.
#[derive(Default, Clone, Copy)]
struct Reads {
    retrieved: u64,
    direct: u64,
    looks: u64,
    read: u64,
    written: u64,
    excps: u64,
    timed: u64,
    nanoseconds: u64,
    splits: [u64; 2],
}

impl Reads {
    fn of(set: &OpenDataSet) -> Reads {
        Reads {
            retrieved: set.count(DataSetCount::Retrieved),
            direct: set.count(DataSetCount::Direct),
            looks: both(set, ComponentCount::Looks),
            read: both(set, ComponentCount::CisRead),
            written: both(set, ComponentCount::CisWritten),
            excps: both(set, ComponentCount::Excps),
            timed: both(set, ComponentCount::TimedIos),
            nanoseconds: both(set, ComponentCount::IoNanoseconds),
            splits: [DataSetCount::CiSplits, DataSetCount::CaSplits].map(|counter| set.count(counter)),
        }
    }

    fn with(self, sign: fn(u64, u64) -> u64, other: Reads) -> Reads {
        Reads {
            retrieved: sign(self.retrieved, other.retrieved),
            direct: sign(self.direct, other.direct),
            looks: sign(self.looks, other.looks),
            read: sign(self.read, other.read),
            written: sign(self.written, other.written),
            excps: sign(self.excps, other.excps),
            timed: sign(self.timed, other.timed),
            nanoseconds: sign(self.nanoseconds, other.nanoseconds),
            splits: [0, 1].map(|n| sign(self.splits[n], other.splits[n])),
        }
    }

    fn and(self, other: Reads) -> Reads {
        self.with(u64::saturating_add, other)
    }

    /// Those of several; none where none of them is known.
    fn sum(all: impl Iterator<Item = Option<Reads>>) -> Option<Reads> {
        let mut all = all.peekable();
        match all.peek() {
            None => Some(Reads::default()),
            Some(_) => all.flatten().reduce(Reads::and),
        }
    }

    /// BMF%, CF%, DASD%: found in the pool, in a cache structure, which there is none, and in the file.
    fn found(&self) -> [String; 3] {
        let hits = self.looks.saturating_sub(self.read);
        [
            percent(hits, self.looks),
            0,
            percent(self.read.min(self.looks), self.looks),
        ]
        .map(|n| n.to_string())
    }

    /// Microseconds of a read, of those that were timed.
    fn response(&self) -> String {
        let took = self.nanoseconds.checked_div(self.timed);
        took.map_or(UNKNOWN.into(), |nanoseconds| (nanoseconds / 1000).to_string())
    }
}

/// See [`Reads::found`].
fn found(reads: Option<Reads>) -> [String; 3] {
    reads.map_or_else(|| [UNKNOWN; 3].map(String::from), |reads| reads.found())
}

/// See [`Reads::response`].
fn response(reads: Option<Reads>) -> String {
    reads.map_or(UNKNOWN.into(), |reads| reads.response())
}

impl Since<'_> {
    fn unit(&self) -> &'static str {
        if self.before.is_some() {
            "PER SECOND"
        } else {
            "SINCE OPEN"
        }
    }

    /// So many in a second of the time that passed between the looks; without a look before: so many.
    fn rate(&self, count: Option<u64>) -> String {
        let rate = count.and_then(|count| match self.before {
            Some(before) => per_second(count, between(before, self.look)),
            None => Some(count),
        });
        rate.map_or(UNKNOWN.into(), |rate| rate.to_string())
    }

    /// What came since the look before, or since the open where there was none. None: the look before does not have it.
    fn reads(&self, process: &Process, set: &OpenDataSet) -> Option<Reads> {
        let now = Reads::of(set);
        let Some(before) = self.before else {
            return Some(now);
        };
        let mut earlier = before.open();
        let (_, then) = earlier.find(|(other, of)| other.identity == process.identity && is_same(of, set))?;
        Some(now.with(u64::saturating_sub, Reads::of(then)))
    }

    /// Opens of each group, and what came of those of which it is known.
    fn grouped(&self, group: impl Fn(&OpenDataSet) -> String) -> BTreeMap<String, (u64, Option<Reads>)> {
        let mut groups: BTreeMap<String, (u64, Option<Reads>)> = BTreeMap::new();
        for (process, set) in self.look.open() {
            let (opens, reads) = groups.entry(group(set)).or_default();
            *opens += 1;
            if let Some(more) = self.reads(process, set) {
                *reads = Some(reads.unwrap_or_default().and(more));
            }
        }
        groups
    }

    fn classes(&self) -> Table {
        let mut table = Table::new(
            format!("STORAGE CLASSES (RLSSC)   {}", self.unit()),
            &[
                ("STORCLAS", 1),
                ("ACCESS", 1),
                ("RESP", 2),
                ("RATE", 1),
                ("BMF%", 1),
                ("CF%", 4),
                ("DASD%", 2),
                ("WRITE", 2),
            ],
        );
        for (class, (_, reads)) in self.grouped(|set| self.look.class(set).to_owned()) {
            let class = if class.is_empty() { "(none)".into() } else { class };
            let [bmf, cf, dasd] = found(reads);
            let rate = |of: fn(Reads) -> u64| self.rate(reads.map(of));
            table.row(vec![
                class,
                "ALL".into(),
                response(reads),
                rate(|reads| reads.looks),
                bmf,
                cf,
                dasd,
                rate(|reads| reads.written),
            ]);
            for (access, rate) in [
                ("DIR", rate(|reads| reads.direct)),
                ("SEQ", rate(|reads| reads.retrieved.saturating_sub(reads.direct))),
            ] {
                table.row(vec![String::new(), access.into(), String::new(), rate]);
            }
        }
        table
    }

    fn data_sets(&self) -> Table {
        let columns = [
            ("DATA SET", 1),
            ("PID", 4),
            ("RESP", 3),
            ("GETS", 1),
            ("DIR", 5),
            ("BMF%", 1),
            ("CF%", 6),
            ("DASD%", 3),
            ("EXCP", 2),
            ("WRITE", 5),
            ("CI", 4),
            ("CA SPLT", 4),
            ("FREE%", 3),
        ];
        let mut table = Table::new(format!("DATA SETS (RLSDS)   {}", self.unit()), &columns);
        for (process, set) in self.look.open() {
            let reads = self.reads(process, set);
            let [bmf, cf, dasd] = found(reads);
            let rate = |of: fn(Reads) -> u64| self.rate(reads.map(of));
            let splits = |n: usize| reads.map_or(UNKNOWN.into(), |reads| reads.splits[n].to_string());
            table.row(vec![
                set.identity.cluster.clone(),
                process.identity.pid.to_string(),
                response(reads),
                rate(|reads| reads.retrieved),
                rate(|reads| reads.direct),
                bmf,
                cf,
                dasd,
                rate(|reads| reads.excps),
                rate(|reads| reads.written),
                splits(0),
                splits(1),
                percent(free(set), set.data.count(ComponentCount::HighAllocated)).to_string(),
            ]);
        }
        table
    }

    fn pools(&self) -> Table {
        let columns = [
            ("PROCESS", 1),
            ("CPU", 3),
            ("GOAL", 1),
            ("HIGH", 1),
            ("USE%", 2),
            ("AGE", 2),
            ("MODE", 1),
            ("RECLAIM", 3),
            ("BMF%", 2),
            ("CF%", 5),
            ("DASD%", 4),
        ];
        let mut table = Table::new("POOLS BY SIZE AND AGE (RLSLRU)", &columns);
        for process in &self.look.seen.processes {
            let pool = Pool::of(self.look, process, self.before);
            let reads = process.data_sets.iter().map(|set| self.reads(process, set));
            let [bmf, cf, dasd] = found(Reads::sum(reads));
            table.row(vec![
                process.identity.pid.to_string(),
                self.look
                    .times(process)
                    .map_or(UNKNOWN.into(), |(cpu, _)| hundredths(cpu)),
                size(pool.limit),
                size(pool.charged),
                percent(pool.charged, pool.limit).to_string(),
                pool.age.seconds().map_or(UNKNOWN.into(), period),
                pool.mode().into(),
                pool.gone.to_string(),
                bmf,
                cf,
                dasd,
            ]);
        }
        table
    }

    fn frames(&self) -> Table {
        let mut table = Table::new(
            "BUFFERS BY SIZE",
            &[("PROCESS", 1), ("BYTES", 1), ("ALL", 1), ("FREE", 1), ("TAKES", 2)],
        );
        for process in &self.look.seen.processes {
            for frames in &process.frames {
                let [bytes, all, free] =
                    [FramesCount::Size, FramesCount::Frames, FramesCount::Free].map(|c| frames[c as usize]);
                let takes = size(bytes.saturating_mul(all));
                table.row(vec![
                    process.identity.pid.to_string(),
                    bytes.to_string(),
                    all.to_string(),
                    free.to_string(),
                    takes,
                ]);
            }
        }
        table
    }

    /// Those that opens share (LSR).
    fn shared_buffers(&self) -> Table {
        let columns = [
            ("PROCESS", 1),
            ("POOL", 1),
            ("FOR", 2),
            ("BYTES", 1),
            ("ALL", 2),
            ("HELD", 3),
            ("HIT%", 1),
            ("READS", 2),
            ("WRITES", 2),
            ("FORCED", 3),
            ("STEALS", 2),
        ];
        let mut table = Table::new("SHARED BUFFERS (LSR)", &columns);
        for process in &self.look.seen.processes {
            for buffers in &process.lsr {
                let count = |counter| buffers.count(counter);
                let (hits, reads) = (count(LsrCount::Hits), count(LsrCount::Reads));
                table.row(vec![
                    process.identity.pid.to_string(),
                    count(LsrCount::Pool).to_string(),
                    if buffers.is_index() { "index" } else { "data" }.into(),
                    count(LsrCount::Size).to_string(),
                    count(LsrCount::Buffers).to_string(),
                    count(LsrCount::Held).to_string(),
                    percent(hits, hits.saturating_add(reads)).to_string(),
                    reads.to_string(),
                    count(LsrCount::UserWrites).to_string(),
                    count(LsrCount::ForcedWrites).to_string(),
                    count(LsrCount::Steals).to_string(),
                ]);
            }
        }
        table
    }

    fn volumes(&self) -> Table {
        let columns = [
            ("VOLUME", 1),
            ("OPENS", 2),
            ("RESP", 2),
            ("EXCP", 1),
            ("READ", 2),
            ("WRITE", 2),
        ];
        let mut table = Table::new(format!("VOLUMES   {}", self.unit()), &columns);
        for (volume, (opens, reads)) in self.grouped(|set| set.identity.volume.clone()) {
            let counts: [fn(Reads) -> u64; 3] = [|reads| reads.excps, |reads| reads.read, |reads| reads.written];
            let rates = counts.map(|count| self.rate(reads.map(count)));
            table.row([vec![volume, opens.to_string(), response(reads)], rates.to_vec()].concat());
        }
        table
    }

    fn jobs(&self) -> Table {
        let columns = [
            ("JOB", 1),
            ("STEP", 2),
            ("PROGRAM", 1),
            ("PID", 2),
            ("ELAPSED", 2),
            ("CPU", 1),
            ("EXCPS", 1),
            ("OPENS", 3),
        ];
        let mut table = Table::new("JOBS THAT RUN", &columns);
        for process in &self.look.seen.processes {
            let identity = &process.identity;
            let sets = process.data_sets.iter();
            let excps = saturating_sum(sets.map(|set| both(set, ComponentCount::Excps)));
            let times = self.look.times(process);
            table.row(vec![
                if identity.job.is_empty() {
                    UNKNOWN.into()
                } else {
                    identity.job.clone()
                },
                identity.step.clone(),
                identity.program.clone(),
                identity.pid.to_string(),
                times.map_or(UNKNOWN.into(), |(_, elapsed)| hundredths(elapsed)),
                times.map_or(UNKNOWN.into(), |(cpu, _)| hundredths(cpu)),
                excps.to_string(),
                process.data_sets.len().to_string(),
            ]);
        }
        table
    }

    fn ended(&self) -> Table {
        let columns = [
            ("JOB", 1),
            ("STEP", 2),
            ("PROGRAM", 1),
            ("BEGAN", 4),
            ("ENDED", 3),
            ("CPU", 2),
            ("EXCPS", 2),
            ("CODE", 1),
        ];
        let mut table = Table::new("STEPS THAT ENDED LAST (SMF 30)", &columns);
        for step in &self.look.ended {
            let rest = [hundredths(step.cpu), step.excps.to_string(), step.code.clone()];
            table.row([step.words.to_vec(), rest.to_vec()].concat());
        }
        table
    }

    fn locks(&self) -> Table {
        let columns = [
            ("PROCESS", 1),
            ("CONTENDED", 1),
            ("WAITS", 2),
            ("DEADLOCKS", 3),
            ("TIMEOUTS", 3),
            ("SMF", 2),
            ("LOST", 1),
        ];
        let mut table = Table::new("LOCKS AND SMF", &columns);
        for process in &self.look.seen.processes {
            let locks = [
                LockCount::Contended,
                LockCount::Waits,
                LockCount::Deadlocks,
                LockCount::Timeouts,
            ];
            let smf = [SmfCount::Written, SmfCount::Lost].map(|counter| process.smf(counter));
            let counts = locks.map(|counter| process.lock(counter)).into_iter().chain(smf);
            let cells = [process.identity.pid.into()].into_iter().chain(counts);
            table.row(cells.map(|count: u64| count.to_string()).collect());
        }
        table
    }
}

/// A pool, and how long pages stay in it.
struct Pool {
    limit: u64,
    charged: u64,
    gone: u64,
    age: Age,
}

/// How long a page stays on average: pages in the pool, by those that leave in a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// None leaves.
    NoneLeaves,
    /// So many seconds.
    Seconds(u64),
    /// Nobody knows in what time they left.
    Unknown,
}

impl Age {
    /// Of so many pages, of which so many left in that time.
    fn of(pages: u64, left: u64, hundredths: Option<u64>) -> Age {
        match (left, hundredths) {
            (0, _) => Age::NoneLeaves,
            (_, None | Some(0)) => Age::Unknown,
            (_, Some(hundredths)) => Age::Seconds(pages.saturating_mul(hundredths) / left / 100),
        }
    }

    fn seconds(self) -> Option<u64> {
        match self {
            Age::Seconds(seconds) => Some(seconds),
            Age::NoneLeaves | Age::Unknown => None,
        }
    }
}

impl Pool {
    /// Pages that left since the look before, or since the process began.
    fn of(look: &Overview, process: &Process, before: Option<&Overview>) -> Pool {
        let [limit, charged, gone] = [PoolCount::Limit, PoolCount::Charged, PoolCount::Gone].map(|c| process.pool(c));
        let earlier = before.and_then(|before| {
            let mut all = before.seen.processes.iter();
            let then = all.find(|other| other.identity == process.identity)?;
            Some((then.pool(PoolCount::Gone), between(before, look)))
        });
        let (left, hundredths) = match earlier {
            Some((then, passed)) => (gone.saturating_sub(then), u64::try_from(passed.as_millis() / 10).ok()),
            None => (gone, look.times(process).map(|(_, elapsed)| elapsed)),
        };
        let frames = process.frames.iter();
        let pages = saturating_sum(frames.map(|frames| {
            let [all, free] = [FramesCount::Frames, FramesCount::Free].map(|counter| frames[counter as usize]);
            all.saturating_sub(free)
        }));
        Pool {
            limit,
            charged,
            gone,
            age: Age::of(pages, left, hundredths),
        }
    }

    /// The mode in which an LRU would let pages go at this age: above the bar it lets go of those of 60 minutes, of 30
    /// where it is accelerated, and of 5 in panic.
    fn mode(&self) -> &'static str {
        match (self.age, percent(self.charged, self.limit)) {
            (Age::Unknown, _) => UNKNOWN,
            (Age::NoneLeaves | Age::Seconds(3600..), ..80) => "normal",
            (Age::NoneLeaves | Age::Seconds(3600..), _) => "maintenance",
            (Age::Seconds(300..), _) => "accelerated",
            (Age::Seconds(_), _) => "panic",
        }
    }
}

/// Time from one look to another.
fn between(before: &Overview, look: &Overview) -> Duration {
    look.passed.saturating_sub(before.passed)
}

/// So many in that time, for each second of it; none where no time passed.
fn per_second(count: u64, time: Duration) -> Option<u64> {
    let rate = (u128::from(count) * 1_000_000_000).checked_div(time.as_nanos())?;
    Some(u64::try_from(rate).unwrap_or(u64::MAX))
}

/// Whether both are of one open. What it says of itself may change meanwhile.
fn is_same(one: &OpenDataSet, other: &OpenDataSet) -> bool {
    let key = |set: &OpenDataSet| (set.slot, set.identity.component, set.identity.opened);
    key(one) == key(other)
}

/// A file that lies has counts whose sum is too large.
fn saturating_sum(all: impl Iterator<Item = u64>) -> u64 {
    all.fold(0, u64::saturating_add)
}

/// Seconds with two decimals.
fn hundredths(n: u64) -> String {
    format!("{}.{:02}", n / 100, n % 100)
}

/// Seconds as people say them.
fn period(seconds: u64) -> String {
    match seconds {
        ..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        _ => format!("{}h", seconds / 3600),
    }
}

/// Bytes of the data component in CIs without records.
pub fn free(set: &OpenDataSet) -> u64 {
    let (used, ci_size) = (set.data.count(ComponentCount::UsedCis), set.identity.ci_size.0);
    let used = used.saturating_mul(ci_size.into());
    set.data.count(ComponentCount::HighAllocated).saturating_sub(used)
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
pub fn json(look: &Overview) -> Value {
    let torn = look
        .seen
        .torn
        .iter()
        .map(|torn| json!({"path": torn.path.to_string_lossy(), "why": torn.why}));
    json!({
        "processes": look.seen.processes.iter().map(|of| process(look, of)).collect::<Vec<_>>(),
        "ended": look.ended.iter().map(ended).collect::<Vec<_>>(),
        "not_shown": torn.collect::<Vec<_>>(),
    })
}

fn ended(step: &Ended) -> Value {
    let [job, name, program, began, ended] = &step.words;
    json!({
        "job": job, "step": name, "program": program, "began": began, "ended": ended,
        "cpu_seconds": step.cpu as f64 / 100.0, "excps": step.excps, "code": step.code,
    })
}

fn process(look: &Overview, process: &Process) -> Value {
    let pool = Pool::of(look, process, None);
    let mut all = json!({
        "pool_age_seconds": pool.age.seconds(), "pool_mode": pool.mode(),
        "pid": process.identity.pid, "program": process.identity.program, "job": process.identity.job,
        "step": process.identity.step, "started": process.identity.started,
    });
    if let Some((cpu, elapsed)) = look.times(process) {
        all["cpu_seconds"] = json!(cpu as f64 / 100.0);
        all["elapsed_seconds"] = json!(elapsed as f64 / 100.0);
    }
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
    all["lsr"] = process.lsr.iter().map(lsr).collect();
    all["data_sets"] = process.data_sets.iter().map(|set| open_set(look, set)).collect();
    all
}

fn lsr(buffers: &SharedBuffers) -> Value {
    let all = LsrCount::ALL.iter().zip(LsrCount::ROWS);
    let all = all.map(|(counter, row)| (row.name.to_owned(), json!(buffers.count(*counter))));
    Value::Object(all.collect())
}

fn open_set(look: &Overview, set: &OpenDataSet) -> Value {
    let mut all = json!({
        "open": set.slot, "opened": set.identity.opened,
        "cluster": set.identity.cluster, "organization": set.identity.organization,
        "volume": set.identity.volume, "output": set.identity.output,
        "storage_class": look.class(set),
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

#[cfg(test)]
mod tests {
    use super::super::overview::made::{Counting, STARTED};
    use super::*;
    use cica_counters::{layout, DataSetCounts};
    use std::sync::atomic::Ordering::Relaxed;

    /// The words of the row that begins with this one.
    fn row(screen: &str, first: &str) -> Vec<String> {
        let line = screen.lines().find(|line| line.starts_with(first)).expect("a row");
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn retrieve(set: &DataSetCounts, n: u64) {
        set.cell(DataSetCount::Retrieved).fetch_add(n, Relaxed);
    }

    #[test]
    fn rates_are_of_the_time_that_passed_and_of_what_was_there_before() {
        let counting = Counting::new("rates");
        let set = counting.open("A.OLD", 1);
        retrieve(&set, 1_000);
        let before = counting.look(10, None);
        assert_eq!(row(&text(&before, None, View::Rlsds, 120), "A.OLD")[3], "1000");
        retrieve(&set, 60_000);
        let new = counting.open("A.NEW", 2);
        retrieve(&new, 500_000);
        let look = counting.look(610, None);
        let screen = text(&look, Some(&before), View::Rlsds, 120);
        assert_eq!(row(&screen, "A.OLD")[3], "100", "{screen}");
        assert_eq!(row(&screen, "A.NEW")[2..5], ["-", "-", "-"], "{screen}");
        // The group has what is known of it.
        let screen = text(&look, Some(&before), View::Rlssc, 120);
        let sequential = screen.lines().find(|line| line.contains("SEQ")).expect("a row");
        assert!(sequential.ends_with(" 100"), "{screen}");
        // At the next look the new one has a rate as well.
        let screen = text(&counting.look(620, None), Some(&look), View::Rlsds, 120);
        assert_eq!(row(&screen, "A.NEW")[3], "0", "{screen}");
    }

    #[test]
    fn a_pool_of_which_no_time_is_known_has_no_age_and_no_mode() {
        let counting = Counting::new("pool");
        let pool = counting.file.head(layout::POOL, 1);
        pool.at(PoolCount::Limit as usize).store(1 << 20, Relaxed);
        let frames = counting.file.head(layout::FRAMES, 1);
        frames.at(FramesCount::Size as usize).store(4096, Relaxed);
        frames.at(FramesCount::Frames as usize).store(100, Relaxed);
        let shown = |started| {
            let look = counting.look(0, started);
            let json = json(&look);
            let process = &json["processes"][0];
            let row = row(&text(&look, None, View::Rlslru, 120), "7");
            assert_eq!(process["pool_mode"], row[6]);
            (process["pool_age_seconds"].clone(), row[6].clone())
        };
        assert_eq!(shown(None), (Value::Null, "normal".into()), "none leaves");
        pool.at(PoolCount::Gone as usize).store(10, Relaxed);
        assert_eq!(shown(None), (Value::Null, "-".into()));
        assert_eq!(shown(Some(STARTED)), (json!(1_000), "accelerated".into()));
        // Where there was a look before, it tells the time.
        let before = counting.look(0, None);
        pool.at(PoolCount::Gone as usize).store(20, Relaxed);
        let look = counting.look(600, None);
        let pool = Pool::of(&look, &look.seen.processes[0], Some(&before));
        assert_eq!(pool.age, Age::Seconds(6_000));
    }

    #[test]
    fn a_file_that_lies_is_shown_all_the_same() {
        let counting = Counting::new("lies");
        let sets = [1, 2].map(|n| counting.open("A.B", n));
        for set in &sets {
            let data = set.component(false);
            for counter in ComponentCount::ALL {
                data.at(*counter as usize).store(u64::MAX, Relaxed);
            }
        }
        let frames = counting.file.head(layout::FRAMES, 2);
        for at in 0..2 * FramesCount::ALL.len() {
            frames.at(at).store(u64::MAX, Relaxed);
        }
        let look = counting.look(0, Some(STARTED));
        assert!(text(&look, None, View::All, 120).contains(&u64::MAX.to_string()));
        assert_eq!(json(&look)["processes"][0]["data_sets"][1]["open"], 2);
    }
}
