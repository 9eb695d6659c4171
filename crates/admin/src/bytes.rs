//! How bytes of records are told: as characters, in hexadecimal, and as keys in messages.
//!
//! 1. A character stands for one byte: what the code page does not make printable is a period.

use cica_qsam::CodePage;

/// One character for each byte.
pub fn characters(bytes: &[u8], page: Option<CodePage>) -> String {
    let printable = |c: char| if c.is_control() { '.' } else { c };
    match page {
        Some(page) => page.decode(bytes).chars().map(printable).collect(),
        // No code page was stated: only what ASCII has is known to be a character.
        None => bytes
            .iter()
            .map(|b| if b.is_ascii() { printable(char::from(*b)) } else { '.' })
            .collect(),
    }
}

/// Two digits for each byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 0xF)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(*b)]).collect()
}

/// A key in a message: characters when all are printable, else X'..'.
pub fn shown(key: &[u8], page: Option<CodePage>) -> String {
    let text = characters(key, page);
    let dots = key
        .iter()
        .zip(text.chars())
        .any(|(b, c)| c == '.' && !stands_for_period(*b, page));
    if dots || text.trim().is_empty() {
        format!("X'{}'", hexadecimal(key))
    } else {
        text
    }
}

fn stands_for_period(byte: u8, page: Option<CodePage>) -> bool {
    match page {
        Some(page) => page.decode(&[byte]) == ".",
        None => byte == b'.',
    }
}

/// The page that characters without a stated one are taken in when they are converted.
pub fn or_ascii(page: Option<CodePage>) -> CodePage {
    page.unwrap_or(CodePage::Iso8859_1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_go_by_the_code_page() {
        assert_eq!(characters(b"\xC1\xF1\x00", Some(CodePage::Ibm1047)), "A1.");
        assert_eq!(characters(b"A\xC1\x7F\n", None), "A...");
        assert_eq!(characters(b"\xE4", Some(CodePage::Iso8859_1)), "\u{E4}");
    }

    #[test]
    fn keys_in_messages_are_text_only_when_that_tells_them_apart() {
        assert_eq!(shown(b"00000001", None), "00000001");
        assert_eq!(shown(b"A.1", None), "A.1");
        assert_eq!(shown(b"A\x001", None), "X'410031'");
        assert_eq!(shown(b"    ", None), "X'20202020'");
        assert_eq!(shown(b"\xF0\x4B", Some(CodePage::Ibm037)), "0.");
    }
}
