//! A data set in EBCDIC under a program in ASCII: which of a record's bytes are translated at the border, and how.
//!
//! The program has its records in ASCII, the data set in its code page; everything behind the border, keys, order and
//! locks, is the data set's. Bytes that the copybook calls text go through the code page's table. A digit with a sign in
//! it is not a character but a number:
//!
//! | on the data set | in the program (cobc's default) | with SIGN=EBCDIC |
//! |---|---|---|
//! | X'C0' to X'C9', and X'F0' to X'F9', which is only kept | `0` to `9` | by the code page, as text |
//! | X'D0' to X'D9' | `p` to `y` | by the code page, as text |
//! | the letters p to y | what stood for X'D0' to X'D9', so that nothing is lost | by the code page, as text |
//! | all others | by the code page | by the code page |
//!
//! 1. What is not said to be text is never changed.
//! 2. A record that is read and written back is the same. X'F0' to X'F9' where a sign is, which stand for the same numbers
//!    as X'C0' to X'C9', are kept by REWRITE of the record read last as long as the number is; its key too.

use crate::fd::Fd;
use cica_copybook::{self as copybook, ByteKind, ByteRun, RecordLayout};
use cica_disk::FileReader;
use cica_qsam::{CodePage, Translation};
use std::io::Read;
use std::path::Path;

/// What a DD text says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedCodeSet {
    /// COPYBOOK: its path; none: records are characters throughout, which only sequential files may be.
    pub copybook: Option<String>,
    /// CODEPAGE.
    pub page: Option<CodePage>,
    /// SIGN=EBCDIC: the program was compiled with `-fsign=EBCDIC`.
    pub plain_signs: bool,
}

impl WantedCodeSet {
    /// Characters throughout, in the code page that the catalog knows.
    pub fn of_catalog() -> WantedCodeSet {
        WantedCodeSet {
            copybook: None,
            page: None,
            plain_signs: false,
        }
    }

    /// The layout of the copybook, which must be that of the FD's record.
    ///
    /// # Errors
    /// In words: it cannot be read, is not understood, or describes another record.
    pub fn layout(&self, fd: &Fd) -> Result<RecordLayout, String> {
        let Some(copybook) = &self.copybook else {
            return Ok(RecordLayout::of_text(fd.most));
        };
        let mut text = Vec::new();
        let opened = FileReader::open(&*cica_session::outside(), Path::new(copybook));
        let read = opened.and_then(|mut file| file.read_to_end(&mut text));
        read.map_err(|error| error.to_string())?;
        let layout = copybook::parse(&String::from_utf8_lossy(&text)).map_err(|error| error.to_string())?;
        match (layout.length(), fd.most) {
            (described, most) if described == most => Ok(layout),
            (described, most) => Err(format!(
                "it describes {described} bytes, and the program's record has {most}; COMP of 1 to 4 digits counts 2 bytes, \
                 as cobc -std=ibm makes it"
            )),
        }
    }

    /// The code page of a data set with this CCSID, 0 where there is none yet. `own`: what is in it came from programs
    /// that had no copybook, if it says ASCII.
    ///
    /// # Errors
    /// In words.
    pub fn page_of(&self, ccsid: u16, own: bool) -> Result<CodePage, String> {
        let has = CodePage::from_ccsid(ccsid);
        match (has.filter(|page| page.is_ebcdic()), self.page) {
            (Some(has), None) => Ok(has),
            (Some(has), Some(stated)) if has == stated => Ok(has),
            (Some(has), Some(stated)) => Err(format!(
                "the data set's CCSID is {}, CODEPAGE says {}",
                has.ccsid(),
                stated.ccsid()
            )),
            (None, Some(stated)) if own => Err(format!(
                "the data set was made for a program without a copybook, so it is in ASCII, and CODEPAGE says {}",
                stated.ccsid()
            )),
            (None, Some(stated)) => Ok(stated),
            (None, None) => Err("CODEPAGE is missing, and the data set's CCSID is no EBCDIC code page".into()),
        }
    }
}

/// See the module.
#[derive(Debug)]
pub struct CodeSet {
    /// The data set's.
    pub page: CodePage,
    /// The bytes that are translated, in order.
    runs: Vec<ByteRun>,
    text: Tables,
    sign: Tables,
    /// Nobody said which bytes are characters, so all are taken for such.
    pub throughout: bool,
}

