//! Messages to stderr: those of the table, id first, as the listing prints them.

pub use cica_idcams::messages::*;
use std::fmt::Display;
use std::io::Write;

/// Prints a message. What stderr does with it is no concern of the program's.
pub fn tell(message: &Entry, inserts: &[(&str, &dyn Display)]) {
    let _ = writeln!(std::io::stderr(), "{}", message.line(inserts));
}
