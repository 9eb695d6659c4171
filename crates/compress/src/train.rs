//! A dictionary made from samples, in rounds: what a record would be compressed to with the symbols so far says how
//! often each of them, and each pair of neighbours, would be used; the best of these, joined, are the next symbols.

use crate::symbols::{run_at, word_at, Finder, Symbol, ESCAPE, LEAST_RUN, MOST};
use std::collections::HashMap;

/// Rounds: symbols of one byte have grown to eight after three, and which of them are worth their codes shows later.
const ROUNDS: usize = 8;
/// Of a pair that comes seldom nothing is learnt. One in so many bytes of the samples is seldom.
const SELDOM: usize = 4 << 10;
/// A byte without a symbol costs two: what it saves is counted so many times.
const OF_ONE_BYTE: u64 = 8;

/// Symbols, the better ones first, and the two bytes of which runs save most.
pub struct Trained {
    pub symbols: Vec<Symbol>,
    pub runs: [u8; 2],
}

/// Trains from samples, each the part of a record that is compressed.
pub fn train<'s>(samples: impl Iterator<Item = &'s [u8]> + Clone) -> Trained {
    let mut symbols = Vec::new();
    for _ in 0..ROUNDS {
        let counts = Counts::of(samples.clone(), &symbols);
        symbols = counts.best(&symbols);
    }
    Trained {
        symbols,
        runs: best_runs(samples),
    }
}

/// How often each symbol would be used, and each pair. Numbers below 256 are bytes without a symbol, the others symbols
/// behind that.
struct Counts {
    one: Vec<u64>,
    pairs: HashMap<(u16, u16), u64>,
    bytes: usize,
}

impl Counts {
    fn of<'s>(samples: impl Iterator<Item = &'s [u8]>, symbols: &[Symbol]) -> Counts {
        let finder = Finder::new(symbols);
        let mut counts = Counts {
            one: vec![0; 256 + symbols.len()],
            pairs: HashMap::new(),
            bytes: 0,
        };
        for sample in samples {
            counts.bytes += sample.len();
            let (mut at, mut before) = (0, None);
            while at < sample.len() {
                let (word, left) = (word_at(sample, at), sample.len() - at);
                let run = if left >= LEAST_RUN { run_at(sample, at, word) } else { 0 };
                if run > 0 {
                    (at, before) = (at + run, None);
                    continue;
                }
                let found = finder.find_in(word, left);
                let number = match found.code {
                    ESCAPE => u16::from(sample[at]),
                    code => 256 + u16::from(code),
                };
                counts.one[usize::from(number)] += 1;
                if let Some(before) = before {
                    *counts.pairs.entry((before, number)).or_default() += 1;
                }
                before = Some(number);
                at += found.len;
            }
        }
        counts
    }

    /// The symbols that save most: those there are, and pairs of them.
    fn best(&self, symbols: &[Symbol]) -> Vec<Symbol> {
        let symbol = |number: u16| match number.checked_sub(256) {
            Some(n) => symbols[usize::from(n)],
            None => Symbol::of(&[number as u8]),
        };
        let mut gains: HashMap<Symbol, u64> = HashMap::new();
        for (number, &count) in self.one.iter().enumerate().filter(|(_, &count)| count > 0) {
            let symbol = symbol(number as u16);
            let weight = if symbol.len == 1 {
                OF_ONE_BYTE
            } else {
                symbol.len.into()
            };
            *gains.entry(symbol).or_default() += weight * count;
        }
        let seldom = (self.bytes / SELDOM).max(1) as u64;
        for (&(one, other), &count) in self.pairs.iter().filter(|(_, &count)| count > seldom) {
            let joined = symbol(one).followed_by(symbol(other));
            *gains.entry(joined).or_default() += u64::from(joined.len) * count;
        }
        let mut best: Vec<(u64, Symbol)> = gains.into_iter().map(|(symbol, gain)| (gain, symbol)).collect();
        best.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        best.truncate(MOST);
        best.into_iter().map(|(_, symbol)| symbol).collect()
    }
}

/// The bytes whose runs take most of the samples.
fn best_runs<'s>(samples: impl Iterator<Item = &'s [u8]>) -> [u8; 2] {
    let mut runs = [0u64; 256];
    for sample in samples {
        let mut at = 0;
        while at + LEAST_RUN <= sample.len() {
            let run = run_at(sample, at, word_at(sample, at));
            if run > 0 {
                runs[usize::from(sample[at])] += 1;
            }
            at += run.max(1);
        }
    }
    let best = |but: Option<u8>| {
        let others = (0..=255u8).filter(|byte| Some(*byte) != but);
        others
            .max_by_key(|byte| (runs[usize::from(*byte)], 255 - *byte))
            .unwrap_or_default()
    };
    let first = best(None);
    [first, best(Some(first))]
}
