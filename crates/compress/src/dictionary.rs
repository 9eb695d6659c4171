//! A dictionary: what compresses records and expands them, and the same as bytes.
//!
//! ```text
//! magic 8 | format u16 | runs 2 | symbols u16 | 0 u16 | made u64 | sampled u32 | checksum u32 | (length, bytes) each
//! ```
//! The checksum is CRC-32C over all other bytes.

use crate::symbols::{
    run_at, word_at, Finder, Symbol, ESCAPE, LEAST_RUN, LONGEST, LONGEST_RUN, MOST, RUN_ANY, RUN_FIRST, RUN_SECOND,
};
use crate::train::train;
use cica_format::checksum::crc32c;
use std::fmt;
use std::sync::OnceLock;

/// First eight bytes.
const MAGIC: [u8; 8] = *b"CICADICT";
/// Format that is written and read.
const FORMAT: u16 = 1;
const HEAD_LEN: usize = 32;
const CHECKSUM_AT: usize = 28;
/// Bytes of the longest dictionary.
pub const LONGEST_DICTIONARY: usize = HEAD_LEN + MOST * (1 + LONGEST);

/// See the module.
#[derive(Debug)]
pub struct Dictionary {
    /// Made when the first record is compressed: who only expands needs none.
    finder: OnceLock<Finder>,
    symbols: Vec<Symbol>,
    /// Bytes and length of each code; no length: no symbol.
    texts: Box<[[u8; LONGEST]; 256]>,
    lens: Box<[u8; 256]>,
    runs: [u8; 2],
    made: u64,
    sampled: u32,
}

/// Bytes that are not what this code wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damaged {
    /// Of a dictionary.
    Dictionary {
        /// What is wrong with it.
        what: &'static str,
    },
    /// Of a record: it ends in the middle of something, or has a code that the dictionary has not.
    Record,
    /// The record would be longer than any of its data set.
    Longer {
        /// The most that is allowed.
        most: usize,
    },
    /// The record was compressed with a dictionary that is not there.
    NoDictionary {
        /// Which.
        generation: u8,
    },
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damaged::Dictionary { what } => write!(f, "the dictionary {what}"),
            Damaged::Record => f.write_str("the compressed record is damaged"),
            Damaged::Longer { most } => write!(f, "the compressed record expands to more than {most} bytes"),
            Damaged::NoDictionary { generation } => {
                write!(
                    f,
                    "the record needs dictionary {generation}, which is damaged or not there"
                )
            }
        }
    }
}

impl std::error::Error for Damaged {}

impl Dictionary {
    /// Bytes of memory that one takes to expand.
    pub const MEMORY: usize = size_of::<[[u8; LONGEST]; 256]>() + 256 + MOST * size_of::<Symbol>();
    /// Bytes that it takes more to compress.
    pub const MEMORY_TO_COMPRESS: usize = Finder::LEN;

