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

/// Of runs that do the same with fewer and fewer transfers: seconds of all else, and of a transfer. None where all have
/// as many.
pub fn by_transfers(runs: &[(f64, f64)]) -> Option<(f64, f64)> {
    let mean = |of: fn(&(f64, f64)) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    let (transfers, seconds) = (mean(|run| run.0), mean(|run| run.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| runs.iter().map(of).sum::<f64>();
    let spread = sum(&|run| (run.0 - transfers).powi(2));
    let each = sum(&|run| (run.0 - transfers) * (run.1 - seconds)) / spread;
    (spread > 0.0).then_some((seconds - each * transfers, each))
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

    #[test]
    fn a_transfer_takes_what_more_of_them_take_more() {
        let (rest, each) = by_transfers(&[(100.0, 12.0), (200.0, 14.0), (400.0, 18.0)]).unwrap();
        assert!(
            (rest - 10.0).abs() < 1e-9 && (each - 0.02).abs() < 1e-9,
            "{rest} {each}"
        );
        assert_eq!(by_transfers(&[(5.0, 1.0), (5.0, 2.0)]), None);
        assert_eq!(by_transfers(&[]), None);
    }
}
