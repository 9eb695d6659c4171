//! Good inputs made bad: bits, bytes, numbers at their limits, pieces taken out, doubled, of another input.

/// A reproducible sequence (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    }

    /// One below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n as u64) as usize
    }
}

/// Longest input.
const LONGEST: usize = 1 << 16;

/// Numbers at which things go wrong.
const LIMITS: [u64; 12] = [0, 1, 2, 3, 4, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, u64::MAX];

/// An input of `samples`, changed in up to eight places; sometimes any bytes.
pub fn mutated(samples: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    if samples.is_empty() || random.below(50) == 0 {
        return (0..random.below(600)).map(|_| random.number() as u8).collect();
    }
    let mut bytes = samples[random.below(samples.len())].clone();
    for _ in 0..=random.below(8) {
        let other = &samples[random.below(samples.len())];
        change(&mut bytes, other, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    if bytes.is_empty() {
        bytes.push(random.number() as u8);
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(16)).min(bytes.len());
    match random.below(9) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.number() as u8,
        3 | 4 => {
            let limit = LIMITS[random.below(LIMITS.len())]
                .wrapping_add(random.below(3) as u64)
                .wrapping_sub(1);
            let width = [1, 2, 4, 8][random.below(4)].min(bytes.len() - at);
            let (big, little) = (limit.to_be_bytes(), limit.to_le_bytes());
            match random.below(2) {
                0 => bytes[at..at + width].copy_from_slice(&big[8 - width..]),
                _ => bytes[at..at + width].copy_from_slice(&little[..width]),
            }
        }
        5 => drop(bytes.drain(at..end)),
        6 => {
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
        7 if !other.is_empty() => {
            let from = random.below(other.len());
            let piece = other[from..(from + 1 + random.below(64)).min(other.len())].to_vec();
            let end = (at + piece.len()).min(bytes.len());
            bytes.splice(at..end, piece);
        }
        7 => bytes[at..end].fill(0),
        _ => bytes.truncate(at),
    }
}
