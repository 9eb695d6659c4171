//! The one table of messages: id, condition code, text with named inserts, cause, and what to do.
//!
//! The listing, `cica explain ID` and the reference manual are made from it; an action names a message by its constant
//! ([`IDC0550I`], say), so an id that is not in the table does not compile. Ids and short texts that users look for are
//! IBM's; causes and remedies are about Cica. Ids that begin with CICA are messages z/OS has no counterpart of.
//!
//! 1. Ids are unique and ALL is sorted within each part; [`explain`] finds every one of them.
//! 2. Every IDC id says how far it is known to be IBM's ([`Origin`]); what is known no better is a CICA id.
//! 3. Every insert `{name}` is lower case and is filled by name, never by position.
#![forbid(unsafe_code)]

mod cica;
mod cobol;
mod codes;
mod copy;
mod entry;
mod examine;
mod function;
mod message;
mod portable;
mod syntax;

pub use cica::*;
pub use cobol::*;
pub use codes::{find_code, CodeWords, CODES};
pub use copy::*;
pub use entry::{MessageEntry, Origin};
pub use examine::*;
pub use function::*;
pub use message::Message;
pub use portable::*;
pub use syntax::*;

use std::fmt::Write;

/// All messages, IDC first, each part sorted by id.
pub fn all() -> impl Iterator<Item = &'static MessageEntry> {
    const LISTS: [&[&MessageEntry]; 7] = [
        syntax::LIST,
        function::LIST,
        examine::LIST,
        cica::LIST,
        cobol::LIST,
        copy::LIST,
        portable::LIST,
    ];
    let mut entries: Vec<&'static MessageEntry> = LISTS.iter().flat_map(|l| l.iter().copied()).collect();
    entries.sort_by_key(|e| (e.id.starts_with("CICA"), number(e.id)));
    entries.into_iter()
}

/// IDC0550I is 550, IDC31467I is 31467: sorted as people look them up.
fn number(id: &str) -> u32 {
    id.bytes()
        .filter(u8::is_ascii_digit)
        .fold(0, |n, b| n * 10 + u32::from(b - b'0'))
}

/// The message `id`; case does not matter, and the severity letter may be left out.
pub fn find(id: &str) -> Option<&'static MessageEntry> {
    let id = id.trim().to_ascii_uppercase();
    all().find(|e| e.id == id || e.id.strip_suffix(|c: char| c.is_ascii_alphabetic()) == Some(&id))
}

/// What `cica explain ID` prints of a message, or of a code in the form in which messages end; `None` when there is
/// neither.
pub fn explain(id: &str) -> Option<String> {
    if let Some((form, cause, action)) = find_code(id) {
        return Some(format!("[{form}]\n\nCause\n  {cause}\n\nWhat to do\n  {action}\n"));
    }
    let e = find(id)?;
    Some(format!(
        "{} {}\n\nSeverity: {} (condition code {})\nOrigin: {}\n\nCause\n  {}\n\nWhat to do\n  {}\n",
        e.id,
        e.text,
        e.severity(),
        e.cc,
        e.origin.words(),
        e.cause,
        e.action
    ))
}

/// The page docs/src/reference/messages.md.
pub fn reference_messages_markdown() -> String {
    let mut page = String::from(
        "# Messages\n\n\
         <!-- Made from crates/messages; run the tests of crates/idcams with CICA_BLESS=1 to write it anew. -->\n\n\
         `cica explain ID` prints the same. Words in braces stand for what is inserted. The condition code is the one\n\
         the message usually comes with: 0 success, 4 warning, 8 error, 12 severe, 16 nothing more is done.\n\n\
         Whose a message is stands beside the code: *id and text as IBM's* where listings or IBM's pages show both;\n\
         *IBM's id, the text is Cica's* where IBM is known to use the id for this; *IBM's id and text from memory* where\n\
         no source was read; *Cica's own* where z/OS has no such message, or it is not known which.\n",
    );
    for e in all() {
        // Writing to a String cannot fail.
        let _ = write!(
            page,
            "\n## {}\n\n`{}`\n\n*Condition code {}, {}; {}.*\n\n{}\n\n**What to do:** {}\n",
            e.id,
            e.text,
            e.cc,
            e.severity(),
            e.origin.words(),
            e.cause,
            e.action
        );
    }
    page
}
