//! How long channel programs of ISAM would have taken on a 3330-1 and a 158: arm and rotation are followed from step to
//! step, as for VSAM.

use super::steps::Step;
use crate::device_time::{DiskTimes, DISKS};
use cica_indexed::{ChannelProgram, ProgramStep, StepKind, TRACK_BYTES};

/// What the 158 took, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct IsamProcessor {
    /// For a request of the program.
    request: f64,
    /// For a channel program: its translation and its interruptions.
    program: f64,
    /// For what a step of it transfers, for each track that goes by.
    track: f64,
}

impl IsamProcessor {
    /// Fitted to the processor times that the study printed, in virtual and in real storage.
    pub fn of(step: Step, real: bool) -> IsamProcessor {
        let (in_virtual, in_real) = match step {
            Step::Load => (0.171, 0.115),
            Step::Scan => (0.122, 0.087),
            Step::Read => (6.6, 4.65),
            Step::Update => (10.9, 8.8),
            Step::Insert => (15.3, 17.0),
        };
        if !real {
            IsamProcessor {
                request: in_virtual,
                program: 3.75,
                track: 3.0,
            }
        } else {
            IsamProcessor {
                request: in_real,
                program: 1.0,
                track: 0.8,
            }
        }
    }
}

/// The seconds that `programs` take, between which `requests` were made. An insert that looked for its cylinder in the index
/// on the disk looks there once more before it writes the track index.
pub fn follow(processor: IsamProcessor, programs: &[ChannelProgram], requests: u64, inserts: bool) -> f64 {
    let before_each = requests as f64 * processor.request / programs.len().max(1) as f64;
    let mut arm = Arm::default();
    let mut looked = None;
    for program in programs {
        arm.now += before_each + processor.program;
        for step in &program.steps {
            match (step.kind, step.cylinder, step.track) {
                (StepKind::Search, 0, _) => looked = Some(*step),
                (StepKind::Update, _, 0) if inserts => {
                    if let Some(again) = looked.take() {
                        arm.makes(&again, processor);
                    }
                }
                _ => {}
            }
            arm.makes(step, processor);
        }
    }
    arm.now / 1000.0
}

/// Where it is, and when.
#[derive(Debug, Default)]
struct Arm {
    now: f64,
    cylinder: f64,
}

impl Arm {
    fn makes(&mut self, step: &ProgramStep, processor: IsamProcessor) {
        let (disk, to): (DiskTimes, f64) = (DISKS[0], step.cylinder.into());
        self.now += disk.seek((to - self.cylinder).abs());
        self.cylinder = to;
        let (angle, bytes) = (turns(step.angle), turns(step.bytes));
        let wait = (angle * disk.turn - self.now).rem_euclid(disk.turn);
        let length = match step.kind {
            // The rest of the track is erased behind what is formatted.
            StepKind::Format => bytes.max(1.0 - angle),
            _ => bytes,
        };
        self.now += wait + length * disk.turn + bytes * processor.track;
    }
}

fn turns(bytes: usize) -> f64 {
    bytes as f64 / TRACK_BYTES as f64
}
