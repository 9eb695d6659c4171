//! What a range means in one input, and the records of it one after the other.

use super::bytes::{or_ascii, shown};
use super::failure::Failure;
use super::found::FoundRecord;
use super::input::{Input, KeyField};
use super::named::KeyValue;
use super::range::{From, Range, To};
use super::trouble::Trouble;
use cica_engine::Argument;
use cica_format::attributes::Organization;
use cica_messages::{CICA0908E, IDC3203I, IDC3226I};
use cica_qsam::CodePage;
use std::fmt::Display;

/// A range of one input: its keys are bytes as they stand in records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bounds {
    first: First,
    last: Last,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum First {
    Start,
    Key(Vec<u8>),
    Address(u64),
    Number(u32),
    Skip(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Last {
    End,
    Key(KeyField, Vec<u8>),
    Address(u64),
    Number(u32),
    Count(u64),
}

impl Bounds {
    /// What a range means in `input`.
    pub fn of(range: &Range, input: &Input) -> Result<Bounds, Failure> {
        refuse_places(range, input)?;
        let first = match &range.from {
            From::Start => First::Start,
            From::Key(value) => First::Key(key("FROMKEY", value, input)?.1),
            From::Address(rba) => First::Address(*rba),
            From::Number(rrn) => First::Number(*rrn),
            From::Skip(count) => First::Skip(*count),
        };
        let last = match &range.to {
            To::End => Last::End,
            To::Key(value) => {
                let (field, key) = key("TOKEY", value, input)?;
                Last::Key(field, key)
            }
            To::Address(rba) => Last::Address(*rba),
            To::Number(rrn) => Last::Number(*rrn),
            To::Count(count) => Last::Count(*count),
        };
        Ok(Bounds { first, last })
    }

    /// Goes to the first record of the range.
    pub fn begin(self, input: &mut Input) -> Result<Selection<'_>, Trouble> {
        match self.first {
            First::Start => {}
            First::Key(key) => {
                if !input.point(Argument::Key(&key))? {
                    return Err(Trouble::NoSuchKey(shown(&key, input.page)));
                }
            }
            First::Address(rba) => {
                input.point(Argument::Rba(rba))?;
            }
            First::Number(rrn) => {
                if !input.point(Argument::Rrn(rrn))? {
                    return Err(Trouble::NoSuchKey(rrn.to_string()));
                }
            }
            First::Skip(count) => {
                for _ in 0..count {
                    if input.next()?.is_none() {
                        break;
                    }
                }
            }
        }
        let left = match self.last {
            Last::Count(count) => count,
            _ => u64::MAX,
        };
        Ok(Selection {
            input,
            last: self.last,
            left,
        })
    }
}

/// The records of a range, one after the other.
pub(crate) struct Selection<'i> {
    /// Where they come from.
    pub input: &'i mut Input,
    last: Last,
    left: u64,
}

impl Selection<'_> {
    /// Nothing is left out behind what comes next.
    pub fn is_all_that_follows(&self) -> bool {
        matches!(self.last, Last::End) && self.left == u64::MAX
    }

    /// The next record of the range.
    #[inline]
    pub fn next(&mut self) -> Result<Option<FoundRecord<'_>>, Trouble> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let Some(found) = self.input.next()? else {
            return Ok(None);
        };
        let beyond = match &self.last {
            Last::Key(field, key) => {
                let own = field.in_record(found.bytes);
                own[..key.len().min(own.len())] > key[..]
            }
            Last::Address(rba) => found.rba > *rba,
            Last::Number(rrn) => found.rrn > *rrn,
            Last::End | Last::Count(_) => false,
        };
        if beyond {
            self.left = 0;
            return Ok(None);
        }
        Ok(Some(found))
    }
}

/// The bytes of a key, which a message calls by its parameter.
fn key(keyword: &'static str, value: &KeyValue, input: &Input) -> Result<(KeyField, Vec<u8>), Failure> {
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
    Ok((field, key))
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
fn refuse_places(range: &Range, input: &Input) -> Result<(), Failure> {
    let asked = [
        (matches!(range.from, From::Address(_)), "FROMADDRESS"),
        (matches!(range.to, To::Address(_)), "TOADDRESS"),
        (matches!(range.from, From::Number(_)), "FROMNUMBER"),
        (matches!(range.to, To::Number(_)), "TONUMBER"),
    ];
    for (_, keyword) in asked.into_iter().filter(|(asked, _)| *asked) {
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
