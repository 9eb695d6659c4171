//! Makes a failing list of requests short: delta debugging, so that a failure can be read.

/// The shortest list found of which `fails` still holds, dropping ever smaller runs of items; at most `tries` trials.
/// `items` itself must fail.
pub fn shrink<T: Clone>(items: &[T], mut tries: usize, mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut kept = items.to_vec();
    let mut run = kept.len().div_ceil(2).max(1);
    loop {
        let before = kept.len();
        let mut at = 0;
        while at < kept.len() {
            if tries == 0 {
                return kept;
            }
            tries -= 1;
            let end = (at + run).min(kept.len());
            let trial: Vec<T> = kept[..at].iter().chain(&kept[end..]).cloned().collect();
            if fails(&trial) {
                kept = trial;
            } else {
                at = end;
            }
        }
        if run == 1 && kept.len() == before {
            return kept;
        }
        if kept.len() == before || run > 1 {
            run = (run / 2).max(1);
        }
    }
}

/// Shrinks a list that fails so as long as it fails in the same way; gives the list and its failure.
pub fn shrink_failure<T: Clone, F: ToString>(
    items: &[T],
    tries: usize,
    first: F,
    mut failure: impl FnMut(&[T]) -> Option<F>,
) -> (Vec<T>, F) {
    let (class, mut last) = (class(&first.to_string()), first);
    let shortest = shrink(items, tries, |kept| match failure(kept) {
        Some(found) if self::class(&found.to_string()) == class => {
            last = found;
            true
        }
        _ => false,
    });
    (shortest, last)
}

/// What is left of a failure's words without numbers, keys, names and what stands in parentheses.
fn class(what: &str) -> Vec<String> {
    let mut depth = 0;
    let plain: String = what
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        })
        .collect();
    let words = plain.split(|c: char| !(c.is_ascii_alphanumeric() || "./'".contains(c)));
    let kept = words.filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()));
    kept.map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_failure_needs_is_left() {
        let items: Vec<u32> = (0..500).collect();
        let needs = |kept: &[u32]| [3, 4, 250, 499].iter().all(|needed| kept.contains(needed));
        assert_eq!(shrink(&items, 10_000, needs), [3, 4, 250, 499]);
    }

    #[test]
    fn the_number_of_trials_is_bounded_and_the_result_still_fails() {
        let items: Vec<u32> = (0..500).collect();
        let mut trials = 0;
        let kept = shrink(&items, 20, |kept| {
            trials += 1;
            kept.contains(&77)
        });
        assert_eq!(trials, 20);
        assert!(kept.contains(&77) && kept.len() < 500);
    }

    #[test]
    fn a_failure_shrinks_only_to_one_of_its_kind() {
        let items: Vec<u32> = (0..100).collect();
        let failure = |kept: &[u32]| match (kept.contains(&7), kept.len()) {
            (true, n) => Some(format!("image {n}.1 (all): EXAMINE: Data CI {n}: a record is lost")),
            (false, n) => Some(format!("request {n} (next 0 nup): expected 0/0, got 8/4")),
        };
        let (shortest, what) = shrink_failure(&items, 1000, failure(&items).expect("some"), failure);
        assert_eq!(
            (shortest, what.as_str()),
            (vec![7], "image 1.1 (all): EXAMINE: Data CI 1: a record is lost")
        );
    }

    #[test]
    fn what_fails_always_shrinks_to_nothing() {
        assert_eq!(shrink(&[1, 2, 3], 100, |_| true), Vec::<i32>::new());
    }
}