/// One kind of byte, in both directions.
#[derive(Debug)]
struct Tables {
    to_stored: [u8; 256],
    to_program: [u8; 256],
}

impl CodeSet {
    /// For records of this layout.
    pub fn new(layout: &RecordLayout, page: CodePage, plain_signs: bool) -> CodeSet {
        let text = Tables::of_text(page);
        CodeSet {
            page,
            runs: layout
                .runs
                .iter()
                .copied()
                .filter(|run| run.kind != ByteKind::Bytes)
                .collect(),
            sign: if plain_signs {
                Tables::of_text(page)
            } else {
                Tables::of_signs(&text)
            },
            text,
            throughout: false,
        }
    }

    /// Where a record as it is stored has a byte that is no character, though all are taken for such: what packed and
    /// binary numbers are made of. X'00' and X'FF' are LOW-VALUES and HIGH-VALUES.
    pub fn no_character(&self, stored: &[u8]) -> Option<usize> {
        let is_none = |byte: &u8| matches!(byte, 0x01..=0x3F);
        self.throughout.then(|| stored.iter().position(is_none)).flatten()
    }

    /// Bytes of a record from `at` on, from the program's code to the data set's.
    #[inline]
    pub fn to_stored(&self, bytes: &mut [u8], at: usize) {
        self.apply(bytes, at, |tables| &tables.to_stored);
    }

    /// A record from the data set's code to the program's.
    #[inline]
    pub fn to_program(&self, record: &mut [u8]) {
        self.apply(record, 0, |tables| &tables.to_program);
    }

    /// Are there signs in the record?
    pub fn has_signs(&self) -> bool {
        self.runs.iter().any(|run| run.kind == ByteKind::Sign)
    }

    /// Bytes of a record from `at` on, as they are to be stored: a plus sign is written as it was in `read`, the record
    /// that they stand for, where the digit is the same.
    pub fn keep_signs(&self, bytes: &mut [u8], at: usize, read: &[u8]) {
        let end = at + bytes.len();
        for run in self.runs.iter().filter(|run| run.kind == ByteKind::Sign) {
            for place in run.from.max(at)..run.to.min(end) {
                if let (byte @ 0xC0..=0xC9, Some(was)) = (bytes[place - at], read.get(place)) {
                    if *was == byte | 0xF0 {
                        bytes[place - at] = *was;
                    }
                }
            }
        }
    }

    fn apply(&self, bytes: &mut [u8], at: usize, table: impl Fn(&Tables) -> &[u8; 256]) {
        let end = at + bytes.len();
        let first = self.runs.partition_point(|run| run.to <= at);
        for run in self.runs[first..].iter().take_while(|run| run.from < end) {
            let table = table(match run.kind {
                ByteKind::Sign => &self.sign,
                _ => &self.text,
            });
            for byte in &mut bytes[run.from.max(at) - at..run.to.min(end) - at] {
                *byte = table[usize::from(*byte)];
            }
        }
    }

    /// The FD as the data set has it: the characters of SUPPRESS WHEN.
    ///
    /// # Errors
    /// In words: an alternate key that is not the same character throughout.
    pub fn stored_fd(&self, mut fd: Fd) -> Result<Fd, String> {
        for (key, parts) in fd.alternates.iter_mut().zip(fd.parts.iter().skip(1)) {
            let Some(byte) = key.suppressed else { continue };
            let mut stored = Vec::new();
            for &(offset, length) in parts {
                let mut part = vec![byte; length];
                self.to_stored(&mut part, offset);
                stored.extend(part);
            }
            key.suppressed = stored.first().copied();
            if stored.iter().any(|byte| Some(*byte) != key.suppressed) {
                return Err(format!(
                    "SUPPRESS WHEN of the alternate key at offset {}, which is not text throughout",
                    key.offset
                ));
            }
        }
        Ok(fd)
    }
}

impl Tables {
    fn of_text(page: CodePage) -> Tables {
        Tables {
            to_stored: *Translation::between(CodePage::Iso8859_1, page).table(),
            to_program: *Translation::between(page, CodePage::Iso8859_1).table(),
        }
    }

