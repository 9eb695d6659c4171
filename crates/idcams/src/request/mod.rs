//! What a command asks for: its parameters become the request of the function that carries it out. One file for each
//! family of verbs; nothing here decides anything that a request could not say.

mod allocate;
mod alter;
mod catalogs;
mod check;
mod copy;
mod define;
mod delete;
pub mod list;
mod portable;
mod stated;

use crate::params::Command;
use crate::table::Verb;
use cica_admin::{Outcome, Services};
use cica_messages::{Message, CICA0901E};

/// Carries out a command.
pub fn carry_out(services: &mut Services, command: &Command) -> Outcome {
    let params = &command.params;
    match command.verb {
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
        Verb::DefineCluster => services.define_cluster(&define::cluster(params)),
        Verb::DefineAlternateIndex => services.define_cluster(&define::alternate_index(params)),
        Verb::DefinePath => services.define_path(&define::path(params)),
        Verb::DefineGenerationDataGroup => services.define_group(&define::group(params)),
        Verb::DefineNonvsam => services.define_nonvsam(&define::nonvsam(params)),
        Verb::DefineAlias => services.define_alias(&define::alias(params)),
        Verb::DefineUserCatalog | Verb::DefineMasterCatalog => {
            services.define_catalog(&define::catalog(params, command.verb == Verb::DefineMasterCatalog))
        }
        Verb::DefineVolume => services.define_volume(&define::volume(params)),
        Verb::Alter if params.flag("ROLLIN") && !params.has("REORGANIZE") => services.roll_in(&alter::roll_in(params)),
        Verb::Alter => services.alter(&alter::alter(params)),
        Verb::Allocate => services.allocate(&allocate::allocate(params)),
        // The table refuses these, so the caller does before they come here.
        other => Outcome::refused(Message::new(&CICA0901E, &[("item", &other.spec().words)])),
    }
}
