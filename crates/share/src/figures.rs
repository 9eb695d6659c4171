//! What is counted of requests: for the server, for each client and for each data set. One table says what there is,
//! and every surface shows that.

use cica_counters::{Row, SharedCount};
use serde::{Deserialize, Serialize};

/// What is counted beside response times, as the table of counters has it.
pub const COUNTERS: &[Row] = SharedCount::ROWS;

/// The name of a counter where all of them are of requests for shared data sets.
pub fn name(row: &Row) -> &'static str {
    row.name.strip_prefix("shared_").unwrap_or(row.name)
}

/// Classes of response times.
pub const CLASSES: usize = 26;

/// Sums of [`COUNTERS`], and how many response times fell into each class.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sums {
    /// In the order of [`COUNTERS`].
    pub counters: [u64; COUNTERS.len()],
    /// Class n has times of less than 2 to the n microseconds that are in no class before it; the last has the rest.
    pub times: [u64; CLASSES],
}

/// The class of a time.
pub fn class(nanoseconds: u64) -> usize {
    let microseconds = nanoseconds / 1000;
    let class = u64::BITS - microseconds.leading_zeros();
    (class as usize).min(CLASSES - 1)
}

/// The microseconds that no time of a class reaches; none: the last class.
pub fn bound(class: usize) -> Option<u64> {
    (class < CLASSES - 1).then(|| 1 << class)
}

impl Sums {
    /// How many times there are. No server has counted that many that they do not fit, but it may say so.
    pub fn all(&self) -> u64 {
        self.times.iter().fold(0, |all, times| all.saturating_add(*times))
    }

    /// The class within which this share of the times, in thousandths, has ended; none without a time.
    pub fn within(&self, thousandths: u64) -> Option<usize> {
        let all = self.all();
        let wanted = (u128::from(all) * u128::from(thousandths)).div_ceil(1000);
        let mut seen = 0;
        let reaches = |times: &u64| {
            seen += u128::from(*times);
            seen >= wanted
        };
        if all == 0 {
            return None;
        }
        self.times.iter().position(reaches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_falls_into_the_first_class_that_it_fits() {
        for (nanoseconds, expected) in [
            (0, 0),
            (999, 0),
            (1000, 1),
            (1999, 1),
            (2000, 2),
            (9_000, 4),
            (u64::MAX, 25),
        ] {
            assert_eq!(class(nanoseconds), expected, "{nanoseconds}");
            assert!(bound(expected).is_none_or(|bound| nanoseconds < bound * 1000));
        }
        let mut sums = Sums::default();
        assert_eq!(sums.within(500), None);
        (sums.times[3], sums.times[7]) = (99, 1);
        assert_eq!(
            [sums.within(500), sums.within(990), sums.within(999)],
            [Some(3), Some(3), Some(7)]
        );
        // What somebody says who counts otherwise.
        sums.times = [u64::MAX; CLASSES];
        assert!(sums.within(990).is_some() && sums.all() == u64::MAX);
    }
}
