//! A refused request, as it is told to the client: the same error comes out there.

use cica_engine::RequestError;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// [`RequestError`] in a message: its parts by kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// An error without parts: its place in [`PLAIN`].
    Plain(u8),
    /// An error of a key: its place among [`of_key`].
    Key(u8, Vec<u8>),
    /// A record that another has: its place among [`of_held`], its key, and who has it.
    Held(u8, Vec<u8>, Option<String>),
    /// An error told in words: its place among [`of_words`].
    Words(u8, String),
    /// An error of numbers: its place among [`of_numbers`].
    Numbers(u8, [u64; 3]),
    /// 12/4, 12/8.
    Physical(u8, String),
    /// An answer of an alternate index.
    Alternate(u8, String, #[serde(deserialize_with = "within")] Box<Refusal>),
    /// One that this version does not know, in words.
    Unknown(String),
}

/// How deep errors stand in errors. An alternate index has none of its own, so that one is enough today.
const DEEPEST: u32 = 4;

/// An error in an error. Each takes a part of the stack to be read, so a message that has thousands is none.
fn within<'de, D: Deserializer<'de>>(from: D) -> Result<Box<Refusal>, D::Error> {
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
    }
    let depth = DEPTH.get();
    if depth == DEEPEST {
        return Err(D::Error::custom("errors stand too deep in errors"));
    }
    DEPTH.set(depth + 1);
    let read = Deserialize::deserialize(from);
    DEPTH.set(depth);
    read
}

type Plain = fn() -> RequestError;
const PLAIN: [Plain; 11] = [
    || RequestError::EndOfData,
    || RequestError::NotFound,
    || RequestError::UnitTooLarge,
    || RequestError::NoKeys,
    || RequestError::AddressedInsert,
    || RequestError::NoPosition,
    || RequestError::NoUpdate,
    || RequestError::KeyChanged,
    || RequestError::Loading,
    || RequestError::PathAddressed,
    || RequestError::NoAddresses,
];

fn of_key(place: u8, key: Vec<u8>) -> RequestError {
    match place {
        0 => RequestError::Duplicate { key },
        1 => RequestError::Sequence { key },
        2 => RequestError::NoBaseRecord { pointer: key },
        _ => RequestError::PointerLimit { key },
    }
}

fn of_held(place: u8, key: Vec<u8>, by: Option<String>) -> RequestError {
    match place {
        // The number of the data set is one of the owner's lock table, and means nothing here.
        0 => RequestError::Exclusive { key, set: 0, by },
        1 => RequestError::Deadlock { key, by },
        2 => RequestError::LockTimeout { key, by },
        _ => RequestError::Retained { key, by },
    }
}

fn of_words(place: u8, words: String) -> RequestError {
    match place {
        0 => RequestError::NoSpace { why: words },
        1 => RequestError::Access { what: known(words) },
        2 => RequestError::NoErase { of: known(words) },
        3 => RequestError::Options { what: known(words) },
        4 => RequestError::BadInterval { why: words },
        _ => RequestError::Fenced { why: words },
    }
}

fn of_numbers(place: u8, [a, b, c]: [u64; 3]) -> RequestError {
    let (second, third) = (b as usize, c as usize);
    match place {
        0 => RequestError::BadRba { rba: a },
        1 => RequestError::BadRange {
            rba: a,
            len: second,
            end: c,
        },
        2 => RequestError::AreaTooSmall {
            need: a as usize,
            have: second,
        },
        3 => RequestError::LengthChange {
            given: a as usize,
            has: second,
        },
        4 => RequestError::Length {
            given: a as usize,
            least: second,
            most: third,
        },
        5 => RequestError::KeyLength {
            given: a as usize,
            key_length: second,
        },
        6 => RequestError::BadRrn { rrn: a },
        7 => RequestError::IntervalChanged { rba: a },
        _ => RequestError::IntervalLength {
            given: a as usize,
            size: second,
            several: c != 0,
        },
    }
}

/// Texts that errors have as they stand in the program: kept for ever, as there are few of them. Another owner may have
/// others, but never many, and none is long. Each thread has its own: a child of a fork must not wait for another's.
fn known(words: String) -> &'static str {
    thread_local! {
        static KNOWN: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    }
    const MOST: usize = 100;
    const LONGEST: usize = 300;
    const OTHER: &str = "the owner of the data set refuses it";
    KNOWN.with_borrow_mut(|known| match known.get(words.as_str()) {
        Some(words) => words,
        None if known.len() >= MOST || words.len() > LONGEST => OTHER,
        None => {
            let words: &'static str = words.leak();
            known.insert(words);
            words
        }
    })
}

impl Refusal {
    /// Only that there is no such record, or no more: nothing went wrong.
    pub fn is_miss(&self) -> bool {
        let Refusal::Plain(place) = self else { return false };
        let error = PLAIN.get(usize::from(*place)).map(|error| error());
        matches!(error, Some(RequestError::NotFound | RequestError::EndOfData))
    }
}

