//! How PRINT shows bytes: the rows of one record in each of its three forms, and the line above them.
//!
//! ```text
//! CHARACTER  KEY OF RECORD - A001          HEX  KEY OF RECORD - 41303031
//!            A001 SMITH                         4130303120534D495448
//!
//! DUMP       KEY OF RECORD - 41303031
//!            0000   41303031 20534D49 5448                              *A001 SMITH                      *
//! ```
//!
//! 1. A row is at most [`WIDTH`] characters, and each byte of the record is shown in exactly one place of a form.
//! 2. A character stands for one byte: what the code page does not make printable is a period.

use crate::sysprint::WIDTH;
use cica_qsam::CodePage;

/// Bytes in a row of DUMP.
const DUMP_BYTES: usize = 32;

/// The form PRINT was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// CHARACTER
    Character,
    /// HEX
    Hex,
    /// DUMP, which is the default.
    Dump,
}

impl Form {
    /// The rows of a record. A record without bytes has one empty row.
    pub fn rows(self, record: &[u8], page: Option<CodePage>) -> Vec<String> {
        if record.is_empty() {
            return vec![String::new()];
        }
        match self {
            Form::Character => record.chunks(WIDTH).map(|bytes| characters(bytes, page)).collect(),
            Form::Hex => record.chunks(WIDTH / 2).map(hexadecimal).collect(),
            Form::Dump => (0..)
                .step_by(DUMP_BYTES)
                .zip(record.chunks(DUMP_BYTES))
                .map(|(offset, bytes)| dump_row(offset, bytes, page))
                .collect(),
        }
    }

    /// A key as the line above the record shows it.
    pub fn key(self, key: &[u8], page: Option<CodePage>) -> String {
        match self {
            Form::Character => characters(key, page),
            Form::Hex | Form::Dump => hexadecimal(key),
        }
    }
}

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

/// Offset, two groups of four words, and the characters.
fn dump_row(offset: usize, bytes: &[u8], page: Option<CodePage>) -> String {
    let words: Vec<String> = bytes.chunks(4).map(hexadecimal).collect();
    let (left, right) = words.split_at(words.len().min(4));
    let text = characters(bytes, page);
    format!(
        "{offset:04X}   {:35}  {:35}   *{text:DUMP_BYTES$}*",
        left.join(" "),
        right.join(" ")
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_row_has_its_columns() {
        let row = dump_row(0x20, b"A001 SMITH\x00\xFF", None);
        assert_eq!(row.find("41303031"), Some(7));
        assert_eq!(row.find('*'), Some(82));
        assert_eq!(row.len(), 116);
        assert!(row.ends_with("*A001 SMITH..                    *"), "{row}");
        let full: Vec<u8> = (0x30..0x50).collect();
        let row = dump_row(0, &full, None);
        assert!(
            row.starts_with("0000   30313233 34353637 38393A3B 3C3D3E3F  40414243"),
            "{row}"
        );
        assert_eq!(row.len(), 116);
    }

    #[test]
    fn rows_hold_each_byte_once() {
        for length in [1, 32, 33, 60, 61, 120, 121, 1000] {
            let record: Vec<u8> = (0..length).map(|i| b'a' + (i % 26) as u8).collect();
            let text = String::from_utf8(record.clone()).unwrap();
            assert_eq!(Form::Character.rows(&record, None).concat(), text);
            assert_eq!(Form::Hex.rows(&record, None).concat(), hexadecimal(&record));
            let dumped: String = Form::Dump
                .rows(&record, None)
                .iter()
                .map(|row| row[7..79].replace(' ', ""))
                .collect();
            assert_eq!(dumped, hexadecimal(&record));
        }
        assert_eq!(Form::Dump.rows(b"", None), [""]);
    }

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
