//! The strings of a dictionary (symbols): up to 252 of one to eight bytes, each with a code of one byte.
//!
//! At a place of a record the symbol is looked for by its first three bytes, of which one slot of a table holds the
//! best, and then by its first two. So each place costs two loads, however many symbols there are.

/// Codes from here on are no symbols.
pub const RUN_FIRST: u8 = 252;
/// A run of the other byte that has a code of its own.
pub const RUN_SECOND: u8 = 253;
/// A run of any byte, which follows.
pub const RUN_ANY: u8 = 254;
/// The next byte stands for itself.
pub const ESCAPE: u8 = 255;
/// Most symbols.
pub const MOST: usize = RUN_FIRST as usize;
/// Longest symbol.
pub const LONGEST: usize = 8;
/// The shortest run that is told as such: as long as a symbol can be.
pub const LEAST_RUN: usize = 8;
/// The longest that one count tells.
pub const LONGEST_RUN: usize = LEAST_RUN + 255;

/// Slots of the table by three bytes.
const SLOTS_LOG2: u32 = 12;
/// No symbol.
const NONE: u16 = ESCAPE as u16;

/// A symbol: its bytes, the first one lowest, and how many they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Symbol {
    pub word: u64,
    pub len: u8,
}

impl Symbol {
    pub fn of(bytes: &[u8]) -> Symbol {
        let len = bytes.len().min(LONGEST);
        Symbol {
            word: word_at(&bytes[..len], 0),
            len: len as u8,
        }
    }

    /// This one with another behind it, as far as there is room.
    pub fn followed_by(self, other: Symbol) -> Symbol {
        let len = (self.len + other.len).min(LONGEST as u8);
        let both = self.word | other.word.checked_shl(8 * u32::from(self.len)).unwrap_or(0);
        Symbol {
            word: both & mask(len),
            len,
        }
    }

    pub fn bytes(self) -> [u8; LONGEST] {
        self.word.to_le_bytes()
    }
}

/// The bytes of a word that a symbol of this length has.
#[inline]
pub fn mask(len: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(len.clamp(1, 8)))
}

/// Eight bytes of a record; zeros behind its end.
#[inline]
pub fn word_at(bytes: &[u8], at: usize) -> u64 {
    match bytes[at..].first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => {
            let mut eight = [0; 8];
            let rest = &bytes[at..];
            eight[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(eight)
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    word: u64,
    /// Bits of a word that are behind the symbol.
    behind: u8,
    code: u8,
    len: u8,
}

/// Symbols as they are looked for.
#[derive(Debug)]
pub struct Finder {
    /// Symbols of three bytes and more.
    long: Vec<Slot>,
    /// By the first two bytes, code and length of the symbol of two or of one.
    short: Vec<u16>,
}

/// A symbol found: its code ([`ESCAPE`]: there is none) and its length.
#[derive(Debug, Clone, Copy)]
pub struct FoundSymbol {
    pub code: u8,
    pub len: usize,
}

impl Slot {
    /// One that no word is found in: the word that it has belongs to another slot.
    fn empty(number: usize) -> Slot {
        let other = |word: &u64| slot_of(*word) != number;
        Slot {
            word: (0..u64::MAX).find(other).unwrap_or_default(),
            behind: 0,
            code: ESCAPE,
            len: 0,
        }
    }
}

#[inline]
fn slot_of(word: u64) -> usize {
    let three = (word & 0xFF_FFFF) as u32;
    (three.wrapping_mul(0x9E37_79B1) >> (32 - SLOTS_LOG2)) as usize
}

impl Finder {
    /// Bytes that one takes.
    pub const LEN: usize = (size_of::<Slot>() << SLOTS_LOG2) + (size_of::<u16>() << 16);

    /// The first of symbols with the same slot has it: the better ones come first.
    pub fn new(symbols: &[Symbol]) -> Finder {
        let mut long: Vec<Slot> = (0..1 << SLOTS_LOG2).map(Slot::empty).collect();
        let mut short = vec![NONE | 1 << 8; 1 << 16];
        for (code, symbol) in symbols.iter().enumerate() {
            let entry = code as u16 | u16::from(symbol.len) << 8;
            match symbol.len {
                0 => {}
                1 => {
                    for second in 0..256 {
                        let at = symbol.word as usize & 0xFF | second << 8;
                        if short[at] >> 8 < 2 {
                            short[at] = entry;
                        }
                    }
                }
                2 => short[symbol.word as usize & 0xFFFF] = entry,
                len => {
                    let slot = &mut long[slot_of(symbol.word)];
                    if slot.len == 0 {
                        *slot = Slot {
                            word: symbol.word,
                            behind: 64 - 8 * len,
                            code: code as u8,
                            len,
                        };
                    }
                }
            }
        }
        Finder { long, short }
    }

    /// The symbol with which `word` begins.
    #[inline]
    pub fn find(&self, word: u64) -> FoundSymbol {
        let slot = &self.long[slot_of(word)];
        if (word ^ slot.word) << slot.behind == 0 {
            return FoundSymbol {
                code: slot.code,
                len: slot.len.into(),
            };
        }
        let entry = self.short[word as usize & 0xFFFF];
        FoundSymbol {
            code: entry as u8,
            len: usize::from(entry >> 8),
        }
    }

    /// The same where only `left` bytes of the word are a record's: no symbol ends behind them.
    #[inline]
    pub fn find_in(&self, word: u64, left: usize) -> FoundSymbol {
        let found = self.find(word);
        if found.len <= left {
            return found;
        }
        let entry = self.short[word as usize & 0xFFFF];
        if usize::from(entry >> 8) <= left {
            return FoundSymbol {
                code: entry as u8,
                len: usize::from(entry >> 8),
            };
        }
        FoundSymbol { code: ESCAPE, len: 1 }
    }
}

/// How many bytes from `at` on are as the first of them, if the eight of `word` are.
#[inline]
pub fn run_at(bytes: &[u8], at: usize, word: u64) -> usize {
    if word != word.rotate_left(8) {
        return 0;
    }
    let first = bytes[at];
    let rest = bytes[at..].chunks_exact(8);
    let whole = rest.take_while(|eight| eight.iter().all(|byte| *byte == first)).count() * 8;
    let behind = bytes[at + whole..]
        .iter()
        .take(8)
        .take_while(|byte| **byte == first)
        .count();
    whole + behind
}
