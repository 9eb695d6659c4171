//! What threads asked and were answered, and whether some order of the requests, one at a time, explains it: each
//! request at a moment between its call and its return. Records do not depend on each other, so each is looked at
//! alone.

use std::collections::HashSet;

/// A request's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestAnswer {
    /// The record's value, or that there is none.
    Got(Option<u64>),
    /// There was none; now it has this value.
    Inserted(u64),
    /// There was one.
    Duplicate,
    /// From the value that was held to another.
    Updated(u64, u64),
    /// Got another value, whatever it had.
    Rewritten(u64),
    /// It had the value that was held; now there is none.
    Erased(u64),
}

/// A request, from its call to its return, by a clock that all threads share.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// The record.
    pub key: u64,
    /// When it was called.
    pub begin: u64,
    /// When it returned.
    pub end: u64,
    /// The answer.
    pub answer: RequestAnswer,
}

/// One record's next state, if the answer is right in this one.
fn step(state: Option<u64>, answer: RequestAnswer) -> Option<Option<u64>> {
    match (answer, state) {
        (RequestAnswer::Got(value), _) if value == state => Some(state),
        (RequestAnswer::Inserted(value), None) => Some(Some(value)),
        (RequestAnswer::Duplicate, Some(_)) => Some(state),
        (RequestAnswer::Updated(from, to), Some(value)) if value == from => Some(Some(to)),
        (RequestAnswer::Rewritten(to), Some(_)) => Some(Some(to)),
        (RequestAnswer::Erased(from), Some(value)) if value == from => Some(None),
        _ => None,
    }
}

/// Looks for an order of one record's events, `first` being the state before them all (Wing and Gong's search; states
/// that were in vain are not tried twice). Tells the longest prefix that has one if there is none.
pub fn explain(first: Option<u64>, mut events: Vec<Event>) -> Result<(), String> {
    events.sort_by_key(|event| event.begin);
    let count = events.len();
    let mut done = vec![false; count];
    let mut tried: HashSet<(Vec<bool>, usize, Option<u64>)> = HashSet::new();
    let mut chosen: Vec<(usize, Option<u64>)> = Vec::new();
    let (mut state, mut from, mut longest) = (first, 0, 0);
    loop {
        let low = done.iter().position(|done| !done).unwrap_or(count);
        if low == count {
            return Ok(());
        }
        longest = longest.max(low);
        // Whoever began after another ended must come after it.
        let earliest = (low..count)
            .filter(|&i| !done[i])
            .map(|i| events[i].end)
            .min()
            .unwrap_or(0);
        let may = |i: &usize| !done[*i] && events[*i].begin <= earliest;
        let next = (from.max(low)..count)
            .take_while(|&i| events[i].begin <= earliest)
            .filter(may)
            .find_map(|i| {
                let next = step(state, events[i].answer)?;
                let mut window = done[low..].to_vec();
                window[i - low] = true;
                let end = window.iter().rposition(|done| *done).map_or(0, |last| last + 1);
                window.truncate(end);
                tried.insert((window, low, next)).then_some((i, next))
            });
        match next {
            Some((i, next)) => {
                chosen.push((i, state));
                done[i] = true;
                (state, from) = (next, 0);
            }
            None => {
                let Some((i, before)) = chosen.pop() else {
                    let around = &events[longest.saturating_sub(6)..count.min(longest + 6)];
                    return Err(format!("no order of the requests explains: {around:#?}"));
                };
                done[i] = false;
                (state, from) = (before, i + 1);
            }
        }
    }
}
