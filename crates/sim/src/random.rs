//! The one source of chance: a xoshiro256** stream expanded from one 64-bit seed, so that a seed is a whole run.

/// A stream of numbers that its seed determines, on every machine and in every release.
#[derive(Debug, Clone)]
pub struct Random([u64; 4]);

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self(std::array::from_fn(|_| splitmix(&mut state)))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        debug_assert!(low <= high);
        let span = (high - low).wrapping_add(1);
        if span == 0 {
            return self.bits();
        }
        low + ((u128::from(self.bits()) * u128::from(span)) >> 64) as u64
    }

    /// An index below `n` (0 when `n` is 0).
    pub fn below(&mut self, n: usize) -> usize {
        self.between(0, (n as u64).saturating_sub(1)) as usize
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.between(1, 100) <= percent
    }

    /// One of the choices.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A stream of its own, so that one part's draws do not shift another's.
    pub fn fork(&mut self) -> Random {
        Random::new(self.bits())
    }
}

/// SplitMix64: spreads any seed, even 0 and 1, over the whole state.
pub fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A 64-bit digest of bytes, good enough to tell states apart (FNV-1a, then spread).
pub fn digest(bytes: &[u8]) -> u64 {
    let mut h = bytes.iter().fold(0xCBF2_9CE4_8422_2325_u64, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01B3)
    });
    splitmix(&mut h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_the_published_xoshiro_stream_and_stays_it() {
        let mut state = 0;
        assert_eq!(splitmix(&mut state), 0xE220_A839_7B1D_CDAF);
        assert_eq!(splitmix(&mut state), 0x6E78_9E6A_A1B9_65F4);
        let (mut a, mut b, mut c) = (Random::new(7), Random::new(7), Random::new(8));
        let draw = |r: &mut Random| (0..100).map(|_| r.bits()).collect::<Vec<_>>();
        let first = draw(&mut a);
        assert_eq!(first, draw(&mut b));
        assert_ne!(first, draw(&mut c));
    }

    #[test]
    fn bounds_are_kept_and_reached() {
        let mut r = Random::new(1);
        let mut seen = [false; 6];
        for _ in 0..1000 {
            let n = r.between(3, 8) as usize;
            assert!((3..=8).contains(&n));
            seen[n - 3] = true;
        }
        assert_eq!(seen, [true; 6]);
        assert_eq!(r.between(5, 5), 5);
        assert_eq!(r.below(0), 0);
    }
}
