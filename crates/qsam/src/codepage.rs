//! Code pages: single-byte EBCDIC pages, each a permutation of ISO-8859-1, and ISO-8859-1 itself.
//!
//! 1. Byte to character and back is lossless for every byte of every page (the tables are permutations).
//! 2. A [`Translation`] between two pages is a permutation too, so nothing is lost by converting a record, and
//!    converting it back gives the same bytes. The euro of 1140, 1141 and 1148 takes the place of the currency sign,
//!    so it becomes X'A4' in ISO-8859-1 and comes back from there.
//! 3. Control characters follow IBM's character data representation architecture, as iconv and Python do: X'15' (NL) is
//!    U+0085 and X'25' (LF) is U+000A. z/OS UNIX exchanges the two; that matters only where lines end, and there the
//!    text format takes both (lines.rs).

mod tables;

use std::fmt;

use tables::{CP037, CP1047, CP273, CP500};

/// A single-byte code page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodePage {
    /// ISO-8859-1 (CCSID 819), of which ASCII is the lower half: bytes are characters.
    Iso8859_1,
    /// 037: United States, Canada, Netherlands, Portugal, Brazil.
    Ibm037,
    /// 273: Germany, Austria.
    Ibm273,
    /// 500: international, Belgium, Switzerland.
    Ibm500,
    /// 1047: Latin-1 of open systems (z/OS UNIX, C compilers).
    Ibm1047,
    /// 1140: 037 with the euro.
    Ibm1140,
    /// 1141: 273 with the euro.
    Ibm1141,
    /// 1148: 500 with the euro.
    Ibm1148,
}

const CURRENCY_SIGN: u8 = 0xA4;
const EURO_SIGN: char = '\u{20AC}';

impl CodePage {
    /// Every page there is, in the order of [`CodePage::ccsid`] with ISO-8859-1 first.
    pub const ALL: [CodePage; 8] = [
        CodePage::Iso8859_1,
        CodePage::Ibm037,
        CodePage::Ibm273,
        CodePage::Ibm500,
        CodePage::Ibm1047,
        CodePage::Ibm1140,
        CodePage::Ibm1141,
        CodePage::Ibm1148,
    ];

    /// The page a person named: a number (`37`, `037`, `1047`), a number behind `IBM`, `IBM-`, `CP` or `CCSID`, or
    /// `ASCII`, `ISO-8859-1`, `ISO8859-1`, `LATIN1`. Case does not matter.
    pub fn parse(name: &str) -> Result<CodePage, CodePageError> {
        let upper = name.trim().to_ascii_uppercase();
        if ["ASCII", "US-ASCII", "ISO-8859-1", "ISO8859-1", "LATIN1", "LATIN-1"].contains(&upper.as_str()) {
            return Ok(CodePage::Iso8859_1);
        }
        if ["UTF-8", "UTF8", "1208"].contains(&upper.as_str()) {
            return Err(CodePageError::Utf8);
        }
        let digits = ["IBM", "CP", "CCSID"]
            .iter()
            .find_map(|prefix| upper.strip_prefix(prefix))
            .unwrap_or(&upper);
        let digits = digits.strip_prefix(['-', '_']).unwrap_or(digits);
        // "+37" would satisfy the number parser; a code page is written in digits only.
        let number = digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())
            .flatten();
        number
            .and_then(CodePage::from_ccsid)
            .ok_or_else(|| CodePageError::Unknown {
                name: name.trim().to_owned(),
            })
    }

    /// The page with this coded character set identifier; 367 (ASCII) is taken as 819.
    pub fn from_ccsid(ccsid: u16) -> Option<CodePage> {
        match ccsid {
            367 => Some(CodePage::Iso8859_1),
            _ => CodePage::ALL.into_iter().find(|page| page.ccsid() == ccsid),
        }
    }

    /// IBM's number of the page (coded character set identifier).
    pub fn ccsid(self) -> u16 {
        match self {
            CodePage::Iso8859_1 => 819,
            CodePage::Ibm037 => 37,
            CodePage::Ibm273 => 273,
            CodePage::Ibm500 => 500,
            CodePage::Ibm1047 => 1047,
            CodePage::Ibm1140 => 1140,
            CodePage::Ibm1141 => 1141,
            CodePage::Ibm1148 => 1148,
        }
    }

    /// Whether this is an EBCDIC page.
    pub fn is_ebcdic(self) -> bool {
        self != CodePage::Iso8859_1
    }

    /// The blank: X'40' in EBCDIC, X'20' in ASCII.
    pub fn blank(self) -> u8 {
        if self.is_ebcdic() {
            0x40
        } else {
            b' '
        }
    }

    /// The text of `bytes`. Every byte has a character, so this cannot fail.
    pub fn decode(self, bytes: &[u8]) -> String {
        let to_latin = self.to_latin();
        bytes
            .iter()
            .map(|&byte| self.character(to_latin[usize::from(byte)]))
            .collect()
    }

    /// The bytes of `text`, or where it has a character that this page lacks.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unmappable> {
        let from_latin = inverse(self.to_latin());
        let encode_one = |(position, character)| match self.latin_byte(character) {
            Some(latin) => Ok(from_latin[usize::from(latin)]),
            None => Err(Unmappable {
                position,
                character,
                page: self,
            }),
        };
        text.chars().enumerate().map(encode_one).collect()
    }

    fn character(self, latin: u8) -> char {
        if latin == CURRENCY_SIGN && self.has_euro() {
            EURO_SIGN
        } else {
            char::from(latin)
        }
    }

    fn latin_byte(self, character: char) -> Option<u8> {
        match u8::try_from(character) {
            Ok(CURRENCY_SIGN) if self.has_euro() => None,
            Ok(latin) => Some(latin),
            Err(_) => (character == EURO_SIGN && self.has_euro()).then_some(CURRENCY_SIGN),
        }
    }

    fn has_euro(self) -> bool {
        matches!(self, CodePage::Ibm1140 | CodePage::Ibm1141 | CodePage::Ibm1148)
    }

    fn to_latin(self) -> &'static [u8; 256] {
        match self {
            CodePage::Iso8859_1 => &IDENTITY,
            CodePage::Ibm037 | CodePage::Ibm1140 => &CP037,
            CodePage::Ibm273 | CodePage::Ibm1141 => &CP273,
            CodePage::Ibm500 | CodePage::Ibm1148 => &CP500,
            CodePage::Ibm1047 => &CP1047,
        }
    }
}

