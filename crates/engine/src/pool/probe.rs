//! What is searched for: a key, or the start of one, made ready for comparing.

use super::bytes::Words;
use super::shape::head_of;
use std::cmp::Ordering;

/// Bytes compared as one number.
const FIRST: usize = 16;
/// Those of them that fit into one register: most keys, and what pages of longer ones share, are no longer.
const HALF: usize = 8;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'k> {
    key: &'k [u8],
    /// The first sixteen bytes, most significant first, continued with zeros.
    first: u128,
}

impl<'k> Probe<'k> {
    /// A key, or the start of one.
    #[inline]
    pub fn new(key: &'k [u8]) -> Self {
        Probe {
            key,
            first: first_of(key),
        }
    }

    /// Its bytes.
    #[inline]
    pub fn key(&self) -> &'k [u8] {
        self.key
    }

    /// Compares a page's common prefix of `len` bytes, at most sixteen, with the probe's start. A probe that ends
    /// inside an equal prefix is below it.
    #[inline]
    pub fn compare_prefix(&self, prefix: u128, len: usize) -> Ordering {
        let common = len.min(self.key.len());
        let order = if common <= HALF {
            upper(prefix, common).cmp(&upper(self.first, common))
        } else {
            most_significant(prefix, common).cmp(&most_significant(self.first, common))
        };
        match order {
            Ordering::Equal if common < len => Ordering::Greater,
            other => other,
        }
    }

    /// The four bytes behind a prefix of `len` bytes as a number that compares as they do, continued with X'00'.
    #[inline]
    pub fn head(&self, len: usize) -> u32 {
        if len + 4 <= FIRST || self.key.len() <= FIRST {
            (self.first.checked_shl(len as u32 * 8).unwrap_or(0) >> 96) as u32
        } else {
            head_of(self.key.get(len..).unwrap_or(&[]), 0)
        }
    }

    /// Compares the bytes at `offset` with the probe's first `len`.
    #[inline]
    pub fn compare(&self, words: Words<'_>, offset: usize, len: usize) -> Ordering {
        let len = len.min(self.key.len());
        if len <= HALF {
            let start = u128::from(words.eight(offset).swap_bytes()) << 64;
            return upper(start, len).cmp(&upper(self.first, len));
        }
        let first = len.min(FIRST);
        let order = most_significant(words.sixteen(offset), first).cmp(&most_significant(self.first, first));
        if len <= FIRST || order != Ordering::Equal {
            return order;
        }
        words.compare(offset + FIRST, &self.key[FIRST..len])
    }
}

/// The first sixteen bytes, continued with zeros, as a number whose most significant byte is the first.
#[inline]
fn first_of(key: &[u8]) -> u128 {
    if let Some(sixteen) = key.first_chunk::<FIRST>() {
        return u128::from_be_bytes(*sixteen);
    }
    if let (Some(start), Some(end)) = (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        // What both have goes out of the second at its top.
        let behind = u64::from_be_bytes(*end).checked_shl((FIRST - key.len()) as u32 * 8);
        return u128::from(u64::from_be_bytes(*start)) << 64 | u128::from(behind.unwrap_or(0));
    }
    let all = key.iter().fold(0, |all, &byte| all << 8 | u128::from(byte));
    all.checked_shl((FIRST - key.len()) as u32 * 8).unwrap_or(0)
}

/// The first `bytes`, at most sixteen, of a number whose most significant byte is the first.
#[inline]
fn most_significant(number: u128, bytes: usize) -> u128 {
    number.checked_shr(128 - 8 * bytes as u32).unwrap_or(0)
}

/// The same for at most [`HALF`] bytes.
#[inline]
fn upper(number: u128, bytes: usize) -> u64 {
    ((number >> 64) as u64).checked_shr(64 - 8 * bytes as u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_begins_as_its_key_does_whatever_its_length() {
        let key: Vec<u8> = (1..=20).collect();
        for len in 0..=key.len() {
            let mut first = [0; FIRST];
            let known = len.min(FIRST);
            first[..known].copy_from_slice(&key[..known]);
            assert_eq!(first_of(&key[..len]), u128::from_be_bytes(first), "{len}");
        }
    }

    #[test]
    fn a_prefix_of_any_length_compares_as_its_bytes_do() {
        let bytes = *b"CUSTOMER.NUMBER.";
        for key in [
            &b"CUSTOMER.NUMBER.12"[..],
            b"CUSTOMER",
            b"CUSTOMEQ.ZZZZZZZZZ",
            b"D",
            b"CUSTOMER.NUMBEQZ",
            b"",
        ] {
            for len in 0..=bytes.len() {
                let (prefix, start) = (&bytes[..len], &key[..len.min(key.len())]);
                let order = Probe::new(key).compare_prefix(u128::from_be_bytes(bytes), len);
                assert_eq!(order, prefix.cmp(start), "{len} {key:?}");
            }
        }
    }

    #[test]
    fn probes_compare_as_their_bytes_do() {
        let prefix = u128::from_be_bytes(*b"CUSTOMER.NUMBER.");
        let order = |key: &[u8], len| Probe::new(key).compare_prefix(prefix, len);
        assert_eq!(order(b"CUSTOMER.9", 9), Ordering::Equal);
        assert_eq!(order(b"CUST", 9), Ordering::Greater);
        assert_eq!(order(b"", 0), Ordering::Equal);
        assert_eq!(order(b"", 1), Ordering::Greater);
        assert_eq!(order(b"D", 9), Ordering::Less);
        assert_eq!(order(b"CUSTOMER.NUMBER.12", 16), Ordering::Equal);
        assert_eq!(
            Probe::new(b"CUSTOMER.NUMBER.12").head(16),
            u32::from_be_bytes(*b"12\0\0")
        );
        assert_eq!(Probe::new(b"CUSTOMER.NUMBER.12").head(13), u32::from_be_bytes(*b"ER.1"));
        assert_eq!(Probe::new(b"CUST").head(2), u32::from_be_bytes(*b"ST\0\0"));
        assert_eq!(Probe::new(b"CUST").head(4), 0);
    }
}
