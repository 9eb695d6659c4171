//! One look: what processes show, with what the system, the catalog and SMF records say of it.

use crate::command::smf;
use crate::session::Session;
use cica_catalog::Name;
use cica_counters::{running, ComponentCount, OpenDataSet, Process, ProcessIdentity, Seen, DIRECTORY};
use cica_disk::ProcessTimes;
use cica_smf::Record;
use std::collections::BTreeMap;
use std::time::Duration;

/// Steps that have ended which are shown.
const ENDED: usize = 10;
/// Files of SMF records that are read for them, the newest: a look must not take long.
const FILES: usize = 2;
/// Nanoseconds that the system may say a process started after it said so itself: it rounds.
const ROUNDED: u64 = 1_000_000_000;

/// See the module.
pub struct Overview {
    /// What processes show.
    pub seen: Seen,
    /// Nanoseconds since 1970.
    pub at: u64,
    /// The same by a clock that nobody sets: what passed between two looks is the difference.
    pub passed: Duration,
    /// Start and processor time, by number of the process.
    times: BTreeMap<u32, ProcessTimes>,
    /// Storage classes by cluster; those without one are missing.
    classes: BTreeMap<String, String>,
    /// The steps that ended last, where there are SMF records of them; the last one first.
    pub ended: Vec<Ended>,
}

/// A step that has ended, as its record says.
pub struct Ended {
    /// Job, step, program, start, end.
    pub words: [String; 5],
    /// Hundredths of a second.
    pub cpu: u64,
    /// Physical I/Os.
    pub excps: u64,
    /// Condition code.
    pub code: String,
}

impl Overview {
    /// Looks; `steps`: at those that have ended too, which takes reading SMF records.
    pub fn now(session: &Session, steps: bool) -> Overview {
        let seen = running(&*session.disk, &session.catalog.directory().join(DIRECTORY));
        let (at, passed) = (session.clock.now(), session.clock.passed());
        let pids = seen.processes.iter().map(|process| process.identity.pid);
        let sets = seen.processes.iter().flat_map(|process| &process.data_sets);
        Overview {
            times: pids
                .filter_map(|pid| Some((pid, ProcessTimes::of(pid, at).ok()?)))
                .collect(),
            classes: sets
                .filter_map(|set| Some((set.identity.cluster.clone(), class(session, &set.identity.cluster)?)))
                .collect(),
            ended: if steps { ended(session) } else { Vec::new() },
            seen,
            at,
            passed,
        }
    }

    /// Processor time and time since the start of a process, in hundredths of a second, where the system shows it.
    pub fn times(&self, process: &Process) -> Option<(u64, u64)> {
        let times = self.times.get(&process.identity.pid)?;
        if !is_of(times, &process.identity) {
            return None;
        }
        Some((
            times.cpu / 10_000_000,
            self.at.saturating_sub(times.started) / 10_000_000,
        ))
    }

    /// The storage class of a data set; empty: none.
    pub fn class(&self, set: &OpenDataSet) -> &str {
        self.classes.get(&set.identity.cluster).map_or("", String::as_str)
    }

    /// All that is open, with its process.
    pub fn open(&self) -> impl Iterator<Item = (&Process, &OpenDataSet)> {
        let processes = self.seen.processes.iter();
        processes.flat_map(|process| process.data_sets.iter().map(move |set| (process, set)))
    }
}

/// Whether the times are of this process. One that started later has its number after it, or in another name space.
fn is_of(times: &ProcessTimes, identity: &ProcessIdentity) -> bool {
    times.started <= identity.started.saturating_add(ROUNDED)
}

/// A counter of data and index.
pub fn both(set: &OpenDataSet, counter: ComponentCount) -> u64 {
    set.data.count(counter).saturating_add(set.index.count(counter))
}

fn class(session: &Session, cluster: &str) -> Option<String> {
    let reached = session.reach(&Name::parse(cluster).ok()?).ok()?.1;
    reached.cluster.attributes.storage_class.clone()
}

