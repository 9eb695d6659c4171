//! What a record says of a field, for people, and what cannot be done with records.

use crate::failure::{Failure, Status};
use crate::terminal::in_a_line;
use cica_messages as messages;
use cica_smf::Record;

/// The error of what cannot be done.
pub fn refused(words: &str) -> Failure {
    Failure::new(Status::REFUSED, &messages::CICA1080E, words)
}

/// What a record says of a field, for people.
pub fn show(record: &Record, name: &str) -> String {
    record
        .get(name)
        .map_or(String::new(), |value| in_a_line(&value.to_string()))
}

/// A field of bits, or 0.
pub fn bits(record: &Record, name: &str) -> u16 {
    let text = show(record, name);
    let digits = text.trim_start_matches("X'").trim_end_matches('\'');
    u16::from_str_radix(digits, 16).unwrap_or_default()
}

/// The condition code of a step in decimal, or `S` and the code of its abnormal end, as listings of jobs have them. The
/// worse of two is the greater text.
pub fn code(record: &Record) -> String {
    let (code, how) = (bits(record, "SMF30SCC"), bits(record, "SMF30STI"));
    match how & 0x0200 {
        0 => format!("{:04}", code & 0xFFF),
        _ if code & 0x8000 != 0 => format!("U{:04}", code & 0xFFF),
        _ => format!("S{:03X}", code & 0xFFF),
    }
}
