//! Which records REPRO and PRINT take: FROMKEY or SKIP to begin, TOKEY or COUNT to end.

use super::input::{Input, KeyField};
use super::open::or_ascii;
use super::print::rows::shown;
use super::trouble::Trouble;
use crate::diagnostic::Diagnostic;
use crate::messages::{CICA0901E, IDC3203I, IDC3225I};
use crate::params::{KeyValue, Params};
use crate::pos::Pos;
use cica_qsam::CodePage;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    from: From,
    to: To,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum From {
    Start,
    /// The first record at or above this key, which may be the beginning of one.
    Key(Vec<u8>),
    /// After so many records.
    Skip(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum To {
    End,
    /// The last record not above this key, of which as many bytes count as there are.
    Key(KeyField, Vec<u8>),
    /// So many records.
    Count(u64),
}

impl Range {
    /// What the parameters ask of `input`.
    pub fn of(params: &Params, input: &Input) -> Result<Range, Diagnostic> {
        refuse_places(params, input)?;
        let from = match (key(params, "FROMKEY", input)?, params.number("SKIP")) {
            (Some((_, key)), _) => From::Key(key),
            (None, Some(count)) => From::Skip(count),
            (None, None) => From::Start,
        };
        let to = match (key(params, "TOKEY", input)?, params.number("COUNT")) {
            (Some((field, key)), _) => To::Key(field, key),
            (None, Some(count)) => To::Count(count),
            (None, None) => To::End,
        };
        Ok(Range { from, to })
    }

    /// Goes to the first record of the range.
    pub fn begin(self, input: &mut Input) -> Result<Selection<'_>, Trouble> {
        match self.from {
            From::Start => {}
            From::Key(key) => {
                if !input.point(&key)? {
                    return Err(Trouble::NoSuchKey(shown(&key, input.page)));
                }
            }
            From::Skip(count) => {
                for _ in 0..count {
                    if input.next()?.is_none() {
                        break;
                    }
                }
            }
        }
        let left = match self.to {
            To::Count(count) => count,
            _ => u64::MAX,
        };
        Ok(Selection {
            input,
            to: self.to,
            left,
        })
    }
}

/// The records of a range, one after the other.
pub struct Selection<'i> {
    /// Where they come from.
    pub input: &'i mut Input,
    to: To,
    left: u64,
}

impl Selection<'_> {
    /// The next record of the range.
    #[inline]
    pub fn next(&mut self) -> Result<Option<&[u8]>, Trouble> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let record = self.input.next()?;
        if let (To::Key(field, key), Some(record)) = (&self.to, record) {
            let found = field.in_record(record);
            if found[..key.len().min(found.len())] > key[..] {
                self.left = 0;
                return Ok(None);
            }
        }
        Ok(record)
    }
}

/// The bytes of a key parameter.
fn key(params: &Params, keyword: &str, input: &Input) -> Result<Option<(KeyField, Vec<u8>)>, Diagnostic> {
    let Some((value, at)) = params.keys(keyword).first() else {
        return Ok(None);
    };
    let Some(field) = input.key_field() else {
        return Err(Diagnostic::new(&IDC3225I, &[("item", &keyword)], *at).hint(format!(
            "{} IS A SEQUENTIAL FILE AND HAS NO KEYS; USE SKIP AND COUNT",
            input.name
        )));
    };
    let key = bytes(value, input.page, *at)?;
    if key.len() > field.length {
        let item = shown(&key, input.page);
        return Err(Diagnostic::new(&IDC3203I, &[("item", &item)], *at).hint(format!(
            "IT HAS {} BYTES, THE KEYS OF {} HAVE {}",
            key.len(),
            input.name,
            field.length
        )));
    }
    Ok(Some((field, key)))
}

fn bytes(value: &KeyValue, page: Option<CodePage>, at: Pos) -> Result<Vec<u8>, Diagnostic> {
    match value {
        KeyValue::Hex(bytes) => Ok(bytes.clone()),
        KeyValue::Char(text) | KeyValue::CharGeneric(text) => or_ascii(page)
            .encode(text)
            .map_err(|error| Diagnostic::new(&IDC3203I, &[("item", text)], at).hint(error.to_string())),
    }
}

/// Addresses and record numbers choose records of other organizations.
fn refuse_places(params: &Params, input: &Input) -> Result<(), Diagnostic> {
    for keyword in ["FROMADDRESS", "TOADDRESS", "FROMNUMBER", "TONUMBER"] {
        let Some(at) = params.at(keyword) else { continue };
        return Err(match (input.key_field(), keyword.ends_with("ADDRESS")) {
            (Some(_), true) => {
                let item = format!("{keyword} OF A KEY-SEQUENCED DATA SET");
                Diagnostic::new(&CICA0901E, &[("item", &item)], at).hint("USE FROMKEY AND TOKEY")
            }
            (Some(_), false) => Diagnostic::new(&IDC3225I, &[("item", &keyword)], at)
                .hint("A KEY-SEQUENCED DATA SET HAS NO RECORD NUMBERS; USE FROMKEY, TOKEY, SKIP OR COUNT"),
            (None, _) => Diagnostic::new(&IDC3225I, &[("item", &keyword)], at)
                .hint("A SEQUENTIAL FILE HAS NEITHER ADDRESSES NOR RECORD NUMBERS; USE SKIP AND COUNT"),
        });
    }
    Ok(())
}
