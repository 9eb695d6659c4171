//! Do records look like EBCDIC? Blanks, digits and letters are elsewhere than in ASCII.

/// Bytes that are looked at.
pub const LOOKED_AT: usize = 4096;

/// Whether nearly all of these bytes are characters in EBCDIC, and few of them in ASCII. Packed and binary numbers
/// among them are in neither code.
pub fn like_ebcdic(bytes: &[u8]) -> bool {
    let ebcdic = |byte: &&u8| {
        matches!(byte, 0x40 | 0x4B..=0x50 | 0x5A..=0x61 | 0x6B..=0x6F | 0x7A..=0x7F | 0x81..=0x89 | 0x91..=0x99
            | 0xA2..=0xA9 | 0xC0..=0xC9 | 0xD0..=0xD9 | 0xE2..=0xE9 | 0xF0..=0xF9)
    };
    let ascii = |byte: &&u8| matches!(byte, b'\n' | b'\r' | b' '..=b'~');
    let high = |byte: &&u8| **byte >= 0x80;
    let count = |what: &dyn Fn(&&u8) -> bool| bytes.iter().filter(|byte| what(byte)).count();
    // UTF-8 has high bytes too, but is mostly ASCII where it is of one of our alphabets, and valid where it is not.
    bytes.len() >= 16
        && std::str::from_utf8(bytes).is_err()
        && count(&ebcdic) * 10 >= bytes.len() * 7
        && count(&high) * 10 >= bytes.len() * 3
        && count(&ebcdic) > count(&ascii)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cica_qsam::CodePage;

    #[test]
    fn text_of_either_code_is_known() {
        let text = "0000123456 SMITH, JOHN          2026-11-23 000012.50 PURCHASE   GROCERY STORE      ";
        let page = CodePage::parse("IBM-1047").expect("a page");
        let mut ebcdic = page.encode(text).expect("characters of the page");
        assert!(like_ebcdic(&ebcdic));
        // With a packed number and a binary one in it.
        ebcdic.extend_from_slice(&[0x00, 0x01, 0x23, 0x4C, 0, 0, 1, 2]);
        assert!(like_ebcdic(&ebcdic));
        for other in [
            text.as_bytes(),
            "Gr\u{f6}\u{df}e \u{fc}ber alles, na\u{ef}ve fa\u{e7}ade, 12345".as_bytes(),
            "\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}, \u{43c}\u{438}\u{440} \u{43a}\u{430}\u{43a}".as_bytes(),
            &[0; 80],
            &[0xFF; 80],
            b"short",
            b"",
        ] {
            assert!(!like_ebcdic(other), "{other:?}");
        }
        let binary: Vec<u8> = (0..=255).collect();
        assert!(!like_ebcdic(&binary));
    }
}
