//! The runs of VSAM: what each changed of the base case, and the steps that were printed of it.

use super::file::{Shape, BASE};
use super::steps::Step;

/// What a run of the study changed of its base case.
pub struct Run {
    pub name: &'static str,
    pub shape: Shape,
    /// BUFND of the sequential steps and BUFNI of the others.
    pub bufnd: u16,
    pub bufni: u16,
    pub steps: &'static [Step],
    /// Reads in order once more after the inserts.
    pub reads_twice: bool,
}

pub const ALL: &[Step] = &[Step::Load, Step::Scan, Step::Read, Step::Update, Step::Insert];

pub const RUNS: [Run; 7] = [
    Run {
        name: "VSAM1",
        shape: BASE,
        bufnd: 2,
        bufni: 1,
        steps: ALL,
        reads_twice: false,
    },
    Run {
        name: "VSAMB",
        shape: BASE,
        bufnd: 109,
        bufni: 1,
        steps: &[Step::Load, Step::Scan],
        reads_twice: false,
    },
    Run {
        name: "VSAMC",
        shape: BASE,
        bufnd: 2,
        bufni: 4,
        steps: ALL,
        reads_twice: false,
    },
    Run {
        name: "VSAMT",
        shape: Shape {
            ci_size: 12_288,
            ..BASE
        },
        bufnd: 2,
        bufni: 1,
        steps: ALL,
        reads_twice: false,
    },
    Run {
        name: "VSAMW",
        shape: Shape {
            write_check: true,
            ..BASE
        },
        bufnd: 2,
        bufni: 1,
        steps: &[Step::Load, Step::Update, Step::Insert],
        reads_twice: false,
    },
    Run {
        name: "VSAMRC",
        shape: Shape { recovery: true, ..BASE },
        bufnd: 2,
        bufni: 1,
        steps: &[Step::Load],
        reads_twice: false,
    },
    Run {
        name: "VSAMO",
        shape: Shape { ci_size: 4096, ..BASE },
        // How many the study took, it does not say; its index has more records than three buffers hold.
        bufnd: 24,
        bufni: 8,
        steps: ALL,
        reads_twice: true,
    },
];
