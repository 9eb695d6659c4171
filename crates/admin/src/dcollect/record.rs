//! The records of DCOLLECT: which field stands where. `docs/format/dcollect.md` is their picture.
//!
//! Offsets count from the record descriptor word, as in IBM's mapping; the file's writer puts that word in, so the bytes
//! here begin with the record type at offset 4. The header and the length of a D record are attested; other offsets are
//! from memory.

use cica_catalog::Date;
use cica_qsam::CodePage;

/// Bytes of the record descriptor word, which are not kept here.
const RDW: usize = 4;

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `D `: a data set on a volume.
    DataSet,
    /// `A `: a VSAM component and its cluster.
    Association,
    /// `V `: a volume.
    Volume,
}

/// A field: name, offset, length in bytes.
pub type RecordField = (&'static str, usize, usize);

/// Fields that all records begin with.
pub const HEADER: [RecordField; 5] = [
    ("DCURCTYP", 4, 2),
    ("DCUVERS", 6, 2),
    ("DCUSYSID", 8, 4),
    ("DCUTMSTP", 12, 8),
    ("DCURESV", 20, 4),
];
const DATA_SET: [RecordField; 25] = [
    ("DCDDSNAM", 24, 44),
    ("DCDERROR", 68, 1),
    ("DCDFLAG1", 69, 1),
    ("DCDFLAG2", 70, 1),
    ("DCDFLAG3", 71, 1),
    ("DCDDSORG", 74, 2),
    ("DCDRECRD", 76, 1),
    ("DCDNMEXT", 77, 1),
    ("DCDVOLSR", 78, 6),
    ("DCDBKLNG", 84, 2),
    ("DCDRCLNG", 86, 2),
    ("DCDALLSP", 88, 4),
    ("DCDUSESP", 92, 4),
    ("DCDSCALL", 96, 4),
    ("DCDNMBLK", 100, 4),
    ("DCDCREDT", 104, 4),
    ("DCDEXPDT", 108, 4),
    ("DCDLSTRF", 112, 4),
    ("DCDDATCL", 132, 32),
    ("DCDSTGCL", 164, 32),
    ("DCDMGTCL", 196, 32),
    ("DCDSTGRP", 228, 32),
    ("DCDUDSIZ", 264, 8),
    ("DCDCUDSZ", 272, 8),
    ("DCDEXFLG", 280, 2),
];
const ASSOCIATION: [RecordField; 19] = [
    ("DCADSNAM", 24, 44),
    ("DCAASSOC", 68, 44),
    ("DCAFLAG1", 112, 1),
    ("DCAFLAG2", 113, 1),
    ("DCAHURBA", 116, 4),
    ("DCAHARBA", 120, 4),
    ("DCANLR", 124, 4),
    ("DCADLR", 128, 4),
    ("DCAINR", 132, 4),
    ("DCAUPR", 136, 4),
    ("DCARTR", 140, 4),
    ("DCAASP", 144, 4),
    ("DCACIS", 148, 4),
    ("DCACAS", 152, 4),
    ("DCAEXC", 156, 4),
    ("DCARKP", 160, 2),
    ("DCAKLN", 162, 2),
    ("DCAHURBC", 164, 8),
    ("DCAHARBC", 172, 8),
];
const VOLUME: [RecordField; 13] = [
    ("DCVVOLSR", 24, 6),
    ("DCVFLAG1", 30, 1),
    ("DCVERROR", 31, 1),
    ("DCVPERCT", 35, 1),
    ("DCVFRESP", 36, 4),
    ("DCVALLOC", 40, 4),
    ("DCVVLCAP", 44, 4),
    ("DCVFRAGI", 48, 4),
    ("DCVLGEXT", 52, 4),
    ("DCVFREXT", 56, 4),
    ("DCVDVTYP", 68, 8),
    ("DCVDVNUM", 76, 2),
    ("DCVSTGGP", 80, 32),
];

impl Type {
    /// The fields after the header.
    pub fn fields(self) -> &'static [RecordField] {
        match self {
            Type::DataSet => &DATA_SET,
            Type::Association => &ASSOCIATION,
            Type::Volume => &VOLUME,
        }
    }

    /// The letters in the header.
    pub fn letters(self) -> &'static str {
        match self {
            Type::DataSet => "D ",
            Type::Association => "A ",
            Type::Volume => "V ",
        }
    }

    /// Length in bytes, the descriptor word included.
    pub fn length(self) -> usize {
        match self {
            Type::DataSet => 312,
            Type::Association => 188,
            Type::Volume => 112,
        }
    }
}

/// A record being made. What is not said is zero, characters blank.
#[derive(Debug, Clone)]
pub struct DcollectRecord {
    kind: Type,
    page: CodePage,
    bytes: Vec<u8>,
}

impl DcollectRecord {
    /// A record with its header; `now` in nanoseconds since 1970.
    pub fn new(kind: Type, page: CodePage, now: u64) -> DcollectRecord {
        let mut record = DcollectRecord {
            kind,
            page,
            bytes: vec![0; kind.length() - RDW],
        };
        let hundredths = now / 10_000_000 % 8_640_000;
        let day = Date::of_clock(now);
        let century = if day.year() >= 2000 { 0x0100_0000 } else { 0 };
        let stamp = hundredths << 32 | century | packed(u64::from(day.year() % 100) * 1_000 + u64::from(day.day()));
        record.text("DCURCTYP", kind.letters());
        record.number("DCUVERS", 1);
        record.text("DCUSYSID", "CICA");
        record.number("DCUTMSTP", stamp);
        record
    }

    /// The bytes behind the record descriptor word.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn field(&mut self, name: &str) -> &mut [u8] {
        let mut all = HEADER.iter().chain(self.kind.fields());
        let place = all.find(|(known, ..)| *known == name);
        debug_assert!(place.is_some(), "{name}");
        match place {
            Some((_, offset, length)) => &mut self.bytes[offset - RDW..offset - RDW + length],
            None => &mut [],
        }
    }

    /// Characters, filled up with blanks; what the page has no code for is a blank.
    pub fn text(&mut self, name: &str, text: &str) {
        let page = self.page;
        let encoded = page.encode(text).unwrap_or_default();
        let field = self.field(name);
        field.fill(page.blank());
        field.iter_mut().zip(encoded).for_each(|(to, from)| *to = from);
    }

    /// A number, big-endian; one that is too large for its field is the largest that fits.
    pub fn number(&mut self, name: &str, value: u64) {
        let field = self.field(name);
        let most = match field.len() {
            8.. => u64::MAX,
            length => (1 << (8 * length)) - 1,
        };
        let bytes = value.min(most).to_be_bytes();
        let length = field.len().min(8);
        field[..length].copy_from_slice(&bytes[8 - length..]);
    }

    /// A day as packed digits yyyydddF; none is zero.
    pub fn date(&mut self, name: &str, day: Option<Date>) {
        let digits = day.map(|day| packed(u64::from(day.year()) * 1_000 + u64::from(day.day())));
        self.number(name, digits.unwrap_or(0));
    }

    /// A class: the length of its name in two bytes, and the name in thirty.
    pub fn class(&mut self, name: &str, class: &str) {
        self.text(name, &format!("  {class}"));
        let field = self.field(name);
        field[..2].copy_from_slice(&(class.len() as u16).to_be_bytes());
    }
}

/// Decimal digits with the sign F, as in a packed number.
fn packed(mut number: u64) -> u64 {
    let (mut digits, mut shift) = (0xF, 4);
    while number > 0 {
        digits |= (number % 10) << shift;
        number /= 10;
        shift += 4;
    }
    digits
}
