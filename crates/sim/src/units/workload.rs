//! Draws the actions of a run: mostly changes in units, some of them at records that another unit keeps.

use super::oracle::{next, UnitAction, UnitOracle, ValuesByKey, DOUBTS, ESDS, SETS, UNITS};
use crate::random::Random;

/// What is in the data sets at the start, and what is done.
#[derive(Debug, Clone)]
pub struct UnitsWorkload {
    /// Records at the start.
    pub start: [ValuesByKey; SETS],
    /// What is done.
    pub actions: Vec<UnitAction>,
}

impl UnitsWorkload {
    /// The run of a seed.
    pub fn new(seed: u64, actions: usize) -> UnitsWorkload {
        let mut random = Random::new(seed ^ 0x0075_6E69_7473);
        // In one seed of four no unit is prepared.
        let prepares = seed % 4 != 2;
        let many = random.between(2, 30) as u32;
        let start: [ValuesByKey; SETS] = std::array::from_fn(|set| {
            let step = if set == ESDS { 1 } else { 3 };
            (1..=many).map(|n| (n * step, 0)).collect()
        });
        let mut oracle = UnitOracle::new(start.clone());
        let drawn = (0..actions).map(|_| {
            let action = draw(&mut random, &oracle, many * 3 + 6, prepares);
            oracle.apply(action);
            action
        });
        let actions = drawn.collect();
        UnitsWorkload { start, actions }
    }
}

fn draw(random: &mut Random, oracle: &UnitOracle, keys: u32, prepares: bool) -> UnitAction {
    let unit = random.below(UNITS);
    match random.below(if prepares { 110 } else { 100 }) {
        0..76 => change(random, oracle, unit, keys),
        76..84 if oracle.is_open(unit) => UnitAction::Commit(unit),
        84..92 if oracle.is_open(unit) => UnitAction::BackOut(unit),
        92..95 => UnitAction::Checkpoint(random.below(SETS)),
        95..97 => UnitAction::Flush,
        97..99 => UnitAction::Reopen(random.below(SETS)),
        99 => change(random, oracle, unit, keys),
        100..105 if oracle.is_open(unit) => UnitAction::Prepare(unit, random.below(DOUBTS)),
        105..110 => UnitAction::Decide(random.below(DOUBTS), random.chance(50)),
        _ => change(random, oracle, unit, keys),
    }
}

fn change(random: &mut Random, oracle: &UnitOracle, unit: usize, keys: u32) -> UnitAction {
    let (set, value) = (random.below(SETS), random.bits() as u32);
    // Without a unit the first data set alone is changed; see the oracle.
    let by = Some(unit).filter(|_| set > 0 || random.chance(80));
    let next = next(oracle.records(set));
    let key = match set {
        ESDS if random.chance(50) => next,
        _ if random.chance(10) && !oracle.changed_in(set).is_empty() => {
            let changed = oracle.changed_in(set);
            changed[random.below(changed.len())]
        }
        ESDS => random.between(1, u64::from(next)) as u32,
        _ => random.between(1, u64::from(keys)) as u32,
    };
    if set != ESDS && random.chance(30) {
        UnitAction::Erase { by, set, key }
    } else {
        UnitAction::Put { by, set, key, value }
    }
}
