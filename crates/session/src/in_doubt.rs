//! Units of recovery in doubt, decided about by who knows names and no open data sets (docs/design/0047).
//!
//! Where an owner of shared data sets is there it decides: it may have the data sets open, and the records retained.
//! What it cannot open this process may have open itself.

use crate::error::SessionError;
use crate::open::open;
use crate::start::Session;
use cica_catalog::Name;
use cica_engine::{Access, DataSet, OpenError, OpenOptions, PrepareError};
use cica_share::{rights, Undecided};
use std::fmt;
use std::io::ErrorKind;
use std::os::fd::AsFd;

/// Why nothing was decided, or not all of it done.
#[derive(Debug)]
pub enum DecideError {
    /// A data set that the unit has changed cannot be opened.
    Open {
        /// Its name.
        name: String,
        /// Why.
        error: SessionError,
    },
    /// The unit itself.
    Unit(PrepareError),
    /// The owner of shared data sets, which may have them open, cannot be asked.
    Owner(SessionError),
}

impl fmt::Display for DecideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecideError::Open { name, error } => write!(f, "{name}: {error}"),
            DecideError::Unit(error) => error.fmt(f),
            DecideError::Owner(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecideError {}

impl From<PrepareError> for DecideError {
    fn from(error: PrepareError) -> DecideError {
        DecideError::Unit(error)
    }
}

impl Session {
    /// Commits the unit in doubt that is called `name`: its changes stand, and its records are free, at the owner of
    /// shared data sets too.
    ///
    /// # Errors
    /// The owner cannot be asked; or as [`Engine::commit_prepared`](cica_engine::Engine::commit_prepared).
    pub fn commit_prepared(&self, name: &str) -> Result<(), DecideError> {
        if self.decided_at_owner(name, true)? {
            return Ok(());
        }
        Ok(self.engine.commit_prepared(name)?)
    }

    /// Takes the unit in doubt that is called `name` back: opens its data sets with their alternate indexes, at the owner
    /// of shared data sets or alone, and closes them again.
    ///
    /// # Errors
    /// A data set cannot be opened, or the owner not asked, and nothing has changed; or as
    /// [`Engine::back_out_prepared`](cica_engine::Engine::back_out_prepared).
    pub fn back_out_prepared(&self, name: &str) -> Result<(), DecideError> {
        if self.decided_at_owner(name, false)? {
            return Ok(());
        }
        let units = self.engine.in_doubt()?;
        let unit = units.iter().find(|unit| unit.name == name);
        let data_sets = unit.map_or(&[][..], |unit| &unit.data_sets);
        let open: Vec<DataSet> = data_sets
            .iter()
            .map(|name| self.to_decide(name))
            .collect::<Result<_, _>>()?;
        let done = self.engine.back_out_prepared(name);
        // It is durable by now, or was refused: what a close says is of the data set. All are closed, whatever one
        // says.
        let closed: Vec<_> = open.into_iter().map(DataSet::close).collect();
        done?;
        for close in closed {
            close.map_err(PrepareError::Request)?;
        }
        Ok(())
    }

    /// Has the owner decide, if there is one. False: there is none, or it cannot open what the unit has changed.
    fn decided_at_owner(&self, name: &str, commit: bool) -> Result<bool, DecideError> {
        if !self.sharing.asks_the_owner() {
            return Ok(false);
        }
        let path = self.engine.prepared_file(name)?;
        // An owner that ended since it was asked last is found gone, and the next one is asked.
        for last in [false, true] {
            let there = self.owner.there(self.catalog.directory()).map_err(DecideError::Owner)?;
            let Some(client) = there else {
                return Ok(false);
            };
            let file = rights(&path, true).map_err(|error| match error.kind() {
                ErrorKind::NotFound => PrepareError::Unknown { name: name.into() },
                _ => PrepareError::File(OpenError::Io {
                    path: path.clone(),
                    doing: "open",
                    error,
                }),
            })?;
            match client.decide(name, commit, file.as_fd()) {
                Ok(Ok(())) => {
                    // It is decided. If that is not seen here, the next open says why.
                    let _ = self.engine.forget_decided();
                    return Ok(true);
                }
                Ok(Err(Undecided::Open(..) | Undecided::NotOpen(..))) => return Ok(false),
                Ok(Err(why)) => return Err(PrepareError::from(why).into()),
                Err(_) if client.is_gone() && !last => {}
                Err(error) => return Err(PrepareError::from(error).into()),
            }
        }
        Ok(false)
    }

    fn to_decide(&self, name: &str) -> Result<DataSet, DecideError> {
        let failed = |error| DecideError::Open {
            name: name.to_owned(),
            error,
        };
        let options = OpenOptions {
            access: Access::Output,
            ..OpenOptions::default()
        };
        let parsed = Name::parse(name).map_err(|error| failed(error.into()))?;
        let (catalog, reached) = self.reach(&parsed).map_err(failed)?;
        open(&catalog, &self.engine, &reached, options).map_err(failed)
    }
}
