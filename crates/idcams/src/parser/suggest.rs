//! The word the user may have meant.

use strsim::osa_distance;

/// The candidate that differs from `word` in the fewest letters (two that changed places count once), if it is near
/// enough to be a slip of the fingers.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        0..=2 => return None,
        // No keyword is as long; comparing would only cost time.
        30.. => return None,
        3..=5 => 1,
        _ => 2,
    };
    candidates
        .map(|c| (osa_distance(word, c), c))
        .filter(|(d, c)| *d <= limit && *d < c.len())
        .min_by_key(|(d, c)| (*d, c.len()))
        .map(|(_, c)| c)
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
