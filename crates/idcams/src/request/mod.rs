//! What a command asks for: its parameters become the request of the function that carries it out. One file for each
//! family of verbs; nothing here decides anything that a request could not say.

mod catalogs;
mod check;
mod copy;
mod delete;
pub mod list;
mod portable;

use crate::act::{Outcome, Services};
use crate::params::Command;
use crate::table::Verb;

/// Carries out a command; none for a verb that is not a request yet.
pub fn carry_out(services: &mut Services, command: &Command) -> Option<Outcome> {
    let params = &command.params;
    let outcome = match command.verb {
        Verb::Delete => services.delete(&delete::delete(params)).without_result(),
        Verb::Export if params.flag("DISCONNECT") => services.disconnect(&portable::disconnect(params)),
        Verb::Export => services.export(&portable::export(params)).without_result(),
        Verb::Import if params.flag("CONNECT") => services.connect(&portable::connect(params)).without_result(),
        Verb::Import => services.import(&portable::import(params)).without_result(),
        Verb::Backup => services.backup(&portable::backup(params)).without_result(),
        Verb::Restore => services.restore(&portable::restore(params)).without_result(),
        Verb::Verify => services.verify(&check::verify(params)),
        Verb::Examine => services.examine(&check::examine(params)).without_result(),
        Verb::Diagnose => services.diagnose(&check::diagnose(params)).without_result(),
        Verb::Dcollect => services.dcollect(&check::dcollect(params)).without_result(),
        Verb::Bldindex => services.bldindex(&catalogs::bldindex(params)).without_result(),
        Verb::Repro if params.flag("MERGECAT") => services.merge_catalogs(&catalogs::merge(params)).without_result(),
        Verb::Repro => match copy::repro(params) {
            Ok(request) => services.repro(&request).without_result(),
            Err(message) => Outcome::refused(message),
        },
        _ => return None,
    };
    Some(outcome)
}
