//! Where the records of a compressed ESDS stand, beside their turns, which are their RBAs to the model.
//!
//! Where a record stands follows from how long those before it are as they are stored, which the model does not know.
//!
//! * B1. RBAs go up with the turns.
//! * B2. A record stands for ever where the engine said that it put it: in each later look, open and life of a process,
//!   and in what a power cut leaves.

use crate::request::Request;
use crate::shape::Shape;
use std::sync::{Mutex, PoisonError};

/// What lies between two turns: more than the longest record.
const TURN: u64 = 1 << 20;
/// Behind all records.
const FAR: u64 = 1 << 40;

/// The RBA, as the model has it, of the record whose turn is this, the first being 0.
pub fn of_turn(turn: usize) -> u64 {
    turn as u64 * TURN
}

/// Gives records that are shown with their RBAs, all from the first on, those that the model has.
pub fn renumber(shape: &Shape, shown: &mut [Vec<u8>]) {
    for (turn, record) in shown.iter_mut().enumerate() {
        record.splice(..shape.key_length, shape.numbered(of_turn(turn)));
    }
}

/// The RBAs by turn.
#[derive(Debug, Clone, Default)]
pub struct Rbas {
    by_turn: Vec<u64>,
}

impl Rbas {
    /// All of them.
    pub fn all(&self) -> &[u64] {
        &self.by_turn
    }

    /// A record was added there.
    ///
    /// # Errors
    /// It is not behind the last one (B1).
    pub fn add(&mut self, rba: u64) -> Result<(), String> {
        match self.by_turn.last() {
            Some(last) if *last >= rba => Err(format!("a record was added at RBA {rba}, the last one is at {last}")),
            _ => {
                self.by_turn.push(rba);
                Ok(())
            }
        }
    }

    /// Takes what another process finds for what is there: as many as there may be, none of them elsewhere.
    ///
    /// # Errors
    /// One stands elsewhere than before (B2), or they are out of order (B1).
    pub fn learn(&mut self, found: Vec<u64>) -> Result<(), String> {
        let both = self.by_turn.len().min(found.len());
        self.agree(both, &found)?;
        self.by_turn.truncate(both);
        found[both..].iter().try_for_each(|rba| self.add(*rba))
    }

    /// Compares them with what was read.
    ///
    /// # Errors
    /// One stands elsewhere than before (B2). How many there are the model says.
    pub fn check(&self, found: &[u64]) -> Result<(), String> {
        self.agree(self.by_turn.len().min(found.len()), found)
    }

    fn agree(&self, turns: usize, found: &[u64]) -> Result<(), String> {
        let mut both = self.by_turn.iter().zip(found).take(turns).enumerate();
        match both.find(|(_, (known, found))| known != found) {
            None => Ok(()),
            Some((turn, (known, found))) => Err(format!(
                "record {} was put at RBA {known} and is found at {found}",
                turn + 1
            )),
        }
    }

    /// The same request with the RBAs that the engine knows.
    pub fn request(&self, shape: &Shape, request: &Request) -> Request {
        use Request::*;
        let mut request = request.clone();
        if let Get { key, .. }
        | GetInto { key, .. }
        | Skip { key, .. }
        | Point { key, .. }
        | PointBackward { key, .. }
        | Rewrite { key, .. } = &mut request
        {
            *key = shape.numbered(self.real(shape.number(key)));
        } else if let GetRba { key, plus, .. } = &mut request {
            *key = shape.numbered(self.real(shape.number(key).saturating_add(*plus)));
            *plus = 0;
        }
        request
    }

    /// An RBA of the model's; one inside a record stays inside: as it is stored the shortest has two bytes.
    fn real(&self, rba: u64) -> u64 {
        let turn = usize::try_from(rba / TURN).unwrap_or(usize::MAX);
        match (self.by_turn.get(turn), self.by_turn.get(turn.saturating_add(1))) {
            (None, _) => rba.saturating_add(FAR),
            (Some(here), None) => here + (rba % TURN).min(1),
            (Some(here), Some(next)) => here + (rba % TURN).min(next - here - 1),
        }
    }
}

/// What a run was told, for who looks later at what a power cut left of it.
#[derive(Debug, Default)]
pub struct Told(Mutex<Vec<Rbas>>);

impl Told {
    /// A run begins.
    pub fn begin(&self) {
        self.all().clear();
    }

    /// The run knows them now. What came to them replaces what was known; after a RESET, or where a record that nobody
    /// was told of made room for another one, both count.
    pub fn note(&self, now: &Rbas) {
        let mut all = self.all();
        match all.last_mut() {
            Some(last) if now.by_turn.starts_with(&last.by_turn) => last.clone_from(now),
            _ => all.push(now.clone()),
        }
    }

    /// Compares with what was found. Of the last record the run may not have been told.
    ///
    /// # Errors
    /// At no moment of the run they stood there (B2), or they are out of order (B1).
    pub fn check(&self, found: &[u64]) -> Result<(), String> {
        Rbas::default().learn(found.to_vec())?;
        let known = found.split_last().map_or(found, |(_, known)| known);
        let all = self.all();
        let mut why = Ok(());
        for told in all.iter() {
            why = told.check(known);
            if why.is_ok() {
                break;
            }
        }
        why
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Rbas>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(by_turn: &[u64]) -> Rbas {
        let by_turn = by_turn.to_vec();
        Rbas { by_turn }
    }

    #[test]
    fn rbas_go_up_and_stay() {
        let mut rbas = of(&[0, 30]);
        assert!(rbas.add(30).is_err());
        rbas.add(31).unwrap();
        assert!(rbas.check(&[0, 30]).is_ok());
        assert!(rbas.check(&[0, 29, 31]).is_err());
        assert!(rbas.learn(vec![0, 29]).is_err());
        rbas.learn(vec![0]).unwrap();
        rbas.learn(vec![0, 40]).unwrap();
        assert_eq!(rbas.by_turn, [0, 40]);
    }

    #[test]
    fn what_a_cut_leaves_stood_there_at_some_moment_but_for_the_last() {
        let told = Told::default();
        assert!(told.check(&[0, 9]).is_ok(), "nothing was told");
        told.note(&of(&[0, 30]));
        told.note(&of(&[0, 30, 60]));
        told.note(&of(&[0, 20]));
        for left in [&[][..], &[7], &[0, 30, 60], &[0, 20], &[0, 30, 61], &[0, 20, 40]] {
            assert!(told.check(left).is_ok(), "{left:?}");
        }
        for wrong in [&[0, 30, 30][..], &[0, 31, 60], &[1, 30, 60], &[5, 4]] {
            assert!(told.check(wrong).is_err(), "{wrong:?}");
        }
        told.begin();
        assert!(told.check(&[0, 31, 60]).is_ok());
    }
}
