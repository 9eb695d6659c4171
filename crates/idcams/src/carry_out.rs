//! Carries commands out: a listing is printed as its entries and records come, what another function tells when it is
//! done.

use crate::params::Command;
use crate::run::Act;
use crate::sysprint::Sysprint;
use crate::{listing, request};
use cica_admin::Services;

impl Act for Services {
    fn act(&mut self, command: &Command, out: &mut Sysprint) -> u8 {
        if let Some(condition) = listing::carry_out(self, command, out) {
            return condition;
        }
        let outcome = request::carry_out(self, command);
        out.messages(outcome.messages, &command.params);
        outcome.condition
    }
}
