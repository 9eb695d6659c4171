//! What a function comes to: its condition code, its messages, and what it found or made.

use super::failure::Failure;
use super::report::Report;
use cica_messages::Message;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a condition code of 8 or more says that something was not done"]
pub struct Outcome<T = ()> {
    /// 0 done; 4 done, with a warning; 8 done in part; 12 not done; 16 nothing more can be done.
    pub condition: u8,
    /// What was told, in order.
    pub messages: Vec<Message>,
    /// What was found or made.
    pub result: T,
}

impl Default for Outcome {
    /// Nothing was asked for, and nothing done.
    fn default() -> Outcome {
        Outcome {
            condition: 0,
            messages: Vec::new(),
            result: (),
        }
    }
}

impl Outcome {
    /// This and what another function came to after it: the higher condition code, and all messages.
    pub fn and(mut self, next: Outcome) -> Outcome {
        self.condition = self.condition.max(next.condition);
        self.messages.extend(next.messages);
        self
    }

    /// What `function` tells, and the condition code it returns or fails with.
    pub(crate) fn of(function: impl FnOnce(&mut Report) -> Result<u8, Failure>) -> Outcome {
        Outcome::with(|report| function(report).map(|condition| (condition, ())))
    }

    /// That of a request which is refused with this message.
    pub fn refused(message: Message) -> Outcome {
        Outcome {
            condition: message.entry.cc,
            messages: vec![message],
            result: (),
        }
    }
}

impl<T> Outcome<T> {
    /// The same without what was found or made.
    pub fn without_result(self) -> Outcome {
        Outcome {
            condition: self.condition,
            messages: self.messages,
            result: (),
        }
    }
}

impl<T: Default> Outcome<T> {
    /// The same of a function with a result. One that fails has none.
    pub(crate) fn with(function: impl FnOnce(&mut Report) -> Result<(u8, T), Failure>) -> Outcome<T> {
        let mut report = Report::default();
        let (condition, result) = match function(&mut report) {
            Ok(done) => done,
            Err(failure) => (failure.tell(&mut report), T::default()),
        };
        Outcome {
            condition,
            messages: report.into_messages(),
            result,
        }
    }

    /// Was it done, perhaps with a warning?
    pub fn is_done(&self) -> bool {
        self.condition < 8
    }
}