    /// See the module.
    fn of_signs(text: &Tables) -> Tables {
        let (mut to_stored, mut to_program) = (text.to_stored, text.to_program);
        for digit in 0..10u8 {
            let (plus, minus, none) = (0xC0 + digit, 0xD0 + digit, 0xF0 + digit);
            let (positive, negative) = (b'0' + digit, b'p' + digit);
            let (letter, was_minus) = (
                text.to_stored[usize::from(negative)],
                text.to_program[usize::from(minus)],
            );
            to_program[usize::from(plus)] = positive;
            to_program[usize::from(none)] = positive;
            to_program[usize::from(minus)] = negative;
            to_program[usize::from(letter)] = was_minus;
            to_stored[usize::from(positive)] = plus;
            to_stored[usize::from(negative)] = minus;
            to_stored[usize::from(was_minus)] = letter;
        }
        Tables { to_stored, to_program }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn code_set(copybook: &str, plain_signs: bool) -> CodeSet {
        CodeSet::new(&copybook::parse(copybook).unwrap(), CodePage::Ibm1047, plain_signs)
    }

    #[test]
    fn a_record_crosses_the_border_field_by_field() {
        let set = code_set(
            "05 A PIC X(2). 05 B PIC S9(2). 05 C PIC S9(3) COMP-3. 05 D PIC S9 SIGN LEADING SEPARATE.",
            false,
        );
        let mut record = *b"aZ1r\x12\x3D-7";
        set.to_stored(&mut record, 0);
        assert_eq!(record, *b"\x81\xE9\xF1\xD2\x12\x3D\x60\xF7");
        set.to_program(&mut record);
        assert_eq!(record, *b"aZ1r\x12\x3D-7");
        // A part of it, and a short record.
        let mut part = *b"1r";
        set.to_stored(&mut part, 2);
        assert_eq!(part, *b"\xF1\xD2");
        let mut short = *b"\x81\xE9\xF1";
        set.to_program(&mut short);
        assert_eq!(short, *b"aZ1");
    }

    #[test]
    fn signs_keep_their_number_and_nothing_else_is_lost() {
        for page in CodePage::ALL.into_iter().filter(|page| page.is_ebcdic()) {
            let layout = copybook::parse("05 A PIC S9.").unwrap();
            let set = CodeSet::new(&layout, page, false);
            for byte in 0..=255u8 {
                let mut bytes = [byte];
                set.to_program(&mut bytes);
                let seen = bytes[0];
                match byte {
                    0xC0..=0xC9 | 0xF0..=0xF9 => assert_eq!(seen, b'0' + (byte & 0x0F)),
                    0xD0..=0xD9 => assert_eq!(seen, b'p' + (byte & 0x0F)),
                    _ => assert!(!seen.is_ascii_digit() && !(b'p'..=b'y').contains(&seen), "{byte:02X}"),
                }
                set.to_stored(&mut bytes, 0);
                let back = if (0xF0..=0xF9).contains(&byte) {
                    byte - 0x30
                } else {
                    byte
                };
                assert_eq!(bytes, [back], "{page}: {byte:02X} as {seen:02X}");
            }
            // With SIGN=EBCDIC a sign is the character that it looks like.
            let mut bytes = [0xC1, 0xD2];
            CodeSet::new(&copybook::parse("05 A PIC S9. 05 B PIC S9.").unwrap(), page, true).to_program(&mut bytes);
            assert_eq!(&bytes, b"AK");
        }
    }

    #[test]
    fn the_code_page_is_the_data_sets_or_the_dds() {
        let wanted = |page| WantedCodeSet {
            copybook: Some(String::new()),
            page,
            plain_signs: false,
        };
        let (own, others) = (true, false);
        let page = CodePage::Ibm1047;
        assert_eq!(wanted(None).page_of(1047, own), Ok(page));
        assert_eq!(wanted(Some(page)).page_of(1047, others), Ok(page));
        assert_eq!(wanted(Some(page)).page_of(819, others), Ok(page));
        assert!(wanted(Some(page)).page_of(37, own).unwrap_err().contains("CCSID is 37"));
        assert!(wanted(Some(page))
            .page_of(819, own)
            .unwrap_err()
            .contains("without a copybook"));
        assert!(wanted(None)
            .page_of(819, others)
            .unwrap_err()
            .contains("CODEPAGE is missing"));
    }
}
