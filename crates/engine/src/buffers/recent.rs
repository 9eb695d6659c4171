//! What a string's buffers hold, by when it was used last.
//!
//! In 1979 each buffer was searched, so a get took longer with each buffer more. Here it is looked up.

use std::collections::{BTreeMap, HashMap};

/// CIs, each with the turn of its last use.
///
/// * H1. `turns` and `order` have the same pairs, so a CI has one turn.
#[derive(Default)]
pub struct Recent {
    turns: HashMap<u32, u64>,
    order: BTreeMap<u64, u32>,
    turn: u64,
}

impl Recent {
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The one unused longest.
    pub fn oldest(&self) -> Option<u32> {
        self.order.first_key_value().map(|(_, ci)| *ci)
    }

    /// Is it there? Then it is the one used last.
    pub fn touch(&mut self, ci: u32) -> bool {
        let Some(turn) = self.turns.get_mut(&ci) else {
            return false;
        };
        self.order.remove(turn);
        self.turn += 1;
        *turn = self.turn;
        self.order.insert(self.turn, ci);
        true
    }

    /// It is there now, and the one used last.
    pub fn keep(&mut self, ci: u32) {
        if !self.touch(ci) {
            self.turn += 1;
            self.turns.insert(ci, self.turn);
            self.order.insert(self.turn, ci);
        }
    }

    /// Those unused longest go, until so many are left.
    pub fn shrink(&mut self, most: usize) {
        while self.len() > most {
            if let Some((_, ci)) = self.order.pop_first() {
                self.turns.remove(&ci);
            }
        }
    }

    pub fn remove(&mut self, ci: u32) {
        if let Some(turn) = self.turns.remove(&ci) {
            self.order.remove(&turn);
        }
    }

    pub fn clear(&mut self) {
        self.turns.clear();
        self.order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Against a list that is searched, as it was done in 1979.
    #[test]
    fn it_gives_up_what_a_list_would() {
        let (mut recent, mut list) = (Recent::default(), VecDeque::new());
        let mut random = 12345_u32;
        for step in 0..20_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let ci = random >> 16 & 31;
            let there = list.iter().position(|held| *held == ci);
            if step % 17 == 0 {
                recent.remove(ci);
                there.map(|at| list.remove(at));
            } else if step % 1009 == 0 {
                recent.clear();
                list.clear();
            } else {
                assert_eq!(recent.touch(ci), there.is_some());
                there.map(|at| list.remove(at));
                list.push_back(ci);
                recent.keep(ci);
                recent.shrink(12);
                list.drain(..list.len().saturating_sub(12));
            }
            assert_eq!(recent.oldest(), list.front().copied());
            assert_eq!(recent.len(), list.len());
        }
    }
}
