//! The known name nearest to a mistyped one, for the remedy in a message.

/// The candidate within two edits of `word` (one for words of three letters or fewer), or none when nothing is near.
pub(crate) fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let allowed = if word.len() <= 3 { 1 } else { 2 };
    let ranked = candidates.iter().map(|candidate| (edits(word, candidate), *candidate));
    ranked
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= allowed)
        .map(|(_, name)| name)
}

/// Levenshtein's distance in bytes: insertions, deletions and replacements that lead from one word to the other.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
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