    /// Trained from samples, each what is compressed of a record; `made` is nanoseconds since 1970. `None`: there is
    /// nothing to learn from.
    pub fn train<'s>(samples: impl Iterator<Item = &'s [u8]> + Clone, made: u64) -> Option<Dictionary> {
        let sampled: usize = samples.clone().map(<[u8]>::len).sum();
        let trained = train(samples);
        let sampled = u32::try_from(sampled).unwrap_or(u32::MAX);
        (sampled > 0).then(|| Dictionary::of(trained.symbols, trained.runs, made, sampled))
    }

    fn of(symbols: Vec<Symbol>, runs: [u8; 2], made: u64, sampled: u32) -> Dictionary {
        let (mut texts, mut lens) = (Box::new([[0; LONGEST]; 256]), Box::new([0; 256]));
        for (code, symbol) in symbols.iter().enumerate() {
            (texts[code], lens[code]) = (symbol.bytes(), symbol.len);
        }
        Dictionary {
            finder: OnceLock::new(),
            symbols,
            texts,
            lens,
            runs,
            made,
            sampled,
        }
    }

    /// When it was made, in nanoseconds since 1970.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Bytes that it was trained from.
    pub fn sampled(&self) -> u32 {
        self.sampled
    }

    /// Strings that it has.
    pub fn strings(&self) -> usize {
        self.symbols.len()
    }

    /// Appends `bytes` compressed. False, and nothing is appended: they would not become shorter (Z2).
    pub fn compress(&self, bytes: &[u8], out: &mut Vec<u8>) -> bool {
        let begin = out.len();
        out.resize(begin + bytes.len(), 0);
        match self.compress_to(bytes, &mut out[begin..]) {
            Some(len) if len < bytes.len() => {
                out.truncate(begin + len);
                true
            }
            _ => {
                out.truncate(begin);
                false
            }
        }
    }

    /// `None`: they do not fit.
    fn compress_to(&self, bytes: &[u8], to: &mut [u8]) -> Option<usize> {
        let finder = self.finder.get_or_init(|| Finder::new(&self.symbols));
        let (mut at, mut end) = (0, 0);
        while let Some(eight) = bytes[at..].first_chunk() {
            let word = u64::from_le_bytes(*eight);
            if word == word.rotate_left(8) {
                let run = run_at(bytes, at, word).min(LONGEST_RUN);
                end = self.put_run(bytes[at], run, to, end)?;
                at += run;
                continue;
            }
            let found = finder.find(word);
            *to.get_mut(end)? = found.code;
            end += 1;
            if found.code == ESCAPE {
                *to.get_mut(end)? = bytes[at];
                end += 1;
            }
            at += found.len;
        }
        while at < bytes.len() {
            let found = finder.find_in(word_at(bytes, at), bytes.len() - at);
            *to.get_mut(end)? = found.code;
            end += 1;
            if found.code == ESCAPE {
                *to.get_mut(end)? = bytes[at];
                end += 1;
            }
            at += found.len;
        }
        Some(end)
    }

    fn put_run(&self, byte: u8, run: usize, to: &mut [u8], mut end: usize) -> Option<usize> {
        let code = match byte {
            _ if byte == self.runs[0] => RUN_FIRST,
            _ if byte == self.runs[1] => RUN_SECOND,
            _ => RUN_ANY,
        };
        *to.get_mut(end)? = code;
        if code == RUN_ANY {
            end += 1;
            *to.get_mut(end)? = byte;
        }
        *to.get_mut(end + 1)? = (run - LEAST_RUN) as u8;
        Some(end + 2)
    }

    /// Appends what was compressed to `bytes`, at most `most` bytes (Z1).
    ///
    /// # Errors
    /// Nothing is appended then.
    pub fn expand(&self, bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Result<(), Damaged> {
        let begin = out.len();
        // A symbol is written with all its eight bytes: behind the longest record there is room for them.
        let limit = begin + most + LONGEST;
        out.resize((begin + 4 * bytes.len() + 64).min(limit), 0);
        let expanded = self.expand_to(bytes, out, begin, limit);
        match expanded {
            Ok(end) if end - begin <= most => {
                out.truncate(end);
                Ok(())
            }
            other => {
                out.truncate(begin);
                Err(other.err().unwrap_or(Damaged::Longer { most }))
            }
        }
    }

    /// How many bytes `bytes` expand to, without expanding them.
    ///
    /// # Errors
    /// They end in the middle of something, or have a code that the dictionary has not.
    pub fn expanded_len(&self, bytes: &[u8]) -> Result<usize, Damaged> {
        let (mut at, mut len, mut shortest) = (0, 0, LONGEST);
        while let Some(&code) = bytes.get(at) {
            let last = |n: usize| bytes.get(at + n).copied().map(usize::from).ok_or(Damaged::Record);
            let (bytes, took) = match code {
                ESCAPE => last(1).map(|_| (1, 2))?,
                RUN_FIRST | RUN_SECOND => (last(1)? + LEAST_RUN, 2),
                RUN_ANY => (last(2)? + LEAST_RUN, 3),
                code => {
                    let symbol = usize::from(self.lens[usize::from(code)]);
                    shortest = shortest.min(symbol);
                    (symbol, 1)
                }
            };
            (at, len) = (at + took, len + bytes);
        }
        match shortest {
            0 => Err(Damaged::Record),
            _ => Ok(len),
        }
    }

    fn expand_to(&self, bytes: &[u8], out: &mut Vec<u8>, begin: usize, limit: usize) -> Result<usize, Damaged> {
        let longer = || Damaged::Longer {
            most: limit - begin - LONGEST,
        };
        let (mut at, mut end, mut shortest) = (0, begin, LONGEST);
        while at < bytes.len() {
            let window = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut);
            if let (Some(eight), Some(window)) = (bytes[at..].first_chunk(), window) {
                let (took, wrote) = self.put_symbols(u64::from_le_bytes(*eight), window, &mut shortest);
                (at, end) = (at + took, end + wrote);
                if took == 8 {
                    continue;
                }
            }
            let code = bytes[at];
            if code < RUN_FIRST {
                if end + LONGEST > out.len() {
                    grow(out, end + LONGEST, limit).ok_or_else(longer)?;
                }
                let len = usize::from(self.lens[usize::from(code)]);
                out[end..end + LONGEST].copy_from_slice(&self.texts[usize::from(code)]);
                (at, end, shortest) = (at + 1, end + len, shortest.min(len));
                continue;
            }
            let following = |n: usize| bytes.get(at + n).copied().ok_or(Damaged::Record);
            let (byte, count, took) = match code {
                ESCAPE => (following(1)?, 1, 2),
                RUN_FIRST => (self.runs[0], usize::from(following(1)?) + LEAST_RUN, 2),
                RUN_SECOND => (self.runs[1], usize::from(following(1)?) + LEAST_RUN, 2),
                _ => (following(1)?, usize::from(following(2)?) + LEAST_RUN, 3),
            };
            if end + count > out.len() {
                grow(out, end + count, limit).ok_or_else(longer)?;
            }
            out[end..end + count].fill(byte);
            (at, end) = (at + took, end + count);
        }
        match shortest {
            0 => Err(Damaged::Record),
            _ => Ok(end),
        }
    }

    /// Puts the symbols in front of eight codes: how many, and how many bytes that are.
    #[inline(always)]
    fn put_symbols(&self, codes: u64, window: &mut [u8; 8 * LONGEST], shortest: &mut usize) -> (usize, usize) {
        // A byte of zeros where a code is no symbol.
        let others = !codes & (0x0101_0101_0101_0101 * u64::from(RUN_FIRST));
        let marks = others.wrapping_sub(0x0101_0101_0101_0101) & !others & 0x8080_8080_8080_8080;
        let count = marks.trailing_zeros() as usize / 8;
        let mut end = 0;
        let mut put = |n: usize| {
            let code = usize::from((codes >> (8 * n)) as u8);
            let len = usize::from(self.lens[code]);
            // Each is at most as long as its part of the window.
            if let Some(place) = window.get_mut(end..end + LONGEST) {
                place.copy_from_slice(&self.texts[code]);
            }
            (end, *shortest) = (end + len, len.min(*shortest));
        };
        match count {
            // Mostly so, and then without a loop.
            8 => (0..8).for_each(&mut put),
            _ => (0..count).for_each(&mut put),
        }
        (count, end)
    }

    /// As bytes, at most [`LONGEST_DICTIONARY`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(LONGEST_DICTIONARY);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&self.runs);
        out.extend_from_slice(&(self.symbols.len() as u16).to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        out.extend_from_slice(&self.made.to_le_bytes());
        out.extend_from_slice(&self.sampled.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        for symbol in &self.symbols {
            out.push(symbol.len);
            out.extend_from_slice(&symbol.bytes()[..usize::from(symbol.len)]);
        }
        let checksum = checksum(&out);
        out[CHECKSUM_AT..HEAD_LEN].copy_from_slice(&checksum.to_le_bytes());
        out
    }

    /// From the start of `bytes`, which may be longer.
    ///
    /// # Errors
    /// Says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Dictionary, Damaged> {
        let damaged = |what| Damaged::Dictionary { what };
        let head: &[u8; HEAD_LEN] = bytes.first_chunk().ok_or(damaged("is cut off"))?;
        if head[..8] != MAGIC {
            return Err(damaged("is none"));
        }
        if u16::from_le_bytes([head[8], head[9]]) != FORMAT {
            return Err(damaged("has a format that is not known here"));
        }
        let count = usize::from(u16::from_le_bytes([head[12], head[13]]));
        if count > MOST {
            return Err(damaged("has a number of strings that none has"));
        }
        let mut symbols = Vec::with_capacity(count);
        let mut at = HEAD_LEN;
        for _ in 0..count {
            let len = usize::from(*bytes.get(at).ok_or(damaged("is cut off"))?);
            if !(1..=LONGEST).contains(&len) {
                return Err(damaged("has a string of a length that none has"));
            }
            let text = bytes.get(at + 1..at + 1 + len).ok_or(damaged("is cut off"))?;
            symbols.push(Symbol::of(text));
            at += 1 + len;
        }
        let stored = [head[28], head[29], head[30], head[31]];
        if checksum(&bytes[..at]) != u32::from_le_bytes(stored) {
            return Err(damaged("does not have its checksum"));
        }
        let made = head[16..24]
            .iter()
            .rev()
            .fold(0, |made, byte| made << 8 | u64::from(*byte));
        let sampled = u32::from_le_bytes([head[24], head[25], head[26], head[27]]);
        Ok(Dictionary::of(symbols, [head[10], head[11]], made, sampled))
    }
}

/// Makes room up to `need` bytes and some more; `None`: that is beyond the limit.
#[cold]
fn grow(out: &mut Vec<u8>, need: usize, limit: usize) -> Option<()> {
    (need <= limit).then(|| out.resize((2 * need).min(limit), 0))
}

fn checksum(bytes: &[u8]) -> u32 {
    let without = [&bytes[..CHECKSUM_AT], &bytes[HEAD_LEN..]].concat();
    crc32c(&without)
}