fn ended(session: &Session) -> Vec<Ended> {
    let mut steps: Vec<Record> = Vec::new();
    // A file that cannot be read, or a record that is just being written, is missing here, and told by `cica smf`.
    let files = cica_smf::files(&*session.disk, session.catalog.directory()).unwrap_or_default();
    for file in files.iter().rev().take(FILES) {
        let Ok(records) = file.records() else {
            continue;
        };
        let of_file: Vec<Record> = records
            .filter_map(Result::ok)
            .filter(|record| (record.kind(), record.subtype()) == (30, 4) && !record.is_short())
            .collect();
        steps.extend(of_file.into_iter().rev());
        if steps.len() >= ENDED {
            break;
        }
    }
    steps.truncate(ENDED);
    let text = |record: &Record, name: &str| record.get(name).map_or(String::new(), |value| value.to_string());
    let number = |record: &Record, name: &str| text(record, name).parse().unwrap_or(0);
    let step = |record: &Record| Ended {
        words: ["SMF30JBN", "SMF30STM", "SMF30PGM", "SMF30SIT", "TME"].map(|name| text(record, name)),
        cpu: number(record, "SMF30CPT"),
        excps: number(record, "SMF30TEP"),
        code: smf::code(record),
    };
    steps.iter().map(step).collect()
}

/// Looks that tests make.
#[cfg(test)]
pub mod made {
    use super::*;
    use cica_counters::{DataSetCounts, DataSetIdentity, StatisticsFile};
    use cica_disk::LinuxDisk;
    use std::path::PathBuf;
    use std::sync::Arc;

    /// When the process started, in nanoseconds since 1970.
    pub const STARTED: u64 = 1_000_000_000_000;

    /// A process that counts, in a directory of its own.
    pub struct Counting {
        directory: PathBuf,
        pub file: Arc<StatisticsFile>,
    }

    impl Counting {
        pub fn new(name: &str) -> Counting {
            let directory = std::env::temp_dir().join(format!("cica-monitor-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&directory).expect("a directory");
            let process = ProcessIdentity {
                pid: 7,
                started: STARTED,
                ..ProcessIdentity::default()
            };
            let file = StatisticsFile::create(Arc::new(LinuxDisk::new()), &directory, &process);
            Counting { directory, file }
        }

        pub fn open(&self, cluster: &str, opened: u64) -> DataSetCounts {
            self.file.open(&DataSetIdentity {
                component: opened,
                opened,
                cluster: cluster.into(),
                ..DataSetIdentity::default()
            })
        }

        /// What is seen so many seconds after the test began; `started`: when the system says that the process did.
        pub fn look(&self, seconds: u64, started: Option<u64>) -> Overview {
            let times = |started| ProcessTimes { started, cpu: 0 };
            Overview {
                seen: running(&LinuxDisk::new(), &self.directory),
                at: STARTED + 100 * 1_000_000_000,
                passed: Duration::from_secs(seconds),
                times: started.map(|started| (7, times(started))).into_iter().collect(),
                classes: BTreeMap::new(),
                ended: Vec::new(),
            }
        }
    }

    impl Drop for Counting {
        fn drop(&mut self) {
            // The system clears what stays.
            let _ = std::fs::remove_dir_all(&self.directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::made::{Counting, STARTED};

    #[test]
    fn times_of_a_later_process_with_the_same_number_are_not_shown() {
        let counting = Counting::new("times");
        let elapsed = |started| {
            let look = counting.look(0, started);
            look.times(&look.seen.processes[0]).map(|(_, elapsed)| elapsed)
        };
        assert_eq!(elapsed(None), None);
        assert_eq!(elapsed(Some(STARTED)), Some(10_000));
        assert_eq!(elapsed(Some(STARTED + 900_000_000)), Some(9_910));
        assert_eq!(elapsed(Some(STARTED + 2_000_000_000)), None);
    }
}
