//! One message of the table, and how the table is written.

use std::fmt::{Display, Write};

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub struct MessageEntry {
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
            pub static $id: $crate::entry::MessageEntry = $crate::entry::MessageEntry {
                id: stringify!($id), cc: $cc, text: $text, cause: $cause, action: $action,
                origin: $crate::entry::origin(&[$(Some($crate::entry::Origin::$origin),)? None]),
            };
        )*
        pub(crate) static $list: &[&$crate::entry::MessageEntry] = &[$(&$id),*];
    };
}
pub(crate) use messages;

/// What the table says of a message's origin; where it says nothing the message is ours.
pub(crate) const fn origin(stated: &[Option<Origin>]) -> Origin {
    match stated {
        [Some(origin), ..] => *origin,
        _ => Origin::Ours,
    }
}

impl MessageEntry {
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
