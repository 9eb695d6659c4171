//! Units of recovery in doubt, as client and owner tell each other of them: why one was not prepared, or nothing
//! decided.

use crate::refusal::Refusal;
use cica_engine::PrepareError;
use serde::{Deserialize, Serialize};

/// [`PrepareError`] in a message, and what a decision meets besides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Undecided {
    /// No unit can be called so.
    Name(String),
    /// Another is called so.
    Doubled(String),
    /// None is called so.
    Unknown(String),
    /// It is being taken back.
    GoingBack(String),
    /// Somebody is deciding about it.
    Busy(String),
    /// Data sets that it has changed are not open.
    NotOpen(String, Vec<String>),
    /// A request was refused.
    Refused(Refusal),
    /// Its file could not be used, in words.
    File(String),
    /// A data set that it has changed cannot be opened: its name, VSAM's reason, words.
    Open(String, u8, String),
}

impl From<&PrepareError> for Undecided {
    fn from(error: &PrepareError) -> Undecided {
        match error {
            PrepareError::Name { name } => Undecided::Name(name.clone()),
            PrepareError::Doubled { name } => Undecided::Doubled(name.clone()),
            PrepareError::Unknown { name } => Undecided::Unknown(name.clone()),
            PrepareError::GoingBack { name } => Undecided::GoingBack(name.clone()),
            PrepareError::Busy { name } => Undecided::Busy(name.clone()),
            PrepareError::NotOpen { name, data_sets } => Undecided::NotOpen(name.clone(), data_sets.clone()),
            PrepareError::Request(error) => Undecided::Refused(error.into()),
            other => Undecided::File(other.to_string()),
        }
    }
}

impl From<Undecided> for PrepareError {
    fn from(why: Undecided) -> PrepareError {
        match why {
            Undecided::Name(name) => PrepareError::Name { name },
            Undecided::Doubled(name) => PrepareError::Doubled { name },
            Undecided::Unknown(name) => PrepareError::Unknown { name },
            Undecided::GoingBack(name) => PrepareError::GoingBack { name },
            Undecided::Busy(name) => PrepareError::Busy { name },
            Undecided::NotOpen(name, data_sets) => PrepareError::NotOpen { name, data_sets },
            Undecided::Refused(refusal) => PrepareError::Request(refusal.into()),
            Undecided::File(words) => PrepareError::AtOwner { words },
            Undecided::Open(name, _, words) => PrepareError::AtOwner {
                words: format!("{name}: {words}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cica_engine::RequestError;

    #[test]
    fn why_not_is_the_same_on_both_sides() {
        let name = || "TRANSFER-1".to_owned();
        let all = [
            PrepareError::Name { name: name() },
            PrepareError::Doubled { name: name() },
            PrepareError::Unknown { name: name() },
            PrepareError::GoingBack { name: name() },
            PrepareError::Busy { name: name() },
            PrepareError::NotOpen {
                name: name(),
                data_sets: vec!["A".into(), "B".into()],
            },
            PrepareError::Request(RequestError::NoSpace { why: "full".into() }),
        ];
        for error in all {
            let there = PrepareError::from(Undecided::from(&error));
            assert_eq!(std::mem::discriminant(&there), std::mem::discriminant(&error));
            assert_eq!(there.to_string(), error.to_string());
        }
    }
}
