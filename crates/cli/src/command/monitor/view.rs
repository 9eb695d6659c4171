//! What was seen, as text of so many columns and as JSON.

use super::overview::{both, Ended, Overview};
use super::table::Table;
use cica_counters::{ComponentCount, DataSetCount, FramesCount, LockCount, LsrCount, OpenDataSet, PoolCount};
use cica_counters::{Process, SharedBuffers, SmfCount};
use clap::ValueEnum;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;

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

/// The screen; `before` is what was seen so many seconds ago.
pub fn text(look: &Overview, before: Option<(&Overview, u64)>, view: View, columns: usize) -> String {
    let opens = look.open().count();
    let head = format!("CICA MONITOR   processes {}   opens {opens}", look.seen.processes.len());
    let mut lines: Vec<String> = vec![head.chars().take(columns).collect()];
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
        lines.push(line.chars().take(columns).collect());
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// What is shown of a look, with the one before it.
struct Since<'l> {
    look: &'l Overview,
    before: Option<(&'l Overview, u64)>,
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
        took.map_or("-".into(), |nanoseconds| (nanoseconds / 1000).to_string())
    }
}

impl Since<'_> {
    fn unit(&self) -> &'static str {
        if self.before.is_some() {
            "PER SECOND"
        } else {
            "SINCE OPEN"
        }
    }

    fn rate(&self, count: u64) -> String {
        (count / self.before.map_or(1, |(_, seconds)| seconds.max(1))).to_string()
    }

    /// What came since the look before, or since the open.
    fn reads(&self, process: &Process, set: &OpenDataSet) -> Reads {
        let now = Reads::of(set);
        let mut earlier = self.before.iter().flat_map(|(look, _)| look.open());
        let then = earlier.find(|(other, of)| other.identity == process.identity && of.identity == set.identity);
        then.map_or(now, |(_, then)| now.with(u64::saturating_sub, Reads::of(then)))
    }

    fn grouped(&self, group: impl Fn(&OpenDataSet) -> String) -> BTreeMap<String, (u64, Reads)> {
        let mut groups: BTreeMap<String, (u64, Reads)> = BTreeMap::new();
        for (process, set) in self.look.open() {
            let (opens, reads) = groups.entry(group(set)).or_default();
            (*opens, *reads) = (*opens + 1, reads.and(self.reads(process, set)));
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
            let [bmf, cf, dasd] = reads.found();
            let rate = |count| self.rate(count);
            table.row(vec![
                class,
                "ALL".into(),
                reads.response(),
                rate(reads.looks),
                bmf,
                cf,
                dasd,
                rate(reads.written),
            ]);
            for (access, count) in [
                ("DIR", reads.direct),
                ("SEQ", reads.retrieved.saturating_sub(reads.direct)),
            ] {
                table.row(vec![String::new(), access.into(), String::new(), rate(count)]);
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
            let [bmf, cf, dasd] = reads.found();
            table.row(vec![
                set.identity.cluster.clone(),
                process.identity.pid.to_string(),
                reads.response(),
                self.rate(reads.retrieved),
                self.rate(reads.direct),
                bmf,
                cf,
                dasd,
                self.rate(reads.excps),
                self.rate(reads.written),
                reads.splits[0].to_string(),
                reads.splits[1].to_string(),
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
            let [bmf, cf, dasd] = reads.fold(Reads::default(), Reads::and).found();
            table.row(vec![
                process.identity.pid.to_string(),
                self.look.times(process).map_or("-".into(), |(cpu, _)| hundredths(cpu)),
                size(pool.limit),
                size(pool.charged),
                percent(pool.charged, pool.limit).to_string(),
                pool.age.map_or("-".into(), period),
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
            let rates = [reads.excps, reads.read, reads.written].map(|count| self.rate(count));
            table.row([vec![volume, opens.to_string(), reads.response()], rates.to_vec()].concat());
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
            let excps: u64 = process
                .data_sets
                .iter()
                .map(|set| both(set, ComponentCount::Excps))
                .sum();
            let times = self.look.times(process);
            table.row(vec![
                if identity.job.is_empty() {
                    "-".into()
                } else {
                    identity.job.clone()
                },
                identity.step.clone(),
                identity.program.clone(),
                identity.pid.to_string(),
                times.map_or("-".into(), |(_, elapsed)| hundredths(elapsed)),
                times.map_or("-".into(), |(cpu, _)| hundredths(cpu)),
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
    /// Seconds that a page stays on average: pages in it, by those that leave in a second. None: none leaves.
    age: Option<u64>,
}

impl Pool {
    /// Pages that left since the look before, or since the process began.
    fn of(look: &Overview, process: &Process, before: Option<(&Overview, u64)>) -> Pool {
        let [limit, charged, gone] = [PoolCount::Limit, PoolCount::Charged, PoolCount::Gone].map(|c| process.pool(c));
        let earlier = before.and_then(|(then, seconds)| {
            let mut all = then.seen.processes.iter();
            Some((
                all.find(|other| other.identity == process.identity)?
                    .pool(PoolCount::Gone),
                seconds,
            ))
        });
        let (left, hundredths) = match earlier {
            Some((then, seconds)) => (gone.saturating_sub(then), seconds.saturating_mul(100)),
            None => (gone, look.times(process).map_or(0, |(_, elapsed)| elapsed)),
        };
        let pages: u64 = (process.frames.iter())
            .map(|frames| frames[FramesCount::Frames as usize].saturating_sub(frames[FramesCount::Free as usize]))
            .sum();
        let age = pages.saturating_mul(hundredths).checked_div(left).map(|age| age / 100);
        Pool {
            limit,
            charged,
            gone,
            age,
        }
    }

    /// The mode in which an LRU would let pages go at this age: above the bar it lets go of those of 60 minutes, of 30
    /// where it is accelerated, and of 5 in panic.
    fn mode(&self) -> &'static str {
        match (self.age, percent(self.charged, self.limit)) {
            (None | Some(3600..), ..80) => "normal",
            (None | Some(3600..), _) => "maintenance",
            (Some(300..), _) => "accelerated",
            (Some(_), _) => "panic",
        }
    }
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
    let used = set.data.count(ComponentCount::UsedCis) * u64::from(set.identity.ci_size.0);
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
        "pool_age_seconds": pool.age, "pool_mode": pool.mode(),
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
