//! Records on stdin and stdout: a line of text each, a line of hexadecimal digits each, or bytes in a stated format.

use crate::failure::{Failure, Status};
use crate::keys;
use cica_messages as messages;
use cica_qsam::{Attributes, CodePage, DdText, Reader};
use std::io::{Read, Write};

/// How records are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordText {
    /// The characters of the record. An EBCDIC data set's are shown in UTF-8, any other's bytes go out as they are.
    Text,
    /// Two digits for each byte.
    Hex,
    /// The bytes alone, with nothing between records.
    Raw,
}

impl RecordText {
    /// Writes one record.
    pub fn write(self, out: &mut dyn Write, record: &[u8], page: Option<CodePage>) -> Result<(), Failure> {
        match (self, page.filter(|p| p.is_ebcdic())) {
            (RecordText::Raw, _) => out.write_all(record)?,
            (RecordText::Text, None) => {
                out.write_all(record)?;
                out.write_all(b"\n")?;
            }
            (RecordText::Text, Some(page)) => writeln!(out, "{}", page.decode(record))?,
            (RecordText::Hex, _) => writeln!(out, "{}", cica_admin::hexadecimal(record))?,
        }
        Ok(())
    }
}

/// Reads the records that go into a data set.
pub struct Input<R> {
    reader: Reader<R>,
    lines: Lines,
    record: Vec<u8>,
}

/// What a record read still needs.
enum Lines {
    /// Nothing.
    AsRead,
    /// It is a line of hexadecimal digits.
    Hex,
    /// It is a line of UTF-8 text for an EBCDIC data set.
    Encoded(CodePage),
}

impl<R: Read> Input<R> {
    /// Records of `from` for a data set with characters in `page`: lines of text, lines of digits, or as `format` says
    /// (`RECFM=FB,LRECL=80,CODEPAGE=1047`, the text behind the comma of a DD).
    pub fn new(from: R, page: Option<CodePage>, hex: bool, format: Option<&str>) -> Result<Input<R>, Failure> {
        let attributes = match format {
            // The name of the file stands before the first comma; here it is stdin.
            Some(format) => {
                DdText::parse(&format!("-,{format}"))
                    .map_err(|e| Failure::usage(e.problem))?
                    .attributes
            }
            None => Attributes::default(),
        };
        let lines = match (hex, format, page.filter(|p| p.is_ebcdic())) {
            (true, ..) => Lines::Hex,
            (false, None, Some(page)) => Lines::Encoded(page),
            _ => Lines::AsRead,
        };
        let reader = Reader::new(from, &attributes)?.translated_to(page.unwrap_or(CodePage::Iso8859_1));
        Ok(Input {
            reader,
            lines,
            record: Vec::new(),
        })
    }

    /// The next record.
    pub fn next(&mut self) -> Result<Option<&[u8]>, Failure> {
        let number = self.reader.records() + 1;
        let place = |e: Failure| e.at(format!("record {number}"));
        let Some(read) = self.reader.next()? else {
            return Ok(None);
        };
        self.record = match self.lines {
            Lines::AsRead => return Ok(Some(read)),
            Lines::Hex => keys::bytes_of(&String::from_utf8_lossy(read)).map_err(place)?,
            Lines::Encoded(page) => {
                let text = std::str::from_utf8(read).map_err(|e| {
                    let text = format!(
                        "byte {} is not UTF-8; use --hex or --format for bytes",
                        e.valid_up_to() + 1
                    );
                    place(Failure::new(Status::REFUSED, &messages::CICA0951E, text))
                })?;
                keys::encoded(text, Some(page)).map_err(place)?
            }
        };
        Ok(Some(&self.record))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn all(text: &str, page: Option<CodePage>, hex: bool, format: Option<&str>) -> Vec<Vec<u8>> {
        let mut input = Input::new(text.as_bytes(), page, hex, format).unwrap();
        let mut records = Vec::new();
        while let Some(record) = input.next().unwrap() {
            records.push(record.to_vec());
        }
        records
    }

    #[test]
    fn records_are_lines_digits_or_as_said() {
        assert_eq!(all("ab\ncd\n", None, false, None), [b"ab", b"cd"]);
        assert_eq!(all("0001\nfe ff\n", None, true, None), [[0, 1], [0xFE, 0xFF]]);
        assert_eq!(all("A1\n", Some(CodePage::Ibm1047), false, None), [[0xC1, 0xF1]]);
        assert_eq!(all("abcd", None, false, Some("RECFM=F,LRECL=2")), [b"ab", b"cd"]);
        let ascii = Some("RECFM=F,LRECL=1,CODEPAGE=ASCII");
        assert_eq!(all("A", Some(CodePage::Ibm037), false, ascii), [[0xC1]]);
    }

    #[test]
    fn what_is_read_comes_out_again() {
        let mut out = Vec::new();
        RecordText::Text
            .write(&mut out, &[0xC1, 0xF1], Some(CodePage::Ibm1047))
            .unwrap();
        RecordText::Text.write(&mut out, b"\xFFx", None).unwrap();
        RecordText::Hex.write(&mut out, b"\xFFx", None).unwrap();
        RecordText::Raw.write(&mut out, b"raw", None).unwrap();
        assert_eq!(out, b"A1\n\xFFx\nFF78\nraw");
    }

    #[test]
    fn wrong_records_tell_their_number() {
        let mut input = Input::new(&b"00\n0x\n"[..], None, true, None).unwrap();
        input.next().unwrap();
        let Err(Failure::Error { text, .. }) = input.next() else {
            panic!("an error")
        };
        assert!(text.starts_with("record 2: 'x' is no hexadecimal digit"), "{text}");
    }
}
