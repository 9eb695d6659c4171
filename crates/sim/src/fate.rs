//! Which images of a crash point are looked at: the fates of the changes that no sync had covered.
//!
//! With few pending changes every subset; with many none, all, each alone, all but each, pairs, and subsets at
//! random. Then the newest writes torn at sectors. Images that a point shares with the one before are not repeated.

use std::collections::HashSet;

use cica_disk::sim::{CrashPoint, Event, Survival, SECTOR};

use crate::random::Random;

/// How an image was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageKind {
    /// Nothing unsynced survived.
    None,
    /// Everything did: what a process kill leaves.
    All,
    /// One of all subsets.
    Subset,
    /// One change alone.
    Alone,
    /// All changes but one.
    AllBut,
    /// Two changes alone.
    Pair,
    /// A random subset.
    Random,
    /// A write torn at sectors.
    Torn,
}

impl ImageKind {
    /// All of them, in order.
    pub const ALL: [ImageKind; 8] = [
        ImageKind::None,
        ImageKind::All,
        ImageKind::Subset,
        ImageKind::Alone,
        ImageKind::AllBut,
        ImageKind::Pair,
        ImageKind::Random,
        ImageKind::Torn,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ImageKind::None => "none",
            ImageKind::All => "all",
            ImageKind::Subset => "subset",
            ImageKind::Alone => "alone",
            ImageKind::AllBut => "all-but",
            ImageKind::Pair => "pair",
            ImageKind::Random => "random",
            ImageKind::Torn => "torn",
        }
    }
}

/// One image: the fate of each pending change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// How it was chosen.
    pub kind: ImageKind,
    /// By the index of the pending change.
    pub survivals: Vec<Survival>,
}

/// How many images of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// With up to so many pending changes all subsets are looked at.
    pub exhaustive: usize,
    /// Most images of each of the kinds alone, all-but, pair and random.
    pub each: usize,
    /// Most images with torn writes.
    pub torn: usize,
}

impl Limits {
    /// What a run looks at by default.
    pub const STANDARD: Limits = Limits {
        exhaustive: 5,
        each: 8,
        torn: 8,
    };
    /// What the second crash, during recovery, looks at.
    pub const NESTED: Limits = Limits {
        exhaustive: 3,
        each: 3,
        torn: 3,
    };
}

/// The images to look at. `repeated`: the point before had the same pending changes but the newest, and promised as
/// much, so images without the newest were looked at there.
pub fn fates(point: &CrashPoint<'_>, limits: Limits, repeated: bool, random: &mut Random) -> Vec<Fate> {
    let events: Vec<&Event> = point.pending().collect();
    let mut choice = FateChoice {
        count: events.len(),
        fates: Vec::new(),
        seen: HashSet::new(),
        repeated,
    };
    choice.whole(limits, random);
    choice.torn(&events, limits.torn, random);
    choice.fates
}

struct FateChoice {
    count: usize,
    fates: Vec<Fate>,
    seen: HashSet<Vec<u64>>,
    repeated: bool,
}

impl FateChoice {
    fn whole(&mut self, limits: Limits, random: &mut Random) {
        let n = self.count;
        self.add(ImageKind::None, |_| false);
        self.add(ImageKind::All, |_| true);
        if n <= limits.exhaustive {
            for mask in 0..1_u64 << n {
                self.add(ImageKind::Subset, |i| mask >> i & 1 == 1);
            }
            return;
        }
        for one in sample(n, limits.each, random) {
            self.add(ImageKind::Alone, |i| i == one);
        }
        for one in sample(n, limits.each, random) {
            self.add(ImageKind::AllBut, |i| i != one);
        }
        for _ in 0..limits.each {
            let (a, b) = (random.below(n), random.below(n));
            self.add(ImageKind::Pair, |i| i == a || i == b || self_newest(n, i));
        }
        for _ in 0..limits.each {
            let percent = random.pick(&[20, 50, 80]);
            let survives: Vec<bool> = (0..n).map(|_| random.chance(percent)).collect();
            self.add(ImageKind::Random, |i| survives[i] || self_newest(n, i));
        }
    }

    fn torn(&mut self, events: &[&Event], limit: usize, random: &mut Random) {
        let writes: Vec<(usize, usize)> = events
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(index, event)| match event {
                Event::Write { at, bytes, .. } => Some((index, sectors(*at, bytes.len()))),
                _ => None,
            })
            .filter(|(_, sectors)| *sectors > 1)
            .take(3)
            .collect();
        for turn in 0..limit {
            let Some((index, sectors)) = writes.get(turn % writes.len().max(1)).copied() else {
                return;
            };
            let torn = match turn % 2 {
                0 => Survival::First(random.between(1, sectors as u64 - 1) as usize),
                _ => Survival::Sectors(random.bits()),
            };
            let others = random.bits();
            let mut survivals: Vec<Survival> = (0..self.count)
                .map(|i| {
                    if others & 3 == 0 || (others & 3 == 1 && others >> (2 + i % 62) & 1 == 0) {
                        Survival::Lost
                    } else {
                        Survival::Whole
                    }
                })
                .collect();
            survivals[index] = torn;
            self.fates.push(Fate {
                kind: ImageKind::Torn,
                survivals,
            });
        }
    }

    fn add(&mut self, kind: ImageKind, survives: impl Fn(usize) -> bool) {
        if self.repeated && self.count > 0 && !survives(self.count - 1) {
            return;
        }
        let mut words = vec![0_u64; self.count.div_ceil(64)];
        (0..self.count)
            .filter(|i| survives(*i))
            .for_each(|i| words[i / 64] |= 1 << (i % 64));
        if self.seen.insert(words) {
            let fate = |i| if survives(i) { Survival::Whole } else { Survival::Lost };
            self.fates.push(Fate {
                kind,
                survivals: (0..self.count).map(fate).collect(),
            });
        }
    }
}

/// Pairs and random subsets take the newest change along: those without it belong to the points before.
fn self_newest(count: usize, index: usize) -> bool {
    index + 1 == count
}

/// Up to `most` different indices below `n`; the newest always among them.
fn sample(n: usize, most: usize, random: &mut Random) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    let mut picked = vec![n - 1];
    while picked.len() < most {
        let one = random.below(n);
        if !picked.contains(&one) {
            picked.push(one);
        }
    }
    picked
}

fn sectors(at: u64, len: usize) -> usize {
    if len == 0 {
        return 0;
    }
    ((at + len as u64 - 1) / SECTOR - at / SECTOR + 1) as usize
}
