//! The word the user may have meant.

/// The candidate that differs from `word` in the fewest letters, if it is near enough to be a slip of the fingers.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        0..=2 => return None,
        // No keyword is as long; comparing would only cost time.
        30.. => return None,
        3..=5 => 1,
        _ => 2,
    };
    candidates
        .map(|c| (distance(word, c), c))
        .filter(|(d, c)| *d <= limit && *d < c.len())
        .min_by_key(|(d, c)| (*d, c.len()))
        .map(|(_, c)| c)
}

/// Letters to insert, delete, replace or swap with the neighbour to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_or_a_missing_letter_is_near() {
        let words = ["CYLINDERS", "TRACKS", "KEYS"];
        assert_eq!(nearest("CYLINDRES", words.into_iter()), Some("CYLINDERS"));
        assert_eq!(nearest("TRACK", words.into_iter()), Some("TRACKS"));
        assert_eq!(nearest("KYES", words.into_iter()), Some("KEYS"));
    }

    #[test]
    fn another_word_is_not_near() {
        assert_eq!(nearest("VOLUMES", ["CYLINDERS", "TRACKS"].into_iter()), None);
        assert_eq!(nearest("KS", ["KEYS"].into_iter()), None);
    }
}
