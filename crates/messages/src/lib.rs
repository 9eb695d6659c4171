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
mod copy;
mod examine;
mod function;
mod message;
mod portable;
mod syntax;

pub use cica::*;
pub use cobol::*;
pub use copy::*;
pub use examine::*;
pub use function::*;
pub use message::Message;
pub use portable::*;
pub use syntax::*;

use std::fmt::{Display, Write};

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// Message id as printed, 8 to 9 characters.
    pub id: &'static str,
    /// The condition code it usually comes with: 0, 4, 8, 12 or 16.
    pub cc: u8,
    /// Text after the id; `{name}` stands for an insert.
    pub text: &'static str,
    /// Why it is issued.
    pub cause: &'static str,
    /// What the user does.
    pub action: &'static str,
    /// Whose the id and the text are.
    pub origin: Origin,
}

/// Whose a message is. Every IDC id says how far it is known to be IBM's, so that nobody looks up a wrong explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Id and text are IBM's, attested by listings or by IBM's pages.
    Ibm,
    /// The id is IBM's for this; IBM's text is not known here, this one is ours.
    Id,
    /// Id and text are IBM's from memory, in no source that was read.
    Memory,
    /// Cica's own: z/OS has no counterpart, or it is not known which.
    Ours,
}

impl Origin {
    /// The same in words, for the manual.
    pub fn words(self) -> &'static str {
        match self {
            Origin::Ibm => "id and text as IBM's",
            Origin::Id => "IBM's id, the text is Cica's",
            Origin::Memory => "IBM's id and text from memory",
            Origin::Ours => "Cica's own",
        }
    }
}

/// Defines messages as constants and collects them in a list.
macro_rules! messages {
    ($list:ident: $($id:ident $cc:literal $([$origin:ident])? $text:literal, $cause:literal, $action:literal;)*) => {
        $(
            #[doc = $text]
            pub static $id: $crate::Entry = $crate::Entry {
                id: stringify!($id), cc: $cc, text: $text, cause: $cause, action: $action,
                origin: $crate::origin(&[$(Some($crate::Origin::$origin),)? None]),
            };
        )*
        pub(crate) static $list: &[&$crate::Entry] = &[$(&$id),*];
    };
}
pub(crate) use messages;

/// What the table says of a message's origin; where it says nothing the message is ours.
const fn origin(stated: &[Option<Origin>]) -> Origin {
    match stated {
        [Some(origin), ..] => *origin,
        _ => Origin::Ours,
    }
}

impl Entry {
    /// The text with its inserts filled in. An insert nobody filled shows as `?`, so that a message is never lost.
    pub fn text(&self, inserts: &[(&str, &dyn Display)]) -> String {
        debug_assert!(
            inserts.iter().all(|(name, _)| self.inserts().any(|i| i == *name)),
            "{}: unknown insert",
            self.id
        );
        let mut text = String::with_capacity(self.text.len() + 16);
        let mut rest = self.text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            text.push_str(before);
            match inserts.iter().find(|(n, _)| *n == name) {
                // Writing to a String cannot fail.
                Some((_, value)) => {
                    let _ = write!(text, "{value}");
                }
                None => text.push('?'),
            }
            rest = after;
        }
        text + rest
    }

    /// Id and filled-in text, as printed.
    pub fn line(&self, inserts: &[(&str, &dyn Display)]) -> String {
        format!("{} {}", self.id, self.text(inserts))
    }

    /// Names of the inserts in the text, in order.
    pub fn inserts(&self) -> impl Iterator<Item = &'static str> {
        self.text
            .split('{')
            .skip(1)
            .filter_map(|s| s.split_once('}').map(|(name, _)| name))
    }

    /// What the last letter or the condition code means to the reader.
    pub fn severity(&self) -> &'static str {
        match self.cc {
            0 => "information",
            4 => "warning",
            8 => "error",
            12 => "severe error",
            _ => "terminating error",
        }
    }
}

/// All messages, IDC first, each part sorted by id.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    const LISTS: [&[&Entry]; 7] = [
        syntax::LIST,
        function::LIST,
        examine::LIST,
        cica::LIST,
        cobol::LIST,
        copy::LIST,
        portable::LIST,
    ];
    let mut entries: Vec<&'static Entry> = LISTS.iter().flat_map(|l| l.iter().copied()).collect();
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
pub fn find(id: &str) -> Option<&'static Entry> {
    let id = id.trim().to_ascii_uppercase();
    all().find(|e| e.id == id || e.id.strip_suffix(|c: char| c.is_ascii_alphabetic()) == Some(&id))
}

/// What `cica explain ID` prints, or `None` when there is no such message.
pub fn explain(id: &str) -> Option<String> {
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
