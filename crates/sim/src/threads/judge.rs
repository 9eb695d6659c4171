//! What a power cut may leave of the records that threads changed (see T3).

use super::store::State;
use super::work::{Deed, Promise};
use crate::explain::RequestAnswer;

/// The requests about a record.
pub fn of(deeds: &[Deed], key: u64) -> impl Iterator<Item = &Deed> {
    deeds.iter().filter(move |deed| deed.event.key == key)
}

/// What is known of a run, to judge what a cut leaves (T3).
pub struct ThreadJudge {
    /// The records before all.
    pub first: State,
    /// What the threads did.
    pub deeds: Vec<Deed>,
    /// What was promised.
    pub promises: Vec<Promise>,
    /// How many keys there are.
    pub keys: u64,
}

impl ThreadJudge {
    /// Whether these records may be what a power cut after so many events leaves.
    ///
    /// # Errors
    /// In words: why not.
    pub fn check(&self, cut: usize, left: &State) -> Result<(), String> {
        for key in 0..self.keys {
            let found = left.get(&key).copied();
            let changes: Vec<&Deed> = of(&self.deeds, key).filter(|deed| result(deed).is_some()).collect();
            let mut durable = changes.iter().filter(|deed| self.is_durable(deed, cut));
            // The last of those that are durable to begin: what ended before that is gone.
            let latest = durable.by_ref().map(|deed| deed.event.begin).max();
            let stands = |end: u64| latest.is_none_or(|begin| begin <= end);
            let first = found == self.first.get(&key).copied() && latest.is_none();
            let mut begun = changes.iter().filter(|deed| deed.begun < cut && stands(deed.event.end));
            if !first && !begun.any(|deed| result(deed) == Some(found)) {
                let listed: Vec<String> = changes.iter().map(|deed| format!("  {deed:?}")).collect();
                return Err(format!(
                    "record {key} has {found:?}; it had {:?}, and its changes were\n{}\nthe commits {:?}",
                    self.first.get(&key),
                    listed.join("\n"),
                    self.promises
                ));
            }
        }
        Ok(())
    }

    /// Whether a change that was answered was durable when the power was cut.
    fn is_durable(&self, deed: &Deed, cut: usize) -> bool {
        let by_itself = deed.durable.is_some_and(|events| events <= cut);
        let covers = |promise: &Promise| promise.events <= cut && promise.began > deed.event.end;
        deed.answered && (by_itself || self.promises.iter().any(covers))
    }
}

/// What a change leaves of its record; none for what changes nothing.
fn result(deed: &Deed) -> Option<Option<u64>> {
    match deed.event.answer {
        RequestAnswer::Inserted(value) | RequestAnswer::Updated(_, value) | RequestAnswer::Rewritten(value) => {
            Some(Some(value))
        }
        RequestAnswer::Erased(_) => Some(None),
        RequestAnswer::Got(_) | RequestAnswer::Duplicate => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::Event;

    fn deed(begin: u64, end: u64, begun: usize, answer: RequestAnswer) -> Deed {
        Deed {
            event: Event {
                key: 0,
                begin,
                end,
                answer,
            },
            begun,
            durable: None,
            answered: end < u64::MAX,
        }
    }

    fn allowed(judge: &ThreadJudge, cut: usize) -> Vec<Option<u64>> {
        let states = [None, Some(1), Some(2), Some(3)];
        let left = |state: &Option<u64>| state.iter().map(|value| (0, *value)).collect();
        states
            .into_iter()
            .filter(|state| judge.check(cut, &left(state)).is_ok())
            .collect()
    }

    #[test]
    fn a_cut_leaves_what_had_begun_and_was_not_overtaken_by_what_is_durable() {
        let mut judge = ThreadJudge {
            first: State::from([(0, 1)]),
            deeds: vec![
                deed(0, 1, 10, RequestAnswer::Updated(1, 2)),
                deed(4, 5, 20, RequestAnswer::Erased(2)),
                deed(6, u64::MAX, 30, RequestAnswer::Inserted(3)),
            ],
            promises: vec![Promise { began: 2, events: 15 }],
            keys: 1,
        };
        assert_eq!(allowed(&judge, 10), [Some(1)]);
        assert_eq!(allowed(&judge, 14), [Some(1), Some(2)]);
        assert_eq!(allowed(&judge, 15), [Some(2)]);
        assert_eq!(allowed(&judge, 30), [None, Some(2)]);
        assert_eq!(allowed(&judge, 31), [None, Some(2), Some(3)]);
        judge.deeds[1].durable = Some(25);
        assert_eq!(allowed(&judge, 24), [None, Some(2)]);
        assert_eq!(allowed(&judge, 40), [None, Some(3)]);
        // Two at once may have come in either order.
        judge.deeds.push(deed(3, 8, 18, RequestAnswer::Updated(2, 1)));
        assert_eq!(allowed(&judge, 40), [None, Some(1), Some(3)]);
    }
}
