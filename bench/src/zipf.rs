//! Numbers by Zipf's law: few are drawn often. Drawn before a phase is measured, because drawing costs more than the
//! loops do.

use crate::workload::{Random, Shuffled};

/// The exponent that YCSB uses.
const EXPONENT: f64 = 0.99;
/// Steps into which a random number between 0 and 1 is cut.
const STEPS: u64 = 1 << 53;

/// `draws` indexes below `count`, the popular ones spread over the keys (after Gray et al., 1994).
pub fn draw(count: u64, draws: u64, seed: u64) -> Vec<u64> {
    let zeta = |terms: u64| (1..=terms).map(|rank| (rank as f64).powf(-EXPONENT)).sum::<f64>();
    let (all, two) = (zeta(count), zeta(2));
    let eta = (1.0 - (2.0 / count as f64).powf(1.0 - EXPONENT)) / (1.0 - two / all);
    let spread = Shuffled::new(count);
    let mut random = Random::new(seed);
    let mut rank = || {
        let uniform = random.below(STEPS) as f64 / STEPS as f64;
        match uniform * all {
            below if below < 1.0 => 0,
            below if below < two => 1,
            _ => (count as f64 * (eta * uniform - eta + 1.0).powf(1.0 / (1.0 - EXPONENT))) as u64,
        }
    };
    (0..draws).map(|_| spread.at(rank().min(count - 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_drawn_often_and_none_is_outside() {
        let drawn = draw(10_000, 100_000, 1);
        let mut times = vec![0u32; 10_000];
        drawn.iter().for_each(|&index| times[index as usize] += 1);
        times.sort_unstable_by(|a, b| b.cmp(a));
        let hundred: u32 = times[..100].iter().sum();
        assert!(
            (45_000..65_000).contains(&hundred),
            "1 % of the records had {hundred} of 100000 draws"
        );
        assert_eq!(drawn, draw(10_000, 100_000, 1));
    }

    #[test]
    fn one_record_is_always_drawn() {
        assert_eq!(draw(1, 3, 7), [0, 0, 0]);
    }
}