impl fmt::Display for CodePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodePage::Iso8859_1 => f.write_str("ISO-8859-1"),
            page => write!(f, "IBM-{:03}", page.ccsid()),
        }
    }
}

/// Byte-for-byte conversion of records from one code page to another; a permutation of the 256 bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Translation {
    table: [u8; 256],
}

impl Translation {
    /// The translation that turns bytes of `from` into bytes of `to`.
    pub fn between(from: CodePage, to: CodePage) -> Translation {
        let from_latin = inverse(to.to_latin());
        Translation {
            table: from.to_latin().map(|latin| from_latin[usize::from(latin)]),
        }
    }

    /// The translation of one byte.
    #[inline]
    pub fn byte(&self, byte: u8) -> u8 {
        self.table[usize::from(byte)]
    }

    /// Translates a record where it lies.
    #[inline]
    pub fn apply(&self, record: &mut [u8]) {
        for byte in record {
            *byte = self.byte(*byte);
        }
    }

    /// The 256 translated bytes.
    pub fn table(&self) -> &[u8; 256] {
        &self.table
    }
}

impl fmt::Debug for Translation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translation").finish_non_exhaustive()
    }
}

const IDENTITY: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = byte as u8;
        byte += 1;
    }
    table
};

fn inverse(table: &[u8; 256]) -> [u8; 256] {
    let mut inverse = [0; 256];
    for (to, &from) in IDENTITY.iter().zip(table) {
        inverse[usize::from(from)] = *to;
    }
    inverse
}

/// A character that a code page does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmappable {
    /// Which character of the text, counted from 0.
    pub position: usize,
    /// The character.
    pub character: char,
    /// The page that lacks it.
    pub page: CodePage,
}

impl fmt::Display for Unmappable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unmappable {
            position,
            character,
            page,
        } = self;
        let (ordinal, code) = (position + 1, u32::from(*character));
        write!(
            f,
            "character {ordinal}, '{}' (U+{code:04X}), is not in code page {page}; ",
            character.escape_debug()
        )?;
        write!(f, "write its bytes as X'..', or choose a page that has it")
    }
}

impl std::error::Error for Unmappable {}

/// Why a name is not one of a code page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodePageError {
    /// No page of this name is known.
    Unknown {
        /// The name as written.
        name: String,
    },
    /// UTF-8 has characters of several bytes, which no record of fixed layout could take.
    Utf8,
}

impl fmt::Display for CodePageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodePageError::Unknown { name } => write!(
                f,
                "no code page is called '{name}'; \
                 known are ASCII (ISO-8859-1) and 037, 273, 500, 1047, 1140, 1141, 1148"
            ),
            CodePageError::Utf8 => f.write_str(
                "UTF-8 is not a code page of one byte per character; leave CODEPAGE out and bytes stay as they are",
            ),
        }
    }
}

impl std::error::Error for CodePageError {}
