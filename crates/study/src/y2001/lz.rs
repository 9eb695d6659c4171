//! The study's kind of method: phrases of a static dictionary, found greedily, each told by a code of 12 bits. It says
//! whether the records made here compress as those of the study did.

use std::collections::HashMap;

/// Phrases, the bytes themselves included.
const PHRASES: usize = 4096;
/// Bytes of records that they are taken from.
const LEARNT: usize = 64 << 10;
const BITS_OF_CODE: usize = 12;

/// A tree of phrases: what a phrase and a byte behind it are together.
struct Phrases(HashMap<(u16, u8), u16>);

impl Phrases {
    /// From the first records: each phrase that is met for the first time is one more.
    fn learn<'r>(records: impl Iterator<Item = &'r [u8]>) -> Phrases {
        let mut phrases = Phrases(HashMap::new());
        let mut learnt = 0;
        for record in records.take_while(|record| {
            learnt += record.len();
            learnt <= LEARNT
        }) {
            let mut left = record;
            while !left.is_empty() {
                let (phrase, len) = phrases.longest(left);
                if let (Some(next), true) = (left.get(len), phrases.0.len() + 256 < PHRASES) {
                    let number = (phrases.0.len() + 256) as u16;
                    phrases.0.insert((phrase, *next), number);
                }
                left = &left[len..];
            }
        }
        phrases
    }

    /// The longest phrase with which `bytes` begin, and its length.
    fn longest(&self, bytes: &[u8]) -> (u16, usize) {
        let mut phrase = bytes.first().map_or(0, |first| u16::from(*first));
        let mut len = 1;
        while let Some(longer) = bytes.get(len).and_then(|next| self.0.get(&(phrase, *next))) {
            (phrase, len) = (*longer, len + 1);
        }
        (phrase, len)
    }

    fn compressed(&self, mut bytes: &[u8]) -> usize {
        let mut codes = 0;
        while !bytes.is_empty() {
            bytes = &bytes[self.longest(bytes).1.min(bytes.len())..];
            codes += 1;
        }
        (codes * BITS_OF_CODE).div_ceil(8)
    }
}

/// Plain bytes over compressed ones, where the first `clear` bytes of each record stay in clear.
pub fn factor(records: &[Vec<u8>], clear: usize) -> f64 {
    let phrases = Phrases::learn(records.iter().filter_map(|record| record.get(clear..)));
    let plain: usize = records.iter().map(Vec::len).sum();
    let rest = |record: &Vec<u8>| phrases.compressed(record.get(clear..).unwrap_or_default());
    let stored: usize = records.iter().map(|record| clear + rest(record)).sum();
    plain as f64 / stored.max(1) as f64
}
