//! Keys from the command line: text in the data set's code page, or bytes.

use crate::failure::{Failure, Status};
use crate::session::OpenedSession;
use cica_messages as messages;
use cica_qsam::CodePage;

/// Whether a key shorter than the data set's is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// It must have the full length.
    Full,
    /// The same, and nothing else would do.
    Exact,
    /// It may be the beginning of a key.
    Prefix,
}

/// The bytes of the key `text` for `data_set`. `hex` says that it is written in hexadecimal; X'..' always is.
pub fn key(text: &str, hex: bool, length: Length, opened: &OpenedSession) -> Result<Vec<u8>, Failure> {
    let quoted = text
        .strip_prefix("X'")
        .or_else(|| text.strip_prefix("x'"))
        .and_then(|t| t.strip_suffix('\''));
    let key = match quoted {
        Some(digits) => bytes_of(digits)?,
        None if hex => bytes_of(text)?,
        None => encoded(text, opened.page)?,
    };
    let wanted = usize::from(opened.data_set.attributes().key_length);
    let fits = match length {
        Length::Full | Length::Exact => key.len() == wanted,
        Length::Prefix => (1..=wanted).contains(&key.len()),
    };
    if fits {
        return Ok(key);
    }
    if wanted == 0 {
        let text = format!(
            "the records of {} have no keys; say --rrn or --rba, and the number",
            opened.name
        );
        return Err(Failure::new(Status::REFUSED, &messages::CICA0951E, text));
    }
    let hint = match (length, key.len() < wanted) {
        (Length::Full, true) => "; write it in full, or add --prefix for the first record whose key begins so",
        _ => "",
    };
    let text = format!(
        "the key {text} has {} bytes, the keys of {} have {wanted}{hint}",
        key.len(),
        opened.name
    );
    Err(Failure::new(Status::REFUSED, &messages::CICA0951E, text))
}

/// Text in the code page of a data set. Without an EBCDIC page, the bytes as they were typed.
pub fn encoded(text: &str, page: Option<CodePage>) -> Result<Vec<u8>, Failure> {
    match page.filter(|p| p.is_ebcdic()) {
        None => Ok(text.as_bytes().to_vec()),
        Some(page) => page
            .encode(text)
            .map_err(|e| Failure::new(Status::REFUSED, &messages::CICA0951E, format!("'{text}': {e}"))),
    }
}

/// Bytes from hexadecimal digits; blanks between them do not count.
pub fn bytes_of(digits: &str) -> Result<Vec<u8>, Failure> {
    let wrong = |what: String| {
        Failure::new(
            Status::REFUSED,
            &messages::CICA0951E,
            format!("{what}; write two digits 0-9, A-F for each byte"),
        )
    };
    let digits: Vec<char> = digits.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(c) = digits.iter().find(|c| !c.is_ascii_hexdigit()) {
        return Err(wrong(format!("'{}' is no hexadecimal digit", c.escape_default())));
    }
    if digits.len() % 2 != 0 {
        return Err(wrong(format!(
            "{} hexadecimal digits are not whole bytes",
            digits.len()
        )));
    }
    let value = |c: &char| c.to_digit(16).unwrap_or(0) as u8; // all are digits, see above
    Ok(digits
        .chunks(2)
        .map(|pair| value(&pair[0]) << 4 | value(&pair[1]))
        .collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_is_two_digits_a_byte() {
        assert_eq!(bytes_of("00fF 1a").unwrap(), [0, 255, 26]);
        assert!(bytes_of("123").is_err());
        assert!(bytes_of("0G").is_err());
        assert_eq!(bytes_of("").unwrap(), [0; 0]);
    }

    #[test]
    fn text_is_taken_in_the_code_page() {
        assert_eq!(encoded("A1", Some(CodePage::Ibm1047)).unwrap(), [0xC1, 0xF1]);
        assert_eq!(encoded("A1", None).unwrap(), b"A1");
        assert!(encoded("\u{4E2D}", Some(CodePage::Ibm1047)).is_err());
    }
}
