//! What a processor of then took for a request, a block and a transfer: fitted to the times that were printed.

use crate::device_time::Processor;

const UNKNOWN: usize = 3;

/// From requests, blocks and transfers of several runs, and the seconds that were printed of each: the least sum of
/// squares. None where the runs do not tell the three apart.
pub fn processor(runs: &[([f64; UNKNOWN], f64)]) -> Option<Processor> {
    // The normal equations, with their right side as the last column.
    let mut rows = [[0.0; UNKNOWN + 1]; UNKNOWN];
    for (counts, seconds) in runs {
        for (row, own) in rows.iter_mut().zip(counts) {
            for (cell, other) in row.iter_mut().zip(counts.iter().chain([seconds])) {
                *cell += own * other;
            }
        }
    }
    for at in 0..UNKNOWN {
        let pivot = rows[at][at];
        // Counts are whole numbers: what is left of two that go together is nothing but rounding.
        if pivot.abs() < 1e-3 {
            return None;
        }
        rows[at].iter_mut().for_each(|cell| *cell /= pivot);
        let own = rows[at];
        for (_, row) in rows.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = row[at];
            row.iter_mut().zip(own).for_each(|(cell, own)| *cell -= factor * own);
        }
    }
    let milliseconds = rows.map(|row| (1000.0 * row[UNKNOWN]).max(0.0));
    Some(Processor {
        request: milliseconds[0],
        ci: milliseconds[1],
        transfer: milliseconds[2],
        buffer: 0.0,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_the_times_were_made_of_comes_out() {
        let runs = [[1e5, 1e4, 9e3], [1e5, 1e4, 1e3], [1e5, 2e3, 5e2], [1e5, 2e3, 2e3]];
        let runs = runs.map(|counts| (counts, (0.2 * counts[0] + 0.7 * counts[1] + 1.1 * counts[2]) / 1000.0));
        let found = processor(&runs).unwrap();
        for (found, made_of) in [(found.request, 0.2), (found.ci, 0.7), (found.transfer, 1.1)] {
            assert!((found - made_of).abs() < 1e-6, "{found}");
        }
        assert_eq!(processor(&[([1.0, 2.0, 3.0], 4.0), ([2.0, 4.0, 6.0], 8.0)]), None);
        assert_eq!(processor(&[]), None);
    }
}
