//! Copies of a store: of one moment, of several, and old files put back. What opens has the contents of one moment;
//! what cannot be such is refused. A copy of one moment is never refused.

pub mod older;
pub mod snapshot;

use std::fmt;
use std::sync::Arc;

use cica_disk::{Image, MemoryDisk};

use crate::crash::{guarded, is_panic};
pub use crate::damage::DamageCounts;
use crate::subject::{disk_of, History, Recovered, Subject};

/// A copy that is wrong.
#[derive(Debug, Clone)]
pub struct CopyFailure {
    /// Which copy.
    pub copy: String,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for CopyFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.copy, self.what)
    }
}

/// A run, and all that happened on its disk.
struct Recorded {
    trace: cica_disk::sim::Trace,
    history: History,
    /// The disk when the last process has died.
    end: Image,
}

fn record(subject: &dyn Subject) -> Result<Recorded, CopyFailure> {
    let disk = disk_of(subject);
    let mut history = History::default();
    let ran = guarded(|| {
        let run = subject.run(Arc::new(disk.clone()), &mut |step| history.note(disk.events(), step));
        run.map_err(|stop| stop.words())
    });
    ran.map_err(|what| CopyFailure {
        copy: "the run itself".into(),
        what,
    })?;
    disk.kill();
    Ok(Recorded {
        trace: disk.trace(),
        history,
        end: disk.image(),
    })
}

fn recover(subject: &dyn Subject, disk: &MemoryDisk) -> Result<Recovered, String> {
    guarded(|| subject.recover(Arc::new(disk.clone())))
}

/// What only somebody who looks through everything finds out: no refusal.
const FOUND_OUT: [&str; 4] = ["by its path", "records forward and", "EXAMINE:", "REC-TOTAL"];

/// Are these the words of a refusal? Else nothing was refused, and what was read was wrong.
fn is_refusal(words: &str) -> bool {
    !is_panic(words) && !FOUND_OUT.iter().any(|found| words.contains(found))
}

fn count(counts: &mut DamageCounts, what: &str) {
    *counts.entry(what.to_string()).or_default() += 1;
}
