//! The known name nearest to a mistyped one, for the remedy in a message.

use strsim::levenshtein;

/// The candidate within two edits of `word` (one for words of three letters or fewer), or none when nothing is near.
pub(crate) fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let allowed = if word.len() <= 3 { 1 } else { 2 };
    let ranked = candidates
        .iter()
        .map(|candidate| (levenshtein(word, candidate), *candidate));
    ranked
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= allowed)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KEYS: [&str; 5] = ["RECFM", "LRECL", "BLKSIZE", "CODEPAGE", "BDW"];

    #[test]
    fn a_near_word_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("LREC", &KEYS), Some("LRECL"));
        assert_eq!(nearest("BLOKSIZE", &KEYS), Some("BLKSIZE"));
        assert_eq!(nearest("BWD", &KEYS), None);
        assert_eq!(nearest("BD", &KEYS), Some("BDW"));
        assert_eq!(nearest("DISP", &KEYS), None);
        assert_eq!(nearest("", &KEYS), None);
    }
}
