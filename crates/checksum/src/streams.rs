//! Three streams on x86-64 (see the crate).
//!
//! * C1. What the processor cannot do is not asked of it: [`append`] looks for both instructions first.
//! * C2. No load leaves the slice: a round takes `24 * words + 8` bytes of those that are left.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// Words of the longest stream.
const MOST: usize = 128;
/// Fewer bytes are not worth three streams.
const LEAST: usize = 128;
const WORD: usize = 8;

/// Entry `n` shifts a checksum over `n` words, when the product goes into the next word.
static SHIFTS: [u32; 2 * MOST + 2] = shifts();

/// x to the power of 64n - 33, modulo the polynomial, the highest power in the lowest bit: the product of two such
/// numbers is one place too low, and the checksum of a word is 32 places too high.
const fn shifts() -> [u32; 2 * MOST + 2] {
    let mut all = [0; 2 * MOST + 2];
    // x to the power of 31.
    let mut power: u32 = 1;
    let mut n = 1;
    while n < all.len() {
        all[n] = power;
        let mut bit = 0;
        while bit < 64 {
            power = (power >> 1) ^ (0x82F6_3B78 & (power & 1).wrapping_neg());
            bit += 1;
        }
        n += 1;
    }
    all
}

/// As [`append`](super::append); `None`: the processor lacks an instruction.
#[inline]
pub fn append(before: u32, bytes: &[u8]) -> Option<u32> {
    let able = is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("pclmulqdq");
    // SAFETY: it has them (C1).
    able.then(|| unsafe { by_instructions(before, bytes) })
}

/// # Safety
/// The processor has both instructions.
#[target_feature(enable = "sse4.2,pclmulqdq")]
unsafe fn by_instructions(before: u32, mut bytes: &[u8]) -> u32 {
    let mut checksum = u64::from(!before);
    while bytes.len() >= LEAST {
        let words = ((bytes.len() - WORD) / (3 * WORD)).min(MOST);
        // SAFETY: so many words are there, and one (C2); the instructions are.
        checksum = unsafe { three_streams(checksum, bytes.as_ptr(), words) };
        bytes = &bytes[(3 * words + 1) * WORD..];
    }
    while let Some((word, rest)) = bytes.split_first_chunk::<WORD>() {
        checksum = _mm_crc32_u64(checksum, u64::from_le_bytes(*word));
        bytes = rest;
    }
    !bytes
        .iter()
        .fold(checksum as u32, |checksum, &byte| _mm_crc32_u8(checksum, byte))
}

/// The checksum behind three streams of `words` words each, and one word.
///
/// # Safety
/// `3 * words + 1` words can be read at `from`, `words` is 1 to [`MOST`], and the processor has both instructions.
#[target_feature(enable = "sse4.2,pclmulqdq")]
unsafe fn three_streams(before: u64, from: *const u8, words: usize) -> u64 {
    let (mut first, mut second, mut third) = (before, 0, 0);
    let stream = words * WORD;
    // SAFETY: all loads are of the words that the caller promises.
    unsafe {
        let (mut at, end) = (from, from.add(stream));
        while at < end {
            first = _mm_crc32_u64(first, load(at));
            second = _mm_crc32_u64(second, load(at.add(stream)));
            third = _mm_crc32_u64(third, load(at.add(2 * stream)));
            at = at.add(WORD);
        }
        let before_last = shifted(first, 2 * words + 1) ^ shifted(second, words + 1);
        _mm_crc32_u64(third, load(from.add(3 * stream)) ^ before_last)
    }
}

/// What a checksum is behind so many words of zeros, but for the last, into which this goes.
///
/// # Safety
/// The processor has the instruction.
#[target_feature(enable = "pclmulqdq")]
unsafe fn shifted(checksum: u64, words: usize) -> u64 {
    let (one, other) = (
        _mm_cvtsi64_si128(checksum as i64),
        _mm_cvtsi64_si128(SHIFTS[words] as i64),
    );
    _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(one, other)) as u64
}

/// # Safety
/// Eight bytes can be read at `from`.
#[inline(always)]
unsafe fn load(from: *const u8) -> u64 {
    // SAFETY: as the caller promises.
    u64::from_le(unsafe { from.cast::<u64>().read_unaligned() })
}
