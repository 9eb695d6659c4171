//! Which records REPRO and PRINT take: FROMKEY, FROMADDRESS, FROMNUMBER or SKIP to begin, TOKEY, TOADDRESS, TONUMBER or
//! COUNT to end.
//!
//! | parameter | of |
//! |---|---|
//! | FROMKEY, TOKEY | KSDS |
//! | FROMADDRESS, TOADDRESS | KSDS, ESDS, LDS, and anything with CIMODE; the first must be the address of a record |
//! | FROMNUMBER, TONUMBER | RRDS, VRRDS |
//! | SKIP, COUNT | anything |

use super::failure::Failure;
use super::input::{Found, Input, KeyField};
use super::open::or_ascii;
use super::print::rows::shown;
use super::trouble::Trouble;
use crate::params::{KeyValue, Params};
use cica_engine::Argument;
use cica_format::attributes::Organization;
use cica_messages::{CICA0908E, IDC3203I, IDC3226I};
use cica_qsam::CodePage;
use std::fmt::Display;

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
    /// The record at this RBA.
    Address(u64),
    /// The first record at or above this number.
    Number(u32),
    /// After so many records.
    Skip(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum To {
    End,
    /// The last record not above this key, of which as many bytes count as there are.
    Key(KeyField, Vec<u8>),
    /// The last record that starts at this RBA or before it.
    Address(u64),
    /// The last record not above this number.
    Number(u64),
    /// So many records.
    Count(u64),
}

impl Range {
    /// What the parameters ask of `input`.
    pub fn of(params: &Params, input: &Input) -> Result<Range, Failure> {
        refuse_places(params, input)?;
        let from = match (key(params, "FROMKEY", input)?, params.number("SKIP")) {
            (Some((_, key)), _) => From::Key(key),
            (None, Some(count)) => From::Skip(count),
            (None, None) => match (params.number("FROMADDRESS"), params.number("FROMNUMBER")) {
                (Some(rba), _) => From::Address(rba),
                (None, Some(rrn)) => From::Number(u32::try_from(rrn).unwrap_or(u32::MAX)),
                (None, None) => From::Start,
            },
        };
        let to = match (key(params, "TOKEY", input)?, params.number("COUNT")) {
            (Some((field, key)), _) => To::Key(field, key),
            (None, Some(count)) => To::Count(count),
            (None, None) => match (params.number("TOADDRESS"), params.number("TONUMBER")) {
                (Some(rba), _) => To::Address(rba),
                (None, Some(rrn)) => To::Number(rrn),
                (None, None) => To::End,
            },
        };
        Ok(Range { from, to })
    }

    /// Goes to the first record of the range.
    pub fn begin(self, input: &mut Input) -> Result<Selection<'_>, Trouble> {
        match self.from {
            From::Start => {}
            From::Key(key) => {
                if !input.point(Argument::Key(&key))? {
                    return Err(Trouble::NoSuchKey(shown(&key, input.page)));
                }
            }
            From::Address(rba) => {
                input.point(Argument::Rba(rba))?;
            }
            From::Number(rrn) => {
                if !input.point(Argument::Rrn(rrn))? {
                    return Err(Trouble::NoSuchKey(rrn.to_string()));
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
    pub fn next(&mut self) -> Result<Option<Found<'_>>, Trouble> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let Some(found) = self.input.next()? else {
            return Ok(None);
        };
        let beyond = match &self.to {
            To::Key(field, key) => {
                let own = field.in_record(found.bytes);
                own[..key.len().min(own.len())] > key[..]
            }
            To::Address(rba) => found.rba > *rba,
            To::Number(rrn) => u64::from(found.rrn) > *rrn,
            To::End | To::Count(_) => false,
        };
        if beyond {
            self.left = 0;
            return Ok(None);
        }
        Ok(Some(found))
    }
}

/// The bytes of a key parameter.
fn key(params: &Params, keyword: &'static str, input: &Input) -> Result<Option<(KeyField, Vec<u8>)>, Failure> {
    let Some((value, _)) = params.keys(keyword).first() else {
        return Ok(None);
    };
    let Some(field) = input.key_field() else {
        let remedy = format!(
            "{} HAS NO KEYS; USE {}",
            input.name,
            match input.organization() {
                Some(Organization::Esds | Organization::Lds) => "FROMADDRESS AND TOADDRESS, OR SKIP AND COUNT",
                Some(_) => "FROMNUMBER AND TONUMBER, OR SKIP AND COUNT",
                None => "SKIP AND COUNT",
            }
        );
        return Err(Failure::about(keyword, &IDC3226I, &[("item", &keyword)], remedy));
    };
    let key = bytes(value, input.page, keyword)?;
    if key.len() > field.length {
        let item = shown(&key, input.page);
        let (length, name, longest) = (key.len(), &input.name, field.length);
        let remedy = format!("IT HAS {length} BYTES, THE KEYS OF {name} HAVE {longest}");
        return Err(Failure::about(keyword, &IDC3203I, &[("item", &item)], remedy));
    }
    Ok(Some((field, key)))
}

fn bytes(value: &KeyValue, page: Option<CodePage>, keyword: &'static str) -> Result<Vec<u8>, Failure> {
    match value {
        KeyValue::Hex(bytes) => Ok(bytes.clone()),
        KeyValue::Char(text) | KeyValue::CharGeneric(text) => or_ascii(page)
            .encode(text)
            .map_err(|error| Failure::about(keyword, &IDC3203I, &[("item", text)], error.to_string())),
    }
}

/// Addresses and record numbers choose records of some organizations only.
fn refuse_places(params: &Params, input: &Input) -> Result<(), Failure> {
    for keyword in ["FROMADDRESS", "TOADDRESS", "FROMNUMBER", "TONUMBER"] {
        if !params.has(keyword) {
            continue;
        }
        let address = keyword.ends_with("ADDRESS");
        let hint = match input.organization() {
            None => "A SEQUENTIAL FILE HAS NEITHER ADDRESSES NOR RECORD NUMBERS; USE SKIP AND COUNT",
            Some(Organization::Ksds) if address => {
                let item = format!("{keyword} OF A KEY-SEQUENCED DATA SET WITH SPANNED RECORDS");
                let reason = "segments of a record lie wherever there was room; use FROMKEY and TOKEY";
                let inserts: [(&str, &dyn Display); 2] = [("item", &item), ("reason", &reason)];
                return Err(Failure::about(keyword, &CICA0908E, &inserts, ""));
            }
            Some(Organization::Ksds) => {
                "A KEY-SEQUENCED DATA SET HAS NO RECORD NUMBERS; USE FROMKEY, TOKEY, SKIP OR COUNT"
            }
            Some(Organization::Rrds | Organization::Vrrds) if address => {
                "RECORDS OF A RELATIVE DATA SET GO BY NUMBER; USE FROMNUMBER AND TONUMBER"
            }
            Some(Organization::Esds | Organization::Lds) if !address => {
                "RECORDS OF THIS DATA SET GO BY ADDRESS; USE FROMADDRESS AND TOADDRESS"
            }
            Some(_) => continue,
        };
        return Err(Failure::about(keyword, &IDC3226I, &[("item", &keyword)], hint));
    }
    Ok(())
}
