//! A record as a data set keeps it: its bytes up to the end of the key in clear, one byte form, and what is behind the
//! key, compressed or plain.
//!
//! The form is 0 of a plain record, else the number (generation) of the dictionary that it was compressed with.

use crate::dictionary::{Damaged, Dictionary};

/// What each record takes more than its plain or compressed bytes: the form.
pub const OVERHEAD: usize = 1;
/// So many bytes behind the key and less stay plain (Z2).
pub const LEAST: usize = 40;
/// Most dictionaries of a data set; the first is number 1.
pub const GENERATIONS: usize = 15;
/// The form of a plain record.
pub const PLAIN: u8 = 0;

/// What a stored record says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Plain.
    Plain,
    /// Compressed with this dictionary.
    Compressed(u8),
}

/// Brings `record` into the form in which it is stored, its first `clear` bytes in clear; `out` is written anew.
pub fn store(record: &[u8], clear: usize, dictionary: Option<(u8, &Dictionary)>, out: &mut Vec<u8>) -> Form {
    let (key, rest) = record.split_at(clear.min(record.len()));
    out.clear();
    out.reserve(record.len() + OVERHEAD);
    out.extend_from_slice(key);
    if let Some((generation, dictionary)) = dictionary.filter(|_| rest.len() > LEAST) {
        out.push(generation);
        if dictionary.compress(rest, out) {
            return Form::Compressed(generation);
        }
        out.truncate(key.len());
    }
    out.push(PLAIN);
    out.extend_from_slice(rest);
    Form::Plain
}

/// The form of a stored record.
///
/// # Errors
/// It is too short to have one.
pub fn form(stored: &[u8], clear: usize) -> Result<Form, Damaged> {
    match stored.get(clear) {
        None => Err(Damaged::Record),
        Some(&PLAIN) => Ok(Form::Plain),
        Some(&generation) => Ok(Form::Compressed(generation)),
    }
}

/// How many bytes the record that was stored so has, without expanding it.
///
/// # Errors
/// As [`expand`].
pub fn expanded_len<'d>(
    stored: &[u8],
    clear: usize,
    dictionary: impl FnOnce(u8) -> Option<&'d Dictionary>,
) -> Result<usize, Damaged> {
    let form = form(stored, clear)?;
    let rest = &stored[clear + OVERHEAD..];
    match form {
        Form::Plain => Ok(clear + rest.len()),
        Form::Compressed(generation) => {
            let dictionary = dictionary(generation).ok_or(Damaged::NoDictionary { generation })?;
            Ok(clear + dictionary.expanded_len(rest)?)
        }
    }
}

/// The record that was stored so, at most `most` bytes; `out` is written anew.
///
/// # Errors
/// The bytes are damaged, or the dictionary is; `out` is empty then.
pub fn expand<'d>(
    stored: &[u8],
    clear: usize,
    dictionary: impl FnOnce(u8) -> Option<&'d Dictionary>,
    most: usize,
    out: &mut Vec<u8>,
) -> Result<(), Damaged> {
    out.clear();
    let form = form(stored, clear)?;
    let (key, rest) = (&stored[..clear], &stored[clear + OVERHEAD..]);
    match form {
        Form::Plain if key.len() + rest.len() > most => Err(Damaged::Longer { most }),
        Form::Compressed(_) if key.len() > most => Err(Damaged::Longer { most }),
        Form::Plain => {
            out.extend_from_slice(key);
            out.extend_from_slice(rest);
            Ok(())
        }
        Form::Compressed(generation) => {
            let dictionary = dictionary(generation).ok_or(Damaged::NoDictionary { generation })?;
            out.extend_from_slice(key);
            let expanded = dictionary.expand(rest, out, most.saturating_sub(clear));
            expanded.inspect_err(|_| out.clear())
        }
    }
}
