//! What a function tells while it works, and what it comes to.

use cica_messages::{Message, MessageEntry};
use std::fmt::Display;

/// Messages in the order they were issued.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    messages: Vec<Message>,
}

impl Report {
    /// Adds a message with its inserts: `out.say(&IDC0550I, &[("kind", &"C"), ("name", &name)])`.
    pub fn say(&mut self, message: &'static MessageEntry, inserts: &[(&'static str, &dyn Display)]) {
        self.messages.push(Message::new(message, inserts));
    }

    /// Adds a message that begins a group of its own.
    pub fn say_apart(&mut self, message: &'static MessageEntry, inserts: &[(&'static str, &dyn Display)]) {
        self.messages.push(Message::new(message, inserts).apart());
    }

    /// Adds messages.
    pub fn extend(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.messages.extend(messages);
    }

    /// All of them.
    pub fn into_messages(self) -> Vec<Message> {
        self.messages
    }
}
