//! CRC-32C, the one checksum of every structure.
//!
//! The processor's instruction takes eight bytes and gives its answer three cycles later, but begins one each cycle.
//! So bytes are cut into three streams of equal length, which go side by side, and what comes of the first two is
//! shifted over the bytes behind them: a product of polynomials, for which there is an instruction as well. The CIs
//! and headers of data sets have so few bytes that the cut has to fit: streams have any number of words up to 128.
//!
//! Processors without these instructions use the crate `crc32c`, which knows those of other makers too.

#[cfg(target_arch = "x86_64")]
mod streams;

/// CRC-32C of `bytes` behind bytes whose CRC-32C is `before` (0: there are none).
#[inline]
pub fn append(before: u32, bytes: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(checksum) = streams::append(before, bytes) {
        return checksum;
    }
    crc32c::crc32c_append(before, bytes)
}

#[cfg(test)]
mod tests {
    use super::append;

    /// By the definition, a bit at a time.
    fn by_bits(before: u32, bytes: &[u8]) -> u32 {
        let bit = |crc: u32| (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg());
        let byte = |crc: u32, &byte: &u8| (0..8).fold(crc ^ u32::from(byte), |crc, _| bit(crc));
        !bytes.iter().fold(!before, byte)
    }

    fn noise(len: usize) -> Vec<u8> {
        let mut state = 0x9E37_79B9_u32;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..len).map(next).collect()
    }

    #[test]
    fn known_values() {
        // RFC 3720, B.4.
        assert_eq!(append(0, &[0; 32]), 0x8A91_36AA);
        assert_eq!(append(0, &[0xFF; 32]), 0x62A8_AB43);
        assert_eq!(append(0, b"123456789"), 0xE306_9283);
        assert_eq!(append(0, b""), 0);
    }

    #[test]
    fn every_length_at_every_alignment_is_what_bits_say() {
        let bytes = noise(9_000);
        let lengths = (0..700)
            .chain((700..8_900).step_by(97))
            .chain([2_047, 2_048, 3_080, 3_081, 4_096, 6_160, 8_192]);
        for len in lengths {
            let start = len % 9;
            let part = &bytes[start..start + len];
            assert_eq!(append(0, part), by_bits(0, part), "{len} bytes at {start}");
        }
    }

    #[test]
    fn parts_one_behind_the_other_are_the_whole() {
        let bytes = noise(4_100);
        let whole = append(0, &bytes);
        for cut in (0..bytes.len()).step_by(61) {
            assert_eq!(append(append(0, &bytes[..cut]), &bytes[cut..]), whole, "cut at {cut}");
        }
    }
}
