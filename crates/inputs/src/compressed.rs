//! A compressed record with the dictionary that it needs, both from anywhere.
//!
//! ```text
//! longest record u16 | bytes of the dictionary u16 | dictionary, of which the checksum is mended | stored record
//! ```

use cica_compress::{expand, store, Dictionary, LONGEST_DICTIONARY};
use cica_format::checksum::crc32c;

/// Where the dictionary's checksum stands, and where its strings begin.
const CHECKSUM: std::ops::Range<usize> = 28..32;
/// Bytes of a record that stay in clear.
const CLEAR: usize = 4;

/// Refused, or expanded to no more than the longest record; and what a dictionary compresses it expands again.
pub fn record(bytes: &[u8]) {
    let Some((head, rest)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    let most = usize::from(u16::from_le_bytes([head[0], head[1]]));
    let length = usize::from(u16::from_le_bytes([head[2], head[3]])).min(rest.len());
    let (dictionary, stored) = rest.split_at(length.min(LONGEST_DICTIONARY));
    let Ok(dictionary) = Dictionary::from_bytes(&mended(dictionary)) else {
        return;
    };
    let mut out = Vec::new();
    let refused = expand(stored, CLEAR, |_| Some(&dictionary), most, &mut out).is_err();
    assert!(if refused { out.is_empty() } else { out.len() <= most });
    assert!(expand(stored, CLEAR, |_| None, most, &mut out).is_err() || stored.get(CLEAR) == Some(&0));
    if stored.len() >= CLEAR {
        let mut again = Vec::new();
        store(stored, CLEAR, Some((1, &dictionary)), &mut again);
        assert!(again.len() <= stored.len() + 1);
        let back = expand(&again, CLEAR, |_| Some(&dictionary), stored.len(), &mut out);
        assert!(back.is_ok() && out == stored);
    }
}

/// With a checksum that is right, as far as its strings are there.
fn mended(dictionary: &[u8]) -> Vec<u8> {
    let mut bytes = dictionary.to_vec();
    let Some(count) = bytes.get(12..14).map(|count| u16::from_le_bytes([count[0], count[1]])) else {
        return bytes;
    };
    let end = (0..count).try_fold(CHECKSUM.end, |at, _| Some(at + 1 + usize::from(*bytes.get(at)?)));
    if let Some(end) = end.filter(|end| *end <= bytes.len()) {
        let checksum = crc32c(&[&bytes[..CHECKSUM.start], &bytes[CHECKSUM.end..end]].concat());
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

pub fn records() -> Vec<Vec<u8>> {
    let line = |n: usize| format!("{n:04}{:<20}{:08}{:40}", ["SMITH", "JONES"][n % 2], n * 7919, "").into_bytes();
    let lines: Vec<Vec<u8>> = (0..40).map(line).collect();
    let dictionary = Dictionary::train(lines.iter().map(|line| &line[CLEAR..]), 7);
    let sample = |line: &Vec<u8>, most: usize| {
        let (mut stored, mut out) = (Vec::new(), Vec::new());
        let dictionary = dictionary.as_ref().expect("something to learn from");
        store(line, CLEAR, Some((1, dictionary)), &mut stored);
        let dictionary = dictionary.to_bytes();
        out.extend_from_slice(&(most as u16).to_le_bytes());
        out.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
        out.extend_from_slice(&dictionary);
        out.extend_from_slice(&stored);
        out
    };
    vec![
        sample(&lines[3], 80),
        sample(&lines[4], 20),
        sample(&vec![b'x'; 300], 1000),
    ]
}
