//! The end of a step: a program that worked with data sets, or a run of IDCAMS.

use crate::start::{program_name, Session};
use cica_disk::{Clock, ProcessTimes};
use cica_smf::{SmfFile, StepEnd, Untold};
use std::sync::Arc;

pub use cica_smf::Completion;

/// What tells SMF of the end of a step, if records are written.
#[derive(Clone)]
pub struct EndOfStep {
    smf: Option<Arc<SmfFile>>,
    clock: Arc<dyn Clock>,
}

impl Session {
    /// See [`EndOfStep`].
    pub fn end_of_step(&self) -> EndOfStep {
        EndOfStep {
            smf: self.smf.clone(),
            clock: self.clock.clone(),
        }
    }

    /// What is counted of this cluster, or sequential file, is of the DD that leads to it.
    pub fn name_dd(&self, cluster: &str, dd: &str) {
        if let Some(smf) = &self.smf {
            smf.name_dd(cluster, dd);
        }
    }

    /// So many blocks of a sequential file were moved by this step.
    pub fn count_blocks(&self, file: &str, blocks: u64, block_size: usize) {
        if let Some(smf) = &self.smf {
            smf.count_blocks(file, blocks, block_size as u64);
        }
    }
}

impl EndOfStep {
    /// The step ends, with this program; none: that of the process. What comes back is to be told to somebody: records
    /// that are lost, and why.
    pub fn tell(&self, program: Option<&str>, completion: Completion) -> Option<Untold> {
        let smf = self.smf.as_ref()?;
        let process = std::process::id();
        // Where the system does not say it the record has a start of 1970 and no processor time.
        let times = ProcessTimes::of(process, self.clock.now()).ok();
        smf.end_step(&StepEnd {
            program: program.unwrap_or(&program_name()),
            completion,
            started: times.map_or(0, |times| times.started),
            cpu: times.map_or(0, |times| times.cpu),
            process,
        });
        smf.untold()
    }
}