impl From<&RequestError> for Refusal {
    fn from(error: &RequestError) -> Refusal {
        use RequestError::*;
        let plain = |wanted: &RequestError| {
            let same = |plain: &Plain| std::mem::discriminant(&plain()) == std::mem::discriminant(wanted);
            PLAIN.iter().position(same).map(|place| Refusal::Plain(place as u8))
        };
        match error {
            Duplicate { key } => Refusal::Key(0, key.clone()),
            Sequence { key } => Refusal::Key(1, key.clone()),
            Exclusive { key, by, .. } => Refusal::Held(0, key.clone(), by.clone()),
            Deadlock { key, by } => Refusal::Held(1, key.clone(), by.clone()),
            LockTimeout { key, by } => Refusal::Held(2, key.clone(), by.clone()),
            Retained { key, by } => Refusal::Held(3, key.clone(), by.clone()),
            NoBaseRecord { pointer } => Refusal::Key(2, pointer.clone()),
            PointerLimit { key } => Refusal::Key(3, key.clone()),
            NoSpace { why } => Refusal::Words(0, why.clone()),
            Access { what } => Refusal::Words(1, (*what).into()),
            NoErase { of } => Refusal::Words(2, (*of).into()),
            Options { what } => Refusal::Words(3, (*what).into()),
            BadInterval { why } => Refusal::Words(4, why.clone()),
            Fenced { why } => Refusal::Words(5, why.clone()),
            BadRba { rba } => Refusal::Numbers(0, [*rba, 0, 0]),
            BadRange { rba, len, end } => Refusal::Numbers(1, [*rba, *len as u64, *end]),
            AreaTooSmall { need, have } => Refusal::Numbers(2, [*need as u64, *have as u64, 0]),
            LengthChange { given, has } => Refusal::Numbers(3, [*given as u64, *has as u64, 0]),
            Length { given, least, most } => Refusal::Numbers(4, [*given as u64, *least as u64, *most as u64]),
            KeyLength { given, key_length } => Refusal::Numbers(5, [*given as u64, *key_length as u64, 0]),
            BadRrn { rrn } => Refusal::Numbers(6, [*rrn, 0, 0]),
            IntervalChanged { rba } => Refusal::Numbers(7, [*rba, 0, 0]),
            IntervalLength { given, size, several } => {
                Refusal::Numbers(8, [*given as u64, *size as u64, u64::from(*several)])
            }
            Physical { reason, what } => Refusal::Physical(*reason, what.clone()),
            Alternate { component, name, error } => {
                Refusal::Alternate(*component, name.clone(), Box::new(Refusal::from(&**error)))
            }
            other => plain(other).unwrap_or_else(|| Refusal::Unknown(other.to_string())),
        }
    }
}

impl From<Refusal> for RequestError {
    fn from(refusal: Refusal) -> RequestError {
        match refusal {
            Refusal::Plain(place) => match PLAIN.get(usize::from(place)) {
                Some(error) => error(),
                None => fenced("the owner of the data set gave an answer that is not known here"),
            },
            Refusal::Key(place, key) => of_key(place, key),
            Refusal::Held(place, key, by) => of_held(place, key, by),
            Refusal::Words(place, words) => of_words(place, words),
            Refusal::Numbers(place, numbers) => of_numbers(place, numbers),
            Refusal::Physical(reason, what) => RequestError::Physical { reason, what },
            Refusal::Alternate(component, name, error) => RequestError::Alternate {
                component,
                name,
                error: Box::new(RequestError::from(*error)),
            },
            Refusal::Unknown(words) => fenced(&words),
        }
    }
}

/// 12/16 with this reason.
pub fn fenced(why: &str) -> RequestError {
    RequestError::Fenced { why: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{parse, Answer};

    fn deep(depth: usize) -> Vec<u8> {
        // Each level is the variant, the component and a name of no bytes; in the last one is an error without parts.
        let plain = postcard::to_allocvec(&Refusal::Plain(1)).unwrap();
        let level = postcard::to_allocvec(&Refusal::Alternate(0, String::new(), Box::new(Refusal::Plain(1)))).unwrap();
        let answer = postcard::to_allocvec(&Answer::Refused(Refusal::Plain(1))).unwrap();
        let mut bytes = answer[..answer.len() - plain.len()].to_vec();
        (0..depth).for_each(|_| bytes.extend(&level[..level.len() - plain.len()]));
        bytes.extend(plain);
        bytes
    }

    #[test]
    fn errors_in_errors_are_read_as_deep_as_there_are_any() {
        for depth in 0..=DEEPEST as usize {
            let bytes = deep(depth);
            let answer: Answer<'_> = parse(&bytes).unwrap();
            assert_eq!(postcard::to_allocvec(&answer).unwrap(), bytes);
        }
        // So many would take more than the stack of a thread.
        for depth in [DEEPEST as usize + 1, 1_000_000] {
            assert!(parse::<Answer<'_>>(&deep(depth)).is_err());
            // And the next message is read again.
            assert!(parse::<Answer<'_>>(&deep(1)).is_ok());
        }
    }

    #[test]
    fn errors_of_numbers_come_out_as_they_went_in() {
        for error in [
            RequestError::BadRrn { rrn: 7 },
            RequestError::IntervalChanged { rba: 512 },
            RequestError::IntervalLength {
                given: 513,
                size: 512,
                several: true,
            },
            RequestError::IntervalLength {
                given: 513,
                size: 512,
                several: false,
            },
        ] {
            let out = RequestError::from(Refusal::from(&error));
            assert_eq!(out.to_string(), error.to_string());
        }
    }

    #[test]
    fn long_words_of_an_owner_are_not_kept() {
        let error = RequestError::from(Refusal::Words(3, "x".repeat(1000)));
        assert!(error.to_string().len() < 200, "{error}");
        let error = RequestError::from(Refusal::Words(3, "short".into()));
        assert!(error.to_string().contains("short"), "{error}");
    }
}
