//! Messages to stderr: those of the table, id first, as the listing prints them. `CICA_MESSAGES` names the least severity
//! that is told, I, W, E or S; what only informs is told to those who ask for it.

pub use cica_messages::*;
use std::fmt::Display;
use std::io::Write;
use std::sync::OnceLock;

/// Severities, as the last letters of ids, in order.
const SEVERITIES: &str = "IWES";

/// The place in them of what is told to everybody.
const UNASKED: usize = 1;

/// The place of the severity below which nothing is told.
fn least() -> usize {
    static LEAST: OnceLock<usize> = OnceLock::new();
    *LEAST.get_or_init(|| {
        let setting = std::env::var("CICA_MESSAGES").unwrap_or_default();
        let setting = setting.to_ascii_uppercase();
        let known = SEVERITIES.find(setting.as_str()).filter(|_| setting.len() == 1);
        known.unwrap_or(UNASKED)
    })
}

/// Prints a message that a DD text asks for, unless the environment says what is told.
pub fn tell_asked(message: &MessageEntry, inserts: &[(&str, &dyn Display)]) {
    if std::env::var_os("CICA_MESSAGES").is_none_or(|setting| setting.is_empty()) {
        let _ = writeln!(std::io::stderr(), "{}", message.line(inserts));
    } else {
        tell(message, inserts);
    }
}

/// Prints a message. What stderr does with it is no concern of the program's.
pub fn tell(message: &MessageEntry, inserts: &[(&str, &dyn Display)]) {
    let severity = message.id.chars().last().and_then(|letter| SEVERITIES.find(letter));
    if severity.is_none_or(|severity| severity >= least()) {
        let _ = writeln!(std::io::stderr(), "{}", message.line(inserts));
    }
}
