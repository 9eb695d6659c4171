//! The copies of figures 1 and 2, as they were printed.

use crate::figures::{Figures, Printed};

/// What a data set of a copy has: blocks or CIs of so many K, and buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// K of a block.
    pub k: usize,
    /// See [`Place`].
    pub buffers: usize,
}

/// A row.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Its number in its figure.
    pub run: &'static str,
    /// What is copied.
    pub input: Place,
    /// Where to.
    pub output: Place,
    /// What was printed of it: thousands of bytes of buffers, seconds, seconds of the processor, thousands of EXCPs.
    pub printed: [Option<f64>; 4],
}

impl Plan {
    /// Those of an access method.
    pub fn of(access: &str) -> Vec<Plan> {
        let figures = Figures::of(include_str!("copies.csv"));
        let rows = figures.rows().filter(|row| row.text("access") == access);
        rows.map(|row| plan(&row)).collect()
    }

    /// In words.
    pub fn title(&self) -> String {
        let Plan { run, input, output, .. } = self;
        let place = |place: &Place| format!("{:2}K x {:2}", place.k, place.buffers);
        format!("{run}: {} to {}", place(input), place(output))
    }
}

fn plan(row: &Printed<'_>) -> Plan {
    let whole = |column: &str| row.number(column).unwrap_or_default() as usize;
    let place = |side: &str| Place {
        k: whole(&format!("{side}_block")),
        buffers: whole(&format!("{side}_buf")),
    };
    Plan {
        run: row.text("run"),
        input: place("in"),
        output: place("out"),
        printed: ["bufsp", "elapsed", "cpu", "excp"].map(|column| row.number(column)),
    }
}

/// The milliseconds of a request that moves so many bytes, by what the source says of an access: without its seek, as
/// the arm of a disk that has one data set stays, and without its queues, as the machine was empty.
pub fn access(bytes: f64) -> f64 {
    let figures = Figures::of(include_str!("access.csv"));
    let of = |part: &str| {
        figures
            .find(&[("part", part)])
            .and_then(|row| row.number("ms"))
            .unwrap_or_default()
    };
    let (small, large) = (4096.0, 23_476.0);
    let per_byte = (of("transfer half track") - of("transfer 4K")) / (large - small);
    of("software") + of("channel") + of("search") + of("transfer 4K") + (bytes - small) * per_byte
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_those_that_were_printed() {
        let [qsam, esds] = ["QSAM", "ESDS"].map(Plan::of);
        assert_eq!((qsam.len(), esds.len()), (5, 7));
        for plan in qsam.iter().chain(&esds) {
            assert!(plan.printed.iter().all(Option::is_some), "{plan:?}");
            let space = plan.input.k * plan.input.buffers + plan.output.k * plan.output.buffers;
            // The one that is printed wrongly.
            let printed = if plan.run == "5" && plan.input.buffers == 2 {
                92.0
            } else {
                plan.printed[0].unwrap_or_default()
            };
            assert_eq!(space as f64, printed, "{}", plan.title());
        }
        assert_eq!(qsam[2].title(), "3:  4K x 32 to 23K x 32");
    }

    #[test]
    fn an_access_to_4k_takes_16_milliseconds_without_seek_and_queues_and_half_a_track_22() {
        assert_eq!(access(4096.0), 16.0);
        assert!((access(23_476.0) - 22.0).abs() < 1e-9);
    }
}
