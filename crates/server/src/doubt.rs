//! Units of recovery in doubt: decided about for a client, and found decided by others.
//!
//! | state | by | to |
//! |---|---|---|
//! | of a client | the client prepares it | in doubt: it is nobody's, its records are retained |
//! | in doubt | its client or the server ends or dies | in doubt: an open retains its records |
//! | in doubt | a client that may write to its file decides | none |
//! | in doubt | another process decides | none; its records are free within a look |

use crate::opened::Shared;
use crate::owner::Owner;
use cica_engine::Access;
use cica_session::DecideError;
use cica_share::Undecided;
use std::os::fd::OwnedFd;

impl Shared {
    /// Commits a unit, or takes it back, for a client that has `descriptor` of its file (O2).
    pub fn decide(&self, name: &str, commit: bool, descriptor: Option<&OwnedFd>) -> Result<(), Undecided> {
        let engine = &self.session.engine;
        let file = engine.prepared_file(name).map_err(|error| Undecided::from(&error))?;
        self.check_rights(descriptor, &file, Access::Output)
            .map_err(Undecided::File)?;
        let done = if commit {
            self.session.commit_prepared(name)
        } else {
            self.session.back_out_prepared(name)
        };
        done.map_err(|error| match error {
            DecideError::Open { name, error } => Undecided::Open(name, error.acberflg(), error.to_string()),
            DecideError::Unit(error) => Undecided::from(&error),
            // An owner asks none.
            DecideError::Owner(error) => Undecided::File(error.to_string()),
        })
    }
}

impl Owner {
    /// Frees records of units about which others have decided.
    pub fn forget_decided(&self) {
        // Where their files cannot be read nothing is free, and the next open says why.
        let _ = self.shared.session.engine.forget_decided();
    }
}
