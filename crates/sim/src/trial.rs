//! A store with the actions that a seed drew for it, whichever store it is.

use crate::random::Random;
use crate::subject::Subject;

/// A store and the actions drawn for it.
pub trait Trial: Sync {
    /// How many actions.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The engine side, with the actions of these numbers alone, the first being 0, and what the trial ends with.
    /// `faulty`: the disk is going to fail.
    ///
    /// # Errors
    /// In words: not even the store could be made.
    fn subject(&self, kept: &[usize], faulty: bool) -> Result<Box<dyn Subject + '_>, String>;

    /// The store and these actions, for a person to read.
    fn story(&self, kept: &[usize]) -> String;
}

/// What a trial is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Crashes and faults.
    Explore,
    /// Damage: it ends with everything closed.
    Damage,
    /// Damage to every bit: the same, and the store is small.
    Bits,
}

/// What decides who is killed when in a run of this seed, if anybody is: in one of two, of worn data sets too.
pub(crate) fn killing(seed: u64, purpose: Purpose) -> Option<Random> {
    let mut random = Random::new(seed ^ 0x006B_696C_6C73);
    (random.chance(50) && purpose == Purpose::Explore).then_some(random)
}
